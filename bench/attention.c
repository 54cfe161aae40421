/*
 * Attention (kernels/attention.tile.c) against what a user would compose or write instead, all arms
 * alternately in one run: two products per head and a softmax pass between them, the whole matrix
 * of scores in memory, by oneDNN and by OpenBLAS (with the softmax of handwritten.c by clang, as it
 * has none), and blocked C by gcc and clang (flash.c). With half, the libraries' arms convert the
 * arrays to float and the result back, as they have no products of half; with bfloat so does
 * OpenBLAS, but oneDNN's products and softmax are of bfloat, the scores too. Our own product of
 * 1024^3 floats and the peak of FMAs in registers say what could be had. Results of ours are
 * compared with a reference in double first.
 */
#include "bench/bench.h"
#include "bench/bfloat.h"
#include "bench/blas.h"
#include "bench/flash.h"
#include "bench/handwritten.h"
#include "bench/measure.h"
#include "bench/onednn.h"

#include "base/half.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 2, PRODUCT_SIZE = 1024 };
enum { OURS, PRODUCT, ONEDNN, OPENBLAS, GCC, CLANG, ARMS };

/* By type. */
enum attention_type { F32, F16, BF16, TYPES };

typedef void flash(const void *q, const void *k, const void *v, void *out, long from, long to,
                   long keys, long depth, float scale);

static const struct {
    const char *name, *element;
    tilec_type type;
    size_t bytes;
    double tolerance;
    flash *gcc, *clang;
} types[TYPES] = {
    [F32] = {"f32", "float", TILEC_F32, 4, 1e-5, gcc_attention_f32, clang_attention_f32},
    [F16] = {"f16", "half", TILEC_F16, 2, 2e-3, gcc_attention_f16, clang_attention_f16},
    [BF16] = {"bf16", "bfloat", TILEC_BF16, 2, 8e-3, gcc_attention_bf16, clang_attention_bf16},
};

struct attention_case {
    enum attention_type type;
    long n, depth;
    int threads;
    float scale;
    void *arrays[4], *other; /* Q, K, V, Out; Out of the peers */
    float *wide[4], *scores; /* of the compositions in float: the arrays themselves if they are */
    tilec_prepared *ours, *product;
};

/* A library's products and softmax. */
struct composition {
    struct attention_case *c;
    bool narrow; /* all in the case's type; else in float */
    struct blas_peer *products[2 * HEADS];
    struct onednn_primitive *softmax; /* NULL: clang's */
};

struct written {
    struct attention_case *c;
    flash *run;
};

/* ---- data ------------------------------------------------------------------------------------ */

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!memory)
        bench_fail("out of memory");
    return memset(memory, 0, bytes);
}

static size_t count_of(const struct attention_case *c)
{
    return (size_t)(HEADS * c->n * c->depth);
}

static double element(const struct attention_case *c, const void *data, size_t i)
{
    if (c->type == F32)
        return (double)((const float *)data)[i];
    uint16_t bits = ((const uint16_t *)data)[i];
    return (double)(c->type == F16 ? half_to_float(bits) : bfloat_to_float(bits));
}

static void fill(const struct attention_case *c, void *data, uint32_t seed)
{
    for (size_t i = 0; i < count_of(c); i++) {
        seed = seed * 1664525u + 1013904223u;
        float x = (float)(seed >> 8) / (float)(1 << 23) - 1;
        if (c->type == F32)
            ((float *)data)[i] = x;
        else
            ((uint16_t *)data)[i] = c->type == F16 ? half_from_double(x) : bfloat_from_double(x);
    }
}

/* Some rows all over the result, in double. */
static double worst_error(const struct attention_case *c, const void *out)
{
    double *weight = allocate((size_t)c->n * sizeof *weight), worst = 0;
    size_t row_bytes = (size_t)c->depth;
    for (long row = 0; row < HEADS * c->n; row += HEADS * c->n / 13) {
        size_t head = (size_t)(row / c->n * c->n) * row_bytes, q = (size_t)row * row_bytes;
        double top = -INFINITY, total = 0;
        for (long j = 0; j < c->n; j++) {
            double s = 0;
            for (size_t x = 0; x < row_bytes; x++)
                s += element(c, c->arrays[0], q + x) *
                     element(c, c->arrays[1], head + (size_t)j * row_bytes + x);
            weight[j] = s * (double)c->scale;
            top = fmax(top, weight[j]);
        }
        for (long j = 0; j < c->n; j++)
            total += weight[j] = exp(weight[j] - top);
        for (size_t x = 0; x < row_bytes; x++) {
            double want = 0;
            for (long j = 0; j < c->n; j++)
                want += weight[j] * element(c, c->arrays[2], head + (size_t)j * row_bytes + x);
            worst = fmax(worst, fabs(want / total - element(c, out, q + x)));
        }
    }
    free(weight);
    return worst;
}

