/*
 * The meaning of elementwise ops; see eval.h.
 *
 * One table has a row per op and a column per kind of element: signed, unsigned (bool among them)
 * and floating point. An entry is a loop over elements, so that the interpreter finds the op once
 * per tile and not once per element; a single element is a tile of one.
 *
 * Integers are computed in 64 bits and cut to the width of the element. Floating point is computed
 * in double and rounded to the element: for + - * / and sqrt that gives the correctly rounded
 * result of every narrower format, because double has more than twice its digits and two; fma, for
 * which it would not, has a loop of its own. A NaN that arithmetic makes is the positive quiet NaN
 * without payload, whatever the processor at hand would give.
 */
#include "ir/eval.h"
#include "ir/eval_bits.h"

/* ---- the loops ------------------------------------------------------------------------------ */

struct run {
    enum ir_elem elem, result_elem;
    int width; /* of elem */
    size_t count;
    const uint64_t *a, *b, *c; /* operands; those that the op lacks are NULL */
    uint64_t *out;
    unsigned faults;
};

/* Each of these defines a loop `name` whose element i is `value`, an expression over x, y, z. */
#define LOOP(name, declarations, value)                                                            \
    static void name(struct run *run)                                                              \
    {                                                                                              \
        const size_t count = run->count;                                                           \
        const int width = run->width;                                                              \
        unsigned faults = 0;                                                                       \
        (void)width;                                                                               \
        for (size_t i = 0; i < count; i++) {                                                       \
            declarations;                                                                          \
            run->out[i] = (value);                                                                 \
        }                                                                                          \
        run->faults |= faults;                                                                     \
    }

#define SIGNED1(name, value)                                                                       \
    LOOP(name, const int64_t x = sign_extend(run->a[i], width), cut((uint64_t)(value), width))
#define SIGNED2(name, value)                                                                       \
    LOOP(name, const int64_t x = sign_extend(run->a[i], width);                                    \
         const int64_t y = sign_extend(run->b[i], width), cut((uint64_t)(value), width))
#define SIGNED_TEST(name, value)                                                                   \
    LOOP(name, const int64_t x = sign_extend(run->a[i], width);                                    \
         const int64_t y = sign_extend(run->b[i], width), value)

#define UNSIGNED1(name, value) LOOP(name, const uint64_t x = run->a[i], cut(value, width))
#define UNSIGNED2(name, value)                                                                     \
    LOOP(name, const uint64_t x = run->a[i]; const uint64_t y = run->b[i], cut(value, width))
#define UNSIGNED_TEST(name, value)                                                                 \
    LOOP(name, const uint64_t x = run->a[i]; const uint64_t y = run->b[i], value)

#define FLOAT1(name, value)                                                                        \
    LOOP(name, const double x = real_of(run->a[i], run->elem), bits_of_result(value, run->elem))
#define FLOAT2(name, value)                                                                        \
    LOOP(name, const double x = real_of(run->a[i], run->elem);                                     \
         const double y = real_of(run->b[i], run->elem), bits_of_result(value, run->elem))
#define FLOAT_TEST(name, value)                                                                    \
    LOOP(name, const double x = real_of(run->a[i], run->elem);                                     \
         const double y = real_of(run->b[i], run->elem), value)

/* ---- integers ------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

static inline uint64_t leading_zeros(uint64_t x, int width)
{
    return x ? (uint64_t)(__builtin_clzll(x) - (64 - width)) : (uint64_t)width;
}

static inline uint64_t trailing_zeros(uint64_t x, int width)
{
    return x ? (uint64_t)__builtin_ctzll(x) : (uint64_t)width;
}

/* Faults are collected without a branch: the loops stay short. */
static inline unsigned fault_if(bool condition, enum ir_fault fault)
{
    return condition ? (unsigned)fault : 0;
}

static inline int64_t signed_fit(int64_t value, bool overflow, int width, unsigned *faults)
{
    int64_t kept = sign_extend((uint64_t)value, width);
    *faults |= fault_if(overflow | (kept != value), IR_FAULT_OVERFLOW);
    return kept;
}

static inline int64_t signed_add(int64_t x, int64_t y, int width, unsigned *faults)
{
    int64_t value;
    bool overflow = __builtin_add_overflow(x, y, &value);
    return signed_fit(value, overflow, width, faults);
}

static inline int64_t signed_sub(int64_t x, int64_t y, int width, unsigned *faults)
{
    int64_t value;
    bool overflow = __builtin_sub_overflow(x, y, &value);
    return signed_fit(value, overflow, width, faults);
}

