#include <tilec/kernel.h>

#ifndef T
#define T float /* the element type */
#endif

launch_grid(median, cdiv(n, BLOCK), rows);
tune(median, WIDTH, 5); /* how many; not for choosing */
tune(median, BLOCK, 256, 512, 1024);

/*
 * A median filter: Out[r, i] = the one in the middle, by their order, of the WIDTH elements of
 * X[r, :] around i, where the row's first and last element go on beyond its ends. X and Out are
 * [rows, n], row-major; WIDTH is odd. One program per block of a row.
 */
kernel void median(const T *restrict X, T *restrict Out, int rows, int n, constexpr int WIDTH,
                   constexpr int BLOCK)
{
    static_require(WIDTH % 2 == 1, "of an even number of elements none is in the middle");
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    int near = expand_dims(i, 0) + expand_dims(arange(0, WIDTH) - WIDTH / 2, 1);
    T x = sort(load(X + program_id(1) * n + clamp(near, 0, n - 1)), axis(0));
    T middle = gather(x, full(int, WIDTH / 2, 1, BLOCK), axis(0));
    store(Out + program_id(1) * n + i, reshape(middle, BLOCK), i < n);
}
