/*
 * The meaning of elementwise ops: literal cases (docs/language.md), all
 * pairs of 8-bit integers against plain C arithmetic on ints, and all 16-bit floats.
 */
#include "ir/eval.h"

#include "base/half.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static uint64_t f32(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static uint64_t f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define NAN32 UINT64_C(0x7fc00000)
#define INF32 UINT64_C(0x7f800000)
#define MINUS_INF32 UINT64_C(0xff800000)
#define MINUS_ZERO32 UINT64_C(0x80000000)
#define I32(value) ((uint64_t)(uint32_t)(value))
#define I64(value) ((uint64_t)(value))

/* ---- literal cases -------------------------------------------------------------------------- */

struct example {
    enum ir_opcode code;
    enum ir_elem elem;
    uint64_t a, b, result;
    unsigned faults;
};

static void check_examples(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct example *e = &examples[i];
        unsigned faults = 0;
        uint64_t operands[] = {e->a, e->b, 0};
        uint64_t result = ir_eval(e->code, e->elem, e->elem, operands, &faults);
        if (result != e->result || faults != e->faults)
            fail_msg("example %zu, %s %s of 0x%llx and 0x%llx: 0x%llx, faults %u; expected 0x%llx, "
                     "faults %u",
                     i, ir_ops[e->code].name, ir_elems[e->elem].name, (unsigned long long)e->a,
                     (unsigned long long)e->b, (unsigned long long)result, faults,
                     (unsigned long long)e->result, e->faults);
    }
}

#define CHECK(examples) check_examples(examples, sizeof(examples) / sizeof((examples)[0]))

static void division(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {IR_OP_DIV, IR_I32, I32(-7), I32(2), I32(-3), 0},
        {IR_OP_REM, IR_I32, I32(-7), I32(2), I32(-1), 0},
        {IR_OP_DIV, IR_I32, I32(7), I32(-2), I32(-3), 0},
        {IR_OP_REM, IR_I32, I32(7), I32(-2), I32(1), 0},
        {IR_OP_DIV, IR_I32, I32(INT32_MIN), I32(-1), I32(INT32_MIN), IR_FAULT_OVERFLOW},
        {IR_OP_REM, IR_I32, I32(INT32_MIN), I32(-1), 0, 0},
        {IR_OP_DIV, IR_I64, I64(INT64_MIN), I64(-1), I64(INT64_MIN), IR_FAULT_OVERFLOW},
        {IR_OP_REM, IR_I64, I64(INT64_MIN), I64(-1), 0, 0},
        {IR_OP_DIV, IR_I32, I32(5), 0, 0, IR_FAULT_DIVISION},
        {IR_OP_REM, IR_I32, I32(-5), 0, I32(-5), IR_FAULT_DIVISION},
        {IR_OP_DIV, IR_U8, 200, 0, 0, IR_FAULT_DIVISION},
        {IR_OP_REM, IR_U8, 200, 0, 200, IR_FAULT_DIVISION},
        {IR_OP_CDIV, IR_I32, 0, 0, 0, IR_FAULT_DIVISION},
        {IR_OP_CDIV, IR_I32, I32(7), I32(2), I32(4), 0},
        {IR_OP_CDIV, IR_I32, I32(-7), I32(2), I32(-3), 0},
        {IR_OP_CDIV, IR_I32, I32(7), I32(-2), I32(-3), 0},
        {IR_OP_CDIV, IR_I32, I32(-7), I32(-2), I32(4), 0},
        {IR_OP_CDIV, IR_I32, I32(8), I32(2), I32(4), 0},
        {IR_OP_CDIV, IR_I32, I32(INT32_MIN), I32(-1), I32(INT32_MIN), IR_FAULT_OVERFLOW},
        {IR_OP_CDIV, IR_U64, UINT64_MAX, 2, UINT64_C(1) << 63, 0},
        {IR_OP_DIV, IR_U64, UINT64_MAX, 2, UINT64_MAX / 2, 0},
    };
    CHECK(examples);
}

