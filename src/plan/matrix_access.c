/*
 * Reads an access of a matrix product: a load or store, through pointers or a view, of a tile of
 * two axes.
 *
 * Its address is a polynomial in the axes, the numbers of the blocks and the trip of the loop; each
 * mask is a list of conditions, bound - index > 0, where one axis takes part with the factor -1.
 */
#include "plan/matrix_internal.h"

static bool add_condition(struct matrix_access *a, const struct polynomial *room)
{
    enum { MOST = sizeof a->conditions / sizeof *a->conditions };
    if (a->condition_count == MOST)
        return false;
    a->conditions[a->condition_count].room = *room;
    a->conditions[a->condition_count].index = (struct polynomial){0};
    a->conditions[a->condition_count].extent = *room;
    a->conditions[a->condition_count++].axis = -1;
    return true;
}

/* x < y and so on: y - x, or one more */
static bool read_comparison(struct matrix_search *s, const struct ir_op *op,
                            struct matrix_access *a)
{
    struct polynomial x, room, one = polynomial_constant(1);
    bool greater = op->code == IR_OP_GT || op->code == IR_OP_GE;
    if (!polynomial_of(op->operands[!greater], &s->scope, &room) ||
        !polynomial_of(op->operands[greater], &s->scope, &x) || !polynomial_add(&room, &x, -1))
        return false;
    bool equal = op->code == IR_OP_LE || op->code == IR_OP_GE;
    return (!equal || polynomial_add(&room, &one, 1)) && add_condition(a, &room);
}

static bool read_mask(struct matrix_search *s, const struct ir_value *mask, struct matrix_access *a,
                      int depth)
{
    const struct ir_op *op = mask->op;
    uint64_t bits;
    if (ir_constant_bits(mask, &bits))
        return bits == 1;
    if (!op || depth == 0)
        return false;
    if (ir_is_ordering(op->code))
        return read_comparison(s, op, a);
    int first = a->condition_count;
    switch (op->code) {
    case IR_OP_AND:
        return read_mask(s, op->operands[0], a, depth - 1) &&
               read_mask(s, op->operands[1], a, depth - 1);
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
    case IR_OP_TRANS:
        if (!read_mask(s, op->operands[0], a, depth - 1))
            return false;
        for (int i = first; i < a->condition_count; i++) {
            if (!polynomial_reshape(op, &a->conditions[i].room))
                return false;
        }
        return true;
    default:
        return false;
    }
}

/* Which axis each condition is about. */
static bool sort_conditions(struct matrix_access *a)
{
    for (int i = 0; i < a->condition_count; i++) {
        struct polynomial factor[2], rest;
        int64_t value[2];
        if (a->conditions[i].axis >= 0 || !polynomial_has_axis(&a->conditions[i].room)) {
            continue;
        }
        for (int axis = 0; axis < 2; axis++) {
            polynomial_split_axis(&a->conditions[i].room, axis, &factor[axis], &rest);
            if (!polynomial_is_constant(&factor[axis], &value[axis]))
                return false;
        }
        if (!((value[0] == -1 && value[1] == 0) || (value[0] == 0 && value[1] == -1)))
            return false;
        a->conditions[i].axis = value[1] == -1;
        if (!polynomial_is_constant(&a->conditions[i].index, &value[0]))
            return false;
    }
    return true;
}

static bool read_pointer(struct matrix_search *s, const struct ir_op *op, struct matrix_access *a)
{
    const struct ir_value *pointer = op->operands[0], *mask = NULL;
    uint64_t bits;
    if (op->code == IR_OP_LOAD && op->operand_count > 1) {
        mask = op->operands[1];
        if (!ir_constant_bits(op->operands[2], &bits) || bits != 0)
            return matrix_fail(s, op, "a load does not read 0 where it is masked off");
    } else if (op->code != IR_OP_LOAD && op->operand_count > ir_ops[op->code].least) {
        mask = op->operands[op->operand_count - 1];
    }
    if (!polynomial_of_address(pointer, &s->scope, &a->root, &a->address))
        return matrix_fail(s, op, "an address is not a sum of strides times indices");
    if (pointer->type.dims[0] == 1 || pointer->type.dims[1] == 1)
        return matrix_fail(s, op, "a block through pointers has one row or column");
    struct polynomial rest;
    for (int axis = 0; axis < 2; axis++)
        polynomial_split_axis(&a->address, axis, &a->stride[axis], &rest);
    s->no_wraps = !ir_is_load(op);
    bool limits = !mask || (read_mask(s, mask, a, 16) && sort_conditions(a));
    s->no_wraps = false;
    if (!limits)
        return matrix_fail(s, op, "a mask is not a limit of rows, columns or K");
    return true;
}

static bool is_program_id(const struct polynomial *p)
{
    const struct polynomial_term *term = &p->terms[0];
    return p->count == 1 && term->factor == 1 && term->count == 1 && term->axis < 0 &&
           term->symbols[0]->op && term->symbols[0]->op->code == IR_OP_PROGRAM_ID;
}

static bool read_view(struct matrix_search *s, const struct ir_op *op, struct matrix_access *a)
{
    int axes = op->attributes.view_rank;
    if (!polynomial_of_address(op->operands[0], &s->scope, &a->root, &a->address))
        return matrix_fail(s, op, "an address is not a sum of strides times indices");
    for (int k = 0; k < axes; k++) {
        struct polynomial extent, stride, index, way;
        if (!polynomial_of(op->operands[1 + k], &s->scope, &extent) ||
            !polynomial_of(op->operands[1 + axes + k], &s->scope, &stride) ||
            !polynomial_of(op->operands[1 + 2 * axes + k], &s->scope, &index) ||
            !polynomial_multiply(&index, &stride, &way) || !polynomial_add(&a->address, &way, 1) ||
            a->condition_count == 8)
            return matrix_fail(s, op, "an index of a view is too involved");
        int at = a->condition_count++, axis = k - (axes - 2);
        a->conditions[at].index = index;
        a->conditions[at].extent = a->conditions[at].room = extent;
        a->conditions[at].axis = axis < 0 ? -1 : axis;
        polynomial_add(&a->conditions[at].room, &index, -1);
        if (axis >= 0)
            a->stride[axis] = stride;
        else if (is_program_id(&index)) /* never negative: as a mask would say it */
            a->conditions[at] = (struct matrix_condition){
                .room = a->conditions[at].room, .extent = a->conditions[at].room, .axis = -1};
    }
    return true;
}

bool matrix_read_access(struct matrix_search *s, const struct ir_op *op,
                        struct matrix_access *access)
{
    uint64_t bits;
    *access = (struct matrix_access){0};
    if (op->code == IR_OP_VIEW_LOAD &&
        (!ir_constant_bits(op->operands[op->operand_count - 1], &bits) || bits != 0))
        return matrix_fail(s, op, "a load does not read 0 outside of its view");
    if (op->code == IR_OP_VIEW_LOAD || op->code == IR_OP_VIEW_STORE) {
        if (!read_view(s, op, access))
            return false;
    } else if (!read_pointer(s, op, access)) {
        return false;
    }
    /* From here on the address is that of the tile's first element, and the rooms too. */
    for (int axis = 0; axis < 2; axis++) {
        struct polynomial coefficient, rest;
        polynomial_split_axis(&access->address, axis, &coefficient, &rest);
        access->address = rest;
        for (int i = 0; i < access->condition_count; i++) {
            polynomial_split_axis(&access->conditions[i].room, axis, &coefficient, &rest);
            access->conditions[i].room = rest;
        }
    }
    return !polynomial_has_axis(&access->address) || matrix_fail(s, op, "an address mixes axes");
}
