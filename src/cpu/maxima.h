#ifndef TILEC_CPU_MAXIMA_H
#define TILEC_CPU_MAXIMA_H
#include "cpu/emit.h"

/* The greatest of more than two floats at once; see maxima.c. False: it is something else. */
bool cpu_maxima_element(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                        struct cpu_element *element);

#endif
