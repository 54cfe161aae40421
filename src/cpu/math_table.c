/*
 * Look-up in a table of 8 floats by the low three bits of each element of an index.
 *
 * A register of AVX2 holds the table, and one permutation looks 8 elements up; one of AVX-512 holds
 * it twice, and looks up 16. NEON permutes the bytes of two registers. Elsewhere each element is
 * loaded from memory.
 */
#include "cpu/math_build.h"
#include "base/bits.h"

/* The table, over and over, as a vector. */
static mb_value in_register(struct cpu_math *m, const double *table, unsigned count)
{
    LLVMTypeRef f32 = LLVMFloatTypeInContext(m->context);
    LLVMValueRef entries[2 * MB_TABLE];
    for (unsigned i = 0; i < count; i++)
        entries[i] = LLVMConstReal(f32, table[i % MB_TABLE]);
    return LLVMConstVector(entries, count);
}

static mb_value by_avx(struct cpu_math *m, const double *table, mb_value index)
{
    unsigned lanes = mb_lanes(index);
    const char *name = lanes == 16 ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx2.permps";
    return mb_call(m, name, NULL, 0, (mb_value[]){in_register(m, table, lanes), index}, 2);
}

/* Four elements: the places of their bytes in the table. */
static mb_value by_neon(struct cpu_math *m, const double *table, mb_value index)
{
    mb_value place = mb_mul(m, mb_and(m, index, mb_const_int(index, 7)),
                            mb_const_int(index, 0x04040404));
    LLVMTypeRef bytes = LLVMVectorType(LLVMInt8TypeInContext(m->context), 16);
    place = mb_add(m, place, mb_const_int(index, 0x03020100));
    mb_value low = mb_cast_bits(m, in_register(m, table, 4), bytes);
    mb_value high = mb_cast_bits(m, in_register(m, table + 4, 4), bytes);
    mb_value operands[] = {low, high, mb_cast_bits(m, place, bytes)};
    mb_value found = mb_call(m, "llvm.aarch64.neon.tbl2", &bytes, 1, operands, 3);
    return mb_cast_bits(m, found, mb_float_type(m, index));
}

static LLVMValueRef in_memory(struct cpu_math *m, const char *name, const double *table)
{
    LLVMValueRef global = LLVMGetNamedGlobal(m->module, name);
    if (global)
        return global;
    LLVMTypeRef f32 = LLVMFloatTypeInContext(m->context);
    LLVMValueRef entries[MB_TABLE];
    for (unsigned i = 0; i < MB_TABLE; i++)
        entries[i] = LLVMConstReal(f32, table[i]);
    LLVMValueRef array = LLVMConstArray2(f32, entries, MB_TABLE);
    global = LLVMAddGlobal(m->module, LLVMTypeOf(array), name);
    LLVMSetInitializer(global, array);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static mb_value by_memory(struct cpu_math *m, const char *name, const double *table, mb_value index)
{
    LLVMValueRef global = in_memory(m, name, table);
    LLVMTypeRef f32 = LLVMFloatTypeInContext(m->context);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->context), i64 = LLVMInt64TypeInContext(m->context);
    unsigned lanes = mb_lanes(index);
    mb_value result = lanes ? LLVMGetPoison(LLVMVectorType(f32, lanes)) : NULL;
    index = mb_and(m, index, mb_const_int(index, MB_TABLE - 1));
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

/* Elements that one permutation looks up, for a vector of `lanes`; 0: none does. */
static unsigned permuted(const struct cpu_features *features, unsigned lanes)
{
    unsigned native = features->neon ? 4 : features->avx512 && lanes >= 16 ? 16 : 8;
    bool fits = lanes >= native && bits_is_power(lanes);
    return fits && (features->neon || features->avx2) ? native : 0;
}

mb_value mb_table(struct cpu_math *m, const char *name, const double *table, mb_value index)
{
    mb_value pieces[MB_MOST_LANES / 4];
    unsigned lanes = mb_lanes(index), native = permuted(m->features, lanes);
    if (!native)
        return by_memory(m, name, table, index);
    for (unsigned i = 0; i < lanes / native; i++) {
        mb_value piece = mb_slice(m, index, i * native, native);
        pieces[i] = native == 4 ? by_neon(m, table, piece) : by_avx(m, table, piece);
    }
    return mb_concat(m, pieces, lanes / native);
}
