#ifndef TILEC_PLAN_SQUARES_H
#define TILEC_PLAN_SQUARES_H
/*
 * Sums of squared distances from a mean, which need no reduction of their own:
 *
 *     s = sum(x)                                  s = sum(x), and z = the sum of x * x
 *     m = s / n                            ->     m = s / n
 *     q = sum((x - m) * (x - m))                  q = z - 2 m s + n m m, if that is good enough,
 *                                                 else the sum
 *
 * For every m the two are the same but for rounding, which the interpreter allows for as it does
 * for another order of the sum: (T - 1) u q for this side, where T is the number of the tile's
 * elements and u is 2^-24. What is taken off z may leave more of an error than that, and then the
 * sum is made after all. With z <= 4 q and n m m <= 3.5 q, which are asked for at run time:
 *
 *     z: P + 4 roundings of each term,
 *             (P + 4) u z <= 4 (P + 4) u q
 *     s: (P + 6) u times the sum of |x|, at most sqrt(n z) <= 2 sqrt(n q), times 2 |m|,
 *             2 * 1.88 * 2 (P + 6) u q = 7.5 (P + 6) u q
 *     the formula itself, and x - m and its square, which the sum would round, not this,
 *             40 u q
 *
 * in all 11.5 P + 101, which must be less than T - 1. q is neither so large that something may
 * overflow, nor so small that products are subnormal.
 *
 * Where no order of the sum rounds, as for small whole numbers, the interpreter allows for nothing.
 * Then every square is a multiple of a power of 2 of which q is at most 2^24. So a square must show
 * that they are not: one that is at most q / 4 and is rounded when it is added to a power of 2 that
 * is at most q / 2. Among common numbers nearly every one is.
 *
 * Masked elements are 0 where the tile is loaded, and left out of q: so the mask must hold from the
 * first element on, and n is their number.
 */
#include "ir/ir.h"

/* In all of which the bound holds: what is asked of z, of n m m and of q. */
#define PLAN_SQUARES_MOST_Z 4.0
#define PLAN_SQUARES_MOST_MEAN 3.5
#define PLAN_SQUARES_MOST 0x1p120
#define PLAN_SQUARES_LEAST 0x1p-90

struct plan_squares {                    /* sum((x - m) * (x - m)), where the mask holds */
    const struct ir_value *x, *m, *mask; /* mask: NULL: everywhere; else x is 0 outside */
    struct ir_op *sum;                   /* of x, that m is made of, in the same region */
};

/* Whether the op is such a sum, to a scalar. */
bool plan_find_squares(const struct ir_op *op, struct plan_squares *found);

#endif
