/*
 * sort and argsort: a network of exchanges, in Tile IR that every target knows.
 *
 * The network is Batcher's bitonic one (K. E. Batcher, "Sorting networks and their applications",
 * 1968) in the form whose exchanges all go one way: blocks of a size are merged by comparing each
 * element with the one in the mirrored place (i ^ (size - 1)), and then with those at i ^ (size /
 * 4), i ^ (size / 8) and so on. So what is put behind the elements to make them a power of two
 * stays there. It takes log2(n) * (log2(n) + 1) / 2 exchanges of the whole tile.
 *
 * What is compared are keys, integers of 32 or 64 bits in the same order: -0.0 is less than +0.0,
 * and every NaN is greater than infinity.
 */
#include "lang/lower.h"

#include "base/bits.h"

/* What is sorted: n elements along an axis, `padded` with what is put behind them. */
struct network {
    struct lower *l;
    int axis;
    int32_t n, padded;
    enum ir_elem elem;
    struct ir_type shape; /* padded */
    struct ir_value *keys;
    struct ir_value *places; /* the elements' own, or NULL */
};

/* ---- keys -------------------------------------------------------------------------------- */

static enum ir_elem key_elem(enum ir_elem elem)
{
    return ir_elem_bytes(elem) > 4 ? IR_I64 : IR_I32;
}

static struct ir_value *constant_like(struct lower *l, const struct ir_value *v, uint64_t bits)
{
    return ir_constant(&l->b, v->type, bits);
}

static uint64_t greatest_key(const struct ir_value *keys)
{
    return keys->type.elem == IR_I64 ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX;
}

/* The bits of floats with their sign as integers, and back: those of a negative one are turned over
 * but for the sign, so that it is the less the greater its magnitude is. */
static struct ir_value *turn_negative(struct lower *l, struct ir_value *bits, enum ir_elem elem)
{
    uint64_t magnitude = ((uint64_t)1 << (ir_elem_bytes(elem) * 8 - 1)) - 1;
    struct ir_value *width = constant_like(l, bits, ir_elem_bytes(bits->type.elem) * 8 - 1);
    struct ir_value *sign = ir_binary(&l->b, IR_OP_SHR, bits, width);
    struct ir_value *turned = constant_like(l, bits, magnitude);
    turned = ir_binary(&l->b, IR_OP_AND, sign, turned);
    return ir_binary(&l->b, IR_OP_XOR, bits, turned);
}

static enum ir_elem signed_elem(enum ir_elem elem)
{
    switch (ir_elem_bytes(elem)) {
    case 1:
        return IR_I8;
    case 2:
        return IR_I16;
    case 4:
        return IR_I32;
    default:
        return IR_I64;
    }
}

static struct ir_value *float_keys(struct lower *l, struct ir_value *x)
{
    enum ir_elem elem = (enum ir_elem)x->type.elem;
    struct ir_value *bits = ir_bitcast(&l->b, x, signed_elem(elem));
    struct ir_value *keys = turn_negative(l, ir_cast(&l->b, bits, key_elem(elem)), elem);
    /* A NaN may have either sign. */
    struct ir_value *nan = ir_binary(&l->b, IR_OP_NE, x, x);
    struct ir_value *last = constant_like(l, keys, greatest_key(keys));
    return ir_ternary(&l->b, IR_OP_SELECT, nan, last, keys);
}

static struct ir_value *from_float_keys(struct lower *l, struct ir_value *keys, enum ir_elem elem)
{
    struct ir_value *bits = turn_negative(l, keys, elem);
    return ir_bitcast(&l->b, ir_cast(&l->b, bits, signed_elem(elem)), elem);
}

/* Unsigned ones as wide as their keys have them with the first bit turned over. */
static struct ir_value *turn_unsigned(struct lower *l, struct ir_value *keys, enum ir_elem elem)
{
    if (ir_is_signed(elem) || ir_elem_bytes(elem) < ir_elem_bytes(keys->type.elem))
        return keys;
    struct ir_value *first = constant_like(l, keys, greatest_key(keys) + 1);
    return ir_binary(&l->b, IR_OP_XOR, keys, first);
}

static struct ir_value *to_keys(struct lower *l, struct ir_value *x)
{
    enum ir_elem elem = (enum ir_elem)x->type.elem;
    if (ir_is_float(elem))
        return float_keys(l, x);
    return turn_unsigned(l, ir_cast(&l->b, x, key_elem(elem)), elem);
}

static struct ir_value *from_keys(struct lower *l, struct ir_value *keys, enum ir_elem elem)
{
    if (ir_is_float(elem))
        return from_float_keys(l, keys, elem);
    return ir_cast(&l->b, turn_unsigned(l, keys, elem), elem);
}

/* ---- along the axis ---------------------------------------------------------------------- */

/* Behind the elements: keys that no other is greater than. */
static void pad(struct network *w)
{
    struct ir_builder *b = &w->l->b;
    if (w->n == w->padded)
        return;
    struct ir_value *i = ir_arange(b, 0, w->padded);
    struct ir_value *is_own = ir_binary(b, IR_OP_LT, i, constant_like(w->l, i, (uint64_t)w->n));
    struct ir_value *first = constant_like(w->l, i, 0);
    w->keys = lower_gather(w->l, w->keys, ir_ternary(b, IR_OP_SELECT, is_own, i, first), w->axis);
    is_own = lower_spread(w->l, is_own, w->shape, w->axis);
    struct ir_value *last = constant_like(w->l, w->keys, greatest_key(w->keys));
    w->keys = ir_ternary(b, IR_OP_SELECT, is_own, w->keys, last);
}

