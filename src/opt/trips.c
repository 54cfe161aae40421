/*
 * Which loops are worth unrolling, and copies of their bodies; see pass.h.
 *
 * A CPU keeps a tile that a loop carries in scratch memory: each trip reads it and writes it again,
 * a whole tile at a time. Trips that stand one behind the other are one loop nest, and what they
 * carry stays in registers. That holds only where each element goes its own way from trip to trip;
 * so a loop is left alone
 *   - when its body reduces, scans, multiplies matrices, or moves elements of what it carries to
 *     other places: then a whole tile has to be made in each trip anyway;
 *   - when an atomic op, an assert or a print stands in it, or a load of what it may store, which
 *     would keep the trips apart;
 *   - when it has a loop inside, or a branch that copies for known trips do not take away;
 *   - when the trips would load from more places than a nest can follow, see `loads` below;
 *   - when all that it carries are sums (or products, maxima ...) that are reduced to scalars
 *     behind it: those are partial results in registers already (cpu/carry.c).
 * GPUs keep tiles in registers anyway; there a short loop gains where counters, and what masks and
 * addresses are made of them, become constants, and by what NVRTC did not unroll itself (Philox).
 */
#include "ir/affine.h"
#include "opt/pass.h"

enum { MOST_TRIPS = 64 }; /* a loop over the bits of a word */

int pass_short_trips(const struct ir_op *loop)
{
    int64_t lo, hi, step;
    if (!ir_constant_int(loop->operands[0], &lo) || !ir_constant_int(loop->operands[1], &hi) ||
        !ir_constant_int(loop->operands[2], &step) || step <= 0 || lo >= hi)
        return 0;
    uint64_t trips = ((uint64_t)hi - (uint64_t)lo - 1) / (uint64_t)step + 1;
    return trips <= MOST_TRIPS ? (int)trips : 0;
}

static bool accumulates(enum ir_opcode code)
{
    return code == IR_OP_ADD || code == IR_OP_FMA || code == IR_OP_MUL || code == IR_OP_MAXIMUM ||
           code == IR_OP_MINIMUM || code == IR_OP_OR || code == IR_OP_AND;
}

/* The first op from op on, in its region, that uses the value. */
static const struct ir_op *user_from(const struct ir_op *op, const struct ir_value *value)
{
    for (; op; op = op->next) {
        for (int i = 0; i < op->operand_count; i++)
            if (op->operands[i] == value)
                return op;
    }
    return NULL;
}

/* The op that adds up (say) carried tile k, and does nothing else with it; or NULL. */
static const struct ir_op *find_update(const struct ir_op *loop, int k)
{
    const struct ir_region *body = loop->regions[0];
    const struct ir_value *carried = body->arguments[1 + k];
    const struct ir_op *update = carried->uses == 1 ? user_from(body->first, carried) : NULL;
    bool accumulating = update && accumulates(update->code) && update->result_count == 1 &&
                        body->last->operands[k] == update->results[0];
    return accumulating ? update : NULL;
}

/* Carried tile k is only added up, here and by the loops that go on with it, and then only reduced
 * to a scalar. */
static bool is_partial_result(const struct ir_op *loop, int k)
{
    while (find_update(loop, k) && loop->results[k]->uses == 1) {
        const struct ir_value *result = loop->results[k];
        const struct ir_op *user = user_from(loop->next, result);
        if (!user)
            return false;
        if (user->code != IR_OP_FOR)
            return user->code >= IR_OP_SUM && user->code <= IR_OP_ALL &&
                   user->results[0]->type.rank == 0;
        for (k = 0; k < user->result_count && user->operands[3 + k] != result; k++) {
        }
        if (k == user->result_count)
            return false;
        loop = user;
    }
    return false;
}

bool pass_carries_tile(const struct ir_op *loop)
{
    for (int k = 0; k < loop->result_count; k++)
        if (loop->results[k]->type.rank > 0 && !is_partial_result(loop, k))
            return true;
    return false;
}

