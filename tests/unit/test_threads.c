/*
 * Threads that compile, launch, ask and destroy at once, with one context, with contexts of their
 * own, and with one cache directory. What they must not do is found by ThreadSanitizer:
 * `SOAK_ONLY=threads make soak` runs this in a build with it.
 */
#include <tilec/tilec.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../skip.h"

enum { THREADS = 8, ROUNDS = 4, RUNS = 20, ELEMENTS = 4096 };

static const char text[] =
    "launch_grid(twice, cdiv(n, BLOCK));\n"
    "kernel void twice(const float *X, float *Y, int n, constexpr int BLOCK)\n"
    "{\n"
    "    int i = program_id(0) * BLOCK + arange(0, BLOCK);\n"
    "    store(Y + i, 2.0f * load(X + i, i < n), i < n);\n"
    "}\n";

static char folder[] = "/tmp/tilec-threads-XXXXXX";
static bool has_cpu;
static float x[ELEMENTS];

/* What all threads share. */
static tilec_context *context;
static tilec_program *program;
static tilec_kernel *kernel;

static bool open_context(tilec_context **made)
{
    tilec_context_options options = {.size = sizeof options, .cache_directory = folder};
    return tilec_context_create(&options, made) == TILEC_OK;
}

static bool open_program(tilec_context *in, tilec_program **made)
{
    tilec_source source = {.size = sizeof source, .path = "twice.tile.c", .text = text};
    return tilec_program_create(in, &source, made) == TILEC_OK;
}

static bool is_twice(const float *y)
{
    for (int i = 0; i < ELEMENTS; i++)
        if (y[i] != 2 * x[i])
            return false;
    return true;
}

static bool launch(tilec_kernel *which, float *y)
{
    tilec_prepared *prepared;
    tilec_kernel_info info = {.size = sizeof info};
    tilec_argument arguments[] = {tilec_array(TILEC_F32, x, ELEMENTS),
                                  tilec_array(TILEC_F32, y, ELEMENTS),
                                  tilec_int(TILEC_I32, ELEMENTS)};
    bool good = tilec_launch(which, NULL, arguments, 3, NULL) == TILEC_OK && is_twice(y);
    memset(y, 0, ELEMENTS * sizeof *y);
    if (tilec_prepare(which, NULL, arguments, 3, NULL, &prepared) != TILEC_OK)
        return false;
    for (int i = 0; i < RUNS; i++)
        good = good && tilec_prepared_run(prepared) == TILEC_OK;
    tilec_prepared_destroy(prepared);
    good = good && is_twice(y);
    /* Overlapping arrays are other code, which the first launch makes. */
    arguments[0].data = y;
    return good && tilec_launch(which, NULL, arguments, 3, NULL) == TILEC_OK &&
           tilec_kernel_get_info(which, &info) == TILEC_OK;
}

static bool ask(tilec_context *in, tilec_program *of, const tilec_compile_options *options)
{
    tilec_device device;
    char *report, *ir;
    bool good = tilec_explain(of, options, TILEC_REPORT_JSON, &report, NULL) == TILEC_OK;
    tilec_release(in, report);
    good = good && tilec_emit(program, options, TILEC_STAGE_TILE, &ir, NULL) == TILEC_OK;
    if (good)
        tilec_release(context, ir);
    for (size_t i = 0; i < tilec_device_count(in); i++)
        good = good && tilec_device_get(in, i, &device) == TILEC_OK;
    return good;
}

/* Odd threads use the shared context, even ones one of their own. */
static bool work_once(int number, int round, float *y)
{
    tilec_context *own = NULL, *in = context;
    tilec_program *of = NULL;
    tilec_kernel *made = NULL;
    static const char *const blocks[] = {"32", "64", "128"};
    tilec_define block = {"BLOCK", blocks[(number + round) % 3]};
    tilec_compile_options options = {.size = sizeof options,
                                     .target = has_cpu && (number + round) % 4 ? "cpu" : "interp",
                                     .constants = &block,
                                     .constant_count = 1};
    if (number % 2 == 0 && open_context(&own))
        in = own;
    bool good = open_program(in, &of) && tilec_program_compile(of, &options, &made) == TILEC_OK &&
                launch(made, y) && launch(kernel, y) && ask(in, of, &options);
    tilec_kernel_destroy(made);
    tilec_program_destroy(of);
    tilec_context_destroy(own);
    return good;
}

static void *work(void *number)
{
    static char failed;
    float *y = calloc(ELEMENTS, sizeof *y);
    bool good = y != NULL;
    for (int round = 0; good && round < ROUNDS; round++)
        good = work_once((int)(intptr_t)number, round, y);
    free(y);
    return good ? NULL : &failed;
}

static void all_at_once(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    bool good = true;
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        good = good && !failed;
    }
    assert_true(good);
}

static int set_up(void **state)
{
    (void)state;
    tilec_device device;
    tilec_define block = {"BLOCK", "64"};
    tilec_compile_options options = {
        .size = sizeof options, .constants = &block, .constant_count = 1};
    for (int i = 0; i < ELEMENTS; i++)
        x[i] = (float)i;
    if (!mkdtemp(folder) || !open_context(&context) || !open_program(context, &program) ||
        tilec_device_get(context, 0, &device) != TILEC_OK)
        return 1;
    has_cpu = device.available;
    options.target = has_cpu ? "cpu" : "interp";
    return tilec_program_compile(program, &options, &kernel) != TILEC_OK;
}

static int tear_down(void **state)
{
    (void)state;
    char command[100];
    tilec_kernel_destroy(kernel);
    tilec_program_destroy(program);
    tilec_context_destroy(context);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_at_once)};
    return RUN_TESTS(tests, set_up, tear_down);
}
