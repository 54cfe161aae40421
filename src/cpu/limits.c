/*
 * Floats that become ints between two limits.
 *
 *     q = (int)rint(x * scale)
 *     minimum(maximum(q, low), high)
 *
 * On x86 a float that is too large for an int becomes the least int, and so does a NaN, which has
 * to become 0: four operations beside the conversion, and then the limits are two more. Limits that
 * a float holds exactly, all up to 2^24, may as well limit the float, as conversion keeps the order
 * and keeps them: the integer's limits cost what they did, and nothing is too large.
 *
 *     convert(min(max(x * scale, low), high))
 *
 * Where limits are known only as the program runs (clamps.c makes such ones of a place of zero), it
 * asks whether they are so small; a block of its own does as elsewhere.
 *
 * A product of an integer and one number for all lanes is a NaN only where that is one, or where it
 * is infinite and the integer is 0. A scale of 0 for a NaN, and of the greatest number for an
 * infinite one, give what the product becomes: 0, and what is beyond the limits.
 */
#include "cpu/limits.h"
#include "cpu/convert.h"
#include "cpu/elementwise.h"
#include "cpu/math_build.h"
#include "ir/float_range.h"

#include <float.h>

enum { MOST_EXACT = 1 << 24 };

struct limited {
    const struct ir_op *outer, *inner, *cast;
    const struct ir_value *number; /* what is converted */
    bool round_even;
};

static bool is_limit(const struct ir_op *op)
{
    return op && (op->code == IR_OP_MINIMUM || op->code == IR_OP_MAXIMUM) &&
           op->results[0]->type.elem == IR_I32 && !op->results[0]->type.pointer;
}

static bool is_made_here(struct cpu_emit *e, const struct ir_value *v)
{
    return !cpu_value_of(e, v)->buffer;
}

static bool find(struct cpu_emit *e, const struct ir_op *op, struct limited *l)
{
    if (!e->level->features.avx2 || e->math.relaxed || !is_limit(op))
        return false;
    l->outer = op;
    l->inner = op->operands[0]->op;
    if (!is_limit(l->inner) || l->inner->code == op->code || !cpu_is_uniform(e, op->operands[1]) ||
        !cpu_is_uniform(e, l->inner->operands[1]) || !is_made_here(e, op->operands[0]) ||
        !is_made_here(e, l->inner->operands[0]))
        return false;
    l->cast = l->inner->operands[0]->op;
    if (!l->cast || l->cast->code != IR_OP_CAST || l->cast->operands[0]->type.elem != IR_F32 ||
        cpu_is_uniform(e, l->cast->results[0]))
        return false;
    l->number = l->cast->operands[0];
    const struct ir_op *rint = l->number->op;
    l->round_even = rint && rint->code == IR_OP_RINT && is_made_here(e, l->number);
    l->number = l->round_even ? rint->operands[0] : l->number;
    return true;
}

/* ---- the number, where a NaN is 0 ------------------------------------------------------------ */

static bool is_integer(const struct ir_value *v)
{
    return v->op && v->op->code == IR_OP_CAST &&
           !ir_is_float((enum ir_elem)v->op->operands[0]->type.elem);
}

static LLVMValueRef tamed(struct cpu_math *m, LLVMValueRef scale)
{
    scale = mb_select(m, mb_isnan(m, scale), mb_const_float(scale, 0.0), scale);
    scale = mb_at_most(m, scale, (double)FLT_MAX);
    return mb_at_least(m, scale, -(double)FLT_MAX);
}

/* A product as described above; false: it is another number. */
static bool scaled(struct cpu_emit *e, const struct ir_value *number, const struct cpu_position *p,
                   LLVMValueRef *product)
{
    const struct ir_op *op = number->op;
    if (!op || op->code != IR_OP_MUL || !is_made_here(e, number))
        return false;
    for (int side = 0; side < 2; side++) {
        const struct ir_value *integer = op->operands[side], *scale = op->operands[1 - side];
        if (!is_integer(integer) || !cpu_is_uniform(e, scale))
            continue;
        struct cpu_element element = cpu_element_of(e, scale, p);
        LLVMValueRef operands[2];
        operands[side] = cpu_spread(e, cpu_element_of(e, integer, p));
        element.v = element.vector ? element.v : tamed(&e->math, element.v);
        operands[1 - side] = cpu_spread(e, element);
        *product = cpu_elementwise(e, op, operands);
        return !element.vector;
    }
    return false;
}

