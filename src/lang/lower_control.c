/*
 * Control flow: from C's statements to the structured `if` and `while` of Tile IR; loops are in
 * lower_loop.c.
 *
 * Joins. An arm of an `if` is built in a detached region from a copy of all variables; what the
 * arms leave differently becomes a result.
 *
 * Leaving early. break, continue and return set hidden variables: `broke` and `continued` of a
 * loop, `returned` of a function. After a statement that may have set one, the rest of the block
 * goes under an `if`; a loop that can be left becomes a `while` that tests them.
 *
 *     if (c) break;            ->  broke = c
 *     rest                         if (!broke) { rest }
 */
#include "lang/lower.h"

#include <string.h>

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
    branch_begin(l, &branch, s->range);
    for (int arm = 0; arm < 2; arm++) {
        branch_open(l, &branch, arm);
        if (arms[arm])
            lower_block(l, (struct ast_statement *const *)&arms[arm], 1);
        branch_close(l, &branch, arm);
    }
    branch_finish(l, &branch, condition);
}

/* ---- switch ------------------------------------------------------------------------------ */

/* A switch that is being elaborated. */
struct choice {
    const struct ast_statement *s;
    struct value value;
    struct value **cases; /* by arm: constants of the value's type */
};

/* The case of that value in front of case k of arm i, or NULL. */
static const struct ast_expression *earlier_case(const struct choice *c, int i, int k)
{
    for (int arm = 0; arm <= i; arm++) {
        int end = arm < i ? c->s->choice.arms[arm].count : k;
        for (int other = 0; other < end; other++) {
            const struct value *v = &c->cases[arm][other];
            if (!value_is_poison(*v) && v->bits == c->cases[i][k].bits)
                return c->s->choice.arms[arm].cases[other];
        }
    }
    return NULL;
}

static void read_case(struct lower *l, struct choice *c, int i, int k)
{
    const struct ast_expression *e = c->s->choice.arms[i].cases[k];
    struct value *v = &c->cases[i][k];
    int64_t number;
    *v = value_poison;
    if (!lower_constant(l, e, "the value of a case", &number))
        return;
    struct value constant = lower_value(l, e);
    enum ir_elem type = c->value.nominal;
    if (!constant.index) { /* C's conversion, also where the value is an index */
        lower_warn_of_change(l, e->range, constant, type, "the case");
        constant = lower_convert(l, constant, type);
    }
    *v = c->value.index ? lower_to_index(l, constant) : lower_convert(l, constant, type);
    v->nominal = type;
    const struct ast_expression *earlier = earlier_case(c, i, k);
    if (!earlier)
        return;
    lower_error(l, e->range, "the case %lld is there twice", (long long)number);
    lower_note(l, earlier->range, "the first one is here");
    *v = value_poison;
}

/* Whether the value is one of the arm's: a constant where both are known; poison after an error. */
static struct value is_chosen(struct lower *l, const struct choice *c, int arm)
{
    struct value any = value_constant(IR_BOOL, 0);
    for (int k = 0; k < c->s->choice.arms[arm].count; k++) {
        if (value_is_poison(c->value) || value_is_poison(c->cases[arm][k]))
            return value_poison;
        struct value pair[] = {c->value, c->cases[arm][k]};
        struct value equal =
            lower_elementwise(l, c->s->choice.arms[arm].cases[k]->range, IR_OP_EQ, pair, 2);
        struct value both[] = {any, equal};
        any = k == 0 ? equal : lower_elementwise(l, c->s->range, IR_OP_OR, both, 2);
    }
    return any;
}

static void lower_body(struct lower *l, const struct ast_statement *body)
{
    lower_block(l, (struct ast_statement *const *)&body, 1);
}

/* The default's statements, if there is one. */
static void otherwise(struct lower *l, const struct choice *c)
{
    for (int i = 0; i < c->s->choice.count; i++) {
        if (c->s->choice.arms[i].is_default)
            lower_body(l, c->s->choice.arms[i].body);
    }
}

/* if (value is of arm i) { its statements } else { the arms behind it } */
static void choose(struct lower *l, const struct choice *c, int i)
{
    while (i < c->s->choice.count && c->s->choice.arms[i].is_default)
        i++;
    if (i == c->s->choice.count) {
        otherwise(l, c);
        return;
    }
    struct value chosen = is_chosen(l, c, i);
    if (chosen.constant) {
        if (chosen.bits)
            lower_body(l, c->s->choice.arms[i].body);
        else
            choose(l, c, i + 1);
        return;
    }
    if (value_is_poison(chosen)) /* go on, for the errors in the arms */
        chosen = value_from_ir(ir_constant(&l->b, ir_scalar(IR_BOOL), 0), IR_BOOL);
    if (!lower_enter(l, c->s->range))
        return;
    struct branch branch;
    branch_begin(l, &branch, c->s->range);
    branch_open(l, &branch, 0);
    lower_body(l, c->s->choice.arms[i].body);
    branch_close(l, &branch, 0);
    branch_open(l, &branch, 1);
    choose(l, c, i + 1);
    branch_close(l, &branch, 1);
    branch_finish(l, &branch, chosen);
    lower_leave(l);
}

