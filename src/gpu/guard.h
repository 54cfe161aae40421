#ifndef TILEC_GPU_GUARD_H
#define TILEC_GPU_GUARD_H
/* Masks of a trip's tiles that one comparison of scalars may decide; see guard.c. */
#include "gpu/gpu.h"

/* Tile IR as gpu_expand made it; returns how many choices stand in branches from then on. */
int gpu_guard_masks(struct ir_func *func);

#endif
