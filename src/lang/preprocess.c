/*
 * The preprocessor's streams; see preprocess.h.
 *
 * Tokens come from a stack of frames: files, and lists of tokens that macros made
 * (preprocess_expand.c). Directives are done on the way (preprocess_directive.c).
 */
#include "lang/preprocess_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct diagnostic *preprocess_fail(struct preprocessor *pp, struct source_range range,
                                   const char *format, ...)
{
    if (pp->stopped)
        return NULL;
    pp->stopped = true;
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return diagnostics_add(pp->diagnostics, DIAGNOSTIC_ERROR, range, "%s", message);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

struct frame *preprocess_push_frame(struct preprocessor *pp)
{
    struct frame *frame = pp->spare;
    if (frame)
        pp->spare = frame->below;
    else
        frame = ARENA_NEW(pp->arena, struct frame);
    *frame = (struct frame){.below = pp->top};
    pp->top = frame;
    return frame;
}

void preprocess_pop_frame(struct preprocessor *pp)
{
    struct frame *frame = pp->top;
    if (frame->macro)
        frame->macro->disabled = false;
    pp->top = frame->below;
    frame->below = pp->spare;
    pp->spare = frame;
}

void preprocess_push_list(struct preprocessor *pp, const struct token_list *list,
                          struct macro *macro)
{
    struct frame *frame = preprocess_push_frame(pp);
    frame->tokens = list->items;
    frame->count = list->count;
    frame->macro = macro;
    if (macro)
        macro->disabled = true;
}

/* Leaves the file on top; true when there is a file below to go on with. */
static bool leave_file(struct preprocessor *pp)
{
    if (pp->top->conditions) {
        preprocess_fail(pp, pp->top->conditions->range, "#if without #endif");
        return false;
    }
    if (!pp->top->below)
        return false;
    pp->include_depth--;
    preprocess_pop_frame(pp);
    return true;
}

struct token preprocess_end(const struct preprocessor *pp)
{
    struct token token = {.kind = TOKEN_END, .line_start = true, .text = ""};
    const struct frame *frame = pp->top;
    while (frame && !frame->is_file)
        frame = frame->below;
    if (frame)
        token.range = (struct source_range){frame->lexer.file, frame->lexer.at, frame->lexer.at};
    return token;
}

struct token preprocess_pull(struct preprocessor *pp)
{
    while (!pp->stopped && pp->top) {
        struct frame *frame = pp->top;
        if (frame->is_file) {
            struct token token = lexer_next(&frame->lexer);
            if (frame->lexer.broken)
                pp->stopped = true;
            else if (token.kind == TOKEN_END && !leave_file(pp))
                break;
            else if (token.line_start && token_is_sign(&token, '#'))
                preprocess_directive(pp, token);
            else if (token.kind != TOKEN_END)
                return token;
        } else if (frame->at < frame->count) {
            return frame->tokens[frame->at++];
        } else if (frame->barrier) {
            break;
        } else {
            preprocess_pop_frame(pp);
        }
    }
    return preprocess_end(pp);
}

void preprocess_unpull(struct preprocessor *pp, struct token token)
{
    if (token.kind == TOKEN_END)
        return; /* the end comes again by itself */
    struct token_list list = {
        .items = ARENA_NEW(pp->arena, struct token), .count = 1, .capacity = 1};
    list.items[0] = token;
    preprocess_push_list(pp, &list, NULL);
}

/* ---- Interface ------------------------------------------------------------------------------- */

struct preprocessor *preprocess_new(struct arena *arena, struct diagnostics *diagnostics,
                                    const struct source_file *file,
                                    const struct lang_define *defines, int define_count,
                                    struct lang_includer includer)
{
    struct preprocessor *pp = ARENA_NEW(arena, struct preprocessor);
    pp->arena = arena;
    pp->diagnostics = diagnostics;
    pp->includer = includer;
    preprocess_predefine(pp);
    for (int i = 0; i < define_count && !pp->stopped; i++)
        preprocess_define(pp, &defines[i]);
    if (!pp->stopped)
        preprocess_push_file(pp, file);
    return pp;
}

bool preprocess_stopped(const struct preprocessor *pp)
{
    return pp->stopped;
}

bool preprocess_uses_define(const struct preprocessor *pp, const char *name)
{
    for (size_t i = 0; i < pp->defines.count; i++)
        if (strcmp(pp->defines.items[i]->name, name) == 0 && pp->defines.items[i]->used)
            return true;
    return false;
}

const struct ast_expansion *preprocess_expansions(const struct preprocessor *pp, size_t *count)
{
    *count = pp->expansions.count;
    return pp->expansions.items;
}
