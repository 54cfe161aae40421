/* Measured values as text: base/text.h. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_measured(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *expected;
    } cases[] = {
        {0, "0"},
        {0.0441, "0.0441"},
        {1, "1"},
        {23.5649, "23.56"},
        {999.96, "1000"},
        {9999.4, "9999"},
        {9999.5, "10000"},
        {14130.2, "14130"},
        {536870.912, "536871"},
        {1e12, "1000000000000"},
    };
    jmp_buf on_failure;
    struct arena arena;
    if (setjmp(on_failure))
        fail_msg("no memory");
    arena_init(&arena, allocator_default, &on_failure);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text;
        text_init(&text, &arena);
        text_measured(&text, cases[i].value);
        assert_string_equal(text.items, cases[i].expected);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
