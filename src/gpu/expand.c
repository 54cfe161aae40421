/*
 * The first step towards GPU IR: Tile IR in fewer ops, still Tile IR.
 *
 *   view_load        index tiles, a mask that compares each index with its extent, a load
 *   argmax           max of an integer that orders like the element; the least index where it
 * stands pointer tiles    split into a scalar base and a tile of offsets, in loops too
 *
 * After it, the pointer tile of a load, store or atomic is made in front of it:
 * addptr(broadcast base, offsets), or broadcast base. No other pointer tile is left, so that
 * layouts and conversions only know numbers.
 *
 * The function is rebuilt op by op; value->data of the old function is what stands for a value in
 * the new one.
 */
#include "gpu/expand.h"

struct image {
    struct ir_value *value; /* of a pointer tile: its offsets, or NULL where all are 0 */
    struct ir_value *base;  /* of a pointer tile: scalar */
};

struct expander {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct ir_builder b;
    bool failed;
};

static bool is_pointer_tile(struct ir_type type)
{
    return type.pointer && type.rank > 0;
}

static struct image *image_of(const struct ir_value *value)
{
    return value->data;
}

static struct ir_value *new_value(const struct ir_value *value)
{
    return image_of(value)->value;
}

static void set_image(struct expander *x, struct ir_value *old, struct ir_value *value,
                      struct ir_value *base)
{
    struct image *image = ARENA_NEW(x->arena, struct image);
    image->value = value;
    image->base = base;
    if (value && !value->name)
        value->name = old->name;
    old->data = image;
}

static void fail(struct expander *x, const struct ir_op *op, const char *what)
{
    diagnostics_add(x->diagnostics, DIAGNOSTIC_ERROR, op->range, "%s", what);
    x->failed = true;
}

/* ---- pointer tiles --------------------------------------------------------------------------- */

static struct ir_type offsets_type(struct ir_type type)
{
    return ir_with_elem(type, IR_I64);
}

/* Offsets of a pointer tile as a value, zeros if need be. */
static struct ir_value *offsets_of(struct expander *x, const struct ir_value *pointer)
{
    const struct image *image = image_of(pointer);
    return image->value ? image->value : ir_constant(&x->b, offsets_type(pointer->type), 0);
}

/* The pointer of an access, made anew in front of it. */
static struct ir_value *access_pointer(struct expander *x, const struct ir_value *pointer)
{
    const struct image *image = image_of(pointer);
    if (!is_pointer_tile(pointer->type))
        return image->value;
    struct ir_value *bases = ir_broadcast(&x->b, image->base, pointer->type);
    return image->value ? ir_binary(&x->b, IR_OP_ADDPTR, bases, image->value) : bases;
}

/* addptr on tiles; the old op's operands may be broadcasts of scalars. */
static void expand_addptr(struct expander *x, const struct ir_op *op)
{
    const struct image *pointer = image_of(op->operands[0]);
    struct ir_value *offset = new_value(op->operands[1]);
    if (pointer->value)
        offset = ir_binary(&x->b, IR_OP_ADD, pointer->value, offset);
    set_image(x, op->results[0], offset, pointer->base);
}

/* broadcast, reshape, trans of pointers: of the offsets. */
static void expand_pointer_shape(struct expander *x, const struct ir_op *op)
{
    const struct ir_value *from = op->operands[0];
    const struct image *image = image_of(from);
    struct ir_type type = offsets_type(op->results[0]->type);
    if (from->type.rank == 0) {
        set_image(x, op->results[0], NULL, image->value);
        return;
    }
    struct ir_value *offsets = NULL;
    if (image->value)
        offsets =
            ir_build(&x->b, op->code, 1, &image->value, 1, &type, 0, &op->attributes)->results[0];
    set_image(x, op->results[0], offsets, image->base);
}

/* ---- views ----------------------------------------------------------------------------------- */

/* A scalar or a tile that varies along one axis, repeated to the tile's shape. */
static struct ir_value *along_axis(struct expander *x, struct ir_value *v, int axis,
                                   struct ir_type shape)
{
    struct ir_type flat = {.elem = v->type.elem, .rank = shape.rank};
    for (int i = 0; i < shape.rank; i++)
        flat.dims[i] = i == axis ? shape.dims[i] : 1;
    if (v->type.rank > 0)
        v = ir_reshape(&x->b, v, flat);
    return ir_broadcast(&x->b, v, ir_with_shape(v->type, shape));
}

