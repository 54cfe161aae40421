/* What holds for cases apart from their times; see verify.h. */
#include "base/json_text.h"
#include "base/sha256.h"
#include "lab/verify.h"

#include <math.h>
#include <string.h>

enum { MAX_SIZE = 1 << 20, MAX_ELEMENTS = 1 << 26, MAX_ELEMENTS_OF_ALL = 1 << 28 };

/* ---- names and sizes ------------------------------------------------------------------------- */

static bool read_size(struct verify *v, const struct place *place, int64_t *size)
{
    if (!verify_whole(v, place, size))
        return false;
    if (*size < 1 || *size > MAX_SIZE)
        return verify_wrong(v, place, "is not from 1 to %d", MAX_SIZE);
    return true;
}

static bool read_sizes(struct verify *v, const struct lab_problem *problem,
                       const struct place *place, int64_t *sizes)
{
    if (!problem->list) {
        for (int d = 0; d < problem->dimension_count; d++) {
            struct place size = place_key(place, problem->dimensions[d]);
            if (!read_size(v, &size, &sizes[d]))
                return false;
        }
        return true;
    }
    struct place list = place_key(place, problem->list);
    if (!verify_list(v, &list))
        return false;
    if (place_count(&list) != (size_t)problem->dimension_count)
        return verify_wrong(v, &list, "%d sizes are expected", problem->dimension_count);
    for (int d = 0; d < problem->dimension_count; d++) {
        struct place size = place_item(&list, (size_t)d);
        if (!read_size(v, &size, &sizes[d]))
            return false;
    }
    return true;
}

/* The name says dtype and sizes, so neither can be altered alone. */
static void confirm_name(struct verify *v, const struct lab_problem *problem,
                         const struct place *place)
{
    struct place dtype = place_key(place, "dtype");
    verify_confirm(v, &dtype);
    for (int d = 0; !problem->list && d < problem->dimension_count; d++) {
        struct place size = place_key(place, problem->dimensions[d]);
        verify_confirm(v, &size);
    }
    if (problem->list) {
        struct place list = place_key(place, problem->list);
        verify_confirm_all(v, &list);
    }
}

static bool read_case(struct verify *v, struct verify_cases *cases, size_t i)
{
    struct verify_case *item = &cases->items[i];
    struct lab_case *c = &cases->cases[i];
    item->place = place_item(&cases->list, i);
    item->c = c;
    item->comparable = true;
    c->index = i;
    if (!verify_object(v, &item->place))
        return false;
    struct place name = place_key(&item->place, "name"), dtype = place_key(&item->place, "dtype");
    const char *text = verify_text(v, &dtype);
    c->name = verify_text(v, &name);
    if (!text || !c->name)
        return false;
    if (!lab_dtype_find(text, &c->dtype))
        return verify_wrong(v, &dtype, "'%.40s' is not float16 or float32", text);
    if (!read_sizes(v, cases->problem, &item->place, c->sizes))
        return false;
    if (!verify_is_text(v, &name, lab_case_name(v->arena, cases->problem, c)))
        return false;
    confirm_name(v, cases->problem, &item->place);
    item->shape = text;
    for (int d = 0; d < cases->problem->dimension_count; d++)
        if (strcmp(cases->problem->dimensions[d], "batches") != 0)
            item->shape = arena_format(v->arena, "%s %lld", item->shape, (long long)c->sizes[d]);
    return true;
}

/* Records of ours repeat which cases were declared; others must be a complete matrix. */
static bool check_declared(struct verify *v, const struct verify_cases *cases,
                           const struct place *declared)
{
    const char **names = ARENA_ARRAY(v->arena, const char *, cases->count);
    for (size_t i = 0; i < cases->count; i++)
        names[i] = cases->cases[i].name;
    if (!verify_is_names(v, declared, names, cases->count))
        return verify_wrong(v, &cases->list, "the matrix of cases is not the declared one");
    verify_confirm(v, &cases->list);
    verify_note(v, "names, types and sizes of %zu declared cases", cases->count);
    return true;
}

