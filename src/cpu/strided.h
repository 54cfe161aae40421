#ifndef TILEC_CPU_STRIDED_H
#define TILEC_CPU_STRIDED_H
/* Loads and stores of every second, third or fourth element as whole vectors; see strided.c. */
#include "cpu/along.h"
#include "cpu/schedule.h"

/* By how many elements pointer b lies behind pointer a, if that is the same everywhere. */
bool cpu_distance_between(const struct ir_value *a, const struct ir_value *b, int64_t *distance);

/* Whether no element of the one access is one of the other: red and green, of all pixels. */
bool cpu_never_meet(const struct ir_op *a, const struct ir_op *b);

/* Whether the body's vectors may be loaded so, if nothing is masked. */
bool cpu_may_load_strided(const struct cpu_emit *e, struct ir_type type, int64_t step);
/* The elements at pointer, pointer + step, .. of the load op (NULL: of a scratch buffer), none of
 * which is masked, in the form that memory has. */
LLVMValueRef cpu_load_strided(struct cpu_emit *e, const struct ir_op *op, struct ir_type type,
                              const struct cpu_position *position, LLVMValueRef pointer,
                              int64_t step);

/* Loads channels that several sinks may want before the first of them stores: LLVM does not know
 * that what is stored leaves the groups' vectors as they are, and would load them again. */
void cpu_load_channels(struct cpu_emit *e, const struct cpu_group *group,
                       const struct cpu_position *position);

/* Emits the stores from the group's sink `first` on that fill groups of elements together; returns
 * how many those are, or 0. */
int cpu_store_groups(struct cpu_emit *e, const struct cpu_group *group, size_t first,
                     const struct cpu_position *position);

#endif
