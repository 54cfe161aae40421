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
 * Where an operand has another layout than the op works in, a convert_layout op stands behind the
 * operand's definition, one for each layout that is asked for. Conversions of conversions go
 * straight to the source, so that an inverse pair vanishes. The lowering makes each of them by the
 * cheapest mechanism (layout/convert.h).
 */
#include "gpu/assign.h"

#include "gpu/matrix.h"

struct assigner {
    struct ir_func *func;
    struct arena *arena;
    const struct gpu_plan *plan;
    struct gpu_layout_counts *counts;
    struct diagnostics *diagnostics;
    bool turns; /* tiles of elements of two bytes are transposed */
    bool failed;
};

/* ---- values ---------------------------------------------------------------------------------- */

struct gpu_tile *gpu_tile_in(const struct ir_value *value, const struct layout *layout)
{
    for (struct gpu_tile *tile = gpu_value_of(value)->tiles; tile; tile = tile->next) {
        if (layout_equal(&tile->layout, layout))
            return tile;
    }
    return NULL;
}

static struct gpu_value *new_info(struct assigner *a, struct ir_value *value)
{
    struct gpu_value *info = ARENA_NEW(a->arena, struct gpu_value);
    value->data = info;
    return info;
}

static void add_tile(struct assigner *a, struct ir_value *value, const struct layout *layout)
{
    struct gpu_tile *tile = ARENA_NEW(a->arena, struct gpu_tile);
    tile->layout = *layout;
    tile->width = gpu_layout_width(layout, a->plan);
    tile->count = (1 << layout->register_bits) / tile->width;
    tile->next = gpu_value_of(value)->tiles;
    gpu_value_of(value)->tiles = tile;
}

static void set_home(struct assigner *a, struct ir_value *value, struct layout layout)
{
    new_info(a, value);
    if (value->type.rank == 0)
        return;
    int registers = 1 << layout.register_bits;
    if (registers > a->plan->target->most_registers && !a->failed) {
        struct source_range range = value->op ? value->op->range : a->func->range;
        struct diagnostic *added =
            diagnostics_add(a->diagnostics, DIAGNOSTIC_ERROR, range,
                            "a tile of %lld elements needs %d registers of each of %d threads",
                            (long long)ir_element_count(value->type), registers, a->plan->threads);
        diagnostics_hint(a->diagnostics, added, "the target '%s' allows %d; use smaller tiles",
                         a->plan->target->name, a->plan->target->most_registers);
        a->failed = true;
    }
    add_tile(a, value, &layout);
}

static bool is_flexible(const struct ir_value *value)
{
    return gpu_value_of(value)->flexible;
}

static struct layout home_of(const struct ir_value *value)
{
    return gpu_value_of(value)->tiles->layout;
}

static struct layout default_of(const struct assigner *a, struct ir_type type)
{
    return gpu_layout_default(type, a->plan, type.rank - 1);
}

/* Its own layout, or the usual one. */
static struct layout natural(const struct assigner *a, const struct ir_value *value)
{
    return is_flexible(value) ? default_of(a, value->type) : home_of(value);
}

/* ---- demands --------------------------------------------------------------------------------- */

static struct ir_value *demand(struct assigner *a, struct ir_value *value, struct layout layout);

static void demand_operands(struct assigner *a, struct ir_op *op, struct layout layout)
{
    for (int i = 0; i < op->operand_count; i++) {
        struct ir_type from = op->operands[i]->type, to = op->results[0]->type;
        struct layout wanted = layout;
        if (from.rank == 0)
            continue;
        if (op->code == IR_OP_BROADCAST)
            wanted = gpu_layout_before_broadcast(layout, from, to);
        else if (op->code == IR_OP_RESHAPE)
            wanted = gpu_layout_reshape(layout, from);
        else if (op->code == IR_OP_TRANS)
            wanted = gpu_layout_before_trans(layout, op->attributes.permutation);
        op->operands[i] = demand(a, op->operands[i], wanted);
    }
}

/* A convert_layout right behind the definition of a value. */
static struct ir_value *convert_after(struct assigner *a, struct ir_value *value,
                                      struct layout layout)
{
    struct ir_op *at = value->op ? value->op->next : value->region->first;
    struct ir_builder b = {.func = a->func,
                           .region = value->op ? value->op->parent : value->region,
                           .before = at,
                           .range = value->op ? value->op->range : a->func->range};
    struct ir_op *made = ir_build(&b, IR_OP_CONVERT_LAYOUT, 1, &value, 1, &value->type, 0, NULL);
    set_home(a, made->results[0], layout);
    made->results[0]->name = value->name;
    return made->results[0];
}