/* How many loads the trips together may have, by kind. Where rows lie 4 KB apart, all of them share
 * the few lines of one set of the first-level cache: 8 of them together took 1.3 times as long as
 * one after the other, 12 of them 1.9 times (Zen 3). With more than 16 masks a nest has no interior
 * without masks (CPU_MOST_BOUNDED in cpu/nest.h): 25 took 1.1 times as long. Neighbours in a row
 * share their lines and, mostly, one mask: a sum of 5 x 5 bytes of 640 x 480 took 179 us as five
 * rows one after the other, 80 together (Zen 5). */
enum { ROW_BYTES = 2048, MOST_ROWS = 4, MOST_UNKNOWN = 9, MOST_MASKED = 16, MOST_SEEN = 32 };

/* On a GPU 3 x 3 of them gained (1.5 times), 15 in a row lost (0.96, H200). */
enum { MOST_ON_GPU = 9 };

struct seen { /* what was counted once, and counts no more */
    const struct ir_value *items[MOST_SEEN];
    int count;
};

struct loads {
    int all;
    int rows;    /* ROW_BYTES or more from trip to trip */
    int unknown; /* how far is not known: rows of a picture, say; those beside each other are one */
    int masked;  /* masks, but for those that all trips share: */
    int shared;
    struct seen places, masks;
};

/* What is looked for in a body. mark of a value: it hangs on a carried tile. */
struct body {
    const struct ir_op *loop;
    int op_count;
    struct loads loads;
    bool fits, reads, writes, whole;
};

/* By how many elements the pointer moves from trip to trip; false: that is not known. */
static bool find_stride(const struct ir_value *pointer, const struct ir_op *loop, int64_t *stride)
{
    const struct ir_value *counter = loop->regions[0]->arguments[0];
    *stride = 0;
    while (!pass_is_outside(pointer, loop)) {
        struct ir_affine form;
        const struct ir_op *op = pointer->op;
        if (!op || (op->code != IR_OP_ADDPTR && op->code != IR_OP_BROADCAST))
            return false;
        pointer = op->operands[0];
        if (op->code == IR_OP_BROADCAST || pass_is_outside(op->operands[1], loop))
            continue;
        if (!ir_affine_of(op->operands[1], NULL, &form))
            return false;
        for (int i = 0; i < form.term_count; i++)
            if (form.terms[i].value != counter && !pass_is_outside(form.terms[i].value, loop))
                return false;
        if (__builtin_add_overflow(*stride, ir_affine_factor(&form, counter), stride))
            return false;
    }
    return true;
}

/* Whether two values are the same by their form; loops within the body are copied already, and
 * equal values have not yet become one. */
static bool is_same(const struct ir_value *x, const struct ir_value *y, int depth)
{
    const struct ir_op *a = x->op, *b = y->op;
    if (x == y || depth == 0 || !a || !b || a->code != b->code ||
        !ir_type_equal(x->type, y->type) || a->operand_count != b->operand_count ||
        !ir_has(a, IR_PURE) || a->region_count > 0)
        return x == y;
    uint64_t bits, others;
    if (a->code == IR_OP_CONSTANT)
        return ir_constant_bits(x, &bits) && ir_constant_bits(y, &others) && bits == others;
    bool is_arange = a->code == IR_OP_ARANGE && !a->attributes.layout && !b->attributes.layout &&
                     a->attributes.begin == b->attributes.begin;
    if (!is_arange && ir_ops[a->code].attribute != IR_ATTRIBUTE_NONE)
        return false;
    for (int i = 0; i < a->operand_count; i++) {
        if (!is_same(a->operands[i], b->operands[i], depth - 1))
            return false;
    }
    return true;
}

/* Whether it is seen for the first time. */
static bool is_new(struct seen *seen, const struct ir_value *v)
{
    enum { DEPTH = 6 };
    for (int i = 0; i < seen->count; i++) {
        if (is_same(seen->items[i], v, DEPTH))
            return false;
    }
    if (seen->count < MOST_SEEN)
        seen->items[seen->count++] = v;
    return true;
}

