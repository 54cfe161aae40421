/* The choice among variants: scores, gates, the rule; see verify.h. */
#include "lab/verify.h"

#include <math.h>
#include <string.h>

struct score {
    struct place place, gate;
    const char *name;
    bool eligible;
    int64_t failures;
    double least, mean; /* of the device speed-up over aligned throughput cases */
};

/* ---- variants -------------------------------------------------------------------------------- */

/* "register4_striped" says the numbers of a register layout; other variants only have a name. */
static void check_variant_name(struct verify *v, const struct place *variant)
{
    struct place name = place_key(variant, "name"), layout = place_key(variant, "layout");
    struct place count = place_key(variant, "elements_per_thread");
    int64_t number;
    const char *word;
    if (!count.json || !layout.json)
        return;
    if (!verify_whole(v, &count, &number) || !(word = verify_text(v, &layout)))
        return;
    if (verify_is_text(v, &name,
                       arena_format(v->arena, "register%lld_%s", (long long)number, word))) {
        verify_confirm(v, &count);
        verify_confirm(v, &layout);
    }
}

/* Scores repeat the variants in their order. */
static bool check_variants(struct verify *v, const struct place *variants,
                           const struct place *scores)
{
    if (!verify_list(v, variants) || !verify_list(v, scores))
        return false;
    size_t count = place_count(variants);
    if (count < 1 || count > LAB_MAX_ARMS || place_count(scores) != count)
        return verify_wrong(v, scores, "%zu scores for %zu variants (1 to %d)",
                            place_count(scores), count, LAB_MAX_ARMS);
    for (size_t i = 0; i < count; i++) {
        struct place variant = place_item(variants, i), score = place_item(scores, i);
        struct place repeated = place_key(&score, "variant"), name = place_key(&variant, "name");
        if (!verify_object(v, &variant) || !verify_text(v, &name))
            return false;
        for (size_t k = 0; k < i; k++)
            if (json_equal(name.json, json_object_get(json_array_get(variants->json, k), "name")))
                return verify_wrong(v, &name, "names an earlier variant too");
        check_variant_name(v, &variant);
        if (!verify_same(v, &variant, &repeated, "scores repeat the variants"))
            return false;
    }
    verify_confirm(v, variants);
    verify_confirm(v, scores);
    return true;
}

/* ---- scores ---------------------------------------------------------------------------------- */

struct aligned {
    size_t count;
    double least, mean;
};

/* The device speed-ups of a variant over the aligned throughput cases. */
static struct aligned aligned_speedups(const struct verify *v, const struct verify_cases *cases,
                                       const struct verify_policy *policy, const char *variant)
{
    struct aligned found = {.least = INFINITY};
    const char *time = verify_device_key(v, "", "_us");
    double *values = ARENA_ARRAY(v->arena, double, cases->count);
    for (size_t i = 0; i < cases->count; i++) {
        if (!verify_throughput(policy, &cases->items[i]) ||
            !verify_summary_speedup(v, &cases->items[i], variant, time, &values[found.count]))
            continue;
        found.least = fmin(found.least, values[found.count]);
        found.count++;
    }
    found.mean = verify_geomean(values, found.count ? found.count : 1);
    return found;
}

typedef bool kind_of_case(const struct verify_policy *policy, const struct verify_case *c);

/* A name is confirmed when no other case of the kind fits between its neighbours in the list. */
static void confirm_names(struct verify *v, const struct verify_cases *cases,
                          const struct verify_policy *policy, const struct place *list,
                          const size_t *indices, kind_of_case *kind)
{
    size_t count = place_count(list);
    for (size_t i = 0; i < count; i++) {
        size_t from = i ? indices[i - 1] + 1 : 0, fitting = 0;
        size_t to = i + 1 < count ? indices[i + 1] : cases->count;
        for (size_t k = from; k < to; k++)
            fitting += kind(policy, &cases->items[k]);
        struct place item = place_item(list, i);
        if (fitting == 1)
            verify_confirm(v, &item);
    }
}

