/*
 * Calls. What a built-in takes is written once, in builtins.def: this file reads the parameters
 * there, brings the arguments into that form and hands them to the built-in's handler, which so
 * never sees a wrong count or kind.
 */
#include "lang/lower.h"

#include <string.h>

/* The handler of words such as axis: they are no functions. */
BUILTIN_HANDLER(word)
{
    lower_error(l, call->expression->at, "'%s' cannot stand here", call->builtin->name);
    lower_hint(l, "%s", call->builtin->meaning);
    return value_poison;
}

static const struct builtin builtins[] = {
#define BUILTIN(name, handler, op, parameters, result, meaning)                                    \
    {#name, lower_builtin_##handler, IR_OP_##op, parameters, result, meaning},
#include "lang/builtins.def"
#undef BUILTIN
};

const struct builtin *lower_find_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    }
    return NULL;
}

/* ---- The parameters of a built-in -------------------------------------------------------- */

enum kind {
    KIND_NUMBER,
    KIND_FLOAT,
    KIND_INTEGER,
    KIND_CONDITION,
    KIND_POINTER,
    KIND_SCALAR,
    KIND_CONSTANT,
    KIND_SIZE,
    KIND_TYPE,
    KIND_VIEW,
    KIND_LAYOUT,
    KIND_TEXT,
    KIND_HELPER,
    KIND_AXIS, /* from here on: not by position */
    KIND_WORD,
    KIND_NAMED,
};

static const char *const kind_names[] = {
    [KIND_NUMBER] = "number",       [KIND_FLOAT] = "float",     [KIND_INTEGER] = "integer",
    [KIND_CONDITION] = "condition", [KIND_POINTER] = "pointer", [KIND_SCALAR] = "scalar",
    [KIND_CONSTANT] = "constant",   [KIND_SIZE] = "size",       [KIND_TYPE] = "type",
    [KIND_VIEW] = "view",           [KIND_LAYOUT] = "layout",   [KIND_TEXT] = "text",
    [KIND_HELPER] = "helper",       [KIND_AXIS] = "axis",       [KIND_WORD] = "word",
    [KIND_NAMED] = "named",
};

struct parameter {
    enum kind kind;
    const char *name;
    size_t name_length;
    bool optional, variadic;
};

/* Reads one "kind name = default..." up to the comma; returns what follows. */
static const char *read_parameter(const char *text, struct parameter *parameter)
{
    size_t length = strcspn(text, ",");
    const char *space = strchr(text, ' ');
    *parameter = (struct parameter){.name = space + 1};
    for (size_t k = 0; k < sizeof kind_names / sizeof *kind_names; k++) {
        if (strlen(kind_names[k]) == (size_t)(space - text) &&
            strncmp(kind_names[k], text, (size_t)(space - text)) == 0)
            parameter->kind = (enum kind)k;
    }
    parameter->name_length = strcspn(parameter->name, " .,");
    parameter->optional = memchr(text, '=', length) != NULL;
    parameter->variadic = length > 3 && strncmp(text + length - 3, "...", 3) == 0;
    text += length;
    return *text == ',' ? text + 2 : text;
}

static int read_parameters(const struct builtin *builtin, struct parameter *parameters)
{
    int count = 0;
    for (const char *text = builtin->parameters; *text; count++)
        text = read_parameter(text, &parameters[count]);
    return count;
}

/* ---- One argument ------------------------------------------------------------------------ */

static const char *parameter_name(struct lower *l, const struct call *call,
                                  const struct parameter *parameter)
{
    return arena_format(l->arena, "'%.*s' of '%s'", (int)parameter->name_length, parameter->name,
                        call->builtin->name);
}