/* What the cases are compared with: a promoted integer or an index; poison after an error. */
static struct value chosen_by(struct lower *l, const struct ast_expression *e)
{
    struct value v = lower_value(l, e);
    if (value_is_poison(v))
        return v;
    if (value_is_tile(v)) {
        lower_error(l, e->range, "'switch' chooses once for the program; this is %s",
                    lower_shape_name(l, v.type));
        lower_hint(l,
                   "where(condition, x, y) chooses for each element, and so does t[i] of a table");
        return value_poison;
    }
    if (!value_is_integral(v)) {
        lower_error(l, e->range, "'switch' takes an integer, not %s",
                    v.kind == VALUE_DATA ? arena_format(l->arena, "'%s'", lower_type_name(l, v))
                                         : lower_type_name(l, v));
        return value_poison;
    }
    return lower_promote(l, lower_settle(l, v));
}

void lower_switch(struct lower *l, const struct ast_statement *s)
{
    int count = s->choice.count;
    struct choice c = {.s = s, .value = chosen_by(l, s->choice.value)};
    c.cases = ARENA_ARRAY(l->arena, struct value *, (size_t)count + 1);
    for (int i = 0; i < count; i++) {
        c.cases[i] = ARENA_ARRAY(l->arena, struct value, (size_t)s->choice.arms[i].count + 1);
        for (int k = 0; k < s->choice.arms[i].count && !l->stopped; k++) {
            if (value_is_poison(c.value))
                c.cases[i][k] = value_poison;
            else
                read_case(l, &c, i, k);
        }
    }
    choose(l, &c, 0);
}

/* ---- Blocks, and leaving them ------------------------------------------------------------ */

struct value lower_or_flag(struct lower *l, struct value flags, size_t index)
{
    struct value flag = l->variables.items[index].value;
    if (lower_is_truth(flag, false) || value_is_poison(flag))
        return flags;
    if (lower_is_truth(flags, false))
        return flag;
    struct value operands[] = {flags, flag};
    return lower_elementwise(l, l->b.range, IR_OP_OR, operands, 2);
}

/* Whether the block's rest is to be left out: constant false where nothing could leave it. */
static struct value left_already(struct lower *l)
{
    struct value flags = value_constant(IR_BOOL, 0);
    flags = lower_or_flag(l, flags, l->frame->returned);
    if (l->frame->loop) {
        flags = lower_or_flag(l, flags, l->frame->loop->broke);
        flags = lower_or_flag(l, flags, l->frame->loop->continued);
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
        if (lower_is_truth(branch.ends[0][flags[i]], false))
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
        if (!lower_is_truth(left, false)) {
            guarded(l, items + i + 1, count - i - 1, left);
            return;
        }
    }
}

void lower_behind_body(struct lower *l, const struct ast_statement *s)
{
    l->variables.items[l->frame->loop->continued].value = value_constant(IR_BOOL, 0);
    struct value left = left_already(l);
    if (lower_is_truth(left, false))
        lower_statement(l, s);
    else if (!lower_is_truth(left, true))
        guarded(l, (struct ast_statement *const *)&s, 1, left);
    l->dead = false;
}

void lower_block(struct lower *l, struct ast_statement *const *items, int count)
{
    size_t scope = l->variables.count;
    statements(l, items, count);
    l->variables.count = scope;
}

/* A path that leaves a block is not seen where the block's paths join: what it has no value for
 * there is noted here, for what comes behind the body and behind the loop. */
static void note_without(struct lower *l, struct loop *loop, bool breaks)
{
    bool **without = &loop->without[breaks];
    if (!*without)
        *without = ARENA_ARRAY(l->arena, bool, loop->broke);
    l->work += (int)(loop->broke / 4);
    for (size_t i = l->frame->first; i < loop->broke; i++) {
        const struct variable *variable = &l->variables.items[i];
        if (variable->kind != VARIABLE_HIDDEN && variable->value.kind == VALUE_NONE)
            (*without)[i] = true;
    }
}

void lower_leave_loop(struct lower *l, const struct ast_statement *s)
{
    struct loop *loop = l->frame->loop;
    if (!loop)
        return; /* lower_check_names has reported it */
    bool breaks = s->kind == AST_BREAK;
    note_without(l, loop, breaks);
    l->variables.items[breaks ? loop->broke : loop->continued].value = value_constant(IR_BOOL, 1);
    l->dead = true;
}

bool lower_is_left_without(const struct loop *loop, size_t index)
{
    return (loop->without[0] && loop->without[0][index]) ||
           (loop->without[1] && loop->without[1][index]);
}

void lower_end_body(struct lower *l)
{
    const struct loop *loop = l->frame->loop;
    l->dead = false;
    for (size_t i = l->frame->first; loop->without[0] && i < loop->broke; i++) {
        if (loop->without[0][i])
            l->variables.items[i].value = value_none;
    }
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
