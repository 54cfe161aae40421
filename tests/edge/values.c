/*
 * Elementwise edge values: one table.
 *
 * A row is an expression over a and b of one type, the two operands, and the result as the bits of
 * the type that it is stored as. The operands stand as text, which both the kernel language and C
 * read; so one row gives a kernel with literals and data for a kernel that loads them.
 */
#include "edge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *expression;
    tilec_type operand;
    uint64_t a, b;
    const char *a_text, *b_text;
    tilec_type result;
    uint64_t expected;
};

static uint64_t bits_of(tilec_type type, double real, int64_t integer)
{
    return type < TILEC_F16 ? tilec_int(type, integer).bits : tilec_float(type, real).bits;
}

/* Operands as integers, or as reals; the expected result likewise. bits_of is no constant, so the
 * table is filled at run time. */
#define OPERANDS_I(type, x, y) type, bits_of(type, 0, x), bits_of(type, 0, y), #x, #y
#define OPERANDS_F(type, x, y) type, bits_of(type, x, 0), bits_of(type, y, 0), #x, #y
#define GIVES_I(type, x) type, bits_of(type, 0, x)
#define GIVES_F(type, x) type, bits_of(type, x, 0)
#define GIVES_BITS(type, x) type, x

#define I8 TILEC_I8
#define U8 TILEC_U8
#define I16 TILEC_I16
#define I32 TILEC_I32
#define U32 TILEC_U32
#define I64 TILEC_I64
#define U64 TILEC_U64
#define F16 TILEC_F16
#define BF16 TILEC_BF16
#define F32 TILEC_F32
#define F64 TILEC_F64
#define B TILEC_BOOL

#define INT32_LEAST (-2147483647 - 1)
#define INT64_LEAST (-9223372036854775807 - 1)

/* ---- running a table ------------------------------------------------------------------------ */

/* Not a multiple of any vector; the last elements go through the tail. */
enum { WIDTH = 19, MOST_ROWS = 128 };

enum variant { LITERALS, SCALARS, TILES, VARIANTS };

static const char *const type_names[] = {"bool",    "int8_t",   "int16_t",  "int32_t",  "int64_t",
                                         "uint8_t", "uint16_t", "uint32_t", "uint64_t", "half",
                                         "bfloat",  "float",    "double"};

static size_t append(char *text, size_t used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static size_t append(char *text, size_t used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + used, 1 << 16, format, arguments);
    va_end(arguments);
    return used + (size_t)length;
}

/* How many types a target has: the first of them; the last is double. */
static int type_count(const char *target)
{
    return edge_has_double(target) ? TILEC_F64 + 1 : TILEC_F64;
}

static bool takes_part(const struct row *row, tilec_type operand, const char *target)
{
    return row->operand == operand && (int)row->result < type_count(target);
}

/* Each row in a block of its own; rows of another operand type are left out. */
static void write_kernel(char *text, const struct row *rows, size_t count, tilec_type operand,
                         const char *target, enum variant variant)
{
    const char *name = type_names[operand];
    size_t used = append(text, 0,
                         "#include <tilec/kernel.h>\n"
                         "#define INT32_LEAST (-2147483647 - 1)\n"
                         "#define INT64_LEAST (-9223372036854775807 - 1)\n"
                         "launch_grid(k, 1);\nkernel void k(const %s *P, const %s *Q",
                         name, name);
    for (int type = 0; type < type_count(target); type++)
        used = append(text, used, ", %s *O%d", type_names[type], type);
    used = append(text, used, ")\n{\n");
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        if (!takes_part(row, operand, target))
            continue;
        int at = (int)i * WIDTH;
        const char *place = variant == TILES ? " + arange(0, 19)" : "";
        if (variant == LITERALS)
            used = append(text, used, "    { %s a = cast(%s, %s), b = cast(%s, %s); ", name, name,
                          row->a_text, name, row->b_text);
        else
            used = append(text, used, "    { %s a = load(P + %d%s), b = load(Q + %d%s); ", name, at,
                          place, at, place);
        used = append(text, used, "store(O%d + %d%s, %s); }\n", row->result, at, place,
                      row->expression);
    }
    append(text, used, "}\n");
}

static bool is_nan(tilec_type type, uint64_t bits)
{
    static const uint64_t infinities[] = {0x7c00, 0x7f80, 0x7f800000, 0x7ff0000000000000};
    static const int widths[] = {16, 16, 32, 64};
    if (type < TILEC_F16)
        return false;
    uint64_t sign = UINT64_C(1) << (widths[type - TILEC_F16] - 1);
    return (bits & ~sign) > infinities[type - TILEC_F16];
}

static void check_row(const struct row *row, const char *target, enum variant variant,
                      uint64_t bits)
{
    static const char *const names[] = {"literals", "loaded scalars", "loaded tiles"};
    bool nan = is_nan(row->result, row->expected);
    if (nan ? is_nan(row->result, bits) : bits == row->expected)
        return;
    fail_msg("%s with a = %s, b = %s (%s) as %s, %s on %s: 0x%llx, expected 0x%llx",
             row->expression, row->a_text, row->b_text, type_names[row->operand],
             type_names[row->result], names[variant], target, (unsigned long long)bits,
             (unsigned long long)row->expected);
}

struct data {
    char text[1 << 17];
    unsigned char operands[2][MOST_ROWS * WIDTH * 8];
    unsigned char results[TILEC_F64 + 1][MOST_ROWS * WIDTH * 8];
};

static void run_variant(struct data *data, const struct row *rows, size_t count, tilec_type operand,
                        const char *target, enum variant variant)
{
    tilec_argument arguments[2 + TILEC_F64 + 1];
    int64_t elements = (int64_t)count * WIDTH;
    memset(data->results, 0x77, sizeof data->results);
    for (int i = 0; i < 2; i++)
        arguments[i] = tilec_array(operand, data->operands[i], elements);
    int types = type_count(target);
    for (int type = 0; type < types; type++)
        arguments[2 + type] = tilec_array((tilec_type)type, data->results[type], elements);
    write_kernel(data->text, rows, count, operand, target, variant);
    edge_run_unchecked(target, data->text, arguments, 2 + (size_t)types);
    for (size_t i = 0; i < count; i++) {
        if (!takes_part(&rows[i], operand, target))
            continue;
        size_t size = tilec_type_size(rows[i].result);
        for (size_t lane = 0; lane < (variant == TILES ? WIDTH : 1); lane++) {
            uint64_t bits = 0;
            memcpy(&bits, data->results[rows[i].result] + (i * WIDTH + lane) * size, size);
            check_row(&rows[i], target, variant, bits);
        }
    }
}

static bool has_operand(const struct row *rows, size_t count, tilec_type operand)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].operand == operand)
            return true;
    return false;
}

static void check_rows(const struct row *rows, size_t count)
{
    struct data *data = calloc(1, sizeof *data);
    assert_non_null(data);
    assert_true(count <= MOST_ROWS);
    for (int operand = 0; operand <= TILEC_F64; operand++) {
        if (!has_operand(rows, count, (tilec_type)operand))
            continue;
        size_t size = tilec_type_size((tilec_type)operand);
        for (size_t i = 0; i < count * WIDTH; i++) {
            memcpy(data->operands[0] + i * size, &rows[i / WIDTH].a, size);
            memcpy(data->operands[1] + i * size, &rows[i / WIDTH].b, size);
        }
        FOR_EACH_TARGET(target)
        for (int variant = 0; variant < VARIANTS && operand < type_count(target); variant++)
            run_variant(data, rows, count, (tilec_type)operand, target, (enum variant)variant);
    }
    free(data);
}

#define VALUE_TEST(name, ...)                                                                      \
    static void name(void **state)                                                                 \
    {                                                                                              \
        const struct row rows[] = {__VA_ARGS__};                                                   \
        (void)state;                                                                               \
        check_rows(rows, sizeof rows / sizeof *rows);                                              \
    }

/* ---- the tables ---------------------------------------------------------------------------- */

/* clang-format off */

/* -7 / 2, -7 % 2, 7 / -2, INT_MIN / -1, x / 0, as literals and loaded; cdiv of negatives: no trap */
VALUE_TEST(division,
    {"a / b", OPERANDS_I(I32, -7, 2), GIVES_I(I32, -3)},
    {"a % b", OPERANDS_I(I32, -7, 2), GIVES_I(I32, -1)},
    {"a / b", OPERANDS_I(I32, 7, -2), GIVES_I(I32, -3)},
    {"a % b", OPERANDS_I(I32, 7, -2), GIVES_I(I32, 1)},
    {"a / b", OPERANDS_I(I32, INT32_LEAST, -1), GIVES_I(I32, INT32_LEAST)},
    {"a % b", OPERANDS_I(I32, INT32_LEAST, -1), GIVES_I(I32, 0)},
    {"a / b", OPERANDS_I(I64, INT64_LEAST, -1), GIVES_I(I64, INT64_LEAST)},
    {"a % b", OPERANDS_I(I64, INT64_LEAST, -1), GIVES_I(I64, 0)},
    {"a / b", OPERANDS_I(I32, 5, 0), GIVES_I(I32, 0)},
    {"a % b", OPERANDS_I(I32, -5, 0), GIVES_I(I32, -5)},
    {"a / b", OPERANDS_I(U8, 200, 0), GIVES_I(U8, 0)},
    {"a % b", OPERANDS_I(U64, 200, 0), GIVES_I(U64, 200)},
    {"a / b", OPERANDS_I(U32, -1, 2), GIVES_I(U32, 0x7fffffff)},
    {"a / b", OPERANDS_I(I8, -128, -1), GIVES_I(I32, 128)}, /* promoted: no overflow */
    {"cdiv(a, b)", OPERANDS_I(I32, 7, 2), GIVES_I(I32, 4)},
    {"cdiv(a, b)", OPERANDS_I(I32, -7, 2), GIVES_I(I32, -3)},
    {"cdiv(a, b)", OPERANDS_I(I32, 7, -2), GIVES_I(I32, -3)},
    {"cdiv(a, b)", OPERANDS_I(I32, -7, -2), GIVES_I(I32, 4)},
    {"cdiv(a, b)", OPERANDS_I(I32, 7, 0), GIVES_I(I32, 0)},
    {"a + b", OPERANDS_I(I32, 2147483647, 1), GIVES_I(I32, INT32_LEAST)},
    {"a * b", OPERANDS_I(I64, INT64_LEAST, -1), GIVES_I(I64, INT64_LEAST)},
    {"-a", OPERANDS_I(I32, INT32_LEAST, 0), GIVES_I(I32, INT32_LEAST)},
    {"abs(a)", OPERANDS_I(I32, INT32_LEAST, 0), GIVES_I(I32, INT32_LEAST)},
    {"(a & 15) - 8", OPERANDS_I(U8, 0x13, 0), GIVES_I(I32, -5)},
    {"a - b", OPERANDS_I(U32, 1, 2), GIVES_I(U32, -1)})

