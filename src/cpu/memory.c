/*
 * Loads and stores of one position: user memory through pointers or views, and scratch buffers.
 *
 * An address is the same for all lanes, or consecutive (one vector access), or a vector of
 * pointers (gather, scatter). An element that is masked off is never touched: vector accesses use
 * hardware masks, scalar ones go to a dummy on the stack instead of the real place.
 */
#include "cpu/choices.h"
#include "cpu/close.h"
#include "cpu/exchange.h"
#include "cpu/offsets.h"
#include "cpu/pattern.h"
#include "cpu/shifted.h"
#include "cpu/strided.h"

/* ---- register and memory forms -------------------------------------------------------------- */

LLVMValueRef cpu_to_memory(struct cpu_emit *e, struct ir_type type, LLVMValueRef v)
{
    if (type.pointer || type.elem != IR_BOOL)
        return v;
    return LLVMBuildZExt(e->builder, v, cpu_vector(e->i8, cpu_width_of(v)), "");
}

LLVMValueRef cpu_from_memory(struct cpu_emit *e, struct ir_type type, LLVMValueRef v)
{
    if (type.pointer || type.elem != IR_BOOL)
        return v;
    return LLVMBuildICmp(e->builder, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

static struct ir_type element_type(struct ir_type type)
{
    type.rank = 0;
    return type;
}

/* ---- addresses ------------------------------------------------------------------------------ */

enum address_kind { ADDRESS_SAME, ADDRESS_CONSECUTIVE, ADDRESS_VECTOR };

struct address {
    enum address_kind kind;
    LLVMValueRef pointer; /* of the first lane, or a vector of pointers */
    LLVMValueRef first;   /* of the first lane */
    int64_t step;         /* of a vector: from lane to lane, or 0: it varies */
    int64_t *offset;      /* of a vector, by lane from `first` on, or NULL: only known as it runs */
    bool is_close;
    struct cpu_close close; /* of such a vector */
};

static LLVMValueRef step_pointer(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                                 LLVMValueRef index)
{
    int64_t known;
    if (!index || (cpu_is_constant(index, &known) && known == 0))
        return pointer;
    return LLVMBuildGEP2(e->builder, unit, pointer, &index, 1, "");
}

/* root + base + coefficients * index. The lane's index is added last and apart, so that the rest
 * is invariant in the innermost loop. */
static struct address linear_address(struct cpu_emit *e, struct ir_type type,
                                     const struct cpu_linear *linear, const struct cpu_position *p)
{
    LLVMTypeRef unit = cpu_memory_type(e, element_type(type));
    LLVMValueRef offset = linear->base;
    for (int k = 0; k < p->rank; k++) {
        if (k != p->lane)
            offset = cpu_add(e, offset, cpu_mul(e, linear->axis[k], p->index[k]));
    }
    struct address a = {.pointer = step_pointer(e, unit, linear->root, offset)};
    LLVMValueRef lane = p->lane < 0 ? NULL : linear->axis[p->lane];
    if (!lane)
        return a;
    a.pointer = step_pointer(e, unit, a.pointer, cpu_mul(e, lane, p->index[p->lane]));
    a.first = a.pointer;
    if (cpu_is_constant(lane, &a.step) && a.step == 1) {
        a.kind = ADDRESS_CONSECUTIVE;
        return a;
    }
    LLVMValueRef steps = LLVMBuildMul(e->builder, cpu_splat(e, lane, e->body.lanes),
                                      cpu_iota(e, e->i64, e->body.lanes), "");
    a.kind = ADDRESS_VECTOR;
    a.pointer = LLVMBuildGEP2(e->builder, unit, a.pointer, &steps, 1, "");
    return a;
}

static struct address pattern_address(struct cpu_emit *e, const struct ir_value *pointer,
                                      const struct cpu_position *p,
                                      const struct cpu_pattern *pattern)
{
    int lanes = e->body.lanes;
    struct cpu_position first = *p;
    LLVMValueRef *offset = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)lanes);
    struct address a = {.offset = ARENA_ARRAY(e->arena, int64_t, (size_t)lanes)};
    bool same = true;
    for (int l = 0; l < lanes; l++) {
        a.offset[l] = pattern->lane[l] - pattern->lane[0];
        offset[l] = cpu_i64(e, a.offset[l]);
        same = same && a.offset[l] == 0;
    }
    first.lane = -1;
    a.first = a.pointer = cpu_element_of(e, pointer, &first).v;
    if (same)
        return a;
    LLVMTypeRef unit = cpu_memory_type(e, ir_scalar((enum ir_elem)pointer->type.elem));
    LLVMValueRef offsets = LLVMConstVector(offset, (unsigned)lanes);
    a.kind = ADDRESS_VECTOR;
    a.pointer = LLVMBuildGEP2(e->builder, unit, a.pointer, &offsets, 1, "");
    return a;
}

