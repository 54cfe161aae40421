/* Device memory, streams, events and graphs of the public interface; see tilec/cuda.h. */
#include "run/cuda.h"

#include <tilec/cuda.h>

/* A call on the device: from open to finish the lock and the device's context are held. */
struct call {
    tilec_context *context;
    struct run_cuda *cuda;
    const struct cuda_driver *driver;
    tilec_status status;
    bool entered;
};

static bool open(struct call *call, tilec_context *context)
{
    char why[256];
    run_enter(context);
    *call = (struct call){.context = context, .cuda = run_cuda_open(context, why, sizeof why)};
    if (!call->cuda) {
        call->status =
            run_fail(context, TILEC_ERROR_TARGET, "'tilec devices' lists what can be used here",
                     "the target 'cuda' is not available: %s", why);
        return false;
    }
    call->driver = &call->cuda->driver;
    int error = run_cuda_enter(call->cuda, &call->entered);
    if (error)
        call->status = run_cuda_error(context, call->cuda, error, "the device cannot be used");
    return !error;
}

static tilec_status finish(struct call *call)
{
    if (call->cuda)
        run_cuda_leave(call->cuda, call->entered);
    return run_leave(call->context, call->status);
}

/* Finishes with what the driver said; `what` tells what did not happen. */
static tilec_status outcome(struct call *call, int error, const char *what)
{
    if (error)
        call->status = run_cuda_error(call->context, call->cuda, error, "%s", what);
    return finish(call);
}

/* ---- memory ---------------------------------------------------------------------------------- */

tilec_status tilec_cuda_allocate(tilec_context *context, size_t bytes, void **memory)
{
    struct call call;
    cuda_pointer pointer = 0;
    if (memory)
        *memory = NULL;
    if (!context || !memory)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    int error = call.driver->allocate(&pointer, bytes ? bytes : 1);
    *memory = error ? NULL : (void *)(uintptr_t)pointer;
    if (error)
        call.status = run_cuda_error(context, call.cuda, error,
                                     "%zu bytes of device memory cannot be had", bytes);
    return finish(&call);
}

tilec_status tilec_cuda_free(tilec_context *context, void *memory)
{
    struct call call;
    if (!context)
        return run_misused(context);
    if (!memory)
        return TILEC_OK;
    if (!open(&call, context))
        return finish(&call);
    return outcome(&call, call.driver->free((cuda_pointer)(uintptr_t)memory),
                   "device memory cannot be freed");
}

tilec_status tilec_cuda_copy(tilec_context *context, void *to, const void *from, size_t bytes,
                             void *stream)
{
    struct call call;
    if (!context || (bytes && (!to || !from)))
        return run_misused(context);
    if (!bytes)
        return TILEC_OK;
    if (!open(&call, context))
        return finish(&call);
    int error = call.driver->copy((cuda_pointer)(uintptr_t)to, (cuda_pointer)(uintptr_t)from, bytes,
                                  stream);
    if (!error && !stream)
        error = call.driver->stream_wait(NULL);
    return outcome(&call, error, "the copy fails");
}

tilec_status tilec_cuda_fill(tilec_context *context, void *memory, int byte, size_t bytes,
                             void *stream)
{
    struct call call;
    if (!context || (bytes && !memory))
        return run_misused(context);
    if (!bytes)
        return TILEC_OK;
    if (!open(&call, context))
        return finish(&call);
    int error = call.driver->fill((cuda_pointer)(uintptr_t)memory, (unsigned char)byte, bytes,
                                  stream);
    if (!error && !stream)
        error = call.driver->stream_wait(NULL);
    return outcome(&call, error, "the fill fails");
}

/* ---- streams and events ---------------------------------------------------------------------- */

tilec_status tilec_cuda_stream_create(tilec_context *context, void **stream)
{
    enum { NON_BLOCKING = 1 }; /* it does not wait for the default stream */
    struct call call;
    cuda_stream made = NULL;
    if (stream)
        *stream = NULL;
    if (!context || !stream)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    int error = call.driver->stream_create(&made, NON_BLOCKING);
    *stream = error ? NULL : made;
    return outcome(&call, error, "a stream cannot be made");
}

