/*
 * Look-up in a table of 16 floats by the low four bits of each element of an index.
 *
 * A register of AVX-512 holds the table, and one permutation looks 16 elements up; AVX2 permutes
 * each half of the table and selects by bit 3, unless the halves are equal. Elsewhere each element
 * is loaded from memory.
 */
#include "cpu/math_build.h"

#include <string.h>

static mb_value part(struct cpu_math *m, const double *table, unsigned count)
{
    LLVMTypeRef f32 = LLVMFloatTypeInContext(m->context);
    LLVMValueRef entries[16];
    for (unsigned i = 0; i < count; i++)
        entries[i] = LLVMConstReal(f32, table[i]);
    return LLVMConstVector(entries, count);
}

static mb_value by_avx512(struct cpu_math *m, const double *table, mb_value index)
{
    mb_value operands[] = {part(m, table, 16), index};
    return mb_call(m, "llvm.x86.avx512.permvar.sf.512", NULL, 0, operands, 2);
}

static mb_value by_avx2(struct cpu_math *m, const double *table, mb_value index)
{
    mb_value operands[] = {part(m, table, 8), index};
    mb_value low = mb_call(m, "llvm.x86.avx2.permps", NULL, 0, operands, 2);
    if (memcmp(table, table + 8, 8 * sizeof *table) == 0)
        return low;
    operands[0] = part(m, table + 8, 8);
    mb_value high = mb_call(m, "llvm.x86.avx2.permps", NULL, 0, operands, 2);
    mb_value upper = mb_and(m, index, mb_const_int(index, 8));
    return mb_select(m, mb_icmp(m, LLVMIntNE, upper, mb_const_int(index, 0)), high, low);
}

static LLVMValueRef table_in_memory(struct cpu_math *m, const char *name, const double *table)
{
    LLVMValueRef global = LLVMGetNamedGlobal(m->module, name);
    if (global)
        return global;
    LLVMTypeRef f32 = LLVMFloatTypeInContext(m->context);
    LLVMValueRef entries[16];
    for (unsigned i = 0; i < 16; i++)
        entries[i] = LLVMConstReal(f32, table[i]);
    LLVMValueRef array = LLVMConstArray2(f32, entries, 16);
    global = LLVMAddGlobal(m->module, LLVMTypeOf(array), name);
    LLVMSetInitializer(global, array);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static mb_value by_memory(struct cpu_math *m, const char *name, const double *table, mb_value index)
{
    LLVMValueRef global = table_in_memory(m, name, table);
    LLVMTypeRef f32 = LLVMFloatTypeInContext(m->context);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->context), i64 = LLVMInt64TypeInContext(m->context);
    unsigned lanes = mb_lanes(index);
    mb_value result = lanes ? LLVMGetPoison(LLVMVectorType(f32, lanes)) : NULL;
    index = mb_and(m, index, mb_const_int(index, 15));
    for (unsigned i = 0; i < (lanes ? lanes : 1); i++) {
        mb_value at = LLVMBuildZExt(m->builder, mb_lane(m, index, i), i64, "");
        mb_value place = LLVMBuildGEP2(m->builder, f32, global, &at, 1, "");
        mb_value entry = LLVMBuildLoad2(m->builder, f32, place, "");
        if (!lanes)
            return entry;
        result = LLVMBuildInsertElement(m->builder, result, entry, LLVMConstInt(i32, i, false), "");
    }
    return result;
}

mb_value mb_table(struct cpu_math *m, const char *name, const double *table, mb_value index)
{
    mb_value pieces[MB_MOST_LANES / 8];
    unsigned lanes = mb_lanes(index);
    unsigned native = m->features->avx512 && lanes >= 16 ? 16 : 8;
    if (!m->features->avx2 || lanes < 8 || (lanes & (lanes - 1)))
        return by_memory(m, name, table, index);
    for (unsigned i = 0; i < lanes / native; i++) {
        mb_value piece = mb_slice(m, index, i * native, native);
        pieces[i] = native == 16 ? by_avx512(m, table, piece) : by_avx2(m, table, piece);
    }
    return mb_concat(m, pieces, lanes / native);
}