static struct ir_value *scalar_and(struct expander *x, struct ir_value *a, struct ir_value *b)
{
    return a ? ir_binary(&x->b, IR_OP_AND, a, b) : b;
}

/* 0 <= index < extent, for a scalar or a tile of indices */
static struct ir_value *inside(struct expander *x, struct ir_value *index, struct ir_value *extent)
{
    struct ir_value *zero = ir_constant(&x->b, index->type, 0);
    extent = ir_broadcast(&x->b, extent, index->type);
    struct ir_value *below = ir_binary(&x->b, IR_OP_LT, index, extent);
    return ir_binary(&x->b, IR_OP_AND, ir_binary(&x->b, IR_OP_GE, index, zero), below);
}

/* The addresses of a view's tile and where they are inside the array. */
static void view_addresses(struct expander *x, const struct ir_op *op, struct ir_type shape,
                           struct ir_value **pointer, struct ir_value **mask)
{
    int rank = op->attributes.view_rank, first = rank - shape.rank;
    struct ir_value *base = new_value(op->operands[0]), *uniform_mask = NULL, *offset = NULL;
    *mask = NULL;
    for (int i = 0; i < rank; i++) {
        struct ir_value *extent = new_value(op->operands[1 + i]);
        struct ir_value *stride = new_value(op->operands[1 + rank + i]);
        struct ir_value *index = new_value(op->operands[1 + 2 * rank + i]);
        if (i < first) { /* one index, the same for the whole tile */
            uniform_mask = scalar_and(x, uniform_mask, inside(x, index, extent));
            base = ir_binary(&x->b, IR_OP_ADDPTR, base, ir_binary(&x->b, IR_OP_MUL, index, stride));
            continue;
        }
        int axis = i - first;
        struct ir_value *places = ir_arange(&x->b, 0, shape.dims[axis]);
        struct ir_value *indices =
            ir_binary(&x->b, IR_OP_ADD, ir_broadcast(&x->b, index, places->type), places);
        struct ir_value *steps =
            ir_binary(&x->b, IR_OP_MUL, indices, ir_broadcast(&x->b, stride, places->type));
        struct ir_value *wide = along_axis(x, steps, axis, shape);
        struct ir_value *fits = along_axis(x, inside(x, indices, extent), axis, shape);
        offset = offset ? ir_binary(&x->b, IR_OP_ADD, offset, wide) : wide;
        *mask = scalar_and(x, *mask, fits);
    }
    if (uniform_mask)
        *mask = scalar_and(x, *mask, along_axis(x, uniform_mask, 0, shape));
    struct ir_type pointers = ir_with_shape(base->type, shape);
    *pointer = ir_binary(&x->b, IR_OP_ADDPTR, ir_broadcast(&x->b, base, pointers), offset);
}

static void expand_view(struct expander *x, const struct ir_op *op)
{
    const struct ir_value *last = op->operands[op->operand_count - 1];
    bool load = op->code == IR_OP_VIEW_LOAD;
    struct ir_type shape = load ? op->results[0]->type : last->type;
    struct ir_value *pointer, *mask;
    view_addresses(x, op, shape, &pointer, &mask);
    if (load)
        set_image(x, op->results[0],
                  ir_load(&x->b, pointer, mask, ir_broadcast(&x->b, new_value(last), shape)), NULL);
    else
        ir_store(&x->b, pointer, new_value(last), mask);
}

/* ---- argmax and argmin ----------------------------------------------------------------------- */

/* An integer of the float's size that orders like maximum does: NaN above everything, all NaN
 * alike, -0 below +0. */
