// Running products, minima, and scans from the end: along both axes, exclusive or not, by a helper too.
// devices: interp cpu msl-host
// run: :forward X=@x.npy F=@f.npy Out=new:i32[5,6] Floats=new:f32[3,6] --out Out=out.npy --out Floats=g.npy
// run: :backward X=@x.npy F=@f.npy Out=new:i32[6,6] Floats=new:f32[3,6] --out Out=out.npy --out Floats=g.npy
// array x.npy i32[6]: 3 -1 2 5 -2 4
// array f.npy f32[6]: 2 -0 0.5 nan 0 -inf
#include <tilec/kernel.h>
static int latest(int a, int b)
{
    return where(b > 2, b, a);
}
launch_grid(forward, 1);
kernel void forward(const int *X, const float *F, int *Out, float *Floats)
{
    int i = arange(0, 6), x = load(X + i);
    float f = load(F + i);
    int t = reshape(x, 2, 3), at = reshape(i, 2, 3);
    store(Out + i, cumprod(x));
    store(Out + 6 + i, cumprod(x, exclusive));
    store(Out + 12 + i, cummin(x));
    store(Out + 18 + at, cumprod(t, axis(0)));
    store(Out + 24 + at, cummin(t, axis(1)));
    store(Floats + i, cumprod(f));
    store(Floats + 6 + i, cummin(f));
    store(Floats + 12 + i, cumprod(where(isnan(f), -1.0f, f), exclusive));
}
launch_grid(backward, 1);
kernel void backward(const int *X, const float *F, int *Out, float *Floats)
{
    int i = arange(0, 6), x = load(X + i);
    float f = load(F + i);
    int t = reshape(x, 2, 3), at = reshape(i, 2, 3);
    store(Out + i, cumsum(x, reverse));
    store(Out + 6 + i, cumsum(x, exclusive, reverse));
    store(Out + 12 + i, cumprod(x, reverse, exclusive));
    store(Out + 18 + i, scan(latest, x, reverse));
    store(Out + 24 + at, cummax(t, axis(0), reverse));
    store(Out + 30 + at, cumsum(t, reverse, axis(1)));
    store(Floats + i, cummax(f, reverse));
    store(Floats + 6 + i, cummin(f, reverse));
    store(Floats + 12 + i, cumprod(f, reverse));
}
---
run 1
Out i32[5,6]
3 -3 -6 -30 60 240
1 3 -3 -6 -30 60
3 -1 -1 -1 -2 -2
3 -1 2 15 2 8
3 -1 -1 5 -2 -2
Floats f32[3,6]
2 -0 -0 nan nan nan
2 -0 -0 nan nan nan
1 2 -0 -0 0 0
run 2
Out i32[6,6]
11 8 9 7 2 4
8 9 7 2 4 0
80 -80 -40 -8 4 1
3 5 5 5 4 4
5 -1 4 5 -2 4
4 1 2 7 2 4
Floats f32[3,6]
nan nan nan nan 0 -inf
nan nan nan nan -inf -inf
nan nan nan nan nan -inf
