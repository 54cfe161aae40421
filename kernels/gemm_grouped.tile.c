#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; products are summed in float */
#endif

launch_grid(gemm_grouped, cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N));
tune(gemm_grouped, BLOCK_M, 64, 32);
tune(gemm_grouped, BLOCK_N, 64, 32);
tune(gemm_grouped, BLOCK_K, 16, 32);
tune(gemm_grouped, GROUP, 8, 4);

/*
 * C = A B as Triton's tutorial writes it: programs in groups of GROUP rows of blocks, so that
 * neighbours share what they load; addresses of rows and columns beyond the matrices wrap around
 * instead of being masked. Strides are in elements.
 */
kernel void gemm_grouped(const T *restrict A, const T *restrict B, T *restrict C, int M, int N,
                         int K, int a_row, int a_column, int b_row, int b_column, int c_row,
                         int c_column, constexpr int BLOCK_M, constexpr int BLOCK_N,
                         constexpr int BLOCK_K, constexpr int GROUP)
{
    int pid = program_id(0);
    int blocks_m = cdiv(M, BLOCK_M);
    int blocks_n = cdiv(N, BLOCK_N);
    int in_group = GROUP * blocks_n;
    int first = pid / in_group * GROUP;
    int height = minimum(blocks_m - first, GROUP);
    int block_m = first + pid % in_group % height;
    int block_n = pid % in_group / height;
    int row = (block_m * BLOCK_M + arange(0, BLOCK_M)) % M;
    int column = (block_n * BLOCK_N + arange(0, BLOCK_N)) % N;
    int k = arange(0, BLOCK_K);
    auto a = A + (expand_dims(row, 1) * a_row + expand_dims(k, 0) * a_column);
    auto b = B + (expand_dims(k, 1) * b_row + expand_dims(column, 0) * b_column);
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int i = 0; i < cdiv(K, BLOCK_K); i++) {
        T x = load(a, expand_dims(k, 0) < K - i * BLOCK_K);
        T y = load(b, expand_dims(k, 1) < K - i * BLOCK_K);
        acc += dot(x, y);
        a += BLOCK_K * a_column;
        b += BLOCK_K * b_row;
    }
    int m = expand_dims(block_m * BLOCK_M + arange(0, BLOCK_M), 1);
    int n = expand_dims(block_n * BLOCK_N + arange(0, BLOCK_N), 0);
    store(C + m * c_row + n * c_column, acc, m < M && n < N);
}
