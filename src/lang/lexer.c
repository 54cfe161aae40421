/* Bytes -> tokens; see lexer.h. */
#include "lang/lexer.h"

#include <string.h>

void lexer_init(struct lexer *lexer, const struct source_file *file, struct arena *arena,
                struct diagnostics *diagnostics)
{
    *lexer = (struct lexer){
        .file = file, .line_start = true, .arena = arena, .diagnostics = diagnostics};
    if (file->length >= 3 && !memcmp(file->text, "\xef\xbb\xbf", 3))
        lexer->at = 3; /* the byte order mark that some editors put in front of UTF-8 */
}

static unsigned char byte_at(const struct lexer *lexer, size_t at)
{
    return at < lexer->file->length ? (unsigned char)lexer->file->text[at] : 0;
}

/* Length of a backslash and the line end behind it, \n or \r\n; 0 when there is none. */
static uint32_t splice_length(const struct lexer *lexer, uint32_t at)
{
    if (byte_at(lexer, at) != '\\')
        return 0;
    unsigned char next = byte_at(lexer, (size_t)at + 1);
    return next == '\n' ? 2 : next == '\r' && byte_at(lexer, (size_t)at + 2) == '\n' ? 3 : 0;
}

/* Where the next byte of a line is that a backslash may have joined. */
static uint32_t joined(const struct lexer *lexer, uint32_t at)
{
    for (uint32_t length; (length = splice_length(lexer, at)) > 0;)
        at += length;
    return at;
}

static uint32_t place_of(const struct lexer *lexer, uint32_t ahead)
{
    uint32_t at = joined(lexer, lexer->at);
    while (ahead-- > 0)
        at = joined(lexer, at + 1);
    return at;
}

/* The byte `ahead` of the place, or 0 at the end (as for a NUL, which starts no token either). */
static unsigned char peek(const struct lexer *lexer, uint32_t ahead)
{
    return byte_at(lexer, place_of(lexer, ahead));
}

/* Stands right behind the last of `count` bytes, so that a token ends where its text does. */
static void advance(struct lexer *lexer, uint32_t count)
{
    lexer->at = place_of(lexer, count - 1) + 1;
}

static bool at_end(const struct lexer *lexer)
{
    return place_of(lexer, 0) >= lexer->file->length;
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

static void report_broken(struct lexer *lexer, uint32_t begin, uint32_t end, const char *message)
{
    struct source_range range = {lexer->file, begin, end};
    lexer->broken = true;
    if (lexer->diagnostics)
        diagnostics_add(lexer->diagnostics, DIAGNOSTIC_ERROR, range, "%s", message);
}

/* Whether a line has anything in it but comment; `at` is where it begins. */
static bool holds_code(const struct lexer *lexer, size_t at)
{
    while (byte_at(lexer, at) == ' ' || byte_at(lexer, at) == '\t')
        at++;
    unsigned char c = byte_at(lexer, at);
    return c && !strchr("\r\n\\", c) && !(c == '/' && byte_at(lexer, at + 1) == '/');
}

/* A backslash at its end, that of a path perhaps, makes the next line a part of it. */
static void skip_line_comment(struct lexer *lexer)
{
    bool told = !lexer->diagnostics;
    while (!at_end(lexer) && peek(lexer, 0) != '\n') {
        uint32_t at = lexer->at, next = joined(lexer, at);
        if (next != at && !told && holds_code(lexer, next)) {
            told = true;
            struct diagnostic *d = diagnostics_add(
                lexer->diagnostics, DIAGNOSTIC_WARNING,
                (struct source_range){lexer->file, at, at + 1},
                "the '\\' at the end of this comment makes the next line a part of it");
            diagnostics_hint(lexer->diagnostics, d, "write something behind it, as '.'");
        }
        advance(lexer, 1);
    }
}

static void skip_block_comment(struct lexer *lexer)
{
    uint32_t begin = lexer->at;
    advance(lexer, 2);
    while (!at_end(lexer)) {
        if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
            advance(lexer, 2);
            return;
        }
        advance(lexer, 1); /* its line ends are none: a directive goes on behind a comment */
    }
    report_broken(lexer, begin, begin + 2, "comment is not closed");
}

/* Skips white space and comments; true when there was any. Joined lines have none between them. */
static bool skip_space(struct lexer *lexer)
{
    uint32_t begin = lexer->at;
    while (!at_end(lexer)) {
        unsigned char c = peek(lexer, 0);
        if (c == '\n') {
            lexer->line_start = true;
            advance(lexer, 1);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            advance(lexer, 1);
        } else if (c == '/' && peek(lexer, 1) == '/') {
            skip_line_comment(lexer);
        } else if (c == '/' && peek(lexer, 1) == '*') {
            skip_block_comment(lexer);
        } else {
            break;
        }
    }
    bool any = lexer->at != begin;
    lexer->at = joined(lexer, lexer->at);
    return any;
}

