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

launch_grid(top_k, rows);
launch_require(top_k, N <= BLOCK, "the whole row must fit in one tile of BLOCK elements");
tune(top_k, K, 8); /* how many; not for choosing */
tune(top_k, BLOCK, next_pow2(N));

/*
 * Value[r, :] = the K largest elements of X[r, :], the largest first and of equals the first one,
 * and Index[r, :] = where they stand. X is [rows, N], row-major, Value and Index are [rows, K].
 * Where a row has fewer than K elements, the others are -INFINITY and -1. One program per row.
 */
kernel void top_k(const T *restrict X, T *restrict Value, int *restrict Index, int rows, int N,
                  constexpr int K, constexpr int BLOCK)
{
    int row = program_id(0);
    int col = arange(0, BLOCK);
    float x = load(X + row * N + col, col < N);
    int key = where(col < N, order_key(x), LOWEST);
    for (int k = 0; k < K; k++) {
        int at = argmax(key);
        store(Value + row * K + k, load(X + row * N + at, k < N, -INFINITY));
        store(Index + row * K + k, k < N ? at : -1);
        key = where(col == at, LOWEST, key);
    }
}
