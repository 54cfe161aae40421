/*
 * Products of tiles, the plain way: right for every type and shape, and slow. Those that
 * an instruction can do are made of fragments instead (multiply.c, stage.c).
 *
 * Both operands go through threadgroup memory, as many columns of a and rows of b at a time as fit.
 * Each thread then runs over them and adds one product to each of its registers per step, in the
 * order of k, rounding product and sum like the language does.
 */
#include "gpu/lower.h"

struct product {
    enum ir_elem elem, sum;
    struct ir_type a, b;
    const struct layout *layout; /* of the result */
    int64_t depth; /* columns of a in one round */
};

struct side {
    const struct gpu_tile *tile;
    struct ir_type type;
    int k_axis;
    int64_t row_stride, k_stride, offset; /* slot = row * row_stride + k * k_stride + offset */
};

static struct ir_value *linear(struct lowering *l, struct ir_value *x, int64_t x_stride,
                               struct ir_value *y, int64_t y_stride, int64_t offset)
{
    struct ir_value *sum = ir_binary(&l->b, IR_OP_MUL, x, gpu_constant(l, x_stride));
    sum =
        ir_binary(&l->b, IR_OP_ADD, sum, ir_binary(&l->b, IR_OP_MUL, y, gpu_constant(l, y_stride)));
    return ir_binary(&l->b, IR_OP_ADD, sum, gpu_constant(l, offset));
}

/* Owners write what they hold of columns begin..begin+depth-1. */
static void put_side(struct lowering *l, const struct product *p, const struct side *side,
                     struct ir_value *base, int64_t begin)
{
    const struct layout *layout = &side->tile->layout;
    struct ir_value **registers = gpu_registers(l, side->tile);
    struct ir_value *owns = gpu_thread_owns(l, layout);
    int64_t k_count = side->type.dims[side->k_axis];
    for (int r = 0; r < 1 << layout->register_bits; r++) {
        if (!gpu_register_owns(layout, r))
            continue;
        struct ir_value *k = gpu_axis_index(l, layout, side->k_axis, r);
        struct ir_value *row = gpu_axis_index(l, layout, 1 - side->k_axis, r);
        struct ir_value *mask = gpu_and(l, owns, gpu_in_tile(l, layout, side->type, r));
        if (p->depth < k_count) {
            k = ir_binary(&l->b, IR_OP_SUB, k, gpu_constant(l, begin));
            mask = gpu_and(l, mask, ir_binary(&l->b, IR_OP_GE, k, gpu_constant(l, 0)));
            mask = gpu_and(l, mask, ir_binary(&l->b, IR_OP_LT, k, gpu_constant(l, p->depth)));
        }
        struct ir_value *slot = linear(l, row, side->row_stride, k, side->k_stride, side->offset);
        ir_store(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, base, slot), registers[r], mask);
    }
}

static struct ir_value *take(struct lowering *l, const struct product *p, const struct side *side,
                             struct ir_value *base, struct ir_value *row, struct ir_value *k)
{
    int32_t rows = side->type.dims[1 - side->k_axis];
    struct ir_value *slot = linear(l, row, side->row_stride, k, side->k_stride, side->offset);
    struct ir_value *mask = NULL, *other = NULL;
    if (1 << gpu_axis_bits(rows) != rows) {
        mask = ir_binary(&l->b, IR_OP_LT, row, gpu_constant(l, rows));
        other = ir_constant(&l->b, ir_scalar(p->elem), 0);
    }
    struct ir_value *v = ir_load(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, base, slot), mask, other);
    return ir_cast(&l->b, v, p->sum);
}

/* for k: each register += a[row, k] * b[k, column] */
static void accumulate(struct lowering *l, const struct product *p, const struct side *sides,
                       struct ir_value *base, struct ir_value **sums, int count, int64_t steps)
{
    struct ir_value **operands = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count + 3);
    struct ir_type *types = ARENA_ARRAY(l->arena, struct ir_type, (size_t)count);
    operands[0] = gpu_constant(l, 0);
    operands[1] = gpu_constant(l, steps);
    operands[2] = gpu_constant(l, 1);
    for (int r = 0; r < count; r++) {
        operands[3 + r] = sums[r];
        types[r] = ir_scalar(p->sum);
    }
    struct ir_op *loop = ir_build(&l->b, IR_OP_FOR, count + 3, operands, count, types, 1, NULL);
    struct ir_region *body = loop->regions[0];
    struct ir_builder outside = l->b;
    struct ir_value *k = ir_region_add_argument(l->b.func, body, ir_scalar(IR_I64), "k");
    l->b.region = body;
    l->b.before = NULL;
    for (int r = 0; r < count; r++) {
        struct ir_value *sum = ir_region_add_argument(l->b.func, body, types[r], NULL);
        struct ir_value *row = gpu_axis_index(l, p->layout, 0, r);
        struct ir_value *column = gpu_axis_index(l, p->layout, 1, r);
        struct ir_value *right = take(l, p, &sides[1], base, column, k);
        struct ir_value *left = take(l, p, &sides[0], base, row, k);
        struct ir_value *product = ir_binary(&l->b, IR_OP_MUL, left, right);
        operands[r] = ir_binary(&l->b, IR_OP_ADD, sum, product);
    }
    ir_build(&l->b, IR_OP_YIELD, count, operands, 0, NULL, 0, NULL);
    l->b = outside;
    for (int r = 0; r < count; r++)
        sums[r] = loop->results[r];
}

void gpu_dot(struct lowering *l, const struct ir_op *op)
{
    if (op->data) {
        gpu_multiply(l, op);
        return;
    }
    struct gpu_tile *to = gpu_home(op->results[0]);
    struct product p = {.elem = (enum ir_elem)op->operands[0]->type.elem,
                        .sum = (enum ir_elem)op->results[0]->type.elem,
                        .a = op->operands[0]->type,
                        .b = op->operands[1]->type,
                        .layout = &to->layout};
    int64_t m = p.a.dims[0], k_count = p.a.dims[1], n = p.b.dims[1];
    int64_t slots = l->window_bytes / (int64_t)ir_elem_bytes(p.elem);
    p.depth = slots / (m + n) < k_count ? slots / (m + n) : k_count;
    if (p.depth < 1)
        p.depth = 1; /* too much memory, which is reported at the end */
    struct side sides[] = {
        {gpu_home(op->operands[0]), p.a, 1, p.depth, 1, 0},
        {gpu_home(op->operands[1]), p.b, 0, 1, n, m * p.depth},
    };
    for (int i = 0; i < 2; i++) { /* a flexible operand has several layouts; any will do */
        if (!sides[i].tile->parts)
            sides[i].tile = gpu_tile(l, op->operands[i], &sides[i].tile->layout);
    }
    struct ir_value **sums = gpu_registers(l, gpu_tile(l, op->operands[2], p.layout));
    struct ir_value *base = gpu_scratch(l, p.elem, (m + n) * p.depth);
    for (int64_t begin = 0; begin < k_count && !gpu_is_too_long(l); begin += p.depth) {
        int64_t steps = k_count - begin < p.depth ? k_count - begin : p.depth;
        gpu_barrier(l, IR_SCOPE_THREADGROUP);
        for (int i = 0; i < 2; i++)
            put_side(l, &p, &sides[i], base, begin);
        gpu_barrier(l, IR_SCOPE_THREADGROUP);
        accumulate(l, &p, sides, base, sums, 1 << p.layout->register_bits, steps);
    }
    gpu_pack(l, to, sums);
}
