/*
 * Micro-kernels: rows x vectors sums in registers over a block of K.
 *
 *   void kernel(a, a_row, b, b_step, c, c_row, steps, load, rows, columns, moved,
 *               next_c, next_a, next_a_row, next_a_step, from, from_step, to, to_panel, copies,
 * ahead)
 *
 * adds to the sums at c (load), or to the start value, what `steps` units of K give, less what
 * `moved` has for each row (matrix_sums.c); or stores what the result is at c (load is
 * CPU_MATRIX_CONVERT). a is row-major, b_step is the distance of steps in b; distances are in
 * bytes. A full kernel has its rows and columns by name. An edge kernel has 6 rows, of which those
 * from `rows` on repeat the last one (the same values are stored twice), and masks in its last
 * vector of columns.
 *
 * 6 x 4 vectors leave 8 of 32 registers for B and A, 6 x 2 leave 4 of 16; taller tiles lose because
 * rows of C that are a power of two apart share a cache set.
 *
 * What the next kernels need comes meanwhile. next_c is where the next kernel's sums are, which are
 * fetched with machine->fetch_sums. With machine->pause there is a pause after every so many steps,
 * in which a kernel fetches a line of each of 6 rows from next_a on, next_a_row apart, which moves
 * on by next_a_step; and in each of the first `copies` pauses a full kernel copies one step of B's
 * next block: a few panels' columns, from `from` to `to` and places to_panel apart, and fetches
 * those of some steps later. All that is a few dozen of the 1,000 to 1,500 instructions that the
 * processor can take meanwhile. Fetches in each step, or lines one by one of rows on different
 * pages, cost a tenth of the time.
 *
 * With machine->passes there are further parameters,
 *
 *               ahead, last_ahead, tiles, b_panel, c_tile, next_a_piece
 *
 * and a full kernel makes `tiles` tiles side by side, each b_panel farther in B, c_tile in the sums
 * and next_a_piece in A's next rows. With machine->fetch_ahead (where a step takes the time of two)
 * it does fetch the line of B that is `ahead` in each step, in the last tile last_ahead.
 *
 * Where the second level holds A (machine->near_bytes), strips of rows pass over a panel that stays
 * in the first one:
 *
 *   void strips(a, a_row, b, b_step, c, c_row, steps, count, next_a, beside, beside_row)
 *
 * makes the tiles of `count` strips of full height, one below the other, from the start value. In
 * its loop over K each turn of `machine->turn` steps fetches a line of each row of the next strip
 * (of the last one's: from next_a on), and each tile 6 more, beside_row apart, from `beside` on.
 */
#include "cpu/matrix.h"

#include <string.h>

enum {
    A,
    A_ROW,
    B,
    B_STEP,
    C,
    C_ROW,
    STEPS,
    LOAD,
    ROWS,
    COLUMNS,
    MOVED,
    NEXT_C,
    NEXT_A,
    NEXT_A_ROW,
    NEXT_A_STEP,
    FROM,
    FROM_STEP,
    TO,
    TO_PANEL,
    COPIES,
    AHEAD,
    LAST_AHEAD,
    TILES,
    B_PANEL,
    C_TILE,
    NEXT_A_PIECE,
    PARAMETERS
};

/* Parameters of the function that makes the tiles of some strips; up to STEPS they are those of a
 * kernel. */
enum { STRIPS = STEPS + 1, STRIPS_NEXT_A, STRIPS_BESIDE, STRIPS_BESIDE_ROW, STRIPS_PARAMETERS };

struct kernel {
    struct cpu_matrix *m;
    LLVMValueRef p[PARAMETERS];
    int rows, vectors;
    bool edge;
    bool turns;        /* of strips: many steps a turn */
    LLVMValueRef mask; /* of the last vector; NULL: full */
    LLVMValueRef row[CPU_MATRIX_ROWS];
    LLVMValueRef slots[CPU_MATRIX_ROWS][CPU_MATRIX_MOST_VECTORS];
    LLVMValueRef b, next_a, from, to; /* slots of places that move on */
    LLVMValueRef far_sums;            /* whether the next kernel's are fetched; NULL: always */
};

/* ---- memory ---------------------------------------------------------------------------------- */

static LLVMValueRef vector_place(struct kernel *k, LLVMValueRef pointer, int v)
{
    int64_t bytes = v * k->m->lanes * k->m->unit;
    return bytes ? cpu_matrix_offset(k->m, pointer, cpu_i64(k->m->e, bytes)) : pointer;
}

