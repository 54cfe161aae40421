/*
 * #define: a macro's parameters and body; see preprocess.h. What expansion relies on is checked
 * here: # stands before a parameter, ## between two tokens, and __VA_OPT__ before parentheses.
 *
 * A macro with '...' has one more parameter, whose name is __VA_ARGS__.
 */
#include "lang/preprocess_internal.h"

#include <string.h>

/* ---- Parameters ------------------------------------------------------------------------------ */

static bool is_dots(const struct token *token)
{
    return token_is_sign(token, SIGN3('.', '.', '.'));
}

/* GNU's `rest...`. */
static bool refuse_named_rest(struct preprocessor *pp, const struct token *name,
                              const struct token *dots)
{
    int length = (int)(name->length < 60 ? name->length : 60);
    struct diagnostic *d = preprocess_fail(pp, source_join(name->range, dots->range),
                                           "the '...' of a macro has no name of its own in C");
    diagnostics_hint(pp->diagnostics, d, "write '...', and '__VA_ARGS__' for '%.*s' in the body",
                     length, name->text);
    return false;
}

/* Adds a parameter that is a name or `...`. False after an error. */
static bool add_parameter(struct preprocessor *pp, struct macro *macro, struct token_list *names,
                          struct token token)
{
    if (names->count == PREPROCESS_MAX_PARAMETERS) {
        preprocess_fail(pp, token.range, "a macro has at most %d parameters",
                        PREPROCESS_MAX_PARAMETERS);
        return false;
    }
    if (macro_is_variadic_word(&token)) {
        preprocess_fail(pp, token.range, "a macro's parameter cannot have the name '%.*s'",
                        (int)token.length, token.text);
        return false;
    }
    if (macro_parameter(macro, &token) >= 0) {
        preprocess_fail(pp, token.range, "the macro has another parameter '%.*s'",
                        (int)(token.length < 60 ? token.length : 60), token.text);
        return false;
    }
    if (is_dots(&token)) {
        static const char name[] = "__VA_ARGS__";
        macro->variadic = true;
        token.kind = TOKEN_NAME;
        token.text = name;
        token.length = sizeof name - 1;
    }
    ARENA_PUSH(pp->arena, names, token);
    macro->parameters = names->items;
    macro->parameter_count = (int)names->count;
    return true;
}

/* Reads `(a, b)`; at stands behind the parenthesis. False after an error. */
static bool read_parameters(struct preprocessor *pp, struct macro *macro,
                            const struct token_list *line, size_t *at)
{
    struct token_list names = {0};
    if (*at < line->count && token_is_sign(&line->items[*at], ')')) {
        ++*at;
        return true;
    }
    while (*at + 1 < line->count) {
        const struct token *token = &line->items[(*at)++];
        const struct token *after = &line->items[(*at)++];
        if (token->kind == TOKEN_NAME && is_dots(after))
            return refuse_named_rest(pp, token, after);
        if (token->kind != TOKEN_NAME && !is_dots(token))
            break;
        if (!add_parameter(pp, macro, &names, *token))
            return false;
        if (token_is_sign(after, ')'))
            return true;
        if (macro->variadic) {
            preprocess_fail(pp, token->range, "'...' must be the last parameter of a macro");
            return false;
        }
        if (!token_is_sign(after, ','))
            break;
    }
    preprocess_fail(pp, line->items[0].range,
                    "the parameters of macro '%.100s' must be names, separated by ','",
                    macro->name);
    return false;
}

/* ---- Body ------------------------------------------------------------------------------------ */

