/*
 * Sine, cosine and tangent. |x| = q pi/2 + r with |r| <= pi/4; q mod 4 says which polynomial of r
 * is the result, and its sign. The tangent of an odd q is -1 / tan r, so that errors count twice:
 * for it, what r loses in rounding is kept in float, too.
 *
 * Up to 2^17, pi/2 in three floats subtracted by fma is exact enough. Beyond, a branch that is
 * rarely taken multiplies by 2/pi in double, in seven pieces of 29 bits: a float has 24, so every
 * product is exact, and multiples of 4 are dropped from each product before the sum. No library
 * call, and the result of an element does not depend on its neighbours.
 *
 * In double up to 2^20, with pi/2 in three doubles and what r loses beside it; beyond, math.c calls
 * libm.
 */
#include "cpu/math_functions.h"

static const double fast_bound = 0x1p17;

struct reduced {
    mb_value r;    /* float or double */
    mb_value lost; /* together the remainder; of floats NULL unless asked for */
    mb_value q;    /* an integer as long; its low two bits count */
};

/* high + low += t, exactly in high, to first order in low. */
static void add_exactly(struct cpu_math *m, mb_value *high, mb_value *low, mb_value t)
{
    mb_value sum = mb_fadd(m, *high, t);
    mb_value of_t = mb_fsub(m, sum, *high);
    mb_value of_high = mb_fsub(m, sum, of_t);
    mb_value lost = mb_fsub(m, *high, of_high);
    *low = mb_fadd(m, *low, mb_fadd(m, mb_fsub(m, t, of_t), lost));
    *high = sum;
}

static struct reduced reduce_fast(struct cpu_math *m, mb_value a, bool with_lost)
{
    struct reduced out;
    mb_value shift = mb_const_float(a, 0x1.8p23);
    mb_value shifted = mb_fma(m, a, mb_const_float(a, 0x1.45f306p-1), shift);
    mb_value n = mb_fsub(m, shifted, shift);
    mb_value r = mb_fma(m, n, mb_const_float(a, -0x1.921fb6p0), a); /* exact */
    mb_value second = mb_const_float(a, 0x1.777a5cp-25), third = mb_const_float(a, 0x1.ee59dap-50);
    if (with_lost) { /* as in reduce_double */
        mb_value product = mb_fmul(m, n, second);
        out.lost = mb_fma(m, n, second, mb_fneg(m, product));
        add_exactly(m, &r, &out.lost, product);
        out.lost = mb_fma(m, n, third, out.lost);
        out.r = r;
    } else {
        r = mb_fma(m, n, second, r);
        out.r = mb_fma(m, n, third, r);
    }
    out.q = mb_as_int(m, shifted);
    return out;
}

/* 2/pi, cut after every 29th bit. */
static const double pieces[] = {0x1.45f306dp-1,   0x1.9391054p-30, 0x1.4fe13abp-59, 0x1.d1f534dp-88,
                                0x1.b81b6c5p-117, 0x1.5993c4p-148, 0x1.c820ff2p-175};
enum { PIECES = sizeof pieces / sizeof *pieces };

/* The pieces as a constant of the module. */
static LLVMValueRef piece_table(struct cpu_math *m)
{
    static const char name[] = "tilec.two_over_pi";
    LLVMValueRef table = LLVMGetNamedGlobal(m->module, name), values[PIECES];
    if (table)
        return table;
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(m->context);
    for (int i = 0; i < PIECES; i++)
        values[i] = LLVMConstReal(f64, pieces[i]);
    table = LLVMAddGlobal(m->module, LLVMArrayType2(f64, PIECES), name);
    LLVMSetInitializer(table, LLVMConstArray2(f64, values, PIECES));
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    return table;
}

/* x times a piece, in (-2, 2] by dropping multiples of 4. */
static mb_value product_modulo_4(struct cpu_math *m, mb_value x, LLVMValueRef index)
{
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(m->context);
    LLVMValueRef at = LLVMBuildGEP2(m->builder, f64, piece_table(m), &index, 1, "");
    mb_value piece = mb_broadcast(m, x, LLVMBuildLoad2(m->builder, f64, at, ""));
    mb_value t = mb_fmul(m, x, piece);
    mb_value fours = mb_fmul(m, t, mb_const_float(x, 0.25));
    fours = mb_intrinsic(m, "llvm.roundeven", &fours, 1);
    return mb_fma(m, fours, mb_const_float(x, -4.0), t);
}

