#ifndef TILEC_LANG_RECURSION_H
#define TILEC_LANG_RECURSION_H
/* Functions that call themselves. */
#include "lang/ast.h"

/* Adds an error when a function of the unit calls itself, directly or not. */
void recursion_check(struct arena *arena, struct diagnostics *diagnostics,
                     const struct ast_unit *unit);

/* Calls visit for every call in a statement (ast_visit.c). */
void ast_visit_calls(const struct ast_statement *statement,
                     void (*visit)(void *user, const struct ast_expression *call), void *user);

#endif