static LLVMValueRef mask_of(struct kernel *k, int v)
{
    return v == k->vectors - 1 ? k->mask : NULL;
}

static LLVMValueRef load_vector(struct kernel *k, LLVMTypeRef element, LLVMValueRef pointer, int v)
{
    int64_t align = (int64_t)ir_elem_bytes(k->m->packed); /* user memory may have no more */
    return cpu_matrix_load(k->m, cpu_vector(element, k->m->lanes), vector_place(k, pointer, v), align,
                           mask_of(k, v));
}

static void store_vector(struct kernel *k, LLVMValueRef value, LLVMValueRef pointer, int v)
{
    cpu_matrix_store(k->m, value, vector_place(k, pointer, v), k->m->unit, mask_of(k, v));
}

/* ---- one step -------------------------------------------------------------------------------- */

/* Four products of bytes, summed in pairs (16 bits, which hold 2 * -128 * 128) and then in fours. */
static LLVMValueRef multiply_bytes(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b)
{
    struct cpu_emit *e = m->e;
    bool wide = m->lanes == 16;
    LLVMTypeRef bytes = LLVMVectorType(e->i8, (unsigned)m->lanes * 4);
    b = LLVMBuildBitCast(e->builder, b, bytes, "");
    a = LLVMBuildBitCast(e->builder, a, bytes, "");
    const char *name = wide ? "llvm.x86.avx512.pmaddubs.w.512" : "llvm.x86.avx2.pmadd.ub.sw";
    LLVMTypeRef i16 = LLVMInt16TypeInContext(e->context);
    LLVMValueRef pairs = cpu_intrinsic(e, name, 0, NULL, 2, (LLVMValueRef[]){b, a});
    LLVMValueRef ones = cpu_splat(e, LLVMConstInt(i16, 1, false), m->lanes * 2);
    name = wide ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd";
    return cpu_intrinsic(e, name, 0, NULL, 2, (LLVMValueRef[]){pairs, ones});
}

/* Two products of words, summed. */
static LLVMValueRef multiply_words(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef shorts = LLVMVectorType(LLVMInt16TypeInContext(e->context), (unsigned)m->lanes * 2);
    a = LLVMBuildBitCast(e->builder, a, shorts, "");
    b = LLVMBuildBitCast(e->builder, b, shorts, "");
    const char *name = m->lanes == 16 ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd";
    return cpu_intrinsic(e, name, 0, NULL, 2, (LLVMValueRef[]){a, b});
}

/* Products that an addition of its own adds to a sum, or NULL where one instruction does both. */
static LLVMValueRef multiply_only(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b)
{
    if (m->step == CPU_MATRIX_MADD)
        return multiply_words(m, a, b);
    return m->step == CPU_MATRIX_NARROW ? multiply_bytes(m, a, b) : NULL;
}

LLVMValueRef cpu_matrix_multiply(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef sum)
{
    struct cpu_emit *e = m->e;
    LLVMValueRef product = multiply_only(m, a, b);
    if (product)
        return LLVMBuildAdd(e->builder, product, sum, "");
    LLVMTypeRef type = LLVMTypeOf(sum);
    switch (m->step) {
    case CPU_MATRIX_BF16: {
        LLVMTypeRef pairs =
            LLVMVectorType(LLVMBFloatTypeInContext(e->context), (unsigned)m->lanes * 2);
        a = LLVMBuildBitCast(e->builder, a, pairs, "");
        b = LLVMBuildBitCast(e->builder, b, pairs, "");
        LLVMValueRef operands[] = {sum, a, b};
        return cpu_intrinsic(e, "llvm.x86.avx512bf16.dpbf16ps.512", 0, NULL, 3, operands);
    }
    case CPU_MATRIX_VNNI: {
        LLVMValueRef operands[] = {sum, b, a};
        return cpu_intrinsic(e, "llvm.x86.avx512.vpdpbusd.512", 0, NULL, 3, operands);
    }
    case CPU_MATRIX_MADD:
    case CPU_MATRIX_NARROW:
    case CPU_MATRIX_FMA:
        break;
    }
    if (!ir_is_float(m->sum))
        return LLVMBuildAdd(e->builder, LLVMBuildMul(e->builder, a, b, ""), sum, "");
    if (!e->level->features.fma)
        return LLVMBuildFAdd(e->builder, LLVMBuildFMul(e->builder, a, b, ""), sum, "");
    LLVMValueRef operands[] = {a, b, sum};
    return cpu_intrinsic(e, "llvm.fma", 1, &type, 3, operands);
}

