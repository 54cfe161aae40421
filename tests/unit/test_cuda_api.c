/*
 * The target "cuda" through the public API: on a GPU where there is one, else on a stand-in for the
 * driver (tests/fake_cuda), on which kernels do nothing. Compiling needs NVRTC.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <tilec/cuda.h>
#include <cmocka.h>

#include "../skip.h"
#include "run/nvrtc.h"
#include "tests/fake_cuda/fake_cuda.h"

enum { COUNT = 5000 };

static const char text[] = "#include <tilec/kernel.h>\n"
                           "launch_grid(twice, cdiv(n, 1024));\n"
                           "launch_require(twice, n != 13, \"n must not be 13\");\n"
                           "kernel void twice(const float *X, float *Out, int n)\n"
                           "{\n"
                           "    int i = program_id(0) * 1024 + arange(0, 1024);\n"
                           "    store(Out + i, load(X + i, i < n) * 2.0f, i < n);\n"
                           "}\n";

struct state {
    tilec_context *context;
    tilec_kernel *kernel;
    struct fake_cuda *fake; /* NULL: a GPU */
    bool compiles;
};

static struct fake_cuda *find_fake(void)
{
    char path[4096];
    const char *build = getenv("TILEC_BUILD_DIR"), *needed = getenv("TILEC_TEST_GPU");
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver || (needed && *needed == '1'))
        return NULL;
    snprintf(path, sizeof path, "%s/libfake_cuda.so", build ? build : "build");
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        fail_msg("%s", dlerror());
    setenv("TILEC_CUDA_DRIVER", path, 1);
    struct fake_cuda *(*get)(void);
    *(void **)&get = dlsym(library, "fake_cuda_state");
    return get();
}

static void expect(const struct state *s, tilec_status is, tilec_status wanted)
{
    tilec_diagnostic d = {0};
    if (is == wanted)
        return;
    tilec_diagnostic_get(s->context, 0, &d);
    fail_msg("%s, not %s: %s", tilec_status_string(is), tilec_status_string(wanted),
             d.message ? d.message : "");
}

/* Every program's element says where it stands, and in how large a grid. */
static const char places[] =
    "#include <tilec/kernel.h>\n"
    "kernel void place(int64_t *Out, int x, int y)\n"
    "{\n"
    "    int64_t p = program_id(0) + x * (program_id(1) + (int64_t)y * program_id(2));\n"
    "    int64_t n = num_programs(0) + 5 * (num_programs(1) + 7 * (int64_t)num_programs(2));\n"
    "    store(Out + p, 1000000 * p + n / (x / y + 1));\n"
    "}\n";

static tilec_status compile(tilec_context *context, const char *path, const char *kernel_text,
                            tilec_kernel **kernel)
{
    tilec_source source = {.size = sizeof source, .path = path, .text = kernel_text};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
    return tilec_compile(context, &source, &options, kernel);
}

static int setup(void **result)
{
    char why[512];
    struct state *s = calloc(1, sizeof *s);
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    s->fake = find_fake();
    if (s->fake)
        *s->fake = (struct fake_cuda){0};
    const struct nvrtc *nvrtc = nvrtc_open(why, sizeof why);
    s->compiles = nvrtc != NULL;
    free((void *)(uintptr_t)nvrtc);
    assert_int_equal(tilec_context_create(&options, &s->context), TILEC_OK);
    if (s->compiles)
        expect(s, compile(s->context, "twice.tile.c", text, &s->kernel), TILEC_OK);
    else
        print_message("kernels are not compiled: %s\n", why);
    *result = s;
    return 0;
}

static int teardown(void **result)
{
    struct state *s = *result;
    tilec_kernel_destroy(s->kernel);
    tilec_context_destroy(s->context);
    if (s->fake) { /* everything was given back, and the caller's context is current again */
        assert_int_equal(s->fake->modules, 0);
        assert_int_equal(s->fake->allocations, 0);
        assert_int_equal(s->fake->context_depth, 0);
    }
    free(s);
    return 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void memory_goes_and_comes(void **result)
{
    struct state *s = *result;
    void *memory, *stream, *begin, *end;
    unsigned char in[256], out[256];
    double seconds;
    for (int i = 0; i < 256; i++)
        in[i] = (unsigned char)(i * 7);
    expect(s, tilec_cuda_allocate(s->context, 256, &memory), TILEC_OK);
    expect(s, tilec_cuda_stream_create(s->context, &stream), TILEC_OK);
    expect(s, tilec_cuda_event_create(s->context, &begin), TILEC_OK);
    expect(s, tilec_cuda_event_create(s->context, &end), TILEC_OK);
    expect(s, tilec_cuda_event_record(s->context, begin, stream), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, memory, in, 256, stream), TILEC_OK);
    expect(s, tilec_cuda_fill(s->context, memory, 9, 16, stream), TILEC_OK);
    expect(s, tilec_cuda_event_record(s->context, end, stream), TILEC_OK);
    expect(s, tilec_cuda_stream_after(s->context, stream, end), TILEC_OK);
    expect(s, tilec_cuda_event_wait(s->context, end), TILEC_OK);
    expect(s, tilec_cuda_event_seconds(s->context, begin, end, &seconds), TILEC_OK);
    assert_true(seconds > 0 && seconds < 10);
    expect(s, tilec_cuda_copy(s->context, out, memory, 256, NULL), TILEC_OK);
    memset(in, 9, 16);
    assert_memory_equal(in, out, 256);
    expect(s, tilec_cuda_copy(s->context, NULL, NULL, 0, NULL), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, NULL, in, 1, NULL), TILEC_ERROR_INVALID);
    expect(s, tilec_cuda_event_destroy(s->context, begin), TILEC_OK);
    expect(s, tilec_cuda_event_destroy(s->context, end), TILEC_OK);
    expect(s, tilec_cuda_stream_destroy(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, NULL), TILEC_OK);
}

