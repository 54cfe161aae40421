#ifndef TILEC_TESTS_EDGE_H
#define TILEC_TESTS_EDGE_H
/*
 * Edge cases: what peers got wrong, with literal expected values, on every target at hand.
 *
 *   values.c    elementwise: one table of expressions, operands and results; each row is computed
 *               from literals (so that folding is tested), from loaded scalars and from loaded tiles
 *   memory.c    addresses, masks, fills, views, aliasing
 *   control.c   reductions, loops, grids, shapes of nothing
 *   harness.c   compiling and launching
 *
 * `edge [TARGET[,TARGET...] [TESTS]]`: interp and cpu without targets; TESTS is a pattern of names
 * with '*', so that processes can share the slow targets.
 */
#include <tilec/tilec.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

/* The targets that are asked for and available here, NULL-terminated. */
extern const char *edge_targets[5];

/* Metal has no double. */
bool edge_has_double(const char *target);

/* Compiles a kernel file for a target and launches it, by its launch_grid when grid is NULL. Fails
 * the test with the diagnostics when the status is not the expected one. */
void edge_expect(const char *target, const char *text, const int64_t *grid,
                 const tilec_argument *arguments, size_t count, tilec_status expected);

/* The same, expecting success. */
void edge_run(const char *target, const char *text, const tilec_argument *arguments, size_t count);

/* Without the interpreter's checks: faults have their defined results. */
void edge_run_unchecked(const char *target, const char *text, const tilec_argument *arguments,
                        size_t count);

/* The message of the first diagnostic that the last call left; "" without one. */
const char *edge_message(void);

#define EDGE_RUN(target, text, ...)                                                                \
    edge_run(target, text, (const tilec_argument[]){__VA_ARGS__},                                  \
             sizeof((const tilec_argument[]){__VA_ARGS__}) / sizeof(tilec_argument))

#define EDGE_ARRAY(type, array)                                                                    \
    tilec_array(type, (void *)(array), (int64_t)(sizeof(array) / sizeof((array)[0])))

#define FOR_EACH_TARGET(target)                                                                    \
    for (const char **edge_place = edge_targets, *target; (target = *edge_place); edge_place++)

extern const struct CMUnitTest edge_value_tests[], edge_memory_tests[], edge_control_tests[];
extern const size_t edge_value_test_count, edge_memory_test_count, edge_control_test_count;

#endif
