/*
 * Control flow: from C's statements to the structured `if`, `for` and `while` of Tile IR.
 *
 * Joins. An arm of an `if` is built in a detached region from a copy of all variables; what the arms
 * leave differently becomes a result. A loop carries the variables that its body assigns. What they
 * look like at the end of the body is only known once it was elaborated, so the body is elaborated
 * until what goes in and what comes out agree: a scalar may take a shape once, an int may become an
 * index once. Nested loops stay cheap, because an inner loop that is entered with settled types needs
 * one turn.
 *
 * Leaving early. break, continue and return set hidden variables: `broke` and `continued` of a loop,
 * `returned` of a function. After a statement that may have set one, the rest of the block goes under
 * an `if`; a loop that can be left becomes a `while` that tests them.
 *
 *     if (c) break;            ->  broke = c
 *     rest                         if (!broke) { rest }
 */
#include "lang/lower.h"

#include <string.h>

/* ---- Regions ---------------------------------------------------------------------------------------- */

struct ir_region *lower_open_region(struct lower *l, struct ir_builder *outside)
{
    *outside = l->b;
    l->b.region = ir_region_new(l->b.func, NULL);
    l->b.before = NULL;
    return l->b.region;
}

static void attach(struct ir_op *op, int index, struct ir_region *region)
{
    op->regions[index] = region;
    region->parent = op;
}

void lower_splice(struct lower *l, struct ir_region *region)
{
    while (region->first) {
        struct ir_op *op = region->first;
        ir_remove(op);
        ir_insert(op, l->b.region, l->b.before);
    }
}

/* Integer arithmetic may overflow or divide by zero, a gather may be out of range: the checker would
 * report what C's order rules out. */
bool lower_is_harmless(const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (!ir_has(op, IR_PURE) || op->region_count || op->code == IR_OP_GATHER)
            return false;
        bool computes = (ir_ops[op->code].flags & (IR_NUMERIC | IR_INTEGER)) != 0;
        if (computes && !ir_is_float((enum ir_elem)op->results[0]->type.elem))
            return false;
    }
    return true;
}

struct ir_op *lower_yield(struct lower *l, int count, struct ir_value *const *values)
{
    return ir_build(&l->b, IR_OP_YIELD, count, values, 0, NULL, 0, NULL);
}

/* ---- Joining values ------------------------------------------------------------------------------------ */

/* The value in the form of a model (of the same or a narrower type): index, element, shape. */
static struct value conform(struct lower *l, struct value v, struct value model)
{
    if (!model.type.pointer)
        v = model.index ? lower_to_index(l, v) : lower_convert(l, v, value_elem(model));
    v.nominal = model.nominal;
    return lower_broadcast(l, v, model.type);
}

static bool is_plain_signed(struct value v)
{
    return value_is_integral(v) && !v.index && ir_is_signed(value_elem(v));
}

/* What two values of one variable become where they meet; false when they cannot. */
static bool join_types(struct value a, struct value b, struct value *model)
{
    *model = a;
    model->is_const = a.is_const || b.is_const;
    if (a.kind != VALUE_DATA || b.kind != VALUE_DATA)
        return a.kind == b.kind && a.view == b.view && a.layout == b.layout;
    if (a.type.pointer != b.type.pointer)
        return false;
    if (b.index && is_plain_signed(a)) {
        model->type.elem = IR_I64;
        model->index = true;
        model->nominal = b.nominal;
    } else if (!(a.index && is_plain_signed(b)) && a.type.elem != b.type.elem) {
        return false;
    }
    if (a.type.rank == 0)
        model->type = ir_with_shape(model->type, b.type);
    return a.type.rank == 0 || b.type.rank == 0 || ir_shape_equal(a.type, b.type);
}

static bool same_value(struct value a, struct value b)
{
    return a.kind == b.kind && a.ir == b.ir && a.constant == b.constant && a.bits == b.bits &&
           a.view == b.view && a.layout == b.layout && ir_type_equal(a.type, b.type);
}

/* A value nobody sees, for the arm that leaves a variable without one. */
static struct value filler(struct value model)
{
    struct value v = value_constant(value_elem(model), 0);
    v.index = model.index;
    v.nominal = model.nominal;
    return v;
}

/* ---- Arms of an if ---------------------------------------------------------------------------------------- */

struct branch {
    struct ir_builder outside;
    struct source_range range;
    size_t count; /* variables when it began */
    struct value *before, *ends[2];
    struct source_range *placed[2];
    struct ir_region *regions[2];
    bool dead[2];
};

static struct value *copy_values(struct lower *l, size_t count)
{
    struct value *values = ARENA_ARRAY(l->arena, struct value, count);
    for (size_t i = 0; i < count; i++)
        values[i] = l->variables.items[i].value;
    l->work += (int)(count / 4); /* many variables and many branches: bounded too */
    return values;
}

