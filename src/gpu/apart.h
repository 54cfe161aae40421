#ifndef TILEC_GPU_APART_H
#define TILEC_GPU_APART_H
/* Whether the accesses of a region may change places: what going over a tile in pieces, or making
 * several trips of a loop one, asks for. */
#include "ir/ir.h"

/* No op of the region (those in nested regions not looked at) writes through a pointer that may
 * alias another's. False too when there are too many accesses to compare. */
bool gpu_accesses_are_apart(const struct ir_func *func, const struct ir_region *region);

#endif
