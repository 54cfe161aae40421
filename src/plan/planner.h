#ifndef TILEC_PLAN_PLANNER_H
#define TILEC_PLAN_PLANNER_H
/*
 * What the files of planning for GPUs share: gpu_look.c (what the kernel asks of the device),
 * gpu_require.c (requirements), gpu_choose.c (what is left open), gpu.c (which comes when).
 */
#include "plan/gpu.h"

struct planner {
    const struct gpu_target *target;
    const struct ir_kernel *kernel;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct gpu_plan *plan;
    int64_t elements; /* of the largest tile, axes padded to powers of two */
    struct products {
        int fragments;     /* of the largest; 0: there is none */
        int operand_bytes; /* of its operands' elements */
        int steps;         /* fragments along its inner axis */
        int lane_sums;     /* of a fragment */
        bool team;     /* four SIMD groups may do it together, where the target has such teams */
        bool deep;     /* that is at least twice as long as the sides of its result */
    } matrices, fma;   /* that the target's instructions do, or each thread alone */
    bool has_dot_loop; /* one that may be pipelined */
    bool has_fed_loop; /* likewise, of which trips do more than add products */
    int chained_rows;  /* of the products of such a loop that hang on each other; 0: none do */
    bool has_two_axes; /* the grid has, as far as the kernel asks */
    const char *no_dot, *no_fma; /* why there is no such product, or no such loop */
    const char *no_loop;
    const struct ir_layout *layout; /* an explicit one of a tile, or NULL */
    struct source_range layout_range;
    bool failed;
};

/* Adds to the reasons that the plan gives. */
void planner_reason(struct planner *p, const char *text);
/* Planning ends with the error. */
struct diagnostic *planner_fail(struct planner *p, struct source_range range, const char *message);

/* A loop whose operands may be staged. */
static inline bool has_staged_loop(const struct planner *p)
{
    return p->has_dot_loop || p->has_fed_loop;
}

void planner_look(struct planner *p);
void planner_require(struct planner *p);

/* An explicit layout fixes by its registers how many threads there are at least; further threads
 * hold copies. */
void planner_follow_layout(struct planner *p);
/* Whether the inner axis is what there is to share: the result is small, and waiting for its
 * operands takes longer than multiplying. */
bool planner_is_deep(const struct planner *p);
/* Of a deep product: so many sets of groups as there are groups to spare. */
void planner_choose_split(struct planner *p);
/* Threads of a program whose products are made of fragments; and of any other. */
void planner_choose_groups(struct planner *p);
void planner_choose_threads(struct planner *p);
int planner_usual_width(const struct planner *p);

#endif
