/*
 * The preprocessor's streams and macro expansion; see preprocess.h.
 *
 * Tokens come from a stack of frames: files, and lists of tokens. Expanding a macro pushes a list
 * and disables the macro until the list has been read, so no macro expands within itself; its name
 * there is painted and stays a name. Arguments are expanded on their own first, in a frame with a
 * barrier that hides what follows.
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

/* ---- Macros by name -------------------------------------------------------------------------- */

static uint32_t hash_name(const char *text, uint32_t length)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static void insert(struct preprocessor *pp, struct macro *macro)
{
    struct macro **bucket = &pp->buckets[macro->hash & (pp->bucket_count - 1)];
    macro->next = *bucket;
    *bucket = macro;
}

static void grow_buckets(struct preprocessor *pp)
{
    struct macro **old = pp->buckets;
    uint32_t count = pp->bucket_count;
    pp->bucket_count = count ? count * 4 : MACRO_BUCKETS;
    pp->buckets = ARENA_ARRAY(pp->arena, struct macro *, pp->bucket_count);
    for (uint32_t i = 0; i < count; i++) {
        for (struct macro *macro = old[i], *next; macro; macro = next) {
            next = macro->next;
            insert(pp, macro);
        }
    }
}

void macro_add(struct preprocessor *pp, struct macro *macro)
{
    if (pp->macro_count >= pp->bucket_count)
        grow_buckets(pp);
    macro->hash = hash_name(macro->name, macro->length);
    pp->macro_count++;
    insert(pp, macro);
}

static struct macro **find_place(struct preprocessor *pp, const struct token *name)
{
    uint32_t hash = hash_name(name->text, name->length);
    struct macro **place = &pp->buckets[hash & (pp->bucket_count - 1)];
    while (*place && ((*place)->hash != hash || (*place)->length != name->length ||
                      memcmp((*place)->name, name->text, name->length) != 0))
        place = &(*place)->next;
    return place;
}

struct macro *macro_find(struct preprocessor *pp, const struct token *name)
{
    struct macro *macro = *find_place(pp, name);
    if (macro)
        macro->used = true;
    return macro;
}

void macro_remove(struct preprocessor *pp, const struct token *name)
{
    struct macro **place = find_place(pp, name);
    if (!*place)
        return;
    *place = (*place)->next; /* still listed among the defines */
    pp->macro_count--;
}

static bool same_tokens(const struct token *a, const struct token *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].length != b[i].length || memcmp(a[i].text, b[i].text, a[i].length) != 0)
            return false;
    return true;
}

bool macro_same(const struct macro *a, const struct macro *b)
{
    return a->function_like == b->function_like && a->parameter_count == b->parameter_count &&
           a->body.count == b->body.count &&
           same_tokens(a->parameters, b->parameters, (size_t)a->parameter_count) &&
           same_tokens(a->body.items, b->body.items, a->body.count);
}

int macro_parameter(const struct macro *macro, const struct token *token)
{
    if (token->kind == TOKEN_NAME)
        for (int i = 0; i < macro->parameter_count; i++)
            if (macro->parameters[i].length == token->length &&
                memcmp(macro->parameters[i].text, token->text, token->length) == 0)
                return i;
    return -1;
}