bool verify_cases_read(struct verify *v, const struct place *list, struct verify_cases *cases)
{
    if (!verify_list(v, list))
        return false;
    size_t count = place_count(list);
    if (count < 1 || count > LAB_MAX_CASES)
        return verify_wrong(v, list, "has %zu cases, not 1 to %d", count, LAB_MAX_CASES);
    struct place first = place_item(list, 0), shape = place_key(&first, "shape");
    *cases = (struct verify_cases){.problem = lab_problem_find(shape.json ? "gemm" : "rmsnorm"),
                                   .count = count,
                                   .cases = ARENA_ARRAY(v->arena, struct lab_case, count),
                                   .items = ARENA_ARRAY(v->arena, struct verify_case, count),
                                   .list = *list};
    for (size_t i = 0; i < count; i++)
        if (!read_case(v, cases, i))
            return false;
    struct place root = place_root(v), declared = place_key(&root, "declared_cases");
    if (declared.json)
        return check_declared(v, cases, &declared);
    int axes;
    int64_t wrong = lab_matrix_wrong(v->arena, cases->problem, cases->cases, count, &axes);
    if (wrong >= 0)
        return verify_wrong(v, list, "the matrix of cases is not complete and in order: case %lld "
                            "is not the next one", (long long)wrong);
    if (axes > 1)
        verify_confirm(v, list);
    verify_note(v, "names, types and sizes of %zu cases, a complete matrix", count);
    return true;
}

const struct verify_case *verify_case_find(const struct verify_cases *cases, const char *name)
{
    for (size_t i = 0; i < cases->count; i++)
        if (strcmp(cases->cases[i].name, name) == 0)
            return &cases->items[i];
    return NULL;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static int64_t elements_of(const struct lab_problem *problem, const struct lab_case *c)
{
    int64_t all = 0;
    for (int t = 0; t < problem->tensor_count; t++) {
        int64_t elements = 1;
        for (int r = 0; r < problem->tensors[t].rank; r++)
            elements *= c->sizes[problem->tensors[t].dimensions[r]];
        all += elements;
    }
    return all;
}

static struct verify_memo_entry *remembered(struct verify_memo *memo,
                                            const struct lab_problem *problem,
                                            const struct lab_case *c, int64_t seed)
{
    for (size_t i = 0; memo && i < memo->count; i++) {
        struct verify_memo_entry *entry = &memo->entries[i];
        if (entry->problem == problem && entry->seed == seed && entry->c.dtype == c->dtype &&
            entry->c.index == c->index &&
            memcmp(entry->c.sizes, c->sizes, sizeof c->sizes) == 0)
            return entry;
    }
    return NULL;
}

/* The hash of one case's inputs; NULL when they are too large to be made. */
static const char *input_hash(struct verify *v, const struct lab_problem *problem,
                              const struct lab_case *c, int64_t seed)
{
    const struct verify_memo_entry *entry = remembered(v->memo, problem, c, seed);
    if (entry)
        return entry->hex;
    struct lab_data data;
    char *hex = arena_alloc(v->arena, LAB_HASH_SIZE);
    int64_t elements = elements_of(problem, c);
    int64_t most = v->most_elements ? v->most_elements : MAX_ELEMENTS_OF_ALL;
    if (elements > MAX_ELEMENTS || elements > most - v->elements_made)
        return NULL;
    v->elements_made += elements;
    bool made = lab_data_make(problem, c, seed, &data);
    if (made)
        lab_data_sha256(&data, hex);
    lab_data_free(&data);
    if (!made)
        return NULL;
    if (v->memo && v->memo->count < VERIFY_MEMO_SIZE) {
        struct verify_memo_entry *fresh = &v->memo->entries[v->memo->count++];
        *fresh = (struct verify_memo_entry){.problem = problem, .c = *c, .seed = seed};
        memcpy(fresh->hex, hex, LAB_HASH_SIZE);
    }
    return hex;
}

void verify_cases_inputs(struct verify *v, const struct verify_cases *cases,
                         const struct place *seed)
{
    int64_t number;
    size_t right = 0;
    if (!verify_whole(v, seed, &number))
        return;
    for (size_t i = 0; i < cases->count; i++) {
        struct place hash = place_key(&cases->items[i].place, "input_sha256");
        const char *hex = input_hash(v, cases->problem, &cases->cases[i], number);
        if (hex && !verify_is_text(v, &hash, hex))
            return; /* the others would only repeat it */
        right += hex != NULL;
    }
    if (right)
        verify_confirm(v, seed);
    verify_note(v, "input_sha256 of %zu cases, made again from seed %lld", right,
                (long long)number);
}

/* ---- correctness ----------------------------------------------------------------------------- */

bool verify_correctness(struct verify *v, const struct place *arm)
{
    struct place passed = place_key(arm, "passed"), error = place_key(arm, "error");
    struct place worst = place_key(arm, "max_absolute_error");
    double number;
    /* Records of separate processes say it with a status instead. */
    if (passed.json && !verify_is_flag(v, &passed, !error.json))
        return false;
    if (error.json) {
        verify_text(v, &error);
        return false;
    }
    if (!verify_number(v, &worst, &number))
        return false;
    if (!(number >= 0 && isfinite(number)))
        return verify_wrong(v, &worst, "is not finite and at least 0, yet the arm passed");
    return true;
}

/* ---- sources --------------------------------------------------------------------------------- */

static void check_text(struct verify *v, const struct place *arm)
{
    static const char *const texts[] = {"source", "msl_source", "cuda_source"};
    struct place hash = place_key(arm, "source_sha256");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct place text = place_key(arm, texts[i]);
        if (!text.json)
            continue;
        const char *source = verify_text(v, &text);
        unsigned char digest[SHA256_BYTES];
        char hex[SHA256_HEX];
        struct sha256 sum;
        if (!source)
            return;
        sha256_init(&sum);
        sha256_add(&sum, source, json_string_length(text.json));
        sha256_end(&sum, digest);
        sha256_hex(digest, hex);
        if (verify_is_text(v, &hash, hex)) {
            verify_confirm(v, &text);
            v->sources++;
        }
        return;
    }
}

