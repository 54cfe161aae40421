/*
 * Kernels with flat indices, as inference engines and image code have them, for bench/pictures.c.
 */
#include <tilec/kernel.h>

/* Out[y, x] = X[y / 2, x / 2]. X is [height, width], Out is [2 height, 2 width]. */
launch_grid(upsample, cdiv(4 * height * width, BLOCK));
kernel void upsample(const float *restrict X, float *restrict Out, int height, int width,
                     constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    int y = i / (2 * width), x = i % (2 * width);
    bool ok = i < 4 * height * width;
    store(Out + i, load(X + y / 2 * width + x / 2, ok), ok);
}

/* Out[y, x, c, dy, dx] = X[c, y + dy - 1, x + dx - 1], 0 outside: patches of 3 by 3 of 16 channels,
 * one program per place. X is [16, height, width], Out is [height, width, 16, 3, 3]. */
launch_grid(columns, height *width);
kernel void columns(const float *restrict X, float *restrict Out, int height, int width,
                    constexpr int BLOCK)
{
    constexpr int CHANNELS = 16;
    int p = program_id(0), y = p / width, x = p % width;
    int k = arange(0, BLOCK), t = k % 9;
    int row = y + t / 3 - 1, col = x + t % 3 - 1;
    bool ok = k < CHANNELS * 9;
    bool inside = ok && row >= 0 && row < height && col >= 0 && col < width;
    store(Out + p * CHANNELS * 9 + k, load(X + (k / 9 * height + row) * width + col, inside), ok);
}

/* Out[i] = X[i] * W[i / 3 % 10] */
launch_grid(weights, cdiv(count, BLOCK));
kernel void weights(const float *restrict X, const float *restrict W, float *restrict Out,
                    int count, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    store(Out + i, load(X + i, i < count) * load(W + i / 3 % 10, i < count), i < count);
}
