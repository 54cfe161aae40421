/*
 * Running sums, maxima and combinations along an axis.
 *
 * In the layout for it (gpu_layout_scan) elements follow each other along the axis in registers,
 * then lanes, then groups. Each thread scans its registers; totals are scanned over lanes by
 * shuffles and over groups through scratch; what stands before a thread is then combined into its
 * registers. A combination needs no neutral element: where nothing stands before, nothing is
 * combined. Padding comes last along the axis, so it reaches no element.
 */
#include "gpu/cluster.h"

#include "ir/eval.h"

struct scan {
    const struct ir_op *op;
    const struct layout *layout;
    enum ir_elem elem;
    int register_bits, lane_bits, group_bits; /* of the axis */
    struct ir_value *lane, *group;            /* this thread's place on the axis among each */
};

static struct ir_value *combine(struct lowering *l, const struct scan *s, struct ir_value *a,
                                struct ir_value *b)
{
    struct ir_value *pair[] = {a, b};
    if (s->op->region_count > 0)
        return gpu_inline(l, s->op->regions[0], pair);
    return ir_binary(&l->b, ir_combining_op(s->op->code), a, b);
}

static struct ir_value *choose(struct lowering *l, struct ir_value *c, struct ir_value *a,
                               struct ir_value *b)
{
    return ir_ternary(&l->b, IR_OP_SELECT, c, a, b);
}

static struct ir_value *at_least(struct lowering *l, struct ir_value *v, int64_t bound)
{
    return ir_binary(&l->b, IR_OP_GE, v, gpu_constant(l, bound));
}

/* How many bits of registers, lanes and groups lie on the axis; they are the lowest of each. */
static void measure(struct lowering *l, struct scan *s, int axis)
{
    uint32_t columns[LAYOUT_MAX_BITS], offset;
    const struct layout *layout = s->layout;
    int lanes = layout->register_bits, groups = lanes + layout->lane_bits;
    gpu_layout_axis(layout, axis, columns, &offset);
    for (int i = 0; i < layout_place_bits(layout); i++) {
        int *bits = i < lanes ? &s->register_bits : i < groups ? &s->lane_bits : &s->group_bits;
        *bits += columns[i] != 0;
    }
    struct ir_value *bits = gpu_constant(l, (INT64_C(1) << s->lane_bits) - 1);
    s->lane = ir_binary(&l->b, IR_OP_AND, gpu_lane(l), bits);
    bits = gpu_constant(l, (INT64_C(1) << s->group_bits) - 1);
    s->group = ir_binary(&l->b, IR_OP_AND, gpu_group(l), bits);
}

/* The inclusive scan of a value per thread over the lanes of the axis. */
static struct ir_value *scan_lanes(struct lowering *l, const struct scan *s, struct ir_value *v)
{
    for (int i = 0; i < s->lane_bits; i++) {
        struct ir_value *up = gpu_shuffle_by(l, GPU_OP_SHUFFLE_UP, v, 1 << i);
        struct ir_value *both = combine(l, s, up, v);
        v = choose(l, at_least(l, s->lane, 1 << i), both, v);
    }
    return v;
}

/* The combination of all groups before this one; meaningless in the first. totals: per row, the
 * inclusive scan over lanes. */