static void restore_values(struct lower *l, const struct value *values, size_t count)
{
    l->variables.count = count;
    for (size_t i = 0; i < count; i++)
        l->variables.items[i].value = values[i];
}

static void branch_begin(struct lower *l, struct branch *branch, struct source_range range)
{
    *branch = (struct branch){.range = range, .count = l->variables.count};
    branch->before = copy_values(l, branch->count);
}

static void branch_open(struct lower *l, struct branch *branch, int arm)
{
    restore_values(l, branch->before, branch->count);
    branch->regions[arm] = lower_open_region(l, &branch->outside);
    l->dead = false;
}

static void branch_close(struct lower *l, struct branch *branch, int arm)
{
    branch->ends[arm] = copy_values(l, branch->count);
    branch->placed[arm] = ARENA_ARRAY(l->arena, struct source_range, branch->count);
    for (size_t i = 0; i < branch->count; i++)
        branch->placed[arm][i] = l->variables.items[i].placed;
    branch->dead[arm] = l->dead;
    l->b = branch->outside;
}

static bool is_truth(struct value v, bool truth)
{
    return v.constant && value_is_bool(v) && (v.bits != 0) == truth;
}

static void report_arms(struct lower *l, const struct branch *branch, size_t i)
{
    const struct variable *variable = &l->variables.items[i];
    struct value a = branch->ends[0][i], b = branch->ends[1][i];
    if (variable->kind == VARIABLE_HIDDEN) {
        lower_error(l, branch->range, "'%s' returns '%s' on one path and '%s' on another",
                    l->frame->function->name, lower_type_name(l, a), lower_type_name(l, b));
        return;
    }
    struct source_range place = branch->placed[0][i];
    bool else_later = branch->placed[1][i].begin > place.begin;
    lower_error(l, else_later ? branch->placed[1][i] : place,
                "'%s' is '%s' after one branch of this 'if' and '%s' after the other",
                variable->name, lower_type_name(l, else_later ? b : a),
                lower_type_name(l, else_later ? a : b));
    lower_hint(l, "broadcast_to, expand_dims and reshape change a shape");
    lower_note(l, else_later ? place : branch->placed[1][i], "the other value of '%s' is set here",
               variable->name);
}

/* A variable after the if; yields tells whether it becomes a result of the op, of the form of
 * *model. */
static struct value join_arms(struct lower *l, struct branch *branch, size_t i,
                              struct ir_value *condition, bool *yields, struct value *model)
{
    struct value *a = &branch->ends[0][i], *b = &branch->ends[1][i];
    bool hidden = l->variables.items[i].kind == VARIABLE_HIDDEN;
    *yields = false;
    if (same_value(*a, *b))
        return *a;
    if (value_is_poison(*a) || value_is_poison(*b))
        return value_poison;
    if (hidden && is_truth(*a, true) && is_truth(*b, false))
        return value_from_ir(condition, IR_BOOL);
    if (hidden && is_truth(*a, false) && is_truth(*b, true))
        return value_from_ir(ir_unary(&l->b, IR_OP_NOT, condition), IR_BOOL);
    if (a->kind == VALUE_NONE || b->kind == VALUE_NONE) {
        struct value *missing = a->kind == VALUE_NONE ? a : b, *other = missing == a ? b : a;
        if (other->kind != VALUE_DATA || other->type.pointer ||
            !(hidden || branch->dead[missing == b]))
            return value_none;
        *missing = filler(*other);
    }
    bool alone = !l->frame->loop && !hidden; /* then nobody sees the variables of a dead arm */
    if (!join_types(*a, *b, model)) {
        if (!alone || !(branch->dead[0] || branch->dead[1]) || a->type.pointer) {
            report_arms(l, branch, i);
            return value_poison;
        }
        struct value *unseen = branch->dead[0] ? a : b;
        *model = branch->dead[0] ? *b : *a;
        *unseen = filler(*model);
    }
    *yields = model->kind == VALUE_DATA;
    return *model;
}

/* Ends an arm with the values that become results. */
static void yield_arm(struct lower *l, const struct branch *branch, int arm, int count,
                      const size_t *indices, const struct value *models)
{
    struct ir_builder outside = l->b;
    l->b = (struct ir_builder){
        .func = outside.func, .region = branch->regions[arm], .range = branch->range};
    struct ir_value **values = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
    for (int k = 0; k < count; k++)
        values[k] = lower_ir(l, conform(l, branch->ends[arm][indices[k]], models[k]));
    lower_yield(l, count, values);
    l->b = outside;
}

static bool is_empty(const struct ir_region *region)
{
    return !region->first || region->first->code == IR_OP_YIELD;
}

