#ifndef TILEC_LAB_BASELINE_H
#define TILEC_LAB_BASELINE_H
/*
 * Baselines: kernels as an earlier compiler made them, frozen in a file of `tilec lab export`. For
 * each frozen arm and each case it holds Tile IR after the passes, with the kernel's parameters and
 * how it was asked for; compiled from that without passes, the earlier compiler competes without
 * being there (the code generator is the later one's, the same for all arms).
 *
 * Whatever does not fit is refused: bytes that changed, an experiment that changed, other constants,
 * requirements or flags than the experiment's, a case or arm that is missing.
 */
#include "lab/experiment.h"

struct lab_baseline {
    const json_t *json;
    char sha256[LAB_HASH_SIZE]; /* of the file's bytes */
};

struct lab_frozen {
    const char *text; /* Tile IR */
    size_t length;
    const char *sha256;
};

/*
 * Checks an export for an experiment and a target. json is the file's value, bytes its contents;
 * both must outlive *baseline. False after a message in *error (in the arena), without the file's
 * name.
 */
bool lab_baseline_check(struct arena *arena, const json_t *json, const char *bytes, size_t length,
                        const struct lab_experiment *experiment, const char *target,
                        struct lab_baseline *baseline, const char **error);

/* What a frozen arm is for a case; the arm and case are the experiment's. */
struct lab_frozen lab_baseline_find(const struct lab_baseline *baseline,
                                    const struct lab_arm *arm, const struct lab_case *c);

/* constants and requirements as exports and records say them; new references. */
json_t *lab_constants_json(const struct lab_experiment *experiment, const struct lab_arm *arm,
                           const struct lab_case *c);
json_t *lab_requirements_json(const struct lab_arm *arm);

#endif
