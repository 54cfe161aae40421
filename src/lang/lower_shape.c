/* Built-ins that make tiles, change their shape, or say who owns their elements. */
#include "lang/lower.h"
#include "base/bits.h"

#include <string.h>

bool lower_sizes(struct lower *l, struct source_range range, const struct argument *sizes,
                 int count, struct ir_type *type)
{
    if (count > IR_MAX_RANK) {
        lower_error(l, range, "a tile has at most %d axes, not %d", (int)IR_MAX_RANK, count);
        return false;
    }
    struct ir_type shape = *type;
    memset(shape.dims, 0, sizeof shape.dims);
    shape.rank = (uint8_t)count;
    for (int i = 0; i < count; i++)
        shape.dims[i] = (int32_t)sizes[i].number;
    *type = shape;
    return lower_check_shape(l, range, shape);
}

/* An op of one operand whose result has the same element. */
static struct value unary(struct lower *l, enum ir_opcode code, struct value x, struct ir_type type,
                          const struct ir_attributes *attributes)
{
    struct ir_value *operand = lower_ir(l, x);
    struct ir_op *op = ir_build(&l->b, code, 1, &operand, 1, &type, 0, attributes);
    return value_like(x, op->results[0]);
}

/* ---- Making tiles ------------------------------------------------------------------------ */

static struct value range(struct lower *l, const struct call *call, int first,
                          const struct ir_layout *layout)
{
    int64_t begin = call->arguments[first].number, end = call->arguments[first + 1].number;
    if (end <= begin) {
        lower_error(l, call->range, "an empty range: %lld to %lld", (long long)begin,
                    (long long)end);
        return value_poison;
    }
    if ((uint64_t)end - (uint64_t)begin > IR_MAX_ELEMENTS) {
        lower_error(l, call->range, "a tile has at most %d elements; this range has %llu",
                    (int)IR_MAX_ELEMENTS, (unsigned long long)((uint64_t)end - (uint64_t)begin));
        return value_poison;
    }
    struct ir_value *ir = ir_arange(&l->b, begin, end);
    ir->op->attributes.layout = layout;
    return value_index(ir, IR_I32);
}

BUILTIN_HANDLER(arange)
{
    return range(l, call, 0, NULL);
}

BUILTIN_HANDLER(full)
{
    struct ir_type type = ir_scalar(call->arguments[0].elem);
    struct value value = call->arguments[1].value;
    if (value.type.rank > 0) {
        lower_error(l, call->arguments[1].range, "'full' repeats a scalar, not %s",
                    lower_shape_name(l, value.type));
        lower_hint(l, "broadcast_to(x, sizes...) repeats axes of 1");
        return value_poison;
    }
    if (!lower_sizes(l, call->range, call->rest, call->rest_count, &type))
        return value_poison;
    lower_warn_of_change(l, call->arguments[1].range, value, call->arguments[0].elem, "'full'");
    return lower_broadcast(l, lower_convert(l, value, call->arguments[0].elem), type);
}

BUILTIN_HANDLER(zeros)
{
    struct ir_type type = ir_scalar(call->arguments[0].elem);
    if (!lower_sizes(l, call->range, call->rest, call->rest_count, &type))
        return value_poison;
    return value_from_ir(ir_constant(&l->b, type, 0), call->arguments[0].elem);
}

/* ---- Changing shapes --------------------------------------------------------------------- */

static struct value reshaped(struct lower *l, struct value x, struct ir_type type)
{
    x = lower_settle(l, x);
    return value_like(x, ir_reshape(&l->b, lower_ir(l, x), type));
}

BUILTIN_HANDLER(expand_dims)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    struct ir_type type = x.type;
    for (int i = 0; i < call->rest_count; i++) {
        int64_t axis = call->rest[i].number;
        if (axis < 0 || axis > type.rank) {
            lower_error(l, call->rest[i].range, "no axis %lld to insert before: this is %s",
                        (long long)axis, lower_shape_name(l, type));
            return value_poison;
        }
        if (type.rank == IR_MAX_RANK) {
            lower_error(l, call->range, "a tile has at most %d axes", (int)IR_MAX_RANK);
            return value_poison;
        }
        memmove(&type.dims[axis + 1], &type.dims[axis],
                (size_t)(type.rank - axis) * sizeof type.dims[0]);
        type.dims[axis] = 1;
        type.rank++;
    }
    return reshaped(l, x, type);
}

BUILTIN_HANDLER(reshape)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    struct ir_type type = x.type;
    if (!lower_sizes(l, call->range, call->rest, call->rest_count, &type))
        return value_poison;
    if (ir_element_count(type) != ir_element_count(x.type)) {
        lower_error(l, call->range, "%s has %lld elements, and %s has %lld",
                    lower_shape_name(l, x.type), (long long)ir_element_count(x.type),
                    lower_shape_name(l, type), (long long)ir_element_count(type));
        lower_hint(l, "reshape keeps all elements; broadcast_to repeats them");
        return value_poison;
    }
    return reshaped(l, x, type);
}

