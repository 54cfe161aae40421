/* Measured things as JSON; see run_record.h. */
#define _GNU_SOURCE
#include "lab/run_record.h"
#include "base/code_file.h"
#include "base/json_text.h"
#include "base/sha256.h"
#include "lab/baseline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SAMPLES = 4096 }; /* pairs of a round that a record holds; without them it says less */

/* ---- head ------------------------------------------------------------------------------------ */

void lab_bytes_sha256(const void *bytes, size_t length, char hex[LAB_HASH_SIZE])
{
    unsigned char digest[SHA256_BYTES];
    struct sha256 hash;
    sha256_init(&hash);
    sha256_add(&hash, bytes, length);
    sha256_end(&hash, digest);
    sha256_hex(digest, hex);
}

static void add_file(struct sha256 *hash, const char *path)
{
    unsigned char bytes[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        sha256_add(hash, bytes, got);
    fclose(file);
}

/* The library (or the program that holds it), and the backend. */
void lab_compiler_sha256(char hex[LAB_HASH_SIZE])
{
    unsigned char digest[SHA256_BYTES];
    char path[PATH_MAX];
    struct sha256 hash;
    const void *own_code = (const void *)(uintptr_t)lab_compiler_sha256;
    sha256_init(&hash);
    if (code_file(own_code, path))
        add_file(&hash, path);
    if (code_module(own_code, "libtilec-cpu.so", path))
        add_file(&hash, path);
    sha256_end(&hash, digest);
    sha256_hex(digest, hex);
}

void lab_program_sha256(char hex[LAB_HASH_SIZE])
{
    unsigned char digest[SHA256_BYTES];
    struct sha256 hash;
    sha256_init(&hash);
    add_file(&hash, "/proc/self/exe");
    sha256_end(&hash, digest);
    sha256_hex(digest, hex);
}

static json_t *now_text(void)
{
    char text[64];
    struct timespec time;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &time);
    gmtime_r(&time.tv_sec, &utc);
    size_t used = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text + used, sizeof text - used, ".%06ld+00:00", time.tv_nsec / 1000);
    return json_string(text);
}

static json_t *platform_text(void)
{
    struct utsname name;
    if (uname(&name) != 0)
        return json_string("unknown");
    return json_sprintf("%s-%s-%s", name.sysname, name.release, name.machine);
}

/* The processor's own name; false where the system does not tell. */
static bool processor_name(char *name, size_t size)
{
    char line[512];
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        found = colon && strncmp(line, "model name", 10) == 0;
        if (found)
            snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file)
        fclose(file);
    return found;
}

static json_t *device_text(const struct lab_bench *bench)
{
    char name[256];
    tilec_device device;
    const char *description = "unknown";
    for (size_t i = 0; i < tilec_device_count(bench->context); i++)
        if (tilec_device_get(bench->context, i, &device) == TILEC_OK &&
            strcmp(device.target, bench->target) == 0)
            description = device.description;
    if (strcmp(bench->target, "cpu") == 0 && processor_name(name, sizeof name))
        return json_sprintf("%s, %s", name, description);
    return json_string(description);
}

/* What the clocks mean. */
static json_t *metrics_of(const struct lab_bench *bench)
{
    json_t *json = json_object();
    static const char *const cpu[2] = {
        "the kernel's own run in a launch, by the system's clock",
        "per-invocation synchronized wall latency; compilation and allocation excluded"};
    static const char *const gpu[2] = {
        "CUDA events before and behind a replay of a graph of the batch's dispatches, one after the "
        "other, per dispatch",
        "launch of that graph until its end was waited for, per dispatch; compilation, allocation, "
        "copies and the making of the graph excluded"};
    /* By the target: 'regress' measures in other processes, and has no device itself. */
    const char *const *words = strcmp(bench->target, "cuda") == 0 ? gpu : cpu;
    json_object_set_new(json, "device", json_string(words[0]));
    json_object_set_new(json, "wall", json_string(words[1]));
    return json;
}