static struct ir_value *order_key(struct expander *x, struct ir_value *v, bool least_nan)
{
    struct ir_type type = v->type;
    enum ir_elem elem = (enum ir_elem)type.elem;
    if (!ir_is_float(elem))
        return v;
    int bits = ir_elems[elem].bits;
    enum ir_elem integer = bits == 16 ? IR_I16 : bits == 32 ? IR_I32 : IR_I64;
    struct ir_type key = ir_with_elem(type, integer);
    uint64_t top = (UINT64_C(1) << (bits - 1)) - 1; /* the greatest integer */
    struct ir_value *raw = ir_bitcast(&x->b, v, integer);
    struct ir_value *negative = ir_binary(&x->b, IR_OP_LT, raw, ir_constant(&x->b, key, 0));
    struct ir_value *flipped = ir_binary(&x->b, IR_OP_XOR, raw, ir_constant(&x->b, key, top));
    struct ir_value *ordered = ir_ternary(&x->b, IR_OP_SELECT, negative, flipped, raw);
    struct ir_value *nan = ir_unary(&x->b, IR_OP_ISNAN, v);
    /* minimum also prefers NaN: for argmin it stands below everything */
    struct ir_value *extreme = ir_constant(&x->b, key, least_nan ? top + 1 : top);
    return ir_ternary(&x->b, IR_OP_SELECT, nan, extreme, ordered);
}

/* The index along the axis (flat without one) in each place of a tile. */
static struct ir_value *index_tile(struct expander *x, struct ir_type shape, int axis)
{
    if (axis >= 0)
        return along_axis(x, ir_arange(&x->b, 0, shape.dims[axis]), axis, shape);
    return ir_reshape(&x->b, ir_arange(&x->b, 0, ir_element_count(shape)),
                      ir_with_elem(shape, IR_I64));
}

static void expand_arg(struct expander *x, const struct ir_op *op)
{
    struct ir_value *v = new_value(op->operands[0]);
    struct ir_type shape = v->type;
    int axis = op->attributes.axis;
    bool greatest = op->code == IR_OP_ARGMAX;
    if (shape.rank == 0) {
        set_image(x, op->results[0], ir_constant_i64(&x->b, 0), NULL);
        return;
    }
    struct ir_value *key = order_key(x, v, !greatest);
    struct ir_value *best = ir_reduce(&x->b, greatest ? IR_OP_MAX : IR_OP_MIN, key, axis);
    struct ir_type kept = key->type;
    if (axis >= 0) {
        kept.dims[axis] = 1;
        best = ir_reshape(&x->b, best, kept);
    }
    struct ir_value *is_best =
        ir_binary(&x->b, IR_OP_EQ, key, ir_broadcast(&x->b, best, key->type));
    struct ir_value *index = index_tile(x, shape, axis);
    struct ir_value *none = ir_constant(&x->b, index->type, INT64_MAX);
    struct ir_value *where = ir_ternary(&x->b, IR_OP_SELECT, is_best, index, none);
    set_image(x, op->results[0], ir_reduce(&x->b, IR_OP_MIN, where, axis), NULL);
}

/* ---- control flow ---------------------------------------------------------------------------- */

struct value_list {
    struct ir_value **items;
    size_t count, capacity;
};

static void push(struct expander *x, struct value_list *list, struct ir_value *value)
{
    ARENA_PUSH(x->arena, list, value);
}

/* A pointer tile travels as its base and its offsets. */
static void push_image(struct expander *x, struct value_list *list, const struct ir_value *old)
{
    if (is_pointer_tile(old->type)) {
        push(x, list, image_of(old)->base);
        push(x, list, offsets_of(x, old));
    } else {
        push(x, list, new_value(old));
    }
}

static void push_types(struct expander *x, struct ir_type **types, int *count,
                       struct ir_value *const *olds, int old_count)
{
    *types = ARENA_ARRAY(x->arena, struct ir_type, (size_t)(2 * old_count));
    *count = 0;
    for (int i = 0; i < old_count; i++) {
        struct ir_type type = olds[i]->type;
        if (is_pointer_tile(type)) {
            (*types)[(*count)++] = ir_pointer((enum ir_elem)type.elem);
            type = offsets_type(type);
        }
        (*types)[(*count)++] = type;
    }
}

/* news: as many values as push_types gives types */
static void bind(struct expander *x, struct ir_value *const *olds, int old_count,
                 struct ir_value *const *news)
{
    for (int i = 0; i < old_count; i++) {
        struct ir_value *base = is_pointer_tile(olds[i]->type) ? *news++ : NULL;
        set_image(x, olds[i], *news++, base);
    }
}

