#ifndef TILEC_LANG_PARSER_EXPRESSION_H
#define TILEC_LANG_PARSER_EXPRESSION_H
/*
 * What the files that read expressions share: parser_expression.c (operators), parser_primary.c
 * (names, constants, parentheses), parser_arguments.c (calls), parser_table.c (elements of tables).
 */
#include "lang/parser.h"

/* ---- parser_expression.c --------------------------------------------------------------------- */

struct ast_expression *parser_new_expression(struct parser *p, enum ast_expression_kind kind,
                                             struct source_range at);
/* Stands where an error has been reported. */
struct ast_expression *parser_nothing(struct parser *p, struct source_range at);
/* Counts a child in the depth, which bounds every later recursion over the tree. */
void parser_adopt(struct parser *p, struct ast_expression *e, const struct ast_expression *child);

/* ---- parser_primary.c ------------------------------------------------------------------------ */

struct ast_expression *parser_primary(struct parser *p);

/* ---- parser_arguments.c ---------------------------------------------------------------------- */

/* The value of a number, character or text; false: an error was reported. */
bool parser_literal(struct parser *p, const struct token *token, struct ast_expression *out);
/* name "(" arguments ")", from the parenthesis on. */
struct ast_expression *parser_call(struct parser *p, const char *name, struct source_range at);

#endif