static struct ir_value *cut(const struct network *w, struct ir_value *v)
{
    if (w->n == w->padded)
        return v;
    struct ir_value *places = ir_arange(&w->l->b, 0, w->n);
    return lower_gather(w->l, v, places, w->axis);
}

/* ---- the network ------------------------------------------------------------------------- */

/* Keys alone: the lesser of two comes to the lower place. */
static void exchange_keys(struct network *w, struct ir_value *partner, struct ir_value *is_lower)
{
    struct ir_builder *b = &w->l->b;
    struct ir_value *others = lower_gather(w->l, w->keys, partner, w->axis);
    struct ir_value *lesser = ir_binary(b, IR_OP_MINIMUM, w->keys, others);
    struct ir_value *greater = ir_binary(b, IR_OP_MAXIMUM, w->keys, others);
    w->keys = ir_ternary(b, IR_OP_SELECT, is_lower, lesser, greater);
}

/* With their places, of which the lower one comes first where keys are equal. */
static void exchange_pairs(struct network *w, struct ir_value *partner, struct ir_value *is_lower)
{
    struct ir_builder *b = &w->l->b;
    struct ir_value *keys = lower_gather(w->l, w->keys, partner, w->axis);
    struct ir_value *places = lower_gather(w->l, w->places, partner, w->axis);
    struct ir_value *less = ir_binary(b, IR_OP_LT, w->keys, keys);
    struct ir_value *equal = ir_binary(b, IR_OP_EQ, w->keys, keys);
    struct ir_value *before = ir_binary(b, IR_OP_LT, w->places, places);
    before = ir_binary(b, IR_OP_OR, less, ir_binary(b, IR_OP_AND, equal, before));
    struct ir_value *moves = ir_binary(b, IR_OP_XOR, before, is_lower);
    w->keys = ir_ternary(b, IR_OP_SELECT, moves, keys, w->keys);
    w->places = ir_ternary(b, IR_OP_SELECT, moves, places, w->places);
}

/* Every i with i ^ distance; `high`: the highest bit of that. */
static void exchange(struct network *w, int32_t distance, int32_t high)
{
    struct ir_builder *b = &w->l->b;
    struct ir_value *i = ir_arange(b, 0, w->padded);
    struct ir_value *partner =
        ir_binary(b, IR_OP_XOR, i, constant_like(w->l, i, (uint64_t)distance));
    struct ir_value *bit = ir_binary(b, IR_OP_AND, i, constant_like(w->l, i, (uint64_t)high));
    struct ir_value *is_lower = ir_binary(b, IR_OP_EQ, bit, constant_like(w->l, bit, 0));
    is_lower = lower_spread(w->l, is_lower, w->shape, w->axis);
    if (w->places)
        exchange_pairs(w, partner, is_lower);
    else
        exchange_keys(w, partner, is_lower);
}

/* False where a limit is reached. */
static bool run(struct network *w, struct source_range range)
{
    for (int32_t size = 2; size <= w->padded; size *= 2) {
        exchange(w, size - 1, size / 2);
        for (int32_t distance = size / 4; distance > 0; distance /= 2) {
            if (!lower_spend(w->l, range))
                return false;
            exchange(w, distance, distance);
        }
    }
    return true;
}

/* ---- built-ins --------------------------------------------------------------------------- */

static bool start(struct lower *l, const struct call *call, struct value *x, struct network *w)
{
    *x = lower_settle(l, *x);
    if (value_is_bool(*x))
        *x = lower_promote(l, *x);
    *w = (struct network){.l = l};
    if (!lower_axis(l, call, 1, *x, false, &w->axis))
        return false;
    w->n = x->type.dims[w->axis];
    w->padded = (int32_t)bits_power_from(w->n);
    w->shape = x->type;
    w->shape.dims[w->axis] = w->padded;
    if (ir_element_count(w->shape) > IR_MAX_ELEMENTS) {
        lower_error(l, call->range,
                    "'%s' needs room for a power of two: %s, and a tile has at most %d elements",
                    call->builtin->name, lower_shape_name(l, w->shape), (int)IR_MAX_ELEMENTS);
        return false;
    }
    struct ir_value *elements = lower_ir(l, *x);
    w->elem = (enum ir_elem)elements->type.elem;
    w->keys = to_keys(l, elements);
    if (call->arguments[2].given)
        w->keys = ir_unary(&l->b, IR_OP_NOT, w->keys);
    pad(w);
    return true;
}

BUILTIN_HANDLER(sort)
{
    struct network w;
    struct value x = call->arguments[0].value;
    if (!start(l, call, &x, &w) || !run(&w, call->range))
        return value_poison;
    struct ir_value *keys = cut(&w, w.keys);
    if (call->arguments[2].given)
        keys = ir_unary(&l->b, IR_OP_NOT, keys);
    return value_like(x, from_keys(l, keys, w.elem));
}

BUILTIN_HANDLER(argsort)
{
    struct network w;
    struct value x = call->arguments[0].value;
    if (!start(l, call, &x, &w))
        return value_poison;
    struct ir_value *places = ir_cast(&l->b, ir_arange(&l->b, 0, w.padded), IR_I32);
    w.places = lower_spread(l, places, w.shape, w.axis);
    if (!run(&w, call->range))
        return value_poison;
    return value_index(ir_cast(&l->b, cut(&w, w.places), IR_I64), IR_I32);
}
