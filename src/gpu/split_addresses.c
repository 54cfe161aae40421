/*
 * split_addresses: of an asynchronous copy's address, what differs between threads but not between the
 * trips of the loop around it is added first, and so in front of the loop; what is the same for all
 * threads, last:
 *
 *   for %k ... {                                     %b = mul %row, %N
 *     %r = add %k, %row                              %c = add %b, %column
 *     %m = mul %r, %N                                %q = addptr %p, %c
 *     %i = add %m, %column                     ->    for %k ... {
 *     %a = addptr %p, %i                               %m = mul %k, %N
 *     copy_async %slot, %a, ...                        %a = addptr %q, %m
 *
 * The copies of a tile then have the first part in common, and a thread adds to it what scalar
 * arithmetic gives. Sums and products of integers wrap, for which the rules of rings hold.
 */
#include "gpu/pass.h"
#include "gpu/uniform.h"

enum { DEEPEST = 8 };

struct splitter {
    struct ir_func *func;
    struct ir_builder b;
    const struct ir_op *loop;
    bool changed;
};

/* Summands of a value; NULL: nothing. */
struct parts {
    struct ir_value *own;      /* the thread's, the same in all trips */
    struct ir_value *shared;   /* the same for all threads and in all trips */
    struct ir_value *changing; /* all others */
};

static struct ir_value *sum(struct splitter *s, struct ir_value *a, struct ir_value *b)
{
    return !a ? b : !b ? a : ir_binary(&s->b, IR_OP_ADD, a, b);
}

static struct ir_value *product(struct splitter *s, struct ir_value *a, struct ir_value *factor)
{
    return a ? ir_binary(&s->b, IR_OP_MUL, a, factor) : NULL;
}

static bool is_shared(const struct splitter *s, const struct ir_value *value)
{
    return (value->op && value->op->code == IR_OP_CONSTANT) ||
           (!value->mark && pass_is_outside(value, s->loop));
}

/* A product is taken apart where one factor is the same everywhere. */
static struct parts parts_of(struct splitter *s, struct ir_value *value, int depth)
{
    const struct ir_op *op = value->op;
    if (is_shared(s, value))
        return (struct parts){.shared = value};
    if (op && op->code == IR_OP_ADD && depth < DEEPEST) {
        struct parts x = parts_of(s, op->operands[0], depth + 1);
        struct parts y = parts_of(s, op->operands[1], depth + 1);
        x.own = sum(s, x.own, y.own);
        x.shared = sum(s, x.shared, y.shared);
        x.changing = sum(s, x.changing, y.changing);
        return x;
    }
    for (int i = 0; op && op->code == IR_OP_MUL && depth < DEEPEST && i < 2; i++) {
        struct ir_value *factor = op->operands[1 - i];
        if (!is_shared(s, factor))
            continue;
        struct parts x = parts_of(s, op->operands[i], depth + 1);
        x.own = product(s, x.own, factor);
        x.shared = product(s, x.shared, factor);
        x.changing = product(s, x.changing, factor);
        return x;
    }
    return pass_is_outside(value, s->loop) ? (struct parts){.own = value}
                                           : (struct parts){.changing = value};
}

/* The loop whose trip the op belongs to, perhaps in a branch. */
static const struct ir_op *loop_around(const struct ir_op *op)
{
    const struct ir_op *around = op->parent->parent;
    while (around && around->code == IR_OP_IF)
        around = around->parent->parent;
    return around && around->code == IR_OP_FOR ? around : NULL;
}

static bool split(struct ir_op *copy, void *user)
{
    struct splitter *s = user;
    if ((int)copy->code != GPU_OP_COPY_ASYNC)
        return true;
    struct ir_op *address = copy->operands[1]->op;
    s->loop = loop_around(copy);
    if (!s->loop || !address || address->code != IR_OP_ADDPTR ||
        pass_is_outside(copy->operands[1], s->loop) ||
        !pass_is_outside(address->operands[0], s->loop))
        return true;
    s->b = pass_builder(s->func, address);
    struct parts index = parts_of(s, address->operands[1], 0);
    if (!index.own || !index.changing)
        return true;
    struct ir_value *start = ir_binary(&s->b, IR_OP_ADDPTR, address->operands[0], index.own);
    copy->operands[1] =
        ir_binary(&s->b, IR_OP_ADDPTR, start, sum(s, index.shared, index.changing));
    s->changed = true;
    return true;
}

bool pass_split_addresses(struct pass_context *context, struct ir_func *func)
{
    struct splitter s = {.func = func};
    (void)context;
    gpu_mark_divergent(func);
    ir_walk(func->body, split, &s);
    return s.changed;
}
