/*
 * argmax and argmin.
 *
 * They order elements by an integer key that says everything: a float's bits made monotonic, with
 * NaN beyond all others on either side. Each lane keeps its best key and the least index that has
 * it; the end picks the best key and the least index among its owners.
 */
#include "cpu/reduce_parts.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static bool key_is_signed(enum ir_elem elem)
{
    return ir_is_float(elem) || ir_is_signed(elem);
}

LLVMTypeRef cpu_index_key_type(struct cpu_emit *e, enum ir_elem elem)
{
    if (elem == IR_F64)
        return e->i64;
    if (ir_is_float(elem))
        return e->i32;
    return cpu_elem_type(&e->math, elem);
}

struct ir_type cpu_index_buffer_type(struct cpu_emit *e, const struct cpu_sink *sink)
{
    static const enum ir_elem by_log[] = {IR_I8, IR_I16, IR_I32, IR_I64};
    unsigned width = LLVMGetIntTypeWidth(cpu_index_key_type(e, cpu_reduced_elem(sink)));
    int log = width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3;
    return ir_with_elem(sink->buffer->type, by_log[log]);
}

static LLVMValueRef splat_int(struct cpu_emit *e, LLVMTypeRef element, uint64_t bits, int lanes)
{
    return cpu_splat(e, LLVMConstInt(element, bits, false), lanes);
}

/* The key that beats every other one (for max: NaN's), as bits. */
static uint64_t extreme_key(LLVMTypeRef type, bool is_signed, bool high)
{
    unsigned width = LLVMGetIntTypeWidth(type);
    uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    if (!is_signed)
        return high ? all : 0;
    return high ? all >> 1 : (all >> 1) + 1;
}

/* Integers that are ordered as the floats are whose bits these are. AVX2 selects by the sign as it
 * is; AVX-512 would make a mask of it first, and there shifts are faster. */
static LLVMValueRef monotonic(struct cpu_emit *e, LLVMValueRef bits, LLVMTypeRef type, int lanes)
{
    LLVMValueRef magnitude = splat_int(e, type, extreme_key(type, true, true), lanes);
    if (e->level->features.avx2 && !e->level->features.avx512) {
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(bits));
        LLVMValueRef negative = LLVMBuildICmp(e->builder, LLVMIntSLT, bits, zero, "");
        LLVMValueRef turned = LLVMBuildXor(e->builder, bits, magnitude, "");
        return LLVMBuildSelect(e->builder, negative, turned, bits, "");
    }
    unsigned width = LLVMGetIntTypeWidth(type);
    LLVMValueRef sign = LLVMBuildAShr(e->builder, bits, splat_int(e, type, width - 1, lanes), "");
    return LLVMBuildXor(e->builder, bits, LLVMBuildAnd(e->builder, sign, magnitude, ""), "");
}

static LLVMValueRef key_of(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef v)
{
    enum ir_elem elem = cpu_reduced_elem(sink);
    if (!ir_is_float(elem))
        return v;
    if (elem != IR_F64)
        v = cpu_convert(&e->math, v, elem, IR_F32);
    int lanes = cpu_width_of(v);
    LLVMTypeRef type = cpu_index_key_type(e, elem);
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, v, cpu_vector(type, lanes), "");
    LLVMValueRef key = monotonic(e, bits, type, lanes);
    LLVMValueRef nan = LLVMBuildFCmp(e->builder, LLVMRealUNO, v, v, "");
    uint64_t best = extreme_key(type, true, sink->op->code == IR_OP_ARGMAX);
    return LLVMBuildSelect(e->builder, nan, splat_int(e, type, best, lanes), key, "");
}

static LLVMIntPredicate better(const struct cpu_sink *sink)
{
    bool is_signed = key_is_signed(cpu_reduced_elem(sink));
    if (sink->op->code == IR_OP_ARGMAX)
        return is_signed ? LLVMIntSGT : LLVMIntUGT;
    return is_signed ? LLVMIntSLT : LLVMIntULT;
}

