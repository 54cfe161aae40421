#ifndef TILEC_PLAN_MATRIX_INTERNAL_H
#define TILEC_PLAN_MATRIX_INTERNAL_H
/* What the files of the analysis share: matrix.c (loop and sums), matrix_access.c (addresses and
 * masks), matrix_store.c (blocks and limits), matrix_order.c (the programs' numbers),
 * matrix_operand.c (operands of dots), matrix_epilogue.c (what is done with the sums). */
#include "plan/matrix.h"

struct matrix_search {
    const struct ir_func *func;
    struct plan_matrix *matrix;
    struct polynomial_scope scope; /* how the loop's counter and carried values are seen */
    const struct ir_value *trip;   /* stands for the number of the trip: the loop's counter */
    int64_t step;                  /* of the counter */
    const struct ir_value *raw;    /* a carried value that stands for itself for now */
    const struct ir_value *row_block, *column_block; /* X and Y, or NULL */
    bool all_axes; /* for now: programs share nothing that depends on any axis */
    bool no_wraps; /* for now: an index that is taken modulo something is no polynomial */
    int wrap_count;
    struct { /* an index that was taken modulo something: right below the modulus */
        struct polynomial index, modulus;
    } wraps[4];
    const char *reason;
    const struct ir_op *place;
};

/* Notes the first reason; false. */
bool matrix_fail(struct matrix_search *s, const struct ir_op *place, const char *reason);

/* index < extent, as room = extent - index > 0, and index >= 0. */
struct matrix_condition {
    struct polynomial room;
    int axis; /* which takes part in room, with the factor -1; or -1: none */
    struct polynomial index, extent;
};

/* An access to a tile of two axes: its address, and how far it reaches along each axis. */
struct matrix_access {
    const struct ir_value *root;
    struct polynomial address; /* axes, X, Y and the trip take part */
    struct polynomial stride[2];
    int condition_count;
    struct matrix_condition conditions[8]; /* all hold where the access is in bounds */
};

/* Whether x is the row of blocks of programs in groups. */
bool matrix_read_group(const struct ir_value *x, struct matrix_group *group);
/* The program_id that a block's number comes from, or NULL. */
const struct ir_op *matrix_program_of(const struct ir_value *v);
bool matrix_find_order(struct matrix_search *s, const struct ir_op *place);
/* Whether the divisor may be below 0, and so numbers of blocks; behind matrix_find_stores. */
bool matrix_check_divisor(struct matrix_search *s);

bool matrix_read_access(struct matrix_search *s, const struct ir_op *op,
                        struct matrix_access *access);

/* p - per_block * symbol must not depend on either block; p is left without it. symbol and other may
 * be NULL. */
bool matrix_take_block(struct matrix_search *s, struct polynomial *p,
                       const struct ir_value *symbol, const struct ir_value *other,
                       const struct polynomial *per_block);
/* The bound of rows or columns that the condition i of an access sets: room + block * symbol. */
bool matrix_take_limit(struct matrix_search *s, const struct ir_op *op,
                       const struct matrix_access *a, int i, struct polynomial *limit);
/* Conditions that hang on no axis. */
bool matrix_add_guard(struct matrix_search *s, struct matrix_guard *guards, int *count,
                      const struct matrix_access *a, int i);
bool matrix_has_guard(const struct matrix_guard *guards, int count, const struct matrix_access *a,
                      int i);
/* Whether the access has a condition for each. */
bool matrix_meets_guards(const struct matrix_guard *guards, int count,
                         const struct matrix_access *a);

bool matrix_find_stores(struct matrix_search *s);
bool matrix_find_operands(struct matrix_search *s);
bool matrix_check_epilogue(struct matrix_search *s);
/* Whether each index that was taken modulo n is that of a row or column of which nothing is stored
 * from n on. Behind all that reads accesses. */
bool matrix_check_wraps(struct matrix_search *s);
/* Whether a scalar is the same in all programs that share the other grid axes. */
bool matrix_is_common(const struct matrix_search *s, const struct polynomial *p);

#endif
