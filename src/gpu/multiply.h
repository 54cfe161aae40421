#ifndef TILEC_GPU_MULTIPLY_H
#define TILEC_GPU_MULTIPLY_H
/* Fragments of tiles, and their products; see multiply.c. */
#include "gpu/lower.h"

/* Fragments of a product that one SIMD group has, in the order of its tile's registers. */
struct gpu_product {
    const struct gpu_dot *dot;
    int rows, columns, steps; /* of fragments: of the result, and along the inner axis */
};

struct gpu_product gpu_product_of(struct lowering *l, const struct ir_op *dot);

/* A part of a tile as an operand's element: converted, or the bits of a float that an instruction
 * takes as an integer, rounded to what it keeps. */
struct ir_value *gpu_operand(struct lowering *l, struct ir_value *part, enum ir_elem elem);

/* Fragments of a tile's registers, which are converted to the fragments' element. */
struct ir_value **gpu_pack_fragments(struct lowering *l, const struct gpu_fragment *fragment,
                                     const struct gpu_tile *tile);
/* And back: the tile gets the fragments' elements. */
void gpu_unpack_fragments(struct lowering *l, struct gpu_tile *tile,
                          struct ir_value *const *fragments, int count);

/* sums[i][j] += a[i] * b[j] in the scheduled order. a(i), b(j) give a fragment, and are asked again
 * for each use unless fragments are loaded before. between may be NULL; it is called in front of each
 * product, to put other ops there. */
struct gpu_fragment_source {
    struct ir_value *(*get)(void *user, int index);
    void *user;
};
void gpu_multiply_step(struct lowering *l, const struct gpu_product *product,
                       struct ir_value **sums, struct gpu_fragment_source a,
                       struct gpu_fragment_source b, void (*between)(void *user), void *user);

/* ---- team.c: products of teams of SIMD groups ------------------------------------------------ */

/* Where a team reads an operand: in a slot, or the left one in registers, by row and step. */
struct gpu_team_operand {
    const struct gpu_buffer *buffer;
    struct ir_value *slot;
    struct ir_value *const *fragments; /* NULL: in the slot */
};

/* Starts the products, of which nobody may take the sums before they are waited for. */
void gpu_start_products(struct lowering *l, const struct gpu_product *product,
                        const struct gpu_team_operand *operands, struct ir_value **sums);
/* The same, and waits for them. */
void gpu_multiply_by_teams(struct lowering *l, const struct gpu_product *product,
                           const struct gpu_team_operand *operands, struct ir_value **sums);

/* ---- split.c: so many sets of SIMD groups share the inner axis ------------------------------- */

struct ir_value *gpu_split_index(struct lowering *l, int split); /* this group's set */
void gpu_split_start(struct lowering *l, struct gpu_tile *tile, int split);
/* Adds up the partial sums of all sets; `to` may have any layout. */
void gpu_split_sum(struct lowering *l, const struct gpu_tile *partial, struct gpu_tile *to,
                   struct ir_type type, int split);

/* ---- turn.c: a slot's elements into a slot of the other order -------------------------------- */

struct gpu_turn {
    const struct gpu_buffer *from, *to;
    struct layout layout; /* of the tile: who moves which elements */
    int width, slices;    /* elements of a slice in a thread, and how many there are */
    struct ir_value *source, *target; /* slots */
};

struct gpu_turn gpu_turn_of(struct lowering *l, const struct gpu_buffer *from,
                            const struct gpu_buffer *to);
/* A slice's elements of this thread, and where they go. */
void gpu_turn_load(struct lowering *l, const struct gpu_turn *turn, int slice,
                   struct ir_value **elements);
void gpu_turn_store(struct lowering *l, const struct gpu_turn *turn, int slice,
                    struct ir_value *const *elements);

#endif