static void branch_finish(struct lower *l, struct branch *branch, struct value truth)
{
    size_t n = branch->count;
    restore_values(l, branch->before, n);
    l->b.range = branch->range;
    struct ir_value *condition = lower_ir(l, truth);
    size_t *indices = ARENA_ARRAY(l->arena, size_t, n);
    struct value *models = ARENA_ARRAY(l->arena, struct value, n);
    struct ir_type *types = ARENA_ARRAY(l->arena, struct ir_type, n);
    int count = 0;
    l->dead = branch->dead[0] && branch->dead[1];
    for (size_t i = 0; i < n; i++) {
        if (l->dead && !l->frame->loop && i != l->frame->result)
            continue; /* the function is over: only what it returns matters */
        bool yields;
        struct value after = join_arms(l, branch, i, condition, &yields, &models[count]);
        l->variables.items[i].value = after;
        if (yields) {
            types[count] = models[count].type;
            indices[count++] = i;
        }
    }
    if (count == 0 && is_empty(branch->regions[0]) && is_empty(branch->regions[1]))
        return;
    for (int arm = 0; arm < 2; arm++)
        yield_arm(l, branch, arm, count, indices, models);
    struct ir_op *op = ir_build(&l->b, IR_OP_IF, 1, &condition, count, types, 2, NULL);
    for (int arm = 0; arm < 2; arm++)
        attach(op, arm, branch->regions[arm]);
    for (int k = 0; k < count; k++) {
        struct variable *variable = &l->variables.items[indices[k]];
        op->results[k]->name = variable->name[0] ? variable->name : NULL;
        variable->value = value_like(models[k], op->results[k]);
    }
}

/* ?: and short circuits: the value is the only thing that the arms leave. */
struct value lower_select(struct lower *l, const struct ast_expression *e, struct value condition,
                          struct value yes, struct ir_region *yes_region, struct value no,
                          struct ir_region *no_region)
{
    struct value a = yes, b = no;
    struct ir_builder outside;
    if (!value_is_number(a) || !value_is_number(b))
        return lower_error(l, e->range, "both sides must be numbers; these are '%s' and '%s'",
                           lower_type_name(l, a), lower_type_name(l, b));
    lower_open_region(l, &outside); /* scratch, to learn the common type */
    struct value *both[] = {&a, &b};
    bool fine = lower_usual(l, e->range, &a, &b, false);
    a = lower_settle(l, a);
    b = lower_settle(l, b);
    fine = fine && lower_common_shape(l, e->range, both, 2);
    l->b = outside;
    if (!fine)
        return value_poison;
    struct ir_value *truth = lower_ir(l, condition);
    if (lower_is_harmless(yes_region) && lower_is_harmless(no_region)) {
        lower_splice(l, yes_region);
        lower_splice(l, no_region);
        struct value operands[] = {value_from_ir(truth, IR_BOOL), conform(l, yes, a),
                                   conform(l, no, a)};
        return lower_elementwise(l, e->range, IR_OP_SELECT, operands, 3);
    }
    struct value sides[] = {yes, no};
    struct ir_region *regions[] = {yes_region, no_region};
    for (int arm = 0; arm < 2; arm++) {
        l->b = outside;
        l->b.region = regions[arm];
        l->b.before = NULL;
        struct ir_value *value = lower_ir(l, conform(l, sides[arm], a));
        lower_yield(l, 1, &value);
    }
    l->b = outside;
    l->b.range = e->range;
    struct ir_op *op = ir_build(&l->b, IR_OP_IF, 1, &truth, 1, &a.type, 2, NULL);
    attach(op, 0, yes_region);
    attach(op, 1, no_region);
    return value_like(a, op->results[0]);
}

void lower_if(struct lower *l, const struct ast_statement *s)
{
    struct value condition = lower_condition(l, s->branch.condition, "if");
    if (condition.constant) {
        const struct ast_statement *taken =
            condition.bits ? s->branch.then : s->branch.otherwise;
        if (taken)
            lower_block(l, (struct ast_statement *const *)&taken, 1);
        return;
    }
    if (value_is_poison(condition)) /* go on, for the errors in the arms */
        condition = value_from_ir(ir_constant(&l->b, ir_scalar(IR_BOOL), 0), IR_BOOL);
    const struct ast_statement *arms[] = {s->branch.then, s->branch.otherwise};
    struct branch branch;
    branch_begin(l, &branch, s->range);
    for (int arm = 0; arm < 2; arm++) {
        branch_open(l, &branch, arm);
        if (arms[arm])
            lower_block(l, (struct ast_statement *const *)&arms[arm], 1);
        branch_close(l, &branch, arm);
    }
    branch_finish(l, &branch, condition);
}

/* ---- Blocks, and leaving them ------------------------------------------------------------------------------ */

static struct value or_flag(struct lower *l, struct value flags, size_t index)
{
    struct value flag = l->variables.items[index].value;
    if (is_truth(flag, false) || value_is_poison(flag))
        return flags;
    if (is_truth(flags, false))
        return flag;
    struct value operands[] = {flags, flag};
    return lower_elementwise(l, l->b.range, IR_OP_OR, operands, 2);
}

