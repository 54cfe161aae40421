/*
 * What it costs to compile each kernel of kernels/ from source, without the disk cache: to code for
 * this processor, and to Metal's and CUDA's text. LLVM is loaded by then.
 */
#define TILEC_EXPERIMENTAL
#include "bench/bench.h"
#include "bench/measure.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 5, MOST = 31, TARGETS = 3 };

static const struct {
    const char *name;
    tilec_stage stage; /* of the text; for the CPU the kernel is made ready to launch instead */
} targets[TARGETS] = {
    {"cpu", TILEC_STAGE_ASSEMBLY}, {"msl", TILEC_STAGE_MSL}, {"cuda", TILEC_STAGE_CUDA}};

/* Scalars on which the candidates of tune lines depend. */
static const tilec_value known[] = {{"N", 1024}, {"pairs", 64}};

struct subject {
    struct bench *bench;
    tilec_source source;
    tilec_compile_options options;
    int target;
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds from the source to the kernel, or to the text; below 0 when the target refuses it. */
static double compile_once(const struct subject *s)
{
    tilec_context *context = s->bench->context;
    tilec_program *program;
    tilec_status status;
    double begin = measure_now(), end;
    bench_check(context, tilec_program_create(context, &s->source, &program));
    if (s->target == 0) {
        tilec_kernel *kernel;
        status = tilec_program_compile(program, &s->options, &kernel);
        end = measure_now();
        tilec_kernel_destroy(kernel);
    } else {
        char *text;
        status = tilec_emit(program, &s->options, targets[s->target].stage, &text, NULL);
        end = measure_now();
        tilec_release(context, text);
    }
    tilec_program_destroy(program);
    return status == TILEC_OK ? end - begin : -1;
}

/* The median of as many compilations as the budget allows; below 0 as above. */
static double time_target(struct subject *s, int target)
{
    double samples[MOST], begin = measure_now();
    int count = 0;
    s->target = target;
    s->options.target = targets[target].name;
    while (count < LEAST || (count < MOST && measure_now() - begin < s->bench->budget / 10)) {
        samples[count] = compile_once(s);
        if (samples[count++] < 0)
            return -1;
    }
    qsort(samples, (size_t)count, sizeof *samples, compare_doubles);
    return samples[count / 2];
}

static void time_kernel(struct bench *bench, const char *path, const char *name, double *total)
{
    struct subject s = {.bench = bench,
                        .source = {.size = sizeof s.source, .path = path},
                        .options = {.size = sizeof s.options, .kernel = name}};
    tilec_program *program;
    tilec_value *chosen;
    size_t count;
    bench_check(bench->context, tilec_program_create(bench->context, &s.source, &program));
    bench_check(bench->context, tilec_program_tune(program, name, known,
                                                   sizeof known / sizeof *known, &chosen, &count));
    tilec_define *constants = calloc(count + 1, sizeof *constants);
    char(*values)[24] = calloc(count + 1, sizeof *values);
    if (!constants || !values)
        bench_fail("out of memory");
    for (size_t i = 0; i < count; i++) {
        snprintf(values[i], sizeof values[i], "%lld", (long long)chosen[i].value);
        constants[i] = (tilec_define){chosen[i].name, values[i]};
    }
    s.options.constants = constants;
    s.options.constant_count = count;
    printf("%-24s", name);
    for (int t = 0; t < TARGETS; t++) {
        double seconds = time_target(&s, t);
        if (seconds < 0) {
            printf("  refused");
            continue;
        }
        printf(" %8.2f", seconds * 1e3);
        total[t] += seconds;
        bench_add(bench, "compiles",
                  json_pack("{s:s,s:s,s:f}", "kernel", name, "target", targets[t].name, "seconds",
                            seconds));
    }
    printf("\n");
    fflush(stdout);
    free(constants);
    free(values);
    tilec_release(bench->context, chosen);
    tilec_program_destroy(program);
}

static void time_file(struct bench *bench, const char *path, double *total)
{
    tilec_source source = {.size = sizeof source, .path = path};
    tilec_program *program;
    bench_check(bench->context, tilec_program_create(bench->context, &source, &program));
    for (size_t i = 0; i < tilec_program_kernel_count(program); i++) {
        const char *name = tilec_program_kernel_name(program, i);
        if (!bench->only || strstr(name, bench->only))
            time_kernel(bench, path, name, total);
    }
    tilec_program_destroy(program);
}

void bench_compiles(struct bench *bench)
{
    double total[TARGETS] = {0};
    glob_t files;
    if (glob("kernels/*.tile.c", 0, NULL, &files) != 0)
        bench_fail("no kernels in kernels/");
    printf("\nFrom source, ms, medians of at least %d; text only for msl and cuda.\n%-24s", LEAST,
           "kernel");
    for (int t = 0; t < TARGETS; t++)
        printf(" %8s", targets[t].name);
    printf("\n");
    for (size_t i = 0; i < files.gl_pathc; i++)
        time_file(bench, files.gl_pathv[i], total);
    globfree(&files);
    printf("%-24s", "all of them");
    for (int t = 0; t < TARGETS; t++)
        printf(" %8.2f", total[t] * 1e3);
    printf("\n");
}
