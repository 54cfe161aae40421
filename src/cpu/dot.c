/*
 * Products of tiles, of kernels that are not one product as a whole (matrix.h).
 *
 *     acc[M, N] + a[M, K] b[K, N]
 *
 *     for panels of columns, as many as a few vectors have:
 *         for strips of rows, as many as there are registers for:
 *             sums = acc, made here element by element
 *             for k: b's vectors of the panel; of each row a's element in all lanes; sums += a * b
 *             the sums go to the result's place
 *
 * a and b lie in scratch memory, but b may stay where it is loaded from, if that is dense. a may
 * lie there turned, as only single elements of it are read. acc need not: a start of 0, or what a
 * loop carries times a factor, is made where the sums are, and where the result is what the loop
 * carries on, it takes that place (schedule.c). Every size is known, so rows are cut into strips
 * that differ by one, and only the last vector of a row may have lanes too many.
 *
 * A sum runs along K in order, one fused multiply-add per element, as in matrix_multiply.c, or one
 * instruction for a few neighbours (dot_units.c).
 */
#include "cpu/dot.h"
#include "cpu/dot_units.h"
#include "cpu/schedule.h"

enum {
    MOST_ROWS = 12, /* of a strip */
    MOST_VECTORS = 4,
    STEPS = 4, /* of K in a turn of the loop */
};

struct dot {
    struct cpu_emit *e;
    const struct ir_op *op;
    const struct cpu_buffer *a, *out;
    int64_t a_row, a_step; /* elements from row to row of a, and from k to k */
    LLVMValueRef b;        /* the first element; rows lie one behind the other */
    int64_t M, N, K;
    enum cpu_unit unit;              /* a, b and K count units */
    enum ir_elem elem;               /* of the sums */
    LLVMTypeRef vector;              /* of sums */
    LLVMTypeRef type;                /* of a unit */
    const struct cpu_buffer *excess; /* to take off each column's start, or NULL */
    int lanes;
};

/* Sums of a strip in a panel. */
struct block {
    struct dot *d;
    int rows, vectors;
    LLVMValueRef i, j;   /* the first row and column */
    LLVMValueRef active; /* lanes of the last vector that exist, or NULL: all */
    LLVMValueRef row[MOST_ROWS], column[MOST_VECTORS];
    LLVMValueRef sums[MOST_ROWS][MOST_VECTORS]; /* slots */
    LLVMValueRef a, b;                          /* slots: where the next step's elements are */
};

/* ---- operands -------------------------------------------------------------------------------- */

bool cpu_dot_turns(const struct ir_op *op, int i)
{
    const struct ir_op *from = op->operands[i]->op;
    return from && from->code == IR_OP_TRANS && from->attributes.permutation[0] == 1;
}

struct ir_value *cpu_dot_operand(const struct cpu_emit *e, const struct ir_op *op, int i,
                                 bool *turned)
{
    *turned = cpu_dot_turns(op, i) && (i == 0 || cpu_unit_of(e->level, op) != CPU_UNIT_ONE);
    return *turned ? op->operands[i]->op->operands[0] : op->operands[i];
}

/* The buffer itself, or a copy of it in another element: where a kernel that is one product is run
 * program by program after all (its arrays overlap), its operands were not widened beforehand
 * (widen.c). */
static const struct cpu_buffer *as_elem(struct cpu_emit *e, const struct cpu_buffer *from,
                                        enum ir_elem elem)
{
    struct ir_type type = from->type;
    type.elem = (uint8_t)elem;
    if (from->type.elem == elem)
        return from;
    struct cpu_buffer *to = cpu_buffer_new(e, type);
    int lanes = e->level->vector_bits / 8 / (int)ir_elem_bytes(elem);
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), cpu_i64(e, ir_element_count(type)), lanes);
    LLVMTypeRef narrow = cpu_vector(cpu_memory_type(e, from->type), lanes);
    LLVMValueRef v =
        LLVMBuildLoad2(e->builder, narrow, cpu_buffer_pointer(e, from, loop.index), "");
    cpu_set_align(v, cpu_memory_bytes(from->type));
    v = cpu_convert(&e->math, v, (enum ir_elem)from->type.elem, elem);
    cpu_set_align(LLVMBuildStore(e->builder, v, cpu_buffer_target(e, to, loop.index)),
                  (int64_t)ir_elem_bytes(elem));
    cpu_loop_end(e, &loop);
    return to;
}

