/*
 * Everyday kernels (everyday.tile.c) against C by gcc and clang (everyday_peers.c): what sorts,
 * searches, counts, converts, or updates in place, in cache and from memory (the largest), on one
 * thread. All arms of a case alternate in one run (measure.h). Results of ours are compared with
 * gcc's first.
 */
#include "bench/everyday.h"
#include "bench/bench.h"
#include "bench/measure.h"

#include "tilec/tilec.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CSR_COLUMNS = 4096, CSR_ELEMENTS = 2048 * 16 };

/* parameters: I the input, Q the same memory as bytes, V another input, W its memory, O the output;
 * C the input behind its first n + 1 elements, X the other one behind its first k; the rest are the
 * scalars of struct everyday. mask: bits that bytes of an input have. */
static const struct everyday_case {
    const char *name, *label, *parameters;
    tilec_type in, other, out;
    int64_t in_count, other_count, out_count;
    long n, m, j, k;
    uint8_t mask;
    const char *block; /* the kernel's constant; NULL: 1024 */
} cases[] = {
    {"bitonic", "j=1", "IOnjk", TILEC_I32, 0, TILEC_I32, 16384, 0, 16384, .n = 16384, .j = 1,
     .k = 64},
    {"bitonic", "j=4", "IOnjk", TILEC_I32, 0, TILEC_I32, 16384, 0, 16384, .n = 16384, .j = 4,
     .k = 64},
    {"bitonic", "j=256", "IOnjk", TILEC_I32, 0, TILEC_I32, 16384, 0, 16384, .n = 16384, .j = 256,
     .k = 1024},
    {"bitonic_place", "j=1", "Onjk", TILEC_I32, 0, TILEC_I32, 16384, 0, 16384, .n = 16384, .j = 1,
     .k = 64},
    {"bitonic_place", "j=4", "Onjk", TILEC_I32, 0, TILEC_I32, 16384, 0, 16384, .n = 16384, .j = 4,
     .k = 64},
    {"bitonic_place", "j=256", "Onjk", TILEC_I32, 0, TILEC_I32, 16384, 0, 16384, .n = 16384,
     .j = 256, .k = 1024},
    {"floyd", "120", "On", TILEC_F32, 0, TILEC_F32, 14400, 0, 14400, .n = 120, .block = "128"},
    {"floyd", "400", "On", TILEC_F32, 0, TILEC_F32, 160000, 0, 160000, .n = 400, .block = "512"},
    {"redblack", "66x514", "Onmj", TILEC_F32, 0, TILEC_F32, 33924, 0, 33924, .n = 66, .m = 514,
     .j = 1, .block = "256"},
    {"redblack", "1026x2050", "Onmj", TILEC_F32, 0, TILEC_F32, 2103300, 0, 2103300, .n = 1026,
     .m = 2050, .j = 1},
    {"furthest", "16x4096", "IOnm", TILEC_F32, 0, TILEC_I32, 65536, 0, 16, .n = 16, .m = 4096,
     .block = "256"},
    {"classes", "65536", "IOn", TILEC_U8, 0, TILEC_I32, 65536, 0, 48, .n = 65536, .mask = 127,
     .block = "4096"},
    {"upper", "65536", "IOn", TILEC_U8, 0, TILEC_U8, 65536, 0, 65536, .n = 65536, .mask = 127,
     .block = "4096"},
    {"hex", "32768", "IOn", TILEC_U8, 0, TILEC_U8, 32768, 0, 65536, .n = 32768, .mask = 255},
    {"q8_floats", "1024", "IQOn", TILEC_F16, 0, TILEC_F32, 17408, 0, 32768, .n = 1024,
     .block = "32"},
    {"q8_product", "64x64", "IQVOnm", TILEC_F16, TILEC_F32, TILEC_F32, 69632, 2048, 64, .n = 64,
     .m = 64, .block = "32"},
    {"q8_dot", "64x64", "IQVWOnm", TILEC_F16, TILEC_F16, TILEC_F32, 69632, 1088, 64, .n = 64,
     .m = 64, .block = "32"},
    {"rescale", "32768", "IOnjkz", TILEC_I32, 0, TILEC_I8, 32768, 0, 32768, .n = 32768,
     .j = 1234567890, .k = 44},
    {"requantise", "32768", "IOnsz", TILEC_I32, 0, TILEC_I8, 32768, 0, 32768, .n = 32768},
    {"complex_product", "8192", "IVOn", TILEC_F32, TILEC_F32, TILEC_F32, 16384, 16384, 16384,
     .n = 8192},
    {"life", "64x1000", "IOnm", TILEC_U8, 0, TILEC_U8, 64000, 0, 64000, .n = 64, .m = 1000,
     .mask = 1},
    {"nearest", "4096x16", "IVOnm", TILEC_F32, TILEC_F32, TILEC_I32, 8192, 32, 4096, .n = 4096,
     .m = 16},
    {"mix", "32768", "IVOn", TILEC_I16, TILEC_I16, TILEC_I16, 32768, 32768, 32768, .n = 32768},
    {"mix", "8388608", "IVOn", TILEC_I16, TILEC_I16, TILEC_I16, 8388608, 8388608, 8388608,
     .n = 8388608},
    {"brighter", "65536", "IOnz", TILEC_U8, 0, TILEC_U8, 65536, 0, 65536, .n = 65536, .mask = 255},
    {"haar", "16384", "Onj", TILEC_F32, 0, TILEC_F32, 16384, 0, 16384, .n = 16384, .j = 8192},
    {"haar", "4194304", "Onj", TILEC_F32, 0, TILEC_F32, 4194304, 0, 4194304, .n = 4194304,
     .j = 2097152},
    {"planes", "16384", "IOn", TILEC_U8, 0, TILEC_U8, 49152, 0, 49152, .n = 16384, .mask = 255},
    {"swap", "16384", "IOn", TILEC_U32, 0, TILEC_U32, 16384, 0, 16384, .n = 16384},
    {"gemv", "64x1000", "IVOnm", TILEC_F32, TILEC_F32, TILEC_F32, 64000, 1000, 64, .n = 64,
     .m = 1000},
    {"conv3", "62x250", "IVOnm", TILEC_F32, TILEC_F32, TILEC_F32, 15500, 9, 15500, .n = 62,
     .m = 250, .block = "256"},
    {"conv3", "1080x1920", "IVOnm", TILEC_F32, TILEC_F32, TILEC_F32, 2073600, 9, 2073600, .n = 1080,
     .m = 1920, .block = "256"},
    {"conv3_edges", "62x250", "IVOnm", TILEC_F32, TILEC_F32, TILEC_F32, 15500, 9, 15500, .n = 62,
     .m = 250, .block = "256"},
    {"conv3_edges", "1080x1920", "IVOnm", TILEC_F32, TILEC_F32, TILEC_F32, 2073600, 9, 2073600,
     .n = 1080, .m = 1920, .block = "256"},
    {"heat", "62x250", "IOnms", TILEC_F32, 0, TILEC_F32, 15500, 0, 15500, .n = 62, .m = 250,
     .block = "256"},
    {"heat", "1080x1920", "IOnms", TILEC_F32, 0, TILEC_F32, 2073600, 0, 2073600, .n = 1080,
     .m = 1920, .block = "256"},
    {"pool", "64x500", "IOnm", TILEC_F32, 0, TILEC_F32, 32000, 0, 8000, .n = 64, .m = 500,
     .block = "256"},
    {"moving", "16384 of 16", "IOnm", TILEC_F32, 0, TILEC_F32, 16384, 0, 16384, .n = 16384,
     .m = 16},
    {"bilinear", "64x100", "IOnmjk", TILEC_F32, 0, TILEC_F32, 6400, 0, 24000, .n = 64, .m = 100,
     .j = 96, .k = 250, .block = "256"},
    {"merge", "16384", "IOn", TILEC_U8, 0, TILEC_U8, 49152, 0, 49152, .n = 16384, .mask = 255},
    {"histogram", "65536", "IOn", TILEC_U8, 0, TILEC_I32, 65536, 0, 256, .n = 65536, .mask = 255,
     .block = "4096"},
    {"csr", "2048 of 16", "ICVXOn", TILEC_I32, TILEC_F32, TILEC_F32, 2049 + CSR_ELEMENTS,
     CSR_ELEMENTS + CSR_COLUMNS, 2048, .n = 2048, .k = CSR_ELEMENTS, .block = "32"},
    {"compact", "16384", "IOn", TILEC_I32, 0, TILEC_I32, 16384, 0, 16385, .n = 16384},
    {"prefix", "16384", "IOn", TILEC_I32, 0, TILEC_I32, 16384, 0, 16384, .n = 16384},
    {"prefix_floats", "16384", "IOn", TILEC_F32, 0, TILEC_F32, 16384, 0, 16384, .n = 16384},
    {"row_suffix", "64x1000", "IOnm", TILEC_F32, 0, TILEC_F32, 64000, 0, 64000, .n = 64, .m = 1000},
    {"centre", "64x1000", "IOnm", TILEC_F32, 0, TILEC_F32, 64000, 0, 64000, .n = 64, .m = 1000},
};

