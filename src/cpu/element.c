/*
 * Elementwise values, made on demand.
 *
 * cpu_element_of answers "value v at this position": out of the memo, out of a scratch buffer, as
 * affine arithmetic on one scalar, or by making the operands at their positions and applying the
 * op (elementwise.c). A value that does not depend on the lane stays a scalar until it meets one
 * that does.
 */
#include "cpu/elementwise.h"

#include "cpu/along.h"
#include "cpu/divide.h"
#include "cpu/index_floats.h"
#include "cpu/lanes.h"
#include "cpu/limits.h"
#include "cpu/maxima.h"
#include "cpu/pattern.h"
#include "cpu/saturate.h"
#include "cpu/small.h"
#include "cpu/spread.h"

/* ---- values at positions -------------------------------------------------------------------- */

bool cpu_same_position(const struct cpu_position *a, const struct cpu_position *b)
{
    if (a->rank != b->rank || a->lane != b->lane || a->along != b->along)
        return false;
    for (int k = 0; k < a->rank; k++) {
        if (a->index[k] != b->index[k])
            return false;
    }
    return true;
}

const struct cpu_element *cpu_memo_find(const struct cpu_emit *e, struct cpu_memos *memos,
                                        const struct cpu_position *p)
{
    if (memos->epoch != e->epoch)
        *memos = (struct cpu_memos){.epoch = e->epoch};
    for (const struct cpu_memo *m = memos->first; m; m = m->next) {
        if (cpu_same_position(&m->position, p))
            return &m->element;
    }
    return NULL;
}

struct cpu_element cpu_memo_keep(struct cpu_emit *e, struct cpu_memos *memos,
                                 const struct cpu_position *p, struct cpu_element element)
{
    if (memos->epoch != e->epoch)
        *memos = (struct cpu_memos){.epoch = e->epoch};
    struct cpu_memo *memo = ARENA_NEW(e->arena, struct cpu_memo);
    *memo = (struct cpu_memo){*p, element, memos->first};
    memos->first = memo;
    return element;
}

/* base + coefficients * index, of a 64-bit integer */
static struct cpu_element affine_element(struct cpu_emit *e, const struct ir_value *v,
                                         const struct cpu_position *p)
{
    struct cpu_linear linear = cpu_linear_of(e, v);
    LLVMValueRef base = linear.base;
    for (int k = 0; k < p->rank; k++)
        base = cpu_add(e, base, cpu_mul(e, linear.axis[k], p->index[k]));
    if (!base)
        base = cpu_i64(e, 0);
    if (p->lane < 0 || !linear.axis[p->lane])
        return (struct cpu_element){base, false};
    LLVMValueRef step = cpu_splat(e, linear.axis[p->lane], e->body.lanes);
    LLVMValueRef lanes = LLVMBuildMul(e->builder, step, cpu_iota(e, e->i64, e->body.lanes), "");
    LLVMValueRef first = cpu_splat(e, base, e->body.lanes);
    return (struct cpu_element){LLVMBuildAdd(e->builder, first, lanes, ""), true};
}

/*
 * a < b and so on for affine 64-bit signed a and b whose difference moves by +-1 per lane: a
 * compare of 32-bit lane numbers with one bound, instead of 64-bit vectors.
 */
static bool lane_compare(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                         struct cpu_element *result)
{
    if (!ir_is_ordering(op->code) || p->lane < 0)
        return false;
    const struct ir_value *a = op->operands[0], *b = op->operands[1];
    if (a->type.pointer || a->type.elem != IR_I64)
        return false;
    const struct cpu_affine *fa = cpu_affine_of(e, a), *fb = cpu_affine_of(e, b);
    if (!fa->known || !fb->known || fa->axis[p->lane].kind == CPU_RUNTIME ||
        fb->axis[p->lane].kind == CPU_RUNTIME)
        return false;
    int64_t step = (int64_t)((uint64_t)fa->axis[p->lane].value - (uint64_t)fb->axis[p->lane].value);
    if (step != 1 && step != -1)
        return false;
    struct cpu_linear la = cpu_linear_of(e, a), lb = cpu_linear_of(e, b);
    LLVMValueRef x = la.base, y = lb.base;
    for (int k = 0; k < p->rank; k++) {
        if (k == p->lane)
            continue;
        x = cpu_add(e, x, cpu_mul(e, la.axis[k], p->index[k]));
        y = cpu_add(e, y, cpu_mul(e, lb.axis[k], p->index[k]));
    }
    LLVMValueRef zero = cpu_i64(e, 0);
    x = x ? x : zero;
    y = y ? y : zero;
    bool below;
    LLVMValueRef bound = cpu_compare_bound(e, op->code, step, x, y, &below);
    result->v = cpu_lanes_of_axis(e, bound, p->index[p->lane], a->type.dims[p->lane], below);
    result->vector = true;
    return true;
}

