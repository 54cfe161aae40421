/*
 * Statements and the frame of a kernel.
 *
 * What makes a kernel valid by construction: every program stores into its own part of an output,
 * reads inputs at masked offsets, and updates what is shared with one atomic op per kernel; loops
 * make a few trips; a variable keeps the type that it was declared with.
 */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena *arena_of(struct generator *g)
{
    return g->kernel->arena;
}

static const char *new_name(struct generator *g, char prefix)
{
    return arena_format(arena_of(g), "%c%d", prefix, g->names++);
}

/* ---- parameters ----------------------------------------------------------------------------- */

static uint64_t scalar_bits(struct generator *g, enum ir_elem elem)
{
    static const float floats[] = {0.5f, -2.25f, 1.0f, 3.0f, 1e-3f, 100.0f};
    uint64_t bits = random_bits(&g->random);
    bits >>= random_chance(&g->random, 70) ? 60 : 20;
    float narrow = floats[random_below(&g->random, 6)];
    double wide = (double)narrow;
    switch (elem) {
    case IR_F32:
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
        return bits;
    case IR_F64:
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    case IR_F16:
        return 0x3c00 + (bits & 0x7ff);
    case IR_BF16:
        return 0x3f80 + (bits & 0x7f);
    case IR_BOOL:
        return bits & 1;
    default:
        return bits_of(elem) == 64 ? bits : bits & ((UINT64_C(1) << bits_of(elem)) - 1);
    }
}

static int64_t programs_of(const struct kernel *k)
{
    return k->grid[0] * k->grid[1] * k->grid[2];
}

static int64_t elements_of(const struct kernel *k, enum parameter_kind kind)
{
    switch (kind) {
    case PARAMETER_INPUT:
        return INPUT_ELEMENTS;
    case PARAMETER_OWN:
        return OWN_ELEMENTS * programs_of(k);
    case PARAMETER_ATOMIC:
        return ATOMIC_ELEMENTS;
    default:
        return 0; /* an output's is set by its store */
    }
}

struct parameter *generate_new_parameter(struct generator *g, enum parameter_kind kind,
                                         enum ir_elem elem)
{
    static const char *const prefixes[] = {"X", "O", "B", "A", "s"};
    struct kernel *k = g->kernel;
    struct parameter *p = ARENA_NEW(k->arena, struct parameter);
    bool is_restrict = random_chance(&g->random, 60); /* one draw after the other, on every compiler */
    /* None stands for another: its stores would be to too small an array, or race with another's.
     */
    if (k->parameter_count == MAX_PARAMETERS) {
        fprintf(stderr, "random_kernels: a kernel of more than %d parameters\n", MAX_PARAMETERS);
        abort();
    }
    *p = (struct parameter){
        .name = arena_format(k->arena, "%s%d", prefixes[kind], k->parameter_count),
        .kind = kind,
        .elem = elem,
        .is_restrict = is_restrict,
        .elements = elements_of(k, kind),
        .bits = scalar_bits(g, elem),
    };
    return k->parameters[k->parameter_count++] = p;
}

/* Inputs and the like are shared by all uses of an element; each store has an output of its own. A
 * buffer that is read and written has a second name now and then. */
struct parameter *generate_parameter(struct generator *g, enum parameter_kind kind,
                                     enum ir_elem elem)
{
    struct kernel *k = g->kernel;
    int start = random_below(&g->random, k->parameter_count + 1);
    for (int i = 0; i < k->parameter_count && kind != PARAMETER_OUTPUT; i++) {
        struct parameter *p = k->parameters[(start + i) % k->parameter_count];
        if (p->kind == kind && p->elem == elem)
            return p;
    }
    struct parameter *p = generate_new_parameter(g, kind, elem);
    if (kind != PARAMETER_OWN || !random_chance(&g->random, 40))
        return p;
    struct parameter *other = generate_new_parameter(g, kind, elem);
    p->is_restrict = other->is_restrict = false;
    other->same_as = p;
    return other;
}

/* ---- types ---------------------------------------------------------------------------------- */

static enum ir_elem random_elem(struct generator *g)
{
    static const uint8_t common[] = {IR_F32, IR_F32, IR_I32, IR_F16, IR_I64};
    int choice = random_below(&g->random, 5 + IR_ELEM_COUNT);
    enum ir_elem elem = choice < 5 ? (enum ir_elem)common[choice] : (enum ir_elem)(choice - 5);
    return elem == IR_F64 && g->kernel->metal ? IR_F32 : elem;
}

