#ifndef TILEC_LAB_TILING_H
#define TILEC_LAB_TILING_H
/*
 * Tunings: the gate of a variant, the scores, the choice, and the manifest that freezes it. `verify`
 * computes them again by code of its own. All results are new references.
 */
#include "lab/gate.h"

/* gate_policy: the experiment's gate under the records' names. */
json_t *lab_tiling_policy(const struct lab_experiment *experiment);

/* A variant as the experiment declares it, without the arm that makes it. */
json_t *lab_tiling_variant(const struct lab_arm *arm);

/* training_gate or a validation's promotion_gate: cases[].arms[arm] are the speed-ups of the variant
 * over the control, under whichever arm's place they were kept. */
json_t *lab_tiling_gate(const struct lab_experiment *experiment, const struct lab_gate_case *cases,
                        size_t arm);

/*
 * selection: a score for each variant, and the one that the rule chooses: fewest failures of wall and
 * ragged guards, then the greatest least device speed-up over the aligned throughput cases, then its
 * geometric mean, then the declared order. errors[variant]: why it could not be measured in every
 * case, or NULL.
 */
json_t *lab_tiling_selection(const struct lab_experiment *experiment,
                             const struct lab_gate_case *cases, const char *const *errors);

/* Where the files that a manifest binds are. Paths in it are relative to its folder where they are
 * below it, else absolute. */
struct lab_tiling_files {
    const char *manifest, *experiment, *tuning, *baseline;
    char tuning_sha256[LAB_HASH_SIZE]; /* of the file's bytes */
};

/* The manifest of a tuning record, sealed. */
json_t *lab_tiling_manifest(struct arena *arena, const json_t *tuning,
                            const struct lab_tiling_files *files);

#endif
