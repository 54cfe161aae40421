/*
 * Every shipped kernel, in float, half and bfloat: its Tile IR prints and reads back as the same
 * text, as the front end made it and after the passes, each of which leaves valid IR.
 */
#include "ir/ir.h"
#include "lang/lang.h"
#include "opt/opt.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

static void no_errors(struct state *s, const char *kernel)
{
    struct text text;
    if (s->diagnostics.error_count == 0)
        return;
    text_init(&text, &s->arena);
    for (size_t i = 0; i < s->diagnostics.count; i++)
        diagnostics_print(&s->diagnostics.items[i], &text);
    fail_msg("%s:\n%s", kernel, text.items);
}

static void round_trip(struct state *s, const struct ir_kernel *kernel)
{
    struct text once, twice;
    text_init(&once, &s->arena);
    text_init(&twice, &s->arena);
    ir_kernel_print(kernel, &once);
    struct source_file file = {"printed.ir", once.items, once.count};
    struct ir_kernel *again = ir_kernel_read(&s->arena, &s->diagnostics, &file);
    no_errors(s, kernel->func->name);
    ir_kernel_print(again, &twice);
    assert_string_equal(twice.items, once.items);
}

static void check_kernel(struct state *s, struct lang_unit *unit, const struct lang_kernel *kernel)
{
    static const struct lang_binding scalars[] = {{"N", 1000}, {"pairs", 64}}; /* of tune lines */
    struct lang_binding *bindings;
    int count;
    lang_tune_choose(unit, kernel, scalars, 2, &bindings, &count);
    struct ir_kernel *ir = lang_lower(unit, &s->diagnostics, kernel, bindings, count, NULL, 0);
    no_errors(s, kernel->name);
    assert_true(ir_kernel_verify(ir, &s->diagnostics));
    round_trip(s, ir);
    struct opt_options options = {.verify_each = true, .pass_limit = -1, .unrolls = true};
    options.carries_in_memory = true;
    opt_run(ir->func, &options, &s->diagnostics);
    no_errors(s, kernel->name);
    round_trip(s, ir);
}

static void check_file(const char *path, const char *type)
{
    static char bytes[1 << 16];
    struct state s;
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t length = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    diagnostics_init(&s.diagnostics, &s.arena);
    struct source_file file = {path, bytes, length};
    struct lang_define define = {"T", type};
    struct lang_unit *unit =
        lang_parse(&s.arena, &s.diagnostics, &file, &define, 1, (struct lang_includer){0});
    no_errors(&s, path);
    for (int i = 0; i < unit->kernel_count; i++)
        check_kernel(&s, unit, &unit->kernels[i]);
    arena_free(&s.arena);
}

static void every_kernel(void **state)
{
    (void)state;
    static const char *const types[] = {"float", "half", "bfloat"};
    DIR *folder = opendir("kernels");
    int count = 0;
    if (!folder)
        fail_msg("cannot open kernels/: tests run in the root of the source tree");
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[512];
        if (!strstr(entry->d_name, ".tile.c"))
            continue;
        snprintf(path, sizeof path, "kernels/%s", entry->d_name);
        for (int i = 0; i < 3; i++)
            check_file(path, types[i]);
        count++;
    }
    closedir(folder);
    assert_true(count >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
