#ifndef TILEC_GPU_SQUARES_H
#define TILEC_GPU_SQUARES_H
/* Sums of squared distances from a mean, for which threads need not meet again; see squares.c. */
#include "gpu/lower.h"
#include "plan/squares.h"

/* Two sums of the function that is lowered: of x, and of squared distances. */
struct gpu_squares {
    const struct ir_op *op; /* the second */
    struct plan_squares of;
    const struct ir_value *bound; /* the mask holds for so many elements; NULL: it holds for all */
    /* What came of the first: the sum of x * x, and an element that both count. NULL: nothing. */
    struct ir_value *squares, *witness;
};

/* Finds them, before layouts are assigned. */
void gpu_find_squares(struct lowering *l, const struct ir_func *func);
/* The pair whose first or second sum this is, or NULL. */
struct gpu_squares *gpu_squares_of_sum(const struct lowering *l, const struct ir_op *op);
struct gpu_squares *gpu_squares_of_distances(const struct lowering *l, const struct ir_op *op);

/* The second sum by the first, where that is good enough; else as made between the two calls, in a
 * branch that all threads take or none. */
struct ir_op *gpu_squares_begin(struct lowering *l, const struct gpu_squares *s,
                                struct ir_builder *outside);
struct ir_value *gpu_squares_end(struct lowering *l, struct ir_op *branch,
                                 struct ir_builder outside, struct ir_value *sum);

#endif
