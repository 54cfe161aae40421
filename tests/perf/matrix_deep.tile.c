#include <tilec/kernel.h>
launch_grid(f, cdiv(M, 16), cdiv(N, 16));
#define TWICE(x) minimum(x, maximum(x, 1) - 1)
kernel void f(const float *restrict A, const float *restrict B, float *restrict C, int M, int N, int K)
{
    int m = program_id(0) * 16, n = program_id(1) * 16;
    int s1 = TWICE(K), s2 = TWICE(s1), s3 = TWICE(s2), s4 = TWICE(s3), s5 = TWICE(s4), s6 = TWICE(s5);
    int s7 = TWICE(s6), s8 = TWICE(s7), s9 = TWICE(s8), t1 = TWICE(s9), t2 = TWICE(t1), t3 = TWICE(t2);
    int t4 = TWICE(t3), t5 = TWICE(t4), t6 = TWICE(t5), t7 = TWICE(t6), t8 = TWICE(t7), t9 = TWICE(t8);
    int u1 = TWICE(t9), u2 = TWICE(u1), u3 = TWICE(u2), u4 = TWICE(u3), u5 = TWICE(u4), u6 = TWICE(u5);
    int u7 = TWICE(u6), u8 = TWICE(u7), u9 = TWICE(u8), v1 = TWICE(u9), v2 = TWICE(v1), v3 = TWICE(v2);
    float acc = zeros(float, 16, 16);
    for (int k = 0; k < K; k += 8)
        acc += dot(tile_load(view(A, M, K), m, k, 16, 8), tile_load(view(B, K, N), k, n, 8, 16));
    tile_store(view_strided(C, M, N, v3, 1), m, n, acc);
}
---
matrix_deep.tile.c:15:5: perf: the products of 'f' run one program at a time: a store's address does not move by whole blocks
    tile_store(view_strided(C, M, N, v3, 1), m, n, acc);
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: docs/matrix.md says which kernels run as one matrix product
