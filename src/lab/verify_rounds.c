/* Rounds of pairs and their summaries; see verify.h. */
#include "base/json_text.h"
#include "lab/measure.h"
#include "lab/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MINIMUM_PAIRS = 20, MAX_ROUNDS = 1000 };

/* ---- pairs ----------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a list of times; false after a message. */
static bool median_of(struct verify *v, const struct place *list, double *median)
{
    size_t count = place_count(list);
    if (!verify_list(v, list))
        return false;
    if (!count)
        return verify_wrong(v, list, "has no times");
    double *times = ARENA_ARRAY(v->arena, double, count);
    for (size_t i = 0; i < count; i++) {
        struct place item = place_item(list, i);
        if (!verify_positive(v, &item, &times[i]))
            return false;
    }
    qsort(times, count, sizeof *times, by_size);
    *median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    return true;
}

/* samples.TIME.{candidate, control} against the medians; how many there are confirms pairs. */
static void check_samples(struct verify *v, const struct place *comparison, const char *time)
{
    static const char *const sides[] = {"candidate", "control"};
    struct place samples = place_key(comparison, "samples"), lists = place_key(&samples, time);
    struct place medians = place_key(comparison, time), pairs = place_key(comparison, "pairs");
    for (int s = 0; lists.json && s < 2; s++) {
        struct place list = place_key(&lists, sides[s]), median = place_key(&medians, sides[s]);
        double middle = 0;
        if (!median_of(v, &list, &middle))
            return;
        verify_is_number(v, &median, middle);
        if (verify_is_whole(v, &pairs, (int64_t)place_count(&list)))
            verify_confirm(v, &list);
    }
}

/* "wall_us" -> "wall_ns": samples as the clock gave them, of `batch` dispatches each. */
static const char *ns_key(struct verify *v, const char *time)
{
    return arena_format(v->arena, "%.*s_ns", (int)strlen(time) - 3, time);
}

/* samples.TIME_ns.{candidate, control}: the medians are theirs, over the batch. */
static void check_whole_samples(struct verify *v, const struct place *comparison, const char *time)
{
    static const char *const sides[] = {"candidate", "control"};
    struct place samples = place_key(comparison, "samples");
    struct place lists = place_key(&samples, ns_key(v, time)), medians = place_key(comparison, time);
    struct place pairs = place_key(comparison, "pairs"), batch = place_key(comparison, "batch");
    int64_t dispatches;
    if (!lists.json || !verify_whole(v, &batch, &dispatches))
        return;
    if (dispatches < 1) {
        verify_wrong(v, &batch, "at least one dispatch is expected");
        return;
    }
    for (int s = 0; s < 2; s++) {
        struct place list = place_key(&lists, sides[s]), median = place_key(&medians, sides[s]);
        double middle = 0;
        if (!median_of(v, &list, &middle) ||
            !verify_is_number(v, &median, middle / (double)dispatches / 1000))
            return;
        if (verify_is_whole(v, &pairs, (int64_t)place_count(&list)))
            verify_confirm(v, &list);
    }
    verify_confirm(v, &batch);
}

/* A hash of all pairs makes each of them as firm as the medians. */
static void check_samples_hash(struct verify *v, const struct place *comparison)
{
    struct place samples = place_key(comparison, "samples");
    struct place hash = place_key(comparison, "samples_sha256");
    char hex[LAB_HASH_SIZE];
    if (!samples.json || !hash.json)
        return;
    json_text_sha256(v->arena, samples.json, NULL, hex);
    if (verify_is_text(v, &hash, hex))
        verify_confirm_all(v, &samples);
}

/* ---- one comparison of one round ------------------------------------------------------------- */

