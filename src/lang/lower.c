/*
 * The entry points of the elaboration, and what all of it shares: errors, limits, parameters.
 */
#include "lang/lower.h"

#include "ir/eval.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct value value_poison = {.kind = VALUE_POISON};
const struct value value_none = {.kind = VALUE_NONE};
const struct value value_void = {.kind = VALUE_VOID};

/* ---- Messages ---------------------------------------------------------------------------- */

static char *format_message(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

static bool same_file(const struct source_file *a, const struct source_file *b)
{
    return a == b || (a && b && strcmp(a->name, b->name) == 0);
}

/* A helper that is called twice, or a loop's body, would report the same thing again. */
static bool is_reported(const struct lower *l, struct source_range range, const char *message)
{
    for (size_t i = 0; i < l->diagnostics->count; i++) {
        const struct diagnostic *other = &l->diagnostics->items[i];
        if (same_file(other->range.file, range.file) && other->range.begin == range.begin &&
            other->range.end == range.end && strcmp(other->message, message) == 0)
            return true;
    }
    return false;
}

static void add(struct lower *l, enum diagnostic_kind kind, struct source_range range,
                const char *message)
{
    l->last = NULL;
    l->calls_noted = 0;
    if (!is_reported(l, range, message))
        l->last = diagnostics_add(l->diagnostics, kind, range, "%s", message);
}

struct value lower_error(struct lower *l, struct source_range range, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *message = format_message(l->arena, format, arguments);
    va_end(arguments);
    add(l, DIAGNOSTIC_ERROR, range, message);
    l->failed = true;
    return value_poison;
}

void lower_warning(struct lower *l, struct source_range range, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *message = format_message(l->arena, format, arguments);
    va_end(arguments);
    add(l, DIAGNOSTIC_WARNING, range, message);
}

void lower_note(struct lower *l, struct source_range range, const char *format, ...)
{
    if (!l->last)
        return;
    va_list arguments;
    va_start(arguments, format);
    const char *message = format_message(l->arena, format, arguments);
    va_end(arguments);
    diagnostics_add(l->diagnostics, DIAGNOSTIC_NOTE, range, "%s", message);
}

void lower_hint(struct lower *l, const char *format, ...)
{
    if (!l->last)
        return;
    va_list arguments;
    va_start(arguments, format);
    diagnostics_hint(l->diagnostics, l->last, "%s", format_message(l->arena, format, arguments));
    va_end(arguments);
}

/* ---- Limits ------------------------------------------------------------------------------ */

struct checkpoint lower_mark(const struct lower *l)
{
    return (struct checkpoint){*l->diagnostics, l->promoted.count, l->reported.count, l->failed};
}

void lower_undo(struct lower *l, const struct checkpoint *checkpoint)
{
    /* Not the items, which may have grown meanwhile. */
    l->diagnostics->count = checkpoint->diagnostics.count;
    l->diagnostics->error_count = checkpoint->diagnostics.error_count;
    l->diagnostics->warning_count = checkpoint->diagnostics.warning_count;
    l->diagnostics->dropped = checkpoint->diagnostics.dropped;
    l->promoted.count = checkpoint->promoted;
    while (l->reported.count > checkpoint->reported) {
        size_t index = l->reported.items[--l->reported.count];
        if (index < l->variables.count && value_is_poison(l->variables.items[index].value))
            l->variables.items[index].value = value_none;
    }
    l->failed = checkpoint->failed;
    l->last = NULL;
}

#define DEPTH_HINT                                                                                 \
    "helpers count, because they are inlined, and so does what follows a 'return', 'break' or "    \
    "'continue' under a condition"

static bool stop(struct lower *l, struct source_range range, const char *what, const char *hint)
{
    lower_error(l, range, "%s", what);
    lower_hint(l, "%s", hint);
    l->stopped = true;
    return false;
}

bool lower_spend(struct lower *l, struct source_range range)
{
    if (l->stopped || diagnostics_full(l->diagnostics)) {
        l->stopped = true;
        return false;
    }
    if (++l->work > LOWER_MAX_WORK)
        return stop(l, range, "the kernel is too large",
                    "helpers count once for each call, because they are inlined");
    if (l->variables.count > LOWER_MAX_VARIABLES)
        return stop(l, range, "too many variables at one place",
                    "variables in a block of their own end with it");
    return true;
}

bool lower_enter(struct lower *l, struct source_range range)
{
    if (!lower_spend(l, range))
        return false;
    if (l->depth >= LOWER_MAX_DEPTH)
        return stop(l, range, "nested too deeply", DEPTH_HINT);
    l->depth++;
    return true;
}

void lower_leave(struct lower *l)
{
    l->depth--;
}

/* ---- Names at file scope ----------------------------------------------------------------- */

void lower_init(struct lower *l, const struct lang_unit *unit, struct diagnostics *diagnostics)
{
    *l = (struct lower){.arena = unit->arena, .diagnostics = diagnostics, .unit = unit};
    l->b.func = ir_func_new(l->arena, "", 0, NULL);
    l->b.region = l->b.func->body;
    struct frame frame;
    lower_open_frame(l, &frame, NULL);
    l->variables.count = 0;
    for (int i = 0; i < unit->ast->item_count; i++) {
        const struct ast_item *item = &unit->ast->items[i];
        if (item->kind != AST_CONSTANT)
            continue;
        if (lower_check_expression(l, NULL, item->constant->initial))
            lower_declare(l, item->constant);
        else
            lower_add_variable(l, VARIABLE_CONSTANT, item->constant->name, item->constant->range,
                               ir_scalar(IR_I32), value_poison);
        l->file_constants = l->variables.count;
    }
    l->frame = NULL;
}

/* ---- Parameters -------------------------------------------------------------------------- */

/* The one integer that C has no literal for, written as a user would. */
static bool is_least_integer(const char *text)
{
    return strcmp(text, "-9223372036854775808") == 0;
}

/* The text of -D NAME=text as an argument; NULL after an error. */
static const struct ast_argument *define_value(struct lower *l, const struct lang_define *define)
{
    struct source_file *file = ARENA_NEW(l->arena, struct source_file);
    file->name = arena_format(l->arena, "<-D %s>", define->name);
    file->text = define->value;
    file->length = strlen(define->value);
    struct ast_argument *arguments;
    int count;
    if (!ast_parse_arguments(l->arena, l->diagnostics, file, false, &arguments, &count)) {
        l->failed = true;
        return NULL;
    }
    if (count == 1 && arguments[0].value)
        return &arguments[0];
    lower_error(l, (struct source_range){file, 0, (uint32_t)file->length},
                "the value of '%s' must be one number", define->name);
    return NULL;
}

/* The value that a parameter has for all launches; kind NONE when it has none. */
static struct value bound_value(struct lower *l, const struct ast_parameter *parameter,
                                const struct lang_binding *bindings, int binding_count,
                                struct source_range *place)
{
    *place = parameter->range;
    for (int i = 0; i < binding_count; i++) {
        if (strcmp(bindings[i].name, parameter->name) == 0)
            return value_constant(IR_I64, (uint64_t)bindings[i].value);
    }
    const struct lang_define *define = ast_find_define(l->unit->ast, parameter->name);
    if (!define)
        return value_none;
    if (is_least_integer(define->value))
        return value_constant(IR_I64, (uint64_t)INT64_MIN);
    const struct ast_argument *argument = define_value(l, define);
    if (!argument || !lower_check_expression(l, NULL, argument->value))
        return value_poison;
    *place = argument->range;
    return lower_value(l, argument->value);
}

static struct value does_not_fit(struct lower *l, const struct ast_parameter *parameter,
                                 struct source_range place, int64_t number)
{
    enum ir_elem elem = parameter->type->elem;
    int bits = ir_elems[elem].bits;
    uint64_t most = UINT64_MAX >> (64 - bits + ir_is_signed(elem));
    lower_error(l, place, "%lld does not fit '%s', which is '%s'", (long long)number,
                parameter->name, lower_elem_name(elem));
    if (elem == IR_BOOL)
        lower_hint(l, "it is 0 or 1");
    else if (ir_is_signed(elem))
        lower_hint(l, "it is %lld to %lld", -(long long)most - 1, (long long)most);
    else
        lower_hint(l, "it is 0 to %llu", (unsigned long long)most);
    return value_poison;
}

/* Rounds as an argument of a launch is rounded. */
static struct value float_value(struct lower *l, const struct ast_parameter *parameter,
                                struct source_range place, struct value v)
{
    enum ir_elem elem = parameter->type->elem;
    double before = v.weak ? v.real : ir_eval_to_double(v.bits, value_elem(v));
    struct value result = lower_convert(l, v, elem);
    if (isinf(before) || !isinf(ir_eval_to_double(result.bits, elem)))
        return result;
    lower_error(l, place, "the value of '%s' does not fit '%s'", parameter->name,
                lower_elem_name(elem));
    lower_hint(l, "it would be infinity: write INFINITY if that is meant");
    return value_poison;
}

/* Converts to the parameter's type, and refuses what would change. */
static struct value parameter_value(struct lower *l, const struct ast_parameter *parameter,
                                    struct source_range place, struct value v)
{
    const struct ast_type *type = parameter->type;
    if (type->kind == AST_TYPE_LAYOUT) {
        if (v.kind == VALUE_LAYOUT)
            return v;
        lower_error(l, place, "the value of '%s' must be a layout", parameter->name);
        lower_hint(l, "-D %s='layout(0, 1, 2)'", parameter->name);
        return value_poison;
    }
    if (!value_is_number(v) || (!v.constant && !v.weak))
        return lower_error(l, place, "the value of '%s' must be a constant", parameter->name);
    enum ir_elem elem = type->elem;
    if (ir_is_float(elem))
        return float_value(l, parameter, place, v);
    if (v.weak || value_is_float(v))
        return lower_error(l, place, "the value of '%s' must be an integer", parameter->name);
    int64_t number = ir_eval_to_int(v.bits, value_elem(v));
    bool negative = number < 0 && ir_is_signed(value_elem(v));
    struct value result = lower_convert(l, v, elem);
    if (ir_eval_to_int(result.bits, elem) != number || (elem == IR_BOOL && number >> 1 != 0) ||
        (negative != (number < 0 && ir_is_signed(elem))))
        return does_not_fit(l, parameter, place, number);
    if (ir_is_signed(elem)) {
        result = lower_to_index(l, result);
        result.nominal = elem;
    }
    return result;
}

struct value lower_parameter_value(struct lower *l, const struct ast_parameter *parameter,
                                   const struct lang_binding *bindings, int binding_count)
{
    struct source_range place;
    struct value v = bound_value(l, parameter, bindings, binding_count, &place);
    return v.kind == VALUE_NONE || value_is_poison(v) ? v : parameter_value(l, parameter, place, v);
}

/* Says so where a tune line lists values that could not be computed, or that no one chose from. */
static void note_tune(struct lower *l, const struct ast_parameter *parameter)
{
    for (int i = 0; i < l->unit->ast->item_count; i++) {
        const struct ast_item *item = &l->unit->ast->items[i];
        if (item->kind != AST_TUNE || strcmp(item->name, parameter->name) != 0)
            continue;
        for (int k = 0; k < item->function->parameter_count; k++) {
            if (&item->function->parameters[k] == parameter)
                lower_note(
                    l, item->range,
                    "tilec_program_tune chooses from these values, and so does the program tilec, "
                    "but "
                    "where they need what is only known at a launch (a scalar may be fixed with "
                    "-D), or loops");
        }
    }
}

static bool bind_constexpr(struct lower *l, const struct ast_parameter *parameter,
                           const struct lang_binding *bindings, int binding_count)
{
    struct value v = lower_parameter_value(l, parameter, bindings, binding_count);
    if (v.kind == VALUE_NONE) {
        v = lower_error(l, parameter->range, "the constexpr parameter '%s' has no value",
                        parameter->name);
        lower_hint(l, "give it with -D %s=..., or list its values with tune", parameter->name);
        note_tune(l, parameter);
    }
    struct ir_type type = ir_scalar(parameter->type->elem);
    lower_add_variable(l, VARIABLE_CONSTANT, parameter->name, parameter->range, type, v);
    return !value_is_poison(v);
}

/* Notes what a define or a constant says of an ordinary parameter. False after an error. */
static bool fix_parameter(struct lower *l, const struct ast_parameter *parameter,
                          const struct lang_binding *bindings, int binding_count,
                          struct ir_parameter *fixed)
{
    const struct lang_define *define = ast_find_define(l->unit->ast, parameter->name);
    if (parameter->type->pointer && define) {
        lower_error(l, parameter->range, "'%s' is an array, which '-D %s' cannot fix",
                    parameter->name, parameter->name);
        lower_hint(l, "its address and its elements are only known at a launch; -D fixes scalars");
        return false;
    }
    if (parameter->type->pointer)
        return true;
    struct value v = lower_parameter_value(l, parameter, bindings, binding_count);
    fixed->is_fixed = v.kind == VALUE_DATA;
    if (!fixed->is_fixed)
        return !value_is_poison(v);
    unsigned spare = 64 - ir_elems[parameter->type->elem].bits;
    fixed->fixed = v.bits << spare >> spare;
    return true;
}

/* What the function that is built computes with. A value that is fixed is a constant for the passes
 * but not for the language, in which the kernel means the same as without it: no branch is left out
 * here, and what needs a constant does not take it. */
static struct ir_value *parameter_ir(struct lower *l, const struct ir_parameter *parameter,
                                     struct ir_value *argument)
{
    enum ir_elem elem = (enum ir_elem)parameter->type.elem;
    if (!parameter->is_fixed)
        return argument;
    struct ir_value *ir = ir_is_signed(elem)
                              ? ir_constant_i64(&l->b, ir_eval_to_int(parameter->fixed, elem))
                              : ir_constant(&l->b, parameter->type, parameter->fixed);
    ir->name = parameter->name;
    return ir;
}

/* Declares a parameter of the function that is built, whose argument stands for it. Signed integers
 * are indices. */
static void declare_parameter(struct lower *l, const struct ast_parameter *parameter,
                              const struct ir_parameter *fixed, struct ir_value *argument)
{
    l->b.range = parameter->range;
    struct ir_value *ir = parameter_ir(l, fixed, argument);
    enum ir_elem elem = (enum ir_elem)argument->type.elem;
    struct value v = value_from_ir(ir, elem);
    v.is_const = parameter->type->is_const && parameter->type->pointer;
    if (!argument->type.pointer && ir_is_signed(elem)) {
        v = value_index(ir_cast(&l->b, ir, IR_I64), elem);
        if (v.ir != argument)
            v.ir->name = parameter->name;
    }
    size_t index = lower_add_variable(l, VARIABLE_ORDINARY, parameter->name, parameter->range,
                                      argument->type, v);
    struct variable *variable = &l->variables.items[index];
    variable->to_const = v.is_const;
    variable->is_const = ast_type_is_fixed(parameter->type);
}

bool lower_declare_parameters(struct lower *l, const struct ast_function *kernel,
                              const struct lang_binding *bindings, int binding_count)
{
    bool fine = true;
    int argument = 0;
    struct ir_func *func = l->b.func;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct ast_parameter *parameter = &kernel->parameters[i];
        if (parameter->is_constexpr)
            fine = bind_constexpr(l, parameter, bindings, binding_count) && fine;
        else if (argument < func->parameter_count &&
                 strcmp(func->parameters[argument].name, parameter->name) == 0) {
            struct ir_parameter *fixed = &func->parameters[argument];
            fine = fix_parameter(l, parameter, bindings, binding_count, fixed) && fine;
            declare_parameter(l, parameter, fixed, func->body->arguments[argument++]);
        }
    }
    return fine;
}

