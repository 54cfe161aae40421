/*
 * Autotuning. The clock is the test's own: it moves by what the kernel that ran last says it costs,
 * which the kernel writes into its output, in digits that the check allows to differ. The memory
 * functions of the context show the test where tuning keeps its copies.
 */
#include "cpu/features.h"
#include "run/autotune.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ELEMENTS = 70000 }; /* more than what the interpreter is asked for */

/* Out[i] = 1 + COST / 1e6, where COST 90 is too far from right, and 7 does not compile. */
static const char text[] =
    "launch_grid(k, cdiv(n, BLOCK));\n"
    "launch_require(k, n >= BLOCK, \"too few\");\n"
    "tune(k, COST, %s);\n"
    "tune(k, BLOCK, 1024, 1 << 20);\n"
    "tune(k, vector_width, %s);\n"
    "kernel void k(float *restrict Out, int n, constexpr int COST, constexpr int BLOCK)\n"
    "{\n"
    "    static_require(COST != 7, \"seven is not allowed\");\n"
    "    int i = program_id(0) * BLOCK + arange(0, BLOCK);\n"
    "    store(Out + i, 1.0f + COST * 1e-6f, i < n);\n"
    "}\n";

struct world {
    tilec_context *context;
    tilec_program *program;
    const tilec_tuning *tuning; /* the last one made */
    double time, busy; /* how many times longer all takes, as others work; 0: no others do */
    int looks;
    float *out;
    char source[1024];
    int allocations, fails_at; /* the allocation that fails; 0: none */
};

static void *allocate(void *user, size_t bytes)
{
    struct world *world = user;
    if (++world->allocations == world->fails_at)
        return NULL;
    void *memory = malloc(bytes);
    if (bytes == sizeof(tilec_tuning))
        world->tuning = memory;
    return memory;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* As many times 200 us as COST says. */
static double now(void *user)
{
    struct world *world = user;
    const float *out = world->tuning->arrays[0].work;
    world->looks++;
    double longer = world->busy > 0 ? world->busy : 1;
    return world->time += longer * 200e-6 * round(((double)out[0] - 1) * 1e6);
}

/* The floats of a native vector, which is the only width that the CPU can meet. */
static const char *native_width(void)
{
    static char width[16];
    struct cpu_level level;
    assert_true(cpu_level_find("native", &level));
    snprintf(width, sizeof width, "%d", level.vector_bits / 32);
    return width;
}

static char directory[64];

static void open_world(struct world *world, const char *costs, const char *widths)
{
    *world = (struct world){0};
    tilec_context_options options = {.size = sizeof options,
                                     .allocate = allocate,
                                     .release = release,
                                     .user = world,
                                     .cache_directory = directory};
    snprintf(world->source, sizeof world->source, text, costs, widths);
    tilec_source source = {.size = sizeof source, .path = "k.tile.c", .text = world->source};
    assert_int_equal(tilec_context_create(&options, &world->context), TILEC_OK);
    assert_int_equal(tilec_program_create(world->context, &source, &world->program), TILEC_OK);
    world->out = calloc(ELEMENTS, sizeof *world->out);
    world->out[0] = 1; /* before anything ran, no time passes */
}

static void close_world(struct world *world)
{
    tilec_program_destroy(world->program);
    tilec_context_destroy(world->context);
    free(world->out);
}

static tilec_status tune(struct world *world, int n, int again, tilec_kernel **kernel,
                         tilec_tuning **tuning)
{
    int64_t shape[1] = {n};
    tilec_argument arguments[2] = {tilec_buffer(TILEC_F32, world->out, 1, shape),
                                   tilec_int(TILEC_I32, n)};
    tilec_autotune_options options = {.size = sizeof options,
                                      .threads = 1,
                                      .again = again,
                                      .seconds = 0.05,
                                      .now = now,
                                      .clock_user = world};
    return tilec_program_autotune(world->program, NULL, arguments, 2, &options, kernel, tuning);
}

/* The chosen COST; what the kernel gives must be that. */
static int chosen_cost(struct world *world, tilec_kernel *kernel, const tilec_tuning *tuning, int n)
{
    int64_t shape[1] = {n};
    tilec_argument arguments[2] = {tilec_buffer(TILEC_F32, world->out, 1, shape),
                                   tilec_int(TILEC_I32, n)};
    int cost = -1, chosen = 0;
    tilec_candidate c;
    for (size_t i = 0; tilec_tuning_get(tuning, i, &c) == TILEC_OK; i++) {
        chosen += c.is_chosen;
        if (c.is_chosen)
            cost = (int)c.values[0].value;
    }
    assert_int_equal(chosen, 1);
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 2, NULL), TILEC_OK);
    assert_int_equal((int)lround(((double)world->out[0] - 1) * 1e6), cost);
    return cost;
}

