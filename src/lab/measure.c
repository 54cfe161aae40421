/* Paired measurement; see measure.h. */
#define _GNU_SOURCE
#include "lab/measure.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double monotonic_now(void *user)
{
    (void)user;
    return clock_seconds();
}

const struct measure_clock measure_clock_monotonic = {.now = monotonic_now};

const struct measure_options measure_options_default = {
    .warmup = 0.02,
    .budget = 0.05,
    .least_sample = 100e-6,
    .least_pairs = 20,
    .most_pairs = 20000,
    .least_rounds = 3,
    .most_rounds = 12,
    .width = 0.01,
    .confidence = 0.99,
};

/* ---- one pair -------------------------------------------------------------------------------- */

static double now(const struct measured *m)
{
    return m->clock->now(m->clock->user);
}

static bool stop(struct measured *m, const struct measure_arm *arm, const char *why)
{
    m->failed = arm ? arm->name : NULL;
    m->why = why;
    return false;
}

static double whole_ns(double seconds)
{
    return round(seconds * 1e9) * 1e-9;
}

/* `batch` dispatches of one arm; the times are those of one. */
static bool take_sample(struct measured *m, const struct measure_arm *arm,
                        struct measure_sample *sample)
{
    double device = 0, begin = now(m), apart = 0; /* apart: no part of a dispatch */
    bool good = true;
    if (arm->run_many)
        good = arm->run_many(arm->user, m->batch, &device);
    for (int i = 0; !arm->run_many && good && i < m->batch; i++) {
        if (arm->before) {
            double start = now(m);
            arm->before(arm->user);
            apart += now(m) - start;
        }
        good = arm->run(arm->user, &device);
    }
    if (!good)
        return stop(m, arm, "a dispatch failed");
    double wall = now(m) - begin - apart;
    if (!(wall >= 0) || !isfinite(wall))
        return stop(m, NULL, "the clock went back");
    sample->wall = whole_ns(wall) / m->batch;
    sample->device = arm->has_device_time ? whole_ns(device) / m->batch : 0;
    return true;
}

static bool take_pair(struct measured *m, struct measure_pair *pair)
{
    struct measure_sample samples[2];
    int first = m->candidate_first;
    if (!take_sample(m, m->arms[first], &samples[first]) ||
        !take_sample(m, m->arms[!first], &samples[!first]))
        return false;
    *pair = (struct measure_pair){samples[0], samples[1], m->candidate_first};
    m->candidate_first = !m->candidate_first;
    return true;
}

/* A time of 0 has no ratio; it means that the clock is too coarse for the batch. */
static bool is_usable(struct measured *m, const struct measure_pair *pair)
{
    const struct measure_sample *samples[2] = {&pair->control, &pair->candidate};
    for (int a = 0; a < 2; a++) {
        if (!(samples[a]->wall > 0))
            return stop(m, m->arms[a], "the clock did not move during a sample");
        if (m->has_device && (!(samples[a]->device > 0) || !isfinite(samples[a]->device)))
            return stop(m, m->arms[a], "the device's time of a sample is not positive");
    }
    return true;
}

/* ---- warm-up --------------------------------------------------------------------------------- */

enum { MOST_BATCH = 1 << 20 };

static int most_batch(const struct measured *m)
{
    int most = MOST_BATCH;
    for (int a = 0; a < 2; a++)
        if (m->arms[a]->most_batch && m->arms[a]->most_batch < most)
            most = m->arms[a]->most_batch;
    return most;
}

/* Alternates for the warm-up's time, and doubles the batch until the faster arm's sample is long
 * enough. */