static void too_much_memory_is_a_status(void **result)
{
    struct state *s = *result;
    void *memory = s;
    tilec_diagnostic d;
    expect(s, tilec_cuda_allocate(s->context, (size_t)1 << 50, &memory), TILEC_ERROR_NO_MEMORY);
    assert_null(memory);
    assert_int_equal(tilec_diagnostic_get(s->context, 0, &d), TILEC_OK);
    assert_non_null(strstr(d.message, "1125899906842624 bytes"));
    expect(s, tilec_cuda_allocate(s->context, 64, &memory), TILEC_OK); /* nothing is broken */
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
}

/* ---- launches -------------------------------------------------------------------------------- */

static void need_compiler(const struct state *s)
{
    if (!s->compiles)
        SKIP("there is no compiler for CUDA");
}

static void fill(float *x, float *out)
{
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i % 97) - 11;
        out[i] = -1;
    }
}

static void expect_twice(const struct state *s, const float *x, const float *out, int n)
{
    for (int i = 0; !s->fake && i < COUNT; i++)
        if (out[i] != (i < n ? 2 * x[i] : -1))
            fail_msg("element %d of %d is %g", i, n, (double)out[i]);
}

static tilec_status launch(const struct state *s, void *x, void *out, int n,
                           const tilec_launch_options *options)
{
    const tilec_argument arguments[3] = {tilec_array(TILEC_F32, x, n),
                                         tilec_array(TILEC_F32, out, n), tilec_int(TILEC_I32, n)};
    return tilec_launch(s->kernel, NULL, arguments, 3, options);
}

/* Lengths and addresses that are multiples of 16, and such that are not. */
static void host_buffers_are_copied(void **result)
{
    struct state *s = *result;
    static _Alignas(64) float x[COUNT + 1], out[COUNT + 1];
    tilec_launch_options options = {.size = sizeof options, .host_buffers = 1};
    static const struct {
        int n, shift;
    } cases[] = {{4096, 0}, {4096, 1}, {4097, 0}, {1, 0}, {1023, 1}, {0, 0}, {4992, 0}};
    need_compiler(s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fill(x + cases[i].shift, out + cases[i].shift);
        expect(s, launch(s, x + cases[i].shift, out + cases[i].shift, cases[i].n, &options),
               TILEC_OK);
        expect_twice(s, x + cases[i].shift, out + cases[i].shift, cases[i].n);
    }
    if (s->fake)
        assert_int_equal(s->fake->launches, 6); /* nothing is launched for no programs */
}

static void a_buffer_may_be_both(void **result)
{
    struct state *s = *result;
    static float x[COUNT], out[COUNT];
    tilec_launch_options options = {.size = sizeof options, .host_buffers = 1};
    need_compiler(s);
    fill(x, out);
    memcpy(out, x, sizeof out);
    expect(s, launch(s, out, out, COUNT, &options), TILEC_OK);
    for (int i = 0; !s->fake && i < COUNT; i++)
        assert_true(out[i] == 2 * x[i]);
    if (s->fake)
        assert_int_equal(s->fake->allocations, 0);
}

static void launches_are_queued(void **result)
{
    struct state *s = *result;
    float x[COUNT], out[COUNT];
    void *from, *to, *stream;
    need_compiler(s);
    fill(x, out);
    expect(s, tilec_cuda_allocate(s->context, sizeof x, &from), TILEC_OK);
    expect(s, tilec_cuda_allocate(s->context, sizeof x, &to), TILEC_OK);
    expect(s, tilec_cuda_stream_create(s->context, &stream), TILEC_OK);
    tilec_launch_options options = {.size = sizeof options, .stream = stream, .overlap = 1};
    const tilec_argument arguments[3] = {tilec_array(TILEC_F32, from, COUNT),
                                         tilec_array(TILEC_F32, to, COUNT),
                                         tilec_int(TILEC_I32, 4000)};
    tilec_prepared *prepared;
    if (s->fake)
        memcpy(s->fake->value_bytes, (int[]){8, 8, 4}, 3 * sizeof(int));
    expect(s, tilec_prepare(s->kernel, NULL, arguments, 3, &options, &prepared), TILEC_OK);
    int waits = s->fake ? s->fake->waits : 0;
    expect(s, tilec_cuda_copy(s->context, from, x, sizeof x, stream), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, to, out, sizeof x, stream), TILEC_OK);
    expect(s, tilec_prepared_run(prepared), TILEC_OK);
    expect(s, tilec_prepared_run(prepared), TILEC_OK);
    if (s->fake) {
        assert_int_equal(s->fake->waits, waits);
        assert_int_equal(s->fake->config.grid[0], 4);
        assert_int_equal(s->fake->config.block[0], 128);
        assert_ptr_equal(s->fake->config.stream, stream);
        assert_int_equal(s->fake->overlaps, 1);
        assert_int_equal(s->fake->values[0], (uintptr_t)from);
        assert_int_equal(s->fake->values[1], (uintptr_t)to);
        assert_int_equal(s->fake->values[2], 4000);
    }
    expect(s, tilec_cuda_stream_wait(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, out, to, sizeof x, NULL), TILEC_OK);
    expect_twice(s, x, out, 4000);
    tilec_prepared_destroy(prepared);
    expect(s, tilec_cuda_stream_destroy(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, from), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, to), TILEC_OK);
}

/* The first lengths of rows have code of their own, others share it by eighths of the tile; a length
 * that was launched before needs no more. */
static void rows_have_code_for_their_length(void **result)
{
    enum { MOST = 1024 };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(scaled, 1);\n"
        "kernel void scaled(const float *restrict X, float *restrict Out, int n)\n"
        "{\n"
        "    int i = arange(0, 1024);\n"
        "    float x = load(X + i, i < n);\n"
        "    store(Out + i, x + sum(x), i < n);\n"
        "}\n";
    static const struct {
        int n, made;
    } launches[] = {{1009, 1}, {1009, 0}, {1024, 1}, {100, 1}, {0, 1}, {100, 0},
                    {513, 1},  {520, 0},  {601, 0},  {900, 1}, {-3, 1}, {1025, 0}};
    struct state *s = *result;
    need_compiler(s);
    tilec_source source = {.size = sizeof source, .path = "scaled.tile.c", .text = source_text};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
    tilec_launch_options launch = {.size = sizeof launch, .host_buffers = 1};
    tilec_kernel *kernel;
    expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
    for (int k = 0; k < (int)(sizeof launches / sizeof *launches); k++) {
        float x[MOST], out[MOST], sum = 0;
        int n = launches[k].n, before = s->fake ? s->fake->modules : 0;
        const tilec_argument arguments[3] = {tilec_array(TILEC_F32, x, MOST),
                                             tilec_array(TILEC_F32, out, MOST),
                                             tilec_int(TILEC_I32, n)};
        for (int i = 0; i < MOST; i++) {
            x[i] = (float)(i % 17);
            out[i] = -1;
            sum += i < n ? x[i] : 0;
        }
        expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
        if (s->fake)
            assert_int_equal(s->fake->modules - before, launches[k].made);
        for (int i = 0; !s->fake && i < MOST; i++)
            assert_true(out[i] == (i < n ? x[i] + sum : -1));
    }
    tilec_kernel_destroy(kernel);
}

