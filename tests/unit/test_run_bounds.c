/*
 * How large buffers must be (plan/bounds.c): literal numbers for the usual ways of addressing, and
 * for each of them that the interpreter really finds an access outside of a buffer that is one
 * element smaller, so that no launch is refused that would have worked.
 */
#include "run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_BUFFERS = 3, MAX_SCALARS = 4, ROOM = 1 << 16 };

static tilec_context *context;

/* Buffers come first in every kernel here. Expected: per buffer; 0: nothing can be said. */
struct bounds_case {
    const char *text;
    int buffers, scalars;
    int64_t values[MAX_SCALARS];
    int64_t grid[3];
    int64_t expected[MAX_BUFFERS];
};

#define KERNEL(parameters, body) "kernel void k(" parameters ") {" body "}\n"

static const struct bounds_case cases[] = {
    /* the last block is masked */
    {KERNEL("const float *X, float *Y, int n",
            "int i = program_id(0) * 64 + arange(0, 64); store(Y + i, load(X + i, i < n), i < n);"),
     2,
     1,
     {1000},
     {16, 1, 1},
     {1000, 1000}},
    /* the grid ends before the mask does */
    {KERNEL("const float *X, float *Y, int n",
            "int i = program_id(0) * 64 + arange(0, 64); store(Y + i, load(X + i, i < n), i < n);"),
     2,
     1,
     {1000},
     {3, 1, 1},
     {192, 192}},
    /* n is 0 or negative: nothing is accessed */
    {KERNEL("const float *X, float *Y, int n",
            "int i = program_id(0) * 64 + arange(0, 64); store(Y + i, load(X + i, i < n), i < n);"),
     2,
     1,
     {0},
     {3, 1, 1},
     {0, 0}},
    {KERNEL("float *Y, int n",
            "int i = program_id(0) * 64 + arange(0, 64); store(Y + i, 1.0f, i < n);"),
     1,
     1,
     {-5},
     {3, 1, 1},
     {0}},
    /* a u64 that wraps: below 0, and beyond its largest value */
    {KERNEL("int *Y, uint32_t n", "uint64_t q = (uint64_t)n - 5; store(Y + 20, 1, q < 10);"),
     1,
     1,
     {3},
     {1, 1, 1},
     {0}},
    {KERNEL("int *Y, uint32_t n", "uint64_t q = (uint64_t)n - 5; store(Y + 20, 1, q < 10);"),
     1,
     1,
     {7},
     {1, 1, 1},
     {21}},
    {KERNEL("int *Y, uint32_t n",
            "uint64_t q = (uint64_t)n * 6364136223846793005ull + 1442695040888963407ull;"
            "store(Y + 20, 1, q % 10 == 0);"),
     1,
     1,
     {2},
     {1, 1, 1},
     {0}},
    {KERNEL("int *Y, uint32_t n",
            "uint64_t q = (uint64_t)n * 6364136223846793005ull + 1442695040888963407ull;"
            "store(Y + 20, 1, q % 10 == 7);"),
     1,
     1,
     {0},
     {1, 1, 1},
     {21}},
    /* no mask */
    {KERNEL("float *Y", "store(Y + program_id(0) * 32 + arange(0, 32), 1.0f);"),
     1,
     0,
     {0},
     {5, 1, 1},
     {160}},
    /* rows of runtime width, in a loop */
    {KERNEL("const float *X, float *Y, int n",
            "int row = program_id(0); float s = 0.0f;"
            "for (int i = 0; i < n; i += 16) { int c = i + arange(0, 16);"
            "    s += load(X + row * n + c, c < n); }"
            "store(Y + row, sum(s));"),
     2,
     1,
     {100},
     {7, 1, 1},
     {700, 7}},
    /* the loop does not run */
    {KERNEL("const float *X, float *Y, int n",
            "int row = program_id(0); float s = 0.0f;"
            "for (int i = 0; i < n; i += 16) { int c = i + arange(0, 16);"
            "    s += load(X + row * n + c, c < n); }"
            "store(Y + row, sum(s));"),
     2,
     1,
     {0},
     {7, 1, 1},
     {0, 7}},
    /* two axes, two masks */
    {KERNEL("const float *X, float *Y, int m, int n",
            "int i = program_id(0) * 8 + expand_dims(arange(0, 8), 1);"
            "int j = program_id(1) * 8 + expand_dims(arange(0, 8), 0);"
            "store(Y + j * m + i, load(X + i * n + j, i < m && j < n), i < m && j < n);"),
     2,
     2,
     {20, 13},
     {3, 2, 1},
     {260, 260}},
    /* the mask is made before the axes */
    {KERNEL("float *Y, int m, int n",
            "int a = arange(0, 8), i = expand_dims(a, 1), j = expand_dims(a, 0);"
            "store(Y + i * n + j, 1.0f, expand_dims(a < m, 1) && expand_dims(a < n, 0));"),
     1,
     2,
     {4, 5},
     {1, 1, 1},
     {0}}, /* one value, two restrictions: too much */
    {KERNEL("float *Y, int m, int n",
            "int a = arange(0, 8) + program_id(0) * 8, b = arange(0, 8) + program_id(1) * 8;"
            "int i = expand_dims(a, 1), j = expand_dims(b, 0);"
            "store(Y + i * n + j, 1.0f, expand_dims(a < m, 1) && expand_dims(b < n, 0));"),
     1,
     2,
     {4, 5},
     {1, 2, 1},
     {20}},
    /* the mask restricts another axis than the one it is used for */
    {KERNEL("float *Y, int m", "int a = arange(0, 8), i = expand_dims(a, 1), j = expand_dims(a, 0);"
                               "store(Y + i * 8 + j, 1.0f, j < m);"),
     1,
     1,
     {4},
     {1, 1, 1},
     {60}},
    {KERNEL("float *Y, int m",
            "int a = arange(0, 8), i = expand_dims(a, 1), j = expand_dims(a, 0);"
            "store(Y + trans(i * 8 + j), 1.0f, trans(broadcast_to(j, 8, 8) < m));"),
     1,
     1,
     {4},
     {1, 1, 1},
     {60}},
    /* both bounds in the mask */
    {KERNEL("float *Y, int n", "int i = arange(0, 64) - 3; store(Y + i, 1.0f, i >= 0 && i < n);"),
     1,
     1,
     {10},
     {1, 1, 1},
     {10}},
    /* a view is as large as it says */
    {KERNEL("const float *X, float *Y, int m, int n",
            "auto x = view(X, m, n); auto y = view(Y, n, m);"
            "int i = program_id(0) * 8, j = program_id(1) * 8;"
            "tile_store(y, j, i, trans(tile_load(x, i, j, 8, 8)));"),
     2,
     2,
     {9, 5},
     {2, 1, 1},
     {45, 45}},
    {KERNEL("float *Y, int m, int n",
            "auto y = view_strided(Y, m, n, 100, 2);"
            "tile_store(y, program_id(0) * 4, 0, full(float, 1.0f, 4, 4));"),
     1,
     2,
     {4, 3},
     {1, 1, 1},
     {305}},
    {KERNEL("float *Y, int m", "auto y = view(Y, m); tile_store(y, 0, full(float, 1.0f, 4));"),
     1,
     1,
     {0},
     {1, 1, 1},
     {0}},
    /* strided, reversed, clamped, divided */
    {KERNEL("float *Y, int s", "store(Y + arange(0, 10) * s, 1.0f);"), 1, 1, {7}, {1, 1, 1}, {64}},
    {KERNEL("float *Y, int n", "store(Y + (n - 1 - arange(0, 10)), 1.0f);"),
     1,
     1,
     {30},
     {1, 1, 1},
     {30}},
    {KERNEL("const float *X, float *Y, int n",
            "int i = arange(0, 64); store(Y + i, load(X + minimum(i, n - 1)));"),
     2,
     1,
     {20},
     {1, 1, 1},
     {20, 64}},
    {KERNEL("const float *X, float *Y, int n",
            "int i = arange(0, 64); store(Y + i, load(X + i / 3));"),
     2,
     1,
     {0},
     {1, 1, 1},
     {22, 64}},
    {KERNEL("const float *X, float *Y, int n",
            "int i = arange(0, 64); store(Y + i, load(X + i % n));"),
     2,
     1,
     {5},
     {1, 1, 1},
     {5, 64}},
    {KERNEL("float *Y, int n", "store(Y + n, 1.0f);"), 1, 1, {12}, {1, 1, 1}, {13}},
    {KERNEL("float *Y", "atomic_add(Y + program_id(1), 1.0f);"), 1, 0, {0}, {1, 4, 1}, {4}},
    /* gaps in what the mask cuts: the bound may not be reached */
    {KERNEL("float *Y, int n", "int i = arange(0, 16) * 4; store(Y + i, 1.0f, i < n);"),
     1,
     1,
     {7},
     {1, 1, 1},
     {0}},
    {KERNEL("float *Y, int n", "int i = arange(0, 16) * 4; store(Y + i, 1.0f, i < n);"),
     1,
     1,
     {100},
     {1, 1, 1},
     {61}},
    /* one variable in two roles: the ends need not meet */
    {KERNEL("float *Y", "int i = arange(0, 16); store(Y + (i * 3 + (15 - i) * 3), 1.0f);"),
     1,
     0,
     {0},
     {1, 1, 1},
     {0}},
    {KERNEL("float *Y, int n",
            "int p = program_id(0), i = p * 4 + arange(0, 4); store(Y + (i + p), 1.0f, i < n);"),
     1,
     1,
     {6},
     {9, 1, 1},
     {0}},
    {KERNEL("float *Y", "int i = arange(0, 16); store(Y + (i * 3 + i), 1.0f);"),
     1,
     0,
     {0},
     {1, 1, 1},
     {61}},
    /* not certain to happen, or not before the kernel runs */
    {KERNEL("float *Y, int n", "if (program_id(0) < n) store(Y + 50, 1.0f);"),
     1,
     1,
     {0},
     {1, 1, 1},
     {0}},
    {KERNEL("const int *X, float *Y", "int i = arange(0, 4); store(Y + load(X + i), 1.0f);"),
     2,
     0,
     {0},
     {1, 1, 1},
     {4, 0}},
    {KERNEL("const int *X, float *Y", "int i = arange(0, 4); store(Y + i, 1.0f, load(X + i) > 0);"),
     2,
     0,
     {0},
     {1, 1, 1},
     {4, 0}},
};

