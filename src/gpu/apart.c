/* Accesses that may change places; see apart.h. */
#include "gpu/apart.h"

#include "opt/pass.h"

enum { MOST_ACCESSES = 16 };

/* Not even that the buffers of a launch do not overlap. */
static const struct pass_context nothing_known;

bool gpu_accesses_are_apart(const struct ir_func *func, const struct ir_region *region)
{
    int roots[MOST_ACCESSES], count = 0;
    bool writes[MOST_ACCESSES];
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (!ir_has(op, IR_READS) && !ir_has(op, IR_WRITES))
            continue;
        if (count == MOST_ACCESSES || op->operand_count == 0)
            return false;
        roots[count] = pass_pointer_root(op->operands[0]);
        writes[count++] = ir_has(op, IR_WRITES);
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) {
            if ((writes[i] || writes[k]) &&
                pass_may_alias(&nothing_known, func, roots[i], roots[k]))
                return false;
        }
    }
    return true;
}
