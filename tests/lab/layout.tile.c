#include <tilec/kernel.h>

/* RMSNorm whose layout is a parameter. */
launch_grid(rmsnorm_layout, rows);

kernel void rmsnorm_layout(const T *restrict X, const T *restrict W, T *restrict Out, int rows,
                           float eps, constexpr int N, constexpr layout_t L)
{
    int row = program_id(0);
    int col = arange_in(L, 0, 128);
    float x = load(X + row * N + col, col < N);
    float w = load(W + col, col < N);
    float scale = 1.0f / sqrt(sum(x * x) / N + eps);
    store(Out + row * N + col, x * scale * w, col < N);
}
