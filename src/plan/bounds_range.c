/* Formulas, and ranges whose ends are formulas; see bounds.h. */
#include "plan/bounds.h"

/* ---- formulas -------------------------------------------------------------------------------- */

struct ir_value *bounds_binary(struct bounds *b, enum ir_opcode code, struct ir_value *x,
                               struct ir_value *y)
{
    return ir_binary(&b->builder, code, x, y);
}

int64_t bounds_magnitude(const struct ir_value *value)
{
    int64_t number;
    if (ir_constant_int(value, &number))
        return number == INT64_MIN ? INT64_MAX : number < 0 ? -number : number;
    return value->mark ? value->mark : INT64_MAX;
}

struct ir_value *bounds_of_magnitude(struct ir_value *value, int64_t most)
{
    value->mark = most;
    return value;
}

/* The value, or the nearest of -most .. most. */
static struct ir_value *bounds_kept_within(struct bounds *b, struct ir_value *x, int64_t most)
{
    if (bounds_magnitude(x) <= most)
        return x;
    x = bounds_binary(b, IR_OP_MINIMUM, x, ir_constant_i64(&b->builder, most));
    x = bounds_binary(b, IR_OP_MAXIMUM, x, ir_constant_i64(&b->builder, -most));
    return bounds_of_magnitude(x, most);
}

/* x + y or x - y */
static struct ir_value *add_or_sub(struct bounds *b, enum ir_opcode code, struct ir_value *x,
                                   struct ir_value *y)
{
    int64_t most;
    if (__builtin_add_overflow(bounds_magnitude(x), bounds_magnitude(y), &most)) {
        x = bounds_kept_within(b, x, FARTHEST);
        y = bounds_kept_within(b, y, FARTHEST);
        most = bounds_magnitude(x) + bounds_magnitude(y);
    }
    return bounds_of_magnitude(bounds_binary(b, code, x, y), most);
}

struct ir_value *bounds_add(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    return add_or_sub(b, IR_OP_ADD, x, y);
}

struct ir_value *bounds_sub(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    return add_or_sub(b, IR_OP_SUB, x, y);
}

struct ir_value *bounds_mul(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    int64_t most;
    if (!__builtin_mul_overflow(bounds_magnitude(x), bounds_magnitude(y), &most))
        return bounds_of_magnitude(bounds_binary(b, IR_OP_MUL, x, y), most);
    struct ir_value *limit = ir_constant_i64(&b->builder, FARTHEST);
    x = bounds_kept_within(b, x, FARTHEST);
    y = bounds_kept_within(b, y, FARTHEST);
    struct ir_value *divisor =
        bounds_binary(b, IR_OP_MAXIMUM, ir_unary(&b->builder, IR_OP_ABS, y), b->one);
    struct ir_value *reach = bounds_binary(b, IR_OP_DIV, limit, divisor);
    struct ir_value *beyond =
        bounds_binary(b, IR_OP_GT, ir_unary(&b->builder, IR_OP_ABS, x), reach);
    struct ir_value *sign_of_y = bounds_kept_within(b, y, 1);
    struct ir_value *sign = bounds_binary(b, IR_OP_MUL, bounds_kept_within(b, x, 1), sign_of_y);
    struct ir_value *usual = bounds_binary(b, IR_OP_MUL, x, y);
    struct ir_value *product = ir_ternary(&b->builder, IR_OP_SELECT, beyond,
                                          bounds_binary(b, IR_OP_MUL, limit, sign), usual);
    return bounds_of_magnitude(product, FARTHEST);
}

struct ir_value *bounds_least(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    int64_t of_x = bounds_magnitude(x), of_y = bounds_magnitude(y);
    return bounds_of_magnitude(bounds_binary(b, IR_OP_MINIMUM, x, y), of_x > of_y ? of_x : of_y);
}

struct ir_value *bounds_greatest(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    int64_t of_x = bounds_magnitude(x), of_y = bounds_magnitude(y);
    return bounds_of_magnitude(bounds_binary(b, IR_OP_MAXIMUM, x, y), of_x > of_y ? of_x : of_y);
}

struct ir_value *bounds_both(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    return !x ? y : !y ? x : bounds_binary(b, IR_OP_AND, x, y);
}

