#ifndef TILEC_GPU_VERIFY_CLUSTER_H
#define TILEC_GPU_VERIFY_CLUSTER_H
#include "gpu/gpu.h"

/* A part of gpu_verify: see verify_cluster.c. */
bool gpu_verify_cluster(const struct ir_func *func, struct diagnostics *diagnostics);

#endif
