/*
 * The lab's statistics, and its paired measurement on a clock that the test owns: arms move it by
 * times that are known, with noise, outliers, drift and what it costs to come first put on top.
 */
#include "base/random.h"
#include "lab/measure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void near(double got, double wanted, double allowed)
{
    if (!(fabs(got - wanted) <= allowed))
        fail_msg("%.10g, not %.10g within %g", got, wanted, allowed);
}

/* ---- a machine that is made up --------------------------------------------------------------- */

struct machine {
    struct random random;
    double time;
    double noise;    /* standard deviation of the log of a dispatch's time */
    double outliers; /* share of dispatches that take outlier_factor times as long */
    double outlier_factor;
    double drift;     /* growth of all times per second */
    double switching; /* seconds that a dispatch of another arm than the last one takes more */
    const void *last;
    int dispatches;
    int stuck_after; /* dispatches; then the clock stands still. 0: never */
};

struct work {
    struct machine *machine;
    double seconds;
    double outliers; /* besides the machine's */
    int fails_at;    /* dispatch; 0: never */
    int dispatches;
};

static double machine_now(void *user)
{
    const struct machine *machine = user;
    return machine->time;
}

static bool work_run(void *user, double *device)
{
    struct work *work = user;
    struct machine *m = work->machine;
    if (++work->dispatches == work->fails_at)
        return false;
    if (m->stuck_after && ++m->dispatches > m->stuck_after)
        return true;
    double seconds = work->seconds * exp(m->noise * random_normal(&m->random) + m->drift * m->time);
    if (random_double(&m->random) < m->outliers + work->outliers)
        seconds *= m->outlier_factor;
    *device += seconds;
    m->time += seconds + (m->last == work ? 0 : m->switching);
    m->last = work;
    return true;
}

static struct machine new_machine(uint64_t seed)
{
    struct machine machine = {.noise = 0.01, .outlier_factor = 10};
    random_seed(&machine.random, seed);
    return machine;
}

static struct measure_options fixed_rounds(int rounds, int pairs)
{
    struct measure_options options = measure_options_default;
    options.least_rounds = options.most_rounds = rounds;
    options.least_pairs = options.most_pairs = pairs;
    options.width = 0;
    return options;
}

static void compare(struct work *control, struct work *candidate,
                    const struct measure_options *options, struct measured *out)
{
    struct measure_clock clock = {machine_now, control->machine};
    struct measure_arm arms[2] = {
        {.name = "control", .run = work_run, .user = control, .has_device_time = true},
        {.name = "candidate", .run = work_run, .user = candidate, .has_device_time = true}};
    measure_arms(&arms[0], &arms[1], options, &clock, out);
}

static struct measure_effect effect_of(struct machine *machine, double slowdown,
                                       const struct measure_options *options)
{
    struct work control = {.machine = machine, .seconds = 200e-6}, candidate = control;
    struct measured measured;
    candidate.seconds *= 1 + slowdown;
    compare(&control, &candidate, options, &measured);
    assert_null(measured.why);
    struct measure_effect effect = measured.wall;
    measure_free(&measured);
    return effect;
}

/* ---- statistics ------------------------------------------------------------------------------ */

static void test_medians(void **state)
{
    double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, means[] = {1, 4, 16};
    const double sorted[] = {0, 10, 20, 30, 40};
    (void)state;
    near(lab_median(odd, 3), 3, 0);
    near(lab_median(even, 4), 2.5, 0);
    near(lab_geometric_mean(means, 3), 4, 1e-12);
    near(lab_quantile(sorted, 5, 0.25), 10, 0);
    near(lab_quantile(sorted, 5, 0.9), 36, 1e-12);
    near(lab_quantile(sorted, 5, 1), 40, 0);
}

