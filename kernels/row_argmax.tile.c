#include <tilec/kernel.h>

#ifndef T
#define T float /* the element type: float, half or bfloat */
#endif

constexpr int LOWEST = -2147483647 - 1;

/*
 * An integer that orders like the argmax built-in orders floats: NaN above everything, -0 below +0.
 * No float gives LOWEST.
 */
static int order_key(float x)
{
    int bits = bitcast(int, where(isnan(x), NAN, x));
    return where(bits < 0, bits ^ 0x7fffffff, bits);
}

launch_grid(row_argmax, rows);
launch_require(row_argmax, N >= 1, "an empty row has no largest element");
tune(row_argmax, BLOCK, 256, 1024);

/*
 * Index[r] = the first position of the largest element of X[r, :]. X is [rows, N], row-major; Index
 * is [rows]. One program per row. Each lane keeps its own best and the block where it stood; the
 * lanes meet once, at the end.
 */
kernel void row_argmax(const T *restrict X, int *restrict Index, int rows, int N,
                       constexpr int BLOCK)
{
    int row = program_id(0);
    int lane = arange(0, BLOCK);
    int best = LOWEST;
    int block = 0;
    for (int i = 0; i < N; i += BLOCK) {
        float x = load(X + row * N + i + lane, i + lane < N);
        int key = where(i + lane < N, order_key(x), LOWEST);
        block = where(key > best, i, block);
        best = maximum(best, key);
    }
    int top = max(best);
    store(Index + row, min(where(best == top, block + lane, N)));
}
