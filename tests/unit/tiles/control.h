#ifndef TILEC_TESTS_TILES_CONTROL_H
#define TILEC_TESTS_TILES_CONTROL_H
/*
 * Loops that count, loops that go on while something holds, and conditions, whose bodies hold
 * anything that stands outside of them, collectives and each other included. They carry tiles of
 * every element type. What a condition holds of the rest of the kernel is an early return.
 */
#include "access.h"

enum { MOST_CARRIED = 3, MOST_DEPTH = 3 };

static void add_ops(struct generator *g, int count);

/* ---- what is carried ------------------------------------------------------------------------- */

struct carried {
    int count;
    struct ir_type types[MOST_CARRIED];
};

static struct carried carried_tiles(struct generator *g, int least)
{
    static const uint8_t elems[] = {IR_F32, IR_F32, IR_F32, IR_BOOL};
    struct carried c = {.count = least + below(g, MOST_CARRIED - least)};
    for (int i = 0; i < c.count; i++) {
        enum ir_elem elem = below(g, 4) ? (enum ir_elem)elems[below(g, 4)] : an_elem(g);
        c.types[i] = ir_with_elem(g->shape, elem);
    }
    return c;
}

static struct ir_value *of_pool(struct generator *g, struct ir_type type)
{
    if (type.elem == IR_BOOL)
        return a_mask(g);
    return to_elem(g, a_float(g), (enum ir_elem)type.elem);
}

static void to_pool(struct generator *g, struct ir_value *v)
{
    if (v->type.elem == IR_BOOL)
        push_mask(g, v);
    else
        push_float(g, v->type.elem == IR_F32 ? v : from_elem(g, v));
}

/* What a trip makes of a tile: often something with what came in. */
static struct ir_value *carried_on(struct generator *g, struct ir_value *in)
{
    struct ir_value *out = of_pool(g, in->type);
    if (in->type.elem == IR_BOOL)
        return below(g, 2) ? ir_binary(&g->b, IR_OP_XOR, in, out) : out;
    if (in->type.elem != IR_F32 || below(g, 2))
        return out;
    return tame(g, ir_binary(&g->b, below(g, 2) ? IR_OP_ADD : IR_OP_MAXIMUM, in, out));
}

/* ---- regions --------------------------------------------------------------------------------- */

struct place {
    struct ir_builder builder;
    int floats, masks, counters;
    struct ir_value *end, *end_step;
};

static struct place enter(struct generator *g, struct ir_region *region)
{
    struct place outside = {g->b,   g->float_count, g->mask_count, g->counter_count,
                            g->end, g->end_step};
    g->b.region = region;
    g->depth++;
    g->end = g->end_step = NULL;
    return outside;
}

static void leave(struct generator *g, const struct place *outside)
{
    g->b = outside->builder;
    g->float_count = outside->floats;
    g->mask_count = outside->masks;
    g->counter_count = outside->counters;
    g->end = outside->end;
    g->end_step = outside->end_step;
    g->depth--;
}

static int body_size(struct generator *g)
{
    return 1 + below(g, g->depth > 1 ? 3 : 5);
}

/* ---- loops that count ------------------------------------------------------------------------ */

/* 0 to COUNTER_LIMIT / 2, known when the kernel is compiled or when it runs */
static struct ir_value *a_bound(struct generator *g)
{
    struct ir_value *most = ir_constant_i64(&g->b, below(g, COUNTER_LIMIT / 2 + 1));
    return below(g, 3) ? most : ir_binary(&g->b, IR_OP_MINIMUM, parameter(g, TILES_M), most);
}

static void add_loop(struct generator *g)
{
    struct carried c = carried_tiles(g, 0);
    struct ir_value *operands[3 + MOST_CARRIED], *in[MOST_CARRIED], *out[MOST_CARRIED];
    if (g->end && below(g, 2)) { /* the tail of the loop before */
        struct ir_value *more = ir_constant_i64(&g->b, below(g, COUNTER_LIMIT / 2 + 1));
        operands[0] = g->end;
        operands[1] = ir_binary(&g->b, IR_OP_ADD, g->end, more);
        operands[2] = below(g, 2) ? g->end_step : ir_constant_i64(&g->b, 1);
    } else {
        operands[0] = below(g, 4) ? ir_constant_i64(&g->b, 0) : a_bound(g);
        operands[1] = a_bound(g);
        operands[2] = ir_constant_i64(&g->b, 1 + below(g, 2));
        if (below(g, 4) == 0)
            operands[2] = ir_binary(&g->b, IR_OP_MINIMUM, parameter(g, TILES_STEP), operands[2]);
    }
    for (int i = 0; i < c.count; i++)
        operands[3 + i] = of_pool(g, c.types[i]);
    struct ir_op *loop =
        ir_build(&g->b, IR_OP_FOR, 3 + c.count, operands, c.count, c.types, 1, NULL);
    struct place outside = enter(g, loop->regions[0]);
    struct ir_value *counter = ir_region_add_argument(g->func, g->b.region, ir_scalar(IR_I64), "i");
    if (g->counter_count < COUNTERS)
        g->counters[g->counter_count++] = counter;
    for (int i = 0; i < c.count; i++)
        in[i] = ir_region_add_argument(g->func, g->b.region, c.types[i], NULL);
    for (int i = 0; i < c.count; i++)
        to_pool(g, in[i]);
    add_ops(g, body_size(g));
    for (int i = 0; i < c.count; i++)
        out[i] = carried_on(g, in[i]);
    if (c.count == 2 && c.types[0].elem == c.types[1].elem && below(g, 4) == 0)
        out[0] = in[1], out[1] = in[0];
    ir_build(&g->b, IR_OP_YIELD, c.count, out, 0, NULL, 0, NULL);
    leave(g, &outside);
    for (int i = 0; i < c.count; i++)
        to_pool(g, loop->results[i]);
    /* It may end at COUNTER_LIMIT / 2 or behind it: the tail of a tail would leave the arrays. */
    g->end = operands[0] == g->end ? NULL : operands[1];
    g->end_step = operands[2];
}

