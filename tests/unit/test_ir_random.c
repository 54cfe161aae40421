/*
 * Random Tile IR: the verifier accepts it, text read back prints as the same text, a clone prints
 * as the original, and damaged text never does worse than an error.
 */
#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "random_ir.h"

enum { SEEDS = 400, DAMAGES = 200 };

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

static void begin(struct state *s)
{
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    diagnostics_init(&s->diagnostics, &s->arena);
}

static void show(struct state *s)
{
    struct text text;
    text_init(&text, &s->arena);
    for (size_t i = 0; i < s->diagnostics.count; i++)
        diagnostics_print(&s->diagnostics.items[i], &text);
    fputs(text.items ? text.items : "", stderr);
}

static struct text print(struct state *s, const struct ir_func *func)
{
    struct text text;
    text_init(&text, &s->arena);
    ir_print(func, &text);
    return text;
}

static void round_trip(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct state s;
        begin(&s);
        struct ir_func *func = random_ir_func(&s.arena, seed, 40, false);
        if (!ir_verify(func, &s.diagnostics)) {
            show(&s);
            fail_msg("seed %d", (int)seed);
        }
        struct text text = print(&s, func);
        struct source_file file = {"random.ir", text.items, text.count};
        struct ir_func *again = ir_read(&s.arena, &s.diagnostics, &file);
        if (!again) {
            show(&s);
            fail_msg("seed %d", (int)seed);
        }
        assert_string_equal(print(&s, again).items, text.items);
        assert_string_equal(print(&s, ir_func_clone(&s.arena, func)).items, text.items);
        arena_free(&s.arena);
    }
}

/* A byte changed, text cut off or doubled: an error or valid IR, which then prints and reads. */
static void damaged_text(void **unused)
{
    (void)unused;
    static const char bytes[] = "%@{}()[]<>,:=-0159abx\"\\ \n";
    struct random_ir r = {.state = 1};
    for (int i = 0; i < DAMAGES; i++) {
        struct state s;
        begin(&s);
        struct text text = print(&s, random_ir_func(&s.arena, (uint64_t)i % 20, 12, false));
        int at = random_ir_below(&r, (int)text.count);
        int kind = random_ir_below(&r, 8);
        if (kind == 0)
            text.count = (size_t)at;
        else if (kind == 1)
            text.items[at] = (char)random_ir_bits(&r);
        else
            text.items[at] = bytes[random_ir_below(&r, (int)sizeof bytes - 1)];
        struct source_file file = {"damaged.ir", text.items, text.count};
        struct ir_func *func = ir_read(&s.arena, &s.diagnostics, &file);
        assert_true(func || s.diagnostics.error_count > 0);
        if (func) {
            struct text again = print(&s, func);
            struct source_file second = {"again.ir", again.items, again.count};
            assert_non_null(ir_read(&s.arena, &s.diagnostics, &second));
        }
        arena_free(&s.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(damaged_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
