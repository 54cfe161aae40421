/*
 * Masks that bound the lane axis.
 *
 * Most masks say "column < n", "column >= 1" or both: along the lane axis they hold from one place
 * to another and not outside. Knowing both, a loop runs without masks between them. Such masks are
 * compares of 64-bit indices whose difference moves by a constant per lane (along.c), what does not
 * depend on the lane at all, and `and`, `or` and `not` of these; everything else is computed
 * element by element. A choice, such as the maximum of an index and 0, is bounded in the same way:
 * by the places between which it is the one of the two.
 */
#include "cpu/along.h"

/* ---- lanes of one vector -------------------------------------------------------------------- */

static LLVMValueRef clamp(struct cpu_emit *e, LLVMValueRef bound, int64_t most)
{
    bound = cpu_min_i64(e, bound, cpu_i64(e, most));
    return cpu_max_i64(e, bound, cpu_i64(e, 0));
}

static LLVMValueRef compare_lanes(struct cpu_emit *e, LLVMIntPredicate predicate,
                                  LLVMValueRef bound)
{
    int lanes = e->body.lanes;
    LLVMTypeRef narrow = lanes <= 16 ? e->i32 : e->i8;
    bound = LLVMBuildTrunc(e->builder, clamp(e, bound, lanes), narrow, "");
    return LLVMBuildICmp(e->builder, predicate, cpu_iota(e, narrow, lanes),
                         cpu_splat(e, bound, lanes), "");
}

LLVMValueRef cpu_lanes_below(struct cpu_emit *e, LLVMValueRef bound)
{
    return compare_lanes(e, LLVMIntULT, bound);
}

LLVMValueRef cpu_lanes_from(struct cpu_emit *e, LLVMValueRef bound)
{
    return compare_lanes(e, LLVMIntUGE, bound);
}

