/*
 * MSL text to C++ text for the host.
 *
 * MSL is C++, so that almost everything is left to clang and to macros of metal_stdlib. Two things
 * need reading here, and for both a list of tokens is enough:
 *   - `threadgroup` where it declares a variable, not the target of a pointer: it becomes
 *     MSL_SHARED. That is where it stands in no parentheses (of a cast or of parameters) and no '*'
 *     or '&' follows before the name's end (`;`, `=`, `[` or `{`).
 *   - the parameters of kernels, whose attributes say what each one gets. For every kernel a
 *     wrapper is written behind the text, which takes all arguments in one form (msl_kernel_code).
 * Lines stay where they were, so that clang's messages and meeting places name MSL's own lines.
 */
#include "run/msl_host_parts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct msl_token {
    const char *at;
    size_t length;
};

struct msl_reader {
    struct msl_token *items; /* the last one is empty */
    size_t count, capacity;
    struct msl_source *source;
    struct arena *arena;
    struct diagnostics *diagnostics;
};

bool msl_host_fail(struct diagnostics *diagnostics, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, (struct source_range){0}, "%s", message);
    return false;
}

static bool is_word(char character)
{
    return isalnum((unsigned char)character) || character == '_';
}

/* The end of a comment, string, preprocessor line or blanks at `at`; at itself if there is none. */
static const char *skip_apart(const char *at, const char *end, bool line_start)
{
    if (isspace((unsigned char)*at))
        return at + 1;
    if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
        for (at += 2; at < end && !(at[0] == '*' && at + 1 < end && at[1] == '/'); at++)
            ;
        return end - at >= 2 ? at + 2 : end;
    }
    if ((end - at >= 2 && at[0] == '/' && at[1] == '/') || (*at == '#' && line_start)) {
        for (; at < end && *at != '\n'; at++)
            if (*at == '\\' && at + 1 < end)
                at++;
        return at;
    }
    return at;
}

