// Rows and columns that are taken modulo a limit: what a store's own mask says of them limits nothing.
// run: :rows A=@a.npy B=@b.npy C=new:f32[8,3] m=3 n=3 --grid 2 --out C=c.npy
// run: :columns A=@a.npy B=@b.npy C=new:f32[3,8] m=3 n=3 --grid 1,2 --out C=c.npy
// run: :inputs A=@a.npy B=@b.npy C=new:f32[3,3] m=3 n=3 --grid 2,2 --out C=c.npy
// array a.npy f32[3,2]: 1 2 3 4 5 6
// array b.npy f32[2,3]: 1 0 2 3 1 0
#include <tilec/kernel.h>
static auto product(const float *A, const float *B, auto row, auto column, auto n)
{
    auto k = arange(0, 2);
    float a = load(A + expand_dims(row, 1) * 2 + expand_dims(k, 0));
    return dot(a, load(B + expand_dims(k, 1) * n + expand_dims(column, 0)));
}
kernel void rows(const float *restrict A, const float *restrict B, float *restrict C, int m, int n)
{
    auto row = program_id(0) * 4 + arange(0, 4), column = arange(0, 3);
    float c = product(A, B, row % m, column, n);
    store(C + expand_dims(row, 1) * n + expand_dims(column, 0), c, expand_dims(row % m, 1) < m);
}
kernel void columns(const float *restrict A, const float *restrict B, float *restrict C, int m, int n)
{
    auto row = arange(0, 3), column = program_id(1) * 4 + arange(0, 4);
    float c = product(A, B, row, column % n, n);
    store(C + expand_dims(row, 1) * 8 + expand_dims(column, 0), c, expand_dims(column % n, 0) < n);
}
kernel void inputs(const float *restrict A, const float *restrict B, float *restrict C, int m, int n)
{
    auto row = program_id(0) * 2 + arange(0, 2), column = program_id(1) * 2 + arange(0, 2);
    float c = product(A, B, row % m, column % n, n);
    auto i = expand_dims(row, 1), j = expand_dims(column, 0);
    store(C + i * n + j, c, i < m && j < n);
}
---
run 1
C f32[8,3]
7 2 2
15 4 6
23 6 10
7 2 2
15 4 6
23 6 10
7 2 2
15 4 6
run 2
C f32[3,8]
7 2 2 7 2 2 7 2
15 4 6 15 4 6 15 4
23 6 10 23 6 10 23 6
run 3
C f32[3,3]
7 2 2
15 4 6
23 6 10