/* candidate, control and speedup: each follows from the other two. */
static bool check_times(struct verify *v, const struct place *times)
{
    struct place candidate = place_key(times, "candidate"), control = place_key(times, "control");
    struct place speedup = place_key(times, "speedup");
    double a, b;
    if (!verify_object(v, times) || !verify_positive(v, &candidate, &a) ||
        !verify_positive(v, &control, &b) || !verify_is_number(v, &speedup, b / a))
        return false;
    verify_confirm(v, &candidate);
    verify_confirm(v, &control);
    return true;
}

static bool is_time(const char *key)
{
    size_t length = strlen(key);
    return length > 3 && strcmp(key + length - 3, "_us") == 0;
}

static void check_comparison(struct verify *v, struct verify_group *orders,
                             const struct place *comparison)
{
    struct place pairs = place_key(comparison, "pairs"), order = place_key(comparison, "order");
    struct place wall = place_key(comparison, "wall_us"), time;
    int64_t count;
    if (!verify_object(v, comparison) || !verify_object(v, &wall))
        return;
    if (verify_whole(v, &pairs, &count) && count < MINIMUM_PAIRS)
        verify_wrong(v, &pairs, "is %lld; at least %d pairs are needed", (long long)count,
                     MINIMUM_PAIRS);
    verify_group_add(v, orders, "", &order);
    PLACE_EACH(comparison, time) {
        if (!is_time(time.key))
            continue;
        check_times(v, &time);
        check_samples(v, comparison, time.key);
        check_whole_samples(v, comparison, time.key);
    }
    check_samples_hash(v, comparison);
}

/* ---- quads ----------------------------------------------------------------------------------- */

/* The lists of one round's samples; false where it has none, or not as many of the one as of the other. */
static bool find_samples(struct verify *v, const json_t *round, const char *arm, const char *time,
                         const json_t *lists[2])
{
    const json_t *samples = json_object_get(json_object_get(round, arm), "samples");
    const json_t *both = json_object_get(samples, ns_key(v, time));
    lists[0] = json_object_get(both, "candidate");
    lists[1] = json_object_get(both, "control");
    return json_is_array(lists[0]) && json_array_size(lists[0]) == json_array_size(lists[1]);
}

static double log_ratio(const json_t *const lists[2], size_t i)
{
    return log(json_number_value(json_array_get(lists[0], i)) /
               json_number_value(json_array_get(lists[1], i)));
}

/* The log ratios of all quads of all rounds, as measure.h makes them; NULL when a round has no
 * samples. */
static double *gather_quads(struct verify *v, const struct place *rounds, const char *arm,
                            const char *time, size_t *count)
{
    const json_t *lists[2];
    size_t pairs = 0;
    for (size_t r = 0; r < place_count(rounds); r++) {
        if (!find_samples(v, json_array_get(rounds->json, r), arm, time, lists))
            return NULL;
        pairs += json_array_size(lists[0]);
    }
    double *quads = ARENA_ARRAY(v->arena, double, pairs / 2 + 1);
    *count = 0;
    for (size_t r = 0; r < place_count(rounds); r++) {
        find_samples(v, json_array_get(rounds->json, r), arm, time, lists);
        for (size_t i = 0; i + 1 < json_array_size(lists[0]); i += 2)
            quads[(*count)++] = (log_ratio(lists, i) + log_ratio(lists, i + 1)) / 2;
    }
    return quads;
}

/* A bound that is not known is null. */
static void check_bound(struct verify *v, const struct place *place, double bound)
{
    if (isfinite(bound))
        verify_is_number(v, place, bound);
    else if (json_is_null(place->json))
        verify_confirm(v, place);
    else
        verify_wrong(v, place, "there are too few pairs for an interval: null is expected");
}

