/* Arrays and launches of a tuning on a GPU; see autotune.h. */
#include "run/autotune.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes_of(const struct autotune_array *array)
{
    return array->elements * tilec_type_size(array->type);
}

/* From where the caller has it to the host. */
static tilec_status read_array(const tilec_tuning *tuning, const void *given, void *to,
                               size_t bytes)
{
    if (!tuning->tune.host_buffers)
        return tilec_cuda_copy(tuning->context, to, given, bytes, NULL);
    memcpy(to, given, bytes);
    return TILEC_OK;
}

/* The host's view of an array that is not written, for the interpreter. */
static tilec_status make_readable(tilec_tuning *tuning, struct autotune_array *array, void *given)
{
    array->readable = tuning->tune.host_buffers ? given : NULL;
    if (array->readable || !autotune_is_small(tuning))
        return TILEC_OK;
    array->readable = malloc(bytes_of(array) + 1);
    array->owns_readable = true;
    return array->readable ? read_array(tuning, given, array->readable, bytes_of(array))
                           : TILEC_ERROR_NO_MEMORY;
}

/* The device's copy; an array that is not written and lies there already stays the caller's. */
static tilec_status make_device(tilec_tuning *tuning, struct autotune_array *array, void *given)
{
    array->device = given;
    if (!array->bytes && !tuning->tune.host_buffers)
        return TILEC_OK;
    tilec_status status = tilec_cuda_allocate(tuning->context, bytes_of(array), &array->device);
    array->owns_device = status == TILEC_OK;
    if (status == TILEC_OK && !array->bytes)
        status = tilec_cuda_copy(tuning->context, array->device, given, bytes_of(array), NULL);
    return status;
}

static tilec_status open_array(tilec_tuning *tuning, size_t i, void *given)
{
    struct autotune_array *array = &tuning->arrays[i];
    tilec_status status = TILEC_OK;
    if (array->bytes)
        status = read_array(tuning, given, array->start, array->bytes);
    else
        status = make_readable(tuning, array, given);
    if (status == TILEC_OK)
        status = make_device(tuning, array, given);
    tuning->arguments[i].data = array->device;
    return status;
}

tilec_status autotune_open_gpu(tilec_tuning *tuning)
{
    tilec_status status = TILEC_OK;
    if (!tuning->on_gpu)
        return TILEC_OK;
    if (!lab_device_open(&tuning->device, tuning->context))
        return TILEC_ERROR_DEVICE;
    for (size_t i = 0; i < tuning->argument_count && status == TILEC_OK; i++)
        if (tuning->arguments[i].kind == TILEC_BUFFER && tuning->arrays[i].elements)
            status = open_array(tuning, i, tuning->arguments[i].data);
    return status;
}

void autotune_close_gpu(tilec_tuning *tuning)
{
    if (!tuning->on_gpu)
        return;
    for (int p = 0; p < 2; p++)
        lab_replay_free(&tuning->replays[p]);
    for (size_t i = 0; i < tuning->argument_count; i++) {
        struct autotune_array *array = &tuning->arrays[i];
        if (array->owns_device)
            tilec_cuda_free(tuning->context, array->device);
        if (array->owns_readable)
            free(array->readable);
        array->owns_device = array->owns_readable = false;
    }
    lab_device_close(&tuning->device);
}

static tilec_status copy_written(tilec_tuning *tuning, bool back)
{
    tilec_status status = TILEC_OK;
    for (size_t i = 0; i < tuning->argument_count && status == TILEC_OK; i++) {
        struct autotune_array *array = &tuning->arrays[i];
        if (array->bytes)
            status = tilec_cuda_copy(tuning->context, back ? array->work : array->device,
                                     back ? array->device : array->start, array->bytes, NULL);
    }
    return status;
}

tilec_status autotune_to_gpu(tilec_tuning *tuning)
{
    return tuning->on_gpu ? copy_written(tuning, false) : TILEC_OK;
}

tilec_status autotune_from_gpu(tilec_tuning *tuning)
{
    return tuning->on_gpu ? copy_written(tuning, true) : TILEC_OK;
}

/* ---- timing ---------------------------------------------------------------------------------- */

static tilec_status queue(void *user)
{
    return tilec_prepared_run(user);
}

static bool replay(void *user, int count, double *device)
{
    return lab_replay_run(user, count, device) == TILEC_OK;
}

void autotune_replay(tilec_tuning *tuning, struct measure_arm arms[2])
{
    for (int p = 0; p < 2 && tuning->on_gpu; p++) {
        lab_replay_free(&tuning->replays[p]);
        tuning->replays[p] =
            (struct lab_replay){&tuning->device, queue, tuning->prepared[p], NULL, 0};
        arms[p].user = &tuning->replays[p];
        arms[p].run_many = replay;
        arms[p].most_batch = LAB_MOST_REPLAYED;
        arms[p].has_device_time = true;
    }
}