/* A row that does not fit one block: on sm_90 and later four share it, unless the device says that it
 * takes no cluster. */
static void clusters_are_launched(void **result)
{
    enum { ROWS = 3, WIDTH = 65536 };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(less, rows);\n"
        "kernel void less(const float *restrict X, float *restrict Out, int rows)\n"
        "{\n"
        "    int i = program_id(0) * 65536 + arange(0, 65536);\n"
        "    float x = load(X + i);\n"
        "    store(Out + i, x - max(x) + sum(x));\n"
        "}\n";
    struct state *s = *result;
    need_compiler(s);
    for (int clusters = 0; clusters < 2; clusters++) {
        tilec_source source = {.size = sizeof source, .path = "less.tile.c", .text = source_text};
        tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
        tilec_launch_options launch = {.size = sizeof launch, .host_buffers = 1};
        tilec_kernel *kernel;
        float *x = calloc(ROWS * WIDTH, sizeof *x), *out = calloc(ROWS * WIDTH, sizeof *out);
        assert_true(x && out);
        for (int i = 0; i < ROWS * WIDTH; i++)
            x[i] = (float)((i * 7919 + i / WIDTH) % 31 - 15); /* sums are exact */
        const tilec_argument arguments[3] = {tilec_array(TILEC_F32, x, ROWS * WIDTH),
                                             tilec_array(TILEC_F32, out, ROWS * WIDTH),
                                             tilec_int(TILEC_I32, ROWS)};
        if (s->fake)
            s->fake->clusters = clusters;
        expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
        expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
        if (s->fake) {
            assert_int_equal(s->fake->config.grid[0], clusters ? 4 * ROWS : ROWS);
            assert_int_equal(s->fake->config.block[0], clusters ? 512 : 1024);
        }
        for (int row = 0; !s->fake && row < ROWS; row++) {
            float most = -16, sum = 0;
            for (int i = row * WIDTH; i < (row + 1) * WIDTH; i++) {
                most = x[i] > most ? x[i] : most;
                sum += x[i];
            }
            for (int i = row * WIDTH; i < (row + 1) * WIDTH; i++)
                assert_true(out[i] == x[i] - most + sum);
        }
        tilec_kernel_destroy(kernel);
        free(x);
        free(out);
    }
}

/* What is captured runs when the graph does, as often as it does; and the stream is usable after a
 * capture that failed. */
static void graphs_replay_launches(void **result)
{
    struct state *s = *result;
    float x[COUNT], out[COUNT];
    void *from, *to, *stream, *graph;
    need_compiler(s);
    fill(x, out);
    expect(s, tilec_cuda_allocate(s->context, sizeof x, &from), TILEC_OK);
    expect(s, tilec_cuda_allocate(s->context, sizeof x, &to), TILEC_OK);
    expect(s, tilec_cuda_stream_create(s->context, &stream), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, from, x, sizeof x, NULL), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, to, out, sizeof x, NULL), TILEC_OK);
    tilec_launch_options options = {.size = sizeof options, .stream = stream};
    const tilec_argument arguments[3] = {tilec_array(TILEC_F32, from, COUNT),
                                         tilec_array(TILEC_F32, to, COUNT),
                                         tilec_int(TILEC_I32, 4000)};
    tilec_prepared *prepared;
    expect(s, tilec_prepare(s->kernel, NULL, arguments, 3, &options, &prepared), TILEC_OK);
    expect(s, tilec_cuda_capture_begin(s->context, NULL), TILEC_ERROR_INVALID);
    expect(s, tilec_cuda_capture_begin(s->context, stream), TILEC_OK);
    for (int i = 0; i < 3; i++)
        expect(s, tilec_prepared_run(prepared), TILEC_OK);
    expect(s, tilec_cuda_capture_end(s->context, stream, &graph), TILEC_OK);
    expect(s, tilec_cuda_stream_wait(s->context, stream), TILEC_OK);
    float now[COUNT];
    expect(s, tilec_cuda_copy(s->context, now, to, sizeof x, NULL), TILEC_OK);
    assert_memory_equal(now, out, sizeof now); /* nothing has run */
    for (int i = 0; i < 2; i++)
        expect(s, tilec_cuda_graph_launch(s->context, graph, stream), TILEC_OK);
    expect(s, tilec_cuda_graph_launch(s->context, graph, NULL), TILEC_OK);
    expect(s, tilec_cuda_stream_wait(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, now, to, sizeof x, NULL), TILEC_OK);
    expect_twice(s, x, now, 4000);
    expect(s, tilec_cuda_graph_destroy(s->context, graph), TILEC_OK);
    expect(s, tilec_cuda_graph_destroy(s->context, NULL), TILEC_OK);
    if (s->fake) {
        assert_int_equal(s->fake->graph_launches, 3);
        assert_int_equal(s->fake->graphs, 0);
        s->fake->fail_capture_end = 901;
        expect(s, tilec_cuda_capture_begin(s->context, stream), TILEC_OK);
        expect(s, tilec_cuda_capture_end(s->context, stream, &graph), TILEC_ERROR_INVALID);
        assert_null(graph);
        s->fake->fail_capture_end = 0;
    }
    tilec_prepared_destroy(prepared);
    expect(s, tilec_cuda_stream_destroy(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, from), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, to), TILEC_OK);
}

