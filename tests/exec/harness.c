/* See harness.h. */
#include "harness.h"

#include "base/half.h"

#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../pages.h"
#include "../skip.h"
#include "../variants.h"

enum { MAX_ARGUMENTS = 16 };

struct array {
    char role[8];
    tilec_type type;
    int64_t count, shape[EXEC_MAX_RANK];
    int rank;
    unsigned char *data; /* between pages that cannot be touched */
};

struct run {
    const struct exec_case *c;
    const char *target, *storage;
    struct exec_problem problem;
    struct array arrays[EXEC_MAX_ARRAYS];
    int array_count;
    tilec_argument arguments[MAX_ARGUMENTS];
    size_t argument_count;
    enum pages_place place;
    tilec_context *context;
};

/* ---- elements ------------------------------------------------------------------------------ */

static double get(const struct array *a, int64_t i)
{
    const void *p = a->data + (size_t)i * tilec_type_size(a->type);
    switch (a->type) {
    case TILEC_F16:
        return half_to_float(*(const uint16_t *)p);
    case TILEC_BF16:
        return bfloat_to_float(*(const uint16_t *)p);
    case TILEC_F32:
        return *(const float *)p;
    case TILEC_F64:
        return *(const double *)p;
    case TILEC_I8:
        return *(const int8_t *)p;
    case TILEC_U8:
    case TILEC_BOOL:
        return *(const uint8_t *)p;
    case TILEC_I16:
        return *(const int16_t *)p;
    case TILEC_U16:
        return *(const uint16_t *)p;
    case TILEC_I32:
        return *(const int32_t *)p;
    case TILEC_U32:
        return *(const uint32_t *)p;
    case TILEC_I64:
        return (double)*(const int64_t *)p;
    case TILEC_U64:
        return (double)*(const uint64_t *)p;
    }
    return NAN;
}

static void set(struct array *a, int64_t i, double value)
{
    void *p = a->data + (size_t)i * tilec_type_size(a->type);
    switch (a->type) {
    case TILEC_F16:
        *(uint16_t *)p = half_from_double(value);
        return;
    case TILEC_BF16:
        *(uint16_t *)p = bfloat_from_double(value);
        return;
    case TILEC_F32:
        *(float *)p = (float)value;
        return;
    case TILEC_F64:
        *(double *)p = value;
        return;
    default: { /* integers: the low bytes of the two's complement (little endian) */
        int64_t integer = (int64_t)value;
        memcpy(p, &integer, tilec_type_size(a->type));
    }
    }
}

/* Repeatable; the low digits of the result are not all zero, so that rounding is exercised. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void fill(struct array *a, const struct exec_problem *problem, uint32_t seed)
{
    int64_t bins = problem->size[1];
    for (int64_t i = 0; i < a->count; i++) {
        double unit = (double)next_random(&seed) / (1 << 24);
        double value = unit * 6 - 3;
        if (!strcmp(a->role, "score")) /* every second row far from 0: only differences matter */
            value += (double)(i / a->shape[a->rank - 1] % 2 * 4096);
        if (!strcmp(a->role, "label"))
            value = floor(unit * (double)(bins + 2)) - 1;
        else if (!strcmp(a->role, "bin"))
            value = floor(unit * (double)(bins + 3)) - 2;
        else if (!strcmp(a->role, "change"))
            value = fabs(value);
        else if (a->type < TILEC_F16)
            value = floor(unit * 100) - (a->type >= TILEC_U8 ? 0 : 50); /* sums fit in 8 bits */
        set(a, i, value);
    }
}

/* ---- arguments ----------------------------------------------------------------------------- */

