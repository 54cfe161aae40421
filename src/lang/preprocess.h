#ifndef TILEC_LANG_PREPROCESS_H
#define TILEC_LANG_PREPROCESS_H
/*
 * A small C preprocessor between lexer and parser: #include "file", #define, #undef, #if and its
 * family, #error, #pragma once. Tokens are pulled one by one.
 *
 * Every token that a macro makes has the place of the macro's use, so that messages point to what
 * the user wrote; the uses are listed for notes that point to the definition.
 *
 * Whatever the input does, the work is bounded (limits in preprocess_internal.h). An error that
 * makes the rest meaningless sets `stopped`: from then on every token is TOKEN_END.
 */
#include "lang/ast.h"
#include "lang/lexer.h"

struct preprocessor;

/* Starts on a file. When the file itself cannot be read as text, adds an error and is stopped. */
struct preprocessor *preprocess_new(struct arena *arena, struct diagnostics *diagnostics,
                                    const struct source_file *file,
                                    const struct lang_define *defines, int define_count,
                                    struct lang_includer includer);
struct token preprocess_next(struct preprocessor *pp);
bool preprocess_stopped(const struct preprocessor *pp);

/* Whether the -D of that name had any effect: was used, or sets a constexpr parameter. */
bool preprocess_uses_define(const struct preprocessor *pp, const char *name);

/* The uses of macros so far, in order. */
const struct ast_expansion *preprocess_expansions(const struct preprocessor *pp, size_t *count);

#endif
