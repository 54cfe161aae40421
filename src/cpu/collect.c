/*
 * Atomic additions to few elements, collected by each thread.
 *
 *     for each program:                        table = 0
 *         atomic_add(Count + x, 1)    ->       for each program:
 *                                                  table[x] += 1 if x < SIZE, else the atomic
 *                                              atomic_add(Count + i, table[i]) where it is not 0
 *
 * An atomic instruction takes some 18 cycles, a plain addition in cache one. In whichever order
 * integers are added, and however often, sums are the same; of floats the language leaves the order
 * open, and that they are summed up in parts. Nobody may see the old values, and no other access of
 * the kernel may reach the array, so that nobody sees either that they come late. They are all
 * there when the programs that one call runs have ended. What reaches the array is atomic as
 * before, so that other threads, and other launches, may add to it meanwhile.
 *
 * A table of floats starts with -0.0, to which everything may be added without a change: an element
 * to which nothing was added, or that is -0.0 again, is left alone, and +0.0 is not made of -0.0.
 *
 * Whether all lanes of a vector are in the table, or masked, is asked once; then each is added from
 * its offset, which has 16 bits: four of them are one word, without a way through memory.
 *
 * A histogram of 2^20 ints on Zen 5, of which half, at random, are in 100 bins and half masked, one
 * thread and two: 8.3 and 12 ms without a table, 0.92 and 0.46 with one. On Zen 4 lanes in a loop
 * took 1.56 to 1.76 ms (AVX2 1.3), lanes at once 0.65 to 0.74 (0.69), one thread.
 *
 *     tilec run kernels/histogram.tile.c X=rand:i32[1048576]:1 Count=rand:i32[100]:2 \
 *         n=1048576 bins=100 --time
 */
#include "cpu/collect.h"
#include "base/bits.h"
#include "cpu/math_build.h"

enum {
    TABLE_BYTES = 8 << 10,
    LEAST_ELEMENTS = 256, /* of a tile: fewer are not worth to empty the table for */
    LINE = 64,
};

/* ---- which ----------------------------------------------------------------------------------- */

struct others { /* accesses of the kernel besides op's */
    struct cpu_emit *e;
    const struct ir_op *op;
    bool apart;
};

static bool look_at_other(struct ir_op *op, void *user)
{
    struct others *o = user;
    bool accesses = ir_has(op, IR_READS) || ir_has(op, IR_WRITES);
    if (op == o->op || !accesses || op->code == IR_OP_ASSERT || op->code == IR_OP_PRINT)
        return true;
    o->apart = o->apart && cpu_are_apart(o->e, ir_pointer_root(op->operands[0]),
                                         ir_pointer_root(o->op->operands[0]));
    return true;
}

static bool may_collect(struct cpu_emit *e, const struct ir_op *op)
{
    if (op->code != IR_OP_ATOMIC_ADD)
        return false;
    struct ir_type type = op->operands[0]->type;
    bool is_small = type.elem == IR_F16 || type.elem == IR_BF16; /* rounds at each addition */
    if (op->results[0]->uses > 0 || is_small || ir_element_count(type) < LEAST_ELEMENTS ||
        !ir_pointer_root(op->operands[0]))
        return false;
    struct others others = {e, op, true};
    ir_walk(e->func->body, look_at_other, &others);
    return others.apart;
}

static bool choose(struct ir_op *op, void *user)
{
    struct cpu_emit *e = user;
    if (e->collected_count == CPU_MOST_COLLECTED || !may_collect(e, op))
        return true;
    struct ir_type table = ir_scalar((enum ir_elem)op->operands[0]->type.elem);
    table.rank = 1;
    table.dims[0] = TABLE_BYTES / (int)cpu_memory_bytes(table);
    e->collected[e->collected_count].op = op;
    e->collected[e->collected_count++].table = cpu_buffer_new(e, table);
    return true;
}

/* ---- the code ------------------------------------------------------------------------------- */

static LLVMTypeRef element_type(struct cpu_emit *e, const struct ir_op *op)
{
    return cpu_memory_type(e, ir_scalar((enum ir_elem)op->operands[0]->type.elem));
}

static bool is_float(const struct ir_op *op)
{
    return ir_is_float((enum ir_elem)op->operands[0]->type.elem);
}

/* What changes nothing when it is added. */
static LLVMValueRef nothing(struct cpu_emit *e, const struct ir_op *op)
{
    LLVMTypeRef type = element_type(e, op);
    return is_float(op) ? LLVMConstReal(type, -0.0) : LLVMConstNull(type);
}

