#ifndef TILEC_CPU_EXCHANGE_H
#define TILEC_CPU_EXCHANGE_H
/* Loads and stores at i ^ j, for all lanes of a vector together; see exchange.c. */
#include "cpu/emit.h"

struct cpu_exchange {
    LLVMValueRef aligned;  /* whether the rest holds: the lanes are those of another vector */
    LLVMValueRef first;    /* where that begins */
    LLVMValueRef order;    /* lane i is its element i ^ order: an int */
    LLVMValueRef pointers; /* of the lanes, if not */
};

/* Whether the addresses of a load or store differ so; false: nothing was emitted. */
bool cpu_exchange_of(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                     struct cpu_exchange *x);
/* A vector's lanes in the other vector's order, or back. */
LLVMValueRef cpu_exchange_lanes(struct cpu_emit *e, const struct cpu_exchange *x, LLVMValueRef v);

#endif
