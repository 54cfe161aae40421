/* Expressions of programs; see program.h. */
#include "program.h"

#include <string.h>

enum { MOST_DEPTH = 8 }; /* elements have indices, which are elements perhaps */

/* ---- types ----------------------------------------------------------------------------------- */

bool program_is_float(enum ir_elem elem)
{
    return kind_of(elem) == IR_KIND_FLOAT;
}

enum ir_elem program_elem(struct program *p)
{
    static const uint8_t elems[] = {IR_I32, IR_I32, IR_F32, IR_BOOL, IR_I8,  IR_I16, IR_I32,
                                    IR_I64, IR_U8,  IR_U16, IR_U32,  IR_U64, IR_F32, IR_F64,
                                    IR_F16, IR_I8,  IR_U8,  IR_I16,  IR_U16, IR_U32, IR_BF16};
    return (enum ir_elem)elems[below(p, (int)sizeof elems - !p->g.kernel->bfloat)];
}

const char *program_spelling(struct program *p, enum ir_elem elem)
{
    static const char *const spellings[IR_ELEM_COUNT][4] = {
        [IR_BOOL] = {"bool", "bool", "bool", "bool"},
        [IR_I8] = {"int8_t", "char", "signed char", "int8_t"},
        [IR_I16] = {"int16_t", "short", "short int", "int16_t"},
        [IR_I32] = {"int", "int32_t", "int", "signed"},
        [IR_I64] = {"long", "int64_t", "long long", "ptrdiff_t"},
        [IR_U8] = {"uint8_t", "unsigned char", "uint8_t", "unsigned char"},
        [IR_U16] = {"uint16_t", "unsigned short", "uint16_t", "unsigned short"},
        [IR_U32] = {"unsigned", "uint32_t", "unsigned int", "uint32_t"},
        [IR_U64] = {"unsigned long", "uint64_t", "size_t", "unsigned long long"},
        [IR_F16] = {"half", "half", "half", "half"},
        [IR_BF16] = {"bfloat", "bfloat", "bfloat", "bfloat"},
        [IR_F32] = {"float", "float", "float", "float"},
        [IR_F64] = {"double", "double", "double", "double"},
    };
    return spellings[elem][below(p, 4)];
}

static enum ir_elem promoted(enum ir_elem elem)
{
    return !program_is_float(elem) && bits_of(elem) < 32 ? IR_I32 : elem;
}

/* The usual arithmetic conversions. */
enum ir_elem program_usual(enum ir_elem a, enum ir_elem b)
{
    a = promoted(a);
    b = promoted(b);
    if (program_is_float(a) || program_is_float(b))
        return !program_is_float(b)       ? a
               : !program_is_float(a)     ? b
               : bits_of(a) >= bits_of(b) ? a
                                          : b;
    if (bits_of(a) != bits_of(b))
        return bits_of(a) > bits_of(b) ? a : b;
    return kind_of(a) == IR_KIND_UNSIGNED ? a : b;
}

bool program_fits(struct ir_type type, unsigned want)
{
    bool is_float = program_is_float((enum ir_elem)type.elem);
    return !(is_float && (want & WANT_INTEGER)) && !(!is_float && (want & WANT_FLOAT)) &&
           !(type.rank > 0 && (want & WANT_UNIFORM));
}

/* Neither do half and bfloat mix, nor do C's compilers round a large integer once to bfloat. */
bool program_meets(enum ir_elem a, enum ir_elem b)
{
    enum ir_elem other = a == IR_BF16 ? b : a;
    if (a != IR_BF16 && b != IR_BF16)
        return true;
    return program_is_float(other) ? other != IR_F16 : bits_of(other) < 32;
}

static struct ir_type typed(struct program *p, enum ir_elem elem, bool is_tile)
{
    return is_tile && p->rows ? shape_of(2, p->rows, p->columns, elem)
                              : shape_of(is_tile, p->tile, 0, elem);
}

struct expr *program_leaf(struct program *p, enum ir_elem elem, const char *pattern)
{
    return expr_new(program_arena(p), typed(p, elem, false), pattern);
}

/* A child makes its parent a tile. */
void program_add_child(struct expr *e, struct expr *child)
{
    expr_add(e, child);
    if (child->type.rank > e->type.rank) {
        uint8_t elem = e->type.elem;
        e->type = child->type;
        e->type.elem = elem;
    }
}

struct expr *program_around(struct program *p, enum ir_elem elem, const char *pattern,
                            struct expr *child)
{
    struct expr *e = program_leaf(p, elem, pattern);
    program_add_child(e, child);
    return e;
}

