/*
 * Values in the layouts that their users want.
 *
 * A value has a layout of its own, its home, or it is flexible and is computed in each layout that
 * is asked for. Where a user wants another one than the home, a convert_layout op stands behind the
 * value's definition, one for each layout that is asked for. Conversions of conversions go straight
 * to the source, so that an inverse pair vanishes.
 */
#include "gpu/assigner.h"

/* ---- values ---------------------------------------------------------------------------------- */

struct gpu_tile *gpu_tile_in(const struct ir_value *value, const struct layout *layout)
{
    for (struct gpu_tile *tile = gpu_value_of(value)->tiles; tile; tile = tile->next) {
        if (layout_equal(&tile->layout, layout))
            return tile;
    }
    return NULL;
}

struct gpu_value *assign_info(struct assigner *a, struct ir_value *value)
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

void assign_home(struct assigner *a, struct ir_value *value, struct layout layout)
{
    assign_info(a, value);
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

void assign_op_layout(struct assigner *a, struct ir_op *op, struct layout layout)
{
    struct layout *copy = ARENA_NEW(a->arena, struct layout);
    *copy = layout;
    op->data = copy;
}

/* ---- demands --------------------------------------------------------------------------------- */

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
        op->operands[i] = assign_demand(a, op->operands[i], wanted);
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
    assign_home(a, made->results[0], layout);
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

struct ir_value *assign_demand(struct assigner *a, struct ir_value *value, struct layout layout)
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
        a->counts->before += undone; /* else assign_demand counts it */
        return assign_demand(a, source, layout);
    }
    struct ir_value *known = find_conversion(value, &layout);
    if (known)
        return known;
    a->counts->before++;
    return convert_after(a, value, layout);
}

void assign_demand_all(struct assigner *a, struct ir_op *op, struct layout layout)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i]->type.rank > 0)
            op->operands[i] = assign_demand(a, op->operands[i], layout);
    }
}