static bool lanes_address(struct cpu_emit *e, const struct ir_value *pointer,
                          const struct cpu_position *p, struct address *a)
{
    struct cpu_lanes form;
    if (!cpu_lanes_of(e, pointer, p, &form))
        return false;
    *a = (struct address){.kind = ADDRESS_VECTOR};
    a->is_close = cpu_is_close(e, pointer->type, &form, e->body.lanes, &a->close);
    a->pointer = cpu_lane_pointers(e, pointer, &form);
    return true;
}

static struct address pointer_address(struct cpu_emit *e, const struct ir_value *pointer,
                                      const struct cpu_position *p)
{
    if (pointer->type.rank > 0 && cpu_affine_of(e, pointer)->known) {
        struct cpu_linear linear = cpu_linear_of(e, pointer);
        return linear_address(e, ir_scalar((enum ir_elem)pointer->type.elem), &linear, p);
    }
    int64_t step;
    if (pointer->type.rank > 0 && p->lane >= 0 && cpu_step_along(e, pointer, p, &step) &&
        step != 0) {
        struct cpu_linear linear = {.root = cpu_first_along(e, pointer, p)};
        struct cpu_position lanes = {.rank = 1, .lane = 0, .index = {p->index[p->lane]}};
        linear.axis[0] = cpu_i64(e, step);
        return linear_address(e, ir_scalar((enum ir_elem)pointer->type.elem), &linear, &lanes);
    }
    struct cpu_pattern pattern;
    if (pointer->type.rank > 0 && cpu_pattern_of(e, pointer, p, &pattern))
        return pattern_address(e, pointer, p, &pattern);
    LLVMValueRef pointers;
    struct address a;
    if (pointer->type.rank > 0 && cpu_offset_address(e, pointer, p, &pointers))
        return (struct address){.kind = ADDRESS_VECTOR, .pointer = pointers};
    if (pointer->type.rank > 0 && lanes_address(e, pointer, p, &a))
        return a;
    struct cpu_element element = cpu_element_of(e, pointer, p);
    return (struct address){.kind = element.vector ? ADDRESS_VECTOR : ADDRESS_SAME,
                            .pointer = element.v};
}

static LLVMValueRef view_operand(struct cpu_emit *e, const struct ir_op *op, int group, int k)
{
    return cpu_value_of(e, op->operands[1 + group * op->attributes.view_rank + k])->scalar;
}

static struct address view_address(struct cpu_emit *e, const struct ir_op *op,
                                   const struct cpu_position *p)
{
    int axes = op->attributes.view_rank, first = axes - p->rank;
    struct cpu_linear linear = {.root = cpu_value_of(e, op->operands[0])->scalar};
    for (int k = 0; k < axes; k++) {
        LLVMValueRef stride = view_operand(e, op, 1, k);
        linear.base = cpu_add(e, linear.base, cpu_mul(e, stride, view_operand(e, op, 2, k)));
        if (k >= first)
            linear.axis[k - first] = stride;
    }
    return linear_address(e, ir_scalar((enum ir_elem)op->operands[0]->type.elem), &linear, p);
}

/* ---- masks of an access --------------------------------------------------------------------- */

static struct cpu_element element_and(struct cpu_emit *e, struct cpu_element a,
                                      struct cpu_element b)
{
    if (!a.v)
        return b;
    if (!b.v)
        return a;
    bool vector = a.vector || b.vector;
    LLVMValueRef x = vector ? cpu_spread(e, a) : a.v, y = vector ? cpu_spread(e, b) : b.v;
    return (struct cpu_element){LLVMBuildAnd(e->builder, x, y, ""), vector};
}

