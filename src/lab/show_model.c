/* A record of any kind -> what can be drawn of it; see show.h. */
#include "lab/show.h"
#include "lab/verify.h"

#include <math.h>
#include <string.h>

enum { MAX_ROUNDS_SHOWN = 1000, MAX_LINES = 20000 };

struct reader {
    struct show_model *model;
    const json_t *root;
    const char *device; /* "gpu" or "device" */
    const char *times[SHOW_PANELS]; /* "gpu_us", "wall_us" */
    size_t lines;
};

static const json_t *at(const json_t *object, const char *key)
{
    return object ? json_object_get(object, key) : NULL;
}

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(at(object, key));
}

static double positive(const json_t *value)
{
    double number = json_number_value(value);
    return number > 0 && isfinite(number) ? number : 0;
}

static const char *device_key(const struct reader *reader, const char *before, const char *after)
{
    return arena_format(reader->model->arena, "%s%s%s", before, reader->device, after);
}

static bool has_name(const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *item = json_string_value(json_array_get(list, i));
        if (item && strcmp(item, name) == 0)
            return true;
    }
    return false;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void add_fact(struct show_model *model, const char *name, const char *value)
{
    if (!value)
        return;
    struct show_fact fact = {name, value};
    ARENA_PUSH(model->arena, &model->facts, fact);
}

static void add_facts(struct reader *reader, const json_t *machine)
{
    struct show_model *model = reader->model;
    const json_t *root = reader->root;
    const json_t *seed = at(at(root, "configuration"), "seed");
    add_fact(model, "recorded", text_at(root, "recorded_at"));
    add_fact(model, "device", text_at(machine, "device"));
    add_fact(model, "platform", text_at(machine, "platform"));
    add_fact(model, "compiler", text_at(root, "compiler_version"));
    if (json_is_integer(seed))
        add_fact(model, "seed",
                 arena_format(model->arena, "%lld", (long long)json_integer_value(seed)));
    add_fact(model, "precision", text_at(at(root, "precision_comparison"), "class"));
    for (size_t i = 0; i < json_array_size(at(root, "absent")); i++) {
        const json_t *absent = json_array_get(at(root, "absent"), i);
        const char *name = text_at(absent, "name"), *reason = text_at(absent, "reason");
        if (name)
            add_fact(model, "absent", arena_format(model->arena, "%s: %s", name,
                                                   reason ? reason : "no reason given"));
    }
}

/* Whether the record agrees with itself stands beside what it says. */
static void add_verification(struct show_model *model, const json_t *root, const char *path)
{
    const char *error = NULL;
    struct verify v = {.arena = model->arena, .root = root, .path = path};
    if (!verify_record(&v, &error)) {
        if (at(root, "cases_left_out"))
            add_fact(model, "verified", arena_format(model->arena, "NO: it %s", error));
        return;
    }
    add_fact(model, "verified",
             v.problem_count
                 ? arena_format(model->arena, "NO: it disagrees with itself in %zu place%s",
                                v.problem_count, v.problem_count == 1 ? "" : "s")
                 : "what can be computed again agrees");
}

static void add_guard(struct show_model *model, int panel, double speedup, const char *text)
{
    if (!(speedup > 0) || model->guard_count[panel] == SHOW_MAX_GUARDS)
        return;
    model->guards[panel][model->guard_count[panel]++] = (struct show_guard){speedup, text};
}

/* A ratio guard of 1.03 is a speed-up of 1 / 1.03. */
static void add_ratio_guard(struct show_model *model, int panel, double ratio, const char *what)
{
    if (ratio > 0)
        add_guard(model, panel, 1 / ratio,
                  arena_format(model->arena, "%s at most %gx the control's time", what, ratio));
}

/* ---- lines ----------------------------------------------------------------------------------- */

static struct show_group *add_group(struct reader *reader, const char *label)
{
    struct show_model *model = reader->model;
    struct show_group group = {.label = label ? label : "?"};
    ARENA_PUSH(model->arena, &model->groups, group);
    return &model->groups.items[model->groups.count - 1];
}

static struct show_line *add_line(struct reader *reader, struct show_group *group,
                                  const char *label)
{
    struct show_line line = {.label = label ? label : "?"};
    if (reader->lines++ >= MAX_LINES)
        return NULL;
    ARENA_PUSH(reader->model->arena, group, line);
    return &group->items[group->count - 1];
}

