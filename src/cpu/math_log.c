/*
 * Logarithms, in float:
 *
 *     log x = e log 2 + log(1 + f),  x = 2^e (1 + f),  1 + f in [low, 2 low)
 *
 * so that e = 0 around x = 1, where the result is small and f (exact) carries its precision. The
 * natural logarithm takes low = 3/4. The binary one takes the root of 1/2: with 3/4, x just below
 * 3/4 would subtract 0.58 from 1 and end near 1.7 ULP.
 *
 * AVX-512 splits x by two instructions that also know subnormals, zeros and infinities; elsewhere
 * the bits are taken apart and the special cases selected.
 */
#include "cpu/math_f32.h"

#include <math.h>

struct split {
    mb_value e; /* as a float */
    mb_value f;
};

static bool split_avx512(struct cpu_math *m, mb_value x, struct split *s)
{
    enum { FROM_3_4_TO_3_2 = 3, NAN_IF_NEGATIVE = 2 << 2 };
    mb_value mantissa, of_x, of_mantissa;
    if (!mb_avx512(m, "getmant", x, NULL, FROM_3_4_TO_3_2 | NAN_IF_NEGATIVE, &mantissa))
        return false;
    mb_avx512(m, "getexp", x, NULL, -1, &of_x); /* of 0: -infinity, of infinity: infinity */
    mb_avx512(m, "getexp", mantissa, NULL, -1, &of_mantissa);
    s->e = mb_fsub(m, of_x, of_mantissa);
    s->f = mb_fsub(m, mantissa, mb_const_float(x, 1.0));
    return true;
}

/* From low = 3/4 to the root of 1/2: the greatest fractions are halved. */
static void lower_split(struct cpu_math *m, struct split *s)
{
    mb_value half = mb_const_float(s->f, 0.5), one = mb_const_float(s->f, 1.0);
    mb_value large = mb_fcmp(m, LLVMRealOGE, s->f, mb_const_float(s->f, 0x1.a82798p-2));
    s->f = mb_select(m, large, mb_fma(m, s->f, half, mb_fneg(m, half)), s->f);
    s->e = mb_select(m, large, mb_fadd(m, s->e, one), s->e);
}

static void split_bits(struct cpu_math *m, mb_value x, int low_bits, struct split *s)
{
    mb_value tiny = mb_fcmp(m, LLVMRealOLT, x, mb_const_float(x, 0x1p-126));
    mb_value normal = mb_select(m, tiny, mb_fmul(m, x, mb_const_float(x, 0x1p23)), x);
    mb_value bits = mb_as_int(m, normal), base = mb_const_int(bits, low_bits);
    mb_value offset = mb_sub(m, bits, base);
    mb_value e = mb_ashr(m, offset, 23);
    mb_value fraction = mb_and(m, offset, mb_const_int(bits, 0x7fffff));
    mb_value below = mb_select(m, tiny, mb_const_int(bits, 23), mb_const_int(bits, 0));
    s->e = LLVMBuildSIToFP(m->builder, mb_sub(m, e, below), LLVMTypeOf(x), "");
    s->f = mb_fsub(m, mb_as_float(m, mb_add(m, fraction, base)), mb_const_float(x, 1.0));
}

/* The result for what split_bits cannot take: zeros, negatives, infinity, NaN. */
static mb_value patch_special(struct cpu_math *m, mb_value x, mb_value result)
{
    mb_value zero = mb_const_float(x, 0.0), infinity = mb_const_float(x, (double)INFINITY);
    mb_value positive = mb_fcmp(m, LLVMRealOGT, x, zero);
    mb_value finite = mb_fcmp(m, LLVMRealOLT, x, infinity);
    mb_value special =
        mb_select(m, mb_fcmp(m, LLVMRealOLT, x, zero), mb_const_float(x, (double)NAN), x);
    special = mb_select(m, mb_fcmp(m, LLVMRealOEQ, x, zero), mb_fneg(m, infinity), special);
    return mb_select(m, mb_and(m, positive, finite), result, special);
}

/* e ln 2 + (f + tail). Both parts of ln 2 are positive, so that an infinite e gives an infinity. */
static mb_value natural(struct cpu_math *m, struct split s)
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
static mb_value binary(struct cpu_math *m, struct split s)
{
    static const double c[] = {-0x1.c36734p-4, 0x1.7e0e6p-3,  -0x1.877afep-3,
                               0x1.a2e68p-3,   -0x1.eab18p-3, 0x1.277ef4p-2,
                               -0x1.715ac8p-2, 0x1.ec7094p-2, -0x1.71547p-1};
    mb_value square = mb_fmul(m, s.f, s.f);
    mb_value tail = mb_fmul(m, s.f, mb_const_float(s.f, 0x1.4ae0cp-26));
    tail = mb_fma(m, square, mb_poly(m, s.f, c, 9), tail);
    return mb_fadd(m, s.e, mb_fma(m, s.f, mb_const_float(s.f, 0x1.715476p0), tail));
}

mb_value mf_log(struct cpu_math *m, mb_value x)
{
    struct split s;
    if (split_avx512(m, x, &s))
        return natural(m, s);
    split_bits(m, x, 0x3f400000, &s);
    return patch_special(m, x, natural(m, s));
}

mb_value mf_log2(struct cpu_math *m, mb_value x)
{
    struct split s;
    if (split_avx512(m, x, &s)) {
        lower_split(m, &s);
        return binary(m, s);
    }
    split_bits(m, x, 0x3f3504f3, &s);
    return patch_special(m, x, binary(m, s));
}
