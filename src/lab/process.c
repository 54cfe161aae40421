/* Four processes' answers, compared; see process.h. */
#include "lab/process.h"
#include "base/json_text.h"
#include "lab/refusal.h"
#include "lab/statistics.h"

#include <math.h>
#include <string.h>

const int lab_process_side[LAB_PROCESS_COUNT] = {0, 1, 1, 0};

static const char *const side_names[2] = {"baseline", "current"};

struct comparing {
    struct lab_refusal refusal;
    const struct lab_experiment *experiment;
    json_t *const *answers;
    double threshold;
    double *ratios; /* per case, log of current / baseline in wall time; NAN: incomparable */
    double *noises; /* per case, log */
};

static const char *who(int process)
{
    static const char *const names[LAB_PROCESS_COUNT] = {
        "the first baseline process", "the first current process", "the second current process",
        "the second baseline process"};
    return names[process];
}

static const json_t *case_of(const struct comparing *c, int process, size_t i)
{
    return json_array_get(json_object_get(c->answers[process], "cases"), i);
}

/* ---- what must agree ------------------------------------------------------------------------- */

static bool check_process(struct comparing *c, int p)
{
    static const char *const shared[] = {"experiment_sha256", "device", "platform", "target"};
    const json_t *answer = c->answers[p], *first = c->answers[0];
    if (strcmp(json_text_at(answer, "experiment_sha256"), c->experiment->sha256) != 0)
        return lab_refuse(&c->refusal, "%s measured another experiment, or another version of it",
                          who(p));
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(json_text_at(answer, shared[i]), json_text_at(first, shared[i])) != 0)
            return lab_refuse(&c->refusal, "%s has another %s than the first: '%s', not '%s'",
                              who(p), shared[i], json_text_at(answer, shared[i]),
                              json_text_at(first, shared[i]));
    int twin = p == 3 ? 0 : p == 2 ? 1 : p;
    const char *compiler = "compiler_implementation_sha256";
    if (strcmp(json_text_at(answer, compiler), json_text_at(c->answers[twin], compiler)) != 0)
        return lab_refuse(&c->refusal, "the %s compiler changed between its two processes",
                          side_names[lab_process_side[p]]);
    if (json_array_size(json_object_get(answer, "cases")) != c->experiment->case_count)
        return lab_refuse(&c->refusal, "%s has %zu cases, the experiment %zu", who(p),
                          json_array_size(json_object_get(answer, "cases")),
                          c->experiment->case_count);
    return true;
}

static bool check_case(struct comparing *c, int p, size_t i)
{
    const json_t *here = case_of(c, p, i), *first = case_of(c, 0, i);
    const char *name = c->experiment->cases[i].name;
    if (strcmp(json_text_at(here, "name"), name) != 0)
        return lab_refuse(&c->refusal, "%s has the case '%.64s' where '%s' is expected", who(p),
                          json_text_at(here, "name"), name);
    if (strcmp(json_text_at(here, "input_sha256"), json_text_at(first, "input_sha256")) != 0)
        return lab_refuse(&c->refusal, "%s had other inputs in the case '%s' than the first",
                          who(p), name);
    return true;
}

static bool check_all(struct comparing *c)
{
    for (int p = 0; p < LAB_PROCESS_COUNT; p++) {
        if (!json_is_object(c->answers[p]))
            return lab_refuse(&c->refusal, "%s gave no JSON object", who(p));
        if (!check_process(c, p))
            return false;
        for (size_t i = 0; i < c->experiment->case_count; i++)
            if (!check_case(c, p, i))
                return false;
    }
    return true;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static double time_of(const struct comparing *c, int process, size_t i, const char *key)
{
    const json_t *case_json = case_of(c, process, i);
    double time = json_number_value(json_object_get(json_object_get(case_json, "timing"), key));
    bool usable =
        strcmp(json_text_at(case_json, "status"), "ok") == 0 && time > 0 && isfinite(time);
    return usable ? time : NAN;
}

struct times {
    double of[LAB_PROCESS_COUNT];
    bool complete;
};

static struct times times_of(const struct comparing *c, size_t i, const char *key)
{
    struct times times = {.complete = true};
    for (int p = 0; p < LAB_PROCESS_COUNT; p++) {
        times.of[p] = time_of(c, p, i, key);
        times.complete = times.complete && !isnan(times.of[p]);
    }
    return times;
}

static json_t *times_json(const struct times *times)
{
    static const int processes[2][2] = {{0, 3}, {1, 2}};
    json_t *json = json_object(), *samples = json_object();
    double means[2];
    for (int side = 0; side < 2; side++) {
        const int *of = processes[side];
        double both[2] = {times->of[of[0]], times->of[of[1]]};
        json_t *list = json_array();
        json_array_append_new(list, json_real(both[0]));
        json_array_append_new(list, json_real(both[1]));
        json_object_set_new(samples, side_names[side], list);
        means[side] = lab_geometric_mean(both, 2);
        json_object_set_new(json, side_names[side], json_real(means[side]));
    }
    json_object_set_new(json, "speedup", json_real(means[0] / means[1]));
    json_object_set_new(json, "samples", samples);
    return json;
}

/* How far the two processes of a side are apart, the worse of both sides. */
static double noise_of(const struct times *times)
{
    return fmax(fabs(log(times->of[0] / times->of[3])), fabs(log(times->of[1] / times->of[2])));
}

static double ratio_of(const struct times *times)
{
    return (log(times->of[1]) + log(times->of[2]) - log(times->of[0]) - log(times->of[3])) / 2;
}

static void copy_keys(json_t *to, const json_t *from)
{
    static const char *const left_out[] = {"seed",   "input_sha256", "correctness", "source_sha256",
                                           "timing", "status",       "schedule",    "error"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)from, key, value)
    {
        bool keep = true;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            keep = keep && strcmp(key, left_out[i]) != 0;
        if (keep)
            json_object_set(to, key, value);
    }
}

