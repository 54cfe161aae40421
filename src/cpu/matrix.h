#ifndef TILEC_CPU_MATRIX_H
#define TILEC_CPU_MATRIX_H
/*
 * Matrix products (plan/matrix.h) as one schedule over the whole launch.
 *
 *   which kernels are products; how, on which processor                  matrix.c
 *   range of programs -> per batch its share of the columns (or rows)      matrix_range.c
 *     for blocks of columns, rows, K:                                      matrix_block.h says where
 *       pack B into panels of `columns` columns
 *       for strips of up to 6 rows, for panels: kernel, and when K is done the epilogue
 *   sweep      a few rows over B as it lies                              matrix_sweep.c
 *   kernel     rows x columns sums in registers over a block of K          matrix_kernel.h says where
 *     its multiply-add                                                     matrix_multiply.c
 *   packing    strided memory -> panels, with conversion                   matrix_pack.c
 *   row sums   what moving B's bytes adds to a row's sums                  matrix_sums.c
 *   epilogue   sums -> what the source makes of them, by element           matrix_epilogue.c
 *
 * A *unit* is what a kernel multiplies at once in a lane: one element, or the 2 or 4 neighbours
 * along K that a dot-product instruction takes. It has the size of a sum (4 or 8 bytes), so all
 * kinds of elements share one geometry. A *step* is one unit along K.
 *
 * Sums run along K in order, from one block of K to the next through memory, so the result does not
 * depend on how rows, columns and K are cut, nor on threads.
 */
#include "cpu/emit.h"
#include "plan/matrix.h"

enum cpu_matrix_step {
    CPU_MATRIX_FMA,    /* sum += a * b, floats or i32 */
    CPU_MATRIX_BF16,   /* vdpbf16ps: 2 bf16 */
    CPU_MATRIX_VNNI,   /* vpdpbusd: 4 i8, of which B's are moved by 128 */
    CPU_MATRIX_MADD,   /* vpmaddwd: 2 i16 */
    CPU_MATRIX_NARROW, /* vpmaddubsw: 4 i8; B's are -64 to 64 and moved by 64, or sums of two saturate */
};

/* What a kernel starts with, and whether it converts what it stores. */
enum {
    CPU_MATRIX_START,   /* the sums' constant */
    CPU_MATRIX_LOAD,    /* the sums that are there */
    CPU_MATRIX_CONVERT, /* the constant; the result is stored */
};

enum { CPU_MATRIX_PAST = 4 };

enum {
    CPU_MATRIX_ROWS = 6,
    CPU_MATRIX_SWEEP_ROWS = 4, /* that pass over B as it lies */
    CPU_MATRIX_LEAST_ROWS = 4, /* of a full kernel: 12 rows and more are strips of 4 to 6 */
    CPU_MATRIX_MOST_VECTORS = 4,
    CPU_MATRIX_MOST_LAST = 4,      /* last steps that are taken row by row */
    CPU_MATRIX_DEPTH_BYTES = 4096, /* of a block of K where rows are few: 1024 units of 4 bytes */
    CPU_MATRIX_A_ROWS = 48,        /* packed at once at most, where A is packed */
    CPU_MATRIX_BYTES = 4 << 20,    /* of all buffers of a thread */
};

/* What the schedule supposes of processors with registers of a width. */
struct cpu_matrix_machine {
    int vector_bits;
    bool neon, halves;
    int vectors;          /* of a full kernel: 6 x vectors sums, with B and one of A, fit the registers */
    int64_t plain_bytes;  /* a B of so many may be used as it lies */
    int64_t block_bytes;  /* of a packed block of B */
    int deep_bytes;       /* of a block of K with more than copy_rows rows, */
    int packed_bytes;     /* and where A is packed */
    int pack_rows;        /* of A, packed at a time where they run along K: whole strips */
    int pause;            /* steps, after which a kernel may do something else, even; 0: none */
    int fetch_panels;     /* kernels fetch A's next rows in strips of at most so many panels; 0: in all */
    int64_t near_bytes;   /* nothing is fetched of an A, or a result, of up to so many */
    int64_t reach_bytes;  /* for so much memory the processor keeps translations; 0: no matter. Of a farther B */
    int few_bytes;        /* with few rows, so many of a block of K */
    int64_t far_bytes;    /* of a B of more, which one row sweeps over, kernels take */
    int far_rows;         /* so many rows at a time, 8 at most, */
    int far_ahead;        /* fetched so many bytes ahead, */
    int far_level;        /* to that level; far_bytes 0: none */
    int fetch_ahead;      /* kernels fetch B's panels so many steps ahead (0: not), */
    int64_t held_bytes;   /* in blocks that exceed so many, which the second level holds */
    int copy_rows;        /* up to so many rows, kernels copy B's next block, */
    int copy_panels;      /* so many panels at a time, a power of two, */
    int copy_ahead;       /* and fetch what comes so many steps later, */
    int store_ahead;      /* and the place it goes to, so many steps before (0: not); */
    int64_t copied_bytes; /* blocks are no larger then */
    bool fetch_sums;      /* kernels fetch the next one's sums */
    int fetch_level;      /* A's rows go to that level meanwhile, else to the first */
    bool pairs;    /* kernels take two steps a turn, from the start of a line of instructions on */
    bool converts; /* and convert complete sums, where the store does no more */
    int last_steps; /* of K that kernels take row by row; a row is stored behind its own */
    bool passes;   /* and make several tiles in one call */
    int turn;      /* where all strips pass over a panel, kernels take so many steps a turn; 0: they
                      never do */
    int64_t panel_bytes; /* of such a panel, which the first level holds beside two strips; or the
                            second beside A */
};