/* What the names in a list may be: cases of its kind in their order. */
static bool list_of_cases(struct verify *v, const struct verify_cases *cases,
                          const struct verify_policy *policy, const struct place *list,
                          kind_of_case *kind)
{
    if (!verify_list(v, list))
        return false;
    size_t next = 0, *indices = ARENA_ARRAY(v->arena, size_t, place_count(list));
    for (size_t i = 0; i < place_count(list); i++) {
        struct place item = place_item(list, i);
        const char *name = verify_text(v, &item);
        const struct verify_case *c = name ? verify_case_find(cases, name) : NULL;
        if (!c || c->c->index < next || !kind(policy, c))
            return verify_wrong(v, &item, "'%.80s' is not a case of this kind, or not in order",
                                name ? name : "");
        indices[i] = c->c->index;
        next = c->c->index + 1;
    }
    confirm_names(v, cases, policy, list, indices, kind);
    return true;
}

static bool any_case(const struct verify_policy *policy, const struct verify_case *c)
{
    (void)policy;
    (void)c;
    return true;
}

static bool ragged_case(const struct verify_policy *policy, const struct verify_case *c)
{
    return !verify_aligned(policy, c);
}

/* Whether so many of the aligned cases can be below the minimum, by the least speed-up and the mean
 * of all: the least fails if any does, and the mean is not below what the least and the passing
 * cases allow, nor passing when all fail. */
static bool fits(const struct verify_policy *policy, const struct score *score, size_t slow,
                 size_t aligned)
{
    double passing = (double)(aligned - slow), failing = (double)slow;
    double low = passing * log(fmax(policy->speedup_minimum, score->least)) +
                 failing * log(score->least);
    if ((score->least < policy->speedup_minimum) != (slow > 0))
        return false;
    if (slow == aligned && score->mean >= policy->speedup_minimum)
        return false;
    return log(score->mean) >= low / (double)aligned - 1e-12;
}

/*
 * Without the tuning record the lists' contents cannot be computed, but their lengths must fit the
 * count of failures, the least speed-up must fail if any does, and the mean lies where the failing
 * and the passing cases allow.
 */
static void check_unmeasured(struct verify *v, const struct verify_cases *cases,
                             const struct verify_policy *policy, const struct score *score)
{
    struct place slow =
        place_key(&score->gate, verify_device_key(v, "failed_aligned_throughput_", "_cases"));
    struct place late = place_key(&score->gate, "failed_wall_cases");
    struct place ragged = place_key(&score->gate, verify_device_key(v, "failed_ragged_", "_cases"));
    struct place passed = place_key(&score->gate, "passed");
    struct place failures = place_key(&score->place, "regression_guard_failures");
    struct place mean =
        place_key(&score->place, verify_device_key(v, "geomean_aligned_throughput_", "_speedup"));
    if (!list_of_cases(v, cases, policy, &slow, verify_throughput) ||
        !list_of_cases(v, cases, policy, &late, any_case) ||
        !list_of_cases(v, cases, policy, &ragged, ragged_case))
        return;
    size_t slow_count = place_count(&slow), aligned = 0;
    size_t guards = place_count(&late) + place_count(&ragged);
    for (size_t i = 0; i < cases->count; i++)
        aligned += verify_throughput(policy, &cases->items[i]);
    verify_is_flag(v, &passed, slow_count + guards == 0);
    if (verify_is_whole(v, &failures, (int64_t)guards)) {
        verify_confirm(v, &late);
        verify_confirm(v, &ragged);
    }
    if (!fits(policy, score, slow_count, aligned))
        verify_wrong(v, &mean, "and the least speed-up %.17g do not fit %zu of %zu cases below %g",
                     score->least, slow_count, aligned, policy->speedup_minimum);
    bool less = slow_count > 0 && fits(policy, score, slow_count - 1, aligned);
    bool more = slow_count < aligned && fits(policy, score, slow_count + 1, aligned);
    if (!less && !more)
        verify_confirm(v, &slow);
}

static void check_measured(struct verify *v, const struct verify_cases *cases,
                           const struct verify_policy *policy, const struct score *score)
{
    struct place late = place_key(&score->gate, "failed_wall_cases");
    struct place ragged = place_key(&score->gate, verify_device_key(v, "failed_ragged_", "_cases"));
    struct place failures = place_key(&score->place, "regression_guard_failures");
    struct place least =
        place_key(&score->place, verify_device_key(v, "minimum_aligned_throughput_", "_speedup"));
    struct place mean =
        place_key(&score->place, verify_device_key(v, "geomean_aligned_throughput_", "_speedup"));
    struct aligned found = aligned_speedups(v, cases, policy, score->name);
    if (found.count) {
        verify_is_number(v, &least, found.least);
        verify_is_number(v, &mean, found.mean);
    }
    verify_tiling_gate(v, cases, policy, score->name, &score->gate);
    verify_is_whole(v, &failures, (int64_t)(place_count(&late) + place_count(&ragged)));
}

