#ifndef TILEC_CPU_SHARE_H
#define TILEC_CPU_SHARE_H
/* Tiles that share scratch memory; see share.c. */
#include "cpu/emit.h"
#include "cpu/lives.h"

/* Buffers that are made from here on, up to the end, may share memory. */
void cpu_share_begin(struct cpu_emit *e);
/* A buffer of so many bytes; its number. */
int cpu_share_add(struct cpu_emit *e, int64_t bytes);
/* Where the code goes. Before the branch into a loop or the first side, at the end of the first
 * side, where both have come together, and behind the loop. */
void cpu_share_mark(struct cpu_emit *e, enum cpu_mark mark);
/* A pointer to the buffer's start was made, for a use in this step alone. */
void cpu_share_use(struct cpu_emit *e, const struct cpu_buffer *buffer, LLVMValueRef pointer,
                   bool writes);
/* Gives the buffers their places. share: or leaves each its own. */
void cpu_share_end(struct cpu_emit *e, bool share);

#endif
