#ifndef TILEC_CPU_SATURATE_H
#define TILEC_CPU_SATURATE_H
/* Sums that end at the ends of bytes or shorts, as one instruction; see saturate.c. */
#include "cpu/emit.h"

enum { CPU_MOST_SATURATED = 8 };

/* What the cast's operand adds up and subtracts, if no more is asked of that than sums of the
 * cast's type that end at its ends: what is extended, or the same for all elements. Gives how many;
 * 0: it is something else. */
int cpu_saturated(struct cpu_emit *e, const struct ir_op *cast,
                  const struct ir_value *parts[CPU_MOST_SATURATED]);
/* What such a cast gives. */
struct cpu_element cpu_saturated_element(struct cpu_emit *e, const struct ir_op *cast,
                                         const struct cpu_position *position);

#endif