/* Where the launch is waited for, the device's own time is known; on a stream it is not. */
static void the_device_tells_its_time(void **result)
{
    struct state *s = *result;
    static float x[COUNT], out[COUNT];
    double seconds = -1;
    void *stream;
    tilec_launch_options options = {
        .size = sizeof options, .host_buffers = 1, .device_seconds = &seconds};
    need_compiler(s);
    fill(x, out);
    for (int i = 0; i < 2; i++) {
        seconds = -1;
        expect(s, launch(s, x, out, COUNT, &options), TILEC_OK);
        assert_true(seconds > 0 && seconds < 1);
    }
    expect(s, tilec_cuda_stream_create(s->context, &stream), TILEC_OK);
    options.host_buffers = 0;
    options.stream = stream;
    void *memory;
    expect(s, tilec_cuda_allocate(s->context, sizeof x, &memory), TILEC_OK);
    expect(s, launch(s, memory, memory, COUNT, &options), TILEC_OK);
    assert_true(seconds == 0);
    expect(s, tilec_cuda_stream_wait(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
    expect(s, tilec_cuda_stream_destroy(s->context, stream), TILEC_OK);
}

static void wrong_launches_are_refused(void **result)
{
    struct state *s = *result;
    void *memory;
    const int64_t high[3] = {32768, 65536, 1};
    need_compiler(s);
    expect(s, tilec_cuda_allocate(s->context, 4096, &memory), TILEC_OK);
    expect(s, launch(s, memory, memory, 13, NULL), TILEC_ERROR_REQUIREMENT);
    expect(s, launch(s, NULL, memory, 5, NULL), TILEC_ERROR_ARGUMENT);
    tilec_argument arguments[3] = {tilec_array(TILEC_F32, memory, 1024),
                                   tilec_array(TILEC_F32, memory, 1024),
                                   tilec_int(TILEC_I32, 1025)};
    expect(s, tilec_launch(s->kernel, NULL, arguments, 3, NULL), TILEC_ERROR_ARGUMENT);
    arguments[2] = tilec_int(TILEC_I32, 1024);
    expect(s, tilec_launch(s->kernel, high, arguments, 3, NULL), TILEC_ERROR_GRID);
    expect(s, tilec_launch(s->kernel, NULL, arguments, 3, NULL), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
}

/* What launches compute on the host may choose: conditions of several parts, grids by ?:. */
static void conditions_and_grids_choose(void **result)
{
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(fill, n > 8 ? cdiv(n, of) : kind == 1 || kind == 3 ? 3 : 2);\n"
        "launch_require(fill, of >= 1 && n % of == 0, \"n must be a multiple\");\n"
        "launch_require(fill, kind > 0 || (n > 4 ? of == 2 : of == 1), \"of must fit\");\n"
        "kernel void fill(int *Out, int n, int of, int kind)\n"
        "{\n"
        "    store(Out + program_id(0), num_programs(0));\n"
        "}\n";
    static const struct {
        int n, of, kind, programs; /* 0: refused */
    } launches[] = {{12, 2, 1, 6}, {12, 5, 1, 0}, {12, 0, 1, 0}, {8, -2, 1, 0}, {8, 2, 1, 3},
                    {8, 4, 3, 3},  {8, 4, 2, 2},  {8, 4, 0, 0},  {8, 2, 0, 2},  {4, 1, 0, 2},
                    {4, 2, 0, 0}};
    struct state *s = *result;
    tilec_kernel *kernel;
    int32_t host[8];
    void *memory;
    need_compiler(s);
    expect(s, compile(s->context, "fill.tile.c", source_text, &kernel), TILEC_OK);
    expect(s, tilec_cuda_allocate(s->context, sizeof host, &memory), TILEC_OK);
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const int *of = &launches[i].n, programs = launches[i].programs;
        tilec_argument arguments[4] = {tilec_array(TILEC_I32, memory, 8),
                                       tilec_int(TILEC_I32, of[0]), tilec_int(TILEC_I32, of[1]),
                                       tilec_int(TILEC_I32, of[2])};
        expect(s, tilec_cuda_fill(s->context, memory, 0, sizeof host, NULL), TILEC_OK);
        expect(s, tilec_launch(kernel, NULL, arguments, 4, NULL),
               programs ? TILEC_OK : TILEC_ERROR_REQUIREMENT);
        if (programs && s->fake)
            assert_int_equal(s->fake->config.grid[0], programs);
        expect(s, tilec_cuda_copy(s->context, host, memory, sizeof host, NULL), TILEC_OK);
        for (int k = 0; k < 8 && !s->fake; k++)
            assert_int_equal(host[k], k < programs ? programs : 0);
    }
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
    tilec_kernel_destroy(kernel);
}

/* Odd rows of halves have other code where there are many; floats have not, nor aligned rows. */
static void many_rows_have_code_of_their_own(void **result)
{
    enum { MOST = 300 * 1024 };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(scaled, rows);\n"
        "kernel void scaled(const T *restrict X, T *restrict Out, int rows, int n)\n"
        "{\n"
        "    int i = arange(0, 1024);\n"
        "    int64_t row = program_id(0) * n;\n"
        "    float x = load(X + row + i, i < n);\n"
        "    store(Out + row + i, x + sum(x), i < n);\n"
        "}\n";
    static const struct {
        int rows, n, halves, floats; /* modules that are made */
    } launches[] = {{2, 1009, 1, 1}, {255, 1009, 0, 0}, {256, 1009, 1, 0}, {300, 1009, 0, 0},
                    {3, 1009, 0, 0}, {4, 1024, 1, 1},   {256, 1024, 0, 0}};
    struct state *s = *result;
    need_compiler(s);
    for (int half = 0; half < 2; half++) {
        tilec_define type = {"T", half ? "half" : "float"};
        tilec_source source = {.size = sizeof source,
                               .path = "scaled.tile.c",
                               .text = source_text,
                               .defines = &type,
                               .define_count = 1};
        tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
        tilec_launch_options launch = {.size = sizeof launch, .host_buffers = 1};
        tilec_kernel *kernel;
        uint32_t *x = calloc(MOST, sizeof *x), *out = calloc(MOST, sizeof *out);
        expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
        for (int k = 0; k < (int)(sizeof launches / sizeof *launches); k++) {
            int before = s->fake ? s->fake->modules : 0;
            tilec_type elem = half ? TILEC_F16 : TILEC_F32;
            const tilec_argument arguments[4] = {
                tilec_array(elem, x, MOST), tilec_array(elem, out, MOST),
                tilec_int(TILEC_I32, launches[k].rows), tilec_int(TILEC_I32, launches[k].n)};
            expect(s, tilec_launch(kernel, NULL, arguments, 4, &launch), TILEC_OK);
            int made = half ? launches[k].halves : launches[k].floats;
            if (s->fake)
                assert_int_equal(s->fake->modules - before, made);
        }
        launch.overlap = 1; /* such launches have one code for all numbers of rows */
        for (int rows = 2; rows <= 256; rows += 254) {
            int before = s->fake ? s->fake->modules : 0;
            tilec_type elem = half ? TILEC_F16 : TILEC_F32;
            const tilec_argument arguments[4] = {
                tilec_array(elem, x, MOST), tilec_array(elem, out, MOST),
                tilec_int(TILEC_I32, rows), tilec_int(TILEC_I32, 1009)};
            expect(s, tilec_launch(kernel, NULL, arguments, 4, &launch), TILEC_OK);
            if (s->fake)
                assert_int_equal(s->fake->modules - before, rows == 2);
        }
        tilec_kernel_destroy(kernel);
        free(x);
        free(out);
    }
}

/* Code for one length: no other variant is made for it, and other lengths are refused. */
static void a_fixed_length_has_one_code(void **result)
{
    enum { MOST = 1024 };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(scaled, 1);\n"
        "kernel void scaled(const float *restrict X, float *restrict Out, int n)\n"
        "{\n"
        "    int i = arange(0, 1024);\n"
        "    float x = load(X + i, i < n);\n"
        "    store(Out + i, x + sum(x), i < n);\n"
        "}\n";
    struct state *s = *result;
    tilec_define length = {"n", "1009"};
    tilec_kernel *kernel;
    float x[MOST], out[MOST], sum = 0;
    need_compiler(s);
    tilec_source source = {.size = sizeof source,
                           .path = "scaled.tile.c",
                           .text = source_text,
                           .defines = &length,
                           .define_count = 1};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
    tilec_launch_options launch = {.size = sizeof launch, .host_buffers = 1};
    expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
    tilec_argument arguments[3] = {tilec_array(TILEC_F32, x, MOST),
                                   tilec_array(TILEC_F32, out, MOST), tilec_int(TILEC_I32, 1009)};
    for (int i = 0; i < MOST; i++) {
        x[i] = (float)(i % 17);
        out[i] = -1;
        sum += i < 1009 ? x[i] : 0;
    }
    int before = s->fake ? s->fake->modules : 0;
    expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
    expect(s, tilec_launch(kernel, NULL, arguments, 2, &launch), TILEC_OK); /* left out */
    if (s->fake)
        assert_int_equal(s->fake->modules - before, 0);
    for (int i = 0; !s->fake && i < MOST; i++)
        assert_true(out[i] == (i < 1009 ? x[i] + sum : -1));
    arguments[2] = tilec_int(TILEC_I32, 1008);
    expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_ERROR_ARGUMENT);
    tilec_kernel_destroy(kernel);
}

static void check_places(struct state *s, tilec_kernel *kernel, void *memory, const int64_t grid[3])
{
    int64_t count = grid[0] * grid[1] * grid[2], size = grid[0] + 5 * (grid[1] + 7 * grid[2]);
    int64_t *out = calloc((size_t)count, sizeof *out);
    const tilec_argument arguments[3] = {tilec_array(TILEC_I64, memory, count),
                                         tilec_int(TILEC_I32, grid[0]),
                                         tilec_int(TILEC_I32, grid[1])};
    expect(s, tilec_cuda_fill(s->context, memory, 0xff, (size_t)count * sizeof *out, NULL), TILEC_OK);
    expect(s, tilec_launch(kernel, grid, arguments, 3, NULL), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, out, memory, (size_t)count * sizeof *out, NULL), TILEC_OK);
    for (int64_t i = 0; !s->fake && i < count; i++)
        if (out[i] != 1000000 * i + size / (grid[0] / grid[1] + 1))
            fail_msg("grid (%d, %d, %d): element %d is %lld", (int)grid[0], (int)grid[1],
                     (int)grid[2], (int)i, (long long)out[i]);
    free(out);
}

