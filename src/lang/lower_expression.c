/*
 * Expressions: literals, names, operators with control (&&, ||, ?:), indexing, casts.
 *
 * Both sides of && and || on scalars are evaluated at once when that cannot be told from C's order;
 * otherwise the right side goes under an IR `if`. Which it is shows only after the right side was
 * elaborated, so it is built in a region of its own, which is then spliced in or becomes the
 * branch.
 */
#include "lang/lower.h"
#include "lang/operators.h"

#include <string.h>

/* ---- Leaves ------------------------------------------------------------------------------------
 */

static struct value literal_floating(struct lower *l, const struct ast_expression *e)
{
    struct value v = value_weak(e->floating.value, e->floating.single);
    if (e->floating.weak)
        return v;
    v = lower_convert(l, v, e->floating.elem);
    v.literal = true;
    return v;
}

/* Once for each variable: a loop's body starts again with what its condition found missing. What
 * was reported may have been taken back since (lower_undo). */
static void report_missing(struct lower *l, const struct ast_expression *e,
                           struct variable *variable)
{
    const char *message =
        arena_format(l->arena, "'%s' is used where it may have no value yet", e->name);
    size_t number = variable->missed;
    if (number > 0 && number <= l->diagnostics->count &&
        strcmp(l->diagnostics->items[number - 1].message, message) == 0)
        return;
    lower_error(l, e->range, "%s", message);
    lower_hint(l, "give '%s' a value where it is declared", e->name);
    variable->missed = l->diagnostics->count;
}

static struct value name(struct lower *l, const struct ast_expression *e)
{
    struct variable *variable = lower_find_variable(l, e->name);
    if (!variable && l->names_reported && !ast_is_builtin(e->name))
        return value_poison;
    if (!variable && !l->in_kernel && !ast_is_builtin(e->name))
        return lower_error(l, e->range, "'%s' cannot be used here: it is not known before a launch",
                           e->name);
    if (!variable) { /* lower_check_names has reported what is unknown; this is out of place */
        lower_error(l, e->range, "'%s' is not a value", e->name);
        const struct ast_function *function = ast_find_function(l->unit->ast, e->name);
        if (function && !function->is_kernel)
            lower_hint(l, "a helper is called: '%s(...)'", e->name);
        return value_poison;
    }
    if (variable->value.kind != VALUE_NONE)
        return variable->value;
    /* A statement that could not be read may have set it. */
    if (!l->frame->function || !l->frame->function->damaged)
        report_missing(l, e, variable);
    variable->value = value_poison;
    size_t index = (size_t)(variable - l->variables.items);
    ARENA_PUSH(l->arena, &l->reported, index);
    return value_poison;
}

/* ---- Memory without a call --------------------------------------------------------------- */

/* What '*' is applied to: one address. */
static struct value one_address(struct lower *l, struct source_range range, struct value pointer)
{
    if (value_is_poison(pointer))
        return pointer;
    if (!value_is_pointer(pointer) && operator_is_power(range)) {
        lower_error(l, range, "'**' is no operator");
        lower_hint(l, "%s", operator_power_hint);
        return value_poison;
    }
    if (!value_is_pointer(pointer)) {
        lower_error(l, range, "'*' takes a pointer, not '%s'", lower_type_name(l, pointer));
        return value_poison;
    }
    if (pointer.type.rank > 0) {
        lower_error(l, range, "'*' and '[]' take one element, and these are %s addresses",
                    lower_shape_name(l, pointer.type));
        lower_hint(l, "load(pointer, mask) and store(pointer, value, mask) take a tile");
        return value_poison;
    }
    return pointer;
}

struct value lower_scalar_load(struct lower *l, struct source_range range, struct value pointer)
{
    pointer = one_address(l, range, pointer);
    if (value_is_poison(pointer))
        return pointer;
    l->b.range = range;
    return value_from_ir(ir_load(&l->b, lower_ir(l, pointer), NULL, NULL), value_elem(pointer));
}

/* The address of X[i]. */
static struct value indexed(struct lower *l, const struct ast_expression *e, struct value base,
                            struct value index)
{
    if (value_is_poison(base) || value_is_poison(index))
        return value_poison;
    if (base.kind == VALUE_TABLE)
        return lower_error(l, e->range, "the elements of a table are constant");
    if (base.kind == VALUE_VIEW) {
        lower_error(l, e->range, "a view is not indexed with '[]'");
        lower_hint(l, "tile_load(v, indices..., sizes...) reads from a view");
        return value_poison;
    }
    if (!value_is_pointer(base)) {
        lower_error(l, e->range, "'[]' takes a pointer, not '%s'", lower_type_name(l, base));
        if (value_is_tile(base))
            lower_hint(l, "a tile has no single elements; gather(x, index, axis(k)) picks some");
        else if (value_is_number(base))
            lower_hint(l, "a scalar is its one element: leave the index out");
        return value_poison;
    }
    if (value_is_tile(index)) {
        lower_error(l, e->range, "'[]' takes one element, and the index is %s",
                    lower_shape_name(l, index.type));
        lower_hint(l,
                   "load(pointer + index, mask) loads a tile, store(pointer + index, value, mask) "
                   "stores one");
        return value_poison;
    }
    return one_address(l, e->range, lower_address(l, e->range, base, index, false));
}