static void add_array(struct run *run, char *token)
{
    struct array *a = &run->arrays[run->array_count++];
    char *save, *name = strtok_r(token, ":", &save);
    const char *type = strtok_r(NULL, ":", &save), *dimensions = strtok_r(NULL, ":", &save);
    (void)name;
    snprintf(a->role, sizeof a->role, "%s", strtok_r(NULL, ":", &save));
    assert_int_equal(tilec_type_find(strcmp(type, "T") ? type : run->storage, &a->type), TILEC_OK);
    a->count = 1;
    assert_true(strlen(dimensions) <= EXEC_MAX_RANK);
    for (const char *d = dimensions; *d; d++)
        a->count *= a->shape[a->rank++] = run->problem.size[*d - 'a'];
    size_t size = tilec_type_size(a->type), bytes = (size_t)a->count * size;
    a->data = pages_new(bytes, run->place); /* PAGES_FILL is NaN in every floating type */
    assert_non_null(a->data);
    if (!strcmp(a->role, "add"))
        memset(a->data, 0, bytes);
    else if (strcmp(a->role, "out") != 0)
        fill(a, &run->problem, (uint32_t)run->array_count * 7919u);
    run->arguments[run->argument_count++] = tilec_buffer(a->type, a->data, a->rank, a->shape);
}

static void add_arguments(struct run *run)
{
    char *text = strdup(run->c->arguments), *save, *mark;
    for (char *t = strtok_r(text, " ", &save); t; t = strtok_r(NULL, " ", &save)) {
        if ((mark = strchr(t, '=')))
            run->arguments[run->argument_count++] = tilec_int(
                TILEC_I32, mark[1] <= '9' ? mark[1] - '0' : run->problem.size[mark[1] - 'a']);
        else if ((mark = strchr(t, '~')))
            run->arguments[run->argument_count++] = tilec_float(TILEC_F32, atof(mark + 1));
        else
            add_array(run, t);
    }
    free(text);
}

/* ---- running ------------------------------------------------------------------------------- */

static void check_status(struct run *run, tilec_status status, const char *what)
{
    if (status == TILEC_OK)
        return;
    for (size_t i = 0; i < tilec_diagnostic_count(run->context); i++) {
        tilec_diagnostic d;
        if (tilec_diagnostic_get(run->context, i, &d) == TILEC_OK)
            print_error("%s", d.text);
    }
    fail_msg("%s of %s (%s, %s): %s", what, run->c->kernel, run->target, run->storage,
             tilec_status_string(status));
}

/* What -D fixes the scalars at; as text for the case's arguments, which it cuts. */
static size_t fix_scalars(const struct run *run, char *text, char (*values)[32],
                          tilec_define *defines)
{
    size_t count = 0;
    char *save;
    for (char *t = strtok_r(text, " ", &save); t; t = strtok_r(NULL, " ", &save)) {
        char *mark = strpbrk(t, "=~");
        if (!mark || strchr(t, ':'))
            continue;
        if (*mark == '~')
            snprintf(values[count], sizeof values[count], "%s", mark + 1);
        else
            snprintf(
                values[count], sizeof values[count], "%lld",
                (long long)(mark[1] <= '9' ? mark[1] - '0' : run->problem.size[mark[1] - 'a']));
        *mark = '\0';
        defines[count] = (tilec_define){t, values[count]};
        count++;
    }
    return count;
}

/* One of the two; all the code that the CPU backend may make for the target "cpu-variants". */
struct compiled {
    tilec_kernel *kernel;
    struct variants *variants;
    int64_t width; /* the constant that it was made for, if any */
};

static void release(struct compiled *compiled)
{
    tilec_kernel_destroy(compiled->kernel);
    variants_free(compiled->variants);
    *compiled = (struct compiled){0};
}

static bool is_variants(const char *target)
{
    return strcmp(target, "cpu-variants") == 0;
}

