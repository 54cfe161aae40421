/*
 * Macro expansion; see preprocess.h.
 *
 * Expanding a macro pushes a list of tokens and disables the macro until the list has been read, so
 * no macro expands within itself; its name there is painted and stays a name. Arguments are
 * expanded on their own first, in a frame with a barrier that hides what follows.
 */
#include "lang/preprocess_internal.h"

#include <stdio.h>
#include <string.h>

struct call {
    struct macro *macro;
    struct source_range use;
    struct token_list *arguments; /* as written */
    struct token_list *expanded;  /* made when first needed */
    bool *is_expanded;
};

/* Counts a token that expansion handles; false when that was one too many. */
static bool count_token(struct preprocessor *pp, const struct call *call)
{
    if (++pp->expanded <= PREPROCESS_MAX_EXPANDED)
        return true;
    struct diagnostic *d =
        preprocess_fail(pp, call->use, "macro '%.100s' expands to too much", call->macro->name);
    diagnostics_hint(pp->diagnostics, d, "macros may handle %d tokens in all",
                     PREPROCESS_MAX_EXPANDED);
    return false;
}

/* Counts the bytes of a token that # or ## is about to make: each may double what it is given. */
static bool count_spelt(struct preprocessor *pp, const struct call *call, size_t length)
{
    pp->spelt += length;
    if (pp->spelt <= PREPROCESS_MAX_SPELT)
        return true;
    struct diagnostic *d =
        preprocess_fail(pp, call->use, "macro '%.100s' expands to too much", call->macro->name);
    diagnostics_hint(pp->diagnostics, d, "# and ## may make %d bytes in all", PREPROCESS_MAX_SPELT);
    return false;
}

static bool refuse_count(struct preprocessor *pp, const struct call *call, int count)
{
    const struct macro *macro = call->macro;
    int wanted = macro->parameter_count - macro->variadic;
    preprocess_fail(pp, call->use, "macro '%.100s' takes %s%d argument%s, but %d %s given",
                    macro->name, macro->variadic ? "at least " : "", wanted, wanted == 1 ? "" : "s",
                    count, count == 1 ? "is" : "are");
    if (macro->definition.file)
        diagnostics_add(pp->diagnostics, DIAGNOSTIC_NOTE, macro->definition,
                        "macro '%.100s' is defined here", macro->name);
    return false;
}

/* Reads `(a, b)` behind a macro's name. False when there is no call, or after an error. */
static bool read_arguments(struct preprocessor *pp, struct call *call)
{
    struct token token = preprocess_pull(pp);
    if (!token_is_sign(&token, '(')) {
        preprocess_unpull(pp, token);
        return false;
    }
    int wanted = call->macro->parameter_count, count = 0, depth = 1;
    bool variadic = call->macro->variadic; /* the last argument holds commas, or is missing */
    size_t slots = (size_t)wanted + 1;
    call->arguments = ARENA_ARRAY(pp->arena, struct token_list, slots);
    call->expanded = ARENA_ARRAY(pp->arena, struct token_list, slots);
    call->is_expanded = ARENA_ARRAY(pp->arena, bool, slots);
    pp->collecting = true;
    for (;;) {
        token = preprocess_pull(pp);
        if (!count_token(pp, call))
            return false;
        if (token.kind == TOKEN_END) {
            preprocess_fail(pp, call->use, "missing ')' after the arguments of macro '%.100s'",
                            call->macro->name);
            return false;
        }
        if (token_is_sign(&token, '('))
            depth++;
        if (token_is_sign(&token, ')') && --depth == 0)
            break;
        if (token_is_sign(&token, ',') && depth == 1 && !(variadic && count == wanted - 1))
            count++;
        else if (count < wanted || (wanted == 0 && count == 0))
            ARENA_PUSH(pp->arena, &call->arguments[count], token);
    }
    pp->collecting = false;
    call->use = source_join(call->use, token.range);
    if (wanted > 0 || count > 0 || call->arguments[0].count > 0)
        count++;
    return count == wanted || (variadic && count == wanted - 1) || refuse_count(pp, call, count);
}

