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

/* ---- approximate */

/* log(1 + t + low); of large t log(2 t), so that t times 2 need not be a number. */
static auto log_of_sum(auto t, auto low, auto large)
{
    auto rest = where(large, -1, low) / (1 + t);
    return log1p(t) + where(large, rest + 0x1.62e42fefa39efp-1, rest);
}

/* log(x + sqrt(x^2 + 1)), its 1 taken out of the sum, with what the sum of the others loses. From
 * `large` on the square does not tell x^2 + 1 from x^2. */
static auto inverse_sinh(auto x, auto large)
{
    auto a = abs(x), more = a * a / (1 + sqrt(a * a + 1)), t = a + more;
    auto result = log_of_sum(where(a < large, t, a), a - t + more, a >= large);
    return copysign(result, x);
}

static float float_asinh(float x)
{
    return inverse_sinh(x, 0x1p14f);
}

static double double_asinh(double x)
{
    return inverse_sinh(x, 0x1p28);
}

/* log(x + sqrt(x^2 - 1)) by t = x - 1, which is exact: of t + sqrt(t^2 + 2 t), the root with what
 * rounding has taken from it and from what is under it. */
static auto inverse_cosh(auto x, auto large)
{
    auto t = x - 1, twice = t + t, square = t * t + twice, root = sqrt(square);
    auto under = fma(-root, root, square) + fma(t, t, twice - square);
    auto root_low = where(root > 0, under / (root + root), 0), whole = root + t;
    auto result = log_of_sum(where(x < large, whole, x), root - whole + t + root_low, x >= large);
    return where(x < 1, NAN, result);
}

static float float_acosh(float x)
{
    return inverse_cosh(x, 0x1p14f);
}

static double double_acosh(double x)
{
    return inverse_cosh(x, 0x1p28);
}

/* log(1 + t) / 2 with t = 2 x / (1 - x), with what the difference and the quotient lose. */
static auto inverse_tanh(auto x)
{
    auto a = abs(x), below = 1 - a, below_low = 1 - below - a, t = (a + a) / below;
    auto left = fma(-t, below, a + a) - t * below_low;
    auto result = log_of_sum(t, left / below, false) * 0.5;
    return copysign(where(a == 1, INFINITY, result), x);
}

static float float_atanh(float x)
{
    return inverse_tanh(x);
}

static double double_atanh(double x)
{
    return inverse_tanh(x);
}

/* x without multiples of 2, exactly. */
static auto within_turn(auto x)
{
    return fma(rint(x * 0.5), -2, x);
}

/* The sine of so many quarters of a turn and a rest, by the rest's sine and cosine. */
static auto sine_of_quarters(auto quarters, auto sine, auto cosine)
{
    auto result = where((quarters & 1) != 0, cosine, sine);
    return where((quarters & 2) != 0, -result, result);
}

/* sin(pi x + quarters pi / 2). Without halves r is left of x, at most 1/4 and exact, and two
 * polynomials of its square are near. */
static float float_sine_of_turns(float x, int quarters)
{
    float y = within_turn(x), n = rint(y + y), r = fma(n, -0.5f, y), z = r * r;
    float s = 0x1.4cb74ap-4f;
    s = s * z - 0x1.32ce1ep-1f;
    s = s * z + 0x1.466bc2p1f;
    s = s * z - 0x1.4abbcep2f;
    s = s * z - 0x1.777a5cp-24f;
    float c = 0x1.db6466p-3f;
    c = c * z - 0x1.55cb98p0f;
    c = c * z + 0x1.03c1eap2f;
    c = c * z - 0x1.3bd3ccp2f;
    return sine_of_quarters((int)n + quarters, fma(r, 0x1.921fb6p1f, r * s), fma(c, z, 1));
}

static double double_sine_of_turns(double x, int quarters)
{
    double y = within_turn(x), n = rint(y + y), r = fma(n, -0.5, y), z = r * r;
    double s = 0x1.e4a9bd16ce9f7p-12;
    s = s * z - 0x1.e3027dab81c1dp-8;
    s = s * z + 0x1.50783208533c5p-4;
    s = s * z - 0x1.32d2cce50019dp-1;
    s = s * z + 0x1.466bc6775a476p1;
    s = s * z - 0x1.4abbce625be52p2;
    s = s * z + 0x1.1a62633145c07p-53;
    double c = -0x1.b2f3d15e072b2p-14;
    c = c * z + 0x1.f9ce24161febp-10;
    c = c * z - 0x1.a6d1eef43193ep-6;
    c = c * z + 0x1.e1f5068688925p-3;
    c = c * z - 0x1.55d3c7e3cb23fp0;
    c = c * z + 0x1.03c1f081b5acp2;
    c = c * z - 0x1.3bd3cc9be45dep2;
    return sine_of_quarters((int)n + quarters, fma(r, 0x1.921fb54442d18p1, r * s), fma(c, z, 1));
}

/* A zero has the sign of x. */
static auto signed_zero(auto x, auto sine)
{
    return where(sine == 0, copysign(sine, x), sine);
}

static float float_sinpi(float x)
{
    return signed_zero(x, float_sine_of_turns(x, 0));
}

static double double_sinpi(double x)
{
    return signed_zero(x, double_sine_of_turns(x, 0));
}

/* A zero is positive. */
static float float_cospi(float x)
{
    float cosine = float_sine_of_turns(x, 1);
    return where(cosine == 0, 0, cosine);
}