/* fixed: with all scalars known. */
static struct compiled compile(struct run *run, const char *blocks, bool fixed)
{
    static const char *const storage_names[][2] = {
        {"f16", "half"},   {"bf16", "bfloat"},  {"f32", "float"},    {"f64", "double"},
        {"i8", "int8_t"},  {"i16", "int16_t"},  {"i32", "int32_t"},  {"i64", "int64_t"},
        {"u8", "uint8_t"}, {"u16", "uint16_t"}, {"u32", "uint32_t"}, {"u64", "uint64_t"}};
    tilec_define defines[8 + MAX_ARGUMENTS] = {{"T", "float"}};
    char *scalars = strdup(run->c->arguments), values[MAX_ARGUMENTS][32];
    size_t count = 1;
    for (size_t i = 0; i < sizeof storage_names / sizeof *storage_names; i++)
        if (!strcmp(storage_names[i][0], run->storage))
            defines[0].value = storage_names[i][1];
    char *text = strdup(blocks), *save, power[32];
    for (char *t = strtok_r(text, " ", &save); t; t = strtok_r(NULL, " ", &save)) {
        char *mark = strchr(t, '=');
        *mark = '\0';
        defines[count].name = t;
        defines[count++].value = mark + 1;
        if (!strcmp(mark + 1, "pow2")) {
            int64_t p = 1;
            while (p < run->problem.size[1])
                p *= 2;
            snprintf(power, sizeof power, "%lld", (long long)p);
            defines[count - 1].value = power;
        }
    }
    if (fixed)
        count += fix_scalars(run, scalars, values, &defines[count]);
    tilec_source source = {
        .size = sizeof source, .path = run->c->file, .defines = defines, .define_count = count};
    const char *requirement = getenv("EXEC_REQUIRE"); /* of all kernels, such as "threads=64" */
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = run->c->kernel,
                                     .target = is_variants(run->target) ? "cpu" : run->target,
                                     .requirements = &requirement,
                                     .requirement_count = requirement != NULL};
    struct compiled made = {0};
    if (is_variants(run->target))
        made.variants = variants_make(run->context, &source, &options);
    else
        check_status(run, tilec_compile(run->context, &source, &options, &made.kernel),
                     "compiling");
    if (made.variants && made.variants->why[0])
        fail_msg("compiling of %s: %s", run->c->kernel, made.variants->why);
    free(text);
    free(scalars);
    return made;
}

static double tolerance_of(const struct exec_case *c, tilec_type type)
{
    return type == TILEC_F16    ? c->tolerance[1]
           : type == TILEC_BF16 ? c->tolerance[2]
                                : c->tolerance[0];
}

static bool close_enough(double got, double want, double tolerance)
{
    if (isnan(want))
        return isnan(got);
    if (got == want)
        return true;
    return fabs(got - want) <= tolerance * (1 + fabs(want));
}

static void compare(struct run *run, const char *blocks)
{
    for (int k = 0; k < run->array_count; k++) {
        struct array *a = &run->arrays[k];
        assert_true(pages_are_whole(a->data, (size_t)a->count * tilec_type_size(a->type)));
        if (strcmp(a->role, "out") != 0 && strcmp(a->role, "add") != 0 &&
            strcmp(a->role, "change") != 0)
            continue;
        double tolerance = tolerance_of(run->c, a->type) * run->problem.scale;
        /* The reference is rounded to the storage type where the result must be exact. */
        for (int64_t i = 0; i < a->count; i++) {
            double got = get(a, i), want = run->problem.array[k][i];
            if (!close_enough(got, want, tolerance))
                fail_msg("%s on %s, T = %s, %s, sizes %lld %lld %lld: array %d element %lld is "
                         "%.9g, expected %.9g",
                         run->c->kernel, run->target, run->storage, blocks,
                         (long long)run->problem.size[0], (long long)run->problem.size[1],
                         (long long)run->problem.size[2], k, (long long)i, got, want);
        }
    }
}

static void compute_reference(struct run *run)
{
    run->problem.scale = 1;
    for (int k = 0; k < run->array_count; k++) {
        struct array *a = &run->arrays[k];
        run->problem.array[k] = calloc((size_t)a->count + 1, sizeof(double));
        if (strcmp(a->role, "out") != 0 && strcmp(a->role, "add") != 0)
            for (int64_t i = 0; i < a->count; i++)
                run->problem.array[k][i] = get(a, i);
    }
    run->c->reference(&run->problem);
}

/* The kernel of the last shape, which serves the next one too unless its width is a constant. */
static void compile_or_keep(struct run *run, const char *blocks, struct compiled *last)
{
    int64_t width = strstr(blocks, "pow2") ? run->problem.size[1] : 0;
    if ((last->kernel || last->variants) && last->width == width)
        return;
    release(last);
    *last = compile(run, blocks, false);
    last->width = width;
}

static size_t launches;

