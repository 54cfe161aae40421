/*
 * How full a tile is.
 *
 *   %col = arange {0 to 1024}
 *   %m = lt %col, (broadcast (cast %N))       N from 896 on: a thread that has elements t, t + 128,
 *   %x = load %p, %m, %zero                   ... needs a mask for the last of them only
 *
 * Only the launch knows N. Code may be made for an eighth of the tile that N lies in: comparisons
 * with elements before and behind that eighth are known then, so that their masks go. Eight
 * predicates are more than a thread of NVIDIA's has, and what is saved and restored for them makes
 * its compiler move loads behind the first sums. Or it is made for one value of N: then N need not
 * even be fetched before the first address is known.
 */
#include "gpu/bound.h"

#include "opt/pass.h"

struct search {
    const struct ir_func *func;
    struct gpu_tile_bound found;
};

/* The parameter that the value is, cast to more bits perhaps; -1: none. */
static int parameter_of(const struct ir_func *func, const struct ir_value *value)
{
    while (value->op && (value->op->code == IR_OP_BROADCAST ||
                         (value->op->code == IR_OP_CAST && value->type.elem == IR_I64)))
        value = value->op->operands[0];
    bool fits = value->type.elem == IR_I32 || value->type.elem == IR_I64;
    for (int i = 0; fits && value->type.rank == 0 && i < func->parameter_count; i++) {
        if (value == func->body->arguments[i])
            return i;
    }
    return -1;
}

static bool look(struct ir_op *op, void *user)
{
    struct search *s = user;
    if (op->code != IR_OP_LT || op->operands[0]->type.rank != 1)
        return true;
    const struct ir_op *range = op->operands[0]->op;
    int parameter = parameter_of(s->func, op->operands[1]);
    if (!range || range->code != IR_OP_ARANGE || range->attributes.begin != 0 || parameter < 0 ||
        range->attributes.end % GPU_BOUND_PARTS != 0)
        return true;
    s->found.parameter = parameter;
    s->found.elements = range->attributes.end;
    return false;
}

struct gpu_tile_bound gpu_find_tile_bound(const struct ir_func *func)
{
    struct search s = {.func = func, .found = {.parameter = -1}};
    ir_walk(func->body, look, &s);
    return s.found;
}

int gpu_bound_part(const struct gpu_tile_bound *bound, int64_t value)
{
    if (value < 0)
        return 0;
    int64_t part = value / (bound->elements / GPU_BOUND_PARTS);
    return part < GPU_BOUND_PARTS ? (int)part : GPU_BOUND_PARTS - 1;
}

struct gpu_known_range gpu_bound_range(const struct gpu_tile_bound *bound, int part)
{
    int64_t size = bound->elements / GPU_BOUND_PARTS;
    if (part == 0 || bound->parameter < 0)
        return (struct gpu_known_range){0};
    return (struct gpu_known_range){
        .known = true,
        .parameter = bound->parameter,
        .least = part * size,
        .most = part == GPU_BOUND_PARTS - 1 ? INT64_MAX : (part + 1) * size - 1,
    };
}

struct gpu_known_range gpu_bound_value(const struct gpu_tile_bound *bound, int64_t value)
{
    return (struct gpu_known_range){
        .known = true, .parameter = bound->parameter, .least = value, .most = value};
}

void gpu_set_known_value(struct ir_func *func, const struct gpu_known_range *range)
{
    if (!range->known || range->least != range->most)
        return;
    struct ir_value *argument = func->body->arguments[range->parameter];
    struct ir_builder b = pass_builder(func, func->body->first);
    ir_replace(argument, ir_constant(&b, argument->type, (uint64_t)range->least));
    ir_apply_replacements(func);
}
