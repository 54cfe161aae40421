/*
 * One element of a tile that a loop carries.
 *
 *     sum(where(arange(0, N) == k, x, 0))
 *
 * is how it is written. What is carried lies in memory, where the element is one load, while the
 * sum goes through the whole tile (forward substitution of 512 doubles on Zen 5, one thread: 39
 * us).
 *
 *     %c = eq %i, (broadcast %k) : bool[n]        %p = broadcast (%k - first of %i) : i64[1]
 *     %s = select %c, %x, 0 : f32[n]        ->    %g = gather %x, %p : f32[1]
 *     %r = sum %s                                 %r = add (sum %g), 0.0
 *
 * A gather reads 0 where the place is not in the tile, as the sum would give. All else that is
 * added is +0.0, which changes no number but -0.0: so does the addition at the end.
 */
#include "cpu/one_element.h"

struct place { /* an element's: at - base - first */
    struct ir_value *at, *base;
    int64_t first;
};

static struct ir_value *shared(const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    return op && op->code == IR_OP_BROADCAST && op->operands[0]->type.rank == 0 ? op->operands[0]
                                                                                : NULL;
}

/* Indices that are first, first + 1, ... behind a base. */
static bool is_row(const struct ir_value *v, struct place *place)
{
    const struct ir_op *op = v->op;
    for (int i = 0; op && op->code == IR_OP_ADD && i < 2; i++) {
        const struct ir_op *other = op->operands[1 - i]->op;
        if ((place->base = shared(op->operands[i])) != NULL && other &&
            other->code == IR_OP_ARANGE) {
            place->first = other->attributes.begin;
            return true;
        }
    }
    place->base = NULL;
    place->first = op && op->code == IR_OP_ARANGE ? op->attributes.begin : 0;
    return op && op->code == IR_OP_ARANGE;
}

static bool find_place(const struct ir_value *condition, struct place *place)
{
    const struct ir_op *op = condition->op;
    if (!op || op->code != IR_OP_EQ || op->operands[0]->type.pointer ||
        op->operands[0]->type.elem != IR_I64)
        return false;
    for (int i = 0; i < 2; i++) {
        if ((place->at = shared(op->operands[i])) != NULL && is_row(op->operands[1 - i], place))
            return true;
    }
    return false;
}

static bool lies_in_memory(const struct ir_value *x)
{
    const struct ir_op *op = x->op ? x->op : x->region->parent;
    return op && op->code == IR_OP_FOR;
}

static struct ir_value *gather_one(struct ir_builder *b, struct ir_value *x,
                                   const struct place *place)
{
    struct ir_value *at = place->at;
    if (place->base)
        at = ir_binary(b, IR_OP_SUB, at, place->base);
    if (place->first != 0) {
        struct ir_value *first = ir_constant_i64(b, place->first);
        at = ir_binary(b, IR_OP_SUB, at, first);
    }
    struct ir_type one = at->type, type = x->type;
    one.rank = 1;
    one.dims[0] = type.dims[0] = 1;
    struct ir_value *operands[] = {x, ir_broadcast(b, at, one)};
    struct ir_attributes along = {.axis = 0};
    return ir_build(b, IR_OP_GATHER, 2, operands, 1, &type, 0, &along)->results[0];
}

struct search {
    struct ir_func *func;
    struct ir_op *replaced; /* the last one; data of each: the one before */
};

static bool look_at(struct ir_op *op, void *user)
{
    struct search *s = user;
    struct place place;
    const struct ir_op *select = op->code == IR_OP_SUM ? op->operands[0]->op : NULL;
    uint64_t otherwise;
    if (!select || select->code != IR_OP_SELECT || op->results[0]->type.rank != 0 ||
        op->operands[0]->type.rank != 1 || op->operands[0]->type.dims[0] == 1 ||
        !ir_constant_bits(select->operands[2], &otherwise) || otherwise != 0 ||
        !lies_in_memory(select->operands[1]) || !find_place(select->operands[0], &place))
        return true;
    struct ir_builder b = {.func = s->func, .region = op->parent, .before = op, .range = op->range};
    struct ir_value *one = gather_one(&b, select->operands[1], &place);
    struct ir_value *result = ir_reduce(&b, IR_OP_SUM, one, -1);
    if (ir_is_float((enum ir_elem)result->type.elem)) {
        struct ir_value *zero = ir_constant(&b, result->type, 0);
        result = ir_binary(&b, IR_OP_ADD, result, zero);
    }
    ir_replace(op->results[0], result);
    op->data = s->replaced;
    s->replaced = op;
    return true;
}

void cpu_take_one_element(struct ir_func *func)
{
    struct search s = {.func = func};
    ir_walk(func->body, look_at, &s);
    ir_apply_replacements(func);
    for (struct ir_op *op = s.replaced; op; op = op->data)
        ir_remove(op);
}
