/* Measuring on an NVIDIA GPU; see device.h. */
#include "lab/device.h"

#include <string.h>

/* ---- the device ------------------------------------------------------------------------------ */

bool lab_device_open(struct lab_device *device, tilec_context *context)
{
    *device = (struct lab_device){.context = context};
    return tilec_cuda_stream_create(context, &device->stream) == TILEC_OK &&
           tilec_cuda_event_create(context, &device->begin) == TILEC_OK &&
           tilec_cuda_event_create(context, &device->end) == TILEC_OK;
}

void lab_device_close(struct lab_device *device)
{
    if (device->begin)
        tilec_cuda_event_destroy(device->context, device->begin);
    if (device->end)
        tilec_cuda_event_destroy(device->context, device->end);
    if (device->stream)
        tilec_cuda_stream_destroy(device->context, device->stream);
    *device = (struct lab_device){0};
}

/* ---- arrays ---------------------------------------------------------------------------------- */

tilec_status lab_device_attach(const struct lab_device *device, struct lab_data *data)
{
    tilec_status status = TILEC_OK;
    for (int t = 0; t < data->tensor_count; t++)
        data->tensors[t].place = NULL; /* none, should one of them fail */
    for (int t = 0; t < data->tensor_count && status == TILEC_OK; t++) {
        struct lab_tensor *tensor = &data->tensors[t];
        status = tilec_cuda_allocate(device->context, tensor->bytes, &tensor->place);
        if (status == TILEC_OK)
            status = tilec_cuda_copy(device->context, tensor->place, tensor->data, tensor->bytes,
                                     NULL);
    }
    return status;
}

void lab_device_detach(const struct lab_device *device, struct lab_data *data)
{
    for (int t = 0; t < data->tensor_count; t++) {
        struct lab_tensor *tensor = &data->tensors[t];
        if (tensor->place && tensor->place != tensor->data)
            tilec_cuda_free(device->context, tensor->place);
        tensor->place = tensor->data;
    }
}

static tilec_status copy_outputs(const struct lab_device *device, struct lab_data *data, bool fetch)
{
    tilec_status status = TILEC_OK;
    for (int t = 0; t < data->tensor_count && status == TILEC_OK; t++) {
        struct lab_tensor *tensor = &data->tensors[t];
        void *to = fetch ? tensor->data : tensor->place;
        const void *from = fetch ? tensor->place : tensor->data;
        if (tensor->output)
            status = tilec_cuda_copy(device->context, to, from, tensor->bytes, NULL);
    }
    return status;
}

tilec_status lab_device_poison(const struct lab_device *device, struct lab_data *data)
{
    return copy_outputs(device, data, false);
}

tilec_status lab_device_fetch(const struct lab_device *device, struct lab_data *data)
{
    return copy_outputs(device, data, true);
}

/* ---- replays --------------------------------------------------------------------------------- */

tilec_status lab_replay_once(struct lab_replay *replay)
{
    const struct lab_device *d = replay->device;
    tilec_status status = replay->queue(replay->user);
    return status == TILEC_OK ? tilec_cuda_stream_wait(d->context, d->stream) : status;
}

/* The capture ends even when a dispatch failed. */
static tilec_status capture(struct lab_replay *replay, int count)
{
    const struct lab_device *d = replay->device;
    tilec_status queued = TILEC_OK;
    lab_replay_free(replay);
    tilec_status status = tilec_cuda_capture_begin(d->context, d->stream);
    if (status != TILEC_OK)
        return status;
    for (int i = 0; i < count && queued == TILEC_OK; i++)
        queued = replay->queue(replay->user);
    status = tilec_cuda_capture_end(d->context, d->stream, &replay->graph);
    replay->count = count;
    return queued != TILEC_OK ? queued : status;
}

tilec_status lab_replay_run(struct lab_replay *replay, int count, double *seconds)
{
    const struct lab_device *d = replay->device;
    double passed = 0;
    tilec_status status = TILEC_OK;
    if (!replay->graph || replay->count != count)
        status = capture(replay, count);
    if (status == TILEC_OK)
        status = tilec_cuda_event_record(d->context, d->begin, d->stream);
    if (status == TILEC_OK)
        status = tilec_cuda_graph_launch(d->context, replay->graph, d->stream);
    if (status == TILEC_OK)
        status = tilec_cuda_event_record(d->context, d->end, d->stream);
    if (status == TILEC_OK)
        status = tilec_cuda_event_wait(d->context, d->end);
    if (status == TILEC_OK)
        status = tilec_cuda_event_seconds(d->context, d->begin, d->end, &passed);
    *seconds += passed;
    return status;
}

void lab_replay_free(struct lab_replay *replay)
{
    if (replay->graph)
        tilec_cuda_graph_destroy(replay->device->context, replay->graph);
    replay->graph = NULL;
    replay->count = 0;
}
