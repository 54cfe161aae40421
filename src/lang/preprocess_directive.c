/* The preprocessor's lines that start with #; see preprocess.h. All of them act on the file that is
 * on top of the stack of frames. */
#include "base/suggest.h"
#include "lang/preprocess_internal.h"

#include <string.h>

static struct lexer *lexer_of(struct preprocessor *pp)
{
    return &pp->top->lexer;
}

/* The tokens up to the end of the line; the first token of the next line stays unread. */
static struct token_list read_line(struct preprocessor *pp)
{
    struct token_list line = {0};
    struct lexer *lexer = lexer_of(pp);
    for (;;) {
        struct lexer before = *lexer;
        struct diagnostics *diagnostics = lexer->diagnostics;
        lexer->diagnostics = NULL; /* what starts on a later line is read again */
        struct token token = lexer_next(lexer);
        bool mine = token.kind != TOKEN_END && !token.line_start;
        if (!mine || lexer->broken)
            *lexer = before;
        if (!mine)
            return line;
        lexer->diagnostics = diagnostics;
        if (lexer->at == before.at) {
            lexer_next(lexer); /* broken: now say so */
            pp->stopped = true;
            return line;
        }
        ARENA_PUSH(pp->arena, &line, token);
    }
}

static struct source_range line_range(const struct token_list *line, struct token directive)
{
    return line->count ? line->items[0].range : directive.range;
}

static bool expect_line_end(struct preprocessor *pp, const struct token_list *line, size_t used,
                            struct token directive)
{
    if (line->count <= used)
        return true;
    struct diagnostic *d =
        preprocess_fail(pp, line->items[used].range, "unexpected text behind #%.*s",
                        (int)directive.length, directive.text);
    if (token_is_name(&directive, "else") && token_is_name(&line->items[used], "if"))
        diagnostics_hint(pp->diagnostics, d, "'else if' is written '#elif'");
    else if (token_is_name(&directive, "else") || token_is_name(&directive, "endif"))
        diagnostics_hint(pp->diagnostics, d, "a comment is written '// text'");
    return false;
}

/* ---- #define, #undef ------------------------------------------------------------------------- */

static bool read_macro_name(struct preprocessor *pp, const struct token_list *line,
                            struct token directive, struct token *name)
{
    if (!line->count || line->items[0].kind != TOKEN_NAME) {
        preprocess_fail(pp, line_range(line, directive), "#%.*s needs a name",
                        (int)directive.length, directive.text);
        return false;
    }
    *name = line->items[0];
    char *text = token_copy(pp->arena, name);
    if (macro_is_variadic_word(name)) {
        preprocess_fail(pp, name->range, "'%s' cannot be a macro", text);
        return false;
    }
    if (ast_is_builtin(text) || strcmp(text, "defined") == 0) {
        preprocess_fail(pp, name->range, "'%.100s' is a built-in and cannot be a macro", text);
        return false;
    }
    return true;
}

static void do_define(struct preprocessor *pp, struct token directive)
{
    struct token_list line = read_line(pp);
    struct token name;
    if (read_macro_name(pp, &line, directive, &name))
        preprocess_define_line(pp, &line);
}

static void do_undef(struct preprocessor *pp, struct token directive)
{
    struct token_list line = read_line(pp);
    struct token name;
    if (read_macro_name(pp, &line, directive, &name) && expect_line_end(pp, &line, 1, directive))
        macro_remove(pp, &name);
}

/* ---- #include, #pragma, #error --------------------------------------------------------------- */

static bool is_editor_header(const char *name)
{
    return strcmp(name, "tilec/kernel.h") == 0;
}

