/*
 * Every elementwise op and conversion on every element type (op_cases.h) as CUDA text: it compiles
 * without a warning for sm_80 and later, and on a GPU gives the bits that it must.
 */
#include "base/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cuda_harness.h"
#include "op_cases.h"

static void run_case(struct cuda_harness *h, cuda_module module, const struct op_case *c)
{
    uint64_t wide[4][COUNT] = {0};
    unsigned char memory[4][COUNT * 8];
    struct cuda_buffer buffers[4];
    char name[64];
    for (int i = 0; i < 4; i++) {
        enum ir_elem elem = (enum ir_elem)c->func->parameters[i].type.elem;
        size_t bytes = ir_elem_bytes(elem);
        for (int k = 0; k < COUNT; k++) {
            wide[i][k] = i == 3 ? 0 : operand(c, i, k);
            memcpy(&memory[i][(size_t)k * bytes], &wide[i][k], bytes);
        }
        buffers[i] = (struct cuda_buffer){.data = memory[i], .bytes = bytes * COUNT};
    }
    snprintf(name, sizeof name, "%s_kernel", c->func->name);
    cuda_run(h, module, name, COUNT / 4, 0, buffers, 4);
    for (int k = 0; k < COUNT; k++) {
        uint64_t operands[3] = {wide[0][k], wide[1][k], wide[2][k]}, is = 0;
        memcpy(&is, &memory[3][(size_t)k * ir_elem_bytes(c->to)], ir_elem_bytes(c->to));
        check_element(c, operands, is);
    }
}

static void check_width(int width)
{
    struct cuda_harness h;
    struct op_state s = {.dialect = &emit_cuda, .append = cuda_append};
    cuda_harness_open(&h);
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    text_init(&s.source, &s.arena);
    add_all(&s, width);
    if (h.nvrtc) {
        struct nvrtc_output code = cuda_compile(&h, s.source.items, h.arch, &s.arena);
        assert_int_equal(code.resources.spill_bytes, 0);
        cuda_module module;
        if (h.has_gpu) {
            CUDA_CHECK(h.driver.load(&module, code.bytes));
            for (size_t i = 0; i < s.cases.count; i++)
                run_case(&h, module, &s.cases.items[i]);
            h.driver.unload(module);
        }
    }
    arena_free(&s.arena);
    cuda_harness_close(&h);
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
    return cmocka_run_group_tests(tests, NULL, NULL);
}
