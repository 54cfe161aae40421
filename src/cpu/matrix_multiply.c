/*
 * sum + a * b for units (matrix.h) in all lanes, by what the processor has for them.
 */
#include "cpu/matrix.h"

#include <string.h>

/* Through an instruction that is none, and that may touch memory if `first`. */
static void keep(struct cpu_matrix *m, LLVMValueRef *v, int count, bool first)
{
    static const char *const constraints[] = {"=v,0", "=v,=v,0,1", "=v,=v,=v,0,1,2",
                                              "=v,=v,=v,=v,0,1,2,3"};
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[CPU_MATRIX_MOST_VECTORS];
    for (int i = 0; i < count; i++)
        types[i] = LLVMTypeOf(v[i]);
    LLVMTypeRef all =
        count == 1 ? types[0] : LLVMStructTypeInContext(e->context, types, (unsigned)count, false);
    LLVMTypeRef type = LLVMFunctionType(all, types, (unsigned)count, false);
    const char *constraint = constraints[count - 1];
    if (first)
        constraint = arena_format(e->arena, "%s,~{memory}", constraint);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, constraint, strlen(constraint), first,
                                            false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef results = LLVMBuildCall2(e->builder, type, nothing, v, (unsigned)count, "");
    for (int i = 0; i < count; i++)
        v[i] = count == 1 ? results : LLVMBuildExtractValue(e->builder, results, (unsigned)i, "");
}

void cpu_matrix_keep(struct cpu_matrix *m, LLVMValueRef *v, int count)
{
    keep(m, v, count, false);
}

void cpu_matrix_keep_first(struct cpu_matrix *m, LLVMValueRef *v, int count)
{
    keep(m, v, count, true);
}

/* Four products of bytes, summed in pairs (16 bits, which hold 2 * -128 * 128) and then in fours. */
static LLVMValueRef multiply_bytes(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b)
{
    struct cpu_emit *e = m->e;
    bool wide = m->lanes == 16;
    LLVMTypeRef bytes = LLVMVectorType(e->i8, (unsigned)m->lanes * 4);
    b = LLVMBuildBitCast(e->builder, b, bytes, "");
    a = LLVMBuildBitCast(e->builder, a, bytes, "");
    const char *name = wide ? "llvm.x86.avx512.pmaddubs.w.512" : "llvm.x86.avx2.pmadd.ub.sw";
    LLVMTypeRef i16 = LLVMInt16TypeInContext(e->context);
    LLVMValueRef pairs = cpu_intrinsic(e, name, 0, NULL, 2, (LLVMValueRef[]){b, a});
    LLVMValueRef ones = cpu_splat(e, LLVMConstInt(i16, 1, false), m->lanes * 2);
    name = wide ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd";
    return cpu_intrinsic(e, name, 0, NULL, 2, (LLVMValueRef[]){pairs, ones});
}

/* Two products of words, summed. */
static LLVMValueRef multiply_words(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef shorts = LLVMVectorType(LLVMInt16TypeInContext(e->context), (unsigned)m->lanes * 2);
    a = LLVMBuildBitCast(e->builder, a, shorts, "");
    b = LLVMBuildBitCast(e->builder, b, shorts, "");
    const char *name = m->lanes == 16 ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd";
    return cpu_intrinsic(e, name, 0, NULL, 2, (LLVMValueRef[]){a, b});
}

/* Products that an addition of its own adds to a sum, or NULL where one instruction does both. */
LLVMValueRef cpu_matrix_multiply_only(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b)
{
    if (m->step == CPU_MATRIX_MADD)
        return multiply_words(m, a, b);
    return m->step == CPU_MATRIX_NARROW ? multiply_bytes(m, a, b) : NULL;
}

LLVMValueRef cpu_matrix_multiply(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef sum)
{
    struct cpu_emit *e = m->e;
    LLVMValueRef product = cpu_matrix_multiply_only(m, a, b);
    if (product)
        return LLVMBuildAdd(e->builder, product, sum, "");
    LLVMTypeRef type = LLVMTypeOf(sum);
    switch (m->step) {
    case CPU_MATRIX_BF16: {
        LLVMTypeRef pairs =
            LLVMVectorType(LLVMBFloatTypeInContext(e->context), (unsigned)m->lanes * 2);
        a = LLVMBuildBitCast(e->builder, a, pairs, "");
        b = LLVMBuildBitCast(e->builder, b, pairs, "");
        LLVMValueRef operands[] = {sum, a, b};
        return cpu_intrinsic(e, "llvm.x86.avx512bf16.dpbf16ps.512", 0, NULL, 3, operands);
    }
    case CPU_MATRIX_VNNI: {
        LLVMValueRef operands[] = {sum, b, a};
        return cpu_intrinsic(e, "llvm.x86.avx512.vpdpbusd.512", 0, NULL, 3, operands);
    }
    case CPU_MATRIX_MADD:
    case CPU_MATRIX_NARROW:
    case CPU_MATRIX_FMA:
        break;
    }
    if (!ir_is_float(m->sum))
        return LLVMBuildAdd(e->builder, LLVMBuildMul(e->builder, a, b, ""), sum, "");
    if (!e->level->features.fma)
        return LLVMBuildFAdd(e->builder, LLVMBuildFMul(e->builder, a, b, ""), sum, "");
    LLVMValueRef operands[] = {a, b, sum};
    return cpu_intrinsic(e, "llvm.fma", 1, &type, 3, operands);
}
