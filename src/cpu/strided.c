/*
 * Every second, third or fourth element: interleaved channels.
 *
 *     red = load(X + 3 * i)            one gather, or scatter, each: an access per element
 *     green = load(X + 3 * i + 1)
 *     blue = load(X + 3 * i + 2)
 *
 * Instead, vectors are loaded from the first lane's element on and shuffled. That touches elements
 * between those that were asked for, so it must be known that they may be touched:
 *
 *   - Without a mask, the first and the last lane's elements are loaded. They belong to one array,
 *     which has no holes, so all between them may be read; nothing before or behind them is. What
 * is read between is thrown away, so that it does not matter who writes it.
 *   - Where other loads of the nest read the other elements of the same groups, without a mask or
 *     with one that holds too, whole groups may be read. Those of 2 or 4 bytes are integers, and an
 *     element is a part of one.
 *   - Several stores may want channels of one group (planes of a picture). Its vectors are loaded
 *     once, before the first store, unless that may write what is loaded behind it in the text.
 *   - Elements between must never be written. Stores are put together only where they follow each
 *     other and fill whole groups.
 *
 * Measured on Zen 3 (build/tilec-bench --part pictures): see docs/benchmarks-kernels.md.
 */
#include "cpu/strided.h"
#include "base/bits.h"
#include "cpu/address.h"
#include "cpu/quads.h"
#include "ir/affine.h"

enum { MOST_STEP = 4, LEAST_LANES = 4 };

/* ---- addresses as forms ---------------------------------------------------------------------- */

static bool add_forms(const struct ir_affine *a, const struct ir_affine *b, struct ir_type shape,
                      struct ir_affine *sum)
{
    static const struct ir_affine zero;
    struct ir_affine minus;
    return ir_affine_subtract(&zero, b, shape, NULL, &minus) &&
           ir_affine_subtract(a, &minus, shape, NULL, sum);
}

/* A pointer as a parameter and a number of elements. */
static bool place_of(const struct ir_value *v, const struct ir_value **root, struct ir_affine *form)
{
    const struct ir_op *op = v->op;
    struct ir_affine base, index;
    if (!op) {
        *root = v;
        *form = (struct ir_affine){0};
        return v->type.rank == 0 && !v->region->parent;
    }
    if (op->code == IR_OP_BROADCAST && op->operands[0]->type.rank == 0)
        return place_of(op->operands[0], root, form);
    return op->code == IR_OP_ADDPTR && place_of(op->operands[0], root, &base) &&
           ir_affine_of(op->operands[1], NULL, &index) && add_forms(&base, &index, v->type, form);
}

bool cpu_distance_between(const struct ir_value *a, const struct ir_value *b, int64_t *distance)
{
    const struct ir_value *root_a, *root_b;
    struct ir_affine x, y, d;
    *distance = 0;
    if (a == b)
        return true;
    if (!ir_shape_equal(a->type, b->type) || a->type.elem != b->type.elem ||
        !place_of(a, &root_a, &x) || !place_of(b, &root_b, &y) || root_a != root_b ||
        !ir_affine_subtract(&y, &x, a->type, NULL, &d) || d.term_count > 0)
        return false;
    for (int k = 0; k < a->type.rank; k++) {
        if (d.axis[k] != 0)
            return false;
    }
    *distance = d.constant;
    return true;
}

bool cpu_never_meet(const struct ir_op *a, const struct ir_op *b)
{
    const struct ir_value *root;
    struct ir_affine form;
    int64_t distance, common = 0;
    if ((a->code != IR_OP_LOAD && a->code != IR_OP_STORE) ||
        (b->code != IR_OP_LOAD && b->code != IR_OP_STORE) ||
        !cpu_distance_between(a->operands[0], b->operands[0], &distance) ||
        !place_of(a->operands[0], &root, &form))
        return false;
    for (int k = 0; k < a->operands[0]->type.rank; k++)
        common = bits_common_divisor(common, form.axis[k]);
    return common == 0 ? distance != 0 : distance % common != 0;
}

/* ---- loads ----------------------------------------------------------------------------------- */

static LLVMValueRef load_vector(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                                int64_t place, int lanes, int64_t bytes)
{
    LLVMValueRef offset = cpu_i64(e, place);
    if (place != 0)
        pointer = LLVMBuildGEP2(e->builder, unit, pointer, &offset, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, cpu_vector(unit, lanes), pointer, "");
    cpu_set_align(load, bytes);
    return load;
}

