/*
 * Calls that C lets through and the interface refuses: arrays without entries, entries that are
 * NULL, counts and ranks that nothing can have, thousands of threads. Whatever takes compile
 * options refuses the same ones, and tuning refuses the arguments that a launch refuses, with the
 * same words.
 */
#define TILEC_EXPERIMENTAL
#include <tilec/tilec.h>

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../skip.h"

enum { ELEMENTS = 1000 };

static const char text[] =
    "launch_grid(twice, cdiv(n, BLOCK));\n"
    "tune(twice, BLOCK, 16, 32);\n"
    "kernel void twice(const float *X, float *Y, int n, constexpr int BLOCK)\n"
    "{\n"
    "    int i = program_id(0) * BLOCK + arange(0, BLOCK);\n"
    "    store(Y + i, 2.0f * load(X + i, i < n), i < n);\n"
    "}\n";

static tilec_context *context;
static tilec_program *program;
static const char *target = "cpu"; /* where there is one */
static float x[ELEMENTS], y[ELEMENTS];

static int set_up(void **state)
{
    (void)state;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_source source = {.size = sizeof source, .path = "twice.tile.c", .text = text};
    tilec_device device;
    if (tilec_context_create(&options, &context) != TILEC_OK ||
        tilec_program_create(context, &source, &program) != TILEC_OK)
        return 1;
    if (tilec_device_get(context, 0, &device) == TILEC_OK && !device.available)
        target = "interp";
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tilec_program_destroy(program);
    tilec_context_destroy(context);
    return 0;
}

static const char *message(void)
{
    tilec_diagnostic diagnostic;
    assert_int_equal(tilec_diagnostic_get(context, 0, &diagnostic), TILEC_OK);
    return diagnostic.message;
}

static tilec_kernel *compile(const char *where)
{
    tilec_define block = {"BLOCK", "16"};
    tilec_compile_options options = {
        .size = sizeof options, .target = where, .constants = &block, .constant_count = 1};
    tilec_kernel *kernel;
    assert_int_equal(tilec_program_compile(program, &options, &kernel), TILEC_OK);
    return kernel;
}

static void good_arguments(tilec_argument arguments[3])
{
    arguments[0] = tilec_array(TILEC_F32, x, ELEMENTS);
    arguments[1] = tilec_array(TILEC_F32, y, ELEMENTS);
    arguments[2] = tilec_int(TILEC_I32, ELEMENTS);
}

/* ---- compile options ------------------------------------------------------------------------- */

static tilec_status try_compile(const tilec_compile_options *options)
{
    tilec_kernel *kernel;
    tilec_status status = tilec_program_compile(program, options, &kernel);
    assert_true(!kernel == (status != TILEC_OK));
    tilec_kernel_destroy(kernel);
    return status;
}

static tilec_status try_emit(const tilec_compile_options *options)
{
    char *made;
    tilec_status status = tilec_emit(program, options, TILEC_STAGE_TILE, &made, NULL);
    assert_true(!made == (status != TILEC_OK));
    tilec_release(context, made);
    return status;
}

static tilec_status try_explain(const tilec_compile_options *options)
{
    char *made;
    tilec_status status = tilec_explain(program, options, TILEC_REPORT_TEXT, &made, NULL);
    assert_true(!made == (status != TILEC_OK));
    tilec_release(context, made);
    return status;
}

static tilec_status try_build(const tilec_compile_options *options)
{
    tilec_built built;
    tilec_status status = tilec_build(program, options, NULL, &built);
    assert_true(!built.object == (status != TILEC_OK));
    tilec_release(context, built.object);
    tilec_release(context, built.header);
    return status;
}

static tilec_status try_tune(const tilec_compile_options *options)
{
    tilec_argument arguments[3];
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    good_arguments(arguments);
    tilec_status status =
        tilec_program_autotune(program, options, arguments, 3, NULL, &kernel, &tuning);
    assert_true(!kernel == (status != TILEC_OK) && !tuning == !kernel);
    tilec_kernel_destroy(kernel);
    tilec_tuning_destroy(tuning);
    return status;
}

