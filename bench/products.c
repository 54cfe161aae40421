/*
 * Matrix products against OpenBLAS, BLIS and oneDNN, one and two threads, all arms alternately in
 * one run. Each result of ours is first compared with a reference in double. What the processor can
 * do at all is measured in the same run, so that shares of it can be stated.
 */
#include "bench/bench.h"
#include "bench/blas.h"
#include "bench/handwritten.h"
#include "bench/measure.h"

#include "base/half.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OURS, OPENBLAS, BLIS, ONEDNN, ARMS };

static const char *const type_names[] = {"f32", "f16", "bf16", "i8"};
static const char *const c_types[] = {"float", "half", "bfloat", "int8_t"};
static const tilec_type tilec_types[] = {TILEC_F32, TILEC_F16, TILEC_BF16, TILEC_I8};
static const size_t sizes[] = {4, 2, 2, 1};
static const double tolerances[] = {2e-6, 1e-3, 8e-3, 0};

struct product_case {
    struct product product;
    bool wide; /* int8: values over the whole range */
    void *ours_c;
    float *bias; /* of the fused epilogue, or NULL */
    tilec_prepared *ours;
    struct blas_peer *peers[ARMS];
};

/* ---- data ------------------------------------------------------------------------------------ */

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!memory)
        bench_fail("out of memory");
    return memset(memory, 0, bytes);
}

/* int8: up to +-reach */
static void *random_matrix(enum product_type type, long count, uint32_t seed, int reach)
{
    void *data = allocate((size_t)count * sizes[type]);
    for (long i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        float x = (float)(seed >> 8) / (float)(1 << 23) - 1;
        if (type == PRODUCT_F32)
            ((float *)data)[i] = x;
        else if (type == PRODUCT_I8)
            ((int8_t *)data)[i] = (int8_t)(x * (float)reach);
        else
            ((uint16_t *)data)[i] =
                type == PRODUCT_F16 ? half_from_double(x) : bfloat_from_double(x);
    }
    return data;
}

static double element(enum product_type type, const void *data, long i)
{
    if (type == PRODUCT_F32)
        return ((const float *)data)[i];
    if (type == PRODUCT_I8)
        return ((const int8_t *)data)[i];
    uint16_t bits = ((const uint16_t *)data)[i];
    return type == PRODUCT_F16 ? half_to_float(bits) : bfloat_to_float(bits);
}

static double gelu(double x)
{
    return 0.5 * x * (1 + erf(x / sqrt(2)));
}

/* The first wrong one of some 2,000 elements all over the result, or -1. as_unsigned: A's bytes are. */
static long find_wrong(const struct product_case *c, const void *result, bool as_unsigned, double *bad,
                       double *right)
{
    const struct product *p = &c->product;
    long count = p->m * p->n, step = count > 2000 ? count / 1999 : 1;
    for (long at = 0; at < count; at += step) {
        long i = at / p->n, j = at % p->n;
        double want = 0, got, size = 0;
        for (long l = 0; l < p->k; l++) {
            double a = element(p->type, p->a, i * p->k + l);
            double term = (as_unsigned && a < 0 ? a + 256 : a) * element(p->type, p->b, l * p->n + j);
            want += term;
            size += fabs(term);
        }
        if (c->bias)
            want = gelu(want + (double)c->bias[j]);
        got = p->type == PRODUCT_I8 ? ((const int32_t *)result)[at]
                                    : element(p->type, result, at);
        *bad = got;
        *right = want;
        if (!(fabs(got - want) <= tolerances[p->type] * (1 + size)))
            return at;
    }
    return -1;
}

static void check(const struct product_case *c)
{
    const struct product *p = &c->product;
    double bad, right;
    long at = find_wrong(c, c->ours_c, false, &bad, &right);
    if (at >= 0)
        bench_fail("%s %ldx%ldx%ld: element %ld is %.9g, expected %.9g", type_names[p->type], p->m,
                   p->n, p->k, at, bad, right);
}