static double double_cospi(double x)
{
    double cosine = double_sine_of_turns(x, 1);
    return where(cosine == 0, 0, cosine);
}

/*
 * erfc(a) = exp(-a^2) n / (1 + a) for a >= 0, where n is a polynomial of q = (a - 3) / (a + 3), flat
 * at 0 (after Shepherd and Laframboise, 1981). What a step loses goes into the next one: n and the
 * quotient have low parts, and the terms of exp(-a^2) = 2^k (1 + r + more) are never added up.
 */

/* (a - 3) / (a + 3) */
static auto erfc_argument(auto a)
{
    auto inverse = 1 / (a + 3), q = (a - 3) * inverse;
    return fma(inverse, fma(-q, a, fma(q + 1, -3, a)), q);
}

/* n / (1 + a) (1 + r + more) */
static auto erfc_product(auto a, auto n, auto n_low, auto r, auto more)
{
    auto d = 1 + a, d_low = minimum(a, 1) - (d - maximum(a, 1));
    auto inverse = 1 / d, w = n * inverse;
    auto w_low = (fma(-w, d, n) + n_low - w * d_low) * inverse;
    return w + fma(w, r, fma(w, more, fma(w_low, r, w_low)));
}

static float float_erfc(float x)
{
    float a = minimum(abs(x), 11.0f), q = erfc_argument(a);
    float p = -0x1.d4b44p-14f;
    p = p * q - 0x1.959918p-12f;
    p = p * q + 0x1.6ecea6p-11f;
    p = p * q + 0x1.b046eep-10f;
    p = p * q - 0x1.3fd23ap-7f;
    p = p * q + 0x1.679dfep-6f;
    p = p * q - 0x1.85ff3p-6f;
    p = p * q - 0x1.4f5dc4p-7f;
    p = p * q + 0x1.9596ccp-4f;
    p = p * q - 0x1.d8f07p-3f;
    float n = p * q + 0x1.6e9828p-1f, n_low = p * q + (0x1.6e9828p-1f - n) - 0x1.80522ap-28f;
    float square = a * a, k = rint(square * -0x1.715476p0f);
    float high = fma(k, -0x1.62e3p-1f, -square), low = fma(k, -0x1.2fefa2p-17f, square - a * a);
    float r = high + low;
    float e = 0x1.a1258cp-13f;
    e = e * r + 0x1.6d43d2p-10f;
    e = e * r + 0x1.1110ep-7f;
    e = e * r + 0x1.5554e8p-5f;
    e = e * r + 0x1.555556p-3f;
    e = e * r + 0.5f;
    float y = ldexp(erfc_product(a, n, n_low, r, r * r * e + (high - r + low)), (int)k);
    return where(x < 0, 2 - y, y);
}

static double double_erfc(double x)
{
    double a = minimum(abs(x), 28.0), q = erfc_argument(a);
    double p = -0x1.bf9e3fd8f9b0ap-32;
    p = p * q - 0x1.894779cf15a1cp-29;
    p = p * q - 0x1.f1ab4de97bfdfp-29;
    p = p * q + 0x1.20238026b5709p-26;
    p = p * q + 0x1.884a25a2bc9efp-25;
    p = p * q - 0x1.a7d6fc4b8dbep-25;
    p = p * q - 0x1.361b787744b66p-22;
    p = p * q + 0x1.10d5eb5cbb1b9p-24;
    p = p * q + 0x1.a9cdf6fb21516p-20;
    p = p * q + 0x1.16075b717f0e4p-22;
    p = p * q - 0x1.2da07ad01ffap-17;
    p = p * q - 0x1.96563a632ace4p-20;
    p = p * q + 0x1.d6c2fdddc449fp-15;
    p = p * q - 0x1.58cd293e6d546p-16;
    p = p * q - 0x1.81213de65cb44p-12;
    p = p * q + 0x1.5297b7d803f33p-11;
    p = p * q + 0x1.a84c55d0182f3p-10;
    p = p * q - 0x1.3f82b5d122e78p-7;
    p = p * q + 0x1.67c189950509bp-6;
    p = p * q - 0x1.8600d9145decdp-6;
    p = p * q - 0x1.4f64aa4aa30dbp-7;
    p = p * q + 0x1.9596c92adafaap-4;
    p = p * q - 0x1.d8f06dfac798bp-3;
    double n = p * q + 0x1.6e9827d229d2dp-1, n_low = p * q + (0x1.6e9827d229d2dp-1 - n) - 0x1.5e38aa0ac60e7p-56;
    double square = a * a, k = rint(square * -0x1.71547652b82fep0);
    double high = fma(k, -0x1.62e42feep-1, -square);
    double low = fma(k, -0x1.a39ef35793c76p-33, square - a * a), r = high + low;
    double e = 0x1.1f7350a074034p-29;
    e = e * r + 0x1.af4e70dd7207dp-26;
    e = e * r + 0x1.27e4db3f36203p-22;
    e = e * r + 0x1.71de01f07539bp-19;
    e = e * r + 0x1.a01a01a6e448ep-16;
    e = e * r + 0x1.a01a01abfc8ddp-13;
    e = e * r + 0x1.6c16c16c162bfp-10;
    e = e * r + 0x1.11111111100b6p-7;
    e = e * r + 0x1.5555555555556p-5;
    e = e * r + 0x1.5555555555557p-3;
    e = e * r + 0.5;
    double y = ldexp(erfc_product(a, n, n_low, r, r * r * e + (high - r + low)), (int)k);
    return where(x < 0, 2 - y, y);
}
