/* Operators by token; see operators.h. */
#include "lang/operators.h"

static const struct {
    const char *spelling;
    int precedence;
} binary[AST_BINARY_COUNT] = {
    [AST_NO_OPERATOR] = {"", 0},
#define BINARY(code, spelling, precedence) [AST_##code] = {spelling, precedence},
#include "lang/operators.def"
#undef BINARY
};

static const char *const unary[AST_UNARY_COUNT] = {
#define UNARY(code, spelling) [AST_##code] = spelling,
#include "lang/operators.def"
#undef UNARY
};

static enum ast_binary_operator find(uint32_t code)
{
    for (int i = 1; i < AST_BINARY_COUNT; i++) {
        const char *s = binary[i].spelling;
        if (code == (s[1] ? SIGN2(s[0], s[1]) : (uint32_t)s[0]))
            return (enum ast_binary_operator)i;
    }
    return AST_NO_OPERATOR;
}

enum ast_binary_operator operator_binary(const struct token *token)
{
    return token->kind == TOKEN_SIGN ? find(token->code) : AST_NO_OPERATOR;
}

enum ast_binary_operator operator_compound(const struct token *token)
{
    if (token->kind != TOKEN_SIGN || token->length < 2 || token->text[token->length - 1] != '=')
        return AST_NO_OPERATOR;
    if (operator_binary(token) != AST_NO_OPERATOR) /* <= and its like */
        return AST_NO_OPERATOR;
    uint32_t all = token->length == 3 ? 0xffff : 0xff;
    return find(token->code & all);
}

int operator_precedence(enum ast_binary_operator code)
{
    return binary[code].precedence;
}

const char *operator_spelling(enum ast_binary_operator code)
{
    return binary[code].spelling;
}

const char *operator_unary_spelling(enum ast_unary_operator code)
{
    return unary[code];
}

const char operator_power_hint[] = "x * x is the square; pow(x, y) raises to any power";

bool operator_is_power(struct source_range star)
{
    return star.file && star.begin > 0 && star.file->text[star.begin - 1] == '*' &&
           star.file->text[star.begin] == '*';
}
