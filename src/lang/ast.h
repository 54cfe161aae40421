#ifndef TILEC_LANG_AST_H
#define TILEC_LANG_AST_H
/*
 * The syntax tree of a kernel file.
 *
 * The parser (parser*.c) makes it, unit.c checks what hangs together at file scope, the elaboration
 * (lower*.c) walks it, ast_print.c shows it. It is what was written, not what it means: names are
 * not resolved (but for the kernel that launch_grid and its like name) and nothing is typed.
 *
 * What the parser guarantees, so that later stages need not check:
 * - No unsupported C is left in it: all of that was an error.
 * - The targets of assignments, ++ and -- are names, X[i] or *p.
 * - `depth` of every expression and statement, and with it any recursion over the tree, is at most
 *   AST_MAX_DEPTH. Long left chains (a + a + ...) count, and so do chains of `else if`.
 * - Arrays of length 0 may be NULL. Texts end with a NUL and live in the unit's arena.
 *
 * Ranges: `range` is all of a node; `at` is the token that a message should point to (the operator,
 * the name that is called). Tokens that came out of a macro have the place of its use.
 */
#include "lang/lang.h"

enum {
#ifdef TILEC_TINY_LIMITS
    AST_MAX_DEPTH = 40,
#else
    AST_MAX_DEPTH = 400,
#endif
    AST_MAX_TUNE_LINES = 32, /* of a kernel */
#ifdef TILEC_TINY_LIMITS
    AST_MAX_ARMS = 6,
#else
    AST_MAX_ARMS = 100, /* of a switch: they become ifs within each other */
#endif
};

/* ---- Types as written ------------------------------------------------------------------------ */

enum ast_type_kind {
    AST_TYPE_ELEM,   /* an element type, or a pointer to one */
    AST_TYPE_AUTO,   /* auto: that of the initialiser; of a helper's parameter: anything */
    AST_TYPE_VOID,   /* only as the result of a function */
    AST_TYPE_LAYOUT, /* layout_t */
    AST_TYPE_VIEW,   /* view_t: a helper's parameter that takes a view */
};

struct ast_type {
    enum ast_type_kind kind;
    enum ir_elem elem; /* ELEM */
    bool pointer;      /* ELEM: pointer to elem */
    bool is_const;     /* pointer: its target is const; otherwise the variable is */
    bool is_fixed;     /* `float *const p`: the pointer itself is const */
    bool is_restrict;
    struct source_range range;
};

/* Whether a variable of the type cannot be assigned. */
static inline bool ast_type_is_fixed(const struct ast_type *type)
{
    return type->pointer ? type->is_fixed : type->is_const;
}

/* ---- Expressions ----------------------------------------------------------------------------- */

enum ast_binary_operator {
    AST_NO_OPERATOR, /* plain assignment */
#define BINARY(code, spelling, precedence) AST_##code,
#include "lang/operators.def"
#undef BINARY
    AST_BINARY_COUNT
};

enum ast_unary_operator {
#define UNARY(code, spelling) AST_##code,
#include "lang/operators.def"
#undef UNARY
    AST_UNARY_COUNT
};

enum ast_expression_kind {
    AST_INTEGER,     /* 42, 0x2Au, 'a', true (elem IR_BOOL) */
    AST_FLOATING,    /* 0.5, 1e-3f, INFINITY, NAN */
    AST_TEXT,        /* "text": only as an argument of a call */
    AST_NAME,        /* x */
    AST_UNARY,       /* -x, *p, x++ */
    AST_BINARY,      /* x + y, x && y */
    AST_ASSIGN,      /* x = y, x += y */
    AST_CONDITIONAL, /* c ? x : y */
    AST_CALL,        /* f(x, half, .xor_mask = y) */
    AST_INDEX,       /* p[i] */
    AST_CAST,        /* (int)x */
    AST_LIST,        /* {x, [3] = y}: only as what a table is declared with */
};

struct ast_expression;

/* An argument of a call or of require: a value or a type, perhaps with a name. */
struct ast_argument {
    const char *name; /* `.name = value`, in require also `name = value`; NULL: by position */
    struct ast_expression *value; /* NULL: type is set */
    struct ast_type *type;        /* NULL: value is set */
    struct source_range range;
};

/* An element of a table. */
struct ast_entry {
    struct ast_expression *place; /* [place] = value; or NULL: behind the one in front of it */
    struct ast_expression *value;
};