/* More programs along the second or third axis than CUDA has there. */
static void long_axes_are_folded(void **result)
{
    static const int64_t grids[][3] = {{3, 65535, 2}, {3, 65536, 2}, {1, 70001, 1}, {2, 3, 65537},
                                       {5, 4, 3}};
    struct state *s = *result;
    void *memory;
    tilec_kernel *kernel;
    need_compiler(s);
    expect(s, tilec_cuda_allocate(s->context, (size_t)8 << 20, &memory), TILEC_OK);
    expect(s, compile(s->context, "place.tile.c", places, &kernel), TILEC_OK);
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const int64_t *grid = grids[i];
        bool folded = grid[1] > 65535 || grid[2] > 65535;
        if (s->fake) /* the kernel's own, those of its prologue, the grid's */
            memcpy(s->fake->value_bytes, (int[]){8, 4, 4, 4, folded ? 4 : 0, 4, 4, 0}, 8 * sizeof(int));
        check_places(s, kernel, memory, grid);
        if (!s->fake)
            continue;
        const unsigned *launched = s->fake->config.grid;
        assert_int_equal(launched[0], folded ? grid[0] * grid[1] * grid[2] : grid[0]);
        assert_int_equal(launched[1], folded ? 1 : grid[1]);
        assert_int_equal(launched[2], folded ? 1 : grid[2]);
        for (int axis = 0; folded && axis < 3; axis++)
            assert_int_equal(s->fake->values[4 + axis], grid[axis]);
    }
    tilec_kernel_destroy(kernel);
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
}

/* Blocks of several programs: as many as that takes along x, whose size goes with the launch; the
 * last one has parts without a program. */
