#ifndef TILEC_CPU_PATTERN_H
#define TILEC_CPU_PATTERN_H
/* Values whose lanes are known when the kernel is compiled, but for the first one; see pattern.c.
 */
#include "cpu/emit.h"

enum { CPU_PATTERN_LANES = 64 };

struct cpu_pattern {
    bool whole; /* lanes are the values themselves; else what the first lane's is to be added to */
    int64_t lane[CPU_PATTERN_LANES];
};

/* The pattern of a tile at a position with lanes. */
bool cpu_pattern_of(struct cpu_emit *e, const struct ir_value *v, const struct cpu_position *p,
                    struct cpu_pattern *pattern);
/* Whether it will have one before there is a body, along the last axis that is longer than 1. */
bool cpu_may_have_pattern(struct cpu_emit *e, const struct ir_value *v);
/* The element, if the op makes patterns of what has none by itself; false: it has no pattern. */
bool cpu_pattern_element(struct cpu_emit *e, const struct ir_value *v, const struct cpu_position *p,
                         struct cpu_element *element);

/* Elements offset[0], .. behind the pointer, without a mask, where they lie close together. */
bool cpu_may_load_pattern(const struct cpu_emit *e, struct ir_type type, const int64_t *offset);
LLVMValueRef cpu_load_pattern(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
                              const int64_t *offset);

#endif
