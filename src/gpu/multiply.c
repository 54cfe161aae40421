/*
 * Products of tiles by instructions on fragments.
 *
 * Each SIMD group has a rectangle of the result's fragments. Per step along the inner axis it takes
 * a fragment of a for each of its rows and one of b for each of its columns, and multiplies all
 * pairs. A tile whose layout is that of fragments (fragment.h) needs nothing but packing: its
 * registers are the lane's elements of one fragment after the other.
 */
#include "gpu/multiply.h"

#include "gpu/reader.h"

static void note_product(struct lowering *l, const struct ir_op *op, const struct gpu_dot *dot)
{
    struct ir_type a = op->operands[0]->type, sum = op->results[0]->type;
    struct gpu_group_grid grid = gpu_grid_of(l->plan, dot->instruction, sum);
    if ((int64_t)l->product.rows * l->product.columns * l->product.inner >=
        ir_element_count(sum) * a.dims[1])
        return;
    l->product = (struct gpu_product_shape){
        .instruction = dot->instruction->name,
        .rows = sum.dims[0],
        .columns = sum.dims[1],
        .inner = a.dims[1],
        .fragment_rows = 1 << dot->instruction->c.row_bits,
        .fragment_columns = 1 << dot->instruction->c.column_bits,
        .group_rows = 1 << grid.rows,
        .group_columns = 1 << grid.columns,
    };
}

struct gpu_product gpu_product_of(struct lowering *l, const struct ir_op *op)
{
    const struct gpu_dot *dot = op->data;
    struct gpu_group_grid grid = gpu_grid_of(l->plan, dot->instruction, op->results[0]->type);
    note_product(l, op, dot);
    return (struct gpu_product){
        .dot = dot,
        .rows = 1 << grid.row_fragments,
        .columns = 1 << grid.column_fragments,
        .steps = op->operands[0]->type.dims[1] >> dot->instruction->a.column_bits,
    };
}

static struct ir_value *build(struct lowering *l, int code, int count, struct ir_value *const *v,
                              struct ir_type type)
{
    return ir_build(&l->b, (enum ir_opcode)code, count, v, 1, &type, 0, NULL)->results[0];
}

static struct ir_value *vector_of(struct lowering *l, struct ir_value *const *values, int count)
{
    struct ir_type type = gpu_part_type((enum ir_elem)values[0]->type.elem, count);
    return count == 1 ? *values : build(l, GPU_OP_PACK, count, values, type);
}

/* The constant that all of a fragment's registers are, or NULL. */
static struct ir_value *constant_of(struct lowering *l, const struct gpu_tile *tile, int first,
                                    int count, enum ir_elem elem)
{
    uint64_t bits = 0, other;
    for (int r = first; r < first + count; r++) {
        const struct ir_value *part = tile->parts[r / tile->width];
        if (part->type.elem != elem || !ir_constant_bits(part, &other) ||
            (r > first && other != bits))
            return NULL;
        bits = other;
    }
    return ir_constant(&l->b, ir_scalar(elem), bits);
}

/* TF32 keeps 10 bits of the fraction: halves away from zero, as the hardware's conversion does, so
 * that a NaN or an infinity stays one. */
static struct ir_value *round_to_tf32(struct lowering *l, struct ir_value *part)
{
    struct ir_type bits = ir_with_elem(part->type, IR_U32);
    struct ir_value *raw = build(l, IR_OP_BITCAST, 1, &part, bits);
    struct ir_value *sum = ir_binary(&l->b, IR_OP_ADD, raw, ir_constant(&l->b, bits, 0x1000));
    struct ir_value *exponent = ir_constant(&l->b, bits, 0x7f800000);
    struct ir_value *masked = ir_binary(&l->b, IR_OP_AND, raw, exponent);
    struct ir_value *special = ir_binary(&l->b, IR_OP_EQ, masked, exponent);
    return ir_ternary(&l->b, IR_OP_SELECT, special, raw, sum);
}

struct ir_value *gpu_operand(struct lowering *l, struct ir_value *part, enum ir_elem elem)
{
    if (elem == IR_U32 && part->type.elem == IR_F32)
        return round_to_tf32(l, part);
    return ir_cast(&l->b, part, elem);
}