static void overflow_wraps(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {IR_OP_ADD, IR_I32, I32(INT32_MAX), 1, I32(INT32_MIN), IR_FAULT_OVERFLOW},
        {IR_OP_ADD, IR_I64, I64(INT64_MAX), 1, I64(INT64_MIN), IR_FAULT_OVERFLOW},
        {IR_OP_ADD, IR_U32, UINT32_MAX, 1, 0, 0},
        {IR_OP_SUB, IR_I32, I32(INT32_MIN), 1, I32(INT32_MAX), IR_FAULT_OVERFLOW},
        {IR_OP_SUB, IR_U64, 0, 1, UINT64_MAX, 0},
        {IR_OP_MUL, IR_I32, I32(65536), I32(65536), 0, IR_FAULT_OVERFLOW},
        {IR_OP_MUL, IR_I64, I64(-1) << 40, I64(1) << 30, 0, IR_FAULT_OVERFLOW},
        {IR_OP_MUL, IR_U16, 0xffff, 0xffff, 1, 0},
        {IR_OP_NEG, IR_I32, I32(INT32_MIN), 0, I32(INT32_MIN), IR_FAULT_OVERFLOW},
        {IR_OP_NEG, IR_I8, 0x80, 0, 0x80, IR_FAULT_OVERFLOW},
        {IR_OP_NEG, IR_U8, 1, 0, 255, 0},
        {IR_OP_ABS, IR_I64, I64(INT64_MIN), 0, I64(INT64_MIN), IR_FAULT_OVERFLOW},
        {IR_OP_ABS, IR_I16, 0xffff, 0, 1, 0},
    };
    CHECK(examples);
}

static void shifts_and_logic(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {IR_OP_SHL, IR_I32, 1, 31, I32(INT32_MIN), 0},
        {IR_OP_SHL, IR_I32, 5, 32, 5, IR_FAULT_SHIFT},
        {IR_OP_SHL, IR_I32, 1, I32(-1), I32(INT32_MIN), IR_FAULT_SHIFT},
        {IR_OP_SHR, IR_I32, 8, 33, 4, IR_FAULT_SHIFT},
        {IR_OP_SHR, IR_I32, I32(-8), 1, I32(-4), 0},
        {IR_OP_SHR, IR_U32, UINT32_MAX, 31, 1, 0},
        {IR_OP_SHR, IR_I8, 0x80, 7, 0xff, 0},
        {IR_OP_SHL, IR_I8, 1, 9, 2, IR_FAULT_SHIFT},
        {IR_OP_SHL, IR_U64, 1, 63, UINT64_C(1) << 63, 0},
        {IR_OP_NOT, IR_BOOL, 0, 0, 1, 0},
        {IR_OP_NOT, IR_BOOL, 1, 0, 0, 0},
        {IR_OP_NOT, IR_U16, 0x00ff, 0, 0xff00, 0},
        {IR_OP_XOR, IR_BOOL, 1, 1, 0, 0},
        {IR_OP_LT, IR_I8, 0xff, 0, 1, 0},
        {IR_OP_LT, IR_U8, 0xff, 0, 0, 0},
        {IR_OP_MAXIMUM, IR_I8, 0xff, 1, 1, 0},
        {IR_OP_MAXIMUM, IR_U8, 0xff, 1, 0xff, 0},
    };
    CHECK(examples);
}

static void counted_bits_and_high_products(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {IR_OP_POPCOUNT, IR_I16, 0xffff, 0, 16, 0},
        {IR_OP_CLZ, IR_U8, 0, 0, 8, 0},
        {IR_OP_CLZ, IR_I64, 1, 0, 63, 0},
        {IR_OP_CTZ, IR_U8, 0, 0, 8, 0},
        {IR_OP_CTZ, IR_I8, 0x80, 0, 7, 0},
        {IR_OP_CTZ, IR_I16, 0, 0, 16, 0},
        {IR_OP_CTZ, IR_U32, 0, 0, 32, 0},
        {IR_OP_CTZ, IR_I32, I32(INT32_MIN), 0, 31, 0},
        {IR_OP_CTZ, IR_U64, 0, 0, 64, 0},
        {IR_OP_CTZ, IR_I64, UINT64_C(3) << 40, 0, 40, 0},
        {IR_OP_MULHI, IR_I8, 0x80, 0x80, 0x40, 0},
        {IR_OP_MULHI, IR_I16, 0x8000, 0x7fff, 0xc000, 0},
        {IR_OP_MULHI, IR_U16, 0xffff, 0xffff, 0xfffe, 0},
        {IR_OP_MULHI, IR_I32, I32(INT32_MIN), I32(INT32_MIN), 0x40000000, 0},
        {IR_OP_MULHI, IR_I32, I32(-1), 1, I32(-1), 0},
        {IR_OP_MULHI, IR_U32, UINT32_MAX, UINT32_MAX, 0xfffffffe, 0},
        {IR_OP_MULHI, IR_U32, UINT32_MAX, 1, 0, 0},
        {IR_OP_MULHI, IR_I64, I64(INT64_MIN), I64(INT64_MIN), UINT64_C(1) << 62, 0},
        {IR_OP_MULHI, IR_I64, I64(INT64_MIN), 1, I64(-1), 0},
        {IR_OP_MULHI, IR_U64, UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, 0},
        {IR_OP_MULHI, IR_U64, UINT64_C(1) << 63, 6, 3, 0},
    };
    CHECK(examples);
}

