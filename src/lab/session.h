#ifndef TILEC_LAB_SESSION_H
#define TILEC_LAB_SESSION_H
/*
 * A measuring session: an experiment, the device, and one case at a time with all its arms ready
 * and checked. `run`, `tune` and `null` are made of it. Everything that must be released hangs on
 * the session, so that a call that runs out of memory leaves nothing behind.
 */
#include "lab/call.h"
#include "lab/baseline.h"
#include "lab/ready.h"

enum {
    LAB_MAX_READY = 2 * LAB_MAX_ARMS + 1,
    /* Samples are long enough that a round's time holds no more pairs than these: a record holds all
     * of them, and more would make the interval of the median hardly narrower. */
    LAB_FEW_PAIRS = 256,
};

struct lab_session {
    struct lab_call *call;
    tilec_lab_options options;
    struct measure_clock clock;
    struct lab_experiment experiment;
    bool is_open;
    struct lab_bench bench;
    struct lab_device device; /* where the target is a GPU */
    struct measure_options measuring; /* by the experiment's configuration */
    struct lab_text *texts;           /* per arm: what was compiled */
    bool timed;                       /* the target's times mean something */
    bool has_baseline;
    struct lab_baseline baseline; /* what frozen arms are compiled from */

    /* the case at hand */
    const struct lab_case *c;
    struct lab_data data;
    char input_sha256[LAB_HASH_SIZE];
    int ready_count;
    struct lab_ready ready[LAB_MAX_READY]; /* per arm, then the first arm once more */
    struct measure_arm arms[LAB_MAX_READY];
    int measured_count;
    struct measured measured[LAB_MAX_READY];

    double begin;  /* of the session */
    double behind; /* share of the work */
};

/* Opens everything for an experiment of that form; false after lab_call_fail. */
bool lab_session_open(struct lab_session *session, struct lab_call *call, const char *path,
                      enum lab_form form);
/* Whether all controls are there. False after lab_call_fail: one is frozen, and no baseline is
 * given. */
bool lab_session_has_controls(struct lab_session *session);
/* After the call, however it ended. */
void lab_session_close(struct lab_session *session);

/* Makes the inputs of a case with that seed and all arms ready, and checks them. */
bool lab_session_case(struct lab_session *session, const struct lab_case *c, int64_t seed);
/* Frees the case at hand. */
void lab_session_case_end(struct lab_session *session);

void lab_session_progress(struct lab_session *session, const char *what, double behind);

#endif
