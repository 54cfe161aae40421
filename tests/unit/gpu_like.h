#ifndef TILEC_TESTS_GPU_LIKE_H
#define TILEC_TESTS_GPU_LIKE_H
/* A GPU like NVIDIA's, for tests without one: vectors must be aligned, and each thread adds up the
 * partial results of a block. Initialisers of a struct gpu_target, for more to follow. */
#include "gpu/gpu.h"

#define GPU_LIKE_NVIDIA                                                                            \
    .shared_bytes = 49152, .most_registers = 1024, .vector_elements = 8, .vector_bytes = 16,       \
    .loads = gpu_loads_nvidia, .most_partials = 16

#endif
