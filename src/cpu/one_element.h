#ifndef TILEC_CPU_ONE_ELEMENT_H
#define TILEC_CPU_ONE_ELEMENT_H
#include "ir/ir.h"

/* Makes loads, in place, of sums that are one element of a carried tile; see one_element.c. */
void cpu_take_one_element(struct ir_func *func);

#endif
