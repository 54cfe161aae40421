/*
 * How large the buffers of a launch must be.
 *
 * A kernel addresses memory through pointers without lengths. But most addresses are sums of
 * products of program ids, aranges, loop counters and the kernel's scalars, and most masks compare
 * such a sum with a scalar; then the largest address that is certainly accessed is a formula over
 * the scalars and the grid. This file makes a host function of these formulas, which a launch
 * calls before anything runs:
 *
 *     store(Out + i, x, i < n)  with  i = program_id(0) * 256 + arange(0, 256)
 *     needs(n, grid) = min(grid[0] * 256 - 1, n - 1) + 1
 *
 * A launch is refused by it, so the formula must never be too large: it is made only where the
 * largest value is surely reached, and everything else (data-dependent addresses, accesses under
 * an if or in a while, masks of another form) counts as "needs nothing". It is a check that spares
 * the user the usual mistake, not a proof; that is what the interpreter is for.
 *
 * For an access in front of a buffer's first element no size is enough: PLAN_IN_FRONT is needed.
 * Views say themselves how large they are; a buffer must hold what its views declare.
 *
 * Terms. A *variable* is what runs through values independently: a grid axis, a loop counter, an
 * arange along one axis of a tile (one arange may stand along both axes). For every integer value
 * we keep its least and largest value over all variables, both certainly reached, and enough to
 * know when that stays so:
 *   - a sum of two values that share a variable reaches the sum of their maxima only if both grow
 *     with it, or both shrink with it;
 *   - cutting a range off at a mask's bound leaves a value that is reached only if the values have
 *     no gaps (step 1), or if the bound does not cut.
 *
 * Formulas do not wrap around. In the host function a value's mark is the largest magnitude that it
 * can have (0: not known); where a sum or product may not fit 64 bits, both sides are first kept
 * within FARTHEST, which no buffer reaches. That turns no address that is inside of a buffer into one
 * that is not: both ends go to 0, not beyond it.
 */
#include "plan/plan.h"

#include <string.h>

#define FARTHEST ((INT64_C(1) << 62) - 1)

enum { MAX_ACCESSES = 256, MAX_DEPTH = 400, MAX_CUTS = 8, MAX_VARIABLES = 64, MAX_LOOPS = 16 };

struct range {
    bool known;
    int root;                   /* pointers: the parameter that it is an offset from; else -1 */
    struct ir_value *lo, *hi;   /* i64; offsets for a pointer */
    struct ir_value *condition; /* holds when all this is true; NULL: always */
    uint64_t variables;         /* that it depends on; 0: one value, lo == hi */
    uint64_t up, down;          /* variables that it does not shrink or grow with */
    int64_t step;               /* distance of neighbouring values; 0 unknown */
    int64_t run; /* at least that many values without gap occur together; 0 unknown */
};

/* Where the axes of a value lie in a value of another shape; -1: nowhere. */
struct axes {
    int8_t to[IR_MAX_RANK];
};

/* A value that a mask restricts, with its restricted range. Its axes may not be those of the access
 * (the mask was reshaped), so its variables are also kept as the access knows them. */
struct cut {
    const struct ir_value *value;
    struct range range;
    struct axes axes;
    uint64_t variables;
    bool used;
};

struct variable { /* an arange along an axis; arange NULL: a grid axis or a loop counter */
    const struct ir_op *arange;
    int axis;
};

struct loop { /* a for that the walk is in */
    const struct ir_value *counter;
    struct range range;
};

struct bounds {
    const struct ir_func *kernel;
    struct arena *arena;
    struct ir_builder builder; /* in the host function */
    struct ir_value **scalars; /* per parameter of the kernel: i64, or NULL */
    struct ir_value *grid[3];
    struct range program_ids[3];
    struct ir_value **needed; /* per parameter: so far, or NULL */
    struct ir_value *zero, *one;
    int variable_count, access_count;
    struct variable variables[MAX_VARIABLES];
    int loop_count;
    struct loop loops[MAX_LOOPS];
    struct ir_value *reached; /* condition under which the current region runs; NULL: surely */
    int cut_count;
    struct cut cuts[MAX_CUTS];
    int64_t epoch; /* of the memo in ir_value.mark and .data; another per access */
    int depth;
};

