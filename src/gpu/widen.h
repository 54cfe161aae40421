#ifndef TILEC_GPU_WIDEN_H
#define TILEC_GPU_WIDEN_H
#include "plan/gpu.h"

/* See widen.c. The number of loops that were widened. */
int gpu_widen(struct ir_func *func, const struct gpu_plan *plan);

/* Whether the loop's end is lo + q * step for a q >= 0, as splitting makes it: its last trip ends
 * there and not behind it. */
bool gpu_ends_at_a_trip(const struct ir_op *loop, int64_t step);

#endif
