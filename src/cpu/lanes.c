/*
 * Indices of gathers in ints.
 *
 *     k = first + arange(0, K)                                     image to columns
 *     y = row + k % 9 / 3 - 1
 *     load(X + (k / 9 * height + y) * width + x, y >= 0 && y < height)
 *
 * Indices are exact, so they have 64 bits, and vectors of them half as many lanes as of what is
 * loaded; there is no instruction that divides or multiplies them. But the lanes of one vector
 * mostly differ by little. So such an index is one scalar of 64 bits and an int for each lane, of
 * which is known between which limits it lies:
 *
 *     x = x0 + k, no x below 0, 0 <= k:    x / d = x0 / d + (x0 % d + k) / d
 *                                          x % d = (x0 % d + k) % d
 *     x0 + k < y0 + m                      k - m < y0 - x0, cut to the limits of k - m
 *
 * Products by what only a launch knows, such as a width, are kept as terms: that factor and the
 * ints. They are summed up as ints in the end, if that fits: which the limits and the factors tell,
 * the same for all vectors of a nest. If not, in 64 bits.
 */
#include "cpu/lanes.h"
#include "base/bits.h"
#include "cpu/along.h"
#include "cpu/divide.h"
#include "cpu/math_build.h"
#include "ir/affine.h"

enum { DEPTH = 16, BUDGET = 256, MOST_STEP = 1 << 16, MOST_DIVISOR = 1 << 24 };

static const int64_t NO_WRAP = INT64_C(1) << 62; /* of compared indices */

struct question {
    struct cpu_emit *e;
    int lanes, budget;
    bool before; /* there is no body yet, nor code to make */
};

static bool find(struct question *q, const struct ir_value *v, const struct cpu_position *p,
                 int depth, struct cpu_lanes *r);

/* ---- parts ----------------------------------------------------------------------------------- */

static LLVMValueRef sum(struct question *q, LLVMValueRef a, LLVMValueRef b)
{
    return a && b ? LLVMBuildAdd(q->e->builder, a, b, "") : a ? a : b;
}

static LLVMValueRef times(struct question *q, LLVMValueRef v, int64_t factor)
{
    return v ? mb_mul(&q->e->math, v, mb_const_int(v, factor)) : NULL;
}

static LLVMValueRef splat_int(struct question *q, LLVMValueRef v)
{
    return cpu_splat(q->e, LLVMBuildTrunc(q->e->builder, v, q->e->i32, ""), q->lanes);
}

static LLVMValueRef moved(struct cpu_emit *e, const struct ir_value *v, LLVMValueRef a,
                          LLVMValueRef by)
{
    if (!v->type.pointer)
        return cpu_add(e, a, by);
    LLVMTypeRef unit = cpu_memory_type(e, ir_scalar((enum ir_elem)v->type.elem));
    return LLVMBuildGEP2(e->builder, unit, a, &by, 1, "");
}

static bool within(const struct cpu_small *s)
{
    return s->low >= -CPU_LANE_LIMIT && s->high <= CPU_LANE_LIMIT;
}

static void scale(struct question *q, struct cpu_small *s, int64_t factor)
{
    int64_t a = s->low * factor, b = s->high * factor; /* below 2^30 2^20 */
    s->low = a < b ? a : b;
    s->high = a < b ? b : a;
    s->more = times(q, s->more, factor);
}

/* first and what the terms are multiplied by */
static void scale_scalars(struct question *q, struct cpu_lanes *r, LLVMValueRef factor)
{
    if (q->before)
        return;
    r->first = LLVMBuildMul(q->e->builder, r->first, factor, "");
    for (int i = 0; i < r->term_count; i++)
        r->terms[i].factor = LLVMBuildMul(q->e->builder, r->terms[i].factor, factor, "");
}

