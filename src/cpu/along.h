#ifndef TILEC_CPU_ALONG_H
#define TILEC_CPU_ALONG_H
/* How values change along the lanes of a nest; see along.c. */
#include "cpu/emit.h"

/* Whether v changes by a constant per lane (0: not at all), given what the body knows. */
bool cpu_step_along(struct cpu_emit *e, const struct ir_value *v, const struct cpu_position *p,
                    int64_t *step);
/* The same before there is a body, in an interior that bounds all that can be, along the last axis
 * of v that is longer than 1. */
bool cpu_may_step_along(struct cpu_emit *e, const struct ir_value *v, int64_t *step);
/* v, which has a step, where the index along the lanes is 0: a scalar. In an interior it need not be
 * v's element there, but is what the lanes' elements count from. */
LLVMValueRef cpu_first_along(struct cpu_emit *e, const struct ir_value *v,
                             const struct cpu_position *p);

/* The operand that a maximum, minimum or select of indices should be in the interior, or NULL. */
const struct ir_value *cpu_choice_of(struct cpu_emit *e, const struct ir_op *op,
                                     const struct cpu_position *p);
/* The operand that it is in this body, or NULL. Of a select of any type. */
const struct ir_value *cpu_chosen(struct cpu_emit *e, const struct ir_op *op,
                                  const struct cpu_position *p);

/* Whether op divides an index that grows by one per lane by what all lanes share, so that quotients
 * come in runs; nest_runs.c. */
bool cpu_has_runs(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p);
/* Whether op makes bits (i ^ j, i | j, i & j) of an index that grows by one per lane and of what
 * all lanes share, which no constant is: they come in runs, too. */
bool cpu_bits_along(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                    struct cpu_bits *bits);
/* What the body knows of an op of either kind, or NULL; of one that extends bits of 32 bits to an
 * index again, what it knows of these. */
const struct cpu_bounded *cpu_run_of(struct cpu_emit *e, const struct ir_op *op,
                                     const struct cpu_position *p);

/* Whether a mask holds for most lanes, as far as its form tells. */
enum cpu_likely { CPU_UNLIKELY, CPU_UNSURE, CPU_LIKELY };
enum cpu_likely cpu_is_likely(struct cpu_emit *e, const struct ir_value *mask,
                              const struct cpu_position *p);

#endif
