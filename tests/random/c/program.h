#ifndef TILEC_TESTS_RANDOM_C_PROGRAM_H
#define TILEC_TESTS_RANDOM_C_PROGRAM_H
/*
 * Random programs that mean the same to C and in kernels, so that C's compilers say what the
 * language front end should have made of them: the interpreter and all backends run what it made.
 *
 *   value.c      expressions, which have the types that C gives them
 *   literal.c    literals of all kinds
 *   words.c      the language's own words
 *   shapes.c     tiles of two axes
 *   program.c    statements, helpers, macros and the frame of a program
 *   loops.c      loops
 *   native.c     C's compilers; include/tilec/kernel.h is what they read
 *
 * Every third program works on tiles: its C is run for each element, so memory is read and written
 * at the element's own place, and what is uniform hangs on inputs alone.
 *
 * Where C and the language differ on purpose, or C says nothing, programs keep away from it,
 * whatever their values are; the patterns see to that, so that the shrinker cannot undo it:
 *
 *   indices are exact         a *small* value stays small; else a cast cuts it to its C type
 *   fma                       a product is cast, or handed to a macro that is fma() in C
 *   0.5 takes another type    suffixes, or a double on the other side
 *   division by 0, shifts     divisors and counts are masked
 *   float to integer          is cut to what the integer holds
 *   bits of a NaN             are not looked at: bitcast takes what is none
 *   half with bfloat          a cast to float
 *   order of evaluation       helpers that store are called alone, or behind && || and if
 */
#include "tests/random/kernel.h"

enum role {
    ROLE_HIDDEN,  /* its initial value is being written */
    ROLE_ANY,     /* a number like any in C */
    ROLE_SMALL,   /* from -SMALL to SMALL; may be an index */
    ROLE_SUM,     /* of small values, so far from the ends of int; may be an index */
    ROLE_POINTER, /* to a place of which BEHIND elements follow */
};

enum { SMALL = 40, BEHIND = 32, SCOPE = 200, HELPERS = 4, NAMED = 8 };

struct local {
    struct variable variable; /* its type's rank: 1 for a tile; fixed: not to be assigned */
    enum role role;
    bool stores; /* a pointer that may be stored through */
    int loops;   /* around its declaration */
    int moves;   /* of a pointer: that may still come */
};

struct helper {
    const char *name;
    enum ir_elem result;
    bool is_void, stores, is_straight; /* straight: for tiles as well */
    int count;
    struct {
        enum ir_elem elem;
        bool is_pointer, is_constant;
    } parameters[3];
};

/* A constant of the file, or a table. */
struct named {
    const char *name;
    enum ir_elem elem;
    bool is_table, is_enumerator; /* a table of 8 elements */
};

struct program {
    struct generator g; /* the kernel and its random numbers */
    int tile;           /* elements; 1: no tiles */
    struct local *scope[SCOPE];
    int scope_count, frame, block; /* where the function's variables begin, and the block's */
    int loops;                     /* around the place */
    bool breaks, continues;        /* may stand here */
    int fuel;                      /* statements that may still be written */
    struct expr *bound;            /* in memory, of the loop that is being written, or NULL */
    const char *stride;            /* a variable that the loop's step hangs on, or NULL */
    int depth;                     /* of the expression that is being written */
    bool known;                    /* it is made of constants */
    int over;                      /* it is computed anew for each element: see words.c */
    int rows, columns;             /* of those elements where they have two axes, else 0 */
    struct helper *self;           /* the helper that is being written, or NULL */
    struct helper *helpers[HELPERS];
    int helper_count;
    struct named named[NAMED];
    int named_count;
    struct item **items; /* the end of the kernel's */
};

static inline struct arena *program_arena(struct program *p)
{
    return p->g.kernel->arena;
}

static inline int below(struct program *p, int count)
{
    return random_below(&p->g.random, count);
}

static inline bool chance(struct program *p, int percent)
{
    return random_chance(&p->g.random, percent);
}

/* ---- value.c --------------------------------------------------------------------------------- */

enum { /* what a value must be */
       WANT_INTEGER = 1,
       WANT_FLOAT = 2,
       WANT_UNIFORM = 4,
};

/* A number of any type that fits; the node's type is C's. */
struct expr *program_value(struct program *p, unsigned want, int fuel);
/* One that a conversion to the element changes as C does; sure: by a cast. */
struct expr *program_converted(struct program *p, enum ir_elem elem, unsigned want, int fuel,
                               bool sure);
/* From -3 * SMALL to 3 * SMALL; may be an index. */
struct expr *program_small(struct program *p, unsigned want);
/* A truth for if and its like, which may call a helper that stores. */
struct expr *program_condition(struct program *p);
struct expr *program_call(struct program *p, const struct helper *helper, unsigned want, int fuel);
struct expr *program_leaf(struct program *p, enum ir_elem elem, const char *pattern);
/* A child makes its parent a tile. */
void program_add_child(struct expr *e, struct expr *child);
struct expr *program_around(struct program *p, enum ir_elem elem, const char *pattern,
                            struct expr *child);
bool program_fits(struct ir_type type, unsigned want);
/* The usual arithmetic conversions; meets: the two may be operands of one operator. */
enum ir_elem program_usual(enum ir_elem a, enum ir_elem b);
bool program_meets(enum ir_elem a, enum ir_elem b);
/* An address of which BEHIND elements and some more follow; NULL: there is none. */
struct expr *program_address(struct program *p, enum ir_elem elem, bool stores);
struct local *program_visible(struct program *p, enum role role, unsigned want);

enum ir_elem program_elem(struct program *p);
const char *program_spelling(struct program *p, enum ir_elem elem); /* "unsigned long" */
bool program_is_float(enum ir_elem elem);

/* ---- literal.c ------------------------------------------------------------------------------- */

struct expr *program_literal(struct program *p, unsigned want);
/* One of an enumerator's or a table's element. */
const char *program_number(struct program *p, enum ir_elem elem);

/* ---- words.c: what the language adds to C; NULL: nothing that fits -------------------------- */

struct expr *program_bits(struct program *p, unsigned want, int fuel);
struct expr *program_word(struct program *p, unsigned want, int fuel);
struct expr *program_over(struct program *p, unsigned want, int fuel);

/* ---- shapes.c: likewise ---------------------------------------------------------------------- */

struct expr *program_shape(struct program *p, unsigned want, int fuel);
extern const char program_alongs[]; /* a line of the file that it needs */

/* ---- program.c ------------------------------------------------------------------------------- */

struct list {
    struct statement *first, **end;
};

struct statement *program_append(struct program *p, struct list *list, const char *pattern);
void program_add(struct statement *s, struct expr *e);
/* Writes a block's statements, a few. */
struct statement *program_block(struct program *p, int most);
void program_block_into(struct program *p, struct list *list, int most);
void program_leave(struct program *p, struct list *list);
/* A name for a variable; often one that hides another. */
struct local *program_declare(struct program *p, enum ir_elem elem, enum role role);

/* ---- loops.c --------------------------------------------------------------------------------- */

void program_loop(struct program *p, struct list *list);

#endif
