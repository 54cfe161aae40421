/*
 * half and bfloat, in integer arithmetic.
 *
 * Every narrowing conversion is "a sign, and significand * 2^exponent with a 64-bit significand",
 * rounded by one function for both formats. A float is given as a double, which is exact.
 */
#include "base/half.h"

#include <stdbool.h>
#include <string.h>

/* A 16-bit format: a sign, exponent bits, and precision - 1 bits of fraction. */
struct format {
    int precision; /* bits of significand, the hidden one included */
    int bias;      /* the smallest normal exponent is 1 - bias, the largest bias */
};

static const struct format format_half = {11, 15};
static const struct format format_bfloat = {8, 127};

static uint16_t infinity_of(const struct format *format)
{
    return (uint16_t)((2 * format->bias + 1) << (format->precision - 1));
}

/* significand >> shift, rounded to nearest even; 0 < shift. */
static uint64_t shift_and_round(uint64_t significand, int shift)
{
    if (shift > 64)
        return 0;
    uint64_t kept = shift == 64 ? 0 : significand >> shift;
    uint64_t lost = significand << (64 - shift);
    const uint64_t tie = UINT64_C(1) << 63;
    return kept + (lost > tie || (lost == tie && (kept & 1)) ? 1 : 0);
}

/* The nearest to (negative ? -1 : 1) * significand * 2^exponent. */
static uint16_t format_round(const struct format *format, bool negative, uint64_t significand,
                             int exponent)
{
    uint16_t sign = negative ? 0x8000 : 0;
    if (significand == 0)
        return sign;
    int leading = __builtin_clzll(significand);
    significand <<= leading;
    int power = exponent - leading + 63; /* value = 1.xxx * 2^power */
    if (power > format->bias)
        return sign | infinity_of(format);

    int smallest = 1 - format->bias;
    int below = power < smallest ? smallest - power : 0;
    uint64_t kept = shift_and_round(significand, 64 - format->precision + below);
    /* The hidden bit adds one to a normal's exponent field, and so does a carry out of rounding:
     * into the next power of two, from the subnormals into the normals, or into infinity. */
    uint64_t field = below ? 0 : (uint64_t)(power + format->bias - 1);
    return (uint16_t)(sign | ((field << (format->precision - 1)) + kept));
}

static uint16_t format_from_double(const struct format *format, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bool negative = bits >> 63;
    int field = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (field == 0x7ff) {
        uint16_t special = (uint16_t)((negative ? 0x8000 : 0) | infinity_of(format));
        if (fraction == 0)
            return special;
        int fraction_bits = format->precision - 1;
        return (uint16_t)(special | 1 << (fraction_bits - 1) | fraction >> (52 - fraction_bits));
    }
    if (field == 0)
        return format_round(format, negative, fraction, -1074);
    return format_round(format, negative, fraction | UINT64_C(1) << 52, field - 1075);
}

static uint16_t format_from_int64(const struct format *format, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return format_round(format, value < 0, magnitude, 0);
}

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float half_to_float(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    uint32_t field = bits >> 10 & 0x1f;
    uint32_t fraction = bits & 0x3ff;
    if (field == 0x1f)
        return float_of_bits(sign | 0x7f800000 | fraction << 13);
    if (field != 0)
        return float_of_bits(sign | (field + 112) << 23 | fraction << 13);
    float magnitude = (float)fraction * 0x1p-24f;
    return sign ? -magnitude : magnitude;
}

uint16_t half_from_double(double value)
{
    return format_from_double(&format_half, value);
}

uint16_t half_from_int64(int64_t value)
{
    return format_from_int64(&format_half, value);
}

uint16_t half_from_uint64(uint64_t value)
{
    return format_round(&format_half, false, value, 0);
}

float bfloat_to_float(uint16_t bits)
{
    return float_of_bits((uint32_t)bits << 16);
}

uint16_t bfloat_from_double(double value)
{
    return format_from_double(&format_bfloat, value);
}

uint16_t bfloat_from_int64(int64_t value)
{
    return format_from_int64(&format_bfloat, value);
}

uint16_t bfloat_from_uint64(uint64_t value)
{
    return format_round(&format_bfloat, false, value, 0);
}
