/*
 * Which kernels run as matrix products, and the function that takes a range of programs; see
 * matrix.h.
 *
 * A range of programs is a share of the launch. Each batch (the programs that differ in rows and
 * columns only) gives the share's part of its columns, or of its rows where columns are few; the
 * source's blocks have no part in that. Ranges that cover the launch give parts that cover it.
 */
#include "cpu/matrix.h"
#include "cpu/dot.h"

#include <string.h>

enum {
    MANY_COLUMNS = 128, /* from here on threads share columns, else rows */
    MANY_SHARED = 512,  /* the same where sharing columns costs more than sharing rows, */
    MANY_PLAIN = 1536,  /* and where B is seldom packed: bytes of a row of it */
    ROWS_SHARED = 2,    /* so many rows are not shared */
    LINE = 64,
    EPILOGUE_ROW = 256, /* bytes of a row of sums, for which an epilogue is worth a call */
};

/* ---- pieces ---------------------------------------------------------------------------------- */

LLVMValueRef cpu_matrix_begin(struct cpu_matrix *m, const char *name, LLVMTypeRef type)
{
    struct cpu_emit *e = m->e;
    const char *symbol = arena_format(e->arena, "%s.%s", m->prefix, name);
    const struct ir_func *func = e->func;
    cpu_function_begin(e, func, symbol, type);
    cpu_function_values(e, func);
    LLVMSetLinkage(e->function, LLVMInternalLinkage);
    m->start = cpu_block(e, "start");
    LLVMPositionBuilderAtEnd(e->builder, m->start);
    e->dummy = cpu_alloca(e, e->i64, "dummy");
    return e->function;
}

void cpu_matrix_end(struct cpu_matrix *m)
{
    LLVMBuildRetVoid(m->e->builder);
    cpu_function_end(m->e, m->start);
}

void cpu_matrix_return(struct cpu_matrix *m, LLVMValueRef value)
{
    LLVMBuildRet(m->e->builder, value);
    cpu_function_end(m->e, m->start);
}

void cpu_matrix_launch(struct cpu_matrix *m, LLVMValueRef arguments, LLVMValueRef grid,
                       LLVMValueRef scratch, LLVMValueRef batch)
{
    struct cpu_emit *e = m->e;
    cpu_function_parameters(e, e->func, arguments);
    e->scratch = scratch;
    for (int k = 0; k < 3; k++) {
        bool of_block = k == m->plan->row_axis || k == m->plan->column_axis;
        e->grid[k] = cpu_word(e, grid, k, e->i64);
        e->program[k] = of_block || !batch ? cpu_i64(e, 0) : cpu_word(e, batch, k, e->i64);
    }
}

LLVMValueRef cpu_matrix_scalar(struct cpu_matrix *m, const struct ir_value *v)
{
    struct cpu_value *value = cpu_value_of(m->e, v);
    if (value->scalar || !v->op)
        return value->scalar;
    for (int i = 0; i < v->op->operand_count; i++)
        cpu_matrix_scalar(m, v->op->operands[i]);
    cpu_scalar_op(m->e, v->op);
    return value->scalar;
}

LLVMValueRef cpu_matrix_polynomial(struct cpu_matrix *m, const struct polynomial *p)
{
    struct cpu_emit *e = m->e;
    LLVMValueRef sum = NULL;
    for (int i = 0; i < p->count; i++) {
        LLVMValueRef term = cpu_i64(e, p->terms[i].factor);
        for (int k = 0; k < p->terms[i].count; k++)
            term = cpu_mul(e, term, cpu_matrix_scalar(m, p->terms[i].symbols[k]));
        sum = cpu_add(e, sum, term);
    }
    return sum ? sum : cpu_i64(e, 0);
}

LLVMValueRef cpu_matrix_guards(struct cpu_matrix *m, const struct matrix_guard *guards, int count)
{
    struct cpu_emit *e = m->e;
    LLVMValueRef all = LLVMConstInt(e->i1, 1, false);
    for (int i = 0; i < count; i++) {
        LLVMValueRef index = cpu_matrix_polynomial(m, &guards[i].index);
        LLVMValueRef extent = cpu_matrix_polynomial(m, &guards[i].extent);
        LLVMValueRef low = LLVMBuildICmp(e->builder, LLVMIntSGE, index, cpu_i64(e, 0), "");
        LLVMValueRef high = LLVMBuildICmp(e->builder, LLVMIntSLT, index, extent, "");
        all = LLVMBuildAnd(e->builder, all, LLVMBuildAnd(e->builder, low, high, ""), "");
    }
    return all;
}

LLVMValueRef cpu_matrix_offset(struct cpu_matrix *m, LLVMValueRef pointer, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(m->e->builder, m->e->i8, pointer, &bytes, 1, "");
}

int64_t cpu_matrix_element(const struct cpu_matrix *m, bool is_b)
{
    return (int64_t)ir_elem_bytes(m->from[is_b]);
}

bool cpu_matrix_keeps(const struct cpu_matrix *m, bool is_b)
{
    return m->from[is_b] == m->elem && m->elem == m->packed;
}

bool cpu_matrix_takes_plain_b(const struct cpu_matrix *m)
{
    return cpu_matrix_keeps(m, true) && m->group == 1 && m->masks;
}

