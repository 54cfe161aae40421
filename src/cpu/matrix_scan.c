/*
 * Whether the elements of B lie between -64 and 64, as those of 7-bit weights do; see matrix.h.
 *
 *   bool scan(from, outer, inner, depth, count)
 *
 * Then vpmaddubsw cannot saturate: moved by 64 they are 0 to 128, and 2 * 128 * -128 = -2^15. The parameters
 * are those of pack_b. Elements must be neighbours along one axis; else the answer is no.
 */
#include "cpu/matrix.h"

enum { FROM, OUTER, INNER, DEPTH, COUNT, PARAMETERS };
enum { REACH = 64 };

struct scan {
    struct cpu_matrix *m;
    LLVMValueRef p[PARAMETERS];
    LLVMValueRef most; /* variable: a vector of the largest moved elements so far */
    int bytes;         /* of a vector */
};

/* Elements move by REACH to 0 to 2 REACH, unsigned; the rest lands above. */
static void look(struct scan *s, LLVMValueRef v)
{
    struct cpu_emit *e = s->m->e;
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef reach = cpu_splat(e, LLVMConstInt(e->i8, REACH, false), s->bytes);
    LLVMValueRef most = LLVMBuildLoad2(e->builder, type, s->most, "");
    LLVMValueRef operands[] = {most, LLVMBuildAdd(e->builder, v, reach, "")};
    LLVMBuildStore(e->builder, cpu_intrinsic(e, "llvm.umax", 1, &type, 2, operands), s->most);
}

/* `length` neighbours. What a row has beyond whole vectors is looked at in single elements. */
static void scan_row(struct scan *s, LLVMValueRef row, LLVMValueRef length)
{
    struct cpu_emit *e = s->m->e;
    LLVMTypeRef type = cpu_vector(e->i8, s->bytes);
    LLVMValueRef over = LLVMBuildURem(e->builder, length, cpu_i64(e, s->bytes), "");
    LLVMValueRef whole = LLVMBuildSub(e->builder, length, over, "");
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), whole, s->bytes);
    LLVMValueRef v =
        LLVMBuildLoad2(e->builder, type, cpu_matrix_offset(s->m, row, loop.index), "");
    cpu_set_align(v, 1);
    look(s, v);
    cpu_loop_end(e, &loop);
    cpu_loop_begin(e, &loop, whole, length, 1);
    v = LLVMBuildLoad2(e->builder, e->i8, cpu_matrix_offset(s->m, row, loop.index), "");
    look(s, cpu_splat(e, v, s->bytes));
    cpu_loop_end(e, &loop);
}

static LLVMValueRef suits(struct scan *s)
{
    struct cpu_emit *e = s->m->e;
    LLVMTypeRef type = cpu_vector(e->i8, s->bytes);
    LLVMValueRef most = LLVMBuildLoad2(e->builder, type, s->most, "");
    most = cpu_intrinsic(e, "llvm.vector.reduce.umax", 1, &type, 1, &most);
    return LLVMBuildICmp(e->builder, LLVMIntULE, most, LLVMConstInt(e->i8, 2 * REACH, false), "");
}

/* Rows of neighbours; most matrices that do not suit end this in the first one. */
static void scan_rows(struct scan *s, LLVMValueRef rows, LLVMValueRef step, LLVMValueRef length)
{
    struct cpu_emit *e = s->m->e;
    struct cpu_loop loop;
    struct cpu_branch branch;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), rows, 1);
    cpu_branch_begin(e, &branch, suits(s));
    scan_row(s,
             cpu_matrix_offset(s->m, s->p[FROM], LLVMBuildMul(e->builder, loop.index, step, "")),
             length);
    cpu_branch_end(e, &branch);
    cpu_loop_end(e, &loop);
}

void cpu_matrix_scan(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    struct scan *s = ARENA_NEW(e->arena, struct scan);
    *s = (struct scan){.m = m, .bytes = e->level->vector_bits / 8};
    LLVMTypeRef types[PARAMETERS] = {e->pointer, e->i64, e->i64, e->i64, e->i64};
    m->scan_type = LLVMFunctionType(e->i1, types, PARAMETERS, false);
    m->scan = cpu_matrix_begin(m, "scan", m->scan_type);
    for (int i = 0; i < PARAMETERS; i++)
        s->p[i] = LLVMGetParam(m->scan, (unsigned)i);
    LLVMTypeRef type = cpu_vector(e->i8, s->bytes);
    s->most = cpu_alloca(e, type, "most");
    LLVMValueRef none = cpu_splat(e, LLVMConstInt(e->i8, 255, false), s->bytes);
    LLVMBuildStore(e->builder, none, s->most); /* does not suit */
    struct cpu_branch across, along;
    LLVMValueRef zero = LLVMConstNull(type), one = cpu_i64(e, 1);
    cpu_branch_begin(e, &across, LLVMBuildICmp(e->builder, LLVMIntEQ, s->p[OUTER], one, ""));
    LLVMBuildStore(e->builder, zero, s->most);
    scan_rows(s, s->p[DEPTH], s->p[INNER], s->p[COUNT]);
    cpu_branch_else(e, &across);
    cpu_branch_begin(e, &along, LLVMBuildICmp(e->builder, LLVMIntEQ, s->p[INNER], one, ""));
    LLVMBuildStore(e->builder, zero, s->most);
    scan_rows(s, s->p[COUNT], s->p[OUTER], s->p[DEPTH]);
    cpu_branch_end(e, &along);
    cpu_branch_end(e, &across);
    cpu_matrix_return(m, suits(s));
}
