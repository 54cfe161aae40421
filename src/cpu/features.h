#ifndef TILEC_CPU_FEATURES_H
#define TILEC_CPU_FEATURES_H
/*
 * What the code may use of a processor, and the levels that code is generated for. Nothing here
 * needs LLVM, so that a cache key can be computed without loading it.
 */
#include <stdbool.h>
#include <stddef.h>

struct cpu_features {
    bool avx2;
    bool fma;    /* a fused multiply-add instruction (always true with neon) */
    bool f16c;   /* hardware conversion between half and float (always true with neon) */
    bool avx512; /* F, BW, DQ and VL together */
    bool avx512_bf16;
    bool avx512_vnni;
    bool avx512_vbmi; /* permutations of bytes, of one register or two */
    bool neon;
    bool split_avx2; /* no feature: registers of 256 bits are computed in two halves, as on Zen 1 */
};

/* How a processor likes lines to be fetched that a launch beyond the caches reads, and the
 * translations of pages that it writes (stream.c has the figures). */
enum cpu_fetching {
    CPU_FETCH_PLAIN, /* nothing known: into the second-level cache */
    CPU_FETCH_NEAR,  /* AMD with 48 KB in the first level, Zen 5 first: into that; translations */
    CPU_FETCH_EARLY, /* Zen 3: into the second level, from two nests; translations */
    CPU_FETCH_DENSE, /* Zen 4: the same, unspaced in the first; programs may run side by side */
    CPU_FETCH_APART, /* Zen 1: the same, and stores past the caches never between other stores */
    CPU_FETCH_COUNT
};

/* A level that code is generated for: its name, and LLVM's words for it. The pointers are to
 * constants, so that the struct may be copied. */
struct cpu_level {
    const char *name;        /* "x86-64-v3" */
    const char *triple;      /* of another architecture, whose code can be looked at; NULL: this one */
    const char *llvm_cpu;    /* for the target machine and the attribute "target-cpu" */
    char llvm_features[128]; /* "+avx512bf16,+avx512vbmi"; "" when the cpu says it all */
    int vector_bits;         /* native vector width: 512, 256 or 128 */
    enum cpu_fetching fetching;
    bool halves; /* vectors are computed in two halves, one after the other: Zen 4, and Zen 1 with AVX2 */
    bool bf16_dots; /* vdpbf16ps multiplies faster than widening and FMAs do: AMD's processors */
    struct cpu_features features;
};

/* What the machine that runs this has (operating system's support included). */
void cpu_features_detect(struct cpu_features *features);

/* True if a processor with `host` runs code for `needed`. */
bool cpu_features_cover(const struct cpu_features *host, const struct cpu_features *needed);

/* Fills the level called x86-64-v3, x86-64-v4, generic (the architecture's baseline), native (the
 * best level for this machine, plus its extras) or aarch64 (the baseline of that architecture, also
 * where this is another); false when there is no level of that name here. */
bool cpu_level_find(const char *name, struct cpu_level *level);

/* Another way of fetching, and with CPU_FETCH_APART all else that is known of Zen 1. */
void cpu_level_set_fetching(struct cpu_level *level, enum cpu_fetching fetching);

/* The levels of this architecture, NULL-terminated. */
const char *const *cpu_level_names(void);

#endif
