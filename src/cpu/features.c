/*
 * Processor levels by name. The names are those of the x86-64 psABI (x86-64-v3 has AVX2 and FMA,
 * x86-64-v4 the AVX-512 subsets F, BW, CD, DQ, VL); `native` is the best of them that this machine
 * has, plus the extras that we use and how it likes to be fetched ahead, rather than LLVM's name of
 * the processor: so code for it is the same on all machines that are alike in these, and finding it
 * needs no LLVM.
 */
#include "cpu/features.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct level_row {
    const char *name;
    const char *llvm_cpu;
    int vector_bits;
    struct cpu_features features;
    const char *triple;
};

#if defined(__x86_64__)

static const struct level_row rows[] = {
    {"aarch64", "generic", 128, {.fma = true, .f16c = true, .neon = true}, "aarch64-linux-gnu"},
    {"generic", "x86-64", 128, {0}, NULL},
    {"x86-64-v3", "x86-64-v3", 256, {.avx2 = true, .fma = true, .f16c = true}, NULL},
    {"x86-64-v4",
     "x86-64-v4",
     512,
     {.avx2 = true, .fma = true, .f16c = true, .avx512 = true},
     NULL},
};
static const char *const names[] = {"generic", "x86-64-v3", "x86-64-v4", "native", NULL};

/* The compiler's checks include that the operating system saves the registers. */
void cpu_features_detect(struct cpu_features *features)
{
    __builtin_cpu_init();
    *features = (struct cpu_features){
        .avx2 = __builtin_cpu_supports("avx2"),
        .fma = __builtin_cpu_supports("fma"),
        .f16c = __builtin_cpu_supports("f16c"),
        .avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),
        .avx512_bf16 = __builtin_cpu_supports("avx512bf16"),
        .avx512_vnni = __builtin_cpu_supports("avx512vnni"),
        .avx512_vbmi = __builtin_cpu_supports("avx512vbmi"),
    };
}

/* Whether the whole psABI level is there, beyond the features that we name. */
static bool has_level(const struct level_row *row)
{
    if (row->triple)
        return false;
    if (row->features.avx512)
        return __builtin_cpu_supports("x86-64-v4");
    return !row->features.avx2 || __builtin_cpu_supports("x86-64-v3");
}

/* Of the family that it shares with Zen 3, it alone has AVX-512. */
static bool is_zen_4(const struct cpu_level *level)
{
    return __builtin_cpu_is("amdfam19h") && level->features.avx512;
}

/* Its units have 128 bits (from Zen 2 on, which is of the same family, 256). */
static bool is_zen_1(void)
{
    return __builtin_cpu_is("znver1");
}

/* AMD's processors whose first-level data cache holds 48 KB, Zen 5 first, fetch a line into it and
 * nowhere else when told so. Intel's of that size lose by it (stream.c has the figures); with 32
 * KB, as on Zen 3 and 4, which are one family, a row and what is made of it leave no room for the
 * next one. */
static enum cpu_fetching find_fetching(const struct cpu_level *level)
{
#ifdef _SC_LEVEL1_DCACHE_SIZE
    if (__builtin_cpu_is("amd") && sysconf(_SC_LEVEL1_DCACHE_SIZE) >= 48 << 10)
        return CPU_FETCH_NEAR;
#endif
    if (is_zen_4(level))
        return CPU_FETCH_DENSE;
    if (is_zen_1())
        return CPU_FETCH_APART;
    return __builtin_cpu_is("amdfam19h") ? CPU_FETCH_EARLY : CPU_FETCH_PLAIN;
}

static void add_extra(struct cpu_level *level, bool there, bool *feature, const char *name)
{
    size_t length = strlen(level->llvm_features);
    *feature = there && level->features.avx512;
    if (*feature)
        snprintf(level->llvm_features + length, sizeof level->llvm_features - length, "%s%s",
                 length ? "," : "", name);
}

static void add_extras(struct cpu_level *level)
{
    struct cpu_features host;
    cpu_features_detect(&host);
    add_extra(level, host.avx512_bf16, &level->features.avx512_bf16, "+avx512bf16");
    add_extra(level, host.avx512_vnni, &level->features.avx512_vnni, "+avx512vnni");
    add_extra(level, host.avx512_vbmi, &level->features.avx512_vbmi, "+avx512vbmi");
    cpu_level_set_fetching(level, find_fetching(level));
    level->halves = is_zen_4(level) || is_zen_1();
    /* Emerald Rapids takes as long for its two products as for four FMAs: 1024^3 of bfloat 29.9 ms
     * with it and 13.5 without. */
    level->bf16_dots = level->features.avx512_bf16 && __builtin_cpu_is("amd");
}

#else

/* AArch64, where the baseline has fused multiply-add and half conversion; elsewhere plain C. */
static const struct level_row rows[] = {
#if defined(__aarch64__)
    {"aarch64", "generic", 128, {.fma = true, .f16c = true, .neon = true}, NULL},
    {"generic", "generic", 128, {.fma = true, .f16c = true, .neon = true}, NULL},
#else
    {"generic", "generic", 128, {0}, NULL},
#endif
};
static const char *const names[] = {"generic", "native", NULL};

void cpu_features_detect(struct cpu_features *features)
{
    *features = rows[0].features;
}

static bool has_level(const struct level_row *row)
{
    (void)row;
    return true;
}

static void add_extras(struct cpu_level *level)
{
    (void)level;
}

#endif

bool cpu_features_cover(const struct cpu_features *host, const struct cpu_features *needed)
{
    return (host->avx2 || !needed->avx2) && (host->fma || !needed->fma) &&
           (host->f16c || !needed->f16c) && (host->avx512 || !needed->avx512) &&
           (host->avx512_bf16 || !needed->avx512_bf16) &&
           (host->avx512_vnni || !needed->avx512_vnni) &&
           (host->avx512_vbmi || !needed->avx512_vbmi) && (host->neon || !needed->neon);
}

static void take_row(struct cpu_level *level, const struct level_row *row)
{
    *level = (struct cpu_level){.name = row->name,
                                .triple = row->triple,
                                .llvm_cpu = row->llvm_cpu,
                                .vector_bits = row->vector_bits,
                                .features = row->features};
}

bool cpu_level_find(const char *name, struct cpu_level *level)
{
    bool native = strcmp(name, "native") == 0;
    for (size_t i = sizeof rows / sizeof *rows; i-- > 0;) {
        if (native ? !has_level(&rows[i]) : strcmp(name, rows[i].name) != 0)
            continue;
        take_row(level, &rows[i]);
        if (native) {
            level->name = "native";
            add_extras(level);
        }
        return true;
    }
    return false;
}

void cpu_level_set_fetching(struct cpu_level *level, enum cpu_fetching fetching)
{
    level->fetching = fetching;
    level->features.split_avx2 =
        fetching == CPU_FETCH_APART && level->features.avx2 && !level->features.avx512;
}

const char *const *cpu_level_names(void)
{
    return names;
}
