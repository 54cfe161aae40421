/*
 * Exponentials and logarithms in double, by the methods of math_exp.c and math_log.c with longer
 * polynomials. The logarithm of 1 + f goes through s = f / (2 + f), which needs few terms:
 *
 *     log(1 + f) = 2 atanh(s) = f - (h - s (h + R)),  h = f^2 / 2,  R = 2/3 s^2 + 2/5 s^4 + ...
 *
 * Sine and cosine of double are in math_trig.c; erf and pow call libm (math.c).
 */
#include "cpu/math_functions.h"

/* p times 2 to the power that stands in an exponent field. */
static mb_value scale_by_field(struct cpu_math *m, mb_value p, mb_value field)
{
    mb_value one = mb_const_int(field, INT64_C(1023) << 52);
    return mb_fmul(m, p, mb_as_float(m, mb_add(m, field, one)));
}

/* p 2^n, for n up to twice the format's exponents; overflow and subnormal results round once.
 * Without the instruction in two steps, of which the first, by half of n, is exact. */
static mb_value scale(struct cpu_math *m, mb_value p, struct mf_exponent n)
{
    mb_value scaled, bits = mb_as_int(m, n.shifted);
    if (mb_avx512(m, "scalef", p, n.value, -1, &scaled))
        return scaled;
    mb_value half = mb_and(m, mb_shl(m, bits, 51), mb_const_int(bits, -(INT64_C(1) << 52)));
    mb_value rest = mb_sub(m, mb_shl(m, bits, 52), half);
    return scale_by_field(m, scale_by_field(m, p, half), rest);
}

static mb_value exp_parts(struct cpu_math *m, mb_value x, struct mf_exponent *n)
{
    static const double c[] = {0x1.ad937209d2824p-26,
                               0x1.28ae10fca39b6p-22,
                               0x1.71df18b9a1062p-19,
                               0x1.a019994c1311ep-16,
                               0x1.a01a012ffa32bp-13,
                               0x1.6c16c1847c94ap-10,
                               0x1.1111111126b2ep-7,
                               0x1.55555555506acp-5,
                               0x1.55555555554fep-3,
                               0x1.000000000000ap-1,
                               1.0,
                               1.0};
    *n = mf_nearest(m, x, 0x1.71547652b82fep0);
    mb_value r = mb_fma(m, n->value, mb_const_float(x, -0x1.62e42fefa39efp-1), x);
    r = mb_fma(m, n->value, mb_const_float(x, -0x1.abc9e3b39803fp-56), r);
    return mb_poly(m, r, c, 12);
}

mb_value md_exp(struct cpu_math *m, mb_value x)
{
    struct mf_exponent n;
    mb_value p = exp_parts(m, mb_at_most(m, mb_at_least(m, x, -746.0), 710.0), &n);
    return scale(m, p, n);
}

mb_value md_exp2(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.e973179a994acp-32, 0x1.e61d43321746dp-28, 0x1.b52522bc15f8fp-24,
                               0x1.62bfc6596be12p-20, 0x1.ffcbfc6685f06p-17, 0x1.4309130f6cbdbp-13,
                               0x1.5d87fe789e96fp-10, 0x1.3b2ab6fb9fda6p-7,  0x1.c6b08d704a12cp-5,
                               0x1.ebfbdff82c5a6p-3,  0x1.62e42fefa39efp-1,  1.0};
    x = mb_at_most(m, mb_at_least(m, x, -1076.0), 1025.0);
    struct mf_exponent n = mf_nearest(m, x, 1.0);
    return scale(m, mb_poly(m, mb_fsub(m, x, n.value), c, 12), n);
}

/* 10^r by least squares that approach the least greatest error: 2^-57.6. */
mb_value md_exp10(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.f86e85d3a4378p-13, 0x1.2f6d57422d879p-10, 0x1.48995a8f6587ep-8,
                               0x1.4116651f36737p-6,  0x1.16e4df1ccf118p-4,  0x1.a7ed709d5a211p-3,
                               0x1.1429ffd21045fp-1,  0x1.2bd7609fd6353p0,   0x1.0470591de2b7dp1,
                               0x1.53524c73cea7p1,    0x1.26bb1bbb55516p1,   1.0};
    x = mb_at_most(m, mb_at_least(m, x, -323.9), 308.5);
    struct mf_exponent n = mf_nearest(m, x, 0x1.a934f0979a371p1);
    mb_value r = mb_fma(m, n.value, mb_const_float(x, -0x1.34413509f79ffp-2), x);
    r = mb_fma(m, n.value, mb_const_float(x, 0x1.9dc1da994fd21p-59), r);
    return scale(m, mb_poly(m, r, c, 12), n);
}

struct mf_power md_exp_tail(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.e633024ec22b8p-30,
                               0x1.af4eb31122094p-26,
                               0x1.2802407bd21e2p-22,
                               0x1.71de01d21f7eep-19,
                               0x1.a019f37c23fcap-16,
                               0x1.a01a01ac05828p-13,
                               0x1.6c16c16f12addp-10,
                               0x1.11111111100a7p-7,
                               0x1.5555555554d1ep-5,
                               0x1.5555555555557p-3,
                               0.5};
    struct mf_exponent n = mf_nearest(m, x, 0x1.71547652b82fep0);
    mb_value r = mb_fma(m, n.value, mb_const_float(x, -0x1.62e42fefa39efp-1), x);
    r = mb_fma(m, n.value, mb_const_float(x, -0x1.abc9e3b39803fp-56), r);
    mb_value square = mb_fmul(m, r, r);
    return (struct mf_power){n, r, mb_fmul(m, square, mb_poly(m, r, c, 11))};
}

