/* Which rules a record is for, what nothing confirmed, and tilec lab verify; see verify.h. */
#include "lab/verify.h"
#include "base/json_text.h"
#include "lab/call.h"

#include <stdlib.h>
#include <string.h>

/* ---- records by kind ------------------------------------------------------------------------- */

/* A comparison's cases with their rounds; false when they cannot be read. */
static bool check_cases(struct verify *v, const struct place *list, struct verify_cases *cases,
                        const struct place *needed)
{
    struct place root = place_root(v), configuration = place_key(&root, "configuration");
    struct place seed = place_key(&configuration, "seed");
    if (!verify_cases_read(v, list, cases))
        return false;
    verify_cases_inputs(v, cases, &seed);
    verify_cases_arms(v, cases, needed);
    verify_rounds(v, cases, &configuration);
    verify_noise_floor(v, cases);
    return true;
}

/* The one control of a tuning or validation is an arm of every case. */
static bool check_control(struct verify *v, const struct verify_cases *cases,
                          const struct place *control)
{
    const char *name = verify_text(v, control);
    for (size_t i = 0; name && i < cases->count; i++) {
        struct place correctness = place_key(&cases->items[i].place, "correctness");
        struct place arm = place_key(&correctness, name);
        if (!arm.json)
            return verify_wrong(v, control, "is not an arm of the case '%s'",
                                cases->cases[i].name);
    }
    if (name)
        verify_confirm(v, control);
    return name;
}

static void check_comparison(struct verify *v)
{
    struct place root = place_root(v), list = place_key(&root, "cases");
    struct place gate = place_key(&root, "promotion_gate");
    struct place controls = place_key(&gate, "comparisons");
    struct verify_cases cases;
    if (check_cases(v, &list, &cases, &controls))
        verify_promotion(v, &cases, &gate);
}

static void check_tuning(struct verify *v)
{
    struct place root = place_root(v), list = place_key(&root, "cases");
    struct place configuration = place_key(&root, "configuration");
    struct place seed = place_key(&configuration, "seed");
    struct place training = place_key(&root, "training_seed");
    struct place process = place_key(&root, "process_id");
    struct place trainer = place_key(&root, "training_process_id");
    struct place control = place_key(&root, "control");
    struct verify_cases cases;
    if (!check_cases(v, &list, &cases, &control) || !check_control(v, &cases, &control))
        return;
    verify_same(v, &training, &seed, "a tuning is measured with the training seed");
    verify_same(v, &trainer, &process, "the tuning is the training process");
    verify_selection(v, &cases, &root, true);
}

static void check_selection(struct verify *v)
{
    struct place root = place_root(v), list = place_key(&root, "cases");
    struct verify_cases cases;
    if (verify_cases_read(v, &list, &cases))
        verify_selection(v, &cases, &root, false);
}

/* One arm against one control, on the held-out seed. */
static void check_validation(struct verify *v)
{
    struct place root = place_root(v), list = place_key(&root, "cases");
    struct place gate = place_key(&root, "promotion_gate"), policy = place_key(&root, "gate_policy");
    struct place repeated = place_key(&gate, "policy"), control = place_key(&root, "control");
    struct place configuration = place_key(&root, "configuration");
    struct place seed = place_key(&configuration, "seed");
    struct place held_out = place_key(&root, "validation_seed");
    struct place training = place_key(&root, "training_seed");
    struct place process = place_key(&root, "process_id");
    struct place trainer = place_key(&root, "training_process_id");
    struct verify_policy read;
    struct verify_cases cases;
    int64_t a, b;
    if (!check_cases(v, &list, &cases, &control))
        return;
    verify_same(v, &held_out, &seed, "a validation is measured with the validation seed");
    if (verify_whole(v, &training, &a) && verify_whole(v, &held_out, &b) && a == b)
        verify_wrong(v, &held_out, "is the training seed too: nothing was held out");
    if (verify_whole(v, &trainer, &a) && verify_whole(v, &process, &b) && a == b)
        verify_wrong(v, &process, "is the tuning's process too: a fresh one is needed");
    if (!check_control(v, &cases, &control) || !verify_policy_read(v, &policy, &read) ||
        !verify_same(v, &policy, &repeated, "the gate repeats the policy"))
        return;
    verify_tiling_gate(v, &cases, &read, json_string_value(control.json), &gate);
}