/* The address without the constant by which neighbours in a row differ. */
static const struct ir_value *place_of(const struct ir_value *pointer)
{
    int64_t offset, bytes = (int64_t)ir_elem_bytes((enum ir_elem)pointer->type.elem);
    while (pointer->op && pointer->op->code == IR_OP_ADDPTR &&
           ir_constant_int(pointer->op->operands[1], &offset) && offset > -ROW_BYTES / bytes &&
           offset < ROW_BYTES / bytes)
        pointer = pointer->op->operands[0];
    return pointer;
}

static void count_mask(struct body *body, const struct ir_op *op)
{
    uint64_t always;
    if (op->code == IR_OP_VIEW_LOAD) {
        body->loads.masked++;
        return;
    }
    const struct ir_value *mask = ir_mask_of(op);
    if (!mask || (ir_constant_bits(mask, &always) && always) || !is_new(&body->loads.masks, mask))
        return;
    body->loads.masked += !pass_is_outside(mask, body->loop);
    body->loads.shared += pass_is_outside(mask, body->loop);
}

static void count_load(struct body *body, const struct ir_op *op)
{
    int64_t stride, step = 1, bytes;
    if (op->results[0]->type.rank == 0)
        return;
    body->loads.all++;
    count_mask(body, op);
    ir_constant_int(body->loop->operands[2], &step);
    if (op->code == IR_OP_VIEW_LOAD || !find_stride(op->operands[0], body->loop, &stride) ||
        __builtin_mul_overflow(stride, step, &stride) ||
        __builtin_mul_overflow(stride, ir_elem_bytes((enum ir_elem)op->results[0]->type.elem),
                               &bytes))
        body->loads.unknown += is_new(&body->loads.places, place_of(op->operands[0]));
    else
        body->loads.rows += bytes >= ROW_BYTES || bytes <= -ROW_BYTES;
}

static bool is_short_counter(const struct ir_value *value)
{
    const struct ir_op *loop = value->op ? NULL : value->region->parent;
    return loop && loop->code == IR_OP_FOR && value->index == 0 && pass_short_trips(loop) > 0;
}

/* Whether each trip's copy of a scalar is a constant, once it is folded and loops around are
 * unrolled, too. */
static bool is_known_in_trips(const struct ir_value *value, int depth)
{
    if (is_short_counter(value))
        return true;
    if (!value->op || depth == 0 || value->type.rank > 0)
        return false;
    if (value->op->code == IR_OP_CONSTANT)
        return true;
    if (!ir_has(value->op, IR_PURE | IR_ELEMENTWISE) || ir_has(value->op, IR_APPROX))
        return false;
    for (int i = 0; i < value->op->operand_count; i++)
        if (!is_known_in_trips(value->op->operands[i], depth - 1))
            return false;
    return true;
}

static bool is_fit(struct body *body, const struct ir_op *op, bool carried)
{
    if (ir_has(op, IR_TERMINATOR) || op->code == IR_OP_CONSTANT)
        return true;
    body->op_count++;
    body->reads = body->reads || ir_has(op, IR_READS);
    body->writes = body->writes || ir_has(op, IR_WRITES);
    if (ir_has(op, IR_READS) && !ir_has(op, IR_WRITES))
        count_load(body, op);
    if (op->code == IR_OP_IF)
        return body->whole && is_known_in_trips(op->operands[0], 8);
    if (ir_has(op, IR_MOVES))
        return !carried;
    return ir_has(op, IR_ELEMENTWISE) || op->code == IR_OP_ARANGE || op->code == IR_OP_PROGRAM_ID ||
           op->code == IR_OP_NUM_PROGRAMS || op->code == IR_OP_VIEW_LOAD ||
           op->code == IR_OP_VIEW_STORE;
}

