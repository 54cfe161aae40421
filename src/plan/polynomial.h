#ifndef TILEC_PLAN_POLYNOMIAL_H
#define TILEC_PLAN_POLYNOMIAL_H
/*
 * Integer values as polynomials in scalars and in an element's place.
 *
 *   (pid * 64 + i) * lda + k   =   64 pid lda  +  i lda  +  k
 *
 * with i and k the place along the tile's axes 0 and 1. Unlike ir/affine.h, strides may be values of
 * the launch. 64-bit integers form a ring, so the identities hold modulo 2^64 whatever wraps on the
 * way: a polynomial is the value itself. Comparisons may use it where the value does not wrap.
 */
#include "ir/ir.h"

enum { POLYNOMIAL_TERMS = 12, POLYNOMIAL_SYMBOLS = 4 };

struct polynomial_term {
    int64_t factor; /* not 0 */
    int axis;       /* times the place along this axis; -1: none */
    int count;
    const struct ir_value *symbols[POLYNOMIAL_SYMBOLS]; /* scalars, by id, one for each power */
};

/* Terms of different symbols and axes, in an order that depends on them alone. */
struct polynomial {
    int count;
    struct polynomial_term terms[POLYNOMIAL_TERMS];
};

/* How a scalar that only this walk knows is replaced: a loop's counter, what a loop carries. */
struct polynomial_scope {
    /* Fills *p and returns 1; 0: the value is itself; -1: it is no polynomial. */
    int (*lookup)(const struct ir_value *value, void *user, struct polynomial *p);
    void *user;
};

struct polynomial polynomial_constant(int64_t value);
struct polynomial polynomial_symbol(const struct ir_value *value);
/* False: too many terms or symbols. */
bool polynomial_add(struct polynomial *p, const struct polynomial *q, int64_t factor);
bool polynomial_multiply(const struct polynomial *p, const struct polynomial *q,
                         struct polynomial *product);
bool polynomial_equal(const struct polynomial *p, const struct polynomial *q);
bool polynomial_is_constant(const struct polynomial *p, int64_t *value);

/* p = coefficient * symbol + rest; false when the symbol is squared. */
bool polynomial_split_symbol(const struct polynomial *p, const struct ir_value *symbol,
                             struct polynomial *coefficient, struct polynomial *rest);
void polynomial_split_axis(const struct polynomial *p, int axis, struct polynomial *coefficient,
                           struct polynomial *rest);
/* p of an op's operand becomes that of its result, for broadcast, reshape, trans and the like; false
 * when the op mixes axes. */
bool polynomial_reshape(const struct ir_op *op, struct polynomial *p);
/* Whether an axis takes part. */
bool polynomial_has_axis(const struct polynomial *p);

/* The polynomial of a 64-bit integer value, a scalar or a tile of one or two axes (the first of one
 * axis is axis 0). The function must be numbered. False: it is none. */
bool polynomial_of(const struct ir_value *value, const struct polynomial_scope *scope,
                   struct polynomial *p);
/* Likewise for an address: elements from the parameter *root. */
bool polynomial_of_address(const struct ir_value *pointer, const struct polynomial_scope *scope,
                           const struct ir_value **root, struct polynomial *p);

#endif
