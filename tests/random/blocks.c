/*
 * Kernels of blocks: tiles of one to four axes, whose rows and columns loops go along in blocks, or
 * programs. Values have all axes or some of them, and are reduced, scanned, turned and spread
 * between these; what a loop carries is of any shape. Masks are limits of the axes, mostly, and
 * everything else that C allows; arrays have strides of any order and sign, and those that are
 * stored are loaded again, at the same places and others.
 *
 * No sum rounds: numbers are whole and kept small, or of any kind where nothing is summed up. No
 * program touches what another one stores, and no store has two values for one place.
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

/* ---- nodes ---------------------------------------------------------------------------------- */

static struct arena *arena_of(struct blocks *b)
{
    return b->g->kernel->arena;
}

static int below(struct blocks *b, int count)
{
    return random_below(&b->g->random, count);
}

static bool chance(struct blocks *b, int percent)
{
    return random_chance(&b->g->random, percent);
}

/* Axes that are missing have one place; without any it is a scalar. */
static struct ir_type shape(const struct blocks *b, unsigned axes, enum ir_elem elem)
{
    struct ir_type type = {.elem = (uint8_t)elem, .rank = (uint8_t)(axes ? b->rank : 0)};
    for (int k = 0; k < type.rank; k++)
        type.dims[k] = axes >> k & 1 ? b->dims[k] : 1;
    return type;
}

static bool same_shape(struct ir_type a, struct ir_type b)
{
    return a.rank == b.rank && memcmp(a.dims, b.dims, sizeof a.dims) == 0;
}

static bool is_float(enum ir_elem elem)
{
    return kind_of(elem) == IR_KIND_FLOAT;
}

static unsigned all_axes(const struct blocks *b)
{
    return (1u << b->rank) - 1;
}

/* Some of them, all more often than not. */
static unsigned some_axes(struct blocks *b, unsigned axes)
{
    return chance(b, 60) ? axes : axes & (unsigned)below(b, 1 << b->rank);
}

static int some_axis(struct blocks *b, unsigned axes)
{
    int k = below(b, b->rank);
    while (axes && !(axes >> k & 1))
        k = (k + 1) % b->rank;
    return k;
}

static struct expr *leaf(struct blocks *b, struct parameter *p)
{
    struct expr *e = expr_new(arena_of(b), shape(b, 0, p->elem), "@");
    e->parameter = p;
    return e;
}

static struct statement *statement_new(struct blocks *b, const char *pattern)
{
    struct statement *s = ARENA_NEW(arena_of(b), struct statement);
    s->pattern = pattern;
    return s;
}

static enum ir_elem some_elem(struct blocks *b)
{
    static const uint8_t elems[] = {IR_F32, IR_F32, IR_F32, IR_F32, IR_I32, IR_I32, IR_F16, IR_BF16,
                                    IR_I8,  IR_U8,  IR_I16, IR_U16, IR_U32, IR_I64, IR_U64, IR_F64};
    enum ir_elem elem = (enum ir_elem)elems[below(b, 16)];
    return elem == IR_F64 && b->g->kernel->metal ? IR_F32 : elem;
}

static const char *cast_to(struct blocks *b, enum ir_elem elem, const char *pattern)
{
    return arena_format(arena_of(b), "cast(%s, %s)", c_name(elem), pattern);
}

/* Cast to the type where the operation gives another one. */
static const char *kept(struct blocks *b, enum ir_elem elem, const char *pattern)
{
    return is_float(elem) || bits_of(elem) >= 32 ? pattern : cast_to(b, elem, pattern);
}

/* No larger than sums can be exact in. */
static const char *tame(struct blocks *b, enum ir_elem elem, const char *pattern)
{
    if (!is_float(elem) || !b->sums)
        return pattern;
    return arena_format(arena_of(b), "minimum(maximum(%s, -64), 64)", pattern);
}

/* ---- places --------------------------------------------------------------------------------- */

/* The place along an axis: the counter and the axis, or of a scalar the counter alone. */
static const char *place_text(struct blocks *b, int axis, bool present)
{
    const char *counter = b->counter[axis];
    if (!present)
        return arena_format(arena_of(b), "(%s + %d)", counter ? counter : "0",
                            below(b, b->dims[axis]));
    return counter ? arena_format(arena_of(b), "(%s + i%d)", counter, axis)
                   : arena_format(arena_of(b), "i%d", axis);
}

/* As place_text, moved: within the room; once: no place comes twice. */
static const char *moved_text(struct blocks *b, int axis, bool present, bool once)
{
    struct arena *arena = arena_of(b);
    const char *x = place_text(b, axis, present);
    int w = 1 + below(b, 12), last = (int)b->room[axis] - 1;
    if (chance(b, 55))
        return x;
    switch (below(b, once ? 4 : 11)) {
    case 0:
    case 1:
        return arena_format(arena, "(%s + %d)", x, below(b, 9));
    case 2:
        return arena_format(arena, "(%d - %s)", last, x);
    case 3:
        return arena_format(arena, "(%s ^ %d)", x, 1 << below(b, 3));
    case 4:
        return arena_format(arena, "maximum(%s - %d, 0)", x, w);
    case 5:
        return arena_format(arena, "(%s / %d)", x, w);
    case 6:
        return arena_format(arena, "(%s %% %d)", x, w);
    case 7:
        return arena_format(arena, "minimum(%s + %d, %d)", x, w, last);
    case 8:
        return arena_format(arena, "where(%s < %d, %s, %s + 3)", x, below(b, 40), x, x);
    case 9:
        return arena_format(arena, "(%s - %s %% %d)", x, x, w);
    default:
        return arena_format(arena, "(%s / %d + %s %% %d)", x, w + 1, x, w < 8 ? w : 8);
    }
}