static tilec_kernel *compile(const struct bounds_case *c, const char *target)
{
    tilec_kernel *kernel = NULL;
    tilec_source source = {.size = sizeof source, .path = "k.tile.c", .text = c->text};
    tilec_compile_options options = {.size = sizeof options, .target = target};
    if (tilec_compile(context, &source, &options, &kernel) != TILEC_OK) {
        tilec_diagnostic diagnostic;
        tilec_diagnostic_get(context, 0, &diagnostic);
        fail_msg("%s", diagnostic.text);
    }
    return kernel;
}

static float memory[MAX_BUFFERS][ROOM];

static int fill(const struct bounds_case *c, const tilec_kernel *kernel, tilec_argument *arguments,
                int64_t elements)
{
    memset(memory, 0, sizeof memory);
    for (int i = 0; i < c->buffers; i++)
        arguments[i] = tilec_array((tilec_type)kernel->parameters[i].elem, memory[i], elements);
    for (int i = 0; i < c->scalars; i++)
        arguments[c->buffers + i] =
            tilec_int((tilec_type)kernel->parameters[c->buffers + i].elem, c->values[i]);
    return c->buffers + c->scalars;
}

static void check_needs(const struct bounds_case *c)
{
    tilec_argument arguments[MAX_BUFFERS + MAX_SCALARS];
    tilec_kernel *kernel = compile(c, "cpu");
    int count = fill(c, kernel, arguments, -1);
    assert_int_equal(tilec_launch(kernel, c->grid, arguments, (size_t)count, NULL), TILEC_OK);
    for (int i = 0; i < c->buffers; i++) {
        int64_t needed = kernel->needs ? kernel->launch->needed[i] : 0;
        needed = needed < 0 ? 0 : needed;
        if (needed != c->expected[i])
            fail_msg("%s buffer %d: needs %lld, expected %lld", c->text, i, (long long)needed,
                     (long long)c->expected[i]);
    }
    tilec_kernel_destroy(kernel);
}

