/*
 * Execution reports: each has the form of docs/report.schema.json, and each figure is read off the
 * final code. The second is shown by changing the code: after every change to a width, a step, a
 * size or a scope, and after every op that is dropped, the IR is refused or the report differs.
 */
#include "report/report.h"

#include "lang/lang.h"
#include "opt/opt.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec/tilec.h>
#include <cmocka.h>

/* ---- the schema: the part of JSON Schema that the file uses ---------------------------------- */

struct schema {
    const json_t *root;
    char path[256]; /* of the value that is checked */
};

static const char *type_name(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "object",   [JSON_ARRAY] = "array", [JSON_STRING] = "string",
        [JSON_INTEGER] = "integer", [JSON_REAL] = "number", [JSON_TRUE] = "boolean",
        [JSON_FALSE] = "boolean",   [JSON_NULL] = "null",
    };
    return names[json_typeof(value)];
}

static bool type_fits(const json_t *type, const json_t *value)
{
    if (json_is_string(type))
        return strcmp(json_string_value(type), type_name(value)) == 0;
    for (size_t i = 0; i < json_array_size(type); i++)
        if (type_fits(json_array_get(type, i), value))
            return true;
    return false;
}

static void check(struct schema *s, const json_t *schema, const json_t *value);

static void check_inside(struct schema *s, const json_t *schema, const char *name,
                         const json_t *value)
{
    size_t length = strlen(s->path);
    snprintf(s->path + length, sizeof s->path - length, "/%s", name);
    check(s, schema, value);
    s->path[length] = '\0';
}

static void check_object(struct schema *s, const json_t *schema, const json_t *value)
{
    const json_t *known = json_object_get(schema, "properties");
    const json_t *others = json_object_get(schema, "additionalProperties");
    const json_t *required = json_object_get(schema, "required");
    const char *name;
    json_t *field;
    for (size_t i = 0; i < json_array_size(required); i++)
        if (!json_object_get(value, json_string_value(json_array_get(required, i))))
            fail_msg("%s lacks '%s'", s->path, json_string_value(json_array_get(required, i)));
    json_object_foreach((json_t *)value, name, field)
    {
        const json_t *own = json_object_get(known, name);
        if (!own && json_is_false(others))
            fail_msg("%s has a field '%s', of which the schema says nothing", s->path, name);
        if (own || json_is_object(others))
            check_inside(s, own ? own : others, name, field);
    }
}

static void check_keyword(struct schema *s, const char *keyword, const json_t *wanted,
                          const json_t *value)
{
    bool fits = true;
    if (strcmp(keyword, "$ref") == 0) {
        const char *name = json_string_value(wanted) + strlen("#/$defs/");
        check(s, json_object_get(json_object_get(s->root, "$defs"), name), value);
    } else if (strcmp(keyword, "type") == 0) {
        fits = type_fits(wanted, value);
    } else if (strcmp(keyword, "const") == 0) {
        fits = json_equal(wanted, value);
    } else if (strcmp(keyword, "enum") == 0) {
        fits = false;
        for (size_t i = 0; i < json_array_size(wanted); i++)
            fits = fits || json_equal(json_array_get(wanted, i), value);
    } else if (strcmp(keyword, "minimum") == 0) {
        fits = !json_is_integer(value) || json_integer_value(value) >= json_integer_value(wanted);
    } else if (strcmp(keyword, "items") == 0) {
        for (size_t i = 0; i < json_array_size(value); i++)
            check_inside(s, wanted, "[]", json_array_get(value, i));
    } else if (keyword[0] != '$' && !strstr("title description properties required "
                                            "additionalProperties",
                                            keyword)) {
        fail_msg("the schema uses '%s', which this test does not know", keyword);
    }
    if (!fits) {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        fail_msg("%s: '%s' is not fulfilled by %s", s->path, keyword, text);
    }
}

static void check(struct schema *s, const json_t *schema, const json_t *value)
{
    const char *keyword;
    json_t *wanted;
    assert_non_null(schema);
    json_object_foreach((json_t *)schema, keyword, wanted) check_keyword(s, keyword, wanted, value);
    if (json_is_object(value))
        check_object(s, schema, value);
}

