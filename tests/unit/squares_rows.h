#ifndef TILEC_TESTS_SQUARES_ROWS_H
#define TILEC_TESTS_SQUARES_ROWS_H
/*
 * Rows of many kinds whose sums of squared distances from their mean are compared with double, on
 * any target: never off by more than the sum itself may be in some order, exact where no order
 * rounds; on a CPU the same whatever rows run beside (GPUs have other code for other addresses).
 */
#include "base/half.h"
#include "ir/ir.h"
#include "tilec/tilec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 4096 };

/* Out[p] = m, q, and then the distances as a launch of LayerNorm's kind makes them, so that two
 * programs may run side by side. */
static const char text[] =
    "launch_grid(k, rows);\n"
    "kernel void k(const T *restrict X, float *restrict Out, int rows, int n, float over,\n"
    "              constexpr int BLOCK)\n"
    "{\n"
    "    int p = program_id(0), i = arange(0, BLOCK);\n"
    "    float x = load(X + p * n + i, i < n);\n"
    "    float m = sum(x) * over;\n"
    "    float d = DISTANCE;\n"
    "    float q = sum(d * d);\n"
    "    float y = d * sqrt(q) * 0.5f + m;\n"
    "    store(Out + p * BLOCK + i, where(i == 0, m, where(i == 1, q, y)));\n"
    "}\n";

/* Between -1 and 1, not evenly in bits. */
static float next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / (float)(1 << 23) - 1;
}

enum kind {
    EVEN,
    BELLS,
    POSITIVE,
    NEAR_LIMIT,
    OFF,
    FAR_OFF,
    WHOLE,
    WHOLE_MORE,
    WHOLE_OFF,
    SIGNS_OFF,
    QUARTERS,
    OUTLIER,
    OUTLIER_FIRST,
    RARE,
    ZERO,
    EQUAL,
    INFINITE,
    NOT_A_NUMBER,
    HUGE_ONES,
    SQUARES_OVER,
    SMALL,
    TINY,
    MIXED_SIZES,
    FIRST_EQUAL,
    KINDS
};

static float element(enum kind kind, int i, uint32_t *seed)
{
    float u = next(seed), whole = floorf(u * 8);
    switch (kind) {
    case BELLS:
        return u + next(seed) + next(seed) + next(seed);
    case POSITIVE:
        return u + 1;
    case NEAR_LIMIT:
        return u + 0.99f;
    case OFF:
        return u * 4 + 2.3f;
    case FAR_OFF:
        return u + 1000;
    case WHOLE:
        return whole;
    case WHOLE_MORE:
        return floorf(u * 2000);
    case WHOLE_OFF:
        return whole + 0x1p-11f;
    case SIGNS_OFF:
        return (i % 2 ? 1.0f : -1.0f) + 0x1p-11f;
    case QUARTERS:
        return floorf(u * 100) / 4;
    case OUTLIER:
        return i == 77 ? 300 : u;
    case OUTLIER_FIRST:
        return i == 0 ? 300 : whole;
    case RARE:
        return i % 61 == 5 ? u : 0;
    case ZERO:
        return 0;
    case EQUAL:
        return 0.3f;
    case INFINITE:
        return i == 100 ? INFINITY : u;
    case NOT_A_NUMBER:
        return i == 100 ? NAN : u;
    case HUGE_ONES:
        return u * 30000;
    case SQUARES_OVER:
        return u * 0x1p66f;
    case SMALL:
        return u * 0x1p-20f;
    case TINY:
        return u * 0x1p-66f;
    case MIXED_SIZES:
        return ldexpf(u, i % 16 - 8);
    case FIRST_EQUAL:
        return i < 64 ? 0.5f : u;
    default:
        return u;
    }
}

struct type {
    const char *name;
    tilec_type type;
    size_t bytes;
};

/* As the type has it. */
static float put(const struct type *type, float x, void *at)
{
    uint16_t bits =
        type->type == TILEC_F16 ? half_from_double((double)x) : bfloat_from_double((double)x);
    if (type->type == TILEC_F32) {
        memcpy(at, &x, sizeof x);
        return x;
    }
    memcpy(at, &bits, sizeof bits);
    return type->type == TILEC_F16 ? half_to_float(bits) : bfloat_to_float(bits);
}

