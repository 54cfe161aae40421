/* Ranges of a kernel's values; see bounds.h. */
#include "plan/bounds.h"

#include <string.h>

enum { MAX_DEPTH = 400 };

/* Where the axes of op's operand are in its result. Axes of one element do not matter. */
struct axes bounds_axes(const struct ir_op *op)
{
    struct ir_type from = op->operands[0]->type, to = op->results[0]->type;
    struct axes axes;
    memset(axes.to, -1, sizeof axes.to);
    if (op->code == IR_OP_TRANS) {
        for (int i = 0; i < to.rank; i++)
            axes.to[op->attributes.permutation[i]] = (int8_t)i;
        return axes;
    }
    int place[IR_MAX_RANK]; /* reshape: as long as the larger axes are the same ones */
    ir_reshape_axes(to, from, place);
    for (int i = 0; i < from.rank; i++)
        axes.to[i] = (int8_t)place[i];
    return axes;
}

static struct range range_of_argument(struct bounds *b, const struct ir_value *value)
{
    for (int i = 0; i < b->loop_count; i++)
        if (b->loops[i].counter == value)
            return b->loops[i].range;
    if (value->region != b->kernel->body) /* carried by a loop */
        return unknown;
    if (value->type.pointer) {
        struct range r = bounds_single(b->zero);
        r.root = value->index;
        return r;
    }
    struct ir_value *scalar = b->scalars[value->index];
    return scalar ? bounds_single(scalar) : unknown;
}

/* Conversions that keep every value: to 64 bits, or to no fewer bits of the same sign. */
static struct range range_of_cast(struct bounds *b, const struct ir_op *op)
{
    enum ir_elem from = (enum ir_elem)op->operands[0]->type.elem;
    enum ir_elem to = (enum ir_elem)op->results[0]->type.elem;
    bool keeps =
        ir_is_integer(from) && ir_is_integer(to) &&
        (ir_elems[to].bits > ir_elems[from].bits ||
         (ir_elems[to].bits == ir_elems[from].bits && ir_elems[to].kind == ir_elems[from].kind)) &&
        (ir_is_signed(to) || !ir_is_signed(from));
    return keeps ? bounds_range(b, op->operands[0]) : unknown;
}

static struct range range_of_shift(struct bounds *b, const struct ir_op *op)
{
    int64_t count;
    if (!ir_constant_int(op->operands[1], &count) || count < 0 || count > 40)
        return unknown;
    struct range factor = bounds_constant(b, (int64_t)1 << count);
    return bounds_scaled(b, bounds_range(b, op->operands[0]), factor);
}

/* What a sum gets from a value. n - 5 of u64 is n + 0xfffffffffffffffb: a constant may be negative.
 */
static struct range addend_of(struct bounds *b, const struct ir_value *value)
{
    int64_t number;
    return ir_constant_int(strip(value), &number) ? bounds_constant(b, number)
                                                  : bounds_range(b, value);
}

