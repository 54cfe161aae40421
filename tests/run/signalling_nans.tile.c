// fmax and fmin ignore every NaN, whether it was loaded (the first two are signalling), computed, negated,
// chosen or converted, on either side, and also where an operand is computed by 1 or 0.
// run: :k X=@x.npy Y=@y.npy Out=new:f32[10,20] one=1 --grid 1 --out Out=out.npy
// run: :d X=@dx.npy Y=@dy.npy Out=new:f64[4,20] --grid 1 --out Out=out.npy
// run: :h X=@hx.npy Y=@hy.npy Out=new:f16[2,20] --grid 1 --out Out=out.npy
// array x.npy f32[20]: bits:0x7f800001 bits:0xffa00000 bits:0x7fc00000 1 2 -0 0 inf -inf bits:0x7f800001 5 6 7 -0 9 10 bits:0x7f900000 -12 13 nan
// array y.npy f32[20]: 1 2 3 bits:0x7f800001 bits:0xff800010 0 -0 -inf inf 4 -5 bits:0x7fc00001 7 0 nan -1 2 3 -4 7
// array dx.npy f64[20]: bits:0x7ff0000000000001 bits:0xfff4000000000000 nan 1 2 -0 0 inf -inf bits:0x7ff0000000000001 5 6 7 -0 9 10 11 -12 13 nan
// array dy.npy f64[20]: 1 2 3 bits:0x7ff0000000000001 bits:0xfff0000000000010 0 -0 -inf inf 4 -5 nan 7 0 nan -1 2 3 -4 7
// array hx.npy f16[20]: bits:0x7c01 bits:0xfd00 nan 1 2 -0 0 inf -inf bits:0x7c01 5 6 7 -0 9 10 11 -12 13 nan
// array hy.npy f16[20]: 1 2 3 bits:0x7c01 bits:0xfc10 0 -0 -inf inf 4 -5 nan 7 0 nan -1 2 3 -4 7
#include <tilec/kernel.h>
kernel void k(const float *restrict X, const float *restrict Y, float *restrict Out, float one)
{
    int i = arange(0, 20);
    float x = load(X + i), y = load(Y + i);
    store(Out + i, fmax(x, y));
    store(Out + 20 + i, fmin(x * 2.0f, y));
    store(Out + 40 + i, fmax(x, y - 3.0f));
    store(Out + 60 + i, fmin(x * 0.5f + 1.0f, y * 4.0f));
    store(Out + 80 + i, fmax(-x, abs(y)));
    store(Out + 100 + i, fmin(where(x > 0.0f, x, y), y / 2.0f));
    store(Out + 120 + i, fmax(fmin(x, y), 0.5f));
    store(Out + 140 + i, fmin(fmax(x, 0.25f), y));
    store(Out + 160 + i, fmax(x * one, y));
    store(Out + 180 + i, fmax(0.0f * y, fmin(x + 0.0f, y)));
}
kernel void d(const double *restrict X, const double *restrict Y, double *restrict Out)
{
    int i = arange(0, 20);
    double x = load(X + i), y = load(Y + i);
    store(Out + i, fmax(x, y));
    store(Out + 20 + i, fmin(x * 2.0, y));
    store(Out + 40 + i, fmin(x * 0.5 + 1.0, y * 4.0));
    store(Out + 60 + i, fmax(fmin(x, y), 0.5));
}
kernel void h(const half *restrict X, const half *restrict Y, half *restrict Out)
{
    int i = arange(0, 20);
    half x = load(X + i), y = load(Y + i);
    store(Out + i, fmax(x, y));
    store(Out + 20 + i, fmin(x * 2.0, y));
}
---
run 1
Out f32[10,20]
1 2 3 1 2 0 0 inf inf 4 5 6 7 0 9 10 2 3 13 7
1 2 3 2 4 -0 -0 -inf -inf 4 -5 12 7 -0 18 -1 2 -24 -4 7
-2 -1 0 1 2 -0 0 inf inf 1 5 6 7 -0 9 10 -1 0 13 4
4 8 12 1.5 2 0 -0 -inf -inf 16 -20 4 4.5 0 5.5 -4 8 -5 -16 28
1 2 3 -1 -2 0 0 inf inf 4 5 -6 7 0 -9 1 2 12 4 7
0.5 1 1.5 1 2 0 -0 -inf inf 2 -2.5 6 3.5 0 9 -0.5 1 1.5 -2 3.5
1 2 3 1 2 0.5 0.5 0.5 0.5 4 0.5 6 7 0.5 9 0.5 2 0.5 0.5 7
0.25 0.25 0.25 1 2 0 -0 -inf 0.25 0.25 -5 6 7 0 9 -1 0.25 0.25 -4 0.25
1 2 3 1 2 0 0 inf inf 4 5 6 7 0 9 10 2 3 13 7
1 2 3 1 2 0 -0 -inf -inf 4 -0 6 7 0 9 -0 2 0 -0 7
run 2
Out f64[4,20]
1 2 3 1 2 0 0 inf inf 4 5 6 7 0 9 10 11 3 13 7
1 2 3 2 4 -0 -0 -inf -inf 4 -5 12 7 -0 18 -1 2 -24 -4 7
4 8 12 1.5 2 0 -0 -inf -inf 16 -20 4 4.5 0 5.5 -4 6.5 -5 -16 28
1 2 3 1 2 0.5 0.5 0.5 0.5 4 0.5 6 7 0.5 9 0.5 2 0.5 0.5 7
run 3
Out f16[2,20]
1 2 3 1 2 0 0 inf inf 4 5 6 7 0 9 10 11 3 13 7
1 2 3 2 4 -0 -0 -inf -inf 4 -5 12 7 -0 18 -1 2 -24 -4 7