static struct ir_type random_type(struct generator *g)
{
    enum ir_elem elem = random_elem(g);
    int32_t a = g->sizes[random_below(&g->random, 3)], b = g->sizes[random_below(&g->random, 3)];
    int choice = random_below(&g->random, 10);
    if (choice < 2)
        return shape_of(0, 0, 0, elem);
    if (choice < 7 || a * b > 4096)
        return shape_of(1, a, 0, elem);
    return shape_of(2, a, choice == 9 ? 2 : b, elem);
}

/* ---- statements ----------------------------------------------------------------------------- */

static struct statement *statement_new(struct generator *g, const char *pattern)
{
    struct statement *s = ARENA_NEW(arena_of(g), struct statement);
    s->pattern = pattern;
    return s;
}

/* Adds an expression with so many nodes as a rule. */
static void add_expr(struct generator *g, struct statement *s, struct ir_type type, bool exact,
                     int fuel)
{
    g->fuel = 1 + random_below(&g->random, fuel);
    s->children[s->count++] = generate_expr(g, type, exact);
}

static struct ir_type scalar(enum ir_elem elem)
{
    return shape_of(0, 0, 0, elem);
}

static struct statement *declaration(struct generator *g)
{
    struct ir_type type = random_type(g);
    enum ir_elem elem = (enum ir_elem)type.elem;
    struct variable *v = ARENA_NEW(arena_of(g), struct variable);
    v->name = new_name(g, 'v');
    v->type = type;
    v->approximate = is_float(elem) && random_chance(&g->random, 70);
    struct statement *s = statement_new(g, arena_format(arena_of(g), "%s %% = $0;", c_name(elem)));
    s->variable = v;
    s->declares = true;
    add_expr(g, s, type, !v->approximate, 12);
    if (g->scope_count < 128)
        g->scope[g->scope_count++] = v;
    return s;
}

static struct statement *assignment(struct generator *g)
{
    if (g->scope_count == 0)
        return declaration(g);
    struct variable *v = g->scope[random_below(&g->random, g->scope_count)];
    if (v->fixed)
        return declaration(g);
    enum ir_elem elem = (enum ir_elem)v->type.elem;
    bool compound = elem != IR_BOOL && random_chance(&g->random, 40);
    struct statement *s = statement_new(g, compound ? "% += $0;" : "% = $0;");
    s->variable = v;
    add_expr(g, s, v->type, !v->approximate, 8);
    return s;
}

/* The program's part of an output begins here. */
static const char *own_part(struct generator *g, struct parameter *p, int64_t count)
{
    p->elements = count * programs_of(g->kernel);
    return arena_format(arena_of(g), "@ + pid * %d", (int)count);
}

static struct statement *store(struct generator *g)
{
    struct arena *arena = arena_of(g);
    struct ir_type type = random_type(g);
    enum ir_elem from = (enum ir_elem)type.elem;
    enum ir_elem to = random_chance(&g->random, 70) ? from : random_elem(g);
    struct parameter *p = generate_parameter(g, PARAMETER_OUTPUT, to);
    if (p->kind != PARAMETER_OUTPUT)
        return declaration(g);
    int32_t rows = type.dims[0], columns = type.dims[1];
    int64_t count = type.rank == 0 ? 1 : type.rank == 1 ? rows : rows * columns;
    const char *part = own_part(g, p, count);
    bool masked = random_chance(&g->random, 30);
    const char *pattern;
    if (type.rank == 2 && random_chance(&g->random, 50)) {
        masked = false;
        const char *view = arena_format(arena, "view(%s, %d, %d)", part, (int)rows, (int)columns);
        if (random_chance(&g->random, 40))
            view = strided_view(g, part, rows, columns, false);
        pattern = arena_format(arena, "tile_store(%s, $1 %% 3, $2 %% 3, $0);", view);
    } else if (type.rank == 2) {
        pattern = arena_format(
            arena,
            "store(%s + expand_dims(arange(0, %d), 1) * %d + expand_dims(arange(0, %d), 0), $0%s);",
            part, (int)rows, (int)columns, (int)columns, masked ? ", $1" : "");
    } else if (type.rank == 1) {
        /* Backwards now and then: a scatter without two values for one place. */
        bool backwards = random_chance(&g->random, 20);
        pattern = arena_format(arena, "store(%s + %s arange(0, %d), $0%s);", part,
                               backwards ? arena_format(arena, "%d -", (int)rows - 1) : "",
                               (int)rows, masked ? ", $1" : "");
    } else {
        pattern = arena_format(arena, "store(%s, $0%s);", part, masked ? ", $1" : "");
    }
    struct statement *s = statement_new(g, pattern);
    s->parameter = p;
    add_expr(g, s, type, !is_float(to) || !is_float(from), 14);
    if (strstr(pattern, "tile_store")) {
        add_expr(g, s, scalar(IR_I64), true, 3);
        add_expr(g, s, scalar(IR_I64), true, 3);
    } else if (masked) {
        type.elem = IR_BOOL;
        add_expr(g, s, type, true, 6);
    }
    return s;
}

