/* Measuring sessions; see session.h. */
#define _GNU_SOURCE
#include "lab/session.h"
#include "base/json_text.h"

#include <math.h>
#include <string.h>

/* ---- opening --------------------------------------------------------------------------------- */

static const char *const form_words[] = {[LAB_COMPARISON] = "a comparison",
                                         [LAB_TUNING] = "a tuning",
                                         [LAB_PROCESSES] = "a comparison of processes"};

static bool check_target(struct lab_session *s)
{
    const struct lab_experiment *e = &s->experiment;
    struct text names;
    text_init(&names, &s->call->arena);
    for (size_t i = 0; i < e->target_count; i++) {
        if (strcmp(e->targets[i], s->bench.target) == 0)
            return true;
        text_format(&names, "%s'%s'", i ? ", " : "", e->targets[i]);
    }
    lab_call_fail(s->call, TILEC_ERROR_TARGET,
                  "experiment '%s' is for the targets %s, not for '%s'; its arms ask for what "
                  "'%s' does not have",
                  e->name, names.items, s->bench.target, s->bench.target);
    return false;
}

/* Only the cases that the caller names, in the experiment's order. */
static bool keep_cases(struct lab_session *s)
{
    struct lab_experiment *e = &s->experiment;
    size_t kept = 0, wanted = s->options.case_count;
    if (wanted == 0)
        return true;
    for (size_t k = 0; k < wanted; k++) {
        bool known = false;
        for (size_t i = 0; i < e->case_count; i++)
            known = known || strcmp(e->cases[i].name, s->options.cases[k]) == 0;
        if (known)
            continue;
        lab_call_fail(s->call, TILEC_ERROR_NOT_FOUND, "experiment '%s' has no case '%s'", e->name,
                      s->options.cases[k]);
        return false;
    }
    for (size_t i = 0; i < e->case_count; i++) {
        bool keep = false;
        for (size_t k = 0; k < wanted; k++)
            keep = keep || strcmp(e->cases[i].name, s->options.cases[k]) == 0;
        if (keep)
            e->cases[kept++] = e->cases[i]; /* with its own index, which seeds depend on */
    }
    e->cases_left_out = e->case_count - kept;
    e->case_count = kept;
    return true;
}

/* Times of the checkers are those of the checks. */
static bool has_times(const char *target)
{
    return strcmp(target, "msl-host") != 0 && strcmp(target, "interp") != 0;
}

static void read_configuration(struct lab_session *s)
{
    const struct lab_configuration *c = &s->experiment.configuration;
    s->measuring = measure_options_default;
    s->measuring.warmup = c->warmup_ms * 1e-3;
    s->measuring.budget = c->rep_ms * 1e-3;
    s->measuring.least_sample = c->batch_us * 1e-6;
    if (s->experiment.form != LAB_PROCESSES) /* whose records hold no pairs */
        s->measuring.least_sample =
            fmax(s->measuring.least_sample, s->measuring.budget / (2 * LAB_FEW_PAIRS));
    s->measuring.least_pairs = (int)c->minimum_pairs;
    s->measuring.most_pairs = 1000000;
    s->measuring.least_rounds = (int)c->rounds;
    s->measuring.most_rounds = (int)(c->most_rounds > c->rounds ? c->most_rounds : c->rounds);
    s->bench.threads = (int)c->threads;
}

/* The kernel files once, so that every case compiles the same bytes. */
static bool read_texts(struct lab_session *s)
{
    const struct lab_experiment *e = &s->experiment;
    s->texts = ARENA_ARRAY(&s->call->arena, struct lab_text, e->arm_count);
    for (size_t i = 0; i < e->arm_count; i++) {
        const struct lab_arm *arm = &e->arms[i];
        const char *error = NULL;
        if (arm->external || arm->frozen)
            continue;
        s->texts[i].path = arm->file;
        s->texts[i].text =
            json_text_file(&s->call->arena, arm->file, 1 << 20, &s->texts[i].length, &error);
        if (!s->texts[i].text) {
            lab_call_fail(s->call, TILEC_ERROR_IO, "%s: arm '%s': %s", e->path, arm->name, error);
            return false;
        }
    }
    return true;
}

static bool open_baseline(struct lab_session *s)
{
    const char *bytes, *error = NULL, *path = s->options.baseline;
    size_t length;
    if (!path)
        return true;
    const json_t *json = lab_call_read(s->call, path, &bytes, &length);
    if (!json)
        return false;
    s->has_baseline = lab_baseline_check(&s->call->arena, json, bytes, length, &s->experiment,
                                         s->bench.target, &s->baseline, &error);
    if (!s->has_baseline)
        lab_call_fail(s->call, TILEC_ERROR_INVALID, "the baseline '%s' %s", path, error);
    return s->has_baseline;
}

static bool open_context(struct lab_session *s)
{
    tilec_context_options options = {.size = sizeof options,
                                     .cache_directory = s->options.cache_directory};
    tilec_status status = tilec_context_create(&options, &s->bench.context);
    if (status == TILEC_OK)
        return true;
    lab_call_fail(s->call, status, "no context: %s", tilec_status_string(status));
    return false;
}

