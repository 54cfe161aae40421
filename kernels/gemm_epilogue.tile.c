#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

/*
 * Matrix products with work on the result while it is in registers. A is [M, K], B is [K, N], Out
 * and Residual are [M, N], all row-major, Bias is [N]; Out does not overlap the others. One program
 * per tile of Out. The result is rounded once, to the storage type.
 */

launch_grid(gemm_bias, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_bias, BLOCK_M, 64, 32);
tune(gemm_bias, BLOCK_N, 64, 32);
tune(gemm_bias, BLOCK_K, 16, 32);

/* Out = A B + Bias */
kernel void gemm_bias(const T *restrict A, const T *restrict B, const T *restrict Bias,
                      T *restrict Out, int M, int N, int K, constexpr int BLOCK_M,
                      constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    float bias = tile_load(view(Bias, N), n, BLOCK_N);
    tile_store(view(Out, M, N), m, n, acc + expand_dims(bias, 0));
}

launch_grid(gemm_bias_relu, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_bias_relu, BLOCK_M, 64, 32);
tune(gemm_bias_relu, BLOCK_N, 64, 32);
tune(gemm_bias_relu, BLOCK_K, 16, 32);

/* Out = max(A B + Bias, 0) */
kernel void gemm_bias_relu(const T *restrict A, const T *restrict B, const T *restrict Bias,
                           T *restrict Out, int M, int N, int K, constexpr int BLOCK_M,
                           constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    float bias = tile_load(view(Bias, N), n, BLOCK_N);
    tile_store(view(Out, M, N), m, n, maximum(acc + expand_dims(bias, 0), 0.0f));
}

launch_grid(gemm_bias_gelu, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_bias_gelu, BLOCK_M, 64, 32);
tune(gemm_bias_gelu, BLOCK_N, 64, 32);
tune(gemm_bias_gelu, BLOCK_K, 16, 32);

/* Out = gelu(A B + Bias), with gelu(x) = x/2 (1 + erf(x / sqrt 2)) */
kernel void gemm_bias_gelu(const T *restrict A, const T *restrict B, const T *restrict Bias,
                           T *restrict Out, int M, int N, int K, constexpr int BLOCK_M,
                           constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    float bias = tile_load(view(Bias, N), n, BLOCK_N);
    float x = acc + expand_dims(bias, 0);
    tile_store(view(Out, M, N), m, n, 0.5f * x * (1.0f + erf(x * 0.70710678118654752f)));
}

launch_grid(gemm_residual, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_residual, BLOCK_M, 64, 32);
tune(gemm_residual, BLOCK_N, 64, 32);
tune(gemm_residual, BLOCK_K, 16, 32);

/* Out = alpha A B + beta Residual */
kernel void gemm_residual(const T *restrict A, const T *restrict B, const T *restrict Residual,
                          T *restrict Out, int M, int N, int K, float alpha, float beta,
                          constexpr int BLOCK_M, constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    float residual = tile_load(view(Residual, M, N), m, n, BLOCK_M, BLOCK_N);
    tile_store(view(Out, M, N), m, n, alpha * acc + beta * residual);
}

launch_grid(gemm_scaled, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_scaled, BLOCK_M, 64, 32);
tune(gemm_scaled, BLOCK_N, 64, 32);
tune(gemm_scaled, BLOCK_K, 16, 32);

/* Out[i, j] = silu(Row[i] (A B)[i, j] Column[j]): scales per row and column, then an activation. */
kernel void gemm_scaled(const T *restrict A, const T *restrict B, const float *restrict Row,
                        const float *restrict Column, T *restrict Out, int M, int N, int K,
                        constexpr int BLOCK_M, constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    float row = tile_load(view(Row, M), m, BLOCK_M);
    float column = tile_load(view(Column, N), n, BLOCK_N);
    float x = acc * expand_dims(row, 1) * expand_dims(column, 0);
    tile_store(view(Out, M, N), m, n, x * sigmoid(x));
}
