/*
 * Chains of integer ops as CUDA text: ptxas fuses what single ops (test_cuda_ops) never show, and has
 * lost negations and carried 16-bit ones too far; see "greater" and "negative" in cuda_helpers.def.
 * Every chain is compiled without a warning, and on a GPU gives the bits that ir_eval gives.
 */
#include "base/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cuda_harness.h"
#include "emit/emit.h"
#include "gpu/pass.h"
#include "ir/eval.h"

enum { COUNT = 256, LEAVES = 3, CONSTANTS = 4, MOST_STEPS = 64, CHAINS = 32 };

struct step { /* its operands: numbers of leaves, constants and steps, in this order */
    enum ir_opcode code;
    int operands[3];
    enum ir_elem elem; /* of the result */
};

struct chain {
    enum ir_elem elem;
    struct step steps[MOST_STEPS]; /* the last one is the result */
    int count;
    struct ir_func *func;
};

static const int64_t constants[CONSTANTS] = {0, -1, 5, -4};

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    uint32_t random;
};

static int below(struct state *s, int count)
{
    s->random = s->random * 1664525u + 1013904223u;
    return (int)((s->random >> 16) % (uint32_t)count);
}

/* ---- chains ---------------------------------------------------------------------------------- */

static int add(struct chain *c, enum ir_opcode code, int x, int y, int z)
{
    bool truth = ir_ops[code].rule == IR_RULE_COMPARE;
    c->steps[c->count++] = (struct step){code, {x, y, z}, truth ? IR_BOOL : c->elem};
    return LEAVES + CONSTANTS + c->count - 1;
}

/* A term that a compiler may see as a negation, or may not. */
static int term(struct state *s, struct chain *c)
{
    enum { ZERO = LEAVES, MINUS_ONE, FIVE, MINUS_FOUR };
    int x = below(s, LEAVES), y = below(s, LEAVES);
    switch (below(s, 12)) {
    case 0:
        return x;
    case 1:
        return add(c, IR_OP_SUB, ZERO, x, 0);
    case 2:
        return add(c, IR_OP_MUL, x, MINUS_ONE, 0);
    case 3:
        return add(c, IR_OP_MUL, x, MINUS_FOUR, 0);
    case 4:
        return add(c, IR_OP_ABS, x, 0, 0);
    case 5:
        return add(c, IR_OP_SUB, FIVE, x, 0);
    case 6:
        return add(c, IR_OP_NEG, add(c, IR_OP_AND, x, y, 0), 0, 0);
    case 7:
        return add(c, IR_OP_NEG, add(c, IR_OP_MUL, x, y, 0), 0, 0);
    case 8:
        return add(c, IR_OP_SUB, x, y, 0);
    default:
        return add(c, IR_OP_NEG, x, 0, 0);
    }
}

/* The greater or the lesser, as an op or as the user's choice of one of two. */
static int pick(struct chain *c, bool greater, bool written_out, int x, int y)
{
    if (!written_out)
        return add(c, greater ? IR_OP_MAXIMUM : IR_OP_MINIMUM, x, y, 0);
    int first = add(c, greater ? IR_OP_GT : IR_OP_LT, x, y, 0);
    return add(c, IR_OP_SELECT, first, x, y);
}

static void make_chain(struct state *s, struct chain *c)
{
    int values[9], count = 2 + below(s, 7);
    bool greater = below(s, 2), written_out = below(s, 4) == 0, mixed = below(s, 4) == 0;
    bool tree = below(s, 2);
    for (int i = 0; i < count; i++)
        values[i] = term(s, c);
    while (count > 1) {
        bool flip = mixed && below(s, 2);
        if (tree) {
            int half = count / 2;
            for (int i = 0; i < half; i++)
                values[i] = pick(c, greater != flip, written_out, values[i], values[count - half + i]);
            count -= half;
        } else {
            values[0] = pick(c, greater != flip, written_out, values[0], values[--count]);
        }
    }
    if (c->count == 0 || values[0] < LEAVES)
        add(c, IR_OP_NEG, values[0], 0, 0);
}

/* ---- the kernel: R[k] = chain of X[k], Y[k], Z[k] -------------------------------------------- */

static struct ir_value *element(struct ir_builder *b, int parameter, struct ir_value *index)
{
    return ir_binary(b, IR_OP_ADDPTR, b->func->body->arguments[parameter], index);
}

static void make_func(struct state *s, struct chain *c, const char *name)
{
    struct ir_parameter parameters[4] = {
        {.name = "X"}, {.name = "Y"}, {.name = "Z"}, {.name = "R"}};
    struct ir_value *values[LEAVES + CONSTANTS + MOST_STEPS];
    struct ir_attributes range = {.end = COUNT};
    struct ir_type i64 = ir_scalar(IR_I64);
    for (int i = 0; i < 4; i++)
        parameters[i].type = ir_pointer(c->elem);
    c->func = ir_func_new(&s->arena, name, 4, parameters);
    struct ir_builder b = {.func = c->func, .region = c->func->body};
    struct ir_value *index =
        ir_build(&b, (enum ir_opcode)GPU_OP_THREAD_INDEX, 0, NULL, 1, &i64, 0, &range)->results[0];
    for (int i = 0; i < LEAVES; i++)
        values[i] = ir_load(&b, element(&b, i, index), NULL, NULL);
    for (int i = 0; i < CONSTANTS; i++)
        values[LEAVES + i] = ir_constant(&b, ir_scalar(c->elem),
                                         ir_eval_cast((uint64_t)constants[i], IR_I64, c->elem));
    for (int i = 0; i < c->count; i++) {
        const struct step *step = &c->steps[i];
        struct ir_type type = ir_scalar(step->elem);
        struct ir_value *operands[3];
        for (int k = 0; k < 3; k++)
            operands[k] = values[step->operands[k]];
        values[LEAVES + CONSTANTS + i] =
            ir_build(&b, step->code, ir_ops[step->code].most, operands, 1, &type, 0, NULL)
                ->results[0];
    }
    struct ir_value *stored[2] = {element(&b, 3, index), values[LEAVES + CONSTANTS + c->count - 1]};
    ir_build(&b, IR_OP_STORE, 2, stored, 0, NULL, 0, NULL);
    ir_build(&b, IR_OP_RETURN, 0, NULL, 0, NULL, 0, NULL);
}

