/*
 * What stands at file scope about a kernel: its grid and launch requirements, which become host
 * functions over the kernel's scalars; requirements on the target, which are kept as data; static
 * requirements; values to tune.
 */
#include "lang/lower.h"

#include <string.h>

/* ---- Host functions ---------------------------------------------------------------------- */

static bool has_tile(struct ir_op *op, void *user)
{
    bool *found = user;
    for (int i = 0; i < op->result_count; i++)
        *found = *found || op->results[i]->type.rank > 0;
    return !*found;
}

/* One value of a host function, as the type that the launch wants; NULL after an error. */
static struct ir_value *host_value(struct lower *l, const struct ast_function *kernel,
                                   const struct ast_argument *argument, bool condition)
{
    const char *what = condition ? "a launch requirement" : "a grid";
    if (!argument->value) {
        lower_error(l, argument->range, "%s is a value, not a type", what);
        return NULL;
    }
    if (!lower_check_expression(l, kernel, argument->value))
        return NULL;
    struct value v = lower_value(l, argument->value);
    if (value_is_poison(v))
        return NULL;
    bool fits = condition ? value_is_number(v) : value_is_integral(v);
    if (!fits || v.type.rank > 0) {
        lower_error(l, argument->range, "%s must be one %s, not '%s'", what,
                    condition ? "truth" : "integer", lower_type_name(l, v));
        if (!condition && value_is_float(v))
            lower_hint(l, "cdiv(n, m) divides integers and rounds up; a cast makes an integer");
        return NULL;
    }
    l->b.range = argument->range;
    v = condition ? lower_truth(l, argument->range, v) : lower_to_index(l, v);
    return lower_ir(l, v);
}

/* A function of the kernel's scalars that returns the values; NULL after an error. */
static struct ir_func *host_function(struct lower *l, const struct ast_function *kernel,
                                     const char *name, const struct ast_argument *arguments,
                                     int count, bool condition, const struct lang_binding *bindings,
                                     int binding_count)
{
    struct lower outside = *l;
    struct ir_func *func = lower_new_func(l, kernel, true);
    func->name = name;
    struct frame frame;
    lower_open_frame(l, &frame, NULL);
    struct ir_value *values[3];
    bool fine = lower_declare_parameters(l, kernel, bindings, binding_count);
    for (int i = 0; fine && i < count; i++) {
        values[i] = host_value(l, kernel, &arguments[i], condition);
        fine = values[i] != NULL;
    }
    lower_close_frame(l);
    l->b.func->result_count = count;
    if (fine) {
        func->results = ARENA_ARRAY(l->arena, struct ir_type, (size_t)count);
        for (int i = 0; i < count; i++)
            func->results[i] = values[i]->type;
        ir_build(&l->b, IR_OP_RETURN, count, values, 0, NULL, 0, NULL);
        lower_drop_unused_parameters(func);
        fine = lower_check_blocks(l, func);
        bool tiles = false;
        ir_walk(func->body, has_tile, &tiles);
        if (tiles) {
            lower_error(l, arguments[0].range, "what a launch computes must be made of scalars");
            fine = false;
        }
    }
    l->b = outside.b;
    return fine ? func : NULL;
}

static struct ir_func *grid_function(struct lower *l, const struct ast_function *kernel,
                                     const struct ast_argument *arguments, int count,
                                     const struct lang_binding *bindings, int binding_count)
{
    return host_function(l, kernel, "grid", arguments, count, false, bindings, binding_count);
}

/* Candidates are computed by lang_tune_value, launch by launch; their names are checked here. */
static void check_tune(struct lower *l, const struct ast_function *kernel,
                       const struct ast_item *item)
{
    for (int i = 0; i < item->argument_count; i++) {
        const struct ast_argument *candidate = &item->arguments[i];
        if (candidate->value)
            lower_check_expression(l, kernel, candidate->value);
        else
            lower_error(l, candidate->range, "a value to tune is a number, not a type");
    }
}