BUILTIN_HANDLER(broadcast_to)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    struct ir_type type = x.type;
    if (!lower_sizes(l, call->range, call->rest, call->rest_count, &type))
        return value_poison;
    if (!lower_broadcasts(x.type, type)) {
        lower_error(l, call->range, "%s does not broadcast to %s", lower_shape_name(l, x.type),
                    lower_shape_name(l, type));
        if (x.type.rank != type.rank)
            lower_hint(l, "expand_dims(x, axis) inserts an axis of 1");
        else
            lower_hint(l, "only axes of 1 are repeated");
        return value_poison;
    }
    return lower_broadcast(l, x, type);
}

/* The permutation that a call of trans names; false after an error. */
static bool permutation(struct lower *l, const struct call *call, int rank, uint8_t *axes)
{
    unsigned seen = 0;
    for (int i = 0; i < call->rest_count; i++) {
        int64_t axis = call->rest[i].number;
        if (axis < 0 || axis >= rank || (seen & 1u << axis)) {
            lower_error(l, call->rest[i].range, "the axes must be 0 to %d in another order",
                        rank - 1);
            return false;
        }
        seen |= 1u << axis;
        axes[i] = (uint8_t)axis;
    }
    if (call->rest_count == rank)
        return true;
    lower_error(l, call->range, "'trans' needs all %d axes, and %d %s given", rank,
                call->rest_count, call->rest_count == 1 ? "is" : "are");
    return false;
}

BUILTIN_HANDLER(trans)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    struct ir_type type = x.type;
    int rank = type.rank;
    if (rank < 2) {
        lower_error(l, call->range, "'trans' takes a tile of two axes or more, not %s",
                    lower_shape_name(l, x.type));
        lower_hint(l, "expand_dims(x, 0) makes a row, expand_dims(x, 1) a column");
        return value_poison;
    }
    struct ir_attributes attributes = {0};
    for (int i = 0; i < rank; i++)
        attributes.permutation[i] = (uint8_t)i;
    attributes.permutation[rank - 1] = (uint8_t)(rank - 2);
    attributes.permutation[rank - 2] = (uint8_t)(rank - 1);
    if (call->rest_count > 0 && !permutation(l, call, rank, attributes.permutation))
        return value_poison;
    for (int i = 0; i < rank; i++)
        type.dims[i] = x.type.dims[attributes.permutation[i]];
    return unary(l, IR_OP_TRANS, x, type, &attributes);
}

BUILTIN_HANDLER(join)
{
    struct value a = call->arguments[0].value, b = call->arguments[1].value;
    if (!lower_usual(l, call->range, &a, &b, false))
        return value_poison;
    a = lower_settle(l, a);
    b = lower_settle(l, b);
    struct value *both[] = {&a, &b};
    if (!lower_common_shape(l, call->range, both, 2))
        return value_poison;
    struct ir_type type = a.type;
    if (type.rank == IR_MAX_RANK) {
        lower_error(l, call->range, "a tile has at most %d axes", (int)IR_MAX_RANK);
        return value_poison;
    }
    type.dims[type.rank++] = 2;
    if (!lower_check_shape(l, call->range, type))
        return value_poison;
    struct ir_value *operands[] = {lower_ir(l, a), lower_ir(l, b)};
    struct ir_op *op = ir_build(&l->b, IR_OP_JOIN, 2, operands, 1, &type, 0, NULL);
    return value_like(a, op->results[0]);
}

BUILTIN_HANDLER(split)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    int64_t part = call->arguments[1].number;
    if (x.type.rank == 0 || x.type.dims[x.type.rank - 1] != 2) {
        lower_error(l, call->range, "'split' takes a tile whose last axis is 2, not %s",
                    lower_shape_name(l, x.type));
        return value_poison;
    }
    if (part != 0 && part != 1) {
        lower_error(l, call->arguments[1].range, "'split' gives part 0 or 1, not %lld",
                    (long long)part);
        return value_poison;
    }
    struct ir_type type = x.type;
    type.dims[--type.rank] = 0;
    struct ir_type types[] = {type, type};
    struct ir_value *operand = lower_ir(l, x);
    struct ir_op *op = ir_build(&l->b, IR_OP_SPLIT, 1, &operand, 2, types, 0, NULL);
    return value_like(x, op->results[part]);
}

