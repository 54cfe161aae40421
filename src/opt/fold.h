#ifndef TILEC_OPT_FOLD_H
#define TILEC_OPT_FOLD_H
/*
 * The parts of the fold pass. Each looks at one op whose operands are current, and returns the
 * value that replaces its (only) result, or NULL. New ops go in front of the op, through the
 * builder.
 */
#include "opt/pass.h"

struct fold {
    struct ir_func *func;
    struct ir_builder builder;
    bool changed; /* also set by a part that changed an op in place */
};

/* fold_algebra.c: elementwise ops */
struct ir_value *fold_algebra(struct fold *fold, struct ir_op *op);
/* fold_shape.c: broadcast, reshape, trans, join, reductions, scans; scalar work on broadcasts */
struct ir_value *fold_shape(struct fold *fold, struct ir_op *op);
struct ir_value *fold_scalarise(struct fold *fold, struct ir_op *op);

/* fold_control.c. True when op is gone: its results are replaced; what it became stands in front of
 * where it was. */
bool fold_control(struct fold *fold, struct ir_op *op);

/* The op that computes the value if it is one of that code, else NULL. */
static inline struct ir_op *fold_is(const struct ir_value *value, enum ir_opcode code)
{
    return value->op && value->op->code == code ? value->op : NULL;
}

#endif
