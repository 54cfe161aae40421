/*
 * unroll_short_loops: a short loop that carries tiles becomes its trips, one behind the other.
 *
 *   %r = for %i = 0 to 3 step 1 carry (%a = %x) : f32[1024] {      %b0 = mul %x, %f
 *     %b = mul %a, %f                                         ->   %b1 = mul %b0, %f
 *     yield %b                                                     %b2 = mul %b1, %f
 *   }                                                              (%b2 is %r)
 *
 * Why it is right. Both bounds and the step are constants, so the counter's values are known. Each
 * trip is a copy of the body in which the counter is its value and the carried values are what the
 * trip before it yielded; the copies stand in the order of the trips and keep theirs, so the order
 * of memory accesses and of floating-point operations is that of the loop, and every copy has the
 * source range of what it is a copy of.
 *
 * Which loops, and why: trips.c.
 */
#include "opt/pass.h"

enum { MOST_OPS = 512 }; /* of the trips together, constants not counted */

struct unroll {
    struct pass_context *context;
    struct ir_func *func;
    int op_count; /* in the function */
    bool pending; /* replacements are not applied yet */
    bool changed;
};

static void unroll_loop(struct unroll *u, struct ir_op *loop, int trips)
{
    struct ir_builder b = pass_builder(u->func, loop);
    int count = loop->result_count;
    struct ir_value **values = ARENA_ARRAY(u->context->arena, struct ir_value *, (size_t)count);
    int64_t first = 0, step = 0;
    ir_constant_int(loop->operands[0], &first);
    ir_constant_int(loop->operands[2], &step);
    for (int i = 0; i < count; i++)
        values[i] = loop->operands[3 + i];
    for (int trip = 0; trip < trips; trip++) {
        struct ir_value *counter = ir_constant_i64(&b, first + trip * step);
        pass_copy_trip(&b, loop->regions[0], counter, values);
    }
    for (int i = 0; i < count; i++)
        ir_replace(loop->results[i], values[i]);
    ir_remove(loop);
    u->pending = u->changed = true;
}

/* What an inner loop was replaced by is what the outer loop's copies must be made of. */
static void apply(struct unroll *u)
{
    if (u->pending)
        ir_apply_replacements(u->func);
    u->pending = false;
    ir_count_uses(u->func);
}

static void visit_loop(struct unroll *u, struct ir_op *loop)
{
    int trips = pass_short_trips(loop), op_count;
    if (trips == 0)
        return;
    if (u->pending)
        apply(u);
    if (!pass_carries_tile(loop) ||
        !pass_is_one_nest(u->context, u->func, loop, trips, MOST_OPS, true, &op_count) ||
        u->op_count + op_count * (trips - 1) > PASS_MOST_OPS)
        return;
    u->op_count += op_count * (trips - 1);
    unroll_loop(u, loop, trips);
}

/* Inner loops first. */
static void unroll_region(struct unroll *u, struct ir_region *region)
{
    struct ir_op *next;
    for (struct ir_op *op = region->first; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->region_count; i++)
            unroll_region(u, op->regions[i]);
        if (op->code == IR_OP_FOR)
            visit_loop(u, op);
    }
}

bool pass_unroll_short_loops(struct pass_context *context, struct ir_func *func)
{
    struct unroll u = {.context = context, .func = func};
    if (!context->unrolls)
        return false;
    u.op_count = pass_prepare_trips(func);
    unroll_region(&u, func->body);
    if (u.pending)
        ir_apply_replacements(func);
    return u.changed;
}
