// Blocks of a product whose numbers are below zero and still somewhere, and groups that no two batches share.
// run: :below A=@a.npy B=@b.npy C=new:f32[4,4] d=-2 --grid 4 --out C=c.npy
// run: :below A=@a.npy B=@b.npy C=new:f32[4,4] d=2 --grid 2 --out C=c.npy
// run: :groups A=@a.npy B=@b.npy C=new:f32[2,4,2] N=1 --grid 2,2 --out C=c.npy
// array a.npy f32[4,2]: 1 2 3 4 5 6 7 8
// array b.npy f32[2,4]: 1 0 2 3 1 0 5 4
#include <tilec/kernel.h>
kernel void below(const float *restrict A, const float *restrict B, float *restrict C, long d)
{
    auto n = program_id(0);
    auto i = n / d * 2 + expand_dims(arange(0, 2), 1), j = n % d * 2 + expand_dims(arange(0, 2), 0);
    auto k = arange(0, 2);
    float a = load(A + 4 + i * 2 + expand_dims(k, 0)), b = load(B + expand_dims(k, 1) * 4 + j);
    store(C + 8 + i * 4 + j, dot(a, b));
}
/* The second batch has one row of blocks, and so twice as many programs as blocks. */
kernel void groups(const float *restrict A, const float *restrict B, float *restrict C, int N)
{
    auto n = program_id(0), z = program_id(1);
    auto rows = 2 - z;
    auto first = n / (2 * N) * 2, height = minimum(rows - first, 2);
    auto x = first + n % (2 * N) % height, y = n % (2 * N) / height;
    auto a = tile_load(view(A, 4, 2), x * 2, 0, 2, 2), b = tile_load(view(B, 2, 4), 0, y * 2, 2, 2);
    tile_store(view(C, 2, 4, 2), z, x * 2, y * 2, dot(a, b));
}
---
run 1
C f32[4,4]
3 0 12 11
7 0 26 25
11 0 40 39
15 0 54 53
run 2
C f32[4,4]
nan nan nan nan
nan nan nan nan
11 0 40 39
15 0 54 53
run 3
C f32[2,4,2]
3 0
7 0
11 0
15 0
3 0
7 0
nan nan
nan nan
