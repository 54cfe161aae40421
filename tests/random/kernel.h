#ifndef TILEC_TESTS_RANDOM_KERNEL_H
#define TILEC_TESTS_RANDOM_KERNEL_H
/*
 * Random kernels: a kernel as a tree, so that it can be written as text and made smaller.
 *
 *   generate.c    statements, from a seed
 *   expression.c  expressions of a wanted type: of nodes.c, indices.c, loads.c, elementwise.c, shapes.c
 *                 and collectives.c
 *   rows.c        the statements of every third seed's kernel, whose programs each have a row
 *   overlap.c     the statements of kernels whose arrays overlap, which are generated on demand
 *   blocks.c      kernels of tiles in blocks, which are generated on demand: of blocks_place.c,
 *                 blocks_value.c and blocks_statement.c
 *   c/            programs that mean the same to C, and C's compilers as targets: see c/program.h
 *   render.c      the tree as a kernel file, its arguments, and a golden test that shows a failure
 *   check.c       runs a kernel file on two targets and compares
 *   shrink.c      the smallest kernel that still fails in the same way
 *   main.c        the program; every check happens in a child, so that a crash is a result
 *
 * Every node knows its type, so any of them can be replaced by a constant. Its text is a pattern:
 * $0..$3 are its children, @ is its parameter's name, % its variable's name.
 *
 * Nothing here depends on what a kernel computes. An expression is `approximate` when its value may
 * differ between targets (language.md); such a value is never compared, cast to an integer or used
 * as an index.
 */
#include "base/arena.h"
#include "base/text.h"
#include "ir/type.h"
#include "tests/variants.h"

struct variable {
    const char *name;
    struct ir_type type;
    bool approximate; /* may hold approximate values */
    bool fixed;       /* a loop's counter, say: not to be assigned */
};

enum parameter_kind {
    PARAMETER_INPUT,  /* const, INPUT_ELEMENTS long */
    PARAMETER_OUTPUT, /* stored to, each program its own part */
    PARAMETER_OWN,    /* read and written, OWN_ELEMENTS for each program */
    PARAMETER_ATOMIC, /* ATOMIC_ELEMENTS that all programs update atomically */
    PARAMETER_SCALAR,
};

enum { INPUT_ELEMENTS = 512, OWN_ELEMENTS = 256, ATOMIC_ELEMENTS = 64 };

struct parameter {
    const char *name;
    enum parameter_kind kind;
    enum ir_elem elem;
    bool is_restrict;
    int64_t elements;
    int64_t calm;  /* of so many elements in a row, two out of three rows are small numbers */
    uint64_t bits; /* a scalar's */
    bool fixed;    /* a scalar's: all targets but the reference are told its value */
    struct parameter *same_as; /* whose memory it is as well, or NULL */
    bool in_block;             /* it lies in the kernel's block, so many bytes behind its start */
    int64_t shift;
    bool used; /* set while the kernel is written */
};

enum {
    MAX_CHILDREN = 4,
    MAX_PARAMETERS = 200, /* as many as the language takes */
};

struct expr {
    struct ir_type type;
    bool approximate;
    const char *pattern;
    struct variable *variable;   /* or NULL */
    struct parameter *parameter; /* or NULL */
    int count;
    struct expr *children[MAX_CHILDREN];
};

struct statement {
    struct statement *next;
    const char *pattern, *tail;  /* tail: behind the body, or NULL */
    struct variable *variable;   /* declared or assigned here, or NULL */
    struct parameter *parameter; /* stored to, or NULL */
    bool declares;
    int count;
    struct expr *children[MAX_CHILDREN];
    bool has_body, has_other;
    struct statement *body, *other;
};

/* What stands at file scope, in front of the kernel, where it is mentioned. */
struct item {
    struct item *next;
    const char *name; /* without it the item is no use */
    const char *head; /* a line or several; a function's: up to its body */
    bool has_body;
    struct statement *body;
};

struct kernel {
    struct arena *arena;
    uint64_t seed;
    int64_t grid[3];
    bool specials;           /* NaN, infinities and the like among the floating data */
    bool whole;              /* floating data are small whole numbers */
    bool metal;              /* only what Metal has: no double, no atomic operations on 64 bits */
    bool bfloat;             /* a program of C: all compilers have bfloat */
    int period;              /* data repeats after so many elements; 0: never */
    int64_t block_bytes;     /* of the memory where arrays overlap; 0: none do in part */
    enum ir_elem block_elem; /* what it is filled with */
    struct text helpers;
    struct text tables; /* a line each */
    int table_count;
    struct item *items; /* of programs of C */
    int tile; /* a program of C: elements of its tiles, 1: it has none; 0: of no other use */
    struct parameter *parameters[MAX_PARAMETERS];
    int parameter_count;
    struct statement *body;
};

/* ---- random numbers ------------------------------------------------------------------------- */

struct random {
    uint64_t state;
};

