/*
 * Where an access is: one address for all lanes, consecutive ones, a vector of pointers at a known
 * step, in a pattern, close to each other, or anywhere. And for which lanes it is: those inside of
 * its view, of its mask, and of the tile.
 */
#include "cpu/address.h"

#include "cpu/along.h"
#include "cpu/fixed_offsets.h"
#include "cpu/lanes.h"
#include "cpu/offsets.h"
#include "cpu/pattern.h"

/* ---- addresses ------------------------------------------------------------------------------- */

LLVMValueRef cpu_step_pointer(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                              LLVMValueRef index)
{
    int64_t known;
    if (!index || (cpu_is_constant(index, &known) && known == 0))
        return pointer;
    return LLVMBuildGEP2(e->builder, unit, pointer, &index, 1, "");
}

/* root + base + coefficients * index. The lane's index is added last and apart, so that the rest
 * is invariant in the innermost loop. */
struct cpu_address cpu_linear_address(struct cpu_emit *e, struct ir_type type,
                                      const struct cpu_linear *linear, const struct cpu_position *p)
{
    LLVMTypeRef unit = cpu_memory_type(e, cpu_element_type(type));
    LLVMValueRef offset = linear->base;
    for (int k = 0; k < p->rank; k++) {
        if (k != p->lane)
            offset = cpu_add(e, offset, cpu_mul(e, linear->axis[k], p->index[k]));
    }
    struct cpu_address a = {.pointer = cpu_step_pointer(e, unit, linear->root, offset)};
    LLVMValueRef lane = p->lane < 0 ? NULL : linear->axis[p->lane];
    if (!lane)
        return a;
    a.pointer = cpu_step_pointer(e, unit, a.pointer, cpu_mul(e, lane, p->index[p->lane]));
    a.first = a.pointer;
    if (cpu_is_constant(lane, &a.step) && a.step == 1) {
        a.kind = CPU_ADDRESS_CONSECUTIVE;
        return a;
    }
    LLVMValueRef steps = LLVMBuildMul(e->builder, cpu_splat(e, lane, e->body.lanes),
                                      cpu_iota(e, e->i64, e->body.lanes), "");
    a.kind = CPU_ADDRESS_VECTOR;
    a.pointer = LLVMBuildGEP2(e->builder, unit, a.pointer, &steps, 1, "");
    return a;
}

static struct cpu_address pattern_address(struct cpu_emit *e, const struct ir_value *pointer,
                                          const struct cpu_position *p,
                                          const struct cpu_pattern *pattern)
{
    int lanes = e->body.lanes;
    struct cpu_position first = *p;
    LLVMValueRef *offset = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)lanes);
    struct cpu_address a = {.offset = ARENA_ARRAY(e->arena, int64_t, (size_t)lanes)};
    bool same = true;
    for (int l = 0; l < lanes; l++) {
        a.offset[l] = pattern->lane[l] - pattern->lane[0];
        offset[l] = cpu_i64(e, a.offset[l]);
        same = same && a.offset[l] == 0;
    }
    first.lane = -1;
    a.first = a.pointer = cpu_element_of(e, pointer, &first).v;
    if (same)
        return a;
    LLVMTypeRef unit = cpu_memory_type(e, ir_scalar((enum ir_elem)pointer->type.elem));
    LLVMValueRef offsets = LLVMConstVector(offset, (unsigned)lanes);
    a.kind = CPU_ADDRESS_VECTOR;
    a.pointer = LLVMBuildGEP2(e->builder, unit, a.pointer, &offsets, 1, "");
    return a;
}

static bool lanes_address(struct cpu_emit *e, const struct ir_value *pointer,
                          const struct cpu_position *p, struct cpu_address *a)
{
    struct cpu_lanes form;
    if (!cpu_lanes_of(e, pointer, p, &form))
        return false;
    *a = (struct cpu_address){.kind = CPU_ADDRESS_VECTOR};
    a->is_close = cpu_is_close(e, pointer->type, &form, e->body.lanes, &a->close);
    a->pointer = cpu_lane_pointers(e, pointer, &form);
    return true;
}

