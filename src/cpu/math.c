/*
 * Elementwise functions by element type: float and part of double are emitted in math_*.c, the rest
 * of double calls libm element by element, half and bf16 compute in float and round once.
 */
#include "cpu/math_functions.h"
#include "cpu/convert.h"

const struct cpu_math_info cpu_math_infos[CPU_MATH_COUNT] = {
#define CPU_MATH(op, name, operands, ...) {name, operands},
#include "cpu/math.def"
#undef CPU_MATH
};

static mb_value rsqrt(struct cpu_math *m, mb_value x)
{
    return mb_fdiv(m, mb_const_float(x, 1.0), mb_intrinsic(m, "llvm.sqrt", &x, 1));
}

/* ---- of double, by libm, as a whole or far from 0 */

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

static mb_value md_sin(struct cpu_math *m, mb_value x)
{
    return trigonometric(m, "sin", x, md_sin_near(m, x));
}

static mb_value md_cos(struct cpu_math *m, mb_value x)
{
    return trigonometric(m, "cos", x, md_cos_near(m, x));
}

static mb_value md_tan(struct cpu_math *m, mb_value x)
{
    return trigonometric(m, "tan", x, md_tan_near(m, x));
}

/* ---- by type */

/* For float and for double; NULL: libm's. */
static const struct {
    const char *intrinsic;
    mb_value (*unary[2])(struct cpu_math *m, mb_value x);
    mb_value (*binary[2])(struct cpu_math *m, mb_value x, mb_value y);
} emitters[CPU_MATH_COUNT] = {
#define CPU_MATH(op, name, operands, ...) {__VA_ARGS__},
#include "cpu/math.def"
#undef CPU_MATH
};

static mb_value call(struct cpu_math *m, enum cpu_math_function function, mb_value x, mb_value y)
{
    bool wide = mb_is_double(x);
    if (emitters[function].intrinsic)
        return mb_intrinsic(m, emitters[function].intrinsic, &x, 1);
    if (emitters[function].unary[wide])
        return emitters[function].unary[wide](m, x);
    if (emitters[function].binary[wide])
        return emitters[function].binary[wide](m, x, y);
    return call_libm(m, cpu_math_infos[function].name, x, y);
}

LLVMValueRef cpu_math_call_elem(struct cpu_math *m, enum cpu_math_function function,
                                enum ir_elem elem, LLVMValueRef x, LLVMValueRef y_or_null)
{
    if (elem == IR_F64 || elem == IR_F32)
        return call(m, function, x, y_or_null);
    mb_value y = y_or_null ? cpu_convert(m, y_or_null, elem, IR_F32) : NULL;
    mb_value result = call(m, function, cpu_convert(m, x, elem, IR_F32), y);
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
