/*
 * Quotients and remainders of indices, by runs.
 *
 *     i = program_id(0) * BLOCK + arange(0, BLOCK)
 *     load(Bias + i / width % channels)      the same for all of a row of `width` elements
 *     load(X + (i + width - 1) % width)      one more per lane, but where a row begins
 *
 * A dividend that grows by one per lane has the same quotient up to the next multiple of its
 * divisor. Between two multiples the quotient is a scalar, the remainder a step of one, and what is
 * loaded there is one element or one vector, where a division of 64 bits and a gather would be
 * several times as dear. So a nest with such divisions goes over its lanes in windows:
 *
 *         at = 0
 *         while at < reach (nest_edges.c: behind it, no mask of a store holds)
 *             [at, all): the runs that all divisions have at `at`, cut by all masks
 *             an interior: its whole vectors, and the first lanes of one more, or one that ends
 *             with it
 *             where it is empty: one vector as elsewhere, divided lane by lane, with masks
 *
 * Where divisors are less than a vector, or no mask holds any more, several such vectors follow
 * without asking again. Divisors that are not positive and dividends
 * that are negative have no runs: their rounding is toward zero.
 *
 * `group_norm` as one loop over a group (tests/exec/kernels.c) divides each index by the size of a
 * channel.
 *
 * Bits of an index have runs, too: with a j that all lanes share and its lowest bit L,
 *
 *     i ^ j, i | j      move as i does, up to the next multiple of L
 *     i & j             stays the same there
 *
 * as i's bits below L go on as they are, and none of the others changes. So the steps of a sorting
 * network with far partners, the butterflies of a transform, become the two loops that one writes
 * in C. What j is a launch knows: where runs are short there is another version of the nest, with
 * what the lanes make of their bits (exchange.c). An index that does not fit into 32 bits, to which
 * it is cut, has no run.
 *
 * Windows in which no mask of a store holds are left out: of a pair of elements often one orders
 * both.
 */
#include "cpu/nest.h"

#include "cpu/along.h"
#include "cpu/reduce_bits.h"

enum {
    VECTORS_ACROSS = 16, /* bodies between two questions for runs, where there hardly are any */
    MOST_DIVIDEND_BITS = 62,
    LEAST_VECTORS = 2, /* of a run of bits */
};

/* Divisions and bits that a value is made with, innermost first. */
struct walk {
    struct cpu_emit *e;
    struct cpu_nest *nest; /* that bounds them, or NULL: to find out whether there are any */
    unsigned epoch;
    bool divides, has_bits; /* there are some */
    bool asks;              /* whether all bits have long runs: */
    LLVMValueRef long_bits;
};

static LLVMValueRef state(struct cpu_emit *e, const char *name)
{
    LLVMValueRef slot = cpu_alloca(e, e->i64, name);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, e->entry);
    LLVMBuildStore(e->builder, cpu_i64(e, 0), slot);
    LLVMPositionBuilderAtEnd(e->builder, here);
    return slot;
}

/*
 * The quotient of a window is mostly that of the one before, or the next: then nothing is divided.
 * Two slots keep the last quotient q and its divisor. If d is the same,
 *
 *     0 <= x - q d < d   or   0 <= x - (q + 1) d < d       says which of the two it is,
 *
 * wherever q is from. No product wraps, as q d was part of a dividend: below 2^62, or d is 1, where
 * any wrapping is undone. At first d is 0, which no divisor is.
 */
static LLVMValueRef divide_on(struct cpu_emit *e, LLVMValueRef x, LLVMValueRef d,
                              LLVMValueRef *rest)
{
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef slots[] = {state(e, "quotient"), state(e, "divisor")};
    LLVMBasicBlockRef divide = cpu_block(e, "divide"), on = cpu_block(e, "on");
    LLVMValueRef q = LLVMBuildLoad2(builder, e->i64, slots[0], "");
    LLVMValueRef before = LLVMBuildLoad2(builder, e->i64, slots[1], "");
    LLVMValueRef left = LLVMBuildSub(builder, x, LLVMBuildMul(builder, q, d, ""), "");
    LLVMValueRef next = LLVMBuildICmp(builder, LLVMIntSGE, left, d, "");
    LLVMValueRef less = LLVMBuildSelect(builder, next, d, cpu_i64(e, 0), "");
    LLVMValueRef quotients[] = {
        LLVMBuildAdd(builder, q, LLVMBuildZExt(builder, next, e->i64, ""), ""), NULL};
    LLVMValueRef rests[] = {LLVMBuildSub(builder, left, less, ""), NULL};
    LLVMValueRef same = LLVMBuildICmp(builder, LLVMIntEQ, before, d, "");
    LLVMValueRef within = LLVMBuildICmp(builder, LLVMIntULT, rests[0], d, "");
    LLVMBasicBlockRef blocks[] = {LLVMGetInsertBlock(builder), divide};
    LLVMBuildCondBr(builder, LLVMBuildAnd(builder, same, within, ""), on, divide);
    LLVMPositionBuilderAtEnd(builder, divide);
    quotients[1] = LLVMBuildUDiv(builder, x, d, "");
    rests[1] = LLVMBuildSub(builder, x, LLVMBuildMul(builder, quotients[1], d, ""), "");
    LLVMBuildBr(builder, on);
    LLVMPositionBuilderAtEnd(builder, on);
    LLVMValueRef quotient = LLVMBuildPhi(builder, e->i64, "");
    *rest = LLVMBuildPhi(builder, e->i64, "");
    LLVMAddIncoming(quotient, quotients, blocks, 2);
    LLVMAddIncoming(*rest, rests, blocks, 2);
    LLVMBuildStore(builder, quotient, slots[0]);
    LLVMBuildStore(builder, d, slots[1]);
    return quotient;
}

