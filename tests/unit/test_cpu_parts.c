/*
 * A kernel's code in parts: the same bytes whatever the number of threads, and where the system
 * refuses them; each part loads once those before it are there.
 */
#define TILEC_EXPERIMENTAL
#include "base/guard.h"
#include "cpu/cpu.h"
#include "run/elf.h"
#include "run/run.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- threads, which the linker sends here (tests/CMakeLists.txt) ----------------------------- */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *user), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *user), void *user);

static bool refused;
static int asked;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *user), void *user)
{
    asked++;
    return refused ? EAGAIN : __real_pthread_create(thread, attributes, run, user);
}

/* ---- compiling ------------------------------------------------------------------------------- */

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct source_file file;
    char *text; /* Tile IR of a kernel with many functions */
    tilec_context *context;
};

static int set_up(void **state)
{
    struct state *s = calloc(1, sizeof *s);
    tilec_source source = {.size = sizeof source, .path = "kernels/gemm.tile.c"};
    tilec_compile_options options = {.size = sizeof options, .kernel = "gemm"};
    tilec_define sizes[] = {{"BLOCK_M", "64"}, {"BLOCK_N", "64"}, {"BLOCK_K", "32"}};
    tilec_program *program;
    size_t length;
    options.constants = sizes;
    options.constant_count = 3;
    *state = s;
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    diagnostics_init(&s->diagnostics, &s->arena);
    assert_int_equal(tilec_context_create(NULL, &s->context), TILEC_OK);
    assert_int_equal(tilec_program_create(s->context, &source, &program), TILEC_OK);
    assert_int_equal(tilec_emit(program, &options, TILEC_STAGE_TILE, &s->text, &length), TILEC_OK);
    tilec_program_destroy(program);
    s->file = (struct source_file){"gemm", s->text, length};
    return 0;
}

static int tear_down(void **state)
{
    struct state *s = *state;
    tilec_release(s->context, s->text);
    tilec_context_destroy(s->context);
    arena_free(&s->arena);
    free(s);
    return 0;
}

static struct cpu_output compile(struct state *s, int threads)
{
    struct cpu_options options = {
        .level = "native", .variants = 1, .symbol = "k", .threads = threads};
    struct cpu_output output = {0};
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    struct ir_kernel *kernel = ir_kernel_read(&s->arena, &s->diagnostics, &s->file);
    assert_non_null(kernel);
    assert_true(tilec_cpu_module()->compile(kernel, &options, CPU_OBJECT, &s->arena,
                                            &s->diagnostics, &output));
    return output;
}

static void assert_same(const struct cpu_output *a, const struct cpu_output *b)
{
    assert_int_equal(a->object_count, b->object_count);
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->object_sizes, b->object_sizes, sizeof a->object_sizes);
    assert_memory_equal(a->bytes, b->bytes, a->size);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void the_same_by_any_number_of_threads(void **state)
{
    struct cpu_output one = compile(*state, 1);
    assert_in_range(one.object_count, 2, CPU_MOST_OBJECTS);
    for (int threads = 2; threads <= 2 * CPU_MOST_OBJECTS; threads *= 2) {
        asked = 0;
        struct cpu_output several = compile(*state, threads);
        assert_same(&one, &several);
        assert_int_equal(asked, (threads < one.object_count ? threads : one.object_count) - 1);
        free(several.bytes);
    }
    free(one.bytes);
}

static void the_same_without_threads(void **state)
{
    struct cpu_output one = compile(*state, 1);
    refused = true;
    asked = 0;
    struct cpu_output alone = compile(*state, 2);
    refused = false;
    assert_int_equal(asked, 1);
    assert_same(&one, &alone);
    free(alone.bytes);
    free(one.bytes);
}

static void one_object_where_it_must_be(void **state)
{
    struct cpu_output whole = compile(*state, 0);
    assert_int_equal(whole.object_count, 1);
    assert_int_equal(whole.object_sizes[0], whole.size);
    free(whole.bytes);
}

/* The image of objects first to last - 1, or NULL with load->why. */
static struct elf_image *load_objects(const struct cpu_output *output, int first, int last,
                                      struct elf_load *load)
{
    struct elf_image *image = NULL;
    const char *at = output->bytes;
    *load = (struct elf_load){.allocator = allocator_default, .resolve = run_resolve};
    for (int i = 0; i < last; at += output->object_sizes[i++]) {
        if (i < first)
            continue;
        load->before = image;
        struct elf_image *next = elf_load(load, at, output->object_sizes[i]);
        if (!next)
            elf_unload(image);
        if (!next)
            return NULL;
        image = next;
    }
    return image;
}

/* Is there a function of the product's inner loop? Its rows and columns are those of the machine's
 * level. */
static bool has_inner_loop(struct elf_image *image)
{
    for (int rows = 1; rows <= 32; rows++) {
        for (int columns = 1; columns <= 128; columns++) {
            char name[64];
            snprintf(name, sizeof name, "k.0.kernel%dx%d", rows, columns);
            if (elf_symbol(image, name))
                return true;
        }
    }
    return false;
}

static void load_in_order(void **state)
{
    struct cpu_output output = compile(*state, 2);
    struct elf_load load;
    struct elf_image *image = load_objects(&output, 0, output.object_count, &load);
    assert_non_null(image);
    assert_non_null(elf_symbol(image, "k.0"));
    assert_true(has_inner_loop(image)); /* in the first */
    elf_unload(image);
    assert_null(load_objects(&output, 1, output.object_count, &load));
    assert_string_equal(load.why, "the file calls a function that is not provided");
    free(output.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_by_any_number_of_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_same_without_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_object_where_it_must_be, set_up, tear_down),
        cmocka_unit_test_setup_teardown(load_in_order, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