int cpu_matrix_moves_b(const struct cpu_matrix *m)
{
    return m->step == CPU_MATRIX_VNNI ? 128 : m->step == CPU_MATRIX_NARROW ? 64 : 0;
}

LLVMValueRef cpu_matrix_moved(const struct cpu_matrix *m)
{
    unsigned long long moved = (unsigned long long)cpu_matrix_moves_b(m) * 0x01010101u;
    return cpu_splat(m->e, LLVMConstInt(m->e->i32, moved, false), m->lanes);
}

void cpu_matrix_fetch(struct cpu_matrix *m, LLVMValueRef pointer, int level)
{
    struct cpu_emit *e = m->e;
    LLVMValueRef zero = LLVMConstInt(e->i32, 0, false), one = LLVMConstInt(e->i32, 1, false);
    LLVMValueRef near = LLVMConstInt(e->i32, (unsigned long long)(4 - level), false);
    LLVMValueRef operands[] = {pointer, zero, near, one};
    cpu_intrinsic(e, "llvm.prefetch", 1, &e->pointer, 4, operands);
}

LLVMValueRef cpu_matrix_place(struct cpu_matrix *m, int64_t offset)
{
    return cpu_matrix_offset(m, m->e->scratch, cpu_i64(m->e, offset));
}

LLVMValueRef cpu_matrix_panel_bytes(struct cpu_matrix *m, LLVMValueRef steps)
{
    struct cpu_emit *e = m->e;
    int64_t row = (int64_t)m->lanes * m->vectors * m->unit;
    return LLVMBuildMul(e->builder, steps, cpu_i64(e, row), "");
}

LLVMValueRef cpu_matrix_cdiv(struct cpu_matrix *m, LLVMValueRef x, int64_t by)
{
    struct cpu_emit *e = m->e;
    return LLVMBuildUDiv(e->builder, cpu_add(e, x, cpu_i64(e, by - 1)), cpu_i64(e, by), "");
}

LLVMValueRef cpu_matrix_mask(struct cpu_matrix *m, LLVMValueRef count, int lanes)
{
    struct cpu_emit *e = m->e;
    count = cpu_max_i64(e, cpu_min_i64(e, count, cpu_i64(e, lanes)), cpu_i64(e, 0));
    count = LLVMBuildTrunc(e->builder, count, e->i32, "");
    LLVMTypeRef narrow = lanes <= 16 ? e->i32 : e->i8;
    if (lanes > 16)
        count = LLVMBuildTrunc(e->builder, count, e->i8, "");
    return LLVMBuildICmp(e->builder, LLVMIntULT, cpu_iota(e, narrow, lanes),
                         cpu_splat(e, count, lanes), "");
}

LLVMValueRef cpu_matrix_load(struct cpu_matrix *m, LLVMTypeRef type, LLVMValueRef place, int64_t align,
                             LLVMValueRef mask)
{
    struct cpu_emit *e = m->e;
    if (!mask) {
        LLVMValueRef load = LLVMBuildLoad2(e->builder, type, place, "");
        cpu_set_align(load, align);
        return load;
    }
    LLVMTypeRef overloads[] = {type, e->pointer};
    LLVMValueRef operands[] = {place, LLVMConstInt(e->i32, (unsigned long long)align, false), mask,
                               LLVMConstNull(type)};
    return cpu_intrinsic(e, "llvm.masked.load", 2, overloads, 4, operands);
}

void cpu_matrix_store(struct cpu_matrix *m, LLVMValueRef value, LLVMValueRef place, int64_t align,
                      LLVMValueRef mask)
{
    struct cpu_emit *e = m->e;
    if (!mask) {
        cpu_set_align(LLVMBuildStore(e->builder, value, place), align);
        return;
    }
    LLVMTypeRef overloads[] = {LLVMTypeOf(value), e->pointer};
    LLVMValueRef operands[] = {value, place, LLVMConstInt(e->i32, (unsigned long long)align, false),
                               mask};
    cpu_intrinsic(e, "llvm.masked.store", 2, overloads, 4, operands);
}

void cpu_branch_begin(struct cpu_emit *e, struct cpu_branch *b, LLVMValueRef condition)
{
    LLVMBasicBlockRef then = cpu_block(e, "then");
    *b = (struct cpu_branch){.other = cpu_block(e, "else")};
    b->done = cpu_block(e, "endif");
    LLVMBuildCondBr(e->builder, condition, then, b->other);
    LLVMPositionBuilderAtEnd(e->builder, then);
}

void cpu_branch_else(struct cpu_emit *e, struct cpu_branch *b)
{
    LLVMBuildBr(e->builder, b->done);
    LLVMPositionBuilderAtEnd(e->builder, b->other);
    b->has_else = true;
}

void cpu_branch_end(struct cpu_emit *e, struct cpu_branch *b)
{
    if (!b->has_else)
        cpu_branch_else(e, b);
    LLVMBuildBr(e->builder, b->done);
    LLVMPositionBuilderAtEnd(e->builder, b->done);
}

/* ---- what it is made of ---------------------------------------------------------------------- */

