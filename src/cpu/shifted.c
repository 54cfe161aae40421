/*
 * Stores past the caches of results that begin anywhere.
 *
 * Such a store must be of a whole vector at a multiple of its size. What malloc returns for a large
 * array is 16 bytes behind a page's start, and rows whose length is no multiple of a vector's begin
 * anywhere. So each vector is stored by parts: the end of the one before it and its own start make
 * the vector that lies at such a multiple.
 *
 *     results    |.....aaa|bbbbbbbb|cccccccc|   a: the first vector, ...
 *     stores       head    aaabbbbb bbbccccc tail
 *
 * Head and tail are what the first and the last vector have outside of these. They go past the
 * caches too, by 4 bytes: a row's tail and the next one's head then leave as one line. Stored
 * through the caches that line had to be read first, and rows of 256 floats took 2.4 times as long
 * as aligned ones (hand-written, Zen 5, one thread; so 0.9 to 1.2 times). The results themselves
 * are made where they always are, so that sums and scratch memory know nothing of it.
 */
#include "cpu/shifted.h"

bool cpu_shift_fits(const struct cpu_emit *e, int element, int lanes)
{
    enum { LEAST = 16 };
    int bytes = element * lanes;
    return e->level->features.avx2 && bytes >= LEAST && bytes <= e->level->vector_bits / 8;
}

LLVMValueRef cpu_shift_by_units(struct cpu_emit *e, int element, LLVMValueRef pointer)
{
    if (element >= CPU_SHIFT_UNIT)
        return LLVMConstInt(e->i1, 1, false);
    LLVMValueRef low = LLVMBuildPtrToInt(e->builder, pointer, e->i64, "");
    low = LLVMBuildAnd(e->builder, low, cpu_i64(e, CPU_SHIFT_UNIT - 1), "");
    return LLVMBuildICmp(e->builder, LLVMIntEQ, low, cpu_i64(e, 0), "");
}

void cpu_shift_begin(struct cpu_emit *e, struct cpu_shift *shift, int bytes, LLVMValueRef pointer)
{
    int count = bytes / CPU_SHIFT_UNIT;
    LLVMTypeRef vector = cpu_vector(e->i32, count);
    LLVMValueRef start = LLVMBuildPtrToInt(e->builder, pointer, e->i64, "");
    LLVMValueRef back = LLVMBuildAnd(e->builder, start, cpu_i64(e, bytes - 1), "");
    LLVMValueRef units = LLVMBuildUDiv(e->builder, back, cpu_i64(e, CPU_SHIFT_UNIT), "");
    LLVMValueRef own = LLVMBuildSub(e->builder, cpu_i64(e, count), units, "");
    LLVMValueRef all = cpu_splat(e, LLVMBuildTrunc(e->builder, own, e->i32, ""), count);
    LLVMValueRef lane = cpu_iota(e, e->i32, count);
    shift->count = count;
    shift->back = LLVMBuildNeg(e->builder, back, "");
    shift->from = LLVMBuildAdd(e->builder, lane, all, "");
    shift->head = LLVMBuildICmp(e->builder, LLVMIntULT, lane, all, "");
    shift->before = cpu_alloca(e, vector, "before");
    shift->place = cpu_alloca(e, e->pointer, "place");
    shift->stored = false;
    LLVMBuildStore(e->builder, LLVMConstNull(vector), shift->before);
    LLVMBuildStore(e->builder, LLVMConstNull(e->pointer), shift->place);
}

/* ---- parts of two vectors ------------------------------------------------------------------- */

/* Without AVX-512 a permutation is of one vector. */
static LLVMValueRef permuted(struct cpu_emit *e, LLVMValueRef v, LLVMValueRef from, int count)
{
    if (count == 8)
        return cpu_intrinsic(e, "llvm.x86.avx2.permd", 0, NULL, 2, (LLVMValueRef[]){v, from});
    LLVMTypeRef floats = cpu_vector(LLVMFloatTypeInContext(e->context), count);
    LLVMValueRef operands[] = {LLVMBuildBitCast(e->builder, v, floats, ""), from};
    v = cpu_intrinsic(e, "llvm.x86.avx.vpermilvar.ps", 0, NULL, 2, operands);
    return LLVMBuildBitCast(e->builder, v, LLVMTypeOf(from), "");
}

static LLVMValueRef joined(struct cpu_emit *e, const struct cpu_shift *shift, LLVMValueRef before,
                           LLVMValueRef now)
{
    LLVMValueRef operands[] = {before, shift->from, now};
    if (e->level->features.avx512) {
        const char *name = shift->count == 16  ? "llvm.x86.avx512.vpermi2var.d.512"
                           : shift->count == 8 ? "llvm.x86.avx512.vpermi2var.d.256"
                                               : "llvm.x86.avx512.vpermi2var.d.128";
        return cpu_intrinsic(e, name, 0, NULL, 3, operands);
    }
    LLVMValueRef size = LLVMConstInt(e->i32, (unsigned)shift->count, false);
    size = cpu_splat(e, size, shift->count);
    LLVMValueRef second = LLVMBuildICmp(e->builder, LLVMIntUGE, shift->from, size, "");
    return LLVMBuildSelect(e->builder, second, permuted(e, now, shift->from, shift->count),
                           permuted(e, before, shift->from, shift->count), "");
}

/* ---- stores --------------------------------------------------------------------------------- */

void cpu_shift_store(struct cpu_emit *e, struct cpu_shift *shift, LLVMValueRef value,
                     LLVMValueRef pointer)
{
    LLVMTypeRef vector = cpu_vector(e->i32, shift->count);
    LLVMValueRef now = LLVMBuildBitCast(e->builder, value, vector, "");
    LLVMValueRef before = LLVMBuildLoad2(e->builder, vector, shift->before, "");
    LLVMValueRef line = LLVMBuildGEP2(e->builder, e->i8, pointer, &shift->back, 1, "");
    LLVMBuildStore(e->builder, now, shift->before);
    LLVMBuildStore(e->builder, pointer, shift->place);
    shift->stored = true;
    LLVMBasicBlockRef on = NULL;
    if (e->body.first_trip && e->body.copy == 0) {
        LLVMBasicBlockRef head = cpu_block(e, "head"), whole = cpu_block(e, "line");
        on = cpu_block(e, "on");
        LLVMBuildCondBr(e->builder, e->body.first_trip, head, whole);
        LLVMPositionBuilderAtEnd(e->builder, head);
        cpu_store_lanes_past(e, now, pointer, shift->head);
        LLVMBuildBr(e->builder, on);
        LLVMPositionBuilderAtEnd(e->builder, whole);
    }
    cpu_stream_vector(e, joined(e, shift, before, now), line);
    if (on) {
        LLVMBuildBr(e->builder, on);
        LLVMPositionBuilderAtEnd(e->builder, on);
    }
}

void cpu_shift_end(struct cpu_emit *e, const struct cpu_shift *shift, LLVMValueRef some)
{
    if (!shift->stored)
        return;
    LLVMTypeRef vector = cpu_vector(e->i32, shift->count);
    LLVMValueRef last = LLVMBuildLoad2(e->builder, vector, shift->before, "");
    LLVMValueRef place = LLVMBuildLoad2(e->builder, e->pointer, shift->place, "");
    LLVMValueRef tail = LLVMBuildNot(e->builder, shift->head, "");
    tail = LLVMBuildAnd(e->builder, tail, cpu_splat(e, some, shift->count), "");
    cpu_store_lanes_past(e, last, place, tail);
}
