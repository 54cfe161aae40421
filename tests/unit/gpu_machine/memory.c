/*
 * Memory of the machine: what is accessed is in an area, and no other thread accesses it in
 * between. Asynchronous copies happen at their start (garbage) and at their thread's wait.
 */
#include "internal.h"

struct machine_area *machine_area_of(struct machine *m, uint64_t address, int64_t bytes)
{
    for (int i = 0; i < m->area_count; i++) {
        struct machine_area *a = &m->areas[i];
        if ((char *)(uintptr_t)address >= a->begin &&
            (char *)(uintptr_t)address + bytes <= a->begin + a->bytes)
            return a;
    }
    return NULL;
}

void machine_add_area(struct machine *m, void *begin, int64_t bytes, bool shared)
{
    struct machine_area *a = &m->areas[m->area_count++];
    *a = (struct machine_area){.begin = begin, .bytes = bytes, .shared = shared};
    a->cells = calloc((size_t)bytes + 1, sizeof *a->cells);
    for (int64_t i = 0; i < bytes; i++)
        a->cells[i] = (struct machine_cell){-1, -1, -1, -1, -1, -1, 0};
}

/* The bytes of an access, after checks; NULL: outside. */
static char *machine_access(struct machine *m, const struct ir_op *op, int thread, uint64_t address,
                            int64_t bytes, bool writes)
{
    struct machine_area *a = machine_area_of(m, address, bytes);
    bool atomic = ir_has(op, IR_READS | IR_WRITES) && (int)op->code != GPU_OP_COPY_ASYNC &&
                  (int)op->code != GPU_OP_WARPGROUP_MMA;
    if (!a) {
        machine_fault(m, op, "outside of every buffer");
        return NULL;
    }
    int epoch = a->shared ? m->shared_epoch : m->device_epoch;
    struct machine_cell *cell = &a->cells[(char *)(uintptr_t)address - a->begin];
    for (int64_t i = 0; i < bytes; i++, cell++) {
        if (cell->write_epoch == epoch && cell->writer != thread)
            machine_fault(m, op, a->shared ? "a race in threadgroup memory" : "a race in a buffer");
        if (!atomic && cell->update_epoch == epoch && cell->updater != thread)
            machine_fault(m, op, "races with another thread's atomic operation");
        if ((writes || atomic) && cell->read_epoch == epoch && cell->reader != thread)
            machine_fault(m, op, "a write races with another thread's read");
        if (atomic) {
            cell->updater =
                cell->update_epoch == epoch && cell->updater != thread ? MACHINE_MANY : thread;
            cell->update_epoch = epoch;
        } else if (writes) {
            cell->writer = thread;
            cell->write_epoch = epoch;
            cell->fences = m->fences && thread >= 0 ? m->fences[thread] : 0;
        } else {
            cell->reader =
                cell->read_epoch == epoch && cell->reader != thread ? MACHINE_MANY : thread;
            cell->read_epoch = epoch;
        }
    }
    return (char *)(uintptr_t)address;
}

uint64_t machine_load(struct machine *m, const struct ir_op *op, int thread, uint64_t address,
                      enum ir_elem elem)
{
    uint64_t bits = 0;
    char *at = machine_access(m, op, thread, address, (int64_t)ir_elem_bytes(elem), false);
    if (at)
        memcpy(&bits, at, ir_elem_bytes(elem));
    return elem == IR_BOOL ? bits != 0 : bits;
}

void machine_store(struct machine *m, const struct ir_op *op, int thread, uint64_t address,
                   enum ir_elem elem, uint64_t bits)
{
    char *at = machine_access(m, op, thread, address, (int64_t)ir_elem_bytes(elem), true);
    if (at)
        memcpy(at, &bits, ir_elem_bytes(elem));
}

void machine_memory(struct machine *m, const struct ir_op *op, int t)
{
    struct ir_value *const *o = op->operands;
    uint64_t p = *machine_bits(m, o[0], t);
    enum ir_elem elem = (enum ir_elem)o[0]->type.elem;
    unsigned faults = 0;
    int mask = op->code == IR_OP_LOAD ? 1 : op->code == IR_OP_ATOMIC_CAS ? 3 : 2;
    bool on = mask >= op->operand_count || *machine_bits(m, o[mask], t);
    if (op->code == IR_OP_LOAD) {
        if (on && m->on_read && o[0]->type.space == IR_SPACE_DEVICE)
            m->on_read(m->user, m, op, t, p);
        *machine_bits(m, op->results[0], t) =
            on ? machine_load(m, op, t, p, elem) : *machine_bits(m, o[2], t);
        return;
    }
    if (op->code == IR_OP_STORE) {
        if (on)
            machine_store(m, op, t, p, elem, *machine_bits(m, o[1], t));
        return;
    }
    uint64_t old = on ? machine_load(m, op, t, p, elem) : 0, value = *machine_bits(m, o[1], t);
    uint64_t pair[] = {old, value};
    *machine_bits(m, op->results[0], t) = old;
    if (!on)
        return;
    switch (op->code) {
    case IR_OP_ATOMIC_ADD:
        value = ir_eval(IR_OP_ADD, elem, elem, pair, &faults);
        break;
    case IR_OP_ATOMIC_MAX:
        value = ir_eval(IR_OP_MAXIMUM, elem, elem, pair, &faults);
        break;
    case IR_OP_ATOMIC_MIN:
        value = ir_eval(IR_OP_MINIMUM, elem, elem, pair, &faults);
        break;
    case IR_OP_ATOMIC_AND:
        value = old & value;
        break;
    case IR_OP_ATOMIC_OR:
        value = old | value;
        break;
    case IR_OP_ATOMIC_XOR:
        value = old ^ value;
        break;
    case IR_OP_ATOMIC_CAS:
        value = old == value ? *machine_bits(m, o[2], t) : old;
        break;
    default:
        break;
    }
    machine_store(m, op, t, p, elem, value);
}

