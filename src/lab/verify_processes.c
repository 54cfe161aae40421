/* Whole compilers in processes of their own, in the order A B B A; see verify.h. */
#include "base/json_text.h"
#include "lab/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const sides[2] = {"baseline", "current"};
static const char *const order[4] = {"baseline", "current", "current", "baseline"};

struct process_groups {
    struct verify_group code, error, tolerance, alike, roots, machine;
};

/* ---- one process ----------------------------------------------------------------------------- */

/* least <= median <= most. */
static void check_range(struct verify *v, const struct place *timing, const char *time)
{
    struct place median = place_key(timing, arena_format(v->arena, "%s_us", time));
    struct place range = place_key(timing, arena_format(v->arena, "%s_min_max_us", time));
    struct place first = place_item(&range, 0), second = place_item(&range, 1);
    double middle, least, most;
    if (!verify_positive(v, &median, &middle) || !range.json || !verify_list(v, &range))
        return;
    if (place_count(&range) != 2)
        verify_wrong(v, &range, "least and most are expected");
    else if (verify_positive(v, &first, &least) && verify_positive(v, &second, &most)) {
        if (least < most)
            verify_confirm(v, &range); /* swapped or of another length it is wrong */
        if (least > middle || middle > most)
            verify_wrong(v, &range, "does not contain the median %.17g", middle);
    }
}

static void check_timing(struct verify *v, const struct place *timing)
{
    struct place samples = place_key(timing, "samples");
    int64_t count;
    if (!verify_object(v, timing))
        return;
    if (verify_whole(v, &samples, &count) && count < 1)
        verify_wrong(v, &samples, "is %lld", (long long)count);
    check_range(v, timing, v->dev);
    check_range(v, timing, "wall");
}

/* A case without times is one of a process that says why it takes none. */
static void check_refusal(struct verify *v, const struct place *timing)
{
    const struct place *process = timing->parent->parent->parent; /* cases[].timing */
    struct place refusal = place_key(process, "timing_refused");
    if (!refusal.json)
        verify_wrong(v, timing, "is missing, and the process does not refuse to take times");
}

/* Fields that say what the code is; of one compiler they are the same in both processes. */
static void group_code(struct verify *v, struct process_groups *groups, const char *side,
                       const struct verify_case *item)
{
    static const char *const keys[] = {"source_sha256", "execution_report"};
    struct place correctness = place_key(&item->place, "correctness");
    struct place worst = place_key(&correctness, "max_absolute_error");
    struct place reference = place_key(&correctness, "reference");
    const char *key = arena_format(v->arena, "%s %s", side, item->c->name);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct place same = place_key(&item->place, keys[i]);
        verify_group_add(v, &groups->code, arena_format(v->arena, "%s %s", keys[i], key), &same);
    }
    verify_group_add(v, &groups->error, key, &worst);
    verify_group_add(v, &groups->alike, "reference", &reference);
}

static bool check_case(struct verify *v, struct process_groups *groups, const char *side,
                       const struct verify_case *item)
{
    struct place correctness = place_key(&item->place, "correctness");
    struct place schedule = place_key(&item->place, "schedule");
    struct place timing = place_key(&item->place, "timing");
    struct place status = place_key(&item->place, "status");
    struct place error = place_key(&item->place, "error");
    struct place rtol = place_key(&correctness, "rtol"), atol = place_key(&correctness, "atol");
    const char *dtype = lab_dtype_name(item->c->dtype);
    bool timed = timing.json;
    if (!verify_is_text(v, &status, error.json ? "error" : timed ? "ok" : "checked") || error.json)
        return false;
    verify_correctness(v, &correctness);
    verify_group_add(v, &groups->tolerance, arena_format(v->arena, "rtol %s", dtype), &rtol);
    verify_group_add(v, &groups->tolerance, arena_format(v->arena, "atol %s", dtype), &atol);
    verify_group_add(v, &groups->alike, "schedule", &schedule);
    verify_source(v, &item->place);
    group_code(v, groups, side, item);
    if (timed)
        check_timing(v, &timing);
    else
        check_refusal(v, &timing);
    return timed;
}

