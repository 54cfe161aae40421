/*
 * Built-ins that are written in the language. lower_composed.c calls TYPE_NAME, or any_NAME, which
 * takes every floating type; what has neither for half and bfloat computes in float and rounds
 * once. Numbers without a suffix have the type of what they meet, so that any_NAME has double's
 * digits for doubles.
 */
#include <tilec/kernel.h>

/* ---- exact */

static auto any_copysign(auto x, auto y)
{
    return where(signbit(y), -abs(x), abs(x));
}

/* Not by maximum: infinity - infinity is 0 here. */
static auto any_fdim(auto x, auto y)
{
    return where(x <= y, 0, x - y);
}

static auto any_isfinite(auto x)
{
    return abs(x) < INFINITY;
}

/* fdlibm's: what is left of twice the divisor decides by half of it, and tells odd quotients from
 * even ones. No sum here rounds: one that overflows is greater than all that it is compared with.
 */
static auto any_remainder(auto x, auto y)
{
    auto divisor = abs(y), left = fmod(abs(x), divisor + divisor), less = left - divisor;
    less = where(less + less >= divisor, less - divisor, less);
    left = where(left + left > divisor, less, left);
    return where(signbit(x), -left, left);
}

/* Three factors, of which the last alone rounds: where it does not suffice, what the others lose
 * leaves 0 or infinity (musl's scalbn). */
static float float_ldexp(float x, int n)
{
    n = clamp(n, -300, 300);
    int last = clamp(n, -126, 127), rest = n - last, part = rest >> 1;
    x = x * bitcast(float, (part + 127) << 23) * bitcast(float, (rest - part + 127) << 23);
    return x * bitcast(float, (last + 127) << 23);
}

static double double_ldexp(double x, int n)
{
    n = clamp(n, -2200, 2200);
    int last = clamp(n, -1022, 1023), rest = n - last, part = rest >> 1;
    x = x * bitcast(double, (long)(part + 1023) << 52) *
        bitcast(double, (long)(rest - part + 1023) << 52);
    return x * bitcast(double, (long)(last + 1023) << 52);
}

static auto any_special_logb(auto x, auto exponent)
{
    auto of_finite = where(x == 0, -INFINITY, exponent);
    return where(x < INFINITY, of_finite, x);
}

static float float_logb(float x)
{
    float a = abs(x), up = where(a < FLT_MIN, a * 0x1p24f, a);
    float exponent = (bitcast(int, up) >> 23) - where(a < FLT_MIN, 127 + 24, 127);
    return any_special_logb(a, exponent);
}

static double double_logb(double x)
{
    double a = abs(x), up = where(a < DBL_MIN, a * 0x1p53, a);
    double exponent = (bitcast(long, up) >> 52) - where(a < DBL_MIN, 1023 + 53, 1023);
    return any_special_logb(a, exponent);
}

/* The bits that follow x's on the way to y; a zero has y's sign. */
static auto bits_towards(auto x, auto y, auto bits, auto zero)
{
    auto from = where(x == 0, zero, bits);
    return from + where((x < y) == (from >= 0), 1, -1);
}

static auto any_special_nextafter(auto x, auto y, auto next)
{
    auto of_numbers = where(x == y, y, next);
    return where(isnan(x), x, where(isnan(y), y, of_numbers));
}

static half half_nextafter(half x, half y)
{
    short zero = bitcast(short, y) & INT16_MIN;
    short bits = bits_towards(x, y, bitcast(short, x), zero);
    return any_special_nextafter(x, y, bitcast(half, bits));
}

static bfloat bfloat_nextafter(bfloat x, bfloat y)
{
    short zero = bitcast(short, y) & INT16_MIN;
    short bits = bits_towards(x, y, bitcast(short, x), zero);
    return any_special_nextafter(x, y, bitcast(bfloat, bits));
}

static float float_nextafter(float x, float y)
{
    int bits = bits_towards(x, y, bitcast(int, x), bitcast(int, y) & INT_MIN);
    return any_special_nextafter(x, y, bitcast(float, bits));
}

static double double_nextafter(double x, double y)
{
    long bits = bits_towards(x, y, bitcast(long, x), bitcast(long, y) & LONG_MIN);
    return any_special_nextafter(x, y, bitcast(double, bits));
}
