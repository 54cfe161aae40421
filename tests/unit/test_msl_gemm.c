/*
 * The eight cases of gemm-staged.json, a record of an earlier compiler: our kernel, compiled as the
 * record's was (tiles of 64 x 64 x 16, double buffering required), has the record's pipeline, phase
 * by phase, its allocations and its passes, and on msl-host gives the products of the recorded
 * inputs within the recorded tolerances.
 *
 * Of 1024 x 1024 x 1024 some threadgroups run, because all take minutes: MSL_GEMM_WHOLE=1 runs all.
 * The record lies outside of this repository; where it is not, the test is skipped and says so.
 */
#include "base/half.h"
#include "base/random.h"
#include "../skip.h"
#include "gpu_source.h"
#include "recorded.h"

#include <jansson.h>
#include <math.h>
#include <openssl/evp.h>

struct problem {
    const char *name;
    int m, n, k;
    bool is_half;
    double rtol, atol;
    double *a, *b;            /* as stored: rounded */
    unsigned char *bytes, *c; /* a, then b */
    size_t element, a_bytes, b_bytes, c_bytes;
};

/* ---- inputs ---------------------------------------------------------------------------------- */

static double store(struct problem *p, unsigned char *at, double value)
{
    uint16_t bits = half_from_double(value);
    float single = (float)value;
    memcpy(at, p->is_half ? (void *)&bits : (void *)&single, p->element);
    return p->is_half ? (double)half_to_float(bits) : (double)single;
}

static double load(const struct problem *p, size_t index)
{
    uint16_t bits;
    float single;
    const unsigned char *at = p->c + index * p->element;
    memcpy(p->is_half ? (void *)&bits : (void *)&single, at, p->element);
    return p->is_half ? (double)half_to_float(bits) : (double)single;
}

static void check_hash(const struct problem *p, const char *recorded)
{
    unsigned char hash[32];
    char text[65];
    unsigned length;
    assert_true(EVP_Digest(p->bytes, p->a_bytes + p->b_bytes, hash, &length, EVP_sha256(), NULL));
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(text, recorded);
}

static void make_inputs(struct problem *p, const json_t *recorded)
{
    struct random random;
    size_t a = (size_t)p->m * (size_t)p->k, b = (size_t)p->k * (size_t)p->n;
    p->element = p->is_half ? 2 : 4;
    p->a_bytes = a * p->element;
    p->b_bytes = b * p->element;
    p->c_bytes = (size_t)p->m * (size_t)p->n * p->element;
    p->a = malloc(a * sizeof *p->a);
    p->b = malloc(b * sizeof *p->b);
    p->bytes = malloc(p->a_bytes + p->b_bytes);
    p->c = malloc(p->c_bytes);
    memset(p->c, 0xff, p->c_bytes); /* NaN */
    random_seed(&random, (uint64_t)json_integer_value(json_object_get(recorded, "seed")));
    for (size_t i = 0; i < a; i++)
        p->a[i] = store(p, p->bytes + i * p->element, random_normal(&random) / sqrt(p->k));
    for (size_t i = 0; i < b; i++)
        p->b[i] = store(p, p->bytes + p->a_bytes + i * p->element, random_normal(&random));
    check_hash(p, json_string_value(json_object_get(recorded, "input_sha256")));
}

static void read_problem(struct problem *p, const json_t *recorded)
{
    const json_t *shape = json_object_get(recorded, "shape");
    const json_t *correctness = json_object_get(recorded, "correctness");
    *p = (struct problem){
        .name = json_string_value(json_object_get(recorded, "name")),
        .m = (int)json_integer_value(json_array_get(shape, 0)),
        .n = (int)json_integer_value(json_array_get(shape, 1)),
        .k = (int)json_integer_value(json_array_get(shape, 2)),
        .is_half = strcmp(json_string_value(json_object_get(recorded, "dtype")), "float16") == 0,
        .rtol = json_number_value(json_object_get(correctness, "rtol")),
        .atol = json_number_value(json_object_get(correctness, "atol")),
    };
    make_inputs(p, recorded);
}

static void end_problem(struct problem *p)
{
    free(p->a);
    free(p->b);
    free(p->bytes);
    free(p->c);
}

/* ---- what was generated, beside the record --------------------------------------------------- */

static const char *text_of(const json_t *object, const char *field)
{
    const char *text = json_string_value(json_object_get(object, field));
    return text ? text : "";
}

/* The recorded list of {buffer, slot} against sets of positions. */
static void compare_slots(const struct gpu_pipeline *p, const json_t *list, const uint16_t *sets)
{
    uint16_t recorded[GPU_PIPELINE_BUFFERS] = {0};
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        int buffer = 0;
        while (strcmp(p->buffers[buffer].name, text_of(item, "buffer")) != 0)
            assert_true(++buffer < p->buffer_count);
        recorded[buffer] |= strcmp(text_of(item, "slot"), "current") == 0 ? 1 : 2;
    }
    assert_memory_equal(recorded, sets, sizeof recorded);
}

