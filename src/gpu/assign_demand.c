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

/* The layout in which the op needs its operand for its result to have the layout. */
static struct layout operand_layout(const struct ir_op *op, struct ir_type from,
                                    struct layout layout)
{
    if (op->code == IR_OP_BROADCAST)
        return gpu_layout_before_broadcast(layout, from, op->results[0]->type);
    if (op->code == IR_OP_RESHAPE)
        return gpu_layout_reshape(layout, from);
    if (op->code == IR_OP_TRANS)
        return gpu_layout_before_trans(layout, op->attributes.permutation);
    return layout;
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

/* A value that is not flexible. */
static struct ir_value *demand_fixed(struct assigner *a, struct ir_value *value,
                                     struct layout layout)
{
    if (gpu_tile_in(value, &layout))
        return value;
    if (value->op && value->op->code == IR_OP_CONVERT_LAYOUT &&
        !is_flexible(value->op->operands[0])) {
        struct ir_value *source = value->op->operands[0];
        bool undone = gpu_tile_in(source, &layout);
        a->counts->inverses += undone;
        a->counts->compositions += !undone;
        a->counts->before += undone; /* else demand_fixed counts it */
        return demand_fixed(a, source, layout);
    }
    struct ir_value *known = find_conversion(value, &layout);
    if (known)
        return known;
    a->counts->before++;
    return convert_after(a, value, layout);
}

/* An op whose operands are being asked for in what its layout asks of them. */
struct demand {
    struct ir_op *op;
    struct layout layout;
    int next; /* operand */
};

/* A list instead of recursion: chains of flexible values are as long as the kernel. */
struct demands {
    struct demand *items;
    size_t count, capacity;
};

/* A flexible value becomes one that is computed in the layout, and its operands follow. */
static struct ir_value *demand_value(struct assigner *a, struct demands *open,
                                     struct ir_value *value, struct layout layout)
{
    if (value->type.rank == 0)
        return value;
    if (!is_flexible(value))
        return demand_fixed(a, value, layout);
    if (!gpu_tile_in(value, &layout)) {
        add_tile(a, value, &layout);
        struct demand demand = {.op = value->op, .layout = layout};
        ARENA_PUSH(a->arena, open, demand);
    }
    return value;
}

struct ir_value *assign_demand(struct assigner *a, struct ir_value *value, struct layout layout)
{
    struct demands open = {0};
    struct ir_value *found = demand_value(a, &open, value, layout);
    while (open.count > 0) {
        struct demand *last = &open.items[open.count - 1];
        struct ir_op *op = last->op;
        if (last->next == op->operand_count) {
            open.count--;
            continue;
        }
        int i = last->next++;
        struct layout wanted = last->layout;
        if (op->operands[i]->type.rank > 0)
            wanted = operand_layout(op, op->operands[i]->type, wanted);
        op->operands[i] = demand_value(a, &open, op->operands[i], wanted);
    }
    return found;
}

void assign_demand_all(struct assigner *a, struct ir_op *op, struct layout layout)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i]->type.rank > 0)
            op->operands[i] = assign_demand(a, op->operands[i], layout);
    }
}
