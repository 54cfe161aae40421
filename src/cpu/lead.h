#ifndef TILEC_CPU_LEAD_H
#define TILEC_CPU_LEAD_H
/* First reductions one program ahead; see lead.c. */
#include "cpu/schedule.h"

/* How many steps, from the first one on, may be done in the joined nest of the program before; 0:
 * none. */
size_t cpu_lead_steps(struct cpu_emit *e, const struct cpu_schedule *s, size_t joined);

/* Before the round's steps: in the first round does the lead of the first program, then takes what
 * the round before left of this program's. */
void cpu_lead_begin(struct cpu_emit *e, struct cpu_schedule **schedules);
/* Behind them: leaves what this round made of the program after. */
void cpu_lead_end(struct cpu_emit *e, struct cpu_schedule **schedules);

#endif
