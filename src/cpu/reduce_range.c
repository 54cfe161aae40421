/*
 * Maxima and minima of floats by vrange.
 *
 * AVX-512's vrange orders zeros but ignores NaN. So partial results leave NaN out, and which lanes
 * met one is kept apart, two vectors per compare: half the instructions of maximum itself.
 */
#include "cpu/math_build.h"
#include "cpu/reduce_parts.h"

bool cpu_range_applies(struct cpu_emit *e, const struct cpu_sink *sink)
{
    enum ir_elem elem = cpu_reduced_elem(sink);
    int64_t bytes = (int64_t)ir_elem_bytes(elem) * sink->state->lanes;
    return (sink->op->code == IR_OP_MAX || sink->op->code == IR_OP_MIN) &&
           (elem == IR_F32 || elem == IR_F64) && e->level->features.avx512 &&
           (bytes == 16 || bytes == 32 || bytes == 64);
}

static LLVMValueRef range(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef a,
                          LLVMValueRef b)
{
    enum { LESSER = 4, GREATER = 5 };
    LLVMValueRef result = a;
    mb_avx512(&e->math, "range", a, b, sink->op->code == IR_OP_MAX ? GREATER : LESSER, &result);
    return result;
}

void cpu_range_step(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef slot,
                    LLVMValueRef value)
{
    struct cpu_reduction_state *state = sink->state;
    LLVMTypeRef type = LLVMTypeOf(value), flags = cpu_vector(e->i1, state->lanes);
    LLVMValueRef old = LLVMBuildLoad2(e->builder, type, slot, "");
    LLVMBuildStore(e->builder, range(e, sink, old, value), slot);
    int copy = e->body.copy % state->copies; /* the nest may have more */
    if (e->body.fast && copy % 2 == 0 && copy + 1 < state->copies) {
        state->waiting = value;
        return;
    }
    LLVMValueRef other = e->body.fast && copy % 2 ? state->waiting : value;
    LLVMValueRef met = LLVMBuildFCmp(e->builder, LLVMRealUNO, other, value, "");
    LLVMValueRef before = LLVMBuildLoad2(e->builder, flags, state->nan, "");
    LLVMBuildStore(e->builder, LLVMBuildOr(e->builder, before, met, ""), state->nan);
}

/* The lanes of one vector: upper half onto lower down to 16 bytes, then by rotation. */
static LLVMValueRef range_lanes(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef v)
{
    int bytes = (int)ir_elem_bytes(cpu_reduced_elem(sink)), lanes = cpu_width_of(v);
    for (; lanes * bytes > 16; lanes /= 2) {
        LLVMValueRef upper = mb_slice(&e->math, v, (unsigned)lanes / 2, (unsigned)lanes / 2);
        v = range(e, sink, mb_slice(&e->math, v, 0, (unsigned)lanes / 2), upper);
    }
    for (int step = lanes / 2; step > 0; step /= 2) {
        LLVMValueRef places[4];
        for (int i = 0; i < lanes; i++)
            places[i] = LLVMConstInt(e->i32, (unsigned long long)((i + step) % lanes), false);
        LLVMValueRef turned =
            LLVMBuildShuffleVector(e->builder, v, v, LLVMConstVector(places, (unsigned)lanes), "");
        v = range(e, sink, v, turned);
    }
    return LLVMBuildExtractElement(e->builder, v, LLVMConstInt(e->i32, 0, false), "");
}

LLVMValueRef cpu_range_end(struct cpu_emit *e, struct cpu_sink *sink)
{
    struct cpu_reduction_state *state = sink->state;
    enum ir_elem elem = cpu_reduced_elem(sink);
    LLVMTypeRef type = cpu_vector(cpu_elem_type(&e->math, elem), state->lanes);
    LLVMTypeRef flags = cpu_vector(e->i1, state->lanes);
    LLVMValueRef v = LLVMBuildLoad2(e->builder, type, state->partial[0], "");
    for (int i = 1; i < state->copies; i++)
        v = range(e, sink, v, LLVMBuildLoad2(e->builder, type, state->partial[i], ""));
    LLVMValueRef met = LLVMBuildLoad2(e->builder, flags, state->nan, "");
    LLVMValueRef any = cpu_intrinsic(e, "llvm.vector.reduce.or", 1, &flags, 1, &met);
    uint64_t quiet = elem == IR_F32 ? 0x7fc00000 : 0x7ff8000000000000;
    LLVMValueRef nan = cpu_constant(e, ir_scalar(elem), quiet);
    return LLVMBuildSelect(e->builder, any, nan, range_lanes(e, sink, v), "");
}