struct ir_func *lower_new_func(struct lower *l, const struct ast_function *kernel, bool host)
{
    struct ir_parameter *parameters =
        ARENA_ARRAY(l->arena, struct ir_parameter, (size_t)kernel->parameter_count);
    int count = 0;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct ast_parameter *parameter = &kernel->parameters[i];
        const struct ast_type *type = parameter->type;
        if (parameter->is_constexpr || type->kind != AST_TYPE_ELEM || (host && type->pointer))
            continue;
        parameters[count++] = (struct ir_parameter){.name = parameter->name,
                                                    .type = type->pointer ? ir_pointer(type->elem)
                                                                          : ir_scalar(type->elem),
                                                    .is_const = type->pointer && type->is_const,
                                                    .is_restrict = type->is_restrict,
                                                    .range = parameter->range};
    }
    struct ir_func *func = ir_func_new(l->arena, kernel->name, count, parameters);
    func->range = kernel->range;
    l->b = (struct ir_builder){.func = func, .region = func->body, .range = kernel->range};
    return func;
}

/* Parameters were extended on entry, or became constants, whether used or not. */
void lower_drop_unused_parameters(struct ir_func *func)
{
    ir_count_uses(func);
    struct ir_op *next;
    for (struct ir_op *op = func->body->first;
         op && (op->code == IR_OP_CAST || op->code == IR_OP_CONSTANT); op = next) {
        next = op->next;
        if (op->results[0]->uses == 0 && (op->code == IR_OP_CONSTANT || !op->operands[0]->op))
            ir_remove(op);
    }
}

