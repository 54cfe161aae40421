/*
 * Layouts of loads and stores: threads read runs along the axis that is contiguous in memory, and a
 * store keeps the layout of its value unless lanes would jump.
 */
#include "gpu/assigner.h"

void gpu_pointer_parts(const struct ir_value *pointer, struct ir_value **base,
                       struct ir_value **offsets)
{
    const struct ir_op *op = pointer->op;
    *offsets = NULL;
    if (pointer->type.rank == 0) {
        *base = (struct ir_value *)pointer;
        return;
    }
    if (op->code == IR_OP_ADDPTR) {
        *offsets = op->operands[1];
        op = op->operands[0]->op;
    }
    *base = op->operands[0];
}

int assign_contiguous_axis(const struct ir_value *offsets, struct ir_type type)
{
    int64_t stride;
    for (int axis = type.rank - 1; offsets && axis >= 0; axis--) {
        if (type.dims[axis] > 1 && gpu_stride_along(offsets, axis, &stride) && stride == 1)
            return axis;
    }
    return type.rank - 1;
}

/* Whether neighbouring threads touch neighbours along the axis. */
static bool is_coalesced(const struct layout *layout, int axis)
{
    int low = 0;
    for (int i = axis + 1; i < layout->rank; i++)
        low += layout->axis_bits[i];
    int first = 0;
    while (first < layout->register_bits && layout->basis[first] == 1u << (low + first))
        first++;
    return first >= layout->axis_bits[axis] ||
           layout->basis[layout->register_bits] == 1u << (low + first);
}

/* What is transposed may move two rows at a time (pairs.c), which a thread must hold for that. */
struct layout assign_loaded_layout(const struct assigner *a, struct ir_type type, int axis)
{
    bool pairs = a->turns && type.rank == 2 && ir_elem_bytes((enum ir_elem)type.elem) == 2;
    return pairs ? gpu_layout_paired(type, a->plan, axis) : gpu_layout_default(type, a->plan, axis);
}

static bool is_converted_explicitly(const struct ir_value *value)
{
    return value->op && value->op->attributes.layout;
}

/* The layout of an access: that of indices or masks that have one; a load chooses what suits the
 * addresses; a store keeps the value's, unless lanes would jump. */
static struct layout access_layout(struct assigner *a, struct ir_op *op, struct ir_value *offsets)
{
    struct layout layout;
    if (op->code == IR_OP_LOAD && op->data) /* for a product, see matrix.h */
        return *(const struct layout *)op->data;
    if (offsets && !is_flexible(offsets))
        return home_of(offsets);
    for (int i = op->code == IR_OP_LOAD ? 1 : 2; i < op->operand_count; i++) {
        if (!is_flexible(op->operands[i]))
            return home_of(op->operands[i]);
    }
    struct ir_type type = op->operands[0]->type;
    int axis = assign_contiguous_axis(offsets, type);
    layout = op->code == IR_OP_LOAD ? assign_loaded_layout(a, type, axis)
                                    : gpu_layout_default(type, a->plan, axis);
    if (op->code == IR_OP_LOAD || is_flexible(op->operands[1]))
        return layout;
    struct layout home = home_of(op->operands[1]);
    if (is_converted_explicitly(op->operands[1]))
        return home;
    if (op->data) /* of a product, see matrix.h */
        return *(const struct layout *)op->data;
    return is_coalesced(&home, axis) ? home : layout;
}

void assign_access(struct assigner *a, struct ir_op *op)
{
    struct ir_value *base, *offsets;
    struct ir_type type = op->operands[0]->type;
    if (type.rank == 0) {
        for (int i = 0; i < op->result_count; i++)
            assign_info(a, op->results[i]);
        return;
    }
    gpu_pointer_parts(op->operands[0], &base, &offsets);
    struct layout layout = access_layout(a, op, offsets);
    if (offsets) {
        struct ir_value *wanted = assign_demand(a, offsets, layout);
        op->operands[0]->op->operands[1] = wanted;
    }
    for (int i = 1; i < op->operand_count; i++)
        op->operands[i] = assign_demand(a, op->operands[i], layout);
    assign_op_layout(a, op, layout);
    for (int i = 0; i < op->result_count; i++)
        assign_home(a, op->results[i], layout);
}
