/*
 * Divisibility by powers of two: which accesses may be vectors that the hardware takes only where
 * they are aligned, and which masks are the same for all elements of a vector.
 *
 *   X + (row * N + col)      X a multiple of 16 bytes, N of 16, col of 8 at a vector's first
 * element
 *                            -> halves at a multiple of 16 bytes
 */
#include "gpu/zeros.h"

#include <string.h>

enum { MOST_DEPTH = 32, BUDGET = 4096 };

struct query {
    const struct gpu_promises *promises;
    int budget; /* values looked at: sums of sums double them at each step */
};

static const struct gpu_zeros nothing = {0, 0}, everything = {GPU_MOST_ZEROS, 0};

static struct gpu_zeros zeros_at(struct query *q, const struct ir_value *value,
                                 const int *axis_zeros, int depth);

static struct gpu_zeros limited(int bits, uint64_t because)
{
    return (struct gpu_zeros){bits < GPU_MOST_ZEROS ? bits : GPU_MOST_ZEROS, because};
}

struct gpu_zeros gpu_fewer_zeros(struct gpu_zeros a, struct gpu_zeros b)
{
    uint64_t because = a.because | b.because;
    return a.bits < b.bits ? (struct gpu_zeros){a.bits, because}
                           : (struct gpu_zeros){b.bits, because};
}

static struct gpu_zeros more_zeros(struct gpu_zeros a, struct gpu_zeros b)
{
    return a.bits >= b.bits ? a : b;
}

