/* Built-ins over many elements: reductions, scans, the matrix product. */
#include "lang/lower.h"

#include "ir/eval.h"

#include <string.h>

bool lower_axis(struct lower *l, const struct call *call, int index, struct value x,
                bool all_by_default, int *axis)
{
    const struct argument *argument = &call->arguments[index];
    if (!argument->given && all_by_default) {
        *axis = -1;
        return true;
    }
    if (!argument->given && x.type.rank == 1) {
        *axis = 0;
        return true;
    }
    if (x.type.rank == 0 && !all_by_default) {
        lower_error(l, call->range, "'%s' takes a tile, not a scalar", call->builtin->name);
        return false;
    }
    if (!argument->given) {
        lower_error(l, call->range, "'%s' of %s needs an axis", call->builtin->name,
                    lower_shape_name(l, x.type));
        lower_hint(l, "name it: axis(%d)", x.type.rank - 1);
        return false;
    }
    if (argument->number < 0 || argument->number >= x.type.rank) {
        lower_error(l, argument->range, "no axis %lld: this is %s", (long long)argument->number,
                    lower_shape_name(l, x.type));
        if (argument->number < 0 && x.type.rank > 0)
            lower_hint(l, "the last axis is axis(%d)", x.type.rank - 1);
        return false;
    }
    *axis = (int)argument->number;
    return true;
}

/* ---- Reductions -------------------------------------------------------------------------- */

/* The type that sums and products are formed in. */
static struct value accumulated(struct lower *l, struct value x)
{
    x = lower_settle(l, x);
    if (value_elem(x) == IR_F16 || value_elem(x) == IR_BF16)
        return lower_convert(l, x, IR_F32);
    return lower_promote(l, x);
}

/* Puts the axis back as 1 where `keep` is given; before: the shape that was reduced. */
static struct value kept(struct lower *l, const struct call *call, struct value result,
                         struct ir_type before, int axis)
{
    if (!call->arguments[2].given)
        return result;
    for (int i = 0; i < before.rank; i++) {
        if (axis < 0 || i == axis)
            before.dims[i] = 1;
    }
    return value_like(result, ir_reshape(&l->b, lower_ir(l, result), before));
}

static struct value reduce(struct lower *l, const struct call *call, struct value x)
{
    int axis;
    if (!lower_axis(l, call, 1, x, true, &axis))
        return value_poison;
    if (x.type.rank == 0)
        return x; /* one element */
    struct ir_value *ir =
        ir_reduce(&l->b, (enum ir_opcode)call->builtin->code, lower_ir(l, x), axis);
    return kept(l, call, value_like(x, ir), x.type, axis);
}

/* A scalar that took a shape in a loop counts once for every element. */
static void check_start(struct lower *l, const struct call *call, const struct value *x)
{
    for (size_t i = 0; i < l->promoted.count; i++) {
        const struct promoted *promoted = &l->promoted.items[i];
        if (promoted->result != x->ir)
            continue;
        struct value start = promoted->start;
        uint64_t bits = start.bits, identity;
        bool known = start.constant || (start.ir && ir_constant_bits(start.ir, &bits));
        identity = ir_eval_identity((enum ir_opcode)call->builtin->code, value_elem(start));
        bool is_zero = call->builtin->code == IR_OP_SUM && known && bits == 0;
        if (known && (bits == identity || is_zero))
            return;
        lower_warning(l, call->range,
                      "'%s' starts as a scalar that counts once for each of %lld elements here",
                      promoted->name, (long long)ir_element_count(x->type));
        lower_hint(l, "start it from %s, and add the scalar behind the reduction",
                   call->builtin->code == IR_OP_SUM ? "0" : "1");
        lower_note(l, promoted->range, "'%s' gets its scalar value here", promoted->name);
        return;
    }
}

BUILTIN_HANDLER(accumulate)
{
    check_start(l, call, &call->arguments[0].value);
    return reduce(l, call, accumulated(l, call->arguments[0].value));
}

BUILTIN_HANDLER(reduce)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    return reduce(l, call, value_is_bool(x) ? lower_promote(l, x) : x);
}

BUILTIN_HANDLER(arg_reduce)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    int axis;
    if (!lower_axis(l, call, 1, x, true, &axis))
        return value_poison;
    if (x.type.rank == 0)
        return value_index_constant(0);
    if (value_is_bool(x))
        x = lower_promote(l, x);
    struct ir_value *ir =
        ir_reduce(&l->b, (enum ir_opcode)call->builtin->code, lower_ir(l, x), axis);
    return kept(l, call, value_index(ir, IR_I32), x.type, axis);
}

