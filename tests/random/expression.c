/*
 * Expressions of a wanted type.
 *
 * generate_expr draws forms from tables until one fits the type; each form asks for operands of
 * types of its own. Where the language would promote or widen a result (8- and 16-bit integers,
 * index arithmetic), the form casts it back, so that the type of a node is always known.
 */
#include "expression.h"

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

struct expr *scalar_leaf(struct generator *g, struct ir_type type)
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
        e = load_expr(g, type);
    }
    return e ? e : constant_expr(arena_of(g), &g->random, type);
}

static struct expr *helper_expr(struct generator *g, struct ir_type type, bool exact)
{
    enum ir_elem elem = (enum ir_elem)type.elem;
    if (elem != IR_F32 && elem != IR_I32)
        return NULL;
    return elementwise(g, type, elem, elem == IR_F32 ? "mix($0, $1)" : "twist($0, $1)", 2, exact);
}

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
        return random_chance(&g->random, 50)   ? lookup_expr(g, type)
               : random_chance(&g->random, 50) ? order_expr(g, type, exact)
                                               : gather_expr(g, type, exact);
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
        return load_expr(g, type);
    case 13:
    case 14:
        return is_float(elem) ? float_function(g, type, exact) : NULL;
    default:
        return arithmetic_expr(g, type, exact);
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
