/*
 * bfloat in pairs.
 *
 *     elements    0 1 2 3 .. 31      as loaded, 32 bits hold two of them
 *     lanes       0 2 .. 30 | 1 3 .. 31
 *
 * The upper half of a float is a bfloat. So a vector of bfloats (32 with AVX-512, 16 with AVX2)
 * becomes two of floats by one shift (the even elements) and one mask (the odd ones), where keeping
 * the order takes two unpacking operations and two shifts. A nest may compute in that order if
 * nothing in it can tell: every vector starts as a bfloat that is widened, and ends in a sum, or
 * narrowed to a bfloat, which puts the elements back in order: with one permutation behind
 * AVX-512's conversion, and with a shift and a blend where the rounding is done on the bits. Masks
 * are in the order of memory; so this is for the interior, where they all hold.
 *
 * A tile that is kept in scratch memory lies there in the order of memory, with one exception: where
 * stores join a nest one program behind (behind.c), what the nest keeps for nothing but those stores
 * may be in pairs, as both happen in one loop. Its interior must be the same for all programs then.
 */
#include "cpu/cost.h"
#include "cpu/schedule.h"

enum { MOST_LANES = 32 };

int cpu_pair_lanes(const struct cpu_emit *e)
{
    const struct cpu_features *features = &e->level->features;
    return features->avx512_bf16 ? 32 : cpu_rounds_by_bits(features) ? 16 : 0;
}

struct walk {
    struct cpu_emit *e;
    const struct cpu_bounded *bounded; /* masks known to hold; NULL: any that bounds the nest */
    int bounded_count;
    int leaves;
    bool keeps;                     /* what the group makes may be kept in pairs */
    const struct cpu_group *keeper; /* that kept tiles in pairs, or NULL */
};

static bool is_kept(const struct cpu_group *group, const struct ir_value *v)
{
    for (size_t i = 0; group && i < group->sinks.count; i++) {
        if (group->sinks.items[i].kind == CPU_SINK_BUFFER && group->sinks.items[i].value == v)
            return true;
    }
    return false;
}

static bool mask_holds(const struct walk *w, const struct ir_value *mask)
{
    for (int i = 0; i < w->bounded_count && w->bounded; i++) {
        if (w->bounded[i].mask == mask && w->bounded[i].holds)
            return true;
    }
    return !w->bounded && cpu_is_bound(w->e, mask);
}

static bool is_widening(const struct ir_op *op)
{
    return op->code == IR_OP_CAST && op->results[0]->type.elem == IR_F32 &&
           op->operands[0]->type.elem == IR_BF16;
}

static bool value_in_pairs(struct walk *w, const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    const struct cpu_value *value = cpu_value_of(w->e, v);
    if (v->type.rank == 0)
        return true;
    if (op && value->buffer && is_kept(w->keeper, v)) {
        w->leaves++;
        return true;
    }
    if (!op || (value->buffer && !(w->keeps && !value->ready)))
        return false;
    if (op->code == IR_OP_BROADCAST)
        return op->operands[0]->type.rank == 0;
    if (is_widening(op)) {
        w->leaves++;
        return op->operands[0]->op && op->operands[0]->op->code == IR_OP_LOAD;
    }
    if (op->code == IR_OP_CONSTANT)
        return true;
    if (v->type.elem != IR_F32 || !ir_has(op, IR_ELEMENTWISE) || op->code == IR_OP_LOAD ||
        op->code == IR_OP_CAST || op->code == IR_OP_BITCAST)
        return false;
    if (op->code == IR_OP_SELECT)
        return mask_holds(w, op->operands[0]) && value_in_pairs(w, op->operands[1]);
    for (int i = 0; i < op->operand_count; i++) {
        if (!value_in_pairs(w, op->operands[i]))
            return false;
    }
    return true;
}

static bool sink_in_pairs(struct walk *w, const struct cpu_sink *sink)
{
    const struct ir_op *op = sink->op;
    if (sink->kind == CPU_SINK_BUFFER)
        return w->keeps && sink->value->type.elem == IR_F32 && value_in_pairs(w, sink->value);
    if (sink->kind == CPU_SINK_STORE && op->code == IR_OP_STORE) {
        const struct ir_op *cast = op->operands[1]->op;
        return cast && cast->code == IR_OP_CAST && cast->results[0]->type.elem == IR_BF16 &&
               !cpu_value_of(w->e, op->operands[1])->buffer &&
               cast->operands[0]->type.elem == IR_F32 && value_in_pairs(w, cast->operands[0]);
    }
    return sink->kind == CPU_SINK_REDUCE && op->results[0]->type.rank == 0 &&
           op->operands[0]->type.elem == IR_F32 &&
           (op->code == IR_OP_SUM || op->code == IR_OP_PROD) && value_in_pairs(w, op->operands[0]);
}