/* Arguments in the wrong order are one mistake. */
static bool wrong_kind(struct lower *l, struct call *call, const struct parameter *parameter,
                       const struct argument *argument, const char *wanted)
{
    struct value v = argument->value;
    if (call->confused)
        return false;
    call->confused = true;
    const char *got = v.kind == VALUE_VOID ? "a call that returns nothing"
                      : v.kind == VALUE_VIEW || v.kind == VALUE_TABLE
                          ? lower_type_name(l, v)
                          : arena_format(l->arena, "'%s'", lower_type_name(l, v));
    lower_error(l, argument->range, "%s must be %s, not %s", parameter_name(l, call, parameter),
                wanted, got);
    if (v.kind == VALUE_TABLE)
        lower_hint(l, "%s", lower_table_hint);
    else if (v.kind == VALUE_VIEW && parameter->kind == KIND_POINTER)
        lower_hint(l, "tile_load and tile_store take views");
    else if (v.kind == VALUE_VIEW)
        lower_hint(l, "tile_load(v, indices..., sizes...) reads from a view");
    else if (value_is_pointer(v) && parameter->kind == KIND_VIEW)
        lower_hint(l, "view(pointer, sizes...) makes a view; load and store take pointers");
    else if (value_is_pointer(v))
        lower_hint(l, "load(pointer, mask) reads what a pointer points to");
    else if (parameter->kind == KIND_POINTER)
        lower_hint(l, "an address is a pointer and an offset: X + i, where X is a parameter "
                      "'float *X'");
    return false;
}

static bool scalar_argument(struct lower *l, struct call *call, const struct parameter *parameter,
                            struct argument *argument)
{
    if (!value_is_integral(argument->value))
        return wrong_kind(l, call, parameter, argument, "an integer");
    if (value_is_tile(argument->value)) {
        lower_error(l, argument->range, "%s must be one number for the program, not %s",
                    parameter_name(l, call, parameter), lower_shape_name(l, argument->value.type));
        return false;
    }
    argument->value = lower_to_index(l, argument->value);
    return true;
}

static bool constant_argument(struct lower *l, const struct call *call,
                              const struct parameter *parameter, struct argument *argument)
{
    if (!value_number(argument->value, &argument->number)) {
        lower_error(l, argument->range, "%s must be an integer known at compile time",
                    parameter_name(l, call, parameter));
        lower_hint_constant(l, argument->ast->value);
        return false;
    }
    if (parameter->kind != KIND_SIZE)
        return true;
    if (argument->number < 1 || argument->number > IR_MAX_ELEMENTS) {
        lower_error(l, argument->range, "a size must be from 1 to %d, not %lld",
                    (int)IR_MAX_ELEMENTS, (long long)argument->number);
        return false;
    }
    return true;
}

/* A mask that is no condition is C, and mostly an argument in the wrong place or half a comparison.
 */
static void warn_of_mask(struct lower *l, const struct call *call,
                         const struct parameter *parameter, const struct argument *argument)
{
    static const char name[] = "mask";
    size_t length = strlen(name);
    struct value mask = argument->value;
    if (parameter->name_length != length || memcmp(parameter->name, name, length) != 0 ||
        value_is_bool(mask))
        return;
    if (value_is_float(mask)) {
        lower_warning(l, argument->range,
                      "the mask of '%s' is a '%s', which holds where it is not 0",
                      call->builtin->name, lower_type_name(l, mask));
        lower_hint(l, "a mask is a condition, as i < n; 'x != 0' says that it is meant");
    } else if (value_is_tile(mask) && mask.index && !value_is_tile(call->arguments[0].value)) {
        lower_warning(l, argument->range, "the mask of '%s' is a tile of indices",
                      call->builtin->name);
        lower_hint(l, "an offset is added to the pointer: X + i");
    } else if (!value_is_tile(mask) && value_is_tile(call->arguments[0].value)) {
        lower_warning(l, argument->range, "the mask of '%s' is one number for all elements",
                      call->builtin->name);
        lower_hint(l, "a mask is a condition, as i < n; 'n != 0' says that it is meant");
    }
}