/* table = nothing */
static void clear_table(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef table)
{
    if (!is_float(op)) {
        LLVMBuildMemSet(e->builder, table, LLVMConstNull(e->i8), cpu_i64(e, TABLE_BYTES), LINE);
        return;
    }
    int bytes = (int)cpu_memory_bytes(ir_scalar((enum ir_elem)op->operands[0]->type.elem));
    LLVMValueRef line = cpu_splat(e, nothing(e, op), LINE / bytes);
    struct cpu_loop lines;
    cpu_loop_enter(e, &lines, cpu_i64(e, 0), cpu_i64(e, TABLE_BYTES), LINE);
    LLVMValueRef at = LLVMBuildGEP2(e->builder, e->i8, table, &lines.index, 1, "");
    cpu_set_align(LLVMBuildStore(e->builder, line, at), LINE);
    cpu_loop_end(e, &lines);
}

void cpu_collect_begin(struct cpu_emit *e)
{
    ir_walk(e->func->body, choose, e);
    for (int i = 0; i < e->collected_count; i++)
        clear_table(e, e->collected[i].op, cpu_buffer_target(e, e->collected[i].table, NULL));
}

static LLVMValueRef array_of(struct cpu_emit *e, const struct ir_op *op)
{
    return cpu_value_of(e, ir_pointer_root(op->operands[0]))->scalar;
}

/* An atomic on one element whose old value nobody wants. */
static void add_atomically(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef pointer,
                           LLVMValueRef value)
{
    if (is_float(op))
        cpu_float_atomic(e, op, pointer, value);
    else
        LLVMBuildAtomicRMW(e->builder, LLVMAtomicRMWBinOpAdd, pointer, value,
                           LLVMAtomicOrderingAcquireRelease, false);
}

/* The op's table, or NULL. */
static struct cpu_buffer *table_of(const struct cpu_emit *e, const struct ir_op *op)
{
    for (int k = 0; k < e->collected_count; k++) {
        if (e->collected[k].op == op)
            return e->collected[k].table;
    }
    return NULL;
}

static void add_in_table(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef offset,
                         LLVMValueRef value)
{
    LLVMValueRef table = cpu_buffer_pointer(e, table_of(e, op), NULL);
    LLVMValueRef slot = LLVMBuildGEP2(e->builder, e->i8, table, &offset, 1, "");
    LLVMValueRef old = LLVMBuildLoad2(e->builder, element_type(e, op), slot, "");
    LLVMBuildStore(e->builder,
                   is_float(op) ? LLVMBuildFAdd(e->builder, old, value, "")
                                : LLVMBuildAdd(e->builder, old, value, ""),
                   slot);
}

/* A masked element goes to a place behind the table, as a branch on its mask may be hard to foresee. */
bool cpu_collect_add(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef condition,
                     LLVMValueRef pointer, LLVMValueRef value)
{
    if (!table_of(e, op))
        return false;
    LLVMBasicBlockRef near = cpu_block(e, "collect"), far = cpu_block(e, "beyond");
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMValueRef first = LLVMBuildPtrToInt(e->builder, array_of(e, op), e->i64, "");
    LLVMValueRef place = LLVMBuildPtrToInt(e->builder, pointer, e->i64, "");
    LLVMValueRef offset = LLVMBuildSub(e->builder, place, first, ""); /* beyond if it is negative */
    LLVMValueRef behind = cpu_i64(e, TABLE_BYTES), tested = offset;
    if (condition) {
        tested = LLVMBuildSelect(e->builder, condition, offset, cpu_i64(e, 0), "");
        offset = LLVMBuildSelect(e->builder, condition, offset, behind, "");
    }
    LLVMValueRef fits = LLVMBuildICmp(e->builder, LLVMIntULT, tested, behind, "");
    LLVMBuildCondBr(e->builder, fits, near, far);
    LLVMPositionBuilderAtEnd(e->builder, near);
    add_in_table(e, op, offset, value);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, far);
    add_atomically(e, op, pointer, value);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, on);
    return true;
}

/* Lane `lane` of offsets of 16 bits, of which each of the words has as many as it holds. */
static LLVMValueRef offset_of_lane(struct cpu_emit *e, LLVMValueRef words, int each, int lane)
{
    LLVMValueRef place = cpu_i64(e, lane / each), count = cpu_i64(e, lane % each * 16);
    LLVMValueRef word = LLVMBuildExtractElement(e->builder, words, place, "");
    word = LLVMBuildLShr(e->builder, word, count, "");
    return LLVMBuildAnd(e->builder, word, cpu_i64(e, 0xffff), "");
}

/* Each masked lane has a place of its own behind the table, as additions to one place wait for each
 * other. */
static LLVMValueRef places_behind(struct cpu_emit *e, int64_t bytes)
{
    int lanes = e->body.lanes;
    LLVMValueRef lane = LLVMBuildMul(e->builder, cpu_iota(e, e->i64, lanes),
                                     cpu_splat(e, cpu_i64(e, bytes), lanes), "");
    return LLVMBuildAdd(e->builder, lane, cpu_splat(e, cpu_i64(e, TABLE_BYTES), lanes), "");
}

