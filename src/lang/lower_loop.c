/*
 * Loops: what they carry, and the two forms that they take in Tile IR.
 *
 * A loop carries the variables that its body assigns. What they look like at the end of the body is
 * only known once it was elaborated, so the body is elaborated until what goes in and what comes
 * out agree: a scalar may take a shape once, an int may become an index once. Errors count in the
 * last attempt only. Nested loops stay cheap, because an inner loop that is entered with settled
 * types needs one attempt.
 *
 * A counted loop becomes `for`; one that can be left early, and C's while, become `while`. Other
 * `for` loops are `start; while (condition) { body; steps }`, with `continue` going to the steps;
 * where all that they count by is known, their turns are counted here, and they become `for` too.
 */
#include "lang/lower_count.h"

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
    bool runs;   /* a do loop, whose body runs at least once: */
    bool *unset; /* has no value before the loop, so that its first turn gives it one */
    struct source_range range;
    /* To undo an attempt. */
    size_t scope;
    struct checkpoint checkpoint;
};

static void carry_begin(struct lower *l, struct carry *carry, const struct loop_effects *effects,
                        struct source_range range)
{
    size_t most = (size_t)effects->count + 3, n = 0;
    *carry = (struct carry){.range = range};
    carry->variables = ARENA_ARRAY(l->arena, size_t, most);
    for (int i = 0; i < effects->count; i++)
        carry->variables[n++] = effects->variables[i];
    if (effects->has_break)
        carry->variables[n++] = l->frame->loop->broke;
    if (effects->has_return) {
        carry->variables[n++] = l->frame->returned;
        carry->variables[n++] = l->frame->result;
    }
    carry->count = (int)n;
    carry->initial = ARENA_ARRAY(l->arena, struct value, n);
    carry->models = ARENA_ARRAY(l->arena, struct value, n);
    carry->arguments = ARENA_ARRAY(l->arena, struct ir_value *, n);
    carry->placed = ARENA_ARRAY(l->arena, struct source_range, n);
    carry->took_shape = ARENA_ARRAY(l->arena, bool, n);
    carry->unset = ARENA_ARRAY(l->arena, bool, n);
    for (size_t k = 0; k < n; k++) {
        const struct variable *variable = &l->variables.items[carry->variables[k]];
        carry->initial[k] = carry->models[k] = variable->value;
        carry->placed[k] = variable->placed;
    }
    carry->scope = l->variables.count;
    carry->checkpoint = lower_mark(l);
}

