/*
 * The pass manager: which passes run, what is dumped and timed, what it says when something is
 * wrong. What passes do is tested in tests/pass and by test_opt_random.c.
 */
#include "opt/opt.h"

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
    struct text log; /* what the hooks were told */
};

static int setup(void **state)
{
    static struct state s;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    diagnostics_init(&s.diagnostics, &s.arena);
    text_init(&s.log, &s.arena);
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    struct state *s = *state;
    arena_free(&s->arena);
    return 0;
}

static const char text[] = "func @f(%P: ptr<i64>, %n: i64) {\n"
                           "  %two = constant {2} : i64\n"
                           "  %three = constant {3} : i64\n"
                           "  %six = mul %two, %three : i64\n"
                           "  %a = add %n, %six : i64\n"
                           "  %b = add %n, %six : i64\n"
                           "  %c = mul %a, %b : i64\n"
                           "  store %P, %c\n"
                           "  return\n"
                           "}\n";

static struct ir_func *example(struct state *s)
{
    static const struct source_file file = {"f.ir", text, sizeof text - 1};
    struct ir_func *func = ir_read(&s->arena, &s->diagnostics, &file);
    assert_non_null(func);
    return func;
}

static void log_dump(void *user, const struct opt_dump *dump)
{
    struct state *s = user;
    text_format(&s->log, "%d %s%s\n", dump->number, dump->pass,
                dump->changed ? "" : " (unchanged)");
    assert_int_equal(dump->text != NULL, dump->changed);
    if (dump->text) { /* a dump is valid input */
        struct source_file file = {"dump.ir", dump->text, strlen(dump->text)};
        assert_non_null(ir_read(&s->arena, &s->diagnostics, &file));
    }
}

static void log_time(void *user, const char *pass, double seconds)
{
    struct state *s = user;
    assert_true(seconds >= 0);
    text_format(&s->log, "%s\n", pass);
}

static struct opt_options logging(struct state *s, const char *dump)
{
    return (struct opt_options){
        .verify_each = true, .pass_limit = -1, .dump = dump, .on_dump = log_dump, .user = s};
}

static bool is_printed_as(struct state *s, const struct ir_func *func, const char *part)
{
    struct text printed;
    text_init(&printed, &s->arena);
    ir_print(func, &printed);
    return strstr(printed.items, part) != NULL;
}

static void whole_pipeline(void **state)
{
    struct state *s = *state;
    struct ir_func *func = example(s);
    assert_true(opt_run(func, NULL, &s->diagnostics));
    assert_true(is_printed_as(s, func, "%c = mul %a, %a : i64"));
    assert_false(is_printed_as(s, func, "%two"));
}

static void dump_changed(void **state)
{
    struct state *s = *state;
    struct opt_options options = logging(s, "changed");
    assert_true(opt_run(example(s), &options, &s->diagnostics));
    assert_string_equal(s->log.items, "0 fold\n1 cse\n3 dce\n");
}

static void dump_one(void **state)
{
    struct state *s = *state;
    struct opt_options options = logging(s, "licm");
    assert_true(opt_run(example(s), &options, &s->diagnostics));
    assert_string_equal(s->log.items, "2 licm (unchanged)\n16 licm (unchanged)\n");
}

static void only(void **state)
{
    struct state *s = *state;
    static const char *const passes[] = {"dce", "fold", "dce"};
    struct opt_options options = logging(s, "all");
    options.only = passes;
    options.only_count = 3;
    assert_true(opt_run(example(s), &options, &s->diagnostics));
    assert_string_equal(s->log.items, "0 dce (unchanged)\n1 fold\n2 dce\n");
}

static void off_and_stop_after(void **state)
{
    struct state *s = *state;
    static const char *const off[] = {"fold", "licm"};
    struct opt_options options = logging(s, "all");
    options.off = off;
    options.off_count = 2;
    options.stop_after = "dce";
    struct ir_func *func = example(s);
    assert_true(opt_run(func, &options, &s->diagnostics));
    assert_string_equal(s->log.items, "0 cse\n1 dce (unchanged)\n");
    assert_true(is_printed_as(s, func, "%six = mul %two, %three : i64"));
}

static void pass_limit(void **state)
{
    struct state *s = *state;
    struct opt_options options = logging(s, "all");
    struct ir_func *func = example(s);
    options.pass_limit = 0;
    assert_true(opt_run(func, &options, &s->diagnostics));
    assert_int_equal(s->log.count, 0);
    options.pass_limit = 2;
    assert_true(opt_run(func, &options, &s->diagnostics));
    assert_string_equal(s->log.items, "0 fold\n1 cse\n");
}

static void times(void **state)
{
    struct state *s = *state;
    struct opt_options options = {.pass_limit = -1, .on_time = log_time, .user = s};
    options.stop_after = "cse";
    assert_true(opt_run(example(s), &options, &s->diagnostics));
    assert_string_equal(s->log.items, "fold\ncse\n");
}

static void unknown_pass(void **state)
{
    struct state *s = *state;
    static const char *const passes[] = {"folding"};
    struct opt_options options = {.pass_limit = -1, .off = passes, .off_count = 1};
    assert_false(opt_run(example(s), &options, &s->diagnostics));
    assert_string_equal(s->diagnostics.items[0].message, "unknown pass 'folding'");
    assert_non_null(strstr(s->diagnostics.items[0].hint, "the passes are fold, cse"));
}

/* No pass is broken on purpose, but a pass can be given broken IR. */
static void internal_fault(void **state)
{
    struct state *s = *state;
    static const char *const passes[] = {"licm", "dce"};
    struct opt_options options = {.pass_limit = -1, .only = passes, .only_count = 2};
    struct ir_func *func = example(s);
    ir_move_before(func->body->last->previous, func->body->first);
    assert_false(opt_run(func, &options, &s->diagnostics));
    assert_string_equal(
        s->diagnostics.items[0].message,
        "internal error: broken IR after pass 'dce' in function 'f': 'store': operand "
        "1 is not defined where it is used");
    assert_int_equal(s->diagnostics.items[0].range.begin, strstr(text, "store") - text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(whole_pipeline), TEST(dump_changed),       TEST(dump_one),
        TEST(only),           TEST(off_and_stop_after), TEST(pass_limit),
        TEST(times),          TEST(unknown_pass),       TEST(internal_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
