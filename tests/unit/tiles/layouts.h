#ifndef TILEC_TESTS_TILES_LAYOUTS_H
#define TILEC_TESTS_TILES_LAYOUTS_H
/*
 * Explicit layouts: any permutation of an index's bits, xored with anything, in as many elements
 * per thread as leave no more threads than are required (or 32, which no target refuses).
 */
#include "generator.h"

static int power_of(int64_t count) /* its logarithm, or -1: it is no power of two */
{
    int power = 0;
    while (INT64_C(1) << power < count)
        power++;
    return INT64_C(1) << power == count ? power : -1;
}

/* NULL: elements of no power of two have no layout. */
static const struct ir_layout *a_layout(struct generator *g, int64_t elements)
{
    int power = power_of(elements), most = power_of(g->threads ? g->threads : 32);
    if (power < 0)
        return NULL;
    int least = power > most ? power - most : 0;
    struct ir_layout *layout = ARENA_NEW(g->func->arena, struct ir_layout);
    *layout = (struct ir_layout){.name = "L", .bits = power};
    layout->xor_mask = below(g, 2) ? (uint32_t)below(g, (int)elements) : 0;
    int choices = power < 9 ? power - least + 1 : 10 - least; /* 1024 registers may be too many */
    layout->per_thread = 1 << (least + below(g, choices));
    for (int i = 0; i < power; i++) {
        int other = below(g, i + 1);
        layout->bit_order[i] = layout->bit_order[other];
        layout->bit_order[other] = (uint8_t)i;
    }
    return layout;
}

static struct ir_value *an_arange(struct generator *g, int32_t count)
{
    const struct ir_layout *layout = below(g, 8) == 0 ? a_layout(g, count) : NULL;
    if (!layout)
        return ir_arange(&g->b, 0, count);
    struct ir_attributes attributes = {.end = count, .layout = layout};
    struct ir_type type = ir_tile(IR_I64, 1, &count);
    return ir_build(&g->b, IR_OP_ARANGE, 0, NULL, 1, &type, 0, &attributes)->results[0];
}

/* The tile in a layout, or the tile itself. */
static struct ir_value *laid_out(struct generator *g, struct ir_value *v)
{
    struct ir_attributes attributes = {.layout = a_layout(g, ir_element_count(v->type))};
    if (!attributes.layout)
        return v;
    return ir_build(&g->b, IR_OP_CONVERT_LAYOUT, 1, &v, 1, &v->type, 0, &attributes)->results[0];
}

static void add_layout(struct generator *g)
{
    enum ir_elem elem = an_elem(g);
    if (below(g, 4) == 0)
        push_mask(g, laid_out(g, a_mask(g)));
    else
        push_float(g, from_elem(g, laid_out(g, to_elem(g, a_float(g), elem))));
}

#endif
