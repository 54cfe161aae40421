#ifndef TILEC_CPU_SLOTS_H
#define TILEC_CPU_SLOTS_H
/*
 * What the steps of one program left, kept for another round of the loop over programs: a variable
 * for each scalar that does not follow from the program's place, and for what is known of a
 * maximum's spread.
 */
#include "cpu/schedule.h"

/* Whether the value is made of parameters and the program's place, without memory. */
bool cpu_is_placed(struct cpu_emit *e, const struct ir_value *v);

/* Variables for what the first `count` steps leave; zero, and nothing known of spreads. */
void cpu_slots_make(struct cpu_emit *e, struct cpu_slots *slots, const struct cpu_schedule *s,
                    size_t count);
/* Keeps what the program under construction has made. */
void cpu_slots_put(struct cpu_emit *e, const struct cpu_slots *slots, const struct cpu_schedule *s);
/* What was kept, as if the program under construction had just done the steps. */
void cpu_slots_take(struct cpu_emit *e, const struct cpu_slots *slots,
                    const struct cpu_schedule *s);

#endif