/* The key that any other one beats. */
LLVMValueRef cpu_index_worst(struct cpu_emit *e, const struct cpu_sink *sink)
{
    enum ir_elem elem = cpu_reduced_elem(sink);
    LLVMTypeRef type = cpu_index_key_type(e, elem);
    bool high = sink->op->code == IR_OP_ARGMIN;
    return LLVMConstInt(type, extreme_key(type, key_is_signed(elem), high), false);
}

/* ---- one step -------------------------------------------------------------------------------- */

/* Of the first lane: along the axis, or row-major over everything. */
static LLVMValueRef place_of(struct cpu_emit *e, const struct cpu_sink *sink,
                             const struct cpu_position *p)
{
    struct ir_type type = sink->op->operands[0]->type;
    int axis = sink->op->attributes.axis;
    LLVMValueRef place = NULL;
    int64_t stride = 1;
    for (int k = type.rank - 1; k >= 0; k--) {
        if (axis >= 0 && k != axis)
            continue;
        place = cpu_add(e, place, cpu_mul(e, p->index[k], cpu_i64(e, stride)));
        stride *= type.dims[k];
    }
    return LLVMBuildTrunc(e->builder, place ? place : cpu_i64(e, 0), e->i32, "");
}

/* argmax, argmin: the slot of the index gets the first lane's place in all lanes that win; each
 * lane adds its own number at the end (placed). No float has the worst key, so that a lane's first
 * element wins by itself; the worst integer has it, and wins where there is no index yet. */
void cpu_index_step(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef slot,
                    LLVMValueRef old, LLVMValueRef value, const struct cpu_position *p)
{
    const struct cpu_reduction_state *state = sink->state;
    LLVMValueRef index_slot = state->index[e->body.copy % state->copies];
    LLVMTypeRef index_type = cpu_vector(e->i32, state->lanes);
    LLVMValueRef worst = cpu_splat(e, cpu_index_worst(e, sink), state->lanes);
    LLVMValueRef key = cpu_only_active(e, key_of(e, sink, value), worst);
    LLVMValueRef where = LLVMBuildLoad2(e->builder, index_type, index_slot, "");
    LLVMValueRef wins = LLVMBuildICmp(e->builder, better(sink), key, old, "");
    if (!ir_is_float(cpu_reduced_elem(sink))) {
        LLVMValueRef none = LLVMConstAllOnes(index_type);
        LLVMValueRef empty = LLVMBuildICmp(e->builder, LLVMIntEQ, where, none, "");
        if (e->body.active)
            empty = LLVMBuildAnd(e->builder, empty, e->body.active, "");
        wins = LLVMBuildOr(e->builder, wins, empty, "");
    }
    LLVMValueRef place = cpu_splat(e, place_of(e, sink, p), state->lanes);
    LLVMBuildStore(e->builder, LLVMBuildSelect(e->builder, wins, key, old, ""), slot);
    LLVMBuildStore(e->builder, LLVMBuildSelect(e->builder, wins, place, where, ""), index_slot);
}

/* The same in memory, where the partial results of an outer axis are. */
void cpu_index_step_outer(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef value,
                          const struct cpu_position *p, const struct cpu_position *kept)
{
    struct cpu_element best = cpu_kept_element(e, sink->indices, kept);
    struct cpu_element where = cpu_kept_element(e, sink->buffer, kept);
    LLVMValueRef key = key_of(e, sink, value);
    LLVMValueRef place = place_of(e, sink, p);
    place = cpu_splat(e, LLVMBuildZExt(e->builder, place, e->i64, ""), cpu_width_of(value));
    LLVMValueRef wins = LLVMBuildICmp(e->builder, better(sink), key, best.v, "");
    best.v = LLVMBuildSelect(e->builder, wins, key, best.v, "");
    where.v = LLVMBuildSelect(e->builder, wins, place, where.v, "");
    cpu_buffer_write(e, sink->indices, kept, best);
    cpu_buffer_write(e, sink->buffer, kept, where);
}

