#ifndef TILEC_GPU_GPU_H
#define TILEC_GPU_GPU_H
/*
 * GPU IR: what one thread of a program does. It uses the containers of Tile IR (ir/ir.h) and
 * further ops (ir/gpu_ops.def). The emitters print it as it stands.
 *
 *   Tile IR --gpu_expand--> Tile IR without views, argmax, ... --gpu_assign--> with layouts
 *           --gpu_lower-->  GPU IR --gpu_run_passes--> GPU IR, verified
 *
 * gpu_lower does all of that.
 *
 * The function's parameters are the kernel's, in order, and behind them the prologue's results. It returns nothing. program_id and
 * num_programs are the threadgroup's position and the grid's size.
 */
#include "layout/layout.h"
#include "opt/opt.h"
#include "plan/gpu.h"

struct gpu_pipeline; /* gpu/pipeline.h */

/* How one conversion between layouts was done, for the report. */
struct gpu_conversion {
    const char *mechanism; /* "none", "registers", "shuffle", "exchange" */
    int elements;
    int scratch_bytes;
};

/* What became of conversions between layouts while they were simplified, for the report. */
struct gpu_layout_counts {
    int before, after; /* conversions: written by the user or asked for by an op; left to do */
    int identities;    /* that went because nothing changes */
    int inverses;      /* because they only undo the one before */
    int compositions;  /* two that became one */
};

/* For the report: the layout of a tile value of the kernel. */
struct gpu_value_layout {
    const char *name; /* the value's hint, or "v" and its number */
    struct ir_type type;
    struct layout layout; /* axes padded to powers of two */
};

/* For the report: the largest product that instructions do. */
struct gpu_product_shape {
    const char *instruction; /* NULL: there is none */
    int rows, columns, inner;
    int fragment_rows, fragment_columns; /* of the result's fragments */
    int group_rows, group_columns;       /* how SIMD groups share the result */
};

struct gpu_kernel {
    struct ir_func *func;  /* GPU IR, verified */
    int threads, groups;   /* of a program; lanes are GPU_LANES */
    int blocks;            /* that share them evenly */
    int programs; /* or that share a block: func's last parameter is how many there are along x */
    bool chunked, widened, guarded, shares_squares; /* passes before lowering changed something */
    int resident; /* programs that registers should allow a multiprocessor at once; 0: any number */
    int shared_bytes;      /* of all `shared` ops together */
    uint64_t aligned_used; /* of plan->aligned: what some decision was made by */
    const struct gpu_plan *plan;
    /* A host function from the kernel's scalars to values that are computed once per launch, or
     * NULL: the last uniform_count parameters of func, behind the kernel's own. */
    const struct ir_func *prologue;
    int uniform_count;
    /* As in the ir_kernel that it was made from. */
    const struct ir_func *grid;
    const struct ir_func *needs;
    int require_count;
    const struct ir_launch_require *launch_requires;
    /* For the report. What can be read off func (loops, accesses, allocations, reductions) is not
     * kept here. */
    int conversion_count;
    const struct gpu_conversion *conversions;
    struct gpu_layout_counts layout_counts;
    int value_layout_count;
    const struct gpu_value_layout *value_layouts;
    int pipeline_count;
    struct gpu_pipeline *const *pipelines; /* gpu/pipeline.h */
    struct gpu_product_shape product;
    int matrix_pass_count;
    const char *matrix_passes[11]; /* passes over the schedule of products that changed something */
    int pass_count;
    const char **passes; /* that changed something, in order */
    int note_count;
    const char **notes;
};

/* What may be switched off or looked at; as in opt/opt.h. May be NULL. Names are those of
 * gpu/passes.def, also of what runs before lowering; that cannot be dumped or be the last. */
struct gpu_options {
    bool verify_each;
    const char *const *off; /* passes left out */
    int off_count;
    const char *const *only; /* if not NULL: exactly these passes, in this order */
    int only_count;
    const char *stop_after; /* or NULL */
    bool limited;           /* only the first `limit` passes that change something do */
    int limit;
    const char *dump; /* NULL, "all", "changed" or a pass name */
    void (*on_dump)(void *user, const struct opt_dump *dump);
    void (*on_time)(void *user, const char *pass, double seconds);
    /* For tests: may change a pipeline before code is made from it; false: it is not verified. */
    bool (*on_pipeline)(void *user, struct gpu_pipeline *pipeline);
    void *user;
};

/* Whether gpu/passes.def has it. */
bool gpu_is_pass(const char *name);
/* ", narrow, gpu:fold, ...": all names; those that Tile IR's passes have too with the prefix. */
void gpu_list_passes(struct text *out);

/* The kernel is not changed. NULL and diagnostics where the target cannot run it. plan NULL: made
 * here by plan_gpu for Metal. */
struct gpu_kernel *gpu_lower(const struct ir_kernel *kernel, const struct gpu_plan *plan,
                             const struct gpu_options *options, struct arena *arena,
                             struct diagnostics *diagnostics);

/* Checks GPU IR; adds an error for each broken rule and returns false. Numbers the values. */
bool gpu_verify(const struct ir_func *func, struct diagnostics *diagnostics);

/* Reads what ir_print prints of GPU IR, and verifies it; NULL and diagnostics on bad text. */
struct ir_func *gpu_read(struct arena *arena, struct diagnostics *diagnostics,
                         const struct source_file *file);

/* Whether what was planned (and required) is what the IR has: threads, threadgroup memory, types,
 * vector widths. Errors name the requirement or the limit. */
bool gpu_validate(const struct gpu_kernel *kernel, struct diagnostics *diagnostics);

/* Runs the pass list on GPU IR in place; the names of those that changed something are put into
 * kernel->passes. promises: of parameters, or NULL. False: broken IR (an internal error), or an unknown pass in the options. */
struct gpu_promises;
bool gpu_run_passes(struct gpu_kernel *kernel, const struct gpu_promises *promises,
                    const struct gpu_options *options, struct diagnostics *diagnostics);

/* Whether a pass that runs before lowering is wanted. */
bool gpu_wants_pass(const struct gpu_options *options, const char *name);

#endif
