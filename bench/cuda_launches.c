/*
 * cuda-launches: host time per launch on an NVIDIA GPU, beside that of the driver alone. Needs no
 * LLVM.
 *
 *   cuda-launches [KERNELS-FOLDER]
 *
 * All arms queue the same kernel (rmsnorm of one row, six arguments) on one stream; only the queueing
 * is timed, in bursts that the device's queue has room for, and arms take turns. The bare arm calls
 * cuLaunchKernelEx with everything filled in. Arms "entered" run with the device's context current
 * on the thread, as in a program that uses CUDA's run time; else each call makes it current. What the
 * kernel computes is checked. Status 77: there is no GPU.
 */
#include "run/cuda_driver.h"

#include <tilec/cuda.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BURST = 200, ROUNDS = 301, COLUMNS = 1024 };

static const double bar = 3e-6; /* of our own time per launch */

struct bench {
    tilec_context *context;
    tilec_kernel *kernel;
    tilec_prepared *prepared, *overlapped;
    tilec_argument arguments[6];
    tilec_launch_options options;
    void *stream;
    struct cuda_driver driver;
    cuda_context device;
    struct cuda_launch_config config; /* of the bare launch */
    cuda_function function;
    void *parameters[6];
    uint64_t values[6];
};

static void check(struct bench *b, tilec_status status, const char *what)
{
    tilec_diagnostic diagnostic = {0};
    if (status == TILEC_OK)
        return;
    tilec_diagnostic_get(b->context, 0, &diagnostic);
    fprintf(stderr, "cuda-launches: %s: %s\n%s\n", what, tilec_status_string(status),
            diagnostic.text ? diagnostic.text : "");
    exit(1);
}

static void check_driver(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "cuda-launches: %s: error %d of the driver\n", what, error);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the arms -------------------------------------------------------------------------------- */

static int launch_bare(struct bench *b)
{
    return b->driver.launch(&b->config, b->function, b->parameters, NULL);
}

static int launch_prepared(struct bench *b)
{
    return tilec_prepared_run(b->prepared);
}

static int launch_overlapped(struct bench *b)
{
    return tilec_prepared_run(b->overlapped);
}

static int launch_checked(struct bench *b)
{
    return tilec_launch(b->kernel, NULL, b->arguments, 6, &b->options);
}

static struct arm {
    const char *name;
    int (*launch)(struct bench *b);
    bool entered;
    double samples[ROUNDS];
} arms[] = {
    {"cuLaunchKernelEx alone", launch_bare, true, {0}},
    {"tilec_prepared_run, entered", launch_prepared, true, {0}},
    {"tilec_prepared_run", launch_prepared, false, {0}},
    {"tilec_prepared_run with overlap, entered", launch_overlapped, true, {0}},
    {"tilec_launch, entered", launch_checked, true, {0}},
    {"tilec_launch", launch_checked, false, {0}},
};

enum { ARMS = sizeof arms / sizeof *arms };

static void run_arm(struct bench *b, struct arm *arm, int round)
{
    cuda_context popped;
    int failed = 0;
    if (arm->entered)
        check_driver(b->driver.push(b->device), "the context");
    double begin = now();
    for (int i = 0; i < BURST; i++)
        failed |= arm->launch(b);
    double seconds = now() - begin;
    if (arm->entered)
        check_driver(b->driver.pop(&popped), "the context");
    if (failed) {
        fprintf(stderr, "cuda-launches: %s fails with %d\n", arm->name, failed);
        exit(1);
    }
    check(b, tilec_cuda_stream_wait(b->context, b->stream), "waiting");
    if (round >= 0)
        arm->samples[round] = seconds / BURST;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* For the bare launch: the same kernel as a cubin, and its threads as the header says them. */
static void load_bare(struct bench *b, const tilec_source *source, const char *arch)
{
    const char *const aligned[] = {"all"};
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = "rmsnorm_tile",
                                     .target = "cuda",
                                     .arch = arch,
                                     .aligned = aligned,
                                     .aligned_count = 1};
    tilec_program *program;
    tilec_built built;
    cuda_module module;
    check(b, tilec_program_create(b->context, source, &program), "the source");
    check(b, tilec_build(program, &options, NULL, &built), "building");
    const char *threads = strstr(built.header, "_THREADS ");
    unsigned count = threads ? (unsigned)strtoul(threads + 9, NULL, 10) : 0;
    check_driver(b->driver.push(b->device), "the context");
    check_driver(b->driver.load(&module, built.object), "loading");
    check_driver(b->driver.function(&b->function, module, "rmsnorm_tile_kernel"), "the kernel");
    b->config = (struct cuda_launch_config){
        .grid = {1, 1, 1}, .block = {count, 1, 1}, .stream = b->stream};
    check_driver(b->driver.pop(&b->device), "the context");
    tilec_release(b->context, built.object);
    tilec_release(b->context, built.header);
    tilec_program_destroy(program);
}

