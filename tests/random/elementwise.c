/*
 * Expressions of which each element depends on the same elements of the operands: arithmetic,
 * functions, comparisons, choices and casts.
 */
#include "expression.h"

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

struct expr *elementwise(struct generator *g, struct ir_type type, enum ir_elem operand,
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

struct expr *select_expr(struct generator *g, struct ir_type type, bool exact)
{
    struct expr *e =
        node(g, type, type.elem == IR_BOOL ? "cast(bool, where($0, $1, $2))" : "where($0, $1, $2)");
    expr_add(e, generate_expr(g, smaller_shape(g, with_elem(type, IR_BOOL)), true));
    expr_add(e, generate_expr(g, type, exact));
    expr_add(e, generate_expr(g, smaller_shape(g, type), exact));
    return e;
}

struct expr *cast_expr(struct generator *g, struct ir_type type, bool exact)
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
struct expr *bitcast_expr(struct generator *g, struct ir_type type)
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

struct expr *float_function(struct generator *g, struct ir_type type, bool exact)
{
    static const char *const rounded[] = {"sqrt($0)", "floor($0)", "ceil($0)", "round($0)",
                                          "rint($0)", "trunc($0)", "logb($0)"};
    enum { ROUNDED = sizeof rounded / sizeof *rounded };
    static const char *const approximate[] = {
        "exp($0)",   "exp2($0)", "log($0)",   "log2($0)",    "sin($0)",       "cos($0)",
        "tanh($0)",  "erf($0)",  "rsqrt($0)", "sigmoid($0)", "exp(-abs($0))", "expm1($0)",
        "log1p($0)", "sinh($0)", "cosh($0)",  "exp10($0)",   "log10($0)",     "tan($0)",
        "asin($0)",  "acos($0)", "atan($0)",  "cbrt($0)",    "asinh($0)",     "acosh($0)",
        "atanh($0)", "erfc($0)", "sinpi($0)", "cospi($0)"};
    static const char *const pairs[] = {"pow(abs($0), $1)", "atan2($0, $1)", "hypot($0, $1)"};
    enum { APPROXIMATE = sizeof approximate / sizeof *approximate };
    if (exact || random_chance(&g->random, 40))
        return elementwise(g, type, (enum ir_elem)type.elem,
                           rounded[random_below(&g->random, ROUNDED)], 1, exact);
    bool pair = random_chance(&g->random, 8);
    struct expr *e = elementwise(g, type, (enum ir_elem)type.elem,
                                 pair ? pairs[random_below(&g->random, 3)]
                                      : approximate[random_below(&g->random, APPROXIMATE)],
                                 pair ? 2 : 1, exact);
    e->approximate = true;
    return e;
}

/* By powers of two that any integer type may hold. */
static struct expr *scaled(struct generator *g, struct ir_type type, bool exact)
{
    struct ir_type power = with_elem(type, random_elem_of_kind(g, false));
    struct expr *e = node(g, type, "ldexp($0, $1)");
    expr_add(e, generate_expr(g, type, exact));
    expr_add(e, generate_expr(g, smaller_shape(g, power), true));
    return e;
}

/* A NaN has any sign. */
#define COPYSIGN "copysign($0, fmax($1, -1000))"

static struct expr *float_arithmetic(struct generator *g, struct ir_type type, bool exact)
{
    static const char *const binary[] = {
        "($0 + $1)",      "($0 - $1)",      "($0 * $1)",         "($0 / $1)",
        "($0 + $1 * $2)", "($0 * $1 - $2)", "maximum($0, $1)",   "minimum($0, $1)",
        "fmax($0, $1)",   "fmin($0, $1)",   "($0 * 0.5)",        "(1.0 - $0)",
        "(-($0))",        "abs($0)",        "fmod($0, $1)",      "remainder($0, $1)",
        "fdim($0, $1)",   COPYSIGN,         "nextafter($0, $1)", "fma($0, $1, $2)"};
    static const int counts[] = {2, 2, 2, 2, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3};
    enum { COUNT = sizeof counts / sizeof *counts, FMA = COUNT - 1 };
    if (random_chance(&g->random, 4))
        return scaled(g, type, exact);
    int choice = random_below(&g->random, COUNT);
    if (choice == FMA && type.elem != IR_F32 && type.elem != IR_F64)
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
    static const char *const tests[] = {"isnan($0)", "isinf($0)", "($0 != $0)", "isfinite($0)",
                                        "(signbit($0) && $0 == $0)"};
    enum { TESTS = sizeof tests / sizeof *tests };
    switch (random_below(&g->random, 6)) {
    case 0:
        return conjunction(g, type, "($0 && $1)");
    case 1:
        return conjunction(g, type, "($0 || $1)");
    case 2:
        return elementwise(g, type, IR_BOOL, "(!($0))", 1, true);
    case 3: {
        const char *test = tests[random_below(&g->random, TESTS)];
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

struct expr *arithmetic_expr(struct generator *g, struct ir_type type, bool exact)
{
    enum ir_elem elem = (enum ir_elem)type.elem;
    if (elem == IR_BOOL)
        return logic(g, type);
    return is_float(elem) ? float_arithmetic(g, type, exact) : integer_arithmetic(g, type);
}
