/*
 * Kernels whose arrays overlap: all of them lie in one block of memory, each from a byte of its own
 * on, also with elements of other widths, or two of them at the same place. A program loads,
 * computes and stores in turn, in lines, tiles and views, at distances that the text says or a
 * scalar; what the one statement stores the next one may load, under any name.
 *
 * Each program has PART bytes of the block, so that there are no races. Arrays of several types
 * hold integers only: what bits a NaN has, the language does not say. No store has two values for
 * one place.
 */
#include "kernel.h"

#include <string.h>

enum {
    PART = 4096,      /* bytes of a program */
    MOST_SHIFT = 512, /* bytes from the block's start to an array's */
    LOW = 8,          /* indices lie from here on, at distances of up to 8 from each other: */
    HIGH = 440,       /* and below; of the widest elements 448 fit behind the largest shift */
    MOST_ARRAYS = 4,
};

struct overlap {
    struct generator *g;
    struct parameter *arrays[MOST_ARRAYS];
    int array_count;
    bool mixed, is_float;
    struct ir_type line, tile; /* shapes of all that is computed with */
    struct expr *last[3];      /* by rank: an index that was used before, or NULL */
    bool last_repeats[3];      /* it names a place twice */
    const char *counter;       /* of the innermost loop, or NULL */
    bool in_blocks;            /* that loop steps by lines */
    struct parameter *limit;   /* of a loop by lines */
    int depth, scalars;
};

static int below(struct overlap *o, int count)
{
    return random_below(&o->g->random, count);
}

static bool chance(struct overlap *o, int percent)
{
    return random_chance(&o->g->random, percent);
}

static struct arena *arena_of(struct overlap *o)
{
    return o->g->kernel->arena;
}

/* ---- parameters ----------------------------------------------------------------------------- */

static struct expr *leaf(struct overlap *o, struct parameter *p)
{
    struct expr *e = expr_new(arena_of(o), shape_of(0, 0, 0, p->elem), "@");
    e->parameter = p;
    return e;
}

static struct expr *scalar_parameter(struct overlap *o, int value)
{
    struct kernel *k = o->g->kernel;
    for (int i = 0; i < k->parameter_count; i++) {
        struct parameter *p = k->parameters[i];
        if (p->kind == PARAMETER_SCALAR && (p->bits == (uint64_t)value || o->scalars > 6))
            return p->bits == (uint64_t)value ? leaf(o, p)
                                              : expr_new(arena_of(o), shape_of(0, 0, 0, IR_I32),
                                                         arena_format(arena_of(o), "%d", value));
    }
    struct parameter *p = generate_new_parameter(o->g, PARAMETER_SCALAR, IR_I32);
    p->bits = (uint64_t)value;
    o->scalars++;
    return leaf(o, p);
}

/* Half of them by few elements, so that stores reach what is loaded. */
static int64_t shift_of(struct overlap *o, int64_t bytes)
{
    static const int near[] = {0, 0, 1, 2, 4, 8, 16};
    if (chance(o, 60))
        return near[below(o, 7)] * bytes;
    return (int64_t)below(o, (int)(MOST_SHIFT / bytes) + 1) * bytes;
}

static void add_arrays(struct overlap *o)
{
    static const uint8_t whole[] = {IR_I8, IR_U8, IR_I16, IR_U16, IR_I32, IR_I32, IR_U32, IR_I64};
    static const uint8_t real[] = {IR_F32, IR_F32, IR_F32, IR_F16, IR_BF16, IR_F64};
    struct kernel *k = o->g->kernel;
    o->is_float = chance(o, 35);
    o->mixed = !o->is_float && chance(o, 45);
    o->array_count = chance(o, 25) ? 1 : 2 + below(o, MOST_ARRAYS - 1);
    enum ir_elem elem = (enum ir_elem)(o->is_float ? real[below(o, 6)] : whole[below(o, 8)]);
    if (!o->is_float && !o->mixed && chance(o, 8))
        elem = IR_BOOL;
    if (elem == IR_F64 && k->metal)
        elem = IR_F32;
    k->block_bytes = PART * k->grid[0] * k->grid[1] * k->grid[2];
    k->block_elem = o->mixed ? IR_U8 : elem;
    for (int i = 0; i < o->array_count; i++) {
        if (o->mixed)
            elem = (enum ir_elem)whole[below(o, 8)];
        bool is_input = i > 0 && chance(o, 25);
        struct parameter *p =
            generate_new_parameter(o->g, is_input ? PARAMETER_INPUT : PARAMETER_OWN, elem);
        int64_t bytes = bits_of(elem) / 8;
        p->in_block = true;
        p->is_restrict = o->array_count == 1 && p->is_restrict;
        p->shift = shift_of(o, bytes);
        p->elements = (k->block_bytes - p->shift) / bytes;
        o->arrays[i] = p;
    }
}

