#ifndef TILEC_RUN_AOT_H
#define TILEC_RUN_AOT_H
/*
 * Ahead-of-time objects: what build.c puts together.
 *
 * The object has the kernel's code once per level (LLVM IR from the CPU backend), a runtime that is
 * the same for all kernels (aot/runtime.ll) and, made for this kernel, tables and the exported
 * functions (aot_wrapper.c). The header (aot_header.c) declares those.
 */
#include "run/run.h"

struct aot_level {
    struct cpu_level cpu;
    const char *prefix; /* of the symbols of its code */
    const char *module; /* LLVM IR */
    int64_t scratch_bytes;
    unsigned variants;
};

struct aot_build {
    struct run_job *job;
    const char *symbol; /* the C function's name */
    int level_count;    /* best first */
    struct aot_level *levels;
};

/* Whether a program in C or C++ cannot use the name for a function. */
bool aot_is_keyword(const char *name);
bool aot_is_identifier(const char *name);

/* How C passes an element by value. */
extern const char *const aot_c_types[IR_ELEM_COUNT];

/* The whole wrapper, as text in the job's arena. */
const char *aot_wrapper(const struct aot_build *build);
struct text aot_header(const struct aot_build *build);

#endif
