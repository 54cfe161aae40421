/*
 * Halves as floats where registers of AVX2 are computed in two halves, one after the other: AMD's
 * Zen 1. There a vcvtph2ps of memory takes 3 cycles, and a load and one of a register take 2. LLVM
 * makes one of the two; an empty line of assembly between them keeps it from that.
 */
#include "cpu/math_build.h"
#include "base/bits.h"

enum { NATIVE = 8 };

bool mb_is_split(const struct cpu_math *m, mb_value v)
{
    unsigned lanes = mb_lanes(v);
    return m->features->split_avx2 && lanes >= NATIVE && bits_is_power(lanes);
}

static mb_value in_register(struct cpu_math *m, mb_value v)
{
    static const char constraints[] = "=x,0";
    LLVMTypeRef type = LLVMTypeOf(v), function = LLVMFunctionType(type, &type, 1, false);
    mb_value code = LLVMGetInlineAsm(function, "", 0, constraints, sizeof constraints - 1, false,
                                     false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(m->builder, function, code, &v, 1, "");
}

mb_value mb_halves_split(struct cpu_math *m, mb_value v)
{
    mb_value pieces[MB_MOST_LANES / NATIVE];
    unsigned lanes = mb_lanes(v);
    for (unsigned i = 0; i < lanes / NATIVE; i++) {
        mb_value piece = mb_slice(m, v, i * NATIVE, NATIVE);
        LLVMTypeRef type = LLVMTypeOf(piece);
        piece = in_register(m, mb_cast_bits(m, piece, mb_int_type(m, piece, 16)));
        piece = mb_cast_bits(m, piece, type);
        pieces[i] = LLVMBuildFPExt(m->builder, piece, mb_float_type(m, piece), "");
    }
    return mb_concat(m, pieces, lanes / NATIVE);
}