/* choose[i] is an element of a and b together, or -1. */
static LLVMValueRef shuffle(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b, const int *choose,
                            int count)
{
    LLVMValueRef *places = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)count);
    for (int i = 0; i < count; i++)
        places[i] = choose[i] < 0 ? LLVMGetPoison(e->i32)
                                  : LLVMConstInt(e->i32, (unsigned long long)choose[i], false);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(places, (unsigned)count), "");
}

/* `lanes` elements, those at `place` of groups, from vectors as long, the last of which ends with
 * the last of `reach` elements. */
static LLVMValueRef load_piece(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                               int lanes, int64_t step, int64_t place, int64_t reach, int64_t bytes)
{
    int *choose = ARENA_ARRAY(e->arena, int, (size_t)lanes);
    LLVMValueRef result = load_vector(e, unit, pointer, 0, lanes, bytes);
    for (int64_t part = 1; part < step; part++) {
        int64_t start = part * lanes < reach - lanes ? part * lanes : reach - lanes;
        LLVMValueRef next = load_vector(e, unit, pointer, start, lanes, bytes);
        for (int i = 0; i < lanes; i++) {
            int64_t at = i * step + place;
            if (at < part * lanes)
                choose[i] = part == 1 ? (int)at : i;
            else
                choose[i] = at - start < lanes ? (int)(lanes + at - start) : -1;
        }
        result = shuffle(e, result, next, choose, lanes);
    }
    return result;
}

static LLVMValueRef join(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b, int lanes)
{
    int *choose = ARENA_ARRAY(e->arena, int, (size_t)lanes * 2);
    for (int i = 0; i < 2 * lanes; i++)
        choose[i] = i;
    return shuffle(e, a, b, choose, 2 * lanes);
}

static LLVMValueRef joined(struct cpu_emit *e, LLVMValueRef *pieces, int count, int lanes)
{
    for (; count > 1; count /= 2, lanes *= 2) {
        for (int i = 0; i < count / 2; i++)
            pieces[i] = join(e, pieces[2 * i], pieces[2 * i + 1], lanes);
    }
    return pieces[0];
}

/* Whether one instruction takes any elements of two registers (vpermt2b, vpermt2w), which are then
 * whole ones: what lies in n registers is put together by n - 1. LLVM has forms of its own for
 * channels of bytes, which take four times as many (planes of three colours in bench/everyday went
 * from 2.1 to 1.0 us on Zen 4, and to 0.9 with the vectors loaded once). */
static bool takes_any(const struct cpu_emit *e, int64_t bytes)
{
    const struct cpu_features *features = &e->level->features;
    return features->avx512 && (bytes == 2 || (bytes == 1 && features->avx512_vbmi)) &&
           e->body.lanes * bytes >= 32;
}

/* The elements of a vector in pieces, as shuffles within 16 bytes cost least for short elements,
 * and for all where registers are split. */
static LLVMValueRef load_pieces(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                                int64_t step, int64_t bytes)
{
    int64_t native = e->level->vector_bits / 8;
    bool within = (bytes < 4 && !takes_any(e, bytes)) || e->level->features.split_avx2;
    int lanes = e->body.lanes, piece = (int)((within ? 16 : native) / bytes);
    piece = piece < lanes ? piece : lanes;
    int count = lanes / piece;
    LLVMValueRef *pieces = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)count);
    for (int i = 0; i < count; i++) {
        LLVMValueRef first = cpu_i64(e, i * piece * step);
        LLVMValueRef from = LLVMBuildGEP2(e->builder, unit, pointer, &first, 1, "");
        pieces[i] = load_piece(e, unit, from, piece, step, 0, (piece - 1) * step + 1, bytes);
    }
    return joined(e, pieces, count, piece);
}

/* Where registers are computed in two halves, whatever crosses from one to the other takes several
 * instructions inside: on Zen 1 three or eight. So pairs are put apart and together 16 bytes at a
 * time there, if the vector has more. */
enum { QUARTER = 16 };

static bool in_quarters(const struct cpu_emit *e, int64_t bytes)
{
    return e->level->features.split_avx2 && e->body.lanes * bytes > QUARTER;
}

/* One element of each pair. */
static LLVMValueRef load_quarters(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                                  int64_t place, int64_t bytes)
{
    int part = (int)(QUARTER / bytes), count = e->body.lanes / part;
    LLVMValueRef *pieces = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)count);
    int *choose = ARENA_ARRAY(e->arena, int, (size_t)part);
    for (int i = 0; i < part; i++)
        choose[i] = (int)(2 * i + place);
    for (int i = 0; i < count; i++) {
        LLVMValueRef low = load_vector(e, unit, pointer, 2 * i * part, part, bytes);
        LLVMValueRef high = load_vector(e, unit, pointer, (2 * i + 1) * part, part, bytes);
        pieces[i] = shuffle(e, low, high, choose, part);
    }
    return joined(e, pieces, count, part);
}

