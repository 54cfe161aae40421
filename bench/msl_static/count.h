#ifndef TILEC_BENCH_MSL_STATIC_COUNT_H
#define TILEC_BENCH_MSL_STATIC_COUNT_H
/*
 * Counts what a Metal kernel executes, as LLVM IR of this machine after clang's -O2. The text is
 * compiled against msl-host's metal_stdlib with vectors that are LLVM's (vectors.h); barriers and
 * collectives are calls, which count as one instruction each, and what stands inside of them does
 * not. A counter is then put into each basic block of the kernel, and msl-host runs it.
 */
#include "run/msl_host_parts.h"

struct count {
    uint64_t instructions;                  /* all but those that only inform the optimiser */
    uint64_t loads, stores;                 /* instructions that access buffers; a vector is one */
    uint64_t loaded_bytes, stored_bytes;    /* by those */
    uint64_t barriers;                      /* of threadgroups */
};

struct counted;

/* The first kernel of the text. headers: the folder of metal_stdlib; vectors: of vectors.h. NULL
 * with errors in diagnostics. Freed with count_free. */
struct counted *count_compile(const char *text, const char *headers, const char *vectors,
                              struct diagnostics *diagnostics);
void count_free(struct counted *counted);

/* Runs the launch, as msl_host_run does without its checks; counts are sums over all threads. */
bool count_run(struct counted *counted, const struct msl_host_launch *launch, struct count *count,
               struct diagnostics *diagnostics);

#endif
