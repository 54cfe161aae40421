#ifndef TILEC_GPU_EXPAND_H
#define TILEC_GPU_EXPAND_H
#include "ir/ir.h"

/* See expand.c. NULL and an error where pointers of several buffers meet in one tile. */
struct ir_func *gpu_expand(const struct ir_func *func, struct arena *arena,
                           struct diagnostics *diagnostics);

#endif
