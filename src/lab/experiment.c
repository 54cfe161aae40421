/* Reading experiment files; see experiment.h. */
#include "lab/experiment.h"
#include "base/json_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SIZE = 1 << 20, MAX_ELEMENTS = 1 << 28, EXPERIMENT_VERSION = 1 };

static const char *const form_names[] = {
    [LAB_COMPARISON] = "comparison", [LAB_TUNING] = "tuning", [LAB_PROCESSES] = "processes"};

/* The place of a word in a list; -1 after a message that shows the list. */
static int choose(struct lab_object *object, const char *key, const char *word,
                  const char *const *words, int count)
{
    char list[256];
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0)
            return i;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "", words[i]);
    }
    lab_wrong_key(object, key, "'%s' is not one of %s", word, list);
    return -1;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void read_sizes(const struct lab_problem *problem, struct lab_object *object,
                       struct lab_case *c)
{
    size_t count = 0;
    const json_t *list = NULL;
    if (problem->list) {
        list = lab_list(object, problem->list, true, LAB_MAX_DIMENSIONS, &count);
        if (list && (int)count != problem->dimension_count)
            lab_wrong_key(object, problem->list, "%d sizes are expected", problem->dimension_count);
    }
    for (int d = 0; d < problem->dimension_count; d++) {
        if (!problem->list) {
            c->sizes[d] = lab_whole(object, problem->dimensions[d], 1, MAX_SIZE);
            continue;
        }
        c->sizes[d] = json_integer_value(json_array_get(list, (size_t)d));
        if (list && (c->sizes[d] < 1 || c->sizes[d] > MAX_SIZE))
            lab_wrong_key(object, problem->list, "whole numbers from 1 to %d are expected",
                          MAX_SIZE);
    }
    for (int t = 0; t < problem->tensor_count && !object->fields->error; t++) {
        int64_t elements = 1;
        for (int r = 0; r < problem->tensors[t].rank; r++)
            elements *= c->sizes[problem->tensors[t].dimensions[r]];
        if (elements > MAX_ELEMENTS)
            lab_wrong_key(object, "name", "%s would have more than %d elements",
                          problem->tensors[t].name, MAX_ELEMENTS);
    }
}

static void read_case(struct lab_experiment *experiment, struct lab_object *object, size_t i)
{
    struct lab_case *c = &experiment->cases[i];
    c->index = i;
    c->name = lab_name(object);
    const char *dtype = lab_text(object, "dtype", true);
    if (object->json && !lab_dtype_find(dtype, &c->dtype))
        lab_wrong_key(object, "dtype", "'%s' is not float16 or float32", dtype);
    read_sizes(experiment->problem, object, c);
    const char *name = lab_case_name(experiment->arena, experiment->problem, c);
    if (!object->fields->error && strcmp(c->name, name) != 0)
        lab_wrong_key(object, "name", "'%s' is expected: dtype and sizes", name);
    for (size_t k = 0; k < i; k++)
        if (strcmp(c->name, experiment->cases[k].name) == 0)
            lab_wrong_key(object, "name", "'%s' names an earlier case too", c->name);
    lab_only_known(object);
}

static void read_cases(struct lab_experiment *experiment, struct lab_object *whole)
{
    const json_t *list = lab_list(whole, "cases", true, LAB_MAX_CASES, &experiment->case_count);
    experiment->cases = ARENA_ARRAY(experiment->arena, struct lab_case, experiment->case_count);
    for (size_t i = 0; i < experiment->case_count; i++) {
        struct lab_object object = lab_item(whole, "cases", list, i);
        read_case(experiment, &object, i);
    }
}

/* ---- arms ------------------------------------------------------------------------------------ */

static const char *constant_text(struct lab_object *constants, const char *key, const json_t *value)
{
    if (json_is_integer(value))
        return arena_format(constants->fields->arena, "%lld",
                            (long long)json_integer_value(value));
    if (json_is_string(value))
        return json_string_value(value);
    lab_wrong_key(constants, key, "a whole number or a text is expected");
    return "";
}

static void read_constants(struct lab_object *object, struct lab_arm *arm)
{
    struct lab_object constants = lab_child(object, "constants", false);
    size_t count = constants.json ? json_object_size(constants.json) : 0;
    if (count > LAB_MAX_CONSTANTS) {
        lab_wrong_key(object, "constants", "more than %d", LAB_MAX_CONSTANTS);
        return;
    }
    arm->constants = ARENA_ARRAY(object->fields->arena, struct lab_constant, count);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)constants.json, key, value) {
        arm->constants[arm->constant_count++] =
            (struct lab_constant){key, constant_text(&constants, key, value)};
    }
}

