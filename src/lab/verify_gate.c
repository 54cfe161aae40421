/* Gates: thresholds, the lists of cases that fail them, verdicts; see verify.h. */
#include "lab/verify.h"

#include <stdlib.h>
#include <string.h>

struct names {
    const char **items;
    size_t count;
};

static const char *time_key(const struct verify *v)
{
    return verify_device_key(v, "", "_us");
}

/* A failing guard: speed-up below the least, or ratio above the most; a case without times fails. */
static bool too_slow(const struct verify *v, const struct verify_case *c, const char *arm,
                     double least)
{
    double speedup;
    return !verify_summary_speedup(v, c, arm, time_key(v), &speedup) || speedup < least;
}

static bool ratio_above(const struct verify *v, const struct verify_case *c, const char *arm,
                        const char *time, double most)
{
    double speedup;
    return !verify_summary_speedup(v, c, arm, time, &speedup) || 1 / speedup > most;
}

/* ---- the gate of a comparison ----------------------------------------------------------------- */

/* "batch32/256": cases with these batches are throughput cases. */
static size_t batches_in_text(const char *policy, int64_t batches[16])
{
    size_t count = 0;
    const char *at = policy ? strstr(policy, "batch") : NULL;
    if (!at)
        return 0;
    at += strlen("batch");
    while (count < 16 && *at >= '0' && *at <= '9') {
        char *end;
        batches[count++] = strtoll(at, &end, 10);
        at = end + (*end == '/');
    }
    return count;
}

/* The percentage behind a sign: 10 of ">=10%"; false when there is none. */
static bool percent_in_text(const char *policy, const char *sign, double *percent)
{
    for (const char *at = policy; at && (at = strstr(at, sign)) != NULL; at++) {
        char *end;
        if (at[strlen(sign)] < '0' || at[strlen(sign)] > '9')
            continue;
        *percent = strtod(at + strlen(sign), &end);
        if (*end == '%')
            return true;
    }
    return false;
}

/* The thresholds, which the policy says in words too. */
static bool read_thresholds(struct verify *v, const struct place *gate, double *least, double *most)
{
    struct place speedup = place_key(gate, verify_device_key(v, "", "_speedup_minimum"));
    struct place ratio = place_key(gate, "wall_latency_ratio_maximum");
    struct place policy = place_key(gate, "policy");
    const char *text = verify_text(v, &policy);
    double percent;
    if (!text || !verify_positive(v, &speedup, least) || !verify_positive(v, &ratio, most))
        return false;
    if (percent_in_text(text, ">=", &percent))
        verify_is_number(v, &speedup, 1 + percent / 100);
    if (percent_in_text(text, ">", &percent))
        verify_is_number(v, &ratio, 1 + percent / 100);
    return true;
}

static bool read_batches(struct verify *v, const struct place *gate, int64_t batches[16],
                         size_t *count)
{
    struct place policy = place_key(gate, "policy"), list = place_key(gate, "throughput_batches");
    *count = batches_in_text(json_string_value(policy.json), batches);
    if (!list.json)
        return *count > 0 || verify_wrong(v, &list, "is missing, and the policy names no batches");
    size_t declared = place_count(&list), in_text = *count;
    if (!verify_list(v, &list))
        return false;
    if (declared < 1 || declared > 16)
        return verify_wrong(v, &list, "1 to 16 numbers are expected");
    for (size_t i = 0; i < declared; i++) {
        struct place item = place_item(&list, i);
        int64_t number;
        if (!verify_whole(v, &item, &number))
            return false;
        if (in_text && (in_text != declared || batches[i] != number))
            return verify_wrong(v, &list, "is not what the policy says");
        batches[i] = number;
    }
    if (in_text)
        verify_confirm_all(v, &list);
    *count = declared;
    return true;
}

static bool among(const int64_t *list, size_t count, int64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == number)
            return true;
    return false;
}

struct gate {
    double least, most;
    int64_t batches[16];
    size_t batch_count;
};

/* comparisons.CONTROL; says whether it passed. */
static bool check_control(struct verify *v, const struct verify_cases *cases,
                          const struct gate *gate, const struct place *control)
{
    struct names slow = {ARENA_ARRAY(v->arena, const char *, cases->count), 0};
    struct names late = {ARENA_ARRAY(v->arena, const char *, cases->count), 0};
    for (size_t i = 0; i < cases->count; i++) {
        const struct verify_case *c = &cases->items[i];
        if (among(gate->batches, gate->batch_count, c->c->sizes[0]) &&
            too_slow(v, c, control->key, gate->least))
            slow.items[slow.count++] = c->c->name;
        if (ratio_above(v, c, control->key, "wall_us", gate->most))
            late.items[late.count++] = c->c->name;
    }
    struct place list = place_key(control, verify_device_key(v, "failed_", "_cases"));
    struct place wall = place_key(control, "failed_wall_cases");
    struct place passed = place_key(control, "passed");
    verify_is_names(v, &list, slow.items, slow.count);
    verify_is_names(v, &wall, late.items, late.count);
    verify_is_flag(v, &passed, slow.count == 0 && late.count == 0);
    return slow.count == 0 && late.count == 0;
}

