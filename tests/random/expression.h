#ifndef TILEC_TESTS_RANDOM_EXPRESSION_H
#define TILEC_TESTS_RANDOM_EXPRESSION_H
/*
 * What the files that write expressions share: see expression.c. A function that gives NULL has no
 * form for that type.
 */
#include "kernel.h"

#include <string.h>

static inline bool is_integer(enum ir_elem elem)
{
    return kind_of(elem) == IR_KIND_SIGNED || kind_of(elem) == IR_KIND_UNSIGNED;
}

static inline struct ir_type with_elem(struct ir_type type, enum ir_elem elem)
{
    type.elem = (uint8_t)elem;
    return type;
}

static inline int64_t count_of(struct ir_type type)
{
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++)
        count *= type.dims[i];
    return count;
}

static inline bool same_type(struct ir_type a, struct ir_type b)
{
    return a.elem == b.elem && a.rank == b.rank && memcmp(a.dims, b.dims, sizeof a.dims) == 0;
}

static inline struct arena *arena_of(struct generator *g)
{
    return g->kernel->arena;
}

/* ---- nodes.c */

enum ir_elem random_elem(struct generator *g);
enum ir_elem random_elem_of_kind(struct generator *g, bool floats);
/* pattern, cast to the type where the operation itself would give another one */
struct expr *node(struct generator *g, struct ir_type type, const char *pattern);
/* The same of one operand. */
struct expr *unary(struct generator *g, struct ir_type type, const char *pattern,
                   struct ir_type operand, bool exact);

/* ---- indices.c */

/* What divisions by constants and bits make of consecutive places (src/cpu/pattern.c): a base that
 * is a multiple of something or not, in one axis or the last of two. None is below zero. x: what is
 * consecutive; most: no place is beyond it, or 0: unknown. */
const char *pattern_text(struct generator *g, struct ir_type type, const char **x, int *most);
/* Tile of consecutive offsets below count, of one axis or two. */
const char *offsets_text(struct arena *arena, struct ir_type type);
/* An index around one that lies in [0, n), as kernels bound it: the mask keeps it inside. */
const char *bounds_text(struct generator *g, const char *i, int n);
/* The same index, moved to the nearest one inside. */
const char *clamp_text(struct generator *g, const char *i, int n);
struct expr *index_leaf(struct generator *g, struct ir_type type);

/* ---- loads.c */

struct expr *load_expr(struct generator *g, struct ir_type type);

/* ---- elementwise.c */

/* Operands of one element type; the first has the whole shape, wherever it stands. */
struct expr *elementwise(struct generator *g, struct ir_type type, enum ir_elem operand,
                         const char *pattern, int count, bool exact);
struct expr *select_expr(struct generator *g, struct ir_type type, bool exact);
struct expr *cast_expr(struct generator *g, struct ir_type type, bool exact);
struct expr *bitcast_expr(struct generator *g, struct ir_type type);
struct expr *arithmetic_expr(struct generator *g, struct ir_type type, bool exact);
struct expr *float_function(struct generator *g, struct ir_type type, bool exact);

/* ---- shapes.c */

struct expr *shape_expr(struct generator *g, struct ir_type type, bool exact);
struct expr *gather_expr(struct generator *g, struct ir_type type, bool exact);
struct expr *order_expr(struct generator *g, struct ir_type type, bool exact);
struct expr *lookup_expr(struct generator *g, struct ir_type type);

/* ---- collectives.c */

struct expr *reduce_expr(struct generator *g, struct ir_type type, bool exact);
struct expr *scan_expr(struct generator *g, struct ir_type type, bool exact);
struct expr *dot_expr(struct generator *g, struct ir_type type, bool exact);

/* ---- expression.c */

struct expr *scalar_leaf(struct generator *g, struct ir_type type);

#endif
