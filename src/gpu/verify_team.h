#ifndef TILEC_GPU_VERIFY_TEAM_H
#define TILEC_GPU_VERIFY_TEAM_H
#include "gpu/gpu.h"

/* A part of gpu_verify: see verify_team.c. */
bool gpu_verify_teams(const struct ir_func *func, struct diagnostics *diagnostics);

#endif
