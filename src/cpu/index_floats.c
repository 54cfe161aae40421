/*
 * Floats that are made of an index.
 *
 *     int column = program_id(0) * BLOCK + arange(0, BLOCK);      64 bits
 *     float x = (float)column * scale;                            where a pixel lies, an angle, ..
 *
 * Below AVX-512 no instruction converts vectors of 64 bits, and lane by lane each is taken out of
 * the vector, converted and put into another. But lanes that step by a constant have 32 bits if the
 * first and the last one have, which is a question of scalars, and are converted at once then.
 * Where ranges do not tell, it is asked for each vector; indices beyond 32 bits are converted as
 * before, in a block apart.
 *
 * A bilinear enlargement of [64, 100] to [96, 250] on Zen 1: 139.1 us before, 98.9 then
 * (build/tilec-bench --part everyday).
 */
#include "cpu/index_floats.h"

#include "cpu/along.h"
#include "cpu/math_build.h"
#include "ir/affine.h"

enum { MOST_STEP = 1 << 16 };

/* A cast of an index that grows by *step per lane to float or double. */
static bool is_index_cast(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                          int64_t *step)
{
    const struct cpu_features *features = &e->level->features;
    if (op->code != IR_OP_CAST || !features->avx2 || features->avx512 || p->lane < 0 ||
        e->body.lanes == 1)
        return false;
    enum ir_elem to = (enum ir_elem)op->results[0]->type.elem;
    const struct ir_value *from = op->operands[0];
    return (to == IR_F32 || to == IR_F64) && !from->type.pointer && from->type.elem == IR_I64 &&
           cpu_affine_of(e, from)->known && cpu_step_along(e, from, p, step) && *step != 0 &&
           *step >= -MOST_STEP && *step <= MOST_STEP;
}

bool cpu_index_float_element(struct cpu_emit *e, const struct ir_op *op,
                             const struct cpu_position *p, struct cpu_element *element)
{
    int64_t step;
    if (!is_index_cast(e, op, p, &step))
        return false;
    struct cpu_element index = cpu_element_of(e, op->operands[0], p);
    if (!index.vector)
        return false;
    int lanes = cpu_width_of(index.v);
    LLVMTypeRef to =
        cpu_vector(cpu_elem_type(&e->math, (enum ir_elem)op->results[0]->type.elem), lanes);
    LLVMValueRef first = mb_lane(&e->math, index.v, 0);
    LLVMValueRef steps =
        LLVMBuildMul(e->builder, cpu_iota(e, e->i32, lanes),
                     cpu_splat(e, LLVMConstInt(e->i32, (uint64_t)step, true), lanes), "");
    LLVMValueRef ints = cpu_splat(e, LLVMBuildTrunc(e->builder, first, e->i32, ""), lanes);
    ints = LLVMBuildAdd(e->builder, ints, steps, "");
    *element = (struct cpu_element){LLVMBuildSIToFP(e->builder, ints, to, ""), true};
    struct ir_interval range = ir_range(op->operands[0]);
    if (range.least >= INT32_MIN && range.most <= INT32_MAX)
        return true;
    int64_t reach = step * (lanes - 1);
    int64_t least = INT32_MIN - (reach < 0 ? reach : 0), most = INT32_MAX - (reach > 0 ? reach : 0);
    LLVMValueRef behind = LLVMBuildSub(e->builder, first, cpu_i64(e, least), "");
    LLVMValueRef far = LLVMBuildICmp(e->builder, LLVMIntUGT, behind, cpu_i64(e, most - least), "");
    struct mb_rare rare = mb_rare_begin(&e->math, far);
    LLVMValueRef all = LLVMBuildSIToFP(e->builder, index.v, to, "");
    mb_rare_end(&e->math, &rare);
    element->v = mb_rare_phi(&e->math, &rare, all, element->v);
    return true;
}
