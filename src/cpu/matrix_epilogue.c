/*
 * The epilogue of a matrix product: what the source does with the complete sums.
 *
 *   void epilogue(arguments, grid, scratch, batch, row, rows, column, columns, sums, sums_row,
 * apart)
 *
 * runs it for a rectangle of the launch. batch holds the program's place on the axes that number
 * batches; sums is the first accumulator's element (row, column), sums_row the distance of its rows
 * and apart that of the accumulators, in bytes.
 *
 * Each element is computed as the program that it belongs to would: a row is row % block_m of
 * program row / block_m, and so for columns, so the source's indices and masks mean what they say.
 */
#include "cpu/matrix.h"

enum {
    ARGUMENTS,
    GRID,
    SCRATCH,
    BATCH,
    ROW,
    ROWS,
    COLUMN,
    COLUMNS,
    SUMS,
    SUMS_ROW,
    APART,
    PARAMETERS
};

struct epilogue {
    struct cpu_matrix *m;
    LLVMValueRef p[PARAMETERS];
    LLVMValueRef local_row, block_row;
    struct cpu_inside inside;
    LLVMValueRef result, result_row, whole; /* of a plain store; so many columns go to it */
};

/* The number of the block, or 0 where there is one only. */
static void set_program(struct epilogue *x, LLVMValueRef row_block, LLVMValueRef column_block)
{
    struct cpu_emit *e = x->m->e;
    const struct plan_matrix *plan = x->m->plan;
    if (plan->grouped) {
        LLVMValueRef height = cpu_i64(e, plan->group.height);
        LLVMValueRef group = LLVMBuildUDiv(e->builder, row_block, height, "");
        LLVMValueRef first = LLVMBuildMul(e->builder, group, height, "");
        LLVMValueRef rows = cpu_matrix_scalar(x->m, plan->group.rows);
        LLVMValueRef columns = cpu_matrix_scalar(x->m, plan->group.columns);
        LLVMValueRef here = cpu_min_i64(e, LLVMBuildSub(e->builder, rows, first, ""), height);
        LLVMValueRef before = LLVMBuildMul(e->builder, first, columns, "");
        LLVMValueRef below = LLVMBuildSub(e->builder, row_block, first, "");
        LLVMValueRef place = cpu_add(e, LLVMBuildMul(e->builder, column_block, here, ""), below);
        e->program[plan->row_axis] = cpu_add(e, before, place);
        return;
    }
    if (plan->divisor) {
        LLVMValueRef divisor = cpu_matrix_scalar(x->m, plan->divisor);
        LLVMValueRef quotient = plan->quotient_is_row ? row_block : column_block;
        LLVMValueRef remainder = plan->quotient_is_row ? column_block : row_block;
        e->program[plan->row_axis] =
            cpu_add(e, LLVMBuildMul(e->builder, quotient, divisor, ""), remainder);
        return;
    }
    if (plan->row_axis >= 0)
        e->program[plan->row_axis] = row_block;
    if (plan->column_axis >= 0)
        e->program[plan->column_axis] = column_block;
}

/* All scalars of the kernel's body, as this program has them. */
static void make_scalars(struct epilogue *x)
{
    struct cpu_emit *e = x->m->e;
    const struct ir_op *divisor = x->m->plan->divisor ? x->m->plan->divisor->op : NULL;
    for (const struct ir_op *op = e->func->body->first; op; op = op->next) {
        bool scalar = op->result_count == 1 && op->results[0]->type.rank == 0 && !op->region_count;
        bool tile = op->operand_count && op->operands[0]->type.rank > 0;
        if (scalar && !tile && !ir_has(op, IR_WRITES) && op != divisor)
            cpu_scalar_op(e, op);
    }
}

static void remember(struct epilogue *x, const struct ir_value *v, const struct cpu_position *p,
                     LLVMValueRef element)
{
    struct cpu_emit *e = x->m->e;
    cpu_memo_keep(e, &cpu_value_of(e, v)->made, p,
                  (struct cpu_element){element, e->body.lanes > 1});
}