static struct expr *value(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel);

/* Of that axis: what is in memory says where. */
static struct expr *found_place(struct blocks *b, unsigned axes)
{
    struct expr *e = expr_new(arena_of(b), shape(b, axes, IR_I64), "(cast(int, $0) & 7)");
    expr_add(e, value(b, axes, chance(b, 50) ? IR_I32 : IR_U8, 1));
    return e;
}

/* The offset of a term: place times stride. own: other programs have other places. */
static struct expr *term(struct blocks *b, const struct array *a, int k, unsigned axes, bool once,
                         bool own)
{
    unsigned axis = axes & 1u << k;
    bool fixed = own && b->by_rows && k == 0;
    const char *x = fixed ? place_text(b, k, axis) : moved_text(b, k, axis, once);
    struct expr *e;
    if (!once && !fixed && chance(b, 4)) {
        e = expr_new(arena_of(b), shape(b, axis, IR_I64), "$0 * $1");
        expr_add(e, found_place(b, axis));
        struct expr *stride = expr_new(arena_of(b), shape(b, 0, IR_I64),
                                       arena_format(arena_of(b), "%d", (int)a->stride[k]));
        expr_add(e, a->step[k] ? leaf(b, a->step[k]) : stride);
        return e;
    }
    if (a->step[k]) {
        e = expr_new(arena_of(b), shape(b, axis, IR_I64), arena_format(arena_of(b), "%s * @", x));
        e->parameter = a->step[k];
        return e;
    }
    return expr_new(arena_of(b), shape(b, axis, IR_I64),
                    a->stride[k] == 1 ? x
                                      : arena_format(arena_of(b), "%s * %d", x, (int)a->stride[k]));
}

static struct expr *address(struct blocks *b, const struct array *a, unsigned axes, bool once)
{
    bool own = a->parameter->kind != PARAMETER_INPUT;
    static const char *const sums[] = {"$0", "$0 + $1", "$0 + $1 + $2", "$0 + $1 + $2 + $3"};
    const char *program = b->by_rows ? "program_id(1)" : "pid";
    const char *begin =
        own || chance(b, 50) ? arena_format(arena_of(b), "%s * %d + ", program, (int)a->part) : "";
    struct expr *e =
        expr_new(arena_of(b), shape(b, axes, IR_I64),
                 arena_format(arena_of(b), "%s%d + %s", begin, (int)a->base, sums[b->rank - 1]));
    for (int k = 0; k < b->rank; k++)
        expr_add(e, term(b, a, k, axes, once, own));
    return e;
}

/* ---- masks ---------------------------------------------------------------------------------- */

/* Near the ends of what 64 bits hold. */
static struct parameter *far_scalar(struct blocks *b)
{
    for (int i = 0; i < b->g->kernel->parameter_count; i++)
        if (b->g->kernel->parameters[i] == b->far)
            return b->far;
    b->far = generate_new_parameter(b->g, PARAMETER_SCALAR, IR_I64);
    b->far->bits = chance(b, 30) ? (uint64_t)below(b, 60) : INT64_MAX - (uint64_t)below(b, 60);
    if (chance(b, 40))
        b->far->bits = -b->far->bits;
    return b->far;
}

/* Has those axes or some of them. */
static struct expr *mask(struct blocks *b, unsigned axes, int fuel)
{
    struct arena *arena = arena_of(b);
    int k = some_axis(b, axes), choice = below(b, 100);
    unsigned axis = axes & 1u << k;
    const char *x = place_text(b, k, axis);
    struct expr *e;
    if (fuel > 0 && choice < 40) {
        static const char *const forms[] = {"$0 && $1", "$0 && $1", "($0) & ($1)", "($0 || $1)",
                                            "!($0)"};
        int form = below(b, 5);
        e = expr_new(arena, shape(b, axes, IR_BOOL), forms[form]);
        struct expr *p = mask(b, axes, fuel - 1), *q = mask(b, axes, fuel - 1);
        expr_add(e, p);
        if (form < 4)
            expr_add(e, q);
        e->type = p->type;
        for (int i = 0; form < 4 && i < q->type.rank; i++) {
            e->type.rank = q->type.rank;
            e->type.dims[i] = q->type.dims[i] > e->type.dims[i] ? q->type.dims[i] : e->type.dims[i];
        }
        return e;
    }
    if (choice < 72) { /* the usual limit */
        int form = below(b, 5);
        const char *text = form == 3   ? arena_format(arena, "@ > %s", x)
                           : form == 4 ? arena_format(arena, "%s <= @ - 1", x)
                                       : arena_format(arena, "%s < @", x);
        e = expr_new(arena, shape(b, axis, IR_BOOL), text);
        e->parameter = b->limit[k];
        return e;
    }
    int j = some_axis(b, axes), c = below(b, 40);
    switch (choice % 10) {
    case 7: /* the block's share of the limit */
        e = expr_new(arena, shape(b, axis, IR_BOOL),
                     arena_format(arena, "%s < @ - %s", axis ? arena_format(arena, "i%d", k) : "0",
                                  b->counter[k] ? b->counter[k] : "2"));
        e->parameter = b->limit[k];
        return e;
    case 8: { /* a difference that 64 bits hold, of which what the passes may make of it has none */
        struct parameter *far = far_scalar(b);
        const char *form = (int64_t)far->bits < 0 ? "%s + @ <= %s * -%d" : "@ - %s > %s * %d";
        e = expr_new(arena, shape(b, axis | (axes & 1u << j), IR_BOOL),
                     arena_format(arena, form, x, place_text(b, j, axes & 1u << j), below(b, 4)));
        e->parameter = far;
        return e;
    }
    case 9:
        e = expr_new(
            arena, shape(b, axis, IR_BOOL),
            arena_format(arena, "%s * %d %s @", x, 1 + below(b, 3), chance(b, 50) ? "<" : ">="));
        e->parameter = far_scalar(b);
        return e;
    case 0:
        return expr_new(arena, shape(b, axis, IR_BOOL), arena_format(arena, "%s >= %d", x, c));
    case 1:
        return expr_new(arena, shape(b, axis, IR_BOOL),
                        arena_format(arena, "%s %% %d != 0", x, 2 + below(b, 5)));
    case 2:
        return expr_new(arena, shape(b, axis | (axes & 1u << j), IR_BOOL),
                        arena_format(arena, "%s %s %s", x, chance(b, 50) ? "<=" : ">",
                                     place_text(b, j, axes & 1u << j)));
    case 3:
        e = expr_new(arena, shape(b, axis, IR_BOOL),
                     arena_format(arena, "%s + %d < @", x, below(b, 20) - 10));
        e->parameter = b->limit[k];
        return e;
    case 4:
        e = expr_new(arena, shape(b, axis, IR_BOOL),
                     arena_format(arena, "%s * %d < @", x, 1 + below(b, 4)));
        e->parameter = b->limit[below(b, b->rank)];
        return e;
    default: {
        static const char *const forms[] = {"$0 > 2", "$0 <= 0", "$0 == 1", "$0 != 0"};
        unsigned some = some_axes(b, axes);
        e = expr_new(arena, shape(b, some, IR_BOOL), forms[below(b, 4)]);
        expr_add(e, value(b, some, some_elem(b), fuel > 0 ? 1 : 0));
        return e;
    }
    }
}