/* What <limits.h>, <stdint.h> and <float.h> give a kernel that runs through a C compiler too. */
static const struct {
    const char *name, *text;
} predefined[] = {
    {"__TILEC__", "1"},
    {"__STDC_VERSION__", "202311l"},
    {"__LINE__", ""}, /* see expand */
    {"INT8_MIN", "(-128)"},
    {"INT8_MAX", "127"},
    {"UINT8_MAX", "255"},
    {"INT16_MIN", "(-32768)"},
    {"INT16_MAX", "32767"},
    {"UINT16_MAX", "65535"},
    {"INT32_MIN", "(-2147483647 - 1)"},
    {"INT32_MAX", "2147483647"},
    {"UINT32_MAX", "4294967295u"},
    {"INT64_MIN", "(-9223372036854775807l - 1)"},
    {"INT64_MAX", "9223372036854775807l"},
    {"UINT64_MAX", "18446744073709551615ul"},
    {"INT_MIN", "(-2147483647 - 1)"},
    {"INT_MAX", "2147483647"},
    {"UINT_MAX", "4294967295u"},
    {"CHAR_BIT", "8"},
    {"SHRT_MIN", "(-32768)"},
    {"SHRT_MAX", "32767"},
    {"USHRT_MAX", "65535"},
    {"LONG_MIN", "(-9223372036854775807l - 1)"},
    {"LONG_MAX", "9223372036854775807l"},
    {"ULONG_MAX", "18446744073709551615ul"},
    {"SIZE_MAX", "18446744073709551615ul"},
    {"FLT_MAX", "3.40282346638528859811704183484516925e+38f"},
    {"FLT_MIN", "1.17549435082228750796873653722224568e-38f"},
    {"FLT_EPSILON", "1.1920928955078125e-7f"},
    {"DBL_MAX", "((double)1.7976931348623157e+308)"},
    {"DBL_MIN", "((double)2.2250738585072014e-308)"},
    {"DBL_EPSILON", "((double)2.2204460492503131e-16)"},
};

static struct macro *add_text_macro(struct preprocessor *pp, const char *name, const char *value,
                                    struct source_range definition, const struct source_file *file,
                                    uint32_t value_at)
{
    struct macro *macro = ARENA_NEW(pp->arena, struct macro);
    macro->name = name;
    macro->length = (uint32_t)strlen(name);
    macro->definition = definition;
    macro->is_define = definition.file != NULL;
    struct source_file *own = ARENA_NEW(pp->arena, struct source_file);
    *own = (struct source_file){"<predefined>", value, strlen(value)};
    struct lexer lexer;
    lexer_init(&lexer, file ? file : own, pp->arena, pp->diagnostics);
    lexer.at = value_at;
    for (struct token t = lexer_next(&lexer); t.kind != TOKEN_END; t = lexer_next(&lexer)) {
        t.line_start = false;
        ARENA_PUSH(pp->arena, &macro->body, t);
    }
    if (lexer.broken)
        pp->stopped = true;
    macro_add(pp, macro);
    return macro;
}

static bool is_name(struct preprocessor *pp, const char *text)
{
    struct source_file file = {"", text, strlen(text)};
    struct lexer lexer;
    lexer_init(&lexer, &file, pp->arena, NULL);
    struct token token = lexer_next(&lexer);
    return token.kind == TOKEN_NAME && token.length == file.length;
}

