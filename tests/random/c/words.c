/*
 * The language's own words in programs: what C has them mean stands in include/tilec/kernel.h.
 *
 * What runs over a tile's elements is a loop in C, which computes its operand anew for each of
 * them: so that operand is made of arange, of what is uniform and of inputs, but not of tiles that
 * variables hold (p->over). Sums are of integers, whose order does not matter.
 */
#include "program.h"

#include <string.h>

/* ---- bits ------------------------------------------------------------------------------------ */

/* The value without a NaN, whose bits are not defined. */
static struct expr *number_of(struct program *p, struct expr *e)
{
    enum ir_elem elem = (enum ir_elem)e->type.elem;
    if (!program_is_float(elem))
        return e;
    return program_around(p, elem,
                          arena_format(program_arena(p), "number_%s_%llu($0)", c_name(elem),
                                       (unsigned long long)p->g.kernel->seed),
                          e);
}

/* The same bits as another type. */
struct expr *program_bits(struct program *p, unsigned want, int fuel)
{
    static const uint8_t elems[] = {IR_I8,  IR_U8,  IR_I16, IR_U16, IR_F16, IR_BF16,
                                    IR_I32, IR_U32, IR_F32, IR_I64, IR_U64, IR_F64};
    enum { COUNT = sizeof elems };
    enum ir_elem to = (enum ir_elem)elems[below(p, COUNT)], from;
    if ((to == IR_BF16 && !p->g.kernel->bfloat) || !program_fits(shape_of(0, 0, 0, to), want))
        return NULL;
    do
        from = (enum ir_elem)elems[below(p, COUNT)];
    while (bits_of(from) != bits_of(to) || (from == IR_BF16 && !p->g.kernel->bfloat));
    struct expr *e = program_converted(p, from, want & WANT_UNIFORM, fuel, true);
    return program_around(
        p, to, arena_format(program_arena(p), "bitcast(%s, $0)", program_spelling(p, to)),
        number_of(p, e));
}

/* ---- elements -------------------------------------------------------------------------------- */

enum taken {
    TAKES_NUMBER,
    TAKES_SIGNED, /* or floating */
    TAKES_INTEGER,
    TAKES_FLOAT,
    TAKES_WIDE, /* float and double */
    TAKES_BITS, /* floating, and no NaN */
};

enum given { GIVES_USUAL, GIVES_PROMOTED, GIVES_SAME, GIVES_TRUTH };

