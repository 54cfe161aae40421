/*
 * What stands for a value of Tile IR while it is lowered: a scalar, or parts of a tile, which are
 * vectors of consecutive registers of a thread. And the small ops that handle them.
 */
#include "gpu/lower.h"

struct ir_type gpu_part_type(enum ir_elem elem, int width)
{
    int32_t dim = width;
    return width > 1 ? ir_tile(elem, 1, &dim) : ir_scalar(elem);
}

struct ir_value *gpu_scalar(const struct ir_value *value)
{
    return gpu_value_of(value)->scalar;
}

void gpu_set_scalar(struct ir_value *value, struct ir_value *lowered)
{
    gpu_value_of(value)->scalar = lowered;
    if (lowered->op && !lowered->name)
        lowered->name = value->name;
}

struct gpu_tile *gpu_home(const struct ir_value *value)
{
    return gpu_value_of(value)->tiles;
}

void gpu_new_parts(struct lowering *l, struct gpu_tile *tile)
{
    tile->parts = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)tile->count);
}

/* Something of the right type, so that the walk can end after an internal error. */
static struct gpu_tile *broken_tile(struct lowering *l, const struct ir_value *value,
                                    const struct layout *layout)
{
    struct gpu_tile *tile = ARENA_NEW(l->arena, struct gpu_tile);
    l->failed = true;
    diagnostics_add(l->diagnostics, DIAGNOSTIC_ERROR, l->b.range,
                    "internal error: a tile is not in the layout that its user needs");
    tile->layout = *layout;
    tile->width = gpu_layout_width(layout, l->plan);
    tile->count = (1 << layout->register_bits) / tile->width;
    gpu_new_parts(l, tile);
    for (int i = 0; i < tile->count; i++)
        tile->parts[i] =
            ir_constant(&l->b, gpu_part_type((enum ir_elem)value->type.elem, tile->width), 0);
    return tile;
}

struct gpu_tile *gpu_tile(struct lowering *l, const struct ir_value *value,
                          const struct layout *layout)
{
    struct gpu_tile *tile = gpu_tile_in(value, layout);
    return tile && tile->parts ? tile : broken_tile(l, value, layout);
}

struct ir_value *gpu_extract(struct lowering *l, struct ir_value *part, int k)
{
    struct ir_attributes attributes = {.number = k};
    if (part->type.rank == 0)
        return part;
    struct ir_type scalar = ir_scalar((enum ir_elem)part->type.elem);
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_EXTRACT, 1, &part, 1, &scalar, 0, &attributes)
        ->results[0];
}

struct ir_value *gpu_load_vector(struct lowering *l, struct ir_value *pointer, enum ir_elem elem,
                                 int width, bool aligned)
{
    struct ir_attributes attributes = {.aligned = aligned};
    struct ir_type type = gpu_part_type(elem, width);
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_VECTOR_LOAD, 1, &pointer, 1, &type, 0,
                    &attributes)
        ->results[0];
}

struct ir_value **gpu_registers(struct lowering *l, const struct gpu_tile *tile)
{
    struct ir_value **registers =
        ARENA_ARRAY(l->arena, struct ir_value *, (size_t)(tile->count * tile->width));
    for (int i = 0; i < tile->count * tile->width; i++)
        registers[i] = gpu_extract(l, tile->parts[i / tile->width], i % tile->width);
    return registers;
}

void gpu_pack(struct lowering *l, struct gpu_tile *tile, struct ir_value *const *registers)
{
    gpu_new_parts(l, tile);
    for (int i = 0; i < tile->count; i++) {
        struct ir_value *const *first = registers + i * tile->width;
        struct ir_type type = gpu_part_type((enum ir_elem)(*first)->type.elem, tile->width);
        tile->parts[i] = tile->width == 1 ? *first
                                          : ir_build(&l->b, (enum ir_opcode)GPU_OP_PACK,
                                                     tile->width, first, 1, &type, 0, NULL)
                                                ->results[0];
    }
}

void gpu_adopt(struct lowering *l, struct gpu_tile *tile, const struct gpu_tile *from)
{
    if (tile->width == from->width)
        tile->parts = from->parts;
    else
        gpu_pack(l, tile, gpu_registers(l, from));
}

struct ir_builder gpu_begin_if(struct lowering *l, struct ir_value *condition)
{
    struct ir_builder outside = l->b;
    if (!condition)
        return outside;
    struct ir_op *branch = ir_build(&l->b, IR_OP_IF, 1, &condition, 0, NULL, 2, NULL);
    l->b = (struct ir_builder){l->b.func, branch->regions[1], NULL, l->b.range};
    ir_build(&l->b, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
    l->b.region = branch->regions[0];
    return outside;
}

void gpu_end_if(struct lowering *l, struct ir_builder outside)
{
    if (l->b.region != outside.region)
        ir_build(&l->b, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
    l->b = outside;
}

struct ir_value *gpu_constant(struct lowering *l, int64_t value)
{
    return ir_constant_i64(&l->b, value);
}

struct ir_value *gpu_bool(struct lowering *l, bool value)
{
    return ir_constant(&l->b, ir_scalar(IR_BOOL), value);
}

struct ir_value *gpu_and(struct lowering *l, struct ir_value *a, struct ir_value *b)
{
    if (!a || !b)
        return a ? a : b;
    return ir_binary(&l->b, IR_OP_AND, a, b);
}

static struct ir_value *number_of(struct lowering *l, enum gpu_opcode code, int count)
{
    struct ir_attributes attributes = {.end = count};
    struct ir_type type = ir_scalar(IR_I64);
    return ir_build(&l->b, (enum ir_opcode)code, 0, NULL, 1, &type, 0, &attributes)->results[0];
}

struct ir_value *gpu_lane(struct lowering *l)
{
    return number_of(l, GPU_OP_LANE_INDEX, GPU_LANES);
}

struct ir_value *gpu_thread(struct lowering *l)
{
    return number_of(l, GPU_OP_THREAD_INDEX, l->plan->threads);
}

struct ir_value *gpu_group(struct lowering *l)
{
    return number_of(l, GPU_OP_GROUP_INDEX, l->plan->groups);
}
