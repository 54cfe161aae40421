/*
 * split_k: SIMD groups share the inner axis of a product.
 *
 * Each of `split` sets of groups goes over its part of every staged tile and so has partial sums of
 * the whole result. In the end they meet in threadgroup memory, and each thread adds up its elements
 * of all sets, in the same order. Who has which is free then: what suits a store.
 */
#include "gpu/multiply.h"
#include "gpu/slot.h"

struct ir_value *gpu_split_index(struct lowering *l, int split)
{
    int below = gpu_bits_of(l->plan->groups) - gpu_bits_of(split);
    struct ir_value *bits = gpu_constant(l, below);
    return ir_binary(&l->b, IR_OP_SHR, gpu_group(l), bits);
}

/* The registers of the first set; zeros elsewhere. */
void gpu_split_start(struct lowering *l, struct gpu_tile *tile, int split)
{
    struct ir_value *zero = gpu_constant(l, 0);
    struct ir_value *first = ir_binary(&l->b, IR_OP_EQ, gpu_split_index(l, split), zero);
    uint64_t bits;
    for (int i = 0; i < tile->count; i++) {
        struct ir_value *part = tile->parts[i];
        if (ir_constant_bits(part, &bits) && bits == 0)
            continue;
        struct ir_value *none = ir_constant(&l->b, part->type, 0);
        struct ir_value *here = first;
        if (part->type.rank > 0)
            here = ir_broadcast(&l->b, first, ir_with_elem(part->type, IR_BOOL));
        tile->parts[i] = ir_ternary(&l->b, IR_OP_SELECT, here, part, none);
    }
}

/* The partial sums as a tile of one more axis, the set, which the topmost bits of groups tell. */
static struct layout with_sets(const struct layout *partial, int split)
{
    struct layout layout = *partial;
    int bits = gpu_bits_of(split), place = layout_place_bits(partial) - bits;
    layout.rank = 3;
    layout.axis_bits[0] = bits;
    layout.axis_bits[1] = partial->axis_bits[0];
    layout.axis_bits[2] = partial->axis_bits[1];
    layout.element_bits += bits;
    for (int i = 0; i < bits; i++)
        layout.basis[place + i] = 1u << (partial->element_bits + i);
    return layout;
}

/* Each set writes its sums behind those of the one before. */
static void put_partial(struct lowering *l, const struct gpu_buffer *buffer,
                        const struct gpu_tile *partial, struct ir_value *base, int split)
{
    struct layout sets = with_sets(&partial->layout, split);
    struct ir_value *owns = gpu_thread_owns(l, &sets);
    int64_t each = gpu_buffer_elements(buffer) + gpu_buffer_padding(buffer);
    struct ir_value *elements = gpu_constant(l, each);
    struct ir_value *at = ir_binary(&l->b, IR_OP_MUL, gpu_split_index(l, split), elements);
    struct ir_builder outside = gpu_begin_if(l, owns);
    at = ir_binary(&l->b, IR_OP_ADDPTR, base, at);
    for (int part = 0; part < partial->count; part++)
        gpu_put_part(l, buffer, partial, at, part);
    gpu_end_if(l, outside);
}

/* So many registers from reg on, of one set. */
static void take_some(struct lowering *l, const struct gpu_buffer *buffer, struct ir_value *at,
                      int count, struct ir_value **taken)
{
    if (count == 1) {
        *taken = ir_load(&l->b, at, NULL, NULL);
        return;
    }
    struct ir_value *vector = gpu_load_vector(l, at, buffer->elem, count, true);
    for (int i = 0; i < count; i++)
        taken[i] = gpu_extract(l, vector, i);
}

/* How many registers of the tile hold neighbours that one access of 16 bytes takes. */
static int taken_together(const struct gpu_buffer *buffer, const struct gpu_tile *tile)
{
    int count = 1, most = 16 / (int)ir_elem_bytes(buffer->elem);
    if (tile->layout.basis[0] != 1u) /* not along rows */
        return 1;
    while (count < most && count < tile->width && buffer->padding % (2 * count) == 0 &&
           buffer->columns % (2 * count) == 0)
        count *= 2;
    return count;
}

void gpu_split_sum(struct lowering *l, const struct gpu_tile *partial, struct gpu_tile *to,
                   struct ir_type type, int split)
{
    struct gpu_buffer buffer = {
        .elem = (enum ir_elem)type.elem, .rows = type.dims[0], .columns = type.dims[1], .padding = 8};
    int64_t each = gpu_buffer_elements(&buffer) + gpu_buffer_padding(&buffer);
    int count = to->count * to->width, together = taken_together(&buffer, to);
    struct ir_value **sums = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
    struct ir_value **terms = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)together);
    struct ir_value *base = gpu_staging(l, "split_k", buffer.elem, gpu_buffer_elements(&buffer) * split,
                                        gpu_buffer_padding(&buffer) * split);
    gpu_barrier(l, IR_SCOPE_THREADGROUP); /* for those who still read the last sums */
    put_partial(l, &buffer, partial, base, split);
    gpu_barrier(l, IR_SCOPE_THREADGROUP);
    for (int r = 0; r < count; r += together) {
        struct ir_value *index = gpu_slot_index(l, &buffer, &to->layout, r);
        for (int k = 0; k < split; k++) {
            struct ir_value *at = ir_binary(&l->b, IR_OP_ADD, index, gpu_constant(l, k * each));
            at = ir_binary(&l->b, IR_OP_ADDPTR, base, at);
            take_some(l, &buffer, at, together, k == 0 ? sums + r : terms);
            for (int i = 0; k > 0 && i < together; i++)
                sums[r + i] = ir_binary(&l->b, IR_OP_ADD, sums[r + i], terms[i]);
        }
    }
    gpu_pack(l, to, sums);
}