static void read_requirements(struct lab_object *object, struct lab_arm *arm)
{
    const json_t *list = lab_list(object, "requirements", false, LAB_MAX_CONSTANTS,
                                  &arm->requirement_count);
    arm->requirements = ARENA_ARRAY(object->fields->arena, const char *, arm->requirement_count);
    for (size_t i = 0; i < arm->requirement_count; i++) {
        arm->requirements[i] = json_string_value(json_array_get(list, i));
        if (!arm->requirements[i] || !strchr(arm->requirements[i], '=')) {
            lab_wrong_key(object, "requirements", "texts NAME=VALUE are expected");
            arm->requirements[i] = "";
        }
    }
}

/* "FILE:KERNEL", the file relative to the experiment's folder. */
static void read_kernel(const struct lab_experiment *experiment, struct lab_object *object,
                        struct lab_arm *arm)
{
    const char *kernel = lab_text(object, "kernel", true);
    const char *colon = strrchr(kernel, ':');
    if (!object->json)
        return;
    if (!colon || colon == kernel || !colon[1]) {
        lab_wrong_key(object, "kernel", "FILE:KERNEL is expected, not '%s'", kernel);
        return;
    }
    const char *slash = strrchr(experiment->path, '/');
    int folder = kernel[0] == '/' || !slash ? 0 : (int)(slash - experiment->path) + 1;
    arm->file = arena_format(experiment->arena, "%.*s%.*s", folder, experiment->path,
                             (int)(colon - kernel), kernel);
    arm->kernel = colon + 1;
}

static void read_arm(const struct lab_experiment *experiment, struct lab_object *object,
                     struct lab_arm *arm)
{
    static const char *const policies[] = {
        [LAB_POLICY_FLOAT] = "float", [LAB_POLICY_STORAGE] = "storage"};
    const char *policy = lab_text(object, "rounding", false);
    int chosen = policy ? choose(object, "rounding", policy, policies, 2) : LAB_POLICY_FLOAT;
    arm->policy = chosen < 0 ? LAB_POLICY_FLOAT : (enum lab_policy)chosen;
    if (arm->policy == LAB_POLICY_STORAGE && !experiment->problem->reference_storage)
        lab_wrong_key(object, "rounding", "'%s' has one rounding only", experiment->problem->name);
    arm->external = lab_text(object, "external", false);
    if (arm->external && arm->role != LAB_COMPARATOR)
        lab_wrong_key(object, "external", "only a comparator may be one");
    if (!arm->external) {
        read_kernel(experiment, object, arm);
        read_constants(object, arm);
        read_requirements(object, arm);
        arm->relaxed = lab_flag(object, "relaxed");
        arm->frozen = lab_flag(object, "frozen");
    }
    if (arm->frozen && arm->role != LAB_CONTROL)
        lab_wrong_key(object, "frozen", "only a control may be taken from an export");
}

static struct lab_arm *add_arm(struct lab_experiment *experiment, struct lab_object *object,
                               enum lab_role role)
{
    struct lab_arm *arm = &experiment->arms[experiment->arm_count];
    *arm = (struct lab_arm){.name = lab_name(object), .role = role};
    for (size_t k = 0; k < experiment->arm_count; k++)
        if (strcmp(arm->name, experiment->arms[k].name) == 0)
            lab_wrong_key(object, "name", "'%s' names an earlier arm too", arm->name);
    if (strcmp(arm->name, "null") == 0)
        lab_wrong_key(object, "name", "'null' is the name of the candidate against itself");
    experiment->arm_count++;
    return arm;
}

/* A variant: what records repeat, with the arm that makes it under "arm". */
static void read_variant(struct lab_experiment *experiment, struct lab_object *object)
{
    struct lab_arm *arm = add_arm(experiment, object, LAB_CANDIDATE);
    struct lab_object inner = lab_child(object, "arm", true);
    read_arm(experiment, &inner, arm);
    lab_only_known(&inner);
    arm->variant = object->json; /* records leave "arm" out */
}

static void read_arm_list(struct lab_experiment *experiment, struct lab_object *whole,
                          const char *key, enum lab_role role, bool required)
{
    size_t count;
    const json_t *list = lab_list(whole, key, required, LAB_MAX_ARMS / 2, &count);
    for (size_t i = 0; i < count; i++) {
        struct lab_object object = lab_item(whole, key, list, i);
        if (role == LAB_CANDIDATE) {
            read_variant(experiment, &object);
            continue;
        }
        struct lab_arm *arm = add_arm(experiment, &object, role);
        read_arm(experiment, &object, arm);
        lab_only_known(&object);
    }
}

