/*
 * Integer division without traps, and shifts.
 *
 * x86 and AArch64 have no vector integer division, and LLVM takes vectors apart for it. Dividing in
 * a float format instead is exact when it has enough bits: for |a| < 2^k and a format of more than
 * k bits, a / b lies at least 1 / |b| away from the next integer unless it is one, and the rounding
 * error is below |a / b| 2^-k < 1 / |b|, so truncation gives the right quotient. So 8 and 16 bits
 * divide as float, 32 bits as double, and 64 bits as double when no element needs more than 51
 * bits, else element by element in a rare block.
 *
 * The divisors 0, and -1 under INT_MIN, are replaced by 1 first; that alone is right for INT_MIN,
 * and the remainder a - q b comes out right for both.
 */
#include "cpu/math_build.h"

/* Whether all lanes are the same constant. */
static bool one_constant(mb_value v, uint64_t *value)
{
    if (!LLVMIsConstant(v) || LLVMIsUndef(v) || LLVMIsPoison(v) || !mb_lanes(v))
        return false;
    mb_value first = LLVMGetAggregateElement(v, 0);
    if (!first || !LLVMIsAConstantInt(first) || mb_splat(LLVMTypeOf(v), first) != v)
        return false;
    *value = LLVMConstIntGetZExtValue(first);
    return true;
}

/* A constant stays one, for divides_well: LLVM's builder does not fold `and` with false. */
static mb_value safe_divisor(struct cpu_math *m, bool is_signed, mb_value a, mb_value b)
{
    uint64_t value, minus_one = mb_bits(b) == 64 ? UINT64_MAX : (UINT64_C(1) << mb_bits(b)) - 1;
    if (one_constant(b, &value) && value != 0 && value != minus_one)
        return b;
    mb_value zero = mb_const_int(b, 0), unsafe = mb_icmp(m, LLVMIntEQ, b, zero);
    if (is_signed) {
        int64_t lowest = (int64_t)((uint64_t)-1 << (mb_bits(a) - 1));
        mb_value by_minus_one = mb_icmp(m, LLVMIntEQ, b, mb_const_int(b, -1));
        mb_value of_lowest = mb_icmp(m, LLVMIntEQ, a, mb_const_int(a, lowest));
        unsafe = mb_or(m, unsafe, mb_and(m, of_lowest, by_minus_one));
    }
    return mb_select(m, unsafe, mb_const_int(b, 1), b);
}

static mb_value divide_plain(struct cpu_math *m, bool is_signed, mb_value a, mb_value b)
{
    return is_signed ? LLVMBuildSDiv(m->builder, a, b, "") : LLVMBuildUDiv(m->builder, a, b, "");
}

/* Through float or double; the quotient fits the type, because the divisor is safe. 8 and 16 bits
 * widen to signed 32, the integers that convert fastest. */
static mb_value divide_as_float(struct cpu_math *m, bool is_signed, mb_value a, mb_value b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    if (mb_bits(a) < 32) {
        LLVMTypeRef wide = mb_int_type(m, a, 32), f32 = mb_float_type(m, a);
        LLVMOpcode extend = is_signed ? LLVMSExt : LLVMZExt;
        a = LLVMBuildCast(m->builder, extend, a, wide, "");
        b = LLVMBuildCast(m->builder, extend, b, wide, "");
        mb_value divisor = LLVMBuildSIToFP(m->builder, b, f32, "");
        mb_value q = mb_fdiv(m, LLVMBuildSIToFP(m->builder, a, f32, ""), divisor);
        return LLVMBuildTrunc(m->builder, LLVMBuildFPToSI(m->builder, q, wide, ""), type, "");
    }
    LLVMTypeRef f64 = mb_double_type(m, a);
    LLVMOpcode in = is_signed ? LLVMSIToFP : LLVMUIToFP;
    LLVMOpcode out = is_signed ? LLVMFPToSI : LLVMFPToUI;
    mb_value divisor = LLVMBuildCast(m->builder, in, b, f64, "");
    mb_value q = mb_fdiv(m, LLVMBuildCast(m->builder, in, a, f64, ""), divisor);
    return LLVMBuildCast(m->builder, out, q, type, "");
}