/* A -D becomes a macro that stands in a file of its own, "<command line>", for messages. */
static void add_define(struct preprocessor *pp, const struct lang_define *define)
{
    struct source_file *file = ARENA_NEW(pp->arena, struct source_file);
    const char *value = define->value ? define->value : "1";
    file->name = "<command line>";
    file->text = arena_format(pp->arena, "-D %s=%s", define->name, value);
    file->length = strlen(file->text);
    uint32_t name_end = 3 + (uint32_t)strlen(define->name);
    struct source_range range = {file, 3, name_end};
    if (!is_name(pp, define->name)) {
        preprocess_fail(pp, range, "'%.100s' cannot be defined: not a name", define->name);
        return;
    }
    if (ast_is_builtin(define->name)) {
        preprocess_fail(pp, range, "'%s' cannot be defined: it is a built-in", define->name);
        return;
    }
    struct macro *macro = add_text_macro(pp, define->name, value, range, file, name_end + 1);
    ARENA_PUSH(pp->arena, &pp->defines, macro);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static struct frame *push_frame(struct preprocessor *pp)
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

static void pop_frame(struct preprocessor *pp)
{
    struct frame *frame = pp->top;
    if (frame->macro)
        frame->macro->disabled = false;
    pp->top = frame->below;
    frame->below = pp->spare;
    pp->spare = frame;
}

static void push_list(struct preprocessor *pp, const struct token_list *list, struct macro *macro)
{
    struct frame *frame = push_frame(pp);
    frame->tokens = list->items;
    frame->count = list->count;
    frame->macro = macro;
    if (macro)
        macro->disabled = true;
}

static void mark_parameter(struct preprocessor *pp, const struct token *name)
{
    struct macro *macro = macro_find(pp, name);
    if (macro && macro->is_define)
        macro->is_parameter = true;
}

/* `int N` or `const float *X` up to a comma or the end: the name behind at least one other token. A
 * lone name is a macro for a whole parameter. What stands behind '=', ':' or '[' cannot be there,
 * and will be said. Gives the token behind. */
static struct token find_kernel_parameters(struct preprocessor *pp, struct lexer *lexer)
{
    struct token t = lexer_next(lexer), last = {0};
    for (int count = 0; t.kind != TOKEN_END; t = lexer_next(lexer)) {
        bool ends = token_is_sign(&t, ')');
        if (ends || token_is_sign(&t, ',')) {
            if (last.kind && count > 1)
                mark_parameter(pp, &last);
            if (ends)
                break;
            count = -1;
        } else if (token_is_sign(&t, '=') || token_is_sign(&t, ':') || token_is_sign(&t, '[')) {
            if (last.kind && count > 1)
                mark_parameter(pp, &last);
        } else if (token_is_sign(&t, ';') || token_is_sign(&t, '{')) {
            break; /* not a list of parameters after all */
        }
        last = t.kind == TOKEN_NAME ? t : (struct token){0};
        count++;
    }
    return t;
}

/* Marks the -D names that a file declares as parameters: `constexpr int BLOCK,`, and those of
 * `kernel void NAME(...)`. They are values for lowering, and must stay names in the text. A look
 * ahead over the raw tokens. */
static void find_parameters(struct preprocessor *pp, const struct source_file *file)
{
    struct lexer lexer;
    lexer_init(&lexer, file, pp->arena, NULL);
    struct token last = {0};
    bool within = false;
    int heading = 0; /* tokens since `kernel` */
    for (struct token t = lexer_next(&lexer); t.kind != TOKEN_END; t = lexer_next(&lexer)) {
        if (heading == 3 && token_is_sign(&t, '('))
            t = find_kernel_parameters(pp, &lexer);
        heading = token_is_name(&t, "kernel")           ? 1
                  : heading > 0 && t.kind == TOKEN_NAME ? heading + 1
                                                        : 0;
        if (token_is_name(&t, "constexpr")) {
            within = true;
            last = (struct token){0};
        } else if (within && t.kind == TOKEN_NAME) {
            last = t;
        } else if (within && last.kind && (token_is_sign(&t, ',') || token_is_sign(&t, ')'))) {
            mark_parameter(pp, &last);
            within = false;
        } else {
            within = false;
        }
    }
}

/* Whether a file is text. Control characters tell that it is not; then one message is enough. */
static bool check_text(struct preprocessor *pp, const struct source_file *file)
{
    if (file->length > LEXER_MAX_BYTES) {
        preprocess_fail(pp, (struct source_range){NULL, 0, 0}, "'%.200s' is too large: %zu bytes",
                        file->name, file->length);
        return false;
    }
    for (size_t i = 0; i < file->length; i++) {
        unsigned char c = (unsigned char)file->text[i];
        if (c == '\r' && (i + 1 == file->length || file->text[i + 1] != '\n')) {
            struct diagnostic *d = preprocess_fail(
                pp, (struct source_range){NULL, 0, 0},
                "'%.200s' holds a carriage return without a line feed at offset %zu", file->name,
                i);
            diagnostics_hint(pp->diagnostics, d, "lines end with LF or CR LF");
            return false;
        }
        if ((c >= ' ' && c != 127) || (c >= '\t' && c <= '\r'))
            continue;
        /* Without a place: the line would not be worth seeing. */
        preprocess_fail(pp, (struct source_range){NULL, 0, 0},
                        "'%.200s' is not a text file: it holds a byte 0x%02x at offset %zu",
                        file->name, c, i);
        return false;
    }
    return true;
}

void preprocess_push_file(struct preprocessor *pp, const struct source_file *file)
{
    if (!check_text(pp, file))
        return;
    if (pp->defines.count)
        find_parameters(pp, file);
    struct frame *frame = push_frame(pp);
    frame->is_file = true;
    lexer_init(&frame->lexer, file, pp->arena, pp->diagnostics);
    pp->include_depth++;
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
    pop_frame(pp);
    return true;
}

static struct token end_token(const struct preprocessor *pp)
{
    struct token token = {.kind = TOKEN_END, .line_start = true, .text = ""};
    const struct frame *frame = pp->top;
    while (frame && !frame->is_file)
        frame = frame->below;
    if (frame)
        token.range = (struct source_range){frame->lexer.file, frame->lexer.at, frame->lexer.at};
    return token;
}

/* The next token before expansion. Directives are done on the way. */
static struct token pull(struct preprocessor *pp)
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
            pop_frame(pp);
        }
    }
    return end_token(pp);
}

