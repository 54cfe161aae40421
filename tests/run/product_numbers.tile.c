// Blocks of a product by a quotient and a remainder of one number: of what is below zero, and of far more.
// run: :rows A=@a.npy B=@b.npy C=new:f32[4,4] d=-2 --grid 4 --out C=c.npy
// run: :rows A=@a.npy B=@b.npy C=new:f32[4,4] d=9223372036854775806 --grid 2 --out C=c.npy
// run: :columns A=@a.npy B=@b.npy C=new:f32[4,4] d=-1 --grid 4 --out C=c.npy
// run: :columns A=@a.npy B=@b.npy C=new:f32[4,4] d=9223372036854775806 --grid 2 --out C=c.npy
// array a.npy f32[4,2]: 1 2 3 4 5 6 7 8
// array b.npy f32[2,4]: 1 0 2 3 1 0 5 4
#include <tilec/kernel.h>
static void block(const float *A, const float *B, float *C, auto row, auto column)
{
    float a = tile_load(view(A, 4, 2), row, 0, 2, 2), b = tile_load(view(B, 2, 4), 0, column, 2, 2);
    tile_store(view(C, 4, 4), row, column, dot(a, b));
}
kernel void rows(const float *restrict A, const float *restrict B, float *restrict C, long d)
{
    auto n = program_id(0);
    block(A, B, C, n / d * 2, n % d * 2);
}
kernel void columns(const float *restrict A, const float *restrict B, float *restrict C, long d)
{
    auto n = program_id(0);
    block(A, B, C, n % d * 2, n / d * 2);
}
---
run 1
C f32[4,4]
3 0 12 11
7 0 26 25
nan nan nan nan
nan nan nan nan
run 2
C f32[4,4]
3 0 12 11
7 0 26 25
nan nan nan nan
nan nan nan nan
run 3
C f32[4,4]
3 0 nan nan
7 0 nan nan
nan nan nan nan
nan nan nan nan
run 4
C f32[4,4]
3 0 nan nan
7 0 nan nan
11 0 nan nan
15 0 nan nan
