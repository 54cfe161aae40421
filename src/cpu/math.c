/*
 * Elementwise functions by element type: float and part of double are emitted in math_*.c, the rest
 * of double calls libm element by element, half and bf16 compute in float and round once.
 */
#include "cpu/math_functions.h"
#include "cpu/convert.h"

const struct cpu_math_info cpu_math_infos[CPU_MATH_COUNT] = {
#define CPU_MATH(suffix, name, operands) {name, operands},
#include "cpu/math.def"
#undef CPU_MATH
};

/* The LLVM intrinsic that is one instruction (or a short exact sequence), or NULL. */
static const char *intrinsic_name(enum cpu_math_function function)
{
    static const char *const names[CPU_MATH_COUNT] = {
        [CPU_MATH_ABS] = "llvm.fabs",
        [CPU_MATH_SQRT] = "llvm.sqrt",
        [CPU_MATH_FLOOR] = "llvm.floor",
        [CPU_MATH_CEIL] = "llvm.ceil",
        [CPU_MATH_TRUNC] = "llvm.trunc",
        [CPU_MATH_ROUND] = "llvm.round",
        [CPU_MATH_ROUNDEVEN] = "llvm.roundeven",
    };
    return names[function];
}

static mb_value rsqrt(struct cpu_math *m, mb_value x)
{
    return mb_fdiv(m, mb_const_float(x, 1.0), mb_intrinsic(m, "llvm.sqrt", &x, 1));
}

/* ---- float */

static mb_value call_float(struct cpu_math *m, enum cpu_math_function function, mb_value x,
                           mb_value y)
{
    switch (function) {
    case CPU_MATH_EXP:
        return mf_exp(m, x);
    case CPU_MATH_EXP2:
        return mf_exp2(m, x);
    case CPU_MATH_EXP10:
        return mf_exp10(m, x);
    case CPU_MATH_LOG:
        return mf_log(m, x);
    case CPU_MATH_LOG2:
        return mf_log2(m, x);
    case CPU_MATH_LOG10:
        return mf_log10(m, x);
    case CPU_MATH_EXPM1:
        return mf_expm1(m, x);
    case CPU_MATH_LOG1P:
        return mf_log1p(m, x);
    case CPU_MATH_RSQRT:
        return rsqrt(m, x);
    case CPU_MATH_SIN:
        return mf_sin(m, x);
    case CPU_MATH_COS:
        return mf_cos(m, x);
    case CPU_MATH_TAN:
        return mf_tan(m, x);
    case CPU_MATH_ASIN:
        return mf_asin(m, x);
    case CPU_MATH_ACOS:
        return mf_acos(m, x);
    case CPU_MATH_ATAN:
        return mf_atan(m, x);
    case CPU_MATH_SINH:
        return mf_sinh(m, x);
    case CPU_MATH_COSH:
        return mf_cosh(m, x);
    case CPU_MATH_TANH:
        return mf_tanh(m, x);
    case CPU_MATH_ERF:
        return mf_erf(m, x);
    case CPU_MATH_SIGMOID:
        return mf_sigmoid(m, x);
    case CPU_MATH_POW:
        return mf_pow(m, x, y);
    case CPU_MATH_ATAN2:
        return mf_atan2(m, x, y);
    case CPU_MATH_ABS:
    case CPU_MATH_SQRT:
    case CPU_MATH_FLOOR:
    case CPU_MATH_CEIL:
    case CPU_MATH_TRUNC:
    case CPU_MATH_ROUND:
    case CPU_MATH_ROUNDEVEN:
    case CPU_MATH_COUNT:
        break;
    }
    return mb_intrinsic(m, intrinsic_name(function), &x, 1);
}

/* ---- double */

static mb_value libm_function(struct cpu_math *m, const char *name, unsigned operands,
                              LLVMTypeRef *type)
{
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(m->context);
    *type = LLVMFunctionType(f64, (LLVMTypeRef[]){f64, f64}, operands, 0);
    mb_value f = LLVMGetNamedFunction(m->module, name);
    return f ? f : LLVMAddFunction(m->module, name, *type);
}

