/* Statements of programs, helpers and what stands around them; see program.h. */
#include "program.h"

#include <string.h>

/* ---- lists and names ------------------------------------------------------------------------- */

struct statement *program_append(struct program *p, struct list *list, const char *pattern)
{
    struct statement *s = ARENA_NEW(program_arena(p), struct statement);
    s->pattern = pattern;
    if (!list->end)
        list->end = &list->first;
    *list->end = s;
    list->end = &s->next;
    return s;
}

void program_add(struct statement *s, struct expr *e)
{
    s->children[s->count++] = e;
}

static const char *format(struct program *p, const char *pattern, const char *text)
{
    return arena_format(program_arena(p), pattern, text);
}

/* "NAME_17": seeds share a file where C compiles them. */
static const char *own_name(struct program *p, const char *name)
{
    return arena_format(program_arena(p), "%s_%llu", name, (unsigned long long)p->g.kernel->seed);
}

static bool is_taken(struct program *p, const char *name, int from)
{
    for (int i = from; i < p->scope_count; i++)
        if (strcmp(p->scope[i]->variable.name, name) == 0)
            return true;
    return false;
}

struct local *program_declare(struct program *p, enum ir_elem elem, enum role role)
{
    struct local *v = ARENA_NEW(program_arena(p), struct local);
    int letter = 'a' + below(p, 12); /* one draw after the other, on every compiler */
    const char *name = arena_format(program_arena(p), "%c%s", letter,
                                    chance(p, 50)   ? ""
                                    : chance(p, 50) ? "1"
                                                    : "x");
    if (is_taken(p, name, p->block) || p->scope_count >= SCOPE - 1)
        name = arena_format(program_arena(p), "v%d", p->g.names++);
    v->variable = (struct variable){.name = name, .type = shape_of(0, 0, 0, elem)};
    v->role = role;
    v->loops = p->loops;
    if (p->scope_count < SCOPE)
        p->scope[p->scope_count++] = v;
    return v;
}

