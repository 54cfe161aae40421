/*
 * Masks that bound the lane axis.
 *
 * Most masks say "column < n": along the lane axis they hold up to a bound and not beyond. Knowing
 * the bound, a loop runs without masks below it. Such masks are compares of affine 64-bit indices
 * whose difference moves by one per lane, what does not depend on the lane at all, and `and` and
 * `or` of these; everything else is computed element by element.
 */
#include "cpu/emit.h"

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
LLVMValueRef cpu_compare_bound(struct cpu_emit *e, const struct ir_op *op, int64_t step,
                               LLVMValueRef x, LLVMValueRef y, bool *below)
{
    LLVMValueRef bound = step > 0 ? cpu_distance(e, x, y) : cpu_distance(e, y, x);
    bool less = op->code == IR_OP_LT || op->code == IR_OP_LE;
    bool strict = op->code == IR_OP_LT || op->code == IR_OP_GT;
    *below = less == (step > 0);
    return *below == strict ? bound : cpu_distance(e, cpu_i64(e, -1), bound);
}

/* ---- limits of a whole axis ----------------------------------------------------------------- */

static struct cpu_limits limits_uniform(struct cpu_emit *e, LLVMValueRef holds, int64_t size)
{
    LLVMValueRef limit =
        LLVMBuildSelect(e->builder, holds, cpu_i64(e, size), cpu_i64(e, 0), "");
    return (struct cpu_limits){limit, limit};
}

/* holds for index < bound */
static struct cpu_limits limits_below(struct cpu_emit *e, LLVMValueRef bound, int64_t size)
{
    LLVMValueRef limit = clamp(e, bound, size);
    return (struct cpu_limits){limit, limit};
}

/* holds for index >= bound: for all, for none, or for a part that is no prefix */
static struct cpu_limits limits_from(struct cpu_emit *e, LLVMValueRef bound, int64_t size)
{
    LLVMValueRef zero = cpu_i64(e, 0), whole = cpu_i64(e, size);
    LLVMValueRef all = LLVMBuildICmp(e->builder, LLVMIntSLE, bound, zero, "");
    LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntSGE, bound, whole, "");
    return (struct cpu_limits){LLVMBuildSelect(e->builder, all, whole, zero, ""),
                               LLVMBuildSelect(e->builder, none, zero, whole, "")};
}

static LLVMValueRef linear_at(struct cpu_emit *e, const struct ir_value *v,
                              const struct cpu_position *p)
{
    struct cpu_linear linear = cpu_linear_of(e, v);
    LLVMValueRef x = linear.base;
    for (int k = 0; k < p->rank; k++)
        x = cpu_add(e, x, cpu_mul(e, linear.axis[k], p->index[k]));
    return x ? x : cpu_i64(e, 0);
}

/* The mask as a compare: index (lane) + x < y and the like. */
static bool limits_compare(struct cpu_emit *e, const struct ir_op *op,
                           const struct cpu_position *p, int64_t size, struct cpu_limits *limits)
{
    const struct ir_value *a = op->operands[0], *b = op->operands[1];
    const struct cpu_affine *fa = cpu_affine_of(e, a), *fb = cpu_affine_of(e, b);
    if (a->type.pointer || a->type.elem != IR_I64 || !fa->known || !fb->known)
        return false;
    int64_t step = 0;
    if (p->lane >= 0) {
        if (fa->axis[p->lane].kind == CPU_RUNTIME || fb->axis[p->lane].kind == CPU_RUNTIME)
            return false;
        step = (int64_t)((uint64_t)fa->axis[p->lane].value - (uint64_t)fb->axis[p->lane].value);
    }
    if (step == 0) {
        struct cpu_position q = *p;
        q.lane = -1;
        *limits = limits_uniform(e, cpu_element_of(e, op->results[0], &q).v, size);
        return true;
    }
    if ((step != 1 && step != -1) || op->code == IR_OP_EQ || op->code == IR_OP_NE)
        return false;
    LLVMValueRef x = linear_at(e, a, p), y = linear_at(e, b, p);
    bool below;
    LLVMValueRef bound = cpu_compare_bound(e, op, step, x, y, &below);
    *limits = below ? limits_below(e, bound, size) : limits_from(e, bound, size);
    return true;
}