static json_t *case_json(struct comparing *c, size_t i)
{
    struct times wall = times_of(c, i, "wall_us"), device = times_of(c, i, "device_us");
    json_t *json = json_object(), *sources = json_object();
    copy_keys(json, case_of(c, 0, i));
    json_object_set_new(json, "status", json_string(wall.complete ? "ok" : "incomparable"));
    for (int side = 0; side < 2; side++)
        json_object_set(sources, side_names[side],
                        json_object_get(case_of(c, side, i), "source_sha256"));
    json_object_set_new(json, "source_sha256", sources);
    c->ratios[i] = c->noises[i] = NAN;
    if (!wall.complete)
        return json;
    if (device.complete)
        json_object_set_new(json, "device_us", times_json(&device));
    json_object_set_new(json, "wall_us", times_json(&wall));
    c->ratios[i] = ratio_of(&wall);
    c->noises[i] = noise_of(&wall);
    return json;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static double median_noise(const struct comparing *c)
{
    double *noises = ARENA_ARRAY(c->refusal.arena, double, c->experiment->case_count);
    size_t count = 0;
    for (size_t i = 0; i < c->experiment->case_count; i++)
        if (!isnan(c->noises[i]))
            noises[count++] = c->noises[i];
    return count ? lab_median(noises, count) : 0;
}

static bool is_regression(const struct comparing *c, size_t i, double noise)
{
    return !isnan(c->ratios[i]) && c->ratios[i] > log1p(c->threshold) &&
           c->ratios[i] > fmax(c->noises[i], noise);
}

/* Wrong in the current compiler what was right in the baseline is worse than slow. */
static bool is_broken(const struct comparing *c, size_t i)
{
    bool before = !isnan(time_of(c, 0, i, "wall_us")) && !isnan(time_of(c, 3, i, "wall_us"));
    return before && isnan(c->ratios[i]);
}

static json_t *verdict_json(struct comparing *c, struct lab_regression *regression)
{
    json_t *json = json_object(), *slower = json_array(), *broken = json_array();
    regression->noise = median_noise(c);
    for (size_t i = 0; i < c->experiment->case_count; i++) {
        const char *name = c->experiment->cases[i].name;
        if (is_regression(c, i, regression->noise))
            json_array_append_new(slower, json_string(name));
        if (is_broken(c, i))
            json_array_append_new(broken, json_string(name));
    }
    regression->regressed = json_array_size(slower) || json_array_size(broken);
    json_object_set_new(json, "passed", json_boolean(!regression->regressed));
    json_object_set_new(json, "wall_latency_ratio_maximum", json_real(1 + c->threshold));
    json_object_set_new(json, "noise_latency_ratio", json_real(exp(regression->noise)));
    json_object_set_new(json, "regressed_cases", slower);
    json_object_set_new(json, "broken_cases", broken);
    return json;
}

static json_t *samples_json(const struct comparing *c)
{
    json_t *json = json_object();
    for (int side = 0; side < 2; side++)
        json_object_set_new(json, side_names[side], json_array());
    for (int p = 0; p < LAB_PROCESS_COUNT; p++)
        json_array_append(json_object_get(json, side_names[lab_process_side[p]]), c->answers[p]);
    return json;
}

bool lab_process_compare(struct arena *arena, const struct lab_experiment *experiment,
                         json_t *const answers[LAB_PROCESS_COUNT], json_t *record,
                         struct lab_regression *regression, const char **error)
{
    struct comparing c = {{arena, error}, experiment, answers, regression->threshold, NULL, NULL};
    c.ratios = ARENA_ARRAY(arena, double, experiment->case_count);
    c.noises = ARENA_ARRAY(arena, double, experiment->case_count);
    if (!check_all(&c))
        return false;
    json_t *order = json_array(), *comparisons = json_array();
    for (int p = 0; p < LAB_PROCESS_COUNT; p++)
        json_array_append_new(order, json_string(side_names[lab_process_side[p]]));
    json_object_set_new(record, "pair_order", order);
    json_object_set_new(record, "samples", samples_json(&c));
    json_object_set_new(record, "comparisons", comparisons);
    for (size_t i = 0; i < experiment->case_count; i++)
        json_array_append_new(comparisons, case_json(&c, i));
    json_object_set_new(record, "regression", verdict_json(&c, regression));
    return true;
}
