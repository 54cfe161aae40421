#ifndef TILEC_LANG_LITERAL_H
#define TILEC_LANG_LITERAL_H
/* Numbers, characters and texts: from a token to the value that it spells. */
#include "lang/ast.h"
#include "lang/lexer.h"

/* Fills kind and value of an AST_INTEGER, AST_FLOATING or AST_TEXT expression from a number,
 * character or text. False after an error. */
bool literal_parse(struct arena *arena, struct diagnostics *diagnostics, const struct token *token,
                   struct ast_expression *out);

#endif
