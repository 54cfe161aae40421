/* What a value is made from: constants behind broadcasts, the parameter behind an address. And the
 * mask of an access. */
#include "ir/ir.h"

/* ---- constants ------------------------------------------------------------------------------- */

bool ir_constant_bits(const struct ir_value *v, uint64_t *bits)
{
    while (v->op && (v->op->code == IR_OP_BROADCAST || v->op->code == IR_OP_RESHAPE))
        v = v->op->operands[0];
    if (!v->op || v->op->code != IR_OP_CONSTANT)
        return false;
    *bits = v->op->attributes.bits;
    return true;
}

bool ir_constant_int(const struct ir_value *v, int64_t *value)
{
    enum ir_elem elem = (enum ir_elem)v->type.elem;
    uint64_t bits;
    if (v->type.pointer || ir_is_float(elem) || !ir_constant_bits(v, &bits))
        return false;
    int unused = 64 - ir_elems[elem].bits;
    *value = ir_is_signed(elem) ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
    return true;
}

bool ir_is_int(const struct ir_value *v, int64_t number)
{
    int64_t value;
    return ir_constant_int(v, &value) && value == number;
}

/* ---- masks ----------------------------------------------------------------------------------- */

int ir_mask_place(const struct ir_op *op)
{
    int place = -1;
    if (op->code == IR_OP_LOAD)
        place = 1;
    else if (op->code == IR_OP_ATOMIC_CAS)
        place = 3;
    else if (op->code == IR_OP_STORE || ir_is_atomic(op))
        place = 2;
    return place < op->operand_count ? place : -1;
}

struct ir_value *ir_mask_of(const struct ir_op *op)
{
    int place = ir_mask_place(op);
    return place < 0 ? NULL : op->operands[place];
}

/* ---- pointers -------------------------------------------------------------------------------- */

const struct ir_value *ir_pointer_root(const struct ir_value *v)
{
    while (v->op && (v->op->code == IR_OP_ADDPTR || ir_shows_operand(v->op)))
        v = v->op->operands[0];
    return v->op || v->region->parent ? NULL : v;
}

struct reads {
    const struct ir_func *func;
    bool *of; /* by parameter */
};

static bool note_reads(struct ir_op *op, void *user)
{
    struct reads *reads = user;
    for (int i = 0; i < op->operand_count && ir_has(op, IR_READS); i++) {
        struct ir_type type = op->operands[i]->type;
        if (!type.pointer || type.space != IR_SPACE_DEVICE)
            continue;
        const struct ir_value *root = ir_pointer_root(op->operands[i]);
        for (int k = 0; k < reads->func->parameter_count; k++)
            reads->of[k] = reads->of[k] || !root || root->index == k;
    }
    return true;
}

const bool *ir_reads(struct arena *arena, const struct ir_func *func)
{
    struct reads reads = {func, ARENA_ARRAY(arena, bool, (size_t)func->parameter_count + 1)};
    ir_walk(func->body, note_reads, &reads);
    return reads.of;
}
