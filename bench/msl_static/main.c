/*
 * msl-static: the work of Metal text per thread, ours against an earlier compiler's, counted and
 * not timed.
 *
 *   msl-static RECORD.json      a record as of ../shared/seeds/rmsnorm-register.json
 *
 * For each case of the record, in loop and in register form: executed LLVM IR instructions per
 * thread, loads and stores of buffers per element, barriers per thread (count.h says what counts).
 * Exits with 1 where ours has more of anything, 77 where there is no record or no clang++-19. Run
 * from the repository's root.
 */
#define _GNU_SOURCE
#include "bench/msl_static/count.h"

#include "base/half.h"
#include "base/random.h"
#include "run/msl_host.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define TILEC_EXPERIMENTAL
#include <tilec/tilec.h>

enum { THREADS = 256, MOST_TEXTS = 32 };

struct text_counts { /* compiled once, run for each case */
    char *text;
    struct counted *counted;
};

struct bench {
    tilec_context *context;
    struct diagnostics diagnostics;
    struct text_counts texts[MOST_TEXTS];
    size_t text_count;
    int worse; /* figures in which ours is more */
};

struct problem { /* one case */
    const char *name;
    bool is_half;
    int width, rows;
    size_t element;
    unsigned char *x, *w, *out;
    float epsilon;
};

struct arm {
    const char *title, *kernel, *recorded; /* ours; the record's name of theirs */
    bool has_width;                        /* as an argument */
};

static const struct arm arms[] = {
    {"loop", "rmsnorm_loop", "current_control", true},
    {"register", "rmsnorm_register", "candidate", false},
};

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "msl-static: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(2);
}

static void fail_last(struct bench *bench)
{
    size_t count = bench->diagnostics.count;
    fail("%s", count > 0 ? bench->diagnostics.items[count - 1].message : "no reason given");
}

/* ---- data ------------------------------------------------------------------------------------ */

static void put(const struct problem *p, unsigned char *array, int index, double value)
{
    uint16_t bits = half_from_double(value);
    float single = (float)value;
    memcpy(array + (size_t)index * p->element, p->is_half ? (void *)&bits : (void *)&single,
           p->element);
}

static double get(const struct problem *p, const unsigned char *array, int index)
{
    uint16_t bits;
    float single;
    memcpy(&bits, array + (size_t)index * p->element, sizeof bits);
    if (p->is_half)
        return half_to_float(bits);
    memcpy(&single, array + (size_t)index * p->element, sizeof single);
    return single;
}

static void open_problem(struct problem *p, const json_t *recorded)
{
    struct random random;
    *p = (struct problem){
        .name = json_string_value(json_object_get(recorded, "name")),
        .is_half = strcmp(json_string_value(json_object_get(recorded, "dtype")), "float16") == 0,
        .width = (int)json_integer_value(json_object_get(recorded, "width")),
        .rows = (int)json_integer_value(json_object_get(recorded, "batches")),
        .epsilon = (float)json_real_value(json_object_get(recorded, "epsilon")),
    };
    int count = p->width * p->rows;
    p->element = p->is_half ? 2 : 4;
    p->x = malloc((size_t)count * p->element);
    p->w = malloc((size_t)p->width * p->element);
    p->out = malloc((size_t)count * p->element);
    if (!p->x || !p->w || !p->out || p->width < 1 || p->rows < 1)
        fail("no memory");
    random_seed(&random, 1);
    for (int i = 0; i < count; i++)
        put(p, p->x, i, random_normal(&random));
    for (int i = 0; i < p->width; i++)
        put(p, p->w, i, random_uniform(&random, 0.5, 1.5));
}

static void close_problem(struct problem *p)
{
    free(p->x);
    free(p->w);
    free(p->out);
}

