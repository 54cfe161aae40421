/*
 * Ops that each thread does alone.
 */
#include "internal.h"

static void machine_root(struct machine *m, const struct ir_op *op, int t)
{
    const uint64_t *from = machine_bits(m, op->operands[0], t);
    unsigned faults = 0;
    bool is_nan = (*from & 0x7fffffff) > 0x7f800000;
    if (!is_nan && (*from < 0x00800000 || *from > 0x7f800000))
        machine_fault(m, op, "of a number that is not normal and positive");
    *machine_bits(m, op->results[0], t) = ir_eval(IR_OP_RSQRT, IR_F32, IR_F32, from, &faults);
}

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

static void machine_fill(uint64_t *to, int width, uint64_t bits)
{
    for (int k = 0; k < width; k++)
        to[k] = bits;
}

/* Ops whose result is a place, or made of elements of their operands; false: it is none. */
static bool machine_simple(struct machine *m, const struct ir_op *op, int t)
{
    const struct ir_attributes *a = &op->attributes;
    struct ir_value *result = op->result_count > 0 ? op->results[0] : NULL;
    int width = result ? (int)ir_element_count(result->type) : 0;
    uint64_t *to = result ? machine_bits(m, result, t) : NULL;
    switch ((int)op->code) {
    case IR_OP_CONSTANT:
        machine_fill(to, width, a->bits);
        return true;
    case IR_OP_ARANGE:
        for (int k = 0; k < width; k++)
            to[k] = (uint64_t)(a->begin + k);
        return true;
    case IR_OP_BROADCAST:
        machine_fill(to, width, *machine_bits(m, op->operands[0], t));
        return true;
    case IR_OP_PROGRAM_ID:
        *to = (uint64_t)m->program[a->axis];
        return true;
    case IR_OP_NUM_PROGRAMS:
        *to = (uint64_t)m->grid[a->axis];
        return true;
    case GPU_OP_THREAD_INDEX:
        *to = (uint64_t)t;
        return true;
    case GPU_OP_LANE_INDEX:
        *to = (uint64_t)(t % GPU_LANES);
        return true;
    case GPU_OP_GROUP_INDEX:
        *to = (uint64_t)(t / GPU_LANES);
        return true;
    case GPU_OP_EXTRACT:
        *to = machine_bits(m, op->operands[0], t)[a->number];
        return true;
    case GPU_OP_PACK:
        for (int k = 0; k < width; k++)
            to[k] = *machine_bits(m, op->operands[k], t);
        return true;
    default:
        return false;
    }
}

void machine_thread_op(struct machine *m, const struct ir_op *op, int t)
{
    if (machine_simple(m, op, t))
        return;
    switch ((int)op->code) {
    case GPU_OP_RSQRT_NORMAL:
        machine_root(m, op, t);
        return;
    case GPU_OP_EXP2_NORMAL:
    case GPU_OP_EXP2_FLUSHED:
        machine_power(m, op, t);
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
        machine_wait(m, t, op->attributes.number);
        return;
    default:
        if (ir_has(op, IR_READS) || ir_has(op, IR_WRITES))
            machine_memory(m, op, t);
        else
            machine_elementwise(m, op, t);
    }
}
