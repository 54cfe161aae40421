#ifndef TILEC_CPU_SPREAD_H
#define TILEC_CPU_SPREAD_H
/* How far the elements of a tile lie below their maximum; see spread.c. */
#include "cpu/emit.h"

/* attributes.bits of a maximum whose distance to the least element is wanted */
enum { CPU_MAX_SPREAD = 1 };

/* The maximum over all of x, for v = x - max(x), which is never positive; NULL: v is not that. Both
 * may be cast from a narrower float, exactly. */
const struct ir_value *cpu_own_maximum(const struct ir_value *v);

/* Marks, in place, maxima of which an exponential of cpu_own_maximum's kind is made. */
void cpu_mark_spreads(struct ir_func *func);

/* The maximum and the scalar factor, of exp(x - max(x)) times a scalar that is narrowed to a bfloat,
 * where a nest near the maximum, and a factor of common size, make that simple; else NULL. */
const struct ir_value *cpu_narrowed_top(struct cpu_emit *e, const struct ir_op *cast,
                                        const struct ir_value **factor);
/* Whether, at run time, the factor is of such a size. */
LLVMValueRef cpu_is_common(struct cpu_emit *e, LLVMValueRef factor);

/* Whether the lanes of a nest run over v, made at the position, from its first element on. */
bool cpu_is_along_lanes(const struct ir_value *v, const struct cpu_position *position);

/* Whether, at run time, x - top is at least -CPU_EXP_NEAR for all elements from first to end, where
 * the spread of top is known. */
LLVMValueRef cpu_is_near(struct cpu_emit *e, const struct cpu_value *top, LLVMValueRef first,
                         LLVMValueRef end);

#endif
