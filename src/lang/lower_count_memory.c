/*
 * Loops that count to a bound in memory. C reads bound and step anew in each turn; a loop that counts reads
 * them once, and so must leave that memory alone. Two parameters of the kernel are taken to be two arrays.
 */
#include "lang/lower_count.h"

static bool touches_memory(const struct ir_op *op, unsigned reads_or_writes)
{
    return (ir_ops[op->code].flags & reads_or_writes) && op->code != IR_OP_ASSERT &&
           op->code != IR_OP_PRINT;
}

/* The parameter that an address was made from; NULL: it is not known. */
static const struct ir_value *root_of(const struct ir_value *pointer)
{
    while (pointer->op &&
           (pointer->op->code == IR_OP_ADDPTR || pointer->op->code == IR_OP_BROADCAST))
        pointer = pointer->op->operands[0];
    return !pointer->op && pointer->region && !pointer->region->parent ? pointer : NULL;
}

struct reads {
    struct lower *l;
    struct counted *counted;
    bool writes;
};

static bool note_read(struct ir_op *op, void *user)
{
    struct reads *reads = user;
    const struct ir_op *read = op;
    if (touches_memory(op, IR_READS))
        ARENA_PUSH(reads->l->arena, &reads->counted->reads, read);
    reads->writes = reads->writes || touches_memory(op, IR_WRITES);
    return true;
}

bool lower_note_reads(struct lower *l, struct counted *counted, struct ir_op *first)
{
    struct reads reads = {.l = l, .counted = counted};
    for (struct ir_op *op = first; op; op = op->next) {
        note_read(op, &reads);
        for (int i = 0; i < op->region_count; i++)
            ir_walk(op->regions[i], note_read, &reads);
    }
    return !reads.writes;
}

/* False, which ends the walk: this may write what is read. */
static bool is_other_write(struct ir_op *op, void *user)
{
    const struct counted *counted = user;
    if (!touches_memory(op, IR_WRITES))
        return true;
    const struct ir_value *written = root_of(op->operands[0]);
    for (size_t i = 0; i < counted->reads.count; i++) {
        const struct ir_value *read = root_of(counted->reads.items[i]->operands[0]);
        if (!written || !read || written == read)
            return false;
    }
    return true;
}

bool lower_changes_bound(struct counted *counted, struct ir_region *region)
{
    if (counted->reads.count == 0 || ir_walk(region, is_other_write, counted))
        return false;
    counted->why = "its bound or step is read from memory that the loop may write";
    counted->instead = "where it stays the same, read it into a variable in front of the loop";
    return true;
}