static const struct kind {
    const char *name;
    void (*check)(struct verify *v);
} kinds[] = {
    {"comparison", check_comparison},
    {"tuning", check_tuning},
    {"frozen_selection", check_selection},
    {"frozen_register_tiling_selection", check_selection},
    {"validation", check_validation},
    {"processes", verify_processes},
    {"sample", verify_sample},
    {"null", verify_null},
};

/* Records of the earlier compiler mostly say no kind. */
static const char *kind_of(const json_t *root)
{
    const char *kind = json_string_value(json_object_get(root, "kind"));
    if (kind)
        return kind;
    if (json_object_get(root, "samples") && json_object_get(root, "comparisons"))
        return "processes";
    return json_object_get(root, "promotion_gate") ? "comparison" : "";
}

const char *verify_device_word(const json_t *value)
{
    static const struct {
        const char *key, *word;
    } signs[] = {
        {"gpu_us", "gpu"},
        {"device_us", "device"},
        {"aligned_throughput_gpu_speedup_minimum", "gpu"},
        {"aligned_throughput_device_speedup_minimum", "device"},
        {"device_speedup_minimum", "device"},
    };
    const char *word = NULL;
    for (size_t i = 0; !word && i < json_array_size(value); i++)
        word = verify_device_word(json_array_get(value, i));
    for (size_t i = 0; json_is_object(value) && i < sizeof signs / sizeof *signs; i++)
        if (json_object_get(value, signs[i].key))
            return signs[i].word;
    for (void *at = json_object_iter((json_t *)value); at && !word;
         at = json_object_iter_next((json_t *)value, at))
        word = verify_device_word(json_object_iter_value(at));
    return word;
}

/* The whole record's hash but for the field itself, where there is one. */
static void check_seal(struct verify *v)
{
    struct place root = place_root(v), seal = place_key(&root, "record_sha256");
    char hex[LAB_HASH_SIZE];
    if (!seal.json)
        return;
    json_text_sha256(v->arena, v->root, "record_sha256", hex);
    if (verify_is_text(v, &seal, hex))
        verify_note(v, "record_sha256 of the whole record");
}

bool verify_record(struct verify *v, const char **error)
{
    const char *kind = kind_of(v->root);
    struct place root = place_root(v), place = place_key(&root, "kind");
    const char *word = verify_device_word(v->root);
    const json_t *left_out = json_object_get(v->root, "cases_left_out");
    v->dev = word ? word : "gpu";
    if (left_out) {
        *error = "is of some cases of its experiment only, whose gate and verdict it cannot tell";
        return false;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kind, kinds[i].name) != 0)
            continue;
        struct place version = place_key(&root, "version");
        if (place.json)
            verify_confirm(v, &place);
        if (version.json)
            verify_is_whole(v, &version, 1);
        if (!v->ignore_seal)
            check_seal(v);
        kinds[i].check(v);
        if (v->experiment)
            verify_against(v);
        return true;
    }
    *error = !json_is_object(v->root) ? "is not a record: an object is expected"
             : kind[0] ? arena_format(v->arena, "is of the kind '%.60s', for which there are no "
                                      "rules", kind)
                       : "is not a record: it has no 'kind', and not the fields of any";
    return false;
}

/* ---- what nothing confirmed ------------------------------------------------------------------ */

struct patterns {
    const char **items;
    size_t count, capacity;
};

/* Keys of these objects are names of arms and the like: one pattern for all. */
static bool keys_are_names(const struct place *place)
{
    static const char *const maps[] = {"correctness", "shaders",     "compilations",
                                       "compile",     "summary",     "comparisons",
                                       "samples",     "controls",    "device_latency_ratios"};
    const struct place *parent = place->parent;
    if (!json_is_object(place->json) || !parent)
        return false;
    if (!place->key)
        return parent->key && strcmp(parent->key, "rounds") == 0;
    const json_t *first = json_object_iter_value(json_object_iter((json_t *)place->json));
    if (json_is_object(first) || json_is_array(first))
        for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
            if (strcmp(place->key, maps[i]) == 0)
                return true;
    return false;
}

static void put_pattern(struct text *out, const struct place *place)
{
    if (!place->parent)
        return;
    put_pattern(out, place->parent);
    if (!place->key)
        text_string(out, "[]");
    else
        text_format(out, "%s%s", out->count ? "." : "",
                    keys_are_names(place->parent) ? "*" : place->key);
}

