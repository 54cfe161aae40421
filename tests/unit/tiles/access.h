#ifndef TILEC_TESTS_TILES_ACCESS_H
#define TILEC_TESTS_TILES_ACCESS_H
/* Loads and stores of every width, which overlap, and atomic operations. */
#include "index.h"

static struct ir_value *optional_mask(struct generator *g)
{
    return below(g, 3) ? a_mask(g) : NULL;
}

static void add_load(struct generator *g)
{
    static const uint8_t sources[] = {TILES_F,  TILES_F,  TILES_H,  TILES_B,  TILES_S,  TILES_W,
                                      TILES_IO, TILES_IO, TILES_OI, TILES_OB, TILES_OH, TILES_OW};
    struct ir_value *index = address_index(g, false);
    struct ir_value *p = pointers(g, sources[below(g, 12)], index);
    struct ir_value *mask = optional_mask(g), *other;
    enum ir_elem elem = (enum ir_elem)p->type.elem;
    if (below(g, 4) == 0)
        other = to_elem(g, a_float(g), elem);
    else
        other = ir_constant(&g->b, ir_with_elem(g->shape, elem), 0);
    push_float(g, from_elem(g, ir_load(&g->b, p, mask, mask ? other : NULL)));
}

static void add_store(struct generator *g)
{
    static const uint8_t targets[] = {TILES_IO, TILES_IO, TILES_IO, TILES_IO,
                                      TILES_OI, TILES_OB, TILES_OH, TILES_OW};
    struct ir_value *mask = optional_mask(g);
    struct ir_value *value = a_float(g);
    bool dense = below(g, 4) > 0 || g->dense;
    int target = targets[below(g, 8)];
    value = to_elem(g, value, (enum ir_elem)parameters[target].type.elem);
    ir_store(&g->b, pointers(g, target, address_index(g, dense)), value, mask);
}

/* One element of an array: a uniform place that a parameter or a counter moves. */
static struct ir_value *a_place(struct generator *g, int array)
{
    struct ir_value *index = ir_constant_i64(&g->b, below(g, 8));
    if (below(g, 2))
        index = ir_binary(&g->b, IR_OP_ADD, index, parameter(g, TILES_STEP));
    else if (g->counter_count)
        index = ir_binary(&g->b, IR_OP_ADD, index, g->counters[below(g, g->counter_count)]);
    return ir_binary(&g->b, IR_OP_ADDPTR, parameter(g, array), index);
}

static struct ir_value *a_maximum(struct generator *g)
{
    return ir_reduce(&g->b, IR_OP_MAX, a_float(g), -1);
}

/* A single element is loaded for all, or stored once. */
static void add_single(struct generator *g)
{
    if (below(g, 2)) {
        struct ir_value *p = a_place(g, below(g, 2) ? TILES_IO : TILES_F);
        push_float(g, tame(g, spread(g, ir_load(&g->b, p, NULL, NULL))));
    } else {
        struct ir_value *p = a_place(g, TILES_IO), *value = a_maximum(g);
        ir_store(&g->b, p, value, NULL);
    }
}

/* ---- atomic operations ----------------------------------------------------------------------- */

static struct ir_value *atomic(struct generator *g, enum ir_opcode code, struct ir_value *pointer,
                               struct ir_value *value, struct ir_value *mask)
{
    bool compares = code == IR_OP_ATOMIC_CAS;
    struct ir_value *operands[4] = {pointer};
    int count = 1;
    if (compares) /* with what now and then stands there */
        operands[count++] = to_elem(g, float_constant(g, (float)(below(g, 3) - 1)),
                                    (enum ir_elem)pointer->type.elem);
    operands[count++] = value;
    if (mask)
        operands[count++] = mask;
    return ir_build(&g->b, code, count, operands, 1, &value->type, 0, NULL)->results[0];
}

/* Each element of its own, so that what stood there is known. */
static void add_apart(struct generator *g)
{
    static const uint8_t codes[] = {IR_OP_ATOMIC_ADD,  IR_OP_ATOMIC_MAX, IR_OP_ATOMIC_MIN,
                                    IR_OP_ATOMIC_XCHG, IR_OP_ATOMIC_CAS, IR_OP_ATOMIC_AND,
                                    IR_OP_ATOMIC_OR,   IR_OP_ATOMIC_XOR};
    static const uint8_t targets[] = {TILES_OI, TILES_IO, TILES_OW};
    int target = targets[below(g, g->doubles ? 3 : 2)];
    enum ir_opcode code = (enum ir_opcode)codes[below(g, target == TILES_IO ? 5 : 8)];
    struct ir_value *mask = optional_mask(g);
    struct ir_value *value = to_elem(g, a_float(g), (enum ir_elem)parameters[target].type.elem);
    struct ir_value *p = pointers(g, target, address_index(g, true));
    struct ir_value *old = atomic(g, code, p, value, mask);
    if (below(g, 2))
        push_float(g, from_elem(g, old));
}

/* Elements collide, by an operation whose order does not matter: nobody looks at what stood there.
 */
static void add_colliding(struct generator *g)
{
    struct ir_value *mask = optional_mask(g), *index = address_index(g, false);
    struct ir_value *value = ir_cast(&g->b, a_float(g), IR_I32);
    if (below(g, 2)) {
        struct ir_value *most = ir_constant(&g->b, index->type, (uint64_t)(1 << below(g, 12)) - 1);
        index = below(g, 2) ? index : ir_cast(&g->b, a_float(g), IR_I64);
        index = ir_binary(&g->b, IR_OP_AND, index, most);
    }
    atomic(g, g->atomic, pointers(g, TILES_AT, index), value, mask);
}

static void add_atomic(struct generator *g)
{
    int choice = below(g, 5);
    if (choice < 2) {
        add_apart(g);
    } else if (choice < 4) {
        add_colliding(g);
    } else {
        struct ir_value *p = a_place(g, TILES_AT);
        struct ir_value *value = ir_cast(&g->b, a_maximum(g), IR_I32);
        atomic(g, g->atomic, p, value, NULL);
    }
}

#endif