/* The first op, in the order of the text, whose regions are more than `room` blocks inside the
 * given one; NULL if none is. It looks no deeper than that, so its own depth is bounded. */
static const struct ir_op *first_too_deep(const struct ir_region *region, int room)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (op->region_count && room == 0)
            return op;
        for (int i = 0; i < op->region_count; i++) {
            const struct ir_op *deep = first_too_deep(op->regions[i], room - 1);
            if (deep)
                return deep;
        }
    }
    return NULL;
}

bool lower_check_blocks(struct lower *l, const struct ir_func *func)
{
    const struct ir_op *op = first_too_deep(func->body, IR_MAX_BLOCKS);
    if (!op)
        return true;
    lower_error(l, op->range, "nested too deeply: this is inside %d blocks of 'if' and loops",
                IR_MAX_BLOCKS);
    lower_hint(l, DEPTH_HINT);
    return false;
}

/* ---- The kernel -------------------------------------------------------------------------- */

struct ir_func *lower_kernel(struct lower *l, const struct ast_function *kernel,
                             const struct lang_binding *bindings, int binding_count)
{
    struct ir_func *func = lower_new_func(l, kernel, false);
    struct frame frame;
    lower_open_frame(l, &frame, kernel);
    l->in_kernel = true;
    if (lower_declare_parameters(l, kernel, bindings, binding_count))
        lower_block(l, kernel->body->block.items, kernel->body->block.count);
    lower_close_frame(l);
    l->in_kernel = false;
    l->b.range = kernel->range;
    ir_build(&l->b, IR_OP_RETURN, 0, NULL, 0, NULL, 0, NULL);
    lower_drop_unused_parameters(func);
    if (!l->failed)
        lower_check_blocks(l, func);
    return func;
}

struct ir_kernel *lang_lower(struct lang_unit *unit, struct diagnostics *diagnostics,
                             const struct lang_kernel *kernel, const struct lang_binding *bindings,
                             int binding_count, const char *const *extra_requirements,
                             int extra_requirement_count)
{
    size_t first = diagnostics->count;
    struct lower lower, *l = &lower;
    lower_init(l, unit, diagnostics);
    const struct ast_function *function = ast_find_function(unit->ast, kernel->name);
    struct ir_kernel *result = ARENA_NEW(unit->arena, struct ir_kernel);
    lower_static_requires(l);
    bool constants_fine = !l->failed;
    l->names_reported = !lower_check_names(l, function);
    l->work = 0;
    if (constants_fine && !l->stopped)
        result->func = lower_kernel(l, function, bindings, binding_count);
    if (!l->failed)
        lower_launch(l, result, function, bindings, binding_count);
    lower_requirements(l, result, function, bindings, binding_count, extra_requirements,
                       extra_requirement_count);
    ast_note_macros(unit->ast, diagnostics, first);
    return l->failed ? NULL : result;
}
