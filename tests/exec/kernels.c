/*
 * Every shipped kernel against a reference in double, over sizes 0, 1, odd, one below and above
 * each block size, and large; over storage types; on the interpreter and the CPU, or on the targets
 * that are named: exec_kernels [TARGET...].
 */
#include "harness.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- references ---------------------------------------------------------------------------- */

static void vector_add(struct exec_problem *p)
{
    for (int64_t i = 0; i < p->size[0]; i++)
        p->array[2][i] = p->array[0][i] + p->array[1][i];
}

static void copy(struct exec_problem *p)
{
    memcpy(p->array[1], p->array[0], (size_t)p->size[0] * sizeof(double));
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void gelu(struct exec_problem *p)
{
    for (int64_t i = 0; i < p->size[0]; i++)
        p->array[1][i] = 0.5 * p->array[0][i] * (1 + erf(p->array[0][i] / sqrt(2)));
}

static void gelu_tanh(struct exec_problem *p)
{
    for (int64_t i = 0; i < p->size[0]; i++) {
        double x = p->array[0][i];
        p->array[1][i] = 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    }
}

static void silu(struct exec_problem *p)
{
    for (int64_t i = 0; i < p->size[0]; i++)
        p->array[1][i] = p->array[0][i] * sigmoid(p->array[0][i]);
}

static void swiglu(struct exec_problem *p)
{
    for (int64_t i = 0; i < p->size[0]; i++)
        p->array[2][i] = p->array[0][i] * sigmoid(p->array[0][i]) * p->array[1][i];
}

static void sum_parts(struct exec_problem *p)
{
    enum { BLOCK = 64 };
    memset(p->array[1], 0, (size_t)p->size[0] * sizeof(double));
    for (int64_t i = 0; i < p->size[1]; i++)
        p->array[1][i / BLOCK % p->size[0]] += p->array[0][i];
}

static void sum_total(struct exec_problem *p)
{
    p->array[1][0] = 0;
    for (int64_t i = 0; i < p->size[1]; i++)
        p->array[1][0] += p->array[0][i];
}

static void softmax(struct exec_problem *p)
{
    int64_t n = p->size[1];
    for (int64_t r = 0; r < p->size[0]; r++) {
        const double *x = p->array[0] + r * n;
        double *out = p->array[1] + r * n, top = -INFINITY, total = 0;
        for (int64_t i = 0; i < n; i++)
            top = fmax(top, x[i]);
        for (int64_t i = 0; i < n; i++)
            total += out[i] = exp(x[i] - top);
        for (int64_t i = 0; i < n; i++)
            out[i] /= total;
    }
}

static double mean_square(const double *x, int64_t n, double mean)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++)
        total += (x[i] - mean) * (x[i] - mean);
    return total / (double)n;
}

static void layernorm(struct exec_problem *p)
{
    int64_t n = p->size[1];
    for (int64_t r = 0; r < p->size[0]; r++) {
        const double *x = p->array[0] + r * n;
        double mean = 0;
        for (int64_t i = 0; i < n; i++)
            mean += x[i] / (double)n;
        double scale = 1 / sqrt(mean_square(x, n, mean) + 1e-5);
        for (int64_t i = 0; i < n; i++)
            p->array[3][r * n + i] = (x[i] - mean) * scale * p->array[1][i] + p->array[2][i];
    }
}

static void rmsnorm(struct exec_problem *p)
{
    int64_t n = p->size[1];
    for (int64_t r = 0; r < p->size[0]; r++) {
        const double *x = p->array[0] + r * n;
        double scale = 1 / sqrt(mean_square(x, n, 0) + 1e-5);
        for (int64_t i = 0; i < n; i++)
            p->array[2][r * n + i] = x[i] * scale * p->array[1][i];
    }
}

static void cross_entropy(struct exec_problem *p)
{
    int64_t n = p->size[1];
    for (int64_t r = 0; r < p->size[0]; r++) {
        const double *x = p->array[0] + r * n;
        double top = -INFINITY, total = 0, label = p->array[1][r];
        for (int64_t i = 0; i < n; i++)
            top = fmax(top, x[i]);
        for (int64_t i = 0; i < n; i++)
            total += exp(x[i] - top);
        bool counts = label >= 0 && label < (double)n;
        p->array[2][r] = counts ? log(total) + (top - x[(int64_t)label]) : 0;
    }
}

static void row_argmax(struct exec_problem *p)
{
    int64_t n = p->size[1];
    for (int64_t r = 0; r < p->size[0]; r++) {
        int64_t best = 0;
        for (int64_t i = 1; i < n; i++)
            if (p->array[0][r * n + i] > p->array[0][r * n + best])
                best = i;
        p->array[1][r] = (double)best;
    }
}

/* By order: how many come before an element is its place. */
static void top_k(struct exec_problem *p)
{
    int64_t n = p->size[1], k = p->size[2];
    for (int64_t r = 0; r < p->size[0]; r++) {
        const double *x = p->array[0] + r * n;
        for (int64_t i = n; i < k; i++) {
            p->array[1][r * k + i] = -INFINITY;
            p->array[2][r * k + i] = -1;
        }
        for (int64_t i = 0; i < n; i++) {
            int64_t place = 0;
            for (int64_t j = 0; j < n; j++)
                place += x[j] > x[i] || (x[j] == x[i] && j < i);
            if (place < k) {
                p->array[1][r * k + place] = x[i];
                p->array[2][r * k + place] = (double)i;
            }
        }
    }
}