static void load_sums(struct epilogue *x, const struct cpu_position *p, LLVMValueRef row,
                      LLVMValueRef column)
{
    struct cpu_matrix *m = x->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef along = LLVMBuildMul(e->builder, column, cpu_i64(e, m->unit), "");
    LLVMValueRef bytes = cpu_add(e, LLVMBuildMul(e->builder, row, x->p[SUMS_ROW], ""), along);
    LLVMValueRef place = cpu_matrix_offset(m, x->p[SUMS], bytes);
    for (int i = 0; i < m->plan->accumulator_count; i++) {
        LLVMValueRef load =
            LLVMBuildLoad2(e->builder, cpu_vector(m->sum_type, e->body.lanes), place, "");
        cpu_set_align(load, m->unit);
        const struct matrix_accumulator *sum = &m->plan->accumulators[i];
        if (sum->adds) {
            LLVMValueRef more = cpu_spread(e, cpu_element_of(e, sum->first, p));
            load = ir_is_float(sum->elem) ? LLVMBuildFAdd(e->builder, load, more, "")
                                          : LLVMBuildAdd(e->builder, load, more, "");
        }
        remember(x, sum->result, p, load);
        place = cpu_matrix_offset(m, place, x->p[APART]);
    }
}

/* A mask that holds at the position, and so does all that it is made of. */
static void suppose(struct epilogue *x, const struct ir_value *mask, const struct cpu_position *p)
{
    const struct ir_op *op = mask->op;
    struct cpu_emit *e = x->m->e;
    struct cpu_element yes = {LLVMConstInt(e->i1, 1, false), false};
    if (mask->type.rank == 0)
        return;
    cpu_memo_keep(e, &cpu_value_of(e, mask)->made, p, yes);
    if (!op || (op->code != IR_OP_AND && !cpu_moves_elements(op)))
        return;
    struct cpu_position q = cpu_operand_position(e, op, p);
    for (int i = 0; i < op->operand_count; i++)
        suppose(x, op->operands[i], &q);
}

/* Rows and columns are below the limits that the stores' masks are, so that these hold, and where
 * they are those of loads, too. */
static void go_inside(struct epilogue *x, const struct cpu_position *p)
{
    const struct plan_matrix *plan = x->m->plan;
    x->inside = (struct cpu_inside){plan->stores, plan->store_count, *p};
    x->m->e->body.inside = &x->inside;
    for (int i = 0; i < plan->store_count; i++) {
        const struct ir_op *op = plan->stores[i];
        if (op->code == IR_OP_STORE && ir_mask_of(op))
            suppose(x, ir_mask_of(op), p);
    }
}

/* Up to `lanes` elements of one row, of one program. valid: how many, or NULL for all. */
static void emit_elements(struct epilogue *x, LLVMValueRef row, LLVMValueRef column,
                          LLVMValueRef local_column, int lanes, LLVMValueRef valid)
{
    struct cpu_matrix *m = x->m;
    struct cpu_emit *e = m->e;
    cpu_new_epoch(e);
    make_scalars(x);
    e->body = (struct cpu_body){.lanes = lanes};
    if (valid)
        e->body.active = cpu_matrix_mask(m, valid, lanes);
    struct cpu_position p = {
        .rank = 2, .lane = lanes > 1 ? 1 : -1, .index = {x->local_row, local_column}};
    go_inside(x, &p);
    load_sums(x, &p, row, column);
    for (int i = 0; i < m->plan->store_count; i++) {
        const struct ir_op *op = m->plan->stores[i];
        if (op->code == IR_OP_STORE || op->code == IR_OP_VIEW_STORE)
            cpu_store(e, op, &p);
        else
            cpu_atomic(e, op, &p, NULL);
    }
    e->body = (struct cpu_body){.lanes = 1};
}

static LLVMValueRef split(struct cpu_emit *e, LLVMValueRef place, int32_t block,
                          LLVMValueRef *local)
{
    *local = LLVMBuildURem(e->builder, place, cpu_i64(e, block), "");
    return LLVMBuildUDiv(e->builder, place, cpu_i64(e, block), "");
}

/* How many full vectors of a row are computed at a time, and whether as one long vector. */
struct width {
    int vectors;
    bool together;
};

static bool only_stores(const struct plan_matrix *plan)
{
    bool only = true;
    for (int i = 0; i < plan->store_count; i++)
        only = only && (plan->stores[i]->code == IR_OP_STORE || plan->stores[i]->code == IR_OP_VIEW_STORE);
    return only;
}

/*
 * As many as a tile of sums has, where little is done with each: the loop would cost more than they do.
 * Where much is done, one vector is a long chain of operations, of which the processor's schedulers hold
 * only two: with 32 registers several vectors take turns in them (Zen 5, bias and GELU: 33 cycles per
 * vector one by one).
 */
static struct width choose_width(const struct cpu_matrix *m)
{
    enum { FEW_OPS = 6 };
    int ops = 0, most = m->plan->block_n / m->lanes, vectors = m->vectors;
    for (const struct ir_op *op = m->e->func->body->first; op; op = op->next)
        ops += op->result_count && op->results[0]->type.rank > 0 && !op->region_count;
    if (ops <= FEW_OPS)
        return (struct width){vectors, false};
    if (m->e->level->vector_bits < 512 || !only_stores(m->plan))
        return (struct width){1, false};
    while (vectors > 1 && vectors > most)
        vectors /= 2;
    return (struct width){vectors, true};
}