/* ---- values --------------------------------------------------------------------------------- */

/* A view of the array with what follows it: a place for each axis, mostly the counters'. */
static const char *view_text(struct blocks *b, const struct array *a)
{
    bool own = a->parameter->kind != PARAMETER_INPUT;
    const char *program = b->by_rows ? "program_id(1)" : "pid";
    struct text text;
    text_init(&text, arena_of(b));
    text_format(&text, "view_strided(@ + (%s * %d + %d)", own ? program : "0", (int)a->part,
                (int)a->base);
    for (int k = 0; k < b->rank; k++) {
        bool whole = (own && b->by_rows && k == 0) || chance(b, 40);
        text_format(&text, ", %d", (int)(whole ? b->room[k] : below(b, (int)b->room[k] + 1)));
    }
    for (int k = 0; k < b->rank; k++)
        text_format(&text, ", %d", (int)a->stride[k]);
    text_string(&text, ")");
    for (int k = 0; k < b->rank; k++) {
        bool fixed = own && b->by_rows && k == 0;
        const char *counter = b->counter[k] ? b->counter[k] : "0";
        int by = fixed || chance(b, 60) ? 0 : below(b, 12) - 6;
        text_format(&text, by ? ", %s + (%d)" : ", %s", counter, by);
    }
    text_char(&text, '\0');
    return text.items;
}

static struct expr *view_load(struct blocks *b, enum ir_elem elem)
{
    struct array *a = &b->arrays[below(b, b->array_count)];
    struct ir_type type = shape(b, all_axes(b), elem);
    const char *name = chance(b, 70) ? "tile_load(" : "tile_load_or(3, ";
    const char *text =
        arena_format(arena_of(b), "%s%s%s)", name, view_text(b, a), sizes_text(arena_of(b), type));
    struct expr *e =
        expr_new(arena_of(b), type, a->parameter->elem == elem ? text : cast_to(b, elem, text));
    e->parameter = a->parameter;
    return e;
}

static struct expr *load_of(struct blocks *b, unsigned axes, enum ir_elem elem)
{
    if (axes == all_axes(b) && chance(b, 12))
        return view_load(b, elem);
    struct array *a = &b->arrays[below(b, b->array_count)];
    bool casts = a->parameter->elem != elem, masked = axes && chance(b, 60),
         other = masked && chance(b, 40);
    const char *load =
        axes ? masked ? other ? "load(@ + ($0), $1, $2)" : "load(@ + ($0), $1)" : "load(@ + ($0))"
             : "@[$0]";
    struct expr *e =
        expr_new(arena_of(b), shape(b, axes, elem), casts ? cast_to(b, elem, load) : load);
    e->parameter = a->parameter;
    expr_add(e, address(b, a, axes, false));
    if (masked)
        expr_add(e, mask(b, axes, 2));
    if (other)
        expr_add(e, value(b, some_axes(b, axes), a->parameter->elem, 0));
    return e;
}

static struct expr *variable_of(struct blocks *b, unsigned axes, enum ir_elem elem)
{
    struct generator *g = b->g;
    int start = below(b, g->scope_count + 1);
    struct ir_type type = shape(b, axes, elem);
    for (int i = 0; i < g->scope_count; i++) {
        struct variable *v = g->scope[(start + i) % g->scope_count];
        if (!same_shape(v->type, type))
            continue;
        struct expr *e =
            expr_new(arena_of(b), type, v->type.elem == type.elem ? "%" : cast_to(b, elem, "%"));
        e->variable = v;
        return e;
    }
    return NULL;
}

static struct expr *of_place(struct blocks *b, unsigned axes, enum ir_elem elem)
{
    int k = some_axis(b, axes);
    return expr_new(arena_of(b), shape(b, axes & 1u << k, elem),
                    arena_format(arena_of(b), "cast(%s, %s %% 32)", c_name(elem),
                                 place_text(b, k, axes >> k & 1)));
}

