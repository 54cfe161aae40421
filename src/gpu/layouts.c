/* Layouts of tiles of any shape; see assign.h. Axes are padded to powers of two. */
#include "gpu/assign.h"
#include "base/bits.h"
#include "gpu/pairs.h"

#include <string.h>

int gpu_axis_bits(int32_t dim)
{
    return bits_width((int64_t)dim - 1);
}

int gpu_shape_bits(struct ir_type type)
{
    int bits = 0;
    for (int i = 0; i < type.rank; i++)
        bits += gpu_axis_bits(type.dims[i]);
    return bits;
}

bool gpu_is_padded(struct ir_type type)
{
    for (int i = 0; i < type.rank; i++) {
        if (INT32_C(1) << gpu_axis_bits(type.dims[i]) != type.dims[i])
            return true;
    }
    return false;
}

bool gpu_keeps_bits(struct ir_type from, struct ir_type to)
{
    int before[IR_MAX_RANK];
    return (!gpu_is_padded(from) && !gpu_is_padded(to)) || ir_reshape_axes(from, to, before);
}

static void set_axes(struct layout *layout, struct ir_type type)
{
    layout->rank = type.rank;
    layout->element_bits = 0;
    for (int i = 0; i < type.rank; i++) {
        layout->axis_bits[i] = gpu_axis_bits(type.dims[i]);
        layout->element_bits += layout->axis_bits[i];
    }
}

static int log2_of(int power)
{
    return bits_width((int64_t)power - 1);
}

/* Where the axis' lowest bit stands in an element. */
static int axis_low(const struct layout *layout, int axis)
{
    int low = 0;
    for (int i = axis + 1; i < layout->rank; i++)
        low += layout->axis_bits[i];
    return low;
}

/* Element bits in the order in which axes vary: the fast one first, then from the last on. */
static int bit_sequence(const struct layout *layout, int fast_axis, int *sequence)
{
    int count = 0;
    for (int k = layout->rank; k >= 0; k--) {
        int axis = k == layout->rank ? fast_axis : k;
        if (axis < 0 || axis >= layout->rank || (k < layout->rank && axis == fast_axis))
            continue;
        for (int i = 0; i < layout->axis_bits[axis]; i++)
            sequence[count++] = axis_low(layout, axis) + i;
    }
    return count;
}

/* Hands the bits out: so many to the lowest registers, then lanes, groups, further registers. */
static void place_bits(struct layout *layout, const int *sequence, int count, int vector_bits,
                       const struct gpu_plan *plan)
{
    int threads = GPU_LANE_BITS + log2_of(plan->groups), next = 0;
    int above = count - vector_bits - threads;
    layout->lane_bits = GPU_LANE_BITS;
    layout->group_bits = log2_of(plan->groups);
    layout->block_bits = log2_of(plan->blocks);
    layout->register_bits = vector_bits + (above > 0 ? above : 0);
    for (int i = 0; i < vector_bits; i++)
        layout->basis[i] = 1u << sequence[next++];
    for (int i = 0; i < threads; i++)
        layout->basis[layout->register_bits + i] = next < count ? 1u << sequence[next++] : 0;
    for (int i = vector_bits; i < layout->register_bits; i++)
        layout->basis[i] = 1u << sequence[next++];
}

struct layout gpu_layout_default(struct ir_type type, const struct gpu_plan *plan, int fast_axis)
{
    struct layout layout = {0};
    int sequence[32];
    set_axes(&layout, type);
    int count = bit_sequence(&layout, fast_axis, sequence);
    int spare = count - GPU_LANE_BITS - log2_of(plan->groups);
    int vector = log2_of(plan->vector_width);
    place_bits(&layout, sequence, count, spare < vector ? (spare > 0 ? spare : 0) : vector, plan);
    return layout;
}

struct layout gpu_layout_copy(struct ir_type type, const struct gpu_plan *plan, int fast_axis,
                              int width)
{
    struct layout layout = {0};
    int sequence[32], ordered[32], kept = 0, held = 0;
    set_axes(&layout, type);
    int count = bit_sequence(&layout, fast_axis, sequence);
    int padding[32];
    for (int i = 0; i < count; i++) {
        int axis = type.rank - 1, bit = sequence[i];
        while (bit >= layout.axis_bits[axis])
            bit -= layout.axis_bits[axis--];
        bool whole = type.dims[axis] % (2 << bit) == 0; /* the bit splits the axis into equal parts */
        if (whole)
            ordered[kept++] = sequence[i];
        else
            padding[held++] = sequence[i];
    }
    for (int i = 0; i < held; i++)
        ordered[kept + i] = padding[i];
    int spare = count - GPU_LANE_BITS - log2_of(plan->groups), vector = log2_of(width);
    if (vector > kept)
        vector = kept;
    place_bits(&layout, ordered, count, spare < vector ? (spare > 0 ? spare : 0) : vector, plan);
    return layout;
}