/* A's unit of a row at a step, in every lane. */
static LLVMValueRef spread_a(struct kernel *k, int row, LLVMValueRef step)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef place =
        LLVMBuildGEP2(e->builder, k->m->unit_type, k->row[row], &step, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, k->m->unit_type, place, "");
    cpu_set_align(load, (int64_t)ir_elem_bytes(k->m->packed));
    return cpu_splat(e, load, k->m->lanes);
}

void cpu_matrix_keep(struct cpu_matrix *m, LLVMValueRef *v, int count)
{
    static const char *const constraints[] = {"=v,0", "=v,=v,0,1", "=v,=v,=v,0,1,2",
                                              "=v,=v,=v,=v,0,1,2,3"};
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[CPU_MATRIX_MOST_VECTORS];
    for (int i = 0; i < count; i++)
        types[i] = LLVMTypeOf(v[i]);
    LLVMTypeRef all = count == 1 ? types[0]
                                 : LLVMStructTypeInContext(e->context, types, (unsigned)count, false);
    LLVMTypeRef type = LLVMFunctionType(all, types, (unsigned)count, false);
    const char *constraint = constraints[count - 1];
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, constraint, strlen(constraint), false, false,
                                            LLVMInlineAsmDialectATT, false);
    LLVMValueRef results = LLVMBuildCall2(e->builder, type, nothing, v, (unsigned)count, "");
    for (int i = 0; i < count; i++)
        v[i] = count == 1 ? results : LLVMBuildExtractValue(e->builder, results, (unsigned)i, "");
}

static bool fetches_b(const struct kernel *k)
{
    return k->m->machine->fetch_ahead && !k->edge && !k->turns;
}

/* A row's sums are complete, in registers, before anything more is loaded: of many steps LLVM would
 * load far more ahead than there are registers for. */
static void end_row(struct kernel *k, int row)
{
    static const char constraint[] = "=v,=v,0,1,~{memory}";
    struct cpu_emit *e = k->m->e;
    LLVMTypeRef type = cpu_vector(k->m->sum_type, k->m->lanes), types[] = {type, type};
    LLVMValueRef sums[2];
    for (int v = 0; v < 2; v++)
        sums[v] = LLVMBuildLoad2(e->builder, type, k->slots[row][v], "");
    LLVMTypeRef both = LLVMStructTypeInContext(e->context, types, 2, false);
    LLVMTypeRef call = LLVMFunctionType(both, types, 2, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(call, "", 0, constraint, sizeof constraint - 1, true,
                                            false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef kept = LLVMBuildCall2(e->builder, call, nothing, sums, 2, "");
    for (unsigned v = 0; v < 2; v++)
        LLVMBuildStore(e->builder, LLVMBuildExtractValue(e->builder, kept, v, ""),
                       k->slots[row][v]);
}

static void one_step(struct kernel *k, LLVMValueRef step, LLVMValueRef b_place)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    LLVMValueRef b[CPU_MATRIX_MOST_VECTORS];
    for (int v = 0; v < k->vectors; v++)
        b[v] = load_vector(k, m->unit_type, b_place, v);
    if (fetches_b(k))
        cpu_matrix_fetch(m, cpu_matrix_offset(m, b_place, k->p[AHEAD]), 1);
    for (int r = 0; r < k->rows; r++) {
        LLVMValueRef a = spread_a(k, r, step), products[CPU_MATRIX_MOST_VECTORS];
        for (int v = 0; v < k->vectors; v++)
            products[v] = multiply_only(m, a, b[v]);
        /* Zen 3 spreads products and additions in turns badly over its units: 150 to 165 GOP/s, by where
         * the code lies. With the additions behind all products of a row it is 165 anywhere. */
        if (products[0])
            cpu_matrix_keep(m, products, k->vectors);
        for (int v = 0; v < k->vectors; v++) {
            LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, k->slots[r][v], "");
            sum = products[v] ? LLVMBuildAdd(e->builder, products[v], sum, "")
                              : cpu_matrix_multiply(m, a, b[v], sum);
            LLVMBuildStore(e->builder, sum, k->slots[r][v]);
        }
        if (k->turns)
            end_row(k, r);
    }
}