static struct expr *value_of(struct program *p, struct local *v)
{
    struct expr *e = expr_new(program_arena(p), v->variable.type, "%");
    e->variable = &v->variable;
    return e;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static bool is_straight(struct program *p)
{
    return p->self && p->self->is_straight;
}

static unsigned wants(struct local *v)
{
    return v->variable.type.rank ? 0 : WANT_UNIFORM;
}

/* The first value decides whether a variable is a tile. */
static void take_shape(struct local *v, struct expr *first)
{
    uint8_t elem = v->variable.type.elem;
    v->variable.type = first->type;
    v->variable.type.elem = elem;
}

static void declare(struct program *p, struct list *list)
{
    enum ir_elem elem = program_elem(p);
    struct local *v = program_declare(p, elem, ROLE_HIDDEN);
    const char *name = v->variable.name, *type = program_spelling(p, elem);
    struct statement *s;
    int choice = below(p, 12);
    if (choice == 11 &&
        p->named_count > 0) { /* one that is the file's as well, or hides a variable */
        struct local *element = program_declare(p, elem, ROLE_HIDDEN);
        element->variable.name = arena_format(program_arena(p), "v%d", p->g.names++);
        struct text text;
        text_init(&text, program_arena(p));
        text_format(&text, "const %s %s[] = {", type, name);
        for (int k = 0; k < 4; k++)
            text_format(&text, "%s%s", k ? ", " : "", program_number(p, elem));
        text_format(&text, "}; %s %s = %s[$0 & 3];", type, element->variable.name, name);
        s = program_append(p, list, text.items);
        program_add(s, program_value(p, WANT_INTEGER, 3));
        take_shape(element, s->children[0]);
        element->role = ROLE_ANY;
        return;
    }
    if (choice == 0 && chance(p, 60)) { /* from constants */
        v->variable.fixed = p->known = true;
        s = program_append(p, list,
                           arena_format(program_arena(p), "constexpr %s %s = $0;", type, name));
        program_add(s, program_converted(p, elem, WANT_UNIFORM, 4, false));
        p->known = false;
    } else if (choice == 0) { /* from literals */
        const char *word = chance(p, 50) ? "constexpr" : "static const";
        v->variable.fixed = true;
        s = program_append(p, list,
                           arena_format(program_arena(p), "%s %s %s = %s;", word, type, name,
                                        program_number(p, elem)));
    } else if (choice == 1) {
        v->variable.fixed = true;
        s = program_append(p, list, format(p, "auto %s = $0;", name));
        struct expr *e = program_value(p, 0, 4);
        if (e->type.elem == IR_BOOL) /* a comparison is one, and C's int */
            e = program_converted(p, elem, 0, 3, true);
        v->variable.type.elem = e->type.elem;
        take_shape(v, e);
        program_add(s, e);
    } else if (choice == 2 && !is_straight(p)) { /* set on both paths */
        program_append(p, list, arena_format(program_arena(p), "%s %s;", type, name));
        s = program_append(
            p, list, arena_format(program_arena(p), "if ($0) %s = $1; else %s = $2;", name, name));
        program_add(s, program_value(p, WANT_UNIFORM, 3));
        program_add(s, program_converted(p, elem, 0, 3, false));
        program_add(s, program_converted(p, elem, 0, 3, false));
        bool first = s->children[1]->type.rank > 0;
        take_shape(v, s->children[first ? 1 : 2]);
    } else {
        v->variable.fixed = chance(p, 10);
        s = program_append(p, list,
                           arena_format(program_arena(p), "%s%s %s = $0;",
                                        v->variable.fixed ? "const " : "", type, name));
        program_add(s, program_converted(p, elem, 0, 4, false));
        take_shape(v, s->children[0]);
    }
    v->role = ROLE_ANY;
}

static void declare_two(struct program *p, struct list *list)
{
    enum ir_elem elem = program_elem(p);
    struct local *a = program_declare(p, elem, ROLE_HIDDEN);
    struct expr *first = program_converted(p, elem, 0, 3, false);
    take_shape(a, first);
    a->role = ROLE_ANY;
    struct local *b = program_declare(p, elem, ROLE_HIDDEN);
    struct expr *second = program_converted(p, elem, 0, 3, false);
    take_shape(b, second);
    b->role = ROLE_ANY;
    struct statement *s =
        program_append(p, list,
                       arena_format(program_arena(p), "%s %s = $0, %s = $1;",
                                    program_spelling(p, elem), a->variable.name, b->variable.name));
    program_add(s, first);
    program_add(s, second);
}

/* ---- assignments ----------------------------------------------------------------------------- */

/* "TARGET op= $0;" for a target of that element. */
static void assign_to(struct program *p, struct list *list, const char *target, enum ir_elem elem,
                      struct expr *index, unsigned want, bool is_tile)
{
    static const struct {
        const char *pattern;
        bool for_float;
    } ways[] = {
        {"%s = $0;", true},
        {"%s = $0;", true},
        {"%s = $0;", true},
        {"%s += $0;", true},
        {"%s -= $0;", true},
        {"%s *= $0;", true},
        {"%s /= $0;", true},
        {"%s++;", true},
        {"--%s;", true},
        {"%s--;", true},
        {"++%s;", true},
        {"%s &= $0;", false},
        {"%s |= $0;", false},
        {"%s ^= $0;", false},
        {"%s <<= $0 & 7;", false},
        {"%s >>= $0 & 15;", false},
        {"%s /= ($0 & 7) + 1;", false},
        {"%s %%= ($0 & 15) + 1;", false},
    };
    enum { COUNT = sizeof ways / sizeof *ways };
    bool is_float = program_is_float(elem);
    int way = below(p, COUNT);
    while ((is_float && !ways[way].for_float) || (!is_float && strstr(ways[way].pattern, "/= $0;")))
        way = below(p, COUNT);
    bool plain = strchr(ways[way].pattern, '$') && way < 3;
    bool quoted = *target == '*' && strstr(ways[way].pattern, "++");
    quoted |= *target == '*' && strstr(ways[way].pattern, "--");
    const char *pattern = format(p, ways[way].pattern, quoted ? format(p, "(%s)", target) : target);
    struct statement *s = program_append(p, list, pattern);
    struct expr *value = plain      ? program_converted(p, elem, want, 4, false)
                         : is_float ? program_value(p, want, 4)
                                    : program_value(p, WANT_INTEGER | want, 4);
    if (!program_meets(elem, (enum ir_elem)value->type.elem))
        value = program_around(p, IR_F32, "(float)$0", value);
    /* What looks like a tile may be known, and a scalar. */
    if (plain && is_tile && !is_straight(p)) {
        struct expr *tile =
            expr_new(program_arena(p), shape_of(1, p->tile, 0, IR_I32),
                     arena_format(program_arena(p), "broadcast_to($0, %d)", p->tile));
        tile->type.elem = value->type.elem;
        expr_add(tile, value);
        value = tile;
    }
    program_add(s, value);
    if (index)
        program_add(s, index);
}

/* Declares or changes a sum of small values. */
static void sum(struct program *p, struct list *list)
{
    static const uint8_t elems[] = {IR_I32, IR_I64, IR_I32, IR_I16, IR_I8, IR_I16};
    static const char *const ways[] = {"%s += $0;", "%s = $0;",         "%s++;",
                                       "%s -= $0;", "if ($1) %s = $0;", "%s = %s / 2 + $0;",
                                       "--%s;"};
    struct local *v = program_visible(p, ROLE_SUM, 0);
    bool declares = !v || chance(p, 25);
    enum ir_elem elem = (enum ir_elem)elems[below(p, 6)];
    if (is_straight(p))
        return;
    if (declares)
        v = program_declare(p, elem, ROLE_HIDDEN);
    const char *name = v->variable.name;
    if (!declares && bits_of((enum ir_elem)v->variable.type.elem) < 32 && chance(p, 40)) {
        struct statement *wrap =
            program_append(/* cut where C cuts it */
                           p, list,
                           arena_format(program_arena(p), "%s = %s * 211 + $0;", name, name));
        program_add(wrap, program_small(p, WANT_UNIFORM));
        return;
    }
    struct statement *s = program_append(
        p, list,
        declares ? arena_format(program_arena(p), "%s %s = $0;", program_spelling(p, elem), name)
                 : arena_format(program_arena(p), ways[below(p, 7)], name, name));
    if (declares && chance(p, 50))
        program_add(s, expr_new(program_arena(p), shape_of(0, 0, 0, IR_I32),
                                elem == IR_I8    ? "120"
                                : elem == IR_I16 ? "32700"
                                                 : "0"));
    else
        program_add(s, program_small(p, WANT_UNIFORM));
    program_add(s, program_value(p, WANT_UNIFORM, 2));
    v->role = ROLE_SUM;
}

/* A parameter is a variable. */
static void assign_parameter(struct program *p, struct list *list)
{
    static const uint8_t elems[] = {IR_U32, IR_F32, IR_U64, IR_F64, IR_U8, IR_BOOL, IR_U16};
    struct list one = {0};
    enum ir_elem elem = (enum ir_elem)elems[below(p, 7)];
    struct parameter *parameter = generate_parameter(&p->g, PARAMETER_SCALAR, elem);
    assign_to(p, &one, "@", elem, NULL, WANT_UNIFORM, false);
    one.first->parameter = parameter;
    *(list->end ? list->end : &list->first) = one.first;
    list->end = &one.first->next;
}

static void assign(struct program *p, struct list *list)
{
    if (!p->self && chance(p, 8)) {
        assign_parameter(p, list);
        return;
    }
    struct local *v = program_visible(p, ROLE_ANY, 0);
    if (!v || v->variable.fixed) {
        declare(p, list);
        return;
    }
    const char *name = v->variable.name;
    enum ir_elem elem = (enum ir_elem)v->variable.type.elem;
    if ((elem == IR_F32 || elem == IR_F64) && chance(p, 25)) { /* a product that fuses with it */
        struct statement *s = program_append(
            p, list,
            arena_format(program_arena(p), "%s(%s, $0, $1);", own_name(p, "FUSED_INTO"), name));
        program_add(s, program_converted(p, elem, wants(v), 3, true));
        program_add(s, program_converted(p, elem, wants(v), 3, true));
        return;
    }
    assign_to(p, list, name, elem, NULL, wants(v), v->variable.type.rank > 0);
}

/* A store of a tile to its elements' places. */
static void store_tile(struct program *p, struct list *list)
{
    enum ir_elem elem = program_elem(p);
    struct statement *s = program_append(p, list, "store(@ + pid * 256 + lane, $0, $1);");
    s->parameter = generate_parameter(&p->g, PARAMETER_OWN, elem);
    program_add(s, program_converted(p, elem, 0, 4, false));
    program_add(s, program_value(p, 0, 2));
}

static void store(struct program *p, struct list *list)
{
    if (p->tile > 1) {
        if (!p->self)
            store_tile(p, list);
        return;
    }
    struct local *v = program_visible(p, ROLE_POINTER, 0);
    struct expr *index = program_value(p, WANT_INTEGER | WANT_UNIFORM, 2);
    if (v && v->stores && (p->self || chance(p, 40))) {
        enum ir_elem elem = (enum ir_elem)v->variable.type.elem;
        const char *pattern = chance(p, 30)   ? "*%s"
                              : chance(p, 70) ? "%s[$1 & 15]"
                                              : "*(%s + ($1 & 15))";
        assign_to(p, list, format(p, pattern, v->variable.name), elem, index, WANT_UNIFORM, false);
    } else if (!p->self) {
        enum ir_elem elem = program_elem(p);
        struct parameter *parameter = generate_parameter(&p->g, PARAMETER_OWN, elem);
        const char *target =
            chance(p, 70) ? "@[pid * 256 + ($1 & 31)]" : "*(@ + pid * 256 + ($1 & 31))";
        struct list one = {0};
        assign_to(p, &one, target, elem, index, WANT_UNIFORM, false);
        one.first->parameter = parameter;
        *(list->end ? list->end : &list->first) = one.first;
        list->end = &one.first->next;
    }
}

/* ---- pointers -------------------------------------------------------------------------------- */

static void pointer(struct program *p, struct list *list)
{
    struct local *v = program_visible(p, ROLE_POINTER, 0);
    if (p->tile > 1 || (p->self && !v))
        return;
    if (v && v->loops == p->loops && v->moves > 0 && chance(p, 60)) {
        static const char *const moves[] = {"%s++;", "%s += 2;", "++%s;", "%s = %s + 1;"};
        const char *name = v->variable.name;
        v->moves -= 2;
        program_append(p, list, arena_format(program_arena(p), moves[below(p, 4)], name, name));
        return;
    }
    enum ir_elem elem = program_elem(p);
    bool stores = chance(p, 60);
    if (p->self)
        return;
    if (v && chance(p, 40)) { /* elsewhere, on one path perhaps */
        elem = (enum ir_elem)v->variable.type.elem;
        struct expr *address = program_address(p, elem, v->stores);
        if (p->loops > 0 && address->pattern[0] != '@')
            return; /* each turn would move it */
        bool sometimes = chance(p, 60);
        struct statement *s = program_append(
            p, list, format(p, sometimes ? "if ($1) %s = $0;" : "%s = $0;", v->variable.name));
        program_add(s, address);
        if (sometimes)
            program_add(s, program_value(p, WANT_UNIFORM, 2));
        return;
    }
    v = program_declare(p, elem, ROLE_HIDDEN);
    struct statement *s =
        program_append(p, list,
                       arena_format(program_arena(p), "%s%s *%s = $0;", stores ? "" : "const ",
                                    c_name(elem), v->variable.name));
    program_add(s, program_address(p, elem, stores));
    v->stores = stores;
    v->moves = 40;
    v->role = ROLE_POINTER;
}

/* ---- control --------------------------------------------------------------------------------- */

/* if and else around single statements, where else belongs to the nearer if. */
static bool bare_branch(struct program *p, struct list *list)
{
    static const char *const patterns[] = {
        "if ($0) if ($1) %s = $2; else %s++;",
        "if ($0) ; else if ($1) %s--; else %s = $2;",
        "if ($0) BUMP_%llu(%s); else if ($1) %s = $2;",
        "if ($0) { if ($1) %s = $2; } else %s--;",
        "if (!($0)) for (; $1; ) { %s = $2; break; }",
        "do { if ($0) break; %s = $2; } while ($1 && false);",
    };
    struct local *v = program_visible(p, ROLE_ANY, WANT_UNIFORM);
    if (!v || v->variable.fixed)
        return false;
    const char *name = v->variable.name;
    int choice = below(p, 6);
    enum ir_elem elem = (enum ir_elem)v->variable.type.elem;
    struct statement *s =
        program_append(p, list,
                       choice == 2 ? arena_format(program_arena(p), patterns[2],
                                                  (unsigned long long)p->g.kernel->seed, name, name)
                                   : arena_format(program_arena(p), patterns[choice], name, name));
    program_add(s, program_value(p, WANT_UNIFORM, 3));
    program_add(s, program_value(p, WANT_UNIFORM, 2));
    program_add(s, program_converted(p, elem, WANT_UNIFORM, 3, false));
    return true;
}

static void branch(struct program *p, struct list *list)
{
    if (chance(p, 25) && bare_branch(p, list))
        return;
    struct statement *s = program_append(p, list, "if ($0)");
    program_add(s, program_condition(p));
    s->has_body = true;
    s->body = program_block(p, 4);
    s->has_other = chance(p, 50);
    if (s->has_other)
        s->other = program_block(p, 3);
}

/* #if: both preprocessors decide. */
static const char *preprocessed(struct program *p, int fuel)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "-1",
                                          "1u",
                                          "0x10",
                                          "'a'",
                                          "017",
                                          "0x7fffffffffffffff",
                                          "-1u",
                                          "NAME",
                                          "defined(NAME)",
                                          "defined NOWHERE",
                                          "NOWHERE"};
    static const char *const pairs[] = {"(%s + %s)",     "(%s - %s)",
                                        "(%s * %s)",     "(%s < %s)",
                                        "(%s >= %s)",    "(%s == %s)",
                                        "(%s && %s)",    "(%s || %s)",
                                        "(%s & %s)",     "(%s ^ %s)",
                                        "(%s ? 2 : %s)", "(%s ? %s : 1u)",
                                        "(!%s | ~%s)",   "((%s << 3) / ((%s & 3) + 1))",
                                        "(%s != %s)",    "(%s <= %s)",
                                        "(%s > %s)",     "(%s >> (%s & 7))",
                                        "(%s | - %s)",    "((%s - 9) %% ((%s & 15) + 1))"};
    if (fuel == 0 || chance(p, 20)) {
        const char *text = numbers[below(p, 14)], *name = strstr(text, "NAME");
        return name ? arena_format(program_arena(p), "%.*s%s%s", (int)(name - text), text,
                                   own_name(p, "NAME"), name + 4)
                    : text;
    }
    const char *left = preprocessed(p, fuel - 1), *right = preprocessed(p, fuel - 1);
    return arena_format(program_arena(p), pairs[below(p, 20)], left, right);
}