static void launch(struct run *run, const struct compiled *made, const char *blocks)
{
    tilec_launch_options options = {
        .size = sizeof options, .thread_order = (uint64_t)run->problem.size[1], .host_buffers = 1};
    tilec_status status =
        tilec_launch(made->kernel, NULL, run->arguments, run->argument_count, &options);
    check_status(run, status, "running");
    compare(run, blocks);
    launches++;
}

/* What arrays hold, one after the other, into the copy or out of it. */
static void copy_arrays(struct run *run, unsigned char **copies, bool out)
{
    for (int k = 0; k < run->array_count; k++) {
        const struct array *a = &run->arrays[k];
        size_t bytes = (size_t)a->count * tilec_type_size(a->type);
        if (!copies[k])
            copies[k] = malloc(bytes + 1);
        assert_non_null(copies[k]);
        memcpy(out ? a->data : copies[k], out ? copies[k] : a->data, bytes);
    }
}

/* Sums of floats that programs add to depend on their order. */
static bool has_sums(const struct run *run)
{
    for (int k = 0; k < run->array_count; k++)
        if (!strcmp(run->arrays[k].role, "add"))
            return true;
    return false;
}

/* Every code, with all programs in one call and with one in a call: to the same bits. */
static void launch_variants(struct run *run, const struct variants *variants, const char *blocks)
{
    unsigned char *before[EXEC_MAX_ARRAYS] = {0}, *results[EXEC_MAX_ARRAYS] = {0};
    copy_arrays(run, before, false);
    for (int i = 0; i < 2 * variants->count; i++) {
        int64_t share = i % 2 ? 1 : INT64_MAX;
        copy_arrays(run, before, true);
        variants_run(variants, i / 2, run->arguments, run->argument_count, NULL, share);
        run->target = variants_name(variants, i / 2);
        compare(run, blocks);
        launches++;
        for (int k = 0; k < run->array_count && share == 1 && !has_sums(run); k++) {
            const struct array *a = &run->arrays[k];
            size_t bytes = (size_t)a->count * tilec_type_size(a->type);
            if (memcmp(results[k], a->data, bytes) != 0)
                fail_msg("%s, %s, T = %s, %s: array %d depends on how programs share calls",
                         run->c->kernel, run->target, run->storage, blocks, k);
        }
        copy_arrays(run, results, false);
    }
    for (int k = 0; k < run->array_count; k++) {
        free(before[k]);
        free(results[k]);
    }
}

static void run_one(const struct exec_case *c, const char *target, const char *storage,
                    const char *blocks, const int64_t *shape, tilec_context *context,
                    struct compiled *last) /* NULL: made for this shape alone */
{
    static int turn; /* more is done behind an array than in front of it */
    enum pages_place place = turn++ % 3 == 0 ? PAGES_BEGIN : PAGES_END;
    struct run run = {
        .c = c, .target = target, .storage = storage, .place = place, .context = context};
    memcpy(run.problem.size, shape, sizeof run.problem.size);
    add_arguments(&run);
    compute_reference(&run);
    struct compiled own = {0}, *made = last ? last : &own;
    if (last)
        compile_or_keep(&run, blocks, last);
    else
        own = compile(&run, blocks, true);
    if (made->variants)
        launch_variants(&run, made->variants, blocks);
    else
        launch(&run, made, blocks);
    release(&own);
    for (int k = 0; k < run.array_count; k++) {
        const struct array *a = &run.arrays[k];
        pages_free(a->data, (size_t)a->count * tilec_type_size(a->type));
        free(run.problem.array[k]);
    }
}

/* What stands in for a device is slow: shapes with more elements are left to the devices. */
static int64_t most_elements(const char *target)
{
    if (strcmp(target, "cpu") == 0 || strcmp(target, "cuda") == 0)
        return INT64_MAX;
    return strcmp(target, "interp") == 0 || is_variants(target) ? 200000 : 20000;
}

