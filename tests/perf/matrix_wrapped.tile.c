#include <tilec/kernel.h>
launch_grid(f, cdiv(M, 16), cdiv(N, 16));
kernel void f(const float *restrict A, const float *restrict B, float *restrict C, int M, int N, int K)
{
    int m = program_id(0) * 16 + arange(0, 16);
    int n = program_id(1) * 16 + arange(0, 16);
    auto a = A + expand_dims(m % M, 1) * K + expand_dims(arange(0, 8), 0);
    auto b = B + expand_dims(arange(0, 8), 1) * N + expand_dims(n % N, 0);
    float acc = zeros(float, 16, 16);
    for (int k = 0; k < K; k += 8) {
        float x = load(a, expand_dims(arange(0, 8), 0) < K - k);
        float y = load(b, expand_dims(arange(0, 8), 1) < K - k);
        acc += dot(x, y);
        a += 8;
        b += 8 * N;
    }
    store(C + expand_dims(m, 1) * N + expand_dims(n, 0), acc, expand_dims(m, 1) < M && expand_dims(n, 0) < N);
}
---
