#ifndef TILEC_CPU_CHAINS_H
#define TILEC_CPU_CHAINS_H
#include "ir/ir.h"

/* Cuts chains of dependent ops, so that walks over operands may recurse; see chains.c. Takes numbers
 * out of the values' marks. */
void cpu_cut_chains(struct ir_func *func);

#endif
