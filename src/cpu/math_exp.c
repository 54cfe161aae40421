/*
 * The exponential and its family, in float, and what double (math_f64.c) shares of it.
 *
 *     e^x = 2^n e^r,  n = nearest integer to x / ln 2,  r = x - n ln 2 in [-0.347, 0.347]
 *
 * n comes from adding 1.5 * 2^23, which leaves the integer in the low bits of the sum: no
 * conversion, and a NaN goes through. ln 2 is subtracted in two parts, the first step being exact.
 * The exponential itself takes n in eighths: 2^(j/8) comes from a table, |r| is below 0.0434 and
 * needs degree 3 only, which is four multiplications less against one look-up.
 * The polynomials were found with Sollya's fpminimax for float coefficients; errors in
 * docs/math.md.
 */
#include "cpu/math_functions.h"

#include <math.h>
#include <string.h>

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
    return mb_fmul(m, p, mb_as_float(m, mb_add(m, field, mb_const_int(field, 127 << 23))));
}

/* p 2^n for n in [-126, 127]. The bits of magic leave the word in the shift. */
static mb_value scale_normal(struct cpu_math *m, mb_value p, struct mf_exponent n)
{
    return scale_by_field(m, p, mb_shl(m, mb_as_int(m, n.shifted), 23));
}

/*
 * The same for n in [-150, 62], p being of the size of 1, without the instruction: p times a small
 * power of two is exact, and what is left of n fits an exponent field, so one more multiplication
 * rounds once.
 */
enum { LIFT = 64 };

