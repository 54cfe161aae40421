/*
 * The CPU backend's arithmetic on cases with known answers, for every level that this machine runs.
 * Accuracy over all floats is tools/soak_math.c's part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../tools/math_jit.h"
#include "../../tools/math_reference.h"

static const char *const level_names[] = {"generic", "x86-64-v3", "native"};
enum { LEVELS = 3, NATIVE = 2, MOST = 4096 };

static struct math_jit jits[LEVELS];
static bool opened[LEVELS];

static int open_levels(void **state)
{
    (void)state;
    for (int l = 0; l < LEVELS; l++)
        opened[l] = math_jit_open(&jits[l], level_names[l]);
    return 0;
}

static int close_levels(void **state)
{
    (void)state;
    for (int l = 0; l < LEVELS; l++)
        if (opened[l])
            math_jit_close(&jits[l]);
    return 0;
}

/* Elements as bits, one per word, to and from packed arrays. */
static void pack(enum ir_elem elem, const uint64_t *bits, int count, uint8_t *packed)
{
    size_t size = ir_elem_bytes(elem);
    for (int i = 0; i < count; i++)
        memcpy(packed + (size_t)i * size, &bits[i], size);
}

/* Runs a kernel on `count` pairs (a multiple of its lanes) at a level; results as bits. */
static void run(int level, const struct math_kernel *k, const uint64_t *a, const uint64_t *b,
                int count, uint64_t *results, int result_count)
{
    static uint8_t packed_a[MOST * 8], packed_b[MOST * 8], packed_out[MOST * 8];
    size_t size = ir_elem_bytes(k->out);
    pack(k->a, a, count, packed_a);
    if (k->binary)
        pack(k->b, b, count, packed_b);
    math_jit_compile(&jits[level], k)(packed_a, packed_b, packed_out,
                                      count / (int)(k->lanes ? k->lanes : 1));
    for (int i = 0; i < result_count; i++) {
        results[i] = 0;
        memcpy(&results[i], packed_out + (size_t)i * size, size);
    }
}

static void expect_bits(int level, const char *what, enum ir_elem elem, uint64_t got, uint64_t want,
                        uint64_t a, uint64_t b)
{
    if (got == want || (element_is_nan(elem, got) && element_is_nan(elem, want)))
        return;
    fail_msg("%s of %s 0x%llx, 0x%llx on %s: 0x%llx instead of 0x%llx", what, ir_elems[elem].name,
             (unsigned long long)a, (unsigned long long)b, level_names[level],
             (unsigned long long)got, (unsigned long long)want);
}

/* ---- levels */

static void test_levels(void **state)
{
    struct cpu_level level;
    struct cpu_features host;
    (void)state;
    cpu_features_detect(&host);
    assert_false(cpu_level_find("pentium", &level));
    for (const char *const *name = cpu_level_names(); *name; name++) {
        assert_true(cpu_level_find(*name, &level));
        assert_string_equal(level.name, *name);
    }
    assert_true(cpu_level_find("native", &level));
    assert_true(cpu_features_cover(&host, &level.features));
    assert_true(cpu_level_find("generic", &level));
    assert_true(cpu_features_cover(&host, &level.features));
    assert_true(opened[0] && opened[NATIVE]);
}

/* ---- functions: special values */

static LLVMValueRef body_call(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                              const struct math_kernel *k)
{
    return cpu_math_call_elem(m, (enum cpu_math_function)k->selector, k->a, a, b);
}

struct special {
    enum cpu_math_function function;
    double x, want;
};

#define INF ((double)INFINITY)
#define NOT_A_NUMBER ((double)NAN)

#define HALF_TURN 3.14159265358979323846

/* C Annex F, the results that are exact, and multiples of pi/4; the same for half, bf16, float and
 * double. */