/* Ranks from tables of the sign test: n, confidence, how many values lie outside on each side. */
static void test_median_interval_ranks(void **state)
{
    static const struct {
        int count;
        double confidence;
        int rank; /* the lower bound is the rank-th smallest; 0: unbounded */
    } table[] = {{7, 0.99, 0},   {8, 0.99, 1},    {20, 0.99, 4},  {20, 0.95, 6},
                 {50, 0.95, 18}, {100, 0.99, 37}, {100, 0.95, 40}};
    (void)state;
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        double values[100];
        for (int i = 0; i < table[t].count; i++)
            values[i] = (i * 37) % table[t].count + 1; /* 1 to count: 37 is prime to all */
        struct lab_interval interval =
            lab_median_interval(values, (size_t)table[t].count, table[t].confidence);
        if (table[t].rank == 0) {
            assert_true(isinf(interval.low) && isinf(interval.high));
            continue;
        }
        near(interval.low, table[t].rank, 0);
        near(interval.high, table[t].count + 1 - table[t].rank, 0);
    }
}

/* The closed form is what resampling tends to. */
static void test_median_interval_is_the_bootstrap(void **state)
{
    enum { COUNT = 61, RESAMPLES = 20000 };
    static double medians[RESAMPLES];
    double values[COUNT], resample[COUNT], sorted[COUNT];
    struct random random;
    (void)state;
    random_seed(&random, 7);
    for (int i = 0; i < COUNT; i++)
        values[i] = exp(random_normal(&random));
    for (int b = 0; b < RESAMPLES; b++) {
        for (int i = 0; i < COUNT; i++)
            resample[i] = values[(int)(random_double(&random) * COUNT)];
        medians[b] = lab_median(resample, COUNT);
    }
    lab_median(medians, RESAMPLES); /* sorts */
    struct lab_interval interval = lab_median_interval(values, COUNT, 0.99);
    memcpy(sorted, values, sizeof sorted);
    lab_median(sorted, COUNT);
    double low = lab_quantile(medians, RESAMPLES, 0.005);
    double high = lab_quantile(medians, RESAMPLES, 0.995);
    /* Equal up to one rank: the interval is the wider one. */
    int low_rank = 0, high_rank = 0;
    while (sorted[low_rank] < interval.low)
        low_rank++;
    while (sorted[high_rank] < interval.high)
        high_rank++;
    assert_true(interval.low <= low && low <= sorted[low_rank + 1]);
    assert_true(sorted[high_rank - 1] <= high && high <= interval.high);
}

static void test_share_interval(void **state)
{
    static const struct {
        size_t hits, tries;
        double low, high; /* Clopper and Pearson at 0.95, from tables of the beta distribution */
    } table[] = {{0, 1000, 0, 0.0036821},
                 {10, 1000, 0.0048055, 0.0183133},
                 {5, 10, 0.1870860, 0.8129140},
                 {100, 100, 0.9637833, 1}};
    (void)state;
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        struct lab_interval share = lab_share_interval(table[t].hits, table[t].tries, 0.95);
        near(share.low, table[t].low, 1e-6);
        near(share.high, table[t].high, 1e-6);
    }
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void test_planted_effects(void **state)
{
    static const double planted[] = {0, 0.02, 0.05, 0.10, -0.05};
    struct measure_options options = fixed_rounds(3, 100);
    (void)state;
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        struct machine machine = new_machine(100 + i);
        struct measure_effect effect = effect_of(&machine, planted[i], &options);
        near(effect.ratio, 1 + planted[i], 0.004);
        near(effect.speedup, 1 / (1 + planted[i]), 0.004);
        assert_true(effect.interval.low < 1 + planted[i] && 1 + planted[i] < effect.interval.high);
        near(effect.control, 200e-6, 1e-6);
    }
}

static void test_outliers_do_not_move_it(void **state)
{
    struct measure_options options = fixed_rounds(3, 200);
    struct machine machine = new_machine(5);
    (void)state;
    machine.outliers = 0.15;
    struct measure_effect effect = effect_of(&machine, 0, &options);
    near(effect.ratio, 1, 0.005);
    /* On one side only: the mean would be off by a factor of 2. The median moves to the quantile
     * 0.5 / 0.81 of the quads without any, a third of their standard deviation. */
    struct work control = {.machine = &machine, .seconds = 200e-6}, candidate = control;
    struct measured measured;
    machine.outliers = 0;
    candidate.outliers = 0.1;
    compare(&control, &candidate, &options, &measured);
    near(measured.wall.ratio, 1 + 0.3 * machine.noise, 0.004);
    measure_free(&measured);
}

