/*
 * lab.h: measurements that a sceptic would accept; docs/lab.md explains. Experimental: may change in
 * any version.
 *
 * The rules at the head of tilec.h hold, but for diagnostics: what a function has to say comes back
 * in a tilec_lab_text, which the caller zeroes before and frees after each call, whatever came out.
 * Functions that take no context need none, and run at the same time in any number of threads.
 */
#ifndef TILEC_LAB_H
#define TILEC_LAB_H

#include <tilec/tilec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tilec_lab_text {
    char *text;    /* what was asked for, ending with NUL; NULL when there is none */
    size_t length; /* bytes of text */
    char *error;   /* after a failure: what, where and what to do, without a final newline */
} tilec_lab_text;

TILEC_API void tilec_lab_text_free(tilec_lab_text *text);

/* The inputs of every case of an experiment, made again: lines "CASE SHA256", or for a tuning
 * experiment "CASE training SHA256" and "CASE validation SHA256". Needs no device.
 * Errors: IO (no such file, or not an experiment), NO_MEMORY, INVALID. */
TILEC_API tilec_status tilec_lab_inputs(const char *experiment, tilec_lab_text *text);

/* ---- measuring ----------------------------------------------------------------------------- */

/* What an arm of somebody else's is asked to compute: one case of an experiment. */
typedef struct tilec_lab_dimension {
    const char *name; /* "width" */
    int64_t size;
} tilec_lab_dimension;

typedef struct tilec_lab_tensor {
    const char *name;
    tilec_type type;
    int is_output;
    int rank;
    const int64_t *shape; /* row-major, contiguous */
    void *data;           /* of the case; all arms share it; on "cuda" an address of the device */
} tilec_lab_tensor;

typedef struct tilec_lab_case {
    size_t size;
    const char *problem; /* "rmsnorm", "gemm" */
    const char *name;
    tilec_type type; /* of the storage */
    size_t dimension_count;
    const tilec_lab_dimension *dimensions;
    size_t tensor_count;
    const tilec_lab_tensor *tensors;
    double epsilon;
    int threads; /* at most; 0: as many as there are */
    const char *target; /* "cpu", "cuda" */
    void *stream;       /* "cuda": the CUstream that all arms use, and data are addresses of the device */
} tilec_lab_case;

/* A library that experiments name under "external": how to run it. */
typedef struct tilec_lab_external {
    const char *name;
    const char *version; /* for the record */
    void *user;
    /* Makes an arm for a case, whose arrays stay where they are until close; what c points to else
     * is gone after the call. Otherwise why it cannot, in why. */
    tilec_status (*open)(void *user, const tilec_lab_case *c, void **arm, char *why,
                         size_t why_size);
    /* Computes once, and returns when it is done. Adds the device's own seconds if it can tell. */
    tilec_status (*run)(void *arm, double *device_seconds);
    void (*close)(void *arm);
    int has_device_time;
    /* On "cuda": queues one computation on the case's stream and returns. It is captured into graphs
     * and timed as our own arms are. NULL: run is called instead. */
    tilec_status (*queue)(void *arm);
} tilec_lab_external;

typedef struct tilec_lab_options {
    size_t size;            /* sizeof(tilec_lab_options) */
    const char *target;     /* NULL: "cpu" */
    const char *baseline;   /* an export, for frozen arms; NULL: they are unavailable */
    const char *cache_directory; /* as in tilec_context_options */
    const tilec_lab_external *externals;
    size_t external_count;
    /* Names of cases: only these are measured, for a quick look; `verify` does not accept such a
     * record. None: all. */
    const char *const *cases;
    size_t case_count;
    /* Called between measurements: what is done, the share of all that is behind, and the seconds
     * that are left. NULL: not. */
    void (*progress)(void *user, const char *what, double share, double seconds_left);
    void *user;
    /* Monotonic seconds in place of the system's clock and the device's, for tests. */
    double (*now)(void *clock_user);
    void *clock_user;
    int jobs; /* cases that are checked at once where nothing is timed; 0: as many as processors */
} tilec_lab_options;

/*
 * Checks every arm of every case of an experiment against the reference, times those that are right,
 * and gives the record as JSON (docs/lab.md): of a comparison in pairs; of a tuning as tilec_lab_tune
 * does; of a comparison of processes what tilec_lab_sample says of this process. Wrong and unavailable
 * arms are in the record with what was wrong. On a target whose times mean nothing ("msl-host",
 * "interp") the arms are only checked, several cases at once, and the record says so.
 * Errors: IO (no experiment), TARGET (it is not for this target), NO_MEMORY, INVALID (a control is
 * frozen and there is no baseline, so that no case could be timed).
 */
TILEC_API tilec_status tilec_lab_run(const char *experiment, const tilec_lab_options *options,
                                     tilec_lab_text *record);

/*
 * How often the lab is wrong: `repeats` times the candidate of a comparison experiment against
 * itself in every case, on new arrays each time; with `power` not 0, every control against the
 * candidate too. An alarm is a comparison whose whole interval is beyond the experiment's
 * alarm_threshold. The record holds shares of alarms with their 95% intervals, and every ratio.
 * Errors: as tilec_lab_run; TARGET also where times mean nothing.
 */
TILEC_API tilec_status tilec_lab_null(const char *experiment, int repeats, int power,
                                      const tilec_lab_options *options, tilec_lab_text *record);
/*
 * Freezes the controls of an experiment that say so, as this compiler makes them: Tile IR after the
 * passes, with the kernel's interface, for every case; docs/lab.md. options: target and context.
 * Errors: IO (no experiment), INVALID (nothing is frozen), those of compiling, NO_MEMORY.
 */
TILEC_API tilec_status tilec_lab_export(const char *experiment, const tilec_lab_options *options,
                                        tilec_lab_text *baseline);