static void of_step(struct question *q, const struct ir_value *v, const struct cpu_position *p,
                    int64_t step, struct cpu_lanes *r)
{
    struct cpu_emit *e = q->e;
    int64_t reach = step * (q->lanes - 1);
    *r = (struct cpu_lanes){.step = step, .grows = step >= 0, .least = reach};
    r->half = step * (q->lanes / 2 - 1);
    r->small.low = reach < 0 ? reach : 0;
    r->small.high = reach < 0 ? 0 : reach;
    if (q->before)
        return;
    r->first = cpu_first_along(e, v, p);
    if (step == 0)
        return;
    r->first = moved(e, v, r->first, cpu_mul(e, p->index[p->lane], cpu_i64(e, step)));
    r->small.more = times(q, cpu_iota(e, e->i32, q->lanes), step);
}

/* What fits into few bits by its range, if its op has no rule: mostly bytes that were loaded. */
static bool of_range(struct question *q, const struct ir_value *v, const struct cpu_position *p,
                     struct cpu_lanes *r)
{
    struct cpu_emit *e = q->e;
    const struct ir_op *cast = v->op;
    if (cast->code != IR_OP_CAST || v->type.pointer || cast->operands[0]->type.pointer ||
        ir_is_float((enum ir_elem)cast->operands[0]->type.elem) ||
        ir_elems[cast->operands[0]->type.elem].bits > 32)
        return false;
    struct ir_interval range = ir_range(v);
    *r = (struct cpu_lanes){.small = {.low = range.least, .high = range.most}};
    if (!within(&r->small) || q->before)
        return within(&r->small);
    struct cpu_element element = cpu_element_of(e, cast->operands[0], p);
    enum ir_elem from = (enum ir_elem)cast->operands[0]->type.elem;
    r->first = cpu_i64(e, 0);
    r->small.more = cpu_convert(&e->math, cpu_spread(e, element), from, IR_I32);
    return true;
}

/* Kept as ints, by its range (once.c). */
static bool of_kept(struct question *q, const struct ir_value *v, const struct cpu_position *p,
                    struct cpu_lanes *r)
{
    struct cpu_emit *e = q->e;
    const struct cpu_buffer *buffer = cpu_value_of(e, v)->buffer;
    struct ir_interval range = ir_range(v);
    if (buffer->type.elem != IR_I32 || v->type.elem != IR_I64 || buffer->type.pointer)
        return false;
    *r = (struct cpu_lanes){.small = {.low = range.least, .high = range.most}};
    if (q->before)
        return true;
    struct cpu_element ints = cpu_buffer_read(e, buffer, buffer->type, p);
    r->first = cpu_i64(e, 0);
    r->small.more = cpu_spread(e, ints);
    return true;
}

/* ---- quotients ------------------------------------------------------------------------------- */

/* v / d and v % d of ints from 0 to d - 1 + high */
static LLVMValueRef quotient(struct question *q, LLVMValueRef v, int64_t high, int64_t d,
                             LLVMValueRef *rest)
{
    enum { MOST_BITS = 15 };
    struct cpu_emit *e = q->e;
    struct cpu_math *m = &e->math;
    LLVMValueRef divisor = mb_const_int(v, d), result;
    int bits = bits_width(d - 1 + high);
    if (bits_is_power(d)) {
        *rest = cpu_rest_by_power(e, v, d);
        return cpu_quotient_by_power(e, v, d);
    }
    if (high <= d) {
        LLVMValueRef next = LLVMBuildICmp(e->builder, LLVMIntSGE, v, divisor, "");
        next = LLVMBuildSExt(e->builder, next, LLVMTypeOf(v), "");
        *rest = mb_sub(m, v, mb_and(m, next, divisor));
        return LLVMBuildNeg(e->builder, next, "");
    }
    if (bits <= MOST_BITS) { /* LLVM has shorter products of what it sees to be so short */
        v = mb_and(m, v, mb_const_int(v, (INT64_C(1) << bits) - 1));
        result = cpu_quotient_of_bits(e, v, bits, d);
    } else {
        result = LLVMBuildUDiv(e->builder, v, divisor, "");
    }
    *rest = mb_sub(m, v, mb_mul(m, result, divisor));
    return result;
}