static bool is_one(const struct polynomial *p)
{
    int64_t value;
    return polynomial_is_constant(p, &value) && value == 1;
}

/* How elements are multiplied; false: not at all. */
static bool choose_step(struct cpu_matrix *m)
{
    const struct cpu_features *features = &m->e->level->features;
    bool wide = m->e->level->vector_bits == 512;
    m->step = CPU_MATRIX_FMA;
    m->packed = m->sum;
    m->group = 1;
    if (m->elem == IR_BF16 && features->avx512_bf16 && wide) {
        m->step = CPU_MATRIX_BF16;
        m->packed = IR_BF16;
        m->group = 2;
    } else if (m->elem == IR_I8 && features->avx512_vnni && wide) {
        m->step = CPU_MATRIX_VNNI;
        m->packed = IR_I8;
        m->group = 4;
    } else if (m->elem == IR_I8 && features->avx2) {
        m->step = CPU_MATRIX_MADD;
        m->packed = IR_I16;
        m->group = 2;
    }
    return m->sum == IR_F32 || m->sum == IR_F64 || m->sum == IR_I32;
}

static bool same_elements(const struct plan_matrix *plan)
{
    const struct matrix_product *products = plan->products;
    for (int i = 0; i < plan->product_count; i++) {
        if (products[i].a.elem != products[0].a.elem || products[i].b.elem != products[0].b.elem ||
            products[i].elem != products[0].elem)
            return false;
    }
    return true;
}

/*
 * B as it lies costs a kernel one access to another line, and after a few steps to another page, per
 * step. That hides behind the 12 cycles that 24 multiply-adds take, and not behind the 6 of 12: then B
 * must fit half of L1.
 *
 * A block of B is read from wherever it fits, at 21 bytes a cycle by AVX-512's kernels. L3 does not give
 * that; half of an L2 of 1 MB does (Zen 5: 4096^3 reaches 238 GFLOP/s with blocks of 4 MB, 249 with 512 KB,
 * bfloat 460 and 500; Emerald Rapids: 1024^3 119 with 4 MB, 153 with 1 MB, half of its L2). AVX2's kernels
 * take 11 bytes a cycle, and gain more from larger blocks.
 *
 * Fetching and copying ahead takes instructions and buffers for misses. Kernels of 24 sums have room
 * for both (Zen 5, 64 x 4096 x 4096: 225 GFLOP/s with, 170 without). Those of 12 have less: pauses after 16
 * steps cost what they give, after 32 steps four panels can be copied in one (Zen 3, 64 x 4096 x 4096: 1.2
 * times as fast). What they fetch is 6 steps ahead: rows that are a power of two apart share a few sets of the
 * first level (Zen 3, 64 x 4096 x 4096: 6, 10, 11 and 12 ahead are 5% faster than 8, 9 and 16; with rows of
 * 4032 all are the same). A's rows are only fetched there where a strip is soon done (4096 x 64 x 4096: 4%), as
 * in squares the pauses cost 4%. With very many rows packing is too small a part of the work for copying to
 * gain. Their loop over K takes two steps a turn, from the start of a line on: 23 instructions for 12
 * multiply-adds, across lines as it happened, were 6% slower in squares of float and 10% of half, while the
 * core's other thread was busy. They pack A strip by strip, where the kernels before still multiply (64^3 and
 * 256^3 of half: 1 to 2%), and convert what is stored themselves (5% and 3%).
 *
 * Zen 4 computes 512 bits in two halves: 24 multiply-adds take 24 cycles, and 11 bytes a cycle are what its
 * L3 gives. So B's blocks are large, as A, which is read again for each block of columns, comes from
 * farther away (2048^3: 108 GFLOP/s with 512 KB, 110.5 with 4 MB), and blocks of K are deep, so that sums
 * are read and written less often (112.3; 4096 x 64 x 4096: 106 and 112). Its first level has 32 KB,
 * through which panels stream, so that lines fetched far ahead are gone when they are wanted: what is
 * copied is fetched 2 steps ahead, A's next rows go to the second level meanwhile, and the place of the
 * next step is fetched too, as the panels of two blocks do not stay in the second level (64 x 4096 x 4096:
 * 100 and 107).
 *
 * With AVX-512 an A, or a result, of half of the second level is not fetched, and kernels that have nothing to
 * do do not pause (64^3, 256^3: 0.5 to 1% on Zen 4 and Zen 5; two threads whose parts of a result's rows lie side
 * by side fetched one another's: 256^3 of int8 on Zen 5 20.7 and 18.8 us). Kernels convert what is stored (half
 * and bfloat: 6 to 7% at 64^3, 2% at 256^3).
 *
 * Zen 5 stores sums as fast if nothing fetched their lines, and 24 fetches at the start of a kernel keep B's
 * waiting (squares and flat products of all types: 0.1 to 0.9%, 4096 x 4096 x 64 of float with two threads 3%).
 * It too packs A strip by strip (half and 257x255x259 of bfloat and int8: 1%; 64^3 of half loses 1%).
 *
 * Zen 1 computes 256 bits in two halves: a step's 12 multiply-adds take 12 cycles, in which kernels can fetch
 * B's panels from L3, where the processor's own fetching starts anew on each page of 4 KB (1024^3: 2 to 3%,
 * 2048 columns on two threads 5 to 8%). They do not where L2 holds the block, and not past its end, where memory
 * may be that nobody touched yet: a translation that is not there is looked for again by each fetch (64 steps
 * ahead, 258 x 16 x 1024: 0.65 of the speed). Its 1,536 translations cover 6 MB. With few rows and B beyond
 * that, each piece of 256 bytes that kernels copied took 130 ns more than they compute (in a virtual machine):
 * there 256 rows by 512 columns of B are a block, not 1,024 by 128, so that 2 KB of a page follow one another
 * (64 x 4096 x 4096: 12 to 21%, 128 rows 10%). If B is within reach, that costs 2%. What is near is not fetched,
 * as with AVX-512 (64^3: 1 to 1.5%). Kernels pass over all panels that they need not copy for: 150 instructions
 * lie between two calls, 40 between two tiles of one (64^3: 2.5 to 3%, 256^3 1%, on two threads 2 to 3%).
 * Where L2 holds A and L1 a panel beside two strips, all strips pass over a panel before the next one, whose
 * B they fetch, and each fetches the next strip within a loop of 16 steps a turn (256^3: 3.5 to 4%, on two
 * threads 4.5 to 7%; 64^3 5.5%; 1000 x 32 x 64 12%). Then a last panel of more than one vector starts so much
 * earlier that it is whole (257x255x259 6.5%, 100 x 60 x 100 23%). Blocks of B have 2 MB, as four cores share
 * 8 MB of L3: two threads that filled it lost 1 to 10% at 2048^3. One row that sweeps over a B of more than
 * L3 reads 4 rows of it at a time, not 8, fetched 256 bytes ahead into L1 alone (1 x 4096 x 4096: 10 to 13%,
 * on two threads 6 to 9%); if L2 or L3 held that B they would not any more (1 x 512 x 512: a third of the
 * speed).
 */
