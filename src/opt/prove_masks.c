/*
 * prove_masks: comparisons of indices that ranges decide become constants.
 *
 *   for %i = 0 to 1024 step 256 {                     for %i = 0 to 1024 step 256 {
 *     %col = add (broadcast %i), (arange 0 to 256)      %m = constant {true} : bool[256]
 *     %m = lt %col, (constant 1024)              ->     ...
 *     ...
 *
 * Both sides are brought into affine form (ir/affine.h); what the two have in common cancels, and
 * the range of the difference decides: `i + k < i + 4` is known though i is not. The forms are
 * exact integers, so nothing here depends on arithmetic that wraps.
 */
#include "ir/affine.h"
#include "opt/pass.h"

bool pass_less_than_zero(const struct ir_op *op, const struct ir_assumption *assumption,
                         struct ir_affine *difference)
{
    bool swapped = op->code == IR_OP_GT || op->code == IR_OP_GE;
    bool or_equal = op->code == IR_OP_LE || op->code == IR_OP_GE;
    struct ir_affine x, y;
    if (op->code != IR_OP_LT && op->code != IR_OP_LE && !swapped)
        return false;
    if (!ir_affine_of(op->operands[swapped], assumption, &x) ||
        !ir_affine_of(op->operands[!swapped], assumption, &y))
        return false;
    if (or_equal && __builtin_sub_overflow(x.constant, 1, &x.constant))
        return false; /* x <= y is x - 1 < y */
    return ir_affine_subtract(&x, &y, op->results[0]->type, assumption, difference);
}

/* 1 or 0 where the comparison is known, else -1. */
static int known_result(const struct ir_op *op, const struct ir_assumption *assumption)
{
    struct ir_affine d, x, y;
    if (pass_less_than_zero(op, assumption, &d))
        return d.range.most < 0 ? 1 : d.range.least >= 0 ? 0 : -1;
    if ((op->code != IR_OP_EQ && op->code != IR_OP_NE) ||
        !ir_affine_of(op->operands[0], assumption, &x) ||
        !ir_affine_of(op->operands[1], assumption, &y) ||
        !ir_affine_subtract(&x, &y, op->results[0]->type, assumption, &d))
        return -1;
    if (d.range.most < 0 || d.range.least > 0)
        return op->code == IR_OP_NE;
    return d.range.most == 0 && d.range.least == 0 ? op->code == IR_OP_EQ : -1;
}

struct prove_masks {
    struct ir_func *func;
    const struct ir_assumption *assumption;
    bool changed;
};

static bool prove_op(struct ir_op *op, void *user)
{
    struct prove_masks *p = user;
    if (!ir_is_comparison(op->code))
        return true;
    int known = known_result(op, p->assumption);
    if (known < 0)
        return true;
    struct ir_builder b = pass_builder(p->func, op);
    ir_replace(op->results[0], ir_constant(&b, op->results[0]->type, (uint64_t)known));
    ir_remove(op);
    p->changed = true;
    return true;
}

bool pass_prove_masks(struct pass_context *context, struct ir_func *func)
{
    struct prove_masks p = {.func = func, .assumption = context->assumption};
    ir_walk(func->body, prove_op, &p);
    ir_apply_replacements(func);
    return p.changed;
}
