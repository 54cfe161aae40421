/*
 * Loads and stores of one position: user memory through pointers or views, and scratch buffers.
 *
 * What is at one address, at consecutive ones or at a vector of pointers (address.c) goes by one
 * scalar, one vector or one gather or scatter. An element that is masked off is never touched:
 * vector accesses use hardware masks, scalar ones go to a dummy on the stack instead of the real
 * place.
 */
#include "cpu/address.h"

#include "cpu/choices.h"
#include "cpu/exchange.h"
#include "cpu/pattern.h"
#include "cpu/share.h"
#include "cpu/shifted.h"
#include "cpu/strided.h"

#include <llvm-c/Target.h>

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

/* Masks whose lanes are all in or all out, where the hardware's masks cost more than to ask (on
 * Zen 1 several times a plain access). It is so of a mask that is the same for all lanes (rows
 * behind the last key of a cache), and in rows that a mask misses as a whole (a grid's first
 * plane). */
enum lanes_in { ALL_LANES, SOME_LANES, NO_LANES };

struct lanes_ways {
    LLVMBasicBlockRef way[NO_LANES + 1], done; /* NULL: cannot be */
};

static bool asks_lanes(struct cpu_emit *e, struct ir_type type, struct cpu_element mask)
{
    const struct cpu_features *features = &e->level->features;
    if (!mask.v || !features->avx2 || features->avx512 || e->body.lanes == 1)
        return false;
    return !mask.vector || (e->body.misses_rows && !masks_by_loop(e, type));
}

static struct lanes_ways ask_lanes(struct cpu_emit *e, struct cpu_element mask)
{
    struct lanes_ways w = {{cpu_block(e, "all"), NULL, cpu_block(e, "none")}, cpu_block(e, "done")};
    if (!mask.vector) {
        LLVMBuildCondBr(e->builder, mask.v, w.way[ALL_LANES], w.way[NO_LANES]);
        return w;
    }
    w.way[SOME_LANES] = cpu_block(e, "some");
    LLVMBasicBlockRef not_all = cpu_block(e, "not_all");
    LLVMTypeRef narrow = LLVMIntTypeInContext(e->context, (unsigned)cpu_width_of(mask.v));
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, mask.v, narrow, "");
    LLVMValueRef all = LLVMBuildICmp(e->builder, LLVMIntEQ, bits, LLVMConstAllOnes(narrow), "");
    LLVMBuildCondBr(e->builder, all, w.way[ALL_LANES], not_all);
    LLVMPositionBuilderAtEnd(e->builder, not_all);
    LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntEQ, bits, LLVMConstNull(narrow), "");
    LLVMBuildCondBr(e->builder, none, w.way[NO_LANES], w.way[SOME_LANES]);
    return w;
}

/* So many lanes of a vector from lane `first` on, and beyond its end those of another. */
static LLVMValueRef lanes_from(struct cpu_emit *e, LLVMValueRef v, LLVMValueRef behind, int first,
                               int count)
{
    LLVMValueRef *places = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)count);
    for (int i = 0; i < count; i++)
        places[i] = LLVMConstInt(e->i32, (unsigned long long)(first + i), false);
    return LLVMBuildShuffleVector(e->builder, v, behind, LLVMConstVector(places, (unsigned)count),
                                  "");
}

/* One of several registers is loaded register by register. LLVM 19 halves it as well, but where the
 * mask is one condition for all lanes and a constant, of which a half is false, it loads that half
 * unmasked. */