/* A quotient and a remainder have the same run. */
static const struct cpu_bounded *find_run(const struct cpu_nest *n, const struct ir_op *op,
                                          const struct cpu_position *p)
{
    for (int i = 0; i < n->bounded_count; i++) {
        const struct cpu_bounded *b = &n->bounded[i];
        if (b->quotient && !b->bits.index && b->mask->op->operands[0] == op->operands[0] &&
            b->mask->op->operands[1] == op->operands[1] && cpu_same_position(&b->position, p))
            return b;
    }
    return NULL;
}

static void keep_run(struct cpu_emit *e, struct cpu_nest *n, struct cpu_bounded run)
{
    n->bounded[n->bounded_count++] = run;
    cpu_new_epoch(e);
    e->body.interior = true;
    e->body.bounded = n->bounded;
    e->body.bounded_count = n->bounded_count;
}

/* [at, at + left) */
static void bound_window(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef left,
                         LLVMValueRef longest)
{
    left = cpu_min_i64(e, left, cpu_i64(e, n->size));
    n->from = cpu_max_i64(e, n->from, n->at);
    n->all = cpu_min_i64(e, n->all, LLVMBuildAdd(e->builder, n->at, left, ""));
    n->least = cpu_min_i64(e, n->least, longest);
}

/* Of the bits' j, as 64 bits: 2^31 of none, and 2^62 where j has as many. */
static LLVMValueRef lowest_bit(struct cpu_emit *e, const struct ir_value *same, LLVMValueRef j)
{
    int64_t most = same->type.elem == IR_I64 ? INT64_C(1) << MOST_DIVIDEND_BITS : INT64_C(1) << 31;
    LLVMValueRef wide = LLVMBuildZExt(e->builder, j, e->i64, "");
    wide = LLVMBuildOr(e->builder, wide, cpu_i64(e, most), "");
    return LLVMBuildAnd(e->builder, wide, LLVMBuildNeg(e->builder, wide, ""), "");
}

static LLVMValueRef bits_of(struct cpu_emit *e, enum ir_opcode code, LLVMValueRef i, LLVMValueRef j)
{
    return code == IR_OP_AND  ? LLVMBuildAnd(e->builder, i, j, "")
           : code == IR_OP_OR ? LLVMBuildOr(e->builder, i, j, "")
                              : LLVMBuildXor(e->builder, i, j, "");
}

/* The run that the op's bits have at n->at, of an index that its C type and 62 bits hold. */
static void bound_bits(struct cpu_emit *e, struct cpu_nest *n, const struct ir_op *op,
                       const struct cpu_position *p, struct cpu_bits bits)
{
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef zero = cpu_i64(e, 0), one = cpu_i64(e, 1);
    LLVMValueRef start = cpu_first_along(e, bits.index, p), j = cpu_first_along(e, bits.same, p);
    LLVMValueRef index = LLVMBuildAdd(builder, start, n->at, "");
    int width = bits.same->type.elem == IR_I64 ? MOST_DIVIDEND_BITS + 1 : 32;
    LLVMValueRef above = LLVMBuildAdd(builder, index, cpu_i64(e, INT64_C(1) << (width - 1)), "");
    above = LLVMBuildLShr(builder, above, cpu_i64(e, width), "");
    LLVMValueRef there = LLVMBuildICmp(builder, LLVMIntEQ, above, zero, "");
    LLVMValueRef lowest = lowest_bit(e, bits.same, j);
    LLVMValueRef below = LLVMBuildSub(builder, lowest, one, "");
    LLVMValueRef left = LLVMBuildSub(builder, lowest, LLVMBuildAnd(builder, index, below, ""), "");
    LLVMValueRef cut = LLVMBuildTrunc(builder, index, LLVMTypeOf(j), "");
    LLVMValueRef made = bits_of(e, op->code, cut, j), more = NULL;
    if (op->code != IR_OP_AND)
        more = LLVMBuildSub(builder, index, LLVMBuildSExt(builder, made, e->i64, ""), "");
    bound_window(e, n, LLVMBuildSelect(builder, there, left, zero, ""),
                 LLVMBuildSelect(builder, there, lowest, one, ""));
    keep_run(e, n,
             (struct cpu_bounded){.mask = op->results[0],
                                  .position = *p,
                                  .holds = true,
                                  .quotient = made,
                                  .multiple = more,
                                  .bits = bits});
}

