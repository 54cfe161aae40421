/* Products and their pipelines; see parts.h. */
#include "gpu/pipeline.h"
#include "report/parts.h"

#include <stdio.h>

/* ---- pipelines ------------------------------------------------------------------------------- */

/* The names of the record, which has two slots; further ones are numbered. */
static json_t *slot_name(int position)
{
    char name[32];
    if (position == 0)
        return json_string("current");
    if (position == 1)
        return json_string("next");
    snprintf(name, sizeof name, "next_%d", position);
    return json_string(name);
}

static json_t *slots_json(const struct gpu_pipeline *p, const uint16_t *sets)
{
    json_t *list = json_array();
    for (int b = 0; b < p->buffer_count; b++) {
        for (int i = 0; i < gpu_buffer_slots(p, &p->buffers[b]); i++) {
            if (sets[b] >> i & 1)
                report_append(&list, json_pack("{s:s, s:o}", "buffer", p->buffers[b].name, "slot",
                                               slot_name(i)));
        }
    }
    return list;
}

static json_t *rotated(const struct gpu_pipeline *p, const struct gpu_phase *phase)
{
    json_t *list = json_array();
    for (int b = 0; b < p->buffer_count; b++) {
        if (phase->rotates[b])
            report_append(&list, json_string(p->buffers[b].name));
    }
    return list;
}

static json_t *phase_json(const struct gpu_pipeline *p, const struct gpu_phase *phase)
{
    bool barrier = phase->kind == GPU_PHASE_BARRIER;
    json_t *scope = barrier ? json_string(ir_scope_names[phase->scope]) : json_null();
    json_t *participants = barrier ? json_integer(phase->participants) : json_null();
    json_t *in_flight = barrier ? json_integer(phase->in_flight) : json_null();
    json_t *made = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", phase->name, "region",
        gpu_region_names[phase->region], "kind", gpu_phase_kind_names[phase->kind], "reads",
        slots_json(p, phase->reads), "writes", slots_json(p, phase->writes), "publishes",
        slots_json(p, phase->publishes), "recycles", slots_json(p, phase->recycles), "rotates",
        rotated(p, phase), "barrier_scope", scope, "participants", participants, "copies_in_flight",
        in_flight);
    if (made && phase->kind == GPU_PHASE_WAIT)
        json_object_set_new(made, "products_in_flight", json_integer(phase->in_flight));
    return made;
}

static json_t *buffer_json(const struct gpu_pipeline *p, const struct gpu_buffer *buffer)
{
    json_t *slots = json_array();
    char name[80];
    for (int i = 0; i < gpu_buffer_slots(p, buffer); i++) {
        snprintf(name, sizeof name, "%s_%d", buffer->name, i);
        report_append(&slots, json_string(name));
    }
    return json_pack("{s:s, s:o, s:s, s:I}", "logical_name", buffer->name, "slots", slots,
                     "element_type", ir_elems[buffer->elem].c_name, "elements",
                     (json_int_t)(gpu_buffer_elements(buffer) + gpu_buffer_padding(buffer)));
}

json_t *report_pipelines(const struct report_func *f)
{
    json_t *list = json_array();
    for (int i = 0; i < f->kernel->pipeline_count; i++) {
        const struct gpu_pipeline *p = f->kernel->pipelines[i];
        json_t *buffers = json_array(), *phases = json_array();
        for (int b = 0; b < p->buffer_count; b++)
            report_append(&buffers, buffer_json(p, &p->buffers[b]));
        for (int k = 0; k < p->phase_count; k++)
            report_append(&phases, phase_json(p, &p->phases[k]));
        report_append(&list, json_pack("{s:o, s:o, s:i, s:s}", "buffers", buffers, "phases", phases,
                                       "stages", p->stages, "mechanism",
                                       gpu_mechanism_names[p->mechanism]));
    }
    return list;
}

/* ---- products -------------------------------------------------------------------------------- */

bool report_product(const struct report_func *f, json_t *plan)
{
    const struct gpu_product_shape *p = &f->kernel->product;
    char layout[80];
    bool pipelined = false;
    if (!p->instruction)
        return true;
    for (int i = 0; i < f->kernel->pipeline_count; i++)
        pipelined = pipelined || f->kernel->pipelines[i]->stages > 1;
    snprintf(layout, sizeof layout, "%dx%d fragments, %s", p->fragment_rows, p->fragment_columns,
             p->instruction);
    return report_set(plan, "simdgroup_grid",
                      json_pack("[i, i]", p->group_rows, p->group_columns)) &&
           report_set(plan, "tile_shape", json_pack("[i, i, i]", p->rows, p->columns, p->inner)) &&
           report_set(plan, "double_buffer", json_boolean(pipelined)) &&
           report_set(plan, "cooperative_layout", json_string(layout));
}
