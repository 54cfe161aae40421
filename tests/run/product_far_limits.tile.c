// Limits of rows, columns and K, and conditions of the launch, of which one side has a place in 64 bits and
// what the product makes of both has none: each is as the comparison in the text says.
// run: :rows A=@a.npy B=@b.npy C=new:f32[2,3] m=9223372036854775807 n=9223372036854775807 d=5 --out C=c.npy
// run: :rows A=@a.npy B=@b.npy C=new:f32[2,3] m=-9223372036854775807 n=3 d=-5 --out C=c.npy
// run: :rows A=@a.npy B=@b.npy C=new:f32[2,3] m=-4 n=1 d=5 --out C=c.npy
// run: :depth A=@a.npy B=@b.npy C=new:f32[2,3] m=9223372036854775807 n=9223372036854775806 d=5 --out C=c.npy
// run: :depth A=@a.npy B=@b.npy C=new:f32[2,3] m=-4 n=0 d=5 --out C=c.npy
// run: :apart A=@a.npy B=@b.npy C=new:f32[2,3] m=5 n=3 d=-9223372036854775807 --out C=c.npy
// run: :apart A=@a.npy B=@b.npy C=new:f32[2,3] m=-5 n=3 d=9223372036854775807 --out C=c.npy
// run: :loads A=@a.npy B=@b.npy C=new:f32[2,3] m=5 n=3 d=-9223372036854775807 --out C=c.npy
// run: :loads A=@a.npy B=@b.npy C=new:f32[2,3] m=-5 n=3 d=9223372036854775807 --out C=c.npy
// run: :factors A=@a.npy B=@b.npy C=new:f32[2,3] m=4294967296 n=3 d=2147483647 --out C=c.npy
// run: :factors A=@a.npy B=@b.npy C=new:f32[2,3] m=-4294967296 n=3 d=2147483647 --out C=c.npy
// array a.npy f32[4,4]: 1 2 3 0 4 5 6 0 0 0 0 0 0 0 0 0
// array b.npy f32[4,4]: 1 0 2 0 0 3 1 0 0 2 0 0 1 3 0 0
#include <tilec/kernel.h>
#define PRODUCT(mask_a, mask_b, mask_c)                                                          \
    auto i = expand_dims(arange(0, 2), 1), j = expand_dims(arange(0, 3), 0);                      \
    float s = zeros(float, 2, 3);                                                                 \
    for (int k = 0; k < 4; k += 2) {                                                              \
        auto ak = k + expand_dims(arange(0, 2), 0), bk = k + expand_dims(arange(0, 2), 1);        \
        s = dot(load(A + i * 4 + ak, mask_a), load(B + bk * 4 + j, mask_b), s);                   \
    }                                                                                             \
    store(C + i * 3 + j, s, mask_c);

launch_grid(rows, 1);
launch_grid(depth, 1);
launch_grid(apart, 1);
launch_grid(loads, 1);
launch_grid(factors, 1);

kernel void rows(const float *restrict A, const float *restrict B, float *restrict C, long m, long n, long d)
{
    PRODUCT(true, true, i - d < m && j <= n)
}

kernel void depth(const float *restrict A, const float *restrict B, float *restrict C, long m, long n, long d)
{
    PRODUCT(ak - d < m && i <= n, bk - d < m, i <= n)
}

kernel void apart(const float *restrict A, const float *restrict B, float *restrict C, long m, long n, long d)
{
    PRODUCT(true, j < n, j < n && d > m)
}

kernel void loads(const float *restrict A, const float *restrict B, float *restrict C, long m, long n, long d)
{
    PRODUCT(d >= m, d >= m && j < n, j < n)
}

kernel void factors(const float *restrict A, const float *restrict B, float *restrict C, long m, long n, long d)
{
    PRODUCT(true, j < n, j < n && i - m * d < m * d)
}
---
run 1
C f32[2,3]
1 12 4
4 27 13
run 2
C f32[2,3]
nan nan nan
nan nan nan
run 3
C f32[2,3]
1 12 nan
nan nan nan
run 4
C f32[2,3]
1 12 4
4 27 13
run 5
C f32[2,3]
1 0 2
nan nan nan
run 6
C f32[2,3]
nan nan nan
nan nan nan
run 7
C f32[2,3]
1 12 4
4 27 13
run 8
C f32[2,3]
0 0 0
0 0 0
run 9
C f32[2,3]
1 12 4
4 27 13
run 10
C f32[2,3]
1 12 4
4 27 13
run 11
C f32[2,3]
nan nan nan
nan nan nan
