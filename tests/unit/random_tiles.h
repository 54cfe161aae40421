#ifndef TILEC_TESTS_RANDOM_TILES_H
#define TILEC_TESTS_RANDOM_TILES_H
/*
 * Random programs over larger tiles, for tests of backends: rows and columns of odd sizes, affine
 * addresses with constant and run-time steps, masks that bound a row, reductions along every axis,
 * scans, gathers, loops that carry tiles, loads and stores that overlap. All floats are small
 * integers, so that no order of additions shows and results agree bit for bit.
 */
#include "interp/interp.h"

#include <string.h>

enum { SIZE = 1 << 15, POOL = 256, PARAMETERS = 8 };

static const struct ir_parameter parameters[PARAMETERS] = {
    {.name = "F", .type = {.elem = IR_F32, .pointer = true}, .is_const = true, .is_restrict = true},
    {.name = "H", .type = {.elem = IR_F16, .pointer = true}, .is_const = true},
    {.name = "B", .type = {.elem = IR_U8, .pointer = true}, .is_const = true},
    {.name = "IO", .type = {.elem = IR_F32, .pointer = true}},
    {.name = "OI", .type = {.elem = IR_I32, .pointer = true}},
    {.name = "n", .type = {.elem = IR_I64}},
    {.name = "m", .type = {.elem = IR_I64}},
    {.name = "step", .type = {.elem = IR_I64}},
};

struct memory {
    float f[SIZE], io[SIZE];
    uint16_t h[SIZE];
    uint8_t b[SIZE];
    int32_t oi[SIZE];
};

struct generator {
    uint64_t state;
    struct ir_func *func;
    struct ir_builder b;
    struct ir_type shape; /* of all tiles in the pool */
    struct ir_value *floats[POOL], *masks[POOL];
    int float_count, mask_count;
    int64_t n, m, step;
    bool dense; /* no store writes an element twice */
};

