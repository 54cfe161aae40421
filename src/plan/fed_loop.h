#ifndef TILEC_PLAN_FED_LOOP_H
#define TILEC_PLAN_FED_LOOP_H
/*
 * Loops whose products are fed by loads: whatever else a trip does with its products, some of their
 * operands are tiles that it loads from places which the trip's number alone decides. So these can
 * be copied ahead, while the trips before them run.
 *
 *   for %j ... carry (%top = ..., %acc = ...) {
 *     %k = load ...                       places hang on %j and on what the loop does not change
 *     %s = dot %q, (trans %k), %zeros     fed
 *     %p = exp(%s - max(%s)) ...          reductions, anything that writes no memory
 *     %v = load ...
 *     %acc.1 = dot %p, %v, %acc           fed; and chained: %p hangs on another dot of the trip
 *     yield ...
 *   }
 */
#include "plan/dot_loop.h"

struct plan_fed_dot {
    struct ir_op *op;
    struct ir_op *loads[2]; /* by side: the load that the operand is, perhaps behind a
                               transposition; or NULL */
    bool chained;           /* its left operand hangs on another dot of the loop */
};

struct plan_fed_loop {
    struct ir_op *loop;
    int count; /* of dots, those with a load */
    struct plan_fed_dot dots[PLAN_DOT_LOOP_DOTS];
};

/* False where the loop has no such dot, or does what forbids copies ahead: writes, loops of its
 * own. Works before and after views are expanded. */
bool plan_fed_loop(struct ir_op *loop, struct plan_fed_loop *result);

/* Whether what a load takes (its address and masks) hangs on the op; ops of the loop's body only.
 */
bool plan_feeds(const struct plan_fed_loop *loop, const struct ir_op *load, const struct ir_op *op);

#endif
