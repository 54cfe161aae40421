#ifndef TILEC_CPU_EXCHANGE_H
#define TILEC_CPU_EXCHANGE_H
/* Loads at i ^ j, for all lanes of a vector together; see exchange.c. */
#include "cpu/emit.h"

/* The elements of the load op, none of which is masked, if that is how its addresses differ; false:
 * they do not, and nothing was emitted. */
bool cpu_load_exchanged(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                        struct cpu_element *loaded);

#endif