LLVMValueRef cpu_masked_load(struct cpu_emit *e, LLVMTypeRef vector, LLVMValueRef pointer,
                             int64_t align, LLVMValueRef mask, LLVMValueRef instead)
{
    LLVMTypeRef element = LLVMGetElementType(vector);
    int lanes = (int)LLVMGetVectorSize(vector);
    int64_t bits = (int64_t)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(e->module), vector);
    if (bits <= e->level->vector_bits || lanes % 2) {
        LLVMTypeRef overloads[] = {vector, e->pointer};
        LLVMValueRef operands[] = {pointer, LLVMConstInt(e->i32, (unsigned long long)align, false),
                                   mask, instead};
        return cpu_intrinsic(e, "llvm.masked.load", 2, overloads, 4, operands);
    }
    LLVMTypeRef half = LLVMVectorType(element, (unsigned)lanes / 2);
    LLVMValueRef parts[2];
    for (int i = 0; i < 2; i++) {
        int first = i * lanes / 2;
        LLVMValueRef index = LLVMConstInt(e->i64, (unsigned long long)first, false);
        LLVMValueRef place = LLVMBuildGEP2(e->builder, element, pointer, &index, 1, "");
        LLVMValueRef active =
            lanes_from(e, mask, LLVMGetPoison(LLVMTypeOf(mask)), first, lanes / 2);
        LLVMValueRef other = lanes_from(e, instead, LLVMGetPoison(vector), first, lanes / 2);
        parts[i] = cpu_masked_load(e, half, place, align, active, other);
    }
    return lanes_from(e, parts[0], parts[1], 0, lanes);
}

static LLVMValueRef load_under_mask(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
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
    LLVMValueRef active = cpu_spread(e, mask);
    LLVMValueRef instead = cpu_to_memory(e, type, cpu_spread(e, other));
    return cpu_from_memory(e, type, cpu_masked_load(e, vector, pointer, bytes, active, instead));
}

static LLVMValueRef load_consecutive(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
                                     struct cpu_element mask, struct cpu_element other)
{
    if (!asks_lanes(e, type, mask))
        return load_under_mask(e, type, pointer, mask, other);
    LLVMBasicBlockRef from[NO_LANES + 1];
    LLVMValueRef v[NO_LANES + 1];
    unsigned count = 0;
    LLVMValueRef instead = cpu_spread(e, other);
    struct lanes_ways w = ask_lanes(e, mask);
    for (int way = 0; way <= NO_LANES; way++) {
        struct cpu_element all = {0};
        if (!w.way[way])
            continue;
        LLVMPositionBuilderAtEnd(e->builder, w.way[way]);
        v[count] = way == NO_LANES
                       ? instead
                       : load_under_mask(e, type, pointer, way == ALL_LANES ? all : mask, other);
        from[count++] = LLVMGetInsertBlock(e->builder);
        LLVMBuildBr(e->builder, w.done);
    }
    LLVMPositionBuilderAtEnd(e->builder, w.done);
    LLVMValueRef phi = LLVMBuildPhi(e->builder, LLVMTypeOf(v[0]), "");
    LLVMAddIncoming(phi, v, from, count);
    return phi;
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
    type = cpu_element_type(type);
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

/* Lane by lane, with the offsets as numbers. */
static LLVMValueRef load_by_offsets(struct cpu_emit *e, struct ir_type type,
                                    const struct cpu_address *address)
{
    LLVMTypeRef unit = cpu_memory_type(e, type);
    LLVMValueRef loaded = LLVMGetPoison(cpu_vector(unit, e->body.lanes));
    for (int l = 0; l < e->body.lanes; l++) {
        LLVMValueRef lane = cpu_i64(e, l);
        LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i64, address->offsets, &lane, 1, "");
        LLVMValueRef offset = LLVMBuildLoad2(e->builder, e->i64, from, "");
        from = LLVMBuildGEP2(e->builder, unit, address->first, &offset, 1, "");
        LLVMValueRef element = LLVMBuildLoad2(e->builder, unit, from, "");
        cpu_set_align(element, cpu_memory_bytes(type));
        loaded = LLVMBuildInsertElement(e->builder, loaded, element, lane, "");
    }
    return cpu_from_memory(e, type, loaded);
}

/* At a step that is known: from one address on, as in store_steps. Elements of 32 bits and more
 * have gathers with AVX-512. */
static bool loads_steps(const struct cpu_emit *e, struct ir_type type,
                        const struct cpu_address *address)
{
    bool gathers = e->level->features.avx512 && cpu_memory_bytes(type) >= 4;
    return !gathers && address->first && address->step != 0;
}

