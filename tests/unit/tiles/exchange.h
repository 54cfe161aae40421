#ifndef TILEC_TESTS_TILES_EXCHANGE_H
#define TILEC_TESTS_TILES_EXCHANGE_H
/*
 * What moves elements between threads, of every element type and of masks: axes turned, gathers,
 * joins, reductions along every axis, scans.
 */
#include "index.h"

static bool has_sums(enum ir_elem elem)
{
    return elem == IR_F32 || elem == IR_F64 || (ir_is_integer(elem) && ir_elems[elem].bits >= 32);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Axes in another order, flattened, and back under the old shape. */
static struct ir_value *turned(struct generator *g, struct ir_value *v)
{
    struct ir_attributes attributes = {0};
    struct ir_type old = v->type, type = old;
    int32_t count = (int32_t)ir_element_count(old);
    for (int k = 0; k < old.rank; k++) {
        int other = below(g, k + 1);
        attributes.permutation[k] = attributes.permutation[other];
        attributes.permutation[other] = (uint8_t)k;
    }
    for (int k = 0; k < old.rank; k++)
        type.dims[k] = old.dims[attributes.permutation[k]];
    v = ir_build(&g->b, IR_OP_TRANS, 1, &v, 1, &type, 0, &attributes)->results[0];
    if (below(g, 4) == 0)
        v = laid_out(g, v);
    v = ir_reshape(&g->b, v, ir_tile((enum ir_elem)old.elem, 1, &count));
    return ir_reshape(&g->b, v, old);
}

/* Places along the axis that bits make of the index, as a step of a sorting network does: i ^
 * distance, as far as the axis goes, or others that lie inside. */
static struct ir_value *bits_of_index(struct generator *g, int axis)
{
    static const uint8_t codes[] = {IR_OP_XOR, IR_OP_XOR, IR_OP_XOR, IR_OP_AND, IR_OP_SHR};
    enum ir_opcode code = (enum ir_opcode)codes[below(g, 5)];
    int32_t length = g->shape.dims[axis], block = length & -length;
    int constant = code == IR_OP_SHR ? below(g, 3) : below(g, code == IR_OP_AND ? length : block);
    struct ir_type line = ir_with_elem(g->shape, IR_I64);
    for (int k = 0; k < line.rank; k++)
        line.dims[k] = k == axis ? length : 1;
    struct ir_value *i = below(g, 2) ? along(g, axis) : ir_arange(&g->b, 0, length);
    i = ir_binary(&g->b, code, i, ir_constant(&g->b, i->type, (uint64_t)constant));
    if (ir_element_count(i->type) == length)
        i = ir_reshape(&g->b, i, line);
    return ir_broadcast(&g->b, i, ir_with_elem(g->shape, IR_I64));
}

/* Backwards along an axis or across, where bits say, or at places that are data. */
static struct ir_value *gathered(struct generator *g, struct ir_value *v)
{
    struct ir_attributes attributes = {.axis = below(g, g->shape.rank)};
    struct ir_value *last = spread(g, ir_constant_i64(&g->b, g->shape.dims[attributes.axis] - 1));
    struct ir_value *index;
    int choice = below(g, 6);
    if (choice < 3) {
        index = bits_of_index(g, attributes.axis);
    } else if (choice < 5) {
        index = along(g, below(g, g->shape.rank));
    } else {
        struct ir_value *zero = spread(g, ir_constant_i64(&g->b, 0));
        index = ir_binary(&g->b, IR_OP_MAXIMUM, ir_cast(&g->b, a_float(g), IR_I64), zero);
    }
    if (choice >= 3)
        index = ir_binary(&g->b, IR_OP_SUB, last, ir_binary(&g->b, IR_OP_MINIMUM, index, last));
    struct ir_value *operands[] = {v, index};
    return ir_build(&g->b, IR_OP_GATHER, 2, operands, 1, &v->type, 0, &attributes)->results[0];
}

/* Joined with another, and one of both again; or the halves of the joined tile's first axes. */
static struct ir_value *joined(struct generator *g, struct ir_value *v, struct ir_value *other)
{
    struct ir_value *pair[] = {v, other};
    struct ir_type type = v->type, halves[] = {v->type, v->type};
    if (type.rank == IR_MAX_RANK)
        return v;
    type.dims[type.rank++] = 2;
    struct ir_value *both = ir_build(&g->b, IR_OP_JOIN, 2, pair, 1, &type, 0, NULL)->results[0];
    if (below(g, 3) == 0) { /* exchanged within the joined tile, so that both come from elsewhere */
        struct ir_type across = type;
        int32_t count = (int32_t)ir_element_count(type);
        struct ir_attributes attributes = {0};
        for (int k = 0; k < type.rank; k++) {
            attributes.permutation[k] = (uint8_t)((k + type.rank - 1) % type.rank);
            across.dims[k] = type.dims[attributes.permutation[k]];
        }
        both = ir_build(&g->b, IR_OP_TRANS, 1, &both, 1, &across, 0, &attributes)->results[0];
        both = ir_reshape(&g->b, both, ir_tile((enum ir_elem)type.elem, 1, &count));
        both = ir_reshape(&g->b, both, type);
    }
    return ir_build(&g->b, IR_OP_SPLIT, 1, &both, 2, halves, 0, NULL)->results[below(g, 2)];
}

/* ---- scans ----------------------------------------------------------------------------------- */

/* The latest element that is not zero: associative, and not the same from both sides. */
static struct ir_value *scanned(struct generator *g, struct ir_value *v, int axis)
{
    struct ir_attributes attributes = {.axis = axis};
    struct ir_type scalar = ir_scalar((enum ir_elem)v->type.elem);
    struct ir_op *op = ir_build(&g->b, IR_OP_SCAN, 1, &v, 1, &v->type, 1, &attributes);
    struct ir_builder inner = {.func = g->func, .region = op->regions[0]};
    struct ir_value *a = ir_region_add_argument(g->func, inner.region, scalar, "a");
    struct ir_value *b = ir_region_add_argument(g->func, inner.region, scalar, "b");
    struct ir_value *some = ir_binary(&inner, IR_OP_NE, b, ir_constant(&inner, scalar, 0));
    struct ir_value *c = ir_ternary(&inner, IR_OP_SELECT, some, b, a);
    ir_build(&inner, IR_OP_YIELD, 1, &c, 0, NULL, 0, NULL);
    return op->results[0];
}

static struct ir_value *a_scan(struct generator *g, struct ir_value *v, enum ir_elem elem)
{
    static const uint8_t scans[] = {IR_OP_CUMMAX, IR_OP_CUMMIN, IR_OP_SCAN,
                                    IR_OP_CUMSUM, IR_OP_CUMSUM, IR_OP_CUMPROD};
    enum ir_opcode code = (enum ir_opcode)scans[below(g, has_sums(elem) ? 6 : 3)];
    struct ir_attributes attributes = {.axis = below(g, g->shape.rank)};
    if (code == IR_OP_CUMPROD) /* no order of multiplications shows */
        v = ir_cast(&g->b, within(g, v, 1), elem);
    else
        v = to_elem(g, v, elem);
    if (code == IR_OP_SCAN)
        return from_elem(g, scanned(g, v, attributes.axis));
    attributes.exclusive = below(g, 2);
    v = ir_build(&g->b, code, 1, &v, 1, &v->type, 0, &attributes)->results[0];
    return code == IR_OP_CUMPROD ? tame(g, ir_cast(&g->b, v, IR_F32)) : from_elem(g, v);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void add_shape(struct generator *g)
{
    enum ir_elem elem = an_elem(g);
    int choice = below(g, 5);
    if (choice == 0) {
        push_float(g, a_scan(g, a_float(g), elem));
        return;
    }
    bool mask = below(g, 5) == 0;
    struct ir_value *v = mask ? a_mask(g) : to_elem(g, a_float(g), elem);
    if (choice == 1)
        v = turned(g, v);
    else if (choice == 2)
        v = gathered(g, v);
    else if (choice == 3)
        v = joined(g, v, mask ? a_mask(g) : to_elem(g, a_float(g), elem));
    else
        v = gathered(g, turned(g, v));
    if (mask)
        push_mask(g, v);
    else
        push_float(g, from_elem(g, v));
}

/* A reduction, spread over the tile again. */
static void add_reduction(struct generator *g)
{
    static const uint8_t codes[] = {IR_OP_MAX, IR_OP_MIN, IR_OP_ARGMAX, IR_OP_ARGMIN, IR_OP_ANY,
                                    IR_OP_ALL, IR_OP_SUM, IR_OP_SUM,    IR_OP_PROD};
    enum ir_elem elem = below(g, 2) ? IR_F32 : an_elem(g);
    enum ir_opcode code = (enum ir_opcode)codes[below(g, has_sums(elem) ? 9 : 6)];
    bool logic = code == IR_OP_ANY || code == IR_OP_ALL;
    bool index = code == IR_OP_ARGMAX || code == IR_OP_ARGMIN;
    int axis = below(g, g->shape.rank + 1) - 1;
    struct ir_value *v;
    if (logic)
        v = a_mask(g);
    else if (code == IR_OP_PROD)
        v = ir_cast(&g->b, within(g, a_float(g), 1), elem);
    else
        v = to_elem(g, a_float(g), elem);
    v = ir_reduce(&g->b, code, v, axis);
    if (axis >= 0 && v->type.rank > 0) {
        struct ir_type thin = ir_with_shape(v->type, g->shape);
        thin.dims[axis] = 1;
        v = ir_reshape(&g->b, v, thin);
    }
    v = spread(g, v);
    if (logic)
        push_mask(g, v);
    else if (index || code == IR_OP_PROD)
        push_float(g, tame(g, ir_cast(&g->b, v, IR_F32)));
    else
        push_float(g, from_elem(g, v));
}

#endif
