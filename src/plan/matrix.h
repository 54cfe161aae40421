#ifndef TILEC_PLAN_MATRIX_H
#define TILEC_PLAN_MATRIX_H
/*
 * Kernels that are matrix products: what one computes over all of its programs.
 *
 *   acc = start                                                 a constant, or a tile
 *   for k: acc = dot(A[rows, k ..], B[k .., columns], acc)      one dot or more
 *   Out[rows, columns] = f(acc, ...)                            element by element
 *
 * where program (X, Y) has the rows X * block_m + i and the columns Y * block_n + j. Then element
 * (row, column) of the whole launch needs row `row` of A and column `column` of B only, and a target
 * may cut the launch into other blocks than the source's. The analysis proves that from addresses
 * and masks as polynomials; what it cannot prove it says in words.
 */
#include "plan/polynomial.h"

enum {
    MATRIX_MOST_PRODUCTS = 4,
    MATRIX_MOST_ACCUMULATORS = 4,
    MATRIX_MOST_STORES = 4,
    MATRIX_MOST_GUARDS = 8
};

/* Element (outer, k) lies at root + base + outer * outer_stride + k * inner_stride, in elements;
 * outer is the row of A or the column of B, over the whole launch, k counts from the first trip. */
struct matrix_operand {
    const struct ir_op *load;
    const struct ir_value *root; /* a pointer parameter */
    enum ir_elem elem; /* in memory; the dot may take it converted to another */
    struct polynomial base, outer_stride, inner_stride;
};

/* 0 <= index < extent */
struct matrix_guard {
    struct polynomial index, extent;
};

struct matrix_product {
    const struct ir_op *dot;
    struct matrix_operand a, b;
    int accumulator;
    enum ir_elem elem; /* that the dot multiplies */
    int64_t block_k;
    bool has_depth;
    struct polynomial depth; /* what is loaded from k = depth on is 0 in both operands */
    int guard_count; /* all of both operands is 0 unless these hold */
    struct matrix_guard guards[MATRIX_MOST_GUARDS];
};

struct matrix_accumulator {
    const struct ir_value *result; /* what the epilogue uses */
    enum ir_elem elem;
    const struct ir_value *first; /* what it starts with */
    bool adds;      /* first is added to the complete sums */
    uint64_t start; /* else bits of every element at the start, in all sums */
};

/* Programs on one axis, in groups of `height` rows of blocks; see matrix_order.c. */
struct matrix_group {
    int64_t height;
    const struct ir_value *rows, *columns;     /* of blocks, in the launch */
    const struct ir_value *within, *rows_here; /* the program's place in its group; its rows */
};

struct plan_matrix {
    const struct ir_op *loop; /* NULL: the dots stand in the kernel itself, and make one trip */
    int32_t block_m, block_n;
    /* The program that has a row or column: X is program_id(row_axis), Y program_id(column_axis);
     * -1: there is one block only. Or both come from one axis: with `divisor` X and Y are the
     * quotient and the remainder of program_id(row_axis) (quotient_is_row) or the other way round. */
    int row_axis, column_axis;
    const struct ir_value *divisor;
    bool quotient_is_row;
    bool has_sign; /* the divisor may be below 0: then only right for a launch where it is not */
    /* Or in groups along row_axis; then only right for a launch of rows * columns programs. */
    bool grouped;
    struct matrix_group group;
    bool has_row_limit, has_column_limit;
    struct polynomial row_limit, column_limit; /* nothing is stored from there on */
    int product_count, accumulator_count, store_count, guard_count;
    struct matrix_product products[MATRIX_MOST_PRODUCTS];
    struct matrix_accumulator accumulators[MATRIX_MOST_ACCUMULATORS];
    const struct ir_op *stores[MATRIX_MOST_STORES];
    struct matrix_guard guards[MATRIX_MOST_GUARDS]; /* nothing is stored unless these hold */
    /* The only store, if it stores the only accumulator as it is or converted to plain_elem: where its
     * elements lie. */
    bool plain;
    enum ir_elem plain_elem;
    const struct ir_value *plain_root;
    struct polynomial plain_base, plain_row_stride, plain_column_stride;
    bool needs_no_overlap; /* only right where the arrays that are written overlap no other */
};

enum plan_matrix_result {
    PLAN_MATRIX_NONE,   /* the kernel has no dot */
    PLAN_MATRIX_OTHER,  /* it has, but is no matrix product as above: *reason, *place */
    PLAN_MATRIX_FOUND
};

/* The function must be numbered, and its uses counted. */
enum plan_matrix_result plan_matrix_find(const struct ir_func *func, struct plan_matrix *matrix,
                                         const char **reason, const struct ir_op **place);

#endif