/* Whether the mask of another load holds where that of this one does, which is known to. */
static bool holds_too(struct cpu_emit *e, const struct ir_op *op, const struct ir_op *other,
                      const struct cpu_position *p)
{
    if (other->operand_count < 2 ||
        (op->operand_count > 1 && op->operands[1] == other->operands[1]))
        return true;
    const struct cpu_bounded *b = cpu_bounded_of(e, other->operands[1], NULL, p);
    return b && b->holds;
}

/* Which element of its group the load takes, if the nest loads the first and the last of each
 * group; else -1. lowest: a load of the first. */
static int64_t place_in_group(struct cpu_emit *e, const struct ir_op *op,
                              const struct cpu_position *p, int64_t step,
                              const struct ir_op **lowest)
{
    int64_t least = 0, most = 0, distance;
    *lowest = op;
    if (!e->group || op->code != IR_OP_LOAD || (e->behind && e->together > 1) ||
        !ir_shape_equal(e->group->shape, op->results[0]->type))
        return -1;
    for (size_t i = 0; i < e->group->accesses.count; i++) {
        const struct cpu_access *access = &e->group->accesses.items[i];
        if (access->op->code != IR_OP_LOAD || !access->whole || access->op->parent != op->parent ||
            !holds_too(e, op, access->op, p) ||
            !cpu_distance_between(op->operands[0], access->op->operands[0], &distance) ||
            distance <= -step || distance >= step)
            continue;
        *lowest = distance < least ? access->op : *lowest;
        least = distance < least ? distance : least;
        most = distance > most ? distance : most;
    }
    return most - least == step - 1 ? -least : -1;
}

bool cpu_may_load_strided(const struct cpu_emit *e, struct ir_type type, int64_t step)
{
    int lanes = e->body.lanes;
    return step >= 2 && step <= MOST_STEP && lanes >= LEAST_LANES && bits_is_power(lanes) &&
           cpu_memory_bytes(type) <= 8;
}

LLVMValueRef cpu_load_strided(struct cpu_emit *e, const struct ir_op *op, struct ir_type type,
                              const struct cpu_position *p, LLVMValueRef pointer, int64_t step)
{
    LLVMTypeRef unit = cpu_memory_type(e, type);
    const struct ir_op *lowest;
    int64_t bytes = cpu_memory_bytes(type);
    int64_t place = op ? place_in_group(e, op, p, step, &lowest) : -1;
    int lanes = e->body.lanes;
    if (place < 0)
        return load_pieces(e, unit, pointer, step, bytes);
    /* The address of the group's first load, so that all of the group load the same vectors. */
    if (place > 0 && !cpu_first_address(e, lowest, p, &pointer)) {
        LLVMValueRef back = cpu_i64(e, -place);
        pointer = LLVMBuildGEP2(e->builder, unit, pointer, &back, 1, "");
    }
    if (takes_any(e, bytes))
        return load_piece(e, unit, pointer, lanes, step, place, lanes * step, bytes);
    if (step != 3 && bytes * step <= 4) {
        LLVMTypeRef part = LLVMIntTypeInContext(e->context, (unsigned)(8 * bytes));
        LLVMTypeRef whole = LLVMIntTypeInContext(e->context, (unsigned)(8 * bytes * step));
        LLVMValueRef groups = load_vector(e, whole, pointer, 0, lanes, bytes);
        LLVMValueRef shift = LLVMConstInt(whole, (unsigned long long)(8 * bytes * place), false);
        groups = LLVMBuildLShr(e->builder, groups, cpu_splat(e, shift, lanes), "");
        groups = LLVMBuildTrunc(e->builder, groups, cpu_vector(part, lanes), "");
        return LLVMBuildBitCast(e->builder, groups, cpu_vector(unit, lanes), "");
    }
    if (step == 2 && in_quarters(e, bytes))
        return load_quarters(e, unit, pointer, place, bytes);
    if (cpu_turns_quads(e, step, bytes))
        return cpu_load_quads(e, unit, pointer, place);
    int *choose = ARENA_ARRAY(e->arena, int, (size_t)lanes);
    for (int i = 0; i < lanes; i++)
        choose[i] = (int)(i * step + place);
    LLVMValueRef all = load_vector(e, unit, pointer, 0, (int)(lanes * step), bytes);
    return shuffle(e, all, LLVMGetPoison(LLVMTypeOf(all)), choose, lanes);
}

