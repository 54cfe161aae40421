/*
 * chunk: a kernel without loops whose tiles are too large for a thread's registers goes over them
 * in pieces. Tile IR to Tile IR.
 *
 *   %i = arange 0 to 65536                     for %c = 0 to 65536 step 16384 {
 *   %x = load X + %i                             %i = (arange 0 to 16384) + %c
 *   store Y + %i, exp %x                ->       %x = load X + %i
 *                                                store Y + %i, exp %x
 *                                                yield
 *                                              }
 *
 * That is possible where elements do not meet: every tile is a row of the same length, and each op
 * elementwise, a range, or a broadcast scalar. Pieces run one after the other, so stores of a piece
 * must not change what later pieces read: the buffers that are written overlap no others.
 */
#include "gpu/chunk.h"

#include "gpu/apart.h"
#include "opt/pass.h"

enum { MOST_PER_THREAD = 16 };

struct chunker {
    struct ir_func *func;
    int32_t length, piece; /* of a tile, of a part of it */
    struct ir_builder b;   /* of the loop's body */
    struct ir_value *counter;
};

/* ---- whether it is possible ------------------------------------------------------------------ */

static bool is_row(struct chunker *c, struct ir_type type)
{
    if (type.rank == 0)
        return true;
    if (type.rank != 1 || (c->length && type.dims[0] != c->length))
        return false;
    c->length = type.dims[0];
    return true;
}

static bool takes_a_tile(const struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i]->type.rank > 0)
            return true;
    }
    return false;
}

static bool makes_a_tile(const struct ir_op *op)
{
    return op->result_count > 0 && op->results[0]->type.rank > 0;
}

static bool is_piecewise(struct chunker *c, const struct ir_op *op)
{
    bool known = ir_has(op, IR_ELEMENTWISE) || op->code == IR_OP_ARANGE ||
                 op->code == IR_OP_CONSTANT || op->code == IR_OP_BROADCAST;
    if (op->region_count > 0 || op->attributes.layout || op->code == IR_OP_PRINT)
        return false;
    for (int i = 0; i < op->result_count; i++) {
        if (!is_row(c, op->results[i]->type))
            return false;
    }
    if (!makes_a_tile(op) && !takes_a_tile(op)) /* scalars stay in front, so they must not read */
        return !ir_has(op, IR_READS) && !ir_has(op, IR_WRITES);
    /* What an atomic returns would have to be kept. */
    return known && (op->code != IR_OP_BROADCAST || op->operands[0]->type.rank == 0) &&
           !(ir_has(op, IR_READS | IR_WRITES) && op->results[0]->uses > 0);
}

static bool can_chunk(struct chunker *c, const struct gpu_plan *plan)
{
    const struct ir_region *body = c->func->body;
    ir_count_uses(c->func);
    for (const struct ir_op *op = body->first; op != body->last; op = op->next) {
        if (!is_piecewise(c, op))
            return false;
    }
    c->piece = plan->threads * MOST_PER_THREAD;
    return c->length > c->piece && c->length % c->piece == 0 && gpu_accesses_are_apart(c->func, c->func->body);
}

/* ---- doing it -------------------------------------------------------------------------------- */

/* The op on pieces, at the end of the loop's body; data: what stands for a value there. */
static void move_op(struct chunker *c, const struct ir_op *op)
{
    struct ir_value *operands[4], *made;
    struct ir_attributes attributes = op->attributes;
    struct ir_type type = {0};
    for (int i = 0; i < op->operand_count; i++) {
        struct ir_value *piece = op->operands[i]->data;
        operands[i] = piece ? piece : op->operands[i];
    }
    if (op->result_count > 0) {
        type = op->results[0]->type;
        type.dims[0] = c->piece;
    }
    if (op->code == IR_OP_ARANGE)
        attributes.end = attributes.begin + c->piece;
    struct ir_op *copy = ir_build(&c->b, op->code, op->operand_count, operands, op->result_count,
                                  &type, 0, &attributes);
    if (op->result_count == 0)
        return;
    made = copy->results[0];
    made->name = op->results[0]->name;
    if (op->code == IR_OP_ARANGE)
        made = ir_binary(&c->b, IR_OP_ADD, made, ir_broadcast(&c->b, c->counter, made->type));
    op->results[0]->data = made;
}

bool gpu_chunk(struct ir_func *func, const struct gpu_plan *plan)
{
    struct chunker c = {.func = func};
    if (!can_chunk(&c, plan))
        return false;
    struct ir_builder b = pass_builder(func, func->body->last);
    struct ir_value *bounds[] = {ir_constant_i64(&b, 0), ir_constant_i64(&b, c.length),
                                 ir_constant_i64(&b, c.piece)};
    struct ir_op *loop = ir_build(&b, IR_OP_FOR, 3, bounds, 0, NULL, 1, NULL), *next;
    c.b = (struct ir_builder){.func = func, .region = loop->regions[0], .range = loop->range};
    c.counter = ir_region_add_argument(func, loop->regions[0], ir_scalar(IR_I64), "piece");
    for (int i = 0; i < func->body->argument_count; i++)
        func->body->arguments[i]->data = NULL;
    for (struct ir_op *op = func->body->first; op != loop; op = op->next) {
        for (int i = 0; i < op->result_count; i++)
            op->results[i]->data = NULL;
    }
    for (struct ir_op *op = func->body->first; op != loop; op = next) {
        next = op->next;
        if (!makes_a_tile(op) && !takes_a_tile(op))
            continue;
        move_op(&c, op);
        ir_remove(op);
    }
    ir_build(&c.b, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
    return true;
}
