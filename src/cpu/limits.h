#ifndef TILEC_CPU_LIMITS_H
#define TILEC_CPU_LIMITS_H
#include "cpu/emit.h"

/* A float that becomes an int between two limits, limited as a float; see limits.c. False: it is
 * something else. */
bool cpu_limited_element(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                         struct cpu_element *element);

#endif