/* Without VNNI oneDNN adds pairs of products in 16 bits, where they saturate. */
static bool saturates(const struct product_case *c, struct blas_peer *peer)
{
    double bad, right;
    return blas_run(peer) &&
           find_wrong(c, c->product.c, blas_takes_unsigned(peer), &bad, &right) >= 0;
}

/* ---- arms ------------------------------------------------------------------------------------ */

static void run_ours(void *user)
{
    if (tilec_prepared_run(user) != TILEC_OK)
        bench_fail("a launch failed");
}

static void run_peer(void *user)
{
    if (!blas_run(user))
        bench_fail("a peer failed");
}

static void prepare_ours(struct product_case *c, tilec_context *context)
{
    const struct product *p = &c->product;
    bool integer = p->type == PRODUCT_I8;
    /* Blocks are the user's granularity: small ones let small products use both threads. */
    const char *block = p->m * p->n <= 128 * 128 ? "32" : "64";
    tilec_define defines[] = {{"T", c_types[p->type]}, {"BLOCK_M", block}, {"BLOCK_N", block},
                              {"BLOCK_K", "16"}};
    tilec_source source = {.size = sizeof source,
                           .path = integer   ? "kernels/gemm_int8.tile.c"
                                   : c->bias ? "kernels/gemm_epilogue.tile.c"
                                             : "kernels/gemm.tile.c",
                           .defines = defines,
                           .define_count = 4};
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = integer   ? "gemm_int8"
                                               : c->bias ? "gemm_bias_gelu"
                                                         : "gemm"};
    tilec_kernel *compiled;
    bench_check(context, tilec_compile(context, &source, &options, &compiled));
    int64_t a[] = {p->m, p->k}, b[] = {p->k, p->n}, r[] = {p->m, p->n};
    tilec_type type = tilec_types[p->type];
    tilec_argument arguments[7];
    size_t count = 0;
    arguments[count++] = tilec_buffer(type, (void *)(uintptr_t)p->a, 2, a);
    arguments[count++] = tilec_buffer(type, (void *)(uintptr_t)p->b, 2, b);
    if (c->bias)
        arguments[count++] = tilec_buffer(type, c->bias, 1, r + 1);
    arguments[count++] = tilec_buffer(integer ? TILEC_I32 : type, c->ours_c, 2, r);
    arguments[count++] = tilec_int(TILEC_I32, p->m);
    arguments[count++] = tilec_int(TILEC_I32, p->n);
    arguments[count++] = tilec_int(TILEC_I32, p->k);
    tilec_launch_options launch = {.size = sizeof launch, .threads = p->threads};
    bench_check(context, tilec_prepare(compiled, NULL, arguments, count, &launch, &c->ours));
    tilec_kernel_destroy(compiled);
}

/* ---- one case -------------------------------------------------------------------------------- */

struct summary { /* of ratios: the best peer's time over ours */
    double log_sum, worst;
    int count;
};

static double rate(const struct product *p, double seconds)
{
    return 2e-9 * (double)p->m * (double)p->n * (double)p->k / seconds;
}

static const char *name_of(const struct product_case *c)
{
    return c->wide ? "i8w" : type_names[c->product.type];
}

static void report(const struct product_case *c, const struct measure_arm *arms, double peak,
                   struct bench *bench, struct summary *summary)
{
    const struct product *p = &c->product;
    double ours = arms[OURS].seconds, best = INFINITY;
    printf("%-4s %5ldx%-5ldx%-5ld %d %9.1f %8.1f", name_of(c), p->m, p->n, p->k, p->threads,
           ours * 1e6, rate(p, ours));
    json_t *row = json_pack("{s:s,s:I,s:I,s:I,s:i,s:f}", "type", name_of(c), "m",
                            (json_int_t)p->m, "n", (json_int_t)p->n, "k", (json_int_t)p->k,
                            "threads", p->threads, "tilec", ours);
    for (int a = OPENBLAS; a < ARMS; a++) {
        if (!arms[a].run) {
            printf(" %8s", c->peers[a] ? "wrong" : "none");
            continue;
        }
        printf(" %8.1f", rate(p, arms[a].seconds));
        best = fmin(best, arms[a].seconds);
        json_object_set_new(row, arms[a].name, json_real(arms[a].seconds));
    }
    if (isinf(best))
        printf(" %7s", "none");
    else
        printf(" %7.3f", best / ours);
    printf(" %6.2f\n", rate(p, ours) / (peak * p->threads));
    fflush(stdout);
    bench_add(bench, "products", row);
    if (isinf(best))
        return;
    summary->log_sum += log(best / ours);
    summary->worst = summary->count++ ? fmin(summary->worst, best / ours) : best / ours;
}

