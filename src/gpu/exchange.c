/*
 * How threads hand elements to each other: shuffles between the lanes of a group, and exchanges
 * through threadgroup memory.
 *
 * An exchange takes turns in one array per element type. A barrier in front of it waits for the
 * last reader, one behind the writes lets the new readers in. Tiles that are larger than the window
 * go in rounds.
 */
#include "gpu/cluster.h"

#include <string.h>

/* ---- arrays in threadgroup memory ------------------------------------------------------------ */

void gpu_barrier(struct lowering *l, enum ir_scope scope)
{
    struct ir_attributes attributes = {.scope = scope};
    if (scope == IR_SCOPE_DEVICE)
        gpu_leave_block(l, "threads read what others stored");
    ir_build(&l->b, (enum ir_opcode)GPU_OP_BARRIER, 0, NULL, 0, NULL, 0, &attributes);
}

struct ir_value *gpu_shared(struct lowering *l, const char *name, enum ir_elem elem,
                            int64_t elements)
{
    struct ir_builder b = l->b;
    struct ir_attributes attributes = {.text = name, .number = elements};
    struct ir_type type = ir_pointer(elem);
    type.space = IR_SPACE_THREADGROUP;
    b.region = l->b.func->body;
    b.before = l->entry;
    struct ir_value *address =
        ir_build(&b, (enum ir_opcode)GPU_OP_SHARED, 0, NULL, 1, &type, 0, &attributes)->results[0];
    address->name = name;
    return address;
}

struct ir_value *gpu_staging(struct lowering *l, const char *name, enum ir_elem elem,
                             int64_t elements, int64_t padding)
{
    struct scratch *s = l->stagings;
    gpu_leave_block(l, "tiles are staged");
    while (s && (s->elem != elem || strcmp(s->op->attributes.text, name) != 0))
        s = s->next;
    if (!s) {
        s = ARENA_NEW(l->arena, struct scratch);
        s->elem = elem;
        s->op = gpu_shared(l, name, elem, elements)->op;
        s->next = l->stagings;
        l->stagings = s;
    }
    struct ir_attributes *a = &s->op->attributes;
    int64_t all =
        a->number + a->padding > elements + padding ? a->number + a->padding : elements + padding;
    a->number = a->number > elements ? a->number : elements;
    a->padding = all - a->number;
    return s->op->results[0];
}

struct ir_value *gpu_scratch(struct lowering *l, enum ir_elem elem, int64_t elements)
{
    struct scratch *scratch = l->scratches;
    gpu_leave_block(l, "elements move between threads");
    while (scratch && scratch->elem != elem)
        scratch = scratch->next;
    if (!scratch) {
        scratch = ARENA_NEW(l->arena, struct scratch);
        scratch->elem = elem;
        scratch->op =
            gpu_shared(l, arena_format(l->arena, "exchange_%s", ir_elems[elem].name), elem, 1)->op;
        scratch->next = l->scratches;
        l->scratches = scratch;
    }
    if (scratch->op->attributes.number < elements)
        scratch->op->attributes.number = elements;
    return scratch->op->results[0];
}

struct ir_value *gpu_partials(struct lowering *l, const char *kind, enum ir_elem elem,
                              int64_t elements)
{
    if (l->shares || l->loop_depth > 0)
        gpu_barrier(l, IR_SCOPE_THREADGROUP);
    if (l->shares)
        return gpu_scratch(l, elem, elements);
    return gpu_shared(l, arena_format(l->arena, "%s_%d", kind, l->reductions++), elem, elements);
}

/* ---- between lanes --------------------------------------------------------------------------- */

static struct ir_value *raw_shuffle(struct lowering *l, int code, struct ir_value *scalar,
                                    struct ir_value *lane, int number)
{
    struct ir_attributes attributes = {.number = number};
    struct ir_value *operands[] = {scalar, lane};
    return ir_build(&l->b, (enum ir_opcode)code, lane ? 2 : 1, operands, 1, &scalar->type, 0,
                    &attributes)
        ->results[0];
}

/* Lanes exchange at most 32 bits at a time. */
static struct ir_value *wide_shuffle(struct lowering *l, int code, struct ir_value *v,
                                     struct ir_value *lane, int number)
{
    struct ir_value *width = ir_constant(&l->b, v->type, 32);
    struct ir_value *low = ir_cast(&l->b, v, IR_U32);
    struct ir_value *high = ir_cast(&l->b, ir_binary(&l->b, IR_OP_SHR, v, width), IR_U32);
    low = ir_cast(&l->b, raw_shuffle(l, code, low, lane, number), IR_U64);
    high = ir_cast(&l->b, raw_shuffle(l, code, high, lane, number), IR_U64);
    high = ir_binary(&l->b, IR_OP_SHL, high, ir_constant(&l->b, high->type, 32));
    return ir_binary(&l->b, IR_OP_OR, high, low);
}

