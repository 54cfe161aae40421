/*
 * A launch's grid along one axis.
 *
 *   %x = program_id {axis 0} : i64          %p = program_id {axis 0} : i64
 *   %y = program_id {axis 1} : i64    ->    %x = rem %p, %grid0
 *   %n = num_programs {axis 1} : i64        %y = rem (div %p, %grid0), %grid1
 *                                           %n = %grid1                        (bar casts)
 *
 * CUDA takes 2^31 - 1 programs along the first axis and 65535 along the others. Launches with more
 * get code made so: the sizes of their grid become the function's last parameters, grid0 to grid2,
 * and are launched as their product along the first axis, which must fit 31 bits. It comes last, so
 * that everything else is as in ordinary code.
 */
#include "gpu/pass.h"

struct position { /* along each axis: what stands for the ops; i64 */
    struct ir_value *id[3], *count[3];
};

/* From op on. */
static void replace(const struct position *p, struct ir_op *op)
{
    for (struct ir_op *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->region_count; i++)
            replace(p, op->regions[i]->first);
        bool is_id = op->code == IR_OP_PROGRAM_ID;
        if (!is_id && op->code != IR_OP_NUM_PROGRAMS)
            continue;
        ir_replace(op->results[0], (is_id ? p->id : p->count)[op->attributes.axis]);
        ir_remove(op);
    }
}

void gpu_fold_grid(struct ir_func *func)
{
    static const char *const names[] = {"grid0", "grid1", "grid2"};
    struct ir_type i64 = ir_scalar(IR_I64);
    struct ir_attributes x_axis = {.axis = 0};
    struct ir_op *first = func->body->first;
    struct ir_builder b = pass_builder(func, first);
    struct position p;
    struct ir_op *linear = ir_build(&b, IR_OP_PROGRAM_ID, 0, NULL, 1, &i64, 0, &x_axis);
    struct ir_value *rest = ir_cast(&b, linear->results[0], IR_U32); /* 32 bits divide faster */
    for (int axis = 0; axis < 3; axis++) {
        struct ir_value *size = gpu_add_parameter(func, names[axis], ir_scalar(IR_U32));
        struct ir_value *id = axis == 2 ? rest : ir_binary(&b, IR_OP_REM, rest, size);
        p.count[axis] = ir_cast(&b, size, IR_I64);
        p.id[axis] = ir_cast(&b, id, IR_I64);
        if (axis < 2)
            rest = ir_binary(&b, IR_OP_DIV, rest, size);
    }
    replace(&p, first);
    ir_apply_replacements(func);
}