static json_t *configuration_of(const struct lab_bench *bench, int64_t seed)
{
    json_t *json = json_copy(json_object_get(bench->experiment->json, "configuration"));
    if (seed >= 0)
        json_object_set_new(json, "seed", json_integer(seed));
    return json;
}

/* So that none can be left out of the record unnoticed. */
static json_t *declared_cases(const struct lab_experiment *experiment)
{
    json_t *names = json_array();
    for (size_t i = 0; i < experiment->case_count; i++)
        json_array_append_new(names, json_string(experiment->cases[i].name));
    return names;
}

json_t *lab_record_head(const char *kind, const struct lab_bench *bench, int64_t seed)
{
    char compiler[LAB_HASH_SIZE], program[LAB_HASH_SIZE];
    const struct lab_experiment *experiment = bench->experiment;
    json_t *head = json_object();
    lab_compiler_sha256(compiler);
    lab_program_sha256(program);
    json_object_set_new(head, "kind", json_string(kind));
    json_object_set_new(head, "version", json_integer(1));
    json_object_set_new(head, "experiment", json_string(experiment->name));
    json_object_set_new(head, "experiment_sha256", json_string(experiment->sha256));
    json_object_set_new(head, "recorded_at", now_text());
    json_object_set_new(head, "process_id", json_integer(getpid()));
    json_object_set_new(head, "platform", platform_text());
    json_object_set_new(head, "device", device_text(bench));
    json_object_set_new(head, "target", json_string(bench->target));
    json_object_set_new(head, "compiler_version", json_string(tilec_version()));
    json_object_set_new(head, "compiler_implementation_sha256", json_string(compiler));
    json_object_set_new(head, "benchmark_source_sha256", json_string(program));
    json_object_set_new(head, "metrics", metrics_of(bench));
    json_object_set_new(head, "declared_cases", declared_cases(experiment));
    if (experiment->cases_left_out)
        json_object_set_new(head, "cases_left_out",
                            json_integer((json_int_t)experiment->cases_left_out));
    json_object_set(head, "precision_comparison",
                    json_object_get(experiment->json, "precision_comparison"));
    json_object_set_new(head, "configuration", configuration_of(bench, seed));
    return head;
}

/* ---- arms ------------------------------------------------------------------------------------ */

json_t *lab_record_case(const struct lab_experiment *experiment, const struct lab_case *c)
{
    const struct lab_problem *problem = experiment->problem;
    json_t *json = json_object(), *list = problem->list ? json_array() : NULL;
    json_object_set_new(json, "name", json_string(c->name));
    json_object_set_new(json, "dtype", json_string(lab_dtype_name(c->dtype)));
    for (int d = 0; d < problem->dimension_count; d++) {
        if (list)
            json_array_append_new(list, json_integer(c->sizes[d]));
        else
            json_object_set_new(json, problem->dimensions[d], json_integer(c->sizes[d]));
    }
    if (list)
        json_object_set_new(json, problem->list, list);
    if (problem->epsilon)
        json_object_set_new(json, "epsilon", json_real(experiment->epsilon));
    return json;
}

/* JSON has no infinity: an error that is not finite is said in words. */
static json_t *error_size(double error)
{
    return isfinite(error) ? json_real(error) : json_string("not finite");
}

json_t *lab_record_correctness(const struct lab_bench *bench, const struct lab_ready *ready,
                               enum lab_dtype dtype)
{
    const struct lab_tolerance *tolerance = &bench->experiment->tolerances[dtype];
    json_t *json = json_object();
    json_object_set_new(json, "passed", json_boolean(!ready->error));
    if (ready->checked)
        json_object_set_new(json, "max_absolute_error",
                            error_size(ready->check.max_absolute_error));
    json_object_set_new(json, "rtol", json_real(tolerance->rtol));
    json_object_set_new(json, "atol", json_real(tolerance->atol));
    if (ready->arm->external && ready->external && ready->external->version)
        json_object_set_new(json, "version", json_string(ready->external->version));
    if (ready->error)
        json_object_set_new(json, "error", json_string(ready->error));
    return json;
}