static tilec_status (*const takers[])(const tilec_compile_options *) = {
    try_compile, try_emit, try_explain, try_build, try_tune};

static void options_without_entries(void **state)
{
    (void)state;
    static const char *const nothing[] = {"fold", NULL};
    static const tilec_define block = {"BLOCK", "16"}, nameless = {NULL, "16"};
    const tilec_pass_options passes[] = {
        {.size = 3},
        {.size = sizeof *passes, .off_count = 1},
        {.size = sizeof *passes, .off = nothing, .off_count = 2},
        {.size = sizeof *passes, .off = nothing, .off_count = SIZE_MAX},
        {.size = sizeof *passes, .only_count = 1},
        {.size = sizeof *passes, .only = nothing, .only_count = 2},
        {.size = sizeof *passes, .only = nothing, .only_count = (size_t)INT_MAX + 2},
    };
    enum { PASSES = sizeof passes / sizeof *passes };
    const tilec_compile_options others[] = {
        {.size = 3},
        {.constant_count = 1},
        {.constants = &nameless, .constant_count = 1},
        {.constants = &block, .constant_count = SIZE_MAX},
        {.requirement_count = 1},
        {.requirements = nothing + 1, .requirement_count = 1},
        {.requirements = nothing, .requirement_count = SIZE_MAX},
        {.aligned_count = 1},
        {.aligned = nothing + 1, .aligned_count = 1},
        {.aligned = nothing, .aligned_count = SIZE_MAX},
    };
    enum { OTHERS = sizeof others / sizeof *others, TAKERS = sizeof takers / sizeof *takers };
    for (size_t i = 0; i < OTHERS + PASSES; i++) {
        tilec_compile_options options = {.constants = &block, .constant_count = 1};
        if (i < OTHERS)
            options = others[i];
        else
            options.passes = &passes[i - OTHERS];
        options.size = options.size ? options.size : sizeof options;
        for (size_t t = 0; t < TAKERS; t++) {
            assert_int_equal(takers[t](&options), TILEC_ERROR_INVALID);
            assert_string_equal(
                message(), "the compile options have a bad size, or an array without its entries");
        }
    }
}

static void unknown_numbers(void **state)
{
    (void)state;
    tilec_define block = {"BLOCK", "16"};
    tilec_compile_options options = {
        .size = sizeof options, .target = "cuda", .constants = &block, .constant_count = 1};
    static const int wrong[] = {-1, TILEC_FORM_TEXT + 1, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tilec_build_options build = {.size = sizeof build, .form = (tilec_form)wrong[i]};
        tilec_built built;
        assert_int_equal(tilec_build(program, &options, &build, &built), TILEC_ERROR_INVALID);
        assert_string_equal(message(), "unknown form");
        assert_null(built.object);
    }
}

