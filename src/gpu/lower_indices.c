/*
 * lower_indices: where a bound is a multiple of a power of two, an index up to that much above such
 * a multiple passes it together with the multiple. With %i and %n multiples of 4:
 *
 *   %i3 = add %i, %3                            %m = lt %i, %n
 *   %m = lt %i3, %n                        ->
 *
 * and likewise with what is known to lie between 0 and 3 instead of the constant, such as a SIMD group's
 * number; so that the masks of a vector's elements become one; and where the elements are a vector already
 *
 *   %at = add (broadcast %i), (arange 0 to 4)
 *   %m = lt %at, (broadcast %n) : bool[4]  ->  %m = broadcast (lt %i, %n) : bool[4]
 *
 * Sums wrap in two's complement, which keeps
 * all of this: a power of two divides 2^64, and the sum of a multiple and less than the next one
 * does not wrap.
 */
#include "gpu/pass.h"
#include "gpu/zeros.h"
#include "ir/affine.h"

enum { DEEPEST = 8 };

struct lowerer {
    struct pass_context *context;
    struct ir_func *func;
    bool changed;
};

/* Summands of an index that it may be lowered by: constants, and what is no multiple of 2^bits but lies
 * between 0 and some number. */
struct small {
    int bits;
    uint64_t constant, most; /* the sum of the constants; of the others at most */
};

static bool is_small(const struct lowerer *l, const struct ir_value *value, const struct small *small,
                     uint64_t *most)
{
    struct ir_interval range = ir_range(value);
    if (range.least < 0 || range.most >= INT64_C(1) << small->bits)
        return false;
    *most = (uint64_t)range.most;
    return gpu_low_zeros(l->context->promises, value, NULL).bits < small->bits;
}

/* What divides the value without its small summands. */
static struct gpu_zeros zeros_of_rest(const struct lowerer *l, const struct ir_value *value,
                                      struct small *small, int depth)
{
    const struct ir_op *op = value->op;
    int64_t number;
    uint64_t most;
    if (ir_constant_int(value, &number)) {
        small->constant += (uint64_t)number;
        return (struct gpu_zeros){GPU_MOST_ZEROS, 0};
    }
    if (is_small(l, value, small, &most)) {
        small->most += most;
        return (struct gpu_zeros){GPU_MOST_ZEROS, 0};
    }
    if (!op || op->code != IR_OP_ADD || depth > DEEPEST)
        return gpu_low_zeros(l->context->promises, value, NULL);
    return gpu_fewer_zeros(zeros_of_rest(l, op->operands[0], small, depth + 1),
                           zeros_of_rest(l, op->operands[1], small, depth + 1));
}

/* NULL: nothing is left. */
static struct ir_value *without_small(const struct lowerer *l, struct ir_builder *b,
                                      struct ir_value *value, const struct small *small, int depth)
{
    struct ir_op *op = value->op;
    int64_t number;
    uint64_t most;
    if (ir_constant_int(value, &number) || is_small(l, value, small, &most))
        return NULL;
    if (!op || op->code != IR_OP_ADD || depth > DEEPEST)
        return value;
    struct ir_value *x = without_small(l, b, op->operands[0], small, depth + 1);
    struct ir_value *y = without_small(l, b, op->operands[1], small, depth + 1);
    if (!x || !y)
        return x ? x : y;
    return x == op->operands[0] && y == op->operands[1] ? value : ir_binary(b, IR_OP_ADD, x, y);
}

/* With summands below 2^bits taken out, where bits are 0 (no others than constants) or what the bound has. */
static bool lower_by(struct lowerer *l, struct ir_op *op, int bits)
{
    struct ir_value *x = op->operands[0];
    struct small small = {.bits = bits};
    struct gpu_zeros zeros = gpu_fewer_zeros(zeros_of_rest(l, x, &small, 0),
                                             gpu_low_zeros(l->context->promises, op->operands[1], NULL));
    uint64_t more = small.constant & ((UINT64_C(1) << zeros.bits) - 1);
    if ((!more && !small.most) || more + small.most >= UINT64_C(1) << zeros.bits)
        return false;
    struct ir_builder b = pass_builder(l->func, op);
    uint64_t left = (small.constant - more) & UINT64_MAX >> (64 - ir_elems[x->type.elem].bits);
    struct ir_value *lowered = without_small(l, &b, x, &small, 0);
    if (!lowered)
        return false;
    if (left)
        lowered = ir_binary(&b, IR_OP_ADD, lowered, ir_constant(&b, lowered->type, left));
    op->operands[0] = lowered;
    l->context->aligned_used |= zeros.because;
    l->changed = true;
    return true;
}

static void lower_index(struct lowerer *l, struct ir_op *op)
{
    const struct ir_value *x = op->operands[0];
    if (x->type.pointer || !ir_is_integer((enum ir_elem)x->type.elem))
        return;
    if (!lower_by(l, op, gpu_low_zeros(l->context->promises, op->operands[1], NULL).bits))
        lower_by(l, op, 0);
}

/* The scalar that a vector is a broadcast of, or NULL. */
static struct ir_value *scalar_of(const struct ir_value *vector)
{
    const struct ir_op *op = vector->op;
    return op && op->code == IR_OP_BROADCAST && op->operands[0]->type.rank == 0 ? op->operands[0]
                                                                                : NULL;
}

/* Whether the vector is a scalar plus 0 to less than `below`. */
static struct ir_value *start_of(const struct ir_value *vector, int64_t *below)
{
    const struct ir_op *op = vector->op;
    for (int i = 0; op && op->code == IR_OP_ADD && i < 2; i++) {
        const struct ir_op *range = op->operands[i]->op;
        struct ir_value *start = scalar_of(op->operands[1 - i]);
        if (range && range->code == IR_OP_ARANGE && range->attributes.begin >= 0 && start) {
            *below = range->attributes.end;
            return start;
        }
    }
    return NULL;
}

static void lower_vector(struct lowerer *l, struct ir_op *op)
{
    int64_t below = 0;
    struct ir_value *start = start_of(op->operands[0], &below), *n = scalar_of(op->operands[1]);
    if (!start || !n)
        return;
    struct gpu_zeros zeros = gpu_fewer_zeros(gpu_low_zeros(l->context->promises, start, NULL),
                                             gpu_low_zeros(l->context->promises, n, NULL));
    if (below > INT64_C(1) << zeros.bits)
        return;
    struct ir_builder b = pass_builder(l->func, op);
    struct ir_value *one = ir_binary(&b, op->code, start, n);
    ir_replace(op->results[0], ir_broadcast(&b, one, op->results[0]->type));
    l->context->aligned_used |= zeros.because;
    l->changed = true;
}

static bool look_at(struct ir_op *op, void *user)
{
    if (op->code != IR_OP_LT && op->code != IR_OP_GE)
        return true;
    if (op->operands[0]->type.rank == 0)
        lower_index(user, op);
    else
        lower_vector(user, op);
    return true;
}

bool pass_lower_indices(struct pass_context *context, struct ir_func *func)
{
    struct lowerer l = {.context = context, .func = func};
    if (context->promises)
        ir_walk(func->body, look_at, &l);
    ir_apply_replacements(func);
    return l.changed;
}
