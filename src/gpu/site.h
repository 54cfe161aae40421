#ifndef TILEC_GPU_SITE_H
#define TILEC_GPU_SITE_H
/* One access of a kernel's buffer by tiles, while it is lowered: memory.c and site.c. */
#include "gpu/lower.h"

struct site {
    const struct ir_op *op;
    const struct layout *layout;
    struct ir_value *base;          /* lowered, scalar */
    const struct ir_value *pointer; /* what it was before */
    const struct ir_value *offsets, *mask;
    const struct gpu_tile *offset_tile, *mask_tile, *value_tile, *other_tile;
    struct ir_value *owns; /* of this thread; NULL: all do, or it is a load */
    enum ir_elem elem;
    int width;    /* of parts */
    int access;   /* elements that one access takes; divides width */
    bool aligned; /* every access of so many stands at a multiple of its size */
    bool agrees;  /* all elements of an access are accessed or none is */
};

/* The axis and the index bit that a place bit selects, -1 for a copy. */
int gpu_axis_of_bit(const struct layout *layout, int place, int *bit);

/* Sets access, the most elements of a part that may be accessed at once, and what is known of such
 * accesses. */
void gpu_choose_access(struct lowering *l, struct site *site);

#endif