static struct cpu_element in_extent(struct cpu_emit *e, LLVMValueRef index, LLVMValueRef extent,
                                    bool lane)
{
    if (lane) {
        LLVMValueRef low = cpu_lanes_from(e, cpu_distance(e, index, cpu_i64(e, 0)));
        LLVMValueRef high = cpu_lanes_below(e, cpu_distance(e, index, extent));
        return (struct cpu_element){LLVMBuildAnd(e->builder, low, high, ""), true};
    }
    LLVMValueRef low = LLVMBuildICmp(e->builder, LLVMIntSGE, index, cpu_i64(e, 0), "");
    LLVMValueRef high = LLVMBuildICmp(e->builder, LLVMIntSLT, index, extent, "");
    return (struct cpu_element){LLVMBuildAnd(e->builder, low, high, ""), false};
}

static struct cpu_element view_mask(struct cpu_emit *e, const struct ir_op *op,
                                    const struct cpu_position *p)
{
    struct cpu_element mask = {0};
    if (cpu_bounded_of(e, NULL, op, p))
        return mask;
    if (cpu_lanes_within(e, NULL, op, p, &mask.v)) {
        mask.vector = true;
        return mask;
    }
    int axes = op->attributes.view_rank, first = axes - p->rank;
    for (int k = 0; k < axes; k++) {
        LLVMValueRef index = view_operand(e, op, 2, k);
        if (k >= first)
            index = cpu_add(e, index, p->index[k - first]);
        bool lane = p->lane >= 0 && k - first == p->lane;
        mask = element_and(e, mask, in_extent(e, index, view_operand(e, op, 0, k), lane));
    }
    return mask;
}

/* Drops a mask that is known to hold, and adds the lanes that do not exist. */
static struct cpu_element final_mask(struct cpu_emit *e, struct cpu_element mask,
                                     const struct cpu_position *p)
{
    int64_t known;
    if (mask.v && !mask.vector && cpu_is_constant(mask.v, &known) && known != 0)
        mask.v = NULL;
    if (p->lane >= 0 && e->body.active)
        mask = element_and(e, mask, (struct cpu_element){e->body.active, true});
    return mask;
}

/* ---- one access ----------------------------------------------------------------------------- */

static LLVMValueRef load_scalar(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer)
{
    LLVMValueRef load = LLVMBuildLoad2(e->builder, cpu_memory_type(e, type), pointer, "");
    cpu_set_align(load, cpu_memory_bytes(type));
    return cpu_from_memory(e, type, load);
}

static LLVMValueRef any_lane(struct cpu_emit *e, struct cpu_element mask)
{
    if (!mask.vector)
        return mask.v;
    LLVMTypeRef type = LLVMTypeOf(mask.v);
    return cpu_intrinsic(e, "llvm.vector.reduce.or", 1, &type, 1, &mask.v);
}

/* One element for all lanes. */
static struct cpu_element load_same(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
                                    struct cpu_element mask, struct cpu_element other)
{
    if (!mask.v)
        return (struct cpu_element){load_scalar(e, type, pointer), false};
    pointer = LLVMBuildSelect(e->builder, any_lane(e, mask), pointer, e->dummy, "");
    struct cpu_element loaded = {load_scalar(e, type, pointer), false};
    bool vector = mask.vector || other.vector;
    LLVMValueRef m = vector && !mask.vector ? cpu_splat(e, mask.v, e->body.lanes) : mask.v;
    LLVMValueRef x = vector ? cpu_spread(e, loaded) : loaded.v;
    LLVMValueRef y = vector ? cpu_spread(e, other) : other.v;
    return (struct cpu_element){LLVMBuildSelect(e->builder, m, x, y, ""), vector};
}

/* AVX2 masks elements of 32 and 64 bits. For shorter ones LLVM would test each lane on its own, in
 * as many blocks; a loop over those that are active is shorter by far, and masked bodies are rare.
 */
static bool masks_by_loop(const struct cpu_emit *e, struct ir_type type)
{
    const struct cpu_features *features = &e->level->features;
    return features->avx2 && !features->avx512 && e->body.lanes > 1 && e->body.lanes <= 64 &&
           cpu_memory_bytes(type) < 4;
}

