/*
 * Cube roots, and the length of (x, y), in float and double.
 *
 * cbrt: a third of the bits of x is near its root's bits, to 3.2 %. A root t of so few digits that
 * t^3 is exact gives d = (x - t^3) / x with a rounding of its own only, and
 *
 *     cbrt x = t (1 - d)^(-1/3) = t + t d P(d)
 *
 * rounds once more. In float t is the guess, cut to 8 digits; in double the guess is improved by
 * the same formula first, and cut to 17. A power of two, which is a cube, keeps t^3 and 1/x from
 * overflow and from subnormals. P is an interpolation at Chebyshev's nodes: 2^-30 and 2^-64 of the
 * result.
 *
 * hypot: sqrt(x^2 + y^2), with a power of two that keeps the greater square from both, where it is
 * not of common size. The lesser square is not rounded, the greater is, the sum and the root.
 */
#include "cpu/math_functions.h"

#include <math.h>

/* ---- cube roots */

/* The root's bits by those of a normal float, cut to 8 digits. */
static mb_value guess_float(struct cpu_math *m, mb_value a)
{
    mb_value bits = mb_as_int(m, a);
    mb_value n = LLVMBuildSIToFP(m->builder, bits, LLVMTypeOf(a), "");
    n = mb_fma(m, n, mb_const_float(a, 0x1.555556p-2), mb_const_float(a, 0x1.52874f9p29));
    mb_value guess = LLVMBuildFPToSI(m->builder, n, LLVMTypeOf(bits), "");
    guess = mb_add(m, guess, mb_const_int(bits, 0x8000));
    return mb_as_float(m, mb_and(m, guess, mb_const_int(bits, (int64_t)0xffff0000)));
}

/* The same of a double, by the upper half of its bits, which becomes a number and bits again under
 * the exponent of 2^52. */
static mb_value guess_double(struct cpu_math *m, mb_value a)
{
    mb_value upper = mb_lshr(m, mb_as_int(m, a), 32);
    mb_value n = mb_as_float(m, mb_or(m, upper, mb_const_int(upper, 0x4330000000000000)));
    n = mb_fsub(m, n, mb_const_float(a, 0x1p52));
    n = mb_fma(m, n, mb_const_float(a, 1.0 / 3), mb_const_float(a, 0x1p52 + 715092628));
    return mb_as_float(m, mb_shl(m, mb_as_int(m, n), 32));
}

/* x - t^3, exact where t has a third of the digits and t^3 is near x. */
static mb_value rest_of_cube(struct cpu_math *m, mb_value x, mb_value t)
{
    return mb_fsub(m, x, mb_fmul(m, mb_fmul(m, t, t), t));
}

/* t (1 - d)^(-1/3) */
static mb_value improve(struct cpu_math *m, mb_value t, mb_value d, const double *c, int n)
{
    return mb_fma(m, t, mb_fmul(m, d, mb_poly(m, d, c, n)), t);
}

static mb_value root_float(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.cc1bb6p-4, 0x1.03045ep-3, 0x1.26f84ap-3,
                               0x1.61f62cp-3, 0x1.c71c72p-3, 0x1.555556p-2};
    mb_value t = guess_float(m, x);
    return improve(m, t, mb_fdiv(m, rest_of_cube(m, x, t), x), c, 6);
}

static mb_value root_double(struct cpu_math *m, mb_value x)
{
    static const double first[] = {0x1.6305b61e2ca96p-3, 0x1.c91ee8840e412p-3,
                                   0x1.555588dc56932p-2};
    static const double second[] = {0x1.61f9add6bfbc9p-3, 0x1.c71c71ca91620p-3,
                                    0x1.5555555555555p-2};
    mb_value t = guess_double(m, x), inverse = mb_fdiv(m, mb_const_float(x, 1.0), x);
    t = improve(m, t, mb_fmul(m, rest_of_cube(m, x, t), inverse), first, 3);
    mb_value bits = mb_add(m, mb_as_int(m, t), mb_const_int(mb_as_int(m, t), INT64_C(1) << 35));
    t = mb_as_float(m, mb_and(m, bits, mb_const_int(bits, -(INT64_C(1) << 36))));
    return improve(m, t, mb_fmul(m, rest_of_cube(m, x, t), inverse), second, 3);
}

mb_value mf_cbrt(struct cpu_math *m, mb_value x)
{
    bool wide = mb_is_double(x);
    double scale = wide ? 0x1p543 : 0x1p48, root = wide ? 0x1p181 : 0x1p16;
    mb_value a = mb_abs(m, x), below = mb_fcmp(m, LLVMRealOLT, a, mb_const_float(x, 1.0));
    mb_value by = mb_select(m, below, mb_const_float(x, scale), mb_const_float(x, 1 / scale));
    mb_value back = mb_select(m, below, mb_const_float(x, 1 / root), mb_const_float(x, root));
    mb_value scaled = mb_fmul(m, a, by);
    mb_value result = wide ? root_double(m, scaled) : root_float(m, scaled);
    result = mb_copysign(m, mb_fmul(m, result, back), x);
    mb_value ordinary = mb_fcmp(m, LLVMRealOLT, a, mb_const_float(x, (double)INFINITY));
    ordinary = mb_and(m, ordinary, mb_fcmp(m, LLVMRealOGT, a, mb_const_float(x, 0.0)));
    return mb_select(m, ordinary, result, mb_fadd(m, x, x));
}

/* ---- lengths */

mb_value mf_hypot(struct cpu_math *m, mb_value x, mb_value y)
{
    bool wide = mb_is_double(x);
    double great = wide ? 0x1p510 : 0x1p62, small = wide ? 0x1p-450 : 0x1p-50;
    double down = wide ? 0x1p-600 : 0x1p-70, up = wide ? 0x1p700 : 0x1p100;
    mb_value a = mb_abs(m, x), b = mb_abs(m, y), one = mb_const_float(x, 1.0);
    mb_value above = mb_fcmp(m, LLVMRealOGT, a, b); /* a NaN stays in one of both */
    mb_value most = mb_select(m, above, a, b), least = mb_select(m, above, b, a);

    mb_value is_great = mb_fcmp(m, LLVMRealOGT, most, mb_const_float(x, great));
    mb_value is_small = mb_fcmp(m, LLVMRealOLT, most, mb_const_float(x, small));
    mb_value by = mb_select(m, is_small, mb_const_float(x, up), one);
    mb_value back = mb_select(m, is_small, mb_const_float(x, 1 / up), one);
    by = mb_select(m, is_great, mb_const_float(x, down), by);
    back = mb_select(m, is_great, mb_const_float(x, 1 / down), back);

    most = mb_fmul(m, most, by);
    least = mb_fmul(m, least, by);
    mb_value square = mb_fma(m, least, least, mb_fmul(m, most, most));
    mb_value result = mb_fmul(m, mb_intrinsic(m, "llvm.sqrt", &square, 1), back);

    mb_value infinity = mb_const_float(x, (double)INFINITY);
    mb_value endless = mb_fcmp(m, LLVMRealOEQ, a, infinity);
    endless = mb_or(m, endless, mb_fcmp(m, LLVMRealOEQ, b, infinity));
    return mb_select(m, endless, infinity, result);
}
