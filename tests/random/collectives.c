/*
 * Reductions, scans and products of matrices: of floats exact only where the numbers are small.
 */
#include "expression.h"

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

struct expr *reduce_expr(struct generator *g, struct ir_type type, bool exact)
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

struct expr *scan_expr(struct generator *g, struct ir_type type, bool exact)
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

struct expr *dot_expr(struct generator *g, struct ir_type type, bool exact)
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
