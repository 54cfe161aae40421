#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; products are summed in float */
#endif

/*
 * C = A B for a long K and a small C: the sum over K is cut into parts that run side by side, and a
 * second kernel adds them, in order, so that the result does not depend on who was first. A is
 * [M, K], B is [K, N], C is [M, N], Parts is [parts, M, N], all row-major; none overlap.
 */

launch_grid(gemm_split_k, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N), cdiv(K, PART));
tune(gemm_split_k, BLOCK_M, 64, 32);
tune(gemm_split_k, BLOCK_N, 64, 32);
tune(gemm_split_k, BLOCK_K, 16, 32);
tune(gemm_split_k, PART, 1024, 4096);

/* Parts[i] = A[:, i PART ..] B[i PART .., :] for i < cdiv(K, PART) */
kernel void gemm_split_k(const T *restrict A, const T *restrict B, float *restrict Parts, int M,
                         int N, int K, constexpr int BLOCK_M, constexpr int BLOCK_N,
                         constexpr int BLOCK_K, constexpr int PART)
{
    static_require(PART % BLOCK_K == 0, "PART must be a multiple of BLOCK_K");
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    int part = program_id(2);
    int end = minimum(K, (part + 1) * PART);
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = part * PART; k < end; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    tile_store(view(Parts, num_programs(2), M, N), part, m, n, acc);
}

launch_grid(gemm_split_k_sum, cdiv(M * N, BLOCK));
tune(gemm_split_k_sum, BLOCK, 1024, 4096);

/* C = Parts[0] + Parts[1] + ... */
kernel void gemm_split_k_sum(const float *restrict Parts, T *restrict C, int M, int N, int parts,
                             constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float total = zeros(float, BLOCK);
    for (int part = 0; part < parts; part++)
        total += load(Parts + part * (M * N) + i, i < M * N);
    store(C + i, total, i < M * N);
}
