/*
 * Nodes of expressions: the elements and shapes that they may have, patterns with casts, and
 * constants.
 */
#include "expression.h"

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

struct ir_type shape_of(int rank, int32_t d0, int32_t d1, enum ir_elem elem)
{
    struct ir_type type = {.elem = (uint8_t)elem, .rank = (uint8_t)rank};
    type.dims[0] = rank > 0 ? d0 : 0;
    type.dims[1] = rank > 1 ? d1 : 0;
    return type;
}

const char *sizes_text(struct arena *arena, struct ir_type type)
{
    struct text text;
    text_init(&text, arena);
    for (int i = 0; i < type.rank; i++)
        text_format(&text, ", %d", (int)type.dims[i]);
    return text.items;
}

enum ir_elem random_elem(struct generator *g)
{
    static const uint8_t common[] = {IR_F32, IR_I32, IR_F32, IR_I64, IR_F16, IR_BF16};
    int choice = random_below(&g->random, 6 + IR_ELEM_COUNT);
    enum ir_elem elem = choice < 6 ? (enum ir_elem)common[choice] : (enum ir_elem)(choice - 6);
    return elem == IR_F64 && g->kernel->metal ? IR_F32 : elem;
}

enum ir_elem random_elem_of_kind(struct generator *g, bool floats)
{
    for (;;) {
        enum ir_elem elem = random_elem(g);
        if (floats ? is_float(elem) : is_integer(elem))
            return elem;
    }
}

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

struct expr *node(struct generator *g, struct ir_type type, const char *pattern)
{
    enum ir_elem elem = (enum ir_elem)type.elem;
    bool promoted = !is_float(elem) && bits_of(elem) < 32;
    if (promoted && elem != IR_BOOL)
        pattern = arena_format(arena_of(g), "cast(%s, %s)", c_name(elem), pattern);
    return expr_new(arena_of(g), type, pattern);
}

struct expr *unary(struct generator *g, struct ir_type type, const char *pattern,
                   struct ir_type operand, bool exact)
{
    struct expr *e = node(g, type, pattern);
    expr_add(e, generate_expr(g, operand, exact));
    return e;
}

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