/* Not more than can be drawn; what is no speed-up is left out. */
static void set_rounds(struct reader *reader, struct show_value *value, const json_t *list)
{
    size_t count = json_array_size(list);
    count = count < MAX_ROUNDS_SHOWN ? count : MAX_ROUNDS_SHOWN;
    double *rounds = ARENA_ARRAY(reader->model->arena, double, count);
    for (size_t i = 0; i < count; i++) {
        double speedup = positive(json_array_get(list, i));
        if (speedup)
            rounds[value->round_count++] = speedup;
    }
    value->rounds = rounds;
}

static void set_value(struct reader *reader, struct show_line *line, int panel, double speedup)
{
    struct show_value *value = &line->values[panel];
    if (!(speedup > 1e-6 && speedup < 1e6))
        return;
    value->present = true;
    value->value = speedup;
    reader->model->panels[panel] = true;
}

static void set_times(struct reader *reader, struct show_line *line, const json_t *arm)
{
    for (int p = 0; p < SHOW_PANELS; p++) {
        const json_t *times = at(arm, reader->times[p]);
        set_value(reader, line, p, positive(at(times, "speedup")));
        line->values[p].candidate = positive(at(times, "candidate"));
        line->values[p].control = positive(at(times, "control"));
        set_rounds(reader, &line->values[p], at(times, "round_speedups"));
    }
}

/* ---- comparisons, tunings, validations ------------------------------------------------------- */

/* The gate's lists of failing cases for one arm: of a comparison under the control's name, of a
 * tuning under the variant's score, of a validation the only ones. */
static const json_t *gate_of(const struct reader *reader, const char *arm)
{
    const json_t *gate = at(reader->root, "promotion_gate");
    const json_t *scores = at(at(reader->root, "selection"), "scores");
    const json_t *comparisons = at(gate, "comparisons");
    const char *control = text_at(reader->root, "control");
    for (size_t i = 0; i < json_array_size(scores); i++) {
        const json_t *score = json_array_get(scores, i);
        const char *name = text_at(at(score, "variant"), "name");
        if (name && strcmp(name, arm) == 0)
            return at(score, "training_gate");
    }
    if (comparisons)
        return at(comparisons, arm);
    return control && strcmp(control, arm) == 0 ? gate : NULL;
}

static void mark_failures(const struct reader *reader, const char *name, struct show_line *line)
{
    const json_t *gate = gate_of(reader, line->label);
    line->values[SHOW_DEVICE].fails =
        has_name(at(gate, device_key(reader, "failed_", "_cases")), name) ||
        has_name(at(gate, device_key(reader, "failed_aligned_throughput_", "_cases")), name) ||
        has_name(at(gate, device_key(reader, "failed_ragged_", "_cases")), name);
    line->values[SHOW_WALL].fails = has_name(at(gate, "failed_wall_cases"), name);
}

/* Why a case has no times: the first arm that failed. */
static const char *first_error(const struct reader *reader, const json_t *item)
{
    const char *arm;
    json_t *correctness;
    json_object_foreach((json_t *)at(item, "correctness"), arm, correctness) {
        const char *error = text_at(correctness, "error");
        if (error)
            return arena_format(reader->model->arena, "%s: %.200s", arm, error);
    }
    const char *refused = text_at(reader->root, "timing_refused");
    return arena_format(reader->model->arena, "all %zu arms are right; %s",
                        json_object_size(at(item, "correctness")), refused ? refused : "not timed");
}

static void read_cases(struct reader *reader)
{
    const json_t *cases = at(reader->root, "cases");
    const char *chosen = text_at(at(at(reader->root, "selection"), "selected"), "name");
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *item = json_array_get(cases, i), *summary = at(item, "summary");
        const char *name = text_at(item, "name"), *arm;
        struct show_group *group = add_group(reader, name);
        json_t *times;
        if (!json_object_size(summary))
            group->note = first_error(reader, item);
        json_object_foreach((json_t *)summary, arm, times) {
            struct show_line *line = add_line(reader, group, arm);
            if (!line)
                return;
            line->chosen = chosen && strcmp(chosen, arm) == 0;
            set_times(reader, line, times);
            mark_failures(reader, name ? name : "", line);
        }
    }
}

static void read_comparison_guards(struct reader *reader)
{
    const json_t *gate = at(reader->root, "promotion_gate");
    struct show_model *model = reader->model;
    double least = positive(at(gate, device_key(reader, "", "_speedup_minimum")));
    if (least)
        add_guard(model, SHOW_DEVICE, least,
                  arena_format(model->arena, "throughput cases at least %g", least));
    add_ratio_guard(model, SHOW_WALL, positive(at(gate, "wall_latency_ratio_maximum")),
                    "every case");
}

