/*
 * Layout assignment: every tile value gets a layout before anything is lowered.
 *
 *   loads        a layout whose threads read runs along the axis that is contiguous in memory
 *   explicit     arange_in and convert_layout say it
 *   elementwise  that of the first operand that has one
 *   shapes       what moves with the elements: trans permutes axes, a reduction drops one, reshape
 *                renames bits
 *   flexible     constants, ranges, broadcasts of scalars, and what is computed from those alone
 *                have none of their own: they are computed in each layout that a user needs
 *
 * Here is what each op does; assigner.h says where the rest is. Where an operand has another layout
 * than the op works in, it is converted, which the lowering does by the cheapest mechanism
 * (layout/convert.h).
 */
#include "gpu/assigner.h"

#include "gpu/matrix.h"
#include "ir/exchange.h"

/* ---- shapes ---------------------------------------------------------------------------------- */

static bool has_flexible_operands(const struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i]->type.rank > 0 && !is_flexible(op->operands[i]))
            return false;
    }
    return true;
}

static bool makes_flexible(const struct ir_op *op)
{
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_TRANS:
    case IR_OP_BROADCAST:
        break;
    case IR_OP_ARANGE:
        return !op->attributes.layout;
    case IR_OP_RESHAPE:
        if (!gpu_keeps_bits(op->operands[0]->type, op->results[0]->type))
            return false;
        break;
    default:
        if (!ir_has(op, IR_PURE | IR_ELEMENTWISE) || op->code == IR_OP_CONVERT_LAYOUT)
            return false;
    }
    return has_flexible_operands(op);
}

static void assign_shape(struct assigner *a, struct ir_op *op)
{
    struct ir_value *operand = op->operands[0];
    struct ir_type from = operand->type, to = op->results[0]->type;
    struct layout layout = default_of(a, to);
    switch (op->code) {
    case IR_OP_BROADCAST:
        if (op->data) /* for a product */
            layout = *(const struct layout *)op->data;
        op->operands[0] = assign_demand(a, operand, gpu_layout_before_broadcast(layout, from, to));
        break;
    case IR_OP_TRANS:
        layout = gpu_layout_trans(home_of(operand), op->attributes.permutation);
        break;
    case IR_OP_JOIN:
        operand = is_flexible(operand) ? op->operands[1] : operand;
        assign_demand_all(a, op, natural(a, operand));
        layout = gpu_layout_joined(natural(a, operand), to);
        break;
    default: /* reshape */
        op->operands[0] = assign_demand(a, operand, natural(a, operand));
        if (gpu_keeps_bits(from, to))
            layout = gpu_layout_reshape(natural(a, operand), to);
    }
    assign_op_layout(a, op, layout);
    assign_home(a, op->results[0], layout);
}

static void assign_split(struct assigner *a, struct ir_op *op)
{
    struct ir_type half = op->results[0]->type;
    struct layout layout = natural(a, op->operands[0]);
    if (!gpu_layout_is_joined(&layout))
        layout = gpu_layout_joined(default_of(a, half), op->operands[0]->type);
    assign_demand_all(a, op, layout);
    assign_op_layout(a, op, layout);
    for (int i = 0; i < 2; i++)
        assign_home(a, op->results[i], gpu_layout_before_join(layout, half));
}

static void assign_explicit(struct assigner *a, struct ir_op *op)
{
    struct ir_type type = op->results[0]->type;
    struct layout layout = gpu_layout_explicit(op->attributes.layout, type, a->plan);
    if (op->code == IR_OP_CONVERT_LAYOUT) {
        struct ir_value *source = op->operands[0];
        struct layout from = natural(a, source);
        a->counts->before++;
        if (!is_flexible(source) && layout_equal(&from, &layout))
            a->counts->identities++;
        op->operands[0] = is_flexible(source) ? assign_demand(a, source, layout) : source;
    }
    assign_op_layout(a, op, layout);
    assign_home(a, op->results[0], layout);
}

/* ---- collectives ----------------------------------------------------------------------------- */

