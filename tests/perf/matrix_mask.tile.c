#include <tilec/kernel.h>
launch_grid(f, cdiv(M, 16), cdiv(N, 16));
kernel void f(const float *restrict A, const float *restrict B, float *restrict C, int M, int N, int K)
{
    int m = expand_dims(program_id(0) * 16 + arange(0, 16), 1);
    int n = expand_dims(program_id(1) * 16 + arange(0, 16), 0);
    float acc = zeros(float, 16, 16);
    for (int k = 0; k < K; k += 8) {
        int i = k + expand_dims(arange(0, 8), 0), j = k + expand_dims(arange(0, 8), 1);
        acc += dot(load(A + m * K + i, m < M && i != 3), load(B + j * N + n, n < N && j < K));
    }
    store(C + m * N + n, acc, m < M && n < N);
}
---
matrix_mask.tile.c:10:20: perf: the products of 'f' run one program at a time: a mask is not a limit of rows, columns or K
        acc += dot(load(A + m * K + i, m < M && i != 3), load(B + j * N + n, n < N && j < K));
                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: docs/matrix.md says which kernels run as one matrix product
