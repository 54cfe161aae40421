#ifndef TILEC_TOOLS_MATH_REFERENCE_H
#define TILEC_TOOLS_MATH_REFERENCE_H
/*
 * What the CPU backend's arithmetic is compared with: libm in double for functions, and conversions
 * written out plainly over long double, which holds every element type exactly. Independent of
 * ir_eval on purpose: the constant folder is checked by it as well.
 */
#include "cpu/math.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- functions */

static inline double reference_rsqrt(double x)
{
    return 1.0 / sqrt(x);
}

static inline double reference_sigmoid(double x)
{
    double e = exp(-fabs(x));
    return (x < 0 ? e : 1.0) / (1.0 + e);
}

static inline double reference_exp10(double x)
{
    return pow(10, x);
}

static inline long double reference_exp10_long(long double x)
{
    return powl(10, x);
}

static inline long double reference_rsqrt_long(long double x)
{
    return 1.0L / sqrtl(x);
}

static inline long double reference_sigmoid_long(long double x)
{
    long double e = expl(-fabsl(x));
    return (x < 0 ? e : 1.0L) / (1.0L + e);
}

/* Of multiples of pi: what is left of x beside a multiple of 1/2 is exact. */

static inline long double reference_half_turns(long double x, int quarters)
{
    long double y = x - 2.0L * rintl(x / 2.0L), n = rintl(2.0L * y);
    long double r = 3.14159265358979323846L * (y - n / 2.0L);
    int place = isnan(r) ? 0 : ((int)n + quarters) & 3;
    long double v = place & 1 ? cosl(r) : sinl(r);
    return place & 2 ? -v : v;
}

static inline long double reference_sinpi_long(long double x)
{
    long double v = reference_half_turns(x, 0);
    return v == 0.0L ? copysignl(v, x) : v;
}

static inline long double reference_cospi_long(long double x)
{
    long double v = reference_half_turns(x, 1);
    return v == 0.0L ? 0.0L : v;
}

static inline double reference_sinpi(double x)
{
    return (double)reference_sinpi_long((long double)x);
}

static inline double reference_cospi(double x)
{
    return (double)reference_cospi_long((long double)x);
}

/* What depends on the type: of floats, given as doubles, and of doubles. */

static inline double reference_fdim(double x, double y)
{
    return (double)fdimf((float)x, (float)y);
}

static inline long double reference_fdim_long(long double x, long double y)
{
    return (long double)fdim((double)x, (double)y);
}

static inline double reference_nextafter(double x, double y)
{
    return (double)nextafterf((float)x, (float)y);
}

static inline long double reference_nextafter_long(long double x, long double y)
{
    return (long double)nextafter((double)x, (double)y);
}

/* The language's conversion to int, whose ends are far beyond what matters. */
static inline int reference_int(double x)
{
    return isnan(x) ? 0 : x > 1e9 ? INT_MAX : x < -1e9 ? INT_MIN : (int)x;
}

static inline double reference_ldexp(double x, double n)
{
    return (double)ldexpf((float)x, reference_int(n));
}

static inline long double reference_ldexp_long(long double x, long double n)
{
    return (long double)ldexp((double)x, reference_int((double)n));
}

/* The current rounding direction is nearest even; roundeven itself is newer than C17. */
static inline double (*math_reference(enum cpu_math_function function))(double)
{
    static double (*const functions[CPU_MATH_COUNT])(double) = {
        [CPU_MATH_ABS] = fabs,
        [CPU_MATH_SQRT] = sqrt,
        [CPU_MATH_FLOOR] = floor,
        [CPU_MATH_CEIL] = ceil,
        [CPU_MATH_TRUNC] = trunc,
        [CPU_MATH_ROUND] = round,
        [CPU_MATH_RINT] = rint,
        [CPU_MATH_EXP] = exp,
        [CPU_MATH_EXP2] = exp2,
        [CPU_MATH_EXP10] = reference_exp10,
        [CPU_MATH_LOG] = log,
        [CPU_MATH_LOG2] = log2,
        [CPU_MATH_LOG10] = log10,
        [CPU_MATH_EXPM1] = expm1,
        [CPU_MATH_LOG1P] = log1p,
        [CPU_MATH_RSQRT] = reference_rsqrt,
        [CPU_MATH_SIN] = sin,
        [CPU_MATH_COS] = cos,
        [CPU_MATH_TAN] = tan,
        [CPU_MATH_ASIN] = asin,
        [CPU_MATH_ACOS] = acos,
        [CPU_MATH_ATAN] = atan,
        [CPU_MATH_SINH] = sinh,
        [CPU_MATH_COSH] = cosh,
        [CPU_MATH_TANH] = tanh,
        [CPU_MATH_ERF] = erf,
        [CPU_MATH_CBRT] = cbrt,
        [CPU_MATH_SIGMOID] = reference_sigmoid,
    };
    return functions[function];
}

