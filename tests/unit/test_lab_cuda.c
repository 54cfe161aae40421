/*
 * The lab on the target "cuda", on a stand-in for NVIDIA's driver whose kernels compute RMSNorm on the
 * processor: arms are checked, captured and replayed, those of other libraries too, and the record
 * verifies. What the times are is no matter. Compiling needs NVRTC.
 */
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

#include "run/nvrtc.h"
#include "tests/fake_cuda/fake_cuda.h"

#define TILEC_EXPERIMENTAL /* tuning */
#include <tilec/cuda.h>
#include <tilec/lab.h>

#include <dlfcn.h>
#include <jansson.h>
#include <math.h>

enum { WIDTH = 100 };

static struct fake_cuda *fake;
static char baseline[] = "/tmp/tilec-lab-cuda-XXXXXX";

/* ---- what the kernels compute ---------------------------------------------------------------- */

static const char *wrong_function; /* computes something else */
static int launches_left;          /* then one fails; negative: never */

/* X, W, Out, rows come first, whichever kernel it is; eps is the experiment's. */
static void compute(const char *function, const struct cuda_launch_config *config,
                    void **parameters)
{
    const float *x = *(float **)parameters[0], *w = *(float **)parameters[1];
    float *out = *(float **)parameters[2];
    double bias = wrong_function && strcmp(function, wrong_function) == 0 ? 0.5 : 0;
    int rows = *(int32_t *)parameters[3];
    assert_true(config->stream || !strstr(function, "rmsnorm_register"));
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < WIDTH; i++)
            sum += (double)x[r * WIDTH + i] * (double)x[r * WIDTH + i];
        double scale = 1 / sqrt(sum / WIDTH + 1e-5);
        for (int i = 0; i < WIDTH; i++)
            out[r * WIDTH + i] = (float)((double)x[r * WIDTH + i] * scale * (double)w[i] + bias);
    }
    if (launches_left > 0 && --launches_left == 0)
        fake->fail_launch = 719;
}

/* ---- somebody else's arm: a kernel of a context of its own ----------------------------------- */

struct mine {
    tilec_context *context;
    tilec_kernel *kernel;
    tilec_prepared *prepared;
    void *stream;
};

static int opened, queued, ran, closed;

static tilec_status mine_queue(void *arm)
{
    struct mine *mine = arm;
    queued++;
    return tilec_prepared_run(mine->prepared);
}

static tilec_status mine_run(void *arm, double *device_seconds)
{
    struct mine *mine = arm;
    (void)device_seconds;
    ran++;
    tilec_status status = tilec_prepared_run(mine->prepared);
    return status == TILEC_OK ? tilec_cuda_stream_wait(mine->context, mine->stream) : status;
}

static tilec_status mine_open(void *user, const tilec_lab_case *c, void **arm, char *why,
                              size_t why_size)
{
    struct mine *mine = calloc(1, sizeof *mine);
    const tilec_define defines[] = {{"BLOCK", "128"}, {"T", "float"}};
    tilec_source source = {.size = sizeof source, .path = "kernels/rmsnorm.tile.c",
                           .defines = defines, .define_count = 2};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda",
                                     .kernel = "rmsnorm_tile"};
    tilec_context_options context = {.size = sizeof context, .cache_directory = ""};
    (void)user;
    (void)why;
    (void)why_size;
    assert_string_equal(c->target, "cuda");
    assert_non_null(c->stream);
    mine->stream = c->stream;
    assert_int_equal(tilec_context_create(&context, &mine->context), TILEC_OK);
    assert_int_equal(tilec_compile(mine->context, &source, &options, &mine->kernel), TILEC_OK);
    tilec_argument arguments[6];
    for (int t = 0; t < 3; t++)
        arguments[t] = tilec_buffer(TILEC_F32, c->tensors[t].data, c->tensors[t].rank,
                                    c->tensors[t].shape);
    arguments[3] = tilec_int(TILEC_I32, c->dimensions[0].size);
    arguments[4] = tilec_int(TILEC_I32, c->dimensions[1].size);
    arguments[5] = tilec_float(TILEC_F32, c->epsilon);
    tilec_launch_options launch = {.size = sizeof launch, .stream = c->stream};
    assert_int_equal(tilec_prepare(mine->kernel, NULL, arguments, 6, &launch, &mine->prepared),
                     TILEC_OK);
    opened++;
    *arm = mine;
    return TILEC_OK;
}

