#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; products are summed in float */
#endif

launch_grid(gemm_batched, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N), batch);
tune(gemm_batched, BLOCK_M, 64, 32);
tune(gemm_batched, BLOCK_N, 64, 32);
tune(gemm_batched, BLOCK_K, 16, 32);

/*
 * C[i] = A[i] B[i] for i < batch. A is [batch, M, K], B is [batch, K, N], C is [batch, M, N], all
 * row-major; C does not overlap the others. The result is rounded once, to the storage type.
 */
kernel void gemm_batched(const T *restrict A, const T *restrict B, T *restrict C, int batch, int M,
                         int N, int K, constexpr int BLOCK_M, constexpr int BLOCK_N,
                         constexpr int BLOCK_K)
{
    auto a = view(A, batch, M, K);
    auto b = view(B, batch, K, N);
    auto c = view(C, batch, M, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    int i = program_id(2);
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, i, m, k, BLOCK_M, BLOCK_K),
                  tile_load(b, i, k, n, BLOCK_K, BLOCK_N), acc);
    tile_store(c, i, m, n, acc);
}