bool cpu_dot_in_place(const struct cpu_emit *e, const struct ir_op *op)
{
    const struct ir_value *b = op->operands[1];
    const struct ir_op *load = b->op;
    enum ir_elem elem = (enum ir_elem)op->results[0]->type.elem;
    uint64_t stride;
    return load && load->code == IR_OP_VIEW_LOAD && b->uses == 1 && b->type.elem == elem &&
           b->type.dims[1] % cpu_dot_lanes(e, elem, b->type.dims[1]) == 0 &&
           ir_constant_bits(load->operands[2 * load->attributes.view_rank], &stride) && stride == 1;
}

/* Whether all of a view's tile is inside of it, and its rows lie one behind the other, as in a
 * copy. With other rows there is no saying how they share the sets of a cache: a product of 1024^3
 * in tiles of 64 x 64 x 64 took half as long again without copies. */
static LLVMValueRef is_dense(struct cpu_emit *e, const struct ir_op *load)
{
    struct ir_type type = load->results[0]->type;
    int axes = load->attributes.view_rank;
    LLVMValueRef stride = cpu_value_of(e, load->operands[2 * axes - 1])->scalar;
    LLVMValueRef columns = cpu_i64(e, type.dims[1]), zero = cpu_i64(e, 0);
    LLVMValueRef dense = LLVMBuildICmp(e->builder, LLVMIntEQ, stride, columns, "");
    for (int last = 0; last < 2; last++) {
        LLVMValueRef row = cpu_i64(e, last ? type.dims[0] - 1 : 0);
        struct cpu_position p = {.rank = 2, .lane = 1, .index = {row, zero}};
        struct cpu_limits limits;
        cpu_view_limits(e, load, &p, type.dims[1], &limits);
        LLVMValueRef from = LLVMBuildICmp(e->builder, LLVMIntSLE, limits.holds.from, zero, "");
        LLVMValueRef to = LLVMBuildICmp(e->builder, LLVMIntSGE, limits.holds.to, columns, "");
        from = LLVMBuildAnd(e->builder, from, to, "");
        dense = LLVMBuildAnd(e->builder, dense, from, "");
    }
    return dense;
}

/* Whether no vector crosses a cache line. */
static LLVMValueRef is_aligned(const struct dot *d, LLVMValueRef pointer)
{
    struct cpu_emit *e = d->e;
    int64_t bytes = d->lanes * (int64_t)ir_elem_bytes(d->elem);
    LLVMValueRef bits = LLVMBuildPtrToInt(e->builder, pointer, e->i64, "");
    bits = LLVMBuildAnd(e->builder, bits, cpu_i64(e, bytes - 1), "");
    return LLVMBuildICmp(e->builder, LLVMIntEQ, bits, cpu_i64(e, 0), "");
}

/* b where it is, if it is dense, else a copy. */
static void place_b(struct dot *d, struct cpu_group *copy)
{
    struct cpu_emit *e = d->e;
    const struct ir_op *load = d->op->operands[1]->op;
    LLVMBasicBlockRef dense = cpu_block(e, "dense"), other = cpu_block(e, "copy");
    LLVMBasicBlockRef on = cpu_block(e, "placed");
    LLVMValueRef b[2] = {cpu_load_origin(e, load)};
    LLVMValueRef aligned = is_aligned(d, b[0]);
    LLVMValueRef stays = LLVMBuildAnd(e->builder, is_dense(e, load), aligned, "");
    LLVMBuildCondBr(e->builder, stays, dense, other);
    LLVMPositionBuilderAtEnd(e->builder, dense);
    LLVMBasicBlockRef from[2] = {dense};
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, other);
    cpu_new_epoch(e);
    cpu_emit_group(e, &copy);
    b[1] = cpu_buffer_pointer(e, copy->sinks.items[0].buffer, NULL);
    LLVMBuildBr(e->builder, on);
    from[1] = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, on);
    d->b = LLVMBuildPhi(e->builder, e->pointer, "b");
    LLVMAddIncoming(d->b, b, from, 2);
    cpu_new_epoch(e);
}

