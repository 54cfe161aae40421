/*
 * Conversion between element types.
 *
 * The rules that shape this file: a conversion to a float rounds once, so where the way leads
 * through a wider format (double to half through float, 64-bit integers to bf16 through double) the
 * first step rounds to odd: it keeps, in its last bit, whether anything was lost, and the second
 * step then rounds as if from the original. Subnormals count, so the bf16 conversion instruction of
 * x86, which flushes them, is used only with a repair.
 */
#include "cpu/convert.h"
#include "base/bits.h"
#include "cpu/math_build.h"

#include <math.h>
#include <stdio.h>

LLVMTypeRef cpu_elem_type(struct cpu_math *m, enum ir_elem elem)
{
    switch (elem) {
    case IR_BOOL:
        return LLVMInt1TypeInContext(m->context);
    case IR_F16:
        return LLVMHalfTypeInContext(m->context);
    case IR_F32:
        return LLVMFloatTypeInContext(m->context);
    case IR_F64:
        return LLVMDoubleTypeInContext(m->context);
    default: /* integers, and bf16 as its bits */
        return LLVMIntTypeInContext(m->context, ir_elems[elem].bits);
    }
}

static LLVMTypeRef type_like(struct cpu_math *m, mb_value like, enum ir_elem elem)
{
    return mb_type_like(like, cpu_elem_type(m, elem));
}

static mb_value cast(struct cpu_math *m, LLVMOpcode op, mb_value v, LLVMTypeRef type)
{
    return LLVMTypeOf(v) == type ? v : LLVMBuildCast(m->builder, op, v, type, "");
}

static mb_value zero_extend(struct cpu_math *m, mb_value v, unsigned bits)
{
    return cast(m, LLVMZExt, v, mb_int_type(m, v, bits));
}

static mb_value truncate(struct cpu_math *m, mb_value v, unsigned bits)
{
    return cast(m, LLVMTrunc, v, mb_int_type(m, v, bits));
}

/* Of numbers that fit in so few bits anyway. x86 packs registers, and limits what it packs; LLVM
 * does so only where it sees limits. AVX-512 cuts each register. */
static mb_value pack(struct cpu_math *m, mb_value v, unsigned bits, bool is_signed)
{
    if (m->features->avx2 && !m->features->avx512 && bits < 32 && mb_lanes(v) >= 8) {
        int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
        int64_t least = is_signed ? -most - 1 : 0;
        v = mb_intrinsic(m, "llvm.smax", (mb_value[]){v, mb_const_int(v, least)}, 2);
        v = mb_intrinsic(m, "llvm.smin", (mb_value[]){v, mb_const_int(v, most)}, 2);
    }
    return truncate(m, v, bits);
}

/* ---- half and float */

static bool has_half_instructions(struct cpu_math *m)
{
    return m->features->f16c || m->features->neon;
}

/* The exponent field moves up and a multiplication by 2^112 rebiases it, subnormals included. */
static mb_value half_to_float(struct cpu_math *m, mb_value v)
{
    if (has_half_instructions(m))
        return mb_is_split(m, v) ? mb_halves_split(m, v)
                                 : cast(m, LLVMFPExt, v, mb_float_type(m, v));
    mb_value bits = zero_extend(m, mb_cast_bits(m, v, mb_int_type(m, v, 16)), 32);
    mb_value sign = mb_shl(m, mb_and(m, bits, mb_const_int(bits, 0x8000)), 16);
    mb_value rest = mb_shl(m, mb_and(m, bits, mb_const_int(bits, 0x7fff)), 13);
    mb_value finite = mb_as_float(m, rest);
    finite = mb_as_int(m, mb_fmul(m, finite, mb_const_float(finite, 0x1p112)));
    mb_value top = mb_icmp(m, LLVMIntUGE, rest, mb_const_int(bits, 0x0f800000));
    mb_value endless = mb_or(m, rest, mb_const_int(bits, 0x7f800000));
    return mb_as_float(m, mb_or(m, sign, mb_select(m, top, endless, finite)));
}

/* Normal results round by adding to the bits; for subnormal ones adding 0.5 puts the last bit of
 * the sum where half's last bit is. */
