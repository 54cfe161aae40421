/*
 * Fragments of matrices, which SIMD groups hold in registers, and their products.
 */
#include "internal.h"
#include "gpu/pipeline.h"

static bool machine_is(const struct gpu_fragment *f, struct ir_type type)
{
    return f->elem == (enum ir_elem)type.elem && 1 << f->row_bits == type.dims[0] &&
           1 << f->column_bits == type.dims[1];
}

const struct gpu_fragment *machine_map(struct ir_type type)
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

void machine_place(const struct gpu_fragment *f, int lane, int reg, int *row, int *column)
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

void machine_gather(struct machine *m, struct ir_value *value, int first,
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

void machine_fragment(struct machine *m, const struct ir_op *op)
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
