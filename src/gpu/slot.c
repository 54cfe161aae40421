/*
 * Slots: tiles in threadgroup memory (pipeline.h). Where a register's element stands in one, and
 * parts of tiles that are written there.
 */
#include "gpu/slot.h"

#include "gpu/aligned.h"
#include "gpu/multiply.h"

/* Rows of a power of two, one behind the other: then a place is a linear function of the bits of
 * the thread's number, and how far apart a thread's elements are is constant. Swizzling is linear,
 * too, and panels are, of which all sides are powers of two. */
static bool is_linear(const struct gpu_buffer *buffer)
{
    int stride = gpu_buffer_stride(buffer);
    return buffer->padding == 0 && (stride & (stride - 1)) == 0;
}

/* Where a place in a row stands, from the start of the row of its first panel. */
static uint32_t place_in_panels(const struct gpu_buffer *buffer, uint32_t place)
{
    uint32_t panel = (uint32_t)buffer->panel;
    uint32_t rows = (uint32_t)(buffer->by_columns ? buffer->columns : buffer->rows);
    return panel ? place / panel * panel * rows + place % panel : place;
}

static struct ir_value *linear_index(struct lowering *l, const struct gpu_buffer *buffer,
                                     const struct layout *layout, int reg)
{
    struct gpu_swizzling s = gpu_buffer_swizzle(buffer);
    uint32_t columns[LAYOUT_MAX_BITS], major[LAYOUT_MAX_BITS], offset, major_offset;
    gpu_layout_axis(layout, !buffer->by_columns, columns, &offset);
    gpu_layout_axis(layout, buffer->by_columns, major, &major_offset);
    for (int i = 0; i <= layout_place_bits(layout); i++) {
        bool last = i == layout_place_bits(layout);
        uint32_t row = last ? major_offset : major[i], *to = last ? &offset : &columns[i];
        *to = place_in_panels(buffer, *to);
        if (buffer->swizzled)
            *to ^= (row >> s.shift & (uint32_t)s.mask) * (uint32_t)s.piece;
        *to |= row * (uint32_t)gpu_buffer_stride(buffer);
    }
    return gpu_map(l, layout, columns, offset, reg);
}

struct ir_value *gpu_slot_index(struct lowering *l, const struct gpu_buffer *buffer,
                                const struct layout *layout, int reg)
{
    if (is_linear(buffer))
        return linear_index(l, buffer, layout, reg);
    struct ir_value *major = gpu_axis_index(l, layout, buffer->by_columns, reg);
    struct ir_value *minor = gpu_axis_index(l, layout, !buffer->by_columns, reg);
    major = ir_binary(&l->b, IR_OP_MUL, major, gpu_constant(l, gpu_buffer_stride(buffer)));
    return ir_binary(&l->b, IR_OP_ADD, major, minor);
}

bool gpu_slot_lies_along(const struct gpu_buffer *buffer, const struct layout *layout, int width)
{
    uint32_t minor = buffer->by_columns ? 1u << layout->axis_bits[1] : 1u;
    return width == 1 || layout->basis[0] == minor;
}

void gpu_put_part(struct lowering *l, const struct gpu_buffer *buffer, const struct gpu_tile *tile,
                  struct ir_value *slot, int part)
{
    int width = gpu_slot_lies_along(buffer, &tile->layout, tile->width) ? tile->width : 1;
    if (buffer->swizzled && width > gpu_buffer_swizzle(buffer).piece)
        width = 1;
    struct ir_value *vector = gpu_operand(l, tile->parts[part], buffer->elem);
    for (int k = 0; k < tile->width; k += width) {
        int reg = part * tile->width + k;
        struct ir_value *index = gpu_slot_index(l, buffer, &tile->layout, reg);
        struct ir_value *at = ir_binary(&l->b, IR_OP_ADDPTR, slot, index);
        /* Slots start at multiples of 16 bytes, rows where the stride is one. */
        struct ir_attributes attributes = {.aligned =
                                               gpu_is_multiple(index, width) &&
                                               width * (int)ir_elem_bytes(buffer->elem) <= 16};
        if (width == 1)
            ir_store(&l->b, at, gpu_extract(l, vector, k), NULL);
        else
            ir_build(&l->b, (enum ir_opcode)GPU_OP_VECTOR_STORE, 2,
                     (struct ir_value *[]){at, vector}, 0, NULL, 0, &attributes);
    }
}

void gpu_put_present(struct lowering *l, const struct gpu_buffer *buffer, struct ir_type type,
                     const struct gpu_tile *tile, struct ir_value *slot, int part)
{
    enum gpu_presence presence = gpu_presence_of(&tile->layout, type, part * tile->width);
    for (int k = 1; k < tile->width; k++) {
        if (gpu_presence_of(&tile->layout, type, part * tile->width + k) != presence)
            presence = GPU_PARTLY;
    }
    if (presence == GPU_INSIDE)
        gpu_put_part(l, buffer, tile, slot, part);
    for (int k = 0; presence == GPU_PARTLY && k < tile->width; k++) {
        int reg = part * tile->width + k;
        struct ir_value *index = gpu_slot_index(l, buffer, &tile->layout, reg);
        struct ir_value *value = gpu_operand(l, gpu_extract(l, tile->parts[part], k), buffer->elem);
        struct ir_value *mask = gpu_in_tile(l, &tile->layout, type, reg);
        ir_store(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, slot, index), value, mask);
    }
}
