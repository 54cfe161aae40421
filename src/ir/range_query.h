#ifndef TILEC_IR_RANGE_QUERY_H
#define TILEC_IR_RANGE_QUERY_H
/* Ranges of integers (affine.c) and of floats (float_range.c) ask each other, within one budget.
 * For these, and for what is proved by induction. */
#include "ir/affine.h"
#include "ir/float_range.h"

/* How far a question follows operands, and how many values it may look at in all (each step may
 * double them): plenty for indices as people write them. */
enum { IR_RANGE_DEPTH = 8, IR_RANGE_BUDGET = 4096 };

struct ir_range_query {
    const struct ir_assumption *assumption; /* or NULL */
    int budget;
};

struct ir_interval ir_range_at(const struct ir_value *value, struct ir_range_query *q, int depth);
struct ir_float_range ir_float_range_at(const struct ir_value *value, struct ir_range_query *q,
                                        int depth);

#endif