static const struct word {
    const char *pattern;
    enum taken takes;
    bool mixes; /* its two operands may have two types */
    enum given gives;
} words[] = {
    {"maximum($0, $1)", TAKES_NUMBER, true, GIVES_USUAL},
    {"minimum($0, $1)", TAKES_NUMBER, true, GIVES_USUAL},
    {"maximum($0, $1)", TAKES_NUMBER, false, GIVES_SAME},
    {"minimum($0, $1)", TAKES_NUMBER, false, GIVES_SAME},
    {"clamp($0, $1, $2)", TAKES_NUMBER, false, GIVES_SAME},
    {"abs($0)", TAKES_SIGNED, false, GIVES_PROMOTED},
    {"cdiv($0, ($1 & 7) + 1)", TAKES_INTEGER, true, GIVES_USUAL},
    {"popcount($0)", TAKES_INTEGER, false, GIVES_SAME},
    {"clz($0)", TAKES_INTEGER, false, GIVES_SAME},
    {"ctz($0)", TAKES_INTEGER, false, GIVES_SAME},
    {"mulhi($0, $1)", TAKES_INTEGER, true, GIVES_USUAL},
    {"mulhi($0, $1)", TAKES_INTEGER, false, GIVES_SAME},
    {"sqrt($0)", TAKES_FLOAT, false, GIVES_SAME},
    {"floor($0)", TAKES_FLOAT, false, GIVES_SAME},
    {"ceil($0)", TAKES_FLOAT, false, GIVES_SAME},
    {"round($0)", TAKES_FLOAT, false, GIVES_SAME},
    {"rint($0)", TAKES_FLOAT, false, GIVES_SAME},
    {"trunc($0)", TAKES_FLOAT, false, GIVES_SAME},
    {"fmod($0, $1)", TAKES_FLOAT, false, GIVES_SAME},
    {"fmod($0, $1)", TAKES_FLOAT, true, GIVES_USUAL},
    {"remainder($0, $1)", TAKES_FLOAT, false, GIVES_SAME},
    {"remainder($0, $1)", TAKES_FLOAT, true, GIVES_USUAL},
    {"fdim($0, $1)", TAKES_FLOAT, false, GIVES_SAME},
    {"copysign($0, $1)", TAKES_BITS, true, GIVES_USUAL},
    {"nextafter($0, $1)", TAKES_WIDE, false, GIVES_SAME},
    {"ldexp($0, where($1 > 1, 24, where($1 < -1, -133, 1)))", TAKES_FLOAT, false, GIVES_SAME},
    {"logb($0)", TAKES_FLOAT, false, GIVES_SAME},
    {"isfinite($0)", TAKES_FLOAT, false, GIVES_TRUTH},
    {"fma($0, $1, $2)", TAKES_WIDE, false, GIVES_SAME},
    {"isnan($0)", TAKES_FLOAT, false, GIVES_TRUTH},
    {"isinf($0)", TAKES_FLOAT, false, GIVES_TRUTH},
    {"signbit($0)", TAKES_BITS, false, GIVES_TRUTH},
};

static enum ir_elem taken_elem(struct program *p, enum taken takes)
{
    static const uint8_t floats[] = {IR_F32, IR_F64, IR_F16, IR_BF16};
    enum ir_elem elem;
    bool fits;
    do {
        bool is_float = takes == TAKES_FLOAT || takes == TAKES_WIDE || takes == TAKES_BITS;
        elem = is_float ? (enum ir_elem)floats[below(p, p->g.kernel->bfloat ? 4 : 3)]
                        : program_elem(p);
        fits = elem != IR_BOOL && !(takes == TAKES_WIDE && bits_of(elem) < 32) &&
               !(takes == TAKES_SIGNED && kind_of(elem) == IR_KIND_UNSIGNED) &&
               !(takes == TAKES_INTEGER && program_is_float(elem));
    } while (!fits);
    return elem;
}

struct expr *program_word(struct program *p, unsigned want, int fuel)
{
    const struct word *word = &words[below(p, sizeof words / sizeof *words)];
    enum ir_elem elem = taken_elem(p, word->takes), result = elem;
    struct expr *e = program_leaf(p, elem, word->pattern);
    for (int i = 0; i < 3 && strchr(word->pattern, '0' + i) && strstr(word->pattern, "$"); i++) {
        char place[] = {'$', (char)('0' + i), '\0'};
        if (!strstr(word->pattern, place))
            break;
        enum ir_elem other = word->mixes ? taken_elem(p, word->takes) : elem;
        struct expr *child = program_converted(p, other, want & WANT_UNIFORM, fuel / 2, true);
        program_add_child(e, word->takes == TAKES_BITS ? number_of(p, child) : child);
    }
    if (word->gives == GIVES_USUAL) {
        enum ir_elem a = (enum ir_elem)e->children[0]->type.elem,
                     b = (enum ir_elem)e->children[1]->type.elem;
        if (!program_meets(a, b))
            return NULL;
        result = program_usual(a, b);
    }
    if (word->gives == GIVES_PROMOTED)
        result = program_usual(elem, elem);
    e->type.elem = (uint8_t)(word->gives == GIVES_TRUTH ? IR_BOOL : result);
    return e;
}

/* ---- over the elements of a tile ------------------------------------------------------------- */

enum over_result { OVER_SUM, OVER_SAME, OVER_TRUTH, OVER_POSITION };

