#include <tilec/kernel.h>

/*
 * Products of 8-bit integers, summed exactly (modulo 2^32). A is [M, K], B is [K, N], the result is
 * [M, N], all row-major; the result does not overlap the others. One program per tile of it.
 */

launch_grid(gemm_int8, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_int8, BLOCK_M, 64, 32);
tune(gemm_int8, BLOCK_N, 64, 32);
tune(gemm_int8, BLOCK_K, 64, 32);

/* C = A B */
kernel void gemm_int8(const int8_t *restrict A, const int8_t *restrict B, int *restrict C, int M,
                      int N, int K, constexpr int BLOCK_M, constexpr int BLOCK_N,
                      constexpr int BLOCK_K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    int32_t acc = zeros(int32_t, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    tile_store(view(C, M, N), m, n, acc);
}

launch_grid(gemm_int8_scaled, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_int8_scaled, BLOCK_M, 64, 32);
tune(gemm_int8_scaled, BLOCK_N, 64, 32);
tune(gemm_int8_scaled, BLOCK_K, 64, 32);

/* Out[i, j] = Row[i] Column[j] (A B)[i, j] + Bias[j]: the product of two quantised matrices. */
kernel void gemm_int8_scaled(const int8_t *restrict A, const int8_t *restrict B,
                             const float *restrict Row, const float *restrict Column,
                             const float *restrict Bias, float *restrict Out, int M, int N, int K,
                             constexpr int BLOCK_M, constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    int32_t acc = zeros(int32_t, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    float row = expand_dims(tile_load(view(Row, M), m, BLOCK_M), 1);
    float column = expand_dims(tile_load(view(Column, N), n, BLOCK_N), 0);
    float bias = expand_dims(tile_load(view(Bias, N), n, BLOCK_N), 0);
    tile_store(view(Out, M, N), m, n, row * column * (float)acc + bias);
}