static void check_report(const char *what, const char *text)
{
    json_error_t error;
    json_t *root = json_load_file("docs/report.schema.json", 0, &error);
    json_t *report = json_loads(text, 0, &error);
    assert_non_null(root);
    if (!report)
        fail_msg("%s: no JSON: %s", what, error.text);
    struct schema s = {.root = root};
    snprintf(s.path, sizeof s.path, "%s", what);
    check(&s, root, report);
    json_decref(report);
    json_decref(root);
}

/* ---- all kernels, all targets ---------------------------------------------------------------- */

static const struct {
    const char *file, *kernel;
    tilec_define constants[3];
} kernels[] = {
    {"activations", "gelu", {{"BLOCK", "256"}}},
    {"adam", "adam", {{"BLOCK", "1024"}}},
    {"attention", "attention", {{"D", "16"}, {"BLOCK_M", "32"}, {"BLOCK_N", "16"}}},
    {"attention_decode", "attention_decode", {{"D", "64"}, {"BLOCK", "32"}}},
    {"copy", "copy", {{"BLOCK", "1024"}}},
    {"cross_entropy", "cross_entropy", {{"BLOCK", "128"}}},
    {"gemm", "gemm", {{"BLOCK_M", "32"}, {"BLOCK_N", "32"}, {"BLOCK_K", "16"}}},
    {"group_norm", "group_norm", {{"BLOCK", "256"}}},
    {"histogram", "histogram", {{"BLOCK", "256"}}},
    {"layernorm", "layernorm", {{"BLOCK", "128"}}},
    {"matvec_nf4", "matvec_nf4", {{"ROWS", "4"}, {"BLOCKS", "2"}}},
    {"matvec_q4", "matvec_q4", {{"ROWS", "4"}, {"GROUPS", "8"}}},
    {"matvec_q8", "matvec_q8", {{"ROWS", "4"}, {"GROUPS", "8"}}},
    {"median", "median", {{"REACH", "2"}, {"BLOCK", "256"}}},
    {"nbody", "nbody", {{"BLOCK", "64"}}},
    {"upsample", "upsample_nearest", {{"FACTOR", "2"}, {"BLOCK", "256"}}},
    {"rmsnorm", "rmsnorm", {{"BLOCK", "256"}}},
    {"rmsnorm", "rmsnorm_tile", {{"BLOCK", "1024"}}},
    {"rmsnorm_backward", "rmsnorm_backward", {{"BLOCK", "1024"}}},
    {"row_argmax", "row_argmax", {{"BLOCK", "128"}}},
    {"row_cumsum", "row_cumsum", {{"BLOCK", "256"}}},
    {"softmax", "softmax", {{"BLOCK", "64"}}},
    {"softmax", "softmax_tile", {{"BLOCK", "512"}}},
    {"top_k", "top_k", {{"K", "8"}, {"BLOCK", "256"}}},
    {"transpose", "transpose", {{"BLOCK_M", "32"}, {"BLOCK_N", "16"}}},
    {"vector_add", "vector_add", {{"BLOCK", "256"}}},
    {"vector_add", "vector_add", {{"BLOCK", "4096"}}}, /* several blocks of CUDA's a program */
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static bool is_available(tilec_context *context, const char *target)
{
    tilec_device device;
    for (size_t i = 0; i < tilec_device_count(context); i++)
        if (tilec_device_get(context, i, &device) == TILEC_OK && !strcmp(device.target, target))
            return device.available;
    return strcmp(target, "msl") == 0;
}

static void explain(tilec_program *program, tilec_context *context, size_t index,
                    const char *target)
{
    char what[80], *text, *again;
    size_t length;
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = kernels[index].kernel,
                                     .target = target,
                                     .constants = kernels[index].constants};
    while (options.constant_count < 3 && options.constants[options.constant_count].name)
        options.constant_count++;
    snprintf(what, sizeof what, "%s for %s", kernels[index].kernel, target);
    tilec_status status = tilec_explain(program, &options, TILEC_REPORT_JSON, &text, &length);
    if (status != TILEC_OK)
        fail_msg("%s: %s", what, tilec_status_string(status));
    assert_int_equal(strlen(text), length);
    check_report(what, text);
    assert_int_equal(tilec_explain(program, &options, TILEC_REPORT_JSON, &again, NULL), TILEC_OK);
    assert_string_equal(text, again);
    tilec_release(context, again);
    tilec_release(context, text);
    assert_int_equal(tilec_explain(program, &options, TILEC_REPORT_TEXT, &text, NULL), TILEC_OK);
    assert_non_null(strstr(text, kernels[index].kernel));
    tilec_release(context, text);
}

