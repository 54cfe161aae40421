/*
 * A lane bit and a register bit that trade places:
 *
 *              before          after
 *   lane 0     a0  a1          a0  b0
 *   lane 1     b0  b1          a1  b1
 *
 * Each of the two lanes gives the other the register that it does not keep, so that one shuffle serves
 * two registers. Several bits trade one after the other; what else is permuted are registers' names.
 */
#include "gpu/trade.h"

/* The place bit that alone the result's place bit comes from; -1: there are several. */
static int source_bit(const struct layout_conversion *plan, int place)
{
    uint32_t column = plan->source_basis[place];
    return column && !(column & (column - 1)) ? __builtin_ctz(column) : -1;
}

bool gpu_find_trades(const struct layout *from, const struct layout *to,
                     const struct layout_conversion *plan, struct gpu_trades *trades)
{
    int registers = to->register_bits, lanes = to->lane_bits, count = layout_place_bits(to);
    uint32_t seen = 0;
    if (from->register_bits != registers || from->lane_bits != lanes || lanes != GPU_LANE_BITS ||
        plan->source_offset)
        return false;
    for (int i = 0; i < count; i++) {
        int source = source_bit(plan, i);
        bool is_lane = i >= registers && i < registers + lanes;
        /* Lanes keep their bits or take a register's; groups keep theirs. */
        if (source < 0 || seen >> source & 1 || (is_lane && source >= registers && source != i) ||
            (i >= registers + lanes && source != i))
            return false;
        seen |= UINT32_C(1) << source;
        if (is_lane)
            trades->with[i - registers] = source == i ? -1 : source;
    }
    for (int i = 0; i < registers; i++) {
        int source = source_bit(plan, i);
        trades->source[i] = source < registers ? source : trades->with[source - registers];
    }
    return true;
}

static void trade_bit(struct lowering *l, int lane_bit, int register_bit, int count,
                      struct ir_value **values)
{
    /* One after the other: compilers evaluate arguments in orders of their own. */
    struct ir_value *mask = gpu_constant(l, INT64_C(1) << lane_bit);
    struct ir_value *bit = ir_binary(&l->b, IR_OP_AND, gpu_lane(l), mask);
    struct ir_value *upper = ir_binary(&l->b, IR_OP_NE, bit, gpu_constant(l, 0));
    for (int r = 0; r < count; r++) {
        struct ir_value **low = &values[r], **high = &values[r | 1 << register_bit];
        if (r >> register_bit & 1)
            continue;
        struct ir_value *given = ir_ternary(&l->b, IR_OP_SELECT, upper, *low, *high);
        given = gpu_shuffle_by(l, GPU_OP_SHUFFLE_XOR, given, 1 << lane_bit);
        *low = ir_ternary(&l->b, IR_OP_SELECT, upper, given, *low);
        *high = ir_ternary(&l->b, IR_OP_SELECT, upper, *high, given);
    }
}

void gpu_trade(struct lowering *l, const struct gpu_trades *trades, int register_bits,
               struct ir_value *const *registers, struct ir_value **result)
{
    int count = 1 << register_bits;
    struct ir_value **values = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
    for (int r = 0; r < count; r++)
        values[r] = registers[r];
    for (int i = 0; i < GPU_LANE_BITS; i++) {
        if (trades->with[i] >= 0)
            trade_bit(l, i, trades->with[i], count, values);
    }
    for (int r = 0; r < count; r++) {
        int source = 0;
        for (int i = 0; i < register_bits; i++)
            source |= (r >> i & 1) << trades->source[i];
        result[r] = values[source];
    }
}
