/*
 * Ops that move elements about, and reductions of what needs none.
 *
 * Work on a broadcast scalar is done on the scalar and broadcast afterwards, so that what is
 * uniform over the program is computed once: addptr(broadcast X, broadcast i) ->
 * broadcast(addptr(X, i)). Approximate functions are left where they are: a scalar version may
 * round differently.
 */
#include "opt/fold.h"

/* The value that a broadcast of a scalar repeats, or NULL. */
static struct ir_value *broadcast_scalar(const struct ir_value *value)
{
    if (!value->op || value->op->code != IR_OP_BROADCAST)
        return NULL;
    struct ir_value *source = value->op->operands[0];
    return source->type.rank == 0 ? source : NULL;
}

static bool same_result_type(const struct ir_op *op, const struct ir_value *value)
{
    return ir_type_equal(op->results[0]->type, value->type);
}

/* Shape ops keep a constant what it is: every element is the same. */
static struct ir_value *fold_uniform(struct fold *fold, const struct ir_op *op)
{
    struct ir_type type = op->results[0]->type;
    struct ir_value *scalar = broadcast_scalar(op->operands[0]);
    uint64_t bits;
    if (ir_constant_bits(op->operands[0], &bits))
        return ir_constant(&fold->builder, type, bits);
    return scalar ? ir_broadcast(&fold->builder, scalar, type) : NULL;
}

static struct ir_value *fold_broadcast(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0];
    struct ir_type type = op->results[0]->type;
    if (same_result_type(op, x))
        return x;
    struct ir_op *inner = fold_is(x, IR_OP_BROADCAST);
    if (!inner && ir_element_count(x->type) == 1)
        inner = fold_is(x, IR_OP_RESHAPE); /* of one element: stands for its source */
    if (inner && (inner->code == IR_OP_BROADCAST || inner->operands[0]->type.rank == 0))
        return ir_broadcast(&fold->builder, inner->operands[0], type);
    return NULL;
}

static struct ir_value *fold_reshape(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0];
    struct ir_type type = op->results[0]->type;
    if (same_result_type(op, x))
        return x;
    struct ir_op *inner = fold_is(x, IR_OP_RESHAPE);
    if (inner)
        return ir_reshape(&fold->builder, inner->operands[0], type);
    if (x->type.rank == 0)
        return ir_broadcast(&fold->builder, x, type);
    return NULL;
}

static struct ir_value *fold_trans(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0];
    struct ir_type type = op->results[0]->type;
    struct ir_attributes attributes = op->attributes;
    bool identity = true;
    for (int i = 0; i < type.rank; i++)
        identity = identity && attributes.permutation[i] == i;
    if (identity)
        return x;
    struct ir_op *inner = fold_is(x, IR_OP_TRANS);
    if (!inner)
        return NULL;
    for (int i = 0; i < type.rank; i++)
        attributes.permutation[i] = inner->attributes.permutation[attributes.permutation[i]];
    return ir_build(&fold->builder, IR_OP_TRANS, 1, inner->operands, 1, &type, 0, &attributes)
        ->results[0];
}

/* The split that both halves of a join come from, in order. */
static struct ir_value *fold_join(const struct ir_op *op)
{
    struct ir_op *split = fold_is(op->operands[0], IR_OP_SPLIT);
    if (split && op->operands[0] == split->results[0] && op->operands[1] == split->results[1])
        return split->operands[0];
    return NULL;
}

/* Has two results, so it replaces them itself; the op is left for dce. */
static void fold_split(struct fold *fold, struct ir_op *op)
{
    struct ir_op *join = fold_is(op->operands[0], IR_OP_JOIN);
    if (!join)
        return;
    for (int i = 0; i < 2; i++)
        ir_replace(op->results[i], join->operands[i]);
    ir_remove(op);
    fold->changed = true;
}

