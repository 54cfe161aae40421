/* Matrix instructions and how groups share a product; see instruction.h. */
#include "plan/instruction.h"

/* Apple's 8x8 matrices: a lane has two neighbours of a row. That is how all its GPUs so far place
 * thread_elements(); msl-host does the same. */
#define MATRIX_8X8(elem)                                                                           \
    {                                                                                              \
        elem, 3, 3, 1, {0, 1, 3, 4, 2, 5}, true, true, false                                       \
    }

/* NVIDIA's, as the PTX manual describes mma.sync: rows go with lanes / 4. ldmatrix loads rows of 16
 * bytes, and transposes elements of 16 bits. */
#define A_16X16(elem)                                                                              \
    {                                                                                              \
        elem, 4, 4, 3, {0, 7, 3, 1, 2, 4, 5, 6}, true, true, false                                 \
    }
#define B_16X8(elem)                                                                               \
    {                                                                                              \
        elem, 4, 3, 2, {3, 6, 4, 5, 0, 1, 2}, true, true, false                                    \
    }
#define A_16X32(elem)                                                                              \
    {                                                                                              \
        elem, 4, 5, 4, {0, 1, 8, 4, 2, 3, 5, 6, 7}, true, false, false                             \
    }
#define B_32X8(elem)                                                                               \
    {                                                                                              \
        elem, 5, 3, 3, {3, 4, 7, 5, 6, 0, 1, 2}, false, true, false                                \
    }
#define A_16X8(elem)                                                                               \
    {                                                                                              \
        elem, 4, 3, 2, {6, 2, 0, 1, 3, 4, 5}, true, false, false                                   \
    }
#define B_8X8(elem)                                                                                \
    {                                                                                              \
        elem, 3, 3, 1, {5, 3, 4, 0, 1, 2}, false, true, false                                      \
    }
#define C_16X8(elem)                                                                               \
    {                                                                                              \
        elem, 4, 3, 2, {0, 6, 1, 2, 3, 4, 5}, false, false, false                                  \
    }

/* Lanes stand 8 x 4 over the result, and each has four neighbours of a row; it multiplies four
 * elements of its row of a (the same in the 4 lanes of a row) with 4 x 4 of b (the same in the 8 lanes
 * of a column), all of which come from threadgroup memory in pieces of 16 bytes. */
#define COPY GPU_FRAGMENT_COPY
#define FMA_A(elem)                                                                                \
    {                                                                                              \
        elem, 3, 2, 2, {0, 1, COPY, COPY, 2, 3, 4}, false, false, true                             \
    }
#define FMA_B(elem)                                                                                \
    {                                                                                              \
        elem, 2, 4, 4, {0, 1, 4, 5, 2, 3, COPY, COPY, COPY}, false, false, true                    \
    }
#define FMA_C(elem)                                                                                \
    {                                                                                              \
        elem, 3, 4, 2, {0, 1, 2, 3, 4, 5, 6}, false, false, true                                   \
    }

/* For many sums: lanes stand 4 x 8 over the result, and each multiplies four neighbours of a column of
 * a with four of a row of b. So a lies by columns in threadgroup memory. */
#define OUTER_A(elem)                                                                              \
    {                                                                                              \
        elem, 4, 0, 2, {0, 1, COPY, COPY, COPY, 2, 3}, false, false, true                          \
    }
#define OUTER_B(elem)                                                                              \
    {                                                                                              \
        elem, 0, 5, 2, {0, 1, 2, 3, 4, COPY, COPY}, false, false, true                             \
    }
#define OUTER_C(elem)                                                                              \
    {                                                                                              \
        elem, 4, 5, 4, {0, 1, 5, 6, 2, 3, 4, 7, 8}, false, false, true                             \
    }

enum { WARPGROUP_BITS = 2 }; /* SIMD groups of one */

static const struct gpu_instruction instructions[] = {
    {"simdgroup 8x8x8 half", GPU_BACKEND_SIMDGROUP, IR_F16, IR_F32, false, 0, 1, 0,
     MATRIX_8X8(IR_F16), MATRIX_8X8(IR_F16), MATRIX_8X8(IR_F32)},
    {"simdgroup 8x8x8 float", GPU_BACKEND_SIMDGROUP, IR_F32, IR_F32, false, 0, 1, 0,
     MATRIX_8X8(IR_F32), MATRIX_8X8(IR_F32), MATRIX_8X8(IR_F32)},
    /* bfloat is widened: MSL 3.0 has no such matrices */
    {"simdgroup 8x8x8 float", GPU_BACKEND_SIMDGROUP, IR_BF16, IR_F32, false, 0, 1, 0,
     MATRIX_8X8(IR_F32), MATRIX_8X8(IR_F32), MATRIX_8X8(IR_F32)},
    {"mma 16x8x16 half", GPU_BACKEND_MMA, IR_F16, IR_F32, false, 0, 8, 0, A_16X16(IR_F16),
     B_16X8(IR_F16), C_16X8(IR_F32)},
    {"mma 16x8x16 bfloat", GPU_BACKEND_MMA, IR_BF16, IR_F32, false, 0, 8, 0, A_16X16(IR_BF16),
     B_16X8(IR_BF16), C_16X8(IR_F32)},
    {"mma 16x8x32 int8", GPU_BACKEND_MMA, IR_I8, IR_I32, false, 0, 16, 0, A_16X32(IR_I8),
     B_32X8(IR_I8), C_16X8(IR_I32)},
    /* floats are rounded to 11 bits, and carried as their bits */
    {"mma 16x8x8 tf32", GPU_BACKEND_MMA, IR_F32, IR_F32, true, 0, 4, 0, A_16X8(IR_U32),
     B_8X8(IR_U32), C_16X8(IR_F32)},
    {"fma 16x32x1 float", GPU_BACKEND_FMA, IR_F32, IR_F32, false, 64, 4, 0, OUTER_A(IR_F32),
     OUTER_B(IR_F32), OUTER_C(IR_F32)},
    {"fma 8x16x4 float", GPU_BACKEND_FMA, IR_F32, IR_F32, false, 0, 4, 0, FMA_A(IR_F32),
     FMA_B(IR_F32), FMA_C(IR_F32)},
    /* a team's 64 rows, and as many columns as it has */
    {"wgmma 64xNx16 half", GPU_BACKEND_MMA, IR_F16, IR_F32, false, 0, 0, WARPGROUP_BITS,
     A_16X16(IR_F16), B_16X8(IR_F16), C_16X8(IR_F32)},
    {"wgmma 64xNx16 bfloat", GPU_BACKEND_MMA, IR_BF16, IR_F32, false, 0, 0, WARPGROUP_BITS,
     A_16X16(IR_BF16), B_16X8(IR_BF16), C_16X8(IR_F32)},
};
enum { INSTRUCTIONS = sizeof instructions / sizeof *instructions };