static const struct cpu_matrix_machine machines[] = {
    {.vector_bits = 512, .vectors = 4, .plain_bytes = 768 << 10, .block_bytes = 512 << 10,
     .deep_bytes = 4 << 10, .packed_bytes = 4 << 10, .pack_rows = CPU_MATRIX_ROWS, .pause = 16,
     .copy_rows = 1024, .copy_panels = 2, .copy_ahead = 4, .copied_bytes = 512 << 10,
     .fetch_level = 1, .near_bytes = 512 << 10, .converts = true},
    {.vector_bits = 512, .halves = true, .vectors = 4, .plain_bytes = 768 << 10, .block_bytes = 4 << 20,
     .deep_bytes = 16 << 10, .packed_bytes = 8 << 10, .pack_rows = CPU_MATRIX_A_ROWS, .pause = 16,
     .copy_rows = 1024, .copy_panels = 2, .copy_ahead = 2, .store_ahead = 1, .copied_bytes = 512 << 10,
     .fetch_sums = true, .fetch_level = 2, .near_bytes = 512 << 10, .converts = true},
    {.vector_bits = 256, .vectors = 2, .plain_bytes = 16 << 10, .block_bytes = 4 << 20,
     .deep_bytes = 4 << 10, .packed_bytes = 4 << 10, .pack_rows = CPU_MATRIX_ROWS, .pause = 32,
     .fetch_panels = 8, .copy_rows = 512, .copy_panels = 4, .copy_ahead = 6, .copied_bytes = 512 << 10,
     .fetch_sums = true, .fetch_level = 1, .pairs = true, .converts = true},
    {.vector_bits = 256, .halves = true, .vectors = 2, .plain_bytes = 16 << 10, .block_bytes = 2 << 20,
     .deep_bytes = 4 << 10, .packed_bytes = 4 << 10, .pack_rows = CPU_MATRIX_ROWS, .pause = 32,
     .fetch_panels = 8, .near_bytes = 320 << 10, .reach_bytes = 4 << 20, .few_bytes = 1 << 10,
     .far_bytes = 8 << 20, .fetch_ahead = 32, .held_bytes = 256 << 10, .copy_rows = 512, .copy_panels = 4,
     .copy_ahead = 6, .copied_bytes = 512 << 10, .fetch_sums = true, .fetch_level = 1, .pairs = true,
     .converts = true, .passes = true, .turn = 16, .panel_bytes = 20 << 10},
    {.vector_bits = 128, .neon = true, .vectors = 4, .plain_bytes = 768 << 10,
     .block_bytes = 4 << 20, .deep_bytes = 4 << 10, .packed_bytes = 4 << 10, .pack_rows = CPU_MATRIX_A_ROWS,
     .fetch_sums = true},
    {.vector_bits = 128, .vectors = 2, .plain_bytes = 16 << 10, .block_bytes = 4 << 20,
     .deep_bytes = 4 << 10, .packed_bytes = 4 << 10, .pack_rows = CPU_MATRIX_A_ROWS, .fetch_sums = true},
};

static const struct cpu_matrix_machine *machine_of(const struct cpu_level *level)
{
    size_t i = 0;
    while (i + 1 < sizeof machines / sizeof *machines &&
           (machines[i].vector_bits != level->vector_bits ||
            machines[i].neon != level->features.neon || machines[i].halves != level->halves))
        i++;
    return &machines[i];
}