static const tilec_candidate *candidate_of(const tilec_tuning *tuning, int cost,
                                           tilec_candidate *candidate)
{
    for (size_t i = 0; tilec_tuning_get(tuning, i, candidate) == TILEC_OK; i++)
        if (candidate->values[0].value == cost)
            return candidate;
    fail_msg("no candidate with COST %d", cost);
    return NULL;
}

static void fastest_is_chosen(void **state)
{
    struct world world;
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    tilec_candidate c;
    (void)state;
    open_world(&world, "3, 7, 4, 90, 2", native_width());
    world.out[1] = 42;
    assert_int_equal(tune(&world, ELEMENTS, 0, &kernel, &tuning), TILEC_OK);
    assert_true(world.out[1] == 42); /* the caller's array is left alone */
    assert_false(tilec_tuning_from_cache(tuning));
    /* BLOCK 1 << 20 is refused by launch_require. The default asks for no vector width. */
    assert_int_equal(tilec_tuning_count(tuning), 6);
    tilec_tuning_get(tuning, 0, &c);
    assert_int_equal(c.value_count, 2);
    assert_int_equal(c.values[1].value, 1024);
    assert_true(fabs(c.ratio - 1) < 1e-9 && fabs(c.seconds - 600e-6) < 1e-9);
    tilec_tuning_get(tuning, 1, &c);
    assert_string_equal(c.values[2].name, "vector_width");
    assert_non_null(strstr(candidate_of(tuning, 7, &c)->error, "seven is not allowed"));
    assert_string_equal(candidate_of(tuning, 90, &c)->error,
                        "wrong: 70000 of 70000 elements of 'Out'");
    assert_true(fabs(candidate_of(tuning, 4, &c)->ratio - 4.0 / 3) < 1e-6);
    assert_true(fabs(candidate_of(tuning, 2, &c)->ratio - 2.0 / 3) < 1e-6);
    assert_int_equal(chosen_cost(&world, kernel, tuning, ELEMENTS), 2);
    tilec_kernel_destroy(kernel);
    tilec_tuning_destroy(tuning);
    close_world(&world);
}

