/* Null experiments: shares of alarms, and how far equal arms look apart; see verify.h. */
#include "lab/statistics.h"
#include "lab/verify.h"

#include <math.h>
#include <string.h>

/* {count, share, interval} of so many tries. */
static void check_share(struct verify *v, const struct place *share, int64_t tries)
{
    struct place count = place_key(share, "count"), part = place_key(share, "share");
    struct place interval = place_key(share, "interval");
    struct place low = place_item(&interval, 0), high = place_item(&interval, 1);
    int64_t hits;
    if (!verify_object(v, share) || !verify_whole(v, &count, &hits))
        return;
    if (hits < 0 || hits > tries) {
        verify_wrong(v, &count, "is not from 0 to %lld", (long long)tries);
        return;
    }
    struct lab_interval computed = {0, 1};
    if (tries)
        computed = lab_share_interval((size_t)hits, (size_t)tries, 0.95);
    if (!verify_is_number(v, &part, tries ? (double)hits / (double)tries : 0) ||
        !verify_list(v, &interval))
        return;
    verify_confirm(v, &count); /* the share or the bounds would say another */
    if (place_count(&interval) != 2)
        verify_wrong(v, &interval, "two bounds are expected");
    else if (verify_is_number(v, &low, computed.low) && verify_is_number(v, &high, computed.high) &&
             computed.low < computed.high)
        verify_confirm(v, &interval);
}

struct ratios {
    size_t count, capacity;
    double *items;
};

/* Every ratio of every declared case; false after a message. */
static bool gather(struct verify *v, const struct place *lists, struct ratios *ratios)
{
    struct place root = place_root(v), declared = place_key(&root, "declared_cases");
    if (!verify_object(v, lists) || !verify_list(v, &declared))
        return false;
    if (place_count(lists) != place_count(&declared))
        return verify_wrong(v, lists, "has %zu cases, %zu are declared", place_count(lists),
                            place_count(&declared));
    for (size_t i = 0; i < place_count(&declared); i++) {
        struct place name = place_item(&declared, i);
        const char *text = verify_text(v, &name);
        if (!text)
            return false;
        struct place list = place_key(lists, text);
        if (!verify_list(v, &list))
            return false;
        verify_confirm(v, &name);
        if (place_count(&list) < 2)
            verify_confirm(v, &list); /* there is no order, and the length is counted */
        for (size_t k = 0; k < place_count(&list); k++) {
            struct place item = place_item(&list, k);
            double ratio;
            if (!verify_positive(v, &item, &ratio))
                return false;
            ARENA_PUSH(v->arena, ratios, ratio);
        }
    }
    return true;
}

/* Quantiles of how far the ratios are from 1, as ratios. */
static void check_apart(struct verify *v, const struct place *apart, const struct ratios *ratios)
{
    static const struct {
        const char *name;
        double q;
    } wanted[] = {{"median", 0.5}, {"q95", 0.95}, {"q99", 0.99}, {"greatest", 1}};
    double *away = ARENA_ARRAY(v->arena, double, ratios->count);
    if (!apart->json || !ratios->count)
        return;
    for (size_t i = 0; i < ratios->count; i++)
        away[i] = fabs(log(ratios->items[i]));
    lab_median(away, ratios->count); /* sorts */
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct place quantile = place_key(apart, wanted[i].name);
        verify_is_number(v, &quantile, exp(lab_quantile(away, ratios->count, wanted[i].q)));
    }
}

static void check_arm(struct verify *v, const struct place *arm)
{
    static const char *const shares[] = {"alarms", "slower", "undecided",
                                         "alarms_by_ratio_of_medians"};
    struct place experiments = place_key(arm, "experiments");
    struct place lists = place_key(arm, "device_latency_ratios");
    struct place apart = place_key(arm, "apart_device");
    struct place median = place_key(arm, "median_device_latency_ratio");
    struct ratios ratios = {0};
    if (!verify_object(v, arm) || !gather(v, &lists, &ratios) ||
        !verify_is_whole(v, &experiments, (int64_t)ratios.count))
        return;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct place share = place_key(arm, shares[i]);
        check_share(v, &share, (int64_t)ratios.count);
    }
    check_apart(v, &apart, &ratios);
    if (median.json && ratios.count)
        verify_is_number(v, &median, lab_median(ratios.items, ratios.count));
    verify_note(v, "%s: shares of %zu experiments and their intervals", arm->key, ratios.count);
}

void verify_null(struct verify *v)
{
    struct place root = place_root(v), arm = place_key(&root, "null");
    struct place controls = place_key(&root, "controls");
    struct place threshold = place_key(&root, "alarm_threshold");
    struct place configuration = place_key(&root, "configuration");
    struct place declared = place_key(&configuration, "alarm_threshold");
    if (declared.json)
        verify_same(v, &threshold, &declared, "the threshold is the declared one");
    check_arm(v, &arm);
    PLACE_EACH(&controls, arm)
        check_arm(v, &arm);
}