static void read_tiling_guards(struct reader *reader)
{
    const json_t *policy = at(reader->root, "gate_policy");
    struct show_model *model = reader->model;
    double least = positive(at(policy, device_key(reader, "aligned_throughput_",
                                                  "_speedup_minimum")));
    if (least)
        add_guard(model, SHOW_DEVICE, least,
                  arena_format(model->arena, "aligned throughput cases at least %g", least));
    add_ratio_guard(model, SHOW_DEVICE,
                    positive(at(policy, device_key(reader, "every_ragged_case_",
                                                   "_latency_ratio_maximum"))),
                    "ragged cases");
    add_ratio_guard(model, SHOW_WALL,
                    positive(at(policy, "every_case_wall_latency_ratio_maximum")), "every case");
}

static void read_noise(struct reader *reader)
{
    const json_t *floor = at(reader->root, "noise_floor");
    double device = positive(at(floor, device_key(reader, "", "_latency_ratio")));
    double wall = positive(at(floor, "wall_latency_ratio"));
    reader->model->noise[SHOW_DEVICE] = device > 1 ? device : 0;
    reader->model->noise[SHOW_WALL] = wall > 1 ? wall : 0;
}

static void read_verdict(struct reader *reader)
{
    const json_t *passed = at(at(reader->root, "promotion_gate"), "passed");
    const char *chosen = text_at(at(at(reader->root, "selection"), "selected"), "name");
    struct show_model *model = reader->model;
    if (json_is_boolean(passed))
        model->verdict = json_is_true(passed) ? "the gate is passed" : "the gate is not passed";
    else if (chosen)
        model->verdict = arena_format(model->arena, "chosen: %s", chosen);
}

static void read_comparison(struct reader *reader)
{
    add_facts(reader, reader->root);
    read_comparison_guards(reader);
    read_tiling_guards(reader);
    read_noise(reader);
    read_verdict(reader);
    read_cases(reader);
}

/* ---- a selection without its measurements ---------------------------------------------------- */

static void read_score(struct reader *reader, const json_t *score, const char *chosen)
{
    struct show_model *model = reader->model;
    const char *name = text_at(at(score, "variant"), "name");
    struct show_group *group = add_group(reader, name);
    const json_t *failures = at(score, "regression_guard_failures");
    const json_t *gate = at(score, "training_gate");
    double least =
        positive(at(score, device_key(reader, "minimum_aligned_throughput_", "_speedup")));
    double mean =
        positive(at(score, device_key(reader, "geomean_aligned_throughput_", "_speedup")));
    struct show_line *first = add_line(reader, group, "least");
    struct show_line *second = add_line(reader, group, "geometric mean");
    if (!first || !second)
        return;
    first = &group->items[0]; /* the list may have moved */
    set_value(reader, first, SHOW_DEVICE, least);
    set_value(reader, second, SHOW_DEVICE, mean);
    first->values[SHOW_DEVICE].fails =
        json_array_size(at(gate, device_key(reader, "failed_aligned_throughput_", "_cases"))) > 0;
    bool is_chosen = chosen && name && strcmp(chosen, name) == 0;
    group->note = text_at(score, "error");
    if (json_is_integer(failures))
        group->note = arena_format(model->arena, "%lld guard%s fail%s%s",
                                   (long long)json_integer_value(failures),
                                   json_integer_value(failures) == 1 ? "" : "s",
                                   json_integer_value(failures) == 1 ? "s" : "",
                                   is_chosen ? "; chosen" : "");
}

