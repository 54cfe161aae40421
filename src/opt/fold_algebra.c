/*
 * Algebra on elementwise ops: what holds for every operand, bit for bit (a NaN's payload aside).
 *
 * Integer constants move to the right, subtraction of one becomes an addition, and chains of one
 * associative op collapse, so that later passes meet `i + 3` in one form only.
 */
#include "ir/eval.h"
#include "opt/fold.h"

#include <math.h>

static enum ir_elem elem_of(const struct ir_value *value)
{
    return (enum ir_elem)value->type.elem;
}

static bool is_float_value(const struct ir_value *value)
{
    return !value->type.pointer && ir_is_float(elem_of(value));
}

static bool is_int_value(const struct ir_value *value)
{
    return !value->type.pointer && ir_is_integer(elem_of(value));
}

static bool is_constant(const struct ir_value *value)
{
    uint64_t bits;
    return ir_constant_bits(value, &bits);
}

static bool is_bits(const struct ir_value *value, uint64_t wanted)
{
    uint64_t bits;
    return ir_constant_bits(value, &bits) && bits == wanted;
}

/* Whether the value is the number, 0 or 1 of any element; of floats -0.0 is not 0.0. */
static bool is_number(const struct ir_value *value, double number)
{
    if (is_float_value(value))
        return is_bits(value, ir_eval_from_double(number, elem_of(value)));
    return is_bits(value, (uint64_t)number);
}

static uint64_t all_ones(enum ir_elem elem)
{
    int width = elem == IR_BOOL ? 1 : ir_elems[elem].bits;
    return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static struct ir_value *constant_like(struct fold *fold, const struct ir_value *value,
                                      uint64_t bits)
{
    return ir_constant(&fold->builder, value->type, bits);
}

static struct ir_value *bool_result(struct fold *fold, const struct ir_op *op, bool value)
{
    return ir_constant(&fold->builder, op->results[0]->type, value);
}

/* ---- constants to the right ------------------------------------------------------------------ */

static enum ir_opcode mirrored(enum ir_opcode code)
{
    return code == IR_OP_LT   ? IR_OP_GT
           : code == IR_OP_GT ? IR_OP_LT
           : code == IR_OP_LE ? IR_OP_GE
           : code == IR_OP_GE ? IR_OP_LE
                              : code;
}

static void constant_to_right(struct fold *fold, struct ir_op *op)
{
    bool compare = mirrored(op->code) != op->code;
    if ((!ir_has(op, IR_COMMUTES) && !compare) || !is_constant(op->operands[0]) ||
        is_constant(op->operands[1]))
        return;
    struct ir_value *constant = op->operands[0];
    op->operands[0] = op->operands[1];
    op->operands[1] = constant;
    op->code = mirrored(op->code);
    fold->changed = true;
}

/* (x op c) op d -> x op (c op d), on integers and bools */
static struct ir_value *collapse_chain(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *constant = op->operands[1];
    struct ir_op *inner = fold_is(x, op->code);
    uint64_t operands[2];
    unsigned faults = 0;
    if (is_float_value(x) || !inner || !ir_constant_bits(inner->operands[1], &operands[0]) ||
        !ir_constant_bits(constant, &operands[1]))
        return NULL;
    uint64_t bits = ir_eval(op->code, elem_of(x), elem_of(x), operands, &faults);
    return ir_binary(&fold->builder, op->code, inner->operands[0],
                     constant_like(fold, constant, bits));
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* y where the value is y - x, else NULL. */
static struct ir_value *difference_from(const struct ir_value *value, const struct ir_value *x)
{
    struct ir_op *sub = fold_is(value, IR_OP_SUB);
    return sub && sub->operands[1] == x ? sub->operands[0] : NULL;
}

static struct ir_value *fold_add(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1];
    if (is_number(y, is_float_value(y) ? -0.0 : 0))
        return x;
    if (is_float_value(x))
        return NULL;
    struct ir_value *sum = difference_from(y, x);
    if (!sum)
        sum = difference_from(x, y);
    return sum ? sum : collapse_chain(fold, op);
}

static struct ir_value *fold_sub(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1];
    uint64_t bits;
    unsigned faults = 0;
    if (is_number(y, 0))
        return x;
    if (is_float_value(x))
        return NULL;
    if (x == y)
        return constant_like(fold, x, 0);
    if (is_bits(x, 0))
        return ir_unary(&fold->builder, IR_OP_NEG, y);
    if (!ir_constant_bits(y, &bits))
        return NULL;
    bits = ir_eval(IR_OP_NEG, elem_of(y), elem_of(y), &bits, &faults);
    return ir_binary(&fold->builder, IR_OP_ADD, x, constant_like(fold, y, bits));
}