LLVMValueRef cpu_lanes_of_axis(struct cpu_emit *e, LLVMValueRef bound, LLVMValueRef place,
                               int64_t size, bool below)
{
    int lanes = e->body.lanes;
    bound = LLVMBuildSub(e->builder, clamp(e, bound, size + lanes), place, "");
    if (lanes > 16)
        return below ? cpu_lanes_below(e, bound) : cpu_lanes_from(e, bound);
    bound = LLVMBuildTrunc(e->builder, bound, e->i32, "");
    return LLVMBuildICmp(e->builder, below ? LLVMIntSLT : LLVMIntSGE, cpu_iota(e, e->i32, lanes),
                         cpu_splat(e, bound, lanes), "");
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* LLVM's builder folds plain arithmetic of constants, but not these intrinsics. */
LLVMValueRef cpu_distance(struct cpu_emit *e, LLVMValueRef from, LLVMValueRef to)
{
    int64_t a, b, difference;
    LLVMValueRef operands[] = {to, from};
    if (cpu_is_constant(from, &b) &&
        (b == 0 || (cpu_is_constant(to, &a) && !__builtin_sub_overflow(a, b, &difference))))
        return LLVMBuildSub(e->builder, to, from, "");
    return cpu_intrinsic(e, "llvm.ssub.sat", 1, &e->i64, 2, operands);
}

/* x + l < y is l < y - x; x - l < y is l > x - y, that is l >= x - y + 1 */
LLVMValueRef cpu_compare_bound(struct cpu_emit *e, enum ir_opcode code, int64_t step,
                               LLVMValueRef x, LLVMValueRef y, bool *below)
{
    LLVMValueRef bound = step > 0 ? cpu_distance(e, x, y) : cpu_distance(e, y, x);
    bool less = code == IR_OP_LT || code == IR_OP_LE;
    bool strict = code == IR_OP_LT || code == IR_OP_GT;
    *below = less == (step > 0);
    return *below == strict ? bound : cpu_distance(e, cpu_i64(e, -1), bound);
}

/* The same for other steps, with a bound that is right within [0, size]: s * l < d is l < cdiv(d,
 * s), and s * l <= d is l < d / s + 1, rounded down. Far distances are cut before the division,
 * which then is one of small numbers that are not negative. */
static LLVMValueRef stepped_bound(struct cpu_emit *e, enum ir_opcode code, int64_t step,
                                  int64_t size, LLVMValueRef x, LLVMValueRef y, bool *below)
{
    if (step == 1 || step == -1)
        return cpu_compare_bound(e, code, step, x, y, below);
    int64_t s = step > 0 ? step : -step;
    LLVMValueRef d = step > 0 ? cpu_distance(e, x, y) : cpu_distance(e, y, x);
    bool less = code == IR_OP_LT || code == IR_OP_LE;
    bool strict = code == IR_OP_LT || code == IR_OP_GT;
    *below = less == (step > 0);
    d = cpu_min_i64(e, d, cpu_i64(e, (size + 1) * s));
    d = cpu_max_i64(e, d, cpu_i64(e, -s));
    d = LLVMBuildAdd(e->builder, d, cpu_i64(e, *below == strict ? 2 * s - 1 : 2 * s), "");
    d = LLVMBuildUDiv(e->builder, d, cpu_i64(e, s), "");
    return LLVMBuildSub(e->builder, d, cpu_i64(e, 1), "");
}

/* ---- limits of a whole axis ----------------------------------------------------------------- */

/* Every place of the axis, or none. */
static struct cpu_span span_if(struct cpu_emit *e, LLVMValueRef condition, int64_t size)
{
    LLVMValueRef zero = cpu_i64(e, 0), whole = cpu_i64(e, size);
    return (struct cpu_span){zero, LLVMBuildSelect(e->builder, condition, whole, zero, "")};
}

static struct cpu_limits limits_uniform(struct cpu_emit *e, LLVMValueRef holds, int64_t size)
{
    LLVMValueRef fails = LLVMBuildNot(e->builder, holds, "");
    struct cpu_span held = span_if(e, holds, size), failed = span_if(e, fails, size);
    return (struct cpu_limits){held, failed, true, true};
}

/* holds for index < bound */
static struct cpu_limits limits_below(struct cpu_emit *e, LLVMValueRef bound, int64_t size)
{
    LLVMValueRef limit = clamp(e, bound, size);
    return (struct cpu_limits){{cpu_i64(e, 0), limit}, {limit, cpu_i64(e, size)}, true, true};
}

static struct cpu_limits opposite(struct cpu_limits limits)
{
    return (struct cpu_limits){limits.fails, limits.holds, limits.fails_exactly,
                               limits.holds_exactly};
}

static struct cpu_span span_both(struct cpu_emit *e, struct cpu_span a, struct cpu_span b)
{
    LLVMValueRef from = cpu_max_i64(e, a.from, b.from), to = cpu_min_i64(e, a.to, b.to);
    return (struct cpu_span){from, to};
}

/* Of two parts of a union, the longer one. */
static struct cpu_span span_longer(struct cpu_emit *e, struct cpu_span a, struct cpu_span b)
{
    LLVMValueRef first = LLVMBuildSub(e->builder, a.to, a.from, "");
    LLVMValueRef second = LLVMBuildSub(e->builder, b.to, b.from, "");
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSGE, first, second, "");
    LLVMValueRef from = LLVMBuildSelect(e->builder, more, a.from, b.from, "");
    LLVMValueRef to = LLVMBuildSelect(e->builder, more, a.to, b.to, "");
    return (struct cpu_span){from, to};
}

/* holds for index == place alone */
static struct cpu_limits limits_at(struct cpu_emit *e, LLVMValueRef place, int64_t size)
{
    LLVMValueRef zero = cpu_i64(e, 0), whole = cpu_i64(e, size);
    place = cpu_max_i64(e, cpu_min_i64(e, place, whole), cpu_i64(e, -1));
    LLVMValueRef next = LLVMBuildAdd(e->builder, place, cpu_i64(e, 1), "");
    LLVMValueRef from = cpu_max_i64(e, place, zero), to = cpu_min_i64(e, next, whole);
    struct cpu_span before = {zero, from}, behind = {to, whole};
    return (struct cpu_limits){{from, to}, span_longer(e, before, behind), true, false};
}