/* ---- geometry -------------------------------------------------------------------------------- */

/* Sums, the vectors of b and one element of a have a register each, and so has a product that is no
 * part of an addition. */
int cpu_dot_rows(const struct cpu_emit *e, enum ir_elem elem, int vectors)
{
    const struct cpu_features *f = &e->level->features;
    int registers = e->level->vector_bits == 512 || f->neon ? 32 : 16;
    int others = vectors + 1 + !(ir_is_float(elem) && f->fma);
    int rows = (registers - others) / vectors;
    return rows < MOST_ROWS ? rows : MOST_ROWS;
}

int cpu_dot_vectors(const struct cpu_emit *e)
{
    return e->level->vector_bits == 512 || e->level->features.neon ? MOST_VECTORS : 2;
}

int cpu_dot_lanes(const struct cpu_emit *e, enum ir_elem elem, int64_t columns)
{
    int lanes = e->level->vector_bits / 8 / (int)ir_elem_bytes(elem);
    while (lanes > 1 && lanes / 2 >= columns)
        lanes /= 2;
    return lanes;
}

/* ---- a block --------------------------------------------------------------------------------- */

static LLVMValueRef multiply_add(const struct dot *d, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef c)
{
    struct cpu_emit *e = d->e;
    if (d->unit != CPU_UNIT_ONE)
        return cpu_unit_multiply(e, d->unit, a, b, c);
    if (!ir_is_float(d->elem))
        return LLVMBuildAdd(e->builder, LLVMBuildMul(e->builder, a, b, ""), c, "");
    if (!e->level->features.fma)
        return LLVMBuildFAdd(e->builder, LLVMBuildFMul(e->builder, a, b, ""), c, "");
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef operands[] = {a, b, c};
    return cpu_intrinsic(e, "llvm.fma", 1, &type, 3, operands);
}

static struct cpu_position enter_vector(struct block *k, int r, int v)
{
    struct cpu_emit *e = k->d->e;
    e->body.active = v == k->vectors - 1 ? k->active : NULL;
    int lane = k->d->lanes > 1 ? 1 : -1;
    return (struct cpu_position){.rank = 2, .lane = lane, .index = {k->row[r], k->column[v]}};
}

static LLVMValueRef load_excess(const struct block *k, int v)
{
    const struct dot *d = k->d;
    LLVMValueRef from = cpu_buffer_pointer(d->e, d->excess, k->column[v]);
    LLVMValueRef load = LLVMBuildLoad2(d->e->builder, d->vector, from, "");
    cpu_set_align(load, (int64_t)ir_elem_bytes(d->elem));
    return load;
}

static void begin_sums(struct block *k)
{
    struct dot *d = k->d;
    struct cpu_emit *e = d->e;
    cpu_new_epoch(e);
    e->body = (struct cpu_body){.lanes = d->lanes};
    for (int r = 0; r < k->rows; r++)
        k->row[r] = cpu_add(e, k->i, cpu_i64(e, r));
    for (int v = 0; v < k->vectors; v++)
        k->column[v] = cpu_add(e, k->j, cpu_i64(e, (int64_t)v * d->lanes));
    for (int r = 0; r < k->rows; r++) {
        for (int v = 0; v < k->vectors; v++) {
            struct cpu_position p = enter_vector(k, r, v);
            LLVMValueRef start = cpu_spread(e, cpu_element_of(e, d->op->operands[2], &p));
            if (d->excess)
                start = LLVMBuildSub(e->builder, start, load_excess(k, v), "");
            k->sums[r][v] = cpu_alloca(e, d->vector, "sum");
            LLVMBuildStore(e->builder, start, k->sums[r][v]);
        }
    }
}

