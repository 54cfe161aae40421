/*
 * Attention as a careful C programmer writes it for a vectorising compiler: the peers "gcc" and
 * "clang" of bench/attention.c, compiled like bench/handwritten.c. Blocks of 32 rows and 64 keys,
 * which are converted and turned once per block; products in pieces of 4 x 16 sums, whose loops
 * have constant bounds, so that they can stay in registers; the running maximum of flash attention.
 */
#include "bench/flash.h"
#include "bench/bfloat.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(x) JOIN(PEER, x)

enum { ROWS = FLASH_ROWS, KEYS = 64, DEPTH = FLASH_MOST_DEPTH, PIECE_ROWS = 4, PIECE = 16 };

/* c[ROWS, columns] += a[ROWS, depth] b[depth, columns] */
static inline void multiply(const float *restrict a, long a_row, const float *restrict b,
                            long b_row, float *restrict c, long c_row, long depth, long columns)
{
    for (long i = 0; i < ROWS; i += PIECE_ROWS) {
        for (long j = 0; j < columns; j += PIECE) {
            float sums[PIECE_ROWS][PIECE];
            for (int r = 0; r < PIECE_ROWS; r++)
                for (int x = 0; x < PIECE; x++)
                    sums[r][x] = c[(i + r) * c_row + j + x];
            for (long l = 0; l < depth; l++)
                for (int r = 0; r < PIECE_ROWS; r++)
                    for (int x = 0; x < PIECE; x++)
                        sums[r][x] += a[(i + r) * a_row + l] * b[l * b_row + j + x];
            for (int r = 0; r < PIECE_ROWS; r++)
                for (int x = 0; x < PIECE; x++)
                    c[(i + r) * c_row + j + x] = sums[r][x];
        }
    }
}

/* s becomes weights; acc and total are scaled down where a row's maximum rises. */
static inline void weigh(float *restrict s, float *restrict acc, float *restrict top,
                         float *restrict total, long depth, float scale)
{
    for (long i = 0; i < ROWS; i++) {
        float higher = top[i], sum = 0;
        for (long j = 0; j < KEYS; j++)
            higher = fmaxf(higher, s[i * KEYS + j] * scale);
        for (long j = 0; j < KEYS; j++) {
            float e = expf(s[i * KEYS + j] * scale - higher);
            s[i * KEYS + j] = e;
            sum += e;
        }
        float shrink = expf(top[i] - higher);
        for (long x = 0; x < depth; x++)
            acc[i * DEPTH + x] *= shrink;
        total[i] = total[i] * shrink + sum;
        top[i] = higher;
    }
}

#define SAME(x) (x)

#define ATTENTION(suffix, type, widen, narrow)                                                     \
    void NAME(attention_##suffix)(const void *q, const void *k, const void *v, void *out,          \
                                  long from, long to, long keys, long depth, float scale)          \
    {                                                                                              \
        static _Thread_local float rows[ROWS * DEPTH], acc[ROWS * DEPTH], s[ROWS * KEYS];          \
        static _Thread_local float turned[DEPTH * KEYS], values[KEYS * DEPTH];                     \
        float top[ROWS], total[ROWS];                                                              \
        for (long i = from; i < to; i += ROWS) {                                                   \
            const type *first = (const type *)q + i * depth;                                       \
            for (long r = 0; r < ROWS; r++) {                                                      \
                for (long x = 0; x < depth; x++)                                                   \
                    rows[r * DEPTH + x] = widen(first[r * depth + x]);                             \
                top[r] = -1e30f;                                                                   \
                total[r] = 0;                                                                      \
            }                                                                                      \
            memset(acc, 0, sizeof acc);                                                            \
            for (long j = 0; j < keys; j += KEYS) {                                                \
                const type *key = (const type *)k + j * depth,                                     \
                           *value = (const type *)v + j * depth;                                   \
                for (long x = 0; x < depth; x++)                                                   \
                    for (long y = 0; y < KEYS; y++)                                                \
                        turned[x * KEYS + y] = widen(key[y * depth + x]);                          \
                for (long y = 0; y < KEYS; y++)                                                    \
                    for (long x = 0; x < depth; x++)                                               \
                        values[y * DEPTH + x] = widen(value[y * depth + x]);                       \
                memset(s, 0, sizeof s);                                                            \
                multiply(rows, DEPTH, turned, KEYS, s, KEYS, depth, KEYS);                         \
                weigh(s, acc, top, total, depth, scale);                                           \
                multiply(s, KEYS, values, DEPTH, acc, DEPTH, KEYS, depth);                         \
            }                                                                                      \
            for (long r = 0; r < ROWS; r++)                                                        \
                for (long x = 0; x < depth; x++)                                                   \
                    ((type *)out)[(i + r) * depth + x] = narrow(acc[r * DEPTH + x] / total[r]);    \
        }                                                                                          \
    }

ATTENTION(f32, float, SAME, SAME)
ATTENTION(f16, _Float16, SAME, SAME)
ATTENTION(bf16, uint16_t, widen_bf16, narrow_bf16)
