/*
 * Updates in place: loads and stores that meet only where a launch lets them.
 *
 *     float d = load(D + i * n + j), k = load(D + row * n + j);       rows i and row of one matrix
 *     store(D + i * n + j, minimum(d, via + k));
 *
 * One nest for all of it goes element by element, so a store must not reach what a later element
 * loads. Where forms of indices do not say so (i may be row), all that is loaded was kept in
 * scratch memory first. But mostly it is so, and easy to ask:
 *
 *     if every two accesses are apart, or one and the same place without two equal elements:
 *         one nest
 *     else, in the order of the text:
 *         a nest for each load that a later store may spoil, into scratch memory
 *         a nest for each store
 *
 * Apart: the bytes from the lowest to the highest element of the one lie below those of the other.
 * Along a tile of one axis only elements count whose masks may hold (a block that is longer than a
 * row). The same place: the first elements' addresses, the widths of elements and the steps are
 * equal, and each step is wider than all that lies inside it. (Pointers that a loop carries may
 * come from parameters of two types.)
 *
 * Places that are partners of each other have a question of their own (partners.c).
 *
 * What is asked cannot mislead: steps have 31 bits, or it is answered no, so that both ends lie
 * near an element; an access without elements that are touched meets nothing, and with one that is
 * touched its ends do not wrap.
 */
#include "cpu/apart.h"
#include "cpu/along.h"
#include "cpu/partners.h"
#include "cpu/strided.h"

struct span { /* of an access: bytes from low on, below high */
    struct cpu_linear linear;
    int64_t bytes;      /* of an element */
    LLVMValueRef first; /* element's address */
    LLVMValueRef low, high;
    LLVMValueRef steps_fit, injective;
};

/* ---- whether --------------------------------------------------------------------------------- */

static bool is_access(struct cpu_emit *e, const struct ir_op *op)
{
    return (op->code == IR_OP_LOAD || op->code == IR_OP_STORE) && op->operands[0]->type.rank > 0 &&
           cpu_affine_of(e, op->operands[0])->known;
}

bool cpu_may_ask_apart(struct cpu_emit *e, const struct ir_op *a, const struct ir_op *b)
{
    int64_t distance;
    struct cpu_partners partners;
    if (cpu_are_partners(e, a, b, &partners))
        return true;
    return is_access(e, a) && is_access(e, b) &&
           ir_pointer_root(a->operands[0]) == ir_pointer_root(b->operands[0]) &&
           ir_shape_equal(a->operands[0]->type, b->operands[0]->type) &&
           (a->operands[0] == b->operands[0] ||
            !cpu_distance_between(a->operands[0], b->operands[0], &distance));
}

/* ---- the question ---------------------------------------------------------------------------- */

static LLVMValueRef both(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(e->builder, a, b, "");
}

/* How many elements of the axis come into question: those that the mask may let in, from the first
 * on, if it is the only axis. */
static LLVMValueRef count_of(struct cpu_emit *e, const struct ir_op *op, int axis)
{
    struct ir_type shape = op->operands[0]->type;
    const struct ir_value *mask = ir_mask_of(op);
    LLVMValueRef size = cpu_i64(e, shape.dims[axis]), one = cpu_i64(e, 1);
    struct cpu_position p = {.rank = shape.rank, .lane = axis};
    struct cpu_limits limits;
    for (int k = 0; k < shape.rank; k++) {
        if (k != axis && shape.dims[k] > 1)
            return size;
        p.index[k] = cpu_i64(e, 0);
    }
    if (!mask || mask->type.rank == 0 || !cpu_limits_of(e, mask, &p, shape.dims[axis], &limits))
        return size;
    return cpu_max_i64(e, one, cpu_fails_from(e, &limits, shape.dims[axis]));
}

