/*
 * --time: the median of many launches; see cli.h.
 *
 * On the CPU each launch is timed by the clock. Before each, arrays that the first launch changed
 * hold again what they were given with: else counters ran off the end of what they index, and
 * weights to infinity or 0. On a GPU that would be the time of copies and of launching: the arrays
 * go into the device's memory once, launches into a graph of at least 100 us, and what counts is
 * the device's time between the events around its replays.
 */
#include "base/clock.h"
#include "cli/cli.h"

#include <tilec/cuda.h>

#include <stdlib.h>
#include <string.h>

enum { LEAST_RUNS = 5, MOST_RUNS = 1000, MOST_REPLAYED = 1000, PROBED = 10 };
static const double timed_seconds = 0.5, least_replay = 100e-6;

struct timing {
    struct cli *cli;
    tilec_kernel *kernel;
    const struct cli_values *values;
    tilec_launch_options options;
    tilec_prepared *prepared;
    double *seconds; /* of a run, MOST_RUNS of them */
    int count, batch; /* batch: launches in a run, whose time is theirs over it */
    /* on a GPU */
    tilec_context *context;
    tilec_argument *arguments; /* on the device */
    void *stream, *begin, *end, *graph;
};

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* For about half a second, at least LEAST_RUNS times. */
static tilec_status repeat(struct timing *t, tilec_status (*run)(struct timing *t, double *seconds))
{
    double start = clock_seconds();
    tilec_status status = TILEC_OK;
    t->count = 0;
    while (status == TILEC_OK && t->count < MOST_RUNS &&
           (t->count < LEAST_RUNS || clock_seconds() - start < timed_seconds)) {
        status = run(t, &t->seconds[t->count]);
        t->count += status == TILEC_OK;
    }
    return status;
}

/* ---- what arrays held ------------------------------------------------------------------------ */

int cli_time_keep(tilec_kernel *kernel, struct cli_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        struct cli_array *array = &values->arrays[i];
        tilec_parameter parameter;
        tilec_status status = tilec_kernel_parameter(kernel, i, &parameter);
        if (status != TILEC_OK || parameter.kind != TILEC_BUFFER || parameter.is_const ||
            array->is_new || array->bytes == 0)
            continue;
        array->start = malloc(array->bytes);
        if (!array->start)
            return cli_error("argument '%s': there is no memory for a copy, which --time takes",
                             parameter.name);
        memcpy(array->start, array->data, array->bytes);
    }
    return CLI_FINE;
}

/* Those that the first launch left as they were need no copy. */
static void forget_unchanged(const struct cli_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        struct cli_array *array = &values->arrays[i];
        if (!array->start || memcmp(array->start, array->data, array->bytes) != 0)
            continue;
        free(array->start);
        array->start = NULL;
    }
}

static void put_back(const struct cli_values *values)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->arrays[i].start)
            memcpy(values->arrays[i].data, values->arrays[i].start, values->arrays[i].bytes);
}

/* ---- by the clock ---------------------------------------------------------------------------- */

static tilec_status run_once(struct timing *t, double *seconds)
{
    put_back(t->values);
    double before = clock_seconds();
    tilec_status status = tilec_prepared_run(t->prepared);
    *seconds = clock_seconds() - before;
    return status;
}

static tilec_status time_launches(struct timing *t)
{
    tilec_status status = tilec_prepare(t->kernel, NULL, t->values->arguments, t->values->count,
                                        &t->options, &t->prepared);
    return status == TILEC_OK ? repeat(t, run_once) : status;
}

/* ---- on a GPU -------------------------------------------------------------------------------- */

static tilec_status put_arrays(struct timing *t)
{
    size_t count = t->values->count;
    tilec_status status = TILEC_OK;
    put_back(t->values);
    t->arguments = ARENA_ARRAY(t->cli->arena, tilec_argument, count);
    for (size_t i = 0; i < count; i++)
        t->arguments[i] = t->values->arguments[i];
    for (size_t i = 0; i < count; i++)
        if (t->arguments[i].kind == TILEC_BUFFER)
            t->arguments[i].data = NULL; /* none, should one of them fail */
    for (size_t i = 0; i < count && status == TILEC_OK; i++) {
        const struct cli_array *array = &t->values->arrays[i];
        if (t->arguments[i].kind != TILEC_BUFFER)
            continue;
        status = tilec_cuda_allocate(t->context, array->bytes, &t->arguments[i].data);
        if (status == TILEC_OK)
            status = tilec_cuda_copy(t->context, t->arguments[i].data, array->data, array->bytes,
                                     NULL);
    }
    return status;
}