/* Stores that together fill an output, or leave gaps in it: the colours of a picture. */
static struct statement *interleaved_store(struct generator *g)
{
    struct ir_type type = random_type(g);
    struct parameter *p = generate_parameter(g, PARAMETER_OUTPUT, (enum ir_elem)type.elem);
    if (p->kind != PARAMETER_OUTPUT || type.rank != 1)
        return declaration(g);
    int count = (int)type.dims[0], step = 2 + random_below(&g->random, 3);
    const char *part = own_part(g, p, (int64_t)count * step);
    bool masked = random_chance(&g->random, 40), gaps = random_chance(&g->random, 30);
    int least = random_below(&g->random, 4);
    struct statement *first = NULL, **link = &first;
    for (int k = 0; k < step; k++) {
        if (gaps && random_chance(&g->random, 40))
            continue;
        const char *mask = masked ? arena_format(arena_of(g), ", arange(0, %d) >= %d", count, least)
                                  : "";
        struct statement *s = statement_new(
            g, arena_format(arena_of(g), "store(%s + %d * arange(0, %d) + %d, $0%s);", part, step,
                            count, k, mask));
        s->parameter = p;
        add_expr(g, s, type, true, 5);
        *link = s;
        link = &s->next;
    }
    return first ? first : declaration(g);
}

/* A store to the program's own part of a buffer that is also read, at a place that varies. */
static struct statement *own_store(struct generator *g)
{
    struct ir_type type = random_type(g);
    if (type.rank != 1 || type.dims[0] > OWN_ELEMENTS - 127)
        return store(g);
    struct parameter *p = generate_parameter(g, PARAMETER_OWN, (enum ir_elem)type.elem);
    const char *pattern = arena_format(
        arena_of(g), "store(@ + pid * 256 + ($1 & 127) + arange(0, %d), $0);", (int)type.dims[0]);
    struct statement *s = statement_new(g, pattern);
    s->parameter = p;
    add_expr(g, s, type, true, 10);
    add_expr(g, s, scalar(IR_I64), true, 4);
    return s;
}

static struct statement *atomic(struct generator *g)
{
    static const uint8_t elems[] = {IR_I32, IR_U32, IR_I64, IR_U64};
    struct ir_type type = random_type(g);
    type.elem = elems[random_below(&g->random, g->kernel->metal ? 2 : 4)];
    struct parameter *p = generate_parameter(g, PARAMETER_ATOMIC, (enum ir_elem)type.elem);
    bool masked = random_chance(&g->random, 40);
    struct statement *s = statement_new(
        g, arena_format(arena_of(g), "%s(@ + ($1 & 63), $0%s);", g->atomic, masked ? ", $2" : ""));
    s->parameter = p;
    add_expr(g, s, type, true, 6);
    type.elem = IR_I64;
    add_expr(g, s, type, true, 4);
    type.elem = IR_BOOL;
    if (masked)
        add_expr(g, s, type, true, 4);
    return s;
}

/* An exchange in the program's own part: what was there is a value like any other. No NaN is expected
 * there, because its bits would be compared, which no computation defines. */
static struct statement *own_atomic(struct generator *g)
{
    static const uint8_t elems[] = {IR_I32, IR_U32, IR_F32, IR_I64};
    struct ir_type type = random_type(g);
    type.elem = elems[random_below(&g->random, g->kernel->metal ? 3 : 4)];
    if (type.rank != 1 || type.dims[0] > OWN_ELEMENTS - 127)
        return atomic(g);
    struct variable *v = ARENA_NEW(arena_of(g), struct variable);
    *v = (struct variable){.name = new_name(g, 'v'), .type = type};
    bool exchange = random_chance(&g->random, 50);
    const char *operands = exchange                 ? "$1"
                           : type.elem == IR_F32 ? "where(isnan($1), cast(float, 0), $1), $2"
                                                    : "$1, $2";
    const char *pattern =
        arena_format(arena_of(g), "%s %% = %s(@ + pid * 256 + ($0 & 127) + arange(0, %d), %s);",
                     c_name((enum ir_elem)type.elem), exchange ? "atomic_xchg" : "atomic_cas",
                     (int)type.dims[0], operands);
    struct statement *s = statement_new(g, pattern);
    s->parameter = generate_parameter(g, PARAMETER_OWN, (enum ir_elem)type.elem);
    add_expr(g, s, scalar(IR_I64), true, 3);
    add_expr(g, s, type, true, 4);
    if (!exchange)
        add_expr(g, s, type, true, 4);
    s->variable = v;
    s->declares = true;
    if (g->scope_count < 128)
        g->scope[g->scope_count++] = v;
    return s;
}