static void nan_and_signed_zero(void **state)
{
    (void)state;
    const uint64_t one = f32(1), nan = NAN32, minus_zero = MINUS_ZERO32, inf = INF32;
    const struct example examples[] = {
        {IR_OP_MAXIMUM, IR_F32, one, nan, nan, 0},
        {IR_OP_MAXIMUM, IR_F32, nan, one, nan, 0},
        {IR_OP_MINIMUM, IR_F32, nan, one, nan, 0},
        {IR_OP_MAXIMUM, IR_F32, minus_zero, 0, 0, 0},
        {IR_OP_MAXIMUM, IR_F32, 0, minus_zero, 0, 0},
        {IR_OP_MINIMUM, IR_F32, 0, minus_zero, minus_zero, 0},
        {IR_OP_FMAX, IR_F32, one, nan, one, 0},
        {IR_OP_FMAX, IR_F32, nan, one, one, 0},
        {IR_OP_FMAX, IR_F32, minus_zero, 0, 0, 0},
        {IR_OP_FMIN, IR_F32, nan, nan, nan, 0},
        {IR_OP_FMIN, IR_F32, minus_zero, 0, minus_zero, 0},
        {IR_OP_MAXIMUM, IR_F16, 0x7e00, 0x3c00, 0x7e00, 0},
        {IR_OP_MAXIMUM, IR_BF16, 0x3f80, 0x7fc0, 0x7fc0, 0},
        {IR_OP_FMAX, IR_F16, 0x7e00, 0x3c00, 0x3c00, 0},
        {IR_OP_MUL, IR_F32, minus_zero, 0, minus_zero, 0}, /* x * 0, x + 0, x - x */
        {IR_OP_MUL, IR_F32, inf, 0, nan, 0},
        {IR_OP_MUL, IR_F32, nan, 0, nan, 0},
        {IR_OP_ADD, IR_F32, minus_zero, 0, 0, 0},
        {IR_OP_ADD, IR_F32, minus_zero, minus_zero, minus_zero, 0},
        {IR_OP_SUB, IR_F32, inf, inf, nan, 0},
        {IR_OP_SUB, IR_F32, one, one, 0, 0},
        {IR_OP_SUB, IR_F32, minus_zero, minus_zero, 0, 0},
        {IR_OP_DIV, IR_F32, one, minus_zero, MINUS_INF32, 0},
        {IR_OP_DIV, IR_F32, 0, 0, nan, 0},
        {IR_OP_NEG, IR_F32, 0, 0, minus_zero, 0},
        {IR_OP_ABS, IR_F32, minus_zero, 0, 0, 0},
        {IR_OP_NE, IR_F32, nan, nan, 1, 0},
        {IR_OP_EQ, IR_F32, nan, nan, 0, 0},
        {IR_OP_EQ, IR_F32, 0, minus_zero, 1, 0},
        {IR_OP_LT, IR_F32, nan, one, 0, 0},
        {IR_OP_GE, IR_F32, nan, one, 0, 0},
        {IR_OP_ISNAN, IR_F32, nan, 0, 1, 0},
        {IR_OP_ISNAN, IR_F32, inf, 0, 0, 0},
        {IR_OP_ISNAN, IR_F16, 0xfc01, 0, 1, 0},
        {IR_OP_ISINF, IR_F32, MINUS_INF32, 0, 1, 0},
        {IR_OP_ISINF, IR_BF16, 0x7f80, 0, 1, 0},
        {IR_OP_SIGNBIT, IR_F32, minus_zero, 0, 1, 0},
        {IR_OP_SIGNBIT, IR_F16, 0x7c00, 0, 0, 0},
    };
    CHECK(examples);
}

