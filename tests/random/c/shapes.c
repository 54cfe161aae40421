/*
 * Tiles of two axes in programs; see program.h. An operand of [R, C] is made as those of words.c
 * are, out of arange along one axis or the other, and comes back as a scalar or along the program's
 * own axis. What stands in the texts as X_along is the language's X, and in C a loop that is told
 * the sizes.
 */
#include "program.h"

#include <string.h>

const char program_alongs[] =
    "#ifdef __TILEC__\n"
    "#define sum_along(x, k, n) sum(x, axis(k))\n"
    "#define prod_along(x, k, n) prod(x, axis(k))\n"
    "#define max_along(x, k, n) max(x, axis(k))\n"
    "#define min_along(x, k, n) min(x, axis(k))\n"
    "#define any_along(x, k, n) any(x, axis(k))\n"
    "#define all_along(x, k, n) all(x, axis(k))\n"
    "#define argmax_along(x, k, n) argmax(x, axis(k))\n"
    "#define argmin_along(x, k, n) argmin(x, axis(k))\n"
    "#define reduce_along(f, x, k, n) reduce(f, x, axis(k))\n"
    "#define scan_along(f, x, k) scan(f, x, axis(k))\n"
    "#define cumsum_along(x, k) cumsum(x, axis(k))\n"
    "#define exclusive_along(x, k) cumsum(x, exclusive, axis(k))\n"
    "#define cummax_along(x, k) cummax(x, axis(k))\n"
    "#define sum_kept_along(x, k, n) sum(x, axis(k), keep)\n"
    "#define max_kept_along(x, k, n) max(x, keep, axis(k))\n"
    "#define sum_all_along(x, r, c) sum(x)\n"
    "#define max_all_along(x, r, c) max(x)\n"
    "#define argmin_all_along(x, r, c) argmin(x)\n"
    "#define any_all_along(x, r, c) any(x)\n"
    "#define reduce_all_along(f, x, r, c) reduce(f, x)\n"
    "#define flat_along(x, r, c) reshape(x, (r) * (c))\n"
    "#define fold_along(x, r, c) reshape(x, r, c)\n"
    "#define gather_along(x, index, k) gather(x, index, axis(k))\n"
    "#define split_along(a, b, k) split(join(a, b), k)\n"
    "#define joined_along(a, b) join(a, b)\n"
    "#define dot_along(a, b, n) dot(a, b)\n"
    "#define view_along(p, m, n, i, j, r, c) tile_load(view(p, m, n), i, j, r, c)\n"
    "#define or_along(f, p, m, n, i, j, r, c) tile_load_or(f, view(p, m, n), i, j, r, c)\n"
    "#define strided_along(p, m, n, s, t, i, j, r, c) \\\n"
    "    tile_load(view_strided(p, m, n, s, t), i, j, r, c)\n"
    "#endif";

struct grid {
    int rows, columns;
};

static const char *text_of(struct program *p, const char *pattern, struct grid grid,
                           enum ir_elem elem)
{
    /* R and C: the sizes; S: the seed; T: the element */
    struct text text;
    text_init(&text, program_arena(p));
    for (const char *c = pattern; *c; c++)
        if (*c == 'R')
            text_format(&text, "%d", grid.rows);
        else if (*c == 'C')
            text_format(&text, "%d", grid.columns);
        else if (*c == 'S')
            text_format(&text, "%llu", (unsigned long long)p->g.kernel->seed);
        else if (*c == 'T')
            text_string(&text, c_name(elem));
        else
            text_char(&text, *c);
    return text.items;
}

/* A value of [R, C] of that element, computed anew for each of its places. */
static struct expr *value_of(struct program *p, struct grid grid, enum ir_elem elem, int fuel)
{
    struct grid outer = {p->rows, p->columns};
    p->rows = grid.rows;
    p->columns = grid.columns;
    p->over++;
    struct expr *e = program_converted(p, elem, 0, fuel, true);
    p->over--;
    p->rows = outer.rows;
    p->columns = outer.columns;
    return e;
}

static struct expr *broadcast(struct program *p, struct grid grid, struct expr *operand)
{
    struct expr *e = program_leaf(p, (enum ir_elem)operand->type.elem,
                                  text_of(p, "broadcast_to($0, R, C)", grid, IR_I32));
    program_add_child(e, operand);
    e->type = shape_of(2, grid.rows, grid.columns, (enum ir_elem)e->type.elem);
    return e;
}

