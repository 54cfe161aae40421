/*
 * Collectives, which work from scratch buffer to scratch buffer: scans (products of tiles: dot.c).
 *
 * A scan runs along its axis in order. If that is not the last axis, neighbouring columns run side
 * by side in a vector. Along the last axis all but a helper's go by vectors: within one in
 * log2(lanes) steps, each with what is twice as far away (Hillis and Steele, Data parallel
 * algorithms, 1986), then with what all vectors before it came to; so only one operation of a
 * vector waits for the vector before. A scan by a helper is one element after the other.
 */
#include "cpu/emit.h"
#include "cpu/schedule.h"
#include "cpu/share.h"
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

/* A maximum or minimum, which an element may take part in twice. */
static bool is_extreme(const struct scan *s)
{
    return s->op->code == IR_OP_CUMMAX || s->op->code == IR_OP_CUMMIN;
}

static LLVMValueRef scan_combine(struct cpu_emit *e, const struct scan *s, LLVMValueRef a,
                                 LLVMValueRef b)
{
    enum ir_elem elem = (enum ir_elem)s->type.elem;
    if (s->op->code == IR_OP_SCAN)
        return run_region(e, s->op, a, b);
    if (is_extreme(s))
        return cpu_minmax(&e->math, s->op->code == IR_OP_CUMMAX ? CPU_MAXIMUM : CPU_MINIMUM, elem,
                          a, b);
    bool is_product = s->op->code == IR_OP_CUMPROD;
    LLVMOpcode of_floats = is_product ? LLVMFMul : LLVMFAdd;
    LLVMOpcode of_integers = is_product ? LLVMMul : LLVMAdd;
    return LLVMBuildBinOp(e->builder, ir_is_float(elem) ? of_floats : of_integers, a, b, "");
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
    LLVMValueRef place = cpu_buffer_target(e, s->out, offset);
    LLVMValueRef store = LLVMBuildStore(e->builder, cpu_to_memory(e, s->type, v), place);
    cpu_set_align(store, cpu_memory_bytes(s->type));
}

static LLVMValueRef before_first(struct cpu_emit *e, const struct scan *s)
{
    enum ir_elem elem = (enum ir_elem)s->type.elem;
    return cpu_constant(e, s->type, ir_eval_before_first(s->op->code, elem));
}

/* ---- by elements ----------------------------------------------------------------------------- */

/* From element `from` of the row (or rows) on, with what came before in the slot. */
static void scan_on(struct cpu_emit *e, const struct scan *s, LLVMValueRef start, int64_t from)
{
    bool exclusive = s->op->attributes.exclusive;
    LLVMTypeRef type = cpu_vector(cpu_register_type(e, s->type), s->lanes);
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, from), cpu_i64(e, s->length), 1);
    LLVMValueRef offset = cpu_add(e, start, cpu_mul(e, loop.index, cpu_i64(e, s->inner)));
    LLVMValueRef before = LLVMBuildLoad2(e->builder, type, s->carry, "");
    LLVMValueRef next = scan_load(e, s, offset);
    LLVMValueRef after = scan_combine(e, s, before, next);
    scan_store(e, s, offset, exclusive ? before : after);
    LLVMBuildStore(e->builder, after, s->carry);
    cpu_loop_end(e, &loop);
}

/* One row (or `lanes` neighbouring rows) whose first element is at `start`. */
static void scan_row(struct cpu_emit *e, const struct scan *s, LLVMValueRef start)
{
    bool exclusive = s->op->attributes.exclusive;
    LLVMValueRef first = scan_load(e, s, start);
    if (exclusive) {
        scan_store(e, s, start, cpu_splat(e, before_first(e, s), s->lanes));
    } else {
        scan_store(e, s, start, first);
    }
    LLVMBuildStore(e->builder, first, s->carry);
    scan_on(e, s, start, 1);
}

/* ---- by vectors along the last axis ---------------------------------------------------------- */

/* What changes no element that it is combined with: -0.0 keeps the sign of a zero in a sum. */
static LLVMValueRef neutral(struct cpu_emit *e, const struct scan *s)
{
    uint64_t bits = ir_eval_identity(s->op->code, (enum ir_elem)s->type.elem);
    return cpu_splat(e, cpu_constant(e, s->type, bits), s->lanes);
}

/* Element i - distance in lane i; below, what combines with v to v: a neutral element, or for an
 * extreme the element itself. */