static mb_value float_to_half(struct cpu_math *m, mb_value v)
{
    if (has_half_instructions(m))
        return cast(m, LLVMFPTrunc, v, type_like(m, v, IR_F16));
    mb_value bits = mb_as_int(m, v), a = mb_and(m, bits, mb_const_int(bits, INT32_MAX));
    mb_value last = mb_and(m, mb_lshr(m, a, 13), mb_const_int(a, 1));
    mb_value normal = mb_add(m, mb_add(m, a, last), mb_const_int(a, 0xfff - (112 << 23)));
    normal = mb_lshr(m, normal, 13);
    mb_value small = mb_as_float(m, a);
    small = mb_as_int(m, mb_fadd(m, small, mb_const_float(small, 0.5)));
    small = mb_sub(m, small, mb_const_int(a, 0x3f000000));

    mb_value is_small = mb_icmp(m, LLVMIntULT, a, mb_const_int(a, 0x38800000));
    mb_value is_large = mb_icmp(m, LLVMIntUGE, a, mb_const_int(a, 0x47800000));
    mb_value nan = mb_or(m, mb_lshr(m, a, 13), mb_const_int(a, 0x7e00));
    mb_value quiet = mb_and(m, nan, mb_const_int(a, 0x7fff));
    mb_value large = mb_select(m, mb_isnan(m, v), quiet, mb_const_int(a, 0x7c00));
    mb_value r = mb_select(m, is_small, small, mb_select(m, is_large, large, normal));
    mb_value sign = mb_and(m, mb_lshr(m, bits, 16), mb_const_int(a, 0x8000));
    return mb_cast_bits(m, truncate(m, mb_or(m, r, sign), 16), type_like(m, v, IR_F16));
}

/* ---- bf16 and float */

static mb_value bf16_to_float(struct cpu_math *m, mb_value v)
{
    return mb_as_float(m, mb_shl(m, zero_extend(m, v, 32), 16));
}

/* Rounding as addition to the bits; the carry does what it should up to infinity. The result stands
 * in the upper half of each word. */
static mb_value rounded_bits(struct cpu_math *m, mb_value bits)
{
    mb_value last = mb_and(m, mb_lshr(m, bits, 16), mb_const_int(bits, 1));
    return mb_add(m, mb_add(m, bits, mb_const_int(bits, 0x7fff)), last);
}

/* A NaN, whose payload could vanish or carry, becomes quiet instead. */
static mb_value rounded_or_quiet(struct cpu_math *m, mb_value v)
{
    mb_value bits = mb_as_int(m, v), quiet = mb_or(m, bits, mb_const_int(bits, 0x400000));
    mb_value rounded = rounded_bits(m, bits);
    return mb_select(m, mb_isnan(m, v), quiet, rounded);
}

static mb_value float_to_bf16_bits(struct cpu_math *m, mb_value v)
{
    mb_value bits = mb_as_int(m, v), high = mb_lshr(m, bits, 16);
    mb_value rounded = rounded_bits(m, bits), quiet = mb_or(m, high, mb_const_int(bits, 0x40));
    mb_value upper = mb_lshr(m, rounded, 16);
    return truncate(m, mb_select(m, mb_isnan(m, v), quiet, upper), 16);
}

/* Words that hold bfloats in their upper halves, as bfloats: the even and the odd elements' words,
 * or those of the first and the second half. */
static mb_value join_words(struct cpu_math *m, mb_value a, mb_value b, bool pairs)
{
    mb_value low = mb_lshr(m, a, 16);
    if (pairs) {
        mb_value words = mb_or(m, low, mb_and(m, b, mb_const_int(b, -65536)));
        LLVMTypeRef half = LLVMInt16TypeInContext(m->context);
        return mb_cast_bits(m, words, LLVMVectorType(half, 2 * mb_lanes(a)));
    }
    mb_value pieces[] = {low, mb_lshr(m, b, 16)};
    return truncate(m, mb_concat(m, pieces, 2), 16);
}

bool cpu_rounds_by_bits(const struct cpu_features *features)
{
    return features->avx2 && !features->avx512;
}