/* The sum of each row, and its mean. */
static void launch(tilec_kernel *kernel, const struct type *type, const void *in, float *m,
                   float *q, int rows, int n, int block)
{
    tilec_launch_options options = {.size = sizeof options, .host_buffers = 1};
    static float out[KINDS * MOST];
    int64_t in_shape[2] = {rows, n}, out_shape[2] = {rows, block};
    tilec_argument arguments[] = {tilec_buffer(type->type, (void *)in, 2, in_shape),
                                  tilec_buffer(TILEC_F32, out, 2, out_shape),
                                  tilec_int(TILEC_I32, rows), tilec_int(TILEC_I32, n),
                                  tilec_float(TILEC_F32, 1.0 / n)};
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 5, &options), TILEC_OK);
    for (int row = 0; row < rows; row++) {
        m[row] = out[row * block];
        q[row] = out[row * block + 1];
    }
}

/* A power of 2 that x is a multiple of; infinity for 0. */
static double quantum(double x)
{
    double part = ldexp(1, ilogb(x) + 1);
    while (x != 0 && fmod(x, part) != 0)
        part /= 2;
    return x == 0 ? (double)INFINITY : part;
}

/* The sum of the squares of distances from m, and how far this side may be off. */
static double reference(const float *x, int n, int counted, int block, float m, double *most)
{
    double sum = 0, least = (double)INFINITY;
    for (int i = 0; i < counted; i++) {
        float d = (i < n ? x[i] : 0) - m, square = d * d;
        sum += (double)square;
        if (isfinite(square))
            least = fmin(least, quantum((double)square));
    }
    bool exact = sum <= least * 0x1p24;
    *most = exact ? 0 : (block - 1) * 0x1p-24 * sum + counted * 0x1p-149;
    return sum;
}

static void check_row(enum kind kind, const float *x, int n, int counted, int block, float m,
                      float q)
{
    double most, want = reference(x, n, counted, block, m, &most);
    if (isnan(want) ? isnan(q) : want > 0x1p127 ? q > 0x1p126f : fabs((double)q - want) <= most)
        return;
    fail_msg("kind %d, %d of %d elements, mean %a: %a, not %a within %a", (int)kind, n, block,
             (double)m, (double)q, want, most);
}

/* threads: of a program on a GPU, or 0 */
static tilec_kernel *compile(tilec_context *context, const char *target, const char *level,
                             int threads, const struct type *type, int block, bool masked)
{
    char width[16], all[sizeof text + 64];
    snprintf(width, sizeof width, "%d", block);
    snprintf(all, sizeof all, threads ? "%srequire(k, threads = %d);\n" : "%s", text, threads);
    tilec_define defines[] = {{"T", type->name},
                              {"BLOCK", width},
                              {"DISTANCE", masked ? "where(i < n, x - m, 0.0f)" : "x - m"}};
    tilec_source source = {.size = sizeof source,
                           .path = "k.tile.c",
                           .text = all,
                           .defines = defines,
                           .define_count = 3};
    tilec_compile_options options = {
        .size = sizeof options, .kernel = "k", .target = target, .cpu = level};
    tilec_kernel *kernel;
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_OK);
    return kernel;
}

/* alike: a row has the same bits wherever it lies */
static void check_length(tilec_kernel *kernel, const struct type *type, int block, int n,
                         bool masked, bool alike)
{
    static float x[KINDS][MOST];
    static char in[KINDS * MOST * sizeof(float)];
    float m[KINDS], q[KINDS], m_alone, q_alone;
    uint32_t seed = (uint32_t)(n * 977 + block);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < n; i++)
            x[kind][i] = put(type, element((enum kind)kind, i, &seed),
                             in + (size_t)(kind * n + i) * type->bytes);
    launch(kernel, type, in, m, q, KINDS, n, block);
    for (int kind = 0; kind < KINDS; kind++) {
        check_row((enum kind)kind, x[kind], n, masked ? n : block, block, m[kind], q[kind]);
        launch(kernel, type, in + (size_t)(kind * n) * type->bytes, &m_alone, &q_alone, 1, n,
               block);
        check_row((enum kind)kind, x[kind], n, masked ? n : block, block, m_alone, q_alone);
        if (alike && memcmp(&q_alone, &q[kind], sizeof q_alone) != 0 && !isnan(q_alone))
            fail_msg("kind %d, %d of %d elements: %a alone, %a beside others", kind, n, block,
                     (double)q_alone, (double)q[kind]);
    }
}