static void emit(struct preprocessor *pp, struct call *call, struct token_list *out,
                 struct token token, bool from_body)
{
    if (!count_token(pp, call))
        return;
    if (from_body) {
        token.range = call->use;
        token.expanded = true;
    }
    token.line_start = false;
    ARENA_PUSH(pp->arena, out, token);
}

static size_t spelt_length(const struct token_list *argument)
{
    size_t length = 2;
    for (size_t i = 0; i < argument->count; i++)
        length += argument->items[i].length + 1;
    return length;
}

/* #parameter: the argument's spelling in quotes. */
static struct token make_text(struct preprocessor *pp, const struct call *call,
                              const struct token_list *argument)
{
    struct text text;
    text_init(&text, pp->arena);
    if (!count_spelt(pp, call, spelt_length(argument)))
        return (struct token){.kind = TOKEN_TEXT, .text = "\"\"", .length = 2};
    text_char(&text, '"');
    for (size_t i = 0; i < argument->count; i++) {
        const struct token *t = &argument->items[i];
        if (i && (t->space_before || t->line_start))
            text_char(&text, ' ');
        for (uint32_t k = 0; k < t->length; k++) {
            bool quoted = t->kind == TOKEN_TEXT || t->kind == TOKEN_CHARACTER;
            if (quoted && (t->text[k] == '"' || t->text[k] == '\\'))
                text_char(&text, '\\');
            text_char(&text, t->text[k]);
        }
    }
    text_char(&text, '"');
    return (struct token){.kind = TOKEN_TEXT, .text = text.items, .length = (uint32_t)text.count};
}

/* Stands for an operand of ## that is nothing: pasted to a token it gives that token, and does not
 * let it meet its neighbour. `x a ## b` with an empty a is `x b`. */
static bool is_placemarker(const struct token *token)
{
    return token->length == 0;
}

/* left ## right: one token spelt as both. */
static struct token paste(struct preprocessor *pp, struct call *call, struct token left,
                          struct token right)
{
    if (!count_spelt(pp, call, (size_t)left.length + right.length))
        return left;
    struct source_file *file = ARENA_NEW(pp->arena, struct source_file);
    file->name = "<pasted>";
    file->text = arena_format(pp->arena, "%.*s%.*s", (int)left.length, left.text, (int)right.length,
                              right.text);
    file->length = strlen(file->text);
    struct lexer lexer;
    lexer_init(&lexer, file, pp->arena, NULL);
    struct token token = lexer_next(&lexer);
    if (token.length != file->length || lexer.broken)
        preprocess_fail(pp, call->use, "pasting '%.*s' and '%.*s' does not give one token",
                        (int)(left.length < 60 ? left.length : 60), left.text,
                        (int)(right.length < 60 ? right.length : 60), right.text);
    token.space_before = left.space_before;
    return token;
}

static const struct token_list *expanded_argument(struct preprocessor *pp, struct call *call, int i)
{
    if (!call->is_expanded[i]) {
        call->is_expanded[i] = true;
        call->expanded[i] = preprocess_expand(pp, &call->arguments[i]);
    }
    return &call->expanded[i];
}

static struct token_list without_placemarkers(struct token_list list)
{
    size_t count = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (!is_placemarker(&list.items[i]))
            list.items[count++] = list.items[i];
        else if (i + 1 < list.count)
            list.items[i + 1].space_before |= list.items[i].space_before;
    }
    list.count = count;
    return list;
}

static struct token_list substitute(struct preprocessor *pp, struct call *call, size_t begin,
                                    size_t end);

/* What `__VA_OPT__(content)` stands for; *i moves on to its last token. */
static struct token_list optional(struct preprocessor *pp, struct call *call, size_t *i)
{
    size_t begin = *i + 2, end = macro_optional_end(call->macro, *i);
    *i = end;
    if (begin == end || !expanded_argument(pp, call, call->macro->parameter_count - 1)->count)
        return (struct token_list){0};
    return substitute(pp, call, begin, end);
}

