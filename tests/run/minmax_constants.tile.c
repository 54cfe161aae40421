// The greater and the lesser of a number and a constant: of both zeros, infinities, NaN, what is equal,
// and the least numbers, in the order of the operands and in the other, for every type of floats.
// run: X=@x.npy Out=new:f32[16,8] --out Out=out.npy
// run: X=@x.npy Out=new:f32[16,8] --out Out=out.npy -D T=double
// run: X=@x.npy Out=new:f32[16,8] --out Out=out.npy -D T=half
// run: X=@x.npy Out=new:f32[16,8] --out Out=out.npy -D T=bfloat
// array x.npy f32[8]: 0 -0 nan 1 -1 inf -inf 0.25
#include <tilec/kernel.h>
#ifndef T
#define T float
#endif
launch_grid(k, 1);
kernel void k(const float *restrict X, float *restrict Out)
{
    int i = arange(0, 8);
    T x = cast(T, load(X + i)), zero = 0.0, negative = -0.0, one = 1.0, far = -INFINITY;
    store(Out + i, maximum(x, zero));
    store(Out + 8 + i, maximum(negative, x));
    store(Out + 16 + i, minimum(x, zero));
    store(Out + 24 + i, minimum(negative, x));
    store(Out + 32 + i, fmax(x, zero));
    store(Out + 40 + i, fmax(negative, x));
    store(Out + 48 + i, fmin(x, zero));
    store(Out + 56 + i, fmin(negative, x));
    store(Out + 64 + i, maximum(x, one));
    store(Out + 72 + i, minimum(one, x));
    store(Out + 80 + i, fmax(one, x));
    store(Out + 88 + i, fmin(x, one));
    store(Out + 96 + i, fmin(fmax(x, -one), one));
    store(Out + 104 + i, maximum(x, far));
    store(Out + 112 + i, fmin(x, -far));
    store(Out + 120 + i, minimum(maximum(-x, negative), one));
}
---
run 1
Out f32[16,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 1 -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 1 1 -1 1 -inf 0.25
0 -0 -1 1 -1 1 -1 0.25
0 -0 nan 1 -1 inf -inf 0.25
0 -0 inf 1 -1 inf -inf 0.25
-0 0 nan -0 1 -0 1 -0
run 2
Out f32[16,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 1 -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 1 1 -1 1 -inf 0.25
0 -0 -1 1 -1 1 -1 0.25
0 -0 nan 1 -1 inf -inf 0.25
0 -0 inf 1 -1 inf -inf 0.25
-0 0 nan -0 1 -0 1 -0
run 3
Out f32[16,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 1 -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 1 1 -1 1 -inf 0.25
0 -0 -1 1 -1 1 -1 0.25
0 -0 nan 1 -1 inf -inf 0.25
0 -0 inf 1 -1 inf -inf 0.25
-0 0 nan -0 1 -0 1 -0
run 4
Out f32[16,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 1 -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 1 1 -1 1 -inf 0.25
0 -0 -1 1 -1 1 -1 0.25
0 -0 nan 1 -1 inf -inf 0.25
0 -0 inf 1 -1 inf -inf 0.25
-0 0 nan -0 1 -0 1 -0