/* ---- 64 bits. An integer in [-2^51, 2^51) becomes a double and back under the exponent of
 * 1.5 * 2^52, on every target, where the conversion instructions need AVX-512. */
static const double wide_magic = 0x1.8p52;
static const int64_t wide_magic_bits = 0x4338000000000000;

static mb_value short_to_double(struct cpu_math *m, mb_value v)
{
    mb_value d = mb_as_float(m, mb_add(m, v, mb_const_int(v, wide_magic_bits)));
    return mb_fsub(m, d, mb_const_float(d, wide_magic));
}

static mb_value double_to_short(struct cpu_math *m, mb_value d)
{
    mb_value bits = mb_as_int(m, mb_fadd(m, d, mb_const_float(d, wide_magic)));
    return mb_sub(m, bits, mb_const_int(bits, wide_magic_bits));
}

/* Truth where v is outside [-2^51, 2^51) (signed) or [0, 2^51). */
static mb_value is_long(struct cpu_math *m, bool is_signed, mb_value v)
{
    if (is_signed)
        v = mb_add(m, v, mb_const_int(v, INT64_C(1) << 51));
    return mb_icmp(m, LLVMIntNE, mb_lshr(m, v, is_signed ? 52 : 51), mb_const_int(v, 0));
}

static mb_value divide_lanes(struct cpu_math *m, bool is_signed, mb_value a, mb_value b)
{
    mb_value result = LLVMGetUndef(LLVMTypeOf(a));
    for (unsigned i = 0, lanes = mb_lanes(a); i < lanes; i++) {
        mb_value divisor = mb_lane(m, b, i);
        mb_value q = divide_plain(m, is_signed, mb_lane(m, a, i), divisor);
        mb_value index = LLVMConstInt(LLVMInt32TypeInContext(m->context), i, 0);
        result = LLVMBuildInsertElement(m->builder, result, q, index, "");
    }
    return result;
}

static mb_value divide_wide(struct cpu_math *m, bool is_signed, mb_value a, mb_value b)
{
    mb_value divisor = short_to_double(m, b);
    mb_value q = mb_fdiv(m, short_to_double(m, a), divisor);
    q = double_to_short(m, mb_intrinsic(m, "llvm.trunc", &q, 1));
    mb_value large = is_long(m, is_signed, b);
    large = mb_or(m, is_long(m, is_signed, a), large);
    struct mb_rare rare = mb_rare_begin(m, mb_any(m, large));
    mb_value exact = divide_lanes(m, is_signed, a, b);
    mb_rare_end(m, &rare);
    return mb_rare_phi(m, &rare, exact, q);
}

/* ---- by shape and width */

/* A constant divisor of one value, of which LLVM makes shifts or multiplications well. */
static bool divides_well(mb_value divisor)
{
    uint64_t value;
    if (!one_constant(divisor, &value))
        return false;
    bool power = value && (value & (value - 1)) == 0;
    return power || (value && mb_bits(divisor) < 64);
}

/* a / b for a safe b. */
static mb_value divide(struct cpu_math *m, bool is_signed, mb_value a, mb_value b)
{
    if (!mb_lanes(a) || divides_well(b))
        return divide_plain(m, is_signed, a, b);
    return mb_bits(a) == 64 ? divide_wide(m, is_signed, a, b) : divide_as_float(m, is_signed, a, b);
}

LLVMValueRef cpu_int_div(struct cpu_math *m, enum ir_elem elem, LLVMValueRef a, LLVMValueRef b)
{
    bool is_signed = ir_is_signed(elem);
    mb_value q = divide(m, is_signed, a, safe_divisor(m, is_signed, a, b));
    mb_value by_zero = mb_icmp(m, LLVMIntEQ, b, mb_const_int(b, 0));
    return mb_select(m, by_zero, mb_const_int(a, 0), q);
}

