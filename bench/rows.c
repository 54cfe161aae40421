/*
 * Row kernels against what a user would pick instead: softmax, layer normalisation and RMSNorm in
 * float, half and bfloat; ours, oneDNN, hand-written C by gcc and clang, and a copy with streaming
 * stores as the machine's limit. All arms of a case alternate in one run (measure.h). Every result
 * of ours is first checked against a reference in double.
 */
#include "bench/bench.h"
#include "bench/handwritten.h"
#include "bench/measure.h"
#include "bench/onednn.h"

#include "base/half.h"
#include "tilec/tilec.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum row_op { SOFTMAX, LAYERNORM, RMSNORM, ROW_OPS };
enum row_type { F32, F16, BF16, ROW_TYPES };

static const char *const op_names[] = {"softmax", "layernorm", "rmsnorm"};
static const char *const type_names[] = {"f32", "f16", "bf16"};
static const char *const c_types[] = {"float", "half", "bfloat"};
static const tilec_type tilec_types[] = {TILEC_F32, TILEC_F16, TILEC_BF16};
static const double tolerances[] = {2e-5, 2e-3, 1.6e-2}; /* relative + absolute */
static const float epsilon = 1e-5f;

struct row_case {
    enum row_op op;
    enum row_type type;
    int64_t rows, width;
    int threads;
    size_t bytes; /* of X, and of Out */
    void *in, *out, *w, *b; /* out: of every arm, as times depend on where its pages lie */
    size_t offset;          /* where in and out begin in what was allocated, for all but the copy */
    void *in_memory, *out_memory;
    float *w_float, *b_float; /* what oneDNN takes */
    tilec_prepared *ours;
    struct onednn_primitive *onednn;
};

/* ---- data ---------------------------------------------------------------------------------- */

static double read_element(const struct row_case *c, const void *data, int64_t i)
{
    if (c->type == F32)
        return ((const float *)data)[i];
    uint16_t bits = ((const uint16_t *)data)[i];
    return c->type == F16 ? half_to_float(bits) : bfloat_to_float(bits);
}

static void write_element(const struct row_case *c, void *data, int64_t i, float value)
{
    if (c->type == F32)
        ((float *)data)[i] = value;
    else
        ((uint16_t *)data)[i] =
            c->type == F16 ? half_from_double(value) : bfloat_from_double(value);
}

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        bench_fail("out of memory");
    return memset(memory, 0, bytes); /* touched, so that page faults are not timed */
}

/* A cheap, repeatable sequence in [-4, 4): the values do not matter, their spread does. */
static void fill(const struct row_case *c, void *data, int64_t count, uint32_t seed)
{
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        write_element(c, data, i, (float)(seed >> 8) / (float)(1 << 21) - 4.0f);
    }
}

static void case_allocate(struct row_case *c)
{
    size_t size = c->type == F32 ? 4 : 2;
    c->bytes = (size_t)(c->rows * c->width) * size;
    c->in_memory = allocate(c->bytes + c->offset);
    c->out_memory = allocate(c->bytes + c->offset);
    c->in = (char *)c->in_memory + c->offset;
    c->out = (char *)c->out_memory + c->offset;
    c->w = allocate((size_t)c->width * size);
    c->b = allocate((size_t)c->width * size);
    c->w_float = allocate((size_t)c->width * 4);
    c->b_float = allocate((size_t)c->width * 4);
    fill(c, c->in, c->rows * c->width, 1);
    fill(c, c->w, c->width, 2);
    fill(c, c->b, c->width, 3);
    for (int64_t i = 0; i < c->width; i++) {
        c->w_float[i] = (float)read_element(c, c->w, i);
        c->b_float[i] = (float)read_element(c, c->b, i);
    }
}

static void case_release(struct row_case *c)
{
    tilec_prepared_destroy(c->ours);
    onednn_free(c->onednn);
    free(c->in_memory);
    free(c->out_memory);
    free(c->w);
    free(c->b);
    free(c->w_float);
    free(c->b_float);
}

/* ---- reference ----------------------------------------------------------------------------- */

static void reference_row(const struct row_case *c, int64_t row, double *out)
{
    const int64_t n = c->width, at = row * n;
    double top = -INFINITY, total = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = read_element(c, c->in, at + i);
        top = fmax(top, x);
        total += x;
    }
    if (c->op == SOFTMAX) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += out[i] = exp(read_element(c, c->in, at + i) - top);
        for (int64_t i = 0; i < n; i++)
            out[i] /= sum;
        return;
    }
    double mean = c->op == LAYERNORM ? total / (double)n : 0;
    double variance = 0;
    for (int64_t i = 0; i < n; i++)
        variance += pow(read_element(c, c->in, at + i) - mean, 2);
    double scale = 1 / sqrt(variance / (double)n + (double)epsilon);
    for (int64_t i = 0; i < n; i++)
        out[i] = (read_element(c, c->in, at + i) - mean) * scale * read_element(c, c->w, i) +
                 (c->op == LAYERNORM ? read_element(c, c->b, i) : 0);
}

