#include <tilec/kernel.h>
launch_grid(f, cdiv(M, 16), cdiv(N, 16));
kernel void f(const half *restrict A, const int8_t *restrict B, const float *restrict Scale,
              float *restrict C, int M, int N, int K)
{
    int m = program_id(0) * 16, n = program_id(1) * 16;
    float acc = zeros(float, 16, 16);
    for (int k = 0; k < K; k += 8) {
        auto a = tile_load(view(A, M, K), m, k, 16, 8);
        auto b = tile_load(view(B, N, K), n, k, 16, 8);
        acc = dot((float)a, trans((float)b), acc);
    }
    tile_store(view(C, M, N), m, n, acc * expand_dims(tile_load(view(Scale, N), n, 16), 0));
}
---