LLVMValueRef cpu_int_rem(struct cpu_math *m, enum ir_elem elem, LLVMValueRef a, LLVMValueRef b)
{
    bool is_signed = ir_is_signed(elem);
    mb_value q = divide(m, is_signed, a, safe_divisor(m, is_signed, a, b));
    return mb_sub(m, a, mb_mul(m, q, b));
}

/* The quotient plus one where there is a remainder and the true quotient is positive. */
LLVMValueRef cpu_int_cdiv(struct cpu_math *m, enum ir_elem elem, LLVMValueRef a, LLVMValueRef b)
{
    bool is_signed = ir_is_signed(elem);
    mb_value zero = mb_const_int(a, 0);
    mb_value q = divide(m, is_signed, a, safe_divisor(m, is_signed, a, b));
    mb_value rest = mb_sub(m, a, mb_mul(m, q, b));
    mb_value up = mb_icmp(m, LLVMIntNE, rest, zero);
    if (is_signed)
        up = mb_and(m, up, mb_icmp(m, LLVMIntSGE, mb_xor(m, rest, b), zero));
    q = mb_add(m, q, LLVMBuildZExt(m->builder, up, LLVMTypeOf(a), ""));
    return mb_select(m, mb_icmp(m, LLVMIntEQ, b, zero), zero, q);
}

/* ---- shifts */

static mb_value shift_count(struct cpu_math *m, mb_value count)
{
    return mb_and(m, count, mb_const_int(count, (int64_t)mb_bits(count) - 1));
}

/* The first lanes; more than there are have any value. */
static LLVMValueRef resize(struct cpu_math *m, LLVMValueRef v, unsigned lanes)
{
    enum { MOST_LANES = 16 };
    LLVMValueRef places[MOST_LANES];
    LLVMTypeRef index = LLVMInt32TypeInContext(m->context);
    unsigned there = LLVMGetVectorSize(LLVMTypeOf(v));
    for (unsigned i = 0; i < lanes; i++)
        places[i] = i < there ? LLVMConstInt(index, i, false) : LLVMGetPoison(index);
    return LLVMBuildShuffleVector(m->builder, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(places, lanes), "");
}

/* LLVM 19 widens vectors of less than 128 bits with lanes that are undefined. Where a lane of both a and b
 * is known to be 0 (behind a tile's end), it then takes that lane of a & b to be undefined too, and
 * (a & b) * c or (a & b) / 7 have garbage there (pull request 180727 of LLVM describes such a fault). Of a
 * value that an instruction of ours has passed on it knows nothing. */
LLVMValueRef cpu_int_and(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b)
{
    enum { WHOLE_BITS = 128 };
    LLVMValueRef both = LLVMBuildAnd(m->builder, a, b, "");
    LLVMTypeRef type = LLVMTypeOf(both);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || m->features->neon || LLVMIsConstant(a) ||
        LLVMIsConstant(b))
        return both;
    LLVMTypeRef element = LLVMGetElementType(type);
    unsigned bits = LLVMGetIntTypeWidth(element), lanes = LLVMGetVectorSize(type);
    if (bits < 8 || bits * lanes >= WHOLE_BITS)
        return both;
    LLVMTypeRef wide = LLVMVectorType(element, WHOLE_BITS / bits), function;
    function = LLVMFunctionType(wide, &wide, 1, false);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(function, "", 0, "=x,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef whole = resize(m, both, WHOLE_BITS / bits);
    whole = LLVMBuildCall2(m->builder, function, nothing, &whole, 1, "");
    return resize(m, whole, lanes);
}

LLVMValueRef cpu_int_shl(struct cpu_math *m, enum ir_elem elem, LLVMValueRef a, LLVMValueRef count)
{
    (void)elem; /* the same for both signs */
    return LLVMBuildShl(m->builder, a, shift_count(m, count), "");
}

LLVMValueRef cpu_int_shr(struct cpu_math *m, enum ir_elem elem, LLVMValueRef a, LLVMValueRef count)
{
    LLVMOpcode op = ir_is_signed(elem) ? LLVMAShr : LLVMLShr;
    return LLVMBuildBinOp(m->builder, op, a, shift_count(m, count), "");
}
