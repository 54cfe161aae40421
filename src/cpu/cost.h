#ifndef TILEC_CPU_COST_H
#define TILEC_CPU_COST_H
/* What it costs to make a value inside a nest, in rough units of one vector instruction. */
#include "cpu/emit.h"

enum {
    CPU_COST_AGAIN = 4, /* dearer values are kept in scratch memory rather than made twice */
    CPU_COST_MOVED = 2, /* the same for values read at another position (broadcast, transpose) */
};

/* The cost of making one vector of v, from scratch buffers, scalars and user memory; counting stops
 * once it is above the limit. */
int cpu_cost(struct cpu_emit *e, const struct ir_value *v, int limit);

/* Whether a mask is one that bounds a nest, as most do. */
bool cpu_is_bound(struct cpu_emit *e, const struct ir_value *mask);

/* The cost of one op on one vector, without its operands. */
int cpu_op_cost(struct cpu_emit *e, const struct ir_op *op);

#endif