static const char *skip_quoted(const char *at, const char *end)
{
    char quote = *at++;
    for (; at < end && *at != quote; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at < end ? at + 1 : end;
}

static void split_tokens(struct msl_reader *reader, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    bool line_start = true;
    while (at < end) {
        const char *next = skip_apart(at, end, line_start);
        if (next != at) {
            line_start = line_start || *at == '\n';
            at = next;
            continue;
        }
        line_start = false;
        if (*at == '"' || *at == '\'')
            next = skip_quoted(at, end);
        else if (is_word(*at))
            for (next = at; next < end && is_word(*next); next++)
                ;
        else
            next = at + 1;
        struct msl_token token = {at, (size_t)(next - at)};
        ARENA_PUSH(reader->arena, reader, token);
        at = next;
    }
    struct msl_token last = {end, 0};
    ARENA_PUSH(reader->arena, reader, last);
}

static bool token_is(const struct msl_reader *reader, size_t index, const char *text)
{
    if (index >= reader->count)
        return false;
    const struct msl_token *token = &reader->items[index];
    return token->length == strlen(text) && memcmp(token->at, text, token->length) == 0;
}

static char *token_copy(const struct msl_reader *reader, size_t index)
{
    return arena_copy_text(reader->arena, reader->items[index].at, reader->items[index].length);
}

/* ---- threadgroup variables ------------------------------------------------------------------- */

/* Whether the `threadgroup` at index, which stands in no parentheses, declares a variable. */
static bool declares_shared(const struct msl_reader *reader, size_t index)
{
    for (size_t i = index + 1; i < reader->count; i++) {
        if (token_is(reader, i, "*") || token_is(reader, i, "&"))
            return false;
        if (token_is(reader, i, ";") || token_is(reader, i, "=") || token_is(reader, i, "[") ||
            token_is(reader, i, "{"))
            return true;
    }
    return false;
}

static void copy_text(struct msl_reader *reader, const char *text)
{
    const char *done = text;
    int depth = 0;
    for (size_t i = 0; i < reader->count; i++) {
        depth += token_is(reader, i, "(") || token_is(reader, i, "[");
        depth -= token_is(reader, i, ")") || token_is(reader, i, "]");
        if (depth != 0 || !token_is(reader, i, "threadgroup") || !declares_shared(reader, i))
            continue;
        const struct msl_token *token = &reader->items[i];
        text_append(&reader->source->text, done, (size_t)(token->at - done));
        text_string(&reader->source->text, "MSL_SHARED");
        done = token->at + token->length;
    }
    const char *end = reader->items[reader->count - 1].at;
    text_append(&reader->source->text, done, (size_t)(end - done));
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* The end of a parameter at `index`: its `,` or the list's `)`. */
static size_t parameter_end(const struct msl_reader *reader, size_t index)
{
    int depth = 0;
    for (; index + 1 < reader->count; index++) {
        char first = reader->items[index].at[0];
        if (depth == 0 && (first == ',' || first == ')'))
            break;
        depth += first == '(' || first == '[' || first == '<';
        depth -= first == ')' || first == ']' || first == '>';
    }
    return index;
}

static bool is_position(const char *name)
{
    static const char *const names[] = {
#define NAME(name) #name,
        MSL_HOST_POSITIONS(NAME)
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Appends to the wrapper's call what the parameter in tokens [begin, end) gets. */
static bool add_argument(struct msl_reader *reader, struct msl_kernel *kernel, size_t begin,
                         size_t end)
{
    size_t mark = begin;
    while (mark < end && !(token_is(reader, mark, "[") && token_is(reader, mark + 1, "[")))
        mark++;
    if (mark == end || mark < begin + 2)
        return msl_host_fail(reader->diagnostics,
                             "kernel '%s' has a parameter without an attribute", kernel->name);
    const char *name = token_copy(reader, mark - 1), *attribute = token_copy(reader, mark + 2);
    const char *type = reader->items[begin].at;
    int type_length = (int)(reader->items[mark - 1].at - type);
    struct text *out = &reader->source->text;
    if (is_position(attribute)) {
        text_format(out, "msl_host::position<%.*s>::from(place->%s)", type_length, type, attribute);
        return true;
    }
    long index = -1;
    if (strcmp(attribute, "buffer") == 0)
        index = strtol(reader->items[mark + 4].at, NULL, 10);
    if (index < 0 || index >= MSL_HOST_BUFFERS)
        return msl_host_fail(reader->diagnostics,
                             "msl-host knows no attribute '%s' (parameter '%s' of kernel '%s')",
                             attribute, name, kernel->name);
    kernel->buffers[index] = name;
    kernel->types[index] = arena_copy_text(reader->arena, type, (size_t)type_length);
    text_format(out, "msl_host::argument<%.*s>::from(buffers[%ld])", type_length, type, index);
    return true;
}

/* The kernel whose parameter list begins at token `index`. */
static bool add_kernel(struct msl_reader *reader, const char *name, size_t index)
{
    struct msl_kernel kernel = {.name = name};
    struct text *out = &reader->source->text;
    text_format(out,
                "extern \"C\" __attribute__((visibility(\"default\"))) MSL_QUIET\n"
                "void msl_host_kernel_%s(void *const *buffers, const msl_host_place *place)\n"
                "{\n    ::%s(",
                name, name);
    while (!token_is(reader, index, ")")) {
        size_t end = parameter_end(reader, index);
        if (end + 1 >= reader->count)
            return msl_host_fail(reader->diagnostics, "kernel '%s' has no end of parameters", name);
        if (!add_argument(reader, &kernel, index, end))
            return false;
        index = end;
        if (token_is(reader, index, ",")) {
            text_string(out, ", ");
            index++;
        }
    }
    text_string(out, ");\n}\n");
    ARENA_PUSH(reader->arena, reader->source, kernel);
    return true;
}

static bool add_kernels(struct msl_reader *reader)
{
    for (size_t i = 0; i < reader->count; i++) {
        if (!token_is(reader, i, "kernel"))
            continue;
        size_t at = i + 1;
        while (at < reader->count && !token_is(reader, at, "void") && !token_is(reader, at, ";"))
            at++;
        if (!token_is(reader, at, "void") || !token_is(reader, at + 2, "("))
            continue;
        if (!add_kernel(reader, token_copy(reader, at + 1), at + 3))
            return false;
    }
    if (reader->source->count == 0)
        return msl_host_fail(reader->diagnostics, "the MSL text has no kernel");
    return true;
}

bool msl_source_read(struct msl_source *source, const char *text, size_t length,
                     struct arena *arena, struct diagnostics *diagnostics)
{
    struct msl_reader reader = {.source = source, .arena = arena, .diagnostics = diagnostics};
    text_init(&source->text, arena);
    split_tokens(&reader, text, length);
    copy_text(&reader, text);
    text_string(&source->text, "\n");
    return add_kernels(&reader);
}
