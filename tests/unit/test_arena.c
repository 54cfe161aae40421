/* Arenas: what they give, and what AddressSanitizer is told of it. */
#include "base/arena.h"
#include "base/poison.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void test_objects(void **state)
{
    (void)state;
    jmp_buf on_failure;
    struct arena arena;
    unsigned char *objects[100];
    if (setjmp(on_failure))
        fail_msg("no memory");
    arena_init(&arena, allocator_default, &on_failure);
    for (size_t i = 0; i < 100; i++) {
        objects[i] = arena_alloc(&arena, i);
        assert_int_equal((uintptr_t)objects[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < i; k++)
            assert_int_equal(objects[i][k], 0);
        memset(objects[i], (int)i, i);
    }
    for (size_t i = 1; i < 100; i++) /* none overlaps another */
        for (size_t k = 0; k < i; k++)
            assert_int_equal(objects[i][k], i);
    arena_free(&arena);
}

/* Gaps for the sanitizer are no part of what a limit counts. */
static void test_limit(void **state)
{
    (void)state;
    jmp_buf on_failure;
    struct arena arena;
    volatile int count = 0;
    arena_init(&arena, allocator_default, &on_failure);
    arena.limit = 10 * _Alignof(max_align_t);
    if (!setjmp(on_failure)) {
        for (;; count = count + 1)
            arena_alloc(&arena, 1);
    }
    assert_int_equal(count, 10);
    arena_free(&arena);
}

/* Going back gives memory back, keeps what is older, and new objects are zero again. */
static void test_rewind(void **state)
{
    (void)state;
    jmp_buf on_failure;
    struct arena arena;
    if (setjmp(on_failure))
        fail_msg("no memory");
    arena_init(&arena, allocator_default, &on_failure);
    struct arena_mark empty = arena_mark(&arena);
    char *old = arena_copy_text(&arena, "old", 3);
    struct arena_mark mark = arena_mark(&arena);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 2000; i++) {
            unsigned char *bytes = arena_alloc(&arena, i);
            for (size_t k = 0; k < i; k++)
                assert_int_equal(bytes[k], 0);
            memset(bytes, 0xff, i);
        }
        arena_rewind(&arena, mark);
        assert_int_equal(arena.used, mark.used);
        assert_ptr_equal(arena.blocks, mark.block);
        assert_string_equal(old, "old");
    }
    arena_rewind(&arena, empty);
    assert_null(arena.blocks);
    arena_free(&arena);
}

#ifdef POISON_WORKS
static bool is_poisoned(const void *memory)
{
    return __asan_address_is_poisoned(memory);
}

static void test_gaps(void **state)
{
    (void)state;
    jmp_buf on_failure;
    struct arena arena;
    if (setjmp(on_failure))
        fail_msg("no memory");
    arena_init(&arena, allocator_default, &on_failure);
    for (size_t size = 0; size < 70; size++) {
        const char *memory = arena_alloc(&arena, size);
        for (size_t i = 0; i < size; i++)
            assert_false(is_poisoned(memory + i));
        assert_true(is_poisoned(memory + size));
        assert_true(is_poisoned(memory + size + POISON_GAP - 1));
    }
    arena_free(&arena);
}

static void test_old_storage(void **state)
{
    (void)state;
    jmp_buf on_failure;
    struct arena arena;
    struct {
        int *items;
        size_t count, capacity;
    } list = {0};
    if (setjmp(on_failure))
        fail_msg("no memory");
    arena_init(&arena, allocator_default, &on_failure);
    ARENA_PUSH(&arena, &list, 1);
    const int *old = list.items;
    while (list.items == old)
        ARENA_PUSH(&arena, &list, 2);
    assert_true(is_poisoned(old));
    assert_int_equal(list.items[0], 1);
    arena_free(&arena);
}

/* An allocator that uses its memory again. */
static max_align_t pool[4096];

static void *take(void *user, size_t size)
{
    (void)user;
    return size <= sizeof pool ? pool : NULL;
}

static void leave(void *user, void *memory)
{
    (void)user;
    assert_ptr_equal(memory, pool);
}

static void test_given_back_whole(void **state)
{
    (void)state;
    jmp_buf on_failure;
    struct arena arena;
    if (setjmp(on_failure))
        fail_msg("no memory");
    arena_init(&arena, (struct allocator){take, leave, NULL}, &on_failure);
    arena_alloc(&arena, 3);
    arena_free(&arena);
    for (size_t i = 0; i < sizeof pool; i++)
        assert_false(is_poisoned((char *)pool + i));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_rewind),
#ifdef POISON_WORKS
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_old_storage),
        cmocka_unit_test(test_given_back_whole),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