static void blocks_run_several_programs(void **result)
{
    static const int64_t grids[][3] = {{1, 1, 1}, {6, 1, 1}, {7, 3, 2}, {8, 1, 5}, {5, 65536, 1}};
    static const char *const required = "programs_per_block=3";
    struct state *s = *result;
    tilec_source source = {.size = sizeof source, .path = "place.tile.c", .text = places};
    tilec_compile_options options = {.size = sizeof options,
                                     .target = "cuda",
                                     .requirements = &required,
                                     .requirement_count = 1};
    tilec_kernel *kernel;
    void *memory;
    need_compiler(s);
    expect(s, tilec_cuda_allocate(s->context, (size_t)8 << 20, &memory), TILEC_OK);
    expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const int64_t *grid = grids[i];
        bool folded = grid[1] > 65535;
        int64_t along = folded ? grid[0] * grid[1] * grid[2] : grid[0];
        if (s->fake) /* the kernel's own, those of its prologue, the grid's if it is folded, its
                        width */
            memcpy(s->fake->value_bytes, (int[]){8, 4, 4, 4, 4, folded ? 4 : 0, 4, 4},
                   8 * sizeof(int));
        check_places(s, kernel, memory, grid);
        if (!s->fake)
            continue;
        const unsigned *launched = s->fake->config.grid;
        assert_int_equal(launched[0], (along + 2) / 3);
        assert_int_equal(launched[1], folded ? 1 : grid[1]);
        assert_int_equal(launched[2], folded ? 1 : grid[2]);
        assert_int_equal(s->fake->config.block[0], 3 * 32);
        assert_int_equal(s->fake->values[folded ? 7 : 4], along);
    }
    tilec_kernel_destroy(kernel);
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
}

/* So many rows of 8 KB that two of them share a block; one less, and each has a block of its own.
 * With either, and with launches that overlap, rows are right. */
static void many_rows_share_blocks(void **result)
{
    enum { MANY = 8192, WIDTH = 4096 };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(scaled, rows);\n"
        "kernel void scaled(const half *restrict X, half *restrict Out, int rows)\n"
        "{\n"
        "    int64_t i = (int64_t)program_id(0) * 4096 + arange(0, 4096);\n"
        "    float x = load(X + i);\n"
        "    store(Out + i, x + sum(x) / 4096);\n"
        "}\n";
    static const int rows[] = {MANY - 1, MANY, MANY + 1, 3};
    static const unsigned short halves[] = {0x0000, 0x3c00}; /* 0, 1: their mean is 0.5 */
    struct state *s = *result;
    need_compiler(s);
    tilec_source source = {.size = sizeof source, .path = "scaled.tile.c", .text = source_text};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
    tilec_kernel *kernel;
    size_t bytes = sizeof *halves * (MANY + 2) * WIDTH;
    unsigned short *x = malloc(bytes), *out = malloc(bytes);
    assert_true(x && out);
    expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
    for (size_t i = 0; i < bytes / sizeof *x; i++)
        x[i] = halves[i % 2];
    for (int k = 0; k < 8; k++) {
        int count = rows[k / 2];
        bool shares = count >= MANY;
        tilec_launch_options launch = {.size = sizeof launch, .host_buffers = 1, .overlap = k % 2};
        const tilec_argument arguments[3] = {
            tilec_array(TILEC_F16, x, (int64_t)(MANY + 2) * WIDTH),
            tilec_array(TILEC_F16, out, (int64_t)(MANY + 2) * WIDTH), tilec_int(TILEC_I32, count)};
        memset(out, 0xff, bytes);
        expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
        if (s->fake) {
            assert_int_equal(s->fake->config.grid[0], shares ? (count + 1) / 2 : count);
            assert_int_equal(s->fake->config.block[0], 256);
        }
        for (size_t i = 0; !s->fake && i < bytes / sizeof *x; i++) {
            unsigned short wanted = i >= (size_t)count * WIDTH ? 0xffff : i % 2 ? 0x3e00 : 0x3800;
            if (out[i] != wanted)
                fail_msg("%d rows: element %d is 0x%04x", count, (int)i, out[i]);
        }
    }
    tilec_kernel_destroy(kernel);
    free(x);
    free(out);
}

/* Rows of 64 KB, of which so many have code that fetches ahead; one less, and they have that for
 * any number. With either, and with launches that overlap, rows are right. */
static void long_launches_fetch_ahead(void **result)
{
    enum { LONG = 1536, WIDTH = 16384, ELEMENTS = (LONG + 1) * WIDTH };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(scaled, rows);\n"
        "kernel void scaled(const float *restrict X, float *restrict Out, int rows)\n"
        "{\n"
        "    int64_t i = (int64_t)program_id(0) * 16384 + arange(0, 16384);\n"
        "    float x = load(X + i);\n"
        "    store(Out + i, x + sum(x) / 16384);\n"
        "}\n";
    static const struct {
        int rows, overlap, made; /* variants, by then */
    } launches[] = {{LONG - 1, 0, 1}, {LONG, 0, 2}, {LONG + 1, 0, 2}, {3, 0, 2}, {LONG, 1, 3}};
    struct state *s = *result;
    need_compiler(s);
    tilec_source source = {.size = sizeof source, .path = "scaled.tile.c", .text = source_text};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
    tilec_kernel *kernel;
    void *x, *out;
    float *rows = s->fake ? NULL : malloc(sizeof *rows * ELEMENTS);
    expect(s, tilec_cuda_allocate(s->context, sizeof *rows * ELEMENTS, &x), TILEC_OK);
    expect(s, tilec_cuda_allocate(s->context, sizeof *rows * ELEMENTS, &out), TILEC_OK);
    for (int i = 0; rows && i < ELEMENTS; i++)
        rows[i] = (float)(i % 2) + (float)(i / WIDTH);
    if (rows)
        expect(s, tilec_cuda_copy(s->context, x, rows, sizeof *rows * ELEMENTS, NULL), TILEC_OK);
    int before = s->fake ? s->fake->modules : 0;
    expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
    for (size_t k = 0; k < sizeof launches / sizeof *launches; k++) {
        int count = launches[k].rows;
        tilec_launch_options launch = {.size = sizeof launch, .overlap = launches[k].overlap};
        const tilec_argument arguments[3] = {tilec_array(TILEC_F32, x, ELEMENTS),
                                             tilec_array(TILEC_F32, out, ELEMENTS),
                                             tilec_int(TILEC_I32, count)};
        expect(s, tilec_cuda_fill(s->context, out, 0, sizeof *rows * ELEMENTS, NULL), TILEC_OK);
        expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
        if (s->fake)
            assert_int_equal(s->fake->modules - before, launches[k].made);
        if (!rows)
            continue;
        expect(s, tilec_cuda_copy(s->context, rows, out, sizeof *rows * ELEMENTS, NULL), TILEC_OK);
        for (int i = 0; i < ELEMENTS; i++) {
            float row = (float)(i / WIDTH), wanted = (float)(i % 2) + row + (row + 0.5f);
            if (rows[i] != (i < count * WIDTH ? wanted : 0.0f))
                fail_msg("%d rows: element %d is %g", count, i, (double)rows[i]);
        }
    }
    tilec_kernel_destroy(kernel);
    expect(s, tilec_cuda_free(s->context, x), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, out), TILEC_OK);
    free(rows);
}