static uint64_t bits(struct generator *g)
{
    uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int below(struct generator *g, int count)
{
    return (int)(bits(g) % (uint64_t)count);
}

/* ---- tiles of indices ------------------------------------------------------------------------ */

static struct ir_type index_shape(struct generator *g)
{
    return ir_with_elem(g->shape, IR_I64);
}

/* 0, 1, 2 ... along an axis of the shape */
static struct ir_value *along(struct generator *g, int axis)
{
    struct ir_type thin = index_shape(g);
    for (int k = 0; k < thin.rank; k++)
        thin.dims[k] = k == axis ? thin.dims[k] : 1;
    struct ir_value *line = ir_arange(&g->b, 0, thin.dims[axis]);
    return ir_broadcast(&g->b, ir_reshape(&g->b, line, thin), index_shape(g));
}

static struct ir_value *spread(struct generator *g, struct ir_value *scalar)
{
    return ir_broadcast(&g->b, scalar, ir_with_shape(scalar->type, g->shape));
}

static struct ir_value *parameter(struct generator *g, int index)
{
    return g->func->body->arguments[index];
}

/* An index that stays below SIZE / 2. dense: no two elements meet. */
static struct ir_value *address_index(struct generator *g, bool dense)
{
    int64_t room = SIZE / 2, stride = 1;
    struct ir_value *index = spread(g, ir_constant_i64(&g->b, below(g, 64)));
    room -= 64;
    for (int k = g->shape.rank - 1; k >= 0; k--) {
        struct ir_value *factor = spread(g, ir_constant_i64(&g->b, stride));
        int choice = dense ? 0 : below(g, 6);
        int64_t most = stride;
        if (choice == 1 && (g->shape.dims[k] - 1) * 3 < room)
            factor = spread(g, ir_constant_i64(&g->b, most = below(g, 4)));
        else if (choice == 2 && (g->shape.dims[k] - 1) * g->step < room)
            factor = spread(g, parameter(g, 7)), most = g->step;
        room -= most * (g->shape.dims[k] - 1);
        index =
            ir_binary(&g->b, IR_OP_ADD, index, ir_binary(&g->b, IR_OP_MUL, along(g, k), factor));
        stride *= g->shape.dims[k];
    }
    return index;
}

static struct ir_value *pointers(struct generator *g, int param, struct ir_value *index)
{
    return ir_binary(&g->b, IR_OP_ADDPTR, spread(g, parameter(g, param)), index);
}

/* ---- the pool -------------------------------------------------------------------------------- */

static void push_float(struct generator *g, struct ir_value *v)
{
    if (g->float_count < POOL)
        g->floats[g->float_count++] = v;
}

static void push_mask(struct generator *g, struct ir_value *v)
{
    if (g->mask_count < POOL)
        g->masks[g->mask_count++] = v;
}

static struct ir_value *a_float(struct generator *g)
{
    return g->floats[below(g, g->float_count)];
}

static struct ir_value *a_mask(struct generator *g)
{
    return g->masks[below(g, g->mask_count)];
}

static struct ir_value *float_constant(struct generator *g, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return ir_constant(&g->b, g->shape, word);
}

/* Small integers again: |x| <= 100. */
static struct ir_value *tame(struct generator *g, struct ir_value *v)
{
    v = ir_binary(&g->b, IR_OP_MINIMUM, v, float_constant(g, 100));
    return ir_binary(&g->b, IR_OP_MAXIMUM, v, float_constant(g, -100));
}

/* Compilers evaluate arguments in orders of their own: one draw after the other. */
static struct ir_value *of_two_floats(struct generator *g, const uint8_t *codes, int count)
{
    struct ir_value *b = a_float(g), *a = a_float(g);
    return ir_binary(&g->b, (enum ir_opcode)codes[below(g, count)], a, b);
}

static void add_mask(struct generator *g)
{
    static const uint8_t compares[] = {IR_OP_LT, IR_OP_LE, IR_OP_GT, IR_OP_GE, IR_OP_LT, IR_OP_LT};
    struct ir_value *mask;
    switch (below(g, 4)) {
    case 0:
        mask = of_two_floats(g, compares, 6);
        break;
    case 1: {
        struct ir_value *b = a_mask(g), *a = a_mask(g);
        mask = ir_binary(&g->b, below(g, 3) ? IR_OP_AND : IR_OP_OR, a, b);
        break;
    }
    default: {
        struct ir_value *bound = spread(g, parameter(g, 5 + below(g, 2)));
        struct ir_value *line = along(g, below(g, g->shape.rank));
        if (below(g, 2))
            line = ir_binary(&g->b, IR_OP_ADD, line,
                             spread(g, ir_constant_i64(&g->b, below(g, 9) - 4)));
        enum ir_opcode code = (enum ir_opcode)compares[below(g, 6)];
        bool swap = below(g, 3) == 0;
        mask = ir_binary(&g->b, code, swap ? bound : line, swap ? line : bound);
    }
    }
    push_mask(g, mask);
}

static void add_load(struct generator *g)
{
    static const uint8_t sources[] = {0, 0, 1, 2, 3};
    struct ir_value *index = address_index(g, false);
    struct ir_value *p = pointers(g, sources[below(g, 5)], index);
    struct ir_value *mask = below(g, 3) ? a_mask(g) : NULL;
    struct ir_type type = ir_with_elem(p->type, (enum ir_elem)p->type.elem);
    struct ir_value *other = ir_constant(&g->b, type, 0);
    push_float(g, ir_cast(&g->b, ir_load(&g->b, p, mask, other), IR_F32));
}

static void add_store(struct generator *g)
{
    struct ir_value *mask = below(g, 3) ? a_mask(g) : NULL;
    struct ir_value *value = a_float(g);
    if (below(g, 3) == 0) {
        struct ir_value *p = pointers(g, 4, address_index(g, true));
        ir_store(&g->b, p, ir_cast(&g->b, value, IR_I32), mask);
        return;
    }
    ir_store(&g->b, pointers(g, 3, address_index(g, below(g, 4) > 0 || g->dense)), value, mask);
}

static void add_elementwise(struct generator *g)
{
    static const uint8_t codes[] = {IR_OP_ADD, IR_OP_SUB, IR_OP_MUL, IR_OP_MAXIMUM, IR_OP_MINIMUM};
    struct ir_value *v;
    if (below(g, 4) == 0) {
        struct ir_value *b = a_float(g), *a = a_float(g);
        v = ir_ternary(&g->b, IR_OP_SELECT, a_mask(g), a, b);
    } else {
        v = tame(g, of_two_floats(g, codes, 5));
    }
    if (below(g, 8) == 0) /* something too dear to make twice */
        v = tame(
            g, ir_unary(&g->b, IR_OP_FLOOR, ir_binary(&g->b, IR_OP_DIV, v, float_constant(g, 4))));
    push_float(g, v);
}

/* A reduction, spread over the tile again. */
static void add_reduction(struct generator *g)
{
    static const uint8_t codes[] = {IR_OP_SUM,    IR_OP_MAX, IR_OP_MIN, IR_OP_ARGMAX,
                                    IR_OP_ARGMIN, IR_OP_ANY, IR_OP_ALL, IR_OP_SUM};
    enum ir_opcode code = (enum ir_opcode)codes[below(g, 8)];
    bool logic = code == IR_OP_ANY || code == IR_OP_ALL;
    int axis = below(g, g->shape.rank + 1) - 1;
    struct ir_value *v = ir_reduce(&g->b, code, logic ? a_mask(g) : a_float(g), axis);
    if (axis >= 0 && v->type.rank > 0) {
        struct ir_type thin = ir_with_shape(v->type, g->shape);
        thin.dims[axis] = 1;
        v = ir_reshape(&g->b, v, thin);
    }
    v = spread(g, v);
    if (logic)
        push_mask(g, v);
    else
        push_float(g, tame(g, ir_cast(&g->b, v, IR_F32)));
}

static void add_shape(struct generator *g)
{
    static const enum ir_opcode scans[] = {IR_OP_CUMSUM, IR_OP_CUMMAX, IR_OP_CUMMIN};
    struct ir_attributes attributes = {0};
    struct ir_value *v = a_float(g);
    int rank = g->shape.rank;
    int32_t count = (int32_t)ir_element_count(g->shape);
    switch (below(g, 4)) {
    case 0: { /* reversed axes, flattened, and back under the old shape */
        struct ir_type turned = v->type;
        for (int k = 0; k < rank; k++) {
            attributes.permutation[k] = (uint8_t)(rank - 1 - k);
            turned.dims[k] = v->type.dims[rank - 1 - k];
        }
        v = ir_build(&g->b, IR_OP_TRANS, 1, &v, 1, &turned, 0, &attributes)->results[0];
        v = ir_reshape(&g->b, v, ir_tile(IR_F32, 1, &count));
        v = ir_reshape(&g->b, v, g->shape);
        break;
    }
    case 1:
        attributes.axis = below(g, rank);
        attributes.exclusive = below(g, 2);
        v = ir_build(&g->b, scans[below(g, 3)], 1, &v, 1, &v->type, 0, &attributes)->results[0];
        v = tame(g, v);
        break;
    case 2: {
        attributes.axis = below(g, rank);
        struct ir_value *index = along(g, below(g, rank));
        struct ir_value *last =
            spread(g, ir_constant_i64(&g->b, g->shape.dims[attributes.axis] - 1));
        index = ir_binary(&g->b, IR_OP_SUB, last, ir_binary(&g->b, IR_OP_MINIMUM, index, last));
        struct ir_value *operands[] = {v, index};
        v = ir_build(&g->b, IR_OP_GATHER, 2, operands, 1, &v->type, 0, &attributes)->results[0];
        break;
    }
    default: {
        struct ir_value *pair[] = {v, a_float(g)};
        if (rank == IR_MAX_RANK)
            return;
        struct ir_type joined = v->type, halves[] = {v->type, v->type};
        joined.dims[joined.rank++] = 2;
        v = ir_build(&g->b, IR_OP_JOIN, 2, pair, 1, &joined, 0, NULL)->results[0];
        v = ir_build(&g->b, IR_OP_SPLIT, 1, &v, 2, halves, 0, NULL)->results[below(g, 2)];
    }
    }
    push_float(g, v);
}

static void add_ops(struct generator *g, int count, bool nested);

/* for (i = 0; i < 3; i++) with one or two carried tiles */
static void add_loop(struct generator *g)
{
    struct ir_value *inits[] = {a_float(g), a_float(g)};
    int carried = 1 + below(g, 2), floats = g->float_count, masks = g->mask_count;
    struct ir_value *operands[] = {ir_constant_i64(&g->b, 0), ir_constant_i64(&g->b, below(g, 4)),
                                   ir_constant_i64(&g->b, 1), inits[0], inits[1]};
    struct ir_type types[] = {g->shape, g->shape};
    struct ir_op *loop = ir_build(&g->b, IR_OP_FOR, 3 + carried, operands, carried, types, 1, NULL);
    struct ir_builder outside = g->b;
    g->b.region = loop->regions[0];
    ir_region_add_argument(g->func, g->b.region, ir_scalar(IR_I64), "i");
    struct ir_value *in[2], *out[2];
    for (int i = 0; i < carried; i++)
        push_float(g, in[i] = ir_region_add_argument(g->func, g->b.region, g->shape, NULL));
    add_ops(g, 4, true);
    for (int i = 0; i < carried; i++) {
        out[i] = a_float(g);
        if (below(g, 2))
            out[i] =
                tame(g, ir_binary(&g->b, below(g, 2) ? IR_OP_ADD : IR_OP_MAXIMUM, in[i], out[i]));
    }
    if (carried == 2 && below(g, 4) == 0)
        out[0] = in[1], out[1] = in[0];
    ir_build(&g->b, IR_OP_YIELD, carried, out, 0, NULL, 0, NULL);
    g->b = outside;
    g->float_count = floats;
    g->mask_count = masks;
    for (int i = 0; i < carried; i++)
        push_float(g, loop->results[i]);
}

static void add_ops(struct generator *g, int count, bool nested)
{
    for (int i = 0; i < count; i++) {
        int choice = below(g, 32);
        if (choice < 8)
            add_load(g);
        else if (choice < 12)
            add_mask(g);
        else if (choice < 20)
            add_elementwise(g);
        else if (choice < 24)
            add_store(g);
        else if (choice < 28)
            add_reduction(g);
        else if (choice < 30)
            add_shape(g);
        else if (!nested)
            add_loop(g);
    }
}

static void choose_shape(struct generator *g)
{
    static const int sizes[] = {1,  2,  3,  5,  7,  8,  13,  16,  17,
                                31, 32, 33, 48, 64, 65, 100, 128, 229};
    do {
        g->shape = (struct ir_type){.elem = IR_F32, .rank = (uint8_t)(1 + below(g, 3))};
        for (int k = 0; k < g->shape.rank; k++)
            g->shape.dims[k] = sizes[below(g, 18)];
    } while (ir_element_count(g->shape) > 4096);
}

static struct ir_func *generate(struct generator *g, struct arena *arena)
{
    g->n = below(g, 140) - 4;
    g->m = below(g, 40);
    g->step = 1 + below(g, 40);
    choose_shape(g);
    g->func = ir_func_new(arena, "tiles", PARAMETERS, parameters);
    g->b = (struct ir_builder){.func = g->func, .region = g->func->body};
    push_float(g, float_constant(g, 3));
    push_mask(g, ir_constant(&g->b, ir_with_elem(g->shape, IR_BOOL), 1));
    for (int i = 0; i < 3; i++) {
        add_mask(g);
        add_load(g);
    }
    add_ops(g, 16, false);
    for (int i = 0; i < 2; i++)
        add_store(g);
    ir_build(&g->b, IR_OP_RETURN, 0, NULL, 0, NULL, 0, NULL);
    return g->func;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void fill(struct memory *memory, uint64_t seed)
{
    struct generator g = {.state = seed};
    for (int k = 0; k < SIZE; k++) {
        memory->f[k] = (float)(below(&g, 31) - 15);
        memory->io[k] = (float)(below(&g, 31) - 15);
        memory->h[k] = (uint16_t)(0x4000 + (below(&g, 4) << 8)); /* 2, 2.5, 3, 3.5 rounded down */
        memory->h[k] = memory->h[k] & 0xfe00;
        memory->b[k] = (uint8_t)below(&g, 16);
        memory->oi[k] = -1;
    }
}

#endif
