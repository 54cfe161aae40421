/*
 * Chooses values for constexpr parameters that the caller of a kernel leaves open: the first
 * combination of the candidates of its tune lines that its launch requirements accept. The last
 * line's candidates change fastest. See lang.h.
 */
#include "lang/ast.h"

#include <string.h>

enum { TUNE_MAX_LINES = 32, TUNE_MAX_COMBINATIONS = 4096 };

struct chooser {
    const struct lang_unit *unit;
    const struct lang_kernel *kernel;
    struct lang_binding *bindings; /* what is known, then what is chosen */
    int known, count;
    int line_count;
    const struct lang_tune *lines[TUNE_MAX_LINES];
    int candidate[TUNE_MAX_LINES];
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

static bool next_combination(struct chooser *c)
{
    for (int i = c->line_count - 1; i >= 0; i--) {
        if (++c->candidate[i] < c->lines[i]->candidate_count)
            return true;
        c->candidate[i] = 0;
    }
    return false;
}

void lang_tune_choose(const struct lang_unit *unit, const struct lang_kernel *kernel,
                      const struct lang_binding *known, int known_count,
                      struct lang_binding **chosen, int *count)
{
    struct chooser c = {.unit = unit, .kernel = kernel, .known = known_count};
    c.bindings =
        ARENA_ARRAY(unit->arena, struct lang_binding, (size_t)known_count + TUNE_MAX_LINES);
    if (known_count)
        memcpy(c.bindings, known, (size_t)known_count * sizeof *known);
    for (int i = 0; i < kernel->tune_count && c.line_count < TUNE_MAX_LINES; i++)
        if (is_open(&c, &kernel->tunes[i]))
            c.lines[c.line_count++] = &kernel->tunes[i];
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