static void run_case(struct product_case c, double peak, struct bench *bench,
                     struct summary *summary)
{
    struct product *p = &c.product;
    size_t result = (size_t)(p->m * p->n) * (p->type == PRODUCT_I8 ? 4 : sizes[p->type]);
    omp_set_num_threads(p->threads);
    int reach = c.wide ? 127 : 60;
    p->a = random_matrix(p->type, p->m * p->k, 1, reach);
    p->b = random_matrix(p->type, p->k * p->n, 2, reach);
    p->c = allocate(result);
    c.ours_c = allocate(result);
    memset(c.ours_c, 0xff, result);
    prepare_ours(&c, bench->context);
    run_ours(c.ours);
    check(&c);
    c.peers[OPENBLAS] = blas_openblas(p);
    c.peers[BLIS] = blas_blis(p);
    c.peers[ONEDNN] = blas_onednn(p);
    struct measure_arm arms[ARMS] = {{.name = "tilec", .run = run_ours, .user = c.ours},
                                     {.name = "openblas"},
                                     {.name = "blis"},
                                     {.name = "onednn"}};
    for (int a = OPENBLAS; a < ARMS; a++) {
        bool right = c.peers[a] && !(c.wide && saturates(&c, c.peers[a]));
        arms[a].run = right ? run_peer : NULL;
        arms[a].user = c.peers[a];
    }
    /* Threads of one library that still spin would slow the next. */
    measure_arms(arms, ARMS, bench->budget, 5, 200e-6, p->threads > 1 ? 40e-3 : 0);
    report(&c, arms, peak, bench, summary);
    for (int a = OPENBLAS; a < ARMS; a++)
        blas_free(c.peers[a]);
    tilec_prepared_destroy(c.ours);
    free((void *)(uintptr_t)p->a);
    free((void *)(uintptr_t)p->b);
    free(p->c);
    free(c.ours_c);
}

/* ---- product, bias and GELU ------------------------------------------------------------------ */

/* A library's product, then a pass of its own for what follows: in C, or by a kernel of ours. */
struct separate {
    struct blas_peer *product;
    tilec_prepared *kernel; /* or NULL: function */
    bias_gelu_function *function;
    const struct product_case *c;
};

static const char rest_source[] =
    "#include <tilec/kernel.h>\n"
    "launch_grid(bias_gelu, M);\n"
    "kernel void bias_gelu(float *restrict C, const float *restrict Bias, int M, int N,\n"
    "                      constexpr int BLOCK)\n"
    "{\n"
    "    for (int j = 0; j < N; j += BLOCK) {\n"
    "        int i = j + arange(0, BLOCK);\n"
    "        float x = load(C + program_id(0) * N + i, i < N) + load(Bias + i, i < N);\n"
    "        store(C + program_id(0) * N + i, 0.5f * x * (1.0f + erf(x * 0.70710678f)), i < N);\n"
    "    }\n"
    "}\n";

static void run_in_c(const struct separate *s)
{
    const struct product *p = &s->c->product;
#pragma omp parallel for num_threads(p->threads) schedule(static)
    for (int t = 0; t < p->threads; t++) {
        long begin = p->m * t / p->threads, rows = p->m * (t + 1) / p->threads - begin;
        s->function((float *)p->c + begin * p->n, s->c->bias, rows, p->n);
    }
}