/* Every arm of ours but the candidate is a control. */
static void check_controls(struct verify *v, const struct verify_cases *cases,
                           const struct place *comparisons)
{
    struct place shaders = place_key(&cases->items[0].place, "shaders"), arm;
    PLACE_EACH(&shaders, arm) {
        struct place control = place_key(comparisons, arm.key);
        if (strcmp(arm.key, "candidate") != 0 && !control.json)
            verify_wrong(v, &control, "is missing: the gate compares with every control");
    }
}

void verify_promotion(struct verify *v, const struct verify_cases *cases, const struct place *place)
{
    struct gate gate;
    struct place comparisons = place_key(place, "comparisons");
    struct place passed = place_key(place, "passed"), control;
    if (!verify_object(v, place) || !read_thresholds(v, place, &gate.least, &gate.most) ||
        !read_batches(v, place, gate.batches, &gate.batch_count) ||
        !verify_object(v, &comparisons))
        return;
    bool all = place_count(&comparisons) > 0;
    PLACE_EACH(&comparisons, control)
        if (!check_control(v, cases, &gate, &control))
            all = false;
    check_controls(v, cases, &comparisons);
    verify_is_flag(v, &passed, all);
    verify_note(v, "the gate against %zu controls: %s", place_count(&comparisons),
                all ? "passed" : "not passed");
}

/* ---- the gate of a tuning and its validation --------------------------------------------------- */

bool verify_policy_read(struct verify *v, const struct place *place, struct verify_policy *policy)
{
    struct place least = place_key(place, verify_device_key(v, "aligned_throughput_", "_speedup_minimum"));
    struct place batches = place_key(place, "aligned_throughput_batches");
    struct place wall = place_key(place, "every_case_wall_latency_ratio_maximum");
    struct place ragged =
        place_key(place, verify_device_key(v, "every_ragged_case_", "_latency_ratio_maximum"));
    struct place width = place_key(place, "aligned_width");
    *policy = (struct verify_policy){0};
    if (!verify_object(v, place) || !verify_positive(v, &least, &policy->speedup_minimum) ||
        !verify_positive(v, &wall, &policy->wall_maximum) ||
        !verify_positive(v, &ragged, &policy->ragged_maximum) || !verify_list(v, &batches))
        return false;
    if (width.json && !verify_whole(v, &width, &policy->aligned_width))
        return false;
    policy->batch_count = place_count(&batches);
    if (policy->batch_count < 1 || policy->batch_count > 16)
        return verify_wrong(v, &batches, "1 to 16 numbers are expected");
    for (size_t i = 0; i < policy->batch_count; i++) {
        struct place item = place_item(&batches, i);
        if (!verify_whole(v, &item, &policy->batches[i]))
            return false;
    }
    return true;
}

bool verify_aligned(const struct verify_policy *policy, const struct verify_case *c)
{
    int64_t width = c->c->sizes[1];
    return policy->aligned_width ? width == policy->aligned_width : (width & (width - 1)) == 0;
}

bool verify_throughput(const struct verify_policy *policy, const struct verify_case *c)
{
    return verify_aligned(policy, c) &&
           among(policy->batches, policy->batch_count, c->c->sizes[0]);
}

void verify_tiling_gate(struct verify *v, const struct verify_cases *cases,
                        const struct verify_policy *policy, const char *arm,
                        const struct place *gate)
{
    struct names slow = {ARENA_ARRAY(v->arena, const char *, cases->count), 0};
    struct names late = {ARENA_ARRAY(v->arena, const char *, cases->count), 0};
    struct names ragged = {ARENA_ARRAY(v->arena, const char *, cases->count), 0};
    for (size_t i = 0; i < cases->count; i++) {
        const struct verify_case *c = &cases->items[i];
        if (verify_throughput(policy, c) && too_slow(v, c, arm, policy->speedup_minimum))
            slow.items[slow.count++] = c->c->name;
        if (ratio_above(v, c, arm, "wall_us", policy->wall_maximum))
            late.items[late.count++] = c->c->name;
        if (!verify_aligned(policy, c) &&
            ratio_above(v, c, arm, time_key(v), policy->ragged_maximum))
            ragged.items[ragged.count++] = c->c->name;
    }
    struct place aligned_list =
        place_key(gate, verify_device_key(v, "failed_aligned_throughput_", "_cases"));
    struct place wall_list = place_key(gate, "failed_wall_cases");
    struct place ragged_list = place_key(gate, verify_device_key(v, "failed_ragged_", "_cases"));
    struct place passed = place_key(gate, "passed");
    verify_is_names(v, &aligned_list, slow.items, slow.count);
    verify_is_names(v, &wall_list, late.items, late.count);
    verify_is_names(v, &ragged_list, ragged.items, ragged.count);
    verify_is_flag(v, &passed, slow.count + late.count + ragged.count == 0);
}