static void functions_at_the_edges(void **state)
{
    (void)state;
    const uint64_t nan = NAN32, inf = INF32;
    const struct example examples[] = {
        {IR_OP_EXP, IR_F32, MINUS_INF32, 0, 0, 0},
        {IR_OP_EXP, IR_F32, f32(1000), 0, inf, 0},
        {IR_OP_EXP, IR_F32, MINUS_ZERO32, 0, f32(1), 0},
        {IR_OP_LOG, IR_F32, 0, 0, MINUS_INF32, 0},
        {IR_OP_LOG, IR_F32, f32(-1), 0, nan, 0},
        {IR_OP_LOG2, IR_F32, f32(8), 0, f32(3), 0},
        {IR_OP_EXPM1, IR_F32, MINUS_INF32, 0, f32(-1), 0},
        {IR_OP_EXPM1, IR_F32, MINUS_ZERO32, 0, MINUS_ZERO32, 0},
        {IR_OP_EXPM1, IR_F32, f32(1e-30f), 0, f32(1e-30f), 0},
        {IR_OP_LOG1P, IR_F32, f32(-1), 0, MINUS_INF32, 0},
        {IR_OP_LOG1P, IR_F32, f32(-2), 0, nan, 0},
        {IR_OP_LOG1P, IR_F32, f32(1e-30f), 0, f32(1e-30f), 0},
        {IR_OP_SQRT, IR_F32, MINUS_ZERO32, 0, MINUS_ZERO32, 0},
        {IR_OP_SQRT, IR_F32, f32(-1), 0, nan, 0},
        {IR_OP_TANH, IR_F32, inf, 0, f32(1), 0},
        {IR_OP_SIGMOID, IR_F32, MINUS_INF32, 0, 0, 0},
        {IR_OP_SIGMOID, IR_F32, inf, 0, f32(1), 0},
        {IR_OP_SIGMOID, IR_F32, 0, 0, f32(0.5), 0},
        {IR_OP_RSQRT, IR_F32, 0, 0, inf, 0},
        {IR_OP_RSQRT, IR_F32, f32(4), 0, f32(0.5), 0},
        {IR_OP_ERF, IR_F32, inf, 0, f32(1), 0},
        {IR_OP_SIN, IR_F32, inf, 0, nan, 0},
        {IR_OP_COS, IR_F32, 0, 0, f32(1), 0},
        {IR_OP_EXP10, IR_F32, f32(2), 0, f32(100), 0},
        {IR_OP_EXP10, IR_F32, MINUS_INF32, 0, 0, 0},
        {IR_OP_LOG10, IR_F32, f32(1000), 0, f32(3), 0},
        {IR_OP_LOG10, IR_F32, MINUS_ZERO32, 0, MINUS_INF32, 0},
        {IR_OP_SINH, IR_F32, MINUS_ZERO32, 0, MINUS_ZERO32, 0},
        {IR_OP_SINH, IR_F32, f32(-1000), 0, MINUS_INF32, 0},
        {IR_OP_COSH, IR_F32, MINUS_INF32, 0, inf, 0},
        {IR_OP_COSH, IR_F32, 0, 0, f32(1), 0},
        {IR_OP_TAN, IR_F32, MINUS_ZERO32, 0, MINUS_ZERO32, 0},
        {IR_OP_TAN, IR_F32, inf, 0, nan, 0},
        {IR_OP_ASIN, IR_F32, f32(1), 0, f32(1.57079633f), 0},
        {IR_OP_ASIN, IR_F32, f32(1.5), 0, nan, 0},
        {IR_OP_ACOS, IR_F32, f32(1), 0, 0, 0},
        {IR_OP_ACOS, IR_F32, f32(-1), 0, f32(3.14159265f), 0},
        {IR_OP_ATAN, IR_F32, MINUS_INF32, 0, f32(-1.57079633f), 0},
        {IR_OP_ATAN2, IR_F32, MINUS_ZERO32, f32(-1), f32(-3.14159265f), 0},
        {IR_OP_ATAN2, IR_F32, f32(1), inf, 0, 0},
        {IR_OP_ATAN2, IR_F32, f32(2), f32(2), f32(0.785398163f), 0},
        {IR_OP_POW, IR_F32, nan, 0, f32(1), 0},
        {IR_OP_CBRT, IR_F32, f32(-27), 0, f32(-3), 0},
        {IR_OP_CBRT, IR_F32, MINUS_ZERO32, 0, MINUS_ZERO32, 0},
        {IR_OP_HYPOT, IR_F32, f32(-3), f32(4), f32(5), 0},
        {IR_OP_HYPOT, IR_F32, nan, MINUS_INF32, inf, 0},
        {IR_OP_HYPOT, IR_F64, f64(3e300), f64(4e300), f64(5e300), 0},
        {IR_OP_FMOD, IR_F32, f32(-5.5), f32(2), f32(-1.5), 0},
        {IR_OP_FMOD, IR_F32, f32(-6), f32(-3), MINUS_ZERO32, 0},
        {IR_OP_FMOD, IR_F32, f32(-1), inf, f32(-1), 0},
        {IR_OP_FMOD, IR_F32, f32(1), 0, nan, 0},
        {IR_OP_FMOD, IR_F32, MINUS_INF32, f32(1), nan, 0},
        {IR_OP_FMOD, IR_F64, f64(1e17), f64(3), f64(1), 0},
        {IR_OP_POW, IR_F32, f32(2), f32(-2), f32(0.25), 0},
        {IR_OP_EXP2, IR_F16, 0x4200, 0, 0x4800, 0}, /* 2^3 */
        {IR_OP_ROUND, IR_F32, f32(2.5), 0, f32(3), 0},
        {IR_OP_RINT, IR_F32, f32(2.5), 0, f32(2), 0},
        {IR_OP_RINT, IR_F32, f32(-3.5), 0, f32(-4), 0},
        {IR_OP_ROUND, IR_F32, f32(-2.5), 0, f32(-3), 0},
        {IR_OP_FLOOR, IR_F32, f32(-0.5), 0, f32(-1), 0},
        {IR_OP_CEIL, IR_F32, f32(-0.5), 0, MINUS_ZERO32, 0},
        {IR_OP_TRUNC, IR_F64, f64(-1.75), 0, f64(-1), 0},
        /* 16-bit arithmetic rounds once */
        {IR_OP_ADD, IR_F16, 0x7bff, 0x4c00, 0x7c00, 0}, /* 65504 + 16 = 65520: inf */
        {IR_OP_ADD, IR_F16, 0x6800, 0x3c00, 0x6800, 0}, /* 2048 + 1: tie to even */
        {IR_OP_MUL, IR_BF16, 0x3f81, 0x3f81, 0x3f82, 0},
    };
    CHECK(examples);
}

