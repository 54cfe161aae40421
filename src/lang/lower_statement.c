/*
 * Statements without control: scopes, declarations, assignments, and the calls of static helpers.
 *
 * Variables stand on one stack; a scope is a range of it, a function's frame is a longer one. A
 * helper sees its own frame and the constants of the file. What a variable holds is a value, so
 * assigning emits nothing: lower_control.c joins the values where control flow joins.
 */
#include "lang/lower.h"

#include <string.h>

/* ---- Variables --------------------------------------------------------------------------- */

size_t lower_add_variable(struct lower *l, enum variable_kind kind, const char *name,
                          struct source_range range, struct ir_type type, struct value value)
{
    struct variable variable = {
        .kind = kind, .name = name, .range = range, .placed = range, .type = type, .value = value};
    ARENA_PUSH(l->arena, &l->variables, variable);
    return l->variables.count - 1;
}

static struct variable *find_between(struct lower *l, size_t first, size_t end, const char *name)
{
    for (size_t i = end; i > first; i--) {
        struct variable *variable = &l->variables.items[i - 1];
        if (variable->kind != VARIABLE_HIDDEN && strcmp(variable->name, name) == 0)
            return variable;
    }
    return NULL;
}

struct variable *lower_find_variable(struct lower *l, const char *name)
{
    size_t first = l->frame ? l->frame->first : l->variables.count;
    struct variable *found = find_between(l, first, l->variables.count, name);
    return found ? found : find_between(l, 0, l->file_constants, name);
}

/* The value that a variable holds. A constant of the front end becomes one of the IR, because only
 * constexpr names are known at compile time; but a helper of known arguments is computed now. */
static struct value held(struct lower *l, const char *name, struct value v)
{
    if (v.kind != VALUE_DATA)
        return v;
    v = lower_settle(l, v);
    if (l->frame->folds && v.constant)
        return v;
    v = value_like(v, lower_ir(l, v));
    if (v.ir->op && !v.ir->name)
        v.ir->name = name;
    return v;
}

/* ---- Declarations ------------------------------------------------------------------------ */

/* The type that `auto` takes from a value. */
static struct ir_type type_of(struct value v)
{
    if (v.kind != VALUE_DATA)
        return ir_scalar(IR_I32); /* of no use: views and layouts cannot be assigned */
    struct ir_type type = v.type.pointer ? ir_pointer(value_elem(v)) : ir_scalar(v.nominal);
    return type;
}

/* The value that something declared with a type gets; *type is set to the type, rank 0. */
static struct value initial_value(struct lower *l, const struct ast_type *declared,
                                  struct source_range range, struct value v, struct ir_type *type,
                                  const char *what)
{
    *type = declared->pointer ? ir_pointer(declared->elem) : ir_scalar(declared->elem);
    if (value_is_poison(v))
        return v;
    if (v.kind == VALUE_VOID)
        return lower_error(l, range, "%s takes a value, and this call returns nothing", what);
    switch (declared->kind) {
    case AST_TYPE_ELEM:
        return lower_assign_convert(l, range, v, *type, declared->is_const, what);
    case AST_TYPE_AUTO:
        v = lower_settle(l, v);
        *type = type_of(v);
        return v;
    case AST_TYPE_LAYOUT:
        if (v.kind == VALUE_LAYOUT)
            return v;
        break;
    case AST_TYPE_VIEW:
        if (v.kind == VALUE_VIEW)
            return v;
        break;
    case AST_TYPE_VOID:
        break;
    }
    return lower_error(l, range, "%s takes %s, not '%s'", what,
                       declared->kind == AST_TYPE_VIEW ? "a view" : "a layout",
                       lower_type_name(l, v));
}

