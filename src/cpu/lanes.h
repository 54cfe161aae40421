#ifndef TILEC_CPU_LANES_H
#define TILEC_CPU_LANES_H
/* Indices as one scalar and small ints by lane; see lanes.c. */
#include "cpu/emit.h"

enum { CPU_LANE_TERMS = 4, CPU_LANE_LIMIT = 1 << 30 /* of ints, either way */ };

/* first + more + the sum of factor * more of the terms; where there is no body, no value is there.
 */
struct cpu_lanes {
    LLVMValueRef first; /* 64 bits, or a pointer */
    struct cpu_small {
        LLVMValueRef factor; /* 64 bits; of the first one: there is none, it is 1 */
        LLVMValueRef more;   /* ints by lane; NULL: all are 0 */
        int64_t low, high;   /* between which they lie */
    } small, terms[CPU_LANE_TERMS];
    int term_count;
    int64_t step;  /* it is the same from each lane to the next; 0: it is not, or nothing */
    bool grows;    /* no terms, and `more` is 0 in the first lane and grows from lane to lane, */
    int64_t least; /* in the last one to this at least; */
    int64_t half;  /* and within half of the lanes, whichever are beside each other, by no more */
};

/* The form of a tile at a position with lanes; false: it has none, or a constant step. */
bool cpu_lanes_of(struct cpu_emit *e, const struct ir_value *v, const struct cpu_position *p,
                  struct cpu_lanes *form);
/* The same before there is a body, for vectors of `lanes` along the last axis longer than 1. */
bool cpu_may_have_lanes(struct cpu_emit *e, const struct ir_value *v, int lanes,
                        struct cpu_lanes *form);

/* The addresses of such a pointer, a vector. */
LLVMValueRef cpu_lane_pointers(struct cpu_emit *e, const struct ir_value *pointer,
                               const struct cpu_lanes *form);
/* A comparison of indices of which either has such a form: in ints. */
bool cpu_compare_lanes(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                       struct cpu_element *result);
bool cpu_may_compare_lanes(struct cpu_emit *e, const struct ir_op *op);

#endif