static void mine_close(void *arm)
{
    struct mine *mine = arm;
    closed++;
    tilec_prepared_destroy(mine->prepared);
    tilec_kernel_destroy(mine->kernel);
    tilec_context_destroy(mine->context);
    free(mine);
}

static const tilec_lab_external mine = {"mine",   "1.0",      NULL, mine_open,
                                        mine_run, mine_close, 0,    mine_queue};

/* ---- running --------------------------------------------------------------------------------- */

static tilec_lab_options options_of(const tilec_lab_external *external)
{
    return (tilec_lab_options){.size = sizeof(tilec_lab_options),
                               .target = "cuda",
                               .baseline = baseline,
                               .cache_directory = "",
                               .externals = external,
                               .external_count = external ? 1 : 0};
}

static void save(const char *path, const tilec_lab_text *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->text, 1, text->length, file), text->length);
    fclose(file);
}

static json_t *run(const tilec_lab_options *options)
{
    tilec_lab_text text = {0};
    if (tilec_lab_run("tests/lab/small-cuda.json", options, &text) != TILEC_OK)
        fail_msg("%s", text.error);
    json_t *record = json_loads(text.text, 0, NULL);
    char path[] = "/tmp/tilec-lab-record-XXXXXX";
    close(mkstemp(path));
    save(path, &text);
    tilec_lab_text_free(&text);
    tilec_status verified = tilec_lab_verify(path, &text);
    if (verified != TILEC_OK)
        fail_msg("%s\n%s", text.error, text.text ? text.text : "");
    unlink(path);
    tilec_lab_text_free(&text);
    return record;
}

