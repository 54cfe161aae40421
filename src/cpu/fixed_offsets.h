#ifndef TILEC_CPU_FIXED_OFFSETS_H
#define TILEC_CPU_FIXED_OFFSETS_H
#include "cpu/emit.h"

/* Parts, in place, indices of loads into a tile that is the same for every program and a scalar;
 * see fixed_offsets.c. */
void cpu_part_indices(struct ir_func *func);

/* The tile by which the addresses of a gather differ from one address, if it is worth keeping in
 * memory in 64 bits; else NULL. */
const struct ir_value *cpu_fixed_offset(struct cpu_emit *e, const struct ir_value *pointer);
/* The same where it lies there. */
const struct ir_value *cpu_kept_offset(struct cpu_emit *e, const struct ir_value *pointer);

#endif
