/*
 * Products that teams of SIMD groups make, of operands where they are staged, the left one perhaps
 * in registers.
 *
 *   %x, %y... = warpgroup_mma %a, %b, %sums...   for each step along the inner axis and each 64
 * rows
 *
 * An op starts the product of a team's rows of one fragment each by all of its columns. It goes on
 * while the threads do other things, until they wait for it.
 */
#include "gpu/multiply.h"

/* The first row (axis 0) or column of the result that the team has. */
static struct ir_value *team_start(struct lowering *l, const struct gpu_dot *dot, int axis)
{
    const struct layout *layout = &dot->c;
    uint32_t columns[LAYOUT_MAX_BITS], offset;
    gpu_layout_axis(layout, axis, columns, &offset);
    int own = layout->register_bits + layout->lane_bits + dot->instruction->team_bits;
    for (int i = 0; i < own; i++)
        columns[i] = 0;
    return gpu_map(l, layout, columns, 0, 0);
}

/* Where teams read an operand: side 0 is a, 1 is b. */
struct staged {
    const struct gpu_buffer *buffer;
    struct ir_value *start; /* what the team reads at the start of the inner axis */
    bool along;             /* the inner axis lies along rows of the slot */
};

static struct staged staged_of(struct lowering *l, const struct gpu_dot *dot, int side,
                               const struct gpu_team_operand *operand)
{
    struct staged staged = {.buffer = operand->buffer};
    const struct gpu_buffer *b = staged.buffer;
    staged.along = (side == 0) != b->by_columns;
    /* A team's part starts where a row of its slot does, or a panel. */
    int64_t each = staged.along ? b->panel : b->by_columns ? b->columns : b->rows;
    struct ir_value *at =
        ir_binary(&l->b, IR_OP_MUL, team_start(l, dot, side), gpu_constant(l, each));
    staged.start = ir_binary(&l->b, IR_OP_ADDPTR, operand->slot, at);
    return staged;
}

/* From there on: so many elements further along the inner axis, and along the other. */
static struct ir_value *operand_at(struct lowering *l, const struct staged *staged, int inner,
                                   int outer)
{
    const struct gpu_buffer *b = staged->buffer;
    int major = staged->along ? outer : inner, minor = staged->along ? inner : outer;
    int64_t rows = b->by_columns ? b->columns : b->rows, panel = b->panel;
    int64_t at = minor / panel * panel * rows + major * panel + minor % panel;
    return at ? ir_binary(&l->b, IR_OP_ADDPTR, staged->start, gpu_constant(l, at)) : staged->start;
}

static struct ir_matrix matrix_of(const struct staged *staged)
{
    const struct gpu_buffer *b = staged->buffer;
    return (struct ir_matrix){.columns = b->by_columns,
                              .row = b->panel,
                              .panel = (int64_t)b->panel * (b->by_columns ? b->columns : b->rows)};
}

void gpu_start_products(struct lowering *l, const struct gpu_product *p,
                        const struct gpu_team_operand *from, struct ir_value **all)
{
    const struct gpu_instruction *i = p->dot->instruction;
    bool registers = from[0].fragments != NULL;
    struct staged a = registers ? (struct staged){0} : staged_of(l, p->dot, 0, &from[0]);
    struct staged b = staged_of(l, p->dot, 1, &from[1]);
    struct ir_attributes attributes = {.matrices = {{0}, matrix_of(&b)}};
    if (!registers)
        attributes.matrices[0] = matrix_of(&a);
    struct ir_value **operands = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)p->columns + 2);
    struct ir_type *types = ARENA_ARRAY(l->arena, struct ir_type, (size_t)p->columns);
    for (int k = 0; k < p->steps; k++) {
        operands[1] = operand_at(l, &b, k << i->a.column_bits, 0);
        for (int row = 0; row < p->rows; row++) {
            struct ir_value **sums = all + row * p->columns;
            operands[0] = registers ? from[0].fragments[row * p->steps + k]
                                    : operand_at(l, &a, k << i->a.column_bits,
                                                 row << (i->c.row_bits + i->team_bits));
            for (int c = 0; c < p->columns; c++) {
                operands[2 + c] = sums[c];
                types[c] = sums[c]->type;
            }
            const struct ir_op *op =
                ir_build(&l->b, (enum ir_opcode)GPU_OP_WARPGROUP_MMA, p->columns + 2, operands,
                         p->columns, types, 0, &attributes);
            for (int c = 0; c < p->columns; c++)
                sums[c] = op->results[c];
        }
    }
}

void gpu_multiply_by_teams(struct lowering *l, const struct gpu_product *p,
                           const struct gpu_team_operand *from, struct ir_value **sums)
{
    int count = p->rows * p->columns;
    struct ir_type *types = ARENA_ARRAY(l->arena, struct ir_type, (size_t)count);
    ir_build(&l->b, (enum ir_opcode)GPU_OP_WARPGROUP_BEGIN, 0, NULL, 0, NULL, 0, NULL);
    gpu_start_products(l, p, from, sums);
    ir_build(&l->b, (enum ir_opcode)GPU_OP_WARPGROUP_COMMIT, 0, NULL, 0, NULL, 0, NULL);
    for (int i = 0; i < count; i++)
        types[i] = sums[i]->type;
    struct ir_attributes attributes = {.number = 0};
    const struct ir_op *op = ir_build(&l->b, (enum ir_opcode)GPU_OP_WARPGROUP_WAIT, count, sums,
                                      count, types, 0, &attributes);
    for (int i = 0; i < count; i++)
        sums[i] = op->results[i];
}
