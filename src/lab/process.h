#ifndef TILEC_LAB_PROCESS_H
#define TILEC_LAB_PROCESS_H
/*
 * Whole compilers against each other: each runs in processes of its own, in the order baseline,
 * current, current, baseline, and says in JSON what its kernels take (`tilec lab sample`). Here is
 * what becomes of four such answers.
 *
 *   sample.c   one process's answer
 *   process.c  four answers -> record and verdict
 *   regress.c  starts the processes
 */
#include "lab/experiment.h"

enum { LAB_PROCESS_COUNT = 4 };

/* Which side each process is: 0 baseline, 1 current. */
extern const int lab_process_side[LAB_PROCESS_COUNT];

struct lab_regression {
    double threshold; /* a share: 0.03 */
    double noise;     /* log ratio of the session: the median of the cases' */
    bool regressed;
};

/*
 * Fills record["samples"], ["comparisons"] and ["regression"] from the answers, whose references
 * stay the caller's. A case is a regression when its wall time grew by more than the threshold, and
 * by more than the noise: how far the two processes of one side are apart in this case, or in the
 * median case. False after a message in *error: the answers are not of one experiment, device and
 * inputs.
 */
bool lab_process_compare(struct arena *arena, const struct lab_experiment *experiment,
                         json_t *const answers[LAB_PROCESS_COUNT], json_t *record,
                         struct lab_regression *regression, const char **error);

#endif
