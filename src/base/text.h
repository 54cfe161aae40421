#ifndef TILEC_BASE_TEXT_H
#define TILEC_BASE_TEXT_H
/* Text builder: a growable NUL-terminated string in an arena. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>

struct text {
    struct arena *arena;
    char *items; /* always NUL-terminated once text_init ran */
    size_t count, capacity;
};

void text_init(struct text *text, struct arena *arena);
void text_append(struct text *text, const char *bytes, size_t length);
void text_string(struct text *text, const char *string);
void text_char(struct text *text, char character);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_format_list(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* A measured value, not negative, to four digits or more: large ones whole, never with an exponent.
 */
void text_measured(struct text *text, double value);

bool text_ends_with(const char *string, const char *end);

#endif
