#ifndef TILEC_TESTS_GPU_MACHINE_H
#define TILEC_TESTS_GPU_MACHINE_H
/*
 * Runs GPU IR, for tests: all threads of a program in lockstep, one op at a time.
 *
 * It finds what lockstep would hide: barriers and collective ops that not all threads reach, and
 * accesses of different threads to one element, one of them a write, with no barrier between. And
 * it checks that accesses lie in a buffer or threadgroup array. Of a program that a cluster runs
 * each block has its copy of every threadgroup array, one behind the other. An asynchronous copy
 * writes from its start to its thread's wait: garbage first, what it copies only then. A
 * warpgroup's product reads from its start to its threads' wait: what it reads must be the same at
 * both, and be published. The code is in the folder gpu_machine.
 */
#include "gpu/gpu.h"
#include "plan/instruction.h"

enum { MACHINE_AREAS = 64, MACHINE_MANY = -2 };

struct machine_cell {            /* of one byte of memory */
    int writer, reader, updater; /* threads; MACHINE_MANY: several; updater: by atomic operations */
    int write_epoch, read_epoch, update_epoch;
    int fences; /* of the writer, before it wrote: copies_publish */
};

struct machine_area {
    char *begin;
    int64_t bytes;
    bool shared;
    struct machine_cell *cells;
};

/* A copy that its thread has not waited for. */
struct machine_pending {
    const struct ir_op *op;
    int thread, group; /* of its thread's groups, which count from 0 */
    uint64_t to, from;
    int64_t bytes;
    bool valid;
};

/* A warpgroup's product that its threads have not waited for. */
struct machine_product {
    const struct ir_op *op;
    int first, group;    /* thread; and of the warpgroup's groups */
    uint64_t a, b, seen; /* where, and what was read */
};

struct machine;

/* Told of loads of buffers and of fetches, as far as their masks hold. */
typedef void machine_reader(void *user, const struct machine *m, const struct ir_op *op, int thread,
                            uint64_t address);

struct machine {
    const struct gpu_kernel *kernel;
    int threads;
    int64_t program[3], grid[3];
    struct machine_area areas[MACHINE_AREAS];
    int area_count;
    int shared_epoch, device_epoch;
    struct machine_pending *pending;
    size_t pending_count, pending_capacity;
    int *groups; /* by thread: committed groups of copies */
    int *fences; /* likewise: copies_publish */
    int *product_groups; /* by its first thread: a warpgroup's committed groups */
    struct machine_product *products;
    size_t product_count, product_capacity;
    long steps;
    machine_reader *on_read; /* or NULL */
    void *user;
    char fault[256]; /* empty: none */
};

struct machine_value {
    int width;
    uint64_t *bits; /* threads * width */
};

struct machine_argument {
    uint64_t bits; /* of a scalar */
    void *data;    /* of a pointer */
    int64_t bytes;
};

/* NULL, or what went wrong (text of the machine given). */
const char *machine_run(struct machine *m, const struct gpu_kernel *kernel,
                        const struct machine_argument *arguments, const int64_t *grid);
/* The same; on_read is told of what is read. */
const char *machine_run_reading(struct machine *m, const struct gpu_kernel *kernel,
                                const struct machine_argument *arguments, const int64_t *grid,
                                machine_reader *on_read, void *user);

/* Row and column of a lane's element of a fragment. */
void machine_place(const struct gpu_fragment *f, int lane, int reg, int *row, int *column);

#endif