void verify_source(struct verify *v, const struct place *arm)
{
    struct place includes = place_key(arm, "includes");
    check_text(v, arm);
    for (size_t i = 0; i < json_array_size(includes.json); i++) {
        struct place include = place_item(&includes, i);
        check_text(v, &include);
    }
}

struct arm_groups {
    const struct place *needed;
    struct verify_group tolerance, code, error, compilation, alike;
};

/* What an arm is made of does not depend on the batches: the same text, constants and report. */
static void group_code(struct verify *v, struct arm_groups *groups, const struct verify_case *item,
                       const struct place *arm)
{
    verify_source(v, arm);
    verify_group_add(v, &groups->code, arena_format(v->arena, "%s %s", item->shape, arm->key), arm);
}

static bool is_needed(const struct place *needed, const char *arm)
{
    const char *name = json_string_value(needed->json);
    return strcmp(arm, "candidate") == 0 || json_object_get(needed->json, arm) ||
           (name && strcmp(name, arm) == 0);
}

/* What failed may not have been compared. */
static void check_not_timed(struct verify *v, const struct verify_case *item,
                            const struct place *arm)
{
    struct place summary = place_key(&item->place, "summary");
    struct place times = place_key(&summary, arm->key);
    if (times.json)
        verify_wrong(v, &times, "the arm was compared although it failed");
}

static void group_correctness(struct verify *v, struct arm_groups *groups,
                              struct verify_case *item, const struct place *arm)
{
    const char *dtype = lab_dtype_name(item->c->dtype);
    struct place rtol = place_key(arm, "rtol"), atol = place_key(arm, "atol");
    struct place worst = place_key(arm, "max_absolute_error");
    verify_group_add(v, &groups->tolerance, arena_format(v->arena, "rtol %s", dtype), &rtol);
    verify_group_add(v, &groups->tolerance, arena_format(v->arena, "atol %s", dtype), &atol);
    if (!verify_correctness(v, arm)) {
        item->comparable = item->comparable && !is_needed(groups->needed, arm->key);
        check_not_timed(v, item, arm);
        return;
    }
    const json_t *shaders = json_object_get(item->place.json, "shaders");
    const json_t *code = json_object_get(json_object_get(shaders, arm->key), "source_sha256");
    if (!code || json_object_get(json_object_get(shaders, arm->key), "constants"))
        return;
    verify_group_add(v, &groups->error,
                     arena_format(v->arena, "%s %s", item->c->name, json_string_value(code)),
                     &worst);
}

static void check_status(struct verify *v, const struct verify_case *item)
{
    struct place status = place_key(&item->place, "status");
    struct place before = place_key(&item->place, "validated_before_timing");
    struct place rounds = place_key(&item->place, "rounds");
    if (status.json)
        verify_is_text(v, &status, item->comparable ? "ok" : "incomparable");
    if (rounds.json && place_count(&rounds) && !item->comparable)
        verify_wrong(v, &rounds, "the case was timed although an arm of it failed");
    if (item->comparable || before.json)
        verify_is_flag(v, &before, true);
}

