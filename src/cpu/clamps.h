#ifndef TILEC_CPU_CLAMPS_H
#define TILEC_CPU_CLAMPS_H
#include "ir/ir.h"

/* Makes ints, in place, of clamped sums of an int tile and a 64-bit scalar; see clamps.c. */
void cpu_cut_clamps(struct ir_func *func);

#endif