static void compare_pipeline(const struct gpu_pipeline *p, const json_t *recorded)
{
    const json_t *phases = json_object_get(recorded, "phases");
    const json_t *buffers = json_object_get(recorded, "buffers");
    assert_int_equal(p->stages, json_integer_value(json_object_get(recorded, "stages")));
    assert_string_equal(gpu_mechanism_names[p->mechanism], text_of(recorded, "mechanism"));
    assert_int_equal(p->phase_count, json_array_size(phases));
    for (int i = 0; i < p->phase_count; i++) {
        const struct gpu_phase *phase = &p->phases[i];
        const json_t *item = json_array_get(phases, (size_t)i);
        assert_string_equal(phase->name, text_of(item, "name"));
        assert_string_equal(gpu_region_names[phase->region], text_of(item, "region"));
        assert_string_equal(gpu_phase_kind_names[phase->kind], text_of(item, "kind"));
        compare_slots(p, json_object_get(item, "reads"), phase->reads);
        compare_slots(p, json_object_get(item, "writes"), phase->writes);
        compare_slots(p, json_object_get(item, "publishes"), phase->publishes);
        compare_slots(p, json_object_get(item, "recycles"), phase->recycles);
        size_t rotated = json_array_size(json_object_get(item, "rotates"));
        assert_int_equal(phase->rotates[0] + phase->rotates[1], rotated);
    }
    assert_int_equal(p->buffer_count, json_array_size(buffers));
    for (int i = 0; i < p->buffer_count; i++) {
        const struct gpu_buffer *buffer = &p->buffers[i];
        const json_t *item = json_array_get(buffers, (size_t)i);
        assert_string_equal(buffer->name, text_of(item, "logical_name"));
        assert_string_equal(ir_elems[buffer->elem].c_name, text_of(item, "element_type"));
        assert_int_equal(gpu_buffer_elements(buffer) + gpu_buffer_padding(buffer),
                         json_integer_value(json_object_get(item, "elements")));
    }
}

/* All recorded passes, under our names. */
static void compare_passes(const struct gpu_kernel *gpu, const json_t *recorded)
{
    size_t i;
    json_t *item;
    json_array_foreach(recorded, i, item)
    {
        const char *name = json_string_value(item);
        name = strcmp(name, "fold_constants") == 0 ? "fold" : name;
        bool found = false;
        for (int k = 0; k < gpu->pass_count; k++)
            found = found || strcmp(gpu->passes[k], name) == 0;
        if (!found)
            fail_msg("pass '%s' of the record is missing", name);
    }
}

struct counts {
    int barriers, loads, products;
    int64_t shared_bytes;
};

static bool count_op(struct ir_op *op, void *user)
{
    struct counts *c = user;
    c->barriers += (int)op->code == GPU_OP_BARRIER;
    c->loads += (int)op->code == GPU_OP_FRAGMENT_LOAD;
    c->products += (int)op->code == GPU_OP_FRAGMENT_MMA;
    return true;
}

/* The loop over K: the one that holds barriers. */
static bool find_loop(struct ir_op *op, void *user)
{
    struct counts inside = {0};
    if (op->code != IR_OP_FOR)
        return true;
    ir_walk(op->regions[0], count_op, &inside);
    if (inside.barriers == 0)
        return true;
    *(struct counts *)user = inside;
    return false;
}

static int64_t recorded_bytes(const json_t *report)
{
    int64_t bytes = 0;
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(report, "allocations"), i, item) bytes +=
        json_integer_value(json_object_get(item, "bytes"));
    return bytes;
}

static int recorded_barriers(const json_t *pipeline)
{
    int count = 0;
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(pipeline, "phases"), i, item) count +=
        strcmp(text_of(item, "region"), "steady") == 0 &&
        strcmp(text_of(item, "kind"), "barrier") == 0;
    return count;
}

static void compare_report(const struct problem *p, const struct gpu_kernel *gpu,
                           const json_t *report)
{
    const json_t *pipeline = json_array_get(json_object_get(report, "pipelines"), 0);
    struct counts loop = {0};
    assert_int_equal(gpu->pipeline_count, 1);
    compare_pipeline(gpu->pipelines[0], pipeline);
    compare_passes(gpu, json_object_get(report, "passes"));
    assert_int_equal(gpu->threads,
                     json_integer_value(json_array_get(
                         json_object_get(json_object_get(report, "plan"), "threadgroup_size"), 0)));
    ir_walk(gpu->func->body, find_loop, &loop);
    assert_true(loop.barriers <= recorded_barriers(pipeline));
    assert_true(gpu->shared_bytes <= recorded_bytes(report));
    print_message("%s: %d bytes of threadgroup memory (record: %d), %d barriers per step (%d), "
                  "%d fragment loads for %d products\n",
                  p->name, gpu->shared_bytes, (int)recorded_bytes(report), loop.barriers,
                  recorded_barriers(pipeline), loop.loads, loop.products);
}