static mb_value scale_down(struct cpu_math *m, mb_value p, struct mf_exponent n)
{
    mb_value scaled;
    if (mb_avx512(m, "scalef", p, n.value, -1, &scaled))
        return scaled;
    mb_value field = mb_shl(m, mb_as_int(m, n.shifted), 23);
    field = mb_add(m, field, mb_const_int(field, LIFT << 23));
    return scale_by_field(m, mb_fmul(m, p, mb_const_float(p, 0x1p-64)), field);
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

/* 2^(j/8), rounded to float. */
static const double eighths[MB_TABLE] = {0x1.000000p0, 0x1.172b84p0, 0x1.306fe0p0, 0x1.4bfdaep0,
                                         0x1.6a09e6p0, 0x1.8ace54p0, 0x1.ae89fap0, 0x1.d5818ep0};

/* The multiple of 1/8 nearest to x * factor; 1.5 * 2^20 leaves eighths in the low bits. */
static struct mf_exponent nearest_eighth(struct cpu_math *m, mb_value x, double factor)
{
    struct mf_exponent n;
    mb_value magic = mb_const_float(x, 0x1.8p20);
    n.shifted =
        factor == 1.0 ? mb_fadd(m, x, magic) : mb_fma(m, x, mb_const_float(x, factor), magic);
    n.value = mb_fsub(m, n.shifted, magic);
    return n;
}

/* t (1 + r q(r)); q of degree 2, c as mb_poly wants it. */
static mb_value times_polynomial(struct cpu_math *m, mb_value t, mb_value r, const double *c)
{
    mb_value q = mb_poly(m, r, c, 3);
    return mb_fma(m, mb_fmul(m, t, r), q, t);
}

/* The table's bits less j eighths of an exponent, plus `exponent` << 23. */
static void lower_eighths(double *lowered, int exponent)
{
    for (int j = 0; j < MB_TABLE; j++) {
        float value = ldexpf((float)eighths[j], exponent);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits -= (uint32_t)j << 20;
        memcpy(&value, &bits, sizeof value);
        lowered[j] = (double)value;
    }
}

enum { FAR = 2 * LIFT << 23 }; /* one bit of the exponent field */

/* What is known of the argument of an exponential. */
enum extent { ANY, NOT_POSITIVE, NEAR };

/*
 * 2^n (1 + r q(r)) for n = x / ln 2 or the like, in [-191, 129]. Without the instruction n in
 * eighths is added to the bits of the table's entry, so that the exponent field becomes that of
 * 2^n; and 64 or -64 to the field, which keeps it off its ends. The last product takes that back,
 * and is the only one that may round or overflow. Which of the two goes by the sign of x, unless
 * that is known; near 0 there is no need for either.
 */
static mb_value scaled_by_table(struct cpu_math *m, mb_value x, struct mf_exponent n, mb_value r,
                                const double *c, enum extent extent)
{
    static const char *const names[] = {"lowered_eighths", "raised_eighths", "level_eighths"};
    static const int lifts[] = {-LIFT, LIFT, 0};
    mb_value bits = mb_as_int(m, n.shifted), scaled;
    if (m->features->avx512) { /* by 2^floor(n); some lengths of vectors have no instruction */
        mb_value p = times_polynomial(m, mb_table(m, "eighths", eighths, bits), r, c);
        if (mb_avx512(m, "scalef", p, n.value, -1, &scaled))
            return scaled;
    }
    double lowered[MB_TABLE];
    lower_eighths(lowered, lifts[extent]);
    mb_value t = mb_table(m, names[extent], lowered, bits);
    mb_value exponent = mb_shl(m, bits, 20);
    mb_value field = mb_add(m, mb_as_int(m, t), exponent);
    if (extent == NEAR)
        return times_polynomial(m, mb_as_float(m, field), r, c);
    mb_value back = mb_const_int(bits, (127 - lifts[extent]) << 23);
    if (extent == ANY) {
        mb_value far = mb_and(m, mb_lshr(m, mb_as_int(m, x), 1), mb_const_int(bits, FAR));
        field = mb_add(m, field, far);
        back = mb_sub(m, back, far);
    }
    mb_value p = times_polynomial(m, mb_as_float(m, field), r, c);
    return mb_fmul(m, p, mb_as_float(m, back));
}

/*
 * The second part of ln 2. Without it e^x comes out as e^(x (1 + 2.75e-9)), which down to -20 is
 * right within 2 ULP (1.8731, docs/math.md). near_if: leave it out for these, if true.
 */
static mb_value rest_of_ln2(struct cpu_math *m, mb_value x, mb_value near_if)
{
    mb_value rest = mb_const_float(x, 0x1.05c61p-29);
    if (!near_if)
        return rest;
    mb_value from = mb_const_float(x, -CPU_EXP_NEAR), never = mb_const_float(x, INFINITY);
    from = LLVMBuildSelect(m->builder, near_if, from, never, "");
    mb_value near = mb_fcmp(m, LLVMRealOGE, x, from);
    return mb_select(m, near, mb_const_float(x, 0.0), rest);
}

static mb_value exp_of(struct cpu_math *m, mb_value x, enum extent extent, mb_value near_if)
{
    static const double c[] = {0x1.55565ap-3, 0x1.000876p-1, 1.0};
    struct mf_exponent n = nearest_eighth(m, x, 0x1.715476p0);
    mb_value r = mb_fma(m, n.value, mb_const_float(x, -0x1.62e43p-1), x);
    if (extent != NEAR)
        r = mb_fma(m, n.value, rest_of_ln2(m, x, near_if), r);
    return scaled_by_table(m, x, n, r, c, extent);
}

/*
 * Beyond these bounds the result is 0 or infinity, and the bounds themselves give that. The lower
 * ones are 2^-191, whose exponent field, with the 64 that keep it off its end, is that of 0: then
 * so is each product. From 2^-150 on the last one would round to 0, which takes processors long,
 * and where there are such elements there are many: of -INFINITY, as attention's masks and those of
 * loads leave it.
 */
mb_value mf_exp(struct cpu_math *m, mb_value x)
{
    return exp_of(m, mb_at_least(m, mb_at_most(m, x, 89.0), -0x1.08c84p7), ANY, NULL);
}

mb_value mf_exp_not_positive(struct cpu_math *m, mb_value x, mb_value near_if)
{
    return exp_of(m, mb_at_least(m, x, -0x1.08c84p7), NOT_POSITIVE, near_if);
}

mb_value mf_exp_near(struct cpu_math *m, mb_value x)
{
    return exp_of(m, x, NEAR, NULL);
}

mb_value mf_exp2(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.c6b1dep-5, 0x1.ec0c22p-3, 0x1.62e43p-1};
    x = mb_at_most(m, mb_at_least(m, x, -191.0), 129.0);
    struct mf_exponent n = nearest_eighth(m, x, 1.0);
    return scaled_by_table(m, x, n, mb_fsub(m, x, n.value), c, ANY);
}