/* A dot that an instruction does has fragments; else both operands may have any layout. */
static void assign_dot(struct assigner *a, struct ir_op *op)
{
    const struct gpu_dot *dot = op->data;
    struct layout left = natural(a, op->operands[0]), right = natural(a, op->operands[1]);
    if (dot && !dot->staged && !dot->fed[0] && !dot->kept)
        left = dot->a;
    if (dot && !dot->staged && !dot->fed[1])
        right = dot->b;
    op->operands[0] = assign_demand(a, op->operands[0], left);
    op->operands[1] = assign_demand(a, op->operands[1], right);
    struct layout layout = dot ? dot->c : natural(a, op->operands[2]);
    op->operands[2] = assign_demand(a, op->operands[2], layout);
    assign_home(a, op->results[0], layout);
}

/* One at i ^ distance is a conversion of its operand; see gpu_layout_exchanged. */
static void assign_gather(struct assigner *a, struct ir_op *op)
{
    struct ir_value *operand = op->operands[0];
    struct layout layout = natural(a, operand);
    int64_t distance;
    if (ir_exchange_of(op, &distance)) {
        struct layout wanted = gpu_layout_exchanged(layout, op->attributes.axis, distance);
        op->operands[0] = assign_demand(a, operand, wanted);
    } else {
        op->operands[0] = assign_demand(a, operand, layout);
        layout = natural(a, op->operands[1]);
        op->operands[1] = assign_demand(a, op->operands[1], layout);
    }
    assign_op_layout(a, op, layout);
    assign_home(a, op->results[0], layout);
}

static void assign_collective(struct assigner *a, struct ir_op *op)
{
    struct ir_value *operand = op->operands[0], *result = op->results[0];
    struct ir_type type = operand->type;
    struct layout layout = natural(a, operand);
    switch (op->code) {
    case IR_OP_CUMSUM:
    case IR_OP_CUMMAX:
    case IR_OP_CUMMIN:
    case IR_OP_CUMPROD:
    case IR_OP_SCAN:
        layout = gpu_layout_scan(type, op->attributes.axis, a->plan);
        assign_demand_all(a, op, layout);
        assign_op_layout(a, op, layout);
        assign_home(a, result, layout);
        return;
    case IR_OP_GATHER:
        assign_gather(a, op);
        return;
    case IR_OP_DOT:
        assign_dot(a, op);
        return;
    default: /* a reduction */
        if (type.rank > 0)
            op->operands[0] = assign_demand(a, operand, layout);
        assign_op_layout(a, op, layout);
        if (result->type.rank > 0)
            assign_home(a, result, gpu_layout_reduced(layout, op->attributes.axis));
        else
            assign_info(a, result);
    }
}

/* ---- elementwise ----------------------------------------------------------------------------- */

static void assign_elementwise(struct assigner *a, struct ir_op *op)
{
    struct layout layout = {0};
    for (int i = op->operand_count - 1; i >= 0; i--) {
        if (!is_flexible(op->operands[i]))
            layout = home_of(op->operands[i]);
    }
    assign_demand_all(a, op, layout);
    assign_op_layout(a, op, layout);
    assign_home(a, op->results[0], layout);
}

/* ---- all ops --------------------------------------------------------------------------------- */

static bool is_pointer_tile(const struct ir_op *op)
{
    struct ir_type type = op->results[0]->type;
    return type.pointer && type.rank > 0;
}

static void assign_scalar(struct assigner *a, struct ir_op *op)
{
    for (int i = 0; i < op->result_count; i++)
        assign_info(a, op->results[i]);
}

static void assign_tile(struct assigner *a, struct ir_op *op)
{
    if (is_pointer_tile(op)) {
        assign_info(a, op->results[0]);
    } else if (op->attributes.layout) {
        assign_explicit(a, op);
    } else if (op->code == IR_OP_SPLIT) {
        assign_split(a, op);
    } else if (makes_flexible(op)) {
        assign_info(a, op->results[0])->flexible = true;
    } else if (op->code == IR_OP_BROADCAST || op->code == IR_OP_RESHAPE ||
               op->code == IR_OP_TRANS || op->code == IR_OP_JOIN) {
        assign_shape(a, op);
    } else if (ir_has(op, IR_PURE | IR_ELEMENTWISE)) {
        assign_elementwise(a, op);
    } else {
        assign_collective(a, op);
    }
}