/* Compares of wider steps would have to be checked for products that wrap. */
enum { MOST_STEP = 1 << 12 };

/* a < b and the like, where the difference of the two moves by a constant per lane. */
static bool limits_compare(struct cpu_emit *e, enum ir_opcode code, const struct ir_value *a,
                           const struct ir_value *b, const struct cpu_position *p, int64_t size,
                           struct cpu_limits *limits)
{
    int64_t step_a, step_b, step;
    if (a->type.pointer || a->type.elem != IR_I64 || !cpu_step_along(e, a, p, &step_a) ||
        !cpu_step_along(e, b, p, &step_b) || __builtin_sub_overflow(step_a, step_b, &step) ||
        step > MOST_STEP || step < -MOST_STEP || step == 0)
        return false;
    bool equality = code == IR_OP_EQ || code == IR_OP_NE;
    if (equality && step != 1 && step != -1)
        return false;
    LLVMValueRef x = cpu_first_along(e, a, p), y = cpu_first_along(e, b, p);
    if (equality) {
        LLVMValueRef place = step > 0 ? cpu_distance(e, x, y) : cpu_distance(e, y, x);
        *limits = limits_at(e, place, size);
        if (code == IR_OP_NE)
            *limits = opposite(*limits);
        return true;
    }
    bool below;
    LLVMValueRef bound = stepped_bound(e, code, step, size, x, y, &below);
    *limits = limits_below(e, bound, size);
    if (!below)
        *limits = opposite(*limits);
    return true;
}

static bool limits_both(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                        int64_t size, struct cpu_limits *limits)
{
    struct cpu_limits a, b;
    if (!cpu_limits_of(e, op->operands[0], p, size, &a) ||
        !cpu_limits_of(e, op->operands[1], p, size, &b))
        return false;
    bool all = op->code == IR_OP_AND;
    limits->holds = (all ? span_both : span_longer)(e, a.holds, b.holds);
    limits->fails = (all ? span_longer : span_both)(e, a.fails, b.fails);
    limits->holds_exactly = all && a.holds_exactly && b.holds_exactly;
    limits->fails_exactly = !all && a.fails_exactly && b.fails_exactly;
    return true;
}

/* The difference of two indices may be the same for all lanes though neither is. */
static bool same_for_all(struct cpu_emit *e, const struct ir_value *mask,
                         const struct cpu_position *p)
{
    const struct ir_op *op = mask->op;
    int64_t a, b;
    if (cpu_step_along(e, mask, p, &a) && a == 0)
        return true;
    return op && op->code >= IR_OP_EQ && op->code <= IR_OP_GE &&
           op->operands[0]->type.elem == IR_I64 && !op->operands[0]->type.pointer &&
           cpu_step_along(e, op->operands[0], p, &a) && cpu_step_along(e, op->operands[1], p, &b) &&
           a == b;
}

static const struct cpu_bounded *find_bounded(const struct cpu_emit *e, const struct ir_value *mask,
                                              const struct ir_op *view,
                                              const struct cpu_position *p);

/* Whether the mask's limits hang on nothing that a nest supposes: neither which operand a maximum
 * or a selection is, nor what a quotient is, nor that another access's mask holds. */
static bool supposes_nothing(struct cpu_emit *e, const struct ir_value *mask,
                             const struct cpu_position *p)
{
    const struct ir_op *op = mask->op;
    if (mask->type.rank == 0)
        return true;
    if (!op || (same_for_all(e, mask, p) && find_bounded(e, mask, NULL, p)))
        return false;
    if (op->code == IR_OP_AND || op->code == IR_OP_OR)
        return supposes_nothing(e, op->operands[0], p) && supposes_nothing(e, op->operands[1], p);
    if (cpu_moves_elements(op) || op->code == IR_OP_NOT) {
        struct cpu_position q = cpu_moves_elements(op) ? cpu_operand_position(e, op, p) : *p;
        return supposes_nothing(e, op->operands[0], &q);
    }
    return op->code >= IR_OP_EQ && op->code <= IR_OP_GE &&
           cpu_affine_of(e, op->operands[0])->known && cpu_affine_of(e, op->operands[1])->known;
}