LLVMBasicBlockRef cpu_collect_lanes(struct cpu_emit *e, const struct ir_op *op,
                                    struct cpu_element pointers, struct cpu_element value,
                                    LLVMValueRef mask)
{
    enum { EACH = 4 }; /* offsets of a word */
    int lanes = e->body.lanes;
    if (!table_of(e, op) || !pointers.vector || !bits_is_power(lanes) || lanes < EACH)
        return NULL;
    LLVMBasicBlockRef near = cpu_block(e, "collect"), far = cpu_block(e, "beyond");
    LLVMBasicBlockRef done = cpu_block(e, "done");
    LLVMTypeRef wide = cpu_vector(e->i64, lanes);
    LLVMValueRef first = LLVMBuildPtrToInt(e->builder, array_of(e, op), e->i64, "");
    LLVMValueRef offsets = LLVMBuildPtrToInt(e->builder, pointers.v, wide, "");
    offsets = LLVMBuildSub(e->builder, offsets, cpu_splat(e, first, lanes), "");
    LLVMValueRef end = cpu_splat(e, cpu_i64(e, TABLE_BYTES), lanes);
    LLVMValueRef beyond = LLVMBuildICmp(e->builder, LLVMIntUGE, offsets, end, "");
    if (mask) {
        int64_t bytes = cpu_memory_bytes(table_of(e, op)->type);
        beyond = LLVMBuildAnd(e->builder, beyond, mask, "");
        offsets = LLVMBuildSelect(e->builder, mask, offsets, places_behind(e, bytes), "");
    }
    LLVMBuildCondBr(e->builder, mb_any(&e->math, beyond), far, near);
    LLVMPositionBuilderAtEnd(e->builder, near);
    LLVMTypeRef half_word = LLVMInt16TypeInContext(e->context);
    offsets = LLVMBuildTrunc(e->builder, offsets, cpu_vector(half_word, lanes), "");
    LLVMTypeRef word = LLVMVectorType(e->i64, (unsigned)(lanes / EACH));
    LLVMValueRef words = LLVMBuildBitCast(e->builder, offsets, word, "");
    for (int i = 0; i < lanes; i++) {
        LLVMValueRef offset = offset_of_lane(e, words, EACH, i), v = value.v;
        if (value.vector)
            v = LLVMBuildExtractElement(e->builder, v, cpu_i64(e, i), "");
        add_in_table(e, op, offset, v);
    }
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, far);
    return done;
}

/* Line by line, of which most may be zeros. */
static void empty_table(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef table)
{
    LLVMTypeRef type = element_type(e, op);
    int bytes = (int)cpu_memory_bytes(ir_scalar((enum ir_elem)op->operands[0]->type.elem));
    LLVMTypeRef word = LLVMIntTypeInContext(e->context, (unsigned)bytes * 8);
    LLVMTypeRef line = cpu_vector(word, LINE / bytes);
    LLVMValueRef none = LLVMConstBitCast(nothing(e, op), word);
    struct cpu_loop lines, elements;
    cpu_loop_begin(e, &lines, cpu_i64(e, 0), cpu_i64(e, TABLE_BYTES), LINE);
    LLVMValueRef at = LLVMBuildGEP2(e->builder, e->i8, table, &lines.index, 1, "");
    LLVMValueRef all = LLVMBuildLoad2(e->builder, line, at, "");
    LLVMValueRef some =
        LLVMBuildICmp(e->builder, LLVMIntNE, all, cpu_splat(e, none, LINE / bytes), "");
    LLVMBasicBlockRef add = cpu_block(e, "add"), on = cpu_block(e, "on");
    LLVMBuildCondBr(e->builder, mb_any(&e->math, some), add, on);
    LLVMPositionBuilderAtEnd(e->builder, add);
    LLVMValueRef end = cpu_add(e, lines.index, cpu_i64(e, LINE));
    cpu_loop_begin(e, &elements, lines.index, end, bytes);
    LLVMValueRef slot = LLVMBuildGEP2(e->builder, e->i8, table, &elements.index, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(e->builder, type, slot, "");
    LLVMValueRef bits = LLVMBuildLoad2(e->builder, word, slot, "");
    LLVMValueRef counts = LLVMBuildICmp(e->builder, LLVMIntNE, bits, none, "");
    LLVMBasicBlockRef one = cpu_block(e, "one"), next = cpu_block(e, "next");
    LLVMBuildCondBr(e->builder, counts, one, next); /* none may lie behind the array's end */
    LLVMPositionBuilderAtEnd(e->builder, one);
    LLVMValueRef array = array_of(e, op);
    LLVMValueRef to = LLVMBuildGEP2(e->builder, e->i8, array, &elements.index, 1, "");
    add_atomically(e, op, to, value);
    LLVMBuildBr(e->builder, next);
    LLVMPositionBuilderAtEnd(e->builder, next);
    cpu_loop_end(e, &elements);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, on);
    cpu_loop_end(e, &lines);
}

void cpu_collect_end(struct cpu_emit *e)
{
    for (int i = 0; i < e->collected_count; i++)
        empty_table(e, e->collected[i].op, cpu_buffer_pointer(e, e->collected[i].table, NULL));
}
