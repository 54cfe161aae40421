/* Elementwise ops, part by part, and flexible values in each layout that a user needs. */
#include "gpu/lower.h"

static struct ir_value *part_op(struct lowering *l, const struct ir_op *op, int code,
                                struct ir_value *const *operands, int width)
{
    struct ir_type type = gpu_part_type((enum ir_elem)op->results[0]->type.elem, width);
    return ir_build(&l->b, (enum ir_opcode)code, op->operand_count, operands, 1, &type, 0,
                    &op->attributes)
        ->results[0];
}

static void elementwise_as(struct lowering *l, const struct ir_op *op, int code,
                           struct gpu_tile *tile)
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
        tile->parts[p] = same ? tile->parts[p - 1] : part_op(l, op, code, parts, tile->width);
        if (!tile->parts[p]->name)
            tile->parts[p]->name = op->results[0]->name;
    }
}

/* ---- powers of two --------------------------------------------------------------------------- */

enum { LEAST_POWERS = 8 }; /* of a thread, beside which one branch costs little */

/* The least of a thread's elements; NaN if one is. */
static struct ir_value *least_element(struct lowering *l, const struct gpu_tile *tile)
{
    struct ir_value **parts = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)tile->count);
    for (int i = 0; i < tile->count; i++)
        parts[i] = tile->parts[i];
    for (int count = tile->count; count > 1; count = (count + 1) / 2) {
        for (int i = 0; i < count / 2; i++)
            parts[i] = ir_binary(&l->b, IR_OP_MINIMUM, parts[i], parts[i + (count + 1) / 2]);
    }
    struct ir_value *least = gpu_extract(l, parts[0], 0);
    for (int k = 1; k < tile->width; k++)
        least = ir_binary(&l->b, IR_OP_MINIMUM, least, gpu_extract(l, parts[0], k));
    return least;
}

static bool is_no_other_use(struct ir_op *op, void *user)
{
    const struct ir_value *value = user;
    bool halves = op->code == IR_OP_CAST && op->results[0]->type.elem == IR_F16;
    for (int i = 0; i < op->operand_count && !halves; i++) {
        if (op->operands[i] == value)
            return false;
    }
    return true;
}

/* Whether the value is only converted to half: what is below 2^-25 is then 0 whatever it is. */
static bool becomes_half(const struct lowering *l, struct ir_value *value)
{
    return ir_walk(l->source->body, is_no_other_use, value);
}

/* The instruction takes subnormal results for 0, so that exp2 costs a comparison and two products,
 * of which a power of -126 and more needs none:
 *
 *   %y = exp2 %x    ->    %y = if (least element of %x >= -126) { exp2_normal %x } else { exp2 %x }
 *
 * Each thread asks for its own elements, and takes both ways alike. */
static void powers_in(struct lowering *l, const struct ir_op *op, struct gpu_tile *tile)
{
    const struct gpu_tile *operand = gpu_tile(l, op->operands[0], &tile->layout);
    struct ir_type *types = ARENA_ARRAY(l->arena, struct ir_type, (size_t)tile->count);
    struct ir_value **parts = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)tile->count);
    for (int p = 0; p < tile->count; p++)
        types[p] = gpu_part_type(IR_F32, tile->width);
    struct ir_value *bound = ir_constant(&l->b, ir_scalar(IR_F32), 0xc2fc0000); /* -126 */
    struct ir_value *normal = ir_binary(&l->b, IR_OP_GE, least_element(l, operand), bound);
    struct ir_op *branch = ir_build(&l->b, IR_OP_IF, 1, &normal, tile->count, types, 2, NULL);
    struct ir_builder outside = l->b;
    for (int r = 0; r < 2; r++) {
        l->b.region = branch->regions[r];
        l->b.before = NULL;
        if (r == 1)
            ir_build(&l->b, (enum ir_opcode)GPU_OP_RARE, 0, NULL, 0, NULL, 0, NULL);
        for (int p = 0; p < tile->count; p++)
            parts[p] = ir_build(&l->b, r == 0 ? (enum ir_opcode)GPU_OP_EXP2_NORMAL : op->code, 1,
                                &operand->parts[p], 1, &types[p], 0, NULL)
                           ->results[0];
        ir_build(&l->b, IR_OP_YIELD, tile->count, parts, 0, NULL, 0, NULL);
    }
    l->b = outside;
    gpu_new_parts(l, tile);
    for (int p = 0; p < tile->count; p++) {
        tile->parts[p] = branch->results[p];
        tile->parts[p]->name = op->results[0]->name;
    }
}

void gpu_elementwise(struct lowering *l, const struct ir_op *op)
{
    struct gpu_tile *tile = gpu_home(op->results[0]);
    bool powers = op->code == IR_OP_EXP2 && op->results[0]->type.elem == IR_F32;
    if (powers && becomes_half(l, op->results[0]))
        elementwise_as(l, op, GPU_OP_EXP2_FLUSHED, tile);
    else if (powers && l->in_trip && tile->count * tile->width >= LEAST_POWERS)
        powers_in(l, op, tile);
    else
        elementwise_as(l, op, op->code, tile);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

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
        elementwise_as(l, op, op->code, tile);
    }
}

void gpu_flexible(struct lowering *l, const struct ir_op *op)
{
    for (struct gpu_tile *tile = gpu_value_of(op->results[0])->tiles; tile; tile = tile->next)
        flexible_in(l, op, tile);
}
