#ifndef TILEC_CPU_REDUCE_BITS_H
#define TILEC_CPU_REDUCE_BITS_H
/* max and min of floats, on their bits as integers; see reduce_bits.c. */
#include "cpu/reduce.h"

/* Whether the reduction goes this way: over everything or along the lanes, of a float of 16 bits,
 * or of 32 with AVX2 alone or if the least element is wanted too. */
bool cpu_bits_apply(struct cpu_emit *e, const struct cpu_sink *sink);
/* Whether the least element is wanted, too; a reduction that was planned. */
bool cpu_bits_spread(const struct cpu_sink *sink);
void cpu_bits_plan(struct cpu_emit *e, struct cpu_sink *sink);
/* start: the element that changes nothing, a scalar. */
void cpu_bits_begin(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef start);
/* value: one element per lane, `start` in lanes that do not count. */
void cpu_bits_step(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef value);
LLVMValueRef cpu_bits_end(struct cpu_emit *e, struct cpu_sink *sink);

/* max(cast(x)) becomes cast(max(x)), in place, for x of 16 bits: twice the elements per vector. */
void cpu_bits_before_casts(struct ir_func *func);

#endif
