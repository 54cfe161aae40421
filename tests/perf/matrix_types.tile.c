#include <tilec/kernel.h>
launch_grid(f, cdiv(M, 16), cdiv(N, 16));
kernel void f(const float *restrict A, const half *restrict X, const float *restrict B,
              const half *restrict Y, float *restrict C, int M, int N, int K)
{
    int m = program_id(0) * 16, n = program_id(1) * 16;
    float acc = zeros(float, 16, 16);
    for (int k = 0; k < K; k += 8) {
        acc = dot(tile_load(view(A, M, K), m, k, 16, 8), tile_load(view(B, K, N), k, n, 8, 16), acc);
        acc = dot(tile_load(view(X, M, K), m, k, 16, 8), tile_load(view(Y, K, N), k, n, 8, 16), acc);
    }
    tile_store(view(C, M, N), m, n, acc);
}
---
matrix_types.tile.c:9:15: perf: the products of 'f' run one program at a time: its dots have operands of different types
        acc = dot(tile_load(view(A, M, K), m, k, 16, 8), tile_load(view(B, K, N), k, n, 8, 16), acc);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: docs/matrix.md says which kernels run as one matrix product
