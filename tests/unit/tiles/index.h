#ifndef TILEC_TESTS_TILES_INDEX_H
#define TILEC_TESTS_TILES_INDEX_H
/* Tiles of indices and addresses: affine, with constant and run-time steps and loops' counters. */
#include "layouts.h"

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
    struct ir_value *line = an_arange(g, thin.dims[axis]);
    return ir_broadcast(&g->b, ir_reshape(&g->b, line, thin), index_shape(g));
}

static struct ir_value *times(struct generator *g, struct ir_value *tile, int64_t factor)
{
    if (factor == 1) /* what reads addresses looks through no product with 1 */
        return tile;
    return ir_binary(&g->b, IR_OP_MUL, tile, spread(g, ir_constant_i64(&g->b, factor)));
}

/* A loop's counter moves the index: by one, by whole tiles, by something between; now and then
 * backwards. It stays below SIZE / 2. */
static struct ir_value *moved_index(struct generator *g, struct ir_value *index)
{
    const int64_t elements = ir_element_count(g->shape);
    const int64_t factors[] = {1, elements, elements + 1, 16, 33, elements / 2};
    int64_t factor = factors[below(g, 6)];
    struct ir_value *counter = g->counters[below(g, g->counter_count)];
    if (factor * COUNTER_LIMIT > SIZE / 2)
        factor = 1;
    if (below(g, 8) == 0)
        counter = ir_binary(&g->b, IR_OP_SUB, ir_constant_i64(&g->b, COUNTER_LIMIT - 1), counter);
    return ir_binary(&g->b, IR_OP_ADD, index, times(g, spread(g, counter), factor));
}

/* An index that stays below SIZE. dense: no two elements meet. */
static struct ir_value *address_index(struct generator *g, bool dense)
{
    int64_t room = SIZE / 2 - 64, stride = 1, begin = below(g, 2) ? below(g, 64) : 0;
    struct ir_value *index = begin ? spread(g, ir_constant_i64(&g->b, begin)) : NULL;
    for (int k = g->shape.rank - 1; k >= 0; k--) {
        int choice = dense ? 0 : below(g, 6);
        int64_t most = stride, length = g->shape.dims[k] - 1;
        struct ir_value *line = along(g, k);
        if (choice == 2 && length * g->step < room) {
            line = ir_binary(&g->b, IR_OP_MUL, line, spread(g, parameter(g, TILES_STEP)));
            most = g->step;
        } else {
            if (choice == 1 && length * 3 < room)
                most = below(g, 4);
            line = times(g, line, most);
        }
        room -= most * length;
        index = index ? ir_binary(&g->b, IR_OP_ADD, index, line) : line;
        stride *= g->shape.dims[k];
    }
    return g->counter_count && below(g, 2) ? moved_index(g, index) : index;
}

static struct ir_value *pointers(struct generator *g, int param, struct ir_value *index)
{
    return ir_binary(&g->b, IR_OP_ADDPTR, spread(g, parameter(g, param)), index);
}

#endif