static struct span span_of(struct cpu_emit *e, const struct ir_op *op)
{
    const struct ir_value *pointer = op->operands[0];
    struct ir_type shape = pointer->type;
    int64_t bytes = cpu_memory_bytes(ir_scalar((enum ir_elem)shape.elem));
    LLVMValueRef zero = cpu_i64(e, 0), one = cpu_i64(e, 1), inner = zero;
    LLVMValueRef yes = LLVMConstInt(e->i1, 1, false);
    struct span s = {
        .linear = cpu_linear_of(e, pointer), .bytes = bytes, .steps_fit = yes, .injective = yes};
    LLVMValueRef base = s.linear.base ? s.linear.base : zero, below = zero, above = one;
    for (int k = shape.rank - 1; k >= 0; k--) {
        LLVMValueRef step = s.linear.axis[k] ? s.linear.axis[k] : zero;
        if (shape.dims[k] == 1)
            continue;
        LLVMValueRef width = cpu_magnitude(e, step), most = cpu_i64(e, INT32_MAX);
        LLVMValueRef last = LLVMBuildSub(e->builder, count_of(e, op, k), one, "");
        LLVMValueRef end = LLVMBuildMul(e->builder, step, last, "");
        LLVMValueRef wider = LLVMBuildICmp(e->builder, LLVMIntSGT, width, inner, "");
        LLVMValueRef fits = LLVMBuildICmp(e->builder, LLVMIntULE, width, most, "");
        below = LLVMBuildAdd(e->builder, below, cpu_min_i64(e, end, zero), "");
        above = LLVMBuildAdd(e->builder, above, cpu_max_i64(e, end, zero), "");
        s.injective = both(e, s.injective, wider);
        s.steps_fit = both(e, s.steps_fit, fits);
        LLVMValueRef extent = LLVMBuildMul(e->builder, width, cpu_i64(e, shape.dims[k] - 1), "");
        inner = LLVMBuildAdd(e->builder, inner, extent, "");
    }
    LLVMValueRef root = LLVMBuildPtrToInt(e->builder, s.linear.root, e->i64, "");
    LLVMValueRef size = cpu_i64(e, bytes);
    s.first = LLVMBuildAdd(e->builder, root, LLVMBuildMul(e->builder, base, size, ""), "");
    s.low = LLVMBuildAdd(e->builder, s.first, LLVMBuildMul(e->builder, below, size, ""), "");
    s.high = LLVMBuildAdd(e->builder, s.first, LLVMBuildMul(e->builder, above, size, ""), "");
    return s;
}

/* Whether element i of the one is element i of the other, and no other one. */
static LLVMValueRef is_same(struct cpu_emit *e, const struct span *a, const struct span *b)
{
    LLVMValueRef zero = cpu_i64(e, 0);
    if (a->bytes != b->bytes)
        return LLVMConstInt(e->i1, 0, false);
    LLVMValueRef first = LLVMBuildICmp(e->builder, LLVMIntEQ, a->first, b->first, "");
    LLVMValueRef same = both(e, a->injective, first);
    for (int k = 0; k < IR_MAX_RANK; k++) {
        LLVMValueRef x = a->linear.axis[k], y = b->linear.axis[k];
        if (x != y)
            same =
                both(e, same, LLVMBuildICmp(e->builder, LLVMIntEQ, x ? x : zero, y ? y : zero, ""));
    }
    return same;
}

static LLVMValueRef are_apart(struct cpu_emit *e, const struct cpu_pair *pair)
{
    struct cpu_partners partners;
    if (cpu_are_partners(e, pair->a, pair->b, &partners))
        return cpu_partners_fit(e, &partners);
    struct span a = span_of(e, pair->a), b = span_of(e, pair->b);
    LLVMValueRef fits = both(e, a.steps_fit, b.steps_fit);
    LLVMValueRef same = is_same(e, &a, &b);
    LLVMValueRef before = LLVMBuildICmp(e->builder, LLVMIntSLE, a.high, b.low, "");
    LLVMValueRef behind = LLVMBuildICmp(e->builder, LLVMIntSLE, b.high, a.low, "");
    LLVMValueRef apart = LLVMBuildOr(e->builder, before, behind, "");
    return both(e, fits, LLVMBuildOr(e->builder, same, apart, ""));
}

/* ---- the two versions ------------------------------------------------------------------------ */

static struct cpu_group *group_of(struct cpu_emit *e, const struct cpu_group *group,
                                  struct cpu_sink sink)
{
    struct cpu_group *one = ARENA_NEW(e->arena, struct cpu_group);
    *one = *group;
    one->sinks.items = NULL;
    one->sinks.count = one->sinks.capacity = 0;
    ARENA_PUSH(e->arena, &one->sinks, sink);
    return one;
}

static bool is_load(const struct ir_op *op)
{
    return op->code == IR_OP_LOAD || op->code == IR_OP_VIEW_LOAD;
}

static bool is_load_kept(const struct cpu_sink *sink)
{
    return sink->kind == CPU_SINK_BUFFER && !sink->only_made && sink->value->op &&
           is_load(sink->value->op);
}