bool cpu_limits_hold(struct cpu_emit *e, const struct cpu_bounded *bounded,
                     const struct cpu_limits *limits)
{
    if (bounded->view)
        return limits->holds_exactly;
    return !bounded->chosen && limits->holds_exactly &&
           supposes_nothing(e, bounded->mask, &bounded->position);
}

bool cpu_limits_of(struct cpu_emit *e, const struct ir_value *mask, const struct cpu_position *p,
                   int64_t size, struct cpu_limits *limits)
{
    const struct ir_op *op = mask->op;
    if (same_for_all(e, mask, p)) {
        /* in one lane: made of tiles that cancel, it would be a vector */
        *limits = limits_uniform(e, cpu_first_along(e, mask, p), size);
        return true;
    }
    if (!op)
        return false;
    if (cpu_moves_elements(op)) {
        struct cpu_position q = cpu_operand_position(e, op, p);
        return cpu_limits_of(e, op->operands[0], &q, size, limits);
    }
    if (ir_is_comparison(op->code))
        return limits_compare(e, op->code, op->operands[0], op->operands[1], p, size, limits);
    switch (op->code) {
    case IR_OP_AND:
    case IR_OP_OR:
        return limits_both(e, op, p, size, limits);
    case IR_OP_NOT:
        if (!cpu_limits_of(e, op->operands[0], p, size, limits))
            return false;
        *limits = opposite(*limits);
        return true;
    default:
        return false;
    }
}

/* The maximum is the first operand where that is not less than the second, and so on. */
bool cpu_choice_limits(struct cpu_emit *e, const struct ir_op *op, const struct ir_value *chosen,
                       const struct cpu_position *p, int64_t size, struct cpu_limits *limits)
{
    const struct ir_value *other = op->operands[op->operands[0] == chosen];
    enum ir_opcode code = op->code == IR_OP_MAXIMUM ? IR_OP_GE : IR_OP_LE;
    return limits_compare(e, code, chosen, other, p, size, limits);
}

LLVMValueRef cpu_fails_from(struct cpu_emit *e, const struct cpu_limits *limits, int64_t size)
{
    LLVMValueRef end = cpu_i64(e, size);
    LLVMValueRef ends = LLVMBuildICmp(e->builder, LLVMIntEQ, limits->fails.to, end, "");
    return LLVMBuildSelect(e->builder, ends, limits->fails.from, end, "");
}

bool cpu_view_limits(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                     int64_t size, struct cpu_limits *limits)
{
    int axes = op->attributes.view_rank, first = axes - p->rank;
    LLVMValueRef holds = LLVMConstInt(e->i1, 1, false), zero = cpu_i64(e, 0);
    struct cpu_span lane = {zero, cpu_i64(e, size)};
    for (int k = 0; k < axes; k++) {
        LLVMValueRef extent = cpu_value_of(e, op->operands[1 + k])->scalar;
        LLVMValueRef index = cpu_value_of(e, op->operands[1 + 2 * axes + k])->scalar;
        if (k - first == p->lane && p->lane >= 0) {
            struct cpu_limits below = limits_below(e, cpu_distance(e, index, extent), size);
            struct cpu_limits from = limits_below(e, cpu_distance(e, index, zero), size);
            lane = span_both(e, below.holds, from.fails);
            continue;
        }
        if (k >= first)
            index = cpu_add(e, index, p->index[k - first]);
        LLVMValueRef low = LLVMBuildICmp(e->builder, LLVMIntSGE, index, zero, "");
        LLVMValueRef high = LLVMBuildICmp(e->builder, LLVMIntSLT, index, extent, "");
        holds = LLVMBuildAnd(e->builder, holds, LLVMBuildAnd(e->builder, low, high, ""), "");
    }
    struct cpu_span none = {zero, zero}, outer = span_if(e, holds, size);
    *limits = (struct cpu_limits){span_both(e, lane, outer), none, true, false};
    return true;
}

