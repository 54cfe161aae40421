/* Elementwise ops, part by part, and flexible values in each layout that a user needs. */
#include "gpu/lower.h"

static struct ir_value *part_op(struct lowering *l, const struct ir_op *op,
                                struct ir_value *const *operands, int width)
{
    struct ir_type type = gpu_part_type((enum ir_elem)op->results[0]->type.elem, width);
    return ir_build(&l->b, op->code, op->operand_count, operands, 1, &type, 0, &op->attributes)
        ->results[0];
}

static void elementwise_in(struct lowering *l, const struct ir_op *op, struct gpu_tile *tile)
{
    const struct gpu_tile *operands[4] = {0};
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = gpu_tile(l, op->operands[i], &tile->layout);
    gpu_new_parts(l, tile);
    for (int p = 0; p < tile->count; p++) {
        struct ir_value *parts[4];
        bool same = p > 0; /* as the part before, which broadcasts often are */
        for (int i = 0; i < op->operand_count; i++) {
            parts[i] = operands[i]->parts[p];
            same = same && parts[i] == operands[i]->parts[p - 1];
        }
        tile->parts[p] = same ? tile->parts[p - 1] : part_op(l, op, parts, tile->width);
        if (!tile->parts[p]->name)
            tile->parts[p]->name = op->results[0]->name;
    }
}

void gpu_elementwise(struct lowering *l, const struct ir_op *op)
{
    elementwise_in(l, op, gpu_home(op->results[0]));
}

/* ---- ranges -------------------------------------------------------------------------------------
 */

static struct ir_value *vector_of(struct lowering *l, struct ir_value *scalar, int width)
{
    return ir_broadcast(&l->b, scalar, gpu_part_type((enum ir_elem)scalar->type.elem, width));
}

/* Registers first..first+width-1 hold base, base + 1, ... : one sum of vectors. Else one by one. */
static struct ir_value *range_part(struct lowering *l, const struct layout *layout, int first,
                                   int width, int64_t begin)
{
    uint32_t columns[LAYOUT_MAX_BITS], offset;
    bool runs = true, constant = true;
    struct ir_value *registers[16];
    gpu_layout_axis(layout, 0, columns, &offset);
    for (int b = 0; 1 << b < width; b++) {
        runs = runs && columns[b] == 1u << b && !(offset >> b & 1);
        constant = constant && columns[b] == 0;
    }
    for (int k = 0; k < (runs || constant ? 1 : width); k++) {
        registers[k] = gpu_map(l, layout, columns, offset, first + k);
        if (begin)
            registers[k] = ir_binary(&l->b, IR_OP_ADD, registers[k], gpu_constant(l, begin));
    }
    if (width == 1)
        return registers[0];
    if (constant)
        return vector_of(l, registers[0], width);
    if (runs) {
        struct ir_value *steps = ir_arange(&l->b, 0, width);
        return ir_binary(&l->b, IR_OP_ADD, vector_of(l, registers[0], width), steps);
    }
    struct ir_type type = gpu_part_type(IR_I64, width);
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_PACK, width, registers, 1, &type, 0, NULL)
        ->results[0];
}

static void range_in(struct lowering *l, const struct ir_op *op, struct gpu_tile *tile)
{
    gpu_new_parts(l, tile);
    for (int p = 0; p < tile->count; p++)
        tile->parts[p] =
            range_part(l, &tile->layout, p * tile->width, tile->width, op->attributes.begin);
}

/* ---- flexible values ------------------------------------------------------------------------- */

static void fill(struct lowering *l, struct gpu_tile *tile, struct ir_value *part)
{
    gpu_new_parts(l, tile);
    for (int p = 0; p < tile->count; p++)
        tile->parts[p] = part;
}

static void flexible_in(struct lowering *l, const struct ir_op *op, struct gpu_tile *tile)
{
    struct ir_type type = op->results[0]->type;
    const struct ir_value *operand = op->operand_count > 0 ? op->operands[0] : NULL;
    enum ir_elem elem = (enum ir_elem)type.elem;
    struct layout wanted = tile->layout;
    switch (op->code) {
    case IR_OP_CONSTANT:
        fill(l, tile, ir_constant(&l->b, gpu_part_type(elem, tile->width), op->attributes.bits));
        return;
    case IR_OP_ARANGE:
        range_in(l, op, tile);
        return;
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
        if (operand->type.rank == 0) {
            fill(l, tile, vector_of(l, gpu_scalar(operand), tile->width));
            return;
        }
        wanted = op->code == IR_OP_BROADCAST
                     ? gpu_layout_before_broadcast(wanted, operand->type, type)
                     : gpu_layout_reshape(wanted, operand->type);
        gpu_adopt(l, tile, gpu_tile(l, operand, &wanted));
        return;
    case IR_OP_TRANS:
        wanted = gpu_layout_before_trans(wanted, op->attributes.permutation);
        gpu_adopt(l, tile, gpu_tile(l, operand, &wanted));
        return;
    default:
        elementwise_in(l, op, tile);
    }
}

void gpu_flexible(struct lowering *l, const struct ir_op *op)
{
    for (struct gpu_tile *tile = gpu_value_of(op->results[0])->tiles; tile; tile = tile->next)
        flexible_in(l, op, tile);
}