/* A number that C converts to the element as the language does; see program_meets. */
static struct expr *convertible(struct program *p, enum ir_elem elem, struct expr *e)
{
    enum ir_elem from = (enum ir_elem)e->type.elem;
    bool halves = (elem == IR_F16 && from == IR_BF16) || (elem == IR_BF16 && from == IR_F16);
    if (halves)
        return program_around(p, IR_F32, "(float)$0", e);
    if (elem == IR_BF16 && !program_meets(from, elem))
        return program_around(p, IR_F64, bits_of(from) == 32 ? "(double)$0" : "(double)(int)$0", e);
    return e;
}

static struct expr *cast_to(struct program *p, enum ir_elem elem, struct expr *e)
{
    e = convertible(p, elem, e);
    const char *pattern = chance(p, 80) ? "(%s)$0" : "cast(%s, $0)";
    return program_around(p, elem,
                          arena_format(program_arena(p), pattern, program_spelling(p, elem)), e);
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* A variable in sight; NULL: there is none. */
struct local *program_visible(struct program *p, enum role role, unsigned want)
{
    struct local *found[SCOPE];
    int count = 0;
    for (int i = p->scope_count - 1; i >= p->frame; i--) {
        struct local *v = p->scope[i];
        bool hidden = v->role != role || !program_fits(v->variable.type, want) ||
                      (p->over && v->variable.type.rank > 0);
        for (int k = i + 1; k < p->scope_count && !hidden; k++)
            hidden = strcmp(p->scope[k]->variable.name, v->variable.name) == 0;
        if (!hidden)
            found[count++] = v;
    }
    return count ? found[below(p, count)] : NULL;
}

static struct expr *name_of(struct program *p, struct local *v)
{
    const char *name = v->variable.name;
    struct expr *e = expr_new(program_arena(p), v->variable.type, "%");
    e->variable = &v->variable;
    if (chance(p, 3)) { /* a name made of two */
        e->pattern = arena_format(program_arena(p), "PASTE_%llu(%.1s, %s)",
                                  (unsigned long long)p->g.kernel->seed, name, name + 1);
        e->variable = NULL;
    }
    return e;
}

static struct expr *variable_leaf(struct program *p, unsigned want)
{
    struct local *v = program_visible(p, ROLE_ANY, want);
    return v ? name_of(p, v) : NULL;
}

static struct expr *small_leaf(struct program *p, unsigned want)
{
    struct local *v = program_visible(p, ROLE_SMALL, want);
    if (p->known)
        return program_leaf(p, IR_I32, arena_format(program_arena(p), "%d", below(p, SMALL)));
    if (p->over && !(want & WANT_UNIFORM) && chance(p, 70)) {
        bool along = chance(p, 50);
        const char *pattern = p->rows == 0 ? "arange(0, %d)"
                              : along      ? "expand_dims(arange(0, %d), 0)"
                                           : "expand_dims(arange(0, %d), 1)";
        int size = p->rows == 0 ? p->tile : along ? p->columns : p->rows;
        struct expr *lane = program_leaf(p, IR_I32, arena_format(program_arena(p), pattern, size));
        lane->type = typed(p, IR_I32, true);
        return lane;
    }
    if (v && chance(p, 75)) {
        bool is_signed = kind_of((enum ir_elem)v->variable.type.elem) == IR_KIND_SIGNED;
        return is_signed ? name_of(p, v) : program_around(p, IR_I32, "(int)$0", name_of(p, v));
    }
    if (p->self)
        return program_leaf(p, IR_I32, arena_format(program_arena(p), "%d", below(p, SMALL)));
    if (chance(p, 50))
        return program_leaf(p, IR_I32, "pid");
    static const uint8_t elems[] = {IR_I32, IR_I64, IR_I32, IR_I8, IR_I16};
    enum ir_elem elem = (enum ir_elem)elems[below(p, 5)];
    struct parameter *s = generate_parameter(&p->g, PARAMETER_SCALAR, elem);
    int64_t value = (int64_t)(s->bits % 21) - 4;
    s->bits =
        (uint64_t)value & (bits_of(elem) == 64 ? UINT64_MAX : (UINT64_C(1) << bits_of(elem)) - 1);
    struct expr *e = program_leaf(p, elem, "@");
    e->parameter = s;
    return e;
}

struct expr *program_small(struct program *p, unsigned want)
{
    static const char *const patterns[] = {
        "($0 + $1)",       "($0 - $1)", "($0 * 2)",     "(3 - $0)",
        "(-$0)",           "($0 + 7)",  "($0 % 5 + 2)", "($0 / 3)",
        "maximum($0, $1)", "abs($0)",   "cdiv($0, 3)",  "($1 > 3 ? $0 : 5)"}; /* on scalars */
    struct expr *first = small_leaf(p, want);
    if (chance(p, 60))
        return first;
    const char *pattern = patterns[below(p, p->tile > 1 ? 11 : 12)];
    struct expr *e =
        program_around(p, program_usual((enum ir_elem)first->type.elem, IR_I32), pattern, first);
    if (strstr(pattern, "$1")) {
        struct expr *second = small_leaf(p, want);
        e->type.elem =
            (uint8_t)program_usual((enum ir_elem)e->type.elem, (enum ir_elem)second->type.elem);
        program_add_child(e, second);
    }
    return e;
}

static struct expr *scalar_leaf(struct program *p, unsigned want)
{
    static const uint8_t elems[] = {IR_U32, IR_F32, IR_F64, IR_U8, IR_U64, IR_BOOL, IR_F16, IR_U16};
    enum ir_elem elem = (enum ir_elem)elems[below(p, 8)];
    if (p->self || !program_fits(typed(p, elem, false), want))
        return NULL;
    struct expr *e = program_leaf(p, elem, "@");
    e->parameter = generate_parameter(&p->g, PARAMETER_SCALAR, elem);
    return e;
}

/* Elements that an address begins with. */
static struct expr *pointed_leaf(struct program *p, struct local *v, unsigned want)
{
    const char *name = v->variable.name;
    enum ir_elem elem = (enum ir_elem)v->variable.type.elem;
    if (!program_fits(typed(p, elem, false), want))
        return NULL;
    switch (below(p, 7)) {
    case 6:
        return program_around(p, elem,
                              arena_format(program_arena(p), "*(%s + 15 - ($0 & 15))", name),
                              program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
    case 0:
        return program_leaf(p, elem, arena_format(program_arena(p), "*%s", name));
    case 2:
        return program_around(p, elem,
                              arena_format(program_arena(p), "(%s + 16)[-(int)($0 & 15)]", name),
                              program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
    case 3:
        return program_around(p, elem, arena_format(program_arena(p), "*(($0 & 7) + %s)", name),
                              program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
    case 1:
        return program_around(p, elem, arena_format(program_arena(p), "%s[$0 & 15]", name),
                              program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
    default:
        return program_around(p, elem, arena_format(program_arena(p), "*(%s + ($0 & 15))", name),
                              program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
    }
}

/* An element of an input, or of what the program itself writes. */
static struct expr *element_leaf(struct program *p, unsigned want)
{
    enum ir_elem elem = program_elem(p);
    struct local *v = program_visible(p, ROLE_POINTER, 0);
    if (v && (p->self || chance(p, 40)))
        return pointed_leaf(p, v, want);
    bool own = chance(p, 30) && !p->over;
    if (p->self || !program_fits(typed(p, elem, own && p->tile > 1), want))
        return NULL;
    struct expr *e = program_leaf(p, elem, "@[$0 & 31]");
    e->parameter = generate_parameter(&p->g, own ? PARAMETER_OWN : PARAMETER_INPUT, elem);
    unsigned uniform = want & WANT_UNIFORM;
    if (own && p->tile > 1) {
        e->type = typed(p, elem, true);
        e->pattern = "load(@ + pid * 256 + lane, $0, $1)";
        program_add_child(e, program_value(p, 0, 1));
        program_add_child(e, program_converted(p, elem, 0, 1, false));
        return e;
    }
    if (p->tile > 1 && !uniform) {
        e->pattern = "load(@ + ($0 & 63), $1, $2)";
        program_add_child(e, program_value(p, WANT_INTEGER, 1));
        program_add_child(e, program_value(p, 0, 1));
        program_add_child(e, program_converted(p, elem, 0, 1, false));
        return e;
    }
    if (own) {
        e->pattern = chance(p, 50) ? "@[pid * 256 + ($0 & 31)]" : "*(@ + pid * 256 + ($0 & 31))";
        program_add_child(e, program_value(p, WANT_INTEGER | uniform, 1));
    } else if (chance(p, 50)) {
        e->pattern = chance(p, 50) ? "@[$0 + 128]" : "*(@ + 128 + $0)";
        program_add_child(e, program_small(p, WANT_UNIFORM));
    } else {
        program_add_child(e, program_value(p, WANT_INTEGER | WANT_UNIFORM, 1));
    }
    return e;
}

static struct expr *named_leaf(struct program *p, unsigned want)
{
    if (p->named_count == 0)
        return NULL;
    const struct named *named = &p->named[below(p, p->named_count)];
    if (!program_fits(typed(p, named->elem, false), want))
        return NULL;
    if (!named->is_table)
        return program_leaf(p, named->elem, named->name);
    if (p->known)
        return program_leaf(p, named->elem,
                            arena_format(program_arena(p), "%s[%d]", named->name, below(p, 8)));
    const char *pattern = chance(p, 85) ? "%s[$0 & 7]" : "%s[!$0]";
    return program_around(p, named->elem, arena_format(program_arena(p), pattern, named->name),
                          program_value(p, WANT_INTEGER | (want & WANT_UNIFORM), 1));
}

static struct expr *leaf(struct program *p, unsigned want)
{
    for (int tries = 0; tries < 6; tries++) {
        struct expr *e = NULL;
        int choice = p->known ? 10 + below(p, 2) : p->depth > MOST_DEPTH ? 0 : below(p, 12);
        if (choice < 5)
            e = variable_leaf(p, want);
        else if (choice < 6 && !(want & WANT_FLOAT)) {
            e = program_small(p, want & WANT_UNIFORM);
            e = cast_to(p, chance(p, 70) ? IR_I32 : IR_I64, e);
        } else if (choice < 9)
            e = element_leaf(p, want);
        else if (choice < 10)
            e = scalar_leaf(p, want);
        else if (choice < 11)
            e = named_leaf(p, want);
        else
            e = program_literal(p, want);
        if (e)
            return e;
    }
    return program_literal(p, want);
}

/* ---- operators ------------------------------------------------------------------------------- */

enum rule {
    RULE_USUAL, /* of $0 and $1 */
    RULE_SIDES, /* of $1 and $2 */
    RULE_FIRST, /* of $0, promoted */
    RULE_TRUTH, /* bool, which C's int becomes wherever it is used */
    RULE_INT,
    RULE_BITS, /* usual, but two bools stay one */
    RULE_DOUBLE,
};

enum operand {
    OPERAND_NONE,
    OPERAND_ANY,
    OPERAND_INTEGER,
    OPERAND_FLOAT,
    OPERAND_DOUBLE,
    OPERAND_SMALL,
    OPERAND_UNIFORM,
    OPERAND_INT,     /* of type int */
    OPERAND_LEAF,    /* a uniform integer that is written several times */
    OPERAND_WIDE,    /* a leaf of unsigned int */
    OPERAND_LITERAL, /* an integer's */
};

/* What a form is for: all programs, those on scalars, those on tiles. */
enum use { USE_BOTH, USE_SCALAR, USE_TILE };

/* An operand that is small may make the result an index, which the form then casts. */
static const struct form {
    const char *pattern;
    enum rule rule;
    enum operand operands[3];
    enum use use;
} forms[] = {
    {"($0 + $1)", RULE_USUAL, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 - $1)", RULE_USUAL, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 * $1)", RULE_USUAL, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 / $1)", RULE_USUAL, {OPERAND_FLOAT, OPERAND_ANY}, USE_BOTH},
    {"($0 / $1)", RULE_USUAL, {OPERAND_ANY, OPERAND_FLOAT}, USE_BOTH},
    {"($0 + $1)", RULE_USUAL, {OPERAND_SMALL, OPERAND_ANY}, USE_BOTH},
    {"($0 - $1)", RULE_USUAL, {OPERAND_ANY, OPERAND_SMALL}, USE_BOTH},
    {"($0 * $1)", RULE_USUAL, {OPERAND_ANY, OPERAND_SMALL}, USE_BOTH},
    {"($0 / (($1 & 15) + 1))", RULE_USUAL, {OPERAND_INTEGER, OPERAND_INTEGER}, USE_BOTH},
    {"($0 % (($1 & 7) + 1))", RULE_USUAL, {OPERAND_INTEGER, OPERAND_INTEGER}, USE_BOTH},
    {"($0 / (-2 - ($1 & 7)))", RULE_USUAL, {OPERAND_INTEGER, OPERAND_INTEGER}, USE_BOTH},
    {"($0 % (-2 - ($1 & 15)))", RULE_USUAL, {OPERAND_INTEGER, OPERAND_INTEGER}, USE_BOTH},
    {"($0 / 10)", RULE_FIRST, {OPERAND_INTEGER}, USE_BOTH},
    {"($0 % 3)", RULE_FIRST, {OPERAND_INTEGER}, USE_BOTH},
    {"($0 & $1)", RULE_BITS, {OPERAND_INTEGER, OPERAND_INTEGER}, USE_BOTH},
    {"($0 | $1)", RULE_BITS, {OPERAND_INTEGER, OPERAND_INTEGER}, USE_BOTH},
    {"($0 ^ $1)", RULE_BITS, {OPERAND_INTEGER, OPERAND_INTEGER}, USE_BOTH},
    {"($0 & $1)", RULE_USUAL, {OPERAND_SMALL, OPERAND_INTEGER}, USE_BOTH},
    {"($0 ^ $1)", RULE_USUAL, {OPERAND_INTEGER, OPERAND_SMALL}, USE_BOTH},
    {"($0 << ($1 & 7))", RULE_FIRST, {OPERAND_INTEGER, OPERAND_INTEGER}, USE_BOTH},
    {"($0 >> ($1 & 31))", RULE_FIRST, {OPERAND_INTEGER, OPERAND_INTEGER}, USE_BOTH},
    {"($0 << ($1 & 31))", RULE_FIRST, {OPERAND_SMALL, OPERAND_SMALL}, USE_BOTH},
    {"($0 >> ($1 & 3))", RULE_FIRST, {OPERAND_SMALL, OPERAND_INTEGER}, USE_BOTH},
    {"($0 >> 3)", RULE_FIRST, {OPERAND_INTEGER}, USE_BOTH},
    {"(-$0)", RULE_FIRST, {OPERAND_ANY}, USE_BOTH},
    {"(+$0)", RULE_FIRST, {OPERAND_ANY}, USE_BOTH},
    {"(~$0)", RULE_FIRST, {OPERAND_INTEGER}, USE_BOTH},
    {"(!$0)", RULE_TRUTH, {OPERAND_ANY}, USE_BOTH},
    {"(!!$0)", RULE_TRUTH, {OPERAND_SMALL}, USE_BOTH},
    {"($0 < $1)", RULE_TRUTH, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 <= $1)", RULE_TRUTH, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 > $1)", RULE_TRUTH, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 >= $1)", RULE_TRUTH, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 == $1)", RULE_TRUTH, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 != $1)", RULE_TRUTH, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 < $1)", RULE_TRUTH, {OPERAND_SMALL, OPERAND_ANY}, USE_BOTH},
    {"($0 >= $1)", RULE_TRUTH, {OPERAND_ANY, OPERAND_SMALL}, USE_BOTH},
    {"($0 == $1)", RULE_TRUTH, {OPERAND_SMALL, OPERAND_SMALL}, USE_BOTH},
    {"($0 < $1)", RULE_TRUTH, {OPERAND_INTEGER, OPERAND_LITERAL}, USE_BOTH},
    {"($0 + $1)", RULE_USUAL, {OPERAND_INTEGER, OPERAND_LITERAL}, USE_BOTH},
    {"($0 >= -$1)", RULE_TRUTH, {OPERAND_INTEGER, OPERAND_LITERAL}, USE_BOTH},
    {"(($0 + $1) >> 3)", RULE_USUAL, {OPERAND_LITERAL, OPERAND_LITERAL}, USE_BOTH},
    {"($0 < $1 == $2)", RULE_TRUTH, {OPERAND_ANY, OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 && $1)", RULE_TRUTH, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 || $1)", RULE_TRUTH, {OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 || $1 && !$2)", RULE_TRUTH, {OPERAND_ANY, OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 ? $1 : $2)", RULE_SIDES, {OPERAND_UNIFORM, OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"($0 ? $1 : $2)", RULE_SIDES, {OPERAND_UNIFORM, OPERAND_INTEGER, OPERAND_INTEGER}, USE_BOTH},
    {"where($0, $1, $2)", RULE_SIDES, {OPERAND_ANY, OPERAND_ANY, OPERAND_ANY}, USE_TILE},
    {"where($0, $1, $2)", RULE_SIDES, {OPERAND_ANY, OPERAND_INTEGER, OPERAND_ANY}, USE_TILE},
    {"($0 * 0.5)", RULE_DOUBLE, {OPERAND_DOUBLE}, USE_BOTH},
    {"(0.1 + $0)", RULE_DOUBLE, {OPERAND_DOUBLE}, USE_BOTH},
    {"(1e-3 < $0)", RULE_TRUTH, {OPERAND_DOUBLE}, USE_BOTH},
    {"FUSED_ADD_#($0, $1, $2)", RULE_USUAL, {OPERAND_FLOAT, OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"FUSED_SUB_#($0, $1, $2)", RULE_USUAL, {OPERAND_FLOAT, OPERAND_FLOAT, OPERAND_ANY}, USE_BOTH},
    {"FUSED_FROM_#($0, $1, $2)", RULE_USUAL, {OPERAND_FLOAT, OPERAND_ANY, OPERAND_ANY}, USE_BOTH},
    {"SQUARE_#($0)", RULE_INT, {OPERAND_INTEGER}, USE_BOTH},
    {"TWICE_#(SQUARE_#, LARGER_#($0, $1))", RULE_INT, {OPERAND_INT, OPERAND_INT}, USE_SCALAR},
    {"TWICE_#(SQUARE_#, $0 - 1)", RULE_INT, {OPERAND_INT}, USE_BOTH},
    {"(1 << ($0 & 31))", RULE_INT, {OPERAND_INTEGER}, USE_BOTH},
    {"LARGER_#($0, $1)", RULE_USUAL, {OPERAND_INTEGER, OPERAND_INTEGER}, USE_SCALAR},
    /* Which operator binds first. */
    {"($0 - $1 - $2)", RULE_INT, {OPERAND_INT, OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"($0 + $1 * $2)", RULE_INT, {OPERAND_INT, OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"($0 * $1 % 7 - $2)", RULE_INT, {OPERAND_INT, OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"($0 / 3 * $1)", RULE_INT, {OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"(-$0 % 5 << 1 + 1)", RULE_INT, {OPERAND_INT}, USE_BOTH},
    {"($0 >> 1 << 2 >> 1)", RULE_INT, {OPERAND_INT}, USE_BOTH},
    {"($0 | $1 ^ $2 & 3)", RULE_INT, {OPERAND_INT, OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"($0 ^ $1 << 2 | 5 & ~$2)", RULE_INT, {OPERAND_INT, OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"($0 & $1 == $2)", RULE_INT, {OPERAND_INT, OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"($0 < $1 != $2 > 3)", RULE_TRUTH, {OPERAND_INT, OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"($0 + 1 < $1 << 1)", RULE_TRUTH, {OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"(!$0 == $1 || !($2 & 1) && $0)",
     RULE_TRUTH,
     {OPERAND_INT, OPERAND_INT, OPERAND_INT},
     USE_BOTH},
    {"((char)$0 + 1)", RULE_INT, {OPERAND_INT}, USE_BOTH},
    {"(- - $0 - - $1)", RULE_INT, {OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"($0 - $1 * $2 / 4)", RULE_INT, {OPERAND_INT, OPERAND_INT, OPERAND_INT}, USE_BOTH},
    {"($0 && 1 ? $1 : $2 > 2 ? $0 : 5)",
     RULE_INT,
     {OPERAND_INT, OPERAND_INT, OPERAND_INT},
     USE_SCALAR},
    /* Loads that the left side guards. */
    {"($0 >= 0 && $0 < 32 && @[$0] > $1)", RULE_TRUTH, {OPERAND_LEAF, OPERAND_ANY}, USE_SCALAR},
    {"($0 < 0 || $0 > 31 || @[$0] <= $1)", RULE_TRUTH, {OPERAND_LEAF, OPERAND_ANY}, USE_SCALAR},
    {"($0 < 32u && @[$0] != $1)", RULE_TRUTH, {OPERAND_WIDE, OPERAND_ANY}, USE_SCALAR},
    {"($0 < 32 ? @[$0] : $1)", RULE_SIDES, {OPERAND_WIDE, OPERAND_ANY}, USE_SCALAR},
    {"($0 != 0 && 100 / $0 > $1)", RULE_TRUTH, {OPERAND_LEAF, OPERAND_ANY}, USE_SCALAR},
    {"($0 == 0 ? $1 : 1000 / $0)", RULE_USUAL, {OPERAND_LEAF, OPERAND_INTEGER}, USE_SCALAR},
};

static struct expr *small_operand(struct program *p, unsigned want, bool *is_index)
{
    bool named = !p->known && chance(p, 50);
    struct local *v = named ? program_visible(p, ROLE_SUM, want & WANT_UNIFORM) : NULL;
    *is_index = true;
    return v ? name_of(p, v) : program_small(p, want & WANT_UNIFORM);
}

static struct expr *operand(struct program *p, enum operand kind, unsigned want, int fuel,
                            bool *is_index)
{
    unsigned uniform = want & WANT_UNIFORM;
    struct expr *e;
    switch (kind) {
    case OPERAND_INTEGER:
        return program_value(p, WANT_INTEGER | uniform, fuel);
    case OPERAND_FLOAT:
        return program_value(p, WANT_FLOAT | uniform, fuel);
    case OPERAND_DOUBLE:
        return program_converted(p, IR_F64, uniform, fuel, true);
    case OPERAND_INT:
        return program_converted(p, IR_I32, uniform, fuel, true);
    case OPERAND_SMALL:
        return small_operand(p, uniform, is_index);
    case OPERAND_UNIFORM:
        return program_value(p, WANT_UNIFORM, fuel);
    case OPERAND_LEAF:
        e = p->known ? NULL : variable_leaf(p, WANT_INTEGER | WANT_UNIFORM);
        return e ? e : program_literal(p, WANT_INTEGER);
    case OPERAND_LITERAL:
        return program_literal(p, WANT_INTEGER);
    case OPERAND_WIDE:
        e = p->known ? NULL : variable_leaf(p, WANT_INTEGER | WANT_UNIFORM);
        return program_around(p, IR_U32, "(unsigned)$0", e ? e : program_literal(p, WANT_INTEGER));
    default:
        return program_value(p, uniform, fuel);
    }
}

static enum ir_elem elem_of(const struct expr *e, int child)
{
    return (enum ir_elem)e->children[child]->type.elem;
}

static enum ir_elem result_of(const struct form *form, const struct expr *e)
{
    switch (form->rule) {
    case RULE_USUAL:
    case RULE_BITS:
        if (form->rule == RULE_BITS && elem_of(e, 0) == IR_BOOL && elem_of(e, 1) == IR_BOOL)
            return IR_BOOL;
        return program_usual(elem_of(e, 0), elem_of(e, 1));
    case RULE_SIDES:
        if (e->count > 2 && elem_of(e, 1) == IR_BOOL && elem_of(e, 2) == IR_BOOL)
            return IR_BOOL; /* which '~' refuses */
        return program_usual(elem_of(e, 1),
                             e->count > 2 ? elem_of(e, 2) : (enum ir_elem)e->parameter->elem);
    case RULE_FIRST:
        return promoted(elem_of(e, 0));
    case RULE_INT:
        return IR_I32;
    case RULE_DOUBLE:
        return IR_F64;
    case RULE_TRUTH:
        break;
    }
    return IR_BOOL;
}

/* '#' is what makes names of the program its own. */
static const char *own_names(struct program *p, const char *pattern)
{
    struct text text;
    text_init(&text, program_arena(p));
    for (; *pattern; pattern++)
        if (*pattern == '#')
            text_format(&text, "%llu", (unsigned long long)p->g.kernel->seed);
        else
            text_char(&text, *pattern);
    return text.items;
}

static struct expr *form_value(struct program *p, const struct form *form, unsigned want, int fuel)
{
    if (form->use != USE_BOTH && (form->use == USE_TILE) != (p->tile > 1))
        return NULL;
    struct expr *e = program_leaf(p, IR_I32, own_names(p, form->pattern));
    if (strchr(form->pattern, '@')) {
        if (p->self || p->known)
            return NULL;
        e->parameter = generate_parameter(&p->g, PARAMETER_INPUT, program_elem(p));
    }
    bool is_index = false, is_fused = strncmp(form->pattern, "FUSED", 5) == 0;
    for (int i = 0; i < 3 && form->operands[i] != OPERAND_NONE; i++)
        program_add_child(e, operand(p, form->operands[i], want, fuel / 2, &is_index));
    for (int i = 0; i < e->count; i++)
        for (int k = 0; k < i; k++)
            if (!program_meets(elem_of(e, i), elem_of(e, k)))
                return NULL;
    if (e->parameter && form->rule != RULE_INT &&
        !program_meets(elem_of(e, e->count - 1), (enum ir_elem)e->parameter->elem))
        return NULL;
    e->type.elem = (uint8_t)result_of(form, e);
    enum ir_elem elem = (enum ir_elem)e->type.elem;
    if (strstr(form->pattern, "(~") && elem_of(e, 0) == IR_BOOL)
        return NULL; /* the language refuses it */
    if (is_fused && (bits_of(elem) < 32 || program_usual(elem, elem_of(e, 2)) != elem))
        return NULL;
    if (!program_fits(e->type, want))
        return NULL;
    bool product = strchr(form->pattern, '*') && form->rule != RULE_TRUTH && program_is_float(elem);
    bool cuts =
        strpbrk(form->pattern, "&^|") && !strchr(form->pattern, '/'); /* as bit operations do */
    if (product || (is_index && form->rule != RULE_TRUTH && !cuts))
        e->pattern =
            arena_format(program_arena(p), "(%s)%s", program_spelling(p, elem), e->pattern);
    return e;
}

/* ---- helpers --------------------------------------------------------------------------------- */

struct expr *program_address(struct program *p, enum ir_elem elem, bool stores)
{
    struct local *v = program_visible(p, ROLE_POINTER, 0);
    if (v && (enum ir_elem)v->variable.type.elem == elem && (v->stores || !stores) &&
        v->moves > 8) {
        v->moves -= 8;
        struct expr *there = program_leaf(
            p, elem, arena_format(program_arena(p), "%s + ($0 & 7)", v->variable.name));
        program_add_child(there, program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
        return there;
    }
    if (p->self)
        return NULL;
    struct expr *e = program_leaf(p, elem, "@ + pid * 256 + ($0 & 15)");
    bool own = stores || chance(p, 40);
    if (!own)
        e->pattern = chance(p, 50) ? "@ + ($0 & 15)" : "@ + 16 + ($0 & 15)";
    e->parameter = generate_parameter(&p->g, own ? PARAMETER_OWN : PARAMETER_INPUT, elem);
    program_add_child(e, program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
    return e;
}

static struct expr *known_argument(struct program *p, enum ir_elem elem)
{
    bool known = p->known;
    p->known = true;
    struct expr *e = program_converted(p, elem, WANT_UNIFORM, 2, false);
    p->known = known;
    return e;
}

struct expr *program_call(struct program *p, const struct helper *helper, unsigned want, int fuel)
{
    static const char *const patterns[] = {"%s()", "%s($0)", "%s($0, $1)", "%s($0, $1, $2)"};
    unsigned uniform = helper->is_straight ? want & WANT_UNIFORM : WANT_UNIFORM;
    struct expr *e = program_leaf(
        p, helper->result, arena_format(program_arena(p), patterns[helper->count], helper->name));
    bool is_known = chance(p, 25);
    for (int i = 0; i < helper->count; i++) {
        enum ir_elem elem = helper->parameters[i].elem;
        struct expr *argument = helper->parameters[i].is_pointer
                                    ? program_address(p, elem, helper->stores)
                                : is_known || helper->parameters[i].is_constant
                                    ? known_argument(p, elem)
                                    : program_converted(p, elem, uniform, fuel / 2, false);
        if (!argument)
            return NULL;
        program_add_child(e, argument);
    }
    return e;
}

static struct expr *call_value(struct program *p, unsigned want, int fuel)
{
    if (p->helper_count == 0 || p->known)
        return NULL;
    const struct helper *helper = p->helpers[below(p, p->helper_count)];
    if (helper->stores || helper->is_void || !program_fits(typed(p, helper->result, false), want))
        return NULL;
    if (!helper->is_straight && p->self && p->self->is_straight)
        return NULL;
    return program_call(p, helper, want, fuel);
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct expr *value(struct program *p, unsigned want, int fuel)
{
    enum { COUNT = sizeof forms / sizeof *forms };
    if (fuel <= 0 || chance(p, 15))
        return leaf(p, want);
    for (int tries = 0; tries < 6; tries++) {
        struct expr *e = NULL;
        int choice = below(p, 12);
        if (choice == 10)
            e = program_bits(p, want, fuel - 1);
        else if (choice == 11)
            e = p->tile == 1 || p->known || chance(p, 40) ? program_word(p, want, fuel - 1)
                : chance(p, 50)                           ? program_over(p, want, fuel - 1)
                                                          : program_shape(p, want, fuel - 1);
        else if (choice < 7)
            e = form_value(p, &forms[below(p, COUNT)], want, fuel - 1);
        else if (choice < 9) {
            enum ir_elem elem = program_elem(p);
            if (program_fits(typed(p, elem, false), want))
                e = program_converted(p, elem, want & WANT_UNIFORM, fuel - 1, true);
        } else
            e = call_value(p, want, fuel - 1);
        if (e && program_fits(e->type, want))
            return e;
    }
    return leaf(p, want);
}

struct expr *program_value(struct program *p, unsigned want, int fuel)
{
    bool known = p->known;
    p->known |= p->depth == 0 && chance(p, 5);
    p->depth++;
    struct expr *e = value(p, want, p->depth > MOST_DEPTH ? 0 : fuel);
    p->depth--;
    p->known = known;
    return e;
}

/* What an integer takes of a float; half has no more than 60000. */
static const char *limits_of(enum ir_elem elem, enum ir_elem from)
{
    static const char *const limits[IR_ELEM_COUNT] = {
        [IR_I8] = "-100.0, 100.0", [IR_U8] = "0.0, 200.0",   [IR_I16] = "-30000.0, 3e4",
        [IR_U16] = "0.0, 60000.0", [IR_I32] = "-2e9, 2e9",   [IR_U32] = "0.0, 4e9",
        [IR_I64] = "-9e18, 9e18",  [IR_U64] = "0.0, 1.8e19",
    };
    if (from == IR_F16 && bits_of(elem) > 16)
        return kind_of(elem) == IR_KIND_SIGNED ? "-60000.0, 60000.0" : "0.0, 60000.0";
    return limits[elem];
}

struct expr *program_converted(struct program *p, enum ir_elem elem, unsigned want, int fuel,
                               bool sure)
{
    struct expr *e = program_value(p, want, fuel);
    enum ir_elem from = (enum ir_elem)e->type.elem;
    if (program_is_float(from) && !program_is_float(elem) && elem != IR_BOOL)
        e = program_around(
            p, elem, /* not its type but its place, where the shrinker must not leave it out */
            arena_format(program_arena(p), "within_%s_%llu($0, %s)", c_name(from),
                         (unsigned long long)p->g.kernel->seed, limits_of(elem, from)),
            e);
    return sure || chance(p, 20) ? cast_to(p, elem, e) : convertible(p, elem, e);
}

struct expr *program_condition(struct program *p)
{
    static const char *const patterns[] = {"$0 && $1", "$0 || $1", "!($1 && $0)", "$0 && $1 > 3",
                                           "($0 ? $1 : 0)"};
    struct expr *e = program_value(p, WANT_UNIFORM, 3);
    bool may_call = p->tile == 1 && !p->known && (!p->self || p->self->stores);
    for (int i = 0; i < p->helper_count && may_call; i++) {
        const struct helper *helper = p->helpers[i];
        if (!helper->stores || helper->is_void || !chance(p, 20))
            continue;
        struct expr *call = program_call(p, helper, WANT_UNIFORM, 2);
        if (!call)
            continue;
        struct expr *both = program_leaf(p, IR_BOOL, patterns[below(p, 5)]);
        program_add_child(both, e);
        program_add_child(both, call);
        return both;
    }
    return e;
}
