/*
 * The error function, in float: |x| = n h + t with |t| <= h/2, and a polynomial of t of degree 6
 * for each n of 0 to 7, its coefficients from tables of 8 (math_table.c). No exponential, no
 * division, no choice between two computed values, and a short chain of operations.
 *
 * h was searched so that erf(n h) is within 0.11 units in the last place of a float for every n:
 * the last addition is then almost the only rounding. From 7.5 h on the result rounds to 1. Around
 * zero (n = 0) the leading term is t + 0.128 t, for the same reason: there y_n stands for t, which
 * is below every other y_n, so that choosing it takes a maximum only.
 * The polynomials were found by weighted least squares that approach the least greatest error,
 * rounding one coefficient after the other to float.
 */
#include "cpu/math_functions.h"

enum { DEGREE = 6 };

static const double h = 0x1.0b7b96p-1, last = 0x1.f57p1; /* below 7.5 h */

/* Of t^6 down to t, by n. */
static const double coefficients[DEGREE][MB_TABLE] = {
    {-0x1.449f5cp-6, -0x1.890056p-5, 0x1.0e0162p-7, 0x1.103a5cp-6, -0x1.28f102p-10,
     -0x1.f1da3cp-10, -0x1.f98222p-13, 0x1.41d9a2p-11},
    {0x1.e4cd04p-4, 0x1.834ad4p-10, -0x1.0d5a12p-4, -0x1.0d3972p-7, 0x1.9c0554p-7, 0x1.235872p-8,
     0x1.2b7662p-11, 0x1.27ddd2p-15},
    {-0x1.6f114ap-11, 0x1.77cba2p-3, 0x1.b98942p-5, -0x1.8beab8p-5, -0x1.d49a76p-6,
     -0x1.77f5a2p-8, -0x1.220616p-11, -0x1.818162p-14},
    {-0x1.811d36p-2, -0x1.0a5362p-3, 0x1.31dd2ep-3, 0x1.027bc8p-3, 0x1.2e79c8p-5, 0x1.532bcep-8,
     0x1.8d5612p-12, 0x1.f79fe0p-17},
    {-0x1.5db5fep-21, -0x1.cb7606p-2, -0x1.953686p-2, -0x1.368f0ep-3, -0x1.ea48f6p-6,
     -0x1.a439aep-9, -0x1.8f9c3ep-13, -0x1.3c24f2p-18},
    {0x1.06eba8p-3, 0x1.b7bcaep-1, 0x1.83d138p-2, 0x1.8c4d16p-4, 0x1.d53c16p-7, 0x1.41e1p-10,
     0x1.ffab5cp-15, 0x1.d737eap-20},
};

/* erf(n h), rounded. */
static const double values[MB_TABLE] = {0.0,          0x1.14790ap-1, 0x1.b8932cp-1, 0x1.f259b8p-1,
                                        0x1.fe6692p-1, 0x1.ffe314p-1, 0x1.fffec8p-1, 0x1.fffff8p-1};

mb_value mf_erf(struct cpu_math *m, mb_value x)
{
    static const char *const names[] = {"erf_6", "erf_5", "erf_4", "erf_3", "erf_2", "erf_1"};
    mb_value bits = mb_as_int(m, x), sign = mb_and(m, bits, mb_const_int(bits, INT32_MIN));
    mb_value a = mb_at_most(m, mb_as_float(m, mb_xor(m, bits, sign)), last);
    struct mf_exponent n = mf_nearest(m, a, 1.0 / h);
    mb_value t = mb_fma(m, n.value, mb_const_float(x, -h), a), index = mb_as_int(m, n.shifted);
    mb_value p = mb_table(m, names[0], coefficients[0], index);
    for (int i = 1; i < DEGREE; i++)
        p = mb_fma(m, p, t, mb_table(m, names[i], coefficients[i], index));
    mb_value y = mb_table(m, "erf_0", values, index);
    y = mb_select(m, mb_fcmp(m, LLVMRealOGT, t, y), t, y);
    return mb_as_float(m, mb_or(m, mb_as_int(m, mb_fma(m, p, t, y)), sign));
}