/* 10^r = 1 + r q(r), by least squares that approach the least greatest error: 2^-25.2. */
mb_value mf_exp10(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.046fb6p1, 0x1.535d94p1, 0x1.26bb1cp1};
    x = mb_at_least(m, mb_at_most(m, x, 38.7), -0x1.cbf94ep5);
    struct mf_exponent n = nearest_eighth(m, x, 0x1.a934fp1);
    mb_value r = mb_fma(m, n.value, mb_const_float(x, -0x1.344136p-2), x);
    r = mb_fma(m, n.value, mb_const_float(x, 0x1.ec10cp-27), r);
    return scaled_by_table(m, x, n, r, c, ANY);
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
    return mf_sigmoid_of(m, x, scale_down(m, p, n));
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

/*
 * 2^n (1 + r + tail) - 1 = (2^n r + (2^n - 1)) + 2^n tail. Where n is the format's greatest
 * exponent and one more, 2^n would overflow: half of everything is computed, then doubled. So it is
 * for a negative n, whose bit is set, too; for n = 0, where subnormal results are, it is not.
 */
mb_value mf_expm1_of(struct cpu_math *m, mb_value x, struct mf_power p)
{
    bool wide = mb_is_double(x);
    int width = wide ? 52 : 23;
    int64_t bias = wide ? 1023 : 127, to_exponent = wide ? 42 : 16;
    mb_value bits = mb_as_int(m, p.n.shifted), one = mb_const_int(bits, bias << width);
    mb_value far = mb_shl(m, mb_and(m, bits, mb_const_int(bits, bias + 1)), to_exponent);
    mb_value unit = mb_sub(m, one, far); /* 1 or 1/2 */
    mb_value power = mb_as_float(m, mb_add(m, mb_shl(m, bits, width), unit));
    mb_value head = mb_fsub(m, power, mb_as_float(m, unit));
    head = mb_fma(m, power, p.r, head);
    mb_value result = mb_fma(m, power, p.tail, head);
    result = mb_fmul(m, result, mb_as_float(m, mb_add(m, one, far)));
    return mb_copysign(m, result, x); /* of -0 */
}

struct mf_power mf_exp_tail(struct cpu_math *m, mb_value x)
{
    static const double c[] = {0x1.a2a5ap-13, 0x1.6d84b6p-10, 0x1.11101cp-7,
                               0x1.55549ep-5, 0x1.555556p-3,  0.5};
    struct mf_exponent n = mf_nearest(m, x, 0x1.715476p0);
    mb_value r = mb_fma(m, n.value, mb_const_float(x, -0x1.62e43p-1), x);
    r = mb_fma(m, n.value, mb_const_float(x, 0x1.05c61p-29), r);
    mb_value square = mb_fmul(m, r, r);
    return (struct mf_power){n, r, mb_fmul(m, square, mb_poly(m, r, c, 6))};
}

/* From -18 on down the result is -1, from 89 on up infinity, and the bounds give that. */
mb_value mf_expm1(struct cpu_math *m, mb_value x)
{
    mb_value limited = mb_at_least(m, mb_at_most(m, x, 89.0), -18.0);
    return mf_expm1_of(m, x, mf_exp_tail(m, limited));
}
