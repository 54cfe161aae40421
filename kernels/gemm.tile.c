#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; products are summed in float */
#endif

launch_grid(gemm, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm, BLOCK_M, 64, 32);
tune(gemm, BLOCK_N, 64, 32);
tune(gemm, BLOCK_K, 16, 32);

/*
 * C = A B. A is [M, K], B is [K, N], C is [M, N], all row-major; C does not overlap the others.
 * One program per tile of C. K = 0 gives zeros. The result is rounded once, to the storage type.
 */
kernel void gemm(const T *restrict A, const T *restrict B, T *restrict C, int M, int N, int K,
                 constexpr int BLOCK_M, constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    auto c = view(C, M, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    tile_store(c, m, n, acc);
}
