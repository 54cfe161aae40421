#ifndef TILEC_CPU_DIVIDE_H
#define TILEC_CPU_DIVIDE_H
#include "cpu/emit.h"

/* The quotient or remainder of indices, from one division of a scalar or by a multiplication, where
 * its operands allow that; see divide.c. */
bool cpu_divide_indices(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                        struct cpu_element *element);

/* v / d and v % d of integers that are not negative, by a power of two. */
LLVMValueRef cpu_quotient_by_power(struct cpu_emit *e, LLVMValueRef v, int64_t d);
LLVMValueRef cpu_rest_by_power(struct cpu_emit *e, LLVMValueRef v, int64_t d);

/* v / d of integers of so many bits, none negative, where products have room: 2 bits + 1. */
LLVMValueRef cpu_quotient_of_bits(struct cpu_emit *e, LLVMValueRef v, int bits, int64_t d);

#endif
