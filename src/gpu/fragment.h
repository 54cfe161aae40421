#ifndef TILEC_GPU_FRAGMENT_H
#define TILEC_GPU_FRAGMENT_H
/*
 * The layouts that tiles have in fragments.
 *
 * A thread's registers are its elements of one fragment after the other. So everything else that
 * knows layouts (loads, elementwise ops, conversions, stores with masks) works on products as they
 * stand in registers.
 */
#include "gpu/gpu.h"
#include "plan/instruction.h"

/* Of a value that holds one: a matrix of rank 2, or a vector of the lane's own elements. */
struct ir_type gpu_fragment_type(const struct gpu_fragment *fragment);

/* The axis along which a lane's vector lies, which is then that of the staged tile; -1: any. */
int gpu_fragment_axis(const struct gpu_fragment *fragment);

enum gpu_role { GPU_ROLE_A, GPU_ROLE_B, GPU_ROLE_C };

/* The layout of an operand's or the result's tile; sum: the result's type. Registers: a fragment's
 * own, then fragments along columns, then along rows. */
struct layout gpu_fragment_layout(const struct gpu_plan *plan, const struct gpu_instruction *i,
                                  enum gpu_role role, struct ir_type tile, struct ir_type sum);

#endif