static void group_norm(struct exec_problem *p)
{
    int64_t channels = p->size[1] * p->size[2], hw = p->size[3], size = p->size[2] * hw;
    for (int64_t g = 0; g < p->size[0] * p->size[1]; g++) {
        const double *x = p->array[0] + g * size;
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < size; i++)
            mean += x[i] / (double)size;
        for (int64_t i = 0; i < size; i++)
            variance += (x[i] - mean) * (x[i] - mean) / (double)size;
        for (int64_t i = 0; i < size; i++) {
            int64_t channel = (g * p->size[2] + i / hw) % channels;
            p->array[3][g * size + i] =
                (x[i] - mean) / sqrt(variance + 1e-5) * p->array[1][channel] + p->array[2][channel];
        }
    }
    p->scale = 4;
}

/* size: batches, which are as many as heads of keys, room for keys, heads, their size */
static void attention_decode(struct exec_problem *p)
{
    int64_t a = p->size[0], room = p->size[1], heads = p->size[2], size = p->size[3];
    for (int64_t i = 0; i < a * heads; i++) {
        int64_t b = i / heads, kv = i % heads / (heads / a), keys = (int64_t)p->array[3][b];
        const double *q = p->array[0] + i * size, *k = p->array[1] + (b * a + kv) * room * size;
        const double *v = p->array[2] + (b * a + kv) * room * size;
        double total = 0, top = -INFINITY, *out = p->array[4] + i * size;
        keys = keys < room ? keys : room;
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t j = 0; j < keys; j++) {
                double product = 0;
                for (int64_t d = 0; d < size; d++)
                    product += 0.25 * q[d] * k[j * size + d];
                if (pass == 0) {
                    top = fmax(top, product);
                    continue;
                }
                total += exp(product - top);
                for (int64_t d = 0; d < size; d++)
                    out[d] += exp(product - top) * v[j * size + d];
            }
        }
        for (int64_t d = 0; d < size && total > 0; d++)
            out[d] /= total;
    }
}

