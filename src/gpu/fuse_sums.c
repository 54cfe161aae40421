/* Sums that an addition of its own makes: sum + dot(a, b, 0) becomes dot(a, b, sum). */
#include "gpu/matrix.h"

static bool fuse(struct ir_op *op, void *user)
{
    struct ir_value *sum;
    struct ir_op *dot = plan_added_dot(op, &sum);
    struct ir_func *func = user;
    if (!dot || !ir_type_equal(sum->type, dot->results[0]->type))
        return true;
    struct ir_builder b = {func, op->parent, op, dot->range};
    struct ir_value *operands[] = {dot->operands[0], dot->operands[1], sum};
    struct ir_op *made = ir_build(&b, IR_OP_DOT, 3, operands, 1, &sum->type, 0, NULL);
    made->results[0]->name = op->results[0]->name;
    ir_replace(op->results[0], made->results[0]);
    return true;
}

void gpu_fuse_sums(struct ir_func *func)
{
    ir_walk(func->body, fuse, func);
    ir_apply_replacements(func);
}