static void choose_layout(struct cpu_matrix *m)
{
    const struct plan_matrix *plan = m->plan;
    struct cpu_emit *e = m->e;
    m->unit = (int64_t)ir_elem_bytes(m->sum);
    m->lanes = e->level->vector_bits / 8 / (int)m->unit;
    m->masks = e->level->features.avx2;
    m->machine = machine_of(e->level);
    m->vectors = m->machine->vectors;
    m->sum_type = cpu_elem_type(&e->math, m->sum);
    m->unit_type = m->group == 1 ? m->sum_type : e->i32;
    m->unit_a = m->unit_b = true;
    for (int i = 0; i < plan->product_count; i++) {
        m->unit_a = m->unit_a && is_one(&plan->products[i].a.inner_stride);
        m->unit_b = m->unit_b && is_one(&plan->products[i].b.outer_stride);
    }
    m->unit_c = is_one(&plan->plain_column_stride);
    m->direct = plan->plain && plan->plain_elem == m->sum && m->masks;
    m->converts = plan->plain && plan->plain_elem != m->sum && m->machine->converts;
    int64_t tile_row = (int64_t)m->lanes * m->vectors * m->unit;
    m->tile_panels = tile_row < EPILOGUE_ROW ? (int)(EPILOGUE_ROW / tile_row) : 1;
    int64_t tiles = CPU_MATRIX_ROWS * tile_row * m->tile_panels;
    m->tiles = 0;
    m->row_sums = (tiles + 63) / 64 * 64;
    m->rows_a = m->row_sums + 64;
    m->a_stride = m->machine->packed_bytes + 64;
    m->panels = m->rows_a + CPU_MATRIX_A_ROWS * m->a_stride + 4096;
}

/* ---- a range of programs --------------------------------------------------------------------- */

struct range {
    struct cpu_matrix *m;
    LLVMValueRef arguments, grid, begin, end, scratch;
    LLVMValueRef batch; /* int64_t[3] on the stack */
    LLVMValueRef per_batch, batches;
    LLVMValueRef from, to; /* the share of a batch: programs of per_batch */
};

static bool is_batch_axis(const struct cpu_matrix *m, int axis)
{
    return axis != m->plan->row_axis && axis != m->plan->column_axis;
}

static void count_programs(struct range *r)
{
    struct cpu_emit *e = r->m->e;
    r->per_batch = r->batches = cpu_i64(e, 1);
    for (int k = 0; k < 3; k++) {
        LLVMValueRef *count = is_batch_axis(r->m, k) ? &r->batches : &r->per_batch;
        *count = cpu_mul(e, *count, e->grid[k]);
    }
}

/* Notes where batch number `index` stands on the grid's axes. */
static void set_batch(struct range *r, LLVMValueRef index)
{
    struct cpu_emit *e = r->m->e;
    for (int k = 0; k < 3; k++) {
        LLVMValueRef place = cpu_i64(e, 0), at = cpu_i64(e, k);
        if (is_batch_axis(r->m, k)) {
            place = LLVMBuildURem(e->builder, index, e->grid[k], "");
            index = LLVMBuildUDiv(e->builder, index, e->grid[k], "");
        }
        e->program[k] = place;
        LLVMBuildStore(e->builder, place, LLVMBuildGEP2(e->builder, e->i64, r->batch, &at, 1, ""));
    }
}

/* from/to of per_batch programs, as a part of `units`. */
static LLVMValueRef part(struct range *r, LLVMValueRef program, LLVMValueRef units)
{
    struct cpu_emit *e = r->m->e;
    return LLVMBuildUDiv(e->builder, LLVMBuildMul(e->builder, program, units, ""), r->per_batch,
                         "");
}

/*
 * Whether threads share a rectangle's columns. Then each packs a part of B, and packs or sums up all of A, if that is
 * done at all; where they share rows it is the other way round. And two threads write side by side in each row
 * of the result: to the same line, if rows do not start on lines, and else to lines which processors fetch ahead
 * from one another. So where A is packed or summed up, B is small and used as it lies, or lines are shared, they
 * share rows if there are no fewer of them (Zen 5 with two threads whose lines are far apart, us: 256^3 of half 70
 * and 66, int8 18.5 and 18.0, float 61.3 and 60.7; 257x255x259 of half 74 and 68, int8 26 and 21, bfloat 38.0 and
 * 37.3, float 64.1 and 63.5; 256x256x64 of float 17.2 and 16.5).
 */