/* One element less than needed is a fault; exactly as much is none. */
static void check_truth(const struct bounds_case *c)
{
    tilec_argument arguments[MAX_BUFFERS + MAX_SCALARS];
    tilec_kernel *kernel = compile(c, "interp");
    tilec_launch_options options = {.size = sizeof options};
    for (int i = 0; i < c->buffers; i++) {
        if (!c->expected[i])
            continue;
        int count = fill(c, kernel, arguments, ROOM);
        arguments[i].elements = c->expected[i] - 1;
        tilec_status status = tilec_launch(kernel, c->grid, arguments, (size_t)count, &options);
        /* A view that nobody reads to its end is as large as it says all the same. */
        if (status != TILEC_ERROR_FAULT)
            fail_msg("%s buffer %d: smaller would do", c->text, i);
    }
    tilec_kernel_destroy(kernel);
}

static void needs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_needs(&cases[i]);
}

static void truth(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_truth(&cases[i]);
}

/* Where the least address is certainly negative no size would do; with n = 0 all of these are fine. */
static const struct bounds_case in_front[] = {
    {KERNEL("float *Y, int n", "store(Y + (arange(0, 8) - n), 1.0f);"), 1, 1, {3}, {1, 1, 1}, {0}},
    {KERNEL("float *Y, int n", "store(Y + (arange(0, 8) - n), 1.0f, arange(0, 8) < 5);"),
     1,
     1,
     {1},
     {1, 1, 1},
     {0}},
    {KERNEL("float *Y, int n", "store(Y + (program_id(0) - n), 1.0f);"), 1, 1, {1}, {3, 1, 1}, {0}},
    {KERNEL("float *Y, int n", "for (int k = 0; k < n; k++) atomic_add(Y + (20 - k * 6), 1.0f);"),
     1,
     1,
     {5},
     {1, 1, 1},
     {0}},
    {KERNEL("float *Y, int n", "store(Y + program_id(0) * n + arange(0, 8), 1.0f);"),
     1,
     1,
     {-100},
     {3, 1, 1},
     {0}},
};

