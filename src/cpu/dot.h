#ifndef TILEC_CPU_DOT_H
#define TILEC_CPU_DOT_H
/* Products of tiles; see dot.c. */
#include "cpu/emit.h"

/* The value whose buffer a dot's operand (0 or 1) is read from; turned: as its transpose. */
struct ir_value *cpu_dot_operand(const struct ir_op *op, int i, bool *turned);

#endif