/* Whether the block's rest is to be left out: constant false where nothing could leave it. */
static struct value left_already(struct lower *l)
{
    struct value flags = value_constant(IR_BOOL, 0);
    flags = or_flag(l, flags, l->frame->returned);
    if (l->frame->loop) {
        flags = or_flag(l, flags, l->frame->loop->broke);
        flags = or_flag(l, flags, l->frame->loop->continued);
    }
    return flags;
}

static void statements(struct lower *l, struct ast_statement *const *items, int count);

/* if (!left) { the rest } else dead. In the rest nothing has been left: the flags are false there,
 * and keep their value if it leaves them alone. */
static void guarded(struct lower *l, struct ast_statement *const *items, int count,
                    struct value left)
{
    if (!lower_enter(l, items[0]->range))
        return;
    struct value go_on = lower_elementwise(l, l->b.range, IR_OP_NOT, &left, 1);
    struct loop *loop = l->frame->loop;
    size_t flags[] = {l->frame->returned, loop ? loop->broke : 0, loop ? loop->continued : 0};
    int flag_count = loop ? 3 : 1;
    struct branch branch;
    branch_begin(l, &branch, source_join(items[0]->range, items[count - 1]->range));
    branch_open(l, &branch, 0);
    for (int i = 0; i < flag_count; i++)
        l->variables.items[flags[i]].value = value_constant(IR_BOOL, 0);
    statements(l, items, count);
    branch_close(l, &branch, 0);
    for (int i = 0; i < flag_count; i++) {
        if (is_truth(branch.ends[0][flags[i]], false))
            branch.ends[0][flags[i]] = branch.before[flags[i]];
    }
    branch_open(l, &branch, 1);
    l->dead = true;
    branch_close(l, &branch, 1);
    branch_finish(l, &branch, go_on);
    lower_leave(l);
}

static void statements(struct lower *l, struct ast_statement *const *items, int count)
{
    for (int i = 0; i < count && !l->dead && !l->stopped; i++) {
        lower_statement(l, items[i]);
        if (l->dead || i + 1 == count)
            return;
        struct value left = left_already(l);
        if (!is_truth(left, false)) {
            guarded(l, items + i + 1, count - i - 1, left);
            return;
        }
    }
}

void lower_block(struct lower *l, struct ast_statement *const *items, int count)
{
    size_t scope = l->variables.count;
    statements(l, items, count);
    l->variables.count = scope;
}

void lower_leave_loop(struct lower *l, const struct ast_statement *s)
{
    if (!l->frame->loop)
        return; /* lower_check_names has reported it */
    size_t flag =
        s->kind == AST_BREAK ? l->frame->loop->broke : l->frame->loop->continued;
    l->variables.items[flag].value = value_constant(IR_BOOL, 1);
    l->dead = true;
}

void lower_return(struct lower *l, const struct ast_statement *s)
{
    const struct ast_function *function = l->frame->function;
    const struct ast_type *type = function->result;
    struct value v = value_void;
    if (s->result)
        v = lower_value(l, s->result);
    if (s->result && type->kind == AST_TYPE_VOID) {
        lower_error(l, s->result->range, "'%s' returns nothing", function->name);
        if (function->is_kernel)
            lower_hint(l, "a kernel stores its results");
    } else if (!s->result && type->kind != AST_TYPE_VOID) {
        lower_error(l, s->range, "'%s' returns a value", function->name);
        v = value_poison;
    } else if (s->result) {
        const char *what = arena_format(l->arena, "the result of '%s'", function->name);
        struct ir_type target = type->pointer ? ir_pointer(type->elem) : ir_scalar(type->elem);
        if (type->kind == AST_TYPE_ELEM)
            v = lower_assign_convert(l, s->result->range, v, target, type->is_const, what);
        v = lower_settle(l, v);
    }
    l->variables.items[l->frame->result].value = v;
    l->variables.items[l->frame->returned].value = value_constant(IR_BOOL, 1);
    l->dead = true;
}

/* ---- What a loop carries -------------------------------------------------------------------------------------- */

struct carry {
    int count;
    size_t *variables;
    struct value *initial;
    struct value *models; /* what goes in; kind DATA: carried, others: left as they are */
    struct ir_value **arguments;
    struct source_range *placed; /* of the initial value */
    bool *took_shape;
    struct source_range range;
    /* To undo an attempt. */
    size_t scope, diagnostics, errors, promoted;
    bool failed;
};