/* first / d toward minus infinity, as it may be below 0 where no lane's index is. */
static LLVMValueRef floor_quotient(struct question *q, const struct cpu_lanes *x, int64_t d)
{
    LLVMBuilderRef builder = q->e->builder;
    LLVMValueRef divisor = cpu_i64(q->e, d);
    if (bits_is_power(d))
        return LLVMBuildAShr(builder, x->first, cpu_i64(q->e, bits_width(d - 1)), "");
    if (x->grows) /* it is the first lane's */
        return LLVMBuildUDiv(builder, x->first, divisor, "");
    LLVMValueRef sign = LLVMBuildAShr(builder, x->first, cpu_i64(q->e, 63), "");
    LLVMValueRef down = LLVMBuildAnd(builder, sign, cpu_i64(q->e, d - 1), "");
    return LLVMBuildSDiv(builder, LLVMBuildSub(builder, x->first, down, ""), divisor, "");
}

/* Where a vector begins in the loop of a nest does not matter for what is left of x0 if d divides
 * what x grows by from vector to vector: it is what is left at the loop's first one. The quotient
 * grows as x does. */
static bool divided_by_loop(struct question *q, const struct ir_value *dividend,
                            const struct cpu_position *p, const struct cpu_lanes *x, int64_t d,
                            LLVMValueRef *quotient, LLVMValueRef *left)
{
    struct cpu_emit *e = q->e;
    LLVMBuilderRef builder = e->builder;
    struct cpu_lanes start;
    if (!e->body.origin || p->index[p->lane] != e->body.place || x->step < 1 ||
        !bits_is_power(q->lanes) || x->step * q->lanes % d != 0)
        return false;
    struct cpu_position at = *p;
    at.index[p->lane] = e->body.origin;
    of_step(q, dividend, &at, x->step, &start);
    LLVMValueRef divisor = cpu_i64(e, d), first = LLVMBuildUDiv(builder, start.first, divisor, "");
    *left = LLVMBuildSub(builder, start.first, LLVMBuildMul(builder, first, divisor, ""), "");
    LLVMValueRef vectors = LLVMBuildSub(builder, e->body.place, e->body.origin, "");
    vectors = LLVMBuildExactSDiv(builder, vectors, cpu_i64(e, q->lanes), "");
    vectors = LLVMBuildMul(builder, vectors, cpu_i64(e, x->step * q->lanes / d), "");
    *quotient = LLVMBuildAdd(builder, first, vectors, "");
    return true;
}

static bool divided(struct question *q, const struct ir_op *op, int64_t d,
                    const struct cpu_position *p, int depth, struct cpu_lanes *r)
{
    struct cpu_emit *e = q->e;
    struct cpu_lanes x;
    bool remains = op->code == IR_OP_REM || op->code == IR_OP_AND;
    if (d < 1 || d > MOST_DIVISOR || ir_range(op->operands[0]).least < 0 ||
        !find(q, op->operands[0], p, depth, &x) || x.term_count > 0)
        return false;
    int64_t high = x.small.high - x.small.low; /* with the lowest as part of the first */
    if (high > CPU_LANE_LIMIT / 2)
        return false;
    *r = (struct cpu_lanes){.grows = x.grows && !remains, .least = x.least / d};
    r->half = (d - 1 + x.half) / d;
    r->small.high = remains ? d - 1 : (d - 1 + high) / d;
    if (q->before)
        return true;
    x.first = cpu_add(e, x.first, cpu_i64(e, x.small.low));
    LLVMValueRef divisor = cpu_i64(e, d), low = cpu_i64(e, -x.small.low);
    LLVMValueRef left, rest;
    if (!divided_by_loop(q, op->operands[0], p, &x, d, &r->first, &left)) {
        r->first = floor_quotient(q, &x, d);
        LLVMValueRef multiple = LLVMBuildMul(e->builder, r->first, divisor, "");
        left = LLVMBuildSub(e->builder, x.first, multiple, "");
    }
    LLVMValueRef n = sum(q, splat_int(q, LLVMBuildAdd(e->builder, left, low, "")), x.small.more);
    LLVMValueRef more = quotient(q, n, high, d, &rest);
    r->small.more = remains ? rest : more;
    if (remains)
        r->first = cpu_i64(e, 0);
    return true;
}

/* ---- sums and products ----------------------------------------------------------------------- */