static LLVMValueRef shares_columns(struct range *r, LLVMValueRef height, LLVMValueRef columns)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    bool prepares_a = !cpu_matrix_keeps(m, false) || cpu_matrix_moves_b(m);
    LLVMValueRef many = LLVMBuildICmp(e->builder, LLVMIntSGE, columns, cpu_i64(e, MANY_COLUMNS), "");
    LLVMValueRef low = LLVMBuildICmp(e->builder, LLVMIntSLE, height, cpu_i64(e, CPU_MATRIX_ROWS), "");
    bool plain_b = cpu_matrix_takes_plain_b(m);
    if (m->plan->plain && m->machine->vector_bits == 512) {
        LLVMValueRef flat = LLVMBuildICmp(e->builder, LLVMIntSLT, height, columns, "");
        LLVMValueRef most = cpu_i64(e, plain_b ? MANY_PLAIN / m->unit : MANY_SHARED);
        LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSGT, columns, most, "");
        LLVMValueRef keeps = LLVMBuildOr(e->builder, more, flat, "");
        if (!prepares_a && !plain_b) {
            LLVMValueRef row = cpu_matrix_polynomial(m, &m->plan->plain_row_stride);
            int64_t line = LINE / (int64_t)ir_elem_bytes(m->plan->plain_elem);
            LLVMValueRef over = LLVMBuildAnd(e->builder, row, cpu_i64(e, line - 1), "");
            LLVMValueRef apart = LLVMBuildICmp(e->builder, LLVMIntEQ, over, cpu_i64(e, 0), "");
            keeps = LLVMBuildOr(e->builder, keeps, apart, "");
        }
        many = LLVMBuildAnd(e->builder, many, keeps, "");
    }
    return LLVMBuildOr(e->builder, many, low, "");
}

/* The share of a rectangle of the batch. */
static void emit_rectangle(struct range *r, LLVMValueRef row, LLVMValueRef row_end,
                           LLVMValueRef column_end)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef height = LLVMBuildSub(e->builder, row_end, row, "");
    LLVMValueRef wide = shares_columns(r, height, column_end);
    LLVMValueRef size =
        LLVMBuildSelect(e->builder, wide, cpu_i64(e, m->lanes), cpu_i64(e, ROWS_SHARED), "");
    LLVMValueRef whole = LLVMBuildSelect(e->builder, wide, column_end, height, "");
    LLVMValueRef most = cpu_add(e, whole, LLVMBuildSub(e->builder, size, cpu_i64(e, 1), ""));
    LLVMValueRef units = LLVMBuildUDiv(e->builder, cpu_max_i64(e, most, cpu_i64(e, 0)), size, "");
    LLVMValueRef from = LLVMBuildMul(e->builder, part(r, r->from, units), size, "");
    LLVMValueRef to = LLVMBuildMul(e->builder, part(r, r->to, units), size, "");
    to = cpu_min_i64(e, to, whole);
    LLVMValueRef first_row = cpu_add(e, row, from), last_row = cpu_add(e, row, to);
    first_row = LLVMBuildSelect(e->builder, wide, row, first_row, "");
    last_row = LLVMBuildSelect(e->builder, wide, row_end, last_row, "");
    from = LLVMBuildSelect(e->builder, wide, from, cpu_i64(e, 0), "");
    to = LLVMBuildSelect(e->builder, wide, to, column_end, "");
    LLVMValueRef values[] = {r->arguments, r->grid,  r->scratch, r->batch,
                             first_row,    last_row, from,       to};
    LLVMBuildCall2(e->builder, m->block_type, m->block, values, 8, "");
}

static LLVMValueRef limited(struct range *r, LLVMValueRef blocks, int32_t block, bool has_limit,
                            const struct polynomial *limit)
{
    struct cpu_emit *e = r->m->e;
    LLVMValueRef whole = LLVMBuildMul(e->builder, blocks, cpu_i64(e, block), "");
    if (has_limit)
        whole = cpu_min_i64(e, whole, cpu_matrix_polynomial(r->m, limit));
    return cpu_max_i64(e, whole, cpu_i64(e, 0));
}

static LLVMValueRef row_limit(struct range *r, LLVMValueRef blocks)
{
    const struct plan_matrix *plan = r->m->plan;
    return limited(r, blocks, plan->block_m, plan->has_row_limit, &plan->row_limit);
}

static LLVMValueRef column_limit(struct range *r, LLVMValueRef blocks)
{
    const struct plan_matrix *plan = r->m->plan;
    return limited(r, blocks, plan->block_n, plan->has_column_limit, &plan->column_limit);
}

/* How many programs of the launch, which has *count that take part, have one quotient. Of a divisor
 * below 0 only those with the quotient 0 do: a block with a number below 0 is nowhere. x / 0 is 0
 * and x % 0 is x. */
static LLVMValueRef whole_row(struct range *r, LLVMValueRef divisor, LLVMValueRef *count)
{
    struct cpu_emit *e = r->m->e;
    LLVMValueRef all = e->grid[r->m->plan->row_axis], zero = cpu_i64(e, 0);
    LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntEQ, divisor, zero, "");
    LLVMValueRef below = LLVMBuildICmp(e->builder, LLVMIntSLT, divisor, zero, "");
    LLVMValueRef minus = LLVMBuildNeg(e->builder, divisor, "");
    LLVMValueRef size = LLVMBuildSelect(e->builder, below, minus, divisor, "");
    size = LLVMBuildSelect(e->builder, none, all, size, "");
    LLVMValueRef less = LLVMBuildICmp(e->builder, LLVMIntULT, size, all, "");
    LLVMValueRef row = LLVMBuildSelect(e->builder, less, size, all, "");
    *count = LLVMBuildSelect(e->builder, below, row, all, "");
    return row;
}