/* Two vectors have one test for a NaN in either: what NaN needs is a block of its own. */
LLVMValueRef cpu_round_to_bf16(struct cpu_math *m, LLVMValueRef v, bool pairs, bool clean)
{
    unsigned lanes = mb_lanes(v) / 2;
    if (lanes != 8)
        return clean ? truncate(m, mb_lshr(m, rounded_bits(m, mb_as_int(m, v)), 16), 16)
                     : float_to_bf16_bits(m, v);
    mb_value a = mb_slice(m, v, 0, lanes), b = mb_slice(m, v, lanes, lanes);
    mb_value nan = clean ? NULL : mb_fcmp(m, LLVMRealUNO, a, b);
    mb_value rounded_b = rounded_bits(m, mb_as_int(m, b));
    mb_value usual = join_words(m, rounded_bits(m, mb_as_int(m, a)), rounded_b, pairs);
    if (clean)
        return usual;
    struct mb_rare rare = mb_rare_begin(m, mb_any(m, nan));
    mb_value quiet_b = rounded_or_quiet(m, b);
    mb_value mended = join_words(m, rounded_or_quiet(m, a), quiet_b, pairs);
    mb_rare_end(m, &rare);
    return mb_rare_phi(m, &rare, mended, usual);
}

/*
 * g = (1 - 2^16) v has 24 bits, the last of which stands 16 places above v's, and 2^16 v + g is
 * exact: v without what was rounded away, nearest even. Where (2^16 - 1) v falls below the power of
 * two that 2^16 v reaches, and keeps one place more, the lower half of v is at most 128 of 2^16,
 * and goes as well. Of a subnormal v more would stay.
 */
static mb_value rounded_normal(struct cpu_math *m, mb_value v)
{
    mb_value g = mb_fmul(m, v, mb_const_float(v, 1 - 0x1p16));
    return mb_as_int(m, mb_fma(m, v, mb_const_float(v, 0x1p16), g));
}

LLVMValueRef cpu_round_normal_to_bf16(struct cpu_math *m, LLVMValueRef v, bool pairs)
{
    unsigned lanes = mb_lanes(v) / 2;
    mb_value second = rounded_normal(m, mb_slice(m, v, lanes, lanes));
    return join_words(m, rounded_normal(m, mb_slice(m, v, 0, lanes)), second, pairs);
}

static mb_value subnormals(struct cpu_math *m, mb_value v)
{
    enum { SUBNORMAL = 0x20 };
    mb_value imm = LLVMConstInt(LLVMInt32TypeInContext(m->context), SUBNORMAL, 0);
    return mb_call(
        m, mb_lanes(v) == 16 ? "llvm.x86.avx512.fpclass.ps.512" : "llvm.x86.avx512.fpclass.ps.256",
        NULL, 0, (mb_value[]){v, imm}, 2);
}

/* One native vector. The instruction rounds the fraction alike whatever the exponent is, so a
 * subnormal, whose exponent field is 0, is given another one before and loses it afterwards. */
static mb_value float_to_bf16_native(struct cpu_math *m, mb_value v)
{
    bool full = mb_lanes(v) == 16;
    mb_value odd = subnormals(m, v), bits = mb_as_int(m, v);
    mb_value lifted = mb_or(m, bits, mb_const_int(bits, 0x40000000));
    v = mb_as_float(m, mb_select(m, odd, lifted, bits));
    v = mb_call(
        m, full ? "llvm.x86.avx512bf16.cvtneps2bf16.512" : "llvm.x86.avx512bf16.cvtneps2bf16.256",
        NULL, 0, &v, 1);
    v = mb_cast_bits(m, v, mb_int_type(m, v, 16));
    return mb_select(m, odd, mb_sub(m, v, mb_const_int(v, 0x4000)), v); /* one masked op */
}

/* Two native vectors by one instruction; the repair is a block of its own, for blocks of data with
 * a subnormal in them are rare. */