/* x * -c -> -(x * c) for narrow integers, whose negations targets spell with care (CUDA's compiler makes
 * one of such a product and widens it wrongly; emit/cuda_helpers.def). */
static struct ir_value *fold_negative_product(struct fold *fold, struct ir_value *x,
                                              struct ir_value *y)
{
    enum ir_elem elem = elem_of(x);
    uint64_t bits;
    unsigned faults = 0;
    if (!is_int_value(x) || !ir_is_signed(elem) || ir_elems[elem].bits > 16 ||
        !ir_constant_bits(y, &bits) || ir_eval_to_int(bits, elem) >= 0)
        return NULL;
    uint64_t positive = ir_eval(IR_OP_NEG, elem, elem, &bits, &faults);
    if (positive == bits) /* the least one: a shift */
        return NULL;
    return ir_unary(&fold->builder, IR_OP_NEG,
                    ir_binary(&fold->builder, IR_OP_MUL, x, constant_like(fold, y, positive)));
}

static struct ir_value *fold_mul(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1];
    if (is_number(y, 1))
        return x;
    if (is_int_value(x) && is_bits(y, 0))
        return y;
    if (is_int_value(x) && is_bits(y, all_ones(elem_of(y))))
        return ir_unary(&fold->builder, IR_OP_NEG, x);
    struct ir_value *collapsed = collapse_chain(fold, op);
    return collapsed ? collapsed : fold_negative_product(fold, x, y);
}

/* x / c -> x * (1 / c) where c and 1 / c are normal powers of two: both round the same real. */
static struct ir_value *fold_float_division(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1];
    enum ir_elem elem = elem_of(x);
    uint64_t bits;
    if (!ir_constant_bits(y, &bits))
        return NULL;
    double value = ir_eval_to_double(bits, elem);
    int exponent;
    double fraction = frexp(value, &exponent);
    int largest = elem == IR_F64 ? 1020 : elem == IR_F16 ? 13 : 120;
    if (fabs(fraction) != 0.5 || exponent > largest || exponent < -largest)
        return NULL;
    uint64_t inverse = ir_eval_from_double(1 / value, elem);
    return ir_binary(&fold->builder, IR_OP_MUL, x, constant_like(fold, y, inverse));
}

/* The k of an unsigned constant 2^k, or -1. */
static int unsigned_power(const struct ir_value *value)
{
    uint64_t bits;
    if (!is_int_value(value) || ir_is_signed(elem_of(value)) || !ir_constant_bits(value, &bits) ||
        bits == 0 || (bits & (bits - 1)) != 0)
        return -1;
    return __builtin_ctzll(bits);
}

static struct ir_value *fold_division(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1];
    if (is_number(y, 1))
        return x;
    if (is_float_value(x))
        return fold_float_division(fold, op);
    int power = unsigned_power(y);
    if (power < 0 || op->code == IR_OP_CDIV)
        return NULL;
    return ir_binary(&fold->builder, IR_OP_SHR, x, constant_like(fold, y, (uint64_t)power));
}

static struct ir_value *fold_rem(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1];
    if (is_bits(y, 1) || (ir_is_signed(elem_of(y)) && is_bits(y, all_ones(elem_of(y)))))
        return constant_like(fold, x, 0);
    int power = unsigned_power(y);
    if (power < 0)
        return NULL;
    uint64_t mask = (UINT64_C(1) << power) - 1;
    return ir_binary(&fold->builder, IR_OP_AND, x, constant_like(fold, y, mask));
}

/* The upper half of x * 2^k, for unsigned numbers, is x shifted by what is left of the width. */
static struct ir_value *fold_high_product(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1];
    int power = unsigned_power(y);
    if (is_bits(y, 0) || power == 0)
        return constant_like(fold, x, 0);
    if (power < 0)
        return NULL;
    uint64_t count = (uint64_t)(ir_elems[elem_of(x)].bits - power);
    return ir_binary(&fold->builder, IR_OP_SHR, x, constant_like(fold, y, count));
}

/* fma(x, 1, c) rounds x + c; fma(x, y, -0.0) rounds x * y. */
static struct ir_value *fold_fma(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1], *c = op->operands[2];
    if (is_number(y, 1))
        return ir_binary(&fold->builder, IR_OP_ADD, x, c);
    if (is_number(c, -0.0))
        return ir_binary(&fold->builder, IR_OP_MUL, x, y);
    return NULL;
}