/* name(x) or name(x, y) for each element. */
static mb_value call_libm(struct cpu_math *m, const char *name, mb_value x, mb_value y)
{
    LLVMTypeRef type;
    unsigned lanes = mb_lanes(x), operands = y ? 2 : 1;
    mb_value f = libm_function(m, name, operands, &type);
    if (!lanes)
        return LLVMBuildCall2(m->builder, type, f, (mb_value[]){x, y}, operands, "");
    mb_value result = LLVMGetUndef(LLVMTypeOf(x));
    for (unsigned i = 0; i < lanes; i++) {
        mb_value first = mb_lane(m, x, i), second = y ? mb_lane(m, y, i) : NULL;
        mb_value arguments[] = {first, second};
        mb_value value = LLVMBuildCall2(m->builder, type, f, arguments, operands, "");
        mb_value index = LLVMConstInt(LLVMInt32TypeInContext(m->context), i, 0);
        result = LLVMBuildInsertElement(m->builder, result, value, index, "");
    }
    return result;
}

/* Sine, cosine or tangent: of elements beyond what `near` is made for libm's, in a block of their
 * own. */
static mb_value trigonometric(struct cpu_math *m, const char *name, mb_value x, mb_value near)
{
    mb_value far = mb_fcmp(m, LLVMRealOGT, mb_abs(m, x), mb_const_float(x, MD_TRIG_NEAR));
    struct mb_rare rare = mb_rare_begin(m, mb_any(m, far));
    mb_value mended = mb_select(m, far, call_libm(m, name, x, NULL), near);
    mb_rare_end(m, &rare);
    return mb_rare_phi(m, &rare, mended, near);
}

static mb_value call_double(struct cpu_math *m, enum cpu_math_function function, mb_value x,
                            mb_value y)
{
    if (intrinsic_name(function))
        return mb_intrinsic(m, intrinsic_name(function), &x, 1);
    switch ((int)function) {
    case CPU_MATH_RSQRT:
        return rsqrt(m, x);
    case CPU_MATH_SIN:
        return trigonometric(m, "sin", x, md_sin_near(m, x));
    case CPU_MATH_COS:
        return trigonometric(m, "cos", x, md_cos_near(m, x));
    case CPU_MATH_TAN:
        return trigonometric(m, "tan", x, md_tan_near(m, x));
    case CPU_MATH_ASIN:
        return mf_asin(m, x);
    case CPU_MATH_ACOS:
        return mf_acos(m, x);
    case CPU_MATH_ATAN:
        return mf_atan(m, x);
    case CPU_MATH_ATAN2:
        return mf_atan2(m, x, y);
    case CPU_MATH_EXP:
        return md_exp(m, x);
    case CPU_MATH_EXP2:
        return md_exp2(m, x);
    case CPU_MATH_EXP10:
        return md_exp10(m, x);
    case CPU_MATH_LOG:
        return md_log(m, x);
    case CPU_MATH_LOG2:
        return md_log2(m, x);
    case CPU_MATH_LOG10:
        return md_log10(m, x);
    case CPU_MATH_EXPM1:
        return md_expm1(m, x);
    case CPU_MATH_LOG1P:
        return md_log1p(m, x);
    case CPU_MATH_SIGMOID:
        return md_sigmoid(m, x);
    case CPU_MATH_SINH:
        return md_sinh(m, x);
    case CPU_MATH_COSH:
        return md_cosh(m, x);
    case CPU_MATH_TANH:
        return md_tanh(m, x);
    default:
        return call_libm(m, cpu_math_infos[function].name, x, y);
    }
}

/* ---- by type */

LLVMValueRef cpu_math_call_elem(struct cpu_math *m, enum cpu_math_function function,
                                enum ir_elem elem, LLVMValueRef x, LLVMValueRef y_or_null)
{
    if (elem == IR_F64)
        return call_double(m, function, x, y_or_null);
    if (elem == IR_F32)
        return call_float(m, function, x, y_or_null);
    mb_value y = y_or_null ? cpu_convert(m, y_or_null, elem, IR_F32) : NULL;
    mb_value result = call_float(m, function, cpu_convert(m, x, elem, IR_F32), y);
    return cpu_convert(m, result, IR_F32, elem);
}

LLVMValueRef cpu_math_exp_not_positive(struct cpu_math *m, enum ir_elem elem, LLVMValueRef x,
                                       LLVMValueRef near_if)
{
    if (elem == IR_F64)
        return md_exp(m, x);
    x = mf_exp_not_positive(m, cpu_convert(m, x, elem, IR_F32), near_if);
    return cpu_convert(m, x, IR_F32, elem);
}

LLVMValueRef cpu_math_exp_near(struct cpu_math *m, enum ir_elem elem, LLVMValueRef x)
{
    return cpu_convert(m, mf_exp_near(m, cpu_convert(m, x, elem, IR_F32)), IR_F32, elem);
}
