#ifndef TILEC_CPU_PARTNERS_H
#define TILEC_CPU_PARTNERS_H
/* Pairs of elements of which one does the work of both; see partners.c. */
#include "cpu/emit.h"

struct cpu_partners {
    const struct ir_value *base;   /* one address */
    const struct ir_value *i, *of; /* the tile of places, and their partners */
    bool above;                    /* masks want partners that lie no lower, or no higher */
};

/* Whether both accesses are at i or at its partner i ^ j, and their masks let in one of two
 * partners at most. */
bool cpu_are_partners(struct cpu_emit *e, const struct ir_op *a, const struct ir_op *b,
                      struct cpu_partners *partners);
/* Whether all of i fits into the type in which it is xored: then an element of one access is none
 * of the other but the same one. */
LLVMValueRef cpu_partners_fit(struct cpu_emit *e, const struct cpu_partners *partners);

#endif
