/*
 * The counter of a loop that counts: what it holds in a turn and behind the loop, and how many turns lead
 * there, without arithmetic that could wrap.
 */
#include "lang/lower_count.h"

struct value lower_index_binary(struct lower *l, enum ir_opcode code, struct value x,
                                struct value y)
{
    struct value operands[] = {x, y};
    return lower_elementwise(l, l->b.range, code, operands, 2);
}

struct ir_interval lower_interval(struct value v)
{
    int64_t number;
    if (value_number(v, &number))
        return (struct ir_interval){number, number};
    return v.ir ? ir_range(v.ir) : (struct ir_interval){INT64_MIN, INT64_MAX};
}

bool lower_may_pass(struct value from, struct value to)
{
    int64_t way;
    return __builtin_sub_overflow(lower_interval(to).most, lower_interval(from).least, &way);
}

/* ---- Turns ---------------------------------------------------------------------------------- */

static struct value as_unsigned(struct lower *l, struct value v)
{
    return lower_convert(l, v, IR_U64);
}

struct value lower_turns_between(struct lower *l, struct value from, struct value to,
                                 struct value step, bool inclusive)
{
    struct value goes = lower_index_binary(l, inclusive ? IR_OP_GE : IR_OP_GT, to, from);
    struct value way = lower_index_binary(l, IR_OP_SUB, as_unsigned(l, to), as_unsigned(l, from));
    if (!inclusive)
        way = lower_index_binary(l, IR_OP_SUB, way, value_constant(IR_U64, 1));
    if (!step.constant || step.bits != 1)
        way = lower_index_binary(l, IR_OP_DIV, way, as_unsigned(l, step));
    way = lower_index_binary(l, IR_OP_MINIMUM, way, value_constant(IR_U64, INT64_MAX - 1));
    way = lower_index_binary(l, IR_OP_ADD, way, value_constant(IR_U64, 1));
    struct value chosen[] = {goes, lower_to_index(l, way), value_index_constant(0)};
    return lower_elementwise(l, l->b.range, IR_OP_SELECT, chosen, 3);
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
        way = lower_index_binary(l, IR_OP_MUL, way, stride);
    way = lower_index_binary(l, counted->down ? IR_OP_SUB : IR_OP_ADD, start, way);
    return lower_to_index(l, way);
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
        v = lower_index_binary(l, IR_OP_SUB, counted->start, v);
    v.nominal = counted->nominal;
    lower_add_variable(l, VARIABLE_COUNTER, counted->name, counted->range,
                       ir_scalar(counted->nominal), v);
}

/* i < hi; a run-time step that is not positive makes no turn, as in `for`. */
struct value lower_below_bound(struct lower *l, const struct counted *counted, struct ir_value *i)
{
    struct value below = lower_index_binary(l, IR_OP_LT, value_index(i, IR_I64), counted->hi);
    if (counted->step.constant)
        return below;
    struct value forward = lower_index_binary(l, IR_OP_GT, counted->step, value_index_constant(0));
    return lower_index_binary(l, IR_OP_AND, below, forward);
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
        struct value least = lower_index_binary(l, IR_OP_MAXIMUM, place, value_index_constant(0));
        struct value most = value_index_constant(INT64_MAX);
        step = lower_index_binary(l, IR_OP_MINIMUM, step,
                                  lower_index_binary(l, IR_OP_SUB, most, least));
    }
    return lower_index_binary(l, IR_OP_ADD, place, step);
}

/* lo and the steps from there that reach hi. */
static struct value reached(struct lower *l, struct value lo, struct value hi, struct value step)
{
    if (step.bits == 1)
        return lower_index_binary(l, IR_OP_MAXIMUM, lo, hi);
    if (lower_may_pass(lo, hi)) {
        struct counted way = {.start = lo, .stride = step, .is_long = true};
        return place_of_turn(l, &way, lower_turns_between(l, lo, hi, step, false));
    }
    struct value way = lower_index_binary(l, IR_OP_SUB, hi, lo);
    way = lower_index_binary(l, IR_OP_ADD, way, value_index_constant((int64_t)step.bits - 1));
    way = lower_index_binary(l, IR_OP_MAXIMUM, way, value_index_constant(0));
    way = lower_index_binary(l, IR_OP_DIV, way, step);
    way = lower_index_binary(l, IR_OP_MUL, way, step);
    return lower_index_binary(l, IR_OP_ADD, lo, way);
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
        end = lower_index_binary(l, IR_OP_SUB, counted->start, end);
    end.nominal = counted->nominal;
    return end;
}
