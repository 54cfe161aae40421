#ifndef TILEC_LANG_PARSER_H
#define TILEC_LANG_PARSER_H
/*
 * The parser, shared by its parts: parser.c (tokens, errors, recovery), parser_type.c,
 * parser_expression.c and parser_statement.c (what their parts share is in parser_expression.h and
 * parser_statement.h), parser_item.c (file scope), parser_python.c (what was pasted from
 * elsewhere). Recursive descent; each function is named after what it reads and starts on that
 * thing's first token.
 *
 * Errors: the first one in a statement sets `failed`. From then on the current token reads as the
 * end of the file, so that every function runs out quickly without consuming or complaining, and
 * whatever it returns is thrown away. The statement (or item) that contains the error then skips to
 * its end and clears `failed`. This is why no function checks its callees for errors, and why no
 * error is a follow-up of another. An error that makes the rest pointless sets `fatal`: `failed`
 * for good.
 */
#include "lang/ast.h"
#include "lang/preprocess.h"

enum word_class {
    WORD_NONE, /* an ordinary name */
    WORD_TYPE,
    WORD_QUALIFIER,
    WORD_STATEMENT,
    WORD_ITEM,   /* launch_grid, tune, ... */
    WORD_ASSERT, /* static_require and C's spellings of it */
    WORD_VALUE,
    WORD_REFUSED,
};

/* A name of the source, for what could not be read. */
struct parser_mention {
    const char *text;
    uint32_t length;
    bool sets; /* as in struct ast_mention */
};

struct parser {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct preprocessor *pp;
    struct token current, ahead;
    bool has_ahead;
    struct source_range previous; /* of the last consumed token */
    bool failed, fatal;
    bool cut;           /* the function being read lacks a '}', which has been said */
    struct source_range askew; /* the first '{' of the item whose '}' stands under another line */
    int parens, braces;        /* that are open */
    int nesting;               /* of statements, expressions and parentheses that are being read */
    int calls;                 /* whose arguments are being read */
    int switches;              /* that are being read */
    size_t errors;             /* that were reported here */
    bool damaged, lost;        /* of the function that is being read; see struct ast_function */
    struct {
        struct parser_mention *items;
        size_t count, capacity;
    } names; /* of the item that is being read */
    struct {
        const struct ast_function **items;
        size_t count, capacity;
    } declared; /* without a body: as ahead of struct ast_unit */
    struct {
        const char **items;
        size_t count, capacity;
    } refused_types; /* names of typedefs, which were refused there */
    int strays;      /* names that are declared or set, but missing */
    const char
        *misnamed; /* a type's word that was declared as a variable, which was said; or NULL */
    bool after_name, after_type; /* the last token was a name; was of a type, or ++ or -- */
};

/* ---- parser.c -------------------------------------------------------------------------------- */

void parser_init(struct parser *p, struct arena *arena, struct diagnostics *diagnostics,
                 struct preprocessor *pp);

const struct token *parser_peek(const struct parser *p);
const struct token *parser_peek_second(struct parser *p);
struct token parser_advance(struct parser *p);
bool parser_at(const struct parser *p, uint32_t sign);
bool parser_at_word(const struct parser *p, const char *word);
bool parser_at_end(const struct parser *p);
bool parser_take(struct parser *p, uint32_t sign);
/* Consumes the sign, or complains that it is missing behind `what` ("the condition"). */
bool parser_expect(struct parser *p, uint32_t sign, const char *what);
/* An ordinary name, copied, and its range. `what`: "the name of a variable". */
const char *parser_expect_name(struct parser *p, const char *what, struct source_range *range);
/* The same for what is declared: built-ins have their names to themselves. */
const char *parser_declared_name(struct parser *p, const char *what, struct source_range *range);
enum word_class parser_word(const struct token *token);
/* The word of a type that is written nearly like a name; NULL: none. */
const char *parser_near_type(struct parser *p, const struct token *token);

/* The error of this statement; ignored when it already has one. Returns it for parser_hint. */
struct diagnostic *parser_fail(struct parser *p, struct source_range range, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An error after which parsing goes on as if it had not been. */
struct diagnostic *parser_report(struct parser *p, struct source_range range, const char *format,
                                 ...) __attribute__((format(printf, 3, 4)));
void parser_hint(struct parser *p, struct diagnostic *diagnostic, const char *hint);
/* "unexpected ..." at the current token, with a better message for what C has and kernels do not.
 */
void parser_unexpected(struct parser *p, const char *wanted);
/* Complains about a word of class WORD_REFUSED. */
void parser_refuse(struct parser *p, const struct token *token);

/* One level of recursion more; false (and fatal) when that is one too many. Leave what entered. */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);
/* Range from a place to the last consumed token. */
struct source_range parser_range(const struct parser *p, struct source_range from);

