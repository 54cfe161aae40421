/*
 * widen: the interior of a split loop takes several blocks at once, so that each thread has a
 * vector of neighbours. Tile IR to Tile IR, for loops whose block has one element per thread.
 *
 *   %a = for %i = 0 to %end step 256 carry (%s = %z) {       no masks
 *     %x = load X + %i + arange 0 to 256
 *     yield add %s, %x
 *   }
 *   %b = for %i = %end to %n step 256 carry (%s = %a) { ... masked ... }
 *   sum %b
 * ->
 *   %a = for %i = 0 to %e4 step 1024 carry (%s = %z) {       %e4: %end rounded down to 1024 trips
 *     %x = load X + %i + arange 0 to 1024
 *     yield add %s, (sum {axis 1} (reshape %x : [256, 4]))
 *   }
 *   %b = for %i = %e4 to %n step 256 carry (%s = %a) { ... masked ... }
 *
 * Why it is right. Trip t, element l of the old loop becomes element t * 256 + l of the new one, so
 * whatever depends on counter and range must depend on their sum alone: integer values are followed
 * as a * counter + b * range + what is the same for all; where such a value is used for anything
 * but sums, a and b must be equal. Stores keep their order only within a block, so the loop's
 * stores and other accesses must be of buffers that do not overlap. What a carried tile collects
 * may come to another element of it, and in another order: allowed where it is only ever reduced as
 * a whole by the op that collects it.
 */
#include "gpu/widen.h"

#include "gpu/apart.h"
#include "ir/affine.h"
#include "opt/pass.h"

/* What a value is, as the counter and the range grow. */
struct trend {
    int64_t counter, range; /* factors */
    bool mixed;             /* depends on counter + range in any way */
    bool bad;
};

struct widener {
    struct ir_func *func;
    const struct gpu_plan *plan;
    struct ir_op *loop, *tail;
    int32_t block;
    int factor;
    struct ir_builder b; /* of the new body */
    int *budget;         /* values that a question may still look at: each step may double them */
};

enum { TREND_DEPTH = 32, TREND_BUDGET = 4096 };

/* ---- trends ---------------------------------------------------------------------------------- */

static struct trend trend_of(const struct widener *w, const struct ir_value *value, int depth);

static bool is_plain(struct trend t)
{
    return !t.bad && t.counter == t.range;
}

static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static struct trend sum_of(struct trend x, struct trend y, int64_t sign)
{
    struct trend t = {.counter = x.counter + times(y.counter, sign),
                      .range = x.range + times(y.range, sign),
                      .mixed = x.mixed || y.mixed,
                      .bad = x.bad || y.bad};
    /* A mixed part does not compensate for the other. */
    t.bad = t.bad || (t.mixed && t.counter != t.range);
    return t;
}

/* Any op of what depends on the sum alone does, too. */
static struct trend any_of(const struct widener *w, const struct ir_op *op, int depth)
{
    struct trend t = {.bad = !ir_has(op, IR_ELEMENTWISE) || ir_has(op, IR_WRITES)};
    for (int i = 0; i < op->operand_count && !t.bad; i++) {
        struct trend x = trend_of(w, op->operands[i], depth);
        t.bad = !is_plain(x);
        t.mixed = t.mixed || x.mixed || x.counter != 0;
    }
    return t;
}

static struct trend op_trend(const struct widener *w, const struct ir_op *op, int depth)
{
    int64_t factor;
    struct trend t = {0};
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_PROGRAM_ID:
    case IR_OP_NUM_PROGRAMS:
        return t;
    case IR_OP_ARANGE:
        t.range = 1;
        t.bad = op->attributes.layout || op->attributes.end - op->attributes.begin != w->block;
        return t;
    case IR_OP_BROADCAST:
        if (op->operands[0]->type.rank > 0)
            break;
        return trend_of(w, op->operands[0], depth);
    case IR_OP_ADDPTR:
        return sum_of(trend_of(w, op->operands[0], depth), trend_of(w, op->operands[1], depth), 1);
    case IR_OP_ADD:
    case IR_OP_SUB:
        if (ir_is_float((enum ir_elem)op->results[0]->type.elem))
            break;
        return sum_of(trend_of(w, op->operands[0], depth), trend_of(w, op->operands[1], depth),
                      op->code == IR_OP_ADD ? 1 : -1);
    case IR_OP_MUL:
        if (!ir_is_float((enum ir_elem)op->results[0]->type.elem) &&
            ir_constant_int(op->operands[1], &factor)) {
            t = trend_of(w, op->operands[0], depth);
            t.counter = times(t.counter, factor);
            t.range = times(t.range, factor);
            return t;
        }
        break;
    default:
        break;
    }
    return any_of(w, op, depth);
}

