#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

launch_grid(row_cumsum, rows);
tune(row_cumsum, BLOCK, 256, 1024);

/*
 * Out[r, c] = X[r, 0] + ... + X[r, c]. X and Out are [rows, N], row-major. One program per row, which
 * carries the sum so far from block to block.
 */
kernel void row_cumsum(const T *restrict X, T *restrict Out, int rows, int N, constexpr int BLOCK)
{
    int row = program_id(0);
    float before = 0.0f;
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N);
        store(Out + row * N + col, before + cumsum(x), col < N);
        before += sum(x);
    }
}
