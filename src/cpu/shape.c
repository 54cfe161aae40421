/*
 * Ops that move elements: where an element of the result comes from.
 *
 * Most need no code at all, only another position: a broadcast drops indices, a transpose permutes
 * them (the lane axis with them), a reshape by axes of 1 renumbers them. A real reshape reads the
 * operand's scratch buffer, which is dense, under the new shape.
 */
#include "cpu/emit.h"

#include "cpu/address.h"
#include "cpu/pattern.h"
#include "ir/affine.h"

bool cpu_reshape_is_simple(const struct ir_op *op)
{
    int before[IR_MAX_RANK];
    return ir_reshape_axes(op->operands[0]->type, op->results[0]->type, before);
}

const struct ir_value *cpu_reshape_source(const struct ir_op *op)
{
    const struct ir_value *v = op->operands[0];
    while (v->op && v->op->code == IR_OP_RESHAPE)
        v = v->op->operands[0];
    return v;
}

static struct cpu_position broadcast_position(struct cpu_emit *e, struct ir_type from,
                                              const struct cpu_position *p)
{
    struct cpu_position q = {.rank = from.rank, .lane = -1, .along = p->along};
    for (int k = 0; k < from.rank; k++) {
        q.index[k] = from.dims[k] == 1 ? cpu_i64(e, 0) : p->index[k];
        if (k == p->lane && from.dims[k] != 1)
            q.lane = k;
    }
    return q;
}

static struct cpu_position reshape_position(struct cpu_emit *e, struct ir_type from,
                                            struct ir_type to, const struct cpu_position *p)
{
    struct cpu_position q = {.rank = from.rank, .lane = -1, .along = p->along};
    int place[IR_MAX_RANK]; /* of the operand's axes, in the result */
    ir_reshape_axes(to, from, place);
    for (int f = 0; f < from.rank; f++) {
        q.index[f] = place[f] < 0 ? cpu_i64(e, 0) : p->index[place[f]];
        if (place[f] >= 0 && place[f] == p->lane)
            q.lane = f;
    }
    return q;
}

static struct cpu_position trans_position(const uint8_t *permutation, const struct cpu_position *p)
{
    struct cpu_position q = {.rank = p->rank, .lane = -1, .along = p->along};
    for (int k = 0; k < p->rank; k++) {
        q.index[permutation[k]] = p->index[k];
        if (k == p->lane)
            q.lane = permutation[k];
    }
    return q;
}

struct cpu_position cpu_operand_position(struct cpu_emit *e, const struct ir_op *op,
                                         const struct cpu_position *p)
{
    switch (op->code) {
    case IR_OP_BROADCAST:
        return broadcast_position(e, op->operands[0]->type, p);
    case IR_OP_RESHAPE:
        return reshape_position(e, op->operands[0]->type, op->results[0]->type, p);
    case IR_OP_TRANS:
        return trans_position(op->attributes.permutation, p);
    default:
        return *p;
    }
}

bool cpu_moves_elements(const struct ir_op *op)
{
    return ir_shows_operand(op) && (op->code != IR_OP_RESHAPE || cpu_reshape_is_simple(op));
}

/* The operand has one axis more, the last, of which each result takes one element. */
static struct cpu_element split_element(struct cpu_emit *e, const struct ir_value *v,
                                        const struct cpu_position *p)
{
    struct cpu_position q = *p;
    q.index[q.rank++] = cpu_i64(e, v->index);
    return cpu_element_of(e, v->op->operands[0], &q);
}

static struct cpu_element join_element(struct cpu_emit *e, const struct ir_value *v,
                                       const struct cpu_position *p)
{
    struct cpu_position q = *p;
    LLVMValueRef last = p->index[--q.rank];
    bool across = p->lane == q.rank; /* lanes run over the new axis */
    if (across)
        q.lane = -1;
    struct cpu_element a = cpu_element_of(e, v->op->operands[0], &q);
    struct cpu_element b = cpu_element_of(e, v->op->operands[1], &q);
    LLVMTypeRef index = across ? cpu_vector(e->i64, e->body.lanes) : e->i64;
    if (across) {
        LLVMValueRef first = cpu_splat(e, last, e->body.lanes);
        last = LLVMBuildAdd(e->builder, first, cpu_iota(e, e->i64, e->body.lanes), "");
    }
    bool vector = across || a.vector || b.vector;
    LLVMValueRef x = vector ? cpu_spread(e, a) : a.v, y = vector ? cpu_spread(e, b) : b.v;
    LLVMValueRef is_first = LLVMBuildICmp(e->builder, LLVMIntEQ, last, LLVMConstNull(index), "");
    return (struct cpu_element){LLVMBuildSelect(e->builder, is_first, x, y, ""), vector};
}

/* Whether all of the gather's indices are inside and fall along the last axis, which is that of the
 * lanes, as those of a scan from the end do: from which one on. */