/* The vectors of the width, all full. */
static void emit_vectors(struct epilogue *x, LLVMValueRef row, LLVMValueRef column,
                         LLVMValueRef local, struct width width)
{
    struct cpu_emit *e = x->m->e;
    if (width.together) {
        emit_elements(x, row, column, local, x->m->lanes * width.vectors, NULL);
        return;
    }
    for (int v = 0; v < width.vectors; v++) {
        LLVMValueRef way = cpu_i64(e, (int64_t)v * x->m->lanes);
        LLVMValueRef local_place = cpu_add(e, local, way);
        emit_elements(x, row, cpu_add(e, column, way), local_place, x->m->lanes, NULL);
    }
}

/*
 * A store that only converts the sums does not depend on programs: whole vectors of a row need no more than
 * their place. (With blocks of 32 columns the general way below is a tenth of bfloat's time at 64^3.)
 */
static void read_plain(struct epilogue *x)
{
    struct cpu_matrix *m = x->m;
    struct cpu_emit *e = m->e;
    const struct plan_matrix *plan = m->plan;
    int64_t bytes = (int64_t)ir_elem_bytes(plan->plain_elem);
    LLVMValueRef base = cpu_matrix_polynomial(m, &plan->plain_base);
    LLVMValueRef stride = cpu_matrix_polynomial(m, &plan->plain_row_stride);
    base = cpu_add(e, base, LLVMBuildMul(e->builder, x->p[ROW], stride, ""));
    base = cpu_add(e, base, x->p[COLUMN]);
    LLVMValueRef bytes_on = cpu_mul(e, base, cpu_i64(e, bytes));
    x->result = cpu_matrix_offset(m, cpu_matrix_scalar(m, plan->plain_root), bytes_on);
    x->result_row = cpu_mul(e, stride, cpu_i64(e, bytes));
    LLVMValueRef over = LLVMBuildURem(e->builder, x->p[COLUMNS], cpu_i64(e, m->lanes), "");
    x->whole = LLVMBuildSub(e->builder, x->p[COLUMNS], over, "");
    if (!m->unit_c) {
        LLVMValueRef column = cpu_matrix_polynomial(m, &plan->plain_column_stride);
        LLVMValueRef unit = LLVMBuildICmp(e->builder, LLVMIntEQ, column, cpu_i64(e, 1), "");
        x->whole = LLVMBuildSelect(e->builder, unit, x->whole, cpu_i64(e, 0), "");
    }
}

LLVMValueRef cpu_matrix_convert(struct cpu_matrix *m, LLVMValueRef sums)
{
    struct cpu_emit *e = m->e;
    enum ir_elem elem = m->plan->plain_elem;
    LLVMValueRef value = cpu_convert(&e->math, sums, m->sum, elem);
    value = cpu_to_memory(e, ir_scalar(elem), value);
    /* Zen 3 takes 3.7 cycles for vcvtps2ph to memory, 2.9 for one to a register and a store */
    if (elem == IR_F16 && m->sum == IR_F32 && e->level->vector_bits == 256) {
        value = LLVMBuildBitCast(e->builder, value, cpu_vector(e->i32, m->lanes / 2), "");
        cpu_matrix_keep(m, &value, 1);
    }
    return value;
}

static void emit_plain(struct epilogue *x, LLVMValueRef row)
{
    struct cpu_matrix *m = x->m;
    struct cpu_emit *e = m->e;
    enum ir_elem elem = m->plan->plain_elem;
    LLVMValueRef from = cpu_matrix_offset(
        m, x->p[SUMS], LLVMBuildMul(e->builder, row, x->p[SUMS_ROW], ""));
    LLVMValueRef to =
        cpu_matrix_offset(m, x->result, LLVMBuildMul(e->builder, row, x->result_row, ""));
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), x->whole, m->lanes);
    LLVMValueRef sums = cpu_matrix_offset(m, from, cpu_mul(e, loop.index, cpu_i64(e, m->unit)));
    LLVMValueRef load = LLVMBuildLoad2(e->builder, cpu_vector(m->sum_type, m->lanes), sums, "");
    cpu_set_align(load, m->unit);
    int64_t bytes = (int64_t)ir_elem_bytes(elem);
    LLVMValueRef place = cpu_matrix_offset(m, to, cpu_mul(e, loop.index, cpu_i64(e, bytes)));
    LLVMValueRef value = cpu_matrix_convert(m, load);
    cpu_set_align(LLVMBuildStore(e->builder, value, place), bytes);
    cpu_loop_end(e, &loop);
}