BUILTIN_HANDLER(logical_reduce)
{
    return reduce(l, call, call->arguments[0].value);
}

/* ---- Scans ------------------------------------------------------------------------------- */

static struct value scanned(struct lower *l, enum ir_opcode code, struct value x,
                            struct ir_attributes attributes, struct ir_region *region)
{
    struct ir_value *operand = lower_ir(l, x);
    struct ir_op *op = ir_build(&l->b, code, 1, &operand, 1, &x.type, region ? 1 : 0, &attributes);
    if (region) {
        op->regions[0] = region;
        region->parent = op;
    }
    return value_like(x, op->results[0]);
}

BUILTIN_HANDLER(cumulate)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    enum ir_opcode code = (enum ir_opcode)call->builtin->code;
    if (code == IR_OP_CUMSUM || code == IR_OP_CUMPROD)
        x = accumulated(l, x);
    else if (value_is_bool(x))
        x = lower_promote(l, x);
    struct ir_attributes attributes = {.exclusive = call->arguments[3].given};
    bool reverse = call->arguments[2].given;
    if (!lower_axis(l, call, 1, x, false, &attributes.axis))
        return value_poison;
    x = reverse ? lower_flip(l, x, attributes.axis) : x;
    x = scanned(l, code, x, attributes, NULL);
    return reverse ? lower_flip(l, x, attributes.axis) : x;
}

static bool is_pure(const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (!ir_has(op, IR_PURE) && !ir_has(op, IR_TERMINATOR))
            return false;
    }
    return true;
}

/* The running combination along an axis by the helper that is the first argument. */
static struct value scan_by_helper(struct lower *l, const struct call *call, struct value x,
                                   int axis)
{
    const struct argument *helper = &call->arguments[0];
    const struct ast_function *function = ast_find_function(l->unit->ast, helper->ast->value->name);
    struct ir_attributes attributes = {.axis = axis};
    struct ir_type scalar = ir_with_shape(x.type, ir_scalar(IR_BOOL));
    struct ir_builder outside;
    struct ir_region *region = lower_open_region(l, &outside);
    struct value pair[2];
    for (int i = 0; i < 2; i++)
        pair[i] = value_like(x, ir_region_add_argument(l->b.func, region, scalar, i ? "b" : "a"));
    struct source_range ranges[] = {call->range, call->range};
    struct value result = lower_inline(l, call->range, function, pair, ranges, 2);
    if (value_is_poison(result)) {
        l->b = outside;
        return result;
    }
    if (!value_is_number(result) || result.type.rank > 0 || !is_pure(region)) {
        l->b = outside;
        lower_error(l, helper->range,
                    "'%s' must combine two numbers to one, without memory or branches",
                    function->name);
        lower_hint(l, "where(condition, x, y) chooses without a branch");
        return value_poison;
    }
    result = x.index ? lower_to_index(l, result) : lower_convert(l, result, value_elem(x));
    struct ir_value *combined = lower_ir(l, lower_settle(l, result));
    lower_yield(l, 1, &combined);
    l->b = outside;
    return scanned(l, IR_OP_SCAN, x, attributes, region);
}

BUILTIN_HANDLER(scan)
{
    struct value x = lower_settle(l, call->arguments[1].value);
    int axis;
    if (!lower_axis(l, call, 2, x, false, &axis))
        return value_poison;
    if (!call->arguments[3].given)
        return scan_by_helper(l, call, x, axis);
    x = scan_by_helper(l, call, lower_flip(l, x, axis), axis);
    return value_is_poison(x) ? x : lower_flip(l, x, axis);
}

