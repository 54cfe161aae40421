/*
 * Buffers: where they lie, what may be touched, and what happened to each element so far.
 *
 * Buffers that overlap in memory share one shadow, so that a race through two names of one element
 * is found as well. A cell of the shadow remembers the last program that wrote it (plainly, or by
 * an atomic) and the last that read it; "several" stands for more than one program, which is all
 * that is needed to know whether another program is among them.
 */
#include "interp/machine.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ATOMIC_WRITE UINT32_C(0x80000000)
#define SEVERAL UINT32_C(0x7fffffff)

/* ---- pointers ------------------------------------------------------------------------------- */

static const int64_t farthest = INT64_C(1) << (POINTER_OFFSET_BITS - 1);

/* pointer + elements; beyond what 48 bits hold it stays at their end, which no buffer reaches. */
static uint64_t pointer_add(uint64_t pointer, int64_t elements)
{
    int64_t offset;
    if (__builtin_add_overflow(pointer_offset(pointer), elements, &offset))
        offset = elements < 0 ? -farthest : farthest - 1;
    if (offset < -farthest)
        offset = -farthest;
    if (offset >= farthest)
        offset = farthest - 1;
    return pointer_make(pointer_parameter(pointer), offset);
}

void memory_addptr(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *pointer = step->operands[0], *offset = step->operands[1];
    for (int64_t i = 0; i < result->count; i++)
        result->bits[i] = pointer_add(pointer->bits[i], (int64_t)offset->bits[i]);
    result->inexact = false;
    if (m->bounds && (pointer->inexact || offset->inexact))
        slot_set_unknown(result);
}

/* ---- the shadow ----------------------------------------------------------------------------- */

/* doing: what this program does there; done: what others did, without its s ("write") */
static void report_race(struct machine *m, const struct buffer *b, int64_t offset,
                        const char *doing, uint32_t other, const char *done,
                        const struct slot *tile, int64_t element)
{
    struct report *report = report_begin(m, FAULT_RACE);
    if (!report)
        return;
    other &= ~ATOMIC_WRITE;
    const char *who = other == SEVERAL ? "several programs" : report_program(m, other);
    report_words(m, report, tile, element, "race: %s '%s'[%" PRId64 "], which %s %s%s,", doing,
                 b->parameter->name, offset, who, done, other == SEVERAL ? "" : "s");
}

static void report_unwritten(struct machine *m, const struct buffer *b, int64_t offset,
                             const struct slot *tile, int64_t element)
{
    struct report *report = report_begin(m, FAULT_UNWRITTEN);
    if (report)
        report_words(m, report, tile, element, "read of '%s'[%" PRId64 "], which nobody wrote,",
                     b->parameter->name, offset);
}

static inline bool by_other(uint32_t who, uint32_t me)
{
    return who != 0 && who != me;
}

/* What a program does with an element. An atomic does both at once. */
enum use { READS = 1, WRITES = 2, UPDATES = READS | WRITES };

/* Notes it in the element's cells, after looking at what others did there. */
static inline void shadow_use(struct machine *m, const struct buffer *b, int64_t offset,
                              enum use use, const struct slot *tile, int64_t element)
{
    static const char *const doing[] = {
        [READS] = "reads", [WRITES] = "writes", [UPDATES] = "updates"};
    const struct shadow *s = b->shadow;
    int64_t first = b->first_cell + offset * b->cells;
    uint32_t me = m->program_number;
    for (int64_t c = first; c < first + b->cells; c++) {
        if ((use & READS) && s->missing && s->missing[c])
            report_unwritten(m, b, offset, tile, element);
        if ((use & WRITES) && s->missing)
            s->missing[c] = 0;
        if (!s->last_write)
            continue;
        uint32_t writer = s->last_write[c], reader = s->last_read[c];
        bool plain = !(writer & ATOMIC_WRITE), other = by_other(writer & ~ATOMIC_WRITE, me);
        if (other && (plain || use != UPDATES)) /* two atomics are no race */
            report_race(m, b, offset, doing[use], writer, "write", tile, element);
        else if ((use & WRITES) && by_other(reader, me))
            report_race(m, b, offset, doing[use], reader, "read", tile, element);
        if (use == READS)
            s->last_read[c] = by_other(reader, me) ? SEVERAL : me;
        else if (use == WRITES)
            s->last_write[c] = me;
        else if (!(plain && writer == me)) /* a plain write of its own stays: it says more */
            s->last_write[c] = ATOMIC_WRITE | (other ? SEVERAL : me);
    }
}