static inline uint64_t random_bits(struct random *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline int random_below(struct random *r, int count)
{
    return (int)(random_bits(r) % (uint64_t)count);
}

static inline bool random_chance(struct random *r, int percent)
{
    return random_below(r, 100) < percent;
}

/* ---- generating ----------------------------------------------------------------------------- */

struct generator {
    struct kernel *kernel;
    struct random random;
    int32_t sizes[3]; /* of axes */
    struct variable *scope[128];
    int scope_count;
    int names;          /* given so far */
    int fuel;           /* nodes that the expression may still have */
    int loops;          /* around the place, within the innermost switch */
    int outside;        /* around that switch */
    const char *atomic; /* the kernel's one atomic op */
};

struct kernel *generate_kernel(struct arena *arena, uint64_t seed, bool metal);
/* One whose arrays overlap, in part as a rule. */
struct kernel *generate_overlapping(struct arena *arena, uint64_t seed, bool metal);
/* One of tiles in blocks, of several axes. */
struct kernel *generate_blocked(struct arena *arena, uint64_t seed, bool metal);
/* One that means the same to C: scalars, or (every third seed) elements of tiles. bfloat: with
 * values of that type. */
struct kernel *generate_program(struct arena *arena, uint64_t seed, bool bfloat);

/* An expression of exactly that type. exact: no approximate value in it. */
struct expr *generate_expr(struct generator *g, struct ir_type type, bool exact);
/* Its text: literals; small whole numbers mostly. */
struct expr *constant_expr(struct arena *arena, struct random *random, struct ir_type type);

struct expr *expr_new(struct arena *arena, struct ir_type type, const char *pattern);
void expr_add(struct expr *parent, struct expr *child);
struct parameter *generate_parameter(struct generator *g, enum parameter_kind kind,
                                     enum ir_elem elem);
/* One that nothing else uses yet. */
struct parameter *generate_new_parameter(struct generator *g, enum parameter_kind kind,
                                         enum ir_elem elem);
/* The body of a kernel of rows; chooses the grid as well. */
struct statement *generate_rows(struct generator *g);
/* The body of a kernel whose arrays lie in one block; chooses the grid as well. */
struct statement *generate_overlap(struct generator *g);
/* The body of a kernel of tiles in blocks; chooses the grid as well. */
struct statement *generate_blocks(struct generator *g);
/* A view of rows * columns elements of `part`, or of fewer when several elements may be one:
 * turned, backwards or both. */
const char *strided_view(struct generator *g, const char *part, int rows, int columns,
                         bool repeats);
struct ir_type shape_of(int rank, int32_t d0, int32_t d1, enum ir_elem elem);

const char *c_name(enum ir_elem elem);
enum ir_elem_kind kind_of(enum ir_elem elem);
int bits_of(enum ir_elem elem);

static inline bool is_float(enum ir_elem elem)
{
    return kind_of(elem) == IR_KIND_FLOAT;
}

/* ", 8, 4": the sizes of a shape as arguments */
const char *sizes_text(struct arena *arena, struct ir_type type);

/* ---- writing -------------------------------------------------------------------------------- */

/* The kernel file. Marks the parameters that it uses. */
const char *render_kernel(struct kernel *kernel);
/* The scalar's value as an expression, bit for bit: for -D. */
const char *render_value(struct arena *arena, const struct parameter *parameter);
/* A test for tests/run: directives with the data, then the kernel file. */
const char *render_golden(struct kernel *kernel);
/* Fills a buffer of the parameter with what it holds before the launch. */
void render_data(const struct kernel *kernel, const struct parameter *parameter, void *data);
/* The same of the block in which arrays overlap. */
void render_block(const struct kernel *kernel, void *data);

/* ---- checking ------------------------------------------------------------------------------- */

enum outcome {
    OUTCOME_SAME,
    OUTCOME_COMPILE, /* a target does not accept the kernel */
    OUTCOME_FAULT,   /* the interpreter found an access that generated kernels never make */
    OUTCOME_LAUNCH,  /* a launch failed */
    OUTCOME_DIFFERENT,
    OUTCOME_CRASH,
    OUTCOME_MISSING, /* a compiler that is not installed */
    OUTCOME_TIMEOUT,
    OUTCOME_REFUSED, /* the target names a limit of its own; no failure */
};

struct result {
    enum outcome outcome;
    char detail[4000];
    /* elements compared so far: bit for bit, within a bound, and those with no bound at all */
    uint64_t exact, bounded, unknown;
    uint64_t paths[VARIANTS_COLUMNS][CPU_PATH_COUNT]; /* kernels so far, see tests/variants.h */
};

struct checker; /* a context and the targets; made once per process */

enum { MAX_TARGETS = 4, TARGET_NAME = 16 };

/* The first target is the reference; "cpu-variants" is all the code that the CPU backend may make
 * (tests/variants.h), "c:COMPILER" the kernel as C. level: of the processor that code is made for,
 * or NULL; requirement: of all kernels on all targets, or NULL */
struct checker *checker_create(int count, char targets[][TARGET_NAME], const char *level,
                               const char *requirement);
/* False: one of the targets cannot be used here; the reason is printed. */
bool checker_is_available(const struct checker *checker);
void checker_destroy(struct checker *checker);
/* Where C is a target: compiles such kernels at once, to be checked one by one. */
void checker_compile(struct checker *checker, struct kernel *const *kernels, uint64_t count);
void check_kernel(struct checker *checker, struct kernel *kernel, struct result *result);

/* ---- shrinking ------------------------------------------------------------------------------ */

/* Makes the kernel smaller as long as fails(kernel) says that it fails in the same way. */
void shrink_kernel(struct kernel *kernel, bool (*fails)(void *user, struct kernel *kernel),
                   void *user);

#endif