/* Brings an evaluated argument into the form of its kind. */
static bool check_value(struct lower *l, struct call *call, const struct parameter *parameter,
                        struct argument *argument)
{
    struct value v = argument->value;
    switch (parameter->kind) {
    case KIND_NUMBER:
        return value_is_number(v) || wrong_kind(l, call, parameter, argument, "a number");
    case KIND_FLOAT:
        if (!value_is_number(v))
            return wrong_kind(l, call, parameter, argument, "a number");
        if (!value_is_float(v))
            argument->value = lower_convert(l, v, IR_F32);
        return true;
    case KIND_INTEGER:
        return value_is_integral(v) || wrong_kind(l, call, parameter, argument, "an integer");
    case KIND_CONDITION:
        if (!value_is_number(v))
            return wrong_kind(l, call, parameter, argument, "a condition");
        warn_of_mask(l, call, parameter, argument);
        argument->value = lower_truth(l, argument->range, v);
        return true;
    case KIND_POINTER:
        return value_is_pointer(v) || wrong_kind(l, call, parameter, argument, "a pointer");
    case KIND_SCALAR:
        return scalar_argument(l, call, parameter, argument);
    case KIND_CONSTANT:
    case KIND_SIZE:
    case KIND_NAMED:
    case KIND_AXIS:
        return constant_argument(l, call, parameter, argument);
    case KIND_VIEW:
        return v.kind == VALUE_VIEW || wrong_kind(l, call, parameter, argument, "a view");
    case KIND_LAYOUT:
        return v.kind == VALUE_LAYOUT || wrong_kind(l, call, parameter, argument, "a layout");
    case KIND_TYPE:
    case KIND_TEXT:
    case KIND_HELPER:
    case KIND_WORD:
        break;
    }
    return true;
}

static bool type_argument(struct lower *l, struct call *call, const struct parameter *parameter,
                          struct argument *argument)
{
    const struct ast_type *type = argument->ast->type;
    if (type && type->kind == AST_TYPE_ELEM && !type->pointer) {
        argument->elem = type->elem;
        return true;
    }
    const struct ast_expression *e = argument->ast->value;
    if (e && e->kind == AST_NAME && l->unit->ast->vague)
        return false; /* what declares it was refused */
    lower_error(l, argument->range, "%s must be an element type, such as float",
                parameter_name(l, call, parameter));
    if (!type)
        lower_hint(l, "write %s(float, ...)", call->builtin->name);
    call->confused = true;
    return false;
}

static bool literal_argument(struct lower *l, struct call *call, const struct parameter *parameter,
                             struct argument *argument)
{
    const struct ast_expression *e = argument->ast->value;
    if (parameter->kind == KIND_TEXT) {
        if ((e && e->kind == AST_TEXT) || call->confused)
            return !call->confused;
        lower_error(l, argument->range, "%s must be a text in quotes",
                    parameter_name(l, call, parameter));
        const struct source_range *range = &argument->range;
        if (range->file && range->file->text[range->begin] == '\'')
            lower_hint(l, "a text stands in double quotes");
        else
            lower_hint(l, "%s(%s)", call->builtin->name, call->builtin->parameters);
        call->confused = true;
        return false;
    }
    if (e && e->kind == AST_NAME && !lower_find_variable(l, e->name) &&
        ast_find_function(l->unit->ast, e->name))
        return true;
    if (e && e->kind == AST_NAME && !lower_find_variable(l, e->name) && l->names_reported)
        return false;
    lower_error(l, argument->range, "%s must be the name of a static helper",
                parameter_name(l, call, parameter));
    lower_hint(l, "as static float larger(float a, float b) { return maximum(a, b); }; cumsum, "
                  "cumprod, cummax and cummin need none");
    call->confused = true;
    return false;
}

static bool take_argument(struct lower *l, struct call *call, const struct parameter *parameter,
                          const struct ast_argument *ast, struct argument *argument)
{
    *argument = (struct argument){.given = true, .ast = ast, .range = ast->range};
    if (parameter->kind == KIND_TYPE)
        return type_argument(l, call, parameter, argument);
    if (parameter->kind == KIND_TEXT || parameter->kind == KIND_HELPER)
        return literal_argument(l, call, parameter, argument);
    if (!ast->value && call->confused)
        return false;
    if (!ast->value) {
        lower_error(l, ast->range, "%s must be a value, not a type",
                    parameter_name(l, call, parameter));
        return false;
    }
    if (call->confused && (ast->value->kind == AST_TEXT ||
                           (ast->value->kind == AST_NAME && ast_is_builtin(ast->value->name))))
        return false;
    argument->range = ast->value->range;
    call->confused = call->confused || ast->value->kind == AST_TEXT;
    argument->value = lower_value(l, ast->value);
    if (value_is_poison(argument->value))
        return false;
    return check_value(l, call, parameter, argument);
}

