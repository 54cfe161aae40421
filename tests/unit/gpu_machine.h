#ifndef TILEC_TESTS_GPU_MACHINE_H
#define TILEC_TESTS_GPU_MACHINE_H
/*
 * Runs GPU IR, for tests: all threads of a program in lockstep, one op at a time.
 *
 * It finds what lockstep would hide: barriers and collective ops that not all threads reach, and
 * accesses of different threads to one element, one of them a write, with no barrier between. And
 * it checks that accesses lie in a buffer or threadgroup array. Of a program that a cluster runs
 * each block has its copy of every threadgroup array, one behind the other. An asynchronous copy
 * writes from its start to its thread's wait: garbage first, what it copies only then. A
 * warpgroup's product reads from its start to its threads' wait: what it reads must be the same at
 * both, and be published.
 */
#include "gpu/pipeline.h"
#include "gpu/gpu.h"
#include "ir/eval.h"
#include "plan/instruction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_AREAS = 64, MACHINE_MANY = -2 };

struct machine_cell {            /* of one byte of memory */
    int writer, reader, updater; /* threads; MACHINE_MANY: several; updater: by atomic operations */
    int write_epoch, read_epoch, update_epoch;
    int fences; /* of the writer, before it wrote: copies_publish */
};

struct machine_area {
    char *begin;
    int64_t bytes;
    bool shared;
    struct machine_cell *cells;
};

/* A copy that its thread has not waited for. */
struct machine_pending {
    const struct ir_op *op;
    int thread, group; /* of its thread's groups, which count from 0 */
    uint64_t to, from;
    int64_t bytes;
    bool valid;
};

/* A warpgroup's product that its threads have not waited for. */
struct machine_product {
    const struct ir_op *op;
    int first, group;    /* thread; and of the warpgroup's groups */
    uint64_t a, b, seen; /* where, and what was read */
};

struct machine;

/* Told of loads of buffers and of fetches, as far as their masks hold. */
typedef void machine_reader(void *user, const struct machine *m, const struct ir_op *op, int thread,
                            uint64_t address);

struct machine {
    const struct gpu_kernel *kernel;
    int threads;
    int64_t program[3], grid[3];
    struct machine_area areas[MACHINE_AREAS];
    int area_count;
    int shared_epoch, device_epoch;
    struct machine_pending *pending;
    size_t pending_count, pending_capacity;
    int *groups; /* by thread: committed groups of copies */
    int *fences; /* likewise: copies_publish */
    int *product_groups; /* by its first thread: a warpgroup's committed groups */
    struct machine_product *products;
    size_t product_count, product_capacity;
    long steps;
    machine_reader *on_read; /* or NULL */
    void *user;
    char fault[256]; /* empty: none */
};

struct machine_value {
    int width;
    uint64_t *bits; /* threads * width */
};

static void machine_fault(struct machine *m, const struct ir_op *op, const char *what)
{
    if (!m->fault[0])
        snprintf(m->fault, sizeof m->fault, "%s: %s", ir_ops[op->code].name, what);
}

static struct machine_value *machine_slot(struct machine *m, struct ir_value *value)
{
    if (!value->data) {
        struct machine_value *slot = malloc(sizeof *slot);
        slot->width = (int)ir_element_count(value->type);
        if (value->type.rank == 2) /* a fragment: the lane's own elements */
            slot->width /= GPU_LANES;
        slot->bits = calloc((size_t)(m->threads * slot->width), sizeof *slot->bits);
        value->data = slot;
    }
    return value->data;
}