static uint64_t evaluate(const struct chain *c, const uint64_t leaves[LEAVES])
{
    uint64_t values[LEAVES + CONSTANTS + MOST_STEPS];
    unsigned faults = 0;
    memcpy(values, leaves, LEAVES * sizeof *values);
    for (int i = 0; i < CONSTANTS; i++)
        values[LEAVES + i] = ir_eval_cast((uint64_t)constants[i], IR_I64, c->elem);
    for (int i = 0; i < c->count; i++) {
        const struct step *step = &c->steps[i];
        uint64_t operands[3];
        for (int k = 0; k < 3; k++)
            operands[k] = values[step->operands[k]];
        values[LEAVES + CONSTANTS + i] =
            ir_eval(step->code, c->elem, step->elem, operands, &faults);
    }
    return values[LEAVES + CONSTANTS + c->count - 1];
}

/* What is certain to be a negation, a minimum or a maximum is spelled as one. */
static void fold(struct state *s, struct chain *c)
{
    struct pass_context context = {.arena = &s->arena, .diagnostics = &s->diagnostics};
    pass_fold(&context, c->func);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Small values mostly, and the ends of the range. */
static uint64_t leaf(struct state *s, enum ir_elem elem)
{
    int64_t small = below(s, 41) - 20;
    int64_t wide = (int64_t)((uint64_t)below(s, 65536) << 48 | (uint64_t)below(s, 65536) << 24);
    int64_t ends[4] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX};
    int kind = below(s, 8);
    int64_t chosen = kind == 0 ? ends[below(s, 4)] : kind == 1 ? wide >> below(s, 50) : small;
    return ir_eval_cast((uint64_t)chosen, IR_I64, elem);
}

static void run(struct state *s, struct cuda_harness *h, cuda_module module, const struct chain *c)
{
    size_t bytes = ir_elem_bytes(c->elem);
    uint64_t leaves[COUNT][LEAVES];
    unsigned char memory[4][COUNT * 8];
    struct cuda_buffer buffers[4];
    char name[64];
    for (int k = 0; k < COUNT; k++)
        for (int i = 0; i < LEAVES; i++) {
            leaves[k][i] = leaf(s, c->elem);
            memcpy(&memory[i][(size_t)k * bytes], &leaves[k][i], bytes);
        }
    memset(memory[3], 0xa5, sizeof memory[3]);
    for (int i = 0; i < 4; i++)
        buffers[i] = (struct cuda_buffer){.data = memory[i], .bytes = bytes * COUNT};
    snprintf(name, sizeof name, "%s_kernel", c->func->name);
    cuda_run(h, module, name, COUNT, 0, buffers, 4);
    for (int k = 0; k < COUNT; k++) {
        uint64_t is = 0, wanted = evaluate(c, leaves[k]);
        struct text text;
        memcpy(&is, &memory[3][(size_t)k * bytes], bytes);
        if (is == wanted)
            continue;
        text_init(&text, &s->arena);
        ir_print(c->func, &text);
        fail_msg("of %llx %llx %llx comes %llx, not %llx:\n%s", (unsigned long long)leaves[k][0],
                 (unsigned long long)leaves[k][1], (unsigned long long)leaves[k][2],
                 (unsigned long long)is, (unsigned long long)wanted, text.items);
    }
}

static void check_type(struct state *s, struct cuda_harness *h, enum ir_elem elem)
{
    static struct chain chains[CHAINS];
    struct text source, text;
    text_init(&source, &s->arena);
    for (int i = 0; i < CHAINS; i++) {
        struct chain *c = &chains[i];
        struct gpu_kernel kernel = {.threads = COUNT, .groups = COUNT / 32, .blocks = 1};
        *c = (struct chain){.elem = elem};
        make_chain(s, c);
        make_func(s, c, arena_format(&s->arena, "k%d", i));
        fold(s, c);
        kernel.func = c->func;
        text_init(&text, &s->arena);
        if (!gpu_verify(c->func, &s->diagnostics) ||
            !emit_kernel(&kernel, &emit_cuda, &text, &s->diagnostics))
            fail_msg("%s", s->diagnostics.items[0].message);
        cuda_append(&source, text.items, i);
    }
    if (!h->nvrtc)
        return;
    struct nvrtc_output code = cuda_compile(h, source.items, h->arch, &s->arena);
    cuda_module module;
    if (!h->has_gpu)
        return;
    CUDA_CHECK(h->driver.load(&module, code.bytes));
    for (int i = 0; i < CHAINS; i++)
        run(s, h, module, &chains[i]);
    h->driver.unload(module);
}

static void chains(void **unused)
{
    (void)unused;
    struct cuda_harness h;
    static struct state s = {.random = 1};
    cuda_harness_open(&h);
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    for (int elem = 0; elem < IR_ELEM_COUNT; elem++)
        if (ir_is_integer((enum ir_elem)elem))
            check_type(&s, &h, (enum ir_elem)elem);
    arena_free(&s.arena);
    cuda_harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
