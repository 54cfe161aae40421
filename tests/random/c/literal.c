/* Literals of programs; see program.h. C's types of them are worked out here, by its own rules. */
#include "program.h"

#include <string.h>

static const struct literal {
    const char *text;
    enum ir_elem elem;
} literals[] = {
    {"0", IR_I32},
    {"1", IR_I32},
    {"2", IR_I32},
    {"3", IR_I32},
    {"-1", IR_I32},
    {"-7", IR_I32},
    {"10", IR_I32},
    {"100", IR_I32},
    {"017", IR_I32},
    {"0b1011", IR_I32},
    {"1'000", IR_I32},
    {"127", IR_I32},
    {"128", IR_I32},
    {"255", IR_I32},
    {"0x7fff", IR_I32},
    {"65535", IR_I32},
    {"2147483647", IR_I32},
    {"(-2147483647 - 1)", IR_I32},
    {"0x7fffffff", IR_I32},
    {"0x80000000", IR_U32},
    {"0xffffffff", IR_U32},
    {"4294967295", IR_I64},
    {"2147483648", IR_I64},
    {"0u", IR_U32},
    {"1u", IR_U32},
    {"5U", IR_U32},
    {"4294967295u", IR_U32},
    {"1l", IR_I64},
    {"-3L", IR_I64},
    {"9ll", IR_I64},
    {"9223372036854775807", IR_I64},
    {"0x123456789", IR_I64},
    {"2ul", IR_U64},
    {"7ull", IR_U64},
    {"0xffffffffffffffff", IR_U64},
    {"18446744073709551615u", IR_U64},
    {"0x8000000000000000", IR_U64},
    {"'a'", IR_I32},
    {"'\\n'", IR_I32},
    {"'\\0'", IR_I32},
    {"'\\x7f'", IR_I32},
    {"'\\377'", IR_I32},
    {"'\\\\'", IR_I32},
    {"true", IR_BOOL},
    {"false", IR_BOOL},
    {"sizeof(int)", IR_U64},
    {"sizeof(double)", IR_U64},
    {"0.5f", IR_F32},
    {"-1.25f", IR_F32},
    {"3.0f", IR_F32},
    {"0.1f", IR_F32},
    {"1e10f", IR_F32},
    {"0x1.8p3f", IR_F32},
    {"0x1p-4f", IR_F32},
    {".75F", IR_F32},
    {"2.f", IR_F32},
    {"(double)0.1", IR_F64},
    {"(double)2.5", IR_F64},
    {"(double)-1e-3", IR_F64},
    {"(double)0x1.921fb54442d18p+1", IR_F64},
    {"(double)(0.1 + 0.2)", IR_F64},
    {"(double)(0.1 * 0.3)", IR_F64},
    {"(double)(2.5 * -0.1 - 1.0 / 3.0)", IR_F64},
    {"(float)(0.1 * 0.7)", IR_F32},
    {"(int)2.5", IR_I32},
    {"(long)-1e3", IR_I64},
    {"(long)1e18", IR_I64},
    {"(int)16777217.0", IR_I32},
    {"(long)(0x1p60 + 1e3 * 7)", IR_I64},
    {"(double)(0.1 * 3 + 1)", IR_F64},
    {"(double)(1 / 3.0 - 2u)", IR_F64},
    {"(bool)1e-60", IR_BOOL},
    {"(int)(1.5 * 3.0)", IR_I32},
    {"(unsigned)4e9", IR_U32},
    {"(0.25 < 0.5)", IR_BOOL},
    {"(!0.5)", IR_BOOL},
    {"(half)0.5f", IR_F16},
    {"(half)3", IR_F16},
    {"0.1f16", IR_F16},
};

