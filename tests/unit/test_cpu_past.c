/*
 * Stores past the caches (nest_past.c) of nests that store elements of several sizes: what is a
 * whole vector in one of them may be several lines or a part of one in another, wherever arrays
 * begin. Such a store at another place than a multiple of its size ends the process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cpu_harness.h"

enum { COUNT = 256, LINE = 64, LEAST = 16 };

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

static const struct type {
    const char *name, *llvm, *fixed;
    int bytes;
} types[] = {
    {"u8", "i8", "7", 1},   {"i16", "i16", "7", 2},      {"f32", "float", "7.0", 4},
    {"i64", "i64", "7", 8}, {"f64", "double", "7.0", 8},
};
enum { TYPES = sizeof types / sizeof *types, FIXED = 7 };

/* O0 is X, and O1 the same converted or, if it is `fixed`, FIXED, which is no reason for vectors of
 * another length. */
static struct ir_kernel *read_kernel(struct state *s, const struct type *from,
                                     const struct type *to, bool fixed)
{
    const char *value = fixed ? "fixed" : from == to ? "x" : "converted";
    struct text text;
    text_init(&text, &s->arena);
    text_format(
        &text,
        "func @k(%%X: const restrict ptr<%s>, %%O0: restrict ptr<%s>, %%O1: restrict ptr<%s>) {\n"
        "  %%i = arange {0 to %d} : i64[%d]\n",
        from->name, from->name, to->name, COUNT, COUNT);
    static const char *const arrays[] = {"X", "O0", "O1"};
    for (int k = 0; k < 3; k++) {
        const char *name = k < 2 ? from->name : to->name;
        text_format(&text, "  %%b%d = broadcast %%%s : ptr<%s>[%d]\n", k, arrays[k], name, COUNT);
        text_format(&text, "  %%a%d = addptr %%b%d, %%i : ptr<%s>[%d]\n", k, k, name, COUNT);
    }
    text_format(&text, "  %%x = load %%a0 : %s[%d]\n", from->name, COUNT);
    if (fixed)
        text_format(&text, "  %%fixed = constant {%s} : %s[%d]\n", to->fixed, to->name, COUNT);
    else if (from != to)
        text_format(&text, "  %%converted = cast %%x : %s[%d]\n", to->name, COUNT);
    text_format(&text, "  store %%a1, %%x\n  store %%a2, %%%s\n  return\n}\n", value);
    struct source_file *file = ARENA_NEW(&s->arena, struct source_file); /* ops point to it */
    *file = (struct source_file){"test", text.items, strlen(text.items)};
    struct ir_kernel *kernel = ir_kernel_read(&s->arena, &s->diagnostics, file);
    assert_non_null(kernel);
    return kernel;
}

/* ---- what goes past the caches --------------------------------------------------------------- */

static int bytes_of(const char *llvm)
{
    for (int i = 0; i < TYPES; i++) {
        if (strncmp(llvm, types[i].llvm, strlen(types[i].llvm)) == 0)
            return types[i].bytes;
    }
    return strncmp(llvm, "i32", 3) == 0 ? 4 : 0;
}

/* Of each vector whose store bypasses the caches. */
static void check_sizes(const struct cpu_output *output, const char *what)
{
    static const char store[] = "  store <";
    const char *at = output->bytes, *end = at + output->size, *next;
    for (; at < end; at = next + 1) {
        char line[256], *element;
        next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next : end;
        snprintf(line, sizeof line, "%.*s", (int)(next - at), at);
        if (strncmp(line, store, sizeof store - 1) != 0 || !strstr(line, "!nontemporal"))
            continue;
        int lanes = (int)strtol(line + sizeof store - 1, &element, 10);
        int bytes = lanes * bytes_of(element + strlen(" x "));
        if (bytes < LEAST || bytes > LINE)
            fail_msg("%s: %s", what, line);
    }
}

/* ---- results ----------------------------------------------------------------------------------
 */

