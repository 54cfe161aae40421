/*
 * make demo: three kernels on a small shipped array and on a large one, each checked against a
 * reference in double and timed beside the fastest copy that the machine can do in the same run.
 *
 * Started in the root of the source tree. Nothing here is special to the demo's kernels but the
 * table `cases`: it is a program over the public API, as a user would write it.
 */
#include "tilec/tilec.h"

#include "base/npy.h"
#include "base/random.h"
#include "bench/measure.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum row_operation { SOFTMAX, RMSNORM, LAYERNORM };

static const struct demo_case {
    enum row_operation operation;
    const char *name, *file;
} cases[] = {
    {SOFTMAX, "softmax_tile", "kernels/softmax.tile.c"},
    {RMSNORM, "rmsnorm_tile", "kernels/rmsnorm.tile.c"},
    {LAYERNORM, "layernorm_tile", "kernels/layernorm.tile.c"},
};

static const float epsilon = 1e-5f;

/* A few dozen roundings of float: sums of thousands of terms, and a division by their root. */
static const double tolerance = 1e-5;

struct matrix {
    const char *name;
    int64_t rows, columns;
    float *in, *out, *weight, *bias;
};

_Noreturn static void stop(const char *what, const char *why)
{
    fprintf(stderr, "demo: %s: %s\n", what, why);
    exit(1);
}

static void check(tilec_context *context, tilec_status status, const char *what)
{
    if (status == TILEC_OK)
        return;
    for (size_t i = 0; i < tilec_diagnostic_count(context); i++) {
        tilec_diagnostic diagnostic;
        if (tilec_diagnostic_get(context, i, &diagnostic) == TILEC_OK)
            fputs(diagnostic.text, stderr);
    }
    stop(what, tilec_status_string(status));
}

static float *allocate(int64_t count)
{
    size_t bytes = ((size_t)count * sizeof(float) + 63) / 64 * 64;
    float *memory = aligned_alloc(64, bytes ? bytes : 64);
    if (!memory)
        stop("memory", "there is not enough");
    return memset(memory, 0xff, bytes); /* NaN, so that an element nobody writes is noticed */
}

/* ---- Arrays ------------------------------------------------------------------------------------ */

static void matrix_finish(struct matrix *m)
{
    struct random random;
    m->out = allocate(m->rows * m->columns);
    m->weight = allocate(m->columns);
    m->bias = allocate(m->columns);
    random_seed(&random, 1);
    for (int64_t i = 0; i < m->columns; i++) {
        m->weight[i] = (float)random_uniform(&random, 0.5, 1.5);
        m->bias[i] = (float)random_uniform(&random, -0.5, 0.5);
    }
}

static struct matrix matrix_read(const char *path)
{
    struct npy_array array;
    char error[NPY_ERROR_SIZE];
    if (!npy_read(path, &array, error))
        stop(path, error);
    if (array.type != NPY_F32 || array.rank != 2)
        stop(path, "expected a float array with two axes");
    struct matrix m = {"example", (int64_t)array.shape[0], (int64_t)array.shape[1],
                       array.data, NULL, NULL, NULL};
    matrix_finish(&m);
    return m;
}

/* [16384, 4096], or fewer rows where two such arrays would take half of the free memory. */
static struct matrix matrix_large(void)
{
    struct matrix m = {"large", 16384, 4096, NULL, NULL, NULL, NULL};
    double free_bytes = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    while (m.rows > 256 && (double)m.rows * (double)m.columns * 8 > free_bytes / 2)
        m.rows /= 2;
    m.in = allocate(m.rows * m.columns);
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < m.rows; row++) {
        struct random random;
        random_seed(&random, (uint64_t)row + 2);
        for (int64_t i = 0; i < m.columns; i++)
            m.in[row * m.columns + i] = (float)random_normal(&random);
    }
    matrix_finish(&m);
    return m;
}

static void matrix_free(struct matrix *m)
{
    free(m->in);
    free(m->out);
    free(m->weight);
    free(m->bias);
}

/* ---- Checking ---------------------------------------------------------------------------------- */

static void reference_row(enum row_operation operation, const struct matrix *m, int64_t row,
                          double *out)
{
    const float *x = m->in + row * m->columns;
    const int64_t n = m->columns;
    double top = -INFINITY, mean = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        top = fmax(top, (double)x[i]);
        mean += (double)x[i] / (double)n;
    }
    double centre = operation == SOFTMAX ? top : operation == LAYERNORM ? mean : 0;
    for (int64_t i = 0; i < n; i++) {
        out[i] = (double)x[i] - centre;
        if (operation == SOFTMAX)
            out[i] = exp(out[i]);
        sum += operation == SOFTMAX ? out[i] : out[i] * out[i];
    }
    double scale = operation == SOFTMAX ? 1 / sum : 1 / sqrt(sum / (double)n + (double)epsilon);
    for (int64_t i = 0; i < n; i++) {
        out[i] *= scale;
        if (operation != SOFTMAX)
            out[i] *= (double)m->weight[i];
        if (operation == LAYERNORM)
            out[i] += (double)m->bias[i];
    }
}

/* The largest |out - reference|, relative to |reference| or its row's root mean square, whichever
 * is larger. NaN anywhere gives infinity. */
