#ifndef TILEC_CPU_APART_H
#define TILEC_CPU_APART_H
/* Nests that are right where two accesses do not meet, which is asked as they run; see apart.c. */
#include "cpu/schedule.h"

/* Whether it can be asked that no element of one access is another element of the other: a load and
 * a store, or two stores, of one shape. */
bool cpu_may_ask_apart(struct cpu_emit *e, const struct ir_op *a, const struct ir_op *b);
/* Once that is so for all that the group asks about, all of it in one nest; otherwise sink by sink,
 * behind the loads that its stores may spoil. */
void cpu_emit_apart(struct cpu_emit *e, struct cpu_group *group);

#endif
