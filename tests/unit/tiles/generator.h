#ifndef TILEC_TESTS_TILES_GENERATOR_H
#define TILEC_TESTS_TILES_GENERATOR_H
/*
 * What all parts of the generator of random tile programs share: draws, the pool of tiles that the
 * next op may use, and tiles of another element type.
 *
 * All tiles of the pool have one shape, and are floats that hold integers or masks.
 */
#include "memory.h"

enum { POOL = 256, COUNTERS = 4, COUNTER_LIMIT = 8 };

struct generator {
    uint64_t state;
    /* Set by the test. */
    bool dense;   /* no store writes an element twice */
    bool doubles; /* the target has them, and atomic operations on 64 bits */
    int threads;  /* that are required; 0: none are */
    struct ir_func *func;
    struct ir_builder b;
    struct ir_type shape; /* of all tiles in the pool */
    struct ir_value *floats[POOL], *masks[POOL];
    int float_count, mask_count;
    struct ir_value *counters[COUNTERS]; /* of the loops around, 0 to COUNTER_LIMIT - 1 */
    int counter_count, depth;
    struct ir_value *end,
        *end_step;         /* of the last loop in this region, for one that goes on there */
    enum ir_opcode atomic; /* what elements collide with */
    int64_t n, m, step;
};

static uint64_t tiles_scalar(const struct generator *g, int parameter)
{
    return (uint64_t)(parameter == TILES_N ? g->n : parameter == TILES_M ? g->m : g->step);
}

/* ---- draws ----------------------------------------------------------------------------------- */

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

/* ---- values ---------------------------------------------------------------------------------- */

static struct ir_value *spread(struct generator *g, struct ir_value *scalar)
{
    return ir_broadcast(&g->b, scalar, ir_with_shape(scalar->type, g->shape));
}

static struct ir_value *parameter(struct generator *g, int index)
{
    return g->func->body->arguments[index];
}

static struct ir_value *float_constant(struct generator *g, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return ir_constant(&g->b, g->shape, word);
}

/* Small integers again: |x| <= most. */
static struct ir_value *within(struct generator *g, struct ir_value *v, float most)
{
    v = ir_binary(&g->b, IR_OP_MINIMUM, v, float_constant(g, most));
    return ir_binary(&g->b, IR_OP_MAXIMUM, v, float_constant(g, -most));
}

static struct ir_value *tame(struct generator *g, struct ir_value *v)
{
    return within(g, v, 100);
}

/* ---- other elements -------------------------------------------------------------------------- */

/* An integer of at most 100 as another type has all of the type's bytes filled: of 16 bits v * 257
 * and of 64 bits v + (v << 33), so that bytes which are lost or exchanged show. */
static int spread_shift(enum ir_elem elem)
{
    int width = ir_elems[elem].bits;
    return !ir_is_integer(elem) ? 0 : width == 64 ? 33 : width == 16 ? 8 : 0;
}

static enum ir_elem an_elem(struct generator *g)
{
    static const uint8_t elems[] = {IR_I8,  IR_U8,  IR_I16, IR_U16,  IR_I32, IR_U32,
                                    IR_I64, IR_U64, IR_F16, IR_BF16, IR_F32, IR_F64};
    return (enum ir_elem)elems[below(g, g->doubles ? 12 : 11)];
}

/* A float of the pool, or what is like it, as elements of the type. */
static struct ir_value *to_elem(struct generator *g, struct ir_value *v, enum ir_elem elem)
{
    int shift = spread_shift(elem);
    v = ir_cast(&g->b, v, elem);
    if (!shift)
        return v;
    struct ir_value *by = ir_constant(&g->b, v->type, (uint64_t)shift);
    return ir_binary(&g->b, IR_OP_ADD, ir_binary(&g->b, IR_OP_SHL, v, by), v);
}

/* A float of the pool again; any value of the type will do. */
static struct ir_value *from_elem(struct generator *g, struct ir_value *v)
{
    int shift = spread_shift((enum ir_elem)v->type.elem);
    if (shift) {
        struct ir_value *by = ir_constant(&g->b, v->type, (uint64_t)shift);
        v = ir_binary(&g->b, IR_OP_SHR, v, by);
    }
    return tame(g, ir_cast(&g->b, v, IR_F32));
}

#endif