/* to[i] = from[i] for each lane i of the mask. Returns the store. Where a row's masks fail as a
 * whole (the one above a picture's first), the others of its vectors hold in all lanes: these are
 * copied at once. A step of the game of life in bytes, 64 rows of 1000, took 56 us without. */
static LLVMValueRef copy_active(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef to,
                                LLVMValueRef from, LLVMValueRef mask)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(e->context, (unsigned)cpu_width_of(mask));
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, mask, narrow, "");
    bits = LLVMBuildZExt(e->builder, bits, e->i64, "");
    LLVMBasicBlockRef loop = cpu_block(e, "active"), done = cpu_block(e, "copied");
    LLVMValueRef zero = cpu_i64(e, 0);
    if (e->body.misses_rows) {
        LLVMBasicBlockRef at_once = cpu_block(e, "all"), some = cpu_block(e, "some");
        LLVMValueRef every = LLVMBuildZExt(e->builder, LLVMConstAllOnes(narrow), e->i64, "");
        LLVMValueRef all = LLVMBuildICmp(e->builder, LLVMIntEQ, bits, every, "");
        LLVMBuildCondBr(e->builder, all, at_once, some);
        LLVMPositionBuilderAtEnd(e->builder, at_once);
        LLVMTypeRef vector = cpu_vector(unit, cpu_width_of(mask));
        LLVMValueRef loaded = LLVMBuildLoad2(e->builder, vector, from, "");
        LLVMValueRef stored = LLVMBuildStore(e->builder, loaded, to);
        LLVMSetAlignment(loaded, 1);
        LLVMSetAlignment(stored, 1);
        LLVMBuildBr(e->builder, done);
        LLVMPositionBuilderAtEnd(e->builder, some);
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntNE, bits, zero, ""), loop, done);
    LLVMPositionBuilderAtEnd(e->builder, loop);
    LLVMValueRef left = LLVMBuildPhi(e->builder, e->i64, "");
    LLVMValueRef operands[] = {left, LLVMConstInt(e->i1, 1, false)};
    LLVMValueRef lane = cpu_intrinsic(e, "llvm.cttz", 1, &e->i64, 2, operands);
    LLVMValueRef source = LLVMBuildGEP2(e->builder, unit, from, &lane, 1, "");
    LLVMValueRef target = LLVMBuildGEP2(e->builder, unit, to, &lane, 1, "");
    LLVMValueRef element = LLVMBuildLoad2(e->builder, unit, source, "");
    LLVMValueRef store = LLVMBuildStore(e->builder, element, target);
    LLVMValueRef less = LLVMBuildSub(e->builder, left, cpu_i64(e, 1), "");
    LLVMValueRef rest = LLVMBuildAnd(e->builder, left, less, "");
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntNE, rest, zero, ""), loop, done);
    LLVMAddIncoming(left, &bits, &before, 1);
    LLVMAddIncoming(left, &rest, &loop, 1);
    LLVMPositionBuilderAtEnd(e->builder, done);
    return store;
}

static LLVMValueRef load_consecutive(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
                                     struct cpu_element mask, struct cpu_element other)
{
    LLVMTypeRef vector = cpu_vector(cpu_memory_type(e, type), e->body.lanes);
    int64_t bytes = cpu_memory_bytes(type);
    if (!mask.v) {
        LLVMValueRef load = LLVMBuildLoad2(e->builder, vector, pointer, "");
        cpu_set_align(load, bytes);
        return cpu_from_memory(e, type, load);
    }
    if (masks_by_loop(e, type)) {
        LLVMValueRef slot = cpu_alloca(e, vector, "lanes");
        LLVMBuildStore(e->builder, cpu_to_memory(e, type, cpu_spread(e, other)), slot);
        copy_active(e, cpu_memory_type(e, type), slot, pointer, cpu_spread(e, mask));
        return cpu_from_memory(e, type, LLVMBuildLoad2(e->builder, vector, slot, ""));
    }
    LLVMTypeRef overloads[] = {vector, e->pointer};
    LLVMValueRef active = cpu_spread(e, mask);
    LLVMValueRef instead = cpu_to_memory(e, type, cpu_spread(e, other));
    LLVMValueRef operands[] = {pointer, LLVMConstInt(e->i32, (unsigned long long)bytes, false),
                               active, instead};
    return cpu_from_memory(e, type,
                           cpu_intrinsic(e, "llvm.masked.load", 2, overloads, 4, operands));
}

