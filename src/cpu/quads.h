#ifndef TILEC_CPU_QUADS_H
#define TILEC_CPU_QUADS_H
/* Elements of groups of four, by turning matrices; see quads.c. */
#include "cpu/emit.h"

/* Whether groups of step elements of so many bytes are turned in the nest's vectors. */
bool cpu_turns_quads(const struct cpu_emit *e, int64_t step, int64_t bytes);

/* Element `place` of each group from the pointer on. */
LLVMValueRef cpu_load_quads(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                            int64_t place);
/* v[i] is element i of each group. */
void cpu_store_quads(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer, LLVMValueRef *v);

#endif
