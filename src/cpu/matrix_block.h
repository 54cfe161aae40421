#ifndef TILEC_CPU_MATRIX_BLOCK_H
#define TILEC_CPU_MATRIX_BLOCK_H
/*
 * What the files share that make the schedule of one thread's rectangle of a matrix product:
 *
 *   sizes of blocks, what is packed                  matrix_sizes.c
 *     blocks of columns, rows and K; few rows        matrix_block.c
 *       strips of rows                               matrix_strips.c
 *         their tiles of sums, and the epilogue      matrix_tiles.c
 *       or all strips past one panel after another   matrix_passes.c
 *       B's next block, which kernels copy           matrix_copies.c
 */
#include "cpu/matrix.h"

/* Of the function, see matrix_block.c. */
enum { ARGUMENTS, GRID, SCRATCH, BATCH, ROW, ROW_END, COLUMN, COLUMN_END, PARAMETERS };

struct matrix_operand_values {
    LLVMValueRef pointer, outer, inner; /* element (0, 0), and distances in bytes */
};

struct matrix_product_values {
    struct matrix_operand_values a, b;
    LLVMValueRef depth;  /* elements along K */
    LLVMValueRef blocks; /* of K, at least one */
    LLVMValueRef steps;  /* of a block of K but the last */
    LLVMValueRef pack_a, pack_b;
    LLVMValueRef pack_rows; /* of A, at a time */
    LLVMValueRef near_a;    /* kernels do not fetch A's rows */
};

struct matrix_block {
    struct cpu_matrix *m;
    LLVMValueRef p[PARAMETERS];
    struct matrix_product_values products[MATRIX_MOST_PRODUCTS];
    LLVMValueRef sweep;              /* a few rows, and B as it lies */
    LLVMValueRef few;                /* few rows: wider blocks */
    LLVMValueRef direct;             /* the result takes the sums */
    LLVMValueRef single;             /* one block of K and one product: a tile of sums is enough */
    LLVMValueRef converts;           /* the same of what they convert the sums to */
    LLVMValueRef near_sums;          /* kernels do not fetch them */
    LLVMValueRef result, result_row; /* of the plain store */
    LLVMValueRef panels;             /* of columns, per block of columns */
    LLVMValueRef most_rows;          /* per block of rows */
    LLVMValueRef sums;               /* the block of sums in scratch */
    LLVMValueRef here,
        there;           /* slots: this block's panels of B, and where the next ones may be made */
    LLVMValueRef copied; /* slot: whether this block's panels are there already */
    /* in the loops */
    LLVMValueRef column, columns; /* of the block of columns */
    LLVMValueRef row, rows;       /* of the block of rows */
    LLVMValueRef sums_row, apart; /* distances in the sums */
};

/* How kernels copy B's next block: in each pause one step of a *set* of panels. A *part* is what
 * one kernel copies; every so many kernels one does. */
struct matrix_copies {
    LLVMValueRef from, step;    /* the block's start, and the distance of steps */
    LLVMValueRef steps, pauses; /* in the block, and in a kernel */
    LLVMValueRef sets;          /* neighbours are copied by successive kernels */
    LLVMValueRef parts, every;  /* no parts: nothing is copied */
};

/* One strip of rows in one block of K. */
struct matrix_strip {
    LLVMValueRef k0, depth, steps; /* elements before, elements, units */
    LLVMValueRef load, last;
    LLVMValueRef row, height; /* within the block of rows */
    LLVMValueRef a, a_row, kernel;
    LLVMValueRef converts; /* the kernel of a full tile stores the result */
    /* the next strip's rows, or those that will be packed next, of which each kernel fetches a
     * piece */
    LLVMValueRef next_a, next_a_row, fetches;
    LLVMValueRef piece, piece_step; /* bytes of each row, and of that in each pause */
    LLVMValueRef per_strip, number; /* panels; strips before this one */
    struct matrix_copies next;
};