static struct expr *combined(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    static const char *const reals[] = {
        "($0 + $1)", "($0 - $1)", "minimum($0, $1)", "maximum($0, $1)", "($0 * $1)",
        "(-$0)",     "abs($0)",   "floor($0 * 0.5)", "($0 + $1)",       "fmax($0, $1)"};
    static const char *const whole[] = {
        "($0 + $1)", "($0 - $1)", "minimum($0, $1)", "maximum($0, $1)", "($0 * $1)",
        "(-$0)",     "abs($0)",   "($0 / 3)",        "($0 % 5)",        "($0 ^ $1)",
        "($0 & $1)", "($0 | $1)", "($0 >> 1)",       "($0 << 2)"};
    const char *form = is_float(elem) ? reals[below(b, 10)] : whole[below(b, 14)];
    unsigned other = some_axes(b, axes);
    struct expr *e;
    if (chance(b, 12)) {
        e = expr_new(arena_of(b), shape(b, axes, elem), "where($2, $0, $1)");
        expr_add(e, value(b, axes, elem, fuel - 1));
        expr_add(e, value(b, other, elem, fuel - 1));
        expr_add(e, mask(b, axes, 1));
        return e;
    }
    form = kept(b, elem, form);
    e = expr_new(arena_of(b), shape(b, axes, elem), strchr(form, '*') ? tame(b, elem, form) : form);
    expr_add(e, value(b, axes, elem, fuel - 1));
    if (strstr(form, "$1"))
        expr_add(e, chance(b, 15) ? of_place(b, other, elem) : value(b, other, elem, fuel - 1));
    return e;
}

static const char *axis_text(struct blocks *b, int axis)
{
    return b->rank == 1 && chance(b, 50) ? "" : arena_format(arena_of(b), ", axis(%d)", axis);
}

/* Over one axis, or all that are there. */
static struct expr *reduced(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    unsigned missing = all_axes(b) & ~axes;
    if (!missing)
        return combined(b, axes, elem, fuel);
    const char *axis = "";
    unsigned from = missing;
    if (axes) {
        int k = some_axis(b, missing);
        from = axes | 1u << k;
        axis = arena_format(arena_of(b), ", axis(%d), keep", k);
    } else {
        from = some_axes(b, missing);
        from = from ? from : missing;
    }
    enum ir_elem of = chance(b, 70) ? elem : some_elem(b);
    bool sums = b->sums || !is_float(of);
    if (chance(b, 10)) {
        const char *name = chance(b, 50) ? "any" : "all";
        struct expr *e =
            expr_new(arena_of(b), shape(b, axes, elem),
                     arena_format(arena_of(b), "cast(%s, %s(broadcast_to($0%s)%s))", c_name(elem),
                                  name, sizes_text(arena_of(b), shape(b, from, IR_BOOL)), axis));
        expr_add(e, mask(b, from, 1));
        return e;
    }
    static const char *const names[] = {"max", "min", "argmax", "argmin",
                                        "sum", "sum", "sum",    "prod"};
    const char *name = names[below(b, !sums ? 4 : is_float(of) ? 7 : 8)];
    struct expr *e = expr_new(
        arena_of(b), shape(b, axes, elem),
        name[0] == 'm' && of == elem
            ? arena_format(arena_of(b), "%s($0%s)", name, axis)
            : tame(b, elem, cast_to(b, elem, arena_format(arena_of(b), "%s($0%s)", name, axis))));
    expr_add(e, value(b, from, of, fuel - 1));
    return e;
}

static struct expr *scanned(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    int k = some_axis(b, axes);
    bool sums = (b->sums || !is_float(elem)) && chance(b, 70);
    const char *form = sums ? arena_format(arena_of(b), "cumsum($0%s%s)", axis_text(b, k),
                                           chance(b, 30) ? ", exclusive" : "")
                            : arena_format(arena_of(b), "cummax($0%s)", axis_text(b, k));
    struct ir_type type = shape(b, axes, elem);
    if (chance(b, 15) && b->rank > 1) { /* over all, in order */
        int32_t count = 1;
        for (int i = 0; i < type.rank; i++)
            count *= type.dims[i];
        form = arena_format(arena_of(b), "reshape(%s(reshape($0, %d))%s)",
                            sums ? "cumsum" : "cummax", (int)count, sizes_text(arena_of(b), type));
    }
    struct expr *e =
        expr_new(arena_of(b), type, sums ? tame(b, elem, cast_to(b, elem, form)) : form);
    expr_add(e, value(b, axes, elem, fuel - 1));
    return e;
}

/* Elements of a tile at other places of it. */
static struct expr *gathered(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    int k = some_axis(b, axes);
    struct expr *e = expr_new(arena_of(b), shape(b, axes, elem),
                              arena_format(arena_of(b), "gather($0, minimum(maximum($1, 0), %d)%s)",
                                           (int)b->dims[k] - 1, axis_text(b, k)));
    expr_add(e, value(b, axes, elem, fuel - 1));
    expr_add(e, value(b, axes, chance(b, 50) ? IR_I32 : IR_I64, fuel - 1));
    return e;
}

/* Two axes of one size exchanged. */
static struct expr *turned(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    struct ir_type type = shape(b, axes, elem);
    int to[MOST_AXES] = {0, 1, 2, 3};
    for (int i = 0; i < type.rank; i++)
        for (int k = i + 1; k < type.rank; k++)
            if (type.dims[i] == type.dims[k] && type.dims[i] > 1 && chance(b, 60)) {
                to[i] = k, to[k] = i;
                i = k = type.rank;
            }
    struct text text;
    text_init(&text, arena_of(b));
    text_string(&text, "trans($0");
    for (int i = 0; i < type.rank; i++)
        text_format(&text, ", %d", to[i]);
    text_string(&text, ")");
    struct expr *e = expr_new(arena_of(b), type, text.items);
    if (type.rank < 2)
        e->pattern = "$0";
    expr_add(e, value(b, axes, elem, fuel - 1));
    return e;
}