static void group_case(struct verify *v, struct arm_groups *groups, struct verify_case *item)
{
    static const char *const alike[] = {"epsilon", "candidate_layout"};
    struct place correctness = place_key(&item->place, "correctness");
    struct place shaders = place_key(&item->place, "shaders");
    struct place compilations = place_key(&item->place, "compilations"), arm;
    if (!verify_object(v, &correctness))
        return;
    PLACE_EACH(&shaders, arm)
        group_code(v, groups, item, &arm);
    PLACE_EACH(&correctness, arm)
        group_correctness(v, groups, item, &arm);
    PLACE_EACH(&compilations, arm)
        verify_group_add(v, &groups->compilation, "", &arm);
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        struct place same = place_key(&item->place, alike[i]);
        verify_group_add(v, &groups->alike, alike[i], &same);
    }
    PLACE_EACH(&shaders, arm) {
        struct place checked = place_key(&correctness, arm.key);
        struct place compiled = place_key(&compilations, arm.key);
        if (!checked.json)
            verify_wrong(v, &checked, "is missing: every arm is checked before it is timed");
        if (!compiled.json && !json_object_get(checked.json, "error"))
            verify_wrong(v, &compiled, "is missing: how the arm was compiled");
    }
    check_status(v, item);
}

/* The layout's words and numbers, which the report of the code repeats. */
static void check_layout(struct verify *v, const struct verify_case *item)
{
    struct place layout = place_key(&item->place, "candidate_layout");
    struct place shaders = place_key(&item->place, "shaders");
    struct place candidate = place_key(&shaders, "candidate");
    struct place report = place_key(&candidate, "execution_report");
    struct place values = place_key(&report, "value_layouts");
    struct place value = place_item(&values, 0), inner = place_key(&value, "layout");
    if (!layout.json || !inner.json)
        return;
    static const char *const keys[] = {"bit_order", "elements_per_thread"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct place a = place_key(&layout, keys[i]), b = place_key(&inner, keys[i]);
        verify_same(v, &a, &b, "the candidate's layout is that of its code");
    }
}

/* A layout called identity maps every bit to itself. */
static void check_layout_name(struct verify *v, const struct verify_cases *cases)
{
    struct place root = place_root(v), configuration = place_key(&root, "configuration");
    struct place name = place_key(&configuration, "layout");
    struct place layout = place_key(&cases->items[0].place, "candidate_layout");
    struct place order = place_key(&layout, "bit_order");
    if (!name.json || !json_is_array(order.json))
        return;
    bool identity = true;
    for (size_t i = 0; i < place_count(&order); i++)
        identity = identity &&
                   json_integer_value(json_array_get(order.json, i)) == (json_int_t)i;
    if (identity)
        verify_is_text(v, &name, "identity");
}

/* The compiler named at the top is the one that every arm was compiled with. */
static void check_compiler(struct verify *v, const struct verify_cases *cases)
{
    struct place root = place_root(v), top = place_key(&root, "metal_compiler");
    struct place compilations = place_key(&cases->items[0].place, "compilations"), arm;
    if (!top.json)
        return;
    PLACE_EACH(&compilations, arm) {
        struct place one = place_key(&arm, "metal_compiler");
        verify_same(v, &top, &one, "all arms are compiled by the same compiler");
        return;
    }
}

/* Arms that differ from the reference are not exact bit by bit. */
static void check_exact(struct verify *v, const struct verify_cases *cases)
{
    struct place root = place_root(v), precision = place_key(&root, "precision_comparison");
    struct place exact = place_key(&precision, "bitwise_exact"), arm;
    bool differs = false;
    for (size_t i = 0; i < cases->count; i++) {
        struct place correctness = place_key(&cases->items[i].place, "correctness");
        PLACE_EACH(&correctness, arm)
            differs |= json_number_value(json_object_get(arm.json, "max_absolute_error")) > 0;
    }
    if (differs && exact.json)
        verify_is_flag(v, &exact, false);
}

void verify_cases_arms(struct verify *v, struct verify_cases *cases, const struct place *needed)
{
    struct place root = place_root(v), refused = place_key(&root, "timing_refused");
    struct arm_groups groups = {
        .needed = needed,
        .tolerance.why = "the tolerance of a type is the same everywhere",
        .code.why = "an arm's code is the same for all batches",
        .error.why = "the same code on the same input has the same error",
        .compilation.why = "all arms are compiled in the same way",
        .alike.why = "it is the same for all cases",
    };
    for (size_t i = 0; i < cases->count; i++) {
        cases->items[i].comparable = !refused.json;
        group_case(v, &groups, &cases->items[i]);
    }
    verify_group_check(v, &groups.tolerance);
    verify_group_check(v, &groups.code);
    verify_group_check(v, &groups.error);
    verify_group_check(v, &groups.compilation);
    verify_group_check(v, &groups.alike);
    for (size_t i = 0; i < cases->count; i++)
        check_layout(v, &cases->items[i]);
    check_layout_name(v, cases);
    check_compiler(v, cases);
    check_exact(v, cases);
    verify_note(v, "source_sha256 of %zu sources; %zu reports, %zu compilations that must agree",
                v->sources, groups.code.members.count, groups.compilation.members.count);
}
