/*
 * Offsets of gathers that are the same for every program.
 *
 *     load(X + (k / 9 * height + y + k % 9 / 3 - 1) * width + x + k % 3 - 1)    image to columns
 *
 * Only y and x are the program's: such an index is a tile, here
 *
 *     k / 9 * (height * width) + k % 9 / 3 * width + k % 3
 *
 * that parameters alone decide, and a scalar. Index arithmetic is that of 64 bits which wrap, where
 * sums may be taken in any order. The tile is made once, before the loop over programs (once.c),
 * and lies in memory; a program adds the scalar to the pointer, and takes its lanes' offsets as
 * numbers, one by one, as it loads one by one. That is for processors without a fast gather: the
 * others compute the lanes' ints faster than they would read them (lanes.c).
 */
#include "cpu/fixed_offsets.h"
#include "cpu/convert.h"
#include "cpu/lanes.h"
#include "cpu/pattern.h"

enum { DEPTH = 24, BUDGET = 512, NO = 1, YES = 2 };

/* ---- parts of an index ----------------------------------------------------------------------- */

struct parts {
    struct ir_value *fixed; /* a tile, or NULL */
    struct ir_value *own;   /* a scalar, or NULL */
};

struct part {
    struct ir_builder b;
    int budget;
};

/* Parameters alone decide it, and it is made in the kernel's body. The answer is kept as a mark. */
static bool is_fixed(const struct ir_func *func, struct ir_value *v)
{
    struct ir_op *op = v->op;
    if (!op)
        return !v->region->parent;
    if (v->mark)
        return v->mark == YES;
    bool fixed = op->parent == func->body && op->region_count == 0 && !ir_has(op, IR_READS) &&
                 (op->code == IR_OP_CONSTANT || op->code == IR_OP_ARANGE ||
                  op->code == IR_OP_BROADCAST || ir_has(op, IR_PURE | IR_ELEMENTWISE));
    for (int i = 0; i < op->operand_count && fixed; i++)
        fixed = is_fixed(func, op->operands[i]);
    v->mark = fixed ? YES : NO;
    return fixed;
}

/* The scalar that all elements are, or NULL. */
static struct ir_value *one_scalar(struct ir_builder *b, struct ir_value *v)
{
    int64_t value;
    if (v->op && v->op->code == IR_OP_BROADCAST && v->op->operands[0]->type.rank == 0)
        return v->op->operands[0];
    return ir_constant_int(v, &value) ? ir_constant_i64(b, value) : NULL;
}

static struct ir_value *sum(struct ir_builder *b, enum ir_opcode code, struct ir_value *x,
                            struct ir_value *y)
{
    if (!y)
        return x;
    if (!x)
        return code == IR_OP_SUB ? ir_unary(b, IR_OP_NEG, y) : y;
    return ir_binary(b, code, x, y);
}

static bool find(struct part *q, struct ir_value *v, int depth, struct parts *p);

static bool find_product(struct part *q, struct ir_value *v, struct ir_value *factor, int depth,
                         struct parts *p)
{
    struct ir_value *scalar = one_scalar(&q->b, factor);
    if (!scalar || !is_fixed(q->b.func, factor) || !find(q, v, depth, p))
        return false;
    if (p->fixed)
        p->fixed = ir_binary(&q->b, IR_OP_MUL, p->fixed, factor);
    if (p->own)
        p->own = ir_binary(&q->b, IR_OP_MUL, p->own, scalar);
    return true;
}

