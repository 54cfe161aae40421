#ifndef TILEC_CPU_SMALL_H
#define TILEC_CPU_SMALL_H
/* Ints that are cut to 16 or 8 bits, made in 16 bits; see small.c. */
#include "cpu/emit.h"

/* Whether the cast's operand is, and all that it is made of. */
bool cpu_is_small(struct cpu_emit *e, const struct ir_op *cast);
struct cpu_element cpu_small_element(struct cpu_emit *e, const struct ir_op *cast,
                                     const struct cpu_position *position);

/* Whether v's ints are signed numbers of 16 bits, and can be made as such; each as an i16. */
bool cpu_is_of_shorts(struct cpu_emit *e, const struct ir_value *v);
struct cpu_element cpu_short_element(struct cpu_emit *e, const struct ir_value *v,
                                     const struct cpu_position *position);

#endif