/* Stored by sizes and candidates: found again for the same, measured for others. */
static void choice_is_stored(void **state)
{
    static const struct {
        const char *costs;
        int n, again, stored, cost;
    } steps[] = {{"5, 3", ELEMENTS, 0, 0, 3},    {"5, 3", ELEMENTS, 0, 1, 3},
                 {"5, 3", ELEMENTS, 1, 0, 3},    {"5, 3", ELEMENTS - 1, 0, 0, 3},
                 {"5, 3, 1", ELEMENTS, 0, 0, 1}, {"3, 5", ELEMENTS, 0, 0, 3},
                 {"5, 3, 1", ELEMENTS, 0, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct world world;
        tilec_kernel *kernel;
        tilec_tuning *tuning;
        open_world(&world, steps[i].costs, native_width());
        assert_int_equal(tune(&world, steps[i].n, steps[i].again, &kernel, &tuning), TILEC_OK);
        assert_int_equal(tilec_tuning_from_cache(tuning), steps[i].stored);
        assert_int_equal(world.looks > 0, !steps[i].stored);
        assert_int_equal(chosen_cost(&world, kernel, tuning, steps[i].n), steps[i].cost);
        tilec_kernel_destroy(kernel);
        tilec_tuning_destroy(tuning);
        close_world(&world);
    }
}

/* On a machine so busy that the default against itself may be anything, nothing is decided: the
 * default stays, and the next call measures. */
static void undecided_is_not_stored(void **state)
{
    (void)state;
    for (int quiet = 0; quiet < 2; quiet++) {
        struct world world;
        tilec_kernel *kernel;
        tilec_tuning *tuning;
        tilec_candidate c;
        open_world(&world, "6, 4", native_width());
        world.busy = quiet ? 1 : 2000;
        assert_int_equal(tune(&world, ELEMENTS, 0, &kernel, &tuning), TILEC_OK);
        assert_false(tilec_tuning_from_cache(tuning));
        assert_int_equal(tilec_tuning_get(tuning, 0, &c), TILEC_OK);
        assert_int_equal(isfinite(c.ratio_high), quiet);
        assert_int_equal(chosen_cost(&world, kernel, tuning, ELEMENTS), quiet ? 4 : 6);
        tilec_kernel_destroy(kernel);
        tilec_tuning_destroy(tuning);
        close_world(&world);
    }
}

/* Nothing is faster: the declared default stays. */
static void default_stays(void **state)
{
    struct world world;
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    (void)state;
    open_world(&world, "2, 3, 90", native_width());
    assert_int_equal(tune(&world, ELEMENTS, 1, &kernel, &tuning), TILEC_OK);
    assert_int_equal(chosen_cost(&world, kernel, tuning, ELEMENTS), 2);
    tilec_candidate c;
    tilec_tuning_get(tuning, 0, &c);
    assert_true(c.is_chosen);
    tilec_kernel_destroy(kernel);
    tilec_tuning_destroy(tuning);
    close_world(&world);
}

/* A requirement that the processor cannot meet is a candidate less, no error. */
static void unmet_requirement(void **state)
{
    struct world world;
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    tilec_candidate c;
    (void)state;
    open_world(&world, "2", "3, 16");
    assert_int_equal(tune(&world, ELEMENTS, 1, &kernel, &tuning), TILEC_OK);
    assert_int_equal(tilec_tuning_count(tuning), 3);
    tilec_tuning_get(tuning, 1, &c);
    assert_int_equal(c.values[2].value, 3);
    assert_non_null(c.error);
    tilec_kernel_destroy(kernel);
    tilec_tuning_destroy(tuning);
    close_world(&world);
}

/* Small arrays are checked against the interpreter: COST that only the tolerance lets pass is
 * wrong there, the default's own result included. */
static void interpreter_decides(void **state)
{
    struct world world;
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    tilec_candidate c;
    (void)state;
    open_world(&world, "3, 2", native_width());
    assert_int_equal(tune(&world, 2000, 1, &kernel, &tuning), TILEC_OK);
    assert_non_null(strstr(candidate_of(tuning, 2, &c)->error, "wrong: 2000 of 2000"));
    assert_int_equal(chosen_cost(&world, kernel, tuning, 2000), 3);
    tilec_kernel_destroy(kernel);
    tilec_tuning_destroy(tuning);
    close_world(&world);
}

static void wrong_calls(void **state)
{
    struct world world;
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    tilec_diagnostic diagnostic;
    (void)state;
    open_world(&world, "7, 2", native_width());
    /* the default does not compile */
    assert_int_equal(tune(&world, ELEMENTS, 1, &kernel, &tuning), TILEC_ERROR_COMPILE);
    assert_null(kernel);
    assert_null(tuning);
    assert_int_equal(tilec_diagnostic_get(world.context, 0, &diagnostic), TILEC_OK);
    assert_non_null(strstr(diagnostic.message, "seven"));
    tilec_argument arguments[2] = {tilec_array(TILEC_F32, world.out, -1), tilec_int(TILEC_I32, 5)};
    assert_int_equal(
        tilec_program_autotune(world.program, NULL, arguments, 2, NULL, &kernel, &tuning),
        TILEC_ERROR_ARGUMENT);
    tilec_diagnostic_get(world.context, 0, &diagnostic);
    assert_non_null(strstr(diagnostic.message, "the length of array 'Out' must be known"));
    assert_int_equal(
        tilec_program_autotune(world.program, NULL, arguments, 1, NULL, &kernel, &tuning),
        TILEC_ERROR_ARGUMENT);
    assert_int_equal(tilec_program_autotune(NULL, NULL, NULL, 0, NULL, &kernel, &tuning),
                     TILEC_ERROR_INVALID);
    assert_int_equal(tilec_tuning_count(NULL), 0);
    tilec_tuning_destroy(NULL);
    close_world(&world);
}

/* More combinations than are tried are refused, not cut off. */
static void too_many(void **state)
{
    struct world world;
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    char costs[2048] = "1";
    (void)state;
    for (int i = 2; i <= 140; i++)
        sprintf(costs + strlen(costs), ", %d", i);
    char source[4096];
    open_world(&world, "1", native_width());
    tilec_program_destroy(world.program);
    snprintf(source, sizeof source, text, costs, "8, 16");
    tilec_source described = {.size = sizeof described, .path = "k.tile.c", .text = source};
    assert_int_equal(tilec_program_create(world.context, &described, &world.program), TILEC_OK);
    assert_int_equal(tune(&world, ELEMENTS, 1, &kernel, &tuning), TILEC_ERROR_INVALID);
    close_world(&world);
}

/* Whichever allocation fails, the call says so, gives nothing, and leaves nothing behind (which the
 * sanitized build sees); the next call succeeds. */
static void no_memory(void **state)
{
    struct world world;
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    bool failed = true;
    (void)state;
    open_world(&world, "5, 7, 3", native_width());
    for (int n = 1; failed; n++) {
        world.fails_at = world.allocations + n;
        tilec_status status = tune(&world, ELEMENTS, 1, &kernel, &tuning);
        failed = world.allocations >= world.fails_at;
        if (failed && status != TILEC_OK) {
            assert_int_equal(status, TILEC_ERROR_NO_MEMORY);
            assert_null(kernel);
            assert_null(tuning);
        }
        world.fails_at = 0;
        tilec_kernel_destroy(kernel);
        tilec_tuning_destroy(tuning);
    }
    assert_int_equal(tune(&world, ELEMENTS, 1, &kernel, &tuning), TILEC_OK);
    assert_int_equal(chosen_cost(&world, kernel, tuning, ELEMENTS), 3);
    tilec_kernel_destroy(kernel);
    tilec_tuning_destroy(tuning);
    close_world(&world);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/test_autotune_XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command);
}

