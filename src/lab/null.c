/*
 * tilec lab null: how often the lab is wrong. The candidate is measured against itself, many times
 * on new arrays, and each verdict other than "same" is a false alarm. With --power every control is
 * measured against the candidate too: a control with a planted slow-down says how often that is
 * found. Both by the threshold that the experiment declares.
 */
#include "lab/run_record.h"
#include "lab/session.h"

#include <math.h>
#include <stdlib.h>

/* What became of the comparisons with one arm in one case. */
struct tally {
    int count, alarms, slower, undecided, failed;
    int plain_alarms;      /* by the ratio of the medians, which knows nothing of intervals */
    double *device, *wall; /* the ratios */
    double *plain;
};

struct null {
    struct lab_session session;
    const char *path;
    int repeats;
    bool power;
    json_t *record;
    struct tally *tallies; /* per case and ready arm */
};

static struct tally *tally_of(struct null *null, size_t place, size_t arm)
{
    return &null->tallies[place * (null->session.experiment.arm_count + 1) + arm];
}

static void count(struct tally *tally, const struct measured *m, double threshold)
{
    enum measure_verdict wall = measure_judge(&m->wall, threshold), device = wall;
    if (m->has_device)
        device = measure_judge(&m->device, threshold);
    bool slower = wall == MEASURE_SLOWER || device == MEASURE_SLOWER;
    bool faster = wall == MEASURE_FASTER || device == MEASURE_FASTER;
    double plain = m->has_device ? 1 / m->device.speedup : 1 / m->wall.speedup;
    tally->alarms += slower || faster;
    tally->slower += slower;
    tally->undecided += wall == MEASURE_UNDECIDED || device == MEASURE_UNDECIDED;
    tally->plain_alarms += fabs(log(plain)) > log1p(threshold);
    tally->device[tally->count] = m->has_device ? m->device.ratio : m->wall.ratio;
    tally->wall[tally->count] = m->wall.ratio;
    tally->plain[tally->count] = plain;
    tally->count++;
}

/* arm: the place behind the last one is the candidate again. */
static void compare(struct null *null, size_t place, size_t arm)
{
    struct lab_session *s = &null->session;
    struct tally *tally = tally_of(null, place, arm);
    struct measured *m = &s->measured[0];
    s->measured_count = 1;
    if (!s->ready[arm].error && !s->ready[0].error &&
        measure_arms(&s->arms[0], &s->arms[arm], &s->measuring, &s->clock, m))
        count(tally, m, s->experiment.configuration.alarm_threshold);
    else
        tally->failed++;
    measure_free(m);
    s->measured_count = 0;
}

static bool is_wanted(const struct null *null, size_t arm)
{
    const struct lab_experiment *e = &null->session.experiment;
    return arm == e->arm_count || (null->power && e->arms[arm].role == LAB_CONTROL);
}

static bool run_once(struct null *null, int repeat)
{
    struct lab_session *s = &null->session;
    const struct lab_experiment *e = &s->experiment;
    for (size_t i = 0; i < e->case_count; i++) {
        if (!lab_session_case(s, &e->cases[i], e->seed))
            return false;
        for (size_t arm = 1; arm <= e->arm_count; arm++)
            if (is_wanted(null, arm))
                compare(null, i, arm);
        lab_session_case_end(s);
        double done = (double)repeat + (double)(i + 1) / (double)e->case_count;
        lab_session_progress(s, e->cases[i].name, done / null->repeats);
    }
    return true;
}

/* ---- the record ------------------------------------------------------------------------------ */

/* How far apart equal arms look: quantiles of the absolute log ratio, as ratios. */
static json_t *spread_of(const double *ratios, int n, struct arena *arena)
{
    static const struct {
        const char *name;
        double q;
    } wanted[] = {{"median", 0.5}, {"q95", 0.95}, {"q99", 0.99}, {"greatest", 1}};
    double *away = ARENA_ARRAY(arena, double, (size_t)n);
    json_t *json = json_object();
    for (int i = 0; i < n; i++)
        away[i] = fabs(log(ratios[i]));
    if (n == 0)
        return json;
    lab_median(away, (size_t)n); /* sorts */
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        json_object_set_new(json, wanted[i].name,
                            json_real(exp(lab_quantile(away, (size_t)n, wanted[i].q))));
    return json;
}

static json_t *list_of(const double *values, int n)
{
    json_t *json = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(json, json_real(values[i]));
    return json;
}

static void put_share(json_t *json, const char *name, int hits, int tries)
{
    json_t *one = json_object(), *interval = json_array();
    struct lab_interval share = {0, 1};
    if (tries > 0)
        share = lab_share_interval((size_t)hits, (size_t)tries, 0.95);
    json_object_set_new(one, "count", json_integer(hits));
    json_object_set_new(one, "share", json_real(tries > 0 ? (double)hits / tries : 0));
    json_array_append_new(interval, json_real(share.low));
    json_array_append_new(interval, json_real(share.high));
    json_object_set_new(one, "interval", interval);
    json_object_set_new(json, name, one);
}

