#include <tilec/kernel.h>
launch_grid(f, cdiv(M, 16), cdiv(N, 16));
kernel void f(const float *restrict A, const float *restrict B, const float *restrict D,
              float *restrict C, int M, int N, int K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    auto d = view(D, K, N);
    int m = program_id(0) * 16, n = program_id(1) * 16;
    float acc = zeros(float, 16, 16);
    for (int k = 0; k < K; k += 8) {
        auto x = tile_load(a, m, k, 16, 8);
        acc = dot(x, tile_load(b, k, n, 8, 16)) + dot(x, tile_load(d, k, n, 8, 16)) + acc;
    }
    tile_store(view(C, M, N), m, n, acc);
}
---