struct ast_expression {
    enum ast_expression_kind kind;
    int depth;
    struct source_range range, at;
    union {
        struct {
            uint64_t value;    /* as written, without sign */
            enum ir_elem elem; /* by C's rules: i32 u32 i64 u64, or bool */
        } integer;
        struct {
            double value;      /* digits rounded to double */
            float single;      /* digits rounded to float, once */
            const char *text;  /* the digits without suffix, for printing */
            bool weak;         /* no suffix: takes the other operand's type; alone it is float */
            enum ir_elem elem; /* of the suffix: f32 (f), f16 (f16), bf16 (bf16); weak: f32 */
        } floating;
        struct {
            const char *bytes; /* escapes replaced */
            size_t length;
        } text;
        const char *name;
        struct {
            enum ast_unary_operator code;
            struct ast_expression *operand;
        } unary;
        struct {
            enum ast_binary_operator code;
            struct ast_expression *left, *right;
        } binary;
        struct {
            enum ast_binary_operator code; /* AST_NO_OPERATOR, or that of `target code= value` */
            struct ast_expression *target; /* an AST_NAME, AST_INDEX or AST_DEREF */
            struct ast_expression *value;
        } assign;
        struct {
            struct ast_expression *condition, *yes, *no;
        } conditional;
        struct {
            const char *name;
            int argument_count;
            struct ast_argument *arguments;
        } call;
        struct {
            struct ast_expression *base, *index;
        } index;
        struct {
            struct ast_type *type;
            struct ast_expression *operand;
        } cast;
        struct {
            struct ast_expression *size; /* that the table is declared with, or NULL */
            int count;
            struct ast_entry *entries;
        } list;
    };
};

/* ---- Statements ------------------------------------------------------------------------------ */

enum ast_statement_kind {
    AST_DECLARE,  /* float x = 1, y; */
    AST_EVALUATE, /* x += 1; store(...); */
    AST_BLOCK,    /* { ... } */
    AST_IF,       /* if (c) s else s */
    AST_FOR,      /* for (int i = a; i < b; i += s) s */
    AST_WHILE,    /* while (c) s */
    AST_DO,       /* do s while (c); */
    AST_SWITCH,   /* switch (x) { case 1: s break; default: s } */
    AST_BREAK,    /* break; */
    AST_CONTINUE, /* continue; */
    AST_RETURN,   /* return; return x; */
    AST_EMPTY,    /* ; */
    AST_BROKEN,   /* has a syntax error: only in a unit that lang_parse checks for further errors */
};

/* One name of a declaration, or a constant at file scope. */
struct ast_variable {
    const char *name;
    struct source_range range;      /* of the name */
    struct ast_type *type;          /* own of each: `const float *p = X, *q = Y;` */
    bool is_constexpr;              /* then initial is not NULL */
    struct ast_expression *initial; /* or NULL; an AST_LIST: it is a table, which is constexpr */
};

/* A name in a statement that could not be read. */
struct ast_mention {
    const char *name;
    bool sets; /* it may be given a value there */
};

/*
 * What makes a `for` one that counts: counter relation bound; counter += step. `counter++` has step
 * NULL (1); `counter -= step`, `counter--` set descending. relation is AST_LT, AST_LE, AST_GT,
 * AST_GE or, of steps by one, AST_NE, with the counter on its left. Neither bound nor step names
 * the counter.
 */
struct ast_count {
    const char *counter;
    const struct ast_variable *declared; /* the counter, if it is all that the start declares */
    enum ast_binary_operator relation;
    struct ast_expression *bound, *step;
    bool descending;
    struct source_range condition_range, step_range;
    struct ast_statement *others; /* the steps but for the counter's, as steps */
};

/* What is done for some values of a switch; its `break` is not in the body. */
struct ast_arm {
    int count;
    struct ast_expression **cases;
    bool is_default; /* and for all values that no case names */
    struct source_range default_range;
    struct ast_statement *body; /* an AST_BLOCK */
};

struct ast_statement {
    enum ast_statement_kind kind;
    int depth;
    struct source_range range;
    union {
        struct {
            int count;
            struct ast_variable *variables;
        } declare;
        struct ast_expression *evaluate;
        struct {
            int count;
            struct ast_statement **items;
        } block;
        struct {
            struct ast_expression *condition;
            struct ast_statement *then, *otherwise; /* otherwise: or NULL */
        } branch;
        struct {
            struct ast_statement *start;      /* a DECLARE, a BLOCK of EVALUATEs, or NULL */
            struct ast_expression *condition; /* NULL: true */
            struct ast_statement *steps;      /* a BLOCK of EVALUATEs, or NULL */
            struct ast_statement *body;
            struct ast_count *count; /* NULL: it is not written as a loop that counts */
        } loop;
        struct {
            struct ast_expression *condition;
            struct ast_statement *body;
        } repeat; /* while, do */
        struct {
            struct ast_expression *value;
            int count;
            struct ast_arm *arms;      /* of at most one is_default */
        } choice;                      /* switch */
        struct ast_expression *result; /* return; or NULL */
        struct {
            int count;
            struct ast_mention *names;
            bool vague; /* a name that it declares or sets is missing */
        } broken;
    };
};

