/*
 * Collectives, which work from scratch buffer to scratch buffer: scans (products of tiles: dot.c).
 *
 * A scan runs along its axis in order. If that is not the last axis, neighbouring columns run side
 * by side in a vector; along the last axis it is one element after the other.
 */
#include "cpu/emit.h"
#include "cpu/schedule.h"
#include "ir/eval.h"

struct scan {
    const struct ir_op *op;
    const struct cpu_buffer *in, *out;
    struct ir_type type;          /* of one element */
    int64_t outer, length, inner; /* the tile as [outer, length, inner] */
    int lanes;
    LLVMValueRef carry; /* stack slot: what was combined so far */
};

/* The op's region with its two arguments. */
static LLVMValueRef run_region(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef a,
                               LLVMValueRef b)
{
    struct ir_region *region = op->regions[0];
    cpu_value_of(e, region->arguments[0])->scalar = a;
    cpu_value_of(e, region->arguments[1])->scalar = b;
    cpu_emit_region(e, region, NULL);
    return e->failed ? a : cpu_value_of(e, region->last->operands[0])->scalar;
}

static LLVMValueRef scan_combine(struct cpu_emit *e, const struct scan *s, LLVMValueRef a,
                                 LLVMValueRef b)
{
    enum ir_elem elem = (enum ir_elem)s->type.elem;
    if (s->op->code == IR_OP_SCAN)
        return run_region(e, s->op, a, b);
    if (s->op->code == IR_OP_CUMMAX)
        return cpu_minmax(&e->math, CPU_MAXIMUM, elem, a, b);
    return ir_is_float(elem) ? LLVMBuildFAdd(e->builder, a, b, "")
                             : LLVMBuildAdd(e->builder, a, b, "");
}

static LLVMValueRef scan_load(struct cpu_emit *e, const struct scan *s, LLVMValueRef offset)
{
    LLVMTypeRef type = cpu_vector(cpu_memory_type(e, s->type), s->lanes);
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, cpu_buffer_pointer(e, s->in, offset), "");
    cpu_set_align(load, cpu_memory_bytes(s->type));
    return cpu_from_memory(e, s->type, load);
}

static void scan_store(struct cpu_emit *e, const struct scan *s, LLVMValueRef offset,
                       LLVMValueRef v)
{
    LLVMValueRef place = cpu_buffer_pointer(e, s->out, offset);
    LLVMValueRef store = LLVMBuildStore(e->builder, cpu_to_memory(e, s->type, v), place);
    cpu_set_align(store, cpu_memory_bytes(s->type));
}

/* One row (or `lanes` neighbouring rows) whose first element is at `start`. */
static void scan_row(struct cpu_emit *e, const struct scan *s, LLVMValueRef start)
{
    bool exclusive = s->op->attributes.exclusive;
    LLVMTypeRef type = cpu_vector(cpu_register_type(e, s->type), s->lanes);
    LLVMValueRef first = scan_load(e, s, start);
    if (exclusive) {
        /* what comes before the first element: the neutral one (of a region's scan: zero) */
        enum ir_elem elem = (enum ir_elem)s->type.elem;
        uint64_t bits = s->op->code == IR_OP_CUMMAX ? ir_eval_identity(IR_OP_MAX, elem) : 0;
        scan_store(e, s, start, cpu_splat(e, cpu_constant(e, s->type, bits), s->lanes));
    } else {
        scan_store(e, s, start, first);
    }
    LLVMBuildStore(e->builder, first, s->carry);
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 1), cpu_i64(e, s->length), 1);
    LLVMValueRef offset = cpu_add(e, start, cpu_mul(e, loop.index, cpu_i64(e, s->inner)));
    LLVMValueRef before = LLVMBuildLoad2(e->builder, type, s->carry, "");
    LLVMValueRef next = scan_load(e, s, offset);
    LLVMValueRef after = scan_combine(e, s, before, next);
    scan_store(e, s, offset, exclusive ? before : after);
    LLVMBuildStore(e->builder, after, s->carry);
    cpu_loop_end(e, &loop);
}

static void scan_rows(struct cpu_emit *e, struct scan *s, LLVMValueRef start, int64_t from,
                      int64_t to, int lanes)
{
    if (from >= to)
        return;
    s->lanes = lanes;
    s->carry = cpu_alloca(e, cpu_vector(cpu_register_type(e, s->type), lanes), "carry");
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, from), cpu_i64(e, to), lanes);
    scan_row(e, s, cpu_add(e, start, loop.index));
    cpu_loop_end(e, &loop);
}

static void emit_scan(struct cpu_emit *e, const struct ir_op *op)
{
    struct ir_type type = op->results[0]->type;
    struct scan s = {.op = op,
                     .in = cpu_value_of(e, op->operands[0])->buffer,
                     .out = cpu_value_of(e, op->results[0])->buffer,
                     .type = ir_scalar((enum ir_elem)type.elem),
                     .outer = 1,
                     .length = type.dims[op->attributes.axis],
                     .inner = 1};
    for (int k = 0; k < type.rank; k++) {
        if (k != op->attributes.axis)
            *(k < op->attributes.axis ? &s.outer : &s.inner) *= type.dims[k];
    }
    int lanes = e->level->vector_bits / 8 / (int)cpu_memory_bytes(s.type);
    int64_t whole = op->code == IR_OP_SCAN ? 0 : s.inner - s.inner % lanes;
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), cpu_i64(e, s.outer), 1);
    LLVMValueRef start = cpu_mul(e, loop.index, cpu_i64(e, s.length * s.inner));
    scan_rows(e, &s, start, 0, whole, lanes);
    scan_rows(e, &s, start, whole, s.inner, 1);
    cpu_loop_end(e, &loop);
}

void cpu_emit_collective(struct cpu_emit *e, const struct ir_op *op)
{
    e->loop_of = op;
    if (op->code == IR_OP_DOT)
        cpu_emit_dot(e, op);
    else
        emit_scan(e, op);
    cpu_new_epoch(e);
}