static void scan_groups(struct lowering *l, const struct scan *s, struct ir_value *const *totals,
                        struct ir_value **before, int rows)
{
    uint32_t columns[LAYOUT_MAX_BITS] = {0}, kept[LAYOUT_MAX_BITS] = {0};
    const struct layout *layout = s->layout;
    int lanes = layout->register_bits, groups = lanes + layout->lane_bits, bits = s->group_bits;
    for (int i = 0; i < s->group_bits; i++)
        columns[groups + i] = 1u << i;
    for (int i = lanes; i < layout_place_bits(layout); i++) {
        bool on_axis = i < groups ? i < lanes + s->lane_bits : i < groups + s->group_bits;
        if (!on_axis && layout->basis[i])
            kept[i] = columns[i] = 1u << bits++;
    }
    struct ir_value *base = gpu_partials(l, "scan", s->elem, (int64_t)rows << bits);
    /* Copies write the same value to the same slot: only their owners do. */
    struct ir_value *last =
        ir_binary(&l->b, IR_OP_EQ, s->lane, gpu_constant(l, (INT64_C(1) << s->lane_bits) - 1));
    last = gpu_and(l, gpu_thread_owns(l, layout), last);
    for (int row = 0; row < rows; row++) {
        struct ir_value *slot = gpu_map(l, layout, columns, 0, 0);
        slot = ir_binary(&l->b, IR_OP_ADD, slot, gpu_constant(l, (int64_t)row << bits));
        ir_store(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, base, slot), totals[row], last);
    }
    gpu_barrier(l, IR_SCOPE_THREADGROUP);
    for (int row = 0; row < rows; row++) {
        for (int g = 0; g < (1 << s->group_bits) - 1; g++) {
            struct ir_value *slot = gpu_map(l, layout, kept, 0, 0);
            slot = ir_binary(&l->b, IR_OP_ADD, slot, gpu_constant(l, ((int64_t)row << bits) + g));
            struct ir_value *v =
                ir_load(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, base, slot), NULL, NULL);
            if (g > 0) {
                struct ir_value *both = combine(l, s, before[row], v);
                v = choose(l, at_least(l, s->group, g + 1), both, before[row]);
            }
            before[row] = v;
        }
    }
}

/* Combines what stands before this thread into its registers of one row. */
static void finish_row(struct lowering *l, const struct scan *s, struct ir_value **row, int count,
                       struct ir_value *total, struct ir_value *groups_before)
{
    struct ir_value *before = NULL, *exists = NULL;
    if (s->lane_bits > 0) {
        before = gpu_shuffle_by(l, GPU_OP_SHUFFLE_UP, total, 1);
        exists = at_least(l, s->lane, 1);
    }
    if (s->group_bits > 0) {
        struct ir_value *later = at_least(l, s->group, 1);
        struct ir_value *both =
            before ? choose(l, exists, combine(l, s, groups_before, before), groups_before)
                   : groups_before;
        before = before ? choose(l, later, both, before) : both;
        exists = exists ? ir_binary(&l->b, IR_OP_OR, exists, later) : later;
    }
    for (int k = 0; before && k < count; k++)
        row[k] = choose(l, exists, combine(l, s, before, row[k]), row[k]);
    if (!s->op->attributes.exclusive)
        return;
    for (int k = count - 1; k > 0; k--)
        row[k] = row[k - 1];
    uint64_t start = ir_eval_before_first(s->op->code, s->elem);
    row[0] = ir_constant(&l->b, ir_scalar(s->elem), start);
    if (before)
        row[0] = choose(l, exists, before, row[0]);
}

void gpu_scan(struct lowering *l, const struct ir_op *op)
{
    struct scan s = {
        .op = op, .layout = op->data, .elem = (enum ir_elem)op->operands[0]->type.elem};
    struct ir_value **registers = gpu_registers(l, gpu_tile(l, op->operands[0], s.layout));
    measure(l, &s, op->attributes.axis);
    if (s.group_bits > 0)
        gpu_leave_block(l, "a scan goes from thread to thread");
    int count = 1 << s.register_bits, rows = 1 << (s.layout->register_bits - s.register_bits);
    struct ir_value **totals = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)rows);
    struct ir_value **before = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)rows);
    for (int i = 0; i < rows; i++) {
        struct ir_value **row = registers + i * count;
        for (int k = 1; k < count; k++)
            row[k] = combine(l, &s, row[k - 1], row[k]);
        totals[i] = scan_lanes(l, &s, row[count - 1]);
    }
    int at_once = l->shares ? 1 : rows;
    for (int i = 0; s.group_bits > 0 && i < rows; i += at_once)
        scan_groups(l, &s, totals + i, before + i, at_once);
    for (int i = 0; i < rows; i++)
        finish_row(l, &s, registers + i * count, count, totals[i], before[i]);
    gpu_pack(l, gpu_home(op->results[0]), registers);
}