static void carry_begin(struct lower *l, struct carry *carry, struct loop_effects effects,
                        struct source_range range)
{
    size_t most = (size_t)effects.count + 3, n = 0;
    *carry = (struct carry){.range = range};
    carry->variables = ARENA_ARRAY(l->arena, size_t, most);
    for (int i = 0; i < effects.count; i++)
        carry->variables[n++] = effects.variables[i];
    if (effects.has_break)
        carry->variables[n++] = l->frame->loop->broke;
    if (effects.has_return) {
        carry->variables[n++] = l->frame->returned;
        carry->variables[n++] = l->frame->result;
    }
    carry->count = (int)n;
    carry->initial = ARENA_ARRAY(l->arena, struct value, n);
    carry->models = ARENA_ARRAY(l->arena, struct value, n);
    carry->arguments = ARENA_ARRAY(l->arena, struct ir_value *, n);
    carry->placed = ARENA_ARRAY(l->arena, struct source_range, n);
    carry->took_shape = ARENA_ARRAY(l->arena, bool, n);
    for (size_t k = 0; k < n; k++) {
        const struct variable *variable = &l->variables.items[carry->variables[k]];
        carry->initial[k] = carry->models[k] = variable->value;
        carry->placed[k] = variable->placed;
    }
    carry->scope = l->variables.count;
    carry->diagnostics = l->diagnostics->count;
    carry->errors = l->diagnostics->error_count;
    carry->promoted = l->promoted.count;
    carry->failed = l->failed;
}

/* Gives the region an argument for each carried variable, which then holds it. */
static void carry_enter(struct lower *l, struct carry *carry, struct ir_region *region)
{
    for (int k = 0; k < carry->count; k++) {
        struct variable *variable = &l->variables.items[carry->variables[k]];
        variable->value = carry->models[k];
        if (carry->models[k].kind != VALUE_DATA)
            continue;
        const char *name = variable->name[0] ? variable->name : NULL;
        carry->arguments[k] =
            ir_region_add_argument(l->b.func, region, carry->models[k].type, name);
        variable->value = value_like(carry->models[k], carry->arguments[k]);
    }
}

static void report_carried(struct lower *l, const struct carry *carry, int k, struct value end)
{
    const struct variable *variable = &l->variables.items[carry->variables[k]];
    if (variable->kind == VARIABLE_HIDDEN) {
        lower_error(l, carry->range, "'%s' returns '%s' on one path and '%s' on another",
                    l->frame->function->name, lower_type_name(l, carry->models[k]),
                    lower_type_name(l, end));
        return;
    }
    lower_error(l, variable->placed,
                "'%s' is '%s' when the loop begins a turn and '%s' when it ends one",
                variable->name, lower_type_name(l, carry->models[k]), lower_type_name(l, end));
    if (end.type.rank == 0)
        lower_hint(l, "full and zeros give a scalar a shape; sum, max and min belong behind the loop");
    else
        lower_hint(l, "only a scalar can take a shape in a loop, and only once");
    lower_note(l, carry->placed[k], "'%s' gets its first value here", variable->name);
}

/* Compares one variable with what it was; true when the loop must be elaborated anew. */
static bool carry_adapt(struct lower *l, struct carry *carry, int k)
{
    struct variable *variable = &l->variables.items[carry->variables[k]];
    struct value *model = &carry->models[k], end = variable->value;
    if (value_is_poison(end) || end.kind == VALUE_NONE) {
        variable->value = model->kind == VALUE_NONE ? value_none : value_poison;
        return false;
    }
    if (model->kind == VALUE_NONE && variable->kind == VARIABLE_HIDDEN && !end.type.pointer &&
        end.kind == VALUE_DATA) {
        *model = end; /* what a function returns: has no value before */
        model->constant = false;
        carry->initial[k] = filler(end);
        return true;
    }
    if (model->kind != VALUE_DATA)
        return false;
    struct value joined;
    bool fine = join_types(*model, end, &joined);
    bool shaped = fine && model->type.rank == 0 && joined.type.rank > 0;
    bool shrinks = fine && model->type.rank > 0 && end.type.rank == 0;
    if (!fine || shrinks || (shaped && carry->took_shape[k])) {
        report_carried(l, carry, k, end);
        variable->value = value_poison;
        return false;
    }
    bool changed = shaped || joined.index != model->index || joined.is_const != model->is_const;
    carry->took_shape[k] = carry->took_shape[k] || shaped;
    model->type = joined.type;
    model->index = joined.index;
    model->nominal = joined.nominal;
    model->is_const = joined.is_const;
    return changed;
}

/* After an attempt: true when it must be repeated; then everything is as before it. */
static bool carry_changed(struct lower *l, struct carry *carry)
{
    bool changed = false;
    for (int k = 0; k < carry->count; k++)
        changed = carry_adapt(l, carry, k) || changed;
    if (!changed || l->stopped)
        return false;
    for (int k = 0; k < carry->count; k++) {
        l->variables.items[carry->variables[k]].value = carry->initial[k];
        l->variables.items[carry->variables[k]].placed = carry->placed[k];
    }
    l->variables.count = carry->scope;
    l->diagnostics->count = carry->diagnostics;
    l->diagnostics->error_count = carry->errors;
    l->promoted.count = carry->promoted;
    l->failed = carry->failed;
    l->last = NULL;
    l->dead = false;
    return true;
}

