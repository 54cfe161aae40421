#ifndef TILEC_TESTS_SKIP_H
#define TILEC_TESTS_SKIP_H
/*
 * Tests that cannot run here. None is silent: each says why, and a program that skipped all of its
 * tests is skipped itself (77), instead of passing; tests/skips.sh lists them after a run of ctest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static size_t skipped_tests;

/* Ends the running test: SKIP("there is no %s", name). */
#define SKIP(...)                                                                                  \
    do {                                                                                           \
        print_message("skipped: ");                                                                \
        print_message(__VA_ARGS__);                                                                \
        print_message("\n");                                                                       \
        skipped_tests++;                                                                           \
        skip();                                                                                    \
    } while (0)

#define SKIP_WITHOUT_CLANG "clang++-19 is not in PATH"

/* The status of a program of so many tests. */
static inline int status_with_skips(int failures, size_t tests)
{
    return failures == 0 && tests > 0 && skipped_tests == tests ? 77 : failures;
}

/* cmocka_run_group_tests, for programs that may skip tests. */
#define RUN_TESTS(tests, set_up, tear_down)                                                        \
    status_with_skips(cmocka_run_group_tests(tests, set_up, tear_down),                            \
                      sizeof(tests) / sizeof *(tests))

#endif