/* A reduction of a tile to a scalar, or a reshape or gather with a tile for an operand. */
static bool takes_a_tile(const struct ir_op *op)
{
    return op->operand_count > 0 && op->operands[0]->type.rank > 0;
}

static void assign_op(struct assigner *a, struct ir_op *op)
{
    if (op->code == IR_OP_FOR)
        assign_for(a, op);
    else if (op->code == IR_OP_WHILE)
        assign_while(a, op);
    else if (op->code == IR_OP_IF)
        assign_if(a, op);
    else if (ir_has(op, IR_READS) || (ir_has(op, IR_WRITES) && ir_has(op, IR_ELEMENTWISE)))
        assign_access(a, op);
    else if (ir_has(op, IR_WRITES) || ir_has(op, IR_TERMINATOR) || op->result_count == 0)
        return;
    else if (op->results[0]->type.rank > 0 || (takes_a_tile(op) && op->code >= IR_OP_SUM))
        assign_tile(a, op);
    else if (takes_a_tile(op)) /* a tile of one element becomes a scalar */
        assign_shape(a, op);
    else
        assign_scalar(a, op);
}

void assign_region(struct assigner *a, struct ir_region *region)
{
    struct ir_op *next;
    for (struct ir_op *op = region->first; op && !a->failed; op = next) {
        next = op->next;
        assign_op(a, op);
    }
}

/* Pointer tiles of earlier accesses may be shared by accesses of different layouts, so each access
 * gets its own. */
static bool own_pointer(struct ir_op *op, void *user)
{
    struct ir_func *func = user;
    if (op->operand_count == 0 || !(ir_has(op, IR_READS) || ir_has(op, IR_WRITES)) ||
        !op->operands[0]->type.pointer || op->operands[0]->type.rank == 0)
        return true;
    struct ir_op *pointer = op->operands[0]->op;
    struct ir_builder b = {.func = func, .region = op->parent, .before = op, .range = op->range};
    op->operands[0] = ir_build(&b, pointer->code, pointer->operand_count, pointer->operands, 1,
                               &pointer->results[0]->type, 0, &pointer->attributes)
                          ->results[0];
    return true;
}

static bool count_conversion(struct ir_op *op, void *user)
{
    struct gpu_layout_counts *counts = user;
    if (op->code != IR_OP_CONVERT_LAYOUT || op->results[0]->uses == 0)
        return true;
    /* What is computed in the layout at once, or has it, needs no conversion. */
    struct layout home = home_of(op->results[0]);
    counts->after += !gpu_tile_in(op->operands[0], &home);
    return true;
}

static bool is_no_narrow_trans(struct ir_op *op, void *user)
{
    (void)user;
    return op->code != IR_OP_TRANS || op->results[0]->type.rank != 2 ||
           ir_elem_bytes((enum ir_elem)op->results[0]->type.elem) != 2;
}

bool gpu_assign(struct ir_func *func, const struct gpu_plan *plan, struct gpu_layout_counts *counts,
                struct diagnostics *diagnostics)
{
    struct assigner a = {.func = func,
                         .arena = func->arena,
                         .plan = plan,
                         .counts = counts,
                         .diagnostics = diagnostics};
    a.turns = !gpu_has_products(plan) && !ir_walk(func->body, is_no_narrow_trans, NULL);
    ir_clear_data(func->body);
    ir_walk(func->body, own_pointer, func);
    for (int i = 0; i < func->parameter_count; i++)
        assign_info(&a, func->body->arguments[i]);
    assign_region(&a, func->body);
    if (a.failed) /* the rest has no layouts */
        return false;
    ir_count_uses(func);
    ir_walk(func->body, count_conversion, counts);
    return true;
}
