#include <tilec/kernel.h>

#ifndef T
#define T float /* the element type: float, half or bfloat */
#endif

launch_grid(upsample_nearest, channels, FACTOR * height, cdiv(FACTOR * width, BLOCK));
tune(upsample_nearest, FACTOR, 2); /* how many times as high and wide; not for choosing */
tune(upsample_nearest, BLOCK, 256, 1024);

/*
 * Out[c, y, x] = X[c, y / FACTOR, x / FACTOR]. X is [channels, height, width], Out is [channels,
 * FACTOR * height, FACTOR * width], both row-major. One program per BLOCK elements of a row of Out.
 */
kernel void upsample_nearest(const T *restrict X, T *restrict Out, int channels, int height,
                             int width, constexpr int FACTOR, constexpr int BLOCK)
{
    int c = program_id(0), y = program_id(1);
    int x = program_id(2) * BLOCK + arange(0, BLOCK);
    auto here = x < FACTOR * width;
    T value = load(X + (c * height + y / FACTOR) * width + x / FACTOR, here);
    store(Out + (c * FACTOR * height + y) * FACTOR * width + x, value, here);
}