static void fma_rounds_once(void **state)
{
    (void)state;
    unsigned faults = 0;
    const uint64_t narrow[] = {f32(1 + 0x1p-12), f32(1 + 0x1p-12), f32(-1 - 0x1p-11)};
    assert_int_equal(ir_eval(IR_OP_FMA, IR_F32, IR_F32, narrow, &faults), f32(0x1p-24));
    /* 2^-24 - 2^-70 on an odd float: just below a tie, which a rounding to double would hide. */
    const uint64_t tie[] = {f32(1 - 0x1p-23), f32((1 + 0x1p-23) * 0x1p-24), f32(1 + 0x1p-23)};
    assert_int_equal(ir_eval(IR_OP_FMA, IR_F32, IR_F32, tie, &faults), f32(1 + 0x1p-23));
    const uint64_t wide[] = {f64(1 + 0x1p-30), f64(1 + 0x1p-30), f64(-1 - 0x1p-29)};
    assert_int_equal(ir_eval(IR_OP_FMA, IR_F64, IR_F64, wide, &faults), f64(0x1p-60));
    assert_int_equal(faults, 0);
}

static void moves(void **state)
{
    (void)state;
    unsigned faults = 0;
    const uint64_t choice[] = {1, NAN32, f32(1)};
    assert_int_equal(ir_eval(IR_OP_SELECT, IR_F32, IR_F32, choice, &faults), NAN32);
    const uint64_t other[] = {0, NAN32, f32(1)};
    assert_int_equal(ir_eval(IR_OP_SELECT, IR_F32, IR_F32, other, &faults), f32(1));
    const uint64_t bits[] = {0xdeadbeef};
    assert_int_equal(ir_eval(IR_OP_BITCAST, IR_U32, IR_F32, bits, &faults), 0xdeadbeef);
    const uint64_t address[] = {1000, I64(-3)};
    assert_int_equal(ir_eval(IR_OP_ADDPTR, IR_F64, IR_F64, address, &faults), 976);
}

