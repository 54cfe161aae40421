#ifndef TILEC_GPU_CLUSTER_H
#define TILEC_GPU_CLUSTER_H
/*
 * Programs that several blocks run together: because each element is computed alone, so that small
 * blocks are at the memory's service sooner; or, in a cluster, because a tile's registers do not fit one
 * block.
 *
 * Threads, SIMD groups and the places of layouts are numbered through all blocks of the cluster, so
 * that elementwise ops and accesses need not know of blocks. Threadgroup memory and barriers belong
 * to one block. Between blocks only reductions move anything: each group puts its partial result
 * into an array of every block, where a word counts the bytes that came.
 *
 *   %parts = shared {"reduce_0" 64 padding 0}     64 groups: 4 blocks of 16
 *   %word = shared {"reduce_0_bytes" 1 padding 0}
 *   cluster_expect {256} %word
 *   cluster_arrive
 *   ...                                           loads, registers, lanes
 *   cluster_join                                  once: the others' words are ready
 *   cluster_put {4} %p, %partial, %word           %p = %parts + group
 *   cluster_wait %word                            then %parts is read as after a barrier
 *
 * Arrays are filled once, so this happens in straight-line code only. A kernel that moves anything
 * else between threads, or waits for its own stores, is lowered anew for one block.
 */
#include "gpu/lower.h"

/* The plan with as many blocks as it takes that each thread makes one access of the largest tile, where
 * nothing is reduced or moved; else the plan itself. */
const struct gpu_plan *gpu_spread_plan(const struct gpu_plan *plan, const struct ir_func *func);

/* The plan with blocks for the function's largest tile; the plan itself where one block does, or
 * where *why_not says why there is no cluster. */
const struct gpu_plan *gpu_cluster_plan(const struct gpu_plan *plan, const struct ir_func *func,
                                        const char **why_not);

/* What is asked for may leave a block: with a cluster the lowering ends behind this op, to begin anew
 * for one block. */
void gpu_leave_block(struct lowering *l, const char *what);

/* An array of threadgroup memory that all blocks fill, in puts of one element by each group; and the
 * word that counts. The array is then read behind gpu_cluster_wait. */
struct ir_value *gpu_cluster_array(struct lowering *l, enum ir_elem elem, int64_t elements,
                                   struct ir_value **word);
void gpu_cluster_put(struct lowering *l, struct ir_value *p, struct ir_value *value,
                     struct ir_value *word);
void gpu_cluster_wait(struct lowering *l, struct ir_value *word);
/* What stands at the start, for all arrays that were made. */
void gpu_cluster_open(struct lowering *l);

#endif
