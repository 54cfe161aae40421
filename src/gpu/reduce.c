/*
 * Reductions along an axis, or over everything.
 *
 * A place bit whose column lies on the axis is reduced. Register bits first, by a balanced tree of
 * vector and then scalar ops; then lane bits, by one group reduction where all lanes take part and
 * the element allows it, else by shuffles; then group bits: each group writes its partial results
 * to scratch of this reduction's own, and behind one barrier every thread combines all of them
 * itself, or where they are more than the target's most_partials, the lanes of a group do it
 * together. Few groups leave the last steps of their lanes to that, too: a step is a shuffle's
 * latency, which reading some more partial results is less than. In a loop a second barrier keeps
 * the next trip's writes behind the reads. Where groups of other blocks take part, partial results
 * go to all blocks of the cluster instead (cluster.h). Sums of a tile and of its squares may meet
 * together (squares.h).
 *
 * Between lanes and groups the greatest and least of floats are found as integers that order alike,
 * with NaN at the end that wins: an integer maximum is one instruction, and a group reduction. But
 * for few lanes beside products.
 */
#include "gpu/cluster.h"
#include "gpu/squares.h"

#include "ir/eval.h"

enum { MOST_LEFT_BITS = 3 }; /* measured: further ones cost as much as the shuffles */

struct reduction {
    enum ir_opcode combine;
    int group_op; /* enum gpu_opcode, or 0 */
    enum ir_elem elem;
    uint64_t identity;
    const struct layout *layout;
    int axis;
    bool on_axis[LAYOUT_MAX_BITS]; /* by place bit: is reduced */
    int left_bits;                 /* of lanes, the lowest: their results meet in scratch */
    bool fuses;                    /* products with their sum */
    bool crosses;                  /* blocks of a cluster */
    bool inside;                   /* a loop or branch */
};

/* What a SIMD group can do at once: 32-bit numbers, and bools. Floats have no maximum that keeps
 * NaN and the order of zeros. */
static int group_op(enum ir_opcode code, enum ir_elem elem)
{
    bool integer = elem == IR_I32 || elem == IR_U32;
    switch (code) {
    case IR_OP_SUM:
        return integer || elem == IR_F32 ? GPU_OP_GROUP_SUM : 0;
    case IR_OP_PROD:
        return integer || elem == IR_F32 ? GPU_OP_GROUP_PROD : 0;
    case IR_OP_MAX:
        return integer ? GPU_OP_GROUP_MAX : 0;
    case IR_OP_MIN:
        return integer ? GPU_OP_GROUP_MIN : 0;
    case IR_OP_ANY:
        return GPU_OP_GROUP_OR;
    case IR_OP_ALL:
        return GPU_OP_GROUP_AND;
    default:
        return 0;
    }
}

static void find_axis_bits(struct reduction *r)
{
    uint32_t columns[LAYOUT_MAX_BITS], offset;
    for (int i = 0; i < layout_place_bits(r->layout); i++)
        r->on_axis[i] = r->axis < 0 && r->layout->basis[i];
    if (r->axis < 0)
        return;
    gpu_layout_axis(r->layout, r->axis, columns, &offset);
    for (int i = 0; i < layout_place_bits(r->layout); i++)
        r->on_axis[i] = columns[i] != 0;
}

/* Place bits below those of blocks. */
static int bits_in_block(const struct layout *layout)
{
    return layout_place_bits(layout) - layout->block_bits;
}

static bool crosses_blocks(const struct reduction *r)
{
    bool crosses = false;
    for (int i = bits_in_block(r->layout); i < layout_place_bits(r->layout); i++)
        crosses = crosses || r->on_axis[i];
    return crosses;
}

static struct ir_value *combine(struct lowering *l, const struct reduction *r, struct ir_value *a,
                                struct ir_value *b)
{
    const struct ir_op *square = r->fuses ? b->op : NULL;
    if (square && square->code == IR_OP_MUL)
        return ir_ternary(&l->b, IR_OP_FMA, square->operands[0], square->operands[1], a);
    return ir_binary(&l->b, r->combine, a, b);
}