static int zeros_of_number(uint64_t number)
{
    return number ? __builtin_ctzll(number) : GPU_MOST_ZEROS;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static int log2_bytes(enum ir_elem elem)
{
    return zeros_of_number(ir_elem_bytes(elem));
}

static struct gpu_zeros parameter_zeros(const struct query *q, const struct ir_value *value)
{
    int i = value->index, bits = i < q->promises->count ? q->promises->zeros[i] : 0;
    if (value->type.pointer && log2_bytes((enum ir_elem)value->type.elem) > bits)
        bits = log2_bytes((enum ir_elem)value->type.elem);
    if (i < 64 && q->promises->aligned >> i & 1 && bits < GPU_ALIGNED_ZEROS)
        return (struct gpu_zeros){GPU_ALIGNED_ZEROS, UINT64_C(1) << i};
    return limited(bits, 0);
}

/* A loop's counter is where it starts and multiples of the step; a carried value that grows by an
 * addend likewise. */
static struct gpu_zeros argument_zeros(struct query *q, const struct ir_value *value,
                                       const int *axis_zeros, int depth)
{
    const struct ir_op *loop = value->region->parent;
    if (!loop)
        return parameter_zeros(q, value);
    if (loop->code != IR_OP_FOR)
        return nothing;
    if (value->index == 0)
        return gpu_fewer_zeros(zeros_at(q, loop->operands[0], axis_zeros, depth),
                               zeros_at(q, loop->operands[2], axis_zeros, depth));
    const struct ir_op *next = loop->regions[0]->last->operands[value->index - 1]->op;
    if (!next || next->code != IR_OP_ADD || next->operands[0] != value)
        return nothing;
    return gpu_fewer_zeros(zeros_at(q, loop->operands[2 + value->index], axis_zeros, depth),
                           zeros_at(q, next->operands[1], axis_zeros, depth));
}

/* ---- ops ------------------------------------------------------------------------------------- */

static struct gpu_zeros shape_zeros(struct query *q, const struct ir_op *op, const int *axis_zeros,
                                    int depth)
{
    int before[IR_MAX_RANK] = {0}, place[IR_MAX_RANK]; /* of the operand's axes, in the result */
    struct ir_type from = op->operands[0]->type, to = op->results[0]->type;
    bool reshapes = op->code == IR_OP_RESHAPE;
    if (reshapes && !ir_reshape_axes(to, from, place))
        return zeros_at(q, op->operands[0], NULL, depth);
    for (int i = 0; i < from.rank && axis_zeros && reshapes; i++)
        before[i] = place[i] < 0 ? 0 : axis_zeros[place[i]];
    for (int i = 0; i < to.rank && axis_zeros && !reshapes; i++)
        before[op->code == IR_OP_TRANS ? op->attributes.permutation[i] : i] = axis_zeros[i];
    return zeros_at(q, op->operands[0], before, depth);
}

static struct gpu_zeros product_zeros(struct gpu_zeros a, struct gpu_zeros b)
{
    return limited(a.bits + b.bits, a.because | b.because);
}

static struct gpu_zeros shifted_zeros(const struct ir_op *op, struct gpu_zeros a)
{
    int64_t by;
    if (!ir_constant_int(op->operands[1], &by) || by < 0 ||
        by >= ir_elems[op->results[0]->type.elem].bits)
        return nothing;
    return limited(a.bits + (int)by, a.because);
}

static struct gpu_zeros address_zeros(const struct ir_op *op, struct gpu_zeros base,
                                      struct gpu_zeros offset)
{
    int bytes = log2_bytes((enum ir_elem)op->results[0]->type.elem);
    return gpu_fewer_zeros(base, limited(offset.bits + bytes, offset.because));
}

static struct gpu_zeros binary_zeros(struct query *q, const struct ir_op *op, const int *axis_zeros,
                                     int depth)
{
    struct gpu_zeros a = zeros_at(q, op->operands[0], axis_zeros, depth);
    if (op->code == IR_OP_SHL)
        return shifted_zeros(op, a);
    struct gpu_zeros b = zeros_at(q, op->operands[1], axis_zeros, depth);
    switch (op->code) {
    case IR_OP_MUL:
        return product_zeros(a, b);
    case IR_OP_AND:
        return more_zeros(a, b);
    case IR_OP_ADDPTR:
        return address_zeros(op, a, b);
    default: /* sums, or, xor, minimum, maximum; a remainder is the number less a multiple */
        return gpu_fewer_zeros(a, b);
    }
}

static struct gpu_zeros op_zeros(struct query *q, const struct ir_op *op, const int *axis_zeros,
                                 int depth)
{
    int64_t number;
    switch (op->code) {
    case IR_OP_CONSTANT:
        return ir_constant_int(op->results[0], &number)
                   ? limited(zeros_of_number((uint64_t)number), 0)
                   : nothing;
    case IR_OP_ARANGE:
        return gpu_fewer_zeros(limited(zeros_of_number((uint64_t)op->attributes.begin), 0),
                               limited(axis_zeros ? axis_zeros[0] : 0, 0));
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
    case IR_OP_TRANS:
        return shape_zeros(q, op, axis_zeros, depth);
    case IR_OP_CONVERT_LAYOUT:
    case IR_OP_NEG:
        return zeros_at(q, op->operands[0], axis_zeros, depth);
    case IR_OP_CAST:
        return ir_is_integer((enum ir_elem)op->operands[0]->type.elem)
                   ? zeros_at(q, op->operands[0], axis_zeros, depth)
                   : nothing;
    case IR_OP_SELECT:
        return gpu_fewer_zeros(zeros_at(q, op->operands[1], axis_zeros, depth),
                               zeros_at(q, op->operands[2], axis_zeros, depth));
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_SHL:
    case IR_OP_AND:
    case IR_OP_OR:
    case IR_OP_XOR:
    case IR_OP_MINIMUM:
    case IR_OP_MAXIMUM:
    case IR_OP_REM:
    case IR_OP_ADDPTR:
        return binary_zeros(q, op, axis_zeros, depth);
    default:
        return nothing;
    }
}

static struct gpu_zeros zeros_at(struct query *q, const struct ir_value *value,
                                 const int *axis_zeros, int depth)
{
    bool integer = value->type.pointer || ir_is_integer((enum ir_elem)value->type.elem);
    if (depth == 0 || q->budget-- <= 0 || !integer)
        return nothing;
    return value->op ? op_zeros(q, value->op, axis_zeros, depth - 1)
                     : argument_zeros(q, value, axis_zeros, depth - 1);
}

struct gpu_zeros gpu_low_zeros(const struct gpu_promises *promises, const struct ir_value *value,
                               const int *axis_zeros)
{
    struct query q = {promises, BUDGET};
    return value ? zeros_at(&q, value, axis_zeros, MOST_DEPTH) : everything;
}

/* ---- launch requirements --------------------------------------------------------------------- */

/* The kernel's parameter that a value of a condition is, if it is one; its number or -1. */
static int parameter_of(const struct ir_func *func, const struct ir_func *condition,
                        const struct ir_value *value)
{
    while (value->op && value->op->code == IR_OP_CAST &&
           ir_elem_bytes((enum ir_elem)value->type.elem) >=
               ir_elem_bytes((enum ir_elem)value->op->operands[0]->type.elem))
        value = value->op->operands[0];
    if (value->op || !value->region || value->region->parent)
        return -1;
    for (int i = 0; i < func->parameter_count; i++) {
        if (strcmp(func->parameters[i].name, condition->parameters[value->index].name) == 0)
            return i;
    }
    return -1;
}

/* Of `a && b` where b may only be computed if a holds: b; else NULL. */
static const struct ir_value *guarded(const struct ir_op *op, int result)
{
    int64_t otherwise;
    if (op->code != IR_OP_IF || op->region_count != 2 ||
        !ir_constant_int(op->regions[1]->last->operands[result], &otherwise) || otherwise != 0)
        return NULL;
    return op->regions[0]->last->operands[result];
}

/* x % c == 0, and both of a && b */
static void promise(const struct ir_func *func, const struct ir_func *condition,
                    const struct ir_value *value, int depth, uint8_t *zeros)
{
    const struct ir_op *op = value->op;
    int64_t number;
    if (!op || depth == 0)
        return;
    const struct ir_value *second =
        op->code == IR_OP_AND ? op->operands[1] : guarded(op, value->index);
    if (second) {
        promise(func, condition, op->operands[0], depth - 1, zeros);
        promise(func, condition, second, depth - 1, zeros);
    }
    if (op->code != IR_OP_EQ || !ir_constant_int(op->operands[1], &number) || number != 0)
        return;
    const struct ir_op *rem = op->operands[0]->op;
    if (!rem || rem->code != IR_OP_REM || !ir_constant_int(rem->operands[1], &number))
        return;
    int i = parameter_of(func, condition, rem->operands[0]);
    int bits = limited(zeros_of_number((uint64_t)number), 0).bits;
    if (i >= 0 && bits > zeros[i] && number != 0)
        zeros[i] = (uint8_t)bits;
}

struct gpu_promises gpu_promises_of(const struct ir_kernel *kernel, const struct gpu_plan *plan,
                                    struct arena *arena)
{
    const struct ir_func *func = kernel->func;
    uint8_t *zeros = ARENA_ARRAY(arena, uint8_t, (size_t)func->parameter_count);
    for (int i = 0; i < kernel->require_count; i++) {
        const struct ir_func *condition = kernel->launch_requires[i].condition;
        if (condition && condition->body->last && condition->body->last->operand_count == 1)
            promise(func, condition, condition->body->last->operands[0], 8, zeros);
    }
    return (struct gpu_promises){plan->aligned, func->parameter_count, zeros};
}