static void reports_follow_the_schema(void **state)
{
    static const char *const targets[] = {"interp", "msl", "cpu"};
    (void)state;
    tilec_context *context;
    assert_int_equal(tilec_context_create(NULL, &context), TILEC_OK);
    for (size_t k = 0; k < KERNELS; k++) {
        char path[64];
        tilec_program *program;
        snprintf(path, sizeof path, "kernels/%s.tile.c", kernels[k].file);
        tilec_source source = {.size = sizeof source, .path = path};
        assert_int_equal(tilec_program_create(context, &source, &program), TILEC_OK);
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
            if (is_available(context, targets[t]))
                explain(program, context, k, targets[t]);
        if (k == 0 && is_available(context, "msl-host"))
            explain(program, context, k, "msl-host");
        tilec_program_destroy(program);
    }
    tilec_context_destroy(context);
}

/* ---- the texts that the reports are of --------------------------------------------------------
 */

static int count_of(const char *text, const char *what)
{
    int count = 0;
    while ((text = strstr(text, what)) != NULL) {
        count++;
        text += strlen(what);
    }
    return count;
}

/* Whether the first thing that some branch does is an access of an array. */
static bool has_guarded_access(const char *body)
{
    while ((body = strstr(body, "if (")) != NULL) {
        const char *next = body + strcspn(body, "\n");
        next += *next == '\n';
        if (strncmp(next + strspn(next, " "), "device ", 7) == 0)
            return true;
        body += strlen("if (");
    }
    return false;
}

/* Whether some loop loads from an array, as loops with copies into shared memory do. */
static bool has_loads(const json_t *report)
{
    const json_t *loop;
    size_t i;
    json_array_foreach(json_object_get(report, "loops"), i,
                       loop) if (json_integer_value(json_object_get(loop, "elements_per_lane")) >
                                 0) return true;
    return false;
}

static const struct language {
    const char *target, *begin, *threads, *barrier;
    tilec_stage stage;
} languages[] = {
    {"msl", "[[max_total_threads", "per_threadgroup(", "threadgroup_barrier(", TILEC_STAGE_MSL},
    {"cuda", "extern \"C\" __global__", "__launch_bounds__(", "__syncthreads()", TILEC_STAGE_CUDA},
};

static void compare(const struct language *in, const json_t *report, const char *text)
{
    const json_t *plan = json_object_get(report, "plan"), *array;
    const json_t *size = json_array_get(json_object_get(plan, "threadgroup_size"), 0);
    const char *body = strstr(text, in->begin), *threads = body ? strstr(body, in->threads) : NULL;
    size_t i;
    assert_non_null(threads);
    assert_int_equal(atoi(threads + strlen(in->threads)), json_integer_value(size));
    assert_int_equal(count_of(body, in->barrier),
                     json_array_size(json_object_get(report, "barriers")));
    assert_int_equal(count_of(body, "for (") + count_of(body, "while ("),
                     json_array_size(json_object_get(report, "loops")));
    json_array_foreach(json_object_get(report, "allocations"), i, array)
    {
        char start[80], declared[96];
        snprintf(start, sizeof start, " %s_", json_string_value(json_object_get(array, "name")));
        snprintf(declared, sizeof declared, "[%lld];",
                 (long long)json_integer_value(json_object_get(array, "elements")));
        const char *found = strstr(body, start);
        if (strstr(body, "extern __shared__"))
            continue; /* all in one */
        assert_non_null(found);
        assert_memory_equal(found + strcspn(found, "["), declared, strlen(declared));
    }
    assert_true(!strstr(body, "tilec_copy_async") || has_loads(report));
    if (has_guarded_access(body))
        assert_true(json_is_false(json_object_get(plan, "outer_bounds_proven")));
}

