/*
 * Logarithms, in float, and what double (math_f64.c) shares of them:
 *
 *     log x = e log 2 + log(1 + f),  x = 2^e (1 + f),  1 + f in [low, 2 low)
 *
 * so that e = 0 around x = 1, where the result is small and f (exact) carries its precision. The
 * natural logarithm takes low = 3/4. The others take the root of 1/2: with 3/4, x just below 3/4
 * would subtract 0.58 from 1 (or 0.18 from 0.3) and end near 1.7 ULP.
 *
 * AVX-512 splits x by two instructions that also know subnormals, zeros and infinities; elsewhere
 * the bits are taken apart and the special cases selected.
 *
 * log(1 + x) goes by the exponent of the rounded sum; f comes from x itself, so that what rounding
 * takes from the sum is not lost: f = 2^-e x + (2^-e - 1), and f = x around 0.
 */
#include "cpu/math_functions.h"

#include <math.h>

static bool split_avx512(struct cpu_math *m, mb_value x, struct mf_split *s)
{
    enum { FROM_3_4_TO_3_2 = 3, NAN_IF_NEGATIVE = 2 << 2 };
    mb_value mantissa, of_x, of_mantissa;
    if (!mb_avx512(m, "getmant", x, NULL, FROM_3_4_TO_3_2 | NAN_IF_NEGATIVE, &mantissa))
        return false;
    mb_avx512(m, "getexp", x, NULL, -1, &of_x); /* of 0: -infinity, of infinity: infinity */
    mb_avx512(m, "getexp", mantissa, NULL, -1, &of_mantissa);
    s->special = true;
    s->e = mb_fsub(m, of_x, of_mantissa);
    s->f = mb_fsub(m, mantissa, mb_const_float(x, 1.0));
    return true;
}

/* From low = 3/4 to the root of 1/2: the greatest fractions are halved. */
static void lower_split(struct cpu_math *m, struct mf_split *s)
{
    mb_value half = mb_const_float(s->f, 0.5), one = mb_const_float(s->f, 1.0);
    mb_value large = mb_fcmp(m, LLVMRealOGE, s->f, mb_const_float(s->f, 0x1.a82798p-2));
    s->f = mb_select(m, large, mb_fma(m, s->f, half, mb_fneg(m, half)), s->f);
    s->e = mb_select(m, large, mb_fadd(m, s->e, one), s->e);
}

/* Subtracting the bits of `low` leaves e in the exponent field and the fraction beneath. With a
 * bias e is positive, and becomes a float under the exponent of 2^23 (2^52): AVX2 converts no
 * 64-bit integers and does not shift them with sign. */
static struct mf_split split_bits(struct cpu_math *m, mb_value x, bool root_half)
{
    bool wide = mb_is_double(x);
    int width = wide ? 52 : 23;
    int64_t bias = wide ? 1024 : 128, low = root_half ? 0x3f3504f3 : 0x3f400000;
    if (wide)
        low = root_half ? 0x3fe6a09e60000000 : 0x3fe8000000000000;
    double unit = wide ? 0x1p52 : 0x1p23;

    mb_value tiny = mb_fcmp(m, LLVMRealOLT, x, mb_const_float(x, wide ? 0x1p-1022 : 0x1p-126));
    mb_value normal = mb_select(m, tiny, mb_fmul(m, x, mb_const_float(x, unit)), x);
    mb_value bits = mb_as_int(m, normal);
    mb_value biased = mb_sub(m, bits, mb_const_int(bits, low - (bias << width)));
    mb_value fraction = mb_and(m, biased, mb_const_int(bits, (INT64_C(1) << width) - 1));
    mb_value unit_bits = mb_as_int(m, mb_const_float(x, unit));
    mb_value e = mb_or(m, mb_lshr(m, biased, width), unit_bits);
    mb_value zero = mb_select(m, tiny, mb_const_float(x, unit + (double)bias + width),
                              mb_const_float(x, unit + (double)bias));
    mb_value k = mb_as_float(m, mb_add(m, fraction, mb_const_int(bits, low)));
    struct mf_split split = {.e = mb_fsub(m, mb_as_float(m, e), zero)};
    split.f = mb_fsub(m, k, mb_const_float(x, 1.0));
    return split;
}

struct mf_split mf_split(struct cpu_math *m, mb_value x, bool root_half)
{
    struct mf_split s;
    if (!split_avx512(m, x, &s))
        return split_bits(m, x, root_half);
    if (root_half)
        lower_split(m, &s);
    return s;
}

struct mf_split mf_split_sum(struct cpu_math *m, mb_value x, bool root_half, mb_value *rounded)
{
    bool wide = mb_is_double(x);
    int width = wide ? 52 : 23;
    int64_t bias = wide ? 1023 : 127, low = root_half ? 0x3f3504f3 : 0x3f400000;
    if (wide)
        low = root_half ? 0x3fe6a09e60000000 : 0x3fe8000000000000;
    mb_value one = mb_const_float(x, 1.0), sum = mb_fadd(m, x, one), bits = mb_as_int(m, sum);

    /* e + bias + 1 in the exponent field, not negative. */
    int64_t offset = (bias + 1) << width;
    mb_value field = mb_sub(m, bits, mb_const_int(bits, low - offset));
    field = mb_and(m, field, mb_const_int(bits, -(INT64_C(1) << width)));
    mb_value unit = mb_const_float(x, wide ? 0x1p52 : 0x1p23);
    mb_value e = mb_as_float(m, mb_or(m, mb_lshr(m, field, width), mb_as_int(m, unit)));
    mb_value zero = mb_const_float(x, (wide ? 0x1p52 : 0x1p23) + (double)(bias + 1));

