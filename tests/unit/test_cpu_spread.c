/*
 * Exponentials of a tile less its maximum (src/cpu/spread.c): right within 2 ULP and alike for
 * equal elements, whether the tile is near its maximum, just not near, or nothing is known of it;
 * with masks that end anywhere, elements that masks leave out, and nests in other shapes than the
 * tile's. And what is narrowed of them is rounded once.
 */
#include "base/half.h"
#include "tilec/tilec.h"
#include "tools/math_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 256, OTHER = -7, KINDS = 14 };

/* Out[p, i] = exp(x[i] - max(x)), where x is a row of n elements, the first `low` of which are left
 * out: there and behind the row stands `other`. */
static const char text[] =
    "launch_grid(k, rows);\n"
    "kernel void k(const T *restrict X, float *restrict Out, int rows, int n, float one)\n"
    "{\n"
    "    int p = program_id(0), i = arange(0, 256);\n"
    "    float x = load(X + p * n + i, (i >= LOW) & (i < n), OTHER) WORK;\n"
    "    float e = exp(x - max(x));\n"
    "    BODY\n"
    "}\n";

/* What is stored of e, as 256 floats a row. */
static const char *const bodies[] = {
    "store(Out + p * 256 + i, e, i < n);",
    "store(Out + p * 256 + i, e);", /* those left out, too */
    "store(Out + p * 256 + i, e, i < n - 5);",
    "float s = sum(e); store(Out + p * 256 + i, s > 0.0f ? e : e, i < n);", /* kept, perhaps */
    "for (int j = 0; j < 4; j++) store(Out + p * 256 + i, e, (i < n) & (i % 4 == j));",
};

/* One row of n elements, of a kind. */
static void fill_row(float *x, int n, int kind, uint32_t *seed)
{
    static const float spreads[] = {0.0f,  3.0f,  19.9f, 20.0f, 20.00001f,
                                    25.0f, 87.5f, 95.0f, 110.0f};
    float spread = kind < 9 ? spreads[kind] : 12.0f, top = (float)(*seed % 41) - 20;
    for (int i = 0; i < n; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        x[i] = top - spread * ((float)(*seed >> 16) / 65536.0f);
    }
    int place = (int)(*seed >> 8) % n, last = (int)(*seed >> 20) % n;
    x[last] = top - spread;
    x[place] = top;
    x[n / 2] = x[n - 1];
    if (kind >= 9 && kind < 13)
        x[last] = (const float[]){-INFINITY, INFINITY, NAN, -NAN}[kind - 9];
    for (int i = 0; i < n && kind == 13; i++)
        x[i] = -INFINITY;
}

static float row_top(const float *x)
{
    float top = -INFINITY;
    for (int i = 0; i < BLOCK; i++)
        top = isnan(x[i]) || isnan(top) ? NAN : x[i] > top ? x[i] : top;
    return top;
}

/* Fails if a result is not within 2 ULP of exp(x - top), or equal elements are not alike. */
static void check_row(const float *x, const float *got, int n, float top)
{
    for (int i = 0; i < n; i++) {
        float d = x[i] - top;
        double ulps = math_ulps(got[i], exp((double)d));
        if (!(ulps <= 2))
            fail_msg("element %d of %d: exp(%a) is %a, off by %g ULP", i, n, (double)d,
                     (double)got[i], ulps);
    }
    if (memcmp(&x[n / 2], &x[n - 1], sizeof *x) == 0)
        assert_memory_equal(&got[n / 2], &got[n - 1], sizeof *got);
}

struct type {
    const char *name;
    tilec_type type;
    size_t bytes;
};

static float round_to(const struct type *type, float x, void *at)
{
    uint16_t bits = type->type == TILEC_F16 ? half_from_double(x) : bfloat_from_double(x);
    if (type->type == TILEC_F32) {
        memcpy(at, &x, sizeof x);
        return x;
    }
    memcpy(at, &bits, sizeof bits);
    return type->type == TILEC_F16 ? half_to_float(bits) : bfloat_to_float(bits);
}

static void launch(tilec_kernel *kernel, const struct type *type, void *in, float *out, int n)
{
    int64_t in_shape[2] = {KINDS, n}, out_shape[2] = {KINDS, BLOCK};
    tilec_argument arguments[] = {
        tilec_buffer(type->type, in, 2, in_shape), tilec_buffer(TILEC_F32, out, 2, out_shape),
        tilec_int(TILEC_I32, KINDS), tilec_int(TILEC_I32, n), tilec_float(TILEC_F32, 1)};
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 5, NULL), TILEC_OK);
}

static void check_length(tilec_kernel *kernel, const struct type *type, int n, int body,
                         float other, int low)
{
    static float x[KINDS][BLOCK], out[KINDS][BLOCK];
    static char in[KINDS * BLOCK * sizeof(float)];
    uint32_t seed = (uint32_t)n * 977;
    for (int kind = 0; kind < KINDS; kind++) {
        fill_row(x[kind], n, kind, &seed);
        for (int i = 0; i < n; i++)
            x[kind][i] = round_to(type, x[kind][i], in + (size_t)(kind * n + i) * type->bytes);
        for (int i = 0; i < BLOCK; i++)
            x[kind][i] = i < low || i >= n ? other : x[kind][i];
    }
    launch(kernel, type, in, out[0], n);
    for (int kind = 0; kind < KINDS; kind++) {
        int count = body == 1 ? BLOCK : body == 2 ? n - 5 : n;
        check_row(x[kind], out[kind], count, row_top(x[kind]));
    }
}

