/*
 * Elementwise values, made on demand.
 *
 * cpu_element_of answers "value v at this position": out of the memo, out of a scratch buffer, as
 * affine arithmetic on one scalar, or by making the operands at their positions and applying the
 * op. A value that does not depend on the lane stays a scalar until it meets one that does.
 */
#include "cpu/along.h"
#include "cpu/divide.h"
#include "cpu/lanes.h"
#include "cpu/lookup.h"
#include "cpu/nans.h"
#include "cpu/pattern.h"
#include "cpu/saturate.h"
#include "cpu/small.h"
#include "cpu/spread.h"
#include "ir/eval.h"

#include <math.h>

/* ---- one op on registers -------------------------------------------------------------------- */

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

/* The exponential of x - max(x) never exceeds 1, and of a tile near its maximum is never small. */
static LLVMValueRef any_exponential(struct cpu_emit *e, const struct ir_op *op,
                                    const struct cpu_position *p, LLVMValueRef x)
{
    enum ir_elem elem = (enum ir_elem)op->results[0]->type.elem;
    const struct ir_value *top = cpu_own_maximum(op->operands[0]);
    if (!top)
        return cpu_math_call_elem(&e->math, CPU_MATH_EXP, elem, x, NULL);
    bool known = cpu_value_of(e, top)->spread && cpu_is_along_lanes(op->results[0], p);
    if (known && e->body.near)
        return cpu_math_exp_near(&e->math, elem, x);
    LLVMValueRef near = known && e->body.near_by_tile ? cpu_value_of(e, top)->near : NULL;
    return cpu_math_exp_not_positive(&e->math, elem, x, near);
}

/*
 * Where masks fail, most exponentials are of -INFINITY, and the last product of such a one rounds
 * to 0: processors take 30 cycles or more for what is too small for a float. The 0 is chosen
 * instead, which is dearer than the product only where there is no such element.
 */
static LLVMValueRef exponential(struct cpu_emit *e, const struct ir_op *op,
                                const struct cpu_position *p, LLVMValueRef x)
{
    bool masked = e->body.bounded_count > 0 && !e->body.interior;
    if (!masked || op->results[0]->type.elem != IR_F32)
        return any_exponential(e, op, p, x);
    LLVMTypeRef f32 = cpu_elem_type(&e->math, IR_F32);
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
    LLVMValueRef least = cpu_splat(e, LLVMConstReal(f32, -104.0), cpu_width_of(x));
    LLVMValueRef none = LLVMBuildFCmp(e->builder, LLVMRealOLT, x, least, "");
    LLVMValueRef some = LLVMBuildSelect(e->builder, none, zero, x, "");
    LLVMValueRef result = any_exponential(e, op, p, some);
    return LLVMBuildSelect(e->builder, none, zero, result, "");
}

static LLVMValueRef absolute(struct cpu_emit *e, enum ir_elem elem, LLVMValueRef a)
{
    if (ir_is_float(elem))
        return cpu_math_call_elem(&e->math, CPU_MATH_ABS, elem, a, NULL);
    if (!ir_is_signed(elem))
        return a;
    LLVMTypeRef overload = LLVMTypeOf(a);
    LLVMValueRef operands[] = {a, LLVMConstInt(e->i1, 0, false)};
    return cpu_intrinsic(e, "llvm.abs", 1, &overload, 2, operands);
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
    return LLVMBuildICmp(e->builder, code == IR_OP_ISNAN ? LLVMIntUGT : LLVMIntEQ, plain, limit, "");
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
    return cpu_intrinsic(e, "llvm.ctpop", 1, &overload, 1, operands);
}

