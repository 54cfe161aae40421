/*
 * Pieces that the files of matrix products share: functions, scalars of the launch, masked vectors,
 * and if.
 */
#include "cpu/matrix.h"

#include "ir/affine.h"

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

/* ---- limits ---------------------------------------------------------------------------------- */

/* Of a magnitude that the value may have. */
static int bits_of(struct ir_interval range)
{
    uint64_t low = range.least < 0 ? -(uint64_t)range.least : (uint64_t)range.least;
    uint64_t high = range.most < 0 ? -(uint64_t)range.most : (uint64_t)range.most;
    uint64_t most = low > high ? low : high;
    return most ? 64 - __builtin_clzll(most) : 0;
}

/* So many bits hold every value of the polynomial, and of its parts, with their signs. */
static int width_of(const struct polynomial *p)
{
    int most = 0;
    for (int i = 0; i < p->count; i++) {
        const struct polynomial_term *term = &p->terms[i];
        int bits = bits_of((struct ir_interval){term->factor, term->factor});
        for (int k = 0; k < term->count; k++)
            bits += bits_of(ir_range(term->symbols[k]));
        most = bits > most ? bits : most;
    }
    for (int count = 1; count < p->count; count *= 2)
        most++;
    return most + 1;
}

static bool is_symbol(const struct polynomial *p)
{
    return p->count == 1 && p->terms[0].factor == 1 && p->terms[0].count == 1;
}

static LLVMValueRef wide_sum(struct cpu_matrix *m, const struct polynomial *p, LLVMTypeRef wide)
{
    struct cpu_emit *e = m->e;
    LLVMValueRef sum = LLVMConstNull(wide);
    for (int i = 0; i < p->count; i++) {
        LLVMValueRef term = LLVMBuildSExt(e->builder, cpu_i64(e, p->terms[i].factor), wide, "");
        for (int k = 0; k < p->terms[i].count; k++) {
            LLVMValueRef symbol = cpu_matrix_scalar(m, p->terms[i].symbols[k]);
            term = LLVMBuildMul(e->builder, term, LLVMBuildSExt(e->builder, symbol, wide, ""), "");
        }
        sum = LLVMBuildAdd(e->builder, sum, term, "");
    }
    return sum;
}

/*
 * i - a < n was made i < n + a, and n + a may have no place in 64 bits where the kernel's own
 * difference has. What is compared with a limit has: a limit beyond all 64 bits hold is as good as
 * the last that they do.
 */
LLVMValueRef cpu_matrix_limit(struct cpu_matrix *m, const struct polynomial *p)
{
    struct cpu_emit *e = m->e;
    int width = width_of(p);
    if (width <= 64 || is_symbol(p))
        return cpu_matrix_polynomial(m, p);
    LLVMTypeRef wide = LLVMIntTypeInContext(e->context, (unsigned)(width + 63) / 64 * 64);
    LLVMValueRef sum = wide_sum(m, p, wide);
    for (int high = 0; high < 2; high++) {
        LLVMValueRef end = cpu_i64(e, high ? INT64_MAX : INT64_MIN);
        end = LLVMBuildSExt(e->builder, end, wide, "");
        LLVMIntPredicate inside = high ? LLVMIntSLT : LLVMIntSGT;
        LLVMValueRef fits = LLVMBuildICmp(e->builder, inside, sum, end, "");
        sum = LLVMBuildSelect(e->builder, fits, sum, end, "");
    }
    return LLVMBuildTrunc(e->builder, sum, e->i64, "");
}

LLVMValueRef cpu_matrix_guards(struct cpu_matrix *m, const struct matrix_guard *guards, int count)
{
    struct cpu_emit *e = m->e;
    LLVMValueRef all = LLVMConstInt(e->i1, 1, false);
    for (int i = 0; i < count; i++) {
        LLVMValueRef index = cpu_matrix_limit(m, &guards[i].index);
        LLVMValueRef extent = cpu_matrix_limit(m, &guards[i].extent);
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
    return LLVMBuildMul(e->builder, steps, cpu_i64(e, tile_columns(m) * m->unit), "");
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

LLVMValueRef cpu_matrix_load(struct cpu_matrix *m, LLVMTypeRef type, LLVMValueRef place,
                             int64_t align, LLVMValueRef mask)
{
    struct cpu_emit *e = m->e;
    if (!mask) {
        LLVMValueRef load = LLVMBuildLoad2(e->builder, type, place, "");
        cpu_set_align(load, align);
        return load;
    }
    return cpu_masked_load(e, type, place, align, mask, LLVMConstNull(type));
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
