/*
 * fmod of both formats, exact. One step takes away what a quotient below 2^24 (double: 2^53) says:
 *
 *     q = trunc(a / b),  r = a - q b by fma,  r + b where the division rounded up to the next q
 *
 * a and b are multiples of the lesser of their units, r is one and no greater than b: it has no
 * more digits than they have. Where a lane's quotient is greater, a loop in double takes 51 bits of
 * it at a time, by b 2^k in the place of b.
 */
#include "cpu/math_functions.h"

#include <math.h>

/* a mod b, where a >= 0, b > 0 and the quotient is small enough. */
static mb_value one_step(struct cpu_math *m, mb_value a, mb_value b, mb_value quotient)
{
    mb_value q = mb_intrinsic(m, "llvm.trunc", &quotient, 1);
    mb_value r = mb_fma(m, mb_fneg(m, q), b, a);
    mb_value negative = mb_fcmp(m, LLVMRealOLT, r, mb_const_float(r, 0.0));
    return mb_select(m, negative, mb_fadd(m, r, b), r);
}

/* The exponent of a double that is no subnormal; of 0 and subnormals one that is too small. */
static mb_value exponent_of(struct cpu_math *m, mb_value x)
{
    mb_value field = mb_lshr(m, mb_as_int(m, x), 52);
    return mb_sub(m, field, mb_const_int(field, 1023));
}

static mb_value power_of_two(struct cpu_math *m, mb_value n)
{
    return mb_as_float(m, mb_shl(m, mb_add(m, n, mb_const_int(n, 1023)), 52));
}

/* The exponent of any positive double. */
static mb_value exponent_of_any(struct cpu_math *m, mb_value x)
{
    mb_value usual = exponent_of(m, x);
    mb_value raised = exponent_of(m, mb_fmul(m, x, mb_const_float(x, 0x1p54)));
    raised = mb_sub(m, raised, mb_const_int(raised, 54));
    mb_value tiny = mb_fcmp(m, LLVMRealOLT, x, mb_const_float(x, 0x1p-1022));
    return mb_select(m, tiny, raised, usual);
}

/* b 2^k, k from 0 to 2046: two products, as 2^k itself may be no double. */
static mb_value raise_by(struct cpu_math *m, mb_value b, mb_value k)
{
    mb_value half = mb_lshr(m, k, 1);
    b = mb_fmul(m, b, power_of_two(m, half));
    return mb_fmul(m, b, power_of_two(m, mb_sub(m, k, half)));
}

/* a mod b of finite doubles by as many steps as the lane with the greatest quotient needs. */
static mb_value many_steps(struct cpu_math *m, mb_value a, mb_value b)
{
    mb_value exponent = exponent_of_any(m, b);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(m->builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(before);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(m->context, function, "fmod");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(m->context, function, "fmod.end");
    LLVMBuildBr(m->builder, loop);
    LLVMPositionBuilderAtEnd(m->builder, loop);
    mb_value r = LLVMBuildPhi(m->builder, LLVMTypeOf(a), "");
    mb_value k = mb_sub(m, exponent_of(m, r), exponent);
    k = mb_sub(m, k, mb_const_int(k, 51));
    mb_value zero = mb_const_int(k, 0);
    k = mb_select(m, mb_icmp(m, LLVMIntSGT, k, zero), k, zero);
    mb_value raised = raise_by(m, b, k);
    mb_value next = one_step(m, r, raised, mb_fdiv(m, r, raised));
    mb_value more = mb_any(m, mb_fcmp(m, LLVMRealOGE, next, b));
    LLVMBuildCondBr(m->builder, more, loop, after);
    LLVMAddIncoming(r, (mb_value[]){a, next},
                    (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(m->builder)}, 2);
    LLVMPositionBuilderAtEnd(m->builder, after);
    return next;
}

/* a mod b where `far`, in double; elsewhere anything. */
static mb_value far_remainder(struct cpu_math *m, mb_value far, mb_value a, mb_value b)
{
    LLVMTypeRef type = LLVMTypeOf(a), wide = mb_double_type(m, a);
    a = mb_select(m, far, a, mb_const_float(a, 0.0));
    b = mb_select(m, far, b, mb_const_float(b, 1.0));
    if (mb_is_double(a))
        return many_steps(m, a, b);
    a = LLVMBuildFPExt(m->builder, a, wide, "");
    b = LLVMBuildFPExt(m->builder, b, wide, "");
    return LLVMBuildFPTrunc(m->builder, many_steps(m, a, b), type, "");
}

mb_value mf_fmod(struct cpu_math *m, mb_value x, mb_value y)
{
    mb_value a = mb_abs(m, x), b = mb_abs(m, y), zero = mb_const_float(x, 0.0);
    mb_value quotient = mb_fdiv(m, a, b),
             limit = mb_is_double(x) ? mb_const_float(x, 0x1p53) : mb_const_float(x, 0x1p24);
    mb_value near = one_step(m, a, b, quotient); /* NaN by infinite a, zero b and NaN */
    near = mb_select(m, mb_fcmp(m, LLVMRealOLT, a, b), a, near); /* infinite b, too */

    mb_value far = mb_fcmp(m, LLVMRealOGE, quotient, limit);
    far = mb_and(m, far, mb_fcmp(m, LLVMRealOLT, a, mb_const_float(x, (double)INFINITY)));
    far = mb_and(m, far, mb_fcmp(m, LLVMRealOGT, b, zero));
    struct mb_rare rare = mb_rare_begin(m, mb_any(m, far));
    mb_value mended = mb_select(m, far, far_remainder(m, far, a, b), near);
    mb_rare_end(m, &rare);
    return mb_copysign(m, mb_rare_phi(m, &rare, mended, near), x);
}
