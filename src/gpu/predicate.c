/*
 * predicate: branches of a kernel's body that only access a vector or not become accesses with a
 * mask.
 *
 *   %v = if %all : f32[4] {                     %p = addptr %X, %t : ptr<f32>
 *     %p = addptr %X, %t : ptr<f32>             %v = vector_load {aligned} %p, %all, %zero : f32[4]
 *     %w = vector_load {aligned} %p : f32[4]
 *     yield %w                           ->
 *   } else {
 *     yield %zero
 *   }
 *
 * Targets with predicated instructions need no branch for that, and their compilers leave what
 * stands in a branch there: an address that a store needs would be computed only when its value is
 * known. Loops are left alone: there compilers move branches' accesses from trip to trip, and the
 * interior of most has no masks. Addresses are pure, so they may be computed in any case.
 */
#include "gpu/pass.h"

struct predicater {
    struct ir_func *func;
    bool changed;
};

static bool is_pure(const struct ir_op *op)
{
    int code = (int)op->code;
    return ir_has(op, IR_PURE) && op->region_count == 0 &&
           !(code >= GPU_OP_SHUFFLE && code <= GPU_OP_GROUP_OR);
}

static bool is_vector_access(const struct ir_op *op)
{
    int code = (int)op->code;
    return (code == GPU_OP_VECTOR_LOAD || code == GPU_OP_VECTOR_STORE) && op->attributes.aligned &&
           op->operands[0]->type.space == IR_SPACE_DEVICE &&
           op->operands[0]->type.elem != IR_BOOL;
}

/* The one op of the region that is not pure, if it accesses a vector; NULL: there is none such.
 * pure: whether all but that are. */
static struct ir_op *only_access(const struct ir_region *region, bool *pure)
{
    struct ir_op *access = NULL;
    *pure = true;
    for (struct ir_op *op = region->first; op != region->last; op = op->next) {
        if (!access && is_vector_access(op))
            access = op;
        else
            *pure = *pure && is_pure(op);
    }
    return access;
}

/* Whether the branch is what this pass is about: what it accesses. */
static struct ir_op *accessed_by(const struct ir_op *branch)
{
    bool pure, other_pure;
    if (branch->code != IR_OP_IF || branch->result_count > 1)
        return NULL;
    struct ir_op *access = only_access(branch->regions[0], &pure);
    if (!access || !pure || only_access(branch->regions[1], &other_pure) || !other_pure)
        return NULL;
    bool loads = (int)access->code == GPU_OP_VECTOR_LOAD;
    if (branch->result_count != loads ||
        (loads && branch->regions[0]->last->operands[0] != access->results[0]))
        return NULL;
    return access;
}

static void add_mask(struct predicater *p, struct ir_op *branch, const struct ir_op *access)
{
    struct ir_value *mask = branch->operands[0];
    struct ir_builder b = pass_builder(p->func, branch);
    pass_inline_region(branch->regions[0], branch);
    pass_inline_region(branch->regions[1], branch);
    if (branch->result_count > 0) {
        struct ir_value *operands[] = {access->operands[0], mask,
                                       branch->regions[1]->last->operands[0]};
        struct ir_op *made = ir_build(&b, access->code, 3, operands, 1,
                                      &access->results[0]->type, 0, &access->attributes);
        made->results[0]->name = branch->results[0]->name;
        ir_replace(branch->results[0], made->results[0]);
    } else {
        struct ir_value *operands[] = {access->operands[0], access->operands[1], mask};
        ir_build(&b, access->code, 3, operands, 0, NULL, 0, &access->attributes);
    }
    p->changed = true;
}

bool pass_predicate(struct pass_context *context, struct ir_func *func)
{
    struct predicater p = {.func = func};
    struct ir_op *next;
    if (!context->predicates)
        return false;
    for (struct ir_op *op = func->body->first; op; op = next) {
        struct ir_op *access = accessed_by(op);
        next = op->next;
        if (!access)
            continue;
        add_mask(&p, op, access);
        ir_remove(access);
        ir_remove(op);
    }
    if (p.changed)
        ir_apply_replacements(func);
    return p.changed;
}
