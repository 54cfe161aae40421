/*
 * Kernels of blocks, the statements: variables that loops carry, stores and atomic updates,
 * branches and ways out, and loops that go along an axis in blocks or just turn.
 */
#include "blocks.h"

static void start_value(struct blocks *b)
{
    b->budget = 10;
}

static struct statement *declaration(struct blocks *b)
{
    unsigned axes = some_axes(b, all_axes(b));
    struct variable *v = ARENA_NEW(arena_of(b), struct variable);
    *v = (struct variable){.name = arena_format(arena_of(b), "v%d", b->g->names++),
                           .type = shape(b, axes, some_elem(b)),
                           .fixed = true};
    enum ir_elem elem = (enum ir_elem)v->type.elem;
    struct statement *s = statement_new(b, arena_format(arena_of(b), "%s %% = $0;", c_name(elem)));
    s->variable = v;
    s->declares = true;
    start_value(b);
    s->children[s->count++] = blocks_value(b, axes, elem, 3);
    if (b->g->scope_count < 128)
        b->g->scope[b->g->scope_count++] = v;
    return s;
}

/* What a loop carries: what was there takes part mostly. */
static struct statement *assignment(struct blocks *b)
{
    if (b->g->scope_count == 0)
        return declaration(b);
    struct variable *v = b->g->scope[below(b, b->g->scope_count)];
    enum ir_elem elem = (enum ir_elem)v->type.elem;
    unsigned axes = axes_of(b, v->type);
    static const char *const forms[] = {"%s + $0",         "%s + $0", "maximum(%s, $0)",
                                        "minimum(%s, $0)", "%s - $0", "$0"};
    const char *form = forms[below(b, 6)];
    struct text text;
    text_init(&text, arena_of(b));
    for (const char *c = form; *c; c++) {
        if (*c == '%')
            text_string(&text, v->name), c++;
        else
            text_char(&text, *c);
    }
    text_char(&text, '\0');
    struct statement *s = statement_new(b, arena_format(arena_of(b), "%s = %s;", v->name,
                                                        tame(b, elem, kept(b, elem, text.items))));
    s->variable = v;
    start_value(b);
    s->children[s->count++] = blocks_value(b, axes, elem, 3);
    return s;
}

static struct array *written(struct blocks *b)
{
    struct array *a = &b->arrays[below(b, b->array_count)];
    return a->parameter->kind == PARAMETER_INPUT ? &b->arrays[0] : a;
}

static struct statement *store(struct blocks *b)
{
    struct array *a = written(b);
    unsigned axes = some_axes(b, all_axes(b));
    start_value(b);
    if (!axes) {
        struct statement *s = statement_new(b, chance(b, 40) ? "@[$0] += $1;" : "@[$0] = $1;");
        s->parameter = a->parameter;
        s->children[s->count++] = blocks_address(b, a, 0, true);
        s->children[s->count++] = blocks_value(b, 0, a->parameter->elem, 2);
        return s;
    }
    if (axes == all_axes(b) && chance(b, 10)) {
        struct statement *s = statement_new(
            b, arena_format(arena_of(b), "tile_store(%s, $0);", blocks_view_text(b, a)));
        s->parameter = a->parameter;
        s->children[s->count++] = blocks_value(b, axes, a->parameter->elem, 3);
        return s;
    }
    bool masked = chance(b, 65);
    struct statement *s =
        statement_new(b, masked ? "store(@ + ($0), $1, $2);" : "store(@ + ($0), $1);");
    s->parameter = a->parameter;
    s->children[s->count++] = blocks_address(b, a, axes, true);
    s->children[s->count++] = blocks_value(b, some_axes(b, axes), a->parameter->elem, 3);
    if (masked)
        s->children[s->count++] = blocks_mask(b, axes, 2);
    return s;
}

static struct statement *atomic(struct blocks *b)
{
    static const char *const names[] = {"add", "max", "min"};
    struct array *a = written(b);
    enum ir_elem elem = a->parameter->elem;
    if (is_float(elem) || bits_of(elem) < 32 || (b->g->kernel->metal && bits_of(elem) > 32))
        return store(b);
    unsigned axes = some_axes(b, all_axes(b));
    struct statement *s =
        statement_new(b, arena_format(arena_of(b), "atomic_%s(@ + ($0), $1);", names[below(b, 3)]));
    s->parameter = a->parameter;
    start_value(b);
    s->children[s->count++] = blocks_address(b, a, axes, false);
    s->children[s->count++] = blocks_value(b, axes, elem, 2);
    return s;
}