void lower_declare(struct lower *l, const struct ast_variable *declared)
{
    const struct ast_type *type = declared->type;
    struct value v = value_none;
    struct ir_type target =
        declared->type->pointer ? ir_pointer(type->elem) : ir_scalar(type->elem);
    if (declared->initial && declared->initial->kind == AST_LIST) {
        v = lower_table(l, declared);
    } else if (declared->initial) {
        v = lower_value(l, declared->initial);
        const char *what = arena_format(l->arena, "'%s'", declared->name);
        v = initial_value(l, type, declared->initial->range, v, &target, what);
    } else if (type->kind != AST_TYPE_ELEM) {
        v = lower_error(l, declared->range, "'%s' needs an initial value", declared->name);
    }
    bool known = v.constant || v.kind == VALUE_LAYOUT || v.kind == VALUE_TABLE;
    if (declared->is_constexpr && !known && !value_is_poison(v)) {
        v = lower_error(l, declared->initial->range,
                        "'%s' is constexpr, and this value is not known at compile time",
                        declared->name);
        lower_hint_constant(l, declared->initial);
    }
    l->b.range = declared->range;
    if (!declared->is_constexpr)
        v = held(l, declared->name, v);
    size_t index =
        lower_add_variable(l, declared->is_constexpr ? VARIABLE_CONSTANT : VARIABLE_ORDINARY,
                           declared->name, declared->range, target, v);
    struct variable *variable = &l->variables.items[index];
    variable->is_auto = type->kind == AST_TYPE_AUTO;
    variable->is_const = ast_type_is_fixed(type);
    variable->to_const = v.is_const || (type->pointer && type->is_const);
    if (declared->initial)
        variable->placed = source_join(declared->range, declared->initial->range);
}

/* ---- Assignments ------------------------------------------------------------------------- */

/* The variable that a statement assigns; NULL after an error or where silence is right. */
static struct variable *assigned(struct lower *l, const struct ast_expression *target)
{
    struct variable *variable = lower_find_variable(l, target->name);
    if (!variable)
        return NULL;
    const char *name = target->name;
    if (variable->kind == VARIABLE_CONSTANT || variable->is_const) {
        lower_error(l, target->range, "'%s' is constant", name);
    } else if (variable->value.kind == VALUE_VIEW || variable->value.kind == VALUE_LAYOUT ||
               variable->value.kind == VALUE_TABLE) {
        lower_error(l, target->range, "'%s' is %s, which cannot be assigned", name,
                    variable->value.kind == VALUE_VIEW    ? "a view"
                    : variable->value.kind == VALUE_TABLE ? "a table"
                                                          : "a layout");
        lower_hint(l, "declare another one");
    } else {
        return variable;
    }
    return NULL;
}

static bool is_carried(const struct lower *l, const struct variable *variable)
{
    size_t index = (size_t)(variable - l->variables.items);
    return l->frame->loop && index < l->frame->loop->broke;
}

/* Warns where a value that a loop carries is cut to an integer, and refuses it where the type was
 * inferred: then the variable was hardly meant to be an integer, which is warned of elsewhere.
 * False after an error. */
static bool check_kind(struct lower *l, const struct ast_expression *e, struct variable *variable,
                       struct value v)
{
    bool carried = is_carried(l, variable);
    if ((!carried && !variable->is_auto) || variable->type.pointer || !value_is_float(v) ||
        ir_is_float((enum ir_elem)variable->type.elem))
        return true;
    const char *was = lower_elem_name((enum ir_elem)variable->type.elem);
    if (!variable->is_auto) {
        lower_warning(l, e->range,
                      "'%s', of type '%s', is carried around a loop and is assigned '%s'",
                      variable->name, was, lower_type_name(l, v));
        lower_hint(l,
                   "the fraction is lost in each turn; declare '%s' with a floating type, or cast",
                   variable->name);
        return true;
    }
    if (carried)
        lower_error(l, e->range, "'%s' starts as '%s' and becomes '%s' in a loop", variable->name,
                    was, lower_type_name(l, v));
    else
        lower_warning(l, e->range, "'%s' starts as '%s', and what it is assigned is '%s'",
                      variable->name, was, lower_type_name(l, v));
    lower_hint(l, "declare '%s' with the type that it should have", variable->name);
    lower_note(l, variable->range, "'%s' starts as '%s' here", variable->name, was);
    return !carried;
}

static void set_variable(struct lower *l, const struct ast_expression *e, struct variable *variable,
                         struct value v)
{
    if (!value_is_poison(v) && !check_kind(l, e, variable, v))
        v = value_poison;
    const char *what = arena_format(l->arena, "'%s'", variable->name);
    v = lower_assign_convert(l, e->range, v, variable->type, variable->to_const, what);
    l->b.range = e->range;
    variable->value = held(l, variable->name, v);
    variable->placed = e->range;
}

/* What an assignment puts into its target, which holds old; for ++ and -- the value is 1. */
static struct value assigned_value(struct lower *l, const struct ast_expression *e,
                                   enum ast_binary_operator code, struct value old, struct value v)
{
    return code == AST_NO_OPERATOR ? v : lower_binary(l, e, code, old, v);
}

