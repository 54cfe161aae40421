/*
 * Stencils, a filter and pictures as a careful C programmer writes them for a vectorising compiler:
 * the peers "gcc" and "clang" of bench/pictures.c, compiled like bench/handwritten.c. The edges of a
 * row are computed apart, so that the loop between them has no conditions.
 */
#include "bench/neighbours.h"

#include <stdlib.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(x) JOIN(PEER, x)

void NAME(stencil3)(const float *restrict x, float *restrict out, long n)
{
    for (long i = 0; i < n; i += n > 1 ? n - 1 : 1)
        out[i] = 0.25f * ((i > 0 ? x[i - 1] : 0) + (i + 1 < n ? x[i + 1] : 0)) + 0.5f * x[i];
    for (long i = 1; i < n - 1; i++)
        out[i] = 0.25f * (x[i - 1] + x[i + 1]) + 0.5f * x[i];
}

static float heat(const float *x, long y, long i, long height, long width, float rate)
{
    float here = x[y * width + i];
    float left = i > 0 ? x[y * width + i - 1] : 0;
    float right = i + 1 < width ? x[y * width + i + 1] : 0;
    float above = y > 0 ? x[(y - 1) * width + i] : 0;
    float below = y + 1 < height ? x[(y + 1) * width + i] : 0;
    return here + rate * ((left + right) + (above + below) - 4 * here);
}

void NAME(stencil5)(const float *restrict x, float *restrict out, long height, long width, float rate)
{
    for (long y = 0; y < height; y++) {
        const float *row = x + y * width;
        float *to = out + y * width;
        if (y == 0 || y == height - 1) {
            for (long i = 0; i < width; i++)
                to[i] = heat(x, y, i, height, width, rate);
            continue;
        }
        to[0] = heat(x, y, 0, height, width, rate);
        to[width - 1] = heat(x, y, width - 1, height, width, rate);
        for (long i = 1; i < width - 1; i++)
            to[i] = row[i] + rate * ((row[i - 1] + row[i + 1]) + (row[i - width] + row[i + width]) -
                                     4 * row[i]);
    }
}

/* In blocks that stay in cache, tap by tap: the inner loop is over neighbours in memory. */
void NAME(fir)(const float *restrict x, const float *restrict h, float *restrict out, long n, long taps)
{
    enum { BLOCK = 1024 };
    for (long first = 0; first < n; first += BLOCK) {
        float total[BLOCK] = {0};
        long count = n - first < BLOCK ? n - first : BLOCK;
        for (long k = 0; k < taps; k++) {
            const float *from = x + first - k;
            for (long i = k > first ? k - first : 0; i < count; i++)
                total[i] += h[k] * from[i];
        }
        for (long i = 0; i < count; i++)
            out[first + i] = total[i];
    }
}

static inline uint8_t mean(const uint8_t *a, const uint8_t *b, const uint8_t *c, long left, long i,
                           long right)
{
    return (uint8_t)((a[left] + a[i] + a[right] + b[left] + b[i] + b[right] + c[left] + c[i] +
                      c[right] + 4) /
                     9);
}

static inline uint8_t slope(const uint8_t *a, const uint8_t *b, const uint8_t *c, long left, long i,
                            long right)
{
    int gx = a[right] - a[left] + 2 * (b[right] - b[left]) + c[right] - c[left];
    int gy = c[left] + 2 * c[i] + c[right] - a[left] - 2 * a[i] - a[right];
    int sum = abs(gx) + abs(gy);
    return (uint8_t)(sum < 255 ? sum : 255);
}

#define PICTURE(name, of)                                                                          \
    void NAME(name)(const uint8_t *restrict x, uint8_t *restrict out, long height, long width)      \
    {                                                                                              \
        for (long y = 0; y < height; y++) {                                                        \
            const uint8_t *a = x + (y > 0 ? y - 1 : 0) * width;                                    \
            const uint8_t *b = x + y * width;                                                      \
            const uint8_t *c = x + (y + 1 < height ? y + 1 : y) * width;                           \
            uint8_t *to = out + y * width;                                                         \
            to[0] = of(a, b, c, 0, 0, width > 1);                                                  \
            to[width - 1] = of(a, b, c, width > 1 ? width - 2 : 0, width - 1, width - 1);           \
            for (long i = 1; i < width - 1; i++)                                                   \
                to[i] = of(a, b, c, i - 1, i, i + 1);                                              \
        }                                                                                          \
    }

PICTURE(blur, mean)
PICTURE(sobel, slope)

void NAME(gray)(const uint8_t *restrict x, uint8_t *restrict out, long count)
{
    for (long i = 0; i < count; i++)
        out[i] = (uint8_t)((77 * x[3 * i] + 150 * x[3 * i + 1] + 29 * x[3 * i + 2] + 128) >> 8);
}

static inline uint8_t mix(int a, int b, int alpha)
{
    int scaled = a * alpha + b * (255 - alpha) + 128;
    return (uint8_t)((scaled + (scaled >> 8)) >> 8);
}

void NAME(blend)(const uint8_t *restrict x, const uint8_t *restrict y, uint8_t *restrict out, long count)
{
    for (long i = 0; i < 4 * count; i += 4) {
        int alpha = x[i + 3];
        out[i] = mix(x[i], y[i], alpha);
        out[i + 1] = mix(x[i + 1], y[i + 1], alpha);
        out[i + 2] = mix(x[i + 2], y[i + 2], alpha);
        out[i + 3] = mix(255, y[i + 3], alpha);
    }
}

void NAME(upsample)(const float *restrict x, float *restrict out, long height, long width)
{
    for (long y = 0; y < 2 * height; y++) {
        const float *row = x + y / 2 * width;
        float *to = out + y * 2 * width;
        for (long i = 0; i < 2 * width; i++)
            to[i] = row[i / 2];
    }
}

static float at(const float *x, long y, long i, long height, long width)
{
    return y >= 0 && y < height && i >= 0 && i < width ? x[y * width + i] : 0;
}

void NAME(columns)(const float *restrict x, float *restrict out, long height, long width)
{
    for (long y = 0; y < height; y++)
        for (long i = 0; i < width; i++)
            for (long c = 0; c < 16; c++)
                for (long dy = -1; dy < 2; dy++)
                    for (long dx = -1; dx < 2; dx++)
                        *out++ = at(x + c * height * width, y + dy, i + dx, height, width);
}

void NAME(weights)(const float *restrict x, const float *restrict w, float *restrict out,
                   long count)
{
    for (long i = 0; i < count; i++)
        out[i] = x[i] * w[i / 3 % 10];
}