static const struct range unknown = {.root = -1};

static struct range range_of(struct bounds *b, const struct ir_value *value);

/* ---- formulas -------------------------------------------------------------------------------- */

static struct ir_value *binary(struct bounds *b, enum ir_opcode code, struct ir_value *x,
                               struct ir_value *y)
{
    return ir_binary(&b->builder, code, x, y);
}

static int64_t magnitude(const struct ir_value *value)
{
    int64_t number;
    if (ir_constant_int(value, &number))
        return number == INT64_MIN ? INT64_MAX : number < 0 ? -number : number;
    return value->mark ? value->mark : INT64_MAX;
}

static struct ir_value *of_magnitude(struct ir_value *value, int64_t most)
{
    value->mark = most;
    return value;
}

/* The value, or the nearest of -most .. most. */
static struct ir_value *kept_within(struct bounds *b, struct ir_value *x, int64_t most)
{
    if (magnitude(x) <= most)
        return x;
    x = binary(b, IR_OP_MINIMUM, x, ir_constant_i64(&b->builder, most));
    x = binary(b, IR_OP_MAXIMUM, x, ir_constant_i64(&b->builder, -most));
    return of_magnitude(x, most);
}

/* x + y or x - y */
static struct ir_value *add_or_sub(struct bounds *b, enum ir_opcode code, struct ir_value *x,
                                   struct ir_value *y)
{
    int64_t most;
    if (__builtin_add_overflow(magnitude(x), magnitude(y), &most)) {
        x = kept_within(b, x, FARTHEST);
        y = kept_within(b, y, FARTHEST);
        most = magnitude(x) + magnitude(y);
    }
    return of_magnitude(binary(b, code, x, y), most);
}

static struct ir_value *add(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    return add_or_sub(b, IR_OP_ADD, x, y);
}

static struct ir_value *sub(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    return add_or_sub(b, IR_OP_SUB, x, y);
}

static struct ir_value *mul(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    int64_t most;
    if (!__builtin_mul_overflow(magnitude(x), magnitude(y), &most))
        return of_magnitude(binary(b, IR_OP_MUL, x, y), most);
    struct ir_value *limit = ir_constant_i64(&b->builder, FARTHEST);
    x = kept_within(b, x, FARTHEST);
    y = kept_within(b, y, FARTHEST);
    struct ir_value *divisor =
        binary(b, IR_OP_MAXIMUM, ir_unary(&b->builder, IR_OP_ABS, y), b->one);
    struct ir_value *reach = binary(b, IR_OP_DIV, limit, divisor);
    struct ir_value *beyond = binary(b, IR_OP_GT, ir_unary(&b->builder, IR_OP_ABS, x), reach);
    struct ir_value *sign_of_y = kept_within(b, y, 1);
    struct ir_value *sign = binary(b, IR_OP_MUL, kept_within(b, x, 1), sign_of_y);
    struct ir_value *usual = binary(b, IR_OP_MUL, x, y);
    struct ir_value *product =
        ir_ternary(&b->builder, IR_OP_SELECT, beyond, binary(b, IR_OP_MUL, limit, sign), usual);
    return of_magnitude(product, FARTHEST);
}

static struct ir_value *least(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    int64_t of_x = magnitude(x), of_y = magnitude(y);
    return of_magnitude(binary(b, IR_OP_MINIMUM, x, y), of_x > of_y ? of_x : of_y);
}

static struct ir_value *greatest(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    int64_t of_x = magnitude(x), of_y = magnitude(y);
    return of_magnitude(binary(b, IR_OP_MAXIMUM, x, y), of_x > of_y ? of_x : of_y);
}

static struct ir_value *both(struct bounds *b, struct ir_value *x, struct ir_value *y)
{
    return !x ? y : !y ? x : binary(b, IR_OP_AND, x, y);
}