/* The exponential of x - max(x) never exceeds 1, and of a tile near its maximum is never small. */
static LLVMValueRef any_exponential(struct cpu_emit *e, const struct ir_op *op,
                                    const struct cpu_position *p, LLVMValueRef x)
{
    enum ir_elem elem = (enum ir_elem)op->results[0]->type.elem;
    const struct ir_value *top = cpu_own_maximum(op->operands[0]);
    if (!top)
        return cpu_math_call_elem(&e->math, CPU_MATH_EXP, elem, x, NULL);
    bool known = cpu_value_of(e, top)->spread && cpu_is_along_lanes(op->results[0], p);
    if (known && e->body.near)
        return cpu_math_exp_near(&e->math, elem, x);
    LLVMValueRef near = known && e->body.near_by_tile ? cpu_value_of(e, top)->near : NULL;
    return cpu_math_exp_not_positive(&e->math, elem, x, near);
}

/*
 * Where masks fail, most exponentials are of -INFINITY. With AVX-512 the 0 is chosen instead of
 * what its scaling rounds to that; without it no product of such a one rounds (math_exp.c).
 */
static LLVMValueRef exponential(struct cpu_emit *e, const struct ir_op *op,
                                const struct cpu_position *p, LLVMValueRef x)
{
    bool masked = e->body.bounded_count > 0 && !e->body.interior && e->level->features.avx512;
    if (!masked || op->results[0]->type.elem != IR_F32)
        return any_exponential(e, op, p, x);
    LLVMTypeRef f32 = cpu_elem_type(&e->math, IR_F32);
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
    LLVMValueRef least = cpu_splat(e, LLVMConstReal(f32, -104.0), cpu_width_of(x));
    LLVMValueRef none = LLVMBuildFCmp(e->builder, LLVMRealOLT, x, least, "");
    LLVMValueRef some = LLVMBuildSelect(e->builder, none, zero, x, "");
    LLVMValueRef result = any_exponential(e, op, p, some);
    return LLVMBuildSelect(e->builder, none, zero, result, "");
}

/* The op on registers; some are simpler in a nest near a maximum. */
static LLVMValueRef at_position(struct cpu_emit *e, const struct ir_op *op,
                                const struct cpu_position *p, LLVMValueRef *v)
{
    const struct ir_value *factor, *top = NULL;
    if (op->code == IR_OP_EXP)
        return exponential(e, op, p, v[0]);
    if (e->body.near && cpu_width_of(v[0]) == 16 && cpu_is_along_lanes(op->results[0], p))
        top = cpu_narrowed_top(e, op, &factor);
    if (top && cpu_value_of(e, top)->spread)
        return cpu_round_normal_to_bf16(&e->math, v[0], e->body.pairs);
    return cpu_elementwise(e, op, v);
}

/* What an op to integers rounds to the nearest even one before: conversions can do that, too. */
static const struct ir_value *rounded_by(struct cpu_emit *e, const struct ir_op *op)
{
    const struct ir_op *rint = cpu_makes_ints(op) ? op->operands[0]->op : NULL;
    bool is_rint = rint && rint->code == IR_OP_RINT && op->operands[0]->type.rank > 0;
    return is_rint && !cpu_value_of(e, op->operands[0])->buffer ? rint->operands[0] : NULL;
}

static struct cpu_element apply(struct cpu_emit *e, const struct ir_op *op,
                                const struct cpu_position *p)
{
    const struct ir_value *number = rounded_by(e, op);
    if (number) {
        struct cpu_element element = cpu_element_of(e, number, p);
        element.v = cpu_convert_from(e, op, number, element.v, true);
        return element;
    }
    struct cpu_element in[3] = {{0}};
    bool vector = false;
    for (int i = 0; i < op->operand_count; i++) {
        in[i] = cpu_element_of(e, op->operands[i], p);
        vector = vector || in[i].vector;
    }
    LLVMValueRef v[3];
    for (int i = 0; i < op->operand_count; i++)
        v[i] = vector ? cpu_spread(e, in[i]) : in[i].v;
    return (struct cpu_element){at_position(e, op, p, v), vector};
}