static int carry_types(const struct carry *carry, struct ir_type *types)
{
    int n = 0;
    for (int k = 0; k < carry->count; k++) {
        if (carry->models[k].kind == VALUE_DATA)
            types[n++] = carry->models[k].type;
    }
    return n;
}

/* The carried values as they are now, in the form that the loop carries. */
static int carry_values(struct lower *l, const struct carry *carry, struct ir_value **values)
{
    int n = 0;
    for (int k = 0; k < carry->count; k++) {
        if (carry->models[k].kind != VALUE_DATA)
            continue;
        struct value v = l->variables.items[carry->variables[k]].value;
        values[n++] = v.kind == VALUE_DATA ? lower_ir(l, conform(l, v, carry->models[k]))
                                           : carry->arguments[k];
    }
    return n;
}

static int carry_initial(struct lower *l, const struct carry *carry, struct ir_value **values)
{
    int n = 0;
    for (int k = 0; k < carry->count; k++) {
        if (carry->models[k].kind == VALUE_DATA)
            values[n++] = lower_ir(l, conform(l, carry->initial[k], carry->models[k]));
    }
    return n;
}

/* The variables hold the loop's results, from the given one on. */
static void carry_finish(struct lower *l, const struct carry *carry, struct ir_op *op, int first)
{
    l->variables.count = carry->scope;
    for (int k = 0; k < carry->count; k++) {
        struct variable *variable = &l->variables.items[carry->variables[k]];
        if (carry->models[k].kind != VALUE_DATA) {
            variable->value = carry->models[k]; /* what one turn sets, no turn sets */
            continue;
        }
        struct ir_value *result = op->results[first++];
        result->name = variable->name[0] ? variable->name : NULL;
        if (!value_is_poison(variable->value))
            variable->value = value_like(carry->models[k], result);
        if (!carry->took_shape[k])
            continue;
        struct promoted promoted = {.result = result,
                                    .name = variable->name,
                                    .range = carry->placed[k],
                                    .start = carry->initial[k]};
        ARENA_PUSH(l->arena, &l->promoted, promoted);
    }
}

/* The body of a loop, once, with `continue` ending it. */
static void turn(struct lower *l, const struct ast_statement *body)
{
    struct loop *loop = l->frame->loop;
    loop->continued = lower_add_variable(l, VARIABLE_HIDDEN, "", body->range, ir_scalar(IR_BOOL),
                                         value_constant(IR_BOOL, 0));
    lower_block(l, (struct ast_statement *const *)&body, 1);
    l->dead = false;
}

static void loop_open(struct lower *l, struct loop *loop, struct source_range range)
{
    *loop = (struct loop){.outer = l->frame->loop};
    loop->broke = lower_add_variable(l, VARIABLE_HIDDEN, "", range, ir_scalar(IR_BOOL),
                                     value_constant(IR_BOOL, 0));
    l->frame->loop = loop;
}

static void loop_close(struct lower *l)
{
    l->variables.count = l->frame->loop->broke;
    l->frame->loop = l->frame->loop->outer;
}

/* ---- for --------------------------------------------------------------------------------------------------------- */

/* A counted loop: i counts from lo up to hi by step; the counter is i, or start - i. */
struct counted {
    struct value lo, hi, step;
    struct value start; /* where it counts down */
    bool down;
    enum ir_elem nominal;
};

static struct value index_binary(struct lower *l, enum ir_opcode code, struct value x,
                                 struct value y)
{
    struct value operands[] = {x, y};
    return lower_elementwise(l, l->b.range, code, operands, 2);
}

/* A bound of a for loop: a uniform integer. */
static struct value bound(struct lower *l, const struct ast_expression *e, const char *what)
{
    struct value v = lower_value(l, e);
    if (value_is_poison(v))
        return v;
    if (value_is_tile(v)) {
        lower_error(l, e->range, "%s of a 'for' loop must be one number; this is %s", what,
                    lower_shape_name(l, v.type));
        lower_hint(l, "max(x) or min(x) makes a tile one number");
        return value_poison;
    }
    if (!value_is_integral(v))
        return lower_error(l, e->range, "%s of a 'for' loop must be an integer, not '%s'", what,
                           lower_type_name(l, v));
    return lower_to_index(l, v);
}

/* The step, positive; *down is turned around by a negative constant. */
static struct value positive_step(struct lower *l, const struct ast_statement *s, bool *down)
{
    *down = s->loop.descending;
    if (!s->loop.step)
        return value_index_constant(1);
    struct value step = bound(l, s->loop.step, "the step");
    int64_t number;
    if (!value_number(step, &number))
        return step;
    if (number == 0 || number == INT64_MIN) {
        lower_error(l, s->loop.step->range, "a step of %s", number ? "that size" : "0 never ends");
        return value_poison;
    }
    if (number < 0) {
        *down = !*down;
        step.bits = (uint64_t)-number;
    }
    return step;
}