/* The largest error in units of the tolerance; every row of the result is looked at. */
static double worst_error(const struct row_case *c, const void *result)
{
    double *want = allocate((size_t)c->width * sizeof *want);
    double worst = 0;
    int64_t step = c->rows > 512 ? c->rows / 509 : 1;
    for (int64_t row = 0; row < c->rows; row += step) {
        reference_row(c, row, want);
        for (int64_t i = 0; i < c->width; i++) {
            double got = read_element(c, result, row * c->width + i);
            double error = fabs(got - want[i]) / (tolerances[c->type] * (1 + fabs(want[i])));
            if (!(error <= worst)) /* NaN counts as infinitely wrong */
                worst = isnan(error) ? INFINITY : error;
        }
    }
    free(want);
    return worst;
}

/* ---- arms ---------------------------------------------------------------------------------- */

static void run_ours(void *user)
{
    struct row_case *c = user;
    if (tilec_prepared_run(c->ours) != TILEC_OK)
        bench_fail("a launch failed");
}

static void run_onednn(void *user)
{
    struct row_case *c = user;
    if (!onednn_run(c->onednn))
        bench_fail("oneDNN failed");
}

static void run_copy(void *user)
{
    struct row_case *c = user;
    measure_streaming_copy(c->out_memory, c->in_memory, c->bytes / 64 * 64, c->threads);
}

typedef void softmax_function(const void *, void *, long, long);
typedef void layernorm_function(const void *, const void *, const void *, void *, long, long,
                                float);
typedef void rmsnorm_function(const void *, const void *, void *, long, long, float);

struct handwritten {
    softmax_function *softmax[ROW_TYPES];
    layernorm_function *layernorm[ROW_TYPES];
    rmsnorm_function *rmsnorm[ROW_TYPES];
};

