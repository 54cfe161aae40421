/*
 * Kernels of blocks, the places: what a load or a store touches along each axis, as an offset or as
 * a view, and the masks that keep it inside or have nothing to do with where it is.
 */
#include "blocks.h"

const char *blocks_place_text(struct blocks *b, int axis, bool present)
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
    const char *x = blocks_place_text(b, axis, present);
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

/* Of that axis: what is in memory says where. */
static struct expr *found_place(struct blocks *b, unsigned axes)
{
    struct expr *e = expr_new(arena_of(b), shape(b, axes, IR_I64), "(cast(int, $0) & 7)");
    expr_add(e, blocks_value(b, axes, chance(b, 50) ? IR_I32 : IR_U8, 1));
    return e;
}

/* The offset of a term: place times stride. own: other programs have other places. */
static struct expr *term(struct blocks *b, const struct array *a, int k, unsigned axes, bool once,
                         bool own)
{
    unsigned axis = axes & 1u << k;
    bool fixed = own && b->by_rows && k == 0;
    const char *x = fixed ? blocks_place_text(b, k, axis) : moved_text(b, k, axis, once);
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

struct expr *blocks_address(struct blocks *b, const struct array *a, unsigned axes, bool once)
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

const char *blocks_view_text(struct blocks *b, const struct array *a)
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

/* The axis that a mask is about, whether its value has that axis (0: no), and the place there. */
struct along {
    int k;
    unsigned axis;
    const char *x;
};

static struct expr *joined_masks(struct blocks *b, unsigned axes, int fuel)
{
    static const char *const forms[] = {"$0 && $1", "$0 && $1", "($0) & ($1)", "($0 || $1)",
                                        "!($0)"};
    int form = below(b, 5);
    struct expr *e = expr_new(arena_of(b), shape(b, axes, IR_BOOL), forms[form]);
    struct expr *p = blocks_mask(b, axes, fuel - 1), *q = blocks_mask(b, axes, fuel - 1);
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

static struct expr *usual_limit(struct blocks *b, struct along a)
{
    struct arena *arena = arena_of(b);
    int form = below(b, 5);
    const char *text = form == 3   ? arena_format(arena, "@ > %s", a.x)
                       : form == 4 ? arena_format(arena, "%s <= @ - 1", a.x)
                                   : arena_format(arena, "%s < @", a.x);
    struct expr *e = expr_new(arena, shape(b, a.axis, IR_BOOL), text);
    e->parameter = b->limit[a.k];
    return e;
}

/* A difference that 64 bits hold, of which what the passes may make of it has none. */
static struct expr *far_difference(struct blocks *b, struct along a, int j, unsigned other)
{
    struct arena *arena = arena_of(b);
    struct parameter *far = far_scalar(b);
    const char *form = (int64_t)far->bits < 0 ? "%s + @ <= %s * -%d" : "@ - %s > %s * %d";
    struct expr *e =
        expr_new(arena, shape(b, a.axis | other, IR_BOOL),
                 arena_format(arena, form, a.x, blocks_place_text(b, j, other), below(b, 4)));
    e->parameter = far;
    return e;
}

static struct expr *of_values(struct blocks *b, unsigned axes, int fuel)
{
    static const char *const forms[] = {"$0 > 2", "$0 <= 0", "$0 == 1", "$0 != 0"};
    unsigned some = some_axes(b, axes);
    struct expr *e = expr_new(arena_of(b), shape(b, some, IR_BOOL), forms[below(b, 4)]);
    expr_add(e, blocks_value(b, some, some_elem(b), fuel > 0 ? 1 : 0));
    return e;
}

static struct expr *rare_mask(struct blocks *b, unsigned axes, struct along a, int form, int fuel)
{
    struct arena *arena = arena_of(b);
    const char *x = a.x;
    struct ir_type type = shape(b, a.axis, IR_BOOL);
    struct parameter *limit = b->limit[a.k];
    int j = some_axis(b, axes), c = below(b, 40);
    unsigned other = axes & 1u << j;
    const char *text;
    switch (form) {
    case 0:
        return expr_new(arena, type, arena_format(arena, "%s >= %d", x, c));
    case 1:
        return expr_new(arena, type, arena_format(arena, "%s %% %d != 0", x, 2 + below(b, 5)));
    case 2:
        return expr_new(arena, shape(b, a.axis | other, IR_BOOL),
                        arena_format(arena, "%s %s %s", x, chance(b, 50) ? "<=" : ">",
                                     blocks_place_text(b, j, other)));
    case 3:
        text = arena_format(arena, "%s + %d < @", x, below(b, 20) - 10);
        break;
    case 4:
        text = arena_format(arena, "%s * %d < @", x, 1 + below(b, 4));
        limit = b->limit[below(b, b->rank)];
        break;
    case 7: /* the block's share of the limit */
        text = arena_format(arena, "%s < @ - %s", a.axis ? arena_format(arena, "i%d", a.k) : "0",
                            b->counter[a.k] ? b->counter[a.k] : "2");
        break;
    case 8:
        return far_difference(b, a, j, other);
    case 9:
        text = arena_format(arena, "%s * %d %s @", x, 1 + below(b, 3), chance(b, 50) ? "<" : ">=");
        limit = far_scalar(b);
        break;
    default:
        return of_values(b, axes, fuel);
    }
    struct expr *e = expr_new(arena, type, text);
    e->parameter = limit;
    return e;
}

struct expr *blocks_mask(struct blocks *b, unsigned axes, int fuel)
{
    int k = some_axis(b, axes), choice = below(b, 100);
    unsigned axis = axes & 1u << k;
    struct along a = {k, axis, blocks_place_text(b, k, axis)};
    if (fuel > 0 && choice < 40)
        return joined_masks(b, axes, fuel);
    return choice < 72 ? usual_limit(b, a) : rare_mask(b, axes, a, choice % 10, fuel);
}