BUILTIN_HANDLER(gather)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    struct value index = lower_to_index(l, call->arguments[1].value);
    int axis;
    if (!lower_axis(l, call, 2, x, false, &axis))
        return value_poison;
    bool fits = index.type.rank == x.type.rank;
    for (int i = 0; fits && i < x.type.rank; i++)
        fits = i == axis || index.type.dims[i] == x.type.dims[i];
    if (!fits) {
        lower_error(l, call->range,
                    "the index must have x's shape but for axis %d; these are %s and %s", axis,
                    lower_shape_name(l, index.type), lower_shape_name(l, x.type));
        return value_poison;
    }
    struct ir_attributes attributes = {.axis = axis};
    struct ir_type type = ir_with_shape(x.type, index.type);
    struct ir_value *operands[] = {lower_ir(l, x), lower_ir(l, index)};
    struct ir_op *op = ir_build(&l->b, IR_OP_GATHER, 2, operands, 1, &type, 0, &attributes);
    return value_like(x, op->results[0]);
}

struct ir_value *lower_spread(struct lower *l, struct ir_value *v, struct ir_type shape, int axis)
{
    struct ir_type line = ir_with_shape(v->type, shape);
    for (int i = 0; i < line.rank; i++)
        line.dims[i] = i == axis ? v->type.dims[0] : 1;
    shape.dims[axis] = v->type.dims[0];
    return ir_broadcast(&l->b, ir_reshape(&l->b, v, line), ir_with_shape(v->type, shape));
}

struct ir_value *lower_gather(struct lower *l, struct ir_value *v, struct ir_value *places,
                              int axis)
{
    struct ir_attributes attributes = {.axis = axis};
    struct ir_value *operands[] = {v, lower_spread(l, places, v->type, axis)};
    struct ir_type type = ir_with_shape(v->type, operands[1]->type);
    return ir_build(&l->b, IR_OP_GATHER, 2, operands, 1, &type, 0, &attributes)->results[0];
}

struct value lower_flip(struct lower *l, struct value x, int axis)
{
    int32_t length = x.type.dims[axis];
    struct ir_value *places = ir_arange(&l->b, 0, length);
    struct ir_value *last = ir_constant(&l->b, places->type, (uint64_t)length - 1);
    places = ir_binary(&l->b, IR_OP_SUB, last, places);
    return value_like(x, lower_gather(l, lower_ir(l, x), places, axis));
}

BUILTIN_HANDLER(flip)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    int axis;
    return lower_axis(l, call, 1, x, false, &axis) ? lower_flip(l, x, axis) : value_poison;
}

/* ---- Layouts ----------------------------------------------------------------------------- */

BUILTIN_HANDLER(layout)
{
    struct ir_layout *layout = ARENA_NEW(l->arena, struct ir_layout);
    layout->name = "layout";
    layout->bits = call->rest_count;
    if (layout->bits > (int)sizeof layout->bit_order) {
        lower_error(l, call->range, "a layout has at most %d bits", (int)sizeof layout->bit_order);
        return value_poison;
    }
    uint32_t seen = 0;
    for (int i = 0; i < layout->bits; i++) {
        int64_t bit = call->rest[i].number;
        if (bit < 0 || bit >= layout->bits || (seen & 1u << bit)) {
            lower_error(l, call->rest[i].range, "the bit order must be 0 to %d in some order",
                        layout->bits - 1);
            return value_poison;
        }
        seen |= 1u << bit;
        layout->bit_order[i] = (uint8_t)bit;
    }
    int64_t mask = call->arguments[1].given ? call->arguments[1].number : 0;
    int64_t per_thread = call->arguments[2].given ? call->arguments[2].number : 1;
    int64_t elements = (int64_t)1 << layout->bits;
    if (mask < 0 || mask >= elements)
        return lower_error(l, call->arguments[1].range, "xor_mask must be below the %lld elements",
                           (long long)elements);
    if (!bits_is_power(per_thread) || per_thread > elements)
        return lower_error(l, call->arguments[2].range,
                           "per_thread must be a power of two up to the %lld elements",
                           (long long)elements);
    layout->xor_mask = (uint32_t)mask;
    layout->per_thread = (int)per_thread;
    return (struct value){.kind = VALUE_LAYOUT, .layout = layout};
}

static bool layout_fits(struct lower *l, const struct call *call, const struct ir_layout *layout,
                        int64_t elements)
{
    if (elements == (int64_t)1 << layout->bits)
        return true;
    lower_error(l, call->range, "the layout is for %lld elements, and this tile has %lld",
                (long long)1 << layout->bits, (long long)elements);
    if (!bits_is_power(elements))
        lower_hint(l, "explicit layouts need sizes that are powers of two");
    return false;
}

BUILTIN_HANDLER(arange_in)
{
    const struct ir_layout *layout = call->arguments[0].value.layout;
    struct value v = range(l, call, 1, layout);
    if (value_is_poison(v) || !layout_fits(l, call, layout, ir_element_count(v.type)))
        return value_poison;
    return v;
}

BUILTIN_HANDLER(convert_layout)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    const struct ir_layout *layout = call->arguments[1].value.layout;
    if (!layout_fits(l, call, layout, ir_element_count(x.type)))
        return value_poison;
    struct ir_attributes attributes = {.layout = layout};
    return unary(l, IR_OP_CONVERT_LAYOUT, x, x.type, &attributes);
}