static void run_separate(void *user)
{
    struct separate *s = user;
    run_peer(s->product);
    if (s->kernel)
        run_ours(s->kernel);
    else
        run_in_c(s);
}

static tilec_prepared *prepare_pass(const struct product_case *c, tilec_context *context)
{
    const struct product *p = &c->product;
    tilec_define define = {"BLOCK", "1024"};
    tilec_source source = {.size = sizeof source,
                           .path = "bias_gelu.tile.c",
                           .text = rest_source,
                           .defines = &define,
                           .define_count = 1};
    tilec_kernel *compiled;
    tilec_prepared *prepared;
    bench_check(context, tilec_compile(context, &source, NULL, &compiled));
    int64_t shape[] = {p->m, p->n};
    tilec_argument arguments[] = {tilec_buffer(TILEC_F32, p->c, 2, shape),
                                  tilec_buffer(TILEC_F32, c->bias, 1, shape + 1),
                                  tilec_int(TILEC_I32, p->m), tilec_int(TILEC_I32, p->n)};
    tilec_launch_options launch = {.size = sizeof launch, .threads = p->threads};
    bench_check(context, tilec_prepare(compiled, NULL, arguments, 4, &launch, &prepared));
    tilec_kernel_destroy(compiled);
    return prepared;
}

/* Of the libraries that are here the one whose product is the fastest; NULL: there is none. */
static struct blas_peer *fastest_product(const struct product *p, double budget, double pause)
{
    struct blas_peer *peers[] = {blas_onednn(p), blas_openblas(p), blas_blis(p)};
    enum { LIBRARIES = sizeof peers / sizeof *peers };
    struct measure_arm arms[LIBRARIES] = {0};
    for (int i = 0; i < LIBRARIES; i++)
        arms[i] =
            (struct measure_arm){.name = "", .run = peers[i] ? run_peer : NULL, .user = peers[i]};
    measure_arms(arms, LIBRARIES, budget, 5, 200e-6, pause);
    int best = -1;
    for (int i = 0; i < LIBRARIES; i++) {
        if (peers[i] && (best < 0 || arms[i].seconds < arms[best].seconds))
            best = i;
    }
    for (int i = 0; i < LIBRARIES; i++) {
        if (i != best)
            blas_free(peers[i]);
    }
    return best < 0 ? NULL : peers[best];
}

enum gelu_arm { FUSED, PASS_GCC, PASS_CLANG, PASS_OURS, PASSES_ONEDNN, GELU_ARMS };

static void report_fused(const struct product *p, const struct measure_arm *arms,
                         struct bench *bench)
{
    static const char *const keys[GELU_ARMS] = {"tilec", "gcc_pass", "clang_pass", "our_pass",
                                                "onednn_passes"};
    json_t *row = json_pack("{s:s,s:i}", "type", "f32 bias gelu", "threads", p->threads);
    printf("f32  %ld^3 with bias and GELU, %d thread%s: %.1f us\n", p->m, p->threads,
           p->threads > 1 ? "s" : "", arms[FUSED].seconds * 1e6);
    for (int a = 0; a < GELU_ARMS; a++) {
        if (!arms[a].run)
            continue;
        json_object_set_new(row, keys[a], json_real(arms[a].seconds));
        if (a != FUSED)
            printf("     %-52s %9.1f us %7.3f\n", arms[a].name, arms[a].seconds * 1e6,
                   arms[a].seconds / arms[FUSED].seconds);
    }
    fflush(stdout);
    bench_add(bench, "products", row);
}