static LLVMValueRef load_by_steps(struct cpu_emit *e, struct ir_type type,
                                  const struct cpu_address *address)
{
    LLVMTypeRef unit = cpu_memory_type(e, type);
    LLVMValueRef loaded = LLVMGetPoison(cpu_vector(unit, e->body.lanes));
    for (int l = 0; l < e->body.lanes; l++) {
        LLVMValueRef offset = cpu_i64(e, l * address->step), lane = cpu_i64(e, l);
        LLVMValueRef from = cpu_step_pointer(e, unit, address->first, offset);
        LLVMValueRef element = LLVMBuildLoad2(e->builder, unit, from, "");
        cpu_set_align(element, cpu_memory_bytes(type));
        loaded = LLVMBuildInsertElement(e->builder, loaded, element, lane, "");
    }
    return cpu_from_memory(e, type, loaded);
}

/* The last lane first. */
static LLVMValueRef turned(struct cpu_emit *e, LLVMValueRef v)
{
    int lanes = e->body.lanes;
    LLVMValueRef *places = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)lanes);
    for (int i = 0; i < lanes; i++)
        places[i] = LLVMConstInt(e->i32, (unsigned long long)(lanes - 1 - i), false);
    LLVMValueRef order = LLVMConstVector(places, (unsigned)lanes);
    return LLVMBuildShuffleVector(e->builder, v, LLVMGetPoison(LLVMTypeOf(v)), order, "");
}

/* Places that fall by one per lane are a vector's, turned round. Under a mask AVX2 keeps to lanes.
 */
static bool goes_back(const struct cpu_emit *e, const struct cpu_address *address,
                      struct cpu_element mask)
{
    return address->kind == CPU_ADDRESS_VECTOR && address->first && address->step == -1 &&
           (!mask.v || e->level->features.avx512);
}

static LLVMValueRef first_of_turned(struct cpu_emit *e, struct ir_type type, LLVMValueRef last)
{
    return cpu_step_pointer(e, cpu_memory_type(e, type), last, cpu_i64(e, 1 - e->body.lanes));
}

static LLVMValueRef load_back(struct cpu_emit *e, struct ir_type type,
                              const struct cpu_address *address, struct cpu_element mask,
                              struct cpu_element other)
{
    LLVMValueRef first = first_of_turned(e, type, address->first);
    mask.v = mask.vector ? turned(e, mask.v) : mask.v;
    other.v = other.vector ? turned(e, other.v) : other.v;
    return turned(e, load_consecutive(e, type, first, mask, other));
}

LLVMValueRef cpu_buffer_read_back(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                  LLVMValueRef index)
{
    struct ir_type type = cpu_element_type(buffer->type);
    struct cpu_address address = {.first = cpu_buffer_pointer(e, buffer, index)};
    struct cpu_element none = {0};
    return load_back(e, type, &address, none, none);
}

/* By offsets where all lanes are in, as most are. */
static LLVMValueRef load_by_masked_offsets(struct cpu_emit *e, struct ir_type type,
                                           const struct cpu_address *address, LLVMValueRef mask,
                                           LLVMValueRef other)
{
    LLVMTypeRef vector = LLVMTypeOf(mask);
    LLVMBasicBlockRef whole = cpu_block(e, "whole"), some = cpu_block(e, "some");
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMValueRef all = cpu_intrinsic(e, "llvm.vector.reduce.and", 1, &vector, 1, &mask);
    LLVMBuildCondBr(e->builder, all, whole, some);
    LLVMPositionBuilderAtEnd(e->builder, whole);
    LLVMValueRef values[2] = {load_by_offsets(e, type, address)};
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, some);
    values[1] = cpu_gather(e, type, address->pointer, mask, other);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, on);
    LLVMValueRef phi = LLVMBuildPhi(e->builder, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(phi, values, (LLVMBasicBlockRef[]){whole, some}, 2);
    return phi;
}