static const struct special specials[] = {
    {CPU_MATH_EXP, -INF, 0.0},
    {CPU_MATH_EXP, INF, INF},
    {CPU_MATH_EXP, 0.0, 1.0},
    {CPU_MATH_EXP, -0.0, 1.0},
    {CPU_MATH_EXP, 1000.0, INF},
    {CPU_MATH_EXP, -1000.0, 0.0},
    {CPU_MATH_EXP2, -INF, 0.0},
    {CPU_MATH_EXP2, INF, INF},
    {CPU_MATH_EXP2, -0.0, 1.0},
    {CPU_MATH_EXP2, 3.0, 8.0},
    {CPU_MATH_EXP2, -20.0, 0x1p-20},
    {CPU_MATH_EXP10, -INF, 0.0},
    {CPU_MATH_EXP10, INF, INF},
    {CPU_MATH_EXP10, -0.0, 1.0},
    {CPU_MATH_EXP10, 1.0, 10.0},
    {CPU_MATH_EXP10, 400.0, INF},
    {CPU_MATH_EXP10, -400.0, 0.0},
    {CPU_MATH_LOG, 0.0, -INF},
    {CPU_MATH_LOG, -0.0, -INF},
    {CPU_MATH_LOG, -1.0, NOT_A_NUMBER},
    {CPU_MATH_LOG, -INF, NOT_A_NUMBER},
    {CPU_MATH_LOG, 1.0, 0.0},
    {CPU_MATH_LOG, INF, INF},
    {CPU_MATH_LOG2, 0.0, -INF},
    {CPU_MATH_LOG2, -0.0, -INF},
    {CPU_MATH_LOG2, -2.0, NOT_A_NUMBER},
    {CPU_MATH_LOG2, 8.0, 3.0},
    {CPU_MATH_LOG2, INF, INF},
    {CPU_MATH_LOG10, 0.0, -INF},
    {CPU_MATH_LOG10, -0.0, -INF},
    {CPU_MATH_LOG10, -2.0, NOT_A_NUMBER},
    {CPU_MATH_LOG10, 1.0, 0.0},
    {CPU_MATH_LOG10, 100.0, 2.0},
    {CPU_MATH_LOG10, INF, INF},
    {CPU_MATH_EXPM1, -INF, -1.0},
    {CPU_MATH_EXPM1, INF, INF},
    {CPU_MATH_EXPM1, 0.0, 0.0},
    {CPU_MATH_EXPM1, -0.0, -0.0},
    {CPU_MATH_EXPM1, 1000.0, INF},
    {CPU_MATH_EXPM1, -1000.0, -1.0},
    {CPU_MATH_LOG1P, 0.0, 0.0},
    {CPU_MATH_LOG1P, -0.0, -0.0},
    {CPU_MATH_LOG1P, -1.0, -INF},
    {CPU_MATH_LOG1P, -1.5, NOT_A_NUMBER},
    {CPU_MATH_LOG1P, -INF, NOT_A_NUMBER},
    {CPU_MATH_LOG1P, INF, INF},
    {CPU_MATH_CBRT, 0.0, 0.0},
    {CPU_MATH_CBRT, -0.0, -0.0},
    {CPU_MATH_CBRT, INF, INF},
    {CPU_MATH_CBRT, -INF, -INF},
    {CPU_MATH_CBRT, 27.0, 3.0},
    {CPU_MATH_CBRT, -0.125, -0.5},
    {CPU_MATH_CBRT, 0x1p-24, 0x1p-8},
    {CPU_MATH_CBRT, 0x1p15, 32.0},
    {CPU_MATH_RSQRT, 0.0, INF},
    {CPU_MATH_RSQRT, -0.0, -INF},
    {CPU_MATH_RSQRT, INF, 0.0},
    {CPU_MATH_RSQRT, -1.0, NOT_A_NUMBER},
    {CPU_MATH_RSQRT, 4.0, 0.5},
    {CPU_MATH_SQRT, -0.0, -0.0},
    {CPU_MATH_SQRT, -1.0, NOT_A_NUMBER},
    {CPU_MATH_SQRT, INF, INF},
    {CPU_MATH_SIN, -0.0, -0.0},
    {CPU_MATH_SIN, 0.0, 0.0},
    {CPU_MATH_SIN, INF, NOT_A_NUMBER},
    {CPU_MATH_SIN, -INF, NOT_A_NUMBER},
    {CPU_MATH_COS, -0.0, 1.0},
    {CPU_MATH_COS, INF, NOT_A_NUMBER},
    {CPU_MATH_TAN, -0.0, -0.0},
    {CPU_MATH_TAN, 0.0, 0.0},
    {CPU_MATH_TAN, INF, NOT_A_NUMBER},
    {CPU_MATH_TAN, -INF, NOT_A_NUMBER},
    {CPU_MATH_ASIN, -0.0, -0.0},
    {CPU_MATH_ASIN, 0.0, 0.0},
    {CPU_MATH_ASIN, -1.0, -HALF_TURN / 2},
    {CPU_MATH_ASIN, 1.0, HALF_TURN / 2},
    {CPU_MATH_ASIN, 1.5, NOT_A_NUMBER},
    {CPU_MATH_ASIN, -INF, NOT_A_NUMBER},
    {CPU_MATH_ACOS, 1.0, 0.0},
    {CPU_MATH_ACOS, -0.0, HALF_TURN / 2},
    {CPU_MATH_ACOS, -1.0, HALF_TURN},
    {CPU_MATH_ACOS, -1.5, NOT_A_NUMBER},
    {CPU_MATH_ACOS, INF, NOT_A_NUMBER},
    {CPU_MATH_ATAN, -0.0, -0.0},
    {CPU_MATH_ATAN, 0.0, 0.0},
    {CPU_MATH_ATAN, 1.0, HALF_TURN / 4},
    {CPU_MATH_ATAN, INF, HALF_TURN / 2},
    {CPU_MATH_ATAN, -INF, -HALF_TURN / 2},
    {CPU_MATH_SINH, -0.0, -0.0},
    {CPU_MATH_SINH, 0.0, 0.0},
    {CPU_MATH_SINH, INF, INF},
    {CPU_MATH_SINH, -INF, -INF},
    {CPU_MATH_SINH, -1000.0, -INF},
    {CPU_MATH_COSH, -0.0, 1.0},
    {CPU_MATH_COSH, INF, INF},
    {CPU_MATH_COSH, -INF, INF},
    {CPU_MATH_COSH, -1000.0, INF},
    {CPU_MATH_TANH, INF, 1.0},
    {CPU_MATH_TANH, -INF, -1.0},
    {CPU_MATH_TANH, -0.0, -0.0},
    {CPU_MATH_TANH, 100.0, 1.0},
    {CPU_MATH_ERF, INF, 1.0},
    {CPU_MATH_ERF, -INF, -1.0},
    {CPU_MATH_ERF, -0.0, -0.0},
    {CPU_MATH_ERF, -30.0, -1.0},
    {CPU_MATH_SIGMOID, INF, 1.0},
    {CPU_MATH_SIGMOID, -INF, 0.0},
    {CPU_MATH_SIGMOID, 0.0, 0.5},
    {CPU_MATH_SIGMOID, -2000.0, 0.0},
    {CPU_MATH_ABS, -0.0, 0.0},
    {CPU_MATH_ABS, -INF, INF},
    {CPU_MATH_ROUND, 0.5, 1.0},
    {CPU_MATH_ROUND, -0.5, -1.0},
    {CPU_MATH_ROUND, 2.5, 3.0},
    {CPU_MATH_ROUND, -0.25, -0.0},
    {CPU_MATH_ROUND, -2.5, -3.0},
    {CPU_MATH_ROUND, INF, INF},
    {CPU_MATH_RINT, 0.5, 0.0},
    {CPU_MATH_RINT, 2.5, 2.0},
    {CPU_MATH_RINT, -1.5, -2.0},
    {CPU_MATH_RINT, -0.5, -0.0},
    {CPU_MATH_FLOOR, -0.5, -1.0},
    {CPU_MATH_FLOOR, -0.0, -0.0},
    {CPU_MATH_CEIL, -0.5, -0.0},
    {CPU_MATH_CEIL, 1.5, 2.0},
    {CPU_MATH_TRUNC, -1.5, -1.0},
    {CPU_MATH_TRUNC, -0.5, -0.0},
};

