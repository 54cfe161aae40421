#ifndef TILEC_GPU_ZEROS_H
#define TILEC_GPU_ZEROS_H
/*
 * How many low bits of an integer or an address are known to be 0; see zeros.c. Sums wrap modulo
 * 2^64, which keeps them.
 */
#include "gpu/gpu.h"

enum { GPU_MOST_ZEROS = 16, GPU_ALIGNED_ZEROS = 4 }; /* what is looked for; of plan->aligned */

/* What is known of parameters: plan->aligned, and what launch requirements say. */
struct gpu_promises {
    uint64_t aligned;
    int count;            /* the kernel's own parameters; passes add some behind them */
    const uint8_t *zeros; /* by parameter of those: low bits that are 0 in any case */
};

struct gpu_zeros {
    int bits;         /* at most GPU_MOST_ZEROS */
    uint64_t because; /* parameters (bit i: number i) of plan->aligned that this rests on */
};

/* From the kernel's launch requirements, such as N % 8 == 0. */
struct gpu_promises gpu_promises_of(const struct ir_kernel *kernel, const struct gpu_plan *plan,
                                    struct arena *arena);

/* Of a value of Tile IR: a scalar, an address (in bytes), or those elements of a tile whose index
 * along each axis has so many low zeros (NULL: any element). */
struct gpu_zeros gpu_low_zeros(const struct gpu_promises *promises, const struct ir_value *value,
                               const int *axis_zeros);

/* Likewise of a - b, where both are what gpu_low_zeros takes. */
struct gpu_zeros gpu_fewer_zeros(struct gpu_zeros a, struct gpu_zeros b);

#endif
