/* The target "msl-host" through the public API: arguments as on the CPU, faults as diagnostics. */
#include "run/msl_host.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec/tilec.h>
#include <cmocka.h>

#include "../skip.h"

static const char text[] =
    "kernel void shift(const int *X, int *Out, int n, int8_t by, float scale)\n"
    "{\n"
    "    int i = program_id(0) * 64 + arange(0, 64);\n"
    "    store(Out + i, load(X + i, i < n) + by + (int)scale, i < n);\n"
    "}\n"
    "launch_grid(shift, cdiv(n, 64));\n"
    "launch_require(shift, n <= 1000, \"n is at most 1000\");\n"
    /* metal_stdlib of the host has a type of that name. */
    "kernel void same(int *Out) { store(Out, program_id(0)); }\n"
    "launch_grid(same, 3);\n"
    "kernel void count(int *Out, int n) {\n"
    "    int i = program_id(0) * 64 + arange(0, 64);\n"
    "    atomic_add(Out + i % 3, 1, i < n);\n"
    "}\n"
    "launch_grid(count, cdiv(n, 64));\n";

struct fixture {
    tilec_context *context;
    tilec_kernel *shift, *same, *count;
};

static tilec_kernel *compile(tilec_context *context, const char *name)
{
    tilec_source source = {.size = sizeof source, .text = text};
    tilec_compile_options options = {.size = sizeof options, .kernel = name, .target = "msl-host"};
    tilec_kernel *kernel;
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_OK);
    return kernel;
}

static int set_up(void **state)
{
    static struct fixture fixture;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    *state = NULL;
    if (!msl_host_available())
        return 0;
    assert_int_equal(tilec_context_create(&options, &fixture.context), TILEC_OK);
    fixture.shift = compile(fixture.context, "shift");
    fixture.same = compile(fixture.context, "same");
    fixture.count = compile(fixture.context, "count");
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    if (fixture) {
        tilec_kernel_destroy(fixture->shift);
        tilec_kernel_destroy(fixture->same);
        tilec_kernel_destroy(fixture->count);
        tilec_context_destroy(fixture->context);
    }
    return 0;
}

#define FIXTURE(state)                                                                             \
    struct fixture *fixture = *(state);                                                            \
    if (!fixture)                                                                                  \
        SKIP(SKIP_WITHOUT_CLANG);

static void expect_message(tilec_context *context, const char *wanted)
{
    tilec_diagnostic diagnostic = {0};
    assert_int_equal(tilec_diagnostic_get(context, 0, &diagnostic), TILEC_OK);
    if (!strstr(diagnostic.message, wanted))
        fail_msg("'%s' is not in '%s'", wanted, diagnostic.message);
}

static tilec_status shift(struct fixture *fixture, int *x, int64_t x_count, int *out,
                          int64_t out_count, int n, uint64_t order)
{
    tilec_argument arguments[] = {tilec_array(TILEC_I32, x, x_count),
                                  tilec_array(TILEC_I32, out, out_count), tilec_int(TILEC_I32, n),
                                  tilec_int(TILEC_I8, -3), tilec_float(TILEC_F32, 10.5)};
    tilec_launch_options options = {.size = sizeof options, .thread_order = order};
    return tilec_launch(fixture->shift, NULL, arguments, 5, &options);
}

static void launches_take_buffers_and_scalars(void **state)
{
    FIXTURE(state)
    int x[200], out[200];
    for (uint64_t order = 0; order < 3; order++) {
        for (int i = 0; i < 200; i++) {
            x[i] = i * i;
            out[i] = -1;
        }
        assert_int_equal(shift(fixture, x, 200, out, 200, 150, order), TILEC_OK);
        for (int i = 0; i < 200; i++)
            assert_int_equal(out[i], i < 150 ? i * i + 7 : -1);
    }
    tilec_kernel_info info = {.size = sizeof info};
    assert_int_equal(tilec_kernel_get_info(fixture->shift, &info), TILEC_OK);
    assert_string_equal(info.target, "msl-host");
    assert_int_equal(info.has_grid, 1);
}

/* In place, and beside: what overlaps in the caller's memory does so for the kernel. */
static void buffers_may_share_memory(void **state)
{
    FIXTURE(state)
    int x[200], counts[8] = {0};
    for (int i = 0; i < 200; i++)
        x[i] = i;
    assert_int_equal(shift(fixture, x, 200, x, 200, 200, 5), TILEC_OK);
    for (int i = 0; i < 200; i++)
        assert_int_equal(x[i], i + 7);
    assert_int_equal(shift(fixture, x, 100, x + 100, 100, 100, 0), TILEC_OK); /* apart */
    for (int i = 0; i < 100; i++)
        assert_int_equal(x[100 + i], i + 14);
    /* One threadgroup reads what another one writes. */
    assert_int_equal(shift(fixture, x, 128, x + 64, 128, 128, 0), TILEC_ERROR_FAULT);
    expect_message(fixture->context, "a race");
    tilec_argument arguments[] = {tilec_array(TILEC_I32, counts + 1, 3), tilec_int(TILEC_I32, 100)};
    assert_int_equal(tilec_launch(fixture->count, NULL, arguments, 2, NULL), TILEC_OK);
    assert_true(counts[0] == 0 && counts[1] == 34 && counts[2] == 33 && counts[3] == 33 &&
                counts[4] == 0);
}

