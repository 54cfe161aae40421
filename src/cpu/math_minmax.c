/*
 * The greater and the lesser of two values, and reductions of one vector in a fixed order.
 *
 * For floats three orders meet: IEEE's maximum (NaN wins, -0.0 < +0.0), maximumNumber (a NaN is
 * ignored), and what x86's maxps does (the second operand on NaN and on equals). AVX-512 has an
 * instruction for maximumNumber of quiet NaNs, vrange; elsewhere on x86 the operands are put in the
 * order in which maxps does right. llvm.maximum would do as well for float, but LLVM 19 may narrow
 * it to half, where its expansion loses NaNs.
 */
#include "cpu/convert.h"
#include "cpu/math_build.h"

#include <math.h>

static bool is_greater(enum cpu_minmax_op op)
{
    return op == CPU_MAXIMUM || op == CPU_FMAX;
}

/* ---- f32 and f64 */

static mb_value all_bits(struct cpu_math *m, mb_value condition, mb_value like)
{
    return LLVMBuildSExt(m->builder, condition, LLVMTypeOf(like), "");
}

/* Both orders of "a > b ? a : b" (one instruction) give the same number, but of zeros, and of a
 * number and a NaN, they give one each. So the lesser has all bits of both: the negative zero, and
 * a NaN. The greater has the bits that both share, and all where one is a NaN. */
static mb_value by_bits(struct cpu_math *m, bool greater, mb_value a, mb_value b)
{
    LLVMRealPredicate wins = greater ? LLVMRealOGT : LLVMRealOLT;
    mb_value first = mb_as_int(m, mb_select(m, mb_fcmp(m, wins, a, b), a, b));
    mb_value second = mb_as_int(m, mb_select(m, mb_fcmp(m, wins, b, a), b, a));
    mb_value bits = greater ? mb_and(m, first, second) : mb_or(m, first, second);
    if (greater)
        bits = mb_or(m, bits, all_bits(m, mb_fcmp(m, LLVMRealUNO, a, b), bits));
    return LLVMBuildBitCast(m->builder, bits, LLVMTypeOf(a), "");
}

/* maximumNumber and minimumNumber: "a > b ? a : b" is b where one is a NaN, so that a NaN in b has
 * to go first. Of equals it is b too, which only matters for zeros: the greater loses the bits that
 * a does not have, the lesser gets those of a. */
static mb_value by_equals(struct cpu_math *m, bool greater, mb_value a, mb_value b)
{
    b = mb_select(m, mb_isnan(m, b), a, b);
    mb_value wins = mb_fcmp(m, greater ? LLVMRealOGT : LLVMRealOLT, a, b);
    mb_value best = mb_as_int(m, mb_select(m, wins, a, b)), bits = mb_as_int(m, a);
    mb_value equal = all_bits(m, mb_fcmp(m, LLVMRealOEQ, a, b), bits);
    if (greater)
        best = mb_and(m, best, mb_not(m, mb_and(m, equal, mb_not(m, bits))));
    else
        best = mb_or(m, best, mb_and(m, equal, bits));
    return LLVMBuildBitCast(m->builder, best, LLVMTypeOf(a), "");
}

/* AVX-512: the greater or lesser, -0.0 below +0.0; a quiet NaN is ignored, a signalling one is not:
 * it becomes a quiet one. */
static bool by_range(struct cpu_math *m, bool greater, mb_value a, mb_value b, mb_value *chosen)
{
    enum { LESSER = 4, GREATER = 5 }; /* vrange: sign of the chosen operand */
    return mb_avx512(m, "range", a, b, greater ? GREATER : LESSER, chosen);
}

/* maximum or minimum, where NaN propagates. */
static mb_value propagating(struct cpu_math *m, bool greater, mb_value a, mb_value b)
{
    mb_value chosen;
    if (m->features->neon)
        return mb_intrinsic(m, greater ? "llvm.maximum" : "llvm.minimum", (mb_value[]){a, b}, 2);
    if (!by_range(m, greater, a, b, &chosen))
        return by_bits(m, greater, a, b);
    mb_value nan = mb_fadd(m, a, b);
    return mb_select(m, mb_fcmp(m, LLVMRealUNO, a, b), nan, chosen);
}

