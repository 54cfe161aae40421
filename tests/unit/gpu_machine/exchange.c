/*
 * What threads exchange without memory: lanes of a SIMD group, and blocks of a cluster, whose words
 * hold the bytes that are still to come.
 */
#include "internal.h"

void machine_shuffle(struct machine *m, const struct ir_op *op)
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

void machine_group(struct machine *m, const struct ir_op *op)
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

int64_t machine_shared_bytes(const struct ir_op *op)
{
    int64_t bytes = (op->attributes.number + op->attributes.padding) *
                    (int64_t)ir_elem_bytes((enum ir_elem)op->results[0]->type.elem);
    return (bytes + 15) / 16 * 16;
}

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

void machine_cluster(struct machine *m, const struct ir_op *op)
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
