/*
 * Sums of squared distances from a mean, without another pass over the tile: by the sums of
 * elements and of squares where that is good enough (plan/squares.h).
 *
 * P, the roundings of a term in a partial sum, is the number of elements over that of partial sums,
 * which 4 steps combine: 11.5 P + 101 is less than T - 1 for P <= T / 16 and T >= 512. A vector of
 * squares is asked whether the sum rounds.
 *
 * Each program decides for itself: two side by side run the nest if either must, and results do not
 * depend on which programs run together.
 */
#include "cpu/squares.h"
#include "cpu/cost.h"
#include "cpu/math_build.h"
#include "plan/squares.h"

enum { LEAST_ELEMENTS = 512 };

/* ---- which sums ----------------------------------------------------------------------------- */

static bool mark(struct ir_op *op, void *user)
{
    (void)user;
    struct plan_squares about;
    if (op->code != IR_OP_SUM || op->attributes.bits != 0 || !plan_find_squares(op, &about) ||
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
static bool waits_for_memory(const struct cpu_emit *e, const struct plan_squares *about)
{
    return e->streaming && !cpu_stream_is_known(e) && e->level->vector_bits < 512 &&
           about->x->op->code != IR_OP_CAST;
}

static bool may_skip(struct cpu_emit *e, const struct cpu_group *group, struct plan_squares *about)
{
    if (!e->level->features.fma || group->sinks.count != 1 || !is_row(group->shape))
        return false;
    const struct cpu_sink *sink = &group->sinks.items[0];
    return sink->kind == CPU_SINK_REDUCE && sink->op->code == IR_OP_SUM &&
           sink->op->attributes.bits == CPU_SUM_ABOUT && plan_find_squares(sink->op, about) &&
           !waits_for_memory(e, about) && (!about->mask || cpu_is_bound(e, about->mask));
}

bool cpu_squares_skip(struct cpu_emit *e, const struct cpu_group *group)
{
    struct plan_squares about;
    return may_skip(e, group, &about);
}

bool cpu_squares_wanted(struct cpu_emit *e, const struct cpu_group *group, const struct ir_op *sum)
{
    const struct cpu_schedule *s = group->schedule;
    if (sum->code != IR_OP_SUM || sum->attributes.bits != CPU_SUM_SQUARES)
        return false;
    for (size_t i = 0; i < s->steps.count; i++) {
        struct plan_squares about;
        const struct cpu_group *other = s->steps.items[i].group;
        if (s->steps.items[i].kind == CPU_STEP_GROUP && other != group &&
            may_skip(e, other, &about) && about.sum == sum)
            return true;
    }
    return false;
}

/* ---- the code ------------------------------------------------------------------------------- */

/* How many elements count, as a float; *fits: whether the mask holds for them, and then no more. */
static LLVMValueRef count_of(struct cpu_emit *e, const struct plan_squares *about, int64_t size,
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
    struct plan_squares about;
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
        {z, mb_fmul(math, q, mb_const_float(q, PLAN_SQUARES_MOST_Z))},
        {squared, mb_fmul(math, q, mb_const_float(q, PLAN_SQUARES_MOST_MEAN))},
        {q, mb_const_float(q, PLAN_SQUARES_MOST)},
        {mb_const_float(q, PLAN_SQUARES_LEAST), q},
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
    cpu_takes(e, CPU_PATH_SQUARES);
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
