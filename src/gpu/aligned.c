/*
 * Addresses in threadgroup memory that are multiples of a vector's size.
 *
 * An address is followed back to its array, through additions and loops. A loop's counter is a multiple
 * if its start and its step are. What a loop carries is a multiple if it starts as one and, supposing
 * that, goes on as one.
 */
#include "gpu/aligned.h"

enum { DEPTH = 32, BUDGET = 4096 }; /* values in a row; looked at in all */

/* The loop whose counter the value is, or NULL. */
static const struct ir_op *counter_of(const struct ir_value *value)
{
    const struct ir_op *loop = value->op ? NULL : value->region->parent;
    return loop && loop->code == IR_OP_FOR && value->index == 0 ? loop : NULL;
}

static bool is_multiple(const struct ir_value *value, int64_t of, int depth, int *budget)
{
    const struct ir_op *op = value->op;
    int64_t constant;
    if (ir_constant_int(value, &constant))
        return constant % of == 0;
    if ((*budget)-- <= 0)
        return false;
    if (!op && depth > 0 && (op = counter_of(value)))
        return is_multiple(op->operands[0], of, depth - 1, budget) &&
               is_multiple(op->operands[2], of, depth - 1, budget);
    if (!op || depth == 0)
        return false;
    const struct ir_value *a = op->operand_count > 0 ? op->operands[0] : NULL;
    const struct ir_value *b = op->operand_count > 1 ? op->operands[1] : NULL;
    switch (op->code) {
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_XOR:
    case IR_OP_OR:
        return is_multiple(a, of, depth - 1, budget) && is_multiple(b, of, depth - 1, budget);
    case IR_OP_AND:
        return is_multiple(a, of, depth - 1, budget) || is_multiple(b, of, depth - 1, budget);
    case IR_OP_MUL:
        for (int64_t k = 1; k <= of; k *= 2) {
            if (is_multiple(a, k, depth - 1, budget) && is_multiple(b, of / k, depth - 1, budget))
                return true;
        }
        return false;
    case IR_OP_SHL:
        return ir_constant_int(b, &constant) && constant >= 0 && constant < 32 &&
               (INT64_C(1) << constant) % of == 0;
    case IR_OP_CAST: /* low bits stay */
        return of <= 64 && ir_is_integer((enum ir_elem)a->type.elem) &&
               ir_is_integer((enum ir_elem)value->type.elem) && is_multiple(a, of, depth - 1, budget);
    default:
        return of == 1;
    }
}

bool gpu_is_multiple(const struct ir_value *value, int64_t of)
{
    int budget = BUDGET;
    return is_multiple(value, of, DEPTH, &budget);
}

enum { MOST_SEEN = 256 };

struct search {
    int64_t elements;
    bool swizzled; /* the array must be aligned itself */
    int count; /* of carried values that were looked at: those are taken for granted */
    const struct ir_value *seen[MOST_SEEN];
};

static bool is_aligned(struct search *s, const struct ir_value *p);

/* What the loop hands on as value k, at its start and from trip to trip. */
static bool carried_is_aligned(struct search *s, const struct ir_op *loop, int k)
{
    const struct ir_value *argument = loop->regions[0]->arguments[1 + k];
    for (int i = 0; i < s->count; i++) {
        if (s->seen[i] == argument)
            return true;
    }
    if (s->count == MOST_SEEN)
        return false;
    s->seen[s->count++] = argument;
    return is_aligned(s, loop->operands[3 + k]) &&
           is_aligned(s, loop->regions[0]->last->operands[k]);
}

static bool is_aligned(struct search *s, const struct ir_value *p)
{
    const struct ir_op *op = p->op;
    while (op && op->code == IR_OP_ADDPTR) {
        if (!gpu_is_multiple(op->operands[1], s->elements))
            return false;
        p = op->operands[0];
        op = p->op;
    }
    if (op && (int)op->code == GPU_OP_SHARED)
        return !s->swizzled || op->attributes.aligned;
    if (op)
        return op->code == IR_OP_FOR && carried_is_aligned(s, op, p->index);
    const struct ir_op *loop = p->region->parent;
    return loop && loop->code == IR_OP_FOR && p->index > 0 &&
           carried_is_aligned(s, loop, p->index - 1);
}

bool gpu_is_aligned(const struct ir_value *pointer, int64_t elements)
{
    struct search s = {.elements = elements};
    return pointer->type.space == IR_SPACE_THREADGROUP && is_aligned(&s, pointer);
}

bool gpu_is_matrix(const struct ir_value *pointer)
{
    struct search s = {.elements = 16 / (int64_t)ir_elem_bytes((enum ir_elem)pointer->type.elem),
                       .swizzled = true};
    return pointer->type.space == IR_SPACE_THREADGROUP && is_aligned(&s, pointer);
}