static int64_t near_place(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* Of the size[2] elements around each. */
static void median(struct exec_problem *p)
{
    int64_t n = p->size[1], width = p->size[2];
    for (int64_t i = 0; i < p->size[0] * n; i++) {
        const double *row = p->array[0] + i / n * n;
        for (int64_t j = 0; j < width; j++) {
            double x = row[near_place(i % n + j - width / 2, n)];
            int64_t less = 0, equal = 0;
            for (int64_t k = 0; k < width; k++) {
                double other = row[near_place(i % n + k - width / 2, n)];
                less += other < x;
                equal += other == x;
            }
            if (less <= width / 2 && width / 2 < less + equal)
                p->array[1][i] = x;
        }
    }
}

static void row_cumsum(struct exec_problem *p)
{
    int64_t n = p->size[1];
    for (int64_t r = 0; r < p->size[0]; r++) {
        double total = 0;
        for (int64_t i = 0; i < n; i++)
            p->array[1][r * n + i] = total += p->array[0][r * n + i];
    }
    p->scale = 1 + sqrt((double)n);
}

static void transpose(struct exec_problem *p)
{
    for (int64_t i = 0; i < p->size[0]; i++)
        for (int64_t j = 0; j < p->size[1]; j++)
            p->array[1][j * p->size[0] + i] = p->array[0][i * p->size[1] + j];
}

static void histogram(struct exec_problem *p)
{
    for (int64_t i = 0; i < p->size[0]; i++)
        if (p->array[0][i] >= 0 && p->array[0][i] < (double)p->size[1])
            p->array[1][(int64_t)p->array[0][i]]++;
}

static void nbody(struct exec_problem *p)
{
    int64_t n = p->size[0];
    const double *at = p->array[0], *mass = p->array[1];
    for (int64_t i = 0; i < 3 * n; i++)
        p->array[2][i] = 0;
    for (int64_t pair = 0; pair < n * n; pair++) {
        int64_t i = pair / n, j = pair % n;
        double d[3], square = 0.25;
        for (int k = 0; k < 3; k++) {
            d[k] = at[k * n + j] - at[k * n + i];
            square += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++)
            p->array[2][k * n + i] += mass[j] * d[k] / (square * sqrt(square));
    }
    p->scale = 1 + sqrt((double)n); /* terms have both signs */
}

static void adam(struct exec_problem *p)
{
    const double lr = 0.01, beta1 = 0.9, beta2 = 0.99, decay = 0.1, first = 0.19, second = 0.0199;
    for (int64_t i = 0; i < p->size[0]; i++) {
        double g = p->array[1][i], *m = &p->array[2][i], *v = &p->array[3][i];
        *m = beta1 * *m + (1 - beta1) * g;
        *v = beta2 * *v + (1 - beta2) * g * g;
        p->array[0][i] -= lr * (*m / first / (sqrt(*v / second) + 1e-8) + decay * p->array[0][i]);
    }
}

static void rmsnorm_backward(struct exec_problem *p)
{
    int64_t n = p->size[1];
    const double *w = p->array[1];
    for (int64_t row = 0; row < p->size[0]; row++) {
        const double *x = p->array[0] + row * n, *dy = p->array[2] + row * n;
        double *dx = p->array[3] + row * n, *part = p->array[4] + row % p->size[2] * n;
        double r = 1 / sqrt(mean_square(x, n, 0) + 1e-5), mean = 0;
        for (int64_t i = 0; i < n; i++)
            mean += w[i] * dy[i] * x[i] / (double)n;
        for (int64_t i = 0; i < n; i++) {
            dx[i] = r * w[i] * dy[i] - r * r * r * mean * x[i];
            part[i] += r * x[i] * dy[i];
        }
    }
}

static void rmsnorm_backward_weight(struct exec_problem *p)
{
    p->scale = 1 + sqrt((double)p->size[0]);
    for (int64_t i = 0; i < p->size[0] * p->size[1]; i++)
        p->array[1][i % p->size[1]] += p->array[0][i];
}

/* The reference of attention: which keys a row sees depends on causal. */
static void attend(struct exec_problem *p, bool causal)
{
    int64_t n = p->size[1], keys = p->size[2], d = p->size[3];
    double *weight = calloc((size_t)keys + 1, sizeof *weight);
    assert_non_null(weight);
    for (int64_t row = 0; row < p->size[0] * n; row++) {
        const double *q = p->array[0] + row * d, *k = p->array[1] + row / n * keys * d;
        const double *v = p->array[2] + row / n * keys * d;
        double *out = p->array[3] + row * d, top = -INFINITY, total = 0;
        int64_t seen = causal && row % n + keys - n + 1 < keys ? row % n + keys - n + 1 : keys;
        for (int64_t j = 0; j < seen; j++) {
            weight[j] = 0;
            for (int64_t i = 0; i < d; i++)
                weight[j] += 0.25 * q[i] * k[j * d + i];
            top = fmax(top, weight[j]);
        }
        for (int64_t j = 0; j < seen; j++)
            total += weight[j] = exp(weight[j] - top);
        for (int64_t j = 0; j < seen; j++)
            for (int64_t i = 0; i < d; i++)
                out[i] += weight[j] / total * v[j * d + i];
    }
    free(weight);
}

static void attention(struct exec_problem *p)
{
    attend(p, false);
}

static void attention_causal(struct exec_problem *p)
{
    attend(p, true);
}

static void rope(struct exec_problem *p)
{
    int64_t pairs = p->size[1], heads = p->size[2];
    for (int64_t h = 0; h < p->size[0] * heads; h++) {
        const double *x = p->array[0] + h * 2 * pairs;
        double *out = p->array[2] + h * 2 * pairs;
        for (int64_t i = 0; i < pairs; i++) {
            double angle = p->array[1][h / heads] * pow(10000, -(double)i / (double)pairs);
            out[i] = x[i] * cos(angle) - x[i + pairs] * sin(angle);
            out[i + pairs] = x[i + pairs] * cos(angle) + x[i] * sin(angle);
        }
    }
    /* With log2, exp2, cos and sin within 2 ULP, and float products between, an angle is off by 2e-7
     * of the position at most; positions go up to pairs, and elements up to about 4. */
    p->scale = 1 + (double)pairs / 16;
}

/* Written from the definition of Philox4x32, all four words of it. */
static uint32_t philox(uint32_t seed, uint32_t counter)
{
    uint32_t word[4] = {counter, 0, 0, 0}, key[2] = {seed, 0};
    for (int round = 0; round < 10; round++) {
        uint64_t first = UINT64_C(0xD2511F53) * word[0], second = UINT64_C(0xCD9E8D57) * word[2];
        uint32_t next[4] = {(uint32_t)(second >> 32) ^ word[1] ^ key[0], (uint32_t)second,
                            (uint32_t)(first >> 32) ^ word[3] ^ key[1], (uint32_t)first};
        memcpy(word, next, sizeof word);
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return word[0];
}

static void dropout(struct exec_problem *p)
{
    assert_int_equal(philox(0, 0), 0x6627e8d5); /* the known answer that its authors publish */
    for (int64_t i = 0; i < p->size[0]; i++)
        p->array[1][i] = philox(7, (uint32_t)i) >= UINT32_C(1) << 30 ? p->array[0][i] / 0.75 : 0;
}

static void matvec_nf4(struct exec_problem *p)
{
    static const double values[16] = {-1.0,          -0.6961928009, -0.5250730515, -0.3949174881,
                                      -0.2844413817, -0.1847734302, -0.0910500363, 0.0,
                                      0.0795802996,  0.1609302014,  0.2461123019,  0.3379152417,
                                      0.4407098293,  0.5626170039,  0.7229568362,  1.0};
    int64_t blocks = p->size[1];
    for (int64_t r = 0; r < p->size[0]; r++) {
        for (int64_t b = 0; b < blocks; b++) {
            const double *q = p->array[0] + (r * blocks + b) * 32, *x = p->array[2] + b * 64;
            for (int64_t i = 0; i < 32; i++)
                p->array[3][r] +=
                    p->array[1][r * blocks + b] *
                    (values[(int)q[i] / 16] * x[2 * i] + values[(int)q[i] % 16] * x[2 * i + 1]);
        }
    }
    p->scale = 2 * (1 + sqrt((double)blocks));
}

static void matvec_q4(struct exec_problem *p)
{
    int64_t groups = p->size[1];
    for (int64_t r = 0; r < p->size[0]; r++) {
        for (int64_t g = 0; g < groups; g++) {
            const double *q = p->array[0] + (r * groups + g) * 16, *x = p->array[2] + g * 32;
            for (int64_t i = 0; i < 16; i++)
                p->array[3][r] +=
                    p->array[1][r * groups + g] *
                    ((fmod(q[i], 16) - 8) * x[i] + (floor(q[i] / 16) - 8) * x[i + 16]);
        }
    }
    p->scale = 4 * (1 + sqrt((double)groups));
}

static void matvec_q8(struct exec_problem *p)
{
    int64_t groups = p->size[1], each = p->size[2];
    for (int64_t r = 0; r < p->size[0]; r++) {
        for (int64_t g = 0; g < groups; g++) {
            const double *w = p->array[0] + (r * groups + g) * each, *x = p->array[2] + g * each;
            double sum = 0;
            for (int64_t i = 0; i < each; i++)
                sum += w[i] * x[i];
            p->array[4][r] += p->array[1][r * groups + g] * p->array[3][g] * sum;
        }
    }
    p->scale = 40000 * (1 + sqrt((double)groups)); /* a group's sum is about 5400 times its root */
}

static void upsample_nearest(struct exec_problem *p)
{
    int64_t height = p->size[1], width = p->size[2], factor = p->size[3];
    for (int64_t c = 0; c < p->size[0]; c++) {
        for (int64_t y = 0; y < factor * height; y++) {
            for (int64_t x = 0; x < factor * width; x++)
                p->array[1][(c * factor * height + y) * factor * width + x] =
                    p->array[0][(c * height + y / factor) * width + x / factor];
        }
    }
}

static void rope_pairs(struct exec_problem *p)
{
    int64_t pairs = p->size[1], heads = p->size[2];
    for (int64_t h = 0; h < p->size[0] * heads; h++) {
        for (int64_t i = 0; i < pairs; i++) {
            const double *x = p->array[0] + (h * pairs + i) * 2;
            double *out = p->array[3] + (h * pairs + i) * 2;
            double c = p->array[1][h / heads * pairs + i], s = p->array[2][h / heads * pairs + i];
            out[0] = x[0] * c - x[1] * s;
            out[1] = x[1] * c + x[0] * s;
        }
    }
    p->scale = 4;
}

/* Of a row-major array: what lies outside counts as 0. */
static double inside(const double *x, int64_t rows, int64_t columns, int64_t y, int64_t i)
{
    return y >= 0 && y < rows && i >= 0 && i < columns ? x[y * columns + i] : 0;
}

static void stencil3(struct exec_problem *p)
{
    int64_t n = p->size[0];
    for (int64_t i = 0; i < n; i++) {
        double around = inside(p->array[0], 1, n, 0, i - 1) + inside(p->array[0], 1, n, 0, i + 1);
        p->array[1][i] = around / 4 + p->array[0][i] / 2;
    }
}

static void stencil5(struct exec_problem *p)
{
    int64_t height = p->size[0], width = p->size[1];
    const double *x = p->array[0];
    for (int64_t y = 0; y < height; y++) {
        for (int64_t i = 0; i < width; i++) {
            double around = inside(x, height, width, y, i - 1) + inside(x, height, width, y, i + 1) +
                            inside(x, height, width, y - 1, i) + inside(x, height, width, y + 1, i);
            double here = x[y * width + i];
            p->array[1][y * width + i] = here + 0.2 * (around - 4 * here);
        }
    }
    p->scale = 4;
}

static void fir(struct exec_problem *p)
{
    for (int64_t i = 0; i < p->size[0]; i++)
        for (int64_t k = 0; k < p->size[1] && k <= i; k++)
            p->array[2][i] += p->array[1][k] * p->array[0][i - k];
    p->scale = 4 * (1 + sqrt((double)p->size[1]));
}

/* The element at a place, or the nearest one inside. */
static double nearest(const struct exec_problem *p, int64_t y, int64_t x)
{
    int64_t height = p->size[0], width = p->size[1];
    y = y < 0 ? 0 : y < height ? y : height - 1;
    x = x < 0 ? 0 : x < width ? x : width - 1;
    return p->array[0][y * width + x];
}

static void blur(struct exec_problem *p)
{
    for (int64_t y = 0; y < p->size[0]; y++) {
        for (int64_t x = 0; x < p->size[1]; x++) {
            double total = 4;
            for (int64_t k = 0; k < 9; k++)
                total += nearest(p, y + k / 3 - 1, x + k % 3 - 1);
            p->array[1][y * p->size[1] + x] = floor(total / 9);
        }
    }
}

static void sobel(struct exec_problem *p)
{
    static const int weights[] = {1, 2, 1};
    for (int64_t y = 0; y < p->size[0]; y++) {
        for (int64_t x = 0; x < p->size[1]; x++) {
            double gx = 0, gy = 0;
            for (int64_t k = 0; k < 3; k++) {
                gx += weights[k] * (nearest(p, y + k - 1, x + 1) - nearest(p, y + k - 1, x - 1));
                gy += weights[k] * (nearest(p, y + 1, x + k - 1) - nearest(p, y - 1, x + k - 1));
            }
            p->array[1][y * p->size[1] + x] = fmin(fabs(gx) + fabs(gy), 255);
        }
    }
}

static void gray(struct exec_problem *p)
{
    for (int64_t i = 0; i < p->size[0]; i++) {
        const double *x = p->array[0] + 3 * i;
        p->array[1][i] = floor((77 * x[0] + 150 * x[1] + 29 * x[2] + 128) / 256);
    }
}

static void blend(struct exec_problem *p)
{
    for (int64_t i = 0; i < p->size[0] * 4; i++) {
        double alpha = p->array[0][i / 4 * 4 + 3];
        double a = i % 4 == 3 ? 255 : p->array[0][i], b = p->array[1][i];
        p->array[2][i] = floor((a * alpha + b * (255 - alpha)) / 255 + 0.5);
    }
}

/* ---- cases --------------------------------------------------------------------------------- */

#define FLAT_BLOCKS                                                                                \
    {                                                                                              \
        "BLOCK=64", "BLOCK=1024", "BLOCK=48"                                                       \
    }
#define FLAT_SHAPES                                                                                \
    {                                                                                              \
        {0, 1}, {1, 1}, {47, 1}, {63, 1}, {64, 1}, {65, 1}, {1023, 1}, {1025, 1}, {4099, 1},       \
            {1000003, 1},                                                                          \
        {                                                                                          \
            -1                                                                                     \
        }                                                                                          \
    }
#define PICTURE_SHAPES                                                                             \
    {                                                                                              \
        {0, 5}, {1, 1}, {1, 2}, {2, 1}, {3, 63}, {2, 64}, {5, 65}, {2, 255}, {3, 257}, {33, 1000}, \
        {                                                                                          \
            -1                                                                                     \
        }                                                                                          \
    }
#define ROW_BLOCKS                                                                                 \
    {                                                                                              \
        "BLOCK=64", "BLOCK=256", "BLOCK=24"                                                        \
    }
#define TILE_BLOCKS                                                                                \
    {                                                                                              \
        "BLOCK=pow2", "BLOCK=4096"                                                                 \
    }
#define ROW_SHAPES                                                                                 \
    {                                                                                              \
        {0, 7}, {1, 1}, {3, 23}, {2, 25}, {3, 63}, {2, 64}, {3, 65}, {5, 255}, {2, 257},           \
            {7, 1009}, {300, 1024},                                                                \
        {                                                                                          \
            -1                                                                                     \
        }                                                                                          \
    }
#define FLOATS "f32 f16 bf16"
#define APPROXIMATE                                                                                \
    {                                                                                              \
        4e-6, 1.2e-3, 9e-3                                                                         \
    }
#define ROUNDED                                                                                    \
    {                                                                                              \
        2e-7, 1e-3, 8e-3                                                                           \
    } /* rounded once to the storage type */
#define UNARY(name)                                                                                \
    {                                                                                              \
        "kernels/activations.tile.c", #name, "X:T:a:in Out:T:a:out n=a", FLOATS, FLAT_BLOCKS,      \
            FLAT_SHAPES, name, APPROXIMATE                                                         \
    }
#define ROWS(name, suffix, arguments, blocks, reference)                                           \
    {                                                                                              \
        "kernels/" #name ".tile.c", #name suffix, arguments, FLOATS, blocks, ROW_SHAPES,           \
            reference, APPROXIMATE                                                                 \
    }

/* Weights are rounded to the storage type before they meet V. */
#define ATTENTION_ARGUMENTS                                                                        \
    "Q:T:abd:in K:T:acd:in V:T:acd:in Out:T:abd:out heads=a n=b keys=c scale~0.25 causal="
#define ATTENTION(reference, flag)                                                                 \
    {                                                                                              \
        "kernels/attention.tile.c", "attention", ATTENTION_ARGUMENTS flag,                         \
            FLOATS,                                                                                \
            {"D=16 BLOCK_M=16 BLOCK_N=16", "D=16 BLOCK_M=32 BLOCK_N=8",                            \
             "D=16 BLOCK_M=5 BLOCK_N=7"},                                                          \
            {{0, 3, 3, 16},                                                                        \
             {1, 1, 1, 16},                                                                        \
             {2, 3, 0, 16},                                                                        \
             {1, 1, 70, 16},                                                                       \
             {3, 33, 33, 16},                                                                      \
             {2, 31, 65, 16},                                                                      \
             {1, 40, 7, 16},                                                                       \
             {2, 257, 300, 16},                                                                    \
             {-1}},                                                                                \
            reference,                                                                             \
        {                                                                                          \
            4e-6, 2.5e-3, 2e-2                                                                     \
        }                                                                                          \
    }
/* Tiles as large as those that warpgroups multiply on sm_90a, and some that single warps do. */
#define LARGE_ATTENTION(reference, flag)                                                           \
    {                                                                                              \
        "kernels/attention.tile.c", "attention", ATTENTION_ARGUMENTS flag, "f16 bf16",             \
            {"D=64 BLOCK_M=64 BLOCK_N=64", "D=64 BLOCK_M=128 BLOCK_N=64",                          \
             "D=64 BLOCK_M=32 BLOCK_N=16", "D=64 BLOCK_M=64 BLOCK_N=128"},                         \
            {{1, 1, 1, 64}, {2, 37, 70, 64}, {1, 200, 64, 64}, {2, 130, 259, 64}, {-1}},          \
            reference,                                                                             \
        {                                                                                          \
            4e-6, 2.5e-3, 2e-2                                                                     \
        }                                                                                          \
    }
#define LIST(...) __VA_ARGS__
static const struct exec_case cases[] = {
    {"kernels/vector_add.tile.c", "vector_add", "X:T:a:in Y:T:a:in Out:T:a:out n=a",
     "f32 f64 f16 bf16 i32 i64 i16 u8", FLAT_BLOCKS, FLAT_SHAPES, vector_add, ROUNDED},
    {"kernels/copy.tile.c",
     "copy",
     "X:T:a:in Out:T:a:out n=a",
     "f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64",
     FLAT_BLOCKS,
     FLAT_SHAPES,
     copy,
     {0}},
    UNARY(gelu),
    UNARY(gelu_tanh),
    UNARY(silu),
    {"kernels/activations.tile.c", "swiglu", "Gate:T:a:in Up:T:a:in Out:T:a:out n=a", FLOATS,
     FLAT_BLOCKS, FLAT_SHAPES, swiglu, APPROXIMATE},
    ROWS(softmax, "", "X:T:ab:score Out:T:ab:out rows=a N=b", LIST(ROW_BLOCKS), softmax),
    ROWS(softmax, "_tile", "X:T:ab:score Out:T:ab:out rows=a N=b", LIST(TILE_BLOCKS), softmax),
    ROWS(layernorm, "", "X:T:ab:in W:T:b:in B:T:b:in Out:T:ab:out rows=a N=b eps~1e-5",
         LIST(ROW_BLOCKS), layernorm),
    ROWS(layernorm, "_tile", "X:T:ab:in W:T:b:in B:T:b:in Out:T:ab:out rows=a N=b eps~1e-5",
         LIST(TILE_BLOCKS), layernorm),
    ROWS(rmsnorm, "", "X:T:ab:in W:T:b:in Out:T:ab:out rows=a N=b eps~1e-5", LIST(ROW_BLOCKS),
         rmsnorm),
    ROWS(rmsnorm, "_tile", "X:T:ab:in W:T:b:in Out:T:ab:out rows=a N=b eps~1e-5", LIST(TILE_BLOCKS),
         rmsnorm),
    ROWS(cross_entropy, "", "X:T:ab:score Label:i32:a:label Loss:f32:a:out rows=a N=b",
         LIST(ROW_BLOCKS), cross_entropy),
    {"kernels/top_k.tile.c",
     "top_k",
     "X:T:ab:in Value:T:ac:out Index:i32:ac:out rows=a N=b",
     FLOATS,
     {"BLOCK=pow2 K=8", "BLOCK=1024 K=8"},
     {{0, 7, 8}, {1, 1, 8}, {2, 7, 8}, {3, 9, 8}, {2, 64, 8}, {3, 255, 8}, {40, 257, 8}, {-1}},
     top_k,
     {0}},
    {"kernels/group_norm.tile.c",
     "group_norm",
     "X:T:abcd:in W:T:bc:in B:T:bc:in Out:T:abcd:out batch=a groups=b per=c hw=d eps~1e-5",
     FLOATS,
     {"BLOCK=64", "BLOCK=256", "BLOCK=1024", "BLOCK=24"},
     {{0, 2, 3, 5},
      {1, 1, 1, 1},
      {2, 3, 4, 1},
      {2, 2, 5, 7},
      {1, 3, 4, 33},
      {2, 2, 3, 64},
      {1, 2, 7, 100},
      {1, 1, 3, 333},
      {2, 4, 2, 1024},
      {-1}},
     group_norm,
     APPROXIMATE},
    {"kernels/attention_decode.tile.c",
     "attention_decode",
     "Q:T:acd:in K:T:aabd:in V:T:aabd:in Length:i32:a:bin Out:T:acd:out batch=a heads=c kv_heads=a "
     "room=b scale~0.25",
     FLOATS,
     {"D=16 BLOCK=64", "D=16 BLOCK=8", "D=16 BLOCK=5"},
     {{1, 1, 1, 16},
      {1, 7, 3, 16},
      {2, 8, 4, 16},
      {3, 9, 6, 16},
      {2, 64, 2, 16},
      {5, 65, 10, 16},
      {4, 300, 8, 16},
      {-1}},
     attention_decode,
     APPROXIMATE},
    {"kernels/row_argmax.tile.c",
     "row_argmax",
     "X:T:ab:in Index:i32:a:out rows=a N=b",
     FLOATS,
     ROW_BLOCKS,
     ROW_SHAPES,
     row_argmax,
     {0}},
    {"kernels/median.tile.c",
     "median",
     "X:T:ab:in Out:T:ab:out rows=a n=b",
     "f32 f64 f16 bf16 i8 u16 i32",
     {"BLOCK=64 REACH=2", "BLOCK=256 REACH=2", "BLOCK=24 REACH=2"},
     {{0, 7, 5}, {1, 1, 5}, {2, 2, 5}, {3, 23, 5}, {2, 64, 5}, {3, 257, 5}, {2, 1009, 5}, {-1}},
     median,
     {0}},
    {"kernels/row_cumsum.tile.c", "row_cumsum", "X:T:ab:in Out:T:ab:out rows=a N=b", FLOATS,
     ROW_BLOCKS, ROW_SHAPES, row_cumsum, APPROXIMATE},
    {"kernels/transpose.tile.c",
     "transpose",
     "X:T:ab:in Out:T:ba:out M=a N=b",
     "f32 f64 f16 i8 u64",
     {"BLOCK_M=32 BLOCK_N=32", "BLOCK_M=16 BLOCK_N=8", "BLOCK_M=5 BLOCK_N=7"},
     {{0, 3}, {1, 1}, {1, 70}, {31, 33}, {32, 32}, {129, 257}, {1000, 1003}, {-1}},
     transpose,
     {0}},
    {"kernels/sum.tile.c",
     "sum_parts",
     "X:T:b:in Parts:f32:a:out n=b programs=a",
     "f32 f16 bf16",
     {"BLOCK=64"}, /* as in the reference */
     {{1, 0}, {1, 1}, {3, 64}, {5, 65}, {7, 1000}, {132, 100003}, {-1}},
     sum_parts,
     {1e-5, 1e-3, 1e-2}},
    {"kernels/sum.tile.c",
     "sum_total",
     "Parts:f32:b:in Out:f32:a:out programs=b",
     "f32",
     {"BLOCK=pow2"},
     {{1, 1}, {1, 5}, {1, 64}, {1, 1056}, {-1}},
     sum_total,
     {1e-5}},
    {"kernels/nbody.tile.c",
     "nbody",
     "P:f32:ba:in M:f32:a:in A:f32:ba:out n=a soft~0.25",
     "f32",
     {"BLOCK=64", "BLOCK=256", "BLOCK=24"},
     {{0, 3}, {1, 3}, {23, 3}, {63, 3}, {65, 3}, {257, 3}, {600, 3}, {-1}},
     nbody,
     APPROXIMATE},
    {"kernels/adam.tile.c", "adam",
     "P:T:a:change G:T:a:in M:f32:a:change V:f32:a:change n=a lr~0.01 beta1~0.9 beta2~0.99 "
     "eps~1e-8 "
     "decay~0.1 correction1~0.19 correction2~0.0199",
     FLOATS, FLAT_BLOCKS, FLAT_SHAPES, adam, APPROXIMATE},
    {"kernels/rmsnorm_backward.tile.c",
     "rmsnorm_backward",
     "X:T:ab:in W:T:b:in dY:T:ab:in dX:T:ab:out Part:f32:cb:out rows=a N=b programs=c eps~1e-5",
     FLOATS,
     TILE_BLOCKS,
     {{0, 7, 2},
      {1, 1, 1},
      {3, 23, 4},
      {5, 64, 2},
      {4, 255, 3},
      {7, 257, 1},
      {9, 1009, 4},
      {300, 1024, 8},
      {-1}},
     rmsnorm_backward,
     {2e-5, 2e-3, 2e-2}},
    {"kernels/rmsnorm_backward.tile.c", "rmsnorm_backward_weight",
     "Part:f32:ab:in dW:T:b:out N=b programs=a", FLOATS, ROW_BLOCKS, ROW_SHAPES,
     rmsnorm_backward_weight, APPROXIMATE},
    {"kernels/histogram.tile.c",
     "histogram",
     "X:i32:a:bin Count:i32:b:add n=a bins=b",
     "i32",
     FLAT_BLOCKS,
     {{0, 5}, {1, 1}, {63, 4}, {65, 256}, {4099, 10}, {100003, 1000}, {-1}},
     histogram,
     {0}},
    ATTENTION(attention, "0"),
    ATTENTION(attention_causal, "1"),
    LARGE_ATTENTION(attention, "0"),
    LARGE_ATTENTION(attention_causal, "1"),
    {"kernels/rope.tile.c",
     "rope",
     "X:T:acdb:in Position:i32:a:bin Out:T:acdb:out tokens=a heads=c pairs=b base~10000",
     FLOATS,
     {"BLOCK=pow2", "BLOCK=256"},
     {{0, 4, 2, 2}, {1, 1, 1, 2}, {3, 31, 2, 2}, {5, 32, 3, 2}, {2, 33, 1, 2}, {7, 64, 5, 2}, {-1}},
     rope,
     {1e-5, 1.2e-3, 9e-3}},
    {"kernels/rope.tile.c",
     "rope_pairs",
     "X:T:acbd:in Cos:f32:ab:in Sin:f32:ab:in Out:T:acbd:out tokens=a heads=c pairs=b",
     FLOATS,
     {"BLOCK=pow2", "BLOCK=256"},
     {{0, 4, 2, 2}, {1, 1, 1, 2}, {3, 31, 2, 2}, {5, 32, 3, 2}, {2, 33, 1, 2}, {7, 64, 5, 2}, {-1}},
     rope_pairs,
     APPROXIMATE},
    {"kernels/dropout.tile.c", "dropout", "X:T:a:in Out:T:a:out n=a p~0.25 seed=7", FLOATS,
     FLAT_BLOCKS, FLAT_SHAPES, dropout, ROUNDED},
    {"kernels/matvec_nf4.tile.c",
     "matvec_nf4",
     "Q:u8:abc:in Absmax:f32:ab:in X:f32:bd:in Y:f32:a:out rows=a blocks=b",
     "f32",
     {"ROWS=4 BLOCKS=1", "ROWS=1 BLOCKS=3", "ROWS=8 BLOCKS=4"},
     {{0, 2, 32, 64},
      {1, 1, 32, 64},
      {3, 0, 32, 64},
      {5, 7, 32, 64},
      {8, 4, 32, 64},
      {9, 17, 32, 64},
      {300, 64, 32, 64},
      {-1}},
     matvec_nf4,
     APPROXIMATE},
    {"kernels/matvec_q4.tile.c",
     "matvec_q4",
     "Q:u8:abc:in Scale:f16:ab:in X:f32:bd:in Y:f32:a:out rows=a groups=b",
     "f32",
     {"ROWS=4 GROUPS=8", "ROWS=1 GROUPS=3", "ROWS=8 GROUPS=16"},
     {{0, 2, 16, 32},
      {1, 1, 16, 32},
      {3, 0, 16, 32},
      {5, 7, 16, 32},
      {8, 8, 16, 32},
      {9, 33, 16, 32},
      {300, 128, 16, 32},
      {-1}},
     matvec_q4,
     APPROXIMATE},
    {"kernels/matvec_q8.tile.c",
     "matvec_q8",
     "W:i8:abc:in Scale:f16:ab:in X:i8:bc:in XScale:f32:b:in Y:f32:a:out rows=a groups=b",
     "f32",
     {"ROWS=4 GROUPS=8", "ROWS=1 GROUPS=3", "ROWS=8 GROUPS=16"},
     {{0, 2, 32},
      {1, 1, 32},
      {3, 0, 32},
      {5, 7, 32},
      {8, 8, 32},
      {9, 33, 32},
      {300, 128, 32},
      {-1}},
     matvec_q8,
     APPROXIMATE},
    {"kernels/upsample.tile.c",
     "upsample_nearest",
     "X:T:abc:in Out:T:abdcd:out channels=a height=b width=c",
     FLOATS,
     {"FACTOR=2 BLOCK=256", "FACTOR=2 BLOCK=16", "FACTOR=2 BLOCK=100"},
     {{0, 2, 2, 2},
      {1, 1, 1, 2},
      {2, 3, 7, 2},
      {3, 5, 16, 2},
      {2, 4, 129, 2},
      {1, 2, 500, 2},
      {-1}},
     upsample_nearest,
     ROUNDED},
    {"kernels/stencil.tile.c", "stencil3", "X:f32:a:in Out:f32:a:out n=a", "f32", FLAT_BLOCKS,
     FLAT_SHAPES, stencil3, APPROXIMATE},
    {"kernels/stencil.tile.c", "stencil5", "X:f32:ab:in Out:f32:ab:out height=a width=b rate~0.2",
     "f32", ROW_BLOCKS, PICTURE_SHAPES, stencil5, APPROXIMATE},
    {"kernels/stencil.tile.c",
     "fir",
     "X:f32:a:in H:f32:b:in Out:f32:a:out n=a taps=b",
     "f32",
     FLAT_BLOCKS,
     {{0, 3}, {1, 1}, {1, 5}, {5, 0}, {63, 7}, {64, 64}, {65, 66}, {200, 150}, {4099, 16}, {-1}},
     fir,
     APPROXIMATE},
    {"kernels/picture.tile.c",
     "blur",
     "X:u8:ab:in Out:u8:ab:out height=a width=b",
     "u8",
     ROW_BLOCKS,
     PICTURE_SHAPES,
     blur,
     {0}},
    {"kernels/picture.tile.c",
     "sobel",
     "X:u8:ab:in Out:u8:ab:out height=a width=b",
     "u8",
     ROW_BLOCKS,
     PICTURE_SHAPES,
     sobel,
     {0}},
    {"kernels/picture.tile.c",
     "gray",
     "X:u8:ab:in Out:u8:a:out count=a",
     "u8",
     FLAT_BLOCKS,
     {{0, 3}, {1, 3}, {15, 3}, {63, 3}, {64, 3}, {65, 3}, {1023, 3}, {1025, 3}, {4099, 3}, {-1}},
     gray,
     {0}},
    {"kernels/picture.tile.c",
     "blend",
     "X:u8:ab:in Y:u8:ab:in Out:u8:ab:out count=a",
     "u8",
     FLAT_BLOCKS,
     {{0, 4}, {1, 4}, {15, 4}, {63, 4}, {64, 4}, {65, 4}, {1023, 4}, {1025, 4}, {4099, 4}, {-1}},
     blend,
     {0}},
};

/* ---- cmocka -------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    return exec_main("kernels", cases, sizeof cases / sizeof *cases, argc, argv);
}