int gpu_most_paired_bits(const struct gpu_plan *plan)
{
    return plan->target->packed_vectors ? 1 : GPU_MOST_PAIRED_BITS;
}

struct layout gpu_layout_paired(struct ir_type type, const struct gpu_plan *plan, int fast_axis)
{
    struct layout layout = {0};
    int sequence[32], rows[GPU_MOST_PAIRED_BITS], kept = 0;
    set_axes(&layout, type);
    int count = bit_sequence(&layout, fast_axis, sequence), row = layout.axis_bits[fast_axis];
    int threads = GPU_LANE_BITS + log2_of(plan->groups), vector = log2_of(plan->vector_width);
    int above = count - vector - threads, most = gpu_most_paired_bits(plan);
    if (most > above)
        most = above;
    if (row < vector || row >= vector + threads || most <= 0)
        return gpu_layout_default(type, plan, fast_axis);
    if (most > count - row)
        most = count - row;
    for (int i = 0; i < most; i++)
        rows[i] = sequence[row + i];
    /* Those rows' bits go behind the threads' bits, to the first registers above the vector's. */
    for (int i = row + most; i < count && kept < vector + threads - row; i++, kept++)
        sequence[i - most] = sequence[i];
    for (int i = 0; i < most; i++)
        sequence[row + kept + i] = rows[i];
    place_bits(&layout, sequence, count, vector, plan);
    return layout;
}

/* A column of the layout: whether it is this bit of the element, and nothing else. */
static bool is_bit(const struct layout *layout, int place, int bit)
{
    return layout->basis[place] == UINT32_C(1) << bit;
}

struct layout gpu_layout_gathered(struct layout layout, int axis, int width, int enough)
{
    int first = layout.register_bits, bit = axis_low(&layout, axis), own = 0, lanes = 0, found = 0;
    int registers[LAYOUT_MAX_BITS], wanted = log2_of(width);
    while (own < first && is_bit(&layout, own, bit))
        own++, bit++;
    while (lanes < layout.lane_bits && is_bit(&layout, first + lanes, bit))
        lanes++, bit++;
    int traded = wanted - own; /* lane bits that become registers, for register bits above them */
    if (traded <= 0 || traded > lanes || 1 << (own + lanes) >= enough)
        return layout;
    for (int i = own; i < first && found < traded; i++) {
        if (is_bit(&layout, i, bit + found))
            registers[found++] = i;
    }
    if (found < traded)
        return layout;
    struct layout gathered = layout;
    int next = own + traded;
    for (int i = 0; i < traded; i++) {
        gathered.basis[own + i] = layout.basis[first + i];
        gathered.basis[first + i] = layout.basis[registers[i]];
    }
    for (int i = own; i < first; i++) {
        bool is_traded = false;
        for (int k = 0; k < traded; k++)
            is_traded = is_traded || registers[k] == i;
        if (!is_traded)
            gathered.basis[next++] = layout.basis[i];
    }
    return gathered;
}

struct layout gpu_layout_turn(struct ir_type type, const struct gpu_plan *plan, int axis, int width)
{
    struct layout layout = {0};
    int sequence[32], turned[32], vector = log2_of(width);
    set_axes(&layout, type);
    int count = bit_sequence(&layout, axis, sequence), along = layout.axis_bits[axis];
    vector = vector < along ? vector : along;
    for (int i = 0; i < count; i++)
        turned[i < vector ? i : i < along ? i + count - along : i + vector - along] = sequence[i];
    place_bits(&layout, turned, count, vector, plan);
    return layout;
}

struct layout gpu_layout_scan(struct ir_type type, int axis, const struct gpu_plan *plan)
{
    struct layout layout = {0};
    int sequence[32];
    set_axes(&layout, type);
    int count = bit_sequence(&layout, axis, sequence);
    int spare = count - GPU_LANE_BITS - log2_of(plan->groups);
    place_bits(&layout, sequence, count, spare > 0 ? spare : 0, plan);
    return layout;
}

struct layout gpu_layout_explicit(const struct ir_layout *from, struct ir_type type,
                                  const struct gpu_plan *plan)
{
    struct layout layout = {0};
    /* It may name fewer threads than there are: the others hold copies. */
    int registers = log2_of(from->per_thread), named = from->bits - registers;
    set_axes(&layout, type);
    layout.register_bits = registers;
    layout.lane_bits = GPU_LANE_BITS;
    layout.group_bits = log2_of(plan->groups);
    layout.block_bits = log2_of(plan->blocks);
    layout.offset = from->xor_mask;
    for (int l = 0; l < from->bits; l++) {
        int physical = from->bit_order[l];
        layout.basis[physical < named ? registers + physical : physical - named] = 1u << l;
    }
    return layout;
}

struct layout gpu_layout_reshape(struct layout layout, struct ir_type type)
{
    set_axes(&layout, type);
    return layout;
}

