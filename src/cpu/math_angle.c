/*
 * Inverses of sine, cosine and tangent, in float and double. Each is a number n of quarter turns
 * and the angle of a ratio t that is at most 1 (arcs of sine: at most 1/2):
 *
 *     atan x = n pi/2 + atan t      n = 0, t = |x|              n = 1, t = -1 / |x|
 *     asin x = n pi/2 + k asin s    n = 0, s = |x|, k = 1       n = 1, s = h, k = -2
 *     acos x = n pi/2 + k asin s    n = 1, s = |x|, k = -+1     n = 0, 2, s = h, k = +-2
 *
 * with h = sqrt((1 - |x|) / 2); atan2 goes by the greater of |x| and |y| in the same way. What the
 * sum of n pi/2 and t loses is kept, so that only the ratio, the polynomial and the last addition
 * round.
 *
 * atan t = t + t^3 P(t^2) on [0, 1], asin s likewise on [0, 1/2]. The polynomials are minimax of
 * the relative error, by Remez's exchange, rounding one coefficient after the other, the greatest
 * first: 2^-28.5 and 2^-27.6 in float, 2^-57.6 and 2^-59.9 in double. One coefficient is a step
 * off, so that atan 1 rounds to pi/4.
 */
#include "cpu/math_functions.h"

/* t^3 P(t^2), P by the format; z is t^2. */
struct series {
    const double *narrow, *wide;
    int narrow_count, wide_count;
};

static const double atan_float[] = {-0x1.d32dacp-10, 0x1.6410e4p-7,  -0x1.fd6fbcp-6,
                                    0x1.da24ccp-5,   -0x1.580814p-4, 0x1.c08c1ap-4,
                                    -0x1.242084p-3,  0x1.9991e4p-3,  -0x1.55553ep-2};
static const double atan_double[] = {
    0x1.bbee5a6bdf3bp-17, -0x1.3f36ad8ea50f3p-13, 0x1.b3fb21b1c757ep-11, -0x1.7a39c4770ebd5p-9,
    0x1.d7b93c1d8fc86p-8, -0x1.c78fcc6743723p-7,  0x1.683cc03343219p-6,  -0x1.e9f9fe3de59bbp-6,
    0x1.2c2e5541c66bp-5,  -0x1.59a3fa02ef74dp-5,  0x1.82dad50b3098ap-5,  -0x1.ae5e71cdbd1fp-5,
    0x1.e1bba6299b5p-5,   -0x1.110e51205d712p-4,  0x1.3b1366993b52cp-4,  -0x1.745d11ae5e387p-4,
    0x1.c71c717fce268p-4, -0x1.249249237f52ap-3,  0x1.99999999955b3p-3,  -0x1.5555555555526p-2};
static const double asin_float[] = {0x1.595c6p-5, 0x1.8c3e5p-6, 0x1.747bb8p-5, 0x1.330204p-4,
                                    0x1.5555c8p-3};
static const double asin_double[] = {
    0x1.0b4698c6d76b9p-5, -0x1.57fd0a7b8ca2ep-6, 0x1.639c241b53c8bp-6, 0x1.e5f6833c71c78p-9,
    0x1.613c7c24ab58ap-7, 0x1.75858c7f1ce29p-7,  0x1.ca1f8d1b701c5p-7, 0x1.1c49f0600bc5ep-6,
    0x1.6e8bdee01b90dp-6, 0x1.f1c71a94f3bccp-6,  0x1.6db6db7212673p-5, 0x1.333333332e131p-4,
    0x1.5555555555577p-3};

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static const struct series atan_series = {atan_float, atan_double, COUNT(atan_float),
                                          COUNT(atan_double)};
static const struct series asin_series = {asin_float, asin_double, COUNT(asin_float),
                                          COUNT(asin_double)};

static mb_value tail_of(struct cpu_math *m, const struct series *s, mb_value t, mb_value z)
{
    bool wide = mb_is_double(t);
    mb_value p = mb_poly(m, z, wide ? s->wide : s->narrow, wide ? s->wide_count : s->narrow_count);
    return mb_fmul(m, mb_fmul(m, t, z), p);
}

/* n pi/2 + (t + tail), |t| being at most 1 and n 0, 1 or 2. With n = 0 nothing is lost. */
static mb_value add_quarters(struct cpu_math *m, mb_value n, mb_value t, mb_value tail)
{
    bool wide = mb_is_double(t);
    mb_value base = mb_fmul(m, n, mb_const_float(t, wide ? 0x1.921fb54442d18p0 : 0x1.921fb6p0));
    mb_value rest = mb_const_float(t, wide ? 0x1.1a62633145c07p-54 : -0x1.777a5cp-25);
    mb_value sum = mb_fadd(m, base, t);
    mb_value lost = mb_fadd(m, mb_fsub(m, base, sum), t);
    return mb_fadd(m, sum, mb_fadd(m, tail, mb_fma(m, n, rest, lost)));
}

