/*
 * The rules for products that go on while threads do (warpgroup_mma).
 *
 * What such a product leaves is *under way* until it is waited for, also through branches and
 * loops: then no other op may take it, and nobody may have a copy of it, since its registers are
 * being written. Products stand between warpgroup_begin and warpgroup_commit, and nothing makes
 * fragments there. That operands are not overwritten while they are read is a pipeline's proof
 * (pipeline.c).
 */
#include "gpu/verify_team.h"

struct team_checker {
    struct diagnostics *diagnostics;
    bool changed, fine;
};

/* Bits of a value's mark. */
enum { UNDER_WAY = 1, TAKEN = 2 };

static void broken(struct team_checker *c, const struct ir_op *op, const char *message)
{
    if (c->fine)
        diagnostics_add(c->diagnostics, DIAGNOSTIC_ERROR, op->range, "'%s': %s",
                        ir_ops[op->code].name, message);
    c->fine = false;
}

/* ---- what is under way ----------------------------------------------------------------------- */

static void follow(struct team_checker *c, const struct ir_value *from, struct ir_value *to)
{
    if (from->mark & UNDER_WAY && !(to->mark & UNDER_WAY)) {
        to->mark |= UNDER_WAY;
        c->changed = true;
    }
}

static bool follow_op(struct ir_op *op, void *user)
{
    struct team_checker *c = user;
    for (int k = 0; k < op->result_count; k++) {
        struct ir_value *result = op->results[k];
        if ((int)op->code == GPU_OP_WARPGROUP_MMA && !(result->mark & UNDER_WAY)) {
            result->mark |= UNDER_WAY;
            c->changed = true;
        } else if (op->code == IR_OP_IF) {
            follow(c, op->regions[0]->last->operands[k], result);
            follow(c, op->regions[1]->last->operands[k], result);
        } else if (op->code == IR_OP_FOR) {
            struct ir_value *argument = op->regions[0]->arguments[1 + k];
            follow(c, op->operands[3 + k], argument);
            follow(c, op->regions[0]->last->operands[k], argument);
            follow(c, argument, result);
        } else if (op->code == IR_OP_WHILE) {
            struct ir_value *argument = op->regions[0]->arguments[k];
            follow(c, op->operands[k], argument);
            follow(c, op->regions[1]->last->operands[k], argument);
            follow(c, op->regions[0]->last->operands[1 + k], op->regions[1]->arguments[k]);
            follow(c, op->regions[0]->last->operands[1 + k], result);
        }
    }
    return true;
}

static bool may_take(const struct ir_op *op)
{
    int code = (int)op->code;
    return op->region_count > 0 || ir_has(op, IR_TERMINATOR) || code == GPU_OP_WARPGROUP_MMA ||
           code == GPU_OP_WARPGROUP_WAIT;
}

static bool check_uses(struct ir_op *op, void *user)
{
    struct team_checker *c = user;
    for (int i = 0; i < op->operand_count; i++) {
        struct ir_value *value = op->operands[i];
        if (!(value->mark & UNDER_WAY))
            continue;
        if (!may_take(op))
            broken(c, op, "takes what a product that nobody has waited for still writes");
        if (value->mark & TAKEN)
            broken(c, op, "takes what another op has taken, and a product still writes");
        value->mark |= TAKEN;
    }
    return true;
}

/* ---- where products stand -------------------------------------------------------------------- */

static void check_region(struct team_checker *c, const struct ir_region *region)
{
    bool open = false;
    for (const struct ir_op *op = region->first; op; op = op->next) {
        int code = (int)op->code;
        if (code == GPU_OP_WARPGROUP_BEGIN) {
            if (open)
                broken(c, op, "stands behind another one");
            open = true;
        } else if (code == GPU_OP_WARPGROUP_MMA || code == GPU_OP_WARPGROUP_COMMIT) {
            if (!open)
                broken(c, op, "stands behind no warpgroup_begin");
            open = code == GPU_OP_WARPGROUP_MMA;
        } else if (open && (!ir_has(op, IR_PURE) ||
                            (op->result_count > 0 && op->results[0]->type.rank == 2))) {
            broken(c, op, "stands between products");
        }
        for (int r = 0; r < op->region_count; r++)
            check_region(c, op->regions[r]);
    }
}

bool gpu_verify_teams(const struct ir_func *func, struct diagnostics *diagnostics)
{
    struct team_checker c = {.diagnostics = diagnostics, .changed = true, .fine = true};
    ir_clear_marks(func);
    while (c.changed) {
        c.changed = false;
        ir_walk(func->body, follow_op, &c);
    }
    ir_walk(func->body, check_uses, &c);
    check_region(&c, func->body);
    return c.fine;
}