/* Programs numbered along one axis fill whole rows (or columns) of blocks and a part of one more.
 */
static void emit_numbered(struct range *r)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    const struct plan_matrix *plan = m->plan;
    LLVMValueRef count, per = whole_row(r, cpu_matrix_scalar(m, plan->divisor), &count);
    LLVMValueRef full = LLVMBuildUDiv(e->builder, count, per, "");
    LLVMValueRef over = LLVMBuildURem(e->builder, count, per, "");
    LLVMValueRef one_more = cpu_add(e, full, cpu_i64(e, 1));
    if (plan->quotient_is_row) {
        LLVMValueRef columns = column_limit(r, per);
        emit_rectangle(r, cpu_i64(e, 0), row_limit(r, full), columns);
        LLVMValueRef rest = column_limit(r, over);
        LLVMValueRef rows_end = row_limit(r, one_more);
        emit_rectangle(r, row_limit(r, full), rows_end, rest);
        return;
    }
    /* the same, cut the other way: all rows of the blocks in both columns, then the rest */
    LLVMValueRef wide = column_limit(r, one_more);
    emit_rectangle(r, cpu_i64(e, 0), row_limit(r, over), wide);
    LLVMValueRef narrow = column_limit(r, full);
    LLVMValueRef rows_end = row_limit(r, per);
    emit_rectangle(r, row_limit(r, over), rows_end, narrow);
}

/* Programs in groups take each block once if there are as many as blocks. Any other launch runs
 * program by program. */
static void emit_grouped(struct range *r)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef rows = cpu_matrix_scalar(m, m->plan->group.rows);
    LLVMValueRef columns = cpu_matrix_scalar(m, m->plan->group.columns);
    LLVMValueRef width = column_limit(r, columns);
    emit_rectangle(r, cpu_i64(e, 0), row_limit(r, rows), width);
}

/* Whether all blocks are there, each once. */
static LLVMValueRef is_whole(struct range *r)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef rows = cpu_matrix_scalar(m, m->plan->group.rows);
    LLVMValueRef columns = cpu_matrix_scalar(m, m->plan->group.columns);
    LLVMValueRef blocks = LLVMBuildMul(e->builder, rows, columns, "");
    LLVMValueRef all = LLVMBuildICmp(e->builder, LLVMIntEQ, blocks, e->grid[m->plan->row_axis], "");
    return LLVMBuildAnd(e->builder, all,
                        LLVMBuildICmp(e->builder, LLVMIntSGT, rows, cpu_i64(e, 0), ""), "");
}

static void emit_batch(struct range *r)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    const struct plan_matrix *plan = m->plan;
    LLVMValueRef one = cpu_i64(e, 1);
    struct cpu_branch branch;
    cpu_branch_begin(e, &branch, cpu_matrix_guards(m, plan->guards, plan->guard_count));
    if (plan->grouped)
        emit_grouped(r);
    else if (plan->divisor)
        emit_numbered(r);
    else {
        LLVMValueRef across = plan->column_axis < 0 ? one : e->grid[plan->column_axis];
        LLVMValueRef columns = column_limit(r, across);
        LLVMValueRef rows = row_limit(r, plan->row_axis < 0 ? one : e->grid[plan->row_axis]);
        emit_rectangle(r, cpu_i64(e, 0), rows, columns);
    }
    cpu_branch_end(e, &branch);
}

static void emit_batches(struct range *r)
{
    struct cpu_emit *e = r->m->e;
    LLVMValueRef last = LLVMBuildSub(e->builder, r->end, cpu_i64(e, 1), "");
    LLVMValueRef first = LLVMBuildUDiv(e->builder, r->begin, r->per_batch, "");
    last = cpu_add(e, LLVMBuildUDiv(e->builder, last, r->per_batch, ""), cpu_i64(e, 1));
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, first, last, 1);
    set_batch(r, loop.index);
    LLVMValueRef before = LLVMBuildMul(e->builder, loop.index, r->per_batch, "");
    r->from = cpu_max_i64(e, LLVMBuildSub(e->builder, r->begin, before, ""), cpu_i64(e, 0));
    r->to = cpu_min_i64(e, LLVMBuildSub(e->builder, r->end, before, ""), r->per_batch);
    emit_batch(r);
    cpu_loop_end(e, &loop);
}

static void emit_range(struct cpu_matrix *m, const char *symbol)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[] = {e->pointer, e->pointer, e->i64, e->i64, e->pointer};
    LLVMTypeRef type = LLVMFunctionType(e->void_type, types, 5, false);
    cpu_matrix_begin(m, "range", type);
    LLVMSetLinkage(e->function, LLVMExternalLinkage);
    LLVMSetValueName2(e->function, symbol, strlen(symbol));
    struct range r = {.m = m,
                      .arguments = LLVMGetParam(e->function, 0),
                      .grid = LLVMGetParam(e->function, 1),
                      .begin = LLVMGetParam(e->function, 2),
                      .end = LLVMGetParam(e->function, 3),
                      .scratch = LLVMGetParam(e->function, 4)};
    r.batch = cpu_alloca(e, LLVMArrayType2(e->i64, 3), "batch");
    struct cpu_branch branch;
    cpu_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntSLT, r.begin, r.end, ""));
    cpu_matrix_launch(m, r.arguments, r.grid, r.scratch, NULL);
    count_programs(&r);
    struct cpu_branch whole;
    if (m->programs) {
        cpu_branch_begin(e, &whole, is_whole(&r));
        emit_batches(&r);
        cpu_branch_else(e, &whole);
        LLVMValueRef values[] = {r.arguments, r.grid, r.begin, r.end, r.scratch};
        LLVMBuildCall2(e->builder, type, m->programs, values, 5, "");
        cpu_branch_end(e, &whole);
    } else {
        emit_batches(&r);
    }
    cpu_branch_end(e, &branch);
    cpu_matrix_end(m);
}

