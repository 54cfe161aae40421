// NaN anywhere gives NaN, zeros keep their order, and the upper limit has the last word.
// devices: interp cpu msl-host
// run: X=@x.npy Out=new:f32[5,8] Ints=new:i32[2,8] --out Out=out.npy --out Ints=i.npy
// array x.npy f32[8]: 0.5 -3 7 nan inf -inf -0 0
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const float *X, float *Out, int *Ints)
{
    int i = arange(0, 8);
    float x = load(X + i);
    store(Out + i, clamp(x, -1, 1));
    store(Out + 8 + i, clamp(x, 0.0f, -0.0f));
    store(Out + 16 + i, clamp(x, NAN, 1));
    store(Out + 24 + i, clamp(x, 2, 1));
    store(Out + 32 + i, clamp(0, x, 5));
    store(Ints + i, clamp(i * 3 - 5, -2, 9));
    store(Ints + 8 + i, clamp((unsigned)i, 2u, 4u));
}
---
run 1
Out f32[5,8]
0.5 -1 1 nan 1 -1 -0 0
-0 -0 -0 nan -0 -0 -0 -0
nan nan nan nan nan nan nan nan
1 1 1 nan 1 1 1 1
0.5 0 5 nan 5 0 0 0
Ints i32[2,8]
-2 -2 1 4 7 9 9 9
2 2 2 3 4 4 4 4
