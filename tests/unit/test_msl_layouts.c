/*
 * RMSNorm with the row in registers, in each of nine layouts: 2 to 32 elements per thread, striped
 * and in runs of four. They are those of an earlier compiler's selection
 * (rmsnorm-tiling-selection.json; where it is there, the list is compared). Widths
 * from one element to all 1024, in float and in half, run on msl-host against double.
 */
#include "base/half.h"
#include "base/random.h"
#include "base/text.h"
#include "run/msl_host.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec/tilec.h>
#include <cmocka.h>

#include "../skip.h"
#include "recorded.h"

enum { BITS = 10, ELEMENTS = 1 << BITS, ROWS = 2 };

static const struct {
    const char *name;
    int registers; /* log2 of the elements per thread */
    int run;       /* log2 of how many of them follow each other */
} variants[] = {
    {"register4_striped", 2, 0},  {"register4_blocked4", 2, 2},  {"register8_striped", 3, 0},
    {"register8_blocked4", 3, 2}, {"register16_striped", 4, 0},  {"register16_blocked4", 4, 2},
    {"register32_striped", 5, 0}, {"register32_blocked4", 5, 2}, {"register2_striped", 1, 0},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static const int widths[] = {1, 31, 33, 1009, 1023, 1024};
enum { WIDTHS = sizeof widths / sizeof *widths };

static const float epsilon = 1e-5f;

struct fixture {
    jmp_buf failure;
    struct arena arena;
    struct diagnostics diagnostics;
    struct text text; /* of all kernels */
};

static bool is_half(int variant, int width)
{
    return (variant + width) % 2 == 0;
}

/* The physical bit that becomes each bit of the index: threads' bits stand below registers'. */
static void bit_order(int variant, int order[BITS])
{
    int threads = BITS - variants[variant].registers, run = variants[variant].run;
    for (int l = 0; l < BITS; l++)
        order[l] = l < run ? threads + l : l < run + threads ? l - run : l;
}

static void layout_text(int variant, char *text, size_t size)
{
    int order[BITS];
    size_t used = 0;
    bit_order(variant, order);
    for (int l = 0; l < BITS; l++)
        used += (size_t)snprintf(text + used, size - used, "%d, ", order[l]);
    snprintf(text + used, size - used, ".per_thread = %d", 1 << variants[variant].registers);
}

static char *kernel_source(struct fixture *f, int variant, int width, const char *name)
{
    char layout[128];
    const char *type = is_half(variant, width) ? "half" : "float";
    layout_text(variant, layout, sizeof layout);
    return arena_format(&f->arena,
                        "#include <tilec/kernel.h>\n"
                        "kernel void %s(const %s *restrict X, const %s *restrict W,\n"
                        "               %s *restrict Out, float eps)\n"
                        "{\n"
                        "    int row = program_id(0);\n"
                        "    int col = arange_in(layout(%s), 0, %d);\n"
                        "    float x = load(X + row * %d + col, col < %d);\n"
                        "    float w = load(W + col, col < %d);\n"
                        "    float scale = 1.0f / sqrt(sum(x * x) / %d + eps);\n"
                        "    store(Out + row * %d + col, x * scale * w, col < %d);\n"
                        "}\n",
                        name, type, type, type, layout, ELEMENTS, width, width, width, width, width,
                        width);
}

static const char *kernel_name(struct fixture *f, int variant, int width)
{
    return arena_format(&f->arena, "k%d_%d", variant, width);
}

/* Every kernel brings the lines that a source starts with; one set of them is enough. */
static void append_kernel(struct fixture *f, const char *text)
{
    const char *at = strstr(text, "[[max_total_threads");
    assert_non_null(at);
    assert_null(strstr(text, "tilec_")); /* no helpers, which would be defined twice */
    text_string(&f->text, f->text.count > 0 ? at : text);
}

static void add_kernel(struct fixture *f, tilec_context *context, int variant, int width)
{
    const char *name = kernel_name(f, variant, width);
    tilec_source source = {.size = sizeof source,
                           .path = "layouts.tile.c",
                           .text = kernel_source(f, variant, width, name)};
    tilec_compile_options options = {.size = sizeof options, .kernel = name, .target = "msl"};
    tilec_program *program;
    char *text = NULL;
    if (tilec_program_create(context, &source, &program) != TILEC_OK ||
        tilec_emit(program, &options, TILEC_STAGE_MSL, &text, NULL) != TILEC_OK) {
        tilec_diagnostic diagnostic = {0};
        tilec_diagnostic_get(context, 0, &diagnostic);
        fail_msg("%s: %s", name, diagnostic.text ? diagnostic.text : "does not compile");
    }
    append_kernel(f, text);
    tilec_release(context, text);
    tilec_program_destroy(program);
}

/* ---- running --------------------------------------------------------------------------------- */

struct data {
    bool half;
    unsigned char x[ROWS * ELEMENTS * 4], w[ELEMENTS * 4], out[ROWS * ELEMENTS * 4];
};

static size_t element_bytes(const struct data *d)
{
    return d->half ? 2 : 4;
}

static void put(const struct data *d, unsigned char *array, int index, double value)
{
    uint16_t bits = half_from_double(value);
    float single = (float)value;
    memcpy(array + (size_t)index * element_bytes(d), d->half ? (void *)&bits : (void *)&single,
           element_bytes(d));
}

static double get(const struct data *d, const unsigned char *array, int index)
{
    uint16_t bits;
    float single;
    memcpy(&bits, array + (size_t)index * element_bytes(d), sizeof bits);
    if (d->half)
        return half_to_float(bits);
    memcpy(&single, array + (size_t)index * element_bytes(d), sizeof single);
    return single;
}

static void fill(struct data *d, int width)
{
    struct random random;
    random_seed(&random, (uint64_t)width);
    for (int i = 0; i < ROWS * width; i++)
        put(d, d->x, i, random_normal(&random));
    for (int i = 0; i < width; i++)
        put(d, d->w, i, random_uniform(&random, 0.5, 1.5));
    memset(d->out, 0xff, sizeof d->out); /* NaN */
}

static void check_output(const struct data *d, int width, const char *name)
{
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int i = 0; i < width; i++)
            sum += pow(get(d, d->x, row * width + i), 2);
        double scale = 1 / sqrt(sum / width + (double)epsilon);
        for (int i = 0; i < width; i++) {
            double want = get(d, d->x, row * width + i) * scale * get(d, d->w, i);
            double is = get(d, d->out, row * width + i);
            if (!(fabs(is - want) <= (d->half ? 1e-3 : 4e-6) * (1 + fabs(want))))
                fail_msg("%s, width %d: element %d of row %d is %g, not %g", name, width, i, row,
                         is, want);
        }
    }
}

