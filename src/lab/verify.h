#ifndef TILEC_LAB_VERIFY_H
#define TILEC_LAB_VERIFY_H
/*
 * Verifying a record: every rule computes a figure again, or compares places that must agree, and
 * says which places it thereby confirmed. A place is confirmed when no single alteration of it could
 * go unseen. What no rule confirmed is listed at the end, so the list is exact for each record.
 *
 *   verify.c            which rules a record is for; the report
 *   verify_core.c       places, what is confirmed, disagreements, groups that must agree
 *   verify_cases.c      names, the matrix, inputs, correctness, sources, reports, compilations
 *   verify_rounds.c     rounds and summaries
 *   verify_gate.c       gates
 *   verify_selection.c  scores and the choice among variants
 *   verify_processes.c  whole compilers in separate processes
 *   verify_null.c       false alarms and power
 *   verify_experiment.c what the experiment declared, where it is given
 */
#include "base/text.h"
#include "lab/experiment.h"

#include <jansson.h>

/* A value of the record and where it stands. Lives on the stack of who walks the record, so parents
 * must outlive children. json is NULL for what is not there. */
struct place {
    const struct place *parent;
    const char *key; /* NULL: item `index` of a list */
    size_t index;
    const json_t *json;
};

/* The inputs' hashes of cases that were made before; shared by many calls in tests. */
enum { VERIFY_MEMO_SIZE = 256 };

struct verify_memo {
    size_t count;
    struct verify_memo_entry {
        const struct lab_problem *problem;
        struct lab_case c;
        int64_t seed;
        char hex[LAB_HASH_SIZE];
    } entries[VERIFY_MEMO_SIZE];
};

enum { VERIFY_MAX_PROBLEMS = 100 };

struct verify {
    struct arena *arena;
    const json_t *root;
    const char *path;          /* of the record; for files beside it */
    const char *dev;           /* "gpu" or "device": how device times are called */
    struct verify_memo *memo;  /* may be NULL */
    const struct lab_experiment *experiment; /* that it must be of; or NULL */
    bool ignore_seal;          /* for tests: record_sha256 would find every alteration */
    bool first_only;           /* for tests: the first disagreement goes to the arena's failure */
    struct {
        uint64_t *items; /* hashes of confirmed places, 0 = free */
        size_t count, capacity;
    } confirmed;
    int64_t most_elements; /* of all inputs that are made again; 0: 2^28 */
    int64_t elements_made; /* so far */
    size_t sources;        /* whose hash was right */
    size_t problem_count;  /* also those beyond VERIFY_MAX_PROBLEMS */
    const char *problems[VERIFY_MAX_PROBLEMS];
    struct {
        const char **items;
        size_t count, capacity;
    } notes; /* what was confirmed, in words */
};

/* ---- places ---------------------------------------------------------------------------------- */

struct place place_root(const struct verify *v);
struct place place_key(const struct place *parent, const char *key);
struct place place_item(const struct place *list, size_t i);
size_t place_count(const struct place *list); /* items or keys; 0 for anything else */
/* "cases[3].rounds[0].null.pairs" */
const char *place_text(struct arena *arena, const struct place *place);

