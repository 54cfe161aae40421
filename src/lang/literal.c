/* Numbers, characters and texts; see literal.h. */
#include "lang/literal.h"

#include "base/c_locale.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool fail(struct diagnostics *diagnostics, const struct token *token, const char *message,
                 const char *hint)
{
    struct diagnostic *d =
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, token->range, "%s", message);
    if (hint)
        diagnostics_hint(diagnostics, d, "%s", hint);
    return false;
}

/* ---- Integers -------------------------------------------------------------------------------- */

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* u, l, ll and their combinations; false when it is something else. */
static bool integer_suffix(const char *suffix, bool *is_unsigned, bool *is_long)
{
    static const struct {
        const char *text;
        bool is_unsigned, is_long;
    } suffixes[] = {{"", false, false},  {"u", true, false},  {"l", false, true},
                    {"ul", true, true},  {"lu", true, true},  {"ll", false, true},
                    {"ull", true, true}, {"llu", true, true}, {"uz", true, true}};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (strcasecmp(suffix, suffixes[i].text) == 0) {
            *is_unsigned = suffixes[i].is_unsigned;
            *is_long = suffixes[i].is_long;
            return true;
        }
    }
    return false;
}

/* The first type of C's list that holds the value. */
static enum ir_elem integer_elem(uint64_t value, bool decimal, bool is_unsigned, bool is_long)
{
    if (!is_unsigned && !is_long && value <= INT32_MAX)
        return IR_I32;
    if ((is_unsigned || !decimal) && !is_long && value <= UINT32_MAX)
        return IR_U32;
    if (!is_unsigned && value <= INT64_MAX)
        return IR_I64;
    return IR_U64;
}

static bool parse_integer(struct diagnostics *diagnostics, const struct token *token,
                          const char *text, struct ast_expression *out)
{
    int base = 10;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        base = 16;
    else if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
        base = 2;
    else if (text[0] == '0')
        base = 8;
    const char *at = text + (base == 16 || base == 2 ? 2 : 0);
    const char *first = at;
    uint64_t value = 0;
    for (; digit_value(*at) < base; at++)
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_value(*at), &value))
            return fail(diagnostics, token, "this constant does not fit in 64 bits", NULL);
    bool is_unsigned = false, is_long = false;
    if (at == first || !integer_suffix(at, &is_unsigned, &is_long))
        return fail(diagnostics, token, "this is not a number",
                    (base == 10 || base == 8) && strcasecmp(at, "f") == 0
                        ? "a float has a point: 1.0f"
                    : base == 8 && *at >= '8' && *at <= '9'
                        ? "a 0 in front makes it octal, which has no 8 and 9"
                    : *at == '_' ? "digits are grouped by ''': 1'000"
                                 : NULL);
    enum ir_elem elem = integer_elem(value, base == 10, is_unsigned, is_long);
    if (base == 10 && elem == IR_U64 && !is_unsigned)
        return fail(diagnostics, token, "this constant does not fit in 64 bits",
                    value == INT64_MAX + UINT64_C(1)
                        ? "the least integer is written INT64_MIN; an unsigned constant ends in 'u'"
                        : "an unsigned constant ends in 'u'");
    out->kind = AST_INTEGER;
    out->integer.value = value;
    out->integer.elem = elem;
    return true;
}

/* ---- Floating point -------------------------------------------------------------------------- */

static bool is_floating(const char *text)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    return strpbrk(text, hex ? ".pP" : ".eE") != NULL;
}

/* strtod and strtof, whatever locale the program has set. */
static double read_digits(const char *text, char **end, float *single)
{
    struct c_locale entered = c_locale_enter();
    *single = strtof(text, NULL);
    errno = 0;
    double value = strtod(text, end);
    int error = errno;
    c_locale_leave(entered);
    errno = error;
    return value;
}

static bool parse_floating(struct arena *arena, struct diagnostics *diagnostics,
                           const struct token *token, char *text, struct ast_expression *out)
{
    char *end;
    float single;
    double value = read_digits(text, &end, &single);
    bool too_large = errno == ERANGE && (value > 1 || value < -1);
    if (text[1] && strchr("xX", text[1]) && !strpbrk(text, "pP"))
        return fail(diagnostics, token, "a hexadecimal constant with a point needs an exponent",
                    "'p0' behind its digits, as in 0x1.8p0, leaves the value as it is");
    static const struct {
        const char *text;
        enum ir_elem elem;
    } suffixes[] = {{"", IR_F32}, {"f", IR_F32}, {"f16", IR_F16}, {"bf16", IR_BF16}};
    for (size_t i = 0; end != text && i < sizeof suffixes / sizeof *suffixes; i++) {
        if (strcasecmp(end, suffixes[i].text) == 0) {
            if (too_large)
                return fail(diagnostics, token, "this constant is too large for double",
                            "infinity is written INFINITY");
            out->kind = AST_FLOATING;
            out->floating.value = value;
            out->floating.single = single;
            out->floating.text = arena_copy_text(arena, text, (size_t)(end - text));
            out->floating.weak = end[0] == '\0';
            out->floating.elem = suffixes[i].elem;
            return true;
        }
    }
    if (end != text && strcasecmp(end, "d") == 0)
        return fail(diagnostics, token, "this is not a number",
                    "a double is written '(double)1.0'; without suffix a constant takes the other "
                    "operand's type");
    if (end != text && strcasecmp(end, "l") == 0)
        return fail(diagnostics, token, "long double is not supported", "leave out the 'l'");
    return fail(diagnostics, token, "this is not a number", NULL);
}

