/* The report of a kernel for a GPU; see report.h. */
#include "gpu/pipeline.h"
#include "report/parts.h"

#include <stdio.h>
#include <string.h>

/* ---- layouts --------------------------------------------------------------------------------- */

static json_t *numbers(const uint32_t *items, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        report_append(&list, json_integer(items[i]));
    return list;
}

/* Physical bits are the thread's, with the register bits above them: as layout() in the language.
 * False where a bit is replicated or made of several. */
static bool bit_order(const struct layout *layout, uint32_t *order)
{
    int places = layout_place_bits(layout), registers = layout->register_bits;
    bool seen[LAYOUT_MAX_BITS] = {false};
    if (places != layout->element_bits)
        return false;
    for (int place = 0; place < places; place++) {
        uint32_t column = layout->basis[place];
        int logical = column ? __builtin_ctz(column) : 0;
        if (!column || column & (column - 1) || seen[logical])
            return false;
        seen[logical] = true;
        order[logical] =
            (uint32_t)(place < registers ? places - registers + place : place - registers);
    }
    return true;
}

/* The explicit form where there is one, else the columns of the map, of registers, lanes, groups.
 */
static json_t *layout_json(const struct layout *layout)
{
    uint32_t order[LAYOUT_MAX_BITS];
    int registers = layout->register_bits, lanes = layout->lane_bits;
    if (bit_order(layout, order))
        return json_pack("{s:o, s:I, s:i}", "bit_order", numbers(order, layout->element_bits),
                         "xor_mask", (json_int_t)layout->offset, "elements_per_thread",
                         1 << registers);
    return json_pack("{s:o, s:o, s:o, s:I, s:i}", "register_basis",
                     numbers(layout->basis, registers), "lane_basis",
                     numbers(layout->basis + registers, lanes), "group_basis",
                     numbers(layout->basis + registers + lanes, layout->group_bits), "xor_mask",
                     (json_int_t)layout->offset, "elements_per_thread", 1 << registers);
}

static json_t *shape_json(struct ir_type type)
{
    json_t *list = json_array();
    for (int i = 0; i < type.rank; i++)
        report_append(&list, json_integer(type.dims[i]));
    return list;
}

static json_t *value_layouts(const struct gpu_kernel *kernel)
{
    json_t *list = json_array();
    for (int i = 0; i < kernel->value_layout_count; i++) {
        const struct gpu_value_layout *v = &kernel->value_layouts[i];
        json_t *item =
            json_pack("{s:s, s:s, s:o, s:o, s:i}", "value", v->name, "dtype",
                      ir_elems[v->type.elem].name, "shape", shape_json(v->type), "layout",
                      layout_json(&v->layout), "elements_per_thread", 1 << v->layout.register_bits);
        report_append(&list, item);
    }
    return list;
}

static json_t *conversions(const struct gpu_kernel *kernel)
{
    json_t *list = json_array();
    for (int i = 0; i < kernel->conversion_count; i++) {
        const struct gpu_conversion *c = &kernel->conversions[i];
        report_append(&list, json_pack("{s:s, s:i, s:i}", "mechanism", c->mechanism, "elements",
                                       c->elements, "scratch_bytes", c->scratch_bytes));
    }
    return list;
}

static json_t *layout_optimizations(const struct gpu_kernel *kernel)
{
    const struct gpu_layout_counts *counts = &kernel->layout_counts;
    return json_pack("{s:i, s:i, s:i, s:i, s:i}", "conversions_before", counts->before,
                     "conversions_after", counts->after, "identities_removed", counts->identities,
                     "inverse_pairs_cancelled", counts->inverses, "chains_composed",
                     counts->compositions);
}

/* ---- plan ------------------------------------------------------------------------------------ */

static int most_per_thread(const struct gpu_kernel *kernel)
{
    int most = 1;
    for (int i = 0; i < kernel->value_layout_count; i++)
        if (1 << kernel->value_layouts[i].layout.register_bits > most)
            most = 1 << kernel->value_layouts[i].layout.register_bits;
    return most;
}

