#ifndef TILEC_GPU_CHUNK_H
#define TILEC_GPU_CHUNK_H
#include "plan/gpu.h"

/* See chunk.c. True when the function was changed. */
bool gpu_chunk(struct ir_func *func, const struct gpu_plan *plan);

#endif
