#ifndef TILEC_CPU_CONVERT_H
#define TILEC_CPU_CONVERT_H
/* Conversion between every pair of element types, with the meaning of language.md. */
#include "cpu/math.h"
#include "ir/float_range.h"

/* v, of element type `from`, as `to`. Float to integer truncates, saturates, NaN gives 0; to a
 * float: nearest even in one rounding, overflow to infinity, NaN stays NaN, subnormals kept; to
 * bool: v != 0; integer to integer wraps. Scalars or vectors of any length. */
LLVMValueRef cpu_convert(struct cpu_math *m, LLVMValueRef v, enum ir_elem from, enum ir_elem to);

/* The same from a float to an integer of what lies in a range, or of what is rounded to the nearest
 * even one first: one instruction where there is one for both. */
struct cpu_numbers {
    struct ir_float_range range; /* of v, before it is rounded */
    bool round_even;
};
LLVMValueRef cpu_convert_numbers(struct cpu_math *m, LLVMValueRef v, enum ir_elem from,
                                 enum ir_elem to, const struct cpu_numbers *numbers);

/* The same from float to bfloat where bfloats are made two registers of AVX2 at a time. pairs:
 * those of the even elements come before those of the odd ones (pairs.c); the result is in order.
 * clean: no element is a NaN of which rounding could make something else (nans.c). */
bool cpu_rounds_by_bits(const struct cpu_features *features);
LLVMValueRef cpu_round_to_bf16(struct cpu_math *m, LLVMValueRef v, bool pairs, bool clean);

/* The same of normal floats below 2^111, 16 of them, with fewer operations. */
LLVMValueRef cpu_round_normal_to_bf16(struct cpu_math *m, LLVMValueRef v, bool pairs);

/* The LLVM type of an element: i1, i8..i64, half, i16 (bf16), float, double. */
LLVMTypeRef cpu_elem_type(struct cpu_math *m, enum ir_elem elem);

#endif