static void run(struct fixture *f, struct msl_host_program *program, struct data *d, int variant,
                int width)
{
    size_t row_bytes = (size_t)width * (is_half(variant, width) ? 2 : 4);
    float eps = epsilon;
    struct msl_host_buffer buffers[] = {{d->x, ROWS * row_bytes},
                                        {d->w, row_bytes},
                                        {d->out, ROWS * row_bytes},
                                        {&eps, sizeof eps}};
    struct msl_host_launch launch = {
        .kernel = kernel_name(f, variant, width),
        .groups = {ROWS, 1, 1},
        .threads = {(uint32_t)ELEMENTS >> variants[variant].registers, 1, 1},
        .buffers = buffers,
        .buffer_count = 4,
        .order = (uint64_t)variant,
    };
    d->half = is_half(variant, width);
    fill(d, width);
    if (!msl_host_run(program, &launch, &f->diagnostics))
        fail_msg("%s, width %d: %s", variants[variant].name, width,
                 f->diagnostics.items[f->diagnostics.count - 1].message);
    check_output(d, width, variants[variant].name);
}

static void all_layouts_are_right(void **state)
{
    struct fixture f;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    struct data *data = calloc(1, sizeof *data);
    (void)state;
    if (!msl_host_available()) {
        free(data);
        SKIP(SKIP_WITHOUT_CLANG);
    }
    assert_non_null(data);
    if (setjmp(f.failure) != 0)
        fail_msg("no memory");
    arena_init(&f.arena, allocator_default, &f.failure);
    diagnostics_init(&f.diagnostics, &f.arena);
    text_init(&f.text, &f.arena);
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    for (int v = 0; v < VARIANTS; v++)
        for (int w = 0; w < WIDTHS; w++)
            add_kernel(&f, context, v, widths[w]);
    struct msl_host_program *program =
        msl_host_compile(f.text.items, f.text.count, true, NULL, &f.diagnostics);
    if (!program)
        fail_msg("%s", f.diagnostics.items[f.diagnostics.count - 1].message);
    for (int v = 0; v < VARIANTS; v++)
        for (int w = 0; w < WIDTHS; w++)
            run(&f, program, data, v, widths[w]);
    msl_host_free(program);
    tilec_context_destroy(context);
    arena_free(&f.arena);
    free(data);
}

static void they_are_the_recorded_ones(void **state)
{
    json_t *record = load_recorded("rmsnorm-tiling-selection");
    const json_t *variant, *list = json_object_get(record, "variants");
    size_t i;
    (void)state;
    if (!record)
        SKIP(RECORDED_MISSING);
    assert_int_equal(json_array_size(list), VARIANTS);
    json_array_foreach(list, i, variant)
    {
        const char *layout = json_string_value(json_object_get(variant, "layout"));
        assert_string_equal(json_string_value(json_object_get(variant, "name")), variants[i].name);
        assert_int_equal(json_integer_value(json_object_get(variant, "elements_per_thread")),
                         1 << variants[i].registers);
        assert_string_equal(layout, variants[i].run == 2 ? "blocked4" : "striped");
    }
    json_decref(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_layouts_are_right),
                                       cmocka_unit_test(they_are_the_recorded_ones)};
    return RUN_TESTS(tests, NULL, NULL);
}
