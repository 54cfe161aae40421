/*
 * Every kernel of kernels/ as Metal text on msl-host against the interpreter, which also says how
 * far a result may be off; and without its barriers, which must be found out. Arguments are made by
 * the parameters' names.
 */
#include "base/random.h"
#include "run/msl_host.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define TILEC_EXPERIMENTAL
#include <tilec/tilec.h>
#include <cmocka.h>

#include "../skip.h"

enum { ELEMENTS = 16384, MOST = 9 };

static const struct {
    const char *file, *kernel;
    tilec_define constants[3];
} kernels[] = {
    {"activations", "gelu", {{"BLOCK", "256"}}},
    {"activations", "gelu_tanh", {{"BLOCK", "1024"}}},
    {"activations", "silu", {{"BLOCK", "64"}}},
    {"activations", "swiglu", {{"BLOCK", "512"}}},
    {"attention", "attention", {{"D", "8"}, {"BLOCK_M", "32"}, {"BLOCK_N", "16"}}},
    {"copy", "copy", {{"BLOCK", "256"}}},
    {"cross_entropy", "cross_entropy", {{"BLOCK", "128"}}},
    {"gemm", "gemm", {{"BLOCK_M", "32"}, {"BLOCK_N", "32"}, {"BLOCK_K", "16"}}},
    {"histogram", "histogram", {{"BLOCK", "256"}}},
    {"layernorm", "layernorm", {{"BLOCK", "128"}}},
    {"layernorm", "layernorm_tile", {{"BLOCK", "512"}}},
    {"median", "median", {{"REACH", "2"}, {"BLOCK", "64"}}},
    {"rmsnorm", "rmsnorm", {{"BLOCK", "256"}}},
    {"rmsnorm", "rmsnorm_tile", {{"BLOCK", "512"}}},
    {"row_argmax", "row_argmax", {{"BLOCK", "128"}}},
    {"row_cumsum", "row_cumsum", {{"BLOCK", "256"}}},
    {"softmax", "softmax", {{"BLOCK", "64"}}},
    {"softmax", "softmax_tile", {{"BLOCK", "512"}}},
    {"transpose", "transpose", {{"BLOCK_M", "32"}, {"BLOCK_N", "16"}}},
    {"vector_add", "vector_add", {{"BLOCK", "256"}}},
};

static const struct {
    const char *name;
    int value;
} sizes[] = {{"n", 1000}, {"rows", 3}, {"N", 301}, {"M", 37}, {"K", 45}, {"bins", 10},
             {"heads", 2}, {"keys", 50}, {"causal", 1}};

struct call {
    tilec_argument arguments[MOST];
    size_t count;
    uint32_t device[MOST][ELEMENTS]; /* msl-host's copy: float or int */
    uint32_t host[MOST][ELEMENTS];
    double allowed[MOST][ELEMENTS];
};

static void fill(const tilec_parameter *parameter, uint32_t *elements, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    for (int i = 0; i < ELEMENTS && parameter->is_const; i++) {
        float value = (float)random_normal(&random);
        elements[i] = (uint32_t)(random_bits(&random) % 10);
        if (parameter->type == TILEC_F32)
            memcpy(&elements[i], &value, sizeof value);
    }
}

static void make_arguments(struct call *call, const tilec_kernel *kernel)
{
    call->count = tilec_kernel_parameter_count(kernel);
    assert_true(call->count <= MOST);
    for (size_t i = 0; i < call->count; i++) {
        tilec_parameter parameter;
        tilec_argument *argument = &call->arguments[i];
        assert_int_equal(tilec_kernel_parameter(kernel, i, &parameter), TILEC_OK);
        if (parameter.kind == TILEC_BUFFER) {
            assert_true(parameter.type == TILEC_F32 || parameter.type == TILEC_I32);
            fill(&parameter, call->host[i], i);
            memcpy(call->device[i], call->host[i], sizeof call->host[i]);
            *argument = tilec_array(parameter.type, call->host[i], ELEMENTS);
            argument->allowed = call->allowed[i];
        } else if (parameter.type == TILEC_F32) {
            *argument = tilec_float(TILEC_F32, 1e-5);
        } else {
            size_t size = 0;
            while (strcmp(sizes[size].name, parameter.name) != 0)
                assert_true(++size < sizeof sizes / sizeof *sizes);
            *argument = tilec_int(parameter.type, sizes[size].value);
        }
    }
}

static void compare(const struct call *call, const char *kernel)
{
    for (size_t i = 0; i < call->count; i++)
        for (int j = 0; call->arguments[i].kind == TILEC_BUFFER && j < ELEMENTS; j++) {
            float want, is;
            if (call->host[i][j] == call->device[i][j])
                continue;
            memcpy(&want, &call->host[i][j], sizeof want);
            memcpy(&is, &call->device[i][j], sizeof is);
            double error = fabs((double)is - want);
            if (call->arguments[i].type != TILEC_F32 || !(error <= call->allowed[i][j]))
                fail_msg("%s: argument %zu, element %d is %g, not %g (at most %g off)", kernel, i,
                         j, (double)is, (double)want, call->allowed[i][j]);
        }
}