static mb_value float_to_bf16_pair(struct cpu_math *m, mb_value v)
{
    mb_value low = mb_slice(m, v, 0, 16), high = mb_slice(m, v, 16, 16);
    mb_value in_high = subnormals(m, high);
    mb_value odd = mb_or(m, subnormals(m, low), in_high);
    mb_value usual =
        mb_call(m, "llvm.x86.avx512bf16.cvtne2ps2bf16.512", NULL, 0, (mb_value[]){high, low}, 2);
    usual = mb_cast_bits(m, usual, mb_int_type(m, v, 16));
    struct mb_rare rare = mb_rare_begin(m, mb_any(m, odd));
    low = float_to_bf16_native(m, low);
    high = float_to_bf16_native(m, high);
    mb_value repaired = mb_concat(m, (mb_value[]){low, high}, 2);
    mb_rare_end(m, &rare);
    return mb_rare_phi(m, &rare, repaired, usual);
}

static mb_value float_to_bf16(struct cpu_math *m, mb_value v)
{
    mb_value pieces[MB_MOST_LANES / 8];
    unsigned lanes = mb_lanes(v), native = lanes < 16 ? 8 : 16;
    if (cpu_rounds_by_bits(m->features))
        return cpu_round_to_bf16(m, v, false, false);
    if (!m->features->avx512_bf16 || lanes < 8 || !bits_is_power(lanes))
        return float_to_bf16_bits(m, v);
    if (lanes == 32)
        return float_to_bf16_pair(m, v);
    for (unsigned i = 0; i < lanes / native; i++)
        pieces[i] = float_to_bf16_native(m, mb_slice(m, v, i * native, native));
    return mb_concat(m, pieces, lanes / native);
}

/* ---- double to narrower ones */

/* To float, rounding to odd: toward zero, with the last bit set if anything was lost. */
static mb_value double_to_float_odd(struct cpu_math *m, mb_value d)
{
    mb_value nearest = cast(m, LLVMFPTrunc, d, mb_float_type(m, d));
    mb_value back = cast(m, LLVMFPExt, nearest, LLVMTypeOf(d));
    mb_value size = mb_abs(m, d), size_back = mb_abs(m, back);
    mb_value away = mb_fcmp(m, LLVMRealOGT, size_back, size);
    mb_value inexact = mb_fcmp(m, LLVMRealONE, back, d);
    mb_value bits = mb_as_int(m, nearest);
    bits = mb_sub(m, bits, zero_extend(m, away, 32));
    return mb_as_float(m, mb_or(m, bits, zero_extend(m, inexact, 32)));
}

static mb_value float_to_float(struct cpu_math *m, mb_value v, enum ir_elem from, enum ir_elem to)
{
    if (from == IR_F16)
        v = half_to_float(m, v);
    else if (from == IR_BF16)
        v = bf16_to_float(m, v);
    else if (from == IR_F64)
        v = to == IR_F32 ? cast(m, LLVMFPTrunc, v, mb_float_type(m, v)) : double_to_float_odd(m, v);
    if (to == IR_F64)
        return cast(m, LLVMFPExt, v, mb_double_type(m, v));
    return to == IR_F16 ? float_to_half(m, v) : to == IR_BF16 ? float_to_bf16(m, v) : v;
}

/* ---- integer to float */

/* 64-bit integers beyond 2^53 lose their low 12 bits but for one that says whether any was set, so
 * that the conversion to double is exact. */
static mb_value fold_low_bits(struct cpu_math *m, bool is_signed, mb_value v)
{
    mb_value offset = is_signed ? mb_add(m, v, mb_const_int(v, INT64_C(1) << 52)) : v;
    mb_value large = mb_icmp(m, LLVMIntNE, mb_lshr(m, offset, 53), mb_const_int(v, 0));
    mb_value low = mb_and(m, v, mb_const_int(v, 0xfff));
    mb_value sticky = mb_icmp(m, LLVMIntNE, low, mb_const_int(v, 0));
    mb_value lowest = mb_shl(m, zero_extend(m, sticky, 64), 11);
    mb_value folded = mb_or(m, mb_and(m, v, mb_const_int(v, ~INT64_C(0xfff))), lowest);
    return mb_select(m, large, folded, v);
}

