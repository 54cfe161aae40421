#ifndef TILEC_GPU_PASS_H
#define TILEC_GPU_PASS_H
/* The functions of passes over GPU IR that are not src/opt's. */
#include "gpu/gpu.h"
#include "opt/pass.h"

pass_function pass_early_loads;
pass_function pass_hoist_uniforms;
pass_function pass_narrow;
pass_function pass_scalarise;
pass_function pass_reduce_strength;
pass_function pass_merge_barriers;
pass_function pass_lower_indices;
pass_function pass_predicate;
pass_function pass_fetch_ahead;
pass_function pass_whole_copies;
pass_function pass_split_addresses;

/* A parameter behind the function's others: its value. */
struct ir_value *gpu_add_parameter(struct ir_func *func, const char *name, struct ir_type type);

/* Not one of the list, because the launch depends on it: plan->folds_grid. */
void gpu_fold_grid(struct ir_func *func);

/* Likewise, behind that: plan->programs. */
void gpu_share_block(struct ir_func *func);

#endif
