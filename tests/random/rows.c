/*
 * Kernels of rows: a program loads a tile or several, reduces them, computes with what came out and
 * stores tiles, as softmax, normalisations and quantisations do. Masks have ragged ends, rows lie
 * in one of several orders, arrays are of any float.
 *
 * For such kernels the CPU backend has code of its own: src/cpu/together.c, behind.c, lead.c,
 * squares.c, spread.c. Statements that none of these takes come in too, now and then, so that it is
 * tried what they do where something is in their way.
 */
#include "kernel.h"

#include <string.h>

enum { MOST_TILES = 12, MOST_SCALARS = 12, MOST_ELEMENTS = 60000 /* of all programs' rows */ };

struct rows {
    struct generator *g;
    struct ir_type tile;      /* in floats */
    const uint8_t *elem;      /* of all arrays, or NULL: each has its own */
    int64_t row;              /* elements of a tile */
    const char *index;        /* of an element in its row */
    const char *mask;         /* where the row ends, or NULL; $1 in it is a parameter */
    struct parameter *length; /* that parameter, or NULL */
    struct parameter *stride; /* of rows in memory, or NULL: they are dense */
    struct parameter *own;    /* what is loaded and then stored to, or NULL */
    struct variable *tiles[MOST_TILES], *scalars[MOST_SCALARS];
    int tile_count, scalar_count;
    struct statement **link;
};

static struct arena *arena_of(struct rows *r)
{
    return r->g->kernel->arena;
}

static int below(struct rows *r, int count)
{
    return random_below(&r->g->random, count);
}

static bool chance(struct rows *r, int percent)
{
    return random_chance(&r->g->random, percent);
}