/* Whoever asks why a call failed is told of that call, not of the one before it. */
static void nowhere_to_put_results(void **state)
{
    (void)state;
    tilec_kernel *kernel = compile("interp"), *none;
    tilec_source source = {.size = sizeof source, .path = "twice.tile.c", .text = text};
    tilec_argument arguments[3];
    tilec_device device;
    tilec_tuning *tuning;
    tilec_value *chosen;
    char *made;
    size_t count;
    good_arguments(arguments);
    for (int i = 0; i < 16; i++) {
        tilec_program *other;
        const tilec_source missing = {.size = sizeof missing, .path = "/nonexistent.tile.c"};
        assert_int_equal(tilec_program_create(context, &missing, &other), TILEC_ERROR_IO);
        tilec_status status =
            i == 0    ? tilec_program_create(context, &source, NULL)
            : i == 1  ? tilec_program_compile(program, NULL, NULL)
            : i == 2  ? tilec_compile(context, &source, NULL, NULL)
            : i == 3  ? tilec_emit(program, NULL, TILEC_STAGE_TILE, NULL, &count)
            : i == 4  ? tilec_explain(program, NULL, TILEC_REPORT_TEXT, NULL, &count)
            : i == 5  ? tilec_build(program, NULL, NULL, NULL)
            : i == 6  ? tilec_kernel_grid(kernel, arguments, 3, NULL)
            : i == 7  ? tilec_prepare(kernel, NULL, arguments, 3, NULL, NULL)
            : i == 8  ? tilec_device_get(context, 0, NULL)
            : i == 9  ? tilec_program_tune(program, NULL, NULL, 0, NULL, &count)
            : i == 10 ? tilec_program_tune(program, NULL, NULL, 0, &chosen, NULL)
            : i == 11 ? tilec_program_autotune(program, NULL, arguments, 3, NULL, NULL, &tuning)
            : i == 12 ? tilec_program_autotune(program, NULL, arguments, 3, NULL, &none, NULL)
            : i == 13 ? tilec_kernel_grid(kernel, NULL, 3, (int64_t[3]){0})
            : i == 14 ? tilec_device_get(context, 99, &device)
                      : tilec_explain(program, NULL, (tilec_report_form)9, &made, &count);
        assert_int_equal(status, TILEC_ERROR_INVALID);
        assert_string_equal(message(), i == 13   ? "the array of arguments is NULL"
                                       : i == 14 ? "there is no device number 99"
                                       : i == 15 ? "unknown form"
                                                 : "a pointer that the function needs is NULL");
    }
    tilec_kernel_destroy(kernel);
}

/* A constant without a value is 1, and the report says so. */
static void constant_without_value(void **state)
{
    (void)state;
    tilec_define block = {"BLOCK", NULL};
    tilec_compile_options options = {
        .size = sizeof options, .target = "interp", .constants = &block, .constant_count = 1};
    char *made;
    assert_int_equal(tilec_explain(program, &options, TILEC_REPORT_JSON, &made, NULL), TILEC_OK);
    const char *constants = strstr(made, "\"BLOCK\"");
    assert_non_null(constants);
    assert_int_equal(constants[strcspn(constants, "0123456789")], '1');
    tilec_release(context, made);
}

static void values_without_names(void **state)
{
    (void)state;
    tilec_value known[] = {{"n", 5}, {NULL, 1}}, *chosen;
    size_t count;
    assert_int_equal(tilec_program_tune(program, NULL, known, 2, &chosen, &count),
                     TILEC_ERROR_INVALID);
    assert_null(chosen);
    assert_int_equal(tilec_program_tune(program, NULL, NULL, 1, &chosen, &count),
                     TILEC_ERROR_INVALID);
    assert_int_equal(tilec_program_tune(program, NULL, known, 1, &chosen, &count), TILEC_OK);
    assert_int_equal(count, 1);
    tilec_release(context, chosen);
}

/* ---- sizes of structs --------------------------------------------------------------------------
 */

/* Each takes one of the structs that begin with their size, zero or garbage behind it. */

static tilec_status take_context(void *given)
{
    tilec_context *other;
    tilec_status status = tilec_context_create(given, &other);
    tilec_context_destroy(other);
    return status;
}

static tilec_status take_source(void *given)
{
    tilec_program *other;
    tilec_status status = tilec_program_create(context, given, &other);
    tilec_program_destroy(other);
    return status;
}

static tilec_status take_compile(void *given)
{
    return try_emit(given);
}

static tilec_status take_passes(void *given)
{
    tilec_define block = {"BLOCK", "16"};
    return try_emit(&(tilec_compile_options){.size = sizeof(tilec_compile_options),
                                             .constants = &block,
                                             .constant_count = 1,
                                             .passes = given});
}