static void check_specials(int level, enum ir_elem elem, enum cpu_math_function f, unsigned lanes)
{
    enum { COUNT = sizeof specials / sizeof *specials };
    uint64_t x[COUNT + 16] = {0}, got[COUNT + 16], want[COUNT + 16];
    int count = 0;
    struct math_kernel kernel = {elem, elem, elem, false, lanes, body_call, (int)f};
    x[count] = float_bits_of(elem, (long double)NAN);
    want[count++] = x[0];
    x[count] = x[0] | 1; /* a NaN with a payload */
    want[count++] = x[0];
    for (int i = 0; i < COUNT; i++) {
        if (specials[i].function != f)
            continue;
        x[count] = float_bits_of(elem, (long double)specials[i].x);
        want[count++] = float_bits_of(elem, (long double)specials[i].want);
    }
    run(level, &kernel, x, NULL, (count + 15) / 16 * 16, got, count);
    for (int i = 0; i < count; i++)
        expect_bits(level, cpu_math_infos[f].name, elem, got[i], want[i], x[i], 0);
}

static void test_special_values(void **state)
{
    static const enum ir_elem elems[] = {IR_F16, IR_BF16, IR_F32, IR_F64};
    (void)state;
    for (int l = 0; l < LEVELS; l++)
        for (int f = 0; opened[l] && f < CPU_MATH_COUNT; f++)
            for (int e = 0; e < 4 && cpu_math_infos[f].operands == 1; e++) {
                check_specials(l, elems[e], (enum cpu_math_function)f, 16);
                check_specials(l, elems[e], (enum cpu_math_function)f, 0);
            }
}

struct special_pair {
    enum cpu_math_function function;
    double x, y, want;
};

static const struct special_pair pairs[] = {
    {CPU_MATH_POW, 0.0, 3.0, 0.0},
    {CPU_MATH_POW, -0.0, 3.0, -0.0},
    {CPU_MATH_POW, -0.0, 2.0, 0.0},
    {CPU_MATH_POW, 0.0, -3.0, INF},
    {CPU_MATH_POW, -0.0, -3.0, -INF},
    {CPU_MATH_POW, -0.0, -2.0, INF},
    {CPU_MATH_POW, -1.0, INF, 1.0},
    {CPU_MATH_POW, -1.0, -INF, 1.0},
    {CPU_MATH_POW, 1.0, NOT_A_NUMBER, 1.0},
    {CPU_MATH_POW, NOT_A_NUMBER, 0.0, 1.0},
    {CPU_MATH_POW, NOT_A_NUMBER, -0.0, 1.0},
    {CPU_MATH_POW, NOT_A_NUMBER, 1.0, NOT_A_NUMBER},
    {CPU_MATH_POW, 2.0, NOT_A_NUMBER, NOT_A_NUMBER},
    {CPU_MATH_POW, -1.0, NOT_A_NUMBER, NOT_A_NUMBER},
    {CPU_MATH_POW, -2.0, 0.5, NOT_A_NUMBER},
    {CPU_MATH_POW, -2.0, 3.0, -8.0},
    {CPU_MATH_POW, 0.5, -INF, INF},
    {CPU_MATH_POW, 2.0, -INF, 0.0},
    {CPU_MATH_POW, 0.5, INF, 0.0},
    {CPU_MATH_POW, -0.5, INF, 0.0},
    {CPU_MATH_POW, 2.0, INF, INF},
    {CPU_MATH_POW, -INF, -3.0, -0.0},
    {CPU_MATH_POW, -INF, -2.0, 0.0},
    {CPU_MATH_POW, -INF, 3.0, -INF},
    {CPU_MATH_POW, -INF, 0.5, INF},
    {CPU_MATH_POW, INF, -1.0, 0.0},
    {CPU_MATH_POW, INF, 2.0, INF},
    {CPU_MATH_POW, 0.0, INF, 0.0},
    {CPU_MATH_POW, 0.0, -INF, INF},
    {CPU_MATH_POW, 4.0, 0.5, 2.0},
    {CPU_MATH_POW, -0.0, 0.5, 0.0},
    {CPU_MATH_POW, 2.0, -2.0, 0.25},
    {CPU_MATH_ATAN2, 0.0, 1.0, 0.0},
    {CPU_MATH_ATAN2, -0.0, 1.0, -0.0},
    {CPU_MATH_ATAN2, 0.0, 0.0, 0.0},
    {CPU_MATH_ATAN2, -0.0, 0.0, -0.0},
    {CPU_MATH_ATAN2, 0.0, -0.0, HALF_TURN},
    {CPU_MATH_ATAN2, -0.0, -0.0, -HALF_TURN},
    {CPU_MATH_ATAN2, 0.0, -1.0, HALF_TURN},
    {CPU_MATH_ATAN2, -0.0, -1.0, -HALF_TURN},
    {CPU_MATH_ATAN2, 1.0, 0.0, HALF_TURN / 2},
    {CPU_MATH_ATAN2, -1.0, -0.0, -HALF_TURN / 2},
    {CPU_MATH_ATAN2, 1.0, INF, 0.0},
    {CPU_MATH_ATAN2, -1.0, INF, -0.0},
    {CPU_MATH_ATAN2, 1.0, -INF, HALF_TURN},
    {CPU_MATH_ATAN2, -1.0, -INF, -HALF_TURN},
    {CPU_MATH_ATAN2, INF, 1.0, HALF_TURN / 2},
    {CPU_MATH_ATAN2, -INF, 1.0, -HALF_TURN / 2},
    {CPU_MATH_ATAN2, INF, INF, HALF_TURN / 4},
    {CPU_MATH_ATAN2, -INF, INF, -HALF_TURN / 4},
    {CPU_MATH_ATAN2, INF, -INF, 3 * (HALF_TURN / 4)},
    {CPU_MATH_ATAN2, -INF, -INF, -3 * (HALF_TURN / 4)},
    {CPU_MATH_ATAN2, 2.0, 2.0, HALF_TURN / 4},
    {CPU_MATH_ATAN2, 2.0, -2.0, 3 * (HALF_TURN / 4)},
    {CPU_MATH_ATAN2, NOT_A_NUMBER, 0.0, NOT_A_NUMBER},
    {CPU_MATH_ATAN2, 0.0, NOT_A_NUMBER, NOT_A_NUMBER},
    {CPU_MATH_ATAN2, INF, NOT_A_NUMBER, NOT_A_NUMBER},
    {CPU_MATH_ATAN2, NOT_A_NUMBER, -INF, NOT_A_NUMBER},
    {CPU_MATH_ATAN2, 0x1p-20, INF, 0.0},
    {CPU_MATH_HYPOT, 3.0, 4.0, 5.0},
    {CPU_MATH_HYPOT, -3.0, -4.0, 5.0},
    {CPU_MATH_HYPOT, 12.0, 5.0, 13.0},
    {CPU_MATH_HYPOT, 0.0, -0.0, 0.0},
    {CPU_MATH_HYPOT, -0.0, -0.0, 0.0},
    {CPU_MATH_HYPOT, -0.0, -7.0, 7.0},
    {CPU_MATH_HYPOT, 0x1.8p-22, 0x1p-21, 0x1.4p-21},
    {CPU_MATH_HYPOT, 0x1.8p14, 0x1p15, 0x1.4p15},
    {CPU_MATH_HYPOT, INF, 1.0, INF},
    {CPU_MATH_HYPOT, 0.0, -INF, INF},
    {CPU_MATH_HYPOT, -INF, INF, INF},
    {CPU_MATH_HYPOT, INF, NOT_A_NUMBER, INF},
    {CPU_MATH_HYPOT, NOT_A_NUMBER, -INF, INF},
    {CPU_MATH_HYPOT, NOT_A_NUMBER, 0.0, NOT_A_NUMBER},
    {CPU_MATH_HYPOT, 1.0, NOT_A_NUMBER, NOT_A_NUMBER},
    {CPU_MATH_FMOD, 5.5, 2.0, 1.5},
    {CPU_MATH_FMOD, -5.5, 2.0, -1.5},
    {CPU_MATH_FMOD, 5.5, -2.0, 1.5},
    {CPU_MATH_FMOD, -5.5, -2.0, -1.5},
    {CPU_MATH_FMOD, 2.0, 3.0, 2.0},
    {CPU_MATH_FMOD, 6.0, 3.0, 0.0},
    {CPU_MATH_FMOD, -6.0, 3.0, -0.0},
    {CPU_MATH_FMOD, 0.0, -3.0, 0.0},
    {CPU_MATH_FMOD, -0.0, 3.0, -0.0},
    {CPU_MATH_FMOD, 0x1.fcp0, 0x1p0, 0x1.f8p-1},
    {CPU_MATH_FMOD, 1.0, 0x1.8p-15, 0x1p-16},
    {CPU_MATH_FMOD, 0x1p15, 0x1.8p-23, 0x1p-23},
    {CPU_MATH_FMOD, -0x1p15, 0x1.8p-23, -0x1p-23},
    {CPU_MATH_FMOD, 1.0, 0.0, NOT_A_NUMBER},
    {CPU_MATH_FMOD, 0.0, 0.0, NOT_A_NUMBER},
    {CPU_MATH_FMOD, INF, 1.0, NOT_A_NUMBER},
    {CPU_MATH_FMOD, -INF, INF, NOT_A_NUMBER},
    {CPU_MATH_FMOD, INF, 0.0, NOT_A_NUMBER},
    {CPU_MATH_FMOD, 1.0, INF, 1.0},
    {CPU_MATH_FMOD, -1.0, -INF, -1.0},
    {CPU_MATH_FMOD, -0.0, INF, -0.0},
    {CPU_MATH_FMOD, NOT_A_NUMBER, 1.0, NOT_A_NUMBER},
    {CPU_MATH_FMOD, 1.0, NOT_A_NUMBER, NOT_A_NUMBER},
    {CPU_MATH_FMOD, NOT_A_NUMBER, INF, NOT_A_NUMBER},
};

