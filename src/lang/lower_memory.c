/*
 * Built-ins that read and write memory, through addresses and through views.
 *
 * A mask and what it guards are broadcast to one shape, the address among them: a scalar address
 * with a tile mask is a tile of equal addresses.
 */
#include "lang/lower.h"

#include <string.h>

/* ---- Addresses --------------------------------------------------------------------------- */

static bool check_store(struct lower *l, const struct call *call, struct value pointer)
{
    if (!pointer.is_const)
        return true;
    lower_error(l, call->arguments[0].range, "'%s' through a pointer to const",
                call->builtin->name);
    lower_hint(l, "declare the parameter without const");
    return false;
}

BUILTIN_HANDLER(load)
{
    struct value pointer = call->arguments[0].value;
    struct value mask = call->arguments[1].value;
    enum ir_elem elem = value_elem(pointer);
    struct value other = value_constant(elem, 0);
    if (call->arguments[2].given && elem != IR_BOOL && value_is_bool(call->arguments[2].value)) {
        lower_warning(l, call->arguments[2].range, "'other' of 'load' is a condition");
        lower_hint(l, "'&&' joins masks; a cast says that 0 and 1 are meant");
    }
    if (call->arguments[2].given)
        other = lower_settle(l, lower_convert(l, call->arguments[2].value, elem));
    if (!call->arguments[1].given)
        return value_from_ir(ir_load(&l->b, lower_ir(l, pointer), NULL, NULL), elem);
    struct value *parts[] = {&pointer, &mask, &other};
    l->b.range = call->range;
    if (!lower_common_shape(l, call->range, parts, 3))
        return value_poison;
    struct ir_value *from = lower_ir(l, pointer), *active = lower_ir(l, mask);
    return value_from_ir(ir_load(&l->b, from, active, lower_ir(l, other)), elem);
}

/* Pointer, values converted to its element, and mask, in one shape: operands of a store or atomic.
 * Returns their number, 0 after an error. */
static int write_operands(struct lower *l, struct call *call, int values,
                          struct ir_value **operands)
{
    struct value parts[4] = {call->arguments[0].value};
    struct value *shaped[4];
    if (!check_store(l, call, parts[0]))
        return 0;
    enum ir_elem elem = value_elem(parts[0]);
    int count = 1;
    for (int i = 0; i < values; i++, count++) {
        struct argument *value = &call->arguments[count];
        lower_warn_of_change(l, value->range, value->value, elem, "the element");
        parts[count] = lower_settle(l, lower_convert(l, value->value, elem));
    }
    if (call->arguments[count].given) {
        parts[count] = call->arguments[count].value;
        count++;
    }
    for (int i = 0; i < count; i++)
        shaped[i] = &parts[i];
    l->b.range = call->range;
    struct ir_type addresses = parts[0].type;
    if (!lower_common_shape(l, call->range, shaped, count))
        return 0;
    /* Several values for one address: which of them would it get? (Atomics take them all.) */
    if (call->builtin->code == IR_OP_STORE && !ir_shape_equal(addresses, parts[0].type)) {
        lower_error(l, call->range, "%s values for %s", lower_shape_name(l, parts[0].type),
                    addresses.rank == 0
                        ? "one address"
                        : arena_format(l->arena, "%s addresses", lower_shape_name(l, addresses)));
        lower_hint(l, "add a tile of offsets to the pointer: pointer + arange(0, n)");
        return 0;
    }
    for (int i = 0; i < count; i++)
        operands[i] = lower_ir(l, parts[i]);
    return count;
}

BUILTIN_HANDLER(store)
{
    struct ir_value *operands[4];
    int count = write_operands(l, call, 1, operands);
    if (count == 0)
        return value_poison;
    ir_store(&l->b, operands[0], operands[1], count == 3 ? operands[2] : NULL);
    return value_void;
}

void lower_scalar_store(struct lower *l, const struct ast_expression *e, struct source_range at,
                        struct value address, struct value v)
{
    struct call call = {.builtin = lower_find_builtin("store"), .expression = e, .range = e->range};
    call.arguments[0] = (struct argument){.given = true, .range = at, .value = address};
    call.arguments[1] = (struct argument){.given = true, .range = e->range, .value = v};
    lower_builtin_store(l, &call);
}

