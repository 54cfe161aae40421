#include <tilec/kernel.h>

#ifndef T
#define T float /* the element type */
#endif

launch_grid(median, cdiv(n, BLOCK), rows);
tune(median, REACH, 2); /* how far; not for choosing */
tune(median, BLOCK, 256, 512, 1024);

/*
 * A median filter: Out[r, i] = the one in the middle, by their order, of X[r, i] and of REACH
 * elements on each side, where the row's first and last element go on beyond its ends. X and Out
 * are [rows, n], row-major. One program per block of a row.
 */
kernel void median(const T *restrict X, T *restrict Out, int rows, int n, constexpr int REACH,
                   constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    int near = expand_dims(i, 0) + expand_dims(arange(-REACH, REACH + 1), 1);
    T x = sort(load(X + program_id(1) * n + clamp(near, 0, n - 1)), axis(0));
    T middle = gather(x, full(int, REACH, 1, BLOCK), axis(0));
    store(Out + program_id(1) * n + i, reshape(middle, BLOCK), i < n);
}