static struct trend trend_of(const struct widener *w, const struct ir_value *value, int depth)
{
    const struct trend bad = {.bad = true};
    if (value == w->loop->regions[0]->arguments[0])
        return (struct trend){.counter = 1};
    if (value->type.rank == 0 && pass_is_outside(value, w->loop))
        return (struct trend){0};
    if (!value->op || depth == 0 || --*w->budget <= 0)
        return bad;
    /* A tile from outside that was loaded or carried cannot be made wider. */
    if (pass_is_outside(value, w->loop) && ir_has(value->op, IR_READS))
        return bad;
    return op_trend(w, value->op, depth - 1);
}

static bool has_plain_trend(const struct widener *w, const struct ir_value *value)
{
    *w->budget = TREND_BUDGET;
    return is_plain(trend_of(w, value, TREND_DEPTH));
}

/* ---- what is carried ------------------------------------------------------------------------- */

static int reduction_of(enum ir_opcode code, enum ir_elem elem)
{
    bool wide = elem == IR_F32 || elem == IR_F64 || elem == IR_I32 || elem == IR_I64 ||
                elem == IR_U32 || elem == IR_U64;
    switch (code) {
    case IR_OP_ADD:
    case IR_OP_FMA: /* the products are summed, each rounded once more */
        return wide ? IR_OP_SUM : -1;
    case IR_OP_MUL:
        return wide ? IR_OP_PROD : -1;
    case IR_OP_MAXIMUM:
        return elem == IR_BOOL ? -1 : IR_OP_MAX;
    case IR_OP_MINIMUM:
        return elem == IR_BOOL ? -1 : IR_OP_MIN;
    default:
        return -1;
    }
}

/* The op that collects into carried value k of the loop, if that is all that happens to it there.
 */
static const struct ir_op *collector(const struct widener *w, const struct ir_op *loop, int k)
{
    const struct ir_region *body = loop->regions[0];
    const struct ir_value *carried = body->arguments[1 + k], *next = body->last->operands[k];
    const struct ir_op *op = next->op;
    if (!op || op->parent != body || op->operand_count < 2 ||
        reduction_of(op->code, (enum ir_elem)next->type.elem) < 0)
        return NULL;
    if (op->code == IR_OP_FMA && op->operands[2] != carried)
        return NULL;
    return ir_only_user(w->func->body, carried) == op &&
                   ir_only_user(w->func->body, next) == body->last
               ? op
               : NULL;
}

/* What op collects besides the carried value; of an fma the product. */
static bool collects_plainly(const struct widener *w, const struct ir_op *op,
                             const struct ir_value *carried)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i] != carried && !has_plain_trend(w, op->operands[i]))
            return false;
    }
    return true;
}

static bool carried_is_fine(const struct widener *w, int k)
{
    const struct ir_op *here = collector(w, w->loop, k), *there;
    const struct ir_value *result = w->loop->results[k];
    if (result->type.rank != 1 || result->type.dims[0] != w->block || !here ||
        ir_only_user(w->func->body, result) != w->tail)
        return false;
    int at = 3;
    while (w->tail->operands[at] != result)
        at++;
    there = collector(w, w->tail, at - 3);
    const struct ir_op *user = ir_only_user(w->func->body, w->tail->results[at - 3]);
    return there && there->code == here->code && user && user->attributes.axis == -1 &&
           (int)user->code == reduction_of(here->code, (enum ir_elem)result->type.elem);
}

/* ---- whether a loop may be widened ----------------------------------------------------------- */

static bool is_block(const struct widener *w, struct ir_type type)
{
    return type.rank == 0 || (type.rank == 1 && type.dims[0] == w->block);
}

