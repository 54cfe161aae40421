/*
 * The builder's calls under short names. Nothing here knows mathematics; see math_build.h.
 *
 * LLVM's builder folds operations on constants by itself, so no function checks for them.
 */
#include "cpu/math_build.h"
#include "base/bits.h"

#include <stdio.h>
#include <string.h>

unsigned mb_lanes(mb_value v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

static LLVMTypeRef element_type(mb_value v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMTypeRef mb_type_like(mb_value like, LLVMTypeRef element)
{
    unsigned lanes = mb_lanes(like);
    return lanes ? LLVMVectorType(element, lanes) : element;
}

unsigned mb_bits(mb_value v)
{
    LLVMTypeRef type = element_type(v);
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return LLVMGetIntTypeWidth(type);
    }
}

LLVMTypeRef mb_int_type(struct cpu_math *m, mb_value like, unsigned bits)
{
    return mb_type_like(like, LLVMIntTypeInContext(m->context, bits));
}

LLVMTypeRef mb_float_type(struct cpu_math *m, mb_value like)
{
    return mb_type_like(like, LLVMFloatTypeInContext(m->context));
}

LLVMTypeRef mb_double_type(struct cpu_math *m, mb_value like)
{
    return mb_type_like(like, LLVMDoubleTypeInContext(m->context));
}

bool mb_is_double(mb_value v)
{
    return LLVMGetTypeKind(element_type(v)) == LLVMDoubleTypeKind;
}

/* ---- constants */

mb_value mb_splat(LLVMTypeRef type, mb_value element)
{
    LLVMValueRef elements[MB_MOST_LANES];
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return element;
    unsigned lanes = LLVMGetVectorSize(type);
    for (unsigned i = 0; i < lanes; i++)
        elements[i] = element;
    return LLVMConstVector(elements, lanes);
}

mb_value mb_broadcast(struct cpu_math *m, mb_value like, mb_value element)
{
    LLVMTypeRef type = LLVMTypeOf(like), i32 = LLVMInt32TypeInContext(m->context);
    unsigned lanes = mb_lanes(like);
    if (!lanes)
        return element;
    mb_value undef = LLVMGetUndef(type);
    mb_value one = LLVMBuildInsertElement(m->builder, undef, element, LLVMConstNull(i32), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(i32, lanes));
    return LLVMBuildShuffleVector(m->builder, one, undef, zeros, "");
}

mb_value mb_const_float(mb_value like, double value)
{
    return mb_splat(LLVMTypeOf(like), LLVMConstReal(element_type(like), value));
}

mb_value mb_const_int(mb_value like, int64_t value)
{
    return mb_splat(LLVMTypeOf(like), LLVMConstInt(element_type(like), (uint64_t)value, 1));
}

/* ---- arithmetic */

mb_value mb_fadd(struct cpu_math *m, mb_value a, mb_value b)
{
    return LLVMBuildFAdd(m->builder, a, b, "");
}

mb_value mb_fsub(struct cpu_math *m, mb_value a, mb_value b)
{
    return LLVMBuildFSub(m->builder, a, b, "");
}

mb_value mb_fmul(struct cpu_math *m, mb_value a, mb_value b)
{
    return LLVMBuildFMul(m->builder, a, b, "");
}

mb_value mb_fdiv(struct cpu_math *m, mb_value a, mb_value b)
{
    return LLVMBuildFDiv(m->builder, a, b, "");
}

mb_value mb_fneg(struct cpu_math *m, mb_value a)
{
    return LLVMBuildFNeg(m->builder, a, "");
}

mb_value mb_fma(struct cpu_math *m, mb_value a, mb_value b, mb_value c)
{
    return mb_intrinsic(m, "llvm.fma", (mb_value[]){a, b, c}, 3);
}

mb_value mb_add(struct cpu_math *m, mb_value a, mb_value b)
{
    return LLVMBuildAdd(m->builder, a, b, "");
}

mb_value mb_sub(struct cpu_math *m, mb_value a, mb_value b)
{
    return LLVMBuildSub(m->builder, a, b, "");
}

mb_value mb_mul(struct cpu_math *m, mb_value a, mb_value b)
{
    return LLVMBuildMul(m->builder, a, b, "");
}

mb_value mb_and(struct cpu_math *m, mb_value a, mb_value b)
{
    return LLVMBuildAnd(m->builder, a, b, "");
}

mb_value mb_or(struct cpu_math *m, mb_value a, mb_value b)
{
    return LLVMBuildOr(m->builder, a, b, "");
}

mb_value mb_xor(struct cpu_math *m, mb_value a, mb_value b)
{
    return LLVMBuildXor(m->builder, a, b, "");
}

mb_value mb_not(struct cpu_math *m, mb_value a)
{
    return LLVMBuildNot(m->builder, a, "");
}

mb_value mb_shl(struct cpu_math *m, mb_value a, int64_t count)
{
    return LLVMBuildShl(m->builder, a, mb_const_int(a, count), "");
}

mb_value mb_lshr(struct cpu_math *m, mb_value a, int64_t count)
{
    return LLVMBuildLShr(m->builder, a, mb_const_int(a, count), "");
}

mb_value mb_poly(struct cpu_math *m, mb_value x, const double *c, int n)
{
    mb_value p = mb_const_float(x, c[0]);
    for (int i = 1; i < n; i++)
        p = mb_fma(m, p, x, mb_const_float(x, c[i]));
    return p;
}

/* ---- choice */

mb_value mb_icmp(struct cpu_math *m, LLVMIntPredicate p, mb_value a, mb_value b)
{
    return LLVMBuildICmp(m->builder, p, a, b, "");
}

mb_value mb_fcmp(struct cpu_math *m, LLVMRealPredicate p, mb_value a, mb_value b)
{
    return LLVMBuildFCmp(m->builder, p, a, b, "");
}

mb_value mb_isnan(struct cpu_math *m, mb_value a)
{
    return mb_fcmp(m, LLVMRealUNO, a, a);
}

mb_value mb_select(struct cpu_math *m, mb_value c, mb_value a, mb_value b)
{
    return LLVMBuildSelect(m->builder, c, a, b, "");
}

/* The form "bound < a ? bound : a" is what minps(bound, a) does, NaN included. */
mb_value mb_at_most(struct cpu_math *m, mb_value a, double bound)
{
    mb_value b = mb_const_float(a, bound);
    return mb_select(m, mb_fcmp(m, LLVMRealOLT, b, a), b, a);
}

mb_value mb_at_least(struct cpu_math *m, mb_value a, double bound)
{
    mb_value b = mb_const_float(a, bound);
    return mb_select(m, mb_fcmp(m, LLVMRealOGT, b, a), b, a);
}

/* ---- bits */

mb_value mb_cast_bits(struct cpu_math *m, mb_value a, LLVMTypeRef type)
{
    return LLVMBuildBitCast(m->builder, a, type, "");
}

mb_value mb_as_int(struct cpu_math *m, mb_value a)
{
    return mb_cast_bits(m, a, mb_int_type(m, a, mb_bits(a)));
}

mb_value mb_as_float(struct cpu_math *m, mb_value a)
{
    bool wide = mb_bits(a) == 64;
    return mb_cast_bits(m, a, wide ? mb_double_type(m, a) : mb_float_type(m, a));
}

mb_value mb_abs(struct cpu_math *m, mb_value a)
{
    return mb_intrinsic(m, "llvm.fabs", &a, 1);
}

mb_value mb_copysign(struct cpu_math *m, mb_value magnitude, mb_value sign)
{
    return mb_intrinsic(m, "llvm.copysign", (mb_value[]){magnitude, sign}, 2);
}

mb_value mb_call(struct cpu_math *m, const char *name, LLVMTypeRef *overloads,
                 unsigned overload_count, mb_value *operands, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    mb_value f = LLVMGetIntrinsicDeclaration(m->module, id, overloads, overload_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(m->context, id, overloads, overload_count);
    return LLVMBuildCall2(m->builder, type, f, operands, count, "");
}

mb_value mb_intrinsic(struct cpu_math *m, const char *name, mb_value *operands, unsigned count)
{
    LLVMTypeRef type = LLVMTypeOf(operands[0]);
    return mb_call(m, name, &type, 1, operands, count);
}

mb_value mb_any(struct cpu_math *m, mb_value condition)
{
    unsigned lanes = mb_lanes(condition);
    if (!lanes)
        return condition;
    mb_value bits = mb_cast_bits(m, condition, LLVMIntTypeInContext(m->context, lanes));
    return mb_icmp(m, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)));
}