/* What the body's item at *i stands for; *i moves on to the last token of it. */
static struct token_list operand(struct preprocessor *pp, struct call *call, size_t *i)
{
    const struct macro *macro = call->macro;
    const struct token_list *body = &macro->body;
    struct token *item = &body->items[*i];
    bool pasted = (*i > 0 && token_is_sign(item - 1, SIGN2('#', '#'))) ||
                  (*i + 1 < body->count && token_is_sign(item + 1, SIGN2('#', '#')));
    int parameter = macro_parameter(macro, item);
    if (parameter >= 0)
        return pasted ? call->arguments[parameter] : *expanded_argument(pp, call, parameter);
    if (macro->variadic && token_is_name(item, "__VA_OPT__"))
        return optional(pp, call, i);
    struct token_list one = {.items = item, .count = 1};
    if (macro->function_like && token_is_sign(item, '#')) {
        parameter = macro_parameter(macro, &body->items[++*i]);
        struct token_list text = parameter >= 0 ? call->arguments[parameter]
                                                : without_placemarkers(optional(pp, call, i));
        one.items = ARENA_NEW(pp->arena, struct token);
        *one.items = make_text(pp, call, &text);
    }
    return one;
}

/* [begin, end) of the body with the arguments in place of the parameters, and placemarkers. */
static struct token_list substitute(struct preprocessor *pp, struct call *call, size_t begin,
                                    size_t end)
{
    static const struct token placemarker = {.kind = TOKEN_OTHER, .text = ""};
    const struct token_list *body = &call->macro->body;
    struct token_list out = {.items = ARENA_ARRAY(pp->arena, struct token, end - begin),
                             .capacity = end - begin};
    bool space = false;
    for (size_t i = begin; i < end && !pp->stopped; i++) {
        bool pastes = token_is_sign(&body->items[i], SIGN2('#', '#'));
        i += pastes;
        space |= body->items[i].space_before;
        bool from_body = macro_parameter(call->macro, &body->items[i]) < 0 &&
                         !token_is_name(&body->items[i], "__VA_OPT__");
        struct token_list tokens = operand(pp, call, &i);
        bool is_pasted =
            pastes || (i + 1 < end && token_is_sign(&body->items[i + 1], SIGN2('#', '#')));
        if (!tokens.count && is_pasted) {
            tokens.items = ARENA_NEW(pp->arena, struct token);
            *tokens.items = placemarker;
            tokens.count = 1;
        }
        for (size_t k = 0; k < tokens.count && !pp->stopped; k++) {
            struct token token = tokens.items[k];
            bool meets = k == 0 && pastes && !is_placemarker(&out.items[out.count - 1]);
            if (k == 0)
                token.space_before = pastes ? out.items[out.count - 1].space_before : space;
            if (meets && is_placemarker(&token))
                continue;
            if (k == 0 && pastes)
                out.count--;
            if (meets)
                token = paste(pp, call, out.items[out.count], token);
            emit(pp, call, &out, token, from_body || meets);
        }
        space &= tokens.count == 0;
    }
    return out;
}

/* What C's compilers predefine, and kernels do without. Nothing of it is 0 by accident. */
static bool refuse_predefined(struct preprocessor *pp, const struct token *name)
{
    static const char *const names[] = {
        "__BASE_FILE__",     "__COUNTER__", "__DATE__",        "__FILE__",        "__FILE_NAME__",
        "__INCLUDE_LEVEL__", "__TIME__",    "__TIMESTAMP__",   "__has_attribute", "__has_builtin",
        "__has_c_attribute", "__has_embed", "__has_extension", "__has_feature",   "__has_include",
    };
    if (name->length < 8 || name->text[0] != '_' || name->text[1] != '_')
        return false;
    if (macro_is_variadic_word(name)) {
        preprocess_fail(pp, name->range, "'%.*s' stands only in the body of a macro with '...'",
                        (int)name->length, name->text);
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (token_is_name(name, names[i])) {
            preprocess_fail(pp, name->range, "'%s' is not supported in kernels", names[i]);
            return true;
        }
    }
    return false;
}