/* Gives the region an argument for each carried variable, which then holds it; one that has no
 * value before the loop has none in a turn before it is set either. */
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
        if (carry->unset[k])
            variable->value = value_none;
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
    bool hidden = variable->kind == VARIABLE_HIDDEN;
    bool starts =
        hidden || (carry->runs && !lower_is_left_without(l->frame->loop, carry->variables[k]));
    if (model->kind == VALUE_NONE && starts && !end.type.pointer && end.kind == VALUE_DATA) {
        *model = end; /* what a function returns, say: has no value before */
        model->constant = false;
        carry->initial[k] = lower_filler(end);
        carry->unset[k] = !hidden;
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

/* The body of a loop, once, with `continue` ending it, and what follows it (steps: or NULL). */
static void turn(struct lower *l, const struct ast_statement *body,
                 const struct ast_statement *steps)
{
    struct loop *loop = l->frame->loop;
    loop->continued = lower_add_variable(l, VARIABLE_HIDDEN, "", body->range, ir_scalar(IR_BOOL),
                                         value_constant(IR_BOOL, 0));
    loop->without[0] = loop->without[1] = NULL;
    lower_block(l, (struct ast_statement *const *)&body, 1);
    lower_end_body(l);
    if (steps)
        lower_behind_body(l, steps);
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
        const char *name = counted->down || counted->by_turns ? NULL : counted->name;
        struct ir_value *i = ir_region_add_argument(l->b.func, region, ir_scalar(IR_I64), name);
        carry_enter(l, carry, region);
        lower_declare_counter(l, counted, i);
        turn(l, s->loop.body, counted->steps);
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

static struct value condition_of(struct lower *l, const struct ast_statement *s)
{
    if (s->kind != AST_FOR)
        return lower_condition(l, s->repeat.condition, s->kind == AST_DO ? "do" : "while");
    return s->loop.condition ? lower_condition(l, s->loop.condition, "for")
                             : value_constant(IR_BOOL, 1);
}

/* Whether another turn begins: nothing has left the loop, and the condition holds. The condition
 * is not evaluated once the loop was left. */
static struct value goes_on(struct lower *l, const struct ast_statement *s,
                            const struct counted *counted, struct ir_value *i)
{
    struct value left = value_constant(IR_BOOL, 0);
    left = lower_or_flag(l, left, l->frame->loop->broke);
    left = lower_or_flag(l, left, l->frame->returned);
    struct ir_builder outside;
    struct ir_region *region = lower_open_region(l, &outside);
    struct value condition = counted ? lower_below_bound(l, counted, i) : condition_of(l, s);
    l->b = outside;
    l->b.range = s->range;
    if (value_is_poison(condition) || lower_is_truth(left, false)) {
        lower_splice(l, region);
        return condition;
    }
    struct value stays = lower_elementwise(l, s->range, IR_OP_NOT, &left, 1);
    if (lower_is_harmless(region)) {
        lower_splice(l, region);
        struct value both[] = {stays, condition};
        return lower_elementwise(l, s->range, IR_OP_AND, both, 2);
    }
    /* Only its place is looked at: of a counted loop there may be no expression. */
    struct ast_expression place = {.range = s->range};
    const struct ast_expression *e = s->kind == AST_FOR ? s->loop.condition : s->repeat.condition;
    return lower_select(l, e ? e : &place, stays, condition, region, value_constant(IR_BOOL, 0),
                        ir_region_new(l->b.func, NULL));
}

static struct ir_value *truth_of(struct lower *l, struct value condition)
{
    struct ir_value *truth = lower_ir(l, lower_settle(l, condition));
    return truth ? truth : ir_constant(&l->b, ir_scalar(IR_BOOL), 0);
}

/* A while loop, or (counted not NULL) a for loop that can be left early. Of its own it carries the
 * counter; a do loop carries whether it goes on, which its first turn does not ask. */
static void plain_while(struct lower *l, const struct ast_statement *s,
                        const struct counted *counted, struct carry *carry)
{
    size_t most = (size_t)carry->count + 2;
    struct ir_value **operands = ARENA_ARRAY(l->arena, struct ir_value *, most);
    struct ir_type *types = ARENA_ARRAY(l->arena, struct ir_type, most);
    bool is_for = s->kind == AST_FOR, is_do = s->kind == AST_DO;
    const struct ast_statement *body = is_for ? s->loop.body : s->repeat.body;
    const struct ast_statement *steps = counted ? counted->steps : is_for ? s->loop.steps : NULL;
    struct ir_type own_type = ir_scalar(is_do ? IR_BOOL : IR_I64);
    int own = counted || is_do ? 1 : 0; /* carried values that are no variables */
    struct ir_region *regions[2];
    struct ir_builder outside;
    struct ir_value *i = NULL;
    do {
        regions[0] = lower_open_region(l, &outside);
        if (own)
            i = ir_region_add_argument(l->b.func, regions[0], own_type, NULL);
        carry_enter(l, carry, regions[0]);
        operands[0] = is_do ? i : truth_of(l, goes_on(l, s, counted, i));
        operands[1] = i;
        int count = 1 + own + carry_values(l, carry, operands + 1 + own);
        l->b.range = s->range;
        ir_build(&l->b, IR_OP_CONDITION, count, operands, 0, NULL, 0, NULL);
        l->b = outside;

        regions[1] = lower_open_region(l, &outside);
        if (own)
            i = ir_region_add_argument(l->b.func, regions[1], own_type, NULL);
        carry_enter(l, carry, regions[1]);
        if (counted)
            lower_declare_counter(l, counted, i);
        turn(l, body, steps);
        if (is_do)
            operands[0] = truth_of(l, goes_on(l, s, NULL, NULL));
        l->variables.count = carry->scope;
        if (!carry_changed(l, carry))
            break;
        l->b = outside;
    } while (true);
    l->b.range = s->range;
    if (counted)
        operands[0] = lower_ir(l, lower_next_place(l, counted, i));
    lower_yield(l, own + carry_values(l, carry, operands + own), operands);
    l->b = outside;
    l->b.range = s->range;
    if (own) {
        operands[0] = counted ? lower_ir(l, counted->lo) : ir_constant(&l->b, own_type, 1);
        types[0] = own_type;
    }
    int count = own + carry_initial(l, carry, operands + own);
    carry_types(carry, types + own);
    struct ir_op *op = ir_build(&l->b, IR_OP_WHILE, count, operands, count, types, 2, NULL);
    lower_attach(op, 0, regions[0]);
    lower_attach(op, 1, regions[1]);
    carry_finish(l, carry, op, own);
}

static void loop(struct lower *l, const struct ast_statement *s, const struct counted *counted,
                 const struct loop_effects *effects)
{
    struct loop loop;
    loop_open(l, &loop, s->range);
    struct carry carry;
    carry_begin(l, &carry, effects, s->range);
    carry.runs = s->kind == AST_DO;
    if (counted && !effects->has_break && !effects->has_return)
        plain_for(l, s, counted, &carry);
    else
        plain_while(l, s, counted, &carry);
    loop_close(l);
}

/* ---- Statements ---------------------------------------------------------------------------- */

/* while (true) without break is left by return only. */
static void end_forever(struct lower *l, const struct ast_expression *condition,
                        const struct loop_effects *effects, size_t errors)
{
    bool forever = !condition || (condition->kind == AST_INTEGER && condition->integer.value != 0);
    if (forever && l->diagnostics->error_count == errors)
        l->dead = !effects->has_break;
}

/* A loop that does not count, or counts turns that are known. */
static void general_for(struct lower *l, const struct ast_statement *s, const struct counted *tried,
                        size_t errors)
{
    struct loop_effects effects = lower_loop_effects(l, s);
    int64_t turns = lower_known_turns(l, s, &effects);
    if (turns >= 0) {
        struct counted counted = {.lo = value_index_constant(0),
                                  .hi = value_index_constant(turns),
                                  .step = value_index_constant(1),
                                  .steps = s->loop.steps};
        loop(l, s, &counted, &effects);
        return;
    }
    if (tried->why)
        lower_note_uncounted(l, tried);
    loop(l, s, NULL, &effects);
    end_forever(l, s->loop.condition, &effects, errors);
}

static struct variable *copy_variables(struct lower *l)
{
    size_t count = l->variables.count;
    struct variable *copy = ARENA_ARRAY(l->arena, struct variable, count);
    if (count)
        memcpy(copy, l->variables.items, count * sizeof *copy);
    l->work += (int)(count / 4);
    return copy;
}

/* Tries to make it one that counts; false, with nothing left behind but *counted: it does not. */
static bool counted_for(struct lower *l, const struct ast_statement *s, struct counted *counted)
{
    struct loop_effects effects = lower_count_effects(l, s);
    struct checkpoint checkpoint = lower_mark(l);
    struct ir_builder outside;
    struct ir_region *region = lower_open_region(l, &outside);
    enum counting counting = lower_count_loop(l, s, &effects, counted);
    struct source_range range = l->b.range;
    l->b = outside;
    if (counting == COUNTS_NOT) {
        if (!l->stopped)
            lower_undo(l, &checkpoint);
        return false;
    }
    if (counting == COUNT_WRONG) {
        /* Go on with the body, for the errors in it. */
        counted->lo = counted->hi = counted->step = value_index_constant(1);
        counted->down = counted->by_turns = false;
        counted->nominal = IR_I32;
    }
    struct variable *outer =
        lower_is_outer_counter(s) ? lower_find_variable(l, s->loop.count->counter) : NULL;
    size_t index = outer ? (size_t)(outer - l->variables.items) : 0;
    struct variable *before = copy_variables(l);
    l->b.region = region;
    l->b.before = NULL;
    loop(l, s, counted, &effects);
    l->b = outside;
    if (lower_changes_bound(counted, region) && !l->stopped) {
        memcpy(l->variables.items, before, l->variables.count * sizeof *before);
        lower_undo(l, &checkpoint);
        return false;
    }
    l->b.range = range;
    lower_splice(l, region);
    if (outer) {
        l->b.range = s->range;
        l->variables.items[index].value = lower_counter_behind(l, counted);
        l->variables.items[index].placed = s->loop.count->step_range;
    }
    return true;
}

void lower_for(struct lower *l, const struct ast_statement *s)
{
    size_t scope = l->variables.count, errors = l->diagnostics->error_count;
    struct counted counted = {.name = NULL};
    if (s->loop.count && s->loop.count->declared && counted_for(l, s, &counted))
        return;
    if (s->loop.start)
        lower_statement(l, s->loop.start);
    bool tried = !s->loop.count || s->loop.count->declared;
    if (tried || !counted_for(l, s, &counted))
        general_for(l, s, &counted, errors);
    l->variables.count = scope;
}

void lower_while(struct lower *l, const struct ast_statement *s)
{
    size_t errors = l->diagnostics->error_count;
    struct loop_effects effects = lower_loop_effects(l, s);
    const struct ast_expression *condition = s->repeat.condition;
    bool once =
        s->kind == AST_DO && condition->kind == AST_INTEGER && condition->integer.value == 0;
    if (once && !effects.has_break && !effects.has_continue) {
        lower_block(l, (struct ast_statement *const *)&s->repeat.body, 1);
        return;
    }
    loop(l, s, NULL, &effects);
    end_forever(l, condition, &effects, errors);
}