void gpu_layout_axis(const struct layout *layout, int axis, uint32_t *columns, uint32_t *offset)
{
    int low = axis_low(layout, axis);
    uint32_t mask = (1u << layout->axis_bits[axis]) - 1;
    for (int i = 0; i < layout_place_bits(layout); i++)
        columns[i] = layout->basis[i] >> low & mask;
    *offset = layout->offset >> low & mask;
}

/* An element rebuilt from the indices of chosen axes: axis i of the result is axis[i], or nothing
 * for -1. */
static uint32_t pick_axes(const struct layout *from, uint32_t element, const int *axes,
                          const struct layout *to)
{
    uint32_t result = 0;
    for (int i = 0; i < to->rank; i++) {
        if (axes[i] < 0)
            continue;
        uint32_t index =
            element >> axis_low(from, axes[i]) & ((1u << from->axis_bits[axes[i]]) - 1);
        result |= index << axis_low(to, i);
    }
    return result;
}

static struct layout with_axes(const struct layout *from, int rank, const int *axes)
{
    struct layout to = *from;
    to.rank = rank;
    to.element_bits = 0;
    for (int i = 0; i < rank; i++) {
        to.axis_bits[i] = axes[i] < 0 ? 0 : from->axis_bits[axes[i]];
        to.element_bits += to.axis_bits[i];
    }
    for (int i = 0; i < layout_place_bits(from); i++)
        to.basis[i] = pick_axes(from, from->basis[i], axes, &to);
    to.offset = pick_axes(from, from->offset, axes, &to);
    return to;
}

struct layout gpu_layout_exchanged(struct layout layout, int axis, int64_t distance)
{
    for (int k = layout.rank - 1; k > axis; k--)
        distance <<= layout.axis_bits[k];
    layout.offset ^= (uint32_t)distance;
    return layout;
}

struct layout gpu_layout_before_broadcast(struct layout layout, struct ir_type from,
                                          struct ir_type to)
{
    int axes[IR_MAX_RANK];
    for (int i = 0; i < to.rank; i++)
        axes[i] = from.dims[i] == 1 ? -1 : i;
    return with_axes(&layout, to.rank, axes);
}

struct layout gpu_layout_trans(struct layout layout, const uint8_t *permutation)
{
    int axes[IR_MAX_RANK];
    for (int i = 0; i < layout.rank; i++)
        axes[i] = permutation[i];
    return with_axes(&layout, layout.rank, axes);
}

struct layout gpu_layout_before_trans(struct layout layout, const uint8_t *permutation)
{
    uint8_t inverse[IR_MAX_RANK];
    for (int i = 0; i < layout.rank; i++)
        inverse[permutation[i]] = (uint8_t)i;
    return gpu_layout_trans(layout, inverse);
}

struct layout gpu_layout_reduced(struct layout layout, int axis)
{
    int axes[IR_MAX_RANK], rank = 0;
    for (int i = 0; i < layout.rank; i++) {
        if (i != axis)
            axes[rank++] = i;
    }
    struct layout result = with_axes(&layout, rank, axes);
    int kept = 0, places = layout_place_bits(&result);
    for (int i = 0; i < places; i++) {
        if (i >= result.register_bits || result.basis[i])
            result.basis[kept++] = result.basis[i];
    }
    result.register_bits -= places - kept;
    return result;
}

struct layout gpu_layout_joined(struct layout layout, struct ir_type joined)
{
    struct layout result = layout;
    set_axes(&result, joined);
    result.offset <<= 1;
    for (int i = layout_place_bits(&layout); i > 0; i--)
        result.basis[i] = layout.basis[i - 1] << 1;
    result.basis[0] = 1;
    result.register_bits++;
    return result;
}

struct layout gpu_layout_before_join(struct layout layout, struct ir_type half)
{
    struct layout result = layout;
    set_axes(&result, half);
    result.offset >>= 1;
    result.register_bits--;
    for (int i = 0; i < layout_place_bits(&result); i++)
        result.basis[i] = layout.basis[i + 1] >> 1;
    return result;
}

bool gpu_layout_is_joined(const struct layout *layout)
{
    return layout->register_bits > 0 && layout->basis[0] == 1 && !(layout->offset & 1);
}

int gpu_layout_width(const struct layout *layout, const struct gpu_plan *plan)
{
    int most = log2_of(plan->vector_width), bits = 0;
    uint32_t first = layout->basis[0];
    bool starts = false; /* at the start of an axis */
    for (int axis = 0; axis < layout->rank; axis++)
        starts = starts || (layout->axis_bits[axis] > 0 && first == 1u << axis_low(layout, axis));
    while (starts && bits < most && bits < layout->register_bits &&
           layout->basis[bits] == first << bits && !(layout->offset & layout->basis[bits]))
        bits++;
    return 1 << bits;
}
