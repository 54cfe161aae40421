/*
 * The exponential and its family, in float, and what double (math_f64.c) shares of it.
 *
 *     e^x = 2^n e^r,  n = nearest integer to x / ln 2,  r = x - n ln 2 in [-0.347, 0.347]
 *
 * n comes from adding 1.5 * 2^23, which leaves the integer in the low bits of the sum: no
 * conversion, and a NaN goes through. ln 2 is subtracted in two parts, the first step being exact.
 * The exponential itself takes n in sixteenths: 2^(j/16) comes from a table, |r| is below 0.0217 and
 * needs degree 3 only, which is five multiplications less against one look-up.
 * The polynomials were found with Sollya's fpminimax for float coefficients; errors in
 * docs/math.md.
 */
#include "cpu/math_functions.h"

struct mf_exponent mf_nearest(struct cpu_math *m, mb_value x, double factor)
{
    struct mf_exponent n;
    mb_value magic = mb_const_float(x, mb_is_double(x) ? 0x1.8p52 : 0x1.8p23);
    n.shifted =
        factor == 1.0 ? mb_fadd(m, x, magic) : mb_fma(m, x, mb_const_float(x, factor), magic);
    n.value = mb_fsub(m, n.shifted, magic);
    return n;
}

/* p times 2 to the power that stands in an exponent field. */
static mb_value scale_by_field(struct cpu_math *m, mb_value p, mb_value field)
{
    int64_t one = mb_is_double(p) ? INT64_C(1023) << 52 : 127 << 23;
    return mb_fmul(m, p, mb_as_float(m, mb_add(m, field, mb_const_int(field, one))));
}

/* p 2^n for n in [-126, 127], or double's like. The bits of magic leave the word in the shift. */
static mb_value scale_normal(struct cpu_math *m, mb_value p, struct mf_exponent n)
{
    return scale_by_field(m, p, mb_shl(m, mb_as_int(m, n.shifted), mb_is_double(p) ? 52 : 23));
}

/* Without the instruction in two steps, of which the first, by half of n, is exact. */
mb_value mf_scale(struct cpu_math *m, mb_value p, struct mf_exponent n)
{
    mb_value scaled;
    if (mb_avx512(m, "scalef", p, n.value, -1, &scaled))
        return scaled;
    int fraction = mb_is_double(p) ? 52 : 23;
    mb_value bits = mb_as_int(m, n.shifted);
    mb_value half = mb_shl(m, bits, fraction - 1);
    half = mb_and(m, half, mb_const_int(bits, -(INT64_C(1) << fraction)));
    mb_value rest = mb_sub(m, mb_shl(m, bits, fraction), half);
    return scale_by_field(m, scale_by_field(m, p, half), rest);
}

/* e^x = result * 2^n, for |x| below a few hundred. */
static mb_value exp_parts(struct cpu_math *m, mb_value x, struct mf_exponent *n)
{
    static const double c[] = {
        0x1.694cd4p-10, 0x1.123988p-7, 0x1.555a26p-5, 0x1.555492p-3, 0x1.fffffap-2, 1.0, 1.0};
    *n = mf_nearest(m, x, 0x1.715476p0);
    mb_value r = mb_fma(m, n->value, mb_const_float(x, -0x1.62e43p-1), x);
    r = mb_fma(m, n->value, mb_const_float(x, 0x1.05c61p-29), r);
    return mb_poly(m, r, c, 7);
}

/* 2^(j/16), rounded to float */
static const double sixteenths[] = {
    0x1.000000p0, 0x1.0b5586p0, 0x1.172b84p0, 0x1.2387a6p0, 0x1.306fe0p0, 0x1.3dea64p0,
    0x1.4bfdaep0, 0x1.5ab07ep0, 0x1.6a09e6p0, 0x1.7a1148p0, 0x1.8ace54p0, 0x1.9c4918p0,
    0x1.ae89fap0, 0x1.c199bep0, 0x1.d5818ep0, 0x1.ea4afap0};

/* The multiple of 1/16 nearest to x * factor; 1.5 * 2^19 leaves sixteenths in the low bits. */
static struct mf_exponent nearest_sixteenth(struct cpu_math *m, mb_value x, double factor)
{
    struct mf_exponent n;
    mb_value magic = mb_const_float(x, 0x1.8p19);
    n.shifted =
        factor == 1.0 ? mb_fadd(m, x, magic) : mb_fma(m, x, mb_const_float(x, factor), magic);
    n.value = mb_fsub(m, n.shifted, magic);
    return n;
}

/* 2^n (1 + r q(r)) for n of nearest_sixteenth; q of degree 2, c as mb_poly wants it. */
static mb_value scaled_by_table(struct cpu_math *m, struct mf_exponent n, mb_value r,
                                const double *c)
{
    mb_value bits = mb_as_int(m, n.shifted), scaled;
    mb_value t = mb_table(m, "sixteenths", sixteenths, bits);
    mb_value p = mb_fma(m, mb_fmul(m, t, r), mb_poly(m, r, c, 3), t);
    if (mb_avx512(m, "scalef", p, n.value, -1, &scaled)) /* by 2^floor(n) */
        return scaled;
    n.shifted = mb_as_float(m, mb_lshr(m, bits, 4));
    return mf_scale(m, p, n);
}

