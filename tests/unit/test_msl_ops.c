/*
 * Every elementwise op and conversion on every element type that Metal has (op_cases.h), as MSL that
 * msl-host runs. All kernels are one source, because starting clang takes longest.
 */
#include "base/guard.h"
#include "run/msl_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../skip.h"
#include "op_cases.h"

/* Helpers of each kernel get names of their own. */
static void append(struct text *source, const char *text, int number)
{
    for (const char *at; (at = strstr(text, "tilec_")); text = at + 6) {
        text_append(source, text, (size_t)(at - text));
        text_format(source, "t%d_", number);
    }
    text_string(source, text);
}

static void run_case(struct msl_host_program *program, struct op_state *s, const struct op_case *c)
{
    uint64_t wide[4][COUNT] = {0};
    unsigned char memory[4][COUNT * 8];
    struct msl_host_buffer buffers[4];
    for (int i = 0; i < 4; i++) {
        enum ir_elem elem = (enum ir_elem)c->func->parameters[i].type.elem;
        size_t bytes = ir_elem_bytes(elem);
        for (int k = 0; k < COUNT; k++) {
            wide[i][k] = i == 3 ? 0 : operand(c, i, k);
            memcpy(&memory[i][(size_t)k * bytes], &wide[i][k], bytes);
        }
        buffers[i] = (struct msl_host_buffer){memory[i], bytes * COUNT};
    }
    struct msl_host_launch launch = {.kernel = c->func->name,
                                     .groups = {1, 1, 1},
                                     .threads = {COUNT / 4, 1, 1},
                                     .buffers = buffers,
                                     .buffer_count = 4};
    if (!msl_host_run(program, &launch, &s->diagnostics))
        fail_msg("%s: %s", ir_ops[c->code].name, s->diagnostics.items[0].message);
    for (int k = 0; k < COUNT; k++) {
        uint64_t operands[3] = {wide[0][k], wide[1][k], wide[2][k]}, is = 0;
        memcpy(&is, &memory[3][(size_t)k * ir_elem_bytes(c->to)], ir_elem_bytes(c->to));
        check_element(c, operands, is);
    }
}

static void check_width(int width)
{
    struct op_state s = {.dialect = &emit_msl, .append = append};
    if (!msl_host_available())
        SKIP(SKIP_WITHOUT_CLANG);
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    text_init(&s.source, &s.arena);
    add_all(&s, width);
    struct msl_host_program *program =
        msl_host_compile(s.source.items, s.source.count, true, NULL, &s.diagnostics);
    if (!program)
        fail_msg("%s", s.diagnostics.items[0].message);
    for (size_t i = 0; i < s.cases.count; i++)
        run_case(program, &s, &s.cases.items[i]);
    msl_host_free(program);
    arena_free(&s.arena);
}

static void scalars(void **unused)
{
    (void)unused;
    check_width(1);
}

static void vectors(void **unused)
{
    (void)unused;
    check_width(4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scalars), cmocka_unit_test(vectors)};
    return RUN_TESTS(tests, NULL, NULL);
}