static bool negated(struct question *q, struct cpu_lanes *r)
{
    scale(q, &r->small, -1);
    scale_scalars(q, r, cpu_i64(q->e, -1));
    r->grows = false;
    r->step = 0;
    return true;
}

static bool added(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                  int depth, struct cpu_lanes *r)
{
    struct cpu_lanes b;
    if (!find(q, op->operands[0], p, depth, r) || !find(q, op->operands[1], p, depth, &b) ||
        r->term_count + b.term_count > CPU_LANE_TERMS)
        return false;
    bool same = b.small.low == 0 && b.small.high == 0 && b.term_count == 0; /* for all lanes */
    if (op->code == IR_OP_SUB)
        negated(q, &b);
    r->step = 0;
    r->grows = r->grows && (b.grows || same);
    r->least += b.least;
    r->half += b.half;
    r->small.low += b.small.low;
    r->small.high += b.small.high;
    for (int i = 0; i < b.term_count; i++)
        r->terms[r->term_count++] = b.terms[i];
    if (q->before)
        return within(&r->small);
    r->first = moved(q->e, op->results[0], r->first, b.first);
    r->small.more = sum(q, r->small.more, b.small.more);
    return within(&r->small);
}

/* By what all lanes share. */
static bool by_scalar(struct question *q, const struct ir_value *scalar,
                      const struct cpu_position *p, struct cpu_lanes *r)
{
    struct cpu_small ints = r->small;
    LLVMValueRef factor = q->before ? NULL : cpu_first_along(q->e, scalar, p);
    r->grows = false;
    r->step = 0;
    r->small = (struct cpu_small){0};
    scale_scalars(q, r, factor);
    if (ints.low == 0 && ints.high == 0)
        return true;
    if (r->term_count == CPU_LANE_TERMS)
        return false;
    ints.factor = factor;
    r->terms[r->term_count++] = ints;
    return true;
}

static bool multiplied(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                       int depth, struct cpu_lanes *r)
{
    enum { MOST_FACTOR = 1 << 20 };
    int64_t factor, step;
    for (int side = 0; side < 2; side++) {
        const struct ir_value *other = op->operands[1 - side];
        bool same = q->before ? cpu_may_step_along(q->e, other, &step)
                              : cpu_step_along(q->e, other, p, &step);
        if (!same || step != 0)
            continue;
        if (!find(q, op->operands[side], p, depth, r))
            return false;
        if (!ir_constant_int(other, &factor) || factor > MOST_FACTOR || factor < -MOST_FACTOR)
            return by_scalar(q, other, p, r);
        r->grows = r->grows && factor >= 0;
        r->step = 0;
        r->least *= factor;
        r->half *= factor;
        scale(q, &r->small, factor);
        scale_scalars(q, r, cpu_i64(q->e, factor));
        return within(&r->small);
    }
    return false;
}

/* ---- an index -------------------------------------------------------------------------------- */

static bool of_op(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                  int depth, struct cpu_lanes *r)
{
    int64_t constant;
    bool by_constant = op->operand_count == 2 && op->results[0]->type.elem == IR_I64 &&
                       !op->results[0]->type.pointer && ir_constant_int(op->operands[1], &constant);
    switch (op->code) {
    case IR_OP_DIV:
    case IR_OP_REM:
        return by_constant && divided(q, op, constant, p, depth, r);
    case IR_OP_SHR:
        return by_constant && constant >= 0 && constant <= 24 &&
               divided(q, op, INT64_C(1) << constant, p, depth, r);
    case IR_OP_AND:
        return by_constant && constant >= 0 && constant < MOST_DIVISOR &&
               bits_is_power(constant + 1) && divided(q, op, constant + 1, p, depth, r);
    case IR_OP_ADDPTR:
    case IR_OP_ADD:
    case IR_OP_SUB:
        return added(q, op, p, depth, r);
    case IR_OP_MUL:
        return multiplied(q, op, p, depth, r);
    case IR_OP_NEG:
        return find(q, op->operands[0], p, depth, r) && negated(q, r);
    case IR_OP_CAST:
        return of_range(q, op->results[0], p, r);
    default:
        return false;
    }
}

