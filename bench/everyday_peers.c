/*
 * The kernels of everyday.tile.c as a careful C programmer writes them for a vectorising compiler:
 * the peers "gcc" and "clang" of bench/everyday.c, compiled like bench/handwritten.c.
 */
#include "bench/everyday.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(x) JOIN(PEER, x)

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

static inline int greatest(int a, int b)
{
    return a > b ? a : b;
}

/* Runs of j pairs: no index is xored. */
static void order(const int *x, int *out, long n, long j, long k)
{
    for (long first = 0; first < n; first += 2 * j) {
        const int *restrict low = x + first, *restrict high = x + first + j;
        int *restrict to = out + first, *restrict beside = out + first + j;
        if ((first & k) == 0) {
            for (long i = 0; i < j; i++) {
                int a = low[i], b = high[i];
                to[i] = least(a, b);
                beside[i] = greatest(a, b);
            }
        } else {
            for (long i = 0; i < j; i++) {
                int a = low[i], b = high[i];
                to[i] = greatest(a, b);
                beside[i] = least(a, b);
            }
        }
    }
}

void NAME(bitonic)(const struct everyday *c)
{
    order(c->in, c->out, c->n, c->j, c->k);
}

static void order_place(int *x, long n, long j, long k)
{
    for (long first = 0; first < n; first += 2 * j) {
        int *restrict low = x + first, *restrict high = x + first + j;
        if ((first & k) == 0) {
            for (long i = 0; i < j; i++) {
                int a = low[i], b = high[i];
                low[i] = least(a, b);
                high[i] = greatest(a, b);
            }
        } else {
            for (long i = 0; i < j; i++) {
                int a = low[i], b = high[i];
                low[i] = greatest(a, b);
                high[i] = least(a, b);
            }
        }
    }
}

void NAME(bitonic_place)(const struct everyday *c)
{
    order_place(c->out, c->n, c->j, c->k);
}

void NAME(floyd)(const struct everyday *c)
{
    float *d = c->out;
    long n = c->n;
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++) {
            float via = d[i * n + k];
            for (long j = 0; j < n; j++) {
                float t = via + d[k * n + j];
                d[i * n + j] = d[i * n + j] < t ? d[i * n + j] : t;
            }
        }
}

void NAME(redblack)(const struct everyday *c)
{
    long height = c->n, width = c->m, red = c->j;
    for (long y = 1; y < height - 1; y++) {
        float *u = (float *)c->out + y * width;
        for (long x = 1 + (y + red) % 2; x < width - 1; x += 2)
            u[x] = 0.25f * ((u[x - 1] + u[x + 1]) + (u[x - width] + u[x + width]));
    }
}

/* Places lane by lane, as the compilers do not find them in the plain loop. */
void NAME(furthest)(const struct everyday *c)
{
    enum { LANES = 32 };
    long n = c->n, m = c->m;
    for (long row = 0; row < n; row++) {
        const float *x = (const float *)c->in + row * m;
        float best[LANES];
        int at[LANES] = {0}, place = 0;
        long i = 0;
        for (int l = 0; l < LANES; l++)
            best[l] = -INFINITY;
        for (; i + LANES <= m; i += LANES)
            for (int l = 0; l < LANES; l++) {
                at[l] = x[i + l] > best[l] ? (int)i + l : at[l];
                best[l] = x[i + l] > best[l] ? x[i + l] : best[l];
            }
        float most = best[0];
        place = at[0];
        for (int l = 1; l < LANES; l++)
            if (best[l] > most || (best[l] == most && at[l] < place)) {
                most = best[l];
                place = at[l];
            }
        for (; i < m; i++)
            if (x[i] > most) {
                most = x[i];
                place = (int)i;
            }
        ((int *)c->out)[row] = place;
    }
}