static tilec_status take_build(void *given)
{
    tilec_built built;
    tilec_status status = tilec_build(program, NULL, given, &built);
    tilec_release(context, built.object);
    tilec_release(context, built.header);
    return status;
}

static tilec_status take_launch(void *given)
{
    tilec_argument arguments[3];
    tilec_kernel *kernel = compile("interp");
    good_arguments(arguments);
    tilec_status status = tilec_launch(kernel, NULL, arguments, 3, given);
    tilec_kernel_destroy(kernel);
    return status;
}

static tilec_status take_info(void *given)
{
    tilec_kernel *kernel = compile("interp");
    tilec_status status = tilec_kernel_get_info(kernel, given);
    tilec_kernel_destroy(kernel);
    return status;
}

static tilec_status take_tuning(void *given)
{
    tilec_argument arguments[3];
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    good_arguments(arguments);
    tilec_status status =
        tilec_program_autotune(program, NULL, arguments, 3, given, &kernel, &tuning);
    tilec_kernel_destroy(kernel);
    tilec_tuning_destroy(tuning);
    return status;
}

/* A size that ends within a field is refused before anything behind it is looked at: half of a
 * pointer is none. */
static void sizes_that_no_struct_has(void **state)
{
    (void)state;
    static tilec_status (*const take[])(void *) = {take_context, take_source, take_compile,
                                                   take_passes,  take_build,  take_launch,
                                                   take_info,    take_tuning};
    enum { BYTES = 8192 };
    static union {
        size_t size;
        unsigned char bytes[BYTES];
    } given;
    for (size_t i = 0; i < sizeof take / sizeof *take; i++) {
        for (size_t size = 0; size < 300; size++) {
            memset(given.bytes, 0x41, BYTES);
            given.size = size;
            if (size == 0 || size % sizeof(size_t) != 0)
                assert_int_equal(take[i](&given), TILEC_ERROR_INVALID);
        }
    }
    memset(given.bytes, 0, BYTES); /* of an older header, of ours, of a newer one */
    for (given.size = sizeof(size_t); given.size <= 256; given.size += sizeof(size_t)) {
        assert_int_equal(take_context(&given), TILEC_OK);
        assert_int_equal(take_passes(&given), TILEC_OK);
        assert_int_equal(take_launch(&given), TILEC_OK);
    }
}

/* ---- arguments ------------------------------------------------------------------------------- */

static const int64_t one[TILEC_MAX_RANK + 1] = {ELEMENTS, 1, 1, 1, 1, 1, 1, 1, 1};
static const int64_t huge[2] = {(int64_t)1 << 33, (int64_t)1 << 33}, wide[1] = {(int64_t)1 << 62},
                     negative[2] = {-10, -100}, least[1] = {INT64_MIN};

static const struct {
    int rank;
    const int64_t *shape;
} wrong_shapes[] = {{1, NULL},
                    {TILEC_MAX_RANK, NULL},
                    {TILEC_MAX_RANK + 1, one},
                    {INT_MAX, one},
                    {INT_MIN, one},
                    {-2, one},
                    {2, huge},
                    {1, wide},
                    {2, negative},
                    {1, least}};

/* Number n of what can be wrong with an argument; false: there are no more. */
static bool spoil(tilec_argument *argument, size_t n)
{
    enum { SHAPES = sizeof wrong_shapes / sizeof *wrong_shapes };
    if (n < SHAPES) {
        argument->rank = wrong_shapes[n].rank;
        argument->shape = wrong_shapes[n].shape;
        return true;
    }
    switch (n - SHAPES) {
    case 0:
        argument->data = NULL;
        return true;
    case 1:
        argument->data = (char *)argument->data + 1;
        return true;
    case 2:
        argument->elements = ELEMENTS - 1;
        return true;
    case 3: /* an array of bytes: there are no more of them */
        argument->type = TILEC_I8;
        return true;
    case 4:
        argument->type = (tilec_type)99;
        return true;
    case 5:
        argument->kind = (tilec_parameter_kind)77;
        return true;
    case 6:
        *argument = tilec_int(TILEC_I32, 5);
        return true;
    default:
        return false;
    }
}