/* ---- what a nest knows ---------------------------------------------------------------------- */

/* In an interior, or where its lanes count from (along). */
static bool same_but_lane(const struct cpu_position *at, const struct cpu_position *p)
{
    if (at->rank != p->rank || (at->lane != p->lane && !(p->along && p->lane < 0)))
        return false;
    for (int k = 0; k < at->rank; k++) {
        if (k != at->lane && at->index[k] != p->index[k])
            return false;
    }
    return true;
}

static const struct cpu_bounded *find_bounded(const struct cpu_emit *e, const struct ir_value *mask,
                                              const struct ir_op *view,
                                              const struct cpu_position *p)
{
    for (int i = 0; i < e->body.bounded_count; i++) {
        const struct cpu_bounded *b = &e->body.bounded[i];
        if (b->mask == mask && b->view == view && (b->whole || same_but_lane(&b->position, p)))
            return b;
    }
    return NULL;
}

const struct cpu_bounded *cpu_bounded_of(struct cpu_emit *e, const struct ir_value *mask,
                                         const struct ir_op *view, const struct cpu_position *p)
{
    return e->body.interior ? find_bounded(e, mask, view, p) : NULL;
}

LLVMValueRef cpu_places_within(struct cpu_emit *e, struct cpu_span within, LLVMValueRef index)
{
    int lanes = e->body.lanes;
    int64_t from = -1;
    LLVMValueRef below, above;
    bool starts = cpu_is_constant(within.from, &from) && from == 0;
    if (lanes <= 16) {
        LLVMValueRef first = LLVMBuildTrunc(e->builder, index, e->i32, "");
        LLVMValueRef place =
            LLVMBuildAdd(e->builder, cpu_splat(e, first, lanes), cpu_iota(e, e->i32, lanes), "");
        LLVMValueRef end = LLVMBuildTrunc(e->builder, within.to, e->i32, "");
        LLVMValueRef start = LLVMBuildTrunc(e->builder, within.from, e->i32, "");
        below = LLVMBuildICmp(e->builder, LLVMIntSLT, place, cpu_splat(e, end, lanes), "");
        above = starts
                    ? NULL
                    : LLVMBuildICmp(e->builder, LLVMIntSGE, place, cpu_splat(e, start, lanes), "");
    } else {
        below = cpu_lanes_below(e, LLVMBuildSub(e->builder, within.to, index, ""));
        above = starts ? NULL : cpu_lanes_from(e, LLVMBuildSub(e->builder, within.from, index, ""));
    }
    return above ? LLVMBuildAnd(e->builder, below, above, "") : below;
}

/*
 * Outside of the interior: all of a nest's masks are found there by one subtraction or comparison
 * of places each, where to compute them as they are written takes a distance that saturates for
 * each limit, and an op for each `and`. What is the same for all lanes stays a scalar.
 */
bool cpu_lanes_within(struct cpu_emit *e, const struct ir_value *mask, const struct ir_op *view,
                      const struct cpu_position *p, LLVMValueRef *lanes)
{
    if (e->body.interior || p->lane < 0 || p->along || e->body.lanes == 1)
        return false;
    const struct cpu_bounded *b = find_bounded(e, mask, view, p);
    if (!b || !b->within.to || (mask && same_for_all(e, mask, p)))
        return false;
    /* of programs side by side only the last one's are kept */
    if (b->program != e->entered && !(mask && cpu_is_fixed(e, mask)))
        return false;
    *lanes = cpu_places_within(e, b->within, p->index[p->lane]);
    return true;
}