/* 1 << 31, x << 32, x >> 33, a negative count, 8-bit shifts: count modulo width */
VALUE_TEST(shifts,
    {"a << b", OPERANDS_I(I32, 1, 31), GIVES_I(I32, INT32_LEAST)},
    {"a << b", OPERANDS_I(I32, 5, 32), GIVES_I(I32, 5)},
    {"a >> b", OPERANDS_I(I32, 8, 33), GIVES_I(I32, 4)},
    {"a << b", OPERANDS_I(I32, 1, -1), GIVES_I(I32, INT32_LEAST)},
    {"a >> b", OPERANDS_I(I32, -8, 1), GIVES_I(I32, -4)},
    {"a >> b", OPERANDS_I(U32, -8, 1), GIVES_I(U32, 0x7ffffffc)},
    {"a << b", OPERANDS_I(I64, 1, 63), GIVES_I(I64, INT64_LEAST)},
    {"a >> b", OPERANDS_I(U64, -1, 64), GIVES_I(U64, -1)},
    {"a << b", OPERANDS_I(U8, 255, 1), GIVES_I(I32, 510)}, /* promoted to 32 bits */
    {"a << b", OPERANDS_I(U8, 1, 8), GIVES_I(I32, 256)},
    {"a << b", OPERANDS_I(U8, 255, 1), GIVES_I(U8, 254)},
    {"a >> b", OPERANDS_I(I8, -128, 7), GIVES_I(I8, -1)},
    {"a << b", OPERANDS_I(I8, 3, 33), GIVES_I(I32, 6)})

/* popcount, clz and ctz of 0 and of the least number; mulhi of the greatest and the least, in every width */
VALUE_TEST(bits_and_high_products,
    {"popcount(a)", OPERANDS_I(I8, -1, 0), GIVES_I(I8, 8)},
    {"popcount(a)", OPERANDS_I(I64, INT64_LEAST, 0), GIVES_I(I64, 1)},
    {"clz(a)", OPERANDS_I(I16, 0, 0), GIVES_I(I16, 16)},
    {"clz(a)", OPERANDS_I(I32, INT32_LEAST, 0), GIVES_I(I32, 0)},
    {"ctz(a)", OPERANDS_I(I8, -128, 0), GIVES_I(I8, 7)},
    {"ctz(a)", OPERANDS_I(U8, 0, 0), GIVES_I(U8, 8)},
    {"ctz(a)", OPERANDS_I(I16, 0, 0), GIVES_I(I16, 16)},
    {"ctz(a)", OPERANDS_I(I16, -12, 0), GIVES_I(I16, 2)},
    {"ctz(a)", OPERANDS_I(I32, 0, 0), GIVES_I(I32, 32)},
    {"ctz(a)", OPERANDS_I(I32, INT32_LEAST, 0), GIVES_I(I32, 31)},
    {"ctz(a)", OPERANDS_I(U32, -1, 0), GIVES_I(U32, 0)},
    {"ctz(a)", OPERANDS_I(I64, 0, 0), GIVES_I(I64, 64)},
    {"ctz(a)", OPERANDS_I(U64, INT64_LEAST, 0), GIVES_I(U64, 63)},
    {"ctz(a > b)", OPERANDS_I(I32, 0, 0), GIVES_I(I32, 32)},
    {"mulhi(a, b)", OPERANDS_I(I8, -128, -128), GIVES_I(I8, 64)},
    {"mulhi(a, b)", OPERANDS_I(U8, 255, 255), GIVES_I(U8, 254)},
    {"mulhi(a, b)", OPERANDS_I(I16, -32768, 32767), GIVES_I(I16, -16384)},
    {"mulhi(a, b)", OPERANDS_I(I16, -1, 1), GIVES_I(I16, -1)},
    {"mulhi(a, b)", OPERANDS_I(I32, INT32_LEAST, INT32_LEAST), GIVES_I(I32, 1073741824)},
    {"mulhi(a, b)", OPERANDS_I(I32, -1, 1), GIVES_I(I32, -1)},
    {"mulhi(a, b)", OPERANDS_I(I32, 1000000007, 1000000007), GIVES_I(I32, 232830646)},
    {"mulhi(a, b)", OPERANDS_I(U32, -1, -1), GIVES_I(U32, -2)},
    {"mulhi(a, b)", OPERANDS_I(U32, -1, 1), GIVES_I(U32, 0)},
    {"mulhi(a, b)", OPERANDS_I(I64, INT64_LEAST, INT64_LEAST), GIVES_I(I64, 4611686018427387904)},
    {"mulhi(a, b)", OPERANDS_I(I64, INT64_LEAST, 1), GIVES_I(I64, -1)},
    {"mulhi(a, b)", OPERANDS_I(I64, 4294967296, -4294967296), GIVES_I(I64, -1)},
    {"mulhi(a, b)", OPERANDS_I(U64, -1, -1), GIVES_I(U64, -2)},
    {"mulhi(a, b)", OPERANDS_I(U64, INT64_LEAST, 6), GIVES_I(U64, 3)},
    {"mulhi(a, b)", OPERANDS_I(U64, 0, -1), GIVES_I(U64, 0)})