/* The name between the quotes or angle brackets; NULL after an error. */
static char *read_include_name(struct preprocessor *pp, const struct token_list *line,
                               struct token directive, bool *quoted)
{
    const struct token *first = line->count ? &line->items[0] : NULL;
    const struct token *last = line->count ? &line->items[line->count - 1] : NULL;
    *quoted = first && first->kind == TOKEN_TEXT && first->text[0] == '"';
    if (*quoted && expect_line_end(pp, line, 1, directive))
        return arena_copy_text(pp->arena, first->text + 1, first->length - 2);
    if (first && !*quoted && token_is_sign(first, '<') && token_is_sign(last, '>'))
        return arena_copy_text(pp->arena, first->text + 1, (size_t)(last->text - first->text - 1));
    preprocess_fail(pp, line_range(line, directive), "#include needs a \"file\"");
    return NULL;
}

static bool included_once(const struct preprocessor *pp, const char *name)
{
    for (const struct once_file *file = pp->once; file; file = file->next)
        if (strcmp(file->name, name) == 0)
            return true;
    return false;
}

static void include_file(struct preprocessor *pp, const char *name, struct source_range range)
{
    if (!pp->includer.read) {
        preprocess_fail(pp, range, "cannot include '%.200s': no files can be read here", name);
        return;
    }
    if (pp->include_depth >= PREPROCESS_MAX_INCLUDE_DEPTH ||
        ++pp->file_count > PREPROCESS_MAX_FILES) {
        struct diagnostic *d =
            preprocess_fail(pp, range, "too many #include: does '%.200s' include itself?", name);
        diagnostics_hint(pp->diagnostics, d, "write '#pragma once' at the top of included files");
        return;
    }
    struct source_file *file = ARENA_NEW(pp->arena, struct source_file);
    const char *message = NULL;
    if (!pp->includer.read(pp->includer.user, pp->arena, lexer_of(pp)->file->name, name, file,
                           &message))
        preprocess_fail(pp, range, "cannot include '%.200s': %.200s", name,
                        message ? message : "it cannot be read");
    else if (!included_once(pp, file->name))
        preprocess_push_file(pp, file);
}

static void do_include(struct preprocessor *pp, struct token directive)
{
    bool quoted;
    struct token_list line = read_line(pp);
    if (!pp->stopped && line.count && line.items[0].kind == TOKEN_NAME) {
        struct token_list expanded = preprocess_expand(pp, &line);
        line = expanded.count ? expanded : line;
    }
    char *name = pp->stopped ? NULL : read_include_name(pp, &line, directive, &quoted);
    if (!name || is_editor_header(name))
        return;
    struct source_range range = source_join(line.items[0].range, line.items[line.count - 1].range);
    if (quoted) {
        include_file(pp, name, range);
        return;
    }
    struct diagnostic *d = preprocess_fail(pp, range, "cannot include <%.200s>", name);
    diagnostics_hint(pp->diagnostics, d,
                     "only <tilec/kernel.h> and \"files\" beside the kernel can be included; the "
                     "types of <stdint.h> and the functions of <math.h> are built in");
}

static void do_pragma(struct preprocessor *pp, struct token directive)
{
    struct token_list line = read_line(pp);
    const struct token *first = line.count ? &line.items[0] : &directive;
    if (token_is_name(first, "once")) {
        struct once_file *once = ARENA_NEW(pp->arena, struct once_file);
        *once = (struct once_file){lexer_of(pp)->file->name, pp->once};
        pp->once = once;
    } else if (!token_is_name(first, "clang") && !token_is_name(first, "GCC")) {
        struct diagnostic *d = diagnostics_add(pp->diagnostics, DIAGNOSTIC_WARNING, first->range,
                                               "this #pragma has no effect");
        if (token_is_name(first, "unroll"))
            diagnostics_hint(pp->diagnostics, d,
                             "leave it out: how loops are unrolled is chosen when code is made");
        else if (token_is_name(first, "omp"))
            diagnostics_hint(pp->diagnostics, d,
                             "leave it out: the programs of a launch run on all cores");
    }
}

/* The rest of the line as it is written. */
static void do_message(struct preprocessor *pp, struct token directive, bool is_error)
{
    const char *text = lexer_rest_of_line(lexer_of(pp));
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        length--;
    int shown = length > 300 ? 300 : (int)length;
    if (is_error)
        preprocess_fail(pp, directive.range, "#error %.*s", shown, text);
    else
        diagnostics_add(pp->diagnostics, DIAGNOSTIC_WARNING, directive.range, "%.*s", shown, text);
}

