/*
 * Operators on values.
 *
 * Everything elementwise goes through lower_elementwise, which folds scalars known at compile time
 * with the routine that the interpreter uses (ir_eval), so that a literal gives what a loaded value
 * gives. Approximate functions are never folded.
 *
 * fma. Where both sides of a `+` or `-` have arrived, the leftmost that is itself a product in
 * float or double fuses. Products therefore stay pending (value.h) until their user is known: a
 * parenthesis hands them on, everything else (a cast, a call, an assignment) emits them. This is
 * decided here, before any folding, and in no other place.
 */
#include "lang/lower.h"

#include "ir/eval.h"

#include <math.h>

/* ---- Elementwise ops ---------------------------------------------------------------------------
 */

static void warn_faults(struct lower *l, struct source_range range, unsigned faults,
                        const char *where)
{
    if (faults & IR_FAULT_DIVISION)
        lower_warning(l, range, "division by zero%s", where);
    else if (faults & IR_FAULT_OVERFLOW)
        lower_warning(l, range, "signed overflow%s", where);
    else if (faults & IR_FAULT_SHIFT)
        lower_warning(l, range, "shift count outside the type%s", where);
}

/* A constant divisor or shift count that is wrong whatever stands on its left. */
static void warn_of_constant(struct lower *l, struct source_range range, enum ir_opcode code,
                             struct value right)
{
    unsigned faults = 0;
    const uint64_t bits[3] = {1, right.bits};
    if (!right.constant || (ir_ops[code].flags & IR_APPROX))
        return;
    ir_eval(code, value_elem(right), value_elem(right), bits, &faults);
    warn_faults(l, range, faults & (IR_FAULT_DIVISION | IR_FAULT_SHIFT), "");
}

static bool can_fold(enum ir_opcode code, const struct value *operands, int count)
{
    for (int i = 0; i < count; i++) {
        if (!operands[i].constant)
            return false;
    }
    return !(ir_ops[code].flags & IR_APPROX);
}

static struct value fold(struct lower *l, struct source_range range, enum ir_opcode code,
                         const struct value *operands, int count)
{
    uint64_t bits[3] = {0};
    for (int i = 0; i < count; i++)
        bits[i] = operands[i].bits;
    struct value model = operands[code == IR_OP_SELECT ? 1 : 0];
    enum ir_rule rule = ir_ops[code].rule;
    bool logical = rule == IR_RULE_COMPARE || rule == IR_RULE_TEST;
    enum ir_elem elem = value_elem(model);
    unsigned faults = 0;
    struct value result = value_constant(logical ? IR_BOOL : elem, 0);
    result.bits = ir_eval(code, elem, value_elem(result), bits, &faults);
    if (!logical) {
        result.index = model.index;
        result.nominal = model.nominal;
    }
    warn_faults(l, range, faults, " in a constant expression");
    return result;
}

struct value lower_elementwise(struct lower *l, struct source_range range, enum ir_opcode code,
                               struct value *operands, int count)
{
    struct value *pointers[3] = {0};
    for (int i = 0; i < count; i++) {
        operands[i] = lower_settle(l, operands[i]);
        pointers[i] = &operands[i];
    }
    if (can_fold(code, operands, count))
        return fold(l, range, code, operands, count);
    if (count == 2)
        warn_of_constant(l, range, code, operands[1]);
    l->b.range = range;
    if (!lower_common_shape(l, range, pointers, count))
        return value_poison;
    struct ir_value *ir[3];
    for (int i = 0; i < count; i++)
        ir[i] = lower_ir(l, operands[i]);
    struct ir_value *result = count == 1   ? ir_unary(&l->b, code, ir[0])
                              : count == 2 ? ir_binary(&l->b, code, ir[0], ir[1])
                                           : ir_ternary(&l->b, code, ir[0], ir[1], ir[2]);
    enum ir_rule rule = ir_ops[code].rule;
    if (rule == IR_RULE_COMPARE || rule == IR_RULE_TEST)
        return value_from_ir(result, IR_BOOL);
    return value_like(operands[rule == IR_RULE_SELECT ? 1 : 0], result);
}

static struct value emit_binary(struct lower *l, struct source_range range, enum ir_opcode code,
                                struct value x, struct value y)
{
    struct value operands[] = {x, y};
    return lower_elementwise(l, range, code, operands, 2);
}

/* ---- Products and fma -------------------------------------------------------------------- */

static bool fuses(enum ir_elem elem)
{
    return elem == IR_F32 || elem == IR_F64;
}

