#ifndef TILEC_LANG_LOWER_BRANCH_H
#define TILEC_LANG_LOWER_BRANCH_H
/* An `if` with two arms under construction (lower_control.c), for what becomes one. */
#include "lang/lower.h"

struct branch {
    struct ir_builder outside;
    struct source_range range;
    size_t count; /* variables when it began */
    struct value *before, *ends[2];
    struct source_range *placed[2];
    struct ir_region *regions[2];
    bool dead[2];
};

void lower_branch_begin(struct lower *l, struct branch *branch, struct source_range range);
/* Between open and close everything is built in the arm, from the values in front of the `if`. */
void lower_branch_open(struct lower *l, struct branch *branch, int arm);
void lower_branch_close(struct lower *l, struct branch *branch, int arm);
/* Builds the op; variables have the values that the arms leave. */
void lower_branch_finish(struct lower *l, struct branch *branch, struct value truth);

#endif