/* ---- control -------------------------------------------------------------------------------- */

static struct statement *statements(struct generator *g, int count, int depth);

/* A body whose declarations end with it. */
static struct statement *body(struct generator *g, int depth)
{
    int scope = g->scope_count;
    struct statement *first = statements(g, 1 + random_below(&g->random, 4), depth + 1);
    g->scope_count = scope;
    return first;
}

static void enter_counter(struct generator *g, const char *name, enum ir_elem elem)
{
    struct variable *v = ARENA_NEW(arena_of(g), struct variable);
    *v = (struct variable){.name = name, .type = scalar(elem), .fixed = true};
    if (g->scope_count < 128)
        g->scope[g->scope_count++] = v;
}

static struct statement *for_loop(struct generator *g, int depth)
{
    struct arena *arena = arena_of(g);
    const char *name = new_name(g, 'i');
    int from = random_below(&g->random, 5) - 2, step = 1 + random_below(&g->random, 3);
    const char *pattern;
    bool open = random_chance(&g->random, 40);
    if (open)
        pattern = arena_format(arena, "for (int %s = %d; %s %s ($0 & 3); %s += %d)", name, from,
                               name, random_chance(&g->random, 50) ? "<" : "<=", name, step);
    else
        pattern = arena_format(arena, "for (int %s = %d; %s < %d; %s++)", name, from, name,
                               from + random_below(&g->random, 5), name);
    struct statement *s = statement_new(g, pattern);
    if (open)
        add_expr(g, s, scalar(IR_I64), true, 4);
    int scope = g->scope_count;
    enter_counter(g, name, IR_I64);
    g->loops++;
    s->has_body = true;
    s->body = body(g, depth);
    g->loops--;
    g->scope_count = scope;
    return s;
}

/* The labels of a case: one or two that no other has, or `default`. */
static const char *case_labels(struct generator *g, int *label, int last, bool is_default)
{
    struct text text;
    text_init(&text, arena_of(g));
    int count = 1 + random_chance(&g->random, 25);
    if (is_default)
        text_string(&text, "default:");
    for (int i = 0; i < count - is_default && *label < last; i++)
        text_format(&text, "%scase %d:", text.count ? " " : "", (*label)++);
    text_char(&text, '\0');
    return text.items;
}

/* Cases with a block each; what follows the last may go without its break. */
static struct statement *switch_cases(struct generator *g, int first, int last, int depth)
{
    struct statement *cases = NULL, **link = &cases;
    int place = random_below(&g->random, 6), label = first; /* of default, if there is one */
    for (int i = 0; i < 4 && label < last; i++) {
        struct statement *s = statement_new(g, case_labels(g, &label, last, i == place));
        s->has_body = true;
        s->body = body(g, depth);
        s->tail = g->outside && random_chance(&g->random, 10) ? " continue;" : " break;";
        *link = s;
        link = &s->next;
    }
    return cases;
}

static struct statement *switch_statement(struct generator *g, int depth)
{
    bool negative = random_chance(&g->random, 40);
    struct statement *s = statement_new(g, negative ? "switch ($0 % 4)" : "switch ($0 & 7)");
    enum ir_elem elem = !negative && random_chance(&g->random, 30) ? IR_U32 : IR_I64;
    add_expr(g, s, scalar(elem), true, 5);
    int loops = g->loops, outside = g->outside, first = negative ? -2 : 0;
    g->outside += loops;
    g->loops = 0;
    s->has_body = true;
    s->body = switch_cases(g, first, first + 2 + random_below(&g->random, 4), depth);
    g->loops = loops;
    g->outside = outside;
    return s;
}

static struct statement *branch(struct generator *g, int depth)
{
    if (random_chance(&g->random, 30))
        return switch_statement(g, depth);
    struct statement *s = statement_new(g, "if ($0)");
    add_expr(g, s, scalar(IR_BOOL), true, 6);
    s->has_body = true;
    s->body = body(g, depth);
    s->has_other = random_chance(&g->random, 50);
    if (s->has_other)
        s->other = body(g, depth);
    return s;
}

