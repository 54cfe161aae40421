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
    int root, writer;
    bool certain; /* a write that no `restrict` would exclude */
};

static bool look_for_write(struct ir_op *op, void *user)
{
    struct write_search *search = user;
    int root = pass_touches_memory(op, IR_WRITES) ? pass_written_root(op) : -1;
    if (!pass_touches_memory(op, IR_WRITES) ||
        !pass_may_alias(search->context, search->func, root, search->root))
        return true;
    search->certain = root < 0 || search->root < 0 || root == search->root;
    search->writer = root;
    return !search->certain;
}

enum pass_writes pass_region_writes(const struct pass_context *context, const struct ir_func *func,
                                    const struct ir_region *region, int root, int *writer)
{
    struct write_search search = {context, func, root, -1, false};
    ir_walk((struct ir_region *)region, look_for_write, &search);
    if (search.certain)
        return PASS_WRITES;
    if (search.writer < 0)
        return PASS_WRITES_NOT;
    *writer = search.writer;
    return PASS_WRITES_IF_ALIASED;
}

/* The same place is noted once, however often passes run. */
static bool is_noted(const struct diagnostics *diagnostics, struct source_range range)
{
    for (size_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *diagnostic = &diagnostics->items[i];
        if (diagnostic->kind == DIAGNOSTIC_PERF && diagnostic->range.file == range.file &&
            diagnostic->range.begin == range.begin && diagnostic->range.end == range.end)
            return true;
    }
    return false;
}

void pass_note_alias(const struct pass_context *context, const struct ir_func *func,
                     const struct ir_op *load, int writer, const char *what)
{
    int root = pass_pointer_root(load->operands[0]);
    if (root < 0 || writer < 0 || !load->range.file || is_noted(context->diagnostics, load->range))
        return;
    const char *read = func->parameters[root].name, *written = func->parameters[writer].name;
    if (!read || !written)
        return;
    struct diagnostic *note = diagnostics_add(
        context->diagnostics, DIAGNOSTIC_PERF, load->range,
        "this load through '%s' %s, because a store through '%s' may change what it reads", read,
        what, written);
    diagnostics_hint(context->diagnostics, note,
                     "declare '%s' or '%s' restrict if the two never overlap", read, written);
}
