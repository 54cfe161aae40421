/* Layouts of fragments; see fragment.h. */
#include "gpu/fragment.h"

struct ir_type gpu_fragment_type(const struct gpu_fragment *fragment)
{
    int32_t dims[] = {1 << fragment->row_bits, 1 << fragment->column_bits};
    int32_t own[] = {1 << fragment->register_bits};
    return fragment->vector ? ir_tile(fragment->elem, 1, own) : ir_tile(fragment->elem, 2, dims);
}

int gpu_fragment_axis(const struct gpu_fragment *f)
{
    bool one = f->vector && (f->row_bits == 0 || f->column_bits == 0);
    return one ? f->row_bits == 0 : -1;
}

static int put(struct layout *layout, int place, int low, int from, int count)
{
    for (int k = 0; k < count; k++)
        layout->basis[place++] = 1u << (low + from + k);
    return place;
}

struct layout gpu_fragment_layout(const struct gpu_plan *plan, const struct gpu_instruction *i,
                                  enum gpu_role role, struct ir_type tile, struct ir_type sum)
{
    const struct gpu_fragment *f = role == GPU_ROLE_A ? &i->a : role == GPU_ROLE_B ? &i->b : &i->c;
    struct gpu_group_grid grid = gpu_grid_of(plan, i, sum);
    int columns = gpu_bits_of(tile.dims[1]), rows = gpu_bits_of(tile.dims[0]);
    int team = role == GPU_ROLE_B ? 0 : i->team_bits;
    int row_groups = role == GPU_ROLE_B ? 0 : grid.rows;
    int column_groups = role == GPU_ROLE_A ? 0 : grid.columns;
    int along_columns = columns - f->column_bits - column_groups;
    int along_rows = rows - f->row_bits - row_groups;
    struct layout layout = {.rank = 2,
                            .axis_bits = {rows, columns},
                            .element_bits = rows + columns,
                            .lane_bits = GPU_LANE_BITS,
                            .group_bits = gpu_bits_of(plan->groups),
                            .register_bits = f->register_bits + along_columns + along_rows};
    for (int k = 0; k < f->register_bits + GPU_LANE_BITS; k++) {
        int bit = f->bits[k];
        int place = k < f->register_bits ? k : k - f->register_bits + layout.register_bits;
        layout.basis[place] =
            bit == GPU_FRAGMENT_COPY
                ? 0
                : 1u << (bit < f->column_bits ? bit : bit - f->column_bits + columns);
    }
    int place = put(&layout, f->register_bits, 0, f->column_bits, along_columns);
    put(&layout, place, columns, f->row_bits + team, along_rows);
    /* Groups: rows of a team, then columns of the grid, then rows; an operand is the same along one
     * of them. */
    int group = layout.register_bits + GPU_LANE_BITS;
    put(&layout, group, columns, f->row_bits, team);
    group += i->team_bits;
    put(&layout, group, 0, f->column_bits + along_columns, column_groups);
    put(&layout, group + grid.columns, columns, f->row_bits + team + along_rows, row_groups - team);
    return layout;
}