void lower_launch(struct lower *l, struct ir_kernel *result, const struct ast_function *kernel,
                  const struct lang_binding *bindings, int binding_count)
{
    const struct ast_unit *unit = l->unit->ast;
    result->launch_requires =
        ARENA_ARRAY(l->arena, struct ir_launch_require, (size_t)unit->item_count);
    for (int i = 0; i < unit->item_count; i++) {
        const struct ast_item *item = &unit->items[i];
        if (item->function != kernel)
            continue;
        if (item->kind == AST_TUNE)
            check_tune(l, kernel, item);
        if (item->kind == AST_LAUNCH_GRID) {
            result->grid = grid_function(l, kernel, item->arguments, item->argument_count, bindings,
                                         binding_count);
        } else if (item->kind == AST_LAUNCH_REQUIRE) {
            struct ir_func *condition = host_function(l, kernel, "require", item->arguments, 1,
                                                      true, bindings, binding_count);
            result->launch_requires[result->require_count++] = (struct ir_launch_require){
                .condition = condition, .text = item->text, .range = item->range};
        }
    }
}

static bool parse_text(struct lower *l, const char *name, const char *text, bool names,
                       struct ast_argument **arguments, int *count)
{
    struct source_file *file = ARENA_NEW(l->arena, struct source_file);
    size_t length = strlen(text);
    *file = (struct source_file){
        .name = name, .text = arena_copy_text(l->arena, text, length), .length = length};
    if (ast_parse_arguments(l->arena, l->diagnostics, file, names, arguments, count))
        return true;
    l->failed = true;
    return false;
}

struct ir_func *lang_lower_grid(struct lang_unit *unit, struct diagnostics *diagnostics,
                                const struct lang_kernel *kernel,
                                const struct lang_binding *bindings, int binding_count,
                                const char *text)
{
    struct lower lower, *l = &lower;
    lower_init(l, unit, diagnostics);
    const struct ast_function *function = ast_find_function(unit->ast, kernel->name);
    struct ast_argument *arguments;
    int count;
    if (!parse_text(l, "<grid>", text, false, &arguments, &count))
        return NULL;
    if (count < 1 || count > 3) {
        struct source_range range = kernel->range;
        if (count > 3)
            range = source_join(arguments[3].range, arguments[count - 1].range);
        lower_error(l, range, "a grid has 1 to 3 axes, not %d", count);
        return NULL;
    }
    struct ir_func *grid = grid_function(l, function, arguments, count, bindings, binding_count);
    return l->failed ? NULL : grid;
}

/* ---- Requirements ------------------------------------------------------------------------ */

struct argument_list {
    const struct ast_argument **items;
    size_t count, capacity;
};

static bool same_requirement(const struct ir_requirement *a, const struct ir_requirement *b)
{
    if (a->word || b->word)
        return a->word && b->word && strcmp(a->word, b->word) == 0;
    return a->number == b->number;
}

static void add_requirement(struct lower *l, struct ir_kernel *result,
                            struct ir_requirement requirement)
{
    for (int i = 0; i < result->requirement_count; i++) {
        const struct ir_requirement *other = &result->requirements[i];
        if (strcmp(other->name, requirement.name) != 0)
            continue;
        if (!same_requirement(other, &requirement)) {
            lower_error(l, requirement.range, "'%s' is required with two values", requirement.name);
            lower_note(l, other->range, "the other is here");
        }
        return;
    }
    result->requirements[result->requirement_count++] = requirement;
}

static void requirement(struct lower *l, struct ir_kernel *result,
                        const struct ast_function *kernel, const struct ast_argument *argument)
{
    struct ir_requirement requirement = {.name = argument->name, .range = argument->range};
    const struct ast_expression *e = argument->value;
    if (!e || !argument->name) {
        lower_error(l, argument->range, "a requirement is written name = value");
        return;
    }
    if (e->kind == AST_NAME && !lower_find_variable(l, e->name)) {
        requirement.word = e->name;
    } else {
        if (!lower_check_expression(l, kernel, e) ||
            !lower_constant(l, e, "a requirement's value", &requirement.number))
            return;
    }
    add_requirement(l, result, requirement);
}