struct arms_data {
    struct everyday c;
    tilec_prepared *ours;
    void (*gcc)(const struct everyday *), (*clang)(const struct everyday *);
};

/* ---- data ---------------------------------------------------------------------------------- */

static void *allocate(int64_t count, tilec_type type)
{
    size_t bytes = (size_t)count * tilec_type_size(type) / 64 * 64 + 64;
    void *memory = aligned_alloc(64, bytes);
    if (!memory)
        bench_fail("out of memory");
    return memset(memory, 0, bytes);
}

/* Halves are the scales of q8 blocks, of bytes anyhow. */
static void fill(const struct everyday_case *s, void *data, int64_t count, tilec_type type)
{
    uint32_t seed = (uint32_t)count;
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (type == TILEC_U8)
            ((uint8_t *)data)[i] = (uint8_t)(seed >> 24 & s->mask);
        else if (type == TILEC_F16)
            ((uint16_t *)data)[i] = i % 17 ? (uint16_t)(seed >> 16) : 0x2c00 | seed >> 24;
        else if (type == TILEC_I16)
            ((uint16_t *)data)[i] = (uint16_t)(seed >> 16);
        else if (type == TILEC_F32)
            ((float *)data)[i] = (float)(seed >> 8) / (float)(1 << 21);
        else
            ((int32_t *)data)[i] = (int32_t)seed >> 10;
    }
}