static void run_fused(long size, int threads, struct bench *bench)
{
    struct product_case c = {
        .product = {PRODUCT_F32, size, size, size, threads, NULL, NULL, NULL, false, 1}};
    struct product *p = &c.product;
    size_t bytes = (size_t)(size * size) * 4;
    double pause = threads > 1 ? 40e-3 : 0;
    omp_set_num_threads(threads);
    p->a = random_matrix(p->type, size * size, 1, 0);
    p->b = random_matrix(p->type, size * size, 2, 0);
    c.bias = random_matrix(p->type, size, 3, 0);
    p->c = allocate(bytes);
    c.ours_c = allocate(bytes);
    prepare_ours(&c, bench->context);
    run_ours(c.ours);
    check(&c);
    tilec_prepared *ours = prepare_pass(&c, bench->context);
    struct blas_peer *product = fastest_product(p, bench->budget, pause);
    struct blas_peer *passes = blas_onednn_gelu(p, c.bias);
    struct separate gcc = {product, NULL, gcc_bias_gelu_f32, &c},
                    clang = {product, NULL, clang_bias_gelu_f32, &c},
                    kernel = {product, ours, NULL, &c};
    void (*run)(void *) = product ? run_separate : NULL;
    struct measure_arm arms[GELU_ARMS] = {
        [FUSED] = {.name = "tilec", .run = run_ours, .user = c.ours},
        [PASS_GCC] = {.name = "the best library's product, then C by gcc",
                      .run = run,
                      .user = &gcc},
        [PASS_CLANG] = {.name = "the best library's product, then C by clang",
                        .run = run,
                        .user = &clang},
        [PASS_OURS] = {.name = "the best library's product, then a kernel of ours",
                       .run = run,
                       .user = &kernel},
        [PASSES_ONEDNN] = {.name = "oneDNN's product, then its GELU",
                           .run = passes ? run_peer : NULL,
                           .user = passes}};
    measure_arms(arms, GELU_ARMS, bench->budget, 5, 200e-6, pause);
    report_fused(p, arms, bench);
    blas_free(passes);
    blas_free(product);
    tilec_prepared_destroy(ours);
    tilec_prepared_destroy(c.ours);
    free((void *)(uintptr_t)p->a);
    free((void *)(uintptr_t)p->b);
    free(p->c);
    free(c.bias);
    free(c.ours_c);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const long shapes[][3] = {{64, 64, 64},       {256, 256, 256},    {257, 255, 259},
                                 {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096},
                                 {4096, 64, 4096},   {64, 4096, 4096},   {1, 4096, 4096}};

/* "f32", "4096x64x4096", "f32 4096x64x4096": words that the case's name must have. */
static bool is_wanted(const struct bench *bench, const char *type, const long *shape)
{
    char name[96];
    snprintf(name, sizeof name, "%s %ldx%ldx%ld", type, shape[0], shape[1], shape[2]);
    return !bench->only || strstr(name, bench->only);
}

static void run_type(enum product_type type, bool wide, double peak, struct bench *bench)
{
    struct summary summary = {0};
    int most = omp_get_num_procs();
    const char *name = wide ? "i8w" : type_names[type];
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int threads = 1; threads <= 2 && threads <= most; threads++)
            if (is_wanted(bench, name, shapes[s]))
                run_case((struct product_case){.product = {type, shapes[s][0], shapes[s][1],
                                                           shapes[s][2], threads, NULL, NULL, NULL,
                                                           false, 1},
                                               .wide = wide},
                         peak, bench, &summary);
    if (summary.count)
        printf("%-4s over the best peer: %.3f in the geometric mean, %.3f in the worst\n", name,
               exp(summary.log_sum / summary.count), summary.worst);
}

void bench_products(struct bench *bench)
{
    double peak = measure_fma_peak();
    printf("\nMatrix products, M x N x K. Rates in GFLOP/s (GOP/s); ratios are the best peer's time "
           "over ours\n(above 1: we are faster); /peak is the share of %.1f GFLOP/s per thread, "
           "float FMAs in registers.\n"
           "type       M N K         thr        us    tilec openblas     blis   onednn   ratio  "
           "/peak\n",
           peak);
    for (int type = 0; type < PRODUCT_TYPES; type++)
        run_type((enum product_type)type, false, peak, bench);
    run_type(PRODUCT_I8, true, peak, bench);
    for (int threads = 1; threads <= 2 && threads <= omp_get_num_procs(); threads++)
        if (!bench->only || strstr("f32 gelu", bench->only))
            run_fused(1024, threads, bench);
}