static void cast_literals(void **state)
{
    (void)state;
    const struct {
        enum ir_elem from, to;
        uint64_t bits, result;
    } casts[] = {
        {IR_F32, IR_I8, f32(300), 127},
        {IR_F32, IR_U8, f32(300), 255},
        {IR_F32, IR_I32, f32(300), 300},
        {IR_F32, IR_I8, f32(-1), 0xff},
        {IR_F32, IR_U8, f32(-1), 0},
        {IR_F32, IR_I32, f32(-1.99), I32(-1)},
        {IR_F32, IR_I8, f32(3e9), 127},
        {IR_F32, IR_U8, f32(3e9), 255},
        {IR_F32, IR_I32, f32(3e9), INT32_MAX},
        {IR_F32, IR_I32, f32(-3e9), I32(INT32_MIN)},
        {IR_F32, IR_I32, NAN32, 0},
        {IR_F32, IR_U8, INF32, 255},
        {IR_F32, IR_I8, MINUS_INF32, 0x80},
        {IR_F32, IR_I64, f32(1e19), INT64_MAX},
        {IR_F32, IR_U64, f32(1e19), UINT64_C(9999999980506447872)},
        {IR_F64, IR_U64, f64(1e30), UINT64_MAX},
        {IR_F64, IR_I64, f64(-0x1p63), I64(INT64_MIN)},
        {IR_F16, IR_U16, 0x7bff, 65504},
        {IR_U8, IR_I32, 200, 200},
        {IR_U8, IR_F32, 200, f32(200)},
        {IR_I8, IR_I32, 0xfe, I32(-2)},
        {IR_I8, IR_F32, 0xfe, f32(-2)},
        {IR_I8, IR_U64, 0xfe, I64(-2)},
        {IR_I64, IR_I8, 0x1ff, 0xff},
        {IR_BOOL, IR_I32, 1, 1},
        {IR_BOOL, IR_F16, 1, 0x3c00},
        {IR_I32, IR_BOOL, 256, 1},
        {IR_F32, IR_BOOL, f32(0.25), 1},
        {IR_F32, IR_BOOL, MINUS_ZERO32, 0},
        {IR_F32, IR_BOOL, NAN32, 1},
        {IR_F32, IR_F16, f32(65520), 0x7c00},
        {IR_F32, IR_F16, f32(1e30), 0x7c00},
        {IR_I32, IR_F16, 65520, 0x7c00},
        {IR_F32, IR_BF16, f32(1.00390625), 0x3f80}, /* tie */
        {IR_F32, IR_BF16, f32(1.01171875), 0x3f82}, /* tie */
        {IR_F32, IR_BF16, f32(1.0039064), 0x3f81},  /* just above */
        {IR_F64, IR_BF16, f64(1.00390625 + 0x1p-50), 0x3f81},
        {IR_I32, IR_BF16, 257, 0x4380},
        {IR_I32, IR_BF16, 259, 0x4382},
        {IR_I64, IR_F32, (UINT64_C(1) << 40) + (UINT64_C(1) << 16) + 1, f32(0x1p40 + 0x1p17)},
        {IR_U64, IR_F32, UINT64_MAX, f32(0x1p64)},
        {IR_I64, IR_F64, I64(INT64_MIN), f64(-0x1p63)},
        {IR_F64, IR_F32, f64(1e300), INF32},
        {IR_F64, IR_F32, f64(0x1p-149), 1},
    };
    for (size_t i = 0; i < sizeof casts / sizeof casts[0]; i++) {
        uint64_t result = ir_eval_cast(casts[i].bits, casts[i].from, casts[i].to);
        if (result != casts[i].result)
            fail_msg("cast %zu, %s to %s: 0x%llx, expected 0x%llx", i, ir_elems[casts[i].from].name,
                     ir_elems[casts[i].to].name, (unsigned long long)result,
                     (unsigned long long)casts[i].result);
    }
    /* A NaN whose payload sits in the bits that are lost stays a NaN. */
    assert_true((ir_eval_cast(0x7f800001, IR_F32, IR_BF16) & 0x7fff) > 0x7f80);
    assert_true((ir_eval_cast(0x7f800001, IR_F32, IR_F16) & 0x7fff) > 0x7c00);
}

