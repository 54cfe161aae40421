/*
 * Collectives that work from scratch buffer to scratch buffer: scans and matrix products.
 *
 * A scan runs along its axis in order. If that is not the last axis, neighbouring columns run side
 * by side in a vector; along the last axis it is one element after the other.
 */
#include "cpu/emit.h"
#include "cpu/schedule.h"
#include "ir/eval.h"

/* ---- scans ---------------------------------------------------------------------------------- */

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

/* ---- dot ------------------------------------------------------------------------------------ */

enum { DOT_ROWS = 4, DOT_VECTORS = 2 };

/*
 * acc[M, N] + a[M, K] b[K, N]: blocks of DOT_ROWS x DOT_VECTORS accumulators, which stay in
 * registers while k runs from 0 to K. Narrow elements are widened when they are read.
 */
struct dot {
    const struct cpu_buffer *a, *b, *acc, *out;
    enum ir_elem from, to;
    int64_t M, N, K;
    int lanes;
    bool fused;
};

static LLVMValueRef dot_load(struct cpu_emit *e, const struct dot *d, const struct cpu_buffer *from,
                             LLVMValueRef offset, int lanes)
{
    struct ir_type type = ir_scalar((enum ir_elem)from->type.elem);
    LLVMValueRef load = LLVMBuildLoad2(e->builder, cpu_vector(cpu_memory_type(e, type), lanes),
                                       cpu_buffer_pointer(e, from, offset), "");
    cpu_set_align(load, cpu_memory_bytes(type));
    if (type.elem == d->to)
        return load;
    return cpu_convert(&e->math, load, (enum ir_elem)type.elem, d->to);
}

static LLVMValueRef multiply_add(struct cpu_emit *e, const struct dot *d, LLVMValueRef a,
                                 LLVMValueRef b, LLVMValueRef c)
{
    if (!ir_is_float(d->to))
        return LLVMBuildAdd(e->builder, LLVMBuildMul(e->builder, a, b, ""), c, "");
    if (!d->fused)
        return LLVMBuildFAdd(e->builder, LLVMBuildFMul(e->builder, a, b, ""), c, "");
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef operands[] = {a, b, c};
    return cpu_intrinsic(e, "llvm.fma", 1, &type, 3, operands);
}

/* rows x vectors accumulators at (i, j); lanes 1 for the ragged columns */
static void dot_block(struct cpu_emit *e, const struct dot *d, LLVMValueRef i, LLVMValueRef j,
                      int rows, int vectors, int lanes)
{
    LLVMTypeRef type = cpu_vector(cpu_elem_type(&e->math, d->to), lanes);
    LLVMValueRef slots[DOT_ROWS][DOT_VECTORS], places[DOT_ROWS][DOT_VECTORS];
    for (int r = 0; r < rows; r++) {
        LLVMValueRef row = cpu_mul(e, cpu_add(e, i, cpu_i64(e, r)), cpu_i64(e, d->N));
        for (int v = 0; v < vectors; v++) {
            places[r][v] = cpu_add(e, cpu_add(e, row, j), cpu_i64(e, (int64_t)v * lanes));
            slots[r][v] = cpu_alloca(e, type, "acc");
            LLVMBuildStore(e->builder, dot_load(e, d, d->acc, places[r][v], lanes), slots[r][v]);
        }
    }
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), cpu_i64(e, d->K), 1);
    LLVMValueRef b[DOT_VECTORS], b_row = cpu_mul(e, loop.index, cpu_i64(e, d->N));
    for (int v = 0; v < vectors; v++) {
        LLVMValueRef column = cpu_add(e, j, cpu_i64(e, (int64_t)v * lanes));
        b[v] = dot_load(e, d, d->b, cpu_add(e, b_row, column), lanes);
    }
    for (int r = 0; r < rows; r++) {
        LLVMValueRef row = cpu_mul(e, cpu_add(e, i, cpu_i64(e, r)), cpu_i64(e, d->K));
        LLVMValueRef a = cpu_splat(e, dot_load(e, d, d->a, cpu_add(e, row, loop.index), 1), lanes);
        for (int v = 0; v < vectors; v++) {
            LLVMValueRef acc = LLVMBuildLoad2(e->builder, type, slots[r][v], "");
            LLVMBuildStore(e->builder, multiply_add(e, d, a, b[v], acc), slots[r][v]);
        }
    }
    cpu_loop_end(e, &loop);
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++) {
            LLVMValueRef place = cpu_buffer_pointer(e, d->out, places[r][v]);
            LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, slots[r][v], "");
            LLVMValueRef store = LLVMBuildStore(e->builder, sum, place);
            cpu_set_align(store, (int64_t)ir_elem_bytes(d->to));
        }
    }
}

static void dot_columns(struct cpu_emit *e, const struct dot *d, LLVMValueRef i, int rows,
                        int64_t from, int64_t to, int vectors, int lanes)
{
    if (from >= to)
        return;
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, from), cpu_i64(e, to), (int64_t)vectors * lanes);
    dot_block(e, d, i, loop.index, rows, vectors, lanes);
    cpu_loop_end(e, &loop);
}

static void dot_rows(struct cpu_emit *e, const struct dot *d, int64_t from, int64_t to, int rows)
{
    if (from >= to)
        return;
    int64_t wide = d->N - d->N % ((int64_t)d->lanes * DOT_VECTORS);
    int64_t whole = d->N - d->N % d->lanes;
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, from), cpu_i64(e, to), rows);
    dot_columns(e, d, loop.index, rows, 0, wide, DOT_VECTORS, d->lanes);
    dot_columns(e, d, loop.index, rows, wide, whole, 1, d->lanes);
    dot_columns(e, d, loop.index, rows, whole, d->N, 1, 1);
    cpu_loop_end(e, &loop);
}

static void emit_dot(struct cpu_emit *e, const struct ir_op *op)
{
    struct ir_type a = op->operands[0]->type, b = op->operands[1]->type;
    struct dot d = {.a = cpu_value_of(e, op->operands[0])->buffer,
                    .b = cpu_value_of(e, op->operands[1])->buffer,
                    .acc = cpu_value_of(e, op->operands[2])->buffer,
                    .out = cpu_value_of(e, op->results[0])->buffer,
                    .from = (enum ir_elem)a.elem,
                    .to = (enum ir_elem)op->results[0]->type.elem,
                    .M = a.dims[0],
                    .N = b.dims[1],
                    .K = a.dims[1],
                    .fused = e->level->features.fma};
    d.lanes = e->level->vector_bits / 8 / (int)ir_elem_bytes(d.to);
    int64_t whole = d.M - d.M % DOT_ROWS;
    dot_rows(e, &d, 0, whole, DOT_ROWS);
    dot_rows(e, &d, whole, d.M, 1);
}

void cpu_emit_collective(struct cpu_emit *e, const struct ir_op *op)
{
    if (op->code == IR_OP_DOT)
        emit_dot(e, op);
    else
        emit_scan(e, op);
    cpu_new_epoch(e);
}
