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
 * What is stored is cut along one axis, and from there on backwards what it is computed from:
 * ranges and loads, elementwise ops, shapes under which the axis stays one, and reductions along
 * other axes. What has no such axis stays in front and is used whole. That is possible where all
 * that is stored has the axis, and nothing else is done with tiles. Pieces run one after the other,
 * so stores of a piece must not change what later pieces read: the buffers that are written overlap
 * no others.
 */
#include "gpu/chunk.h"

#include "gpu/apart.h"
#include "opt/pass.h"

enum {
    WORDS_PER_THREAD = 16, /* of a piece; elements of less than two bytes count as such */
    DEEPEST = 500,         /* chain of ops that is followed */
};

struct chunker {
    int32_t length, piece; /* of the axis, of a part of it */
    int64_t most;          /* elements of a piece */
    struct ir_builder b;   /* of the loop's body */
    struct ir_value *counter;
    int depth;
    bool failed;
};

/* ---- pieces of values ------------------------------------------------------------------------ */

static int64_t count_of(struct ir_type type)
{
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++)
        count *= type.dims[i];
    return count;
}

static struct ir_value *slice(struct chunker *c, struct ir_value *value, int axis);

static struct ir_value *fail(struct chunker *c, struct ir_value *value)
{
    c->failed = true;
    return value;
}

static struct ir_value *slice_range(struct chunker *c, const struct ir_op *op)
{
    int64_t begin = op->attributes.begin;
    struct ir_value *range = ir_arange(&c->b, begin, begin + c->piece);
    return ir_binary(&c->b, IR_OP_ADD, range, ir_broadcast(&c->b, c->counter, range->type));
}

/* What is used whole stays in front of the loop, so it must not hang on tiles that are too large
 * either. op->mark: was looked at. */
static void use_whole(struct chunker *c, const struct ir_value *value)
{
    struct ir_op *op = value->op;
    if (count_of(value->type) > c->most || c->depth == DEEPEST)
        c->failed = true;
    if (!op || op->mark || c->failed)
        return;
    op->mark = 1;
    c->depth++;
    for (int i = 0; i < op->operand_count; i++)
        use_whole(c, op->operands[i]);
    c->depth--;
}

static struct ir_value *slice_broadcast(struct chunker *c, const struct ir_op *op, int axis,
                                        struct ir_type type)
{
    struct ir_value *operand = op->operands[0];
    if (operand->type.rank > 0 && operand->type.dims[axis] != 1)
        operand = slice(c, operand, axis);
    else
        use_whole(c, operand);
    return c->failed ? op->results[0] : ir_broadcast(&c->b, operand, type);
}

static bool is_reduction(const struct ir_op *op)
{
    return op->code >= IR_OP_SUM && op->code <= IR_OP_ALL && op->code != IR_OP_ARGMAX &&
           op->code != IR_OP_ARGMIN;
}

static bool is_elementwise(const struct ir_op *op)
{
    return ir_has(op, IR_ELEMENTWISE) && op->region_count == 0 && !ir_has(op, IR_WRITES);
}

/* An op on the pieces of its operands; before: the axis there. */
static struct ir_value *slice_op(struct chunker *c, const struct ir_op *op, int before,
                                 struct ir_type type)
{
    struct ir_value *operands[4];
    for (int i = 0; i < op->operand_count && i < 4; i++)
        operands[i] = slice(c, op->operands[i], before);
    if (c->failed || op->operand_count > 4)
        return fail(c, op->results[0]);
    return ir_build(&c->b, op->code, op->operand_count, operands, 1, &type, 0, &op->attributes)
        ->results[0];
}

static struct ir_value *slice_anew(struct chunker *c, const struct ir_op *op, int axis,
                                   struct ir_type type)
{
    int before[IR_MAX_RANK];
    switch (op->code) {
    case IR_OP_ARANGE:
        return slice_range(c, op);
    case IR_OP_CONSTANT:
        return ir_constant(&c->b, type, op->attributes.bits);
    case IR_OP_BROADCAST:
        return slice_broadcast(c, op, axis, type);
    case IR_OP_TRANS:
        return slice_op(c, op, op->attributes.permutation[axis], type);
    case IR_OP_RESHAPE:
        if (!ir_reshape_axes(op->operands[0]->type, op->results[0]->type, before) ||
            before[axis] < 0)
            return fail(c, op->results[0]);
        return slice_op(c, op, before[axis], type);
    default:
        if (is_reduction(op) && op->attributes.axis >= 0)
            return slice_op(c, op, axis + (axis >= op->attributes.axis), type);
        return is_elementwise(op) ? slice_op(c, op, axis, type) : fail(c, op->results[0]);
    }
}

/* The piece of a tile along an axis; data: what was made, mark: the axis. */
static struct ir_value *slice(struct chunker *c, struct ir_value *value, int axis)
{
    struct ir_type type = value->type;
    if (type.rank == 0)
        use_whole(c, value); /* perhaps a sum of a tile */
    if (type.rank == 0 || c->failed)
        return value;
    if (value->data)
        return value->mark == axis ? value->data : fail(c, value);
    if (!value->op || value->op->result_count != 1 || value->op->attributes.layout ||
        axis >= type.rank || type.dims[axis] != c->length || c->depth == DEEPEST)
        return fail(c, value);
    type.dims[axis] = c->piece;
    c->depth++;
    struct ir_value *made = slice_anew(c, value->op, axis, type);
    c->depth--;
    if (!made->name)
        made->name = value->name;
    value->data = made;
    value->mark = axis;
    return made;
}