/*
 * All variants of a tuning experiment against its control, on the training seed, and the choice that
 * the experiment's rule makes among them; options->baseline is needed where the control is frozen.
 * tilec_lab_freeze gives the manifest that binds the choice to the tuning record (a file), the
 * baseline and the experiment; `manifest` is where the caller will write it.
 * Errors: as tilec_lab_run; INVALID: no baseline, or nothing was chosen.
 */
TILEC_API tilec_status tilec_lab_tune(const char *experiment, const tilec_lab_options *options,
                                      tilec_lab_text *record);
TILEC_API tilec_status tilec_lab_freeze(const char *experiment, const char *baseline,
                                        const char *tuning, const char *manifest,
                                        tilec_lab_text *text);

/*
 * Measures what a tuning's manifest chose on the seed that was held out, and judges it by the gate.
 * The manifest names experiment, tuning record and baseline; options' baseline is not looked at.
 * Errors: INVALID (something the manifest is bound to changed, or seed or process are the tuning's),
 * IO, TARGET, NO_MEMORY.
 */
TILEC_API tilec_status tilec_lab_validate(const char *manifest, const tilec_lab_options *options,
                                          tilec_lab_text *record);

/* Computes everything in a record again that can be: text says what was confirmed and what nothing
 * in the record confirms, or lists every disagreement. Needs no device.
 * Errors: FAULT (something disagrees), IO (no such file, or no record), NO_MEMORY, INVALID. */
TILEC_API tilec_status tilec_lab_verify(const char *record, tilec_lab_text *text);
/* The same, and that the record holds to what that experiment declares. */
TILEC_API tilec_status tilec_lab_verify_against(const char *record, const char *experiment,
                                                tilec_lab_text *text);

typedef enum tilec_lab_format {
    TILEC_LAB_TABLE = 0, /* for a terminal */
    TILEC_LAB_SVG = 1,   /* a chart, light or dark as the reader's system is */
    TILEC_LAB_HTML = 2   /* a page that needs nothing else, with every round */
} tilec_lab_format;

/* A record for people to look at. Errors: IO (no such file, or no record), NO_MEMORY, INVALID. */
TILEC_API tilec_status tilec_lab_show(const char *record, tilec_lab_format format,
                                      tilec_lab_text *text);

/*
 * Whole compilers against each other: tilec_lab_sample says, as one JSON object, what this compiler's
 * kernel takes in every case of a `processes` experiment. tilec_lab_regress starts two programs,
 * PROGRAM lab sample EXPERIMENT --target TARGET, each twice, in the order baseline, current, current,
 * baseline, and compares what they write. *regressed is 1 when a case became slower by more than the
 * experiment's wall_latency_ratio_maximum (1.03) and by more than the two processes of one side are
 * apart, or when a case is wrong that was right.
 * Errors: as tilec_lab_run; FAULT: a process failed, or the answers cannot be compared.
 */
TILEC_API tilec_status tilec_lab_sample(const char *experiment, const tilec_lab_options *options,
                                        tilec_lab_text *text);
TILEC_API tilec_status tilec_lab_regress(const char *experiment, const char *baseline,
                                         const char *current, const tilec_lab_options *options,
                                         int *regressed, tilec_lab_text *record);

/* ---- two arms of one's own ------------------------------------------------------------------ */

/* Something whose time is taken. */
typedef struct tilec_lab_arm {
    const char *name; /* for messages */
    /* Once, finished when it returns. Adds the device's own seconds, if it can tell. Not TILEC_OK:
     * the comparison ends. */
    tilec_status (*run)(void *user, double *device_seconds);
    void *user;
    int has_device_time;
} tilec_lab_arm;

typedef enum tilec_lab_verdict {
    TILEC_LAB_SAME = 0,     /* the whole interval is within the threshold */
    TILEC_LAB_SLOWER = 1,   /* the candidate's whole interval is beyond it */
    TILEC_LAB_FASTER = 2,
    TILEC_LAB_UNDECIDED = 3 /* the interval holds the threshold */
} tilec_lab_verdict;

typedef struct tilec_lab_times {
    double control, candidate; /* seconds: medians, their geometric mean over the rounds */
    double speedup;            /* control / candidate of these */
    double ratio, low, high;   /* candidate / control: median over quads, with its 99% interval */
} tilec_lab_times;

typedef struct tilec_lab_comparison {
    int rounds, pairs, batch; /* batch: calls in a sample */
    tilec_lab_times wall, device; /* device: zero unless both arms tell it */
    tilec_lab_verdict verdict;    /* by wall time */
} tilec_lab_comparison;

typedef struct tilec_lab_compare_options {
    size_t size;
    double threshold;      /* a share; 0: 0.02 */
    double round_seconds;  /* 0: 0.05 */
    double warmup_seconds; /* before each round; 0: 0.02 */
    double batch_seconds;  /* what is shorter is run in batches; 0: 100e-6 */
    int rounds;            /* 0: 3, and up to 12 until the interval is within 1% */
    int most_rounds;
    double (*now)(void *clock_user); /* monotonic seconds; NULL: the system's */
    void *clock_user;
} tilec_lab_compare_options;

/*
 * How much slower or faster is the candidate? In turns, call by call, as docs/lab.md explains; *text
 * only for the error. Errors: FAULT (an arm failed, or the clock), NO_MEMORY, INVALID.
 */
TILEC_API tilec_status tilec_lab_compare(const tilec_lab_arm *control,
                                         const tilec_lab_arm *candidate,
                                         const tilec_lab_compare_options *options,
                                         tilec_lab_comparison *result, tilec_lab_text *text);

#ifdef __cplusplus
}
#endif

#endif