/* x 2/pi modulo 4 as a sum of two doubles: a loop, to keep this rare code short. */
static void quarter_turns(struct cpu_math *m, mb_value x, mb_value *high, mb_value *low)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(m->builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(before);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(m->context, function, "piece");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(m->context, function, "pieces.done");
    LLVMTypeRef i64 = LLVMInt64TypeInContext(m->context);
    mb_value zero = mb_const_float(x, 0.0);
    LLVMBuildBr(m->builder, loop);

    LLVMPositionBuilderAtEnd(m->builder, loop);
    LLVMValueRef i = LLVMBuildPhi(m->builder, i64, "");
    mb_value high_in = LLVMBuildPhi(m->builder, LLVMTypeOf(x), "");
    mb_value low_in = LLVMBuildPhi(m->builder, LLVMTypeOf(x), "");
    *high = high_in;
    *low = low_in;
    add_exactly(m, high, low, product_modulo_4(m, x, i));
    LLVMValueRef next = LLVMBuildAdd(m->builder, i, LLVMConstInt(i64, 1, 0), "");
    LLVMBasicBlockRef from[] = {before, loop};
    LLVMAddIncoming(i, (LLVMValueRef[]){LLVMConstNull(i64), next}, from, 2);
    LLVMAddIncoming(high_in, (LLVMValueRef[]){zero, *high}, from, 2);
    LLVMAddIncoming(low_in, (LLVMValueRef[]){zero, *low}, from, 2);
    LLVMValueRef more =
        LLVMBuildICmp(m->builder, LLVMIntULT, next, LLVMConstInt(i64, PIECES, 0), "");
    LLVMBuildCondBr(m->builder, more, loop, after);
    LLVMPositionBuilderAtEnd(m->builder, after);
}

static struct reduced reduce_slow(struct cpu_math *m, mb_value a, bool with_lost)
{
    struct reduced out;
    mb_value high, low, x = LLVMBuildFPExt(m->builder, a, mb_double_type(m, a), "");
    quarter_turns(m, x, &high, &low);
    mb_value shift = mb_const_float(x, 0x1.8p52);
    mb_value shifted = mb_fadd(m, high, shift);
    mb_value turn = mb_fadd(m, mb_fsub(m, high, mb_fsub(m, shifted, shift)), low);
    mb_value r = mb_fmul(m, turn, mb_const_float(x, 0x1.921fb54442d18p0));
    out.r = LLVMBuildFPTrunc(m->builder, r, LLVMTypeOf(a), "");
    if (with_lost) {
        mb_value lost = mb_fsub(m, r, LLVMBuildFPExt(m->builder, out.r, LLVMTypeOf(r), ""));
        out.lost = LLVMBuildFPTrunc(m->builder, lost, LLVMTypeOf(a), "");
    }
    out.q = LLVMBuildTrunc(m->builder, mb_as_int(m, shifted), mb_int_type(m, a, 32), "");
    return out;
}

static struct reduced reduce(struct cpu_math *m, mb_value a, bool with_lost)
{
    struct reduced fast = reduce_fast(m, a, with_lost);
    mb_value large = mb_fcmp(m, LLVMRealOGT, a, mb_const_float(a, fast_bound));
    struct mb_rare rare = mb_rare_begin(m, mb_any(m, large));
    struct reduced slow = reduce_slow(m, a, with_lost);
    slow.r = mb_select(m, large, slow.r, fast.r);
    slow.lost = with_lost ? mb_select(m, large, slow.lost, fast.lost) : NULL;
    slow.q = mb_select(m, large, slow.q, fast.q);
    mb_rare_end(m, &rare);
    mb_value r = mb_rare_phi(m, &rare, slow.r, fast.r);
    mb_value lost = with_lost ? mb_rare_phi(m, &rare, slow.lost, fast.lost) : NULL;
    mb_value q = mb_rare_phi(m, &rare, slow.q, fast.q);
    return (struct reduced){r, lost, q};
}

static mb_value is_odd(struct cpu_math *m, mb_value q)
{
    return mb_icmp(m, LLVMIntNE, mb_and(m, q, mb_const_int(q, 1)), mb_const_int(q, 0));
}

