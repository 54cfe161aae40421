/*
 * Arrays that overlap in part, or are the same under other types: every target does what the
 * interpreter does, or refuses the launch and says why. Each case is a kernel that some code once
 * got wrong, or a form of its own; tests/random/overlap.c makes many more.
 */
#include <tilec/tilec.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { BLOCK = 16384, MOST = 4 };

struct overlap_case {
    const char *name;
    struct {
        tilec_type type;
        int64_t at; /* byte of the block */
    } arrays[MOST]; /* the first parameters; the type TILEC_BOOL ends them */
    int64_t scalars[MOST];
    int scalar_count;
    const char *text;
};

static const struct overlap_case cases[] = {
#include "overlap_cases.h"
};

static tilec_context *context;

static int create(void **state)
{
    const tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    (void)state;
    return tilec_context_create(&options, &context) != TILEC_OK;
}

static int destroy(void **state)
{
    (void)state;
    tilec_context_destroy(context);
    return 0;
}

/* Small whole numbers, of which sums are exact in every order; or any bytes. */
static void fill(uint8_t *block, bool floats)
{
    float *numbers = (float *)(void *)block;
    for (size_t i = 0; floats && i < BLOCK / sizeof *numbers; i++)
        numbers[i] = (float)((int)(i * 7 % 13 + i / 50 % 3) - 6);
    for (int i = 0; !floats && i < BLOCK; i++)
        block[i] = (uint8_t)(i * 37 + i / 256 + 11);
}

static size_t arguments_of(const struct overlap_case *c, uint8_t *block, tilec_argument *arguments)
{
    static const int bytes[] = {[TILEC_I8] = 1,  [TILEC_U8] = 1,  [TILEC_I16] = 2, [TILEC_U16] = 2,
                                [TILEC_I32] = 4, [TILEC_U32] = 4, [TILEC_I64] = 8, [TILEC_U64] = 8,
                                [TILEC_F32] = 4};
    size_t count = 0;
    for (int i = 0; i < MOST && c->arrays[i].type != TILEC_BOOL; i++) {
        int64_t at = c->arrays[i].at;
        arguments[count++] =
            tilec_array(c->arrays[i].type, block + at, (BLOCK - at) / bytes[c->arrays[i].type]);
    }
    for (int i = 0; i < c->scalar_count; i++)
        arguments[count++] = tilec_int(TILEC_I32, c->scalars[i]);
    return count;
}

/* False: the target or the level cannot be used here. */
static bool run(const struct overlap_case *c, const char *target, const char *level, uint8_t *block)
{
    const tilec_source source = {.size = sizeof source, .path = "k.tile.c", .text = c->text};
    const tilec_compile_options options = {.size = sizeof options, .target = target, .cpu = level};
    const tilec_launch_options launch = {.size = sizeof launch, .threads = 1, .host_buffers = 1};
    tilec_argument arguments[2 * MOST];
    tilec_kernel *kernel = NULL;
    tilec_diagnostic diagnostic;
    tilec_status status = tilec_compile(context, &source, &options, &kernel);
    if (status == TILEC_ERROR_TARGET)
        return false;
    fill(block, c->arrays[0].type == TILEC_F32);
    size_t count = arguments_of(c, block, arguments);
    if (status == TILEC_OK)
        status = tilec_launch(kernel, NULL, arguments, count, &launch);
    for (size_t i = 0;
         status != TILEC_OK && tilec_diagnostic_get(context, i, &diagnostic) == TILEC_OK; i++)
        print_error("%s: %s: %s", c->name, target, diagnostic.text);
    tilec_kernel_destroy(kernel);
    if (status == TILEC_ERROR_TARGET)
        return false;
    assert_int_equal(status, TILEC_OK);
    return true;
}

static void test_as_interpreted(void **state)
{
    static const struct {
        const char *target, *level;
    } targets[] = {{"cpu", NULL}, {"cpu", "generic"}, {"cpu", "x86-64-v3"}, {"msl-host", NULL}};
    const struct overlap_case *c = *state;
    uint8_t *expected = malloc(BLOCK), *block = malloc(BLOCK);
    bool wrong = false;
    assert_true(run(c, "interp", NULL, expected));
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (!run(c, targets[i].target, targets[i].level, block))
            continue;
        for (int k = 0; k < BLOCK; k++) {
            if (block[k] == expected[k])
                continue;
            print_error("%s: %s %s: byte %d is %d, not %d\n", c->name, targets[i].target,
                        targets[i].level ? targets[i].level : "", k, block[k], expected[k]);
            wrong = true;
            break;
        }
    }
    free(expected);
    free(block);
    assert_false(wrong);
}

int main(void)
{
    enum { COUNT = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[COUNT];
    for (int i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = cases[i].name,
                                       .test_func = test_as_interpreted,
                                       .initial_state = (void *)&cases[i]};
    return cmocka_run_group_tests(tests, create, destroy);
}
