#ifndef TILEC_CPU_MATH_F32_H
#define TILEC_CPU_MATH_F32_H
/* The float functions behind cpu_math_call, one emitter each; private to math*.c. */
#include "cpu/math_build.h"

mb_value mf_exp(struct cpu_math *m, mb_value x);
mb_value mf_exp2(struct cpu_math *m, mb_value x);
mb_value mf_sigmoid(struct cpu_math *m, mb_value x);
mb_value mf_tanh(struct cpu_math *m, mb_value x);
mb_value mf_erf(struct cpu_math *m, mb_value x);
mb_value mf_log(struct cpu_math *m, mb_value x);
mb_value mf_log2(struct cpu_math *m, mb_value x);
mb_value mf_sin(struct cpu_math *m, mb_value x);
mb_value mf_cos(struct cpu_math *m, mb_value x);
mb_value mf_pow(struct cpu_math *m, mb_value x, mb_value y);

#endif