/* max of NaN; fmax ignores it; maximum(1, NaN) and maximum(NaN, 1) folded and not; -0.0 < +0.0 */
VALUE_TEST(nan_order,
    {"maximum(a, b)", OPERANDS_F(F32, 1.0f, NAN), GIVES_F(F32, NAN)},
    {"maximum(a, b)", OPERANDS_F(F32, NAN, 1.0f), GIVES_F(F32, NAN)},
    {"minimum(a, b)", OPERANDS_F(F32, 1.0f, NAN), GIVES_F(F32, NAN)},
    {"maximum(a, b)", OPERANDS_F(F16, NAN, 1.0f), GIVES_F(F16, NAN)},
    {"maximum(a, b)", OPERANDS_F(BF16, 1.0f, NAN), GIVES_F(BF16, NAN)},
    {"maximum(a, b)", OPERANDS_F(F64, 1.0f, NAN), GIVES_F(F64, NAN)},
    {"fmax(a, b)", OPERANDS_F(F32, 1.0f, NAN), GIVES_F(F32, 1)},
    {"fmax(a, b)", OPERANDS_F(F32, NAN, 1.0f), GIVES_F(F32, 1)},
    {"fmin(a, b)", OPERANDS_F(F16, NAN, 1.0f), GIVES_F(F16, 1)},
    {"fmin(a, b)", OPERANDS_F(BF16, -1.0f, NAN), GIVES_F(BF16, -1)},
    {"fmax(a, b)", OPERANDS_F(F32, NAN, NAN), GIVES_F(F32, NAN)},
    {"maximum(a, b)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, 0.0)},
    {"maximum(a, b)", OPERANDS_F(F32, 0.0f, -0.0f), GIVES_F(F32, 0.0)},
    {"minimum(a, b)", OPERANDS_F(F32, 0.0f, -0.0f), GIVES_F(F32, -0.0)},
    {"fmax(a, b)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, 0.0)},
    {"isnan(a)", OPERANDS_F(F32, NAN, 0.0f), GIVES_I(B, 1)},
    {"isnan(a)", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_I(B, 0)},
    {"isnan(a)", OPERANDS_F(F16, NAN, 0.0f), GIVES_I(B, 1)},
    {"isinf(a)", OPERANDS_F(BF16, -INFINITY, 0.0f), GIVES_I(B, 1)},
    {"signbit(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_I(B, 1)},
    {"a != a", OPERANDS_F(F32, NAN, 0.0f), GIVES_I(B, 1)},
    {"a == a", OPERANDS_F(F32, NAN, 0.0f), GIVES_I(B, 0)},
    {"a < b", OPERANDS_F(F32, NAN, 0.0f), GIVES_I(B, 0)},
    {"!(a < b)", OPERANDS_F(F32, NAN, 0.0f), GIVES_I(B, 1)},
    {"a == b", OPERANDS_F(F32, 0.0f, -0.0f), GIVES_I(B, 1)},
    {"where(isnan(a), NAN, 1.0f)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"where(isnan(a), NAN, 1.0f)", OPERANDS_F(F32, 2.0f, 0.0f), GIVES_F(F32, 1)})

/* x * 0, x + 0, x - x for -0.0, inf, NaN under the simplifier: the sign of zero is kept */
VALUE_TEST(signed_zero,
    {"a * 0", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"a * 0", OPERANDS_F(F32, -5.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"a * 0", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_F(F32, NAN)},
    {"a * 0", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"a + 0", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, 0.0)},
    {"a - 0", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"0 - a", OPERANDS_F(F32, 0.0f, 0.0f), GIVES_F(F32, 0.0)},
    {"-a", OPERANDS_F(F32, 0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"a + -0.0f", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"a - a", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_F(F32, NAN)},
    {"a - a", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"a - a", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, 0.0)},
    {"a / a", OPERANDS_F(F32, 0.0f, 0.0f), GIVES_F(F32, NAN)},
    {"a / b", OPERANDS_F(F32, 1.0f, -0.0f), GIVES_F(F32, -INFINITY)},
    {"a * 1", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"a * 0", OPERANDS_F(F16, -1.0f, 0.0f), GIVES_F(F16, -0.0)},
    {"a + b", OPERANDS_F(BF16, -0.0f, 0.0f), GIVES_F(BF16, 0.0)})

/* uint8 200 to int and to float; float 300, -1, 3e9, NaN, inf stored as int8, uint8, int32 */
VALUE_TEST(conversions,
    {"a", OPERANDS_I(U8, 200, 0), GIVES_I(I32, 200)},
    {"a", OPERANDS_I(U8, 200, 0), GIVES_F(F32, 200)},
    {"a", OPERANDS_I(I8, -2, 0), GIVES_I(I64, -2)},
    {"a", OPERANDS_I(I8, -2, 0), GIVES_F(F16, -2)},
    {"a", OPERANDS_F(F32, 300.0f, 0.0f), GIVES_I(I8, 127)},
    {"a", OPERANDS_F(F32, 300.0f, 0.0f), GIVES_I(U8, 255)},
    {"a", OPERANDS_F(F32, 300.0f, 0.0f), GIVES_I(I32, 300)},
    {"a", OPERANDS_F(F32, -1.0f, 0.0f), GIVES_I(I8, -1)},
    {"a", OPERANDS_F(F32, -1.0f, 0.0f), GIVES_I(U8, 0)},
    {"a", OPERANDS_F(F32, -1.0f, 0.0f), GIVES_I(I32, -1)},
    {"a", OPERANDS_F(F32, 3e9f, 0.0f), GIVES_I(I8, 127)},
    {"a", OPERANDS_F(F32, 3e9f, 0.0f), GIVES_I(U8, 255)},
    {"a", OPERANDS_F(F32, 3e9f, 0.0f), GIVES_I(I32, 2147483647)},
    {"a", OPERANDS_F(F32, 3e9f, 0.0f), GIVES_I(U32, 3000000000)},
    {"a", OPERANDS_F(F32, NAN, 0.0f), GIVES_I(I8, 0)},
    {"a", OPERANDS_F(F32, NAN, 0.0f), GIVES_I(U8, 0)},
    {"a", OPERANDS_F(F32, NAN, 0.0f), GIVES_I(I32, 0)},
    {"a", OPERANDS_F(F32, NAN, 0.0f), GIVES_I(U64, 0)},
    {"a", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_I(I8, 127)},
    {"a", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_I(I32, INT32_LEAST)},
    {"a", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_I(I64, 9223372036854775807)},
    {"a", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_I(U64, -1)},
    {"a", OPERANDS_F(F64, 1e19, 0.0f), GIVES_I(I64, 9223372036854775807)},
    {"a", OPERANDS_F(F32, -1.99f, 0.0f), GIVES_I(I32, -1)},
    {"a", OPERANDS_F(F16, -1.5f, 0.0f), GIVES_I(I8, -1)},
    {"a", OPERANDS_F(F32, 0.25f, 0.0f), GIVES_I(B, 1)},
    {"a", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_I(B, 0)},
    {"a", OPERANDS_I(I32, 256, 0), GIVES_I(B, 1)},
    {"a", OPERANDS_I(I32, 511, 0), GIVES_I(I8, -1)},
    {"a", OPERANDS_I(B, 1, 0), GIVES_F(F32, 1)},
    {"a", OPERANDS_I(I64, 9007199254740993, 0), GIVES_F(F64, 9007199254740992.0)},
    {"a", OPERANDS_I(I64, 1099511693313, 0), GIVES_F(F32, 0x1p40 + 0x1p17)},
    {"a", OPERANDS_I(U64, -1, 0), GIVES_F(F32, 0x1p64)})

/* float and int to bfloat at exact ties and just above; 65520 and 1e30 stored as half: inf */
VALUE_TEST(narrowing,
    {"a", OPERANDS_F(F32, 1.00390625f, 0.0f), GIVES_BITS(BF16, 0x3f80)},
    {"a", OPERANDS_F(F32, 1.01171875f, 0.0f), GIVES_BITS(BF16, 0x3f82)},
    {"a", OPERANDS_F(F32, 1.0039064f, 0.0f), GIVES_BITS(BF16, 0x3f81)},
    {"a", OPERANDS_F(F32, -3.4e38f, 0.0f), GIVES_BITS(BF16, 0xff80)},
    {"a", OPERANDS_F(F32, 1e-40f, 0.0f), GIVES_BITS(BF16, 0x0001)}, /* subnormals are kept */
    {"a", OPERANDS_F(F64, 1.003906250000001, 0.0), GIVES_BITS(BF16, 0x3f81)},
    {"a", OPERANDS_I(I32, 257, 0), GIVES_BITS(BF16, 0x4380)},
    {"a", OPERANDS_I(I32, 259, 0), GIVES_BITS(BF16, 0x4382)},
    {"a", OPERANDS_I(I64, 4629700416936869889, 0), GIVES_BITS(BF16, 0x5e81)},
    {"a", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(BF16, NAN)},
    {"bitcast(float, a)", OPERANDS_I(U32, 0x7f800001, 0), GIVES_F(BF16, NAN)},
    {"bitcast(float, a)", OPERANDS_I(U32, 0xff800001, 0), GIVES_F(F16, NAN)},
    {"a", OPERANDS_F(F32, 65520.0f, 0.0f), GIVES_BITS(F16, 0x7c00)},
    {"a", OPERANDS_F(F32, 65519.0f, 0.0f), GIVES_BITS(F16, 0x7bff)},
    {"a", OPERANDS_F(F32, 1e30f, 0.0f), GIVES_BITS(F16, 0x7c00)},
    {"a", OPERANDS_F(F64, -1e30, 0.0), GIVES_BITS(F16, 0xfc00)},
    {"a", OPERANDS_I(I32, 65520, 0), GIVES_BITS(F16, 0x7c00)},
    {"a", OPERANDS_F(F32, 6e-8f, 0.0f), GIVES_BITS(F16, 0x0001)},
    {"a", OPERANDS_F(F64, 1.000488281250001, 0.0), GIVES_BITS(F16, 0x3c01)}, /* one rounding */
    {"a", OPERANDS_F(F16, 6e-8f, 0.0f), GIVES_F(F32, 0x1p-24)},
    {"a * b", OPERANDS_F(F16, 256.0f, 256.0f), GIVES_BITS(F16, 0x7c00)},
    {"a + b", OPERANDS_F(F16, 2048.0f, 1.0f), GIVES_F(F16, 2048)})

/* exp(-inf), exp(1000), log(0), log(-1), sqrt(-0.0), tanh(inf): exact on every target */
VALUE_TEST(functions,
    {"exp(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, 0)},
    {"exp(a)", OPERANDS_F(F32, 1000.0f, 0.0f), GIVES_F(F32, INFINITY)},
    {"exp(a)", OPERANDS_F(F32, -1000.0f, 0.0f), GIVES_F(F32, 0)},
    {"exp(a)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"exp2(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, 0)},
    {"log(a)", OPERANDS_F(F32, 0.0f, 0.0f), GIVES_F(F32, -INFINITY)},
    {"log(a)", OPERANDS_F(F32, -1.0f, 0.0f), GIVES_F(F32, NAN)},
    {"log(a)", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_F(F32, INFINITY)},
    {"log2(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -INFINITY)},
    {"expm1(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, -1)},
    {"expm1(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"expm1(a)", OPERANDS_F(F32, 1e-20f, 0.0f), GIVES_F(F32, 1e-20f)},
    {"expm1(a)", OPERANDS_F(F32, -1000.0f, 0.0f), GIVES_F(F32, -1)},
    {"expm1(a)", OPERANDS_F(F32, 1000.0f, 0.0f), GIVES_F(F32, INFINITY)},
    {"expm1(a)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"expm1(a)", OPERANDS_F(F64, -1e-200, 0.0), GIVES_F(F64, -1e-200)},
    {"expm1(a)", OPERANDS_F(F16, -INFINITY, 0.0f), GIVES_F(F16, -1)},
    {"log1p(a)", OPERANDS_F(F32, -1.0f, 0.0f), GIVES_F(F32, -INFINITY)},
    {"log1p(a)", OPERANDS_F(F32, -1.0001f, 0.0f), GIVES_F(F32, NAN)},
    {"log1p(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"log1p(a)", OPERANDS_F(F32, -1e-20f, 0.0f), GIVES_F(F32, -1e-20f)},
    {"log1p(a)", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_F(F32, INFINITY)},
    {"log1p(a)", OPERANDS_F(F64, 1e-200, 0.0), GIVES_F(F64, 1e-200)},
    {"log1p(a)", OPERANDS_F(BF16, -1.0f, 0.0f), GIVES_F(BF16, -INFINITY)},
    {"sqrt(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"sqrt(a)", OPERANDS_F(F32, -1.0f, 0.0f), GIVES_F(F32, NAN)},
    {"rsqrt(a)", OPERANDS_F(F32, 0.0f, 0.0f), GIVES_F(F32, INFINITY)},
    {"tanh(a)", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_F(F32, 1)},
    {"tanh(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, -1)},
    {"erf(a)", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_F(F32, 1)},
    {"sigmoid(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, 0)},
    {"sin(a)", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_F(F32, NAN)},
    {"exp10(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, 0)},
    {"exp10(a)", OPERANDS_F(F32, 39.0f, 0.0f), GIVES_F(F32, INFINITY)},
    {"exp10(a)", OPERANDS_F(F64, -400.0, 0.0), GIVES_F(F64, 0)},
    {"exp10(a)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"log10(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -INFINITY)},
    {"log10(a)", OPERANDS_F(F32, -1.0f, 0.0f), GIVES_F(F32, NAN)},
    {"log10(a)", OPERANDS_F(F32, INFINITY, 0.0f), GIVES_F(F32, INFINITY)},
    {"log10(a)", OPERANDS_F(F64, 0.0, 0.0), GIVES_F(F64, -INFINITY)},
    {"sinh(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, -INFINITY)},
    {"sinh(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"sinh(a)", OPERANDS_F(F64, 1000.0, 0.0), GIVES_F(F64, INFINITY)},
    {"sinh(a)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"cosh(a)", OPERANDS_F(F32, -100.0f, 0.0f), GIVES_F(F32, INFINITY)},
    {"cosh(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, 1)},
    {"cosh(a)", OPERANDS_F(F16, -INFINITY, 0.0f), GIVES_F(F16, INFINITY)},
    {"cosh(a)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"tan(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, NAN)},
    {"tan(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"asin(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"asin(a)", OPERANDS_F(F32, 1.0001f, 0.0f), GIVES_F(F32, NAN)},
    {"acos(a)", OPERANDS_F(F32, 1.0f, 0.0f), GIVES_F(F32, 0)},
    {"acos(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, NAN)},
    {"acos(a)", OPERANDS_F(F64, 1.0, 0.0), GIVES_F(F64, 0)},
    {"atan(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"atan(a)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"atan(a)", OPERANDS_F(F64, -1e-200, 0.0), GIVES_F(F64, -1e-200)},
    {"atan2(a, b)", OPERANDS_F(F32, 0.0f, 0.0f), GIVES_F(F32, 0)},
    {"atan2(a, b)", OPERANDS_F(F32, -0.0f, 5.0f), GIVES_F(F32, -0.0)},
    {"atan2(a, b)", OPERANDS_F(F32, 1.0f, INFINITY), GIVES_F(F32, 0)},
    {"atan2(a, b)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"atan2(a, b)", OPERANDS_F(F32, 0.0f, NAN), GIVES_F(F32, NAN)},
    {"atan2(a, b)", OPERANDS_F(F16, -1.0f, INFINITY), GIVES_F(F16, -0.0)},
    {"cbrt(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -0.0)},
    {"cbrt(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, -INFINITY)},
    {"cbrt(a)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"cbrt(a)", OPERANDS_F(F64, 0.0, 0.0), GIVES_F(F64, 0)},
    {"hypot(a, b)", OPERANDS_F(F32, 0x1.8p-147f, 0x1p-146f), GIVES_F(F32, 0x1.4p-146)},
    {"hypot(a, b)", OPERANDS_F(F32, 0x1.8p125f, -0x1p126f), GIVES_F(F32, 0x1.4p126)},
    {"hypot(a, b)", OPERANDS_F(F32, -0.0f, -0.0f), GIVES_F(F32, 0)},
    {"hypot(a, b)", OPERANDS_F(F32, -INFINITY, NAN), GIVES_F(F32, INFINITY)},
    {"hypot(a, b)", OPERANDS_F(F32, NAN, 1.0f), GIVES_F(F32, NAN)},
    {"hypot(a, b)", OPERANDS_F(F32, 3e38f, -3e38f), GIVES_F(F32, INFINITY)},
    {"hypot(a, b)", OPERANDS_F(F16, 0.0f, -INFINITY), GIVES_F(F16, INFINITY)},
    {"fmod(a, b)", OPERANDS_F(F32, -5.5f, 2.0f), GIVES_F(F32, -1.5)},
    {"fmod(a, b)", OPERANDS_F(F32, -6.0f, -3.0f), GIVES_F(F32, -0.0)},
    {"fmod(a, b)", OPERANDS_F(F32, 1.0f, 0.0f), GIVES_F(F32, NAN)},
    {"fmod(a, b)", OPERANDS_F(F32, INFINITY, 1.0f), GIVES_F(F32, NAN)},
    {"fmod(a, b)", OPERANDS_F(F32, -1.0f, INFINITY), GIVES_F(F32, -1)},
    {"fmod(a, b)", OPERANDS_F(F32, 1.0f, NAN), GIVES_F(F32, NAN)},
    {"fmod(a, b)", OPERANDS_F(F32, -0x1.fffffep127f, 0x1.6p-146f), GIVES_F(F32, -0x1.4p-146)},
    {"fmod(a, b)", OPERANDS_F(F32, 0x1p-148f, 0x1.8p-148f), GIVES_F(F32, 0x1p-148)},
    {"fmod(a, b)", OPERANDS_F(F64, 0x1.fffffffffffffp1023, 0x1.8p-1073), GIVES_F(F64, 0x1p-1073)},
    {"fmod(a, b)", OPERANDS_F(F64, 1e17, 3.0), GIVES_F(F64, 1)},
    {"fmod(a, b)", OPERANDS_F(F16, 65504.0f, 0x1.8p-23f), GIVES_F(F16, 0x1p-23)},
    {"fmod(a, b)", OPERANDS_F(BF16, -0x1p127f, 0x1.cp-131f), GIVES_F(BF16, -0x1p-131)},
    {"pow(a, b)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, 1)},
    {"pow(a, b)", OPERANDS_F(F32, -1.0f, INFINITY), GIVES_F(F32, 1)},
    {"pow(a, b)", OPERANDS_F(F32, 0.0f, -1.0f), GIVES_F(F32, INFINITY)},
    {"exp(a)", OPERANDS_F(F16, -INFINITY, 0.0f), GIVES_F(F16, 0)},
    {"exp(a)", OPERANDS_F(BF16, 1000.0f, 0.0f), GIVES_F(BF16, INFINITY)},
    {"exp(a)", OPERANDS_F(F64, 1000.0f, 0.0f), GIVES_F(F64, INFINITY)},
    {"round(a)", OPERANDS_F(F32, 2.5f, 0.0f), GIVES_F(F32, 3)},
    {"round(a)", OPERANDS_F(F32, -0.4f, 0.0f), GIVES_F(F32, -0.0)},
    {"round(a)", OPERANDS_F(F32, 0.49999997f, 0.0f), GIVES_F(F32, 0)},
    {"ceil(a)", OPERANDS_F(F32, -0.5f, 0.0f), GIVES_F(F32, -0.0)},
    {"trunc(a)", OPERANDS_F(F32, -1e30f, 0.0f), GIVES_F(F32, -1e30f)})

/* What C's Annex F says, and bits of numbers beside each other. */
VALUE_TEST(exact_functions,
    {"copysign(a, b)", OPERANDS_F(F32, 1.5f, -0.0f), GIVES_F(F32, -1.5)},
    {"copysign(a, b)", OPERANDS_F(F32, -0.0f, 7.0f), GIVES_F(F32, 0)},
    {"copysign(a, b)", OPERANDS_F(F32, INFINITY, -1e-45f), GIVES_F(F32, -INFINITY)},
    {"copysign(a, b)", OPERANDS_F(F32, NAN, -1.0f), GIVES_F(F32, NAN)},
    {"copysign(a, b)", OPERANDS_F(F16, -6e-8f, 0.0f), GIVES_BITS(F16, 0x0001)},
    {"copysign(a, b)", OPERANDS_F(BF16, 3.0f, -INFINITY), GIVES_F(BF16, -3)},
    {"copysign(a, b)", OPERANDS_F(F64, -1e300, 0.0), GIVES_F(F64, 1e300)},
    {"copysign(a, b)", OPERANDS_I(I32, 5, -2), GIVES_F(F32, -5)},
    {"fdim(a, b)", OPERANDS_F(F32, 5.0f, 2.0f), GIVES_F(F32, 3)},
    {"fdim(a, b)", OPERANDS_F(F32, 2.0f, 5.0f), GIVES_F(F32, 0)},
    {"fdim(a, b)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, 0)},
    {"fdim(a, b)", OPERANDS_F(F32, INFINITY, INFINITY), GIVES_F(F32, 0)},
    {"fdim(a, b)", OPERANDS_F(F32, -INFINITY, -INFINITY), GIVES_F(F32, 0)},
    {"fdim(a, b)", OPERANDS_F(F32, INFINITY, -INFINITY), GIVES_F(F32, INFINITY)},
    {"fdim(a, b)", OPERANDS_F(F32, 3e38f, -3e38f), GIVES_F(F32, INFINITY)},
    {"fdim(a, b)", OPERANDS_F(F32, NAN, 1.0f), GIVES_F(F32, NAN)},
    {"fdim(a, b)", OPERANDS_F(F32, -INFINITY, NAN), GIVES_F(F32, NAN)},
    {"fdim(a, b)", OPERANDS_F(F16, 65504.0f, -32.0f), GIVES_F(F16, INFINITY)},
    {"fdim(a, b)", OPERANDS_F(F64, 0x1p-1074, 0.0), GIVES_F(F64, 0x1p-1074)},
    {"isfinite(a)", OPERANDS_F(F32, 0x1.fffffep127f, 0.0f), GIVES_I(B, 1)},
    {"isfinite(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_I(B, 0)},
    {"isfinite(a)", OPERANDS_F(F32, NAN, 0.0f), GIVES_I(B, 0)},
    {"isfinite(a)", OPERANDS_F(F16, INFINITY, 0.0f), GIVES_I(B, 0)},
    {"isfinite(a)", OPERANDS_F(BF16, -0x1p-133f, 0.0f), GIVES_I(B, 1)},
    {"isfinite(a)", OPERANDS_F(F64, INFINITY, 0.0), GIVES_I(B, 0)},
    {"remainder(a, b)", OPERANDS_F(F32, 5.0f, 3.0f), GIVES_F(F32, -1)},
    {"remainder(a, b)", OPERANDS_F(F32, 2.5f, 1.0f), GIVES_F(F32, 0.5)},
    {"remainder(a, b)", OPERANDS_F(F32, 3.5f, 1.0f), GIVES_F(F32, -0.5)},
    {"remainder(a, b)", OPERANDS_F(F32, -2.5f, 1.0f), GIVES_F(F32, -0.5)},
    {"remainder(a, b)", OPERANDS_F(F32, -6.0f, 3.0f), GIVES_F(F32, -0.0)},
    {"remainder(a, b)", OPERANDS_F(F32, 6.0f, -4.0f), GIVES_F(F32, -2)},
    {"remainder(a, b)", OPERANDS_F(F32, 1.0f, 0.0f), GIVES_F(F32, NAN)},
    {"remainder(a, b)", OPERANDS_F(F32, INFINITY, 1.0f), GIVES_F(F32, NAN)},
    {"remainder(a, b)", OPERANDS_F(F32, -1.0f, INFINITY), GIVES_F(F32, -1)},
    {"remainder(a, b)", OPERANDS_F(F32, 1.0f, NAN), GIVES_F(F32, NAN)},
    {"remainder(a, b)", OPERANDS_F(F32, 0x1.fffffep127f, -0x1.4p127f), GIVES_F(F32, -0x1.000004p126)},
    {"remainder(a, b)", OPERANDS_F(F32, 0x1.fffffep127f, 0x1p127f), GIVES_F(F32, -0x1p104)},
    {"remainder(a, b)", OPERANDS_F(F32, 0x1p-149f, 0x1p-148f), GIVES_F(F32, 0x1p-149)},
    {"remainder(a, b)", OPERANDS_F(F32, 0x1.8p-148f, 0x1p-148f), GIVES_F(F32, -0x1p-149)},
    {"remainder(a, b)", OPERANDS_F(F64, 1e17, 3.0), GIVES_F(F64, 1)},
    {"remainder(a, b)", OPERANDS_F(F64, 0x1.fffffffffffffp1023, 0x1.8p-1073), GIVES_F(F64, -0x1p-1074)},
    {"remainder(a, b)", OPERANDS_F(F16, 65504.0f, 40000.0f), GIVES_F(F16, -14496)},
    {"remainder(a, b)", OPERANDS_F(BF16, 0x1p127f, 0x1.8p126f), GIVES_F(BF16, 0x1p125)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, 0x1p-149f, 276.0f), GIVES_F(F32, 0x1p127)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, 0x1p127f, -276.0f), GIVES_F(F32, 0x1p-149)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, -0x1.8p127f, -277.0f), GIVES_F(F32, -0x1p-149)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, 0x1p127f, -277.0f), GIVES_F(F32, 0)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, 0x1.000002p-126f, -1.0f), GIVES_F(F32, 0x1p-127)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, 0x1.fffffep0f, -150.0f), GIVES_F(F32, 0x1p-149)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, 0x1.000004p-24f, -105.0f), GIVES_F(F32, 0x1p-129)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, 0x1.5p-100f, -45.0f), GIVES_F(F32, 0x1.5p-145)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, 1.0f, 128.0f), GIVES_F(F32, INFINITY)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, -0.0f, 1e9f), GIVES_F(F32, -0.0)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, INFINITY, -1e9f), GIVES_F(F32, INFINITY)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, 1.0f, -1e9f), GIVES_F(F32, 0)},
    {"ldexp(a, (int)b)", OPERANDS_F(F32, NAN, 3.0f), GIVES_F(F32, NAN)},
    {"ldexp(a, (uint8_t)b)", OPERANDS_F(F32, 1.5f, 100.0f), GIVES_F(F32, 0x1.8p100)},
    {"ldexp((float)a, b)", OPERANDS_I(U32, 1, 4000000000), GIVES_F(F32, INFINITY)},
    {"ldexp((float)a, b)", OPERANDS_I(U64, 1, 4294967296), GIVES_F(F32, INFINITY)},
    {"ldexp((double)a, b)", OPERANDS_I(I64, 1, -4294967297), GIVES_F(F64, 0)},
    {"ldexp((double)a, b)", OPERANDS_I(I64, 3, 1022), GIVES_F(F64, 0x1.8p1023)},
    {"ldexp(a, (int)b)", OPERANDS_F(F64, 0x1p-1074, 2097.0), GIVES_F(F64, 0x1p1023)},
    {"ldexp(a, (int)b)", OPERANDS_F(F64, 0x1.8p1023, -2097.0), GIVES_F(F64, 0x1p-1073)},
    {"ldexp(a, (int)b)", OPERANDS_F(F64, 0x1.0000000000001p-1000, -23.0), GIVES_F(F64, 0x1p-1023)},
    {"ldexp(a, (int)b)", OPERANDS_F(F16, 65504.0f, -39.0f), GIVES_BITS(F16, 0x0002)},
    {"ldexp(a, (int)b)", OPERANDS_F(F16, 0x1p-24f, 39.0f), GIVES_F(F16, 32768)},
    {"ldexp(a, (int)b)", OPERANDS_F(BF16, 0x1p127f, -260.0f), GIVES_BITS(BF16, 0x0001)},
    {"logb(a)", OPERANDS_F(F32, 0x1.fffffep127f, 0.0f), GIVES_F(F32, 127)},
    {"logb(a)", OPERANDS_F(F32, -0x1.8p-126f, 0.0f), GIVES_F(F32, -126)},
    {"logb(a)", OPERANDS_F(F32, 0x1.fffffcp-127f, 0.0f), GIVES_F(F32, -127)},
    {"logb(a)", OPERANDS_F(F32, -0x1p-149f, 0.0f), GIVES_F(F32, -149)},
    {"logb(a)", OPERANDS_F(F32, 1.0f, 0.0f), GIVES_F(F32, 0)},
    {"logb(a)", OPERANDS_F(F32, -0.0f, 0.0f), GIVES_F(F32, -INFINITY)},
    {"logb(a)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, INFINITY)},
    {"logb(a)", OPERANDS_F(F32, NAN, 0.0f), GIVES_F(F32, NAN)},
    {"logb(a)", OPERANDS_F(F64, 0x1p-1074, 0.0), GIVES_F(F64, -1074)},
    {"logb(a)", OPERANDS_F(F64, -0x1.fffffffffffffp1023, 0.0), GIVES_F(F64, 1023)},
    {"logb(a)", OPERANDS_F(F16, 0x1p-24f, 0.0f), GIVES_F(F16, -24)},
    {"logb(a)", OPERANDS_F(BF16, 0x1p-133f, 0.0f), GIVES_F(BF16, -133)},
    {"logb(a)", OPERANDS_I(I32, 1000, 0), GIVES_F(F32, 9)},
    {"nextafter(a, b)", OPERANDS_F(F32, 1.0f, 2.0f), GIVES_F(F32, 0x1.000002p0)},
    {"nextafter(a, b)", OPERANDS_F(F32, 1.0f, -2.0f), GIVES_F(F32, 0x1.fffffep-1)},
    {"nextafter(a, b)", OPERANDS_F(F32, -1.0f, -2.0f), GIVES_F(F32, -0x1.000002p0)},
    {"nextafter(a, b)", OPERANDS_F(F32, 0.0f, -1.0f), GIVES_F(F32, -0x1p-149)},
    {"nextafter(a, b)", OPERANDS_F(F32, -0.0f, 1.0f), GIVES_F(F32, 0x1p-149)},
    {"nextafter(a, b)", OPERANDS_F(F32, 0x1p-149f, -1.0f), GIVES_F(F32, 0)},
    {"nextafter(a, b)", OPERANDS_F(F32, -0x1p-149f, 1.0f), GIVES_F(F32, -0.0)},
    {"nextafter(a, b)", OPERANDS_F(F32, 0.0f, -0.0f), GIVES_F(F32, -0.0)},
    {"nextafter(a, b)", OPERANDS_F(F32, 0x1.fffffep127f, INFINITY), GIVES_F(F32, INFINITY)},
    {"nextafter(a, b)", OPERANDS_F(F32, -INFINITY, 0.0f), GIVES_F(F32, -0x1.fffffep127)},
    {"nextafter(a, b)", OPERANDS_F(F32, INFINITY, INFINITY), GIVES_F(F32, INFINITY)},
    {"nextafter(a, b)", OPERANDS_F(F32, NAN, 1.0f), GIVES_F(F32, NAN)},
    {"nextafter(a, b)", OPERANDS_F(F32, 1.0f, NAN), GIVES_F(F32, NAN)},
    {"nextafter(a, b)", OPERANDS_F(F64, 1.0, 0.0), GIVES_F(F64, 0x1.fffffffffffffp-1)},
    {"nextafter(a, b)", OPERANDS_F(F64, -0.0, 1.0), GIVES_F(F64, 0x1p-1074)},
    {"nextafter(a, b)", OPERANDS_F(F16, 1.0f, 2.0f), GIVES_BITS(F16, 0x3c01)},
    {"nextafter(a, b)", OPERANDS_F(F16, 65504.0f, INFINITY), GIVES_F(F16, INFINITY)},
    {"nextafter(a, b)", OPERANDS_F(BF16, -1.0f, 0.0f), GIVES_BITS(BF16, 0xbf7f)},
    {"nextafter(a, b)", OPERANDS_F(BF16, 0.0f, -1.0f), GIVES_BITS(BF16, 0x8001)})

/* Zeros, ends, subnormal numbers, NaN; and 16-bit numbers, which are computed in float. */
VALUE_TEST(inverse_and_complementary,
    {"asinh(a)", OPERANDS_F(F32, -0.0, 0), GIVES_F(F32, -0.0)},
    {"asinh(a)", OPERANDS_F(F32, 0.0, 0), GIVES_F(F32, 0.0)},
    {"asinh(a)", OPERANDS_F(F32, -0x1p-149, 0), GIVES_F(F32, -0x1p-149)},
    {"asinh(a)", OPERANDS_F(F32, NAN, 0), GIVES_F(F32, NAN)},
    {"atanh(a)", OPERANDS_F(F32, -0.0, 0), GIVES_F(F32, -0.0)},
    {"atanh(a)", OPERANDS_F(F32, 0.0, 0), GIVES_F(F32, 0.0)},
    {"atanh(a)", OPERANDS_F(F32, -0x1p-149, 0), GIVES_F(F32, -0x1p-149)},
    {"atanh(a)", OPERANDS_F(F32, NAN, 0), GIVES_F(F32, NAN)},
    {"asinh(a)", OPERANDS_F(F32, INFINITY, 0), GIVES_F(F32, INFINITY)},
    {"asinh(a)", OPERANDS_F(F32, -INFINITY, 0), GIVES_F(F32, -INFINITY)},
    {"atanh(a)", OPERANDS_F(F32, 1.0, 0), GIVES_F(F32, INFINITY)},
    {"atanh(a)", OPERANDS_F(F32, -1.0, 0), GIVES_F(F32, -INFINITY)},
    {"atanh(a)", OPERANDS_F(F32, 1.5, 0), GIVES_F(F32, NAN)},
    {"atanh(a)", OPERANDS_F(F32, -INFINITY, 0), GIVES_F(F32, NAN)},
    {"acosh(a)", OPERANDS_F(F32, 1.0, 0), GIVES_F(F32, 0.0)},
    {"acosh(a)", OPERANDS_F(F32, 0.5, 0), GIVES_F(F32, NAN)},
    {"acosh(a)", OPERANDS_F(F32, -0.0, 0), GIVES_F(F32, NAN)},
    {"acosh(a)", OPERANDS_F(F32, -7.0, 0), GIVES_F(F32, NAN)},
    {"acosh(a)", OPERANDS_F(F32, -INFINITY, 0), GIVES_F(F32, NAN)},
    {"acosh(a)", OPERANDS_F(F32, INFINITY, 0), GIVES_F(F32, INFINITY)},
    {"acosh(a)", OPERANDS_F(F32, NAN, 0), GIVES_F(F32, NAN)},
    {"erfc(a)", OPERANDS_F(F32, 0.0, 0), GIVES_F(F32, 1.0)},
    {"erfc(a)", OPERANDS_F(F32, -0.0, 0), GIVES_F(F32, 1.0)},
    {"erfc(a)", OPERANDS_F(F32, INFINITY, 0), GIVES_F(F32, 0.0)},
    {"erfc(a)", OPERANDS_F(F32, -INFINITY, 0), GIVES_F(F32, 2.0)},
    {"erfc(a)", OPERANDS_F(F32, NAN, 0), GIVES_F(F32, NAN)},
    {"erfc(a)", OPERANDS_F(F32, 100.0, 0), GIVES_F(F32, 0.0)},
    {"erfc(a)", OPERANDS_F(F32, -100.0, 0), GIVES_F(F32, 2.0)},
    {"erfc(a)", OPERANDS_F(F32, 0x1p-149, 0), GIVES_F(F32, 1.0)},
    {"asinh(a)", OPERANDS_F(F64, -0.0, 0), GIVES_F(F64, -0.0)},
    {"asinh(a)", OPERANDS_F(F64, 0.0, 0), GIVES_F(F64, 0.0)},
    {"asinh(a)", OPERANDS_F(F64, -0x1p-1074, 0), GIVES_F(F64, -0x1p-1074)},
    {"asinh(a)", OPERANDS_F(F64, NAN, 0), GIVES_F(F64, NAN)},
    {"atanh(a)", OPERANDS_F(F64, -0.0, 0), GIVES_F(F64, -0.0)},
    {"atanh(a)", OPERANDS_F(F64, 0.0, 0), GIVES_F(F64, 0.0)},
    {"atanh(a)", OPERANDS_F(F64, -0x1p-1074, 0), GIVES_F(F64, -0x1p-1074)},
    {"atanh(a)", OPERANDS_F(F64, NAN, 0), GIVES_F(F64, NAN)},
    {"asinh(a)", OPERANDS_F(F64, INFINITY, 0), GIVES_F(F64, INFINITY)},
    {"asinh(a)", OPERANDS_F(F64, -INFINITY, 0), GIVES_F(F64, -INFINITY)},
    {"atanh(a)", OPERANDS_F(F64, 1.0, 0), GIVES_F(F64, INFINITY)},
    {"atanh(a)", OPERANDS_F(F64, -1.0, 0), GIVES_F(F64, -INFINITY)},
    {"atanh(a)", OPERANDS_F(F64, 1.5, 0), GIVES_F(F64, NAN)},
    {"atanh(a)", OPERANDS_F(F64, -INFINITY, 0), GIVES_F(F64, NAN)},
    {"acosh(a)", OPERANDS_F(F64, 1.0, 0), GIVES_F(F64, 0.0)},
    {"acosh(a)", OPERANDS_F(F64, 0.5, 0), GIVES_F(F64, NAN)},
    {"acosh(a)", OPERANDS_F(F64, -0.0, 0), GIVES_F(F64, NAN)},
    {"acosh(a)", OPERANDS_F(F64, -7.0, 0), GIVES_F(F64, NAN)},
    {"acosh(a)", OPERANDS_F(F64, -INFINITY, 0), GIVES_F(F64, NAN)},
    {"acosh(a)", OPERANDS_F(F64, INFINITY, 0), GIVES_F(F64, INFINITY)},
    {"acosh(a)", OPERANDS_F(F64, NAN, 0), GIVES_F(F64, NAN)},
    {"erfc(a)", OPERANDS_F(F64, 0.0, 0), GIVES_F(F64, 1.0)},
    {"erfc(a)", OPERANDS_F(F64, -0.0, 0), GIVES_F(F64, 1.0)},
    {"erfc(a)", OPERANDS_F(F64, INFINITY, 0), GIVES_F(F64, 0.0)},
    {"erfc(a)", OPERANDS_F(F64, -INFINITY, 0), GIVES_F(F64, 2.0)},
    {"erfc(a)", OPERANDS_F(F64, NAN, 0), GIVES_F(F64, NAN)},
    {"erfc(a)", OPERANDS_F(F64, 100.0, 0), GIVES_F(F64, 0.0)},
    {"erfc(a)", OPERANDS_F(F64, -100.0, 0), GIVES_F(F64, 2.0)},
    {"erfc(a)", OPERANDS_F(F64, 0x1p-1074, 0), GIVES_F(F64, 1.0)},
    {"asinh(a)", OPERANDS_F(F16, -0.0, 0), GIVES_F(F16, -0.0)},
    {"asinh(a)", OPERANDS_F(F16, 0.0, 0), GIVES_F(F16, 0.0)},
    {"asinh(a)", OPERANDS_F(F16, -0x1p-24, 0), GIVES_F(F16, -0x1p-24)},
    {"asinh(a)", OPERANDS_F(F16, NAN, 0), GIVES_F(F16, NAN)},
    {"atanh(a)", OPERANDS_F(F16, -0.0, 0), GIVES_F(F16, -0.0)},
    {"atanh(a)", OPERANDS_F(F16, 0.0, 0), GIVES_F(F16, 0.0)},
    {"atanh(a)", OPERANDS_F(F16, -0x1p-24, 0), GIVES_F(F16, -0x1p-24)},
    {"atanh(a)", OPERANDS_F(F16, NAN, 0), GIVES_F(F16, NAN)},
    {"asinh(a)", OPERANDS_F(F16, INFINITY, 0), GIVES_F(F16, INFINITY)},
    {"asinh(a)", OPERANDS_F(F16, -INFINITY, 0), GIVES_F(F16, -INFINITY)},
    {"atanh(a)", OPERANDS_F(F16, 1.0, 0), GIVES_F(F16, INFINITY)},
    {"atanh(a)", OPERANDS_F(F16, -1.0, 0), GIVES_F(F16, -INFINITY)},
    {"atanh(a)", OPERANDS_F(F16, 1.5, 0), GIVES_F(F16, NAN)},
    {"atanh(a)", OPERANDS_F(F16, -INFINITY, 0), GIVES_F(F16, NAN)},
    {"acosh(a)", OPERANDS_F(F16, 1.0, 0), GIVES_F(F16, 0.0)},
    {"acosh(a)", OPERANDS_F(F16, 0.5, 0), GIVES_F(F16, NAN)},
    {"acosh(a)", OPERANDS_F(F16, -0.0, 0), GIVES_F(F16, NAN)},
    {"acosh(a)", OPERANDS_F(F16, -7.0, 0), GIVES_F(F16, NAN)},
    {"acosh(a)", OPERANDS_F(F16, -INFINITY, 0), GIVES_F(F16, NAN)},
    {"acosh(a)", OPERANDS_F(F16, INFINITY, 0), GIVES_F(F16, INFINITY)},
    {"acosh(a)", OPERANDS_F(F16, NAN, 0), GIVES_F(F16, NAN)},
    {"erfc(a)", OPERANDS_F(F16, 0.0, 0), GIVES_F(F16, 1.0)},
    {"erfc(a)", OPERANDS_F(F16, -0.0, 0), GIVES_F(F16, 1.0)},
    {"erfc(a)", OPERANDS_F(F16, INFINITY, 0), GIVES_F(F16, 0.0)},
    {"erfc(a)", OPERANDS_F(F16, -INFINITY, 0), GIVES_F(F16, 2.0)},
    {"erfc(a)", OPERANDS_F(F16, NAN, 0), GIVES_F(F16, NAN)},
    {"erfc(a)", OPERANDS_F(F16, 100.0, 0), GIVES_F(F16, 0.0)},
    {"erfc(a)", OPERANDS_F(F16, -100.0, 0), GIVES_F(F16, 2.0)},
    {"erfc(a)", OPERANDS_F(F16, 0x1p-24, 0), GIVES_F(F16, 1.0)},
    {"asinh(a)", OPERANDS_F(BF16, -0.0, 0), GIVES_F(BF16, -0.0)},
    {"asinh(a)", OPERANDS_F(BF16, 0.0, 0), GIVES_F(BF16, 0.0)},
    {"asinh(a)", OPERANDS_F(BF16, -0x1p-133, 0), GIVES_F(BF16, -0x1p-133)},
    {"asinh(a)", OPERANDS_F(BF16, NAN, 0), GIVES_F(BF16, NAN)},
    {"atanh(a)", OPERANDS_F(BF16, -0.0, 0), GIVES_F(BF16, -0.0)},
    {"atanh(a)", OPERANDS_F(BF16, 0.0, 0), GIVES_F(BF16, 0.0)},
    {"atanh(a)", OPERANDS_F(BF16, -0x1p-133, 0), GIVES_F(BF16, -0x1p-133)},
    {"atanh(a)", OPERANDS_F(BF16, NAN, 0), GIVES_F(BF16, NAN)},
    {"asinh(a)", OPERANDS_F(BF16, INFINITY, 0), GIVES_F(BF16, INFINITY)},
    {"asinh(a)", OPERANDS_F(BF16, -INFINITY, 0), GIVES_F(BF16, -INFINITY)},
    {"atanh(a)", OPERANDS_F(BF16, 1.0, 0), GIVES_F(BF16, INFINITY)},
    {"atanh(a)", OPERANDS_F(BF16, -1.0, 0), GIVES_F(BF16, -INFINITY)},
    {"atanh(a)", OPERANDS_F(BF16, 1.5, 0), GIVES_F(BF16, NAN)},
    {"atanh(a)", OPERANDS_F(BF16, -INFINITY, 0), GIVES_F(BF16, NAN)},
    {"acosh(a)", OPERANDS_F(BF16, 1.0, 0), GIVES_F(BF16, 0.0)},
    {"acosh(a)", OPERANDS_F(BF16, 0.5, 0), GIVES_F(BF16, NAN)},
    {"acosh(a)", OPERANDS_F(BF16, -0.0, 0), GIVES_F(BF16, NAN)},
    {"acosh(a)", OPERANDS_F(BF16, -7.0, 0), GIVES_F(BF16, NAN)},
    {"acosh(a)", OPERANDS_F(BF16, -INFINITY, 0), GIVES_F(BF16, NAN)},
    {"acosh(a)", OPERANDS_F(BF16, INFINITY, 0), GIVES_F(BF16, INFINITY)},
    {"acosh(a)", OPERANDS_F(BF16, NAN, 0), GIVES_F(BF16, NAN)},
    {"erfc(a)", OPERANDS_F(BF16, 0.0, 0), GIVES_F(BF16, 1.0)},
    {"erfc(a)", OPERANDS_F(BF16, -0.0, 0), GIVES_F(BF16, 1.0)},
    {"erfc(a)", OPERANDS_F(BF16, INFINITY, 0), GIVES_F(BF16, 0.0)},
    {"erfc(a)", OPERANDS_F(BF16, -INFINITY, 0), GIVES_F(BF16, 2.0)},
    {"erfc(a)", OPERANDS_F(BF16, NAN, 0), GIVES_F(BF16, NAN)},
    {"erfc(a)", OPERANDS_F(BF16, 100.0, 0), GIVES_F(BF16, 0.0)},
    {"erfc(a)", OPERANDS_F(BF16, -100.0, 0), GIVES_F(BF16, 2.0)},
    {"erfc(a)", OPERANDS_F(BF16, 0x1p-133, 0), GIVES_F(BF16, 1.0)},
    {"erfc(a)", OPERANDS_F(F32, 0x1.fffffep127f, 0), GIVES_F(F32, 0.0)},
    {"erfc(a)", OPERANDS_F(F64, -0x1.fffffffffffffp1023, 0), GIVES_F(F64, 2.0)},
    {"asinh(a)", OPERANDS_F(F16, 1.0, 0), GIVES_BITS(F16, 0x3b0d)},
    {"acosh(a)", OPERANDS_F(BF16, 2.0, 0), GIVES_BITS(BF16, 0x3fa9)},
    {"atanh(a)", OPERANDS_F(F16, 0.5, 0), GIVES_BITS(F16, 0x3865)},
    {"erfc(a)", OPERANDS_F(F16, 2.0, 0), GIVES_BITS(F16, 0x1cca)},
    {"erfc(a)", OPERANDS_F(BF16, 9.0, 0), GIVES_BITS(BF16, 0x030d)})

/* Quarters of turns are exact; a zero has the sign of x, that of a cosine none. */
VALUE_TEST(half_turns,
    {"sinpi(a)", OPERANDS_F(F32, 0.0, 0), GIVES_F(F32, 0.0)},
    {"sinpi(a)", OPERANDS_F(F32, -0.0, 0), GIVES_F(F32, -0.0)},
    {"sinpi(a)", OPERANDS_F(F32, 1.0, 0), GIVES_F(F32, 0.0)},
    {"sinpi(a)", OPERANDS_F(F32, -1.0, 0), GIVES_F(F32, -0.0)},
    {"sinpi(a)", OPERANDS_F(F32, -2.0, 0), GIVES_F(F32, -0.0)},
    {"sinpi(a)", OPERANDS_F(F32, 0.5, 0), GIVES_F(F32, 1.0)},
    {"sinpi(a)", OPERANDS_F(F32, -0.5, 0), GIVES_F(F32, -1.0)},
    {"sinpi(a)", OPERANDS_F(F32, 2.5, 0), GIVES_F(F32, 1.0)},
    {"sinpi(a)", OPERANDS_F(F32, 1.5, 0), GIVES_F(F32, -1.0)},
    {"sinpi(a)", OPERANDS_F(F32, 0x1p30, 0), GIVES_F(F32, 0.0)},
    {"sinpi(a)", OPERANDS_F(F32, -0x1.fffffep23, 0), GIVES_F(F32, -0.0)},
    {"sinpi(a)", OPERANDS_F(F32, INFINITY, 0), GIVES_F(F32, NAN)},
    {"sinpi(a)", OPERANDS_F(F32, NAN, 0), GIVES_F(F32, NAN)},
    {"cospi(a)", OPERANDS_F(F32, -0.0, 0), GIVES_F(F32, 1.0)},
    {"cospi(a)", OPERANDS_F(F32, 1.0, 0), GIVES_F(F32, -1.0)},
    {"cospi(a)", OPERANDS_F(F32, -2.0, 0), GIVES_F(F32, 1.0)},
    {"cospi(a)", OPERANDS_F(F32, 0.5, 0), GIVES_F(F32, 0.0)},
    {"cospi(a)", OPERANDS_F(F32, -0.5, 0), GIVES_F(F32, 0.0)},
    {"cospi(a)", OPERANDS_F(F32, 1.5, 0), GIVES_F(F32, 0.0)},
    {"cospi(a)", OPERANDS_F(F32, -2.5, 0), GIVES_F(F32, 0.0)},
    {"cospi(a)", OPERANDS_F(F32, 0x1p30, 0), GIVES_F(F32, 1.0)},
    {"cospi(a)", OPERANDS_F(F32, 0x1.fffffep23, 0), GIVES_F(F32, -1.0)},
    {"cospi(a)", OPERANDS_F(F32, -INFINITY, 0), GIVES_F(F32, NAN)},
    {"cospi(a)", OPERANDS_F(F32, NAN, 0), GIVES_F(F32, NAN)},
    {"sinpi(a)", OPERANDS_F(F64, 0.0, 0), GIVES_F(F64, 0.0)},
    {"sinpi(a)", OPERANDS_F(F64, -0.0, 0), GIVES_F(F64, -0.0)},
    {"sinpi(a)", OPERANDS_F(F64, 1.0, 0), GIVES_F(F64, 0.0)},
    {"sinpi(a)", OPERANDS_F(F64, -1.0, 0), GIVES_F(F64, -0.0)},
    {"sinpi(a)", OPERANDS_F(F64, -2.0, 0), GIVES_F(F64, -0.0)},
    {"sinpi(a)", OPERANDS_F(F64, 0.5, 0), GIVES_F(F64, 1.0)},
    {"sinpi(a)", OPERANDS_F(F64, -0.5, 0), GIVES_F(F64, -1.0)},
    {"sinpi(a)", OPERANDS_F(F64, 2.5, 0), GIVES_F(F64, 1.0)},
    {"sinpi(a)", OPERANDS_F(F64, 1.5, 0), GIVES_F(F64, -1.0)},
    {"sinpi(a)", OPERANDS_F(F64, 0x1p1000, 0), GIVES_F(F64, 0.0)},
    {"sinpi(a)", OPERANDS_F(F64, -0x1.fffffffffffffp52, 0), GIVES_F(F64, -0.0)},
    {"sinpi(a)", OPERANDS_F(F64, INFINITY, 0), GIVES_F(F64, NAN)},
    {"sinpi(a)", OPERANDS_F(F64, NAN, 0), GIVES_F(F64, NAN)},
    {"cospi(a)", OPERANDS_F(F64, -0.0, 0), GIVES_F(F64, 1.0)},
    {"cospi(a)", OPERANDS_F(F64, 1.0, 0), GIVES_F(F64, -1.0)},
    {"cospi(a)", OPERANDS_F(F64, -2.0, 0), GIVES_F(F64, 1.0)},
    {"cospi(a)", OPERANDS_F(F64, 0.5, 0), GIVES_F(F64, 0.0)},
    {"cospi(a)", OPERANDS_F(F64, -0.5, 0), GIVES_F(F64, 0.0)},
    {"cospi(a)", OPERANDS_F(F64, 1.5, 0), GIVES_F(F64, 0.0)},
    {"cospi(a)", OPERANDS_F(F64, -2.5, 0), GIVES_F(F64, 0.0)},
    {"cospi(a)", OPERANDS_F(F64, 0x1p1000, 0), GIVES_F(F64, 1.0)},
    {"cospi(a)", OPERANDS_F(F64, 0x1.fffffffffffffp52, 0), GIVES_F(F64, -1.0)},
    {"cospi(a)", OPERANDS_F(F64, -INFINITY, 0), GIVES_F(F64, NAN)},
    {"cospi(a)", OPERANDS_F(F64, NAN, 0), GIVES_F(F64, NAN)},
    {"sinpi(a)", OPERANDS_F(F16, 0.0, 0), GIVES_F(F16, 0.0)},
    {"sinpi(a)", OPERANDS_F(F16, -0.0, 0), GIVES_F(F16, -0.0)},
    {"sinpi(a)", OPERANDS_F(F16, 1.0, 0), GIVES_F(F16, 0.0)},
    {"sinpi(a)", OPERANDS_F(F16, -1.0, 0), GIVES_F(F16, -0.0)},
    {"sinpi(a)", OPERANDS_F(F16, -2.0, 0), GIVES_F(F16, -0.0)},
    {"sinpi(a)", OPERANDS_F(F16, 0.5, 0), GIVES_F(F16, 1.0)},
    {"sinpi(a)", OPERANDS_F(F16, -0.5, 0), GIVES_F(F16, -1.0)},
    {"sinpi(a)", OPERANDS_F(F16, 2.5, 0), GIVES_F(F16, 1.0)},
    {"sinpi(a)", OPERANDS_F(F16, 1.5, 0), GIVES_F(F16, -1.0)},
    {"sinpi(a)", OPERANDS_F(F16, 65504.0, 0), GIVES_F(F16, 0.0)},
    {"sinpi(a)", OPERANDS_F(F16, -1025.0, 0), GIVES_F(F16, -0.0)},
    {"sinpi(a)", OPERANDS_F(F16, INFINITY, 0), GIVES_F(F16, NAN)},
    {"sinpi(a)", OPERANDS_F(F16, NAN, 0), GIVES_F(F16, NAN)},
    {"cospi(a)", OPERANDS_F(F16, -0.0, 0), GIVES_F(F16, 1.0)},
    {"cospi(a)", OPERANDS_F(F16, 1.0, 0), GIVES_F(F16, -1.0)},
    {"cospi(a)", OPERANDS_F(F16, -2.0, 0), GIVES_F(F16, 1.0)},
    {"cospi(a)", OPERANDS_F(F16, 0.5, 0), GIVES_F(F16, 0.0)},
    {"cospi(a)", OPERANDS_F(F16, -0.5, 0), GIVES_F(F16, 0.0)},
    {"cospi(a)", OPERANDS_F(F16, 1.5, 0), GIVES_F(F16, 0.0)},
    {"cospi(a)", OPERANDS_F(F16, -2.5, 0), GIVES_F(F16, 0.0)},
    {"cospi(a)", OPERANDS_F(F16, 65504.0, 0), GIVES_F(F16, 1.0)},
    {"cospi(a)", OPERANDS_F(F16, 1025.0, 0), GIVES_F(F16, -1.0)},
    {"cospi(a)", OPERANDS_F(F16, -INFINITY, 0), GIVES_F(F16, NAN)},
    {"cospi(a)", OPERANDS_F(F16, NAN, 0), GIVES_F(F16, NAN)},
    {"sinpi(a)", OPERANDS_F(BF16, 0.0, 0), GIVES_F(BF16, 0.0)},
    {"sinpi(a)", OPERANDS_F(BF16, -0.0, 0), GIVES_F(BF16, -0.0)},
    {"sinpi(a)", OPERANDS_F(BF16, 1.0, 0), GIVES_F(BF16, 0.0)},
    {"sinpi(a)", OPERANDS_F(BF16, -1.0, 0), GIVES_F(BF16, -0.0)},
    {"sinpi(a)", OPERANDS_F(BF16, -2.0, 0), GIVES_F(BF16, -0.0)},
    {"sinpi(a)", OPERANDS_F(BF16, 0.5, 0), GIVES_F(BF16, 1.0)},
    {"sinpi(a)", OPERANDS_F(BF16, -0.5, 0), GIVES_F(BF16, -1.0)},
    {"sinpi(a)", OPERANDS_F(BF16, 2.5, 0), GIVES_F(BF16, 1.0)},
    {"sinpi(a)", OPERANDS_F(BF16, 1.5, 0), GIVES_F(BF16, -1.0)},
    {"sinpi(a)", OPERANDS_F(BF16, 0x1p100, 0), GIVES_F(BF16, 0.0)},
    {"sinpi(a)", OPERANDS_F(BF16, -129.0, 0), GIVES_F(BF16, -0.0)},
    {"sinpi(a)", OPERANDS_F(BF16, INFINITY, 0), GIVES_F(BF16, NAN)},
    {"sinpi(a)", OPERANDS_F(BF16, NAN, 0), GIVES_F(BF16, NAN)},
    {"cospi(a)", OPERANDS_F(BF16, -0.0, 0), GIVES_F(BF16, 1.0)},
    {"cospi(a)", OPERANDS_F(BF16, 1.0, 0), GIVES_F(BF16, -1.0)},
    {"cospi(a)", OPERANDS_F(BF16, -2.0, 0), GIVES_F(BF16, 1.0)},
    {"cospi(a)", OPERANDS_F(BF16, 0.5, 0), GIVES_F(BF16, 0.0)},
    {"cospi(a)", OPERANDS_F(BF16, -0.5, 0), GIVES_F(BF16, 0.0)},
    {"cospi(a)", OPERANDS_F(BF16, 1.5, 0), GIVES_F(BF16, 0.0)},
    {"cospi(a)", OPERANDS_F(BF16, -2.5, 0), GIVES_F(BF16, 0.0)},
    {"cospi(a)", OPERANDS_F(BF16, 0x1p100, 0), GIVES_F(BF16, 1.0)},
    {"cospi(a)", OPERANDS_F(BF16, 129.0, 0), GIVES_F(BF16, -1.0)},
    {"cospi(a)", OPERANDS_F(BF16, -INFINITY, 0), GIVES_F(BF16, NAN)},
    {"cospi(a)", OPERANDS_F(BF16, NAN, 0), GIVES_F(BF16, NAN)},
    {"sinpi(a)", OPERANDS_F(F32, 0x1p-149, 0), GIVES_F(F32, 0x1.8p-148)})

/* clang-format on */

const struct CMUnitTest edge_value_tests[] = {
    cmocka_unit_test(division),
    cmocka_unit_test(shifts),
    cmocka_unit_test(nan_order),
    cmocka_unit_test(signed_zero),
    cmocka_unit_test(conversions),
    cmocka_unit_test(narrowing),
    cmocka_unit_test(functions),
    cmocka_unit_test(exact_functions),
    cmocka_unit_test(inverse_and_complementary),
    cmocka_unit_test(half_turns),
    cmocka_unit_test(bits_and_high_products),
};
const size_t edge_value_test_count = sizeof edge_value_tests / sizeof *edge_value_tests;
