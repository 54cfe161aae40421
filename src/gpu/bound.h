#ifndef TILEC_GPU_BOUND_H
#define TILEC_GPU_BOUND_H
/* The launch's scalar that says how much of a tile there is; see bound.c. */
#include "plan/gpu.h"

enum { GPU_BOUND_PARTS = 8 };

/* A parameter n that elements of a tile are compared with, as in `arange(0, elements) < n`. */
struct gpu_tile_bound {
    int parameter; /* its number; -1: there is none */
    int64_t elements;
};

struct gpu_tile_bound gpu_find_tile_bound(const struct ir_func *func);

/* Which part of the tile, 0 to GPU_BOUND_PARTS - 1, the value ends in; values beyond the tile's end
 * count to the last. */
int gpu_bound_part(const struct gpu_tile_bound *bound, int64_t value);

/* What is known of values that end there, for a plan: nothing of part 0. */
struct gpu_known_range gpu_bound_range(const struct gpu_tile_bound *bound, int part);
/* Of this value alone. */
struct gpu_known_range gpu_bound_value(const struct gpu_tile_bound *bound, int64_t value);

/* A parameter of which one value is known becomes that constant. */
void gpu_set_known_value(struct ir_func *func, const struct gpu_known_range *range);

#endif