struct ir_value **gpu_pack_fragments(struct lowering *l, const struct gpu_fragment *fragment,
                                     const struct gpu_tile *tile)
{
    struct ir_value **registers = gpu_registers(l, tile);
    int each = 1 << fragment->register_bits, count = tile->count * tile->width / each;
    struct ir_value **fragments = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count);
    struct ir_type type = gpu_fragment_type(fragment);
    for (int i = 0; i < count; i++) {
        struct ir_value **own = registers + i * each, *from = NULL;
        if (!fragment->vector)
            from = constant_of(l, tile, i * each, each, fragment->elem);
        int code = from ? GPU_OP_FRAGMENT_FILL : GPU_OP_FRAGMENT_PACK;
        for (int k = 0; k < each; k++)
            own[k] = gpu_operand(l, own[k], fragment->elem);
        if (!from)
            from = vector_of(l, own, each);
        fragments[i] = fragment->vector ? from : build(l, code, 1, &from, type);
    }
    return fragments;
}

void gpu_unpack_fragments(struct lowering *l, struct gpu_tile *tile,
                          struct ir_value *const *fragments, int count)
{
    int each = tile->count * tile->width / count;
    struct ir_value **registers =
        ARENA_ARRAY(l->arena, struct ir_value *, (size_t)(tile->count * tile->width));
    for (int i = 0; i < count; i++) {
        struct ir_value *fragment = fragments[i];
        struct ir_type type = gpu_part_type((enum ir_elem)fragment->type.elem, each);
        struct ir_value *own = fragment->type.rank < 2
                                   ? fragment
                                   : build(l, GPU_OP_FRAGMENT_ELEMENTS, 1, &fragment, type);
        for (int k = 0; k < each; k++)
            registers[i * each + k] = gpu_extract(l, own, k);
    }
    gpu_pack(l, tile, registers);
}

/* The register of a lane that has this row and column, as far as registers tell them apart. */
static int register_of(const struct gpu_fragment *f, int row, int column)
{
    int element = row << f->column_bits | column, reg = 0;
    for (int i = 0; i < f->register_bits; i++)
        reg |= (element >> f->bits[i] & 1) << i;
    return reg;
}

/* Each lane's own products, each rounded once with its sum, in the order of the inner axis. Lanes have
 * of a and b the rows and columns that they have of the sum. */
static struct ir_value *multiply_lanes(struct lowering *l, const struct gpu_instruction *i,
                                       struct ir_value *a, struct ir_value *b, struct ir_value *sum)
{
    struct ir_value *sums[1 << GPU_FRAGMENT_REGISTER_BITS];
    int count = 1 << i->c.register_bits;
    for (int r = 0; r < count; r++) {
        int element = 0;
        for (int k = 0; k < i->c.register_bits; k++)
            element |= (r >> k & 1) << i->c.bits[k];
        int row = element >> i->c.column_bits, column = element & ((1 << i->c.column_bits) - 1);
        sums[r] = gpu_extract(l, sum, r);
        for (int k = 0; k < 1 << i->a.column_bits; k++) {
            struct ir_value *left = gpu_extract(l, a, register_of(&i->a, row, k));
            struct ir_value *right = gpu_extract(l, b, register_of(&i->b, k, column));
            sums[r] = ir_ternary(&l->b, IR_OP_FMA, left, right, sums[r]);
        }
    }
    return vector_of(l, sums, count);
}

static struct ir_value *multiply_fragments(struct lowering *l, const struct gpu_instruction *i,
                                           struct ir_value *a, struct ir_value *b,
                                           struct ir_value *sum)
{
    if (i->c.vector && i->a.column_bits == 0)
        return build(l, GPU_OP_OUTER_FMA, 3, (struct ir_value *[]){a, b, sum}, sum->type);
    if (i->c.vector)
        return multiply_lanes(l, i, a, b, sum);
    return build(l, GPU_OP_FRAGMENT_MMA, 3, (struct ir_value *[]){a, b, sum}, sum->type);
}