/* Loops that count otherwise than by adding, or by two variables, or whose counter is seen behind
 * them: a few turns each. */
static struct statement *general_loop(struct generator *g, int depth)
{
    static const char *const forms[] = {
        "for (int @ = 1; @ < 20; @ *= 2)",
        "for (long @ = 40; @ > 0; @ /= 3)",
        "for (int @ = 1; @ <= ($0 & 15); @ <<= 1)",
        "for (int @ = $0 & 31; @ > 0; @ >>= 1)",
        "for (int @ = 0, @b = $0 & 7; @ < @b; @++, @b--)",
        "for (int @ = 0, @b = $0 & 3; @ <= @b; @++)",
        "for (int @ = $0 & 3; @ != 0; --@)",
        "for (unsigned @ = 3; @ > ($0 & 3); @--)",
        "for (int @ = 0, @b = 1; @ < ($0 & 3); @++, @b += 5)",
    };
    struct arena *arena = arena_of(g);
    int form = random_below(&g->random, 9);
    const char *name = new_name(g, 'i');
    struct text pattern;
    text_init(&pattern, arena);
    for (const char *at = forms[form]; *at; at++) {
        if (*at == '@')
            text_string(&pattern, name);
        else
            text_char(&pattern, *at);
    }
    text_char(&pattern, '\0');
    struct statement *s = statement_new(g, pattern.items);
    if (strstr(s->pattern, "$0"))
        add_expr(g, s, scalar(form == 7 ? IR_U32 : IR_I64), true, 4);
    int scope = g->scope_count;
    enter_counter(g, name, form == 7 ? IR_U32 : form == 1 ? IR_I64 : IR_I32);
    g->loops++;
    s->has_body = true;
    s->body = body(g, depth);
    g->loops--;
    g->scope_count = scope;
    return s;
}

/* The counter stands in front of the loop and moves first, so that continue cannot stop it. */
static struct statement *while_loop(struct generator *g, int depth)
{
    struct arena *arena = arena_of(g);
    const char *name = new_name(g, 'w');
    struct statement *counter = statement_new(g, arena_format(arena, "int %s = 0;", name));
    const char *condition =
        arena_format(arena, "while (%s < %d && $0)", name, 1 + random_below(&g->random, 4));
    struct statement *s = statement_new(g, condition);
    counter->next = s;
    if (random_chance(&g->random, 40)) {
        s->pattern = "do";
        s->tail = arena_format(arena, " %s;", condition);
    }
    add_expr(g, s, scalar(IR_BOOL), true, 4);
    int scope = g->scope_count;
    g->loops++;
    s->has_body = true;
    s->body = statement_new(g, arena_format(arena, "%s++;", name));
    s->body->next = body(g, depth);
    g->loops--;
    g->scope_count = scope;
    return counter;
}

static struct variable *enter_variable(struct generator *g, struct ir_type type, bool approximate)
{
    struct variable *v = ARENA_NEW(arena_of(g), struct variable);
    *v = (struct variable){
        .name = new_name(g, 'v'), .type = type, .approximate = approximate, .fixed = true};
    if (g->scope_count < 128)
        g->scope[g->scope_count++] = v;
    return v;
}

/* An assignment to a tile, if there is one that may be assigned. */
static struct statement *tile_assignment(struct generator *g)
{
    int start = random_below(&g->random, g->scope_count + 1);
    for (int i = 0; i < g->scope_count; i++) {
        struct variable *v = g->scope[(start + i) % g->scope_count];
        if (v->fixed || v->type.rank == 0)
            continue;
        struct statement *s = statement_new(g, "% = $0;");
        s->variable = v;
        add_expr(g, s, v->type, !v->approximate, 6);
        return s;
    }
    return declaration(g);
}

/* A tile changes by its own element whose place the counter is; any assignment, if there is none. */
static struct statement *element_assignment(struct generator *g, const char *counter)
{
    for (int i = 0; i < g->scope_count; i++) {
        struct variable *v = g->scope[i];
        enum ir_elem elem = (enum ir_elem)v->type.elem;
        bool summed = elem == IR_F32 || elem == IR_F64 || elem == IR_I32 || elem == IR_I64 ||
                      elem == IR_U32 || elem == IR_U64;
        if (v->fixed || v->type.rank != 1 || !summed)
            continue;
        struct statement *s = statement_new(
            g, arena_format(arena_of(g), "%% = %% + sum(where(arange(0, %d) == %s, %%, 0));",
                            (int)v->type.dims[0], counter));
        s->variable = v;
        return s;
    }
    return tile_assignment(g);
}