static bool check_direction(struct lower *l, const struct ast_statement *s, bool down)
{
    bool wants_down = s->loop.relation == AST_GT || s->loop.relation == AST_GE;
    if (wants_down == down)
        return true;
    lower_error(l, s->loop.step_range, "the counter '%s' moves away from its bound",
                s->loop.counter.name);
    if (wants_down)
        lower_hint(l, "a loop with '>' counts down: use '--', or '-=' and a positive step");
    else
        lower_hint(l, "a loop with '<' counts up: use '++', or '+=' and a positive step");
    return false;
}

/* n + 1 without overflow: no loop gets that far. */
static struct value one_more(struct lower *l, struct value n)
{
    if (n.nominal == IR_I64 && !n.constant)
        n = index_binary(l, IR_OP_MINIMUM, n, value_index_constant(INT64_MAX - 1));
    return index_binary(l, IR_OP_ADD, n, value_index_constant(1));
}

static bool count_loop(struct lower *l, const struct ast_statement *s, struct counted *counted)
{
    const struct ast_type *type = s->loop.counter.type;
    bool is_auto = type->kind == AST_TYPE_AUTO;
    if (!is_auto && (type->kind != AST_TYPE_ELEM || type->pointer || !ir_is_signed(type->elem))) {
        lower_error(l, s->loop.counter.range, "the counter of a 'for' loop must be a signed integer");
        lower_hint(l, "declare '%s' int or long", s->loop.counter.name);
        return false;
    }
    struct value start = bound(l, s->loop.counter.initial, "the start");
    struct value end = bound(l, s->loop.bound, "the bound");
    struct value step = positive_step(l, s, &counted->down);
    if (value_is_poison(start) || value_is_poison(end) || value_is_poison(step) ||
        !check_direction(l, s, counted->down))
        return false;
    l->b.range = s->loop.condition_range;
    bool inclusive = s->loop.relation == AST_LE || s->loop.relation == AST_GE;
    counted->nominal = is_auto ? start.nominal : type->elem;
    counted->lo = start;
    counted->hi = end;
    if (counted->down) {
        counted->start = start;
        counted->lo = value_index_constant(0);
        counted->hi = index_binary(l, IR_OP_SUB, start, end);
    }
    if (inclusive)
        counted->hi = one_more(l, counted->hi);
    counted->step = step;
    return true;
}

/* Declares the counter, which is i or start - i. */
static void declare_counter(struct lower *l, const struct ast_statement *s,
                            const struct counted *counted, struct ir_value *i)
{
    const struct ast_variable *counter = &s->loop.counter;
    struct value v = value_index(i, counted->nominal);
    l->b.range = counter->range;
    if (counted->down)
        v = index_binary(l, IR_OP_SUB, counted->start, v);
    v.nominal = counted->nominal;
    lower_add_variable(l, VARIABLE_COUNTER, counter->name, counter->range,
                       ir_scalar(counted->nominal), v);
}

static void plain_for(struct lower *l, const struct ast_statement *s,
                      const struct counted *counted, struct carry *carry)
{
    size_t most = (size_t)carry->count + 3;
    struct ir_value **operands = ARENA_ARRAY(l->arena, struct ir_value *, most);
    struct ir_type *types = ARENA_ARRAY(l->arena, struct ir_type, most);
    struct ir_builder outside;
    struct ir_region *region;
    do {
        region = lower_open_region(l, &outside);
        const char *name = counted->down ? NULL : s->loop.counter.name;
        struct ir_value *i = ir_region_add_argument(l->b.func, region, ir_scalar(IR_I64), name);
        carry_enter(l, carry, region);
        declare_counter(l, s, counted, i);
        turn(l, s->loop.body);
        l->variables.count = carry->scope;
        if (!carry_changed(l, carry))
            break;
        l->b = outside;
    } while (true);
    l->b.range = s->range;
    lower_yield(l, carry_values(l, carry, operands), operands);
    l->b = outside;
    l->b.range = s->range;
    operands[0] = lower_ir(l, counted->lo);
    operands[1] = lower_ir(l, counted->hi);
    operands[2] = lower_ir(l, counted->step);
    int count = 3 + carry_initial(l, carry, operands + 3);
    struct ir_op *op = ir_build(&l->b, IR_OP_FOR, count, operands, carry_types(carry, types), types,
                                1, NULL);
    attach(op, 0, region);
    carry_finish(l, carry, op, 0);
}

/* ---- while --------------------------------------------------------------------------------------------------------- */

/* Whether another turn begins: nothing has left the loop, and the condition holds. The condition
 * is not evaluated once the loop was left. e: for messages and the select. */
