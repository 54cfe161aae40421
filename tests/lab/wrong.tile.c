#include <tilec/kernel.h>

/* RMSNorm without the weights: wrong by what they are. */
launch_grid(rmsnorm_wrong, rows);
kernel void rmsnorm_wrong(const T *restrict X, T *restrict Out, int rows, int N, float eps,
                          constexpr int BLOCK)
{
    int row = program_id(0);
    int col = arange(0, BLOCK);
    float x = load(X + row * N + col, col < N);
    store(Out + row * N + col, x / sqrt(sum(x * x) / N + eps), col < N);
}

/* Leaves the last element of each row unwritten. */
launch_grid(rmsnorm_short, rows);
kernel void rmsnorm_short(const T *restrict X, const T *restrict W, T *restrict Out, int rows,
                          int N, float eps, constexpr int BLOCK)
{
    int row = program_id(0);
    int col = arange(0, BLOCK);
    float x = load(X + row * N + col, col < N);
    float w = load(W + col, col < N);
    store(Out + row * N + col, x / sqrt(sum(x * x) / N + eps) * w, col < N - 1);
}

/* Has a parameter that the problem does not. */
launch_grid(rmsnorm_strange, rows);
kernel void rmsnorm_strange(const T *restrict X, T *restrict Out, int rows, int strange)
{
    store(Out + strange, load(X + rows));
}
