/*
 * Expressions of a wanted type.
 *
 * generate_expr draws forms from tables until one fits the type; each form asks for operands of
 * types of its own. Where the language would promote or widen a result (8- and 16-bit integers,
 * index arithmetic), the form casts it back, so that the type of a node is always known.
 */
#include "kernel.h"

#include <string.h>

/* ---- elements and shapes -------------------------------------------------------------------- */

static const struct {
    const char *c_name;
    int bits;
    enum ir_elem_kind kind;
} elements[IR_ELEM_COUNT] = {
#define ELEMENT(suffix, name, c_name, bits, kind) {c_name, bits, IR_KIND_##kind},
#include "ir/elements.def"
#undef ELEMENT
};

const char *c_name(enum ir_elem elem)
{
    return elements[elem].c_name;
}

enum ir_elem_kind kind_of(enum ir_elem elem)
{
    return elements[elem].kind;
}

int bits_of(enum ir_elem elem)
{
    return elements[elem].bits;
}

static bool is_float(enum ir_elem elem)
{
    return elements[elem].kind == IR_KIND_FLOAT;
}

static bool is_integer(enum ir_elem elem)
{
    return elements[elem].kind == IR_KIND_SIGNED || elements[elem].kind == IR_KIND_UNSIGNED;
}

struct ir_type shape_of(int rank, int32_t d0, int32_t d1, enum ir_elem elem)
{
    struct ir_type type = {.elem = (uint8_t)elem, .rank = (uint8_t)rank};
    type.dims[0] = rank > 0 ? d0 : 0;
    type.dims[1] = rank > 1 ? d1 : 0;
    return type;
}

static struct ir_type with_elem(struct ir_type type, enum ir_elem elem)
{
    type.elem = (uint8_t)elem;
    return type;
}

static int64_t count_of(struct ir_type type)
{
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++)
        count *= type.dims[i];
    return count;
}

static bool same_type(struct ir_type a, struct ir_type b)
{
    return a.elem == b.elem && a.rank == b.rank && memcmp(a.dims, b.dims, sizeof a.dims) == 0;
}

const char *sizes_text(struct arena *arena, struct ir_type type)
{
    struct text text;
    text_init(&text, arena);
    for (int i = 0; i < type.rank; i++)
        text_format(&text, ", %d", (int)type.dims[i]);
    return text.items;
}

static enum ir_elem random_elem(struct generator *g)
{
    static const uint8_t common[] = {IR_F32, IR_I32, IR_F32, IR_I64, IR_F16, IR_BF16};
    int choice = random_below(&g->random, 6 + IR_ELEM_COUNT);
    enum ir_elem elem = choice < 6 ? (enum ir_elem)common[choice] : (enum ir_elem)(choice - 6);
    return elem == IR_F64 && g->kernel->metal ? IR_F32 : elem;
}

static enum ir_elem random_elem_of_kind(struct generator *g, bool floats)
{
    for (;;) {
        enum ir_elem elem = random_elem(g);
        if (floats ? is_float(elem) : is_integer(elem))
            return elem;
    }
}

/* ---- nodes ---------------------------------------------------------------------------------- */

struct expr *expr_new(struct arena *arena, struct ir_type type, const char *pattern)
{
    struct expr *e = ARENA_NEW(arena, struct expr);
    e->type = type;
    e->pattern = pattern;
    return e;
}

void expr_add(struct expr *parent, struct expr *child)
{
    parent->children[parent->count++] = child;
    parent->approximate |= child->approximate;
}

static struct arena *arena_of(struct generator *g)
{
    return g->kernel->arena;
}

/* pattern, cast to the type where the operation itself would give another one */
static struct expr *node(struct generator *g, struct ir_type type, const char *pattern)
{
    enum ir_elem elem = (enum ir_elem)type.elem;
    bool promoted = !is_float(elem) && bits_of(elem) < 32;
    if (promoted && elem != IR_BOOL)
        pattern = arena_format(arena_of(g), "cast(%s, %s)", c_name(elem), pattern);
    return expr_new(arena_of(g), type, pattern);
}

static struct expr *unary(struct generator *g, struct ir_type type, const char *pattern,
                          struct ir_type operand, bool exact)
{
    struct expr *e = node(g, type, pattern);
    expr_add(e, generate_expr(g, operand, exact));
    return e;
}

/* ---- constants ------------------------------------------------------------------------------ */

static const char *integer_literal(struct arena *arena, struct random *r, enum ir_elem elem)
{
    static const char *const edges[] = {
        "2147483647", "(-2147483647 - 1)",  "255", "128",     "-128",
        "65535",      "0x7fffffffffffffff", "-1",  "1 << 31", "33"};
    int choice = random_below(r, 10);
    if (choice == 0)
        return arena_format(arena, "cast(%s, %s)", c_name(elem), edges[random_below(r, 10)]);
    int value = random_below(r, choice < 6 ? 10 : 100) - (choice & 1 ? 4 : 0);
    const char *literal = arena_format(arena, value < 0 ? "(%d)" : "%d", value);
    if (elem == IR_I32)
        return literal;
    if (elem == IR_U32 && value >= 0)
        return arena_format(arena, "%du", value);
    return arena_format(arena, "cast(%s, %s)", c_name(elem), literal);
}

