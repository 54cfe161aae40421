/*
 * Products of a warpgroup, which go on after their op: what they read is the same at their start
 * and at their threads' wait.
 */
#include "internal.h"

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

void machine_team(struct machine *m, const struct ir_op *op)
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