/* ---- rare cases */

static void mb_mark_unlikely(struct cpu_math *m, LLVMValueRef branch)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->context);
    LLVMMetadataRef words[] = {
        LLVMMDStringInContext2(m->context, "branch_weights", 14),
        LLVMValueAsMetadata(LLVMConstInt(i32, 1, 0)),
        LLVMValueAsMetadata(LLVMConstInt(i32, 100000, 0)),
    };
    LLVMMetadataRef node = LLVMMDNodeInContext2(m->context, words, 3);
    unsigned kind = LLVMGetMDKindIDInContext(m->context, "prof", 4);
    LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(m->context, node));
}

struct mb_rare mb_rare_begin(struct cpu_math *m, mb_value condition)
{
    struct mb_rare rare = {.before = LLVMGetInsertBlock(m->builder)};
    LLVMValueRef function = LLVMGetBasicBlockParent(rare.before);
    LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(m->context, function, "rare");
    rare.after = LLVMAppendBasicBlockInContext(m->context, function, "usual");
    mb_mark_unlikely(m, LLVMBuildCondBr(m->builder, condition, inside, rare.after));
    LLVMPositionBuilderAtEnd(m->builder, inside);
    return rare;
}

void mb_rare_end(struct cpu_math *m, struct mb_rare *rare)
{
    rare->inside_end = LLVMGetInsertBlock(m->builder);
    LLVMBuildBr(m->builder, rare->after);
    LLVMPositionBuilderAtEnd(m->builder, rare->after);
}

