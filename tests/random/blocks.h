#ifndef TILEC_TESTS_RANDOM_BLOCKS_H
#define TILEC_TESTS_RANDOM_BLOCKS_H
/*
 * What the files that write kernels of blocks share: see blocks.c. A set of axes is a mask, bit k
 * for axis k; what has none of them is a scalar.
 */
#include "kernel.h"

#include <string.h>

enum {
    MOST_AXES = 4,
    MOST_ARRAYS = 4,
    MOST_VALUES = 2048, /* elements of a tile */
    SLACK = 8,          /* places of an array that no loop reaches, for indices that are moved */
};

struct array {
    struct parameter *parameter;
    int64_t base, part; /* the first place; elements of a program */
    int64_t stride[MOST_AXES];
    struct parameter *step[MOST_AXES]; /* the stride as a scalar, or NULL */
};

struct blocks {
    struct generator *g;
    int rank;
    bool by_rows; /* the programs have rows: blocks along axis 0 */
    bool sums;    /* numbers are whole */
    int32_t dims[MOST_AXES];
    int64_t extent[MOST_AXES], room[MOST_AXES]; /* where masks end; places of an array */
    struct parameter *limit[MOST_AXES];         /* the extent as a scalar */
    const char *counter[MOST_AXES];             /* what moves the axis, or NULL */
    struct array arrays[MOST_ARRAYS];
    struct parameter *far;
    int array_count, depth, loops, budget;
};

/* ---- blocks_place.c: where a load or a store goes, and its mask */

/* The place along an axis: the counter and the axis, or of a scalar the counter alone. */
const char *blocks_place_text(struct blocks *b, int axis, bool present);
/* Of an element of the array, as an offset. once: no place comes twice. */
struct expr *blocks_address(struct blocks *b, const struct array *a, unsigned axes, bool once);
/* A view of the array with what follows it: a place for each axis, mostly the counters'. */
const char *blocks_view_text(struct blocks *b, const struct array *a);
/* Has those axes or some of them. */
struct expr *blocks_mask(struct blocks *b, unsigned axes, int fuel);

/* ---- blocks_value.c */

/* A value that has those axes; fuel: how deep it may still be. */
struct expr *blocks_value(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel);

/* ---- blocks_statement.c */

struct statement *blocks_statements(struct blocks *b, int count);

/* ---- nodes ---------------------------------------------------------------------------------- */

static inline struct arena *arena_of(struct blocks *b)
{
    return b->g->kernel->arena;
}

static inline int below(struct blocks *b, int count)
{
    return random_below(&b->g->random, count);
}

static inline bool chance(struct blocks *b, int percent)
{
    return random_chance(&b->g->random, percent);
}

/* Axes that are missing have one place; without any it is a scalar. */
static inline struct ir_type shape(const struct blocks *b, unsigned axes, enum ir_elem elem)
{
    struct ir_type type = {.elem = (uint8_t)elem, .rank = (uint8_t)(axes ? b->rank : 0)};
    for (int k = 0; k < type.rank; k++)
        type.dims[k] = axes >> k & 1 ? b->dims[k] : 1;
    return type;
}

static inline bool same_shape(struct ir_type a, struct ir_type b)
{
    return a.rank == b.rank && memcmp(a.dims, b.dims, sizeof a.dims) == 0;
}

static inline unsigned all_axes(const struct blocks *b)
{
    return (1u << b->rank) - 1;
}

/* Some of them, all more often than not. */
static inline unsigned some_axes(struct blocks *b, unsigned axes)
{
    return chance(b, 60) ? axes : axes & (unsigned)below(b, 1 << b->rank);
}

static inline int some_axis(struct blocks *b, unsigned axes)
{
    int k = below(b, b->rank);
    while (axes && !(axes >> k & 1))
        k = (k + 1) % b->rank;
    return k;
}

static inline struct expr *leaf(struct blocks *b, struct parameter *p)
{
    struct expr *e = expr_new(arena_of(b), shape(b, 0, p->elem), "@");
    e->parameter = p;
    return e;
}

static inline struct statement *statement_new(struct blocks *b, const char *pattern)
{
    struct statement *s = ARENA_NEW(arena_of(b), struct statement);
    s->pattern = pattern;
    return s;
}

static inline enum ir_elem some_elem(struct blocks *b)
{
    static const uint8_t elems[] = {IR_F32, IR_F32, IR_F32, IR_F32, IR_I32, IR_I32, IR_F16, IR_BF16,
                                    IR_I8,  IR_U8,  IR_I16, IR_U16, IR_U32, IR_I64, IR_U64, IR_F64};
    enum ir_elem elem = (enum ir_elem)elems[below(b, 16)];
    return elem == IR_F64 && b->g->kernel->metal ? IR_F32 : elem;
}

static inline const char *cast_to(struct blocks *b, enum ir_elem elem, const char *pattern)
{
    return arena_format(arena_of(b), "cast(%s, %s)", c_name(elem), pattern);
}

/* Cast to the type where the operation gives another one. */
static inline const char *kept(struct blocks *b, enum ir_elem elem, const char *pattern)
{
    return is_float(elem) || bits_of(elem) >= 32 ? pattern : cast_to(b, elem, pattern);
}

/* No larger than sums can be exact in. */
static inline const char *tame(struct blocks *b, enum ir_elem elem, const char *pattern)
{
    if (!is_float(elem) || !b->sums)
        return pattern;
    return arena_format(arena_of(b), "minimum(maximum(%s, -64), 64)", pattern);
}

/* Those that a value of the type has. */
static inline unsigned axes_of(const struct blocks *b, struct ir_type type)
{
    unsigned axes = 0;
    for (unsigned some = 0; some <= all_axes(b); some++)
        if (same_shape(shape(b, some, IR_F32), type))
            axes = some;
    return axes;
}

#endif