static bool warm_up(struct measured *m)
{
    double end = now(m) + m->options->warmup, shortest;
    int most = most_batch(m);
    struct measure_pair pair;
    do {
        if (!take_pair(m, &pair))
            return false;
        shortest = fmin(pair.control.wall, pair.candidate.wall) * m->batch;
        if (shortest >= m->options->least_sample || m->batch >= most)
            continue;
        double grow = shortest > 0 ? m->options->least_sample / shortest : 2;
        m->batch = grow < 2 ? m->batch + (m->batch + 3) / 4 : m->batch * 2;
        m->batch = m->batch < most ? m->batch : most;
        end = fmax(end, now(m)); /* the last batch is seen at least once */
        shortest = 0;
    } while (now(m) < end || (shortest < m->options->least_sample && m->batch < most));
    m->candidate_first = false;
    return true;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static bool take_pairs(struct measured *m, struct measure_round *round)
{
    const struct measure_options *o = m->options;
    double end = now(m) + o->budget;
    int capacity = 0;
    while (round->count < o->most_pairs &&
           (round->count < o->least_pairs || round->count % 2 || now(m) < end)) {
        if (round->count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            struct measure_pair *grown = realloc(round->pairs, (size_t)capacity * sizeof *grown);
            if (!grown)
                return stop(m, NULL, "out of memory");
            round->pairs = grown;
        }
        struct measure_pair *pair = &round->pairs[round->count];
        if (!take_pair(m, pair) || !is_usable(m, pair))
            return false;
        round->count++;
    }
    return true;
}

static bool summarise(struct measured *m)
{
    double confidence = m->options->confidence;
    if (!measure_effect(m->rounds, m->round_count, MEASURE_WALL, confidence, &m->wall) ||
        (m->has_device &&
         !measure_effect(m->rounds, m->round_count, MEASURE_DEVICE, confidence, &m->device)))
        return stop(m, NULL, "out of memory");
    return true;
}

bool measure_begin(const struct measure_arm *control, const struct measure_arm *candidate,
                   const struct measure_options *options, const struct measure_clock *clock,
                   struct measured *m)
{
    *m = (struct measured){.arms = {control, candidate},
                           .options = options,
                           .clock = clock,
                           .batch = 1,
                           .has_device = control->has_device_time && candidate->has_device_time};
    if (options->least_pairs < 2 || options->least_rounds < 1 ||
        options->most_pairs < options->least_pairs || options->most_rounds < options->least_rounds)
        return stop(m, NULL, "a round needs two pairs at least, and a comparison one round");
    m->begun = now(m);
    m->rounds = calloc((size_t)options->most_rounds, sizeof *m->rounds);
    return m->rounds ? true : stop(m, NULL, "out of memory");
}

bool measure_round(struct measured *m)
{
    if (m->round_count == m->options->most_rounds)
        return stop(m, NULL, "more rounds than most_rounds");
    if (!warm_up(m))
        return false;
    m->rounds[m->round_count++].batch = m->batch; /* before, so that a round that fails is freed */
    return take_pairs(m, &m->rounds[m->round_count - 1]) && summarise(m);
}

static bool is_narrow(const struct measure_effect *effect, double width)
{
    return effect->interval.high <= effect->ratio * (1 + width) &&
           effect->interval.low >= effect->ratio / (1 + width);
}

bool measure_is_enough(const struct measured *m)
{
    const struct measure_options *o = m->options;
    if (o->most_seconds > 0 && m->round_count > 0 && now(m) - m->begun > o->most_seconds)
        return true;
    if (m->round_count < o->least_rounds)
        return false;
    if (m->round_count >= o->most_rounds)
        return true;
    return is_narrow(&m->wall, o->width) && (!m->has_device || is_narrow(&m->device, o->width));
}

bool measure_arms(const struct measure_arm *control, const struct measure_arm *candidate,
                  const struct measure_options *options, const struct measure_clock *clock,
                  struct measured *m)
{
    if (!measure_begin(control, candidate, options, clock, m))
        return false;
    do {
        if (!measure_round(m))
            return false;
    } while (!measure_is_enough(m));
    return true;
}

void measure_free(struct measured *measured)
{
    for (int i = 0; i < measured->round_count; i++)
        free(measured->rounds[i].pairs);
    free(measured->rounds);
    measured->rounds = NULL;
    measured->round_count = 0;
}

/* ---- summaries ------------------------------------------------------------------------------- */

static double time_of(const struct measure_sample *sample, enum measure_time time)
{
    return time == MEASURE_WALL ? sample->wall : sample->device;
}

int64_t measure_sample_ns(const struct measure_sample *sample, enum measure_time time, int batch)
{
    return llround(time_of(sample, time) * batch * 1e9);
}

bool measure_round_medians(const struct measure_round *round, enum measure_time time,
                           struct measure_medians *medians)
{
    size_t count = (size_t)round->count;
    double *values = malloc(count * sizeof *values);
    if (!values)
        return false;
    for (size_t i = 0; i < count; i++)
        values[i] = time_of(&round->pairs[i].control, time);
    medians->control = lab_median(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = time_of(&round->pairs[i].candidate, time);
    medians->candidate = lab_median(values, count);
    medians->speedup = medians->control / medians->candidate;
    free(values);
    return true;
}

/* log(candidate / control) of a pair. */
static double pair_effect(const struct measure_pair *pair, enum measure_time time)
{
    return log(time_of(&pair->candidate, time) / time_of(&pair->control, time));
}

/* The log ratios of all quads; their number. */
static size_t collect_quads(const struct measure_round *rounds, int count, enum measure_time time,
                            double *quads)
{
    size_t found = 0;
    for (int r = 0; r < count; r++)
        for (int i = 0; i + 1 < rounds[r].count; i += 2)
            quads[found++] = (pair_effect(&rounds[r].pairs[i], time) +
                              pair_effect(&rounds[r].pairs[i + 1], time)) /
                             2;
    return found;
}

static void paired_effect(double *quads, size_t count, double confidence,
                          struct measure_effect *effect)
{
    struct lab_interval logs = lab_median_interval(quads, count, confidence);
    effect->ratio = exp(lab_median(quads, count));
    effect->interval = (struct lab_interval){exp(logs.low), exp(logs.high)};
}

static bool round_means(const struct measure_round *rounds, int count, enum measure_time time,
                        struct measure_effect *effect)
{
    double control = 0, candidate = 0, speedup = 0;
    for (int r = 0; r < count; r++) {
        struct measure_medians medians;
        if (!measure_round_medians(&rounds[r], time, &medians))
            return false;
        control += log(medians.control);
        candidate += log(medians.candidate);
        speedup += log(medians.speedup);
    }
    effect->control = exp(control / count);
    effect->candidate = exp(candidate / count);
    effect->speedup = exp(speedup / count);
    return true;
}

bool measure_effect(const struct measure_round *rounds, int count, enum measure_time time,
                    double confidence, struct measure_effect *effect)
{
    size_t pairs = 0;
    for (int r = 0; r < count; r++)
        pairs += (size_t)rounds[r].count;
    double *quads = malloc((pairs / 2 + 1) * sizeof *quads);
    if (!quads)
        return false;
    paired_effect(quads, collect_quads(rounds, count, time, quads), confidence, effect);
    free(quads);
    return round_means(rounds, count, time, effect);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

enum measure_verdict measure_judge(const struct measure_effect *effect, double threshold)
{
    double slow = 1 + threshold, fast = 1 / (1 + threshold);
    if (effect->interval.low > slow)
        return MEASURE_SLOWER;
    if (effect->interval.high < fast)
        return MEASURE_FASTER;
    bool within = effect->interval.low >= fast && effect->interval.high <= slow;
    return within ? MEASURE_SAME : MEASURE_UNDECIDED;
}