    /* 4 2^-e is a normal number for all e. */
    mb_value of_e = mb_sub(m, field, mb_const_int(bits, offset));
    mb_value scaled = mb_as_float(m, mb_sub(m, mb_as_int(m, x), of_e));
    mb_value power = mb_as_float(m, mb_sub(m, mb_const_int(bits, (bias + 2) << width), of_e));
    power = mb_fma(m, power, mb_const_float(x, 0.25), mb_fneg(m, one));
    *rounded = sum;
    return (struct mf_split){.e = mb_fsub(m, e, zero), .f = mb_fadd(m, scaled, power)};
}

mb_value mf_log_special(struct cpu_math *m, mb_value x, const struct mf_split *s, mb_value result)
{
    if (s->special)
        return result;
    mb_value zero = mb_const_float(x, 0.0), infinity = mb_const_float(x, (double)INFINITY);
    mb_value positive = mb_fcmp(m, LLVMRealOGT, x, zero);
    mb_value finite = mb_fcmp(m, LLVMRealOLT, x, infinity);
    mb_value negative = mb_fcmp(m, LLVMRealOLT, x, zero);
    mb_value other = mb_select(m, negative, mb_const_float(x, (double)NAN), x);
    mb_value lowest = mb_fneg(m, infinity);
    other = mb_select(m, mb_fcmp(m, LLVMRealOEQ, x, zero), lowest, other);
    return mb_select(m, mb_and(m, positive, finite), result, other);
}

/* e ln 2 + (f + tail). Both parts of ln 2 are positive, so that an infinite e gives an infinity. */
static mb_value natural(struct cpu_math *m, struct mf_split s)
{
    static const double c[] = {-0x1.721d3ep-5, 0x1.ad4188p-4,  -0x1.0db586p-3,
                               0x1.28852ep-3,  -0x1.54eb54p-3, 0x1.9968fp-3,
                               -0x1.00004ep-2, 0x1.5555a6p-2,  -0.5};
    mb_value square = mb_fmul(m, s.f, s.f);
    mb_value tail = mb_fmul(m, s.e, mb_const_float(s.f, 0x1.efa39ep-25));
    tail = mb_fma(m, square, mb_poly(m, s.f, c, 9), tail);
    mb_value one_f = mb_fadd(m, s.f, tail);
    return mb_fma(m, s.e, mb_const_float(s.f, 0x1.62e42ep-1), one_f);
}

/* e + (f / ln 2 + tail), with 1 / ln 2 in two parts. */
static mb_value binary(struct cpu_math *m, struct mf_split s)
{
    static const double c[] = {-0x1.c36734p-4, 0x1.7e0e6p-3,  -0x1.877afep-3,
                               0x1.a2e68p-3,   -0x1.eab18p-3, 0x1.277ef4p-2,
                               -0x1.715ac8p-2, 0x1.ec7094p-2, -0x1.71547p-1};
    mb_value square = mb_fmul(m, s.f, s.f);
    mb_value tail = mb_fmul(m, s.f, mb_const_float(s.f, 0x1.4ae0cp-26));
    tail = mb_fma(m, square, mb_poly(m, s.f, c, 9), tail);
    return mb_fadd(m, s.e, mb_fma(m, s.f, mb_const_float(s.f, 0x1.715476p0), tail));
}

/* e log10 2 + (f / ln 10 + tail), each in two parts, those of log10 2 both positive. The polynomial
 * is by least squares that approach the least greatest relative error: 2^-27.7. */
static mb_value decimal(struct cpu_math *m, struct mf_split s)
{
    static const double c[] = {-0x1.0ecedap-5, 0x1.cb524cp-5,  -0x1.d76cb4p-5,
                               0x1.f887acp-5,  -0x1.276efap-4, 0x1.63cf2cp-4,
                               -0x1.bcbf2cp-4, 0x1.287a72p-3,  -0x1.bcb7aap-3};
    mb_value square = mb_fmul(m, s.f, s.f);
    mb_value tail = mb_fmul(m, s.f, mb_const_float(s.f, -0x1.5b235ep-27));
    tail = mb_fma(m, s.e, mb_const_float(s.f, 0x1.09f7ap-26), tail);
    tail = mb_fma(m, square, mb_poly(m, s.f, c, 9), tail);
    tail = mb_fma(m, s.f, mb_const_float(s.f, 0x1.bcb7b2p-2), tail);
    return mb_fma(m, s.e, mb_const_float(s.f, 0x1.344134p-2), tail);
}

mb_value mf_log(struct cpu_math *m, mb_value x)
{
    struct mf_split s = mf_split(m, x, false);
    return mf_log_special(m, x, &s, natural(m, s));
}

mb_value mf_log2(struct cpu_math *m, mb_value x)
{
    struct mf_split s = mf_split(m, x, true);
    return mf_log_special(m, x, &s, binary(m, s));
}

mb_value mf_log10(struct cpu_math *m, mb_value x)
{
    struct mf_split s = mf_split(m, x, true);
    return mf_log_special(m, x, &s, decimal(m, s));
}

/* The sign is that of x, -0 included. */
mb_value mf_log1p(struct cpu_math *m, mb_value x)
{
    mb_value sum;
    struct mf_split s = mf_split_sum(m, x, false, &sum);
    return mb_copysign(m, mf_log_special(m, sum, &s, natural(m, s)), x);
}