/* ---- short forms */
static inline LLVMValueRef scaled(struct matrix_block *b, LLVMValueRef v, int64_t factor)
{
    return LLVMBuildMul(b->m->e->builder, v, cpu_i64(b->m->e, factor), "");
}

static inline LLVMValueRef compare(struct matrix_block *b, LLVMIntPredicate predicate,
                                   LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildICmp(b->m->e->builder, predicate, x, y, "");
}

static inline LLVMValueRef choose(struct matrix_block *b, LLVMValueRef condition, LLVMValueRef x,
                                  LLVMValueRef y)
{
    return LLVMBuildSelect(b->m->e->builder, condition, x, y, "");
}

/* x / y rounded up, both positive */
static inline LLVMValueRef divide_up(struct matrix_block *b, LLVMValueRef x, LLVMValueRef y)
{
    struct cpu_emit *e = b->m->e;
    LLVMValueRef most = LLVMBuildSub(e->builder, cpu_add(e, x, y), cpu_i64(e, 1), "");
    return LLVMBuildUDiv(e->builder, most, y, "");
}

static inline LLVMValueRef yes_or_no(struct matrix_block *b, bool value)
{
    return LLVMConstInt(b->m->e->i1, value, false);
}

/* ---- matrix_sizes.c */
/* Reads what the launch says of the products, and decides on everything in struct matrix_block but
 * what the loops set. */
void cpu_matrix_choose_sizes(struct matrix_block *b);
/* Whether kernels can use B as it lies, and there is so little of it. */
LLVMValueRef cpu_matrix_is_small_b(struct matrix_block *b, const struct matrix_product_values *p,
                                   int64_t most);
/* What packing writes behind the last step of the last panel. */
int64_t cpu_matrix_slack(const struct cpu_matrix *m);

/* ---- matrix_tiles.c */
/* The tiles of a strip over all panels of the block. */
void cpu_matrix_run_panels(struct matrix_block *b, int index, const struct matrix_strip *s);
/* The kernel for so many columns, fewer than a tile has. */
LLVMValueRef cpu_matrix_edge(struct matrix_block *b, LLVMValueRef columns);
/* Where the plain store puts a tile of the block. */
LLVMValueRef cpu_matrix_result_place(struct matrix_block *b, LLVMValueRef local_row,
                                     LLVMValueRef column);
/* Where the sums of a tile of the block are: of accumulator `index`. */
LLVMValueRef cpu_matrix_sums_place(struct matrix_block *b, LLVMValueRef local_row,
                                   LLVMValueRef column, int index);
/* How far into B a column of the block lies, at the block of K. */
LLVMValueRef cpu_matrix_way_of_column(struct matrix_block *b, const struct matrix_product_values *p,
                                      const struct matrix_strip *s, LLVMValueRef column);
/* The epilogue, when the sums are complete. */
void cpu_matrix_finish(struct matrix_block *b, int index, const struct matrix_strip *s,
                       LLVMValueRef column, LLVMValueRef width);

/* ---- matrix_strips.c */
void cpu_matrix_run_strips(struct matrix_block *b, int index, struct matrix_strip *s);

/* ---- matrix_passes.c: whether it is done, for one block of K and one product; then B is packed
 * there */
LLVMValueRef cpu_matrix_may_pass(struct matrix_block *b, const struct matrix_product_values *p,
                                 const struct matrix_strip *s);
void cpu_matrix_run_passes(struct matrix_block *b, const struct matrix_strip *s);

/* ---- matrix_copies.c */
/* Which part of B's next block the strip's kernel of a panel copies. */
struct matrix_part {
    LLVMValueRef from, to, panel, steps; /* steps 0: none */
};

void cpu_matrix_set_panels(struct matrix_block *b);
void cpu_matrix_choose_copies(struct matrix_block *b, const struct matrix_product_values *p,
                              struct matrix_strip *s, LLVMValueRef per_block);
struct matrix_part cpu_matrix_part_of(struct matrix_block *b, const struct matrix_strip *s,
                                      LLVMValueRef panel);
void cpu_matrix_change_panels(struct matrix_block *b, const struct matrix_strip *s);

#endif
