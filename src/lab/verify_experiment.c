/* A record against the experiment that it names; see verify.h. What was declared before the first timing
 * is then known from the declaration itself. */
#include "base/json_text.h"
#include "lab/baseline.h"
#include "lab/tiling.h"
#include "lab/verify.h"

#include <string.h>

/* Takes the reference over. A place that is not there is not asked for: kinds of records differ. */
static void check_declared(struct verify *v, const struct place *place, json_t *declared)
{
    const char *wanted = json_text_canonical(v->arena, declared, NULL);
    json_decref(declared);
    if (!place->json)
        return;
    if (strcmp(json_text_canonical(v->arena, place->json, NULL), wanted) == 0)
        verify_confirm_all(v, place);
    else
        verify_wrong(v, place, "is not what the experiment declares: %.200s", wanted);
}

static void check_key(struct verify *v, const struct place *object, const char *key,
                      json_t *declared)
{
    struct place place = place_key(object, key);
    check_declared(v, &place, declared);
}

/* The experiment's configuration, to which the record adds the seed. */
static void check_configuration(struct verify *v, const struct place *root)
{
    struct place configuration = place_key(root, "configuration");
    const json_t *declared = json_object_get(v->experiment->json, "configuration");
    const char *key;
    json_t *value;
    struct place own;
    json_object_foreach((json_t *)declared, key, value) {
        own = place_key(&configuration, key);
        if (configuration.json && !own.json)
            verify_wrong(v, &own, "is missing, but the experiment declares it");
        check_declared(v, &own, json_incref(value));
    }
    if (json_is_object(configuration.json))
        PLACE_EACH(&configuration, own)
            if (strcmp(own.key, "seed") != 0 && !json_object_get(declared, own.key))
                verify_wrong(v, &own, "is not declared by the experiment");
}

static void check_gate(struct verify *v, const struct place *root)
{
    const struct lab_experiment *e = v->experiment;
    struct place gate = place_key(root, "promotion_gate"), selection = place_key(root, "selection");
    if (e->form == LAB_TUNING) {
        check_key(v, root, "gate_policy", lab_tiling_policy(e));
        check_key(v, &selection, "rule", json_string(e->selection_rule));
        return;
    }
    if (e->form != LAB_COMPARISON)
        return;
    json_t *batches = json_array();
    for (size_t i = 0; i < e->gate.throughput_count; i++)
        json_array_append_new(batches, json_integer(e->gate.throughput_batches[i]));
    check_key(v, &gate, "throughput_batches", batches);
    check_key(v, &gate, "policy", json_string(e->gate.policy));
    check_key(v, &gate, verify_device_key(v, "", "_speedup_minimum"),
              json_real(e->gate.device_speedup_minimum));
    check_key(v, &gate, "wall_latency_ratio_maximum", json_real(e->gate.wall_ratio_maximum));
}

static const struct lab_case *declared_case(const struct verify *v, const char *name)
{
    for (size_t i = 0; name && i < v->experiment->case_count; i++)
        if (strcmp(v->experiment->cases[i].name, name) == 0)
            return &v->experiment->cases[i];
    return NULL;
}

static void check_arm(struct verify *v, const struct place *item, const struct lab_case *c,
                      const struct lab_arm *arm)
{
    const struct lab_tolerance *tolerance = &v->experiment->tolerances[c->dtype];
    struct place correctness = place_key(item, "correctness");
    struct place shaders = place_key(item, "shaders");
    struct place check = place_key(&correctness, arm->name);
    struct place shader = place_key(&shaders, arm->name);
    check_key(v, &check, "rtol", json_real(tolerance->rtol));
    check_key(v, &check, "atol", json_real(tolerance->atol));
    if (!arm->kernel)
        return;
    check_key(v, &shader, "function_name", json_string(arm->kernel));
    check_key(v, &shader, "constants", lab_constants_json(v->experiment, arm, c));
    check_key(v, &shader, "requirements", lab_requirements_json(arm));
}

static void check_cases(struct verify *v, const struct place *root)
{
    struct place list = place_key(root, "cases");
    for (size_t i = 0; i < place_count(&list) && json_is_array(list.json); i++) {
        struct place item = place_item(&list, i);
        const struct lab_case *c = declared_case(v, json_text_at(item.json, "name"));
        for (size_t a = 0; c && a < v->experiment->arm_count; a++)
            check_arm(v, &item, c, &v->experiment->arms[a]);
    }
}

/* Those that the experiment is for; which of them the record says itself. */
static void check_target(struct verify *v, const struct place *root)
{
    struct place target = place_key(root, "target");
    bool known = !target.json;
    for (size_t i = 0; i < v->experiment->target_count && !known; i++)
        known = strcmp(json_text_at(root->json, "target"), v->experiment->targets[i]) == 0;
    if (!known)
        verify_wrong(v, &target, "is none that the experiment is for");
    else if (target.json && v->experiment->target_count == 1)
        verify_confirm(v, &target);
}

void verify_against(struct verify *v)
{
    const struct lab_experiment *e = v->experiment;
    struct place root = place_root(v);
    json_t *names = json_array();
    for (size_t i = 0; i < e->case_count; i++)
        json_array_append_new(names, json_string(e->cases[i].name));
    check_key(v, &root, "declared_cases", names);
    check_key(v, &root, "experiment", json_string(e->name));
    check_key(v, &root, "experiment_sha256", json_string(e->sha256));
    check_key(v, &root, "precision_comparison",
              json_incref(json_object_get(e->json, "precision_comparison")));
    if (e->form == LAB_TUNING) {
        check_key(v, &root, "training_seed", json_integer(e->training_seed));
        check_key(v, &root, "validation_seed", json_integer(e->validation_seed));
    }
    check_configuration(v, &root);
    check_gate(v, &root);
    check_cases(v, &root);
    check_target(v, &root);
    verify_note(v, "what the experiment '%s' declares", e->name);
}
