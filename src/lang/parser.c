/* The parser's tokens, errors and recovery; see parser.h. */
#include "base/suggest.h"
#include "lang/foreign.h"
#include "lang/operators.h"
#include "lang/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Words ----------------------------------------------------------------------------------- */

static const struct word {
    const char *spelling;
    enum word_class class;
    const char *what, *hint; /* REFUSED */
} words[] = {
#define WORD(spelling, class) {#spelling, class, NULL, NULL},
#define REFUSED(spelling, what, hint) {#spelling, WORD_REFUSED, what, hint},
#include "lang/words.def"
#undef WORD
#undef REFUSED
};

static int compare_name(const char *text, uint32_t length, const char *name)
{
    int order = strncmp(text, name, length);
    return order ? order : name[length] ? -1 : 0;
}

static const struct word *find_word(const struct token *token)
{
    size_t first = 0, last = sizeof words / sizeof *words;
    while (token->kind == TOKEN_NAME && first < last) {
        size_t middle = first + (last - first) / 2;
        int order = compare_name(token->text, token->length, words[middle].spelling);
        if (order == 0)
            return &words[middle];
        if (order < 0)
            last = middle;
        else
            first = middle + 1;
    }
    return NULL;
}

enum word_class parser_word(const struct token *token)
{
    const struct word *word = find_word(token);
    return word ? word->class : WORD_NONE;
}

const char *parser_near_type(struct parser *p, const struct token *token)
{
    struct suggestion suggestion = {.name = token_copy(p->arena, token)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].class == WORD_TYPE || words[i].class == WORD_QUALIFIER)
            suggestion_offer(&suggestion, words[i].spelling);
    return suggestion.best;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

static struct token pull(struct parser *p)
{
    struct token token = preprocess_next(p->pp);
    if (preprocess_stopped(p->pp))
        p->failed = p->fatal = true;
    return token;
}

void parser_init(struct parser *p, struct arena *arena, struct diagnostics *diagnostics,
                 struct preprocessor *pp)
{
    *p = (struct parser){.arena = arena, .diagnostics = diagnostics, .pp = pp};
    p->current = pull(p);
    p->previous = p->current.range;
    p->previous.end = p->previous.begin;
}

static const struct token end_of_everything = {.kind = TOKEN_END, .line_start = true, .text = ""};

const struct token *parser_peek(const struct parser *p)
{
    return p->failed ? &end_of_everything : &p->current;
}

const struct token *parser_peek_second(struct parser *p)
{
    if (!p->failed && !p->has_ahead) {
        p->ahead = pull(p);
        p->has_ahead = true;
    }
    return p->failed ? &end_of_everything : &p->ahead;
}

/* Keeps the names, and which of them look as if they were set, for what turns out to be broken. */
static void note_name(struct parser *p, const struct token *token)
{
    bool steps = token_is_sign(token, SIGN2('+', '+')) || token_is_sign(token, SIGN2('-', '-'));
    bool sets = steps || token_is_sign(token, '=') || operator_compound(token) != AST_NO_OPERATOR;
    enum word_class class = parser_word(token);
    bool is_name = token->kind == TOKEN_NAME && class == WORD_NONE;
    if (is_name) {
        struct parser_mention mention = {token->text, token->length, p->after_type};
        ARENA_PUSH(p->arena, &p->names, mention);
    } else if (sets && p->after_name) {
        p->names.items[p->names.count - 1].sets = true;
    }
    p->strays += sets && !p->after_name;
    p->after_name = is_name;
    p->after_type = steps || class == WORD_TYPE || class == WORD_QUALIFIER;
}

struct ast_mention *parser_mentions(struct parser *p, size_t first, int *count)
{
    *count = first < p->names.count ? (int)(p->names.count - first) : 0;
    struct ast_mention *mentions = ARENA_ARRAY(p->arena, struct ast_mention, (size_t)*count);
    for (int i = 0; i < *count; i++) {
        const struct parser_mention *from = &p->names.items[first + (size_t)i];
        mentions[i].name = arena_copy_text(p->arena, from->text, from->length);
        mentions[i].sets = from->sets;
    }
    return mentions;
}