/* Without AVX-512, LLVM loads lane by lane, and branches for each lane of a mask. Instead, lanes
 * that are masked off load from the dummy. Not of shorter elements: they come in vectors of 16 or
 * 32 lanes, of which few are wanted at a picture's edge, so that a blur took 1.1 times as long. */
static bool gathers_all(const struct cpu_emit *e, struct ir_type type)
{
    return e->level->features.avx2 && !e->level->features.avx512 && cpu_memory_bytes(type) >= 4;
}

LLVMValueRef cpu_gather(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointers,
                        LLVMValueRef mask, LLVMValueRef other)
{
    int lanes = cpu_width_of(pointers);
    type = element_type(type);
    LLVMTypeRef vector = cpu_vector(cpu_memory_type(e, type), lanes);
    LLVMTypeRef overloads[] = {vector, LLVMTypeOf(pointers)};
    LLVMValueRef all = cpu_splat(e, LLVMConstInt(e->i1, 1, false), lanes);
    LLVMValueRef instead = other ? cpu_to_memory(e, type, other) : LLVMGetPoison(vector);
    bool chooses = mask && gathers_all(e, type);
    if (chooses)
        pointers = LLVMBuildSelect(e->builder, mask, pointers, cpu_splat(e, e->dummy, lanes), "");
    LLVMValueRef operands[] = {
        pointers, LLVMConstInt(e->i32, (unsigned long long)cpu_memory_bytes(type), false),
        mask && !chooses ? mask : all, chooses ? LLVMGetPoison(vector) : instead};
    LLVMValueRef loaded = cpu_intrinsic(e, "llvm.masked.gather", 2, overloads, 4, operands);
    if (chooses)
        loaded = LLVMBuildSelect(e->builder, mask, loaded, instead, "");
    return cpu_from_memory(e, type, loaded);
}

/* op: the load, or NULL: from a scratch buffer. */
static struct cpu_element load_from(struct cpu_emit *e, const struct ir_op *op, struct ir_type type,
                                    const struct cpu_position *p, struct address address,
                                    struct cpu_element mask, struct cpu_element other)
{
    struct cpu_element loaded = {NULL, true};
    switch (address.kind) {
    case ADDRESS_SAME:
        return load_same(e, type, address.pointer, mask, other);
    case ADDRESS_CONSECUTIVE:
        loaded.v = load_consecutive(e, type, address.pointer, mask, other);
        break;
    case ADDRESS_VECTOR:
        if (!mask.v && cpu_may_load_strided(e, type, address.step)) {
            loaded.v = cpu_load_strided(e, op, type, p, address.first, address.step);
            loaded.v = cpu_from_memory(e, type, loaded.v);
            break;
        }
        if (!mask.v && address.offset && cpu_may_load_pattern(e, type, address.offset)) {
            loaded.v = cpu_load_pattern(e, type, address.first, address.offset);
            loaded.v = cpu_from_memory(e, type, loaded.v);
            break;
        }
        if (!mask.v && address.is_close) {
            loaded.v = cpu_load_close(e, type, &address.close);
            loaded.v = cpu_from_memory(e, type, loaded.v);
            break;
        }
        if (mask.v)
            other.v = cpu_spread(e, other);
        loaded.v = cpu_gather(e, type, address.pointer, mask.v ? cpu_spread(e, mask) : NULL,
                              mask.v ? other.v : NULL);
        break;
    }
    return loaded;
}

/* Two masked loads of consecutive elements; the second fills what the first left. */
static struct cpu_element load_chosen(struct cpu_emit *e, const struct cpu_choice *choice,
                                      struct ir_type type, const struct cpu_position *p,
                                      struct cpu_element mask, struct cpu_element other)
{
    struct cpu_element condition = cpu_element_of(e, choice->condition, p);
    condition = (struct cpu_element){cpu_spread(e, condition), true};
    for (int i = 0; i < 2; i++) {
        struct cpu_element lanes = element_and(e, mask, condition);
        other.v = load_consecutive(e, type, choice->place[i], lanes, other);
        other.vector = true;
        condition.v = LLVMBuildNot(e->builder, condition.v, "");
    }
    return other;
}

