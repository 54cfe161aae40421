#ifndef TILEC_LAB_READY_H
#define TILEC_LAB_READY_H
/*
 * Arms made ready: compiled (or opened, when they are somebody else's), given one case's arrays,
 * and checked against the reference. All arms of a case share its arrays, so that none has a better
 * place in the caches than another: separate arrays differ by up to 2% (docs/lab.md).
 */
#include "lab/device.h"
#include "lab/experiment.h"
#include "lab/measure.h"

#include <tilec/lab.h>

enum { LAB_MAX_ARGUMENTS = 2 * LAB_MAX_DIMENSIONS + LAB_MAX_TENSORS };

/* What arms run on. */
struct lab_bench {
    struct arena *arena;
    const struct lab_experiment *experiment;
    tilec_context *context;
    const char *target;
    int threads;                       /* 0: the context's */
    const struct measure_clock *clock; /* a test's, for the device too; NULL: the system's */
    const struct lab_device *device;   /* a GPU, whose arms are measured as device.h says; or NULL */
    const tilec_lab_external *externals;
    size_t external_count;
};

/* What an arm is compiled from: the text of its file, or Tile IR of an export. */
struct lab_text {
    const char *path, *text; /* text NULL: the arm's own file */
    size_t length;
    bool tile_ir; /* after the passes of whoever exported it: none are run again */
};

struct lab_ready {
    const struct lab_arm *arm;
    const char *error; /* in the arena; NULL: it can run */
    double compile_seconds;
    tilec_program *program;
    tilec_kernel *kernel;
    tilec_compile_options compiled; /* how; of the arena */
    tilec_argument arguments[LAB_MAX_ARGUMENTS];
    size_t argument_count;
    double device; /* of the last launch */
    tilec_prepared *prepared; /* on a GPU */
    struct lab_replay replay; /* likewise */
    const struct measure_clock *clock;
    tilec_launch_options options;
    const tilec_lab_external *external;
    void *opened;
    struct lab_check check; /* by lab_ready_check */
    bool checked;
};

/* What the caller gave under that name; NULL. */
const tilec_lab_external *lab_bench_external(const struct lab_bench *bench, const char *name);

/* Compiles or opens the arm for a case; what goes wrong is ready->error. Nothing may move while it
 * is in use. lab_ready_free releases. */
void lab_ready_make(const struct lab_bench *bench, const struct lab_arm *arm,
                    const struct lab_text *text, const struct lab_case *c,
                    const struct lab_data *data, struct lab_ready *ready);
void lab_ready_free(struct lab_ready *ready);

/* Poisons the outputs, runs once, and compares every element. A wrong result, or none, is an error
 * of the arm. */
void lab_ready_check(const struct lab_bench *bench, struct lab_data *data, struct lab_ready *ready);

/* The arm as measure.h wants it. */
struct measure_arm lab_ready_measure(struct lab_ready *ready);

#endif