static void directive(struct program *p, struct list *list)
{
    bool inverse = chance(p, 20);
    struct statement *s = program_append(
        p, list, format(p, inverse ? "#if 0\n#elif %s\n   " : "#if %s\n   ", preprocessed(p, 3)));
    struct local *v = program_visible(p, ROLE_ANY, 0);
    s->tail = "\n#endif";
    if (v && !v->variable.fixed && chance(p, 30))
        s->tail = format(p, "\n#elif defined(__STDC_NOTHING__) && 1 / 0\n#else\n    %s++;\n#endif",
                         v->variable.name);
    s->has_body = true;
    s->body = program_block(p, 3);
}

enum { CASES = 14 }; /* from -4 on */

static const char *case_labels(struct program *p, bool *taken)
{
    struct text text;
    text_init(&text, program_arena(p));
    for (int count = 1 + (chance(p, 30) ? below(p, 3) : 0); count > 0; count--) {
        int number = below(p, CASES) - 4;
        if (taken[number + 4])
            continue;
        taken[number + 4] = true;
        /* The last two are the number for an int only. */
        static const char *const forms[] = {
            "case %d: ", "case %d: ", "case 1 + %d - 1: ", "case 0x%xu: "};
        if (chance(p, 85))
            text_format(&text, forms[below(p, 4)], number);
        else
            text_format(&text, "case %lld: ", (1LL << 32) + number);
    }
    return text.items;
}