static uint64_t *machine_bits(struct machine *m, struct ir_value *value, int thread)
{
    struct machine_value *slot = machine_slot(m, value);
    return slot->bits + (size_t)(thread * slot->width);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static struct machine_area *machine_area_of(struct machine *m, uint64_t address, int64_t bytes)
{
    for (int i = 0; i < m->area_count; i++) {
        struct machine_area *a = &m->areas[i];
        if ((char *)(uintptr_t)address >= a->begin &&
            (char *)(uintptr_t)address + bytes <= a->begin + a->bytes)
            return a;
    }
    return NULL;
}

static void machine_add_area(struct machine *m, void *begin, int64_t bytes, bool shared)
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

static uint64_t machine_load(struct machine *m, const struct ir_op *op, int thread,
                             uint64_t address, enum ir_elem elem)
{
    uint64_t bits = 0;
    char *at = machine_access(m, op, thread, address, (int64_t)ir_elem_bytes(elem), false);
    if (at)
        memcpy(&bits, at, ir_elem_bytes(elem));
    return elem == IR_BOOL ? bits != 0 : bits;
}

static void machine_store(struct machine *m, const struct ir_op *op, int thread, uint64_t address,
                          enum ir_elem elem, uint64_t bits)
{
    char *at = machine_access(m, op, thread, address, (int64_t)ir_elem_bytes(elem), true);
    if (at)
        memcpy(at, &bits, ir_elem_bytes(elem));
}

static void machine_memory(struct machine *m, const struct ir_op *op, int t)
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

static void machine_root(struct machine *m, const struct ir_op *op, int t)
{
    const uint64_t *from = machine_bits(m, op->operands[0], t);
    unsigned faults = 0;
    bool is_nan = (*from & 0x7fffffff) > 0x7f800000;
    if (!is_nan && (*from < 0x00800000 || *from > 0x7f800000))
        machine_fault(m, op, "of a number that is not normal and positive");
    *machine_bits(m, op->results[0], t) = ir_eval(IR_OP_RSQRT, IR_F32, IR_F32, from, &faults);
}

static void machine_vector(struct machine *m, const struct ir_op *op, int t)
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
static void machine_fetch(struct machine *m, const struct ir_op *op, int t)
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

/* ---- asynchronous copies --------------------------------------------------------------------- */

static void machine_start_copy(struct machine *m, const struct ir_op *op, int t)
{
    struct machine_pending p = {.op = op,
                                .thread = t,
                                .group = m->groups[t],
                                .to = *machine_bits(m, op->operands[0], t),
                                .from = *machine_bits(m, op->operands[1], t),
                                .valid = *machine_bits(m, op->operands[2], t) & 1};
    if (op->operand_count > 3 && !(*machine_bits(m, op->operands[3], t) & 1))
        return;
    p.bytes = op->attributes.number *
              (int64_t)ir_elem_bytes((enum ir_elem)op->operands[0]->type.elem);
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
    char *from =
        p->valid ? machine_access(m, p->op, p->thread, p->from, p->bytes, false) : NULL;
    if (to && p->valid && from)
        memcpy(to, from, (size_t)p->bytes);
    else if (to)
        memset(to, 0, (size_t)p->bytes);
}

/* In the order of their starts: all of the thread's groups but the youngest `left`. */
static void machine_wait(struct machine *m, int t, int64_t left)
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

/* ---- between lanes --------------------------------------------------------------------------- */

static void machine_shuffle(struct machine *m, const struct ir_op *op)
{
    uint64_t *before = malloc((size_t)m->threads * sizeof *before);
    for (int t = 0; t < m->threads; t++)
        before[t] = *machine_bits(m, op->operands[0], t);
    for (int t = 0; t < m->threads; t++) {
        int lane = t % GPU_LANES, from = lane, n = (int)op->attributes.number;
        if ((int)op->code == GPU_OP_SHUFFLE)
            from = (int)*machine_bits(m, op->operands[1], t);
        else if ((int)op->code == GPU_OP_SHUFFLE_XOR)
            from = lane ^ n;
        else
            from = lane - n < 0 ? lane : lane - n;
        if (from < 0 || from >= GPU_LANES)
            machine_fault(m, op, "there is no such lane");
        *machine_bits(m, op->results[0], t) = before[t - lane + (from & (GPU_LANES - 1))];
    }
    free(before);
}

static void machine_group(struct machine *m, const struct ir_op *op)
{
    static const uint8_t codes[] = {IR_OP_ADD,     IR_OP_MUL, IR_OP_MAXIMUM,
                                    IR_OP_MINIMUM, IR_OP_AND, IR_OP_OR};
    enum ir_opcode code = (enum ir_opcode)codes[(int)op->code - GPU_OP_GROUP_SUM];
    enum ir_elem elem = (enum ir_elem)op->operands[0]->type.elem;
    unsigned faults = 0;
    for (int first = 0; first < m->threads; first += GPU_LANES) {
        uint64_t pair[2] = {*machine_bits(m, op->operands[0], first)};
        for (int t = first + 1; t < first + GPU_LANES; t++) {
            pair[1] = *machine_bits(m, op->operands[0], t);
            pair[0] = ir_eval(code, elem, elem, pair, &faults);
        }
        for (int t = first; t < first + GPU_LANES; t++)
            *machine_bits(m, op->results[0], t) = pair[0];
    }
}

static bool machine_all(const struct machine *m, const bool *active)
{
    for (int t = 0; t < m->threads; t++) {
        if (!active[t])
            return false;
    }
    return true;
}

/* ---- fragments ------------------------------------------------------------------------------- */

static bool machine_is(const struct gpu_fragment *f, struct ir_type type)
{
    return f->elem == (enum ir_elem)type.elem && 1 << f->row_bits == type.dims[0] &&
           1 << f->column_bits == type.dims[1];
}

/* Who holds what of a fragment of the type; the table has one such map. */
static const struct gpu_fragment *machine_map(struct ir_type type)
{
    const struct gpu_instruction *i;
    for (size_t n = 0; (i = gpu_instruction(n)); n++) {
        const struct gpu_fragment *maps[] = {&i->a, &i->b, &i->c};
        for (int k = 0; k < 3; k++) {
            if (machine_is(maps[k], type))
                return maps[k];
        }
    }
    return NULL;
}

/* Row and column of a lane's element. */
static void machine_place(const struct gpu_fragment *f, int lane, int reg, int *row, int *column)
{
    int element = 0;
    for (int i = 0; i < f->register_bits; i++)
        element |= (reg >> i & 1) << f->bits[i];
    for (int i = 0; i < GPU_LANE_BITS; i++)
        element |= (lane >> i & 1) << f->bits[f->register_bits + i];
    *row = element >> f->column_bits;
    *column = element & ((1 << f->column_bits) - 1);
}

static void machine_fragment_access(struct machine *m, const struct ir_op *op, int result, int t)
{
    bool load = (int)op->code != GPU_OP_FRAGMENT_STORE;
    struct ir_value *value = load ? op->results[result] : op->operands[2];
    const struct gpu_fragment *f = machine_map(value->type);
    uint64_t p = *machine_bits(m, op->operands[0], t),
             stride = *machine_bits(m, op->operands[1], t);
    uint64_t behind = (uint64_t)result << f->column_bits; /* columns */
    for (int k = 0; k < 1 << f->register_bits; k++) {
        int row, column;
        machine_place(f, t % GPU_LANES, k, &row, &column);
        uint64_t major = (uint64_t)row, minor = (uint64_t)column + behind;
        if (op->attributes.columns) {
            major = minor;
            minor = (uint64_t)row;
        }
        if (load && op->operand_count == 3) {
            struct gpu_buffer buffer = {.elem = f->elem, .columns = (int)stride};
            struct gpu_swizzling s = gpu_buffer_swizzle(&buffer);
            minor += *machine_bits(m, op->operands[2], t);
            minor ^= (major >> s.shift & (uint64_t)s.mask) * (uint64_t)s.piece;
        }
        uint64_t at = major * stride + minor;
        uint64_t *bits = machine_bits(m, value, t) + k;
        at = p + at * ir_elem_bytes(f->elem);
        if (load)
            *bits = machine_load(m, op, t, at, f->elem);
        else
            machine_store(m, op, t, at, f->elem, *bits);
    }
}

enum { MACHINE_SIDE = 32 };

/* All elements of the fragment that a SIMD group holds, as floats (or integers). */
static void machine_gather(struct machine *m, struct ir_value *value, int first,
                           double elements[MACHINE_SIDE][MACHINE_SIDE])
{
    const struct gpu_fragment *f = machine_map(value->type);
    enum ir_elem elem = f->elem == IR_U32 ? IR_F32 : f->elem; /* tf32: the bits of a float */
    for (int lane = 0; lane < GPU_LANES; lane++) {
        for (int k = 0; k < 1 << f->register_bits; k++) {
            int row, column;
            unsigned faults = 0;
            uint64_t bits = machine_bits(m, value, first + lane)[k], wide;
            bits &= f->elem == IR_U32 ? 0xffffe000u : UINT64_MAX; /* what the hardware looks at */
            machine_place(f, lane, k, &row, &column);
            wide = ir_eval(IR_OP_CAST, elem, IR_F64, &bits, &faults);
            memcpy(&elements[row][column], &wide, sizeof wide);
        }
    }
}

static void machine_mma(struct machine *m, const struct ir_op *op)
{
    static double a[MACHINE_SIDE][MACHINE_SIDE], b[MACHINE_SIDE][MACHINE_SIDE],
        c[MACHINE_SIDE][MACHINE_SIDE];
    const struct gpu_fragment *f = machine_map(op->results[0]->type);
    int inner = op->operands[0]->type.dims[1];
    for (int first = 0; first < m->threads; first += GPU_LANES) {
        machine_gather(m, op->operands[0], first, a);
        machine_gather(m, op->operands[1], first, b);
        machine_gather(m, op->operands[2], first, c);
        for (int i = 0; i < GPU_LANES << f->register_bits; i++) {
            int row, column, lane = i & (GPU_LANES - 1), reg = i / GPU_LANES;
            unsigned faults = 0;
            machine_place(f, lane, reg, &row, &column);
            double sum = c[row][column];
            for (int k = 0; k < inner; k++)
                sum += a[row][k] * b[k][column];
            uint64_t bits;
            memcpy(&bits, &sum, sizeof bits);
            machine_bits(m, op->results[0], first + lane)[reg] =
                ir_eval(IR_OP_CAST, IR_F64, f->elem, &bits, &faults);
        }
    }
}

static void machine_fragment(struct machine *m, const struct ir_op *op)
{
    if ((int)op->code == GPU_OP_FRAGMENT_MMA) {
        machine_mma(m, op);
        return;
    }
    for (int t = 0; t < m->threads; t++) {
        if (ir_has(op, IR_READS) || ir_has(op, IR_WRITES)) {
            for (int i = 0; i < (op->result_count ? op->result_count : 1); i++)
                machine_fragment_access(m, op, i, t);
            continue;
        }
        bool fill = (int)op->code == GPU_OP_FRAGMENT_FILL;
        const uint64_t *from = machine_bits(m, op->operands[0], t);
        for (int k = 0; k < machine_slot(m, op->results[0])->width; k++)
            machine_bits(m, op->results[0], t)[k] = from[fill ? 0 : k];
    }
}

/* ---- products that go on --------------------------------------------------------------------- */

enum { MACHINE_TEAM = 4 * GPU_LANES };

/* Where an element of a matrix stands: major counts rows, or columns where these lie in memory. The
 * hardware flips bits of the address itself. */
static uint64_t machine_place_in_matrix(const struct ir_matrix *matrix, uint64_t p, int major,
                                        int minor)
{
    uint64_t at =
        p + 2 * ((uint64_t)(minor / matrix->row) * (uint64_t)matrix->panel +
                 (uint64_t)major * (uint64_t)matrix->row + (uint64_t)(minor % matrix->row));
    uint64_t pieces = (uint64_t)matrix->row / 8;
    return at ^ (at >> 7 & (pieces - 1)) << 4;
}

static double machine_matrix_element(struct machine *m, const struct ir_op *op, int i, int first,
                                     uint64_t p, int row, int column)
{
    const struct ir_matrix *matrix = &op->attributes.matrices[i];
    enum ir_elem elem = (enum ir_elem)op->operands[i]->type.elem;
    uint64_t at = machine_place_in_matrix(matrix, p, matrix->columns ? column : row,
                                          matrix->columns ? row : column);
    uint64_t bits = machine_load(m, op, first, at, elem), wide;
    const struct machine_area *a = machine_area_of(m, at, 2);
    unsigned faults = 0;
    double value;
    if (a) {
        const struct machine_cell *cell = &a->cells[(char *)(uintptr_t)at - a->begin];
        if (cell->writer >= 0 && cell->fences >= m->fences[cell->writer])
            machine_fault(m, op, "reads what was not published");
    }
    wide = ir_eval(IR_OP_CAST, elem, IR_F64, &bits, &faults);
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* The left operand's fragments of the four SIMD groups, one below the other. */
static void machine_gather_team(struct machine *m, const struct ir_op *op, int first,
                                double a[64][16])
{
    static double part[MACHINE_SIDE][MACHINE_SIDE];
    for (int row = 0; row < 64; row++) {
        if (row % 16 == 0)
            machine_gather(m, op->operands[0], first + row / 16 * GPU_LANES, part);
        for (int k = 0; k < 16; k++)
            a[row][k] = part[row % 16][k];
    }
}

static void machine_matrices(struct machine *m, const struct ir_op *op, int first, uint64_t pa,
                             uint64_t pb, double a[64][16], double b[16][256])
{
    bool registers = op->operands[0]->type.rank == 2;
    if (registers)
        machine_gather_team(m, op, first, a);
    for (int k = 0; k < 16; k++) {
        for (int row = 0; row < 64 && !registers; row++)
            a[row][k] = machine_matrix_element(m, op, 0, first, pa, row, k);
        for (int column = 0; column < 8 * op->result_count; column++)
            b[k][column] = machine_matrix_element(m, op, 1, first, pb, k, column);
    }
}

static uint64_t machine_hash(const void *data, size_t bytes)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    return hash;
}

static double machine_a[64][16], machine_b[16][256];

static uint64_t machine_seen(struct machine *m, const struct ir_op *op, int first, uint64_t pa,
                             uint64_t pb)
{
    memset(machine_b, 0, sizeof machine_b);
    machine_matrices(m, op, first, pa, pb, machine_a, machine_b);
    return machine_hash(machine_a, sizeof machine_a) ^
           3 * machine_hash(machine_b, sizeof machine_b);
}

static void machine_start_product(struct machine *m, const struct ir_op *op, int first)
{
    struct machine_product p = {.op = op,
                                .first = first,
                                .group = m->product_groups[first],
                                .a = *machine_bits(m, op->operands[0], first),
                                .b = *machine_bits(m, op->operands[1], first)};
    const struct gpu_fragment *f = machine_map(op->results[0]->type);
    bool registers = op->operands[0]->type.rank == 2;
    for (int t = first; t < first + MACHINE_TEAM; t++) {
        if ((!registers && *machine_bits(m, op->operands[0], t) != p.a) ||
            *machine_bits(m, op->operands[1], t) != p.b)
            machine_fault(m, op, "threads of a warpgroup multiply different matrices");
    }
    p.seen = machine_seen(m, op, first, p.a, p.b);
    for (int t = first; t < first + MACHINE_TEAM; t++) {
        for (int i = 0; i < 4 * op->result_count; i++) {
            int row, column, fragment = i / 4;
            unsigned faults = 0;
            machine_place(f, t % GPU_LANES, i % 4, &row, &column);
            uint64_t bits = machine_bits(m, op->operands[2 + fragment], t)[i % 4];
            uint64_t wide = ir_eval(IR_OP_CAST, IR_F32, IR_F64, &bits, &faults);
            double sum;
            memcpy(&sum, &wide, sizeof sum);
            for (int k = 0; k < 16; k++)
                sum += machine_a[(t - first) / GPU_LANES * 16 + row][k] *
                       machine_b[k][8 * fragment + column];
            memcpy(&wide, &sum, sizeof wide);
            machine_bits(m, op->results[fragment], t)[i % 4] =
                ir_eval(IR_OP_CAST, IR_F64, IR_F32, &wide, &faults);
        }
    }
    if (m->product_count == m->product_capacity) {
        m->product_capacity = 2 * m->product_capacity + 64;
        m->products = realloc(m->products, m->product_capacity * sizeof *m->products);
    }
    m->products[m->product_count++] = p;
}

/* All of the warpgroup's groups but the youngest `left`. */
static void machine_wait_for_products(struct machine *m, int first, int64_t left)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->product_count; i++) {
        const struct machine_product p = m->products[i];
        if (p.first != first || p.group >= m->product_groups[first] - left)
            m->products[kept++] = p;
        else if (machine_seen(m, p.op, first, p.a, p.b) != p.seen)
            machine_fault(m, p.op, "what it reads changes meanwhile");
    }
    m->product_count = kept;
}