static inline int64_t signed_mul(int64_t x, int64_t y, int width, unsigned *faults)
{
    int64_t value;
    bool overflow = __builtin_mul_overflow(x, y, &value);
    return signed_fit(value, overflow, width, faults);
}

static inline int64_t signed_div(int64_t x, int64_t y, int width, unsigned *faults)
{
    *faults |= fault_if(y == 0, IR_FAULT_DIVISION);
    if (y == 0)
        return 0;
    return y == -1 ? signed_sub(0, x, width, faults) : x / y;
}

static inline int64_t signed_rem(int64_t x, int64_t y, unsigned *faults)
{
    *faults |= fault_if(y == 0, IR_FAULT_DIVISION);
    if (y == 0)
        return x;
    return y == -1 ? 0 : x % y;
}

static inline int64_t signed_cdiv(int64_t x, int64_t y, int width, unsigned *faults)
{
    int64_t quotient = signed_div(x, y, width, faults);
    if (y == 0 || y == -1)
        return quotient;
    return quotient + (x % y != 0 && (x < 0) == (y < 0) ? 1 : 0);
}

static inline uint64_t unsigned_div(uint64_t x, uint64_t y, unsigned *faults)
{
    *faults |= fault_if(y == 0, IR_FAULT_DIVISION);
    return y == 0 ? 0 : x / y;
}

static inline uint64_t unsigned_rem(uint64_t x, uint64_t y, unsigned *faults)
{
    *faults |= fault_if(y == 0, IR_FAULT_DIVISION);
    return y == 0 ? x : x % y;
}

static inline uint64_t unsigned_cdiv(uint64_t x, uint64_t y, unsigned *faults)
{
    *faults |= fault_if(y == 0, IR_FAULT_DIVISION);
    return y == 0 ? 0 : x / y + (x % y != 0 ? 1 : 0);
}

/* Widths are powers of two. A negative count, seen as unsigned, is too large too. */
static inline int shift_count(uint64_t count, int width, unsigned *faults)
{
    *faults |= fault_if(count >= (uint64_t)width, IR_FAULT_SHIFT);
    return (int)(count & (uint64_t)(width - 1));
}

SIGNED1(neg_signed, signed_sub(0, x, width, &faults))
SIGNED1(abs_signed, x < 0 ? signed_sub(0, x, width, &faults) : x)
SIGNED2(add_signed, signed_add(x, y, width, &faults))
SIGNED2(sub_signed, signed_sub(x, y, width, &faults))
SIGNED2(mul_signed, signed_mul(x, y, width, &faults))
SIGNED2(mulhi_signed, (int64_t)((int128)x *y >> width))
SIGNED2(div_signed, signed_div(x, y, width, &faults))
SIGNED2(rem_signed, signed_rem(x, y, &faults))
SIGNED2(cdiv_signed, signed_cdiv(x, y, width, &faults))
SIGNED2(maximum_signed, x > y ? x : y)
SIGNED2(minimum_signed, x < y ? x : y)
SIGNED2(shr_signed, x >> shift_count((uint64_t)y, width, &faults))
SIGNED_TEST(lt_signed, x < y)
SIGNED_TEST(le_signed, x <= y)
SIGNED_TEST(gt_signed, x > y)
SIGNED_TEST(ge_signed, x >= y)

UNSIGNED1(neg_unsigned, 0 - x)
UNSIGNED1(abs_unsigned, x)
UNSIGNED2(add_unsigned, x + y)
UNSIGNED2(sub_unsigned, x - y)
UNSIGNED2(mul_unsigned, x *y)
UNSIGNED2(mulhi_unsigned, (uint64_t)((uint128)x *y >> width))
UNSIGNED2(div_unsigned, unsigned_div(x, y, &faults))
UNSIGNED2(rem_unsigned, unsigned_rem(x, y, &faults))
UNSIGNED2(cdiv_unsigned, unsigned_cdiv(x, y, &faults))
UNSIGNED2(maximum_unsigned, x > y ? x : y)
UNSIGNED2(minimum_unsigned, x < y ? x : y)
UNSIGNED2(shl_integer, x << shift_count(y, width, &faults))
UNSIGNED2(shr_unsigned, x >> shift_count(y, width, &faults))
UNSIGNED2(and_integer, x &y)
UNSIGNED2(or_integer, x | y)
UNSIGNED2(xor_integer, x ^ y)
UNSIGNED1(not_integer, ~x)
UNSIGNED1(popcount_integer, (uint64_t)__builtin_popcountll(x))
UNSIGNED1(clz_integer, leading_zeros(x, width))
UNSIGNED1(ctz_integer, trailing_zeros(x, width))
UNSIGNED_TEST(eq_integer, x == y)
UNSIGNED_TEST(ne_integer, x != y)
UNSIGNED_TEST(lt_unsigned, x < y)
UNSIGNED_TEST(le_unsigned, x <= y)
UNSIGNED_TEST(gt_unsigned, x > y)
UNSIGNED_TEST(ge_unsigned, x >= y)

