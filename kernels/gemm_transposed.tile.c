#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; products are summed in float */
#endif

/*
 * Matrix products with transposed operands, which are transposed as they are read. C is [M, N],
 * row-major, and does not overlap the others. One program per tile of C. K = 0 gives zeros. The
 * result is rounded once, to the storage type.
 */

launch_grid(gemm_nt, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_nt, BLOCK_M, 64, 32);
tune(gemm_nt, BLOCK_N, 64, 32);
tune(gemm_nt, BLOCK_K, 16, 32);

/* C = A B^T. A is [M, K], B is [N, K], as the weights of a linear layer are stored. */
kernel void gemm_nt(const T *restrict A, const T *restrict B, T *restrict C, int M, int N, int K,
                    constexpr int BLOCK_M, constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view(A, M, K);
    auto b = view(B, N, K);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K),
                  trans(tile_load(b, n, k, BLOCK_N, BLOCK_K)), acc);
    tile_store(view(C, M, N), m, n, acc);
}

launch_grid(gemm_tn, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_tn, BLOCK_M, 64, 32);
tune(gemm_tn, BLOCK_N, 64, 32);
tune(gemm_tn, BLOCK_K, 16, 32);

/* C = A^T B. A is [K, M], B is [K, N], as in the gradient of a linear layer's weights. */
kernel void gemm_tn(const T *restrict A, const T *restrict B, T *restrict C, int M, int N, int K,
                    constexpr int BLOCK_M, constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view(A, K, M);
    auto b = view(B, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(trans(tile_load(a, k, m, BLOCK_K, BLOCK_M)),
                  tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    tile_store(view(C, M, N), m, n, acc);
}

launch_grid(gemm_tt, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_tt, BLOCK_M, 64, 32);
tune(gemm_tt, BLOCK_N, 64, 32);
tune(gemm_tt, BLOCK_K, 16, 32);

/* C = A^T B^T. A is [K, M], B is [N, K]. */
kernel void gemm_tt(const T *restrict A, const T *restrict B, T *restrict C, int M, int N, int K,
                    constexpr int BLOCK_M, constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view_strided(A, M, K, 1, M); /* the transposes, as views */
    auto b = view_strided(B, K, N, 1, K);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    tile_store(view(C, M, N), m, n, acc);
}