/* Counts of bytes in a byte, as long as that holds them. */
void NAME(classes)(const struct everyday *c)
{
    long n = c->n;
    const uint8_t *x = c->in;
    int *out = c->out;
    for (long first = 0; first < n; first += EVERYDAY_PIECE, out += 3) {
        long end = first + EVERYDAY_PIECE < n ? first + EVERYDAY_PIECE : n;
        int letters = 0, digits = 0, blanks = 0;
        for (long i = first; i < end; i += 128) {
            long last = i + 128 < end ? i + 128 : end;
            uint8_t l = 0, d = 0, b = 0;
            for (long at = i; at < last; at++) {
                uint8_t t = x[at];
                l += (t >= 'a' && t <= 'z') | (t >= 'A' && t <= 'Z');
                d += t >= '0' && t <= '9';
                b += (t == ' ') | (t == '\n') | (t == '\t');
            }
            letters += l;
            digits += d;
            blanks += b;
        }
        out[0] = letters;
        out[1] = digits;
        out[2] = blanks;
    }
}

void NAME(upper)(const struct everyday *c)
{
    long n = c->n;
    const uint8_t *restrict x = c->in;
    uint8_t *restrict out = c->out;
    for (long i = 0; i < n; i++)
        out[i] = x[i] >= 'a' && x[i] <= 'z' ? (uint8_t)(x[i] - 32) : x[i];
}

void NAME(hex)(const struct everyday *c)
{
    long n = c->n;
    const uint8_t *restrict x = c->in;
    uint8_t *restrict out = c->out;
    for (long i = 0; i < n; i++) {
        uint8_t high = x[i] >> 4, low = x[i] & 15;
        out[2 * i] = (uint8_t)(high + (high < 10 ? '0' : 'a' - 10));
        out[2 * i + 1] = (uint8_t)(low + (low < 10 ? '0' : 'a' - 10));
    }
}

struct q8 {
    _Float16 d;
    int8_t q[32];
};

static inline float wide(const struct q8 *b)
{
    typedef short halves __attribute__((vector_size(16)));
    typedef float floats __attribute__((vector_size(16)));
    short bits;
    memcpy(&bits, &b->d, sizeof bits);
    floats f = __builtin_ia32_vcvtph2ps((halves){bits});
    return f[0];
}

void NAME(q8_floats)(const struct everyday *c)
{
    long n = c->n;
    const struct q8 *restrict x = c->in;
    float *restrict out = c->out;
    for (long b = 0; b < n; b++) {
        float d = wide(&x[b]);
        for (int i = 0; i < 32; i++)
            out[b * 32 + i] = d * x[b].q[i];
    }
}

void NAME(q8_product)(const struct everyday *c)
{
    long n = c->n, m = c->m;
    const struct q8 *restrict x = c->in;
    const float *restrict v = c->other;
    float *restrict out = c->out;
    for (long row = 0; row < n; row++) {
        float total = 0;
        for (long b = 0; b < m; b++) {
            const struct q8 *block = &x[row * m + b];
            float d = wide(block), sum = 0;
            for (int i = 0; i < 32; i++)
                sum += block->q[i] * v[b * 32 + i];
            total += d * sum;
        }
        out[row] = total;
    }
}

void NAME(q8_dot)(const struct everyday *c)
{
    long n = c->n, m = c->m;
    const struct q8 *restrict x = c->in, *restrict v = c->other;
    float *restrict out = c->out;
    for (long row = 0; row < n; row++) {
        float total = 0;
        for (long b = 0; b < m; b++) {
            const struct q8 *block = &x[row * m + b];
            int sum = 0;
            for (int i = 0; i < 32; i++)
                sum += block->q[i] * v[b].q[i];
            total += wide(block) * wide(&v[b]) * (float)sum;
        }
        out[row] = total;
    }
}

void NAME(rescale)(const struct everyday *c)
{
    long n = c->n, shift = c->k;
    int64_t multiplier = c->j, half = (int64_t)1 << (shift - 1);
    const int *restrict x = c->in;
    int8_t *restrict out = c->out;
    int zero = c->zero;
    for (long i = 0; i < n; i++)
        out[i] =
            (int8_t)least(greatest((int)((x[i] * multiplier + half) >> shift) + zero, -128), 127);
}

void NAME(requantise)(const struct everyday *c)
{
    long n = c->n;
    const int *restrict x = c->in;
    int8_t *restrict out = c->out;
    float scale = c->scale;
    int zero = c->zero;
    for (long i = 0; i < n; i++)
        out[i] = (int8_t)least(greatest((int)rintf((float)x[i] * scale) + zero, -128), 127);
}