/* Goes through the keys of an object: struct place child; PLACE_EACH(object, child) { ... } */
#define PLACE_EACH(object, child)                                                                  \
    for (void *child##_at = json_object_iter((json_t *)(object)->json);                            \
         child##_at && ((child) = place_key(object, json_object_iter_key(child##_at)), 1);         \
         child##_at = json_object_iter_next((json_t *)(object)->json, child##_at))

/* ---- findings -------------------------------------------------------------------------------- */

/* Something disagrees: "PLACE: message". Always false. */
bool verify_wrong(struct verify *v, const struct place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* No alteration of the place would go unseen; with everything in it. */
void verify_confirm(struct verify *v, const struct place *place);
void verify_confirm_all(struct verify *v, const struct place *place);
bool verify_is_confirmed(const struct verify *v, const struct place *place);
void verify_note(struct verify *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- reading, with a disagreement when the type is another ------------------------------------ */

bool verify_number(struct verify *v, const struct place *place, double *number);
bool verify_positive(struct verify *v, const struct place *place, double *number); /* and finite */
bool verify_whole(struct verify *v, const struct place *place, int64_t *number);
const char *verify_text(struct verify *v, const struct place *place); /* NULL after a message */
bool verify_flag(struct verify *v, const struct place *place, bool *flag);
bool verify_list(struct verify *v, const struct place *place);
bool verify_object(struct verify *v, const struct place *place);

/* ---- rules ----------------------------------------------------------------------------------- */

/* Confirms each when it is what was computed; up to rounding for numbers. */
bool verify_is_number(struct verify *v, const struct place *place, double computed);
bool verify_is_whole(struct verify *v, const struct place *place, int64_t computed);
bool verify_is_flag(struct verify *v, const struct place *place, bool computed);
bool verify_is_text(struct verify *v, const struct place *place, const char *computed);
/* The list of exactly these texts in this order. */
bool verify_is_names(struct verify *v, const struct place *place, const char *const *names,
                     size_t count);
/* Both places hold the same; all of both is confirmed. `why` says what they have in common. */
bool verify_same(struct verify *v, const struct place *a, const struct place *b, const char *why);
/* "failed_", "_cases" -> "failed_gpu_cases": a key with the word for device time in it. */
const char *verify_device_key(const struct verify *v, const char *before, const char *after);
double verify_geomean(const double *values, size_t count);

/* Places that must agree with others of the same key: add them, then compare. The places' parents
 * must live on until then. */
struct verify_group {
    const char *why;
    struct {
        struct verify_member {
            const char *key;
            struct place place;
        } *items;
        size_t count, capacity;
    } members;
};

void verify_group_add(struct verify *v, struct verify_group *group, const char *key,
                      const struct place *place);
void verify_group_check(struct verify *v, struct verify_group *group);

/* ---- cases ----------------------------------------------------------------------------------- */

struct verify_case {
    struct place place;
    const struct lab_case *c;
    const char *shape; /* dtype and the sizes that code may be made for: all but batches */
    bool comparable;   /* no arm that counts failed, so that it must have been timed */
};

struct verify_cases {
    const struct lab_problem *problem;
    size_t count;
    struct lab_case *cases;
    struct verify_case *items;
    struct place list;
};

/* Names, dtypes and sizes; that they form a complete matrix in order. False: no use to go on. The
 * list's parents must live on. */
bool verify_cases_read(struct verify *v, const struct place *list, struct verify_cases *cases);
/* The inputs' hashes, for the seed of the experiment; confirms the seed's place. */
void verify_cases_inputs(struct verify *v, const struct verify_cases *cases,
                         const struct place *seed);
/*
 * Correctness, sources, reports, compilations of a comparison's cases. needed: an object whose keys
 * name the arms without which a case cannot be compared, besides the candidate, or a text that is
 * the name of one.
 */
void verify_cases_arms(struct verify *v, struct verify_cases *cases, const struct place *needed);
/* passed, max_absolute_error, rtol, atol or error of one arm; says whether it passed. */
bool verify_correctness(struct verify *v, const struct place *arm);
/* Hash of its text, where it has one. */
void verify_source(struct verify *v, const struct place *arm);
/* The case of that name; NULL. */
const struct verify_case *verify_case_find(const struct verify_cases *cases, const char *name);

/* ---- parts of records ------------------------------------------------------------------------ */

/* configuration: how many rounds are declared (rounds, or from it to most_rounds). */
void verify_rounds(struct verify *v, const struct verify_cases *cases,
                   const struct place *configuration);
/* noise_floor: the widest interval of the candidate against itself, where the record has one. */
void verify_noise_floor(struct verify *v, const struct verify_cases *cases);

/* summary.ARM.TIME.speedup of a case; false when it is not there. */
bool verify_summary_speedup(const struct verify *v, const struct verify_case *c, const char *arm,
                            const char *time, double *speedup);

void verify_promotion(struct verify *v, const struct verify_cases *cases,
                      const struct place *gate);

struct verify_policy {
    double speedup_minimum, wall_maximum, ragged_maximum;
    int64_t batches[16], aligned_width; /* 0: widths that are powers of two */
    size_t batch_count;
};

bool verify_policy_read(struct verify *v, const struct place *place, struct verify_policy *policy);
bool verify_aligned(const struct verify_policy *policy, const struct verify_case *c);
bool verify_throughput(const struct verify_policy *policy, const struct verify_case *c);
/* A gate of a tuning or validation against the summaries of one arm. */
void verify_tiling_gate(struct verify *v, const struct verify_cases *cases,
                        const struct verify_policy *policy, const char *arm,
                        const struct place *gate);

/* selection and variants; measured: the cases' summaries hold the variants' times. */
void verify_selection(struct verify *v, const struct verify_cases *cases,
                      const struct place *record, bool measured);

void verify_processes(struct verify *v);
void verify_sample(struct verify *v); /* one of the processes */
void verify_null(struct verify *v);
void verify_against(struct verify *v); /* v->experiment */

/* ---- all ------------------------------------------------------------------------------------- */

/* How a record calls device times, "gpu" or "device", by the first key that says it; NULL when none
 * does. */
const char *verify_device_word(const json_t *value);
/* Runs every rule that is for the record. False after a message in *error: it is no record. */
bool verify_record(struct verify *v, const char **error);
/* A place with names of arms as "*" and items as "[]". */
const char *verify_pattern(struct verify *v, const struct place *place);
/* Patterns of places that nothing confirmed, texts apart; NULL-terminated, sorted. */
const char **verify_unconfirmed(struct verify *v, bool texts);

#endif