static int64_t programs_of(struct rows *r)
{
    const int64_t *grid = r->g->kernel->grid;
    return grid[0] * grid[1] * grid[2];
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static struct expr *parameter_expr(struct rows *r, struct parameter *p)
{
    struct expr *e = expr_new(arena_of(r), shape_of(0, 0, 0, IR_I64), "@");
    e->parameter = p;
    return e;
}

static struct expr *variable_expr(struct rows *r, struct variable *v)
{
    struct expr *e = expr_new(arena_of(r), v->type, "%");
    e->variable = v;
    e->approximate = v->approximate;
    return e;
}

/* For a place that the pattern does not name. */
static struct expr *no_expr(struct rows *r)
{
    return expr_new(arena_of(r), shape_of(0, 0, 0, IR_I64), "0");
}

static struct statement *add_statement(struct rows *r, const char *pattern)
{
    struct statement *s = ARENA_NEW(arena_of(r), struct statement);
    s->pattern = pattern;
    *r->link = s;
    r->link = &s->next;
    return s;
}

static void add_child(struct statement *s, struct expr *e)
{
    s->children[s->count++] = e;
}

/* float NAME = pattern, which the caller gives its children. */
static struct statement *declare(struct rows *r, struct ir_type type, const char *pattern)
{
    struct generator *g = r->g;
    struct variable *v = ARENA_NEW(arena_of(r), struct variable);
    *v = (struct variable){.name = arena_format(arena_of(r), "r%d", g->names++),
                           .type = type,
                           .approximate = true,
                           .fixed = true};
    struct statement *s = add_statement(r, arena_format(arena_of(r), "float %% = %s;", pattern));
    s->variable = v;
    s->declares = true;
    if (g->scope_count < 128)
        g->scope[g->scope_count++] = v;
    if (type.rank && r->tile_count < MOST_TILES)
        r->tiles[r->tile_count++] = v;
    if (!type.rank && r->scalar_count < MOST_SCALARS)
        r->scalars[r->scalar_count++] = v;
    return s;
}

static struct ir_type number(void)
{
    return shape_of(0, 0, 0, IR_F32);
}

/* The latest ones more often than not, so that results depend on what was computed. */
static struct expr *some_tile(struct rows *r)
{
    int back = chance(r, 75) ? 0 : below(r, r->tile_count);
    return variable_expr(r, r->tiles[r->tile_count - 1 - back]);
}

static struct expr *some_scalar(struct rows *r)
{
    if (r->scalar_count == 0)
        return constant_expr(arena_of(r), &r->g->random, number());
    int back = chance(r, 75) ? 0 : below(r, r->scalar_count);
    return variable_expr(r, r->scalars[r->scalar_count - 1 - back]);
}

/* ---- where rows lie ------------------------------------------------------------------------- */

/* The number of the program's row. once: no two programs have the same. */
static const char *row_text(struct rows *r, bool once)
{
    const int64_t *grid = r->g->kernel->grid;
    switch (below(r, once ? 6 : 9)) {
    case 0:
        return arena_format(arena_of(r), "(%d - pid)", (int)programs_of(r) - 1);
    case 1:
        return arena_format(arena_of(r),
                            "(program_id(2) + %d * (program_id(1) + %d * program_id(0)))",
                            (int)grid[2], (int)grid[1]);
    case 6:
        return "program_id(1)";
    case 7:
        return "(pid / 2)";
    case 8:
        return "0";
    default:
        return "pid";
    }
}

/* "@ + row * stride + index"; the stride may be the child `$stride`. */
static const char *address_text(struct rows *r, bool once, int stride_child, bool *strided)
{
    const char *row = row_text(r, once);
    *strided = r->stride && chance(r, 70);
    if (*strided)
        return arena_format(arena_of(r), "@ + %s * $%d + %s", row, stride_child, r->index);
    return arena_format(arena_of(r), "@ + %s * %d + %s", row, (int)r->row, r->index);
}

/* The elements of an array with such a row for each program. */
static int64_t elements_of(struct rows *r)
{
    int64_t stride = r->stride ? (int64_t)r->stride->bits : r->row;
    int64_t elements = stride * programs_of(r);
    return elements < INPUT_ELEMENTS ? INPUT_ELEMENTS : elements;
}

/* A dense tile of one or two axes; rows may be longer than it, and end where a mask says. */
static void choose_tile(struct rows *r)
{
    static const int32_t rows[] = {16,  32,  48,  64,  64,  100, 128,
                                   128, 200, 256, 500, 512, 512, 1024};
    static const int32_t long_rows[] = {512, 640, 1024, 2048};
    struct arena *arena = arena_of(r);
    int32_t width = chance(r, 30) ? long_rows[below(r, 4)] : rows[below(r, 14)];
    int32_t height = 2 + below(r, 7);
    if (chance(r, 15) && width * height <= 2048) {
        r->tile = shape_of(2, height, width, IR_F32);
        r->index = arena_format(
            arena, "expand_dims(arange(0, %d), 1) * %d + expand_dims(arange(0, %d), 0)",
            (int)height, (int)width, (int)width);
    } else {
        r->tile = shape_of(1, width, 0, IR_F32);
        r->index = arena_format(arena, "arange(0, %d)", (int)width);
    }
    r->row = (r->tile.rank == 2 ? height : 1) * (int64_t)width;
}

static void choose_stride(struct rows *r)
{
    static const int pads[] = {0, 0, 1, 3, 16, 64};
    if (!chance(r, 50))
        return;
    r->stride = generate_new_parameter(r->g, PARAMETER_SCALAR, IR_I32);
    r->stride->bits = (uint64_t)(r->row + pads[below(r, 6)]);
}

static void choose_mask(struct rows *r)
{
    struct arena *arena = arena_of(r);
    int width = (int)r->tile.dims[r->tile.rank - 1];
    const char *column =
        r->tile.rank == 2 ? arena_format(arena, "expand_dims(arange(0, %d), 0)", width) : r->index;
    if (chance(r, 40))
        return;
    int length = chance(r, 30) ? width : width - below(r, width);
    if (chance(r, 70)) {
        r->length = generate_new_parameter(r->g, PARAMETER_SCALAR, IR_I32);
        r->length->bits = (uint64_t)length;
    }
    const char *limit = r->length ? "$1" : arena_format(arena, "%d", length);
    switch (below(r, 10)) {
    case 0: /* ragged */
        r->mask = arena_format(arena, "%s < %s - program_id(0)", column, limit);
        return;
    case 1:
        r->mask = arena_format(arena, "%s < ((pid * 37 + %s) & %d)", column, limit,
                               width < 128 ? 127 : 1023);
        return;
    case 2: /* begins late */
        r->mask =
            arena_format(arena, "%s >= %d && %s < %s", column, 1 + below(r, 20), column, limit);
        return;
    case 3:
        r->mask = arena_format(arena, "%s >= pid && %s < %s", column, column, limit);
        return;
    case 4: /* a window, that moves or not, and may be empty */
    case 5: {
        const char *from = chance(r, 50) ? "pid" : "0"; /* one draw after the other */
        int wide = below(r, width);
        const char *to = chance(r, 80) ? "pid" : "100";
        r->mask = arena_format(arena, "%s > %s - %s - %d && %s <= %s - %s", column, limit, from,
                               wide, column, limit, to);
        return;
    }
    default:
        r->mask = arena_format(arena, "%s < %s", column, limit);
    }
}

/* ---- loads ---------------------------------------------------------------------------------- */

static enum ir_elem storage(struct rows *r)
{
    static const uint8_t elems[] = {IR_F32, IR_F32,  IR_F32,  IR_F16,
                                    IR_F16, IR_BF16, IR_BF16, IR_I8};
    return (enum ir_elem)(r->elem ? *r->elem : elems[below(r, 8)]);
}

/* Of an index in a row another one there that is no greater: its elements are gathered. */
static const char *gathered_text(struct rows *r, const char *index)
{
    struct arena *arena = arena_of(r);
    int d = 2 + below(r, 9), kind = below(r, 6);
    const char *part = arena_format(arena, "(%s) / %d", index, d);
    const char *rest = arena_format(arena, "((%s) - %s * %d)", index, part, d);
    switch (kind) {
    case 0:
        return part;
    case 1: /* programs are few, and rows long */
        return arena_format(arena, "(%s + program_id(0)) / %d", index, d);
    case 2:
        return arena_format(arena, "%s + %s", part, rest);
    case 3:
        return arena_format(arena, "%s * (%d - (pid & 1)) + %s", part, d, rest);
    case 4:
        return arena_format(arena, "(%s) - %s", index, part);
    default:
        return arena_format(arena, "((%s) >> 2) + ((%s) & 3)", index, index);
    }
}

/* fill: what is loaded outside the mask: a float, or NULL for any. */
static void add_load(struct rows *r, enum ir_elem elem, bool masked, const char *fill)
{
    static const char *const fills[] = {"0", "1", "-2"};
    bool shared = chance(r, 25), own = r->tile_count == 0 && chance(r, 12), strided;
    struct parameter *p = generate_new_parameter(r->g, own ? PARAMETER_OWN : PARAMETER_INPUT, elem);
    const char *index = r->index;
    if (!own && chance(r, 12))
        r->index = gathered_text(r, index);
    const char *address = address_text(r, false, 0, &strided);
    if (shared || own) {
        address = arena_format(arena_of(r), "@ + %s%s",
                               own ? arena_format(arena_of(r), "pid * %d + ", (int)r->row) : "",
                               r->index);
        strided = false;
    }
    r->index = index;
    p->elements = elements_of(r);
    p->calm = chance(r, 75) ? r->row : 0;
    r->own = own ? p : r->own;
    const char *pattern = arena_format(arena_of(r), "load(%s)", address);
    if (masked && r->mask && (!fill || kind_of(elem) != IR_KIND_FLOAT))
        fill = fills[below(r, 3)];
    if (masked && r->mask)
        pattern = arena_format(arena_of(r), "load(%s, %s, %s)", address, r->mask, fill);
    struct statement *s = declare(r, r->tile, pattern);
    s->parameter = p;
    add_child(s, strided ? parameter_expr(r, r->stride) : no_expr(r));
    if (r->length)
        add_child(s, parameter_expr(r, r->length));
}

/* ---- what is computed ----------------------------------------------------------------------- */

static void add_one(struct rows *r, struct ir_type type, const char *pattern, struct expr *a,
                    struct expr *b, struct expr *c)
{
    struct statement *s = declare(r, type, pattern);
    struct expr *children[] = {a, b, c};
    for (int i = 0; i < 3 && children[i]; i++)
        add_child(s, children[i]);
}

static struct variable *last_tile(struct rows *r)
{
    return r->tiles[r->tile_count - 1];
}

static struct expr *last_scalar(struct rows *r)
{
    return variable_expr(r, r->scalars[r->scalar_count - 1]);
}

static void add_elementwise(struct rows *r)
{
    static const char *const binary[] = {"$0 + $1",         "$0 - $1",         "$0 * $1",
                                         "maximum($0, $1)", "minimum($0, $1)", "fma($0, $1, $0)",
                                         "$0 * 0.25f + $1"};
    static const char *const unary[] = {"exp($0 * 0.125f)",   "sigmoid($0)", "tanh($0)", "abs($0)",
                                        "sqrt(abs($0))",      "erf($0)",     "-$0",      "$0 * $0",
                                        "rsqrt(1 + $0 * $0)", "$0 + 40.0f",  "$0 / 3"};
    if (r->tile_count == MOST_TILES)
        return;
    struct expr *a = some_tile(r), *b = NULL; /* one draw after the other, on every compiler */
    const char *pattern;
    if (chance(r, 40)) {
        pattern = unary[below(r, 11)];
    } else {
        pattern = binary[below(r, 7)];
        b = chance(r, 60) ? some_scalar(r) : some_tile(r);
    }
    add_one(r, r->tile, pattern, a, b, NULL);
}

static void add_reduction(struct rows *r)
{
    static const char *const patterns[] = {
        "max($0)",      "min($0)",           "sum($0)",      "sum($0 * $0)",
        "max(abs($0))", "sum(abs($0 - $1))", "max($0 * $1)", "sum(exp(($0 - $1) * 0.125f))"};
    if (r->scalar_count == MOST_SCALARS)
        return;
    struct expr *a = some_tile(r), *b = some_scalar(r);
    add_one(r, number(), patterns[below(r, 8)], a, b, NULL);
}

static void add_scalar(struct rows *r)
{
    static const char *const patterns[] = {"1 / ($0 + 0.5f)",    "$0 * $1", "sqrt(abs($0))",
                                           "rsqrt($0 * $0 + 1)", "$0 - $1", "maximum($0, $1)"};
    if (r->scalar_count == MOST_SCALARS)
        return;
    struct expr *a = some_scalar(r), *b = some_scalar(r);
    add_one(r, number(), patterns[below(r, 6)], a, b, NULL);
}

/* exp(x - max(x)), and mostly the sum. */
static void add_exponentials(struct rows *r)
{
    if (r->tile_count + 2 > MOST_TILES || r->scalar_count + 4 > MOST_SCALARS)
        return;
    struct variable *x = last_tile(r);
    add_one(r, number(), "max($0)", variable_expr(r, x), NULL, NULL);
    struct expr *top = last_scalar(r);
    if (chance(r, 20))
        add_one(r, number(), "min($0)", variable_expr(r, x), NULL, NULL);
    add_one(r, r->tile, "exp($0 - $1)", variable_expr(r, x), top, NULL);
    if (chance(r, 90))
        add_one(r, number(), "sum($0)", variable_expr(r, last_tile(r)), NULL, NULL);
    if (chance(r, 80))
        add_one(r, number(), "1 / $0", last_scalar(r), NULL, NULL);
    if (chance(r, 85))
        add_one(r, r->tile, "$0 * $1", variable_expr(r, last_tile(r)), last_scalar(r), NULL);
}

/* x - mean, and the sum of the squares. */
static void add_distances(struct rows *r)
{
    if (r->tile_count + 2 > MOST_TILES || r->scalar_count + 4 > MOST_SCALARS)
        return;
    struct variable *x = last_tile(r);
    const char *part = r->length && chance(r, 60)
                           ? "1.0f / $1"
                           : arena_format(arena_of(r), "1.0f / %d", (int)r->row);
    add_one(r, number(), "sum($0)", variable_expr(r, x), NULL, NULL);
    struct expr *length = r->length ? parameter_expr(r, r->length) : NULL;
    add_one(r, number(), arena_format(arena_of(r), "$0 * (%s)", part), last_scalar(r), length,
            NULL);
    const char *distance = "$0 - $2";
    if (r->mask && chance(r, 80))
        distance = arena_format(arena_of(r), "where(%s, $0 - $2, 0.0f)", r->mask);
    add_one(r, r->tile, distance, variable_expr(r, x), length ? length : last_scalar(r),
            last_scalar(r));
    add_one(r, number(), "sum($0 * $0)", variable_expr(r, last_tile(r)), NULL, NULL);
    add_one(r, number(), "rsqrt($0 * 0.001f + 0.01f)", last_scalar(r), NULL, NULL);
    add_one(r, r->tile, "$0 * $1", variable_expr(r, last_tile(r)), last_scalar(r), NULL);
}

/* ---- stores --------------------------------------------------------------------------------- */

/* A square of the row, turned, or the row as it is. */
static struct expr *stored(struct rows *r)
{
    struct expr *e = some_tile(r);
    struct arena *arena = arena_of(r);
    int width = (int)r->tile.dims[0];
    if (r->tile.rank == 1 && width % 8 == 0 && chance(r, 20)) {
        struct expr *turned = expr_new(
            arena, r->tile,
            arena_format(arena, "reshape(trans(reshape($0, %d, 8)), %d)", width / 8, width));
        expr_add(turned, e);
        return turned;
    }
    return e;
}

static void add_store(struct rows *r)
{
    struct arena *arena = arena_of(r);
    enum ir_elem elem = storage(r);
    if (elem == IR_I8) /* results are compared as floats are */
        elem = IR_F32;
    struct parameter *p = generate_new_parameter(r->g, PARAMETER_OUTPUT, elem);
    bool strided, masked = r->mask && chance(r, 85);
    p->elements = elements_of(r);
    const char *address = address_text(r, true, 2, &strided);
    const char *pattern = masked ? arena_format(arena, "store(%s, $0, %s);", address, r->mask)
                                 : arena_format(arena, "store(%s, $0);", address);
    struct statement *s = add_statement(r, pattern);
    s->parameter = p;
    add_child(s, stored(r));
    add_child(s, r->length ? parameter_expr(r, r->length) : no_expr(r));
    add_child(s, strided ? parameter_expr(r, r->stride) : no_expr(r));
}

/* In the place of what was loaded, sometimes under another name. */
static void add_store_back(struct rows *r)
{
    struct statement *s = add_statement(
        r, arena_format(arena_of(r), "store(@ + pid * %d + %s, $0);", (int)r->row, r->index));
    s->parameter = r->own;
    if (chance(r, 50)) {
        s->parameter = generate_new_parameter(r->g, PARAMETER_OWN, r->own->elem);
        s->parameter->same_as = r->own;
        s->parameter->elements = r->own->elements;
        s->parameter->is_restrict = r->own->is_restrict = false;
    }
    add_child(s, some_tile(r));
}

static void add_scalar_store(struct rows *r)
{
    struct parameter *p = generate_new_parameter(r->g, PARAMETER_OUTPUT, IR_F32);
    p->elements = programs_of(r);
    struct statement *s = add_statement(r, "store(@ + pid, $0);");
    s->parameter = p;
    add_child(s, some_scalar(r));
}

/* ---- the kernel ----------------------------------------------------------------------------- */

static void add_loads(struct rows *r)
{
    static const char *const fills[] = {"-INFINITY", "-INFINITY", "0", "0", NULL};
    int count = 1 + (chance(r, 40) ? 1 + below(r, 2) : 0);
    for (int i = 0; i < count; i++) {
        enum ir_elem elem = storage(r);
        bool masked = chance(r, 90);
        add_load(r, elem, masked, fills[below(r, 5)]);
    }
}

/* Of the latest tile. */
static void add_work(struct rows *r)
{
    int choice = below(r, 10);
    if (choice < 4) {
        add_exponentials(r);
    } else if (choice < 7) {
        if (r->mask && chance(r, 70)) /* what is not in the row must be 0 */
            add_load(r, storage(r), true, "0");
        add_distances(r);
    }
    for (int i = below(r, choice < 7 ? 2 : 6); i > 0; i--) {
        int what = below(r, 10);
        if (what < 4)
            add_reduction(r);
        else if (what < 5)
            add_scalar(r);
        if (what < 3 || what >= 5) /* of what was reduced */
            add_elementwise(r);
    }
}

struct statement *generate_rows(struct generator *g)
{
    struct statement *first = NULL;
    static const uint8_t elems[] = {IR_F32, IR_F16, IR_BF16, IR_BF16};
    struct rows r = {.g = g, .link = &first};
    struct kernel *k = g->kernel;
    if (chance(&r, 40))
        r.elem = &elems[below(&r, 4)];
    choose_tile(&r);
    choose_stride(&r);
    choose_mask(&r);
    int64_t most = MOST_ELEMENTS / r.row;
    for (int axis = 0; axis < 3; axis++) {
        int64_t room = most < 7 ? most : 7;
        k->grid[axis] = axis && chance(&r, 60) ? 1 : 1 + below(&r, (int)room);
        most /= k->grid[axis];
    }
    k->specials = chance(&r, 10);
    add_loads(&r);
    add_work(&r);
    if (chance(&r, 20)) { /* stores between */
        add_store(&r);
        add_work(&r);
    }
    for (int i = chance(&r, 80) ? 1 : 2; i > 0; i--)
        add_store(&r);
    if (chance(&r, 5))
        add_scalar_store(&r);
    if (r.own && kind_of(r.own->elem) == IR_KIND_FLOAT)
        add_store_back(&r);
    return first;
}