static void check_pairs(int level, enum ir_elem elem, enum cpu_math_function f)
{
    enum { COUNT = sizeof pairs / sizeof *pairs };
    uint64_t x[COUNT + 8] = {0}, y[COUNT + 8] = {0}, got[COUNT + 8], want[COUNT];
    struct math_kernel k = {elem, elem, elem, true, 8, body_call, (int)f};
    int count = 0;
    for (int i = 0; i < COUNT; i++) {
        if (pairs[i].function != f)
            continue;
        x[count] = float_bits_of(elem, (long double)pairs[i].x);
        y[count] = float_bits_of(elem, (long double)pairs[i].y);
        want[count++] = float_bits_of(elem, (long double)pairs[i].want);
    }
    assert_true(count > 0);
    run(level, &k, x, y, (count + 7) / 8 * 8, got, count);
    for (int i = 0; i < count; i++)
        expect_bits(level, cpu_math_infos[f].name, elem, got[i], want[i], x[i], y[i]);
}

static void test_pairs(void **state)
{
    static const enum ir_elem elems[] = {IR_F16, IR_BF16, IR_F32, IR_F64};
    (void)state;
    for (int l = 0; l < LEVELS; l++)
        for (int e = 0; opened[l] && e < 4; e++)
            for (int f = 0; f < CPU_MATH_COUNT; f++)
                if (cpu_math_infos[f].operands == 2)
                    check_pairs(l, elems[e], (enum cpu_math_function)f);
}

