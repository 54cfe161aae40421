/*
 * Which accesses may touch the same memory.
 *
 * A pointer is known by its root, the parameter that it was computed from. Two different parameters
 * do not overlap when one of them is `restrict`, or when the caller of the pass manager knows that
 * no buffers of the launch overlap; else anything may be the same memory.
 */
#include "opt/pass.h"

int pass_pointer_root(const struct ir_value *pointer)
{
    for (;;) {
        const struct ir_op *op = pointer->op;
        if (!op) {
            bool parameter = pointer->region && !pointer->region->parent;
            return parameter ? pointer->index : -1;
        }
        if (op->code != IR_OP_ADDPTR && op->code != IR_OP_BROADCAST && op->code != IR_OP_RESHAPE &&
            op->code != IR_OP_TRANS)
            return -1;
        pointer = op->operands[0];
    }
}

bool pass_may_alias(const struct pass_context *context, const struct ir_func *func, int a, int b)
{
    if (a < 0 || b < 0 || a == b)
        return true;
    return !context->assume_no_alias && !func->parameters[a].is_restrict &&
           !func->parameters[b].is_restrict;
}

bool pass_touches_memory(const struct ir_op *op, unsigned reads_or_writes)
{
    return (ir_ops[op->code].flags & reads_or_writes) && op->code != IR_OP_ASSERT &&
           op->code != IR_OP_PRINT;
}

int pass_written_root(const struct ir_op *op)
{
    return op->operand_count > 0 ? pass_pointer_root(op->operands[0]) : -1;
}

struct write_search {
    const struct pass_context *context;
    const struct ir_func *func;
    int root;
};

static bool is_harmless(struct ir_op *op, void *user)
{
    const struct write_search *search = user;
    return !pass_touches_memory(op, IR_WRITES) ||
           !pass_may_alias(search->context, search->func, pass_written_root(op), search->root);
}

bool pass_region_writes(const struct pass_context *context, const struct ir_func *func,
                        const struct ir_region *region, int root)
{
    struct write_search search = {context, func, root};
    return !ir_walk((struct ir_region *)region, is_harmless, &search);
}
