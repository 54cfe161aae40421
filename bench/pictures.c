/*
 * Kernels of neighbours, of interleaved channels and of gathers against C by gcc and clang, and a
 * copy as the machine's limit: stencils, a causal filter, pictures of bytes, maps of floats. All
 * arms of a case alternate in one run (measure.h), on one thread. Results of ours are compared with
 * gcc's first.
 */
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/neighbours.h"

#include "tilec/tilec.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STENCIL3,
    STENCIL5,
    FIR,
    BLUR,
    SOBEL,
    GRAY,
    BLEND,
    UPSAMPLE, /* from here on: gathers, of other shapes */
    COLUMNS,
    WEIGHTS,
    PICTURE_KERNELS,
};

enum { TAPS = 16 };
static const float rate = 0.2f;

static const struct picture_kernel {
    const char *name, *file;
    tilec_type type;
    int in, other, out; /* elements per place; other: of a second input */
} kernels[] = {
    [STENCIL3] = {"stencil3", "kernels/stencil.tile.c", TILEC_F32, 1, 0, 1},
    [STENCIL5] = {"stencil5", "kernels/stencil.tile.c", TILEC_F32, 1, 0, 1},
    [FIR] = {"fir", "kernels/stencil.tile.c", TILEC_F32, 1, 0, 1},
    [BLUR] = {"blur", "kernels/picture.tile.c", TILEC_U8, 1, 0, 1},
    [SOBEL] = {"sobel", "kernels/picture.tile.c", TILEC_U8, 1, 0, 1},
    [GRAY] = {"gray", "kernels/picture.tile.c", TILEC_U8, 3, 0, 1},
    [BLEND] = {"blend", "kernels/picture.tile.c", TILEC_U8, 4, 4, 4},
    [UPSAMPLE] = {"upsample", "bench/gathers.tile.c", TILEC_F32, 1, 0, 4},
    [COLUMNS] = {"columns", "bench/gathers.tile.c", TILEC_F32, 16, 0, 144},
    [WEIGHTS] = {"weights", "bench/gathers.tile.c", TILEC_F32, 1, 1, 1},
};

struct picture_case {
    int kernel;
    int64_t height, width;
    size_t element, bytes_in, bytes_out;
    void *in, *other, *out;
    float taps[TAPS];
    tilec_prepared *ours;
};

/* ---- data ---------------------------------------------------------------------------------- */

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, bytes / 64 * 64 + 64);
    if (!memory)
        bench_fail("out of memory");
    return memset(memory, 0, bytes / 64 * 64 + 64);
}

static void fill(const struct picture_case *c, void *data, size_t bytes, uint32_t seed)
{
    for (size_t i = 0; i < bytes / c->element; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (c->element == 1)
            ((uint8_t *)data)[i] = (uint8_t)(seed >> 24);
        else
            ((float *)data)[i] = (float)(seed >> 8) / (float)(1 << 21) - 4.0f;
    }
}

static void case_allocate(struct picture_case *c)
{
    const struct picture_kernel *k = &kernels[c->kernel];
    size_t count = (size_t)(c->height * c->width);
    c->element = k->type == TILEC_U8 ? 1 : 4;
    c->bytes_in = count * (size_t)k->in * c->element;
    c->bytes_out = count * (size_t)k->out * c->element;
    /* What is copied beside it is as long as what comes out. */
    c->in = allocate(c->bytes_in > c->bytes_out ? c->bytes_in : c->bytes_out);
    c->other = allocate(c->bytes_in);
    c->out = allocate(c->bytes_out);
    fill(c, c->in, c->bytes_in, 1);
    fill(c, c->other, c->bytes_in, 2);
    for (int i = 0; i < TAPS; i++)
        c->taps[i] = 1.0f / (float)(i + 2);
}

static void case_release(struct picture_case *c)
{
    tilec_prepared_destroy(c->ours);
    free(c->in);
    free(c->other);
    free(c->out);
}

/* ---- arms ---------------------------------------------------------------------------------- */

static void run_ours(void *user)
{
    struct picture_case *c = user;
    if (tilec_prepared_run(c->ours) != TILEC_OK)
        bench_fail("a launch failed");
}

static void run_copy(void *user)
{
    struct picture_case *c = user;
    memcpy(c->out, c->in, c->bytes_out);
}

#define RUN(peer)                                                                                  \
    static void run_##peer(void *user)                                                             \
    {                                                                                              \
        struct picture_case *c = user;                                                             \
        long height = c->height, width = c->width, count = height * width;                         \
        switch (c->kernel) {                                                                       \
        case STENCIL3:                                                                             \
            peer##_stencil3(c->in, c->out, count);                                                 \
            break;                                                                                 \
        case STENCIL5:                                                                             \
            peer##_stencil5(c->in, c->out, height, width, rate);                                   \
            break;                                                                                 \
        case FIR:                                                                                  \
            peer##_fir(c->in, c->taps, c->out, count, TAPS);                                       \
            break;                                                                                 \
        case BLUR:                                                                                 \
            peer##_blur(c->in, c->out, height, width);                                             \
            break;                                                                                 \
        case UPSAMPLE:                                                                             \
            peer##_upsample(c->in, c->out, height, width);                                         \
            break;                                                                                 \
        case COLUMNS:                                                                              \
            peer##_columns(c->in, c->out, height, width);                                          \
            break;                                                                                 \
        case WEIGHTS:                                                                              \
            peer##_weights(c->in, c->other, c->out, count);                                        \
            break;                                                                                 \
        case SOBEL:                                                                                \
            peer##_sobel(c->in, c->out, height, width);                                            \
            break;                                                                                 \
        case GRAY:                                                                                 \
            peer##_gray(c->in, c->out, count);                                                     \
            break;                                                                                 \
        default:                                                                                   \
            peer##_blend(c->in, c->other, c->out, count);                                          \
        }                                                                                          \
    }

