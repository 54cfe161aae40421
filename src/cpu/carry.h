#ifndef TILEC_CPU_CARRY_H
#define TILEC_CPU_CARRY_H
#include "ir/ir.h"

/* Rewrites, in place, tiles that a loop carries only to reduce them in the end; see carry.c. */
void cpu_carry_scalars(struct ir_func *func);

/* A sum whose products are fused into it: fma(x, y, partial). */
enum { CPU_SUM_FUSED = 1 }; /* attributes.bits of a sum over a mul */

#endif