/* A NaN operand is replaced by the other first, so that signalling NaNs are ignored too; or made
 * quiet by what ignores quiet ones, if it is not known to be. */
static mb_value ignoring(struct cpu_math *m, bool greater, mb_value a, mb_value b, unsigned quiet)
{
    mb_value chosen;
    if (!m->features->neon && by_range(m, greater, a, b, &chosen)) {
        if (!(quiet & CPU_QUIET_A))
            by_range(m, greater, a, a, &a);
        if (!(quiet & CPU_QUIET_B))
            by_range(m, greater, b, b, &b);
        by_range(m, greater, a, b, &chosen);
        return chosen;
    }
    if (!m->features->neon)
        return by_equals(m, greater, a, b);
    mb_value x = mb_select(m, mb_isnan(m, a), b, a);
    mb_value y = mb_select(m, mb_isnan(m, b), a, b);
    return propagating(m, greater, x, y);
}

/* Whether all lanes are the same number. */
static bool one_number(mb_value v, double *number)
{
    LLVMBool loses;
    if (!LLVMIsConstant(v) || LLVMIsUndef(v) || LLVMIsPoison(v))
        return false;
    mb_value first = mb_lanes(v) ? LLVMGetAggregateElement(v, 0) : v;
    if (!first || !LLVMIsAConstantFP(first) || (mb_lanes(v) && mb_splat(LLVMTypeOf(v), first) != v))
        return false;
    *number = LLVMConstRealGetDouble(first, &loses);
    return *number == *number;
}

/* x and a constant c: one "q > p ? q : p", as it is known what it has to give for a NaN in x (x, or
 * c where NaNs are ignored) and for equals, which only matters for zeros: two instructions where
 * these are not the same, as in maximum(x, 0.0). */
static mb_value with_number(struct cpu_math *m, enum cpu_minmax_op op, mb_value x, mb_value c,
                            double number)
{
    bool greater = is_greater(op), ignores = op == CPU_FMAX || op == CPU_FMIN;
    bool c_of_equals = number == 0 && (signbit(number) != 0) != greater;
    mb_value q = ignores ? x : c, p = ignores ? c : x;
    bool q_of_equals = number == 0 && c_of_equals != ignores;
    LLVMRealPredicate wins = greater ? (q_of_equals ? LLVMRealOGE : LLVMRealOGT)
                                     : (q_of_equals ? LLVMRealOLE : LLVMRealOLT);
    return mb_select(m, mb_fcmp(m, wins, q, p), q, p);
}

/* ---- all types */

/* Back from float to the short type that the chosen value came from: for bf16 its upper half. */
static mb_value narrow(struct cpu_math *m, enum ir_elem elem, mb_value v)
{
    if (elem == IR_F16)
        return cpu_convert(m, v, IR_F32, IR_F16);
    mb_value high = mb_lshr(m, mb_as_int(m, v), 16);
    return LLVMBuildTrunc(m->builder, high, mb_int_type(m, v, 16), "");
}

static mb_value integer_minmax(struct cpu_math *m, bool greater, enum ir_elem elem, mb_value a,
                               mb_value b)
{
    if (elem == IR_BOOL)
        return greater ? mb_or(m, a, b) : mb_and(m, a, b);
    const char *name = ir_is_signed(elem) ? (greater ? "llvm.smax" : "llvm.smin")
                                          : (greater ? "llvm.umax" : "llvm.umin");
    return mb_intrinsic(m, name, (mb_value[]){a, b}, 2);
}

LLVMValueRef cpu_minmax(struct cpu_math *m, enum cpu_minmax_op op, enum ir_elem elem,
                        LLVMValueRef a, LLVMValueRef b)
{
    return cpu_minmax_of(m, op, elem, a, b, 0);
}

