/*
 * tilec lab tune: every variant of a tuning experiment against the control, on the training seed;
 * the declared rule chooses one (tiling.h). A variant that is wrong, or cannot be compiled, in one
 * case is not eligible, and stays in the record with its error.
 */
#include "base/json_text.h"
#include "lab/checking.h"
#include "lab/run.h"
#include "lab/run_record.h"
#include "lab/tiling.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tune {
    struct lab_run run;
    size_t control;      /* the arm that all variants are compared with */
    const char **errors; /* per arm: why a variant is not eligible; NULL: it is */
};

static const char *comparison_name(const struct lab_session *s, int i)
{
    return i == (int)s->experiment.arm_count ? "null" : s->ready[i].arm->name;
}

/* A variant against the control, and behind the last arm the first variant against itself. */
static bool is_compared(const struct lab_session *s, int i)
{
    bool variant = i == (int)s->experiment.arm_count || s->ready[i].arm->role == LAB_CANDIDATE;
    return variant && !s->ready[i].error;
}

static bool goes_on(const struct measured *m)
{
    return m->options && !m->why;
}

static void note_error(struct tune *tune, int arm, const char *error)
{
    struct lab_session *s = &tune->run.session;
    if (arm < (int)s->experiment.arm_count && !tune->errors[arm])
        tune->errors[arm] = arena_format(s->bench.arena, "%s: %s", s->c->name, error);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void begin_comparisons(struct tune *tune)
{
    struct lab_session *s = &tune->run.session;
    int null = (int)s->experiment.arm_count;
    s->measured_count = s->ready_count;
    memset(s->measured, 0, sizeof *s->measured * (size_t)s->measured_count);
    for (int i = 0; i < s->ready_count; i++) {
        const struct measure_arm *control = i == null ? &s->arms[0] : &s->arms[tune->control];
        if (is_compared(s, i) && !(i == null && s->ready[0].error))
            measure_begin(control, &s->arms[i], &s->measuring, &s->clock, &s->measured[i]);
    }
}

static bool wants_round(const struct lab_session *s)
{
    for (int i = 0; i < s->measured_count; i++)
        if (goes_on(&s->measured[i]) && !measure_is_enough(&s->measured[i]))
            return true;
    return false;
}

static void note_failure(struct tune *tune, int i)
{
    struct lab_session *s = &tune->run.session;
    const struct measured *m = &s->measured[i];
    bool control = m->failed == s->arms[tune->control].name;
    struct lab_ready *ready = &s->ready[control ? (int)tune->control : i];
    if (!ready->error)
        ready->error = arena_format(s->bench.arena, "while it was timed: %s", m->why);
}

static void measure_case(struct tune *tune, size_t place)
{
    struct lab_session *s = &tune->run.session;
    double all = (double)s->experiment.case_count;
    begin_comparisons(tune);
    for (int round = 0; wants_round(s); round++) {
        for (int i = 0; i < s->measured_count; i++)
            if (goes_on(&s->measured[i]) && !measure_round(&s->measured[i]))
                note_failure(tune, i);
        double share = (double)(round + 1) / s->measuring.most_rounds;
        lab_session_progress(s, s->c->name, ((double)place + share) / all);
    }
}

/* ---- into the record ------------------------------------------------------------------------- */

static void put_times(const struct lab_session *s, json_t *json)
{
    json_t *rounds = json_array(), *summary = json_object();
    for (int i = 0; i < s->measured_count; i++) {
        const struct measured *m = &s->measured[i];
        if (!goes_on(m))
            continue;
        json_object_set_new(summary, comparison_name(s, i), lab_record_summary(m));
        for (int r = 0; r < m->round_count; r++) {
            if (json_array_size(rounds) == (size_t)r)
                json_array_append_new(rounds, json_object());
            json_object_set_new(json_array_get(rounds, (size_t)r), comparison_name(s, i),
                                lab_record_round(s->bench.arena, m, r));
        }
    }
    json_object_set_new(json, "rounds", rounds);
    json_object_set_new(json, "summary", summary);
}

static void keep_for_gate(struct tune *tune, size_t place, bool comparable)
{
    struct lab_session *s = &tune->run.session;
    struct lab_gate_case *kept = &tune->run.gate_cases[place];
    kept->arms = ARENA_ARRAY(s->bench.arena, struct lab_gate_times, s->experiment.arm_count);
    for (size_t i = 0; i < s->experiment.arm_count; i++) {
        const struct measured *m = &s->measured[i];
        if (s->ready[i].error)
            note_error(tune, (int)i, s->ready[i].error);
        else if (!comparable)
            note_error(tune, (int)i, "it was not compared with the control");
        else if (goes_on(m))
            kept->arms[i] = (struct lab_gate_times){true, m->device.speedup, m->wall.speedup};
    }
}

static bool run_case(struct tune *tune, size_t place)
{
    struct lab_session *s = &tune->run.session;
    const struct lab_case *c = &s->experiment.cases[place];
    if (!lab_session_case(s, c, s->experiment.training_seed))
        return false;
    const struct lab_ready *control = &s->ready[tune->control];
    if (s->timed && !control->error)
        measure_case(tune, place);
    bool comparable = s->timed && !control->error;
    json_t *json = lab_record_case(&s->experiment, c);
    json_array_append_new(tune->run.cases, json);
    json_object_set_new(json, "input_sha256", json_string(s->input_sha256));
    json_object_set_new(json, "status", json_string(comparable ? "ok" : "incomparable"));
    lab_run_put_arms(s, json);
    if (comparable) {
        put_times(s, json);
        lab_run_keep_floor(&tune->run);
    }
    keep_for_gate(tune, place, comparable);
    lab_session_progress(s, c->name, (double)(place + 1) / (double)s->experiment.case_count);
    lab_session_case_end(s);
    return true;
}

static bool time_cases(struct tune *tune)
{
    for (size_t i = 0; i < tune->run.session.experiment.case_count; i++)
        if (!run_case(tune, i))
            return false;
    return true;
}

/* Why no variant is eligible where nothing is timed: what was wrong with it, else that. */
static void note_untimed(struct tune *tune)
{
    struct lab_session *s = &tune->run.session;
    for (size_t a = 0; a < s->experiment.arm_count; a++) {
        for (size_t i = 0; i < s->experiment.case_count && !tune->errors[a]; i++) {
            const json_t *item = json_array_get(tune->run.cases, i);
            const json_t *arm = json_object_get(json_object_get(item, "correctness"),
                                                s->experiment.arms[a].name);
            if (json_object_get(arm, "error"))
                tune->errors[a] = arena_format(s->bench.arena, "%s: %s", json_text_at(item, "name"),
                                               json_text_at(arm, "error"));
        }
        if (!tune->errors[a])
            tune->errors[a] = "nothing was timed";
    }
}

static bool check_cases(struct tune *tune)
{
    struct lab_session *s = &tune->run.session;
    if (!lab_check_all(s, tune->run.path, lab_check_case, s->experiment.training_seed,
                       tune->run.cases))
        return false;
    for (size_t i = 0; i < s->experiment.case_count; i++)
        tune->run.gate_cases[i].arms =
            ARENA_ARRAY(s->bench.arena, struct lab_gate_times, s->experiment.arm_count);
    note_untimed(tune);
    return true;
}

static void put_choice(struct tune *tune)
{
    const struct lab_session *s = &tune->run.session;
    const struct lab_experiment *e = &s->experiment;
    json_t *record = tune->run.record, *variants = json_array();
    for (size_t a = 0; a < e->arm_count; a++)
        if (e->arms[a].role == LAB_CANDIDATE)
            json_array_append_new(variants, lab_tiling_variant(&e->arms[a]));
    json_object_set_new(record, "training_process_id", json_integer(getpid()));
    json_object_set_new(record, "training_seed", json_integer(e->training_seed));
    json_object_set_new(record, "validation_seed", json_integer(e->validation_seed));
    json_object_set_new(record, "baseline_export_sha256", json_string(s->baseline.sha256));
    json_object_set_new(record, "control", json_string(e->arms[tune->control].name));
    json_object_set_new(record, "gate_policy", lab_tiling_policy(e));
    json_object_set_new(record, "variants", variants);
    json_object_set_new(record, "selection",
                        lab_tiling_selection(e, tune->run.gate_cases, tune->errors));
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool find_control(struct tune *tune)
{
    struct lab_session *s = &tune->run.session;
    for (size_t a = 0; a < s->experiment.arm_count; a++) {
        if (s->experiment.arms[a].role != LAB_CONTROL)
            continue;
        tune->control = a;
        return lab_session_has_controls(s);
    }
    lab_call_fail(s->call, TILEC_ERROR_INVALID, "%s has no control", tune->run.path);
    return false;
}

static void work(struct lab_call *call)
{
    struct tune *tune = (struct tune *)call->arguments;
    struct lab_session *s = &tune->run.session;
    if (!lab_session_open(s, call, tune->run.path, LAB_TUNING) || !find_control(tune))
        return;
    tune->errors = ARENA_ARRAY(&call->arena, const char *, s->experiment.arm_count);
    lab_run_begin(&tune->run, "tuning", s->experiment.training_seed);
    if (s->timed ? !time_cases(tune) : !check_cases(tune))
        return;
    lab_run_remarks(&tune->run);
    put_choice(tune);
    lab_record_deliver(call, tune->run.record);
}

tilec_status tilec_lab_tune(const char *experiment, const tilec_lab_options *options,
                            tilec_lab_text *record)
{
    if (!experiment || !record)
        return TILEC_ERROR_INVALID;
    struct tune *tune = calloc(1, sizeof *tune);
    if (!tune)
        return TILEC_ERROR_NO_MEMORY;
    tune->run.path = experiment;
    tilec_status status = TILEC_ERROR_INVALID;
    if (lab_options_read(&tune->run.session.options, options))
        status = lab_call_run(work, tune, record);
    lab_session_close(&tune->run.session);
    free(tune);
    return status;
}

/* ---- freezing -------------------------------------------------------------------------------- */

struct freeze {
    const char *experiment, *baseline, *tuning, *manifest;
};

static void freeze(struct lab_call *call)
{
    const struct freeze *f = call->arguments;
    struct lab_tiling_files files = {f->manifest, f->experiment, f->tuning, f->baseline, ""};
    const char *bytes;
    size_t length;
    const json_t *tuning = lab_call_read(call, f->tuning, &bytes, &length);
    if (!tuning)
        return;
    const json_t *selection = json_object_get(tuning, "selection");
    if (!json_is_object(json_object_get(selection, "selected"))) {
        lab_call_fail(call, TILEC_ERROR_INVALID,
                      "'%s' selects no variant: there is nothing to freeze", f->tuning);
        return;
    }
    lab_bytes_sha256(bytes, length, files.tuning_sha256);
    json_t *manifest = lab_tiling_manifest(&call->arena, tuning, &files);
    call->files[call->file_count++] = manifest;
    json_text_indented(&call->out, manifest);
}

tilec_status tilec_lab_freeze(const char *experiment, const char *baseline, const char *tuning,
                              const char *manifest, tilec_lab_text *text)
{
    struct freeze f = {experiment, baseline, tuning, manifest};
    if (!experiment || !baseline || !tuning || !manifest || !text)
        return TILEC_ERROR_INVALID;
    return lab_call_run(freeze, &f, text);
}
