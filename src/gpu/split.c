/*
 * split_k: SIMD groups share the inner axis of a product.
 *
 * Each of `split` sets of groups goes over its part of every staged tile and so has partial sums of
 * the whole result. In the end they meet in threadgroup memory, and every thread adds up what the
 * threads in its place of the other sets have, in the same order: all sets get the same bits.
 */
#include "gpu/multiply.h"

struct ir_value *gpu_split_index(struct lowering *l, int split)
{
    int below = gpu_bits_of(l->plan->groups) - gpu_bits_of(split);
    return ir_binary(&l->b, IR_OP_SHR, gpu_group(l), gpu_constant(l, below));
}

/* The registers of the first set; zeros elsewhere. */
void gpu_split_start(struct lowering *l, struct gpu_tile *tile, int split)
{
    struct ir_value *first =
        ir_binary(&l->b, IR_OP_EQ, gpu_split_index(l, split), gpu_constant(l, 0));
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

void gpu_split_sum(struct lowering *l, struct gpu_tile *tile, int split)
{
    struct ir_value **registers = gpu_registers(l, tile);
    int count = tile->count * tile->width, threads = l->plan->threads / split;
    enum ir_elem elem = (enum ir_elem)registers[0]->type.elem;
    struct ir_value *base = gpu_staging(l, "split_k", elem, (int64_t)count * l->plan->threads, 0);
    struct ir_value *place =
        ir_binary(&l->b, IR_OP_AND, gpu_thread(l), gpu_constant(l, threads - 1));
    struct ir_value *own =
        ir_binary(&l->b, IR_OP_MUL, gpu_split_index(l, split), gpu_constant(l, count * threads));
    own = ir_binary(&l->b, IR_OP_ADD, own, place);
    gpu_barrier(l, IR_SCOPE_THREADGROUP); /* for those who still read the last sums */
    for (int r = 0; r < count; r++) {
        struct ir_value *at = ir_binary(&l->b, IR_OP_ADD, own, gpu_constant(l, r * threads));
        ir_store(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, base, at), registers[r], NULL);
    }
    gpu_barrier(l, IR_SCOPE_THREADGROUP);
    for (int r = 0; r < count; r++) {
        for (int set = 0; set < split; set++) {
            int64_t first = (int64_t)(set * count + r) * threads;
            struct ir_value *at = ir_binary(&l->b, IR_OP_ADD, place, gpu_constant(l, first));
            struct ir_value *part =
                ir_load(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, base, at), NULL, NULL);
            registers[r] = set == 0 ? part : ir_binary(&l->b, IR_OP_ADD, registers[r], part);
        }
    }
    gpu_pack(l, tile, registers);
}