static bool find(struct part *q, struct ir_value *v, int depth, struct parts *p)
{
    struct ir_op *op = v->op;
    struct parts second;
    *p = (struct parts){NULL, NULL};
    if (!op || depth == 0 || q->budget-- <= 0 || v->type.elem != IR_I64 || v->type.pointer)
        return false;
    if ((p->own = one_scalar(&q->b, v)) != NULL)
        return true;
    if (is_fixed(q->b.func, v)) {
        p->fixed = v;
        return true;
    }
    switch (op->code) {
    case IR_OP_ADD:
    case IR_OP_SUB:
        if (!find(q, op->operands[0], depth - 1, p) ||
            !find(q, op->operands[1], depth - 1, &second))
            return false;
        p->fixed = sum(&q->b, op->code, p->fixed, second.fixed);
        p->own = sum(&q->b, op->code, p->own, second.own);
        return true;
    case IR_OP_MUL:
        return find_product(q, op->operands[0], op->operands[1], depth - 1, p) ||
               find_product(q, op->operands[1], op->operands[0], depth - 1, p);
    default:
        return false;
    }
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* Whether a tile is made with divisions, all of them by constants below what runs begin at
 * (nest_runs.c). */
static bool divides(const struct ir_value *v, int depth, bool *others)
{
    enum { LEAST_RUN = 64 };
    const struct ir_op *op = v->op;
    int64_t divisor;
    if (!op || depth == 0 || v->type.rank == 0)
        return false;
    bool found = op->code == IR_OP_DIV || op->code == IR_OP_REM;
    if (found && (!ir_constant_int(op->operands[1], &divisor) || divisor >= LEAST_RUN))
        *others = true;
    for (int i = 0; i < op->operand_count; i++)
        found = divides(op->operands[i], depth - 1, others) || found;
    return found;
}

static bool may_keep(const struct ir_value *v)
{
    bool others = false;
    return divides(v, DEPTH, &others) && !others;
}

/* Of a pointer that is one scalar and sums: false if it is another one. */
static bool find_index(struct part *q, struct ir_value *pointer, struct ir_value **root,
                       struct parts *all)
{
    struct parts p;
    *all = (struct parts){NULL, NULL};
    for (; pointer->op && pointer->op->code == IR_OP_ADDPTR; pointer = pointer->op->operands[0]) {
        if (!find(q, pointer->op->operands[1], DEPTH, &p))
            return false;
        all->fixed = sum(&q->b, IR_OP_ADD, all->fixed, p.fixed);
        all->own = sum(&q->b, IR_OP_ADD, all->own, p.own);
    }
    if (!pointer->op || pointer->op->code != IR_OP_BROADCAST ||
        pointer->op->operands[0]->type.rank > 0)
        return false;
    *root = pointer->op->operands[0];
    return all->fixed && all->own;
}

static bool part_load(struct ir_op *op, void *user)
{
    struct ir_func *func = user;
    if (op->code != IR_OP_LOAD || op->parent != func->body || op->operands[0]->type.rank != 1 ||
        !may_keep(op->operands[0]))
        return true;
    struct part q = {{.func = func, .region = op->parent, .before = op, .range = op->range},
                     BUDGET};
    struct ir_value *root;
    struct parts p;
    if (!find_index(&q, op->operands[0], &root, &p) || !may_keep(p.fixed))
        return true;
    root = ir_binary(&q.b, IR_OP_ADDPTR, root, p.own);
    root = ir_broadcast(&q.b, root, op->operands[0]->type);
    op->operands[0] = ir_binary(&q.b, IR_OP_ADDPTR, root, p.fixed);
    return true;
}

static bool clear_marks(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->result_count; i++)
        op->results[i]->mark = 0;
    return true;
}

/* What is left of the indices as they were, which would be made once as well. */
static void remove_unused(struct ir_func *func)
{
    struct ir_op *before;
    ir_count_uses(func);
    for (struct ir_op *op = func->body->last; op; op = before) {
        before = op->previous;
        if (op->result_count != 1 || op->results[0]->uses > 0 || !ir_has(op, IR_PURE) ||
            op->region_count > 0)
            continue;
        for (int i = 0; i < op->operand_count; i++)
            op->operands[i]->uses--;
        ir_remove(op);
    }
}

void cpu_part_indices(struct ir_func *func)
{
    ir_walk(func->body, clear_marks, NULL);
    ir_walk(func->body, part_load, func);
    remove_unused(func);
}

/* ---- where they are kept --------------------------------------------------------------------- */

/* Places that a vector and a shuffle load. */
static bool are_close(struct cpu_emit *e, const struct ir_value *pointer)
{
    struct cpu_lanes form;
    int lanes = e->level->vector_bits / 32;
    return cpu_may_have_pattern(e, pointer) ||
           (cpu_may_have_lanes(e, pointer, lanes, &form) && form.grows && form.small.high < lanes);
}

static const struct ir_value *offset_of(const struct cpu_emit *e, const struct ir_value *pointer)
{
    const struct ir_op *op = pointer->op;
    if (!cpu_rounds_by_bits(&e->level->features) || !op || op->code != IR_OP_ADDPTR ||
        pointer->type.rank != 1 ||
        cpu_memory_bytes(ir_scalar((enum ir_elem)pointer->type.elem)) < 4)
        return NULL;
    const struct ir_op *base = op->operands[0]->op;
    bool one = base && base->code == IR_OP_BROADCAST && base->operands[0]->type.rank == 0;
    return one ? op->operands[1] : NULL;
}

const struct ir_value *cpu_fixed_offset(struct cpu_emit *e, const struct ir_value *pointer)
{
    const struct ir_value *offset = offset_of(e, pointer);
    return offset && may_keep(offset) && !are_close(e, pointer) ? offset : NULL;
}

const struct ir_value *cpu_kept_offset(struct cpu_emit *e, const struct ir_value *pointer)
{
    const struct ir_value *offset = offset_of(e, pointer);
    const struct cpu_value *value = offset ? cpu_value_of(e, offset) : NULL;
    bool kept = value && value->buffer && value->ready && !value->buffer->type.pointer;
    return kept && value->buffer->type.elem == IR_I64 ? offset : NULL;
}