void bounds_require(struct bounds *b, struct range *range, struct ir_value *condition)
{
    range->condition = bounds_both(b, range->condition, condition);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

struct range bounds_single(struct ir_value *value)
{
    return (struct range){.known = true, .root = -1, .lo = value, .hi = value, .step = 1, .run = 1};
}

struct range bounds_constant(struct bounds *b, int64_t value)
{
    return bounds_single(ir_constant_i64(&b->builder, value));
}

/* The bit of a variable; 0 when there are too many. */
uint64_t bounds_variable_bit(struct bounds *b, const struct ir_op *arange, int axis)
{
    for (int i = 0; arange && i < b->variable_count; i++)
        if (b->variables[i].arange == arange && b->variables[i].axis == axis)
            return (uint64_t)1 << i;
    if (b->variable_count == MAX_VARIABLES)
        return 0;
    b->variables[b->variable_count] = (struct variable){arange, axis};
    return (uint64_t)1 << b->variable_count++;
}

/* What takes all values lo, lo + step, ..., hi with one variable. */
struct range bounds_running(uint64_t bit, struct ir_value *lo, struct ir_value *hi, int64_t step,
                            int64_t run)
{
    if (!bit)
        return unknown;
    return (struct range){.known = true,
                          .root = -1,
                          .lo = lo,
                          .hi = hi,
                          .variables = bit,
                          .up = bit,
                          .step = step,
                          .run = run};
}

/* What takes all values begin, begin + 1, ..., end - 1 with one variable. */
struct range bounds_counting(struct bounds *b, uint64_t bit, int64_t begin, int64_t end)
{
    struct ir_value *first = ir_constant_i64(&b->builder, begin);
    return bounds_running(bit, first, ir_constant_i64(&b->builder, end - 1), 1, end - begin);
}

/* The same variables along other axes; false when one has no place there. */
bool bounds_move_bits(struct bounds *b, uint64_t *bits, const struct axes *axes)
{
    uint64_t moved = 0;
    for (int i = 0; i < b->variable_count; i++) {
        const struct variable v = b->variables[i];
        uint64_t bit = (uint64_t)1 << i;
        if (!(*bits & bit))
            continue;
        if (v.arange) {
            if (axes->to[v.axis] < 0 || !(bit = bounds_variable_bit(b, v.arange, axes->to[v.axis])))
                return false;
        }
        moved |= bit;
    }
    *bits = moved;
    return true;
}

struct range bounds_moved(struct bounds *b, struct range x, const struct axes *axes)
{
    bool fits = x.known && bounds_move_bits(b, &x.variables, axes) &&
                bounds_move_bits(b, &x.up, axes) && bounds_move_bits(b, &x.down, axes);
    return fits ? x : unknown;
}

struct range bounds_negated(struct bounds *b, struct range x)
{
    struct range r = x;
    if (!x.known || x.root >= 0)
        return unknown;
    r.lo = bounds_sub(b, b->zero, x.hi);
    r.hi = x.lo == x.hi ? r.lo : bounds_sub(b, b->zero, x.lo);
    r.up = x.down;
    r.down = x.up;
    return r;
}

/* Whether the greatest (and least) values of both occur together. */
static bool go_together(const struct range *x, const struct range *y)
{
    uint64_t shared = x->variables & y->variables;
    return (shared & ~((x->up & y->up) | (x->down & y->down))) == 0;
}

struct range bounds_sum(struct bounds *b, struct range x, struct range y)
{
    if (!x.known || !y.known || (x.root >= 0 && y.root >= 0) || !go_together(&x, &y))
        return unknown;
    struct range r = {.known = true, .root = x.root >= 0 ? x.root : y.root};
    bool disjoint = !(x.variables & y.variables);
    r.hi = bounds_add(b, x.hi, y.hi);
    r.lo = x.lo == x.hi && y.lo == y.hi ? r.hi : bounds_add(b, x.lo, y.lo);
    r.condition = bounds_both(b, x.condition, y.condition);
    r.variables = x.variables | y.variables;
    /* A variable that only one depends on keeps its direction. */
    r.up = (x.up | ~x.variables) & (y.up | ~y.variables) & r.variables;
    r.down = (x.down | ~x.variables) & (y.down | ~y.variables) & r.variables;
    if (!x.variables || !y.variables) {
        r.step = x.variables ? x.step : y.step;
        r.run = x.variables ? x.run : y.run;
    } else if (disjoint &&
               ((y.step == 1 && x.step && x.step <= y.run) ||
                (x.step == 1 && y.step && y.step <= x.run) || (x.step == 1 && y.step == 1))) {
        r.step = 1; /* blocks side by side leave no gap */
        r.run = x.run > y.run ? x.run : y.run;
    }
    return r;
}

/* x times one value; for a value that is only known to the launch, if that is not negative. */
struct range bounds_scaled(struct bounds *b, struct range x, struct range factor)
{
    int64_t number;
    if (!x.known || x.root >= 0 || !factor.known || factor.variables || factor.root >= 0)
        return unknown;
    bool is_number = ir_constant_int(factor.lo, &number);
    if (is_number && number == INT64_MIN)
        return unknown;
    if (is_number && number < 0) {
        struct range positive = bounds_constant(b, -number);
        return bounds_scaled(b, bounds_negated(b, x), positive);
    }
    struct range r = x;
    r.lo = bounds_mul(b, x.lo, factor.lo);
    r.hi = x.lo == x.hi ? r.lo : bounds_mul(b, x.hi, factor.lo);
    bounds_require(b, &r, factor.condition);
    if (!x.variables)
        return r;
    bool fits = is_number && number && x.step <= INT64_MAX / number;
    r.step = fits ? x.step * number : 0;
    r.run = is_number && number == 1 ? x.run : 1;
    if (!is_number) { /* it may turn the range around */
        struct ir_value *one = r.lo, *other = r.hi;
        r.lo = bounds_least(b, one, other);
        r.hi = bounds_greatest(b, one, other);
        r.up = r.down = 0;
    }
    return r;
}

struct range bounds_product(struct bounds *b, struct range x, struct range y)
{
    return y.variables ? bounds_scaled(b, y, x) : bounds_scaled(b, x, y);
}

/* Functions that grow with x, given one value y: the ends go to the ends. */
struct range bounds_monotone(struct bounds *b, enum ir_opcode code, struct range x, struct range y)
{
    if (!x.known || !y.known || x.root >= 0 || y.root >= 0 || y.variables)
        return unknown;
    struct range r = x;
    int64_t most = bounds_magnitude(x.lo) > bounds_magnitude(x.hi) ? bounds_magnitude(x.lo)
                                                                   : bounds_magnitude(x.hi);
    if ((code == IR_OP_MINIMUM || code == IR_OP_MAXIMUM) && most < bounds_magnitude(y.lo))
        most = bounds_magnitude(y.lo); /* the others make nothing larger */
    r.lo = bounds_of_magnitude(bounds_binary(b, code, x.lo, y.lo), most);
    r.hi = x.lo == x.hi ? r.lo : bounds_of_magnitude(bounds_binary(b, code, x.hi, y.lo), most);
    bounds_require(b, &r, y.condition);
    if (code == IR_OP_DIV || code == IR_OP_CDIV)
        bounds_require(b, &r, bounds_binary(b, IR_OP_GT, y.lo, b->zero));
    r.step = !x.variables || x.step == 1;
    r.run = 1;
    return r;
}

struct range bounds_least_or_greatest(struct bounds *b, enum ir_opcode code, struct range x,
                                      struct range y)
{
    return y.variables ? bounds_monotone(b, code, y, x) : bounds_monotone(b, code, x, y);
}

/* x % m: all of 0 .. m - 1 if x has no gaps and starts at 0 or earlier and does not go below. */
struct range bounds_remainder(struct bounds *b, struct range x, struct range m)
{
    if (!x.known || !m.known || x.root >= 0 || m.root >= 0 || m.variables || x.step != 1)
        return unknown;
    if (!x.variables)
        return bounds_monotone(b, IR_OP_REM, x, m);
    struct range r = x;
    r.up = r.down = 0;
    r.run = 1;
    bounds_require(b, &r, m.condition);
    bounds_require(b, &r, bounds_binary(b, IR_OP_GT, m.lo, b->zero));
    bounds_require(b, &r, bounds_binary(b, IR_OP_EQ, x.lo, b->zero));
    r.lo = b->zero;
    r.hi = bounds_least(b, x.hi, bounds_sub(b, m.lo, b->one));
    return r;
}
