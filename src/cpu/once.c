/*
 * Tiles that are the same for every program.
 *
 *     w = load(W + col, col < N) as float         the weights of a normalisation
 *
 * Such a tile depends on parameters alone, and no program writes what it is loaded from. It is made
 * once per call, into scratch memory, before the loop over programs, if a vector of it costs more
 * than reading it back (cost.h): a load with a conversion from half does, a plain load does not.
 * Only tiles that every program makes unconditionally count, so nothing is read that would not have
 * been read.
 */
#include "cpu/cost.h"
#include "cpu/fixed_offsets.h"
#include "cpu/lanes.h"
#include "cpu/schedule.h"
#include "ir/affine.h"

/* Of all such tiles: the first-level cache has to hold more. Where registers are split, converting
 * again is slower than the second level. So it is for halves where 512 bits are computed in two
 * parts: on Zen 4 a conversion of 16 halves takes as much of the pipes as two additions. LayerNorm
 * of half, rows of 4096, one thread, pairs in one process: in cache 155.7 to 135.3 us, in memory
 * 12.1 to 10.7 ms; RMSNorm 133.2 to 122.8 us and 10.2 to 9.5 ms. */
enum { MOST_BYTES = 16 << 10, MOST_SPLIT = 32 << 10 };

struct once {
    struct cpu_emit *e;
    int64_t bytes;
};

/* Each root that something is written through, once: there are few, but may be many writes. */
static bool note_write(struct ir_op *op, void *user)
{
    struct cpu_emit *e = user;
    bool store = op->code == IR_OP_STORE || op->code == IR_OP_VIEW_STORE;
    if (!store && !ir_is_atomic(op))
        return true;
    const struct ir_value *root = ir_pointer_root(op->operands[0]);
    for (size_t i = 0; i < e->written.count; i++) {
        if (e->written.items[i] == root)
            return true;
    }
    ARENA_PUSH(e->arena, &e->written, root);
    return true;
}

/* Whether anything may write what is loaded from root. */
static bool is_written(struct cpu_emit *e, const struct ir_value *root)
{
    bool found = false;
    if (!e->written.known)
        ir_walk(e->func->body, note_write, e);
    e->written.known = true;
    for (size_t i = 0; i < e->written.count; i++)
        found = !cpu_are_apart(e, e->written.items[i], root) || found;
    return found;
}

/* An op that makes the same of the same operands, in any program. */
static bool repeats(struct cpu_emit *e, const struct ir_op *op)
{
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_ARANGE:
    case IR_OP_NUM_PROGRAMS:
    case IR_OP_BROADCAST:
    case IR_OP_CONVERT_LAYOUT:
        return true;
    case IR_OP_RESHAPE:
        return op->results[0]->type.rank > 0 && cpu_reshape_is_simple(op);
    case IR_OP_LOAD: {
        const struct ir_value *root = ir_pointer_root(op->operands[0]);
        return op->results[0]->type.rank > 0 && root && cpu_affine_of(e, op->operands[0])->known &&
               !is_written(e, root);
    }
    default:
        return ir_has(op, IR_PURE | IR_ELEMENTWISE);
    }
}

/* Depends on parameters alone. The answer is kept for the function: 1 no, 2 yes. */
bool cpu_is_fixed(struct cpu_emit *e, const struct ir_value *v)
{
    if (!v->op)
        return !v->region->parent; /* a parameter */
    struct cpu_value *value = cpu_value_of(e, v);
    if (value->fixed)
        return value->fixed > 1;
    bool fixed = v->op->parent == e->func->body && v->op->region_count == 0;
    for (int i = 0; i < v->op->operand_count && fixed; i++)
        fixed = cpu_is_fixed(e, v->op->operands[i]);
    fixed = fixed && repeats(e, v->op);
    value->fixed = fixed ? 2 : 1;
    return fixed;
}

/* Scalars that v is made with; the region makes them again, and LLVM drops that. */
static void make_scalars(struct cpu_emit *e, const struct ir_value *v)
{
    struct cpu_value *value = cpu_value_of(e, v);
    if (!v->op || value->scalar || value->visited[0] == e->epoch)
        return;
    value->visited[0] = e->epoch;
    for (int i = 0; i < v->op->operand_count; i++)
        make_scalars(e, v->op->operands[i]);
    if (v->type.rank == 0)
        cpu_scalar_op(e, v->op);
}