static struct expr *listed(struct program *p, unsigned want)
{
    enum { COUNT = sizeof literals / sizeof *literals };
    int start = below(p, COUNT);
    for (int i = 0; i < COUNT; i++) {
        const struct literal *literal = &literals[(start + i) % COUNT];
        struct expr *e = program_leaf(p, literal->elem, literal->text);
        if (!program_fits(e->type, want))
            continue;
        if (*literal->text == '-')
            e->pattern = arena_format(program_arena(p), "(%s)", literal->text);
        return e;
    }
    return NULL;
}

/* ---- any number ------------------------------------------------------------------------------ */

/* The first type of C's list that holds the value: 6.4.4.1. */
static enum ir_elem elem_of_integer(uint64_t value, bool is_decimal, bool is_unsigned, bool is_long)
{
    static const struct {
        enum ir_elem elem;
        uint64_t most;
        bool is_unsigned, is_long;
    } list[] = {{IR_I32, INT32_MAX, false, false},
                {IR_U32, UINT32_MAX, true, false},
                {IR_I64, INT64_MAX, false, true},
                {IR_U64, UINT64_MAX, true, true}};
    for (int i = 0; i < 3; i++) {
        bool has_sign = is_unsigned ? list[i].is_unsigned : !is_decimal || !list[i].is_unsigned;
        if (has_sign && (list[i].is_long || !is_long) && value <= list[i].most)
            return list[i].elem;
    }
    return IR_U64;
}

/* The digits in a base of 2 to 16, now and then with "'" between them. */
static void write_digits(struct program *p, struct text *text, uint64_t value, unsigned base)
{
    char digits[70];
    int count = 0;
    const char *letters = chance(p, 30) ? "0123456789ABCDEF" : "0123456789abcdef";
    do
        digits[count++] = letters[value % base];
    while ((value /= base) > 0);
    bool is_parted = chance(p, 10);
    while (count > 0) {
        text_char(text, digits[--count]);
        if (is_parted && count > 0 && chance(p, 30))
            text_char(text, '\'');
    }
}

/* What shows a literal's type, which its value alone does not: where it wraps, whether it has a
 * sign, and how far it may be shifted. */
static struct expr *typed_by(struct program *p, enum ir_elem elem, const char *text)
{
    static const struct {
        const char *pattern; /* %s: the literal */
        bool is_truth;
    } patterns[] = {
        {"(-%s / 3)", false},        {"((%1$s + %1$s) / 5)", false}, {"(~%s >> 1)", false},
        {"((%s << 1) >> 2)", false}, {"((1 - %s) %% 7)", false},     {"(%s - 1 >= 0 - %1$s)", true},
        {"(-1 < %s)", true},         {"(%s * 3 > %1$s)", true},      {"(-%s < 0)", true},
    };
    int which = below(p, 9);
    return program_leaf(p, patterns[which].is_truth ? IR_BOOL : program_usual(elem, IR_I32),
                        arena_format(program_arena(p), patterns[which].pattern, text));
}

static struct expr *integer(struct program *p)
{
    static const struct {
        const char *prefix;
        unsigned base;
    } bases[] = {{"", 10}, {"0x", 16}, {"0", 8}, {"0b", 2}, {"0X", 16}, {"0B", 2}, {"", 10}};
    static const struct {
        const char *text;
        bool is_unsigned, is_long;
    } suffixes[] = {{"", false, false},  {"", false, false},  {"", false, false},
                    {"u", true, false},  {"U", true, false},  {"l", false, true},
                    {"L", false, true},  {"ul", true, true},  {"LU", true, true},
                    {"ll", false, true}, {"LL", false, true}, {"uLL", true, true},
                    {"llu", true, true}, {"ULL", true, true}, {"lU", true, true}};
    int base = below(p, 7), suffix = below(p, 15);
    uint64_t value = random_bits(&p->g.random) >> (63 - below(p, 64));
    if (chance(p, 50)) { /* where the types end */
        static const int ends[] = {31, 32, 31, 63, 64, 15, 16};
        int end = ends[below(p, 7)];
        value = (end < 64 ? UINT64_C(1) << end : 0) - (uint64_t)below(p, 3) + 1;
    }
    bool is_decimal = bases[base].base == 10;
    if (is_decimal && !suffixes[suffix].is_unsigned)
        value &= INT64_MAX;
    struct text text;
    text_init(&text, program_arena(p));
    text_string(&text, bases[base].prefix);
    write_digits(p, &text, value, bases[base].base);
    text_string(&text, suffixes[suffix].text);
    enum ir_elem elem =
        elem_of_integer(value, is_decimal, suffixes[suffix].is_unsigned, suffixes[suffix].is_long);
    return chance(p, 40) ? typed_by(p, elem, text.items) : program_leaf(p, elem, text.items);
}