static bool group_in_pairs(struct walk *w, const struct cpu_group *group)
{
    if (cpu_pair_lanes(w->e) == 0)
        return false;
    for (size_t i = 0; i < group->sinks.count; i++) {
        if (!sink_in_pairs(w, &group->sinks.items[i]))
            return false;
    }
    return w->leaves > 0;
}

bool cpu_in_pairs(struct cpu_emit *e, const struct cpu_group *group,
                  const struct cpu_bounded *bounded, int bounded_count)
{
    struct walk w = {.e = e, .bounded = bounded, .bounded_count = bounded_count};
    return group_in_pairs(&w, group);
}

/* Whether all of its reductions are of tiles as they are loaded: those no order of lanes changes. */
static bool reads_as_it_is(const struct cpu_group *lead)
{
    for (size_t i = 0; i < lead->sinks.count; i++) {
        const struct ir_op *op = lead->sinks.items[i].op->operands[0]->op;
        if (!op || op->code != IR_OP_LOAD)
            return false;
    }
    return true;
}

bool cpu_in_pairs_behind(struct cpu_emit *e, struct cpu_group *const *groups,
                         const struct cpu_bounded *bounded, int bounded_count)
{
    struct walk walks[] = {
        {.e = e, .bounded = bounded, .bounded_count = bounded_count, .keeps = true},
        {.e = e, .bounded = bounded, .bounded_count = bounded_count, .keeper = groups[0]}};
    bool both = e->adjacent;
    for (int i = 0; i < bounded_count; i++)
        both = both && bounded[i].mask && cpu_is_fixed(e, bounded[i].mask);
    for (int k = 0; k < 2 && both; k++) {
        cpu_together_enter(e, k);
        both = group_in_pairs(&walks[k], groups[k]);
    }
    if (both && e->together > CPU_PROGRAM_AFTER) {
        cpu_together_enter(e, CPU_PROGRAM_AFTER);
        both = reads_as_it_is(groups[CPU_PROGRAM_AFTER]);
    }
    cpu_together_enter(e, CPU_PROGRAM_NOW);
    return both;
}

/* ---- the conversions ------------------------------------------------------------------------ */

static LLVMValueRef halves_in_turn(struct cpu_emit *e, LLVMValueRef low, LLVMValueRef high,
                                   int count, bool interleave)
{
    LLVMValueRef places[MOST_LANES];
    for (int i = 0; i < count; i++)
        places[i] = LLVMConstInt(
            e->i32, (unsigned long long)(interleave ? i / 2 + i % 2 * count / 2 : i), false);
    return LLVMBuildShuffleVector(e->builder, low, high, LLVMConstVector(places, (unsigned)count),
                                  "");
}

/* v: bfloats in order, as i16. */
LLVMValueRef cpu_widen_pairs(struct cpu_emit *e, LLVMValueRef v)
{
    int lanes = (int)LLVMGetVectorSize(LLVMTypeOf(v));
    LLVMTypeRef words = LLVMVectorType(e->i32, (unsigned)lanes / 2);
    LLVMTypeRef floats = LLVMVectorType(LLVMFloatTypeInContext(e->context), (unsigned)lanes / 2);
    LLVMValueRef pairs = LLVMBuildBitCast(e->builder, v, words, "");
    LLVMValueRef shift = cpu_splat(e, LLVMConstInt(e->i32, 16, false), lanes / 2);
    LLVMValueRef upper = cpu_splat(e, LLVMConstInt(e->i32, 0xffff0000, false), lanes / 2);
    LLVMValueRef even = LLVMBuildShl(e->builder, pairs, shift, "");
    LLVMValueRef odd = LLVMBuildAnd(e->builder, pairs, upper, "");
    LLVMValueRef odds = LLVMBuildBitCast(e->builder, odd, floats, "");
    return halves_in_turn(e, LLVMBuildBitCast(e->builder, even, floats, ""), odds, lanes, false);
}

/* v: floats in the order of pairs; the result is in order, as i16. */
LLVMValueRef cpu_narrow_pairs(struct cpu_emit *e, LLVMValueRef v, bool clean)
{
    if (cpu_rounds_by_bits(&e->level->features))
        return cpu_round_to_bf16(&e->math, v, true, clean);
    v = cpu_convert(&e->math, v, IR_F32, IR_BF16);
    return halves_in_turn(e, v, LLVMGetPoison(LLVMTypeOf(v)), (int)LLVMGetVectorSize(LLVMTypeOf(v)),
                          true);
}