void gpu_multiply_step(struct lowering *l, const struct gpu_product *p, struct ir_value **sums,
                       struct gpu_fragment_source a, struct gpu_fragment_source b,
                       void (*between)(void *user), void *user)
{
    bool preload = l->schedule->preload;
    struct ir_value **columns = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)p->columns);
    struct ir_value **rows = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)p->rows);
    for (int i = 0; preload && i < p->rows; i++)
        rows[i] = a.get(a.user, i);
    for (int j = 0; preload && j < p->columns; j++)
        columns[j] = b.get(b.user, j);
    /* Tensor cores are faster where the smaller operand stays. */
    bool by_columns = preload && p->dot->instruction->backend == GPU_BACKEND_MMA;
    int outer = by_columns ? p->columns : p->rows, inner = by_columns ? p->rows : p->columns;
    for (int o = 0; o < outer; o++) {
        struct ir_value *kept = preload ? (by_columns ? columns[o] : rows[o]) : a.get(a.user, o);
        for (int k = 0; k < inner; k++) {
            int n = l->schedule->serpentine && o % 2 ? inner - 1 - k : k;
            struct ir_value *other = preload ? (by_columns ? rows[n] : columns[n]) : b.get(b.user, n);
            struct ir_value **sum = &sums[by_columns ? n * p->columns + o : o * p->columns + n];
            if (between)
                between(user);
            *sum = multiply_fragments(l, p->dot->instruction, by_columns ? other : kept,
                                      by_columns ? kept : other, *sum);
        }
    }
}

/* ---- products that are not staged ------------------------------------------------------------ */

/* Fragments in registers, or of one step out of a slot. */
struct taken {
    struct ir_value **fragments;
    int step, index_stride, step_stride;
    bool fed;
};

static struct ir_value *take(void *user, int index)
{
    const struct taken *t = user;
    return t->fragments[index * t->index_stride + t->step * t->step_stride];
}

/* The fragments of a step that stand in a slot. */
static void read_step(struct lowering *l, const struct gpu_product *p, int side, int step,
                      struct taken *taken)
{
    const struct gpu_dot *dot = p->dot;
    int count = side ? p->columns : p->rows;
    struct ir_value *inner = gpu_constant(l, (int64_t)step << dot->instruction->a.column_bits);
    struct gpu_reader r = gpu_reader_of(l, dot, side, dot->buffers[side], dot->slots[side], inner);
    bool pairs = side && gpu_reads_pairs(&r, p);
    *taken = (struct taken){ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count), 0, 1, 0, true};
    for (int i = 0; i < count; i += pairs ? 2 : 1) {
        if (pairs)
            gpu_read_pair(&r, i, taken->fragments + i);
        else
            taken->fragments[i] = gpu_read_fragment(&r, i);
    }
}

static struct taken take_operand(struct lowering *l, const struct ir_op *op,
                                 const struct gpu_product *p, int side)
{
    const struct gpu_instruction *i = p->dot->instruction;
    if (p->dot->fed[side] || (side == 0 && p->dot->kept))
        return (struct taken){.fed = true};
    const struct gpu_tile *tile = gpu_tile(l, op->operands[side], side ? &p->dot->b : &p->dot->a);
    int steps = 1 << gpu_bits_of(p->steps); /* tiles are padded */
    return (struct taken){.fragments = gpu_pack_fragments(l, side ? &i->b : &i->a, tile),
                          .index_stride = side ? 1 : steps,
                          .step_stride = side ? p->columns : 1};
}

void gpu_multiply(struct lowering *l, const struct ir_op *op)
{
    struct gpu_product p = gpu_product_of(l, op);
    const struct gpu_instruction *i = p.dot->instruction;
    struct taken a = take_operand(l, op, &p, 0), b = take_operand(l, op, &p, 1);
    struct ir_value **sums = gpu_pack_fragments(l, &i->c, gpu_tile(l, op->operands[2], &p.dot->c));
    bool team = i->team_bits > 0;
    if (team) {
        struct gpu_team_operand from[] = {{p.dot->buffers[0], p.dot->slots[0], a.fragments},
                                          {p.dot->buffers[1], p.dot->slots[1], NULL}};
        gpu_multiply_by_teams(l, &p, from, sums);
    }
    for (int k = 0; !team && k < p.steps; k++) {
        a.step = b.step = k;
        if (a.fed)
            read_step(l, &p, 0, k, &a);
        if (b.fed)
            read_step(l, &p, 1, k, &b);
        gpu_multiply_step(l, &p, sums, (struct gpu_fragment_source){take, &a},
                          (struct gpu_fragment_source){take, &b}, NULL, NULL);
    }
    gpu_unpack_fragments(l, gpu_home(op->results[0]), sums, p.rows * p.columns);
}