/* ---- sums ------------------------------------------------------------------------------------ */

static LLVMValueRef row_place(struct kernel *k, LLVMValueRef pointer, LLVMValueRef distance, int r)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef row = cpu_i64(e, r);
    if (k->edge && r > 0) {
        LLVMValueRef last = LLVMBuildSub(e->builder, k->p[ROWS], cpu_i64(e, 1), "");
        row = cpu_min_i64(e, row, last);
    }
    return r ? cpu_matrix_offset(k->m, pointer, LLVMBuildMul(e->builder, row, distance, ""))
             : pointer;
}

static void start_sums(struct kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    LLVMValueRef start = cpu_splat(
        e, cpu_constant(e, ir_scalar(m->sum), m->plan->accumulators[0].start), m->lanes);
    for (int r = 0; r < k->rows; r++)
        for (int v = 0; v < k->vectors; v++)
            k->slots[r][v] = cpu_alloca(e, type, "sum");
    struct cpu_branch branch;
    LLVMIntPredicate loads = m->converts ? LLVMIntEQ : LLVMIntNE;
    LLVMValueRef which = cpu_i64(e, m->converts ? CPU_MATRIX_LOAD : CPU_MATRIX_START);
    cpu_branch_begin(e, &branch, LLVMBuildICmp(e->builder, loads, k->p[LOAD], which, ""));
    for (int r = 0; r < k->rows; r++) {
        LLVMValueRef place = row_place(k, k->p[C], k->p[C_ROW], r);
        for (int v = 0; v < k->vectors; v++)
            LLVMBuildStore(e->builder, load_vector(k, m->sum_type, place, v), k->slots[r][v]);
    }
    cpu_branch_else(e, &branch);
    for (int r = 0; r < k->rows; r++)
        for (int v = 0; v < k->vectors; v++)
            LLVMBuildStore(e->builder, start, k->slots[r][v]);
    cpu_branch_end(e, &branch);
}

static void fetch_sums(struct kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    struct cpu_branch far;
    if (k->far_sums)
        cpu_branch_begin(e, &far, k->far_sums);
    for (int r = 0; r < k->rows; r++) {
        LLVMValueRef place = row_place(k, k->p[NEXT_C], k->p[C_ROW], r);
        for (int v = 0; v < k->vectors; v++)
            cpu_matrix_fetch(m, vector_place(k, place, v), 1);
    }
    if (k->far_sums)
        cpu_branch_end(e, &far);
}

/* What moving B's elements added to all sums of a row, in all lanes; NULL where they are not moved. */
static LLVMValueRef moved_sum(struct kernel *k, int row)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    if (!cpu_matrix_moves_b(m))
        return NULL;
    LLVMValueRef place = cpu_matrix_offset(m, k->p[MOVED], cpu_i64(e, row * m->unit));
    return cpu_splat(e, LLVMBuildLoad2(e->builder, m->sum_type, place, ""), m->lanes);
}

/* ---- pauses ---------------------------------------------------------------------------------- */

/* A place that moves on in the loop over K. */
static LLVMValueRef moving(struct kernel *k, int parameter)
{
    LLVMValueRef slot = cpu_alloca(k->m->e, k->m->e->pointer, "moving");
    LLVMBuildStore(k->m->e->builder, k->p[parameter], slot);
    return slot;
}

static LLVMValueRef move_on(struct kernel *k, LLVMValueRef slot, LLVMValueRef bytes)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef place = LLVMBuildLoad2(e->builder, e->pointer, slot, "");
    LLVMBuildStore(e->builder, cpu_matrix_offset(k->m, place, bytes), slot);
    return place;
}

static void fetch_rows(struct kernel *k, int level)
{
    LLVMValueRef line = move_on(k, k->next_a, k->p[NEXT_A_STEP]);
    for (int r = 0; r < CPU_MATRIX_ROWS; r++) {
        cpu_matrix_fetch(k->m, line, level);
        line = cpu_matrix_offset(k->m, line, k->p[NEXT_A_ROW]);
    }
}

