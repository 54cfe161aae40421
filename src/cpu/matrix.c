/*
 * Which kernels run as matrix products, and what their functions are made of; see matrix.h.
 */
#include "cpu/matrix.h"
#include "cpu/dot.h"

enum { EPILOGUE_ROW = 256 }; /* bytes of a row of sums, for which an epilogue is worth a call */

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
    if (m->elem == IR_BF16 && m->e->level->bf16_dots && wide) {
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
 * 100 and 107). Between the last multiply-add of a kernel and the first of the next one lie nearly as many
 * instructions as it looks ahead, of which the stores wait for it: so kernels take the last 3 steps row by row,
 * and store a row while the next ones are computed (64^3: 3 to 3.5%, 256^3 and 257x255x259 0.5 to 1%; 2 steps
 * give half of that, 4 the same). Where L2 holds A and a panel, all strips pass over a panel, in one call, a step
 * a turn (64^3: another 0.7%, 257x255x259 0.5%, 128x120x256 2.6%; 16 steps a turn, as on Zen 1, give less).
 * A single row that sweeps over a B that L3 does not hold has it fetched 1.5 KB ahead, as the processor's own
 * fetching starts anew on each page of 4 KB (1 x 4096 x 4096: 22%, 2048 columns 12%; 1 to 3 KB ahead the same; a
 * B that L3 holds loses 2 to 10%).
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
     .fetch_sums = true, .fetch_level = 2, .near_bytes = 512 << 10, .converts = true, .last_steps = 3,
     .turn = 1, .panel_bytes = 128 << 10, .far_bytes = 12 << 20, .far_rows = 8, .far_ahead = 1536,
     .far_level = 2},
    {.vector_bits = 256, .vectors = 2, .plain_bytes = 16 << 10, .block_bytes = 4 << 20,
     .deep_bytes = 4 << 10, .packed_bytes = 4 << 10, .pack_rows = CPU_MATRIX_ROWS, .pause = 32,
     .fetch_panels = 8, .copy_rows = 512, .copy_panels = 4, .copy_ahead = 6, .copied_bytes = 512 << 10,
     .fetch_sums = true, .fetch_level = 1, .pairs = true, .converts = true},
    {.vector_bits = 256, .halves = true, .vectors = 2, .plain_bytes = 16 << 10, .block_bytes = 2 << 20,
     .deep_bytes = 4 << 10, .packed_bytes = 4 << 10, .pack_rows = CPU_MATRIX_ROWS, .pause = 32,
     .fetch_panels = 8, .near_bytes = 320 << 10, .reach_bytes = 4 << 20, .few_bytes = 1 << 10,
     .far_bytes = 8 << 20, .far_rows = 4, .far_ahead = 256, .far_level = CPU_MATRIX_PAST, .fetch_ahead = 32, .held_bytes = 256 << 10, .copy_rows = 512, .copy_panels = 4,
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
    int64_t tile_row = tile_columns(m) * m->unit;
    m->tile_panels = tile_row < EPILOGUE_ROW ? (int)(EPILOGUE_ROW / tile_row) : 1;
    int64_t tiles = CPU_MATRIX_ROWS * tile_row * m->tile_panels;
    m->tiles = 0;
    m->row_sums = (tiles + 63) / 64 * 64;
    m->rows_a = m->row_sums + 64;
    m->a_stride = m->machine->packed_bytes + 64;
    m->panels = m->rows_a + CPU_MATRIX_A_ROWS * m->a_stride + 4096;
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
    if (plan->grouped || plan->has_sign) {
        m->programs = cpu_emit_programs(e, func, arena_format(e->arena, "%s.programs", symbol));
        LLVMSetLinkage(m->programs, LLVMInternalLinkage);
    }
    emit_parts(m);
    if (m->step == CPU_MATRIX_MADD && m->from[1] == IR_I8)
        m = emit_narrow(m);
    cpu_matrix_range(m, symbol);
    if (e->scratch_bytes < CPU_MATRIX_BYTES)
        e->scratch_bytes = CPU_MATRIX_BYTES;
    if (e->vector_bytes < e->level->vector_bits / 8)
        e->vector_bytes = e->level->vector_bits / 8;
    return true;
}