mb_value mb_rare_phi(struct cpu_math *m, const struct mb_rare *rare, mb_value inside,
                     mb_value outside)
{
    mb_value phi = LLVMBuildPhi(m->builder, LLVMTypeOf(inside), "");
    LLVMAddIncoming(phi, (mb_value[]){inside, outside},
                    (LLVMBasicBlockRef[]){rare->inside_end, rare->before}, 2);
    return phi;
}

/* ---- pieces of vectors */

/* The constant <first, first + 1, ...> of i32, as shuffles want it. */
static mb_value mb_iota(struct cpu_math *m, unsigned first, unsigned count)
{
    LLVMValueRef index[MB_MOST_LANES];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->context);
    for (unsigned i = 0; i < count; i++)
        index[i] = LLVMConstInt(i32, first + i, 0);
    return LLVMConstVector(index, count);
}

mb_value mb_slice(struct cpu_math *m, mb_value v, unsigned first, unsigned count)
{
    if (first == 0 && count == mb_lanes(v))
        return v;
    mb_value undef = LLVMGetUndef(LLVMTypeOf(v));
    return LLVMBuildShuffleVector(m->builder, v, undef, mb_iota(m, first, count), "");
}

mb_value mb_concat(struct cpu_math *m, mb_value *pieces, unsigned count)
{
    for (; count > 1; count /= 2)
        for (unsigned i = 0; i < count / 2; i++) {
            mb_value index = mb_iota(m, 0, 2 * mb_lanes(pieces[2 * i]));
            pieces[i] =
                LLVMBuildShuffleVector(m->builder, pieces[2 * i], pieces[2 * i + 1], index, "");
        }
    return pieces[0];
}

mb_value mb_lane(struct cpu_math *m, mb_value v, unsigned lane)
{
    if (!mb_lanes(v))
        return v;
    mb_value index = LLVMConstInt(LLVMInt32TypeInContext(m->context), lane, 0);
    return LLVMBuildExtractElement(m->builder, v, index, "");
}

/* ---- AVX-512 */

/* The operands of one masked intrinsic: a [b] [imm] pass-through mask [rounding, at 512 bits]. */
static mb_value mb_avx512_piece(struct cpu_math *m, const char *name, mb_value a, mb_value b,
                                int imm)
{
    char full[96];
    mb_value operands[6];
    unsigned count = 0, lanes = mb_lanes(a), width = lanes * mb_bits(a);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->context);

    operands[count++] = a;
    if (b)
        operands[count++] = b;
    if (imm >= 0)
        operands[count++] = LLVMConstInt(i32, (unsigned)imm, 0);
    operands[count++] = LLVMGetUndef(LLVMTypeOf(a));
    operands[count++] = LLVMConstAllOnes(LLVMIntTypeInContext(m->context, lanes < 8 ? 8 : lanes));
    if (width == 512)
        operands[count++] = LLVMConstInt(i32, 4, 0); /* round as the control register says */
    snprintf(full, sizeof full, "llvm.x86.avx512.mask.%s.%s.%u", name,
             mb_is_double(a) ? "pd" : "ps", width);
    return mb_call(m, full, NULL, 0, operands, count);
}

bool mb_avx512(struct cpu_math *m, const char *name, mb_value a, mb_value b_or_null, int imm,
               mb_value *result)
{
    mb_value pieces[MB_MOST_LANES / 8];
    unsigned lanes = mb_lanes(a), width = lanes * mb_bits(a);
    if (!m->features->avx512 || width < 128 || !bits_is_power(lanes))
        return false;
    unsigned native = width < 512 ? lanes : 512 / mb_bits(a), count = lanes / native;
    for (unsigned i = 0; i < count; i++) {
        mb_value b = b_or_null ? mb_slice(m, b_or_null, i * native, native) : NULL;
        pieces[i] = mb_avx512_piece(m, name, mb_slice(m, a, i * native, native), b, imm);
    }
    *result = mb_concat(m, pieces, count);
    return true;
}