static void machine_team(struct machine *m, const struct ir_op *op)
{
    if (m->threads % MACHINE_TEAM)
        machine_fault(m, op, "there are no four SIMD groups");
    for (int first = 0; first < m->threads && !m->fault[0]; first += MACHINE_TEAM) {
        if ((int)op->code == GPU_OP_WARPGROUP_MMA)
            machine_start_product(m, op, first);
        else if ((int)op->code == GPU_OP_WARPGROUP_COMMIT)
            m->product_groups[first]++;
        else if ((int)op->code == GPU_OP_WARPGROUP_WAIT)
            machine_wait_for_products(m, first, op->attributes.number);
    }
    for (int i = 0; (int)op->code == GPU_OP_WARPGROUP_WAIT && i < op->result_count; i++)
        memcpy(machine_slot(m, op->results[i])->bits, machine_slot(m, op->operands[i])->bits,
               (size_t)(m->threads * machine_slot(m, op->results[i])->width) * sizeof(uint64_t));
}

/* ---- ops ------------------------------------------------------------------------------------- */

static void machine_elementwise(struct machine *m, const struct ir_op *op, int t)
{
    struct ir_value *result = op->results[0];
    int typed = op->code == IR_OP_SELECT ? 1 : 0, width = (int)ir_element_count(result->type);
    enum ir_elem elem = (enum ir_elem)op->operands[typed]->type.elem;
    unsigned faults = 0;
    for (int k = 0; k < width; k++) {
        uint64_t operands[3];
        for (int i = 0; i < op->operand_count; i++)
            operands[i] = machine_bits(m, op->operands[i], t)[k];
        machine_bits(m, result, t)[k] = op->code == IR_OP_ADDPTR
                                            ? operands[0] + operands[1] * ir_elem_bytes(elem)
                                            : ir_eval_op(op, operands, &faults);
    }
}