static void read_selection(struct reader *reader)
{
    const json_t *selection = at(reader->root, "selection"), *scores = at(selection, "scores");
    const char *chosen = text_at(at(selection, "selected"), "name");
    reader->model->group_word = "variant";
    reader->model->line_word = "aligned cases";
    add_facts(reader, reader->root);
    add_fact(reader->model, "rule", text_at(selection, "rule"));
    read_tiling_guards(reader);
    reader->model->guard_count[SHOW_DEVICE] = reader->model->guard_count[SHOW_DEVICE] ? 1 : 0;
    read_verdict(reader);
    for (size_t i = 0; i < json_array_size(scores); i++)
        read_score(reader, json_array_get(scores, i), chosen);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Ratios of the processes in their order are the spread. */
static void set_process_times(struct reader *reader, struct show_line *line, const json_t *item)
{
    for (int p = 0; p < SHOW_PANELS; p++) {
        const json_t *times = at(item, reader->times[p]), *samples = at(times, "samples");
        const json_t *a = at(samples, "baseline"), *b = at(samples, "current");
        struct show_value *value = &line->values[p];
        size_t count = json_array_size(a) < json_array_size(b) ? json_array_size(a)
                                                               : json_array_size(b);
        count = count < MAX_ROUNDS_SHOWN ? count : MAX_ROUNDS_SHOWN;
        double *rounds = ARENA_ARRAY(reader->model->arena, double, count);
        set_value(reader, line, p, positive(at(times, "speedup")));
        value->control = positive(at(times, "baseline"));
        value->candidate = positive(at(times, "current"));
        for (size_t i = 0; i < count; i++) {
            double x = positive(json_array_get(a, i)), y = positive(json_array_get(b, i));
            if (x && y)
                rounds[value->round_count++] = x / y;
        }
        value->rounds = rounds;
    }
}

static void read_processes(struct reader *reader)
{
    const json_t *comparisons = at(reader->root, "comparisons");
    const json_t *first = json_array_get(at(at(reader->root, "samples"), "current"), 0);
    add_facts(reader, first);
    read_noise(reader);
    read_verdict(reader);
    for (size_t i = 0; i < json_array_size(comparisons); i++) {
        const json_t *item = json_array_get(comparisons, i);
        const char *status = text_at(item, "status");
        struct show_group *group = add_group(reader, text_at(item, "name"));
        struct show_line *line = add_line(reader, group, "baseline");
        if (!line)
            return;
        set_process_times(reader, line, item);
        if (status && strcmp(status, "ok") != 0)
            group->note = status;
    }
}

static void put_time(struct text *note, const char *what, double microseconds)
{
    text_format(note, "%s ", what);
    text_measured(note, microseconds);
    text_string(note, " us, ");
}

/* One process has nothing to be compared with: what it says of each case, in words. */
static const char *sample_note(const struct reader *reader, const json_t *item)
{
    const json_t *timing = at(item, "timing"), *correctness = at(item, "correctness");
    double device = positive(at(timing, reader->times[SHOW_DEVICE]));
    double wall = positive(at(timing, reader->times[SHOW_WALL]));
    const char *error = text_at(item, "error"), *status = text_at(item, "status");
    struct text note;
    if (error)
        return error;
    text_init(&note, reader->model->arena);
    if (device)
        put_time(&note, reader->model->panel_titles[SHOW_DEVICE], device);
    if (wall)
        put_time(&note, "wall time", wall);
    if (!timing)
        text_format(&note, "%s, ", status ? status : "not timed");
    text_format(&note, "greatest error %.3g",
                json_number_value(at(correctness, "max_absolute_error")));
    return note.items;
}

static void read_sample(struct reader *reader)
{
    const json_t *cases = at(reader->root, "cases");
    reader->model->line_word = "what it takes";
    add_facts(reader, reader->root);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *item = json_array_get(cases, i);
        add_group(reader, text_at(item, "name"))->note = sample_note(reader, item);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const char *title_of(const struct reader *reader, const char *path)
{
    const char *name = text_at(reader->root, "experiment"), *kind = text_at(reader->root, "kind");
    if (name)
        return kind ? arena_format(reader->model->arena, "%s: %s", name, kind) : name;
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool show_model_make(struct arena *arena, const json_t *record, const char *path,
                     struct show_model *model, const char **error)
{
    const char *word = verify_device_word(record);
    bool device = word && strcmp(word, "device") == 0;
    *model = (struct show_model){.arena = arena, .group_word = "case", .line_word = "against"};
    struct reader reader = {.model = model,
                            .root = record,
                            .device = device ? "device" : "gpu",
                            .times = {device ? "device_us" : "gpu_us", "wall_us"}};
    model->title = title_of(&reader, path);
    model->panel_titles[SHOW_DEVICE] = device ? "device time" : "GPU time";
    model->panel_titles[SHOW_WALL] = "wall time";
    if (json_is_object(at(record, "samples")) && json_is_array(at(record, "comparisons")))
        read_processes(&reader);
    else if (text_at(record, "kind") && strcmp(text_at(record, "kind"), "sample") == 0)
        read_sample(&reader);
    else if (json_is_array(at(record, "cases")) && at(record, "promotion_gate"))
        read_comparison(&reader);
    else if (at(at(record, "selection"), "scores") &&
             !at(json_array_get(at(record, "cases"), 0), "correctness"))
        read_selection(&reader);
    else if (at(at(record, "selection"), "scores"))
        read_comparison(&reader);
    else {
        *error = "is not a record that can be shown: a comparison, tuning, selection, validation, "
                 "sample or comparison of processes is expected";
        return false;
    }
    add_verification(model, record, path);
    return true;
}
