/*
 * Sums of squared distances from a mean, without another pass over the tile.
 *
 *     s = sum(x)                                  s = sum(x), and z = the sum of x * x
 *     m = s / n                            ->     m = s / n
 *     q = sum((x - m) * (x - m))                  q = z - 2 m s + n m m, if that is good enough,
 *                                                 else the sum
 *
 * For every m the two are the same but for rounding, which the interpreter allows for as it does
 * for another order of the sum: (T - 1) u q for this side, where T is the number of the tile's
 * elements and u is 2^-24. What is taken off z may leave more of an error than that, and then the
 * sum is made after all. With z <= 4 q and n m m <= 3.5 q, which are asked for at run time:
 *
 *     z: P = T / (partial sums) roundings each, and 4 to combine them,
 *             (P + 4) u z <= 4 (P + 4) u q
 *     s: (P + 6) u times the sum of |x|, at most sqrt(n z) <= 2 sqrt(n q), times 2 |m|,
 *             2 * 1.88 * 2 (P + 6) u q = 7.5 (P + 6) u q
 *     the formula itself, and x - m and its square, which the sum would round, not this,
 *             40 u q
 *
 * in all 11.5 P + 101, which is less than T - 1 for P <= T / 16 and T >= 512. q is neither so large
 * that something may overflow, nor so small that products are subnormal.
 *
 * Where no order of the sum rounds, as for small whole numbers, the interpreter allows for nothing.
 * Then every square is a multiple of a power of 2 of which q is at most 2^24. So one vector of
 * squares must show that they are not: one that is at most q / 4 and is rounded when it is added
 * to a power of 2 that is at most q / 2. Among common numbers nearly every one is.
 *
 * Masked elements are 0 where the tile is loaded, and left out of q: so the mask must hold from the
 * first element on, and n is their number.
 *
 * Each program decides for itself: two side by side run the nest if either must, and results do not
 * depend on which programs run together.
 */
#include "cpu/squares.h"
#include "cpu/cost.h"
#include "cpu/math_build.h"

enum {
    LEAST_ELEMENTS = 512,
    MOST_OPS = 6, /* between a sum and what is made of it, one below the other */
};

/* ---- which sums ----------------------------------------------------------------------------- */

struct about {                           /* sum((x - m) * (x - m)), where the mask holds */
    const struct ir_value *x, *m, *mask; /* mask: NULL: everywhere */
    struct ir_op *sum;                   /* of x, that m is made of */
};

static bool is_zero(const struct ir_value *v)
{
    uint64_t bits;
    return ir_constant_bits(v, &bits) && bits == 0;
}

/* A load under the mask, as it is or in another float. */
static bool is_zero_outside(const struct ir_value *v, const struct ir_value *mask)
{
    while (v->op && v->op->code == IR_OP_CAST && ir_is_float((enum ir_elem)v->type.elem))
        v = v->op->operands[0];
    const struct ir_op *op = v->op;
    return op && op->code == IR_OP_LOAD && op->operand_count == 3 && op->operands[1] == mask &&
           is_zero(op->operands[2]) && ir_is_float((enum ir_elem)v->type.elem);
}

/* The sum of x that the scalar is made of, or NULL. */
static struct ir_op *sum_below(const struct ir_value *v, const struct ir_value *x, int depth)
{
    struct ir_op *op = v->op, *found = NULL;
    if (!op || depth == 0 || v->type.rank > 0)
        return NULL;
    if (op->code == IR_OP_SUM)
        return op->operands[0] == x ? op : NULL;
    for (int i = 0; i < op->operand_count && !found && ir_has(op, IR_ELEMENTWISE); i++)
        found = sum_below(op->operands[i], x, depth - 1);
    return found;
}

static bool find_about(const struct ir_op *op, struct about *a)
{
    *a = (struct about){.mask = NULL};
    if (op->code != IR_OP_SUM || op->results[0]->type.rank > 0 ||
        op->operands[0]->type.elem != IR_F32)
        return false;
    const struct ir_op *product = op->operands[0]->op;
    if (!product || product->code != IR_OP_MUL || product->operands[0] != product->operands[1])
        return false;
    const struct ir_op *distance = product->operands[0]->op;
    if (distance && distance->code == IR_OP_SELECT && is_zero(distance->operands[2])) {
        a->mask = distance->operands[0];
        distance = distance->operands[1]->op;
    }
    if (!distance || distance->code != IR_OP_SUB)
        return false;
    a->x = distance->operands[0];
    a->m = distance->operands[1];
    while (a->m->op && a->m->op->code == IR_OP_BROADCAST)
        a->m = a->m->op->operands[0];
    if (a->m->type.rank > 0 || !a->x->op || (a->mask && !is_zero_outside(a->x, a->mask)))
        return false;
    a->sum = sum_below(a->m, a->x, MOST_OPS);
    return a->sum && a->sum->parent == op->parent && a->sum->results[0]->type.rank == 0;
}