static struct ir_value *identity(struct lowering *l, const struct reduction *r)
{
    return ir_constant(&l->b, ir_scalar(r->elem), r->identity);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Places that hold no element count as the identity. */
static void fill_padding(struct lowering *l, const struct reduction *r, struct ir_type type,
                         struct gpu_tile *tile)
{
    struct ir_type along = type;
    bool padded = false;
    for (int i = 0; i < type.rank; i++) {
        bool counts = r->axis < 0 || i == r->axis;
        padded = padded || (counts && 1 << r->layout->axis_bits[i] != type.dims[i]);
        if (!counts) /* does not matter: as if not padded */
            along.dims[i] = 1 << r->layout->axis_bits[i];
    }
    if (!padded)
        return;
    struct ir_value **registers = gpu_registers(l, tile);
    for (int k = 0; k < tile->count * tile->width; k++) {
        struct ir_value *inside = gpu_in_tile(l, r->layout, along, k);
        registers[k] = ir_ternary(&l->b, IR_OP_SELECT, inside, registers[k], identity(l, r));
    }
    gpu_pack(l, tile, registers);
}

/* Halves the list at one bit of its indices: combined along the axis, or copies dropped. Lists are
 * indexed by the bits that are left, so bit numbers shift down as bits go. */
static int halve(struct lowering *l, const struct reduction *r, struct ir_value **list, int count,
                 int bit, bool combines)
{
    int to = 0;
    for (int i = 0; i < count; i++) {
        if (i >> bit & 1)
            continue;
        struct ir_value *v = list[i];
        list[to++] = combines ? combine(l, r, v, list[i | 1 << bit]) : v;
    }
    return to;
}

/* The registers that are left, in the order of the reduced layout's. */
static struct ir_value **reduce_registers(struct lowering *l, const struct reduction *r,
                                          struct gpu_tile *tile, int *count)
{
    int low = 0;
    *count = tile->count;
    while (1 << low < tile->width)
        low++;
    for (int bit = r->layout->register_bits - 1; bit >= low; bit--) {
        if (r->on_axis[bit] || !r->layout->basis[bit])
            *count = halve(l, r, tile->parts, *count, bit - low, r->on_axis[bit]);
    }
    tile->count = *count;
    struct ir_value **list = gpu_registers(l, tile);
    *count *= tile->width;
    for (int bit = low - 1; bit >= 0; bit--) {
        if (r->on_axis[bit] || !r->layout->basis[bit])
            *count = halve(l, r, list, *count, bit, r->on_axis[bit]);
    }
    return list;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static struct ir_value *group_reduce(struct lowering *l, const struct reduction *r,
                                     struct ir_value *v)
{
    return ir_unary(&l->b, (enum ir_opcode)r->group_op, v);
}

/* Where a sum or product of floats goes over all lanes of few groups, to one result. */
static int count_left_bits(const struct lowering *l, const struct reduction *r, bool to_scalar)
{
    const struct gpu_target *target = l->plan->target;
    int groups = r->layout->register_bits + r->layout->lane_bits, reduced = 0, left = 0;
    bool steps = ir_is_float(r->elem) && (r->combine == IR_OP_ADD || r->combine == IR_OP_MUL);
    if (!steps || !to_scalar || r->crosses)
        return 0;
    for (int i = r->layout->register_bits; i < groups; i++) {
        if (!r->on_axis[i])
            return 0;
    }
    for (int i = groups; i < bits_in_block(r->layout); i++)
        reduced += r->on_axis[i];
    if (reduced == 0 || 1 << reduced > target->few_groups)
        return 0;
    while (left < MOST_LEFT_BITS && 2 << (reduced + left) <= target->most_partials)
        left++;
    return left;
}

static struct ir_value *reduce_lanes(struct lowering *l, const struct reduction *r,
                                     struct ir_value *v)
{
    const bool *lanes = r->on_axis + r->layout->register_bits;
    bool all = r->group_op != 0;
    for (int i = 0; i < GPU_LANE_BITS; i++)
        all = all && lanes[i];
    if (all && r->left_bits == 0)
        return group_reduce(l, r, v);
    for (int i = r->left_bits; i < GPU_LANE_BITS; i++) {
        if (lanes[i])
            v = combine(l, r, v, gpu_shuffle_by(l, GPU_OP_SHUFFLE_XOR, v, 1 << i));
    }
    return v;
}

/* ---- floats as integers ---------------------------------------------------------------------- */

static struct ir_value *i32_constant(struct lowering *l, uint32_t bits)
{
    return ir_constant(&l->b, ir_scalar(IR_I32), bits);
}

/* Negative numbers turn around; the same again undoes it. */
static struct ir_value *turn_negative(struct lowering *l, struct ir_value *raw)
{
    struct ir_value *sign = ir_binary(&l->b, IR_OP_SHR, raw, i32_constant(l, 31));
    struct ir_value *flips = ir_binary(&l->b, IR_OP_AND, sign, i32_constant(l, INT32_MAX));
    return ir_binary(&l->b, IR_OP_XOR, raw, flips);
}

static struct ir_value *order_key(struct lowering *l, struct ir_value *v, bool greatest)
{
    v = ir_cast(&l->b, v, IR_F32);
    struct ir_value *key = turn_negative(l, ir_bitcast(&l->b, v, IR_I32));
    struct ir_value *end = i32_constant(l, greatest ? (uint32_t)INT32_MAX : UINT32_C(1) << 31);
    return ir_ternary(&l->b, IR_OP_SELECT, ir_unary(&l->b, IR_OP_ISNAN, v), end, key);
}

static struct ir_value *from_order_key(struct lowering *l, struct ir_value *key, enum ir_elem elem)
{
    return ir_cast(&l->b, ir_bitcast(&l->b, turn_negative(l, key), IR_F32), elem);
}

/* A few lanes meet within a trip of products without them: there is one step for each lane bit,
 * which keys would only be made for and undone behind. */
static bool uses_order_keys(const struct lowering *l, const struct reduction *r)
{
    int lanes = 0, groups = 0; /* bits of other threads */
    if ((r->combine != IR_OP_MAXIMUM && r->combine != IR_OP_MINIMUM) || !ir_is_float(r->elem) ||
        r->elem == IR_F64)
        return false;
    for (int i = r->layout->register_bits; i < layout_place_bits(r->layout); i++) {
        bool lane = i < r->layout->register_bits + r->layout->lane_bits;
        lanes += lane && r->on_axis[i];
        groups += !lane && r->on_axis[i];
    }
    bool few = l->in_trip && r->elem == IR_F32 && groups == 0 && lanes < GPU_LANE_BITS;
    return lanes + groups > 0 && !few;
}

/* ---- groups ---------------------------------------------------------------------------------- */

struct partials {
    struct ir_value *base;                /* scratch */
    uint32_t columns[LAYOUT_MAX_BITS];    /* place -> slot, without the register */
    uint32_t kept[LAYOUT_MAX_BITS];       /* likewise with the reduced group 0 */
    int64_t others;                       /* thread bits that must be 0 to write */
    int group_bits, kept_bits, lane_bits; /* reduced; kept; those of them in lanes */
};

/* Slot: reduced bits lowest, then what is kept of lanes and groups. Each block has its own slots,
 * unless the reduction crosses blocks: then each block has those of all. */
static void lay_out_partials(const struct reduction *r, struct partials *p)
{
    const struct layout *layout = r->layout;
    int lanes = layout->register_bits, groups = lanes + layout->lane_bits;
    int end = r->crosses ? layout_place_bits(layout) : bits_in_block(layout);
    *p = (struct partials){0};
    for (int i = lanes; i < lanes + r->left_bits; i++)
        p->columns[i] = 1u << p->group_bits++;
    for (int i = groups; i < end; i++) {
        if (r->on_axis[i])
            p->columns[i] = 1u << p->group_bits++;
    }
    for (int i = lanes + r->left_bits; i < end; i++) {
        bool kept = layout->basis[i] && !r->on_axis[i];
        if (kept) {
            p->kept[i] = p->columns[i] = 1u << (p->group_bits + p->kept_bits++);
            p->lane_bits += i < groups;
        } else if (i < groups || !r->on_axis[i]) {
            p->others |= INT64_C(1) << (i - lanes);
        }
    }
}

static struct ir_value *slot_of(struct lowering *l, const struct reduction *r,
                                const uint32_t *columns, int64_t extra)
{
    struct ir_value *slot = gpu_map_thread(l, r->layout, columns);
    if (!slot)
        return gpu_constant(l, extra);
    return extra ? ir_binary(&l->b, IR_OP_ADD, slot, gpu_constant(l, extra)) : slot;
}

static void write_partials(struct lowering *l, const struct reduction *r, struct partials *p,
                           struct ir_value *const *list, int count)
{
    struct ir_value *writes = NULL;
    int bits = p->group_bits + p->kept_bits;
    p->base = gpu_partials(l, "reduce", r->elem, (int64_t)count << bits);
    int64_t lanes_only = GPU_LANES - 1;
    if (p->others == lanes_only) {
        struct ir_value *zero = gpu_constant(l, 0);
        writes = ir_binary(&l->b, IR_OP_EQ, gpu_lane(l), zero);
    } else if (p->others) {
        struct ir_value *others = gpu_constant(l, p->others);
        writes = ir_binary(&l->b, IR_OP_AND, gpu_thread(l), others);
        writes = ir_binary(&l->b, IR_OP_EQ, writes, gpu_constant(l, 0));
    }
    for (int q = 0; q < count; q++) {
        struct ir_value *slot = slot_of(l, r, p->columns, (int64_t)q << bits);
        ir_store(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, p->base, slot), list[q], writes);
    }
    gpu_barrier(l, IR_SCOPE_THREADGROUP);
}

/* To all blocks of the cluster. Every group has a result of its own, the same in all of its lanes. */
static void put_partials(struct lowering *l, const struct reduction *r, struct partials *p,
                         struct ir_value *const *list, int count)
{
    int bits = p->group_bits + p->kept_bits;
    struct ir_value *word;
    p->base = gpu_cluster_array(l, r->elem, (int64_t)count << bits, &word);
    for (int q = 0; q < count; q++) {
        struct ir_value *slot = slot_of(l, r, p->columns, (int64_t)q << bits);
        gpu_cluster_put(l, ir_binary(&l->b, IR_OP_ADDPTR, p->base, slot), list[q], word);
    }
    gpu_cluster_wait(l, word);
}

/* No lane keeps anything of its own: lanes share the reading. */
static struct ir_value *read_by_lanes(struct lowering *l, const struct reduction *r,
                                      const struct partials *p, int64_t extra)
{
    int64_t count = INT64_C(1) << p->group_bits;
    struct ir_value *slot = slot_of(l, r, p->kept, extra), *lane = gpu_lane(l);
    if (!r->group_op)
        lane = ir_binary(&l->b, IR_OP_AND, lane, gpu_constant(l, count - 1));
    struct ir_value *address =
        ir_binary(&l->b, IR_OP_ADDPTR, p->base, ir_binary(&l->b, IR_OP_ADD, slot, lane));
    if (r->group_op) {
        struct ir_value *end = gpu_constant(l, count);
        struct ir_value *mask = ir_binary(&l->b, IR_OP_LT, gpu_lane(l), end);
        return group_reduce(l, r, ir_load(&l->b, address, mask, identity(l, r)));
    }
    struct ir_value *v = ir_load(&l->b, address, NULL, NULL);
    for (int i = 0; i < p->group_bits; i++)
        v = combine(l, r, v, gpu_shuffle_by(l, GPU_OP_SHUFFLE_XOR, v, 1 << i));
    return v;
}

/* Slots slot..slot+count-1, a power of two that divides slot, as vectors of up to 16 bytes. */
static void load_slots(struct lowering *l, const struct reduction *r, struct ir_value *base,
                       struct ir_value *slot, int count, struct ir_value **list)
{
    int most = 16 / (int)ir_elem_bytes(r->elem), width = count < 4 ? count : 4;
    width = r->elem == IR_BOOL ? 1 : width < most ? width : most;
    for (int i = 0; i < count; i += width) {
        struct ir_value *at = i ? ir_binary(&l->b, IR_OP_ADD, slot, gpu_constant(l, i)) : slot;
        struct ir_value *p = ir_binary(&l->b, IR_OP_ADDPTR, base, at), *v;
        v = width == 1 ? ir_load(&l->b, p, NULL, NULL)
                       : gpu_load_vector(l, p, r->elem, width, true);
        for (int k = 0; k < width; k++)
            list[i + k] = gpu_extract(l, v, k);
    }
}

static struct ir_value *read_all(struct lowering *l, const struct reduction *r,
                                 const struct partials *p, int64_t extra)
{
    struct ir_value *list[32];
    int count = 1 << p->group_bits;
    load_slots(l, r, p->base, slot_of(l, r, p->kept, extra), count, list);
    while (count > 1)
        count = halve(l, r, list, count, 0, true);
    return list[0];
}

/* Likewise of more partial results than a group has lanes: each lane adds up several. */
static struct ir_value *read_many(struct lowering *l, const struct reduction *r,
                                  const struct partials *p, int64_t extra)
{
    struct ir_value *list[32]; /* of at most 1024 groups */
    int each = 1 << (p->group_bits - GPU_LANE_BITS), count = each;
    struct ir_value *per_lane = gpu_constant(l, each);
    struct ir_value *lane = ir_binary(&l->b, IR_OP_MUL, gpu_lane(l), per_lane);
    struct ir_value *slot = ir_binary(&l->b, IR_OP_ADD, slot_of(l, r, p->kept, extra), lane);
    load_slots(l, r, p->base, slot, each, list);
    while (count > 1)
        count = halve(l, r, list, count, 0, true);
    if (r->group_op)
        return group_reduce(l, r, list[0]);
    for (int i = 0; i < GPU_LANE_BITS; i++)
        list[0] = combine(l, r, list[0], gpu_shuffle_by(l, GPU_OP_SHUFFLE_XOR, list[0], 1 << i));
    return list[0];
}

/* A put is made by all lanes of all groups, once, of 4 or 8 bytes. */
static void check_cluster(struct lowering *l, const struct reduction *r, const struct partials *p)
{
    size_t bytes = ir_elem_bytes(r->elem);
    if (!l->plan->cluster)
        gpu_leave_block(l, "a reduction");
    else if (r->inside)
        gpu_leave_block(l, "a reduction in a loop or branch");
    else if (bytes != 4 && bytes != 8)
        gpu_leave_block(l, "a reduction of elements that have neither 4 nor 8 bytes");
    else if (p->lane_bits > 0 || p->others != GPU_LANES - 1)
        gpu_leave_block(l, "a reduction whose results differ between lanes");
}

/* Of so many results, and as many of the first thread's values behind them. */
static void reduce_groups(struct lowering *l, const struct reduction *r, struct ir_value **list,
                          int count, int firsts)
{
    struct partials p;
    lay_out_partials(r, &p);
    if (p.group_bits == 0) {
        for (int q = count; q < count + firsts; q++)
            list[q] = gpu_of_first_lane(l, list[q]);
        return;
    }
    if (r->crosses)
        check_cluster(l, r, &p);
    for (int q = 0; l->shares && count > 1 && q < count; q++)
        reduce_groups(l, r, list + q, 1, 0);
    if (l->shares && count > 1)
        return;
    if (r->crosses && !l->failed)
        put_partials(l, r, &p, list, count);
    else
        write_partials(l, r, &p, list, count + firsts);
    bool shared_out = p.lane_bits == 0 && 1 << p.group_bits > l->plan->target->most_partials;
    for (int q = 0; q < count; q++) {
        int64_t extra = (int64_t)q << (p.group_bits + p.kept_bits);
        list[q] = p.group_bits > GPU_LANE_BITS ? read_many(l, r, &p, extra)
                  : shared_out                 ? read_by_lanes(l, r, &p, extra)
                                               : read_all(l, r, &p, extra);
    }
    for (int q = count; q < count + firsts; q++)
        load_slots(l, r, p.base, gpu_constant(l, (int64_t)q << (p.group_bits + p.kept_bits)), 1,
                   list + q);
}

/* ---- all ------------------------------------------------------------------------------------- */

static struct reduction reduction_of(const struct ir_op *op)
{
    enum ir_elem elem = (enum ir_elem)op->operands[0]->type.elem;
    struct reduction r = {
        .combine = ir_combining_op(op->code),
        .group_op = group_op(op->code, elem),
        .elem = elem,
        .identity = ir_eval_identity(op->code, elem),
        .layout = op->data,
        .axis = op->attributes.axis,
    };
    find_axis_bits(&r);
    r.crosses = crosses_blocks(&r);
    r.inside = op->parent->parent != NULL;
    return r;
}

/* A thread's own results, of a tile of which a copy is changed. */
static struct ir_value **reduce_tile(struct lowering *l, const struct reduction *r,
                                     struct ir_type type, const struct gpu_tile *from, int *count)
{
    struct gpu_tile tile = *from;
    gpu_new_parts(l, &tile);
    for (int i = 0; i < tile.count; i++)
        tile.parts[i] = from->parts[i];
    fill_padding(l, r, type, &tile);
    return reduce_registers(l, r, &tile, count);
}

static void reduce_threads(struct lowering *l, struct reduction *r, bool to_scalar,
                           struct ir_value **list, int count)
{
    bool keys = uses_order_keys(l, r), greatest = r->combine == IR_OP_MAXIMUM;
    enum ir_elem elem = r->elem;
    if (keys) {
        enum ir_opcode code = greatest ? IR_OP_MAX : IR_OP_MIN;
        r->elem = IR_I32;
        r->identity = ir_eval_identity(code, IR_I32);
        r->group_op = group_op(code, IR_I32);
    }
    r->left_bits = count_left_bits(l, r, to_scalar);
    for (int q = 0; q < count; q++)
        list[q] = reduce_lanes(l, r, keys ? order_key(l, list[q], greatest) : list[q]);
    reduce_groups(l, r, list, count, 0);
    for (int q = 0; keys && q < count; q++)
        list[q] = from_order_key(l, list[q], elem);
}

/* The parts times themselves. */
static struct gpu_tile squares_of(struct lowering *l, const struct gpu_tile *tile)
{
    struct gpu_tile squares = *tile;
    gpu_new_parts(l, &squares);
    for (int i = 0; i < tile->count; i++)
        squares.parts[i] = ir_binary(&l->b, IR_OP_MUL, tile->parts[i], tile->parts[i]);
    return squares;
}

/* The sums of x and of x * x, and one element. */
static void reduce_with_squares(struct lowering *l, struct reduction *r, const struct ir_op *op,
                                struct gpu_squares *s)
{
    struct ir_type type = op->operands[0]->type;
    const struct gpu_tile *tile = gpu_tile(l, op->operands[0], r->layout);
    struct gpu_tile squares = squares_of(l, tile);
    int count;
    struct ir_value *list[3];
    list[0] = reduce_tile(l, r, type, tile, &count)[0];
    r->fuses = true;
    list[1] = reduce_tile(l, r, type, &squares, &count)[0];
    r->fuses = false;
    list[2] = gpu_extract(l, tile->parts[0], 0);
    r->left_bits = count_left_bits(l, r, true);
    for (int q = 0; q < 2; q++)
        list[q] = reduce_lanes(l, r, list[q]);
    reduce_groups(l, r, list, 2, 1);
    gpu_set_scalar(op->results[0], list[0]);
    s->squares = list[1];
    s->witness = list[2];
}

/* The tile of distances is squared in the branch, where that is needed. */
static void reduce_distances(struct lowering *l, struct reduction *r, const struct ir_op *op,
                             const struct gpu_squares *s)
{
    const struct ir_op *product = op->operands[0]->op;
    bool square = product->code == IR_OP_MUL && product->operands[0] == product->operands[1];
    struct ir_builder outside;
    struct ir_op *branch = gpu_squares_begin(l, s, &outside);
    int count;
    const struct gpu_tile *tile =
        gpu_tile(l, square ? product->operands[0] : op->operands[0], r->layout);
    struct gpu_tile squares = square ? squares_of(l, tile) : *tile;
    struct ir_value **list = reduce_tile(l, r, op->operands[0]->type, &squares, &count);
    reduce_threads(l, r, true, list, count);
    gpu_set_scalar(op->results[0], gpu_squares_end(l, branch, outside, list[0]));
}

void gpu_reduction(struct lowering *l, const struct ir_op *op)
{
    struct reduction r = reduction_of(op);
    struct gpu_squares *first = gpu_squares_of_sum(l, op);
    const struct gpu_squares *second = gpu_squares_of_distances(l, op);
    /* The first thread's first element counts. */
    if (first && !r.crosses && r.layout->offset == 0) {
        reduce_with_squares(l, &r, op, first);
        return;
    }
    if (second && second->squares) {
        reduce_distances(l, &r, op, second);
        return;
    }
    int count;
    bool to_scalar = op->results[0]->type.rank == 0;
    const struct gpu_tile *tile = gpu_tile(l, op->operands[0], r.layout);
    struct ir_value **list = reduce_tile(l, &r, op->operands[0]->type, tile, &count);
    reduce_threads(l, &r, to_scalar, list, count);
    if (to_scalar)
        gpu_set_scalar(op->results[0], list[0]);
    else
        gpu_pack(l, gpu_home(op->results[0]), list);
}
