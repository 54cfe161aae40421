/*
 * fetch_ahead: what a program some places further on will load is fetched into the second-level
 * cache.
 *
 *   %r = program_id {axis 0} : i64              ...
 *   %p = addptr %X, (%r * %n + %t)              %v = vector_load %p
 *   %v = vector_load %p                  ->     %next = add %r, 512 : i64
 *   ... threads meet ...                        %there = lt %next, (num_programs {axis 0}) : bool
 *                                               if %there {
 *                                                 %q = addptr %X, (%next * %n + %t)
 *                                                 fetch {16} %q
 *                                               }
 *
 * Programs whose threads meet hold what they have loaded until all of it has come, so that a
 * multiprocessor must run many of them to keep memory busy; and with many on the way reading is
 * slower by 1 to 4%, at a launch's end most of all (gpu/shape.c). What has been fetched comes soon,
 * so that fewer bytes wait in programs. How far ahead it pays is a number of bytes that the
 * programs between read: with less the line comes too late, with twice as much it is gone again
 * when it is wanted (docs/benchmarks-nvidia.md).
 *
 * Why it is right. Nothing is fetched but what a program of this launch loads itself, at the same
 * address and under the same mask: the address is computed as that program computes it, from its
 * number, by ops that hang on nothing else. A grid of several axes counts along the first one
 * first. Only loads outside of branches and loops, in front of the first meeting, are looked at.
 */
#include "gpu/pass.h"

/* mark of a value: the same for all programs; computed from a program's number; of another kind,
 * such as what is loaded, or drawn from a counter in memory */
enum { SAME, COMPUTED, OTHER };

struct copy {
    const struct ir_value *from;
    struct ir_value *to;
};

struct fetcher {
    struct pass_context *context;
    struct ir_func *func;
    struct {
        struct copy *items;
        size_t count, capacity;
    } copies; /* what stands for a value in the program ahead */
    struct {
        struct ir_op **items;
        size_t count, capacity;
    } loads, numbers; /* that are fetched for; program_id */
    int64_t bytes;    /* of a thread */
};

/* ---- what can be fetched --------------------------------------------------------------------- */

static bool meets(const struct ir_op *op)
{
    int code = (int)op->code;
    return code == GPU_OP_BARRIER || (code >= GPU_OP_SHUFFLE && code <= GPU_OP_GROUP_OR);
}

static bool is_plain(const struct ir_op *op)
{
    return ir_has(op, IR_PURE) && op->region_count == 0 && !meets(op);
}

static void classify(const struct ir_op *op)
{
    int64_t mark = op->code == IR_OP_PROGRAM_ID ? COMPUTED : is_plain(op) ? SAME : OTHER;
    for (int i = 0; i < op->operand_count; i++)
        mark = op->operands[i]->mark > mark ? op->operands[i]->mark : mark;
    for (int i = 0; i < op->result_count; i++)
        op->results[i]->mark = mark;
}

static int64_t bytes_of(const struct ir_op *load)
{
    struct ir_type type = load->results[0]->type;
    return (int64_t)ir_elem_bytes((enum ir_elem)type.elem) * (type.rank ? type.dims[0] : 1);
}

static bool is_wanted(const struct ir_op *op)
{
    int code = (int)op->code;
    return (code == IR_OP_LOAD || code == GPU_OP_VECTOR_LOAD) &&
           op->operands[0]->type.space == IR_SPACE_DEVICE && op->operands[0]->mark == COMPUTED &&
           (op->operand_count < 2 || op->operands[1]->mark != OTHER);
}

static bool is_no_fetch(struct ir_op *op, void *user)
{
    (void)user;
    return (int)op->code != GPU_OP_FETCH;
}

/* The op in front of which threads meet, or a loop stands; NULL: none. */
static const struct ir_op *find_loads(struct fetcher *f)
{
    for (int i = 0; i < f->func->body->argument_count; i++)
        f->func->body->arguments[i]->mark = SAME;
    struct ir_op *op = f->func->body->first;
    for (; op && !meets(op) && op->code != IR_OP_FOR && op->code != IR_OP_WHILE; op = op->next) {
        classify(op);
        if (op->code == IR_OP_PROGRAM_ID)
            ARENA_PUSH(f->context->arena, &f->numbers, op);
        if (!is_wanted(op))
            continue;
        ARENA_PUSH(f->context->arena, &f->loads, op);
        f->bytes += bytes_of(op);
    }
    return op;
}

/* ---- the program ahead ----------------------------------------------------------------------- */

static void stands_for(struct fetcher *f, const struct ir_value *from, struct ir_value *to)
{
    struct copy copy = {from, to};
    ARENA_PUSH(f->context->arena, &f->copies, copy);
}