static tilec_status open_device(struct timing *t)
{
    tilec_status status = tilec_cuda_stream_create(t->context, &t->stream);
    if (status == TILEC_OK)
        status = tilec_cuda_event_create(t->context, &t->begin);
    if (status == TILEC_OK)
        status = tilec_cuda_event_create(t->context, &t->end);
    if (status == TILEC_OK)
        status = put_arrays(t);
    if (status != TILEC_OK)
        return status;
    t->options.stream = t->stream;
    t->options.host_buffers = 0;
    return tilec_prepare(t->kernel, NULL, t->arguments, t->values->count, &t->options,
                         &t->prepared);
}

static tilec_status capture(struct timing *t, int batch)
{
    tilec_status queued = TILEC_OK;
    tilec_cuda_graph_destroy(t->context, t->graph);
    t->graph = NULL;
    t->batch = batch;
    tilec_status status = tilec_cuda_capture_begin(t->context, t->stream);
    if (status != TILEC_OK)
        return status;
    for (int i = 0; i < batch && queued == TILEC_OK; i++)
        queued = tilec_prepared_run(t->prepared);
    status = tilec_cuda_capture_end(t->context, t->stream, &t->graph);
    return queued != TILEC_OK ? queued : status;
}

static tilec_status replay(struct timing *t, double *seconds)
{
    tilec_status status = tilec_cuda_event_record(t->context, t->begin, t->stream);
    if (status == TILEC_OK)
        status = tilec_cuda_graph_launch(t->context, t->graph, t->stream);
    if (status == TILEC_OK)
        status = tilec_cuda_event_record(t->context, t->end, t->stream);
    if (status == TILEC_OK)
        status = tilec_cuda_event_wait(t->context, t->end);
    if (status == TILEC_OK)
        status = tilec_cuda_event_seconds(t->context, t->begin, t->end, seconds);
    *seconds /= t->batch;
    return status;
}

/* As many launches in a graph as take 100 us. */
static tilec_status time_replays(struct timing *t)
{
    double one = 0;
    tilec_status status = open_device(t);
    if (status == TILEC_OK)
        status = capture(t, PROBED);
    for (int i = 0; i < 2 && status == TILEC_OK; i++) /* the first is slower */
        status = replay(t, &one);
    double wanted = one > 0 ? least_replay / one + 1 : PROBED;
    if (status == TILEC_OK)
        status = capture(t, wanted < MOST_REPLAYED ? (int)wanted : MOST_REPLAYED);
    double first;
    if (status == TILEC_OK)
        status = replay(t, &first);
    return status == TILEC_OK ? repeat(t, replay) : status;
}

static void close_device(struct timing *t)
{
    tilec_cuda_graph_destroy(t->context, t->graph);
    for (size_t i = 0; t->arguments && i < t->values->count; i++)
        if (t->arguments[i].kind == TILEC_BUFFER)
            tilec_cuda_free(t->context, t->arguments[i].data);
    if (t->begin)
        tilec_cuda_event_destroy(t->context, t->begin);
    if (t->end)
        tilec_cuda_event_destroy(t->context, t->end);
    if (t->stream)
        tilec_cuda_stream_destroy(t->context, t->stream);
}

/* ---- both ------------------------------------------------------------------------------------ */

static int print_time(struct timing *t, bool replayed)
{
    struct text text;
    double bytes = 0;
    for (size_t i = 0; i < t->values->count; i++)
        bytes += (double)t->values->arrays[i].bytes;
    qsort(t->seconds, (size_t)t->count, sizeof *t->seconds, compare_seconds);
    double median = t->seconds[t->count / 2];
    text_init(&text, t->cli->arena);
    text_format(&text, "%s: median ", tilec_kernel_name(t->kernel));
    text_measured(&text, median * 1e6);
    text_format(&text, " us of %d ", t->count);
    if (replayed)
        text_format(&text, "replays of %d launches, on the device", t->batch);
    else
        text_string(&text, "runs");
    text_format(&text, ", %.4g GB/s (", bytes / median / 1e9);
    text_measured(&text, bytes / 1e6);
    text_string(&text, " MB in arrays)\n");
    return cli_print(text.items, text.count) ? CLI_FINE : CLI_WRONG;
}

int cli_time(struct cli *cli, tilec_kernel *kernel, const struct cli_values *values,
             const tilec_launch_options *options)
{
    const char *target = cli_value(cli, FLAG_TARGET);
    bool replayed = target && strcmp(target, "cuda") == 0;
    struct timing t = {.cli = cli,
                       .kernel = kernel,
                       .values = values,
                       .options = *options,
                       .context = cli->context,
                       .seconds = ARENA_ARRAY(cli->arena, double, MOST_RUNS)};
    forget_unchanged(values);
    t.options.print = NULL; /* the first launch has printed */
    tilec_status status = replayed ? time_replays(&t) : time_launches(&t);
    int result = cli_report(cli, status); /* before what follows has its say */
    tilec_prepared_destroy(t.prepared);
    if (replayed)
        close_device(&t);
    return result == CLI_FINE ? print_time(&t, replayed) : result;
}