static tilec_status launch_with(const struct bounds_case *c, const char *target, int64_t n)
{
    tilec_argument arguments[MAX_BUFFERS + MAX_SCALARS];
    tilec_kernel *kernel = compile(c, target);
    int count = fill(c, kernel, arguments, ROOM);
    arguments[count - 1] = tilec_int(TILEC_I32, n);
    tilec_launch_options options = {.size = sizeof options};
    tilec_status status = tilec_launch(kernel, c->grid, arguments, (size_t)count, &options);
    tilec_kernel_destroy(kernel);
    return status;
}

static void accesses_in_front(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof in_front / sizeof *in_front; i++) {
        const struct bounds_case *c = &in_front[i];
        assert_int_equal(launch_with(c, "cpu", c->values[0]), TILEC_ERROR_ARGUMENT);
        assert_int_equal(launch_with(c, "interp", c->values[0]), TILEC_ERROR_FAULT);
        assert_int_equal(launch_with(c, "cpu", 0), TILEC_OK);
    }
}

/* Addresses that do not fit 64 bits are outside of every buffer; none is taken for one inside, as
 * it would be if the formulas wrapped around. */
static void far_away(void **state)
{
    static const char *const texts[] = {
        KERNEL("float *Y, long s", "store(Y + program_id(0) * s, 1.0f);"),
        KERNEL("float *Y, long s", "store(Y + arange(0, 4) * s, 1.0f);"),
        KERNEL("float *Y, long s", "store(Y + program_id(0) * s + arange(0, 8), 1.0f);"),
        KERNEL("float *Y, long s", "for (int k = 0; k < 3; k++) store(Y + k * s + arange(0, 5), 1.0f);"),
    };
    static const int64_t strides[] = {INT64_MAX,     INT64_MAX / 2,   INT64_MAX / 2 + 1,
                                      INT64_MIN,     INT64_MIN + 1,   INT64_MIN / 2,
                                      INT64_MIN / 3, INT64_MAX - 100, INT64_MAX / 3 * 2};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct bounds_case c = {.text = texts[i], .buffers = 1, .scalars = 1};
        tilec_kernel *kernel = compile(&c, "cpu");
        tilec_argument arguments[2] = {tilec_array(TILEC_F32, memory[0], ROOM)};
        for (int64_t programs = 2; programs <= 5; programs++) {
            const int64_t grid[3] = {programs, 1, 1};
            for (size_t k = 0; k < sizeof strides / sizeof *strides; k++) {
                arguments[1] = tilec_int(TILEC_I64, strides[k]);
                assert_int_equal(tilec_launch(kernel, grid, arguments, 2, NULL),
                                 TILEC_ERROR_ARGUMENT);
            }
            arguments[1] = tilec_int(TILEC_I64, 1);
            assert_int_equal(tilec_launch(kernel, grid, arguments, 2, NULL), TILEC_OK);
        }
        tilec_kernel_destroy(kernel);
    }
}