/* ---- stores ---------------------------------------------------------------------------------- */

static LLVMValueRef interleave(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b, int lanes)
{
    int *choose = ARENA_ARRAY(e->arena, int, (size_t)lanes * 2);
    for (int i = 0; i < 2 * lanes; i++)
        choose[i] = i / 2 + i % 2 * lanes;
    return shuffle(e, a, b, choose, 2 * lanes);
}

/* Pairs, 16 bytes at a time. */
static void store_quarters(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                           LLVMValueRef *v, int64_t bytes)
{
    int lanes = e->body.lanes, part = (int)(QUARTER / bytes);
    int *choose = ARENA_ARRAY(e->arena, int, (size_t)part);
    for (int first = 0; first < 2 * lanes; first += part) {
        LLVMValueRef offset = cpu_i64(e, first);
        for (int i = 0; i < part; i++)
            choose[i] = (first + i) / 2 + i % 2 * lanes;
        LLVMValueRef pairs = shuffle(e, v[0], v[1], choose, part);
        LLVMValueRef to = LLVMBuildGEP2(e->builder, unit, pointer, &offset, 1, "");
        cpu_set_align(LLVMBuildStore(e->builder, pairs, to), bytes);
    }
}

/* Element i of three vectors, then element i + 1: a register of the result at a time. */
static void store_threes(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                         LLVMValueRef *v, int64_t bytes)
{
    int lanes = e->body.lanes;
    int *choose = ARENA_ARRAY(e->arena, int, (size_t)lanes);
    for (int first = 0; first < 3 * lanes; first += lanes) {
        LLVMValueRef offset = cpu_i64(e, first);
        for (int i = 0; i < lanes; i++)
            choose[i] = (first + i) % 3 == 2 ? -1 : (first + i) / 3 + (first + i) % 3 * lanes;
        LLVMValueRef part = shuffle(e, v[0], v[1], choose, lanes);
        for (int i = 0; i < lanes; i++)
            choose[i] = (first + i) % 3 == 2 ? (first + i) / 3 + lanes : i;
        part = shuffle(e, part, v[2], choose, lanes);
        LLVMValueRef to = LLVMBuildGEP2(e->builder, unit, pointer, &offset, 1, "");
        cpu_set_align(LLVMBuildStore(e->builder, part, to), bytes);
    }
}

/* Element i of every vector, then element i + 1. For bytes in the form that LLVM knows for groups
 * of 3 and 4; its other elements do better in two steps. */
static LLVMValueRef merge(struct cpu_emit *e, LLVMValueRef *v, int count, int lanes, int64_t bytes)
{
    if (count == 2)
        return interleave(e, v[0], v[1], lanes);
    if (count == 4 && (bytes > 1 || takes_any(e, bytes))) {
        LLVMValueRef odd = interleave(e, v[1], v[3], lanes);
        return interleave(e, interleave(e, v[0], v[2], lanes), odd, 2 * lanes);
    }
    int *choose = ARENA_ARRAY(e->arena, int, (size_t)lanes * 4);
    LLVMValueRef low = join(e, v[0], v[1], lanes);
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(v[2]));
    LLVMValueRef high = join(e, v[2], count == 4 ? v[3] : none, lanes);
    for (int i = 0; i < count * lanes; i++)
        choose[i] = i % count * lanes + i / count;
    return shuffle(e, low, high, choose, count * lanes);
}

static bool is_plain_store(struct cpu_emit *e, const struct cpu_sink *sink,
                           const struct cpu_position *p)
{
    const struct cpu_bounded *b;
    if (sink->kind != CPU_SINK_STORE || sink->op->code != IR_OP_STORE)
        return false;
    return sink->op->operand_count < 3 || e->body.inside ||
           ((b = cpu_bounded_of(e, sink->op->operands[2], NULL, p)) != NULL && b->holds);
}

/* A load that stands behind the store in the text and may read what that writes has to come behind
 * it. */
static bool must_follow(struct cpu_emit *e, const struct ir_op *op, const struct ir_op *store)
{
    return ir_is_load(op) && op->mark >= store->mark && !cpu_never_meet(op, store) &&
           !cpu_are_apart(e, ir_pointer_root(op->operands[0]), ir_pointer_root(store->operands[0]));
}

