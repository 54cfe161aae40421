/*
 * Control flow: from C's statements to the structured `if` of Tile IR. Loops are in lower_loop.c, `switch` in
 * lower_switch.c, what leaves blocks and loops early in lower_leave.c.
 *
 * An arm of an `if` is built in a detached region from a copy of all variables; what the
 * arms leave differently becomes a result.
 */
#include "lang/lower_branch.h"

/* ---- Regions ----------------------------------------------------------------------------- */

struct ir_region *lower_open_region(struct lower *l, struct ir_builder *outside)
{
    *outside = l->b;
    l->b.region = ir_region_new(l->b.func, NULL);
    l->b.before = NULL;
    return l->b.region;
}

void lower_attach(struct ir_op *op, int index, struct ir_region *region)
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

/* Integer arithmetic may overflow or divide by zero, an index may be out of range: the checker
 * would report what C's order rules out. */
bool lower_is_harmless(const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (!ir_has(op, IR_PURE) || op->region_count || op->code == IR_OP_GATHER ||
            op->code == IR_OP_LOOKUP)
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

/* ---- Joining values ---------------------------------------------------------------------- */

/* The value in the form of a model (of the same or a narrower type): index, element, shape. */
struct value lower_conform(struct lower *l, struct value v, struct value model)
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
bool lower_join_types(struct value a, struct value b, struct value *model)
{
    *model = a;
    model->is_const = a.is_const || b.is_const;
    if (a.kind != VALUE_DATA || b.kind != VALUE_DATA)
        return a.kind == b.kind && a.view == b.view && a.layout == b.layout && a.table == b.table;
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
           a.view == b.view && a.layout == b.layout && a.table == b.table &&
           ir_type_equal(a.type, b.type);
}

/* A value nobody sees, for the arm that leaves a variable without one. */
struct value lower_filler(struct value model)
{
    struct value v = value_constant(value_elem(model), 0);
    v.index = model.index;
    v.nominal = model.nominal;
    return v;
}

/* ---- Arms of an if ----------------------------------------------------------------------- */

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

void lower_branch_begin(struct lower *l, struct branch *branch, struct source_range range)
{
    *branch = (struct branch){.range = range, .count = l->variables.count};
    branch->before = copy_values(l, branch->count);
}

void lower_branch_open(struct lower *l, struct branch *branch, int arm)
{
    restore_values(l, branch->before, branch->count);
    branch->regions[arm] = lower_open_region(l, &branch->outside);
    l->dead = false;
}

void lower_branch_close(struct lower *l, struct branch *branch, int arm)
{
    branch->ends[arm] = copy_values(l, branch->count);
    branch->placed[arm] = ARENA_ARRAY(l->arena, struct source_range, branch->count);
    for (size_t i = 0; i < branch->count; i++)
        branch->placed[arm][i] = l->variables.items[i].placed;
    branch->dead[arm] = l->dead;
    l->b = branch->outside;
}

bool lower_is_truth(struct value v, bool truth)
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
    if (hidden && lower_is_truth(*a, true) && lower_is_truth(*b, false))
        return value_from_ir(condition, IR_BOOL);
    if (hidden && lower_is_truth(*a, false) && lower_is_truth(*b, true))
        return value_from_ir(ir_unary(&l->b, IR_OP_NOT, condition), IR_BOOL);
    if (a->kind == VALUE_NONE || b->kind == VALUE_NONE) {
        struct value *missing = a->kind == VALUE_NONE ? a : b, *other = missing == a ? b : a;
        if (other->kind != VALUE_DATA || other->type.pointer ||
            !(hidden || branch->dead[missing == b]))
            return value_none;
        *missing = lower_filler(*other);
    }
    bool alone = !l->frame->loop && !hidden; /* then nobody sees the variables of a dead arm */
    if (!lower_join_types(*a, *b, model)) {
        if (!alone || !(branch->dead[0] || branch->dead[1]) || a->type.pointer) {
            report_arms(l, branch, i);
            return value_poison;
        }
        struct value *unseen = branch->dead[0] ? a : b;
        *model = branch->dead[0] ? *b : *a;
        *unseen = lower_filler(*model);
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
        values[k] = lower_ir(l, lower_conform(l, branch->ends[arm][indices[k]], models[k]));
    lower_yield(l, count, values);
    l->b = outside;
}

static bool is_empty(const struct ir_region *region)
{
    return !region->first || region->first->code == IR_OP_YIELD;
}

void lower_branch_finish(struct lower *l, struct branch *branch, struct value truth)
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
    bool over = l->dead && !l->frame->loop; /* the function: only that, and its result, matter */
    if (over)
        l->variables.items[l->frame->returned].value = value_constant(IR_BOOL, 1);
    for (size_t i = 0; i < n; i++) {
        if (over && i != l->frame->result)
            continue;
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
        lower_attach(op, arm, branch->regions[arm]);
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
    if (!value_is_number(a) || !value_is_number(b)) {
        lower_error(l, e->range, "both sides must be numbers; these are '%s' and '%s'",
                    lower_type_name(l, a), lower_type_name(l, b));
        if (value_is_pointer(a) && value_is_pointer(b))
            lower_hint(l, "choose the offset of one pointer, or load from each in a branch of an "
                          "'if'");
        return value_poison;
    }
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
        struct value operands[3] = {value_from_ir(truth, IR_BOOL)};
        operands[1] = lower_conform(l, yes, a);
        operands[2] = lower_conform(l, no, a);
        return lower_elementwise(l, e->range, IR_OP_SELECT, operands, 3);
    }
    struct value sides[] = {yes, no};
    struct ir_region *regions[] = {yes_region, no_region};
    for (int arm = 0; arm < 2; arm++) {
        l->b = outside;
        l->b.region = regions[arm];
        l->b.before = NULL;
        struct ir_value *value = lower_ir(l, lower_conform(l, sides[arm], a));
        lower_yield(l, 1, &value);
    }
    l->b = outside;
    l->b.range = e->range;
    struct ir_op *op = ir_build(&l->b, IR_OP_IF, 1, &truth, 1, &a.type, 2, NULL);
    lower_attach(op, 0, yes_region);
    lower_attach(op, 1, no_region);
    return value_like(a, op->results[0]);
}

void lower_if(struct lower *l, const struct ast_statement *s)
{
    struct value condition = lower_condition(l, s->branch.condition, "if");
    if (condition.constant) {
        const struct ast_statement *taken = condition.bits ? s->branch.then : s->branch.otherwise;
        if (taken)
            lower_block(l, (struct ast_statement *const *)&taken, 1);
        return;
    }
    if (value_is_poison(condition)) /* go on, for the errors in the arms */
        condition = value_from_ir(ir_constant(&l->b, ir_scalar(IR_BOOL), 0), IR_BOOL);
    const struct ast_statement *arms[] = {s->branch.then, s->branch.otherwise};
    struct branch branch;
    lower_branch_begin(l, &branch, s->range);
    for (int arm = 0; arm < 2; arm++) {
        lower_branch_open(l, &branch, arm);
        if (arms[arm])
            lower_block(l, (struct ast_statement *const *)&arms[arm], 1);
        lower_branch_close(l, &branch, arm);
    }
    lower_branch_finish(l, &branch, condition);
}
