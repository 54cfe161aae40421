#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

/*
 * Out[r, :] = softmax(X[r, :]), the exponentials of a row divided by their sum. X and Out are
 * [rows, N], row-major. One program per row. The row's maximum is subtracted first, so nothing
 * overflows; a NaN anywhere, or a row that is -INFINITY throughout, gives a row of NaN.
 */
launch_grid(softmax, rows);
tune(softmax, BLOCK, 1024, 256, 512);

/* For rows of any length: the row is read three times, in blocks. */
kernel void softmax(const T *restrict X, T *restrict Out, int rows, int N, constexpr int BLOCK)
{
    int row = program_id(0);
    float m = -INFINITY;
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        m = maximum(m, load(X + row * N + col, col < N, -INFINITY));
    }
    float top = max(m);
    float s = 0.0f;
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N, -INFINITY);
        s += exp(x - top);
    }
    float inv = 1.0f / sum(s);
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N, -INFINITY);
        store(Out + row * N + col, exp(x - top) * inv, col < N);
    }
}

launch_grid(softmax_tile, rows);
launch_require(softmax_tile, N <= BLOCK, "the whole row must fit in one tile of BLOCK elements");
tune(softmax_tile, BLOCK, next_pow2(N));

/* For rows that fit in one tile: the row is read once and each exponential computed once. */
kernel void softmax_tile(const T *restrict X, T *restrict Out, int rows, int N,
                         constexpr int BLOCK)
{
    int row = program_id(0);
    int col = arange(0, BLOCK);
    float x = load(X + row * N + col, col < N, -INFINITY);
    float e = exp(x - max(x));
    store(Out + row * N + col, e * (1.0f / sum(e)), col < N);
}
