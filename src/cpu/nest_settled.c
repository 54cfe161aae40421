/*
 * What lies behind the last element that any mask lets in, and before the first one.
 *
 *     col = arange(0, 8192)                       rows of 5120: 3072 more elements, of which each
 *     x = load(X + col, col < N, -INFINITY)       takes as long as one that counts, or longer
 *     e = exp(x - max(x))
 *
 * There, from `reach` on, every element is made of the same values: what masked loads give instead,
 * and scalars. So a maximum does not change any more once it has seen one of them, nor a sum if
 * that one is zero, no store does anything, and what is kept in a buffer is a copy:
 *
 *         [0, end) unrolled;  [end, stop) masked, stop - lanes >= reach
 *         if what is summed up there is zero: [stop, size) of buffers filled, else masked too
 *
 * Where masks begin to hold somewhere within (col > last - window), the same is true of what lies
 * before: [0, lo) and [hi, size), of which a vector each is done for maxima and sums to see.
 * Whether sums change there is asked first, as they run along the row.
 *
 * Zen 5, AVX-512, 64 rows of floats in cache, one thread, us before, with this, and in blocks of
 * just the row's size:
 *
 *                  1152 in blocks of 2048    5120 in blocks of 8192
 *     softmax        26.9   10.5    9.7        111   54.6   46.2
 *     rmsnorm         8.1    4.4    3.6       51.6   29.9   30.1
 *     layernorm       7.2    4.6    4.6       67.3   41.2   41.2
 *
 * Softmax of 2048 rows of 1024 scores of which a causal window of 128 counts, one thread: 1310 to
 * 1550 us before, with this and what masks.c makes of masks 241; in C by gcc and clang 155 and 175.
 * Of 4096 rows of 512, all causal: 800 before, 330 with this, in C 455 and 665.
 */
#include "cpu/nest.h"

#include "cpu/math_build.h"
#include "cpu/reduce.h"

enum { LEAST_VECTORS = 4 }; /* of a row, or there is little to leave out */

struct reach {
    struct cpu_emit *e;
    const struct cpu_nest *n;
    LLVMValueRef from; /* of what has been looked at */
    LLVMValueRef head; /* up to where it is settled from 0 on */
    unsigned epoch;
};

/* Goes on to where the mask begins to fail for good, and back to where it does not fail any more.
 */
static void reach_end(struct reach *r, const struct cpu_limits *limits)
{
    LLVMValueRef end = limits->holds.to, start = limits->holds.from;
    if (!limits->holds_exactly) {
        end = cpu_fails_from(r->e, limits, r->n->size);
        start = cpu_i64(r->e, 0);
    }
    r->from = cpu_max_i64(r->e, r->from, end);
    r->head = cpu_min_i64(r->e, r->head, start);
}

static bool mask_fails(struct reach *r, const struct ir_value *mask, const struct cpu_position *p)
{
    struct cpu_limits limits;
    if (!cpu_limits_of(r->e, mask, p, r->n->size, &limits))
        return false;
    reach_end(r, &limits);
    return true;
}

static bool view_fails(struct reach *r, const struct ir_op *op, const struct cpu_position *p)
{
    struct cpu_limits limits;
    if (!cpu_view_limits(r->e, op, p, r->n->size, &limits))
        return false;
    reach_end(r, &limits);
    return true;
}

static bool is_settled(struct reach *r, const struct ir_value *v, const struct cpu_position *p);

static bool operands_are_settled(struct reach *r, const struct ir_op *op,
                                 const struct cpu_position *p)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (!is_settled(r, op->operands[i], p))
            return false;
    }
    return true;
}

static bool op_is_settled(struct reach *r, const struct ir_op *op, const struct cpu_position *p)
{
    struct cpu_position q;
    switch (op->code) {
    case IR_OP_CONSTANT:
        return true;
    case IR_OP_LOAD:
        return ir_mask_of(op) && mask_fails(r, ir_mask_of(op), p) &&
               (op->operand_count < 3 || is_settled(r, op->operands[2], p));
    case IR_OP_VIEW_LOAD:
        return view_fails(r, op, p);
    case IR_OP_SELECT:
        return mask_fails(r, op->operands[0], p) && is_settled(r, op->operands[2], p);
    case IR_OP_BROADCAST:
        q = cpu_operand_position(r->e, op, p);
        return is_settled(r, op->operands[0], &q);
    case IR_OP_RESHAPE:
        q = cpu_operand_position(r->e, op, p);
        return cpu_reshape_is_simple(op) && is_settled(r, op->operands[0], &q);
    default:
        return ir_has(op, IR_PURE | IR_ELEMENTWISE) && operands_are_settled(r, op, p);
    }
}