static struct parameter *some_array(struct overlap *o, bool written)
{
    struct parameter *p = o->arrays[below(o, o->array_count)];
    return written && p->kind == PARAMETER_INPUT ? o->arrays[0] : p;
}

/* Where a program's elements begin. */
static const char *begin(struct overlap *o, const struct parameter *p)
{
    const int64_t *grid = o->g->kernel->grid;
    if (grid[0] * grid[1] * grid[2] == 1)
        return "";
    return arena_format(arena_of(o), "pid * %d + ", PART * 8 / bits_of(p->elem));
}

/* ---- indices -------------------------------------------------------------------------------- */

static struct expr *index_new(struct overlap *o, struct ir_type shape, const char *pattern)
{
    shape.elem = IR_I64;
    return expr_new(arena_of(o), shape, pattern);
}

static int power_above(int n)
{
    int power = 1;
    while (power < n)
        power *= 2;
    return power;
}

static struct expr *in_loop(struct overlap *o, struct expr *e, int most)
{
    if (!o->counter || o->in_blocks || chance(o, 40))
        return e;
    int step = most + 3 * o->line.dims[0] < HIGH ? o->line.dims[0] : 1;
    if (most + 3 * step >= HIGH)
        return e;
    struct expr *moved =
        index_new(o, e->type,
                  arena_format(arena_of(o), "$0 + %s * %d", o->counter, chance(o, 70) ? step : 1));
    expr_add(moved, e);
    return moved;
}

/* A value of a scalar that moves lanes about. */
static int distance(struct overlap *o)
{
    return chance(o, 50) ? below(o, 9) : 8 * below(o, 9);
}

static struct expr *data_line(struct overlap *o)
{
    const struct parameter *p = o->arrays[0];
    struct expr *e = expr_new(arena_of(o), o->line,
                              arena_format(arena_of(o), "load(@ + %s%d + arange(0, %d))",
                                           begin(o, p), LOW + below(o, 12), (int)o->line.dims[0]));
    e->parameter = o->arrays[0];
    return e;
}

static struct expr *line_index(struct overlap *o, bool repeats)
{
    struct arena *arena = arena_of(o);
    int n = o->line.dims[0], k = LOW + below(o, 12), most = 0, scalar = -1;
    int bit = 1 << below(o, 7);
    const char *i = arena_format(arena, "arange(0, %d)", n), *text = NULL;
    if (o->in_blocks)
        return index_new(o, o->line, arena_format(arena, "%s + %s + %d", o->counter, i, k));
    switch (below(o, repeats ? o->is_float ? 15 : 16 : 11)) {
    case 0:
    case 1:
        if (chance(o, 30))
            k = LOW + below(o, HIGH - LOW - n);
        text = arena_format(arena, "%s + %d", i, k);
        most = n + k;
        break;
    case 2:
        text = arena_format(arena, "%d - %s", n + k, i);
        most = n + k + 1;
        break;
    case 3:
        text = arena_format(arena, "%s * %d + %d", i, 2 + below(o, 2), k);
        most = 3 * n + k;
        break;
    case 4:
        text = arena_format(arena, "(%s ^ %d) + %d", i, bit, k);
        most = power_above(n > 2 * bit ? n : 2 * bit) + k;
        break;
    case 5:
    case 6:
        text = arena_format(arena, "%s + $0 + %d", i, LOW);
        scalar = distance(o);
        most = n + 64 + LOW;
        break;
    case 7:
        text = arena_format(arena, "%s * $0 + %d", i, k);
        scalar = 1 + below(o, 3);
        most = 3 * n + k;
        break;
    case 8:
        text = arena_format(arena, "%d - %s + $0", n + LOW, i);
        scalar = distance(o);
        most = n + 65 + LOW;
        break;
    case 9:
        text = arena_format(arena, "(%s ^ $0) + %d", i, k);
        scalar = chance(o, 80) ? bit : below(o, 64);
        most = power_above(n > 128 ? n : 128) + k;
        break;
    case 10:
        text = arena_format(arena, "(%s * 5 & %d) + %d", i, power_above(n) - 1, k);
        most = power_above(n) + k;
        break;
    case 11:
        text = arena_format(arena, "%s / %d + %d", i, 2 + below(o, 3), k);
        most = n + k;
        break;
    case 12:
        text = arena_format(arena, "%s %% %d + %d", i, 3 + below(o, 6), k);
        most = 8 + k;
        break;
    case 13:
        text = arena_format(arena, "(%s + %d & 63) + %d", i, below(o, 64), LOW);
        most = 64 + LOW;
        break;
    case 14:
        text = arena_format(arena, "%s * $0 + %d", i, k);
        scalar = below(o, 2);
        most = n + k;
        break;
    default: /* of what is in memory */
        text = arena_format(arena, "(cast(int, $0) & 127) + %d", LOW);
        most = 128 + LOW;
        break;
    }
    struct expr *e = index_new(o, o->line, text);
    if (scalar >= 0)
        expr_add(e, scalar_parameter(o, scalar));
    else if (strstr(text, "$0"))
        expr_add(e, data_line(o));
    return in_loop(o, e, most);
}