static bool mark(struct ir_op *op, void *user)
{
    (void)user;
    struct about about;
    if (op->code != IR_OP_SUM || op->attributes.bits != 0 || !find_about(op, &about) ||
        (about.sum->attributes.bits != 0 && about.sum->attributes.bits != CPU_SUM_SQUARES))
        return true;
    about.sum->attributes.bits = CPU_SUM_SQUARES;
    op->attributes.bits = CPU_SUM_ABOUT;
    return true;
}

void cpu_mark_squares(struct ir_func *func)
{
    ir_walk(func->body, mark, NULL);
}

/* Whether the lanes run over all of the shape, of which there is enough. */
static bool is_row(struct ir_type shape)
{
    int long_axes = 0;
    for (int k = 0; k < shape.rank; k++)
        long_axes += shape.dims[k] > 1;
    return long_axes == 1 && ir_element_count(shape) >= LEAST_ELEMENTS;
}

/* Floats that stream through vectors of 256 bits wait for memory rather than for a pass in cache:
 * with the level x86-64-v3 on Zen 4, rows of 16 KB, LayerNorm went from 0.63 to 0.57 of a copy's
 * speed (two threads; one: 0.59 to 0.54), of half from 0.53 to 0.87, of bfloat from 0.66 to 0.77.
 * Where translations are fetched it was not seen. */
static bool waits_for_memory(const struct cpu_emit *e, const struct about *about)
{
    return e->streaming && !cpu_stream_is_known(e) && e->level->vector_bits < 512 &&
           about->x->op->code != IR_OP_CAST;
}

static bool may_skip(struct cpu_emit *e, const struct cpu_group *group, struct about *about)
{
    if (!e->level->features.fma || group->sinks.count != 1 || !is_row(group->shape))
        return false;
    const struct cpu_sink *sink = &group->sinks.items[0];
    return sink->kind == CPU_SINK_REDUCE && sink->op->code == IR_OP_SUM &&
           sink->op->attributes.bits == CPU_SUM_ABOUT && find_about(sink->op, about) &&
           !waits_for_memory(e, about) && (!about->mask || cpu_is_bound(e, about->mask));
}

bool cpu_squares_skip(struct cpu_emit *e, const struct cpu_group *group)
{
    struct about about;
    return may_skip(e, group, &about);
}

bool cpu_squares_wanted(struct cpu_emit *e, const struct cpu_group *group, const struct ir_op *sum)
{
    const struct cpu_schedule *s = group->schedule;
    if (sum->code != IR_OP_SUM || sum->attributes.bits != CPU_SUM_SQUARES)
        return false;
    for (size_t i = 0; i < s->steps.count; i++) {
        struct about about;
        const struct cpu_group *other = s->steps.items[i].group;
        if (s->steps.items[i].kind == CPU_STEP_GROUP && other != group &&
            may_skip(e, other, &about) && about.sum == sum)
            return true;
    }
    return false;
}

/* ---- the code ------------------------------------------------------------------------------- */

/* How many elements count, as a float; *fits: whether the mask holds for them, and then no more. */
static LLVMValueRef count_of(struct cpu_emit *e, const struct about *about, int64_t size,
                             const struct cpu_position *p, LLVMValueRef *fits)
{
    LLVMTypeRef f32 = LLVMFloatTypeInContext(e->context);
    struct cpu_limits limits;
    *fits = LLVMConstInt(e->i1, 1, false);
    if (!about->mask)
        return LLVMConstReal(f32, (double)size);
    if (!cpu_limits_of(e, about->mask, p, size, &limits))
        return NULL;
    struct cpu_span holds = limits.holds, fails = limits.fails;
    LLVMValueRef first = LLVMBuildICmp(e->builder, LLVMIntEQ, holds.from, cpu_i64(e, 0), "");
    LLVMValueRef meet = LLVMBuildICmp(e->builder, LLVMIntEQ, holds.to, fails.from, "");
    LLVMValueRef last = LLVMBuildICmp(e->builder, LLVMIntEQ, fails.to, cpu_i64(e, size), "");
    *fits = LLVMBuildAnd(e->builder, LLVMBuildAnd(e->builder, first, meet, ""), last, "");
    return LLVMBuildSIToFP(e->builder, holds.to, f32, "");
}