static inline double (*math_reference_pair(enum cpu_math_function function))(double, double)
{
    static double (*const functions[CPU_MATH_COUNT])(double, double) = {
        [CPU_MATH_POW] = pow,
        [CPU_MATH_ATAN2] = atan2,
        [CPU_MATH_HYPOT] = hypot,
        [CPU_MATH_FMOD] = fmod,
    };
    return functions[function];
}

/* Error of a float in units of the last place of the true value; infinite for a wrong NaN, infinity
 * or sign of zero. An overflow to infinity counts as 2^128. */
static inline double math_ulps(float got, double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0.0 : (double)INFINITY;
    if (isinf(want) || want == 0.0 || got == 0.0f) {
        if (!signbit(got) != !signbit(want))
            return (double)INFINITY;
        if (isinf(want) || want == 0.0)
            return (double)got == want ? 0.0 : (double)INFINITY;
    }
    if (isinf(got) && fabs(want) >= 0x1.ffffffp127)
        return !signbit(got) == (want > 0.0) ? 0.0 : (double)INFINITY;
    uint64_t bits;
    memcpy(&bits, &want, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
    bits = (uint64_t)(1023 + 23 - exponent) << 52; /* 1 / ulp */
    double scale, value = isinf(got) ? copysign(0x1p128, (double)got) : (double)got;
    memcpy(&scale, &bits, sizeof scale);
    return fabs(value - want) * scale;
}

/* The same over long double, for double. */
static inline long double (*math_reference_long(enum cpu_math_function function))(long double)
{
    static long double (*const functions[CPU_MATH_COUNT])(long double) = {
        [CPU_MATH_ABS] = fabsl,
        [CPU_MATH_SQRT] = sqrtl,
        [CPU_MATH_FLOOR] = floorl,
        [CPU_MATH_CEIL] = ceill,
        [CPU_MATH_TRUNC] = truncl,
        [CPU_MATH_ROUND] = roundl,
        [CPU_MATH_RINT] = rintl,
        [CPU_MATH_EXP] = expl,
        [CPU_MATH_EXP2] = exp2l,
        [CPU_MATH_EXP10] = reference_exp10_long,
        [CPU_MATH_LOG] = logl,
        [CPU_MATH_LOG2] = log2l,
        [CPU_MATH_LOG10] = log10l,
        [CPU_MATH_EXPM1] = expm1l,
        [CPU_MATH_LOG1P] = log1pl,
        [CPU_MATH_RSQRT] = reference_rsqrt_long,
        [CPU_MATH_SIN] = sinl,
        [CPU_MATH_COS] = cosl,
        [CPU_MATH_TAN] = tanl,
        [CPU_MATH_ASIN] = asinl,
        [CPU_MATH_ACOS] = acosl,
        [CPU_MATH_ATAN] = atanl,
        [CPU_MATH_SINH] = sinhl,
        [CPU_MATH_COSH] = coshl,
        [CPU_MATH_TANH] = tanhl,
        [CPU_MATH_ERF] = erfl,
        [CPU_MATH_CBRT] = cbrtl,
        [CPU_MATH_SIGMOID] = reference_sigmoid_long,
    };
    return functions[function];
}

static inline long double (*math_reference_pair_long(enum cpu_math_function function))(long double,
                                                                                       long double)
{
    static long double (*const functions[CPU_MATH_COUNT])(long double, long double) = {
        [CPU_MATH_POW] = powl,
        [CPU_MATH_ATAN2] = atan2l,
        [CPU_MATH_HYPOT] = hypotl,
        [CPU_MATH_FMOD] = fmodl,
    };
    return functions[function];
}

/* math_ulps for double. */
static inline double math_ulps_double(double got, long double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0.0 : (double)INFINITY;
    if (isinf(want) || want == 0.0L || got == 0.0) {
        if (!signbit(got) != !signbit(want))
            return (double)INFINITY;
        if (isinf(want) || want == 0.0L)
            return (long double)got == want ? 0.0 : (double)INFINITY;
    }
    if (isinf(got) && fabsl(want) >= 0x1.fffffffffffff8p1023L)
        return !signbit(got) == (want > 0.0L) ? 0.0 : (double)INFINITY;
    int exponent = ilogbl(want);
    exponent = exponent < -1022 ? -1022 : exponent > 1023 ? 1023 : exponent;
    long double value = isinf(got) ? copysignl(0x1p1024L, (long double)got) : (long double)got;
    return (double)ldexpl(fabsl(value - want), 52 - exponent);
}

/* ---- elements as bits */

struct float_format {
    int precision; /* of the significand, with the leading bit */
    int least;     /* exponent of the least subnormal */
    int greatest;  /* values from 2^greatest on are infinite */
    int field;     /* bits of the exponent field */
};

static inline struct float_format float_format_of(enum ir_elem elem)
{
    switch (elem) {
    case IR_F16:
        return (struct float_format){11, -24, 16, 5};
    case IR_BF16:
        return (struct float_format){8, -133, 128, 8};
    case IR_F32:
        return (struct float_format){24, -149, 128, 8};
    default:
        return (struct float_format){53, -1074, 1024, 11};
    }
}

/* The value of an element; bits are zero-extended. Integers are exact too. */
static inline long double element_value(enum ir_elem elem, uint64_t bits)
{
    int width = ir_elems[elem].bits;
    if (elem == IR_F32) {
        uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, sizeof f);
        return (long double)f;
    }
    if (elem == IR_BOOL || ir_elems[elem].kind == IR_KIND_UNSIGNED)
        return (long double)bits;
    if (ir_is_signed(elem))
        return (long double)((int64_t)(bits << (64 - width)) >> (64 - width));
    struct float_format f = float_format_of(elem);
    int fraction_bits = f.precision - 1;
    int64_t fraction = (int64_t)(bits & ((UINT64_C(1) << fraction_bits) - 1));
    int exponent = (int)(bits >> fraction_bits) & ((1 << f.field) - 1);
    long double value;
    if (exponent == (1 << f.field) - 1)
        value = fraction ? (long double)NAN : (long double)INFINITY;
    else if (exponent == 0)
        value = ldexpl((long double)fraction, f.least);
    else
        value =
            ldexpl((long double)(fraction + (INT64_C(1) << fraction_bits)), f.least + exponent - 1);
    return bits >> (width - 1) & 1 ? -value : value;
}

