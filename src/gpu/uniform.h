#ifndef TILEC_GPU_UNIFORM_H
#define TILEC_GPU_UNIFORM_H
#include "gpu/gpu.h"

/* See uniform.c. Sets mark of every value: 1 where threads may have different values. */
void gpu_mark_divergent(const struct ir_func *func);

/* Whether threads must run the op together. */
bool gpu_is_collective(const struct ir_op *op);
/* Likewise one within its regions. */
bool gpu_holds_collective(const struct ir_op *op);

/* Makes conditions and bounds around collective ops the same in all lanes, where the analysis does
 * not see that they are: lane 0's counts. True when it changed something. */
bool gpu_make_uniform(struct ir_func *func);

#endif