/* What an input holds, seen as [7, 9] or so; the place may be beyond its ends. */
static struct expr *view(struct program *p, struct grid grid, enum ir_elem elem)
{
    static const char *const patterns[] = {"view_along(@, 7, 9, $0, $1, R, C)",
                                           "or_along(3, @ + 5, 4, 6, $0, $1, R, C)",
                                           "strided_along(@ + 80, 6, 7, -3, 2, $0, $1, R, C)",
                                           "view_along(@ + 1, (long)($0 & 7), 9u, $1, 2, R, C)"};
    struct expr *e = program_leaf(p, elem, text_of(p, patterns[below(p, 4)], grid, elem));
    e->parameter = generate_parameter(&p->g, PARAMETER_INPUT, elem);
    for (int i = 0; i < 2; i++)
        program_add_child(e, program_small(p, WANT_UNIFORM));
    e->type = shape_of(2, grid.rows, grid.columns, elem);
    return e;
}

/* A tile of [R, C] of the element, which is no float if it is summed. */
static struct expr *tile(struct program *p, struct grid grid, enum ir_elem elem, int fuel)
{
    static const char *const same[] = {
        "trans($0)",
        "fold_along(flat_along($0, R, C), R, C)",
        "gather_along($0, broadcast_to((int)($1 & 31) % R, R, C), 0)",
        "gather_along($0, broadcast_to((int)($1 & 31) % C, R, C), 1)",
        "cummax_along($0, 0)",
        "cummax_along($0, 1)",
        "broadcast_to(max_kept_along($0, 1, C), R, C)",
        "broadcast_to(max_kept_along($0, 0, R), R, C)",
        "broadcast_to(expand_dims(max_along($0, 0, R), 0), R, C)",
        "broadcast_to(expand_dims(min_along($0, 1, C), 1), R, C)"};
    if (!p->self && chance(p, 20))
        return view(p, grid, elem);
    if (fuel <= 0 || chance(p, 40))
        return broadcast(p, grid, value_of(p, grid, elem, 2));
    struct grid turned = {grid.columns, grid.rows};
    int choice = below(p, 10);
    struct expr *e = program_leaf(p, elem, text_of(p, same[choice], grid, elem));
    program_add_child(e, tile(p, choice == 0 ? turned : grid, elem, fuel - 1));
    if (strstr(e->pattern, "$1"))
        program_add_child(e, value_of(p, grid, IR_I32, 1));
    e->type = shape_of(2, grid.rows, grid.columns, elem);
    return e;
}

enum given_result { IS_SAME, IS_SUM, IS_TRUTH, IS_POSITION };

struct way {
    const char *pattern;
    bool for_float;
    enum given_result result;
};

static const struct way to_scalar[] = {{"sum_all_along($0, R, C)", false, IS_SUM},
                                       {"max_all_along($0, R, C)", true, IS_SAME},
                                       {"(int)argmin_all_along($0, R, C)", true, IS_POSITION},
                                       {"any_all_along($0, R, C)", true, IS_TRUTH},
                                       {"reduce_all_along(first_T_S, $0, R, C)", false, IS_SAME}};

/* From [N, C] to [N]; with "0, R" in the place of "1, C" from [R, N]. */
static const struct way to_line[] = {
    {"sum_along($0, 1, C)", false, IS_SUM},
    {"prod_along($0, 1, C)", false, IS_SUM},
    {"max_along($0, 1, C)", true, IS_SAME},
    {"min_along($0, 1, C)", true, IS_SAME},
    {"any_along($0, 1, C)", true, IS_TRUTH},
    {"all_along($0, 1, C)", true, IS_TRUTH},
    {"(int)argmax_along($0, 1, C)", true, IS_POSITION},
    {"(int)argmin_along($0, 1, C)", true, IS_POSITION},
    {"reduce_along(first_T_S, $0, 1, C)", false, IS_SAME},
    {"reduce_along(mixed_T_S, $0, 1, C)", false, IS_SAME},
    {"max_along(scan_along(first_T_S, $0, 1), 1, C)", false, IS_SAME},
    {"sum_along(cumsum_along($0, 1), 1, C)", false, IS_SUM},
    {"min_along(exclusive_along($0, 1), 1, C)", false, IS_SUM}};