static inline double power_of_two(int n) /* -1022 <= n <= 1023 */
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* The bits of v rounded once to a float format. NaN gives the quiet NaN without payload. */
static inline uint64_t float_bits_of(enum ir_elem elem, long double v)
{
    struct float_format f = float_format_of(elem);
    int fraction_bits = f.precision - 1, width = ir_elems[elem].bits;
    uint64_t sign = signbit(v) ? UINT64_C(1) << (width - 1) : 0, bits;
    uint64_t infinity = ((UINT64_C(1) << f.field) - 1) << fraction_bits;
    if (isnan(v))
        return infinity | UINT64_C(1) << (fraction_bits - 1);
    v = fabsl(v);
    if (isinf(v))
        return sign | infinity;
    double d = (double)v;
    bool short_way = width == 16 && (long double)d == v && d < 0x1p200;
    memcpy(&bits, &d, sizeof bits);
    int exponent = short_way ? (int)(bits >> 52) - 1023 : v > 0 ? ilogbl(v) : f.least;
    int unit = exponent - fraction_bits < f.least ? f.least : exponent - fraction_bits;
    if (short_way) { /* the sum has its last bit at 2^unit; much faster, for 2^32 of them */
        double magic = 1.5 * power_of_two(unit + 52);
        v = (long double)(((d + magic) - magic) * power_of_two(-unit));
    } else {
        v = rintl(scalbnl(v, -unit)); /* in units of the last place, up to 2^precision */
    }
    /* The fraction carries into the exponent by itself. */
    bits = ((uint64_t)(unit - f.least) << fraction_bits) + (uint64_t)v;
    return sign | (exponent < f.greatest && bits < infinity ? bits : infinity);
}

static inline uint64_t integer_bits_of(enum ir_elem elem, long double v)
{
    int width = ir_elems[elem].bits;
    uint64_t mask = UINT64_MAX >> (64 - width);
    long double top = ldexpl(1.0L, ir_is_signed(elem) ? width - 1 : width);
    long double low = ir_is_signed(elem) ? -top : 0.0L;
    if (isnan(v))
        return 0;
    if (v >= top)
        return ir_is_signed(elem) ? mask >> 1 : mask;
    if (v <= low)
        return ir_is_signed(elem) ? (mask >> 1) + 1 : 0;
    return ir_is_signed(elem) ? (uint64_t)(int64_t)truncl(v) & mask : (uint64_t)truncl(v) & mask;
}

static inline uint64_t reference_convert(uint64_t bits, enum ir_elem from, enum ir_elem to)
{
    long double v = element_value(from, bits);
    if (to == IR_BOOL)
        return v != 0.0L;
    if (ir_is_float(to))
        return float_bits_of(to, v);
    if (ir_is_float(from))
        return integer_bits_of(to, v);
    uint64_t extended = ir_is_signed(from) ? (uint64_t)(int64_t)v : bits;
    return extended & (UINT64_MAX >> (64 - ir_elems[to].bits));
}

static inline bool element_is_nan(enum ir_elem elem, uint64_t bits)
{
    return ir_is_float(elem) && isnan(element_value(elem, bits));
}

#endif
