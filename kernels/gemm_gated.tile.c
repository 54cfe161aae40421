#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

launch_grid(gemm_gated, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(gemm_gated, BLOCK_M, 64, 32);
tune(gemm_gated, BLOCK_N, 64, 32);
tune(gemm_gated, BLOCK_K, 16, 32);

/*
 * Out = silu(X Gate) * (X Up), element by element: two products that share X, in one loop. X is
 * [M, K], Gate and Up are [K, N], Out is [M, N], all row-major; Out does not overlap the others.
 */
kernel void gemm_gated(const T *restrict X, const T *restrict Gate, const T *restrict Up,
                       T *restrict Out, int M, int N, int K, constexpr int BLOCK_M,
                       constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto x = view(X, M, K);
    auto gate_weights = view(Gate, K, N);
    auto up_weights = view(Up, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float gate = zeros(float, BLOCK_M, BLOCK_N);
    float up = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K) {
        auto rows = tile_load(x, m, k, BLOCK_M, BLOCK_K);
        gate = dot(rows, tile_load(gate_weights, k, n, BLOCK_K, BLOCK_N), gate);
        up = dot(rows, tile_load(up_weights, k, n, BLOCK_K, BLOCK_N), up);
    }
    tile_store(view(Out, M, N), m, n, gate * sigmoid(gate) * up);
}