/* ---- whether it is possible ------------------------------------------------------------------ */

/* A store, or an atomic operation whose old values nobody wants. */
static bool is_sink(const struct ir_op *op)
{
    return ir_has(op, IR_WRITES) && ir_has(op, IR_ELEMENTWISE) && op->operands[0]->type.rank > 0 &&
           (op->result_count == 0 || op->results[0]->uses == 0);
}

/* Scalars stay in front, so they must neither read nor write. All sinks have one shape: its type.
 */
static bool look_at(const struct ir_op *op, struct ir_type *shape)
{
    bool touches = ir_has(op, IR_READS) || ir_has(op, IR_WRITES);
    if (op->region_count > 0 || op->code == IR_OP_PRINT || op->code == IR_OP_ASSERT ||
        op->attributes.layout)
        return false;
    if (is_sink(op)) {
        struct ir_type type = op->operands[0]->type;
        bool same = shape->rank == 0 || shape->rank == type.rank;
        for (int i = 0; same && shape->rank > 0 && i < type.rank; i++)
            same = shape->dims[i] == type.dims[i];
        *shape = type;
        return same;
    }
    return !touches ||
           (!ir_has(op, IR_WRITES) && op->result_count == 1 && op->results[0]->type.rank > 0);
}

/* Elements of a piece: of the largest type that is stored. */
static int64_t most_elements(const struct ir_func *func, const struct gpu_plan *plan)
{
    int64_t bytes = 2;
    for (const struct ir_op *op = func->body->first; op != func->body->last; op = op->next) {
        int64_t own = is_sink(op) ? (int64_t)ir_elem_bytes((enum ir_elem)op->operands[0]->type.elem)
                                  : 0;
        bytes = own > bytes ? own : bytes;
    }
    bytes = bytes > 4 ? 4 : bytes;
    return (int64_t)plan->threads * WORDS_PER_THREAD * 4 / bytes;
}

static bool can_chunk(struct ir_func *func, const struct gpu_plan *plan, struct ir_type *shape)
{
    *shape = (struct ir_type){0};
    ir_count_uses(func);
    for (const struct ir_op *op = func->body->first; op != func->body->last; op = op->next) {
        if (!look_at(op, shape))
            return false;
    }
    return count_of(*shape) > most_elements(func, plan) &&
           gpu_accesses_are_apart(func, func->body);
}

/* ---- doing it -------------------------------------------------------------------------------- */

static void clear(struct ir_func *func)
{
    for (int i = 0; i < func->body->argument_count; i++)
        func->body->arguments[i]->data = NULL;
    for (struct ir_op *op = func->body->first; op; op = op->next) {
        op->mark = 0;
        for (int i = 0; i < op->result_count; i++)
            op->results[i]->data = NULL;
    }
}

static void slice_sink(struct chunker *c, const struct ir_op *op, int axis)
{
    struct ir_value *operands[4];
    for (int i = 0; i < op->operand_count && i < 4; i++)
        operands[i] = slice(c, op->operands[i], axis);
    struct ir_type type = {0};
    if (op->result_count > 0) {
        type = op->results[0]->type;
        type.dims[axis] = c->piece;
    }
    if (!c->failed && op->operand_count <= 4)
        ir_build(&c->b, op->code, op->operand_count, operands, op->result_count, &type, 0,
                 &op->attributes);
    c->failed = c->failed || op->operand_count > 4;
}

/* Cuts along the axis, so that a piece has at most so many elements. False: nothing was changed. */
static bool cut(struct ir_func *func, struct ir_type shape, int axis, int64_t most)
{
    struct chunker c = {.length = shape.dims[axis], .piece = shape.dims[axis], .most = most};
    int64_t others = count_of(shape) / c.length;
    while (c.piece % 2 == 0 && c.piece * others > most)
        c.piece /= 2;
    if (c.piece * others > most)
        return false;
    struct ir_builder b = pass_builder(func, func->body->last);
    struct ir_value *bounds[3];
    bounds[0] = ir_constant_i64(&b, 0);
    bounds[1] = ir_constant_i64(&b, c.length);
    bounds[2] = ir_constant_i64(&b, c.piece);
    struct ir_op *loop = ir_build(&b, IR_OP_FOR, 3, bounds, 0, NULL, 1, NULL), *next;
    c.b = (struct ir_builder){.func = func, .region = loop->regions[0], .range = loop->range};
    c.counter = ir_region_add_argument(func, loop->regions[0], ir_scalar(IR_I64), "piece");
    clear(func);
    for (struct ir_op *op = func->body->first; op != loop && !c.failed; op = op->next) {
        if (is_sink(op))
            slice_sink(&c, op, axis);
    }
    if (c.failed) {
        ir_remove(loop);
        return false;
    }
    ir_build(&c.b, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
    for (struct ir_op *op = func->body->first; op != loop; op = next) {
        next = op->next;
        if (is_sink(op))
            ir_remove(op);
    }
    return true;
}

bool gpu_chunk(struct ir_func *func, const struct gpu_plan *plan)
{
    struct ir_type shape;
    if (!can_chunk(func, plan, &shape))
        return false;
    for (int axis = 0; axis < shape.rank; axis++) {
        if (cut(func, shape, axis, most_elements(func, plan)))
            return true;
    }
    return false;
}