static void a_lost_device_is_a_status(void **result)
{
    struct state *s = *result;
    void *memory;
    tilec_diagnostic d;
    need_compiler(s);
    if (!s->fake)
        SKIP("the stand-in for a driver is not used: a GPU would be lost for the other tests");
    expect(s, tilec_cuda_allocate(s->context, 4096, &memory), TILEC_OK);
    s->fake->fail_wait = 700;
    expect(s, launch(s, memory, memory, 1024, NULL), TILEC_ERROR_DEVICE);
    assert_int_equal(tilec_diagnostic_get(s->context, 0, &d), TILEC_OK);
    assert_non_null(strstr(d.message, "kernel 'twice' fails"));
    void *stream = &d;
    tilec_launch_options options = {.size = sizeof options, .stream = stream};
    expect(s, launch(s, memory, memory, 1024, &options), TILEC_OK); /* it is only queued */
    expect(s, tilec_cuda_stream_wait(s->context, stream), TILEC_ERROR_DEVICE);
    s->fake->fail_launch = 719;
    expect(s, launch(s, memory, memory, 1024, &options), TILEC_ERROR_DEVICE);
    s->fake->fail_launch = CUDA_INVALID_HANDLE;
    expect(s, launch(s, memory, memory, 1024, &options), TILEC_ERROR_INVALID);
    s->fake->fail_launch = s->fake->fail_wait = 0;
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
}

/* A GPU is lost for the whole process, so another one loses it: what it says is its status. */
static void lose_the_device(void **unused)
{
    (void)unused;
    struct state s = {0};
    void *stream, *memory, *nowhere = (void *)(uintptr_t)4096;
    assert_int_equal(tilec_context_create(NULL, &s.context), TILEC_OK);
    expect(&s, compile(s.context, "twice.tile.c", text, &s.kernel), TILEC_OK);
    expect(&s, tilec_cuda_stream_create(s.context, &stream), TILEC_OK);
    expect(&s, tilec_cuda_allocate(s.context, 4096, &memory), TILEC_OK);
    tilec_launch_options options = {.size = sizeof options, .stream = stream};
    expect(&s, launch(&s, nowhere, memory, 1024, &options), TILEC_OK); /* it is only queued */
    expect(&s, tilec_cuda_stream_wait(s.context, stream), TILEC_ERROR_DEVICE);
    expect(&s, launch(&s, memory, memory, 1024, NULL), TILEC_ERROR_DEVICE);
    expect(&s, tilec_cuda_copy(s.context, memory, &s, 16, stream), TILEC_ERROR_DEVICE);
    expect(&s, tilec_cuda_stream_wait(s.context, stream), TILEC_ERROR_DEVICE);
    expect(&s, tilec_cuda_allocate(s.context, 4096, &memory), TILEC_ERROR_DEVICE);
    tilec_kernel_destroy(s.kernel);
    tilec_context_destroy(s.context);
}

