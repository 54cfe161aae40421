/* tilec_lab_compare: two callbacks of the caller's against each other; see tilec/lab.h. */
#include "lab/call.h"
#include "lab/measure.h"

#include <string.h>

struct comparing {
    const tilec_lab_arm *arms[2];
    tilec_lab_compare_options options;
    tilec_lab_comparison *result;
    struct measured measured;
};

static bool run_arm(void *user, double *device)
{
    const tilec_lab_arm *arm = user;
    return arm->run(arm->user, device) == TILEC_OK;
}

/* What the caller sets replaces the default. */
static struct measure_options measuring(const tilec_lab_compare_options *given)
{
    struct measure_options options = measure_options_default;
    if (given->round_seconds > 0)
        options.budget = given->round_seconds;
    if (given->warmup_seconds > 0)
        options.warmup = given->warmup_seconds;
    if (given->batch_seconds > 0)
        options.least_sample = given->batch_seconds;
    if (given->rounds > 0)
        options.least_rounds = options.most_rounds = given->rounds;
    if (given->most_rounds > options.least_rounds)
        options.most_rounds = given->most_rounds;
    return options;
}

static tilec_lab_times times_of(const struct measure_effect *effect)
{
    return (tilec_lab_times){effect->control, effect->candidate,    effect->speedup,
                             effect->ratio,   effect->interval.low, effect->interval.high};
}

static tilec_lab_verdict verdict_of(const struct measured *m, double threshold)
{
    static const tilec_lab_verdict verdicts[] = {[MEASURE_SAME] = TILEC_LAB_SAME,
                                                 [MEASURE_SLOWER] = TILEC_LAB_SLOWER,
                                                 [MEASURE_FASTER] = TILEC_LAB_FASTER,
                                                 [MEASURE_UNDECIDED] = TILEC_LAB_UNDECIDED};
    return verdicts[measure_judge(&m->wall, threshold)];
}

static void work(struct lab_call *call)
{
    struct comparing *c = (struct comparing *)call->arguments;
    struct measured *m = &c->measured;
    struct measure_clock clock = measure_clock_monotonic;
    struct measure_options options = measuring(&c->options);
    struct measure_arm arms[2];
    double threshold = c->options.threshold > 0 ? c->options.threshold : 0.02;
    for (int a = 0; a < 2; a++)
        arms[a] = (struct measure_arm){.name = c->arms[a]->name ? c->arms[a]->name : "an arm",
                                       .run = run_arm,
                                       .user = (void *)c->arms[a],
                                       .has_device_time = c->arms[a]->has_device_time != 0};
    if (c->options.now)
        clock = (struct measure_clock){c->options.now, c->options.clock_user};
    if (!measure_arms(&arms[0], &arms[1], &options, &clock, m)) {
        lab_call_fail(call, TILEC_ERROR_FAULT, "%s%s%s", m->failed ? m->failed : "",
                      m->failed ? ": " : "", m->why);
        return;
    }
    for (int r = 0; r < m->round_count; r++)
        c->result->pairs += m->rounds[r].count;
    c->result->rounds = m->round_count;
    c->result->batch = m->batch;
    c->result->wall = times_of(&m->wall);
    c->result->device = times_of(&m->device);
    c->result->verdict = verdict_of(m, threshold);
}

tilec_status tilec_lab_compare(const tilec_lab_arm *control, const tilec_lab_arm *candidate,
                               const tilec_lab_compare_options *options,
                               tilec_lab_comparison *result, tilec_lab_text *text)
{
    if (!control || !candidate || !control->run || !candidate->run || !result || !text)
        return TILEC_ERROR_INVALID;
    struct comparing c = {.arms = {control, candidate}, .result = result};
    memset(result, 0, sizeof *result);
    if (!lab_read_options(&c.options, sizeof c.options, options))
        return TILEC_ERROR_INVALID;
    tilec_status status = lab_call_run(work, &c, text);
    measure_free(&c.measured);
    return status;
}
