/*
 * The twelve cases of RMSNorm that an earlier compiler recorded, as kernels of ours on msl-host: on
 * the recorded inputs within the recorded tolerances, and with reports that say the same as the
 * record's, field by field, where the work is the same.
 *
 * What differs, and why:
 *   names                 of values and arrays are ours
 *   plan.reasons, plan.cooperative_layout, notes   are texts of ours
 *   plan.staging          the record's register form says threadgroup, for the scratch of its
 *                         reduction; here it says whether operands are copied there, and none is
 *   plan.outer_bounds_proven   true of ours at width 1024 in register form: no access has a mask
 *   passes                are ours
 *   value_layouts         of the loop form the record has none; ours are those of its blocks. In
 *                         register form ours are fewer: indices and masks that need no register
 * have none. All layouts are the record's one layout_optimizations  the record's lists of rewrites
 * are empty, ours has no such lists schema, target, kernel, constants, barriers, grouped_loads,
 * grouped_stores, reductions, operations, toolchain  the record lacks
 */
#include "run/msl_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <tilec/tilec.h>
#include <cmocka.h>

#include "../skip.h"
#include "rmsnorm_record.h"

static const char text[] =
    "#include <tilec/kernel.h>\n"
    "launch_grid(loop_form, rows);\n"
    "kernel void loop_form(const T *restrict X, const T *restrict W, T *restrict Out, int rows,\n"
    "                      int N, float eps, constexpr int BLOCK)\n"
    "{\n"
    "    int row = program_id(0);\n"
    "    float s = 0.0f;\n"
    "    for (int i = 0; i < N; i += BLOCK) {\n"
    "        int col = i + arange(0, BLOCK);\n"
    "        float x = load(X + row * N + col, col < N);\n"
    "        s += x * x;\n"
    "    }\n"
    "    float scale = 1.0f / sqrt(sum(s) / N + eps);\n"
    "    for (int i = 0; i < N; i += BLOCK) {\n"
    "        int col = i + arange(0, BLOCK);\n"
    "        float x = load(X + row * N + col, col < N);\n"
    "        float w = load(W + col, col < N);\n"
    "        store(Out + row * N + col, x * scale * w, col < N);\n"
    "    }\n"
    "}\n"
    "launch_grid(register_form, rows);\n"
    "kernel void register_form(const T *restrict X, const T *restrict W, T *restrict Out,\n"
    "                          int rows, float eps, constexpr int WIDTH)\n"
    "{\n"
    "    int row = program_id(0);\n"
    "    int col = arange_in(layout(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, .per_thread = 4), 0, 1024);\n"
    "    float x = load(X + row * WIDTH + col, col < WIDTH);\n"
    "    float w = load(W + col, col < WIDTH);\n"
    "    float scale = 1.0f / sqrt(sum(x * x) / WIDTH + eps);\n"
    "    store(Out + row * WIDTH + col, x * scale * w, col < WIDTH);\n"
    "}\n";

struct fixture {
    tilec_context *context;
    json_t *record;
};

static void expect_ok(struct fixture *fixture, const char *what, tilec_status status)
{
    tilec_diagnostic diagnostic = {0};
    if (status == TILEC_OK)
        return;
    tilec_diagnostic_get(fixture->context, 0, &diagnostic);
    fail_msg("%s: %s", what, diagnostic.message ? diagnostic.message : tilec_status_string(status));
}

/* ---- running --------------------------------------------------------------------------------- */