/* Of a tile with one axis in two: mixed, or scanned along one of them. */
static struct expr *regrouped(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    struct ir_type type = shape(b, axes, elem);
    int k = some_axis(b, axes), factor = 2 + below(b, 4);
    if (type.dims[k] % factor != 0)
        factor = 1;
    struct text sizes, turns;
    text_init(&sizes, arena_of(b));
    text_init(&turns, arena_of(b));
    for (int i = 0; i < type.rank; i++) {
        text_format(&sizes, i == k ? ", %d, %d" : ", %d", i == k ? factor : (int)type.dims[i],
                    (int)type.dims[k] / factor);
        text_format(&turns, i == k ? ", %d, %d" : ", %d", i == k ? i + 1 : i < k ? i : i + 1, k);
    }
    text_char(&sizes, '\0');
    text_char(&turns, '\0');
    const char *parts = arena_format(arena_of(b), "reshape($0%s)", sizes.items), *mixed;
    bool adds = !is_float(elem) && chance(b, 50);
    if (chance(b, 50))
        mixed = arena_format(arena_of(b), "trans(%s%s)", parts, turns.items);
    else
        mixed = arena_format(arena_of(b), "%s(%s, axis(%d))", adds ? "cumsum" : "cummax", parts,
                             k + below(b, 2));
    const char *text =
        arena_format(arena_of(b), "reshape(%s%s)", mixed, sizes_text(arena_of(b), type));
    struct expr *e = expr_new(arena_of(b), type, cast_to(b, elem, text));
    expr_add(e, value(b, axes, elem, fuel - 1));
    return e;
}

/* Two tiles side by side. */
static struct expr *joined(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    int form = below(b, 3);
    struct expr *e =
        expr_new(arena_of(b), shape(b, axes, elem),
                 form == 1 ? arena_format(arena_of(b), "split(join($0, $1), %d)", below(b, 2))
                           : arena_format(arena_of(b),
                                          form ? "min(join($1, $0), axis(%d))"
                                               : "max(join($0, $1), axis(%d))",
                                          b->rank));
    expr_add(e, value(b, axes, elem, fuel - 1));
    expr_add(e, value(b, axes, elem, fuel - 1));
    return e;
}

static struct expr *looked_up(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    static const int counts[] = {3, 8, 16, 16, 32, 50, 64, 256};
    struct kernel *k = b->g->kernel;
    int count = counts[below(b, 8)];
    const char *name = arena_format(arena_of(b), "table%d_", k->table_count++);
    text_format(&k->tables, "static const %s %s[%d] = {", c_name(elem), name, count);
    for (int i = 0; i < count; i++)
        text_format(&k->tables, "%s%d", i ? ", " : "", below(b, 60));
    text_string(&k->tables, "};\n");
    struct expr *e = expr_new(
        arena_of(b), shape(b, axes, elem),
        count == 256 ? arena_format(arena_of(b), "%s[cast(uint8_t, $0)]", name)
                     : arena_format(arena_of(b), "%s[cast(uint32_t, $0) %% %d]", name, count));
    expr_add(e, value(b, axes, chance(b, 50) ? IR_I32 : IR_U8, fuel - 1));
    return e;
}

/* By helpers; one of them tells which operand came first. */
static struct expr *combined_by_helper(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    bool has = elem == IR_F32 || (!is_float(elem) && elem != IR_BOOL);
    unsigned missing = all_axes(b) & ~axes;
    if (!has)
        return combined(b, axes, elem, fuel);
    const char *helper =
        arena_format(arena_of(b), chance(b, 50) ? "greater_%s" : "later_%s", c_name(elem));
    if (axes && (!missing || chance(b, 50))) {
        struct expr *e = expr_new(
            arena_of(b), shape(b, axes, elem),
            arena_format(arena_of(b), "scan(%s, $0%s)", helper, axis_text(b, some_axis(b, axes))));
        expr_add(e, value(b, axes, elem, fuel - 1));
        return e;
    }
    unsigned from = all_axes(b);
    const char *axis = "";
    if (axes) {
        int k = some_axis(b, missing);
        from = axes | 1u << k;
        axis = arena_format(arena_of(b), ", axis(%d), keep", k);
    }
    struct expr *e = expr_new(arena_of(b), shape(b, axes, elem),
                              arena_format(arena_of(b), "reduce(%s, $0%s)", helper, axis));
    expr_add(e, value(b, from, elem, fuel - 1));
    return e;
}

static struct expr *product(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    static const uint8_t of_float[] = {IR_F32, IR_F16, IR_BF16};
    bool fits = b->rank == 2 && axes == 3 && b->sums;
    enum ir_elem of = elem == IR_F32   ? (enum ir_elem)of_float[below(b, 3)]
                      : elem == IR_F64 ? IR_F64
                                       : IR_I8;
    if (!fits || (elem != IR_F32 && elem != IR_F64 && elem != IR_I32))
        return combined(b, axes, elem, fuel);
    struct expr *e = expr_new(arena_of(b), shape(b, axes, elem), tame(b, elem, "dot($0, $1, $2)"));
    if (b->dims[0] != b->dims[1]) {
        const char *i = arena_format(arena_of(b), "arange(0, %d)", (int)b->dims[1]);
        e->pattern =
            tame(b, elem,
                 arena_format(
                     arena_of(b),
                     "dot($0, cast(%s, (expand_dims(%s, 1) + expand_dims(%s, 0)) %% 5 - 2), $1)",
                     c_name(of), i, i));
        expr_add(e, value(b, axes, of, fuel - 1));
        expr_add(e, value(b, axes, elem, fuel - 1));
        return e;
    }
    expr_add(e, value(b, axes, of, fuel - 1));
    expr_add(e, value(b, axes, of, fuel - 1));
    expr_add(e, value(b, axes, elem, fuel - 1));
    return e;
}

