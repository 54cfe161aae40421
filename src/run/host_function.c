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
    int input_count, step_count, result_count;
    struct step *steps;
    int *results;
    uint64_t *values; /* inputs first; constants are set once */
};

/* The element that ir_eval wants to know. */
static enum ir_elem elem_of(const struct ir_op *op)
{
    return (enum ir_elem)op->operands[op->code == IR_OP_SELECT ? 1 : 0]->type.elem;
}

static void add_op(struct host_function *f, const struct ir_op *op, int number)
{
    op->results[0]->mark = number;
    if (op->code == IR_OP_CONSTANT) {
        f->values[number] = op->attributes.bits;
        return;
    }
    struct step *step = &f->steps[f->step_count++];
    *step = (struct step){.code = op->code,
                          .elem = elem_of(op),
                          .result_elem = (enum ir_elem)op->results[0]->type.elem,
                          .operand_count = op->operand_count,
                          .result = number};
    for (int i = 0; i < op->operand_count; i++)
        step->operands[i] = (int)op->operands[i]->mark;
}

struct host_function *host_function_new(const struct ir_func *func, struct arena *arena)
{
    if (!func)
        return NULL;
    struct host_function *f = ARENA_NEW(arena, struct host_function);
    size_t ops = 0;
    for (const struct ir_op *op = func->body->first; op; op = op->next)
        ops++;
    f->input_count = func->parameter_count;
    f->steps = ARENA_ARRAY(arena, struct step, ops);
    f->values = ARENA_ARRAY(arena, uint64_t, ops + (size_t)f->input_count);
    int number = 0;
    for (; number < f->input_count; number++)
        func->body->arguments[number]->mark = number;
    const struct ir_op *end = func->body->last;
    for (const struct ir_op *op = func->body->first; op != end; op = op->next)
        add_op(f, op, number++);
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