static void choose(struct program *p, struct list *list)
{
    static const char *const values[] = {"switch ($0 & 7)", "switch ($0 % 10)", "switch ($0)"};
    int choice = below(p, 3);
    struct statement *s = program_append(p, list, values[choice]);
    program_add(s, choice == 1 ? program_small(p, WANT_UNIFORM)
                               : program_value(p, WANT_INTEGER | WANT_UNIFORM, 3));
    s->has_body = true;
    struct list arms = {0};
    bool taken[CASES] = {false}, breaks = p->breaks;
    int count = 1 + below(p, 4), otherwise = below(p, count + 2);
    p->breaks = false;
    for (int i = 0; i < count; i++) {
        const char *labels = case_labels(p, taken);
        if (i == otherwise)
            labels = format(p, "%sdefault:", labels);
        if (!*labels)
            continue;
        struct local *v = program_visible(p, ROLE_ANY, WANT_UNIFORM);
        if (v && !v->variable.fixed && chance(p, 25)) {
            struct statement *bare =
                program_append(p, &arms,
                               arena_format(program_arena(p), "%s %s++; %s = $0; break;", labels,
                                            v->variable.name, v->variable.name));
            program_add(bare, program_converted(p, (enum ir_elem)v->variable.type.elem,
                                                WANT_UNIFORM, 3, false));
            continue;
        }
        struct statement *arm = program_append(p, &arms, labels);
        arm->has_body = true;
        arm->body = program_block(p, 3);
        bool may_return = p->self ? p->self->is_void : true;
        arm->tail = p->continues && chance(p, 15) ? " continue;"
                    : may_return && chance(p, 3)  ? " return;"
                                                  : " break;";
    }
    p->breaks = breaks;
    s->body = arms.first;
}

