/*
 * Divisions of indices, which have 64 bits and for which there is no vector instruction.
 *
 *     k = arange(0, K)
 *     load(X + k / 9 * plane + k % 9 / 3 * width + k % 3)          image to columns
 *
 * Where the dividend grows by the same s in each lane and the divisor d is a constant, one scalar
 * is divided. Of x + s l with x = q d + r, 0 <= r < d:
 *
 *     (x + s l) / d = q + (r + s l) / d          (x + s l) % d = (r + s l) % d
 *
 * and r + s l is small: at most one more d, if d is not below what the lanes reach, which a
 * comparison tells; else a product with the reciprocal, in 32 bits. The same product, in 64 bits,
 * divides what a range says to have 31 bits. A power of two is a shift or a mask.
 *
 * All of it is of what ranges say is not negative, since division rounds toward zero. By what only
 * a launch knows, a scalar of 64 bits is divided no faster than four lanes are as doubles
 * (math_int.c).
 */
#include "cpu/divide.h"
#include "base/bits.h"
#include "cpu/along.h"
#include "cpu/math_build.h"
#include "ir/affine.h"

enum { MOST_STEP = 64, MOST_DIVISOR = 1 << 24, MOST_RANGE_BITS = 31 };

/* v / d for every v < 2^bits, where products have room: 2 bits + 1. Of Granlund and Montgomery. */
LLVMValueRef cpu_quotient_of_bits(struct cpu_emit *e, LLVMValueRef v, int bits, int64_t d)
{
    struct cpu_math *m = &e->math;
    int shift = bits + bits_width(d - 1);
    uint64_t factor = (UINT64_C(1) << shift) / (uint64_t)d + 1;
    return mb_lshr(m, mb_mul(m, v, mb_const_int(v, (int64_t)factor)), shift);
}

LLVMValueRef cpu_quotient_by_power(struct cpu_emit *e, LLVMValueRef v, int64_t d)
{
    return mb_lshr(&e->math, v, bits_width(d - 1));
}

LLVMValueRef cpu_rest_by_power(struct cpu_emit *e, LLVMValueRef v, int64_t d)
{
    return mb_and(&e->math, v, mb_const_int(v, d - 1));
}

/* A vector of 64 bits of which ranges say that it has few, and is not negative. */
static LLVMValueRef of_few_bits(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef v,
                                int bits, int64_t d)
{
    struct cpu_math *m = &e->math;
    LLVMTypeRef type = LLVMTypeOf(v), low = mb_int_type(m, v, 32);
    v = LLVMBuildZExt(e->builder, LLVMBuildTrunc(e->builder, v, low, ""), type, "");
    LLVMValueRef q = cpu_quotient_of_bits(e, v, bits, d);
    return op->code == IR_OP_DIV ? q : mb_sub(m, v, mb_mul(m, q, mb_const_int(q, d)));
}

static LLVMValueRef extend(struct cpu_emit *e, LLVMValueRef v)
{
    return LLVMBuildZExt(e->builder, v, cpu_vector(e->i64, e->body.lanes), "");
}

/* How far lane l is from the first: s l, as ints. */
static LLVMValueRef distances(struct cpu_emit *e, int64_t step)
{
    LLVMValueRef lanes = cpu_iota(e, e->i32, e->body.lanes);
    return LLVMBuildMul(e->builder, lanes, mb_const_int(lanes, step), "");
}

/* For a divisor that is not below s l: where the next multiple is reached. */
static LLVMValueRef by_comparison(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef q,
                                  LLVMValueRef r, int64_t d, int64_t step)
{
    int lanes = e->body.lanes;
    LLVMValueRef left = LLVMBuildSub(e->builder, cpu_i64(e, d), r, "");
    left = cpu_splat(e, LLVMBuildTrunc(e->builder, left, e->i32, ""), lanes);
    LLVMValueRef more = distances(e, step);
    LLVMValueRef next = LLVMBuildICmp(e->builder, LLVMIntSGE, more, left, "");
    if (op->code == IR_OP_DIV)
        return LLVMBuildAdd(e->builder, cpu_splat(e, q, lanes), extend(e, next), "");
    LLVMValueRef rest = LLVMBuildAdd(e->builder, cpu_splat(e, r, lanes), extend(e, more), "");
    LLVMValueRef back = LLVMBuildSExt(e->builder, next, LLVMTypeOf(rest), "");
    back = LLVMBuildAnd(e->builder, back, cpu_splat(e, cpu_i64(e, d), lanes), "");
    return LLVMBuildSub(e->builder, rest, back, "");
}

/* For a small constant. */
static LLVMValueRef by_product(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef q,
                               LLVMValueRef r, int64_t d, int64_t step)
{
    struct cpu_math *m = &e->math;
    int lanes = e->body.lanes;
    LLVMValueRef first = cpu_splat(e, LLVMBuildTrunc(e->builder, r, e->i32, ""), lanes);
    LLVMValueRef n = LLVMBuildAdd(e->builder, first, distances(e, step), "");
    LLVMValueRef more = cpu_quotient_of_bits(e, n, bits_width(d - 1 + step * (lanes - 1)), d);
    if (op->code == IR_OP_DIV)
        return LLVMBuildAdd(e->builder, cpu_splat(e, q, lanes), extend(e, more), "");
    return extend(e, mb_sub(m, n, mb_mul(m, more, mb_const_int(more, d))));
}

static LLVMValueRef from_first(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef first,
                               int64_t d, int64_t step)
{
    LLVMValueRef divisor = cpu_i64(e, d);
    LLVMValueRef q = LLVMBuildUDiv(e->builder, first, divisor, "");
    LLVMValueRef r = LLVMBuildSub(e->builder, first, LLVMBuildMul(e->builder, q, divisor, ""), "");
    bool small = d < step * (e->body.lanes - 1);
    return small ? by_product(e, op, q, r, d, step) : by_comparison(e, op, q, r, d, step);
}

bool cpu_divide_indices(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                        struct cpu_element *element)
{
    int64_t step, d;
    if ((op->code != IR_OP_DIV && op->code != IR_OP_REM) || p->lane < 0 || e->body.lanes == 1 ||
        op->results[0]->type.elem != IR_I64)
        return false;
    if (!ir_constant_int(op->operands[1], &d) || d < 2 || d > MOST_DIVISOR)
        return false;
    struct ir_interval range = ir_range(op->operands[0]);
    if (range.least < 0)
        return false;
    if (bits_is_power(d)) {
        *element = cpu_element_of(e, op->operands[0], p);
        element->v = op->code == IR_OP_DIV ? cpu_quotient_by_power(e, element->v, d)
                                           : cpu_rest_by_power(e, element->v, d);
        return true;
    }
    if (cpu_step_along(e, op->operands[0], p, &step)) {
        if (step < 1 || step > MOST_STEP)
            return false;
        struct cpu_position at = *p;
        at.lane = -1;
        LLVMValueRef first = cpu_element_of(e, op->operands[0], &at).v;
        element->v = from_first(e, op, first, d, step);
        element->vector = true;
        return true;
    }
    if (bits_width(range.most) > MOST_RANGE_BITS)
        return false;
    *element = cpu_element_of(e, op->operands[0], p);
    element->v = of_few_bits(e, op, element->v, bits_width(range.most), d);
    return true;
}