/* The ints of a sparse matrix: where rows of up to 32 elements begin, and columns that grow. */
static void make_sparse(int32_t *in, int rows)
{
    enum { MOST = 32, APART = CSR_COLUMNS / MOST };
    int32_t *column = in + rows + 1;
    for (int r = 0, at = 0; r <= rows; r++) {
        int count = (int)((uint32_t)in[r] % (MOST + 1)), left = CSR_ELEMENTS - at;
        in[r] = at;
        for (int i = 0; i < count && i < left && r < rows; i++, at++)
            column[at] = (int)((uint32_t)column[at] % APART) + i * APART;
    }
}

/* ---- arms ---------------------------------------------------------------------------------- */

static void run_ours(void *user)
{
    const struct arms_data *a = user;
    if (tilec_prepared_run(a->ours) != TILEC_OK)
        bench_fail("a launch failed");
}

static void run_gcc(void *user)
{
    const struct arms_data *a = user;
    a->gcc(&a->c);
}

static void run_clang(void *user)
{
    const struct arms_data *a = user;
    a->clang(&a->c);
}

static void find_peers(const struct everyday_case *s, struct arms_data *a)
{
#define PEERS(id)                                                                                  \
    if (!strcmp(s->name, #id)) {                                                                   \
        a->gcc = gcc_##id;                                                                         \
        a->clang = clang_##id;                                                                     \
    }
    EVERYDAY_KERNELS(PEERS)
#undef PEERS
}

static tilec_argument argument(const struct everyday_case *s, struct everyday *c, char which)
{
    switch (which) {
    case 'I':
        return tilec_buffer(s->in, (void *)(uintptr_t)c->in, 1, &s->in_count);
    case 'Q':
        return tilec_array(TILEC_I8, (void *)(uintptr_t)c->in,
                           s->in_count * (int64_t)tilec_type_size(s->in));
    case 'W':
        return tilec_array(TILEC_I8, (void *)(uintptr_t)c->other,
                           s->other_count * (int64_t)tilec_type_size(s->other));
    case 'V':
        return tilec_buffer(s->other, (void *)(uintptr_t)c->other, 1, &s->other_count);
    case 'C':
        return tilec_array(s->in, (int32_t *)(uintptr_t)c->in + s->n + 1, s->in_count - s->n - 1);
    case 'X':
        return tilec_array(s->other, (float *)(uintptr_t)c->other + s->k, s->other_count - s->k);
    case 'O':
        return tilec_buffer(s->out, c->out, 1, &s->out_count);
    case 's':
        return tilec_float(TILEC_F32, (double)c->scale);
    case 'z':
        return tilec_int(TILEC_I32, c->zero);
    default:
        return tilec_int(TILEC_I32, which == 'n'   ? c->n
                                    : which == 'm' ? c->m
                                    : which == 'k' ? c->k
                                                   : c->j);
    }
}

static void prepare_ours(const struct everyday_case *s, struct arms_data *a, tilec_context *context)
{
    tilec_define define = {"BLOCK", s->block ? s->block : "1024"};
    tilec_source source = {.size = sizeof source,
                           .path = "bench/everyday.tile.c",
                           .defines = &define,
                           .define_count = 1};
    tilec_compile_options options = {.size = sizeof options, .kernel = s->name};
    tilec_launch_options launch = {.size = sizeof launch, .threads = 1};
    tilec_kernel *compiled;
    tilec_argument arguments[8];
    size_t count = strlen(s->parameters);
    bench_check(context, tilec_compile(context, &source, &options, &compiled));
    for (size_t i = 0; i < count; i++)
        arguments[i] = argument(s, &a->c, s->parameters[i]);
    bench_check(context, tilec_prepare(compiled, NULL, arguments, count, &launch, &a->ours));
    tilec_kernel_destroy(compiled);
}

/* Floats may differ in rounding, to the measure of the greatest; everything else not. */
static void check(const struct everyday_case *s, const void *is, const void *want)
{
    size_t bytes = tilec_type_size(s->out);
    float most = 0;
    for (int64_t i = 0; i < s->out_count && s->out == TILEC_F32; i++)
        most = fmaxf(most, fabsf(((const float *)want)[i]));
    for (int64_t i = 0; i < s->out_count; i++) {
        size_t at = (size_t)i * bytes;
        bool same = !memcmp((const char *)is + at, (const char *)want + at, bytes);
        if (!same && s->out == TILEC_F32) {
            float x = ((const float *)is)[i], w = ((const float *)want)[i];
            same = fabsf(x - w) <= 1e-5f * most;
        }
        if (!same)
            bench_fail("%s: element %lld is not that of C", s->name, (long long)i);
    }
}

/* ---- one case ------------------------------------------------------------------------------ */

enum { OURS, GCC, CLANG, ARMS };

static void run_case(const struct everyday_case *s, struct bench *bench)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", s->name, s->label);
    if (bench->only && !strstr(name, bench->only))
        return;
    bool place = !strchr(s->parameters, 'I');
    size_t bytes = (size_t)s->out_count * tilec_type_size(s->out);
    void *in = allocate(s->in_count, s->in), *other = allocate(s->other_count, s->other);
    void *out = allocate(s->out_count, s->out), *want = allocate(s->out_count, s->out);
    fill(s, in, s->in_count, s->in);
    if (!strcmp(s->name, "csr"))
        make_sparse(in, (int)s->n);
    fill(s, other, s->other_count, s->other);
    struct arms_data a = {.c = {in, other, out, s->n, s->m, s->j, s->k, 1.0f / 8192, -7}};
    find_peers(s, &a);
    prepare_ours(s, &a, bench->context);
    void (*runs[ARMS])(void *) = {[OURS] = run_ours, [GCC] = run_gcc, [CLANG] = run_clang};
    for (int arm = ARMS - 1; arm >= 0; arm--) {
        memset(out, 0xff, bytes);
        if (place)
            memcpy(out, in, bytes);
        runs[arm](&a);
        if (arm == ARMS - 1)
            memcpy(want, out, bytes);
        check(s, out, want);
    }
    struct measure_arm arms[ARMS] = {
        [OURS] = {.name = "tilec", .run = run_ours, .user = &a},
        [GCC] = {.name = "gcc", .run = run_gcc, .user = &a},
        [CLANG] = {.name = "clang", .run = run_clang, .user = &a},
    };
    measure_arms(arms, ARMS, bench->budget, 5, 200e-6, 0);
    double ours = arms[OURS].seconds;
    printf("%-15s %-11s %7.1f  %7.2f %7.2f\n", s->name, s->label, ours * 1e6,
           arms[GCC].seconds / ours, arms[CLANG].seconds / ours);
    fflush(stdout);
    json_t *row = json_pack("{s:s,s:s}", "kernel", s->name, "case", s->label);
    for (int arm = 0; arm < ARMS; arm++)
        json_object_set_new(row, arms[arm].name, json_real(arms[arm].seconds));
    bench_add(bench, "everyday", row);
    tilec_prepared_destroy(a.ours);
    free(in);
    free(other);
    free(out);
    free(want);
}

void bench_everyday(struct bench *bench)
{
    printf("\nEveryday kernels, one thread. Ratios are C's time over ours (above 1: we are "
           "faster).\n"
           "kernel          case             us     /gcc  /clang\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], bench);
}