static void machine_outer(struct machine *m, const struct ir_op *op, int t)
{
    int rows = op->operands[0]->type.dims[0], columns = op->operands[1]->type.dims[0];
    enum ir_elem elem = (enum ir_elem)op->results[0]->type.elem;
    for (int i = 0; i < rows * columns; i++) {
        unsigned faults = 0;
        const uint64_t operands[] = {machine_bits(m, op->operands[0], t)[i / columns],
                                     machine_bits(m, op->operands[1], t)[i % columns],
                                     machine_bits(m, op->operands[2], t)[i]};
        machine_bits(m, op->results[0], t)[i] = ir_eval(IR_OP_FMA, elem, elem, operands, &faults);
    }
}

/* Finds powers below those that exp2_normal is for; exp2_flushed gives 0 wherever it may. */
static void machine_power(struct machine *m, const struct ir_op *op, int t)
{
    bool flushes = (int)op->code == GPU_OP_EXP2_FLUSHED;
    unsigned faults = 0;
    for (int k = 0; k < (int)ir_element_count(op->results[0]->type); k++) {
        uint64_t x = machine_bits(m, op->operands[0], t)[k];
        uint32_t bits = (uint32_t)x;
        float number;
        memcpy(&number, &bits, sizeof number);
        if (number < -126 && !flushes)
            machine_fault(m, op, "of a number below -126");
        machine_bits(m, op->results[0], t)[k] =
            number < -126 ? 0 : ir_eval(IR_OP_EXP2, IR_F32, IR_F32, &x, &faults);
    }
}