/* How many threads the blocks of a program have together is said at the text's beginning. */
static void check_head(const json_t *report, const char *text)
{
    const json_t *plan = json_object_get(report, "plan");
    const json_t *blocks = json_object_get(plan, "blocks_per_program");
    const json_t *size = json_array_get(json_object_get(plan, "threadgroup_size"), 0);
    const char *reason = json_string_value(json_array_get(json_object_get(plan, "reasons"), 0));
    char wanted[64];
    if (reason && strstr(reason, " blocks of "))
        assert_int_equal(atoi(reason), json_integer_value(blocks));
    if (json_object_get(plan, "programs_per_block"))
        return;
    snprintf(wanted, sizeof wanted, ", %lld threads per program",
             (long long)(json_integer_value(size) * (blocks ? json_integer_value(blocks) : 1)));
    assert_non_null(strstr(text, wanted));
}

static void compare_kernel(tilec_context *context, tilec_program *program, size_t index,
                           const struct language *in)
{
    char *report, *read, *text;
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = kernels[index].kernel,
                                     .target = in->target,
                                     .constants = kernels[index].constants};
    while (options.constant_count < 3 && options.constants[options.constant_count].name)
        options.constant_count++;
    tilec_status status = tilec_explain(program, &options, TILEC_REPORT_JSON, &report, NULL);
    if (status == TILEC_ERROR_TARGET) /* NVIDIA's compiler is not here */
        return;
    assert_int_equal(status, TILEC_OK);
    assert_int_equal(tilec_explain(program, &options, TILEC_REPORT_TEXT, &read, NULL), TILEC_OK);
    assert_int_equal(tilec_emit(program, &options, in->stage, &text, NULL), TILEC_OK);
    json_t *object = json_loads(report, 0, NULL);
    compare(in, object, text);
    check_head(object, read);
    json_decref(object);
    tilec_release(context, text);
    tilec_release(context, read);
    tilec_release(context, report);
}

static void texts_are_as_reported(void **state)
{
    (void)state;
    tilec_context *context;
    assert_int_equal(tilec_context_create(NULL, &context), TILEC_OK);
    for (size_t k = 0; k < KERNELS; k++) {
        char path[64];
        tilec_program *program;
        snprintf(path, sizeof path, "kernels/%s.tile.c", kernels[k].file);
        tilec_source source = {.size = sizeof source, .path = path};
        assert_int_equal(tilec_program_create(context, &source, &program), TILEC_OK);
        for (size_t l = 0; l < sizeof languages / sizeof *languages; l++)
            compare_kernel(context, program, k, &languages[l]);
        tilec_program_destroy(program);
    }
    tilec_context_destroy(context);
}

/* ---- changed GPU IR -------------------------------------------------------------------------- */

struct corruption {
    jmp_buf out_of_memory;
    struct arena arena;
    struct gpu_kernel *kernel;
    const char *text; /* of its function */
    char *report;
    int refused, seen; /* changes that the verifier or validator refused, that the report shows */
};

static struct gpu_kernel *lower(struct arena *arena, size_t index)
{
    struct lang_define defines[3];
    struct lang_binding bindings[3];
    struct diagnostics diagnostics;
    int count = 0;
    char *text = arena_alloc(arena, 1 << 14), path[64];
    snprintf(path, sizeof path, "kernels/%s.tile.c", kernels[index].file);
    FILE *input = fopen(path, "rb");
    assert_non_null(input);
    text[fread(text, 1, (1 << 14) - 1, input)] = '\0';
    fclose(input);
    for (; count < 3 && kernels[index].constants[count].name; count++) {
        const tilec_define *constant = &kernels[index].constants[count];
        defines[count] = (struct lang_define){constant->name, constant->value};
        bindings[count] =
            (struct lang_binding){.name = constant->name, .value = atoll(constant->value)};
    }
    struct source_file *file = ARENA_NEW(arena, struct source_file);
    *file = (struct source_file){.name = "k", .text = text, .length = (uint32_t)strlen(text)};
    diagnostics_init(&diagnostics, arena);
    struct lang_unit *unit =
        lang_parse(arena, &diagnostics, file, defines, count, (struct lang_includer){0});
    assert_non_null(unit);
    struct ir_kernel *kernel =
        lang_lower(unit, &diagnostics, lang_find_kernel(unit, kernels[index].kernel), bindings,
                   count, NULL, 0);
    assert_non_null(kernel);
    assert_true(opt_run(kernel->func, NULL, &diagnostics));
    struct gpu_kernel *gpu = gpu_lower(kernel, NULL, NULL, arena, &diagnostics);
    assert_non_null(gpu);
    return gpu;
}

