/*
 * Compilations leave LLVM's machines to each other (cpu/machines.c): what one makes depends on
 * nothing that was made by its machine before, and as many as like may compile at once.
 */
#define TILEC_EXPERIMENTAL
#include "base/guard.h"
#include "cpu/cpu.h"
#include "cpu/features.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char softmax[] =
    "func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %rows: i32, %N: i32) {\n"
    "  %N.1 = cast %N : i64\n"
    "  %row = program_id {axis 0} : i64\n"
    "  %col = arange {0 to 64} : i64[64]\n"
    "  %0 = mul %row, %N.1 : i64\n"
    "  %1 = addptr %X, %0 : ptr<f32>\n"
    "  %2 = broadcast %1 : ptr<f32>[64]\n"
    "  %3 = addptr %2, %col : ptr<f32>[64]\n"
    "  %4 = broadcast %N.1 : i64[64]\n"
    "  %5 = lt %col, %4 : bool[64]\n"
    "  %6 = constant {-inf} : f32[64]\n"
    "  %x = load %3, %5, %6 : f32[64]\n"
    "  %7 = max {axis -1} %x : f32\n"
    "  %8 = broadcast %7 : f32[64]\n"
    "  %9 = sub %x, %8 : f32[64]\n"
    "  %e = exp %9 : f32[64]\n"
    "  %10 = addptr %Out, %0 : ptr<f32>\n"
    "  %11 = broadcast %10 : ptr<f32>[64]\n"
    "  %12 = addptr %11, %col : ptr<f32>[64]\n"
    "  %13 = sum {axis -1} %e : f32\n"
    "  %14 = constant {1.0} : f32\n"
    "  %15 = div %14, %13 : f32\n"
    "  %16 = broadcast %15 : f32[64]\n"
    "  %17 = mul %e, %16 : f32[64]\n"
    "  store %12, %17, %5\n"
    "  return\n"
    "}\n";

struct made {
    struct cpu_output output;
    bool fine;
};

static struct made compile(const char *level, enum cpu_format format)
{
    struct made made = {0};
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct source_file file = {"k", softmax, sizeof softmax - 1};
    struct cpu_options options = {.level = level, .variants = 1, .symbol = "k"};
    if (setjmp(out_of_memory))
        return made;
    arena_init(&arena, allocator_default, &out_of_memory);
    diagnostics_init(&diagnostics, &arena);
    struct ir_kernel *kernel = ir_kernel_read(&arena, &diagnostics, &file);
    made.fine = kernel && tilec_cpu_module()->compile(kernel, &options, format, &arena,
                                                      &diagnostics, &made.output);
    arena_free(&arena);
    return made;
}

static void assert_same(const struct made *a, const struct made *b)
{
    assert_true(a->fine && b->fine);
    assert_int_equal(a->output.size, b->output.size);
    assert_memory_equal(a->output.bytes, b->output.bytes, a->output.size);
}

static void the_same_after_others(void **state)
{
    enum { MOST = 16 };
    static const enum cpu_format formats[] = {CPU_OBJECT, CPU_ASSEMBLY, CPU_OBJECT};
    const char *const *levels = cpu_level_names();
    struct made first[MOST][3];
    int count = 0;
    (void)state;
    for (; levels[count]; count++) {
        assert_in_range(count, 0, MOST - 1);
        for (int k = 0; k < 3; k++)
            first[count][k] = compile(levels[count], formats[k]);
        assert_same(&first[count][0], &first[count][2]);
    }
    assert_in_range(count, 2, MOST);
    for (int i = count; i-- > 0;) {
        for (int k = 0; k < 3; k++) {
            struct made again = compile(levels[i], formats[k]);
            assert_same(&first[i][k], &again);
            free(again.output.bytes);
        }
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            free(first[i][k].output.bytes);
}

/* More than machines are kept: all threads hold one before any leaves his. */
enum { THREADS = 40 };

static pthread_barrier_t begin;

static void *compile_at_once(void *user)
{
    pthread_barrier_wait(&begin);
    *(struct made *)user = compile("native", CPU_OBJECT);
    return NULL;
}

static void the_same_by_many_at_once(void **state)
{
    pthread_t threads[THREADS];
    struct made made[THREADS], one = compile("native", CPU_OBJECT);
    (void)state;
    assert_int_equal(pthread_barrier_init(&begin, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compile_at_once, &made[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_same(&one, &made[i]);
        free(made[i].output.bytes);
    }
    pthread_barrier_destroy(&begin);
    free(one.output.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_after_others),
        cmocka_unit_test(the_same_by_many_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