static void check_seeds(struct verify *v, const struct verify_cases *cases)
{
    struct place root = place_root(v), configuration = place_key(&root, "configuration");
    struct place seed = place_key(&configuration, "seed");
    int64_t number;
    if (!verify_whole(v, &seed, &number))
        return;
    for (size_t i = 0; i < cases->count; i++) {
        struct place own = place_key(&cases->items[i].place, "seed");
        uint64_t drawn = cases->problem->seed(number, &cases->cases[i]);
        if (own.json)
            verify_is_whole(v, &own, (int64_t)drawn);
    }
    verify_cases_inputs(v, cases, &seed);
}

/* What the whole record and all processes have in common. */
static void group_shared(struct verify *v, struct process_groups *groups, const struct place *place)
{
    static const char *const shared[] = {
        "device",  "platform",      "metal_compiler",       "target",         "experiment_sha256",
        "metrics", "configuration", "precision_comparison", "declared_cases", "experiment"};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        struct place same = place_key(place, shared[i]);
        verify_group_add(v, &groups->machine, shared[i], &same);
    }
}

static void group_process(struct verify *v, struct process_groups *groups, const char *side,
                          const struct place *process)
{
    static const char *const own[] = {"root", "compiler_implementation_sha256"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        struct place place = place_key(process, own[i]);
        verify_group_add(v, &groups->roots, arena_format(v->arena, "%s %s", own[i], side), &place);
    }
    group_shared(v, groups, process);
}

/* ---- comparisons ----------------------------------------------------------------------------- */

struct processes {
    size_t count[2]; /* of each side */
    struct verify_cases *cases[2];
};

static bool timing_of(const struct verify_case *item, const char *time, double *number)
{
    const json_t *timing = json_object_get(item->place.json, "timing");
    const json_t *value = json_object_get(timing, time);
    *number = json_number_value(value);
    return json_is_number(value) && *number > 0;
}

/* Whether every process has that time of a case. */
static bool has_timing(const struct processes *all, size_t i, const char *time)
{
    double number;
    for (int s = 0; s < 2; s++)
        for (size_t p = 0; p < all->count[s]; p++)
            if (!timing_of(&all->cases[s][p].items[i], time, &number))
                return false;
    return true;
}

/* baseline and current are geometric means of their processes' medians, which samples repeats. */
static void check_time(struct verify *v, const struct processes *all, size_t i,
                       const struct place *times)
{
    struct place samples = place_key(times, "samples"), speedup = place_key(times, "speedup");
    double means[2];
    for (int s = 0; s < 2; s++) {
        struct place list = place_key(&samples, sides[s]), mean = place_key(times, sides[s]);
        double *values = ARENA_ARRAY(v->arena, double, all->count[s]);
        if (!verify_list(v, &list))
            return;
        if (place_count(&list) != all->count[s]) {
            verify_wrong(v, &list, "has %zu figures for %zu processes", place_count(&list),
                         all->count[s]);
            return;
        }
        verify_confirm(v, &list);
        for (size_t p = 0; p < all->count[s]; p++) {
            const struct verify_case *item = &all->cases[s][p].items[i];
            struct place item_place = place_item(&list, p);
            struct place timing = place_key(&item->place, "timing");
            struct place median = place_key(&timing, times->key);
            if (!timing_of(item, times->key, &values[p])) {
                verify_wrong(v, &median, "a finite number above 0 is expected");
                return;
            }
            if (verify_is_number(v, &item_place, values[p]))
                verify_confirm(v, &median);
        }
        means[s] = verify_geomean(values, all->count[s]);
        verify_is_number(v, &mean, means[s]);
    }
    verify_is_number(v, &speedup, means[0] / means[1]);
}

