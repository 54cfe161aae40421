#ifndef TILEC_CPU_MATH_H
#define TILEC_CPU_MATH_H
/*
 * Elementwise arithmetic that LLVM has no good instruction sequence for, emitted through the
 * builder. Every function takes scalars or vectors of up to 1024 elements and works where the
 * builder stands. Some add basic blocks (a rare slow path): afterwards the builder stands at the
 * end of the last of them, so callers that need "the current block" for a phi ask
 * LLVMGetInsertBlock after the call, never before.
 *
 * Values in LLVM: bool is i1, f16 is half, bf16 is i16 holding the bits (never LLVM's bfloat),
 * integers have no sign, so their functions take the element type.
 *
 * External symbols: sin, cos, tan, erf and pow of double call libm. Nothing else does, except on
 * targets without the instruction (fma on a baseline x86-64).
 */
#include "cpu/features.h"
#include "ir/type.h"

#include <llvm-c/Core.h>

struct cpu_math {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    const struct cpu_features *features; /* of the level that the code is for */
    bool relaxed;                        /* --relaxed; nothing here makes use of it yet */
};

enum cpu_math_function {
#define CPU_MATH(op, ...) CPU_MATH_##op,
#include "cpu/math.def"
#undef CPU_MATH
    CPU_MATH_COUNT
};

struct cpu_math_info {
    const char *name;
    int operands; /* 1 or 2 */
};

extern const struct cpu_math_info cpu_math_infos[CPU_MATH_COUNT];

/* f(x) or f(x, y); a bfloat is its bits (i16). Types of 16 bits compute in float and round once. */
LLVMValueRef cpu_math_call_elem(struct cpu_math *m, enum cpu_math_function function,
                                enum ir_elem elem, LLVMValueRef x, LLVMValueRef y_or_null);

/* exp of what is known to be at most 0, or NaN. near_if: a bool at run time or NULL; where it is
 * true elements from -CPU_EXP_NEAR on get the bits of cpu_math_exp_near. */
LLVMValueRef cpu_math_exp_not_positive(struct cpu_math *m, enum ir_elem elem, LLVMValueRef x,
                                       LLVMValueRef near_if);

/* exp of what is known to be from -CPU_EXP_NEAR to 0. */
enum { CPU_EXP_NEAR = 20 };
LLVMValueRef cpu_math_exp_near(struct cpu_math *m, enum ir_elem elem, LLVMValueRef x);

/* maximum, minimum: for floats NaN propagates and -0.0 < +0.0. fmax, fmin: as these, but a NaN is
 * ignored unless both are. Integers and bool: the plain order of the type, either name. */
enum cpu_minmax_op { CPU_MAXIMUM, CPU_MINIMUM, CPU_FMAX, CPU_FMIN };

LLVMValueRef cpu_minmax(struct cpu_math *m, enum cpu_minmax_op op, enum ir_elem elem,
                        LLVMValueRef a, LLVMValueRef b);

/* The same, where a or b is known to be no signalling NaN. */
enum { CPU_QUIET_A = 1, CPU_QUIET_B = 2 };
LLVMValueRef cpu_minmax_of(struct cpu_math *m, enum cpu_minmax_op op, enum ir_elem elem,
                           LLVMValueRef a, LLVMValueRef b, unsigned quiet);

/* Integer division: never traps. x / 0 is 0, x % 0 is x, INT_MIN / -1 is INT_MIN with remainder 0;
 * cdiv rounds toward plus infinity, cdiv(x, 0) is 0. May add blocks (64-bit vectors). */
LLVMValueRef cpu_int_div(struct cpu_math *m, enum ir_elem elem, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef cpu_int_rem(struct cpu_math *m, enum ir_elem elem, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef cpu_int_cdiv(struct cpu_math *m, enum ir_elem elem, LLVMValueRef a, LLVMValueRef b);

/* a & b of integers or bools, kept from what LLVM gets wrong. */
LLVMValueRef cpu_int_and(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b);
/* Shifts with the count taken modulo the width; right is arithmetic for signed elements. */
LLVMValueRef cpu_int_shl(struct cpu_math *m, enum ir_elem elem, LLVMValueRef a, LLVMValueRef count);
LLVMValueRef cpu_int_shr(struct cpu_math *m, enum ir_elem elem, LLVMValueRef a, LLVMValueRef count);

/* Combines the elements of one vector in a fixed order, by halves (element i with i + n/2; an odd
 * element out is combined last), to a scalar. Element types: integers, f32, f64; MAX and MIN also
 * f16 and bf16; AND and OR integers; bool with MAX and OR (any), MIN and AND (all). MAX and MIN of
 * floats are maximum and minimum, which may be combined in any order: the result is the same. */
enum cpu_reduction {
    CPU_REDUCE_SUM,
    CPU_REDUCE_PROD,
    CPU_REDUCE_MAX,
    CPU_REDUCE_MIN,
    CPU_REDUCE_AND,
    CPU_REDUCE_OR
};

LLVMValueRef cpu_reduce(struct cpu_math *m, enum cpu_reduction op, enum ir_elem elem,
                        LLVMValueRef v);

#endif