void NAME(complex_product)(const struct everyday *c)
{
    long n = c->n;
    const float *restrict x = c->in, *restrict y = c->other;
    float *restrict out = c->out;
    for (long i = 0; i < 2 * n; i += 2) {
        out[i] = x[i] * y[i] - x[i + 1] * y[i + 1];
        out[i + 1] = x[i] * y[i + 1] + x[i + 1] * y[i];
    }
}

static inline uint8_t lives(const uint8_t *a, const uint8_t *b, const uint8_t *c, long l, long i,
                            long r)
{
    uint8_t around = (uint8_t)(a[l] + a[i] + a[r] + b[l] + b[r] + c[l] + c[i] + c[r]);
    return (around == 3) | ((around == 2) & (b[i] == 1));
}

void NAME(life)(const struct everyday *c)
{
    long n = c->n, m = c->m;
    enum { WIDEST = 4096 };
    static const uint8_t none[WIDEST];
    const uint8_t *restrict x = c->in;
    uint8_t *restrict out = c->out;
    long height = n, width = m;
    for (long y = 0; y < height; y++) {
        const uint8_t *row = x + y * width;
        const uint8_t *above = y > 0 ? row - width : none;
        const uint8_t *below = y + 1 < height ? row + width : none;
        uint8_t *to = out + y * width;
        for (long i = 0; i < width; i += width - 1) {
            int around = -row[i];
            for (long k = i > 0 ? i - 1 : 0; k <= i + 1 && k < width; k++)
                around += above[k] + row[k] + below[k];
            to[i] = around == 3 || (around == 2 && row[i] == 1);
        }
        for (long i = 1; i < width - 1; i++)
            to[i] = lives(above, row, below, i - 1, i, i + 1);
    }
}

void NAME(nearest)(const struct everyday *c)
{
    long n = c->n, m = c->m;
    enum { PIECE = 64 };
    const float *restrict x = c->in, *restrict centres = c->other;
    int *restrict out = c->out;
    for (long first = 0; first < n; first += PIECE) {
        float px[PIECE], py[PIECE], closest[PIECE];
        int which[PIECE] = {0};
        long count = n - first < PIECE ? n - first : PIECE;
        for (long i = 0; i < count; i++) {
            px[i] = x[2 * (first + i)];
            py[i] = x[2 * (first + i) + 1];
            closest[i] = INFINITY;
        }
        for (int k = 0; k < m; k++)
            for (long i = 0; i < count; i++) {
                float dx = px[i] - centres[2 * k], dy = py[i] - centres[2 * k + 1];
                float d = dx * dx + dy * dy;
                which[i] = d < closest[i] ? k : which[i];
                closest[i] = d < closest[i] ? d : closest[i];
            }
        for (long i = 0; i < count; i++)
            out[first + i] = which[i];
    }
}

void NAME(mix)(const struct everyday *c)
{
    long n = c->n;
    const int16_t *restrict x = c->in, *restrict y = c->other;
    int16_t *restrict out = c->out;
    for (long i = 0; i < n; i++)
        out[i] = (int16_t)least(greatest(x[i] + y[i], -32768), 32767);
}

void NAME(brighter)(const struct everyday *c)
{
    const uint8_t *restrict x = c->in;
    uint8_t *restrict out = c->out;
    long n = c->n;
    int by = c->zero;
    for (long i = 0; i < n; i++) {
        int s = x[i] + by;
        out[i] = (uint8_t)(s < 0 ? 0 : s > 255 ? 255 : s);
    }
}

void NAME(haar)(const struct everyday *c)
{
    long half = c->j;
    float *restrict low = c->out, *restrict high = low + half;
    for (long i = 0; i < half; i++) {
        float a = low[i], b = high[i];
        low[i] = 0.5f * (a + b);
        high[i] = 0.5f * (a - b);
    }
}

void NAME(planes)(const struct everyday *c)
{
    const uint8_t *restrict x = c->in;
    long n = c->n;
    uint8_t *restrict r = c->out, *restrict g = r + n, *restrict b = g + n;
    for (long i = 0; i < n; i++) {
        r[i] = x[3 * i];
        g[i] = x[3 * i + 1];
        b[i] = x[3 * i + 2];
    }
}

void NAME(swap)(const struct everyday *c)
{
    long n = c->n;
    const uint32_t *restrict x = c->in;
    uint32_t *restrict out = c->out;
    for (long i = 0; i < n; i++)
        out[i] = __builtin_bswap32(x[i]);
}

