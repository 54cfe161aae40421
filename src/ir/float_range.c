/*
 * Ranges of floating values; see float_range.h.
 *
 *     %b = cast %bytes : f32[n]          0 to 255
 *     %s = fma %b, 0.299, %t             from what the ends give: rounding keeps the order
 *     %q = cast %s : u8[n]               so this needs no care for NaN, nor for what is too large
 *
 * An op that is monotone in each operand, rounding included, has its extremes at the ends of its
 * operands' ranges, where it is computed as the interpreter does. Finite operands of sums and
 * products give no NaN; an infinite one may.
 */
#include "ir/eval.h"
#include "ir/range_query.h"

#include <math.h>

static const struct ir_float_range anything = {-INFINITY, INFINITY, true};

static enum ir_elem elem_of(const struct ir_value *value)
{
    return (enum ir_elem)value->type.elem;
}

static bool is_finite(struct ir_float_range r)
{
    return !r.nan && r.least > -INFINITY && r.most < INFINITY;
}

static struct ir_float_range both(struct ir_float_range a, struct ir_float_range b)
{
    return (struct ir_float_range){fmin(a.least, b.least), fmax(a.most, b.most), a.nan || b.nan};
}

/* The op at all ends of its operands' ranges, of which the code takes up to three. */
static struct ir_float_range at_ends(const struct ir_op *op, const struct ir_float_range *in)
{
    enum ir_elem elem = elem_of(op->operands[0]);
    struct ir_float_range r = {INFINITY, -INFINITY, false};
    for (int ends = 0; ends < 1 << op->operand_count; ends++) {
        uint64_t bits[3];
        unsigned faults = 0;
        for (int i = 0; i < op->operand_count; i++)
            bits[i] = ir_eval_from_double(ends >> i & 1 ? in[i].most : in[i].least, elem);
        enum ir_elem to = elem_of(op->results[0]);
        double x = ir_eval_to_double(ir_eval(op->code, elem, to, bits, &faults), to);
        if (x != x)
            return anything;
        r.least = fmin(r.least, x);
        r.most = fmax(r.most, x);
    }
    return r;
}

static struct ir_float_range of_cast(const struct ir_op *op, struct ir_range_query *q, int depth)
{
    enum ir_elem from = elem_of(op->operands[0]), to = elem_of(op->results[0]);
    if (ir_is_float(from)) {
        struct ir_float_range in = ir_float_range_at(op->operands[0], q, depth);
        struct ir_float_range r = at_ends(op, &in);
        r.nan = in.nan;
        return r;
    }
    if (from == IR_U64)
        return (struct ir_float_range){0, INFINITY, false};
    struct ir_interval in = ir_range_at(op->operands[0], q, depth);
    return (struct ir_float_range){
        ir_eval_to_double(ir_eval_cast((uint64_t)in.least, IR_I64, to), to),
        ir_eval_to_double(ir_eval_cast((uint64_t)in.most, IR_I64, to), to), false};
}

/* fmax and fmin: a NaN gives the other operand. */
static struct ir_float_range ignoring(const struct ir_op *op, const struct ir_float_range *in)
{
    struct ir_float_range r = at_ends(op, in);
    if (in[0].nan)
        r = both(r, (struct ir_float_range){in[1].least, in[1].most, false});
    if (in[1].nan)
        r = both(r, (struct ir_float_range){in[0].least, in[0].most, false});
    r.nan = in[0].nan && in[1].nan;
    return r;
}

static struct ir_float_range of_op(const struct ir_op *op, struct ir_range_query *q, int depth)
{
    struct ir_float_range in[3], r;
    int first = op->code == IR_OP_SELECT;
    for (int i = first; i < op->operand_count && i < 3; i++)
        in[i] = ir_float_range_at(op->operands[i], q, depth);
    if (ir_shows_operand(op))
        return in[0];
    switch (op->code) {
    case IR_OP_SELECT:
        return both(in[1], in[2]);
    case IR_OP_NEG:
        return (struct ir_float_range){-in[0].most, -in[0].least, in[0].nan};
    case IR_OP_ABS:
        r.most = fmax(fabs(in[0].least), fabs(in[0].most));
        r.least = in[0].least > 0 ? in[0].least : in[0].most < 0 ? -in[0].most : 0;
        r.nan = in[0].nan;
        return r;
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
        r = at_ends(op, in);
        r.nan = in[0].nan || in[1].nan;
        return r;
    case IR_OP_FMAX:
    case IR_OP_FMIN:
        return ignoring(op, in);
    case IR_OP_FLOOR:
    case IR_OP_CEIL:
    case IR_OP_RINT:
    case IR_OP_ROUND:
    case IR_OP_TRUNC:
        r = at_ends(op, in);
        r.nan = in[0].nan;
        return r;
    case IR_OP_SQRT:
        return in[0].least >= 0 && is_finite(in[0]) ? at_ends(op, in) : anything;
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
        return is_finite(in[0]) && is_finite(in[1]) ? at_ends(op, in) : anything;
    case IR_OP_DIV:
        return is_finite(in[0]) && is_finite(in[1]) && (in[1].least > 0 || in[1].most < 0)
                   ? at_ends(op, in)
                   : anything;
    case IR_OP_FMA:
        return is_finite(in[0]) && is_finite(in[1]) && is_finite(in[2]) ? at_ends(op, in)
                                                                        : anything;
    default:
        return anything;
    }
}

struct ir_float_range ir_float_range_at(const struct ir_value *value, struct ir_range_query *q,
                                        int depth)
{
    uint64_t bits;
    if (value->type.pointer || !ir_is_float(elem_of(value)) || depth == 0 || q->budget-- <= 0 ||
        !value->op || value->op->region_count > 0 || value->op->result_count != 1)
        return anything;
    if (value->op->code == IR_OP_CONSTANT && ir_constant_bits(value, &bits)) {
        double x = ir_eval_to_double(bits, elem_of(value));
        return x == x ? (struct ir_float_range){x, x, false} : anything;
    }
    if (value->op->code == IR_OP_CAST)
        return of_cast(value->op, q, depth - 1);
    return of_op(value->op, q, depth - 1);
}

struct ir_float_range ir_float_range(const struct ir_value *value)
{
    struct ir_range_query q = {NULL, IR_RANGE_BUDGET};
    return ir_float_range_at(value, &q, IR_RANGE_DEPTH);
}