/* Whether v's elements are the same from some place on, which r->from then reaches. */
static bool is_settled(struct reach *r, const struct ir_value *v, const struct cpu_position *p)
{
    struct cpu_value *value = cpu_value_of(r->e, v);
    if (v->type.rank == 0 || p->lane < 0 || v->type.dims[p->lane] == 1 ||
        value->visited[1] == r->epoch)
        return true;
    value->visited[1] = r->epoch;
    return v->op && op_is_settled(r, v->op, p);
}

/* A reduction that the same element again does not change; of equals, the first one counts. */
static bool chooses(const struct ir_op *op)
{
    return op->code == IR_OP_MAX || op->code == IR_OP_MIN || op->code == IR_OP_ARGMAX ||
           op->code == IR_OP_ARGMIN;
}

static bool sink_is_settled(struct reach *r, const struct cpu_sink *sink)
{
    const struct cpu_position *p = &r->n->position;
    const struct ir_op *op = sink->op;
    switch (sink->kind) {
    case CPU_SINK_BUFFER:
        return is_settled(r, sink->value, p);
    case CPU_SINK_REDUCE:
        if (op->code == IR_OP_ARGMAX || op->code == IR_OP_ARGMIN)
            r->head = cpu_i64(r->e, 0); /* of equals, the first one counts */
        return sink->state->kind != CPU_REDUCE_OUTER && (chooses(op) || op->code == IR_OP_SUM) &&
               is_settled(r, op->operands[0], p);
    case CPU_SINK_STORE:
        if (op->code == IR_OP_VIEW_STORE)
            return view_fails(r, op, p);
        return ir_mask_of(op) && mask_fails(r, ir_mask_of(op), p);
    case CPU_SINK_ATOMIC:
        return false;
    }
    return false;
}

/* Asked without what holds in the interior, as it is about what lies outside. NULL: elements differ
 * to the end. head: up to where they do not differ at the start. */
static LLVMValueRef find_reach(struct cpu_emit *e, const struct cpu_nest *n, LLVMValueRef *head)
{
    struct reach r = {.e = e,
                      .n = n,
                      .from = cpu_i64(e, 0),
                      .head = cpu_i64(e, n->size),
                      .epoch = cpu_new_epoch(e)};
    e->body = (struct cpu_body){.lanes = n->lanes};
    for (int k = 0; k < e->together; k++) {
        cpu_together_enter(e, k);
        for (size_t i = 0; i < n->groups[k]->sinks.count; i++) {
            if (!sink_is_settled(&r, &n->groups[k]->sinks.items[i]))
                return NULL;
        }
    }
    cpu_together_enter(e, 0);
    *head = r.head;
    return r.from;
}

/* ---- the code ------------------------------------------------------------------------------- */

struct wanted { /* of what lies behind the reach */
    bool chosen; /* by reductions: one vector of it */
    bool same;   /* by sums and buffers: as well, and what it is */
};

static struct wanted what_is_wanted(const struct cpu_emit *e, const struct cpu_nest *n)
{
    struct wanted wanted = {false, false};
    for (int k = 0; k < e->together; k++) {
        for (size_t i = 0; i < n->groups[k]->sinks.count; i++) {
            const struct cpu_sink *sink = &n->groups[k]->sinks.items[i];
            bool reduces = sink->kind == CPU_SINK_REDUCE;
            wanted.chosen = wanted.chosen || (reduces && chooses(sink->op));
            wanted.same = wanted.same || (reduces && !chooses(sink->op)) ||
                          sink->kind == CPU_SINK_BUFFER;
        }
    }
    return wanted;
}

/* What a sum adds or a buffer gets, of which settled elements are wanted; NULL: neither. */
static const struct ir_value *wanted_of(const struct cpu_sink *sink)
{
    if (sink->kind == CPU_SINK_BUFFER)
        return sink->value;
    bool sums = sink->kind == CPU_SINK_REDUCE && sink->op->code == IR_OP_SUM;
    return sums ? sink->op->operands[0] : NULL;
}

/* The wanted elements at the position, by sink, of sinks of that kind. */
static LLVMValueRef *make_wanted(struct cpu_emit *e, const struct cpu_nest *n,
                                 enum cpu_sink_kind kind)
{
    size_t count = cpu_nest_sink_count(e, n);
    LLVMValueRef *made = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    for (size_t i = 0; i < count; i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        const struct ir_value *v = sink->kind == kind ? wanted_of(sink) : NULL;
        if (v)
            made[i] = cpu_spread(e, cpu_element_of(e, v, &n->position));
    }
    return made;
}

/* Whether any of the elements that are summed up is not zero, and with that changes its sum each
 * time. */
