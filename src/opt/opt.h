#ifndef TILEC_OPT_OPT_H
#define TILEC_OPT_OPT_H
/*
 * Passes over Tile IR and their manager. passes.def lists every pass with what it needs and keeps;
 * only the manager verifies, dumps, times and counts.
 */
#include "ir/ir.h"

#include <stdbool.h>

struct gpu_promises;
struct ir_assumption;

struct pass_context {
    struct arena *arena;             /* the function's */
    struct diagnostics *diagnostics; /* perf notes and internal errors */
    bool assume_no_alias;            /* pointers of different parameters do not overlap */
    bool bounds_in_nests;            /* the backend finds by itself where a row's masks hold */
    bool short_arrays;               /* buffers have at most 2^31 elements */
    bool hoists;                     /* the launch evaluates a prologue */
    bool hoists_floats;              /* floats in it, too */
    bool predicates;                 /* accesses may have masks without a branch */
    bool roomy;                      /* a thread may have as many registers as there are */
    bool unrolls;                    /* short loops, for a target */
    bool carries_in_memory;          /* tiles that a loop carries cost memory (CPUs) */
    int threads;                     /* of a program of GPU IR */
    int fetch_ahead, fetch_bytes;    /* see gpu_plan (gpu/fetch_ahead.c) */
    struct ir_func *prologue;        /* made by a pass; see gpu/gpu.h */
    /* GPU IR: what is known of parameters (gpu/zeros.h), or NULL; and what a change rested on. */
    const struct gpu_promises *promises;
    uint64_t aligned_used;
    const struct ir_assumption *assumption; /* about a parameter's value (ir/affine.h), or NULL */
};

/* True when it changed something. */
typedef bool pass_function(struct pass_context *context, struct ir_func *func);

struct opt_dump { /* one dump, text in IR form that ir_read accepts */
    const char *pass;
    int number; /* place in the pipeline, from 0 */
    bool changed;
    const char *text; /* "(unchanged)" is up to the printer: text is NULL when unchanged */
};

/* Names of passes that changed something, each once, in order. */
struct opt_log {
    int changes; /* how often a pass changed something */
    int count;
    const char *names[64];
};

struct opt_options {
    bool verify_each;        /* verify after every pass (always on in tests) */
    const char *const *off;  /* passes switched off */
    int off_count;
    const char *const *only; /* if any: exactly these passes, in this order (for pass tests) */
    int only_count;
    const char *stop_after;  /* or NULL */
    int pass_limit;          /* passes that may change something; negative: no limit */
    const char *dump;        /* NULL, "all", "changed" or a pass name */
    void (*on_dump)(void *user, const struct opt_dump *dump);
    void (*on_time)(void *user, const char *pass, double seconds);
    void *user;
    bool assume_no_alias;
    const char *further; /* ", name...": of later passes, for an unknown one's hint; or NULL */
    bool unrolls, carries_in_memory, bounds_in_nests; /* as in pass_context */
    struct opt_log *log; /* added to; NULL: not wanted */
};

/* Whether opt/passes.def has it. */
bool opt_is_pass(const char *name);

/* Runs the pipeline on func in place. False with an error in diagnostics when the options name an
 * unknown pass, or when IR is broken after a pass (an internal fault: names pass, function, op). */
bool opt_run(struct ir_func *func, const struct opt_options *options,
             struct diagnostics *diagnostics);

#endif
