#ifndef TILEC_LAB_MEASURE_H
#define TILEC_LAB_MEASURE_H
/*
 * Paired measurement: how much slower or faster is one arm than another?
 *
 * Two arms alternate, A B then B A, each dispatch synchronised before the next begins, after a
 * warm-up of the same alternation. Where a dispatch is too short for the clock, a sample is a batch
 * of them. Two neighbouring pairs in opposite order make a *quad*: the mean of its two log ratios
 * is free of what it costs to come first, and of drift that is linear within it. The effect is the
 * median of the quads' log ratios, which outliers on one side do not move; how far it can be
 * trusted says an interval (statistics.h). Arms are callbacks: a tilec kernel, or anything.
 *
 * docs/lab.md has the measurements that led to these choices.
 */
#include "lab/statistics.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the time comes from: tests pass their own. */
struct measure_clock {
    double (*now)(void *user); /* monotonic seconds */
    void *user;
};
extern const struct measure_clock measure_clock_monotonic;

/* Something whose time is taken. */
struct measure_arm {
    const char *name;
    /* One dispatch, finished when it returns. Adds the seconds that the device itself ran to
     * *device, where it can tell. False: it failed, and the measurement ends. */
    bool (*run)(void *user, double *device);
    void *user;
    /* What has to be done before each dispatch and is none of its time; or NULL. Not for run_many.
     */
    void (*before)(void *user);
    bool has_device_time;
    /* Many dispatches at once, where that is not the same as one after the other; or NULL. */
    bool (*run_many)(void *user, int count, double *device);
    int most_batch; /* for run_many: of how many dispatches at most; 0: any number */
};

struct measure_options {
    double warmup;               /* seconds of alternation before a round counts */
    double budget;               /* seconds that a round may take, once least_pairs are there */
    double least_sample;         /* seconds: shorter dispatches are batched */
    int least_pairs, most_pairs; /* of a round; most_pairs bounds the memory */
    /* Rounds go on until the interval of the effect reaches at most a share `width` (0.01) to
     * either side of it, for both times. */
    int least_rounds, most_rounds;
    double width;
    double confidence;   /* of intervals */
    double most_seconds; /* for all rounds: none begins later; 0: no limit */
};
extern const struct measure_options measure_options_default;

/* Seconds per dispatch: whole nanoseconds of a sample over its batch, so that records hold exactly what
 * was reckoned with. */
struct measure_sample {
    double wall, device; /* device: 0 where an arm has none */
};

struct measure_pair {
    struct measure_sample control, candidate;
    bool candidate_first;
};

struct measure_round {
    struct measure_pair *pairs;
    int count, batch; /* batch: dispatches in each of its samples */
};

/* One of the two times of a comparison. ratio: candidate / control, above 1: slower. */
struct measure_effect {
    double control, candidate; /* medians in seconds, over all rounds: see measure_round_medians */
    double speedup;            /* geometric mean of the rounds' control / candidate */
    double ratio;              /* exp of the median over quads */
    struct lab_interval interval; /* of ratio */
};

struct measured {
    const struct measure_arm *arms[2]; /* control, candidate; the caller's, as is the rest here */
    const struct measure_options *options;
    const struct measure_clock *clock;
    double begun;
    bool candidate_first; /* of the next pair */
    int batch;            /* dispatches in a sample */
    int round_count;
    struct measure_round *rounds;
    struct measure_effect wall,
        device; /* over all rounds; device: all zero where an arm has none */
    bool has_device;
    const char *failed; /* name of the arm that failed; NULL: none did */
    const char *why;    /* why a function returned false */
};

/*
 * Rounds one by one, so that several comparisons can take turns. Each returns false with the reason
 * in m->why: an arm failed, the clock stood still or went back, memory ran out. measure_free
 * releases in any case.
 */
bool measure_begin(const struct measure_arm *control, const struct measure_arm *candidate,
                   const struct measure_options *options, const struct measure_clock *clock,
                   struct measured *m);
bool measure_round(struct measured *m);
bool measure_is_enough(const struct measured *m);
/* All of them. */
bool measure_arms(const struct measure_arm *control, const struct measure_arm *candidate,
                  const struct measure_options *options, const struct measure_clock *clock,
                  struct measured *m);
void measure_free(struct measured *measured);

enum measure_time { MEASURE_WALL, MEASURE_DEVICE };

/* The nanoseconds of a sample of `batch` dispatches. */
int64_t measure_sample_ns(const struct measure_sample *sample, enum measure_time time, int batch);

/* A round as the records hold it: each arm's median and control / candidate. */
struct measure_medians {
    double control, candidate, speedup;
};
/* false: memory ran out. */
bool measure_round_medians(const struct measure_round *round, enum measure_time time,
                           struct measure_medians *medians);
/* The effect over rounds, as in struct measured. false: memory ran out. */
bool measure_effect(const struct measure_round *rounds, int count, enum measure_time time,
                    double confidence, struct measure_effect *effect);

/* What an interval says about a threshold (a share: 0.02). */
enum measure_verdict {
    MEASURE_SAME,      /* the whole interval lies between those two */
    MEASURE_SLOWER,    /* the whole interval is above 1 + threshold */
    MEASURE_FASTER,    /* the whole interval is below 1 / (1 + threshold) */
    MEASURE_UNDECIDED, /* the interval holds one of them */
};
enum measure_verdict measure_judge(const struct measure_effect *effect, double threshold);

#endif
