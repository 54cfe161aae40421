/* Which sums are sums of squared distances from a mean; see squares.h. */
#include "plan/squares.h"

enum { MOST_OPS = 6 }; /* between a sum and what is made of it, one below the other */

static bool is_zero(const struct ir_value *v)
{
    uint64_t bits;
    return ir_constant_bits(v, &bits) && bits == 0;
}

/* A load under the mask, as it is or in another float. */
static bool is_zero_outside(const struct ir_value *v, const struct ir_value *mask)
{
    while (v->op && v->op->code == IR_OP_CAST && ir_is_float((enum ir_elem)v->type.elem))
        v = v->op->operands[0];
    const struct ir_op *op = v->op;
    return op && op->code == IR_OP_LOAD && op->operand_count == 3 && op->operands[1] == mask &&
           is_zero(op->operands[2]) && ir_is_float((enum ir_elem)v->type.elem);
}

/* The sum of x that the scalar is made of, or NULL. */
static struct ir_op *sum_below(const struct ir_value *v, const struct ir_value *x, int depth)
{
    struct ir_op *op = v->op, *found = NULL;
    if (!op || depth == 0 || v->type.rank > 0)
        return NULL;
    if (op->code == IR_OP_SUM)
        return op->operands[0] == x ? op : NULL;
    for (int i = 0; i < op->operand_count && !found && ir_has(op, IR_ELEMENTWISE); i++)
        found = sum_below(op->operands[i], x, depth - 1);
    return found;
}

bool plan_find_squares(const struct ir_op *op, struct plan_squares *found)
{
    *found = (struct plan_squares){.mask = NULL};
    if (op->code != IR_OP_SUM || op->results[0]->type.rank > 0 ||
        op->operands[0]->type.elem != IR_F32)
        return false;
    const struct ir_op *product = op->operands[0]->op;
    if (!product || product->code != IR_OP_MUL || product->operands[0] != product->operands[1])
        return false;
    const struct ir_op *distance = product->operands[0]->op;
    if (distance && distance->code == IR_OP_SELECT && is_zero(distance->operands[2])) {
        found->mask = distance->operands[0];
        distance = distance->operands[1]->op;
    }
    if (!distance || distance->code != IR_OP_SUB)
        return false;
    found->x = distance->operands[0];
    found->m = distance->operands[1];
    while (found->m->op && found->m->op->code == IR_OP_BROADCAST)
        found->m = found->m->op->operands[0];
    if (found->m->type.rank > 0 || !found->x->op ||
        (found->mask && !is_zero_outside(found->x, found->mask)))
        return false;
    found->sum = sum_below(found->m, found->x, MOST_OPS);
    return found->sum && found->sum->parent == op->parent && found->sum->results[0]->type.rank == 0;
}