static void compile(struct bench *b, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rmsnorm.tile.c", folder);
    tilec_define define = {"BLOCK", "1024"};
    tilec_source source = {
        .size = sizeof source, .path = path, .defines = &define, .define_count = 1};
    tilec_compile_options options = {
        .size = sizeof options, .kernel = "rmsnorm_tile", .target = "cuda"};
    check(b, tilec_compile(b->context, &source, &options, &b->kernel), "compiling");
    tilec_kernel_info info = {.size = sizeof info};
    check(b, tilec_kernel_get_info(b->kernel, &info), "the kernel");
    load_bare(b, &source, info.cpu);
}

static float element(int i)
{
    return (float)(i * 37 % 101 - 50) * 0.125f;
}

static void prepare(struct bench *b)
{
    static const int64_t shapes[][2] = {{1, COLUMNS}, {COLUMNS, 1}};
    void *arrays[3];
    float host[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        host[i] = element(i);
    for (int k = 0; k < 3; k++) {
        check(b, tilec_cuda_allocate(b->context, sizeof host, &arrays[k]), "memory");
        check(b, tilec_cuda_copy(b->context, arrays[k], host, sizeof host, NULL), "copying");
        b->arguments[k] = k == 1 ? tilec_buffer(TILEC_F32, arrays[k], 1, shapes[1])
                                 : tilec_buffer(TILEC_F32, arrays[k], 2, shapes[0]);
    }
    b->arguments[3] = tilec_int(TILEC_I32, 1);
    b->arguments[4] = tilec_int(TILEC_I32, COLUMNS);
    b->arguments[5] = tilec_float(TILEC_F32, 1e-5);
    b->options = (tilec_launch_options){.size = sizeof b->options, .stream = b->stream};
    check(b, tilec_prepare(b->kernel, NULL, b->arguments, 6, &b->options, &b->prepared), "preparing");
    tilec_launch_options overlap = b->options;
    overlap.overlap = 1;
    check(b, tilec_prepare(b->kernel, NULL, b->arguments, 6, &overlap, &b->overlapped), "preparing");
    for (int i = 0; i < 6; i++) {
        b->values[i] = i < 3 ? (uint64_t)(uintptr_t)arrays[i] : b->arguments[i].bits;
        b->parameters[i] = &b->values[i];
    }
}

/* The output was poisoned before the arm ran. */
static void check_result(struct bench *b, const struct arm *arm)
{
    float out[COLUMNS];
    double squares = 0;
    check(b, tilec_cuda_copy(b->context, out, b->arguments[2].data, sizeof out, NULL), "copying");
    for (int i = 0; i < COLUMNS; i++)
        squares += (double)element(i) * (double)element(i);
    for (int i = 0; i < COLUMNS; i++) {
        double x = (double)element(i), right = x * x / sqrt(squares / COLUMNS + 1e-5);
        if (fabs((double)out[i] - right) <= 1e-5 * (1 + fabs(right)))
            continue;
        fprintf(stderr, "cuda-launches: %s: element %d is %g, not %g\n", arm->name, i,
                (double)out[i], right);
        exit(1);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_device(struct bench *b)
{
    char why[256];
    cuda_device device;
    const tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    check(b, tilec_context_create(&options, &b->context), "the context");
    if (tilec_cuda_stream_create(b->context, &b->stream) != TILEC_OK ||
        !cuda_driver_open(&b->driver, why, sizeof why)) {
        puts("cuda-launches: there is no GPU here");
        exit(77);
    }
    check_driver(b->driver.device_get(&device, 0), "the device");
    check_driver(b->driver.retain(&b->device, device), "the context");
}

int main(int argc, char **argv)
{
    static struct bench b;
    open_device(&b);
    compile(&b, argc > 1 ? argv[1] : "kernels");
    prepare(&b);
    for (int k = 0; k < ARMS; k++) {
        check(&b, tilec_cuda_fill(b.context, b.arguments[2].data, 0xff, COLUMNS * 4, NULL), "poison");
        run_arm(&b, &arms[k], -1);
        check_result(&b, &arms[k]);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < ARMS; k++)
            run_arm(&b, &arms[round % 2 ? ARMS - 1 - k : k], round);
    bool met = true;
    double bare = 0;
    printf("host time per launch, medians of %d bursts of %d launches\n", ROUNDS, BURST);
    for (int k = 0; k < ARMS; k++) {
        qsort(arms[k].samples, ROUNDS, sizeof *arms[k].samples, compare);
        double median = arms[k].samples[ROUNDS / 2];
        bare = k == 0 ? median : bare;
        met = met && median - bare <= bar;
        printf("%-42s %7.3f us   our own %7.3f us\n", arms[k].name, median * 1e6,
               (median - bare) * 1e6);
    }
    printf("at most %.0f us of our own: %s\n", bar * 1e6, met ? "met" : "not met");
    tilec_prepared_destroy(b.prepared);
    tilec_prepared_destroy(b.overlapped);
    tilec_kernel_destroy(b.kernel);
    tilec_context_destroy(b.context);
    return met ? 0 : 1;
}