static void copy_step(struct kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    int64_t columns = (int64_t)m->lanes * m->vectors;
    LLVMValueRef from = move_on(k, k->from, k->p[FROM_STEP]);
    LLVMValueRef to = move_on(k, k->to, cpu_i64(e, columns * m->unit));
    LLVMValueRef inner = LLVMBuildSDiv(e->builder, k->p[FROM_STEP], cpu_i64(e, m->group), "");
    LLVMValueRef ahead = LLVMBuildMul(e->builder, k->p[FROM_STEP],
                                      cpu_i64(e, m->machine->copy_ahead), "");
    for (int i = 0; i < m->machine->copy_panels; i++) {
        if (i) {
            from = cpu_matrix_offset(m, from, cpu_i64(e, columns * cpu_matrix_element(m, true)));
            to = cpu_matrix_offset(m, to, k->p[TO_PANEL]);
        }
        cpu_matrix_copy_step(m, from, inner, to, ahead);
    }
}

static void emit_pause(struct kernel *k, LLVMValueRef step)
{
    struct cpu_emit *e = k->m->e;
    struct cpu_branch branch;
    int level = k->m->machine->fetch_level;
    if (k->edge || level == 1)
        fetch_rows(k, 1);
    if (k->edge)
        return;
    LLVMValueRef number = LLVMBuildUDiv(e->builder, step, cpu_i64(e, k->m->machine->pause), "");
    cpu_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntSLT, number, k->p[COPIES], ""));
    if (level != 1)
        fetch_rows(k, level);
    copy_step(k);
    if (level != 1) {
        cpu_branch_else(e, &branch);
        fetch_rows(k, 1);
    }
    cpu_branch_end(e, &branch);
}

/* `index` as it is, in a register; what follows starts on a line of instructions, if nothing comes between. */
static LLVMValueRef start_line(struct cpu_emit *e, LLVMValueRef index)
{
    static const char align[] = ".p2align 6";
    static const char constraint[] = "=r,0";
    LLVMTypeRef type = LLVMFunctionType(e->i64, &e->i64, 1, false);
    LLVMValueRef code = LLVMGetInlineAsm(type, align, sizeof align - 1, constraint, sizeof constraint - 1,
                                         true, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(e->builder, type, code, &index, 1, "");
}

static bool takes_pairs(const struct kernel *k)
{
    return k->m->machine->pairs && !k->edge;
}

/* Where they are taken in pairs, an even number, and not 0. */
static void emit_steps(struct kernel *k, LLVMValueRef from, LLVMValueRef to)
{
    struct cpu_emit *e = k->m->e;
    struct cpu_loop loop;
    if (takes_pairs(k))
        cpu_loop_enter(e, &loop, start_line(e, from), to, 2);
    else
        cpu_loop_begin(e, &loop, from, to, 1);
    one_step(k, loop.index, move_on(k, k->b, k->p[B_STEP]));
    if (takes_pairs(k)) {
        LLVMValueRef next = move_on(k, k->b, k->p[B_STEP]);
        one_step(k, cpu_add(e, loop.index, cpu_i64(e, 1)), next);
    }
    cpu_loop_end(e, &loop);
}

/* The first step by itself, if it would be left over; returns how many are done. */
static LLVMValueRef emit_odd_step(struct kernel *k)
{
    struct cpu_emit *e = k->m->e;
    if (!takes_pairs(k))
        return cpu_i64(e, 0);
    LLVMValueRef odd = LLVMBuildAnd(e->builder, k->p[STEPS], cpu_i64(e, 1), "");
    struct cpu_branch branch;
    cpu_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntNE, odd, cpu_i64(e, 0), ""));
    one_step(k, cpu_i64(e, 0), move_on(k, k->b, k->p[B_STEP]));
    cpu_branch_end(e, &branch);
    return odd;
}

/* Whether a kernel has nothing to do in pauses: then it does not pause. NULL: it always has. */
static LLVMValueRef is_idle(struct kernel *k)
{
    struct cpu_emit *e = k->m->e;
    if (!k->m->machine->fetch_panels && !k->m->machine->near_bytes)
        return NULL;
    LLVMValueRef work = LLVMBuildOr(e->builder, k->p[NEXT_A_STEP], k->p[COPIES], "");
    return LLVMBuildICmp(e->builder, LLVMIntEQ, work, cpu_i64(e, 0), "");
}

