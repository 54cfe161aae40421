// The greater and the lesser of any two numbers: both zeros, infinities, NaN, what is equal, in both orders, alone
// and in vectors, as a NaN is kept or ignored.
// run: X=@x.npy Out=new:f32[4,8,8] One=new:f32[4,8,8] --out Out=out.npy --out One=one.npy
// run: X=@x.npy Out=new:f32[4,8,8] One=new:f32[4,8,8] --out Out=out.npy --out One=one.npy --cpu x86-64-v3
// run: X=@x.npy Out=new:f32[4,8,8] One=new:f32[4,8,8] --out Out=out.npy --out One=one.npy -D T=double
// run: X=@x.npy Out=new:f32[4,8,8] One=new:f32[4,8,8] --out Out=out.npy --out One=one.npy -D T=half
// array x.npy f32[8]: 0 -0 nan 1 -1 inf -inf 0.25
#include <tilec/kernel.h>
#ifndef T
#define T float
#endif
launch_grid(k, 1);
kernel void k(const float *restrict X, float *restrict Out, float *restrict One)
{
    int row = expand_dims(arange(0, 8), 1), column = expand_dims(arange(0, 8), 0), at = row * 8 + column;
    T x = cast(T, load(X + row)), y = cast(T, load(X + column));
    store(Out + at, maximum(x, y));
    store(Out + 64 + at, minimum(x, y));
    store(Out + 128 + at, fmax(x, y));
    store(Out + 192 + at, fmin(x, y));
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            T a = cast(T, X[i]), b = cast(T, X[j]);
            One[i * 8 + j] = maximum(a, b);
            One[64 + i * 8 + j] = minimum(a, b);
            One[128 + i * 8 + j] = fmax(a, b);
            One[192 + i * 8 + j] = fmin(a, b);
        }
    }
}
---
run 1
Out f32[4,8,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
nan nan nan nan nan nan nan nan
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 inf -1 0.25
inf inf nan inf inf inf inf inf
0 -0 nan 1 -1 inf -inf 0.25
0.25 0.25 nan 1 0.25 inf 0.25 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
nan nan nan nan nan nan nan nan
0 -0 nan 1 -1 1 -inf 0.25
-1 -1 nan -1 -1 -1 -inf -1
0 -0 nan 1 -1 inf -inf 0.25
-inf -inf nan -inf -inf -inf -inf -inf
0 -0 nan 0.25 -1 0.25 -inf 0.25
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 nan 1 -1 inf -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 -1 1 -1 inf -1 0.25
inf inf inf inf inf inf inf inf
0 -0 -inf 1 -1 inf -inf 0.25
0.25 0.25 0.25 1 0.25 inf 0.25 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
0 -0 nan 1 -1 inf -inf 0.25
0 -0 1 1 -1 1 -inf 0.25
-1 -1 -1 -1 -1 -1 -inf -1
0 -0 inf 1 -1 inf -inf 0.25
-inf -inf -inf -inf -inf -inf -inf -inf
0 -0 0.25 0.25 -1 0.25 -inf 0.25
One f32[4,8,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
nan nan nan nan nan nan nan nan
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 inf -1 0.25
inf inf nan inf inf inf inf inf
0 -0 nan 1 -1 inf -inf 0.25
0.25 0.25 nan 1 0.25 inf 0.25 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
nan nan nan nan nan nan nan nan
0 -0 nan 1 -1 1 -inf 0.25
-1 -1 nan -1 -1 -1 -inf -1
0 -0 nan 1 -1 inf -inf 0.25
-inf -inf nan -inf -inf -inf -inf -inf
0 -0 nan 0.25 -1 0.25 -inf 0.25
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 nan 1 -1 inf -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 -1 1 -1 inf -1 0.25
inf inf inf inf inf inf inf inf
0 -0 -inf 1 -1 inf -inf 0.25
0.25 0.25 0.25 1 0.25 inf 0.25 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
0 -0 nan 1 -1 inf -inf 0.25
0 -0 1 1 -1 1 -inf 0.25
-1 -1 -1 -1 -1 -1 -inf -1
0 -0 inf 1 -1 inf -inf 0.25
-inf -inf -inf -inf -inf -inf -inf -inf
0 -0 0.25 0.25 -1 0.25 -inf 0.25
run 2
Out f32[4,8,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
nan nan nan nan nan nan nan nan
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 inf -1 0.25
inf inf nan inf inf inf inf inf
0 -0 nan 1 -1 inf -inf 0.25
0.25 0.25 nan 1 0.25 inf 0.25 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
nan nan nan nan nan nan nan nan
0 -0 nan 1 -1 1 -inf 0.25
-1 -1 nan -1 -1 -1 -inf -1
0 -0 nan 1 -1 inf -inf 0.25
-inf -inf nan -inf -inf -inf -inf -inf
0 -0 nan 0.25 -1 0.25 -inf 0.25
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 nan 1 -1 inf -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 -1 1 -1 inf -1 0.25
inf inf inf inf inf inf inf inf
0 -0 -inf 1 -1 inf -inf 0.25
0.25 0.25 0.25 1 0.25 inf 0.25 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
0 -0 nan 1 -1 inf -inf 0.25
0 -0 1 1 -1 1 -inf 0.25
-1 -1 -1 -1 -1 -1 -inf -1
0 -0 inf 1 -1 inf -inf 0.25
-inf -inf -inf -inf -inf -inf -inf -inf
0 -0 0.25 0.25 -1 0.25 -inf 0.25
One f32[4,8,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
nan nan nan nan nan nan nan nan
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 inf -1 0.25
inf inf nan inf inf inf inf inf
0 -0 nan 1 -1 inf -inf 0.25
0.25 0.25 nan 1 0.25 inf 0.25 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
nan nan nan nan nan nan nan nan
0 -0 nan 1 -1 1 -inf 0.25
-1 -1 nan -1 -1 -1 -inf -1
0 -0 nan 1 -1 inf -inf 0.25
-inf -inf nan -inf -inf -inf -inf -inf
0 -0 nan 0.25 -1 0.25 -inf 0.25
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 nan 1 -1 inf -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 -1 1 -1 inf -1 0.25
inf inf inf inf inf inf inf inf
0 -0 -inf 1 -1 inf -inf 0.25
0.25 0.25 0.25 1 0.25 inf 0.25 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
0 -0 nan 1 -1 inf -inf 0.25
0 -0 1 1 -1 1 -inf 0.25
-1 -1 -1 -1 -1 -1 -inf -1
0 -0 inf 1 -1 inf -inf 0.25
-inf -inf -inf -inf -inf -inf -inf -inf
0 -0 0.25 0.25 -1 0.25 -inf 0.25
run 3
Out f32[4,8,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
nan nan nan nan nan nan nan nan
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 inf -1 0.25
inf inf nan inf inf inf inf inf
0 -0 nan 1 -1 inf -inf 0.25
0.25 0.25 nan 1 0.25 inf 0.25 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
nan nan nan nan nan nan nan nan
0 -0 nan 1 -1 1 -inf 0.25
-1 -1 nan -1 -1 -1 -inf -1
0 -0 nan 1 -1 inf -inf 0.25
-inf -inf nan -inf -inf -inf -inf -inf
0 -0 nan 0.25 -1 0.25 -inf 0.25
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 nan 1 -1 inf -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 -1 1 -1 inf -1 0.25
inf inf inf inf inf inf inf inf
0 -0 -inf 1 -1 inf -inf 0.25
0.25 0.25 0.25 1 0.25 inf 0.25 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
0 -0 nan 1 -1 inf -inf 0.25
0 -0 1 1 -1 1 -inf 0.25
-1 -1 -1 -1 -1 -1 -inf -1
0 -0 inf 1 -1 inf -inf 0.25
-inf -inf -inf -inf -inf -inf -inf -inf
0 -0 0.25 0.25 -1 0.25 -inf 0.25
One f32[4,8,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
nan nan nan nan nan nan nan nan
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 inf -1 0.25
inf inf nan inf inf inf inf inf
0 -0 nan 1 -1 inf -inf 0.25
0.25 0.25 nan 1 0.25 inf 0.25 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
nan nan nan nan nan nan nan nan
0 -0 nan 1 -1 1 -inf 0.25
-1 -1 nan -1 -1 -1 -inf -1
0 -0 nan 1 -1 inf -inf 0.25
-inf -inf nan -inf -inf -inf -inf -inf
0 -0 nan 0.25 -1 0.25 -inf 0.25
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 nan 1 -1 inf -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 -1 1 -1 inf -1 0.25
inf inf inf inf inf inf inf inf
0 -0 -inf 1 -1 inf -inf 0.25
0.25 0.25 0.25 1 0.25 inf 0.25 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
0 -0 nan 1 -1 inf -inf 0.25
0 -0 1 1 -1 1 -inf 0.25
-1 -1 -1 -1 -1 -1 -inf -1
0 -0 inf 1 -1 inf -inf 0.25
-inf -inf -inf -inf -inf -inf -inf -inf
0 -0 0.25 0.25 -1 0.25 -inf 0.25
run 4
Out f32[4,8,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
nan nan nan nan nan nan nan nan
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 inf -1 0.25
inf inf nan inf inf inf inf inf
0 -0 nan 1 -1 inf -inf 0.25
0.25 0.25 nan 1 0.25 inf 0.25 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
nan nan nan nan nan nan nan nan
0 -0 nan 1 -1 1 -inf 0.25
-1 -1 nan -1 -1 -1 -inf -1
0 -0 nan 1 -1 inf -inf 0.25
-inf -inf nan -inf -inf -inf -inf -inf
0 -0 nan 0.25 -1 0.25 -inf 0.25
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 nan 1 -1 inf -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 -1 1 -1 inf -1 0.25
inf inf inf inf inf inf inf inf
0 -0 -inf 1 -1 inf -inf 0.25
0.25 0.25 0.25 1 0.25 inf 0.25 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
0 -0 nan 1 -1 inf -inf 0.25
0 -0 1 1 -1 1 -inf 0.25
-1 -1 -1 -1 -1 -1 -inf -1
0 -0 inf 1 -1 inf -inf 0.25
-inf -inf -inf -inf -inf -inf -inf -inf
0 -0 0.25 0.25 -1 0.25 -inf 0.25
One f32[4,8,8]
0 0 nan 1 0 inf 0 0.25
0 -0 nan 1 -0 inf -0 0.25
nan nan nan nan nan nan nan nan
1 1 nan 1 1 inf 1 1
0 -0 nan 1 -1 inf -1 0.25
inf inf nan inf inf inf inf inf
0 -0 nan 1 -1 inf -inf 0.25
0.25 0.25 nan 1 0.25 inf 0.25 0.25
0 -0 nan 0 -1 0 -inf 0
-0 -0 nan -0 -1 -0 -inf -0
nan nan nan nan nan nan nan nan
0 -0 nan 1 -1 1 -inf 0.25
-1 -1 nan -1 -1 -1 -inf -1
0 -0 nan 1 -1 inf -inf 0.25
-inf -inf nan -inf -inf -inf -inf -inf
0 -0 nan 0.25 -1 0.25 -inf 0.25
0 0 0 1 0 inf 0 0.25
0 -0 -0 1 -0 inf -0 0.25
0 -0 nan 1 -1 inf -inf 0.25
1 1 1 1 1 inf 1 1
0 -0 -1 1 -1 inf -1 0.25
inf inf inf inf inf inf inf inf
0 -0 -inf 1 -1 inf -inf 0.25
0.25 0.25 0.25 1 0.25 inf 0.25 0.25
0 -0 0 0 -1 0 -inf 0
-0 -0 -0 -0 -1 -0 -inf -0
0 -0 nan 1 -1 inf -inf 0.25
0 -0 1 1 -1 1 -inf 0.25
-1 -1 -1 -1 -1 -1 -inf -1
0 -0 inf 1 -1 inf -inf 0.25
-inf -inf -inf -inf -inf -inf -inf -inf
0 -0 0.25 0.25 -1 0.25 -inf 0.25