/* Beyond these bounds the result is 0 or infinity, and the bounds themselves give that. */
mb_value mf_exp(struct cpu_math *m, mb_value x)
{
    return mf_exp_not_positive(m, mb_at_most(m, x, 89.0));
}

mb_value mf_exp_not_positive(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.5556fap-3, 0x1.00022p-1, 1.0};
    x = mb_at_least(m, x, -104.0);
    struct mf_exponent n = nearest_sixteenth(m, x, 0x1.715476p0);
    mb_value r = mb_fma(m, n.value, mb_const_float(x, -0x1.62e43p-1), x);
    r = mb_fma(m, n.value, mb_const_float(x, 0x1.05c61p-29), r);
    return scaled_by_table(m, n, r, c);
}

mb_value mf_exp2(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.c6b2bcp-5, 0x1.ebfff4p-3, 0x1.62e43p-1};
    x = mb_at_most(m, mb_at_least(m, x, -151.0), 129.0);
    struct mf_exponent n = nearest_sixteenth(m, x, 1.0);
    return scaled_by_table(m, n, mb_fsub(m, x, n.value), c);
}

/* 1 / (1 + e) for x >= 0 and e / (1 + e) below, where results go down to the subnormals. What 1 + e
 * loses, and the division, are corrected to first order: three plain roundings on top of e's error
 * would pass 2 ULP just above powers of two. */
mb_value mf_sigmoid_of(struct cpu_math *m, mb_value x, mb_value e)
{
    mb_value one = mb_const_float(x, 1.0);
    mb_value negative = mb_fcmp(m, LLVMRealOLT, x, mb_const_float(x, 0.0));
    mb_value top = mb_select(m, negative, e, one);
    mb_value sum = mb_fadd(m, one, e), lost = mb_fsub(m, e, mb_fsub(m, sum, one));
    mb_value inverse = mb_fdiv(m, one, sum), q = mb_fmul(m, top, inverse);
    mb_value rest = mb_fma(m, mb_fneg(m, q), sum, top);
    rest = mb_fma(m, mb_fneg(m, q), lost, rest);
    return mb_fma(m, rest, inverse, q);
}

mb_value mf_sigmoid(struct cpu_math *m, mb_value x)
{
    struct mf_exponent n;
    mb_value p = exp_parts(m, mb_at_least(m, mb_fneg(m, mb_abs(m, x)), -104.0), &n);
    return mf_sigmoid_of(m, x, mf_scale(m, p, n));
}

/* `small` below 0.625, else 1 - 2 / (e + 1); with the sign of x. */
mb_value mf_tanh_of(struct cpu_math *m, mb_value x, mb_value small, mb_value e)
{
    mb_value one = mb_const_float(x, 1.0);
    mb_value large = mb_fdiv(m, mb_const_float(x, 2.0), mb_fadd(m, e, one));
    large = mb_fsub(m, one, large);
    mb_value near = mb_fcmp(m, LLVMRealOLT, mb_abs(m, x), mb_const_float(x, 0.625));
    return mb_copysign(m, mb_select(m, near, small, large), x);
}

/* An odd polynomial near 0, else by exp(2 |x|); 1 from 9.02 on. */
mb_value mf_tanh(struct cpu_math *m, mb_value x)
{
    static const double c[] = {-0x1.758facp-8, 0x1.5211c4p-6, -0x1.b838ap-5, 0x1.110704p-3,
                               -0x1.555532p-2};
    struct mf_exponent n;
    mb_value a = mb_abs(m, x), z = mb_fmul(m, a, a);
    mb_value tail = mb_poly(m, z, c, 5);
    mb_value small = mb_fma(m, mb_fmul(m, a, z), tail, a);
    mb_value limited = mb_at_most(m, a, 10.0);
    mb_value p = exp_parts(m, mb_fadd(m, limited, limited), &n);
    return mf_tanh_of(m, x, small, scale_normal(m, p, n));
}

/* An odd polynomial near 0, else 1 - exp(-g(|x|)) with a polynomial for g = -log(erfc), whose error
 * counts little because the exponential is small; 1 from 3.92 on. */
mb_value mf_erf(struct cpu_math *m, mb_value x)
{
    static const double near[] = {0x1.4f510ep-14, -0x1.a5fd44p-11, 0x1.544824p-8, -0x1.b800e2p-6,
                                  0x1.ce2d62p-4,  -0x1.81274p-2,   0x1.06eba8p-3};
    static const double far[] = {0x1.fb06b4p-17, -0x1.6d0944p-12, 0x1.deb5b2p-9, -0x1.8001d4p-6,
                                 0x1.ae85f8p-4,  0x1.460e2ep-1,   0x1.20a128p0,  0x1.5a03a4p-12};
    struct mf_exponent n;
    mb_value a = mb_abs(m, x), z = mb_fmul(m, a, a);
    mb_value small = mb_fma(m, a, mb_poly(m, z, near, 7), a);

    mb_value g = mb_poly(m, mb_at_most(m, a, 3.95), far, 8);
    mb_value p = exp_parts(m, mb_fneg(m, g), &n);
    mb_value large = mb_fsub(m, mb_const_float(x, 1.0), scale_normal(m, p, n));

    mb_value is_near = mb_fcmp(m, LLVMRealOLT, a, mb_const_float(x, 0x1.f5c28ep-1));
    return mb_copysign(m, mb_select(m, is_near, small, large), x);
}
