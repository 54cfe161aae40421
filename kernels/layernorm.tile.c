#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

/*
 * Out[r, :] = (X[r, :] - mean) / sqrt(variance + eps) * W + B, with the mean and the (biased)
 * variance of the row. X and Out are [rows, N], row-major; W and B are [N]; eps is added to the
 * variance, so it has the unit of X squared. One program per row. The variance is taken from the
 * centred row, so a large mean does not cancel it. The result is rounded once, to the storage type.
 */
launch_grid(layernorm, rows);
tune(layernorm, BLOCK, 1024, 256, 512);

/* For rows of any length: the row is read three times, in blocks. */
kernel void layernorm(const T *restrict X, const T *restrict W, const T *restrict B,
                      T *restrict Out, int rows, int N, float eps, constexpr int BLOCK)
{
    int row = program_id(0);
    float s = 0.0f;
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N);
        s += x;
    }
    float mean = sum(s) / N;
    float q = 0.0f;
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N);
        float d = where(col < N, x - mean, 0.0f);
        q += d * d;
    }
    float scale = rsqrt(sum(q) / N + eps);
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N);
        float w = load(W + col, col < N);
        float b = load(B + col, col < N);
        store(Out + row * N + col, (x - mean) * scale * w + b, col < N);
    }
}

launch_grid(layernorm_tile, rows);
launch_require(layernorm_tile, N <= BLOCK, "the whole row must fit in one tile of BLOCK elements");
tune(layernorm_tile, BLOCK, next_pow2(N));

/* For rows that fit in one tile: the row is read once. */
kernel void layernorm_tile(const T *restrict X, const T *restrict W, const T *restrict B,
                           T *restrict Out, int rows, int N, float eps, constexpr int BLOCK)
{
    int row = program_id(0);
    int col = arange(0, BLOCK);
    float x = load(X + row * N + col, col < N);
    float inv = 1.0f / N;
    float mean = sum(x) * inv;
    float d = where(col < N, x - mean, 0.0f);
    float scale = rsqrt(sum(d * d) * inv + eps);
    float w = load(W + col, col < N);
    float b = load(B + col, col < N);
    store(Out + row * N + col, d * scale * w + b, col < N);
}
