/*
 * One elementwise op on registers: scalars, or vectors of one length. element.c makes its operands.
 */
#include "cpu/elementwise.h"

#include "cpu/lookup.h"
#include "cpu/nans.h"
#include "ir/eval.h"

#include <math.h>

static bool is_small_float(enum ir_elem elem)
{
    return elem == IR_F16 || elem == IR_BF16;
}

static bool is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

static LLVMValueRef relax(struct cpu_emit *e, LLVMValueRef v)
{
    if (e->math.relaxed && LLVMIsAInstruction(v) && LLVMCanValueUseFastMathFlags(v))
        LLVMSetFastMathFlags(v, LLVMFastMathAllowReassoc | LLVMFastMathAllowContract |
                                    LLVMFastMathAllowReciprocal | LLVMFastMathApproxFunc);
    return v;
}

static LLVMValueRef float_arithmetic(struct cpu_emit *e, enum ir_opcode code, LLVMValueRef a,
                                     LLVMValueRef b)
{
    LLVMOpcode op = code == IR_OP_ADD   ? LLVMFAdd
                    : code == IR_OP_SUB ? LLVMFSub
                    : code == IR_OP_MUL ? LLVMFMul
                                        : LLVMFDiv;
    return relax(e, LLVMBuildBinOp(e->builder, op, a, b, ""));
}

/* + - * / of any element. Half and bfloat compute in float: one rounding, as float has more than
 * twice their digits and two. What NaN comes of bfloats is clean (nans.c). */
static LLVMValueRef arithmetic(struct cpu_emit *e, enum ir_opcode code, enum ir_elem elem,
                               LLVMValueRef a, LLVMValueRef b)
{
    if (is_small_float(elem)) {
        LLVMValueRef x = cpu_convert(&e->math, a, elem, IR_F32);
        LLVMValueRef y = cpu_convert(&e->math, b, elem, IR_F32);
        LLVMValueRef result = float_arithmetic(e, code, x, y);
        return elem == IR_BF16 && cpu_rounds_by_bits(&e->level->features)
                   ? cpu_round_to_bf16(&e->math, result, false, true)
                   : cpu_convert(&e->math, result, IR_F32, elem);
    }
    if (ir_is_float(elem))
        return float_arithmetic(e, code, a, b);
    switch (code) {
    case IR_OP_ADD:
        return LLVMBuildAdd(e->builder, a, b, "");
    case IR_OP_SUB:
        return LLVMBuildSub(e->builder, a, b, "");
    case IR_OP_MUL:
        return LLVMBuildMul(e->builder, a, b, "");
    default:
        return cpu_int_div(&e->math, elem, a, b);
    }
}

static LLVMValueRef negate(struct cpu_emit *e, enum ir_elem elem, LLVMValueRef a)
{
    /* On the bits: without F16C, LLVM would call a library for half, and it knows fneg in an xor.
     */
    if (is_small_float(elem)) {
        LLVMTypeRef integer = LLVMInt16TypeInContext(e->context);
        LLVMValueRef sign = cpu_splat(e, LLVMConstInt(integer, 0x8000, 0), cpu_width_of(a));
        LLVMValueRef bits = LLVMBuildBitCast(e->builder, a, LLVMTypeOf(sign), "");
        LLVMValueRef flipped = LLVMBuildAdd(e->builder, bits, sign, "");
        return LLVMBuildBitCast(e->builder, flipped, LLVMTypeOf(a), "");
    }
    return ir_is_float(elem) ? LLVMBuildFNeg(e->builder, a, "") : LLVMBuildNeg(e->builder, a, "");
}

static LLVMValueRef absolute(struct cpu_emit *e, enum ir_elem elem, LLVMValueRef a)
{
    if (ir_is_float(elem))
        return cpu_math_call_elem(&e->math, CPU_MATH_ABS, elem, a, NULL);
    if (!ir_is_signed(elem))
        return a;
    return cpu_magnitude(e, a);
}