struct ir_value *gpu_shuffle(struct lowering *l, int code, struct ir_value *v,
                             struct ir_value *lane, int number)
{
    switch ((enum ir_elem)v->type.elem) {
    case IR_BOOL:
        v = gpu_shuffle(l, code, ir_cast(&l->b, v, IR_U32), lane, number);
        return ir_binary(&l->b, IR_OP_NE, v, ir_constant(&l->b, v->type, 0));
    case IR_BF16:
        return ir_bitcast(&l->b, gpu_shuffle(l, code, ir_bitcast(&l->b, v, IR_U16), lane, number),
                          IR_BF16);
    case IR_F64:
        return ir_bitcast(&l->b, gpu_shuffle(l, code, ir_bitcast(&l->b, v, IR_U64), lane, number),
                          IR_F64);
    case IR_I64:
        return ir_cast(&l->b, gpu_shuffle(l, code, ir_cast(&l->b, v, IR_U64), lane, number),
                       IR_I64);
    case IR_U64:
        return wide_shuffle(l, code, v, lane, number);
    default:
        return raw_shuffle(l, code, v, lane, number);
    }
}

struct ir_value *gpu_shuffle_by(struct lowering *l, enum gpu_opcode code, struct ir_value *scalar,
                                int number)
{
    return gpu_shuffle(l, (int)code, scalar, NULL, number);
}

struct ir_value *gpu_of_first_lane(struct lowering *l, struct ir_value *scalar)
{
    return gpu_shuffle(l, GPU_OP_SHUFFLE, scalar, gpu_constant(l, 0), 0);
}

/* ---- through threadgroup memory -------------------------------------------------------------- */

static struct ir_value *at(struct lowering *l, struct ir_value *base, struct ir_value *slot)
{
    return ir_binary(&l->b, IR_OP_ADDPTR, base, slot);
}

/* Slot and mask of one round: slots of the window begin at 0. */
static void in_window(struct lowering *l, int64_t begin, int64_t size, bool all,
                      struct ir_value **slot, struct ir_value **mask)
{
    if (all)
        return;
    if (begin)
        *slot = ir_binary(&l->b, IR_OP_SUB, *slot, gpu_constant(l, begin));
    struct ir_value *low = ir_binary(&l->b, IR_OP_GE, *slot, gpu_constant(l, 0));
    struct ir_value *high = ir_binary(&l->b, IR_OP_LT, *slot, gpu_constant(l, size));
    *mask = gpu_and(l, *mask, gpu_and(l, low, high));
}

/* The address of a slot that is a vector, and the access. */
static struct ir_value *access_vector(struct lowering *l, const struct exchange *x, int code,
                                      struct ir_value *base, struct ir_value *slot,
                                      struct ir_value *put)
{
    struct ir_attributes attributes = {.aligned = true};
    struct ir_type type = gpu_part_type(x->elem, x->width);
    struct ir_value *operands[] = {at(l, base, slot), put};
    struct ir_op *made = ir_build(&l->b, (enum ir_opcode)code, put ? 2 : 1, operands, put ? 0 : 1,
                                  put ? NULL : &type, 0, &attributes);
    return put ? NULL : made->results[0];
}

static void exchange_vectors(struct lowering *l, const struct exchange *x, struct ir_value *base)
{
    for (int i = 0; i < x->put_count; i++)
        access_vector(l, x, GPU_OP_VECTOR_STORE, base, x->put_slots[i], x->put_values[i]);
    gpu_barrier(l, IR_SCOPE_THREADGROUP);
    for (int i = 0; i < x->take_count; i++)
        x->taken[i] = access_vector(l, x, GPU_OP_VECTOR_LOAD, base, x->take_slots[i], NULL);
}

static void put_all(struct lowering *l, const struct exchange *x, struct ir_value *base,
                    int64_t begin, int64_t size)
{
    for (int i = 0; i < x->put_count; i++) {
        struct ir_value *slot = x->put_slots[i], *mask = x->put_masks ? x->put_masks[i] : NULL;
        if (!slot)
            continue;
        in_window(l, begin, size, size >= x->slots, &slot, &mask);
        ir_store(&l->b, at(l, base, slot), x->put_values[i], mask);
    }
}

static void take_all(struct lowering *l, const struct exchange *x, struct ir_value *base,
                     int64_t begin, int64_t size)
{
    for (int i = 0; i < x->take_count; i++) {
        struct ir_value *slot = x->take_slots[i], *mask = x->take_masks ? x->take_masks[i] : NULL;
        in_window(l, begin, size, size >= x->slots, &slot, &mask);
        struct ir_value *other = mask && begin ? x->taken[i]
                                 : mask        ? ir_constant(&l->b, ir_scalar(x->elem), 0)
                                               : NULL;
        x->taken[i] = ir_load(&l->b, at(l, base, slot), mask, other);
    }
}

void gpu_exchange(struct lowering *l, struct exchange *x)
{
    int64_t most = l->window_bytes / (int64_t)ir_elem_bytes(x->elem);
    int64_t size = x->slots < most ? x->slots : most;
    bool used = l->loop_depth > 0;
    for (const struct scratch *s = l->scratches; s; s = s->next)
        used = used || s->elem == x->elem;
    struct ir_value *base = gpu_scratch(l, x->elem, x->width > 1 ? x->slots * x->width : size);
    if (x->width > 1) {
        if (used)
            gpu_barrier(l, IR_SCOPE_THREADGROUP);
        exchange_vectors(l, x, base);
        return;
    }
    for (int64_t begin = 0; begin < x->slots; begin += size) {
        if (used || begin)
            gpu_barrier(l, IR_SCOPE_THREADGROUP);
        put_all(l, x, base, begin, size);
        gpu_barrier(l, IR_SCOPE_THREADGROUP);
        take_all(l, x, base, begin, size);
    }
}