/* Whether every case has the variant's times: otherwise it cannot be chosen. */
static bool measured_everywhere(const struct verify *v, const struct verify_cases *cases,
                                const char *variant)
{
    double speedup;
    for (size_t i = 0; i < cases->count; i++)
        if (!verify_summary_speedup(v, &cases->items[i], variant, "wall_us", &speedup))
            return false;
    return true;
}

static bool read_score(struct verify *v, const struct verify_cases *cases,
                       const struct place *scores, size_t i, bool measured, struct score *score)
{
    *score = (struct score){.place = place_item(scores, i), .least = -1, .mean = -1};
    struct place variant = place_key(&score->place, "variant");
    struct place eligible = place_key(&score->place, "eligible");
    struct place error = place_key(&score->place, "error");
    struct place failures = place_key(&score->place, "regression_guard_failures");
    struct place least =
        place_key(&score->place, verify_device_key(v, "minimum_aligned_throughput_", "_speedup"));
    struct place mean =
        place_key(&score->place, verify_device_key(v, "geomean_aligned_throughput_", "_speedup"));
    score->name = json_string_value(json_object_get(variant.json, "name"));
    if (!score->name)
        return false;
    /* A variant that cannot be chosen says why. */
    if (measured)
        verify_is_flag(v, &eligible, measured_everywhere(v, cases, score->name));
    else
        verify_is_flag(v, &eligible, !error.json);
    if (!verify_flag(v, &eligible, &score->eligible))
        return false;
    if (!score->eligible)
        return true;
    return verify_whole(v, &failures, &score->failures) &&
           verify_positive(v, &least, &score->least) && verify_positive(v, &mean, &score->mean);
}

/* ---- the rule -------------------------------------------------------------------------------- */

/* Fewest failing guards, then the greatest least speed-up, then the greatest mean; else the earlier. */
static bool better(const struct score *a, const struct score *b)
{
    if (!a->eligible || !b->eligible)
        return a->eligible && !b->eligible;
    if (a->failures != b->failures)
        return a->failures < b->failures;
    if (a->least != b->least)
        return a->least > b->least;
    return a->mean > b->mean;
}

static void check_selected(struct verify *v, const struct place *selection,
                           const struct score *scores, size_t count)
{
    struct place selected = place_key(selection, "selected");
    const struct score *best = &scores[0];
    for (size_t i = 1; i < count; i++)
        if (better(&scores[i], best))
            best = &scores[i];
    if (!best->eligible) {
        if (!json_is_null(selected.json))
            verify_wrong(v, &selected, "is not null, although no variant can be chosen");
        return;
    }
    struct place variant = place_key(&best->place, "variant");
    if (verify_same(v, &selected, &variant, "the rule chooses this one"))
        verify_note(v, "the choice among %zu variants: %s", count, best->name);
}

void verify_selection(struct verify *v, const struct verify_cases *cases,
                      const struct place *record, bool measured)
{
    struct place variants = place_key(record, "variants");
    struct place selection = place_key(record, "selection");
    struct place scores = place_key(&selection, "scores");
    struct place policy_place = place_key(record, "gate_policy");
    struct place held_out = place_key(&selection, "heldout_results_used");
    struct place training = place_key(record, "training_seed");
    struct place validation = place_key(record, "validation_seed");
    struct verify_policy policy;
    int64_t a, b;
    if (!verify_policy_read(v, &policy_place, &policy) ||
        !check_variants(v, &variants, &scores))
        return;
    size_t count = place_count(&variants);
    struct score *list = ARENA_ARRAY(v->arena, struct score, count);
    for (size_t i = 0; i < count; i++) {
        if (!read_score(v, cases, &scores, i, measured, &list[i]))
            return;
        list[i].gate = place_key(&list[i].place, "training_gate");
        if (!list[i].eligible)
            continue;
        struct place repeated = place_key(&list[i].gate, "policy");
        verify_same(v, &policy_place, &repeated, "every gate repeats the policy");
        if (measured)
            check_measured(v, cases, &policy, &list[i]);
        else
            check_unmeasured(v, cases, &policy, &list[i]);
    }
    check_selected(v, &selection, list, count);
    verify_is_flag(v, &held_out, false);
    if (verify_whole(v, &training, &a) && verify_whole(v, &validation, &b) && a == b)
        verify_wrong(v, &validation, "is the training seed too: nothing was held out");
}