/* A reduction along an axis of one element, or of a scalar, is that element. */
static struct ir_value *fold_reduction(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0];
    struct ir_type type = op->results[0]->type;
    int axis = op->attributes.axis;
    bool single = axis < 0 ? ir_element_count(x->type) == 1 : x->type.dims[axis] == 1;
    uint64_t bits;
    if (op->code == IR_OP_ARGMAX || op->code == IR_OP_ARGMIN)
        return single ? ir_constant(&fold->builder, type, 0) : NULL;
    if (single)
        return ir_reshape(&fold->builder, x, type);
    if (op->code != IR_OP_SUM && op->code != IR_OP_PROD && ir_constant_bits(x, &bits))
        return ir_constant(&fold->builder, type, bits);
    return NULL;
}

static struct ir_value *fold_scan(const struct ir_op *op)
{
    struct ir_value *x = op->operands[0];
    bool single = x->type.dims[op->attributes.axis] == 1;
    return single && !op->attributes.exclusive ? x : NULL;
}

struct ir_value *fold_shape(struct fold *fold, struct ir_op *op)
{
    struct ir_value *value;
    switch (op->code) {
    case IR_OP_BROADCAST:
        value = fold_broadcast(fold, op);
        return value || !fold_is(op->operands[0], IR_OP_CONSTANT) ? value : fold_uniform(fold, op);
    case IR_OP_RESHAPE:
        value = fold_reshape(fold, op);
        return value ? value : fold_uniform(fold, op);
    case IR_OP_TRANS:
        value = fold_trans(fold, op);
        return value ? value : fold_uniform(fold, op);
    case IR_OP_JOIN:
        return fold_join(op);
    case IR_OP_SPLIT:
        fold_split(fold, op);
        return NULL;
    case IR_OP_CONVERT_LAYOUT:
        return fold_is(op->operands[0], IR_OP_CONSTANT) ? op->operands[0] : NULL;
    case IR_OP_SUM:
    case IR_OP_PROD:
    case IR_OP_MAX:
    case IR_OP_MIN:
    case IR_OP_ARGMAX:
    case IR_OP_ARGMIN:
    case IR_OP_ANY:
    case IR_OP_ALL:
        return fold_reduction(fold, op);
    case IR_OP_CUMSUM:
    case IR_OP_CUMMAX:
    case IR_OP_CUMMIN:
    case IR_OP_CUMPROD:
        return fold_scan(op);
    default: /* nothing is known about the others */
        return NULL;
    }
}

/* op(broadcast a, constant, ...) -> broadcast(op(a, constant, ...)) */
struct ir_value *fold_scalarise(struct fold *fold, struct ir_op *op)
{
    struct ir_value *operands[3];
    bool useful = false;
    if (!ir_has(op, IR_PURE | IR_ELEMENTWISE) || ir_has(op, IR_APPROX) ||
        op->code == IR_OP_CONVERT_LAYOUT || op->results[0]->type.rank == 0)
        return NULL;
    for (int i = 0; i < op->operand_count; i++) {
        uint64_t bits;
        operands[i] = broadcast_scalar(op->operands[i]);
        useful = useful || operands[i];
        if (!operands[i] && !ir_constant_bits(op->operands[i], &bits))
            return NULL;
    }
    if (!useful)
        return NULL;
    struct ir_type scalar = ir_with_shape(op->results[0]->type, ir_scalar(IR_F32));
    for (int i = 0; i < op->operand_count; i++) {
        uint64_t bits;
        if (!operands[i] && ir_constant_bits(op->operands[i], &bits))
            operands[i] = ir_constant(
                &fold->builder, ir_with_shape(op->operands[i]->type, ir_scalar(IR_F32)), bits);
    }
    struct ir_op *done = ir_build(&fold->builder, op->code, op->operand_count, operands, 1, &scalar,
                                  0, &op->attributes);
    return ir_broadcast(&fold->builder, done->results[0], op->results[0]->type);
}