/* ---- floating point ------------------------------------------------------------------------- */

/* x before y in the order -inf < ... < -0.0 < +0.0 < ... < inf; no NaN */
static inline bool real_before(double x, double y)
{
    return x < y || (x == y && signbit(x) && !signbit(y));
}

static inline double real_maximum(double x, double y)
{
    if (isnan(x) || isnan(y))
        return (double)NAN;
    return real_before(x, y) ? y : x;
}

static inline double real_minimum(double x, double y)
{
    if (isnan(x) || isnan(y))
        return (double)NAN;
    return real_before(y, x) ? y : x;
}

static inline double real_fmax(double x, double y)
{
    return isnan(x) ? y : isnan(y) ? x : real_maximum(x, y);
}

static inline double real_fmin(double x, double y)
{
    return isnan(x) ? y : isnan(y) ? x : real_minimum(x, y);
}

/* Written so that the exponential cannot overflow: its reciprocal would lose the small results. */
static inline double real_sigmoid(double x)
{
    if (x >= 0)
        return 1.0 / (1.0 + exp(-x));
    double power = exp(x);
    return power / (1.0 + power);
}

static inline uint64_t fma_bits(uint64_t x, uint64_t y, uint64_t z, enum ir_elem elem)
{
    if (elem == IR_F64)
        return bits_of_result(fma(double_of(x), double_of(y), double_of(z)), elem);
    return bits_of_result(
        (double)fmaf((float)real_of(x, elem), (float)real_of(y, elem), (float)real_of(z, elem)),
        elem);
}

/* On the bits, so that a NaN keeps them. */
LOOP(neg_float, (void)faults, run->a[i] ^ sign_bit(width))
LOOP(abs_float, (void)faults, run->a[i] & ~sign_bit(width))
LOOP(signbit_float, (void)faults, run->a[i] >> (width - 1))
LOOP(isnan_float, (void)faults, (run->a[i] & ~sign_bit(width)) > infinity_bits(run->elem))
LOOP(isinf_float, (void)faults, (run->a[i] & ~sign_bit(width)) == infinity_bits(run->elem))
LOOP(fma_float, (void)faults, fma_bits(run->a[i], run->b[i], run->c[i], run->elem))

FLOAT2(add_float, x + y)
FLOAT2(sub_float, x - y)
FLOAT2(mul_float, (x * y))
FLOAT2(div_float, x / y)
FLOAT2(maximum_float, real_maximum(x, y))
FLOAT2(minimum_float, real_minimum(x, y))
FLOAT2(fmax_float, real_fmax(x, y))
FLOAT2(fmin_float, real_fmin(x, y))
FLOAT1(sqrt_float, sqrt(x))
FLOAT1(floor_float, floor(x))
FLOAT1(ceil_float, ceil(x))
FLOAT1(round_float, round(x))
FLOAT1(rint_float, rint(x))
FLOAT1(trunc_float, trunc(x))
FLOAT2(fmod_float, fmod(x, y))
FLOAT1(exp_float, exp(x))
FLOAT1(exp2_float, exp2(x))
FLOAT1(exp10_float, pow(10, x))
FLOAT1(log_float, log(x))
FLOAT1(log2_float, log2(x))
FLOAT1(log10_float, log10(x))
FLOAT1(expm1_float, expm1(x))
FLOAT1(log1p_float, log1p(x))
FLOAT1(rsqrt_float, 1.0 / sqrt(x))
FLOAT1(sin_float, sin(x))
FLOAT1(cos_float, cos(x))
FLOAT1(tan_float, tan(x))
FLOAT1(asin_float, asin(x))
FLOAT1(acos_float, acos(x))
FLOAT1(atan_float, atan(x))
FLOAT1(sinh_float, sinh(x))
FLOAT1(cosh_float, cosh(x))
FLOAT1(tanh_float, tanh(x))
FLOAT1(erf_float, erf(x))
FLOAT1(sigmoid_float, real_sigmoid(x))
FLOAT1(cbrt_float, cbrt(x))
FLOAT2(pow_float, pow(x, y))
FLOAT2(atan2_float, atan2(x, y))
FLOAT2(hypot_float, hypot(x, y))
FLOAT_TEST(eq_float, x == y)
FLOAT_TEST(ne_float, x != y)
FLOAT_TEST(lt_float, x < y)
FLOAT_TEST(le_float, x <= y)
FLOAT_TEST(gt_float, x > y)
FLOAT_TEST(ge_float, x >= y)

