#ifndef TILEC_CPU_TURN_H
#define TILEC_CPU_TURN_H
/* Tiles that are turned on their way into scratch memory; see turn.c. */
#include "cpu/schedule.h"

/* Emits the group if it is one. */
bool cpu_emit_turned(struct cpu_emit *e, struct cpu_group *group);

#endif
