/* See written.h. */
#include "written.h"

#include "base/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct written_element written_elements[WRITTEN_ELEMENTS] = {
    {"float", TILEC_F32, "float", TILEC_F32},   {"half", TILEC_F16, "float", TILEC_F32},
    {"bfloat", TILEC_BF16, "float", TILEC_F32}, {"int8_t", TILEC_I8, "int", TILEC_I32},
    {"double", TILEC_F64, "double", TILEC_F64},
};

int64_t written_below(uint32_t *seed, int64_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int64_t)(*seed >> 8) % n;
}

void written_set(tilec_type type, void *data, int64_t i, int value)
{
    switch ((int)type) {
    case TILEC_F32:
        ((float *)data)[i] = (float)value;
        return;
    case TILEC_F64:
        ((double *)data)[i] = value;
        return;
    case TILEC_F16:
        ((uint16_t *)data)[i] = half_from_double((float)value);
        return;
    case TILEC_BF16:
        ((uint16_t *)data)[i] = bfloat_from_double((float)value);
        return;
    case TILEC_I32:
    case TILEC_U32:
        ((int32_t *)data)[i] = value;
        return;
    case TILEC_I16:
    case TILEC_U16:
        ((int16_t *)data)[i] = (int16_t)value;
        return;
    case TILEC_I64:
    case TILEC_U64:
        ((int64_t *)data)[i] = value;
        return;
    case TILEC_BOOL:
        ((bool *)data)[i] = value > 0;
        return;
    default:
        ((int8_t *)data)[i] = (int8_t)value;
    }
}

const char *written_level(uint32_t number)
{
    static const char *const levels[] = {
        "native",
        "generic",
#if defined __x86_64__
        "x86-64-v3",
        "x86-64-v4",
#endif
    };
    return levels[number % (sizeof levels / sizeof *levels)];
}

static bool is_noted(const tilec_context *context, const char *note)
{
    tilec_diagnostic d;
    for (size_t i = 0; note && i < tilec_diagnostic_count(context); i++)
        if (tilec_diagnostic_get(context, i, &d) == TILEC_OK && strstr(d.text, note))
            return true;
    return false;
}

static void show(const struct written_launch *launch, const tilec_context *context)
{
    tilec_diagnostic d;
    for (size_t i = 0; i < tilec_diagnostic_count(context); i++)
        if (tilec_diagnostic_get(context, i, &d) == TILEC_OK)
            fputs(d.text, stderr);
    fputs(launch->source, stderr);
}

bool written_run(const struct written_launch *launch)
{
    tilec_context *context;
    tilec_kernel *kernel = NULL;
    tilec_context_options context_options = {.size = sizeof context_options, .cache_directory = ""};
    assert_int_equal(tilec_context_create(&context_options, &context), TILEC_OK);
    tilec_source source = {.size = sizeof source, .path = "f.tile.c", .text = launch->source};
    tilec_compile_options options = {
        .size = sizeof options, .target = launch->target, .cpu = launch->level};
    tilec_status status = tilec_compile(context, &source, &options, &kernel);
    if (status == TILEC_ERROR_TARGET) {
        tilec_context_destroy(context);
        return false;
    }
    if (launch->runs_whole)
        *launch->runs_whole = !is_noted(context, "one program at a time");
    if (status != TILEC_OK || is_noted(context, launch->refused)) {
        show(launch, context);
        fail_msg("not compiled%s%s", launch->refused ? ", or noted: " : "",
                 launch->refused ? launch->refused : "");
    }
    tilec_launch_options launch_options = {.size = sizeof launch_options,
                                           .threads = launch->threads};
    status = tilec_launch(kernel, launch->grid, launch->arguments, launch->argument_count,
                          &launch_options);
    if (launch->faults)
        *launch->faults = status == TILEC_ERROR_FAULT;
    if (status != TILEC_OK && !(launch->faults && *launch->faults)) {
        show(launch, context);
        fail_msg("launch on %s: %s", launch->target, tilec_status_string(status));
    }
    tilec_kernel_destroy(kernel);
    tilec_context_destroy(context);
    return true;
}

void written_emit(const char *text, const char *level)
{
    tilec_context *context;
    tilec_program *program;
    char *code = NULL;
    tilec_context_options context_options = {.size = sizeof context_options, .cache_directory = ""};
    assert_int_equal(tilec_context_create(&context_options, &context), TILEC_OK);
    tilec_source source = {.size = sizeof source, .path = "f.tile.c", .text = text};
    tilec_compile_options options = {.size = sizeof options, .target = "cpu", .cpu = level};
    tilec_status status = tilec_program_create(context, &source, &program);
    assert_int_equal(status, TILEC_OK);
    status = tilec_emit(program, &options, TILEC_STAGE_ASSEMBLY, &code, NULL);
    if (status != TILEC_OK) {
        show(&(struct written_launch){.source = text}, context);
        fail_msg("no code for %s: %s", level, tilec_status_string(status));
    }
    tilec_release(context, code);
    tilec_program_destroy(program);
    tilec_context_destroy(context);
}
