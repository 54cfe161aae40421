/*
 * merge_barriers: a barrier with no access since the one before goes.
 *
 *   barrier {threadgroup}                  barrier {device}
 *   %x = add %a, %b : f32           ->     %x = add %a, %b : f32
 *   barrier {device}
 *
 * The one before takes over the wider scope. The start of the kernel counts as a barrier, since
 * nothing was accessed before it; the start of a loop's body does not, nor what follows a region.
 * Threadgroup scope orders accesses of threadgroup memory only.
 */
#include "gpu/pass.h"

struct merger {
    struct ir_op *last;  /* the barrier before, or NULL: the kernel's start */
    bool shared, device; /* accessed since then */
    bool unknown;        /* nothing is known of what came before */
    bool changed;
};

static bool orders_device(const struct ir_op *barrier)
{
    return barrier->attributes.scope == IR_SCOPE_DEVICE;
}

static bool is_redundant(const struct merger *m, const struct ir_op *op)
{
    bool device = orders_device(op);
    if (m->unknown || m->shared || (device && m->device) || op->attributes.scope == IR_SCOPE_GROUP)
        return false;
    return !m->last || m->last->attributes.scope != IR_SCOPE_GROUP;
}

static void merge_barrier(struct merger *m, struct ir_op *op)
{
    /* A wider scope behind accesses that the barrier before has ordered already moves up to it. */
    if (is_redundant(m, op)) {
        if (m->last && orders_device(op))
            m->last->attributes.scope = IR_SCOPE_DEVICE;
        ir_remove(op);
        m->changed = true;
        return;
    }
    m->last = op;
    m->device = (m->device || m->unknown) && !orders_device(op);
    m->shared = m->unknown = false;
}

static void merge_region(struct merger *m, struct ir_region *region)
{
    struct ir_op *next;
    for (struct ir_op *op = region->first; op; op = next) {
        next = op->next;
        if ((int)op->code == GPU_OP_BARRIER) {
            merge_barrier(m, op);
        } else if (ir_has(op, IR_READS) || ir_has(op, IR_WRITES)) {
            /* What has no address is about copies, products, or blocks of a cluster. */
            bool shared = op->operand_count == 0 || !op->operands[0]->type.pointer ||
                          op->operands[0]->type.space == IR_SPACE_THREADGROUP;
            m->shared = m->shared || shared;
            m->device = m->device || !shared;
        }
        for (int i = 0; i < op->region_count; i++) {
            struct merger inside = {.unknown = true};
            merge_region(&inside, op->regions[i]);
            m->changed = m->changed || inside.changed;
            m->unknown = true;
        }
    }
}

bool pass_merge_barriers(struct pass_context *context, struct ir_func *func)
{
    struct merger m = {0};
    (void)context;
    merge_region(&m, func->body);
    return m.changed;
}