/* ---- ours ------------------------------------------------------------------------------------ */

static void run_ours(void *user)
{
    if (tilec_prepared_run(user) != TILEC_OK)
        bench_fail("a launch failed");
}

static tilec_prepared *prepare(tilec_context *context, const char *path, const char *kernel,
                               const tilec_define *defines, size_t define_count,
                               const tilec_argument *arguments, size_t count, int threads)
{
    tilec_source source = {
        .size = sizeof source, .path = path, .defines = defines, .define_count = define_count};
    tilec_compile_options options = {.size = sizeof options, .kernel = kernel};
    tilec_launch_options launch = {.size = sizeof launch, .threads = threads};
    tilec_kernel *compiled;
    tilec_prepared *prepared;
    bench_check(context, tilec_compile(context, &source, &options, &compiled));
    bench_check(context, tilec_prepare(compiled, NULL, arguments, count, &launch, &prepared));
    tilec_kernel_destroy(compiled);
    return prepared;
}

/* Of the kernel's tune lines, the blocks that tuning finds for nearly all of these shapes. */
static void prepare_ours(struct attention_case *c, tilec_context *context)
{
    const tilec_define defines[] = {{"T", types[c->type].element},
                                    {"D", c->depth == 64 ? "64" : "128"},
                                    {"BLOCK_M", "64"},
                                    {"BLOCK_N", "64"}};
    tilec_type type = types[c->type].type;
    const int64_t shape[] = {HEADS, c->n, c->depth};
    tilec_argument arguments[9];
    for (int i = 0; i < 4; i++)
        arguments[i] = tilec_buffer(type, c->arrays[i], 3, shape);
    arguments[4] = tilec_int(TILEC_I32, HEADS);
    arguments[5] = tilec_int(TILEC_I32, c->n);
    arguments[6] = tilec_int(TILEC_I32, c->n);
    arguments[7] = tilec_float(TILEC_F32, (double)c->scale);
    arguments[8] = tilec_int(TILEC_I32, 0);
    c->ours = prepare(context, "kernels/attention.tile.c", "attention", defines, 4, arguments, 9,
                      c->threads);
}

static void prepare_product(struct attention_case *c, tilec_context *context,
                            float *const *matrices)
{
    const int64_t shape[] = {PRODUCT_SIZE, PRODUCT_SIZE};
    const tilec_argument arguments[] = {tilec_buffer(TILEC_F32, matrices[0], 2, shape),
                                        tilec_buffer(TILEC_F32, matrices[1], 2, shape),
                                        tilec_buffer(TILEC_F32, matrices[2], 2, shape),
                                        tilec_int(TILEC_I32, PRODUCT_SIZE),
                                        tilec_int(TILEC_I32, PRODUCT_SIZE),
                                        tilec_int(TILEC_I32, PRODUCT_SIZE)};
    const tilec_define defines[] = {{"BLOCK_M", "64"}, {"BLOCK_N", "64"}, {"BLOCK_K", "16"}};
    c->product =
        prepare(context, "kernels/gemm.tile.c", "gemm", defines, 3, arguments, 6, c->threads);
}

/* ---- peers ----------------------------------------------------------------------------------- */

static void softmax_rows(const struct attention_case *c)
{
    long rows = c->n / c->threads;
#pragma omp parallel for
    for (int t = 0; t < c->threads; t++) {
        float *first = c->scores + t * rows * c->n;
        clang_softmax_f32(first, first, rows, c->n);
    }
}

static float widened(enum attention_type type, const void *data, long i)
{
    return type == F16 ? (float)((const _Float16 *)data)[i]
                       : widen_bf16(((const uint16_t *)data)[i]);
}

static void narrow(enum attention_type type, float value, void *data, long i)
{
    if (type == F16)
        ((_Float16 *)data)[i] = (_Float16)value;
    else
        ((uint16_t *)data)[i] = narrow_bf16(value);
}

static void convert(const struct attention_case *c, bool back)
{
    long count = (long)count_of(c);
#pragma omp parallel for
    for (int t = 0; t < c->threads; t++) {
        for (long i = count / c->threads * t; i < count / c->threads * (t + 1); i++) {
            if (back)
                narrow(c->type, c->wide[3][i], c->other, i);
            for (int k = 0; k < 3 && !back; k++)
                c->wide[k][i] = widened(c->type, c->arrays[k], i);
        }
    }
}