void NAME(gemv)(const struct everyday *c)
{
    long n = c->n, m = c->m;
    const float *restrict a = c->in, *restrict x = c->other;
    float *restrict out = c->out;
    for (long row = 0; row < n; row++) {
        float total = 0;
        for (long j = 0; j < m; j++)
            total += a[row * m + j] * x[j];
        out[row] = total;
    }
}

/* Rows outside are rows of zeros, or the nearest ones; only the ends of a row have conditions. */
static inline void convolve(const struct everyday *c, bool repeat)
{
    enum { WIDEST = 4096 };
    static const float none[WIDEST];
    const float *restrict in = c->in, *w = c->other;
    float *out = c->out;
    long height = c->n, width = c->m;
    float w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4], w5 = w[5], w6 = w[6], w7 = w[7],
          w8 = w[8];
    for (long y = 0; y < height; y++) {
        float *restrict to = out + y * width;
        const float *q = in + y * width, *other = repeat ? q : none;
        const float *p = y > 0 ? q - width : other, *r = y < height - 1 ? q + width : other;
        for (long x = 0; x < width; x += width - 1) {
            long first = x > 0 ? x - 1 : repeat ? 0 : -1;
            long last = x < width - 1 ? x + 1 : repeat ? x : -1;
            float total = w1 * p[x] + w4 * q[x] + w7 * r[x];
            if (first >= 0)
                total += w0 * p[first] + w3 * q[first] + w6 * r[first];
            if (last >= 0)
                total += w2 * p[last] + w5 * q[last] + w8 * r[last];
            to[x] = total;
        }
        for (long x = 1; x < width - 1; x++)
            to[x] = w0 * p[x - 1] + w1 * p[x] + w2 * p[x + 1] + w3 * q[x - 1] + w4 * q[x] +
                    w5 * q[x + 1] + w6 * r[x - 1] + w7 * r[x] + w8 * r[x + 1];
    }
}

void NAME(conv3)(const struct everyday *c)
{
    convolve(c, false);
}

void NAME(conv3_edges)(const struct everyday *c)
{
    convolve(c, true);
}

void NAME(heat)(const struct everyday *c)
{
    const float *restrict x = c->in;
    float *restrict out = c->out;
    long height = c->n, width = c->m;
    float rate = c->scale;
    memcpy(out, x, (size_t)width * sizeof *x);
    memcpy(out + (height - 1) * width, x + (height - 1) * width, (size_t)width * sizeof *x);
    for (long y = 1; y < height - 1; y++) {
        const float *row = x + y * width;
        float *restrict to = out + y * width;
        to[0] = row[0];
        to[width - 1] = row[width - 1];
        for (long i = 1; i < width - 1; i++)
            to[i] = row[i] + rate * (row[i - 1] + row[i + 1] + row[i - width] + row[i + width] -
                                     4.0f * row[i]);
    }
}

static inline float most(float a, float b)
{
    return a > b ? a : b;
}

void NAME(pool)(const struct everyday *c)
{
    long height = c->n / 2, width = c->m / 2;
    for (long y = 0; y < height; y++) {
        const float *restrict above = (const float *)c->in + 2 * y * c->m, *below = above + c->m;
        float *restrict out = (float *)c->out + y * width;
        for (long x = 0; x < width; x++)
            out[x] =
                most(most(above[2 * x], above[2 * x + 1]), most(below[2 * x], below[2 * x + 1]));
    }
}

/* By pieces that stay in registers or near, as the window's length is known to the caller only. */
void NAME(moving)(const struct everyday *c)
{
    enum { PIECE = 64 };
    long n = c->n, m = c->m, i = 0;
    const float *restrict x = c->in;
    float *restrict out = c->out;
    for (; i + PIECE + m <= n; i += PIECE) {
        float best[PIECE];
        for (long l = 0; l < PIECE; l++)
            best[l] = x[i + l];
        for (long k = 1; k < m; k++)
            for (long l = 0; l < PIECE; l++)
                best[l] = most(best[l], x[i + k + l]);
        for (long l = 0; l < PIECE; l++)
            out[i + l] = best[l];
    }
    for (; i < n; i++) {
        float best = x[i];
        for (long k = 1; k < m && i + k < n; k++)
            best = most(best, x[i + k]);
        out[i] = best;
    }
}