static void check_output(const struct problem *p, const char *title)
{
    for (int row = 0; row < p->rows; row++) {
        double sum = 0;
        for (int i = 0; i < p->width; i++)
            sum += pow(get(p, p->x, row * p->width + i), 2);
        double scale = 1 / sqrt(sum / p->width + (double)p->epsilon);
        for (int i = 0; i < p->width; i++) {
            int at = row * p->width + i;
            double want = get(p, p->x, at) * scale * get(p, p->w, i);
            if (!(fabs(get(p, p->out, at) - want) <= 1e-5 + 1e-3 * fabs(want)))
                fail("%s, %s: element %d of row %d is wrong", p->name, title, i, row);
        }
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

static struct counted *compile(struct bench *bench, char *text)
{
    for (size_t i = 0; i < bench->text_count; i++) {
        if (strcmp(bench->texts[i].text, text) == 0) {
            free(text);
            return bench->texts[i].counted;
        }
    }
    struct counted *counted =
        count_compile(text, "src/run/msl", "bench/msl_static", &bench->diagnostics);
    if (!counted || bench->text_count == MOST_TEXTS)
        fail_last(bench);
    bench->texts[bench->text_count++] = (struct text_counts){text, counted};
    return counted;
}

static char *our_text(struct bench *bench, const struct problem *p, const struct arm *arm)
{
    char width[16];
    snprintf(width, sizeof width, "%d", p->width);
    tilec_define defines[] = {
        {"T", p->is_half ? "half" : "float"}, {"BLOCK", "256"}, {"WIDTH", width}};
    tilec_source source = {.size = sizeof source,
                           .path = "bench/msl_static/rmsnorm.tile.c",
                           .defines = defines,
                           .define_count = 3};
    tilec_compile_options options = {
        .size = sizeof options, .kernel = arm->kernel, .target = "msl"};
    /* As in the record every thread computes all that it needs. */
    static const char *const off[] = {"gpu:hoist_uniforms"};
    tilec_pass_options passes = {.size = sizeof passes, .off = off, .off_count = 1};
    tilec_program *program;
    char *text, *copy;
    options.passes = &passes;
    if (tilec_program_create(bench->context, &source, &program) != TILEC_OK ||
        tilec_emit(program, &options, TILEC_STAGE_MSL, &text, NULL) != TILEC_OK) {
        tilec_diagnostic diagnostic = {0};
        tilec_diagnostic_get(bench->context, 0, &diagnostic);
        fail("%s", diagnostic.text ? diagnostic.text : arm->kernel);
    }
    copy = strdup(text);
    tilec_release(bench->context, text);
    tilec_program_destroy(program);
    return copy;
}

/* ---- counting -------------------------------------------------------------------------------- */

struct figures { /* as they are compared */
    double instructions, loads, stores, loaded, stored, barriers;
};

static struct figures count_text(struct bench *bench, struct problem *p, char *text, bool ours,
                                 const struct arm *arm)
{
    struct count count;
    struct msl_host_buffer buffers[6];
    size_t n = 0, row_bytes = (size_t)p->width * p->element, bytes = row_bytes * (size_t)p->rows;
    buffers[n++] = (struct msl_host_buffer){p->x, bytes};
    buffers[n++] = (struct msl_host_buffer){p->w, row_bytes};
    buffers[n++] = (struct msl_host_buffer){p->out, bytes};
    if (ours)
        buffers[n++] = (struct msl_host_buffer){&p->rows, sizeof p->rows};
    if (arm->has_width)
        buffers[n++] = (struct msl_host_buffer){&p->width, sizeof p->width};
    buffers[n++] = (struct msl_host_buffer){&p->epsilon, sizeof p->epsilon};
    struct msl_host_launch launch = {.groups = {(uint32_t)p->rows, 1, 1},
                                     .threads = {THREADS, 1, 1},
                                     .buffers = buffers,
                                     .buffer_count = n};
    memset(p->out, 0xff, bytes); /* NaN */
    if (!count_run(compile(bench, text), &launch, &count, &bench->diagnostics))
        fail_last(bench);
    check_output(p, arm->title);
    double threads = (double)p->rows * THREADS, elements = (double)p->rows * p->width;
    double element_bytes = elements * (double)p->element;
    return (struct figures){(double)count.instructions / threads,
                            (double)count.loads / elements,
                            (double)count.stores / elements,
                            (double)count.loaded_bytes / element_bytes,
                            (double)count.stored_bytes / element_bytes,
                            (double)count.barriers / threads};
}

static void compare_figure(struct bench *bench, double ours, double theirs)
{
    bool worse = ours > theirs + 1e-9;
    bench->worse += worse;
    printf(" %7.3f /%7.3f%c", ours, theirs, worse ? '!' : ' ');
}

static void compare_case(struct bench *bench, const json_t *recorded)
{
    struct problem p;
    open_problem(&p, recorded);
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
        const json_t *shader =
            json_object_get(json_object_get(recorded, "shaders"), arms[i].recorded);
        const char *text = json_string_value(json_object_get(shader, "msl_source"));
        if (!text)
            fail("the record lacks a source");
        struct figures theirs = count_text(bench, &p, strdup(text), false, &arms[i]);
        struct figures ours = count_text(bench, &p, our_text(bench, &p, &arms[i]), true, &arms[i]);
        printf("%-17s %-8s", p.name, arms[i].title);
        compare_figure(bench, ours.instructions, theirs.instructions);
        compare_figure(bench, ours.loads, theirs.loads);
        compare_figure(bench, ours.stores, theirs.stores);
        compare_figure(bench, ours.loaded, theirs.loaded);
        compare_figure(bench, ours.stored, theirs.stored);
        compare_figure(bench, ours.barriers, theirs.barriers);
        printf("\n");
    }
    close_problem(&p);
}

int main(int count, char **arguments)
{
    jmp_buf failure;
    struct arena arena;
    static struct bench bench;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    json_t *record = count == 2 ? json_load_file(arguments[1], 0, NULL) : NULL;
    if (!record || !msl_host_available()) {
        fprintf(stderr, "skipped: %s\n",
                record ? "clang++-19 is not in PATH" : "there is no record");
        return 77;
    }
    if (setjmp(failure) != 0)
        fail("no memory");
    arena_init(&arena, allocator_default, &failure);
    diagnostics_init(&bench.diagnostics, &arena);
    if (tilec_context_create(&options, &bench.context) != TILEC_OK)
        fail("no memory");
    printf(
        "ours / the record's (! where ours is more); instructions and barriers per thread, "
        "accesses and\nelements accessed per element of X\n\n%-26s %-18s%-18s%-18s%-18s%-18s%s\n",
        "case", " instructions", " loads", " stores", " loaded", " stored", " barriers");
    size_t i;
    const json_t *recorded, *cases = json_object_get(record, "cases");
    json_array_foreach(cases, i, recorded) compare_case(&bench, recorded);
    bool empty = json_array_size(cases) == 0;
    printf("\n%zu cases, ours is more in %d figures\n", json_array_size(cases), bench.worse);
    for (i = 0; i < bench.text_count; i++) {
        free(bench.texts[i].text);
        count_free(bench.texts[i].counted);
    }
    tilec_context_destroy(bench.context);
    arena_free(&arena);
    json_decref(record);
    return bench.worse > 0 || empty;
}