static struct ir_value *fold_extremum(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1];
    if (x == y)
        return x;
    if (op->code == IR_OP_FMAX || op->code == IR_OP_FMIN)
        return NULL; /* fmax(NaN, -inf) is -inf, not NaN */
    enum ir_opcode reduction = op->code == IR_OP_MAXIMUM ? IR_OP_MAX : IR_OP_MIN;
    if (is_bits(y, ir_eval_identity(reduction, elem_of(x))))
        return x;
    if (is_float_value(x))
        return NULL;
    if (is_bits(y, ir_eval_identity(reduction == IR_OP_MAX ? IR_OP_MIN : IR_OP_MAX, elem_of(x))))
        return y; /* nothing lies beyond it */
    return collapse_chain(fold, op);
}

static struct ir_value *fold_neg(const struct ir_op *op)
{
    struct ir_op *inner = fold_is(op->operands[0], IR_OP_NEG);
    return inner ? inner->operands[0] : NULL;
}

static struct ir_value *fold_abs(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0];
    struct ir_op *neg = fold_is(x, IR_OP_NEG);
    if (fold_is(x, IR_OP_ABS) || (is_int_value(x) && !ir_is_signed(elem_of(x))))
        return x;
    return neg ? ir_unary(&fold->builder, IR_OP_ABS, neg->operands[0]) : NULL;
}

/* ---- bits and logic -------------------------------------------------------------------------- */

static struct ir_value *fold_bits(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1];
    uint64_t ones = all_ones(elem_of(x));
    if (op->code == IR_OP_XOR) {
        if (x == y)
            return constant_like(fold, x, 0);
        if (is_bits(y, 0))
            return x;
        if (is_bits(y, ones))
            return ir_unary(&fold->builder, IR_OP_NOT, x);
        return collapse_chain(fold, op);
    }
    bool is_and = op->code == IR_OP_AND;
    if (x == y || is_bits(y, is_and ? ones : 0))
        return x;
    if (is_bits(y, is_and ? 0 : ones))
        return y;
    return collapse_chain(fold, op);
}

/* The comparison that is true where this one is false. */
static bool inverted(enum ir_opcode code, bool floats, enum ir_opcode *result)
{
    switch (code) {
    case IR_OP_EQ:
        *result = IR_OP_NE;
        return true;
    case IR_OP_NE:
        *result = IR_OP_EQ;
        return true;
    case IR_OP_LT:
        *result = IR_OP_GE;
        return !floats; /* with a NaN both are false */
    case IR_OP_GE:
        *result = IR_OP_LT;
        return !floats;
    case IR_OP_GT:
        *result = IR_OP_LE;
        return !floats;
    case IR_OP_LE:
        *result = IR_OP_GT;
        return !floats;
    default:
        return false;
    }
}

static struct ir_value *fold_not(struct fold *fold, const struct ir_op *op)
{
    struct ir_op *inner = op->operands[0]->op;
    enum ir_opcode code;
    if (!inner)
        return NULL;
    if (inner->code == IR_OP_NOT)
        return inner->operands[0];
    if (inner->operand_count == 2 &&
        inverted(inner->code, is_float_value(inner->operands[0]), &code))
        return ir_binary(&fold->builder, code, inner->operands[0], inner->operands[1]);
    return NULL;
}

static struct ir_value *fold_shift(const struct ir_op *op)
{
    uint64_t count;
    uint64_t width = ir_elems[elem_of(op->operands[0])].bits;
    if (ir_constant_bits(op->operands[1], &count) && count % width == 0)
        return op->operands[0];
    return NULL;
}

static struct ir_value *fold_compare(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0], *y = op->operands[1];
    bool floats = is_float_value(x);
    bool or_equal = op->code == IR_OP_EQ || op->code == IR_OP_LE || op->code == IR_OP_GE;
    if (x == y && !(floats && (or_equal || op->code == IR_OP_NE)))
        return bool_result(fold, op, or_equal);
    if (is_int_value(x)) {
        bool by_least = op->code == IR_OP_LT || op->code == IR_OP_GE;
        bool by_most = op->code == IR_OP_GT || op->code == IR_OP_LE;
        uint64_t end = ir_eval_identity(by_least ? IR_OP_MAX : IR_OP_MIN, elem_of(x));
        return (by_least || by_most) && is_bits(y, end) ? bool_result(fold, op, or_equal) : NULL;
    }
    if (elem_of(x) != IR_BOOL || x->type.pointer)
        return NULL;
    if ((op->code == IR_OP_EQ && is_bits(y, 1)) || (op->code == IR_OP_NE && is_bits(y, 0)))
        return x;
    if ((op->code == IR_OP_EQ && is_bits(y, 0)) || (op->code == IR_OP_NE && is_bits(y, 1)))
        return ir_unary(&fold->builder, IR_OP_NOT, x);
    return NULL;
}