/* ---- File scope ------------------------------------------------------------------------------ */

struct ast_parameter {
    const char *name;
    struct ast_type *type;
    bool is_constexpr;
    struct source_range range; /* of the name */
    struct ast_expression *refused; /* its default, which is an error; see further.c */
};

struct ast_function {
    const char *name;
    struct source_range range; /* of the name */
    bool is_kernel;            /* otherwise a helper, declared `static` */
    struct ast_type *result;   /* kernels: void */
    int parameter_count;
    struct ast_parameter *parameters;
    struct ast_statement *body; /* an AST_BLOCK */
    bool damaged;               /* a statement of it is AST_BROKEN */
    bool lost;                  /* an error left nothing that could be checked */
};

enum ast_item_kind {
    AST_FUNCTION,       /* kernel or helper */
    AST_CONSTANT,       /* constexpr int N = 4; constexpr layout_t L = layout(...); */
    AST_LAUNCH_GRID,    /* launch_grid(kernel, x, y, z);        1 to 3 values */
    AST_TUNE,           /* tune(kernel, name, candidates...);   at least 1 value */
    AST_REQUIRE,        /* require(kernel, name = value, ...);  all named */
    AST_LAUNCH_REQUIRE, /* launch_require(kernel, condition, "text"); 1 value and text */
    AST_STATIC_REQUIRE, /* static_require(condition, "text");   1 value and text, no kernel;
                         * within a function it is a call */
};

struct ast_item {
    enum ast_item_kind kind;
    struct source_range range, at;
    struct ast_function *function; /* FUNCTION: itself; the others: the kernel that is named */
    struct ast_variable *constant; /* CONSTANT */
    const char *name;              /* TUNE: what is tuned */
    const char *text;              /* the two last */
    int argument_count;
    struct ast_argument *arguments;
};

/* A use of a macro, for notes; see ast_note_macros. */
struct ast_expansion {
    struct source_range use, definition;
    const char *name;
};

struct ast_unit {
    int item_count;
    struct ast_item *items; /* in the order of the file */
    int ahead_count;
    const struct ast_function **ahead; /* helpers that are declared, without their bodies */
    int define_count;
    const struct lang_define *defines; /* as given to lang_parse */
    size_t expansion_count;
    struct ast_expansion *expansions;
    bool vague; /* an item could not be read: names may be declared in it */
};

/* By name; NULL when there is none. */
const struct ast_function *ast_find_function(const struct ast_unit *unit, const char *name);
const struct lang_define *ast_find_define(const struct ast_unit *unit, const char *name);

/* Whether a name is reserved for the language (a built-in of builtins.def). */
bool ast_is_builtin(const char *name);

/* Calls visit for each operand of the expression that is there, in the order of the text. */
void ast_each_operand(const struct ast_expression *e,
                      void (*visit)(void *user, const struct ast_expression *operand), void *user);

/* Whether the expression, which may be NULL, holds the name. */
bool ast_mentions(const struct ast_expression *e, const char *name);

/* Reads text such as a grid ("cdiv(M, BLOCK), 2"), the value of a -D ("128") or a requirement
 * ("threads=256") as arguments. `names`: whether name=value is allowed. False after an error. */
bool ast_parse_arguments(struct arena *arena, struct diagnostics *diagnostics,
                         const struct source_file *file, bool names,
                         struct ast_argument **arguments, int *count);

/* Elaborates what could be read of a unit with syntax errors, for the errors in it (further.c); those
 * from number `first` on are put into the order of the file. */
void lang_check_further(struct lang_unit *unit, struct diagnostics *diagnostics, size_t first);

/* Puts a note "expanded from macro" behind every diagnostic from index `first` on whose place is a
 * macro's use. lang_parse calls it at its end, and lang_lower should at its own. */
void ast_note_macros(const struct ast_unit *unit, struct diagnostics *diagnostics, size_t first);

#endif