/* To f32 or f64. Short integers go through 32 bits, for which there are instructions. */
static mb_value int_to_wide(struct cpu_math *m, mb_value v, bool is_signed, LLVMTypeRef type)
{
    if (mb_bits(v) < 32) {
        v = cast(m, is_signed ? LLVMSExt : LLVMZExt, v, mb_int_type(m, v, 32));
        is_signed = true;
    }
    return cast(m, is_signed ? LLVMSIToFP : LLVMUIToFP, v, type);
}

/* To half through float: what float cannot hold exactly is infinite in half anyway. To bf16: up to
 * 16 bits through float, more through double, exactly. NEON has no vectors from 64 bits to float,
 * and LLVM 19 goes through double there without such care, which rounds twice. */
static mb_value int_to_float(struct cpu_math *m, mb_value v, enum ir_elem from, enum ir_elem to)
{
    bool is_signed = ir_is_signed(from);
    LLVMTypeRef f32 = mb_float_type(m, v), f64 = mb_double_type(m, v);
    if (to == IR_F32 && mb_bits(v) == 64 && m->features->neon) {
        v = fold_low_bits(m, is_signed, v);
        return cast(m, LLVMFPTrunc, int_to_wide(m, v, is_signed, f64), f32);
    }
    if (to == IR_F64 || to == IR_F32)
        return int_to_wide(m, v, is_signed, to == IR_F64 ? f64 : f32);
    if (to == IR_F16)
        return float_to_half(m, int_to_wide(m, v, is_signed, f32));
    if (mb_bits(v) <= 16)
        return float_to_bf16(m, int_to_wide(m, v, is_signed, f32));
    if (mb_bits(v) == 64)
        v = fold_low_bits(m, is_signed, v);
    return float_to_float(m, int_to_wide(m, v, is_signed, f64), IR_F64, IR_BF16);
}

/* ---- float to integer */

/* What is known of the numbers, and how they become integers. */
static bool may_be_nan(const struct cpu_numbers *n)
{
    return n->range.nan;
}

/* One vector of floats to signed 32-bit integers: what is out of range, and NaN, gives the least.
 */
static mb_value float_to_signed(struct cpu_math *m, mb_value v, const struct cpu_numbers *n)
{
    bool wide = mb_lanes(v) == 8;
    const char *truncates = wide ? "llvm.x86.avx.cvtt.ps2dq.256" : "llvm.x86.sse2.cvttps2dq";
    const char *rounds = wide ? "llvm.x86.avx.cvt.ps2dq.256" : "llvm.x86.sse2.cvtps2dq";
    return mb_call(m, n->round_even ? rounds : truncates, NULL, 0, &v, 1);
}

/* One vector of floats to 32 bits by AVX-512, which gives what is out of range the greatest
 * unsigned or the least signed number. What must become 0 is masked: NaN, and below 0 where it is
 * unsigned. */
static mb_value float_to_int_native(struct cpu_math *m, mb_value v, bool is_signed, unsigned lanes,
                                    const struct cpu_numbers *n)
{
    char name[64];
    mb_value zero = LLVMConstNull(mb_int_type(m, v, 32));
    double least = n->round_even ? -0.5 : -1.0; /* that does not become 0 */
    mb_value some = is_signed ? mb_fcmp(m, LLVMRealORD, v, v)
                              : mb_fcmp(m, LLVMRealOGT, v, mb_const_float(v, least));
    bool all = !may_be_nan(n) && (is_signed || n->range.least >= 0);
    if (is_signed && lanes < 16) {
        mb_value converted = float_to_signed(m, v, n);
        return all ? converted : mb_select(m, some, converted, zero);
    }
    LLVMTypeRef bits = LLVMIntTypeInContext(m->context, lanes);
    LLVMTypeRef wide = LLVMIntTypeInContext(m->context, lanes < 8 ? 8 : lanes);
    mb_value mask = all ? LLVMConstAllOnes(wide)
                        : LLVMBuildZExt(m->builder, mb_cast_bits(m, some, bits), wide, "");
    mb_value round = LLVMConstInt(LLVMInt32TypeInContext(m->context), 4, 0); /* as it is set */
    mb_value operands[] = {v, zero, mask, round};
    snprintf(name, sizeof name, "llvm.x86.avx512.mask.cvt%sps2%s.%u", n->round_even ? "" : "t",
             is_signed ? "dq" : "udq", 32 * lanes);
    return mb_call(m, name, NULL, 0, operands, lanes == 16 ? 4 : 3);
}