/* A row's columns from `first` on, cut where the vector ends, the program or the rectangle. */
static void emit_row(struct epilogue *x, LLVMValueRef row, LLVMValueRef first)
{
    struct cpu_matrix *m = x->m;
    struct cpu_emit *e = m->e;
    LLVMBasicBlockRef head = cpu_block(e, "columns"), done = cpu_block(e, "row");
    LLVMValueRef slot = cpu_alloca(e, e->i64, "column");
    LLVMBuildStore(e->builder, first, slot);
    LLVMValueRef some = LLVMBuildICmp(e->builder, LLVMIntSLT, first, x->p[COLUMNS], "");
    LLVMBuildCondBr(e->builder, some, head, done);
    LLVMPositionBuilderAtEnd(e->builder, head);
    LLVMValueRef column = LLVMBuildLoad2(e->builder, e->i64, slot, ""), local;
    LLVMValueRef block = split(e, cpu_add(e, x->p[COLUMN], column), m->plan->block_n, &local);
    set_program(x, x->block_row, block);
    LLVMValueRef left = LLVMBuildSub(e->builder, x->p[COLUMNS], column, "");
    LLVMValueRef in_block = LLVMBuildSub(e->builder, cpu_i64(e, m->plan->block_n), local, "");
    left = cpu_min_i64(e, left, in_block);
    struct width width = choose_width(m), single = {1, false};
    LLVMValueRef wide = cpu_i64(e, (int64_t)width.vectors * m->lanes);
    LLVMValueRef all = LLVMBuildICmp(e->builder, LLVMIntSGE, left, wide, "");
    LLVMValueRef count = cpu_min_i64(e, left, cpu_i64(e, m->lanes));
    struct cpu_branch branch, full;
    cpu_branch_begin(e, &branch, all);
    emit_vectors(x, row, column, local, width);
    cpu_branch_else(e, &branch);
    bool has_full = width.vectors > 1 && !width.together;
    if (has_full) {
        cpu_branch_begin(e, &full,
                         LLVMBuildICmp(e->builder, LLVMIntSGE, left, cpu_i64(e, m->lanes), ""));
        emit_vectors(x, row, column, local, single);
        cpu_branch_else(e, &full);
    }
    emit_elements(x, row, column, local, m->lanes, count);
    if (has_full)
        cpu_branch_end(e, &full);
    cpu_branch_end(e, &branch);
    count = LLVMBuildSelect(e->builder, all, wide, count, "");
    column = cpu_add(e, column, count);
    LLVMBuildStore(e->builder, column, slot);
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, column, x->p[COLUMNS], "");
    LLVMBuildCondBr(e->builder, more, head, done);
    LLVMPositionBuilderAtEnd(e->builder, done);
}

void cpu_matrix_epilogue(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[PARAMETERS] = {e->pointer, e->pointer, e->pointer, e->pointer, e->i64, e->i64,
                                     e->i64,     e->i64,     e->pointer, e->i64,     e->i64};
    m->epilogue_type = LLVMFunctionType(e->void_type, types, PARAMETERS, false);
    LLVMValueRef function = cpu_matrix_begin(m, "epilogue", m->epilogue_type);
    struct epilogue x = {.m = m};
    for (int i = 0; i < PARAMETERS; i++)
        x.p[i] = LLVMGetParam(function, (unsigned)i);
    cpu_matrix_launch(m, x.p[ARGUMENTS], x.p[GRID], x.p[SCRATCH], x.p[BATCH]);
    if (m->plan->divisor)
        cpu_matrix_scalar(m, m->plan->divisor);
    if (m->plan->grouped) {
        cpu_matrix_scalar(m, m->plan->group.rows);
        cpu_matrix_scalar(m, m->plan->group.columns);
    }
    /* without conversion kernels store the sums themselves, where they can */
    bool plain = m->plan->plain && m->plan->plain_elem != m->sum;
    if (plain)
        read_plain(&x);
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), x.p[ROWS], 1);
    if (plain)
        emit_plain(&x, loop.index);
    x.block_row = split(e, cpu_add(e, x.p[ROW], loop.index), m->plan->block_m, &x.local_row);
    emit_row(&x, loop.index, plain ? x.whole : cpu_i64(e, 0));
    cpu_loop_end(e, &loop);
    cpu_matrix_end(m);
    m->epilogue = function;
}
