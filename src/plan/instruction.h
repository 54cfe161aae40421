#ifndef TILEC_PLAN_INSTRUCTION_H
#define TILEC_PLAN_INSTRUCTION_H
/*
 * The instructions that multiply fragments: small matrices in the registers of a SIMD group. Who
 * holds which element of one is a map over F2, as of any layout.
 */
#include "plan/gpu.h"

enum { GPU_FRAGMENT_REGISTER_BITS = 4 };

/* Place bits of a fragment: registers, then lanes. Each names an element bit, columns lowest, or
 * holds copies. */
enum { GPU_FRAGMENT_COPY = 0xff };

struct gpu_fragment {
    enum ir_elem elem;
    int row_bits, column_bits, register_bits;
    uint8_t bits[GPU_FRAGMENT_REGISTER_BITS + GPU_LANE_BITS];
    bool by_rows, by_columns; /* orders in memory that one instruction loads; else elements are */
    bool vector; /* what a lane holds is a vector of its own: each lane multiplies alone */
};

struct gpu_instruction {
    const char *name;
    enum gpu_backend backend;
    enum ir_elem operand, sum; /* of the tiles */
    bool relaxed;              /* operands lose bits: only where that is allowed */
    int sums;    /* of a lane, from which on it is used; 0: always */
    int padding; /* elements behind a staged row, so that rows start in different banks */
    /* Bits of the number of SIMD groups that multiply together, each of which has a fragment below
     * that of the one before; they read both operands where they are staged, and may do so until
     * they are waited for. */
    int team_bits;
    struct gpu_fragment a, b, c;
};

/* The backend's instruction for a dot of these types, in which a lane has so many sums (0: it is not
 * known yet); for MMA also one of FMA, where tensor cores have none. The result's axes must be powers of two and hold a fragment at least, the inner axis a
 * number of them. NULL: there is none, and *why says why (may be NULL). */
const struct gpu_instruction *gpu_instruction_for(enum gpu_backend backend, bool relaxed,
                                                  int64_t sums, struct ir_type a, struct ir_type b,
                                                  struct ir_type sum, const char **why);

/* The one by which teams of SIMD groups do a product that gpu_instruction_for has one for; NULL:
 * there is none, or the sides of the result are no multiples of a team's. */
const struct gpu_instruction *gpu_instruction_for_teams(const struct gpu_plan *plan,
                                                        struct ir_type a, struct ir_type sum);

/* All of them, by number; NULL behind the last. */
const struct gpu_instruction *gpu_instruction(size_t number);

/* How a program's SIMD groups stand over a product: rows (all of a team among them) and columns of
 * groups, and of fragments that each has; all are powers of two, here as bits. Further groups hold
 * copies. */
struct gpu_group_grid {
    int rows, columns;
    int row_fragments, column_fragments;
};

struct gpu_group_grid gpu_grid_of(const struct gpu_plan *plan, const struct gpu_instruction *i,
                                  struct ir_type sum);

/* log2 of the next power of two. */
int gpu_bits_of(int64_t count);

#endif
