/* Matrix instructions and how groups share a product; see instruction.h. */
#include "plan/instruction.h"

/* Apple's 8x8 matrices: a lane has two neighbours of a row. That is how all its GPUs so far place
 * thread_elements(); msl-host does the same. */
#define MATRIX_8X8(elem) {elem, 3, 3, 1, {0, 1, 3, 4, 2, 5}}

static const struct gpu_instruction instructions[] = {
    {"simdgroup 8x8x8 half", GPU_BACKEND_SIMDGROUP, IR_F16, IR_F32, MATRIX_8X8(IR_F16),
     MATRIX_8X8(IR_F16), MATRIX_8X8(IR_F32)},
    {"simdgroup 8x8x8 float", GPU_BACKEND_SIMDGROUP, IR_F32, IR_F32, MATRIX_8X8(IR_F32),
     MATRIX_8X8(IR_F32), MATRIX_8X8(IR_F32)},
    /* bfloat is widened: MSL 3.0 has no such matrices */
    {"simdgroup 8x8x8 float", GPU_BACKEND_SIMDGROUP, IR_BF16, IR_F32, MATRIX_8X8(IR_F32),
     MATRIX_8X8(IR_F32), MATRIX_8X8(IR_F32)},
};

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

const struct gpu_instruction *gpu_instruction_for(enum gpu_backend backend, struct ir_type a,
                                                  struct ir_type b, struct ir_type sum,
                                                  const char **why)
{
    const char *reason = "there are no matrices of these elements";
    for (size_t k = 0; k < sizeof instructions / sizeof *instructions; k++) {
        const struct gpu_instruction *i = &instructions[k];
        if (i->backend != backend || i->operand != a.elem || i->sum != sum.elem)
            continue;
        if (holds(a.dims[0], i->c.row_bits) && holds(a.dims[1], i->a.column_bits) &&
            holds(b.dims[1], i->c.column_bits))
            return i;
        reason = "a side of its tiles is no power of two, or smaller than a fragment";
    }
    if (why)
        *why = reason;
    return NULL;
}

struct gpu_group_grid gpu_grid_of(const struct gpu_plan *plan, const struct gpu_instruction *i,
                                  struct ir_type sum)
{
    struct gpu_group_grid grid = {
        .row_fragments = gpu_bits_of(sum.dims[0]) - i->c.row_bits,
        .column_fragments = gpu_bits_of(sum.dims[1]) - i->c.column_bits,
    };
    int spare = gpu_bits_of(plan->groups) - gpu_bits_of(plan->split);
    int rows = gpu_bits_of(plan->group_rows);
    while (spare > 0 && grid.row_fragments + grid.column_fragments > 0) {
        bool row = grid.row_fragments + i->c.row_bits >= grid.column_fragments + i->c.column_bits;
        if (plan->group_rows)
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