static struct expr *tile_index(struct overlap *o, bool repeats)
{
    struct arena *arena = arena_of(o);
    int rows = o->tile.dims[0], columns = o->tile.dims[1], k = LOW + below(o, 12);
    const char *y = arena_format(arena, "expand_dims(arange(0, %d), 1)", rows);
    const char *x = arena_format(arena, "expand_dims(arange(0, %d), 0)", columns), *text;
    int width = columns + (chance(o, 40) ? 0 : below(o, 4)), scalar = -1;
    if (repeats && chance(o, 20))
        width = below(o, columns);
    switch (below(o, 6)) {
    case 0:
        text = arena_format(arena, "%s * $0 + %s + %d", y, x, k);
        scalar = width;
        break;
    case 1:
        text = arena_format(arena, "(%d - %s) * %d + %s + %d", rows - 1, y, width, x, k);
        break;
    case 2:
        text = arena_format(arena, "%s * %d + %s + %d", x, rows + below(o, 3), y, k);
        break;
    case 3:
        text = arena_format(arena, "(%s ^ 1) * %d + %s + %d", y, width, x, k);
        break;
    default:
        text = arena_format(arena, "%s * %d + %s + %d", y, width, x, k);
        break;
    }
    struct expr *e = index_new(o, o->tile, text);
    if (scalar >= 0)
        expr_add(e, scalar_parameter(o, scalar));
    return in_loop(o, e, 32 * 11 + LOW + 12);
}

/* Mostly near the one before: there statements meet. repeats: it may name a place twice. */
static struct expr *some_index(struct overlap *o, struct ir_type shape, bool repeats)
{
    int rank = shape.rank;
    struct expr *last = o->last[rank];
    if (last && (repeats || !o->last_repeats[rank]) && chance(o, 65)) {
        if (chance(o, 35))
            return last;
        int by = chance(o, 60) ? 1 : 1 + below(o, 8);
        struct expr *e = index_new(
            o, shape, arena_format(arena_of(o), "($0) %s %d", chance(o, 50) ? "+" : "-", by));
        expr_add(e, last);
        return e;
    }
    o->last_repeats[rank] = repeats;
    return o->last[rank] = rank == 1 ? line_index(o, repeats) : tile_index(o, repeats);
}

static void forget(struct overlap *o)
{
    memset(o->last, 0, sizeof o->last);
}

/* ---- expressions ---------------------------------------------------------------------------- */

static struct expr *value(struct overlap *o, struct ir_type type, int fuel);

/* The element itself, with its place for $0. */
static const char *element(struct overlap *o, const struct parameter *p, int place)
{
    return arena_format(arena_of(o), "@[%s%d]", begin(o, p), place);
}

static struct expr *scalar_condition(struct overlap *o)
{
    struct parameter *p = some_array(o, false);
    bool read = !o->is_float && chance(o, 60);
    struct expr *e = expr_new(arena_of(o), shape_of(0, 0, 0, IR_BOOL),
                              read ? arena_format(arena_of(o), "(%s & 1) == %d",
                                                  element(o, p, LOW + below(o, 64)), below(o, 2))
                                   : arena_format(arena_of(o), "$0 > %d", below(o, 40)));
    if (read)
        e->parameter = p;
    else
        expr_add(e, scalar_parameter(o, distance(o)));
    return e;
}

