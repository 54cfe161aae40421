/*
 * Turns: a slot's elements into a slot of the other order (pipeline.h).
 *
 * A slice of a turn takes from each thread a few elements that follow each other in the new order. They are
 * read one by one, of which neighbouring threads have neighbours in the old order, and written at once;
 * padding of both slots lets either start in different banks.
 */
#include "gpu/aligned.h"
#include "gpu/multiply.h"
#include "gpu/slot.h"

struct gpu_turn gpu_turn_of(struct lowering *l, const struct gpu_buffer *from,
                            const struct gpu_buffer *to)
{
    int32_t dims[] = {to->rows, to->columns};
    int width = 16 / (int)ir_elem_bytes(to->elem);
    struct gpu_turn turn = {.from = from, .to = to};
    turn.layout = gpu_layout_turn(ir_tile(to->elem, 2, dims), l->plan, to->by_columns ? 0 : 1, width);
    turn.width = gpu_layout_width(&turn.layout, l->plan);
    turn.slices = (1 << turn.layout.register_bits) / turn.width;
    return turn;
}

void gpu_turn_load(struct lowering *l, const struct gpu_turn *turn, int slice, struct ir_value **elements)
{
    struct ir_value *mask = gpu_thread_owns(l, &turn->layout);
    struct ir_value *zero = mask ? ir_constant(&l->b, ir_scalar(turn->to->elem), 0) : NULL;
    for (int k = 0; k < turn->width; k++) {
        struct ir_value *at =
            gpu_slot_index(l, turn->from, &turn->layout, slice * turn->width + k);
        at = ir_binary(&l->b, IR_OP_ADDPTR, turn->source, at);
        elements[k] = ir_load(&l->b, at, mask, zero);
    }
}

void gpu_turn_store(struct lowering *l, const struct gpu_turn *turn, int slice,
                    struct ir_value *const *elements)
{
    struct ir_value *index = gpu_slot_index(l, turn->to, &turn->layout, slice * turn->width);
    struct ir_value *at = ir_binary(&l->b, IR_OP_ADDPTR, turn->target, index);
    struct ir_value *mask = gpu_thread_owns(l, &turn->layout);
    struct ir_attributes attributes = {.aligned = gpu_is_multiple(index, turn->width)};
    struct ir_type type = gpu_part_type(turn->to->elem, turn->width);
    if (turn->width == 1) {
        ir_store(&l->b, at, elements[0], mask);
        return;
    }
    struct ir_value *vector =
        ir_build(&l->b, (enum ir_opcode)GPU_OP_PACK, turn->width, elements, 1, &type, 0, NULL)
            ->results[0];
    ir_build(&l->b, (enum ir_opcode)GPU_OP_VECTOR_STORE, mask ? 3 : 2,
             (struct ir_value *[]){at, vector, mask}, 0, NULL, 0, &attributes);
}
