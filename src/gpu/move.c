/*
 * Elements that move between registers, lanes and groups: conversions of layouts, reshapes of
 * padded tiles, gather, join and split. What moves them is in exchange.c.
 */
#include "gpu/cluster.h"

#include "gpu/pairs.h"
#include "gpu/trade.h"
#include "ir/exchange.h"
#include "layout/f2.h"

/* ---- conversions ----------------------------------------------------------------------------- */

static void note_conversion(struct lowering *l, const struct ir_op *op, enum layout_mechanism how)
{
    static const char *const names[] = {"none", "registers", "shuffle", "exchange"};
    struct ir_type type = op->results[0]->type;
    int bytes = (int)ir_elem_bytes((enum ir_elem)type.elem) << gpu_shape_bits(type);
    struct gpu_conversion conversion = {
        .mechanism = names[how],
        .elements = (int)ir_element_count(type),
        .scratch_bytes = how != LAYOUT_EXCHANGE    ? 0
                         : bytes < l->window_bytes ? bytes
                                                   : l->window_bytes,
    };
    ARENA_PUSH(l->arena, &l->conversions, conversion);
}

/* The register of the operand that a register of the result comes from may depend on the thread:
 * all that it may be are offered, and the thread chooses. */
struct source {
    uint32_t registers[LAYOUT_MAX_BITS]; /* columns: register bits of the source place */
    uint32_t lanes[LAYOUT_MAX_BITS];
    uint32_t register_offset, lane_offset;
    struct f2_span chosen; /* register parts that depend on the thread */
};

static void split_source(const struct layout *from, const struct layout *to,
                         const struct layout_conversion *plan, struct source *source)
{
    uint32_t registers = (1u << from->register_bits) - 1, lanes = (1u << from->lane_bits) - 1;
    *source = (struct source){
        .register_offset = plan->source_offset & registers,
        .lane_offset = plan->source_offset >> from->register_bits & lanes,
    };
    for (int i = 0; i < layout_place_bits(to); i++) {
        source->registers[i] = plan->source_basis[i] & registers;
        source->lanes[i] = plan->source_basis[i] >> from->register_bits & lanes;
        if (i >= to->register_bits)
            f2_span_add(&source->chosen, source->registers[i]);
    }
}

static struct ir_value *fetch(struct lowering *l, const struct layout *to,
                              const struct source *source, struct ir_value *const *registers,
                              bool shuffles, int reg)
{
    uint32_t fixed =
        source->register_offset ^ f2_apply(source->registers, to->register_bits, (uint32_t)reg);
    struct ir_value *chosen = gpu_map_thread(l, to, source->registers), *result = NULL;
    struct ir_value *lane =
        shuffles ? gpu_map(l, to, source->lanes, source->lane_offset, reg) : NULL;
    for (uint32_t m = 0; m < 1u << source->chosen.rank; m++) {
        uint32_t part = f2_apply(source->chosen.vector, source->chosen.rank, m);
        struct ir_value *candidate = registers[fixed ^ part];
        if (shuffles)
            candidate = gpu_shuffle(l, GPU_OP_SHUFFLE, candidate, lane, 0);
        if (result) {
            struct ir_value *here =
                ir_binary(&l->b, IR_OP_EQ, chosen, gpu_constant(l, (int64_t)part));
            candidate = ir_ternary(&l->b, IR_OP_SELECT, here, candidate, result);
        }
        result = candidate;
    }
    return result;
}

static void convert_in_group(struct lowering *l, const struct gpu_tile *from, struct gpu_tile *to,
                             const struct layout_conversion *plan)
{
    struct source source;
    struct gpu_trades trades;
    int count = to->count * to->width;
    struct ir_value **registers = gpu_registers(l, from);
    struct ir_value **result = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
    if (plan->mechanism == LAYOUT_SHUFFLE &&
        gpu_find_trades(&from->layout, &to->layout, plan, &trades)) {
        gpu_trade(l, &trades, to->layout.register_bits, registers, result);
        gpu_pack(l, to, result);
        return;
    }
    split_source(&from->layout, &to->layout, plan, &source);
    for (int r = 0; r < count; r++)
        result[r] = fetch(l, &to->layout, &source, registers, plan->mechanism == LAYOUT_SHUFFLE, r);
    gpu_pack(l, to, result);
}

