#ifndef TILEC_CPU_COLLECT_H
#define TILEC_CPU_COLLECT_H
/* Atomic additions collected in memory of the thread's own; see collect.c. */
#include "cpu/emit.h"

/* Before the loop over programs: chooses, and makes room. */
void cpu_collect_begin(struct cpu_emit *e);
/* Adds to one element where the condition (NULL: always) holds, if the op collects; false: nothing is
 * written. */
bool cpu_collect_add(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef condition,
                     LLVMValueRef pointer, LLVMValueRef value);
/* All lanes of a position: goes to the block that it gives where each is in the table or masked off
 * (mask: NULL, or a vector); what is built next is for the other case. NULL: nothing is written. */
LLVMBasicBlockRef cpu_collect_lanes(struct cpu_emit *e, const struct ir_op *op,
                                    struct cpu_element pointers, struct cpu_element value,
                                    LLVMValueRef mask);
/* Behind the loop over programs: adds what was collected. */
void cpu_collect_end(struct cpu_emit *e);

/* An atomic of floats on one element that is not collected; atomic.c. */
void cpu_float_atomic(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef pointer,
                      LLVMValueRef v);

#endif