/* ---- one element ---------------------------------------------------------------------------- */

/* The buffer that the pointer may access there, or NULL after a report. */
static inline const struct buffer *buffer_at(struct machine *m, uint64_t pointer, const char *what,
                                             const struct slot *tile, int64_t element)
{
    const struct buffer *b = &m->buffers[pointer_parameter(pointer)];
    int64_t offset = pointer_offset(pointer);
    if ((uint64_t)offset < (uint64_t)b->elements || b->elements < 0)
        return b;
    struct report *report = report_begin(m, FAULT_OUTSIDE);
    if (report)
        report_words(m, report, tile, element,
                     "%s outside '%s': offset %" PRId64 "%s, but it has %" PRId64 " element%s,",
                     what, b->parameter->name, offset,
                     offset == -farthest || offset == farthest - 1 ? " or beyond" : "", b->elements,
                     b->elements == 1 ? "" : "s");
    return NULL;
}

static inline uint64_t read_element(const struct buffer *b, int64_t offset)
{
    const unsigned char *place = b->data + offset * b->bytes;
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    uint64_t wide;
    switch (b->bytes) {
    case 1:
        memcpy(&byte, place, 1);
        return b->elem == IR_BOOL ? byte != 0 : byte;
    case 2:
        memcpy(&half, place, 2);
        return half;
    case 4:
        memcpy(&word, place, 4);
        return word;
    default:
        memcpy(&wide, place, 8);
        return wide;
    }
}

static inline void write_element(const struct buffer *b, int64_t offset, uint64_t bits)
{
    unsigned char *place = b->data + offset * b->bytes;
    uint8_t byte = (uint8_t)bits;
    uint16_t half = (uint16_t)bits;
    uint32_t word = (uint32_t)bits;
    switch (b->bytes) {
    case 1:
        memcpy(place, &byte, 1);
        break;
    case 2:
        memcpy(place, &half, 2);
        break;
    case 4:
        memcpy(place, &word, 4);
        break;
    default:
        memcpy(place, &bits, 8);
    }
}

static uint64_t load_element(struct machine *m, uint64_t pointer, struct slot *result, int64_t i)
{
    const struct buffer *b = buffer_at(m, pointer, "load", result, i);
    if (!b)
        return 0;
    int64_t offset = pointer_offset(pointer);
    if (b->shadow)
        shadow_use(m, b, offset, READS, result, i);
    if (b->allowed && b->allowed[offset] != 0)
        slot_set_error(result, i, b->allowed[offset]);
    return read_element(b, offset);
}

static void store_element(struct machine *m, uint64_t pointer, const struct slot *value, int64_t i)
{
    const struct buffer *b = buffer_at(m, pointer, "store", value, i);
    if (!b)
        return;
    int64_t offset = pointer_offset(pointer);
    if (b->shadow)
        shadow_use(m, b, offset, WRITES, value, i);
    if (b->allowed)
        b->allowed[offset] = slot_error(value, i);
    write_element(b, offset, value->bits[i]);
}

/* ---- load, store ---------------------------------------------------------------------------- */

static const struct slot *mask_of(const struct step *step)
{
    int place = ir_mask_place(step->op);
    return place < 0 ? NULL : step->operands[place];
}