/* At the ends of a format, where squares and cubes overflow or vanish. */
static void test_ends(void **state)
{
    static const struct {
        enum cpu_math_function function;
        enum ir_elem elem;
        double x, y, want;
    } rows[] = {
        {CPU_MATH_CBRT, IR_F32, -0x1p-147, 0.0, -0x1p-49},
        {CPU_MATH_CBRT, IR_F32, 0x1.bp127, 0.0, 0x1.8p42},
        {CPU_MATH_CBRT, IR_F64, 0x1p-1074, 0.0, 0x1p-358},
        {CPU_MATH_CBRT, IR_F64, -0x1p1023, 0.0, -0x1p341},
        {CPU_MATH_HYPOT, IR_F32, 0x1p-149, 0.0, 0x1p-149},
        {CPU_MATH_HYPOT, IR_F32, 0x1.8p-147, 0x1p-146, 0x1.4p-146},
        {CPU_MATH_HYPOT, IR_F32, -0x1.8p126, 0x1p127, 0x1.4p127},
        {CPU_MATH_HYPOT, IR_F32, 0x1.fffffep127, 0x1p-149, 0x1.fffffep127},
        {CPU_MATH_HYPOT, IR_F32, 0x1.fffffep127, 0x1.fffffep127, INF},
        {CPU_MATH_HYPOT, IR_F64, 0.0, -0x1p-1074, 0x1p-1074},
        {CPU_MATH_HYPOT, IR_F64, 0x1.8p-1072, 0x1p-1071, 0x1.4p-1071},
        {CPU_MATH_HYPOT, IR_F64, 0x1.8p1022, -0x1p1023, 0x1.4p1023},
        {CPU_MATH_HYPOT, IR_F64, 0x1.8p1023, 0x1.8p1023, INF},
        {CPU_MATH_FMOD, IR_F32, 0x1.fffffep127, 0x1.6p-146, 0x1.4p-146},
        {CPU_MATH_FMOD, IR_F64, -0x1.fffffffffffffp1023, 0x1.8p-1073, -0x1p-1073},
    };
    (void)state;
    for (int l = 0; l < LEVELS; l++)
        for (size_t i = 0; opened[l] && i < sizeof rows / sizeof *rows; i++) {
            enum ir_elem elem = rows[i].elem;
            bool pair = cpu_math_infos[rows[i].function].operands == 2;
            uint64_t x = float_bits_of(elem, (long double)rows[i].x), got;
            uint64_t y = float_bits_of(elem, (long double)rows[i].y);
            struct math_kernel k = {elem, elem, elem, pair, 0, body_call, (int)rows[i].function};
            run(l, &k, &x, &y, 1, &got, 1);
            expect_bits(l, cpu_math_infos[rows[i].function].name, elem, got,
                        float_bits_of(elem, (long double)rows[i].want), x, y);
        }
}

/* Half and double results within one step of the right one, the step at the end of the format. */
static void check_near(enum ir_elem elem, enum cpu_math_function f, unsigned lanes,
                       const uint64_t *x, int count)
{
    static uint64_t got[MOST];
    struct math_kernel k = {elem, elem, elem, false, lanes, body_call, (int)f};
    run(NATIVE, &k, x, NULL, count, got, count);
    for (int i = 0; i < count; i++) {
        long double want = math_reference_long(f)(element_value(elem, x[i]));
        uint64_t rounded = float_bits_of(elem, want);
        if (got[i] + 1 != rounded && got[i] != rounded + 1)
            expect_bits(NATIVE, cpu_math_infos[f].name, elem, got[i], rounded, x[i], 0);
    }
}

static void test_half_and_double(void **state)
{
    enum { COUNT = 1024 };
    uint64_t x[COUNT];
    (void)state;
    for (int f = CPU_MATH_EXP; f < CPU_MATH_COUNT && cpu_math_infos[f].operands == 1; f++) {
        for (uint64_t i = 0; i < COUNT; i++)
            x[i] = i * 64 + 17;
        check_near(IR_F16, (enum cpu_math_function)f, 16, x, COUNT);
        for (int i = 0; i < COUNT; i++)
            x[i] = float_bits_of(IR_F64, (long double)(i - 200) / 37);
        check_near(IR_F64, (enum cpu_math_function)f, 4, x, COUNT);
        for (uint64_t i = 0; i < COUNT; i++) /* beside multiples of pi/2, also beyond 2^20 */
            x[i] = float_bits_of(IR_F64, 1.57079632679489661923L * (long double)(i * i + i)) +
                   i % 3 - 1;
        x[0] = 0;
        check_near(IR_F64, (enum cpu_math_function)f, 8, x, COUNT);
    }
}

/* An element's result depends neither on the vector's length nor on its neighbours, nor on the
 * level: all are compared with scalars on the first. */
static void test_any_length(void **state)
{
    static const unsigned lanes[] = {1, 3, 4, 8, 16, 24, 64};
    enum { COUNT = 64 * 3 * 7 };
    static uint64_t x[COUNT], y[COUNT], want[COUNT], got[COUNT];
    (void)state;
    for (int i = 0; i < COUNT; i++) { /* with some large enough for the slow path of sine */
        x[i] = float_bits_of(IR_F32, (i % 61 == 0 ? 1e20L : 1.0L) * (long double)(i - 300) / 100);
        y[i] = float_bits_of(IR_F32, (long double)(i % 29) / 3);
    }
    for (int f = CPU_MATH_EXP; f < CPU_MATH_COUNT; f++) {
        struct math_kernel k = {IR_F32, IR_F32,    IR_F32, cpu_math_infos[f].operands == 2,
                                0,      body_call, f};
        run(0, &k, x, y, COUNT, want, COUNT);
        for (int l = 0; l < LEVELS; l++)
            for (unsigned n = 0; opened[l] && n < sizeof lanes / sizeof *lanes; n++) {
                k.lanes = lanes[n];
                run(l, &k, x, y, COUNT, got, COUNT);
                for (int i = 0; i < COUNT; i++)
                    expect_bits(l, cpu_math_infos[f].name, IR_F32, got[i], want[i], x[i], y[i]);
            }
    }
}

/* ---- the greater and the lesser */

static LLVMValueRef body_minmax(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                                const struct math_kernel *k)
{
    return cpu_minmax(m, (enum cpu_minmax_op)k->selector, k->a, a, b);
}

static uint64_t reference_minmax(enum cpu_minmax_op op, enum ir_elem elem, uint64_t a, uint64_t b)
{
    bool greater = op == CPU_MAXIMUM || op == CPU_FMAX;
    long double x = element_value(elem, a), y = element_value(elem, b);
    if (isnan(x) || isnan(y)) {
        bool ignore = op == CPU_FMAX || op == CPU_FMIN;
        if (!ignore || (isnan(x) && isnan(y)))
            return float_bits_of(elem, (long double)NAN);
        return isnan(x) ? b : a;
    }
    if (x == y) /* zeros by sign */
        return signbit(x) ? (greater ? b : a) : (greater ? a : b);
    return (x > y) == greater ? a : b;
}