static bool look_at(struct ir_op *op, void *user)
{
    struct body *body = user;
    bool carried = op->code == IR_OP_IF;
    for (int i = 0; i < op->operand_count; i++)
        carried = carried || op->operands[i]->mark != 0;
    for (int i = 0; i < op->result_count; i++)
        op->results[i]->mark = carried && op->results[i]->type.rank > 0;
    body->fits = is_fit(body, op, carried);
    return body->fits;
}

struct apart { /* of loads and what the loop writes */
    const struct pass_context *context;
    const struct ir_func *func;
    const struct ir_op *loop;
    bool all;
};

static bool look_for_meeting(struct ir_op *op, void *user)
{
    struct apart *apart = user;
    int writer;
    if (!pass_touches_memory(op, IR_READS))
        return true;
    apart->all = !pass_touches_memory(op, IR_WRITES) &&
                 pass_region_writes(apart->context, apart->func, apart->loop->regions[0],
                                    pass_pointer_root(op->operands[0]), &writer) == PASS_WRITES_NOT;
    return apart->all;
}

/* No load of the loop reads what the loop may write: then the trips' loads may come together. */
static bool reads_apart(const struct pass_context *context, const struct ir_func *func,
                        const struct ir_op *loop)
{
    struct apart apart = {context, func, loop, true};
    ir_walk(loop->regions[0], look_for_meeting, &apart);
    return apart.all;
}

/* A tile that the next trip carries as another: before = now. */
static bool takes_turns(const struct ir_op *loop)
{
    const struct ir_op *yield = loop->regions[0]->last;
    for (int i = 0; i < yield->operand_count; i++)
        if (yield->operands[i]->region == loop->regions[0] && yield->operands[i]->type.rank > 0)
            return true;
    return false;
}

/* Row by row, reading is all that takes time, and a nest of two rows gained nothing; but copies of
 * tiles that take turns go with it. */
static int most_rows(const struct ir_op *loop, bool whole)
{
    return whole ? MOST_ROWS : takes_turns(loop) ? 2 : 0;
}

bool pass_is_one_nest(const struct pass_context *context, const struct ir_func *func,
                      const struct ir_op *loop, int trips, int most_ops, bool whole, int *op_count)
{
    struct ir_region *region = loop->regions[0];
    struct body body = {.loop = loop, .fits = true, .whole = whole};
    for (int i = 0; i < region->argument_count; i++)
        region->arguments[i]->mark = region->arguments[i]->type.rank > 0;
    ir_walk(region, look_at, &body);
    *op_count = body.op_count;
    if (!body.fits || (body.reads && body.writes && !reads_apart(context, func, loop)))
        return false;
    return body.op_count * trips <= most_ops &&
           (context->carries_in_memory || body.loads.all * trips <= MOST_ON_GPU) &&
           body.loads.rows * trips <= most_rows(loop, whole) &&
           body.loads.unknown * trips <= MOST_UNKNOWN &&
           body.loads.masked * trips + body.loads.shared <= MOST_MASKED;
}

/* ---- copies ---------------------------------------------------------------------------------- */

void pass_copy_trip(struct ir_builder *b, const struct ir_region *body, struct ir_value *counter,
                    struct ir_value **carried)
{
    body->arguments[0]->data = counter;
    for (int i = 1; i < body->argument_count; i++)
        body->arguments[i]->data = carried[i - 1];
    ir_clone_region(b, body, carried);
}

static void clear_arguments(struct ir_region *region)
{
    for (int i = 0; i < region->argument_count; i++)
        region->arguments[i]->mark = 0;
}

static bool clear_and_count(struct ir_op *op, void *user)
{
    ++*(int *)user;
    for (int i = 0; i < op->result_count; i++)
        op->results[i]->mark = 0;
    for (int i = 0; i < op->region_count; i++)
        clear_arguments(op->regions[i]);
    return true;
}

int pass_prepare_trips(struct ir_func *func)
{
    int op_count = 0;
    clear_arguments(func->body);
    ir_walk(func->body, clear_and_count, &op_count);
    ir_count_uses(func);
    return op_count;
}
