/*
 * unroll_carrying_loops: a loop that carries tiles makes a few trips at a time.
 *
 *   %r = for %i = %lo to %hi step 1 carry (%a = %x) {
 *     ... %b
 *     yield %b
 *   }
 * ->
 *   %end = %lo + (trips - trips % 4) * 1
 *   %p = for %i = %lo to %end step 4 carry (%a = %x) {
 *     ... four times, at %i, %i + 1, %i + 2 and %i + 3
 *     yield %b3
 *   }
 *   %r = for %i = %end to %hi step 1 carry (%a = %p) {
 *     ... as it was
 *   }
 *
 * Why it is right. The copies stand in the order of the trips; the second loop goes on where the
 * first one ended, so that trips and their order are those of the loop. %end is at most %hi, so
 * that no counter is computed that the loop does not have; it is computed in 64 bits, which cannot
 * wrap as the first value lies within 2^58 and the bound is cut to 2^60 for it.
 *
 * What it is for, and which loops: trips.c. A loop of few known trips is unrolled whole before
 * (unroll_short_loops). With it go the copies of tiles that take turns, `before = now; now =
 * next;`: an even number of trips leaves each where it was.
 *
 * A loop that goes on where another one ended, or after which another one does so with another
 * step, is what this pass makes or split_masked_loops leaves for the last trips: it stays.
 */
#include "ir/affine.h"
#include "opt/pass.h"

enum { MOST_AT_A_TIME = 8, MOST_OPS = 64 };

/* A tile of few vectors is written and read again within the time that a store takes to reach a
 * load, which each trip then waits for: more ops are worth a trip less of that. */
enum { FEW_BYTES = 512, MOST_OPS_OF_FEW = 192 };

static const int64_t FAR = INT64_C(1) << 60, NEAR = INT64_C(1) << 58;

struct unroll {
    struct pass_context *context;
    struct ir_func *func;
    int op_count; /* in the function */
    bool changed;
};

/* ---- which loops ----------------------------------------------------------------------------- */

/* Whether `next` goes on where the loop ends, with what it carried. */
static bool goes_on(const struct ir_op *next, const struct ir_op *loop)
{
    if (next->code != IR_OP_FOR || next->operands[0] != loop->operands[1] ||
        next->result_count != loop->result_count)
        return false;
    for (int i = 0; i < loop->result_count; i++)
        if (next->operands[3 + i] != loop->results[i])
            return false;
    return true;
}

static bool is_part(const struct ir_op *loop)
{
    for (const struct ir_op *op = loop->previous; op; op = op->previous)
        if (op->code == IR_OP_FOR && goes_on(loop, op))
            return true;
    for (const struct ir_op *op = loop->next; op; op = op->next)
        if (goes_on(op, loop) && op->operands[2] != loop->operands[2])
            return true;
    return false;
}

static int most_ops(const struct ir_op *loop)
{
    for (int i = 0; i < loop->result_count; i++) {
        struct ir_type type = loop->results[i]->type;
        if (ir_element_count(type) * ir_elem_bytes((enum ir_elem)type.elem) > FEW_BYTES)
            return MOST_OPS;
    }
    return MOST_OPS_OF_FEW;
}

/* How many trips at a time; 0: the loop stays. */
static int trips_at_a_time(const struct unroll *u, const struct ir_op *loop, int *op_count)
{
    int64_t step;
    struct ir_interval lo = ir_range(loop->operands[0]);
    if (!ir_constant_int(loop->operands[2], &step) || step <= 0 || step > INT32_MAX ||
        lo.least < -NEAR || lo.most > NEAR || !pass_carries_tile(loop) || is_part(loop))
        return 0;
    for (int trips = MOST_AT_A_TIME; trips > 1; trips /= 2)
        if (pass_is_one_nest(u->context, u->func, loop, trips, most_ops(loop), false, op_count))
            return trips;
    return 0;
}

/* ---- unrolling ------------------------------------------------------------------------------- */