/* ---- running --------------------------------------------------------------------------------- */

static struct gpu_kernel *compile(struct gpu_source *s, const struct problem *p, struct text *text)
{
    struct gpu_choices choices = {.constants = {{"T", p->is_half ? "half" : "float"},
                                                {"BLOCK_M", "64"},
                                                {"BLOCK_N", "64"},
                                                {"BLOCK_K", "16"}},
                                  .requirements = {"buffering=2", "backend=simdgroup"}};
    struct gpu_options options = {.verify_each = true};
    const char *source = gpu_source_read(s, "kernels/gemm.tile.c");
    struct ir_kernel *made = gpu_source_lower(s, source, NULL, &choices);
    struct gpu_kernel *gpu =
        made ? gpu_lower(made, NULL, &options, &s->arena, &s->diagnostics) : NULL;
    text_init(text, &s->arena);
    if (!gpu || !emit_kernel(gpu, &emit_msl, text, &s->diagnostics))
        gpu_source_fail(s, "the kernel does not compile");
    return gpu;
}

/* Corners, an edge, and two inside. */
static const uint32_t some[][3] = {{0, 0, 0}, {15, 15, 0}, {15, 0, 0}, {7, 9, 0}};

static void run(struct gpu_source *s, const struct problem *p, const struct text *text, int threads)
{
    int sizes[] = {p->m, p->n, p->k};
    struct msl_host_buffer buffers[] = {{p->bytes, p->a_bytes}, {p->bytes + p->a_bytes, p->b_bytes},
                                        {p->c, p->c_bytes},     {&sizes[0], 4},
                                        {&sizes[1], 4},         {&sizes[2], 4}};
    struct msl_host_launch launch = {
        .groups = {(uint32_t)(p->m + 63) / 64, (uint32_t)(p->n + 63) / 64, 1},
        .threads = {(uint32_t)threads, 1, 1},
        .buffers = buffers,
        .buffer_count = 6,
        .order = 4,
    };
    if (p->m == 1024 && !getenv("MSL_GEMM_WHOLE")) {
        launch.only = some;
        launch.only_count = sizeof some / sizeof *some;
    }
    struct msl_host_program *program =
        msl_host_compile(text->items, text->count, true, NULL, &s->diagnostics);
    if (!program || !msl_host_run(program, &launch, &s->diagnostics))
        gpu_source_fail(s, p->name);
    msl_host_free(program);
}

/* Every element that was written; how many that are. */
static size_t check_result(const struct problem *p)
{
    size_t written = 0;
    for (size_t i = 0; i < (size_t)p->m * (size_t)p->n; i++) {
        double is = load(p, i), sum = 0;
        const double *a = p->a + i / (size_t)p->n * (size_t)p->k, *b = p->b + i % (size_t)p->n;
        if (isnan(is))
            continue;
        for (int k = 0; k < p->k; k++)
            sum += a[k] * b[(size_t)k * (size_t)p->n];
        if (!(fabs(is - sum) <= p->atol + p->rtol * fabs(sum)))
            fail_msg("%s: element %zu is %g, not %g", p->name, i, is, sum);
        written++;
    }
    return written;
}

static void check_case(const json_t *recorded)
{
    struct gpu_source s;
    struct problem p;
    struct text text;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    read_problem(&p, recorded);
    struct gpu_kernel *gpu = compile(&s, &p, &text);
    compare_report(&p, gpu, json_object_get(recorded, "execution_report"));
    run(&s, &p, &text, gpu->threads);
    bool whole = p.m != 1024 || getenv("MSL_GEMM_WHOLE");
    size_t wanted = whole ? (size_t)p.m * (size_t)p.n : sizeof some / sizeof *some * 64 * 64;
    assert_int_equal(check_result(&p), wanted);
    end_problem(&p);
    arena_free(&s.arena);
}

static void recorded_cases(void **unused)
{
    (void)unused;
    json_t *record = load_recorded("gemm-staged"), *recorded;
    if (!record || !msl_host_available()) {
        bool found = record;
        json_decref(record);
        SKIP("%s", found ? SKIP_WITHOUT_CLANG : RECORDED_MISSING);
    }
    json_t *samples = json_object_get(json_object_get(record, "samples"), "current");
    json_t *cases = json_object_get(json_array_get(samples, 0), "cases");
    size_t i;
    assert_int_equal(json_array_size(cases), 8);
    json_array_foreach(cases, i, recorded) check_case(recorded);
    json_decref(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_cases)};
    return RUN_TESTS(tests, NULL, NULL);
}