/* What owners put: values, slots and masks of a tile; slot_of gives a register's slot. */
static void put_tile(struct lowering *l, struct exchange *x, const struct gpu_tile *tile,
                     struct ir_value **slots, struct ir_value *const *also)
{
    int count = tile->count * tile->width;
    struct ir_value **masks = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
    struct ir_value *owns = gpu_thread_owns(l, &tile->layout);
    for (int r = 0; r < count; r++) {
        masks[r] = gpu_and(l, owns, also ? also[r] : NULL);
        if (!gpu_register_owns(&tile->layout, r))
            slots[r] = NULL;
    }
    x->put_count = count;
    x->put_values = gpu_registers(l, tile);
    x->put_slots = slots;
    x->put_masks = masks;
}

static struct ir_value **new_values(struct lowering *l, int count)
{
    return ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
}

/* Of the first element of each slot, where slots have so many. */
static struct ir_value **slots_by_basis(struct lowering *l, const struct layout *layout,
                                        const struct layout_conversion *plan, int width)
{
    uint32_t columns[LAYOUT_MAX_BITS];
    int count = 1 << layout->register_bits;
    struct ir_value **slots = new_values(l, count);
    for (int i = 0; i < layout_place_bits(layout); i++)
        columns[i] =
            f2_apply(plan->slot_basis, plan->element_bits, layout->basis[i]) * (uint32_t)width;
    uint32_t offset =
        f2_apply(plan->slot_basis, plan->element_bits, layout->offset) * (uint32_t)width;
    for (int r = 0; r < count; r++)
        slots[r] = gpu_map(l, layout, columns, offset, r);
    return slots;
}

static void convert_by_exchange(struct lowering *l, enum ir_elem elem, const struct gpu_tile *from,
                                struct gpu_tile *to, const struct layout_conversion *plan)
{
    struct exchange x = {.elem = elem, .slots = INT64_C(1) << plan->element_bits};
    x.take_count = to->count * to->width;
    x.taken = new_values(l, x.take_count);
    put_tile(l, &x, from, slots_by_basis(l, &from->layout, plan, 1), NULL);
    x.take_slots = slots_by_basis(l, &to->layout, plan, 1);
    gpu_exchange(l, &x);
    gpu_pack(l, to, x.taken);
}

/* Two registers as a word, the first one low. */
static struct ir_value *word_of(struct lowering *l, struct ir_value *low, struct ir_value *high)
{
    struct ir_value *parts[] = {low, high};
    for (int i = 0; i < 2; i++) {
        if (parts[i]->type.elem != IR_U16)
            parts[i] = ir_bitcast(&l->b, parts[i], IR_U16);
        parts[i] = ir_cast(&l->b, parts[i], IR_U32);
    }
    struct ir_value *width = ir_constant(&l->b, parts[1]->type, 16);
    return ir_binary(&l->b, IR_OP_OR, parts[0], ir_binary(&l->b, IR_OP_SHL, parts[1], width));
}

static struct ir_value *half_of(struct lowering *l, struct ir_value *word, bool high,
                                enum ir_elem elem)
{
    if (high)
        word = ir_binary(&l->b, IR_OP_SHR, word, ir_constant(&l->b, word->type, 16));
    word = ir_cast(&l->b, word, IR_U16);
    return elem == IR_U16 ? word : ir_bitcast(&l->b, word, elem);
}

