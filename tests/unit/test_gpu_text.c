/*
 * Kernels as GPU IR: each file of tests/gpu is a kernel, then "---", then the GPU IR that must come
 * out; a comment `// args: -D NAME=VALUE --require NAME=VALUE` sets constants and requirements. The
 * text is read back, verified and printed again. TILEC_BLESS=1 rewrites what differs.
 */
#include "gpu/gpu.h"
#include "lang/lang.h"
#include "opt/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

struct golden {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    const char *path;
    char *input, *expected; /* expected: NULL without "---" */
    struct lang_define defines[MOST];
    struct lang_binding bindings[MOST];
    const char *requirements[MOST];
    int define_count, requirement_count;
};

static char *read_all(struct golden *g, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = arena_alloc(&g->arena, 1 << 16);
    if (!file)
        fail_msg("cannot open %s", path);
    text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void load(struct golden *g)
{
    g->input = read_all(g, g->path);
    char *mark = strstr(g->input, "\n---\n");
    if (mark) {
        g->expected = arena_copy_text(&g->arena, mark + 5, strlen(mark + 5));
        mark[1] = '\0';
    }
    char *args = strstr(g->input, "// args:");
    if (!args)
        return;
    args = arena_copy_text(&g->arena, args + 8, strcspn(args + 8, "\n"));
    const char *option = NULL;
    for (char *word = strtok(args, " "); word; word = strtok(NULL, " ")) {
        if (word[0] == '-') {
            option = word;
        } else if (strcmp(option, "-D") == 0) {
            char *equals = strchr(word, '=');
            *equals = '\0';
            g->bindings[g->define_count] =
                (struct lang_binding){.name = word, .value = atoll(equals + 1)};
            g->defines[g->define_count++] = (struct lang_define){.name = word, .value = equals + 1};
        } else {
            g->requirements[g->requirement_count++] = word;
        }
    }
}

static const char *compile(struct golden *g)
{
    struct source_file *file = ARENA_NEW(&g->arena, struct source_file);
    *file = (struct source_file){
        .name = g->path, .text = g->input, .length = (uint32_t)strlen(g->input)};
    struct lang_unit *unit = lang_parse(&g->arena, &g->diagnostics, file, g->defines,
                                        g->define_count, (struct lang_includer){0});
    const struct lang_kernel *chosen = unit ? lang_find_kernel(unit, NULL) : NULL;
    struct ir_kernel *kernel =
        chosen ? lang_lower(unit, &g->diagnostics, chosen, g->bindings, g->define_count,
                            g->requirements, g->requirement_count)
               : NULL;
    struct gpu_options options = {.verify_each = true};
    if (!kernel || !opt_run(kernel->func, NULL, &g->diagnostics))
        return NULL;
    struct gpu_kernel *gpu = gpu_lower(kernel, NULL, &options, &g->arena, &g->diagnostics);
    if (!gpu)
        return NULL;
    struct text text;
    text_init(&text, &g->arena);
    ir_print(gpu->func, &text);
    return text.items;
}

static void read_back(struct golden *g, const char *text)
{
    struct source_file file = {.name = "ir", .text = text, .length = (uint32_t)strlen(text)};
    struct ir_func *func = gpu_read(&g->arena, &g->diagnostics, &file);
    struct text again;
    text_init(&again, &g->arena);
    if (!func)
        fail_msg("%s: %s", g->path, g->diagnostics.items[0].message);
    ir_print(func, &again);
    assert_string_equal(again.items, text);
}

static void bless(const struct golden *g, const char *text)
{
    FILE *file = fopen(g->path, "wb");
    assert_non_null(file);
    fprintf(file, "%s---\n%s", g->input, text);
    fclose(file);
}

static void check(const char *path)
{
    struct golden *g = calloc(1, sizeof *g);
    g->path = path;
    arena_init(&g->arena, allocator_default, &g->out_of_memory);
    diagnostics_init(&g->diagnostics, &g->arena);
    load(g);
    const char *text = compile(g);
    if (!text) { /* refused: the diagnostics are the text */
        struct text messages;
        text_init(&messages, &g->arena);
        for (size_t i = 0; i < g->diagnostics.count; i++)
            diagnostics_print(&g->diagnostics.items[i], &messages);
        text = messages.items;
    } else {
        read_back(g, text);
    }
    if (!g->expected || strcmp(text, g->expected) != 0) {
        if (getenv("TILEC_BLESS"))
            bless(g, text);
        else
            fail_msg("%s differs (TILEC_BLESS=1 rewrites it):\n%s", path, text);
    }
    arena_free(&g->arena);
    free(g);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void test_files(void **state)
{
    (void)state;
    struct dirent **entries;
    int count = scandir("tests/gpu", &entries, NULL, by_name);
    assert_true(count > 2);
    for (int i = 0; i < count; i++) {
        char path[512];
        snprintf(path, sizeof path, "tests/gpu/%s", entries[i]->d_name);
        if (strstr(entries[i]->d_name, ".tile.c"))
            check(path);
        free(entries[i]);
    }
    free(entries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