/* The first counter value that is left for the second loop. */
static struct ir_value *build_end(struct ir_builder *b, const struct ir_op *loop, int trips)
{
    struct ir_value *lo = loop->operands[0], *hi = loop->operands[1], *step = loop->operands[2];
    struct ir_value *many = ir_constant_i64(b, trips);
    if (ir_range(hi).most > FAR)
        hi = ir_binary(b, IR_OP_MINIMUM, hi, ir_constant_i64(b, FAR));
    hi = ir_binary(b, IR_OP_MAXIMUM, hi, lo);
    struct ir_value *all = ir_binary(b, IR_OP_CDIV, ir_binary(b, IR_OP_SUB, hi, lo), step);
    all = ir_binary(b, IR_OP_MUL, ir_binary(b, IR_OP_DIV, all, many), many);
    return ir_binary(b, IR_OP_ADD, lo, ir_binary(b, IR_OP_MUL, all, step));
}

static void unroll_loop(struct unroll *u, struct ir_op *loop, int trips)
{
    struct ir_builder b = pass_builder(u->func, loop);
    struct ir_region *body = loop->regions[0];
    int count = loop->result_count;
    int64_t step = 0;
    struct ir_type *types = ARENA_ARRAY(u->func->arena, struct ir_type, (size_t)count);
    struct ir_value **values = ARENA_ARRAY(u->func->arena, struct ir_value *, (size_t)count + 3);
    ir_constant_int(loop->operands[2], &step);
    values[0] = loop->operands[0];
    values[1] = build_end(&b, loop, trips);
    values[2] = ir_constant_i64(&b, trips * step);
    for (int i = 0; i < count; i++) {
        values[3 + i] = loop->operands[3 + i];
        types[i] = loop->results[i]->type;
    }
    struct ir_op *first = ir_build(&b, IR_OP_FOR, 3 + count, values, count, types, 1, NULL);
    loop->operands[0] = values[1];
    for (int i = 0; i < body->argument_count; i++) {
        struct ir_value *argument = ir_region_add_argument(
            u->func, first->regions[0], body->arguments[i]->type, body->arguments[i]->name);
        if (i > 0)
            values[i - 1] = argument;
    }
    struct ir_builder inner = {.func = u->func, .region = first->regions[0], .range = b.range};
    struct ir_value *counter = first->regions[0]->arguments[0];
    for (int trip = 0; trip < trips; trip++) {
        struct ir_value *at = counter;
        if (trip > 0)
            at = ir_binary(&inner, IR_OP_ADD, counter, ir_constant_i64(&inner, trip * step));
        pass_copy_trip(&inner, body, at, values);
    }
    inner.range = body->last->range;
    ir_build(&inner, IR_OP_YIELD, count, values, 0, NULL, 0, NULL);
    for (int i = 0; i < count; i++) {
        first->results[i]->name = loop->results[i]->name;
        loop->operands[3 + i] = first->results[i];
    }
    u->changed = true;
}

/* Loops that stand in others are enough: who has one inside is none that unrolling helps. */
static void unroll_region(struct unroll *u, struct ir_region *region)
{
    struct ir_op *next;
    for (struct ir_op *op = region->first; op; op = next) {
        int op_count = 0;
        next = op->next;
        for (int i = 0; i < op->region_count; i++)
            unroll_region(u, op->regions[i]);
        int trips = op->code == IR_OP_FOR ? trips_at_a_time(u, op, &op_count) : 0;
        if (trips > 0 && u->op_count + op_count * trips <= PASS_MOST_OPS) {
            u->op_count += op_count * trips;
            unroll_loop(u, op, trips);
        }
    }
}

bool pass_unroll_carrying_loops(struct pass_context *context, struct ir_func *func)
{
    struct unroll u = {.context = context, .func = func};
    if (!context->carries_in_memory)
        return false;
    u.op_count = pass_prepare_trips(func);
    unroll_region(&u, func->body);
    return u.changed;
}
