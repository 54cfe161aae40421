#ifndef TILEC_CPU_REDUCE_PARTS_H
#define TILEC_CPU_REDUCE_PARTS_H
/*
 * What the files of reductions share: reduce.c (sums, products, maxima and the order of all),
 * reduce_index.c (argmax and argmin), reduce_range.c (maxima by vrange), reduce_count.c
 * (conditions), reduce_products.c (products of bytes), reduce_bytes.c (bytes), reduce_rows.c (rows
 * that end together).
 * reduce_bits.c (maxima as integers) stands alone.
 */
#include "cpu/reduce.h"

static inline bool cpu_finds_index(const struct ir_op *op)
{
    return op->code == IR_OP_ARGMAX || op->code == IR_OP_ARGMIN;
}

static inline enum ir_elem cpu_reduced_elem(const struct cpu_sink *sink)
{
    return (enum ir_elem)sink->op->operands[0]->type.elem;
}

/* ---- what all have (reduce.c) --------------------------------------------------------------- */

LLVMTypeRef cpu_partial_type(struct cpu_emit *e, const struct cpu_sink *sink);
/* Of two partial results one; of all copies one. */
LLVMValueRef cpu_reduction_combine(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef a,
                                   LLVMValueRef b);
LLVMValueRef cpu_reduction_copies(struct cpu_emit *e, const struct cpu_sink *sink,
                                  const LLVMValueRef *slots);
/* value in lanes that count, else the other. */
LLVMValueRef cpu_only_active(struct cpu_emit *e, LLVMValueRef value, LLVMValueRef otherwise);
/* How many numbers a partial result is. */
int cpu_partial_lanes(const struct cpu_reduction_state *state);
/* Adds two vectors of operands to the partial sum of ints: for each slice of both that has the
 * nest's lanes, by add. */
void cpu_add_slices(struct cpu_emit *e, const struct cpu_reduction_state *state, LLVMValueRef v[2],
                    LLVMValueRef (*add)(struct cpu_emit *e, LLVMValueRef sum, LLVMValueRef a,
                                        LLVMValueRef b));
/* The position in a result that lacks the axis. */
struct cpu_position cpu_without_axis(const struct cpu_position *p, int axis);
/* The partial result that a buffer has there. */
struct cpu_element cpu_kept_element(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                    const struct cpu_position *p);

/* ---- argmax and argmin (reduce_index.c) ----------------------------------------------------- */

LLVMTypeRef cpu_index_key_type(struct cpu_emit *e, enum ir_elem elem);
/* Of the buffer for keys of an outer axis. */
struct ir_type cpu_index_buffer_type(struct cpu_emit *e, const struct cpu_sink *sink);
LLVMValueRef cpu_index_worst(struct cpu_emit *e, const struct cpu_sink *sink);
/* slot: of the key, which was `old`. */
void cpu_index_step(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef slot,
                    LLVMValueRef old, LLVMValueRef value, const struct cpu_position *p);
void cpu_index_step_outer(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef value,
                          const struct cpu_position *p, const struct cpu_position *kept);
LLVMValueRef cpu_index_end(struct cpu_emit *e, struct cpu_sink *sink);

/* ---- maxima and minima by vrange (reduce_range.c) ------------------------------------------- */

bool cpu_range_applies(struct cpu_emit *e, const struct cpu_sink *sink);
void cpu_range_step(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef slot,
                    LLVMValueRef value);
LLVMValueRef cpu_range_end(struct cpu_emit *e, struct cpu_sink *sink);

/* ---- counts (reduce_count.c) ---------------------------------------------------------------- */

void cpu_count_step(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p);

/* ---- products of bytes and shorts (reduce_products.c) --------------------------------------- */

void cpu_products_step(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p);

/* ---- bytes (reduce_bytes.c) ----------------------------------------------------------------- */

void cpu_bytes_step(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p);

#endif