static bool find(struct question *q, const struct ir_value *v, const struct cpu_position *p,
                 int depth, struct cpu_lanes *r)
{
    int64_t step;
    if (!cpu_is_index(v->type) || q->budget-- <= 0)
        return false;
    bool steps = q->before ? cpu_may_step_along(q->e, v, &step) : cpu_step_along(q->e, v, p, &step);
    if (steps) {
        bool near = step >= -MOST_STEP && step <= MOST_STEP;
        if (near)
            of_step(q, v, p, step, r);
        return near;
    }
    if (!v->op || depth == 0)
        return false;
    if (cpu_value_of(q->e, v)->buffer && cpu_value_of(q->e, v)->ready)
        return of_kept(q, v, p, r);
    if (cpu_moves_elements(v->op)) {
        struct cpu_position operand = cpu_operand_position(q->e, v->op, p);
        return operand.lane >= 0 && find(q, v->op->operands[0], &operand, depth - 1, r);
    }
    return of_op(q, v->op, p, depth - 1, r);
}

bool cpu_lanes_of(struct cpu_emit *e, const struct ir_value *v, const struct cpu_position *p,
                  struct cpu_lanes *form)
{
    struct question q = {e, e->body.lanes, BUDGET, false};
    int64_t step;
    return p->lane >= 0 && q.lanes > 1 && !cpu_step_along(e, v, p, &step) &&
           find(&q, v, p, DEPTH, form);
}

static struct cpu_position along_last(struct cpu_emit *e, struct ir_type type)
{
    struct cpu_position p = {.rank = type.rank, .lane = -1};
    for (int k = 0; k < p.rank; k++) {
        p.index[k] = cpu_i64(e, 0);
        p.lane = type.dims[k] > 1 ? k : p.lane;
    }
    return p;
}

bool cpu_may_have_lanes(struct cpu_emit *e, const struct ir_value *v, int lanes,
                        struct cpu_lanes *form)
{
    struct question q = {e, lanes, BUDGET, true};
    struct cpu_position p = along_last(e, v->type);
    int64_t step;
    return p.lane >= 0 && !cpu_may_step_along(e, v, &step) && find(&q, v, &p, DEPTH, form);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static double most_of(const struct cpu_small *s)
{
    return s->high > -s->low ? (double)s->high : (double)-s->low;
}

/* Whether the sum of all terms is an int, rounded up well enough: asked as doubles. */
static LLVMValueRef fits(struct cpu_emit *e, const struct cpu_lanes *form)
{
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context);
    LLVMValueRef all = LLVMConstReal(f64, most_of(&form->small));
    for (int i = 0; i < form->term_count; i++) {
        LLVMValueRef factor = LLVMBuildSIToFP(e->builder, form->terms[i].factor, f64, "");
        factor = mb_abs(&e->math, factor);
        LLVMValueRef most = LLVMConstReal(f64, most_of(&form->terms[i]));
        all = LLVMBuildFAdd(e->builder, all, LLVMBuildFMul(e->builder, factor, most, ""), "");
    }
    return LLVMBuildFCmp(e->builder, LLVMRealOLT, all, LLVMConstReal(f64, 0x1p31 - 1024), "");
}

/* All of it but the first, in integers of the type. */
static LLVMValueRef all_terms(struct cpu_emit *e, const struct cpu_lanes *form, LLVMTypeRef type)
{
    LLVMTypeRef vector = cpu_vector(type, e->body.lanes);
    LLVMValueRef all = NULL;
    if (form->small.more)
        all = LLVMBuildSExtOrBitCast(e->builder, form->small.more, vector, "");
    for (int i = 0; i < form->term_count; i++) {
        LLVMValueRef factor = LLVMBuildTruncOrBitCast(e->builder, form->terms[i].factor, type, "");
        LLVMValueRef more = LLVMBuildSExtOrBitCast(e->builder, form->terms[i].more, vector, "");
        more = LLVMBuildMul(e->builder, more, cpu_splat(e, factor, e->body.lanes), "");
        all = all ? LLVMBuildAdd(e->builder, all, more, "") : more;
    }
    return all ? all : LLVMConstNull(vector);
}