/* Marks what is used other than element by element: such ops look at what is kept themselves. */
static bool note_uses(struct ir_op *op, void *user)
{
    struct cpu_emit *e = user;
    if (ir_has(op, IR_ELEMENTWISE) || op->code == IR_OP_BROADCAST)
        return true;
    for (int i = 0; i < op->operand_count; i++)
        cpu_value_of(e, op->operands[i])->used_whole = true;
    return true;
}

/* Indices that are ints by their range are kept as ints, which lanes.c goes on with. */
static bool are_ints(struct cpu_emit *e, const struct ir_value *v)
{
    struct ir_interval range = ir_range(v);
    return !v->type.pointer && v->type.elem == IR_I64 && range.least >= -CPU_LANE_LIMIT &&
           range.most <= CPU_LANE_LIMIT && !cpu_value_of(e, v)->used_whole;
}

static bool widens_dearly(const struct cpu_emit *e, const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    return e->level->halves && e->level->features.avx512 && op && op->code == IR_OP_CAST &&
           op->operands[0]->type.elem == IR_F16 && v->type.elem == IR_F32;
}

/* offset: the addresses of a gather differ by it, see fixed_offsets.c */
static void make_once(struct once *once, struct ir_value *v, bool offset)
{
    struct cpu_emit *e = once->e;
    struct cpu_value *value = cpu_value_of(e, v);
    struct ir_type kept = !offset && are_ints(e, v) ? ir_with_elem(v->type, IR_I32) : v->type;
    int64_t bytes = ir_element_count(v->type) * cpu_memory_bytes(kept);
    struct cpu_lanes form;
    bool has_form = !offset && v->type.rank > 0 && kept.elem != IR_I32 && cpu_is_index(v->type) &&
                    cpu_may_have_lanes(e, v, e->level->vector_bits / 32, &form);
    for (int i = 0; has_form && i < v->op->operand_count; i++)
        make_once(once, v->op->operands[i], false); /* its ints, at best */
    if (has_form)
        return;
    bool dear = widens_dearly(e, v);
    int64_t most = e->level->features.split_avx2 || dear ? MOST_SPLIT : MOST_BYTES;
    if (v->type.rank == 0 || value->buffer || cpu_affine_of(e, v)->known ||
        once->bytes + bytes > most || (!dear && cpu_cost(e, v, CPU_COST_AGAIN) <= CPU_COST_AGAIN))
        return;
    once->bytes += bytes;
    cpu_new_epoch(e);
    make_scalars(e, v);
    value->buffer = cpu_buffer_new(e, kept);
    struct cpu_group *group = ARENA_NEW(e->arena, struct cpu_group);
    group->shape = v->type;
    struct cpu_sink sink = {.kind = CPU_SINK_BUFFER, .value = v, .buffer = value->buffer};
    ARENA_PUSH(e->arena, &group->sinks, sink);
    cpu_emit_group(e, &group);
}

static bool is_offset(struct cpu_emit *e, const struct ir_op *op)
{
    return op->code == IR_OP_ADDPTR && cpu_fixed_offset(e, op->results[0]) != NULL;
}

/* What an op of one program wants of the fixed tiles. */
static bool look_at(struct ir_op *op, void *user)
{
    struct once *once = user;
    if (op->code == IR_OP_ASSERT) /* what stands behind may not be made at all */
        return false;
    for (int i = 0; i < op->result_count; i++) {
        if (cpu_is_fixed(once->e, op->results[i]))
            return true;
    }
    for (int i = 0; i < op->operand_count; i++) {
        if (cpu_is_fixed(once->e, op->operands[i]))
            make_once(once, op->operands[i], i == 1 && is_offset(once->e, op));
    }
    return true;
}

void cpu_make_once(struct cpu_emit *e)
{
    struct once once = {.e = e};
    ir_walk(e->func->body, note_uses, e);
    ir_walk(e->func->body, look_at, &once);
}
