/*
 * Loads, stores and atomics of the kernel's buffers.
 *
 * Registers that follow each other in a thread are accessed as one vector where the address is
 * proved to grow by one element from each to the next. With a mask there are two ways: the vector,
 * where all of its masks hold, and element by element, which keeps every mask and fill:
 *
 *   %v = if %all : f32[4] { vector_load ... } else { load %p0, %m0, %f0 ... pack ... }
 *
 * Where all masks of a vector are proved to be the same (site.c) there is nothing to do otherwise.
 *
 * A write is made once, by the owner of the element. A scalar is written by thread 0; an atomic's
 * old value then reaches the others through threadgroup memory.
 */
#include "gpu/site.h"

#include "ir/affine.h"

/* ---- masks ----------------------------------------------------------------------------------- */

/* Where a comparison's truth only falls (or rises) along the registers of an access, one element
 * tells for all: -1 the last, +1 the first; 0: unknown. */
static int telling_end(const struct site *s, const struct ir_op *op)
{
    struct ir_affine a, b, difference;
    bool less = op->code == IR_OP_LT || op->code == IR_OP_LE, rises = false, falls = false;
    if (!less && op->code != IR_OP_GT && op->code != IR_OP_GE)
        return 0;
    if (!ir_is_integer((enum ir_elem)op->operands[0]->type.elem) ||
        !ir_affine_of(op->operands[0], NULL, &a) || !ir_affine_of(op->operands[1], NULL, &b) ||
        !ir_affine_subtract(&a, &b, op->operands[0]->type, NULL, &difference))
        return 0;
    for (int i = 0; 1 << i < s->access; i++) {
        int bit, axis = gpu_axis_of_bit(s->layout, i, &bit);
        if (axis < 0) /* a copy */
            continue;
        rises = rises || difference.axis[axis] > 0;
        falls = falls || difference.axis[axis] < 0;
    }
    if (rises && falls)
        return 0;
    return rises == less ? -1 : 1;
}

static struct ir_value *register_of(struct lowering *l, const struct gpu_tile *tile, int reg)
{
    return gpu_extract(l, tile->parts[reg / tile->width], reg % tile->width);
}

/* The tile that a mask's tile is another shape of, with the site seen from there; or NULL. */
static const struct gpu_tile *behind_shape(const struct site *s, const struct ir_op *op,
                                           const struct gpu_tile *tile, struct site *behind)
{
    const struct ir_value *operand = op->operands[0];
    struct layout layout = tile->layout;
    if (op->code == IR_OP_BROADCAST)
        layout = gpu_layout_before_broadcast(layout, operand->type, op->results[0]->type);
    else
        layout = gpu_layout_reshape(layout, operand->type);
    const struct gpu_tile *found = gpu_tile_in(operand, &layout);
    *behind = *s;
    if (found)
        behind->layout = &found->layout;
    return found && found->parts ? found : NULL;
}

/* All masks of registers first..first+access-1 hold, as one bool. */
static struct ir_value *all_of(struct lowering *l, const struct site *s,
                               const struct ir_value *mask, const struct gpu_tile *tile, int first)
{
    struct ir_value *all = NULL;
    const struct ir_op *op = mask->op;
    struct site behind;
    if (op && op->code == IR_OP_BROADCAST && op->operands[0]->type.rank == 0)
        return gpu_scalar(op->operands[0]);
    if (op && (op->code == IR_OP_BROADCAST ||
               (op->code == IR_OP_RESHAPE && gpu_value_of(mask)->flexible))) {
        const struct gpu_tile *found = behind_shape(s, op, tile, &behind);
        if (found)
            return all_of(l, &behind, op->operands[0], found, first);
    }
    if (op && op->code == IR_OP_AND && gpu_tile_in(op->operands[0], &tile->layout) &&
        gpu_tile_in(op->operands[1], &tile->layout)) {
        for (int i = 0; i < 2; i++)
            all = gpu_and(
                l, all,
                all_of(l, s, op->operands[i], gpu_tile_in(op->operands[i], &tile->layout), first));
        return all;
    }
    int end = s->agrees ? 1 : op ? telling_end(s, op) : 0;
    for (int k = 0; k < s->access; k++) {
        if (end == 0 || k == (end < 0 ? s->access - 1 : 0))
            all = gpu_and(l, all, register_of(l, tile, first + k));
    }
    return all;
}

