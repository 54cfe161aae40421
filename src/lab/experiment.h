#ifndef TILEC_LAB_EXPERIMENT_H
#define TILEC_LAB_EXPERIMENT_H
/*
 * Experiments: what is declared before the first timing (docs/lab.md, docs/experiment.schema.json).
 *
 *   comparison  a candidate against controls and comparators, rounds of pairs, a gate
 *   tuning      variants against one control on a training seed, a selection rule, a held-out seed
 *   processes   whole compilers against each other, one kernel each, processes in a fixed order
 *
 * An arm is one way to compute the problem: a kernel with constants and requirements, an earlier
 * export of such a kernel (frozen), or a library outside (external). What a problem computes, with
 * its inputs and reference, is a row of problem.c.
 */
#include "lab/fields.h"
#include "lab/problem.h"

enum {
    LAB_MAX_CASES = 1024,
    LAB_MAX_ARMS = 64,
    LAB_MAX_CONSTANTS = 32,
    LAB_MAX_TARGETS = 8,
    LAB_HASH_SIZE = 65, /* SHA-256 as digits, with NUL */
};

enum lab_form { LAB_COMPARISON, LAB_TUNING, LAB_PROCESSES };

enum lab_role {
    LAB_CANDIDATE,  /* what is to be faster; each variant of a tuning */
    LAB_CONTROL,    /* what the gate compares with */
    LAB_COMPARATOR, /* shown beside, never in the gate */
};

struct lab_constant {
    const char *name, *value; /* value: as in -D, or the name of a dimension of the problem */
};

struct lab_arm {
    const char *name;
    enum lab_role role;
    const char *file, *kernel; /* file: relative to the working folder; NULL when external */
    size_t constant_count, requirement_count;
    struct lab_constant *constants;
    const char **requirements; /* "NAME=VALUE" */
    bool relaxed;
    bool frozen;          /* taken from the baseline export; `export` freezes it */
    const char *external; /* the library or script that provides it ("onednn"), or NULL */
    enum lab_policy policy;
    const json_t *variant; /* tuning: the declared object without "arm", as records repeat it */
};

struct lab_case {
    const char *name;
    enum lab_dtype dtype;
    size_t index;
    int64_t sizes[LAB_MAX_DIMENSIONS]; /* in the order of the problem's dimensions */
};

struct lab_tolerance {
    double rtol, atol;
};

struct lab_configuration {
    int64_t rounds;
    int64_t most_rounds;      /* where intervals are too wide after `rounds` */
    int64_t threads;          /* of a launch at most; 0: all */
    double alarm_threshold;   /* a share: what differs by less is the same */
    double warmup_ms, rep_ms; /* per round and comparison */
    double cooldown_seconds;  /* between processes */
    int64_t minimum_pairs;
    double batch_us; /* an arm shorter than this is measured in batches of at least this */
};

/* Ratios as in the records; 0 where the experiment has no such guard. */
struct lab_gate {
    const char *policy;             /* in words */
    double device_speedup_minimum;  /* of every throughput case */
    double wall_ratio_maximum;      /* of every case: candidate / control */
    double ragged_ratio_maximum;    /* tuning: device time of every ragged case */
    size_t throughput_count;
    int64_t throughput_batches[16]; /* cases with these batches are throughput cases */
    const json_t *json;
};

struct lab_experiment {
    struct arena *arena;
    json_t *json; /* all of it */
    char sha256[LAB_HASH_SIZE]; /* of its canonical text: white space and order do not count */
    const char *path, *name, *description;
    enum lab_form form;
    const struct lab_problem *problem;
    size_t target_count;
    const char *targets[LAB_MAX_TARGETS];
    int64_t seed;            /* comparison, processes */
    int64_t training_seed, validation_seed; /* tuning */
    double epsilon;
    size_t case_count, arm_count;
    size_t cases_left_out; /* by whoever asked for some only */
    struct lab_case *cases;
    struct lab_arm *arms; /* candidates first, then controls, then comparators */
    struct lab_tolerance tolerances[LAB_DTYPE_COUNT];
    struct lab_configuration configuration;
    struct lab_gate gate;
    int64_t aligned_width;      /* tuning: throughput cases have it; other widths are ragged */
    const char *selection_rule; /* tuning: in words */
};

/*
 * Reads an experiment; everything is in the arena but json, which lab_experiment_close releases.
 * False after a message in *error (in the arena), with nothing to close.
 */
bool lab_experiment_open(struct arena *arena, const char *path, struct lab_experiment *experiment,
                         const char **error);
/* The same of a value that was read already, a reference that is taken over. */
bool lab_experiment_read(struct arena *arena, const char *path, json_t *json,
                         struct lab_experiment *experiment, const char **error);
void lab_experiment_close(struct lab_experiment *experiment);

/* What a constant of an arm is for one case: a dimension's size, or the value itself. */
const char *lab_constant_value(const struct lab_experiment *experiment, const struct lab_case *c,
                               const struct lab_constant *constant);
/* A throughput case: where the gate asks for the speed-up. A ragged case: tuning's other widths. */
bool lab_case_throughput(const struct lab_experiment *experiment, const struct lab_case *c);
bool lab_case_ragged(const struct lab_experiment *experiment, const struct lab_case *c);

#endif
