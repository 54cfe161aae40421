#ifndef TILEC_LAB_RUN_H
#define TILEC_LAB_RUN_H
/*
 * A comparison being measured: the first arm of the session's experiment against all others and
 * against itself, case by case, into a record. `run`, `tune` and `validate` are made of it.
 */
#include "lab/gate.h"
#include "lab/session.h"

struct lab_run {
    struct lab_session session;
    const char *path; /* of the experiment as it is; NULL where it is not */
    json_t *record, *cases;
    struct lab_gate_case *gate_cases; /* per case */
    double floor_wall, floor_device;  /* log ratios */
    int timed_cases;
};

/* The head of a record of that kind; the call releases it. */
void lab_run_begin(struct lab_run *run, const char *kind, int64_t seed);
/* Checks and measures every case with inputs of that seed. False after lab_call_fail. */
bool lab_run_cases(struct lab_run *run, int64_t seed);
/* Correctness, sources and compilations of the case at hand. */
void lab_run_put_arms(const struct lab_session *session, json_t *json);
/* The noise floor takes in the null comparison of the case at hand, if it was measured. */
void lab_run_keep_floor(struct lab_run *run);
/* What was absent, and the noise floor or why nothing was timed. */
void lab_run_remarks(struct lab_run *run);

#endif
