/*
 * tilec lab run: a comparison experiment. Every arm of a case is checked, then the candidate is
 * timed against each other arm in turn, round by round, and against itself: how far two equal arms
 * look apart is the noise floor that stands beside every ratio.
 */
#include "lab/run.h"
#include "lab/checking.h"
#include "lab/run_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what can be compared -------------------------------------------------------------------- */

/* The candidate or a control is wrong or missing: the case proves nothing. */
static bool is_comparable(const struct lab_session *s)
{
    for (int i = 0; i < s->ready_count; i++)
        if (s->ready[i].error && s->ready[i].arm->role != LAB_COMPARATOR)
            return false;
    return true;
}

static const char *comparison_name(const struct lab_session *s, int i)
{
    return i == (int)s->experiment.arm_count ? "null" : s->ready[i].arm->name;
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* measured[i] belongs to arm i; those of the candidate and of wrong arms stay empty. */
static bool goes_on(const struct measured *m)
{
    return m->options && !m->why;
}

static void begin_comparisons(struct lab_session *s)
{
    s->measured_count = s->ready_count;
    memset(s->measured, 0, sizeof *s->measured * (size_t)s->measured_count);
    for (int i = 1; i < s->ready_count; i++)
        if (!s->ready[i].error)
            measure_begin(&s->arms[i], &s->arms[0], &s->measuring, &s->clock, &s->measured[i]);
}

/* All comparisons of a case have the same number of rounds: those of the noisiest. */
static bool wants_round(const struct lab_session *s)
{
    for (int i = 1; i < s->measured_count; i++)
        if (goes_on(&s->measured[i]) && !measure_is_enough(&s->measured[i]))
            return true;
    return false;
}

/* An arm that fails while it is timed is an arm that failed. */
static void note_failure(struct lab_session *s, int i)
{
    const struct measured *m = &s->measured[i];
    int arm = m->failed == s->arms[0].name ? 0 : i;
    if (m->why && !s->ready[arm].error)
        s->ready[arm].error = arena_format(s->bench.arena, "while it was timed: %s", m->why);
}

static void measure_case(struct lab_run *run, size_t place)
{
    struct lab_session *s = &run->session;
    double all = (double)s->experiment.case_count;
    begin_comparisons(s);
    for (int round = 0; wants_round(s); round++) {
        for (int i = 1; i < s->measured_count; i++)
            if (goes_on(&s->measured[i]) && !measure_round(&s->measured[i]))
                note_failure(s, i);
        double share = (double)(round + 1) / s->measuring.most_rounds;
        lab_session_progress(s, s->c->name, ((double)place + share) / all);
    }
}

/* ---- into the record ------------------------------------------------------------------------- */

static json_t *rounds_of(const struct lab_session *s)
{
    json_t *rounds = json_array();
    int count = s->measured[s->experiment.arm_count].round_count; /* the null comparison's */
    for (int r = 0; r < count; r++) {
        json_t *round = json_object();
        for (int i = 1; i < s->measured_count; i++)
            if (goes_on(&s->measured[i]))
                json_object_set_new(round, comparison_name(s, i),
                                    lab_record_round(s->bench.arena, &s->measured[i], r));
        json_array_append_new(rounds, round);
    }
    return rounds;
}

static json_t *summary_of(const struct lab_session *s)
{
    json_t *summary = json_object();
    for (int i = 1; i < s->measured_count; i++)
        if (goes_on(&s->measured[i]))
            json_object_set_new(summary, comparison_name(s, i),
                                lab_record_summary(&s->measured[i]));
    return summary;
}

/* A comparator that is not here at all is said once, at the end. */
static bool is_absent(const struct lab_ready *ready)
{
    return ready->arm->external && !ready->external;
}

void lab_run_put_arms(const struct lab_session *s, json_t *json)
{
    json_t *correctness = json_object(), *shaders = json_object(), *compilations = json_object();
    json_t *compile = json_object();
    for (size_t i = 0; i < s->experiment.arm_count; i++) {
        const struct lab_ready *ready = &s->ready[i];
        const char *name = ready->arm->name;
        if (is_absent(ready))
            continue;
        json_object_set_new(correctness, name,
                            lab_record_correctness(&s->bench, ready, s->c->dtype));
        if (!s->texts[i].text)
            continue;
        json_object_set_new(shaders, name, lab_record_shader(&s->bench, ready, &s->texts[i], s->c));
        if (!ready->kernel)
            continue;
        json_object_set_new(compilations, name, lab_record_compilation(&s->bench, ready));
        json_object_set_new(compile, name, lab_record_compile_time(ready));
    }
    json_object_set_new(json, "correctness", correctness);
    json_object_set_new(json, "validated_before_timing", json_true());
    json_object_set_new(json, "shaders", shaders);
    json_object_set_new(json, "compilations", compilations);
    json_object_set_new(json, "compile", compile);
}

/* What the gate looks at: the speedups of the summary. */
static void keep_for_gate(struct lab_run *run, size_t place, bool comparable)
{
    struct lab_session *s = &run->session;
    struct lab_gate_case *kept = &run->gate_cases[place];
    kept->arms = ARENA_ARRAY(s->bench.arena, struct lab_gate_times, s->experiment.arm_count);
    for (size_t i = 1; comparable && i < s->experiment.arm_count; i++) {
        const struct measured *m = &s->measured[i];
        if (goes_on(m))
            kept->arms[i] = (struct lab_gate_times){true, m->device.speedup, m->wall.speedup};
    }
}

static void raise_floor(double *floor, const struct measure_effect *effect)
{
    *floor = fmax(*floor, fmax(log(effect->interval.high), -log(effect->interval.low)));
}

void lab_run_keep_floor(struct lab_run *run)
{
    const struct measured *m = &run->session.measured[run->session.experiment.arm_count];
    if (!goes_on(m))
        return;
    run->timed_cases++;
    raise_floor(&run->floor_wall, &m->wall);
    if (m->has_device)
        raise_floor(&run->floor_device, &m->device);
}

static bool run_case(struct lab_run *run, size_t place, int64_t seed)
{
    struct lab_session *s = &run->session;
    const struct lab_case *c = &s->experiment.cases[place];
    if (!lab_session_case(s, c, seed))
        return false;
    if (s->timed && is_comparable(s))
        measure_case(run, place);
    bool comparable = s->timed && is_comparable(s); /* now that it was timed */
    json_t *json = lab_record_case(&s->experiment, c);
    json_array_append_new(run->cases, json);
    json_object_set_new(json, "input_sha256", json_string(s->input_sha256));
    json_object_set_new(json, "status", json_string(comparable ? "ok" : "incomparable"));
    lab_run_put_arms(s, json);
    if (comparable) {
        json_object_set_new(json, "rounds", rounds_of(s));
        json_object_set_new(json, "summary", summary_of(s));
        lab_run_keep_floor(run);
    }
    keep_for_gate(run, place, comparable);
    lab_session_progress(s, c->name, (double)(place + 1) / (double)s->experiment.case_count);
    lab_session_case_end(s);
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static json_t *absent_of(const struct lab_session *s)
{
    json_t *absent = json_array();
    for (size_t i = 0; i < s->experiment.arm_count; i++) {
        const struct lab_arm *arm = &s->experiment.arms[i];
        if (!arm->external || lab_bench_external(&s->bench, arm->external))
            continue;
        json_t *one = json_object();
        json_object_set_new(one, "name", json_string(arm->name));
        json_object_set_new(one, "reason", json_sprintf("'%s' is not present", arm->external));
        json_array_append_new(absent, one);
    }
    return absent;
}

static json_t *floor_of(const struct lab_run *run)
{
    json_t *json = json_object();
    if (isfinite(run->floor_device) && run->timed_cases)
        json_object_set_new(json, "device_latency_ratio", json_real(exp(run->floor_device)));
    if (isfinite(run->floor_wall) && run->timed_cases)
        json_object_set_new(json, "wall_latency_ratio", json_real(exp(run->floor_wall)));
    return json;
}

void lab_run_remarks(struct lab_run *run)
{
    struct lab_session *s = &run->session;
    json_object_set_new(run->record, "absent", absent_of(s));
    if (s->timed)
        json_object_set_new(run->record, "noise_floor", floor_of(run));
    else
        json_object_set_new(run->record, "timing_refused",
                            json_sprintf("target '%s' checks kernels: its times are those of the "
                                         "checks",
                                         s->bench.target));
}

void lab_run_begin(struct lab_run *run, const char *kind, int64_t seed)
{
    struct lab_session *s = &run->session;
    run->record = lab_record_head(kind, &s->bench, seed);
    s->call->files[s->call->file_count++] = run->record;
    run->cases = json_array();
    json_object_set_new(run->record, "cases", run->cases);
    run->gate_cases = ARENA_ARRAY(s->bench.arena, struct lab_gate_case, s->experiment.case_count);
}

/* Nothing is timed, and every guard fails. */
static bool check_cases(struct lab_run *run, int64_t seed)
{
    struct lab_session *s = &run->session;
    for (size_t i = 0; i < s->experiment.case_count; i++)
        keep_for_gate(run, i, false);
    return lab_check_all(s, run->path, lab_check_case, seed, run->cases);
}

bool lab_run_cases(struct lab_run *run, int64_t seed)
{
    if (!run->session.timed && run->path) /* a validation's experiment was changed since it was opened */
        return check_cases(run, seed);
    for (size_t i = 0; i < run->session.experiment.case_count; i++)
        if (!run_case(run, i, seed))
            return false;
    return true;
}

static void work(struct lab_call *call)
{
    struct lab_run *run = (struct lab_run *)call->arguments;
    struct lab_session *s = &run->session;
    if (!lab_session_open(s, call, run->path, LAB_COMPARISON) ||
        (s->timed && !lab_session_has_controls(s))) /* or no case could be compared */
        return;
    lab_run_begin(run, "comparison", s->experiment.seed);
    if (!lab_run_cases(run, s->experiment.seed))
        return;
    lab_run_remarks(run);
    json_object_set_new(run->record, "promotion_gate",
                        lab_gate_promotion(&s->experiment, run->gate_cases));
    lab_record_deliver(call, run->record);
}

static tilec_status run_comparison(const char *experiment, const tilec_lab_options *options,
                                   tilec_lab_text *record)
{
    struct lab_run *run = calloc(1, sizeof *run);
    if (!run)
        return TILEC_ERROR_NO_MEMORY;
    run->path = experiment;
    tilec_status status = TILEC_ERROR_INVALID;
    if (lab_options_read(&run->session.options, options))
        status = lab_call_run(work, run, record);
    lab_session_close(&run->session);
    free(run);
    return status;
}

/* ---- every form ------------------------------------------------------------------------------ */

struct form {
    const char *path;
    enum lab_form form;
};

static void read_form(struct lab_call *call)
{
    struct form *form = (struct form *)call->arguments;
    struct lab_experiment experiment;
    const char *error = NULL;
    if (!lab_experiment_open(&call->arena, form->path, &experiment, &error)) {
        lab_call_fail(call, TILEC_ERROR_IO, "%s", error);
        return;
    }
    form->form = experiment.form;
    lab_experiment_close(&experiment);
}

tilec_status tilec_lab_run(const char *experiment, const tilec_lab_options *options,
                           tilec_lab_text *record)
{
    static tilec_status (*const runs[])(const char *path, const tilec_lab_options *options,
                                        tilec_lab_text *record) = {
        [LAB_COMPARISON] = run_comparison,
        [LAB_TUNING] = tilec_lab_tune,
        [LAB_PROCESSES] = tilec_lab_sample,
    };
    struct form form = {experiment, LAB_COMPARISON};
    if (!experiment || !record)
        return TILEC_ERROR_INVALID;
    tilec_status status = lab_call_run(read_form, &form, record);
    return status == TILEC_OK ? runs[form.form](experiment, options, record) : status;
}
