/* Public functions that return text; see call.h. */
#include "lab/call.h"
#include "base/guard.h"
#include "base/json_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tilec_lab_text_free(tilec_lab_text *text)
{
    if (!text)
        return;
    free(text->text);
    free(text->error);
    *text = (tilec_lab_text){0};
}

void lab_call_fail(struct lab_call *call, tilec_status status, const char *format, ...)
{
    va_list arguments;
    char message[1024];
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    call->status = status;
    call->error = arena_format(&call->arena, "%s", message);
}

json_t *lab_call_read(struct lab_call *call, const char *path, const char **bytes, size_t *length)
{
    if (call->file_count == LAB_MAX_FILES) {
        lab_call_fail(call, TILEC_ERROR_INVALID, "more than %d files", LAB_MAX_FILES);
        return NULL;
    }
    const char *error = NULL;
    json_t *json = json_text_read(&call->arena, path, bytes, length, &error);
    if (json)
        call->files[call->file_count++] = json;
    else
        lab_call_fail(call, TILEC_ERROR_IO, "%s", error);
    return json;
}

bool lab_read_options(void *ours, size_t our_size, const void *theirs)
{
    size_t size = our_size;
    memset(ours, 0, our_size);
    if (theirs)
        memcpy(&size, theirs, sizeof size);
    if (size == 0 || size % sizeof size != 0 || size > 4 * our_size)
        return false;
    if (theirs)
        memcpy(ours, theirs, size < our_size ? size : our_size);
    memcpy(ours, &our_size, sizeof our_size);
    return true;
}

bool lab_options_read(tilec_lab_options *ours, const tilec_lab_options *theirs)
{
    return lab_read_options(ours, sizeof *ours, theirs);
}

struct running {
    struct lab_call *call;
    void (*work)(struct lab_call *call);
};

static void run(void *user)
{
    struct running *running = user;
    text_init(&running->call->out, &running->call->arena);
    running->work(running->call);
}

/* Texts of strangers' files may hold what a terminal obeys. */
static void make_printable(char *text)
{
    for (; text && *text; text++)
        if (((unsigned char)*text < 0x20 && *text != '\n' && *text != '\t') || *text == 0x7f)
            *text = '?';
}

/* Copies into memory of the caller's; the status, or NO_MEMORY. */
static tilec_status deliver(const struct lab_call *call, tilec_lab_text *text)
{
    if (call->error) {
        text->error = strdup(call->error);
        if (!text->error)
            return TILEC_ERROR_NO_MEMORY;
    }
    if (call->out.count) {
        text->text = malloc(call->out.count + 1);
        if (!text->text)
            return TILEC_ERROR_NO_MEMORY;
        memcpy(text->text, call->out.items, call->out.count + 1);
        text->length = call->out.count;
    }
    make_printable(text->text);
    make_printable(text->error);
    return call->status;
}

tilec_status lab_call_run(void (*work)(struct lab_call *call), const void *arguments,
                          tilec_lab_text *text)
{
    if (!text)
        return TILEC_ERROR_INVALID;
    struct lab_call call = {.arguments = arguments};
    struct running running = {&call, work};
    *text = (tilec_lab_text){0};
    arena_init(&call.arena, allocator_default, NULL);
    tilec_status status = TILEC_ERROR_NO_MEMORY;
    if (guard_run(&call.arena, run, &running))
        status = deliver(&call, text);
    for (int i = 0; i < call.file_count; i++)
        json_decref(call.files[i]);
    free(call.owned);
    arena_free(&call.arena);
    return status;
}