/* One of the shapes, each time another, is run by code for it alone too. */
static void run_shapes(const struct exec_case *c, const char *target, const char *type,
                       const char *blocks, tilec_context *context)
{
    static int turn;
    struct compiled last = {0};
    const int64_t *shapes[EXEC_MAX_SHAPES];
    int count = 0;
    for (int s = 0; s < EXEC_MAX_SHAPES && c->shapes[s][0] >= 0; s++) {
        const int64_t *shape = c->shapes[s];
        if (shape[0] * shape[1] * (shape[2] ? shape[2] : 1) <= most_elements(target))
            shapes[count++] = shape;
    }
    for (int s = 0; s < count; s++)
        run_one(c, target, type, blocks, shapes[s], context, &last);
    if (count)
        run_one(c, target, type, blocks, shapes[turn++ % count], context, NULL);
    release(&last);
}

static bool available(tilec_context *context, const char *target)
{
    tilec_device device;
    for (size_t i = 0; i < tilec_device_count(context); i++)
        if (tilec_device_get(context, i, &device) == TILEC_OK && strcmp(device.target, target) == 0)
            return device.available;
    return false;
}

/* EXEC_SHARE=i/n: only the i-th (from 0) of every n combinations of a case, a type and block sizes,
 * so that processes can share them: a GPU's compiler takes a second for each. */
static bool is_in_share(void)
{
    static unsigned number;
    unsigned share, shares;
    const char *text = getenv("EXEC_SHARE");
    if (!text)
        return true;
    if (sscanf(text, "%u/%u", &share, &shares) != 2 || share >= shares)
        fail_msg("EXEC_SHARE=%s is not i/n with i < n", text);
    return number++ % shares == share;
}

/* One for all cases: a GPU's takes a third of a second to make, of all processes one after another. */
static tilec_context *shared_context;

static int open_context(void **state)
{
    (void)state;
    return tilec_context_create(NULL, &shared_context) != TILEC_OK;
}

static int close_context(void **state)
{
    (void)state;
    tilec_context_destroy(shared_context);
    return 0;
}

/* Fails the running cmocka test with a message where anything is wrong. */
static void run_everything(const struct exec_case *c, const char *target)
{
    if (!available(shared_context, is_variants(target) ? "cpu" : target)) {
        if (EXEC_HAS_CPU && strncmp(target, "cpu", 3) == 0)
            fail_msg("the CPU backend was built, but cannot be loaded");
        SKIP("the device %s is not here", target);
    }
    size_t before = launches;
    char *types = strdup(c->types), *save;
    for (char *t = strtok_r(types, " ", &save); t; t = strtok_r(NULL, " ", &save))
        for (int b = 0; b < EXEC_MAX_BLOCKS && c->blocks[b]; b++)
            if ((strcmp(t, "f64") != 0 || strcmp(target, "msl-host") != 0) && /* has no double */
                is_in_share())
                run_shapes(c, target, t, c->blocks[b], shared_context);
    free(types);
    if (launches == before)
        SKIP("%s has no type and shape for %s, or none in this share", c->kernel, target);
}

/* ---- the program ----------------------------------------------------------------------------- */

struct named_case {
    const struct exec_case *c;
    const char *target;
};

static void run_case(void **state)
{
    const struct named_case *named = *state;
    run_everything(named->c, named->target);
}

int exec_main(const char *name, const struct exec_case *cases, size_t case_count, int argc,
              char **argv)
{
    static char *usual[] = {"interp", "cpu"};
    char **targets = argc > 1 ? argv + 1 : usual;
    size_t target_count = argc > 1 ? (size_t)argc - 1 : 2, count = 0;
    struct CMUnitTest *tests = calloc(case_count * target_count, sizeof *tests);
    struct named_case *named = calloc(case_count * target_count, sizeof *named);
    if (!tests || !named)
        return 1;
    for (size_t i = 0; i < case_count; i++)
        for (size_t t = 0; t < target_count; t++, count++) {
            named[count] = (struct named_case){&cases[i], targets[t]};
            tests[count].name = cases[i].kernel;
            tests[count].test_func = run_case;
            tests[count].initial_state = &named[count];
        }
    if (getenv("EXEC_ONLY")) /* a pattern of names */
        cmocka_set_test_filter(getenv("EXEC_ONLY"));
    int failed = _cmocka_run_group_tests(name, tests, count, open_context, close_context);
    print_message("%s: %zu launches compared\n", name, launches);
    free(named);
    free(tests);
    return status_with_skips(failed, count);
}
