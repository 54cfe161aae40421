#ifndef TILEC_CPU_SQUARES_H
#define TILEC_CPU_SQUARES_H
/* Sums of squared distances from a mean, without another pass over the tile; see squares.c. */
#include "cpu/schedule.h"

/* attributes.bits of a sum, besides CPU_SUM_FUSED (carry.h) */
enum {
    CPU_SUM_SQUARES = 2, /* of x; the sum of x * x may be wanted too */
    CPU_SUM_ABOUT = 3,   /* of (x - m) * (x - m), which may follow from these two */
};

/* Marks such sums, in place. */
void cpu_mark_squares(struct ir_func *func);

/* Whether the nest that makes this sum sums squares too. */
bool cpu_squares_wanted(struct cpu_emit *e, const struct cpu_group *group, const struct ir_op *sum);

/* Whether the group is such a sum of distances alone, whose nest mostly does not run. */
bool cpu_squares_skip(struct cpu_emit *e, const struct cpu_group *group);

struct cpu_shortcut {
    LLVMValueRef sums[CPU_MOST_TOGETHER], good[CPU_MOST_TOGETHER]; /* by program */
    LLVMBasicBlockRef before, done;
};

/* Around the nest of the groups, one per program, in vectors of so many lanes: between the two is
 * what runs where a sum is not good enough. False: there is no other way than the nest. */
bool cpu_squares_begin(struct cpu_emit *e, struct cpu_group *const *groups,
                       const struct cpu_position *position, int lanes, struct cpu_shortcut *s);
void cpu_squares_end(struct cpu_emit *e, struct cpu_group *const *groups,
                     const struct cpu_shortcut *s);

#endif
