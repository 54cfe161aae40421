/* What all reports have in common; see report.h. */
#include "report/parts.h"

#include <string.h>

bool report_set(json_t *object, const char *field, json_t *value)
{
    return json_object_set_new(object, field, value) == 0;
}

void report_append(json_t **list, json_t *item)
{
    if (json_array_append_new(*list, item) == 0)
        return;
    json_decref(*list);
    *list = NULL;
}

json_t *report_strings(const char *const *items, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        report_append(&list, json_string(items[i]));
    return list;
}

json_t *report_line(const struct ir_op *op)
{
    if (!op->range.file)
        return json_null();
    return json_integer(source_locate(op->range.file, op->range.begin).line);
}

static json_t *values(const struct report_constant *items, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        if (!report_set(object, items[i].name, json_string(items[i].value))) {
            json_decref(object);
            return NULL;
        }
    return object;
}

json_t *report_new(const struct report_head *head)
{
    static const char *const lists[] = {"loops",         "allocations",
                                        "grouped_loads", "grouped_stores",
                                        "value_layouts", "layout_conversions",
                                        "reductions",    "register_reductions",
                                        "pipelines",     "notes"};
    static const char *const counts[] = {"vectorized_loads", "epilogue_regions"};
    json_t *report = json_object();
    bool fine = report_set(report, "schema", json_string(REPORT_SCHEMA)) &&
                report_set(report, "target", json_string(head->target)) &&
                report_set(report, "kernel", json_string(head->kernel)) &&
                report_set(report, "constants", values(head->constants, head->constant_count)) &&
                report_set(report, "fixed", values(head->fixed, head->fixed_count)) &&
                report_set(report, "plan", json_null()) &&
                report_set(report, "passes", report_strings(head->passes, head->pass_count)) &&
                report_set(report, "double_buffered", json_false()) &&
                report_set(report, "layout_optimizations", json_null()) &&
                report_set(report, "barriers", json_null());
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        fine = fine && report_set(report, lists[i], json_array());
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        fine = fine && report_set(report, counts[i], json_integer(0));
    fine = fine && report_set(report, "operations", json_object()) &&
           report_set(report, "toolchain", json_null());
    if (fine)
        return report;
    json_decref(report);
    return NULL;
}

static bool count_op(struct ir_op *op, void *user)
{
    int *counts = user;
    counts[op->code]++;
    return true;
}

json_t *report_operations(const struct ir_func *func)
{
    int counts[GPU_OP_END] = {0};
    json_t *object = json_object();
    ir_walk(func->body, count_op, counts);
    for (int code = 0; code < GPU_OP_END; code++)
        if (counts[code] && !report_set(object, ir_ops[code].name, json_integer(counts[code]))) {
            json_decref(object);
            return NULL;
        }
    return object;
}

bool report_toolchain(json_t *report, const char *field, json_t *value)
{
    json_t *toolchain = json_object_get(report, "toolchain");
    if (!json_is_object(toolchain)) {
        toolchain = json_object();
        if (!report_set(report, "toolchain", toolchain)) {
            json_decref(value);
            return false;
        }
    }
    return report_set(toolchain, field, value);
}

json_t *report_interp(const struct report_head *head, const struct ir_func *func)
{
    json_t *report = report_new(head);
    json_t *plan = json_pack("{s:s, s:[s]}", "backend", "interp", "reasons",
                             "the interpreter follows the kernel as it was written");
    json_t *notes = json_pack("[s]", "Nothing is generated: operations are those of Tile IR.");
    bool fine = report_set(report, "plan", plan) && report_set(report, "notes", notes) &&
                report_set(report, "operations", report_operations(func));
    if (fine)
        return report;
    json_decref(report);
    return NULL;
}
