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

/* ---- for --------------------------------------------------------------------------------- */

/* A counted loop: i counts from lo up to hi by step; the counter is i, or start - i. */
struct counted {
    struct value lo, hi, step;
    struct value start; /* where it counts down */
    bool down;
    const char *name; /* of the counter; NULL: turns are counted, which nothing sees */
    struct source_range range;
    enum ir_elem nominal;
    const struct ast_statement *steps; /* behind the body, or NULL */
    const char *why; /* it does not count, if that is for a type's sake; else NULL */
};

/* What became of a loop that is written as one that counts. */
enum counting { COUNTS, COUNTS_NOT, COUNT_WRONG };

static struct value index_binary(struct lower *l, enum ir_opcode code, struct value x,
                                 struct value y)
{
    struct value operands[] = {x, y};
    return lower_elementwise(l, l->b.range, code, operands, 2);
}

/* What a for loop counts with: a uniform integer. A tile is an error and gives poison; *counts
 * becomes false where it is a number of another kind. */
static struct value uniform_integer(struct lower *l, const struct ast_expression *e,
                                    const char *what, bool *counts)
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
    if (value_is_integral(v))
        return v;
    *counts = false;
    return value_index_constant(1);
}

/* As an index. A long unsigned one beyond all indices is the greatest of them. */
static struct value to_bound(struct lower *l, struct value v)
{
    if (!value_is_poison(v) && value_elem(v) == IR_U64)
        v = index_binary(l, IR_OP_MINIMUM, v, value_constant(IR_U64, INT64_MAX));
    return lower_to_index(l, v);
}

/* The step, positive; *down is turned around by a negative constant. */
static struct value positive_step(struct lower *l, const struct ast_count *count, bool *down,
                                  bool *counts)
{
    *down = count->descending;
    if (!count->step)
        return value_index_constant(1);
    struct value step = to_bound(l, uniform_integer(l, count->step, "the step", counts));
    int64_t number;
    if (!value_number(step, &number))
        return step;
    if (number == 0 || number == INT64_MIN) {
        lower_error(l, count->step->range, "a step of %s", number ? "that size" : "0 never ends");
        return value_poison;
    }
    if (number < 0) {
        *down = !*down;
        step.bits = (uint64_t)-number;
    }
    return step;
}