/* An earlier conversion of the value to the layout; they stand right behind its definition. */
static struct ir_value *find_conversion(const struct ir_value *value, const struct layout *layout)
{
    struct ir_op *op = value->op ? value->op->next : value->region->first;
    for (; op && op->code == IR_OP_CONVERT_LAYOUT && !op->attributes.layout; op = op->next) {
        struct layout home = home_of(op->results[0]);
        if (op->operands[0] == value && layout_equal(&home, layout))
            return op->results[0];
    }
    return NULL;
}

/* The value in the layout: itself, or a conversion of it. */
static struct ir_value *demand(struct assigner *a, struct ir_value *value, struct layout layout)
{
    if (value->type.rank == 0)
        return value;
    if (is_flexible(value)) {
        if (!gpu_tile_in(value, &layout)) {
            add_tile(a, value, &layout);
            demand_operands(a, value->op, layout);
        }
        return value;
    }
    if (gpu_tile_in(value, &layout))
        return value;
    if (value->op && value->op->code == IR_OP_CONVERT_LAYOUT &&
        !is_flexible(value->op->operands[0])) {
        struct ir_value *source = value->op->operands[0];
        bool undone = gpu_tile_in(source, &layout);
        a->counts->inverses += undone;
        a->counts->compositions += !undone;
        a->counts->before += undone; /* else demand counts it */
        return demand(a, source, layout);
    }
    struct ir_value *known = find_conversion(value, &layout);
    if (known)
        return known;
    a->counts->before++;
    return convert_after(a, value, layout);
}

static void demand_all(struct assigner *a, struct ir_op *op, struct layout layout)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i]->type.rank > 0)
            op->operands[i] = demand(a, op->operands[i], layout);
    }
}

static void set_op_layout(struct assigner *a, struct ir_op *op, struct layout layout)
{
    struct layout *copy = ARENA_NEW(a->arena, struct layout);
    *copy = layout;
    op->data = copy;
}

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
        op->operands[0] = demand(a, operand, gpu_layout_before_broadcast(layout, from, to));
        break;
    case IR_OP_TRANS:
        layout = gpu_layout_trans(home_of(operand), op->attributes.permutation);
        break;
    case IR_OP_JOIN:
        operand = is_flexible(operand) ? op->operands[1] : operand;
        demand_all(a, op, natural(a, operand));
        layout = gpu_layout_joined(natural(a, operand), to);
        break;
    default: /* reshape */
        op->operands[0] = demand(a, operand, natural(a, operand));
        if (gpu_keeps_bits(from, to))
            layout = gpu_layout_reshape(natural(a, operand), to);
    }
    set_op_layout(a, op, layout);
    set_home(a, op->results[0], layout);
}

static void assign_split(struct assigner *a, struct ir_op *op)
{
    struct ir_type half = op->results[0]->type;
    struct layout layout = natural(a, op->operands[0]);
    if (!gpu_layout_is_joined(&layout))
        layout = gpu_layout_joined(default_of(a, half), op->operands[0]->type);
    demand_all(a, op, layout);
    set_op_layout(a, op, layout);
    for (int i = 0; i < 2; i++)
        set_home(a, op->results[i], gpu_layout_before_join(layout, half));
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
        op->operands[0] = is_flexible(source) ? demand(a, source, layout) : source;
    }
    set_op_layout(a, op, layout);
    set_home(a, op->results[0], layout);
}

/* ---- memory ---------------------------------------------------------------------------------- */

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

