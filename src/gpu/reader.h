#ifndef TILEC_GPU_READER_H
#define TILEC_GPU_READER_H
/* Loads fragments of a product's operand from a slot; see reader.c. */
#include "gpu/multiply.h"

/* Fragments of a slot that a SIMD group reads: its rows (a) or columns (b). */
struct gpu_reader {
    struct lowering *l;
    const struct gpu_buffer *buffer;
    const struct gpu_fragment *fragment;
    struct ir_value *start; /* the slot */
    struct ir_value *first; /* the index of the group's first fragment of this step in it */
    struct ir_value *slot;  /* where that stands; in a swizzled one: its row */
    struct ir_value *place; /* in a swizzled one: the place in the row; else NULL */
    bool along;             /* fragments follow each other along rows of the slot */
    int64_t distance;       /* elements between two of its fragments */
};

/* side: 0 for a, 1 for b. inner: where the step begins along the inner axis. */
struct gpu_reader gpu_reader_of(struct lowering *l, const struct gpu_dot *dot, int side,
                                const struct gpu_buffer *buffer, struct ir_value *slot,
                                struct ir_value *inner);

struct ir_value *gpu_read_fragment(void *reader, int index);
/* Neighbours of b are loaded by twos where one instruction does that. */
bool gpu_reads_pairs(const struct gpu_reader *reader, const struct gpu_product *product);
void gpu_read_pair(const struct gpu_reader *reader, int index, struct ir_value **two);

#endif
