/*
 * Loops of programs; see program.h. All of them end, whatever their bodies do: what a loop counts
 * with is not assigned in its body but by the statements that this file puts there, which only
 * bring its end nearer, or it counts its turns and leaves after a few.
 */
#include "program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const uint8_t signed_elems[] = {IR_I32, IR_I64, IR_I32, IR_I16, IR_I8, IR_I32};
static const uint8_t all_elems[] = {IR_I32, IR_I64, IR_I8,  IR_I16, IR_U32,
                                    IR_U64, IR_U8,  IR_U16, IR_I32, IR_U32};

/* A place in a statement's text that an expression takes, or a number. */
struct bound {
    const char *text;
    struct expr *value; /* for its $N, or NULL */
};

static const char *text_of(struct program *p, const char *pattern, ...)
    __attribute__((format(printf, 2, 3)));

static const char *text_of(struct program *p, const char *pattern, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, pattern);
    vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return arena_format(program_arena(p), "%s", text);
}

static bool is_signed(enum ir_elem elem)
{
    return kind_of(elem) == IR_KIND_SIGNED;
}

/* A number from 0 on, of a type that C compares with the counter's as numbers: child $N of s. */
static const char *bound_of(struct program *p, struct statement *s, bool may_be_unsigned, int most)
{
    int child = s->count, number = 1 + below(p, most);
    if (p->tile == 1 && !p->self && chance(p, 12)) { /* in memory, where the body may change it */
        enum ir_elem elem = (enum ir_elem)all_elems[below(p, 10)];
        struct expr *e = expr_new(program_arena(p), shape_of(0, 0, 0, elem),
                                  text_of(p, "@[pid * 256 + %d]", below(p, 32)));
        e->parameter = generate_parameter(&p->g, PARAMETER_OWN, elem);
        program_add(s, e);
        p->bound = e;
        return text_of(p, "(int)($%d & %d)", child, most);
    }
    switch (below(p, 5)) {
    case 0:
        program_add(s, program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
        return text_of(p, "(int)($%d & %d)", child, most);
    case 1:
        program_add(s, program_small(p, WANT_UNIFORM));
        return text_of(p, "$%d %% %d + %d", child, most / 2, most / 2);
    case 2:
        if (may_be_unsigned) {
            program_add(s, program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
            return text_of(p, "(%s)($%d & %d)", chance(p, 50) ? "unsigned" : "size_t", child, most);
        }
        return text_of(p, "%dl", number);
    case 3:
        return text_of(p, "%d%s", number, may_be_unsigned && chance(p, 40) ? "u" : "");
    default:
        return text_of(p, "%d", number);
    }
}

/* A variable whose name nothing in its scope hides. */
static struct local *declare_alone(struct program *p, enum ir_elem elem)
{
    struct local *v = program_declare(p, elem, ROLE_HIDDEN);
    v->variable.name = arena_format(program_arena(p), "v%d", p->g.names++);
    v->variable.fixed = true;
    return v;
}

/* The body of s, with what is to stand in front of it. */
static void body(struct program *p, struct statement *s, const char *first)
{
    bool breaks = p->breaks, continues = p->continues;
    struct list list = {0};
    p->breaks = p->continues = true;
    p->loops++;
    if (first)
        program_append(p, &list, first);
    if (p->bound && chance(p, 60)) {
        struct statement *change = program_append(
            p, &list, text_of(p, "%s %s 1;", p->bound->pattern, chance(p, 50) ? "+=" : "^="));
        change->parameter = p->bound->parameter;
    }
    p->bound = NULL;
    if (p->stride && chance(p, 60))
        program_append(p, &list, text_of(p, chance(p, 50) ? "%s++;" : "%s ^= true;", p->stride));
    p->stride = NULL;
    if (chance(p, 25))
        program_leave(p, &list);
    program_block_into(p, &list, 4);
    p->loops--;
    p->breaks = breaks;
    p->continues = continues;
    s->has_body = true;
    s->body = list.first;
}

/* "i < B", or "B > i". */
static const char *compared(struct program *p, const char *counter, const char *relation,
                            const char *bound)
{
    static const char *const turned[][2] = {{"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}};
    for (int i = 0; i < 4 && chance(p, 25); i++)
        if (strcmp(turned[i][0], relation) == 0)
            return text_of(p, "%s %s %s", bound, turned[i][1], counter);
    return text_of(p, "%s %s %s", counter, relation, bound);
}

static const char *step_of(struct program *p, const char *counter, bool down, int *step)
{
    const char *i = counter;
    /* One that the body may change, which C reads in each turn. */
    struct local *v = program_visible(p, ROLE_ANY, WANT_INTEGER | WANT_UNIFORM);
    if (v && chance(p, 12)) {
        const char *pattern = chance(p, 70) ? "%s %c= (int)(%s & 3) + 1" : "%s %c= 1 + !%s";
        *step = 4; /* at most */
        if (!v->variable.fixed)
            p->stride = v->variable.name;
        return text_of(p, pattern, i, down ? '-' : '+', v->variable.name);
    }
    *step = chance(p, 70) ? 1 : 2 + below(p, 3);
    if (*step == 1 && chance(p, 70))
        return text_of(p, chance(p, 50) ? "%s%s" : "%2$s%1$s", i, down ? "--" : "++");
    if (chance(p, 30))
        return text_of(p, "%s = %s %c %d", i, i, down ? '-' : '+', *step);
    if (chance(p, 20))
        return text_of(p, "%s %c= -%d", i, down ? '+' : '-', *step);
    return text_of(p, "%s %c= %d", i, down ? '-' : '+', *step);
}

/* Puts what brings the end nearer into the body, or NULL. */
static const char *nearer(struct program *p, const char *counter, bool down)
{
    if (!chance(p, 15))
        return NULL;
    return text_of(p, chance(p, 50) ? "if (%s %% 3 == 1) %s %s;" : "if (%s == 2) %s %s;", counter,
                   counter, down ? "-= 1" : "+= 1");
}

/* The name of one, from that number to 7 above it. */
static const char *fixed_bound(struct program *p, struct list *before, int from)
{
    struct expr *e = program_value(p, WANT_INTEGER | WANT_UNIFORM, 2);
    const char *name = arena_format(program_arena(p), "v%d", p->g.names++);
    struct statement *s =
        program_append(p, before, text_of(p, "const int %s = %d + (int)($0 & 7);", name, from));
    program_add(s, e);
    return name;
}

/* for (T i = a; i < b; i++) in all its forms; the counter may live on behind it. */
static void counted(struct program *p, struct list *list)
{
    bool down = chance(p, 35), outer = chance(p, 30);
    enum ir_elem elem =
        (enum ir_elem)(chance(p, 75) ? signed_elems[below(p, 6)] : all_elems[below(p, 10)]);
    bool is_unsigned = !is_signed(elem);
    const char *type = program_spelling(p, elem);
    int count = p->scope_count, block = p->block;
    if (!outer)
        p->block = p->scope_count;
    struct local *v = program_declare(p, elem, ROLE_HIDDEN);
    const char *i = v->variable.name;
    v->variable.fixed = true;
    if (outer)
        program_append(p, list, text_of(p, "%s %s%s;", type, i, chance(p, 50) ? " = 3" : ""));
    struct list before = {0};
    struct statement *s = ARENA_NEW(program_arena(p), struct statement);
    int step, least = is_unsigned ? 0 : -below(p, 4);
    const char *steps = step_of(p, i, down, &step), *start, *condition;
    if (down) {
        start = chance(p, 50) ? text_of(p, "%d", below(p, 12) - (is_unsigned ? 0 : 4))
                              : bound_of(p, s, false, 11);
        /* An unsigned counter must not get below 0, nor a signed one meet an unsigned bound there.
         */
        const char *relation = is_unsigned || chance(p, 50) ? ">" : ">=";
        condition = compared(p, i, relation,
                             text_of(p, "%d", is_unsigned ? step - 1 + below(p, 3) : least));
    } else {
        start = chance(p, 60) ? text_of(p, "%d", chance(p, 20) ? 9 + below(p, 20) : least)
                              : bound_of(p, s, false, chance(p, 30) ? 15 : 4);
        const char *relation = chance(p, 60) ? "<" : "<=";
        condition = compared(p, i, relation, bound_of(p, s, true, 7));
    }
    bool unequal = chance(p, 12) && step == 1;
    if (unequal) {
        /* C reads its bound in each turn, and must meet it. */
        int from = is_unsigned ? 6 : below(p, 6);
        start = text_of(p, "%d", down ? from + 7 : from);
        condition = text_of(p, "%s != %s", i, fixed_bound(p, &before, from));
    }
    *(list->end ? list->end : &list->first) = before.first ? before.first : s;
    if (before.first)
        *before.end = s;
    list->end = &s->next;
    struct local *beside = NULL;
    const char *further = "";
    if (!outer && chance(p, 20)) {
        beside = declare_alone(p, elem); /* the bound may mention what another name would hide */
        further = text_of(p, ", %s = %d", beside->variable.name, 10 + below(p, 9));
        steps =
            text_of(p, chance(p, 50) ? "%s, %s--" : "%2$s--, %1$s", steps, beside->variable.name);
        beside->role = ROLE_SMALL;
    }
    v->role = ROLE_SMALL;
    s->pattern =
        outer ? text_of(p, "for (%s = %s; %s; %s)", i, start, condition, steps)
              : text_of(p, "for (%s %s = %s%s; %s; %s)", type, i, start, further, condition, steps);
    body(p, s, unequal || is_unsigned ? NULL : nearer(p, i, down));
    if (!outer) {
        p->scope_count = count;
        p->block = block;
    }
}

/* for (k = 1; k < n; k *= 2) and its like. */
static void geometric(struct program *p, struct list *list)
{
    static const struct {
        const char *pattern;
        bool is_large;
    } forms[] = {
        {"for (%s %s = 1; %s < $0; %s *= 2)", false},
        {"for (%s %s = 1; %s <= $0; %s <<= 1)", false},
        {"for (%s %s = 1; $0 > %s; %s += %s)", false},
        {"for (%s %s = 37; %s > 0; %s >>= 1)", false},
        {"for (%s %s = 37; %s; %s /= 3)", false},
        {"for (%s %s = 1; %s < $0; %s = %s * 3 + 1)", false},
        {"for (%s %s = 1; %s < 30; %s = (char)(%s + 9))", false},
        {"for (%s %s = 0; %s < $0; %s = %s + 1 + %s % 2)", false},
        {"for (%s %s = 1; %s != 32; %s *= 2)", false},
    };
    enum ir_elem elem = (enum ir_elem)all_elems[below(p, 10)];
    const char *type = program_spelling(p, elem);
    int count = p->scope_count, block = p->block, form = below(p, 9);
    p->block = p->scope_count;
    struct local *v = program_declare(p, elem, ROLE_HIDDEN);
    v->variable.fixed = true;
    const char *name = v->variable.name;
    /* The first "%s" is the type, the others are the name. */
    struct text text;
    text_init(&text, program_arena(p));
    bool first = true;
    const char *rest = forms[form].pattern, *place;
    for (; (place = strstr(rest, "%s")); rest = place + 2, first = false) {
        text_append(&text, rest, (size_t)(place - rest));
        text_string(&text, first ? type : name);
    }
    text_string(&text, rest);
    struct statement *s = program_append(p, list, text.items);
    const char *bound = text_of(p, "%d", 2 + below(p, 36));
    struct expr *e = expr_new(program_arena(p), shape_of(0, 0, 0, IR_I32), bound);
    if (chance(p, 50)) {
        e->pattern = "(int)($0 & 31)";
        expr_add(e, program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
    }
    program_add(s, e);
    v->role = ROLE_SMALL;
    body(p, s, NULL);
    p->scope_count = count;
    p->block = block;
}

/* Loops of floats. */
static void floating(struct program *p, struct list *list)
{
    static const uint8_t elems[] = {IR_F32, IR_F64, IR_F16};
    static const char *const forms[] = {"for (%s %s = 0; %s < $0; %s += 0.5f)",
                                        "for (%s %s = 4; %s >= 0.25f; %s *= 0.5f)",
                                        "for (%s %s = 1; %s != 5; %s++)"};
    enum ir_elem elem = (enum ir_elem)elems[below(p, 3)];
    int count = p->scope_count, block = p->block;
    p->block = p->scope_count;
    struct local *v = program_declare(p, elem, ROLE_HIDDEN);
    v->variable.fixed = true;
    const char *name = v->variable.name, *type = program_spelling(p, elem);
    const char *pattern = forms[below(p, 3)];
    struct text text;
    text_init(&text, program_arena(p));
    bool first = true;
    for (const char *place; (place = strstr(pattern, "%s")); pattern = place + 2, first = false) {
        text_append(&text, pattern, (size_t)(place - pattern));
        text_string(&text, first ? type : name);
    }
    text_string(&text, pattern);
    struct statement *s = program_append(p, list, text.items);
    struct expr *e = expr_new(program_arena(p), shape_of(0, 0, 0, IR_I32), "(int)($0 & 3)");
    expr_add(e, program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
    program_add(s, e);
    v->role = ROLE_ANY;
    body(p, s, NULL);
    p->scope_count = count;
    p->block = block;
}

/* Unsigned counters that wrap around, and end there or behind it. */
static void wrapping(struct program *p, struct list *list)
{
    static const struct {
        const char *pattern; /* %s: the counter */
        enum ir_elem elem;
    } forms[] = {
        {"for (uint8_t %s = 250; %s >= 240; %s++)", IR_U8},
        {"for (unsigned %s = 3; %s < 4; %s--)", IR_U32},
        {"for (uint8_t %s = 3; %s != 251; %s--)", IR_U8},
        {"for (uint16_t %s = 65532; %s; %s++)", IR_U16},
        {"for (size_t %s = 2; %s <= 2; --%s)", IR_U64},
        {"for (unsigned char %s = 200; %s; %s += 14)", IR_U8},
        {"for (uint64_t %s = -5; %s > 9; %s += 2)", IR_U64},
        {"for (unsigned %s = -7; %s < -1u; %s = %s + 3)", IR_U32},
        {"for (uint32_t %s = 1; %s; %s *= 0x1000)", IR_U32},
        {"for (unsigned short %s = 0xf000; %s; %s <<= 1)", IR_U16},
        {"for (uint8_t %s = 5; %s < 0xf0; %s -= 2)", IR_U8},
        {"for (unsigned %s = 5; %s + 1 != 0; %s -= 1)", IR_U32},
    };
    int count = p->scope_count, block = p->block, form = below(p, 12);
    p->block = p->scope_count;
    struct local *v = program_declare(p, forms[form].elem, ROLE_HIDDEN);
    v->variable.fixed = true;
    const char *i = v->variable.name;
    struct statement *s = program_append(p, list, text_of(p, forms[form].pattern, i, i, i, i));
    v->role = ROLE_ANY;
    body(p, s, NULL);
    p->scope_count = count;
    p->block = block;
}

/* while and do, with a variable that counts and a further condition now and then. */
static void repeated(struct program *p, struct list *list)
{
    enum ir_elem elem = (enum ir_elem)all_elems[below(p, 10)];
    struct local *v = program_declare(p, elem, ROLE_HIDDEN);
    v->variable.fixed = true;
    const char *i = v->variable.name;
    bool down = is_signed(elem) && chance(p, 40), is_do = chance(p, 40), more = chance(p, 40);
    const char *type = program_spelling(p, elem);
    program_append(p, list, text_of(p, "%s %s = %d;", type, i, down ? 9 : below(p, 4)));
    struct local *set = NULL;
    if (is_do && chance(p, 40)) { /* has its first value from the body */
        set = program_declare(p, program_elem(p), ROLE_HIDDEN);
        program_append(p, list,
                       text_of(p, "%s %s;",
                               program_spelling(p, (enum ir_elem)set->variable.type.elem),
                               set->variable.name));
    }
    struct statement *s = program_append(p, list, NULL);
    if (more)
        program_add(s, program_condition(p));
    const char *condition = down ? text_of(p, "%s > %d", i, below(p, 6) - 2)
                                 : text_of(p, "%s < %s", i, bound_of(p, s, true, 7));
    if (more)
        condition = text_of(p, chance(p, 50) ? "%s && ($0)" : "($0) && %s", condition);
    v->role = ROLE_SMALL;
    if (is_do) {
        s->pattern = "do";
        s->tail = text_of(p, " while (%s);", condition);
    } else {
        s->pattern = text_of(p, "while (%s)", condition);
    }
    const char *first = text_of(p, down ? "%s -= %d;" : "%s += %d;", i, 1 + below(p, 3));
    if (set)
        first = text_of(p, "%s %s = %s;", first, set->variable.name,
                        program_number(p, (enum ir_elem)set->variable.type.elem));
    body(p, s, first);
    if (set)
        set->role = ROLE_ANY;
}

/* Anything: it leaves after some turns. */
static void guarded(struct program *p, struct list *list)
{
    static const char *const forms[] = {
        "while (true)",
        "for (;;)",
        "for (%T %s = $0; %s < $1; %s += $2)",
        "for (%T %s = $0; %s >= $1; %s--)",
        "for (%U %s = $0; %s > $1; %s -= 3)",
        "for (%T %s = $0; %s != $1; %s = %s * 5 + 3)",
        "for (%U %s = $0; %s != $1; %s++)",
        "for (%T %s = $0; ; %s ^= $1)",
        "while ($0)",
        "do",
    };
    int form = below(p, 10);
    const char *pattern = forms[form];
    int count = p->scope_count, block = p->block;
    struct local *turns = declare_alone(p, IR_I32);
    program_append(p, list, text_of(p, "int %s = 0;", turns->variable.name));
    turns->role = ROLE_SMALL;
    p->block = p->scope_count;
    /* A signed counter that counts is exact, and C's wraps: those are unsigned here. */
    static const uint8_t elems[] = {IR_U32, IR_U8, IR_U16, IR_U64};
    enum ir_elem elem = (enum ir_elem)elems[below(p, 4)];
    struct local *v = program_declare(p, elem, ROLE_HIDDEN);
    const char *i = v->variable.name;
    struct text text;
    text_init(&text, program_arena(p));
    for (; *pattern; pattern++) {
        bool escape = pattern[0] == '%' && strchr("TUs", pattern[1]);
        if (escape)
            text_string(&text, pattern[1] == 's' ? i : program_spelling(p, elem));
        else
            text_char(&text, *pattern);
        pattern += escape;
    }
    struct statement *s = program_append(p, list, text.items);
    for (int k = 0; k < 3; k++)
        program_add(s, k == 0 && form >= 8 ? program_condition(p)
                                           : program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
    if (form == 9)
        s->tail = " while ($0);";
    bool declares = strchr(text.items, ';') && form > 1;
    v->role = declares ? ROLE_ANY : ROLE_HIDDEN;
    const char *t = turns->variable.name;
    body(p, s, text_of(p, "%s++; if (%s > %d) break;", t, t, 2 + below(p, 6)));
    p->scope_count = count + 1;
    p->block = block;
}

/* Counters with large values, far enough from the ends of their types; what reads one casts it. */
static void far(struct program *p, struct list *list)
{
    enum ir_elem elem = chance(p, 50) ? IR_I32 : IR_I64;
    const char *type = program_spelling(p, elem);
    bool down = chance(p, 40), leaves = chance(p, 40), outer = chance(p, 40);
    struct expr *from = program_converted(p, elem, WANT_UNIFORM, 3, true);
    struct local *start = declare_alone(p, elem), *counter = declare_alone(p, elem),
                 *turns = declare_alone(p, IR_I32), *seen = declare_alone(p, elem);
    const char *s = start->variable.name, *i = counter->variable.name, *t = turns->variable.name,
               *x = seen->variable.name;
    program_add(program_append(p, list, text_of(p, "const %s %s = $0 >> 2;", type, s)), from);
    program_append(p, list, text_of(p, "int %s = 0;", t));
    if (outer)
        program_append(p, list, text_of(p, "%s %s;", type, i));
    struct statement *loop = program_append(p, list, NULL);
    const char *bound = text_of(p, "%s %c %d", s, down ? '-' : '+', below(p, 8));
    if (leaves) {
        program_add(loop, program_value(p, WANT_INTEGER | WANT_UNIFORM, 3));
        bound = "$0";
    }
    const char *relation = chance(p, 60) ? "<" : "<=";
    relation = !down ? relation : relation[1] ? ">=" : ">";
    int step;
    const char *steps = step_of(p, i, down, &step);
    loop->pattern = text_of(p, "for (%s%s%s = %s; %s; %s)", outer ? "" : type, outer ? "" : " ", i,
                            s, compared(p, i, relation, bound), steps);
    const char *first = text_of(
        p, "%s++;%s const %s %s = (%s)%s;", t,
        leaves ? text_of(p, " if (%s > %d) break;", t, 1 + below(p, 6)) : "", type, x, type, i);
    start->role = seen->role = ROLE_ANY;
    turns->role = ROLE_SMALL;
    body(p, loop, first);
    seen->role = ROLE_HIDDEN;
    if (!outer)
        return;
    struct local *last = declare_alone(p, elem);
    program_append(p, list,
                   text_of(p, "const %s %s = (%s)%s;", type, last->variable.name, type, i));
    last->role = ROLE_ANY;
}

/* A signed counter against what only an unsigned number of 64 bits holds: it never gets there, and
 * the body leaves. Downwards there is no turn. */
static void beyond(struct program *p, struct list *list)
{
    static const char *const bounds[] = {
        "0xffffffffffffffff",
        "~0ul",
        "18446744073709551615u",
        "0x8000000000000000",
        "(size_t)-1",
        "-(1ull)",
        "UINT64_MAX",
        "($0 | 0x8000000000000000)",
    };
    enum ir_elem elem = (enum ir_elem)signed_elems[below(p, 6)];
    int count = p->scope_count, block = p->block;
    bool down = chance(p, 15);
    struct local *turns = declare_alone(p, IR_I32);
    const char *t = turns->variable.name;
    program_append(p, list, text_of(p, "int %s = 0;", t));
    turns->role = ROLE_SMALL;
    p->block = p->scope_count;
    struct local *v = program_declare(p, elem, ROLE_HIDDEN);
    v->variable.fixed = true;
    const char *i = v->variable.name;
    int step;
    const char *steps = step_of(p, i, down, &step);
    const char *relation = chance(p, 60) ? "<" : "<=";
    relation = !down ? relation : relation[1] ? ">=" : ">";
    struct statement *s = program_append(p, list, NULL);
    const char *condition = compared(p, i, relation, bounds[below(p, 8)]);
    int first = below(p, 9);
    s->pattern = text_of(p, "for (%s %s = %d; %s; %s)", program_spelling(p, elem), i, first,
                         condition, steps);
    program_add(s, program_value(p, WANT_INTEGER | WANT_UNIFORM, 2));
    v->role = ROLE_SMALL;
    body(p, s, text_of(p, "%s++; if (%s > %d) break;", t, t, 1 + below(p, 5)));
    p->scope_count = count + 1;
    p->block = block;
}

/* A pointer that walks beside a counter. */
static void walk(struct program *p, struct list *list)
{
    struct local *pointer = program_visible(p, ROLE_POINTER, 0);
    if (!pointer || pointer->moves < 12 || pointer->loops != p->loops || p->self || p->tile > 1) {
        counted(p, list);
        return;
    }
    pointer->moves -= 12;
    int count = p->scope_count, block = p->block;
    p->block = p->scope_count;
    struct local *v = declare_alone(p, IR_I32);
    const char *i = v->variable.name, *name = pointer->variable.name;
    bool beside = chance(p, 60);
    struct statement *s = program_append(
        p, list,
        beside
            ? text_of(p, "for (int %s = 0; %s < %d; %s++, %s += 2)", i, i, 2 + below(p, 5), i, name)
            : text_of(p, "for (int %s = 0; %s < %d; %s++)", i, i, 2 + below(p, 5), i));
    v->role = ROLE_SMALL;
    body(p, s,
         beside ? NULL
                : text_of(p, chance(p, 50) ? "if (%s & 1) %s++;" : "%2$s += 1 + (%1$s & 1);", i,
                          name));
    p->scope_count = count;
    p->block = block;
}

void program_loop(struct program *p, struct list *list)
{
    int choice = below(p, 100);
    if (choice < 7)
        far(p, list);
    else if (choice < 45)
        counted(p, list);
    else if (choice < 57)
        geometric(p, list);
    else if (choice < 63)
        floating(p, list);
    else if (choice < 67)
        wrapping(p, list);
    else if (choice < 70)
        beyond(p, list);
    else if (choice < 79)
        repeated(p, list);
    else if (choice < 90)
        guarded(p, list);
    else
        walk(p, list);
}