static bool convert_by_words(struct lowering *l, enum ir_elem elem, const struct gpu_pairs *pairs,
                             const struct gpu_tile *from, struct gpu_tile *to)
{
    struct layout_conversion plan;
    if (!layout_convert(&pairs->from, &pairs->to, &plan))
        return false;
    struct gpu_tile words = {
        .layout = pairs->from, .width = 1, .count = 1 << pairs->from.register_bits};
    struct gpu_tile moved = {
        .layout = pairs->to, .width = 1, .count = 1 << pairs->to.register_bits};
    struct ir_value **registers = gpu_registers(l, from);
    struct ir_value **result = new_values(l, 2 * moved.count);
    gpu_new_parts(l, &words);
    for (int r = 0; r < words.count; r++)
        words.parts[r] = word_of(l, registers[gpu_register_of_unit(pairs, pairs->from_bit, r, 0)],
                                 registers[gpu_register_of_unit(pairs, pairs->from_bit, r, 1)]);
    if (plan.mechanism == LAYOUT_EXCHANGE)
        convert_by_exchange(l, IR_U32, &words, &moved, &plan);
    else
        convert_in_group(l, &words, &moved, &plan);
    for (int r = 0; r < moved.count; r++) {
        for (int k = 0; k < 2; k++)
            result[gpu_register_of_unit(pairs, pairs->to_bit, r, k)] =
                half_of(l, moved.parts[r], k == 1, elem);
    }
    gpu_pack(l, to, result);
    return true;
}

/* Every unit has one owner, and all fit the window: they are put and taken once, without masks. */
static bool is_plain(struct lowering *l, const struct gpu_pairs *pairs,
                     const struct layout_conversion *plan)
{
    int64_t bytes = INT64_C(2) << (pairs->bits + pairs->from.element_bits);
    return pairs->bits > 1 && plan->mechanism == LAYOUT_EXCHANGE && bytes <= l->window_bytes &&
           layout_is_bijective(&pairs->from);
}

/* The unit that register r of from's units is, as a vector of words. */
static struct ir_value *unit_of(struct lowering *l, const struct gpu_pairs *pairs,
                                struct ir_value *const *registers, int r)
{
    struct ir_value *words[1 << (GPU_MOST_PAIRED_BITS - 1)];
    int count = 1 << (pairs->bits - 1);
    struct ir_type type = gpu_part_type(IR_U32, count);
    for (int k = 0; k < count; k++)
        words[k] = word_of(l, registers[gpu_register_of_unit(pairs, pairs->from_bit, r, 2 * k)],
                           registers[gpu_register_of_unit(pairs, pairs->from_bit, r, 2 * k + 1)]);
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_PACK, count, words, 1, &type, 0, NULL)
        ->results[0];
}

/* In units of two or four words. False: that is not possible, and nothing was done. */
static bool convert_by_vectors(struct lowering *l, enum ir_elem elem, const struct gpu_pairs *pairs,
                               const struct gpu_tile *from, struct gpu_tile *to)
{
    struct layout_conversion plan;
    if (!layout_convert_words(&pairs->from, &pairs->to, pairs->bits - 1, &plan) ||
        !is_plain(l, pairs, &plan))
        return false;
    int units = 1 << pairs->from.register_bits, moved = 1 << pairs->to.register_bits;
    int width = 1 << (pairs->bits - 1);
    struct exchange x = {.elem = IR_U32,
                         .width = width,
                         .slots = INT64_C(1) << plan.element_bits,
                         .put_count = units,
                         .take_count = moved,
                         .put_slots = slots_by_basis(l, &pairs->from, &plan, width),
                         .take_slots = slots_by_basis(l, &pairs->to, &plan, width),
                         .taken = new_values(l, moved)};
    struct ir_value **registers = gpu_registers(l, from), **values = new_values(l, units);
    struct ir_value **result = new_values(l, moved << pairs->bits);
    for (int r = 0; r < units; r++)
        values[r] = unit_of(l, pairs, registers, r);
    x.put_values = values;
    gpu_exchange(l, &x);
    for (int r = 0; r < moved; r++) {
        for (int k = 0; k < 1 << pairs->bits; k++)
            result[gpu_register_of_unit(pairs, pairs->to_bit, r, k)] =
                half_of(l, gpu_extract(l, x.taken[r], k / 2), k % 2 == 1, elem);
    }
    gpu_pack(l, to, result);
    return true;
}