/* ---- conditions ------------------------------------------------------------------------------ */

static struct ir_value *a_condition(struct generator *g)
{
    static const uint8_t compares[] = {IR_OP_LT, IR_OP_GE, IR_OP_EQ, IR_OP_NE};
    enum ir_opcode code = (enum ir_opcode)compares[below(g, 4)];
    struct ir_value *a;
    switch (below(g, 5)) {
    case 0:
        return ir_reduce(&g->b, IR_OP_ANY, a_mask(g), -1);
    case 1:
        return ir_reduce(&g->b, IR_OP_ALL, a_mask(g), -1);
    case 2:
        a = a_float(g);
        a = ir_reduce(&g->b, below(g, 2) ? IR_OP_MAX : IR_OP_SUM, a, -1);
        a = ir_cast(&g->b, a, IR_I64);
        break;
    case 3:
        if (g->counter_count) {
            a = g->counters[below(g, g->counter_count)];
            break;
        }
        /* fall through */
    default:
        a = parameter(g, below(g, 2) ? TILES_N : TILES_M);
    }
    int against = below(g, 2) ? below(g, 3) : below(g, 60);
    return ir_binary(&g->b, code, a, ir_constant_i64(&g->b, against));
}

static void add_if(struct generator *g, int size)
{
    struct carried c = carried_tiles(g, 0);
    struct ir_value *condition = a_condition(g), *out[MOST_CARRIED];
    struct ir_op *op = ir_build(&g->b, IR_OP_IF, 1, &condition, c.count, c.types, 2, NULL);
    int full = below(g, 2);
    for (int r = 0; r < 2; r++) {
        struct place outside = enter(g, op->regions[r]);
        if (r == full || below(g, 2))
            add_ops(g, r == full ? size : body_size(g));
        for (int i = 0; i < c.count; i++)
            out[i] = of_pool(g, c.types[i]);
        ir_build(&g->b, IR_OP_YIELD, c.count, out, 0, NULL, 0, NULL);
        leave(g, &outside);
    }
    for (int i = 0; i < c.count; i++)
        to_pool(g, op->results[i]);
}

/* ---- loops that go on while something holds -------------------------------------------------- */

static void add_while_arguments(struct generator *g, const struct carried *c,
                                struct ir_region *region, struct ir_value **in)
{
    in[0] = ir_region_add_argument(g->func, region, ir_scalar(IR_I64), "trip");
    if (g->counter_count < COUNTERS)
        g->counters[g->counter_count++] = in[0];
    for (int i = 0; i < c->count; i++)
        in[1 + i] = ir_region_add_argument(g->func, region, c->types[i], NULL);
    for (int i = 0; i < c->count; i++)
        to_pool(g, in[1 + i]);
}

/* A few trips at most, and fewer where the data say so. */
static void add_while(struct generator *g)
{
    struct carried c = carried_tiles(g, 1);
    struct ir_type types[1 + MOST_CARRIED] = {ir_scalar(IR_I64)};
    struct ir_value *in[1 + MOST_CARRIED], *out[2 + MOST_CARRIED];
    struct ir_value *most = a_bound(g);
    out[0] = ir_constant_i64(&g->b, 0);
    for (int i = 0; i < c.count; i++) {
        types[1 + i] = c.types[i];
        out[1 + i] = of_pool(g, c.types[i]);
    }
    struct ir_op *loop =
        ir_build(&g->b, IR_OP_WHILE, 1 + c.count, out, 1 + c.count, types, 2, NULL);
    struct place outside = enter(g, loop->regions[0]);
    add_while_arguments(g, &c, loop->regions[0], in);
    if (below(g, 3) == 0)
        add_ops(g, 1);
    out[0] = ir_binary(&g->b, IR_OP_LT, in[0], most);
    if (below(g, 3))
        out[0] = ir_binary(&g->b, IR_OP_AND, out[0], a_condition(g));
    out[1] = in[0];
    for (int i = 0; i < c.count; i++)
        out[2 + i] = below(g, 4) ? in[1 + i] : of_pool(g, c.types[i]);
    ir_build(&g->b, IR_OP_CONDITION, 2 + c.count, out, 0, NULL, 0, NULL);
    leave(g, &outside);

    outside = enter(g, loop->regions[1]);
    add_while_arguments(g, &c, loop->regions[1], in);
    add_ops(g, body_size(g));
    out[0] = ir_binary(&g->b, IR_OP_ADD, in[0], ir_constant_i64(&g->b, 1));
    for (int i = 0; i < c.count; i++)
        out[1 + i] = carried_on(g, in[1 + i]);
    ir_build(&g->b, IR_OP_YIELD, 1 + c.count, out, 0, NULL, 0, NULL);
    leave(g, &outside);
    for (int i = 0; i < c.count; i++)
        to_pool(g, loop->results[1 + i]);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void add_control(struct generator *g)
{
    int choice = below(g, 8);
    if (g->depth >= MOST_DEPTH)
        return;
    if (choice < 4)
        add_loop(g);
    else if (choice < 6)
        add_if(g, body_size(g));
    else
        add_while(g);
}

#endif
