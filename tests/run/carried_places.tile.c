// Places that a loop carries lane by lane, of which more is asked behind it than their lower 32 bits.
// run: :furthest X=@x.npy Out=new:i32[3] rows=3 n=43 --out Out=out.npy
// run: :furthest X=@none.npy Out=new:i32[2] rows=2 n=5 --out Out=out.npy
// run: :furthest X=@none.npy Out=new:i32[1] rows=1 n=0 --out Out=out.npy
// run: :sums X=@x.npy Out=new:i64[5] n=43 --out Out=out.npy
// run: :sums X=@none.npy Out=new:i64[5] n=0 --out Out=out.npy
// array x.npy f32[129]: 1 5 2 -3 8 0.5 nan 8 7 -1 4 9 3 3 9 2 1
// array none.npy f32[10]: -inf
#include <tilec/kernel.h>
launch_grid(furthest, rows);
kernel void furthest(const float *restrict X, int *restrict Out, int rows, int n)
{
    int row = program_id(0), lane = arange(0, 8);
    float best = full(float, -INFINITY, 8);
    int at = zeros(int, 8);
    for (int first = 0; first < n; first += 8) {
        int i = first + lane;
        float x = load(X + row * n + i, i < n, -INFINITY);
        at = where(x > best, i, at);
        best = where(x > best, x, best);
    }
    store(Out + row, min(where(best == max(best), at, n)));
}
launch_grid(sums, 1);
kernel void sums(const float *restrict X, long *restrict Out, int n)
{
    int lane = arange(0, 8);
    long below = lane, above = lane, beyond = lane, twice = lane, product = lane;
    for (int first = 0; first < n; first += 8) {
        int i = first + lane;
        bool more = load(X + i, i < n) > 2;
        below = where(more, lane - 5, below);
        above = where(more, 4294967295 - lane, above);
        beyond = where(more, 4294967296 + i, beyond);
        twice = where(more, i, twice + 1);
        product = where(more, product, 2147483640 + lane);
    }
    for (int first = 0; first < n; first += 16)
        below = where(load(X + first + lane, first + lane < n) < 0, first - 7, below);
    store(Out, sum(below * 3));
    store(Out + 1, sum(above / 2));
    store(Out + 2, sum(beyond));
    store(Out + 3, sum(twice >> 1));
    store(Out + 4, max(product));
}
---
run 1
Out i32[3]
11 2 10
run 2
Out i32[2]
0 0
run 3
Out i32[1]
0
run 4
Out i64[5]
54 17179869164 34359738636 137 2147483647
run 5
Out i64[5]
84 12 28 12 7
