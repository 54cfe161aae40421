/*
 * For loops that count: which do, and from where to where.
 *
 * A loop counts up from 0 or from its start in 64 bits, whatever C's counter does: the form of
 * `for` in Tile IR. Where that could wrap, because all of start, bound and step may be as large as
 * a long can be, it counts its turns.
 */
#include "lang/lower_count.h"

#include <string.h>

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
        v = lower_index_binary(l, IR_OP_MINIMUM, v, value_constant(IR_U64, INT64_MAX));
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
        n = lower_index_binary(l, IR_OP_MINIMUM, n, value_index_constant(INT64_MAX - 1));
    return lower_index_binary(l, IR_OP_ADD, n, value_index_constant(1));
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
bool lower_is_outer_counter(const struct ast_statement *s)
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
void lower_note_uncounted(struct lower *l, const struct counted *counted)
{
    struct diagnostic *d = diagnostics_add(
        l->diagnostics, DIAGNOSTIC_PERF, counted->range,
        "this loop is not counted, but tests its condition in each turn: %s", counted->why);
    diagnostics_hint(l->diagnostics, d, "%s",
                     counted->instead ? counted->instead
                                      : "counter, bound and step of type int or long are counted");
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

/* ---- Ways that are too long ---------------------------------------------------------------- */

/* A loop of so many steps of at most so many places does not end in any lifetime, so that nobody
 * sees how it ends. */
enum { SHORT_STEP = 1 << 16 };
static const int64_t far_place = INT64_C(1) << 62;

static bool is_short(struct value step)
{
    int64_t number;
    return value_number(step, &number) && number <= SHORT_STEP;
}

static bool needs_turns(struct value start, struct value end, struct value step, bool down,
                        bool inclusive)
{
    struct ir_interval from = lower_interval(start), to = lower_interval(end);
    if (!down) /* else the only place that is left out is the greatest of all */
        return inclusive && to.most == INT64_MAX && (from.most > far_place || !is_short(step));
    int64_t way;
    if (lower_may_pass(end, start) || (inclusive && to.least == INT64_MIN))
        return true;
    __builtin_sub_overflow(from.most, to.least, &way);
    return inclusive && way == INT64_MAX && !is_short(step);
}

/* A step that is not positive makes no turn, and the checker says so: `for` sees it. */
static void count_turns(struct lower *l, struct counted *counted, struct value end,
                        struct value step, bool inclusive)
{
    struct value one = value_index_constant(1), from = counted->start, to = end;
    counted->by_turns = true;
    counted->stride = step;
    if (!step.constant)
        counted->stride = lower_index_binary(l, IR_OP_MAXIMUM, step, one);
    counted->step = step.constant ? one : lower_index_binary(l, IR_OP_MINIMUM, step, one);
    counted->lo = value_index_constant(0);
    if (counted->down) {
        from = end;
        to = counted->start;
    }
    counted->is_long = lower_may_pass(from, to);
    counted->hi = lower_turns_between(l, from, to, counted->stride, inclusive);
}

/* start - end, and not what that wraps to where there is no way down. */
static struct value way_down(struct lower *l, struct value start, struct value end, bool inclusive)
{
    int64_t way;
    struct value last = end;
    if (inclusive &&
        __builtin_sub_overflow(lower_interval(start).least, lower_interval(end).most, &way))
        last = lower_index_binary(l, IR_OP_SUB, end, value_index_constant(1));
    if (__builtin_sub_overflow(lower_interval(start).least, lower_interval(end).most, &way))
        start = lower_index_binary(l, IR_OP_MAXIMUM, start, last);
    return lower_index_binary(l, IR_OP_SUB, start, end);
}

enum counting lower_count_loop(struct lower *l, const struct ast_statement *s,
                               const struct loop_effects *effects, struct counted *counted)
{
    const struct ast_count *count = s->loop.count;
    struct value start;
    bool counts = true, outer = lower_is_outer_counter(s);
    *counted =
        (struct counted){.name = count->counter,
                         .range = count->declared ? count->declared->range : count->condition_range,
                         .steps = count->others};
    if (effects->counter_assigned || is_changed(l, count->bound, effects) ||
        is_changed(l, count->step, effects) ||
        (outer && (effects->has_break || effects->has_return)) ||
        !count_start(l, count, &start, counted, &counts))
        return COUNTS_NOT;
    struct ir_op *before = l->b.region->last;
    struct value last = uniform_integer(l, count->bound, "the bound", &counts);
    struct value end = to_bound(l, last);
    struct value step = positive_step(l, count, &counted->down, &counts);
    if (!lower_note_reads(l, counted, before ? before->next : l->b.region->first))
        return COUNTS_NOT; /* what they write, they write in each turn */
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
    counted->start = start;
    if (needs_turns(start, end, step, counted->down, inclusive)) {
        count_turns(l, counted, end, step, inclusive);
        return COUNTS;
    }
    counted->lo = counted->down ? value_index_constant(0) : start;
    counted->hi = counted->down ? way_down(l, start, end, inclusive) : end;
    if (inclusive)
        counted->hi = one_more(l, counted->hi);
    counted->step = step;
    return COUNTS;
}
