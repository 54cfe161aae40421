/*
 * Hyperbolic sine and cosine, in float and double. With e^|x| = 2^n (1 + q), q = r + tail as expm1
 * has it, and T = 2^(n-2),
 *
 *     cosh x / 2 = T + (T q + 1 / (16 T (1 + q)))
 *     sinh x / 2 = T + (T q - 1 / (16 T (1 + q)))    with the sign of x; from 1 on
 *     sinh x = x + x^3 P(x^2)                        below
 *
 * where T is exact, so that what stands in parentheses, less than T, is all that rounds before the
 * last addition. Halves, because e^|x| overflows before they do. P is minimax of the relative error
 * for |x| up to 1, by Remez's exchange: 2^-31.6 in float, 2^-61.8 in double.
 */
#include "cpu/math_functions.h"

static mb_value from_power(struct cpu_math *m, struct mf_power p, bool sine)
{
    bool wide = mb_is_double(p.r);
    int width = wide ? 52 : 23;
    int64_t bias = wide ? 1023 : 127;
    mb_value bits = mb_as_int(m, p.n.shifted);
    mb_value quarter = mb_add(m, mb_shl(m, bits, width), mb_const_int(bits, (bias - 2) << width));
    mb_value t = mb_as_float(m, quarter);
    mb_value whole = mb_fma(m, t, p.tail, mb_fma(m, t, p.r, t));
    mb_value back = mb_fdiv(m, mb_const_float(t, 0.0625), whole);
    back = sine ? mb_fneg(m, back) : back;
    mb_value rest = mb_fma(m, t, p.tail, mb_fma(m, t, p.r, back));
    mb_value half = mb_fadd(m, t, rest);
    return mb_fadd(m, half, half);
}

/* |x|, limited to where the results are infinite but n is an exponent. */
static mb_value limited(struct cpu_math *m, mb_value a)
{
    return mb_at_most(m, a, mb_is_double(a) ? 710.6 : 89.5);
}

static mb_value sinh_of(struct cpu_math *m, mb_value x, struct mf_power p, const double *c, int n)
{
    mb_value a = mb_abs(m, x), z = mb_fmul(m, a, a);
    mb_value small = mb_fma(m, mb_fmul(m, a, z), mb_poly(m, z, c, n), a);
    mb_value near = mb_fcmp(m, LLVMRealOLT, a, mb_const_float(x, 1.0));
    return mb_copysign(m, mb_select(m, near, small, from_power(m, p, true)), x);
}

mb_value mf_sinh(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.756c1ep-19, 0x1.a022bcp-13, 0x1.1110ep-7, 0x1.555556p-3};
    return sinh_of(m, x, mf_exp_tail(m, limited(m, mb_abs(m, x))), c, 4);
}

mb_value md_sinh(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.b5c8725e4964dp-41, 0x1.6116f50041d8bp-33, 0x1.ae646ff45771ap-26,
                               0x1.71de3a3b074c8p-19, 0x1.a01a01a037264p-13, 0x1.111111111101ep-7,
                               0x1.5555555555556p-3};
    return sinh_of(m, x, md_exp_tail(m, limited(m, mb_abs(m, x))), c, 7);
}

mb_value mf_cosh(struct cpu_math *m, mb_value x)
{
    return from_power(m, mf_exp_tail(m, limited(m, mb_abs(m, x))), false);
}

mb_value md_cosh(struct cpu_math *m, mb_value x)
{
    return from_power(m, md_exp_tail(m, limited(m, mb_abs(m, x))), false);
}