static char *report_of(struct corruption *c, const struct gpu_kernel *kernel)
{
    struct report_head head = {.target = "msl", .kernel = "k"};
    json_t *report = report_gpu(&head, kernel, &c->arena);
    assert_non_null(report);
    char *text = json_dumps(report, 0);
    json_decref(report);
    return text;
}

/* The text with [at, at + length) replaced is refused, or its report is another. */
static void try(struct corruption *c, const char *at, size_t length, const char *with)
{
    struct text text;
    struct diagnostics diagnostics;
    text_init(&text, &c->arena);
    text_append(&text, c->text, (size_t)(at - c->text));
    text_string(&text, with);
    text_string(&text, at + length);
    struct source_file *file = ARENA_NEW(&c->arena, struct source_file);
    *file =
        (struct source_file){.name = "changed", .text = text.items, .length = (uint32_t)text.count};
    diagnostics_init(&diagnostics, &c->arena);
    struct gpu_kernel changed = *c->kernel;
    changed.func = gpu_read(&c->arena, &diagnostics, file);
    if (!changed.func || !gpu_validate(&changed, &diagnostics)) {
        c->refused++;
        return;
    }
    char *report = report_of(c, &changed);
    const char *line = at;
    while (line > c->text && line[-1] != '\n')
        line--;
    if (strcmp(report, c->report) == 0)
        fail_msg("nobody notices '%s' in place of '%.*s' in: %.*s", with, (int)length, at,
                 (int)strcspn(line, "\n"), line);
    free(report);
    c->seen++;
}

static bool line_has(const char *line, const char *stop, const char *what)
{
    const char *found = strstr(line, what);
    return found && found < stop;
}

/* Numbers of a line that say how wide, how many or how far; half of them, and one more. */
static void change_numbers(struct corruption *c, const char *line, const char *stop)
{
    static const char *const kinds[] = {"vector_",    "shared",        "thread_index",
                                        "lane_index", "group_index",   "pack ",
                                        "broadcast",  "fragment_load", "fragment_store"};
    bool counts = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        counts = counts || line_has(line, stop, kinds[i]);
    for (const char *at = line; counts && at < stop; at++) {
        bool starts = isdigit((unsigned char)*at) &&
                      (at[-1] == '[' || (at[-1] == ' ' && !line_has(at - 1, at, "%")));
        if (!starts || strncmp(at, "0 to", 4) == 0)
            continue;
        char with[32];
        char *end;
        long long number = strtoll(at, &end, 10);
        snprintf(with, sizeof with, "%lld", number / 2);
        if (number > 1)
            try(c, at, (size_t)(end - at), with);
        snprintf(with, sizeof with, "%lld", number * 2 + 1);
        try(c, at, (size_t)(end - at), with);
    }
}