static enum cpu_math_function math_function(enum ir_opcode code)
{
    switch (code) {
#define SAME(name)                                                                                 \
    case IR_OP_##name:                                                                             \
        return CPU_MATH_##name;
        SAME(SQRT)
        SAME(FLOOR)
        SAME(CEIL)
        SAME(ROUND)
        SAME(TRUNC)
    case IR_OP_RINT:
        return CPU_MATH_ROUNDEVEN;
        SAME(EXP)
        SAME(EXP2)
        SAME(LOG)
        SAME(LOG2)
        SAME(EXPM1)
        SAME(LOG1P)
        SAME(RSQRT)
        SAME(SIN)
        SAME(COS)
        SAME(TANH)
        SAME(ERF)
        SAME(SIGMOID)
        SAME(POW)
#undef SAME
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

static bool makes_ints(const struct ir_op *op)
{
    return op->code == IR_OP_CAST && ir_is_float((enum ir_elem)op->operands[0]->type.elem) &&
           op->results[0]->type.elem != IR_BOOL &&
           !ir_is_float((enum ir_elem)op->results[0]->type.elem);
}

/* v is `from`, a float. Relaxed math keeps no range. */
static LLVMValueRef convert_numbers(struct cpu_emit *e, const struct ir_op *cast,
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
    if (makes_ints(cast))
        return convert_numbers(e, cast, cast->operands[0], v, false);
    return cpu_convert(&e->math, v, from, to);
}

LLVMValueRef cpu_elementwise(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef *v)
{
    struct ir_type type = op->operands[0]->type;
    enum ir_elem elem = (enum ir_elem)type.elem;
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
    case IR_OP_FMA:
        return fused(e, v);
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
    case IR_OP_FMAX:
    case IR_OP_FMIN:
        return cpu_minmax_of(&e->math, minmax_of(op->code), elem, v[0], v[1], quiet_operands(op));
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
        return count_bits(e, op->code, v[0]);
    case IR_OP_SHL:
        return cpu_int_shl(&e->math, elem, v[0], v[1]);
    case IR_OP_SHR:
        return cpu_int_shr(&e->math, elem, v[0], v[1]);
    case IR_OP_EQ:
    case IR_OP_NE:
    case IR_OP_LT:
    case IR_OP_LE:
    case IR_OP_GT:
    case IR_OP_GE:
        return compare(e, op->code, type, v[0], v[1]);
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
    case IR_OP_ADDPTR: {
        LLVMTypeRef unit = cpu_memory_type(e, ir_scalar(elem));
        return LLVMBuildGEP2(e->builder, unit, v[0], &v[1], 1, "");
    }
    default: {
        enum cpu_math_function function = math_function(op->code);
        if (function == CPU_MATH_COUNT)
            return refuse(e, op, v[0]);
        return cpu_math_call_elem(&e->math, function, elem, v[0],
                                  op->operand_count > 1 ? v[1] : NULL);
    }
    }
}

/* ---- values at positions -------------------------------------------------------------------- */

static bool same_position(const struct cpu_position *a, const struct cpu_position *b)
{
    if (a->rank != b->rank || a->lane != b->lane || a->along != b->along)
        return false;
    for (int k = 0; k < a->rank; k++) {
        if (a->index[k] != b->index[k])
            return false;
    }
    return true;
}

const struct cpu_element *cpu_memo_find(const struct cpu_emit *e, struct cpu_memos *memos,
                                        const struct cpu_position *p)
{
    if (memos->epoch != e->epoch)
        *memos = (struct cpu_memos){.epoch = e->epoch};
    for (const struct cpu_memo *m = memos->first; m; m = m->next) {
        if (same_position(&m->position, p))
            return &m->element;
    }
    return NULL;
}

struct cpu_element cpu_memo_keep(struct cpu_emit *e, struct cpu_memos *memos,
                                 const struct cpu_position *p, struct cpu_element element)
{
    struct cpu_memo *memo = ARENA_NEW(e->arena, struct cpu_memo);
    *memo = (struct cpu_memo){*p, element, memos->first};
    memos->first = memo;
    return element;
}

/* base + coefficients * index, of a 64-bit integer */
static struct cpu_element affine_element(struct cpu_emit *e, const struct ir_value *v,
                                         const struct cpu_position *p)
{
    struct cpu_linear linear = cpu_linear_of(e, v);
    LLVMValueRef base = linear.base;
    for (int k = 0; k < p->rank; k++)
        base = cpu_add(e, base, cpu_mul(e, linear.axis[k], p->index[k]));
    if (!base)
        base = cpu_i64(e, 0);
    if (p->lane < 0 || !linear.axis[p->lane])
        return (struct cpu_element){base, false};
    LLVMValueRef step = cpu_splat(e, linear.axis[p->lane], e->body.lanes);
    LLVMValueRef lanes = LLVMBuildMul(e->builder, step, cpu_iota(e, e->i64, e->body.lanes), "");
    LLVMValueRef first = cpu_splat(e, base, e->body.lanes);
    return (struct cpu_element){LLVMBuildAdd(e->builder, first, lanes, ""), true};
}

/*
 * a < b and so on for affine 64-bit signed a and b whose difference moves by +-1 per lane: a
 * compare of 32-bit lane numbers with one bound, instead of 64-bit vectors.
 */
static bool lane_compare(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                         struct cpu_element *result)
{
    if (op->code < IR_OP_LT || op->code > IR_OP_GE || p->lane < 0)
        return false;
    const struct ir_value *a = op->operands[0], *b = op->operands[1];
    if (a->type.pointer || a->type.elem != IR_I64)
        return false;
    const struct cpu_affine *fa = cpu_affine_of(e, a), *fb = cpu_affine_of(e, b);
    if (!fa->known || !fb->known || fa->axis[p->lane].kind == CPU_RUNTIME ||
        fb->axis[p->lane].kind == CPU_RUNTIME)
        return false;
    int64_t step = (int64_t)((uint64_t)fa->axis[p->lane].value - (uint64_t)fb->axis[p->lane].value);
    if (step != 1 && step != -1)
        return false;
    struct cpu_linear la = cpu_linear_of(e, a), lb = cpu_linear_of(e, b);
    LLVMValueRef x = la.base, y = lb.base;
    for (int k = 0; k < p->rank; k++) {
        if (k == p->lane)
            continue;
        x = cpu_add(e, x, cpu_mul(e, la.axis[k], p->index[k]));
        y = cpu_add(e, y, cpu_mul(e, lb.axis[k], p->index[k]));
    }
    LLVMValueRef zero = cpu_i64(e, 0);
    x = x ? x : zero;
    y = y ? y : zero;
    bool below;
    LLVMValueRef bound = cpu_compare_bound(e, op->code, step, x, y, &below);
    result->v = cpu_lanes_of_axis(e, bound, p->index[p->lane], a->type.dims[p->lane], below);
    result->vector = true;
    return true;
}

/* The op on registers; some are simpler in a nest near a maximum. */
static LLVMValueRef at_position(struct cpu_emit *e, const struct ir_op *op,
                                const struct cpu_position *p, LLVMValueRef *v)
{
    const struct ir_value *factor, *top = NULL;
    if (op->code == IR_OP_EXP)
        return exponential(e, op, p, v[0]);
    if (e->body.near && cpu_width_of(v[0]) == 16 && cpu_is_along_lanes(op->results[0], p))
        top = cpu_narrowed_top(e, op, &factor);
    if (top && cpu_value_of(e, top)->spread)
        return cpu_round_normal_to_bf16(&e->math, v[0], e->body.pairs);
    return cpu_elementwise(e, op, v);
}

/* What an op to integers rounds to the nearest even one before: conversions can do that, too. */
static const struct ir_value *rounded_by(struct cpu_emit *e, const struct ir_op *op)
{
    const struct ir_op *rint = makes_ints(op) ? op->operands[0]->op : NULL;
    bool is_rint = rint && rint->code == IR_OP_RINT && op->operands[0]->type.rank > 0;
    return is_rint && !cpu_value_of(e, op->operands[0])->buffer ? rint->operands[0] : NULL;
}

static struct cpu_element apply(struct cpu_emit *e, const struct ir_op *op,
                                const struct cpu_position *p)
{
    const struct ir_value *number = rounded_by(e, op);
    if (number) {
        struct cpu_element element = cpu_element_of(e, number, p);
        element.v = convert_numbers(e, op, number, element.v, true);
        return element;
    }
    struct cpu_element in[3] = {{0}};
    bool vector = false;
    for (int i = 0; i < op->operand_count; i++) {
        in[i] = cpu_element_of(e, op->operands[i], p);
        vector = vector || in[i].vector;
    }
    LLVMValueRef v[3];
    for (int i = 0; i < op->operand_count; i++)
        v[i] = vector ? cpu_spread(e, in[i]) : in[i].v;
    return (struct cpu_element){at_position(e, op, p, v), vector};
}

/* In a run: the quotient, or how far the dividend is behind its multiple of the divisor. */
static struct cpu_element run_element(struct cpu_emit *e, const struct ir_op *op,
                                      const struct cpu_bounded *run, const struct cpu_position *p)
{
    if (op->code == IR_OP_DIV)
        return (struct cpu_element){run->quotient, false};
    struct cpu_element a = cpu_element_of(e, op->operands[0], p);
    LLVMValueRef multiple = run->multiple;
    if (a.vector)
        multiple = cpu_splat(e, multiple, cpu_width_of(a.v));
    return (struct cpu_element){LLVMBuildSub(e->builder, a.v, multiple, ""), a.vector};
}

static bool is_index(struct ir_type type)
{
    return !type.pointer && (type.elem == IR_I64 || type.elem == IR_U64);
}

static struct cpu_element make(struct cpu_emit *e, const struct ir_value *v,
                               const struct cpu_position *p)
{
    const struct ir_op *op = v->op;
    struct cpu_element result;
    if (is_index(v->type) && !cpu_is_uniform(e, v) && cpu_affine_of(e, v)->known)
        return affine_element(e, v, p);
    switch (op->code) {
    case IR_OP_CONSTANT:
        return (struct cpu_element){cpu_constant(e, v->type, op->attributes.bits), false};
    case IR_OP_ARANGE: /* of one element, which counts as uniform */
        return (struct cpu_element){
            cpu_constant(e, v->type, (uint64_t)op->attributes.begin), false};
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
    case IR_OP_TRANS:
    case IR_OP_JOIN:
    case IR_OP_SPLIT:
    case IR_OP_GATHER:
        return cpu_shape_element(e, v, p);
    case IR_OP_LOAD:
    case IR_OP_VIEW_LOAD:
        return cpu_load(e, op, p);
    default: {
        const struct ir_value *parts[CPU_MOST_SATURATED];
        if (cpu_saturated(e, op, parts) > 0)
            return cpu_saturated_element(e, op, p);
        if (cpu_is_small(e, op))
            return cpu_small_element(e, op, p);
        const struct ir_value *chosen = cpu_chosen(e, op, p);
        if (chosen)
            return cpu_element_of(e, chosen, p);
        const struct cpu_bounded *run = cpu_run_of(e, op, p);
        if (run)
            return run_element(e, op, run, p);
        if (lane_compare(e, op, p, &result) || cpu_pattern_element(e, v, p, &result) ||
            cpu_compare_lanes(e, op, p, &result) || cpu_divide_indices(e, op, p, &result))
            return result;
        return apply(e, op, p);
    }
    }
}

struct cpu_element cpu_element_of(struct cpu_emit *e, const struct ir_value *v,
                                  const struct cpu_position *p)
{
    struct cpu_value *value = cpu_value_of(e, v);
    if (v->type.rank == 0)
        return (struct cpu_element){value->scalar, false};
    const struct cpu_element *made = cpu_memo_find(e, &value->made, p);
    if (made)
        return *made;
    const struct cpu_bounded *bounded;
    struct cpu_element element;
    if (value->buffer && value->ready && !cpu_is_uniform(e, v))
        element = cpu_buffer_read(e, value->buffer, v->type, p);
    else if (v->type.elem == IR_BOOL && !v->type.pointer &&
             (bounded = cpu_bounded_of(e, v, NULL, p)) != NULL)
        element = (struct cpu_element){LLVMConstInt(e->i1, bounded->holds, false), false};
    else if (v->type.elem == IR_BOOL && !v->type.pointer &&
             cpu_lanes_within(e, v, NULL, p, &element.v))
        element.vector = true;
    else
        element = make(e, v, p);
    return cpu_memo_keep(e, &value->made, p, element);
}
