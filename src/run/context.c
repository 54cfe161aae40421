/* Contexts: memory, lock, life time; see run.h. */
#include "run/cuda.h"

#include <stdlib.h>
#include <string.h>

const char *tilec_version(void)
{
    return TILEC_VERSION;
}

/* ---- memory ---------------------------------------------------------------------------------- */

void *run_allocate(tilec_context *context, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    bytes = bytes ? bytes : 1;
    void *memory = context->allocator.allocate(context->allocator.user, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void run_free(tilec_context *context, void *memory)
{
    if (memory)
        context->allocator.release(context->allocator.user, memory);
}

void tilec_release(tilec_context *context, void *memory)
{
    if (context)
        run_free(context, memory);
}

/* ---- options --------------------------------------------------------------------------------- */

/* A struct that starts with a size_t has a multiple of its size. Another number would end within a
 * pointer, half of which is none. */
bool run_is_struct_size(size_t size)
{
    return size != 0 && size % sizeof size == 0;
}

bool run_read_options(void *ours, size_t our_size, const void *theirs)
{
    memset(ours, 0, our_size);
    if (!theirs)
        return true;
    size_t size;
    memcpy(&size, theirs, sizeof size);
    if (!run_is_struct_size(size) || size > 4096)
        return false;
    memcpy(ours, theirs, size < our_size ? size : our_size);
    return true;
}

/* ---- life time ------------------------------------------------------------------------------- */

static void context_free(tilec_context *context)
{
    struct allocator allocator = context->allocator;
    arena_free(&context->report.arena);
    run_scratch_free(context, &context->scratch);
    run_free(context, context->cache_directory);
    run_cuda_close(context);
    free((void *)(uintptr_t)context->nvrtc); /* of calloc; see nvrtc.c */
    pthread_mutex_destroy(&context->lock);
    allocator.release(allocator.user, context);
}

void run_context_retain(tilec_context *context)
{
    atomic_fetch_add(&context->references, 1);
}

void run_context_release(tilec_context *context)
{
    if (atomic_fetch_sub(&context->references, 1) == 1)
        context_free(context);
}

tilec_status tilec_context_create(const tilec_context_options *options, tilec_context **context)
{
    tilec_context_options read;
    if (!context)
        return TILEC_ERROR_INVALID;
    *context = NULL;
    if (!RUN_READ_OPTIONS(&read, options) || !read.allocate != !read.release || read.threads < 0 ||
        read.device < 0)
        return TILEC_ERROR_INVALID;
    struct allocator allocator = allocator_default;
    if (read.allocate)
        allocator = (struct allocator){read.allocate, read.release, read.user};
    tilec_context *made = allocator.allocate(allocator.user, sizeof *made);
    if (!made)
        return TILEC_ERROR_NO_MEMORY;
    memset(made, 0, sizeof *made);
    made->allocator = allocator;
    atomic_init(&made->references, 1);
    arena_init(&made->report.arena, allocator, NULL);
    if (pthread_mutex_init(&made->lock, NULL) != 0) {
        allocator.release(allocator.user, made);
        return TILEC_ERROR_NO_MEMORY;
    }
    made->device = read.device;
    made->most_threads = run_most_threads();
    made->threads = read.threads ? read.threads : run_default_threads();
    if (made->threads > made->most_threads)
        made->threads = made->most_threads;
    made->cache_directory = run_cache_directory(made, read.cache_directory);
    *context = made;
    return TILEC_OK;
}

void tilec_context_destroy(tilec_context *context)
{
    if (!context)
        return;
    run_wait(context);
    run_context_release(context);
}

/* ---- around every public function ------------------------------------------------------------ */

void run_enter(tilec_context *context)
{
    pthread_mutex_lock(&context->lock);
    run_report_clear(context);
}

void run_wait(tilec_context *context)
{
    pthread_mutex_lock(&context->lock);
    pthread_mutex_unlock(&context->lock);
}

tilec_status run_leave(tilec_context *context, tilec_status status)
{
    if (status == TILEC_ERROR_NO_MEMORY && context->report.count == 0)
        run_report_no_memory(context);
    pthread_mutex_unlock(&context->lock);
    return status;
}

tilec_status run_misused(tilec_context *context)
{
    if (!context)
        return TILEC_ERROR_INVALID;
    run_enter(context);
    return run_leave(context, run_fail(context, TILEC_ERROR_INVALID, NULL,
                                       "a pointer that the function needs is NULL"));
}
