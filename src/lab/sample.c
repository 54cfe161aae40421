/*
 * tilec lab sample: what one compiler's kernel takes in every case of a `processes` experiment, as
 * one object for `tilec lab regress`, which runs two compilers in processes of their own.
 */
#include "lab/checking.h"
#include "lab/run_record.h"
#include "lab/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sample {
    struct lab_session session;
    const char *path;
    json_t *answer;
};

/* The text nearest to the device that tilec itself writes. */
static tilec_stage last_stage(const char *target)
{
    static const struct {
        const char *target;
        tilec_stage stage;
    } stages[] = {{"cpu", TILEC_STAGE_ASSEMBLY},
                  {"cuda", TILEC_STAGE_CUDA},
                  {"msl-host", TILEC_STAGE_MSL}};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (strcmp(stages[i].target, target) == 0)
            return stages[i].stage;
    return TILEC_STAGE_LOWERED;
}

/* What the compiler generates, as text that is the same whenever the code is. */
static json_t *generated_sha256(const struct lab_session *s, const struct lab_ready *ready)
{
    char hex[LAB_HASH_SIZE], *text;
    size_t length;
    if (!ready->program || tilec_emit(ready->program, &ready->compiled, last_stage(s->bench.target),
                                      &text, &length) != TILEC_OK)
        return json_null();
    lab_bytes_sha256(text, length, hex);
    tilec_release(s->bench.context, text);
    return json_string(hex);
}

/* Every sample of all rounds; the arm alternates with itself. */
static double *collect(const struct measured *m, enum measure_time time, size_t *count)
{
    size_t all = 0, n = 0;
    for (int r = 0; r < m->round_count; r++)
        all += 2 * (size_t)m->rounds[r].count;
    double *values = malloc((all + 1) * sizeof *values);
    for (int r = 0; values && r < m->round_count; r++)
        for (int i = 0; i < m->rounds[r].count; i++) {
            const struct measure_pair *pair = &m->rounds[r].pairs[i];
            values[n++] = time == MEASURE_WALL ? pair->control.wall : pair->control.device;
            values[n++] = time == MEASURE_WALL ? pair->candidate.wall : pair->candidate.device;
        }
    *count = n;
    return values;
}

static void put_times(json_t *timing, const struct measured *m, enum measure_time time,
                      const char *median_key, const char *range_key)
{
    size_t count;
    double *values = collect(m, time, &count);
    if (!values || !count) {
        free(values);
        return;
    }
    double median = lab_median(values, count); /* sorts */
    json_t *range = json_array();
    json_array_append_new(range, json_real(values[0] * 1e6));
    json_array_append_new(range, json_real(values[count - 1] * 1e6));
    json_object_set_new(timing, median_key, json_real(median * 1e6));
    json_object_set_new(timing, range_key, range);
    json_object_set_new(timing, "samples", json_integer((json_int_t)count));
    free(values);
}

static json_t *timing_json(struct lab_session *s)
{
    struct measured *m = &s->measured[0];
    json_t *timing = json_object();
    s->measured_count = 1;
    if (measure_arms(&s->arms[0], &s->arms[0], &s->measuring, &s->clock, m)) {
        put_times(timing, m, MEASURE_DEVICE, "device_us", "device_min_max_us");
        put_times(timing, m, MEASURE_WALL, "wall_us", "wall_min_max_us");
    } else {
        s->ready[0].error = arena_format(s->bench.arena, "while it was timed: %s", m->why);
    }
    measure_free(m);
    s->measured_count = 0;
    return timing;
}

/* How the case ended. */
static void put_status(const struct lab_session *s, json_t *json, json_t *timing)
{
    const char *error = s->ready[0].error;
    if (timing)
        json_object_set_new(json, "timing", timing);
    json_object_set_new(json, "status", json_string(error ? "error" : timing ? "ok" : "checked"));
    if (error)
        json_object_set_new(json, "error", json_string(error));
}

static json_t *sample_case(struct lab_session *s, size_t place, int64_t seed)
{
    const struct lab_experiment *e = &s->experiment;
    const struct lab_case *c = &e->cases[place];
    if (!lab_session_case(s, c, seed))
        return NULL;
    json_t *json = lab_record_case(e, c);
    json_object_set_new(json, "seed", json_integer((json_int_t)e->problem->seed(seed, c)));
    json_object_set_new(json, "input_sha256", json_string(s->input_sha256));
    json_object_set_new(json, "correctness",
                        lab_record_correctness(&s->bench, &s->ready[0], c->dtype));
    json_object_set_new(json, "source_sha256", generated_sha256(s, &s->ready[0]));
    json_t *timing = s->ready[0].error || !s->timed ? NULL : timing_json(s);
    if (timing && s->ready[0].error) {
        json_decref(timing);
        timing = NULL;
    }
    put_status(s, json, timing);
    lab_session_case_end(s);
    return json;
}

static bool sample_cases(struct lab_session *s, json_t *cases)
{
    size_t count = s->experiment.case_count;
    for (size_t i = 0; i < count; i++) {
        json_t *json = sample_case(s, i, s->experiment.seed);
        if (!json)
            return false;
        json_array_append_new(cases, json);
        lab_session_progress(s, s->experiment.cases[i].name, (double)(i + 1) / (double)count);
    }
    return true;
}

/* The folder or program that was asked to answer. */
static json_t *root_of(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? json_stringn(path, (size_t)length) : json_string("unknown");
}

static void work(struct lab_call *call)
{
    struct sample *sample = (struct sample *)call->arguments;
    struct lab_session *s = &sample->session;
    json_t *cases;
    if (!lab_session_open(s, call, sample->path, LAB_PROCESSES))
        return;
    sample->answer = lab_record_head("sample", &s->bench, s->experiment.seed);
    call->files[call->file_count++] = sample->answer;
    json_object_set_new(sample->answer, "root", root_of());
    json_object_set_new(sample->answer, "cases", cases = json_array());
    if (!s->timed)
        json_object_set_new(sample->answer, "timing_refused",
                            json_sprintf("target '%s' checks kernels: its times are those of the "
                                         "checks",
                                         s->bench.target));
    if (s->timed ? !sample_cases(s, cases)
                 : !lab_check_all(s, sample->path, sample_case, s->experiment.seed, cases))
        return;
    lab_record_deliver(call, sample->answer);
}

tilec_status tilec_lab_sample(const char *experiment, const tilec_lab_options *options,
                              tilec_lab_text *text)
{
    if (!experiment || !text)
        return TILEC_ERROR_INVALID;
    struct sample *sample = calloc(1, sizeof *sample);
    if (!sample)
        return TILEC_ERROR_NO_MEMORY;
    sample->path = experiment;
    tilec_status status = TILEC_ERROR_INVALID;
    if (lab_options_read(&sample->session.options, options))
        status = lab_call_run(work, sample, text);
    lab_session_close(&sample->session);
    free(sample);
    return status;
}