struct value lower_place(struct lower *l, const struct ast_expression *e)
{
    if (e->kind != AST_INDEX)
        return one_address(l, e->range, lower_value(l, e->unary.operand));
    struct value base = lower_value(l, e->index.base);
    return indexed(l, e, base, lower_value(l, e->index.index));
}

/* X[i], or an element of a table, or some. */
static struct value element(struct lower *l, const struct ast_expression *e)
{
    struct value base = lower_value(l, e->index.base);
    struct value index = lower_value(l, e->index.index);
    if (base.kind == VALUE_TABLE && !value_is_poison(index))
        return lower_table_element(l, e, base, index);
    return lower_scalar_load(l, e->range, indexed(l, e, base, index));
}

static struct value cast(struct lower *l, const struct ast_expression *e)
{
    struct value v = lower_value(l, e->cast.operand);
    const struct ast_type *type = e->cast.type;
    if (value_is_poison(v))
        return v;
    if (type->kind != AST_TYPE_ELEM || type->pointer || !value_is_number(v)) {
        lower_error(l, e->range, "only numbers are cast, and only to numbers");
        return value_poison;
    }
    l->b.range = e->range;
    v.vanished = NULL; /* it is said that it is meant */
    return lower_convert(l, v, type->elem);
}

/* ---- Operators with control -------------------------------------------------------------- */

static bool is_false(struct value v)
{
    return v.constant && v.bits == 0;
}

/* x && y, x || y with x a uniform run-time truth and y built in a region of its own. */
static struct value short_circuit(struct lower *l, const struct ast_expression *e, struct value x)
{
    bool is_and = e->binary.code == AST_AND_THEN;
    struct ir_builder outside;
    struct ir_region *region = lower_open_region(l, &outside);
    struct value y = lower_truth(l, e->binary.right->range, lower_value(l, e->binary.right));
    if (value_is_poison(y) || value_is_tile(y) || lower_is_harmless(region)) {
        l->b = outside;
        lower_splice(l, region);
        return lower_binary(l, e, e->binary.code, x, y);
    }
    l->b = outside;
    struct value decided = value_constant(IR_BOOL, !is_and);
    struct ir_region *empty = ir_region_new(l->b.func, NULL);
    return is_and ? lower_select(l, e, x, y, region, decided, empty)
                  : lower_select(l, e, x, decided, empty, y, region);
}

static struct value logical(struct lower *l, const struct ast_expression *e)
{
    struct value x = lower_truth(l, e->binary.left->range, lower_value(l, e->binary.left));
    if (value_is_poison(x))
        return x;
    if (x.constant && is_false(x) == (e->binary.code == AST_AND_THEN))
        return x; /* decided: the right side is not elaborated */
    if (x.constant)
        return lower_truth(l, e->binary.right->range, lower_value(l, e->binary.right));
    if (value_is_tile(x))
        return lower_binary(l, e, e->binary.code, x, lower_value(l, e->binary.right));
    return short_circuit(l, e, x);
}

/* The side of ?: that a constant condition takes. The other one is elaborated for its type only,
 * because C converts to the common type; it may be wrong, and then it has no say. */
static struct value taken_side(struct lower *l, const struct ast_expression *e, bool truth)
{
    struct value taken = lower_value(l, truth ? e->conditional.yes : e->conditional.no);
    if (!value_is_number(taken))
        return taken;
    struct checkpoint checkpoint = lower_mark(l);
    struct ir_builder outside;
    lower_open_region(l, &outside);
    struct value other = lower_value(l, truth ? e->conditional.no : e->conditional.yes);
    struct value x = taken;
    bool fine = value_is_number(other) && lower_usual(l, e->range, &x, &other, false);
    l->b = outside;
    if (!l->stopped)
        lower_undo(l, &checkpoint);
    if (!fine || x.weak)
        return taken;
    return x.index ? lower_to_index(l, taken) : lower_convert(l, taken, value_elem(x));
}

static struct value conditional(struct lower *l, const struct ast_expression *e)
{
    struct value condition = lower_value(l, e->conditional.condition);
    if (value_is_tile(condition)) {
        lower_error(l, e->conditional.condition->range,
                    "'?:' chooses once, and this condition is %s",
                    lower_shape_name(l, condition.type));
        lower_hint(l, "where(condition, x, y) chooses for each element");
        return value_poison;
    }
    condition = lower_truth(l, e->conditional.condition->range, condition);
    if (value_is_poison(condition))
        return condition;
    if (condition.constant)
        return taken_side(l, e, !is_false(condition));
    struct ir_builder outside;
    struct ir_region *yes_region = lower_open_region(l, &outside);
    struct value yes = lower_value(l, e->conditional.yes);
    l->b = outside;
    struct ir_region *no_region = lower_open_region(l, &outside);
    struct value no = lower_value(l, e->conditional.no);
    l->b = outside;
    if (value_is_poison(yes) || value_is_poison(no))
        return value_poison;
    return lower_select(l, e, condition, yes, yes_region, no, no_region);
}