/* The run that op has at n->at. Where there is none it is empty. */
static void bound_run(struct cpu_emit *e, struct cpu_nest *n, const struct ir_op *op,
                      const struct cpu_position *p)
{
    const struct cpu_bounded *known = find_run(n, op, p);
    if (known) {
        struct cpu_bounded run = *known;
        run.mask = op->results[0];
        keep_run(e, n, run);
        return;
    }
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef zero = cpu_i64(e, 0), one = cpu_i64(e, 1);
    LLVMValueRef start = cpu_first_along(e, op->operands[0], p);
    LLVMValueRef divisor = cpu_first_along(e, op->operands[1], p);
    LLVMValueRef dividend = LLVMBuildAdd(builder, start, n->at, "");
    LLVMValueRef high = LLVMBuildLShr(builder, dividend, cpu_i64(e, MOST_DIVIDEND_BITS), "");
    LLVMValueRef there = LLVMBuildAnd(builder, LLVMBuildICmp(builder, LLVMIntEQ, high, zero, ""),
                                      LLVMBuildICmp(builder, LLVMIntSGT, divisor, zero, ""), "");
    LLVMValueRef safe = LLVMBuildSelect(builder, there, divisor, one, ""), done;
    LLVMValueRef quotient = divide_on(e, dividend, safe, &done);
    LLVMValueRef multiple = LLVMBuildSub(builder, dividend, done, "");
    LLVMValueRef left = LLVMBuildSub(builder, safe, done, "");
    bound_window(e, n, LLVMBuildSelect(builder, there, left, zero, ""), safe);
    keep_run(e, n,
             (struct cpu_bounded){.mask = op->results[0],
                                  .position = *p,
                                  .holds = true,
                                  .quotient = quotient,
                                  .multiple = multiple});
}

static void ask_bits(struct walk *w, const struct cpu_bits *bits, const struct cpu_position *p)
{
    struct cpu_emit *e = w->e;
    LLVMValueRef lowest = lowest_bit(e, bits->same, cpu_first_along(e, bits->same, p));
    LLVMValueRef least = cpu_i64(e, LEAST_VECTORS * e->body.lanes);
    LLVMValueRef are_long = LLVMBuildICmp(e->builder, LLVMIntUGE, lowest, least, "");
    w->long_bits = w->long_bits ? LLVMBuildAnd(e->builder, w->long_bits, are_long, "") : are_long;
}

static void walk_value(struct walk *w, const struct ir_value *v, const struct cpu_position *p)
{
    struct cpu_value *value = cpu_value_of(w->e, v);
    const struct ir_op *op = v->op;
    if (v->type.rank == 0 || value->visited[1] == w->epoch || !op ||
        (value->buffer && value->ready) || cpu_affine_of(w->e, v)->known ||
        op->code == IR_OP_JOIN || op->code == IR_OP_SPLIT ||
        (op->code == IR_OP_RESHAPE && !cpu_reshape_is_simple(op)))
        return;
    value->visited[1] = w->epoch;
    struct cpu_position q = cpu_moves_elements(op) ? cpu_operand_position(w->e, op, p) : *p;
    for (int i = op->code == IR_OP_GATHER; i < op->operand_count; i++)
        walk_value(w, op->operands[i], &q);
    struct cpu_bits bits;
    bool divides = cpu_has_runs(w->e, op, p),
         full = w->nest && w->nest->bounded_count == CPU_MOST_BOUNDED;
    bool has_bits = !divides && cpu_bits_along(w->e, op, p, &bits);
    w->divides = w->divides || divides;
    w->has_bits = w->has_bits || has_bits;
    if (has_bits && w->asks)
        ask_bits(w, &bits, p);
    else if (has_bits && w->nest && w->nest->bits && !full)
        bound_bits(w->e, w->nest, op, p, bits);
    else if (divides && w->nest && !full)
        bound_run(w->e, w->nest, op, p);
}