/* Each array in turn. The interpreter looks at accesses, not at what a launch needs. */
static void no_launch_takes(const char *where)
{
    tilec_compile_options options = {.size = sizeof options, .target = where};
    tilec_kernel *standard = compile(where), *kernel;
    tilec_tuning *tuning;
    tilec_argument arguments[3];
    for (size_t n = 0;; n++) {
        for (int which = 0; which < 2; which++) {
            char expected[200];
            good_arguments(arguments);
            if (!spoil(&arguments[which], n)) {
                assert_true(n > 10);
                tilec_kernel_destroy(standard);
                return;
            }
            tilec_status status = tilec_launch(standard, NULL, arguments, 3, NULL);
            bool faults = strcmp(where, "interp") == 0 && arguments[which].elements == ELEMENTS - 1;
            assert_int_equal(status, faults ? TILEC_ERROR_FAULT : TILEC_ERROR_ARGUMENT);
            strncpy(expected, message(), sizeof expected - 1);
            expected[sizeof expected - 1] = '\0';
            if (strcmp(where, "cpu") != 0)
                continue; /* nothing else is tuned without a GPU */
            assert_int_equal(
                tilec_program_autotune(program, &options, arguments, 3, NULL, &kernel, &tuning),
                status);
            assert_string_equal(message(), expected);
            assert_null(kernel);
            assert_null(tuning);
        }
    }
}

/* On every build on the interpreter as well, which is all that some have. */
static void arguments_that_no_launch_takes(void **state)
{
    (void)state;
    no_launch_takes("interp");
    if (strcmp(target, "interp") != 0)
        no_launch_takes(target);
}

static void tuning_what_is_not_there(void **state)
{
    (void)state;
    tilec_compile_options options = {.size = sizeof options, .kernel = "thrice"};
    tilec_autotune_options tune = {.size = 3};
    tilec_argument arguments[3];
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    good_arguments(arguments);
    assert_int_equal(
        tilec_program_autotune(program, &options, arguments, 3, NULL, &kernel, &tuning),
        TILEC_ERROR_NOT_FOUND);
    assert_string_equal(message(), "there is no kernel 'thrice'");
    assert_int_equal(tilec_program_autotune(program, NULL, arguments, 3, &tune, &kernel, &tuning),
                     TILEC_ERROR_INVALID);
    assert_string_equal(message(), "bad tuning options");
}

/* ---- arrays that overlap --------------------------------------------------------------------- */

static const char doubles[] =
    "launch_grid(apart, cdiv(n, 16));\n"
    "launch_grid(in_place, cdiv(n, 16));\n"
    "kernel void apart(const float *X, float *restrict Y, int n)\n"
    "{\n"
    "    int i = program_id(0) * 16 + arange(0, 16);\n"
    "    store(Y + i, 2.0f * load(X + i, i < n), i < n);\n"
    "}\n"
    "kernel void in_place(const float *X, float *Y, int n)\n"
    "{\n"
    "    int i = program_id(0) * 16 + arange(0, 16);\n"
    "    store(Y + i, 2.0f * load(X + i, i < n), i < n);\n"
    "}\n"
    "kernel void sum_of_two(const float *restrict X, const float *restrict Y,\n"
    "                       float *Z, int n)\n"
    "{\n"
    "    store(Z + program_id(0), X[n] + Y[n]);\n"
    "}\n";

static const char *const everywhere[] = {"cpu", "interp", "msl-host"};

