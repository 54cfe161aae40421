/* Tokens of the text form of Tile IR; see tokens.h. No byte of the file is trusted. */
#include "ir/tokens.h"

#include <string.h>

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_start(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word_char(int c)
{
    return is_word_start(c) || is_digit(c);
}

static bool is_dotted_char(int c)
{
    return is_word_char(c) || c == '.';
}

/* The byte at an offset, or -1 behind the end. */
static int byte_at(const struct source_file *file, uint32_t at)
{
    return at < file->length ? (unsigned char)file->text[at] : -1;
}

static uint32_t skip_blanks(const struct source_file *file, uint32_t at)
{
    for (;;) {
        int c = byte_at(file, at);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            at++;
        } else if (c == '/' && byte_at(file, at + 1) == '/') {
            while (at < file->length && file->text[at] != '\n')
                at++;
        } else {
            return at;
        }
    }
}

static uint32_t skip_while(const struct source_file *file, uint32_t at, bool (*accepts)(int c))
{
    while (accepts(byte_at(file, at)))
        at++;
    return at;
}

/* Digits, letters and points; a '-' only behind the e of a decimal's exponent. */
static uint32_t skip_number(const struct source_file *file, uint32_t at)
{
    bool hex = byte_at(file, at) == '0' && byte_at(file, at + 1) == 'x';
    for (;; at++) {
        int c = byte_at(file, at);
        if (!is_dotted_char(c) && !(c == '-' && !hex && byte_at(file, at - 1) == 'e'))
            return at;
    }
}

/* To the closing quote, or to the end of the line when there is none. */
static uint32_t skip_string(const struct source_file *file, uint32_t at)
{
    for (;; at++) {
        int c = byte_at(file, at);
        if (c == '"' || c == '\n' || c == -1)
            return at;
        if (c == '\\' && byte_at(file, at + 1) != '\n' && byte_at(file, at + 1) != -1)
            at++;
    }
}

struct ir_token ir_token_next(const struct source_file *file, uint32_t offset)
{
    uint32_t begin = skip_blanks(file, offset);
    uint32_t text = begin, end = begin + 1, after = 0;
    enum ir_token_kind kind = IR_TOKEN_BAD;
    int c = byte_at(file, begin), second = byte_at(file, begin + 1);
    if (c == -1) {
        kind = IR_TOKEN_END;
        end = begin;
    } else if (is_word_start(c)) {
        kind = IR_TOKEN_WORD;
        end = skip_while(file, begin, is_word_char);
    } else if ((c == '%' || c == '@') && is_word_char(second)) {
        kind = c == '%' ? IR_TOKEN_VALUE : IR_TOKEN_SYMBOL;
        text = begin + 1;
        end = skip_while(file, text, is_dotted_char);
    } else if (is_digit(c) || (c == '-' && is_word_char(second))) {
        kind = IR_TOKEN_NUMBER;
        end = skip_number(file, begin + 1 - is_digit(c));
    } else if (c == '"') {
        text = begin + 1;
        end = skip_string(file, text);
        if (byte_at(file, end) == '"') {
            kind = IR_TOKEN_STRING;
            after = 1;
        }
    } else if (c == '-' && second == '>') {
        kind = IR_TOKEN_ARROW;
        end = begin + 2;
    } else if (c && strchr("(){}[]<>,:=@", c)) {
        kind = IR_TOKEN_MARK;
    }
    return (struct ir_token){.kind = kind,
                             .begin = begin,
                             .end = end + after,
                             .text = file->text + text,
                             .length = end - text};
}

bool ir_token_is(const struct ir_token *token, const char *text)
{
    return (token->kind == IR_TOKEN_WORD || token->kind == IR_TOKEN_MARK) &&
           strlen(text) == token->length && memcmp(token->text, text, token->length) == 0;
}