static void test_minmax(void **state)
{
    enum { VALUES = 16, COUNT = VALUES * VALUES };
    uint64_t a[COUNT], b[COUNT], got[COUNT];
    (void)state;
    for (int l = 0; l < LEVELS; l++)
        for (int elem = 0; opened[l] && elem < IR_ELEM_COUNT; elem++) {
            uint64_t mask = UINT64_MAX >> (64 - ir_elems[elem].bits), values[VALUES];
            uint64_t top = mask ^ (mask >> 1); /* the sign bit */
            uint64_t infinity = 0;
            if (ir_is_float((enum ir_elem)elem))
                infinity = float_bits_of((enum ir_elem)elem, (long double)INFINITY);
            const uint64_t some[VALUES] = {0,
                                           1,
                                           2,
                                           top,
                                           top | 1,
                                           mask,
                                           mask >> 1,
                                           infinity,
                                           top | infinity,
                                           infinity | 1, /* signalling */
                                           top | infinity | 3,
                                           infinity | (infinity >> 1),
                                           77,
                                           78,
                                           infinity - 1,
                                           top | (infinity - 1)};
            for (int i = 0; i < VALUES; i++)
                values[i] = elem == IR_BOOL ? some[i] & 1 : some[i] & mask;
            for (int i = 0; i < COUNT; i++) {
                a[i] = values[i % VALUES];
                b[i] = values[i / VALUES];
            }
            for (int op = CPU_MAXIMUM; op <= CPU_FMIN; op++)
                for (unsigned lanes = 0; lanes <= 16; lanes += lanes ? 12 : 4) {
                    enum ir_elem e = (enum ir_elem)elem;
                    struct math_kernel k = {e, e, e, true, lanes, body_minmax, op};
                    run(l, &k, a, b, COUNT, got, COUNT);
                    for (int i = 0; i < COUNT; i++)
                        expect_bits(l, "minmax", e, got[i],
                                    reference_minmax((enum cpu_minmax_op)op, e, a[i], b[i]), a[i],
                                    b[i]);
                }
        }
}

/* ---- integers */

enum integer_op { DIV, REM, CDIV, SHL, SHR };
static const char *const integer_op_names[] = {"div", "rem", "cdiv", "shl", "shr"};

static LLVMValueRef body_integer(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                                 const struct math_kernel *k)
{
    switch ((enum integer_op)k->selector) {
    case DIV:
        return cpu_int_div(m, k->a, a, b);
    case REM:
        return cpu_int_rem(m, k->a, a, b);
    case CDIV:
        return cpu_int_cdiv(m, k->a, a, b);
    case SHL:
        return cpu_int_shl(m, k->a, a, b);
    case SHR:
        return cpu_int_shr(m, k->a, a, b);
    }
    return a;
}

static uint64_t reference_integer(enum integer_op op, enum ir_elem elem, uint64_t a, uint64_t b)
{
    unsigned width = ir_elems[elem].bits;
    uint64_t mask = UINT64_MAX >> (64 - width);
    __int128 x = (__int128)element_value(elem, a), y = (__int128)element_value(elem, b);
    unsigned count = (unsigned)b & (width - 1);
    switch (op) {
    case DIV:
        return y == 0 ? 0 : (uint64_t)(x / y) & mask;
    case REM:
        return y == 0 ? a : (uint64_t)(x % y) & mask;
    case CDIV:
        if (y == 0)
            return 0;
        return (uint64_t)(x / y + (x % y != 0 && (x < 0) == (y < 0))) & mask;
    case SHL:
        return a << count & mask;
    case SHR:
        return (uint64_t)(x >> count) & mask;
    }
    return 0;
}

