#ifndef TILEC_GPU_SLOT_H
#define TILEC_GPU_SLOT_H
/* Slots of a pipeline's buffers: where elements stand, and writing them; see slot.c. */
#include "gpu/lower.h"

/* The index of a register's element in a slot. */
struct ir_value *gpu_slot_index(struct lowering *l, const struct gpu_buffer *buffer,
                                const struct layout *layout, int reg);
/* Whether a part of so many registers lies in a slot without gaps. */
bool gpu_slot_lies_along(const struct gpu_buffer *buffer, const struct layout *layout, int width);

/* Writes a part of a tile into a slot. */
void gpu_put_part(struct lowering *l, const struct gpu_buffer *buffer, const struct gpu_tile *tile,
                  struct ir_value *slot, int part);
/* Likewise of a tile whose axes may be padded: nothing behind its end is written. */
void gpu_put_present(struct lowering *l, const struct gpu_buffer *buffer, struct ir_type type,
                     const struct gpu_tile *tile, struct ir_value *slot, int part);

#endif