/* Recovery: each skips from the place of the error and clears `failed` unless it is for good. */
struct parser_place {
    int parens, braces;
};
struct parser_place parser_place(const struct parser *p);
void parser_skip_statement(struct parser *p, struct parser_place place);
void parser_skip_parens(struct parser *p, struct parser_place place); /* to the closing one */
void parser_skip_item(struct parser *p);
/* Whether the current token starts an item of the file, which no function body may contain. */
bool parser_at_item(const struct parser *p);

/* The names from number `first` on. */
struct ast_mention *parser_mentions(struct parser *p, size_t first, int *count);

/* ---- parser_type.c --------------------------------------------------------------------------- */

struct specifiers {
    struct ast_type type; /* without pointer; is_const as written before the star */
    bool is_static, is_kernel, is_constexpr, is_inline;
    struct source_range range;
};

bool parser_at_type(const struct parser *p); /* a declaration or a cast begins here */
struct specifiers parser_specifiers(struct parser *p);
/* `* const restrict` behind the specifiers; the finished type. */
struct ast_type *parser_pointer(struct parser *p, const struct specifiers *specifiers);
/* A type without a name, as in a cast. */
struct ast_type *parser_type_name(struct parser *p);
/* Complains about the current token where a type should stand. */
void parser_unknown_type(struct parser *p);
/* What to write instead of another language's type; NULL for none of those. */
const char *parser_foreign_type_hint(struct parser *p, const struct token *token);
/* Keeps the name that a typedef or C++'s 'using', whose word this is, declares: its uses are no
 * further mistakes. */
void parser_note_typedef(struct parser *p, const struct token *word);
bool parser_is_refused_type(const struct parser *p, const struct token *token);

/* ---- parser_expression.c, parser_primary.c, parser_table.c, parser_arguments.c ----------------
 */
/* static_assert(condition) as C23 has it: the text is the condition as written. */
void parser_default_text(struct parser *p, struct ast_argument **arguments, int *count);

struct ast_expression *parser_expression(struct parser *p);
extern const char parser_prefix_hint[]; /* for C++'s '::' */
/* For an initialiser: also says that lists are not supported. */
struct ast_expression *parser_initial(struct parser *p);
/* `[size] = {elements}` of a table: an AST_LIST. */
struct ast_expression *parser_table(struct parser *p, const char *name);
/* `(a, b, ...)`; the parenthesis is consumed already. */
void parser_arguments(struct parser *p, bool names, struct ast_argument **arguments, int *count);
/* Arguments up to the end of the text. */
void parser_argument_list(struct parser *p, bool names, struct ast_argument **arguments,
                          int *count);

/* ---- parser_statement.c ---------------------------------------------------------------------- */

struct ast_statement *parser_block(struct parser *p);
/* A statement; recovers from errors in it. */
struct ast_statement *parser_statement(struct parser *p);
/* The variables of a declaration behind its specifiers, up to the semicolon. */
void parser_variables(struct parser *p, const struct specifiers *specifiers,
                      struct ast_variable **variables, int *count);
void parser_refuse_array(struct parser *p, bool parameter);

/* ---- parser_python.c ------------------------------------------------------------------------- */

/* Each complains about the current token, and that is all that is said of the file; or returns
 * false. A word that begins a statement or an item of Python, where no type of that name can be
 * meant: def, import, elif, ... */
bool parser_refuse_python(struct parser *p);
/* At file scope: what only a pasted file begins with, '@' and """. */
bool parser_refuse_paste(struct parser *p);
/* Where '(' or a body should be: its line ends with ':' instead. */
bool parser_refuse_colon(struct parser *p, const char *hint);
/* What is missing may stand in a comment behind the last token: x // 2. */
void parser_hint_comment(struct parser *p, struct diagnostic *diagnostic);

/* ---- parser_item.c --------------------------------------------------------------------------- */

struct ast_unit *parser_unit(struct parser *p);

#endif