/* In a run: the quotient, or how far the dividend is behind its multiple of the divisor. Bits go on
 * with their index, as long as that is: cut to 32 bits, or extended again. */
static struct cpu_element run_element(struct cpu_emit *e, const struct ir_op *op,
                                      const struct cpu_bounded *run, const struct cpu_position *p)
{
    LLVMTypeRef unit = cpu_register_type(e, ir_scalar((enum ir_elem)op->results[0]->type.elem));
    if (op->code == IR_OP_DIV || !run->multiple) /* bits may be extended */
        return (struct cpu_element){LLVMBuildSExt(e->builder, run->quotient, unit, ""), false};
    const struct ir_value *grows = op->operands[0];
    if (run->bits.index)
        grows = unit == e->i64 ? run->bits.index : run->bits.cut;
    struct cpu_element a = cpu_element_of(e, grows, p);
    LLVMValueRef multiple = LLVMBuildTrunc(e->builder, run->multiple, unit, "");
    if (a.vector)
        multiple = cpu_splat(e, multiple, cpu_width_of(a.v));
    return (struct cpu_element){LLVMBuildSub(e->builder, a.v, multiple, ""), a.vector};
}

static bool is_index(struct ir_type type)
{
    return !type.pointer && (type.elem == IR_I64 || type.elem == IR_U64);
}

static struct cpu_element make(struct cpu_emit *e, const struct ir_value *v,
                               const struct cpu_position *p)
{
    const struct ir_op *op = v->op;
    struct cpu_element result;
    if (is_index(v->type) && !cpu_is_uniform(e, v) && cpu_affine_of(e, v)->known)
        return affine_element(e, v, p);
    if (ir_has(op, IR_MOVES))
        return cpu_shape_element(e, v, p);
    switch (op->code) {
    case IR_OP_CONSTANT:
        return (struct cpu_element){cpu_constant(e, v->type, op->attributes.bits), false};
    case IR_OP_ARANGE: /* of one element, which counts as uniform */
        return (struct cpu_element){cpu_constant(e, v->type, (uint64_t)op->attributes.begin),
                                    false};
    case IR_OP_LOAD:
    case IR_OP_VIEW_LOAD:
        return cpu_load(e, op, p);
    default: {
        const struct ir_value *parts[CPU_MOST_SATURATED];
        if (cpu_saturated(e, op, parts) > 0)
            return cpu_saturated_element(e, op, p);
        if (cpu_is_small(e, op))
            return cpu_small_element(e, op, p);
        if (cpu_limited_element(e, op, p, &result))
            return result;
        const struct ir_value *chosen = cpu_chosen(e, op, p);
        if (chosen)
            return cpu_element_of(e, chosen, p);
        const struct cpu_bounded *run = cpu_run_of(e, op, p);
        if (run)
            return run_element(e, op, run, p);
        if (cpu_maxima_element(e, op, p, &result) || cpu_index_float_element(e, op, p, &result) ||
            lane_compare(e, op, p, &result) || cpu_pattern_element(e, v, p, &result) ||
            cpu_compare_lanes(e, op, p, &result) || cpu_divide_indices(e, op, p, &result))
            return result;
        return apply(e, op, p);
    }
    }
}

struct cpu_element cpu_element_of(struct cpu_emit *e, const struct ir_value *v,
                                  const struct cpu_position *p)
{
    struct cpu_value *value = cpu_value_of(e, v);
    if (v->type.rank == 0)
        return (struct cpu_element){value->scalar, false};
    const struct cpu_element *made = cpu_memo_find(e, &value->made, p);
    if (made)
        return *made;
    const struct cpu_bounded *bounded;
    struct cpu_element element;
    if (value->buffer && value->ready && !cpu_is_uniform(e, v))
        element = cpu_buffer_read(e, value->buffer, v->type, p);
    else if (v->type.elem == IR_BOOL && !v->type.pointer &&
             (bounded = cpu_bounded_of(e, v, NULL, p)) != NULL)
        element = (struct cpu_element){LLVMConstInt(e->i1, bounded->holds, false), false};
    else if (v->type.elem == IR_BOOL && !v->type.pointer &&
             cpu_lanes_within(e, v, NULL, p, &element.v))
        element.vector = true;
    else
        element = make(e, v, p);
    return cpu_memo_keep(e, &value->made, p, element);
}