void machine_vector(struct machine *m, const struct ir_op *op, int t)
{
    bool load = (int)op->code == GPU_OP_VECTOR_LOAD;
    struct ir_value *vector = load ? op->results[0] : op->operands[1];
    enum ir_elem elem = (enum ir_elem)vector->type.elem;
    uint64_t p = *machine_bits(m, op->operands[0], t);
    bool masked = op->operand_count > (load ? 1 : 2);
    if (masked && !*machine_bits(m, op->operands[load ? 1 : 2], t)) {
        for (int k = 0; load && k < vector->type.dims[0]; k++)
            machine_bits(m, vector, t)[k] = machine_bits(m, op->operands[2], t)[k];
        return;
    }
    if (load && m->on_read && op->operands[0]->type.space == IR_SPACE_DEVICE)
        m->on_read(m->user, m, op, t, p);
    if (op->attributes.aligned && p % ((size_t)vector->type.dims[0] * ir_elem_bytes(elem)) != 0)
        machine_fault(m, op, "not at a multiple of the vector's size");
    for (int k = 0; k < vector->type.dims[0]; k++) {
        uint64_t *bits = machine_bits(m, vector, t) + k;
        uint64_t at = p + (uint64_t)k * ir_elem_bytes(elem);
        if (load)
            *bits = machine_load(m, op, t, at, elem);
        else
            machine_store(m, op, t, at, elem, *bits);
    }
}

/* What is fetched must be what somebody may load: all of it is in the buffer. */
void machine_fetch(struct machine *m, const struct ir_op *op, int t)
{
    uint64_t p = *machine_bits(m, op->operands[0], t);
    if (op->operand_count > 1 && !*machine_bits(m, op->operands[1], t))
        return;
    const struct machine_area *a = machine_area_of(m, p, op->attributes.number);
    if (!a || a->shared)
        machine_fault(m, op, "outside of every buffer");
    if (m->on_read)
        m->on_read(m->user, m, op, t, p);
}

void machine_start_copy(struct machine *m, const struct ir_op *op, int t)
{
    struct machine_pending p = {.op = op,
                                .thread = t,
                                .group = m->groups[t],
                                .to = *machine_bits(m, op->operands[0], t),
                                .from = *machine_bits(m, op->operands[1], t),
                                .valid = *machine_bits(m, op->operands[2], t) & 1};
    if (op->operand_count > 3 && !(*machine_bits(m, op->operands[3], t) & 1))
        return;
    p.bytes =
        op->attributes.number * (int64_t)ir_elem_bytes((enum ir_elem)op->operands[0]->type.elem);
    if (p.to % (uint64_t)p.bytes || (p.valid && p.from % (uint64_t)p.bytes))
        machine_fault(m, op, "not at a multiple of the copy's size");
    char *to = machine_access(m, op, t, p.to, p.bytes, true);
    if (to)
        memset(to, 0x5a, (size_t)p.bytes);
    if (m->pending_count == m->pending_capacity) {
        m->pending_capacity = 2 * m->pending_capacity + 64;
        m->pending = realloc(m->pending, m->pending_capacity * sizeof *m->pending);
    }
    m->pending[m->pending_count++] = p;
}

static void machine_finish_copy(struct machine *m, const struct machine_pending *p)
{
    char *to = machine_access(m, p->op, p->thread, p->to, p->bytes, true);
    char *from = p->valid ? machine_access(m, p->op, p->thread, p->from, p->bytes, false) : NULL;
    if (to && p->valid && from)
        memcpy(to, from, (size_t)p->bytes);
    else if (to)
        memset(to, 0, (size_t)p->bytes);
}

void machine_wait(struct machine *m, int t, int64_t left)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->pending_count; i++) {
        const struct machine_pending p = m->pending[i];
        if (p.thread == t && p.group < m->groups[t] - left)
            machine_finish_copy(m, &p);
        else
            m->pending[kept++] = p;
    }
    m->pending_count = kept;
}
