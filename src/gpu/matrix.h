#ifndef TILEC_GPU_MATRIX_H
#define TILEC_GPU_MATRIX_H
/*
 * Products of matrices: what is decided about them before anything is lowered.
 *
 * A schedule says how the loops of products are made; the passes of the matrix form change it, one
 * decision each (gpu/passes.def). Then each dot that an instruction can do gets its layouts, each
 * loop that can be pipelined is marked, and loads whose values meet a product in an epilogue are
 * made in the product's layout, so that nothing is exchanged.
 */
#include "gpu/fragment.h"
#include "gpu/pipeline.h"
#include "plan/fed_loop.h"

struct gpu_schedule {
    int stages;      /* of pipelines */
    bool padded;     /* rows of staged tiles are, see gpu_instruction */
    bool swizzled;   /* rows of staged tiles are instead, where copies are asynchronous */
    bool async;      /* copies go on during products, where they can */
    bool teams;      /* of SIMD groups do what they have an instruction for, see gpu_instruction */
    bool turns;      /* operands may land in the order that they have in device memory */
    int split;       /* sets of SIMD groups that share the inner axis */
    bool vectors;    /* copies access several elements at once */
    bool serpentine; /* every other row of fragments is multiplied from its end */
    bool preload;    /* fragments of a step are all loaded before its first product */
    enum gpu_swizzle swizzle;
};

/* Runs the passes of the matrix form that are not switched off. Names of those that changed
 * something are put into names (room for GPU_MATRIX_PASSES); returns how many. */
enum { GPU_MATRIX_PASSES = 11 };
int gpu_matrix_schedule(struct gpu_schedule *schedule, const struct gpu_plan *plan,
                        const struct gpu_options *options, const char **names);

/* What op->data of a dot points to from then on, if an instruction does it. */
struct gpu_dot {
    const struct gpu_instruction *instruction;
    struct layout a, b, c;
    bool staged; /* in a pipelined loop: operands may have any layout */
    int split;   /* sets of SIMD groups that share its inner axis, then */
    bool fed[2]; /* by side: read from a slot, in a loop that is fed: the operand may have any
                    layout */
    bool kept;   /* the left one is, too, which is written in front of such a loop */
    const struct gpu_buffer *buffers[2]; /* while such a loop is lowered: where those are read, */
    struct ir_value *slots[2];           /* and which slot; else NULL */
};

/* What op->data of a loop points to, if it is pipelined; else NULL. */
struct gpu_dot_loop {
    struct plan_dot_loop form; /* carried: -1 where it is fed */
    bool fed; /* trips do all else in their place, see plan/fed_loop.h; loads: of operands that are
                 copied ahead */
    struct ir_op *loads[PLAN_DOT_LOOP_DOTS][2];
    struct layout sums[PLAN_DOT_LOOP_DOTS]; /* by dot: what the loop leaves of what it adds to */
};

/* The layout of the sum number k that a pipelined loop leaves: that of the products, or where sets of
 * SIMD groups have added it up (split.c) that which suits a store. NULL: result k is no such sum. */
const struct layout *gpu_sum_layout(const struct ir_op *loop, int k);

/* Marks dots, loops and loads of Tile IR as gpu_expand made it, and nothing else. */
struct gpu_promises;
void gpu_matrix_mark(struct ir_func *func, const struct gpu_plan *plan,
                     const struct gpu_schedule *schedule, const struct gpu_promises *promises,
                     struct arena *arena);

/* The load that an operand of a loop's dots is, perhaps behind a transposition, if only products use it. */
const struct ir_op *gpu_operand_load(const struct ir_op *loop, const struct plan_dot_loop *form,
                                     const struct ir_value *value);
/* The buffer for an operand of a dot in its instruction's order, or, where that has none, in the
 * order of its copies; for a team of SIMD groups in swizzled panels. Then one for the other order.
 */
struct gpu_buffer gpu_operand_buffer(const struct gpu_dot *dot, int side, struct ir_type type,
                                     bool padded, bool copied_by_columns);
struct gpu_buffer gpu_landing_buffer(const struct gpu_buffer *to);

/* sum + dot(a, b, 0) becomes dot(a, b, sum); Tile IR. */
void gpu_fuse_sums(struct ir_func *func);

/* Block swizzle: other program numbers for the same grid; Tile IR. Whether it changed something. */
bool gpu_swizzle_programs(struct ir_func *func, enum gpu_swizzle swizzle);

#endif
