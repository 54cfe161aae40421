#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float or half; the arithmetic is float */
#endif

/*
 * kernels/rmsnorm.tile.c:rmsnorm_tile, slowed down on purpose: PERCENT percent of the rows are
 * computed a second time. What the second time gives is stored only if it is not a number, so that
 * the work cannot be left out, and nothing is written twice.
 */
launch_grid(rmsnorm_planted, rows + rows * PERCENT / 100);
launch_require(rmsnorm_planted, N <= BLOCK, "the whole row must fit in one tile of BLOCK elements");

kernel void rmsnorm_planted(const T *restrict X, const T *restrict W, T *restrict Out, int rows,
                            int N, float eps, constexpr int BLOCK, constexpr int PERCENT)
{
    int program = program_id(0);
    int row = program % rows;
    int col = arange(0, BLOCK);
    float x = load(X + row * N + col, col < N);
    float w = load(W + col, col < N);
    float y = x * (1.0f / sqrt(sum(x * x) / N + eps)) * w;
    store(Out + row * N + col, y, (col < N) & ((program < rows) | (y != y)));
}