static const char *axis_text(struct overlap *o, struct ir_type shape, int *size)
{
    int axis = shape.rank == 1 ? 0 : below(o, 2);
    *size = shape.dims[axis];
    const char *i = arena_format(arena_of(o), "arange(0, %d)", *size);
    return shape.rank == 1 ? i : arena_format(arena_of(o), "expand_dims(%s, %d)", i, 1 - axis);
}

static struct expr *mask_of(struct overlap *o, struct ir_type shape)
{
    struct arena *arena = arena_of(o);
    struct ir_type type = shape;
    int size, choice = below(o, o->is_float ? 6 : 7);
    const char *i = axis_text(o, shape, &size);
    type.elem = IR_BOOL;
    if (choice == 6) { /* of what is in memory */
        shape.elem = o->arrays[0]->elem;
        struct expr *e = expr_new(arena, type, "$0 > 3");
        expr_add(e, value(o, shape, 1));
        return e;
    }
    if (o->in_blocks && choice < 4) {
        struct expr *e = expr_new(arena, type, arena_format(arena, "%s + %s < $0", o->counter, i));
        expr_add(e, leaf(o, o->limit));
        return e;
    }
    struct expr *e = NULL;
    switch (choice) {
    case 0:
    case 1:
        e = expr_new(arena, type, arena_format(arena, "%s < $0", i));
        expr_add(e, scalar_parameter(o, below(o, size + 3)));
        return e;
    case 2:
        return expr_new(arena, type, arena_format(arena, "%s >= %d", i, below(o, size + 1)));
    case 3:
        return expr_new(arena, type, arena_format(arena, "%s < (%s ^ %d)", i, i, 1 << below(o, 5)));
    case 4:
        return expr_new(arena, type, arena_format(arena, "%s %% %d != 0", i, 2 + below(o, 3)));
    default:
        e = expr_new(arena, type, arena_format(arena, "%s < (%s ^ $0)", i, i));
        expr_add(e, scalar_parameter(o, 1 << below(o, 6)));
        return e;
    }
}

/* A view of the shape's rows and columns, or a few more. */
static const char *some_view(struct overlap *o, const struct parameter *p, struct ir_type shape,
                             bool repeats)
{
    struct arena *arena = arena_of(o);
    const char *part = arena_format(arena, "@ + %s%d", begin(o, p), LOW + below(o, 12));
    if (shape.rank == 1) {
        int n = shape.dims[0];
        return chance(o, 50) ? arena_format(arena, "view(%s, %d)", part, n)
                             : arena_format(arena, "view_strided(%s + %d, %d, -1)", part, n, n);
    }
    if (chance(o, 40))
        return arena_format(arena, "view(%s, %d, %d)", part, (int)shape.dims[0],
                            (int)shape.dims[1] + below(o, 3));
    return strided_view(o->g, part, shape.dims[0], shape.dims[1], repeats);
}

static const char *view_indices(struct overlap *o, struct ir_type shape)
{
    struct text text;
    text_init(&text, arena_of(o));
    for (int i = 0; i < shape.rank; i++)
        text_format(&text, ", %d", chance(o, 60) ? 0 : below(o, 4) - 1);
    text_char(&text, '\0');
    return text.items;
}

static struct expr *view_load(struct overlap *o, struct ir_type type)
{
    struct parameter *p = some_array(o, false);
    struct expr *e =
        expr_new(arena_of(o), type,
                 arena_format(arena_of(o), "cast(%s, tile_load(%s%s%s))",
                              c_name((enum ir_elem)type.elem), some_view(o, p, type, true),
                              view_indices(o, type), sizes_text(arena_of(o), type)));
    e->parameter = p;
    return e;
}

