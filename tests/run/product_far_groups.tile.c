// Groups of so many blocks that their number is that of the launch's programs modulo 2^64: not each has one.
// run: A=@a.npy B=@b.npy C=new:f32[8,4] m=8198552921648689608 n=36 --grid 2 --out C=c.npy
// run: A=@a.npy B=@b.npy C=new:f32[8,4] m=8 n=4 --grid 2 --out C=c.npy
// array a.npy f32[8,2]: 1 2 3 4
// array b.npy f32[2,4]: 1 0 2 0 3
#include <tilec/kernel.h>
kernel void f(const float *restrict A, const float *restrict B, float *restrict C, long m, long n)
{
    auto rows = cdiv(m, 4), columns = cdiv(n, 4), per = 2 * columns;
    auto first = program_id(0) / per * 2, high = minimum(rows - first, 2);
    auto x = first + program_id(0) % per % high, y = program_id(0) % per / high;
    auto i = x * 4 + expand_dims(arange(0, 4), 1), j = y * 4 + expand_dims(arange(0, 4), 0);
    auto k = arange(0, 2);
    float s = dot(load(A + i * 2 + expand_dims(k, 0), i < m),
                  load(B + expand_dims(k, 1) * 4 + j, j < n));
    store(C + i * 4 + j, s, i < m && j < n);
}
---
run 1
C f32[8,4]
7 2 2 4
15 4 6 8
7 2 2 4
15 4 6 8
7 2 2 4
15 4 6 8
7 2 2 4
15 4 6 8
run 2
C f32[8,4]
7 2 2 4
15 4 6 8
7 2 2 4
15 4 6 8
7 2 2 4
15 4 6 8
7 2 2 4
15 4 6 8