/* ---- All arguments ----------------------------------------------------------------------- */

static bool is_axis(const struct ast_argument *ast)
{
    return ast->value && ast->value->kind == AST_CALL && strcmp(ast->value->call.name, "axis") == 0;
}

static bool has_name(const struct parameter *parameter, const char *name)
{
    return strlen(name) == parameter->name_length &&
           strncmp(name, parameter->name, parameter->name_length) == 0;
}

/* The parameter that an argument is for by its form; -1: by position. */
static int parameter_by_form(const struct parameter *parameters, int count,
                             const struct ast_argument *ast)
{
    for (int i = 0; i < count; i++) {
        const struct parameter *parameter = &parameters[i];
        if (parameter->kind == KIND_NAMED && ast->name && has_name(parameter, ast->name))
            return i;
        if (parameter->kind == KIND_AXIS && is_axis(ast))
            return i;
        if (parameter->kind == KIND_WORD && ast->value && ast->value->kind == AST_NAME &&
            has_name(parameter, ast->value->name))
            return i;
    }
    return -1;
}

static bool take_by_form(struct lower *l, struct call *call, const struct parameter *parameter,
                         const struct ast_argument *ast, struct argument *argument)
{
    if (argument->given) {
        lower_error(l, ast->range, "%s is given twice", parameter_name(l, call, parameter));
        return false;
    }
    if (parameter->kind == KIND_WORD) {
        *argument = (struct argument){.given = true, .ast = ast, .range = ast->range};
        return true;
    }
    if (parameter->kind == KIND_NAMED)
        return take_argument(l, call, parameter, ast, argument);
    const struct ast_expression *e = ast->value;
    if (e->call.argument_count != 1) {
        lower_error(l, e->range, "'axis' takes one axis: axis(0)");
        return false;
    }
    bool fine = take_argument(l, call, parameter, &e->call.arguments[0], argument);
    argument->range = e->range;
    return fine;
}

static void report_surplus(struct lower *l, const struct call *call,
                           const struct parameter *parameters, int count,
                           const struct ast_argument *ast)
{
    const struct ast_expression *e = ast->value;
    bool is_word = e && e->kind == AST_NAME && ast_is_builtin(e->name);
    if (e && !is_word && value_is_poison(lower_value(l, e)))
        return; /* what is wrong with it was said */
    for (int i = 0; i < count && !is_word; i++) {
        if (parameters[i].kind != KIND_AXIS || ast->name)
            continue;
        lower_error(l, ast->range, "an axis of '%s' is named", call->builtin->name);
        bool literal = e && e->kind == AST_INTEGER;
        const char *name = call->builtin->name;
        bool reduces = call->builtin->code == IR_OP_MAX || call->builtin->code == IR_OP_MIN;
        int rank = value_is_tile(call->arguments[0].value) ? call->arguments[0].value.type.rank : 0;
        if (reduces && literal && e->integer.value < (uint64_t)rank) /* max(x, 0) may mean both */
            lower_hint(l, "write axis(%llu); %simum(x, %llu) compares two values",
                       (unsigned long long)e->integer.value, name,
                       (unsigned long long)e->integer.value);
        else if (reduces)
            lower_hint(l, "%simum(x, y) compares two values; an axis is written axis(...)", name);
        else if (literal)
            lower_hint(l, "write axis(%llu)", (unsigned long long)e->integer.value);
        else
            lower_hint(l, "write axis(...)");
        return;
    }
    if (is_word)
        lower_error(l, ast->range, "'%s' is no argument of '%s'", e->name, call->builtin->name);
    else if (ast->name)
        lower_error(l, ast->range, "'%s' has no parameter that is named '.%s'", call->builtin->name,
                    ast->name);
    else
        lower_error(l, ast->range, "too many arguments for '%s'", call->builtin->name);
    if (call->builtin->code == IR_OP_ARANGE)
        lower_hint(l, "begin + step * arange(0, n) has another step");
    else
        lower_hint(l, "%s(%s)", call->builtin->name, call->builtin->parameters);
}

