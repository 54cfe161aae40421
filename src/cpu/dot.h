#ifndef TILEC_CPU_DOT_H
#define TILEC_CPU_DOT_H
/* Products of tiles; see dot.c. */
#include "cpu/emit.h"

/* Whether the dot's operand (0 or 1) is the transpose of another tile. */
bool cpu_dot_turns(const struct ir_op *op, int i);

/* The value whose buffer a dot's operand (0 or 1) is read from; turned: as its transpose. */
struct ir_value *cpu_dot_operand(const struct cpu_emit *e, const struct ir_op *op, int i,
                                 bool *turned);

/* Whether the second operand is a load that may be read where it is, if none of it is masked. */
bool cpu_dot_in_place(const struct cpu_emit *e, const struct ir_op *op);

/* How sums lie in registers: of how many vectors of columns a panel has, of how many rows a strip
 * has then, at most; lanes of a vector where there are so many columns. */
int cpu_dot_vectors(const struct cpu_emit *e);
int cpu_dot_rows(const struct cpu_emit *e, enum ir_elem elem, int vectors);
int cpu_dot_lanes(const struct cpu_emit *e, enum ir_elem elem, int64_t columns);

/* ---- dot_note.c */
/* Whether an operand of one of the func's dots comes of another dot, in the same turn of a loop:
 * such a kernel cannot be one product. */
bool cpu_dots_in_chain(const struct ir_func *func);
/* A dot in a loop that spends much of its time on other than multiplying, or NULL; the reason. */
const struct ir_op *cpu_dot_slow(const struct cpu_emit *e, const struct ir_func *func,
                                 const char **reason);

#endif