static void launch(struct fixture *fixture, tilec_kernel *kernel, struct problem *problem,
                   bool with_width, const char *what)
{
    tilec_type type = problem->is_half ? TILEC_F16 : TILEC_F32;
    int64_t elements = (int64_t)problem->width * problem->batches;
    tilec_argument arguments[6] = {
        tilec_array(type, problem->x, elements), tilec_array(type, problem->w, problem->width),
        tilec_array(type, problem->out, elements), tilec_int(TILEC_I32, problem->batches)};
    size_t count = 4;
    if (with_width)
        arguments[count++] = tilec_int(TILEC_I32, problem->width);
    arguments[count++] = tilec_float(TILEC_F32, (double)problem->epsilon);
    tilec_launch_options options = {.size = sizeof options, .thread_order = 3};
    memset(problem->out, 0xff, problem->x_bytes); /* NaN */
    expect_ok(fixture, what, tilec_launch(kernel, NULL, arguments, count, &options));
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* The value of a field without what is named by us ("value", "scratch", "name" and the like) and
   without the source line of a loop, which the record does not have. */
static json_t *without_names(const json_t *value)
{
    static const char *const names[] = {"value", "scratch", "name", "induction_variable", "line"};
    json_t *copy = json_deep_copy(value), *item;
    size_t i;
    json_array_foreach(copy, i, item) for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        json_object_del(item, names[k]);
    return copy;
}

static void same_field(const char *what, const char *field, const json_t *ours,
                       const json_t *theirs)
{
    json_t *a = without_names(json_object_get(ours, field));
    json_t *b = without_names(json_object_get(theirs, field));
    if (!a || !b || !json_equal(a, b))
        fail_msg("%s: '%s' is %s, recorded %s", what, field, json_dumps(a, JSON_ENCODE_ANY),
                 json_dumps(b, JSON_ENCODE_ANY));
    json_decref(a);
    json_decref(b);
}

/* Every value of the dtype has the layout of the record's only one. */
static void same_layouts(const char *what, const json_t *ours, const json_t *theirs)
{
    const json_t *layout =
        json_object_get(json_array_get(json_object_get(theirs, "value_layouts"), 0), "layout");
    json_t *list = json_object_get(ours, "value_layouts"), *item;
    size_t i;
    assert_true(json_array_size(list) > 0);
    json_array_foreach(json_object_get(theirs, "value_layouts"), i, item)
        assert_true(json_equal(json_object_get(item, "layout"), layout));
    json_array_foreach(list, i, item) if (!json_equal(json_object_get(item, "layout"), layout))
        fail_msg("%s: value '%s' has the layout %s", what,
                 json_string_value(json_object_get(item, "value")),
                 json_dumps(json_object_get(item, "layout"), 0));
}

static void same_counts(const char *what, const json_t *ours, const json_t *theirs)
{
    const char *name;
    json_t *count;
    json_object_foreach(json_object_get(ours, "layout_optimizations"), name, count)
        same_field(what, name, json_object_get(ours, "layout_optimizations"),
                   json_object_get(theirs, "layout_optimizations"));
}

static void compare_reports(const char *what, const json_t *ours, const json_t *theirs,
                            bool register_form)
{
    static const char *const fields[] = {"loops",
                                         "allocations",
                                         "double_buffered",
                                         "vectorized_loads",
                                         "epilogue_regions",
                                         "layout_conversions",
                                         "pipelines",
                                         "register_reductions"};
    static const char *const planned[] = {"backend",    "threadgroup_size", "simdgroup_grid",
                                          "tile_shape", "vector_width",     "double_buffer"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        same_field(what, fields[i], ours, theirs);
    for (size_t i = 0; i < sizeof planned / sizeof *planned; i++)
        same_field(what, planned[i], json_object_get(ours, "plan"),
                   json_object_get(theirs, "plan"));
    same_counts(what, ours, theirs);
    if (register_form)
        same_layouts(what, ours, theirs);
}

/* ---- the cases ------------------------------------------------------------------------------- */

static const struct form {
    const char *kernel, *recorded;
    bool with_width; /* as an argument; else as a constant */
} forms[] = {{"loop_form", "current_control", true}, {"register_form", "candidate", false}};

static void check_case(struct fixture *fixture, const json_t *recorded, const struct form *form)
{
    struct problem problem;
    char what[80], width[16], *report_text;
    const char *name = json_string_value(json_object_get(recorded, "name"));
    const json_t *theirs = json_object_get(
        json_object_get(json_object_get(recorded, "shaders"), form->recorded), "execution_report");
    const json_t *bound = json_object_get(json_object_get(recorded, "correctness"), form->recorded);
    record_make_inputs(&problem, recorded);
    snprintf(what, sizeof what, "%s of %s", form->kernel, name);
    snprintf(width, sizeof width, "%d", problem.width);
    tilec_define defines[] = {
        {"T", problem.is_half ? "half" : "float"},
        {form->with_width ? "BLOCK" : "WIDTH", form->with_width ? "256" : width}};
    tilec_source source = {
        .size = sizeof source, .text = text, .defines = defines, .define_count = 2};
    tilec_compile_options options = {
        .size = sizeof options, .kernel = form->kernel, .target = "msl-host"};
    tilec_program *program;
    tilec_kernel *kernel;
    json_error_t error;
    expect_ok(fixture, what, tilec_program_create(fixture->context, &source, &program));
    expect_ok(fixture, what, tilec_program_compile(program, &options, &kernel));
    launch(fixture, kernel, &problem, form->with_width, what);
    record_check_output(&problem, json_real_value(json_object_get(bound, "rtol")),
                        json_real_value(json_object_get(bound, "atol")));
    options.target = "msl";
    expect_ok(fixture, what,
              tilec_explain(program, &options, TILEC_REPORT_JSON, &report_text, NULL));
    json_t *ours = json_loads(report_text, 0, &error);
    assert_non_null(ours);
    compare_reports(what, ours, theirs, !form->with_width);
    json_decref(ours);
    tilec_release(fixture->context, report_text);
    tilec_kernel_destroy(kernel);
    tilec_program_destroy(program);
    free(problem.x);
    free(problem.out);
}

static void recorded_cases_are_right(void **state)
{
    struct fixture *fixture = *state;
    json_t *recorded;
    size_t i;
    if (!msl_host_available() || !fixture->record) {
        SKIP("%s", fixture->record ? SKIP_WITHOUT_CLANG : RECORDED_MISSING);
    }
    const json_t *cases = json_object_get(fixture->record, "cases");
    assert_int_equal(json_array_size(cases), 12);
    json_array_foreach((json_t *)cases, i, recorded) for (size_t k = 0;
                                                          k < sizeof forms / sizeof *forms; k++)
        check_case(fixture, recorded, &forms[k]);
}

static int set_up(void **state)
{
    static struct fixture fixture;
    fixture.record = load_recorded("rmsnorm-register");
    *state = &fixture;
    return tilec_context_create(NULL, &fixture.context);
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    json_decref(fixture->record);
    tilec_context_destroy(fixture->context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_cases_are_right)};
    return RUN_TESTS(tests, set_up, tear_down);
}