/* max(q, d) where d <= c, or min(q, d) where d >= c, all integers: then c is the other end. */
static bool is_other_end(const struct ir_value *v, enum ir_opcode code, const struct ir_value *q,
                         int64_t c)
{
    struct ir_op *op = fold_is(v, code);
    int64_t d;
    return op && op->operands[0] == q && ir_constant_int(op->operands[1], &d) &&
           (code == IR_OP_MAXIMUM ? d <= c : d >= c);
}

/* q > c ? c : max(q, d), as C clamps, is min(max(q, d), c), where d <= c. */
static struct ir_value *fold_clamp(struct fold *fold, const struct ir_op *compare,
                                   struct ir_value *x, struct ir_value *y)
{
    struct ir_value *q = compare->operands[0], *end = compare->operands[1];
    bool less = compare->code == IR_OP_LT || compare->code == IR_OP_LE;
    int64_t c;
    if (elem_of(q) != elem_of(x) || elem_of(q) == IR_U64 || !ir_constant_int(end, &c))
        return NULL;
    bool first = ir_is_int(x, c);
    if (!first && !ir_is_int(y, c))
        return NULL;
    struct ir_value *other = first ? y : x;
    bool at_most = less != first; /* c stands for what is greater */
    if (!is_other_end(other, at_most ? IR_OP_MAXIMUM : IR_OP_MINIMUM, q, c))
        return NULL;
    return ir_binary(&fold->builder, at_most ? IR_OP_MINIMUM : IR_OP_MAXIMUM, other, first ? x : y);
}

/* The lesser or the greater of two integers, written as a choice. */
static struct ir_value *fold_choice(struct fold *fold, const struct ir_value *c, struct ir_value *x,
                                    struct ir_value *y)
{
    const struct ir_op *compare = c->op;
    if (!compare || !ir_is_integer(elem_of(x)) || x->type.pointer)
        return NULL;
    bool less = compare->code == IR_OP_LT || compare->code == IR_OP_LE;
    bool greater = compare->code == IR_OP_GT || compare->code == IR_OP_GE;
    if (!less && !greater)
        return NULL;
    bool straight = compare->operands[0] == x && compare->operands[1] == y;
    if (!straight && !(compare->operands[0] == y && compare->operands[1] == x))
        return fold_clamp(fold, compare, x, y);
    return ir_binary(&fold->builder, less == straight ? IR_OP_MINIMUM : IR_OP_MAXIMUM, x, y);
}

