/*
 * Row kernels as a careful C programmer writes them for a vectorising compiler: the peers "gcc" and
 * "clang" of bench/rows.c. This file is compiled by both with -O3 -march=native -ffast-math and a
 * vector mathematics library (libmvec), under the name prefix PEER; bench prints their reports of
 * which loops were vectorised. One row at a time, float arithmetic, 16-bit storage converted once
 * per pass.
 */
#include "bench/handwritten.h"
#include "bench/bfloat.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(x) JOIN(PEER, x)

#define WIDEN_F32(x) (x)
#define NARROW_F32(x) (x)
#define WIDEN_F16(x) ((float)(x))
#define NARROW_F16(x) ((_Float16)(x))

#define ROW_KERNELS(suffix, type, WIDEN, NARROW)                                                   \
    void NAME(softmax_##suffix)(const void *restrict in, void *restrict out, long rows,            \
                                long width)                                                        \
    {                                                                                              \
        for (long r = 0; r < rows; r++) {                                                          \
            const type *restrict x = (const type *)in + r * width;                                 \
            type *restrict y = (type *)out + r * width;                                            \
            float scratch[HANDWRITTEN_MAX_WIDTH];                                                  \
            float top = -INFINITY, total = 0;                                                      \
            for (long i = 0; i < width; i++)                                                       \
                top = fmaxf(top, WIDEN(x[i]));                                                     \
            for (long i = 0; i < width; i++) {                                                     \
                scratch[i] = expf(WIDEN(x[i]) - top);                                              \
                total += scratch[i];                                                               \
            }                                                                                      \
            float scale = 1.0f / total;                                                            \
            for (long i = 0; i < width; i++)                                                       \
                y[i] = NARROW(scratch[i] * scale);                                                 \
        }                                                                                          \
    }                                                                                              \
    void NAME(layernorm_##suffix)(const void *restrict in, const void *restrict weights,           \
                                  const void *restrict biases, void *restrict out, long rows,      \
                                  long width, float epsilon)                                       \
    {                                                                                              \
        const type *restrict w = weights, *restrict b = biases;                                    \
        for (long r = 0; r < rows; r++) {                                                          \
            const type *restrict x = (const type *)in + r * width;                                 \
            type *restrict y = (type *)out + r * width;                                            \
            float total = 0, squares = 0;                                                          \
            for (long i = 0; i < width; i++)                                                       \
                total += WIDEN(x[i]);                                                              \
            float mean = total / (float)width;                                                     \
            for (long i = 0; i < width; i++) {                                                     \
                float d = WIDEN(x[i]) - mean;                                                      \
                squares += d * d;                                                                  \
            }                                                                                      \
            float scale = 1.0f / sqrtf(squares / (float)width + epsilon);                          \
            for (long i = 0; i < width; i++)                                                       \
                y[i] = NARROW((WIDEN(x[i]) - mean) * scale * WIDEN(w[i]) + WIDEN(b[i]));           \
        }                                                                                          \
    }                                                                                              \
    void NAME(rmsnorm_##suffix)(const void *restrict in, const void *restrict weights,             \
                                void *restrict out, long rows, long width, float epsilon)          \
    {                                                                                              \
        const type *restrict w = weights;                                                          \
        for (long r = 0; r < rows; r++) {                                                          \
            const type *restrict x = (const type *)in + r * width;                                 \
            type *restrict y = (type *)out + r * width;                                            \
            float squares = 0;                                                                     \
            for (long i = 0; i < width; i++)                                                       \
                squares += WIDEN(x[i]) * WIDEN(x[i]);                                              \
            float scale = 1.0f / sqrtf(squares / (float)width + epsilon);                          \
            for (long i = 0; i < width; i++)                                                       \
                y[i] = NARROW(WIDEN(x[i]) * scale * WIDEN(w[i]));                                  \
        }                                                                                          \
    }

ROW_KERNELS(f32, float, WIDEN_F32, NARROW_F32)
ROW_KERNELS(f16, _Float16, WIDEN_F16, NARROW_F16)
ROW_KERNELS(bf16, uint16_t, widen_bf16, narrow_bf16)

void NAME(bias_gelu_f32)(float *restrict in_out, const float *restrict bias, long rows, long width)
{
    for (long r = 0; r < rows; r++) {
        float *restrict row = in_out + r * width;
        for (long i = 0; i < width; i++) {
            float x = row[i] + bias[i];
            row[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f));
        }
    }
}