static void machine_thread_op(struct machine *m, const struct ir_op *op, int t)
{
    const struct ir_attributes *a = &op->attributes;
    struct ir_value *result = op->result_count > 0 ? op->results[0] : NULL;
    int width = result ? (int)ir_element_count(result->type) : 0;
    uint64_t *to = result ? machine_bits(m, result, t) : NULL;
    switch ((int)op->code) {
    case IR_OP_CONSTANT:
        for (int k = 0; k < width; k++)
            to[k] = a->bits;
        return;
    case IR_OP_ARANGE:
        for (int k = 0; k < width; k++)
            to[k] = (uint64_t)(a->begin + k);
        return;
    case IR_OP_BROADCAST:
        for (int k = 0; k < width; k++)
            to[k] = *machine_bits(m, op->operands[0], t);
        return;
    case IR_OP_PROGRAM_ID:
        *to = (uint64_t)m->program[a->axis];
        return;
    case IR_OP_NUM_PROGRAMS:
        *to = (uint64_t)m->grid[a->axis];
        return;
    case GPU_OP_THREAD_INDEX:
        *to = (uint64_t)t;
        return;
    case GPU_OP_LANE_INDEX:
        *to = (uint64_t)(t % GPU_LANES);
        return;
    case GPU_OP_GROUP_INDEX:
        *to = (uint64_t)(t / GPU_LANES);
        return;
    case GPU_OP_RSQRT_NORMAL:
        machine_root(m, op, t);
        return;
    case GPU_OP_EXP2_NORMAL:
    case GPU_OP_EXP2_FLUSHED:
        machine_power(m, op, t);
        return;
    case GPU_OP_EXTRACT:
        *to = machine_bits(m, op->operands[0], t)[a->number];
        return;
    case GPU_OP_PACK:
        for (int k = 0; k < width; k++)
            to[k] = *machine_bits(m, op->operands[k], t);
        return;
    case GPU_OP_OUTER_FMA:
        machine_outer(m, op, t);
        return;
    case GPU_OP_VECTOR_LOAD:
    case GPU_OP_VECTOR_STORE:
        machine_vector(m, op, t);
        return;
    case GPU_OP_FETCH:
        machine_fetch(m, op, t);
        return;
    case GPU_OP_COPY_ASYNC:
        machine_start_copy(m, op, t);
        return;
    case GPU_OP_COPIES_COMMIT:
        m->groups[t]++;
        return;
    case GPU_OP_COPIES_PUBLISH:
    case GPU_OP_RARE:
        m->fences[t]++;
        return;
    case GPU_OP_COPIES_WAIT:
        machine_wait(m, t, a->number);
        return;
    default:
        if (ir_has(op, IR_READS) || ir_has(op, IR_WRITES))
            machine_memory(m, op, t);
        else
            machine_elementwise(m, op, t);
    }
}