static void run_composition(void *user)
{
    struct composition *p = user;
    bool converts = p->c->type != F32 && !p->narrow;
    if (converts)
        convert(p->c, false);
    for (int h = 0; h < HEADS; h++) {
        bool fine = blas_run(p->products[2 * h]);
        if (p->softmax)
            fine = fine && onednn_run(p->softmax);
        else
            softmax_rows(p->c);
        if (!fine || !blas_run(p->products[2 * h + 1]))
            bench_fail("a peer failed");
    }
    if (converts)
        convert(p->c, true);
}

/* False: the library is not there. */
static bool compose(struct composition *p, struct blas_peer *(*library)(const struct product *))
{
    const struct attention_case *c = p->c;
    enum product_type type = p->narrow ? PRODUCT_BF16 : PRODUCT_F32;
    size_t bytes = p->narrow ? types[c->type].bytes : 4;
    for (int h = 0; h < HEADS; h++) {
        size_t at = (size_t)(h * c->n * c->depth) * bytes;
        char *a[4];
        for (int i = 0; i < 4; i++)
            a[i] = (char *)(!p->narrow ? c->wide[i] : i < 3 ? c->arrays[i] : c->other) + at;
        const struct product scores = {type, c->n, c->n,      c->depth, c->threads,
                                       a[0], a[1], c->scores, true,     c->scale};
        const struct product sums = {type,      c->n, c->depth, c->n,  c->threads,
                                     c->scores, a[2], a[3],     false, 1};
        p->products[2 * h] = library(&scores);
        p->products[2 * h + 1] = library(&sums);
    }
    return p->products[0] && p->products[1];
}

static void decompose(struct composition *p)
{
    for (int i = 0; i < 2 * HEADS; i++)
        blas_free(p->products[i]);
    if (p->softmax)
        onednn_free(p->softmax);
}

static void run_written(void *user)
{
    const struct written *w = user;
    const struct attention_case *c = w->c;
    size_t bytes = types[c->type].bytes;
    long blocks = c->n / FLASH_ROWS;
#pragma omp parallel for
    for (long b = 0; b < HEADS * blocks; b++) {
        size_t head = (size_t)(b / blocks * c->n * c->depth) * bytes;
        long from = b % blocks * FLASH_ROWS;
        w->run((char *)c->arrays[0] + head, (char *)c->arrays[1] + head,
               (char *)c->arrays[2] + head, (char *)c->other + head, from, from + FLASH_ROWS, c->n,
               c->depth, c->scale);
    }
}

/* ---- one case -------------------------------------------------------------------------------- */

static void print_ratio(const struct measure_arm *arms, int arm)
{
    if (arms[arm].run)
        printf(" %8.2f", arms[arm].seconds / arms[OURS].seconds);
    else
        printf(" %8s", "none");
}

static void report(const struct attention_case *c, const struct measure_arm *arms, double peak,
                   double error, struct bench *bench)
{
    double ours = arms[OURS].seconds;
    double rate = 4e-9 * HEADS * (double)c->n * (double)c->n * (double)c->depth / ours;
    double product = 2e-9 * pow(PRODUCT_SIZE, 3) / arms[PRODUCT].seconds;
    printf("%-4s %5ld %5ld %3d %10.1f %8.1f %6.2f %6.2f", types[c->type].name, c->n, c->depth,
           c->threads, ours * 1e6, rate, rate / (peak * c->threads), rate / product);
    json_t *row =
        json_pack("{s:s,s:I,s:I,s:i,s:f}", "type", types[c->type].name, "n", (json_int_t)c->n,
                  "depth", (json_int_t)c->depth, "threads", c->threads, "tilec", ours);
    for (int a = PRODUCT; a < ARMS; a++) {
        if (a > PRODUCT)
            print_ratio(arms, a);
        if (arms[a].run)
            json_object_set_new(row, arms[a].name, json_real(arms[a].seconds));
    }
    printf(" %9.1e\n", error);
    fflush(stdout);
    bench_add(bench, "attention", row);
}

/* The peers' results must be right too: a composition that computes something else is no peer. */
static void check_peers(const struct attention_case *c, const struct measure_arm *arms, double most)
{
    for (int a = ONEDNN; a < ARMS; a++) {
        if (!arms[a].run)
            continue;
        memset(c->other, 0xff, count_of(c) * types[c->type].bytes);
        arms[a].run(arms[a].user);
        double error = worst_error(c, c->other);
        if (!(error <= most))
            bench_fail("%s: attention is wrong by %g", arms[a].name, error);
    }
}

