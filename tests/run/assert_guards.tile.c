// A program ends at an assert that does not hold: what stands behind is not touched, neither by a
// group of loads that began before, nor by a loop that could load ahead, nor by what is made once for
// all programs.
// devices: cpu
// run: :behind X=@x.npy Id=@id.npy Out=@out.npy n=9 --out Out=out.npy
// run: :carried X=@x.npy Id=@id.npy Out=@out.npy n=8 --out Out=out.npy
// run: :once W=@w.npy Id=@id.npy Out=@out.npy first=2000000000 --out Out=out.npy
// run: :once W=@w.npy Id=@id.npy Out=@out.npy first=4 --out Out=out.npy
// array x.npy f32[8]: 1 2 3 4 5 6 7 8
// array w.npy f16[8]: 0 1 0 1 0 0 0 0
// array id.npy i32[3]: 0 2000000000 -2000000000
// array out.npy f32[3,4]: 9
#include <tilec/kernel.h>
launch_grid(behind, 3);
launch_grid(carried, 3);
launch_grid(once, 3);
kernel void behind(const float *restrict X, const int *restrict Id, float *restrict Out, int n)
{
    int c = arange(0, 4), t = program_id(0), id = Id[t];
    float x = load(X + c);
    store(Out + 4 * t + c, x);
    tile_assert(id + c >= 0 && id + c < n, "the id is one of X");
    store(Out + 4 * t + c, x + load(X + id * 1000 + c));
}
kernel void carried(const float *restrict X, const int *restrict Id, float *restrict Out, int n)
{
    int c = arange(0, 4), t = program_id(0), id = Id[t];
    float s = 0;
    for (int i = 0; i < 4; i++) {
        tile_assert(id + c >= 0 && id + c < n, "the id is one of X");
        s += load(X + id * 1000 + c);
    }
    store(Out + 4 * t + c, s);
}
kernel void once(const half *restrict W, const int *restrict Id, float *restrict Out, int first)
{
    int c = arange(0, 4), t = program_id(0);
    tile_assert(first <= 4 && Id[t] >= 0, "W is that long");
    float w = load(W + first + c, (c & 3) < first);
    store(Out + 4 * t + c, exp(w));
}
---
run 1
tilec: error: kernel 'behind', program (1, 0, 0): assertion failed: the id is one of X
[status 1]
run 2
tilec: error: kernel 'carried', program (1, 0, 0): assertion failed: the id is one of X
[status 1]
run 3
tilec: error: kernel 'once', program (0, 0, 0): assertion failed: W is that long
[status 1]
run 4
tilec: error: kernel 'once', program (2, 0, 0): assertion failed: W is that long
[status 1]