/* x * y, kept until its user is known. The shapes are checked now, where the operator stands. */
static struct value pending_product(struct lower *l, struct source_range range, struct value x,
                                    struct value y)
{
    x = lower_settle(l, x);
    y = lower_settle(l, y);
    struct product *product = ARENA_NEW(l->arena, struct product);
    *product = (struct product){.left = x, .right = y, .range = range};
    if (x.constant && y.constant) {
        struct value result = emit_binary(l, range, IR_OP_MUL, x, y);
        result.product = product;
        return result;
    }
    l->b.range = range;
    struct value *operands[] = {&product->left, &product->right};
    if (!lower_common_shape(l, range, operands, 2))
        return value_poison;
    return (struct value){.kind = VALUE_DATA,
                          .type = product->left.type,
                          .nominal = product->left.nominal,
                          .product = product};
}

static struct value negate(struct lower *l, struct source_range range, struct value v)
{
    return lower_elementwise(l, range, IR_OP_NEG, &v, 1);
}

/* Whether v is a product that may fuse in an operation of type elem. */
static bool is_product_of(struct value v, enum ir_elem elem)
{
    return v.product && (v.weak || value_elem(v) == elem);
}

/* x + y or x - y of one floating type. original_x and original_y: before conversion. */
static struct value add_floats(struct lower *l, struct source_range range, bool subtract,
                               struct value original_x, struct value original_y, struct value x,
                               struct value y)
{
    enum ir_elem elem = value_elem(x);
    bool left = fuses(elem) && is_product_of(original_x, elem);
    bool right = fuses(elem) && !left && is_product_of(original_y, elem);
    if (!left && !right)
        return emit_binary(l, range, subtract ? IR_OP_SUB : IR_OP_ADD, x, y);
    struct product *product = (left ? original_x : original_y).product;
    struct value operands[3];
    operands[0] = lower_convert(l, product->left, elem);
    operands[1] = lower_convert(l, product->right, elem);
    operands[2] = lower_settle(l, left ? y : x);
    if (subtract) {
        struct value *negated = &operands[left ? 2 : 0];
        *negated = negate(l, range, *negated);
    }
    return lower_elementwise(l, range, IR_OP_FMA, operands, 3);
}

/* ---- Weak constants ---------------------------------------------------------------------- */

/* An integer constant beside a weak one is weak as well, as C computes in double: 0.1 * 2. */
static void weaken_beside(struct lower *l, struct value *v, struct value other)
{
    if (!other.weak || !v->constant || v->index || !value_is_integral(*v))
        return;
    lower_warn_of_vanished(l, *v);
    double real = ir_eval_to_double(ir_eval_cast(v->bits, value_elem(*v), IR_F64), IR_F64);
    *v = value_weak(real, (float)real);
}

static struct value weak_arithmetic(enum ast_binary_operator code, struct lower *l,
                                    struct source_range range, struct value x, struct value y)
{
    double a = x.real, b = y.real;
    double real = code == AST_ADD   ? a + b
                  : code == AST_SUB ? a - b
                  : code == AST_MUL ? a * b
                                    : a / b;
    struct value result = value_weak(real, (float)real);
    if (code == AST_MUL) {
        result.product = ARENA_NEW(l->arena, struct product);
        *result.product = (struct product){.left = x, .right = y, .range = range};
    }
    return result;
}

/* ---- Operators by kind ------------------------------------------------------------------- */

static const char *const spellings[] = {
    [AST_NO_OPERATOR] = "=",
#define BINARY(code, spelling, precedence) [AST_##code] = spelling,
#include "lang/operators.def"
#undef BINARY
};

static const char *const unary_spellings[] = {
#define UNARY(code, spelling) [AST_##code] = spelling,
#include "lang/operators.def"
#undef UNARY
};

/* a / b; of 1 / 3, as it stands there, is kept that it was not meant to be 0. */
static struct value quotient(struct lower *l, const struct ast_expression *e, struct value x,
                             struct value y)
{
    bool literals = e->kind == AST_BINARY && e->binary.left->kind == AST_INTEGER &&
                    e->binary.right->kind == AST_INTEGER;
    struct value result = emit_binary(l, e->range, IR_OP_DIV, x, y);
    if (literals && value_is_integral(result) && result.constant && result.bits == 0 &&
        x.bits != 0 && y.bits != 0)
        result.vanished = &e->range;
    return result;
}

