#ifndef TILEC_LANG_PREPROCESS_INTERNAL_H
#define TILEC_LANG_PREPROCESS_INTERNAL_H
/*
 * Shared by the parts of the preprocessor: preprocess.c (streams of tokens), preprocess_file.c
 * (entering a file), preprocess_macro.c (macros by name), preprocess_expand.c,
 * preprocess_directive.c (lines that start with #), preprocess_define.c (what #define says),
 * preprocess_condition.c (#if expressions).
 */
#include "lang/preprocess.h"

enum {
#ifdef TILEC_TINY_LIMITS
    PREPROCESS_MAX_EXPANDED = 4096,
    PREPROCESS_MAX_SPELT = 16384,
    PREPROCESS_MAX_NESTING = 16,
    PREPROCESS_MAX_INCLUDE_DEPTH = 4,
    PREPROCESS_MAX_FILES = 16,
#else
    PREPROCESS_MAX_EXPANDED = 1 << 20, /* tokens that macros make, in all */
    PREPROCESS_MAX_SPELT = 4 << 20,    /* bytes that # and ## make, in all */
    PREPROCESS_MAX_NESTING = 200,      /* macro calls within arguments, parentheses in #if */
    PREPROCESS_MAX_INCLUDE_DEPTH = 32,
    PREPROCESS_MAX_FILES = 1000, /* #include lines that are followed, in all */
#endif
    PREPROCESS_MAX_PARAMETERS = 127, /* of a macro, as C promises */
    MACRO_BUCKETS = 64,              /* to begin with; a power of two */
};

struct token_list {
    struct token *items;
    size_t count, capacity;
};

struct macro {
    struct macro *next; /* in its bucket */
    const char *name;
    uint32_t length, hash;
    bool function_like;
    bool disabled;     /* its expansion is being read */
    bool is_define;    /* from -D */
    bool is_parameter; /* a -D that sets a parameter: expands in #if only */
    bool used;         /* looked up by #if, or expanded */
    bool variadic;     /* the last parameter is __VA_ARGS__ */
    int parameter_count;
    struct token *parameters;
    struct token_list body;
    struct source_range definition; /* file NULL: predefined */
};

/* An #if that is open. */
struct condition {
    struct source_range range;
    bool taken; /* one of its branches was read, or is being read */
    bool seen_else;
    struct condition *outer;
};

/* Where tokens come from: a file or a list. */
struct frame {
    struct frame *below;
    bool is_file;
    bool barrier; /* a list that ends with TOKEN_END instead of going on below */
    struct lexer lexer;
    struct condition *conditions; /* file: open in it */
    const struct token *tokens;   /* list */
    size_t count, at;
    struct macro *macro; /* list: enabled again when it ends */
};

struct once_file {
    const char *name;
    struct once_file *next;
};

struct preprocessor {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct lang_includer includer;
    struct frame *top;
    struct frame *spare; /* frames for reuse */
    bool stopped, in_condition, collecting;
    int nesting, include_depth, file_count;
    size_t expanded, spelt;
    struct once_file *once;
    struct macro **buckets; /* by hash of the name; grows with the number of macros */
    uint32_t bucket_count, macro_count;
    struct {
        struct macro **items;
        size_t count, capacity;
    } defines; /* from -D */
    struct {
        struct ast_expansion *items;
        size_t count, capacity;
    } expansions;
};

/* Adds an error and stops. Returns it for a hint. */
struct diagnostic *preprocess_fail(struct preprocessor *pp, struct source_range range,
                                   const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The macro of this name, which counts as used from here on; NULL where there is none. */
struct macro *macro_find(struct preprocessor *pp, const struct token *name);
void macro_add(struct preprocessor *pp, struct macro *macro);
void macro_remove(struct preprocessor *pp, const struct token *name);
/* Whether both have the same parameters and body. */
bool macro_same(const struct macro *a, const struct macro *b);
/* Which of the macro's parameters the token names; -1 for none. */
int macro_parameter(const struct macro *macro, const struct token *token);

/* Whether the token is __VA_ARGS__ or __VA_OPT__; neither means anything outside of the body of a
 * macro with '...', where a parameter that cannot be named otherwise has the first name. */
bool macro_is_variadic_word(const struct token *token);
/* Where the parenthesis of the body's __VA_OPT__ at `at` is closed; the body's end if nowhere. */
size_t macro_optional_end(const struct macro *macro, size_t at);

/* The macro of a #define line, which begins with its name. */
void preprocess_define_line(struct preprocessor *pp, const struct token_list *line);

/* The macros that every kernel has. */
void preprocess_predefine(struct preprocessor *pp);
/* A -D becomes a macro that stands in a file of its own, "<command line>", for messages. */
void preprocess_define(struct preprocessor *pp, const struct lang_define *define);

/* The stack of frames. A list's macro is disabled until the list has been read. */
struct frame *preprocess_push_frame(struct preprocessor *pp);
void preprocess_pop_frame(struct preprocessor *pp);
void preprocess_push_list(struct preprocessor *pp, const struct token_list *list,
                          struct macro *macro);
/* The next token before expansion. Directives are done on the way. */
struct token preprocess_pull(struct preprocessor *pp);
/* Gives a token back, to be pulled next. */
void preprocess_unpull(struct preprocessor *pp, struct token token);
/* The end, as a token of the file that is being read. */
struct token preprocess_end(const struct preprocessor *pp);

/* Enters a file; stops when it is not text. */
void preprocess_push_file(struct preprocessor *pp, const struct source_file *file);
/* All tokens of a list after expansion. */
struct token_list preprocess_expand(struct preprocessor *pp, const struct token_list *list);
/* Handles a line whose first token, '#', was just read from the file on top. */
void preprocess_directive(struct preprocessor *pp, struct token hash);
/* The value of an #if line; directive is for messages. */
bool preprocess_condition(struct preprocessor *pp, struct token_list *line, struct token directive);

#endif