struct cpu_matrix {
    struct cpu_emit *e;
    const struct cpu_matrix_machine *machine;
    const struct plan_matrix *plan;
    const char *prefix; /* of the names of functions */
    enum cpu_matrix_step step;
    enum ir_elem from[2];           /* elements in memory, of A and of B */
    enum ir_elem elem, packed, sum; /* that are multiplied, in panels, and of the sums */
    int group;                      /* elements per unit */
    int lanes, vectors;             /* of a full kernel; columns = lanes * vectors */
    int64_t unit;                   /* bytes of a unit, and of a sum */
    int tile_panels; /* so many tiles of a strip the epilogue takes together, a power of two */
    LLVMTypeRef unit_type, sum_type;
    bool masks;   /* the processor has masked loads and stores */
    bool unit_a, unit_b, unit_c; /* known to be 1: A's stride along K, B's along N, the result's */
    bool direct;  /* kernels may write the result itself */
    bool converts; /* full kernels may convert complete sums and write it */
    int64_t a_stride; /* bytes of a packed row of A: no power of two */
    /* bytes from the start of scratch: tiles of sums, sums of a strip's rows of A, packed rows of
     * A, panels of B and blocks of sums */
    int64_t tiles, row_sums, rows_a, panels;
    LLVMTypeRef kernel_type, strips_type, sweep_type, pack_type, sums_type, epilogue_type,
        block_type, scan_type;
    LLVMValueRef kernels[CPU_MATRIX_ROWS + 1], edges[CPU_MATRIX_MOST_VECTORS + 1];
    LLVMValueRef strips[CPU_MATRIX_ROWS + 1]; /* NULL where no strips pass over a panel */
    LLVMValueRef sweep_row, sweep_rows; /* NULL without masks, or if another takes a few rows */
    LLVMValueRef scan;                  /* whether B's elements suit NARROW */
    LLVMValueRef sums;                  /* NULL where B is not moved */
    LLVMValueRef pack_a, pack_b, epilogue, block;
    const struct cpu_matrix *wide; /* of a NARROW one: what takes any B */
    LLVMValueRef programs;   /* runs a range program by program, where a launch may need that; or NULL */
    LLVMBasicBlockRef start; /* of the function that is under construction */
};

/* Emits the kernel as a function `symbol` that runs shares of the launch, if it is a matrix product
 * and may be run as one; false: it must be emitted program by program. */
bool cpu_matrix_emit(struct cpu_emit *e, const struct ir_func *func, unsigned variant,
                     const char *symbol);

/* ---- functions (each is complete when this returns, and leaves the builder anywhere) */
void cpu_matrix_kernels(struct cpu_matrix *m);
int cpu_matrix_kernel_parameters(const struct cpu_matrix *m);
void cpu_matrix_strips(struct cpu_matrix *m);
void cpu_matrix_sweeps(struct cpu_matrix *m);
int cpu_matrix_sweep_parameters(const struct cpu_matrix *m);
void cpu_matrix_pack(struct cpu_matrix *m);
void cpu_matrix_sums(struct cpu_matrix *m); /* where B is moved */
void cpu_matrix_epilogue(struct cpu_matrix *m);
void cpu_matrix_block(struct cpu_matrix *m);
/* The function `symbol`, which runs a range of programs of the launch. */
void cpu_matrix_range(struct cpu_matrix *m, const char *symbol);
void cpu_matrix_scan(struct cpu_matrix *m); /* of a NARROW one */

/* ---- pieces, most in matrix_pieces.c */
/* Of a full tile, and so of a panel. */
static inline int64_t tile_columns(const struct cpu_matrix *m)
{
    return (int64_t)m->lanes * m->vectors;
}
/* Starts a function of the given type whose name begins with the prefix; cpu_matrix_end closes its
 * block of allocas and returns. */
LLVMValueRef cpu_matrix_begin(struct cpu_matrix *m, const char *name, LLVMTypeRef type);
void cpu_matrix_end(struct cpu_matrix *m);
void cpu_matrix_return(struct cpu_matrix *m, LLVMValueRef value); /* the same, with a result */
/* Binds parameters and grid; the program's place on the axes that number batches comes from the array
 * batch (NULL: it is not known yet). */
void cpu_matrix_launch(struct cpu_matrix *m, LLVMValueRef arguments, LLVMValueRef grid,
                       LLVMValueRef scratch, LLVMValueRef batch);