static struct expr *load_of(struct overlap *o, struct ir_type type)
{
    struct arena *arena = arena_of(o);
    struct parameter *p = some_array(o, false);
    const char *name = c_name((enum ir_elem)type.elem);
    struct expr *e;
    if (type.rank == 0) {
        e = expr_new(arena, type,
                     arena_format(arena, "cast(%s, %s)", name, element(o, p, LOW + below(o, 64))));
        e->parameter = p;
        return e;
    }
    if (!o->in_blocks && chance(o, 20))
        return view_load(o, type);
    bool masked = chance(o, 35), other = masked && chance(o, 50);
    e = expr_new(arena, type,
                 arena_format(arena, "cast(%s, load(@ + %s($0)%s%s))", name, begin(o, p),
                              masked ? ", $1" : "", other ? ", 3" : ""));
    e->parameter = p;
    expr_add(e, some_index(o, type, true));
    if (masked)
        expr_add(e, mask_of(o, type));
    return e;
}

static struct expr *variable_of(struct overlap *o, struct ir_type type)
{
    struct generator *g = o->g;
    int start = below(o, g->scope_count + 1);
    for (int i = 0; i < g->scope_count; i++) {
        struct variable *v = g->scope[(start + i) % g->scope_count];
        if (v->type.rank != type.rank || memcmp(v->type.dims, type.dims, sizeof type.dims) != 0)
            continue;
        struct expr *e =
            expr_new(arena_of(o), type,
                     arena_format(arena_of(o), "cast(%s, %%)", c_name((enum ir_elem)type.elem)));
        e->variable = v;
        e->approximate = v->approximate;
        return e;
    }
    return NULL;
}

/* Of one element each; all is cast to the type that is wanted. */
static struct expr *combined(struct overlap *o, struct ir_type type, int fuel)
{
    static const char *const forms[] = {
        "$0 + $1", "$0 - $1", "minimum($0, $1)", "maximum($0, $1)", "$0 * $1",
        "$0 ^ $1", "$0 & $1", "$0 | $1",         "$0 + ($1 >> 1)",
    };
    const char *form =
        forms[type.elem == IR_BOOL ? 5 + below(o, 3) : below(o, o->is_float ? 5 : 9)];
    bool chosen = type.rank > 0 && chance(o, 15);
    struct expr *e =
        expr_new(arena_of(o), type,
                 arena_format(arena_of(o), "cast(%s, %s)", c_name((enum ir_elem)type.elem),
                              chosen ? "where($2, $0, $1)" : form));
    expr_add(e, value(o, type, fuel - 1));
    if (chance(o, 20)) /* the same for all elements */
        type = shape_of(0, 0, 0, (enum ir_elem)type.elem);
    expr_add(e, value(o, type, fuel - 1));
    type = e->type;
    if (chosen)
        expr_add(e, mask_of(o, type));
    return e;
}

static struct expr *reduced(struct overlap *o, struct ir_type type, int fuel)
{
    static const char *const forms[] = {"sum($0)", "max($0)", "min($0)"};
    struct ir_type from = o->tile.rank && chance(o, 30) ? o->tile : o->line;
    from.elem = type.elem;
    const char *form = forms[type.elem == IR_BOOL ? 1 : below(o, 3)];
    struct expr *e =
        expr_new(arena_of(o), type,
                 arena_format(arena_of(o), "cast(%s, %s)", c_name((enum ir_elem)type.elem), form));
    expr_add(e, value(o, from, fuel - 1));
    return e;
}

static struct expr *scanned(struct overlap *o, struct ir_type type, int fuel)
{
    struct expr *e = expr_new(
        arena_of(o), type,
        arena_format(arena_of(o), "cast(%s, cumsum($0))", c_name((enum ir_elem)type.elem)));
    expr_add(e, value(o, type, fuel - 1));
    return e;
}

static struct expr *value(struct overlap *o, struct ir_type type, int fuel)
{
    int choice = below(o, 100);
    if (fuel > 0 && choice < 45)
        return combined(o, type, fuel);
    if (fuel > 0 && type.rank == 0)
        return reduced(o, type, fuel);
    if (fuel > 0 && choice < 50 && type.rank == 1 && type.elem != IR_BOOL)
        return scanned(o, type, fuel);
    if (choice < 85)
        return load_of(o, type);
    if (choice < 88)
        return constant_expr(arena_of(o), &o->g->random, type);
    struct expr *e = variable_of(o, type);
    return e ? e : load_of(o, type);
}

/* ---- statements ----------------------------------------------------------------------------- */

static struct statement *statement_new(struct overlap *o, const char *pattern)
{
    struct statement *s = ARENA_NEW(arena_of(o), struct statement);
    s->pattern = pattern;
    return s;
}

