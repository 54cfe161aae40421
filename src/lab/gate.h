#ifndef TILEC_LAB_GATE_H
#define TILEC_LAB_GATE_H
/*
 * Gates, as the experiment declares them: points that the speedups of the summaries must meet in
 * every case. A case that could not be compared meets none. `verify` computes them again by code of
 * its own.
 */
#include "lab/experiment.h"

struct lab_gate_times {
    bool comparable;
    double device_speedup, wall_speedup; /* control / candidate */
};

struct lab_gate_case {
    struct lab_gate_times
        *arms; /* per arm of the experiment, against the candidate or the control */
};

/* promotion_gate of a comparison, a new reference. */
json_t *lab_gate_promotion(const struct lab_experiment *experiment,
                           const struct lab_gate_case *cases);

#endif