/* X[i] = value, *p += value. The address is computed once. */
static void assign_memory(struct lower *l, const struct ast_expression *e,
                          const struct ast_expression *target, enum ast_binary_operator code,
                          struct value v)
{
    struct value address = lower_place(l, target), old = value_none;
    if (code != AST_NO_OPERATOR)
        old = lower_scalar_load(l, target->range, address);
    v = assigned_value(l, e, code, old, v);
    if (value_is_poison(address) || value_is_poison(v))
        return;
    if (!value_is_number(v)) {
        lower_error(l, e->range, "memory holds numbers, not '%s'", lower_type_name(l, v));
        if (value_is_pointer(v))
            lower_hint(l, "load(pointer, mask) reads what a pointer points to");
    } else
        lower_scalar_store(l, e, target->range, address, v.weak ? v : lower_settle(l, v));
}

/* target = value, with the conversions of an assignment. */
static void lower_assign(struct lower *l, const struct ast_expression *e)
{
    bool counts = e->kind == AST_UNARY; /* ++ and -- */
    const struct ast_expression *target = counts ? e->unary.operand : e->assign.target;
    bool is_memory = target->kind != AST_NAME;
    struct variable *variable = is_memory ? NULL : assigned(l, target);
    size_t index = variable ? (size_t)(variable - l->variables.items) : 0;
    enum ast_binary_operator code = AST_NO_OPERATOR;
    struct value v;
    if (counts) {
        bool up = e->unary.code == AST_PRE_INC || e->unary.code == AST_POST_INC;
        code = up ? AST_ADD : AST_SUB;
        v = value_constant(IR_I32, 1);
    } else {
        code = e->assign.code;
        v = lower_expression(l, e->assign.value);
    }
    if (is_memory)
        assign_memory(l, e, target, code, v);
    if (!variable)
        return;
    struct value old = value_none;
    if (code != AST_NO_OPERATOR)
        old = lower_expression(l, target); /* reports a missing value */
    v = assigned_value(l, e, code, old, v);
    set_variable(l, e, &l->variables.items[index], v);
}

/* ---- Statements -------------------------------------------------------------------------- */

static bool is_assignment(const struct ast_expression *e)
{
    return e->kind == AST_ASSIGN || (e->kind == AST_UNARY && e->unary.code >= AST_PRE_INC);
}

/* Whether the expression is there for what it does: a helper's call, an atomic operation. */
static bool has_effect(const struct ast_expression *e)
{
    const struct builtin *builtin = e->kind == AST_CALL ? lower_find_builtin(e->call.name) : NULL;
    return e->kind == AST_CALL && (!builtin || ir_ops[builtin->code].flags & IR_WRITES);
}

static void evaluate(struct lower *l, const struct ast_expression *e)
{
    if (is_assignment(e)) {
        lower_assign(l, e);
        return;
    }
    struct value v = lower_value(l, e);
    if (value_is_poison(v) || v.kind == VALUE_VOID || has_effect(e))
        return;
    lower_warning(l, e->range, "this value is not used");
    if (e->kind == AST_BINARY && e->binary.code == AST_EQ)
        lower_hint(l, "'=' assigns, '==' compares");
}

static void statement(struct lower *l, const struct ast_statement *s)
{
    switch (s->kind) {
    case AST_DECLARE:
        for (int i = 0; i < s->declare.count; i++)
            lower_declare(l, &s->declare.variables[i]);
        break;
    case AST_EVALUATE:
        evaluate(l, s->evaluate);
        break;
    case AST_BLOCK:
        lower_block(l, s->block.items, s->block.count);
        break;
    case AST_IF:
        lower_if(l, s);
        break;
    case AST_FOR:
        lower_for(l, s);
        break;
    case AST_WHILE:
    case AST_DO:
        lower_while(l, s);
        break;
    case AST_SWITCH:
        lower_switch(l, s);
        break;
    case AST_BREAK:
    case AST_CONTINUE:
        lower_leave_loop(l, s);
        break;
    case AST_RETURN:
        lower_return(l, s);
        break;
    case AST_EMPTY:
        break;
    case AST_BROKEN:
        lower_broken(l, s);
        break;
    }
}

void lower_statement(struct lower *l, const struct ast_statement *s)
{
    if (l->dead || !lower_enter(l, s->range))
        return;
    statement(l, s);
    lower_leave(l);
}