/* ---- exhaustive ----------------------------------------------------------------------------- */

/* The mathematical result of an 8-bit op; false where the op is not one of these. */
static bool model(enum ir_opcode code, int x, int y, int *result)
{
    switch ((int)code) {
    case IR_OP_NEG:
        return *result = -x, true;
    case IR_OP_ABS:
        return *result = x < 0 ? -x : x, true;
    case IR_OP_ADD:
        return *result = x + y, true;
    case IR_OP_SUB:
        return *result = x - y, true;
    case IR_OP_MUL:
        return *result = x * y, true;
    case IR_OP_DIV:
        return *result = y ? x / y : 0, true;
    case IR_OP_REM:
        return *result = y ? x % y : x, true;
    case IR_OP_CDIV:
        return *result = y ? (int)ceil((double)x / y) : 0, true;
    case IR_OP_MAXIMUM:
        return *result = x > y ? x : y, true;
    case IR_OP_MINIMUM:
        return *result = x < y ? x : y, true;
    case IR_OP_AND:
        return *result = x & y, true;
    case IR_OP_OR:
        return *result = x | y, true;
    case IR_OP_XOR:
        return *result = x ^ y, true;
    case IR_OP_NOT:
        return *result = ~x, true;
    case IR_OP_SHL:
        return *result = (int)((unsigned)x << (y & 7)), true;
    case IR_OP_SHR:
        return *result = x >> (y & 7), true;
    case IR_OP_MULHI:
        return *result = x * y >> 8, true;
    case IR_OP_EQ:
        return *result = x == y, true;
    case IR_OP_NE:
        return *result = x != y, true;
    case IR_OP_LT:
        return *result = x < y, true;
    case IR_OP_LE:
        return *result = x <= y, true;
    case IR_OP_GT:
        return *result = x > y, true;
    case IR_OP_GE:
        return *result = x >= y, true;
    default:
        return false;
    }
}

static unsigned model_faults(enum ir_opcode code, int y, int result, bool is_signed)
{
    bool divides = code == IR_OP_DIV || code == IR_OP_REM || code == IR_OP_CDIV;
    if (divides && y == 0)
        return IR_FAULT_DIVISION;
    if (code == IR_OP_SHL || code == IR_OP_SHR)
        return y < 0 || y > 7 ? IR_FAULT_SHIFT : 0;
    return is_signed && (result > 127 || result < -128) ? IR_FAULT_OVERFLOW : 0;
}

static void every_pair_of_bytes(void **state)
{
    (void)state;
    for (int code = 0; code < IR_OP_COUNT; code++)
        for (int pair = 0; pair < 2 << 16; pair++) {
            bool is_signed = pair >> 16;
            uint64_t operands[] = {pair & 0xff, pair >> 8 & 0xff, 0};
            int x = is_signed ? (int8_t)operands[0] : (int)operands[0];
            int y = is_signed ? (int8_t)operands[1] : (int)operands[1];
            int expected;
            if (!model((enum ir_opcode)code, x, y, &expected))
                break;
            unsigned faults = 0;
            enum ir_elem elem = is_signed ? IR_I8 : IR_U8;
            uint64_t result = ir_eval((enum ir_opcode)code, elem, elem, operands, &faults);
            if (result != ((unsigned)expected & 0xff) ||
                faults != model_faults((enum ir_opcode)code, y, expected, is_signed))
                fail_msg("%s %d %d: %d, faults %u; expected %d", ir_ops[code].name, x, y,
                         (int)result, faults, expected);
        }
}