/* Consumes a token whether or not there was an error. */
static struct token advance(struct parser *p)
{
    struct token token = p->current;
    note_name(p, &token);
    if (token.kind == TOKEN_SIGN) {
        p->parens += (token.code == '(') - (token.code == ')');
        p->braces += (token.code == '{') - (token.code == '}');
    }
    if (token.kind != TOKEN_END)
        p->previous = token.range;
    p->current = p->has_ahead ? p->ahead : pull(p);
    p->has_ahead = false;
    return token;
}

struct token parser_advance(struct parser *p)
{
    return p->failed ? end_of_everything : advance(p);
}

bool parser_at(const struct parser *p, uint32_t sign)
{
    return token_is_sign(parser_peek(p), sign);
}

bool parser_at_word(const struct parser *p, const char *word)
{
    return token_is_name(parser_peek(p), word);
}

bool parser_at_end(const struct parser *p)
{
    return parser_peek(p)->kind == TOKEN_END;
}

bool parser_take(struct parser *p, uint32_t sign)
{
    if (!parser_at(p, sign))
        return false;
    parser_advance(p);
    return true;
}

/* A bracket behind a whole statement, as in x = load(p)); */
static bool closes_nothing(const struct parser *p, const struct token *token)
{
    bool paren = token_is_sign(token, ')');
    return (paren || token_is_sign(token, ']')) && !token->line_start && p->parens == 0;
}

bool parser_expect(struct parser *p, uint32_t sign, const char *what)
{
    if (parser_take(p, sign))
        return true;
    const struct token *token = parser_peek(p);
    if (token->kind == TOKEN_OTHER) {
        parser_unexpected(p, NULL);
        return false;
    }
    if (sign == ';' && closes_nothing(p, token)) {
        parser_fail(p, token->range, "this '%c' closes nothing", (int)token->code);
        return false;
    }
    /* Where it should stand: right behind what came before it; within a macro, the macro's use. */
    struct source_range range = p->previous;
    if (token->expanded)
        range = token->range;
    else
        range.begin = range.end;
    /* A ';' that is missing at the end of a line: the next line is a statement of its own. */
    if (sign == ';' && token->line_start && p->parens == 0) {
        parser_hint_comment(p, parser_report(p, range, "expected ';' behind %s", what));
        p->damaged = true; /* the statement may not be whole */
        return true;
    }
    struct diagnostic *d = parser_fail(p, range, "expected '%c' behind %s", (int)sign, what);
    if (d && token->line_start)
        parser_hint_comment(p, d);
    return false;
}

/* 2nd, not 64 */
static bool has_letter(const struct token *number)
{
    for (uint32_t i = 0; i < number->length; i++)
        if (strchr("0123456789.'", number->text[i]) == NULL)
            return true;
    return false;
}

const char *parser_expect_name(struct parser *p, const char *what, struct source_range *range)
{
    const struct token *token = parser_peek(p);
    *range = token->range;
    enum word_class class = parser_word(token);
    if (token->kind == TOKEN_NAME && class == WORD_NONE) {
        struct token name = parser_advance(p);
        return token_copy(p->arena, &name);
    }
    if (class == WORD_REFUSED)
        parser_refuse(p, token);
    else if (token->kind == TOKEN_NUMBER && !token->expanded && has_letter(token))
        parser_fail(p, token->range, "%s cannot begin with a digit", what);
    else if (class != WORD_NONE)
        parser_fail(p, token->range, "expected %s, but '%.*s' is a word of the language", what,
                    (int)token->length, token->text);
    else
        parser_unexpected(p, what);
    return "";
}

