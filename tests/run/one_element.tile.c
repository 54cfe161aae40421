// One element of a tile, as the sum of what is chosen by its index: of one that a loop carries, before and behind it,
// inside of it, outside on either side, in a row that begins elsewhere; -0.0 gives 0.0, and no NaN beside it counts.
// run: :k X=@x.npy Out=new:f32[12,40] n=9 far=9223372036854775807 --grid 1 --out Out=out.npy
// run: :k X=@x.npy Out=new:f32[12,40] n=0 far=-9223372036854775808 --grid 1 --out Out=out.npy
// run: :solve L=@l.npy B=@b.npy Out=new:f64[20] n=20 --grid 1 --out Out=out.npy
// run: :ints X=@i.npy Out=new:i32[40] n=11 --grid 1 --out Out=out.npy
// array x.npy f32[40]: -0 1 nan 3 inf 5 -inf 7 8 9 10 11 12 -0
// array l.npy f64[20,20]: 0.5 0.25 -0.125 1 2 -0.5 0.75
// array b.npy f64[20]: 1 2 3 4
// array i.npy i32[40]: 5 -7 2147483647 3 1 0 2
#include <tilec/kernel.h>
kernel void k(const float *restrict X, float *restrict Out, int n, int64_t far)
{
    int i = arange(0, 40), row = program_id(0) * 40 + 5 + arange(3, 43);
    float x = load(X + i), y = x;
    for (int t = 0; t < n; t++) {
        float one = sum(where(i == t, x, 0.0f));
        float most = sum(where(i != t, y, 0.0f)), other = sum(where(i == t, x, 1.0f));
        store(Out + t * 2 * 20 + i, one, i < 3);
        store(Out + t * 2 * 20 + 3 + i, sum(where(t - 4 == i, y, 0.0f)), i < 3);
        store(Out + t * 2 * 20 + 6 + i, sum(where(row == 4 * t, y, 0.0f)), i < 3);
        store(Out + t * 2 * 20 + 9 + i, sum(where(far == i, x, 0.0f)), i < 3);
        store(Out + t * 2 * 20 + 12 + i, most + other, i < 3);
        x = where(i > t, x + one, x);
        y = where(i == t + 1, 7.0f, y);
    }
    store(Out + 360 + i, x);
    store(Out + 400 + i, y + sum(where(i == n, x, 0.0f)), i < 20);
    store(Out + 420 + i, sum(where(i == 13, x, 0.0f)) + sum(where(row == far, x, 0.0f)), i < 20);
}
kernel void solve(const double *restrict L, const double *restrict B, double *restrict Out, int n)
{
    int i = arange(0, 32);
    double x = load(B + i, i < n);
    for (int k = 0; k < n; k++) {
        double xk = sum(where(i == k, x, 0.0));
        x = x - where(i > k, load(L + k * n + i, i < n), 0.0) * xk;
    }
    store(Out + i, x, i < n);
}
kernel void ints(const int *restrict X, int *restrict Out, int n)
{
    int i = arange(0, 40);
    uint32_t x = cast(uint32_t, load(X + i));
    int at = i;
    for (int k = 0; k < n; k++) {
        uint32_t one = sum(where(i == k, x, 0));
        int place = sum(where(i == k, at, 0));
        x = x * 3 + one + cast(uint32_t, sum(where(i == place - 1, at, 0)));
        at = where(i > k, i - k, at);
    }
    store(Out + i, cast(int, x));
}
---
run 1
Out f32[12,40]
0 0 0 0 0 0 0 0 0 0 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
1 1 1 0 0 0 0 0 0 0 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan 0 0 0 0 0 0 0 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan 0 0 0 inf inf inf 0 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan 0 0 0 8 8 8 0 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan 7 7 7 12 12 12 0 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan 7 7 7 nan nan nan 0 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan 7 7 7 -inf -inf -inf 0 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan 7 7 7 10 10 10 0 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
-0 1 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
run 2
Out f32[12,40]
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
-0 1 nan 3 inf 5 -inf 7 8 9 10 11 12 -0 -0 1 nan 3 inf 5 -inf 7 8 9 10 11 12 -0 -0 1 nan 3 inf 5 -inf 7 8 9 10 11
0 1 nan 3 inf 5 -inf 7 8 9 10 11 12 0 0 1 nan 3 inf 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
run 3
Out f64[20]
1 1.75 2.6875 2.546875 -3.05078125 -2.6064453125 -4.526611328125 2.29412841796875 6.7014617919921875 5.2591056823730469 7.5403013229370117 -11.35126805305481 -12.642874538898468 -17.949873641133308 -3.0717047937214375 40.046154933981597 23.138813708676025 43.154682447377127 -47.967479187718709 -77.239802909247373
run 4
Out i32[40]
2129318 3554 -2146417212 1775024 1420730 1243583 1597877 2129318 3554 -2146417212 1775024 1420730 1243583 1597877 2129318 3554 -2146417212 1775024 1420730 1243583 1597877 2129318 3554 -2146417212 1775024 1420730 1243583 1597877 2129318 3554 -2146417212 1775024 1420730 1243583 1597877 2129318 3554 -2146417212 1775024 1420730