struct cpu_element cpu_load(struct cpu_emit *e, const struct ir_op *op,
                            const struct cpu_position *p)
{
    struct cpu_choice choice;
    struct ir_type type = element_type(op->results[0]->type);
    struct cpu_element mask = {0}, other = {0};
    struct address address;
    if (op->code == IR_OP_VIEW_LOAD) {
        mask = view_mask(e, op, p);
        other.v = cpu_value_of(e, op->operands[op->operand_count - 1])->scalar;
        address = view_address(e, op, p);
        mask = final_mask(e, mask, p);
    } else {
        if (op->operand_count > 1) {
            mask = cpu_element_of(e, op->operands[1], p);
            other = cpu_element_of(e, op->operands[2], p);
        } else {
            other.v = LLVMConstNull(cpu_register_type(e, type));
        }
        mask = final_mask(e, mask, p);
        struct cpu_element loaded;
        if (!mask.v && cpu_load_exchanged(e, op, p, &loaded))
            return loaded;
        if (!masks_by_loop(e, type) && cpu_choice_places(e, op->operands[0], p, &choice))
            return load_chosen(e, &choice, type, p, mask, other);
        address = pointer_address(e, op->operands[0], p);
    }
    return load_from(e, op, type, p, address, mask, other);
}

static void store_same(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
                       struct cpu_element mask, LLVMValueRef value)
{
    if (mask.v)
        pointer = LLVMBuildSelect(e->builder, mask.v, pointer, e->dummy, "");
    LLVMValueRef store = LLVMBuildStore(e->builder, cpu_to_memory(e, type, value), pointer);
    cpu_set_align(store, cpu_memory_bytes(type));
}

static void store_consecutive(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
                              struct cpu_element mask, LLVMValueRef value)
{
    int64_t bytes = cpu_memory_bytes(type);
    value = cpu_to_memory(e, type, value);
    if (!mask.v) {
        cpu_set_align(LLVMBuildStore(e->builder, value, pointer), bytes);
        return;
    }
    if (masks_by_loop(e, type)) {
        LLVMValueRef slot = cpu_alloca(e, LLVMTypeOf(value), "lanes");
        LLVMBuildStore(e->builder, value, slot);
        copy_active(e, cpu_memory_type(e, type), pointer, slot, cpu_spread(e, mask));
        return;
    }
    LLVMTypeRef overloads[] = {LLVMTypeOf(value), e->pointer};
    LLVMValueRef operands[] = {value, pointer,
                               LLVMConstInt(e->i32, (unsigned long long)bytes, false),
                               cpu_spread(e, mask)};
    cpu_intrinsic(e, "llvm.masked.store", 2, overloads, 4, operands);
}

/* Lanes store in order, so that the last one wins where they meet. */
static void store_vector(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointers,
                         struct cpu_element mask, LLVMValueRef value)
{
    value = cpu_to_memory(e, type, value);
    if (!mask.v)
        mask.v = LLVMConstInt(e->i1, 1, false);
    LLVMTypeRef overloads[] = {LLVMTypeOf(value), LLVMTypeOf(pointers)};
    LLVMValueRef operands[] = {
        value, pointers, LLVMConstInt(e->i32, (unsigned long long)cpu_memory_bytes(type), false),
        cpu_spread(e, mask)};
    cpu_intrinsic(e, "llvm.masked.scatter", 2, overloads, 4, operands);
}

/* At a step that is known: from one address on, where a scatter would compute one for each lane and
 * take it out of a vector again. A sweep over every second point of a picture in place
 * (bench/everyday) took 25.1 us with scatters on Zen 1, 16.7 with this. AVX-512 has an instruction
 * for scatters. */
static bool store_steps(struct cpu_emit *e, struct ir_type type, const struct address *address,
                        LLVMValueRef value)
{
    LLVMTypeRef unit = cpu_memory_type(e, type);
    if (e->level->features.avx512 || !address->first || address->step == 0)
        return false;
    value = cpu_to_memory(e, type, value);
    for (int l = 0; l < e->body.lanes; l++) {
        LLVMValueRef offset = cpu_i64(e, l * address->step);
        LLVMValueRef lane = LLVMConstInt(e->i32, (unsigned long long)l, false);
        LLVMValueRef element = LLVMBuildExtractElement(e->builder, value, lane, "");
        LLVMValueRef place = step_pointer(e, unit, address->first, offset);
        cpu_set_align(LLVMBuildStore(e->builder, element, place), cpu_memory_bytes(type));
    }
    return true;
}

