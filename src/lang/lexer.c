/* Bytes -> tokens; see lexer.h. */
#include "lang/lexer.h"

#include <string.h>

void lexer_init(struct lexer *lexer, const struct source_file *file,
                struct diagnostics *diagnostics)
{
    *lexer = (struct lexer){.file = file, .line_start = true, .diagnostics = diagnostics};
    if (file->length >= 3 && !memcmp(file->text, "\xef\xbb\xbf", 3))
        lexer->at = 3; /* the byte order mark that some editors put in front of UTF-8 */
}

/* The byte `ahead` of the place, or 0 at the end (as for a NUL, which starts no token either). */
static unsigned char peek(const struct lexer *lexer, uint32_t ahead)
{
    size_t at = (size_t)lexer->at + ahead;
    return at < lexer->file->length ? (unsigned char)lexer->file->text[at] : 0;
}

static bool at_end(const struct lexer *lexer)
{
    return lexer->at >= lexer->file->length;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_name(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static struct source_range range_from(const struct lexer *lexer, uint32_t begin)
{
    return (struct source_range){lexer->file, begin, lexer->at};
}

/* Length of the line end at `ahead`: \n or \r\n; 0 when there is none. */
static uint32_t newline_length(const struct lexer *lexer, uint32_t ahead)
{
    if (peek(lexer, ahead) == '\n')
        return 1;
    return peek(lexer, ahead) == '\r' && peek(lexer, ahead + 1) == '\n' ? 2 : 0;
}

/* Length of a backslash and the line end behind it; 0 when there is none. */
static uint32_t splice_length(const struct lexer *lexer)
{
    if (peek(lexer, 0) != '\\')
        return 0;
    uint32_t newline = newline_length(lexer, 1);
    return newline ? newline + 1 : 0;
}

static void report_broken(struct lexer *lexer, uint32_t begin, uint32_t end, const char *message)
{
    struct source_range range = {lexer->file, begin, end};
    lexer->broken = true;
    if (lexer->diagnostics)
        diagnostics_add(lexer->diagnostics, DIAGNOSTIC_ERROR, range, "%s", message);
}

static void skip_line_comment(struct lexer *lexer)
{
    while (!at_end(lexer) && peek(lexer, 0) != '\n') {
        uint32_t splice = splice_length(lexer);
        lexer->at += splice ? splice : 1;
    }
}

static void skip_block_comment(struct lexer *lexer)
{
    uint32_t begin = lexer->at;
    lexer->at += 2;
    while (!at_end(lexer)) {
        if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
            lexer->at += 2;
            return;
        }
        lexer->at++; /* its line ends are none: a directive goes on behind a comment */
    }
    report_broken(lexer, begin, begin + 2, "comment is not closed");
}

/* Skips white space and comments; true when there was any. */
static bool skip_space(struct lexer *lexer)
{
    uint32_t begin = lexer->at;
    while (!at_end(lexer)) {
        unsigned char c = peek(lexer, 0);
        uint32_t splice = splice_length(lexer);
        if (splice) {
            lexer->at += splice;
        } else if (c == '\n') {
            lexer->line_start = true;
            lexer->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            skip_line_comment(lexer);
        } else if (c == '/' && peek(lexer, 1) == '*') {
            skip_block_comment(lexer);
        } else {
            break;
        }
    }
    return lexer->at != begin;
}

static void lex_number(struct lexer *lexer)
{
    for (;;) {
        unsigned char c = peek(lexer, 0), next = peek(lexer, 1);
        bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
        if (exponent && (next == '+' || next == '-'))
            lexer->at += 2;
        else if (is_digit(c) || starts_name(c) || c == '.')
            lexer->at++;
        else if (c == '\'' && (is_digit(next) || starts_name(next)))
            lexer->at += 2; /* 1'000 */
        else
            return;
    }
}

static void lex_quoted(struct lexer *lexer, unsigned char quote)
{
    uint32_t begin = lexer->at++;
    while (!at_end(lexer) && peek(lexer, 0) != '\n') {
        unsigned char c = peek(lexer, 0);
        uint32_t splice = splice_length(lexer);
        lexer->at += splice ? splice : c == '\\' && peek(lexer, 1) != '\n' ? 2 : 1;
        if (c == quote)
            return;
    }
    if (lexer->at > lexer->file->length) /* a backslash was the last byte */
        lexer->at = (uint32_t)lexer->file->length;
    report_broken(lexer, begin, lexer->at,
                  quote == '"' ? "missing closing \"" : "missing closing '");
}

/* The longest punctuator here, as its code; 0 when there is none. */
static uint32_t sign_here(const struct lexer *lexer, uint32_t *length)
{
    unsigned char a = peek(lexer, 0), b = peek(lexer, 1), c = peek(lexer, 2);
    if (!a || !strchr("()[]{};,?:.+-*/%&|^~!<>=#", a))
        return 0;
    *length = 3;
    if ((a == '<' || a == '>') && b == a && c == '=')
        return SIGN3(a, b, c);
    if (a == '.' && b == '.' && c == '.')
        return SIGN3(a, b, c);
    *length = 2;
    if (b == '=' && strchr("+-*/%&|^!<>=", a))
        return SIGN2(a, b);
    if (b == a && strchr("+-&|<>#", a))
        return SIGN2(a, b);
    if (a == '-' && b == '>')
        return SIGN2(a, b);
    *length = 1;
    return a;
}

/* The bytes of one character of UTF-8 that is not ASCII; 1 where the text is none. */
static uint32_t character_length(const struct lexer *lexer)
{
    unsigned char c = peek(lexer, 0);
    uint32_t length = c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 ? 4 : 1;
    for (uint32_t i = 1; i < length; i++)
        if ((peek(lexer, i) & 0xc0) != 0x80)
            return 1;
    return length;
}

struct token lexer_next(struct lexer *lexer)
{
    struct token token = {.space_before = skip_space(lexer)};
    token.line_start = lexer->line_start;
    uint32_t begin = lexer->at, length = 1;
    token.text = lexer->file->text + begin;
    if (at_end(lexer)) {
        token.range = range_from(lexer, begin);
        token.line_start = true;
        return token;
    }
    lexer->line_start = false;
    unsigned char c = peek(lexer, 0);
    if (starts_name(c)) {
        token.kind = TOKEN_NAME;
        while (starts_name(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
            lexer->at++;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) {
        token.kind = TOKEN_NUMBER;
        lex_number(lexer);
    } else if (c == '"' || c == '\'') {
        token.kind = c == '"' ? TOKEN_TEXT : TOKEN_CHARACTER;
        lex_quoted(lexer, c);
    } else if ((token.code = sign_here(lexer, &length))) {
        token.kind = TOKEN_SIGN;
        lexer->at += length;
    } else {
        token.kind = TOKEN_OTHER;
        lexer->at += character_length(lexer);
    }
    token.range = range_from(lexer, begin);
    token.length = lexer->at - begin;
    return token;
}

bool token_is_name(const struct token *token, const char *name)
{
    return token->kind == TOKEN_NAME && strlen(name) == token->length &&
           memcmp(token->text, name, token->length) == 0;
}

char *token_copy(struct arena *arena, const struct token *token)
{
    return arena_copy_text(arena, token->text, token->length);
}