static bool op_is_fine(const struct widener *w, const struct ir_op *op)
{
    if (op->region_count > 0 || (ir_has(op, IR_READS) && ir_has(op, IR_WRITES)) ||
        op->code == IR_OP_PRINT || op->code == IR_OP_ASSERT)
        return false;
    for (int i = 0; i < op->result_count; i++) {
        if (!is_block(w, op->results[i]->type))
            return false;
    }
    if (ir_has(op, IR_WRITES)) {
        for (int i = 0; i < op->operand_count; i++) {
            if (op->operands[i]->type.rank == 0 || !has_plain_trend(w, op->operands[i]))
                return false;
        }
    }
    return ir_has(op, IR_ELEMENTWISE) || op->code == IR_OP_ARANGE || op->code == IR_OP_BROADCAST ||
           op->code == IR_OP_CONSTANT || op->code == IR_OP_PROGRAM_ID ||
           op->code == IR_OP_NUM_PROGRAMS;
}

static bool can_widen(const struct widener *w)
{
    const struct ir_region *body = w->loop->regions[0];
    bool has_access = false;
    for (const struct ir_op *op = body->first; op != body->last; op = op->next) {
        if (!op_is_fine(w, op))
            return false;
        has_access = has_access || ir_has(op, IR_READS) || ir_has(op, IR_WRITES);
    }
    for (int k = 0; k < w->loop->result_count; k++) {
        if (!carried_is_fine(w, k))
            return false;
        if (!collects_plainly(w, collector(w, w->loop, k), body->arguments[1 + k]))
            return false;
    }
    return has_access && gpu_accesses_are_apart(w->func, w->loop->regions[0]);
}

/* ---- widening -------------------------------------------------------------------------------- */

static struct ir_type wide_type(const struct widener *w, struct ir_type type)
{
    if (type.rank > 0)
        type.dims[0] *= w->factor;
    return type;
}

/* The value in the new body; data: what is there already. Tiles from outside are made anew. */
static struct ir_value *wide(struct widener *w, struct ir_value *value)
{
    if (value->data)
        return value->data;
    if (value->type.rank == 0 && pass_is_outside(value, w->loop))
        return value;
    struct ir_op *op = value->op;
    struct ir_value *operands[4];
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = wide(w, op->operands[i]);
    struct ir_attributes attributes = op->attributes;
    if (op->code == IR_OP_ARANGE)
        attributes.end = attributes.begin + (int64_t)w->block * w->factor;
    struct ir_type type = wide_type(w, value->type);
    struct ir_op *made = ir_build(&w->b, op->code, op->operand_count, operands, op->result_count,
                                  &type, 0, &attributes);
    made->results[0]->name = value->name;
    value->data = made->results[0];
    return value->data;
}

static void widen_store(struct widener *w, const struct ir_op *op)
{
    struct ir_value *operands[4];
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = wide(w, op->operands[i]);
    ir_build(&w->b, op->code, op->operand_count, operands, 0, NULL, 0, &op->attributes);
}

/* carried, combined with the factor elements of the wide tile that stand side by side */
static struct ir_value *collect(struct widener *w, int k, struct ir_value *carried)
{
    const struct ir_op *op = collector(w, w->loop, k);
    bool product = op->code == IR_OP_FMA;
    bool first = op->operands[0] == w->loop->regions[0]->arguments[1 + k];
    struct ir_value *x = wide(w, op->operands[product ? 0 : first]);
    if (product)
        x = ir_binary(&w->b, IR_OP_MUL, x, wide(w, op->operands[1]));
    struct ir_type folded = x->type;
    folded.rank = 2;
    folded.dims[0] = w->block;
    folded.dims[1] = w->factor;
    int code = reduction_of(op->code, (enum ir_elem)x->type.elem);
    x = ir_reduce(&w->b, (enum ir_opcode)code, ir_reshape(&w->b, x, folded), 1);
    return ir_binary(&w->b, product ? IR_OP_ADD : op->code, carried, x);
}

/* lo + (end - lo) / step * step, with end - lo >= 0 */
static struct ir_value *new_end(struct widener *w, int64_t step)
{
    struct ir_builder b = pass_builder(w->func, w->loop);
    struct ir_value *lo = w->loop->operands[0], *size = ir_constant_i64(&b, step);
    struct ir_value *length = ir_binary(&b, IR_OP_SUB, w->loop->operands[1], lo);
    struct ir_value *trips = ir_binary(&b, IR_OP_DIV, length, size);
    return ir_binary(&b, IR_OP_ADD, lo, ir_binary(&b, IR_OP_MUL, trips, size));
}