static bool may_be_late(struct cpu_emit *e, const struct cpu_group *group,
                        const struct ir_op *store)
{
    for (size_t i = 0; i < group->accesses.count; i++) {
        if (must_follow(e, group->accesses.items[i].op, store))
            return false;
    }
    return true;
}

static bool may_be_early(struct cpu_emit *e, const struct cpu_group *group,
                         const struct ir_op *load)
{
    for (size_t i = 0; i < group->sinks.count; i++) {
        const struct cpu_sink *sink = &group->sinks.items[i];
        if (sink->kind == CPU_SINK_ATOMIC ||
            (sink->kind == CPU_SINK_STORE && must_follow(e, load, sink->op)))
            return false;
    }
    return true;
}

/* Whether the body loads vectors of whole groups for it. */
static bool is_channel(struct cpu_emit *e, const struct cpu_access *access,
                       const struct cpu_position *p)
{
    const struct ir_op *op = access->op, *lowest;
    const struct cpu_bounded *b;
    int64_t step;
    if (op->code != IR_OP_LOAD || !access->whole ||
        (op->operand_count > 1 &&
         ((b = cpu_bounded_of(e, op->operands[1], NULL, p)) == NULL || !b->holds)))
        return false;
    return ir_shape_equal(e->group->shape, op->results[0]->type) &&
           cpu_step_along(e, op->operands[0], p, &step) &&
           cpu_may_load_strided(e, cpu_element_type(op->results[0]->type), step) &&
           place_in_group(e, op, p, step, &lowest) >= 0;
}

void cpu_load_channels(struct cpu_emit *e, const struct cpu_group *group,
                       const struct cpu_position *p)
{
    if (e->together > 1 || e->body.active || p->lane < 0 || group->sinks.count < 2)
        return;
    for (size_t i = 0; i < group->accesses.count; i++) {
        const struct cpu_access *access = &group->accesses.items[i];
        if (is_channel(e, access, p) && may_be_early(e, group, access->op))
            cpu_element_of(e, access->op->results[0], p);
    }
}

int cpu_store_groups(struct cpu_emit *e, const struct cpu_group *group, size_t first,
                     const struct cpu_position *p)
{
    const struct cpu_sink *sinks = group->sinks.items + first;
    size_t left = group->sinks.count - first;
    const struct ir_op *op = sinks[0].op;
    int64_t step, distance[MOST_STEP] = {0}, least = 0;
    if (e->together > 1 || e->body.active || p->lane < 0 || !is_plain_store(e, &sinks[0], p))
        return 0;
    struct ir_type type = ir_scalar((enum ir_elem)op->operands[0]->type.elem);
    LLVMValueRef pointer, value[MOST_STEP] = {NULL};
    if (!cpu_step_along(e, op->operands[0], p, &step) || !cpu_may_load_strided(e, type, step) ||
        left < (size_t)step || !may_be_late(e, group, op))
        return 0;
    for (int i = 0; i < step; i++) {
        if (!is_plain_store(e, &sinks[i], p) ||
            !cpu_distance_between(op->operands[0], sinks[i].op->operands[0], &distance[i]))
            return 0;
        least = distance[i] < least ? distance[i] : least;
    }
    int at[MOST_STEP], lowest = 0;
    unsigned seen = 0;
    for (int i = 0; i < step; i++) {
        int64_t place = distance[i] - least;
        if (place >= step)
            return 0;
        at[i] = (int)place;
        lowest = place == 0 ? i : lowest;
        seen |= 1u << place;
    }
    if (seen != (1u << step) - 1)
        return 0;
    for (int i = 0; i < step; i++) {
        struct cpu_element v = cpu_element_of(e, sinks[i].op->operands[1], p);
        value[at[i]] = cpu_to_memory(e, type, cpu_spread(e, v));
    }
    if (!cpu_first_address(e, sinks[lowest].op, p, &pointer))
        return 0;
    int64_t bytes = cpu_memory_bytes(type);
    if (step == 2 && in_quarters(e, bytes)) {
        store_quarters(e, cpu_memory_type(e, type), pointer, value, bytes);
        return (int)step;
    }
    if (cpu_turns_quads(e, step, bytes)) {
        cpu_store_quads(e, cpu_memory_type(e, type), pointer, value);
        return (int)step;
    }
    if (step == 3 && takes_any(e, bytes)) {
        store_threes(e, cpu_memory_type(e, type), pointer, value, bytes);
        return (int)step;
    }
    LLVMValueRef all = merge(e, value, (int)step, e->body.lanes, bytes);
    cpu_set_align(LLVMBuildStore(e->builder, all, pointer), bytes);
    return (int)step;
}