mb_value md_expm1(struct cpu_math *m, mb_value x)
{
    mb_value limited = mb_at_least(m, mb_at_most(m, x, 710.0), -38.0);
    return mf_expm1_of(m, x, md_exp_tail(m, limited));
}

mb_value md_sigmoid(struct cpu_math *m, mb_value x)
{
    struct mf_exponent n;
    mb_value p = exp_parts(m, mb_at_least(m, mb_fneg(m, mb_abs(m, x)), -746.0), &n);
    return mf_sigmoid_of(m, x, scale(m, p, n));
}

/* libm's is not within 2 ULP everywhere (glibc 2.36). */
mb_value md_tanh(struct cpu_math *m, mb_value x)
{
    static const double c[] = {
        -0x1.0d6aaf4744b21p-16, 0x1.437207adf84dap-14,  -0x1.df47b0661fe6ap-13,
        0x1.336459d367ee7p-11,  -0x1.7d685ee7d78a6p-10, 0x1.d6cf214993488p-9,
        -0x1.226e15f4fbef4p-7,  0x1.664f4778b0d3fp-6,   -0x1.ba1ba1b4f9aedp-5,
        0x1.111111110aba6p-3,   -0x1.55555555554fep-2};
    struct mf_exponent n;
    mb_value a = mb_abs(m, x), z = mb_fmul(m, a, a);
    mb_value tail = mb_poly(m, z, c, 11);
    mb_value small = mb_fma(m, mb_fmul(m, a, z), tail, a);
    mb_value limited = mb_at_most(m, a, 20.0);
    mb_value p = exp_parts(m, mb_fadd(m, limited, limited), &n);
    return mf_tanh_of(m, x, small, scale(m, p, n));
}

/* s and h + R of the formula above. */
static void log_terms(struct cpu_math *m, mb_value f, mb_value half_square, mb_value *s,
                      mb_value *sum)
{
    static const double c[] = {0x1.3ad611617d819p-3, 0x1.384fcdbf3f693p-3, 0x1.7475090308139p-3,
                               0x1.c71c00792fcddp-3, 0x1.249249b38b62dp-2, 0x1.99999998eecbbp-2,
                               0x1.555555555577dp-1};
    *s = mb_fdiv(m, f, mb_fadd(m, f, mb_const_float(f, 2.0)));
    mb_value z = mb_fmul(m, *s, *s);
    *sum = mb_fma(m, z, mb_poly(m, z, c, 7), half_square);
}

static mb_value natural(struct cpu_math *m, struct mf_split v)
{
    mb_value s, sum, half = mb_const_float(v.f, 0.5);
    mb_value square = mb_fmul(m, mb_fmul(m, v.f, half), v.f);
    log_terms(m, v.f, square, &s, &sum);
    mb_value tail = mb_fmul(m, v.e, mb_const_float(v.f, 0x1.abc9e3b39803fp-56));
    tail = mb_fsub(m, mb_fma(m, s, sum, tail), square);
    tail = mb_fadd(m, v.f, tail);
    return mb_fma(m, v.e, mb_const_float(v.f, 0x1.62e42fefa39efp-1), tail);
}

mb_value md_log(struct cpu_math *m, mb_value x)
{
    struct mf_split v = mf_split(m, x, true);
    return mf_log_special(m, x, &v, natural(m, v));
}

mb_value md_log1p(struct cpu_math *m, mb_value x)
{
    mb_value sum;
    struct mf_split v = mf_split_sum(m, x, true, &sum);
    return mb_copysign(m, mf_log_special(m, sum, &v, natural(m, v)), x);
}

/* log(1 + f) as high + low, so that the product with 1 / ln 2 or 1 / ln 10 loses nothing; `inverse`
 * is that in two parts, the product's first part being still to be added. */
static void scaled_terms(struct cpu_math *m, mb_value f, const double *inverse, mb_value *high,
                         mb_value *tail)
{
    mb_value s, sum, half = mb_const_float(f, 0.5);
    mb_value square = mb_fmul(m, mb_fmul(m, f, half), f);
    log_terms(m, f, square, &s, &sum);
    *high = mb_fsub(m, f, square);
    mb_value low = mb_fsub(m, mb_fsub(m, f, *high), square);
    low = mb_fma(m, s, sum, low);
    *tail = mb_fmul(m, *high, mb_const_float(f, inverse[1]));
    *tail = mb_fma(m, low, mb_const_float(f, inverse[0]), *tail);
}

mb_value md_log2(struct cpu_math *m, mb_value x)
{
    static const double inverse[] = {0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56};
    struct mf_split v = mf_split(m, x, true);
    mb_value high, tail;
    scaled_terms(m, v.f, inverse, &high, &tail);
    tail = mb_fma(m, high, mb_const_float(x, inverse[0]), tail);
    return mf_log_special(m, x, &v, mb_fadd(m, v.e, tail));
}

/* Both parts of log10 2 are positive, so that an infinite e gives an infinity. */
mb_value md_log10(struct cpu_math *m, mb_value x)
{
    static const double inverse[] = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
    struct mf_split v = mf_split(m, x, true);
    mb_value high, tail;
    scaled_terms(m, v.f, inverse, &high, &tail);
    tail = mb_fma(m, v.e, mb_const_float(x, 0x1.e623e2566b02ep-55), tail);
    tail = mb_fma(m, high, mb_const_float(x, inverse[0]), tail);
    mb_value result = mb_fma(m, v.e, mb_const_float(x, 0x1.34413509f79fep-2), tail);
    return mf_log_special(m, x, &v, result);
}