static double get(const struct type *type, const void *at)
{
    switch (type->name[0] == 'f' ? -type->bytes : type->bytes) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        return *(const int16_t *)at;
    case 8:
        return (double)*(const int64_t *)at;
    case -4:
        return *(const float *)at;
    default:
        return *(const double *)at;
    }
}

static void put(const struct type *type, void *at, int value)
{
    switch (type->name[0] == 'f' ? -type->bytes : type->bytes) {
    case 1:
        *(uint8_t *)at = (uint8_t)value;
        break;
    case 2:
        *(int16_t *)at = (int16_t)value;
        break;
    case 8:
        *(int64_t *)at = value;
        break;
    case -4:
        *(float *)at = (float)value;
        break;
    default:
        *(double *)at = value;
        break;
    }
}

/* O0 begins so many bytes behind a line, and O1. */
static void check_results(struct state *s, const struct ir_kernel *kernel, const char *level,
                          const struct type *from, const struct type *to, bool fixed,
                          const int behind[2])
{
    static _Alignas(64) unsigned char arrays[3][COUNT * 8 + LINE];
    static const int64_t grid[3] = {1, 1, 1};
    unsigned char *x = arrays[0], *o0 = &arrays[1][behind[0]], *o1 = &arrays[2][behind[1]];
    uint64_t arguments[] = {(uintptr_t)x, (uintptr_t)o0, (uintptr_t)o1};
    memset(arrays, 0xa5, sizeof arrays);
    for (int k = 0; k < COUNT; k++)
        put(from, x + k * from->bytes, k % 100);
    const char *why = harness_run(kernel, level, CPU_VARIANT_STREAMING | CPU_VARIANT_NO_OVERLAP,
                                  arguments, grid, NULL, &s->arena, &s->diagnostics);
    if (why)
        fail_msg("%s: %s", level, why);
    for (int k = 0; k < COUNT; k++) {
        assert_true(get(from, o0 + k * from->bytes) == k % 100);
        assert_true(get(to, o1 + k * to->bytes) == (fixed ? FIXED : k % 100));
    }
}

static void check(const struct type *from, const struct type *to, bool fixed)
{
    static const int behind[][2] = {{0, 0}, {8, 0}, {0, 8}, {8, 8}};
    static const char *const looked_at[] = {"x86-64-v3", "x86-64-v4"};
    struct cpu_level found;
    struct state *s = calloc(1, sizeof *s);
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    diagnostics_init(&s->diagnostics, &s->arena);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    const struct ir_kernel *kernel = read_kernel(s, from, to, fixed);
    for (int k = 0; k < 2 && cpu_level_find(looked_at[k], &found); k++) {
        struct cpu_options options = {.level = looked_at[k],
                                      .variants =
                                          1u << (CPU_VARIANT_STREAMING | CPU_VARIANT_NO_OVERLAP),
                                      .symbol = "k"};
        struct cpu_output output;
        assert_true(tilec_cpu_module()->compile(kernel, &options, CPU_LLVM_IR, &s->arena,
                                                &s->diagnostics, &output));
        check_sizes(&output, arena_format(&s->arena, "%s, %s to %s%s", looked_at[k], from->name,
                                          fixed ? "a fixed " : "", to->name));
        free(output.bytes);
    }
    for (const char *const *level = harness_levels(); *level; level++) {
        for (size_t k = 0; k < sizeof behind / sizeof *behind; k++)
            check_results(s, kernel, *level, from, to, fixed, behind[k]);
    }
    arena_free(&s->arena);
    free(s);
}

static void check_all(bool fixed)
{
    for (int from = 0; from < TYPES; from++) {
        for (int to = 0; to < TYPES; to++)
            check(&types[from], &types[to], fixed);
    }
}

static void test_converted(void **unused)
{
    (void)unused;
    check_all(false);
}

static void test_fixed(void **unused)
{
    (void)unused;
    check_all(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_converted),
                                       cmocka_unit_test(test_fixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