static void every_16_bit_float(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++)
        for (int format = 0; format < 2; format++) {
            enum ir_elem elem = format ? IR_F16 : IR_BF16;
            double value =
                (double)(format ? half_to_float((uint16_t)bits) : bfloat_to_float((uint16_t)bits));
            uint64_t wide = ir_eval_cast(bits, elem, IR_F64);
            if (isnan(value)) {
                assert_true(isnan(ir_eval_to_double(wide, IR_F64)));
                assert_int_equal(ir_eval_cast(bits, elem, IR_I16), 0);
                continue;
            }
            assert_int_equal(wide, f64(value));
            assert_int_equal(ir_eval_cast(bits, elem, IR_F32), f32(value));
            assert_int_equal(ir_eval_cast(f32(value), IR_F32, elem), bits);
            assert_int_equal(ir_eval_cast(f64(value), IR_F64, elem), bits);
            double clamped = fmin(fmax(trunc(value), -128), 127);
            assert_int_equal(ir_eval_cast(bits, elem, IR_I8), (int)clamped & 0xff);
            assert_int_equal(ir_eval_cast(bits, elem, IR_BOOL), value != 0);
            /* x + x and x - x are exact bar overflow. */
            unsigned faults = 0;
            uint64_t twice[] = {bits, bits};
            assert_int_equal(ir_eval(IR_OP_ADD, elem, elem, twice, &faults),
                             ir_eval_from_double(2 * value, elem));
            uint64_t root = ir_eval(IR_OP_SQRT, elem, elem, twice, &faults);
            if (value >= 0)
                assert_int_equal(root, ir_eval_from_double(sqrt(value), elem));
        }
}

static void identities(void **state)
{
    (void)state;
    assert_int_equal(ir_eval_identity(IR_OP_SUM, IR_F32), MINUS_ZERO32);
    assert_int_equal(ir_eval_identity(IR_OP_SUM, IR_I32), 0);
    assert_int_equal(ir_eval_identity(IR_OP_PROD, IR_F64), f64(1));
    assert_int_equal(ir_eval_identity(IR_OP_PROD, IR_I64), 1);
    assert_int_equal(ir_eval_identity(IR_OP_MAX, IR_F16), 0xfc00);
    assert_int_equal(ir_eval_identity(IR_OP_MAX, IR_I8), 0x80);
    assert_int_equal(ir_eval_identity(IR_OP_MAX, IR_U8), 0);
    assert_int_equal(ir_eval_identity(IR_OP_MIN, IR_BF16), 0x7f80);
    assert_int_equal(ir_eval_identity(IR_OP_MIN, IR_I64), INT64_MAX);
    assert_int_equal(ir_eval_identity(IR_OP_MIN, IR_U64), UINT64_MAX);
    assert_int_equal(ir_eval_identity(IR_OP_ANY, IR_BOOL), 0);
    assert_int_equal(ir_eval_identity(IR_OP_ALL, IR_BOOL), 1);
}

/* Whoever adds an elementwise op must give it a meaning here. */
static void no_op_is_forgotten(void **state)
{
    (void)state;
    for (int code = 0; code < IR_OP_COUNT; code++) {
        unsigned flags = ir_ops[code].flags;
        if (!(flags & IR_ELEMENTWISE) || (flags & (IR_READS | IR_WRITES)) ||
            code == IR_OP_CONVERT_LAYOUT || code == IR_OP_LOOKUP)
            continue;
        bool any = !(flags & (IR_INTEGER | IR_FLOAT | IR_NUMERIC | IR_LOGIC));
        if (any || (flags & (IR_INTEGER | IR_NUMERIC | IR_LOGIC))) {
            assert_true(ir_eval_has((enum ir_opcode)code, IR_I32));
            assert_true(ir_eval_has((enum ir_opcode)code, IR_U8));
        }
        if ((any || (flags & (IR_FLOAT | IR_NUMERIC))))
            assert_true(ir_eval_has((enum ir_opcode)code, IR_F16));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(division),
        cmocka_unit_test(overflow_wraps),
        cmocka_unit_test(shifts_and_logic),
        cmocka_unit_test(counted_bits_and_high_products),
        cmocka_unit_test(nan_and_signed_zero),
        cmocka_unit_test(functions_at_the_edges),
        cmocka_unit_test(fma_rounds_once),
        cmocka_unit_test(moves),
        cmocka_unit_test(cast_literals),
        cmocka_unit_test(every_pair_of_bytes),
        cmocka_unit_test(every_16_bit_float),
        cmocka_unit_test(identities),
        cmocka_unit_test(no_op_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