LLVMValueRef cpu_lane_pointers(struct cpu_emit *e, const struct ir_value *pointer,
                               const struct cpu_lanes *form)
{
    LLVMTypeRef wide = cpu_vector(e->i64, e->body.lanes);
    LLVMTypeRef unit = cpu_memory_type(e, ir_scalar((enum ir_elem)pointer->type.elem));
    LLVMValueRef offsets;
    cpu_takes(e, CPU_PATH_INTS);
    if (form->term_count == 0) {
        offsets = LLVMBuildSExt(e->builder, all_terms(e, form, e->i32), wide, "");
        return LLVMBuildGEP2(e->builder, unit, form->first, &offsets, 1, "");
    }
    LLVMBasicBlockRef blocks[] = {cpu_block(e, "ints"), cpu_block(e, "longs")};
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMBuildCondBr(e->builder, fits(e, form), blocks[0], blocks[1]);
    LLVMPositionBuilderAtEnd(e->builder, blocks[0]);
    LLVMValueRef values[2] = {LLVMBuildSExt(e->builder, all_terms(e, form, e->i32), wide, "")};
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, blocks[1]);
    values[1] = all_terms(e, form, e->i64);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, on);
    offsets = LLVMBuildPhi(e->builder, wide, "");
    LLVMAddIncoming(offsets, values, blocks, 2);
    return LLVMBuildGEP2(e->builder, unit, form->first, &offsets, 1, "");
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static bool does_not_wrap(const struct ir_value *v)
{
    struct ir_interval range = ir_range(v);
    return range.least >= -NO_WRAP && range.most <= NO_WRAP;
}

/* Both sides of a comparison, of which one at least has no constant step. */
static bool sides_of(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                     struct cpu_lanes *a, struct cpu_lanes *b)
{
    if (!ir_is_comparison(op->code))
        return false;
    const struct ir_value *x = op->operands[0], *y = op->operands[1];
    int64_t step[2];
    if (x->type.pointer || x->type.elem != IR_I64 || p->lane < 0 || q->lanes < 2 ||
        !does_not_wrap(x) || !does_not_wrap(y))
        return false;
    bool steps = q->before
                     ? cpu_may_step_along(q->e, x, step) && cpu_may_step_along(q->e, y, step + 1)
                     : cpu_step_along(q->e, x, p, step) && cpu_step_along(q->e, y, p, step + 1);
    return !steps && find(q, x, p, DEPTH, a) && find(q, y, p, DEPTH, b) && a->term_count == 0 &&
           b->term_count == 0;
}

bool cpu_may_compare_lanes(struct cpu_emit *e, const struct ir_op *op)
{
    struct question q = {e, e->level->vector_bits / 32, BUDGET, true};
    struct cpu_position p = along_last(e, op->results[0]->type);
    struct cpu_lanes a, b;
    return sides_of(&q, op, &p, &a, &b);
}

bool cpu_compare_lanes(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                       struct cpu_element *result)
{
    static const LLVMIntPredicate predicates[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
                                                  LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    struct question q = {e, e->body.lanes, BUDGET, false};
    struct cpu_lanes a, b;
    if (!sides_of(&q, op, p, &a, &b))
        return false;
    int64_t low = a.small.low - b.small.high, high = a.small.high - b.small.low;
    if (low < -CPU_LANE_LIMIT || high > CPU_LANE_LIMIT)
        return false;
    LLVMValueRef operands[] = {b.first, a.first};
    LLVMValueRef bound = cpu_intrinsic(e, "llvm.ssub.sat", 1, &e->i64, 2, operands);
    bound = cpu_min_i64(e, cpu_max_i64(e, bound, cpu_i64(e, low - 1)), cpu_i64(e, high + 1));
    bound = splat_int(&q, bound);
    negated(&q, &b);
    LLVMValueRef more = sum(&q, a.small.more, b.small.more);
    more = more ? more : LLVMConstNull(LLVMTypeOf(bound));
    result->v = LLVMBuildICmp(e->builder, predicates[op->code - IR_OP_EQ], more, bound, "");
    result->vector = true;
    return true;
}
