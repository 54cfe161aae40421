#ifndef TILEC_GPU_MARKER_H
#define TILEC_GPU_MARKER_H
/*
 * What the files that mark products share: matrix.c (which layouts are wished), matrix_suits.c (who
 * does a product, and how its operands come), matrix_copies.c (copies of operands, and where they
 * land).
 */
#include "gpu/matrix.h"

#include "gpu/assign.h"
#include "gpu/shape.h"

struct marker {
    const struct gpu_plan *plan;
    const struct gpu_schedule *schedule;
    const struct gpu_promises *promises;
    struct arena *arena;
};

/* A layout that lives as long as the function. */
static inline struct layout *marker_copy(struct marker *m, struct layout layout)
{
    struct layout *copy = ARENA_NEW(m->arena, struct layout);
    *copy = layout;
    return copy;
}

/* ---- who does a product (matrix_suits.c) ----------------------------------------------------- */

/* The instruction for a dot, or NULL. */
const struct gpu_instruction *marker_instruction(const struct marker *m, const struct ir_op *dot);
/* Whether a loop will be a pipeline. */
bool marker_is_staged(const struct marker *m, struct ir_op *loop, struct plan_dot_loop *form);
/* Whether teams of SIMD groups do all products of such a loop. */
bool marker_suits_teams(struct marker *m, struct ir_op *loop, const struct plan_dot_loop *form);
/* Whether a loop will be fed (plan/fed_loop.h); only loads that copies can do are left in the form.
 */
bool marker_is_fed(struct marker *m, struct ir_op *loop, struct plan_fed_loop *form);
/* Whether teams do a product of such a loop, and whether its left operand is made in front of it.
 */
bool marker_is_fed_to_team(struct marker *m, const struct plan_fed_loop *form,
                           const struct ir_op *op);
bool marker_is_kept(const struct ir_op *loop, const struct plan_fed_dot *dot);

/* ---- copies (matrix_copies.c) ---------------------------------------------------------------- */

/* Loads of a pipelined loop get the layouts of copies. */
void marker_wish_copies(struct marker *m, struct ir_op *loop, const struct plan_dot_loop *form);

#endif
