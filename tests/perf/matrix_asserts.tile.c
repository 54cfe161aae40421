#include <tilec/kernel.h>
launch_grid(f, cdiv(M, 16), cdiv(N, 16));
kernel void f(const float *restrict A, const float *restrict B, float *restrict C, int M, int N, int K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    int m = program_id(0) * 16, n = program_id(1) * 16;
    float acc = zeros(float, 16, 16);
    for (int k = 0; k < K; k += 8)
        acc = dot(tile_load(a, m, k, 16, 8), tile_load(b, k, n, 8, 16), acc);
    tile_assert(acc == acc, "no NaN");
    tile_store(view(C, M, N), m, n, acc);
}
---
matrix_asserts.tile.c:11:5: perf: the products of 'f' run one program at a time: the kernel asserts or prints something
    tile_assert(acc == acc, "no NaN");
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: docs/matrix.md says which kernels run as one matrix product
