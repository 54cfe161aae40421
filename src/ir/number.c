/*
 * Elements as text.
 *
 * Decimals are read with one rounding only: the digits make an integer below 2^53 and the power of
 * ten is exact too, so that one multiplication or division rounds correctly (Clinger's fast path).
 * What that cannot express is printed as bits. The printer takes the fewest digits which the reader
 * turns back into the same bits, so that the round trip is exact by construction, and so that no
 * function of the C library depends on the locale.
 */
#include "ir/number.h"
#include "ir/eval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The largest power of ten that a double holds exactly, and the integers it does. */
enum { EXACT_POWER = 22 };
static const uint64_t exact_integers = UINT64_C(1) << 53;

static double power_of_ten(int exponent)
{
    double power = 1;
    for (int i = 0; i < exponent; i++)
        power *= 10; /* exact up to EXACT_POWER */
    return power;
}

/* digits * 10^exponent, correctly rounded; false when more than one rounding would be needed. */
static bool decimal_value(uint64_t digits, int exponent, double *value)
{
    while (exponent > EXACT_POWER && digits <= exact_integers / 10) {
        digits *= 10;
        exponent--;
    }
    if (digits > exact_integers || exponent > EXACT_POWER || exponent < -EXACT_POWER)
        return digits == 0 && (*value = 0, true);
    if (exponent < 0)
        *value = (double)digits / power_of_ten(-exponent);
    else
        *value = (double)digits * power_of_ten(exponent);
    return true;
}

/* ---- printing ------------------------------------------------------------------------------ */

/* The digits of |value|, count of them, without a point; returns the exponent of the first. */
static int decimal_digits(double value, int count, char *digits)
{
    char buffer[40];
    snprintf(buffer, sizeof buffer, "%.*e", count - 1, fabs(value));
    int length = 0, exponent = 0;
    const char *c = buffer;
    for (; *c && *c != 'e'; c++) { /* skips the point, whatever the locale makes of it */
        if (*c >= '0' && *c <= '9' && length < count)
            digits[length++] = *c;
    }
    digits[length] = '\0';
    if (*c == 'e')
        sscanf(c + 1, "%d", &exponent);
    return exponent;
}

/* Writes d.ddd, or with an exponent where plain form would need many zeros. */
static void print_decimal(bool negative, const char *digits, int exponent, struct text *out)
{
    int count = (int)strlen(digits);
    if (negative)
        text_char(out, '-');
    if (exponent < -5 || exponent > 16) {
        text_format(out, "%c", digits[0]);
        if (count > 1)
            text_format(out, ".%s", digits + 1);
        text_format(out, "e%d", exponent);
        return;
    }
    if (exponent < 0)
        text_string(out, "0.");
    for (int i = exponent; i < -1; i++)
        text_char(out, '0');
    for (int i = 0; i < count || i <= exponent; i++) {
        text_char(out, i < count ? digits[i] : '0');
        if (i == exponent)
            text_string(out, i + 1 < count ? "." : ".0");
    }
}

static void print_bits(uint64_t bits, enum ir_elem elem, struct text *out)
{
    text_format(out, "0x%0*" PRIx64, ir_elems[elem].bits / 4, bits);
}

static void print_float(uint64_t bits, enum ir_elem elem, struct text *out)
{
    double value = ir_eval_to_double(bits, elem);
    if (isnan(value)) {
        if (bits == ir_eval_from_double((double)NAN, elem))
            text_string(out, "nan");
        else
            print_bits(bits, elem, out);
        return;
    }
    if (isinf(value)) {
        text_string(out, value < 0 ? "-inf" : "inf");
        return;
    }
    bool negative = signbit(value);
    for (int count = 1; count <= 17; count++) {
        char digits[24];
        int exponent = decimal_digits(value, count, digits);
        size_t from = out->count;
        print_decimal(negative, digits, exponent, out);
        uint64_t again;
        if (ir_element_read(out->items + from, out->count - from, elem, &again) && again == bits)
            return;
        out->count = from;
        out->items[from] = '\0';
    }
    print_bits(bits, elem, out);
}

