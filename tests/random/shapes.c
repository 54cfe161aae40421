/*
 * Expressions that put elements elsewhere: reshaped, turned, broadcast, joined and split; gathered;
 * and looked up in tables.
 */
#include "expression.h"

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

struct expr *shape_expr(struct generator *g, struct ir_type type, bool exact)
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

struct expr *gather_expr(struct generator *g, struct ir_type type, bool exact)
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

/* The index along an axis of a tile of one or two, and what keeps it in the axis: ^ distance. */
static const char *exchanged_index(struct generator *g, struct ir_type type, int axis)
{
    int32_t length = type.dims[axis], block = length & -length; /* a power of two */
    int distance = block > 1 ? 1 + random_below(&g->random, block - 1) : 0;
    if (type.rank == 1)
        return arena_format(arena_of(g), "arange(0, %d) ^ %d", (int)length, distance);
    return arena_format(arena_of(g), "broadcast_to(expand_dims(arange(0, %d), %d), %d, %d) ^ %d",
                        (int)length, 1 - axis, (int)type.dims[0], (int)type.dims[1], distance);
}

/* Elements of a tile in another order along an axis: turned round, exchanged, sorted, and the places of
 * what is sorted. */
struct expr *order_expr(struct generator *g, struct ir_type type, bool exact)
{
    enum { MOST_SORTED = 32, MOST_ELEMENTS = 1024 };
    enum ir_elem elem = (enum ir_elem)type.elem;
    if (type.rank == 0)
        return NULL;
    struct arena *arena = arena_of(g);
    int axis = random_below(&g->random, type.rank), kind = random_below(&g->random, 4);
    const char *reverse = random_chance(&g->random, 30) ? ", reverse" : "";
    bool sorts = type.dims[axis] <= MOST_SORTED && count_of(type) <= MOST_ELEMENTS;
    if (kind == 0 && sorts && elem != IR_BOOL)
        return unary(g, type, arena_format(arena, "sort($0, axis(%d)%s)", axis, reverse), type,
                     true);
    if (kind == 1 && sorts && (elem == IR_I32 || elem == IR_I64)) {
        enum ir_elem from = random_elem_of_kind(g, random_chance(&g->random, 60));
        const char *form = arena_format(arena, "cast(%s, argsort($0, axis(%d)%s))", c_name(elem),
                                        axis, reverse);
        return unary(g, type, form, with_elem(type, from), true);
    }
    if (kind == 2 || type.rank > 2)
        return unary(g, type, arena_format(arena, "flip($0, axis(%d))", axis), type, exact);
    const char *index = exchanged_index(g, type, axis);
    return unary(g, type, arena_format(arena, "gather($0, %s, axis(%d))", index, axis), type,
                 exact);
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
struct expr *lookup_expr(struct generator *g, struct ir_type type)
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