/* All times double within the measurement. */
static void test_drift_does_not_move_it(void **state)
{
    struct measure_options options = fixed_rounds(1, 200);
    struct machine machine = new_machine(6);
    (void)state;
    machine.noise = 0;
    machine.drift = 8;
    struct measure_effect effect = effect_of(&machine, 0.05, &options);
    near(effect.ratio, 1.05, 2e-3);
}

static void test_coming_first_does_not_move_it(void **state)
{
    struct measure_options options = fixed_rounds(1, 100);
    struct machine machine = new_machine(7);
    (void)state;
    machine.noise = 0;
    machine.switching = 50e-6; /* a quarter of a dispatch */
    struct measure_effect effect = effect_of(&machine, 0, &options);
    near(effect.ratio, 1, 1e-12);
}

static void test_device_time_is_its_own(void **state)
{
    struct measure_options options = fixed_rounds(2, 40);
    struct machine machine = new_machine(8);
    struct work control = {.machine = &machine, .seconds = 200e-6}, candidate = control;
    struct measured measured;
    (void)state;
    machine.noise = 0;
    machine.switching = 100e-6; /* wall only */
    candidate.seconds = 300e-6;
    compare(&control, &candidate, &options, &measured);
    assert_true(measured.has_device);
    near(measured.device.ratio, 1.5, 1e-9);
    assert_true(measured.wall.ratio < 1.45);
    measure_free(&measured);
}

static void test_short_dispatches_are_batched(void **state)
{
    struct measure_options options = fixed_rounds(1, 20);
    struct machine machine = new_machine(9);
    struct work control = {.machine = &machine, .seconds = 3e-6}, candidate = control;
    struct measured measured;
    (void)state;
    machine.noise = 0;
    candidate.seconds = 1e-6;
    compare(&control, &candidate, &options, &measured);
    assert_in_range(measured.batch, 100, 130); /* by the faster arm */
    near(measured.wall.ratio, 1.0 / 3, 1e-9);
    measure_free(&measured);
}

static void test_noise_takes_more_rounds(void **state)
{
    struct measure_options options = measure_options_default;
    struct measured measured;
    int rounds[2];
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        struct machine machine = new_machine(10);
        struct work control = {.machine = &machine, .seconds = 200e-6}, candidate = control;
        machine.noise = noisy ? 0.055 : 0.005;
        compare(&control, &candidate, &options, &measured);
        rounds[noisy] = measured.round_count;
        if (noisy)
            assert_true(measured.wall.interval.high / measured.wall.ratio < 1 + options.width);
        measure_free(&measured);
    }
    assert_int_equal(rounds[0], options.least_rounds);
    assert_true(rounds[1] > options.least_rounds && rounds[1] < options.most_rounds);
}

/* Every round is kept, and the summary is theirs. */
static void test_rounds_are_kept(void **state)
{
    struct measure_options options = fixed_rounds(4, 30);
    struct machine machine = new_machine(11);
    struct work control = {.machine = &machine, .seconds = 200e-6}, candidate = control;
    struct measured measured;
    double speedups[4];
    (void)state;
    compare(&control, &candidate, &options, &measured);
    assert_int_equal(measured.round_count, 4);
    for (int r = 0; r < 4; r++) {
        struct measure_medians medians;
        assert_int_equal(measured.rounds[r].count, 30);
        for (int i = 0; i < 30; i++)
            assert_int_equal(measured.rounds[r].pairs[i].candidate_first, i % 2);
        assert_true(measure_round_medians(&measured.rounds[r], MEASURE_WALL, &medians));
        near(medians.speedup, medians.control / medians.candidate, 0);
        speedups[r] = medians.speedup;
    }
    near(measured.wall.speedup, lab_geometric_mean(speedups, 4), 1e-12);
    measure_free(&measured);
}

