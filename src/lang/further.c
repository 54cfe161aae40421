/*
 * Further errors of a file with syntax errors: what elaboration says of the statements that could
 * be read. Nothing that the broken ones may have caused is said: names in them count as declared,
 * and every name where theirs is missing; what they may set is poison; helpers with one return
 * poison; and functions whose end or parameters are not known are left out.
 * tests/unit/test_lang_further.c holds that against a hundred thousand broken kernels.
 *
 * A kernel is elaborated with the first candidates of its tune lines, or with the defaults that its
 * parameters cannot have; where they need a launch, only its names are checked.
 */
#include "lang/lower.h"

#include <string.h>

void lower_broken(struct lower *l, const struct ast_statement *s)
{
    for (int i = 0; i < s->broken.count; i++) {
        const struct ast_mention *mention = &s->broken.names[i];
        struct variable *variable = lower_find_variable(l, mention->name);
        if (!variable)
            lower_add_variable(l, VARIABLE_ORDINARY, mention->name, s->range, ir_scalar(IR_I32),
                               value_poison);
        else if (mention->sets && variable->kind == VARIABLE_ORDINARY)
            variable->value = value_poison;
    }
}

/* ---- Constexpr parameters -------------------------------------------------------------------- */

/* Lines about kernels have only the name of theirs, because those were not checked. */
static const struct ast_expression *
first_candidate(const struct ast_unit *unit, const struct ast_function *kernel, const char *name)
{
    for (int i = 0; i < unit->item_count; i++) {
        const struct ast_item *item = &unit->items[i];
        if (item->kind == AST_TUNE && strcmp(item->function->name, kernel->name) == 0 &&
            strcmp(item->name, name) == 0 && item->argument_count > 0)
            return item->arguments[0].value;
    }
    return NULL;
}

static bool known_number(struct lower *l, const struct ast_expression *e, int64_t *number)
{
    struct checkpoint before = lower_mark(l);
    struct frame frame;
    lower_open_frame(l, &frame, NULL);
    bool known = e && lower_check_expression(l, NULL, e) && value_number(lower_value(l, e), number);
    lower_close_frame(l);
    lower_undo(l, &before);
    return known;
}

/* False where a parameter's value is not known. */
static bool bind(struct lower *l, const struct ast_function *kernel, struct lang_binding *bindings,
                 int *count)
{
    const struct ast_unit *unit = l->unit->ast;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct ast_parameter *parameter = &kernel->parameters[i];
        if (!parameter->is_constexpr || ast_find_define(unit, parameter->name))
            continue;
        int64_t number;
        const struct ast_expression *value = first_candidate(unit, kernel, parameter->name);
        if (!known_number(l, value ? value : parameter->refused, &number))
            return false;
        bindings[(*count)++] = (struct lang_binding){parameter->name, number};
    }
    return true;
}

static void check_kernel(struct lang_unit *unit, struct diagnostics *diagnostics,
                         const struct ast_function *kernel)
{
    struct lower lower, *l = &lower;
    size_t most = (size_t)kernel->parameter_count;
    struct lang_binding *bindings = ARENA_ARRAY(unit->arena, struct lang_binding, most);
    int count = 0;
    lower_init(l, unit, diagnostics);
    bool constants_fine = !l->failed;
    l->names_reported = !lower_check_names(l, kernel);
    l->work = 0;
    if (constants_fine && !l->stopped && bind(l, kernel, bindings, &count))
        lower_kernel(l, kernel, bindings, count);
}

/* ---- In the order of the file ---------------------------------------------------------------- */

struct group { /* a diagnostic with its notes */
    const struct diagnostic *items;
    size_t count;
};

/* Whether a stands before b in the same file. */
static bool precedes(const struct group *a, const struct group *b)
{
    struct source_range x = a->items->range, y = b->items->range;
    return x.file && x.file == y.file && x.begin < y.begin;
}

/* On one line a mistake may both break a statement and change the meaning of another. */
static bool is_near(const struct diagnostics *all, size_t first, size_t further,
                    struct source_range range)
{
    int line = source_locate(range.file, range.begin).line;
    for (size_t i = first; range.file && i < further; i++) {
        struct source_range other = all->items[i].range;
        if (other.file == range.file && source_locate(other.file, other.begin).line == line)
            return true;
    }
    return false;
}

/* Sorts the diagnostics from number `first` on. Of those from number `further` on warnings go, as
 * what is broken may be their cause, and errors on the line of an earlier one. */
static void sort(struct diagnostics *all, size_t first, size_t further)
{
    struct group *groups = ARENA_ARRAY(all->arena, struct group, all->count - first);
    struct diagnostics sorted = *all;
    size_t count = 0, end;
    sorted.items = NULL;
    sorted.count = sorted.capacity = 0;
    for (size_t i = 0; i < first; i++)
        ARENA_PUSH(all->arena, &sorted, all->items[i]);
    for (size_t i = first; i < all->count; i = end) {
        for (end = i + 1; end < all->count && all->items[end].kind == DIAGNOSTIC_NOTE;)
            end++;
        struct group group = {&all->items[i], end - i};
        bool is_error = all->items[i].kind == DIAGNOSTIC_ERROR;
        if (i >= further && (!is_error || is_near(all, first, further, all->items[i].range))) {
            sorted.error_count -= is_error;
            continue;
        }
        size_t to = count++;
        for (; to > 0 && precedes(&group, &groups[to - 1]); to--)
            groups[to] = groups[to - 1];
        groups[to] = group;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < groups[i].count; k++)
            ARENA_PUSH(all->arena, &sorted, groups[i].items[k]);
    *all = sorted;
}

void lang_check_further(struct lang_unit *unit, struct diagnostics *diagnostics, size_t first)
{
    size_t further = diagnostics->count;
    for (int i = 0; i < unit->ast->item_count && !diagnostics_full(diagnostics); i++) {
        const struct ast_item *item = &unit->ast->items[i];
        if (item->kind == AST_FUNCTION && item->function->is_kernel && !item->function->lost)
            check_kernel(unit, diagnostics, item->function);
    }
    sort(diagnostics, first, further);
}