static struct ir_value *fold_select(struct fold *fold, struct ir_op *op)
{
    struct ir_value *c = op->operands[0], *x = op->operands[1], *y = op->operands[2];
    struct ir_op *inverse = fold_is(c, IR_OP_NOT);
    if (x == y || is_bits(c, 1))
        return x;
    if (is_bits(c, 0))
        return y;
    if (inverse) {
        op->operands[0] = inverse->operands[0];
        op->operands[1] = y;
        op->operands[2] = x;
        fold->changed = true;
        return NULL;
    }
    if (elem_of(x) == IR_BOOL && !x->type.pointer) {
        if (is_bits(x, 1) && is_bits(y, 0))
            return c;
        if (is_bits(x, 0) && is_bits(y, 1))
            return ir_unary(&fold->builder, IR_OP_NOT, c);
    }
    return fold_choice(fold, c, x, y);
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* Bits of the integers that an element holds exactly; of a float: of its significand. */
static int exact_bits(enum ir_elem elem)
{
    switch (elem) {
    case IR_BOOL:
        return 1;
    case IR_F16:
        return 11;
    case IR_BF16:
        return 8;
    case IR_F32:
        return 24;
    case IR_F64:
        return 53;
    default:
        return ir_elems[elem].bits - (ir_is_signed(elem) ? 1 : 0);
    }
}

/* Whether every value of one element is a value of the other. */
static bool is_exact_cast(enum ir_elem from, enum ir_elem to)
{
    if (to == IR_BOOL)
        return from == IR_BOOL;
    if (ir_is_float(from))
        return from == to || (from == IR_F32 && to == IR_F64) ||
               (from != IR_F64 && from != IR_F32 && (to == IR_F32 || to == IR_F64));
    if (ir_is_signed(from) && !ir_is_float(to) && !ir_is_signed(to))
        return false;
    return exact_bits(from) <= exact_bits(to);
}

/* Whether from -> middle -> to gives what from -> to gives. */
static bool is_short_cut(enum ir_elem from, enum ir_elem middle, enum ir_elem to)
{
    bool from_float = ir_is_float(from), middle_float = ir_is_float(middle);
    if (is_exact_cast(from, middle)) {
        /* A conversion depends on the value only, but float to integer saturates and integer to
         * integer wraps. */
        return from_float == middle_float || ir_is_float(to) || is_exact_cast(from, to);
    }
    /* Low bits of low bits. */
    return ir_is_integer(from) && ir_is_integer(middle) && ir_is_integer(to) &&
           ir_elems[to].bits <= ir_elems[middle].bits;
}

static struct ir_value *fold_cast(struct fold *fold, const struct ir_op *op)
{
    struct ir_value *x = op->operands[0];
    struct ir_op *inner = fold_is(x, IR_OP_CAST);
    enum ir_elem to = elem_of(op->results[0]);
    if (!inner)
        return NULL;
    struct ir_value *source = inner->operands[0];
    if (!is_short_cut(elem_of(source), elem_of(x), to))
        return NULL;
    return ir_cast(&fold->builder, source, to);
}

static struct ir_value *fold_bitcast(struct fold *fold, const struct ir_op *op)
{
    struct ir_op *inner = fold_is(op->operands[0], IR_OP_BITCAST);
    struct ir_type type = op->results[0]->type;
    if (!inner)
        return NULL;
    if (ir_type_equal(inner->operands[0]->type, type))
        return inner->operands[0];
    return ir_build(&fold->builder, IR_OP_BITCAST, 1, inner->operands, 1, &type, 0, NULL)
        ->results[0];
}

/* ---- addresses ------------------------------------------------------------------------------- */

static struct ir_value *fold_address(struct fold *fold, const struct ir_op *op)
{
    struct ir_op *inner = fold_is(op->operands[0], IR_OP_ADDPTR);
    if (is_bits(op->operands[1], 0))
        return op->operands[0];
    if (!inner || !is_constant(inner->operands[1]) || !is_constant(op->operands[1]))
        return NULL;
    struct ir_value *sum =
        ir_binary(&fold->builder, IR_OP_ADD, inner->operands[1], op->operands[1]);
    return ir_binary(&fold->builder, IR_OP_ADDPTR, inner->operands[0], sum);
}

/* ---- all of them ----------------------------------------------------------------------------- */

struct ir_value *fold_algebra(struct fold *fold, struct ir_op *op)
{
    constant_to_right(fold, op);
    if (ir_is_comparison(op->code))
        return fold_compare(fold, op);
    switch (op->code) {
    case IR_OP_ADD:
        return fold_add(fold, op);
    case IR_OP_SUB:
        return fold_sub(fold, op);
    case IR_OP_MUL:
        return fold_mul(fold, op);
    case IR_OP_DIV:
    case IR_OP_CDIV:
        return fold_division(fold, op);
    case IR_OP_REM:
        return fold_rem(fold, op);
    case IR_OP_FMA:
        return fold_fma(fold, op);
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
    case IR_OP_FMAX:
    case IR_OP_FMIN:
        return fold_extremum(fold, op);
    case IR_OP_NEG:
        return fold_neg(op);
    case IR_OP_ABS:
        return fold_abs(fold, op);
    case IR_OP_AND:
    case IR_OP_OR:
    case IR_OP_XOR:
        return fold_bits(fold, op);
    case IR_OP_NOT:
        return fold_not(fold, op);
    case IR_OP_SHL:
    case IR_OP_SHR:
        return fold_shift(op);
    case IR_OP_MULHI:
        return fold_high_product(fold, op);
    case IR_OP_SELECT:
        return fold_select(fold, op);
    case IR_OP_CAST:
        return fold_cast(fold, op);
    case IR_OP_BITCAST:
        return fold_bitcast(fold, op);
    case IR_OP_ADDPTR:
        return fold_address(fold, op);
    default: /* nothing is known about the others */
        return NULL;
    }
}