static void check_type(tilec_context *context, const char *target, const char *level, int threads,
                       const struct type *type, int block)
{
    const int lengths[] = {block, block - 1, block / 2 + 3, 100, 7, 1};
    for (int masked = 0; masked < 2; masked++) {
        tilec_kernel *kernel = compile(context, target, level, threads, type, block, masked);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            check_length(kernel, type, block, lengths[i], masked, strcmp(target, "cpu") == 0);
        tilec_kernel_destroy(kernel);
    }
}

static const struct type types[] = {
    {"float", TILEC_F32, 4}, {"half", TILEC_F16, 2}, {"bfloat", TILEC_BF16, 2}};

/* ---- where it is done ----------------------------------------------------------------------- */

/* %d: the distance; %size: of the tile; what stands behind */
static const char ir[] =
    "func @k(%%X: const restrict ptr<f32>, %%Out: restrict ptr<f32>, %%n: i64, "
    "%%by: f32) {\n"
    "  %%i = arange {0 to %d} : i64[%d]\n"
    "  %%n.1 = broadcast %%n : i64[%d]\n"
    "  %%mask = lt %%i, %%n.1 : bool[%d]\n"
    "  %%other = le %%i, %%n.1 : bool[%d]\n"
    "  %%zero = constant {0.0} : f32[%d]\n"
    "  %%one = constant {1.0} : f32[%d]\n"
    "  %%x1 = broadcast %%X : ptr<f32>[%d]\n"
    "  %%x2 = addptr %%x1, %%i : ptr<f32>[%d]\n"
    "  %%x = load %%x2, %%mask, %%zero : f32[%d]\n"
    "  %%y = load %%x2, %%mask, %%one : f32[%d]\n"
    "  %%s = sum {axis -1} %%x : f32\n"
    "  %%t = sum {axis -1} %%y : f32\n"
    "  %%mean = mul %%s, %%by : f32\n"
    "  %%m = broadcast %%mean : f32[%d]\n"
    "  %%d.1 = sub %%x, %%m : f32[%d]\n"
    "%s"
    "  %%dd = mul %%d, %%d : f32[%d]\n"
    "  %%q = sum {axis -1} %%dd : f32\n"
    "  %%r = add %%q, %%t : f32\n"
    "  store %%Out, %%r\n"
    "  return\n"
    "}\n";

static struct ir_kernel *distances_kernel(struct arena *arena, struct diagnostics *diagnostics,
                                          const char *distance, int n)
{
    char line[256];
    snprintf(line, sizeof line, "  %%d = %s : f32[%d]\n", distance, n);
    const char *body = arena_format(arena, ir, n, n, n, n, n, n, n, n, n, n, n, n, n, line, n);
    struct source_file *file = ARENA_NEW(arena, struct source_file); /* ops point to it */
    *file = (struct source_file){"test", body, strlen(body)};
    struct ir_kernel *kernel = ir_kernel_read(arena, diagnostics, file);
    assert_non_null(kernel);
    return kernel;
}

static const struct {
    const char *text;
    bool done;
} distances[] = {
    {"select %mask, %d.1, %zero", true},
    {"sub %x, %m", true},
    {"sub %m, %x", false},
    {"add %x, %m", false},
    {"sub %y, %m", false},                 /* another tile's mean */
    {"select %other, %d.1, %zero", false}, /* elements that x has not, or more */
    {"select %mask, %d.1, %one", false},
};

#endif