/* ---- the end --------------------------------------------------------------------------------- */

static LLVMValueRef reduce_int(struct cpu_emit *e, const char *name, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (cpu_width_of(v) == 1)
        return v;
    return cpu_intrinsic(e, name, 1, &type, 1, &v);
}

/* Best key of two partial results, least index among equals; an index of all ones is none. */
static void merge_indices(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef *key,
                          LLVMValueRef *index, LLVMValueRef key2, LLVMValueRef index2)
{
    LLVMValueRef none = LLVMConstAllOnes(LLVMTypeOf(*index));
    LLVMValueRef wins = LLVMBuildICmp(e->builder, better(sink), key2, *key, "");
    LLVMValueRef equal = LLVMBuildICmp(e->builder, LLVMIntEQ, key2, *key, "");
    LLVMValueRef less = LLVMBuildICmp(e->builder, LLVMIntULT, index2, *index, "");
    LLVMValueRef exists = LLVMBuildICmp(e->builder, LLVMIntNE, index2, none, "");
    wins = LLVMBuildAnd(e->builder, wins, exists, "");
    wins = LLVMBuildOr(e->builder, wins, LLVMBuildAnd(e->builder, equal, less, ""), "");
    *key = LLVMBuildSelect(e->builder, wins, key2, *key, "");
    *index = LLVMBuildSelect(e->builder, wins, index2, *index, "");
}

/* The places of one partial result. The lanes run over the last axis that is longer than 1, and
 * over the axis of the reduction if it has one: they are one apart. */
static LLVMValueRef placed(struct cpu_emit *e, const struct cpu_reduction_state *state, int copy)
{
    LLVMTypeRef type = cpu_vector(e->i32, state->lanes);
    LLVMValueRef first = LLVMBuildLoad2(e->builder, type, state->index[copy], "");
    if (state->lanes == 1)
        return first;
    LLVMValueRef none = LLVMConstAllOnes(type);
    LLVMValueRef is_none = LLVMBuildICmp(e->builder, LLVMIntEQ, first, none, "");
    LLVMValueRef place = LLVMBuildAdd(e->builder, first, cpu_iota(e, e->i32, state->lanes), "");
    return LLVMBuildSelect(e->builder, is_none, none, place, "");
}

LLVMValueRef cpu_index_end(struct cpu_emit *e, struct cpu_sink *sink)
{
    struct cpu_reduction_state *state = sink->state;
    LLVMTypeRef key_vector = cpu_vector(cpu_partial_type(e, sink), state->lanes);
    LLVMTypeRef index_vector = cpu_vector(e->i32, state->lanes);
    LLVMValueRef key = LLVMBuildLoad2(e->builder, key_vector, state->partial[0], "");
    LLVMValueRef index = placed(e, state, 0);
    for (int i = 1; i < state->copies; i++) {
        LLVMValueRef others = placed(e, state, i);
        merge_indices(e, sink, &key, &index,
                      LLVMBuildLoad2(e->builder, key_vector, state->partial[i], ""), others);
    }
    bool is_signed = key_is_signed(cpu_reduced_elem(sink));
    const char *best = sink->op->code == IR_OP_ARGMAX
                           ? (is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax")
                           : (is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin");
    LLVMValueRef top = cpu_splat(e, reduce_int(e, best, key), state->lanes);
    LLVMValueRef owns = LLVMBuildICmp(e->builder, LLVMIntEQ, key, top, "");
    index = LLVMBuildSelect(e->builder, owns, index, LLVMConstAllOnes(index_vector), "");
    index = reduce_int(e, "llvm.vector.reduce.umin", index);
    return LLVMBuildZExt(e->builder, index, e->i64, "");
}