static void emit_depth(struct kernel *k)
{
    struct cpu_emit *e = k->m->e;
    k->b = moving(k, B);
    if (!k->m->machine->pause) {
        emit_steps(k, cpu_i64(e, 0), k->p[STEPS]);
        return;
    }
    k->next_a = moving(k, NEXT_A);
    k->from = moving(k, FROM);
    k->to = moving(k, TO);
    LLVMValueRef pause = cpu_i64(e, k->m->machine->pause), idle = is_idle(k);
    if (idle)
        pause = LLVMBuildSelect(e->builder, idle, k->p[STEPS], pause, "");
    LLVMValueRef done = emit_odd_step(k);
    struct cpu_loop pauses;
    cpu_loop_begin(e, &pauses, done, k->p[STEPS], 1);
    pauses.step = pause;
    struct cpu_branch busy;
    if (idle)
        cpu_branch_begin(e, &busy, LLVMBuildNot(e->builder, idle, ""));
    emit_pause(k, pauses.index);
    if (idle)
        cpu_branch_end(e, &busy);
    LLVMValueRef end = cpu_add(e, pauses.index, pause);
    emit_steps(k, pauses.index, cpu_min_i64(e, end, k->p[STEPS]));
    cpu_loop_end(e, &pauses);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The same mask, from signs that stay in a register: LLVM would compare in each step, with two vectors that
 * there are no registers for, so that sums wait in memory (257x255x259 of float: 7%). */
static LLVMValueRef in_register(struct cpu_matrix *m, LLVMValueRef mask)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(LLVMIntTypeInContext(e->context, (unsigned)m->unit * 8), m->lanes);
    LLVMValueRef signs = LLVMBuildSExt(e->builder, mask, type, "");
    cpu_matrix_keep(m, &signs, 1);
    return LLVMBuildICmp(e->builder, LLVMIntSLT, signs, LLVMConstNull(type), "");
}

/* To c, which takes sums, or what the store makes of them. */
static void store_sums(struct kernel *k, bool converts)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    int64_t bytes = (int64_t)ir_elem_bytes(m->plan->plain_elem);
    for (int r = 0; r < k->rows; r++) {
        LLVMValueRef place = row_place(k, k->p[C], k->p[C_ROW], r), moved = moved_sum(k, r);
        for (int v = 0; v < k->vectors; v++) {
            LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, k->slots[r][v], "");
            if (moved)
                sum = LLVMBuildSub(e->builder, sum, moved, "");
            if (!converts) {
                store_vector(k, sum, place, v);
                continue;
            }
            LLVMValueRef way = cpu_i64(e, v * m->lanes * bytes);
            LLVMValueRef to = cpu_matrix_offset(m, place, way);
            cpu_matrix_store(m, cpu_matrix_convert(m, sum), to, bytes, NULL);
        }
    }
}

/* Where the tile's rows of A start. */
static void place_rows(struct kernel *k)
{
    for (int r = 0; r < k->rows; r++)
        k->row[r] = row_place(k, k->p[A], k->p[A_ROW], r);
}

/* One tile: the place of its sums is c, of its columns of B b. */
static void emit_tile(struct kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    start_sums(k);
    if (!k->edge && m->machine->fetch_sums)
        fetch_sums(k);
    emit_depth(k);
    struct cpu_branch branch;
    bool converts = m->converts && !k->edge;
    if (converts) {
        LLVMValueRef which = cpu_i64(e, CPU_MATRIX_CONVERT);
        cpu_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntEQ, k->p[LOAD], which, ""));
        store_sums(k, true);
        cpu_branch_else(e, &branch);
    }
    store_sums(k, false);
    if (converts)
        cpu_branch_end(e, &branch);
}

/* Some tiles side by side. */
static void emit_tiles(struct kernel *k)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef b = moving(k, B), c = moving(k, C), next_a = moving(k, NEXT_A);
    LLVMValueRef next_c = k->p[NEXT_C], ahead = k->p[AHEAD];
    LLVMValueRef end = LLVMBuildSub(e->builder, k->p[TILES], cpu_i64(e, 1), "");
    struct cpu_loop tiles;
    cpu_loop_enter(e, &tiles, cpu_i64(e, 0), k->p[TILES], 1);
    LLVMValueRef last = LLVMBuildICmp(e->builder, LLVMIntEQ, tiles.index, end, "");
    k->p[B] = move_on(k, b, k->p[B_PANEL]);
    k->p[C] = move_on(k, c, k->p[C_TILE]);
    k->p[NEXT_A] = move_on(k, next_a, k->p[NEXT_A_PIECE]);
    LLVMValueRef beside = cpu_matrix_offset(k->m, k->p[C], k->p[C_TILE]);
    k->p[NEXT_C] = LLVMBuildSelect(e->builder, last, next_c, beside, "");
    k->p[AHEAD] = LLVMBuildSelect(e->builder, last, k->p[LAST_AHEAD], ahead, "");
    emit_tile(k);
    cpu_loop_end(e, &tiles);
}