static void machine_region(struct machine *m, const struct ir_region *region, const bool *active);

static void machine_copy(struct machine *m, struct ir_value *const *from,
                         struct ir_value *const *to, int count, const bool *active)
{
    uint64_t **saved = malloc((size_t)(count + 1) * sizeof *saved);
    for (int i = 0; i < count; i++) { /* all read before one is written */
        size_t bytes = (size_t)m->threads * (size_t)machine_slot(m, from[i])->width * 8;
        saved[i] = malloc(bytes);
        memcpy(saved[i], machine_slot(m, from[i])->bits, bytes);
    }
    for (int i = 0; i < count; i++) {
        int width = machine_slot(m, to[i])->width;
        for (int t = 0; t < m->threads; t++) {
            for (int k = 0; active[t] && k < width; k++)
                machine_bits(m, to[i], t)[k] = saved[i][t * width + k];
        }
        free(saved[i]);
    }
    free(saved);
}

static void machine_if(struct machine *m, const struct ir_op *op, const bool *active)
{
    bool *branch = malloc((size_t)m->threads);
    for (int r = 0; r < 2; r++) {
        bool any = false;
        for (int t = 0; t < m->threads; t++) {
            branch[t] = active[t] && (*machine_bits(m, op->operands[0], t) != 0) == (r == 0);
            any = any || branch[t];
        }
        if (!any)
            continue;
        machine_region(m, op->regions[r], branch);
        machine_copy(m, op->regions[r]->last->operands, op->results, op->result_count, branch);
    }
    free(branch);
}

static void machine_for(struct machine *m, const struct ir_op *op, const bool *active)
{
    const struct ir_region *body = op->regions[0];
    bool *going = malloc((size_t)m->threads);
    uint64_t *trip = calloc((size_t)m->threads, sizeof *trip);
    machine_copy(m, op->operands + 3, op->results, op->result_count, active);
    for (;;) {
        bool any = false;
        for (int t = 0; t < m->threads; t++) {
            int64_t lo = (int64_t)*machine_bits(m, op->operands[0], t);
            int64_t hi = (int64_t)*machine_bits(m, op->operands[1], t);
            int64_t step = (int64_t)*machine_bits(m, op->operands[2], t);
            uint64_t trips =
                step <= 0 || lo >= hi ? 0 : ((uint64_t)hi - (uint64_t)lo - 1) / (uint64_t)step + 1;
            going[t] = active[t] && trip[t] < trips;
            if (going[t])
                *machine_bits(m, body->arguments[0], t) = (uint64_t)lo + trip[t]++ * (uint64_t)step;
            any = any || going[t];
        }
        if (!any || m->fault[0])
            break;
        machine_copy(m, op->results, body->arguments + 1, op->result_count, going);
        machine_region(m, body, going);
        machine_copy(m, body->last->operands, op->results, op->result_count, going);
    }
    free(going);
    free(trip);
}

