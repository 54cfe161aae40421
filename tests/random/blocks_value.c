/*
 * Kernels of blocks, the values: tiles that have the wanted axes, computed from loads, variables
 * and places by arithmetic, and by what leads from some axes to others (reductions, broadcasts,
 * scans, gathers, products).
 */
#include "blocks.h"

static struct expr *view_load(struct blocks *b, enum ir_elem elem)
{
    struct array *a = &b->arrays[below(b, b->array_count)];
    struct ir_type type = shape(b, all_axes(b), elem);
    const char *name = chance(b, 70) ? "tile_load(" : "tile_load_or(3, ";
    const char *text = arena_format(arena_of(b), "%s%s%s)", name, blocks_view_text(b, a),
                                    sizes_text(arena_of(b), type));
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
    expr_add(e, blocks_address(b, a, axes, false));
    if (masked)
        expr_add(e, blocks_mask(b, axes, 2));
    if (other)
        expr_add(e, blocks_value(b, some_axes(b, axes), a->parameter->elem, 0));
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
                                 blocks_place_text(b, k, axes >> k & 1)));
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
        expr_add(e, blocks_value(b, axes, elem, fuel - 1));
        expr_add(e, blocks_value(b, other, elem, fuel - 1));
        expr_add(e, blocks_mask(b, axes, 1));
        return e;
    }
    form = kept(b, elem, form);
    e = expr_new(arena_of(b), shape(b, axes, elem), strchr(form, '*') ? tame(b, elem, form) : form);
    expr_add(e, blocks_value(b, axes, elem, fuel - 1));
    if (strstr(form, "$1"))
        expr_add(e,
                 chance(b, 15) ? of_place(b, other, elem) : blocks_value(b, other, elem, fuel - 1));
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
        expr_add(e, blocks_mask(b, from, 1));
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
    expr_add(e, blocks_value(b, from, of, fuel - 1));
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
    expr_add(e, blocks_value(b, axes, elem, fuel - 1));
    return e;
}

/* Elements of a tile at other places of it. */
static struct expr *gathered(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    int k = some_axis(b, axes);
    struct expr *e = expr_new(arena_of(b), shape(b, axes, elem),
                              arena_format(arena_of(b), "gather($0, minimum(maximum($1, 0), %d)%s)",
                                           (int)b->dims[k] - 1, axis_text(b, k)));
    expr_add(e, blocks_value(b, axes, elem, fuel - 1));
    expr_add(e, blocks_value(b, axes, chance(b, 50) ? IR_I32 : IR_I64, fuel - 1));
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
    expr_add(e, blocks_value(b, axes, elem, fuel - 1));
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
    expr_add(e, blocks_value(b, axes, elem, fuel - 1));
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
    expr_add(e, blocks_value(b, axes, elem, fuel - 1));
    expr_add(e, blocks_value(b, axes, elem, fuel - 1));
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
    expr_add(e, blocks_value(b, axes, chance(b, 50) ? IR_I32 : IR_U8, fuel - 1));
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
        expr_add(e, blocks_value(b, axes, elem, fuel - 1));
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
    expr_add(e, blocks_value(b, from, elem, fuel - 1));
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
        expr_add(e, blocks_value(b, axes, of, fuel - 1));
        expr_add(e, blocks_value(b, axes, elem, fuel - 1));
        return e;
    }
    expr_add(e, blocks_value(b, axes, of, fuel - 1));
    expr_add(e, blocks_value(b, axes, of, fuel - 1));
    expr_add(e, blocks_value(b, axes, elem, fuel - 1));
    return e;
}

static struct expr *spread(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
{
    unsigned some = axes & (unsigned)below(b, 1 << b->rank);
    struct ir_type type = shape(b, axes, elem);
    struct expr *e =
        expr_new(arena_of(b), type,
                 arena_format(arena_of(b), "broadcast_to($0%s)", sizes_text(arena_of(b), type)));
    expr_add(e, blocks_value(b, some, elem, fuel - 1));
    return e;
}

struct expr *blocks_value(struct blocks *b, unsigned axes, enum ir_elem elem, int fuel)
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
