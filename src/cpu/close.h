#ifndef TILEC_CPU_CLOSE_H
#define TILEC_CPU_CLOSE_H
/* Lanes whose places are known as the program runs, and lie close together; see close.c. */
#include "cpu/lanes.h"

struct cpu_close {
    LLVMValueRef first; /* of the first lane: a pointer */
    LLVMValueRef more;  /* by how much each lane is behind it: ints */
    int part;           /* elements of each of two loads */
    bool halves;        /* each has half of the lanes */
};

/* What a load of such elements at such a place, in vectors of as many lanes, is; false: anything.
 */
bool cpu_is_close(const struct cpu_emit *e, struct ir_type type, const struct cpu_lanes *form,
                  int lanes, struct cpu_close *close);
LLVMValueRef cpu_load_close(struct cpu_emit *e, struct ir_type type, const struct cpu_close *close);

#endif