static uint64_t scramble(uint64_t x)
{
    x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* Small, large and edge operands; 16 pairs share their magnitude, so that both the quick and the
 * slow way of 64-bit division are taken. */
static void fill_integers(enum ir_elem elem, uint64_t *a, uint64_t *b, int count)
{
    unsigned width = ir_elems[elem].bits;
    uint64_t mask = UINT64_MAX >> (64 - width), top = mask ^ (mask >> 1);
    const uint64_t wide = UINT64_C(1) << 51; /* where 64-bit division changes its way */
    const uint64_t edges[] = {0,       1,       2, 3,  mask, mask - 1, top,
                              top - 1, top + 1, 7, 10, wide, wide - 1, 4 * wide};
    enum { EDGES = sizeof edges / sizeof *edges };
    for (int i = 0; i < count; i++) {
        unsigned cut = (unsigned)(scramble((uint64_t)i / 16) >> 40) % width;
        a[i] = scramble((uint64_t)i) >> (64 - width) >> cut;
        b[i] = scramble((uint64_t)i + 100000) >> (64 - width) >> cut >> (i % 3 ? width / 4 : 0);
        if (i < EDGES * EDGES) {
            a[i] = edges[i % EDGES];
            b[i] = edges[i / EDGES];
        } else if (i % 5 == 0) {
            a[i] = -a[i];
            b[i] = i % 2 ? -b[i] : b[i];
        }
        a[i] &= mask;
        b[i] &= mask;
    }
}

static void test_integers(void **state)
{
    static const unsigned lanes[] = {0, 3, 16};
    static uint64_t a[MOST], b[MOST], got[MOST];
    (void)state;
    for (int l = 0; l < LEVELS; l++)
        for (int elem = IR_I8; opened[l] && elem <= IR_U64; elem++) {
            int count = MOST / 96 * 96;
            enum ir_elem e = (enum ir_elem)elem;
            fill_integers(e, a, b, count);
            for (int op = DIV; op <= SHR; op++)
                for (int n = 0; n < 3; n++) {
                    struct math_kernel k = {e, e, e, true, lanes[n], body_integer, op};
                    run(l, &k, a, b, count, got, count);
                    for (int i = 0; i < count; i++)
                        expect_bits(l, integer_op_names[op], e, got[i],
                                    reference_integer((enum integer_op)op, e, a[i], b[i]), a[i],
                                    b[i]);
                }
        }
}

/* By a constant, which takes its own way. */
static LLVMValueRef body_by_constant(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                                     const struct math_kernel *k)
{
    LLVMValueRef element = LLVMConstInt(cpu_elem_type(m, k->a), (uint64_t)(int64_t)k->selector, 1);
    LLVMValueRef divisor[8];
    (void)b;
    for (int i = 0; i < 8; i++)
        divisor[i] = element;
    LLVMValueRef d = LLVMConstVector(divisor, 8);
    return LLVMBuildXor(m->builder, cpu_int_div(m, k->a, a, d), cpu_int_rem(m, k->a, a, d), "");
}

static void test_constant_divisors(void **state)
{
    static const int divisors[] = {0, 1, 2, 3, 7, 64, 100, -1, -2, -7};
    static uint64_t a[MOST], b[MOST], got[MOST];
    (void)state;
    for (int elem = IR_I8; elem <= IR_U64; elem++)
        for (unsigned d = 0; d < sizeof divisors / sizeof *divisors; d++) {
            enum ir_elem e = (enum ir_elem)elem;
            uint64_t divisor = (uint64_t)(int64_t)divisors[d];
            divisor &= UINT64_MAX >> (64 - ir_elems[e].bits);
            struct math_kernel k = {e, e, e, false, 8, body_by_constant, divisors[d]};
            fill_integers(e, a, b, MOST);
            run(NATIVE, &k, a, NULL, MOST, got, MOST);
            for (int i = 0; i < MOST; i++)
                expect_bits(NATIVE, "div by constant", e, got[i],
                            reference_integer(DIV, e, a[i], divisor) ^
                                reference_integer(REM, e, a[i], divisor),
                            a[i], divisor);
        }
}

/* ---- reductions */

static LLVMValueRef body_reduce(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                                const struct math_kernel *k)
{
    (void)b;
    return cpu_reduce(m, (enum cpu_reduction)k->selector, k->a, a);
}

/* The order that math.h states, in float. */
static float tree_sum(const float *v, int n)
{
    float half[64] = {0}, last = 0;
    if (n == 1)
        return v[0];
    for (int i = 0; i < n / 2; i++)
        half[i] = v[i] + v[i + n / 2];
    last = v[n - 1];
    float sum = tree_sum(half, n / 2);
    return n % 2 ? sum + last : sum;
}

static void test_reduce_order(void **state)
{
    static const unsigned lanes[] = {1, 2, 3, 5, 7, 8, 12, 16, 24, 31, 32, 64};
    uint64_t x[64], got[1];
    float values[64];
    (void)state;
    for (int i = 0; i < 64; i++) {
        values[i] = (float)(scramble((uint64_t)i) >> 40) * 1e-3f - 7000.0f;
        x[i] = float_bits_of(IR_F32, (long double)values[i]);
    }
    for (int l = 0; l < LEVELS; l++)
        for (unsigned n = 0; opened[l] && n < sizeof lanes / sizeof *lanes; n++) {
            struct math_kernel k = {IR_F32,   IR_F32,      IR_F32,        false,
                                    lanes[n], body_reduce, CPU_REDUCE_SUM};
            run(l, &k, x, NULL, (int)lanes[n], got, 1);
            float want = tree_sum(values, (int)lanes[n]);
            expect_bits(l, "sum", IR_F32, got[0], float_bits_of(IR_F32, (long double)want),
                        lanes[n], 0);
        }
}

static void test_reduce_values(void **state)
{
    static const struct {
        enum cpu_reduction op;
        enum ir_elem elem;
        uint64_t in[8], want;
    } cases[] = {
        {CPU_REDUCE_SUM, IR_I32, {1, 2, 3, 4, 5, 6, 7, 0xffffffff}, 27},
        {CPU_REDUCE_PROD, IR_U8, {1, 2, 3, 4, 5, 6, 1, 1}, 720 & 255},
        {CPU_REDUCE_MAX, IR_I8, {0x80, 0x81, 0xff, 3, 2, 1, 0, 0xfe}, 3},
        {CPU_REDUCE_MAX, IR_U8, {0x80, 0x81, 0xff, 3, 2, 1, 0, 0xfe}, 0xff},
        {CPU_REDUCE_MIN, IR_I8, {0x80, 0x81, 0xff, 3, 2, 1, 0, 0xfe}, 0x80},
        {CPU_REDUCE_AND, IR_BOOL, {1, 1, 1, 1, 1, 1, 1, 1}, 1},
        {CPU_REDUCE_AND, IR_BOOL, {1, 1, 1, 0, 1, 1, 1, 1}, 0},
        {CPU_REDUCE_OR, IR_BOOL, {0, 0, 0, 0, 0, 0, 1, 0}, 1},
        {CPU_REDUCE_OR, IR_U16, {1, 2, 4, 8, 16, 32, 64, 0x8000}, 0x807f},
        {CPU_REDUCE_MAX, IR_F16, {0x8000, 0x8000, 0, 0x8000, 0x8001, 0xfc00, 0x8000, 0xbc00}, 0},
        {CPU_REDUCE_MIN, IR_BF16, {0x8000, 0, 0, 0, 1, 0x7f80, 0, 0x3f80}, 0x8000},
        {CPU_REDUCE_MAX, IR_BF16, {0x3f80, 0x7f80, 0x7f81, 0, 0, 0, 0, 0}, 0x7fc0},
        {CPU_REDUCE_MAX, IR_F32, {0x3f800000, 0, 0, 0x7fc00000, 0x7f800000, 0, 0, 0}, 0x7fc00000},
        {CPU_REDUCE_MIN, IR_F32, {0x3f800000, 0, 0, 0, 0xff800000, 0, 0x7f800001, 0}, 0x7fc00000},
    };
    uint64_t got[1];
    (void)state;
    for (int l = 0; l < LEVELS; l++)
        for (unsigned i = 0; opened[l] && i < sizeof cases / sizeof *cases; i++) {
            enum ir_elem e = cases[i].elem;
            struct math_kernel k = {e, e, e, false, 8, body_reduce, (int)cases[i].op};
            run(l, &k, cases[i].in, NULL, 8, got, 1);
            expect_bits(l, "reduction", e, got[0], cases[i].want, i, 0);
        }
}

/* ---- conversions: the cases that others got wrong; soak_math has the rest */

static LLVMValueRef body_convert(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                                 const struct math_kernel *k)
{
    (void)b;
    return cpu_convert(m, a, k->a, k->out);
}

static const struct {
    enum ir_elem from, to;
    uint64_t in, want;
} conversions[] = {
    {IR_F32, IR_I8, 0x43960000, 127}, /* 300 */
    {IR_F32, IR_U8, 0x43960000, 255},
    {IR_F32, IR_U8, 0xbf800000, 0},           /* -1 */
    {IR_F32, IR_I32, 0x4f32d05e, 0x7fffffff}, /* 3e9 */
    {IR_F32, IR_I32, 0xcf32d05e, 0x80000000},
    {IR_F32, IR_I32, 0x7fc00000, 0},                  /* NaN */
    {IR_F32, IR_I64, 0x7f800000, 0x7fffffffffffffff}, /* infinity */
    {IR_F32, IR_U64, 0x5f800000, UINT64_MAX},         /* 2^64 */
    {IR_F32, IR_I32, 0xbfffffff, 0xffffffff},         /* -1.9999999 to -1 */
    {IR_F64, IR_I32, 0x41dfffffffffffff, 0x7fffffff}, /* just below 2^31 */
    {IR_F32, IR_F16, 0x477ff000, 0x7c00},             /* 65520 to infinity */
    {IR_F32, IR_F16, 0x477fefff, 0x7bff},             /* just below, to 65504 */
    {IR_F32, IR_F16, 0x7149f2ca, 0x7c00},             /* 1e30 */
    {IR_F32, IR_F16, 0x33000000, 0},                  /* 2^-25, a tie */
    {IR_F32, IR_F16, 0x33000001, 1},
    {IR_F32, IR_BF16, 0x3f808000, 0x3f80}, /* a tie, to even */
    {IR_F32, IR_BF16, 0x3f818000, 0x3f82},
    {IR_F32, IR_BF16, 0x3f808001, 0x3f81},
    {IR_F32, IR_BF16, 0x7f800001, 0x7fc0}, /* NaN with its payload low */
    {IR_F32, IR_BF16, 0xffffffff, 0xffff},
    {IR_F32, IR_BF16, 0x00018000, 0x0002}, /* subnormals are kept */
    {IR_F32, IR_BF16, 0x807fffff, 0x8080},
    {IR_F32, IR_BF16, 0x7f7fffff, 0x7f80},
    {IR_BF16, IR_F32, 0x8001, 0x80010000},
    {IR_F16, IR_F32, 0x0001, 0x33800000},
    {IR_F64, IR_F16, 0x3ff0020000000001, 0x3c01}, /* above a tie by less than float sees */
    {IR_F64, IR_BF16, 0x3ff0100000000001, 0x3f81},
    {IR_F64, IR_BF16, 0x3ff0100000000000, 0x3f80},
    {IR_F64, IR_F16, 0x7ff0000000000001, 0x7e00},
    {IR_F64, IR_F32, 0x7ff0000000000001, 0x7fc00000},
    {IR_F64, IR_F16, 0x0000000000000001, 0},
    {IR_I32, IR_BF16, 0x01010001, 0x4b81}, /* 2^24 + 2^16 + 1: once, upward */
    {IR_I64, IR_BF16, 0x4040000000000001, 0x5e81},
    {IR_U64, IR_BF16, UINT64_MAX, 0x5f80},
    {IR_U64, IR_F32, 0x8000008000000001, 0x5f000001},
    {IR_I64, IR_F16, 65519, 0x7bff},
    {IR_I64, IR_F16, 65520, 0x7c00},
    {IR_U8, IR_F32, 200, 0x43480000},
    {IR_I8, IR_U64, 0xfe, UINT64_MAX - 1},
    {IR_I32, IR_I8, 0x181, 0x81},
    {IR_BOOL, IR_BF16, 1, 0x3f80},
    {IR_BOOL, IR_I8, 1, 1},
    {IR_F32, IR_BOOL, 0x80000000, 0}, /* -0 */
    {IR_F32, IR_BOOL, 0x00000001, 1},
    {IR_F16, IR_BOOL, 0x8000, 0},
    {IR_BF16, IR_BOOL, 0x7fc0, 1},
    {IR_I64, IR_BOOL, 0x100000000, 1},
};

static void test_conversions(void **state)
{
    static const unsigned lanes[] = {0, 8, 24};
    uint64_t in[24], got[24];
    (void)state;
    for (unsigned c = 0; c < sizeof conversions / sizeof *conversions; c++) {
        enum ir_elem from = conversions[c].from, to = conversions[c].to;
        assert_true(reference_convert(conversions[c].in, from, to) == conversions[c].want ||
                    element_is_nan(to, conversions[c].want)); /* the reference itself */
        for (int i = 0; i < 24; i++)
            in[i] = conversions[c].in;
        for (int l = 0; l < LEVELS; l++)
            for (int n = 0; opened[l] && n < 3; n++) {
                struct math_kernel k = {from, from, to, false, lanes[n], body_convert, 0};
                int count = lanes[n] ? (int)lanes[n] : 1;
                run(l, &k, in, NULL, count, got, count);
                for (int i = 0; i < count; i++)
                    expect_bits(l, ir_elems[from].name, to, got[i], conversions[c].want, in[i], 0);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_half_and_double),
        cmocka_unit_test(test_any_length),
        cmocka_unit_test(test_minmax),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_constant_divisors),
        cmocka_unit_test(test_reduce_order),
        cmocka_unit_test(test_reduce_values),
        cmocka_unit_test(test_conversions),
    };
    return cmocka_run_group_tests(tests, open_levels, close_levels);
}