/* ---- one register ---------------------------------------------------------------------------- */

static struct ir_value *address(struct lowering *l, const struct site *s, int reg)
{
    if (!s->offset_tile)
        return s->base;
    return ir_binary(&l->b, IR_OP_ADDPTR, s->base, register_of(l, s->offset_tile, reg));
}

/* The register's mask, whether it is in the tile, and whether this thread owns it. */
static struct ir_value *mask_of(struct lowering *l, const struct site *s, int reg)
{
    struct ir_value *mask = s->mask_tile ? register_of(l, s->mask_tile, reg) : NULL;
    mask = gpu_and(l, gpu_in_tile(l, s->layout, s->op->operands[0]->type, reg), mask);
    return gpu_and(l, s->owns, mask);
}

static struct ir_value *load_register(struct lowering *l, const struct site *s, int reg)
{
    struct ir_value *mask = mask_of(l, s, reg), *other = NULL;
    if (mask)
        other = s->other_tile ? register_of(l, s->other_tile, reg)
                              : ir_constant(&l->b, ir_scalar(s->elem), 0);
    return ir_load(&l->b, address(l, s, reg), mask, other);
}

static void store_register(struct lowering *l, const struct site *s, int reg)
{
    struct ir_value *mask = mask_of(l, s, reg), *value = register_of(l, s->value_tile, reg);
    ir_store(&l->b, address(l, s, reg), value, mask);
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* Whether all masks of an access hold; NULL: always. */
static struct ir_value *all_masks(struct lowering *l, const struct site *s, int first)
{
    struct ir_value *all = NULL;
    struct ir_type type = s->op->operands[0]->type;
    if (gpu_is_padded(type)) {
        for (int k = 0; k < (s->agrees ? 1 : s->access); k++)
            all = gpu_and(l, all, gpu_in_tile(l, s->layout, type, first + k));
    }
    if (s->mask_tile)
        all = gpu_and(l, all, all_of(l, s, s->mask, s->mask_tile, first));
    return gpu_and(l, s->owns, all);
}

static struct ir_type vector_type(const struct site *s)
{
    return gpu_part_type(s->elem, s->access);
}

static struct ir_value *load_vector(struct lowering *l, const struct site *s, int first)
{
    return gpu_load_vector(l, address(l, s, first), s->elem, s->access, s->aligned);
}

static struct ir_value *pack(struct lowering *l, struct ir_value *const *values, int count)
{
    struct ir_type type = gpu_part_type((enum ir_elem)values[0]->type.elem, count);
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_PACK, count, values, 1, &type, 0, NULL)
        ->results[0];
}

/* Instead of what is not loaded. */
static struct ir_value *other_vector(struct lowering *l, const struct site *s, int first)
{
    struct ir_value *values[16];
    if (!s->other_tile)
        return ir_constant(&l->b, vector_type(s), 0);
    for (int k = 0; k < s->access; k++)
        values[k] = register_of(l, s->other_tile, first + k);
    return pack(l, values, s->access);
}

static struct ir_value *load_elements(struct lowering *l, const struct site *s, int first)
{
    struct ir_value *values[16];
    for (int k = 0; k < s->access; k++)
        values[k] = load_register(l, s, first + k);
    return pack(l, values, s->access);
}

static void end_region(struct lowering *l, struct ir_value *result)
{
    ir_build(&l->b, IR_OP_YIELD, result ? 1 : 0, &result, 0, NULL, 0, NULL);
}

static struct ir_value *load_access(struct lowering *l, const struct site *s, int first)
{
    struct ir_value *all = all_masks(l, s, first);
    struct ir_type type = vector_type(s);
    if (!all)
        return load_vector(l, s, first);
    struct ir_op *branch = ir_build(&l->b, IR_OP_IF, 1, &all, 1, &type, 2, NULL);
    struct ir_builder outside = l->b;
    l->b.before = NULL;
    l->b.region = branch->regions[0];
    end_region(l, load_vector(l, s, first));
    l->b.region = branch->regions[1];
    end_region(l, s->agrees ? other_vector(l, s, first) : load_elements(l, s, first));
    l->b = outside;
    return branch->results[0];
}