static struct ir_value *in_program_ahead(struct fetcher *f, struct ir_builder *b,
                                         struct ir_value *value)
{
    if (value->mark == SAME)
        return value;
    for (size_t i = 0; i < f->copies.count; i++) {
        if (f->copies.items[i].from == value)
            return f->copies.items[i].to;
    }
    const struct ir_op *op = value->op;
    struct ir_value **operands =
        ARENA_ARRAY(f->context->arena, struct ir_value *, (size_t)op->operand_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = in_program_ahead(f, b, op->operands[i]);
    struct ir_type type = value->type;
    struct ir_op *made =
        ir_build(b, op->code, op->operand_count, operands, 1, &type, 0, &op->attributes);
    made->results[0]->name = value->name;
    stands_for(f, value, made->results[0]);
    return made->results[0];
}

static struct ir_value *position(struct ir_builder *b, enum ir_opcode code, int axis)
{
    struct ir_attributes attributes = {.axis = axis};
    struct ir_type i64 = ir_scalar(IR_I64);
    return ir_build(b, code, 0, NULL, 1, &i64, 0, &attributes)->results[0];
}

/* Numbers of the program so many places further on, along the first axis and then the second;
 * whether there is one. */
static struct ir_value *step(struct ir_builder *b, int ahead, bool second, struct ir_value *next[2])
{
    struct ir_value *x = position(b, IR_OP_PROGRAM_ID, 0);
    struct ir_value *width = position(b, IR_OP_NUM_PROGRAMS, 0);
    if (!second) {
        next[0] = ir_binary(b, IR_OP_ADD, x, ir_constant_i64(b, ahead));
        return ir_binary(b, IR_OP_LT, next[0], width);
    }
    struct ir_value *y = position(b, IR_OP_PROGRAM_ID, 1);
    struct ir_value *columns = ir_cast(b, width, IR_U32); /* 32 bits divide faster */
    struct ir_value *steps = ir_constant(b, ir_scalar(IR_U32), (uint64_t)ahead);
    struct ir_value *rest = ir_cast(b, ir_binary(b, IR_OP_REM, steps, columns), IR_I64);
    struct ir_value *rows = ir_cast(b, ir_binary(b, IR_OP_DIV, steps, columns), IR_I64);
    x = ir_binary(b, IR_OP_ADD, x, rest);
    struct ir_value *turns = ir_binary(b, IR_OP_GE, x, width);
    next[0] = ir_ternary(b, IR_OP_SELECT, turns, ir_binary(b, IR_OP_SUB, x, width), x);
    y = ir_binary(b, IR_OP_ADD, y, rows);
    struct ir_value *one = ir_constant_i64(b, 1);
    next[1] = ir_ternary(b, IR_OP_SELECT, turns, ir_binary(b, IR_OP_ADD, y, one), y);
    return ir_binary(b, IR_OP_LT, next[1], position(b, IR_OP_NUM_PROGRAMS, 1));
}

static void fetch(struct fetcher *f, int ahead)
{
    struct ir_value *next[2];
    struct ir_op *last = f->loads.items[f->loads.count - 1];
    bool second = false;
    for (size_t i = 0; i < f->numbers.count; i++)
        second = second || f->numbers.items[i]->attributes.axis == 1;
    struct ir_builder b = pass_builder(f->func, last->next);
    struct ir_value *there = step(&b, ahead, second, next);
    struct ir_op *branch = ir_build(&b, IR_OP_IF, 1, &there, 0, NULL, 2, NULL);
    for (size_t i = 0; i < f->numbers.count; i++) {
        struct ir_value *number = f->numbers.items[i]->results[0];
        int axis = f->numbers.items[i]->attributes.axis;
        stands_for(f, number, axis < 2 ? next[axis] : number);
    }
    b = (struct ir_builder){.func = f->func, .region = branch->regions[0], .range = last->range};
    for (size_t i = 0; i < f->loads.count; i++) {
        const struct ir_op *load = f->loads.items[i];
        struct ir_attributes attributes = {.number = bytes_of(load)};
        struct ir_value *operands[2] = {in_program_ahead(f, &b, load->operands[0]), NULL};
        bool masked = load->operand_count > 1;
        if (masked)
            operands[1] = in_program_ahead(f, &b, load->operands[1]);
        ir_build(&b, (enum ir_opcode)GPU_OP_FETCH, masked ? 2 : 1, operands, 0, NULL, 0,
                 &attributes);
    }
    ir_build(&b, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
    b.region = branch->regions[1];
    ir_build(&b, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
}

bool pass_fetch_ahead(struct pass_context *context, struct ir_func *func)
{
    struct fetcher f = {.context = context, .func = func};
    int64_t ahead = context->fetch_ahead;
    if ((ahead == 0 && context->fetch_bytes == 0) || !ir_walk(func->body, is_no_fetch, NULL))
        return false;
    const struct ir_op *meeting = find_loads(&f);
    if (f.loads.count == 0)
        return false;
    if (ahead == 0 && meeting && meets(meeting))
        ahead = context->fetch_bytes / (f.bytes * context->threads);
    if (ahead > 0)
        fetch(&f, (int)ahead);
    return ahead > 0;
}