void NAME(bilinear)(const struct everyday *c)
{
    long height = c->n, width = c->m, high = c->j, wide = c->k;
    const float *restrict in = c->in;
    float tall = (float)(height - 1) / (float)(high - 1);
    float broad = (float)(width - 1) / (float)(wide - 1);
    for (long row = 0; row < high; row++) {
        float y = (float)row * tall;
        int y0 = (int)y, y1 = least(y0 + 1, (int)height - 1);
        float dy = y - (float)y0;
        const float *p = in + y0 * width, *q = in + y1 * width;
        float *restrict out = (float *)c->out + row * wide;
        for (int column = 0; column < (int)wide; column++) {
            float x = (float)column * broad;
            int x0 = (int)x, x1 = least(x0 + 1, (int)width - 1);
            float dx = x - (float)x0;
            float above = p[x0] + dx * (p[x1] - p[x0]), below = q[x0] + dx * (q[x1] - q[x0]);
            out[column] = above + dy * (below - above);
        }
    }
}

void NAME(merge)(const struct everyday *c)
{
    long n = c->n;
    const uint8_t *restrict r = c->in, *restrict g = r + n, *restrict b = g + n;
    uint8_t *restrict out = c->out;
    for (long i = 0; i < n; i++) {
        out[3 * i] = r[i];
        out[3 * i + 1] = g[i];
        out[3 * i + 2] = b[i];
    }
}

/* Four tables, as an addition waits for one to the same place just before. */
void NAME(histogram)(const struct everyday *c)
{
    enum { TABLES = 4, BYTES = 256 };
    long n = c->n, i = 0;
    const uint8_t *restrict x = c->in;
    int *restrict count = c->out, tables[TABLES][BYTES] = {{0}};
    for (; i + TABLES <= n; i += TABLES)
        for (int t = 0; t < TABLES; t++)
            tables[t][x[i + t]]++;
    for (; i < n; i++)
        count[x[i]]++;
    for (int b = 0; b < BYTES; b++)
        count[b] += tables[0][b] + tables[1][b] + tables[2][b] + tables[3][b];
}

void NAME(csr)(const struct everyday *c)
{
    const int *restrict start = c->in, *restrict column = start + c->n + 1;
    const float *restrict value = c->other, *restrict x = value + c->k;
    float *restrict out = c->out;
    for (long row = 0; row < c->n; row++) {
        float total = 0;
        for (long i = start[row]; i < start[row + 1]; i++)
            total += value[i] * x[column[i]];
        out[row] = total;
    }
}

/* Without a branch, which could not be foreseen. */
void NAME(compact)(const struct everyday *c)
{
    const int *restrict x = c->in;
    int *restrict out = c->out;
    long count = 0;
    for (long i = 0; i < c->n; i++) {
        out[count] = x[i];
        count += x[i] > 0;
    }
    out[count] = 0;
}

void NAME(prefix)(const struct everyday *c)
{
    const int *restrict x = c->in;
    int *restrict out = c->out, total = 0;
    for (long i = 0; i < c->n; i++)
        out[i] = total += x[i];
}

void NAME(prefix_floats)(const struct everyday *c)
{
    const float *restrict x = c->in;
    float *restrict out = c->out, total = 0;
    for (long i = 0; i < c->n; i++)
        out[i] = total += x[i];
}

void NAME(row_suffix)(const struct everyday *c)
{
    for (long row = 0; row < c->n; row++) {
        const float *restrict x = (const float *)c->in + row * c->m;
        float *restrict out = (float *)c->out + row * c->m, total = 0;
        for (long j = c->m - 1; j >= 0; j--)
            out[j] = total += x[j];
    }
}

void NAME(centre)(const struct everyday *c)
{
    for (long row = 0; row < c->n; row++) {
        const float *restrict x = (const float *)c->in + row * c->m;
        float *restrict out = (float *)c->out + row * c->m, total = 0;
        for (long j = 0; j < c->m; j++)
            total += x[j];
        float mean = total / (float)c->m;
        for (long j = 0; j < c->m; j++)
            out[j] = x[j] - mean;
    }
}
