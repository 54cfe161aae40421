#ifndef TILEC_LAB_DEVICE_H
#define TILEC_LAB_DEVICE_H
/*
 * Measuring on an NVIDIA GPU: copies of a case's arrays in its memory, one stream for all arms, and
 * samples that are replays of graphs.
 *
 * A kernel of microseconds is over before the next one is launched, so that launches one by one
 * measure the launching. So what a sample dispatches is captured into a graph once, and the graph
 * is replayed: one call, events before and behind it, one wait. All arms are measured so, those of
 * other libraries too. docs/lab.md says what such times include.
 */
#include "lab/problem.h"

#include <tilec/cuda.h>

struct lab_device {
    tilec_context *context;
    void *stream, *begin, *end; /* of all arms */
};

/* False: there is none, or it fails; the context's diagnostics say why. lab_device_close in any
 * case. */
bool lab_device_open(struct lab_device *device, tilec_context *context);
void lab_device_close(struct lab_device *device);

/* Gives each tensor a place in the device's memory, and the inputs their values. */
tilec_status lab_device_attach(const struct lab_device *device, struct lab_data *data);
void lab_device_detach(const struct lab_device *device, struct lab_data *data);
/* The outputs there become those here, and the other way round. */
tilec_status lab_device_poison(const struct lab_device *device, struct lab_data *data);
tilec_status lab_device_fetch(const struct lab_device *device, struct lab_data *data);

enum { LAB_MOST_REPLAYED = 4096 }; /* dispatches in a graph */

struct lab_replay {
    const struct lab_device *device;
    tilec_status (*queue)(void *user); /* one dispatch, on the device's stream */
    void *user;
    void *graph;
    int count; /* of dispatches in the graph */
};

/* Queues once, outside a graph, and waits. */
tilec_status lab_replay_once(struct lab_replay *replay);
/* `count` dispatches; adds the device's seconds between the events. A graph of as many is made when
 * there is none yet. */
tilec_status lab_replay_run(struct lab_replay *replay, int count, double *seconds);
void lab_replay_free(struct lab_replay *replay);

#endif