static tilec_kernel *compile_double(tilec_context *own, const char *where, const char *name)
{
    tilec_source source = {.size = sizeof source, .path = "doubles.tile.c", .text = doubles};
    tilec_compile_options options = {.size = sizeof options, .target = where, .kernel = name};
    tilec_kernel *kernel;
    tilec_status status = tilec_compile(own, &source, &options, &kernel);
    assert_true(status == TILEC_OK || status == TILEC_ERROR_TARGET);
    return kernel;
}

/* By where Y begins in the array that X begins: whether they share an element. */
static void overlapping_where_restrict(void **state)
{
    (void)state;
    enum { N = 40, BEFORE = 100 };
    static const struct {
        int at;
        bool shared;
    } places[] = {{0, true},      {1, true},  {-1, true},  {N - 1, true},
                  {-N + 1, true}, {N, false}, {-N, false}, {2 * N, false}};
    for (size_t t = 0; t < sizeof everywhere / sizeof *everywhere; t++) {
        tilec_kernel *kernel = compile_double(context, everywhere[t], "apart");
        for (size_t p = 0; kernel && p < sizeof places / sizeof *places; p++) {
            tilec_prepared *prepared;
            tilec_argument arguments[] = {tilec_array(TILEC_F32, x + BEFORE, N),
                                          tilec_array(TILEC_F32, x + BEFORE + places[p].at, N),
                                          tilec_int(TILEC_I32, N)};
            tilec_status expected = places[p].shared ? TILEC_ERROR_ARGUMENT : TILEC_OK;
            for (int i = 0; i < ELEMENTS; i++)
                x[i] = (float)i;
            assert_int_equal(tilec_launch(kernel, NULL, arguments, 3, NULL), expected);
            if (places[p].shared) {
                assert_string_equal(message(), "kernel 'apart': arrays 'Y' and 'X' overlap, but "
                                               "'Y' is restrict");
                for (int i = 0; i < ELEMENTS; i++)
                    assert_true(x[i] == (float)i);
            }
            assert_int_equal(tilec_prepare(kernel, NULL, arguments, 3, NULL, &prepared), expected);
            tilec_prepared_destroy(prepared);
            arguments[1].elements = 0; /* nothing shares anything with no element */
            arguments[2] = tilec_int(TILEC_I32, 0);
            assert_int_equal(tilec_launch(kernel, NULL, arguments, 3, NULL), TILEC_OK);
        }
        tilec_kernel_destroy(kernel);
    }
}

/* Without restrict an array may be written over itself, and what is only read may overlap anyhow.
 */