static int set_up(void **state)
{
    char why[512], path[4096];
    const char *build = getenv("TILEC_BUILD_DIR");
    (void)state;
    const struct nvrtc *nvrtc = nvrtc_open(why, sizeof why);
    if (!nvrtc) {
        printf("skipped: %s\n", why);
        exit(77);
    }
    free((void *)(uintptr_t)nvrtc);
    snprintf(path, sizeof path, "%s/libfake_cuda.so", build ? build : "build");
    void *library = dlopen(path, RTLD_NOW);
    struct fake_cuda *(*get)(void) = NULL;
    if (library)
        *(void **)&get = dlsym(library, "fake_cuda_state");
    if (!get)
        return 1;
    setenv("TILEC_CUDA_DRIVER", path, 1);
    fake = get();
    fake->kernel = compute;
    close(mkstemp(baseline));
    tilec_lab_text text = {0};
    tilec_lab_options options = options_of(NULL);
    options.baseline = NULL;
    if (tilec_lab_export("tests/lab/small-cuda.json", &options, &text) != TILEC_OK) {
        printf("no export: %s\n", text.error);
        return 1;
    }
    save(baseline, &text);
    tilec_lab_text_free(&text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(baseline);
}

static int reset(void **state)
{
    (void)state;
    wrong_function = NULL;
    launches_left = -1;
    fake->fail_launch = 0;
    fake->graph_launches = 0;
    opened = queued = ran = closed = 0;
    return 0;
}

/* Everything was given back. */
static int is_clean(void **state)
{
    (void)state;
    fake->fail_launch = 0;
    assert_int_equal(fake->modules, 0);
    assert_int_equal(fake->allocations, 0);
    assert_int_equal(fake->graphs, 0);
    assert_int_equal(fake->context_depth, 0);
    return 0;
}

static const json_t *at(const json_t *json, const char *place)
{
    char key[64];
    for (const char *rest = place; json && *rest;) {
        size_t length = strcspn(rest, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, rest);
        json = json_is_array(json) ? json_array_get(json, (size_t)atoi(key))
                                   : json_object_get(json, key);
        rest += length + (rest[length] == '.');
    }
    return json;
}

static const char *text_at(const json_t *json, const char *place)
{
    const char *text = json_string_value(at(json, place));
    return text ? text : "(none)";
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void arms_are_replayed(void **state)
{
    static const char *const compared[] = {"frozen_baseline", "loop", "library", "null"};
    (void)state;
    tilec_lab_options options = options_of(&mine);
    json_t *record = run(&options);
    assert_string_equal(text_at(record, "target"), "cuda");
    assert_non_null(strstr(text_at(record, "device"), "Fake GPU"));
    assert_non_null(strstr(text_at(record, "metrics.device"), "graph"));
    assert_string_equal(text_at(record, "absent.0.name"), "other");
    for (size_t c = 0; c < 2; c++) {
        const json_t *item = json_array_get(at(record, "cases"), c);
        assert_string_equal(text_at(item, "status"), "ok");
        assert_string_equal(text_at(item, "compilations.loop.path"), "cuda");
        for (size_t i = 0; i < 4; i++) {
            const json_t *round = json_object_get(at(item, "rounds.1"), compared[i]);
            size_t pairs = (size_t)json_integer_value(at(round, "pairs"));
            assert_true(pairs >= 20);
            assert_true(json_integer_value(at(round, "batch")) >= 1);
            assert_int_equal(json_array_size(at(round, "samples.device_ns.candidate")), pairs);
            assert_int_equal(json_array_size(at(round, "samples.wall_ns.control")), pairs);
            assert_non_null(json_object_get(json_object_get(at(item, "summary"), compared[i]),
                                            "device_us"));
        }
    }
    assert_true(fake->graph_launches > 2 * 4 * 2 * 20);
    assert_int_equal(opened, 2);
    assert_int_equal(closed, 2);
    assert_int_equal(ran, 2); /* the checks; all else is queued */
    assert_true(queued > 0);
    json_decref(record);
}

/* A library that cannot queue is run, dispatch by dispatch. */
static void others_may_only_run(void **state)
{
    (void)state;
    tilec_lab_external plain = mine;
    plain.queue = NULL;
    tilec_lab_options options = options_of(&plain);
    json_t *record = run(&options);
    assert_string_equal(text_at(record, "cases.0.status"), "ok");
    assert_non_null(at(record, "cases.0.summary.library.wall_us"));
    assert_null(at(record, "cases.0.summary.library.device_us"));
    assert_int_equal(queued, 0);
    assert_true(ran > 40);
    json_decref(record);
}

static void wrong_arms_are_not_timed(void **state)
{
    (void)state;
    wrong_function = "rmsnorm_register_kernel";
    tilec_lab_options options = options_of(NULL);
    json_t *record = run(&options);
    assert_string_equal(text_at(record, "cases.0.status"), "incomparable");
    assert_non_null(strstr(text_at(record, "cases.0.correctness.candidate.error"),
                           "differ from the reference"));
    assert_int_equal(fake->graph_launches, 0);
    json_decref(record);
}

/* Some time after the checks, which launch each arm once. */
static void a_failing_arm_stays_with_its_error(void **state)
{
    (void)state;
    launches_left = 300;
    tilec_lab_options options = options_of(NULL);
    json_t *record = run(&options);
    assert_string_equal(text_at(record, "cases.0.status"), "incomparable");
    assert_true(fake->graph_launches > 0);
    const json_t *correctness = at(record, "cases.0.correctness");
    bool said = strstr(text_at(correctness, "candidate.error"), "while it was timed") ||
                strstr(text_at(correctness, "frozen_baseline.error"), "while it was timed") ||
                strstr(text_at(correctness, "loop.error"), "while it was timed");
    assert_true(said);
    json_decref(record);
}

/* ---- tuning ---------------------------------------------------------------------------------- */

enum { ROWS = 3 };

struct tuned {
    tilec_context *context;
    tilec_program *program;
    tilec_kernel *kernel;
    tilec_tuning *tuning;
    float x[ROWS * WIDTH], w[WIDTH], out[ROWS * WIDTH];
};

static tilec_status tune(struct tuned *t, const char *target, void *const data[3], int host_buffers)
{
    const tilec_define type = {"T", "float"};
    tilec_source source = {.size = sizeof source, .path = "kernels/rmsnorm.tile.c",
                           .defines = &type, .define_count = 1};
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_compile_options compile = {.size = sizeof compile, .target = target,
                                     .kernel = "rmsnorm"};
    tilec_autotune_options tuning = {.size = sizeof tuning, .seconds = 1e-4,
                                     .host_buffers = host_buffers};
    const tilec_argument arguments[6] = {tilec_array(TILEC_F32, data[0], ROWS * WIDTH),
                                         tilec_array(TILEC_F32, data[1], WIDTH),
                                         tilec_array(TILEC_F32, data[2], ROWS * WIDTH),
                                         tilec_int(TILEC_I32, ROWS),
                                         tilec_int(TILEC_I32, WIDTH),
                                         tilec_float(TILEC_F32, 1e-5)};
    assert_int_equal(tilec_context_create(&options, &t->context), TILEC_OK);
    assert_int_equal(tilec_program_create(t->context, &source, &t->program), TILEC_OK);
    return tilec_program_autotune(t->program, &compile, arguments, 6, &tuning, &t->kernel,
                                  &t->tuning);
}

static void close_tuned(struct tuned *t)
{
    tilec_tuning_destroy(t->tuning);
    tilec_kernel_destroy(t->kernel);
    tilec_program_destroy(t->program);
    tilec_context_destroy(t->context);
    t->tuning = NULL;
    t->kernel = NULL;
}

static void fill_tuned(struct tuned *t)
{
    *t = (struct tuned){0};
    for (int i = 0; i < ROWS * WIDTH; i++) {
        t->x[i] = 0.01f * (float)(i % 97) - 0.4f;
        t->w[i % WIDTH] = 1;
        t->out[i] = 42;
    }
}

/* By the interpreter's result, on copies, wherever the arrays lie: the caller's stay as they were. */
static void kernels_are_tuned(void **state)
{
    static struct tuned t;
    (void)state;
    for (int host = 0; host < 2; host++) {
        fill_tuned(&t);
        /* The stand-in's device memory is the host's. */
        void *const data[3] = {t.x, t.w, t.out};
        tilec_diagnostic d = {0};
        fake->graph_launches = 0;
        tilec_status status = tune(&t, "cuda", data, host);
        if (status != TILEC_OK)
            fail_msg("%s", tilec_diagnostic_get(t.context, 0, &d) == TILEC_OK ? d.message : "?");
        size_t chosen = 0, timed = 0;
        tilec_candidate c;
        for (size_t i = 0; tilec_tuning_get(t.tuning, i, &c) == TILEC_OK; i++) {
            assert_null(c.error);
            chosen += c.is_chosen;
            timed += c.ratio > 0;
        }
        assert_int_equal(chosen, 1);
        assert_int_equal(timed, tilec_tuning_count(t.tuning));
        assert_true(timed > 1 && fake->graph_launches > 20);
        for (int i = 0; i < ROWS * WIDTH; i++)
            assert_true(t.out[i] == 42);
        close_tuned(&t);
        assert_int_equal(fake->allocations, 0);
    }
}

static void wrong_kernels_are_not_tuned(void **state)
{
    static struct tuned t;
    tilec_diagnostic d;
    (void)state;
    fill_tuned(&t);
    void *const data[3] = {t.x, t.w, t.out};
    wrong_function = "rmsnorm_kernel";
    assert_int_equal(tune(&t, "cuda", data, 1), TILEC_ERROR_FAULT);
    assert_int_equal(tilec_diagnostic_get(t.context, 0, &d), TILEC_OK);
    assert_non_null(strstr(d.message, "wrong: 300 of 300 elements of 'Out'"));
    close_tuned(&t);
    assert_int_equal(tune(&t, "interp", data, 1), TILEC_ERROR_TARGET);
    assert_int_equal(tilec_diagnostic_get(t.context, 0, &d), TILEC_OK);
    assert_non_null(strstr(d.message, "its times choose nothing"));
    close_tuned(&t);
}

static void no_device_is_a_status(void **state)
{
    (void)state;
    char driver[4096];
    snprintf(driver, sizeof driver, "%s", getenv("TILEC_CUDA_DRIVER"));
    setenv("TILEC_CUDA_DRIVER", "/none", 1);
    tilec_lab_text text = {0};
    tilec_lab_options options = options_of(NULL);
    assert_int_equal(tilec_lab_run("tests/lab/small-cuda.json", &options, &text),
                     TILEC_ERROR_TARGET);
    assert_non_null(strstr(text.error, "not installed"));
    tilec_lab_text_free(&text);
    setenv("TILEC_CUDA_DRIVER", driver, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arms_are_replayed, reset, is_clean),
        cmocka_unit_test_setup_teardown(others_may_only_run, reset, is_clean),
        cmocka_unit_test_setup_teardown(wrong_arms_are_not_timed, reset, is_clean),
        cmocka_unit_test_setup_teardown(a_failing_arm_stays_with_its_error, reset, is_clean),
        cmocka_unit_test_setup_teardown(kernels_are_tuned, reset, is_clean),
        cmocka_unit_test_setup_teardown(wrong_kernels_are_not_tuned, reset, is_clean),
        cmocka_unit_test_setup_teardown(no_device_is_a_status, reset, is_clean),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