static LLVMValueRef changes_sums(struct cpu_emit *e, const struct cpu_nest *n,
                                 LLVMValueRef const *wanted)
{
    LLVMValueRef any = LLVMConstInt(e->i1, 0, false);
    for (size_t i = 0; i < cpu_nest_sink_count(e, n); i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        if (sink->kind != CPU_SINK_REDUCE || sink->op->code != IR_OP_SUM)
            continue;
        LLVMValueRef v = wanted[i], zero = LLVMConstNull(LLVMTypeOf(v));
        bool is_float = ir_is_float((enum ir_elem)sink->op->operands[0]->type.elem);
        LLVMValueRef differs = is_float ? LLVMBuildFCmp(e->builder, LLVMRealUNE, v, zero, "")
                                        : LLVMBuildICmp(e->builder, LLVMIntNE, v, zero, "");
        any = LLVMBuildOr(e->builder, any, mb_any(&e->math, differs), "");
    }
    return any;
}

/* Copies what buffers get behind the reach to [from, to). */
static void fill_buffers(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef const *wanted,
                         LLVMValueRef from, LLVMValueRef to)
{
    for (size_t i = 0; i < cpu_nest_sink_count(e, n); i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        if (sink->kind != CPU_SINK_BUFFER)
            continue;
        struct cpu_loop loop;
        cpu_loop_begin(e, &loop, from, to, n->lanes);
        e->body.active = cpu_nest_active(e, n, loop.index);
        n->position.index[n->axis] = loop.index;
        cpu_buffer_write(e, sink->buffer, &n->position, (struct cpu_element){wanted[i], true});
        cpu_loop_end(e, &loop);
        e->body.active = NULL;
    }
}

/* Keeps what the masked loop makes of the wanted elements in slots, by sink: one for each value. */
static void keep_wanted(struct cpu_emit *e, const struct cpu_nest *n, LLVMValueRef *slots)
{
    size_t count = cpu_nest_sink_count(e, n);
    const struct ir_value **of = ARENA_ARRAY(e->arena, const struct ir_value *, count);
    for (size_t i = 0; i < count; i++) {
        of[i] = wanted_of(cpu_nest_enter_sink(e, n, i));
        for (size_t k = 0; k < i && e->together == 1 && !slots[i]; k++)
            slots[i] = of[i] == of[k] ? slots[k] : NULL;
        if (!of[i] || slots[i])
            continue;
        LLVMValueRef made = cpu_spread(e, cpu_element_of(e, of[i], &n->position));
        slots[i] = cpu_alloca(e, LLVMTypeOf(made), "settled");
        LLVMBuildStore(e->builder, made, slots[i]);
    }
}

/* slots: or NULL */
static void emit_masked_loop(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef from,
                             LLVMValueRef to, LLVMValueRef *slots)
{
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, from, to, n->lanes);
    cpu_nest_set_body(e, n, false);
    e->body.active = cpu_nest_active(e, n, loop.index);
    cpu_nest_emit_around(e, n, loop.index);
    if (slots)
        keep_wanted(e, n, slots);
    cpu_loop_end(e, &loop);
}

/* So that LLVM does not carry what they held from program to program. */
static void forget(struct cpu_emit *e, LLVMValueRef const *slots, size_t count,
                   LLVMBasicBlockRef block)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(block));
    for (size_t i = 0; i < count; i++)
        if (slots[i])
            LLVMBuildStore(e->builder, LLVMGetUndef(LLVMGetAllocatedType(slots[i])), slots[i]);
    LLVMPositionBuilderAtEnd(e->builder, here);
}

/*
 * The masked loop is entered a second time where sums change to the end. What its last vector gave
 * the first time is settled, and there is one, as end < size is from and a vector at least. To make
 * it again behind the loop took a second masked body, a tenth of softmax's code.
 */
static void emit_checked(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef from,
                         LLVMValueRef stop)
{
    size_t count = cpu_nest_sink_count(e, n);
    LLVMValueRef size = cpu_i64(e, n->size), *wanted = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef part = cpu_block(e, "part"), check = cpu_block(e, "settled");
    LLVMBasicBlockRef fill = cpu_block(e, "fill"), on = cpu_block(e, "on");
    LLVMBuildBr(e->builder, part);
    LLVMPositionBuilderAtEnd(e->builder, part);
    LLVMValueRef first = LLVMBuildPhi(e->builder, e->i64, "");
    LLVMValueRef end = LLVMBuildPhi(e->builder, e->i64, "");
    emit_masked_loop(e, n, first, end, wanted);
    forget(e, wanted, count, part);
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, end, size, "");
    LLVMBuildCondBr(e->builder, more, check, on);
    LLVMPositionBuilderAtEnd(e->builder, check);
    cpu_nest_set_body(e, n, false);
    for (size_t i = 0; i < count; i++)
        if (wanted[i])
            wanted[i] = LLVMBuildLoad2(e->builder, LLVMGetAllocatedType(wanted[i]), wanted[i], "");
    LLVMValueRef changes = changes_sums(e, n, wanted);
    LLVMBasicBlockRef checked = LLVMGetInsertBlock(e->builder);
    LLVMBuildCondBr(e->builder, changes, part, fill);
    LLVMAddIncoming(first, (LLVMValueRef[]){from, end}, (LLVMBasicBlockRef[]){before, checked}, 2);
    LLVMAddIncoming(end, (LLVMValueRef[]){stop, size}, (LLVMBasicBlockRef[]){before, checked}, 2);
    LLVMPositionBuilderAtEnd(e->builder, fill);
    fill_buffers(e, n, wanted, end, size);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, on);
}

