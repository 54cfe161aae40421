#ifndef TILEC_TESTS_EXEC_HARNESS_H
#define TILEC_TESTS_EXEC_HARNESS_H
/*
 * Runs a shipped kernel on a target over shapes, types and block sizes, and
 * compares every element with a reference in double.
 */
#include "tilec/tilec.h"

#include <stdint.h>

enum {
    EXEC_MAX_ARRAYS = 6,
    EXEC_MAX_RANK = 6,
    EXEC_MAX_SIZES = 4,
    EXEC_MAX_SHAPES = 12,
    EXEC_MAX_BLOCKS = 4
};

/* What the reference sees: arrays as doubles in the order of the case's arguments. Outputs are
 * zeroed, but what is changed is as the kernel gets it; size[] are the letters a, b, c, d of the
 * shape. */
struct exec_problem {
    int64_t size[EXEC_MAX_SIZES];
    double *array[EXEC_MAX_ARRAYS];
    double scale; /* of the tolerance; the reference may raise it (long sums) */
};

struct exec_case {
    const char *file, *kernel;
    /* Space-separated, in the kernel's order: NAME:TYPE:DIMENSIONS:ROLE for arrays, with TYPE a
     * tilec type or T, DIMENSIONS some of the letters abcd and ROLE `in`, `out`, `add` (starts as
     * zeros, is read and written), `change` (not negative, is read and written), `label` (integers
     * in [-1, b]), `bin` (integers in [-2, b]); NAME=LETTER or NAME=DIGIT for an int scalar,
     * NAME~VALUE for a float. */
    const char *arguments;
    const char *types; /* storage types to run with, such as "f32 f16 bf16" */
    /* Sets of defines, such as "BLOCK_M=16 BLOCK_N=8"; BLOCK=pow2 is the next power of two of b. */
    const char *blocks[EXEC_MAX_BLOCKS];
    int64_t shapes[EXEC_MAX_SHAPES][EXEC_MAX_SIZES];
    void (*reference)(struct exec_problem *problem);
    double tolerance[3]; /* for f32 and f64, f16, bf16; 0: exact */
};

/* main of a program that runs cases on the targets named in argv; none: interp and cpu. */
int exec_main(const char *name, const struct exec_case *cases, size_t case_count, int argc,
              char **argv);

#endif