/* Whether a square at the position shows that their sum rounds. */
static LLVMValueRef sum_rounds(struct cpu_emit *e, const struct ir_op *op,
                               const struct cpu_position *p, LLVMValueRef sum)
{
    struct cpu_math *m = &e->math;
    LLVMValueRef square = cpu_spread(e, cpu_element_of(e, op->operands[0], p));
    LLVMValueRef power = mb_and(m, mb_as_int(m, sum), LLVMConstInt(e->i32, 0x7f800000, false));
    power = mb_fmul(m, mb_as_float(m, power), mb_const_float(sum, 0.5));
    LLVMValueRef most = mb_fmul(m, sum, mb_const_float(sum, 0.25));
    LLVMValueRef added = mb_broadcast(m, square, power);
    LLVMValueRef back = mb_fsub(m, mb_fadd(m, added, square), added);
    LLVMValueRef rounded = mb_fcmp(m, LLVMRealONE, back, square);
    LLVMValueRef small = mb_fcmp(m, LLVMRealOLE, square, mb_broadcast(m, square, most));
    return mb_any(m, LLVMBuildAnd(e->builder, rounded, small, ""));
}

/* Of the program whose values are e->values. */
static bool make_sum(struct cpu_emit *e, const struct cpu_group *group,
                     const struct cpu_position *p, LLVMValueRef *sum, LLVMValueRef *good)
{
    struct cpu_math *math = &e->math;
    struct about about;
    if (!may_skip(e, group, &about))
        return false;
    const struct cpu_value *first = cpu_value_of(e, about.sum->results[0]);
    LLVMValueRef n =
        first->squares ? count_of(e, &about, ir_element_count(group->shape), p, good) : NULL;
    if (!n)
        return false;
    LLVMValueRef m = cpu_value_of(e, about.m)->scalar, s = first->scalar, z = first->squares;
    LLVMValueRef twice = mb_fmul(math, s, mb_const_float(s, -2));
    LLVMValueRef q = mb_fma(math, m, mb_fma(math, n, m, twice), z);
    LLVMValueRef squared = mb_fmul(math, mb_fmul(math, n, m), m);
    const struct {
        LLVMValueRef less, more;
    } bounds[] = {
        {z, mb_fmul(math, q, mb_const_float(q, 4))},
        {squared, mb_fmul(math, q, mb_const_float(q, 3.5))},
        {q, mb_const_float(q, 0x1p120)},
        {mb_const_float(q, 0x1p-90), q},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        LLVMValueRef holds = mb_fcmp(math, LLVMRealOLE, bounds[i].less, bounds[i].more);
        *good = LLVMBuildAnd(e->builder, *good, holds, "");
    }
    *good = LLVMBuildAnd(e->builder, *good, sum_rounds(e, group->sinks.items[0].op, p, q), "");
    *sum = q;
    return true;
}

bool cpu_squares_begin(struct cpu_emit *e, struct cpu_group *const *groups,
                       const struct cpu_position *position, int lanes, struct cpu_shortcut *s)
{
    struct cpu_position p = *position;
    LLVMValueRef all = NULL;
    if ((e->behind && e->together > 1) || p.lane < 0)
        return false;
    for (int k = 0; k < p.rank; k++)
        p.index[k] = cpu_i64(e, 0);
    cpu_new_epoch(e);
    e->body = (struct cpu_body){.lanes = lanes};
    for (int k = 0; k < e->together; k++) {
        cpu_together_enter(e, k);
        if (!make_sum(e, groups[k], &p, &s->sums[k], &s->good[k]))
            return false;
        all = all ? LLVMBuildAnd(e->builder, all, s->good[k], "") : s->good[k];
    }
    cpu_together_enter(e, 0);
    LLVMBasicBlockRef nest = cpu_block(e, "distances");
    s->done = cpu_block(e, "squares");
    s->before = LLVMGetInsertBlock(e->builder);
    LLVMBuildCondBr(e->builder, all, s->done, nest);
    LLVMPositionBuilderAtEnd(e->builder, nest);
    cpu_new_epoch(e);
    return true;
}

void cpu_squares_end(struct cpu_emit *e, struct cpu_group *const *groups,
                     const struct cpu_shortcut *s)
{
    LLVMValueRef made[CPU_MOST_TOGETHER];
    for (int k = 0; k < e->together; k++) {
        cpu_together_enter(e, k);
        const struct ir_value *result = groups[k]->sinks.items[0].op->results[0];
        made[k] = LLVMBuildSelect(e->builder, s->good[k], s->sums[k],
                                  cpu_value_of(e, result)->scalar, "");
    }
    LLVMBasicBlockRef behind = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, s->done);
    LLVMPositionBuilderAtEnd(e->builder, s->done);
    for (int k = 0; k < e->together; k++) {
        cpu_together_enter(e, k);
        LLVMValueRef phi = LLVMBuildPhi(e->builder, LLVMTypeOf(made[k]), "");
        LLVMAddIncoming(phi, (LLVMValueRef[]){s->sums[k], made[k]},
                        (LLVMBasicBlockRef[]){s->before, behind}, 2);
        cpu_value_of(e, groups[k]->sinks.items[0].op->results[0])->scalar = phi;
    }
    cpu_together_enter(e, 0);
    cpu_new_epoch(e);
}
