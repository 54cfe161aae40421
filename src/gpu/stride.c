/*
 * How an integer tile changes along an axis. Sums and products are taken modulo 2^64, which is
 * enough for offsets: an address is, too. A cast from a narrower integer keeps a stride only where
 * its operand is proved not to wrap.
 */
#include "gpu/assign.h"
#include "ir/affine.h"

/* How far operands are followed, and how many values may be looked at in all: each step may double
 * them. */
enum { MOST_DEPTH = 32, BUDGET = 4096 };

struct query {
    int budget;
};

static bool stride_at(struct query *q, const struct ir_value *value, int axis, int depth,
                      int64_t *stride);

static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static bool product_stride(const struct ir_op *op, int64_t x, int64_t y, int64_t *stride)
{
    int64_t factor;
    if (x == 0 && y == 0) {
        *stride = 0;
        return true;
    }
    if (y == 0 && ir_constant_int(op->operands[1], &factor))
        *stride = (int64_t)((uint64_t)x * (uint64_t)factor);
    else if (x == 0 && ir_constant_int(op->operands[0], &factor))
        *stride = (int64_t)((uint64_t)y * (uint64_t)factor);
    else
        return false;
    return true;
}

static bool arithmetic_stride(struct query *q, const struct ir_op *op, int axis, int depth,
                              int64_t *stride)
{
    int64_t x, y;
    if (!stride_at(q, op->operands[0], axis, depth, &x) ||
        !stride_at(q, op->operands[1], axis, depth, &y))
        return false;
    if (op->code == IR_OP_ADD)
        *stride = wrap_add(x, y);
    else if (op->code == IR_OP_SUB)
        *stride = wrap_add(x, (int64_t)(0 - (uint64_t)y));
    else
        return product_stride(op, x, y, stride);
    return true;
}

static bool reshape_stride(struct query *q, const struct ir_op *op, int axis, int depth,
                           int64_t *stride)
{
    int before[IR_MAX_RANK];
    return ir_reshape_axes(op->operands[0]->type, op->results[0]->type, before) &&
           before[axis] >= 0 && stride_at(q, op->operands[0], before[axis], depth, stride);
}

/* Elementwise ops of what is the same along the axis. */
static bool uniform_stride(struct query *q, const struct ir_op *op, int axis, int depth,
                           int64_t *stride)
{
    if (!ir_has(op, IR_PURE | IR_ELEMENTWISE))
        return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!stride_at(q, op->operands[i], axis, depth, stride) || *stride != 0)
            return false;
    }
    return op->operand_count > 0;
}

static bool op_stride(struct query *q, const struct ir_op *op, int axis, int depth, int64_t *stride)
{
    struct ir_affine form;
    switch (op->code) {
    case IR_OP_CONSTANT:
        *stride = 0;
        return true;
    case IR_OP_ARANGE:
        *stride = 1;
        return true;
    case IR_OP_BROADCAST:
        *stride = 0;
        return op->operands[0]->type.rank == 0 || op->operands[0]->type.dims[axis] == 1 ||
               stride_at(q, op->operands[0], axis, depth, stride);
    case IR_OP_RESHAPE:
        return reshape_stride(q, op, axis, depth, stride);
    case IR_OP_TRANS:
        return stride_at(q, op->operands[0], op->attributes.permutation[axis], depth, stride);
    case IR_OP_CONVERT_LAYOUT:
        return stride_at(q, op->operands[0], axis, depth, stride);
    case IR_OP_CAST:
        if (!stride_at(q, op->operands[0], axis, depth, stride))
            return false;
        return *stride == 0 || (ir_is_integer((enum ir_elem)op->operands[0]->type.elem) &&
                                ir_affine_of(op->results[0], NULL, &form) &&
                                ir_affine_of(op->operands[0], NULL, &form));
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
        return (ir_is_integer((enum ir_elem)op->results[0]->type.elem) &&
                arithmetic_stride(q, op, axis, depth, stride)) ||
               uniform_stride(q, op, axis, depth, stride);
    default:
        return uniform_stride(q, op, axis, depth, stride);
    }
}

/* A tile carried around a loop, such as offsets that grow by a block: as at the start, if a trip
 * adds what is the same along the axis. */
static bool carried_stride(struct query *q, const struct ir_value *value, int axis, int depth,
                           int64_t *stride)
{
    const struct ir_op *loop = value->region ? value->region->parent : NULL;
    int64_t added;
    if (!loop || loop->code != IR_OP_FOR || value->index < 1)
        return false;
    const struct ir_op *next = loop->regions[0]->last->operands[value->index - 1]->op;
    return next && next->code == IR_OP_ADD && next->operands[0] == value &&
           stride_at(q, next->operands[1], axis, depth, &added) && added == 0 &&
           stride_at(q, loop->operands[2 + value->index], axis, depth, stride);
}

static bool stride_at(struct query *q, const struct ir_value *value, int axis, int depth,
                      int64_t *stride)
{
    if (depth == 0 || q->budget-- <= 0)
        return false;
    if (value->type.rank == 0) {
        *stride = 0;
        return true;
    }
    return value->op ? op_stride(q, value->op, axis, depth - 1, stride)
                     : carried_stride(q, value, axis, depth - 1, stride);
}

bool gpu_stride_along(const struct ir_value *value, int axis, int64_t *stride)
{
    struct query q = {BUDGET};
    return stride_at(&q, value, axis, MOST_DEPTH, stride);
}