/* ---- whether --------------------------------------------------------------------------------- */

static void explain(struct cpu_emit *e, const struct ir_func *func, const struct ir_op *place,
                    const char *reason)
{
    struct diagnostic *d =
        diagnostics_add(e->diagnostics, DIAGNOSTIC_PERF, place->range,
                        "the products of '%s' run one program at a time: %s", func->name, reason);
    diagnostics_hint(e->diagnostics, d,
                     "docs/matrix.md says which kernels run as one matrix product");
}

/* A dot outside of loops may well be as small as it looks. */
static bool has_loop_with_dot(const struct ir_region *region, bool in_loop)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (op->code == IR_OP_DOT && in_loop)
            return true;
        for (int i = 0; i < op->region_count; i++) {
            if (has_loop_with_dot(op->regions[i], in_loop || op->code != IR_OP_IF))
                return true;
        }
    }
    return false;
}

static void emit_parts(struct cpu_matrix *m)
{
    choose_layout(m);
    cpu_matrix_kernels(m);
    if (m->machine->turn && m->direct && cpu_matrix_keeps(m, false) &&
        cpu_matrix_takes_plain_b(m) && m->plan->product_count == 1)
        cpu_matrix_strips(m);
    if (m->masks && !m->wide)
        cpu_matrix_sweeps(m);
    cpu_matrix_pack(m);
    if (cpu_matrix_moves_b(m))
        cpu_matrix_sums(m);
    cpu_matrix_epilogue(m);
    if (m->wide)
        cpu_matrix_scan(m);
    cpu_matrix_block(m);
}

/* A second set of functions in front of the wide ones, a fifth faster and for 7-bit weights only. */
static struct cpu_matrix *emit_narrow(const struct cpu_matrix *wide)
{
    struct cpu_emit *e = wide->e;
    struct cpu_matrix *m = ARENA_NEW(e->arena, struct cpu_matrix);
    *m = (struct cpu_matrix){.e = e,
                             .plan = wide->plan,
                             .prefix = arena_format(e->arena, "%s.narrow", wide->prefix),
                             .step = CPU_MATRIX_NARROW,
                             .from = {wide->from[0], wide->from[1]},
                             .elem = wide->elem,
                             .packed = IR_I8,
                             .sum = wide->sum,
                             .group = 4,
                             .programs = wide->programs,
                             .wide = wide};
    emit_parts(m);
    return m;
}

bool cpu_matrix_emit(struct cpu_emit *e, const struct ir_func *func, unsigned variant,
                     const char *symbol)
{
    struct plan_matrix *plan = ARENA_NEW(e->arena, struct plan_matrix);
    const char *reason;
    const struct ir_op *place;
    enum plan_matrix_result result = plan_matrix_find(func, plan, &reason, &place);
    if (result == PLAN_MATRIX_OTHER && has_loop_with_dot(func->body, false)) {
        if (cpu_dots_in_chain(func))
            place = cpu_dot_slow(e, func, &reason);
        if (place)
            explain(e, func, place, reason);
    }
    if (result != PLAN_MATRIX_FOUND)
        return false;
    e->overlap_mattered = plan->needs_no_overlap;
    if (plan->needs_no_overlap && !(variant & CPU_VARIANT_NO_OVERLAP))
        return false;
    struct cpu_matrix *m = ARENA_NEW(e->arena, struct cpu_matrix);
    *m = (struct cpu_matrix){.e = e,
                             .plan = plan,
                             .prefix = symbol,
                             .from = {plan->products[0].a.elem, plan->products[0].b.elem},
                             .elem = plan->products[0].elem,
                             .sum = plan->accumulators[0].elem};
    if (!same_elements(plan) || !choose_step(m)) {
        explain(e, func, plan->products[0].dot, "its dots have operands of different types");
        return false;
    }
    e->func = func;
    if (plan->grouped) {
        m->programs = cpu_emit_programs(e, func, arena_format(e->arena, "%s.programs", symbol));
        LLVMSetLinkage(m->programs, LLVMInternalLinkage);
    }
    emit_parts(m);
    if (m->step == CPU_MATRIX_MADD && m->from[1] == IR_I8)
        m = emit_narrow(m);
    emit_range(m, symbol);
    if (e->scratch_bytes < CPU_MATRIX_BYTES)
        e->scratch_bytes = CPU_MATRIX_BYTES;
    if (e->vector_bytes < e->level->vector_bits / 8)
        e->vector_bytes = e->level->vector_bits / 8;
    return true;
}