static const struct over {
    const char *pattern; /* %d: elements */
    bool for_float, is_tile;
    enum over_result result;
} overs[] = {
    {"sum(broadcast_to($0, %d))", false, false, OVER_SUM},
    {"sum(broadcast_to($0, %d), axis(0))", false, false, OVER_SUM},
    {"prod(broadcast_to($0, %d))", false, false, OVER_SUM},
    {"max(broadcast_to($0, %d))", true, false, OVER_SAME},
    {"min(broadcast_to($0, %d))", true, false, OVER_SAME},
    {"any(broadcast_to($0, %d))", true, false, OVER_TRUTH},
    {"all(broadcast_to($0, %d))", true, false, OVER_TRUTH},
    {"(int)argmax(broadcast_to($0, %d))", true, false, OVER_POSITION},
    {"(int)argmin(broadcast_to($0, %d))", true, false, OVER_POSITION},
    {"reduce(first_%s_#, broadcast_to($0, %d))", false, false, OVER_SAME},
    {"scan(first_%s_#, broadcast_to($0, %d))", false, true, OVER_SAME},
    {"reduce(mixed_%s_#, broadcast_to($0, %d))", false, false, OVER_SAME},
    {"cumsum(broadcast_to($0, %d))", false, true, OVER_SUM},
    {"cumsum(broadcast_to($0, %d), exclusive)", false, true, OVER_SUM},
    {"cumprod(broadcast_to($0, %d))", false, true, OVER_SUM},
    {"cummax(broadcast_to($0, %d))", true, true, OVER_SAME},
    {"cummin(broadcast_to($0, %d))", true, true, OVER_SAME},
    {"gather(broadcast_to($0, %d), broadcast_to((int)($1 & 127) %% %d, %d))", true, true,
     OVER_SAME},
};

/* "%d" is the number of elements, "%s" the element, "#" the seed. */
static const char *over_pattern(struct program *p, const char *pattern, enum ir_elem elem)
{
    struct text text;
    text_init(&text, program_arena(p));
    for (const char *c = pattern; *c; c++) {
        if (*c == '#')
            text_format(&text, "%llu", (unsigned long long)p->g.kernel->seed);
        else if (*c != '%')
            text_char(&text, *c);
        else if (*++c == 'd')
            text_format(&text, "%d", p->tile);
        else
            text_string(&text, *c == 's' ? c_name(elem) : "%");
    }
    return text.items;
}

struct expr *program_over(struct program *p, unsigned want, int fuel)
{
    const struct over *over = &overs[below(p, sizeof overs / sizeof *overs)];
    if (p->tile == 1 || p->over > 1 ||
        (over->is_tile && (p->self || p->over || (want & WANT_UNIFORM))))
        return NULL;
    enum ir_elem elem;
    bool named = strchr(over->pattern, '#') != NULL;
    do
        elem = program_elem(p);
    while ((program_is_float(elem) && !over->for_float) || (named && bits_of(elem) < 32) ||
           (elem == IR_BOOL && over->result == OVER_SAME));
    int rows = p->rows; /* along one axis again */
    p->rows = 0;
    p->over++;
    struct expr *operand = program_converted(p, elem, 0, fuel / 2 < 3 ? fuel / 2 : 3, true);
    p->over--;
    p->rows = rows;
    struct expr *e = program_leaf(p, elem, over_pattern(p, over->pattern, elem));
    program_add_child(e, operand);
    if (strstr(over->pattern, "$1"))
        program_add_child(e, program_value(p, WANT_INTEGER, 2));
    e->type = shape_of(over->is_tile, p->tile, 0,
                       over->result == OVER_SUM        ? program_usual(elem, elem)
                       : over->result == OVER_TRUTH    ? IR_BOOL
                       : over->result == OVER_POSITION ? IR_I32
                                                       : elem);
    return e;
}
