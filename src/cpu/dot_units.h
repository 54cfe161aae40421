#ifndef TILEC_CPU_DOT_UNITS_H
#define TILEC_CPU_DOT_UNITS_H
/* Products of tiles by instructions that take several steps of K at once; see dot_units.c. */
#include "cpu/emit.h"

/* What a lane multiplies at once. */
enum cpu_unit {
    CPU_UNIT_ONE,    /* an element */
    CPU_UNIT_BFLOAT, /* vdpbf16ps: 2 of bfloat */
    CPU_UNIT_WORDS,  /* vpmaddwd: 2 of 16 bits, which int8 is widened to */
    CPU_UNIT_BYTES,  /* vpdpbusd: 4 of int8, those of the first operand with 128 added */
};

/* The unit that the dot takes on that level. */
enum cpu_unit cpu_unit_of(const struct cpu_level *level, const struct ir_op *dot);

/* What the operands of a dot of such units (not ONE) are stored as, and how many are in one. */
enum ir_elem cpu_unit_elem(enum cpu_unit unit);
int cpu_unit_size(enum cpu_unit unit);

/* The first operand of a dot, of such elements [M, K], or [K, M] (turned), as i32[M, K / size] or
 * i32[K / size, M]: the same memory, or a new buffer. */
struct cpu_buffer *cpu_unit_first(struct cpu_emit *e, enum cpu_unit unit,
                                  const struct cpu_buffer *from, bool turned);

/* The second one, of [K, N], or [N, K] (turned), as i32[K / size, N]: a new buffer. */
struct cpu_buffer *cpu_unit_second(struct cpu_emit *e, enum cpu_unit unit,
                                   const struct cpu_buffer *from, bool turned);

/* i32[1, N], which what was added to the first operand made too much of each column's sums, for
 * what cpu_unit_second has made; NULL: nothing. */
struct cpu_buffer *cpu_unit_excess(struct cpu_emit *e, enum cpu_unit unit,
                                   const struct cpu_buffer *second);

/* sum + the products of a's and b's units: vectors of 4, 8 or 16 i32, the sum of float or i32. */
LLVMValueRef cpu_unit_multiply(struct cpu_emit *e, enum cpu_unit unit, LLVMValueRef a,
                               LLVMValueRef b, LLVMValueRef sum);

#endif