/* Gives a token back, to be pulled next. */
static void unpull(struct preprocessor *pp, struct token token)
{
    if (token.kind == TOKEN_END)
        return; /* the end comes again by itself */
    struct token_list list = {
        .items = ARENA_NEW(pp->arena, struct token), .count = 1, .capacity = 1};
    list.items[0] = token;
    push_list(pp, &list, NULL);
}

struct token_list preprocess_expand(struct preprocessor *pp, const struct token_list *list)
{
    struct token_list result = {0};
    if (pp->nesting >= PREPROCESS_MAX_NESTING) {
        struct source_range range = list->count ? list->items[0].range : end_token(pp).range;
        preprocess_fail(pp, range, "macro calls are nested too deeply");
        return result;
    }
    pp->nesting++;
    push_list(pp, list, NULL);
    struct frame *frame = pp->top;
    frame->barrier = true;
    for (struct token t = preprocess_next(pp); t.kind != TOKEN_END; t = preprocess_next(pp))
        ARENA_PUSH(pp->arena, &result, t);
    if (!pp->stopped)
        pop_frame(pp);
    pp->nesting--;
    return result;
}

/* ---- Expansion ------------------------------------------------------------------------------- */

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

/* Reads `(a, b)` behind a macro's name. False when there is no call, or after an error. */
static bool read_arguments(struct preprocessor *pp, struct call *call)
{
    struct token token = pull(pp);
    if (!token_is_sign(&token, '(')) {
        unpull(pp, token);
        return false;
    }
    int wanted = call->macro->parameter_count, count = 0, depth = 1;
    size_t slots = (size_t)wanted + 1;
    call->arguments = ARENA_ARRAY(pp->arena, struct token_list, slots);
    call->expanded = ARENA_ARRAY(pp->arena, struct token_list, slots);
    call->is_expanded = ARENA_ARRAY(pp->arena, bool, slots);
    pp->collecting = true;
    for (;;) {
        token = pull(pp);
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
        if (token_is_sign(&token, ',') && depth == 1)
            count++;
        else if (count < wanted || (wanted == 0 && count == 0))
            ARENA_PUSH(pp->arena, &call->arguments[count], token);
    }
    pp->collecting = false;
    call->use = source_join(call->use, token.range);
    if (wanted > 0 || count > 0 || call->arguments[0].count > 0)
        count++;
    if (count != wanted) {
        preprocess_fail(pp, call->use, "macro '%.100s' takes %d argument%s, but %d %s given",
                        call->macro->name, wanted, wanted == 1 ? "" : "s", count,
                        count == 1 ? "is" : "are");
        return false;
    }
    return true;
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
    struct token_list one = {.items = item, .count = 1};
    if (macro->function_like && token_is_sign(item, '#')) {
        parameter = macro_parameter(macro, &body->items[++*i]);
        one.items = ARENA_NEW(pp->arena, struct token);
        *one.items = make_text(pp, call, &call->arguments[parameter]);
    }
    return one;
}