static void expand_ops(struct expander *x, const struct ir_region *region);

static void expand_region(struct expander *x, const struct ir_region *from, struct ir_region *to)
{
    struct ir_builder outside = x->b;
    struct ir_type *types;
    int count;
    push_types(x, &types, &count, from->arguments, from->argument_count);
    for (int i = 0; i < count; i++)
        ir_region_add_argument(x->b.func, to, types[i], NULL);
    bind(x, from->arguments, from->argument_count, to->arguments);
    x->b.region = to;
    x->b.before = NULL;
    expand_ops(x, from);
    x->b = outside;
}

static void expand_control(struct expander *x, const struct ir_op *op)
{
    struct value_list operands = {0};
    struct ir_type *types;
    int count;
    for (int i = 0; i < op->operand_count; i++)
        push_image(x, &operands, op->operands[i]);
    push_types(x, &types, &count, op->results, op->result_count);
    struct ir_op *made = ir_build(&x->b, op->code, (int)operands.count, operands.items, count,
                                  types, op->region_count, &op->attributes);
    for (int i = 0; i < op->region_count; i++)
        expand_region(x, op->regions[i], made->regions[i]);
    bind(x, op->results, op->result_count, made->results);
}

static void expand_terminator(struct expander *x, const struct ir_op *op)
{
    struct value_list operands = {0};
    for (int i = 0; i < op->operand_count; i++)
        push_image(x, &operands, op->operands[i]);
    ir_build(&x->b, op->code, (int)operands.count, operands.items, 0, NULL, 0, &op->attributes);
}

/* ---- all ops --------------------------------------------------------------------------------- */

static void expand_plain(struct expander *x, const struct ir_op *op)
{
    struct value_list operands = {0};
    struct ir_type *types = ARENA_ARRAY(x->arena, struct ir_type, (size_t)op->result_count);
    for (int i = 0; i < op->operand_count; i++) {
        const struct ir_value *operand = op->operands[i];
        push(x, &operands, operand->type.pointer ? access_pointer(x, operand) : new_value(operand));
    }
    for (int i = 0; i < op->result_count; i++)
        types[i] = op->results[i]->type;
    struct ir_op *made = ir_build(&x->b, op->code, (int)operands.count, operands.items,
                                  op->result_count, types, 0, &op->attributes);
    for (int i = 0; i < op->result_count; i++)
        set_image(x, op->results[i], made->results[i], NULL);
}

static void expand_op(struct expander *x, const struct ir_op *op)
{
    bool pointers = op->result_count > 0 && is_pointer_tile(op->results[0]->type);
    x->b.range = op->range;
    if (ir_has(op, IR_TERMINATOR))
        expand_terminator(x, op);
    else if (op->region_count > 0)
        expand_control(x, op);
    else if (op->code == IR_OP_VIEW_LOAD || op->code == IR_OP_VIEW_STORE)
        expand_view(x, op);
    else if (op->code == IR_OP_ARGMAX || op->code == IR_OP_ARGMIN)
        expand_arg(x, op);
    else if (pointers && op->code == IR_OP_ADDPTR)
        expand_addptr(x, op);
    else if (pointers && op->operand_count == 1)
        expand_pointer_shape(x, op);
    else if (pointers || (op->operand_count > 0 && op->region_count == 0 &&
                          is_pointer_tile(op->operands[0]->type) && ir_has(op, IR_PURE)))
        fail(x, op, "tiles of pointers can only be moved as wholes on a GPU");
    else
        expand_plain(x, op);
}

static void expand_ops(struct expander *x, const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op && !x->failed; op = op->next)
        expand_op(x, op);
}

struct ir_func *gpu_expand(const struct ir_func *func, struct arena *arena,
                           struct diagnostics *diagnostics)
{
    struct expander x = {.arena = arena, .diagnostics = diagnostics};
    x.b.func = ir_func_new(arena, func->name, func->parameter_count, func->parameters);
    x.b.func->range = func->range;
    x.b.region = x.b.func->body;
    bind(&x, func->body->arguments, func->parameter_count, x.b.func->body->arguments);
    expand_ops(&x, func->body);
    return x.failed ? NULL : x.b.func;
}
