#ifndef TILEC_CPU_MATRIX_KERNEL_H
#define TILEC_CPU_MATRIX_KERNEL_H
/*
 * Micro-kernels: rows x vectors sums in registers over a block of K.
 *
 *   void kernel(a, a_row, b, b_step, c, c_row, steps, load, rows, columns, moved,
 *               next_c, next_a, next_a_row, next_a_step, from, from_step, to, to_panel, copies)
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
 * With machine->last_steps the last steps are taken row by row, and each row of sums is stored behind
 * its own last one, while the processor computes the next row: 24 stores at the end would all wait
 * for the last step, and fill the queue that the next kernel's first instructions should be in.
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
 *
 *   a tile: its sums, from where they were to where they go     matrix_kernel.c
 *     the loop over K: steps and pauses                         matrix_kernel_depth.c
 *   strips over one panel                                       matrix_kernel_strips.c
 */
#include "cpu/matrix.h"

/* Parameters of a kernel; those from AHEAD on only with machine->passes. */
enum {
    KERNEL_A,
    KERNEL_A_ROW,
    KERNEL_B,
    KERNEL_B_STEP,
    KERNEL_C,
    KERNEL_C_ROW,
    KERNEL_STEPS,
    KERNEL_LOAD,
    KERNEL_ROWS,
    KERNEL_COLUMNS,
    KERNEL_MOVED,
    KERNEL_NEXT_C,
    KERNEL_NEXT_A,
    KERNEL_NEXT_A_ROW,
    KERNEL_NEXT_A_STEP,
    KERNEL_FROM,
    KERNEL_FROM_STEP,
    KERNEL_TO,
    KERNEL_TO_PANEL,
    KERNEL_COPIES,
    KERNEL_AHEAD,
    KERNEL_LAST_AHEAD,
    KERNEL_TILES,
    KERNEL_B_PANEL,
    KERNEL_C_TILE,
    KERNEL_NEXT_A_PIECE,
    KERNEL_PARAMETERS
};

/* Parameters of the function that makes the tiles of some strips; up to STEPS they are those of a
 * kernel. */
enum {
    STRIPS_COUNT = KERNEL_STEPS + 1,
    STRIPS_NEXT_A,
    STRIPS_BESIDE,
    STRIPS_BESIDE_ROW,
    STRIPS_PARAMETERS
};

/* A kernel under construction. */
struct micro_kernel {
    struct cpu_matrix *m;
    LLVMValueRef p[KERNEL_PARAMETERS];
    int rows, vectors;
    bool edge;
    bool turns;        /* of strips: many steps a turn */
    LLVMValueRef mask; /* of the last vector; NULL: full */
    LLVMValueRef row[CPU_MATRIX_ROWS];
    LLVMValueRef slots[CPU_MATRIX_ROWS][CPU_MATRIX_MOST_VECTORS];
    LLVMValueRef b, next_a, from, to; /* slots of places that move on */
    LLVMValueRef has_last;            /* whether there are as many steps; NULL: no matter */
    LLVMValueRef far_sums;            /* whether the next kernel's are fetched; NULL: always */
};

/* A vector of a row of B or of sums, of the `v`-th columns. */
LLVMValueRef cpu_micro_load(struct micro_kernel *k, LLVMTypeRef element, LLVMValueRef pointer,
                            int v);
/* Where the tile's rows of A start. */
void cpu_micro_place_rows(struct micro_kernel *k);
/* Makes the slots of sums, and stores in them what kernels start with. */
void cpu_micro_start_sums(struct micro_kernel *k);
/* A row to c, which takes sums, or what the store makes of them. */
void cpu_micro_store_row(struct micro_kernel *k, int row, bool converts);
void cpu_micro_store_sums(struct micro_kernel *k, bool converts);
/* A place that moves on in the loop over K: a slot, and what it holds before it moves on. */
LLVMValueRef cpu_micro_moving(struct micro_kernel *k, int parameter);
LLVMValueRef cpu_micro_move_on(struct micro_kernel *k, LLVMValueRef slot, LLVMValueRef bytes);
/* One step of K, whose row of B is at a place. */
void cpu_micro_step(struct micro_kernel *k, LLVMValueRef step, LLVMValueRef b_place);
/* How many steps of K come before the last ones, or all where there are not so many. */
LLVMValueRef cpu_micro_before_last(struct micro_kernel *k);
/* So many steps of K. */
void cpu_micro_depth(struct micro_kernel *k, LLVMValueRef steps);
/* The last ones, from `before` on, if there are any left; stores the sums. */
void cpu_micro_finish(struct micro_kernel *k, LLVMValueRef before, bool converts);
/* The last ones row by row, each of which is stored. */
void cpu_micro_last_steps(struct micro_kernel *k, LLVMValueRef from, bool converts);
/* `index` as it is, in a register; what follows starts on a line of instructions, if nothing comes between. */
LLVMValueRef cpu_micro_start_line(struct cpu_emit *e, LLVMValueRef index);

#endif