static LLVMValueRef compare(struct cpu_emit *e, enum ir_opcode code, struct ir_type type,
                            LLVMValueRef a, LLVMValueRef b)
{
    static const LLVMRealPredicate reals[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                              LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
    static const LLVMIntPredicate signeds[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
                                               LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    static const LLVMIntPredicate unsigneds[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT,
                                                 LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
    int which = (int)code - IR_OP_EQ; /* the table has EQ NE LT LE GT GE in this order */
    enum ir_elem elem = (enum ir_elem)type.elem;
    if (!type.pointer && is_small_float(elem)) {
        a = cpu_convert(&e->math, a, elem, IR_F32);
        b = cpu_convert(&e->math, b, elem, IR_F32);
    }
    if (!type.pointer && ir_is_float(elem))
        return LLVMBuildFCmp(e->builder, reals[which], a, b, "");
    bool is_signed = !type.pointer && ir_is_signed(elem);
    return LLVMBuildICmp(e->builder, is_signed ? signeds[which] : unsigneds[which], a, b, "");
}

static LLVMValueRef fused(struct cpu_emit *e, LLVMValueRef *operands)
{
    LLVMTypeRef overload = LLVMTypeOf(operands[0]);
    return cpu_intrinsic(e, "llvm.fma", 1, &overload, 3, operands);
}

/* isnan, isinf, signbit, on the bits: exact for subnormals and signalling NaNs. */
static LLVMValueRef test(struct cpu_emit *e, enum ir_opcode code, enum ir_elem elem, LLVMValueRef a)
{
    unsigned width = ir_elems[elem].bits;
    int lanes = cpu_width_of(a);
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, width);
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, a, cpu_vector(integer, lanes), "");
    if (code == IR_OP_SIGNBIT)
        return LLVMBuildICmp(e->builder, LLVMIntSLT, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
    uint64_t infinity = elem == IR_F16    ? 0x7c00
                        : elem == IR_BF16 ? 0x7f80
                        : elem == IR_F32  ? 0x7f800000
                                          : 0x7ff0000000000000;
    uint64_t magnitude = (UINT64_C(1) << (width - 1)) - 1;
    LLVMValueRef mask = cpu_splat(e, LLVMConstInt(integer, magnitude, false), lanes);
    LLVMValueRef limit = cpu_splat(e, LLVMConstInt(integer, infinity, false), lanes);
    LLVMValueRef plain = LLVMBuildAnd(e->builder, bits, mask, "");
    return LLVMBuildICmp(e->builder, code == IR_OP_ISNAN ? LLVMIntUGT : LLVMIntEQ, plain, limit,
                         "");
}

static LLVMValueRef bitcast(struct cpu_emit *e, struct ir_type from, struct ir_type to,
                            LLVMValueRef a)
{
    LLVMTypeRef type = cpu_vector(cpu_register_type(e, to), cpu_width_of(a));
    if (from.elem == IR_BOOL)
        return LLVMBuildZExt(e->builder, a, type, "");
    if (to.elem == IR_BOOL)
        return LLVMBuildTrunc(e->builder, a, type, "");
    return LLVMBuildBitCast(e->builder, a, type, "");
}

static LLVMValueRef count_bits(struct cpu_emit *e, enum ir_opcode code, LLVMValueRef a)
{
    LLVMTypeRef overload = LLVMTypeOf(a);
    LLVMValueRef operands[] = {a, LLVMConstInt(e->i1, 0, false)}; /* 0 counts, too */
    if (code == IR_OP_CLZ)
        return cpu_intrinsic(e, "llvm.ctlz", 1, &overload, 2, operands);
    if (code == IR_OP_CTZ)
        return cpu_intrinsic(e, "llvm.cttz", 1, &overload, 2, operands);
    return cpu_intrinsic(e, "llvm.ctpop", 1, &overload, 1, operands);
}

/* In twice the bits: LLVM knows the instructions that give an upper half by this form. */
static LLVMValueRef high_product(struct cpu_emit *e, enum ir_elem elem, LLVMValueRef a,
                                 LLVMValueRef b)
{
    LLVMOpcode extend = ir_is_signed(elem) ? LLVMSExt : LLVMZExt;
    unsigned bits = (unsigned)ir_elems[elem].bits;
    int lanes = cpu_width_of(a);
    LLVMTypeRef twice = LLVMIntTypeInContext(e->context, 2 * bits);
    LLVMTypeRef wide = cpu_vector(twice, lanes);
    LLVMValueRef x = LLVMBuildCast(e->builder, extend, a, wide, "");
    LLVMValueRef y = LLVMBuildCast(e->builder, extend, b, wide, "");
    LLVMValueRef count = cpu_splat(e, LLVMConstInt(twice, bits, false), lanes);
    LLVMValueRef product = LLVMBuildMul(e->builder, x, y, "");
    return LLVMBuildTrunc(e->builder, LLVMBuildLShr(e->builder, product, count, ""), LLVMTypeOf(a),
                          "");
}

static enum cpu_math_function math_function(enum ir_opcode code)
{
    switch (code) {
#define CPU_MATH(op, ...)                                                                          \
    case IR_OP_##op:                                                                               \
        return CPU_MATH_##op;
#include "cpu/math.def"
#undef CPU_MATH
    default:
        return CPU_MATH_COUNT;
    }
}

/* An op without code here; an error, as the targets for GPUs give it. */
static LLVMValueRef refuse(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef v)
{
    if (!e->failed)
        diagnostics_add(e->diagnostics, DIAGNOSTIC_ERROR, op->range, "the target 'cpu' has no '%s'",
                        ir_ops[op->code].name);
    e->failed = true;
    return v;
}

static enum cpu_minmax_op minmax_of(enum ir_opcode code)
{
    return code == IR_OP_MAXIMUM   ? CPU_MAXIMUM
           : code == IR_OP_MINIMUM ? CPU_MINIMUM
           : code == IR_OP_FMAX    ? CPU_FMAX
                                   : CPU_FMIN;
}

static bool constant_of(const struct ir_value *v, double *number)
{
    uint64_t bits;
    bool is_constant = ir_constant_bits(v, &bits);
    *number = is_constant ? ir_eval_to_double(bits, (enum ir_elem)v->type.elem) : 0;
    return is_constant;
}

/* A sum or product by which nothing may be left to compute. */
static bool is_neutral(const struct ir_value *v)
{
    double number;
    return constant_of(v, &number) && (number == 0 || number == 1 || number == -1);
}

static bool is_number(const struct ir_value *v)
{
    double number;
    return constant_of(v, &number) && number == number;
}

/* Whether the value is no signalling NaN: arithmetic makes them quiet, what only moves values or
 * changes their sign does not. */
static bool is_quiet(const struct ir_value *v, int depth)
{
    const struct ir_op *op = v->op;
    if (!op || depth == 0 || !ir_is_float((enum ir_elem)v->type.elem))
        return false;
    switch (op->code) {
    case IR_OP_CONSTANT:
        return is_number(v);
    case IR_OP_FMA:
    case IR_OP_SQRT:
        return true;
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_DIV:
        return !is_neutral(op->operands[0]) && !is_neutral(op->operands[1]);
    case IR_OP_FMAX:
    case IR_OP_FMIN:
        if (is_number(op->operands[0]) || is_number(op->operands[1]))
            return true;
        return is_quiet(op->operands[0], depth - 1) && is_quiet(op->operands[1], depth - 1);
    case IR_OP_CAST:
        return !ir_is_float((enum ir_elem)op->operands[0]->type.elem) ||
               is_quiet(op->operands[0], depth - 1);
    case IR_OP_SELECT:
        return is_quiet(op->operands[1], depth - 1) && is_quiet(op->operands[2], depth - 1);
    case IR_OP_NEG:
    case IR_OP_ABS:
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
        return is_quiet(op->operands[0], depth - 1);
    default:
        return false;
    }
}

static unsigned quiet_operands(const struct ir_op *op)
{
    enum { DEPTH = 6 };
    return (is_quiet(op->operands[0], DEPTH) ? CPU_QUIET_A : 0u) |
           (is_quiet(op->operands[1], DEPTH) ? CPU_QUIET_B : 0u);
}

bool cpu_makes_ints(const struct ir_op *op)
{
    return op->code == IR_OP_CAST && ir_is_float((enum ir_elem)op->operands[0]->type.elem) &&
           op->results[0]->type.elem != IR_BOOL &&
           !ir_is_float((enum ir_elem)op->results[0]->type.elem);
}

LLVMValueRef cpu_convert_from(struct cpu_emit *e, const struct ir_op *cast,
                              const struct ir_value *from, LLVMValueRef v, bool round_even)
{
    struct cpu_numbers numbers = {{-INFINITY, INFINITY, true}, round_even};
    if (!e->math.relaxed)
        numbers.range = ir_float_range(from);
    return cpu_convert_numbers(&e->math, v, (enum ir_elem)from->type.elem,
                               (enum ir_elem)cast->results[0]->type.elem, &numbers);
}

static LLVMValueRef convert(struct cpu_emit *e, const struct ir_op *cast, LLVMValueRef v)
{
    enum ir_elem from = (enum ir_elem)cast->operands[0]->type.elem;
    enum ir_elem to = (enum ir_elem)cast->results[0]->type.elem;
    bool pairs = e->body.pairs && is_vector(v), clean = cast->attributes.bits == CPU_CAST_CLEAN;
    if (pairs && from == IR_BF16)
        return cpu_widen_pairs(e, v);
    if (pairs && to == IR_BF16)
        return cpu_narrow_pairs(e, v, clean);
    if (clean)
        return cpu_round_to_bf16(&e->math, v, false, true);
    if (cpu_makes_ints(cast))
        return cpu_convert_from(e, cast, cast->operands[0], v, false);
    return cpu_convert(&e->math, v, from, to);
}

/* NULL: no op on bits. */
static LLVMValueRef bitwise(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef *v)
{
    enum ir_elem elem = (enum ir_elem)op->operands[0]->type.elem;
    switch (op->code) {
    case IR_OP_AND:
        return cpu_int_and(&e->math, v[0], v[1]);
    case IR_OP_OR:
        return LLVMBuildOr(e->builder, v[0], v[1], "");
    case IR_OP_XOR:
        return LLVMBuildXor(e->builder, v[0], v[1], "");
    case IR_OP_NOT:
        return LLVMBuildNot(e->builder, v[0], "");
    case IR_OP_POPCOUNT:
    case IR_OP_CLZ:
    case IR_OP_CTZ:
        return count_bits(e, op->code, v[0]);
    case IR_OP_SHL:
        return cpu_int_shl(&e->math, elem, v[0], v[1]);
    case IR_OP_SHR:
        return cpu_int_shr(&e->math, elem, v[0], v[1]);
    default:
        return NULL;
    }
}

/* An op of its own of math.def, or what no CPU code is for. */
static LLVMValueRef function_of(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef *v)
{
    enum cpu_math_function function = math_function(op->code);
    if (function == CPU_MATH_COUNT)
        return refuse(e, op, v[0]);
    return cpu_math_call_elem(&e->math, function, (enum ir_elem)op->operands[0]->type.elem, v[0],
                              op->operand_count > 1 ? v[1] : NULL);
}

LLVMValueRef cpu_elementwise(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef *v)
{
    struct ir_type type = op->operands[0]->type;
    enum ir_elem elem = (enum ir_elem)type.elem;
    if (ir_is_comparison(op->code))
        return compare(e, op->code, type, v[0], v[1]);
    LLVMValueRef bits = bitwise(e, op, v);
    if (bits)
        return bits;
    switch (op->code) {
    case IR_OP_NEG:
        return negate(e, elem, v[0]);
    case IR_OP_ABS:
        return absolute(e, elem, v[0]);
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_DIV:
        return arithmetic(e, op->code, elem, v[0], v[1]);
    case IR_OP_REM:
        return cpu_int_rem(&e->math, elem, v[0], v[1]);
    case IR_OP_CDIV:
        return cpu_int_cdiv(&e->math, elem, v[0], v[1]);
    case IR_OP_MULHI:
        return high_product(e, elem, v[0], v[1]);
    case IR_OP_FMA:
        return fused(e, v);
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
    case IR_OP_FMAX:
    case IR_OP_FMIN:
        return cpu_minmax_of(&e->math, minmax_of(op->code), elem, v[0], v[1], quiet_operands(op));
    case IR_OP_ISNAN:
    case IR_OP_ISINF:
    case IR_OP_SIGNBIT:
        return test(e, op->code, elem, v[0]);
    case IR_OP_SELECT:
        return LLVMBuildSelect(e->builder, v[0], v[1], v[2], "");
    case IR_OP_CAST:
        return convert(e, op, v[0]);
    case IR_OP_BITCAST:
        return bitcast(e, type, op->results[0]->type, v[0]);
    case IR_OP_LOOKUP:
        return cpu_lookup(e, op, v[0]);
    case IR_OP_CONVERT_LAYOUT:
        return v[0];
    case IR_OP_ADDPTR:
        return LLVMBuildGEP2(e->builder, cpu_memory_type(e, ir_scalar(elem)), v[0], &v[1], 1, "");
    default:
        return function_of(e, op, v);
    }
}