static void walk_sinks(struct walk *w, const struct cpu_nest *n)
{
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        if (sink->kind == CPU_SINK_BUFFER)
            walk_value(w, sink->value, &n->position);
        for (int k = 0; sink->kind != CPU_SINK_BUFFER && k < sink->op->operand_count; k++)
            walk_value(w, sink->op->operands[k], &n->position);
    }
}

void cpu_nest_bound_runs(struct cpu_emit *e, struct cpu_nest *n)
{
    struct walk w = {.e = e, .nest = n, .epoch = cpu_new_epoch(e)};
    n->least = cpu_i64(e, n->size);
    walk_sinks(&w, n);
    n->run_count = n->bounded_count;
    n->run_end = n->all;
}

enum cpu_runs cpu_nest_runs_of(struct cpu_emit *e, const struct cpu_nest *n)
{
    if (e->together > 1 || n->lanes == 1)
        return CPU_RUNS_NONE;
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        if (sink->kind == CPU_SINK_REDUCE && cpu_bits_spread(sink))
            return CPU_RUNS_NONE; /* looks at its interior as a whole */
    }
    struct walk w = {.e = e, .epoch = cpu_new_epoch(e)};
    cpu_new_epoch(e);
    e->body = (struct cpu_body){.lanes = n->lanes};
    walk_sinks(&w, n);
    return (w.divides ? CPU_RUNS_DIVIDED : 0) | (w.has_bits && !e->rare ? CPU_RUNS_BITS : 0);
}

LLVMValueRef cpu_nest_ask_bits(struct cpu_emit *e, const struct cpu_nest *n)
{
    struct walk w = {.e = e, .epoch = cpu_new_epoch(e), .asks = true};
    cpu_new_epoch(e);
    e->body = (struct cpu_body){.lanes = n->lanes};
    walk_sinks(&w, n);
    return w.long_bits;
}

/* Whether what is left of an interior is one more vector, which ends with it. */
static bool overlaps(struct cpu_emit *e, const struct cpu_nest *n)
{
    return !e->streaming && cpu_nest_may_repeat(e, n);
}

/* [at, all) as an interior: whole vectors, and the first lanes of one more */
static void emit_within(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef room)
{
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef all = n->all, whole = LLVMBuildAnd(builder, room, cpu_i64(e, -n->lanes), "");
    LLVMValueRef end = LLVMBuildAdd(builder, n->at, whole, "");
    if (overlaps(e, n)) {
        cpu_nest_emit_in_one_loop(e, n, n->at, end, all);
        return;
    }
    LLVMBasicBlockRef part = cpu_block(e, "part"), done = cpu_block(e, "done");
    cpu_nest_emit_interior(e, n, n->at, end);
    LLVMValueRef some = LLVMBuildICmp(builder, LLVMIntSLT, end, all, "");
    LLVMBuildCondBr(builder, some, part, done);
    LLVMPositionBuilderAtEnd(builder, part);
    cpu_nest_set_body(e, n, true);
    e->body.active = cpu_lanes_below(e, LLVMBuildSub(builder, all, end, ""));
    cpu_nest_emit_body(e, n, end);
    LLVMBuildBr(builder, done);
    LLVMPositionBuilderAtEnd(builder, done);
    cpu_new_epoch(e);
}

/* Whether [at, all) is an interior: not where divisors are so small that asking for runs costs more
 * than it gains. */
static LLVMValueRef is_worth_it(struct cpu_emit *e, const struct cpu_nest *n, LLVMValueRef room,
                                LLVMValueRef long_runs)
{
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef reached = LLVMBuildICmp(builder, LLVMIntSLE, n->from, n->at, "");
    LLVMValueRef few = cpu_i64(e, overlaps(e, n) ? n->lanes : 1);
    LLVMValueRef least = LLVMBuildSelect(builder, long_runs, few, cpu_i64(e, 2 * n->lanes), "");
    LLVMValueRef holds = LLVMBuildICmp(builder, LLVMIntSGE, room, least, "");
    return LLVMBuildAnd(builder, reached, holds, "");
}