static struct value atomic(struct lower *l, struct call *call, int values)
{
    struct ir_value *operands[4];
    int count = write_operands(l, call, values, operands);
    if (count == 0)
        return value_poison;
    struct ir_type type = operands[1]->type;
    struct ir_op *op =
        ir_build(&l->b, (enum ir_opcode)call->builtin->code, count, operands, 1, &type, 0, NULL);
    return value_from_ir(op->results[0], (enum ir_elem)type.elem);
}

BUILTIN_HANDLER(atomic)
{
    if (value_elem(call->arguments[0].value) == IR_BOOL && call->builtin->code != IR_OP_ATOMIC_XCHG)
        return lower_error(l, call->range, "'%s' takes numbers, not bool", call->builtin->name);
    return atomic(l, call, 1);
}

/* Of integers, or of truths. */
BUILTIN_HANDLER(bit_atomic)
{
    enum ir_elem elem = value_elem(call->arguments[0].value);
    if (ir_is_float(elem)) {
        lower_error(l, call->range, "'%s' takes integers or bool, not '%s'", call->builtin->name,
                    lower_elem_name(elem));
        return value_poison;
    }
    return atomic(l, call, 1);
}

BUILTIN_HANDLER(atomic_cas)
{
    return atomic(l, call, 2);
}

/* ---- Views ------------------------------------------------------------------------------- */

static struct view *new_view(struct lower *l, struct call *call, int rank)
{
    struct value base = call->arguments[0].value;
    if (base.type.rank > 0) {
        lower_error(l, call->arguments[0].range, "a view begins at one address, not at %s",
                    lower_shape_name(l, base.type));
        return NULL;
    }
    if (rank > IR_MAX_RANK) {
        lower_error(l, call->range, "a view has at most %d axes", (int)IR_MAX_RANK);
        return NULL;
    }
    struct view *view = ARENA_NEW(l->arena, struct view);
    view->base = base;
    view->rank = rank;
    for (int i = 0; i < rank; i++)
        view->extents[i] = call->rest[i].value;
    return view;
}

BUILTIN_HANDLER(view)
{
    struct view *view = new_view(l, call, call->rest_count);
    if (!view)
        return value_poison;
    struct value stride = value_index_constant(1);
    for (int i = view->rank - 1; i >= 0; i--) {
        view->strides[i] = stride;
        if (i > 0) {
            struct value operands[] = {stride, view->extents[i]};
            bool is_one = stride.constant && stride.bits == 1;
            stride = is_one ? view->extents[i]
                            : lower_elementwise(l, call->range, IR_OP_MUL, operands, 2);
        }
    }
    return (struct value){.kind = VALUE_VIEW, .view = view};
}

BUILTIN_HANDLER(view_strided)
{
    if (call->rest_count % 2 != 0) {
        lower_error(l, call->range, "'view_strided' takes as many strides as sizes");
        lower_hint(l, "view_strided(pointer, size0, size1, stride0, stride1)");
        return value_poison;
    }
    struct view *view = new_view(l, call, call->rest_count / 2);
    if (!view)
        return value_poison;
    for (int i = 0; i < view->rank; i++)
        view->strides[i] = call->rest[view->rank + i].value;
    return (struct value){.kind = VALUE_VIEW, .view = view};
}

/* Operands of a view op up to the indices; returns their number. */
static int view_operands(struct lower *l, const struct view *view, const struct argument *indices,
                         struct ir_value **operands)
{
    int count = 0;
    operands[count++] = lower_ir(l, view->base);
    for (int i = 0; i < view->rank; i++)
        operands[count++] = lower_ir(l, view->extents[i]);
    for (int i = 0; i < view->rank; i++)
        operands[count++] = lower_ir(l, view->strides[i]);
    for (int i = 0; i < view->rank; i++)
        operands[count++] = lower_ir(l, indices[i].value);
    return count;
}

