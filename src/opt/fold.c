/*
 * fold: constants, exact algebra, known branches and masks.
 *
 *   %a = constant {3} : i64                     %c = constant {12} : i64
 *   %b = constant {4} : i64                ->   %m = broadcast %n : i64[8]     (n + 0 was n)
 *   %c = mul %a, %b : i64                       ...
 *   %d = add %n, %zero : i64
 *   %m = broadcast %d : i64[8]
 *
 * Constants are computed by ir_eval, the routine that the interpreter uses, so that folding gives
 * bit for bit what run time gives; approximate functions are never folded. Algebra on floats is
 * restricted to what IEEE 754 makes exact for every operand, infinities, NaN (but for its payload)
 * and both zeros included: x * 1, x + -0.0, x - 0.0, division by a power of two; not x + 0.0, not
 * x * 0, not x - x. Integers wrap, so their algebra is free.
 *
 * One walk in program order sees operands that are already folded; what a change makes possible
 * further up (a carried value that became invariant, say) is found by walking again until nothing
 * changes, which also makes the pass idempotent.
 */
#include "ir/eval.h"
#include "opt/fold.h"

enum { MOST_WALKS = 16 };

/* ---- constants ------------------------------------------------------------------------------- */

/* An elementwise op whose operands are all constants, each the same in every element. */
static struct ir_value *fold_constant(struct fold *fold, struct ir_op *op)
{
    uint64_t operands[3];
    unsigned faults = 0;
    if (!ir_has(op, IR_PURE | IR_ELEMENTWISE) || ir_has(op, IR_APPROX) ||
        op->code == IR_OP_CONVERT_LAYOUT || op->operand_count > 3 || op->results[0]->type.pointer)
        return NULL;
    for (int i = 0; i < op->operand_count; i++) {
        if (!ir_constant_bits(op->operands[i], &operands[i]))
            return NULL;
    }
    uint64_t bits = ir_eval_op(op, operands, &faults);
    return ir_constant(&fold->builder, op->results[0]->type, bits);
}

/* ---- memory with known masks ----------------------------------------------------------------- */

/* Where the mask stands among the operands, or -1. */
static int mask_place(const struct ir_op *op)
{
    int place = op->code == IR_OP_LOAD                                             ? 1
                : op->code == IR_OP_ATOMIC_CAS                                     ? 3
                : pass_touches_memory(op, IR_WRITES) && ir_has(op, IR_ELEMENTWISE) ? 2
                                                                                   : -1;
    return place < op->operand_count ? place : -1;
}

/* A true mask goes; behind a false one nothing happens, and results are what is masked off. */
static struct ir_value *fold_mask(struct fold *fold, struct ir_op *op)
{
    int place = mask_place(op);
    int64_t mask;
    if (place < 0 || !ir_constant_int(op->operands[place], &mask))
        return NULL;
    fold->changed = true;
    if (mask) {
        op->operand_count = place; /* a load's other value goes too */
        return NULL;
    }
    if (op->code == IR_OP_LOAD)
        return op->operands[2];
    if (op->result_count > 0)
        return ir_constant(&fold->builder, op->results[0]->type, 0);
    ir_remove(op);
    return NULL;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static struct ir_value *fold_value(struct fold *fold, struct ir_op *op)
{
    struct ir_value *value = NULL;
    if (ir_has(op, IR_READS) || ir_has(op, IR_WRITES))
        return fold_mask(fold, op);
    if (op->result_count == 1)
        value = fold_constant(fold, op);
    if (!value)
        value = fold_algebra(fold, op);
    if (!value)
        value = fold_shape(fold, op);
    if (!value)
        value = fold_scalarise(fold, op);
    return value;
}

static void fold_region(struct fold *fold, struct ir_region *region);

static void fold_op(struct fold *fold, struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++)
        op->operands[i] = ir_current(op->operands[i]);
    fold->builder = pass_builder(fold->func, op);
    struct ir_value *value = fold_value(fold, op);
    if (value) {
        ir_replace(op->results[0], value);
        ir_remove(op);
        fold->changed = true;
        return;
    }
    for (int i = 0; op->parent && i < op->region_count; i++)
        fold_region(fold, op->regions[i]);
}

static void fold_region(struct fold *fold, struct ir_region *region)
{
    struct ir_op *op = region->first;
    while (op) {
        struct ir_op *previous = op->previous;
        fold->builder = pass_builder(fold->func, op);
        if (op->region_count > 0 && fold_control(fold, op)) {
            /* Goes on with what stands there now. */
            fold->changed = true;
            op = previous ? previous->next : region->first;
            continue;
        }
        struct ir_op *next = op->next;
        fold_op(fold, op);
        op = next;
    }
}

bool pass_fold(struct pass_context *context, struct ir_func *func)
{
    (void)context;
    bool changed = false;
    for (int i = 0; i < MOST_WALKS; i++) {
        struct fold fold = {.func = func};
        fold_region(&fold, func->body);
        if (!fold.changed)
            break;
        ir_apply_replacements(func);
        changed = true;
    }
    return changed;
}
