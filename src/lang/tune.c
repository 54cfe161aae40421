/*
 * Chooses values for constexpr parameters that the caller of a kernel leaves open: the first
 * combination of the candidates of its tune lines that its launch requirements accept. The last
 * line's candidates change fastest. See lang.h.
 */
#include "lang/ast.h"

#include <string.h>

enum { TUNE_MAX_COMBINATIONS = 4096 };

struct chooser {
    const struct lang_unit *unit;
    const struct lang_kernel *kernel;
    struct lang_binding *bindings; /* what is known, then what is chosen */
    int known, count;
    int line_count;
    const struct lang_tune *lines[AST_MAX_TUNE_LINES]; /* of constexpr parameters */
    int candidate[AST_MAX_TUNE_LINES];
    int asked_count; /* lines of requirements, which only lang_tune_candidates goes through */
    const struct lang_tune *asked[AST_MAX_TUNE_LINES];
    int asked_candidate[AST_MAX_TUNE_LINES];
};

static bool is_open(const struct chooser *c, const struct lang_tune *tune)
{
    for (int i = 0; i < c->known; i++)
        if (strcmp(c->bindings[i].name, tune->parameter) == 0)
            return false;
    if (ast_find_define(c->unit->ast, tune->parameter))
        return false;
    for (int i = 0; i < c->kernel->parameter_count; i++)
        if (strcmp(c->kernel->parameters[i].name, tune->parameter) == 0)
            return c->kernel->parameters[i].is_constexpr;
    return false; /* a requirement */
}

/* Values of the current combination; a candidate that cannot be computed leaves its name open. */
static void bind_candidates(struct chooser *c)
{
    c->count = c->known;
    for (int i = 0; i < c->line_count; i++) {
        int64_t value;
        if (!lang_tune_value(c->unit, c->lines[i], c->candidate[i], c->bindings, c->count, &value))
            continue;
        c->bindings[c->count++] = (struct lang_binding){c->lines[i]->parameter, value};
    }
}

/* A requirement that cannot be computed from what is known does not reject. */
static bool is_accepted(const struct chooser *c)
{
    for (int i = 0; i < c->unit->ast->item_count; i++) {
        const struct ast_item *item = &c->unit->ast->items[i];
        if (item->kind != AST_LAUNCH_REQUIRE || strcmp(item->function->name, c->kernel->name) != 0)
            continue;
        struct ast_expression *const condition[] = {item->arguments[0].value};
        struct lang_tune as_tune = {item->function->name, 1, condition, item->range};
        int64_t holds;
        if (lang_tune_value(c->unit, &as_tune, 0, c->bindings, c->count, &holds) && !holds)
            return false;
    }
    return true;
}

/* The last line's candidate changes fastest; false after the last combination. */
static bool advance(const struct lang_tune *const *lines, int count, int *candidate)
{
    for (int i = count - 1; i >= 0; i--) {
        if (++candidate[i] < lines[i]->candidate_count)
            return true;
        candidate[i] = 0;
    }
    return false;
}

static bool next_combination(struct chooser *c)
{
    return advance(c->lines, c->line_count, c->candidate);
}

/* What the caller says goes before what a define says. */
static void add_defines(struct chooser *c)
{
    for (int p = 0; p < c->kernel->parameter_count; p++) {
        const char *name = c->kernel->parameters[p].name;
        int64_t value;
        bool known = false;
        for (int i = 0; i < c->known && !known; i++)
            known = strcmp(c->bindings[i].name, name) == 0;
        if (!known && lang_define_value(c->unit, c->kernel, p, &value))
            c->bindings[c->known++] = (struct lang_binding){name, value};
    }
}

static void open_chooser(struct chooser *c, const struct lang_unit *unit,
                         const struct lang_kernel *kernel, const struct lang_binding *known,
                         int known_count)
{
    *c = (struct chooser){.unit = unit, .kernel = kernel, .known = known_count};
    size_t most = (size_t)known_count + (size_t)kernel->parameter_count + AST_MAX_TUNE_LINES;
    c->bindings = ARENA_ARRAY(unit->arena, struct lang_binding, most);
    if (known_count)
        memcpy(c->bindings, known, (size_t)known_count * sizeof *known);
    add_defines(c);
    for (int i = 0; i < kernel->tune_count && c->line_count < AST_MAX_TUNE_LINES; i++)
        if (is_open(c, &kernel->tunes[i]))
            c->lines[c->line_count++] = &kernel->tunes[i];
}