static struct value goes_on(struct lower *l, const struct ast_statement *s,
                            const struct counted *counted, struct ir_value *i)
{
    struct value left = value_constant(IR_BOOL, 0);
    left = or_flag(l, left, l->frame->loop->broke);
    left = or_flag(l, left, l->frame->returned);
    struct ir_builder outside;
    struct ir_region *region = lower_open_region(l, &outside);
    struct value condition =
        counted ? index_binary(l, IR_OP_LT, value_index(i, IR_I64), counted->hi)
                : lower_condition(l, s->repeat.condition, "while");
    l->b = outside;
    l->b.range = s->range;
    if (value_is_poison(condition) || is_truth(left, false)) {
        lower_splice(l, region);
        return condition;
    }
    struct value stays = lower_elementwise(l, s->range, IR_OP_NOT, &left, 1);
    if (lower_is_harmless(region)) {
        lower_splice(l, region);
        return index_binary(l, IR_OP_AND, stays, condition);
    }
    return lower_select(l, s->repeat.condition, stays, condition, region,
                        value_constant(IR_BOOL, 0), ir_region_new(l->b.func, NULL));
}

/* A while loop, or (counted not NULL) a for loop that can be left early. */
static void plain_while(struct lower *l, const struct ast_statement *s,
                        const struct counted *counted, struct carry *carry)
{
    size_t most = (size_t)carry->count + 2;
    struct ir_value **operands = ARENA_ARRAY(l->arena, struct ir_value *, most);
    struct ir_type *types = ARENA_ARRAY(l->arena, struct ir_type, most);
    const struct ast_statement *body = counted ? s->loop.body : s->repeat.body;
    int own = counted ? 1 : 0; /* carried values that are no variables: the counter */
    struct ir_region *regions[2];
    struct ir_builder outside;
    struct ir_value *i = NULL;
    do {
        regions[0] = lower_open_region(l, &outside);
        if (counted)
            i = ir_region_add_argument(l->b.func, regions[0], ir_scalar(IR_I64), NULL);
        carry_enter(l, carry, regions[0]);
        operands[0] = lower_ir(l, lower_settle(l, goes_on(l, s, counted, i)));
        if (!operands[0])
            operands[0] = ir_constant(&l->b, ir_scalar(IR_BOOL), 0);
        operands[1] = i;
        int count = 1 + own + carry_values(l, carry, operands + 1 + own);
        l->b.range = s->range;
        ir_build(&l->b, IR_OP_CONDITION, count, operands, 0, NULL, 0, NULL);
        l->b = outside;

        regions[1] = lower_open_region(l, &outside);
        if (counted)
            i = ir_region_add_argument(l->b.func, regions[1], ir_scalar(IR_I64), NULL);
        carry_enter(l, carry, regions[1]);
        if (counted)
            declare_counter(l, s, counted, i);
        turn(l, body);
        l->variables.count = carry->scope;
        if (!carry_changed(l, carry))
            break;
        l->b = outside;
    } while (true);
    l->b.range = s->range;
    if (counted)
        operands[0] = lower_ir(l, index_binary(l, IR_OP_ADD, value_index(i, IR_I64), counted->step));
    lower_yield(l, own + carry_values(l, carry, operands + own), operands);
    l->b = outside;
    l->b.range = s->range;
    if (counted) {
        operands[0] = lower_ir(l, counted->lo);
        types[0] = ir_scalar(IR_I64);
    }
    int count = own + carry_initial(l, carry, operands + own);
    carry_types(carry, types + own);
    struct ir_op *op = ir_build(&l->b, IR_OP_WHILE, count, operands, count, types, 2, NULL);
    attach(op, 0, regions[0]);
    attach(op, 1, regions[1]);
    carry_finish(l, carry, op, own);
}

static void loop(struct lower *l, const struct ast_statement *s, const struct counted *counted)
{
    struct loop_effects effects = lower_loop_effects(l, s);
    struct loop loop;
    loop_open(l, &loop, s->range);
    struct carry carry;
    carry_begin(l, &carry, effects, s->range);
    if (counted && !effects.has_break && !effects.has_return)
        plain_for(l, s, counted, &carry);
    else
        plain_while(l, s, counted, &carry);
    loop_close(l);
}

void lower_for(struct lower *l, const struct ast_statement *s)
{
    struct counted counted = {.down = false};
    if (!count_loop(l, s, &counted)) {
        /* Go on with the body, for the errors in it. */
        counted.lo = counted.hi = counted.step = value_index_constant(1);
        counted.down = false;
        counted.nominal = IR_I32;
    }
    loop(l, s, &counted);
}

void lower_while(struct lower *l, const struct ast_statement *s)
{
    size_t errors = l->diagnostics->error_count;
    loop(l, s, NULL);
    /* while (true) without break is left by return only. */
    const struct ast_expression *e = s->repeat.condition;
    bool forever = e->kind == AST_INTEGER && e->integer.value != 0;
    if (forever && l->diagnostics->error_count == errors)
        l->dead = !lower_loop_effects(l, s).has_break;
}
