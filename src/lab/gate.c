/* The gate of a comparison; see gate.h. */
#include "lab/gate.h"

static void add_name(json_t *list, const struct lab_case *c)
{
    json_array_append_new(list, json_string(c->name));
}

/* Against one control: the cases that fail, by what they fail. */
static json_t *compare(const struct lab_experiment *e, const struct lab_gate_case *cases,
                       size_t arm, bool *passed)
{
    json_t *device = json_array(), *wall = json_array();
    for (size_t i = 0; i < e->case_count; i++) {
        const struct lab_case *c = &e->cases[i];
        const struct lab_gate_times *times = &cases[i].arms[arm];
        if (lab_case_throughput(e, c) &&
            !(times->comparable && times->device_speedup >= e->gate.device_speedup_minimum))
            add_name(device, c);
        if (!(times->comparable && 1 / times->wall_speedup <= e->gate.wall_ratio_maximum))
            add_name(wall, c);
    }
    bool good = !json_array_size(device) && !json_array_size(wall);
    *passed = *passed && good;
    json_t *json = json_object();
    json_object_set_new(json, "passed", json_boolean(good));
    json_object_set_new(json, "failed_device_cases", device);
    json_object_set_new(json, "failed_wall_cases", wall);
    return json;
}

json_t *lab_gate_promotion(const struct lab_experiment *e, const struct lab_gate_case *cases)
{
    const struct lab_gate *gate = &e->gate;
    json_t *json = json_object(), *comparisons = json_object(), *batches = json_array();
    bool passed = true;
    for (size_t arm = 0; arm < e->arm_count; arm++)
        if (e->arms[arm].role == LAB_CONTROL)
            json_object_set_new(comparisons, e->arms[arm].name, compare(e, cases, arm, &passed));
    for (size_t i = 0; i < gate->throughput_count; i++)
        json_array_append_new(batches, json_integer(gate->throughput_batches[i]));
    json_object_set_new(json, "passed", json_boolean(passed));
    json_object_set_new(json, "policy", json_string(gate->policy));
    json_object_set_new(json, "device_speedup_minimum", json_real(gate->device_speedup_minimum));
    json_object_set_new(json, "wall_latency_ratio_maximum", json_real(gate->wall_ratio_maximum));
    json_object_set_new(json, "throughput_batches", batches);
    json_object_set_new(json, "comparisons", comparisons);
    return json;
}