/* A few trips, mostly known, which carry tiles: rounds of a generator, steps to a root. Two tiles
 * may change places. */
static struct statement *short_loop(struct generator *g)
{
    struct arena *arena = arena_of(g);
    const char *name = new_name(g, 'i');
    int from = random_below(&g->random, 7) - 3, step = 1 + random_below(&g->random, 3);
    int to = from + step * (1 + random_below(&g->random, 12)) - random_below(&g->random, step);
    bool open = random_chance(&g->random, 30);
    const char *bound = open ? "($0 & 31)" : arena_format(arena, "%d", to);
    struct statement *s =
        statement_new(g, arena_format(arena, "for (int %s = %d; %s < %s; %s += %d)", name, from,
                                      name, bound, name, step));
    if (open)
        add_expr(g, s, scalar(IR_I64), true, 3);
    int scope = g->scope_count, count = 1 + random_below(&g->random, 3);
    enter_counter(g, name, IR_I64);
    g->loops++;
    s->has_body = true;
    struct statement **link = &s->body;
    for (int i = 0; i < count; i++, link = &(*link)->next)
        *link = i == 2 ? element_assignment(g, name) : tile_assignment(g);
    g->loops--;
    g->scope_count = scope;
    return s;
}

/* A row in blocks with a ragged end, as kernels of this language mostly look: a masked load, what
 * is made of it, a masked store, and a sum that starts as a scalar. */
static struct statement *row_loop(struct generator *g, int depth)
{
    struct arena *arena = arena_of(g);
    enum ir_elem elem = random_chance(&g->random, 50) ? IR_F32 : random_elem(g);
    struct ir_type type = shape_of(1, g->sizes[random_below(&g->random, 3)], 0, elem);
    int block = (int)type.dims[0];
    struct parameter *out = generate_parameter(g, PARAMETER_OUTPUT, elem);
    if (out->kind != PARAMETER_OUTPUT || elem == IR_BOOL || block < 8)
        return for_loop(g, depth);
    out->elements = INPUT_ELEMENTS * programs_of(g->kernel);
    int number = g->names++;
    const char *total = arena_format(arena, "t%d", number);

    struct statement *limit = statement_new(g, arena_format(arena, "int n%d = $0 & 511;", number));
    add_expr(g, limit, scalar(IR_I64), true, 3);
    struct statement *start =
        statement_new(g, arena_format(arena, "%s %s = 0;", c_name(elem), total));
    struct statement *loop =
        statement_new(g, arena_format(arena, "for (int i%d = 0; i%d < n%d; i%d += %d)", number,
                                      number, number, number, block));
    limit->next = start;
    start->next = loop;

    int scope = g->scope_count;
    enter_counter(g, arena_format(arena, "i%d", number), IR_I64);
    struct statement *read = statement_new(
        g,
        arena_format(arena, "%s %% = load(@ + i%d + arange(0, %d), i%d + arange(0, %d) < n%d, $0);",
                     c_name(elem), number, block, number, block, number));
    read->parameter = generate_parameter(g, PARAMETER_INPUT, elem);
    add_expr(g, read, scalar(elem), true, 1);
    read->variable = enter_variable(g, type, false);
    read->declares = true;
    struct statement *add = statement_new(g, arena_format(arena, "%s = %s + $0;", total, total));
    add_expr(g, add, type, true, 4);
    struct statement *write = statement_new(
        g, arena_format(
               arena, "store(@ + pid * 512 + i%d + arange(0, %d), $0, i%d + arange(0, %d) < n%d);",
               number, block, number, block, number));
    write->parameter = out;
    add_expr(g, write, type, !is_float(elem), 8);
    g->scope_count = scope;

    loop->has_body = true;
    loop->body = read;
    read->next = add;
    add->next = write;
    if (random_chance(&g->random, 40) && depth < 2)
        write->next = body(g, depth + 1);
    struct variable *sum = enter_variable(g, type, false);
    sum->name = total;
    return limit;
}