const char *verify_pattern(struct verify *v, const struct place *place)
{
    struct text text;
    text_init(&text, v->arena);
    put_pattern(&text, place);
    if (json_is_array(place->json))
        text_string(&text, " (length and order)");
    return text.items;
}

static void add_pattern(struct verify *v, struct patterns *patterns, const struct place *place)
{
    const char *pattern = verify_pattern(v, place);
    for (size_t i = 0; i < patterns->count; i++)
        if (strcmp(patterns->items[i], pattern) == 0)
            return;
    ARENA_PUSH(v->arena, patterns, pattern);
}

static void walk(struct verify *v, const struct place *place, bool texts, struct patterns *patterns)
{
    struct place child;
    bool is_text = json_is_string(place->json) || json_is_null(place->json);
    const char *text = json_string_value(place->json);
    if (text && strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64)
        is_text = false; /* a hash */
    if (place->parent && !json_is_object(place->json) && is_text == texts &&
        !verify_is_confirmed(v, place))
        add_pattern(v, patterns, place);
    for (size_t i = 0; json_is_array(place->json) && i < place_count(place); i++) {
        child = place_item(place, i);
        walk(v, &child, texts, patterns);
    }
    if (json_is_object(place->json))
        PLACE_EACH(place, child)
            walk(v, &child, texts, patterns);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **verify_unconfirmed(struct verify *v, bool texts)
{
    struct patterns patterns = {0};
    struct place root = place_root(v);
    walk(v, &root, texts, &patterns);
    qsort(patterns.items, patterns.count, sizeof *patterns.items, by_text);
    const char *end = NULL;
    ARENA_PUSH(v->arena, &patterns, end);
    return patterns.items;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void put_list(struct text *out, const char *title, const char **items)
{
    if (!items[0])
        return;
    text_format(out, "%s\n", title);
    for (; *items; items++)
        text_format(out, "  %s\n", *items);
}

static void put_report(struct verify *v, struct text *out)
{
    size_t shown = v->problem_count < VERIFY_MAX_PROBLEMS ? v->problem_count : VERIFY_MAX_PROBLEMS;
    for (size_t i = 0; i < shown; i++)
        text_format(out, "disagrees: %s\n", v->problems[i]);
    if (v->problem_count > shown)
        text_format(out, "and %zu more\n", v->problem_count - shown);
    if (v->problem_count)
        return;
    const char *end = NULL;
    ARENA_PUSH(v->arena, &v->notes, end);
    put_list(out, "confirmed:", v->notes.items);
    put_list(out, "not confirmed, because nothing in the record says it twice:",
             verify_unconfirmed(v, false));
    put_list(out, "texts that nothing else repeats:", verify_unconfirmed(v, true));
}

struct arguments {
    const char *record, *experiment;
};

static void work(struct lab_call *call)
{
    const struct arguments *arguments = call->arguments;
    const char *path = arguments->record, *error = NULL;
    struct lab_experiment experiment;
    json_t *root = lab_call_read(call, path, NULL, NULL);
    if (!root)
        return;
    struct verify v = {.arena = &call->arena, .root = root, .path = path};
    if (arguments->experiment) {
        json_t *json = lab_call_read(call, arguments->experiment, NULL, NULL);
        if (!json)
            return;
        /* The experiment takes a reference over; the call's keeps it until its end. */
        if (!lab_experiment_read(&call->arena, arguments->experiment, json_incref(json), &experiment,
                                 &error)) {
            lab_call_fail(call, TILEC_ERROR_IO, "%s", error);
            return;
        }
        json_decref(json);
        v.experiment = &experiment;
    }
    if (!verify_record(&v, &error)) {
        lab_call_fail(call, TILEC_ERROR_IO, "'%s' %s", path, error);
        return;
    }
    put_report(&v, &call->out);
    if (v.problem_count)
        lab_call_fail(call, TILEC_ERROR_FAULT, "'%s' disagrees with itself in %zu place%s", path,
                      v.problem_count, v.problem_count == 1 ? "" : "s");
}

tilec_status tilec_lab_verify(const char *record, tilec_lab_text *text)
{
    struct arguments arguments = {record, NULL};
    return record ? lab_call_run(work, &arguments, text) : TILEC_ERROR_INVALID;
}

tilec_status tilec_lab_verify_against(const char *record, const char *experiment,
                                      tilec_lab_text *text)
{
    struct arguments arguments = {record, experiment};
    return record && experiment ? lab_call_run(work, &arguments, text) : TILEC_ERROR_INVALID;
}