/* ---- #if and its family ---------------------------------------------------------------------- */

static bool is_if(const struct token *token)
{
    return token_is_name(token, "if") || token_is_name(token, "ifdef") ||
           token_is_name(token, "ifndef");
}

/* Whether the branch that a line opens is to be read. */
static bool evaluate_line(struct preprocessor *pp, struct token directive)
{
    struct token_list line = read_line(pp);
    if (pp->stopped)
        return false;
    bool ifdef = token_is_name(&directive, "ifdef") || token_is_name(&directive, "elifdef");
    bool ifndef = token_is_name(&directive, "ifndef") || token_is_name(&directive, "elifndef");
    if (!ifdef && !ifndef)
        return preprocess_condition(pp, &line, directive);
    if (!line.count || line.items[0].kind != TOKEN_NAME) {
        preprocess_fail(pp, line_range(&line, directive), "#%.*s needs a name",
                        (int)directive.length, directive.text);
        return false;
    }
    if (!expect_line_end(pp, &line, 1, directive))
        return false;
    return (macro_find(pp, &line.items[0]) != NULL) == ifdef;
}

/* #elif and its like, #else, #endif of the innermost #if. True when its lines are to be read. */
static bool next_branch(struct preprocessor *pp, struct token directive)
{
    struct condition *open = pp->top->conditions;
    bool is_else = token_is_name(&directive, "else"), is_endif = token_is_name(&directive, "endif");
    if (is_else || is_endif) {
        struct token_list line = read_line(pp);
        if (pp->stopped || !expect_line_end(pp, &line, 0, directive))
            return false;
    }
    if (is_endif) {
        pp->top->conditions = open->outer;
        return true;
    }
    if (open->seen_else) {
        preprocess_fail(pp, directive.range, "#%.*s behind #else", (int)directive.length,
                        directive.text);
        return false;
    }
    open->seen_else = is_else;
    bool read = !open->taken && (is_else || evaluate_line(pp, directive));
    open->taken = open->taken || read;
    return read;
}

static bool is_branch(const struct token *token)
{
    return token_is_name(token, "elif") || token_is_name(token, "elifdef") ||
           token_is_name(token, "elifndef") || token_is_name(token, "else") ||
           token_is_name(token, "endif");
}

/* #elseif and #elsif would be skipped with what stands behind them. */
static void warn_of_elseif(struct preprocessor *pp, const struct token *token)
{
    if (!token_is_name(token, "elseif") && !token_is_name(token, "elsif"))
        return;
    struct diagnostic *d =
        diagnostics_add(pp->diagnostics, DIAGNOSTIC_WARNING, token->range,
                        "'#%.*s' is no directive and is skipped", (int)token->length, token->text);
    diagnostics_hint(pp->diagnostics, d, "did you mean '#elif'?");
}

/* Skips lines until a branch of the innermost #if is to be read, or it ends. */
static void skip_branches(struct preprocessor *pp)
{
    struct lexer *lexer = lexer_of(pp);
    size_t inner = 0; /* #if that were opened in skipped lines */
    while (!pp->stopped) {
        lexer->diagnostics = NULL;
        struct token token = lexer_next(lexer);
        lexer->broken = false; /* an apostrophe in skipped text */
        lexer->diagnostics = pp->diagnostics;
        if (token.kind == TOKEN_END)
            return; /* leave_file reports it */
        if (!token.line_start || !token_is_sign(&token, '#'))
            continue;
        struct lexer before = *lexer;
        token = lexer_next(lexer);
        if (token.line_start || token.kind != TOKEN_NAME)
            *lexer = before;
        else if (is_if(&token))
            inner++;
        else if (inner && token_is_name(&token, "endif"))
            inner--;
        else if (!inner && is_branch(&token) && next_branch(pp, token))
            return;
        else if (!inner)
            warn_of_elseif(pp, &token);
    }
}