static void store_to(struct cpu_emit *e, struct ir_type type, struct address address,
                     struct cpu_element mask, struct cpu_element value)
{
    switch (address.kind) {
    case ADDRESS_SAME:
        if (!mask.vector && !value.vector) {
            store_same(e, type, address.pointer, mask, value.v);
            return;
        }
        value.v = cpu_spread(e, value);
        store_vector(e, type, cpu_splat(e, address.pointer, e->body.lanes), mask, value.v);
        return;
    case ADDRESS_CONSECUTIVE:
        store_consecutive(e, type, address.pointer, mask, cpu_spread(e, value));
        return;
    case ADDRESS_VECTOR:
        value.v = cpu_spread(e, value);
        if (mask.v || !store_steps(e, type, &address, value.v))
            store_vector(e, type, address.pointer, mask, value.v);
        return;
    }
}

void cpu_store_lanes_past(struct cpu_emit *e, LLVMValueRef value, LLVMValueRef pointer,
                          LLVMValueRef mask)
{
    LLVMValueRef slot = cpu_alloca(e, LLVMTypeOf(value), "lanes");
    LLVMBuildStore(e->builder, value, slot);
    cpu_stream_mark(e, copy_active(e, LLVMGetElementType(LLVMTypeOf(value)), pointer, slot, mask));
}

/* What an interior left, which may have gone past the caches. */
static void store_left(struct cpu_emit *e, struct ir_type type, struct address address,
                       struct cpu_element mask, struct cpu_element value)
{
    LLVMBasicBlockRef past = cpu_block(e, "past"), through = cpu_block(e, "through");
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMValueRef vector = cpu_to_memory(e, type, cpu_spread(e, value));
    LLVMTypeRef unit = cpu_memory_bytes(type) == 4 ? e->i32 : e->i64;
    LLVMValueRef yes = LLVMConstInt(e->i1, 1, false);
    LLVMValueRef lanes = mask.v ? cpu_spread(e, mask) : cpu_splat(e, yes, e->body.lanes);
    LLVMBuildCondBr(e->builder, LLVMBuildLoad2(e->builder, e->i1, e->body.went_past, ""), past,
                    through);
    LLVMPositionBuilderAtEnd(e->builder, past);
    vector = LLVMBuildBitCast(e->builder, vector, cpu_vector(unit, e->body.lanes), "");
    cpu_store_lanes_past(e, vector, address.pointer, lanes);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, through);
    store_to(e, type, address, mask, value);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, on);
}

void cpu_store(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p)
{
    struct ir_type type = ir_scalar((enum ir_elem)op->operands[0]->type.elem);
    struct cpu_element mask = {0}, value;
    struct address address;
    if (op->code == IR_OP_VIEW_STORE) {
        value = cpu_element_of(e, op->operands[op->operand_count - 1], p);
        if (!e->body.inside)
            mask = view_mask(e, op, p);
        address = view_address(e, op, p);
    } else {
        value = cpu_element_of(e, op->operands[1], p);
        if (op->operand_count > 2 && !e->body.inside)
            mask = cpu_element_of(e, op->operands[2], p);
        address = pointer_address(e, op->operands[0], p);
    }
    mask = final_mask(e, mask, p);
    bool may = address.kind == ADDRESS_CONSECUTIVE && cpu_stream_may(e, op);
    if (may && e->body.went_past && !e->body.fast && cpu_memory_bytes(type) >= 4) {
        store_left(e, type, address, mask, value);
        return;
    }
    if (!may || !e->body.past || mask.v) {
        store_to(e, type, address, mask, value);
        return;
    }
    LLVMValueRef vector = cpu_to_memory(e, type, cpu_spread(e, value));
    if (e->body.shift)
        cpu_shift_store(e, e->body.shift, vector, address.pointer);
    else
        cpu_stream_store(e, vector, address.pointer);
}