/* A scalar of the kernel, made with what it depends on if it was not yet. */
LLVMValueRef cpu_matrix_scalar(struct cpu_matrix *m, const struct ir_value *v);
LLVMValueRef cpu_matrix_polynomial(struct cpu_matrix *m, const struct polynomial *p);
/* The polynomial's value, or the end of 64 bits beyond which it lies. */
LLVMValueRef cpu_matrix_limit(struct cpu_matrix *m, const struct polynomial *p);
/* Bytes of an element of A or B in memory; whether it is packed as it is. */
int64_t cpu_matrix_element(const struct cpu_matrix *m, bool is_b);
bool cpu_matrix_keeps(const struct cpu_matrix *m, bool is_b);
/* Whether kernels can read B where it is: no conversion, no units of several elements. */
bool cpu_matrix_takes_plain_b(const struct cpu_matrix *m);
/* Units of `lanes` columns of B at a place of a row, from element k0 of K on. valid: columns; those
 * beyond, and elements from depth on, are 0 and not touched; NULL: all are there. */
LLVMValueRef cpu_matrix_units(struct cpu_matrix *m, LLVMValueRef place, LLVMValueRef inner,
                              LLVMValueRef k0, LLVMValueRef depth, LLVMValueRef valid);
/* One step of a whole panel, whose rows of B are `inner` apart; fetches what is `ahead` of it. */
void cpu_matrix_copy_step(struct cpu_matrix *m, LLVMValueRef from, LLVMValueRef inner, LLVMValueRef to,
                          LLVMValueRef ahead);
/* Whether four rows of bytes become units by shuffles of a line each: those of `vectors` vectors of columns
 * from a place of the first row on, all of them there. */
bool cpu_matrix_by_lines(const struct cpu_matrix *m);
void cpu_matrix_line_units(struct cpu_matrix *m, LLVMValueRef place, LLVMValueRef inner,
                           LLVMValueRef *units);
/* By how much B's elements are moved so that they are unsigned, or 0. */
int cpu_matrix_moves_b(const struct cpu_matrix *m);
/* That in all elements of a vector of units: multiplied with A it gives what moving added. */
LLVMValueRef cpu_matrix_moved(const struct cpu_matrix *m);
/* sum + a * b, for units in all lanes; b's are as packed */
LLVMValueRef cpu_matrix_multiply(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef sum);
/* Products that an addition of its own adds to a sum, or NULL where one instruction does both. */
LLVMValueRef cpu_matrix_multiply_only(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b);
/* Sums as the result has them, where a store only converts them. */
LLVMValueRef cpu_matrix_convert(struct cpu_matrix *m, LLVMValueRef sums);
/* Makes LLVM compute all of the vectors, in registers, before it uses one. */
void cpu_matrix_keep(struct cpu_matrix *m, LLVMValueRef *v, int count);
/* The same, and before it loads or stores anything more. */
void cpu_matrix_keep_first(struct cpu_matrix *m, LLVMValueRef *v, int count);
/* Fetches a line ahead of its use; level 1: into L1, 2: into L2, CPU_MATRIX_PAST: into L1 alone. */
void cpu_matrix_fetch(struct cpu_matrix *m, LLVMValueRef pointer, int level);
/* Whether all hold. */
LLVMValueRef cpu_matrix_guards(struct cpu_matrix *m, const struct matrix_guard *guards, int count);
LLVMValueRef cpu_matrix_offset(struct cpu_matrix *m, LLVMValueRef pointer, LLVMValueRef bytes);
LLVMValueRef cpu_matrix_place(struct cpu_matrix *m, int64_t offset); /* in scratch */
/* Of a panel of B with so many steps. */
LLVMValueRef cpu_matrix_panel_bytes(struct cpu_matrix *m, LLVMValueRef steps);
LLVMValueRef cpu_matrix_cdiv(struct cpu_matrix *m, LLVMValueRef x, int64_t by); /* both >= 0 */
/* lanes below a count */
LLVMValueRef cpu_matrix_mask(struct cpu_matrix *m, LLVMValueRef count, int lanes);
/* A vector; mask NULL: all of it. What is masked off is 0, and not touched. align: bytes. */
LLVMValueRef cpu_matrix_load(struct cpu_matrix *m, LLVMTypeRef type, LLVMValueRef place, int64_t align,
                             LLVMValueRef mask);
void cpu_matrix_store(struct cpu_matrix *m, LLVMValueRef value, LLVMValueRef place, int64_t align,
                      LLVMValueRef mask);

/* if (condition) { between begin and else } else { between else and end }; else may be left out. */
struct cpu_branch {
    LLVMBasicBlockRef other, done;
    bool has_else;
};
void cpu_branch_begin(struct cpu_emit *e, struct cpu_branch *b, LLVMValueRef condition);
void cpu_branch_else(struct cpu_emit *e, struct cpu_branch *b);
void cpu_branch_end(struct cpu_emit *e, struct cpu_branch *b);

#endif