/* acc = dot(a, b, acc) over the common axis of two views. */
static struct statement *product_loop(struct generator *g)
{
    static const int32_t blocks[] = {1, 3, 8, 16};
    struct arena *arena = arena_of(g);
    enum ir_elem elem = random_chance(&g->random, 50)   ? IR_F32
                        : random_chance(&g->random, 50) ? IR_F16
                                                        : IR_I8;
    enum ir_elem sum = elem == IR_I8 ? IR_I32 : IR_F32;
    int m = 1 + random_below(&g->random, 17), n = 1 + random_below(&g->random, 17);
    int k = 1 + random_below(&g->random, 20), block = blocks[random_below(&g->random, 4)];
    int number = g->names++;
    struct variable *total = ARENA_NEW(arena, struct variable);
    *total = (struct variable){.name = arena_format(arena, "t%d", number),
                               .type = shape_of(2, m, n, sum),
                               .approximate = is_float(sum),
                               .fixed = true};
    struct statement *start =
        statement_new(g, arena_format(arena, "%s %s = zeros(%s, %d, %d);", c_name(sum), total->name,
                                      c_name(sum), m, n));
    struct statement *loop =
        statement_new(g, arena_format(arena, "for (int i%d = 0; i%d < %d; i%d += %d)", number,
                                      number, k, number, block));
    struct statement *step = statement_new(
        g, arena_format(arena,
                        "%s = dot(tile_load(view(@, %d, %d), $0 & 3, i%d, %d, %d), "
                        "tile_load(view(@ + 17, %d, %d), i%d, $1 & 3, %d, %d), %s);",
                        total->name, m, k, number, m, block, k, n, number, block, n, total->name));
    step->parameter = generate_parameter(g, PARAMETER_INPUT, elem);
    add_expr(g, step, scalar(IR_I64), true, 2);
    add_expr(g, step, scalar(IR_I64), true, 2);
    start->next = loop;
    loop->has_body = true;
    loop->body = step;
    if (g->scope_count < 128)
        g->scope[g->scope_count++] = total;
    return start;
}

static struct statement *leave(struct generator *g)
{
    bool leaves = random_chance(&g->random, 50); /* not: goes on */
    const char *word = g->loops                ? (leaves ? "break" : "continue")
                       : g->outside && !leaves ? "continue"
                                               : "return";
    struct statement *s = statement_new(g, arena_format(arena_of(g), "if ($0) %s;", word));
    add_expr(g, s, scalar(IR_BOOL), true, 5);
    return s;
}

static struct statement *statement(struct generator *g, int depth)
{
    int choice = random_below(&g->random, 100);
    if (choice < 35)
        return declaration(g);
    if (choice < 55)
        return assignment(g);
    if (choice < 68)
        return store(g);
    if (choice < 70)
        return interleaved_store(g);
    if (choice < 75)
        return own_store(g);
    if (choice < 78)
        return atomic(g);
    if (choice < 79)
        return own_atomic(g);
    if (choice < 80)
        return leave(g);
    if (choice < 82 && g->loops)
        return leave(g);
    if (depth >= 3)
        return assignment(g);
    if (choice < 83)
        return for_loop(g, depth);
    if (choice < 84)
        return general_loop(g, depth);
    if (choice < 87)
        return short_loop(g);
    if (choice < 91)
        return row_loop(g, depth);
    if (choice < 93)
        return product_loop(g);
    return choice < 97 ? branch(g, depth) : while_loop(g, depth);
}

