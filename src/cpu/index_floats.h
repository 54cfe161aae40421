#ifndef TILEC_CPU_INDEX_FLOATS_H
#define TILEC_CPU_INDEX_FLOATS_H
#include "cpu/emit.h"

/* A float made of an index that steps from lane to lane; see index_floats.c. False: it is something
 * else. */
bool cpu_index_float_element(struct cpu_emit *e, const struct ir_op *op,
                             const struct cpu_position *p, struct cpu_element *element);

#endif
