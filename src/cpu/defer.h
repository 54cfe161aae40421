#ifndef TILEC_CPU_DEFER_H
#define TILEC_CPU_DEFER_H
#include "ir/ir.h"

/* Puts searches whose results are chosen or not into branches, in place; see defer.c. */
void cpu_defer_searches(struct ir_func *func);

#endif