/* Whether the item is __VA_ARGS__ or __VA_OPT__ where it means nothing, or stands wrongly. */
static bool check_variadic_word(struct preprocessor *pp, const struct macro *macro, size_t at,
                                size_t optional_end)
{
    const struct token_list *body = &macro->body;
    const struct token *token = &body->items[at];
    if (!macro_is_variadic_word(token))
        return true;
    int length = (int)token->length;
    if (!macro->variadic) {
        struct diagnostic *d = preprocess_fail(
            pp, token->range, "'%.*s' stands only in the body of a macro with '...'", length,
            token->text);
        diagnostics_hint(pp->diagnostics, d, "a last parameter '...' of '%.60s' makes it",
                         macro->name);
    } else if (!token_is_name(token, "__VA_OPT__")) {
        return true;
    } else if (at < optional_end) {
        preprocess_fail(pp, token->range, "'__VA_OPT__' cannot stand within another one");
    } else if (at + 1 == body->count || !token_is_sign(token + 1, '(')) {
        struct diagnostic *d =
            preprocess_fail(pp, token->range, "'__VA_OPT__' needs parentheses behind it");
        diagnostics_hint(pp->diagnostics, d,
                         "'__VA_OPT__(,)' is a comma where arguments are given for the '...'");
    } else if (macro_optional_end(macro, at) == body->count) {
        preprocess_fail(pp, token[1].range, "this '(' of '__VA_OPT__' is not closed");
    } else {
        return true;
    }
    return false;
}

/* `, ## __VA_ARGS__`, by which GNU C drops the comma. */
static bool check_comma(struct preprocessor *pp, const struct macro *macro, size_t at)
{
    const struct token *token = &macro->body.items[at];
    if (!macro->variadic || !token_is_sign(token - 1, ',') ||
        !token_is_name(token + 1, "__VA_ARGS__"))
        return true;
    struct diagnostic *d = preprocess_fail(pp, source_join(token[-1].range, token[1].range),
                                           "'##' between ',' and '__VA_ARGS__' is GNU's, not C's");
    diagnostics_hint(pp->diagnostics, d, "write '__VA_OPT__(,) __VA_ARGS__'");
    return false;
}

static bool is_paste(const struct token *token)
{
    return token_is_sign(token, SIGN2('#', '#'));
}

static bool check_body(struct preprocessor *pp, const struct macro *macro)
{
    const struct token_list *body = &macro->body;
    size_t optional_end = 0; /* of the __VA_OPT__ that was met last */
    for (size_t i = 0; i < body->count; i++) {
        const struct token *token = &body->items[i];
        bool last = i + 1 == body->count;
        if (!check_variadic_word(pp, macro, i, optional_end))
            return false;
        if (token_is_name(token, "__VA_OPT__"))
            optional_end = macro_optional_end(macro, i);
        if (macro->function_like && token_is_sign(token, '#') &&
            (last || (macro_parameter(macro, token + 1) < 0 &&
                      !(macro->variadic && token_is_name(token + 1, "__VA_OPT__"))))) {
            preprocess_fail(pp, token->range, "'#' must stand before a parameter of the macro");
            return false;
        }
        if (!is_paste(token))
            continue;
        if (last || i == 0 || is_paste(token + 1) || i + 1 == optional_end ||
            (i >= 2 && i < optional_end && token_is_name(token - 2, "__VA_OPT__"))) {
            preprocess_fail(pp, token->range, "'##' must stand between two tokens");
            return false;
        }
        if (!check_comma(pp, macro, i))
            return false;
    }
    return true;
}

/* ---- The line -------------------------------------------------------------------------------- */

static void warn_of_redefinition(struct preprocessor *pp, const struct macro *old,
                                 const struct macro *macro)
{
    diagnostics_add(pp->diagnostics, DIAGNOSTIC_WARNING, macro->definition,
                    "macro '%.100s' is defined again, differently", macro->name);
    if (old->definition.file)
        diagnostics_add(pp->diagnostics, DIAGNOSTIC_NOTE, old->definition,
                        "the earlier definition is here");
}

void preprocess_define_line(struct preprocessor *pp, const struct token_list *line)
{
    const struct token *name = &line->items[0];
    struct macro *macro = ARENA_NEW(pp->arena, struct macro);
    macro->name = token_copy(pp->arena, name);
    macro->length = name->length;
    macro->definition = name->range;
    size_t at = 1;
    if (line->count > 1 && token_is_sign(&line->items[1], '(') && !line->items[1].space_before) {
        macro->function_like = true;
        at = 2;
        if (!read_parameters(pp, macro, line, &at))
            return;
    }
    for (; at < line->count; at++)
        ARENA_PUSH(pp->arena, &macro->body, line->items[at]);
    if (!check_body(pp, macro))
        return;
    struct macro *old = macro_find(pp, name);
    if (old && !macro_same(old, macro))
        warn_of_redefinition(pp, old, macro);
    macro_remove(pp, name);
    macro_add(pp, macro);
}