static bool gathers_back(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                         int64_t *from)
{
    struct ir_affine form;
    struct ir_type type = op->operands[0]->type;
    int axis = op->attributes.axis;
    int64_t last = op->results[0]->type.dims[axis] - 1;
    if (p->lane != axis || axis != type.rank - 1 || e->body.active ||
        !ir_affine_of(op->operands[1], NULL, &form) || form.term_count > 0)
        return false;
    for (int k = 0; k < type.rank; k++) {
        if (form.axis[k] != (k == axis ? -1 : 0))
            return false;
    }
    *from = form.constant;
    return form.constant < type.dims[axis] && form.constant >= last;
}

/* Where the element of the position's row is that has this index along the last axis. */
static LLVMValueRef place_in_row(struct cpu_emit *e, struct ir_type type,
                                 const struct cpu_position *p, LLVMValueRef index)
{
    int64_t stride = type.dims[type.rank - 1];
    for (int k = type.rank - 2; k >= 0; k--) {
        index = cpu_add(e, index, cpu_mul(e, p->index[k], cpu_i64(e, stride)));
        stride *= type.dims[k];
    }
    return index;
}

static LLVMValueRef gather_back(struct cpu_emit *e, const struct ir_op *op,
                                const struct cpu_position *p, int64_t from)
{
    struct ir_type type = op->operands[0]->type;
    int axis = op->attributes.axis;
    LLVMValueRef offset = LLVMBuildSub(e->builder, cpu_i64(e, from), p->index[axis], "");
    offset = place_in_row(e, type, p, offset);
    return cpu_buffer_read_back(e, cpu_value_of(e, op->operands[0])->buffer, offset);
}

/* r[.., i, ..] = a[.., b[.., i, ..], ..]; a lies in a buffer; an index outside reads 0. */
static struct cpu_element gather_any(struct cpu_emit *e, const struct ir_value *v,
                                     const struct cpu_position *p)
{
    const struct ir_op *op = v->op;
    const struct ir_value *a = op->operands[0];
    const struct cpu_buffer *buffer = cpu_value_of(e, a)->buffer;
    int axis = op->attributes.axis, lanes = e->body.lanes;
    enum ir_elem elem = (enum ir_elem)op->operands[1]->type.elem;
    struct cpu_element index = cpu_element_of(e, op->operands[1], p);
    bool vector = p->lane >= 0;
    LLVMValueRef i = vector ? cpu_spread(e, index) : index.v;
    i = cpu_convert(&e->math, i, elem, IR_I64);
    int width = vector ? lanes : 1;
    LLVMValueRef extent = cpu_splat(e, cpu_i64(e, a->type.dims[axis]), width);
    LLVMValueRef inside = LLVMBuildICmp(e->builder, LLVMIntULT, i, extent, "");
    LLVMValueRef offset = NULL;
    int64_t stride = 1;
    for (int k = a->type.rank - 1; k >= 0; k--) {
        LLVMValueRef part = k == axis ? i : cpu_splat(e, p->index[k], width);
        if (k != axis && k == p->lane)
            part = LLVMBuildAdd(e->builder, part, cpu_iota(e, e->i64, lanes), "");
        LLVMValueRef step = cpu_splat(e, cpu_i64(e, stride), width);
        part = LLVMBuildMul(e->builder, part, step, "");
        offset = offset ? LLVMBuildAdd(e->builder, offset, part, "") : part;
        stride *= a->type.dims[k];
    }
    LLVMTypeRef unit = cpu_memory_type(e, buffer->type);
    LLVMValueRef base = cpu_buffer_pointer(e, buffer, cpu_i64(e, 0));
    LLVMValueRef zero = LLVMConstNull(cpu_vector(cpu_register_type(e, v->type), width));
    if (!vector) {
        offset = LLVMBuildSelect(e->builder, inside, offset, cpu_i64(e, 0), "");
        LLVMValueRef pointer = LLVMBuildGEP2(e->builder, unit, base, &offset, 1, "");
        LLVMValueRef load = LLVMBuildLoad2(e->builder, unit, pointer, "");
        cpu_set_align(load, cpu_memory_bytes(buffer->type));
        LLVMValueRef value = cpu_from_memory(e, buffer->type, load);
        return (struct cpu_element){LLVMBuildSelect(e->builder, inside, value, zero, ""), false};
    }
    if (e->body.active)
        inside = LLVMBuildAnd(e->builder, inside, e->body.active, "");
    LLVMValueRef pointers = LLVMBuildGEP2(e->builder, unit, base, &offset, 1, "");
    return (struct cpu_element){cpu_gather(e, v->type, pointers, inside, zero), true};
}

/* Whether the gather's indices are all inside, along the last axis, which is that of the lanes, and
 * from the first lane on in a pattern: offset[0], .. from that one's. */
static bool gathers_pattern(struct cpu_emit *e, const struct ir_op *op,
                            const struct cpu_position *p, int64_t *offset)
{
    struct ir_type type = op->operands[0]->type;
    struct cpu_pattern pattern;
    struct ir_interval range = ir_range(op->operands[1]);
    int axis = op->attributes.axis;
    if (p->lane != axis || axis != type.rank - 1 || e->body.active || range.least < 0 ||
        range.most >= type.dims[axis] || !cpu_pattern_of(e, op->operands[1], p, &pattern))
        return false;
    for (int l = 0; l < e->body.lanes; l++)
        offset[l] = pattern.lane[l] - pattern.lane[0];
    return cpu_may_load_pattern(e, cpu_element_type(type), offset);
}