static json_t *plan_json(const struct report_func *f)
{
    char layout[80];
    const struct gpu_kernel *kernel = f->kernel;
    const struct gpu_plan *plan = kernel->plan;
    int each = most_per_thread(kernel);
    if (each == 1)
        snprintf(layout, sizeof layout, "scalar lanes");
    else
        snprintf(layout, sizeof layout, "at most %d elements of a tile per thread", each);
    json_t *width = plan->required_width ? json_integer(plan->vector_width) : json_null();
    int threads = kernel->threads / kernel->blocks * kernel->programs;
    json_t *programs = kernel->programs > 1 ? json_integer(kernel->programs) : NULL;
    json_t *blocks = kernel->blocks > 1 ? json_integer(kernel->blocks) : NULL;
    return json_pack("{s:s, s:[i, i, i], s:o*, s:o*, s:n, s:o, s:s, s:o, s:n, s:o, s:s, s:b}",
                     "backend", gpu_backend_names[plan->backend], "threadgroup_size", threads, 1, 1,
                     "blocks_per_program", blocks, "programs_per_block", programs, "simdgroup_grid",
                     "tile_shape", shape_json(plan->tile), "staging",
                     kernel->pipeline_count || report_staged_loads(f) ? "threadgroup" : "device",
                     "vector_width", width, "double_buffer", "reasons",
                     report_strings(plan->reasons, plan->reason_count), "cooperative_layout",
                     layout, "outer_bounds_proven", report_masked_accesses(f) == 0);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static json_t *notes(const struct gpu_kernel *kernel)
{
    json_t *list = report_strings(kernel->notes, kernel->note_count);
    report_append(
        &list, json_string("Widths are those of the operations in GPU IR, not of the machine's."));
    return list;
}

/* Behind the passes of Tile IR; a name once. */
static bool add_passes(json_t *report, const struct gpu_kernel *kernel)
{
    json_t *list = json_object_get(report, "passes");
    for (int i = 0; i < kernel->pass_count; i++) {
        size_t k = 0;
        while (k < json_array_size(list) &&
               strcmp(json_string_value(json_array_get(list, k)), kernel->passes[i]) != 0)
            k++;
        if (k == json_array_size(list) &&
            json_array_append_new(list, json_string(kernel->passes[i])) != 0)
            return false;
    }
    return true;
}

/* Names by id; "v7" for a value that has only its number. */
static const char **value_names(const struct ir_func *func, struct arena *arena)
{
    int count;
    const char **names = ir_names(func, arena, &count);
    for (int i = 0; i < count; i++)
        if (names[i][0] >= '0' && names[i][0] <= '9')
            names[i] = arena_format(arena, "v%s", names[i]);
    return names;
}

static bool is_double_buffered(const struct gpu_kernel *kernel)
{
    bool found = false;
    for (int i = 0; i < kernel->pipeline_count; i++)
        found = found || kernel->pipelines[i]->stages > 1;
    return found;
}

json_t *report_gpu(const struct report_head *head, const struct gpu_kernel *kernel,
                   struct arena *arena)
{
    struct report_func f = {kernel, kernel->func, value_names(kernel->func, arena)};
    json_t *report = report_new(head); /* from here on nothing is taken from the arena */
    bool fine = report_set(report, "plan", plan_json(&f)) &&
                report_product(&f, json_object_get(report, "plan")) &&
                add_passes(report, kernel) &&
                report_set(report, "pipelines", report_pipelines(&f)) &&
                report_set(report, "double_buffered", json_boolean(is_double_buffered(kernel))) &&
                report_set(report, "loops", report_loops(&f)) &&
                report_set(report, "allocations", report_allocations(&f)) &&
                report_set(report, "vectorized_loads", json_integer(report_staged_loads(&f))) &&
                report_set(report, "grouped_loads", report_grouped(&f, true)) &&
                report_set(report, "grouped_stores", report_grouped(&f, false)) &&
                report_set(report, "barriers", report_barriers(&f)) &&
                report_set(report, "value_layouts", value_layouts(kernel)) &&
                report_set(report, "layout_conversions", conversions(kernel)) &&
                report_set(report, "layout_optimizations", layout_optimizations(kernel)) &&
                report_set(report, "reductions", report_reductions(&f, false)) &&
                report_set(report, "register_reductions", report_reductions(&f, true)) &&
                report_set(report, "operations", report_operations(kernel->func)) &&
                report_set(report, "notes", notes(kernel));
    if (fine)
        return report;
    json_decref(report);
    return NULL;
}