static void end_sums(struct block *k)
{
    struct cpu_emit *e = k->d->e;
    for (int r = 0; r < k->rows; r++) {
        for (int v = 0; v < k->vectors; v++) {
            struct cpu_position p = enter_vector(k, r, v);
            LLVMValueRef sum = LLVMBuildLoad2(e->builder, k->d->vector, k->sums[r][v], "");
            cpu_buffer_write(e, k->d->out, &p, (struct cpu_element){sum, k->d->lanes > 1});
        }
    }
    e->body = (struct cpu_body){.lanes = k->d->lanes};
    cpu_new_epoch(e);
}

static LLVMValueRef load_at(const struct dot *d, LLVMTypeRef type, LLVMValueRef slot,
                            int64_t offset)
{
    struct cpu_emit *e = d->e;
    LLVMValueRef pointer = LLVMBuildLoad2(e->builder, e->pointer, slot, "");
    LLVMValueRef way = cpu_i64(e, offset);
    if (offset)
        pointer = LLVMBuildGEP2(e->builder, d->type, pointer, &way, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, pointer, "");
    cpu_set_align(load, (int64_t)ir_elem_bytes(d->elem));
    return load;
}

static void one_step(struct block *k, int64_t step)
{
    struct dot *d = k->d;
    struct cpu_emit *e = d->e;
    LLVMValueRef b[MOST_VECTORS];
    for (int v = 0; v < k->vectors; v++)
        b[v] = load_at(d, cpu_vector(d->type, d->lanes), k->b, step * d->N + (int64_t)v * d->lanes);
    for (int r = 0; r < k->rows; r++) {
        LLVMValueRef a = load_at(d, d->type, k->a, r * d->a_row + step * d->a_step);
        a = cpu_splat(e, a, d->lanes);
        for (int v = 0; v < k->vectors; v++) {
            LLVMValueRef sum = LLVMBuildLoad2(e->builder, d->vector, k->sums[r][v], "");
            LLVMBuildStore(e->builder, multiply_add(d, a, b[v], sum), k->sums[r][v]);
        }
    }
}

static void move_on(const struct dot *d, LLVMValueRef slot, int64_t elements)
{
    struct cpu_emit *e = d->e;
    LLVMValueRef pointer = LLVMBuildLoad2(e->builder, e->pointer, slot, "");
    LLVMValueRef way = cpu_i64(e, elements);
    LLVMBuildStore(e->builder, LLVMBuildGEP2(e->builder, d->type, pointer, &way, 1, ""), slot);
}

static void emit_depth(struct block *k)
{
    struct dot *d = k->d;
    struct cpu_emit *e = d->e;
    LLVMValueRef from = cpu_mul(e, k->i, cpu_i64(e, d->a_row));
    k->a = cpu_alloca(e, e->pointer, "a");
    k->b = cpu_alloca(e, e->pointer, "b");
    LLVMBuildStore(e->builder, cpu_buffer_pointer(e, d->a, from), k->a);
    LLVMBuildStore(e->builder, LLVMBuildGEP2(e->builder, d->type, d->b, &k->j, 1, ""), k->b);
    int64_t whole = d->K - d->K % STEPS;
    if (whole) {
        struct cpu_loop loop;
        cpu_loop_begin(e, &loop, cpu_i64(e, 0), cpu_i64(e, whole), STEPS);
        for (int s = 0; s < STEPS; s++)
            one_step(k, s);
        move_on(d, k->a, STEPS * d->a_step);
        move_on(d, k->b, STEPS * d->N);
        cpu_loop_end(e, &loop);
    }
    for (int64_t s = 0; s < d->K - whole; s++)
        one_step(k, s);
}

/* ---- the product ----------------------------------------------------------------------------- */