static bool check_direction(struct lower *l, const struct ast_count *count, bool down)
{
    bool wants_down = count->relation == AST_GT || count->relation == AST_GE;
    if (wants_down == down || count->relation == AST_NE)
        return true;
    lower_error(l, count->step_range, "the counter '%s' moves away from its bound", count->counter);
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

/* Whether a variable of the type can count. */
static bool can_count(struct lower *l, const struct ast_count *count, enum ir_elem elem,
                      struct counted *counted)
{
    if (ir_is_signed(elem))
        return true;
    counted->why = arena_format(l->arena, "'%s' is %s", count->counter,
                                ir_is_float(elem) ? "floating" : "unsigned");
    return false;
}

/* The counter's start. False: it is no signed integer. */
static bool count_start(struct lower *l, const struct ast_count *count, struct value *start,
                        struct counted *counted, bool *counts)
{
    if (count->declared) {
        const struct ast_type *type = count->declared->type;
        bool is_auto = type->kind == AST_TYPE_AUTO;
        if (!is_auto && (type->kind != AST_TYPE_ELEM || type->pointer ||
                         !can_count(l, count, type->elem, counted)))
            return false;
        const struct ast_expression *initial = count->declared->initial;
        *start = uniform_integer(l, initial, "the start", counts);
        if (!is_auto)
            *start = lower_assign_convert(l, initial->range, *start, ir_scalar(type->elem), false,
                                          arena_format(l->arena, "'%s'", count->counter));
        *start = lower_to_index(l, *start);
        counted->nominal = is_auto ? start->nominal : type->elem;
        return value_is_poison(*start) || can_count(l, count, counted->nominal, counted);
    }
    const struct variable *variable = lower_find_variable(l, count->counter);
    if (!variable || variable->kind != VARIABLE_ORDINARY || variable->is_const ||
        !value_is_number(variable->value) || value_is_tile(variable->value) ||
        !can_count(l, count, (enum ir_elem)variable->type.elem, counted))
        return false;
    *start = lower_to_index(l, variable->value);
    counted->nominal = (enum ir_elem)variable->type.elem;
    return true;
}

/* Whether the loop changes what an expression reads. */
static bool is_changed(struct lower *l, const struct ast_expression *e,
                       const struct loop_effects *effects)
{
    for (int i = 0; e && i < effects->count; i++) {
        if (ast_mentions(e, l->variables.items[effects->variables[i]].name))
            return true;
    }
    return false;
}

/* Whether somebody sees the counter behind the loop: the start does not declare it. */
static bool is_outer(const struct ast_statement *s)
{
    const struct ast_statement *start = s->loop.start;
    for (int i = 0; start && start->kind == AST_DECLARE && i < start->declare.count; i++) {
        if (strcmp(start->declare.variables[i].name, s->loop.count->counter) == 0)
            return false;
    }
    return true;
}

/* Says why a loop that is written as one that counts does not, where another type would make it
 * one. */
static void note_uncounted(struct lower *l, const struct counted *counted)
{
    struct diagnostic *d = diagnostics_add(
        l->diagnostics, DIAGNOSTIC_PERF, counted->range,
        "this loop is not counted, but tests its condition in each turn: %s", counted->why);
    diagnostics_hint(l->diagnostics, d, "counter, bound and step of type int or long are counted");
}

/* Whether C compares counter and bound as unsigned numbers, in which one below 0 is large. */
static bool compares_unsigned(enum ir_elem counter, enum ir_elem bound)
{
    int bits = ir_elems[bound].bits;
    return !ir_is_signed(bound) && bits >= 32 && bits >= ir_elems[counter].bits;
}

static bool may_be_below(struct value v, int64_t least)
{
    int64_t number;
    if (value_number(v, &number))
        return number < least;
    return !v.ir || ir_range(v.ir).least < least;
}

/* Whether a loop with an unsigned bound may compare it with a counter below 0: from the start on,
 * or, on the way down, because the last step leads there. */
static bool may_compare_negative(struct value start, struct value bound, struct value step,
                                 bool down, bool inclusive)
{
    int64_t length;
    if (may_be_below(start, 0))
        return true;
    return down && (!value_number(step, &length) || may_be_below(bound, length - !inclusive));
}

static enum counting count_loop(struct lower *l, const struct ast_statement *s,
                                const struct loop_effects *effects, struct counted *counted)
{
    const struct ast_count *count = s->loop.count;
    struct value start;
    bool counts = true, outer = is_outer(s);
    *counted =
        (struct counted){.name = count->counter,
                         .range = count->declared ? count->declared->range : count->condition_range,
                         .steps = count->others};
    if (effects->counter_assigned || is_changed(l, count->bound, effects) ||
        is_changed(l, count->step, effects) ||
        (outer && (effects->has_break || effects->has_return)) ||
        !count_start(l, count, &start, counted, &counts))
        return COUNTS_NOT;
    struct value last = uniform_integer(l, count->bound, "the bound", &counts);
    struct value end = to_bound(l, last);
    struct value step = positive_step(l, count, &counted->down, &counts);
    bool inclusive = count->relation == AST_LE || count->relation == AST_GE;
    bool poison = value_is_poison(start) || value_is_poison(end) || value_is_poison(step);
    if (!counts)
        counted->why = "what it counts with is floating";
    if (counts && !poison && compares_unsigned(counted->nominal, value_elem(last)) &&
        may_compare_negative(start, end, step, counted->down, inclusive)) {
        counted->why = "its bound is unsigned, and its counter may be below 0";
        counts = false;
    }
    int64_t number;
    if (inclusive && value_number(end, &number) && number == INT64_MAX)
        return COUNTS_NOT; /* the condition never fails */
    if (!counts || (outer && !step.constant && !value_is_poison(step)))
        return COUNTS_NOT;
    if (poison || !check_direction(l, count, counted->down))
        return COUNT_WRONG;
    l->b.range = count->condition_range;
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
    return COUNTS;
}

/* Declares the counter, which is i or start - i. */
static void declare_counter(struct lower *l, const struct counted *counted, struct ir_value *i)
{
    if (!counted->name)
        return;
    struct value v = value_index(i, counted->nominal);
    l->b.range = counted->range;
    if (counted->down)
        v = index_binary(l, IR_OP_SUB, counted->start, v);
    v.nominal = counted->nominal;
    lower_add_variable(l, VARIABLE_COUNTER, counted->name, counted->range,
                       ir_scalar(counted->nominal), v);
}

/* What the counter holds behind the loop, for a constant step. */
static struct value counter_behind(struct lower *l, const struct counted *counted)
{
    struct value lo = counted->lo, end;
    if (counted->step.bits == 1) {
        end = index_binary(l, IR_OP_MAXIMUM, lo, counted->hi);
    } else {
        struct value way = index_binary(l, IR_OP_SUB, counted->hi, lo);
        struct value less = value_index_constant((int64_t)counted->step.bits - 1);
        way = index_binary(l, IR_OP_ADD, way, less);
        way = index_binary(l, IR_OP_MAXIMUM, way, value_index_constant(0));
        way = index_binary(l, IR_OP_DIV, way, counted->step);
        way = index_binary(l, IR_OP_MUL, way, counted->step);
        end = index_binary(l, IR_OP_ADD, lo, way);
    }
    if (counted->down)
        end = index_binary(l, IR_OP_SUB, counted->start, end);
    end.nominal = counted->nominal;
    return end;
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
        const char *name = counted->down ? NULL : counted->name;
        struct ir_value *i = ir_region_add_argument(l->b.func, region, ir_scalar(IR_I64), name);
        carry_enter(l, carry, region);
        declare_counter(l, counted, i);
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
    struct value condition = counted ? below_bound(l, counted, i) : condition_of(l, s);
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
            declare_counter(l, counted, i);
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
        operands[0] = lower_ir(l, next_place(l, counted, i));
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

/* ---- Turns that are known ------------------------------------------------------------------ */

enum { MOST_TURNS_TRIED = 64 }; /* more than 64 doublings no loop makes */

/* Makes what the steps assign known, or says that it is not. */
static bool know_variables(struct lower *l, const struct loop_effects *steps)
{
    for (int i = 0; i < steps->count; i++) {
        struct variable *variable = &l->variables.items[steps->variables[i]];
        struct value v = variable->value;
        uint64_t bits = v.bits;
        if (!value_is_number(v) || v.type.rank > 0 || v.weak ||
            !(v.constant || (v.ir && ir_constant_bits(v.ir, &bits))))
            return false;
        struct value known = value_constant(value_elem(v), bits);
        known.index = v.index;
        known.nominal = v.nominal;
        variable->value = known;
    }
    return true;
}

/* What a body assigns is not known behind its first turn, whatever it is in front of it. */
static void forget_variables(struct lower *l, const struct loop_effects *body)
{
    for (int i = 0; i < body->count; i++) {
        struct value *v = &l->variables.items[body->variables[i]].value;
        if (v->kind == VALUE_DATA)
            *v = value_like(*v, ir_region_add_argument(l->b.func, l->b.region, v->type, NULL));
    }
}

/* Tries the condition and the steps until the condition does not hold; -1: it is not known. */
static int64_t try_turns(struct lower *l, const struct ast_statement *s,
                         const struct loop_effects *steps)
{
    for (int64_t turns = 0; turns <= MOST_TURNS_TRIED && !l->stopped; turns++) {
        struct value goes_on = lower_condition(l, s->loop.condition, "for");
        if (!goes_on.constant)
            return -1;
        if (!goes_on.bits)
            return turns;
        lower_statement(l, s->loop.steps);
        for (int i = 0; i < steps->count; i++) {
            if (!l->variables.items[steps->variables[i]].value.constant)
                return -1;
        }
    }
    return -1;
}

/* The turns of a loop whose condition and steps hang on constants alone: `for (k = 1; k < 64; k *=
 * 2)`; -1: they are not known. What is tried leaves nothing behind. */
static int64_t known_turns(struct lower *l, const struct ast_statement *s,
                           const struct loop_effects *effects)
{
    if (!s->loop.condition || !s->loop.steps || effects->has_break || effects->has_return)
        return -1;
    struct loop_effects steps = lower_loop_effects(l, s->loop.steps);
    struct loop_effects body = lower_loop_effects(l, s->loop.body);
    size_t count = (size_t)effects->count;
    struct value *before = ARENA_ARRAY(l->arena, struct value, count);
    struct source_range *placed = ARENA_ARRAY(l->arena, struct source_range, count);
    for (size_t i = 0; i < count; i++) {
        before[i] = l->variables.items[effects->variables[i]].value;
        placed[i] = l->variables.items[effects->variables[i]].placed;
    }
    struct checkpoint checkpoint = lower_mark(l);
    struct ir_builder outside;
    bool folds = l->frame->folds;
    lower_open_region(l, &outside);
    l->frame->folds = true;
    forget_variables(l, &body);
    int64_t turns = know_variables(l, &steps) ? try_turns(l, s, &steps) : -1;
    l->frame->folds = folds;
    l->b = outside;
    for (size_t i = 0; i < count; i++) {
        l->variables.items[effects->variables[i]].value = before[i];
        l->variables.items[effects->variables[i]].placed = placed[i];
    }
    if (!l->stopped)
        lower_undo(l, &checkpoint);
    return turns;
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
    int64_t turns = known_turns(l, s, &effects);
    if (turns >= 0) {
        struct counted counted = {.lo = value_index_constant(0),
                                  .hi = value_index_constant(turns),
                                  .step = value_index_constant(1),
                                  .steps = s->loop.steps};
        loop(l, s, &counted, &effects);
        return;
    }
    if (tried->why)
        note_uncounted(l, tried);
    loop(l, s, NULL, &effects);
    end_forever(l, s->loop.condition, &effects, errors);
}

/* Tries to make it one that counts; false, with nothing left behind but *counted: it does not. */
static bool counted_for(struct lower *l, const struct ast_statement *s, struct counted *counted)
{
    struct loop_effects effects = lower_count_effects(l, s);
    struct checkpoint checkpoint = lower_mark(l);
    struct ir_builder outside;
    struct ir_region *region = lower_open_region(l, &outside);
    enum counting counting = count_loop(l, s, &effects, counted);
    struct source_range range = l->b.range;
    l->b = outside;
    if (counting == COUNTS_NOT) {
        if (!l->stopped)
            lower_undo(l, &checkpoint);
        return false;
    }
    l->b.range = range;
    lower_splice(l, region);
    if (counting == COUNT_WRONG) {
        /* Go on with the body, for the errors in it. */
        counted->lo = counted->hi = counted->step = value_index_constant(1);
        counted->down = false;
        counted->nominal = IR_I32;
    }
    struct variable *outer = is_outer(s) ? lower_find_variable(l, s->loop.count->counter) : NULL;
    size_t index = outer ? (size_t)(outer - l->variables.items) : 0;
    loop(l, s, counted, &effects);
    if (outer) {
        l->b.range = s->range;
        l->variables.items[index].value = counter_behind(l, counted);
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