static struct expr *spread(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    unsigned some = axes & (unsigned)below(b, 1 << b->rank);
    struct ir_type type = shape(b, axes, elem);
    struct expr *e =
        expr_new(arena_of(b), type,
                 arena_format(arena_of(b), "broadcast_to($0%s)", sizes_text(arena_of(b), type)));
    expr_add(e, value(b, some, elem, fuel - 1));
    return e;
}

static struct expr *value(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    int choice = below(b, 100);
    if (b->budget-- > 0 && fuel > 0) {
        if (choice < 40)
            return combined(b, axes, elem, fuel);
        if (choice < 52)
            return reduced(b, axes, elem, fuel);
        if (axes && choice < 56)
            return scanned(b, axes, elem, fuel);
        if (axes && choice < 58)
            return gathered(b, axes, elem, fuel);
        if (axes && choice < 61)
            return turned(b, axes, elem, fuel);
        if (choice < 63)
            return product(b, axes, elem, fuel);
        if (axes && choice < 65)
            return spread(b, axes, elem, fuel);
        if (axes && choice < 67)
            return regrouped(b, axes, elem, fuel);
        if (axes && choice < 69)
            return joined(b, axes, elem, fuel);
        if (choice < 71)
            return looked_up(b, axes, elem, fuel);
        if (choice < 73)
            return combined_by_helper(b, axes, elem, fuel);
    }
    struct expr *e = choice % 2 ? variable_of(b, axes, elem) : NULL;
    if (!e && b->budget > 0 && choice < 97)
        e = load_of(b, axes, elem);
    return e ? e : constant_expr(arena_of(b), &b->g->random, shape(b, axes, elem));
}

/* ---- statements ----------------------------------------------------------------------------- */

static struct statement *statements(struct blocks *b, int count);

static void start_value(struct blocks *b)
{
    b->budget = 10;
}

static struct statement *declaration(struct blocks *b)
{
    unsigned axes = some_axes(b, all_axes(b));
    struct variable *v = ARENA_NEW(arena_of(b), struct variable);
    *v = (struct variable){.name = arena_format(arena_of(b), "v%d", b->g->names++),
                           .type = shape(b, axes, some_elem(b)),
                           .fixed = true};
    enum ir_elem elem = (enum ir_elem)v->type.elem;
    struct statement *s = statement_new(b, arena_format(arena_of(b), "%s %% = $0;", c_name(elem)));
    s->variable = v;
    s->declares = true;
    start_value(b);
    s->children[s->count++] = value(b, axes, elem, 3);
    if (b->g->scope_count < 128)
        b->g->scope[b->g->scope_count++] = v;
    return s;
}

static unsigned axes_of(const struct blocks *b, struct ir_type type)
{
    unsigned axes = 0;
    for (unsigned some = 0; some <= all_axes(b); some++)
        if (same_shape(shape(b, some, IR_F32), type))
            axes = some;
    return axes;
}

/* What a loop carries: what was there takes part mostly. */
static struct statement *assignment(struct blocks *b)
{
    if (b->g->scope_count == 0)
        return declaration(b);
    struct variable *v = b->g->scope[below(b, b->g->scope_count)];
    enum ir_elem elem = (enum ir_elem)v->type.elem;
    unsigned axes = axes_of(b, v->type);
    static const char *const forms[] = {"%s + $0",         "%s + $0", "maximum(%s, $0)",
                                        "minimum(%s, $0)", "%s - $0", "$0"};
    const char *form = forms[below(b, 6)];
    struct text text;
    text_init(&text, arena_of(b));
    for (const char *c = form; *c; c++) {
        if (*c == '%')
            text_string(&text, v->name), c++;
        else
            text_char(&text, *c);
    }
    text_char(&text, '\0');
    struct statement *s = statement_new(b, arena_format(arena_of(b), "%s = %s;", v->name,
                                                        tame(b, elem, kept(b, elem, text.items))));
    s->variable = v;
    start_value(b);
    s->children[s->count++] = value(b, axes, elem, 3);
    return s;
}

static struct array *written(struct blocks *b)
{
    struct array *a = &b->arrays[below(b, b->array_count)];
    return a->parameter->kind == PARAMETER_INPUT ? &b->arrays[0] : a;
}

static struct statement *store(struct blocks *b)
{
    struct array *a = written(b);
    unsigned axes = some_axes(b, all_axes(b));
    start_value(b);
    if (!axes) {
        struct statement *s = statement_new(b, chance(b, 40) ? "@[$0] += $1;" : "@[$0] = $1;");
        s->parameter = a->parameter;
        s->children[s->count++] = address(b, a, 0, true);
        s->children[s->count++] = value(b, 0, a->parameter->elem, 2);
        return s;
    }
    if (axes == all_axes(b) && chance(b, 10)) {
        struct statement *s =
            statement_new(b, arena_format(arena_of(b), "tile_store(%s, $0);", view_text(b, a)));
        s->parameter = a->parameter;
        s->children[s->count++] = value(b, axes, a->parameter->elem, 3);
        return s;
    }
    bool masked = chance(b, 65);
    struct statement *s =
        statement_new(b, masked ? "store(@ + ($0), $1, $2);" : "store(@ + ($0), $1);");
    s->parameter = a->parameter;
    s->children[s->count++] = address(b, a, axes, true);
    s->children[s->count++] = value(b, some_axes(b, axes), a->parameter->elem, 3);
    if (masked)
        s->children[s->count++] = mask(b, axes, 2);
    return s;
}

