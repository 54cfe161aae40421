/*
 * For loops that count: which do, from where to where, and what their counter holds.
 *
 * A loop counts up from 0 or from its start in 64 bits, whatever C's counter does: the form of
 * `for` in Tile IR. Where that could wrap, because all of start, bound and step may be as large as
 * a long can be, it counts its turns. Where all that another loop counts by is known, its turns are
 * tried here, and counted.
 */
#include "lang/lower_count.h"

#include "ir/affine.h"

#include <string.h>

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

/* ---- Bounds in memory ---------------------------------------------------------------------- */

/* C reads bound and step anew in each turn; a loop that counts reads them once, and so must leave
 * that memory alone. Two parameters of the kernel are taken to be two arrays. */

static bool touches_memory(const struct ir_op *op, unsigned reads_or_writes)
{
    return (ir_ops[op->code].flags & reads_or_writes) && op->code != IR_OP_ASSERT &&
           op->code != IR_OP_PRINT;
}

/* The parameter that an address was made from; NULL: it is not known. */
static const struct ir_value *root_of(const struct ir_value *pointer)
{
    while (pointer->op &&
           (pointer->op->code == IR_OP_ADDPTR || pointer->op->code == IR_OP_BROADCAST))
        pointer = pointer->op->operands[0];
    return !pointer->op && pointer->region && !pointer->region->parent ? pointer : NULL;
}

struct reads {
    struct lower *l;
    struct counted *counted;
    bool writes;
};

static bool note_read(struct ir_op *op, void *user)
{
    struct reads *reads = user;
    const struct ir_op *read = op;
    if (touches_memory(op, IR_READS))
        ARENA_PUSH(reads->l->arena, &reads->counted->reads, read);
    reads->writes = reads->writes || touches_memory(op, IR_WRITES);
    return true;
}

/* Notes what the ops from first on read, in themselves and their regions. False: they write too. */
static bool note_reads(struct lower *l, struct counted *counted, struct ir_op *first)
{
    struct reads reads = {.l = l, .counted = counted};
    for (struct ir_op *op = first; op; op = op->next) {
        note_read(op, &reads);
        for (int i = 0; i < op->region_count; i++)
            ir_walk(op->regions[i], note_read, &reads);
    }
    return !reads.writes;
}

/* False, which ends the walk: this may write what is read. */
static bool is_other_write(struct ir_op *op, void *user)
{
    const struct counted *counted = user;
    if (!touches_memory(op, IR_WRITES))
        return true;
    const struct ir_value *written = root_of(op->operands[0]);
    for (size_t i = 0; i < counted->reads.count; i++) {
        const struct ir_value *read = root_of(counted->reads.items[i]->operands[0]);
        if (!written || !read || written == read)
            return false;
    }
    return true;
}

