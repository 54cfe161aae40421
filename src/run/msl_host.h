#ifndef TILEC_RUN_MSL_HOST_H
#define TILEC_RUN_MSL_HOST_H
/*
 * The device "msl-host": runs Metal Shading Language on Linux, to prove that it is right.
 *
 * clang++ compiles the text against a metal_stdlib of ours (msl/metal_stdlib), every thread of a
 * threadgroup is a fiber, and every load and store is checked. What is found: accesses outside of
 * buffers, misaligned ones, reads of threadgroup memory that nobody wrote, races within and between
 * threadgroups, barriers and SIMD collectives that not all threads reach. See docs/msl-host.md.
 *
 * The text becomes native code in this process: run none that you would not run as a program.
 */
#include "base/diagnostics.h"

enum {
    MSL_HOST_BUFFERS = 31, /* Metal's limits */
    MSL_HOST_THREADS = 1024,
    MSL_HOST_SHARED_BYTES = 32768,
};

struct msl_host_program;

/* Whether there is a clang++ to compile with. */
bool msl_host_available(void);

/*
 * Compiles text, which may hold many kernels. trusted: the text is this compiler's own, or the user
 * has said that it may run; without that it is refused. NULL with errors in diagnostics; *misfit
 * (may be NULL): the machine's temporary folder is to blame, and no text. Freed with msl_host_free;
 * NULL is allowed there.
 */
struct msl_host_program *msl_host_compile(const char *text, size_t length, bool trusted,
                                          bool *misfit, struct diagnostics *diagnostics);
void msl_host_free(struct msl_host_program *program);
/* Of threadgroup memory, of all kernels together, as compiled. */
size_t msl_host_shared_bytes(const struct msl_host_program *program);

struct msl_host_buffer {
    void *data; /* written back unless the launch faults; NULL: not bound */
    size_t size;
};

struct msl_host_launch {
    const char *kernel;                    /* NULL: the first one */
    uint32_t groups[3];                    /* threadgroups per grid */
    uint32_t threads[3];                   /* threads per threadgroup */
    const struct msl_host_buffer *buffers; /* by buffer index; constants are buffers too */
    size_t buffer_count;
    const char *const *names; /* of buffers, for messages; NULL: those of the text */
    /* Threadgroups to run, as their places in the grid; only_count 0: all. */
    const uint32_t (*only)[3];
    size_t only_count;
    uint64_t order; /* of the threads: 0 forward, 1 backward, others: shuffled with this seed */
};

/* Runs one launch; one at a time per program, as threadgroup variables are static. False: the first
 * fault is in diagnostics, and the buffers are as they were. */
bool msl_host_run(struct msl_host_program *program, const struct msl_host_launch *launch,
                  struct diagnostics *diagnostics);

#endif
