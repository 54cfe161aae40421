#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; products are summed in float */
#endif

launch_grid(gemm_pointers, cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N));
tune(gemm_pointers, BLOCK_M, 64, 32);
tune(gemm_pointers, BLOCK_N, 64, 32);
tune(gemm_pointers, BLOCK_K, 16, 32);

/*
 * C = A B with pointers and masks, as kernels for Triton are written: tiles of addresses move along
 * K, and a one-dimensional grid is taken apart. Strides are in elements.
 */
kernel void gemm_pointers(const T *restrict A, const T *restrict B, T *restrict C, int M, int N,
                          int K, int a_row, int a_column, int b_row, int b_column, int c_row,
                          int c_column, constexpr int BLOCK_M, constexpr int BLOCK_N,
                          constexpr int BLOCK_K)
{
    int tiles = cdiv(N, BLOCK_N);
    int m = program_id(0) / tiles * BLOCK_M + arange(0, BLOCK_M);
    int n = program_id(0) % tiles * BLOCK_N + arange(0, BLOCK_N);
    int k = arange(0, BLOCK_K);
    auto a = A + expand_dims(m, 1) * a_row + expand_dims(k, 0) * a_column;
    auto b = B + expand_dims(k, 1) * b_row + expand_dims(n, 0) * b_column;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int i = 0; i < cdiv(K, BLOCK_K); i++) {
        int left = K - i * BLOCK_K;
        T x = load(a, expand_dims(m, 1) < M && expand_dims(k, 0) < left);
        T y = load(b, expand_dims(k, 1) < left && expand_dims(n, 0) < N);
        acc += dot(x, y);
        a += BLOCK_K * a_column;
        b += BLOCK_K * b_row;
    }
    auto c = C + expand_dims(m, 1) * c_row + expand_dims(n, 0) * c_column;
    store(c, acc, expand_dims(m, 1) < M && expand_dims(n, 0) < N);
}