/* The sign bit of x in an integer. */
static mb_value sign_of(struct cpu_math *m, mb_value x)
{
    mb_value bits = mb_as_int(m, x);
    return mb_and(m, bits, mb_const_int(bits, mb_is_double(x) ? INT64_MIN : INT32_MIN));
}

/* sin(r + q pi/2) for q mod 4; `flip` is xor-ed into the sign bit. */
static mb_value sine_of(struct cpu_math *m, mb_value r, mb_value q, mb_value flip)
{
    static const double sine[] = {-0x1.9953fep-13, 0x1.110778p-7, -0x1.555546p-3};
    static const double cosine[] = {0x1.99e90ep-16, -0x1.6c0c2ap-10, 0x1.55554ap-5, -0.5, 1.0};
    mb_value z = mb_fmul(m, r, r);
    mb_value tail = mb_poly(m, z, sine, 3);
    mb_value s = mb_fma(m, mb_fmul(m, r, z), tail, r);
    mb_value c = mb_poly(m, z, cosine, 5);
    mb_value odd = is_odd(m, q);
    mb_value bits = mb_as_int(m, mb_select(m, odd, c, s));
    mb_value sign = mb_shl(m, mb_and(m, q, mb_const_int(q, 2)), 30);
    sign = flip ? mb_xor(m, sign, flip) : sign;
    return mb_as_float(m, mb_xor(m, bits, sign));
}

mb_value mf_sin(struct cpu_math *m, mb_value x)
{
    struct reduced v = reduce(m, mb_abs(m, x), false);
    return sine_of(m, v.r, v.q, sign_of(m, x));
}

mb_value mf_cos(struct cpu_math *m, mb_value x)
{
    struct reduced v = reduce(m, mb_abs(m, x), false);
    return sine_of(m, v.r, mb_add(m, v.q, mb_const_int(v.q, 1)), NULL);
}

/*
 * tan(r + lost) = r + (r^3 T(r^2) + lost (1 + r^2)), of which the sum's loss is kept, too, for
 * -1 / tan: the quotient is corrected by what it leaves of 1. T is minimax of the relative error
 * for |r| up to pi/4, by Remez's exchange: 2^-29.5 in float, 2^-59.9 in double.
 */
static mb_value tangent_of(struct cpu_math *m, struct reduced v, mb_value sign)
{
    static const double narrow[] = {0x1.1e91ccp-8, 0x1.9c0b42p-14, 0x1.62cb32p-7, 0x1.5cc0d4p-6,
                                    0x1.bad9c2p-5, 0x1.110d9ep-3,  0x1.55556p-2};
    static const double wide[] = {
        0x1.48e048114b6abp-17,  -0x1.97638a932a7d3p-16, 0x1.9819c566bc9b5p-15,
        -0x1.ae442a4959d18p-16, 0x1.19f9d32392595p-14,  0x1.5e76c372d20a9p-14,
        0x1.ff2eea51cdc54p-13,  0x1.34bc1465ccab9p-11,  0x1.7db18f8bb6141p-10,
        0x1.d6d2e7a4fcfp-9,     0x1.226e3a819a2fdp-7,   0x1.664f485d243bp-6,
        0x1.ba1ba1babf35bp-5,   0x1.11111111105d2p-3,   0x1.555555555555ep-2};
    enum { NARROW = sizeof narrow / sizeof *narrow, WIDE = sizeof wide / sizeof *wide };
    bool is_wide = mb_is_double(v.r);
    mb_value r = v.r, z = mb_fmul(m, r, r), one = mb_const_float(r, 1.0);
    mb_value tail = mb_poly(m, z, is_wide ? wide : narrow, is_wide ? WIDE : NARROW);
    tail = mb_fma(m, mb_fmul(m, r, z), tail, mb_fma(m, z, v.lost, v.lost));
    mb_value high = mb_fadd(m, r, tail), low = mb_fsub(m, tail, mb_fsub(m, high, r));
    mb_value inverse = mb_fdiv(m, mb_fneg(m, one), high);
    mb_value left = mb_fma(m, inverse, low, mb_fma(m, inverse, high, one));
    inverse = mb_fma(m, inverse, left, inverse);
    mb_value bits = mb_as_int(m, mb_select(m, is_odd(m, v.q), inverse, high));
    return mb_as_float(m, mb_xor(m, bits, sign));
}