/* The requirements of the file, then those of --require; false after an error in their text. */
static bool collect(struct lower *l, const struct ast_function *kernel, const char *const *extra,
                    int extra_count, struct argument_list *list)
{
    const struct ast_unit *unit = l->unit->ast;
    for (int i = 0; i < unit->item_count; i++) {
        const struct ast_item *item = &unit->items[i];
        if (item->kind != AST_REQUIRE || item->function != kernel)
            continue;
        for (int k = 0; k < item->argument_count; k++)
            ARENA_PUSH(l->arena, list, &item->arguments[k]);
    }
    for (int i = 0; i < extra_count; i++) {
        struct ast_argument *more;
        int count;
        if (!parse_text(l, "<require>", extra[i], true, &more, &count))
            return false;
        for (int k = 0; k < count; k++)
            ARENA_PUSH(l->arena, list, &more[k]);
    }
    return true;
}

void lower_requirements(struct lower *l, struct ir_kernel *result,
                        const struct ast_function *kernel, const struct lang_binding *bindings,
                        int binding_count, const char *const *extra, int extra_count)
{
    struct argument_list list = {0};
    if (!collect(l, kernel, extra, extra_count, &list) || !list.count)
        return;
    result->requirements = ARENA_ARRAY(l->arena, struct ir_requirement, list.count);
    lower_new_func(l, kernel, true); /* scratch: values are constant */
    struct frame frame;
    lower_open_frame(l, &frame, NULL);
    if (lower_declare_parameters(l, kernel, bindings, binding_count)) {
        for (size_t i = 0; i < list.count; i++)
            requirement(l, result, kernel, list.items[i]);
    }
    lower_close_frame(l);
}

void lower_static_requires(struct lower *l)
{
    const struct ast_unit *unit = l->unit->ast;
    for (int i = 0; i < unit->item_count; i++) {
        const struct ast_item *item = &unit->items[i];
        int64_t holds;
        if (item->kind != AST_STATIC_REQUIRE || !item->arguments[0].value ||
            !lower_check_expression(l, NULL, item->arguments[0].value))
            continue;
        if (lower_constant(l, item->arguments[0].value, "a static requirement", &holds) && !holds)
            lower_error(l, item->range, "requirement not met: %s", item->text);
    }
}

/* ---- Tuning ------------------------------------------------------------------------------ */

bool lang_define_value(const struct lang_unit *unit, const struct lang_kernel *kernel,
                       int parameter, int64_t *value)
{
    struct diagnostics diagnostics;
    struct lower lower, *l = &lower;
    const struct ast_function *function = ast_find_function(unit->ast, kernel->name);
    if (!ast_find_define(unit->ast, kernel->parameters[parameter].name))
        return false;
    struct arena_mark mark = arena_mark(unit->arena);
    diagnostics_init(&diagnostics, unit->arena);
    lower_init(l, unit, &diagnostics);
    struct frame frame;
    lower_open_frame(l, &frame, NULL);
    struct value v = lower_parameter_value(l, &function->parameters[parameter], NULL, 0);
    bool known = value_number(v, value);
    arena_rewind(unit->arena, mark);
    return known;
}

bool lang_tune_value(const struct lang_unit *unit, const struct lang_tune *tune, int candidate,
                     const struct lang_binding *bindings, int binding_count, int64_t *value)
{
    struct diagnostics diagnostics;
    struct arena_mark mark = arena_mark(unit->arena); /* thousands of candidates may be computed */
    diagnostics_init(&diagnostics, unit->arena);
    struct lower lower, *l = &lower;
    lower_init(l, unit, &diagnostics);
    struct frame frame;
    lower_open_frame(l, &frame, NULL);
    for (int i = 0; i < binding_count; i++) {
        struct source_range nowhere = {0};
        lower_add_variable(l, VARIABLE_CONSTANT, bindings[i].name, nowhere, ir_scalar(IR_I32),
                           value_index_constant(bindings[i].value));
    }
    const struct ast_expression *e = tune->candidates[candidate];
    bool known = e && lower_constant(l, e, "a value to tune", value) && !l->failed;
    arena_rewind(unit->arena, mark);
    return known;
}