static LLVMValueRef moved_up(struct cpu_emit *e, const struct scan *s, LLVMValueRef v, int distance)
{
    LLVMValueRef places[64];
    bool twice = is_extreme(s);
    for (int i = 0; i < s->lanes; i++) {
        int from = i >= distance ? i - distance : twice ? i : s->lanes;
        places[i] = LLVMConstInt(e->i32, (unsigned long long)from, false);
    }
    return LLVMBuildShuffleVector(e->builder, v, twice ? v : neutral(e, s),
                                  LLVMConstVector(places, (unsigned)s->lanes), "");
}

/* The last lane of a, then all but the last of b. */
static LLVMValueRef moved_behind(struct cpu_emit *e, const struct scan *s, LLVMValueRef a,
                                 LLVMValueRef b)
{
    LLVMValueRef places[64];
    for (int i = 0; i < s->lanes; i++)
        places[i] = LLVMConstInt(e->i32, (unsigned long long)(s->lanes - 1 + i), false);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(places, (unsigned)s->lanes),
                                  "");
}

static LLVMValueRef last_lane(struct cpu_emit *e, const struct scan *s, LLVMValueRef v)
{
    return LLVMBuildExtractElement(e->builder, v, cpu_i64(e, s->lanes - 1), "");
}

/* One row whose first element is at `start`; at least one whole vector, the rest by elements. */
static void scan_row_by_vectors(struct cpu_emit *e, struct scan *s, LLVMValueRef start, int lanes)
{
    bool exclusive = s->op->attributes.exclusive;
    int64_t whole = s->length - s->length % lanes;
    s->lanes = lanes;
    LLVMTypeRef type = cpu_vector(cpu_register_type(e, s->type), lanes);
    LLVMValueRef total = cpu_alloca(e, type, "total"), before = cpu_alloca(e, type, "before");
    LLVMValueRef none = neutral(e, s);
    if (is_extreme(s))
        none = cpu_splat(
            e, LLVMBuildExtractElement(e->builder, scan_load(e, s, start), cpu_i64(e, 0), ""),
            lanes);
    LLVMBuildStore(e->builder, none, total);
    LLVMBuildStore(e->builder, cpu_splat(e, before_first(e, s), lanes), before);
    struct cpu_loop loop;
    cpu_loop_enter(e, &loop, cpu_i64(e, 0), cpu_i64(e, whole), lanes);
    LLVMValueRef offset = cpu_add(e, start, loop.index),
                 so_far = LLVMBuildLoad2(e->builder, type, total, "");
    LLVMValueRef v = scan_load(e, s, offset);
    for (int distance = 1; distance < lanes; distance *= 2)
        v = scan_combine(e, s, moved_up(e, s, v, distance), v);
    LLVMValueRef after = scan_combine(e, s, so_far, v);
    LLVMValueRef sum = scan_combine(e, s, so_far, cpu_splat(e, last_lane(e, s, v), lanes));
    if (exclusive) {
        LLVMValueRef shifted =
            moved_behind(e, s, LLVMBuildLoad2(e->builder, type, before, ""), after);
        LLVMBuildStore(e->builder, after, before);
        scan_store(e, s, offset, shifted);
    } else {
        scan_store(e, s, offset, after);
    }
    LLVMBuildStore(e->builder, sum, total);
    cpu_loop_end(e, &loop);
    if (whole == s->length)
        return;
    s->lanes = 1;
    s->carry = cpu_alloca(e, cpu_register_type(e, s->type), "carry");
    LLVMValueRef carry = LLVMBuildLoad2(e->builder, type, total, "");
    LLVMBuildStore(e->builder, LLVMBuildExtractElement(e->builder, carry, cpu_i64(e, 0), ""),
                   s->carry);
    scan_on(e, s, start, whole);
}

/* ---- the whole ------------------------------------------------------------------------------- */

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
    if (s.inner == 1 && s.length >= lanes && op->code != IR_OP_SCAN) {
        scan_row_by_vectors(e, &s, start, lanes);
    } else {
        scan_rows(e, &s, start, 0, whole, lanes);
        scan_rows(e, &s, start, whole, s.inner, 1);
    }
    cpu_loop_end(e, &loop);
}

/* The scan goes on with its own tiles behind the steps of a helper. */
static void scan_by_helper(struct cpu_emit *e, const struct ir_op *op)
{
    cpu_share_mark(e, CPU_MARK_LOOP);
    emit_scan(e, op);
    cpu_share_mark(e, CPU_MARK_LEAVE);
    cpu_share_mark(e, CPU_MARK_REPEAT);
}

void cpu_emit_collective(struct cpu_emit *e, const struct ir_op *op, struct cpu_group *copy)
{
    e->loop_of = op;
    if (op->code == IR_OP_DOT)
        cpu_emit_dot(e, op, copy);
    else if (op->code == IR_OP_SCAN)
        scan_by_helper(e, op);
    else
        emit_scan(e, op);
    cpu_new_epoch(e);
}