static void a_lost_gpu_is_a_status(void **result)
{
    struct state *s = *result;
    char *argv[] = {"/proc/self/exe", "lose", NULL};
    pid_t child;
    int status;
    need_compiler(s);
    if (s->fake)
        SKIP("there is no GPU");
    char path[4096] = {0};
    assert_true(readlink(argv[0], path, sizeof path - 1) > 0);
    argv[0] = path;
    assert_int_equal(posix_spawn(&child, path, NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- a driver whose calls fail --------------------------------------------------------------- */

/* Notes a status; the next step is made whatever it is, with what there is. */
static bool went(const struct state *s, tilec_status status, tilec_status *first)
{
    tilec_diagnostic d;
    if (status == TILEC_OK)
        return true;
    if (tilec_diagnostic_get(s->context, 0, &d) != TILEC_OK || !*d.message)
        fail_msg("%s fails, and nobody says so (%s)", s->fake->failed, tilec_status_string(status));
    if (*first == TILEC_OK)
        *first = status;
    return false;
}

static void use_device(struct state *s, tilec_status *first)
{
    static float x[COUNT], out[COUNT];
    double seconds;
    void *from = NULL, *to = NULL, *stream = NULL, *graph = NULL;
    tilec_prepared *prepared = NULL;
    tilec_launch_options copied = {
        .size = sizeof copied, .host_buffers = 1, .device_seconds = &seconds};
    if (!went(s, compile(s->context, "twice.tile.c", text, &s->kernel), first))
        return;
    fill(x, out);
    went(s, launch(s, x, out, COUNT, &copied), first);
    bool fine = went(s, tilec_cuda_allocate(s->context, sizeof x, &from), first);
    fine = went(s, tilec_cuda_allocate(s->context, sizeof x, &to), first) && fine;
    fine = went(s, tilec_cuda_stream_create(s->context, &stream), first) && fine;
    if (fine) {
        tilec_launch_options queued = {.size = sizeof queued, .stream = stream};
        const tilec_argument arguments[3] = {tilec_array(TILEC_F32, from, COUNT),
                                             tilec_array(TILEC_F32, to, COUNT),
                                             tilec_int(TILEC_I32, 4000)};
        went(s, tilec_cuda_copy(s->context, from, x, sizeof x, stream), first);
        went(s, launch(s, from, to, 4000, &queued), first);
        went(s, tilec_cuda_stream_wait(s->context, stream), first);
        if (went(s, tilec_prepare(s->kernel, NULL, arguments, 3, &queued, &prepared), first)) {
            went(s, tilec_cuda_capture_begin(s->context, stream), first);
            went(s, tilec_prepared_run(prepared), first);
            if (!went(s, tilec_cuda_capture_end(s->context, stream, &graph), first))
                tilec_cuda_capture_end(s->context, stream, &graph);
            if (graph)
                went(s, tilec_cuda_graph_launch(s->context, graph, stream), first);
        }
        went(s, tilec_cuda_copy(s->context, out, to, sizeof x, NULL), first);
    }
    tilec_prepared_destroy(prepared);
    /* What could not be given back is there still, and goes at the second try. */
    if (!went(s, tilec_cuda_graph_destroy(s->context, graph), first))
        expect(s, tilec_cuda_graph_destroy(s->context, graph), TILEC_OK);
    if (!went(s, tilec_cuda_stream_destroy(s->context, stream), first))
        expect(s, tilec_cuda_stream_destroy(s->context, stream), TILEC_OK);
    if (!went(s, tilec_cuda_free(s->context, from), first))
        expect(s, tilec_cuda_free(s->context, from), TILEC_OK);
    if (!went(s, tilec_cuda_free(s->context, to), first))
        expect(s, tilec_cuda_free(s->context, to), TILEC_OK);
}

/* What only describes the device, and what another call makes up for. */
static bool does_without(const char *name)
{
    return strcmp(name, "cuDeviceGetName") == 0 || strcmp(name, "cuDeviceTotalMem_v2") == 0 ||
           strcmp(name, "cuDeviceGetAttribute") == 0 || strcmp(name, "cuDriverGetVersion") == 0 ||
           strcmp(name, "cuCtxGetCurrent") == 0;
}

/* Every call of the driver fails once, in every way: each ends in a status and a message, what was
 * taken is given back, and the next context works. */
static void any_call_may_fail(void **result)
{
    struct state *s = *result;
    static const int errors[] = {CUDA_INVALID_VALUE, CUDA_NO_MEMORY, 700, 999};
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64];
    need_compiler(s);
    if (!s->fake)
        SKIP("the stand-in for a driver is not used");
    assert_non_null(mkdtemp(folder));
    for (size_t e = 0; e < sizeof errors / sizeof *errors; e++) {
        for (int call = 0;; call++) {
            tilec_context_options options = {.size = sizeof options, .cache_directory = folder};
            struct state own = {.fake = s->fake, .compiles = true};
            tilec_status first = TILEC_OK;
            int allocations = s->fake->allocations, modules = s->fake->modules;
            assert_int_equal(tilec_context_create(&options, &own.context), TILEC_OK);
            s->fake->failed = NULL;
            s->fake->calls = 0;
            s->fake->fail_call = call; /* 0: none, which is what all others are compared with */
            s->fake->fail_error = errors[e];
            use_device(&own, &first);
            s->fake->fail_call = 0;
            const char *failed = s->fake->failed;
            tilec_kernel_destroy(own.kernel);
            tilec_context_destroy(own.context);
            if (!failed != (first == TILEC_OK) && !(failed && does_without(failed)))
                fail_msg("%s (call %d) fails with %d: %s", failed ? failed : "nothing", call,
                         errors[e], tilec_status_string(first));
            if (s->fake->allocations != allocations || s->fake->modules != modules ||
                s->fake->context_depth != 0 || s->fake->graphs != 0)
                fail_msg("%s fails, and something is not given back", failed);
            if (call > 0 && !failed)
                break;
        }
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* ---- the cache ------------------------------------------------------------------------------- */

static void cubins_come_from_the_cache(void **result)
{
    struct state *s = *result;
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64];
    need_compiler(s);
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        tilec_context_options options = {.size = sizeof options, .cache_directory = folder};
        tilec_kernel_info info = {.size = sizeof info};
        tilec_context *context;
        tilec_kernel *kernel;
        assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
        assert_int_equal(compile(context, "twice.tile.c", text, &kernel), TILEC_OK);
        assert_int_equal(tilec_kernel_get_info(kernel, &info), TILEC_OK);
        assert_string_equal(info.target, "cuda");
        assert_true(strncmp(info.cpu, "sm_", 3) == 0);
        assert_int_equal(info.from_cache, i);
        tilec_kernel_destroy(kernel);
        tilec_context_destroy(context);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    const struct CMUnitTest losing[] = {cmocka_unit_test(lose_the_device)};
    if (argc > 1)
        return cmocka_run_group_tests(losing, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_goes_and_comes, setup, teardown),
        cmocka_unit_test_setup_teardown(too_much_memory_is_a_status, setup, teardown),
        cmocka_unit_test_setup_teardown(host_buffers_are_copied, setup, teardown),
        cmocka_unit_test_setup_teardown(a_buffer_may_be_both, setup, teardown),
        cmocka_unit_test_setup_teardown(launches_are_queued, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_have_code_for_their_length, setup, teardown),
        cmocka_unit_test_setup_teardown(clusters_are_launched, setup, teardown),
        cmocka_unit_test_setup_teardown(graphs_replay_launches, setup, teardown),
        cmocka_unit_test_setup_teardown(the_device_tells_its_time, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_launches_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(conditions_and_grids_choose, setup, teardown),
        cmocka_unit_test_setup_teardown(many_rows_have_code_of_their_own, setup, teardown),
        cmocka_unit_test_setup_teardown(a_fixed_length_has_one_code, setup, teardown),
        cmocka_unit_test_setup_teardown(long_axes_are_folded, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_run_several_programs, setup, teardown),
        cmocka_unit_test_setup_teardown(many_rows_share_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(long_launches_fetch_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lost_device_is_a_status, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lost_gpu_is_a_status, setup, teardown),
        cmocka_unit_test_setup_teardown(any_call_may_fail, setup, teardown),
        cmocka_unit_test_setup_teardown(cubins_come_from_the_cache, setup, teardown),
    };
    return RUN_TESTS(tests, NULL, NULL);
}
