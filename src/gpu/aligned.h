#ifndef TILEC_GPU_ALIGNED_H
#define TILEC_GPU_ALIGNED_H
#include "gpu/gpu.h"

/* Whether an address in threadgroup memory is seen to be a multiple of so many elements behind the
 * start of its array, which is aligned to 16 bytes; see aligned.c. */
bool gpu_is_aligned(const struct ir_value *pointer, int64_t elements);

/* The same of a multiple of 16 bytes, in an array that is aligned as swizzled rows must be. */
bool gpu_is_matrix(const struct ir_value *pointer);

/* Whether an integer is seen to be a multiple of a power of two. */
bool gpu_is_multiple(const struct ir_value *value, int64_t of);

#endif