static void machine_while(struct machine *m, const struct ir_op *op, const bool *active)
{
    bool *going = malloc((size_t)m->threads);
    memcpy(going, active, (size_t)m->threads);
    machine_copy(m, op->operands, op->regions[0]->arguments, op->operand_count, active);
    for (;;) {
        const struct ir_op *end = op->regions[0]->last;
        bool any = false;
        machine_region(m, op->regions[0], going);
        machine_copy(m, end->operands + 1, op->results, op->result_count, going);
        for (int t = 0; t < m->threads; t++) {
            going[t] = going[t] && *machine_bits(m, end->operands[0], t);
            any = any || going[t];
        }
        if (!any || m->fault[0])
            break;
        machine_copy(m, op->results, op->regions[1]->arguments, op->result_count, going);
        machine_region(m, op->regions[1], going);
        machine_copy(m, op->regions[1]->last->operands, op->regions[0]->arguments, op->result_count,
                     going);
    }
    free(going);
}

/* Bytes of a block's copy of a threadgroup array. */
static int64_t machine_shared_bytes(const struct ir_op *op)
{
    int64_t bytes = (op->attributes.number + op->attributes.padding) *
                    (int64_t)ir_elem_bytes((enum ir_elem)op->results[0]->type.elem);
    return (bytes + 15) / 16 * 16;
}

static void machine_shared(struct machine *m, const struct ir_op *op)
{
    int blocks = m->kernel->blocks, each = m->threads / blocks;
    int64_t bytes = machine_shared_bytes(op);
    size_t all = (size_t)(bytes * blocks);
    char *memory =
        op->attributes.aligned ? aligned_alloc(1024, (all + 1023) / 1024 * 1024) : malloc(all);
    memset(memory, 0xa5, (size_t)(bytes * blocks));
    machine_add_area(m, memory, bytes * blocks, true);
    for (int t = 0; t < m->threads; t++)
        *machine_bits(m, op->results[0], t) = (uintptr_t)memory + (size_t)(t / each * bytes);
}

/* ---- between blocks; a word holds the bytes that are still to come --------------------------- */

static const struct ir_op *machine_array(const struct ir_value *p)
{
    while (p->op->code == IR_OP_ADDPTR)
        p = p->op->operands[0];
    return p->op;
}

static void machine_put(struct machine *m, const struct ir_op *op)
{
    int blocks = m->kernel->blocks, each = m->threads / blocks;
    enum ir_elem elem = (enum ir_elem)op->operands[1]->type.elem;
    int64_t bytes = (int64_t)ir_elem_bytes(elem);
    int64_t copy = machine_shared_bytes(machine_array(op->operands[0]));
    int64_t word_copy = machine_shared_bytes(machine_array(op->operands[2]));
    if (op->attributes.number != blocks)
        machine_fault(m, op, "another number of blocks");
    for (int t = 0; t < m->threads && !m->fault[0]; t++) {
        int first = t / GPU_LANES * GPU_LANES;
        for (int i = 0; i < 3; i++) {
            if (*machine_bits(m, op->operands[i], t) != *machine_bits(m, op->operands[i], first))
                machine_fault(m, op, "lanes put different values");
        }
        for (int to = 0; t == first && to < blocks; to++) {
            int64_t away = to - t / each;
            uint64_t p = *machine_bits(m, op->operands[0], t) + (uint64_t)(away * copy);
            uint64_t word = *machine_bits(m, op->operands[2], t) + (uint64_t)(away * word_copy);
            machine_store(m, op, MACHINE_MANY, p, elem, *machine_bits(m, op->operands[1], t));
            *(int64_t *)(uintptr_t)word -= bytes;
        }
    }
}

static void machine_cluster(struct machine *m, const struct ir_op *op)
{
    int each = m->threads / m->kernel->blocks;
    if ((int)op->code == GPU_OP_CLUSTER_PUT)
        machine_put(m, op);
    for (int t = 0; op->operand_count == 1 && t < m->threads; t += each) {
        int64_t *word = (int64_t *)(uintptr_t)*machine_bits(m, op->operands[0], t);
        if ((int)op->code == GPU_OP_CLUSTER_EXPECT)
            *word = op->attributes.number;
        else if (*word != 0)
            machine_fault(m, op, "waits for ever");
    }
    m->shared_epoch += (int)op->code == GPU_OP_CLUSTER_WAIT;
}

