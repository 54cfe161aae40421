#ifndef TILEC_RUN_CUDA_H
#define TILEC_RUN_CUDA_H
/*
 * The device "cuda": an NVIDIA GPU through its driver.
 *
 *   cuda_device.c   the device of a context: opening, describing, errors as statuses
 *   cuda_kernel.c   a kernel's code: compiled, kept on the disk, loaded
 *   cuda_launch.c   launches, and buffers in host memory
 *   cuda_memory.c   memory, streams and events of the public interface
 *
 * The device's primary context is used, which is the one that CUDA's run time and what is built on
 * it use too; it is made current for the time of a call and no longer.
 */
#include "gpu/bound.h"
#include "run/cuda_driver.h"
#include "run/host_function.h"
#include "run/nvrtc.h"
#include "run/run.h"

struct run_cuda {
    struct cuda_driver driver;
    cuda_device device;
    cuda_context context;
    char arch[16];        /* "sm_90a" */
    char description[256]; /* "NVIDIA H200, sm_90a, 132 multiprocessors, ..." */
};

/* The context's device, opened when first asked for; NULL with a reason. */
struct run_cuda *run_cuda_open(tilec_context *context, char *why, size_t size);
void run_cuda_close(tilec_context *context);

/* Around every use: makes the device's context current, and what was current before again. *entered
 * is for leave. The driver's error, where it fails: nothing may be done on the device then. */
int run_cuda_enter(struct run_cuda *cuda, bool *entered);
void run_cuda_leave(struct run_cuda *cuda, bool entered);

/* Adds an error that says what failed ("the launch of kernel 'x'"). */
tilec_status run_cuda_error(tilec_context *context, const struct run_cuda *cuda, int error,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- kernels --------------------------------------------------------------------------------- */

enum { CUDA_MOST_VARIANTS = 24, CUDA_MOST_VALUES = 4 };

/* Code for arguments of which more or less is known. */
struct cuda_variant {
    uint64_t aligned;  /* see gpu_plan; of the kernel's parameters that matter */
    bool short_arrays; /* likewise */
    bool folded;       /* made for grids along one axis, whose sizes are the last parameters */
    bool alone;        /* one block runs a program */
    bool overlaps;     /* launches of it may begin while the one before ends */
    bool many, minds_programs; /* made for GPU_MANY_PROGRAMS and more; is not for other numbers */
    bool crowd, minds_crowd;   /* likewise, for GPU_CROWD along x */
    bool is_long;              /* made for long_launch programs of the kernel's and more */
    struct gpu_known_range bound;   /* of how much of a tile there is (gpu/bound.h) */
    struct host_function *prologue; /* its results follow the kernel's own parameters; or NULL */
    int uniform_count;              /* of them */
    cuda_module module;
    cuda_function function;
    unsigned threads, blocks; /* of a block; that run a program */
    unsigned programs; /* or that a block runs; more than one: the last parameter is the grid's
                          first size */
    unsigned dynamic_shared_bytes;
};

struct cuda_kernel { /* kernel->device */
    struct run_cuda *cuda;
    const struct ir_kernel *ir; /* optimised, to be lowered again */
    const struct gpu_plan *plan;
    struct gpu_options passes; /* the caller's, for every variant; dumps are of the first alone */
    const char *function_name, *arch;
    uint64_t relevant; /* parameters that any variant depends on */
    int long_launch;   /* programs from which on code is another; 0: it never is */
    struct gpu_tile_bound bound;
    int value_count; /* of the bound, that have code of their own */
    int64_t values[CUDA_MOST_VALUES];
    int variant_count;
    struct cuda_variant variants[CUDA_MOST_VARIANTS];
    struct host_function *grid, *needs, **conditions; /* of launch_require */
    bool relaxed;
};

void run_cuda_unload(tilec_kernel *kernel);
/* Programs along the axis x that is launched. */
int64_t run_cuda_width(const struct run_launch *launch);
/* The variant for the launch's arguments, made if there is none yet. */
tilec_status run_cuda_choose(struct run_launch *launch);

/* ---- launches -------------------------------------------------------------------------------- */

struct cuda_launch { /* launch->device */
    const struct cuda_variant *variant;
    cuda_stream stream;
    bool waits;        /* for the end */
    bool host_buffers; /* they are copied around the launch */
    bool overlap;      /* with the launch before it on the stream */
    bool folded;       /* the grid is launched along its first axis */
    void **parameters; /* of the function: where their values lie */
    uint64_t *uniforms;   /* values of the prologue, then the grid's if it is folded, then its size
                             along x */
    cuda_event events[2]; /* before and behind the kernel, where its time is asked for */
    int room;           /* for so many */
    int error;         /* of the driver; the last run's */
};

#endif
