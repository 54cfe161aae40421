#ifndef TILEC_REPORT_REPORT_H
#define TILEC_REPORT_REPORT_H
/*
 * The execution report: what was really generated for a kernel, as JSON. docs/report.schema.json
 * says what each field is, docs/report.md why.
 *
 * Every figure is read off the final IR (GPU IR, or LLVM IR and assembly for the CPU), not off what
 * a stage meant to do. Only the plan, the names of passes, and the layouts of values, which GPU IR
 * no longer has, are reported as the stages noted them.
 *
 * A report always has all of the common fields; a target adds what its toolchain said under
 * "toolchain" (report_toolchain). Objects of jansson are the caller's, who gives them back with
 * json_decref; NULL: no memory.
 */
#include "base/text.h"
#include "gpu/gpu.h"

#include <jansson.h>

#define REPORT_SCHEMA "tilec-report-1"

struct report_constant {
    const char *name, *value;
};

struct report_head {
    const char *target, *kernel;
    const struct report_constant *constants; /* constexpr parameters */
    size_t constant_count;
    const struct report_constant *fixed; /* scalars that are the same at every launch */
    size_t fixed_count;
    const char *const *passes; /* of Tile IR, that changed something, in order */
    int pass_count;
};

/* gpu.c: of a kernel for any GPU target. arena: for names. Uses the marks of values. */
json_t *report_gpu(const struct report_head *head, const struct gpu_kernel *kernel,
                   struct arena *arena);

/* What the CPU backend made: texts as tilec_emit gives them, not NULL. */
struct report_cpu {
    const char *level; /* "x86-64-v4" */
    int vector_bits;   /* of the level */
    int64_t scratch_bytes, apart_bytes; /* apart: if no tiles shared them */
    const char *backend; /* "vector", or "matrix": a product (docs/matrix.md) */
    const char *reasons[4];
    int reason_count;
    const char *llvm, *assembly;
};
json_t *report_cpu(const struct report_head *head, const struct report_cpu *made);

/* interp.c: nothing is generated; func is what is interpreted. */
json_t *report_interp(const struct report_head *head, const struct ir_func *func);

/* Adds a field to "toolchain", which is null before. Takes value, which may be NULL (no memory). */
bool report_toolchain(json_t *report, const char *field, json_t *value);

/* text.c: the same for people, appended to out. */
void report_text(const json_t *report, struct text *out);

#endif