static struct value arithmetic(struct lower *l, const struct ast_expression *e,
                               enum ast_binary_operator code, struct value x, struct value y)
{
    if (code != AST_REM) {
        weaken_beside(l, &x, y);
        weaken_beside(l, &y, x);
    }
    if (x.weak && y.weak && code != AST_REM)
        return weak_arithmetic(code, l, e->range, x, y);
    struct value original_x = x, original_y = y;
    if (!lower_usual(l, e->at, &x, &y, true))
        return value_poison;
    bool floats = value_is_float(x);
    switch (code) {
    case AST_ADD:
    case AST_SUB:
        if (floats)
            return add_floats(l, e->range, code == AST_SUB, original_x, original_y, x, y);
        return emit_binary(l, e->range, code == AST_ADD ? IR_OP_ADD : IR_OP_SUB, x, y);
    case AST_MUL:
        if (floats && fuses(value_elem(x)))
            return pending_product(l, e->range, x, y);
        return emit_binary(l, e->range, IR_OP_MUL, x, y);
    case AST_DIV:
        return quotient(l, e, x, y);
    default:
        break;
    }
    if (floats) {
        lower_error(l, e->at, "'%%' takes integers, not '%s'", lower_type_name(l, x));
        lower_hint(l, "fmod(x, y) is the remainder of floats");
        return value_poison;
    }
    return emit_binary(l, e->range, IR_OP_REM, x, y);
}

static struct value bits_of_float(struct lower *l, const struct ast_expression *e,
                                  const char *spelling, struct value v)
{
    lower_error(l, e->at, "'%s' takes integers, not '%s'", spelling, lower_type_name(l, v));
    lower_hint(l, "bitcast(int, x) gives the bits of a float");
    return value_poison;
}

static struct value bitwise(struct lower *l, const struct ast_expression *e,
                            enum ast_binary_operator code, struct value x, struct value y)
{
    if (value_is_float(x) || value_is_float(y))
        return bits_of_float(l, e, spellings[code], value_is_float(x) ? x : y);
    x = lower_narrow(l, x);
    y = lower_narrow(l, y);
    if (code == AST_SHL || code == AST_SHR) {
        x = lower_promote(l, x);
        y = lower_convert(l, y, value_elem(x));
        return emit_binary(l, e->range, code == AST_SHL ? IR_OP_SHL : IR_OP_SHR, x, y);
    }
    /* Two bools stay bool: the value is C's, and masks stay masks. */
    bool bools = value_is_bool(x) && value_is_bool(y);
    if (!bools && !lower_usual(l, e->at, &x, &y, true))
        return value_poison;
    enum ir_opcode op = code == AST_BIT_AND ? IR_OP_AND : code == AST_BIT_OR ? IR_OP_OR : IR_OP_XOR;
    return emit_binary(l, e->range, op, x, y);
}

static struct value comparison(struct lower *l, const struct ast_expression *e,
                               enum ast_binary_operator code, struct value x, struct value y)
{
    static const enum ir_opcode ops[] = {
        [AST_EQ] = IR_OP_EQ, [AST_NE] = IR_OP_NE, [AST_LT] = IR_OP_LT,
        [AST_LE] = IR_OP_LE, [AST_GT] = IR_OP_GT, [AST_GE] = IR_OP_GE,
    };
    if (!lower_usual(l, e->at, &x, &y, true))
        return value_poison;
    return emit_binary(l, e->range, ops[code], x, y);
}

static struct value logical(struct lower *l, const struct ast_expression *e,
                            enum ast_binary_operator code, struct value x, struct value y)
{
    x = lower_truth(l, e->binary.left->range, x);
    y = lower_truth(l, e->binary.right->range, y);
    if (value_is_poison(x) || value_is_poison(y))
        return value_poison;
    return emit_binary(l, e->range, code == AST_AND_THEN ? IR_OP_AND : IR_OP_OR, x, y);
}

/* ---- Addresses --------------------------------------------------------------------------- */

struct value lower_address(struct lower *l, struct source_range range, struct value pointer,
                           struct value offset, bool negative)
{
    if (!value_is_integral(offset)) {
        lower_error(l, range, "an address is moved by an integer, not by '%s'",
                    lower_type_name(l, offset));
        if (value_is_float(offset))
            lower_hint(l, "a cast makes an integer: (int)x; '/' of integers gives the whole part");
        return value_poison;
    }
    offset = lower_to_index(l, offset);
    if (negative)
        offset = negate(l, range, offset);
    l->b.range = range;
    struct value *both[] = {&pointer, &offset};
    if (!lower_common_shape(l, range, both, 2))
        return value_poison;
    struct ir_value *elements = lower_ir(l, offset);
    return value_like(pointer, ir_binary(&l->b, IR_OP_ADDPTR, lower_ir(l, pointer), elements));
}

