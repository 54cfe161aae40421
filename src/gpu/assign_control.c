/*
 * Layouts of what loops carry and branches leave.
 *
 * A carried value has one layout before, in and behind the loop: that of its start, or, where the
 * start suits any, that of what the body makes of it. The body is not assigned by then, so peek()
 * foresees it. Terminators bring their operands into the layouts that were chosen.
 */
#include "gpu/assigner.h"

#include "gpu/matrix.h"

static bool peek(struct assigner *a, const struct ir_value *value, int depth,
                 struct layout *layout);

static bool peek_at_operand(struct assigner *a, const struct ir_op *op, int depth,
                            struct layout *layout)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i]->type.rank > 0 && peek(a, op->operands[i], depth, layout))
            return true;
    }
    return false;
}

/* The layout that a value of a loop's body will get, as far as that can be said before the body is
 * assigned; false when nothing is known or the value will be flexible. */
static bool peek(struct assigner *a, const struct ir_value *value, int depth, struct layout *layout)
{
    const struct ir_op *op = value->op;
    if (value->data) {
        if (is_flexible(value) || !gpu_value_of(value)->tiles)
            return false;
        *layout = home_of(value);
        return true;
    }
    if (!op || depth == 0)
        return false;
    struct ir_type type = op->results[0]->type;
    if (op->attributes.layout) {
        *layout = gpu_layout_explicit(op->attributes.layout, type, a->plan);
    } else if (op->code == IR_OP_DOT && op->data) {
        *layout = ((const struct gpu_dot *)op->data)->c;
    } else if (op->code == IR_OP_LOAD && op->data) {
        *layout = *(const struct layout *)op->data;
    } else if (op->code == IR_OP_LOAD) {
        struct ir_value *base, *offsets;
        gpu_pointer_parts(op->operands[0], &base, &offsets);
        int axis = assign_contiguous_axis(offsets, type);
        if (!offsets || !peek(a, offsets, depth - 1, layout))
            *layout = assign_loaded_layout(a, type, axis);
    } else if (op->code >= IR_OP_SUM && op->code <= IR_OP_ALL) {
        if (!peek(a, op->operands[0], depth - 1, layout))
            *layout = default_of(a, op->operands[0]->type);
        *layout = gpu_layout_reduced(*layout, op->attributes.axis);
    } else if (op->code == IR_OP_TRANS) {
        if (!peek(a, op->operands[0], depth - 1, layout))
            return false;
        *layout = gpu_layout_trans(*layout, op->attributes.permutation);
    } else if (op->code == IR_OP_RESHAPE && gpu_keeps_bits(op->operands[0]->type, type)) {
        if (!peek(a, op->operands[0], depth - 1, layout))
            return false;
        *layout = gpu_layout_reshape(*layout, type);
    } else if (op->code == IR_OP_IF) {
        return peek(a, op->regions[0]->last->operands[value->index], depth - 1, layout) ||
               peek(a, op->regions[1]->last->operands[value->index], depth - 1, layout);
    } else {
        return ir_has(op, IR_PURE | IR_ELEMENTWISE) && peek_at_operand(a, op, depth - 1, layout);
    }
    return true;
}

/* next: what the body makes of a carried value, or NULL. A flexible start suits any layout. */
static void set_home_of_carried(struct assigner *a, struct ir_value *value,
                                const struct ir_value *init, const struct ir_value *next)
{
    struct layout layout;
    if (value->type.rank == 0) {
        assign_info(a, value);
        return;
    }
    /* Sums of products stay fragments, whatever they start with. */
    bool product = next && next->op && next->op->code == IR_OP_DOT && next->op->data;
    if (!next || (!product && !is_flexible(init)) || !peek(a, next, 16, &layout))
        layout = natural(a, init);
    assign_home(a, value, layout);
}

/* Brings a terminator's operands, from first on, into the layouts of values. */
static void demand_like(struct assigner *a, struct ir_op *op, int first,
                        struct ir_value *const *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i]->type.rank > 0)
            op->operands[first + i] = assign_demand(a, op->operands[first + i], home_of(values[i]));
    }
}

void assign_for(struct assigner *a, struct ir_op *op)
{
    struct ir_region *body = op->regions[0];
    int count = op->result_count;
    assign_info(a, body->arguments[0]);
    for (int i = 0; i < count; i++)
        set_home_of_carried(a, body->arguments[1 + i], op->operands[3 + i],
                            body->last->operands[i]);
    assign_region(a, body);
    if (a->failed) /* what stands behind the failure has no layout */
        return;
    demand_like(a, op, 3, body->arguments + 1, count);
    demand_like(a, body->last, 0, body->arguments + 1, count);
    for (int i = 0; i < count; i++) {
        const struct layout *sum = gpu_sum_layout(op, i);
        if (sum)
            assign_home(a, op->results[i], *sum);
        else
            set_home_of_carried(a, op->results[i], body->arguments[1 + i], NULL);
    }
}

void assign_while(struct assigner *a, struct ir_op *op)
{
    int count = op->result_count;
    for (int r = 0; r < 2; r++) {
        for (int i = 0; i < count; i++)
            set_home_of_carried(a, op->regions[r]->arguments[i], op->operands[i],
                                op->regions[1]->last->operands[i]);
    }
    for (int r = 0; r < 2; r++)
        assign_region(a, op->regions[r]);
    if (a->failed)
        return;
    demand_like(a, op, 0, op->regions[0]->arguments, count);
    demand_like(a, op->regions[0]->last, 1, op->regions[0]->arguments, count);
    demand_like(a, op->regions[1]->last, 0, op->regions[0]->arguments, count);
    for (int i = 0; i < count; i++)
        set_home_of_carried(a, op->results[i], op->regions[0]->arguments[i], NULL);
}

void assign_if(struct assigner *a, struct ir_op *op)
{
    for (int r = 0; r < 2; r++)
        assign_region(a, op->regions[r]);
    for (int i = 0; i < op->result_count && !a->failed; i++) {
        struct ir_value *first = op->regions[0]->last->operands[i];
        struct ir_value *second = op->regions[1]->last->operands[i];
        set_home_of_carried(a, op->results[i],
                            first->type.rank > 0 && is_flexible(first) ? second : first, NULL);
    }
    for (int r = 0; r < 2 && !a->failed; r++)
        demand_like(a, op->regions[r]->last, 0, op->results, op->result_count);
}