/* False: there are no pairs, and nothing was done. */
static bool convert_by_pairs(struct lowering *l, enum ir_elem elem, const struct gpu_tile *from,
                             struct gpu_tile *to)
{
    struct gpu_pairs pairs;
    int most = gpu_most_paired_bits(l->plan);
    if (ir_elem_bytes(elem) != 2)
        return false;
    if (most > 1 && gpu_find_pairs(&from->layout, &to->layout, most, &pairs) &&
        convert_by_vectors(l, elem, &pairs, from, to))
        return true;
    return gpu_find_pairs(&from->layout, &to->layout, 1, &pairs) &&
           convert_by_words(l, elem, &pairs, from, to);
}

void gpu_convert(struct lowering *l, const struct ir_op *op)
{
    const struct ir_value *operand = op->operands[0];
    struct gpu_tile *to = gpu_home(op->results[0]);
    struct layout_conversion plan;
    if (op->results[0]->uses == 0)
        return;
    if (gpu_tile_in(operand, &to->layout)) {
        to->parts = gpu_tile(l, operand, &to->layout)->parts;
        return;
    }
    const struct gpu_tile *from = gpu_home(operand);
    if (!layout_convert(&from->layout, &to->layout, &plan)) {
        gpu_tile(l, operand, &to->layout); /* reports an internal error */
        return;
    }
    if (plan.mechanism == LAYOUT_CLUSTER) {
        gpu_leave_block(l, "elements move between threads");
        plan.mechanism = LAYOUT_EXCHANGE; /* ends the lowering; something of the right type */
    }
    note_conversion(l, op, plan.mechanism);
    if (plan.mechanism == LAYOUT_NONE)
        to->parts = from->parts;
    else if (plan.mechanism >= LAYOUT_SHUFFLE &&
             convert_by_pairs(l, (enum ir_elem)operand->type.elem, from, to))
        return;
    else if (plan.mechanism == LAYOUT_EXCHANGE)
        convert_by_exchange(l, (enum ir_elem)operand->type.elem, from, to, &plan);
    else
        convert_in_group(l, from, to, &plan);
}

/* ---- reshape and gather ---------------------------------------------------------------------- */

static void put_flat(struct lowering *l, struct exchange *x, const struct gpu_tile *tile,
                     struct ir_type type)
{
    int count = tile->count * tile->width;
    struct ir_value **slots = new_values(l, count), **inside = new_values(l, count);
    for (int r = 0; r < count; r++) {
        slots[r] = gpu_flat_index(l, &tile->layout, type, r);
        inside[r] = gpu_in_tile(l, &tile->layout, type, r);
    }
    x->elem = (enum ir_elem)type.elem;
    x->slots = ir_element_count(type);
    put_tile(l, x, tile, slots, inside);
}

void gpu_reshape(struct lowering *l, const struct ir_op *op)
{
    struct exchange x = {0};
    struct ir_value *result = op->results[0];
    struct gpu_tile *from = gpu_home(op->operands[0]);
    if (result->type.rank == 0) { /* one element, which every thread holds */
        gpu_set_scalar(result, gpu_extract(l, from->parts[0], 0));
        return;
    }
    struct gpu_tile *to = gpu_home(result);
    x.take_count = to->count * to->width;
    x.taken = new_values(l, x.take_count);
    struct ir_value **slots = new_values(l, x.take_count), **masks = new_values(l, x.take_count);
    put_flat(l, &x, from, op->operands[0]->type);
    for (int r = 0; r < x.take_count; r++) {
        slots[r] = gpu_flat_index(l, &to->layout, result->type, r);
        masks[r] = gpu_in_tile(l, &to->layout, result->type, r);
    }
    x.take_slots = slots;
    x.take_masks = masks;
    gpu_exchange(l, &x);
    gpu_pack(l, to, x.taken);
}