static struct ir_type some_type(struct overlap *o, bool scalars)
{
    struct ir_type type = o->tile.rank && !o->in_blocks && chance(o, 30) ? o->tile : o->line;
    if (scalars && chance(o, 25))
        type = shape_of(0, 0, 0, IR_I32);
    type.elem = o->arrays[below(o, o->array_count)]->elem;
    return type;
}

static struct statement *declaration(struct overlap *o)
{
    struct ir_type type = some_type(o, true);
    struct variable *v = ARENA_NEW(arena_of(o), struct variable);
    *v = (struct variable){.name = arena_format(arena_of(o), "v%d", o->g->names++),
                           .type = type,
                           .approximate = o->is_float,
                           .fixed = true};
    struct statement *s =
        statement_new(o, arena_format(arena_of(o), "%s %% = $0;", c_name((enum ir_elem)type.elem)));
    s->variable = v;
    s->declares = true;
    s->children[s->count++] = value(o, type, 2);
    if (o->g->scope_count < 128)
        o->g->scope[o->g->scope_count++] = v;
    return s;
}

static struct statement *store(struct overlap *o)
{
    struct parameter *p = some_array(o, true);
    struct ir_type type = some_type(o, true);
    type.elem = p->elem;
    struct statement *s = statement_new(o, NULL);
    s->parameter = p;
    if (type.rank == 0) {
        s->pattern = arena_format(arena_of(o), "%s %s $0;", element(o, p, LOW + below(o, 64)),
                                  type.elem != IR_BOOL && chance(o, 40) ? "+=" : "=");
        s->children[s->count++] = value(o, type, 2);
        return s;
    }
    if (!o->in_blocks && chance(o, 20)) {
        s->pattern = arena_format(arena_of(o), "tile_store(%s%s, $0);",
                                  some_view(o, p, type, false), view_indices(o, type));
        s->children[s->count++] = value(o, type, 2);
        return s;
    }
    bool masked = chance(o, 40);
    s->pattern =
        arena_format(arena_of(o), "store(@ + %s($0), $1%s);", begin(o, p), masked ? ", $2" : "");
    s->children[s->count++] = some_index(o, type, false);
    s->children[s->count++] = value(o, type, 2);
    if (masked)
        s->children[s->count++] = mask_of(o, type);
    return s;
}

/* Two places change what they hold, or put it in order: both are loaded before one is stored. */
static struct statement *exchange(struct overlap *o)
{
    struct arena *arena = arena_of(o);
    struct parameter *p[2] = {some_array(o, true), some_array(o, true)};
    struct ir_type type = some_type(o, false);
    struct expr *index[2], *mask = chance(o, 50) ? mask_of(o, type) : NULL;
    struct statement *first = NULL, **link = &first;
    const char *names[2];
    for (int i = 0; i < 2; i++) {
        names[i] = arena_format(arena, "e%d", o->g->names++);
        index[i] = some_index(o, type, false);
        struct statement *s =
            statement_new(o, arena_format(arena, "%s %s = load(@ + %s($0)%s);", c_name(p[i]->elem),
                                          names[i], begin(o, p[i]), mask ? ", $1" : ""));
        s->parameter = p[i];
        s->children[s->count++] = index[i];
        if (mask)
            s->children[s->count++] = mask;
        *link = s;
        link = &s->next;
    }
    bool sorts = chance(o, 40);
    for (int i = 0; i < 2; i++) {
        const char *stored =
            sorts ? arena_format(arena, "%s(%s, cast(%s, %s))", i ? "maximum" : "minimum", names[i],
                                 c_name(p[i]->elem), names[1 - i])
                  : names[1 - i];
        struct statement *s =
            statement_new(o, arena_format(arena, "store(@ + %s($0), %s%s);", begin(o, p[i]), stored,
                                          mask ? ", $1" : ""));
        s->parameter = p[i];
        s->children[s->count++] = index[i];
        if (mask)
            s->children[s->count++] = mask;
        *link = s;
        link = &s->next;
    }
    return first;
}

static const char *some_order(struct overlap *o)
{
    static const char *const orders[] = {">", ">=", "<", "<="};
    return orders[below(o, 4)];
}

/* A comparison of an element's place with its partner's, mostly the one that the statements around
 * have. */