/* Runs the text on the device's buffers; false with the reason among the diagnostics. */
static bool run_text(struct call *call, const char *text, size_t length, const int64_t grid[3],
                     struct diagnostics *diagnostics)
{
    struct msl_host_buffer buffers[MOST];
    struct msl_host_launch launch = {.buffers = buffers, .buffer_count = call->count, .order = 7};
    const char *threads = strstr(text, "max_total_threads_per_threadgroup(");
    assert_non_null(threads);
    launch.threads[0] = (uint32_t)strtoul(strchr(threads, '(') + 1, NULL, 10);
    launch.threads[1] = launch.threads[2] = 1;
    for (size_t i = 0; i < 3; i++)
        launch.groups[i] = (uint32_t)grid[i];
    for (size_t i = 0; i < call->count; i++) {
        bool is_buffer = call->arguments[i].kind == TILEC_BUFFER;
        buffers[i].data = is_buffer ? (void *)call->device[i] : (void *)&call->arguments[i].bits;
        buffers[i].size = is_buffer ? sizeof call->device[i] : sizeof(uint32_t);
    }
    struct msl_host_program *program = msl_host_compile(text, length, true, NULL, diagnostics);
    bool ran = program && msl_host_run(program, &launch, diagnostics);
    msl_host_free(program);
    return ran;
}

/* Blanks out every threadgroup barrier; whether there was one. */
static bool drop_barriers(char *text)
{
    bool found = false;
    for (char *at = text; (at = strstr(at, "threadgroup_barrier(")) != NULL; found = true)
        memset(at, ' ', strcspn(at, ";"));
    return found;
}

static void expect_ok(tilec_context *context, const char *kernel, tilec_status status)
{
    tilec_diagnostic diagnostic = {0};
    if (status == TILEC_OK)
        return;
    tilec_diagnostic_get(context, 0, &diagnostic);
    fail_msg("%s: %s", kernel, diagnostic.message ? diagnostic.message : "fails");
}

static void check_kernel(tilec_context *context, size_t index, struct call *call,
                         struct diagnostics *diagnostics)
{
    char path[64];
    const char *name = kernels[index].kernel;
    snprintf(path, sizeof path, "kernels/%s.tile.c", kernels[index].file);
    tilec_source source = {.size = sizeof source, .path = path};
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = name,
                                     .target = "interp",
                                     .constants = kernels[index].constants};
    while (options.constant_count < 3 && options.constants[options.constant_count].name)
        options.constant_count++;
    tilec_program *program;
    tilec_kernel *kernel;
    int64_t grid[3];
    char *text;
    size_t length;
    memset(call, 0, sizeof *call);
    expect_ok(context, name, tilec_program_create(context, &source, &program));
    expect_ok(context, name, tilec_program_compile(program, &options, &kernel));
    /* All that the text asks for is then the kernel's own arguments. */
    static const char *const off[] = {"gpu:hoist_uniforms"};
    tilec_pass_options passes = {.size = sizeof passes, .off = off, .off_count = 1};
    options.target = "msl";
    options.passes = &passes;
    expect_ok(context, name, tilec_emit(program, &options, TILEC_STAGE_MSL, &text, &length));
    make_arguments(call, kernel);
    expect_ok(context, name, tilec_kernel_grid(kernel, call->arguments, call->count, grid));
    expect_ok(context, name, tilec_launch(kernel, NULL, call->arguments, call->count, NULL));
    if (!run_text(call, text, length, grid, diagnostics))
        fail_msg("%s: %s", name, diagnostics->items[diagnostics->count - 1].message);
    compare(call, name);
    if (drop_barriers(text) && run_text(call, text, length, grid, diagnostics))
        fail_msg("%s runs without its barriers", name);
    tilec_release(context, text);
    tilec_kernel_destroy(kernel);
    tilec_program_destroy(program);
}

static void kernels_agree_with_the_interpreter(void **state)
{
    (void)state;
    if (!msl_host_available())
        SKIP(SKIP_WITHOUT_CLANG);
    jmp_buf failure;
    struct arena arena;
    struct diagnostics diagnostics;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    struct call *call = malloc(sizeof *call);
    assert_non_null(call);
    assert_int_equal(setjmp(failure), 0);
    arena_init(&arena, allocator_default, &failure);
    diagnostics_init(&diagnostics, &arena);
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        check_kernel(context, i, call, &diagnostics);
    tilec_context_destroy(context);
    arena_free(&arena);
    free(call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_agree_with_the_interpreter)};
    return RUN_TESTS(tests, NULL, NULL);
}
