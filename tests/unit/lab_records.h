#ifndef TILEC_TESTS_LAB_RECORDS_H
#define TILEC_TESTS_LAB_RECORDS_H
/*
 * Records of every kind as docs/lab.md describes them, made without measuring: times come from a
 * generator, everything else is right. Gates, means and choices are computed here once more, apart
 * from the lab's own code. Include after cmocka.h.
 */
#include "base/json_text.h"
#include "base/random.h"
#include "lab/baseline.h"

#include <math.h>
#include <string.h>

struct maker {
    struct arena *arena;
    struct lab_experiment experiment;
    struct random random;
    int64_t seed;
    size_t rounds;
};

static inline void maker_open(struct maker *m, struct arena *arena, const char *path)
{
    const char *error = NULL;
    *m = (struct maker){.arena = arena};
    if (!lab_experiment_open(arena, path, &m->experiment, &error))
        fail_msg("%s", error);
    random_seed(&m->random, 99);
    m->rounds = (size_t)m->experiment.configuration.rounds;
    m->seed = m->experiment.seed;
}

static inline void put_new(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static inline json_t *some_hash(int which)
{
    char hex[65];
    for (int i = 0; i < 64; i++)
        hex[i] = "0123456789abcdef"[(i * 7 + which * 5 + i * i) % 16];
    hex[64] = '\0';
    return json_string(hex);
}

static inline json_t *make_names(const struct maker *m)
{
    json_t *names = json_array();
    for (size_t i = 0; i < m->experiment.case_count; i++)
        json_array_append_new(names, json_string(m->experiment.cases[i].name));
    return names;
}

static inline json_t *make_head(struct maker *m, const char *kind)
{
    json_t *head = json_object();
    json_t *configuration = json_copy(json_object_get(m->experiment.json, "configuration"));
    put_new(configuration, "seed", json_integer(m->seed));
    put_new(head, "kind", json_string(kind));
    put_new(head, "version", json_integer(1));
    put_new(head, "experiment", json_string(m->experiment.name));
    put_new(head, "experiment_sha256", json_string(m->experiment.sha256));
    put_new(head, "recorded_at", json_string("2026-11-29T12:00:00.000000+00:00"));
    put_new(head, "process_id", json_integer(4711));
    put_new(head, "platform", json_string("a system"));
    put_new(head, "device", json_string("a processor"));
    put_new(head, "target", json_string("cpu"));
    put_new(head, "compiler_version", json_string("0.1.0"));
    put_new(head, "compiler_implementation_sha256", some_hash(1));
    put_new(head, "benchmark_source_sha256", some_hash(2));
    put_new(head, "configuration", configuration);
    if (strcmp(kind, "comparison") != 0) /* one kind is left to the rule of the whole matrix */
        put_new(head, "declared_cases", make_names(m));
    return head;
}

static inline void seal(struct arena *arena, json_t *record)
{
    char hex[65];
    json_object_del(record, "record_sha256");
    json_text_sha256(arena, record, NULL, hex);
    put_new(record, "record_sha256", json_string(hex));
}

/* ---- cases ----------------------------------------------------------------------------------- */

static inline json_t *make_sizes(const struct maker *m, const struct lab_case *c)
{
    json_t *json = json_object();
    put_new(json, "name", json_string(c->name));
    put_new(json, "dtype", json_string(lab_dtype_name(c->dtype)));
    if (m->experiment.problem->list)
        put_new(json, "shape", json_pack("[I,I,I]", (json_int_t)c->sizes[0],
                                         (json_int_t)c->sizes[1], (json_int_t)c->sizes[2]));
    for (int d = 0; !m->experiment.problem->list && d < 2; d++)
        put_new(json, m->experiment.problem->dimensions[d], json_integer(c->sizes[d]));
    return json;
}

static inline json_t *make_input_hash(const struct maker *m, const struct lab_case *c)
{
    struct lab_data data;
    char hex[65];
    assert_true(lab_data_make(m->experiment.problem, c, m->seed, &data));
    lab_data_sha256(&data, hex);
    lab_data_free(&data);
    return json_string(hex);
}

static inline json_t *make_correctness(const struct maker *m, const struct lab_case *c,
                                       const char *error)
{
    const struct lab_tolerance *t = &m->experiment.tolerances[c->dtype];
    json_t *json = json_pack("{s:b,s:f,s:f}", "passed", !error, "rtol", t->rtol, "atol", t->atol);
    if (error)
        put_new(json, "error", json_string(error));
    else
        put_new(json, "max_absolute_error", json_real(0x1p-12));
    return json;
}

static inline json_t *make_shader(const struct maker *m, const struct lab_arm *arm,
                                  const struct lab_case *c)
{
    char hex[65];
    const char *source = arena_format(m->arena, "the text of %s\n", arm->kernel);
    json_t *json = json_object(), *text = json_string(source);
    struct sha256 hash;
    unsigned char digest[SHA256_BYTES];
    sha256_init(&hash);
    sha256_add(&hash, source, strlen(source));
    sha256_end(&hash, digest);
    sha256_hex(digest, hex);
    put_new(json, "source", text);
    put_new(json, "source_sha256", json_string(hex));
    put_new(json, "function_name", json_string(arm->kernel));
    put_new(json, "constants", lab_constants_json(&m->experiment, arm, c));
    put_new(json, "requirements", lab_requirements_json(arm));
    return json;
}

static inline json_t *make_compilation(void)
{
    return json_pack("{s:s,s:[],s:s}", "path", "cpu", "flags", "compiler", "tilec 0.1.0, native");
}

/* ---- times ----------------------------------------------------------------------------------- */

static inline double maker_time(struct maker *m, double about)
{
    return about * (1 + 0.01 * random_double(&m->random));
}

static inline json_t *make_pair(struct maker *m, double about, double speedup)
{
    double candidate = maker_time(m, about), control = maker_time(m, about * speedup);
    return json_pack("{s:f,s:f,s:f}", "candidate", candidate, "control", control, "speedup",
                     control / candidate);
}

static inline double middle_of(json_t *list)
{
    double sorted[64];
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        double value = json_real_value(json_array_get(list, i));
        for (; at > 0 && sorted[at - 1] > value; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = value;
    }
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* With the pairs themselves, and the hash that holds them. */
static inline json_t *make_sampled(struct maker *m, double about, double speedup)
{
    static const char *const times[] = {"device_us", "wall_us"};
    json_t *json = json_pack("{s:i,s:s}", "pairs", 21, "order", "alternating AB/BA");
    json_t *samples = json_object();
    char hex[65];
    for (int t = 0; t < 2; t++) {
        json_t *candidate = json_array(), *control = json_array();
        for (int i = 0; i < 21; i++) {
            json_array_append_new(candidate, json_real(maker_time(m, about)));
            json_array_append_new(control, json_real(maker_time(m, about * speedup)));
        }
        double a = middle_of(candidate), b = middle_of(control);
        put_new(json, times[t], json_pack("{s:f,s:f,s:f}", "candidate", a, "control", b, "speedup",
                                          b / a));
        put_new(samples, times[t], json_pack("{s:o,s:o}", "candidate", candidate, "control",
                                             control));
    }
    json_text_sha256(m->arena, samples, NULL, hex);
    put_new(json, "samples", samples);
    put_new(json, "samples_sha256", json_string(hex));
    return json;
}

static inline json_t *make_round(struct maker *m, double about, double speedup)
{
    json_t *json = json_pack("{s:i,s:s}", "pairs", 40, "order", "alternating AB/BA");
    put_new(json, "device_us", make_pair(m, about, speedup));
    put_new(json, "wall_us", make_pair(m, about + 1, speedup));
    return json;
}

static inline double mean_over(json_t *rounds, const char *arm, const char *time, const char *what)
{
    double product = 1;
    size_t count = json_array_size(rounds);
    for (size_t i = 0; i < count; i++) {
        json_t *times = json_object_get(json_object_get(json_array_get(rounds, i), arm), time);
        product *= json_real_value(json_object_get(times, what));
    }
    return pow(product, 1.0 / (double)count);
}

static inline json_t *make_summary(json_t *rounds)
{
    static const char *const times[] = {"device_us", "wall_us"};
    json_t *summary = json_object(), *first = json_array_get(rounds, 0), *unused;
    const char *arm;
    json_object_foreach(first, arm, unused) {
        json_t *both = json_object();
        for (int t = 0; t < 2; t++) {
            json_t *list = json_array();
            for (size_t i = 0; i < json_array_size(rounds); i++) {
                json_t *round = json_object_get(json_array_get(rounds, i), arm);
                json_array_append(list,
                                  json_object_get(json_object_get(round, times[t]), "speedup"));
            }
            put_new(both, times[t],
                    json_pack("{s:f,s:o,s:f,s:f}", "speedup",
                              mean_over(rounds, arm, times[t], "speedup"), "round_speedups", list,
                              "candidate", mean_over(rounds, arm, times[t], "candidate"), "control",
                              mean_over(rounds, arm, times[t], "control")));
        }
        put_new(summary, arm, both);
    }
    return summary;
}

static inline double summary_of(const json_t *item, const char *arm, const char *time)
{
    const json_t *times = json_object_get(json_object_get(json_object_get(item, "summary"), arm),
                                          time);
    return json_real_value(json_object_get(times, "speedup"));
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* How much faster an arm is in a case: some pass their gates and some do not. */
static inline double planted(const struct lab_case *c, size_t arm)
{
    return 1.0 + 0.12 * (double)((c->index * 3 + arm * 5) % 4);
}

/* compared[i]: arm i is under the rounds; the one at `broken` failed in its case `broken_case`. */
static inline json_t *make_case(struct maker *m, const struct lab_case *c, const bool *compared,
                                int broken, bool sampled)
{
    json_t *item = make_sizes(m, c), *rounds = json_array();
    json_t *correctness = json_object(), *shaders = json_object(), *compilations = json_object();
    bool comparable = true;
    put_new(item, "epsilon", json_real(m->experiment.epsilon));
    put_new(item, "input_sha256", make_input_hash(m, c));
    for (size_t a = 0; a < m->experiment.arm_count; a++) {
        const struct lab_arm *arm = &m->experiment.arms[a];
        bool fails = broken == (int)a;
        put_new(correctness, arm->name, make_correctness(m, c, fails ? "it does not fit" : NULL));
        if (arm->external)
            continue;
        put_new(shaders, arm->name, make_shader(m, arm, c));
        put_new(compilations, arm->name, make_compilation());
        comparable = comparable && (!fails || arm->role == LAB_CANDIDATE);
        if (m->experiment.form == LAB_COMPARISON)
            comparable = comparable && !fails;
    }
    put_new(item, "status", json_string(comparable ? "ok" : "incomparable"));
    put_new(item, "correctness", correctness);
    put_new(item, "validated_before_timing", json_true());
    put_new(item, "shaders", shaders);
    put_new(item, "compilations", compilations);
    for (size_t r = 0; r < m->rounds; r++) {
        json_t *round = json_object();
        for (size_t a = 0; a < m->experiment.arm_count; a++) {
            double about = 20 + (double)c->index, speedup = planted(c, a);
            if (compared[a] && broken != (int)a)
                put_new(round, m->experiment.arms[a].name,
                        sampled ? make_sampled(m, about, speedup) : make_round(m, about, speedup));
        }
        json_array_append_new(rounds, round);
    }
    if (comparable) {
        put_new(item, "summary", make_summary(rounds));
        put_new(item, "rounds", rounds);
    } else {
        json_decref(rounds);
    }
    return item;
}

static inline json_t *failing(const struct maker *m, json_t *cases, const char *arm,
                              const char *time, bool (*counts)(const struct lab_case *),
                              double least)
{
    json_t *names = json_array();
    for (size_t i = 0; i < m->experiment.case_count; i++) {
        const struct lab_case *c = &m->experiment.cases[i];
        if (counts(c) && summary_of(json_array_get(cases, i), arm, time) < least)
            json_array_append_new(names, json_string(c->name));
    }
    return names;
}

static inline bool all_cases(const struct lab_case *c)
{
    (void)c;
    return true;
}

static inline bool batch_cases(const struct lab_case *c)
{
    return c->sizes[0] == 4;
}

static inline bool aligned_cases(const struct lab_case *c)
{
    return c->sizes[0] == 4 && c->sizes[1] == 32;
}

static inline bool ragged_cases(const struct lab_case *c)
{
    return c->sizes[1] != 32;
}

/* A comparison; the control fails in case `broken` unless that is negative. */
static inline json_t *make_comparison(struct maker *m, int broken)
{
    static const bool compared[] = {false, true, true, true};
    static const char *const controls[] = {"frozen_baseline", "current_control"};
    json_t *record = make_head(m, "comparison"), *cases = json_array(), *all = json_object();
    bool passed = true;
    for (size_t i = 0; i < m->experiment.case_count; i++)
        json_array_append_new(cases, make_case(m, &m->experiment.cases[i], compared,
                                               (int)i == broken ? 1 : -1, i == 0));
    for (int k = 0; k < 2; k++) {
        json_t *slow = failing(m, cases, controls[k], "device_us", batch_cases, 1.1);
        json_t *late = failing(m, cases, controls[k], "wall_us", all_cases, 1 / 1.03);
        bool fine = !json_array_size(slow) && !json_array_size(late);
        passed = passed && fine;
        put_new(all, controls[k],
                json_pack("{s:b,s:o,s:o}", "passed", fine, "failed_device_cases", slow,
                          "failed_wall_cases", late));
    }
    put_new(record, "cases", cases);
    put_new(record, "promotion_gate",
            json_pack("{s:b,s:O,s:f,s:f,s:[i],s:o}", "passed", passed, "policy",
                      json_object_get(m->experiment.gate.json, "policy"),
                      "device_speedup_minimum", 1.1, "wall_latency_ratio_maximum", 1.03,
                      "throughput_batches", 4, "comparisons", all));
    seal(m->arena, record);
    return record;
}

/* ---- tunings --------------------------------------------------------------------------------- */

static inline json_t *make_policy(void)
{
    return json_pack("{s:f,s:[i],s:i,s:f,s:f,s:s,s:s}", "aligned_throughput_device_speedup_minimum",
                     1.1, "aligned_throughput_batches", 4, "aligned_width", 32,
                     "every_case_wall_latency_ratio_maximum", 1.03,
                     "every_ragged_case_device_latency_ratio_maximum", 1.03, "reference",
                     "the frozen baseline", "promotion", "opt-in unless every guard passes");
}

static inline json_t *make_variant(const struct lab_arm *arm)
{
    json_t *variant = json_copy((json_t *)arm->variant);
    json_object_del(variant, "arm");
    return variant;
}

static inline json_t *make_gate(const struct maker *m, json_t *cases, const char *arm)
{
    json_t *slow = failing(m, cases, arm, "device_us", aligned_cases, 1.1);
    json_t *late = failing(m, cases, arm, "wall_us", all_cases, 1 / 1.03);
    json_t *ragged = failing(m, cases, arm, "device_us", ragged_cases, 1 / 1.03);
    bool passed = !json_array_size(slow) && !json_array_size(late) && !json_array_size(ragged);
    return json_pack("{s:b,s:o,s:o,s:o,s:o}", "passed", passed, "policy", make_policy(),
                     "failed_aligned_throughput_device_cases", slow, "failed_wall_cases", late,
                     "failed_ragged_device_cases", ragged);
}

static inline json_t *make_score(const struct maker *m, json_t *cases, const struct lab_arm *arm)
{
    double least = INFINITY, product = 1, count = 0;
    json_t *gate = make_gate(m, cases, arm->name);
    for (size_t i = 0; i < m->experiment.case_count; i++) {
        if (!aligned_cases(&m->experiment.cases[i]))
            continue;
        double speedup = summary_of(json_array_get(cases, i), arm->name, "device_us");
        least = fmin(least, speedup);
        product *= speedup;
        count++;
    }
    size_t failures = json_array_size(json_object_get(gate, "failed_wall_cases")) +
                      json_array_size(json_object_get(gate, "failed_ragged_device_cases"));
    return json_pack("{s:o,s:b,s:i,s:f,s:f,s:o}", "variant", make_variant(arm), "eligible", 1,
                     "regression_guard_failures", (int)failures,
                     "minimum_aligned_throughput_device_speedup", least,
                     "geomean_aligned_throughput_device_speedup", pow(product, 1 / count),
                     "training_gate", gate);
}

/* By the rule: no failures in these records, so the greatest least speed-up. */
static inline json_t *make_selection(const struct maker *m, json_t *cases, int broken)
{
    json_t *scores = json_array(), *best = NULL;
    double least = 0;
    for (int a = 0; a < 3; a++) {
        const struct lab_arm *arm = &m->experiment.arms[a];
        if (a == broken) {
            json_array_append_new(scores, json_pack("{s:o,s:b,s:s}", "variant", make_variant(arm),
                                                    "eligible", 0, "error", "it does not fit"));
            continue;
        }
        json_t *score = make_score(m, cases, arm);
        double own = json_real_value(
            json_object_get(score, "minimum_aligned_throughput_device_speedup"));
        json_array_append_new(scores, score);
        if (own > least) {
            least = own;
            best = json_object_get(score, "variant");
        }
    }
    return json_pack("{s:s,s:s,s:O,s:o,s:b}", "scope", "one variant for all cases", "rule",
                     m->experiment.selection_rule, "selected", best, "scores", scores,
                     "heldout_results_used", 0);
}

/* A tuning; variant `broken` fails in the first case unless that is negative. */
static inline json_t *make_tuning(struct maker *m, int broken)
{
    static const bool compared[] = {true, true, true, false};
    m->seed = m->experiment.training_seed;
    json_t *record = make_head(m, "tuning"), *cases = json_array(), *variants = json_array();
    for (size_t i = 0; i < m->experiment.case_count; i++)
        json_array_append_new(cases, make_case(m, &m->experiment.cases[i], compared,
                                               i == 0 ? broken : -1, false));
    for (int a = 0; a < 3; a++)
        json_array_append_new(variants, make_variant(&m->experiment.arms[a]));
    put_new(record, "training_process_id", json_integer(4711));
    put_new(record, "training_seed", json_integer(m->experiment.training_seed));
    put_new(record, "validation_seed", json_integer(m->experiment.validation_seed));
    put_new(record, "baseline_export_sha256", some_hash(3));
    put_new(record, "control", json_string("frozen_baseline"));
    put_new(record, "gate_policy", make_policy());
    put_new(record, "variants", variants);
    put_new(record, "selection", make_selection(m, cases, broken));
    put_new(record, "cases", cases);
    seal(m->arena, record);
    return record;
}

/* ---- validations ----------------------------------------------------------------------------- */

static inline json_t *make_validation(struct maker *m)
{
    static const bool compared[] = {false, false, false, true};
    m->seed = m->experiment.validation_seed;
    json_t *record = make_head(m, "validation"), *cases = json_array();
    for (size_t i = 0; i < m->experiment.case_count; i++)
        json_array_append_new(cases,
                              make_case(m, &m->experiment.cases[i], compared, -1, false));
    put_new(record, "training_process_id", json_integer(4710));
    put_new(record, "training_seed", json_integer(m->experiment.training_seed));
    put_new(record, "validation_seed", json_integer(m->experiment.validation_seed));
    put_new(record, "manifest_sha256", some_hash(4));
    put_new(record, "control", json_string("frozen_baseline"));
    put_new(record, "selected", make_variant(&m->experiment.arms[1]));
    put_new(record, "gate_policy", make_policy());
    put_new(record, "promotion_gate", make_gate(m, cases, "frozen_baseline"));
    put_new(record, "cases", cases);
    seal(m->arena, record);
    return record;
}

/* ---- processes ------------------------------------------------------------------------------- */

static inline json_t *make_process(struct maker *m, const char *root, int which)
{
    json_t *cases = json_array();
    for (size_t i = 0; i < m->experiment.case_count; i++) {
        const struct lab_case *c = &m->experiment.cases[i];
        const struct lab_tolerance *t = &m->experiment.tolerances[c->dtype];
        json_t *item = make_sizes(m, c);
        /* the new compiler is a tenth slower in the second case */
        double slower = which == 2 && i == 1 ? 1.1 : 1;
        double device = maker_time(m, 50), wall = maker_time(m, 60) * slower;
        put_new(item, "seed", json_integer(m->seed + (json_int_t)i));
        put_new(item, "input_sha256", make_input_hash(m, c));
        put_new(item, "correctness", json_pack("{s:f,s:f,s:f}", "max_absolute_error", 0x1p-11,
                                               "rtol", t->rtol, "atol", t->atol));
        put_new(item, "source_sha256", some_hash(which));
        put_new(item, "timing",
                json_pack("{s:i,s:f,s:f,s:[f,f],s:[f,f]}", "samples", 30, "device_us", device,
                          "wall_us", wall, "device_min_max_us", device / 2, device * 2,
                          "wall_min_max_us", wall / 2, wall * 2));
        put_new(item, "status", json_string("ok"));
        json_array_append_new(cases, item);
    }
    return json_pack("{s:s,s:o,s:s,s:s,s:o}", "root", root, "compiler_implementation_sha256",
                     some_hash(which + 10), "device", "a processor", "platform", "a system",
                     "cases", cases);
}

static inline json_t *process_times(json_t *samples, size_t i, const char *time)
{
    static const char *const sides[] = {"baseline", "current"};
    json_t *lists = json_object();
    double means[2];
    for (int s = 0; s < 2; s++) {
        json_t *list = json_array();
        means[s] = 1;
        for (size_t p = 0; p < 2; p++) {
            json_t *process = json_array_get(json_object_get(samples, sides[s]), p);
            json_t *item = json_array_get(json_object_get(process, "cases"), i);
            json_t *value = json_object_get(json_object_get(item, "timing"), time);
            means[s] *= json_real_value(value);
            json_array_append(list, value);
        }
        means[s] = sqrt(means[s]);
        put_new(lists, sides[s], list);
    }
    return json_pack("{s:f,s:f,s:f,s:o}", "baseline", means[0], "current", means[1], "speedup",
                     means[0] / means[1], "samples", lists);
}

/* Without noise in these records worth mentioning: 5% is far above it. */
static inline json_t *make_regression(const struct maker *m, json_t *comparisons)
{
    json_t *slower = json_array();
    double noises[16];
    size_t count = json_array_size(comparisons);
    for (size_t i = 0; i < count; i++) {
        json_t *wall = json_object_get(json_array_get(comparisons, i), "wall_us");
        json_t *lists = json_object_get(wall, "samples");
        double noise = 0;
        const char *side;
        json_t *list;
        json_object_foreach(lists, side, list)
            noise = fmax(noise, fabs(log(json_real_value(json_array_get(list, 0)) /
                                         json_real_value(json_array_get(list, 1)))));
        size_t at = i;
        for (; at > 0 && noises[at - 1] > noise; at--)
            noises[at] = noises[at - 1];
        noises[at] = noise;
        if (json_real_value(json_object_get(wall, "speedup")) < 1 / 1.05)
            json_array_append_new(slower, json_string(m->experiment.cases[i].name));
    }
    bool passed = json_array_size(slower) == 0;
    return json_pack("{s:b,s:f,s:f,s:o,s:[]}", "passed", passed, "wall_latency_ratio_maximum", 1.05,
                     "noise_latency_ratio",
                     exp((noises[(count - 1) / 2] + noises[count / 2]) / 2), "regressed_cases",
                     slower, "broken_cases");
}

static inline json_t *make_processes(struct maker *m)
{
    json_t *record = make_head(m, "processes"), *comparisons = json_array();
    json_t *samples = json_pack("{s:[o,o],s:[o,o]}", "baseline", make_process(m, "old", 1),
                                make_process(m, "old", 1), "current", make_process(m, "new", 2),
                                make_process(m, "new", 2));
    for (size_t i = 0; i < m->experiment.case_count; i++) {
        json_t *item = make_sizes(m, &m->experiment.cases[i]);
        put_new(item, "status", json_string("ok"));
        put_new(item, "source_sha256",
                json_pack("{s:o,s:o}", "baseline", some_hash(1), "current", some_hash(2)));
        put_new(item, "device_us", process_times(samples, i, "device_us"));
        put_new(item, "wall_us", process_times(samples, i, "wall_us"));
        json_array_append_new(comparisons, item);
    }
    put_new(record, "pair_order",
            json_pack("[s,s,s,s]", "baseline", "current", "current", "baseline"));
    put_new(record, "samples", samples);
    put_new(record, "comparisons", comparisons);
    put_new(record, "regression", make_regression(m, comparisons));
    seal(m->arena, record);
    return record;
}

#endif