static const char *one_of_two(struct overlap *o, const char *usual, const char *i,
                              const char *other)
{
    const char *order = chance(o, 85) ? usual : some_order(o);
    const char *mask = arena_format(arena_of(o), "%s %s %s", other, order, i);
    if (chance(o, 70))
        return mask;
    return arena_format(arena_of(o), "%s && %s %% %d != 1", mask, i, 3 + below(o, 4));
}

/* Places i and i ^ j, of which one does the work of both, mostly. */
static struct statement *partners(struct overlap *o)
{
    struct arena *arena = arena_of(o);
    struct parameter *p = some_array(o, true);
    const char *elem = c_name(p->elem), *order = some_order(o);
    const char *place[2], *names[2];
    struct statement *first = NULL, **link = &first;
    int start = LOW + below(o, 12);
    for (int i = 0; i < 2; i++) {
        place[i] = arena_format(arena, "e%d", o->g->names++);
        names[i] = arena_format(arena, "e%d", o->g->names++);
    }
    *link = statement_new(o, arena_format(arena, "int %s = arange(0, %d) + %d;", place[0],
                                          (int)o->line.dims[0], chance(o, 50) ? 0 : below(o, 40)));
    link = &(*link)->next;
    *link = statement_new(o, arena_format(arena, "int %s = %s ^ $0;", place[1], place[0]));
    int j = chance(o, 70) ? 1 << below(o, 7) : below(o, 128);
    (*link)->children[(*link)->count++] = scalar_parameter(o, j);
    link = &(*link)->next;
    for (int i = 0; i < 4; i++) {
        int which = i % 2 ^ (i >= 2 && chance(o, 30));
        const char *at = arena_format(arena, "@ + %s%d + %s", begin(o, p), start, place[which]);
        const char *mask = one_of_two(o, order, place[0], place[1]);
        *link = statement_new(
            o, i < 2 ? arena_format(arena, "%s %s = load(%s, %s);", elem, names[which], at, mask)
                     : arena_format(arena, "store(%s, %s(%s, %s), %s);", at,
                                    which ? "maximum" : "minimum", names[0], names[1], mask));
        (*link)->parameter = p;
        link = &(*link)->next;
    }
    return first;
}

static struct statement *atomic(struct overlap *o)
{
    static const char *const names[] = {"add", "max", "min", "and", "or", "xor"};
    struct parameter *p = some_array(o, true);
    int bits = bits_of(p->elem);
    if (o->is_float || bits < 32 || (o->g->kernel->metal && bits > 32))
        return store(o);
    struct ir_type type = some_type(o, false);
    type.elem = p->elem;
    struct statement *s = statement_new(o, arena_format(arena_of(o), "atomic_%s(@ + %s($0), $1);",
                                                        names[below(o, 6)], begin(o, p)));
    s->parameter = p;
    s->children[s->count++] = some_index(o, type, true);
    s->children[s->count++] = value(o, type, 2);
    return s;
}

static struct statement *statements(struct overlap *o, int count);

static struct statement *body_of(struct overlap *o)
{
    int scope = o->g->scope_count;
    o->depth++;
    struct statement *body = statements(o, 1 + below(o, 3));
    o->depth--;
    o->g->scope_count = scope;
    return body;
}

static struct statement *branch(struct overlap *o)
{
    struct statement *s = statement_new(o, "if ($0)");
    s->children[s->count++] = scalar_condition(o);
    s->has_body = true;
    s->body = body_of(o);
    forget(o);
    s->has_other = chance(o, 40);
    if (s->has_other)
        s->other = body_of(o);
    forget(o);
    return s;
}

/* Few turns; or as many as there are lines in a row. */
static struct statement *loop(struct overlap *o)
{
    struct arena *arena = arena_of(o);
    const char *outer = o->counter, *name = arena_format(arena, "i%d", o->g->names++);
    bool blocks = chance(o, 50), known = chance(o, 50);
    int n = o->line.dims[0];
    struct statement *s = statement_new(o, NULL);
    if (blocks) {
        s->pattern =
            arena_format(arena, "for (int %s = 0; %s < $0; %s += %d)", name, name, name, n);
        struct parameter *limit = generate_new_parameter(o->g, PARAMETER_SCALAR, IR_I32);
        limit->bits = (uint64_t)(1 + below(o, n < 4 ? 12 : 280));
        s->children[s->count++] = leaf(o, limit);
        o->limit = limit;
    } else {
        s->pattern = arena_format(arena, "for (int %s = 0; %s < %s; %s++)", name, name,
                                  known ? arena_format(arena, "%d", 1 + below(o, 4)) : "$0", name);
        if (!known)
            s->children[s->count++] = scalar_parameter(o, below(o, 5));
    }
    forget(o);
    o->counter = name;
    o->in_blocks = blocks;
    s->has_body = true;
    s->body = body_of(o);
    o->in_blocks = false;
    o->counter = outer;
    forget(o);
    return s;
}