/* paired: the median of the quads' ratios and its interval, where the pairs are there. */
static void check_paired(struct verify *v, const struct place *rounds, const char *arm,
                         const struct place *times)
{
    struct place paired = place_key(times, "paired"), interval = place_key(&paired, "interval");
    struct place ratio = place_key(&paired, "latency_ratio");
    struct place confidence = place_key(&paired, "confidence");
    struct place low = place_item(&interval, 0), high = place_item(&interval, 1);
    size_t count = 0;
    if (!paired.json)
        return;
    double *quads = gather_quads(v, rounds, arm, times->key, &count);
    if (!quads || !count || !verify_list(v, &interval))
        return;
    if (place_count(&interval) != 2) {
        verify_wrong(v, &interval, "two bounds are expected");
        return;
    }
    double declared = measure_options_default.confidence;
    struct lab_interval logs = lab_median_interval(quads, count, declared);
    verify_is_number(v, &ratio, exp(lab_median(quads, count)));
    check_bound(v, &low, exp(logs.low));
    check_bound(v, &high, exp(logs.high));
    verify_is_number(v, &confidence, declared);
    verify_confirm(v, &interval);
}

/* ---- summaries ------------------------------------------------------------------------------- */

/* One figure of every round: rounds[].ARM.TIME.FIGURE; false when one is not there. */
static bool gather(const struct place *rounds, const char *arm, const char *time,
                   const char *figure, double *values)
{
    for (size_t i = 0; i < place_count(rounds); i++) {
        const json_t *round = json_array_get(rounds->json, i);
        const json_t *times = json_object_get(json_object_get(round, arm), time);
        const json_t *number = json_object_get(times, figure);
        values[i] = json_number_value(number);
        if (!json_is_number(number) || !(values[i] > 0))
            return false;
    }
    return true;
}

static void check_summary_times(struct verify *v, const struct place *rounds,
                                const struct place *arm, const struct place *times)
{
    static const char *const figures[] = {"speedup", "candidate", "control"};
    size_t count = place_count(rounds);
    double *values = ARENA_ARRAY(v->arena, double, count);
    struct place list = place_key(times, "round_speedups");
    if (!verify_object(v, times) || !verify_list(v, &list))
        return;
    for (size_t f = 0; f < 3; f++) {
        struct place figure = place_key(times, figures[f]);
        if (!gather(rounds, arm->key, times->key, figures[f], values)) {
            verify_wrong(v, times, "not every round has this comparison");
            return;
        }
        verify_is_number(v, &figure, verify_geomean(values, count));
    }
    gather(rounds, arm->key, times->key, "speedup", values);
    if (place_count(&list) != count) {
        verify_wrong(v, &list, "has %zu figures for %zu rounds", place_count(&list), count);
        return;
    }
    verify_confirm(v, &list);
    check_paired(v, rounds, arm->key, times);
    for (size_t i = 0; i < count; i++) {
        struct place speedup = place_item(&list, i);
        verify_is_number(v, &speedup, values[i]);
    }
}

/* Every comparison of every round stands in the summary, with every time, and the other way round. */
static void check_complete(struct verify *v, const struct place *rounds, const struct place *summary)
{
    for (size_t i = 0; i < place_count(rounds); i++) {
        struct place round = place_item(rounds, i), arm, time;
        if (!verify_object(v, &round))
            continue;
        if (place_count(&round) != place_count(summary))
            verify_wrong(v, &round, "has %zu comparisons, the summary %zu", place_count(&round),
                         place_count(summary));
        PLACE_EACH(&round, arm) {
            struct place other = place_key(summary, arm.key);
            PLACE_EACH(&arm, time) {
                struct place same = place_key(&other, time.key);
                if (is_time(time.key) && !same.json)
                    verify_wrong(v, &same, "is missing, but the rounds have it");
            }
        }
    }
}

struct declared {
    int64_t least, most;
};

