/*
 * licm: what a loop computes anew each trip, though nothing in it changes, moves in front of it.
 *
 *   for %i = %a to %b step %c {              %n = cast %N : i64
 *     %n = cast %N : i64                ->   for %i = %a to %b step %c {
 *     %m = lt %i, %n : bool                    %m = lt %i, %n : bool
 *     ...                                      ...
 *
 * Pure ops may move even when the loop might make no trip. Only those that stand in the loop's body
 * itself move, not those in a branch of it, where they may be rare. Tiles that are cheap to compute
 * (index arithmetic, comparisons, broadcasts) stay with their users: a tile that crosses the loop's
 * edge may have to be kept in memory, and computing it anew costs less. They move only where
 * something that is worth moving needs them.
 *
 * A load moves when the loop is known to make a trip (constant bounds, or the part of a while in
 * front of its condition) and nothing in the loop may write what it reads.
 *
 * Loops are treated from the inside out, so that a value can leave several.
 */
#include "opt/pass.h"

struct licm {
    struct pass_context *context;
    struct ir_func *func;
    bool changed;
};

/* Scalars cost nothing to keep; a tile has to be worth its memory. */
static bool is_worth_moving(const struct ir_op *op)
{
    struct ir_type type = op->results[0]->type;
    if (type.rank == 0 && op->code != IR_OP_CONSTANT)
        return true;
    return ir_has(op, IR_APPROX) || ir_has(op, IR_READS) || op->code == IR_OP_DIV ||
           op->code == IR_OP_SQRT || op->code == IR_OP_REM || op->code == IR_OP_CDIV ||
           op->code == IR_OP_FMOD || op->code == IR_OP_TRANS || op->code == IR_OP_GATHER ||
           op->code >= IR_OP_SUM;
}

static bool makes_a_trip(const struct ir_op *loop, const struct ir_region *region)
{
    int64_t lo, hi, step;
    if (loop->code == IR_OP_WHILE)
        return region == loop->regions[0];
    return ir_constant_int(loop->operands[0], &lo) && ir_constant_int(loop->operands[1], &hi) &&
           ir_constant_int(loop->operands[2], &step) && lo < hi && step > 0;
}

static bool is_no_assert(struct ir_op *op, void *user)
{
    (void)user;
    return op->code != IR_OP_ASSERT;
}

/* A load stays behind an assert, which may be there for its sake. */
static bool is_movable(struct licm *licm, const struct ir_op *op, const struct ir_op *loop)
{
    if (ir_has(op, IR_PURE))
        return true;
    if (!ir_has(op, IR_READS) || ir_has(op, IR_WRITES) || !makes_a_trip(loop, op->parent))
        return false;
    int root = pass_pointer_root(op->operands[0]), writer = -1;
    enum pass_writes worst = PASS_WRITES_NOT;
    for (int i = 0; i < loop->region_count; i++) {
        enum pass_writes writes =
            pass_region_writes(licm->context, licm->func, loop->regions[i], root, &writer);
        worst = writes > worst ? writes : worst;
        if (!ir_walk(loop->regions[i], is_no_assert, NULL))
            return false;
    }
    if (worst == PASS_WRITES_IF_ALIASED)
        pass_note_alias(licm->context, licm->func, op, writer, "stays in the loop");
    return worst == PASS_WRITES_NOT;
}

/* Nothing that the op needs, in its regions either, is defined in the loop, other than by ops that
 * may move with it (mark 1). */
static bool needs_loop(const struct ir_op *op, const struct ir_op *loop)
{
    for (int i = 0; i < op->operand_count; i++) {
        const struct ir_value *value = op->operands[i];
        if (!pass_is_outside(value, loop) && !(value->op && value->op->mark))
            return true;
    }
    return false;
}

/* mark: 1 invariant, 2 invariant and to be moved */
static void mark_region(struct licm *licm, struct ir_region *region, const struct ir_op *loop)
{
    for (struct ir_op *op = region->first; op; op = op->next) {
        /* A scan's region may use values of the loop, so it stays. */
        op->mark = op->region_count == 0 && op->result_count > 0 && !needs_loop(op, loop) &&
                   is_movable(licm, op, loop);
    }
    for (struct ir_op *op = region->last; op; op = op->previous) {
        if (!op->mark || (op->mark == 1 && !is_worth_moving(op)))
            continue;
        op->mark = 2;
        for (int i = 0; i < op->operand_count; i++) {
            struct ir_op *source = op->operands[i]->op;
            if (source && source->parent == region)
                source->mark = 2;
        }
    }
}

static void move_region(struct licm *licm, struct ir_region *region, struct ir_op *loop)
{
    struct ir_op *next;
    for (struct ir_op *op = region->first; op; op = next) {
        next = op->next;
        if (op->mark == 2) {
            ir_move_before(op, loop);
            licm->changed = true;
        }
        op->mark = 0;
    }
}

static void clear_marks(struct ir_region *region)
{
    for (struct ir_op *op = region->first; op; op = op->next) {
        op->mark = 0;
        for (int i = 0; i < op->region_count; i++)
            clear_marks(op->regions[i]);
    }
}

static void licm_region(struct licm *licm, struct ir_region *region)
{
    for (struct ir_op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->region_count; i++)
            licm_region(licm, op->regions[i]);
        if (op->code != IR_OP_FOR && op->code != IR_OP_WHILE)
            continue;
        for (int i = 0; i < op->region_count; i++) {
            mark_region(licm, op->regions[i], op);
            move_region(licm, op->regions[i], op);
        }
    }
}

bool pass_licm(struct pass_context *context, struct ir_func *func)
{
    struct licm licm = {.context = context, .func = func};
    clear_marks(func->body);
    licm_region(&licm, func->body);
    return licm.changed;
}