static void change_words(struct corruption *c, const char *line, const char *stop)
{
    static const struct {
        const char *op, *from, *to;
    } words[] = {
        {"barrier", "{threadgroup}", "{group}"},  {"barrier", "{threadgroup}", "{device}"},
        {"barrier", "{device}", "{threadgroup}"}, {"vector_", "{packed}", "{aligned}"},
        {"vector_", "{aligned}", "{packed}"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *found = strstr(line, words[i].from);
        if (line_has(line, stop, words[i].op) && found && found < stop)
            try(c, found, strlen(words[i].from), words[i].to);
    }
}

/* Steps of loops: their constants are lines of their own. */
static void change_steps(struct corruption *c, const char *line, const char *stop)
{
    const char *step = strstr(line, " step %");
    char definition[64];
    if (!step || step > stop)
        return;
    step += strlen(" step ");
    snprintf(definition, sizeof definition, "  %.*s = constant {", (int)strcspn(step, " "), step);
    const char *constant = strstr(c->text, definition);
    if (!constant)
        return;
    const char *number = constant + strlen(definition);
    if (strspn(number, "0123456789") == strcspn(number, "}") && atoll(number) > 1)
        try(c, number, strspn(number, "0123456789"), "7");
}

static void corrupt(struct corruption *c)
{
    for (const char *line = c->text; *line;) {
        const char *stop = line + strcspn(line, "\n");
        bool is_op = line[0] == ' ' && stop[-1] != '{' && stop[-1] != '}';
        if (is_op)
            try(c, line, (size_t)(stop + 1 - line), "");
        if (is_op) {
            change_numbers(c, line, stop);
            change_words(c, line, stop);
        }
        change_steps(c, line, stop);
        line = stop + 1;
    }
}

static void corrupt_kernel(struct corruption *c, size_t index)
{
    struct text text;
    if (setjmp(c->out_of_memory))
        fail_msg("out of memory");
    arena_init(&c->arena, allocator_default, &c->out_of_memory);
    c->kernel = lower(&c->arena, index);
    text_init(&text, &c->arena);
    ir_print(c->kernel->func, &text);
    c->text = text.items;
    c->report = report_of(c, c->kernel);
    corrupt(c);
    free(c->report);
    arena_free(&c->arena);
}

static void changes_of_gpu_ir_are_noticed(void **state)
{
    (void)state;
    struct corruption c = {.refused = 0};
    for (size_t k = 0; k < KERNELS; k++)
        corrupt_kernel(&c, k);
    print_message("%d changes refused, %d seen in the report\n", c.refused, c.seen);
    assert_true(c.refused > 100 && c.seen > 100);
}

/* ---- changed code of the CPU ----------------------------------------------------------------- */

static const char llvm[] = "declare float @llvm.fma.f32(float, float, float)\n"
                           "define internal void @k.0.kernel6x16(ptr %0) {\n"
                           "entry:\n"
                           "  br label %sum.52.7\n"
                           "sum.52.7:             ; preds = %entry, %sum.52.7\n"
                           "  %1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a)\n"
                           "  %2 = tail call float @expf(float %b)\n"
                           "  br i1 %c, label %sum.52.7, label %end\n"
                           "end:                  ; preds = %sum.52.7\n"
                           "  ret void\n"
                           "}\n"
                           "define void @k.0(ptr %0, i64 %1) {\n"
                           "entry:\n"
                           "  br label %outer\n"
                           "outer:                ; preds = %entry, %done\n"
                           "  %row = phi i64 [ 0, %entry ], [ %next, %done ]\n"
                           "  br label %loop\n"
                           "end:                  ; preds = %done\n"
                           "  ret void\n"
                           "loop:                 ; preds = %loop, %outer\n"
                           "  %i = phi i64 [ 0, %outer ], [ %64, %loop ]\n"
                           "  %p = getelementptr float, ptr %0, i64 %i\n"
                           "  %x = load <16 x float>, ptr %p, align 4\n"
                           "  store <16 x float> %x, ptr %p, align 4\n"
                           "  %5 = add i64 %i, 16\n"
                           "  %64 = add nsw i64 %i, 32\n"
                           "  %c = icmp slt i64 %64, 256\n"
                           "  br i1 %c, label %loop, label %done\n"
                           "done:                 ; preds = %loop\n"
                           "  %next = add i64 %row, 1\n"
                           "  %d = icmp slt i64 %next, %1\n"
                           "  br i1 %d, label %outer, label %end\n"
                           "}\n";

static const char assembly[] = "k.0:\n"
                               "\tpushq\t%rbx\n"
                               "\tsubq\t$48, %rsp\n"
                               ".LBB0_1:\n"
                               "\tvmovups\t(%rdi), %zmm0\n"
                               "\tvmovups\t%zmm0, -64(%rsp)\n"
                               "\tcallq\texpf@PLT\n"
                               "\taddq\t$48, %rsp\n"
                               "\tretq\n"
                               ".Lfunc_end0:\n"
                               "k.0.kernel6x16:\n"
                               "\tpushq\t%rbp\n"
                               "\tretq\n"
                               ".Lfunc_end1:\n"
                               "other:\n"
                               "\tvmovups\t(%rdi), %zmm0\n";

static char *cpu_report(const char *ir, const char *code)
{
    struct report_head head = {.target = "cpu", .kernel = "k"};
    struct report_cpu made = {.level = "x86-64-v4",
                              .vector_bits = 512,
                              .backend = "vector",
                              .llvm = ir,
                              .assembly = code};
    json_t *report = report_cpu(&head, &made);
    assert_non_null(report);
    char *text = json_dumps(report, 0);
    json_decref(report);
    return text;
}

static void expect_in(const char *report, const char *wanted)
{
    if (!strstr(report, wanted))
        fail_msg("'%s' is not in %s", wanted, report);
}

static void code_of_the_cpu_is_read(void **state)
{
    (void)state;
    char *report = cpu_report(llvm, assembly);
    check_report("k", report);
    expect_in(report,
              "{\"function\": \"kernel6x16\", \"induction_variable\": \"sum.52.7\", \"line\": 52, "
              "\"depth\": 0, \"kind\": \"scalar\", \"lanes\": 1, \"elements_per_lane\": 0, "
              "\"iteration_step\": null, \"operations\": {\"fma\": 1, \"expf\": 1, \"br\": 1}}");
    expect_in(report, "{\"function\": null, \"induction_variable\": \"outer\", \"line\": null, "
                      "\"depth\": 0, \"kind\": \"scalar\", \"lanes\": 1, "
                      "\"elements_per_lane\": 1, \"iteration_step\": 1, ");
    expect_in(report, "{\"function\": null, \"induction_variable\": \"loop\", \"line\": null, "
                      "\"depth\": 1, \"kind\": \"vector\", \"lanes\": 16, "
                      "\"elements_per_lane\": 2, \"iteration_step\": 32, ");
    expect_in(report, "\"instructions\": 9, \"calls\": 1, \"vector_bits\": 512, \"stack_bytes\": "
                      "120, \"stack_accesses\": 1");
    free(report);
}

/* Each instruction of ir, or of code, dropped. */
static void drop_lines(const char *ir, const char *code, bool of_ir)
{
    const char *text = of_ir ? ir : code, *end = strstr(code, ".Lfunc_end");
    char *before = cpu_report(ir, code), changed[4096];
    for (const char *line = text; *line && line != end; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n") + 1;
        if (line[0] != ' ' && line[0] != '\t')
            continue;
        snprintf(changed, sizeof changed, "%.*s%s", (int)(line - text), text, line + length);
        char *after = of_ir ? cpu_report(changed, code) : cpu_report(ir, changed);
        if (strcmp(before, after) == 0)
            fail_msg("nobody notices that this line is gone: %.*s", (int)length, line);
        free(after);
    }
    free(before);
}

static void replace_all(const char *text, const char *from, const char *to, char *out)
{
    for (; *text; text++) {
        if (strncmp(text, from, strlen(from)) == 0) {
            out += sprintf(out, "%s", to);
            text += strlen(from) - 1;
        } else {
            *out++ = *text;
        }
    }
    *out = '\0';
}

static void changes_of_cpu_code_are_noticed(void **state)
{
    static const char *const changes[][2] = {
        {"<16 x float>", "<8 x float>"},
        {"add nsw i64 %i, 32", "add nsw i64 %i, 48"},
        {"%zmm0", "%ymm0"},
        {"$48, %rsp", "$56, %rsp"},
        {"-64(%rsp)", "-72(%rsp)"},
    };
    (void)state;
    char ir[4096], code[4096];
    drop_lines(llvm, assembly, true);
    drop_lines(llvm, assembly, false);
    char *before = cpu_report(llvm, assembly);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        replace_all(llvm, changes[i][0], changes[i][1], ir);
        replace_all(assembly, changes[i][0], changes[i][1], code);
        char *after = cpu_report(ir, code);
        if (strcmp(before, after) == 0)
            fail_msg("nobody notices '%s'", changes[i][1]);
        free(after);
    }
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_follow_the_schema),
        cmocka_unit_test(texts_are_as_reported),
        cmocka_unit_test(changes_of_gpu_ir_are_noticed),
        cmocka_unit_test(code_of_the_cpu_is_read),
        cmocka_unit_test(changes_of_cpu_code_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