static struct expr *character(struct program *p)
{
    static const char *const escapes[] = {"\\t",  "\\r", "\\v", "\\a", "\\b", "\\f",
                                          "\\\"", "\\'", "\\?", "\"",  "\\0"};
    struct arena *arena = program_arena(p);
    int code = below(p, 256);
    /* '$', '@' and '%' are a pattern's own. */
    bool is_plain = code > 32 && code < 127 && !strchr("$@%#'\\", code);
    const char *text = chance(p, 30)   ? escapes[below(p, 11)]
                       : chance(p, 40) ? arena_format(arena, "\\x%x", code)
                       : is_plain      ? arena_format(arena, "%c", code)
                                       : arena_format(arena, "\\%o", code);
    return program_leaf(p, IR_I32, arena_format(arena, "'%s'", text));
}

/* Of float or, with a cast, of double; its exponent is far from the ends. */
static struct expr *real(struct program *p)
{
    /* 1: digits, 2: digits, 3: the exponent */
    static const char *const forms[] = {"1.2e3", "1.2E3", "1.e3", ".2e3", "1e3", "1.2"},
                             *const hexadecimal[] = {"0x1.2p3", "0X1.2P3", "0x1p3",
                                                     "0x.2p3",  "0x1.p3",  "0X.2p3"};
    bool is_double = chance(p, 35), is_hexadecimal = chance(p, 35);
    int exponent = below(p, is_double ? 400 : 50) - (is_double ? 200 : 30);
    uint64_t digits[2];
    digits[0] = (uint64_t)below(p, chance(p, 50) ? 10 : 100000);
    digits[1] = (uint64_t)below(p, 1 << 30);
    struct text text;
    text_init(&text, program_arena(p));
    text_string(&text, is_double ? "(double)" : "");
    const char *c = is_hexadecimal ? hexadecimal[below(p, 6)] : forms[below(p, 6)];
    for (; *c; c++)
        if (*c == '3')
            text_format(&text, "%s%d", exponent > 0 && exponent % 3 == 0 ? "+" : "", exponent);
        else if (*c == '1' || *c == '2')
            write_digits(p, &text, digits[*c - '1'], is_hexadecimal ? 16 : 10);
        else
            text_char(&text, *c);
    text_string(&text, is_double ? "" : chance(p, 70) ? "f" : "F");
    return program_leaf(p, is_double ? IR_F64 : IR_F32, text.items);
}

struct expr *program_literal(struct program *p, unsigned want)
{
    int choice = below(p, 10);
    struct expr *e = choice < 4   ? listed(p, want)
                     : choice < 8 ? (want & WANT_FLOAT ? real(p) : integer(p))
                     : choice < 9 ? character(p)
                                  : real(p);
    return program_fits(e->type, want) ? e : listed(p, want);
}

const char *program_number(struct program *p, enum ir_elem elem)
{
    static const char *const reals[] = {"0.5", "-2.25", "1e3", "0x1.4p1", "0.1", "7"};
    if (elem == IR_BOOL)
        return chance(p, 50) ? "true" : "false";
    if (program_is_float(elem))
        return reals[below(p, 6)];
    int number = below(p, chance(p, 80) ? 100 : 128);
    bool negative = kind_of(elem) == IR_KIND_SIGNED && chance(p, 30);
    return arena_format(program_arena(p), "%s%d", negative ? "-" : "", number);
}
