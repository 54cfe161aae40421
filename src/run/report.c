/* Diagnostics on their way out: copied, rendered and kept until the next call; see run.h. */
#include "base/guard.h"
#include "run/run.h"

#include <stdarg.h>
#include <stdio.h>

_Static_assert((int)TILEC_DIAGNOSTIC_PERF == (int)DIAGNOSTIC_PERF, "kinds have the same numbers");

/* Made beforehand, because there is no memory to make it. */
static const tilec_diagnostic no_memory = {
    .kind = TILEC_DIAGNOSTIC_ERROR,
    .message = "out of memory",
    .text = "tilec: error: out of memory\n",
};

void run_report_clear(tilec_context *context)
{
    struct run_report *report = &context->report;
    if (!report->count && !report->arena.blocks)
        return;
    arena_free(&report->arena);
    report->items = NULL;
    report->count = 0;
}

void run_report_no_memory(tilec_context *context)
{
    run_report_clear(context);
    context->report.count = 1; /* items NULL stands for no_memory */
}

struct addition {
    struct run_report *report;
    const struct diagnostics *diagnostics;
};

static tilec_diagnostic copy(struct arena *arena, const struct diagnostic *from)
{
    struct source_range range = from->range;
    struct text text;
    tilec_diagnostic to = {.kind = (tilec_diagnostic_kind)from->kind};
    text_init(&text, arena);
    diagnostics_print(from, &text);
    to.text = text.items;
    to.message = arena_format(arena, "%s", from->message);
    to.hint = from->hint ? arena_format(arena, "%s", from->hint) : NULL;
    if (!range.file)
        return to;
    struct source_position begin = source_locate(range.file, range.begin);
    struct source_position end = source_locate(range.file, range.end);
    to.file = arena_format(arena, "%s", range.file->name);
    to.source_line = arena_copy_text(arena, begin.line_text, begin.line_length);
    to.line = begin.line;
    to.column = begin.column;
    to.end_line = end.line;
    to.end_column = end.column;
    return to;
}

static void add(void *user)
{
    struct addition *addition = user;
    struct run_report *report = addition->report;
    size_t more = addition->diagnostics->count;
    tilec_diagnostic *items = ARENA_ARRAY(&report->arena, tilec_diagnostic, report->count + more);
    for (size_t i = 0; i < report->count; i++)
        items[i] = report->items[i];
    for (size_t i = 0; i < more; i++)
        items[report->count + i] = copy(&report->arena, &addition->diagnostics->items[i]);
    report->items = items;
    report->count += more;
}

void run_report_add(tilec_context *context, const struct diagnostics *diagnostics)
{
    struct addition addition = {&context->report, diagnostics};
    if (!diagnostics->count || (context->report.count && !context->report.items))
        return;
    if (!guard_run(&context->report.arena, add, &addition))
        run_report_no_memory(context);
}

struct failure {
    struct run_report *report;
    const char *hint, *message;
};

static void add_failure(void *user)
{
    struct failure *failure = user;
    struct diagnostics list;
    struct arena *arena = &failure->report->arena;
    diagnostics_init(&list, arena);
    struct diagnostic *added =
        diagnostics_add(&list, DIAGNOSTIC_ERROR, (struct source_range){0}, "%s", failure->message);
    if (failure->hint)
        diagnostics_hint(&list, added, "%s", failure->hint);
    struct addition addition = {failure->report, &list};
    add(&addition);
}

tilec_status run_fail(tilec_context *context, tilec_status status, const char *hint,
                      const char *format, ...)
{
    char message[1024]; /* names are cut off rather than memory needed */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct failure failure = {&context->report, hint, message};
    if (!guard_run(&context->report.arena, add_failure, &failure))
        run_report_no_memory(context);
    return status;
}

const char *run_did_you_mean(char *buffer, size_t size, const char *best)
{
    if (!best)
        return NULL;
    snprintf(buffer, size, "did you mean '%s'?", best);
    return buffer;
}

/* Reading takes the lock too, though it changes nothing that a caller can see. */
static pthread_mutex_t *lock_of(const tilec_context *context)
{
    return (pthread_mutex_t *)(uintptr_t)&context->lock;
}

size_t tilec_diagnostic_count(const tilec_context *context)
{
    if (!context)
        return 0;
    pthread_mutex_lock(lock_of(context));
    size_t count = context->report.count;
    pthread_mutex_unlock(lock_of(context));
    return count;
}

tilec_status tilec_diagnostic_get(const tilec_context *context, size_t index,
                                  tilec_diagnostic *diagnostic)
{
    if (!context || !diagnostic)
        return TILEC_ERROR_INVALID;
    pthread_mutex_lock(lock_of(context));
    const struct run_report *report = &context->report;
    bool found = index < report->count;
    *diagnostic = (tilec_diagnostic){0};
    if (found)
        *diagnostic = report->items ? report->items[index] : no_memory;
    pthread_mutex_unlock(lock_of(context));
    return found ? TILEC_OK : TILEC_ERROR_INVALID;
}
