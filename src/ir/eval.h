#ifndef TILEC_IR_EVAL_H
#define TILEC_IR_EVAL_H
/*
 * The meaning of elementwise ops on single elements: shared by the constant folder and the
 * interpreter. An element is its bits, zero-extended to 64 (bool: 0 or 1; a pointer: its address).
 */
#include "ir/ir.h"

enum ir_fault { /* what the checker reports; the result is defined all the same */
                IR_FAULT_OVERFLOW = 1 << 0, /* signed result does not fit (add sub mul neg abs div
                                               cdiv, INT_MIN / -1) */
                IR_FAULT_DIVISION = 1 << 1, /* integer division or remainder by zero */
                IR_FAULT_SHIFT = 1 << 2,    /* shift count negative or not below the width */
                IR_FAULT_INDEX = 1 << 3,    /* index outside the table of a lookup */
};

/* code: any ELEMENTWISE op without memory, bar convert_layout and lookup. elem: of the first
 * operand (of the second for select); result_elem matters for cast and bitcast. Approximate
 * functions are computed in double (f64: by libm) and rounded. Returns the result's bits; faults
 * are or-ed in. */
uint64_t ir_eval(enum ir_opcode code, enum ir_elem elem, enum ir_elem result_elem,
                 const uint64_t *operands, unsigned *faults);

/* The same for count elements at once; operands[k] is an array of them. faults tells what happened to
 * any of them. results may be one of the operands. */
void ir_eval_elements(enum ir_opcode code, enum ir_elem elem, enum ir_elem result_elem,
                      size_t count, const uint64_t *const *operands, uint64_t *results,
                      unsigned *faults);

/* Of any ELEMENTWISE op without memory, bar convert_layout, with its types and attributes. */
uint64_t ir_eval_op(const struct ir_op *op, const uint64_t *operands, unsigned *faults);

/* The table's element at an index of such an element; 0 and a fault outside. */
uint64_t ir_eval_lookup(const struct ir_table *table, enum ir_elem index_elem, uint64_t index,
                        unsigned *faults);

/* Whether the first two know the op for such an element. */
bool ir_eval_has(enum ir_opcode code, enum ir_elem elem);

uint64_t ir_eval_cast(uint64_t bits, enum ir_elem from, enum ir_elem to);
double ir_eval_to_double(uint64_t bits, enum ir_elem elem);    /* exact but for i64, u64 */
uint64_t ir_eval_from_double(double value, enum ir_elem elem); /* as a cast from f64 */
int64_t ir_eval_to_int(uint64_t bits, enum ir_elem elem);      /* sign- or zero-extended */

/* The neutral element of a reduction: sum 0 (floats -0.0), prod 1, max lowest (-inf), min highest,
 * any 0, all 1. */
uint64_t ir_eval_identity(enum ir_opcode code, enum ir_elem elem);
/* What an exclusive scan begins with. The neutral -0.0 of a sum would show, so it is 0; a helper's
 * neutral element is not known. */
uint64_t ir_eval_before_first(enum ir_opcode code, enum ir_elem elem);
/* The elementwise op that a reduction or scan repeats. */
enum ir_opcode ir_combining_op(enum ir_opcode code);

#endif
