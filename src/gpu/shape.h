#ifndef TILEC_GPU_SHAPE_H
#define TILEC_GPU_SHAPE_H
/* What of a plan depends on addresses: see shape.c. */
#include "gpu/zeros.h"

/* A plan with the width of accesses, and where it was left open the number of threads, that suit
 * the function's tiles; the same one where nothing changes. func: expanded and simplified.
 * aligned_used: gets parameters of plan->aligned that the choice rests on. */
const struct gpu_plan *gpu_shape(const struct gpu_plan *plan, const struct ir_func *func,
                                 const struct gpu_promises *promises, uint64_t *aligned_used);

/* How many neighbours along an axis (of the last one where there is none), a power of two, an access may
 * take at once: at most the plan's width, and as far as addresses are proved to be aligned where the
 * target needs that. */
int gpu_access_width(const struct gpu_plan *plan, const struct gpu_promises *promises,
                     const struct ir_op *op, int *axis);

#endif