static void read_arms(struct lab_experiment *experiment, struct lab_object *whole)
{
    /* Each list has at most half of them; a candidate makes one more. */
    experiment->arms = ARENA_ARRAY(experiment->arena, struct lab_arm, 2 * LAB_MAX_ARMS);
    if (experiment->form == LAB_TUNING) {
        read_arm_list(experiment, whole, "variants", LAB_CANDIDATE, true);
    } else {
        struct lab_object object = lab_child(whole, "candidate", true);
        struct lab_arm *arm = add_arm(experiment, &object, LAB_CANDIDATE);
        read_arm(experiment, &object, arm);
        lab_only_known(&object);
    }
    if (experiment->form != LAB_PROCESSES) {
        read_arm_list(experiment, whole, "controls", LAB_CONTROL, true);
        read_arm_list(experiment, whole, "comparators", LAB_COMPARATOR, false);
    }
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void read_tolerance(struct lab_experiment *experiment, struct lab_object *whole)
{
    struct lab_object object = lab_child(whole, "tolerance", true);
    for (size_t i = 0; i < experiment->case_count; i++) {
        enum lab_dtype dtype = experiment->cases[i].dtype;
        struct lab_object one = lab_child(&object, lab_dtype_name(dtype), true);
        experiment->tolerances[dtype].rtol = lab_real(&one, "rtol", 0, 1);
        experiment->tolerances[dtype].atol = lab_real(&one, "atol", 0, 1);
        lab_only_known(&one);
    }
    lab_only_known(&object);
}

static void read_configuration(struct lab_experiment *experiment, struct lab_object *whole)
{
    struct lab_object object = lab_child(whole, "configuration", true);
    struct lab_configuration *c = &experiment->configuration;
    c->rounds = 1;
    if (experiment->form != LAB_PROCESSES)
        c->rounds = lab_whole(&object, "rounds", 1, 1000);
    c->most_rounds = (int64_t)lab_real_or(&object, "most_rounds", (double)c->rounds, 1, 1000);
    c->threads = (int64_t)lab_real_or(&object, "threads", 0, 0, 4096);
    c->alarm_threshold = lab_real_or(&object, "alarm_threshold", 0.02, 0, 1);
    c->warmup_ms = lab_real(&object, "warmup_ms", 0, 60e3);
    c->rep_ms = lab_real(&object, "rep_ms", 0.1, 600e3);
    c->cooldown_seconds = lab_real_or(&object, "cooldown_seconds", 0, 0, 600);
    c->minimum_pairs = (int64_t)lab_real_or(&object, "minimum_pairs", 20, 20, 1e6);
    c->batch_us = lab_real_or(&object, "batch_us", 100, 0, 1e6);
    lab_only_known(&object);
}

static void read_throughput(struct lab_object *object, struct lab_gate *gate)
{
    const json_t *list = lab_list(object, "throughput_batches", true,
                                  sizeof gate->throughput_batches / sizeof(int64_t),
                                  &gate->throughput_count);
    for (size_t i = 0; i < gate->throughput_count; i++) {
        const json_t *value = json_array_get(list, i);
        gate->throughput_batches[i] = json_integer_value(value);
        if (gate->throughput_batches[i] < 1)
            lab_wrong_key(object, "throughput_batches", "whole numbers from 1 on are expected");
    }
}

static void read_gate(struct lab_experiment *experiment, struct lab_object *whole)
{
    struct lab_object object = lab_child(whole, "gate", experiment->form != LAB_PROCESSES);
    struct lab_gate *gate = &experiment->gate;
    if (!object.json)
        return;
    gate->json = object.json;
    gate->policy = lab_text(&object, "policy", true);
    if (experiment->form == LAB_PROCESSES) {
        gate->wall_ratio_maximum = lab_real(&object, "wall_latency_ratio_maximum", 1, 10);
        lab_only_known(&object);
        return;
    }
    gate->device_speedup_minimum = lab_real(&object, "device_speedup_minimum", 0.1, 100);
    gate->wall_ratio_maximum = lab_real(&object, "wall_latency_ratio_maximum", 0.1, 100);
    read_throughput(&object, gate);
    if (experiment->form == LAB_TUNING) {
        gate->ragged_ratio_maximum = lab_real(&object, "ragged_latency_ratio_maximum", 0.1, 100);
        experiment->aligned_width = lab_whole(&object, "aligned_width", 1, MAX_SIZE);
    }
    lab_only_known(&object);
}

static void read_seeds(struct lab_experiment *experiment, struct lab_object *whole)
{
    const int64_t most = INT64_C(1) << 53; /* what every JSON reader keeps exact */
    if (experiment->form != LAB_TUNING) {
        experiment->seed = lab_whole(whole, "seed", 0, most);
        return;
    }
    experiment->training_seed = lab_whole(whole, "training_seed", 0, most);
    experiment->validation_seed = lab_whole(whole, "validation_seed", 0, most);
    experiment->selection_rule = lab_text(whole, "selection_rule", true);
    if (whole->json && experiment->training_seed == experiment->validation_seed)
        lab_wrong_key(whole, "validation_seed",
                      "is the training seed too; what was tuned on cannot be held out");
}

static void read_targets(struct lab_experiment *experiment, struct lab_object *whole)
{
    const json_t *list = lab_list(whole, "targets", true, LAB_MAX_TARGETS,
                                  &experiment->target_count);
    for (size_t i = 0; i < experiment->target_count; i++) {
        experiment->targets[i] = json_string_value(json_array_get(list, i));
        if (!experiment->targets[i]) {
            lab_wrong_key(whole, "targets", "names of targets are expected");
            experiment->targets[i] = "";
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void read_head(struct lab_experiment *experiment, struct lab_object *whole)
{
    const char *kind = lab_text(whole, "kind", true);
    if (whole->json && strcmp(kind, "tilec_experiment") != 0)
        lab_wrong_key(whole, "kind", "'tilec_experiment' is expected; is this an experiment?");
    lab_whole(whole, "version", EXPERIMENT_VERSION, EXPERIMENT_VERSION);
    experiment->name = lab_name(whole);
    experiment->description = lab_text(whole, "description", true);
    const char *form = lab_text(whole, "form", true), *problem = lab_text(whole, "problem", true);
    int chosen = whole->fields->error ? -1 : choose(whole, "form", form, form_names, 3);
    experiment->form = chosen < 0 ? LAB_COMPARISON : (enum lab_form)chosen;
    experiment->problem = lab_problem_find(problem);
    if (!experiment->problem)
        lab_wrong_key(whole, "problem", "'%s' is not %s", problem, lab_problem_names());
}

static void read_whole(struct lab_experiment *experiment, struct lab_object *whole)
{
    read_head(experiment, whole);
    if (!experiment->problem)
        return;
    if (experiment->problem->epsilon)
        experiment->epsilon = lab_real(whole, "epsilon", 0, 1);
    lab_field(whole, "precision_comparison", false);
    read_targets(experiment, whole);
    read_seeds(experiment, whole);
    read_cases(experiment, whole);
    read_tolerance(experiment, whole);
    read_configuration(experiment, whole);
    read_arms(experiment, whole);
    read_gate(experiment, whole);
    lab_only_known(whole);
}

bool lab_experiment_open(struct arena *arena, const char *path, struct lab_experiment *experiment,
                         const char **error)
{
    *experiment = (struct lab_experiment){0};
    json_t *json = json_text_read(arena, path, NULL, NULL, error);
    return json && lab_experiment_read(arena, path, json, experiment, error);
}

bool lab_experiment_read(struct arena *arena, const char *path, json_t *json,
                         struct lab_experiment *experiment, const char **error)
{
    *experiment = (struct lab_experiment){
        .arena = arena, .path = arena_format(arena, "%s", path), .json = json};
    struct lab_fields fields = {.arena = arena, .file = path};
    struct lab_object whole = lab_object(&fields, experiment->json, "");
    read_whole(experiment, &whole);
    json_text_sha256(arena, experiment->json, NULL, experiment->sha256);
    if (!fields.error)
        return true;
    *error = fields.error;
    lab_experiment_close(experiment);
    return false;
}

void lab_experiment_close(struct lab_experiment *experiment)
{
    json_decref(experiment->json);
    experiment->json = NULL;
}

const char *lab_constant_value(const struct lab_experiment *experiment, const struct lab_case *c,
                               const struct lab_constant *constant)
{
    const struct lab_problem *problem = experiment->problem;
    for (int d = 0; d < problem->dimension_count; d++)
        if (strcmp(constant->value, problem->dimensions[d]) == 0)
            return arena_format(experiment->arena, "%lld", (long long)c->sizes[d]);
    return constant->value;
}

/* ---- classes of cases ------------------------------------------------------------------------ */

/* The first dimension of a problem is what throughput cases have much of. */
bool lab_case_throughput(const struct lab_experiment *experiment, const struct lab_case *c)
{
    const struct lab_gate *gate = &experiment->gate;
    if (lab_case_ragged(experiment, c))
        return false;
    for (size_t i = 0; i < gate->throughput_count; i++)
        if (gate->throughput_batches[i] == c->sizes[0])
            return true;
    return false;
}

bool lab_case_ragged(const struct lab_experiment *experiment, const struct lab_case *c)
{
    return experiment->aligned_width && c->sizes[1] != experiment->aligned_width;
}