/* ---- All expressions --------------------------------------------------------------------- */

static struct value binary(struct lower *l, const struct ast_expression *e)
{
    if (e->binary.code == AST_AND_THEN || e->binary.code == AST_OR_ELSE)
        return logical(l, e);
    struct value x = lower_expression(l, e->binary.left);
    struct value y = lower_expression(l, e->binary.right);
    return lower_binary(l, e, e->binary.code, x, y);
}

static struct value misplaced_statement(struct lower *l, const struct ast_expression *e)
{
    lower_error(l, e->range,
                "an assignment, '++' or '--' is a statement, not part of an expression");
    lower_hint(l, "write it as a statement of its own");
    return value_poison;
}

static struct value unary(struct lower *l, const struct ast_expression *e)
{
    if (e->unary.code >= AST_PRE_INC)
        return misplaced_statement(l, e);
    return lower_unary(l, e, e->unary.code, lower_expression(l, e->unary.operand));
}

static struct value expression(struct lower *l, const struct ast_expression *e)
{
    l->b.range = e->range;
    switch (e->kind) {
    case AST_INTEGER:
        return value_constant(e->integer.elem, e->integer.value);
    case AST_FLOATING:
        return literal_floating(l, e);
    case AST_TEXT:
        lower_error(l, e->range, "a text is no value");
        lower_hint(l, "texts are for tile_assert, tile_print and the requirements");
        return value_poison;
    case AST_NAME:
        return name(l, e);
    case AST_UNARY:
        return unary(l, e);
    case AST_BINARY:
        return binary(l, e);
    case AST_ASSIGN:
        return misplaced_statement(l, e);
    case AST_CONDITIONAL:
        return conditional(l, e);
    case AST_CALL:
        return lower_call(l, e);
    case AST_INDEX:
        return element(l, e);
    case AST_CAST:
        return cast(l, e);
    case AST_LIST: /* of a declaration, which does not come here */
        break;
    }
    return value_poison;
}

struct value lower_expression(struct lower *l, const struct ast_expression *e)
{
    if (!lower_enter(l, e->range))
        return value_poison;
    struct value v = expression(l, e);
    lower_leave(l);
    return v;
}

struct value lower_value(struct lower *l, const struct ast_expression *e)
{
    struct value v = lower_expression(l, e);
    if (v.kind != VALUE_DATA || v.weak)
        return v;
    return lower_settle(l, v);
}

struct value lower_condition(struct lower *l, const struct ast_expression *e, const char *what)
{
    struct value v = lower_value(l, e);
    if (value_is_tile(v)) {
        lower_error(l, e->range,
                    "the condition of '%s' must be one truth for the program; this is %s", what,
                    lower_shape_name(l, v.type));
        lower_hint(l,
                   "where(condition, x, y) chooses for each element; load and store take a mask; "
                   "any(c) and all(c) make one truth");
        return value_poison;
    }
    return lower_truth(l, e->range, v);
}

/* The first ordinary integer parameter of the kernel in an expression of operators; NULL: none. */
static const struct variable *ordinary_parameter(struct lower *l, const struct ast_expression *e)
{
    const struct variable *found = NULL;
    const struct ast_function *function = l->frame->function;
    switch (e->kind) {
    case AST_UNARY:
        return ordinary_parameter(l, e->unary.operand);
    case AST_BINARY:
        found = ordinary_parameter(l, e->binary.left);
        return found ? found : ordinary_parameter(l, e->binary.right);
    case AST_CALL:
        for (int i = 0; !found && i < e->call.argument_count; i++) {
            if (e->call.arguments[i].value)
                found = ordinary_parameter(l, e->call.arguments[i].value);
        }
        return found;
    case AST_NAME:
        found = lower_find_variable(l, e->name);
        break;
    default:
        break;
    }
    if (!found || !function || !function->is_kernel || found->kind != VARIABLE_ORDINARY ||
        found->type.pointer || ir_is_float((enum ir_elem)found->type.elem))
        return NULL;
    for (int i = 0; i < function->parameter_count; i++) {
        if (function->parameters[i].range.begin == found->range.begin &&
            strcmp(function->parameters[i].name, found->name) == 0)
            return found;
    }
    return NULL;
}

void lower_hint_constant(struct lower *l, const struct ast_expression *e)
{
    const struct variable *parameter = e ? ordinary_parameter(l, e) : NULL;
    if (parameter)
        lower_hint(l,
                   "declare the parameter 'constexpr %s %s', or use literals and constexpr names",
                   lower_elem_name((enum ir_elem)parameter->type.elem), parameter->name);
    else
        lower_hint(l, "use literals and constexpr names in it");
}

bool lower_constant(struct lower *l, const struct ast_expression *e, const char *what,
                    int64_t *number)
{
    struct value v = lower_value(l, e);
    if (value_is_poison(v))
        return false;
    if (value_number(v, number))
        return true;
    lower_error(l, e->range, "%s must be an integer known at compile time", what);
    lower_hint_constant(l, e);
    return false;
}