static void lex_number(struct lexer *lexer)
{
    for (;;) {
        unsigned char c = peek(lexer, 0), next = peek(lexer, 1);
        bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
        if (exponent && (next == '+' || next == '-'))
            advance(lexer, 2);
        else if (is_digit(c) || starts_name(c) || c == '.')
            advance(lexer, 1);
        else if (c == '\'' && (is_digit(next) || starts_name(next)))
            advance(lexer, 2); /* 1'000 */
        else
            return;
    }
}

static void lex_quoted(struct lexer *lexer, unsigned char quote)
{
    uint32_t begin = lexer->at;
    advance(lexer, 1);
    while (!at_end(lexer) && peek(lexer, 0) != '\n') {
        unsigned char c = peek(lexer, 0);
        advance(lexer, c == '\\' && peek(lexer, 1) != '\n' ? 2 : 1);
        if (c == quote)
            return;
    }
    if (lexer->at > lexer->file->length) /* a backslash was the last byte */
        lexer->at = (uint32_t)lexer->file->length;
    report_broken(lexer, begin, lexer->at,
                  quote == '"' ? "missing closing \"" : "missing closing '");
}

/* Length of a u8, u, U or L that belongs to the quote behind it; 0 where there is none. */
static uint32_t quote_prefix(const struct lexer *lexer)
{
    unsigned char c = peek(lexer, 0);
    uint32_t length = c == 'u' && peek(lexer, 1) == '8' ? 2 : c == 'u' || c == 'U' || c == 'L';
    unsigned char quote = length ? peek(lexer, length) : 0;
    return quote == '"' || quote == '\'' ? length : 0;
}

/* C's other spellings of some punctuators; 0 for what is none of them. */
static uint32_t digraph(unsigned char a, unsigned char b)
{
    switch (SIGN2(a, b)) {
    case SIGN2('<', ':'):
        return '[';
    case SIGN2(':', '>'):
        return ']';
    case SIGN2('<', '%'):
        return '{';
    case SIGN2('%', '>'):
        return '}';
    case SIGN2('%', ':'):
        return '#';
    default:
        return 0;
    }
}

/* The longest punctuator here, as its code; 0 when there is none. */
static uint32_t sign_here(const struct lexer *lexer, uint32_t *length)
{
    unsigned char a = peek(lexer, 0), b = peek(lexer, 1), c = peek(lexer, 2);
    uint32_t other = digraph(a, b);
    if (other == '#' && digraph(c, peek(lexer, 3)) == '#') {
        *length = 4;
        return SIGN2('#', '#');
    }
    if (other) {
        *length = 2;
        return other;
    }
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

/* The token's text: the file's own, or a copy where lines are joined within it. */
static void set_text(struct lexer *lexer, struct token *token, uint32_t begin)
{
    const char *text = lexer->file->text + begin;
    token->text = text;
    token->length = lexer->at - begin;
    if (!token->length || !memchr(text, '\\', token->length))
        return;
    char *copy = NULL;
    uint32_t length = 0;
    for (uint32_t at = begin, next; at < lexer->at; at = next + 1) {
        next = joined(lexer, at);
        if (next != at && !copy) {
            copy = arena_alloc(lexer->arena, token->length);
            memcpy(copy, text, length);
        }
        if (next >= lexer->at)
            break;
        if (copy)
            copy[length] = lexer->file->text[next];
        length++;
    }
    if (copy) {
        token->text = copy;
        token->length = length;
    }
}

/* A backslash with white space between it and the line end: most likely meant to join lines. */
static void refuse_blank_splice(struct lexer *lexer)
{
    size_t at = (size_t)lexer->at + 1;
    while (byte_at(lexer, at) == ' ' || byte_at(lexer, at) == '\t')
        at++;
    if (at > (size_t)lexer->at + 1 && (byte_at(lexer, at) == '\n' || byte_at(lexer, at) == '\r'))
        report_broken(lexer, lexer->at, lexer->at + 1,
                      "white space behind this '\\' keeps it from joining the next line");
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
    uint32_t prefix = quote_prefix(lexer);
    if (prefix) {
        advance(lexer, prefix);
        c = peek(lexer, 0);
    }
    if (starts_name(c)) {
        token.kind = TOKEN_NAME;
        while (starts_name(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
            advance(lexer, 1);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) {
        token.kind = TOKEN_NUMBER;
        lex_number(lexer);
    } else if (c == '"' || c == '\'') {
        token.kind = c == '"' ? TOKEN_TEXT : TOKEN_CHARACTER;
        lex_quoted(lexer, c);
    } else if ((token.code = sign_here(lexer, &length))) {
        token.kind = TOKEN_SIGN;
        advance(lexer, length);
    } else {
        token.kind = TOKEN_OTHER;
        if (c == '\\')
            refuse_blank_splice(lexer);
        advance(lexer, character_length(lexer));
    }
    token.range = range_from(lexer, begin);
    set_text(lexer, &token, begin);
    return token;
}

const char *lexer_rest_of_line(struct lexer *lexer)
{
    struct text text;
    text_init(&text, lexer->arena);
    for (; !at_end(lexer) && peek(lexer, 0) != '\n'; advance(lexer, 1))
        text_char(&text, (char)peek(lexer, 0));
    return text.items ? text.items : "";
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
