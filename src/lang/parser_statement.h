#ifndef TILEC_LANG_PARSER_STATEMENT_H
#define TILEC_LANG_PARSER_STATEMENT_H
/* What the readers of statements share; see parser.h. */
#include "lang/parser.h"

struct statement_list {
    struct ast_statement **items;
    size_t count, capacity;
};

/* ---- parser_statement.c ---------------------------------------------------------------------- */

/* Begins at the current token. */
struct ast_statement *parser_new_statement(struct parser *p, enum ast_statement_kind kind);
/* Count a part in the statement's depth; NULL is allowed. */
void parser_adopt_expression(struct parser *p, struct ast_statement *s,
                             const struct ast_expression *e);
void parser_adopt_statement(struct parser *p, struct ast_statement *s,
                            const struct ast_statement *part);
/* Those of a declaration within a function. */
struct specifiers parser_local_specifiers(struct parser *p);
/* `(condition)`. After an error in it, goes on behind it; *broken then. */
struct ast_expression *parser_condition(struct parser *p, const char *behind, const char *form,
                                        bool *broken);
/* What is done in a loop or under a condition, behind `word`. */
struct ast_statement *parser_body(struct parser *p, const char *word, const char *form);

/* ---- parser_for.c, parser_switch.c ----------------------------------------------------------- */

/* *broken: there was an error in it from which the parser has recovered. */
struct ast_statement *parser_for(struct parser *p, bool *broken);
struct ast_statement *parser_switch(struct parser *p, bool *broken);
bool parser_at_label(const struct parser *p); /* of a switch */
/* Complains about a label that no switch reads. */
struct ast_statement *parser_refuse_label(struct parser *p);

/* ---- parser_braces.c ------------------------------------------------------------------------- */

/* The '{' that has no '}', as it seems. */
void parser_note_open(struct parser *p, struct source_range open);
/* At a '}': keeps the first block that ends where the line of its '{' is not indented to; if a '}'
 * is missing, it is that one's. */
void parser_note_askew(struct parser *p, struct source_range open);
/* The next function begins within this one: its '}' is missing. Said once per function. */
void parser_report_cut(struct parser *p, struct source_range open);
/* An 'else' under the 'if' whose block it stands in: the block's '}' is missing, and is taken as
 * read. */
bool parser_cut_by_else(struct parser *p, struct source_range open);

#endif
