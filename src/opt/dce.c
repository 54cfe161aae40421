/*
 * dce: what nothing needs goes.
 *
 *   %a, %b = for %i = ... carry (%x = %p, %y = %q) ...    %a = for %i = ... carry (%x = %p) ...
 *     %u = add %x, %one                                     %u = add %x, %one
 *     %v = add %y, %one                              ->     yield %u
 *     yield %u, %v
 *   store %P, %a                                          store %P, %a
 *
 * Liveness is marked from what has effects: writes, checks, the function's return. A carried value
 * is live when its result is used, or its argument is used by something live other than its own way
 * to the next trip; so a dead cycle through a loop stays unmarked. Loads count as pure (their
 * faults are the checker's business, which runs IR that no pass has seen), and a loop without
 * effects goes even when it might not end, as in C.
 *
 * A live value has mark 1, a live op too; marks are cleared first.
 */
#include "opt/pass.h"

struct dce {
    struct pass_context *context;
    struct {
        struct ir_value **items;
        size_t count, capacity;
    } work; /* live values whose sources are not yet marked */
    bool changed;
};

/* ---- marking --------------------------------------------------------------------------------- */

static void mark_value(struct dce *dce, struct ir_value *value)
{
    if (value->mark)
        return;
    value->mark = 1;
    ARENA_PUSH(dce->context->arena, &dce->work, value);
}

static void mark_operands(struct dce *dce, const struct ir_op *op, int count)
{
    for (int i = 0; i < count; i++)
        mark_value(dce, op->operands[i]);
}

/* The op stays, and so do the ops around it; of control flow only what steers it. */
static void mark_op(struct dce *dce, struct ir_op *op)
{
    while (op && !op->mark) {
        op->mark = 1;
        if (op->code == IR_OP_FOR)
            mark_operands(dce, op, 3);
        else if (op->code == IR_OP_WHILE)
            mark_value(dce, op->regions[0]->last->operands[0]);
        else
            mark_operands(dce, op, op->operand_count);
        if (op->code == IR_OP_SCAN)
            mark_operands(dce, op->regions[0]->last, 1);
        op = op->parent->parent;
    }
}

/* Carried value k of a loop, or result k of an if: all of its places. */
static void mark_result(struct dce *dce, struct ir_op *op, int k)
{
    mark_op(dce, op);
    mark_value(dce, op->results[k]);
    switch (op->code) {
    case IR_OP_FOR:
        mark_value(dce, op->operands[3 + k]);
        mark_value(dce, op->regions[0]->last->operands[k]);
        break;
    case IR_OP_WHILE:
        mark_value(dce, op->operands[k]);
        mark_value(dce, op->regions[0]->last->operands[1 + k]);
        mark_value(dce, op->regions[1]->last->operands[k]);
        break;
    case IR_OP_IF:
        mark_value(dce, op->regions[0]->last->operands[k]);
        mark_value(dce, op->regions[1]->last->operands[k]);
        break;
    default:
        break;
    }
}

static void mark_sources(struct dce *dce, struct ir_value *value)
{
    if (value->op) {
        mark_result(dce, value->op, value->index);
        return;
    }
    struct ir_op *op = value->region->parent;
    if (!op)
        return;
    int k = op->code == IR_OP_FOR ? value->index - 1 : value->index;
    mark_op(dce, op);
    if (k >= 0 && op->code != IR_OP_SCAN)
        mark_result(dce, op, k);
}

static bool mark_roots(struct ir_op *op, void *user)
{
    if (ir_has(op, IR_WRITES) || op->code == IR_OP_RETURN)
        mark_op(user, op);
    return true;
}

static void clear_marks(struct ir_region *region)
{
    for (int i = 0; i < region->argument_count; i++)
        region->arguments[i]->mark = 0;
    for (struct ir_op *op = region->first; op; op = op->next) {
        op->mark = 0;
        for (int i = 0; i < op->result_count; i++)
            op->results[i]->mark = 0;
        for (int i = 0; i < op->region_count; i++)
            clear_marks(op->regions[i]);
    }
}

/* ---- sweeping -------------------------------------------------------------------------------- */

static void sweep_region(struct dce *dce, struct ir_region *region)
{
    struct ir_op *next;
    for (struct ir_op *op = region->first; op; op = next) {
        next = op->next;
        if (ir_has(op, IR_TERMINATOR))
            continue;
        if (!op->mark) {
            ir_remove(op);
            dce->changed = true;
            continue;
        }
        bool control = op->code == IR_OP_FOR || op->code == IR_OP_WHILE || op->code == IR_OP_IF;
        for (int k = op->result_count - 1; control && k >= 0; k--) {
            if (!op->results[k]->mark) {
                pass_drop_result(op, k);
                dce->changed = true;
            }
        }
        for (int i = 0; i < op->region_count; i++)
            sweep_region(dce, op->regions[i]);
    }
}

bool pass_dce(struct pass_context *context, struct ir_func *func)
{
    struct dce dce = {.context = context};
    clear_marks(func->body);
    ir_walk(func->body, mark_roots, &dce);
    while (dce.work.count > 0)
        mark_sources(&dce, dce.work.items[--dce.work.count]);
    sweep_region(&dce, func->body);
    return dce.changed;
}