/* Leaves a loop or the function, sometimes. */
void program_leave(struct program *p, struct list *list)
{
    int choice = below(p, 10);
    const char *pattern = NULL;
    if (choice < 4 && p->breaks)
        pattern = "if ($0) break;";
    else if (choice < 8 && p->continues)
        pattern = "if ($0) continue;";
    else if (p->self && !p->self->is_void)
        pattern = "if ($0) return $1;";
    else if (p->self || chance(p, 15))
        pattern = "if ($0) return;";
    if (!pattern)
        return;
    struct statement *s = program_append(p, list, pattern);
    program_add(s, program_value(p, WANT_UNIFORM, 3));
    if (strstr(pattern, "$1"))
        program_add(s, program_converted(p, p->self->result, WANT_UNIFORM, 3, false));
}

static void call(struct program *p, struct list *list)
{
    if (p->helper_count == 0 || p->tile > 1 || (p->self && !p->self->stores))
        return;
    const struct helper *helper = p->helpers[below(p, p->helper_count)];
    struct expr *e = program_call(p, helper, WANT_UNIFORM, 3);
    if (!e)
        return;
    struct local *v = helper->is_void ? NULL : program_visible(p, ROLE_ANY, WANT_UNIFORM);
    if (v && ((v->variable.type.elem != e->type.elem && program_is_float(helper->result)) ||
              v->variable.fixed))
        v = NULL;
    program_add(program_append(p, list, v ? format(p, "%s = $0;", v->variable.name) : "$0;"), e);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void statement(struct program *p, struct list *list)
{
    int choice = below(p, 100);
    bool deep = p->loops >= (p->self ? 1 : 3);
    if (is_straight(p))
        choice = choice % 45;
    if (choice < 22)
        declare(p, list);
    else if (choice < 26)
        declare_two(p, list);
    else if (choice < 31)
        sum(p, list);
    else if (choice < 45)
        assign(p, list);
    else if (choice < 58)
        store(p, list);
    else if (choice < 66)
        branch(p, list);
    else if (choice < 80 && !deep)
        program_loop(p, list);
    else if (choice < 84)
        choose(p, list);
    else if (choice < 89)
        program_leave(p, list);
    else if (choice < 93)
        pointer(p, list);
    else if (choice < 96)
        call(p, list);
    else if (choice < 98)
        directive(p, list);
    else {
        struct statement *s = program_append(p, list, "");
        s->has_body = true;
        s->body = program_block(p, 3);
    }
}

/* What a block computed must be seen; those in it that end with it go to memory. */
static void show_last(struct program *p, struct list *list)
{
    struct local *v = p->scope_count > p->block ? p->scope[p->scope_count - 1] : NULL;
    if (!v || (v->role != ROLE_ANY && v->role != ROLE_SUM) || p->self || chance(p, 40))
        return;
    enum ir_elem elem = (enum ir_elem)v->variable.type.elem;
    const char *pattern = p->tile > 1              ? "store(@ + pid * 256 + lane, $0, true);"
                          : program_is_float(elem) ? "@[pid * 256 + 40] += $0;"
                          : elem == IR_BOOL        ? "@[pid * 256 + 40] ^= $0;"
                                                   : "@[pid * 256 + 40] += $0;";
    struct statement *s = program_append(p, list, pattern);
    s->parameter = generate_parameter(&p->g, PARAMETER_OWN, elem);
    program_add(s, value_of(p, v));
}

void program_block_into(struct program *p, struct list *list, int most)
{
    int count = p->scope_count, block = p->block, left = p->fuel / 2;
    p->fuel -= left; /* for what comes behind the block */
    p->block = p->scope_count;
    for (int i = 1 + below(p, most); i > 0 && p->fuel > 0; i--) {
        p->fuel--;
        statement(p, list);
    }
    p->fuel += left;
    show_last(p, list);
    p->scope_count = count;
    p->block = block;
}

struct statement *program_block(struct program *p, int most)
{
    struct list list = {0};
    program_block_into(p, &list, most);
    return list.first;
}

/* ---- file scope ------------------------------------------------------------------------------ */

static struct item *add_item(struct program *p, const char *name, const char *head)
{
    struct item *item = ARENA_NEW(program_arena(p), struct item);
    item->name = name;
    item->head = head;
    *p->items = item;
    p->items = &item->next;
    return item;
}

/* In every "%s" its name. */
static void add_line(struct program *p, const char *name, const char *line)
{
    struct text text;
    text_init(&text, program_arena(p));
    const char *own = own_name(p, name), *place;
    for (; (place = strstr(line, "%s")); line = place + 2) {
        text_append(&text, line, (size_t)(place - line));
        text_string(&text, own);
    }
    text_string(&text, line);
    add_item(p, own, text.items);
}

/* A helper with that head that returns x if the condition holds, else y: without an 'if' for
 * tiles. */
static void add_choice(struct program *p, const char *type, const char *name, const char *head,
                       const char *condition, const char *x, const char *y)
{
    struct arena *arena = program_arena(p);
    const char *own = own_name(p, name);
    head = arena_format(arena, head, type, own, type, type, type);
    const char *body = p->tile > 1 ? "    return where(%s, %s, %s);"
                                   : "    if (%s)\n        return %s;\n    return %s;";
    body = arena_format(arena, body, condition, x, y);
    add_item(p, own, arena_format(arena, "static %s\n{\n%s\n}\n", head, body));
}

/* What the patterns of value.c count on. */
static void add_macros(struct program *p)
{
    static const char *const floats[] = {"half", "float", "double", "bfloat"};
    static const char *const integers[] = {"int32_t", "uint32_t", "int64_t", "uint64_t"};
    add_line(p, "NAME", "#define %s (3 - 1)");
    add_line(p, "PASTE", "#define %s(a, b) a##b");
    add_line(p, "SQUARE", "#define %s(x) ((int)((x) & 15) * (int)((x) & 15))");
    add_line(p, "BUMP",
             "#define %s(v) do { v += 1; /* a comment */ \\\n    } while (0) // another");
    add_line(p, "TWICE", "#define %s(f, x) (f(f(x) + 1))");
    add_line(p, "LARGER", "#define %s(a, b) ((a) > (b) ? (a) \\\n        : (b))");
    add_line(p, "FUSED_ADD",
             "#ifdef __TILEC__\n#define %s(x, y, z) ((x) * (y) + (z))\n#else\n"
             "#define %s(x, y, z) fused(x, y, z)\n#endif");
    add_line(p, "FUSED_SUB",
             "#ifdef __TILEC__\n#define %s(x, y, z) ((x) * (y) - (z))\n#else\n"
             "#define %s(x, y, z) fused(x, y, -(__typeof__((x) * (y) - (z)))(z))\n#endif");
    add_line(p, "FUSED_FROM",
             "#ifdef __TILEC__\n#define %s(x, y, z) ((z) - (x) * (y))\n#else\n"
             "#define %s(x, y, z) fused(-(x), y, z)\n#endif");
    add_line(p, "FUSED_INTO",
             "#ifdef __TILEC__\n#define %s(v, x, y) v += (x) * (y)\n#else\n"
             "#define %s(v, x, y) v = fused(x, y, v)\n#endif");
    add_item(p, "_along(", program_alongs);
    for (int i = 0; i < (p->g.kernel->bfloat ? 4 : 3); i++) {
        const char *t = floats[i];
        add_choice(p, t, format(p, "within_%s", t), "%s %s(%s x, %s low, %s high)",
                   "x >= low && x <= high", "x", "low");
        add_choice(p, t, format(p, "number_%s", t), "%s %s(%s x)", "x == x", "x", "1");
    }
    for (int i = 0; i < 4; i++) { /* associative, and the order matters to one */
        const char *t = integers[i];
        add_choice(p, t, format(p, "first_%s", t), "%s %s(%s a, %s b)", "a % 3 != 0", "a", "b");
        const char *mixed = own_name(p, format(p, "mixed_%s", t));
        add_item(p, mixed,
                 arena_format(program_arena(p),
                              "static %s %s(%s a, %s b)\n{\n    return a + b + a * b;\n}\n", t,
                              mixed, t, t));
    }
}

/* A constant's value: a literal, or what others make it. */
static const char *constant(struct program *p, enum ir_elem elem)
{
    static const char *const patterns[] = {"%s * 3 - 1",      "-%s", "(%s >> 2) + 5",
                                           "%s > 3 ? 7 : -2", "!%s", "1 << (%s & 5)",
                                           "%s %% 4 | 9"};
    const struct named *from = p->named_count ? &p->named[below(p, p->named_count)] : NULL;
    if (!from || !from->is_enumerator || program_is_float(elem) || !chance(p, 50))
        return program_number(p, elem);
    const char *value = arena_format(program_arena(p), patterns[below(p, 7)], from->name);
    return arena_format(program_arena(p), "(%s)(%s)", program_spelling(p, elem), value);
}

static void add_named(struct program *p)
{
    static const char *const words[] = {"constexpr", "const", "static const", "constexpr"};
    for (int i = below(p, 5); i > 0 && p->named_count < NAMED; i--) {
        struct named *named = &p->named[p->named_count];
        enum ir_elem elem = program_elem(p);
        bool is_enumerator = chance(p, 30), is_table = !is_enumerator && chance(p, 50);
        named->elem = is_enumerator ? IR_I32 : elem;
        named->is_table = is_table;
        named->is_enumerator = is_enumerator;
        named->name = own_name(p, format(p,
                                         is_table        ? "table%s"
                                         : is_enumerator ? "E%s"
                                                         : "N%s",
                                         arena_format(program_arena(p), "%d", p->named_count)));
        const char *type = program_spelling(p, elem), *word = words[below(p, 4)];
        struct text text;
        text_init(&text, program_arena(p));
        if (is_enumerator)
            text_format(&text, "enum { before_%s = %s, %s, behind_%s };", named->name,
                        constant(p, IR_I32), named->name, named->name);
        else if (!is_table)
            text_format(&text, "%s %s %s = %s;", word, type, named->name, constant(p, elem));
        else {
            text_format(&text, "%s %s %s[8] = {", word, type, named->name);
            for (int k = 0; k < 7 && !(k > 2 && chance(p, 10)); k++) {
                text_string(&text, k ? ", " : "");
                text_string(&text, k == 3 && chance(p, 20) ? "[4] = " : "");
                text_string(&text, constant(p, elem));
            }
            text_string(&text, "};");
        }
        add_item(p, named->name, text.items);
        p->named_count++;
    }
}

/* A helper's frame: it sees its parameters and what the file declares. */
static void add_helper(struct program *p)
{
    struct helper *helper = ARENA_NEW(program_arena(p), struct helper);
    helper->name = own_name(p, arena_format(program_arena(p), "f%d", p->helper_count));
    helper->result = program_elem(p);
    helper->is_straight = p->tile > 1 && chance(p, 60);
    helper->stores = p->tile == 1 && chance(p, 35);
    helper->is_void = helper->stores && chance(p, 50);
    helper->count = helper->stores ? 1 + below(p, 3) : below(p, 4);
    p->self = helper;
    p->frame = p->block = p->scope_count;
    p->fuel = 9;
    struct text head;
    text_init(&head, program_arena(p));
    text_string(&head, chance(p, 20) ? "static inline " : "static ");
    text_format(&head, "%s %s(", helper->is_void ? "void" : program_spelling(p, helper->result),
                helper->name);
    for (int i = 0; i < helper->count; i++) {
        enum ir_elem elem = program_elem(p);
        bool is_pointer = i == 0 && (helper->stores || (p->tile == 1 && chance(p, 25)));
        bool is_constant = !is_pointer && chance(p, 15);
        struct local *v = program_declare(p, elem, is_pointer ? ROLE_POINTER : ROLE_ANY);
        v->variable.fixed = is_constant;
        if (helper->is_straight && !is_constant)
            v->variable.type = shape_of(1, p->tile, 0, elem);
        v->stores = helper->stores;
        v->moves = is_pointer ? 16 : 0;
        helper->parameters[i].elem = elem;
        helper->parameters[i].is_pointer = is_pointer;
        helper->parameters[i].is_constant = is_constant;
        text_format(&head, "%s%s%s %s%s", i ? ", " : "",
                    is_constant                ? "constexpr "
                    : is_pointer && !v->stores ? "const "
                                               : "",
                    is_pointer ? c_name(elem) : program_spelling(p, elem), is_pointer ? "*" : "",
                    v->variable.name);
    }
    text_string(&head, helper->count ? ")" : "void)");
    struct list body = {0};
    for (int i = 1 + below(p, 4); i > 0; i--)
        statement(p, &body);
    if (!helper->is_void)
        program_add(
            program_append(p, &body, "return $0;"),
            program_converted(p, helper->result, helper->is_straight ? 0 : WANT_UNIFORM, 4, false));
    p->self = NULL;
    p->scope_count = p->frame;
    p->frame = p->block = 0;
    const char *definition = head.items;
    if (chance(p, 15))
        definition = arena_format(program_arena(p), "%s;\n%s", definition, definition);
    struct item *item = add_item(p, helper->name, definition);
    item->has_body = true;
    item->body = body.first;
    p->helpers[p->helper_count++] = helper;
}

/* What the variables hold at the end. */
static void store_variables(struct program *p, struct list *list)
{
    const char *pattern =
        p->tile > 1 ? "store(@ + pid * 256 + %d + lane, $0, true);" : "@[pid * 256 + %d] = $0;";
    int stored[IR_ELEM_COUNT] = {0}, size = p->tile > 1 ? 64 : 1;
    for (int i = 0; i < p->scope_count; i++) {
        struct local *v = p->scope[i];
        enum ir_elem elem = (enum ir_elem)v->variable.type.elem;
        if ((v->role != ROLE_ANY && v->role != ROLE_SMALL && v->role != ROLE_SUM) ||
            stored[elem] * size >= 192)
            continue;
        int place = 64 + stored[elem]++ * size;
        struct statement *s =
            program_append(p, list, arena_format(program_arena(p), pattern, place));
        s->parameter = generate_parameter(&p->g, PARAMETER_OWN, elem);
        program_add(s, value_of(p, v));
    }
}

struct kernel *generate_program(struct arena *arena, uint64_t seed, bool bfloat)
{
    static const int tiles[] = {2, 3, 8, 16, 33, 64};
    struct kernel *k = ARENA_NEW(arena, struct kernel);
    struct program program = {
        .g = {.kernel = k, .random = {seed * UINT64_C(0x9fb21c651e98df25) + 7}}};
    struct program *p = &program;
    k->arena = arena;
    k->seed = seed;
    k->bfloat = bfloat;
    text_init(&k->helpers, arena);
    text_init(&k->tables, arena);
    k->specials = chance(p, 40);
    k->grid[0] = 1 + below(p, 3);
    k->grid[1] = k->grid[2] = 1;
    if (chance(p, 15))
        k->grid[1 + below(p, 2)] = 2;
    k->tile = p->tile = seed % 3 == 0 ? tiles[below(p, 6)] : 1;
    p->items = &k->items;
    add_macros(p);
    add_named(p);
    for (int i = below(p, HELPERS + 1); i > 0; i--)
        add_helper(p);
    p->fuel = 34;
    struct list body = {0};
    if (p->tile > 1) {
        program_append(p, &body, arena_format(arena, "int lane = arange(0, %d);", p->tile));
        struct local *lane = program_declare(p, IR_I32, ROLE_SMALL);
        lane->variable = (struct variable){.name = "lane", .type = shape_of(1, p->tile, 0, IR_I32)};
    }
    for (int i = 4 + below(p, 8); i > 0 && p->fuel > 0; i--) {
        p->fuel--;
        statement(p, &body);
    }
    store_variables(p, &body);
    k->body = body.first;
    return k;
}