static void in_place_without_restrict(void **state)
{
    (void)state;
    const int64_t grid[3] = {1, 1, 1};
    for (size_t t = 0; t < sizeof everywhere / sizeof *everywhere; t++) {
        tilec_kernel *kernel = compile_double(context, everywhere[t], "in_place");
        tilec_argument arguments[] = {tilec_array(TILEC_F32, x, ELEMENTS),
                                      tilec_array(TILEC_F32, x, ELEMENTS),
                                      tilec_int(TILEC_I32, ELEMENTS),
                                      {0}};
        for (int i = 0; i < ELEMENTS; i++)
            x[i] = (float)i;
        if (kernel)
            assert_int_equal(tilec_launch(kernel, NULL, arguments, 3, NULL), TILEC_OK);
        for (int i = 0; kernel && i < ELEMENTS; i++)
            assert_true(x[i] == 2 * (float)i);
        tilec_kernel_destroy(kernel);
        kernel = compile_double(context, everywhere[t], "sum_of_two");
        arguments[2] = tilec_array(TILEC_F32, y, ELEMENTS);
        arguments[3] = tilec_int(TILEC_I32, 7);
        x[7] = 3;
        if (kernel)
            assert_int_equal(tilec_launch(kernel, grid, arguments, 4, NULL), TILEC_OK);
        assert_true(!kernel || y[0] == 6);
        tilec_kernel_destroy(kernel);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t held, most;

static void *count_allocate(void *user, size_t bytes)
{
    (void)user;
    max_align_t *block = malloc(bytes + sizeof *block);
    if (!block)
        return NULL;
    *(size_t *)block = bytes;
    held += bytes;
    most = held > most ? held : most;
    return block + 1;
}

static void count_release(void *user, void *memory)
{
    (void)user;
    max_align_t *block = (max_align_t *)memory - 1;
    held -= *(size_t *)block;
    free(block);
}

/* Thousands of combinations, none of which fits, are gone through in the memory of one. */
static void tune_lines_by_the_thousand(void **state)
{
    (void)state;
#ifdef TILEC_TINY_LIMITS
    SKIP("tiny limits take no 30 parameters");
#endif
    enum { LINES = 30 };
    static char lines[20000];
    size_t used = 0;
    for (int i = 0; i < LINES; i++)
        used += (size_t)snprintf(lines + used, sizeof lines - used,
                                 "tune(k, B%d, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);\n", i);
    used +=
        (size_t)snprintf(lines + used, sizeof lines - used,
                         "launch_require(k, B0 + B29 > 100, \"none\");\nkernel void k(float *X");
    for (int i = 0; i < LINES; i++)
        used += (size_t)snprintf(lines + used, sizeof lines - used, ", constexpr int B%d", i);
    snprintf(lines + used, sizeof lines - used, ")\n{\n    store(X, cast(float, B0));\n}\n");
    tilec_context_options own = {.size = sizeof own,
                                 .cache_directory = "",
                                 .allocate = count_allocate,
                                 .release = count_release};
    tilec_source source = {.size = sizeof source, .path = "k.tile.c", .text = lines};
    tilec_context *counted;
    tilec_program *many;
    tilec_value *chosen;
    size_t count;
    assert_int_equal(tilec_context_create(&own, &counted), TILEC_OK);
    assert_int_equal(tilec_program_create(counted, &source, &many), TILEC_OK);
    most = held;
    size_t before = held;
    assert_int_equal(tilec_program_tune(many, NULL, NULL, 0, &chosen, &count), TILEC_OK);
    assert_int_equal(count, LINES);
    assert_true(most - before < (size_t)4 << 20);
    tilec_release(counted, chosen);
    tilec_program_destroy(many);
    tilec_context_destroy(counted);
    assert_int_equal(held, 0);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* OpenMP ends a process that it cannot give its threads; so many programs could each have one. */
static void thousands_of_threads(void **state)
{
    (void)state;
    enum { MANY = 1 << 20 };
    static const int counts[] = {100000, INT_MAX};
    float *in = calloc(MANY, sizeof *in), *out = calloc(MANY, sizeof *out);
    tilec_source source = {.size = sizeof source, .path = "twice.tile.c", .text = text};
    tilec_define block = {"BLOCK", "16"};
    tilec_compile_options options = {
        .size = sizeof options, .target = target, .constants = &block, .constant_count = 1};
    int many = strcmp(target, "cpu") == 0 ? MANY : ELEMENTS; /* the interpreter has one thread */
    assert_true(in && out);
    for (int i = 0; i < many; i++)
        in[i] = (float)i;
    tilec_argument arguments[] = {tilec_array(TILEC_F32, in, MANY),
                                  tilec_array(TILEC_F32, out, MANY), tilec_int(TILEC_I32, many)};
    for (size_t i = 0; i < 2 * sizeof counts / sizeof *counts; i++) {
        tilec_context_options own = {.size = sizeof own, .cache_directory = ""};
        tilec_launch_options launch = {.size = sizeof launch};
        tilec_context *threaded;
        tilec_kernel *kernel;
        *(i % 2 ? &own.threads : &launch.threads) = counts[i / 2];
        assert_int_equal(tilec_context_create(&own, &threaded), TILEC_OK);
        assert_int_equal(tilec_compile(threaded, &source, &options, &kernel), TILEC_OK);
        for (int round = 0; round < 3; round++)
            assert_int_equal(tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
        for (int e = 0; e < many; e++)
            assert_true(out[e] == 2 * in[e]);
        memset(out, 0, MANY * sizeof *out);
        tilec_kernel_destroy(kernel);
        tilec_context_destroy(threaded);
    }
    free(in);
    free(out);
}

/* ---- destroyed during a call ----------------------------------------------------------------- */

/* Memory functions that make what was released useless at once. */
static void *allocate_marked(void *user, size_t bytes)
{
    (void)user;
    size_t *block = malloc(bytes + 16);
    if (!block)
        return NULL;
    *block = bytes;
    return block + 2;
}

static void release_marked(void *user, void *memory)
{
    (void)user;
    size_t *block = (size_t *)memory - 2;
    memset(memory, 0xdd, *block);
    free(block);
}

static const char printing[] = "launch_grid(speak, 1);\n"
                               "kernel void speak(const float *X, float *Y)\n"
                               "{\n"
                               "    tile_print(\"x\", X[0]);\n"
                               "    store(Y, 2.0f * X[0]);\n"
                               "}\n";

static sem_t speaks;

/* Says that the launch has begun, and gives the other thread time to destroy. */
static void speak(void *user, const char *given, size_t length)
{
    (void)user, (void)given, (void)length;
    sem_post(&speaks);
    usleep(30000);
}

static void *launch_speaking(void *kernel)
{
    static float in = 21, out;
    out = 0;
    tilec_launch_options options = {.size = sizeof options, .print = speak};
    tilec_argument arguments[] = {tilec_array(TILEC_F32, &in, 1), tilec_array(TILEC_F32, &out, 1)};
    tilec_status status = tilec_launch(kernel, NULL, arguments, 2, &options);
    return status == TILEC_OK && out == 42 ? kernel : NULL;
}

static void destroyed_during_a_launch(void **state)
{
    (void)state;
    const char *targets[] = {"interp", target};
    for (size_t i = 0; i < 2; i++) {
        tilec_context_options own = {.size = sizeof own,
                                     .cache_directory = "",
                                     .allocate = allocate_marked,
                                     .release = release_marked};
        tilec_source source = {.size = sizeof source, .path = "speak.tile.c", .text = printing};
        tilec_compile_options options = {.size = sizeof options, .target = targets[i]};
        tilec_context *shared;
        tilec_program *spoken;
        tilec_kernel *kernel;
        pthread_t thread;
        void *worked;
        assert_int_equal(tilec_context_create(&own, &shared), TILEC_OK);
        assert_int_equal(tilec_program_create(shared, &source, &spoken), TILEC_OK);
        assert_int_equal(tilec_program_compile(spoken, &options, &kernel), TILEC_OK);
        sem_init(&speaks, 0, 0);
        assert_int_equal(pthread_create(&thread, NULL, launch_speaking, kernel), 0);
        sem_wait(&speaks);
        tilec_context_destroy(shared);
        tilec_program_destroy(spoken);
        tilec_kernel_destroy(kernel);
        pthread_join(thread, &worked);
        sem_destroy(&speaks);
        assert_non_null(worked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_without_entries),
        cmocka_unit_test(sizes_that_no_struct_has),
        cmocka_unit_test(unknown_numbers),
        cmocka_unit_test(nowhere_to_put_results),
        cmocka_unit_test(constant_without_value),
        cmocka_unit_test(values_without_names),
        cmocka_unit_test(arguments_that_no_launch_takes),
        cmocka_unit_test(tuning_what_is_not_there),
        cmocka_unit_test(overlapping_where_restrict),
        cmocka_unit_test(in_place_without_restrict),
        cmocka_unit_test(tune_lines_by_the_thousand),
        cmocka_unit_test(thousands_of_threads),
        cmocka_unit_test(destroyed_during_a_launch),
    };
    return RUN_TESTS(tests, set_up, tear_down);
}
