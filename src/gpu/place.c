/*
 * Where a thread stands in a tile, as arithmetic: linear maps over F2 from the thread's bits and
 * the register's number to an index.
 *
 * The register's part is a constant. The thread's part is a sum of shifted runs of its number's
 * bits. Where the two have no bit in common they are added, which later stages can reason about,
 * else combined by xor.
 */
#include "gpu/lower.h"

static struct ir_value *binary_constant(struct lowering *l, enum ir_opcode code, struct ir_value *v,
                                        int64_t constant)
{
    return ir_binary(&l->b, code, v, gpu_constant(l, constant));
}

/* Bits from..from+count-1 of the thread's number, moved to `to`. */
static struct ir_value *run_of_bits(struct lowering *l, int from, int count, int to, int all)
{
    struct ir_value *bits = gpu_thread(l);
    if (from > 0)
        bits = binary_constant(l, IR_OP_SHR, bits, from);
    if (from + count < all)
        bits = binary_constant(l, IR_OP_AND, bits, (INT64_C(1) << count) - 1);
    return to > 0 ? binary_constant(l, IR_OP_MUL, bits, INT64_C(1) << to) : bits;
}

static bool is_one_bit(uint32_t column)
{
    return column && !(column & (column - 1));
}

struct ir_value *gpu_map_thread(struct lowering *l, const struct layout *layout,
                                const uint32_t *columns)
{
    int first = layout->register_bits, all = layout->lane_bits + layout->group_bits;
    struct ir_value *sum = NULL;
    uint32_t used = 0;
    for (int i = 0; i < all;) {
        uint32_t column = columns[first + i];
        int count = 1;
        while (is_one_bit(column) && i + count < all &&
               columns[first + i + count] == column << count)
            count++;
        for (uint32_t rest = column; rest; rest &= rest - 1) {
            int to = __builtin_ctz(rest);
            uint32_t reach = ((1u << count) - 1) << to;
            struct ir_value *run = run_of_bits(l, i, count, to, all);
            if (sum)
                run = ir_binary(&l->b, used & reach ? IR_OP_XOR : IR_OP_ADD, sum, run);
            sum = run;
            used |= reach;
        }
        i += count;
    }
    return sum;
}

static uint32_t thread_reach(const struct layout *layout, const uint32_t *columns)
{
    uint32_t reach = 0;
    for (int i = layout->register_bits; i < layout_place_bits(layout); i++)
        reach |= columns[i];
    return reach;
}

static uint32_t register_part(const struct layout *layout, const uint32_t *columns, int reg)
{
    uint32_t part = 0;
    for (int i = 0; i < layout->register_bits; i++)
        part ^= reg >> i & 1 ? columns[i] : 0;
    return part;
}

struct ir_value *gpu_map(struct lowering *l, const struct layout *layout, const uint32_t *columns,
                         uint32_t offset, int reg)
{
    uint32_t fixed = register_part(layout, columns, reg) ^ offset;
    struct ir_value *thread = gpu_map_thread(l, layout, columns);
    if (!thread)
        return gpu_constant(l, fixed);
    if (!fixed)
        return thread;
    bool shared = fixed & thread_reach(layout, columns);
    return binary_constant(l, shared ? IR_OP_XOR : IR_OP_ADD, thread, fixed);
}

struct ir_value *gpu_axis_index(struct lowering *l, const struct layout *layout, int axis, int reg)
{
    uint32_t columns[LAYOUT_MAX_BITS], offset;
    gpu_layout_axis(layout, axis, columns, &offset);
    return gpu_map(l, layout, columns, offset, reg);
}

struct ir_value *gpu_in_tile(struct lowering *l, const struct layout *layout, struct ir_type type,
                             int reg)
{
    struct ir_value *inside = NULL;
    for (int axis = 0; axis < type.rank; axis++) {
        if (type.dims[axis] == INT32_C(1) << layout->axis_bits[axis])
            continue;
        struct ir_value *index = gpu_axis_index(l, layout, axis, reg);
        inside = gpu_and(l, inside, binary_constant(l, IR_OP_LT, index, type.dims[axis]));
    }
    return inside;
}

enum gpu_presence gpu_presence_of(const struct layout *layout, struct ir_type type, int reg)
{
    enum gpu_presence presence = GPU_INSIDE;
    for (int axis = 0; axis < type.rank; axis++) {
        uint32_t columns[LAYOUT_MAX_BITS], offset, most = (1u << layout->axis_bits[axis]) - 1;
        gpu_layout_axis(layout, axis, columns, &offset);
        uint32_t fixed = register_part(layout, columns, reg) ^ offset;
        uint32_t reach = thread_reach(layout, columns);
        uint32_t low = fixed & ~reach, high = fixed | reach;
        if (low >= (uint32_t)type.dims[axis])
            return GPU_OUTSIDE;
        if ((high < most ? high : most) >= (uint32_t)type.dims[axis])
            presence = GPU_PARTLY;
    }
    return presence;
}

struct ir_value *gpu_flat_index(struct lowering *l, const struct layout *layout,
                                struct ir_type type, int reg)
{
    struct ir_value *flat = NULL;
    int64_t stride = 1;
    if (!gpu_is_padded(type))
        return gpu_map(l, layout, layout->basis, layout->offset, reg);
    for (int axis = type.rank - 1; axis >= 0; axis--) {
        struct ir_value *index = gpu_axis_index(l, layout, axis, reg);
        if (stride > 1)
            index = binary_constant(l, IR_OP_MUL, index, stride);
        flat = flat ? ir_binary(&l->b, IR_OP_ADD, flat, index) : index;
        stride *= type.dims[axis];
    }
    return flat ? flat : gpu_constant(l, 0);
}

/* ---- copies ---------------------------------------------------------------------------------- */

bool gpu_register_owns(const struct layout *layout, int reg)
{
    for (int i = 0; i < layout->register_bits; i++) {
        if (!layout->basis[i] && reg >> i & 1)
            return false;
    }
    return true;
}

static int64_t copying_bits(const struct layout *layout)
{
    int64_t bits = 0;
    for (int i = layout->register_bits; i < layout_place_bits(layout); i++) {
        if (!layout->basis[i])
            bits |= INT64_C(1) << (i - layout->register_bits);
    }
    return bits;
}

bool gpu_is_replicated(const struct layout *layout)
{
    return copying_bits(layout) != 0 ||
           !gpu_register_owns(layout, (1 << layout->register_bits) - 1);
}

/* The number's copying bits are all 0; for the topmost bits that is a comparison. */
struct ir_value *gpu_thread_owns(struct lowering *l, const struct layout *layout)
{
    int64_t bits = copying_bits(layout);
    int64_t all = (INT64_C(1) << (layout->lane_bits + layout->group_bits)) - 1;
    if (!bits)
        return NULL;
    struct ir_value *thread = gpu_thread(l);
    int64_t kept = all & ~bits; /* owners are 0..kept if these are the low bits */
    if (!(kept & (kept + 1)))
        return binary_constant(l, IR_OP_LT, thread, kept + 1);
    return binary_constant(l, IR_OP_EQ, binary_constant(l, IR_OP_AND, thread, bits), 0);
}
