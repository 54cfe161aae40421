/* Diagnostics as data; see diagnostics.h. */
#include "base/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void diagnostics_init(struct diagnostics *diagnostics, struct arena *arena)
{
    *diagnostics = (struct diagnostics){.arena = arena};
}

/* A word (a name, that is) may be as long as a file; of such a one the beginning is enough. */
enum { SHOWN_WORD = 400 };

static void shorten_words(char *text)
{
    char *to = text;
    size_t word = 0;
    for (const char *from = text; *from; from++) {
        word = *from == ' ' ? 0 : word + 1;
        bool last = from[1] == '\0' || from[1] == ' ';
        if (word <= SHOWN_WORD || last)
            *to++ = *from;
        else if (word <= SHOWN_WORD + 3)
            *to++ = '.';
    }
    *to = '\0';
}

static const char *format_in_arena(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    if (length > SHOWN_WORD)
        shorten_words(text);
    va_end(again);
    return text;
}

/* Code for several processors is generated from the same source, and says of it the same each time. */
static bool is_noted(const struct diagnostics *diagnostics, const struct diagnostic *note)
{
    for (size_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *other = &diagnostics->items[i];
        if (other->kind == note->kind && other->range.file == note->range.file &&
            other->range.begin == note->range.begin && other->range.end == note->range.end &&
            strcmp(other->message, note->message) == 0)
            return true;
    }
    return false;
}

struct diagnostic *diagnostics_add(struct diagnostics *diagnostics, enum diagnostic_kind kind,
                                   struct source_range range, const char *format, ...)
{
    if (kind == DIAGNOSTIC_ERROR)
        diagnostics->dropped = ++diagnostics->error_count > DIAGNOSTICS_MAX_ERRORS;
    else if (kind != DIAGNOSTIC_NOTE)
        diagnostics->dropped = ++diagnostics->warning_count > DIAGNOSTICS_MAX_WARNINGS;
    if (diagnostics->dropped)
        return NULL;
    struct diagnostic diagnostic = {.kind = kind, .range = range};
    va_list arguments;
    va_start(arguments, format);
    diagnostic.message = format_in_arena(diagnostics->arena, format, arguments);
    va_end(arguments);
    if (kind == DIAGNOSTIC_PERF && is_noted(diagnostics, &diagnostic)) {
        diagnostics->warning_count--;
        diagnostics->dropped = true;
        return NULL;
    }
    ARENA_PUSH(diagnostics->arena, diagnostics, diagnostic);
    return &diagnostics->items[diagnostics->count - 1];
}

void diagnostics_hint(struct diagnostics *diagnostics, struct diagnostic *diagnostic,
                      const char *format, ...)
{
    if (!diagnostic)
        return;
    va_list arguments;
    va_start(arguments, format);
    diagnostic->hint = format_in_arena(diagnostics->arena, format, arguments);
    va_end(arguments);
}

bool diagnostics_full(const struct diagnostics *diagnostics)
{
    return diagnostics->error_count >= DIAGNOSTICS_MAX_ERRORS;
}

static const char *const kind_names[] = {
    [DIAGNOSTIC_ERROR] = "error",
    [DIAGNOSTIC_WARNING] = "warning",
    [DIAGNOSTIC_NOTE] = "note",
    [DIAGNOSTIC_PERF] = "perf",
};

/* Shows at most this much of a line, around the place; longer lines are cut. */
enum { SHOWN_WIDTH = 160 };

/* One line of source and the marks below it. Bytes that are not printable ASCII become '?', tabs
 * become spaces, so that the caret stands where it should on every terminal. */
static void print_snippet(struct source_range range, struct source_position at, struct text *out)
{
    size_t column = (size_t)at.column - 1;
    size_t first = column > SHOWN_WIDTH / 2 ? column - SHOWN_WIDTH / 2 : 0;
    size_t last = at.line_length - first > SHOWN_WIDTH ? first + SHOWN_WIDTH : at.line_length;
    for (size_t i = first; i < last; i++) {
        char c = at.line_text[i];
        text_char(out, c == '\t' ? ' ' : (c >= ' ' && c <= '~') ? c : '?');
    }
    text_char(out, '\n');
    for (size_t i = first; i < column; i++)
        text_char(out, ' ');
    text_char(out, '^');
    for (size_t i = column + 1; i < last && i < column + (range.end - range.begin); i++)
        text_char(out, '~');
    text_char(out, '\n');
}

void diagnostics_print(const struct diagnostic *diagnostic, struct text *out)
{
    struct source_range range = diagnostic->range;
    struct source_position at = source_locate(range.file, range.begin);
    if (range.file)
        text_format(out, "%s:%d:%d: ", range.file->name, at.line, at.column);
    else
        text_string(out, "tilec: ");
    text_format(out, "%s: %s\n", kind_names[diagnostic->kind], diagnostic->message);
    if (range.file)
        print_snippet(range, at, out);
    if (diagnostic->hint)
        text_format(out, "hint: %s\n", diagnostic->hint);
}
