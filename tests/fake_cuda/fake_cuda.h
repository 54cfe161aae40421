#ifndef TILEC_TESTS_FAKE_CUDA_H
#define TILEC_TESTS_FAKE_CUDA_H
/* What the stand-in for NVIDIA's driver saw, and what it shall do; see fake_cuda.c. */
#include "run/cuda_driver.h"

struct fake_cuda {
    int launches, modules, allocations, waits, context_depth;
    int fail_launch, fail_wait; /* errors that these give from now on; 0: none */
    struct cuda_launch_config config;
    int overlaps;         /* of the last launch */
    int clusters; /* that the device runs at once */
    uint64_t values[8];   /* the first eight parameters' first bytes, as far as wanted */
    int value_bytes[8];   /* how many bytes of them to read; 0 ends them */
    /* What a launch does in place of nothing: a test's own code, given the function's name. */
    void (*kernel)(const char *function, const struct cuda_launch_config *config,
                   void **parameters);
    int captures, graphs, graph_launches; /* begun; alive; in all */
    int fail_capture_end;
    int calls, fail_call, fail_error; /* so far; which of them fails (from 1 on; 0: none), and how */
    const char *failed;               /* the function that did */
};

/* Found by dlsym in libfake_cuda.so. */
struct fake_cuda *fake_cuda_state(void);

#endif