static bool report_missing(struct lower *l, const struct call *call,
                           const struct parameter *parameter)
{
    const char *name = call->builtin->name;
    lower_error(l, call->range, "%s is missing", parameter_name(l, call, parameter));
    if (strcmp(name, "arange") == 0)
        lower_hint(l, "a range from 0 on is arange(0, n)");
    else
        lower_hint(l, "%s(%s)", name, call->builtin->parameters);
    return false;
}

/* False after an error, in which case some arguments may not have been looked at. */
static bool take_arguments(struct lower *l, struct call *call)
{
    struct parameter parameters[BUILTIN_MAX_PARAMETERS];
    int count = read_parameters(call->builtin, parameters);
    int given = call->expression->call.argument_count, position = 0;
    bool fine = true;
    call->rest = ARENA_ARRAY(l->arena, struct argument, (size_t)given);
    for (int i = 0; i < given; i++) {
        const struct ast_argument *ast = &call->expression->call.arguments[i];
        int index = parameter_by_form(parameters, count, ast);
        if (index >= 0) {
            fine = take_by_form(l, call, &parameters[index], ast, &call->arguments[index]) && fine;
            continue;
        }
        if (position >= count || parameters[position].kind >= KIND_AXIS || ast->name) {
            report_surplus(l, call, parameters, count, ast);
            return false;
        }
        struct argument *argument = &call->arguments[position];
        if (parameters[position].variadic)
            argument = &call->rest[call->rest_count++];
        fine = take_argument(l, call, &parameters[position], ast, argument) && fine;
        if (parameters[position].variadic)
            call->arguments[position].given = true;
        else
            position++;
    }
    for (int i = 0; fine && i < count; i++) {
        if (!call->arguments[i].given && !parameters[i].optional)
            return report_missing(l, call, &parameters[i]);
    }
    return fine;
}

/* ---- Calls ------------------------------------------------------------------------------- */

static struct value call_builtin(struct lower *l, const struct ast_expression *e,
                                 const struct builtin *builtin)
{
    struct call call = {.builtin = builtin, .expression = e, .range = e->range};
    bool is_word = builtin->handle == lower_builtin_word;
    if (!is_word && !take_arguments(l, &call))
        return value_poison;
    l->b.range = e->range;
    return builtin->handle(l, &call);
}

static struct value call_helper(struct lower *l, const struct ast_expression *e,
                                const struct ast_function *function)
{
    int count = e->call.argument_count;
    struct value *arguments = ARENA_ARRAY(l->arena, struct value, (size_t)count);
    struct source_range *ranges = ARENA_ARRAY(l->arena, struct source_range, (size_t)count);
    bool fine = true;
    for (int i = 0; i < count; i++) {
        const struct ast_argument *ast = &e->call.arguments[i];
        ranges[i] = ast->range;
        if (ast->type || ast->name) {
            lower_error(l, ast->range, "a helper's argument is a value, by position");
            fine = false;
            continue;
        }
        arguments[i] = lower_value(l, ast->value);
        fine = fine && !value_is_poison(arguments[i]);
    }
    if (!fine)
        return value_poison;
    l->b.range = e->range;
    return lower_inline(l, e->range, function, arguments, ranges, count);
}

struct value lower_call(struct lower *l, const struct ast_expression *e)
{
    const struct builtin *builtin = lower_find_builtin(e->call.name);
    if (builtin)
        return call_builtin(l, e, builtin);
    const struct ast_function *function = ast_find_function(l->unit->ast, e->call.name);
    if (function)
        return call_helper(l, e, function);
    return l->names_reported ? value_poison
                             : lower_error(l, e->at, "unknown function '%s'", e->call.name);
}
