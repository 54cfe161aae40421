#ifndef TILEC_LAB_MANIFEST_H
#define TILEC_LAB_MANIFEST_H
/*
 * Manifests: the choice that a tuning froze, bound by SHA-256 to the experiment, the tuning record,
 * the baseline, the compiler and the program that measured. A validation measures the choice on the
 * held-out seed, and refuses when anything of that changed, or when the process or the seed is the
 * tuning's.
 */
#include "lab/baseline.h"

/* Who would validate. */
struct lab_identity {
    char compiler_sha256[LAB_HASH_SIZE]; /* of the compiler's files */
    char program_sha256[LAB_HASH_SIZE];
    int64_t process_id;
};

/* The files that a manifest names, read by the caller. */
struct lab_manifest_files {
    const json_t *manifest;
    const json_t *tuning;
    char tuning_sha256[LAB_HASH_SIZE];   /* of the file's bytes */
    char baseline_sha256[LAB_HASH_SIZE]; /* of the file's bytes */
    const struct lab_experiment *experiment;
};

/* False after a message in *error (in the arena): what changed, and what to do. */
bool lab_manifest_check(struct arena *arena, const struct lab_manifest_files *files,
                        const struct lab_identity *identity, const char **error);

/* The experiment's arm that the manifest chose; NULL when none was, or it is not declared. */
const struct lab_arm *lab_manifest_selected(const json_t *manifest,
                                            const struct lab_experiment *experiment);

/* A path in a file is relative to that file. */
const char *lab_path_beside(struct arena *arena, const char *file, const char *path);

#endif
