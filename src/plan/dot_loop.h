#ifndef TILEC_PLAN_DOT_LOOP_H
#define TILEC_PLAN_DOT_LOOP_H
/*
 * Loops that sum products of tiles and do nothing else, which may be pipelined: the operands of the
 * next trips do not depend on the sums, and nothing is written.
 *
 *   for ... carry (%sum = %start, %offsets = ...) {
 *     %a = load ...   %b = load ...            any loads and pointwise ops
 *     %sum.1 = dot %a, %b, %sum
 *     yield %sum.1, %offsets.1
 *   }
 */
#include "ir/ir.h"

enum { PLAN_DOT_LOOP_DOTS = 4 };

struct plan_dot_loop {
    struct ir_op *loop;
    int count; /* of dots, in the order of the body */
    struct {
        struct ir_op *op;
        int carried; /* the loop's result that it adds to; two may add to one */
        bool added;  /* by an op of its own: sum + dot(a, b, 0), which is the same as dot(a, b, sum)
                      */
    } dots[PLAN_DOT_LOOP_DOTS];
};

/* False, with the reason in *why and, if an op stands in the way, *where. Works before and after
 * views are expanded. */
bool plan_dot_loop(struct ir_op *loop, struct plan_dot_loop *result, const char **why,
                   const struct ir_op **where);

/* The dot that starts with zeros and that the addition adds to something (its other operand, in
 * *to); NULL: it is no such addition. */
struct ir_op *plan_added_dot(const struct ir_op *add, struct ir_value **to);

/* Whether each element hangs on elements at fixed places of the operands alone, and not on memory.
 */
bool plan_is_pointwise(const struct ir_op *op);

/* Whether the loop's result k is such a sum. */
bool plan_is_sum(const struct plan_dot_loop *loop, int k);

#endif