static mb_value float_to_int32(struct cpu_math *m, mb_value v, bool is_signed,
                               const struct cpu_numbers *n)
{
    mb_value pieces[MB_MOST_LANES / 4];
    unsigned lanes = mb_lanes(v), native = lanes < 16 ? lanes : 16;
    for (unsigned i = 0; i < lanes / native; i++)
        pieces[i] =
            float_to_int_native(m, mb_slice(m, v, i * native, native), is_signed, native, n);
    mb_value converted = mb_concat(m, pieces, lanes / native);
    const double limit = 0x1p31;
    if (!is_signed || n->range.most < limit)
        return converted;
    mb_value over = mb_fcmp(m, LLVMRealOGE, v, mb_const_float(v, limit));
    return mb_select(m, over, mb_const_int(converted, INT32_MAX), converted);
}

/* By AVX2. The least number, with all its bits inverted where the float was too large, is the
 * greatest. */
static mb_value float_to_int32_avx2(struct cpu_math *m, mb_value v, const struct cpu_numbers *n)
{
    mb_value pieces[MB_MOST_LANES / 4];
    unsigned lanes = mb_lanes(v), native = lanes < 8 ? lanes : 8;
    for (unsigned i = 0; i < lanes / native; i++)
        pieces[i] = float_to_signed(m, mb_slice(m, v, i * native, native), n);
    mb_value converted = mb_concat(m, pieces, lanes / native);
    const double limit = 0x1p31;
    LLVMTypeRef type = LLVMTypeOf(converted);
    if (n->range.most >= limit) {
        mb_value over = mb_fcmp(m, LLVMRealOGE, v, mb_const_float(v, limit));
        converted = mb_xor(m, converted, cast(m, LLVMSExt, over, type));
    }
    if (may_be_nan(n)) {
        mb_value number = mb_fcmp(m, LLVMRealORD, v, v);
        converted = mb_and(m, converted, cast(m, LLVMSExt, number, type));
    }
    return converted;
}

/* Whether there is an instruction for vectors of these, to signed 32 bits. */
static bool has_native(struct cpu_math *m, mb_value v)
{
    unsigned lanes = mb_lanes(v);
    return (m->features->avx2 || m->features->avx512) && !mb_is_double(v) && lanes >= 4 &&
           bits_is_power(lanes);
}

/* Of numbers that all have a place in the result's type. */
static mb_value exact_to_int(struct cpu_math *m, mb_value v, bool is_signed, LLVMTypeRef type,
                             bool round_even)
{
    static const struct cpu_numbers rounded = {{0, 0, false}, true};
    if (round_even && has_native(m, v) && is_signed && type == mb_int_type(m, v, 32))
        return m->features->avx512 ? float_to_int32(m, v, true, &rounded)
                                   : float_to_int32_avx2(m, v, &rounded);
    if (round_even)
        v = mb_intrinsic(m, "llvm.roundeven", &v, 1);
    return cast(m, is_signed ? LLVMFPToSI : LLVMFPToUI, v, type);
}

/* v is f32 or f64. LLVM's own saturating conversion is slow; so the value is limited to what the
 * type holds first, and where the float format has no number equal to the type's greatest, the
 * limit is the number below and the greatest is selected. */
