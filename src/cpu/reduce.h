#ifndef TILEC_CPU_REDUCE_H
#define TILEC_CPU_REDUCE_H
/*
 * Reductions inside a loop nest.
 *
 * Over everything, or along the axis that the lanes run over: a few vectors of partial results, one
 * per copy of the unrolled body, combined at the end in a fixed order. Along an outer axis: partial
 * results in the result's scratch buffer. The order depends on sizes only, never on threads or
 * addresses.
 */
#include "cpu/schedule.h"

enum { CPU_MOST_COPIES = 4, CPU_MOST_ROWS = 16 };

struct cpu_reduction_state {
    enum { CPU_REDUCE_ALL, CPU_REDUCE_LANES, CPU_REDUCE_OUTER } kind;
    int lanes, copies;
    bool counts;   /* how often a condition holds: partial results are numbers, not vectors */
    bool products; /* in pairs: partial results have half of the lanes */
    bool bytes;    /* by vpsadbw: partial results have a quarter of the lanes */
    LLVMValueRef partial[CPU_MOST_COPIES]; /* stack slots that mem2reg turns into registers */
    LLVMValueRef squares[CPU_MOST_COPIES]; /* the same of x * x, or NULL: see squares.c */
    LLVMValueRef index[CPU_MOST_COPIES];   /* argmax, argmin: where the partial result stands */
    LLVMValueRef nan;     /* max, min of floats by vrange: slot for the lanes that met a NaN */
    LLVMValueRef bits[3]; /* max, min of floats as integers: slots, see reduce_bits.c */
    LLVMValueRef least_from, least_to; /* between which elements the least one is wanted, or NULL */
    LLVMValueRef rows[CPU_MOST_ROWS];  /* partial results of rows that end together */
    LLVMValueRef waiting;              /* an element whose test for NaN waits for the next copy's */
};

/* The condition that a sum counts, if that may be done by bits, or NULL. */
struct ir_value *cpu_reduction_counted(const struct cpu_emit *e, const struct ir_op *op);
/* The product that a sum adds up in pairs, given lanes for it, or NULL. */
enum { CPU_LEAST_PAIRED = 8 };
const struct ir_op *cpu_reduction_product(struct cpu_emit *e, const struct ir_op *op);
/* Whether a sum adds up bytes, or, given a second one, how far both are apart; and whether it is
 * done so in vectors of so many lanes. */
bool cpu_reduction_bytes(struct cpu_emit *e, const struct ir_op *op, struct ir_value *bytes[2]);
bool cpu_reduction_adds_bytes(struct cpu_emit *e, const struct ir_op *op, int lanes);
/* Decides how the sink of the group reduces in a nest whose lanes run over the axis (-1: no lanes).
 */
void cpu_reduction_plan(struct cpu_emit *e, const struct cpu_group *group, struct cpu_sink *sink,
                        int lane_axis, int lanes, int copies);
/* Where the interior may be another each time: one partial result, so that the order of a sum does
 * not depend on which elements the unrolled body does. Before the first step. */
void cpu_reduction_keep_order(struct cpu_reduction_state *state);
/* Before the nest (kinds ALL, OUTER); before the innermost loop (kind LANES). */
void cpu_reduction_begin(struct cpu_emit *e, struct cpu_sink *sink);
/* The position's element joins. `linear`: its row-major place in the tile, for argmax. */
void cpu_reduction_step(struct cpu_emit *e, struct cpu_sink *sink,
                        const struct cpu_position *position);
/* After the nest or the innermost loop: the result becomes the scalar, or is stored. */
void cpu_reduction_end(struct cpu_emit *e, struct cpu_sink *sink,
                       const struct cpu_position *position);

/* Rows that end together, of kind LANES: whether the sink's may; instead of the end, what row r
 * has; then the end of all `count`, which are consecutive along the axis before the lanes, from
 * `position` on. To the same bits as row by row. */
bool cpu_reduction_may_gather(const struct cpu_sink *sink);
int cpu_reduction_most_rows(const struct cpu_sink *sink);
void cpu_reduction_keep_row(struct cpu_emit *e, struct cpu_sink *sink, int r);
void cpu_reduction_rows(struct cpu_emit *e, struct cpu_sink *sink,
                        const struct cpu_position *position, int axis, int count);

#endif