/* [{path, source, source_sha256}] of the files that the arm's file includes, each once, or NULL for
 * none. Paths are relative to it. */
static json_t *includes_of(const struct lab_bench *bench, const struct lab_ready *ready)
{
    const char *file = ready->arm->file, *slash = strrchr(file, '/');
    size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
    size_t count = ready->program ? tilec_program_file_count(ready->program) : 0;
    json_t *seen = json_object(), *list = NULL;
    for (size_t i = 1; i < count; i++) { /* the first is the file itself */
        const char *path = tilec_program_file(ready->program, i), *error = NULL;
        char hex[LAB_HASH_SIZE];
        size_t length;
        if (json_object_get(seen, path))
            continue;
        json_object_set_new(seen, path, json_true());
        const char *text = json_text_file(bench->arena, path, 1 << 20, &length, &error);
        bool below = strncmp(path, file, folder) == 0;
        json_t *json = json_object();
        json_object_set_new(json, "path", json_string(below ? path + folder : path));
        json_object_set_new(json, "source", json_stringn(text ? text : "", text ? length : 0));
        lab_bytes_sha256(text ? text : "", text ? length : 0, hex);
        json_object_set_new(json, "source_sha256", json_string(hex));
        list = list ? list : json_array();
        json_array_append_new(list, json);
    }
    json_decref(seen);
    return list;
}

json_t *lab_record_shader(const struct lab_bench *bench, const struct lab_ready *ready,
                          const struct lab_text *text, const struct lab_case *c)
{
    char hex[LAB_HASH_SIZE];
    const struct lab_arm *arm = ready->arm;
    json_t *json = json_object();
    lab_bytes_sha256(text->text, text->length, hex);
    json_object_set_new(json, "source", json_stringn(text->text, text->length));
    json_object_set_new(json, "source_sha256", json_string(hex));
    json_t *includes = text->tile_ir ? NULL : includes_of(bench, ready);
    if (includes)
        json_object_set_new(json, "includes", includes);
    json_object_set_new(json, "function_name", json_string(arm->kernel));
    json_object_set_new(json, "constants", lab_constants_json(bench->experiment, arm, c));
    json_object_set_new(json, "requirements", lab_requirements_json(arm));
    return json;
}

json_t *lab_record_compilation(const struct lab_bench *bench, const struct lab_ready *ready)
{
    tilec_kernel_info info = {.size = sizeof info};
    json_t *json = json_object(), *flags = json_array();
    if (ready->arm->relaxed)
        json_array_append_new(flags, json_string("relaxed"));
    json_object_set_new(json, "path", json_string(bench->target));
    json_object_set_new(json, "flags", flags);
    if (tilec_kernel_get_info(ready->kernel, &info) == TILEC_OK && *info.cpu)
        json_object_set_new(json, "compiler",
                            json_sprintf("tilec %s, %s", tilec_version(), info.cpu));
    else
        json_object_set_new(json, "compiler", json_sprintf("tilec %s", tilec_version()));
    return json;
}

json_t *lab_record_compile_time(const struct lab_ready *ready)
{
    tilec_kernel_info info = {.size = sizeof info};
    bool known = tilec_kernel_get_info(ready->kernel, &info) == TILEC_OK;
    json_t *json = json_object();
    json_object_set_new(json, "seconds", json_real(ready->compile_seconds));
    json_object_set_new(json, "from_cache", json_boolean(known && info.from_cache));
    return json;
}

/* ---- times ----------------------------------------------------------------------------------- */

static json_t *medians_of(const struct measured *m, int round, enum measure_time time)
{
    struct measure_medians medians;
    json_t *json = json_object();
    if (!measure_round_medians(&m->rounds[round], time, &medians))
        return json;
    json_object_set_new(json, "candidate", json_real(medians.candidate * 1e6));
    json_object_set_new(json, "control", json_real(medians.control * 1e6));
    json_object_set_new(json, "speedup", json_real(medians.speedup));
    return json;
}