/* Two pointers that go on by a line with each turn, over elements of two types perhaps. */
static struct statement *carried_loop(struct overlap *o)
{
    struct arena *arena = arena_of(o);
    int n = o->line.dims[0], count = 1 + below(o, 2);
    const char *names[2], *counter = arena_format(arena, "i%d", o->g->names++);
    struct parameter *p[2] = {some_array(o, true), some_array(o, false)};
    struct statement *first = NULL, **link = &first;
    for (int i = 0; i < 2; i++) {
        names[i] = arena_format(arena, "p%d", o->g->names++);
        *link = statement_new(o, arena_format(arena, "auto %s = @ + %s%d;", names[i],
                                              begin(o, p[i]), LOW + below(o, 12)));
        (*link)->parameter = p[i];
        link = &(*link)->next;
    }
    struct statement *loop = statement_new(
        o, arena_format(arena, "for (int %s = 0; %s < $0; %s++)", counter, counter, counter));
    loop->children[loop->count++] = scalar_parameter(o, 1 + below(o, 3));
    loop->has_body = true;
    *link = loop;
    link = &loop->body;
    for (int i = 0; i < count; i++) {
        const char *to = chance(o, 70) ? arena_format(arena, "arange(0, %d)", n)
                                       : arena_format(arena, "(%d - arange(0, %d))", n - 1, n);
        const char *from = arena_format(arena, "arange(0, %d) + %d", n, below(o, 9) - 4);
        if (chance(o, 40))
            from = to;
        struct ir_type type = o->line;
        type.elem = p[0]->elem;
        struct statement *s =
            statement_new(o, arena_format(arena, "store(%s + %s, cast(%s, load(%s + %s)) %s $0);",
                                          names[0], to, c_name(p[0]->elem), names[chance(o, 75)],
                                          from, p[0]->elem == IR_BOOL ? "^" : "+"));
        s->children[s->count++] =
            chance(o, 60) ? constant_expr(arena, &o->g->random, type) : value(o, type, 1);
        *link = s;
        link = &s->next;
    }
    for (int i = 0; i < 2; i++) {
        *link = statement_new(o, arena_format(arena, "%s += %d;", names[i], n));
        link = &(*link)->next;
    }
    return first;
}

static struct statement *statement(struct overlap *o)
{
    int choice = below(o, 100);
    if (choice < 25)
        return declaration(o);
    if (choice < 60)
        return store(o);
    if (choice < 75)
        return chance(o, 30) && !o->in_blocks ? partners(o) : exchange(o);
    if (choice < 78)
        return atomic(o);
    if (o->depth > 1 || o->in_blocks)
        return store(o);
    if (choice < 84)
        return branch(o);
    return choice < 90 ? carried_loop(o) : loop(o);
}

static struct statement *statements(struct overlap *o, int count)
{
    struct statement *first = NULL, **link = &first;
    for (int i = 0; i < count; i++) {
        *link = statement(o);
        while (*link)
            link = &(*link)->next;
    }
    return first;
}

struct statement *generate_overlap(struct generator *g)
{
    static const int32_t lines[] = {1, 4, 7, 8, 16, 16, 17, 31, 32, 32, 33, 64, 64, 100, 128};
    static const int32_t rows[] = {1, 2, 4, 5, 8}, columns[] = {1, 3, 4, 8, 16, 17, 32};
    struct overlap o = {.g = g};
    int64_t *grid = g->kernel->grid;
    grid[0] = chance(&o, 60) ? 1 : 1 + below(&o, 3);
    grid[1] = grid[2] = 1;
    o.line = shape_of(1, lines[below(&o, 15)], 0, IR_I32);
    if (chance(&o, 40)) {
        int32_t height = rows[below(&o, 5)];
        o.tile = shape_of(2, height, columns[below(&o, 7)], IR_I32);
    }
    add_arrays(&o);
    return statements(&o, 2 + below(&o, 6));
}