bool lower_changes_bound(struct counted *counted, struct ir_region *region)
{
    if (counted->reads.count == 0 || ir_walk(region, is_other_write, counted))
        return false;
    counted->why = "its bound or step is read from memory that the loop may write";
    counted->instead = "where it stays the same, read it into a variable in front of the loop";
    return true;
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

static struct ir_interval interval_of(struct value v)
{
    int64_t number;
    if (value_number(v, &number))
        return (struct ir_interval){number, number};
    return v.ir ? ir_range(v.ir) : (struct ir_interval){INT64_MIN, INT64_MAX};
}

static bool is_short(struct value step)
{
    int64_t number;
    return value_number(step, &number) && number <= SHORT_STEP;
}

/* Whether the way from one to the other, as a difference, may be too long for 64 bits. */
static bool may_pass(struct value from, struct value to)
{
    int64_t way;
    return __builtin_sub_overflow(interval_of(to).most, interval_of(from).least, &way);
}

static bool needs_turns(struct value start, struct value end, struct value step, bool down,
                        bool inclusive)
{
    struct ir_interval from = interval_of(start), to = interval_of(end);
    if (!down) /* else the only place that is left out is the greatest of all */
        return inclusive && to.most == INT64_MAX && (from.most > far_place || !is_short(step));
    int64_t way;
    if (may_pass(end, start) || (inclusive && to.least == INT64_MIN))
        return true;
    __builtin_sub_overflow(from.most, to.least, &way);
    return inclusive && way == INT64_MAX && !is_short(step);
}

static struct value as_unsigned(struct lower *l, struct value v)
{
    return lower_convert(l, v, IR_U64);
}

/* How many steps lead from one place to the other, or beyond it; inclusive: one more where the
 * last leads just there. In unsigned numbers, which hold every way. The step is at least 1. */
static struct value turns_between(struct lower *l, struct value from, struct value to,
                                  struct value step, bool inclusive)
{
    struct value goes = index_binary(l, inclusive ? IR_OP_GE : IR_OP_GT, to, from);
    struct value way = index_binary(l, IR_OP_SUB, as_unsigned(l, to), as_unsigned(l, from));
    if (!inclusive)
        way = index_binary(l, IR_OP_SUB, way, value_constant(IR_U64, 1));
    if (!step.constant || step.bits != 1)
        way = index_binary(l, IR_OP_DIV, way, as_unsigned(l, step));
    way = index_binary(l, IR_OP_MINIMUM, way, value_constant(IR_U64, INT64_MAX - 1));
    way = index_binary(l, IR_OP_ADD, way, value_constant(IR_U64, 1));
    struct value chosen[] = {goes, lower_to_index(l, way), value_index_constant(0)};
    return lower_elementwise(l, l->b.range, IR_OP_SELECT, chosen, 3);
}

/* A step that is not positive makes no turn, and the checker says so: `for` sees it. */
static void count_turns(struct lower *l, struct counted *counted, struct value end,
                        struct value step, bool inclusive)
{
    struct value one = value_index_constant(1), from = counted->start, to = end;
    counted->by_turns = true;
    counted->stride = step;
    if (!step.constant)
        counted->stride = index_binary(l, IR_OP_MAXIMUM, step, one);
    counted->step = step.constant ? one : index_binary(l, IR_OP_MINIMUM, step, one);
    counted->lo = value_index_constant(0);
    if (counted->down) {
        from = end;
        to = counted->start;
    }
    counted->is_long = may_pass(from, to);
    counted->hi = turns_between(l, from, to, counted->stride, inclusive);
}

/* Where i turns are done; in unsigned numbers, if the way there may be too long for others. */
static struct value place_of_turn(struct lower *l, const struct counted *counted, struct value i)
{
    struct value start = counted->start, stride = counted->stride, way = i;
    if (counted->is_long) {
        start = as_unsigned(l, start);
        stride = as_unsigned(l, stride);
        way = as_unsigned(l, i);
    }
    if (!stride.constant || stride.bits != 1)
        way = index_binary(l, IR_OP_MUL, way, stride);
    way = index_binary(l, counted->down ? IR_OP_SUB : IR_OP_ADD, start, way);
    return lower_to_index(l, way);
}

/* start - end, and not what that wraps to where there is no way down. */
static struct value way_down(struct lower *l, struct value start, struct value end, bool inclusive)
{
    int64_t way;
    struct value last = end;
    if (inclusive && __builtin_sub_overflow(interval_of(start).least, interval_of(end).most, &way))
        last = index_binary(l, IR_OP_SUB, end, value_index_constant(1));
    if (__builtin_sub_overflow(interval_of(start).least, interval_of(end).most, &way))
        start = index_binary(l, IR_OP_MAXIMUM, start, last);
    return index_binary(l, IR_OP_SUB, start, end);
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
    if (!note_reads(l, counted, before ? before->next : l->b.region->first))
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

/* ---- The counter --------------------------------------------------------------------------- */

/* Declares the counter, which is i or start - i. */
void lower_declare_counter(struct lower *l, const struct counted *counted, struct ir_value *i)
{
    if (!counted->name)
        return;
    struct value v = value_index(i, counted->nominal);
    l->b.range = counted->range;
    if (counted->by_turns)
        v = place_of_turn(l, counted, v);
    else if (counted->down)
        v = index_binary(l, IR_OP_SUB, counted->start, v);
    v.nominal = counted->nominal;
    lower_add_variable(l, VARIABLE_COUNTER, counted->name, counted->range,
                       ir_scalar(counted->nominal), v);
}

/* i < hi; a run-time step that is not positive makes no turn, as in `for`. */
struct value lower_below_bound(struct lower *l, const struct counted *counted, struct ir_value *i)
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
struct value lower_next_place(struct lower *l, const struct counted *counted, struct ir_value *i)
{
    struct value place = value_index(i, IR_I64), step = counted->step;
    if (!stays_in_range(counted)) {
        struct value least = index_binary(l, IR_OP_MAXIMUM, place, value_index_constant(0));
        struct value most = value_index_constant(INT64_MAX);
        step = index_binary(l, IR_OP_MINIMUM, step, index_binary(l, IR_OP_SUB, most, least));
    }
    return index_binary(l, IR_OP_ADD, place, step);
}

/* lo and the steps from there that reach hi. */
static struct value reached(struct lower *l, struct value lo, struct value hi, struct value step)
{
    if (step.bits == 1)
        return index_binary(l, IR_OP_MAXIMUM, lo, hi);
    if (may_pass(lo, hi)) {
        struct counted way = {.start = lo, .stride = step, .is_long = true};
        return place_of_turn(l, &way, turns_between(l, lo, hi, step, false));
    }
    struct value way = index_binary(l, IR_OP_SUB, hi, lo);
    way = index_binary(l, IR_OP_ADD, way, value_index_constant((int64_t)step.bits - 1));
    way = index_binary(l, IR_OP_MAXIMUM, way, value_index_constant(0));
    way = index_binary(l, IR_OP_DIV, way, step);
    way = index_binary(l, IR_OP_MUL, way, step);
    return index_binary(l, IR_OP_ADD, lo, way);
}

/* What the counter holds behind the loop, for a constant step. */
struct value lower_counter_behind(struct lower *l, const struct counted *counted)
{
    struct value end;
    if (counted->by_turns)
        end = place_of_turn(l, counted, counted->hi);
    else
        end = reached(l, counted->lo, counted->hi, counted->step);
    if (counted->down && !counted->by_turns)
        end = index_binary(l, IR_OP_SUB, counted->start, end);
    end.nominal = counted->nominal;
    return end;
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
int64_t lower_known_turns(struct lower *l, const struct ast_statement *s,
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