/* ---- strips ---------------------------------------------------------------------------------- */

/* Six lines, `row` apart, from where the slot stands; it moves on by them. */
static void fetch_six(struct kernel *k, LLVMValueRef slot, LLVMValueRef row)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef line =
        move_on(k, slot, LLVMBuildMul(e->builder, row, cpu_i64(e, CPU_MATRIX_ROWS), ""));
    for (int r = 0; r < CPU_MATRIX_ROWS; r++) {
        cpu_matrix_fetch(k->m, line, 1);
        line = cpu_matrix_offset(k->m, line, row);
    }
}

/* Whole turns, at least one. What they fetch is spread over their steps: side by side it keeps B's
 * loads waiting. */
static void emit_turns(struct kernel *k, LLVMValueRef from)
{
    enum { STEPS_APART = 2 };
    struct cpu_emit *e = k->m->e;
    int turn = k->m->machine->turn;
    struct cpu_loop loop;
    cpu_loop_enter(e, &loop, start_line(e, from), k->p[STEPS], turn);
    LLVMValueRef line = move_on(k, k->next_a, cpu_i64(e, turn * k->m->unit));
    for (int i = 0; i < turn; i++) {
        LLVMValueRef step = i ? cpu_add(e, loop.index, cpu_i64(e, i)) : loop.index;
        one_step(k, step, move_on(k, k->b, k->p[B_STEP]));
        if (i % STEPS_APART || i / STEPS_APART >= CPU_MATRIX_ROWS)
            continue;
        cpu_matrix_fetch(k->m, line, 1);
        line = cpu_matrix_offset(k->m, line, k->p[A_ROW]);
    }
    cpu_loop_end(e, &loop);
}

/* Steps that would be left over come first. */
static void emit_strip_depth(struct kernel *k)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef over =
        LLVMBuildAnd(e->builder, k->p[STEPS], cpu_i64(e, k->m->machine->turn - 1), "");
    struct cpu_loop first;
    struct cpu_branch some;
    cpu_loop_begin(e, &first, cpu_i64(e, 0), over, 1);
    one_step(k, first.index, move_on(k, k->b, k->p[B_STEP]));
    cpu_loop_end(e, &first);
    cpu_branch_begin(e, &some, LLVMBuildICmp(e->builder, LLVMIntSLT, over, k->p[STEPS], ""));
    emit_turns(k, over);
    cpu_branch_end(e, &some);
}

/* The sums of a tile begin with the constant, and nothing waits for their place. */
static void emit_strip_tile(struct kernel *k)
{
    start_sums(k);
    k->b = moving(k, B);
    k->next_a = moving(k, NEXT_A);
    emit_strip_depth(k);
    store_sums(k, false);
}

static void emit_strips(struct kernel *k, LLVMValueRef function)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    for (unsigned i = 0; i <= STEPS; i++)
        k->p[i] = LLVMGetParam(function, i);
    k->p[LOAD] = cpu_i64(e, CPU_MATRIX_START);
    k->p[FROM] = LLVMGetParam(function, STRIPS_BESIDE);
    LLVMValueRef count = LLVMGetParam(function, STRIPS),
                 after = LLVMGetParam(function, STRIPS_NEXT_A);
    LLVMValueRef row = LLVMGetParam(function, STRIPS_BESIDE_ROW);
    LLVMValueRef a = moving(k, A), c = moving(k, C), beside = moving(k, FROM);
    LLVMValueRef a_tile = LLVMBuildMul(e->builder, k->p[A_ROW], cpu_i64(e, k->rows), "");
    LLVMValueRef c_tile = LLVMBuildMul(e->builder, k->p[C_ROW], cpu_i64(e, k->rows), "");
    LLVMValueRef end = LLVMBuildSub(e->builder, count, cpu_i64(e, 1), "");
    struct cpu_loop strips;
    cpu_loop_enter(e, &strips, cpu_i64(e, 0), count, 1);
    LLVMValueRef last = LLVMBuildICmp(e->builder, LLVMIntEQ, strips.index, end, "");
    k->p[A] = move_on(k, a, a_tile);
    k->p[C] = move_on(k, c, c_tile);
    k->p[NEXT_A] =
        LLVMBuildSelect(e->builder, last, after, cpu_matrix_offset(m, k->p[A], a_tile), "");
    place_rows(k);
    fetch_six(k, beside, row);
    emit_strip_tile(k);
    cpu_loop_end(e, &strips);
}