tilec_status tilec_cuda_stream_destroy(tilec_context *context, void *stream)
{
    struct call call;
    if (!context)
        return run_misused(context);
    if (!stream)
        return TILEC_OK;
    if (!open(&call, context))
        return finish(&call);
    return outcome(&call, call.driver->stream_destroy(stream), "the stream cannot be destroyed");
}

tilec_status tilec_cuda_stream_wait(tilec_context *context, void *stream)
{
    struct call call;
    if (!context)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    return outcome(&call, call.driver->stream_wait(stream), "work on the stream failed");
}

tilec_status tilec_cuda_event_create(tilec_context *context, void **event)
{
    struct call call;
    cuda_event made = NULL;
    if (event)
        *event = NULL;
    if (!context || !event)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    int error = call.driver->event_create(&made, 0);
    *event = error ? NULL : made;
    return outcome(&call, error, "an event cannot be made");
}

tilec_status tilec_cuda_event_destroy(tilec_context *context, void *event)
{
    struct call call;
    if (!context)
        return run_misused(context);
    if (!event)
        return TILEC_OK;
    if (!open(&call, context))
        return finish(&call);
    return outcome(&call, call.driver->event_destroy(event), "the event cannot be destroyed");
}

tilec_status tilec_cuda_event_record(tilec_context *context, void *event, void *stream)
{
    struct call call;
    if (!context || !event)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    return outcome(&call, call.driver->event_record(event, stream), "the event cannot be recorded");
}

tilec_status tilec_cuda_event_wait(tilec_context *context, void *event)
{
    struct call call;
    if (!context || !event)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    return outcome(&call, call.driver->event_wait(event), "work before the event failed");
}

tilec_status tilec_cuda_stream_after(tilec_context *context, void *stream, void *event)
{
    struct call call;
    if (!context || !event)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    return outcome(&call, call.driver->stream_after(stream, event, 0),
                   "the stream cannot wait for the event");
}

tilec_status tilec_cuda_event_seconds(tilec_context *context, void *begin, void *end,
                                      double *seconds)
{
    struct call call;
    float milliseconds = 0;
    if (seconds)
        *seconds = 0;
    if (!context || !begin || !end || !seconds)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    int error = call.driver->event_elapsed(&milliseconds, begin, end);
    *seconds = error ? 0 : 1e-3 * (double)milliseconds;
    return outcome(&call, error, "the time between the events is not known");
}

/* ---- graphs ---------------------------------------------------------------------------------- */

tilec_status tilec_cuda_capture_begin(tilec_context *context, void *stream)
{
    struct call call;
    if (!context || !stream)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    return outcome(&call, call.driver->capture_begin(stream, CUDA_CAPTURE_RELAXED),
                   "the stream cannot be captured");
}

/* Uploaded at once, so that the first launch is like the others. */
static int make_graph(const struct cuda_driver *d, cuda_graph captured, cuda_stream stream,
                      cuda_graph_exec *made)
{
    int error = d->graph_make(made, captured, 0);
    if (error)
        return error;
    error = d->graph_upload(*made, stream);
    if (error)
        d->graph_free(*made);
    return error;
}

tilec_status tilec_cuda_capture_end(tilec_context *context, void *stream, void **graph)
{
    struct call call;
    cuda_graph captured = NULL;
    cuda_graph_exec made = NULL;
    if (graph)
        *graph = NULL;
    if (!context || !stream || !graph)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    int error = call.driver->capture_end(stream, &captured);
    if (!error)
        error = make_graph(call.driver, captured, stream, &made);
    if (captured)
        call.driver->graph_destroy(captured);
    *graph = error ? NULL : made;
    return outcome(&call, error, "what was queued makes no graph");
}

tilec_status tilec_cuda_graph_launch(tilec_context *context, void *graph, void *stream)
{
    struct call call;
    if (!context || !graph)
        return run_misused(context);
    if (!open(&call, context))
        return finish(&call);
    int error = call.driver->graph_launch(graph, stream);
    if (!error && !stream)
        error = call.driver->stream_wait(NULL);
    return outcome(&call, error, "the graph cannot be launched");
}

tilec_status tilec_cuda_graph_destroy(tilec_context *context, void *graph)
{
    struct call call;
    if (!context)
        return run_misused(context);
    if (!graph)
        return TILEC_OK;
    if (!open(&call, context))
        return finish(&call);
    return outcome(&call, call.driver->graph_free(graph), "the graph cannot be destroyed");
}