enum { MOST_CALLS_NOTED = 5 };

/* ---- Helpers ----------------------------------------------------------------------------- */

void lower_open_frame(struct lower *l, struct frame *frame, const struct ast_function *function)
{
    *frame = (struct frame){.function = function, .caller = l->frame, .first = l->variables.count};
    l->frame = frame;
    struct ir_type flag = ir_scalar(IR_BOOL);
    struct source_range range = {0};
    frame->returned =
        lower_add_variable(l, VARIABLE_HIDDEN, "", range, flag, value_constant(IR_BOOL, 0));
    frame->result = lower_add_variable(l, VARIABLE_HIDDEN, "", range, flag, value_none);
}

void lower_close_frame(struct lower *l)
{
    l->variables.count = l->frame->first;
    l->frame = l->frame->caller;
    l->dead = false;
}

static bool declare_parameters(struct lower *l, const struct ast_function *function,
                               struct value *arguments, const struct source_range *ranges)
{
    bool fine = true;
    for (int i = 0; i < function->parameter_count; i++) {
        const struct ast_parameter *parameter = &function->parameters[i];
        const char *what =
            arena_format(l->arena, "parameter '%s' of '%s'", parameter->name, function->name);
        struct ir_type type;
        struct value v = initial_value(l, parameter->type, ranges[i], arguments[i], &type, what);
        if (parameter->is_constexpr && v.kind == VALUE_DATA && !v.constant) {
            v = lower_error(l, ranges[i], "%s is constexpr, and this is not known at compile time",
                            what);
        }
        if (!parameter->is_constexpr)
            v = held(l, parameter->name, v);
        enum variable_kind kind = parameter->is_constexpr ? VARIABLE_CONSTANT : VARIABLE_ORDINARY;
        size_t index = lower_add_variable(l, kind, parameter->name, parameter->range, type, v);
        l->variables.items[index].to_const = v.is_const;
        l->variables.items[index].is_const = ast_type_is_fixed(parameter->type);
        l->variables.items[index].is_auto = parameter->type->kind == AST_TYPE_AUTO;
        fine = fine && !value_is_poison(v);
    }
    return fine;
}

static bool check_inline(struct lower *l, struct source_range range,
                         const struct ast_function *function, int count)
{
    if (function->is_kernel) {
        lower_error(l, range, "'%s' is a kernel, which only a launch can call", function->name);
        lower_hint(l, "put what both need into a static helper");
        return false;
    }
    if (count != function->parameter_count) {
        lower_error(l, range, "'%s' takes %d argument%s, and %d %s given", function->name,
                    function->parameter_count, function->parameter_count == 1 ? "" : "s", count,
                    count == 1 ? "is" : "are");
        lower_note(l, function->range, "'%s' is declared here", function->name);
        return false;
    }
    for (const struct frame *frame = l->frame; frame; frame = frame->caller) {
        if (frame->function != function)
            continue;
        lower_error(l, range, "'%s' calls itself", function->name);
        lower_hint(l, "helpers are inlined, so recursion is not possible; use a loop");
        return false;
    }
    return true;
}

struct value lower_inline(struct lower *l, struct source_range range,
                          const struct ast_function *function, struct value *arguments,
                          const struct source_range *ranges, int count)
{
    if (function->lost || !check_inline(l, range, function, count) || function->damaged)
        return value_poison;
    size_t errors = l->diagnostics->error_count;
    struct frame frame;
    lower_open_frame(l, &frame, function);
    frame.folds = true;
    for (int i = 0; i < count; i++)
        frame.folds = frame.folds && (arguments[i].constant || arguments[i].kind != VALUE_DATA);
    struct value result = value_poison;
    if (declare_parameters(l, function, arguments, ranges)) {
        lower_block(l, function->body->block.items, function->body->block.count);
        result = l->variables.items[frame.result].value;
        if (function->result->kind == AST_TYPE_VOID)
            result = value_void;
        else if (!l->dead && !value_is_poison(result) && l->diagnostics->error_count == errors)
            result = lower_error(l, function->range, "'%s' does not return a value on every path",
                                 function->name);
        else if (result.kind == VALUE_NONE)
            result = value_poison;
        if (l->diagnostics->error_count > errors && !l->stopped &&
            l->calls_noted++ < MOST_CALLS_NOTED)
            lower_note(l, range, "'%s' is called here", function->name);
    }
    lower_close_frame(l);
    return result;
}
