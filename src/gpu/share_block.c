/*
 * Several programs in a block.
 *
 *   %n = num_programs {axis 0} : i64    ->    %n = cast %grid_x : i64
 *
 * A block of CUDA may run several programs that lie side by side along the grid's first axis. Each
 * has threads of its own, whose numbers count from 0, its own part of every threadgroup array, and
 * barriers at which its threads meet alone: nothing in GPU IR tells whether a program shares its
 * block. Only the grid's first size is no longer that of the launch, which counts blocks. So it
 * becomes the function's last parameter, by which the last block knows too which of its parts have
 * no program; they do nothing.
 */
#include "gpu/pass.h"

static void replace(struct ir_value *size, struct ir_op *op)
{
    for (struct ir_op *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->region_count; i++)
            replace(size, op->regions[i]->first);
        if (op->code != IR_OP_NUM_PROGRAMS || op->attributes.axis != 0)
            continue;
        ir_replace(op->results[0], size);
        ir_remove(op);
    }
}

static bool asks_no_size(struct ir_op *op, void *user)
{
    (void)user;
    return op->code != IR_OP_NUM_PROGRAMS || op->attributes.axis != 0;
}

void gpu_share_block(struct ir_func *func)
{
    struct ir_value *size = gpu_add_parameter(func, "grid_x", ir_scalar(IR_U32));
    struct ir_op *first = func->body->first;
    if (ir_walk(func->body, asks_no_size, NULL))
        return;
    struct ir_builder b = pass_builder(func, first);
    replace(ir_cast(&b, size, IR_I64), first);
    ir_apply_replacements(func);
}
