#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; products are summed in float */
#endif

launch_grid(gemm_strided, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_strided, BLOCK_M, 64, 32);
tune(gemm_strided, BLOCK_N, 64, 32);
tune(gemm_strided, BLOCK_K, 16, 32);

/*
 * C = A B, on parts and transposes of larger arrays: element [i, j] of A is A[i a_row + j a_column],
 * and so on; strides are in elements. C does not overlap the others, and its elements do not meet.
 */
kernel void gemm_strided(const T *restrict A, const T *restrict B, T *restrict C, int M, int N,
                         int K, int a_row, int a_column, int b_row, int b_column, int c_row,
                         int c_column, constexpr int BLOCK_M, constexpr int BLOCK_N,
                         constexpr int BLOCK_K)
{
    auto a = view_strided(A, M, K, a_row, a_column);
    auto b = view_strided(B, K, N, b_row, b_column);
    auto c = view_strided(C, M, N, c_row, c_column);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    tile_store(c, m, n, acc);
}