static const char *float_literal(struct arena *arena, struct random *r, enum ir_elem elem)
{
    static const char *const values[] = {"0.0",  "1.0",   "0.5", "-1.0",  "2.0", "-3.25", "0.1",
                                         "10.0", "-0.75", "1.5", "100.0", "3.0", "-0.0",  "0.001"};
    static const char *const edges[] = {"INFINITY", "-INFINITY", "NAN",  "65504.0",
                                        "1e-7",     "3e9",       "1e30", "-1e-30"};
    const char *value =
        random_chance(r, 8) ? edges[random_below(r, 8)] : values[random_below(r, 14)];
    if (elem == IR_F32 && random_chance(r, 50) && strchr(value, '.'))
        return arena_format(arena, value[0] == '-' ? "(%sf)" : "%sf", value);
    return arena_format(arena, "cast(%s, %s)", c_name(elem), value);
}

struct expr *constant_expr(struct arena *arena, struct random *random, struct ir_type type)
{
    enum ir_elem elem = (enum ir_elem)type.elem;
    const char *text;
    if (elem == IR_BOOL)
        text = random_chance(random, 50) ? "true" : "false";
    else if (is_float(elem))
        text = float_literal(arena, random, elem);
    else
        text = integer_literal(arena, random, elem);
    if (type.rank)
        text = arena_format(arena, "full(%s, %s%s)", c_name(elem), text, sizes_text(arena, type));
    return expr_new(arena, type, text);
}

/* ---- leaves --------------------------------------------------------------------------------- */

static struct expr *variable_leaf(struct generator *g, struct ir_type type, bool exact)
{
    if (g->scope_count == 0)
        return NULL;
    int start = random_below(&g->random, g->scope_count);
    for (int i = 0; i < g->scope_count; i++) {
        struct variable *v = g->scope[(start + i) % g->scope_count];
        if (!same_type(v->type, type) || (exact && v->approximate))
            continue;
        struct expr *e = expr_new(arena_of(g), type, "%");
        e->variable = v;
        e->approximate = v->approximate;
        return e;
    }
    return NULL;
}

static struct expr *scalar_leaf(struct generator *g, struct ir_type type)
{
    enum ir_elem elem = (enum ir_elem)type.elem;
    /* Signed parameters are index values, of 64 bits. */
    if (type.rank != 0 || elem == IR_I8 || elem == IR_I16 || elem == IR_I32)
        return NULL;
    struct parameter *p = generate_parameter(
        g, PARAMETER_SCALAR, elem == IR_I64 && random_chance(&g->random, 70) ? IR_I32 : elem);
    struct expr *e = expr_new(arena_of(g), type, "@");
    e->parameter = p;
    return e;
}

/* What divisions by constants and bits make of consecutive places (src/cpu/pattern.c): a base that
 * is a multiple of something or not, in one axis or the last of two. None is below zero. x: what is
 * consecutive; most: no place is beyond it, or 0: unknown. */
static const char *pattern_text(struct generator *g, struct ir_type type, const char **x, int *most)
{
    static const int powers[] = {2, 4, 8, 16, 32, 64, 3, 6, 12, 5, 100};
    static const int bits[] = {1, 2, 3, 4, 7, 8, 15, 16, 31, 5};
    struct arena *arena = arena_of(g);
    int lanes = (int)type.dims[type.rank - 1];
    const char *i = arena_format(
        arena, type.rank == 1 ? "arange(0, %d)" : "expand_dims(arange(0, %d), 0)", lanes);
    int factor = 1 + random_below(&g->random, 64), last = lanes - 1 + 32;
    switch (random_below(&g->random, 4)) {
    case 0:
        i = arena_format(arena, "(%s + %d)", i, factor);
        last += factor;
        break;
    case 1:
        i = arena_format(arena, "(pid * %d + %s)", factor, i);
        last = 0;
        break;
    case 2:
        factor = 1 + factor % 4;
        i = arena_format(arena, "(%s * %d)", i, factor);
        last *= factor;
        break;
    default:
        break;
    }
    *x = i;
    *most = last;
    int a = powers[random_below(&g->random, 11)], b = powers[random_below(&g->random, 11)];
    int c = bits[random_below(&g->random, 10)];
    switch (random_below(&g->random, 11)) {
    case 0:
    case 1:
        return arena_format(arena, "%s / %d", i, a);
    case 2:
        return arena_format(arena, "%s %% %d", i, a);
    case 3:
        return arena_format(arena, "(%s ^ %d)", i, c);
    case 4:
        return arena_format(arena, "(%s & %d)", i, c);
    case 5:
        return arena_format(arena, "(%s >> %d)", i, 1 + random_below(&g->random, 5));
    case 6:
        *most = last ? last / a * (1 + c) + b : 0;
        return arena_format(arena, "%s / %d * %d + %s %% %d", i, a, 1 + c, i, b);
    case 8: /* one of two places (src/cpu/choices.c) */
        *most = last ? last + 100 : 0;
        return arena_format(arena, "where(%s < %d, %s + %d, %s + %d)", i,
                            random_below(&g->random, lanes + 1), i, c, i, a);
    case 9:
        *most = last ? last + 100 : 0;
        return arena_format(arena, "where(%s %% %d > %d, %s + %d, %s + %d)", i, a, c, i, b, i, c);
    case 7:
        return arena_format(arena, "where(%s %% 2 == 0, %s + 1, %s - 1)", i, i, i);
    default:
        return arena_format(arena, "(%s | %d) - %s / %d", i, c, i, a);
    }
}