/* op: the load, or NULL: from a scratch buffer. */
static struct cpu_element load_from(struct cpu_emit *e, const struct ir_op *op, struct ir_type type,
                                    const struct cpu_position *p, struct cpu_address address,
                                    struct cpu_element mask, struct cpu_element other)
{
    struct cpu_element loaded = {NULL, true};
    switch (address.kind) {
    case CPU_ADDRESS_SAME:
        return load_same(e, type, address.pointer, mask, other);
    case CPU_ADDRESS_CONSECUTIVE:
        loaded.v = load_consecutive(e, type, address.pointer, mask, other);
        break;
    case CPU_ADDRESS_VECTOR:
        if (goes_back(e, &address, mask)) {
            loaded.v = load_back(e, type, &address, mask, other);
            break;
        }
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
        if (!mask.v && loads_steps(e, type, &address)) {
            loaded.v = load_by_steps(e, type, &address);
            break;
        }
        if (mask.v)
            other.v = cpu_spread(e, other);
        if (address.offsets) {
            loaded.v = mask.v
                           ? load_by_masked_offsets(e, type, &address, cpu_spread(e, mask), other.v)
                           : load_by_offsets(e, type, &address);
            break;
        }
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
        struct cpu_element lanes = cpu_both_lanes(e, mask, condition);
        other.v = load_consecutive(e, type, choice->place[i], lanes, other);
        other.vector = true;
        condition.v = LLVMBuildNot(e->builder, condition.v, "");
    }
    return other;
}

/* Masked accesses of AVX2 take as long as its lanes one by one: on Zen 4 a step of a sorting
 * network in place (bench/everyday) took 24 us either way; with AVX-512 17 to 25 us lane by
 * lane, 7.5 to 10 so. */
static bool may_exchange(const struct cpu_emit *e, struct cpu_element mask)
{
    return !mask.v || e->level->features.avx512;
}

/* The lanes' mask in the order of the vector that is exchanged with. */
static struct cpu_element exchanged_mask(struct cpu_emit *e, const struct cpu_exchange *x,
                                         struct cpu_element mask)
{
    if (mask.vector)
        mask.v = cpu_exchange_lanes(e, x, mask.v);
    return mask;
}

static struct cpu_element load_exchanged(struct cpu_emit *e, const struct cpu_exchange *x,
                                         struct ir_type type, struct cpu_element mask,
                                         struct cpu_element other)
{
    LLVMBasicBlockRef whole = cpu_block(e, "exchanged"), apart = cpu_block(e, "apart");
    LLVMBasicBlockRef done = cpu_block(e, "done"), from[2];
    LLVMValueRef active = mask.v ? cpu_spread(e, mask) : NULL, v[2];
    struct cpu_element instead = {LLVMConstNull(cpu_register_type(e, type)), false};
    other.v = cpu_spread(e, other);
    LLVMBuildCondBr(e->builder, x->aligned, whole, apart);
    LLVMPositionBuilderAtEnd(e->builder, whole);
    v[0] = load_consecutive(e, type, x->first, exchanged_mask(e, x, mask), instead);
    v[0] = cpu_exchange_lanes(e, x, v[0]);
    if (active)
        v[0] = LLVMBuildSelect(e->builder, active, v[0], other.v, "");
    from[0] = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, apart);
    v[1] = cpu_gather(e, type, x->pointers, active, active ? other.v : NULL);
    from[1] = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, done);
    LLVMValueRef all = LLVMBuildPhi(e->builder, LLVMTypeOf(v[0]), "");
    LLVMAddIncoming(all, v, from, 2);
    return (struct cpu_element){all, true};
}