/* What the scan along the axis ends with. */
BUILTIN_HANDLER(combine)
{
    struct value x = lower_settle(l, call->arguments[1].value);
    struct ir_type result = x.type;
    int axis;
    if (!lower_axis(l, call, 2, x, true, &axis))
        return value_poison;
    if (x.type.rank == 0)
        return x;
    bool keep = call->arguments[3].given;
    result.rank = 0;
    for (int i = 0; i < x.type.rank; i++) {
        bool gone = axis < 0 || i == axis;
        if (!gone || keep)
            result.dims[result.rank++] = gone ? 1 : x.type.dims[i];
    }
    for (int i = result.rank; i < x.type.rank; i++)
        result.dims[i] = 0;
    if (axis < 0) { /* over everything: in row-major order */
        struct ir_type line = ir_with_shape(x.type, ir_scalar(IR_BOOL));
        line.dims[line.rank++] = (int32_t)ir_element_count(x.type);
        x = value_like(x, ir_reshape(&l->b, lower_ir(l, x), line));
        axis = 0;
    }
    x = scan_by_helper(l, call, x, axis);
    if (value_is_poison(x))
        return x;
    int64_t place = x.type.dims[axis] - 1;
    struct ir_type last = ir_with_shape(ir_scalar(IR_I64), x.type);
    last.dims[axis] = 1;
    struct ir_value *operands[] = {lower_ir(l, x), ir_constant(&l->b, last, (uint64_t)place)};
    struct ir_attributes attributes = {.axis = axis};
    struct ir_type picked = ir_with_shape(x.type, last);
    struct ir_op *op = ir_build(&l->b, IR_OP_GATHER, 2, operands, 1, &picked, 0, &attributes);
    return value_like(x, ir_reshape(&l->b, op->results[0], result));
}

/* ---- The matrix product ------------------------------------------------------------------ */

/* The element that products of an element are summed in; false where dot does not take it. */
static bool dot_result(struct value x, enum ir_elem *elem)
{
    switch (value_elem(x)) {
    case IR_F16:
    case IR_BF16:
    case IR_F32:
        *elem = IR_F32;
        return true;
    case IR_F64:
        *elem = IR_F64;
        return true;
    case IR_I8:
        *elem = IR_I32;
        return true;
    default:
        return false;
    }
}

static bool check_dot(struct lower *l, const struct call *call, struct value a, struct value b,
                      enum ir_elem *elem)
{
    if (value_elem(a) != value_elem(b)) {
        lower_error(l, call->range, "'dot' of '%s' with '%s'", lower_type_name(l, a),
                    lower_type_name(l, b));
        lower_hint(l, "both must have one element type: cast one of them");
        return false;
    }
    if (!dot_result(a, elem) || a.index) {
        lower_error(l, call->range, "'dot' does not take '%s'", lower_type_name(l, a));
        lower_hint(l, "it takes half, bfloat, float, double and int8_t");
        return false;
    }
    if (a.type.rank != 2 || b.type.rank != 2) {
        lower_error(l, call->range, "'dot' takes [M, K] and [K, N], not %s and %s",
                    lower_shape_name(l, a.type), lower_shape_name(l, b.type));
        lower_hint(l, "expand_dims(v, 0) makes a row, expand_dims(v, 1) a column");
        return false;
    }
    if (a.type.dims[1] != b.type.dims[0]) {
        lower_error(l, call->range, "'dot' takes [M, K] and [K, N], not %s and %s",
                    lower_shape_name(l, a.type), lower_shape_name(l, b.type));
        if (a.type.dims[1] == b.type.dims[1])
            lower_hint(l, "dot(a, trans(b)) multiplies with the transpose");
        return false;
    }
    return true;
}

BUILTIN_HANDLER(dot)
{
    struct value a = lower_settle(l, call->arguments[0].value);
    struct value b = lower_settle(l, call->arguments[1].value);
    enum ir_elem elem;
    if (!check_dot(l, call, a, b, &elem))
        return value_poison;
    int32_t dims[] = {a.type.dims[0], b.type.dims[1]};
    struct ir_type type = ir_tile(elem, 2, dims);
    struct value acc = value_constant(elem, 0);
    if (call->arguments[2].given)
        acc = lower_settle(l, lower_convert(l, call->arguments[2].value, elem));
    if (!lower_check_shape(l, call->range, type))
        return value_poison;
    if (acc.type.rank != 0 && !ir_shape_equal(acc.type, type)) {
        lower_error(l, call->arguments[2].range, "the sum must be %s, as the product, not %s",
                    lower_shape_name(l, type), lower_shape_name(l, acc.type));
        return value_poison;
    }
    l->b.range = call->range;
    acc = lower_broadcast(l, acc, type);
    struct ir_value *operands[] = {lower_ir(l, a), lower_ir(l, b), lower_ir(l, acc)};
    struct ir_op *op = ir_build(&l->b, IR_OP_DOT, 3, operands, 1, &type, 0, NULL);
    return value_from_ir(op->results[0], elem);
}