static double worst_error(enum row_operation operation, const struct matrix *m)
{
    double worst = 0;
#pragma omp parallel reduction(max : worst)
    {
        double *reference = malloc((size_t)m->columns * sizeof *reference);
        if (!reference)
            stop("memory", "there is not enough");
#pragma omp for schedule(static)
        for (int64_t row = 0; row < m->rows; row++) {
            double squares = 0;
            reference_row(operation, m, row, reference);
            for (int64_t i = 0; i < m->columns; i++)
                squares += reference[i] * reference[i];
            double size = sqrt(squares / (double)m->columns);
            for (int64_t i = 0; i < m->columns; i++) {
                double difference = fabs((double)m->out[row * m->columns + i] - reference[i]);
                double error = difference / fmax(size, fabs(reference[i]));
                worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
            }
        }
        free(reference);
    }
    return worst;
}

/* ---- Running ----------------------------------------------------------------------------------- */

static tilec_prepared *prepare(tilec_context *context, const struct demo_case *c,
                               const struct matrix *m)
{
    char block[24];
    int64_t size = 1;
    while (size < m->columns)
        size *= 2;
    snprintf(block, sizeof block, "%lld", (long long)size);
    tilec_define define = {"BLOCK", block};
    tilec_source source = {.size = sizeof source, .path = c->file};
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = c->name,
                                     .constants = &define,
                                     .constant_count = 1};
    int64_t shape[2] = {m->rows, m->columns};
    tilec_argument arguments[7];
    size_t count = 0;
    arguments[count++] = tilec_buffer(TILEC_F32, m->in, 2, shape);
    if (c->operation != SOFTMAX)
        arguments[count++] = tilec_array(TILEC_F32, m->weight, m->columns);
    if (c->operation == LAYERNORM)
        arguments[count++] = tilec_array(TILEC_F32, m->bias, m->columns);
    arguments[count++] = tilec_buffer(TILEC_F32, m->out, 2, shape);
    arguments[count++] = tilec_int(TILEC_I32, m->rows);
    arguments[count++] = tilec_int(TILEC_I32, m->columns);
    if (c->operation != SOFTMAX)
        arguments[count++] = tilec_float(TILEC_F32, (double)epsilon);

    tilec_kernel *kernel;
    tilec_prepared *prepared;
    check(context, tilec_compile(context, &source, &options, &kernel), c->name);
    check(context, tilec_prepare(kernel, NULL, arguments, count, NULL, &prepared), c->name);
    tilec_kernel_destroy(kernel);
    return prepared;
}

static void run_prepared(void *prepared)
{
    tilec_prepared_run(prepared);
}

static void run_copy(void *user)
{
    const struct matrix *m = user;
    size_t bytes = (size_t)(m->rows * m->columns) * sizeof(float);
    measure_streaming_copy(m->out, m->in, bytes / 64 * 64, omp_get_max_threads());
}

static void print_row(const char *name, const struct matrix *m, double seconds, double copy,
                      double error)
{
    char shape[48], time[24], share[16] = "in cache";
    double bytes = 2 * (double)(m->rows * m->columns) * sizeof(float);
    snprintf(shape, sizeof shape, "[%lld, %lld]", (long long)m->rows, (long long)m->columns);
    snprintf(time, sizeof time, seconds < 1e-3 ? "%.1f us" : "%.2f ms",
             seconds * (seconds < 1e-3 ? 1e6 : 1e3));
    if (copy > 0)
        snprintf(share, sizeof share, "%.0f %%", 100 * copy / seconds);
    printf("%-15s %-14s %10s %7.1f %9s %12.1e  %s\n", name, shape, time, bytes / seconds * 1e-9,
           share, error, error <= tolerance ? "ok" : "WRONG");
}

/* True when the result is right. The copy is timed alternately with a large array's kernel. */
static bool run_case(tilec_context *context, const struct demo_case *c, struct matrix *m, bool large)
{
    tilec_prepared *prepared = prepare(context, c, m);
    struct measure_arm arms[2] = {{.name = c->name, .run = run_prepared, .user = prepared},
                                  {.name = "copy", .run = run_copy, .user = m}};
    measure_arms(arms, large ? 2 : 1, large ? 1.5 : 0.3, 5, 20e-6, 0);
    memset(m->out, 0xff, (size_t)(m->rows * m->columns) * sizeof(float));
    check(context, tilec_prepared_run(prepared), c->name);
    tilec_prepared_destroy(prepared);
    double error = worst_error(c->operation, m);
    print_row(c->name, m, arms[0].seconds, large ? arms[1].seconds : 0, error);
    return error <= tolerance;
}

int main(int argc, char **argv)
{
    const char *example = argc > 1 ? argv[1] : "examples/example.npy";
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    if (tilec_context_create(&options, &context) != TILEC_OK)
        stop("context", "there is not enough memory");
    struct matrix matrices[2] = {matrix_read(example), matrix_large()};

    printf("%-15s %-14s %10s %7s %9s %12s\n", "kernel", "array", "time", "GB/s", "of copy",
           "worst error");
    bool right = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 2; k++)
            right = run_case(context, &cases[i], &matrices[k], k == 1) && right;
    printf("float, %d threads; bytes count once in and once out; copy: with streaming stores, in the\n"
           "same run; error: against a reference in double, relative to its size or its row's\n",
           omp_get_max_threads());
    for (int k = 0; k < 2; k++)
        matrix_free(&matrices[k]);
    tilec_context_destroy(context);
    if (!right)
        fprintf(stderr, "demo: a result is wrong\n");
    return right ? 0 : 1;
}