static void machine_op(struct machine *m, const struct ir_op *op, const bool *active)
{
    int code = (int)op->code;
    bool fragment = code >= GPU_OP_FRAGMENT_LOAD && code <= GPU_OP_FRAGMENT_MMA;
    bool cluster = code >= GPU_OP_CLUSTER_EXPECT && code <= GPU_OP_CLUSTER_WAIT;
    bool team = code >= GPU_OP_WARPGROUP_BEGIN && code <= GPU_OP_WARPGROUP_WAIT;
    bool collective = code == GPU_OP_BARRIER || fragment || cluster || team ||
                      (code >= GPU_OP_SHUFFLE && code <= GPU_OP_GROUP_OR);
    m->steps++;
    if (collective && !machine_all(m, active)) {
        machine_fault(m, op, "not all threads come here");
        return;
    }
    if (op->code == IR_OP_IF) {
        machine_if(m, op, active);
    } else if (op->code == IR_OP_FOR) {
        machine_for(m, op, active);
    } else if (op->code == IR_OP_WHILE) {
        machine_while(m, op, active);
    } else if (code == GPU_OP_SHARED) {
        machine_shared(m, op);
    } else if (code == GPU_OP_BARRIER) {
        m->shared_epoch++;
        m->device_epoch += op->attributes.scope == IR_SCOPE_DEVICE;
    } else if (fragment) {
        machine_fragment(m, op);
    } else if (cluster) {
        machine_cluster(m, op);
    } else if (team) {
        machine_team(m, op);
    } else if (code >= GPU_OP_SHUFFLE && code <= GPU_OP_SHUFFLE_UP) {
        machine_shuffle(m, op);
    } else if (collective) {
        machine_group(m, op);
    } else {
        for (int t = 0; t < m->threads; t++) {
            if (active[t])
                machine_thread_op(m, op, t);
        }
    }
}

static void machine_region(struct machine *m, const struct ir_region *region, const bool *active)
{
    for (const struct ir_op *op = region->first; op && !m->fault[0]; op = op->next) {
        if (!ir_has(op, IR_TERMINATOR))
            machine_op(m, op, active);
    }
}

static void machine_free_value(struct ir_value *value)
{
    struct machine_value *slot = value->data;
    if (slot)
        free(slot->bits);
    free(slot);
    value->data = NULL;
}

static bool machine_free(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->result_count; i++)
        machine_free_value(op->results[i]);
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->argument_count; i++)
            machine_free_value(op->regions[r]->arguments[i]);
    }
    return true;
}

struct machine_argument {
    uint64_t bits; /* of a scalar */
    void *data;    /* of a pointer */
    int64_t bytes;
};

static void machine_program(struct machine *m, const struct machine_argument *arguments)
{
    const struct ir_func *func = m->kernel->func;
    bool *active = malloc((size_t)m->threads);
    int devices = m->area_count;
    memset(active, 1, (size_t)m->threads);
    m->groups = calloc((size_t)m->threads, sizeof *m->groups);
    m->fences = calloc((size_t)m->threads, sizeof *m->fences);
    m->product_groups = calloc((size_t)m->threads, sizeof *m->product_groups);
    for (int i = 0; i < func->parameter_count; i++) {
        for (int t = 0; t < m->threads; t++)
            *machine_bits(m, func->body->arguments[i], t) =
                func->parameters[i].type.pointer ? (uintptr_t)arguments[i].data : arguments[i].bits;
    }
    machine_region(m, func->body, active);
    if (m->pending_count > 0 && !m->fault[0])
        machine_fault(m, m->pending[0].op, "nobody waits for it");
    free(m->pending);
    m->pending = NULL;
    m->pending_count = m->pending_capacity = 0;
    if (m->product_count > 0 && !m->fault[0])
        machine_fault(m, m->products[0].op, "nobody waits for it");
    free(m->products);
    m->products = NULL;
    m->product_count = m->product_capacity = 0;
    free(m->groups);
    free(m->fences);
    free(m->product_groups);
    m->fences = NULL;
    while (m->area_count > devices) {
        free(m->areas[m->area_count - 1].begin);
        free(m->areas[--m->area_count].cells);
    }
    m->shared_epoch++;
    m->device_epoch++;
    free(active);
}

/* NULL, or what went wrong (static text of the machine given). */
static const char *machine_run_reading(struct machine *m, const struct gpu_kernel *kernel,
                                       const struct machine_argument *arguments,
                                       const int64_t *grid, machine_reader *on_read, void *user)
{
    const struct ir_func *func = kernel->func;
    *m = (struct machine){
        .kernel = kernel, .threads = kernel->threads, .on_read = on_read, .user = user};
    ir_clear_data(func->body);
    for (int i = 0; i < func->parameter_count; i++) {
        func->body->arguments[i]->data = NULL;
        if (func->parameters[i].type.pointer)
            machine_add_area(m, arguments[i].data, arguments[i].bytes, false);
    }
    memcpy(m->grid, grid, sizeof m->grid);
    for (int64_t z = 0; z < grid[2]; z++) {
        for (int64_t y = 0; y < grid[1]; y++) {
            for (int64_t x = 0; x < grid[0] && !m->fault[0]; x++) {
                int64_t place[] = {x, y, z};
                memcpy(m->program, place, sizeof place);
                machine_program(m, arguments);
            }
        }
    }
    ir_walk(func->body, machine_free, NULL);
    for (int i = 0; i < func->parameter_count; i++)
        machine_free_value(func->body->arguments[i]);
    while (m->area_count > 0)
        free(m->areas[--m->area_count].cells);
    return m->fault[0] ? m->fault : NULL;
}

static inline const char *machine_run(struct machine *m, const struct gpu_kernel *kernel,
                                      const struct machine_argument *arguments, const int64_t *grid)
{
    return machine_run_reading(m, kernel, arguments, grid, NULL, NULL);
}

#endif
