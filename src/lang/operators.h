#ifndef TILEC_LANG_OPERATORS_H
#define TILEC_LANG_OPERATORS_H
/* What the table operators.def says, by operator and by token. */
#include "lang/ast.h"
#include "lang/lexer.h"

/* AST_NO_OPERATOR when the token is no binary operator. */
enum ast_binary_operator operator_binary(const struct token *token);
/* For `+=` and the like, the operator without its `=`; AST_NO_OPERATOR for everything else. */
enum ast_binary_operator operator_compound(const struct token *token);
int operator_precedence(enum ast_binary_operator code);
const char *operator_spelling(enum ast_binary_operator code);
const char *operator_unary_spelling(enum ast_unary_operator code);

/* Whether a '*' stands right behind another one, as in Python's x ** 2; and what to write. */
bool operator_is_power(struct source_range star);
extern const char operator_power_hint[];

#endif