/* All cases together. */
static struct tally sum_of(struct null *null, size_t arm)
{
    const struct lab_experiment *e = &null->session.experiment;
    size_t room = e->case_count * (size_t)null->repeats;
    struct tally sum = {.device = ARENA_ARRAY(null->session.bench.arena, double, room),
                        .wall = ARENA_ARRAY(null->session.bench.arena, double, room),
                        .plain = ARENA_ARRAY(null->session.bench.arena, double, room)};
    for (size_t i = 0; i < e->case_count; i++) {
        const struct tally *t = tally_of(null, i, arm);
        for (int k = 0; k < t->count; k++) {
            sum.device[sum.count] = t->device[k];
            sum.wall[sum.count] = t->wall[k];
            sum.plain[sum.count++] = t->plain[k];
        }
        sum.alarms += t->alarms;
        sum.slower += t->slower;
        sum.undecided += t->undecided;
        sum.failed += t->failed;
        sum.plain_alarms += t->plain_alarms;
    }
    return sum;
}

static json_t *arm_record(struct null *null, size_t arm)
{
    struct arena *arena = null->session.bench.arena;
    const struct lab_experiment *e = &null->session.experiment;
    struct tally sum = sum_of(null, arm);
    json_t *json = json_object(), *ratios = json_object();
    json_object_set_new(json, "experiments", json_integer(sum.count));
    json_object_set_new(json, "failed", json_integer(sum.failed));
    put_share(json, "alarms", sum.alarms, sum.count);
    put_share(json, "slower", sum.slower, sum.count);
    put_share(json, "undecided", sum.undecided, sum.count);
    put_share(json, "alarms_by_ratio_of_medians", sum.plain_alarms, sum.count);
    for (size_t i = 0; i < e->case_count; i++) {
        const struct tally *t = tally_of(null, i, arm);
        json_object_set_new(ratios, e->cases[i].name, list_of(t->device, t->count));
    }
    json_object_set_new(json, "device_latency_ratios", ratios);
    if (arm == e->arm_count) {
        json_object_set_new(json, "apart_device", spread_of(sum.device, sum.count, arena));
        json_object_set_new(json, "apart_wall", spread_of(sum.wall, sum.count, arena));
        json_object_set_new(json, "apart_ratio_of_medians", spread_of(sum.plain, sum.count, arena));
    } else if (sum.count) {
        json_object_set_new(json, "median_device_latency_ratio",
                            json_real(lab_median(sum.device, (size_t)sum.count)));
    }
    return json;
}

static void put_controls(struct null *null)
{
    const struct lab_experiment *e = &null->session.experiment;
    json_t *planted = json_object();
    for (size_t arm = 1; arm < e->arm_count; arm++)
        if (is_wanted(null, arm))
            json_object_set_new(planted, e->arms[arm].name, arm_record(null, arm));
    json_object_set_new(null->record, "controls", planted);
}

static void put_results(struct null *null)
{
    const struct lab_experiment *e = &null->session.experiment;
    json_object_set_new(null->record, "alarm_threshold",
                        json_real(e->configuration.alarm_threshold));
    json_object_set_new(null->record, "null", arm_record(null, e->arm_count));
    if (null->power)
        put_controls(null);
}

static void make_tallies(struct null *null)
{
    const struct lab_experiment *e = &null->session.experiment;
    struct arena *arena = null->session.bench.arena;
    size_t all = e->case_count * (e->arm_count + 1);
    null->tallies = ARENA_ARRAY(arena, struct tally, all);
    for (size_t i = 0; i < all; i++) {
        null->tallies[i].device = ARENA_ARRAY(arena, double, (size_t)null->repeats);
        null->tallies[i].wall = ARENA_ARRAY(arena, double, (size_t)null->repeats);
        null->tallies[i].plain = ARENA_ARRAY(arena, double, (size_t)null->repeats);
    }
}

static void work(struct lab_call *call)
{
    struct null *null = (struct null *)call->arguments;
    struct lab_session *s = &null->session;
    if (!lab_session_open(s, call, null->path, LAB_COMPARISON))
        return;
    if (!s->timed) {
        lab_call_fail(call, TILEC_ERROR_TARGET,
                      "target '%s' checks kernels: its times are those of the checks",
                      s->bench.target);
        return;
    }
    null->record = lab_record_head("null", &s->bench, s->experiment.seed);
    call->files[call->file_count++] = null->record;
    make_tallies(null);
    for (int i = 0; i < null->repeats; i++)
        if (!run_once(null, i))
            return;
    put_results(null);
    lab_record_deliver(call, null->record);
}

tilec_status tilec_lab_null(const char *experiment, int repeats, int power,
                            const tilec_lab_options *options, tilec_lab_text *record)
{
    if (!experiment || !record || repeats < 1 || repeats > 1000000)
        return TILEC_ERROR_INVALID;
    struct null *null = calloc(1, sizeof *null);
    if (!null)
        return TILEC_ERROR_NO_MEMORY;
    null->path = experiment;
    null->repeats = repeats;
    null->power = power != 0;
    tilec_status status = TILEC_ERROR_INVALID;
    if (lab_options_read(&null->session.options, options))
        status = lab_call_run(work, null, record);
    lab_session_close(&null->session);
    free(null);
    return status;
}
