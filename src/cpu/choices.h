#ifndef TILEC_CPU_CHOICES_H
#define TILEC_CPU_CHOICES_H
/* Addresses that are one of two, each of which is one more per lane; see choices.c. */
#include "cpu/emit.h"

struct cpu_choice {
    const struct ir_value *condition;
    LLVMValueRef place[2]; /* of the first lane, where the condition holds and where it does not */
};

bool cpu_choice_places(struct cpu_emit *e, const struct ir_value *pointer,
                       const struct cpu_position *p, struct cpu_choice *choice);
/* Whether an index or a pointer may be such a one, before there is a body. */
bool cpu_may_choose(struct cpu_emit *e, const struct ir_value *v);

#endif
