#ifndef TILEC_OPT_PASS_H
#define TILEC_OPT_PASS_H
/* The passes' functions, for the manager, and helpers that several passes share. */
#include "opt/opt.h"

#define PASS(name, needs, keeps, meaning) pass_function pass_##name;
#include "opt/passes.def"
#undef PASS

/* A builder whose ops go in front of op and have its source range. */
struct ir_builder pass_builder(struct ir_func *func, struct ir_op *op);

/* ---- loops and branches (loops.c) ------------------------------------------------------------ */

/* Removes result k of a for, while or if, with all that belongs to it: initial value, region
 * arguments, operands of terminators. Nothing may use the result or the arguments any more. */
void pass_drop_result(struct ir_op *op, int k);

/* Moves the ops of a region, bar the terminator, in front of op. */
void pass_inline_region(struct ir_region *region, struct ir_op *op);

/* Whether the value is defined outside the op's regions. */
bool pass_is_outside(const struct ir_value *value, const struct ir_op *op);

/* ---- loops that are unrolled (trips.c) ------------------------------------------------------- */

enum { PASS_MOST_OPS = 1 << 14 }; /* in a function that copies are still added to */

/* Clears marks and counts uses, on which the next three rest. Gives the number of ops. */
int pass_prepare_trips(struct ir_func *func);

/* How often the loop runs, where that is known and not too often to unroll it whole; else 0. */
int pass_short_trips(const struct ir_op *loop);

/* Whether the loop carries a tile that a CPU would keep in memory. */
bool pass_carries_tile(const struct ir_op *loop);

/* Whether so many trips one behind the other would be one loop nest of at most so many ops. whole:
 * they are the loop's, so that a branch that hangs on the counters of short loops goes. */
bool pass_is_one_nest(const struct pass_context *context, const struct ir_func *func,
                      const struct ir_op *loop, int trips, int most_ops, bool whole, int *op_count);

/* Copies the body of a loop for one trip. carried: what goes in, and then what comes out. */
void pass_copy_trip(struct ir_builder *b, const struct ir_region *body, struct ir_value *counter,
                    struct ir_value **carried);

/* ---- comparisons of indices (prove_masks.c) -------------------------------------------------- */

/* An integer comparison as "every element of difference < 0"; false when it is no order comparison
 * of affine forms. */
struct ir_affine;
struct ir_assumption;
bool pass_less_than_zero(const struct ir_op *op, const struct ir_assumption *assumption,
                         struct ir_affine *difference);

/* ---- memory (memory.c) ----------------------------------------------------------------------- */

/* Which parameter a pointer is computed from, or -1 when that is not known. */
int pass_pointer_root(const struct ir_value *pointer);

/* The root of what an op that touches memory writes; a barrier of GPU IR (without a pointer) lets
 * other threads write anything. */
int pass_written_root(const struct ir_op *op);

/* Whether accesses through pointers of these roots may touch the same memory. */
bool pass_may_alias(const struct pass_context *context, const struct ir_func *func, int a, int b);

/* Whether the op reads or writes memory through operand 0 (checks and prints do not). */
bool pass_touches_memory(const struct ir_op *op, unsigned reads_or_writes);

/* What a region does to what a pointer of a root reads: nothing; something only if two parameters
 * are the same memory (then writer is the other one); or something. */
enum pass_writes { PASS_WRITES_NOT, PASS_WRITES_IF_ALIASED, PASS_WRITES };
enum pass_writes pass_region_writes(const struct pass_context *context, const struct ir_func *func,
                                    const struct ir_region *region, int root, int *writer);

/* A perf note: the load is repeated (say), because a store through parameter writer may alias. */
void pass_note_alias(const struct pass_context *context, const struct ir_func *func,
                     const struct ir_op *load, int writer, const char *what);

#endif
