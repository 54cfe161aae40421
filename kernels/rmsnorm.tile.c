#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

/*
 * Out[r, :] = X[r, :] / sqrt(mean of X[r, :] squared + eps) * W. X and Out are [rows, N], row-major;
 * W is [N]; eps has the unit of X squared. One program per row. Squares are summed, and the row is
 * normalised and multiplied by W, in float; the result is rounded once, to the storage type.
 */
launch_grid(rmsnorm, rows);
tune(rmsnorm, BLOCK, 1024, 256, 512);

/* For rows of any length: the row is read twice, in blocks. */
kernel void rmsnorm(const T *restrict X, const T *restrict W, T *restrict Out, int rows, int N,
                    float eps, constexpr int BLOCK)
{
    int row = program_id(0);
    float s = 0.0f;
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N);
        s += x * x;
    }
    float scale = rsqrt(sum(s) * (1.0f / N) + eps);
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N);
        float w = load(W + col, col < N);
        store(Out + row * N + col, x * scale * w, col < N);
    }
}

launch_grid(rmsnorm_tile, rows);
launch_require(rmsnorm_tile, N <= BLOCK, "the whole row must fit in one tile of BLOCK elements");
tune(rmsnorm_tile, BLOCK, next_pow2(N));

/* For rows that fit in one tile: the row is read once and kept. */
kernel void rmsnorm_tile(const T *restrict X, const T *restrict W, T *restrict Out, int rows, int N,
                         float eps, constexpr int BLOCK)
{
    int row = program_id(0);
    int col = arange(0, BLOCK);
    float x = load(X + row * N + col, col < N);
    float w = load(W + col, col < N);
    float scale = rsqrt(sum(x * x) * (1.0f / N) + eps);
    store(Out + row * N + col, x * scale * w, col < N);
}
