/*
 * Loops: what they carry, and the two forms that they take in Tile IR.
 *
 * A loop carries the variables that its body assigns. What they look like at the end of the body is
 * only known once it was elaborated, so the body is elaborated until what goes in and what comes
 * out agree: a scalar may take a shape once, an int may become an index once. Errors count in the
 * last attempt only. Nested loops stay cheap, because an inner loop that is entered with settled
 * types needs one attempt.
 *
 * A counted loop becomes `for`; one that can be left early, and C's while, become `while`.
 */
#include "lang/lower.h"

#include "ir/affine.h"

#include <string.h>

/* ---- What a loop carries ----------------------------------------------------------------- */

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
    size_t scope;
    struct checkpoint checkpoint;
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
    carry->checkpoint = lower_mark(l);
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
        lower_hint(l,
                   "full and zeros give a scalar a shape; sum, max and min belong behind the loop");
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
        carry->initial[k] = lower_filler(end);
        return true;
    }
    if (model->kind != VALUE_DATA)
        return false;
    struct value joined;
    bool fine = lower_join_types(*model, end, &joined);
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
    lower_undo(l, &carry->checkpoint);
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
        values[n++] = v.kind == VALUE_DATA ? lower_ir(l, lower_conform(l, v, carry->models[k]))
                                           : carry->arguments[k];
    }
    return n;
}

static int carry_initial(struct lower *l, const struct carry *carry, struct ir_value **values)
{
    int n = 0;
    for (int k = 0; k < carry->count; k++) {
        if (carry->models[k].kind == VALUE_DATA)
            values[n++] = lower_ir(l, lower_conform(l, carry->initial[k], carry->models[k]));
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

/* ---- for --------------------------------------------------------------------------------- */

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
        lower_error(l, s->loop.counter.range,
                    "the counter of a 'for' loop must be a signed integer");
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

static void plain_for(struct lower *l, const struct ast_statement *s, const struct counted *counted,
                      struct carry *carry)
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
    struct ir_op *op =
        ir_build(&l->b, IR_OP_FOR, count, operands, carry_types(carry, types), types, 1, NULL);
    lower_attach(op, 0, region);
    carry_finish(l, carry, op, 0);
}

/* ---- while ------------------------------------------------------------------------------- */

/* i < hi; a run-time step that is not positive makes no turn, as in `for`. */
static struct value below_bound(struct lower *l, const struct counted *counted, struct ir_value *i)
{
    struct value below = index_binary(l, IR_OP_LT, value_index(i, IR_I64), counted->hi);
    if (counted->step.constant)
        return below;
    struct value forward = index_binary(l, IR_OP_GT, counted->step, value_index_constant(0));
    return index_binary(l, IR_OP_AND, below, forward);
}

/* Whether no turn that begins below hi ends beyond the greatest integer. */
static bool stays_in_range(const struct counted *counted)
{
    int64_t step, most = INT64_MAX;
    if (!value_number(counted->step, &step))
        return false;
    if (!value_number(counted->hi, &most) && counted->hi.ir)
        most = ir_range(counted->hi.ir).most;
    return most <= INT64_MAX - step;
}

/* i + step, or the greatest integer, below no bound: `for` counts its turns, this must not wrap. */
static struct value next_place(struct lower *l, const struct counted *counted, struct ir_value *i)
{
    struct value place = value_index(i, IR_I64), step = counted->step;
    if (!stays_in_range(counted)) {
        struct value least = index_binary(l, IR_OP_MAXIMUM, place, value_index_constant(0));
        struct value most = value_index_constant(INT64_MAX);
        step = index_binary(l, IR_OP_MINIMUM, step, index_binary(l, IR_OP_SUB, most, least));
    }
    return index_binary(l, IR_OP_ADD, place, step);
}

/* Whether another turn begins: nothing has left the loop, and the condition holds. The condition
 * is not evaluated once the loop was left. e: for messages and the select. */
static struct value goes_on(struct lower *l, const struct ast_statement *s,
                            const struct counted *counted, struct ir_value *i)
{
    struct value left = value_constant(IR_BOOL, 0);
    left = lower_or_flag(l, left, l->frame->loop->broke);
    left = lower_or_flag(l, left, l->frame->returned);
    struct ir_builder outside;
    struct ir_region *region = lower_open_region(l, &outside);
    struct value condition =
        counted ? below_bound(l, counted, i) : lower_condition(l, s->repeat.condition, "while");
    l->b = outside;
    l->b.range = s->range;
    if (value_is_poison(condition) || lower_is_truth(left, false)) {
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
        operands[0] = lower_ir(l, next_place(l, counted, i));
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
    lower_attach(op, 0, regions[0]);
    lower_attach(op, 1, regions[1]);
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