static void require(struct bounds *b, struct range *range, struct ir_value *condition)
{
    range->condition = both(b, range->condition, condition);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static struct range single(struct ir_value *value)
{
    return (struct range){.known = true, .root = -1, .lo = value, .hi = value, .step = 1, .run = 1};
}

static struct range constant(struct bounds *b, int64_t value)
{
    return single(ir_constant_i64(&b->builder, value));
}

/* The bit of a variable; 0 when there are too many. */
static uint64_t variable_bit(struct bounds *b, const struct ir_op *arange, int axis)
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
static struct range running(uint64_t bit, struct ir_value *lo, struct ir_value *hi, int64_t step,
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
static struct range counting(struct bounds *b, uint64_t bit, int64_t begin, int64_t end)
{
    struct ir_value *first = ir_constant_i64(&b->builder, begin);
    return running(bit, first, ir_constant_i64(&b->builder, end - 1), 1, end - begin);
}

/* The same variables along other axes; false when one has no place there. */
static bool move_bits(struct bounds *b, uint64_t *bits, const struct axes *axes)
{
    uint64_t moved = 0;
    for (int i = 0; i < b->variable_count; i++) {
        const struct variable v = b->variables[i];
        uint64_t bit = (uint64_t)1 << i;
        if (!(*bits & bit))
            continue;
        if (v.arange) {
            if (axes->to[v.axis] < 0 || !(bit = variable_bit(b, v.arange, axes->to[v.axis])))
                return false;
        }
        moved |= bit;
    }
    *bits = moved;
    return true;
}

static struct range moved(struct bounds *b, struct range x, const struct axes *axes)
{
    bool fits = x.known && move_bits(b, &x.variables, axes) && move_bits(b, &x.up, axes) &&
                move_bits(b, &x.down, axes);
    return fits ? x : unknown;
}

static struct range negated(struct bounds *b, struct range x)
{
    struct range r = x;
    if (!x.known || x.root >= 0)
        return unknown;
    r.lo = sub(b, b->zero, x.hi);
    r.hi = x.lo == x.hi ? r.lo : sub(b, b->zero, x.lo);
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

static struct range sum(struct bounds *b, struct range x, struct range y)
{
    if (!x.known || !y.known || (x.root >= 0 && y.root >= 0) || !go_together(&x, &y))
        return unknown;
    struct range r = {.known = true, .root = x.root >= 0 ? x.root : y.root};
    bool disjoint = !(x.variables & y.variables);
    r.hi = add(b, x.hi, y.hi);
    r.lo = x.lo == x.hi && y.lo == y.hi ? r.hi : add(b, x.lo, y.lo);
    r.condition = both(b, x.condition, y.condition);
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
static struct range scaled(struct bounds *b, struct range x, struct range factor)
{
    int64_t number;
    if (!x.known || x.root >= 0 || !factor.known || factor.variables || factor.root >= 0)
        return unknown;
    bool is_number = ir_constant_int(factor.lo, &number);
    if (is_number && number == INT64_MIN)
        return unknown;
    if (is_number && number < 0) {
        struct range positive = constant(b, -number);
        return scaled(b, negated(b, x), positive);
    }
    struct range r = x;
    r.lo = mul(b, x.lo, factor.lo);
    r.hi = x.lo == x.hi ? r.lo : mul(b, x.hi, factor.lo);
    require(b, &r, factor.condition);
    if (!x.variables)
        return r;
    bool fits = is_number && number && x.step <= INT64_MAX / number;
    r.step = fits ? x.step * number : 0;
    r.run = is_number && number == 1 ? x.run : 1;
    if (!is_number) { /* it may turn the range around */
        struct ir_value *one = r.lo, *other = r.hi;
        r.lo = least(b, one, other);
        r.hi = greatest(b, one, other);
        r.up = r.down = 0;
    }
    return r;
}

static struct range product(struct bounds *b, struct range x, struct range y)
{
    return y.variables ? scaled(b, y, x) : scaled(b, x, y);
}

/* Functions that grow with x, given one value y: the ends go to the ends. */
static struct range monotone(struct bounds *b, enum ir_opcode code, struct range x, struct range y)
{
    if (!x.known || !y.known || x.root >= 0 || y.root >= 0 || y.variables)
        return unknown;
    struct range r = x;
    int64_t most = magnitude(x.lo) > magnitude(x.hi) ? magnitude(x.lo) : magnitude(x.hi);
    if ((code == IR_OP_MINIMUM || code == IR_OP_MAXIMUM) && most < magnitude(y.lo))
        most = magnitude(y.lo); /* the others make nothing larger */
    r.lo = of_magnitude(binary(b, code, x.lo, y.lo), most);
    r.hi = x.lo == x.hi ? r.lo : of_magnitude(binary(b, code, x.hi, y.lo), most);
    require(b, &r, y.condition);
    if (code == IR_OP_DIV || code == IR_OP_CDIV)
        require(b, &r, binary(b, IR_OP_GT, y.lo, b->zero));
    r.step = !x.variables || x.step == 1;
    r.run = 1;
    return r;
}

static struct range least_or_greatest(struct bounds *b, enum ir_opcode code, struct range x,
                                      struct range y)
{
    return y.variables ? monotone(b, code, y, x) : monotone(b, code, x, y);
}

/* x % m: all of 0 .. m - 1 if x has no gaps and starts at 0 or earlier and does not go below. */
static struct range remainder_of(struct bounds *b, struct range x, struct range m)
{
    if (!x.known || !m.known || x.root >= 0 || m.root >= 0 || m.variables || x.step != 1)
        return unknown;
    if (!x.variables)
        return monotone(b, IR_OP_REM, x, m);
    struct range r = x;
    r.up = r.down = 0;
    r.run = 1;
    require(b, &r, m.condition);
    require(b, &r, binary(b, IR_OP_GT, m.lo, b->zero));
    require(b, &r, binary(b, IR_OP_EQ, x.lo, b->zero));
    r.lo = b->zero;
    r.hi = least(b, x.hi, sub(b, m.lo, b->one));
    return r;
}

/* ---- values of the kernel -------------------------------------------------------------------- */

/* The value that is repeated along axes, if any. */
static const struct ir_value *strip(const struct ir_value *value)
{
    while (value->op &&
           (value->op->code == IR_OP_BROADCAST || value->op->code == IR_OP_CONVERT_LAYOUT))
        value = value->op->operands[0];
    return value;
}

/* Where the axes of op's operand are in its result. Axes of one element do not matter. */
static struct axes axes_of(const struct ir_op *op)
{
    struct ir_type from = op->operands[0]->type, to = op->results[0]->type;
    struct axes axes;
    memset(axes.to, -1, sizeof axes.to);
    if (op->code == IR_OP_TRANS) {
        for (int i = 0; i < to.rank; i++)
            axes.to[op->attributes.permutation[i]] = (int8_t)i;
        return axes;
    }
    int k = 0; /* reshape: as long as the larger axes are the same ones */
    for (int i = 0; i < from.rank; i++) {
        if (from.dims[i] == 1)
            continue;
        while (k < to.rank && to.dims[k] == 1)
            k++;
        if (k == to.rank || to.dims[k] != from.dims[i])
            break;
        axes.to[i] = (int8_t)k++;
    }
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
        struct range r = single(b->zero);
        r.root = value->index;
        return r;
    }
    struct ir_value *scalar = b->scalars[value->index];
    return scalar ? single(scalar) : unknown;
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
    return keeps ? range_of(b, op->operands[0]) : unknown;
}

static struct range range_of_shift(struct bounds *b, const struct ir_op *op)
{
    int64_t count;
    if (!ir_constant_int(op->operands[1], &count) || count < 0 || count > 40)
        return unknown;
    struct range factor = constant(b, (int64_t)1 << count);
    return scaled(b, range_of(b, op->operands[0]), factor);
}

/* What a sum gets from a value. n - 5 of u64 is n + 0xfffffffffffffffb: a constant may be negative. */
static struct range addend_of(struct bounds *b, const struct ir_value *value)
{
    int64_t number;
    return ir_constant_int(strip(value), &number) ? constant(b, number) : range_of(b, value);
}

static struct range range_of_op(struct bounds *b, const struct ir_op *op)
{
    const struct ir_attributes *a = &op->attributes;
    struct ir_value *const *o = op->operands;
    struct range right; /* made first: compilers evaluate arguments in orders of their own */
    switch ((int)op->code) { /* int: the ops that are not here are unknown */
    case IR_OP_PROGRAM_ID:
        return b->program_ids[a->axis];
    case IR_OP_NUM_PROGRAMS:
        return single(b->grid[a->axis]);
    case IR_OP_ARANGE:
        if (a->end - a->begin == 1)
            return constant(b, a->begin);
        return counting(b, variable_bit(b, op, 0), a->begin, a->end);
    case IR_OP_RESHAPE:
    case IR_OP_TRANS: {
        struct axes axes = axes_of(op);
        return moved(b, range_of(b, o[0]), &axes);
    }
    case IR_OP_NEG:
        return negated(b, range_of(b, o[0]));
    case IR_OP_ADD:
    case IR_OP_ADDPTR:
        right = addend_of(b, o[1]);
        return sum(b, addend_of(b, o[0]), right);
    case IR_OP_SUB:
        right = negated(b, range_of(b, o[1]));
        return sum(b, range_of(b, o[0]), right);
    case IR_OP_MUL:
        right = range_of(b, o[1]);
        return product(b, range_of(b, o[0]), right);
    case IR_OP_DIV:
    case IR_OP_CDIV:
        right = range_of(b, o[1]);
        return monotone(b, op->code, range_of(b, o[0]), right);
    case IR_OP_REM:
        right = range_of(b, o[1]);
        return remainder_of(b, range_of(b, o[0]), right);
    case IR_OP_MINIMUM:
    case IR_OP_MAXIMUM:
        right = range_of(b, o[1]);
        return least_or_greatest(b, op->code, range_of(b, o[0]), right);
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
        return constant(b, number);
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
    require(b, range, binary(b, IR_OP_GE, range->lo, b->zero));
    if (computed) {
        struct ir_value *most = ir_constant_i64(&b->builder, FARTHEST);
        require(b, range, binary(b, IR_OP_LT, range->hi, most));
    }
}

static struct range range_of(struct bounds *b, const struct ir_value *value)
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

/* ---- masks ----------------------------------------------------------------------------------- */

/* The comparison with its sides exchanged. */
static enum ir_opcode mirrored(enum ir_opcode code)
{
    return code == IR_OP_LT   ? IR_OP_GT
           : code == IR_OP_LE ? IR_OP_GE
           : code == IR_OP_GT ? IR_OP_LT
           : code == IR_OP_GE ? IR_OP_LE
                              : code;
}

/* Restricts x to what compares with the limit; the ends must then still be reached. */
static void restrict_range(struct bounds *b, struct range *x, enum ir_opcode code,
                           struct ir_value *limit)
{
    struct ir_value *lo = x->lo, *hi = x->hi;
    if (code == IR_OP_LT)
        limit = sub(b, limit, b->one);
    if (code == IR_OP_GT)
        limit = add(b, limit, b->one);
    if (code == IR_OP_LT || code == IR_OP_LE || code == IR_OP_EQ)
        x->hi = least(b, hi, limit);
    if (code == IR_OP_GT || code == IR_OP_GE || code == IR_OP_EQ)
        x->lo = greatest(b, lo, limit);
    require(b, x, binary(b, IR_OP_LE, x->lo, x->hi));
    if (x->step != 1) {
        require(b, x, binary(b, IR_OP_EQ, x->lo, lo));
        require(b, x, binary(b, IR_OP_EQ, x->hi, hi));
    }
    x->up = x->down = 0; /* which of the variables' values are left is not known */
    x->run = 1;
}

/* Notes that accesses happen where value compares with the limit. False: that says nothing. */
static bool cut_value(struct bounds *b, const struct ir_value *value, const struct axes *axes,
                      enum ir_opcode code, struct ir_value *limit)
{
    for (int i = 0; i < b->cut_count; i++) {
        struct cut *cut = &b->cuts[i];
        if (cut->value != value)
            continue;
        restrict_range(b, &cut->range, code, limit);
        return memcmp(&cut->axes, axes, sizeof *axes) == 0;
    }
    struct cut cut = {.value = value, .range = range_of(b, value), .axes = *axes};
    cut.variables = cut.range.variables;
    if (!cut.range.known || cut.range.root >= 0 || b->cut_count == MAX_CUTS ||
        !move_bits(b, &cut.variables, axes))
        return false;
    for (int i = 0; i < b->cut_count; i++)
        if (b->cuts[i].variables & cut.variables)
            return false; /* two restrictions of one variable */
    restrict_range(b, &cut.range, code, limit);
    b->cuts[b->cut_count++] = cut;
    return true;
}

static bool cut_by_comparison(struct bounds *b, const struct ir_op *op, const struct axes *axes)
{
    const struct ir_value *left = strip(op->operands[0]), *right = strip(op->operands[1]);
    struct range x = range_of(b, left), y = range_of(b, right);
    if (!x.known || !y.known || x.root >= 0 || y.root >= 0 || (x.variables && y.variables))
        return false;
    b->reached = both(b, b->reached, both(b, x.condition, y.condition));
    if (!x.variables && !y.variables) {
        b->reached = both(b, b->reached, binary(b, op->code, x.lo, y.lo));
        return true;
    }
    return x.variables ? cut_value(b, left, axes, op->code, y.lo)
                       : cut_value(b, right, axes, mirrored(op->code), x.lo);
}

/* Takes a mask apart, whose axes are those of the access as `axes` says. False: whether anything is
 * accessed is not known. */
static bool cut_by_mask(struct bounds *b, const struct ir_value *mask, struct axes axes)
{
    uint64_t bits;
    mask = strip(mask);
    if (ir_constant_bits(mask, &bits))
        return bits != 0;
    if (!mask->op)
        return false;
    switch ((int)mask->op->code) {
    case IR_OP_RESHAPE:
    case IR_OP_TRANS: {
        struct axes inner = axes_of(mask->op);
        for (int i = 0; i < IR_MAX_RANK; i++)
            inner.to[i] = inner.to[i] < 0 ? -1 : axes.to[inner.to[i]];
        return cut_by_mask(b, mask->op->operands[0], inner);
    }
    case IR_OP_AND:
        return cut_by_mask(b, mask->op->operands[0], axes) &&
               cut_by_mask(b, mask->op->operands[1], axes);
    case IR_OP_LT:
    case IR_OP_LE:
    case IR_OP_GT:
    case IR_OP_GE:
    case IR_OP_EQ:
        return cut_by_comparison(b, mask->op, &axes);
    default:
        return false;
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void need(struct bounds *b, int parameter, struct ir_value *condition,
                 struct ir_value *elements)
{
    struct ir_value **needed = &b->needed[parameter];
    if (condition)
        elements = ir_ternary(&b->builder, IR_OP_SELECT, condition, elements, b->zero);
    *needed = *needed ? binary(b, IR_OP_MAXIMUM, *needed, elements) : elements;
}

/* What the masks leave of variables that the address also depends on in other ways is not known. */
static bool is_address_certain(struct bounds *b, const struct range *address)
{
    if (!address->known || address->root < 0)
        return false;
    for (int i = 0; i < b->cut_count; i++) {
        const struct cut *cut = &b->cuts[i];
        if (!cut->used && cut->variables & address->variables)
            return false;
        b->reached = both(b, b->reached, cut->range.condition);
    }
    return true;
}

static void visit_pointer_access(struct bounds *b, const struct ir_op *op, int mask)
{
    struct axes same;
    for (int i = 0; i < IR_MAX_RANK; i++)
        same.to[i] = (int8_t)i;
    if (mask < op->operand_count && !cut_by_mask(b, op->operands[mask], same))
        return;
    for (int i = 0; i < b->cut_count; i++)
        b->cuts[i].used = false; /* by the address, from here on */
    struct range address = range_of(b, op->operands[0]);
    if (!is_address_certain(b, &address))
        return;
    struct ir_value *in_front = binary(b, IR_OP_LT, address.lo, b->zero);
    struct ir_value *elements = add(b, address.hi, b->one);
    struct ir_value *none = ir_constant_i64(&b->builder, PLAN_IN_FRONT);
    elements = ir_ternary(&b->builder, IR_OP_SELECT, in_front, none, elements);
    need(b, address.root, both(b, b->reached, address.condition), elements);
}

static void visit_view_access(struct bounds *b, const struct ir_op *op)
{
    int rank = op->attributes.view_rank;
    struct range base = range_of(b, op->operands[0]);
    if (!base.known || base.root < 0)
        return;
    struct ir_value *last = base.hi, *condition = both(b, b->reached, base.condition);
    for (int axis = 0; axis < rank; axis++) {
        struct range extent = range_of(b, op->operands[1 + axis]);
        struct range stride = range_of(b, op->operands[1 + rank + axis]);
        if (!extent.known || !stride.known || extent.variables || stride.variables)
            return;
        condition = both(b, condition, both(b, extent.condition, stride.condition));
        condition = both(b, condition, binary(b, IR_OP_GT, extent.lo, b->zero));
        condition = both(b, condition, binary(b, IR_OP_GE, stride.lo, b->zero));
        last = add(b, last, mul(b, sub(b, extent.lo, b->one), stride.lo));
    }
    need(b, base.root, condition, add(b, last, b->one));
}

/* Starts and ends the analysis of one access: new memo, no cuts, its aranges' variables given back.
 */
static void visit_access(struct bounds *b, const struct ir_op *op)
{
    struct ir_value *reached = b->reached;
    int variables = b->variable_count;
    if (b->access_count++ >= MAX_ACCESSES)
        return;
    b->epoch++;
    b->cut_count = 0;
    switch ((int)op->code) {
    case IR_OP_LOAD:
        visit_pointer_access(b, op, 1);
        break;
    case IR_OP_ATOMIC_CAS:
        visit_pointer_access(b, op, 3);
        break;
    case IR_OP_VIEW_LOAD:
    case IR_OP_VIEW_STORE:
        visit_view_access(b, op);
        break;
    default: /* store, atomics */
        visit_pointer_access(b, op, 2);
        break;
    }
    b->cut_count = 0;
    b->reached = reached;
    b->variable_count = variables;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void visit_region(struct bounds *b, const struct ir_region *region);

/* A loop whose bounds are known before the kernel runs. */
static void visit_for(struct bounds *b, const struct ir_op *op)
{
    struct ir_value *reached = b->reached;
    int64_t number;
    b->epoch++;
    struct range lo = range_of(b, op->operands[0]), hi = range_of(b, op->operands[1]);
    struct range step = range_of(b, op->operands[2]);
    if (!lo.known || !hi.known || !step.known || lo.variables || hi.variables || step.variables ||
        b->loop_count == MAX_LOOPS)
        return; /* whether it runs at all is not known */
    b->reached = both(b, b->reached, both(b, lo.condition, both(b, hi.condition, step.condition)));
    b->reached = both(b, b->reached, binary(b, IR_OP_LT, lo.lo, hi.lo));
    b->reached = both(b, b->reached, binary(b, IR_OP_GT, step.lo, b->zero));
    struct ir_value *distance = sub(b, sub(b, hi.lo, lo.lo), b->one);
    struct ir_value *trips = binary(b, IR_OP_DIV, distance, step.lo);
    of_magnitude(trips, magnitude(distance));
    struct ir_value *last = add(b, lo.lo, mul(b, trips, step.lo));
    bool is_number = ir_constant_int(step.lo, &number);
    struct loop *loop = &b->loops[b->loop_count++];
    int variables = b->variable_count;
    loop->counter = op->regions[0]->arguments[0];
    loop->range = running(variable_bit(b, NULL, 0), lo.lo, last, is_number ? number : 0, 1);
    visit_region(b, op->regions[0]);
    b->variable_count = variables;
    b->loop_count--;
    b->reached = reached;
}

/* What stands in an if or a while may not happen, so it is not looked at. */
static void visit_region(struct bounds *b, const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (op->code == IR_OP_FOR)
            visit_for(b, op);
        else if ((ir_has(op, IR_READS) || ir_has(op, IR_WRITES)) && op->code != IR_OP_ASSERT &&
                 op->code != IR_OP_PRINT)
            visit_access(b, op);
    }
}

/* ---- the host function ----------------------------------------------------------------------- */

/* The name, or where a parameter of the kernel has it, the name with underscores behind it. */
static const char *free_name(const struct ir_func *kernel, const char *name, struct arena *arena)
{
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (strcmp(kernel->parameters[i].name, name) == 0) {
            name = arena_format(arena, "%s_", name);
            i = -1;
        }
    }
    return name;
}

/* The kernel's scalars, then the grid; one i64 per buffer comes out. */
static struct ir_func *new_host_function(struct bounds *b, struct arena *arena)
{
    const struct ir_func *kernel = b->kernel;
    static const char *const axes[3] = {"grid_x", "grid_y", "grid_z"};
    int count = 0;
    struct ir_parameter *parameters =
        ARENA_ARRAY(arena, struct ir_parameter, (size_t)kernel->parameter_count + 3);
    for (int i = 0; i < kernel->parameter_count; i++)
        if (!kernel->parameters[i].type.pointer)
            parameters[count++] = kernel->parameters[i];
    for (int axis = 0; axis < 3; axis++)
        parameters[count++] = (struct ir_parameter){.name = free_name(kernel, axes[axis], arena),
                                                    .type = ir_scalar(IR_I64)};
    struct ir_func *func =
        ir_func_new(arena, arena_format(arena, "%s.needs", kernel->name), count, parameters);
    func->result_count = kernel->parameter_count - (count - 3);
    func->results = ARENA_ARRAY(arena, struct ir_type, (size_t)func->result_count);
    for (int i = 0; i < func->result_count; i++)
        func->results[i] = ir_scalar(IR_I64);
    return func;
}

static bool is_exact_in_i64(struct ir_type type)
{
    return !type.pointer && ir_is_integer((enum ir_elem)type.elem) && type.elem != IR_U64;
}

static void bind_parameters(struct bounds *b, const struct ir_func *host)
{
    const struct ir_func *kernel = b->kernel;
    int next = 0;
    b->zero = ir_constant_i64(&b->builder, 0);
    b->one = ir_constant_i64(&b->builder, 1);
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (kernel->parameters[i].type.pointer)
            continue;
        struct ir_value *scalar = host->body->arguments[next++];
        enum ir_elem elem = (enum ir_elem)scalar->type.elem;
        int bits = ir_elems[elem].bits - ir_is_signed(elem);
        if (is_exact_in_i64(scalar->type))
            b->scalars[i] = of_magnitude(ir_cast(&b->builder, scalar, IR_I64),
                                         bits < 63 ? INT64_C(1) << bits : INT64_MAX);
    }
    for (int axis = 0; axis < 3; axis++) {
        b->grid[axis] = of_magnitude(host->body->arguments[next++], INT64_C(1) << 32);
        /* Programs beyond are there, but looking at the ones before keeps products in 64 bits. */
        struct ir_value *programs = least(b, b->grid[axis], ir_constant_i64(&b->builder, INT32_MAX));
        of_magnitude(programs, INT32_MAX);
        b->program_ids[axis] =
            running(variable_bit(b, NULL, 0), b->zero, sub(b, programs, b->one), 1, 1);
    }
}

void plan_bounds(struct ir_kernel *target, const struct ir_func *kernel, struct arena *arena)
{
    size_t count = (size_t)kernel->parameter_count;
    struct bounds state = {.kernel = kernel, .arena = arena, .epoch = 1}, *b = &state;
    struct ir_func *host = new_host_function(b, arena);
    b->builder = (struct ir_builder){.func = host, .region = host->body};
    b->scalars = ARENA_ARRAY(arena, struct ir_value *, count);
    b->needed = ARENA_ARRAY(arena, struct ir_value *, count);
    bind_parameters(b, host);
    ir_clear_marks(kernel);
    visit_region(b, kernel->body);

    struct ir_value **results = ARENA_ARRAY(arena, struct ir_value *, count);
    int result_count = 0;
    bool any = false;
    for (int i = 0; i < kernel->parameter_count; i++) {
        any = any || b->needed[i];
        if (kernel->parameters[i].type.pointer)
            results[result_count++] = b->needed[i] ? b->needed[i] : b->zero;
    }
    ir_build(&b->builder, IR_OP_RETURN, result_count, results, 0, NULL, 0, NULL);
    target->needs = any ? host : NULL;
}