LLVMValueRef cpu_load_origin(struct cpu_emit *e, const struct ir_op *op)
{
    struct cpu_position p = {.rank = op->results[0]->type.rank, .lane = -1};
    for (int k = 0; k < p.rank; k++)
        p.index[k] = cpu_i64(e, 0);
    if (op->code == IR_OP_VIEW_LOAD)
        return view_address(e, op, &p).pointer;
    if (op->operands[0]->type.rank == 0 || !cpu_affine_of(e, op->operands[0])->known)
        return NULL;
    return pointer_address(e, op->operands[0], &p).pointer;
}

/* The same for a load. */
bool cpu_load_address(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                      LLVMValueRef *pointer)
{
    if (!cpu_affine_of(e, op->operands[0])->known)
        return false;
    struct address address = pointer_address(e, op->operands[0], p);
    *pointer = address.pointer;
    return address.kind == ADDRESS_CONSECUTIVE;
}

bool cpu_first_address(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                       LLVMValueRef *pointer)
{
    *pointer = pointer_address(e, op->operands[0], p).first;
    return *pointer != NULL;
}

/* Where a store of consecutive elements starts; false: it has other addresses. */
bool cpu_store_address(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                       LLVMValueRef *pointer)
{
    struct address address;
    if (op->code == IR_OP_VIEW_STORE)
        address = view_address(e, op, p);
    else if (!cpu_affine_of(e, op->operands[0])->known)
        return false;
    else
        address = pointer_address(e, op->operands[0], p);
    *pointer = address.pointer;
    return address.kind == ADDRESS_CONSECUTIVE;
}

/* ---- scratch buffers ------------------------------------------------------------------------ */

LLVMValueRef cpu_buffer_pointer(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                LLVMValueRef index)
{
    LLVMValueRef offset = buffer->place ? buffer->place : cpu_i64(e, buffer->offset);
    LLVMValueRef start = LLVMBuildGEP2(e->builder, e->i8, e->scratch, &offset, 1, "");
    LLVMTypeRef unit = cpu_memory_type(e, element_type(buffer->type));
    return step_pointer(e, unit, start, index);
}

/* The buffer's elements under a shape of as many elements. */
static struct address buffer_address(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                     struct ir_type shape, const struct cpu_position *p)
{
    struct cpu_linear linear = {.root = cpu_buffer_pointer(e, buffer, NULL)};
    int64_t stride = 1;
    for (int k = shape.rank - 1; k >= 0; k--) {
        linear.axis[k] = shape.dims[k] == 1 ? NULL : cpu_i64(e, stride);
        stride *= shape.dims[k];
    }
    return linear_address(e, buffer->type, &linear, p);
}

/* Indices that are kept as ints (once.c) come out as what the shape says. Lanes that do not exist
 * are read from the padding or the next row, but not gathered. */
struct cpu_element cpu_buffer_read(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                   struct ir_type shape, const struct cpu_position *p)
{
    struct address address = buffer_address(e, buffer, shape, p);
    struct cpu_element mask = {0}, other = {0};
    struct ir_type type = element_type(buffer->type);
    if (address.kind == ADDRESS_VECTOR && e->body.active) {
        mask = (struct cpu_element){e->body.active, true};
        other.v = LLVMConstNull(cpu_register_type(e, type));
    }
    struct cpu_element element = load_from(e, NULL, type, p, address, mask, other);
    if (!type.pointer && type.elem == IR_I32 && shape.elem == IR_I64)
        element.v = cpu_convert(&e->math, element.v, IR_I32, IR_I64);
    return element;
}

void cpu_buffer_write(struct cpu_emit *e, const struct cpu_buffer *buffer,
                      const struct cpu_position *p, struct cpu_element element)
{
    struct address address = buffer_address(e, buffer, buffer->type, p);
    struct cpu_element mask = {0};
    if (p->lane >= 0 && e->body.active)
        mask = (struct cpu_element){e->body.active, true};
    if (!buffer->type.pointer && buffer->type.elem == IR_I32) /* or an index, kept so */
        element.v = LLVMBuildTruncOrBitCast(e->builder, element.v,
                                            cpu_vector(e->i32, cpu_width_of(element.v)), "");
    if (p->lane >= 0 && !element.vector)
        element = (struct cpu_element){cpu_splat(e, element.v, e->body.lanes), true};
    store_to(e, element_type(buffer->type), address, mask, element);
}