/* The flat index in a tile of the type when the index along one axis is given. */
static struct ir_value *replaced_index(struct lowering *l, const struct layout *layout, int reg,
                                       struct ir_type type, int axis, struct ir_value *index)
{
    struct ir_value *flat = NULL;
    int64_t stride = 1;
    for (int i = type.rank - 1; i >= 0; i--) {
        struct ir_value *part = i == axis ? index : gpu_axis_index(l, layout, i, reg);
        part = ir_binary(&l->b, IR_OP_MUL, part, gpu_constant(l, stride));
        flat = flat ? ir_binary(&l->b, IR_OP_ADD, flat, part) : part;
        stride *= type.dims[i];
    }
    return flat;
}

/* The result of a gather at i ^ distance is its operand in the result's layout but for an offset.
 */
static void gather_exchanged(struct lowering *l, const struct ir_op *op, int64_t distance)
{
    struct gpu_tile *to = gpu_home(op->results[0]);
    struct layout layout = gpu_layout_exchanged(to->layout, op->attributes.axis, distance);
    gpu_pack(l, to, gpu_registers(l, gpu_tile(l, op->operands[0], &layout)));
}

void gpu_gather(struct lowering *l, const struct ir_op *op)
{
    int64_t distance;
    if (ir_exchange_of(op, &distance)) {
        gather_exchanged(l, op, distance);
        return;
    }
    struct exchange x = {0};
    struct ir_type from = op->operands[0]->type, to_type = op->results[0]->type;
    struct gpu_tile *to = gpu_home(op->results[0]);
    const struct layout *layout = &to->layout;
    int axis = op->attributes.axis, count = to->count * to->width;
    const struct gpu_tile *source = gpu_value_of(op->operands[0])->tiles;
    struct ir_value **index = gpu_registers(l, gpu_tile(l, op->operands[1], layout));
    struct ir_value **slots = new_values(l, count), **masks = new_values(l, count);
    put_flat(l, &x, source, from);
    for (int r = 0; r < count; r++) {
        struct ir_value *low = ir_binary(&l->b, IR_OP_GE, index[r], gpu_constant(l, 0));
        struct ir_value *high =
            ir_binary(&l->b, IR_OP_LT, index[r], gpu_constant(l, from.dims[axis]));
        slots[r] = replaced_index(l, layout, r, from, axis, index[r]);
        struct ir_value *in_range = gpu_and(l, low, high);
        masks[r] = gpu_and(l, gpu_in_tile(l, layout, to_type, r), in_range);
    }
    x.take_count = count;
    x.taken = new_values(l, count);
    x.take_slots = slots;
    x.take_masks = masks;
    gpu_exchange(l, &x);
    gpu_pack(l, to, x.taken);
}

/* ---- join and split -------------------------------------------------------------------------- */

void gpu_join(struct lowering *l, const struct ir_op *op)
{
    struct gpu_tile *to = gpu_home(op->results[0]);
    struct layout half = gpu_layout_before_join(to->layout, op->operands[0]->type);
    int count = to->count * to->width;
    struct ir_value **result = new_values(l, count);
    for (int k = 0; k < 2; k++) {
        struct ir_value **from = gpu_registers(l, gpu_tile(l, op->operands[k], &half));
        for (int r = k; r < count; r += 2)
            result[r] = from[r / 2];
    }
    gpu_pack(l, to, result);
}

void gpu_split(struct lowering *l, const struct ir_op *op)
{
    const struct layout *layout = op->data;
    struct ir_value **from = gpu_registers(l, gpu_tile(l, op->operands[0], layout));
    for (int k = 0; k < 2; k++) {
        if (op->results[k]->type.rank == 0) {
            gpu_set_scalar(op->results[k], from[k]);
            continue;
        }
        struct gpu_tile *to = gpu_home(op->results[k]);
        int count = to->count * to->width;
        struct ir_value **half = new_values(l, count);
        for (int r = 0; r < count; r++)
            half[r] = from[2 * r + k];
        gpu_pack(l, to, half);
    }
}