static void do_if(struct preprocessor *pp, struct token directive)
{
    bool read = evaluate_line(pp, directive);
    if (pp->stopped)
        return;
    struct condition *condition = ARENA_NEW(pp->arena, struct condition);
    *condition =
        (struct condition){.range = directive.range, .taken = read, .outer = pp->top->conditions};
    pp->top->conditions = condition;
    if (!read)
        skip_branches(pp);
}

/* A branch begins where lines were read: the rest of the #if is skipped. */
static void do_branch(struct preprocessor *pp, struct token directive)
{
    if (!pp->top->conditions)
        preprocess_fail(pp, directive.range, "#%.*s without #if", (int)directive.length,
                        directive.text);
    else if (!next_branch(pp, directive))
        skip_branches(pp);
}

/* Others of C, and what is none. */
static void refuse_directive(struct preprocessor *pp, struct token hash, const struct token *token)
{
    static const struct {
        const char *name, *hint; /* NULL: known here */
    } directives[] = {
        {"define", NULL},
        {"elif", NULL},
        {"else", NULL},
        {"elifdef", NULL},
        {"elifndef", NULL},
        {"elseif", NULL},
        {"endif", NULL},
        {"error", NULL},
        {"if", NULL},
        {"ifdef", NULL},
        {"ifndef", NULL},
        {"include", NULL},
        {"pragma", NULL},
        {"undef", NULL},
        {"warning", NULL},
        {"embed", "a table of constants holds numbers"},
        {"ident", "leave it out"},
        {"import", "write '#include', and '#pragma once' at the top of included files"},
        {"include_next", "write '#include'"},
        {"line", "messages name the lines of this file"},
    };
    struct suggestion suggestion = {.name = token_copy(pp->arena, token)};
    const char *hint = NULL;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        suggestion_offer(&suggestion, directives[i].name);
        if (token_is_name(token, directives[i].name))
            hint = directives[i].hint;
    }
    int length = (int)(token->length < 60 ? token->length : 60);
    if (token->kind == TOKEN_NUMBER) { /* # 1 "file" */
        struct diagnostic *d = preprocess_fail(
            pp, token->range, "lines with '#' and a number are not supported in kernels");
        diagnostics_hint(
            pp->diagnostics, d,
            "a preprocessor leaves them out with '-P'; a comment is written '// text'");
        return;
    }
    struct diagnostic *d =
        preprocess_fail(pp, token->range,
                        hint ? "'#%.*s' is not supported in kernels" : "unknown directive '#%.*s'",
                        length, token->text);
    bool far = token->range.begin > hash.range.end; /* # text */
    if (hint)
        diagnostics_hint(pp->diagnostics, d, "%s", hint);
    else if (suggestion.best && !far)
        diagnostics_hint(pp->diagnostics, d, "did you mean '#%s'?",
                         strcmp(suggestion.best, "elseif") ? suggestion.best : "elif");
    else if (far)
        diagnostics_hint(pp->diagnostics, d, "a comment is written '// text'");
}

void preprocess_directive(struct preprocessor *pp, struct token hash)
{
    if (pp->collecting) {
        preprocess_fail(pp, hash.range, "a directive cannot stand in the arguments of a macro");
        return;
    }
    struct lexer *lexer = lexer_of(pp);
    struct lexer before = *lexer;
    struct token token = lexer_next(lexer);
    if (token.line_start || token.kind == TOKEN_END) {
        *lexer = before; /* a # alone */
    } else if (token_is_name(&token, "define")) {
        do_define(pp, token);
    } else if (token_is_name(&token, "undef")) {
        do_undef(pp, token);
    } else if (token_is_name(&token, "include")) {
        do_include(pp, token);
    } else if (is_if(&token)) {
        do_if(pp, token);
    } else if (is_branch(&token)) {
        do_branch(pp, token);
    } else if (token_is_name(&token, "error") || token_is_name(&token, "warning")) {
        do_message(pp, token, token_is_name(&token, "error"));
    } else if (token_is_name(&token, "pragma")) {
        do_pragma(pp, token);
    } else {
        refuse_directive(pp, hash, &token);
    }
}