/* A GPU's arms and arrays are measured as device.h says. */
static bool open_device(struct lab_session *s)
{
    tilec_diagnostic diagnostic;
    if (strcmp(s->bench.target, "cuda") != 0)
        return true;
    s->bench.device = &s->device;
    if (lab_device_open(&s->device, s->bench.context))
        return true;
    bool known = tilec_diagnostic_get(s->bench.context, 0, &diagnostic) == TILEC_OK;
    lab_call_fail(s->call, TILEC_ERROR_TARGET, "%s",
                  known ? diagnostic.message : "the target 'cuda' is not available");
    return false;
}

bool lab_session_open(struct lab_session *s, struct lab_call *call, const char *path,
                      enum lab_form form)
{
    const char *error = NULL;
    s->call = call;
    s->clock = measure_clock_monotonic;
    if (s->options.now) {
        s->clock = (struct measure_clock){s->options.now, s->options.clock_user};
        s->bench.clock = &s->clock;
    }
    s->begin = measure_clock_monotonic.now(NULL);
    if (!lab_experiment_open(&call->arena, path, &s->experiment, &error)) {
        lab_call_fail(call, TILEC_ERROR_IO, "%s", error);
        return false;
    }
    s->is_open = true;
    if (s->experiment.form != form) {
        lab_call_fail(call, TILEC_ERROR_INVALID, "%s is %s, and this needs %s", path,
                      form_words[s->experiment.form], form_words[form]);
        return false;
    }
    s->bench.arena = &call->arena;
    s->bench.experiment = &s->experiment;
    s->bench.target = s->options.target ? s->options.target : "cpu";
    s->bench.externals = s->options.externals;
    s->bench.external_count = s->options.external_count;
    s->timed = has_times(s->bench.target);
    read_configuration(s);
    return check_target(s) && read_texts(s) && open_baseline(s) && keep_cases(s) && open_context(s) &&
           open_device(s);
}

void lab_session_close(struct lab_session *s)
{
    lab_session_case_end(s);
    lab_device_close(&s->device);
    tilec_context_destroy(s->bench.context);
    if (s->is_open)
        lab_experiment_close(&s->experiment);
    s->bench.context = NULL;
    s->is_open = false;
}

bool lab_session_has_controls(struct lab_session *s)
{
    for (size_t a = 0; a < s->experiment.arm_count; a++) {
        const struct lab_arm *arm = &s->experiment.arms[a];
        if (arm->role != LAB_CONTROL || !arm->frozen || s->has_baseline)
            continue;
        lab_call_fail(s->call, TILEC_ERROR_INVALID,
                      "'%s' is taken from an export of the baseline: give one, as 'tilec lab "
                      "export' makes it",
                      arm->name);
        return false;
    }
    return true;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static void make_ready(struct lab_session *s, size_t arm)
{
    static const struct lab_text none;
    struct lab_ready *ready = &s->ready[s->ready_count++];
    const struct lab_arm *declared = &s->experiment.arms[arm];
    struct lab_text *text = &s->texts[arm];
    *ready = (struct lab_ready){.arm = declared};
    if (declared->frozen && !s->has_baseline) {
        ready->error = "it is taken from an export of the baseline, and none was given; "
                       "'tilec lab export' makes one";
        return;
    }
    if (declared->frozen) {
        struct lab_frozen frozen = lab_baseline_find(&s->baseline, declared, s->c);
        *text = (struct lab_text){s->options.baseline, frozen.text, frozen.length, true};
    }
    lab_ready_make(&s->bench, declared, declared->external ? &none : text, s->c, &s->data, ready);
    lab_ready_check(&s->bench, &s->data, ready);
}

bool lab_session_case(struct lab_session *s, const struct lab_case *c, int64_t seed)
{
    s->c = c;
    if (!lab_data_make(s->experiment.problem, c, seed, &s->data)) {
        lab_call_fail(s->call, TILEC_ERROR_NO_MEMORY, "not enough memory for the inputs of '%s'",
                      c->name);
        return false;
    }
    if (s->bench.device && lab_device_attach(&s->device, &s->data) != TILEC_OK) {
        lab_call_fail(s->call, TILEC_ERROR_DEVICE,
                      "the arrays of '%s' cannot be put into the device's memory", c->name);
        return false;
    }
    lab_data_sha256(&s->data, s->input_sha256);
    for (size_t i = 0; i < s->experiment.arm_count; i++)
        make_ready(s, i);
    if (s->timed) /* the first arm once more, against itself */
        make_ready(s, 0);
    for (int i = 0; i < s->ready_count; i++)
        s->arms[i] = lab_ready_measure(&s->ready[i]);
    return true;
}

void lab_session_case_end(struct lab_session *s)
{
    for (int i = 0; i < s->measured_count; i++)
        measure_free(&s->measured[i]);
    for (int i = 0; i < s->ready_count; i++)
        lab_ready_free(&s->ready[i]);
    if (s->bench.device)
        lab_device_detach(&s->device, &s->data);
    lab_data_free(&s->data);
    s->measured_count = 0;
    s->ready_count = 0;
}

void lab_session_progress(struct lab_session *s, const char *what, double behind)
{
    double passed = measure_clock_monotonic.now(NULL) - s->begin;
    s->behind = behind;
    if (s->options.progress)
        s->options.progress(s->options.user, what, behind,
                            behind > 0 ? passed * (1 - behind) / behind : 0);
}
