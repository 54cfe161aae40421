/*
 * half and bfloat: literal cases, and all 2^16 values against the two neighbours that rounding must
 * choose between.
 */
#include "base/half.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void half_literals(void **state)
{
    (void)state;
    assert_int_equal(half_from_double(1.0f), 0x3c00);
    assert_int_equal(half_from_double(-2.0f), 0xc000);
    assert_int_equal(half_from_double(-0.0f), 0x8000);
    assert_int_equal(half_from_double(65504.0f), 0x7bff);
    assert_int_equal(half_from_double(65519.996f), 0x7bff);
    assert_int_equal(half_from_double(65520.0f), 0x7c00); /* the tie goes to even: infinity */
    assert_int_equal(half_from_double(1e30f), 0x7c00);
    assert_int_equal(half_from_double(0x1p-24f), 0x0001);
    assert_int_equal(half_from_double(0x1p-25f), 0x0000); /* tie to even */
    assert_int_equal(half_from_double(0x1.0000000000001p-25), 0x0001);
    assert_int_equal(half_from_double(0x1.ffcp-15), 0x0400); /* up into the normals, tie */
    assert_int_equal(half_from_double(0x1.ff8p-15), 0x03ff);
    assert_int_equal(half_from_double(1e-300), 0x0000);
    assert_int_equal(half_from_double(INFINITY), 0x7c00);
    /* One rounding: through float this would be a tie and go to 1. */
    assert_int_equal(half_from_double(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
    assert_int_equal(half_from_int64(-65520), 0xfc00);
    assert_int_equal(half_from_int64(2049), 0x6800); /* 2048 */
    assert_int_equal(half_from_uint64(UINT64_MAX), 0x7c00);
}

static void bfloat_literals(void **state)
{
    (void)state;
    assert_int_equal(bfloat_from_double(1.0f), 0x3f80);
    assert_int_equal(bfloat_from_double(1.00390625f), 0x3f80); /* 1 + 2^-8: tie to even */
    assert_int_equal(bfloat_from_double(1.01171875f), 0x3f82); /* 1 + 3 2^-8: tie to even */
    assert_int_equal(bfloat_from_double(1.0039064f), 0x3f81);  /* just above the tie */
    assert_int_equal(bfloat_from_double(0x1p-133f), 0x0001);   /* smallest subnormal */
    assert_int_equal(bfloat_from_double(3.4e38f), 0x7f80);
    assert_int_equal(bfloat_from_double(1e300), 0x7f80);
    assert_int_equal(bfloat_from_int64(257), 0x4380); /* 256 */
    assert_int_equal(bfloat_from_int64(259), 0x4382); /* 260 */
    assert_int_equal(bfloat_from_int64(-258), 0xc381);
    /* 2^62 + 2^54 + 1 is just above a tie; through double it would be the tie itself. */
    assert_int_equal(bfloat_from_int64((INT64_C(1) << 62) + (INT64_C(1) << 54) + 1), 0x5e81);
    assert_int_equal(bfloat_from_int64((INT64_C(1) << 62) + (INT64_C(1) << 54)), 0x5e80);
    assert_int_equal(bfloat_from_uint64(UINT64_MAX), 0x5f80);
    assert_int_equal(bfloat_from_int64(INT64_MIN), 0xdf00);
}

static void nan_stays_nan(void **state)
{
    (void)state;
    /* A payload that sits in the bits that are cut off must not become infinity. */
    union {
        uint32_t bits;
        float value;
    } nan = {.bits = 0xff800001};
    assert_true(isnan(half_to_float(half_from_double(nan.value))));
    assert_true(isnan(bfloat_to_float(bfloat_from_double(nan.value))));
    assert_true(signbit(half_to_float(half_from_double(nan.value))));
    assert_true(isnan(half_to_float(0x7c01)));
}

static void every_half(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x7c00; bits++) {
        double value = half_to_float((uint16_t)bits);
        /* The next one: for the largest half, where infinity's place would be. */
        double next = bits == 0x7bff ? 65536.0 : half_to_float((uint16_t)(bits + 1));
        double middle = (value + next) / 2;
        assert_int_equal(half_from_double(value), bits);
        assert_int_equal(half_from_double(-value), bits | 0x8000);
        assert_int_equal(half_from_double(middle), bits + (bits & 1));
        assert_int_equal(half_from_double(nextafter(middle, 0)), bits);
        assert_int_equal(half_from_double(nextafter(middle, INFINITY)), bits + 1);
    }
}

static void every_bfloat(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x7f80; bits++) {
        double value = bfloat_to_float((uint16_t)bits);
        double next = bits == 0x7f7f ? 0x1p128 : bfloat_to_float((uint16_t)(bits + 1));
        double middle = (value + next) / 2;
        assert_int_equal(bfloat_from_double(value), bits);
        assert_int_equal(bfloat_from_double(-value), bits | 0x8000);
        assert_int_equal(bfloat_from_double(middle), bits + (bits & 1));
        assert_int_equal(bfloat_from_double(nextafter(middle, 0)), bits);
        assert_int_equal(bfloat_from_double(nextafter(middle, INFINITY)), bits + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_literals), cmocka_unit_test(bfloat_literals),
        cmocka_unit_test(nan_stays_nan), cmocka_unit_test(every_half),
        cmocka_unit_test(every_bfloat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
