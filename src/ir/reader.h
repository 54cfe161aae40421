#ifndef TILEC_IR_READER_H
#define TILEC_IR_READER_H
/*
 * The reader of the text form that print.c writes, between its parts: reader.c (tokens, names,
 * types), read_ops.c, read.c (functions and kernels).
 *
 * One function per piece of the grammar; each returns false after the first error, which is the
 * only one reported. Names map to values through one table per function; whether a value is visible
 * where it is used, and whether types fit, is the verifier's business, which runs on what was read.
 * Nothing in the text is trusted: depth, counts and sizes are bounded before anything is allocated.
 */
#include "ir/ir.h"
#include "ir/tokens.h"

struct symbol {
    const char *name; /* in the text; NULL: a free place */
    size_t length;
    struct ir_value *value;
};

struct value_list {
    struct ir_value **items;
    size_t count, capacity;
};

struct token_list {
    struct ir_token *items;
    size_t count, capacity;
};

struct reader {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct source_file *file;
    struct ir_token token; /* the next one */
    uint32_t last_end;     /* where the token before it ended */
    struct ir_builder builder;
    struct symbol *symbols; /* open addressing, capacity a power of two, at most half full */
    size_t symbol_count, symbol_capacity;
    int depth, op_count;
    enum ir_level level;
    struct {
        struct named_table {
            struct ir_token name;
            struct ir_table *table;
        } *items;
        size_t count, capacity;
    } tables; /* of the function */
};

/* ---- tokens and errors (reader.c) ------------------------------------------------------------ */

struct source_range reader_range(const struct reader *r, const struct ir_token *token);

#define FAIL_AT(r, token, ...)                                                                     \
    (diagnostics_add((r)->diagnostics, DIAGNOSTIC_ERROR, reader_range((r), (token)), __VA_ARGS__), \
     false)
#define FAIL(r, ...) FAIL_AT((r), &(r)->token, __VA_ARGS__)

void reader_advance(struct reader *r);
bool reader_accept(struct reader *r, const char *text);
bool reader_expect(struct reader *r, const char *text);
/* A token of a kind; what: "a value such as %x". */
bool reader_token(struct reader *r, enum ir_token_kind kind, const char *what,
                  struct ir_token *token);
bool reader_integer(struct reader *r, int64_t least, int64_t most, int64_t *value);
bool reader_int(struct reader *r, int least, int most, int *value);
/* A quoted string with its escapes decoded. */
bool reader_string(struct reader *r, const char **string);
const char *reader_copy(struct reader *r, const struct ir_token *token);

/* ---- names (reader.c) ------------------------------------------------------------------------ */

void reader_grow_names(struct reader *r); /* once before the first is defined */
/* The hint in a name: without the ".1" that made it unique; NULL for a number. */
const char *reader_hint(struct reader *r, const struct ir_token *token);
bool reader_define(struct reader *r, const struct ir_token *token, struct ir_value *value);
bool reader_define_all(struct reader *r, const struct token_list *names,
                       struct ir_value *const *values);
bool reader_value(struct reader *r, struct ir_value **value);
bool reader_check_count(struct reader *r, size_t count); /* that one more may come */
/* value {, value}; none when no value comes next */
bool reader_values(struct reader *r, struct value_list *list);
/* %name {, %name}, not yet defined */
bool reader_names(struct reader *r, struct token_list *list);
/* The function's table of that name, or NULL. */
struct ir_table *reader_find_table(const struct reader *r, const struct ir_token *name);

/* ---- types (reader.c) ------------------------------------------------------------------------ */

bool reader_elem(struct reader *r, struct ir_type *type);
bool reader_type(struct reader *r, struct ir_type *type);
/* The types of an op's results, as many as there are names in front of it. */
bool reader_result_types(struct reader *r, const struct token_list *names, struct ir_type **types);

/* ---- ops (read_ops.c) ------------------------------------------------------------------------ */

/* Ops up to the region's '}'. */
bool reader_ops(struct reader *r, struct ir_region *region);

#endif