static void widen_loop(struct widener *w)
{
    const struct ir_region *from = w->loop->regions[0];
    int count = w->loop->result_count;
    int64_t step = (int64_t)w->block * w->factor;
    struct ir_builder outside = pass_builder(w->func, w->loop);
    struct ir_value *end = new_end(w, step);
    struct ir_value **operands = ARENA_ARRAY(w->func->arena, struct ir_value *, (size_t)count + 3);
    struct ir_type *types = ARENA_ARRAY(w->func->arena, struct ir_type, (size_t)count);
    for (int i = 0; i < count + 3; i++)
        operands[i] = w->loop->operands[i];
    for (int k = 0; k < count; k++)
        types[k] = w->loop->results[k]->type;
    operands[1] = end;
    operands[2] = ir_constant_i64(&outside, step);
    struct ir_op *made = ir_build(&outside, IR_OP_FOR, count + 3, operands, count, types, 1, NULL);
    struct ir_region *to = made->regions[0];
    w->b = (struct ir_builder){.func = w->func, .region = to, .range = w->loop->range};
    ir_clear_data(w->func->body);
    from->arguments[0]->data =
        ir_region_add_argument(w->func, to, ir_scalar(IR_I64), from->arguments[0]->name);
    for (int k = 0; k < count; k++)
        ir_region_add_argument(w->func, to, types[k], from->arguments[1 + k]->name);
    for (const struct ir_op *op = from->first; op != from->last; op = op->next) {
        if (ir_has(op, IR_WRITES))
            widen_store(w, op);
        else if (ir_has(op, IR_READS)) /* in their order */
            wide(w, op->results[0]);
    }
    for (int k = 0; k < count; k++)
        operands[k] = collect(w, k, to->arguments[1 + k]);
    ir_build(&w->b, IR_OP_YIELD, count, operands, 0, NULL, 0, NULL);
    w->tail->operands[0] = end;
    for (int k = 0; k < count; k++)
        ir_replace(w->loop->results[k], made->results[k]);
    ir_apply_replacements(w->func);
    ir_remove(w->loop);
}

/* ---- finding loops --------------------------------------------------------------------------- */

/* The masked loop that goes on where this one ends. */
static struct ir_op *tail_of(const struct ir_op *loop)
{
    struct ir_op *op = loop->next;
    while (op && op->code != IR_OP_FOR)
        op = op->next;
    return op && op->operands[0] == loop->operands[1] && op->operands[2] == loop->operands[2]
               ? op
               : NULL;
}

bool gpu_ends_at_a_trip(const struct ir_op *loop, int64_t step)
{
    const struct ir_value *lo = loop->operands[0], *product = loop->operands[1];
    const struct ir_op *op = product->op;
    int64_t factor;
    bool from_zero = ir_is_int(lo, 0);
    if (op && op->code == IR_OP_ADD && (op->operands[0] == lo || op->operands[1] == lo))
        product = op->operands[op->operands[0] == lo];
    else if (!from_zero)
        return false;
    op = product->op;
    return op && op->code == IR_OP_MUL && ir_constant_int(op->operands[1], &factor) &&
           factor == step && ir_range(op->operands[0]).least >= 0;
}

static bool set_up(struct widener *w, struct ir_op *op)
{
    int64_t step;
    w->loop = op;
    w->tail = op->code == IR_OP_FOR ? tail_of(op) : NULL;
    if (!w->tail || !ir_constant_int(op->operands[2], &step) || step != w->plan->threads ||
        !gpu_ends_at_a_trip(op, step))
        return false;
    w->block = (int32_t)step;
    w->factor = w->plan->vector_width;
    return can_widen(w);
}

static int widen_region(struct widener *w, struct ir_region *region)
{
    struct ir_op *next;
    int count = 0;
    for (struct ir_op *op = region->first; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->region_count; i++)
            count += widen_region(w, op->regions[i]);
        if (set_up(w, op)) {
            widen_loop(w);
            count++;
        }
    }
    return count;
}

int gpu_widen(struct ir_func *func, const struct gpu_plan *plan)
{
    int budget = TREND_BUDGET;
    struct widener w = {.func = func, .plan = plan, .budget = &budget};
    return plan->vector_width > 1 ? widen_region(&w, func->body) : 0;
}
