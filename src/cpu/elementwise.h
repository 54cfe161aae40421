#ifndef TILEC_CPU_ELEMENTWISE_H
#define TILEC_CPU_ELEMENTWISE_H
/* What element.c asks of elementwise.c beside cpu_elementwise: conversions of floats to integers.
 */
#include "cpu/emit.h"

/* Whether the op is one. */
bool cpu_makes_ints(const struct ir_op *op);
/* The conversion `cast`, of v, which is the float `from`, to the nearest even integer or towards 0.
 * Relaxed math keeps no range. */
LLVMValueRef cpu_convert_from(struct cpu_emit *e, const struct ir_op *cast,
                              const struct ir_value *from, LLVMValueRef v, bool round_even);

#endif
