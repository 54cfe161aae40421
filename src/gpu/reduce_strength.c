/*
 * reduce_strength: divisions by powers of two become shifts and masks where nothing is negative.
 *
 *   %c = constant {1024} : i64                  %s = constant {10} : i64
 *   %q = div %n, %c : i64                  ->   %q = shr %n, %s : i64
 *   %r = rem %n, %c : i64                       %m = constant {1023} : i64
 *                                               %r = and %n, %m : i64
 *
 * cdiv adds the divisor less 1 first, if that cannot wrap. It stands late in the list, since ranges
 * are read off divisions better than off shifts.
 */
#include "gpu/pass.h"
#include "ir/affine.h"

struct reducer {
    struct ir_func *func;
    bool changed;
};

static bool is_division(const struct ir_op *op)
{
    return (op->code == IR_OP_DIV || op->code == IR_OP_REM || op->code == IR_OP_CDIV) &&
           op->results[0]->type.rank == 0 && ir_is_integer((enum ir_elem)op->results[0]->type.elem);
}

static struct ir_value *reduced(struct reducer *r, struct ir_op *op)
{
    struct ir_value *x = op->operands[0];
    struct ir_interval range = ir_range(x);
    struct ir_builder b = pass_builder(r->func, op);
    int64_t divisor, sum;
    if (!ir_constant_int(op->operands[1], &divisor) || divisor < 1 || (divisor & (divisor - 1)) ||
        range.least < 0)
        return NULL;
    if (op->code == IR_OP_REM)
        return ir_binary(&b, IR_OP_AND, x, ir_constant(&b, x->type, (uint64_t)divisor - 1));
    if (op->code == IR_OP_CDIV) {
        int bits = ir_elems[x->type.elem].bits - ir_is_signed((enum ir_elem)x->type.elem);
        int64_t most = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
        if (__builtin_add_overflow(range.most, divisor - 1, &sum) || sum > most)
            return NULL;
        x = ir_binary(&b, IR_OP_ADD, x, ir_constant(&b, x->type, (uint64_t)divisor - 1));
    }
    int shift = __builtin_ctzll((unsigned long long)divisor);
    return ir_binary(&b, IR_OP_SHR, x, ir_constant(&b, x->type, (uint64_t)shift));
}

static bool reduce_op(struct ir_op *op, void *user)
{
    struct reducer *r = user;
    struct ir_value *value = is_division(op) ? reduced(r, op) : NULL;
    if (value) {
        ir_replace(op->results[0], value);
        ir_remove(op);
        r->changed = true;
    }
    return true;
}

bool pass_reduce_strength(struct pass_context *context, struct ir_func *func)
{
    struct reducer r = {.func = func};
    (void)context;
    ir_walk(func->body, reduce_op, &r);
    ir_apply_replacements(func);
    return r.changed;
}
