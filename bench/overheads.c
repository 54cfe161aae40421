/*
 * What it costs to use tilec besides the kernel's own work: compiling, loading from the disk cache,
 * launching, and a whole `tilec run` as a process.
 */
#include "bench/bench.h"
#include "bench/measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { REPEATS = 31 };

static const char add_one[] = "launch_grid(add_one, 1);\n"
                              "kernel void add_one(float *X)\n"
                              "{ int i = arange(0, 16); store(X + i, load(X + i) + 1.0f); }\n";

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *samples, int count)
{
    qsort(samples, (size_t)count, sizeof *samples, compare_doubles);
    return samples[count / 2];
}

static void report(struct bench *bench, const char *what, double seconds, double bar)
{
    printf("%-62s %10.3f us   bar %8.0f us\n", what, seconds * 1e6, bar * 1e6);
    fflush(stdout);
    bench_add(bench, "overheads",
              json_pack("{s:s,s:f,s:f}", "what", what, "seconds", seconds, "bar", bar));
}

/* ---- launch -------------------------------------------------------------------------------- */

static tilec_kernel *compile(tilec_context *context, const char *path, const char *text)
{
    tilec_define block = {"BLOCK", "1024"};
    tilec_source source = {
        .size = sizeof source, .path = path, .text = text, .defines = &block, .define_count = 1};
    tilec_kernel *kernel;
    bench_check(context, tilec_compile(context, &source, NULL, &kernel));
    return kernel;
}

static void time_launch(struct bench *bench)
{
    enum { CALLS = 100000 };
    static float data[16];
    tilec_kernel *kernel = compile(bench->context, "add_one.tile.c", add_one);
    tilec_argument argument = tilec_array(TILEC_F32, data, 16);
    tilec_launch_options options = {.size = sizeof options, .threads = 1};
    tilec_prepared *prepared;
    bench_check(bench->context, tilec_prepare(kernel, NULL, &argument, 1, &options, &prepared));
    double checked[REPEATS], direct[REPEATS];
    for (int r = 0; r < REPEATS; r++) {
        double begin = measure_now();
        for (int i = 0; i < CALLS; i++)
            tilec_launch(kernel, NULL, &argument, 1, &options);
        checked[r] = (measure_now() - begin) / CALLS;
        begin = measure_now();
        for (int i = 0; i < CALLS; i++)
            tilec_prepared_run(prepared);
        direct[r] = (measure_now() - begin) / CALLS;
    }
    report(bench, "launch of one trivial program, all checks (tilec_launch)",
           median(checked, REPEATS), 1e-6);
    report(bench, "launch of one trivial program, prepared (tilec_prepared_run)",
           median(direct, REPEATS), 1e-6);
    tilec_prepared_destroy(prepared);
    tilec_kernel_destroy(kernel);
}

/* ---- compiling and the cache ---------------------------------------------------------------- */

/* LLVM is loaded by now: an earlier kernel was compiled. */
static void time_compile(struct bench *bench)
{
    double samples[REPEATS];
    for (int r = 0; r < REPEATS; r++) {
        double begin = measure_now();
        tilec_kernel_destroy(compile(bench->context, "kernels/softmax.tile.c", NULL));
        samples[r] = measure_now() - begin;
    }
    report(bench, "softmax from source, LLVM loaded", median(samples, REPEATS), 20e-3);
}

/* The kernel that takes longest, of those with several loops. */
static void time_metal_text(struct bench *bench)
{
    static const char *const kernels[] = {"softmax", "layernorm", "cross_entropy", "gemm"};
    static tilec_define defines[] = {
        {"BLOCK", "256"}, {"BLOCK_M", "32"}, {"BLOCK_N", "32"}, {"BLOCK_K", "32"}};
    double slowest = 0;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        double samples[REPEATS];
        char path[64];
        snprintf(path, sizeof path, "kernels/%s.tile.c", kernels[i]);
        tilec_source source = {
            .size = sizeof source, .path = path, .defines = defines, .define_count = 4};
        tilec_compile_options options = {
            .size = sizeof options, .kernel = kernels[i], .target = "msl"};
        for (int r = 0; r < REPEATS; r++) {
            tilec_program *program;
            char *text;
            double begin = measure_now();
            bench_check(bench->context, tilec_program_create(bench->context, &source, &program));
            bench_check(bench->context,
                        tilec_emit(program, &options, TILEC_STAGE_MSL, &text, NULL));
            samples[r] = measure_now() - begin;
            tilec_release(bench->context, text);
            tilec_program_destroy(program);
        }
        double seconds = median(samples, REPEATS);
        slowest = seconds > slowest ? seconds : slowest;
    }
    report(bench, "the slowest of four kernels from source to Metal text", slowest, 10e-3);
}

static void time_cache_hit(struct bench *bench, const char *directory)
{
    tilec_context_options options = {.size = sizeof options, .cache_directory = directory};
    double samples[REPEATS];
    for (int r = -1; r < REPEATS; r++) { /* round -1 fills the cache */
        tilec_context *context;
        bench_check(NULL, tilec_context_create(&options, &context));
        double begin = measure_now();
        tilec_kernel *kernel = compile(context, "kernels/softmax.tile.c", NULL);
        double seconds = measure_now() - begin;
        tilec_kernel_info info = {.size = sizeof info};
        tilec_kernel_get_info(kernel, &info);
        if (r >= 0 && !info.from_cache)
            bench_fail("the cache directory %s is not used", directory);
        if (r >= 0)
            samples[r] = seconds;
        tilec_kernel_destroy(kernel);
        tilec_context_destroy(context);
    }
    report(bench, "softmax from the disk cache", median(samples, REPEATS), 1e-3);
}

/* ---- whole processes ------------------------------------------------------------------------ */

static double run_process(char *const *argv)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    double begin = measure_now();
    if (posix_spawn(&child, argv[0], &actions, NULL, argv, environ) != 0 ||
        waitpid(child, &status, 0) < 0 || status != 0)
        bench_fail("%s run failed", argv[0]);
    double seconds = measure_now() - begin;
    posix_spawn_file_actions_destroy(&actions);
    return seconds;
}

static void time_processes(struct bench *bench, const char *directory)
{
    char *argv[] = {(char *)bench->tilec,
                    "run",
                    "kernels/softmax.tile.c:softmax",
                    "X=rand:f32[16,256]:1",
                    "Out=new:f32[16,256]",
                    "rows=16",
                    "N=256",
                    NULL};
    double cold[REPEATS], warm[REPEATS];
    setenv("TILEC_CACHE_DIR", "", 1);
    for (int r = 0; r < REPEATS; r++)
        cold[r] = run_process(argv);
    setenv("TILEC_CACHE_DIR", directory, 1);
    run_process(argv);
    for (int r = 0; r < REPEATS; r++)
        warm[r] = run_process(argv);
    report(bench, "tilec run of a small softmax, whole process, no cache", median(cold, REPEATS),
           60e-3);
    report(bench, "tilec run of a small softmax, whole process, from the cache",
           median(warm, REPEATS), 15e-3);
}

void bench_overheads(struct bench *bench)
{
    char directory[] = "/tmp/tilec-bench-XXXXXX";
    if (!mkdtemp(directory))
        bench_fail("cannot make a directory in /tmp");
    printf("\nOverheads, medians of %d.\n", REPEATS);
    time_launch(bench);
    time_compile(bench);
    time_metal_text(bench);
    time_cache_hit(bench, directory);
    if (bench->tilec)
        time_processes(bench, directory);
    char *argv[] = {"/bin/rm", "-rf", directory, NULL};
    run_process(argv);
}
