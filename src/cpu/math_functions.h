#ifndef TILEC_CPU_MATH_FUNCTIONS_H
#define TILEC_CPU_MATH_FUNCTIONS_H
/*
 * The functions behind cpu_math_call_elem, one emitter each; private to math*.c. mf_ is of float,
 * md_ of double; the functions of double that have none call libm.
 */
#include "cpu/math_build.h"

mb_value mf_exp(struct cpu_math *m, mb_value x);
/* The same for x <= 0; with the bits of the next one where near_if (NULL: false) and x allow it. */
mb_value mf_exp_not_positive(struct cpu_math *m, mb_value x, mb_value near_if);
mb_value mf_exp_near(struct cpu_math *m, mb_value x); /* for x in [-CPU_EXP_NEAR, 0] */
mb_value mf_exp2(struct cpu_math *m, mb_value x);
mb_value mf_exp10(struct cpu_math *m, mb_value x);
mb_value mf_expm1(struct cpu_math *m, mb_value x);
mb_value mf_sigmoid(struct cpu_math *m, mb_value x);
mb_value mf_sinh(struct cpu_math *m, mb_value x);
mb_value mf_cosh(struct cpu_math *m, mb_value x);
mb_value mf_tanh(struct cpu_math *m, mb_value x);
mb_value mf_erf(struct cpu_math *m, mb_value x);
mb_value mf_log(struct cpu_math *m, mb_value x);
mb_value mf_log2(struct cpu_math *m, mb_value x);
mb_value mf_log10(struct cpu_math *m, mb_value x);
mb_value mf_log1p(struct cpu_math *m, mb_value x);
mb_value mf_sin(struct cpu_math *m, mb_value x);
mb_value mf_cos(struct cpu_math *m, mb_value x);
mb_value mf_tan(struct cpu_math *m, mb_value x);
mb_value mf_pow(struct cpu_math *m, mb_value x, mb_value y);

mb_value md_exp(struct cpu_math *m, mb_value x);
mb_value md_exp2(struct cpu_math *m, mb_value x);
mb_value md_exp10(struct cpu_math *m, mb_value x);
/* Of numbers up to MD_TRIG_NEAR, NaN and infinities; of others any value. */
#define MD_TRIG_NEAR 0x1p20
mb_value md_sin_near(struct cpu_math *m, mb_value x);
mb_value md_cos_near(struct cpu_math *m, mb_value x);
mb_value md_tan_near(struct cpu_math *m, mb_value x);
mb_value md_expm1(struct cpu_math *m, mb_value x);
mb_value md_sigmoid(struct cpu_math *m, mb_value x);
mb_value md_sinh(struct cpu_math *m, mb_value x);
mb_value md_cosh(struct cpu_math *m, mb_value x);
mb_value md_tanh(struct cpu_math *m, mb_value x);
mb_value md_log(struct cpu_math *m, mb_value x);
mb_value md_log2(struct cpu_math *m, mb_value x);
mb_value md_log10(struct cpu_math *m, mb_value x);
mb_value md_log1p(struct cpu_math *m, mb_value x);

/* ---- of both formats */

mb_value mf_atan(struct cpu_math *m, mb_value x);
mb_value mf_asin(struct cpu_math *m, mb_value x);
mb_value mf_acos(struct cpu_math *m, mb_value x);
mb_value mf_atan2(struct cpu_math *m, mb_value y, mb_value x);
mb_value mf_cbrt(struct cpu_math *m, mb_value x);
mb_value mf_hypot(struct cpu_math *m, mb_value x, mb_value y);
mb_value mf_fmod(struct cpu_math *m, mb_value x, mb_value y);

/* ---- shared by both formats */

/* An integer n as a float, and in the low bits of n + 1.5 * 2^23 (double: 1.5 * 2^52). */
struct mf_exponent {
    mb_value value;
    mb_value shifted;
};

/* The integer nearest to x * factor; below 2^21 or so. */
struct mf_exponent mf_nearest(struct cpu_math *m, mb_value x, double factor);

/* e^x = 2^n (1 + r + tail), |r| being up to 0.347, for |x| below a few hundred (double: thousand).
 */
struct mf_power {
    struct mf_exponent n;
    mb_value r, tail;
};

struct mf_power mf_exp_tail(struct cpu_math *m, mb_value x);
struct mf_power md_exp_tail(struct cpu_math *m, mb_value x);

/* sigmoid(x) by e = exp(-|x|); tanh(x) by e = exp(2 |x|) and its value for small |x|. */
mb_value mf_sigmoid_of(struct cpu_math *m, mb_value x, mb_value e);
mb_value mf_tanh_of(struct cpu_math *m, mb_value x, mb_value small, mb_value e);

/* e^x - 1 by e^x, where n is at least -64. */
mb_value mf_expm1_of(struct cpu_math *m, mb_value x, struct mf_power p);

/* x = 2^e (1 + f), 1 + f in [low, 2 low), low = 3/4 or (about) the root of 1/2. */
struct mf_split {
    mb_value e; /* as a float */
    mb_value f;
    bool special; /* e and f also stand for zeros (e is -infinity), infinity (e is too), NaN and
                   * negatives (f is NaN) */
};

struct mf_split mf_split(struct cpu_math *m, mb_value x, bool root_half);

/* 1 + x = 2^e (1 + f), and that sum rounded, whose special cases are those of the result. */
struct mf_split mf_split_sum(struct cpu_math *m, mb_value x, bool root_half, mb_value *rounded);

/* A logarithm's result, with the special cases of x put in if the split did not see to them. */
mb_value mf_log_special(struct cpu_math *m, mb_value x, const struct mf_split *s, mb_value result);

#endif