bool cpu_nest_emit_settled(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef from)
{
    if (n->bounded_count == 0 || n->lanes == 1 || n->size < LEAST_VECTORS * n->lanes)
        return false;
    LLVMValueRef head, reach = find_reach(e, n, &head);
    if (!reach)
        return false;
    struct wanted wanted = what_is_wanted(e, n);
    LLVMValueRef up = cpu_add(e, cpu_max_i64(e, from, reach), cpu_i64(e, n->lanes - 1));
    LLVMValueRef stop = LLVMBuildAnd(e->builder, up, cpu_i64(e, -n->lanes), "");
    if (wanted.chosen || wanted.same)
        stop = cpu_add(e, stop, cpu_i64(e, n->lanes));
    stop = cpu_min_i64(e, stop, cpu_i64(e, n->size));
    if (wanted.same)
        emit_checked(e, n, from, stop);
    else
        emit_masked_loop(e, n, from, stop, NULL);
    cpu_new_epoch(e);
    return true;
}

/* ---- before and behind ------------------------------------------------------------------------
 */

static LLVMValueRef round_down(struct cpu_emit *e, const struct cpu_nest *n, LLVMValueRef index)
{
    return LLVMBuildAnd(e->builder, index, cpu_i64(e, -n->lanes), "");
}

/* A place whose vector is settled, if there is any. */
static LLVMValueRef settled_place(struct cpu_emit *e, const struct cpu_nest *n,
                                  const struct cpu_span *between)
{
    LLVMValueRef zero = cpu_i64(e, 0), last = cpu_i64(e, n->size - n->lanes);
    LLVMValueRef before = LLVMBuildICmp(e->builder, LLVMIntSGT, between->from, zero, "");
    return LLVMBuildSelect(e->builder, before, zero, last, "");
}

bool cpu_nest_find_settled(struct cpu_emit *e, struct cpu_nest *n, struct cpu_span *between)
{
    struct wanted wanted = what_is_wanted(e, n);
    bool more = wanted.chosen || wanted.same;
    if (n->bounded_count == 0 || n->lanes == 1 || (more && n->size < LEAST_VECTORS * n->lanes))
        return false;
    LLVMValueRef zero = cpu_i64(e, 0), size = cpu_i64(e, n->size), one = cpu_i64(e, n->lanes);
    LLVMValueRef head, reach = find_reach(e, n, &head);
    if (!reach)
        return false;
    LLVMValueRef from = round_down(e, n, cpu_min_i64(e, head, reach));
    LLVMValueRef to = round_down(e, n, cpu_add(e, reach, cpu_i64(e, n->lanes - 1)));
    if (more) {
        from = cpu_max_i64(e, LLVMBuildSub(e->builder, from, one, ""), zero);
        to = cpu_add(e, to, one);
    }
    *between = (struct cpu_span){from, cpu_min_i64(e, to, size)};
    if (!wanted.same)
        return true;
    cpu_nest_set_body(e, n, false);
    n->position.index[n->axis] = settled_place(e, n, between);
    LLVMValueRef changes = changes_sums(e, n, make_wanted(e, n, CPU_SINK_REDUCE));
    between->from = LLVMBuildSelect(e->builder, changes, zero, between->from, "");
    between->to = LLVMBuildSelect(e->builder, changes, size, between->to, "");
    cpu_new_epoch(e);
    return true;
}

void cpu_nest_fill_settled(struct cpu_emit *e, struct cpu_nest *n, const struct cpu_span *between)
{
    LLVMValueRef from[] = {cpu_i64(e, 0), between->to};
    LLVMValueRef to[] = {between->from, cpu_i64(e, n->size)};
    LLVMValueRef at = settled_place(e, n, between);
    cpu_nest_set_body(e, n, false);
    n->position.index[n->axis] = at;
    LLVMValueRef *wanted = make_wanted(e, n, CPU_SINK_BUFFER);
    for (int i = 0; i < 2; i++)
        fill_buffers(e, n, wanted, from[i], to[i]);
    cpu_new_epoch(e);
}