/* ---- the functions --------------------------------------------------------------------------- */

static void emit_body(struct kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    for (int i = 0; i < cpu_matrix_kernel_parameters(m); i++)
        k->p[i] = LLVMGetParam(e->function, (unsigned)i);
    if (k->edge && m->masks) {
        LLVMValueRef full = cpu_i64(e, (int64_t)(k->vectors - 1) * m->lanes);
        k->mask = cpu_matrix_mask(m, LLVMBuildSub(e->builder, k->p[COLUMNS], full, ""), m->lanes);
        if (e->level->vector_bits < 512)
            k->mask = in_register(m, k->mask);
    }
    place_rows(k);
    if (m->machine->near_bytes) /* next_c is c where they are near */
        k->far_sums = LLVMBuildICmp(e->builder, LLVMIntNE, k->p[NEXT_C], k->p[C], "");
    if (m->machine->passes && !k->edge)
        emit_tiles(k);
    else
        emit_tile(k);
}

static LLVMValueRef emit_kernel(struct cpu_matrix *m, int rows, int vectors, bool edge)
{
    struct kernel *k = ARENA_NEW(m->e->arena, struct kernel);
    *k = (struct kernel){.m = m, .rows = rows, .vectors = vectors, .edge = edge};
    const char *name =
        arena_format(m->e->arena, "%s%dx%d", edge ? "edge" : "kernel", rows, vectors * m->lanes);
    LLVMValueRef function = cpu_matrix_begin(m, name, m->kernel_type);
    emit_body(k);
    cpu_matrix_end(m);
    return function;
}

static LLVMValueRef emit_strips_function(struct cpu_matrix *m, int rows)
{
    struct kernel *k = ARENA_NEW(m->e->arena, struct kernel);
    *k = (struct kernel){.m = m, .rows = rows, .vectors = m->vectors, .turns = true};
    const char *name = arena_format(m->e->arena, "strips%dx%d", rows, m->vectors * m->lanes);
    LLVMValueRef function = cpu_matrix_begin(m, name, m->strips_type);
    emit_strips(k, function);
    cpu_matrix_end(m);
    return function;
}

void cpu_matrix_strips(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[STRIPS_PARAMETERS] = {e->pointer, e->i64,     e->pointer, e->i64,
                                            e->pointer, e->i64,     e->i64,     e->i64,
                                            e->pointer, e->pointer, e->i64};
    m->strips_type = LLVMFunctionType(e->void_type, types, STRIPS_PARAMETERS, false);
    for (int rows = CPU_MATRIX_ROWS - 1; rows <= CPU_MATRIX_ROWS; rows++)
        m->strips[rows] = emit_strips_function(m, rows);
}

int cpu_matrix_kernel_parameters(const struct cpu_matrix *m)
{
    _Static_assert((int)AHEAD == CPU_MATRIX_KERNEL_LEAST &&
                       (int)PARAMETERS == CPU_MATRIX_KERNEL_MOST,
                   "as callers know");
    return m->machine->passes ? PARAMETERS : AHEAD;
}

void cpu_matrix_kernels(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[PARAMETERS] = {e->pointer, e->i64, e->pointer, e->i64, e->pointer,
                                     e->i64,     e->i64, e->i64,     e->i64, e->i64,
                                     e->pointer, e->pointer, e->pointer, e->i64, e->i64,
                                     e->pointer, e->i64, e->pointer, e->i64, e->i64, e->i64,
                                     e->i64,     e->i64, e->i64,     e->i64, e->i64};
    unsigned count = (unsigned)cpu_matrix_kernel_parameters(m);
    m->kernel_type = LLVMFunctionType(e->void_type, types, count, false);
    for (int rows = CPU_MATRIX_LEAST_ROWS; rows <= CPU_MATRIX_ROWS; rows++)
        m->kernels[rows] = emit_kernel(m, rows, m->vectors, false);
    for (int v = 1; v <= m->vectors; v++)
        m->edges[v] = emit_kernel(m, CPU_MATRIX_ROWS, v, true);
}