/* work: what is done to x, which changes nothing but may be worth keeping the result. */
static void check_kernel(tilec_context *context, const struct type *type, int body, bool infinite,
                         const char *work, const char *low)
{
    static const int lengths[] = {6, 7, 8, 31, 32, 33, 64, 95, 100, 128, 200, 255, 256};
    char other[32];
    snprintf(other, sizeof other, infinite ? "-INFINITY" : "%d.0f", OTHER);
    tilec_define defines[] = {
        {"T", type->name}, {"OTHER", other}, {"BODY", bodies[body]}, {"WORK", work}, {"LOW", low}};
    tilec_source source = {.size = sizeof source,
                           .path = "k.tile.c",
                           .text = text,
                           .defines = defines,
                           .define_count = 5};
    tilec_compile_options options = {.size = sizeof options, .kernel = "k"};
    tilec_kernel *kernel;
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_OK);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_length(kernel, type, lengths[i], body, infinite ? -INFINITY : OTHER, atoi(low));
    tilec_kernel_destroy(kernel);
}

static void test_exponentials(void **unused)
{
    (void)unused;
    static const struct type types[] = {
        {"float", TILEC_F32, 4}, {"half", TILEC_F16, 2}, {"bfloat", TILEC_BF16, 2}};
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t body = 0; body < sizeof bodies / sizeof *bodies; body++) {
            check_kernel(context, &types[t], (int)body, true, "", "0");
            check_kernel(context, &types[t], (int)body, false, "", "0");
            check_kernel(context, &types[t], (int)body, true, "", "19");
            check_kernel(context, &types[t], (int)body, false, "", "4");
            check_kernel(context, &types[t], (int)body, true, "/ one / one / one / one", "0");
            check_kernel(context, &types[t], (int)body, true, "/ one / one / one / one", "40");
        }
    }
    tilec_context_destroy(context);
}

/* Exponentials times a scalar, as floats and narrowed: the second are the first, rounded once. */
static const char scaled[] =
    "launch_grid(k, rows);\n"
    "kernel void k(const bfloat *restrict X, T *restrict Out, int rows, int n, float s)\n"
    "{\n"
    "    int p = program_id(0), i = arange(0, 256);\n"
    "    float x = load(X + p * n + i, i < n, -INFINITY);\n"
    "    store(Out + p * 256 + i, exp(x - max(x)) * s, i < n);\n"
    "}\n";

static tilec_kernel *compile_scaled(tilec_context *context, const char *type)
{
    tilec_define define = {"T", type};
    tilec_source source = {.size = sizeof source,
                           .path = "k.tile.c",
                           .text = scaled,
                           .defines = &define,
                           .define_count = 1};
    tilec_compile_options options = {.size = sizeof options, .kernel = "k"};
    tilec_kernel *kernel;
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_OK);
    return kernel;
}

static void launch_scaled(tilec_kernel *kernel, void *in, tilec_type type, void *out, int n,
                          float s)
{
    int64_t in_shape[2] = {KINDS, n}, out_shape[2] = {KINDS, BLOCK};
    tilec_argument arguments[] = {
        tilec_buffer(TILEC_BF16, in, 2, in_shape), tilec_buffer(type, out, 2, out_shape),
        tilec_int(TILEC_I32, KINDS), tilec_int(TILEC_I32, n), tilec_float(TILEC_F32, (double)s)};
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 5, NULL), TILEC_OK);
}

static void check_scaled(tilec_kernel *const *kernels, int n, float s)
{
    static float x[BLOCK], wide[KINDS][BLOCK];
    static uint16_t in[KINDS * BLOCK], narrow[KINDS][BLOCK];
    uint32_t seed = (uint32_t)n * 31 + 7;
    for (int kind = 0; kind < KINDS; kind++) {
        fill_row(x, n, kind, &seed);
        for (int i = 0; i < n; i++)
            in[kind * n + i] = bfloat_from_double(x[i]);
    }
    launch_scaled(kernels[0], in, TILEC_F32, wide, n, s);
    launch_scaled(kernels[1], in, TILEC_BF16, narrow, n, s);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < n; i++) {
            uint16_t want = bfloat_from_double(wide[kind][i]), got = narrow[kind][i];
            if (got != want && !(isnan(bfloat_to_float(got)) && isnan(wide[kind][i])))
                fail_msg("%a times %a came out as bits %x, not %x", (double)wide[kind][i],
                         (double)s, got, want);
        }
    }
}

static void test_narrowed(void **unused)
{
    (void)unused;
    static const float scalars[] = {1.0f,     0.37f,       -3e-4f,    0x1p-89f,  0x1p-91f,
                                    0x1p-97f, 0x1p-105f,   0x1p-140f, 0x1.8p89f, 0x1p92f,
                                    0x1p111f, 0x1.ffp127f, 0.0f,      INFINITY,  NAN};
    static const int lengths[] = {7, 16, 33, 100, 255, 256};
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    tilec_kernel *kernels[] = {compile_scaled(context, "float"), compile_scaled(context, "bfloat")};
    for (size_t k = 0; k < sizeof scalars / sizeof *scalars; k++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            check_scaled(kernels, lengths[i], scalars[k]);
    }
    tilec_kernel_destroy(kernels[0]);
    tilec_kernel_destroy(kernels[1]);
    tilec_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exponentials),
                                       cmocka_unit_test(test_narrowed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