static mb_value wide_to_int(struct cpu_math *m, mb_value v, enum ir_elem to,
                            const struct cpu_numbers *n)
{
    bool is_signed = ir_is_signed(to);
    int bits = ir_elems[to].bits, precision = mb_is_double(v) ? 53 : 24;
    int magnitude_bits = is_signed ? bits - 1 : bits;
    double limit = ldexp(1.0, magnitude_bits), greatest = limit - 1.0;
    bool exact = magnitude_bits <= precision;
    if (!exact)
        greatest = limit - ldexp(1.0, magnitude_bits - precision);

    mb_value zero = mb_const_float(v, 0.0), number = v, limited = v;
    if (bits == 32 && has_native(m, v) && (is_signed || m->features->avx512))
        return m->features->avx512 ? float_to_int32(m, v, is_signed, n)
                                   : float_to_int32_avx2(m, v, n);
    if (is_signed) {
        if (may_be_nan(n))
            limited = number = mb_select(m, mb_isnan(m, v), zero, v);
        if (n->range.least < -limit)
            limited = mb_at_least(m, number, -limit);
    } else if (may_be_nan(n) || n->range.least < 0) { /* NaN is not greater, either */
        limited = mb_select(m, mb_fcmp(m, LLVMRealOGT, v, zero), v, zero);
    }
    if (n->range.most > greatest)
        limited = mb_at_most(m, limited, greatest);
    LLVMTypeRef type = mb_int_type(m, v, bits < 32 ? 32 : (unsigned)bits);
    mb_value result = exact_to_int(m, limited, is_signed || bits < 32, type, n->round_even);
    if (!exact && n->range.most > greatest) {
        int64_t most = is_signed ? (int64_t)(UINT64_MAX >> (65 - bits)) : -1;
        mb_value over = mb_fcmp(m, LLVMRealOGE, number, mb_const_float(v, limit));
        result = mb_select(m, over, mb_const_int(result, most), result);
    }
    return pack(m, result, (unsigned)bits, is_signed);
}

LLVMValueRef cpu_convert_numbers(struct cpu_math *m, LLVMValueRef v, enum ir_elem from,
                                 enum ir_elem to, const struct cpu_numbers *numbers)
{
    if (from == IR_F16 || from == IR_BF16)
        v = float_to_float(m, v, from, IR_F32);
    return wide_to_int(m, v, to, numbers);
}

/* ---- bool */

static mb_value to_bool(struct cpu_math *m, mb_value v, enum ir_elem from)
{
    if (from == IR_F16 || from == IR_BF16) { /* anything set but the sign */
        v = mb_cast_bits(m, v, mb_int_type(m, v, 16));
        v = mb_and(m, v, mb_const_int(v, 0x7fff));
    } else if (from == IR_F32 || from == IR_F64) {
        return mb_fcmp(m, LLVMRealUNE, v, mb_const_float(v, 0.0));
    }
    return mb_icmp(m, LLVMIntNE, v, mb_const_int(v, 0));
}

static mb_value from_bool(struct cpu_math *m, mb_value v, enum ir_elem to)
{
    LLVMTypeRef type = type_like(m, v, to), element = cpu_elem_type(m, to);
    if (!ir_is_float(to))
        return cast(m, LLVMZExt, v, type);
    LLVMValueRef one =
        to == IR_BF16 ? LLVMConstInt(element, 0x3f80, 0) : LLVMConstReal(element, 1.0);
    return mb_select(m, v, mb_splat(type, one), LLVMConstNull(type));
}

static mb_value int_to_int(struct cpu_math *m, mb_value v, enum ir_elem from, enum ir_elem to)
{
    unsigned bits = ir_elems[to].bits;
    if (bits <= mb_bits(v))
        return truncate(m, v, bits);
    return cast(m, ir_is_signed(from) ? LLVMSExt : LLVMZExt, v, mb_int_type(m, v, bits));
}

LLVMValueRef cpu_convert(struct cpu_math *m, LLVMValueRef v, enum ir_elem from, enum ir_elem to)
{
    if (from == to)
        return v;
    if (to == IR_BOOL)
        return to_bool(m, v, from);
    if (from == IR_BOOL)
        return from_bool(m, v, to);
    if (ir_is_float(from) && ir_is_float(to))
        return float_to_float(m, v, from, to);
    if (ir_is_float(to))
        return int_to_float(m, v, from, to);
    if (!ir_is_float(from))
        return int_to_int(m, v, from, to);
    static const struct cpu_numbers any = {{-INFINITY, INFINITY, true}, false};
    return cpu_convert_numbers(m, v, from, to, &any);
}