/* ---- any element ---------------------------------------------------------------------------- */

LOOP(select_any, (void)faults, run->a[i] ? run->b[i] : run->c[i])
LOOP(bitcast_any, (void)faults, run->a[i])
LOOP(cast_any, (void)faults, ir_eval_cast(run->a[i], run->elem, run->result_elem))
LOOP(addptr_any, (void)faults, run->a[i] + run->b[i] * ir_elem_bytes(run->elem))

/* ---- the table ------------------------------------------------------------------------------ */

struct meaning {
    void (*on_signed)(struct run *run);
    void (*on_unsigned)(struct run *run);
    void (*on_float)(struct run *run);
};

static const struct meaning meanings[IR_OP_COUNT] = {
    [IR_OP_NEG] = {neg_signed, neg_unsigned, neg_float},
    [IR_OP_ABS] = {abs_signed, abs_unsigned, abs_float},
    [IR_OP_ADD] = {add_signed, add_unsigned, add_float},
    [IR_OP_SUB] = {sub_signed, sub_unsigned, sub_float},
    [IR_OP_MUL] = {mul_signed, mul_unsigned, mul_float},
    [IR_OP_DIV] = {div_signed, div_unsigned, div_float},
    [IR_OP_REM] = {rem_signed, rem_unsigned, NULL},
    [IR_OP_CDIV] = {cdiv_signed, cdiv_unsigned, NULL},
    [IR_OP_FMA] = {NULL, NULL, fma_float},
    [IR_OP_MAXIMUM] = {maximum_signed, maximum_unsigned, maximum_float},
    [IR_OP_MINIMUM] = {minimum_signed, minimum_unsigned, minimum_float},
    [IR_OP_FMAX] = {NULL, NULL, fmax_float},
    [IR_OP_FMIN] = {NULL, NULL, fmin_float},
    [IR_OP_SQRT] = {NULL, NULL, sqrt_float},
    [IR_OP_FLOOR] = {NULL, NULL, floor_float},
    [IR_OP_CEIL] = {NULL, NULL, ceil_float},
    [IR_OP_ROUND] = {NULL, NULL, round_float},
    [IR_OP_RINT] = {NULL, NULL, rint_float},
    [IR_OP_TRUNC] = {NULL, NULL, trunc_float},
    [IR_OP_FMOD] = {NULL, NULL, fmod_float},
    [IR_OP_EXP] = {NULL, NULL, exp_float},
    [IR_OP_EXP2] = {NULL, NULL, exp2_float},
    [IR_OP_EXP10] = {NULL, NULL, exp10_float},
    [IR_OP_LOG] = {NULL, NULL, log_float},
    [IR_OP_LOG2] = {NULL, NULL, log2_float},
    [IR_OP_LOG10] = {NULL, NULL, log10_float},
    [IR_OP_EXPM1] = {NULL, NULL, expm1_float},
    [IR_OP_LOG1P] = {NULL, NULL, log1p_float},
    [IR_OP_RSQRT] = {NULL, NULL, rsqrt_float},
    [IR_OP_SIN] = {NULL, NULL, sin_float},
    [IR_OP_COS] = {NULL, NULL, cos_float},
    [IR_OP_TAN] = {NULL, NULL, tan_float},
    [IR_OP_ASIN] = {NULL, NULL, asin_float},
    [IR_OP_ACOS] = {NULL, NULL, acos_float},
    [IR_OP_ATAN] = {NULL, NULL, atan_float},
    [IR_OP_SINH] = {NULL, NULL, sinh_float},
    [IR_OP_COSH] = {NULL, NULL, cosh_float},
    [IR_OP_TANH] = {NULL, NULL, tanh_float},
    [IR_OP_ERF] = {NULL, NULL, erf_float},
    [IR_OP_SIGMOID] = {NULL, NULL, sigmoid_float},
    [IR_OP_CBRT] = {NULL, NULL, cbrt_float},
    [IR_OP_POW] = {NULL, NULL, pow_float},
    [IR_OP_ATAN2] = {NULL, NULL, atan2_float},
    [IR_OP_HYPOT] = {NULL, NULL, hypot_float},
    [IR_OP_AND] = {and_integer, and_integer, NULL},
    [IR_OP_OR] = {or_integer, or_integer, NULL},
    [IR_OP_XOR] = {xor_integer, xor_integer, NULL},
    [IR_OP_NOT] = {not_integer, not_integer, NULL},
    [IR_OP_SHL] = {shl_integer, shl_integer, NULL},
    [IR_OP_SHR] = {shr_signed, shr_unsigned, NULL},
    [IR_OP_POPCOUNT] = {popcount_integer, popcount_integer, NULL},
    [IR_OP_CLZ] = {clz_integer, clz_integer, NULL},
    [IR_OP_CTZ] = {ctz_integer, ctz_integer, NULL},
    [IR_OP_MULHI] = {mulhi_signed, mulhi_unsigned, NULL},
    [IR_OP_EQ] = {eq_integer, eq_integer, eq_float},
    [IR_OP_NE] = {ne_integer, ne_integer, ne_float},
    [IR_OP_LT] = {lt_signed, lt_unsigned, lt_float},
    [IR_OP_LE] = {le_signed, le_unsigned, le_float},
    [IR_OP_GT] = {gt_signed, gt_unsigned, gt_float},
    [IR_OP_GE] = {ge_signed, ge_unsigned, ge_float},
    [IR_OP_ISNAN] = {NULL, NULL, isnan_float},
    [IR_OP_ISINF] = {NULL, NULL, isinf_float},
    [IR_OP_SIGNBIT] = {NULL, NULL, signbit_float},
    [IR_OP_SELECT] = {select_any, select_any, select_any},
    [IR_OP_CAST] = {cast_any, cast_any, cast_any},
    [IR_OP_BITCAST] = {bitcast_any, bitcast_any, bitcast_any},
    [IR_OP_ADDPTR] = {addptr_any, addptr_any, addptr_any},
};