void lang_tune_choose(const struct lang_unit *unit, const struct lang_kernel *kernel,
                      const struct lang_binding *known, int known_count,
                      struct lang_binding **chosen, int *count)
{
    struct chooser c;
    open_chooser(&c, unit, kernel, known, known_count);
    bool accepted = false;
    for (int tried = 0; tried < TUNE_MAX_COMBINATIONS && !accepted; tried++) {
        bind_candidates(&c);
        accepted = is_accepted(&c);
        if (!accepted && !next_combination(&c))
            break;
    }
    if (!accepted) { /* the first, so that the launch says which requirement it breaks */
        memset(c.candidate, 0, sizeof c.candidate);
        bind_candidates(&c);
    }
    *chosen = c.bindings + c.known;
    *count = c.count - c.known;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_parameter(const struct lang_kernel *kernel, const char *name)
{
    for (int i = 0; i < kernel->parameter_count; i++)
        if (strcmp(kernel->parameters[i].name, name) == 0)
            return true;
    return false;
}

/* Tune lines of requirements that the caller does not set. */
static void open_asked(struct chooser *c, const char *const *requirements, int count)
{
    for (int i = 0; i < c->kernel->tune_count && c->asked_count < AST_MAX_TUNE_LINES; i++) {
        const struct lang_tune *tune = &c->kernel->tunes[i];
        size_t length = strlen(tune->parameter);
        bool set = is_parameter(c->kernel, tune->parameter);
        for (int k = 0; k < count && !set; k++)
            set = strncmp(requirements[k], tune->parameter, length) == 0 &&
                  requirements[k][length] == '=';
        if (!set)
            c->asked[c->asked_count++] = tune;
    }
}

static struct lang_candidate take(struct chooser *c, bool asked)
{
    int count = c->count - c->known;
    struct lang_candidate taken = {.constant_count = count};
    taken.values =
        ARENA_ARRAY(c->unit->arena, struct lang_binding, (size_t)count + (size_t)c->asked_count);
    memcpy(taken.values, c->bindings + c->known, (size_t)count * sizeof *taken.values);
    taken.count = count;
    for (int i = 0; asked && i < c->asked_count; i++) {
        int64_t value;
        if (lang_tune_value(c->unit, c->asked[i], c->asked_candidate[i], c->bindings, c->count,
                            &value))
            taken.values[taken.count++] = (struct lang_binding){c->asked[i]->parameter, value};
    }
    return taken;
}

static bool is_same(const struct lang_candidate *a, const struct lang_candidate *b)
{
    if (a->count != b->count || a->constant_count != b->constant_count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->values[i].name, b->values[i].name) != 0 ||
            a->values[i].value != b->values[i].value)
            return false;
    return true;
}

struct candidate_list {
    struct lang_candidate *items;
    size_t count, capacity;
};

static void add_candidate(struct chooser *c, struct candidate_list *list, bool asked)
{
    struct lang_candidate taken = take(c, asked);
    for (size_t i = 0; i < list->count; i++)
        if (is_same(&list->items[i], &taken))
            return;
    ARENA_PUSH(c->unit->arena, list, taken);
}

int lang_tune_candidates(const struct lang_unit *unit, const struct lang_kernel *kernel,
                         const struct lang_binding *known, int known_count,
                         const char *const *requirements, int requirement_count, int most,
                         struct lang_candidate **candidates)
{
    struct chooser c;
    struct candidate_list list = {0};
    int tried = 0;
    open_chooser(&c, unit, kernel, known, known_count);
    open_asked(&c, requirements, requirement_count);
    /* First what lang_tune_choose gives, which asks for nothing. */
    struct lang_candidate standard = {0};
    lang_tune_choose(unit, kernel, known, known_count, &standard.values, &standard.count);
    standard.constant_count = standard.count;
    ARENA_PUSH(unit->arena, &list, standard);
    do {
        bind_candidates(&c);
        bool more = is_accepted(&c);
        while (more && (int)list.count <= most) {
            add_candidate(&c, &list, true);
            more = advance(c.asked, c.asked_count, c.asked_candidate);
        }
    } while (++tried < TUNE_MAX_COMBINATIONS && (int)list.count <= most && next_combination(&c));
    *candidates = list.items;
    return (int)list.count;
}