mb_value mf_tan(struct cpu_math *m, mb_value x)
{
    return tangent_of(m, reduce(m, mb_abs(m, x), true), sign_of(m, x));
}

/* ---- double */

/* n pi/2 subtracted in three parts. The first difference is exact: both are multiples of 2^-52, or
 * of a's last place, and it is below 1. The second loses what neither a product nor a difference
 * may be without where a is next to a multiple of pi/2, and little is left of r. */
static struct reduced reduce_double(struct cpu_math *m, mb_value a)
{
    struct reduced out;
    mb_value shift = mb_const_float(a, 0x1.8p52),
             second = mb_const_float(a, -0x1.1a62633145c07p-54);
    mb_value shifted = mb_fma(m, a, mb_const_float(a, 0x1.45f306dc9c883p-1), shift);
    mb_value n = mb_fsub(m, shifted, shift);
    out.r = mb_fma(m, n, mb_const_float(a, -0x1.921fb54442d18p0), a);
    mb_value product = mb_fmul(m, n, second);
    mb_value rounded = mb_fsub(m, mb_const_float(a, 0.0), product);
    out.lost = mb_fma(m, n, second, rounded);
    add_exactly(m, &out.r, &out.lost, product);
    out.lost = mb_fma(m, n, mb_const_float(a, 0x1.f1976b7ed8fbcp-110), out.lost);
    out.q = mb_as_int(m, shifted);
    return out;
}

/* sin(r + lost) = r + (r^3 S(r^2) + lost (1 - r^2 / 2)), and in the same way
 * cos(r + lost) = w + ((1 - w - r^2 / 2) + (r^4 C(r^2) - r lost)) with w = 1 - r^2 / 2 rounded */
static mb_value sine_of_double(struct cpu_math *m, struct reduced v, mb_value flip)
{
    static const double sine[] = {0x1.5e0b05bff20f2p-33, -0x1.ae600aca92c64p-26,
                                  0x1.71de379654304p-19, -0x1.a01a019e83816p-13,
                                  0x1.1111111110bb2p-7,  -0x1.5555555555555p-3};
    static const double cosine[] = {-0x1.907d8f29fe831p-37, 0x1.1eeb68cd22f56p-29,
                                    -0x1.27e4fa17bf139p-22, 0x1.a01a019f4e9b4p-16,
                                    -0x1.6c16c16c16967p-10, 0x1.5555555555555p-5};
    mb_value r = v.r, z = mb_fmul(m, r, r), half = mb_const_float(r, -0.5);
    mb_value one = mb_const_float(r, 1.0), minus = mb_fmul(m, z, half);
    mb_value tail = mb_fma(m, minus, v.lost, v.lost);
    mb_value s = mb_fadd(m, r, mb_fma(m, mb_fmul(m, r, z), mb_poly(m, z, sine, 6), tail));
    mb_value w = mb_fadd(m, one, minus), rest = mb_fadd(m, mb_fsub(m, one, w), minus);
    mb_value c = mb_fma(m, mb_fmul(m, z, z), mb_poly(m, z, cosine, 6), rest);
    c = mb_fadd(m, w, mb_fsub(m, c, mb_fmul(m, r, v.lost)));
    mb_value odd = is_odd(m, v.q);
    mb_value bits = mb_as_int(m, mb_select(m, odd, c, s));
    mb_value sign = mb_shl(m, mb_and(m, v.q, mb_const_int(v.q, 2)), 62);
    sign = flip ? mb_xor(m, sign, flip) : sign;
    return mb_as_float(m, mb_xor(m, bits, sign));
}

mb_value md_sin_near(struct cpu_math *m, mb_value x)
{
    return sine_of_double(m, reduce_double(m, mb_abs(m, x)), sign_of(m, x));
}

mb_value md_cos_near(struct cpu_math *m, mb_value x)
{
    struct reduced v = reduce_double(m, mb_abs(m, x));
    v.q = mb_add(m, v.q, mb_const_int(v.q, 1));
    return sine_of_double(m, v, NULL);
}

mb_value md_tan_near(struct cpu_math *m, mb_value x)
{
    return tangent_of(m, reduce_double(m, mb_abs(m, x)), sign_of(m, x));
}