static void test_what_goes_wrong_is_said(void **state)
{
    struct measure_options options = fixed_rounds(1, 20);
    struct machine machine = new_machine(12);
    struct work control = {.machine = &machine, .seconds = 200e-6}, candidate = control;
    struct measured measured;
    (void)state;
    candidate.fails_at = 60;
    compare(&control, &candidate, &options, &measured);
    assert_string_equal(measured.failed, "candidate");
    assert_string_equal(measured.why, "a dispatch failed");
    measure_free(&measured);

    candidate.fails_at = 0;
    machine.stuck_after = 120;
    compare(&control, &candidate, &options, &measured);
    assert_string_equal(measured.why, "the clock did not move during a sample");
    measure_free(&measured);

    options.least_pairs = 1;
    compare(&control, &candidate, &options, &measured);
    assert_non_null(measured.why);
    measure_free(&measured);
}

/* Over 1,000 comparisons of equal arms on a machine as noisy as a shared one, the intervals hold
 * what they promise, and the verdict is never "slower" more often than one time in a hundred; the
 * same threshold finds 5% nearly always. */
static void test_false_alarms_and_power(void **state)
{
    enum { TRIES = 1000, POWER_TRIES = 200 };
    const double threshold = 0.02;
    struct measure_options options = measure_options_default;
    int outside = 0, alarms = 0, found = 0;
    (void)state;
    options.warmup = 0;
    struct machine machine = new_machine(13);
    machine.noise = 0.03;
    machine.outliers = 0.03;
    for (int i = 0; i < TRIES; i++) {
        machine.time = 0;
        struct measure_effect effect = effect_of(&machine, 0, &options);
        outside += effect.interval.low > 1 || effect.interval.high < 1;
        alarms += measure_judge(&effect, threshold) == MEASURE_SLOWER;
    }
    for (int i = 0; i < POWER_TRIES; i++) {
        machine.time = 0;
        struct measure_effect effect = effect_of(&machine, 0.05, &options);
        found += measure_judge(&effect, threshold) == MEASURE_SLOWER;
    }
    assert_true(outside <= TRIES * 2 / 100); /* 1% is meant; stopping early adds a little */
    assert_true(alarms <= TRIES / 100);
    assert_true(found >= POWER_TRIES * 95 / 100);
}

static void test_verdicts(void **state)
{
    static const struct {
        double low, high;
        enum measure_verdict verdict;
    } table[] = {{1.03, 1.05, MEASURE_SLOWER}, {1.01, 1.05, MEASURE_UNDECIDED},
                 {0.99, 1.01, MEASURE_SAME},   {0.9, 0.95, MEASURE_FASTER},
                 {0.5, 2, MEASURE_UNDECIDED},  {0, INFINITY, MEASURE_UNDECIDED},
                 {1.021, 1.5, MEASURE_SLOWER}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct measure_effect effect = {.interval = {table[i].low, table[i].high}};
        assert_int_equal(measure_judge(&effect, 0.02), table[i].verdict);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_medians),
        cmocka_unit_test(test_median_interval_ranks),
        cmocka_unit_test(test_median_interval_is_the_bootstrap),
        cmocka_unit_test(test_share_interval),
        cmocka_unit_test(test_planted_effects),
        cmocka_unit_test(test_outliers_do_not_move_it),
        cmocka_unit_test(test_drift_does_not_move_it),
        cmocka_unit_test(test_coming_first_does_not_move_it),
        cmocka_unit_test(test_device_time_is_its_own),
        cmocka_unit_test(test_short_dispatches_are_batched),
        cmocka_unit_test(test_noise_takes_more_rounds),
        cmocka_unit_test(test_rounds_are_kept),
        cmocka_unit_test(test_what_goes_wrong_is_said),
        cmocka_unit_test(test_false_alarms_and_power),
        cmocka_unit_test(test_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