/* A quotient or remainder by something of the length of a run (src/cpu/nest_runs.c), now and then
 * by what is not positive, and of what may begin below zero. */
static struct expr *divided_index(struct generator *g, struct ir_type type, const char *index)
{
    struct ir_type scalar = {.elem = IR_I64};
    const char *sign = random_chance(&g->random, 50) ? "/" : "%";
    int least = random_chance(&g->random, 80) ? 1 + random_below(&g->random, 100) : -20;
    struct expr *e =
        expr_new(arena_of(g), type,
                 arena_format(arena_of(g), "((%s + ($0 & 511) - %d) %s (($1 & 127) + %d))", index,
                              random_below(&g->random, 300), sign, least));
    for (int i = 0; i < 2; i++) {
        struct expr *part = scalar_leaf(g, scalar);
        expr_add(e, part);
    }
    return e;
}

static struct expr *index_leaf(struct generator *g, struct ir_type type)
{
    if ((type.elem != IR_I64 && type.elem != IR_I32) || type.rank > 2)
        return NULL;
    const char *pattern, *x;
    int most;
    if (type.rank == 0)
        pattern = random_chance(&g->random, 50) ? "pid" : "program_id(0)";
    else if (type.rank == 1)
        pattern = arena_format(arena_of(g), "arange(0, %d)", (int)type.dims[0]);
    else
        pattern = arena_format(
            arena_of(g), "(expand_dims(arange(0, %d), 1) * %d + expand_dims(arange(0, %d), 0))",
            (int)type.dims[0], random_below(&g->random, 20), (int)type.dims[1]);
    if (type.elem == IR_I32)
        pattern = arena_format(arena_of(g), "cast(int, %s)", pattern);
    else if (type.rank == 1 && random_chance(&g->random, 25))
        pattern = arena_format(arena_of(g), "cast(int64_t, %s)", pattern_text(g, type, &x, &most));
    else if (type.rank > 0 && type.dims[type.rank - 1] >= 64 && random_chance(&g->random, 40))
        return divided_index(g, type, pattern);
    return expr_new(arena_of(g), type, pattern);
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* Tile of consecutive offsets below count, or NULL for a rank that has no such form here. */
static const char *offsets_text(struct arena *arena, struct ir_type type)
{
    if (type.rank == 1)
        return arena_format(arena, "arange(0, %d)", (int)type.dims[0]);
    return arena_format(arena, "expand_dims(arange(0, %d), 1) * %d + expand_dims(arange(0, %d), 0)",
                        (int)type.dims[0], (int)type.dims[1], (int)type.dims[1]);
}

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

/* An index around one that lies in [0, n), as kernels bound it: the mask keeps it inside. */
static const char *bounds_text(struct generator *g, const char *i, int n)
{
    struct arena *arena = arena_of(g);
    switch (random_below(&g->random, 7)) {
    case 0:
        return arena_format(arena, "%s >= 0 && %s < %d", i, i, n);
    case 1:
        return arena_format(arena, "%s > -1 && %s <= %d", i, i, n - 1);
    case 2:
        return arena_format(arena, "!(%s < 0 || %s >= %d)", i, i, n);
    case 3:
        return arena_format(arena, "0 <= %s && 2 * %s <= %d", i, i, 2 * n - 1);
    case 4:
        return arena_format(arena, "%d - %s > 0 && %s + 1 > 0 && %s != %d", n, i, i, i,
                            random_below(&g->random, n));
    case 5:
        return arena_format(arena, "%s >= %d && %s < minimum(%d, pid * 64 + 99)", i,
                            random_below(&g->random, 9), i, n);
    default:
        return arena_format(arena, "(%s == %d || (%s > 0 && %s < %d))", i,
                            random_below(&g->random, n), i, i, n);
    }
}

/* The same index, moved to the nearest one inside. */
static const char *clamp_text(struct generator *g, const char *i, int n)
{
    struct arena *arena = arena_of(g);
    switch (random_below(&g->random, 4)) {
    case 0:
        return arena_format(arena, "minimum(maximum(%s, 0), %d)", i, n - 1);
    case 1:
        return arena_format(arena, "maximum(minimum(%s, %d), 0)", i, n - 1);
    case 2:
        return arena_format(arena, "where(%s < 0, 0, where(%s >= %d, %d, %s))", i, i, n, n - 1, i);
    default:
        return arena_format(arena, "where(%s > %d, %d, maximum(0, %s))", i, n - 1, n - 1, i);
    }
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
    struct expr *e = expr_new(
        arena, type,
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
        loads[k] = fits && random_chance(&g->random, 50)
                       ? arena_format(arena, "load(%s)", address)
                       : arena_format(arena, "load(%s, %s < %d, $3)", address, i,
                                      INPUT_ELEMENTS / step);
    }
    struct expr *e = expr_new(arena, type,
                              arena_format(arena, "where($1, %s, where($2, %s, %s))", loads[0],
                                           loads[1], loads[2]));
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

static struct expr *load(struct generator *g, struct ir_type type)
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

static struct expr *leaf(struct generator *g, struct ir_type type, bool exact)
{
    struct expr *e = NULL;
    int choice = random_below(&g->random, 10);
    if (choice < 5)
        e = variable_leaf(g, type, exact);
    if (!e && choice < 6)
        e = scalar_leaf(g, type);
    if (!e && choice < 8)
        e = index_leaf(g, type);
    if (!e && choice < 9 && g->fuel > -8) {
        g->fuel--;
        e = load(g, type);
    }
    return e ? e : constant_expr(arena_of(g), &g->random, type);
}

/* ---- elementwise ---------------------------------------------------------------------------- */

/* A shape that broadcasts to this one. */
static struct ir_type smaller_shape(struct generator *g, struct ir_type type)
{
    if (random_chance(&g->random, 60) || type.rank == 0)
        return type;
    if (type.rank > 1 && random_chance(&g->random, 50)) {
        type.dims[random_below(&g->random, type.rank)] = 1;
        return type;
    }
    return shape_of(0, 0, 0, (enum ir_elem)type.elem);
}

/* Operands of one element type; the first has the whole shape, wherever it stands. */
static struct expr *elementwise(struct generator *g, struct ir_type type, enum ir_elem operand,
                                const char *pattern, int count, bool exact)
{
    struct expr *e = node(g, type, pattern);
    int whole = random_below(&g->random, count);
    for (int i = 0; i < count; i++) {
        struct ir_type wanted = with_elem(type, operand);
        expr_add(e, generate_expr(g, i == whole ? wanted : smaller_shape(g, wanted), exact));
    }
    return e;
}

static struct expr *select_expr(struct generator *g, struct ir_type type, bool exact)
{
    struct expr *e =
        node(g, type, type.elem == IR_BOOL ? "cast(bool, where($0, $1, $2))" : "where($0, $1, $2)");
    expr_add(e, generate_expr(g, smaller_shape(g, with_elem(type, IR_BOOL)), true));
    expr_add(e, generate_expr(g, type, exact));
    expr_add(e, generate_expr(g, smaller_shape(g, type), exact));
    return e;
}

static struct expr *cast_expr(struct generator *g, struct ir_type type, bool exact)
{
    enum ir_elem from = random_elem(g);
    const char *pattern =
        random_chance(&g->random, 50)
            ? arena_format(arena_of(g), "cast(%s, $0)", c_name((enum ir_elem)type.elem))
            : arena_format(arena_of(g), "(%s)($0)", c_name((enum ir_elem)type.elem));
    struct expr *e = expr_new(arena_of(g), type, pattern);
    bool certain = exact || !is_float((enum ir_elem)type.elem);
    expr_add(e, generate_expr(g, with_elem(type, from), certain));
    return e;
}

/* A float without the NaNs that arithmetic makes, whose bits are nobody's promise. */
static struct expr *bitcast_expr(struct generator *g, struct ir_type type)
{
    enum ir_elem to = (enum ir_elem)type.elem, from = random_elem(g);
    if (bits_of(from) != bits_of(to) || from == to || from == IR_BOOL || to == IR_BOOL)
        return NULL;
    const char *operand = is_float(from) ? "where(($0) == ($0), $0, cast(%s, 0))" : "cast(%s, $0)";
    const char *pattern = arena_format(arena_of(g), operand, c_name(from));
    struct expr *e = expr_new(arena_of(g), type,
                              arena_format(arena_of(g), "bitcast(%s, %s)", c_name(to), pattern));
    /* Twice in the text: keep it small. */
    int fuel = g->fuel;
    g->fuel = 2;
    expr_add(e, generate_expr(g, with_elem(type, from), true));
    g->fuel = fuel;
    return e;
}

static struct expr *float_function(struct generator *g, struct ir_type type, bool exact)
{
    static const char *const rounded[] = {"sqrt($0)",  "floor($0)", "ceil($0)",
                                          "round($0)", "rint($0)",  "trunc($0)"};
    static const char *const approximate[] = {
        "exp($0)",   "exp2($0)", "log($0)",   "log2($0)",    "sin($0)",       "cos($0)",
        "tanh($0)",  "erf($0)",  "rsqrt($0)", "sigmoid($0)", "exp(-abs($0))", "expm1($0)",
        "log1p($0)", "sinh($0)", "cosh($0)",  "exp10($0)",   "log10($0)",     "tan($0)",
        "asin($0)",  "acos($0)", "atan($0)",  "cbrt($0)"};
    static const char *const pairs[] = {"pow(abs($0), $1)", "atan2($0, $1)", "hypot($0, $1)"};
    enum { APPROXIMATE = sizeof approximate / sizeof *approximate };
    if (exact || random_chance(&g->random, 40))
        return elementwise(g, type, (enum ir_elem)type.elem, rounded[random_below(&g->random, 6)],
                           1, exact);
    bool pair = random_chance(&g->random, 8);
    struct expr *e = elementwise(g, type, (enum ir_elem)type.elem,
                                 pair ? pairs[random_below(&g->random, 3)]
                                      : approximate[random_below(&g->random, APPROXIMATE)],
                                 pair ? 2 : 1, exact);
    e->approximate = true;
    return e;
}

static struct expr *float_arithmetic(struct generator *g, struct ir_type type, bool exact)
{
    static const char *const binary[] = {
        "($0 + $1)",      "($0 - $1)",       "($0 * $1)",       "($0 / $1)",    "($0 + $1 * $2)",
        "($0 * $1 - $2)", "maximum($0, $1)", "minimum($0, $1)", "fmax($0, $1)", "fmin($0, $1)",
        "($0 * 0.5)",     "(1.0 - $0)",      "(-($0))",         "abs($0)",      "fmod($0, $1)",
        "fma($0, $1, $2)"};
    static const int counts[] = {2, 2, 2, 2, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 2, 3};
    int choice = random_below(&g->random, 16);
    if (choice == 15 && type.elem != IR_F32 && type.elem != IR_F64)
        choice = 0;
    return elementwise(g, type, (enum ir_elem)type.elem, binary[choice], counts[choice], exact);
}

/* A sum of bytes or shorts that ends at the type's ends, at one of them, or beside them. */
static struct expr *limited_sum(struct generator *g, struct ir_type type)
{
    static const char *const sums[] = {"$0 + $1", "$0 - $1", "$1 - $0", "$0 + $1 + 100"};
    enum ir_elem elem = (enum ir_elem)type.elem;
    struct arena *arena = arena_of(g);
    int most = (1 << (bits_of(elem) - ir_is_signed(elem))) - 1;
    int least = ir_is_signed(elem) ? -most - 1 : 0;
    int beside = random_chance(&g->random, 80) ? 0 : random_below(&g->random, 5) - 2;
    const char *s = sums[random_below(&g->random, 4)], *pattern = NULL;
    switch (random_below(&g->random, 6)) {
    case 0:
        pattern = arena_format(arena, "minimum(maximum(%s, %d), %d)", s, least, most + beside);
        break;
    case 1:
        pattern = arena_format(arena, "maximum(minimum(%s, %d), %d)", s, most, least + beside);
        break;
    case 2:
        pattern = arena_format(arena, "where(%s > %d, %d, maximum(%s, %d))", s, most + beside, most,
                               s, least);
        break;
    case 3:
        pattern = arena_format(arena, "where((%s) <= %d, where((%s) < %d, %d, %s), %d)", s, most, s,
                               least, least + beside, s, most);
        break;
    case 4:
        pattern = arena_format(arena, "minimum(%s, %d)", s, most + beside);
        break;
    default:
        pattern = arena_format(arena, "maximum(minimum(maximum(%s, %d), %d) - $0, %d)", s, least,
                               most, least + beside);
        break;
    }
    return elementwise(g, type, elem, pattern, 2, true);
}

static struct expr *integer_arithmetic(struct generator *g, struct ir_type type)
{
    if (bits_of((enum ir_elem)type.elem) <= 16 && type.elem != IR_BOOL &&
        random_chance(&g->random, 25))
        return limited_sum(g, type);
    static const char *const binary[] = {
        "($0 + $1)",       "($0 - $1)",        "($0 * $1)",    "($0 / $1)", "($0 % $1)",
        "cdiv($0, $1)",    "($0 & $1)",        "($0 | $1)",    "($0 ^ $1)", "($0 << $1)",
        "($0 >> $1)",      "(~($0))",          "(-($0))",      "abs($0)",   "maximum($0, $1)",
        "minimum($0, $1)", "($0 * 3 + $1)",    "popcount($0)", "clz($0)",   "ctz($0)",
        "mulhi($0, $1)",   "clamp($0, $1, $2)"};
    static const int counts[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 3};
    int choice = random_below(&g->random, 22);
    return elementwise(g, type, (enum ir_elem)type.elem, binary[choice], counts[choice], true);
}

/* The left side has the whole shape: a constant there may decide, and is then all that remains. */
static struct expr *conjunction(struct generator *g, struct ir_type type, const char *pattern)
{
    struct expr *e = node(g, type, pattern);
    expr_add(e, generate_expr(g, type, true));
    expr_add(e, generate_expr(g, smaller_shape(g, type), true));
    return e;
}

static struct expr *logic(struct generator *g, struct ir_type type)
{
    static const char *const comparisons[] = {"($0 < $1)",  "($0 <= $1)", "($0 > $1)",
                                              "($0 >= $1)", "($0 == $1)", "($0 != $1)"};
    static const char *const tests[] = {"isnan($0)", "isinf($0)", "($0 != $0)",
                                        "(signbit($0) && $0 == $0)"};
    switch (random_below(&g->random, 6)) {
    case 0:
        return conjunction(g, type, "($0 && $1)");
    case 1:
        return conjunction(g, type, "($0 || $1)");
    case 2:
        return elementwise(g, type, IR_BOOL, "(!($0))", 1, true);
    case 3: {
        const char *test = tests[random_below(&g->random, 4)];
        return elementwise(g, type, random_elem_of_kind(g, true), test, 1, true);
    }
    default: {
        enum ir_elem elem = random_elem(g);
        if (elem == IR_BOOL)
            elem = IR_I32;
        return elementwise(g, type, elem, comparisons[random_below(&g->random, 6)], 2, true);
    }
    }
}

/* ---- shapes --------------------------------------------------------------------------------- */

static struct expr *reshape_expr(struct generator *g, struct ir_type type, bool exact)
{
    struct arena *arena = arena_of(g);
    enum ir_elem elem = (enum ir_elem)type.elem;
    const char *pattern = arena_format(arena, "reshape($0%s)", sizes_text(arena, type));
    if (type.rank == 2)
        return unary(g, type, pattern, shape_of(1, type.dims[0] * type.dims[1], 0, elem), exact);
    for (int factor = 2; type.rank == 1 && factor <= 7; factor++)
        if (type.dims[0] % factor == 0 && random_chance(&g->random, 50))
            return unary(g, type, pattern, shape_of(2, factor, type.dims[0] / factor, elem), exact);
    return NULL;
}

/* Three axes only arise here and in reductions: everything else is general. */
static struct expr *shape_expr_3(struct generator *g, struct ir_type type, bool exact)
{
    struct arena *arena = arena_of(g);
    enum ir_elem elem = (enum ir_elem)type.elem;
    const char *sizes = sizes_text(arena, type);
    struct ir_type operand = type;
    int axis = random_below(&g->random, 3), other = (axis + 1 + random_below(&g->random, 2)) % 3;
    switch (random_below(&g->random, 4)) {
    case 0:
        return unary(g, type, arena_format(arena, "reshape($0%s)", sizes),
                     shape_of(2, type.dims[0] * type.dims[1], type.dims[2], elem), exact);
    case 1:
        operand.dims[axis] = 1;
        return unary(g, type, arena_format(arena, "broadcast_to($0%s)", sizes), operand, exact);
    case 2: /* two axes exchanged */
        operand.dims[axis] = type.dims[other];
        operand.dims[other] = type.dims[axis];
        return unary(g, type,
                     arena_format(arena, "trans($0, %d, %d, %d)",
                                  axis == 0    ? other
                                  : other == 0 ? axis
                                               : 0,
                                  axis == 1    ? other
                                  : other == 1 ? axis
                                               : 1,
                                  axis == 2    ? other
                                  : other == 2 ? axis
                                               : 2),
                     operand, exact);
    default:
        return unary(g, type,
                     arena_format(arena, "broadcast_to(expand_dims($0, %d)%s)", axis, sizes),
                     shape_of(2, type.dims[axis == 0], type.dims[axis == 2 ? 1 : 2], elem), exact);
    }
}

static struct expr *shape_expr(struct generator *g, struct ir_type type, bool exact)
{
    if (type.rank == 3)
        return shape_expr_3(g, type, exact);
    struct arena *arena = arena_of(g);
    enum ir_elem elem = (enum ir_elem)type.elem;
    int32_t rows = type.dims[0], columns = type.dims[1];
    if (type.rank == 0)
        return NULL;
    if (type.rank == 1) {
        const char *part = random_chance(&g->random, 50) ? "split($0, 0)" : "split($0, 1)";
        if (rows % 2 == 0 && random_chance(&g->random, 15)) { /* pairs in a line, in and out */
            struct expr *e = node(g, type, arena_format(arena, "reshape(join($0, $1), %d)", rows));
            expr_add(e, generate_expr(g, shape_of(1, rows / 2, 0, elem), exact));
            expr_add(e, generate_expr(g, shape_of(1, rows / 2, 0, elem), exact));
            return e;
        }
        if (rows <= 128 && random_chance(&g->random, 15)) {
            part = arena_format(arena, "split(reshape($0, %d, 2), %d)", rows,
                                random_below(&g->random, 2));
            return unary(g, type, part, shape_of(1, 2 * rows, 0, elem), exact);
        }
        return random_chance(&g->random, 30)
                   ? unary(g, type, part, shape_of(2, rows, 2, elem), exact)
                   : reshape_expr(g, type, exact);
    }
    if (columns == 2 && random_chance(&g->random, 60)) {
        struct expr *e = node(g, type, "join($0, $1)");
        expr_add(e, generate_expr(g, shape_of(1, rows, 0, elem), exact));
        expr_add(e, generate_expr(g, shape_of(1, rows, 0, elem), exact));
        return e;
    }
    if (rows == 1 && random_chance(&g->random, 60))
        return unary(g, type, "expand_dims($0, 0)", shape_of(1, columns, 0, elem), exact);
    if (columns == 1 && random_chance(&g->random, 60))
        return unary(g, type, "expand_dims($0, 1)", shape_of(1, rows, 0, elem), exact);
    const char *broadcast = arena_format(arena, "broadcast_to($0%s)", sizes_text(arena, type));
    switch (random_below(&g->random, 4)) {
    case 0:
        return unary(g, type, "trans($0)", shape_of(2, columns, rows, elem), exact);
    case 1:
        return unary(g, type, broadcast, shape_of(2, 1, columns, elem), exact);
    case 2:
        return unary(g, type, broadcast, shape_of(2, rows, 1, elem), exact);
    default:
        return reshape_expr(g, type, exact);
    }
}

static struct expr *gather_expr(struct generator *g, struct ir_type type, bool exact)
{
    if (type.rank == 0)
        return NULL;
    int axis = random_below(&g->random, type.rank);
    int32_t size = 1 << random_below(&g->random, 6); /* a power of two: the index is masked */
    struct ir_type from = type;
    from.dims[axis] = size;
    struct expr *e =
        node(g, type, arena_format(arena_of(g), "gather($0, $1 & %d, axis(%d))", size - 1, axis));
    expr_add(e, generate_expr(g, from, exact));
    expr_add(e, generate_expr(g, with_elem(type, IR_I64), true));
    return e;
}

/* A new table of such elements, in a line of its own. */
static const char *new_table(struct generator *g, enum ir_elem elem, int count)
{
    struct kernel *k = g->kernel;
    const char *name = arena_format(arena_of(g), "table%d_", k->table_count++);
    text_format(&k->tables, "static const %s %s[%d] = {", c_name(elem), name, count);
    for (int i = 0; i < count; i++) {
        struct expr *element = constant_expr(arena_of(g), &g->random, shape_of(0, 0, 0, elem));
        text_format(&k->tables, "%s%s", i ? ", " : "", element->pattern);
    }
    text_string(&k->tables, "};\n");
    return name;
}

/* An index by its low bits, by a remainder, or by all that a byte can be. */
static struct expr *lookup_expr(struct generator *g, struct ir_type type)
{
    static const int counts[] = {1, 2, 7, 8, 13, 16, 16, 16, 31, 32, 40, 64, 65, 128, 256};
    int count = counts[random_below(&g->random, 15)];
    int most = 1;
    while (2 * most <= count)
        most *= 2;
    enum ir_elem from = random_elem_of_kind(g, false);
    const char *form = "%s[$0 & %d]";
    int bound = most - 1;
    if (count == 256 && random_chance(&g->random, 50)) {
        from = IR_U8;
        form = "%s[$0]";
    } else if (random_chance(&g->random, 40)) {
        form = "%s[cast(uint32_t, $0) %% %d]";
        bound = count;
    }
    const char *table = new_table(g, (enum ir_elem)type.elem, count);
    struct expr *e = expr_new(arena_of(g), type, arena_format(arena_of(g), form, table, bound));
    expr_add(e, generate_expr(g, with_elem(type, from), true));
    return e;
}

/* ---- reductions, scans, dot ----------------------------------------------------------------- */

/* A tile that gives the type when an axis is removed; *axis is " , axis(k)" or "". */
static struct ir_type reducible(struct generator *g, struct ir_type type, const char **axis)
{
    static const int32_t lengths[] = {1, 2, 3, 5, 8, 16, 17};
    int32_t length = lengths[random_below(&g->random, 7)];
    enum ir_elem elem = (enum ir_elem)type.elem;
    *axis = "";
    if (type.rank == 2) {
        int removed = random_below(&g->random, 3);
        *axis = arena_format(arena_of(g), ", axis(%d)", removed);
        struct ir_type operand = {.elem = type.elem, .rank = 3};
        for (int i = 0; i < 3; i++)
            operand.dims[i] = i == removed ? length : type.dims[i - (i > removed)];
        return operand;
    }
    if (type.rank == 1) {
        bool first = random_chance(&g->random, 50);
        *axis = first ? ", axis(0)" : ", axis(1)";
        return first ? shape_of(2, length, type.dims[0], elem)
                     : shape_of(2, type.dims[0], length, elem);
    }
    if (random_chance(&g->random, 50))
        return shape_of(1, g->sizes[random_below(&g->random, 3)], 0, elem);
    return shape_of(2, length, g->sizes[random_below(&g->random, 3)], elem);
}

/* Whole numbers from 0 to 15: sums of them are exact in every order. */
static struct expr *small_numbers(struct generator *g, struct ir_type type)
{
    const char *pattern =
        arena_format(arena_of(g), "cast(%s, $0 & 15)", c_name((enum ir_elem)type.elem));
    struct expr *e = expr_new(arena_of(g), type, pattern);
    expr_add(e, generate_expr(g, with_elem(type, IR_I32), true));
    return e;
}

/* A sum or product over floating elements: exact only for small numbers. */
static struct expr *float_total(struct generator *g, struct ir_type type, const char *pattern,
                                struct ir_type operand, bool exact)
{
    struct expr *e = expr_new(arena_of(g), type, pattern);
    if (exact || random_chance(&g->random, 30)) {
        expr_add(e, small_numbers(g, operand));
        return e;
    }
    expr_add(e, generate_expr(g, operand, false));
    e->approximate = true;
    return e;
}

static struct expr *reduce_expr(struct generator *g, struct ir_type type, bool exact)
{
    if (type.rank > 2)
        return NULL;
    const char *axis;
    enum ir_elem elem = (enum ir_elem)type.elem;
    struct ir_type operand = reducible(g, type, &axis);
    struct arena *arena = arena_of(g);
    if (count_of(operand) > 4096)
        return NULL;
    if (elem == IR_BOOL) {
        const char *name = random_chance(&g->random, 50) ? "any" : "all";
        return unary(g, type, arena_format(arena, "%s($0%s)", name, axis), operand, true);
    }
    if (elem == IR_I64 && random_chance(&g->random, 30)) {
        const char *name = random_chance(&g->random, 50) ? "argmax" : "argmin";
        enum ir_elem from = random_elem_of_kind(g, random_chance(&g->random, 60));
        return unary(g, type, arena_format(arena, "%s($0%s)", name, axis), with_elem(operand, from),
                     true);
    }
    if (random_chance(&g->random, 50)) {
        const char *name = random_chance(&g->random, 50) ? "max" : "min";
        return unary(g, type, arena_format(arena, "%s($0%s)", name, axis), operand, exact);
    }
    const char *cast = arena_format(arena, "cast(%s, sum($0%s))", c_name(elem), axis);
    if (!is_float(elem)) {
        bool product = random_chance(&g->random, 15);
        enum ir_elem from = random_chance(&g->random, 20) ? IR_BOOL : elem;
        if (product)
            cast = arena_format(arena, "cast(%s, prod($0%s))", c_name(elem), axis);
        return unary(g, type, cast, with_elem(operand, product ? elem : from), true);
    }
    return float_total(g, type, cast, operand, exact);
}

static struct expr *scan_expr(struct generator *g, struct ir_type type, bool exact)
{
    enum ir_elem elem = (enum ir_elem)type.elem;
    if (type.rank == 0 || elem == IR_BOOL)
        return NULL;
    struct arena *arena = arena_of(g);
    const char *axis = type.rank == 1
                           ? ""
                           : arena_format(arena, ", axis(%d)", random_below(&g->random, type.rank));
    if (random_chance(&g->random, 30))
        axis = arena_format(arena, "%s, reverse", axis);
    if (random_chance(&g->random, 30)) {
        const char *name = random_chance(&g->random, 50) ? "cummin" : "cummax";
        return unary(g, type, arena_format(arena, "%s($0%s)", name, axis), type, exact);
    }
    if (random_chance(&g->random, 30) && (is_integer(elem) || elem == IR_F32))
        return unary(g, type,
                     arena_format(arena, "scan(greater_%s, cast(%s, $0)%s)", c_name(elem),
                                  c_name(elem), axis),
                     type, exact);
    bool multiplies = random_chance(&g->random, 25) && (is_integer(elem) || !exact);
    const char *name = multiplies ? "cumprod" : "cumsum";
    const char *pattern = arena_format(arena, "cast(%s, %s($0%s%s))", c_name(elem), name, axis,
                                       random_chance(&g->random, 40) ? ", exclusive" : "");
    if (is_float(elem) && multiplies) {
        struct expr *e = unary(g, type, pattern, type, false);
        e->approximate = true;
        return e;
    }
    if (is_float(elem))
        return float_total(g, type, pattern, type, exact);
    return unary(g, type, pattern, type, true);
}

static struct expr *dot_expr(struct generator *g, struct ir_type type, bool exact)
{
    static const int32_t lengths[] = {1, 2, 3, 8, 16, 19};
    if (type.rank != 2 || count_of(type) > 1024)
        return NULL;
    int32_t length = lengths[random_below(&g->random, 6)];
    enum ir_elem elem = (enum ir_elem)type.elem, operand;
    if (elem == IR_F32)
        operand = random_chance(&g->random, 40)   ? IR_F32
                  : random_chance(&g->random, 50) ? IR_F16
                                                  : IR_BF16;
    else if (elem == IR_F64)
        operand = IR_F64;
    else if (elem == IR_I32)
        operand = IR_I8;
    else
        return NULL;
    bool small = exact || random_chance(&g->random, 30);
    bool accumulate = random_chance(&g->random, 40);
    struct expr *e = expr_new(arena_of(g), type, accumulate ? "dot($0, $1, $2)" : "dot($0, $1)");
    struct ir_type shapes[] = {shape_of(2, type.dims[0], length, operand),
                               shape_of(2, length, type.dims[1], operand), type};
    for (int i = 0; i < (accumulate ? 3 : 2); i++)
        expr_add(e, is_float(elem) && small ? small_numbers(g, shapes[i])
                                            : generate_expr(g, shapes[i], !is_float(elem)));
    e->approximate |= is_float(elem) && !small;
    return e;
}

static struct expr *helper_expr(struct generator *g, struct ir_type type, bool exact)
{
    enum ir_elem elem = (enum ir_elem)type.elem;
    if (elem != IR_F32 && elem != IR_I32)
        return NULL;
    return elementwise(g, type, elem, elem == IR_F32 ? "mix($0, $1)" : "twist($0, $1)", 2, exact);
}

/* ---- the choice ----------------------------------------------------------------------------- */

static struct expr *form(struct generator *g, struct ir_type type, bool exact)
{
    enum ir_elem elem = (enum ir_elem)type.elem;
    switch (random_below(&g->random, 20)) {
    case 0:
        return select_expr(g, type, exact);
    case 1:
    case 2:
        return cast_expr(g, type, exact);
    case 3:
        return bitcast_expr(g, type);
    case 4:
        return shape_expr(g, type, exact);
    case 5:
        return random_chance(&g->random, 50) ? lookup_expr(g, type) : gather_expr(g, type, exact);
    case 6:
    case 7:
        return reduce_expr(g, type, exact);
    case 8:
        return scan_expr(g, type, exact);
    case 9:
        return dot_expr(g, type, exact);
    case 10:
        return helper_expr(g, type, exact);
    case 11:
    case 12:
        return load(g, type);
    case 13:
    case 14:
        return is_float(elem) ? float_function(g, type, exact) : NULL;
    default:
        if (elem == IR_BOOL)
            return logic(g, type);
        return is_float(elem) ? float_arithmetic(g, type, exact) : integer_arithmetic(g, type);
    }
}

struct expr *generate_expr(struct generator *g, struct ir_type type, bool exact)
{
    for (int attempt = 0; attempt < 3 && g->fuel > 0; attempt++) {
        g->fuel--;
        struct expr *e = form(g, type, exact);
        if (e)
            return e;
    }
    return leaf(g, type, exact);
}