/*
 * The body with the arguments in place of the parameters. An operand of ## that is an empty
 * argument is no token, but does not let the other one meet its neighbour: `x a ## b` with an empty
 * a is `x b`.
 */
static struct token_list substitute(struct preprocessor *pp, struct call *call)
{
    const struct macro *macro = call->macro;
    const struct token_list *body = &macro->body;
    struct token_list out = {.items = ARENA_ARRAY(pp->arena, struct token, body->count),
                             .capacity = body->count};
    bool nothing = true, space = false; /* nothing: the last operand was empty */
    for (size_t i = 0; i < body->count && !pp->stopped; i++) {
        bool pastes = token_is_sign(&body->items[i], SIGN2('#', '#')), meets = pastes && !nothing;
        i += pastes;
        space |= body->items[i].space_before;
        bool from_body = macro_parameter(macro, &body->items[i]) < 0;
        struct token_list tokens = operand(pp, call, &i);
        for (size_t k = 0; k < tokens.count && !pp->stopped; k++) {
            struct token token = tokens.items[k];
            if (k == 0 && !meets)
                token.space_before = space;
            if (k == 0 && meets)
                token = paste(pp, call, out.items[--out.count], token);
            emit(pp, call, &out, token, from_body || (k == 0 && meets));
        }
        nothing = tokens.count == 0 && !meets;
        space &= tokens.count == 0;
    }
    return out;
}

/* What C's compilers predefine, and kernels do without. Nothing of it is 0 by accident. */
static bool refuse_predefined(struct preprocessor *pp, const struct token *name)
{
    static const char *const names[] = {
        "__BASE_FILE__",     "__COUNTER__",   "__DATE__",          "__FILE__",    "__FILE_NAME__",
        "__INCLUDE_LEVEL__", "__TIME__",      "__TIMESTAMP__",     "__VA_ARGS__", "__VA_OPT__",
        "__has_attribute",   "__has_builtin", "__has_c_attribute", "__has_embed", "__has_extension",
        "__has_feature",     "__has_include",
    };
    if (name->length < 8 || name->text[0] != '_' || name->text[1] != '_')
        return false;
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
    struct token_list list = substitute(pp, &call);
    if (list.count)
        list.items[0].space_before = name->space_before || name->line_start;
    push_list(pp, &list, macro);
    return true;
}

/* `defined X` and `defined(X)` as 1 or 0, whose name is not expanded. */
static struct token whether_defined(struct preprocessor *pp, struct token token)
{
    struct token name = pull(pp), end = {0};
    bool paren = token_is_sign(&name, '(');
    if (paren) {
        name = pull(pp);
        end = pull(pp);
    }
    if (name.kind != TOKEN_NAME || (paren && !token_is_sign(&end, ')'))) {
        preprocess_fail(pp, token.range, "'defined' needs a name");
        return end_token(pp);
    }
    token.kind = TOKEN_NUMBER;
    token.text = macro_find(pp, &name) ? "1" : "0";
    token.length = 1;
    return token;
}

struct token preprocess_next(struct preprocessor *pp)
{
    for (;;) {
        struct token token = pull(pp);
        if (pp->stopped)
            return end_token(pp);
        if (pp->in_condition && token_is_name(&token, "defined"))
            return whether_defined(pp, token);
        if (!expand(pp, &token))
            return pp->stopped ? end_token(pp) : token;
    }
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
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++)
        add_text_macro(pp, predefined[i].name, predefined[i].text, (struct source_range){0}, NULL,
                       0);
    for (int i = 0; i < define_count && !pp->stopped; i++)
        add_define(pp, &defines[i]);
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
