#ifndef TILEC_TESTS_RANDOM_TILES_H
#define TILEC_TESTS_RANDOM_TILES_H
/*
 * Random programs over larger tiles, for tests of backends: rows and columns of odd sizes, and what
 * the files of tiles/ describe. All floats are small integers, so that no order of additions shows
 * and results agree bit for bit.
 *
 *   tiles/memory.h     parameters and arrays
 *   tiles/generator.h  draws, the pool of tiles, other element types
 *   tiles/layouts.h    explicit layouts
 *   tiles/index.h      addresses
 *   tiles/access.h     loads, stores, atomic operations
 *   tiles/exchange.h   what moves elements between threads
 *   tiles/control.h    loops and conditions
 */
#include "tiles/control.h"
#include "tiles/exchange.h"

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
        struct ir_value *bound = spread(g, parameter(g, TILES_N + below(g, 2)));
        struct ir_value *line = along(g, below(g, g->shape.rank));
        if (below(g, 2))
            line = ir_binary(&g->b, IR_OP_ADD, line,
                             spread(g, ir_constant_i64(&g->b, below(g, 9) - 4)));
        if (g->counter_count && below(g, 3) == 0)
            line = moved_index(g, line);
        enum ir_opcode code = (enum ir_opcode)compares[below(g, 6)];
        bool swap = below(g, 3) == 0;
        mask = ir_binary(&g->b, code, swap ? bound : line, swap ? line : bound);
    }
    }
    push_mask(g, mask);
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

static void add_ops(struct generator *g, int count)
{
    for (int i = 0; i < count; i++) {
        int choice = below(g, 38);
        if (choice < 7)
            add_load(g);
        else if (choice < 10)
            add_mask(g);
        else if (choice < 16)
            add_elementwise(g);
        else if (choice < 20)
            add_store(g);
        else if (choice < 24)
            add_reduction(g);
        else if (choice < 29)
            add_shape(g);
        else if (choice < 31)
            add_atomic(g);
        else if (choice < 32)
            add_single(g);
        else if (choice < 34)
            add_layout(g);
        else
            add_control(g);
    }
}

static void choose_shape(struct generator *g)
{
    static const int sizes[] = {1,  2,  3,  5,  7,  8,  13,  16,  17,
                                31, 32, 33, 48, 64, 65, 100, 128, 229};
    bool powers = below(g, 4) == 0; /* which layouts need */
    do {
        g->shape = (struct ir_type){.elem = IR_F32, .rank = (uint8_t)(1 + below(g, 3))};
        for (int k = 0; k < g->shape.rank; k++)
            g->shape.dims[k] = powers ? 1 << below(g, 9) : sizes[below(g, 18)];
    } while (ir_element_count(g->shape) > 4096);
}

static struct ir_func *generate(struct generator *g, struct arena *arena)
{
    static const uint8_t atomics[] = {IR_OP_ATOMIC_ADD, IR_OP_ATOMIC_MAX, IR_OP_ATOMIC_MIN,
                                      IR_OP_ATOMIC_AND, IR_OP_ATOMIC_OR,  IR_OP_ATOMIC_XOR};
    g->n = below(g, 140) - 4;
    g->m = below(g, 40);
    g->step = 1 + below(g, 40);
    g->atomic = (enum ir_opcode)atomics[below(g, 6)];
    choose_shape(g);
    g->func = ir_func_new(arena, "tiles", PARAMETERS, parameters);
    g->b = (struct ir_builder){.func = g->func, .region = g->func->body};
    push_float(g, float_constant(g, 3));
    push_mask(g, ir_constant(&g->b, ir_with_elem(g->shape, IR_BOOL), 1));
    for (int i = 0; i < 3; i++) {
        add_mask(g);
        add_load(g);
    }
    add_ops(g, 12);
    if (below(g, 6) == 0)
        add_if(g, 8); /* all others return early */
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
        memory->h[k] = (uint16_t)(0x4000 + (below(&g, 2) << 9)); /* 2 or 3 */
        memory->b[k] = (uint8_t)below(&g, 16);
        memory->s[k] = (int16_t)((below(&g, 201) - 100) * 257);
        memory->w[k] = (below(&g, 201) - 100) * ((INT64_C(1) << 33) + 1);
        memory->oi[k] = memory->at[k] = -1;
        memory->ob[k] = (uint8_t)below(&g, 100);
        memory->oh[k] = 0x3c00;
        memory->ow[k] = INT64_C(5) << 33;
    }
}

#endif