void ir_eval_elements(enum ir_opcode code, enum ir_elem elem, enum ir_elem result_elem,
                      size_t count, const uint64_t *const *operands, uint64_t *results,
                      unsigned *faults)
{
    struct run run = {
        .elem = elem,
        .result_elem = result_elem,
        .width = width_of(elem),
        .count = count,
        .a = operands[0],
        .b = ir_ops[code].most > 1 ? operands[1] : NULL,
        .c = ir_ops[code].most > 2 ? operands[2] : NULL,
        .out = results,
    };
    const struct meaning *meaning = &meanings[code];
    if (ir_is_float(elem))
        meaning->on_float(&run);
    else if (ir_is_signed(elem))
        meaning->on_signed(&run);
    else
        meaning->on_unsigned(&run);
    *faults |= run.faults;
}

uint64_t ir_eval(enum ir_opcode code, enum ir_elem elem, enum ir_elem result_elem,
                 const uint64_t *operands, unsigned *faults)
{
    const uint64_t *arrays[3] = {0};
    for (int i = 0; i < ir_ops[code].most; i++)
        arrays[i] = &operands[i];
    uint64_t result;
    ir_eval_elements(code, elem, result_elem, 1, arrays, &result, faults);
    return result;
}

uint64_t ir_eval_lookup(const struct ir_table *table, enum ir_elem index_elem, uint64_t index,
                        unsigned *faults)
{
    uint64_t place = (uint64_t)ir_eval_to_int(index, index_elem);
    if (place < (uint64_t)table->count)
        return table->bits[place];
    *faults |= IR_FAULT_INDEX;
    return 0;
}

uint64_t ir_eval_op(const struct ir_op *op, const uint64_t *operands, unsigned *faults)
{
    const struct ir_value *typed = op->operands[op->code == IR_OP_SELECT ? 1 : 0];
    enum ir_elem elem = (enum ir_elem)typed->type.elem;
    if (op->code == IR_OP_LOOKUP)
        return ir_eval_lookup(op->attributes.table, elem, operands[0], faults);
    return ir_eval(op->code, elem, (enum ir_elem)op->results[0]->type.elem, operands, faults);
}

bool ir_eval_has(enum ir_opcode code, enum ir_elem elem)
{
    const struct meaning *meaning = &meanings[code];
    if (ir_is_float(elem))
        return meaning->on_float != NULL;
    return (ir_is_signed(elem) ? meaning->on_signed : meaning->on_unsigned) != NULL;
}
