#ifndef TILEC_CPU_WIDEN_H
#define TILEC_CPU_WIDEN_H
#include "cpu/features.h"
#include "ir/ir.h"

/* Rewrites, in place, products of narrow tiles in a kernel that is not one product; see widen.c.
 * The function must have been numbered and its uses counted, and must be again behind this. */
void cpu_widen_dots(struct ir_func *func, const struct cpu_level *level);

#endif
