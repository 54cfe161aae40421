#ifndef TILEC_CPU_NANS_H
#define TILEC_CPU_NANS_H
#include "ir/ir.h"

/* Marks, in place, conversions from float to bfloat that need no care for NaN; see nans.c. */
void cpu_clean_nans(struct ir_func *func);

/* attributes.bits of a cast whose operand's NaNs are all clean */
enum { CPU_CAST_CLEAN = 1 };

#endif