static void run_case(struct attention_case c, double peak, float *const *matrices,
                     struct bench *bench)
{
    size_t count = count_of(&c), bytes = count * types[c.type].bytes;
    double most = types[c.type].tolerance;
    omp_set_num_threads(c.threads);
    c.scale = 1 / sqrtf((float)c.depth);
    for (int i = 0; i < 4; i++) {
        c.arrays[i] = allocate(bytes);
        fill(&c, c.arrays[i], (uint32_t)i + 1);
    }
    c.other = allocate(bytes);
    for (int i = 0; i < 4; i++)
        c.wide[i] = c.type != F32 ? allocate(count * 4) : i < 3 ? c.arrays[i] : c.other;
    c.scores = allocate((size_t)(c.n * c.n) * 4);
    prepare_ours(&c, bench->context);
    prepare_product(&c, bench->context, matrices);
    run_ours(c.ours);
    double error = worst_error(&c, c.arrays[3]);
    if (!(error <= most))
        bench_fail("attention is wrong by %g", error);
    struct composition onednn = {.c = &c, .narrow = c.type == BF16}, openblas = {.c = &c};
    bool has_onednn = compose(&onednn, blas_onednn),
         has_openblas = compose(&openblas, blas_openblas);
    onednn.softmax = onednn_new(ONEDNN_SOFTMAX, onednn.narrow ? ONEDNN_BF16 : ONEDNN_F32, c.n, c.n,
                                c.scores, c.scores, NULL, NULL, 0);
    struct written gcc = {&c, types[c.type].gcc};
    struct written clang = {&c, types[c.type].clang};
    struct measure_arm arms[ARMS] = {
        [OURS] = {.name = "tilec", .run = run_ours, .user = c.ours},
        [PRODUCT] = {.name = "product", .run = run_ours, .user = c.product},
        [ONEDNN] = {.name = "onednn",
                    .run = has_onednn && onednn.softmax ? run_composition : NULL,
                    .user = &onednn},
        [OPENBLAS] = {.name = "openblas",
                      .run = has_openblas ? run_composition : NULL,
                      .user = &openblas},
        [GCC] = {.name = "gcc", .run = run_written, .user = &gcc},
        [CLANG] = {.name = "clang", .run = run_written, .user = &clang}};
    check_peers(&c, arms, most);
    measure_arms(arms, ARMS, bench->budget, 3, 200e-6, c.threads > 1 ? 40e-3 : 0);
    report(&c, arms, peak, error, bench);
    decompose(&onednn);
    decompose(&openblas);
    tilec_prepared_destroy(c.ours);
    tilec_prepared_destroy(c.product);
    for (int i = 0; i < 4; i++) {
        if (c.type != F32)
            free(c.wide[i]);
        free(c.arrays[i]);
    }
    free(c.other);
    free(c.scores);
}

static bool is_wanted(const struct bench *bench, const struct attention_case *c)
{
    char name[64];
    snprintf(name, sizeof name, "%s %ldx%ld %d", types[c->type].name, c->n, c->depth, c->threads);
    return !bench->only || strstr(name, bench->only);
}

void bench_attention(struct bench *bench)
{
    static const long sizes[] = {512, 1024, 2048, 4096}, depths[] = {64, 128};
    double peak = measure_fma_peak();
    float *matrices[3];
    for (int i = 0; i < 3; i++) {
        matrices[i] = allocate(sizeof(float) * PRODUCT_SIZE * PRODUCT_SIZE);
        for (int k = 0; k < PRODUCT_SIZE * PRODUCT_SIZE; k++)
            matrices[i][k] = (float)(k % 7 - 3);
    }
    printf(
        "\nAttention of %d heads, n queries and keys; GFLOP/s count the two products. /peak: the "
        "share of\n%.1f GFLOP/s per thread, float FMAs in registers; /gemm: of our product of "
        "%d^3 floats; peers: their\ntime over ours.\n"
        "type     n depth thr         us  GFLOP/s  /peak  /gemm   onednn openblas      gcc    "
        "clang     error\n",
        HEADS, peak, PRODUCT_SIZE);
    for (int type = 0; type < TYPES; type++)
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int threads = 1; threads <= 2 && threads <= omp_get_num_procs(); threads++) {
                    struct attention_case c = {.type = (enum attention_type)type,
                                               .n = sizes[s],
                                               .depth = depths[d],
                                               .threads = threads};
                    if (is_wanted(bench, &c))
                        run_case(c, peak, matrices, bench);
                }
    for (int i = 0; i < 3; i++)
        free(matrices[i]);
}