const struct gpu_instruction *gpu_instruction(size_t number)
{
    return number < INSTRUCTIONS ? &instructions[number] : NULL;
}

int gpu_bits_of(int64_t count)
{
    int bits = 0;
    while (INT64_C(1) << bits < count)
        bits++;
    return bits;
}

static bool holds(int32_t dim, int bits)
{
    return dim >= 1 << bits && 1 << gpu_bits_of(dim) == dim;
}

const struct gpu_instruction *gpu_instruction_for(enum gpu_backend backend, bool relaxed,
                                                  int64_t sums, struct ir_type a, struct ir_type b,
                                                  struct ir_type sum, const char **why)
{
    const char *reason = "there are no matrices of these elements";
    for (size_t k = 0; k < INSTRUCTIONS; k++) {
        const struct gpu_instruction *i = &instructions[k];
        bool usable = i->backend == backend ||
                      (i->backend == GPU_BACKEND_FMA && backend == GPU_BACKEND_MMA);
        if (!usable || i->team_bits > 0 || i->operand != a.elem || i->sum != sum.elem ||
            sums < i->sums)
            continue;
        if (i->relaxed && !relaxed) {
            reason = "its instruction drops bits of floats, which --relaxed allows";
            continue;
        }
        if (holds(a.dims[0], i->c.row_bits) && holds(b.dims[1], i->c.column_bits) &&
            a.dims[1] % (1 << i->a.column_bits) == 0)
            return i;
        reason = "a side of the result is no power of two or smaller than a fragment, or the inner axis is no "
                 "multiple of one";
    }
    if (why)
        *why = reason;
    return NULL;
}

/* Columns that one instruction of a team takes at most; and so many that it is worth it: a piece of
 * a row that stands together where operands are staged for teams. Of an inner axis of 16 fragments
 * were faster, in blocks of 64 x 64 on an H200 (half 1024^3 10.9 and 13.8 us). */
enum { MOST_TEAM_COLUMNS = 256, LEAST_TEAM_COLUMNS = 64, LEAST_TEAM_INNER = 32 };

const struct gpu_instruction *gpu_instruction_for_teams(const struct gpu_plan *plan,
                                                        struct ir_type a, struct ir_type sum)
{
    for (size_t k = 0; k < INSTRUCTIONS; k++) {
        const struct gpu_instruction *i = &instructions[k];
        int rows = 1 << (i->c.row_bits + i->team_bits);
        if (i->team_bits == 0 || i->operand != a.elem || i->sum != sum.elem)
            continue;
        bool shape = sum.dims[0] % rows == 0 && holds(sum.dims[0], i->c.row_bits) &&
                     holds(sum.dims[1], i->c.column_bits) && holds(a.dims[1], i->a.column_bits) &&
                     a.dims[1] >= LEAST_TEAM_INNER;
        if (!shape || plan->split > 1 || plan->groups % (1 << i->team_bits) != 0)
            return NULL;
        struct gpu_group_grid grid = gpu_grid_of(plan, i, sum);
        int columns = sum.dims[1] >> grid.columns;
        return columns <= MOST_TEAM_COLUMNS && columns >= LEAST_TEAM_COLUMNS ? i : NULL;
    }
    return NULL;
}

/* A team's columns are one operand for all of its rows, so that rows are shared out among teams
 * first. */
struct gpu_group_grid gpu_grid_of(const struct gpu_plan *plan, const struct gpu_instruction *i,
                                  struct ir_type sum)
{
    struct gpu_group_grid grid = {
        .rows = i->team_bits,
        .row_fragments = gpu_bits_of(sum.dims[0]) - i->c.row_bits - i->team_bits,
        .column_fragments = gpu_bits_of(sum.dims[1]) - i->c.column_bits,
    };
    int spare = gpu_bits_of(plan->groups) - gpu_bits_of(plan->split) - i->team_bits;
    int rows = gpu_bits_of(plan->group_rows);
    while (spare > 0 && grid.row_fragments + grid.column_fragments > 0) {
        bool row = i->team_bits > 0 ||
                   grid.row_fragments + i->c.row_bits >= grid.column_fragments + i->c.column_bits;
        if (plan->group_rows && i->team_bits == 0)
            row = grid.rows < rows;
        if (row ? grid.row_fragments == 0 : grid.column_fragments == 0)
            row = !row;
        grid.rows += row;
        grid.columns += !row;
        grid.row_fragments -= row;
        grid.column_fragments -= !row;
        spare--;
    }
    return grid;
}