/* Registers first.. of the stored value as a vector. */
static struct ir_value *stored_vector(struct lowering *l, const struct site *s, int first)
{
    struct ir_value *values[16], *part = s->value_tile->parts[first / s->width];
    if (s->access == s->width)
        return part;
    for (int k = 0; k < s->access; k++)
        values[k] = gpu_extract(l, part, first % s->width + k);
    return pack(l, values, s->access);
}

static void store_vector(struct lowering *l, const struct site *s, int first)
{
    struct ir_attributes attributes = {.aligned = s->aligned};
    struct ir_value *place = address(l, s, first);
    struct ir_value *operands[] = {place, stored_vector(l, s, first)};
    ir_build(&l->b, (enum ir_opcode)GPU_OP_VECTOR_STORE, 2, operands, 0, NULL, 0, &attributes);
}

static void store_access(struct lowering *l, const struct site *s, int first)
{
    struct ir_value *all = all_masks(l, s, first);
    if (!all) {
        store_vector(l, s, first);
        return;
    }
    struct ir_op *branch = ir_build(&l->b, IR_OP_IF, 1, &all, 0, NULL, 2, NULL);
    struct ir_builder outside = l->b;
    l->b.before = NULL;
    l->b.region = branch->regions[0];
    store_vector(l, s, first);
    end_region(l, NULL);
    l->b.region = branch->regions[1];
    for (int k = 0; k < s->access && !s->agrees; k++)
        store_register(l, s, first + k);
    end_region(l, NULL);
    l->b = outside;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static struct site site_of(struct lowering *l, const struct ir_op *op, int mask_place)
{
    struct site s = {
        .op = op, .layout = op->data, .elem = (enum ir_elem)op->operands[0]->type.elem};
    struct ir_value *base, *offsets;
    gpu_pointer_parts(op->operands[0], &base, &offsets);
    s.base = gpu_scalar(base);
    s.pointer = base;
    s.offsets = offsets;
    if (offsets)
        s.offset_tile = gpu_tile(l, offsets, s.layout);
    if (mask_place < op->operand_count) {
        s.mask = op->operands[mask_place];
        s.mask_tile = gpu_tile(l, s.mask, s.layout);
    }
    s.width = gpu_layout_width(s.layout, l->plan);
    gpu_choose_access(l, &s);
    return s;
}

static void load_tile(struct lowering *l, const struct ir_op *op)
{
    struct site s = site_of(l, op, 1);
    struct gpu_tile *tile = gpu_home(op->results[0]);
    struct ir_value **registers =
        ARENA_ARRAY(l->arena, struct ir_value *, (size_t)(tile->count * tile->width));
    if (s.mask)
        s.other_tile = gpu_tile(l, op->operands[2], s.layout);
    if (s.access == s.width && s.width > 1) {
        gpu_new_parts(l, tile);
        for (int p = 0; p < tile->count; p++) {
            tile->parts[p] = load_access(l, &s, p * s.width);
            tile->parts[p]->name = op->results[0]->name;
        }
        return;
    }
    for (int r = 0; r < tile->count * tile->width; r += s.access) {
        if (s.access == 1) {
            registers[r] = load_register(l, &s, r);
            continue;
        }
        struct ir_value *vector = load_access(l, &s, r);
        for (int k = 0; k < s.access; k++)
            registers[r + k] = gpu_extract(l, vector, k);
    }
    gpu_pack(l, tile, registers);
}

static void store_tile(struct lowering *l, const struct ir_op *op)
{
    struct site s = site_of(l, op, 2);
    int count = 1 << s.layout->register_bits;
    s.value_tile = gpu_tile(l, op->operands[1], s.layout);
    s.owns = gpu_thread_owns(l, s.layout);
    for (int r = 0; r < count; r += s.access) {
        if (!gpu_register_owns(s.layout, r))
            continue;
        if (s.access > 1)
            store_access(l, &s, r);
        else
            store_register(l, &s, r);
    }
}

/* ---- asynchronous copies into threadgroup memory ---------------------------------------------- */

static bool is_zero(const struct ir_value *value)
{
    uint64_t bits;
    if (value->op && value->op->code == IR_OP_BROADCAST)
        value = value->op->operands[0];
    return ir_constant_bits(value, &bits) && bits == 0;
}

/* Elements that one access of the site can copy: a whole one, or single ones where masks differ. */
static int copied_elements(const struct site *s)
{
    int bytes = (int)ir_elem_bytes(s->elem), access = s->access;
    if (s->access > 1 && (!s->aligned || !s->agrees))
        access = 1;
    return access * bytes == 4 || access * bytes == 8 || access * bytes == 16 ? access : 0;
}

int gpu_can_copy(struct lowering *l, const struct ir_op *load)
{
    struct site s = {
        .op = load, .layout = load->data, .elem = (enum ir_elem)load->operands[0]->type.elem};
    struct ir_value *base, *offsets;
    gpu_pointer_parts(load->operands[0], &base, &offsets);
    s.pointer = base;
    s.offsets = offsets;
    if (load->operand_count > 1) {
        s.mask = load->operands[1];
        if (!is_zero(load->operands[2]))
            return 0;
    }
    if (!offsets || gpu_is_padded(load->operands[0]->type))
        return 0;
    s.width = gpu_layout_width(s.layout, l->plan);
    gpu_choose_access(l, &s);
    return copied_elements(&s);
}

void gpu_start_copy(struct lowering *l, const struct gpu_copy *copy, struct ir_value *mask)
{
    struct ir_attributes attributes = {.number = copy->elements};
    struct ir_value *operands[] = {copy->to, copy->from, copy->valid, mask};
    ir_build(&l->b, (enum ir_opcode)GPU_OP_COPY_ASYNC, mask ? 4 : 3, operands, 0, NULL, 0, &attributes);
}

void gpu_copy_tile(struct lowering *l, const struct ir_op *load,
                   struct ir_value *(*slot)(void *user, int reg), void *user,
                   struct gpu_copy_list *late)
{
    struct site s = site_of(l, load, 1);
    gpu_note_access(l, load, s.pointer, s.offsets, s.layout);
    s.access = copied_elements(&s);
    for (int r = 0; r < 1 << s.layout->register_bits; r += s.access) {
        if (!gpu_register_owns(s.layout, r))
            continue;
        struct ir_value *mask = s.access > 1 ? all_masks(l, &s, r) : mask_of(l, &s, r);
        struct gpu_copy copy = {.to = slot(user, r), .elements = s.access};
        copy.from = address(l, &s, r);
        copy.valid = mask ? mask : gpu_bool(l, true);
        if (late)
            ARENA_PUSH(l->arena, late, copy);
        else
            gpu_start_copy(l, &copy, NULL);
    }
}

/* ---- atomics --------------------------------------------------------------------------------- */

static struct ir_value *atomic_op(struct lowering *l, const struct ir_op *op, struct ir_value *p,
                                  struct ir_value *const *values, int value_count,
                                  struct ir_value *mask)
{
    struct ir_value *operands[4] = {p};
    int count = 1;
    for (int i = 0; i < value_count; i++)
        operands[count++] = values[i];
    if (mask)
        operands[count++] = mask;
    struct ir_type type = ir_scalar((enum ir_elem)p->type.elem);
    return ir_build(&l->b, op->code, count, operands, 1, &type, 0, NULL)->results[0];
}

/* Old values of owners reach those that hold copies. */
static void share_old(struct lowering *l, const struct site *s, struct gpu_tile *tile,
                      struct ir_value **registers)
{
    int count = tile->count * tile->width;
    struct exchange x = {.elem = s->elem, .slots = INT64_C(1) << s->layout->element_bits};
    struct ir_value **slots = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
    struct ir_value **puts = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
    struct ir_value **masks = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
    for (int r = 0; r < count; r++) {
        slots[r] = gpu_map(l, s->layout, s->layout->basis, s->layout->offset, r);
        puts[r] = gpu_register_owns(s->layout, r) ? slots[r] : NULL;
        masks[r] = s->owns;
    }
    x.put_count = x.take_count = count;
    x.put_values = registers;
    x.put_slots = puts;
    x.put_masks = masks;
    x.take_slots = slots;
    x.taken = registers;
    gpu_exchange(l, &x);
}

static void atomic_tile(struct lowering *l, const struct ir_op *op, int value_count)
{
    struct site s = site_of(l, op, 1 + value_count);
    struct gpu_tile *tile = gpu_home(op->results[0]);
    int count = tile->count * tile->width;
    struct ir_value **registers = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
    s.owns = gpu_thread_owns(l, s.layout);
    for (int r = 0; r < count; r++) {
        struct ir_value *values[2];
        if (!gpu_register_owns(s.layout, r)) {
            registers[r] = ir_constant(&l->b, ir_scalar(s.elem), 0);
            continue;
        }
        for (int i = 0; i < value_count; i++)
            values[i] = register_of(l, gpu_tile(l, op->operands[1 + i], s.layout), r);
        struct ir_value *mask = mask_of(l, &s, r);
        registers[r] = atomic_op(l, op, address(l, &s, r), values, value_count, mask);
    }
    if (op->results[0]->uses == 0)
        return;
    if (gpu_is_replicated(s.layout))
        share_old(l, &s, tile, registers);
    gpu_pack(l, tile, registers);
}

/* ---- scalars --------------------------------------------------------------------------------- */

static struct ir_value *first_thread(struct lowering *l)
{
    struct ir_value *zero = gpu_constant(l, 0);
    return ir_binary(&l->b, IR_OP_EQ, gpu_thread(l), zero);
}

static void scalar_atomic(struct lowering *l, const struct ir_op *op, int value_count)
{
    struct ir_value *values[2], *mask = first_thread(l);
    enum ir_elem elem = (enum ir_elem)op->operands[0]->type.elem;
    for (int i = 0; i < value_count; i++)
        values[i] = gpu_scalar(op->operands[1 + i]);
    if (op->operand_count > 1 + value_count)
        mask = gpu_and(l, mask, gpu_scalar(op->operands[1 + value_count]));
    struct ir_value *old = atomic_op(l, op, gpu_scalar(op->operands[0]), values, value_count, mask);
    if (op->results[0]->uses > 0) {
        struct ir_value *slot = gpu_constant(l, 0), *first = first_thread(l);
        struct exchange x = {.elem = elem, .slots = 1, .put_count = 1, .take_count = 1};
        struct ir_value *taken = NULL;
        x.put_values = &old;
        x.put_slots = x.take_slots = &slot;
        x.put_masks = &first;
        x.taken = &taken;
        gpu_exchange(l, &x);
        old = taken;
    }
    gpu_set_scalar(op->results[0], old);
}

static void scalar_access(struct lowering *l, const struct ir_op *op)
{
    struct ir_value *operands[3] = {0};
    for (int i = 0; i < op->operand_count && i < 3; i++)
        operands[i] = gpu_scalar(op->operands[i]);
    if (op->code == IR_OP_LOAD)
        gpu_set_scalar(op->results[0], ir_load(&l->b, operands[0], operands[1], operands[2]));
    else
        ir_store(&l->b, operands[0], operands[1], gpu_and(l, first_thread(l), operands[2]));
}

void gpu_access(struct lowering *l, const struct ir_op *op)
{
    bool tile = op->operands[0]->type.rank > 0;
    int value_count = op->code == IR_OP_ATOMIC_CAS ? 2 : 1;
    struct ir_value *base, *offsets;
    gpu_pointer_parts(op->operands[0], &base, &offsets);
    gpu_note_access(l, op, base, offsets, tile && offsets ? op->data : NULL);
    if (op->code == IR_OP_LOAD) {
        if (tile)
            load_tile(l, op);
        else
            scalar_access(l, op);
    } else if (op->code == IR_OP_STORE) {
        if (tile)
            store_tile(l, op);
        else
            scalar_access(l, op);
    } else if (tile) {
        atomic_tile(l, op, value_count);
    } else {
        scalar_atomic(l, op, value_count);
    }
}