const char *parser_declared_name(struct parser *p, const char *what, struct source_range *range)
{
    const char *name = parser_expect_name(p, what, range);
    p->strays += name[0] == '\0';
    if (ast_is_builtin(name)) {
        parser_hint(p, parser_report(p, *range, "'%s' is a built-in: the name is reserved", name),
                    "choose another name");
        p->lost = true; /* what uses of the name mean is not known */
    }
    return name;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static struct diagnostic *add_error(struct parser *p, struct source_range range, const char *format,
                                    va_list arguments)
{
    char message[600];
    vsnprintf(message, sizeof message, format, arguments);
    struct diagnostic *d = diagnostics_add(p->diagnostics, DIAGNOSTIC_ERROR, range, "%s", message);
    p->errors++;
    if (diagnostics_full(p->diagnostics))
        p->failed = p->fatal = true;
    return d;
}

/* Whether the next token, or the one before it, is the word that was declared as a variable. */
static bool at_misnamed(const struct parser *p)
{
    const struct source_file *file = p->previous.file;
    size_t length = p->misnamed ? strlen(p->misnamed) : 0;
    if (!p->misnamed || token_is_name(&p->current, p->misnamed))
        return p->misnamed != NULL;
    return file && p->previous.end - p->previous.begin == length &&
           memcmp(file->text + p->previous.begin, p->misnamed, length) == 0;
}

struct diagnostic *parser_fail(struct parser *p, struct source_range range, const char *format, ...)
{
    if (p->failed)
        return NULL;
    if (at_misnamed(p)) {
        p->failed = true;
        return NULL;
    }
    va_list arguments;
    va_start(arguments, format);
    struct diagnostic *d = add_error(p, range, format, arguments);
    va_end(arguments);
    p->failed = true;
    return d;
}

struct diagnostic *parser_report(struct parser *p, struct source_range range, const char *format,
                                 ...)
{
    if (p->failed)
        return NULL;
    va_list arguments;
    va_start(arguments, format);
    struct diagnostic *d = add_error(p, range, format, arguments);
    va_end(arguments);
    return d;
}

void parser_hint(struct parser *p, struct diagnostic *diagnostic, const char *hint)
{
    if (hint)
        diagnostics_hint(p->diagnostics, diagnostic, "%s", hint);
}

void parser_refuse(struct parser *p, const struct token *token)
{
    const struct word *word = find_word(token);
    struct source_range range = token->range;
    if (token_is_name(token, "typedef"))
        parser_note_typedef(p, token);
    bool linkage = token_is_name(token, "extern") && parser_peek_second(p)->kind == TOKEN_TEXT;
    struct diagnostic *d =
        word->what ? parser_fail(p, range, "%s not supported in kernels", word->what)
                   : parser_fail(p, range, "'%s' is not supported in kernels", word->spelling);
    parser_hint(p, d, linkage ? "leave it out: kernels have C's names" : word->hint);
}

/* The number of a character that has several bytes. */
static uint32_t decode(const struct token *token)
{
    uint32_t character = (unsigned char)token->text[0] & (0x7fu >> token->length);
    for (uint32_t i = 1; i < token->length; i++)
        character = character << 6 | ((unsigned char)token->text[i] & 0x3f);
    return character;
}

void parser_unexpected(struct parser *p, const char *wanted)
{
    const struct token *token = parser_peek(p);
    unsigned char byte = token->length ? (unsigned char)token->text[0] : 0;
    const char *expected = wanted ? wanted : "";
    const char *comma = wanted ? ", expected " : "";
    if (p->failed)
        return;
    if (parser_word(token) == WORD_REFUSED) {
        parser_refuse(p, token);
    } else if (token_is_sign(token, '[') && token_is_sign(parser_peek_second(p), '[')) {
        parser_hint(p, parser_fail(p, token->range, "attributes are not supported in kernels"),
                    "leave it out");
    } else if (token->kind == TOKEN_END) {
        struct source_range range = p->previous;
        range.begin = range.end;
        bool is_file = range.file && range.file->name[0] != '<'; /* not <grid> and its like */
        parser_fail(p, range, "unexpected end%s%s%s", is_file ? " of the file" : "", comma,
                    expected);
        p->fatal = true;
    } else if (token->kind == TOKEN_OTHER && token->length > 1) {
        uint32_t character = decode(token);
        parser_hint(p,
                    parser_fail(p, token->range, "character U+%04X cannot stand here", character),
                    foreign_character_hint(character));
    } else if (token->kind == TOKEN_OTHER && (byte < ' ' || byte > '~')) {
        parser_fail(p, token->range, "byte 0x%02x cannot stand here", byte);
        p->fatal = true; /* this is no text: one message is enough */
    } else if (token->kind == TOKEN_OTHER) {
        parser_hint(p, parser_fail(p, token->range, "character '%c' cannot stand here", byte),
                    byte == '@' && !wanted ? "dot(a, b) multiplies matrices" : NULL);
    } else if (token_is_sign(token, SIGN2('*', '=')) && operator_is_power(token->range)) {
        parser_hint(p, parser_fail(p, token->range, "'**' is no operator"), operator_power_hint);
    } else {
        int length = token->length > 60 ? 60 : (int)token->length;
        parser_hint(p,
                    parser_fail(p, token->range, "unexpected '%.*s'%s%s", length, token->text,
                                comma, expected),
                    token_is_sign(token, '#') ? "a comment is written '// text'" : NULL);
    }
}

/* ---- Depth, ranges --------------------------------------------------------------------------- */

bool parser_enter(struct parser *p)
{
    if (p->nesting < AST_MAX_DEPTH) {
        p->nesting++;
        return true;
    }
    parser_fail(p, parser_peek(p)->range, "nested too deeply: more than %d levels", AST_MAX_DEPTH);
    p->failed = p->fatal = true;
    p->nesting++;
    return false;
}

void parser_leave(struct parser *p)
{
    p->nesting--;
}

struct source_range parser_range(const struct parser *p, struct source_range from)
{
    return source_join(from, p->previous);
}

/* ---- Recovery -------------------------------------------------------------------------------- */

struct parser_place parser_place(const struct parser *p)
{
    return (struct parser_place){p->parens, p->braces};
}

bool parser_at_item(const struct parser *p)
{
    const struct token *token = parser_peek(p);
    return token->line_start && (token_is_name(token, "kernel") || parser_word(token) == WORD_ITEM);
}

static void recover(struct parser *p, struct parser_place place)
{
    p->parens = place.parens;
    p->braces = place.braces;
    p->failed = p->fatal;
}

void parser_skip_statement(struct parser *p, struct parser_place place)
{
    p->failed = p->fatal;
    bool aggregate = parser_at_word(p, "struct") || parser_at_word(p, "union") ||
                     parser_at_word(p, "enum"); /* struct { ... } x; */
    while (!parser_at_end(p) && !parser_at_item(p)) {
        bool inside = p->braces > place.braces;
        if (!inside && parser_at(p, '}'))
            break;
        struct token token = advance(p);
        bool same_line = p->parens > place.parens && !parser_peek(p)->line_start;
        if (!inside && token_is_sign(&token, ';') && !same_line)
            break;
        bool declares = aggregate && !parser_peek(p)->line_start;
        if (inside && p->braces == place.braces && p->parens <= place.parens && !declares)
            break;
    }
    recover(p, place);
}

void parser_skip_parens(struct parser *p, struct parser_place place)
{
    p->failed = p->fatal;
    while (!parser_at_end(p) && !parser_at(p, '{') && !parser_at(p, '}') && !parser_at_item(p)) {
        struct token token = advance(p);
        if (token_is_sign(&token, ')') && p->parens <= place.parens)
            break;
        if (token_is_sign(&token, ';') && parser_peek(p)->line_start)
            break; /* there is no closing one */
    }
    recover(p, place);
}

/* Whether the token stands at the very start of its line and is a word that items start with. */
static bool starts_item(const struct parser *p)
{
    const struct token *token = parser_peek(p);
    enum word_class class = parser_word(token);
    bool word = class == WORD_TYPE || class == WORD_QUALIFIER || class == WORD_ASSERT ||
                class == WORD_REFUSED;
    uint32_t begin = token->range.begin;
    return word && token->line_start && p->braces <= 0 &&
           (begin == 0 || token->range.file->text[begin - 1] == '\n');
}

/* An error at file scope skips to the next line that clearly starts an item: statements that a
 * misplaced '}' left outside of any function are not worth an error each. */
void parser_skip_item(struct parser *p)
{
    p->failed = p->fatal;
    for (bool first = true; !parser_at_end(p); first = false) {
        if (!first && (starts_item(p) || parser_at_item(p)))
            break;
        advance(p);
    }
    recover(p, (struct parser_place){0, 0});
}
