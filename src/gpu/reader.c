/*
 * Fragments of a product's operands out of slots: by an instruction that loads a fragment or two,
 * or gathered element by element where no instruction loads the slot's order.
 */
#include "gpu/reader.h"

#include "gpu/aligned.h"

/* One part of the lane's place in a fragment (rows, or columns) as an index: bits low.. of the
 * element that a register of the lane holds. */
static struct ir_value *lane_index_in(struct lowering *l, const struct gpu_fragment *f, int reg,
                                      int low, int count)
{
    struct layout layout = {.register_bits = f->register_bits,
                            .lane_bits = GPU_LANE_BITS,
                            .group_bits = gpu_bits_of(l->plan->groups)};
    uint32_t columns[LAYOUT_MAX_BITS] = {0};
    for (int i = 0; i < f->register_bits + GPU_LANE_BITS; i++)
        if (f->bits[i] != GPU_FRAGMENT_COPY)
            columns[i] = (1u << f->bits[i]) >> low & ((1u << count) - 1);
    return gpu_map(l, &layout, columns, 0, reg);
}

/* How many registers of a lane hold neighbours in memory: so many are loaded at once. */
static int neighbours(const struct gpu_reader *r)
{
    const struct gpu_fragment *f = r->fragment;
    int low = r->buffer->by_columns ? f->column_bits : 0, bits = 0;
    while (bits < f->register_bits && f->bits[bits] == low + bits &&
           (2 << bits) * (int)ir_elem_bytes(f->elem) <= 16)
        bits++;
    return 1 << bits;
}

/* Several neighbours into own; false where they are not seen to be aligned. */
static bool load_neighbours(const struct gpu_reader *r, int index, struct ir_value *at, int count,
                            struct ir_value **own)
{
    struct lowering *l = r->l;
    at = ir_binary(&l->b, IR_OP_ADD, at, gpu_constant(l, index * r->distance));
    at = ir_binary(&l->b, IR_OP_ADD, r->first, at);
    if (count == 1 || !gpu_is_multiple(at, count))
        return false;
    at = ir_binary(&l->b, IR_OP_ADDPTR, r->start, at);
    struct ir_value *vector = gpu_load_vector(l, at, r->fragment->elem, count, true);
    for (int i = 0; i < count; i++)
        own[i] = gpu_extract(l, vector, i);
    return true;
}

/* Element by element, or a few at a time, where no instruction loads this order. */
static struct ir_value *gather_fragment(const struct gpu_reader *r, struct ir_value *from,
                                        int index)
{
    struct lowering *l = r->l;
    const struct gpu_fragment *f = r->fragment;
    struct ir_value *own[1 << GPU_FRAGMENT_REGISTER_BITS];
    struct ir_value *stride = gpu_constant(l, gpu_buffer_stride(r->buffer));
    struct ir_type type = gpu_fragment_type(f);
    int count = 1 << f->register_bits, together = neighbours(r);
    for (int k = 0; k < count; k++) {
        struct ir_value *row = lane_index_in(l, f, k, f->column_bits, f->row_bits);
        struct ir_value *column = lane_index_in(l, f, k, 0, f->column_bits);
        struct ir_value **far = r->buffer->by_columns ? &column : &row;
        *far = ir_binary(&l->b, IR_OP_MUL, *far, stride);
        struct ir_value *at = ir_binary(&l->b, IR_OP_ADD, row, column);
        if (k % together == 0 && load_neighbours(r, index, at, together, own + k)) {
            k += together - 1;
            continue;
        }
        own[k] = ir_load(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, from, at), NULL, NULL);
    }
    struct ir_type vector = gpu_part_type(f->elem, count);
    struct ir_value *packed =
        ir_build(&l->b, (enum ir_opcode)GPU_OP_PACK, count, own, 1, &vector, 0, NULL)->results[0];
    if (f->vector)
        return packed;
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_FRAGMENT_PACK, 1, &packed, 1, &type, 0, NULL)
        ->results[0];
}

