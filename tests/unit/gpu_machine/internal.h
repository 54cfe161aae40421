#ifndef TILEC_TESTS_GPU_MACHINE_INTERNAL_H
#define TILEC_TESTS_GPU_MACHINE_INTERNAL_H
/*
 * What the files of the machine share. Functions take the op for the fault's text, and the thread t,
 * or the first thread of a SIMD group or of a warpgroup.
 */
#include "gpu_machine.h"

#include "ir/eval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_SIDE = 32, MACHINE_TEAM = 4 * GPU_LANES };

static inline void machine_fault(struct machine *m, const struct ir_op *op, const char *what)
{
    if (!m->fault[0])
        snprintf(m->fault, sizeof m->fault, "%s: %s", ir_ops[op->code].name, what);
}

static inline struct machine_value *machine_slot(struct machine *m, struct ir_value *value)
{
    if (!value->data) {
        struct machine_value *slot = malloc(sizeof *slot);
        slot->width = (int)ir_element_count(value->type);
        if (value->type.rank == 2) /* a fragment: the lane's own elements */
            slot->width /= GPU_LANES;
        slot->bits = calloc((size_t)(m->threads * slot->width), sizeof *slot->bits);
        value->data = slot;
    }
    return value->data;
}

static inline uint64_t *machine_bits(struct machine *m, struct ir_value *value, int thread)
{
    struct machine_value *slot = machine_slot(m, value);
    return slot->bits + (size_t)(thread * slot->width);
}

/* ---- memory.c */

struct machine_area *machine_area_of(struct machine *m, uint64_t address, int64_t bytes);
void machine_add_area(struct machine *m, void *begin, int64_t bytes, bool shared);
uint64_t machine_load(struct machine *m, const struct ir_op *op, int thread, uint64_t address,
                      enum ir_elem elem);
void machine_store(struct machine *m, const struct ir_op *op, int thread, uint64_t address,
                   enum ir_elem elem, uint64_t bits);
/* Loads, stores and atomic operations on one element; on a vector; fetches. */
void machine_memory(struct machine *m, const struct ir_op *op, int t);
void machine_vector(struct machine *m, const struct ir_op *op, int t);
void machine_fetch(struct machine *m, const struct ir_op *op, int t);
void machine_start_copy(struct machine *m, const struct ir_op *op, int t);
/* In the order of their starts: all of the thread's groups but the youngest `left`. */
void machine_wait(struct machine *m, int t, int64_t left);

/* ---- exchange.c: of all threads */

void machine_shuffle(struct machine *m, const struct ir_op *op);
void machine_group(struct machine *m, const struct ir_op *op);
/* Bytes of a block's copy of a threadgroup array. */
int64_t machine_shared_bytes(const struct ir_op *op);
void machine_cluster(struct machine *m, const struct ir_op *op);

/* ---- fragment.c */

/* Who holds what of a fragment of the type; the table has one such map. */
const struct gpu_fragment *machine_map(struct ir_type type);
/* All elements of the fragment that a SIMD group holds, as floats (or integers). */
void machine_gather(struct machine *m, struct ir_value *value, int first,
                    double elements[MACHINE_SIDE][MACHINE_SIDE]);
void machine_fragment(struct machine *m, const struct ir_op *op);

/* ---- product.c */

void machine_team(struct machine *m, const struct ir_op *op);

/* ---- thread.c */

void machine_thread_op(struct machine *m, const struct ir_op *op, int t);

#endif