static bool limits_both(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                        int64_t size, struct cpu_limits *limits)
{
    struct cpu_limits a, b;
    if (!cpu_limits_of(e, op->operands[0], p, size, &a) ||
        !cpu_limits_of(e, op->operands[1], p, size, &b))
        return false;
    if (op->code == IR_OP_AND) {
        limits->all = cpu_min_i64(e, a.all, b.all);
        limits->none = cpu_min_i64(e, a.none, b.none);
    } else {
        limits->all = cpu_max_i64(e, a.all, b.all);
        limits->none = cpu_max_i64(e, a.none, b.none);
    }
    return true;
}

bool cpu_limits_of(struct cpu_emit *e, const struct ir_value *mask, const struct cpu_position *p,
                   int64_t size, struct cpu_limits *limits)
{
    const struct ir_op *op = mask->op;
    if (cpu_is_uniform(e, mask)) { /* in one lane: made of tiles that cancel, it would be a vector */
        struct cpu_position q = *p;
        q.lane = -1;
        *limits = limits_uniform(e, cpu_element_of(e, mask, &q).v, size);
        return true;
    }
    if (!op)
        return false;
    switch (op->code) {
    case IR_OP_EQ:
    case IR_OP_NE:
    case IR_OP_LT:
    case IR_OP_LE:
    case IR_OP_GT:
    case IR_OP_GE:
        return limits_compare(e, op, p, size, limits);
    case IR_OP_AND:
    case IR_OP_OR:
        return limits_both(e, op, p, size, limits);
    case IR_OP_RESHAPE:
        if (!cpu_reshape_is_simple(op))
            return false;
        break;
    case IR_OP_BROADCAST:
    case IR_OP_TRANS:
    case IR_OP_CONVERT_LAYOUT:
        break;
    default:
        return false;
    }
    struct cpu_position q = cpu_operand_position(e, op, p);
    return cpu_limits_of(e, op->operands[0], &q, size, limits);
}

bool cpu_view_limits(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                     int64_t size, struct cpu_limits *limits)
{
    int axes = op->attributes.view_rank, first = axes - p->rank;
    LLVMValueRef holds = LLVMConstInt(e->i1, 1, false), zero = cpu_i64(e, 0);
    struct cpu_limits lane = {cpu_i64(e, size), cpu_i64(e, size)};
    for (int k = 0; k < axes; k++) {
        LLVMValueRef extent = cpu_value_of(e, op->operands[1 + k])->scalar;
        LLVMValueRef index = cpu_value_of(e, op->operands[1 + 2 * axes + k])->scalar;
        if (k - first == p->lane && p->lane >= 0) {
            struct cpu_limits below = limits_below(e, cpu_distance(e, index, extent), size);
            struct cpu_limits from = limits_from(e, cpu_distance(e, index, zero), size);
            lane.all = cpu_min_i64(e, below.all, from.all);
            lane.none = cpu_min_i64(e, below.none, from.none);
            continue;
        }
        if (k >= first)
            index = cpu_add(e, index, p->index[k - first]);
        LLVMValueRef low = LLVMBuildICmp(e->builder, LLVMIntSGE, index, zero, "");
        LLVMValueRef high = LLVMBuildICmp(e->builder, LLVMIntSLT, index, extent, "");
        holds = LLVMBuildAnd(e->builder, holds, LLVMBuildAnd(e->builder, low, high, ""), "");
    }
    struct cpu_limits outer = limits_uniform(e, holds, size);
    limits->all = cpu_min_i64(e, lane.all, outer.all);
    limits->none = cpu_min_i64(e, lane.none, outer.none);
    return true;
}

/* ---- what a nest knows ---------------------------------------------------------------------- */

static bool same_but_lane(const struct cpu_position *a, const struct cpu_position *b)
{
    if (a->rank != b->rank || a->lane != b->lane)
        return false;
    for (int k = 0; k < a->rank; k++) {
        if (k != a->lane && a->index[k] != b->index[k])
            return false;
    }
    return true;
}

bool cpu_is_bounded(struct cpu_emit *e, const struct ir_value *mask, const struct ir_op *view,
                    const struct cpu_position *position)
{
    for (int i = 0; i < e->body.bounded_count; i++) {
        const struct cpu_bounded *b = &e->body.bounded[i];
        if (b->mask == mask && b->view == view && same_but_lane(&b->position, position))
            return true;
    }
    return false;
}