static void emit_strips(struct dot *d, LLVMValueRef j, int vectors, LLVMValueRef active, int rows,
                        int64_t from, int64_t to)
{
    struct cpu_emit *e = d->e;
    if (from >= to)
        return;
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, from), cpu_i64(e, to), rows);
    struct block *k = ARENA_NEW(e->arena, struct block);
    *k = (struct block){
        .d = d, .rows = rows, .vectors = vectors, .i = loop.index, .j = j, .active = active};
    begin_sums(k);
    emit_depth(k);
    end_sums(k);
    cpu_loop_end(e, &loop);
}

/* All rows of the panel at column j. */
static void emit_panel(struct dot *d, LLVMValueRef j, int vectors, LLVMValueRef active)
{
    int64_t most = cpu_dot_rows(d->e, d->elem, vectors), strips = (d->M + most - 1) / most;
    int rows = (int)(d->M / strips);
    int64_t taller = d->M % strips * (rows + 1);
    emit_strips(d, j, vectors, active, rows + 1, 0, taller);
    emit_strips(d, j, vectors, active, rows, taller, d->M);
}

static void emit_panels(struct dot *d)
{
    struct cpu_emit *e = d->e;
    int most = cpu_dot_vectors(e);
    int64_t columns = (int64_t)most * d->lanes, whole = d->N - d->N % columns;
    if (whole) {
        struct cpu_loop loop;
        cpu_loop_begin(e, &loop, cpu_i64(e, 0), cpu_i64(e, whole), columns);
        emit_panel(d, loop.index, most, NULL);
        cpu_loop_end(e, &loop);
    }
    if (whole == d->N)
        return;
    int rest = (int)(d->N - whole), vectors = (rest + d->lanes - 1) / d->lanes;
    int last = rest % d->lanes;
    emit_panel(d, cpu_i64(e, whole), vectors, last ? cpu_lanes_below(e, cpu_i64(e, last)) : NULL);
}

/* Where a and b lie, as units. */
static void place_operands(struct dot *d, struct cpu_group *copy)
{
    struct cpu_emit *e = d->e;
    bool turned[2];
    const struct cpu_buffer *from[2] = {NULL, NULL};
    bool packs = d->unit != CPU_UNIT_ONE;
    enum ir_elem elem = packs ? cpu_unit_elem(d->unit) : d->elem;
    for (int i = 0; i < 2; i++) {
        const struct ir_value *v = cpu_dot_operand(e, d->op, i, &turned[i]);
        if (i == 0 || !copy)
            from[i] = as_elem(e, cpu_value_of(e, v)->buffer, elem);
    }
    d->a = packs ? cpu_unit_first(e, d->unit, from[0], turned[0]) : from[0];
    d->a_row = turned[0] ? 1 : d->K;
    d->a_step = turned[0] ? d->M : 1;
    if (copy) {
        place_b(d, copy);
        return;
    }
    if (packs) {
        from[1] = cpu_unit_second(e, d->unit, from[1], turned[1]);
        d->excess = cpu_unit_excess(e, d->unit, from[1]);
    }
    d->b = cpu_buffer_pointer(e, from[1], NULL);
}

void cpu_emit_dot(struct cpu_emit *e, const struct ir_op *op, struct cpu_group *copy)
{
    struct ir_type type = op->results[0]->type;
    int64_t K = op->operands[0]->type.dims[1];
    enum cpu_unit unit = cpu_unit_of(e->level, op);
    struct dot d = {.e = e,
                    .op = op,
                    .out = cpu_value_of(e, op->results[0])->buffer,
                    .M = type.dims[0],
                    .N = type.dims[1],
                    .K = unit == CPU_UNIT_ONE ? K : K / cpu_unit_size(unit),
                    .unit = unit,
                    .elem = (enum ir_elem)type.elem};
    d.type = unit == CPU_UNIT_ONE ? cpu_elem_type(&e->math, d.elem) : e->i32;
    d.lanes = cpu_dot_lanes(e, d.elem, d.N);
    d.vector = cpu_vector(cpu_elem_type(&e->math, d.elem), d.lanes);
    place_operands(&d, copy);
    e->body = (struct cpu_body){.lanes = d.lanes};
    emit_panels(&d);
    e->body = (struct cpu_body){.lanes = 1};
}