static bool parse_number(struct arena *arena, struct diagnostics *diagnostics,
                         const struct token *token, struct ast_expression *out)
{
    if (token->length > 4096)
        return fail(diagnostics, token, "this number is too long", NULL);
    char *text = arena_alloc(arena, (size_t)token->length + 1);
    size_t length = 0;
    for (uint32_t i = 0; i < token->length; i++)
        if (token->text[i] != '\'') /* 1'000 */
            text[length++] = token->text[i];
    if (is_floating(text))
        return parse_floating(arena, diagnostics, token, text, out);
    return parse_integer(diagnostics, token, text, out);
}

/* ---- Characters and texts -------------------------------------------------------------------- */

/* As UTF-8; false for what is no character. */
static bool append_character(struct text *out, uint32_t code)
{
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return false;
    int further = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    text_char(out, (char)(leads[further] | code >> 6 * further));
    while (further-- > 0)
        text_char(out, (char)(0x80 | (code >> 6 * further & 0x3f)));
    return true;
}

/* The number that up to `most` digits make, of which there must be one. */
static bool read_escape(const char **at, const char *end, int base, int most, uint32_t *value)
{
    int digits = 0;
    for (*value = 0; *at < end && digit_value(**at) < base && digits < most; digits++) {
        uint32_t digit = (uint32_t)digit_value(*(*at)++);
        *value = *value > UINT32_MAX / 16 ? UINT32_MAX : *value * (uint32_t)base + digit;
    }
    return digits > 0;
}

static const char unknown_escape[] = "unknown escape sequence";

/* Reads one character at *at, which moves on. What is wrong with it, or NULL. */
static const char *read_character(const char **at, const char *end, struct text *out)
{
    static const char too_large[] = "this escape sequence does not fit in a byte";
    char c = *(*at)++;
    uint32_t value;
    if (c != '\\' || *at == end) {
        text_char(out, c);
        return NULL;
    }
    c = *(*at)++;
    static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
    const char *name = strchr(names, c);
    if (c && name) {
        text_char(out, values[name - names]);
        return NULL;
    }
    if (c == 'u' || c == 'U') {
        const char *first = *at;
        int digits = c == 'u' ? 4 : 8;
        bool is_whole = read_escape(at, end, 16, digits, &value) && *at - first == digits;
        return is_whole && append_character(out, value) ? NULL : unknown_escape;
    }
    if (digit_value(c) < 8)
        --*at;
    if (c == 'x' ? !read_escape(at, end, 16, INT_MAX, &value)
                 : !read_escape(at, end, 8, 3, &value) || digit_value(c) >= 8)
        return unknown_escape;
    if (value > 255)
        return too_large;
    text_char(out, (char)value);
    return NULL;
}

/* The place of [begin, end) of the token's text, where that is the file's own. */
static struct token part_of(const struct token *token, const char *begin, const char *end)
{
    struct token part = *token;
    const struct source_file *file = token->range.file;
    if (file && token->text == file->text + token->range.begin) {
        part.range.begin += (uint32_t)(begin - token->text);
        part.range.end = part.range.begin + (uint32_t)(end - begin);
    }
    return part;
}

/* u8"...", L'x': the types that they have in C are not there. */
static bool refuse_prefix(struct diagnostics *diagnostics, const struct token *token,
                          uint32_t length)
{
    struct token prefix = part_of(token, token->text, token->text + length);
    struct diagnostic *d =
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, prefix.range,
                        "the prefix '%.*s' is not supported in kernels", (int)length, token->text);
    diagnostics_hint(diagnostics, d,
                     token->kind == TOKEN_TEXT ? "leave it out: a text is UTF-8"
                                               : "leave it out: 'a' is an int");
    return false;
}

/* The value of a character constant. */
static bool parse_character(struct diagnostics *diagnostics, const struct token *token,
                            const struct text *bytes, struct ast_expression *out)
{
    if (bytes->count == 0)
        return fail(diagnostics, token, "this character constant is empty",
                    "a character is written 'a', a blank ' '; a text stands in double quotes");
    if (bytes->count > 1 && (unsigned char)bytes->items[0] >= 0xc0)
        return fail(diagnostics, token, "a character constant holds one byte",
                    "characters beyond ASCII are several: write the number, such as 0xe9");
    if (bytes->count > 1)
        return fail(diagnostics, token, "a character constant holds one character",
                    "a text stands in double quotes");
    out->kind = AST_INTEGER;
    out->integer.value = (uint32_t)(signed char)bytes->items[0]; /* the bits of an int */
    out->integer.elem = IR_I32;
    return true;
}

static bool parse_quoted(struct arena *arena, struct diagnostics *diagnostics,
                         const struct token *token, struct ast_expression *out)
{
    uint32_t prefix = 0;
    while (token->text[prefix] != '"' && token->text[prefix] != '\'')
        prefix++;
    if (prefix > 0)
        return refuse_prefix(diagnostics, token, prefix);
    const char *at = token->text + 1, *end = token->text + token->length - 1;
    struct text bytes;
    text_init(&bytes, arena);
    while (at < end) {
        const char *first = at, *wrong = read_character(&at, end, &bytes);
        if (wrong) {
            struct token part = part_of(token, first, at);
            return fail(diagnostics, &part, wrong,
                        wrong == unknown_escape ? "a backslash is written '\\\\'" : NULL);
        }
    }
    if (token->kind == TOKEN_TEXT) {
        out->kind = AST_TEXT;
        out->text.bytes = bytes.items ? bytes.items : "";
        out->text.length = bytes.count;
        return true;
    }
    return parse_character(diagnostics, token, &bytes, out);
}

bool literal_parse(struct arena *arena, struct diagnostics *diagnostics, const struct token *token,
                   struct ast_expression *out)
{
    out->range = out->at = token->range;
    if (token->kind == TOKEN_NUMBER)
        return parse_number(arena, diagnostics, token, out);
    return parse_quoted(arena, diagnostics, token, out);
}