static void emit_sink(struct cpu_emit *e, struct cpu_group *group, const struct cpu_sink *sink)
{
    struct cpu_group *one = group_of(e, group, *sink);
    if (!sink->only_made)
        cpu_emit_group(e, &one);
}

struct turns { /* sink by sink */
    struct cpu_emit *e;
    struct cpu_group *group;
    bool *done; /* by sink */
    struct {
        struct cpu_value **items;
        size_t count, capacity;
    } kept; /* loads that lie in scratch memory for now */
};

/* What a region around the store's loads was loaded before it; places count in one region. */
static bool comes_before(const struct ir_op *load, const struct ir_op *store)
{
    return load->parent != store->parent || load->mark < store->mark;
}

static void keep(struct turns *t, const struct ir_op *load)
{
    struct cpu_emit *e = t->e;
    struct cpu_value *value = cpu_value_of(e, load->results[0]);
    struct cpu_buffer *buffer = cpu_buffer_new(e, load->results[0]->type);
    struct cpu_group *one = group_of(
        e, t->group,
        (struct cpu_sink){.kind = CPU_SINK_BUFFER, .value = load->results[0], .buffer = buffer});
    one->shape = load->results[0]->type;
    cpu_emit_group(e, &one);
    value->buffer = buffer;
    value->ready = true;
    ARENA_PUSH(e->arena, &t->kept, value);
}

/* What is loaded in front of the store and may be spoilt by it; store: NULL: whatever is to be kept
 * behind this nest. What is loaded behind a store has to see what that one wrote. */
static void keep_loads(struct turns *t, const struct ir_op *store)
{
    struct cpu_group *group = t->group;
    for (size_t i = 0; i < group->sinks.count; i++) {
        const struct cpu_sink *sink = &group->sinks.items[i];
        if (t->done[i] || !is_load_kept(sink) || (store && !comes_before(sink->value->op, store)))
            continue;
        t->done[i] = true;
        emit_sink(t->e, group, sink);
    }
    for (size_t i = 0; i < group->accesses.count && store; i++) {
        const struct ir_op *op = group->accesses.items[i].op;
        if (is_load(op) && comes_before(op, store) && !cpu_value_of(t->e, op->results[0])->buffer &&
            !cpu_never_meet(store, op) &&
            !cpu_are_apart(t->e, ir_pointer_root(store->operands[0]),
                           ir_pointer_root(op->operands[0])))
            keep(t, op);
    }
}

static void emit_one_by_one(struct cpu_emit *e, struct cpu_group *group)
{
    struct turns t = {e, group, ARENA_ARRAY(e->arena, bool, group->sinks.count), {0}};
    bool rare = e->rare;
    e->rare = true;
    for (size_t i = 0; i < group->sinks.count; i++) {
        const struct cpu_sink *sink = &group->sinks.items[i];
        if (is_load_kept(sink))
            continue;
        if (sink->kind == CPU_SINK_STORE)
            keep_loads(&t, sink->op);
        emit_sink(e, group, sink);
    }
    keep_loads(&t, NULL);
    for (size_t i = 0; i < t.kept.count; i++) {
        t.kept.items[i]->buffer = NULL;
        t.kept.items[i]->ready = false;
    }
    e->rare = rare;
}

/* The other version's tiles in scratch memory are not this one's. */
static void forget_buffers(struct cpu_emit *e, const struct cpu_group *group)
{
    for (size_t i = 0; i < group->sinks.count; i++) {
        const struct cpu_sink *sink = &group->sinks.items[i];
        if (sink->kind == CPU_SINK_BUFFER && cpu_value_of(e, sink->value)->buffer == sink->buffer)
            cpu_value_of(e, sink->value)->ready = false;
    }
}

void cpu_emit_apart(struct cpu_emit *e, struct cpu_group *group)
{
    LLVMValueRef apart = LLVMConstInt(e->i1, 1, false);
    e->body = (struct cpu_body){.lanes = 1};
    cpu_new_epoch(e);
    for (size_t i = 0; i < group->asked.count; i++)
        apart = both(e, apart, are_apart(e, &group->asked.items[i]));
    LLVMBasicBlockRef blocks[] = {cpu_block(e, "apart"), cpu_block(e, "met")};
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMBuildCondBr(e->builder, apart, blocks[0], blocks[1]);
    LLVMPositionBuilderAtEnd(e->builder, blocks[0]);
    cpu_emit_group(e, &group);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, blocks[1]);
    cpu_new_epoch(e);
    forget_buffers(e, group);
    emit_one_by_one(e, group);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, on);
    cpu_new_epoch(e);
}
