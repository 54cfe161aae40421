#ifndef TILEC_PLAN_PLAN_H
#define TILEC_PLAN_PLAN_H
/*
 * Planning: what a target must promise before code is made for it, and what a launch must bring.
 */
#include "ir/ir.h"

/* ---- requirements.c -------------------------------------------------------------------------- */

struct plan_target {
    const char *name;  /* for messages: "cpu" */
    const char *level; /* likewise: "x86-64-v4" */
    bool has_schedule; /* false: nothing is scheduled, so every requirement holds (interp) */
    bool relaxed;      /* fast math is on */
    int vector_bits;   /* width of native vectors */
};

enum plan_result {
    PLAN_MET,
    PLAN_WRONG,   /* a requirement of an unknown name, or with a value that it cannot have */
    PLAN_REFUSED, /* one that the target cannot meet */
};

/* Checks every requirement of the kernel; one diagnostic for each that fails. */
enum plan_result plan_requirements(const struct ir_kernel *kernel, const struct plan_target *target,
                                   struct diagnostics *diagnostics);

/* ---- bounds.c -------------------------------------------------------------------------------- */

/* What target->needs gives for a buffer that is accessed in front of its first element. */
#define PLAN_IN_FRONT INT64_MAX

/* Makes target->needs: how many elements each buffer must have at least, as far as that can be said
 * before the kernel runs. func is the kernel's function, or a copy of it that was simplified but
 * still has its masks; it is not changed. */
void plan_bounds(struct ir_kernel *target, const struct ir_func *func, struct arena *arena);

#endif