void memory_load(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *pointer = step->operands[0];
    const struct slot *mask = mask_of(step);
    const struct slot *other = mask ? step->operands[2] : NULL;
    result->inexact = false;
    for (int64_t i = 0; i < result->count; i++) {
        if (!mask || mask->bits[i]) {
            result->bits[i] = load_element(m, pointer->bits[i], result, i);
            continue;
        }
        result->bits[i] = other->bits[i];
        if (slot_error(other, i) != 0)
            slot_set_error(result, i, slot_error(other, i));
    }
    if (pointer->inexact || (mask && mask->inexact))
        slot_set_unknown(result);
}

void memory_store(struct machine *m, const struct step *step)
{
    const struct slot *pointer = step->operands[0], *value = step->operands[1];
    const struct slot *mask = mask_of(step);
    for (int64_t i = 0; i < value->count; i++)
        if (!mask || mask->bits[i])
            store_element(m, pointer->bits[i], value, i);
    if (pointer->inexact || (mask && mask->inexact))
        m->lost = true;
}

/* ---- atomics -------------------------------------------------------------------------------- */

/* What stands in memory after the atomic. */
static uint64_t atomic_result(struct machine *m, const struct step *step, uint64_t old, int64_t i)
{
    static const enum ir_opcode combinations[IR_OP_COUNT] = {
        [IR_OP_ATOMIC_ADD] = IR_OP_ADD,     [IR_OP_ATOMIC_MAX] = IR_OP_MAXIMUM,
        [IR_OP_ATOMIC_MIN] = IR_OP_MINIMUM, [IR_OP_ATOMIC_AND] = IR_OP_AND,
        [IR_OP_ATOMIC_OR] = IR_OP_OR,       [IR_OP_ATOMIC_XOR] = IR_OP_XOR,
    };
    enum ir_opcode code = step->op->code;
    enum ir_elem elem = step->results[0]->elem;
    if (code == IR_OP_ATOMIC_XCHG)
        return step->operands[1]->bits[i];
    if (code == IR_OP_ATOMIC_CAS)
        return old == step->operands[1]->bits[i] ? step->operands[2]->bits[i] : old;
    const uint64_t operands[] = {old, step->operands[1]->bits[i], 0};
    unsigned faults = 0;
    uint64_t bits = ir_eval(combinations[code], elem, elem, operands, &faults);
    struct report *report = faults ? report_begin(m, FAULT_OVERFLOW) : NULL;
    if (report)
        report_words(m, report, step->results[0], i, "signed overflow in %s of %s",
                     ir_ops[code].name, ir_elems[elem].name);
    return bits;
}

/* Which program comes first is open: so is what it finds, and what exchanges and rounded sums
 * leave. Exact sums, maxima, minima and operations on bits are the same in any order. */
static double atomic_error(const struct machine *m, const struct step *step, int64_t i)
{
    enum ir_opcode code = step->op->code;
    bool ordered = code == IR_OP_ATOMIC_XCHG || code == IR_OP_ATOMIC_CAS;
    if (code == IR_OP_ATOMIC_ADD && ir_is_float(step->results[0]->elem))
        return (double)INFINITY;
    for (int k = 1; k < step->op->operand_count; k++)
        if (slot_error(step->operands[k], i) != 0)
            return (double)INFINITY;
    return ordered && m->many_programs ? (double)INFINITY : 0;
}

static void atomic_element(struct machine *m, const struct step *step, int64_t i)
{
    struct slot *result = step->results[0];
    uint64_t pointer = step->operands[0]->bits[i];
    const struct buffer *b = buffer_at(m, pointer, ir_ops[step->op->code].name, result, i);
    if (!b)
        return;
    int64_t offset = pointer_offset(pointer);
    if (b->shadow)
        shadow_use(m, b, offset, UPDATES, result, i);
    uint64_t old = read_element(b, offset);
    result->bits[i] = old;
    if (m->bounds) {
        double error = atomic_error(m, step, i);
        if (m->many_programs || (b->allowed && b->allowed[offset] != 0))
            slot_set_error(result, i, (double)INFINITY);
        if (b->allowed && error != 0)
            b->allowed[offset] = error;
    }
    write_element(b, offset, atomic_result(m, step, old, i));
}

