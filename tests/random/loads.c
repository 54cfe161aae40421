/*
 * Loads of every form that some backend has code of its own for: gathered, masked, from views,
 * around a place (stencils), by strides, exchanged, by patterns. All stay inside of their array.
 */
#include "expression.h"

static struct expr *gathered_load(struct generator *g, struct ir_type type, struct parameter *p)
{
    struct expr *e = expr_new(arena_of(g), type,
                              p->kind == PARAMETER_OWN ? "load(@ + pid * 256 + ($0 & 255))"
                                                       : "load(@ + ($0 & 511))");
    e->parameter = p;
    expr_add(e, generate_expr(g, with_elem(type, IR_I64), true));
    return e;
}

/* The mask alone keeps it inside; outside of it, offsets go up to 2047. */
static struct expr *masked_load(struct generator *g, struct ir_type type, struct parameter *p)
{
    bool fill = random_chance(&g->random, 60);
    struct expr *e = expr_new(arena_of(g), type,
                              fill ? "load(@ + ($0 & 2047), ($0 & 2047) < 512, $1)"
                                   : "load(@ + ($0 & 2047), ($0 & 2047) < 512)");
    e->parameter = p;
    expr_add(e, generate_expr(g, with_elem(type, IR_I64), true));
    if (fill)
        expr_add(e, generate_expr(g, type, true));
    return e;
}

static struct expr *contiguous_load(struct generator *g, struct ir_type type, struct parameter *p)
{
    if (type.rank == 0 || type.rank > 2 || count_of(type) > INPUT_ELEMENTS - 63)
        return NULL;
    const char *offsets = offsets_text(arena_of(g), type);
    bool masked = type.rank == 1 && random_chance(&g->random, 50);
    const char *pattern =
        masked ? arena_format(arena_of(g), "load(@ + ($0 & 63) + %s, ($0 & 63) + %s < $1, $2)",
                              offsets, offsets)
               : arena_format(arena_of(g), "load(@ + ($0 & 63) + %s)", offsets);
    struct expr *e = expr_new(arena_of(g), type, pattern);
    e->parameter = p;
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, IR_I64), true));
    if (masked) {
        expr_add(e, generate_expr(g, shape_of(0, 0, 0, IR_I64), true));
        expr_add(e, generate_expr(g, with_elem(shape_of(0, 0, 0, IR_I64), (enum ir_elem)type.elem),
                                  true));
    }
    return e;
}

/* At i ^ j: a step of a sorting network, whose rows may begin anywhere. */
static struct expr *exchanged_load(struct generator *g, struct ir_type type, struct parameter *p)
{
    if (type.rank == 0 || type.rank > 2 || count_of(type) > INPUT_ELEMENTS / 2 - 16)
        return NULL;
    const char *begin = random_chance(&g->random, 60) ? "" : "($1 & 15) + ";
    const char *pattern = arena_format(arena_of(g), "load(@ + ((%s%s) ^ ($0 & %d)))", begin,
                                       offsets_text(arena_of(g), type), INPUT_ELEMENTS / 2 - 1);
    struct expr *e = expr_new(arena_of(g), type, pattern);
    e->parameter = p;
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, IR_I64), true));
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, IR_I64), true));
    return e;
}

const char *strided_view(struct generator *g, const char *part, int rows, int columns, bool repeats)
{
    int stride[2] = {columns, 1}, extent[2] = {rows, columns}, last = 0;
    if (random_chance(&g->random, 40)) {
        stride[0] = 1;
        stride[1] = rows;
    }
    for (int i = 0; i < 2; i++) {
        if (repeats && random_chance(&g->random, 60))
            stride[i] = 0;
        if (random_chance(&g->random, 35))
            stride[i] = -stride[i];
        if (stride[i] < 0)
            last -= stride[i] * (extent[i] - 1);
    }
    return arena_format(arena_of(g), "view_strided(%s + %d, %d, %d, %d, %d)", part, last, rows,
                        columns, stride[0], stride[1]);
}

/* A view of at most 512 elements, read at indices that may lie outside of it. */
static struct expr *view_load(struct generator *g, struct ir_type type, struct parameter *p)
{
    if (type.rank == 0 || type.rank > 2)
        return NULL;
    int columns = 1 + random_below(&g->random, 31), rows = 512 / columns;
    rows -= random_below(&g->random, rows);
    struct arena *arena = arena_of(g);
    const char *view = arena_format(arena, "view(@, %d, %d)", rows, columns);
    if (random_chance(&g->random, 40))
        view = strided_view(g, "@", rows, columns, random_chance(&g->random, 20));
    bool fill = random_chance(&g->random, 50);
    const char *pattern =
        arena_format(arena, "%s%s, $0 %% 40, $1 %% 40%s)",
                     fill ? "tile_load_or($2, " : "tile_load(", view, sizes_text(arena, type));
    struct expr *e = expr_new(arena, type, pattern);
    e->parameter = p;
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, IR_I64), true));
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, IR_I64), true));
    if (fill)
        expr_add(e, generate_expr(g, shape_of(0, 0, 0, (enum ir_elem)type.elem), true));
    return e;
}