/* Up to where a body that is no interior goes, from `at` on. */
static LLVMValueRef end_across(struct cpu_emit *e, const struct cpu_nest *n, LLVMValueRef room,
                               LLVMValueRef long_runs)
{
    LLVMValueRef some = LLVMBuildICmp(e->builder, LLVMIntSGT, room, cpu_i64(e, 0), "");
    LLVMValueRef one = LLVMBuildAnd(e->builder, long_runs, some, "");
    LLVMValueRef lanes = LLVMBuildSelect(e->builder, one, cpu_i64(e, n->lanes),
                                         cpu_i64(e, VECTORS_ACROSS * n->lanes), "");
    return cpu_min_i64(e, n->reach, LLVMBuildAdd(e->builder, n->at, lanes, ""));
}

/* Whether no element of [at, run_end) is stored; NULL: it cannot be told. Masks hold or fail there
 * as they do in the run, whatever the interior supposes of them. */
static LLVMValueRef stores_nothing(struct cpu_emit *e, const struct cpu_nest *n)
{
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef nothing = LLVMBuildICmp(builder, LLVMIntSLT, n->at, n->run_end, "");
    cpu_new_epoch(e);
    e->body.bounded_count = n->run_count;
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        struct cpu_limits limits;
        if (sink->kind == CPU_SINK_BUFFER && sink->only_made)
            continue;
        if (sink->kind != CPU_SINK_STORE || sink->op->code != IR_OP_STORE ||
            sink->op->operand_count < 3 ||
            !cpu_limits_of(e, sink->op->operands[2], &n->position, n->size, &limits))
            return NULL;
        LLVMValueRef from = LLVMBuildICmp(builder, LLVMIntSLE, limits.fails.from, n->at, "");
        LLVMValueRef to = LLVMBuildICmp(builder, LLVMIntSGE, limits.fails.to, n->run_end, "");
        nothing = LLVMBuildAnd(builder, nothing, LLVMBuildAnd(builder, from, to, ""), "");
    }
    return nothing;
}

void cpu_nest_emit_runs(struct cpu_emit *e, struct cpu_nest *n)
{
    LLVMBuilderRef builder = e->builder;
    LLVMBasicBlockRef window = e->loop_of ? cpu_op_block(e, e->loop_of) : cpu_block(e, "window");
    LLVMBasicBlockRef within = cpu_block(e, "within");
    LLVMBasicBlockRef across = cpu_block(e, "across"), next = cpu_block(e, "next");
    LLVMBasicBlockRef idle = cpu_block(e, "idle"), done = cpu_block(e, "done"), before;
    n->copies = 1;
    n->anywhere = true;
    n->position.index[n->axis] = cpu_i64(e, 0);
    n->reach = cpu_nest_reach(e, n);
    before = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, window);
    LLVMPositionBuilderAtEnd(builder, window);
    n->at = LLVMBuildPhi(builder, e->i64, "");
    cpu_nest_find_bounds(e, n);
    LLVMValueRef at = n->at, all = n->all, room = LLVMBuildSub(builder, all, at, "");
    LLVMValueRef long_runs = LLVMBuildICmp(builder, LLVMIntSGE, n->least, cpu_i64(e, n->lanes), "");
    LLVMBuildCondBr(builder, is_worth_it(e, n, room, long_runs), within, idle);

    LLVMPositionBuilderAtEnd(builder, idle);
    LLVMValueRef run_end = n->run_end, nothing = stores_nothing(e, n);
    LLVMBasicBlockRef behind_idle = LLVMGetInsertBlock(builder);
    if (nothing)
        LLVMBuildCondBr(builder, LLVMBuildAnd(builder, nothing, long_runs, ""), next, across);
    else
        LLVMBuildBr(builder, across);

    LLVMPositionBuilderAtEnd(builder, within);
    emit_within(e, n, room);
    LLVMBasicBlockRef behind_within = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, next);

    LLVMPositionBuilderAtEnd(builder, across);
    LLVMValueRef end = end_across(e, n, room, long_runs);
    cpu_nest_emit_masked(e, n, at, end); /* divided lane by lane */
    LLVMBasicBlockRef behind_across = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, next);

    LLVMPositionBuilderAtEnd(builder, next);
    LLVMValueRef to = LLVMBuildPhi(builder, e->i64, "");
    LLVMAddIncoming(to, (LLVMValueRef[]){all, end, run_end},
                    (LLVMBasicBlockRef[]){behind_within, behind_across, behind_idle},
                    nothing ? 3 : 2);
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntSLT, to, n->reach, "");
    LLVMBuildCondBr(builder, more, window, done);
    LLVMAddIncoming(at, (LLVMValueRef[]){cpu_i64(e, 0), to}, (LLVMBasicBlockRef[]){before, next},
                    2);
    LLVMPositionBuilderAtEnd(builder, done);
    n->at = NULL;
    cpu_new_epoch(e);
}