static struct statement *atomic(struct blocks *b)
{
    static const char *const names[] = {"add", "max", "min"};
    struct array *a = written(b);
    enum ir_elem elem = a->parameter->elem;
    if (is_float(elem) || bits_of(elem) < 32 || (b->g->kernel->metal && bits_of(elem) > 32))
        return store(b);
    unsigned axes = some_axes(b, all_axes(b));
    struct statement *s =
        statement_new(b, arena_format(arena_of(b), "atomic_%s(@ + ($0), $1);", names[below(b, 3)]));
    s->parameter = a->parameter;
    start_value(b);
    s->children[s->count++] = address(b, a, axes, false);
    s->children[s->count++] = value(b, axes, elem, 2);
    return s;
}

static struct statement *body_of(struct blocks *b, int most)
{
    int scope = b->g->scope_count;
    b->depth++;
    struct statement *body = statements(b, 1 + below(b, most));
    b->depth--;
    b->g->scope_count = scope;
    return body;
}

static struct expr *condition(struct blocks *b)
{
    start_value(b);
    struct expr *e = mask(b, 0, 1);
    return e;
}

static struct statement *branch(struct blocks *b)
{
    struct statement *s = statement_new(b, "if ($0)");
    s->children[s->count++] = condition(b);
    s->has_body = true;
    s->body = body_of(b, 3);
    s->has_other = chance(b, 40);
    if (s->has_other)
        s->other = body_of(b, 2);
    return s;
}

static struct statement *leave(struct blocks *b)
{
    struct statement *s = statement_new(b, !b->loops || chance(b, 30) ? "if ($0) return;"
                                           : chance(b, 50)            ? "if ($0) break;"
                                                                      : "if ($0) continue;");
    s->children[s->count++] = condition(b);
    return s;
}

/* Along an axis in blocks, mostly from end to end. */
static struct statement *block_loop(struct blocks *b)
{
    int k = below(b, b->rank), size = (int)b->dims[k];
    if (b->counter[k] && chance(b, 80))
        k = (k + 1) % b->rank, size = (int)b->dims[k];
    struct arena *arena = arena_of(b);
    const char *outer = b->counter[k], *name = arena_format(arena, "b%d", b->g->names++);
    if (outer)
        return assignment(b);
    struct statement *s = statement_new(b, NULL);
    int from = chance(b, 75) ? 0 : below(b, 9),
        step = chance(b, 85) ? size : 1 + below(b, size + 4);
    if (b->extent[k] / step > 12)
        step = size;
    if (b->extent[k] / step > 40)
        step = 1 + (int)b->extent[k] / 12;
    if (chance(b, 12))
        s->pattern = arena_format(arena, "for (int %s = @ - 1; %s >= %d; %s -= %d)", name, name,
                                  from, name, step);
    else
        s->pattern = arena_format(arena, "for (int %s = %d; %s < @; %s += %d)", name, from, name,
                                  name, step);
    s->parameter = b->limit[k];
    b->counter[k] = name;
    b->loops++;
    s->has_body = true;
    s->body = body_of(b, 4);
    b->loops--;
    b->counter[k] = outer;
    return s;
}

static struct statement *other_loop(struct blocks *b)
{
    struct arena *arena = arena_of(b);
    const char *name = arena_format(arena, "w%d", b->g->names++);
    int turns = 1 + below(b, 4);
    struct statement *s, *first;
    if (chance(b, 60)) {
        first = s = statement_new(
            b, arena_format(arena, "for (int %s = 0; %s < %d; %s++)", name, name, turns, name));
        s->has_body = true;
        b->loops++;
        s->body = body_of(b, 3);
        b->loops--;
        return first;
    }
    first = statement_new(b, arena_format(arena, "int %s = 0;", name));
    s = statement_new(b, arena_format(arena, "while (%s < %d && $0)", name, turns));
    s->children[s->count++] = condition(b);
    first->next = s;
    s->has_body = true;
    s->body = statement_new(b, arena_format(arena, "%s++;", name));
    b->loops++;
    s->body->next = body_of(b, 3);
    b->loops--;
    return first;
}

static struct statement *statement(struct blocks *b)
{
    int choice = below(b, 100);
    if (choice < 26)
        return declaration(b);
    if (choice < 46)
        return assignment(b);
    if (choice < 68)
        return store(b);
    if (choice < 70)
        return atomic(b);
    if (choice < 72)
        return leave(b);
    if (b->depth > 2)
        return assignment(b);
    if (choice < 77)
        return branch(b);
    return choice < 95 ? block_loop(b) : other_loop(b);
}

