#ifndef TILEC_CPU_OFFSETS_H
#define TILEC_CPU_OFFSETS_H
#include "cpu/emit.h"

/* The int by which the addresses of a tile differ, if they are one address but for it; else NULL.
 */
const struct ir_value *cpu_offset_of(struct cpu_emit *e, const struct ir_value *pointer);

/* The one address; NULL: they are not. */
LLVMValueRef cpu_offset_base(struct cpu_emit *e, const struct ir_value *pointer,
                             const struct cpu_position *p);
/* The addresses at the position by such an int; false: they are not. */
bool cpu_offset_address(struct cpu_emit *e, const struct ir_value *pointer,
                        const struct cpu_position *p, LLVMValueRef *pointers);

#endif