#define HANDWRITTEN_TABLE(peer)                                                                    \
    {                                                                                              \
        {peer##_softmax_f32, peer##_softmax_f16, peer##_softmax_bf16},                             \
            {peer##_layernorm_f32, peer##_layernorm_f16, peer##_layernorm_bf16},                   \
            {peer##_rmsnorm_f32, peer##_rmsnorm_f16, peer##_rmsnorm_bf16},                         \
    }

static const struct handwritten by_gcc = HANDWRITTEN_TABLE(gcc);
static const struct handwritten by_clang = HANDWRITTEN_TABLE(clang);

static void run_handwritten(const struct row_case *c, const struct handwritten *h)
{
#pragma omp parallel for num_threads(c->threads) schedule(static)
    for (int t = 0; t < c->threads; t++) {
        int64_t begin = c->rows * t / c->threads, rows = c->rows * (t + 1) / c->threads - begin;
        size_t skip = c->bytes / (size_t)c->rows * (size_t)begin;
        const char *in = (const char *)c->in + skip;
        char *out = (char *)c->out + skip;
        if (c->op == SOFTMAX)
            h->softmax[c->type](in, out, rows, c->width);
        else if (c->op == LAYERNORM)
            h->layernorm[c->type](in, c->w, c->b, out, rows, c->width, epsilon);
        else
            h->rmsnorm[c->type](in, c->w, out, rows, c->width, epsilon);
    }
}

static void run_gcc(void *user)
{
    run_handwritten(user, &by_gcc);
}

static void run_clang(void *user)
{
    run_handwritten(user, &by_clang);
}

static void prepare_ours(struct row_case *c, tilec_context *context)
{
    char path[256], kernel[64], block[32];
    snprintf(path, sizeof path, "kernels/%s.tile.c", op_names[c->op]);
    snprintf(kernel, sizeof kernel, "%s_tile", op_names[c->op]);
    int64_t power = 1;
    while (power < c->width)
        power *= 2;
    snprintf(block, sizeof block, "%lld", (long long)power);
    tilec_define defines[] = {{"T", c_types[c->type]}, {"BLOCK", block}};
    tilec_source source = {
        .size = sizeof source, .path = path, .defines = defines, .define_count = 2};
    tilec_compile_options options = {.size = sizeof options, .kernel = kernel};
    tilec_kernel *compiled;
    bench_check(context, tilec_compile(context, &source, &options, &compiled));
    int64_t shape[] = {c->rows, c->width};
    tilec_type type = tilec_types[c->type];
    tilec_argument arguments[7];
    size_t count = 0;
    arguments[count++] = tilec_buffer(type, c->in, 2, shape);
    if (c->op != SOFTMAX)
        arguments[count++] = tilec_buffer(type, c->w, 1, shape + 1);
    if (c->op == LAYERNORM)
        arguments[count++] = tilec_buffer(type, c->b, 1, shape + 1);
    arguments[count++] = tilec_buffer(type, c->out, 2, shape);
    arguments[count++] = tilec_int(TILEC_I32, c->rows);
    arguments[count++] = tilec_int(TILEC_I32, c->width);
    if (c->op != SOFTMAX)
        arguments[count++] = tilec_float(TILEC_F32, (double)epsilon);
    tilec_launch_options launch = {.size = sizeof launch, .threads = c->threads};
    bench_check(context, tilec_prepare(compiled, NULL, arguments, count, &launch, &c->ours));
    tilec_kernel_destroy(compiled);
}

/* ---- one case ------------------------------------------------------------------------------ */

enum { OURS, ONEDNN, GCC, CLANG, COPY, ARMS };

static void report(const struct row_case *c, const struct measure_arm *arms, double error,
                   struct bench *bench)
{
    double ours = arms[OURS].seconds;
    double hand = fmin(arms[GCC].seconds, arms[CLANG].seconds);
    json_t *row =
        json_pack("{s:s,s:s,s:I,s:I,s:i,s:f,s:f,s:f}", "kernel", op_names[c->op], "type",
                  type_names[c->type], "rows", (json_int_t)c->rows, "width", (json_int_t)c->width,
                  "threads", c->threads, "error_of_tolerance", error, "share_of_copy",
                  arms[COPY].seconds / ours, "over_handwritten", hand / ours);
    for (int a = 0; a < ARMS; a++)
        if (arms[a].run)
            json_object_set_new(row, arms[a].name, json_real(arms[a].seconds));
    printf("%-10s %-5s %6lldx%-6lld %d  %9.1f %7.1f  %6.2f", op_names[c->op], type_names[c->type],
           (long long)c->rows, (long long)c->width, c->threads, ours * 1e6,
           2e-9 * (double)c->bytes / ours, arms[COPY].seconds / ours);
    if (c->onednn) {
        printf("  %7.2f", arms[ONEDNN].seconds / ours);
        json_object_set_new(row, "over_onednn", json_real(arms[ONEDNN].seconds / ours));
    } else {
        printf("  %7s", "none");
    }
    printf("  %7.2f %7.2f  %6.2f\n", arms[GCC].seconds / ours, arms[CLANG].seconds / ours, error);
    fflush(stdout);
    bench_add(bench, "rows", row);
}

/* "softmax bf16 16384x4096 2", the columns of the table. */
static bool is_wanted(const struct row_case *c, const struct bench *bench)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s %lldx%lld %d", op_names[c->op], type_names[c->type],
             (long long)c->rows, (long long)c->width, c->threads);
    return !bench->only || strstr(name, bench->only);
}

static void run_case(struct row_case c, struct bench *bench)
{
    if (!is_wanted(&c, bench))
        return;
    static const enum onednn_type onednn_types[] = {ONEDNN_F32, ONEDNN_F16, ONEDNN_BF16};
    omp_set_num_threads(c.threads);
    c.offset = bench->offset;
    case_allocate(&c);
    prepare_ours(&c, bench->context);
    if (c.op != RMSNORM)
        c.onednn =
            onednn_new(c.op == SOFTMAX ? ONEDNN_SOFTMAX : ONEDNN_LAYERNORM, onednn_types[c.type],
                       c.rows, c.width, c.in, c.out, c.w_float, c.b_float, epsilon);
    memset(c.out, 0xff, c.bytes); /* NaN in every type */
    run_ours(&c);
    double error = worst_error(&c, c.out);
    if (!(error <= 1))
        bench_fail("%s %s: wrong by %g times the tolerance", op_names[c.op], type_names[c.type],
                   error);
    struct measure_arm arms[ARMS] = {
        [OURS] = {.name = "tilec", .run = run_ours, .user = &c},
        [ONEDNN] = {.name = "onednn", .run = c.onednn ? run_onednn : NULL, .user = &c},
        [GCC] = {.name = "gcc", .run = run_gcc, .user = &c},
        [CLANG] = {.name = "clang", .run = run_clang, .user = &c},
        [COPY] = {.name = "copy", .run = run_copy, .user = &c},
    };
    measure_arms(arms, ARMS, bench->budget, 5, 200e-6, 0);
    report(&c, arms, error, bench);
    case_release(&c);
}

void bench_rows(struct bench *bench)
{
    static const struct {
        int64_t rows, width;
        int threads;
    } shapes[] = {{16384, 4096, 2}, {16384, 4096, 1}, {256, 1024, 1}};
    printf("\nRow kernels. Ratios are peer's time over ours (above 1: we are faster); GB/s counts "
           "each byte\nonce in and once out; copy is a copy with streaming stores of as many "
           "bytes.\n"
           "kernel     type           shape thr      us    GB/s  /copy  /onednn    /gcc  /clang  "
           "error\n");
    int most = omp_get_num_procs();
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int op = 0; op < ROW_OPS; op++)
            for (int type = 0; type < ROW_TYPES; type++)
                if (shapes[s].threads <= most)
                    run_case((struct row_case){.op = (enum row_op)op,
                                               .type = (enum row_type)type,
                                               .rows = shapes[s].rows,
                                               .width = shapes[s].width,
                                               .threads = shapes[s].threads},
                             bench);
}
