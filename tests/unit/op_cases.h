#ifndef TILEC_TESTS_OP_CASES_H
#define TILEC_TESTS_OP_CASES_H
/*
 * Kernels of GPU IR with every elementwise op and conversion on every element type that a dialect
 * has, on scalars and on vectors of four, for tests of that dialect: the bits must be ir_eval's (any
 * NaN is as good as another), those of approximate functions near.
 */
#include "base/half.h"
#include "emit/emit.h"
#include "op_values.h"

#include <setjmp.h>
#include <string.h>

struct op_state {
    const struct emit_dialect *dialect;
    /* Adds a kernel's text to the source, with its helpers kept apart from others'. */
    void (*append)(struct text *source, const char *text, int number);
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct text source;
    struct {
        struct op_case *items;
        size_t count, capacity;
    } cases;
};

/* ---- kernels --------------------------------------------------------------------------------- */

/* Of 16 values, an infinity and a NaN among those of floats. */
static const struct ir_table *op_table(enum ir_elem elem, struct arena *arena)
{
    struct ir_table *table = ARENA_NEW(arena, struct ir_table);
    uint64_t *bits = ARENA_ARRAY(arena, uint64_t, 16);
    for (int i = 0; i < 16; i++)
        bits[i] = value(elem, i);
    *table = (struct ir_table){"values", elem, 16, bits};
    return table;
}

/* R[k] = op(X[k], Y[k], Z[k]) for the elements of each thread. */
static struct ir_func *make(struct op_state *s, const struct op_case *c, const char *name)
{
    struct ir_parameter parameters[4] = {
        {.name = "X"}, {.name = "Y"}, {.name = "Z"}, {.name = "R"}};
    for (int i = 0; i < 4; i++)
        parameters[i].type = ir_pointer(i == 3 ? c->to : c->from);
    if (c->code == IR_OP_SELECT)
        parameters[0].type = ir_pointer(IR_BOOL);
    struct ir_func *func = ir_func_new(&s->arena, name, 4, parameters);
    struct ir_builder b = {.func = func, .region = func->body};
    struct ir_attributes range = {.end = COUNT / 4};
    struct ir_type index = ir_scalar(IR_I64);
    struct ir_value *operands[4];
    struct ir_value *thread =
        ir_build(&b, (enum ir_opcode)GPU_OP_THREAD_INDEX, 0, NULL, 1, &index, 0, &range)
            ->results[0];
    struct ir_value *four = ir_constant_i64(&b, 4);
    thread = ir_binary(&b, IR_OP_MUL, thread, four);
    for (int k = 0; k < 4; k += c->width) {
        int32_t width = c->width;
        for (int i = 0; i < 4; i++) {
            struct ir_value *p = func->body->arguments[i];
            p = ir_binary(&b, IR_OP_ADDPTR, p, thread);
            p = ir_binary(&b, IR_OP_ADDPTR, p, ir_constant_i64(&b, k));
            struct ir_type type = ir_tile((enum ir_elem)p->type.elem, width > 1, &width);
            enum ir_opcode load = width > 1 ? (enum ir_opcode)GPU_OP_VECTOR_LOAD : IR_OP_LOAD;
            operands[i] = i == 3 ? p : ir_build(&b, load, 1, &p, 1, &type, 0, NULL)->results[0];
        }
        struct ir_type type = ir_tile(c->to, width > 1, &width);
        struct ir_attributes attributes = {.table = NULL};
        if (c->code == IR_OP_LOOKUP)
            attributes.table = op_table(c->to, &s->arena);
        struct ir_value *result =
            ir_build(&b, c->code, ir_ops[c->code].most, operands, 1, &type, 0, &attributes)
                ->results[0];
        struct ir_value *stored[2] = {operands[3], result};
        ir_build(&b, width > 1 ? (enum ir_opcode)GPU_OP_VECTOR_STORE : IR_OP_STORE, 2, stored, 0,
                 NULL, 0, NULL);
    }
    ir_build(&b, IR_OP_RETURN, 0, NULL, 0, NULL, 0, NULL);
    return func;
}

static void add(struct op_state *s, enum ir_opcode code, enum ir_elem from, enum ir_elem to, int width)
{
    struct op_case c = {.code = code, .from = from, .to = to, .width = width};
    struct gpu_kernel kernel = {.threads = COUNT / 4, .blocks = 1};
    struct text text;
    text_init(&text, &s->arena);
    int number = (int)s->cases.count;
    c.func = kernel.func = make(s, &c, arena_format(&s->arena, "k%d", number));
    if (!gpu_verify(c.func, &s->diagnostics) ||
        !emit_kernel(&kernel, s->dialect, &text, &s->diagnostics))
        fail_msg("%s on %s: %s", ir_ops[code].name, ir_elems[from].name,
                 s->diagnostics.items[0].message);
    s->append(&s->source, text.items, number);
    ARENA_PUSH(&s->arena, &s->cases, c);
}

struct adding {
    struct op_state *s;
    int width;
};

static bool has_elem(void *user, enum ir_elem elem)
{
    return ((struct adding *)user)->s->dialect->elems[elem];
}

static void add_case(void *user, enum ir_opcode code, enum ir_elem from, enum ir_elem to)
{
    const struct adding *a = user;
    add(a->s, code, from, to, a->width);
}

static void add_all(struct op_state *s, int width)
{
    struct adding adding = {s, width};
    for_all_cases(has_elem, add_case, &adding);
}

#endif