/* The axis along which neighbours in memory follow each other; else the last. */
static int contiguous_axis(const struct ir_value *offsets)
{
    struct ir_type type = offsets->type;
    int64_t stride;
    for (int axis = type.rank - 1; axis >= 0; axis--) {
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
static struct layout loaded_layout(const struct assigner *a, struct ir_type type, int axis)
{
    bool pairs = a->turns && type.rank == 2 && ir_elem_bytes((enum ir_elem)type.elem) == 2;
    return pairs ? gpu_layout_paired(type, a->plan, axis) : gpu_layout_default(type, a->plan, axis);
}

static bool is_no_narrow_trans(struct ir_op *op, void *user)
{
    (void)user;
    return op->code != IR_OP_TRANS || op->results[0]->type.rank != 2 ||
           ir_elem_bytes((enum ir_elem)op->results[0]->type.elem) != 2;
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
    int axis = offsets ? contiguous_axis(offsets) : type.rank - 1;
    layout = op->code == IR_OP_LOAD ? loaded_layout(a, type, axis)
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

static void assign_access(struct assigner *a, struct ir_op *op)
{
    struct ir_value *base, *offsets;
    struct ir_type type = op->operands[0]->type;
    if (type.rank == 0) {
        for (int i = 0; i < op->result_count; i++)
            new_info(a, op->results[i]);
        return;
    }
    gpu_pointer_parts(op->operands[0], &base, &offsets);
    struct layout layout = access_layout(a, op, offsets);
    if (offsets) {
        struct ir_value *wanted = demand(a, offsets, layout);
        op->operands[0]->op->operands[1] = wanted;
    }
    for (int i = 1; i < op->operand_count; i++)
        op->operands[i] = demand(a, op->operands[i], layout);
    set_op_layout(a, op, layout);
    for (int i = 0; i < op->result_count; i++)
        set_home(a, op->results[i], layout);
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
    op->operands[0] = demand(a, op->operands[0], left);
    op->operands[1] = demand(a, op->operands[1], right);
    struct layout layout = dot ? dot->c : natural(a, op->operands[2]);
    op->operands[2] = demand(a, op->operands[2], layout);
    set_home(a, op->results[0], layout);
}

static void assign_collective(struct assigner *a, struct ir_op *op)
{
    struct ir_value *operand = op->operands[0], *result = op->results[0];
    struct ir_type type = operand->type;
    struct layout layout = natural(a, operand);
    switch (op->code) {
    case IR_OP_CUMSUM:
    case IR_OP_CUMMAX:
    case IR_OP_SCAN:
        layout = gpu_layout_scan(type, op->attributes.axis, a->plan);
        demand_all(a, op, layout);
        set_op_layout(a, op, layout);
        set_home(a, result, layout);
        return;
    case IR_OP_GATHER:
        op->operands[0] = demand(a, operand, layout);
        layout = natural(a, op->operands[1]);
        op->operands[1] = demand(a, op->operands[1], layout);
        set_op_layout(a, op, layout);
        set_home(a, result, layout);
        return;
    case IR_OP_DOT:
        assign_dot(a, op);
        return;
    default: /* a reduction */
        if (type.rank > 0)
            op->operands[0] = demand(a, operand, layout);
        set_op_layout(a, op, layout);
        if (result->type.rank > 0)
            set_home(a, result, gpu_layout_reduced(layout, op->attributes.axis));
        else
            new_info(a, result);
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
    demand_all(a, op, layout);
    set_op_layout(a, op, layout);
    set_home(a, op->results[0], layout);
}

/* ---- control --------------------------------------------------------------------------------- */

static void assign_region(struct assigner *a, struct ir_region *region);

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
        int axis = offsets ? contiguous_axis(offsets) : type.rank - 1;
        if (!offsets || !peek(a, offsets, depth - 1, layout))
            *layout = loaded_layout(a, type, axis);
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
        new_info(a, value);
        return;
    }
    /* Sums of products stay fragments, whatever they start with. */
    bool product = next && next->op && next->op->code == IR_OP_DOT && next->op->data;
    if (!next || (!product && !is_flexible(init)) || !peek(a, next, 16, &layout))
        layout = natural(a, init);
    set_home(a, value, layout);
}

/* Brings a terminator's operands, from first on, into the layouts of values. */
static void demand_like(struct assigner *a, struct ir_op *op, int first,
                        struct ir_value *const *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i]->type.rank > 0)
            op->operands[first + i] = demand(a, op->operands[first + i], home_of(values[i]));
    }
}

static void assign_for(struct assigner *a, struct ir_op *op)
{
    struct ir_region *body = op->regions[0];
    int count = op->result_count;
    new_info(a, body->arguments[0]);
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
            set_home(a, op->results[i], *sum);
        else
            set_home_of_carried(a, op->results[i], body->arguments[1 + i], NULL);
    }
}

static void assign_while(struct assigner *a, struct ir_op *op)
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

static void assign_if(struct assigner *a, struct ir_op *op)
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

/* ---- all ops --------------------------------------------------------------------------------- */

static bool is_pointer_tile(const struct ir_op *op)
{
    struct ir_type type = op->results[0]->type;
    return type.pointer && type.rank > 0;
}

static void assign_scalar(struct assigner *a, struct ir_op *op)
{
    for (int i = 0; i < op->result_count; i++)
        new_info(a, op->results[i]);
}

static void assign_tile(struct assigner *a, struct ir_op *op)
{
    if (is_pointer_tile(op)) {
        new_info(a, op->results[0]);
    } else if (op->attributes.layout) {
        assign_explicit(a, op);
    } else if (op->code == IR_OP_SPLIT) {
        assign_split(a, op);
    } else if (makes_flexible(op)) {
        new_info(a, op->results[0])->flexible = true;
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

static void assign_region(struct assigner *a, struct ir_region *region)
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
        new_info(&a, func->body->arguments[i]);
    assign_region(&a, func->body);
    ir_count_uses(func);
    ir_walk(func->body, count_conversion, counts);
    return !a.failed;
}
