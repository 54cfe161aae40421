/*
 * tilec/cuda.h: memory, streams and events of the target "cuda"; docs/cuda.md explains with examples.
 * The rules of tilec/tilec.h hold.
 */
#ifndef TILEC_CUDA_H
#define TILEC_CUDA_H

#include <tilec/tilec.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Buffers of kernels for the target "cuda" are addresses on the device: a CUdeviceptr of the
 * caller's, whoever allocated it, or memory from here. Streams and events are CUstream and CUevent,
 * the caller's or from here. A stream of NULL: the call waits until it is done. On a stream the
 * call returns at once; what fails later is reported by the call that waits for it, and by all
 * calls after it, as TILEC_ERROR_DEVICE.
 *
 * Errors: TARGET (there is no device), NO_MEMORY (the device's), DEVICE, INVALID. All functions may
 * be called while a stream is captured into a graph where CUDA allows it; launches are such calls.
 */
TILEC_API tilec_status tilec_cuda_allocate(tilec_context *context, size_t bytes, void **memory);
TILEC_API tilec_status tilec_cuda_free(tilec_context *context, void *memory); /* NULL: nothing */
/* Between host and device in any direction; host memory that is not pinned is copied before the call
 * returns. */
TILEC_API tilec_status tilec_cuda_copy(tilec_context *context, void *to, const void *from,
                                       size_t bytes, void *stream);
TILEC_API tilec_status tilec_cuda_fill(tilec_context *context, void *memory, int byte, size_t bytes,
                                       void *stream);
TILEC_API tilec_status tilec_cuda_stream_create(tilec_context *context, void **stream);
TILEC_API tilec_status tilec_cuda_stream_destroy(tilec_context *context, void *stream);
TILEC_API tilec_status tilec_cuda_stream_wait(tilec_context *context, void *stream);
/* What is queued from now on starts after the event. */
TILEC_API tilec_status tilec_cuda_stream_after(tilec_context *context, void *stream, void *event);
TILEC_API tilec_status tilec_cuda_event_create(tilec_context *context, void **event);
TILEC_API tilec_status tilec_cuda_event_destroy(tilec_context *context, void *event);
TILEC_API tilec_status tilec_cuda_event_record(tilec_context *context, void *event, void *stream);
TILEC_API tilec_status tilec_cuda_event_wait(tilec_context *context, void *event);
/* Of the device's clock, between two events that have happened. */
TILEC_API tilec_status tilec_cuda_event_seconds(tilec_context *context, void *begin, void *end,
                                                double *seconds);

/*
 * What is queued on a stream between begin and end is not run but becomes a graph (a CUgraphExec), which
 * can be run many times, at less cost than its launches one by one. Launches that are to be captured are
 * prepared before. The stream may not be NULL, and every begin needs its end, after a failure too.
 */
TILEC_API tilec_status tilec_cuda_capture_begin(tilec_context *context, void *stream);
TILEC_API tilec_status tilec_cuda_capture_end(tilec_context *context, void *stream, void **graph);
TILEC_API tilec_status tilec_cuda_graph_launch(tilec_context *context, void *graph, void *stream);
TILEC_API tilec_status tilec_cuda_graph_destroy(tilec_context *context, void *graph); /* NULL: nothing */

#ifdef __cplusplus
}
#endif

#endif
