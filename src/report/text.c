/*
 * A report for people: what the kernel became, a line for each thing. Fields that are empty or
 * null, and the layouts of all values, are left out; JSON has them.
 */
#include "report/report.h"

#include "base/json_text.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

static long long number_of(const json_t *object, const char *field)
{
    return json_integer_value(json_object_get(object, field));
}

enum { LINE = 100 };

/* "load 34, store 2", in lines that go on below the first one; without those that `keeps` refuses.
 */
static void counts(const json_t *object, bool (*keeps)(const char *name), int indent,
                   struct text *out)
{
    const char *name, *separator = "";
    json_t *count;
    size_t begin = out->count;
    json_object_foreach((json_t *)object, name, count)
    {
        if (keeps && !keeps(name))
            continue;
        text_string(out, separator);
        separator = ",";
        if (out->count - begin + strlen(name) > LINE) {
            text_format(out, "\n%*s", indent, "");
            begin = out->count;
        } else if (out->count > begin) {
            text_char(out, ' ');
        }
        text_format(out, "%s %lld", name, (long long)json_integer_value(count));
    }
}

/* ---- one line for an item of each list ------------------------------------------------------- */

/* What is done with data; not counters, addresses and branches. */
static bool is_work(const char *name)
{
    static const char *const others[] = {"add",    "and",   "bitcast", "br",   "getelementptr",
                                         "icmp",   "phi",   "select",  "sext", "sub",
                                         "switch", "trunc", "zext"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return true;
}

/* A loop of the CPU is named after its op and line; what follows the op only tells it from others.
 */
static void loop_name(const json_t *item, struct text *out)
{
    const char *name = json_text_at(item, "induction_variable");
    const json_t *part = json_object_get(item, "function"), *line = json_object_get(item, "line");
    bool by_op = part && json_is_integer(line);
    text_format(out, "%*s", 2 * (int)number_of(item, "depth"), "");
    if (json_is_string(part))
        text_format(out, "%s, ", json_string_value(part));
    int length = (int)(by_op ? strcspn(name, ".") : strlen(name));
    while (!by_op && part && length > 1 && isdigit((unsigned char)name[length - 1]))
        length--; /* LLVM's, which tells blocks of one name from each other */
    text_format(out, "%.*s", length, name);
    if (json_is_integer(line))
        text_format(out, " (line %lld)", (long long)json_integer_value(line));
}

static void loop_line(const json_t *item, struct text *out)
{
    const json_t *operations = json_object_get(item, "operations");
    loop_name(item, out);
    text_format(out, ": %s", json_text_at(item, "kind"));
    if (number_of(item, "lanes") > 1)
        text_format(out, ", %lld lanes", number_of(item, "lanes"));
    bool is_counter =
        strcmp(json_text_at(item, "kind"), "scalar") == 0; /* its step is the user's */
    if (number_of(item, "elements_per_lane") > 1 && !is_counter)
        text_format(out, ", %lld elements each", number_of(item, "elements_per_lane"));
    if (number_of(item, "iteration_step") > 1)
        text_format(out, ", steps of %lld", number_of(item, "iteration_step"));
    size_t before = out->count;
    text_string(out, "; ");
    size_t start = out->count;
    counts(operations, is_work, 8, out);
    if (out->count == start)
        out->count = before;
}

static void allocation_line(const json_t *item, struct text *out)
{
    text_format(out, "%s: %lld of %s, %lld bytes", json_text_at(item, "name"),
                number_of(item, "elements"), json_text_at(item, "element_type"),
                number_of(item, "bytes"));
}

static void access_line(const json_t *item, struct text *out)
{
    text_format(out, "%s: %lld elements, %lld bytes%s", json_text_at(item, "array"),
                number_of(item, "elements"), number_of(item, "bytes"),
                json_is_true(json_object_get(item, "aligned")) ? ", aligned" : "");
    if (json_is_string(json_object_get(item, "loop")))
        text_format(out, ", in loop %s", json_text_at(item, "loop"));
}

static void barrier_line(const json_t *item, struct text *out)
{
    text_string(out, json_text_at(item, "scope"));
    if (json_is_string(json_object_get(item, "loop")))
        text_format(out, ", in loop %s", json_text_at(item, "loop"));
}

static void reduction_line(const json_t *item, struct text *out)
{
    text_format(out, "%s: %s of %s, %lld of each of %lld threads", json_text_at(item, "value"),
                json_text_at(item, "operation"), json_text_at(item, "dtype"),
                number_of(item, "elements_per_thread"), number_of(item, "threads"));
    if (json_is_string(json_object_get(item, "scratch")))
        text_format(out, ", through %s", json_text_at(item, "scratch"));
}

static void conversion_line(const json_t *item, struct text *out)
{
    text_format(out, "%lld elements by %s", number_of(item, "elements"),
                json_text_at(item, "mechanism"));
    if (number_of(item, "scratch_bytes"))
        text_format(out, ", %lld bytes", number_of(item, "scratch_bytes"));
}

static void string_line(const json_t *item, struct text *out)
{
    text_string(out, json_string_value(item) ? json_string_value(item) : "");
}

static const struct {
    const char *field, *title;
    void (*line)(const json_t *item, struct text *out);
} lists[] = {
    {"loops", "loops", loop_line},
    {"grouped_loads", "vector loads", access_line},
    {"grouped_stores", "vector stores", access_line},
    {"allocations", "threadgroup memory", allocation_line},
    {"barriers", "barriers", barrier_line},
    {"reductions", "reductions", reduction_line},
    {"layout_conversions", "layout conversions", conversion_line},
    {"notes", "notes", string_line},
};

/* How many items from `at` on say the same. */
static size_t alike(const json_t *list, size_t at)
{
    size_t count = 1;
    while (json_equal(json_array_get(list, at), json_array_get(list, at + count)))
        count++;
    return count;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void joined(const json_t *list, const char *title, struct text *out)
{
    const json_t *item;
    size_t i;
    if (!json_array_size(list))
        return;
    text_format(out, "%s: ", title);
    json_array_foreach((json_t *)list, i, item)
        text_format(out, "%s%s", i ? ", " : "", json_string_value(item));
    text_char(out, '\n');
}

static void reasons(const json_t *list, struct text *out)
{
    const json_t *item;
    size_t i;
    json_array_foreach((json_t *)list, i, item)
        text_format(out, "%s%s\n", i ? "         " : "because: ", json_string_value(item));
}

static void scalar(const char *name, const json_t *value, struct text *out)
{
    if (json_is_string(value))
        text_format(out, "  %s: %s\n", name, json_string_value(value));
    else if (json_is_integer(value))
        text_format(out, "  %s: %lld\n", name, (long long)json_integer_value(value));
    else if (json_is_boolean(value))
        text_format(out, "  %s: %s\n", name, json_is_true(value) ? "yes" : "no");
    else if (json_is_real(value))
        text_format(out, "  %s: %g\n", name, json_real_value(value));
}

static void scalars(json_t *object, const char *title, struct text *out)
{
    const char *name;
    json_t *value;
    if (!json_object_size(object))
        return;
    text_format(out, "%s:\n", title);
    json_object_foreach(object, name, value) scalar(name, value, out);
}

/* A program has a threadgroup of its own, or several, or a part of one. */
static void threads(const json_t *plan, struct text *out)
{
    const json_t *size = json_array_get(json_object_get(plan, "threadgroup_size"), 0);
    long long count = json_integer_value(size), blocks = number_of(plan, "blocks_per_program");
    if (!size)
        return;
    if (blocks > 1)
        text_format(out, ", %lld threads per program in %lld blocks of %lld", blocks * count,
                    blocks, count);
    else if (number_of(plan, "programs_per_block") > 1)
        text_format(out, ", %lld threads per block of %lld programs", count,
                    number_of(plan, "programs_per_block"));
    else
        text_format(out, ", %lld threads per program", count);
}

void report_text(const json_t *report, struct text *out)
{
    const json_t *plan = json_object_get(report, "plan");
    text_format(out, "kernel '%s' for the target '%s'", json_text_at(report, "kernel"),
                json_text_at(report, "target"));
    threads(plan, out);
    text_char(out, '\n');
    scalars(json_object_get(report, "constants"), "constants", out);
    scalars(json_object_get(report, "fixed"), "fixed", out);
    scalars((json_t *)plan, "plan", out);
    reasons(json_object_get(plan, "reasons"), out);
    joined(json_object_get(report, "passes"), "passes that changed something", out);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        json_t *list = json_object_get(report, lists[l].field), *item;
        size_t i;
        if (json_array_size(list))
            text_format(out, "%s:\n", lists[l].title);
        json_array_foreach(list, i, item)
        {
            text_string(out, "  ");
            lists[l].line(item, out);
            size_t times = alike(list, i);
            if (times > 1)
                text_format(out, ", %zu times", times);
            i += times - 1;
            text_char(out, '\n');
        }
    }
    if (json_object_size(json_object_get(report, "operations"))) {
        text_string(out, "operations:\n  ");
        counts(json_object_get(report, "operations"), NULL, 2, out);
        text_char(out, '\n');
    }
    scalars(json_object_get(report, "toolchain"), "toolchain", out);
}