/* ---- of a tangent */

static mb_value arc_of_tangent(struct cpu_math *m, mb_value n, mb_value t)
{
    return add_quarters(m, n, t, tail_of(m, &atan_series, t, mb_fmul(m, t, t)));
}

mb_value mf_atan(struct cpu_math *m, mb_value x)
{
    mb_value a = mb_abs(m, x), one = mb_const_float(x, 1.0), zero = mb_const_float(x, 0.0);
    mb_value steep = mb_fcmp(m, LLVMRealOGT, a, one);
    mb_value above = mb_select(m, steep, mb_const_float(x, -1.0), a);
    mb_value t = mb_fdiv(m, above, mb_select(m, steep, a, one));
    return mb_copysign(m, arc_of_tangent(m, mb_select(m, steep, one, zero), t), x);
}

/* The ratio of two infinities counts as 1, that of two zeros as 0. */
mb_value mf_atan2(struct cpu_math *m, mb_value y, mb_value x)
{
    mb_value zero = mb_const_float(x, 0.0), one = mb_const_float(x, 1.0);
    mb_value a = mb_abs(m, x), b = mb_abs(m, y);
    mb_value steep = mb_fcmp(m, LLVMRealOGT, b, a);
    mb_value above = mb_select(m, steep, a, b), below = mb_select(m, steep, b, a);
    mb_value t = mb_fdiv(m, above, below);
    t = mb_select(m, mb_fcmp(m, LLVMRealOEQ, above, below), one, t);
    t = mb_select(m, mb_fcmp(m, LLVMRealOEQ, below, zero), above, t);

    mb_value bits = mb_as_int(m, x);
    mb_value left = mb_icmp(m, LLVMIntSLT, bits, mb_const_int(bits, 0)); /* -0, too */
    mb_value n = mb_select(m, left, mb_const_float(x, 2.0), zero);
    mb_value backwards = mb_xor(m, steep, left);
    t = mb_select(m, backwards, mb_fneg(m, t), t);
    return mb_copysign(m, arc_of_tangent(m, mb_select(m, steep, one, n), t), y);
}

/* ---- of a sine; beyond [-1, 1] the root is that of a negative number */

/* s of above, and its square: |x|, or with far the sine of half the angle to the axis. */
static mb_value half_sine(struct cpu_math *m, mb_value a, mb_value *far, mb_value *square)
{
    mb_value half = mb_const_float(a, 0.5);
    *far = mb_fcmp(m, LLVMRealOGT, a, half);
    mb_value rest = mb_fma(m, a, mb_fneg(m, half), half); /* exact */
    *square = mb_select(m, *far, rest, mb_fmul(m, a, a));
    return mb_select(m, *far, mb_intrinsic(m, "llvm.sqrt", &rest, 1), a);
}

static mb_value arc_of_sine(struct cpu_math *m, mb_value n, mb_value times, mb_value s,
                            mb_value square)
{
    mb_value t = mb_fmul(m, times, s); /* exact */
    return add_quarters(m, n, t, tail_of(m, &asin_series, t, square));
}

mb_value mf_asin(struct cpu_math *m, mb_value x)
{
    mb_value far, square, one = mb_const_float(x, 1.0);
    mb_value s = half_sine(m, mb_abs(m, x), &far, &square);
    mb_value n = mb_select(m, far, one, mb_const_float(x, 0.0));
    mb_value times = mb_select(m, far, mb_const_float(x, -2.0), one);
    return mb_copysign(m, arc_of_sine(m, n, times, s, square), x);
}

mb_value mf_acos(struct cpu_math *m, mb_value x)
{
    mb_value far, square, zero = mb_const_float(x, 0.0), one = mb_const_float(x, 1.0);
    mb_value two = mb_const_float(x, 2.0), s = half_sine(m, mb_abs(m, x), &far, &square);
    mb_value left = mb_fcmp(m, LLVMRealOLT, x, zero);
    mb_value n = mb_select(m, far, mb_select(m, left, two, zero), one);
    mb_value times = mb_select(m, far, two, mb_const_float(x, -1.0));
    times = mb_select(m, left, mb_fneg(m, times), times);
    return arc_of_sine(m, n, times, s, square);
}