/* The operands of a load of fragment `index`; how many. */
static int load_operands(const struct gpu_reader *r, int index, struct ir_value **operands)
{
    struct lowering *l = r->l;
    struct ir_value *distance = gpu_constant(l, index * r->distance);
    operands[0] = r->slot;
    operands[1] = gpu_constant(l, gpu_buffer_stride(r->buffer));
    operands[2] = r->place;
    if (index > 0 && r->place && r->along)
        operands[2] = ir_binary(&l->b, IR_OP_ADD, r->place, distance);
    else if (index > 0)
        operands[0] = ir_binary(&l->b, IR_OP_ADDPTR, r->slot, distance);
    return r->place ? 3 : 2;
}

struct ir_value *gpu_read_fragment(void *user, int index)
{
    const struct gpu_reader *r = user;
    struct lowering *l = r->l;
    struct ir_attributes attributes = {.columns = r->buffer->by_columns};
    struct ir_value *operands[3];
    struct ir_type type = gpu_fragment_type(r->fragment);
    int count = load_operands(r, index, operands);
    if (attributes.columns ? !r->fragment->by_columns : !r->fragment->by_rows)
        return gather_fragment(r, operands[0], index);
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_FRAGMENT_LOAD, count, operands, 1, &type, 0,
                    &attributes)
        ->results[0];
}

bool gpu_reads_pairs(const struct gpu_reader *r, const struct gpu_product *p)
{
    const struct gpu_instruction *i = p->dot->instruction;
    return i->backend == GPU_BACKEND_MMA && p->columns > 1 &&
           (r->buffer->by_columns ? i->b.by_columns : i->b.by_rows);
}

void gpu_read_pair(const struct gpu_reader *r, int index, struct ir_value **two)
{
    struct lowering *l = r->l;
    struct ir_attributes attributes = {.columns = r->buffer->by_columns};
    struct ir_type type = gpu_fragment_type(r->fragment), types[] = {type, type};
    struct ir_value *operands[3];
    int count = load_operands(r, index, operands);
    const struct ir_op *op = ir_build(&l->b, (enum ir_opcode)GPU_OP_FRAGMENT_LOAD_PAIR, count,
                                      operands, 2, types, 0, &attributes);
    two[0] = op->results[0];
    two[1] = op->results[1];
}

/* How far apart two elements are in a slot: along rows (axis 0) or columns. */
static int64_t distance_along(const struct gpu_buffer *buffer, int axis)
{
    return (axis == 0) == buffer->by_columns ? 1 : gpu_buffer_stride(buffer);
}

/* The first element of the group's part along an axis. */
static struct ir_value *group_start(struct lowering *l, const struct layout *layout, int axis)
{
    uint32_t columns[LAYOUT_MAX_BITS], offset;
    gpu_layout_axis(layout, axis, columns, &offset);
    for (int i = 0; i < layout->register_bits + layout->lane_bits; i++)
        columns[i] = 0;
    return gpu_map(l, layout, columns, 0, 0);
}

struct gpu_reader gpu_reader_of(struct lowering *l, const struct gpu_dot *dot, int side,
                                const struct gpu_buffer *buffer, struct ir_value *slot,
                                struct ir_value *inner)
{
    const struct gpu_fragment *f = side ? &dot->instruction->b : &dot->instruction->a;
    int outer = side ? 1 : 0;
    struct ir_value *start = group_start(l, side ? &dot->b : &dot->a, outer);
    start = ir_binary(&l->b, IR_OP_MUL, start, gpu_constant(l, distance_along(buffer, outer)));
    struct ir_value *along =
        ir_binary(&l->b, IR_OP_MUL, inner, gpu_constant(l, distance_along(buffer, !outer)));
    bool in_row = distance_along(buffer, outer) == 1;
    struct ir_value *row = in_row ? along : start, *place = in_row ? start : along;
    if (!buffer->swizzled) {
        row = ir_binary(&l->b, IR_OP_ADD, start, along);
        place = NULL;
    }
    return (struct gpu_reader){
        .l = l,
        .buffer = buffer,
        .fragment = f,
        .start = slot,
        .first = row,
        .slot = ir_binary(&l->b, IR_OP_ADDPTR, slot, row),
        .place = place,
        .along = in_row,
        .distance = distance_along(buffer, outer) << (side ? f->column_bits : f->row_bits),
    };
}
