#ifndef TILEC_TESTS_RANDOM_MEMORY_H
#define TILEC_TESTS_RANDOM_MEMORY_H
/*
 * What a program of random_ir.h runs on, for tests that run it on a target and in the interpreter:
 * its buffers and scalars, the interpreter's run, and ops made exact so that bits can be compared.
 */
#include "interp/interp.h"
#include "random_ir.h"

struct memory { /* the buffers of the four pointer parameters */
    float a[RANDOM_IR_ELEMENTS], b[RANDOM_IR_ELEMENTS];
    int32_t i[RANDOM_IR_ELEMENTS];
    uint16_t h[RANDOM_IR_ELEMENTS];
};

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

static bool make_exact(struct ir_op *op, void *user)
{
    (void)user;
    bool is_float = op->operand_count > 0 && ir_is_float((enum ir_elem)op->operands[0]->type.elem);
    if (ir_has(op, IR_APPROX))
        op->code = op->operand_count == 2 ? IR_OP_MAXIMUM : IR_OP_ABS;
    if (!is_float)
        return true;
    if (op->code == IR_OP_SUM || op->code == IR_OP_PROD)
        op->code = op->code == IR_OP_SUM ? IR_OP_MAX : IR_OP_MIN;
    if (op->code == IR_OP_CUMSUM || op->code == IR_OP_CUMPROD)
        op->code = op->code == IR_OP_CUMSUM ? IR_OP_CUMMAX : IR_OP_CUMMIN;
    if (op->code == IR_OP_DOT) {
        op->code = IR_OP_ABS;
        op->operands[0] = op->operands[2];
        op->operand_count = 1;
    }
    return true;
}

static void fill(struct memory *memory, uint64_t seed)
{
    struct random_ir r = {.state = seed, .executable = true};
    for (int k = 0; k < RANDOM_IR_ELEMENTS; k++) {
        uint32_t narrow = (uint32_t)random_ir_element(&r, IR_F32);
        memcpy(&memory->a[k], &narrow, sizeof narrow);
        memory->b[k] = (float)random_ir_below(&r, 1000) / 16;
        memory->i[k] = random_ir_below(&r, 100) - 50;
        memory->h[k] = (uint16_t)(0x3c00 + random_ir_below(&r, 64));
    }
}

static void show(struct state *s, const struct ir_func *func)
{
    struct text text;
    text_init(&text, &s->arena);
    for (size_t i = 0; i < s->diagnostics.count; i++)
        diagnostics_print(&s->diagnostics.items[i], &text);
    ir_print(func, &text);
    fputs(text.items, stderr);
}

static const uint64_t scalars[4] = {0xffffff85, 39, 0x3fc00000, 1};

static void run_interpreter(struct state *s, const struct ir_func *func, struct memory *memory)
{
    struct interp_argument arguments[RANDOM_IR_PARAMETERS] = {
        {.data = memory->a, .elements = RANDOM_IR_ELEMENTS},
        {.data = memory->b, .elements = RANDOM_IR_ELEMENTS},
        {.data = memory->i, .elements = RANDOM_IR_ELEMENTS},
        {.data = memory->h, .elements = RANDOM_IR_ELEMENTS},
    };
    for (int i = 0; i < 4; i++)
        arguments[4 + i].bits = scalars[i];
    struct interp_options options = {.grid = {2, 1, 1}, .step_limit = 100000000};
    if (!interp_run(func, arguments, &options, &s->arena, &s->diagnostics)) {
        show(s, func);
        fail_msg("the interpreter refuses");
    }
}

static bool same_float(float x, float y)
{
    return (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof x) == 0;
}

static bool same_half(uint16_t x, uint16_t y)
{
    return x == y || ((x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00);
}

#endif