LLVMValueRef cpu_minmax_of(struct cpu_math *m, enum cpu_minmax_op op, enum ir_elem elem,
                           LLVMValueRef a, LLVMValueRef b, unsigned quiet)
{
    bool greater = is_greater(op);
    if (!ir_is_float(elem))
        return integer_minmax(m, greater, elem, a, b);
    if (elem == IR_F16 || elem == IR_BF16) { /* exact both ways */
        a = cpu_convert(m, a, elem, IR_F32);
        b = cpu_convert(m, b, elem, IR_F32);
        quiet = elem == IR_F16 ? CPU_QUIET_A | CPU_QUIET_B : quiet; /* vcvtph2ps makes them quiet */
        return narrow(m, elem, cpu_minmax_of(m, op, IR_F32, a, b, quiet));
    }
    double number;
    if (!m->features->neon && one_number(b, &number))
        return with_number(m, op, a, b, number);
    if (!m->features->neon && one_number(a, &number))
        return with_number(m, op, b, a, number);
    return op == CPU_MAXIMUM || op == CPU_MINIMUM ? propagating(m, greater, a, b)
                                                  : ignoring(m, greater, a, b, quiet);
}

/* ---- reductions */

static mb_value combine(struct cpu_math *m, enum cpu_reduction op, enum ir_elem elem, mb_value a,
                        mb_value b)
{
    switch (op) {
    case CPU_REDUCE_SUM:
        return ir_is_float(elem) ? mb_fadd(m, a, b) : mb_add(m, a, b);
    case CPU_REDUCE_PROD:
        return ir_is_float(elem) ? mb_fmul(m, a, b) : mb_mul(m, a, b);
    case CPU_REDUCE_MAX:
        return cpu_minmax(m, CPU_MAXIMUM, elem, a, b);
    case CPU_REDUCE_MIN:
        return cpu_minmax(m, CPU_MINIMUM, elem, a, b);
    case CPU_REDUCE_AND:
        return mb_and(m, a, b);
    case CPU_REDUCE_OR:
        return mb_or(m, a, b);
    }
    return a;
}

/* The reduction of one or two lanes. The last sum of integers is one of scalars: LLVM 19 counts the
 * bits of a sum of widened bools, and does not end where one of two is known to be false, given
 * masks in registers of their own (AVX-512). */
static mb_value last_pair(struct cpu_math *m, enum cpu_reduction op, enum ir_elem elem, mb_value v)
{
    bool two = mb_lanes(v) == 2;
    if (two && op == CPU_REDUCE_SUM && ir_is_integer(elem)) {
        mb_value first = mb_lane(m, v, 0);
        return combine(m, op, elem, first, mb_lane(m, v, 1));
    }
    if (two) {
        mb_value first = mb_slice(m, v, 0, 1);
        v = combine(m, op, elem, first, mb_slice(m, v, 1, 1));
    }
    return mb_lane(m, v, 0);
}

/* Upper half onto lower half until one element is left; when the count is odd the last element
 * waits and is combined at the end, the latest first. */
static mb_value tree(struct cpu_math *m, enum cpu_reduction op, enum ir_elem elem, mb_value v)
{
    mb_value waiting[16];
    unsigned waits = 0;
    for (unsigned n = mb_lanes(v); n > 2; n /= 2) {
        if (n % 2)
            waiting[waits++] = mb_lane(m, v, n - 1);
        mb_value low = mb_slice(m, v, 0, n / 2);
        v = combine(m, op, elem, low, mb_slice(m, v, n / 2, n / 2));
    }
    v = last_pair(m, op, elem, v);
    while (waits > 0)
        v = combine(m, op, elem, v, waiting[--waits]);
    return v;
}

/* All or any of a mask, by looking at it as one integer. */
static mb_value reduce_bool(struct cpu_math *m, enum cpu_reduction op, mb_value v)
{
    if (op == CPU_REDUCE_AND || op == CPU_REDUCE_MIN)
        return mb_not(m, mb_any(m, mb_not(m, v)));
    return mb_any(m, v);
}

LLVMValueRef cpu_reduce(struct cpu_math *m, enum cpu_reduction op, enum ir_elem elem,
                        LLVMValueRef v)
{
    if (elem == IR_BOOL)
        return reduce_bool(m, op, v);
    if (elem == IR_F16 || elem == IR_BF16) {
        v = cpu_convert(m, v, elem, IR_F32);
        return narrow(m, elem, tree(m, op, IR_F32, v));
    }
    /* LLVM finds products of pairs (vpmaddwd) in front of a sum that it knows as one. */
    if (op == CPU_REDUCE_SUM && (elem == IR_I32 || elem == IR_U32) && mb_lanes(v) > 2)
        return mb_intrinsic(m, "llvm.vector.reduce.add", &v, 1);
    return tree(m, op, elem, v);
}
