/* Text builder; see text.h. */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

void text_init(struct text *text, struct arena *arena)
{
    *text = (struct text){.arena = arena, .capacity = 256};
    text->items = arena_alloc(arena, text->capacity);
}

static void text_reserve(struct text *text, size_t more)
{
    while (text->capacity - text->count <= more)
        text->items = arena_grow(text->arena, text->items, text->count, &text->capacity, 1);
}

void text_append(struct text *text, const char *bytes, size_t length)
{
    if (!length)
        return;
    text_reserve(text, length);
    memcpy(text->items + text->count, bytes, length);
    text->count += length;
    text->items[text->count] = '\0';
}

void text_string(struct text *text, const char *string)
{
    text_append(text, string, strlen(string));
}

void text_char(struct text *text, char character)
{
    text_append(text, &character, 1);
}

/* Into what room there is, and once more where that was not enough. */
void text_format_list(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t room = text->capacity - text->count;
    int length = vsnprintf(text->items + text->count, room, format, arguments);
    if (length > 0) {
        if ((size_t)length >= room) {
            text_reserve(text, (size_t)length);
            vsnprintf(text->items + text->count, (size_t)length + 1, format, again);
        }
        text->count += (size_t)length;
    }
    va_end(again);
}

void text_format(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_format_list(text, format, arguments);
    va_end(arguments);
}

void text_measured(struct text *text, double value)
{
    const double four_digits = 9999.5; /* from here on %.4g writes exponents */
    text_format(text, value < four_digits ? "%.4g" : "%.0f", value);
}

bool text_ends_with(const char *string, const char *end)
{
    size_t length = strlen(string), tail = strlen(end);
    return length >= tail && strcmp(string + length - tail, end) == 0;
}