RUN(gcc)
RUN(clang)

static void prepare_ours(struct picture_case *c, tilec_context *context)
{
    const struct picture_kernel *k = &kernels[c->kernel];
    tilec_define block = {"BLOCK", c->kernel == COLUMNS ? "256" : "1024"};
    tilec_source source = {
        .size = sizeof source, .path = k->file, .defines = &block, .define_count = 1};
    tilec_compile_options options = {.size = sizeof options, .kernel = k->name};
    tilec_kernel *compiled;
    int64_t in = (int64_t)(c->bytes_in / c->element), out = (int64_t)(c->bytes_out / c->element);
    int64_t taps = TAPS, count = c->height * c->width;
    bool picture = c->kernel == STENCIL5 || c->kernel == BLUR || c->kernel == SOBEL ||
                   c->kernel == UPSAMPLE || c->kernel == COLUMNS;
    tilec_argument arguments[6];
    size_t n = 0;
    bench_check(context, tilec_compile(context, &source, &options, &compiled));
    arguments[n++] = tilec_buffer(k->type, c->in, 1, &in);
    if (c->kernel == FIR)
        arguments[n++] = tilec_buffer(k->type, c->taps, 1, &taps);
    if (k->other)
        arguments[n++] = tilec_buffer(k->type, c->other, 1, &in);
    arguments[n++] = tilec_buffer(k->type, c->out, 1, &out);
    arguments[n++] = tilec_int(TILEC_I32, picture ? c->height : count);
    if (picture)
        arguments[n++] = tilec_int(TILEC_I32, c->width);
    if (c->kernel == STENCIL5)
        arguments[n++] = tilec_float(TILEC_F32, (double)rate);
    if (c->kernel == FIR)
        arguments[n++] = tilec_int(TILEC_I32, TAPS);
    tilec_launch_options launch = {.size = sizeof launch, .threads = 1};
    bench_check(context, tilec_prepare(compiled, NULL, arguments, n, &launch, &c->ours));
    tilec_kernel_destroy(compiled);
}

/* Bytes must be equal; floats may differ in rounding. */
static void check(const struct picture_case *c, const void *want)
{
    for (size_t i = 0; i < c->bytes_out / c->element; i++) {
        double w = c->element == 1 ? ((const uint8_t *)want)[i] : ((const float *)want)[i];
        double is = c->element == 1 ? ((const uint8_t *)c->out)[i] : ((const float *)c->out)[i];
        if (!(fabs(is - w) <= (c->element == 1 ? 0 : 1e-5 * (1 + fabs(w)))))
            bench_fail("%s: element %zu is %g, not %g", kernels[c->kernel].name, i, is, w);
    }
}

/* ---- one case ------------------------------------------------------------------------------ */

enum { OURS, GCC, CLANG, COPY, ARMS };

static void run_case(struct picture_case c, struct bench *bench)
{
    const struct picture_kernel *k = &kernels[c.kernel];
    char name[64];
    snprintf(name, sizeof name, "%s %lldx%lld", k->name, (long long)c.height, (long long)c.width);
    if (bench->only && !strstr(name, bench->only))
        return;
    case_allocate(&c);
    prepare_ours(&c, bench->context);
    run_gcc(&c);
    void *want = allocate(c.bytes_out);
    memcpy(want, c.out, c.bytes_out);
    memset(c.out, 0xff, c.bytes_out);
    run_ours(&c);
    check(&c, want);
    free(want);
    struct measure_arm arms[ARMS] = {
        [OURS] = {.name = "tilec", .run = run_ours, .user = &c},
        [GCC] = {.name = "gcc", .run = run_gcc, .user = &c},
        [CLANG] = {.name = "clang", .run = run_clang, .user = &c},
        [COPY] = {.name = "copy", .run = run_copy, .user = &c},
    };
    measure_arms(arms, ARMS, bench->budget, 5, 200e-6, 0);
    double ours = arms[OURS].seconds;
    printf("%-10s %6lldx%-6lld  %9.1f  %7.2f %7.2f %7.2f\n", k->name, (long long)c.height,
           (long long)c.width, ours * 1e6, arms[GCC].seconds / ours, arms[CLANG].seconds / ours,
           arms[COPY].seconds / ours);
    fflush(stdout);
    json_t *row = json_pack("{s:s,s:I,s:I}", "kernel", k->name, "height", (json_int_t)c.height,
                            "width", (json_int_t)c.width);
    for (int a = 0; a < ARMS; a++)
        json_object_set_new(row, arms[a].name, json_real(arms[a].seconds));
    bench_add(bench, "pictures", row);
    case_release(&c);
}

void bench_pictures(struct bench *bench)
{
    static const int64_t shapes[][2] = {{60, 1024}, {1080, 1920}}, maps[][2] = {{28, 28}, {56, 56}};
    printf(
        "\nNeighbours and channels, one thread. Ratios are peer's time over ours (above 1: we are "
        "faster);\ncopy is memcpy of as many bytes as come out.\n"
        "kernel             shape         us     /gcc  /clang   /copy\n");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kernel = 0; kernel < PICTURE_KERNELS; kernel++) {
            const int64_t *shape = kernel < UPSAMPLE ? shapes[s] : maps[s];
            run_case((struct picture_case){.kernel = kernel, .height = shape[0], .width = shape[1]},
                     bench);
        }
}