static void check_comparison(struct verify *v, const struct processes *all, size_t i,
                             const struct place *comparison)
{
    static const char *const repeated[] = {"name", "dtype", "shape", "batches", "width"};
    const struct verify_case *first = &all->cases[0][0].items[i];
    struct place sources = place_key(comparison, "source_sha256");
    struct place status = place_key(comparison, "status");
    struct place device = place_key(comparison, arena_format(v->arena, "%s_us", v->dev));
    struct place wall = place_key(comparison, "wall_us");
    bool fine = true;
    for (size_t k = 0; k < sizeof repeated / sizeof *repeated; k++) {
        struct place here = place_key(comparison, repeated[k]);
        struct place there = place_key(&first->place, repeated[k]);
        if (there.json || here.json)
            verify_same(v, &here, &there, "comparisons are of the processes' cases");
    }
    for (int s = 0; s < 2; s++) {
        for (size_t p = 0; p < all->count[s]; p++)
            fine = fine && all->cases[s][p].items[i].comparable;
        struct place here = place_key(&sources, sides[s]);
        struct place there = place_key(&all->cases[s][0].items[i].place, "source_sha256");
        if (there.json && verify_text(v, &there))
            verify_same(v, &here, &there, "comparisons name the processes' sources");
    }
    verify_is_text(v, &status, fine ? "ok" : "incomparable");
    if (!fine)
        return;
    if (device.json || has_timing(all, i, device.key))
        check_time(v, all, i, &device);
    check_time(v, all, i, &wall);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* As many processes of each side as the order says. */
static bool check_order(struct verify *v, const struct place *root, const struct place *samples,
                        struct processes *all)
{
    struct place list = place_key(root, "pair_order");
    if (!verify_is_names(v, &list, order, 4))
        return false;
    for (int s = 0; s < 2; s++) {
        struct place processes = place_key(samples, sides[s]);
        if (!verify_list(v, &processes))
            return false;
        all->count[s] = place_count(&processes);
        if (all->count[s] != 2)
            return verify_wrong(v, &processes, "has %zu processes, the order 2", all->count[s]);
        verify_confirm(v, &processes);
        all->cases[s] = ARENA_ARRAY(v->arena, struct verify_cases, 2);
    }
    return true;
}

/* A process gave a record of its own. */
static void check_seal(struct verify *v, const struct place *process)
{
    struct place seal = place_key(process, "record_sha256");
    char hex[LAB_HASH_SIZE];
    if (!seal.json || v->ignore_seal)
        return;
    json_text_sha256(v->arena, process->json, "record_sha256", hex);
    verify_is_text(v, &seal, hex);
}

static bool read_process(struct verify *v, struct process_groups *groups, const char *side,
                         const struct place *process, struct verify_cases *cases)
{
    /* The cases' places point to these, and live longer. */
    struct place *kept = ARENA_NEW(v->arena, struct place);
    struct place *list = ARENA_NEW(v->arena, struct place);
    *kept = *process;
    *list = place_key(kept, "cases");
    if (!verify_object(v, kept) || !verify_cases_read(v, list, cases))
        return false;
    check_seal(v, kept);
    for (size_t i = 0; i < cases->count; i++)
        cases->items[i].comparable = check_case(v, groups, side, &cases->items[i]);
    check_seeds(v, cases);
    group_process(v, groups, side, kept);
    return true;
}

static const struct process_groups no_groups = {
    .code.why = "one compiler makes the same code in every process",
    .error.why = "the same code on the same input has the same error",
    .tolerance.why = "the tolerance of a type is the same everywhere",
    .alike.why = "it is the same for all cases",
    .roots.why = "a side is one compiler",
    .machine.why = "all processes run the same experiment on one machine",
};

static void check_groups(struct verify *v, struct process_groups *groups)
{
    verify_group_check(v, &groups->code);
    verify_group_check(v, &groups->error);
    verify_group_check(v, &groups->tolerance);
    verify_group_check(v, &groups->alike);
    verify_group_check(v, &groups->roots);
    verify_group_check(v, &groups->machine);
}

static bool read_processes(struct verify *v, const struct place *samples, struct processes *all)
{
    struct process_groups groups = no_groups;
    struct place root = place_root(v);
    group_shared(v, &groups, &root);
    for (int s = 0; s < 2; s++) {
        struct place *processes = ARENA_NEW(v->arena, struct place);
        *processes = place_key(samples, sides[s]);
        for (size_t p = 0; p < all->count[s]; p++) {
            struct place process = place_item(processes, p);
            if (!read_process(v, &groups, sides[s], &process, &all->cases[s][p]))
                return false;
            if (all->cases[s][p].count != all->cases[0][0].count)
                return verify_wrong(v, &process, "has %zu cases, the first process %zu",
                                    all->cases[s][p].count, all->cases[0][0].count);
        }
    }
    check_groups(v, &groups);
    return true;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* Wall time of the case in the order of the processes; false when one has none. */
static bool walls_of(const struct processes *all, size_t i, double baseline[2], double current[2])
{
    for (size_t p = 0; p < 2; p++)
        if (!all->cases[0][p].items[i].comparable || !all->cases[1][p].items[i].comparable ||
            !timing_of(&all->cases[0][p].items[i], "wall_us", &baseline[p]) ||
            !timing_of(&all->cases[1][p].items[i], "wall_us", &current[p]))
            return false;
    return true;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct verdict {
    double *ratios, *noises; /* logarithms of the cases; NAN without times */
    double noise;            /* the median case's */
};

/* How far the processes of one side are apart is the noise; the ratio is current / baseline. */
static void judge(struct verify *v, const struct processes *all, size_t count,
                  struct verdict *verdict)
{
    double *sorted = ARENA_ARRAY(v->arena, double, count);
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        double b[2], c[2];
        verdict->ratios[i] = verdict->noises[i] = NAN;
        if (!walls_of(all, i, b, c))
            continue;
        verdict->noises[i] = fmax(fabs(log(b[0] / b[1])), fabs(log(c[0] / c[1])));
        verdict->ratios[i] = (log(c[0]) + log(c[1]) - log(b[0]) - log(b[1])) / 2;
        sorted[known++] = verdict->noises[i];
    }
    qsort(sorted, known, sizeof *sorted, by_size);
    verdict->noise = known ? (sorted[(known - 1) / 2] + sorted[known / 2]) / 2 : 0;
}

static bool baseline_works(const struct processes *all, size_t i)
{
    return all->cases[0][0].items[i].comparable && all->cases[0][1].items[i].comparable;
}

/* regression, where the record has one: slower than the threshold and than the noise allows, or
 * wrong now and not before. */
static void check_regression(struct verify *v, const struct processes *all, size_t count,
                             const struct place *regression)
{
    struct place maximum = place_key(regression, "wall_latency_ratio_maximum");
    struct place noise = place_key(regression, "noise_latency_ratio");
    struct place slower = place_key(regression, "regressed_cases");
    struct place broken = place_key(regression, "broken_cases");
    struct place passed = place_key(regression, "passed");
    struct verdict verdict = {ARENA_ARRAY(v->arena, double, count),
                              ARENA_ARRAY(v->arena, double, count), 0};
    const char **slow = ARENA_ARRAY(v->arena, const char *, count);
    const char **bad = ARENA_ARRAY(v->arena, const char *, count);
    size_t slow_count = 0, bad_count = 0;
    double threshold;
    if (!verify_positive(v, &maximum, &threshold))
        return;
    judge(v, all, count, &verdict);
    for (size_t i = 0; i < count; i++) {
        const char *name = all->cases[0][0].cases[i].name;
        double ratio = verdict.ratios[i];
        if (ratio > log(threshold) && ratio > fmax(verdict.noises[i], verdict.noise))
            slow[slow_count++] = name;
        if (isnan(ratio) && baseline_works(all, i))
            bad[bad_count++] = name;
    }
    verify_is_number(v, &noise, exp(verdict.noise));
    verify_is_names(v, &slower, slow, slow_count);
    verify_is_names(v, &broken, bad, bad_count);
    verify_is_flag(v, &passed, slow_count + bad_count == 0);
    verify_note(v, "the verdict on regressions: %s", slow_count + bad_count ? "not passed" : "passed");
}

void verify_processes(struct verify *v)
{
    struct place *root = ARENA_NEW(v->arena, struct place);
    struct place *samples = ARENA_NEW(v->arena, struct place);
    struct processes all = {0};
    *root = place_root(v);
    *samples = place_key(root, "samples");
    struct place comparisons = place_key(root, "comparisons");
    if (!verify_object(v, samples) || !check_order(v, root, samples, &all) ||
        !read_processes(v, samples, &all) || !verify_list(v, &comparisons))
        return;
    size_t count = all.cases[0][0].count;
    if (place_count(&comparisons) != count) {
        verify_wrong(v, &comparisons, "has %zu cases, the processes %zu",
                     place_count(&comparisons), count);
        return;
    }
    verify_confirm(v, &comparisons);
    for (size_t i = 0; i < count; i++) {
        struct place comparison = place_item(&comparisons, i);
        check_comparison(v, &all, i, &comparison);
    }
    verify_note(v, "the comparison of 4 processes on %zu cases", count);
    struct place regression = place_key(root, "regression");
    if (regression.json)
        check_regression(v, &all, count, &regression);
}

void verify_sample(struct verify *v)
{
    struct process_groups groups = no_groups;
    struct verify_cases cases = {0};
    struct place root = place_root(v);
    if (!read_process(v, &groups, "current", &root, &cases))
        return;
    check_groups(v, &groups);
    size_t timed = 0;
    for (size_t i = 0; i < cases.count; i++)
        timed += cases.items[i].comparable;
    verify_note(v, "what one process says of %zu cases, %zu of them timed", cases.count, timed);
}