void ir_element_print(uint64_t bits, enum ir_elem elem, struct text *out)
{
    int unused = 64 - ir_elems[elem].bits;
    switch (ir_elems[elem].kind) {
    case IR_KIND_BOOL:
        text_string(out, bits ? "true" : "false");
        return;
    case IR_KIND_SIGNED:
        text_format(out, "%" PRId64, (int64_t)(bits << unused) >> unused);
        return;
    case IR_KIND_UNSIGNED:
        text_format(out, "%" PRIu64, bits);
        return;
    case IR_KIND_FLOAT:
        print_float(bits, elem, out);
        return;
    }
}

const char *ir_element_text(uint64_t bits, enum ir_elem elem, struct arena *arena)
{
    struct text text;
    text_init(&text, arena);
    ir_element_print(bits, elem, &text);
    return text.items;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* A run of digits in some base that ends the text. */
static bool read_digits(const char *text, size_t length, unsigned base, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;
        if (digit >= base || *value > (UINT64_MAX - digit) / base)
            return false;
        *value = *value * base + digit;
    }
    return length > 0;
}

/* digits[.digits][e[-]digits] */
static bool read_decimal(const char *text, size_t length, double *value)
{
    uint64_t digits = 0;
    int exponent = 0, seen = 0;
    size_t i = 0;
    bool behind_point = false;
    for (; i < length && text[i] != 'e'; i++) {
        if (text[i] == '.' && !behind_point && seen > 0) {
            behind_point = true;
        } else if (text[i] >= '0' && text[i] <= '9' && digits < UINT64_MAX / 100) {
            digits = digits * 10 + (uint64_t)(text[i] - '0');
            exponent -= behind_point;
            seen++;
        } else {
            return false;
        }
    }
    if (i < length) {
        bool negative = i + 1 < length && text[i + 1] == '-';
        uint64_t power;
        i += negative ? 2 : 1;
        if (!read_digits(text + i, length - i, 10, &power) || power > 1000)
            return false;
        exponent += negative ? -(int)power : (int)power;
    }
    /* Zeros at the end of the digits only cost exactness; decimal_value puts back what it needs. */
    while (digits > 0 && digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return seen > 0 && decimal_value(digits, exponent, value);
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool read_float(const char *text, size_t length, enum ir_elem elem, uint64_t *bits)
{
    if (is_word(text, length, "nan")) {
        *bits = ir_eval_from_double((double)NAN, elem);
        return true;
    }
    bool negative = length > 0 && text[0] == '-';
    double value;
    text += negative;
    length -= negative;
    if (is_word(text, length, "inf"))
        value = (double)INFINITY;
    else if (!read_decimal(text, length, &value))
        return false;
    *bits = ir_eval_from_double(negative ? -value : value, elem);
    return true;
}

bool ir_integer_read(const char *text, size_t length, int64_t *value)
{
    bool negative = length > 0 && text[0] == '-';
    uint64_t magnitude;
    if (!read_digits(text + negative, length - negative, 10, &magnitude) ||
        magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

static bool read_integer(const char *text, size_t length, enum ir_elem elem, uint64_t *bits)
{
    int width = ir_elems[elem].bits;
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    int64_t value;
    if (!ir_is_signed(elem))
        return read_digits(text, length, 10, bits) && *bits <= mask;
    if (!ir_integer_read(text, length, &value))
        return false;
    int64_t top = (int64_t)(mask >> 1);
    *bits = (uint64_t)value & mask;
    return value <= top && value >= -top - 1;
}

bool ir_element_read(const char *text, size_t length, enum ir_elem elem, uint64_t *bits)
{
    int width = ir_elems[elem].bits;
    if (length > 2 && text[0] == '0' && text[1] == 'x')
        return read_digits(text + 2, length - 2, 16, bits) && (width == 64 || *bits >> width == 0);
    switch (ir_elems[elem].kind) {
    case IR_KIND_BOOL:
        *bits = is_word(text, length, "true");
        return *bits || is_word(text, length, "false");
    case IR_KIND_SIGNED:
    case IR_KIND_UNSIGNED:
        return read_integer(text, length, elem, bits);
    case IR_KIND_FLOAT:
        break;
    }
    return read_float(text, length, elem, bits);
}