/* Each timed launch finds what the arrays held at first: where counters went on, the kernel's own
 * check would fail. The scalar in front of the arrays is given, or fixed and left out. */
static void counters_start_anew(void **state)
{
    static const char kernel_text[] =
        "launch_grid(take, cdiv(n, BLOCK));\n"
        "tune(take, BLOCK, 1024, 4096);\n"
        "kernel void take(int n, const float *restrict X, float *restrict Out,\n"
        "                 int *restrict Count, constexpr int BLOCK)\n"
        "{\n"
        "    int i = program_id(0) * BLOCK + arange(0, BLOCK);\n"
        "    int place = atomic_add(Count, BLOCK) + arange(0, BLOCK);\n"
        "    tile_assert(place < n, \"the counter starts at 0\");\n"
        "    store(Out + place, load(X + i), place < n);\n"
        "}\n";
    enum { N = 1 << 17, GIVEN = 0, CONSTANT, DEFINED, WAYS };
    (void)state;
    tilec_context *context;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    float *x = calloc(N, sizeof *x), *out = calloc(N, sizeof *out);
    int count = 0;
    int64_t shape[1] = {N}, one[1] = {1};
    tilec_argument arguments[4] = {
        tilec_buffer(TILEC_F32, x, 1, shape), tilec_buffer(TILEC_F32, out, 1, shape),
        tilec_buffer(TILEC_I32, &count, 1, one), tilec_int(TILEC_I32, N)};
    const char *const names[] = {"X", "Out", "Count", "n"};
    for (int i = 0; i < 4; i++)
        arguments[i].name = names[i];
    const tilec_define fixed = {"n", "131072"};
    for (int way = GIVEN; way < WAYS; way++) {
        tilec_program *program;
        tilec_kernel *kernel;
        tilec_tuning *tuning;
        tilec_source source = {.size = sizeof source,
                               .path = "take.tile.c",
                               .text = kernel_text,
                               .defines = &fixed,
                               .define_count = way == DEFINED};
        tilec_compile_options compiling = {
            .size = sizeof compiling, .constants = &fixed, .constant_count = way == CONSTANT};
        tilec_autotune_options tune = {.size = sizeof tune, .threads = 1, .seconds = 0.05};
        assert_int_equal(tilec_program_create(context, &source, &program), TILEC_OK);
        assert_int_equal(tilec_program_autotune(program, &compiling, arguments,
                                                way == GIVEN ? 4 : 3, &tune, &kernel, &tuning),
                         TILEC_OK);
        tilec_candidate c;
        size_t candidates = 0;
        for (; tilec_tuning_get(tuning, candidates, &c) == TILEC_OK; candidates++)
            if (c.error)
                fail_msg("candidate %zu: %s", candidates, c.error);
        assert_int_equal(candidates, 2);
        assert_int_equal(count, 0);
        tilec_tuning_destroy(tuning);
        tilec_kernel_destroy(kernel);
        tilec_program_destroy(program);
    }
    tilec_context_destroy(context);
    free(x);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fastest_is_chosen),
        cmocka_unit_test(choice_is_stored),
        cmocka_unit_test(default_stays),
        cmocka_unit_test(undecided_is_not_stored),
        cmocka_unit_test(unmet_requirement),
        cmocka_unit_test(interpreter_decides),
        cmocka_unit_test(counters_start_anew),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(too_many),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