static struct statement *statements(struct generator *g, int count, int depth)
{
    struct statement *first = NULL, **link = &first;
    for (int i = 0; i < count; i++) {
        *link = statement(g, depth);
        while (*link)
            link = &(*link)->next;
    }
    return first;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

static void add_helpers(struct kernel *k)
{
    text_init(&k->tables, k->arena);
    text_init(&k->helpers, k->arena);
    text_string(&k->helpers, "static float mix(float a, float b)\n"
                             "{\n"
                             "    float t = a * 0.5f + b;\n"
                             "    return t - a;\n"
                             "}\n\n"
                             "static int twist(int a, int b)\n"
                             "{\n"
                             "    return (a ^ b) + (b << 1);\n"
                             "}\n\n");
    for (int elem = IR_I8; elem <= IR_F32; elem++)
        if (elem != IR_F16 && elem != IR_BF16)
            text_format(&k->helpers,
                        "static %s greater_%s(%s a, %s b)\n{\n    return maximum(a, b);\n}\n\n",
                        c_name((enum ir_elem)elem), c_name((enum ir_elem)elem),
                        c_name((enum ir_elem)elem), c_name((enum ir_elem)elem));
    for (int elem = IR_I8; elem <= IR_F32; elem++)
        if (elem != IR_F16 && elem != IR_BF16)
            text_format(&k->helpers, "static %s later_%s(%s a, %s b)\n{\n    return b;\n}\n\n",
                        c_name((enum ir_elem)elem), c_name((enum ir_elem)elem),
                        c_name((enum ir_elem)elem), c_name((enum ir_elem)elem));
}

/* Stores every variable that is still visible: what was computed must be seen. */
static void store_variables(struct generator *g, struct statement **link)
{
    for (int i = 0; i < g->scope_count; i++) {
        struct variable *v = g->scope[i];
        if (v->type.rank == 2 || (v->fixed && v->name[0] != 't'))
            continue;
        struct parameter *p = generate_parameter(g, PARAMETER_OUTPUT, (enum ir_elem)v->type.elem);
        if (p->kind != PARAMETER_OUTPUT)
            return;
        int count = v->type.rank ? (int)v->type.dims[0] : 1;
        const char *part = own_part(g, p, count);
        struct statement *s = statement_new(
            g, v->type.rank
                   ? arena_format(arena_of(g), "store(%s + arange(0, %d), $0);", part, count)
                   : arena_format(arena_of(g), "store(%s, $0);", part));
        s->parameter = p;
        struct expr *e = expr_new(arena_of(g), v->type, "%");
        e->variable = v;
        e->approximate = v->approximate;
        s->children[s->count++] = e;
        *link = s;
        link = &s->next;
    }
}

/* In one kernel of three, drawn apart: what a seed generates stays. */
static void fix_scalars(struct kernel *k)
{
    struct random random = {k->seed ^ UINT64_C(0x6a09e667f3bcc909)};
    bool some = random_chance(&random, 33);
    for (int i = 0; i < k->parameter_count; i++)
        k->parameters[i]->fixed =
            some && k->parameters[i]->kind == PARAMETER_SCALAR && random_chance(&random, 70);
}

/* A row that is read and written is not OWN_ELEMENTS long, which other statements count on. */
static bool has_own(const struct kernel *k)
{
    for (int i = 0; i < k->parameter_count; i++)
        if (k->parameters[i]->kind == PARAMETER_OWN)
            return true;
    return false;
}

struct kernel *generate_blocked(struct arena *arena, uint64_t seed, bool metal)
{
    struct kernel *k = ARENA_NEW(arena, struct kernel);
    struct generator g = {.kernel = k, .random = {seed * UINT64_C(0xd1342543de82ef95) + 5}};
    k->arena = arena;
    k->seed = seed;
    k->metal = metal;
    add_helpers(k);
    k->body = generate_blocks(&g);
    fix_scalars(k);
    return k;
}

struct kernel *generate_overlapping(struct arena *arena, uint64_t seed, bool metal)
{
    struct kernel *k = ARENA_NEW(arena, struct kernel);
    struct generator g = {.kernel = k, .random = {seed * UINT64_C(0xd1342543de82ef95) + 3}};
    k->arena = arena;
    k->seed = seed;
    k->metal = metal;
    add_helpers(k);
    k->body = generate_overlap(&g);
    struct statement **end = &k->body;
    while (*end)
        end = &(*end)->next;
    store_variables(&g, end);
    fix_scalars(k);
    return k;
}

struct kernel *generate_kernel(struct arena *arena, uint64_t seed, bool metal)
{
    static const int32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 24, 31, 32, 33, 48, 64, 100};
    static const int32_t large[] = {128, 229, 256, 400};
    static const char *const atomics[] = {"atomic_add", "atomic_max", "atomic_min",
                                          "atomic_and", "atomic_or",  "atomic_xor"};
    struct kernel *k = ARENA_NEW(arena, struct kernel);
    struct generator g = {.kernel = k, .random = {seed * UINT64_C(0xd1342543de82ef95) + 1}};
    k->arena = arena;
    k->seed = seed;
    k->metal = metal;
    k->specials = random_chance(&g.random, 40);
    k->grid[0] = 1 + random_below(&g.random, 4);
    k->grid[1] = random_chance(&g.random, 30) ? 2 : 1;
    k->grid[2] = random_chance(&g.random, 10) ? 2 : 1;
    for (int i = 0; i < 3; i++)
        g.sizes[i] = sizes[random_below(&g.random, 17)];
    if (random_chance(&g.random, 20))
        g.sizes[0] = large[random_below(&g.random, 4)];
    g.atomic = atomics[random_below(&g.random, 6)];
    add_helpers(k);
    bool is_rows = seed % 3 == 0;
    k->body = is_rows ? generate_rows(&g) : statements(&g, 3 + random_below(&g.random, 8), 0);
    struct statement **end = &k->body;
    while (*end)
        end = &(*end)->next;
    if (is_rows && random_chance(&g.random, 8) && !has_own(k))
        *end = statements(&g, 1, 0);
    while (*end)
        end = &(*end)->next;
    store_variables(&g, end);
    fix_scalars(k);
    return k;
}