/* What is far on both sides and meets inside is not refused. */
static void far_and_back(void **state)
{
    const struct bounds_case c = {
        .text = KERNEL("float *Y, long s, long t", "store(Y + s - t + arange(0, 4), 1.0f);")};
    static const int64_t pairs[][2] = {{INT64_MAX, INT64_MAX - 5},
                                       {INT64_MAX / 2 + 9, INT64_MAX / 2 + 2},
                                       {INT64_MIN + 1, INT64_MIN + 1},
                                       {INT64_MIN / 2 - 1, INT64_MIN / 2 - 8}};
    (void)state;
    tilec_kernel *kernel = compile(&c, "cpu");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const tilec_argument arguments[3] = {tilec_array(TILEC_F32, memory[0], 11),
                                             tilec_int(TILEC_I64, pairs[i][0]),
                                             tilec_int(TILEC_I64, pairs[i][1])};
        const int64_t grid[3] = {1, 1, 1};
        assert_int_equal(tilec_launch(kernel, grid, arguments, 3, NULL), TILEC_OK);
    }
    tilec_kernel_destroy(kernel);
}

/* A mask that leaves only what is inside, or what may or may not, is not refused. */
static void masked_in_front(void **state)
{
    static const char *const texts[] = {
        KERNEL("float *Y, int n", "int i = arange(0, 8) - n; store(Y + i, 1.0f, i >= 0);"),
        KERNEL("float *Y, int n", "int i = arange(0, 8); store(Y + (i - n), 1.0f, i >= n);"),
        KERNEL("float *Y, int n", "int i = arange(0, 8); store(Y + (i - n), 1.0f, i > n && i < 9);"),
        KERNEL("float *Y, int n", "if (n < 0) store(Y - n - 8, 1.0f);"),
        KERNEL("float *Y, int n", "for (int k = n; k < 0; k++) store(Y + k, 1.0f);"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct bounds_case c = {.text = texts[i], .buffers = 1, .scalars = 1, .grid = {1, 1, 1}};
        assert_int_equal(launch_with(&c, "cpu", 3), TILEC_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(needs), cmocka_unit_test(truth),
                                       cmocka_unit_test(accesses_in_front),
                                       cmocka_unit_test(far_away),
                                       cmocka_unit_test(far_and_back),
                                       cmocka_unit_test(masked_in_front)};
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_device device;
    if (tilec_context_create(&options, &context) != TILEC_OK)
        return 1;
    if (tilec_device_get(context, 0, &device) != TILEC_OK || !device.available)
        return 0;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tilec_context_destroy(context);
    return failed;
}