static void check_case(struct verify *v, struct verify_group *orders,
                       const struct verify_case *item, const struct declared *declared)
{
    struct place rounds = place_key(&item->place, "rounds");
    struct place summary = place_key(&item->place, "summary"), arm, time;
    size_t count = place_count(&rounds);
    if (!item->comparable)
        return;
    if (!verify_list(v, &rounds) || !verify_object(v, &summary))
        return;
    if ((int64_t)count < declared->least || (int64_t)count > declared->most) {
        verify_wrong(v, &rounds, "%zu rounds, but %lld to %lld are declared", count,
                     (long long)declared->least, (long long)declared->most);
        return;
    }
    verify_confirm(v, &rounds);
    for (size_t i = 0; i < count; i++) {
        struct place round = place_item(&rounds, i);
        PLACE_EACH(&round, arm)
            check_comparison(v, orders, &arm);
    }
    PLACE_EACH(&summary, arm) {
        if (verify_object(v, &arm))
            PLACE_EACH(&arm, time)
                if (is_time(time.key))
                    check_summary_times(v, &rounds, &arm, &time);
    }
    check_complete(v, &rounds, &summary);
}

static bool read_declared(struct verify *v, const struct place *configuration,
                          struct declared *declared)
{
    struct place rounds = place_key(configuration, "rounds");
    struct place most = place_key(configuration, "most_rounds");
    if (!verify_whole(v, &rounds, &declared->least))
        return false;
    declared->most = declared->least;
    if (most.json && !verify_whole(v, &most, &declared->most))
        return false;
    if (declared->least < 1 || declared->most < declared->least || declared->most > MAX_ROUNDS)
        return verify_wrong(v, &rounds, "from 1 to most_rounds, at most %d, is expected",
                            MAX_ROUNDS);
    return true;
}

void verify_rounds(struct verify *v, const struct verify_cases *cases,
                   const struct place *configuration)
{
    struct verify_group orders = {.why = "all pairs alternate in the same way"};
    struct place rounds = place_key(configuration, "rounds");
    struct declared declared;
    size_t timed = 0;
    if (!read_declared(v, configuration, &declared))
        return;
    for (size_t i = 0; i < cases->count; i++) {
        check_case(v, &orders, &cases->items[i], &declared);
        timed += cases->items[i].comparable;
    }
    verify_group_check(v, &orders);
    if (timed && declared.least == declared.most)
        verify_confirm(v, &rounds);
    verify_note(v, "speed-ups and geometric means of the rounds of %zu cases", timed);
}

/* ---- the noise floor ------------------------------------------------------------------------- */

/* How far the interval of the candidate against itself reaches, as a ratio of at least 1; 0 where
 * there is none. */
static double reach(const struct verify_case *item, const char *time)
{
    const json_t *summary = json_object_get(item->place.json, "summary");
    const json_t *times = json_object_get(json_object_get(summary, "null"), time);
    const json_t *interval = json_object_get(json_object_get(times, "paired"), "interval");
    double low = json_number_value(json_array_get(interval, 0));
    double high = json_number_value(json_array_get(interval, 1));
    return low > 0 && high > 0 ? fmax(1, fmax(high, 1 / low)) : 0;
}

void verify_noise_floor(struct verify *v, const struct verify_cases *cases)
{
    struct place root = place_root(v), floor = place_key(&root, "noise_floor");
    const char *const times[] = {v->dev, "wall"};
    for (int t = 0; t < 2; t++) {
        struct place ratio =
            place_key(&floor, arena_format(v->arena, "%s_latency_ratio", times[t]));
        double widest = 0;
        for (size_t i = 0; i < cases->count; i++)
            widest = fmax(widest, reach(&cases->items[i],
                                        arena_format(v->arena, "%s_us", times[t])));
        if (ratio.json && widest > 0)
            verify_is_number(v, &ratio, widest);
    }
}

bool verify_summary_speedup(const struct verify *v, const struct verify_case *c, const char *arm,
                            const char *time, double *speedup)
{
    (void)v;
    const json_t *summary = json_object_get(c->place.json, "summary");
    const json_t *times = json_object_get(json_object_get(summary, arm), time);
    const json_t *number = json_object_get(times, "speedup");
    *speedup = json_number_value(number);
    return c->comparable && json_is_number(number) && *speedup > 0;
}