static json_t *samples_of_arm(const struct measure_round *round, enum measure_time time,
                              bool candidate)
{
    json_t *list = json_array();
    for (int i = 0; i < round->count; i++) {
        const struct measure_pair *pair = &round->pairs[i];
        const struct measure_sample *sample = candidate ? &pair->candidate : &pair->control;
        json_array_append_new(list, json_integer(measure_sample_ns(sample, time, round->batch)));
    }
    return list;
}

static json_t *samples_of_time(const struct measure_round *round, enum measure_time time)
{
    json_t *json = json_object();
    json_object_set_new(json, "candidate", samples_of_arm(round, time, true));
    json_object_set_new(json, "control", samples_of_arm(round, time, false));
    return json;
}

/* The pairs, from which all else follows, with a hash that makes each of them firm. */
static void put_samples(struct arena *arena, const struct measured *m,
                        const struct measure_round *round, json_t *json)
{
    char hex[LAB_HASH_SIZE];
    if (round->count > MOST_SAMPLES)
        return;
    json_t *samples = json_object();
    json_object_set_new(samples, "wall_ns", samples_of_time(round, MEASURE_WALL));
    if (m->has_device)
        json_object_set_new(samples, "device_ns", samples_of_time(round, MEASURE_DEVICE));
    json_text_sha256(arena, samples, NULL, hex);
    json_object_set_new(json, "samples", samples);
    json_object_set_new(json, "samples_sha256", json_string(hex));
}

json_t *lab_record_round(struct arena *arena, const struct measured *m, int round)
{
    json_t *json = json_object();
    json_object_set_new(json, "pairs", json_integer(m->rounds[round].count));
    json_object_set_new(json, "batch", json_integer(m->rounds[round].batch));
    json_object_set_new(json, "order",
                        json_string("alternating AB/BA with per-dispatch synchronization"));
    json_object_set_new(json, "wall_us", medians_of(m, round, MEASURE_WALL));
    if (m->has_device)
        json_object_set_new(json, "device_us", medians_of(m, round, MEASURE_DEVICE));
    put_samples(arena, m, &m->rounds[round], json);
    return json;
}

static json_t *bound(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *effect_of(const struct measured *m, const struct measure_effect *effect,
                         enum measure_time time)
{
    json_t *json = json_object(), *rounds = json_array();
    json_t *paired = json_object(), *interval = json_array();
    for (int r = 0; r < m->round_count; r++) {
        struct measure_medians medians;
        if (measure_round_medians(&m->rounds[r], time, &medians))
            json_array_append_new(rounds, json_real(medians.speedup));
    }
    json_object_set_new(json, "speedup", json_real(effect->speedup));
    json_object_set_new(json, "round_speedups", rounds);
    json_object_set_new(json, "candidate", json_real(effect->candidate * 1e6));
    json_object_set_new(json, "control", json_real(effect->control * 1e6));
    json_array_append_new(interval, bound(effect->interval.low));
    json_array_append_new(interval, bound(effect->interval.high));
    json_object_set_new(paired, "latency_ratio", json_real(effect->ratio));
    json_object_set_new(paired, "interval", interval);
    json_object_set_new(paired, "confidence", json_real(m->options->confidence));
    json_object_set_new(json, "paired", paired);
    return json;
}

json_t *lab_record_summary(const struct measured *m)
{
    json_t *json = json_object();
    if (m->has_device)
        json_object_set_new(json, "device_us", effect_of(m, &m->device, MEASURE_DEVICE));
    json_object_set_new(json, "wall_us", effect_of(m, &m->wall, MEASURE_WALL));
    return json;
}

/* ---- out ------------------------------------------------------------------------------------- */

void lab_record_deliver(struct lab_call *call, json_t *record)
{
    char hex[LAB_HASH_SIZE];
    json_text_sha256(&call->arena, record, NULL, hex);
    json_object_set_new(record, "record_sha256", json_string(hex));
    json_text_indented(&call->out, record);
}