struct cpu_element cpu_load(struct cpu_emit *e, const struct ir_op *op,
                            const struct cpu_position *p)
{
    struct cpu_choice choice;
    struct ir_type type = cpu_element_type(op->results[0]->type);
    struct cpu_element mask = {0}, other = {0};
    struct cpu_address address;
    if (op->code == IR_OP_VIEW_LOAD) {
        mask = cpu_view_mask(e, op, p);
        other.v = cpu_value_of(e, op->operands[op->operand_count - 1])->scalar;
        address = cpu_view_address(e, op, p);
        mask = cpu_final_mask(e, mask, p);
    } else {
        if (op->operand_count > 1) {
            mask = cpu_element_of(e, op->operands[1], p);
            other = cpu_element_of(e, op->operands[2], p);
        } else {
            other.v = LLVMConstNull(cpu_register_type(e, type));
        }
        mask = cpu_final_mask(e, mask, p);
        struct cpu_exchange exchange;
        if (may_exchange(e, mask) && cpu_exchange_of(e, op, p, &exchange))
            return load_exchanged(e, &exchange, type, mask, other);
        if (!masks_by_loop(e, type) && cpu_choice_places(e, op->operands[0], p, &choice))
            return load_chosen(e, &choice, type, p, mask, other);
        address = cpu_pointer_address(e, op->operands[0], p);
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

static void store_under_mask(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
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

static void store_consecutive(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
                              struct cpu_element mask, LLVMValueRef value)
{
    if (!asks_lanes(e, type, mask)) {
        store_under_mask(e, type, pointer, mask, value);
        return;
    }
    struct cpu_element all = {0};
    struct lanes_ways w = ask_lanes(e, mask);
    for (int way = 0; way <= NO_LANES; way++) {
        if (!w.way[way])
            continue;
        LLVMPositionBuilderAtEnd(e->builder, w.way[way]);
        if (way != NO_LANES)
            store_under_mask(e, type, pointer, way == ALL_LANES ? all : mask, value);
        LLVMBuildBr(e->builder, w.done);
    }
    LLVMPositionBuilderAtEnd(e->builder, w.done);
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
static bool store_steps(struct cpu_emit *e, struct ir_type type, const struct cpu_address *address,
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
        LLVMValueRef place = cpu_step_pointer(e, unit, address->first, offset);
        cpu_set_align(LLVMBuildStore(e->builder, element, place), cpu_memory_bytes(type));
    }
    return true;
}

static void store_to(struct cpu_emit *e, struct ir_type type, struct cpu_address address,
                     struct cpu_element mask, struct cpu_element value)
{
    switch (address.kind) {
    case CPU_ADDRESS_SAME:
        if (!mask.vector && !value.vector) {
            store_same(e, type, address.pointer, mask, value.v);
            return;
        }
        value.v = cpu_spread(e, value);
        store_vector(e, type, cpu_splat(e, address.pointer, e->body.lanes), mask, value.v);
        return;
    case CPU_ADDRESS_CONSECUTIVE:
        store_consecutive(e, type, address.pointer, mask, cpu_spread(e, value));
        return;
    case CPU_ADDRESS_VECTOR:
        value.v = cpu_spread(e, value);
        if (goes_back(e, &address, mask)) {
            mask.v = mask.vector ? turned(e, mask.v) : mask.v;
            store_consecutive(e, type, first_of_turned(e, type, address.first), mask,
                              turned(e, value.v));
            return;
        }
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
static void store_left(struct cpu_emit *e, struct ir_type type, struct cpu_address address,
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

static void store_exchanged(struct cpu_emit *e, const struct cpu_exchange *x, struct ir_type type,
                            struct cpu_element mask, LLVMValueRef value)
{
    LLVMBasicBlockRef whole = cpu_block(e, "exchanged"), apart = cpu_block(e, "apart");
    LLVMBasicBlockRef done = cpu_block(e, "done");
    LLVMBuildCondBr(e->builder, x->aligned, whole, apart);
    LLVMPositionBuilderAtEnd(e->builder, whole);
    LLVMValueRef turned = cpu_exchange_lanes(e, x, value);
    store_consecutive(e, type, x->first, exchanged_mask(e, x, mask), turned);
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, apart);
    store_vector(e, type, x->pointers, mask, value);
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, done);
}

void cpu_store(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p)
{
    struct cpu_exchange exchange;
    struct ir_type type = ir_scalar((enum ir_elem)op->operands[0]->type.elem);
    struct cpu_element mask = {0}, value;
    struct cpu_address address;
    if (op->code == IR_OP_VIEW_STORE) {
        value = cpu_element_of(e, op->operands[op->operand_count - 1], p);
        if (!e->body.inside)
            mask = cpu_view_mask(e, op, p);
        address = cpu_view_address(e, op, p);
    } else {
        value = cpu_element_of(e, op->operands[1], p);
        if (op->operand_count > 2 && !e->body.inside)
            mask = cpu_element_of(e, op->operands[2], p);
        struct cpu_element final = cpu_final_mask(e, mask, p);
        if (may_exchange(e, final) && cpu_exchange_of(e, op, p, &exchange)) {
            store_exchanged(e, &exchange, type, final, cpu_spread(e, value));
            return;
        }
        address = cpu_pointer_address(e, op->operands[0], p);
    }
    mask = cpu_final_mask(e, mask, p);
    bool may = address.kind == CPU_ADDRESS_CONSECUTIVE && cpu_stream_may(e, op, e->body.lanes);
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

/* ---- scratch buffers ------------------------------------------------------------------------ */

static LLVMValueRef buffer_pointer(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                   LLVMValueRef index, bool writes)
{
    LLVMValueRef offset = buffer->place ? buffer->place : cpu_i64(e, buffer->offset);
    LLVMValueRef start = LLVMBuildGEP2(e->builder, e->i8, e->scratch, &offset, 1, "");
    LLVMTypeRef unit = cpu_memory_type(e, cpu_element_type(buffer->type));
    cpu_share_use(e, buffer, start, writes);
    return cpu_step_pointer(e, unit, start, index);
}

LLVMValueRef cpu_buffer_pointer(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                LLVMValueRef index)
{
    return buffer_pointer(e, buffer, index, false);
}

LLVMValueRef cpu_buffer_target(struct cpu_emit *e, const struct cpu_buffer *buffer,
                               LLVMValueRef index)
{
    return buffer_pointer(e, buffer, index, true);
}

/* The elements of the buffer at root under a shape of as many elements. */
static struct cpu_address buffer_address(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                         LLVMValueRef root, struct ir_type shape,
                                         const struct cpu_position *p)
{
    struct cpu_linear linear = {.root = root};
    int64_t stride = 1;
    for (int k = shape.rank - 1; k >= 0; k--) {
        linear.axis[k] = shape.dims[k] == 1 ? NULL : cpu_i64(e, stride);
        stride *= shape.dims[k];
    }
    return cpu_linear_address(e, buffer->type, &linear, p);
}

/* Indices that are kept as ints (once.c) come out as what the shape says. Lanes that do not exist
 * are read from the padding or the next row, but not gathered. */
struct cpu_element cpu_buffer_read(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                   struct ir_type shape, const struct cpu_position *p)
{
    LLVMValueRef root = cpu_buffer_pointer(e, buffer, NULL);
    struct cpu_address address = buffer_address(e, buffer, root, shape, p);
    struct cpu_element mask = {0}, other = {0};
    struct ir_type type = cpu_element_type(buffer->type);
    if (address.kind == CPU_ADDRESS_VECTOR && e->body.active) {
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
    LLVMValueRef root = cpu_buffer_target(e, buffer, NULL);
    struct cpu_address address = buffer_address(e, buffer, root, buffer->type, p);
    struct cpu_element mask = {0};
    if (p->lane >= 0 && e->body.active)
        mask = (struct cpu_element){e->body.active, true};
    if (!buffer->type.pointer && buffer->type.elem == IR_I32) /* or an index, kept so */
        element.v = LLVMBuildTruncOrBitCast(e->builder, element.v,
                                            cpu_vector(e->i32, cpu_width_of(element.v)), "");
    if (p->lane >= 0 && !element.vector)
        element = (struct cpu_element){cpu_splat(e, element.v, e->body.lanes), true};
    store_to(e, cpu_element_type(buffer->type), address, mask, element);
}