static struct range range_of_op(struct bounds *b, const struct ir_op *op)
{
    const struct ir_attributes *a = &op->attributes;
    struct ir_value *const *o = op->operands;
    struct range right;      /* made first: compilers evaluate arguments in orders of their own */
    switch ((int)op->code) { /* int: the ops that are not here are unknown */
    case IR_OP_PROGRAM_ID:
        return b->program_ids[a->axis];
    case IR_OP_NUM_PROGRAMS:
        return bounds_single(b->grid[a->axis]);
    case IR_OP_ARANGE:
        if (a->end - a->begin == 1)
            return bounds_constant(b, a->begin);
        return bounds_counting(b, bounds_variable_bit(b, op, 0), a->begin, a->end);
    case IR_OP_RESHAPE:
    case IR_OP_TRANS: {
        struct axes axes = bounds_axes(op);
        return bounds_moved(b, bounds_range(b, o[0]), &axes);
    }
    case IR_OP_NEG:
        return bounds_negated(b, bounds_range(b, o[0]));
    case IR_OP_ADD:
    case IR_OP_ADDPTR:
        right = addend_of(b, o[1]);
        return bounds_sum(b, addend_of(b, o[0]), right);
    case IR_OP_SUB:
        right = bounds_negated(b, bounds_range(b, o[1]));
        return bounds_sum(b, bounds_range(b, o[0]), right);
    case IR_OP_MUL:
        right = bounds_range(b, o[1]);
        return bounds_product(b, bounds_range(b, o[0]), right);
    case IR_OP_DIV:
    case IR_OP_CDIV:
        right = bounds_range(b, o[1]);
        return bounds_monotone(b, op->code, bounds_range(b, o[0]), right);
    case IR_OP_REM:
        right = bounds_range(b, o[1]);
        return bounds_remainder(b, bounds_range(b, o[0]), right);
    case IR_OP_MINIMUM:
    case IR_OP_MAXIMUM:
        right = bounds_range(b, o[1]);
        return bounds_least_or_greatest(b, op->code, bounds_range(b, o[0]), right);
    case IR_OP_SHL:
        return range_of_shift(b, op);
    case IR_OP_CAST:
        return range_of_cast(b, op);
    default:
        return unknown;
    }
}

static struct range compute(struct bounds *b, const struct ir_value *value)
{
    int64_t number;
    if (!value->type.pointer && !ir_is_integer((enum ir_elem)value->type.elem))
        return unknown;
    if (ir_constant_int(value, &number))
        return bounds_constant(b, number);
    return value->op ? range_of_op(b, value->op) : range_of_argument(b, value);
}

static struct range *cut_of(struct bounds *b, const struct ir_value *value)
{
    for (int i = 0; i < b->cut_count; i++) {
        if (b->cuts[i].value == value) {
            b->cuts[i].used = true;
            return &b->cuts[i].range;
        }
    }
    return NULL;
}

/* Wrapping at 32 bits would make a formula in 64 bits too large: only index arithmetic counts. */
static bool is_index(const struct ir_value *value)
{
    return value->type.pointer || ir_elems[value->type.elem].bits == 64 || !value->op ||
           value->op->code == IR_OP_CONSTANT;
}

/* Unsigned arithmetic may wrap around, formulas do not: nothing is known of a u64 that they make
 * negative, or as large as they go. */
static void require_unwrapped(struct bounds *b, struct range *range, const struct ir_value *value)
{
    enum ir_opcode code = value->op ? value->op->code : IR_OP_COUNT;
    bool computed = code == IR_OP_NEG || code == IR_OP_ADD || code == IR_OP_SUB ||
                    code == IR_OP_MUL || code == IR_OP_SHL;
    if (!range->known || value->type.pointer || value->type.elem != IR_U64 ||
        (!computed && code != IR_OP_CONSTANT))
        return;
    bounds_require(b, range, bounds_binary(b, IR_OP_GE, range->lo, b->zero));
    if (computed) {
        struct ir_value *most = ir_constant_i64(&b->builder, FARTHEST);
        bounds_require(b, range, bounds_binary(b, IR_OP_LT, range->hi, most));
    }
}

struct range bounds_range(struct bounds *b, const struct ir_value *value)
{
    value = strip(value);
    struct range *cut = cut_of(b, value);
    if (cut)
        return *cut;
    if (value->mark == b->epoch)
        return *(struct range *)value->data;
    if (b->depth == MAX_DEPTH || !is_index(value))
        return unknown;
    struct range *memo = ARENA_NEW(b->arena, struct range);
    b->depth++;
    *memo = compute(b, value);
    require_unwrapped(b, memo, value);
    b->depth--;
    ((struct ir_value *)(uintptr_t)value)->mark = b->epoch;
    ((struct ir_value *)(uintptr_t)value)->data = memo;
    return *memo;
}