static LLVMValueRef gather_pattern(struct cpu_emit *e, const struct ir_op *op,
                                   const struct cpu_position *p, const int64_t *offset)
{
    struct ir_type type = op->operands[0]->type;
    struct cpu_position first = *p;
    first.lane = -1;
    LLVMValueRef place = cpu_element_of(e, op->operands[1], &first).v;
    place = place_in_row(e, type, p, place);
    const struct cpu_buffer *buffer = cpu_value_of(e, op->operands[0])->buffer;
    LLVMValueRef pointer = cpu_buffer_pointer(e, buffer, place);
    LLVMValueRef loaded = cpu_load_pattern(e, cpu_element_type(buffer->type), pointer, offset);
    return cpu_from_memory(e, cpu_element_type(buffer->type), loaded);
}

/* Whether all lanes, which run along another axis, have one index. */
static bool gathers_line(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p)
{
    return p->lane >= 0 && p->lane != op->attributes.axis &&
           !cpu_element_of(e, op->operands[1], p).vector;
}

/* What lies there is read as any of a's elements are, side by side along the lanes. */
static struct cpu_element gather_line(struct cpu_emit *e, const struct ir_op *op,
                                      const struct cpu_position *p)
{
    const struct ir_value *a = op->operands[0], *index = op->operands[1];
    int axis = op->attributes.axis;
    LLVMValueRef i = cpu_element_of(e, index, p).v;
    i = cpu_convert(&e->math, i, (enum ir_elem)index->type.elem, IR_I64);
    LLVMValueRef extent = cpu_i64(e, a->type.dims[axis]);
    LLVMValueRef inside = LLVMBuildICmp(e->builder, LLVMIntULT, i, extent, "");
    struct cpu_position there = *p;
    there.index[axis] = LLVMBuildSelect(e->builder, inside, i, cpu_i64(e, 0), "");
    struct cpu_element r = cpu_buffer_read(e, cpu_value_of(e, a)->buffer, a->type, &there);
    struct ir_interval range = ir_range(index);
    if (range.least < 0 || range.most >= a->type.dims[axis])
        r.v = LLVMBuildSelect(e->builder, inside, r.v, LLVMConstNull(LLVMTypeOf(r.v)), "");
    return r;
}

static struct cpu_element gather_element(struct cpu_emit *e, const struct ir_value *v,
                                         const struct cpu_position *p)
{
    int64_t from, offset[CPU_PATTERN_LANES];
    if (gathers_line(e, v->op, p))
        return gather_line(e, v->op, p);
    if (gathers_back(e, v->op, p, &from))
        return (struct cpu_element){gather_back(e, v->op, p, from), true};
    if (gathers_pattern(e, v->op, p, offset))
        return (struct cpu_element){gather_pattern(e, v->op, p, offset), true};
    return gather_any(e, v, p);
}

struct cpu_element cpu_shape_element(struct cpu_emit *e, const struct ir_value *v,
                                     const struct cpu_position *p)
{
    const struct ir_op *op = v->op;
    switch (op->code) {
    case IR_OP_SPLIT:
        return split_element(e, v, p);
    case IR_OP_JOIN:
        return join_element(e, v, p);
    case IR_OP_GATHER:
        return gather_element(e, v, p);
    case IR_OP_RESHAPE:
        if (!cpu_reshape_is_simple(op)) {
            const struct ir_value *source = cpu_reshape_source(op);
            const struct cpu_buffer *buffer = cpu_value_of(e, source)->buffer;
            if (buffer)
                return cpu_buffer_read(e, buffer, v->type, p);
            struct cpu_position origin = {.rank = source->type.rank, .lane = -1}; /* uniform */
            for (int k = 0; k < origin.rank; k++)
                origin.index[k] = cpu_i64(e, 0);
            return cpu_element_of(e, source, &origin);
        }
        break;
    default:
        break;
    }
    struct cpu_position q = cpu_operand_position(e, op, p);
    return cpu_element_of(e, op->operands[0], &q);
}

void cpu_transpose(struct cpu_emit *e, LLVMValueRef *v, int n)
{
    LLVMValueRef *low = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)n);
    LLVMValueRef *high = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)n);
    for (int d = 1; d < n; d *= 2) {
        for (int l = 0; l < n; l++) {
            low[l] = LLVMConstInt(e->i32, (unsigned long long)(l & d ? n + l - d : l), false);
            high[l] = LLVMConstInt(e->i32, (unsigned long long)(l & d ? n + l : l + d), false);
        }
        LLVMValueRef lows = LLVMConstVector(low, (unsigned)n);
        LLVMValueRef highs = LLVMConstVector(high, (unsigned)n);
        for (int i = 0; i < n; i++) {
            if (i & d)
                continue;
            LLVMValueRef a = v[i], b = v[i + d];
            v[i] = LLVMBuildShuffleVector(e->builder, a, b, lows, "");
            v[i + d] = LLVMBuildShuffleVector(e->builder, a, b, highs, "");
        }
    }
}