/* The same along axis 0. */
static const char *along_rows(struct program *p, const char *pattern)
{
    struct text text;
    text_init(&text, program_arena(p));
    for (; *pattern; pattern++)
        text_char(&text, *pattern == '1' ? '0' : *pattern == 'C' ? 'R' : *pattern);
    return text.items;
}

static enum ir_elem result_of(const struct way *way, enum ir_elem elem)
{
    return way->result == IS_SAME    ? elem
           : way->result == IS_SUM   ? program_usual(elem, elem)
           : way->result == IS_TRUTH ? IR_BOOL
                                     : IR_I32;
}

static enum ir_elem elem_for(struct program *p, const struct way *way)
{
    enum ir_elem elem;
    bool named = strstr(way->pattern, "_S") != NULL;
    do
        elem = program_elem(p);
    while ((program_is_float(elem) && !way->for_float) || (named && bits_of(elem) < 32) ||
           elem == IR_BOOL);
    return elem;
}

/* Products of int8_t in int. */
static struct expr *product(struct program *p, struct grid grid, int fuel)
{
    int depth = 1 + below(p, 5);
    struct expr *e =
        program_leaf(p, IR_I32,
                     arena_format(program_arena(p), "sum_all_along(dot_along($0, $1, %d), %d, %d)",
                                  depth, grid.rows, grid.columns));
    program_add_child(e, tile(p, (struct grid){grid.rows, depth}, IR_I8, fuel));
    program_add_child(e, tile(p, (struct grid){depth, grid.columns}, IR_I8, fuel));
    e->type = shape_of(0, 0, 0, IR_I32);
    return e;
}

struct expr *program_shape(struct program *p, unsigned want, int fuel)
{
    static const struct grid grids[] = {{2, 3}, {4, 4}, {1, 5}, {6, 1}, {3, 8}, {8, 2}, {5, 7}};
    struct grid grid = grids[below(p, 7)];
    if (p->tile == 1 || p->over > 0)
        return NULL;
    fuel = fuel < 2 ? fuel : 2;
    if (p->self || (want & WANT_UNIFORM) || chance(p, 40)) {
        if (chance(p, 15))
            return product(p, grid, fuel);
        const struct way *way = &to_scalar[below(p, sizeof to_scalar / sizeof *to_scalar)];
        enum ir_elem elem = elem_for(p, way);
        struct expr *e = program_leaf(p, elem, text_of(p, way->pattern, grid, elem));
        program_add_child(e, tile(p, grid, elem, fuel));
        e->type = shape_of(0, 0, 0, result_of(way, elem));
        return e;
    }
    if (chance(p, 15)) { /* two tiles of the program */
        enum ir_elem elem = program_elem(p);
        struct expr *e = program_leaf(
            p, elem, chance(p, 50) ? "split_along($0, $1, 0)" : "split_along($0, $1, 1)");
        for (int i = 0; i < 2; i++) {
            struct expr *side = program_leaf(
                p, elem, arena_format(program_arena(p), "broadcast_to($0, %d)", p->tile));
            program_add_child(side, program_converted(p, elem, 0, fuel, true));
            side->type = shape_of(1, p->tile, 0, elem);
            program_add_child(e, side);
        }
        return e;
    }
    const struct way *way = &to_line[below(p, sizeof to_line / sizeof *to_line)];
    enum ir_elem elem = elem_for(p, way);
    bool rows = chance(p, 50);
    const char *pattern = rows ? along_rows(p, way->pattern) : way->pattern;
    if (chance(p, 20) && p->tile % 2 == 0) { /* all of it, in a row */
        static const struct way flat = {"flat_along($0, R, C)", true, IS_SAME};
        way = &flat;
        pattern = flat.pattern;
        grid = (struct grid){2, p->tile / 2};
    } else if (rows) {
        grid.columns = p->tile;
    } else {
        grid.rows = p->tile;
    }
    struct expr *e = program_leaf(p, elem, text_of(p, pattern, grid, elem));
    program_add_child(e, tile(p, grid, elem, fuel));
    e->type = shape_of(1, p->tile, 0, result_of(way, elem));
    return e;
}
