#ifndef TILEC_TESTS_GPU_SOURCE_H
#define TILEC_TESTS_GPU_SOURCE_H
/* From a kernel's source to GPU IR and Metal text, for tests of both; and Metal text on msl-host.
 */
#include "emit/emit.h"
#include "gpu/gpu.h"
#include "gpu/pipeline.h"
#include "lang/lang.h"
#include "opt/opt.h"
#include "run/msl_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct gpu_source {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

/* {NAME, VALUE} pairs for macros and constants, {NAME=VALUE} for requirements; NULL ends them. */
struct gpu_choices {
    const char *constants[12][2];
    const char *requirements[8];
};

static inline char *gpu_source_read(struct gpu_source *s, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = arena_alloc(&s->arena, 1 << 16);
    if (!file)
        fail_msg("cannot open %s", path);
    text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static inline void gpu_source_fail(struct gpu_source *s, const char *what)
{
    struct text text;
    text_init(&text, &s->arena);
    for (size_t i = 0; i < s->diagnostics.count; i++)
        diagnostics_print(&s->diagnostics.items[i], &text);
    fail_msg("%s\n%s", what, text.items ? text.items : "");
}

/* The kernel as Tile IR, optimised; kernel NULL: the only one. NULL with errors. */
static inline struct ir_kernel *gpu_source_lower(struct gpu_source *s, const char *text,
                                                 const char *kernel,
                                                 const struct gpu_choices *choices)
{
    struct lang_define defines[12];
    struct lang_binding bindings[12];
    int count = 0, required = 0;
    for (; choices->constants[count][0]; count++) {
        const char *name = choices->constants[count][0], *value = choices->constants[count][1];
        defines[count] = (struct lang_define){.name = name, .value = value};
        bindings[count] = (struct lang_binding){.name = name, .value = atoll(value)};
    }
    while (choices->requirements[required])
        required++;
    struct source_file *file = ARENA_NEW(&s->arena, struct source_file);
    *file = (struct source_file){.name = "test", .text = text, .length = (uint32_t)strlen(text)};
    struct lang_unit *unit =
        lang_parse(&s->arena, &s->diagnostics, file, defines, count, (struct lang_includer){0});
    const struct lang_kernel *chosen = unit ? lang_find_kernel(unit, kernel) : NULL;
    struct ir_kernel *made = chosen ? lang_lower(unit, &s->diagnostics, chosen, bindings, count,
                                                 choices->requirements, required)
                                    : NULL;
    return made && opt_run(made->func, NULL, &s->diagnostics) ? made : NULL;
}

/* A kernel's text behind others; its helpers get names of their own. */
static inline void gpu_source_append(struct text *source, const char *text, int number)
{
    for (const char *at; (at = strstr(text, "tilec_")); text = at + 6) {
        text_append(source, text, (size_t)(at - text));
        text_format(source, "t%d_", number);
    }
    text_string(source, text);
}

#endif
