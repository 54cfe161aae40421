/* Loops and branches: what they carry, what is inside them; see pass.h. */
#include "opt/pass.h"

/* Removes entry k of a list of values; values know their place in results and arguments. */
static void remove_value(struct ir_value **values, int *count, int k)
{
    (*count)--;
    for (int i = k; i < *count; i++)
        values[i] = values[i + 1];
}

static void remove_operand(struct ir_op *op, int k)
{
    remove_value(op->operands, &op->operand_count, k);
}

static void remove_argument(struct ir_region *region, int k)
{
    remove_value(region->arguments, &region->argument_count, k);
    for (int i = k; i < region->argument_count; i++)
        region->arguments[i]->index = i;
}

void pass_drop_result(struct ir_op *op, int k)
{
    remove_value(op->results, &op->result_count, k);
    for (int i = k; i < op->result_count; i++)
        op->results[i]->index = i;
    switch (op->code) {
    case IR_OP_FOR: /* operands lo, hi, step, inits; arguments i, carried */
        remove_operand(op, 3 + k);
        remove_argument(op->regions[0], 1 + k);
        remove_operand(op->regions[0]->last, k);
        break;
    case IR_OP_WHILE: /* region 0 ends with condition (go on, carried) */
        remove_operand(op, k);
        remove_argument(op->regions[0], k);
        remove_argument(op->regions[1], k);
        remove_operand(op->regions[0]->last, 1 + k);
        remove_operand(op->regions[1]->last, k);
        break;
    default: /* if */
        remove_operand(op->regions[0]->last, k);
        remove_operand(op->regions[1]->last, k);
        break;
    }
}

void pass_inline_region(struct ir_region *region, struct ir_op *op)
{
    while (region->first != region->last)
        ir_move_before(region->first, op);
}

bool pass_is_outside(const struct ir_value *value, const struct ir_op *op)
{
    const struct ir_region *region = value->op ? value->op->parent : value->region;
    for (; region && region->parent; region = region->parent->parent) {
        if (region->parent == op)
            return false;
    }
    return true;
}