/* __LINE__: that in which the macro's call ends, for one of a macro's. */
static void make_line_number(struct preprocessor *pp, struct token *name)
{
    const struct source_range *range = &name->range;
    uint32_t at = name->expanded ? range->end : range->begin;
    int line = range->file ? source_locate(range->file, at).line : 0;
    name->kind = TOKEN_NUMBER;
    name->text = arena_format(pp->arena, "%d", line);
    name->length = (uint32_t)strlen(name->text);
}

/* Replaces a name by its macro's expansion. False when it stays a name. */
static bool expand(struct preprocessor *pp, struct token *name)
{
    if (name->kind != TOKEN_NAME || name->painted)
        return false;
    struct macro *macro = macro_find(pp, name);
    if (!macro && refuse_predefined(pp, name))
        return false;
    if (!macro || (macro->is_parameter && !pp->in_condition))
        return false;
    if (!macro->definition.file && token_is_name(name, "__LINE__")) {
        make_line_number(pp, name);
        return false;
    }
    if (macro->disabled) {
        name->painted = true;
        return false;
    }
    struct call call = {.macro = macro, .use = name->range};
    if (macro->function_like && !read_arguments(pp, &call))
        return false;
    if (!name->expanded && macro->definition.file && !pp->in_condition) {
        struct ast_expansion expansion = {call.use, macro->definition, macro->name};
        ARENA_PUSH(pp->arena, &pp->expansions, expansion);
    }
    struct token_list list = without_placemarkers(substitute(pp, &call, 0, macro->body.count));
    if (list.count)
        list.items[0].space_before = name->space_before || name->line_start;
    preprocess_push_list(pp, &list, macro);
    return true;
}

/* `defined X` and `defined(X)` as 1 or 0, whose name is not expanded. */
static struct token whether_defined(struct preprocessor *pp, struct token token)
{
    struct token name = preprocess_pull(pp), end = {0};
    bool paren = token_is_sign(&name, '(');
    if (paren) {
        name = preprocess_pull(pp);
        end = preprocess_pull(pp);
    }
    if (name.kind != TOKEN_NAME || (paren && !token_is_sign(&end, ')'))) {
        preprocess_fail(pp, token.range, "'defined' needs a name");
        return preprocess_end(pp);
    }
    token.kind = TOKEN_NUMBER;
    token.text = macro_find(pp, &name) ? "1" : "0";
    token.length = 1;
    return token;
}

struct token preprocess_next(struct preprocessor *pp)
{
    bool space = false; /* before macros that expanded to nothing */
    for (;;) {
        struct token token = preprocess_pull(pp);
        if (pp->stopped)
            return preprocess_end(pp);
        token.space_before |= space;
        if (pp->in_condition && token_is_name(&token, "defined"))
            return whether_defined(pp, token);
        if (!expand(pp, &token))
            return pp->stopped ? preprocess_end(pp) : token;
        space = token.space_before || token.line_start;
    }
}

struct token_list preprocess_expand(struct preprocessor *pp, const struct token_list *list)
{
    struct token_list result = {0};
    if (pp->nesting >= PREPROCESS_MAX_NESTING) {
        struct source_range range = list->count ? list->items[0].range : preprocess_end(pp).range;
        preprocess_fail(pp, range, "macro calls are nested too deeply");
        return result;
    }
    pp->nesting++;
    preprocess_push_list(pp, list, NULL);
    struct frame *frame = pp->top;
    frame->barrier = true;
    for (struct token t = preprocess_next(pp); t.kind != TOKEN_END; t = preprocess_next(pp))
        ARENA_PUSH(pp->arena, &result, t);
    if (!pp->stopped)
        preprocess_pop_frame(pp);
    pp->nesting--;
    return result;
}