/* What stencils load: around a place that may lie beyond either end, masked or clamped. */
static struct expr *stencil_load(struct generator *g, struct ir_type type, struct parameter *p)
{
    struct arena *arena = arena_of(g);
    bool clamped = random_chance(&g->random, 40);
    if (type.rank == 0 || type.rank > 2)
        return NULL;
    const char *x, *address, *mask;
    if (type.rank == 1) {
        x = arena_format(arena, "(($0 %% 600) - 40 + arange(0, %d))", (int)type.dims[0]);
        address = clamped ? clamp_text(g, x, INPUT_ELEMENTS) : x;
        mask = bounds_text(g, x, INPUT_ELEMENTS);
    } else {
        int columns = 1 + random_below(&g->random, 60), rows = INPUT_ELEMENTS / columns;
        x = arena_format(arena, "(($0 %% 50) - 5 + expand_dims(arange(0, %d), 0))",
                         (int)type.dims[1]);
        const char *y = arena_format(arena, "(($1 %% 20) - 4 + expand_dims(arange(0, %d), 1))",
                                     (int)type.dims[0]);
        const char *in_row = bounds_text(g, y, rows), *in_column = bounds_text(g, x, columns);
        mask = arena_format(arena, "%s && %s", in_row, in_column);
        if (clamped) {
            x = clamp_text(g, x, columns);
            y = clamp_text(g, y, rows);
        }
        address = arena_format(arena, "%s * %d + %s", y, columns, x);
    }
    bool masked = !clamped || random_chance(&g->random, 30);
    struct expr *e = expr_new(arena, type,
                              masked ? arena_format(arena, "load(@ + %s, %s, $2)", address, mask)
                                     : arena_format(arena, "load(@ + %s)", address));
    e->parameter = p;
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, IR_I64), true));
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, IR_I64), true));
    if (masked)
        expr_add(e, generate_expr(g, shape_of(0, 0, 0, (enum ir_elem)type.elem), true));
    return e;
}

/* Every second, third or fourth element: some of those that lie between are loaded as well. */
static struct expr *strided_load(struct generator *g, struct ir_type type, struct parameter *p)
{
    struct arena *arena = arena_of(g);
    int step = 2 + random_below(&g->random, 4);
    if (type.rank != 1)
        return NULL;
    const char *i = arena_format(arena, "(($0 & 31) + arange(0, %d))", (int)type.dims[0]);
    bool fits = step * ((int)type.dims[0] + 31) <= INPUT_ELEMENTS;
    const char *loads[3];
    for (int k = 0; k < 3; k++) {
        int place = random_below(&g->random, step);
        const char *address = arena_format(arena, "@ + %d * %s + %d", step, i, place);
        loads[k] =
            fits && random_chance(&g->random, 50)
                ? arena_format(arena, "load(%s)", address)
                : arena_format(arena, "load(%s, %s < %d, $3)", address, i, INPUT_ELEMENTS / step);
    }
    struct expr *e = expr_new(
        arena, type,
        arena_format(arena, "where($1, %s, where($2, %s, %s))", loads[0], loads[1], loads[2]));
    e->parameter = p;
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, IR_I64), true));
    expr_add(e, generate_expr(g, with_elem(type, IR_BOOL), true));
    expr_add(e, generate_expr(g, with_elem(type, IR_BOOL), true));
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, (enum ir_elem)type.elem), true));
    return e;
}

static struct expr *pattern_load(struct generator *g, struct ir_type type, struct parameter *p)
{
    struct arena *arena = arena_of(g);
    const char *x, *row = "";
    int most, rows = type.rank == 1 ? 1 : (int)type.dims[0];
    if (type.rank == 0 || type.rank > 2)
        return NULL;
    const char *place = pattern_text(g, type, &x, &most);
    int pitch = 8 * random_below(&g->random, 3);
    if (type.rank == 2)
        row = arena_format(arena, "expand_dims(arange(0, %d), 1) * %d + ", rows, pitch);
    bool inside = most > 0 && most + (rows - 1) * pitch < INPUT_ELEMENTS;
    const char *text = arena_format(arena, "load(@ + %s%s)", row, place);
    if (!inside)
        text = arena_format(arena, "load(@ + %s%s, %s%s < %d, $1)", row, place, row, place,
                            INPUT_ELEMENTS);
    else if (random_chance(&g->random, 60))
        text = arena_format(arena, "load(@ + %s%s, %s < $0 %% 256, $1)", row, place, x);
    struct expr *e = expr_new(arena, type, text);
    e->parameter = p;
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, IR_I64), true));
    expr_add(e, generate_expr(g, shape_of(0, 0, 0, (enum ir_elem)type.elem), true));
    return e;
}

struct expr *load_expr(struct generator *g, struct ir_type type)
{
    bool own = random_chance(&g->random, 15);
    struct parameter *p =
        generate_parameter(g, own ? PARAMETER_OWN : PARAMETER_INPUT, (enum ir_elem)type.elem);
    switch (own ? 0 : random_below(&g->random, 11)) {
    case 0:
        return gathered_load(g, type, p);
    case 9:
    case 10:
        return pattern_load(g, type, p);
    case 1:
        return masked_load(g, type, p);
    case 2:
        return view_load(g, type, p);
    case 3:
    case 4:
    case 5:
        return stencil_load(g, type, p);
    case 6:
        return random_chance(&g->random, 50) ? strided_load(g, type, p)
                                             : exchanged_load(g, type, p);
    default:
        return contiguous_load(g, type, p);
    }
}
