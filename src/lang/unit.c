/*
 * A kernel file as a whole: parses it, checks what hangs together at file scope, and lists its
 * kernels. See lang.h and ast.h.
 */
#include "base/suggest.h"
#include "lang/parser.h"
#include "lang/recursion.h"

#include <string.h>

enum {
#ifdef TILEC_TINY_LIMITS
    UNIT_MAX_ITEMS = 64,
    UNIT_MAX_PARAMETERS = 16,
#else
    UNIT_MAX_ITEMS = 2000,
    UNIT_MAX_PARAMETERS = 200,
#endif
};

/* ---- Look-up --------------------------------------------------------------------------------- */

const struct ast_function *ast_find_function(const struct ast_unit *unit, const char *name)
{
    for (int i = 0; i < unit->item_count; i++)
        if (unit->items[i].kind == AST_FUNCTION && strcmp(unit->items[i].function->name, name) == 0)
            return unit->items[i].function;
    return NULL;
}

const struct lang_define *ast_find_define(const struct ast_unit *unit, const char *name)
{
    for (int i = unit->define_count - 1; i >= 0; i--)
        if (strcmp(unit->defines[i].name, name) == 0)
            return &unit->defines[i];
    return NULL;
}

bool ast_is_builtin(const char *name)
{
    static const char *const names[] = {
#define BUILTIN(name, ...) #name,
#include "lang/builtins.def"
#undef BUILTIN
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

const struct lang_kernel *lang_find_kernel(const struct lang_unit *unit, const char *name)
{
    for (int i = 0; i < unit->kernel_count; i++)
        if (!name || strcmp(unit->kernels[i].name, name) == 0)
            return &unit->kernels[i];
    return NULL;
}

static const struct ast_parameter *find_parameter(const struct ast_function *function,
                                                  const char *name)
{
    for (int i = 0; i < function->parameter_count; i++)
        if (strcmp(function->parameters[i].name, name) == 0)
            return &function->parameters[i];
    return NULL;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

struct checker {
    struct diagnostics *diagnostics;
    struct ast_unit *unit;
};

static struct diagnostic *report(struct checker *c, struct source_range range, const char *message,
                                 const char *name)
{
    return diagnostics_add(c->diagnostics, DIAGNOSTIC_ERROR, range, message, name);
}

static void note(struct checker *c, struct source_range range, const char *message)
{
    diagnostics_add(c->diagnostics, DIAGNOSTIC_NOTE, range, "%s", message);
}

static void suggest(struct checker *c, struct diagnostic *d, struct suggestion suggestion)
{
    if (suggestion.best)
        diagnostics_hint(c->diagnostics, d, "did you mean '%s'?", suggestion.best);
}

/* Name and place of what an item declares; false when it declares nothing. */
static bool declared(const struct ast_item *item, const char **name, struct source_range *range)
{
    if (item->kind != AST_FUNCTION && item->kind != AST_CONSTANT)
        return false;
    *name = item->kind == AST_FUNCTION ? item->function->name : item->constant->name;
    *range = item->kind == AST_FUNCTION ? item->function->range : item->constant->range;
    return true;
}

static void check_duplicate(struct checker *c, int index)
{
    const char *name, *other;
    struct source_range range, earlier;
    if (!declared(&c->unit->items[index], &name, &range))
        return;
    for (int i = 0; i < index; i++) {
        if (declared(&c->unit->items[i], &other, &earlier) && strcmp(name, other) == 0) {
            report(c, range, "'%s' is declared twice", name);
            note(c, earlier, "the first declaration is here");
            return;
        }
    }
}

static void check_kernel_parameter(struct checker *c, const struct ast_parameter *parameter)
{
    const struct ast_type *type = parameter->type;
    struct diagnostic *d = NULL;
    if (type->kind == AST_TYPE_AUTO || type->kind == AST_TYPE_VIEW) {
        d = report(c, parameter->range, "parameter '%s' of a kernel needs an element type",
                   parameter->name);
        diagnostics_hint(c->diagnostics, d, "a view is made in the kernel from its pointer");
    } else if (type->kind == AST_TYPE_LAYOUT && !parameter->is_constexpr) {
        d = report(c, parameter->range, "layout '%s' must be constexpr", parameter->name);
        diagnostics_hint(c->diagnostics, d, "write 'constexpr layout_t %s'", parameter->name);
    } else if (parameter->is_constexpr && type->pointer) {
        report(c, parameter->range, "pointer '%s' cannot be constexpr", parameter->name);
    } else if (parameter->is_constexpr && type->kind == AST_TYPE_ELEM && ir_is_float(type->elem)) {
        d = report(c, parameter->range, "constexpr parameter '%s' must be an integer",
                   parameter->name);
        diagnostics_hint(c->diagnostics, d, "pass it as an ordinary parameter, or use #define");
    }
}

static void check_parameters(struct checker *c, const struct ast_function *function)
{
    if (function->parameter_count > UNIT_MAX_PARAMETERS) {
        struct diagnostic *d =
            report(c, function->range, "'%s' has too many parameters", function->name);
        diagnostics_hint(c->diagnostics, d, "it has %d, and %d are possible",
                         function->parameter_count, UNIT_MAX_PARAMETERS);
        return;
    }
    for (int i = 0; i < function->parameter_count; i++) {
        const struct ast_parameter *parameter = &function->parameters[i];
        const struct ast_parameter *first = find_parameter(function, parameter->name);
        if (first != parameter) {
            report(c, parameter->range, "parameter '%s' is declared twice", parameter->name);
            note(c, first->range, "the first declaration is here");
        }
        if (function->is_kernel)
            check_kernel_parameter(c, parameter);
    }
}

/* Puts the kernel in place of its name. False after an error. */
static bool resolve_kernel(struct checker *c, struct ast_item *item)
{
    struct ast_function *named = item->function;
    const struct ast_function *function = ast_find_function(c->unit, named->name);
    if (function && function->is_kernel) {
        item->function = (struct ast_function *)function;
        return true;
    }
    if (function) {
        report(c, named->range, "'%s' is a helper, not a kernel", named->name);
        note(c, function->range, "it is declared here");
        return false;
    }
    struct suggestion suggestion = {.name = named->name};
    for (int i = 0; i < c->unit->item_count; i++)
        if (c->unit->items[i].kind == AST_FUNCTION && c->unit->items[i].function->is_kernel)
            suggestion_offer(&suggestion, c->unit->items[i].function->name);
    suggest(c, report(c, named->range, "there is no kernel '%s'", named->name), suggestion);
    return false;
}

static void offer_requirements(struct suggestion *suggestion)
{
#define REQUIREMENT(name, least, most, words, cpu, meaning) suggestion_offer(suggestion, name);
#include "ir/requirements.def"
#undef REQUIREMENT
}

static bool is_requirement(const char *name)
{
    static const char *const names[] = {
#define REQUIREMENT(name, least, most, words, cpu, meaning) name,
#include "ir/requirements.def"
#undef REQUIREMENT
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void check_tune(struct checker *c, const struct ast_item *item)
{
    const struct ast_parameter *parameter = find_parameter(item->function, item->name);
    if (parameter ? parameter->is_constexpr : is_requirement(item->name))
        return;
    if (parameter) {
        struct diagnostic *d = report(c, item->at,
                                      "only a constexpr parameter can be tuned, and "
                                      "'%s' is none",
                                      item->name);
        if (!parameter->type->pointer)
            diagnostics_hint(c->diagnostics, d, "declare it as 'constexpr int %s'", item->name);
        return;
    }
    struct suggestion suggestion = {.name = item->name};
    for (int i = 0; i < item->function->parameter_count; i++)
        if (item->function->parameters[i].is_constexpr)
            suggestion_offer(&suggestion, item->function->parameters[i].name);
    offer_requirements(&suggestion);
    suggest(c, report(c, item->at, "the kernel has no constexpr parameter '%s'", item->name),
            suggestion);
}

/* A kernel has one launch_grid, and one tune line for each name. */
static void check_once(struct checker *c, int index)
{
    const struct ast_item *item = &c->unit->items[index];
    for (int i = 0; i < index; i++) {
        const struct ast_item *other = &c->unit->items[i];
        if (other->kind != item->kind || other->function != item->function)
            continue;
        if (item->kind == AST_LAUNCH_GRID)
            report(c, item->at, "kernel '%s' has two grids", item->function->name);
        else if (item->kind == AST_TUNE && strcmp(item->name, other->name) == 0)
            report(c, item->at, "'%s' is tuned twice", item->name);
        else
            continue;
        note(c, other->at, "the first is here");
        return;
    }
}

/* All lines are gone through at each choice. */
static void check_tune_count(struct checker *c, int index)
{
    const struct ast_item *item = &c->unit->items[index];
    int before = 0;
    for (int i = 0; i < index; i++)
        before +=
            c->unit->items[i].kind == AST_TUNE && c->unit->items[i].function == item->function;
    if (before == AST_MAX_TUNE_LINES)
        diagnostics_add(c->diagnostics, DIAGNOSTIC_ERROR, item->at,
                        "kernel '%s' has more than %d tune lines", item->function->name,
                        AST_MAX_TUNE_LINES);
}

static void check_item(struct checker *c, int index)
{
    struct ast_item *item = &c->unit->items[index];
    switch (item->kind) {
    case AST_FUNCTION:
        check_duplicate(c, index);
        check_parameters(c, item->function);
        break;
    case AST_CONSTANT:
        check_duplicate(c, index);
        break;
    case AST_LAUNCH_GRID:
    case AST_TUNE:
    case AST_REQUIRE:
    case AST_LAUNCH_REQUIRE:
        if (!resolve_kernel(c, item))
            break;
        if (item->kind == AST_TUNE) {
            check_tune(c, item);
            check_tune_count(c, index);
        }
        check_once(c, index);
        break;
    case AST_STATIC_REQUIRE:
        break;
    }
}

static void check_unit(struct arena *arena, struct diagnostics *diagnostics, struct ast_unit *unit)
{
    struct checker c = {diagnostics, unit};
    if (unit->item_count > UNIT_MAX_ITEMS) {
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, unit->items[UNIT_MAX_ITEMS].range,
                        "too many items in one file: more than %d", UNIT_MAX_ITEMS);
        return;
    }
    for (int i = 0; i < unit->item_count; i++)
        check_item(&c, i);
    recursion_check(arena, diagnostics, unit);
}

/* After errors of syntax alone: others that no broken text can be the cause of. Lines about kernels are
 * not checked, as those may be missing. */
static void check_further(struct lang_unit *unit, struct diagnostics *diagnostics, size_t first)
{
    struct checker c = {diagnostics, unit->ast};
    for (int i = 0; i < unit->ast->item_count; i++) {
        struct ast_item *item = &unit->ast->items[i];
        size_t errors = diagnostics->error_count;
        if (item->kind == AST_FUNCTION || item->kind == AST_CONSTANT)
            check_duplicate(&c, i);
        if (item->kind == AST_FUNCTION && !item->function->lost)
            check_parameters(&c, item->function);
        if (item->kind == AST_FUNCTION && diagnostics->error_count > errors)
            item->function->lost = true;
    }
    lang_check_further(unit, diagnostics, first);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

static struct lang_parameter describe_parameter(const struct ast_unit *unit,
                                                const struct ast_parameter *parameter)
{
    const struct ast_type *type = parameter->type;
    bool is_scalar = !parameter->is_constexpr && !type->pointer;
    return (struct lang_parameter){
        .name = parameter->name,
        .elem = type->elem,
        .pointer = type->pointer,
        .is_const = type->pointer && type->is_const,
        .is_restrict = type->is_restrict,
        .is_constexpr = parameter->is_constexpr,
        .is_layout = type->kind == AST_TYPE_LAYOUT,
        .is_fixed = is_scalar && ast_find_define(unit, parameter->name),
        .range = parameter->range,
    };
}

static struct lang_tune describe_tune(struct arena *arena, const struct ast_item *item)
{
    struct ast_expression **candidates =
        ARENA_ARRAY(arena, struct ast_expression *, (size_t)item->argument_count);
    for (int i = 0; i < item->argument_count; i++)
        candidates[i] = item->arguments[i].value;
    return (struct lang_tune){item->name, item->argument_count, candidates, item->range};
}

static struct lang_kernel describe_kernel(struct arena *arena, const struct ast_unit *unit,
                                          const struct ast_function *function)
{
    struct lang_kernel kernel = {.name = function->name, .range = function->range};
    kernel.parameter_count = function->parameter_count;
    kernel.parameters =
        ARENA_ARRAY(arena, struct lang_parameter, (size_t)function->parameter_count);
    for (int i = 0; i < function->parameter_count; i++)
        kernel.parameters[i] = describe_parameter(unit, &function->parameters[i]);
    struct {
        struct lang_tune *items;
        size_t count, capacity;
    } tunes = {0};
    for (int i = 0; i < unit->item_count; i++) {
        const struct ast_item *item = &unit->items[i];
        if (item->kind != AST_TUNE || item->function != function)
            continue;
        struct lang_tune tune = describe_tune(arena, item);
        ARENA_PUSH(arena, &tunes, tune);
    }
    kernel.tune_count = (int)tunes.count;
    kernel.tunes = tunes.items;
    return kernel;
}

static void list_kernels(struct lang_unit *unit)
{
    const struct ast_unit *ast = unit->ast;
    unit->kernels = ARENA_ARRAY(unit->arena, struct lang_kernel, (size_t)ast->item_count);
    for (int i = 0; i < ast->item_count; i++)
        if (ast->items[i].kind == AST_FUNCTION && ast->items[i].function->is_kernel)
            unit->kernels[unit->kernel_count++] =
                describe_kernel(unit->arena, ast, ast->items[i].function);
}

/* ---- Interface ------------------------------------------------------------------------------- */

static const struct lang_define *copy_defines(struct arena *arena,
                                              const struct lang_define *defines, int count)
{
    struct lang_define *copy = ARENA_ARRAY(arena, struct lang_define, (size_t)count);
    for (int i = 0; i < count; i++) {
        const char *value = defines[i].value ? defines[i].value : "1";
        copy[i].name = arena_copy_text(arena, defines[i].name, strlen(defines[i].name));
        copy[i].value = arena_copy_text(arena, value, strlen(value));
    }
    return copy;
}

/* A -D that the file takes no notice of is a mistake as a rule: BLOCKS for BLOCK. */
static void warn_of_unused_defines(const struct lang_unit *unit, struct diagnostics *diagnostics,
                                   const struct preprocessor *pp)
{
    for (int i = 0; i < unit->ast->define_count; i++) {
        const char *name = unit->ast->defines[i].name;
        if (preprocess_uses_define(pp, name))
            continue;
        struct suggestion suggestion = {.name = name};
        for (int k = 0; k < unit->kernel_count; k++)
            for (int p = 0; p < unit->kernels[k].parameter_count; p++)
                if (unit->kernels[k].parameters[p].is_constexpr)
                    suggestion_offer(&suggestion, unit->kernels[k].parameters[p].name);
        struct diagnostic *d = diagnostics_add(
            diagnostics, DIAGNOSTIC_WARNING, (struct source_range){0},
            "-D %s has no effect: '%s' has neither such a constexpr parameter nor uses the macro",
            name, unit->file->name);
        if (suggestion.best)
            diagnostics_hint(diagnostics, d, "did you mean '%s'?", suggestion.best);
    }
}

struct lang_unit *lang_parse(struct arena *arena, struct diagnostics *diagnostics,
                             const struct source_file *file, const struct lang_define *defines,
                             int define_count, struct lang_includer includer)
{
    size_t first = diagnostics->count, errors = diagnostics->error_count;
    struct parser parser;
    struct preprocessor *pp =
        preprocess_new(arena, diagnostics, file, defines, define_count, includer);
    parser_init(&parser, arena, diagnostics, pp);
    struct lang_unit *unit = ARENA_NEW(arena, struct lang_unit);
    unit->arena = arena;
    unit->file = file;
    unit->ast = parser_unit(&parser);
    unit->ast->defines = copy_defines(arena, defines, define_count);
    unit->ast->define_count = define_count;
    size_t found = diagnostics->error_count - errors;
    if (found == 0)
        check_unit(arena, diagnostics, unit->ast);
    else if (found == parser.errors && !parser.fatal && unit->ast->item_count <= UNIT_MAX_ITEMS)
        check_further(unit, diagnostics, first);
    ast_note_macros(unit->ast, diagnostics, first);
    if (diagnostics->error_count > errors)
        return NULL;
    list_kernels(unit);
    warn_of_unused_defines(unit, diagnostics, pp);
    return unit;
}

bool ast_parse_arguments(struct arena *arena, struct diagnostics *diagnostics,
                         const struct source_file *file, bool names,
                         struct ast_argument **arguments, int *count)
{
    size_t errors = diagnostics->error_count;
    struct parser parser;
    parser_init(&parser, arena, diagnostics,
                preprocess_new(arena, diagnostics, file, NULL, 0, (struct lang_includer){0}));
    parser_argument_list(&parser, names, arguments, count);
    return diagnostics->error_count == errors;
}

/* ---- Notes about macros ---------------------------------------------------------------------- */

static const struct ast_expansion *find_expansion(const struct ast_unit *unit,
                                                  struct source_range range)
{
    for (size_t i = 0; range.file && i < unit->expansion_count; i++) {
        struct source_range use = unit->expansions[i].use;
        if (use.file == range.file && use.begin == range.begin)
            return &unit->expansions[i];
    }
    return NULL;
}

void ast_note_macros(const struct ast_unit *unit, struct diagnostics *diagnostics, size_t first)
{
    struct diagnostics noted = *diagnostics;
    noted.items = NULL;
    noted.count = noted.capacity = 0;
    for (size_t i = 0; i < diagnostics->count; i++) {
        struct diagnostic item = diagnostics->items[i];
        ARENA_PUSH(diagnostics->arena, &noted, item);
        const struct ast_expansion *expansion =
            i >= first && item.kind != DIAGNOSTIC_NOTE ? find_expansion(unit, item.range) : NULL;
        if (!expansion)
            continue;
        struct diagnostic added = {
            .kind = DIAGNOSTIC_NOTE,
            .range = expansion->definition,
            .message =
                arena_format(diagnostics->arena, "expanded from macro '%s'", expansion->name),
        };
        ARENA_PUSH(diagnostics->arena, &noted, added);
    }
    *diagnostics = noted;
}
