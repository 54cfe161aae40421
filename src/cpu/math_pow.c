/*
 * x to the power y, in float: 2^(y log2 |x|) in double, where every float is a normal number and
 * errors of 2^-31 in the exponent do not show after rounding to float; then C Annex F's cases.
 *
 *     log2 |x| = e + log2 k,  k in [0.707, 1.414),  log2 k = odd polynomial of (k - 1) / (k + 1)
 */
#include "cpu/math_functions.h"

#include <math.h>

/* log2 of a double made from a positive finite float; garbage for others, never poison. */
static mb_value log2_positive(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.5ce98af243fc7p-2, 0x1.a58d78ccb363dp-2, 0x1.27778008c1bb2p-1,
                               0x1.ec709d12a711ap-1, 0x1.71547652bee11p1};
    const int64_t root_half = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000;
    mb_value bits = mb_as_int(m, x);
    mb_value offset = mb_sub(m, bits, mb_const_int(bits, root_half));
    mb_value fraction = mb_and(m, offset, mb_const_int(bits, 0xfffffffffffff));
    mb_value k = mb_as_float(m, mb_add(m, fraction, mb_const_int(bits, root_half)));

    /* e + 1023, a small positive integer, becomes a double under the exponent of 2^52. */
    mb_value biased = mb_lshr(m, mb_add(m, offset, mb_const_int(bits, one)), 52);
    mb_value e = mb_as_float(m, mb_or(m, biased, mb_const_int(bits, 0x4330000000000000)));
    e = mb_fsub(m, e, mb_const_float(x, 0x1p52 + 1023));

    mb_value unit = mb_const_float(x, 1.0);
    mb_value above = mb_fadd(m, k, unit);
    mb_value s = mb_fdiv(m, mb_fsub(m, k, unit), above);
    mb_value p = mb_poly(m, mb_fmul(m, s, s), c, 5);
    return mb_fma(m, s, p, e);
}

/* 2^t as a double, t limited to where floats are 0 or infinite. NaN stays. */
static mb_value exp2_double(struct cpu_math *m, mb_value t)
{
    static const double c[] = {
        0x1.fde5fe517c13p-17, 0x1.445c840617dp-13,  0x1.5d8a85fe91d63p-10, 0x1.3b29f39d4a1d3p-7,
        0x1.c6b08ac06bc42p-5, 0x1.ebfbe077872abp-3, 0x1.62e42ff0e1924p-1,  1.0};
    t = mb_at_most(m, mb_at_least(m, t, -200.0), 200.0);
    mb_value shift = mb_const_float(t, 0x1.8p52);
    mb_value shifted = mb_fadd(m, t, shift);
    mb_value p = mb_poly(m, mb_fsub(m, t, mb_fsub(m, shifted, shift)), c, 8);
    mb_value scale = mb_shl(m, mb_as_int(m, shifted), 52);
    scale = mb_add(m, scale, mb_const_int(scale, 0x3ff0000000000000));
    return mb_fmul(m, p, mb_as_float(m, scale));
}

static mb_value is_integer(struct cpu_math *m, mb_value v)
{
    return mb_fcmp(m, LLVMRealOEQ, mb_intrinsic(m, "llvm.trunc", &v, 1), v);
}

/* |x|^y for |x| given as a; 0, infinity and NaN by what log2 of them is. */
static mb_value magnitude(struct cpu_math *m, mb_value a, mb_value y)
{
    LLVMTypeRef wide = mb_double_type(m, a);
    mb_value zero = mb_const_float(a, 0.0), infinity = mb_const_float(a, (double)INFINITY);
    mb_value is_zero = mb_fcmp(m, LLVMRealOEQ, a, zero);
    mb_value finite = mb_fcmp(m, LLVMRealOLT, a, infinity);
    mb_value ordinary = mb_and(m, mb_fcmp(m, LLVMRealONE, a, zero), finite);
    mb_value special = mb_select(m, is_zero, mb_fneg(m, infinity), a);
    special = LLVMBuildFPExt(m->builder, special, wide, "");
    mb_value log2_a = log2_positive(m, LLVMBuildFPExt(m->builder, a, wide, ""));
    log2_a = mb_select(m, ordinary, log2_a, special);
    mb_value t = mb_fmul(m, LLVMBuildFPExt(m->builder, y, wide, ""), log2_a);
    return LLVMBuildFPTrunc(m->builder, exp2_double(m, t), LLVMTypeOf(a), "");
}

mb_value mf_pow(struct cpu_math *m, mb_value x, mb_value y)
{
    mb_value a = mb_abs(m, x), zero = mb_const_float(x, 0.0), one = mb_const_float(x, 1.0);
    mb_value infinity = mb_const_float(x, (double)INFINITY);
    mb_value result = magnitude(m, a, y);

    /* A negative base: the sign follows an odd y, and a fraction has no real power. */
    mb_value whole = is_integer(m, y);
    mb_value half_whole = is_integer(m, mb_fmul(m, y, mb_const_float(y, 0.5)));
    mb_value odd = mb_and(m, whole, mb_not(m, half_whole));
    result = mb_copysign(m, result, mb_select(m, odd, x, zero));
    mb_value finite = mb_fcmp(m, LLVMRealOLT, a, infinity);
    mb_value negative = mb_and(m, mb_fcmp(m, LLVMRealOLT, x, zero), finite);
    mb_value undefined = mb_and(m, negative, mb_not(m, whole));
    result = mb_select(m, undefined, mb_const_float(x, (double)NAN), result);

    /* 1 whatever else: 1^y, x^0, (-1)^infinity. */
    mb_value endless = mb_fcmp(m, LLVMRealOEQ, mb_abs(m, y), infinity);
    mb_value to_the_zero = mb_fcmp(m, LLVMRealOEQ, y, zero);
    mb_value is_one = mb_or(m, mb_fcmp(m, LLVMRealOEQ, x, one), to_the_zero);
    is_one = mb_or(m, is_one, mb_and(m, endless, mb_fcmp(m, LLVMRealOEQ, a, one)));
    return mb_select(m, is_one, one, result);
}