static struct statement *statements(struct blocks *b, int count)
{
    struct statement *first = NULL, **link = &first;
    for (int i = 0; i < count; i++) {
        *link = statement(b);
        while (*link)
            link = &(*link)->next;
    }
    return first;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

static void choose_sizes(struct blocks *b)
{
    static const int32_t sizes[] = {1, 2, 3, 4, 4, 5, 7, 8, 8, 12, 16, 16, 17, 24, 32, 33, 64, 100};
    static const int32_t wide[] = {64, 100, 128, 129, 256, 500, 1024};
    static const int ranks[] = {1, 1, 2, 2, 2, 2, 2, 3, 3, 4};
    b->rank = ranks[below(b, 10)];
    int32_t count = 1;
    for (int k = b->rank - 1; k >= 0; k--) {
        int32_t size = sizes[below(b, b->rank > 2 ? 11 : 18)];
        if (k == b->rank - 1 && b->rank < 3 && chance(b, 20))
            size = wide[below(b, 7)];
        if (k < b->rank - 1 && chance(b, 20))
            size = b->dims[k + 1];
        b->dims[k] = count * size > MOST_VALUES ? 2 : size;
        count *= b->dims[k];
    }
    for (int k = 0; k < b->rank; k++) {
        int most = (int)b->dims[k] * (count > 512 || b->rank > 2 ? 2 : 3) + 2;
        b->extent[k] = chance(b, 5) ? 0 : chance(b, 20) ? b->dims[k] : 1 + below(b, most);
        b->limit[k] = generate_new_parameter(b->g, PARAMETER_SCALAR, IR_I32);
        b->limit[k]->bits = (uint64_t)b->extent[k];
    }
}

/* Of all programs' arrays: dense, with gaps, in any order of axes, forwards or backwards; inputs
 * may have one element for a whole axis. */
static void add_array(struct blocks *b, bool input)
{
    struct array *a = &b->arrays[b->array_count++];
    const int64_t *grid = b->g->kernel->grid;
    int order[MOST_AXES] = {0, 1, 2, 3};
    for (int k = 0; k < b->rank && chance(b, 25); k++) {
        int with = below(b, b->rank), old = order[k];
        order[k] = order[with];
        order[with] = old;
    }
    *a = (struct array){.parameter = generate_new_parameter(
                            b->g, input ? PARAMETER_INPUT : PARAMETER_OWN, some_elem(b))};
    int64_t stride = chance(b, 85) ? 1 : 2;
    for (int i = b->rank - 1; i >= 0; i--) {
        int k = order[i];
        a->stride[k] = input && chance(b, 6) ? 0 : stride;
        stride *= b->room[k] + (chance(b, 60) ? 0 : below(b, 5));
        if (chance(b, 10)) {
            a->base += a->stride[k] * (b->room[k] - 1);
            a->stride[k] = -a->stride[k];
        }
        if (chance(b, 45)) {
            a->step[k] = generate_new_parameter(b->g, PARAMETER_SCALAR, IR_I32);
            a->step[k]->bits = (uint64_t)(uint32_t)a->stride[k];
        }
    }
    a->part = stride;
    a->parameter->elements = stride * (b->by_rows ? grid[1] : grid[0] * grid[1]);
}

static void add_arrays(struct blocks *b)
{
    struct kernel *k = b->g->kernel;
    int64_t programs = b->by_rows ? k->grid[0] : 1;
    for (int i = 0; i < b->rank; i++) {
        int64_t most = (b->extent[i] + b->dims[i]) * (i ? 1 : programs);
        if (i == 0 && b->by_rows)
            most = b->dims[0] * programs;
        b->room[i] = (most / 8 + 1) * 8 + SLACK;
    }
    int count = 1 + below(b, MOST_ARRAYS);
    for (int i = 0; i < count; i++)
        add_array(b, i > 0 && chance(b, 55));
}

static struct statement *places(struct blocks *b)
{
    struct statement *first = NULL, **link = &first;
    for (int k = 0; k < b->rank; k++) {
        struct text text;
        text_init(&text, arena_of(b));
        text_format(&text, "auto i%d = ", k);
        text_format(&text, b->rank > 1 ? "expand_dims(arange(0, %d)" : "arange(0, %d",
                    (int)b->dims[k]);
        for (int i = 0; i < b->rank; i++)
            if (i != k)
                text_format(&text, ", %d", i);
        text_string(&text, ");");
        *link = statement_new(b, text.items);
        link = &(*link)->next;
    }
    if (b->by_rows) {
        *link = statement_new(
            b, arena_format(arena_of(b), "int row = program_id(0) * %d;", (int)b->dims[0]));
        b->counter[0] = "row";
    }
    return first;
}

/* What was computed is seen: each variable has an array of its own. */
static struct statement *store_values(struct blocks *b)
{
    struct statement *first = NULL, **link = &first;
    const int64_t *grid = b->g->kernel->grid;
    for (int i = 0; i < b->g->scope_count && b->g->kernel->parameter_count < MAX_PARAMETERS; i++) {
        struct variable *v = b->g->scope[i];
        struct text text;
        int64_t stride = 1;
        text_init(&text, arena_of(b));
        for (int k = v->type.rank - 1; k >= 0; k--) {
            if (v->type.dims[k] > 1)
                text_format(&text, " + i%d * %d", k, (int)stride);
            else
                text_format(&text, " + i%d * 0", k);
            stride *= v->type.dims[k];
        }
        text_char(&text, '\0');
        struct parameter *p =
            generate_new_parameter(b->g, PARAMETER_OUTPUT, (enum ir_elem)v->type.elem);
        p->elements = stride * grid[0] * grid[1];
        struct expr *e = expr_new(arena_of(b), v->type, "%");
        e->variable = v;
        bool all = axes_of(b, v->type) == all_axes(b) || v->type.rank == 0;
        if (!all)
            continue;
        *link = statement_new(
            b, arena_format(arena_of(b), "store(@ + (pid * %d%s), $0);", (int)stride, text.items));
        (*link)->parameter = p;
        (*link)->children[(*link)->count++] = e;
        link = &(*link)->next;
    }
    return first;
}

struct statement *generate_blocks(struct generator *g)
{
    struct blocks b = {.g = g};
    struct kernel *k = g->kernel;
    k->grid[0] = chance(&b, 40) ? 1 : 1 + below(&b, 5);
    k->grid[1] = chance(&b, 75) ? 1 : 2;
    k->grid[2] = 1;
    b.by_rows = chance(&b, 45);
    b.sums = chance(&b, 75);
    k->whole = b.sums;
    k->specials = !b.sums && chance(&b, 60);
    choose_sizes(&b);
    add_arrays(&b);
    struct statement *first = places(&b), **link = &first;
    while (*link)
        link = &(*link)->next;
    *link = statements(&b, 3 + below(&b, 7));
    while (*link)
        link = &(*link)->next;
    *link = store_values(&b);
    return first;
}
