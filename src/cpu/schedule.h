#ifndef TILEC_CPU_SCHEDULE_H
#define TILEC_CPU_SCHEDULE_H
/*
 * The order in which a region's ops run, and what runs in one loop nest.
 *
 * A region becomes a list of steps: a scalar op, a group of tile ops (one loop nest), a collective
 * over scratch buffers, a control op, or a copy between buffers. A group has a shape and sinks: the
 * things that must happen (stores, atomics, reductions, tiles written to scratch memory). All other
 * tile ops belong to no group; they are made inside the nests of the sinks that want them.
 */
#include "cpu/emit.h"

enum cpu_sink_kind {
    CPU_SINK_STORE,      /* op: store, view_store */
    CPU_SINK_ATOMIC,     /* op; buffer: for the old values, or NULL */
    CPU_SINK_REDUCE,     /* op; buffer: of a tile result */
    CPU_SINK_BUFFER,     /* value is written to buffer */
};

struct cpu_sink {
    enum cpu_sink_kind kind;
    struct ir_op *op;
    struct ir_value *value;
    struct cpu_buffer *buffer, *indices; /* indices: of argmax and argmin along an outer axis */
    struct cpu_reduction_state *state;   /* while the nest is emitted */
    bool turns;     /* with the group's others that do: made before any of them is written */
    bool kept;      /* a load, before a store that may spoil it */
    bool only_made; /* and nothing outside of the nest wants it: it is not written */
};

struct cpu_access { /* user memory that a group touches */
    struct ir_op *op;
    bool whole; /* element i of the group is element i of the op's tile */
};

struct cpu_pair { /* of accesses */
    const struct ir_op *a, *b;
};

struct cpu_schedule;

struct cpu_group {
    struct ir_type shape;
    struct {
        struct cpu_sink *items;
        size_t count, capacity;
    } sinks;
    struct {
        struct cpu_access *items;
        size_t count, capacity;
    } accesses;
    struct {
        struct cpu_pair *items;
        size_t count, capacity;
    } asked; /* that are taken for apart, which is asked as it runs (apart.c) */
    struct {
        const struct cpu_buffer **items;
        size_t count, capacity;
    } moved; /* buffers that the nest reads at other positions than its own */
    struct {
        struct ir_op **items;
        size_t count, capacity;
    } scalars; /* pure ops that wait for the group's results */
    struct cpu_schedule *schedule;
};

enum cpu_step_kind {
    CPU_STEP_SCALAR,
    CPU_STEP_GROUP,
    CPU_STEP_COLLECTIVE,
    CPU_STEP_CONTROL,
    CPU_STEP_COPY
};

struct cpu_step {
    enum cpu_step_kind kind;
    struct ir_op *op;
    struct cpu_group *group; /* of a dot: what copies its second operand where it must, or NULL */
    struct cpu_buffer *from, *to;
};

struct cpu_schedule {
    struct cpu_emit *e;
    struct ir_region *region;
    struct cpu_buffer **targets; /* of the terminator's operands, or NULL */
    struct cpu_group *open; /* the last group, which may still grow; not in steps yet */
    struct {
        struct cpu_step *items;
        size_t count, capacity;
    } steps;
    struct {
        struct ir_op **items;
        size_t count, capacity;
    } loads; /* tile loads met so far that have no buffer */
    struct {
        struct ir_value **items;
        size_t count, capacity;
    } borrowed; /* values of outer regions that got a buffer here */
    struct {
        struct cpu_hidden {
            struct ir_value *value;
            struct cpu_buffer *buffer;
        } *items;
        size_t count, capacity;
    } hidden; /* values of outer regions whose buffer is only written after this region */
    unsigned epoch;
};

/* Schedules the region; tile operands of its terminator go to targets[i] (NULL for scalars). */
void cpu_schedule_region(struct cpu_schedule *s, struct cpu_emit *e, struct ir_region *region,
                         struct cpu_buffer **targets);
/* Forgets what was made for this region alone; to be called after the steps were emitted. */
void cpu_schedule_end(struct cpu_schedule *s);

#endif