static LLVMValueRef without_nan(struct cpu_emit *e, const struct ir_value *number,
                                const struct cpu_position *p, struct cpu_numbers *n)
{
    LLVMValueRef v;
    n->range = (struct ir_float_range){-MOST_EXACT, MOST_EXACT, false}; /* between the limits */
    if (scaled(e, number, p, &v))
        return v;
    v = cpu_spread(e, cpu_element_of(e, number, p));
    if (!ir_float_range(number).nan)
        return v;
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(v));
    return mb_select(&e->math, mb_fcmp(&e->math, LLVMRealORD, v, v), v, none);
}

/* ---- the limits ------------------------------------------------------------------------------ */

static LLVMValueRef limit(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef v,
                          LLVMValueRef end)
{
    LLVMRealPredicate wins = op->code == IR_OP_MAXIMUM ? LLVMRealOGT : LLVMRealOLT;
    end = LLVMBuildSIToFP(e->builder, end, LLVMFloatTypeInContext(e->context), "");
    end = cpu_splat(e, end, e->body.lanes);
    return mb_select(&e->math, mb_fcmp(&e->math, wins, v, end), v, end);
}

static LLVMValueRef beyond(struct cpu_emit *e, LLVMValueRef end)
{
    LLVMValueRef most = LLVMConstInt(e->i32, MOST_EXACT, false);
    end = LLVMBuildAdd(e->builder, end, most, "");
    return LLVMBuildICmp(e->builder, LLVMIntUGT, end, LLVMConstInt(e->i32, 2 * MOST_EXACT, false),
                         "");
}

static LLVMValueRef elsewhere(struct cpu_emit *e, const struct limited *l, LLVMValueRef v,
                              const LLVMValueRef *ends)
{
    struct cpu_numbers any = {ir_float_range(l->number), l->round_even};
    v = cpu_convert_numbers(&e->math, v, IR_F32, IR_I32, &any);
    LLVMValueRef operands[] = {v, cpu_splat(e, ends[0], e->body.lanes)};
    operands[0] = cpu_elementwise(e, l->inner, operands);
    operands[1] = cpu_splat(e, ends[1], e->body.lanes);
    return cpu_elementwise(e, l->outer, operands);
}

bool cpu_limited_element(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                         struct cpu_element *element)
{
    struct limited l;
    if (e->body.lanes < 4 || p->lane < 0 || e->body.pairs || !find(e, op, &l))
        return false;
    struct cpu_element low = cpu_element_of(e, l.inner->operands[1], p);
    struct cpu_element high = cpu_element_of(e, op->operands[1], p);
    if (low.vector || high.vector)
        return false;
    LLVMValueRef ends[] = {low.v, high.v}, far = beyond(e, low.v);
    far = LLVMBuildOr(e->builder, far, beyond(e, high.v), "");
    bool known = LLVMIsAConstantInt(far) != NULL;
    if (known && LLVMConstIntGetZExtValue(far) != 0)
        return false;
    struct cpu_numbers numbers = {.round_even = l.round_even};
    LLVMValueRef v = without_nan(e, l.number, p, &numbers);
    v = limit(e, op, limit(e, l.inner, v, low.v), high.v);
    element->v = cpu_convert_numbers(&e->math, v, IR_F32, IR_I32, &numbers);
    element->vector = true;
    if (known)
        return true;
    LLVMValueRef plain = cpu_spread(e, cpu_element_of(e, l.number, p));
    struct mb_rare rare = mb_rare_begin(&e->math, far);
    LLVMValueRef slow = elsewhere(e, &l, plain, ends);
    mb_rare_end(&e->math, &rare);
    element->v = mb_rare_phi(&e->math, &rare, slow, element->v);
    return true;
}
