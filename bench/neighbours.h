#ifndef TILEC_BENCH_NEIGHBOURS_H
#define TILEC_BENCH_NEIGHBOURS_H
/* Stencils, a filter and pictures in C, once per compiler; see neighbours.c. What they compute is
 * said in kernels/stencil.tile.c, kernels/picture.tile.c and bench/gathers.tile.c. */
#include <stdint.h>

#define NEIGHBOURS(peer)                                                                           \
    void peer##_stencil3(const float *x, float *out, long n);                                      \
    void peer##_stencil5(const float *x, float *out, long height, long width, float rate);         \
    void peer##_fir(const float *x, const float *h, float *out, long n, long taps);                \
    void peer##_blur(const uint8_t *x, uint8_t *out, long height, long width);                     \
    void peer##_sobel(const uint8_t *x, uint8_t *out, long height, long width);                    \
    void peer##_gray(const uint8_t *x, uint8_t *out, long count);                                  \
    void peer##_blend(const uint8_t *x, const uint8_t *y, uint8_t *out, long count);               \
    void peer##_upsample(const float *x, float *out, long height, long width);                     \
    void peer##_columns(const float *x, float *out, long height, long width);                      \
    void peer##_weights(const float *x, const float *w, float *out, long count);

NEIGHBOURS(gcc)
NEIGHBOURS(clang)

#endif
