/*
 * Loads whose lanes are close together, in places that hang on where the vector begins.
 *
 *     x = i % (2 * width)
 *     load(X + y / 2 * width + x / 2)             each element twice: upsampling
 *     load(Scale + i / 32)                        one for each group of 32
 *
 * pattern.c has those whose places are known before a launch. In vectors that begin anywhere (at a
 * row's end, in a run of quotients) they are known only as the program runs:
 *
 *     x = x0 + k, no x below 0:       x / d = x0 / d + (x0 % d + k) / d
 *
 * But then they are small: one scalar is divided, the rest are a few operations on ints. And how
 * far the last lane is from the first one is known but for 1, so that two loads have all: one from
 * the first lane's element on, one up to the last lane's, both of the greatest power of two of
 * elements that lie between these in any case. One permutation brings them to their lanes, where a
 * gather would be an access per lane. There is such a permutation of elements of 32 bits. Nothing
 * is masked, as for patterns: masked loads, which could do the same with one load, are slow on
 * Zen 1.
 *
 * Zen 1 also computes 256 bits in halves, and needs four cycles for what crosses them. Where half
 * of the lanes lie within one of the loads, whichever half it is, the first half is made of the
 * first load and the second of the second one.
 */
#include "cpu/close.h"
#include "cpu/math_build.h"

enum { MOST_LANES = 16 };

static bool can_permute(const struct cpu_emit *e, struct ir_type type, int lanes)
{
    bool fits = lanes == 4 || lanes == 8 || (lanes == 16 && e->level->features.avx512);
    return e->level->features.avx2 && fits &&
           cpu_memory_bytes(ir_scalar((enum ir_elem)type.elem)) == 4;
}

bool cpu_is_close(const struct cpu_emit *e, struct ir_type type, const struct cpu_lanes *form,
                  int lanes, struct cpu_close *close)
{
    int part = 1;
    if (!form->grows || !form->small.more || !can_permute(e, type, lanes))
        return false;
    while (2 * part <= form->least + 1 && part < lanes)
        part *= 2;
    bool halves = e->level->features.split_avx2 && lanes == 8 && part == 4 && form->half < part;
    *close = (struct cpu_close){form->first, form->small.more, part, halves};
    return form->small.high < lanes && form->small.high < 2 * part;
}

static LLVMValueRef load_part(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
                              LLVMValueRef behind, int part)
{
    LLVMTypeRef unit = cpu_memory_type(e, type);
    pointer = LLVMBuildGEP2(e->builder, unit, pointer, &behind, 1, "");
    LLVMValueRef load =
        LLVMBuildLoad2(e->builder, LLVMVectorType(unit, (unsigned)part), pointer, "");
    cpu_set_align(load, cpu_memory_bytes(type));
    return load;
}

static LLVMValueRef permuted(struct cpu_emit *e, LLVMValueRef v, LLVMValueRef from, int lanes)
{
    static const char *const names[] = {"llvm.x86.avx.vpermilvar.ps", "llvm.x86.avx2.permps",
                                        "llvm.x86.avx512.permvar.sf.512"};
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeRef floats = cpu_vector(LLVMFloatTypeInContext(e->context), lanes);
    LLVMValueRef operands[] = {LLVMBuildBitCast(e->builder, v, floats, ""), from};
    v = cpu_intrinsic(e, names[lanes / 8], 0, NULL, 2, operands);
    return LLVMBuildBitCast(e->builder, v, type, "");
}

/* `start` is the place of the high part's first element. */
static LLVMValueRef of_halves(struct cpu_emit *e, LLVMValueRef low, LLVMValueRef high,
                              LLVMValueRef more, LLVMValueRef start, int lanes)
{
    unsigned half = (unsigned)lanes / 2;
    LLVMValueRef back = cpu_splat(e, LLVMBuildTrunc(e->builder, start, e->i32, ""), lanes / 2);
    LLVMValueRef upper = mb_slice(&e->math, more, half, half);
    LLVMValueRef parts[] = {permuted(e, low, mb_slice(&e->math, more, 0, half), lanes / 2), NULL};
    upper = LLVMBuildSub(e->builder, upper, back, "");
    parts[1] = permuted(e, high, upper, lanes / 2);
    return mb_concat(&e->math, parts, 2);
}

LLVMValueRef cpu_load_close(struct cpu_emit *e, struct ir_type type, const struct cpu_close *close)
{
    int lanes = e->body.lanes, part = close->part;
    cpu_takes(e, CPU_PATH_CLOSE);
    LLVMValueRef place[MOST_LANES];
    LLVMValueRef end = LLVMConstInt(e->i32, (unsigned long long)lanes - 1, false), last;
    last = LLVMBuildExtractElement(e->builder, close->more, end, "");
    last = LLVMBuildZExt(e->builder, last, e->i64, "");
    LLVMValueRef start = LLVMBuildSub(e->builder, last, cpu_i64(e, part - 1), "");
    LLVMValueRef low = load_part(e, type, close->first, cpu_i64(e, 0), part);
    LLVMValueRef high = load_part(e, type, close->first, start, part);
    if (close->halves)
        return of_halves(e, low, high, close->more, start, lanes);
    for (int i = 0; i < lanes; i++) /* what is behind both is never asked for */
        place[i] = LLVMConstInt(e->i32, (unsigned long long)(i % (2 * part)), false);
    LLVMValueRef both =
        LLVMBuildShuffleVector(e->builder, low, high, LLVMConstVector(place, (unsigned)lanes), "");
    LLVMValueRef second = LLVMBuildSub(e->builder, cpu_i64(e, part), start, "");
    second = cpu_splat(e, LLVMBuildTrunc(e->builder, second, e->i32, ""), lanes);
    LLVMValueRef limit = mb_const_int(second, part - 1);
    LLVMValueRef beyond = LLVMBuildICmp(e->builder, LLVMIntSGT, close->more, limit, "");
    beyond = LLVMBuildSExt(e->builder, beyond, LLVMTypeOf(second), "");
    second = LLVMBuildAnd(e->builder, beyond, second, "");
    return permuted(e, both, LLVMBuildAdd(e->builder, close->more, second, ""), lanes);
}