static struct value load_view(struct lower *l, struct call *call, const struct view *view,
                              const struct argument *fill)
{
    enum ir_elem elem = value_elem(view->base);
    int sizes = call->rest_count - view->rank;
    struct ir_type type = ir_scalar(elem);
    if (sizes < 1 || sizes > view->rank) {
        if (view->rank == 1)
            lower_error(l, call->range, "a view of one axis takes an index and a size; %d %s given",
                        call->rest_count, call->rest_count == 1 ? "is" : "are");
        else
            lower_error(l, call->range,
                        "a view of %d axes takes %d indices and then 1 to %d sizes; %d are given",
                        view->rank, view->rank, view->rank, call->rest_count);
        lower_hint(l, view->rank == 1 ? "write tile_load(v, index, size)"
                                      : "sizes are for the last axes of the view");
        return value_poison;
    }
    for (int i = view->rank; i < call->rest_count; i++) {
        struct argument *size = &call->rest[i];
        if (!value_number(size->value, &size->number) || size->number < 1 ||
            size->number > IR_MAX_ELEMENTS) {
            lower_error(l, size->range, "a size must be a constant from 1 to %d",
                        (int)IR_MAX_ELEMENTS);
            return value_poison;
        }
    }
    if (!lower_sizes(l, call->range, call->rest + view->rank, sizes, &type))
        return value_poison;
    struct value other = value_constant(elem, 0);
    if (fill) {
        other = lower_settle(l, lower_convert(l, fill->value, elem));
        if (other.type.rank > 0)
            return lower_error(l, fill->range, "the fill must be a scalar, not %s",
                               lower_shape_name(l, other.type));
    }
    struct ir_value *operands[3 * IR_MAX_RANK + 2];
    int count = view_operands(l, view, call->rest, operands);
    operands[count++] = lower_ir(l, other);
    struct ir_attributes attributes = {.view_rank = view->rank};
    struct ir_op *op = ir_build(&l->b, IR_OP_VIEW_LOAD, count, operands, 1, &type, 0, &attributes);
    return value_from_ir(op->results[0], elem);
}

BUILTIN_HANDLER(tile_load)
{
    return load_view(l, call, call->arguments[0].value.view, NULL);
}

BUILTIN_HANDLER(tile_load_or)
{
    return load_view(l, call, call->arguments[1].value.view, &call->arguments[0]);
}

BUILTIN_HANDLER(tile_store)
{
    const struct view *view = call->arguments[0].value.view;
    if (!check_store(l, call, view->base))
        return value_poison;
    if (call->rest_count != view->rank + 1) {
        lower_error(l, call->range, "a view of %d %s takes %d %s and then the value; %d are given",
                    view->rank, view->rank == 1 ? "axis" : "axes", view->rank,
                    view->rank == 1 ? "index" : "indices", call->rest_count);
        lower_hint(l, "tile_store takes its sizes from the value");
        return value_poison;
    }
    for (int i = 0; i < view->rank; i++) {
        struct argument *index = &call->rest[i];
        if (!value_is_integral(index->value) || index->value.type.rank > 0)
            return lower_error(l, index->range, "an index of a view must be one integer, not '%s'",
                               lower_type_name(l, index->value));
        index->value = lower_to_index(l, index->value);
    }
    struct argument *last = &call->rest[view->rank];
    struct value value = lower_settle(l, lower_convert(l, last->value, value_elem(view->base)));
    if (value.type.rank < 1 || value.type.rank > view->rank) {
        lower_error(l, last->range, "the value must be a tile of 1 to %d axes, not %s", view->rank,
                    lower_shape_name(l, value.type));
        if (value.type.rank == 0)
            lower_hint(l, "full(type, value, sizes...) gives a scalar a shape");
        return value_poison;
    }
    struct ir_value *operands[3 * IR_MAX_RANK + 2];
    int count = view_operands(l, view, call->rest, operands);
    operands[count++] = lower_ir(l, value);
    struct ir_attributes attributes = {.view_rank = view->rank};
    ir_build(&l->b, IR_OP_VIEW_STORE, count, operands, 0, NULL, 0, &attributes);
    return value_void;
}