/* By offsets that are kept in memory (fixed_offsets.c). */
static bool fixed_address(struct cpu_emit *e, const struct ir_value *pointer,
                          const struct cpu_position *p, struct cpu_address *a)
{
    const struct ir_value *offset = p->lane == 0 ? cpu_kept_offset(e, pointer) : NULL;
    if (!offset || e->body.lanes == 1)
        return false;
    LLVMTypeRef unit = cpu_memory_type(e, ir_scalar((enum ir_elem)pointer->type.elem));
    LLVMValueRef lanes = cpu_spread(e, cpu_element_of(e, offset, p));
    *a = (struct cpu_address){.kind = CPU_ADDRESS_VECTOR};
    a->first = cpu_value_of(e, pointer->op->operands[0]->op->operands[0])->scalar;
    a->pointer = LLVMBuildGEP2(e->builder, unit, a->first, &lanes, 1, "");
    a->offsets = cpu_buffer_pointer(e, cpu_value_of(e, offset)->buffer, p->index[0]);
    return true;
}

struct cpu_address cpu_pointer_address(struct cpu_emit *e, const struct ir_value *pointer,
                                       const struct cpu_position *p)
{
    if (pointer->type.rank > 0 && cpu_affine_of(e, pointer)->known) {
        struct cpu_linear linear = cpu_linear_of(e, pointer);
        return cpu_linear_address(e, ir_scalar((enum ir_elem)pointer->type.elem), &linear, p);
    }
    int64_t step;
    if (pointer->type.rank > 0 && p->lane >= 0 && cpu_step_along(e, pointer, p, &step) &&
        step != 0) {
        struct cpu_linear linear = {.root = cpu_first_along(e, pointer, p)};
        struct cpu_position lanes = {.rank = 1, .lane = 0, .index = {p->index[p->lane]}};
        linear.axis[0] = cpu_i64(e, step);
        return cpu_linear_address(e, ir_scalar((enum ir_elem)pointer->type.elem), &linear, &lanes);
    }
    struct cpu_pattern pattern;
    if (pointer->type.rank > 0 && cpu_pattern_of(e, pointer, p, &pattern))
        return pattern_address(e, pointer, p, &pattern);
    LLVMValueRef pointers;
    struct cpu_address a;
    if (pointer->type.rank > 0 && cpu_offset_address(e, pointer, p, &pointers))
        return (struct cpu_address){.kind = CPU_ADDRESS_VECTOR, .pointer = pointers};
    if (pointer->type.rank > 0 &&
        (fixed_address(e, pointer, p, &a) || lanes_address(e, pointer, p, &a)))
        return a;
    struct cpu_element element = cpu_element_of(e, pointer, p);
    return (struct cpu_address){.kind = element.vector ? CPU_ADDRESS_VECTOR : CPU_ADDRESS_SAME,
                                .pointer = element.v};
}

static LLVMValueRef view_operand(struct cpu_emit *e, const struct ir_op *op, int group, int k)
{
    return cpu_value_of(e, op->operands[1 + group * op->attributes.view_rank + k])->scalar;
}

struct cpu_address cpu_view_address(struct cpu_emit *e, const struct ir_op *op,
                                    const struct cpu_position *p)
{
    int axes = op->attributes.view_rank, first = axes - p->rank;
    struct cpu_linear linear = {.root = cpu_value_of(e, op->operands[0])->scalar};
    for (int k = 0; k < axes; k++) {
        LLVMValueRef stride = view_operand(e, op, 1, k);
        linear.base = cpu_add(e, linear.base, cpu_mul(e, stride, view_operand(e, op, 2, k)));
        if (k >= first)
            linear.axis[k - first] = stride;
    }
    return cpu_linear_address(e, ir_scalar((enum ir_elem)op->operands[0]->type.elem), &linear, p);
}

/* ---- masks ----------------------------------------------------------------------------------- */

struct cpu_element cpu_both_lanes(struct cpu_emit *e, struct cpu_element a, struct cpu_element b)
{
    if (!a.v)
        return b;
    if (!b.v)
        return a;
    bool vector = a.vector || b.vector;
    LLVMValueRef x = vector ? cpu_spread(e, a) : a.v, y = vector ? cpu_spread(e, b) : b.v;
    return (struct cpu_element){LLVMBuildAnd(e->builder, x, y, ""), vector};
}

