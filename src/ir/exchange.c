/*
 * Which gathers take each element from the place i ^ distance along their axis: a step of a sorting
 * network, or of an FFT.
 */
#include "ir/exchange.h"

#include "ir/affine.h"

/* The value that an index tile is made of by repeating and reshaping alone; *axis: which of its
 * axes is that one of the index. NULL: nothing changes along that axis. */
static const struct ir_value *repeated(const struct ir_value *index, int *axis)
{
    while (index->op && (index->op->code == IR_OP_BROADCAST || index->op->code == IR_OP_RESHAPE)) {
        const struct ir_value *from = index->op->operands[0];
        int before[IR_MAX_RANK];
        if (index->op->code == IR_OP_RESHAPE) {
            if (!ir_reshape_axes(from->type, index->type, before) || before[*axis] < 0)
                return NULL;
            *axis = before[*axis];
        } else if (from->type.rank != index->type.rank || from->type.dims[*axis] == 1) {
            return NULL;
        }
        index = from;
    }
    return index;
}

/* Without the casts between int and index, which change no small numbers that are not negative. */
static const struct ir_value *before_casts(const struct ir_value *v)
{
    while (v->op && v->op->code == IR_OP_CAST) {
        const struct ir_value *from = v->op->operands[0];
        bool is_wide = from->type.elem == IR_I32 || from->type.elem == IR_I64;
        struct ir_interval range = ir_range(from);
        if (!is_wide || range.least < 0 || range.most > INT32_MAX)
            return v;
        v = from;
    }
    return v;
}

/* Whether v is the index along the axis: 0, 1, 2 and so on. */
static bool counts(const struct ir_value *v, int axis)
{
    struct ir_affine form;
    if (!ir_affine_of(v, NULL, &form) || form.term_count > 0 || form.constant != 0)
        return false;
    for (int k = 0; k < v->type.rank; k++) {
        if (form.axis[k] != (k == axis ? 1 : 0))
            return false;
    }
    return true;
}

bool ir_exchange_of(const struct ir_op *gather, int64_t *distance)
{
    int axis = gather->attributes.axis;
    struct ir_type type = gather->results[0]->type;
    const struct ir_value *index = repeated(before_casts(gather->operands[1]), &axis);
    index = index ? before_casts(index) : NULL;
    if (!index || !index->op || index->op->code != IR_OP_XOR)
        return false;
    int64_t length = type.dims[gather->attributes.axis];
    for (int side = 0; side < 2; side++) {
        if (!ir_constant_int(index->op->operands[side], distance) || *distance <= 0 ||
            *distance >= length || !counts(before_casts(index->op->operands[1 - side]), axis))
            continue;
        int64_t block = 1; /* indices stay in blocks of that many */
        while (block <= *distance)
            block *= 2;
        return length % block == 0 &&
               length == gather->operands[0]->type.dims[gather->attributes.axis];
    }
    return false;
}
