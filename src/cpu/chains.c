/*
 * Long chains of ops, cut.
 *
 *     %v = add %u, %x : f32[64]        the last of 256 ops, each of which needs the one before
 * ->
 *     %v = add %u, %x : f32[64]
 *     %c = constant {true} : bool
 *     %w = if %c : f32[64] {
 *       yield %v
 *     } else {
 *       %z = constant {0} : f32[64]
 *       yield %z
 *     }                                and what used %v uses %w
 *
 * Elements are made on demand, and much is asked of a value before, all by recursion over operands:
 * a kernel of 15,000 dependent ops overflowed the stack, and what looks back from each op took
 * time by the square of their number. No walk looks through a branch, whose tiles lie in memory,
 * and LLVM drops the branch itself. What is computed is the same.
 *
 * A pointer cannot be what a branch gives. Far down a chain a pointer to a pointer plus an offset
 * becomes one with the sum of both offsets, which are chains of integers.
 */
#include "cpu/chains.h"

/* Deeper than what unrolled loops and written code have; 256 frames of each walk are small even on
 * the stack of a thread. */
enum { MOST_DEPTH = 256 };

struct cut { /* the branch yields what it stands for */
    struct ir_op *yield;
    struct ir_value *value;
};

struct chains {
    struct ir_func *func;
    struct cut *items;
    size_t count, capacity;
};

static struct ir_op *yield(struct ir_func *func, struct ir_region *region, struct ir_value *v,
                           struct source_range range)
{
    struct ir_builder b = {.func = func, .region = region, .range = range};
    return ir_build(&b, IR_OP_YIELD, 1, &v, 0, NULL, 0, NULL);
}

static void cut(struct chains *c, struct ir_op *op, struct ir_value *v)
{
    struct ir_builder b = {
        .func = c->func, .region = op->parent, .before = op->next, .range = op->range};
    struct ir_value *always = ir_constant(&b, ir_scalar(IR_BOOL), 1);
    struct ir_op *branch = ir_build(&b, IR_OP_IF, 1, &always, 1, &v->type, 2, NULL);
    struct cut made = {yield(c->func, branch->regions[0], v, op->range), v};
    struct ir_builder other = {.func = c->func, .region = branch->regions[1], .range = op->range};
    yield(c->func, branch->regions[1], ir_constant(&other, v->type, 0), op->range);
    ir_replace(v, branch->results[0]);
    v->mark = 0;
    ARENA_PUSH(c->func->arena, c, made);
}

/* (p + a) + b -> p + (a + b): an address is the same, whatever wraps. */
static void add_offsets(struct chains *c, struct ir_op *op)
{
    const struct ir_op *inner = op->code == IR_OP_ADDPTR ? op->operands[0]->op : NULL;
    if (!inner || inner->code != IR_OP_ADDPTR || inner->parent != op->parent ||
        op->operands[0]->mark < MOST_DEPTH / 2 ||
        inner->operands[1]->type.elem != op->operands[1]->type.elem)
        return;
    struct ir_builder b = {.func = c->func, .region = op->parent, .before = op, .range = op->range};
    struct ir_value *first = ir_current(inner->operands[1]);
    struct ir_value *sum = ir_binary(&b, IR_OP_ADD, first, op->operands[1]);
    sum->mark = 1 + (first->mark > op->operands[1]->mark ? first->mark : op->operands[1]->mark);
    if (sum->mark >= MOST_DEPTH) {
        cut(c, sum->op, sum);
        sum = ir_current(sum);
    }
    op->operands[0] = inner->operands[0];
    op->operands[1] = sum;
}

static bool visit(struct ir_op *op, void *user)
{
    struct chains *c = user;
    const struct ir_op *around = op->parent->parent;
    int depth = 0;
    if (around && around->code == IR_OP_SCAN) /* its function has no branches, and is of scalars */
        return true;
    add_offsets(c, op);
    for (int i = 0; i < op->operand_count; i++)
        depth = op->operands[i]->mark > depth ? (int)op->operands[i]->mark : depth;
    for (int i = 0; i < op->result_count && op->region_count == 0; i++) {
        op->results[i]->mark = depth + 1;
        if (depth + 1 >= MOST_DEPTH && !op->results[i]->type.pointer)
            cut(c, op, op->results[i]);
    }
    return true;
}

void cpu_cut_chains(struct ir_func *func)
{
    struct chains c = {.func = func};
    ir_clear_marks(func);
    ir_walk(func->body, visit, &c);
    if (c.count == 0)
        return;
    ir_apply_replacements(func);
    for (size_t i = 0; i < c.count; i++)
        c.items[i].yield->operands[0] = c.items[i].value;
}