static void faults_are_diagnostics_and_change_nothing(void **state)
{
    FIXTURE(state)
    int x[200] = {0}, out[200];
    memset(out, -1, sizeof out);
    assert_int_equal(shift(fixture, x, 200, out, 149, 150, 0), TILEC_ERROR_FAULT);
    expect_message(fixture->context, "buffer 1 ('Out')");
    expect_message(fixture->context, "which has 596 bytes");
    assert_int_equal(shift(fixture, x, 149, out, 150, 150, 0), TILEC_ERROR_FAULT);
    expect_message(fixture->context, "buffer 0 ('X')");
    for (int i = 0; i < 200; i++)
        assert_int_equal(out[i], -1);
    tilec_argument argument = tilec_array(TILEC_I32, out, 200);
    assert_int_equal(tilec_launch(fixture->same, NULL, &argument, 1, NULL), TILEC_ERROR_FAULT);
    expect_message(fixture->context, "which thread 0 of threadgroup 0 wrote: a race");
    assert_int_equal(out[0], -1);
}

static void launches_are_checked_before_they_run(void **state)
{
    FIXTURE(state)
    int x[64] = {0}, out[64] = {0};
    assert_int_equal(shift(fixture, x, 64, out, 64, 1001, 0), TILEC_ERROR_REQUIREMENT);
    expect_message(fixture->context, "n is at most 1000");
    assert_int_equal(shift(fixture, x, -1, out, 64, 64, 0), TILEC_ERROR_ARGUMENT);
    expect_message(fixture->context, "argument 'X' has an unknown size");
    assert_int_equal(shift(fixture, x, 64, out, 64, -1, 0), TILEC_OK); /* an empty grid */
    assert_int_equal(shift(fixture, NULL, 0, NULL, 0, 0, 0), TILEC_OK);
    const int64_t grid[3] = {1, 1, 1}, many[3] = {1 << 16, 1 << 16, 1};
    tilec_argument argument = tilec_array(TILEC_I32, out, 0);
    assert_int_equal(tilec_launch(fixture->same, grid, &argument, 1, NULL), TILEC_ERROR_FAULT);
    expect_message(fixture->context, "('Out') at offset 0, which has 0 bytes");
    assert_int_equal(tilec_launch(fixture->same, many, &argument, 1, NULL), TILEC_ERROR_GRID);
}

static void prepared_launches_run_again(void **state)
{
    FIXTURE(state)
    int counts[3] = {0};
    tilec_prepared *prepared;
    tilec_argument arguments[] = {tilec_array(TILEC_I32, counts, 3), tilec_int(TILEC_I32, 30)};
    assert_int_equal(tilec_prepare(fixture->count, NULL, arguments, 2, NULL, &prepared), TILEC_OK);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(tilec_prepared_run(prepared), TILEC_OK);
        assert_int_equal(counts[2], 10 * i);
    }
    tilec_prepared_destroy(prepared);
}

/* Listed in any case; what is missing is said where clang++ cannot be found. */
static void the_device_is_listed(void **state)
{
    (void)state;
    tilec_context *context;
    tilec_device device;
    bool found = false;
    assert_int_equal(tilec_context_create(NULL, &context), TILEC_OK);
    for (size_t i = 0; i < tilec_device_count(context); i++) {
        assert_int_equal(tilec_device_get(context, i, &device), TILEC_OK);
        if (strcmp(device.target, "msl-host") != 0)
            continue;
        found = true;
        assert_int_equal(device.available, msl_host_available());
        assert_int_equal(!device.available,
                         strstr(device.description, "clang++-19 is not in") != 0);
    }
    assert_true(found);
    tilec_context_destroy(context);
}

static void without_clang_compiling_is_refused(void **state)
{
    (void)state;
    char path[4096];
    tilec_context *context;
    tilec_kernel *kernel;
    tilec_source source = {.size = sizeof source, .text = text};
    tilec_compile_options options = {.size = sizeof options, .target = "msl-host"};
    assert_int_equal(tilec_context_create(NULL, &context), TILEC_OK);
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    tilec_status status = tilec_compile(context, &source, &options, &kernel);
    the_device_is_listed(state);
    setenv("PATH", path, 1);
    assert_int_equal(status, TILEC_ERROR_TARGET);
    expect_message(context, "needs clang++-19, which is not in PATH");
    tilec_context_destroy(context);
}

/* A host that ignores SIGCHLD, or takes all of its children, never hears how clang++ ended. */
static void children_that_nobody_hears_of(void **state)
{
    FIXTURE(state)
    static const char broken[] = "kernel void broken(device int *X [[buffer(0)]]) { nonsense; }\n";
    tilec_source source = {.size = sizeof source,
                           .text = broken,
                           .metal = 1,
                           .trusted = 1,
                           .launch = "{\"threads_per_threadgroup\": 32}"};
    tilec_kernel *refused;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    tilec_kernel *kernel = compile(fixture->context, "same");
    tilec_status status = tilec_compile(fixture->context, &source, NULL, &refused);
    signal(SIGCHLD, before);
    tilec_kernel_destroy(kernel);
    assert_int_equal(status, TILEC_ERROR_COMPILE);
    expect_message(fixture->context, "use of undeclared identifier 'nonsense'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_take_buffers_and_scalars),
        cmocka_unit_test(buffers_may_share_memory),
        cmocka_unit_test(faults_are_diagnostics_and_change_nothing),
        cmocka_unit_test(launches_are_checked_before_they_run),
        cmocka_unit_test(prepared_launches_run_again),
        cmocka_unit_test(the_device_is_listed),
        cmocka_unit_test(children_that_nobody_hears_of),
        cmocka_unit_test(without_clang_compiling_is_refused),
    };
    return RUN_TESTS(tests, set_up, tear_down);
}
