#ifndef TILEC_RUN_AUTOTUNE_H
#define TILEC_RUN_AUTOTUNE_H
/*
 * Choosing among the values that tune lines list, by measuring them for one set of arguments.
 *
 *   autotune.c            candidates, the order of events
 *   autotune_arguments.c  arguments for the kernel's parameters
 *   autotune_choice.c     the stored choice
 *   autotune_try.c        one candidate: compiled, checked on copies of the arrays, timed
 *   autotune_cuda.c       arrays and launches on a GPU
 */
#include "run/run.h" /* first: it asks for all of tilec.h */

#include "lab/device.h"
#include "lab/measure.h"

enum { AUTOTUNE_MOST_PARAMETERS = 256 };

/* A written array of the caller's: tuning works on a copy, from which what stood there at the start
 * can be had again. */
struct autotune_array {
    size_t bytes, elements;
    size_t parameter; /* of a launch: which; fixed scalars may be left out */
    tilec_type type;
    void *start, *work, *wanted; /* before any run; what runs write; what a right run leaves */
    double *allowed;             /* per element; NULL: by the type's tolerance */
    bool carried;                /* put back before each timed launch */
    /* On a GPU: what launches there use, ours or the caller's; and what the interpreter reads of an
     * array that is not written, ours or the caller's. start, work and wanted are the host's. */
    void *device, *readable;
    bool owns_device, owns_readable;
};

struct tilec_tuning {
    tilec_context *context;
    tilec_program *program;
    struct arena arena;
    tilec_compile_options options;
    tilec_autotune_options tune;
    struct measure_clock clock;
    size_t argument_count;
    tilec_argument arguments[AUTOTUNE_MOST_PARAMETERS]; /* writable ones on the copies */
    struct autotune_array arrays[AUTOTUNE_MOST_PARAMETERS];
    int count, chosen;
    tilec_status status; /* of the last compilation or launch */
    tilec_candidate *candidates;
    bool from_cache;
    tilec_kernel *standard, *at_hand; /* what is compiled now: released with the tuning */
    tilec_prepared *prepared[2];
    bool on_gpu;
    struct lab_device device;
    struct lab_replay replays[2];
};

/* Adds an error with a name in its message to the context, and returns the status. */
tilec_status autotune_fail(tilec_tuning *tuning, tilec_status status, const char *message,
                           const char *name);
/* Takes over what a launch is given, by parameter. */
tilec_status autotune_take_arguments(tilec_tuning *tuning, const tilec_argument *arguments,
                                     size_t count);
/* Integers are sizes, which choices depend on; floating-point numbers are data. */
static inline bool autotune_is_whole(tilec_type type)
{
    return type <= TILEC_U64;
}
/* Looks for the choice that an earlier tuning kept, and keeps this one's. */
void autotune_find_choice(tilec_tuning *tuning);
void autotune_keep_choice(const tilec_tuning *tuning);
/* Copies of the arrays that the kernel writes; false: no memory. */
bool autotune_copy_arrays(tilec_tuning *tuning);
/* Frees copies, kernels and launches. */
void autotune_release(tilec_tuning *tuning);
/* Candidate i compiled; on failure the candidate's error says why. */
tilec_kernel *autotune_compile(tilec_tuning *tuning, int i);
/* The same, kept in at_hand until the next one. */
bool autotune_hold(tilec_tuning *tuning, int i);
/* Makes what every candidate must give: by the interpreter where that is quick, else by the
 * declared default, candidate 0, which is `standard`. */
tilec_status autotune_make_wanted(tilec_tuning *tuning);
/* Runs candidate i, in at_hand, once on the start values and compares; sets the candidate's error.
 */
bool autotune_check(tilec_tuning *tuning, int i);
/* Times candidate i, in at_hand, against the standard; false: its error says why not. */
bool autotune_time(tilec_tuning *tuning, int i, struct measure_effect *effect);
/* Small enough for the interpreter. */
bool autotune_is_small(const tilec_tuning *tuning);

/* ---- autotune_cuda.c: nothing where the target is another -------------------------------------- */

/* After the host's copies were made: the device's, which become the arguments. */
tilec_status autotune_open_gpu(tilec_tuning *tuning);
void autotune_close_gpu(tilec_tuning *tuning);
/* What the kernel writes: from start to the device, from the device to work. */
tilec_status autotune_to_gpu(tilec_tuning *tuning);
tilec_status autotune_from_gpu(tilec_tuning *tuning);
/* Makes the prepared launches replays of graphs; see lab/device.h. */
void autotune_replay(tilec_tuning *tuning, struct measure_arm arms[2]);

/* The first error that the context has, copied; or what the status means. */
const char *autotune_reason(tilec_tuning *tuning, tilec_status status);

#endif
