/* Ranges and affine forms of integer values; see affine.h. */
#include "ir/affine.h"

#include "base/bits.h"
#include "ir/range_query.h"

__extension__ typedef __int128 wide;

enum { AFFINE_DEPTH = 24, PROGRAMS_LOG2 = 47 };

static enum ir_elem elem_of(const struct ir_value *value)
{
    return (enum ir_elem)value->type.elem;
}

static bool is_integer_value(const struct ir_value *value)
{
    return !value->type.pointer && ir_is_integer(elem_of(value));
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static const struct ir_interval everything = {INT64_MIN, INT64_MAX};

static struct ir_interval elem_range(const struct ir_value *value)
{
    enum ir_elem elem = elem_of(value);
    int bits = ir_elems[elem].bits;
    if (value->type.pointer || ir_is_float(elem) || bits == 64)
        return everything;
    if (elem == IR_BOOL)
        return (struct ir_interval){0, 1};
    if (ir_is_signed(elem))
        return (struct ir_interval){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1};
    return (struct ir_interval){0, (INT64_C(1) << bits) - 1};
}

/* The interval if all of it is a value of the element, so that nothing wrapped. A u64 is taken for
 * one only where it is below 2^63. */
static bool fits(const struct ir_value *value, wide least, wide most, struct ir_interval *result)
{
    struct ir_interval allowed = elem_range(value);
    if (elem_of(value) == IR_U64)
        allowed.least = 0;
    if (least < allowed.least || most > allowed.most)
        return false;
    *result = (struct ir_interval){(int64_t)least, (int64_t)most};
    return true;
}

/* i lies between the bounds; where all is constant, at most at the last trip's place. */
static struct ir_interval counter_range(const struct ir_op *loop, struct ir_range_query *q,
                                        int depth)
{
    struct ir_interval lo = ir_range_at(loop->operands[0], q, depth);
    struct ir_interval hi = ir_range_at(loop->operands[1], q, depth);
    int64_t step;
    struct ir_interval range = {lo.least, hi.most > INT64_MIN ? hi.most - 1 : hi.most};
    if (lo.least == lo.most && hi.least == hi.most && lo.least < hi.most &&
        ir_constant_int(loop->operands[2], &step) && step > 0) {
        wide trips = ((wide)hi.most - lo.least - 1) / step;
        range.most = (int64_t)(lo.least + trips * step);
    }
    if (range.most < range.least) /* never executed */
        range.most = range.least;
    return range;
}

static wide least_of(wide a, wide b)
{
    return a < b ? a : b;
}

static wide most_of(wide a, wide b)
{
    return a > b ? a : b;
}

static void product_range(struct ir_interval a, struct ir_interval b, wide *least, wide *most)
{
    wide p[] = {(wide)a.least * b.least, (wide)a.least * b.most, (wide)a.most * b.least,
                (wide)a.most * b.most};
    *least = least_of(least_of(p[0], p[1]), least_of(p[2], p[3]));
    *most = most_of(most_of(p[0], p[1]), most_of(p[2], p[3]));
}

/* x / y and the like: of a constant y > 0 exactly; else a remainder lies between x and 0, a
 * quotient is no further from 0 than x. */
static bool division_range(const struct ir_op *op, struct ir_interval x, wide *least, wide *most)
{
    int64_t c;
    if (!ir_constant_int(op->operands[1], &c) || c <= 0) {
        bool remains = op->code == IR_OP_REM;
        *least = least_of(remains ? 0 : least_of(0, -(wide)x.most), x.least);
        *most = most_of(remains ? 0 : most_of(0, -(wide)x.least), x.most);
        return op->code != IR_OP_CDIV;
    }
    switch (op->code) {
    case IR_OP_DIV:
        *least = x.least / c;
        *most = x.most / c;
        return true;
    case IR_OP_CDIV:
        *least = x.least / c;
        *most = (wide)(x.most / c) + (x.most > 0);
        return true;
    default: /* rem: has the sign of x */
        *least = x.least < 0 ? most_of(x.least, 1 - (wide)c) : 0;
        *most = x.most > 0 ? least_of(x.most, (wide)c - 1) : 0;
        return true;
    }
}

/* An op on two integers, if its result's range follows. */
static bool binary_range(const struct ir_op *op, struct ir_interval a, struct ir_interval b,
                         wide *least, wide *most)
{
    switch (op->code) {
    case IR_OP_ADD:
        *least = (wide)a.least + b.least;
        *most = (wide)a.most + b.most;
        return true;
    case IR_OP_SUB:
        *least = (wide)a.least - b.most;
        *most = (wide)a.most - b.least;
        return true;
    case IR_OP_MUL:
        product_range(a, b, least, most);
        if (op->operands[0] == op->operands[1])
            *least = a.least > 0 || a.most < 0
                         ? least_of((wide)a.least * a.least, (wide)a.most * a.most)
                         : 0;
        return true;
    case IR_OP_MULHI:
        product_range(a, b, least, most);
        *least >>= ir_elems[elem_of(op->results[0])].bits;
        *most >>= ir_elems[elem_of(op->results[0])].bits;
        return true;
    case IR_OP_MINIMUM:
        *least = least_of(a.least, b.least);
        *most = least_of(a.most, b.most);
        return true;
    case IR_OP_MAXIMUM:
        *least = most_of(a.least, b.least);
        *most = most_of(a.most, b.most);
        return true;
    case IR_OP_AND:
        *least = 0;
        *most = a.least < 0 ? b.most : b.least < 0 ? a.most : least_of(a.most, b.most);
        return a.least >= 0 || b.least >= 0;
    case IR_OP_OR:
    case IR_OP_XOR: /* no bit above the highest one of both */
        if (a.least < 0 || b.least < 0)
            return false;
        *least = op->code == IR_OP_OR ? most_of(a.least, b.least) : 0;
        *most = ((wide)1 << bits_width((int64_t)most_of(a.most, b.most))) - 1;
        return true;
    case IR_OP_SHR:
        if (b.least != b.most || b.least < 0 || b.least >= ir_elems[elem_of(op->results[0])].bits)
            return false;
        *least = a.least >> b.least;
        *most = a.most >> b.least;
        return true;
    case IR_OP_DIV:
    case IR_OP_CDIV:
    case IR_OP_REM:
        return division_range(op, a, least, most);
    default:
        return false;
    }
}

/* An integer made of a float, which saturates; a NaN gives 0. */
static bool from_float(const struct ir_op *op, struct ir_range_query *q, int depth,
                       struct ir_interval *result)
{
    struct ir_float_range in = ir_float_range_at(op->operands[0], q, depth);
    const double far = 0x1p62;
    if (!(in.least > -far && in.most < far))
        return false;
    wide least = (int64_t)in.least, most = (int64_t)in.most;
    struct ir_interval all = elem_range(op->results[0]);
    if (in.nan) {
        least = least_of(least, 0);
        most = most_of(most, 0);
    }
    least = most_of(least_of(least, all.most), all.least);
    most = most_of(least_of(most, all.most), all.least);
    return fits(op->results[0], least, most, result);
}

/* The range of a table's elements, and of the 0 that is read outside; false: nothing is known of
 * floats, and large tables are not looked at. */
static bool table_range(const struct ir_table *table, wide *least, wide *most)
{
    enum { MOST_LOOKED_AT = 256 };
    bool is_signed = ir_is_signed(table->elem);
    int unused = 64 - ir_elems[table->elem].bits;
    if (ir_is_float(table->elem) || table->elem == IR_U64 || table->count > MOST_LOOKED_AT)
        return false;
    *least = *most = 0;
    for (int i = 0; i < table->count; i++) {
        int64_t number =
            is_signed ? (int64_t)(table->bits[i] << unused) >> unused : (int64_t)table->bits[i];
        *least = least_of(*least, number);
        *most = most_of(*most, number);
    }
    return true;
}

static bool cast_range(const struct ir_op *op, struct ir_range_query *q, int depth, wide *least,
                       wide *most)
{
    struct ir_interval from = ir_range_at(op->operands[0], q, depth);
    *least = from.least;
    *most = from.most;
    return elem_of(op->operands[0]) != IR_U64;
}

/* Of neg and abs. */
static bool negated_range(const struct ir_op *op, struct ir_range_query *q, int depth, wide *least,
                          wide *most)
{
    struct ir_interval a = ir_range_at(op->operands[0], q, depth);
    bool is_abs = op->code == IR_OP_ABS;
    *least = is_abs && a.least >= 0 ? a.least : -(wide)a.most;
    *most = is_abs ? most_of(a.most, -(wide)a.least) : -(wide)a.least;
    *least = is_abs ? most_of(*least, 0) : *least;
    return is_integer_value(op->operands[0]) && elem_of(op->results[0]) != IR_U64;
}

static void select_range(const struct ir_op *op, struct ir_range_query *q, int depth, wide *least,
                         wide *most)
{
    struct ir_interval a = ir_range_at(op->operands[1], q, depth);
    struct ir_interval b = ir_range_at(op->operands[2], q, depth);
    *least = least_of(a.least, b.least);
    *most = most_of(a.most, b.most);
}

static bool range_of_two(const struct ir_op *op, struct ir_range_query *q, int depth, wide *least,
                         wide *most)
{
    if (op->operand_count != 2 || !ir_has(op, IR_PURE | IR_ELEMENTWISE) ||
        !is_integer_value(op->operands[0]) || elem_of(op->results[0]) == IR_U64)
        return false;
    struct ir_interval a = ir_range_at(op->operands[0], q, depth);
    struct ir_interval b = ir_range_at(op->operands[1], q, depth);
    return binary_range(op, a, b, least, most);
}

/* The range of an op's result from those of its operands; false: all that its element can hold. */
static bool op_range(const struct ir_value *value, struct ir_range_query *q, int depth,
                     struct ir_interval *result)
{
    const struct ir_op *op = value->op;
    wide least = 0, most = 0;
    int64_t constant;
    bool known = true;
    if (ir_ops[op->code].attribute == IR_ATTRIBUTE_RANGE) /* arange; a thread's number in GPU IR */
        return fits(value, op->attributes.begin, (wide)op->attributes.end - 1, result);
    if (ir_shows_operand(op)) {
        *result = ir_range_at(op->operands[0], q, depth);
        return true;
    }
    switch (op->code) {
    case IR_OP_CONSTANT:
        if (!ir_constant_int(value, &constant))
            return false;
        least = most = constant;
        break;
    case IR_OP_LOOKUP:
        known = table_range(op->attributes.table, &least, &most);
        break;
    case IR_OP_PROGRAM_ID:
    case IR_OP_NUM_PROGRAMS:
        most = (INT64_C(1) << PROGRAMS_LOG2) - (op->code == IR_OP_PROGRAM_ID);
        break;
    case IR_OP_POPCOUNT:
    case IR_OP_CLZ:
    case IR_OP_CTZ:
        most = ir_elems[elem_of(value)].bits;
        break;
    case IR_OP_CAST:
        if (!op->operands[0]->type.pointer && ir_is_float(elem_of(op->operands[0])))
            return from_float(op, q, depth, result);
        known = cast_range(op, q, depth, &least, &most);
        break;
    case IR_OP_NEG:
    case IR_OP_ABS:
        known = negated_range(op, q, depth, &least, &most);
        break;
    case IR_OP_SELECT:
        select_range(op, q, depth, &least, &most);
        break;
    default:
        known = range_of_two(op, q, depth, &least, &most);
        break;
    }
    return known && fits(value, least, most, result);
}

struct ir_interval ir_range_at(const struct ir_value *value, struct ir_range_query *q, int depth)
{
    struct ir_interval range;
    if (q->assumption && q->assumption->value == value)
        return q->assumption->range;
    if (depth == 0 || q->budget-- <= 0)
        return elem_range(value);
    if (value->op)
        return op_range(value, q, depth - 1, &range) ? range : elem_range(value);
    const struct ir_op *loop = value->region ? value->region->parent : NULL;
    if (loop && loop->code == IR_OP_FOR && value->index == 0)
        return counter_range(loop, q, depth - 1);
    return elem_range(value);
}

struct ir_interval ir_range(const struct ir_value *value)
{
    struct ir_range_query q = {NULL, IR_RANGE_BUDGET};
    return ir_range_at(value, &q, IR_RANGE_DEPTH);
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* The range of the form's elements over a shape; false when it is far beyond 64 bits. */
static bool form_range(const struct ir_affine *form, struct ir_type shape, struct ir_range_query *q,
                       wide *least, wide *most)
{
    const wide far = (wide)1 << 100;
    *least = *most = form->constant;
    for (int i = 0; i < form->term_count; i++) {
        struct ir_interval factor = {form->terms[i].factor, form->terms[i].factor};
        wide low, high;
        product_range(ir_range_at(form->terms[i].value, q, IR_RANGE_DEPTH), factor, &low, &high);
        if (low < -far || high > far)
            return false;
        *least += low;
        *most += high;
    }
    for (int i = 0; i < shape.rank; i++) {
        wide reach = (wide)form->axis[i] * (shape.dims[i] - 1);
        *least += least_of(reach, 0);
        *most += most_of(reach, 0);
    }
    return true;
}

/* Computes the form's range; false when the value's element cannot hold it, so that it may wrap. */
static bool finish_form(struct ir_affine *form, const struct ir_value *value,
                        struct ir_range_query *q)
{
    wide least, most;
    return form_range(form, value->type, q, &least, &most) &&
           fits(value, least, most, &form->range);
}

static bool add_term(struct ir_affine *form, const struct ir_value *value, int64_t factor)
{
    for (int i = 0; i < form->term_count; i++) {
        if (form->terms[i].value != value)
            continue;
        if (__builtin_add_overflow(form->terms[i].factor, factor, &form->terms[i].factor))
            return false;
        if (form->terms[i].factor == 0)
            form->terms[i] = form->terms[--form->term_count];
        return true;
    }
    if (form->term_count == IR_AFFINE_TERMS)
        return false;
    form->terms[form->term_count].value = value;
    form->terms[form->term_count++].factor = factor;
    return true;
}

/* form += factor * other */
static bool add_form(struct ir_affine *form, const struct ir_affine *other, int64_t factor)
{
    int64_t product;
    if (__builtin_mul_overflow(other->constant, factor, &product) ||
        __builtin_add_overflow(form->constant, product, &form->constant))
        return false;
    for (int i = 0; i < IR_MAX_RANK; i++) {
        if (__builtin_mul_overflow(other->axis[i], factor, &product) ||
            __builtin_add_overflow(form->axis[i], product, &form->axis[i]))
            return false;
    }
    for (int i = 0; i < other->term_count; i++) {
        if (__builtin_mul_overflow(other->terms[i].factor, factor, &product) ||
            !add_term(form, other->terms[i].value, product))
            return false;
    }
    return true;
}

static bool form_at(const struct ir_value *value, struct ir_range_query *q, int depth,
                    struct ir_affine *form);

static bool reshape_axes(const struct ir_affine *from, struct ir_type from_type,
                         struct ir_type to_type, struct ir_affine *form)
{
    int before[IR_MAX_RANK];
    bool simple = ir_reshape_axes(from_type, to_type, before);
    for (int i = 0; i < IR_MAX_RANK; i++)
        form->axis[i] = before[i] < 0 ? 0 : from->axis[before[i]];
    return simple;
}

/* The op's result from its operand's form: another shape of the same elements. */
static bool shape_form(const struct ir_op *op, struct ir_range_query *q, int depth,
                       struct ir_affine *form)
{
    struct ir_affine from;
    struct ir_type from_type = op->operands[0]->type, type = op->results[0]->type;
    if (!form_at(op->operands[0], q, depth, &from))
        return false;
    *form = from;
    switch (op->code) {
    case IR_OP_RESHAPE:
        return reshape_axes(&from, from_type, type, form);
    case IR_OP_TRANS:
        for (int i = 0; i < type.rank; i++)
            form->axis[i] = from.axis[op->attributes.permutation[i]];
        return true;
    default: /* broadcast and cast: an axis of size 1 has factor 0 already */
        return true;
    }
}

/* x * c or c * x for a form that is a constant */
static bool product_form(const struct ir_affine *x, const struct ir_affine *y,
                         struct ir_affine *form)
{
    bool y_constant = y->term_count == 0 && y->range.least == y->range.most;
    bool x_constant = x->term_count == 0 && x->range.least == x->range.most;
    if (!x_constant && !y_constant)
        return false;
    if (y_constant && y->constant == 0)
        return true; /* 0: the empty form */
    return y_constant ? add_form(form, x, y->constant)
                      : x->constant == 0 || add_form(form, y, x->constant);
}

static bool arithmetic_form(const struct ir_op *op, struct ir_range_query *q, int depth,
                            struct ir_affine *form)
{
    struct ir_affine x, y;
    if (!form_at(op->operands[0], q, depth, &x))
        return false;
    if (op->code == IR_OP_NEG)
        return add_form(form, &x, -1);
    if (!form_at(op->operands[1], q, depth, &y))
        return false;
    if (op->code == IR_OP_MUL)
        return product_form(&x, &y, form);
    return add_form(form, &x, 1) && add_form(form, &y, op->code == IR_OP_SUB ? -1 : 1);
}

/* The form of an op's result, without the question whether it wraps. */
static bool op_form(const struct ir_op *op, struct ir_range_query *q, int depth,
                    struct ir_affine *form)
{
    if (ir_shows_operand(op))
        return shape_form(op, q, depth, form);
    switch (op->code) {
    case IR_OP_CONSTANT:
        return ir_constant_int(op->results[0], &form->constant);
    case IR_OP_ARANGE:
        form->constant = op->attributes.begin;
        form->axis[0] = op->results[0]->type.dims[0] > 1;
        return true;
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_NEG:
        return arithmetic_form(op, q, depth, form);
    case IR_OP_CAST: /* exact where the range fits the element, which the caller checks */
        return is_integer_value(op->operands[0]) && shape_form(op, q, depth, form);
    default:
        return false;
    }
}

static bool form_at(const struct ir_value *value, struct ir_range_query *q, int depth,
                    struct ir_affine *form)
{
    if (!is_integer_value(value))
        return false;
    *form = (struct ir_affine){0};
    if (value->op && depth > 0 && q->budget-- > 0 && op_form(value->op, q, depth - 1, form) &&
        finish_form(form, value, q))
        return true;
    if (value->type.rank > 0)
        return false;
    *form = (struct ir_affine){.term_count = 1, .range = ir_range_at(value, q, IR_RANGE_DEPTH)};
    form->terms[0].value = value;
    form->terms[0].factor = 1;
    return elem_of(value) != IR_U64;
}

bool ir_affine_of(const struct ir_value *value, const struct ir_assumption *assumption,
                  struct ir_affine *form)
{
    struct ir_range_query q = {assumption, IR_RANGE_BUDGET};
    return form_at(value, &q, AFFINE_DEPTH, form);
}

bool ir_affine_subtract(const struct ir_affine *a, const struct ir_affine *b, struct ir_type shape,
                        const struct ir_assumption *assumption, struct ir_affine *difference)
{
    struct ir_range_query q = {assumption, IR_RANGE_BUDGET};
    wide least, most;
    *difference = *a;
    if (!add_form(difference, b, -1) || !form_range(difference, shape, &q, &least, &most))
        return false;
    difference->range = (struct ir_interval){
        (int64_t)most_of(least_of(least, INT64_MAX), INT64_MIN),
        (int64_t)most_of(least_of(most, INT64_MAX), INT64_MIN),
    };
    return true;
}

int64_t ir_affine_factor(const struct ir_affine *form, const struct ir_value *value)
{
    for (int i = 0; i < form->term_count; i++) {
        if (form->terms[i].value == value)
            return form->terms[i].factor;
    }
    return 0;
}

bool ir_affine_most_of_axes(struct ir_affine *form, struct ir_type shape)
{
    for (int i = 0; i < shape.rank; i++) {
        int64_t most;
        if (__builtin_mul_overflow(form->axis[i], (int64_t)shape.dims[i] - 1, &most) ||
            __builtin_add_overflow(form->constant, most > 0 ? most : 0, &form->constant))
            return false;
        form->axis[i] = 0;
    }
    return true;
}