static struct value pointer_operation(struct lower *l, const struct ast_expression *e,
                                      enum ast_binary_operator code, struct value x, struct value y)
{
    bool left = value_is_pointer(x), right = value_is_pointer(y);
    if (code == AST_ADD && left != right)
        return lower_address(l, e->range, left ? x : y, left ? y : x, false);
    if (code == AST_SUB && left && !right)
        return lower_address(l, e->range, x, y, true);
    if (code == AST_SUB && left) {
        lower_error(l, e->at, "pointers cannot be subtracted");
        lower_hint(l, "keep the offsets instead, and add them to the parameter where you load");
    } else if (code >= AST_EQ && code <= AST_GE) {
        lower_error(l, e->at, "pointers cannot be compared");
        lower_hint(l, "compare the offsets instead");
    } else {
        if (code == AST_ADD) {
            lower_error(l, e->at, "two pointers cannot be added");
            lower_hint(l, "an address is one pointer and an offset: X + i");
            return value_poison;
        }
        lower_error(l, e->at, "'%s' does not take a pointer", spellings[code]);
        if (code == AST_AND_THEN || code == AST_OR_ELSE)
            lower_hint(l, "a pointer parameter is never null");
    }
    return value_poison;
}

static bool check_operand(struct lower *l, const struct ast_expression *e, const char *spelling,
                          struct value v)
{
    if (v.kind == VALUE_DATA)
        return true;
    if (v.kind != VALUE_POISON)
        lower_error(l, e->at, "'%s' does not take %s", spelling,
                    v.kind == VALUE_VOID ? "a call that returns nothing" : lower_type_name(l, v));
    if (v.kind == VALUE_VIEW)
        lower_hint(l, "tile_load(v, indices..., sizes...) reads from a view");
    if (v.kind == VALUE_TABLE)
        lower_hint(l, "%s", lower_table_hint);
    return false;
}

struct value lower_binary(struct lower *l, const struct ast_expression *e,
                          enum ast_binary_operator code, struct value x, struct value y)
{
    if (value_is_poison(x) || value_is_poison(y))
        return value_poison;
    if (!check_operand(l, e, spellings[code], x) || !check_operand(l, e, spellings[code], y))
        return value_poison;
    if (value_is_pointer(x) || value_is_pointer(y))
        return pointer_operation(l, e, code, x, y);
    switch (code) {
    case AST_ADD:
    case AST_SUB:
    case AST_MUL:
    case AST_DIV:
    case AST_REM:
        return arithmetic(l, e, code, x, y);
    case AST_BIT_OR:
    case AST_BIT_XOR:
    case AST_BIT_AND:
    case AST_SHL:
    case AST_SHR:
        return bitwise(l, e, code, x, y);
    case AST_OR_ELSE:
    case AST_AND_THEN:
        return logical(l, e, code, x, y);
    case AST_EQ:
    case AST_NE:
    case AST_LT:
    case AST_LE:
    case AST_GT:
    case AST_GE:
        return comparison(l, e, code, x, y);
    case AST_NO_OPERATOR:
    case AST_BINARY_COUNT:
        break;
    }
    return value_poison;
}

/* ---- Unary ------------------------------------------------------------------------------- */

static struct value complement(struct lower *l, const struct ast_expression *e, struct value x)
{
    if (value_is_bool(x)) {
        lower_error(l, e->at, "'~' on a bool");
        lower_hint(l, "write '!' to negate a condition");
        return value_poison;
    }
    if (value_is_float(x))
        return bits_of_float(l, e, "~", x);
    x = lower_promote(l, lower_narrow(l, x));
    return lower_elementwise(l, e->range, IR_OP_NOT, &x, 1);
}

struct value lower_unary(struct lower *l, const struct ast_expression *e,
                         enum ast_unary_operator code, struct value x)
{
    if (value_is_poison(x) || !check_operand(l, e, unary_spellings[code], x))
        return value_poison;
    if (code == AST_DEREF)
        return lower_scalar_load(l, e->range, x);
    if (value_is_pointer(x)) {
        lower_error(l, e->at, "'%s' does not take a pointer", unary_spellings[code]);
        if (code == AST_NOT)
            lower_hint(l, "a pointer parameter is never null");
        return value_poison;
    }
    bool is_literal;
    switch (code) {
    case AST_PLUS:
        return x.weak ? value_weak(x.real, x.single) : lower_promote(l, lower_settle(l, x));
    case AST_NEG:
        if (x.weak)
            return value_weak(-x.real, -x.single);
        is_literal = x.literal;
        x = negate(l, e->range, lower_promote(l, x));
        x.literal = is_literal;
        return x;
    case AST_NOT:
        x = lower_truth(l, e->range, x);
        return lower_elementwise(l, e->range, IR_OP_NOT, &x, 1);
    case AST_BIT_NOT:
        return complement(l, e, x);
    default:
        return value_poison; /* ++ and -- are statements */
    }
}
