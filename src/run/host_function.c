/* See host_function.h. */
#include "run/host_function.h"

#include "ir/eval.h"

#include <string.h>

enum { MOST_OPERANDS = 3 };

struct step {
    enum ir_opcode code;
    enum ir_elem elem, result_elem;
    int operand_count, operands[MOST_OPERANDS], result;
};

struct host_function {
    int input_count, value_count, step_count, result_count;
    struct step *steps;
    int *results;
    uint64_t *values; /* inputs first; constants are set once */
};

/* The element that ir_eval wants to know. */
static enum ir_elem elem_of(const struct ir_op *op)
{
    return (enum ir_elem)op->operands[op->code == IR_OP_SELECT ? 1 : 0]->type.elem;
}

static void add_step(struct host_function *f, struct step step, struct ir_value *result)
{
    step.result = (int)(result->mark = f->value_count++);
    f->steps[f->step_count++] = step;
}

static void add_ops(struct host_function *f, const struct ir_region *region);

/* Both ways are computed, as nothing that a host function does can stop it. */
static void add_choice(struct host_function *f, const struct ir_op *op)
{
    for (int r = 0; r < 2; r++)
        add_ops(f, op->regions[r]);
    for (int i = 0; i < op->result_count; i++) {
        enum ir_elem elem = (enum ir_elem)op->results[i]->type.elem;
        struct step step = {.code = IR_OP_SELECT,
                            .elem = elem,
                            .result_elem = elem,
                            .operand_count = 3,
                            .operands = {(int)op->operands[0]->mark,
                                         (int)op->regions[0]->last->operands[i]->mark,
                                         (int)op->regions[1]->last->operands[i]->mark}};
        add_step(f, step, op->results[i]);
    }
}

static void add_op(struct host_function *f, const struct ir_op *op)
{
    if (op->code == IR_OP_IF) {
        add_choice(f, op);
        return;
    }
    if (op->code == IR_OP_CONSTANT) {
        f->values[f->value_count] = op->attributes.bits;
        op->results[0]->mark = f->value_count++;
        return;
    }
    struct step step = {.code = op->code,
                        .elem = elem_of(op),
                        .result_elem = (enum ir_elem)op->results[0]->type.elem,
                        .operand_count = op->operand_count};
    for (int i = 0; i < op->operand_count; i++)
        step.operands[i] = (int)op->operands[i]->mark;
    add_step(f, step, op->results[0]);
}

/* Without the terminator. */
static void add_ops(struct host_function *f, const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op != region->last; op = op->next)
        add_op(f, op);
}

static bool count_results(struct ir_op *op, void *user)
{
    *(size_t *)user += (size_t)op->result_count;
    return true;
}

struct host_function *host_function_new(const struct ir_func *func, struct arena *arena)
{
    if (!func)
        return NULL;
    struct host_function *f = ARENA_NEW(arena, struct host_function);
    size_t values = 0;
    ir_walk(func->body, count_results, &values);
    f->input_count = func->parameter_count;
    f->steps = ARENA_ARRAY(arena, struct step, values + 1);
    f->values = ARENA_ARRAY(arena, uint64_t, values + (size_t)f->input_count + 1);
    for (int i = 0; i < f->input_count; i++)
        func->body->arguments[i]->mark = f->value_count++;
    add_ops(f, func->body);
    const struct ir_op *end = func->body->last;
    f->result_count = end->operand_count;
    f->results = ARENA_ARRAY(arena, int, (size_t)f->result_count + 1);
    for (int i = 0; i < f->result_count; i++)
        f->results[i] = (int)end->operands[i]->mark;
    return f;
}

void host_function_call(struct host_function *f, const uint64_t *inputs, uint64_t *results)
{
    if (f->input_count)
        memcpy(f->values, inputs, (size_t)f->input_count * sizeof *inputs);
    for (int i = 0; i < f->step_count; i++) {
        const struct step *s = &f->steps[i];
        uint64_t operands[MOST_OPERANDS];
        unsigned faults = 0;
        for (int k = 0; k < s->operand_count; k++)
            operands[k] = f->values[s->operands[k]];
        f->values[s->result] = ir_eval(s->code, s->elem, s->result_elem, operands, &faults);
    }
    for (int i = 0; i < f->result_count; i++)
        results[i] = f->values[f->results[i]];
}