static struct cpu_element in_extent(struct cpu_emit *e, LLVMValueRef index, LLVMValueRef extent,
                                    bool lane)
{
    if (lane) {
        LLVMValueRef low = cpu_lanes_from(e, cpu_distance(e, index, cpu_i64(e, 0)));
        LLVMValueRef high = cpu_lanes_below(e, cpu_distance(e, index, extent));
        return (struct cpu_element){LLVMBuildAnd(e->builder, low, high, ""), true};
    }
    LLVMValueRef low = LLVMBuildICmp(e->builder, LLVMIntSGE, index, cpu_i64(e, 0), "");
    LLVMValueRef high = LLVMBuildICmp(e->builder, LLVMIntSLT, index, extent, "");
    return (struct cpu_element){LLVMBuildAnd(e->builder, low, high, ""), false};
}

/* Whether one of the stores whose masks hold has the view's extent where it has its origin and
 * index. */
static bool holds_inside(const struct cpu_emit *e, const struct ir_op *view, int axis,
                         LLVMValueRef index)
{
    const struct cpu_inside *inside = e->body.inside;
    int axes = view->attributes.view_rank;
    for (int i = 0; inside && i < inside->count; i++) {
        const struct ir_op *store = inside->stores[i];
        int most = store->attributes.view_rank, first = most - inside->position.rank;
        for (int k = 0; store->code == IR_OP_VIEW_STORE && k < most; k++) {
            LLVMValueRef other = k < first ? NULL : inside->position.index[k - first];
            if (other == index && store->operands[1 + k] == view->operands[1 + axis] &&
                store->operands[1 + 2 * most + k] == view->operands[1 + 2 * axes + axis])
                return true;
        }
    }
    return false;
}

struct cpu_element cpu_view_mask(struct cpu_emit *e, const struct ir_op *op,
                                 const struct cpu_position *p)
{
    struct cpu_element mask = {0};
    if (cpu_bounded_of(e, NULL, op, p))
        return mask;
    if (cpu_lanes_within(e, NULL, op, p, &mask.v)) {
        mask.vector = true;
        return mask;
    }
    int axes = op->attributes.view_rank, first = axes - p->rank;
    for (int k = 0; k < axes; k++) {
        LLVMValueRef index = view_operand(e, op, 2, k);
        LLVMValueRef within = k < first ? NULL : p->index[k - first];
        if (holds_inside(e, op, k, within))
            continue;
        index = cpu_add(e, index, within);
        bool lane = p->lane >= 0 && k - first == p->lane;
        mask = cpu_both_lanes(e, mask, in_extent(e, index, view_operand(e, op, 0, k), lane));
    }
    return mask;
}

struct cpu_element cpu_final_mask(struct cpu_emit *e, struct cpu_element mask,
                                  const struct cpu_position *p)
{
    int64_t known;
    if (mask.v && !mask.vector && cpu_is_constant(mask.v, &known) && known != 0)
        mask.v = NULL;
    if (p->lane >= 0 && e->body.active)
        mask = cpu_both_lanes(e, mask, (struct cpu_element){e->body.active, true});
    return mask;
}

/* ---- what others ask of an op ---------------------------------------------------------------- */

LLVMValueRef cpu_load_origin(struct cpu_emit *e, const struct ir_op *op)
{
    struct cpu_position p = {.rank = op->results[0]->type.rank, .lane = -1};
    for (int k = 0; k < p.rank; k++)
        p.index[k] = cpu_i64(e, 0);
    if (op->code == IR_OP_VIEW_LOAD)
        return cpu_view_address(e, op, &p).pointer;
    if (op->operands[0]->type.rank == 0 || !cpu_affine_of(e, op->operands[0])->known)
        return NULL;
    return cpu_pointer_address(e, op->operands[0], &p).pointer;
}

/* The same for a load. */
bool cpu_load_address(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                      LLVMValueRef *pointer)
{
    if (!cpu_affine_of(e, op->operands[0])->known)
        return false;
    struct cpu_address address = cpu_pointer_address(e, op->operands[0], p);
    *pointer = address.pointer;
    return address.kind == CPU_ADDRESS_CONSECUTIVE;
}

bool cpu_first_address(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                       LLVMValueRef *pointer)
{
    *pointer = cpu_pointer_address(e, op->operands[0], p).first;
    return *pointer != NULL;
}

/* Where a store of consecutive elements starts; false: it has other addresses. */
bool cpu_store_address(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                       LLVMValueRef *pointer)
{
    struct cpu_address address = op->code == IR_OP_VIEW_STORE
                                     ? cpu_view_address(e, op, p)
                                     : cpu_pointer_address(e, op->operands[0], p);
    *pointer = address.pointer;
    return address.kind == CPU_ADDRESS_CONSECUTIVE;
}
