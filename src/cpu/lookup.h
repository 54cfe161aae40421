#ifndef TILEC_CPU_LOOKUP_H
#define TILEC_CPU_LOOKUP_H
/* Elements of tables of constants; see lookup.c. */
#include "cpu/emit.h"

/* Of an index, a scalar or a vector. */
LLVMValueRef cpu_lookup(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef index);
int cpu_lookup_cost(const struct cpu_emit *e, const struct ir_op *op); /* as cpu_op_cost */

#endif