void memory_atomic(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *pointer = step->operands[0];
    const struct slot *mask = mask_of(step);
    result->inexact = false;
    for (int64_t i = 0; i < result->count; i++) {
        result->bits[i] = 0;
        if (!mask || mask->bits[i])
            atomic_element(m, step, i);
    }
    if (pointer->inexact || (mask && mask->inexact)) {
        slot_set_unknown(result);
        m->lost = true;
    }
}

/* ---- views ---------------------------------------------------------------------------------- */

struct view {
    int rank, tile_rank;
    const int32_t *dims; /* the tile's */
    int64_t extents[IR_MAX_RANK], strides[IR_MAX_RANK], first[IR_MAX_RANK];
    uint64_t base;
    bool inexact;
};

static struct view view_of(const struct step *step, const struct ir_type *tile)
{
    struct view view = {.rank = step->op->attributes.view_rank,
                        .tile_rank = tile->rank,
                        .dims = tile->dims,
                        .base = step->operands[0]->bits[0]};
    for (int axis = 0; axis < view.rank; axis++) {
        view.extents[axis] = (int64_t)step->operands[1 + axis]->bits[0];
        view.strides[axis] = (int64_t)step->operands[1 + view.rank + axis]->bits[0];
        view.first[axis] = (int64_t)step->operands[1 + 2 * view.rank + axis]->bits[0];
    }
    for (int i = 0; i < 1 + 3 * view.rank; i++)
        view.inexact |= step->operands[i]->inexact;
    return view;
}

/* The element of the tile at index (over the tile's axes): false when it is outside an extent.
 * Offsets that 64 bits do not hold end up at the end of them, outside every buffer. */
static bool view_locate(const struct view *view, const int64_t *index, uint64_t *pointer)
{
    *pointer = view->base;
    for (int axis = 0; axis < view->rank; axis++) {
        int tile_axis = axis - (view->rank - view->tile_rank);
        int64_t place;
        if (__builtin_add_overflow(view->first[axis], tile_axis < 0 ? 0 : index[tile_axis], &place))
            return false;
        if (place < 0 || place >= view->extents[axis])
            return false;
        int64_t distance;
        if (__builtin_mul_overflow(place, view->strides[axis], &distance))
            distance = view->strides[axis] < 0 ? INT64_MIN : INT64_MAX;
        *pointer = pointer_add(*pointer, distance);
    }
    return true;
}

static void next_index(const struct view *view, int64_t *index)
{
    for (int axis = view->tile_rank - 1; axis >= 0; axis--) {
        if (++index[axis] < view->dims[axis])
            return;
        index[axis] = 0;
    }
}

void memory_view_load(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *fill = step->operands[step->op->operand_count - 1];
    struct view view = view_of(step, &result->type);
    int64_t index[IR_MAX_RANK] = {0};
    uint64_t pointer;
    result->inexact = false;
    for (int64_t i = 0; i < result->count; i++, next_index(&view, index)) {
        if (view_locate(&view, index, &pointer)) {
            result->bits[i] = load_element(m, pointer, result, i);
            continue;
        }
        result->bits[i] = fill->bits[0];
        if (slot_error(fill, 0) != 0)
            slot_set_error(result, i, slot_error(fill, 0));
    }
    if (view.inexact)
        slot_set_unknown(result);
}

void memory_view_store(struct machine *m, const struct step *step)
{
    const struct slot *value = step->operands[step->op->operand_count - 1];
    struct view view = view_of(step, &value->type);
    int64_t index[IR_MAX_RANK] = {0};
    uint64_t pointer;
    for (int64_t i = 0; i < value->count; i++, next_index(&view, index))
        if (view_locate(&view, index, &pointer))
            store_element(m, pointer, value, i);
    m->lost |= view.inexact;
}
