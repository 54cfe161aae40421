#include <tilec/kernel.h>

/* Sums over neighbours in float. What lies outside of the array counts as 0. */

launch_grid(stencil3, cdiv(n, BLOCK));
tune(stencil3, BLOCK, 4096, 1024);

/* Out[i] = X[i - 1] / 4 + X[i] / 2 + X[i + 1] / 4; X and Out are [n]. */
kernel void stencil3(const float *restrict X, float *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float left = load(X + i - 1, i >= 1 && i - 1 < n);
    float here = load(X + i, i < n);
    float right = load(X + i + 1, i + 1 < n);
    store(Out + i, 0.25f * (left + right) + 0.5f * here, i < n);
}

launch_grid(stencil5, cdiv(width, BLOCK), height);
tune(stencil5, BLOCK, 1024, 256);

/*
 * The heat equation's step: Out[y, x] = X[y, x] + rate * (its four neighbours - 4 * X[y, x]). X and Out
 * are [height, width], row-major. One program per row and block of columns.
 */
kernel void stencil5(const float *restrict X, float *restrict Out, int height, int width, float rate,
                     constexpr int BLOCK)
{
    int y = program_id(1);
    int x = program_id(0) * BLOCK + arange(0, BLOCK);
    const float *row = X + y * width;
    float here = load(row + x, x < width);
    float left = load(row + x - 1, x > 0 && x - 1 < width);
    float right = load(row + x + 1, x + 1 < width);
    float above = load(row - width + x, y > 0 && x < width);
    float below = load(row + width + x, y + 1 < height && x < width);
    float around = (left + right) + (above + below);
    store(Out + y * width + x, here + rate * (around - 4.0f * here), x < width);
}

launch_grid(fir, cdiv(n, BLOCK));
tune(fir, BLOCK, 1024, 256);

/* A causal filter: Out[i] = sum of H[k] * X[i - k] over 0 <= k < taps. X and Out are [n], H is [taps]. */
kernel void fir(const float *restrict X, const float *restrict H, float *restrict Out, int n, int taps,
                constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float total = zeros(float, BLOCK);
    for (int k = 0; k < taps; k++)
        total = fma(H[k], load(X + i - k, i - k >= 0 && i - k < n), total);
    store(Out + i, total, i < n);
}