static struct statement *body_of(struct blocks *b, int most)
{
    int scope = b->g->scope_count;
    b->depth++;
    struct statement *body = blocks_statements(b, 1 + below(b, most));
    b->depth--;
    b->g->scope_count = scope;
    return body;
}

static struct expr *condition(struct blocks *b)
{
    start_value(b);
    return blocks_mask(b, 0, 1);
}

static struct statement *branch(struct blocks *b)
{
    struct statement *s = statement_new(b, "if ($0)");
    s->children[s->count++] = condition(b);
    s->has_body = true;
    s->body = body_of(b, 3);
    s->has_other = chance(b, 40);
    if (s->has_other)
        s->other = body_of(b, 2);
    return s;
}

static struct statement *leave(struct blocks *b)
{
    struct statement *s = statement_new(b, !b->loops || chance(b, 30) ? "if ($0) return;"
                                           : chance(b, 50)            ? "if ($0) break;"
                                                                      : "if ($0) continue;");
    s->children[s->count++] = condition(b);
    return s;
}

/* Along an axis in blocks, mostly from end to end. */
static struct statement *block_loop(struct blocks *b)
{
    int k = below(b, b->rank), size = (int)b->dims[k];
    if (b->counter[k] && chance(b, 80))
        k = (k + 1) % b->rank, size = (int)b->dims[k];
    struct arena *arena = arena_of(b);
    const char *outer = b->counter[k], *name = arena_format(arena, "b%d", b->g->names++);
    if (outer)
        return assignment(b);
    struct statement *s = statement_new(b, NULL);
    int from = chance(b, 75) ? 0 : below(b, 9),
        step = chance(b, 85) ? size : 1 + below(b, size + 4);
    if (b->extent[k] / step > 12)
        step = size;
    if (b->extent[k] / step > 40)
        step = 1 + (int)b->extent[k] / 12;
    if (chance(b, 12))
        s->pattern = arena_format(arena, "for (int %s = @ - 1; %s >= %d; %s -= %d)", name, name,
                                  from, name, step);
    else
        s->pattern = arena_format(arena, "for (int %s = %d; %s < @; %s += %d)", name, from, name,
                                  name, step);
    s->parameter = b->limit[k];
    b->counter[k] = name;
    b->loops++;
    s->has_body = true;
    s->body = body_of(b, 4);
    b->loops--;
    b->counter[k] = outer;
    return s;
}

static struct statement *other_loop(struct blocks *b)
{
    struct arena *arena = arena_of(b);
    const char *name = arena_format(arena, "w%d", b->g->names++);
    int turns = 1 + below(b, 4);
    struct statement *s, *first;
    if (chance(b, 60)) {
        first = s = statement_new(
            b, arena_format(arena, "for (int %s = 0; %s < %d; %s++)", name, name, turns, name));
        s->has_body = true;
        b->loops++;
        s->body = body_of(b, 3);
        b->loops--;
        return first;
    }
    first = statement_new(b, arena_format(arena, "int %s = 0;", name));
    s = statement_new(b, arena_format(arena, "while (%s < %d && $0)", name, turns));
    s->children[s->count++] = condition(b);
    first->next = s;
    s->has_body = true;
    s->body = statement_new(b, arena_format(arena, "%s++;", name));
    b->loops++;
    s->body->next = body_of(b, 3);
    b->loops--;
    return first;
}

static struct statement *statement(struct blocks *b)
{
    int choice = below(b, 100);
    if (choice < 26)
        return declaration(b);
    if (choice < 46)
        return assignment(b);
    if (choice < 68)
        return store(b);
    if (choice < 70)
        return atomic(b);
    if (choice < 72)
        return leave(b);
    if (b->depth > 2)
        return assignment(b);
    if (choice < 77)
        return branch(b);
    return choice < 95 ? block_loop(b) : other_loop(b);
}

struct statement *blocks_statements(struct blocks *b, int count)
{
    struct statement *first = NULL, **link = &first;
    for (int i = 0; i < count; i++) {
        *link = statement(b);
        while (*link)
            link = &(*link)->next;
    }
    return first;
}
