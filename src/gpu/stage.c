/*
 * Loops of products as pipelines: operand tiles are staged in threadgroup memory.
 *
 *   if there is a trip {                            the phases of pipeline.h, here of 2 stages
 *     copy the first trip's tiles into slot 0       load_first
 *     barrier                                       publish_first
 *     for all trips but the last {
 *       copy the next trip's tiles into slot 1      load_next
 *       sums += slot 0                              consume_current
 *       barrier                                     publish_and_recycle
 *     } with the slots rotated                      rotate_slots
 *     sums += slot 0                                consume_last
 *     barrier                                       release_last
 *   }
 *
 * With asynchronous copies the loop goes over all trips, and starts copies as long as there are any.
 * There the fragments of each step along the inner axis are loaded in front of the products of the
 * step before, and those of a trip's first step behind the barrier in front of the last products of
 * the trip before:
 *
 *     copy, load of step 1, products of step 0, ..., load of the last step    load_next consume_current
 *     barrier                                                                 publish_and_recycle
 *     load of the next trip's step 0, products of the last step               fetch_next
 *
 * A copy is the loop's body without its dots, for the trip that is copied, in layouts that suit its
 * loads; what the operands are goes into the slots. So any pointwise computation on the way, any
 * mask and any fill is done once per element, by all threads together. What the loop carries beside
 * the sums (offsets that grow) goes with the copies. Sums are fragments from the first phase to the
 * last, and registers again behind the loop.
 */
#include "gpu/aligned.h"
#include "gpu/multiply.h"

/* Where an operand of a dot is staged. */
struct operand {
    const struct ir_value *value;
    int buffer;
    int copied; /* the buffer that copies write: that one, or where they land */
    const struct ir_op *load; /* that it is, perhaps behind a transposition; else NULL */
};

/* Fragments of one step: of a for each row, of b for each column. */
struct fragments {
    struct ir_value **rows, **columns;
};

struct stage {
    struct lowering *l;
    const struct ir_op *loop;
    const struct gpu_dot_loop *form;
    struct gpu_pipeline *pipeline;
    struct operand operands[PLAN_DOT_LOOP_DOTS][2];
    struct ir_value *slots[GPU_PIPELINE_BUFFERS][GPU_PIPELINE_STAGES]; /* by position */
    struct gpu_product products[PLAN_DOT_LOOP_DOTS];
    struct ir_value **sums[PLAN_DOT_LOOP_DOTS]; /* fragments; of one carried sum: the same array */
    struct gpu_value_list carried;              /* other carried values, for the next copy */
    struct fragments fetched; /* of the first dot, if the pipeline fetches */
    struct fragments last;    /* of its last step, whose products are still to be made, or NULL */
    struct gpu_copy_list late;      /* copies that are started between products */
    struct ir_value *late_exists;   /* whether there is their trip */
    size_t late_done;               /* so many are */
    struct gpu_turn turns[GPU_PIPELINE_BUFFERS]; /* to be made during the next products */
    int turn_count;
    struct ir_value *low, *high, *step, *trip;  /* trip: the counter of the current trip */
    int64_t width;                              /* the step */
};

/* ---- values that go through control flow ------------------------------------------------------
 */

enum { SUMS = 1, CARRIED = 2, SLOTS = 4, FETCHED = 8, ALL = 15 };

/* Calls visit for each variable of these kinds, always in the same order. */
static void visit(struct stage *s, int kinds, void (*each)(struct ir_value **place, void *user),
                  void *user)
{
    for (int d = 0; kinds & SUMS && d < s->form->form.count; d++) {
        bool again = d > 0 && s->sums[d] == s->sums[d - 1];
        for (int i = 0; !again && i < s->products[d].rows * s->products[d].columns; i++)
            each(&s->sums[d][i], user);
    }
    for (size_t i = 0; kinds & CARRIED && i < s->carried.count; i++)
        each(&s->carried.items[i], user);
    for (int b = 0; kinds & SLOTS && b < s->pipeline->buffer_count; b++) {
        for (int i = 0; i < gpu_buffer_slots(s->pipeline, &s->pipeline->buffers[b]); i++)
            each(&s->slots[b][i], user);
    }
    for (int i = 0; kinds & FETCHED && s->pipeline->fetches && i < s->products[0].rows; i++)
        each(&s->fetched.rows[i], user);
    for (int i = 0; kinds & FETCHED && s->pipeline->fetches && i < s->products[0].columns; i++)
        each(&s->fetched.columns[i], user);
}

struct collector {
    struct arena *arena;
    struct gpu_value_list *list;
};

static void collect_one(struct ir_value **place, void *user)
{
    struct collector *c = user;
    ARENA_PUSH(c->arena, c->list, *place);
}

static void collect(struct stage *s, struct gpu_value_list *list, int kinds)
{
    struct collector c = {s->l->arena, list};
    visit(s, kinds, collect_one, &c);
}

static void replace_one(struct ir_value **place, void *user)
{
    struct ir_value *const **next = user;
    *place = *(*next)++;
}

static void replace(struct stage *s, struct ir_value *const *values, int kinds)
{
    visit(s, kinds, replace_one, &values);
}

static struct ir_type *types_of(struct stage *s, const struct gpu_value_list *list)
{
    struct ir_type *types = ARENA_ARRAY(s->l->arena, struct ir_type, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        types[i] = list->items[i]->type;
    return types;
}

static void yield(struct stage *s, int kinds)
{
    struct gpu_value_list list = {0};
    collect(s, &list, kinds);
    ir_build(&s->l->b, IR_OP_YIELD, (int)list.count, list.items, 0, NULL, 0, NULL);
}

/* if (condition) body, which changes variables of these kinds. */
static void conditionally(struct stage *s, struct ir_value *condition, int kinds,
                          void (*body)(struct stage *s, const void *user), const void *user)
{
    struct lowering *l = s->l;
    struct gpu_value_list list = {0};
    collect(s, &list, kinds);
    struct ir_type *types = types_of(s, &list);
    struct ir_op *branch =
        ir_build(&l->b, IR_OP_IF, 1, &condition, (int)list.count, types, 2, NULL);
    struct ir_builder outside = l->b;
    l->b.before = NULL;
    l->b.region = branch->regions[1];
    ir_build(&l->b, IR_OP_YIELD, (int)list.count, list.items, 0, NULL, 0, NULL);
    l->b.region = branch->regions[0];
    body(s, user);
    yield(s, kinds);
    l->b = outside;
    replace(s, branch->results, kinds);
}

/* ---- which trips there are ------------------------------------------------------------------- */

/* high - distance, or the least number: nothing is below that. */
static struct ir_value *below_high(struct stage *s, int64_t distance)
{
    struct lowering *l = s->l;
    int64_t known;
    if (distance == 0)
        return s->high;
    if (ir_constant_int(s->high, &known) && known >= INT64_MIN + distance)
        return gpu_constant(l, known - distance);
    struct ir_value *high =
        ir_binary(&l->b, IR_OP_MAXIMUM, s->high, gpu_constant(l, INT64_MIN + distance));
    return ir_binary(&l->b, IR_OP_SUB, high, gpu_constant(l, distance));
}

/* Whether the first loop has more than so many trips. */
static struct ir_value *has_trip(struct stage *s, int number)
{
    return ir_binary(&s->l->b, IR_OP_LT, s->low, below_high(s, number * s->width));
}

static struct ir_value *counter_of(struct stage *s, struct ir_value *from, int ahead)
{
    struct lowering *l = s->l;
    if (ahead == 0)
        return from;
    return ir_binary(&l->b, IR_OP_ADD, from, gpu_constant(l, ahead * s->width));
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool is_dot(const struct stage *s, const struct ir_op *op)
{
    for (int d = 0; d < s->form->form.count; d++) {
        if (s->form->form.dots[d].op == op)
            return true;
    }
    return false;
}

static bool is_async(const struct stage *s)
{
    return s->pipeline->mechanism == GPU_MECHANISM_ASYNC;
}

/* Whether asynchronous copies take the op's place: a load of an operand, or what transposes it. */
static bool is_copied(const struct stage *s, const struct ir_op *op)
{
    for (int d = 0; is_async(s) && d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++) {
            const struct operand *o = &s->operands[d][side];
            if (op == o->load || op == o->value->op)
                return true;
        }
    }
    return false;
}

/* The body for one trip: operands and the next carried values. */
static void lower_body(struct stage *s, struct ir_value *counter)
{
    struct lowering *l = s->l;
    const struct ir_region *body = s->loop->regions[0];
    struct ir_value *const *next = s->carried.items;
    gpu_value_of(body->arguments[0])->scalar = counter;
    for (int k = 0; k < s->loop->result_count; k++) {
        if (!plan_is_sum(&s->form->form, k))
            next = gpu_bind(l, body->arguments[1 + k], next);
    }
    for (const struct ir_op *op = body->first; op != body->last && !l->failed; op = op->next) {
        if (!is_dot(s, op) && !is_copied(s, op))
            gpu_lower_op(l, op);
    }
    struct gpu_value_list carried = {0};
    for (int k = 0; k < s->loop->result_count; k++) {
        struct ir_value *argument = body->arguments[1 + k];
        if (plan_is_sum(&s->form->form, k))
            continue;
        gpu_push_lowered(l, &carried, body->last->operands[k],
                         argument->type.rank > 0 ? &gpu_home(argument)->layout : NULL);
    }
    s->carried = carried;
}

/* The operand's tile in whatever layout it has. */
static const struct gpu_tile *tile_of(struct lowering *l, const struct ir_value *value)
{
    for (const struct gpu_tile *tile = gpu_home(value); tile; tile = tile->next) {
        if (tile->parts)
            return tile;
    }
    return gpu_tile(l, value, &gpu_home(value)->layout);
}

/* Rows are powers of two, so that swizzling is linear, too. */
static struct ir_value *swizzled_index(struct lowering *l, const struct gpu_buffer *buffer,
                                       const struct layout *layout, int reg)
{
    struct gpu_swizzling s = gpu_buffer_swizzle(buffer);
    uint32_t columns[LAYOUT_MAX_BITS], major[LAYOUT_MAX_BITS], offset, major_offset;
    gpu_layout_axis(layout, !buffer->by_columns, columns, &offset);
    gpu_layout_axis(layout, buffer->by_columns, major, &major_offset);
    for (int i = 0; i <= layout_place_bits(layout); i++) {
        bool last = i == layout_place_bits(layout);
        uint32_t row = last ? major_offset : major[i], *to = last ? &offset : &columns[i];
        *to ^= (row >> s.shift & (uint32_t)s.mask) * (uint32_t)s.piece;
        *to |= row * (uint32_t)gpu_buffer_stride(buffer);
    }
    return gpu_map(l, layout, columns, offset, reg);
}

struct ir_value *gpu_slot_index(struct lowering *l, const struct gpu_buffer *buffer,
                                const struct layout *layout, int reg)
{
    if (buffer->swizzled)
        return swizzled_index(l, buffer, layout, reg);
    struct ir_value *major = gpu_axis_index(l, layout, buffer->by_columns, reg);
    struct ir_value *minor = gpu_axis_index(l, layout, !buffer->by_columns, reg);
    major = ir_binary(&l->b, IR_OP_MUL, major, gpu_constant(l, gpu_buffer_stride(buffer)));
    return ir_binary(&l->b, IR_OP_ADD, major, minor);
}

/* Whether a part lies in a slot without gaps. */
static bool lies_along(const struct gpu_buffer *buffer, const struct layout *layout, int width)
{
    uint32_t minor = buffer->by_columns ? 1u << layout->axis_bits[1] : 1u;
    return width == 1 || layout->basis[0] == minor;
}

void gpu_put_part(struct lowering *l, const struct gpu_buffer *buffer, const struct gpu_tile *tile,
                  struct ir_value *slot, int part)
{
    int width = lies_along(buffer, &tile->layout, tile->width) ? tile->width : 1;
    struct ir_value *vector = gpu_operand(l, tile->parts[part], buffer->elem);
    for (int k = 0; k < tile->width; k += width) {
        int reg = part * tile->width + k;
        struct ir_value *index = gpu_slot_index(l, buffer, &tile->layout, reg);
        struct ir_value *at = ir_binary(&l->b, IR_OP_ADDPTR, slot, index);
        /* Slots start at multiples of 16 bytes, rows where the stride is one. */
        struct ir_attributes attributes = {.aligned =
                                               gpu_is_multiple(index, width) &&
                                               width * (int)ir_elem_bytes(buffer->elem) <= 16};
        if (width == 1)
            ir_store(&l->b, at, gpu_extract(l, vector, k), NULL);
        else
            ir_build(&l->b, (enum ir_opcode)GPU_OP_VECTOR_STORE, 2,
                     (struct ir_value *[]){at, vector}, 0, NULL, 0, &attributes);
    }
}

static struct ir_op *begin_if(struct lowering *l, struct ir_value *condition)
{
    struct ir_op *branch = ir_build(&l->b, IR_OP_IF, 1, &condition, 0, NULL, 2, NULL);
    l->b = (struct ir_builder){l->b.func, branch->regions[1], NULL, l->b.range};
    ir_build(&l->b, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
    l->b.region = branch->regions[0];
    return branch;
}

/* A part of a tile whose axes may be padded: nothing behind its end is written. */
static void put_present(struct stage *s, const struct gpu_buffer *buffer, struct ir_type type,
                        const struct gpu_tile *tile, struct ir_value *slot, int part)
{
    struct lowering *l = s->l;
    enum gpu_presence presence = gpu_presence_of(&tile->layout, type, part * tile->width);
    for (int k = 1; k < tile->width; k++) {
        if (gpu_presence_of(&tile->layout, type, part * tile->width + k) != presence)
            presence = GPU_PARTLY;
    }
    if (presence == GPU_INSIDE)
        gpu_put_part(l, buffer, tile, slot, part);
    for (int k = 0; presence == GPU_PARTLY && k < tile->width; k++) {
        int reg = part * tile->width + k;
        struct ir_value *index = gpu_slot_index(l, buffer, &tile->layout, reg);
        struct ir_value *value = gpu_operand(l, gpu_extract(l, tile->parts[part], k), buffer->elem);
        ir_store(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, slot, index), value,
                 gpu_in_tile(l, &tile->layout, type, reg));
    }
}

/* Where registers of a tile go. */
struct place {
    struct lowering *l;
    const struct gpu_buffer *buffer;
    const struct layout *layout;
    struct ir_value *slot;
};

static struct ir_value *place_of(void *user, int reg)
{
    const struct place *p = user;
    return ir_binary(&p->l->b, IR_OP_ADDPTR, p->slot,
                     gpu_slot_index(p->l, p->buffer, p->layout, reg));
}

/* The layout in which an operand's load reaches the product. */
static struct layout loaded_layout(const struct operand *o)
{
    const struct layout *layout = o->load->data;
    const struct ir_op *op = o->value->op;
    return op == o->load ? *layout : gpu_layout_before_trans(*layout, op->attributes.permutation);
}

/* Owners write the tile into the slot, or start copies of it. */
static void put_tile(struct stage *s, const struct operand *o, struct ir_value *slot)
{
    struct lowering *l = s->l;
    const struct gpu_buffer *buffer = &s->pipeline->buffers[o->copied];
    const struct gpu_tile *tile = is_async(s) ? NULL : tile_of(l, o->value);
    struct layout layout = tile ? tile->layout : loaded_layout(o);
    struct place place = {l, buffer, &layout, slot};
    struct ir_value *owns = gpu_thread_owns(l, &layout);
    struct ir_builder outside = l->b;
    struct ir_op *branch = NULL;
    if (s->late_exists) {
        gpu_copy_tile(l, o->load, place_of, &place, &s->late);
        return;
    }
    if (owns)
        branch = begin_if(l, owns);
    if (is_async(s))
        gpu_copy_tile(l, o->load, place_of, &place, NULL);
    for (int part = 0; tile && part < tile->count; part++) {
        if (gpu_register_owns(&layout, part * tile->width))
            put_present(s, buffer, o->value->type, tile, slot, part);
    }
    if (branch) {
        ir_build(&l->b, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
        l->b = outside;
    }
}

static void copy(struct stage *s, const void *user)
{
    const struct gpu_phase *phase = user;
    uint32_t done = 0;
    lower_body(s, counter_of(s, phase->region == GPU_PROLOGUE ? s->low : s->trip, phase->ahead));
    for (int d = 0; d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++) {
            const struct operand *o = &s->operands[d][side];
            for (int i = 0; !(done >> o->copied & 1) && i < s->pipeline->stages; i++) {
                if (phase->writes[o->copied] >> i & 1)
                    put_tile(s, o, s->slots[o->copied][i]);
            }
            done |= 1u << o->copied;
        }
    }
}

/* Starts late copies until so many are under way. */
static void start_late(struct stage *s, size_t count)
{
    while (s->late_done < count)
        gpu_start_copy(s->l, &s->late.items[s->late_done++], s->late_exists);
}

/* ---- turns ----------------------------------------------------------------------------------- */

static struct ir_value *slot_at(struct stage *s, int buffer, uint16_t positions)
{
    return s->slots[buffer][__builtin_ctz(positions)];
}

static void begin_turns(struct stage *s, const struct gpu_phase *phase, struct ir_value *exists)
{
    const struct gpu_pipeline *p = s->pipeline;
    for (int b = 0; b < p->buffer_count; b++) {
        const struct gpu_buffer *from = &p->buffers[b];
        if (!phase->reads[b])
            continue;
        struct gpu_turn *turn = &s->turns[s->turn_count++];
        *turn = gpu_turn_of(s->l, from, &p->buffers[from->turned]);
        turn->source = slot_at(s, b, phase->reads[b]);
        turn->target = slot_at(s, from->turned, phase->writes[from->turned]);
        if (exists)
            turn->source = ir_ternary(&s->l->b, IR_OP_SELECT, exists, turn->source,
                                      slot_at(s, b, phase->instead[b]));
    }
}

static int slices_of(const struct stage *s)
{
    int slices = 0;
    for (int i = 0; i < s->turn_count; i++)
        slices += s->turns[i].slices;
    return slices;
}

enum { SLICE = 16 }; /* elements at most */

static void move_slice(struct stage *s, int slice, bool store, struct ir_value **elements)
{
    const struct gpu_turn *turn = s->turns;
    while (slice >= turn->slices)
        slice -= turn++->slices;
    if (store)
        gpu_turn_store(s->l, turn, slice, elements);
    else
        gpu_turn_load(s->l, turn, slice, elements);
}

/* What is still to be turned, all at once. */
static void end_turns(struct stage *s)
{
    struct ir_value *elements[SLICE];
    for (int i = 0; i < slices_of(s); i++) {
        move_slice(s, i, false, elements);
        move_slice(s, i, true, elements);
    }
    s->turn_count = 0;
}

/* In gap number `gap` between products: slices are read in as many gaps as there are but the last, and
 * written in the gap behind. */
static void turn_between(struct stage *s, int gap, int gaps, struct ir_value **elements)
{
    int slices = slices_of(s);
    for (int i = 0; i < slices; i++) {
        if (gap > 0 && i * (gaps - 1) / slices == gap - 1)
            move_slice(s, i, true, elements + i * SLICE);
    }
    for (int i = 0; i < slices; i++) {
        if (i * (gaps - 1) / slices == gap)
            move_slice(s, i, false, elements + i * SLICE);
    }
}

/* ---- products -------------------------------------------------------------------------------- */

/* Fragments of a slot that a SIMD group reads: its rows (a) or columns (b). */
struct reader {
    struct lowering *l;
    const struct gpu_buffer *buffer;
    const struct gpu_fragment *fragment;
    struct ir_value *start; /* the slot */
    struct ir_value *first; /* the index of the group's first fragment of this step in it */
    struct ir_value *slot;  /* where that stands; in a swizzled one: its row */
    struct ir_value *place; /* in a swizzled one: the place in the row; else NULL */
    bool along;             /* fragments follow each other along rows of the slot */
    int64_t distance;       /* elements between two of its fragments */
};

/* One part of the lane's place in a fragment (rows, or columns) as an index: bits low.. of the
 * element that a register of the lane holds. */
static struct ir_value *lane_index_in(struct lowering *l, const struct gpu_fragment *f, int reg,
                                      int low, int count)
{
    struct layout layout = {.register_bits = f->register_bits,
                            .lane_bits = GPU_LANE_BITS,
                            .group_bits = gpu_bits_of(l->plan->groups)};
    uint32_t columns[LAYOUT_MAX_BITS] = {0};
    for (int i = 0; i < f->register_bits + GPU_LANE_BITS; i++)
        if (f->bits[i] != GPU_FRAGMENT_COPY)
            columns[i] = (1u << f->bits[i]) >> low & ((1u << count) - 1);
    return gpu_map(l, &layout, columns, 0, reg);
}

/* How many registers of a lane hold neighbours in memory: so many are loaded at once. */
static int neighbours(const struct reader *r)
{
    const struct gpu_fragment *f = r->fragment;
    int low = r->buffer->by_columns ? f->column_bits : 0, bits = 0;
    while (bits < f->register_bits && f->bits[bits] == low + bits &&
           (2 << bits) * (int)ir_elem_bytes(f->elem) <= 16)
        bits++;
    return 1 << bits;
}

/* Several neighbours into own; false where they are not seen to be aligned. */
static bool load_neighbours(const struct reader *r, int index, struct ir_value *at, int count,
                            struct ir_value **own)
{
    struct lowering *l = r->l;
    struct ir_attributes attributes = {.aligned = true};
    struct ir_type type = gpu_part_type(r->fragment->elem, count);
    at = ir_binary(&l->b, IR_OP_ADD, at, gpu_constant(l, index * r->distance));
    at = ir_binary(&l->b, IR_OP_ADD, r->first, at);
    if (count == 1 || !gpu_is_multiple(at, count))
        return false;
    at = ir_binary(&l->b, IR_OP_ADDPTR, r->start, at);
    struct ir_value *vector =
        ir_build(&l->b, (enum ir_opcode)GPU_OP_VECTOR_LOAD, 1, &at, 1, &type, 0, &attributes)
            ->results[0];
    for (int i = 0; i < count; i++)
        own[i] = gpu_extract(l, vector, i);
    return true;
}

/* Element by element, or a few at a time, where no instruction loads this order. */
static struct ir_value *gather_fragment(const struct reader *r, struct ir_value *from, int index)
{
    struct lowering *l = r->l;
    const struct gpu_fragment *f = r->fragment;
    struct ir_value *own[1 << GPU_FRAGMENT_REGISTER_BITS];
    struct ir_value *stride = gpu_constant(l, gpu_buffer_stride(r->buffer));
    struct ir_type type = gpu_fragment_type(f);
    int count = 1 << f->register_bits, together = neighbours(r);
    for (int k = 0; k < count; k++) {
        struct ir_value *row = lane_index_in(l, f, k, f->column_bits, f->row_bits);
        struct ir_value *column = lane_index_in(l, f, k, 0, f->column_bits);
        struct ir_value **far = r->buffer->by_columns ? &column : &row;
        *far = ir_binary(&l->b, IR_OP_MUL, *far, stride);
        struct ir_value *at = ir_binary(&l->b, IR_OP_ADD, row, column);
        if (k % together == 0 && load_neighbours(r, index, at, together, own + k)) {
            k += together - 1;
            continue;
        }
        own[k] = ir_load(&l->b, ir_binary(&l->b, IR_OP_ADDPTR, from, at), NULL, NULL);
    }
    struct ir_type vector = gpu_part_type(f->elem, count);
    struct ir_value *packed =
        ir_build(&l->b, (enum ir_opcode)GPU_OP_PACK, count, own, 1, &vector, 0, NULL)->results[0];
    if (f->vector)
        return packed;
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_FRAGMENT_PACK, 1, &packed, 1, &type, 0, NULL)
        ->results[0];
}

/* The operands of a load of fragment `index`; how many. */
static int load_operands(const struct reader *r, int index, struct ir_value **operands)
{
    struct lowering *l = r->l;
    struct ir_value *distance = gpu_constant(l, index * r->distance);
    operands[0] = r->slot;
    operands[1] = gpu_constant(l, gpu_buffer_stride(r->buffer));
    operands[2] = r->place;
    if (index > 0 && r->place && r->along)
        operands[2] = ir_binary(&l->b, IR_OP_ADD, r->place, distance);
    else if (index > 0)
        operands[0] = ir_binary(&l->b, IR_OP_ADDPTR, r->slot, distance);
    return r->place ? 3 : 2;
}

static struct ir_value *read_fragment(void *user, int index)
{
    const struct reader *r = user;
    struct lowering *l = r->l;
    struct ir_attributes attributes = {.columns = r->buffer->by_columns};
    struct ir_value *operands[3];
    struct ir_type type = gpu_fragment_type(r->fragment);
    int count = load_operands(r, index, operands);
    if (attributes.columns ? !r->fragment->by_columns : !r->fragment->by_rows)
        return gather_fragment(r, operands[0], index);
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_FRAGMENT_LOAD, count, operands, 1, &type, 0,
                    &attributes)
        ->results[0];
}

/* How far apart two elements are in a slot: along rows (axis 0) or columns. */
static int64_t distance_along(const struct gpu_buffer *buffer, int axis)
{
    return (axis == 0) == buffer->by_columns ? 1 : gpu_buffer_stride(buffer);
}

/* The first element of the group's part along an axis. */
static struct ir_value *group_start(struct lowering *l, const struct layout *layout, int axis)
{
    uint32_t columns[LAYOUT_MAX_BITS], offset;
    gpu_layout_axis(layout, axis, columns, &offset);
    for (int i = 0; i < layout->register_bits + layout->lane_bits; i++)
        columns[i] = 0;
    return gpu_map(l, layout, columns, 0, 0);
}

static struct reader reader_of(struct stage *s, int d, int side, int position,
                               struct ir_value *inner)
{
    struct lowering *l = s->l;
    const struct gpu_dot *dot = s->products[d].dot;
    const struct gpu_fragment *f = side ? &dot->instruction->b : &dot->instruction->a;
    int number = s->operands[d][side].buffer, outer = side ? 1 : 0;
    const struct gpu_buffer *buffer = &s->pipeline->buffers[number];
    struct ir_value *start = group_start(l, side ? &dot->b : &dot->a, outer);
    start = ir_binary(&l->b, IR_OP_MUL, start, gpu_constant(l, distance_along(buffer, outer)));
    struct ir_value *along =
        ir_binary(&l->b, IR_OP_MUL, inner, gpu_constant(l, distance_along(buffer, !outer)));
    bool in_row = distance_along(buffer, outer) == 1;
    struct ir_value *row = in_row ? along : start, *place = in_row ? start : along;
    if (!buffer->swizzled) {
        row = ir_binary(&l->b, IR_OP_ADD, start, along);
        place = NULL;
    }
    return (struct reader){
        .l = l,
        .buffer = buffer,
        .fragment = f,
        .start = s->slots[number][position],
        .first = row,
        .slot = ir_binary(&l->b, IR_OP_ADDPTR, s->slots[number][position], row),
        .place = place,
        .along = in_row,
        .distance = distance_along(buffer, outer) << (side ? f->column_bits : f->row_bits),
    };
}

static struct ir_value *row_of(void *user, int index)
{
    return ((const struct fragments *)user)->rows[index];
}

static struct ir_value *column_of(void *user, int index)
{
    return ((const struct fragments *)user)->columns[index];
}

/* Neighbours of b are loaded by twos where one instruction does that. */
static bool loads_pairs(const struct reader *r, const struct gpu_product *p)
{
    const struct gpu_instruction *i = p->dot->instruction;
    return i->backend == GPU_BACKEND_MMA && p->columns > 1 &&
           (r->buffer->by_columns ? i->b.by_columns : i->b.by_rows);
}

static void read_pair(const struct reader *r, int index, struct ir_value **two)
{
    struct lowering *l = r->l;
    struct ir_attributes attributes = {.columns = r->buffer->by_columns};
    struct ir_type type = gpu_fragment_type(r->fragment), types[] = {type, type};
    struct ir_value *operands[3];
    int count = load_operands(r, index, operands);
    const struct ir_op *op = ir_build(&l->b, (enum ir_opcode)GPU_OP_FRAGMENT_LOAD_PAIR, count,
                                      operands, 2, types, 0, &attributes);
    two[0] = op->results[0];
    two[1] = op->results[1];
}

static struct fragments load_step(struct stage *s, int d, int position, struct ir_value *inner)
{
    struct lowering *l = s->l;
    const struct gpu_product *p = &s->products[d];
    struct reader a = reader_of(s, d, 0, position, inner), b = reader_of(s, d, 1, position, inner);
    struct fragments f = {ARENA_ARRAY(l->arena, struct ir_value *, (size_t)p->rows),
                          ARENA_ARRAY(l->arena, struct ir_value *, (size_t)p->columns)};
    for (int i = 0; i < p->rows; i++)
        f.rows[i] = read_fragment(&a, i);
    bool pairs = loads_pairs(&b, p);
    for (int j = 0; pairs && j < p->columns; j += 2)
        read_pair(&b, j, f.columns + j);
    for (int j = 0; !pairs && j < p->columns; j++)
        f.columns[j] = read_fragment(&b, j);
    return f;
}

static void multiply_loaded(struct stage *s, int d, struct fragments *f)
{
    gpu_multiply_step(s->l, &s->products[d], s->sums[d], (struct gpu_fragment_source){row_of, f},
                      (struct gpu_fragment_source){column_of, f}, NULL, NULL);
}

/* Fragments of a step that are loaded one after the other between the products of the step before. */
struct ahead {
    struct reader a, b;
    struct fragments f;
    int loaded, rows, count;
};

static void load_one(struct ahead *next)
{
    int i = next->loaded++;
    if (i < next->rows)
        next->f.rows[i] = read_fragment(&next->a, i);
    else
        next->f.columns[i - next->rows] = read_fragment(&next->b, i - next->rows);
}

enum { LOADS_BETWEEN = 2 };

static void load_some(void *user)
{
    struct ahead *next = user;
    for (int i = 0; i < LOADS_BETWEEN && next->loaded < next->count; i++)
        load_one(next);
}

/* Vectors are loaded between the products: where all stand in front of them, NVIDIA's compiler moves them
 * down to their uses, and threads wait. */
static struct fragments multiply_and_load(struct stage *s, int d, int position,
                                          struct ir_value *inner, struct fragments *now)
{
    struct arena *arena = s->l->arena;
    const struct gpu_product *p = &s->products[d];
    struct ahead next = {.a = reader_of(s, d, 0, position, inner),
                         .b = reader_of(s, d, 1, position, inner),
                         .f = {ARENA_ARRAY(arena, struct ir_value *, (size_t)p->rows),
                               ARENA_ARRAY(arena, struct ir_value *, (size_t)p->columns)},
                         .rows = p->rows,
                         .count = p->rows + p->columns};
    gpu_multiply_step(s->l, p, s->sums[d], (struct gpu_fragment_source){row_of, now},
                      (struct gpu_fragment_source){column_of, now}, load_some, &next);
    while (next.loaded < next.count)
        load_one(&next);
    return next.f;
}

/* So many steps, each one's fragments loaded in front of the products of the one before. The first
 * step's may be there already; the last products are then left for the fetch. */
static void multiply_ahead(struct stage *s, int d, int position, struct ir_value *start, int steps)
{
    struct lowering *l = s->l;
    int64_t width = INT64_C(1) << s->products[d].dot->instruction->a.column_bits;
    struct fragments now =
        s->pipeline->fetches ? s->fetched : load_step(s, d, position, start);
    struct ir_value **turned = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)(slices_of(s) + 1) * SLICE);
    if (steps < 3)
        end_turns(s);
    for (int k = 1; k < steps; k++) {
        struct ir_value *at = ir_binary(&l->b, IR_OP_ADD, start, gpu_constant(l, k * width));
        struct fragments next;
        if (s->products[d].dot->instruction->c.vector) {
            next = multiply_and_load(s, d, position, at, &now);
        } else {
            next = load_step(s, d, position, at);
            start_late(s, s->late.count * (size_t)k / (size_t)(steps - 1));
            multiply_loaded(s, d, &now);
        }
        now = next;
        turn_between(s, k - 1, steps - 1, turned);
    }
    s->turn_count = 0;
    s->last = now;
    if (!s->pipeline->fetches)
        multiply_loaded(s, d, &now);
}

static void multiply_step(struct stage *s, int d, int position, struct ir_value *inner)
{
    struct reader a = reader_of(s, d, 0, position, inner);
    struct reader b = reader_of(s, d, 1, position, inner);
    gpu_multiply_step(s->l, &s->products[d], s->sums[d],
                      (struct gpu_fragment_source){read_fragment, &a},
                      (struct gpu_fragment_source){read_fragment, &b}, NULL, NULL);
}

/* How many sets of groups share the inner axis of a dot. */
static int split_of(const struct stage *s, int d)
{
    return s->products[d].dot->split;
}

/* Steps along the inner axis, of the group's part of it. */
static int steps_of(const struct stage *s, int d)
{
    return s->products[d].steps / split_of(s, d);
}

/* Where the group's part begins. */
static struct ir_value *inner_start(struct stage *s, int d)
{
    struct lowering *l = s->l;
    int64_t width = INT64_C(1) << s->products[d].dot->instruction->a.column_bits;
    if (split_of(s, d) == 1)
        return gpu_constant(l, 0);
    return ir_binary(&l->b, IR_OP_MUL, gpu_split_index(l, split_of(s, d)),
                     gpu_constant(l, steps_of(s, d) * width));
}

enum { MOST_MULTIPLICATIONS = 4096 }; /* of a lane's registers, in straight-line code */
enum { MOST_REGISTERS = 208, OTHER_REGISTERS = 22 }; /* for sums and fragments; for all but these */

/* 32-bit registers that so many fragments take in each lane. */
static int registers_of(const struct gpu_fragment *f, int count)
{
    return count * (int)ir_elem_bytes(f->elem) * (1 << f->register_bits) / 4;
}

/* Of a product: its sums, and the fragments of two steps. */
static int product_registers(const struct gpu_product *p)
{
    const struct gpu_instruction *i = p->dot->instruction;
    int operands = registers_of(&i->a, p->rows) + registers_of(&i->b, p->columns);
    return registers_of(&i->c, p->rows * p->columns) + 2 * operands;
}

/* Whether the steps are written out, and fragments loaded ahead: where registers hold two steps'. Not
 * where each multiplication is an op of its own: the text becomes so long that compiling takes seconds. */
static bool loads_ahead(const struct stage *s, int d)
{
    const struct gpu_product *p = &s->products[d];
    const struct gpu_instruction *i = p->dot->instruction;
    int64_t each = INT64_C(1) << i->c.register_bits;
    bool single = i->c.vector && i->a.column_bits > 0;
    return s->l->schedule->preload && !single && product_registers(p) <= MOST_REGISTERS &&
           steps_of(s, d) * p->rows * p->columns * each <= MOST_MULTIPLICATIONS;
}

/* Whether copies can be started between the products of the trip that they are started in: all that
 * a trip computes for them may be computed for a trip that there is not. */
static bool starts_late(struct stage *s, const struct gpu_phase *phase)
{
    const struct ir_region *body = s->loop->regions[0];
    if (phase->region != GPU_STEADY || !s->pipeline->guarded || s->carried.count > 0 ||
        s->products[0].dot->instruction->backend != GPU_BACKEND_MMA || !loads_ahead(s, 0))
        return false;
    for (const struct ir_op *op = body->first; op != body->last; op = op->next) {
        if (!is_dot(s, op) && !is_copied(s, op) && !ir_has(op, IR_PURE))
            return false;
    }
    for (int i = 0; i < 2 * s->form->form.count; i++) {
        struct layout layout = loaded_layout(&s->operands[i / 2][i % 2]);
        if (gpu_thread_owns(s->l, &layout))
            return false;
    }
    return true;
}

/* Whether fragments are also loaded across the barrier. Vectors of single multiplications are not: with
 * as many sums as registers hold they would spill. */
static bool fetches(const struct stage *s)
{
    return s->form->form.count == 1 && loads_ahead(s, 0) &&
           !s->products[0].dot->instruction->c.vector;
}

/* Two programs on a multiprocessor hide each other's barriers: where memory and registers are enough,
 * the compiler is held to that. */
static int resident_programs(struct stage *s)
{
    const struct gpu_target *target = s->l->plan->target;
    int registers = product_registers(&s->products[0]) + OTHER_REGISTERS;
    if (!s->pipeline->guarded || s->form->form.count > 1 || !loads_ahead(s, 0))
        return 0;
    for (int side = 0; side < 2; side++) { /* an address for each copy */
        const struct operand *o = &s->operands[0][side];
        registers += s->pipeline->buffers[o->buffer].copied / s->l->plan->threads /
                     gpu_can_copy(s->l, o->load);
    }
    bool fits = 2 * gpu_pipeline_bytes(s->pipeline) <= target->resident_shared_bytes &&
                2 * registers * s->l->plan->threads <= target->resident_registers;
    return fits ? 2 : 0;
}

/* for the inner axis, or the group's part of it, fragment by fragment */
static void multiply(struct stage *s, int d, int position)
{
    struct lowering *l = s->l;
    const struct gpu_product *p = &s->products[d];
    int count = p->rows * p->columns, width = 1 << p->dot->instruction->a.column_bits;
    int steps = steps_of(s, d);
    struct ir_value *start = inner_start(s, d);
    if (s->pipeline->guarded && loads_ahead(s, d)) {
        multiply_ahead(s, d, position, start, steps);
        return;
    }
    end_turns(s);
    if (steps == 1) {
        multiply_step(s, d, position, start);
        return;
    }
    struct ir_value **operands = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)count + 3);
    struct ir_type *types = ARENA_ARRAY(l->arena, struct ir_type, (size_t)count);
    operands[0] = gpu_constant(l, 0);
    operands[1] = gpu_constant(l, (int64_t)steps * width);
    operands[2] = gpu_constant(l, width);
    for (int i = 0; i < count; i++) {
        operands[3 + i] = s->sums[d][i];
        types[i] = s->sums[d][i]->type;
    }
    struct ir_op *loop = ir_build(&l->b, IR_OP_FOR, count + 3, operands, count, types, 1, NULL);
    struct ir_region *body = loop->regions[0];
    struct ir_builder outside = l->b;
    struct ir_value *inner = ir_region_add_argument(l->b.func, body, ir_scalar(IR_I64), "kk");
    l->b.region = body;
    l->b.before = NULL;
    for (int i = 0; i < count; i++)
        s->sums[d][i] = ir_region_add_argument(l->b.func, body, types[i], "sum");
    multiply_step(s, d, position, ir_binary(&l->b, IR_OP_ADD, start, inner));
    ir_build(&l->b, IR_OP_YIELD, count, s->sums[d], 0, NULL, 0, NULL);
    l->b = outside;
    for (int i = 0; i < count; i++)
        s->sums[d][i] = loop->results[i];
}

/* The operands of one dot are read from the same position, that of its a. */
static void compute(struct stage *s, const void *user)
{
    const struct gpu_phase *phase = user;
    for (int d = 0; d < s->form->form.count; d++) {
        for (int i = 0; i < s->pipeline->stages; i++) {
            if (phase->reads[s->operands[d][0].buffer] >> i & 1)
                multiply(s, d, i);
        }
    }
}

/* Of the first step of another trip. If there is not that trip, what is loaded is of no use: a branch around the loads would draw
 * their addresses' arithmetic into the loop. */
static void fetch(struct stage *s, const void *user)
{
    const struct gpu_phase *phase = user;
    for (int i = 0; i < s->pipeline->stages; i++) {
        if (phase->reads[s->operands[0][0].buffer] >> i & 1)
            s->fetched = load_step(s, 0, i, inner_start(s, 0));
    }
}

/* ---- phases ---------------------------------------------------------------------------------- */

static void rotate(struct stage *s, const struct gpu_phase *phase)
{
    for (int b = 0; b < s->pipeline->buffer_count; b++) {
        struct ir_value **slots = s->slots[b], *first = slots[0];
        int count = gpu_buffer_slots(s->pipeline, &s->pipeline->buffers[b]);
        for (int i = 0; phase->rotates[b] && i + 1 < count; i++)
            slots[i] = slots[i + 1];
        if (phase->rotates[b])
            slots[count - 1] = first;
    }
}

/* Counts and waits for groups of copies, one group a phase; -1: counts. */
static void mark_copies(struct stage *s, int in_flight)
{
    struct ir_attributes attributes = {.number = in_flight < 0 ? 0 : in_flight};
    int code = in_flight < 0 ? GPU_OP_COPIES_COMMIT : GPU_OP_COPIES_WAIT;
    if (is_async(s))
        ir_build(&s->l->b, (enum ir_opcode)code, 0, NULL, 0, NULL, 0, &attributes);
}

/* Whether there is the trip that a phase is about; NULL: there is. */
static struct ir_value *condition_of(struct stage *s, const struct gpu_phase *phase)
{
    if (phase->region != GPU_STEADY)
        return phase->ahead > 0 ? has_trip(s, phase->ahead) : NULL;
    if (!s->pipeline->guarded || phase->ahead == 0 || phase->kind == GPU_PHASE_FETCH)
        return NULL;
    return ir_binary(&s->l->b, IR_OP_LT, s->trip, below_high(s, phase->ahead * s->width));
}

/* A copy that is left out is still a group, an empty one, so that barriers always count the same. */
static void emit_phase(struct stage *s, const struct gpu_phase *phase)
{
    static void (*const bodies[])(struct stage *, const void *) = {
        [GPU_PHASE_COPY] = copy, [GPU_PHASE_COMPUTE] = compute, [GPU_PHASE_FETCH] = fetch};
    static const int kinds[] = {
        [GPU_PHASE_COPY] = CARRIED, [GPU_PHASE_COMPUTE] = SUMS, [GPU_PHASE_FETCH] = FETCHED};
    if (phase->kind != GPU_PHASE_COMPUTE)
        end_turns(s);
    if (phase->kind == GPU_PHASE_BARRIER) {
        mark_copies(s, phase->in_flight);
        gpu_barrier(s->l, phase->scope);
        return;
    }
    if (phase->kind == GPU_PHASE_ROTATE) {
        rotate(s, phase);
        return;
    }
    struct ir_value *condition = condition_of(s, phase);
    if (phase->kind == GPU_PHASE_TURN) {
        begin_turns(s, phase, condition);
        return;
    }
    if (phase->kind == GPU_PHASE_COPY && starts_late(s, phase)) {
        s->late_exists = condition;
        copy(s, phase);
        return;
    }
    if (condition)
        conditionally(s, condition, kinds[phase->kind], bodies[phase->kind], phase);
    else
        bodies[phase->kind](s, phase);
    if (phase->kind == GPU_PHASE_COMPUTE)
        start_late(s, s->late.count);
    if (phase->kind == GPU_PHASE_COPY || (phase->kind == GPU_PHASE_COMPUTE && s->late_exists))
        mark_copies(s, -1);
    if (phase->kind == GPU_PHASE_FETCH && phase->region == GPU_STEADY)
        multiply_loaded(s, 0, &s->last);
}

static void emit_phases(struct stage *s, enum gpu_pipeline_region region)
{
    for (int i = 0; i < s->pipeline->phase_count; i++) {
        if (s->pipeline->phases[i].region == region)
            emit_phase(s, &s->pipeline->phases[i]);
    }
}

static void emit_steady(struct stage *s)
{
    struct lowering *l = s->l;
    struct gpu_value_list list = {0};
    ARENA_PUSH(l->arena, &list, s->low);
    int left = s->pipeline->guarded ? 0 : s->pipeline->stages - 1; /* trips for the drain */
    ARENA_PUSH(l->arena, &list, below_high(s, left * s->width));
    ARENA_PUSH(l->arena, &list, s->step);
    collect(s, &list, ALL);
    int count = (int)list.count - 3;
    struct ir_type *types = types_of(s, &list);
    struct ir_op *loop =
        ir_build(&l->b, IR_OP_FOR, (int)list.count, list.items, count, types + 3, 1, NULL);
    struct ir_region *body = loop->regions[0];
    struct ir_builder outside = l->b;
    s->trip = ir_region_add_argument(l->b.func, body, ir_scalar(IR_I64),
                                     s->loop->regions[0]->arguments[0]->name);
    for (int i = 0; i < count; i++)
        ir_region_add_argument(l->b.func, body, types[3 + i], list.items[3 + i]->name);
    l->b.region = body;
    l->b.before = NULL;
    replace(s, body->arguments + 1, ALL);
    l->loop_depth++;
    emit_phases(s, GPU_STEADY);
    l->loop_depth--;
    yield(s, ALL);
    l->b = outside;
    replace(s, loop->results, ALL);
}

static void emit_trips(struct stage *s, const void *user)
{
    (void)user;
    emit_phases(s, GPU_PROLOGUE);
    emit_steady(s);
    emit_phases(s, GPU_DRAIN);
}

/* ---- setting up ------------------------------------------------------------------------------ */

static const char letters[] = "abcdefgh";

/* Neighbours of a thread, or of neighbouring threads, lie side by side. */
static bool lies_by_columns(const struct layout *layout, const struct gpu_plan *plan)
{
    int first = gpu_layout_width(layout, plan) > 1 ? 0 : layout->register_bits;
    return layout->rank == 2 && layout->basis[first] >= 1u << layout->axis_bits[1];
}

/* The buffer for an operand: that of the same value in the same role, or a new one. */
static int buffer_for(struct stage *s, int dot, int side)
{
    struct gpu_pipeline *p = s->pipeline;
    const struct ir_value *value = s->form->form.dots[dot].op->operands[side];
    for (int d = 0; d < dot; d++) {
        if (s->operands[d][side].value == value)
            return s->operands[d][side].buffer;
    }
    struct layout layout = gpu_home(value) ? gpu_home(value)->layout : (struct layout){0};
    struct gpu_buffer *buffer = &p->buffers[p->buffer_count];
    *buffer = gpu_operand_buffer(s->products[dot].dot, side, value->type, s->l->schedule->padded,
                                 lies_by_columns(&layout, s->l->plan));
    buffer->name = arena_format(s->l->arena, "shared_%c", letters[p->buffer_count]);
    return p->buffer_count++;
}

static bool too_many_stages(struct stage *s)
{
    struct lowering *l = s->l;
    struct diagnostic *added =
        diagnostics_add(l->diagnostics, DIAGNOSTIC_ERROR, s->loop->range,
                        "the target '%s' cannot meet the requirement 'buffering = %d'",
                        l->plan->target->name, l->plan->stages);
    diagnostics_hint(
        l->diagnostics, added,
        "the pipeline of this loop needs %lld bytes of threadgroup memory, there are %d",
        (long long)gpu_pipeline_bytes(s->pipeline), l->plan->target->shared_bytes);
    return false;
}

/* Whether asynchronous copies of the operand may write the buffer: it is a load whose accesses can be
 * copies, and these lie in a slot as they do in device memory. */
static bool can_be_async(struct stage *s, const struct operand *o, const struct gpu_buffer *buffer)
{
    if (!o->load || o->load->results[0]->type.elem != buffer->elem)
        return false;
    struct layout layout = loaded_layout(o);
    int elements = gpu_can_copy(s->l, o->load);
    return elements > 0 && lies_along(buffer, &layout, elements) &&
           gpu_buffer_stride(buffer) % elements == 0;
}

static enum gpu_mechanism mechanism_of(struct stage *s)
{
    bool async = s->l->schedule->async && s->pipeline->stages > 1;
    for (int d = 0; d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++) {
            const struct operand *o = &s->operands[d][side];
            async = async && can_be_async(s, o, &s->pipeline->buffers[o->copied]);
        }
    }
    return async ? GPU_MECHANISM_ASYNC : GPU_MECHANISM_SOFTWARE;
}

/* Swizzled instead of padded are buffers that instructions load fragments from. */
static void swizzle_buffers(struct stage *s)
{
    for (int d = 0; d < s->form->form.count; d++) {
        const struct gpu_instruction *i = s->products[d].dot->instruction;
        for (int side = 0; side < 2; side++) {
            struct gpu_buffer *buffer = &s->pipeline->buffers[s->operands[d][side].buffer];
            const struct gpu_fragment *f = side ? &i->b : &i->a;
            int row = buffer->by_columns ? buffer->rows : buffer->columns;
            if (!(buffer->by_columns ? f->by_columns : f->by_rows) || row & (row - 1))
                continue;
            buffer->padding = 0;
            buffer->swizzled = true;
        }
    }
}

/* A further buffer for an operand that asynchronous copies can only bring in the other order. */
static void land(struct stage *s, struct operand *o)
{
    struct gpu_pipeline *p = s->pipeline;
    struct gpu_buffer *buffer = &p->buffers[o->buffer], landing = gpu_landing_buffer(buffer);
    if (can_be_async(s, o, buffer) || !can_be_async(s, o, &landing))
        return;
    for (int b = 0; buffer->lands && b < p->buffer_count; b++) {
        if (p->buffers[b].landing && p->buffers[b].turned == o->buffer)
            o->copied = b;
    }
    if (buffer->lands)
        return;
    buffer->lands = true;
    landing.turned = o->buffer;
    landing.name = arena_format(s->l->arena, "%s_landing", buffer->name);
    o->copied = p->buffer_count++;
    p->buffers[o->copied] = landing;
}

/* Where an operand cannot land either, none does: then threads copy all of them. */
static void land_operands(struct stage *s)
{
    struct gpu_pipeline *p = s->pipeline;
    const struct gpu_target *target = s->l->plan->target;
    int count = p->buffer_count;
    for (int d = 0; s->l->schedule->turns && d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++)
            land(s, &s->operands[d][side]);
    }
    p->stages = GPU_LANDING_STAGES;
    if (p->buffer_count == count || (gpu_pipeline_bytes(p) <= target->shared_bytes &&
                                     mechanism_of(s) == GPU_MECHANISM_ASYNC))
        return;
    p->buffer_count = count;
    for (int d = 0; d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++) {
            struct operand *o = &s->operands[d][side];
            o->copied = o->buffer;
            p->buffers[o->buffer].lands = false;
        }
    }
}

/* As many stages as planned; fewer where memory ends, unless they are required. */
static bool make_pipeline(struct stage *s)
{
    struct lowering *l = s->l;
    const struct gpu_plan *plan = l->plan;
    struct gpu_pipeline *p = s->pipeline;
    p->groups = plan->groups;
    land_operands(s);
    p->stages = l->schedule->stages < plan->stages ? l->schedule->stages : plan->stages;
    if (l->schedule->swizzled && mechanism_of(s) == GPU_MECHANISM_ASYNC)
        swizzle_buffers(s);
    while (gpu_pipeline_bytes(p) > plan->target->shared_bytes) {
        l->too_large = p->stages == 1;
        if (plan->required_stages && plan->stages > 1)
            return too_many_stages(s);
        if (l->too_large)
            return false;
        p->stages--;
    }
    enum gpu_mechanism mechanism = mechanism_of(s);
    /* Threads that copy themselves wait for what they load: more stages bring nothing. */
    if (mechanism == GPU_MECHANISM_SOFTWARE && l->schedule->async && !plan->required_stages &&
        p->stages > 2)
        p->stages = 2;
    gpu_pipeline_schedule(p, p->stages, mechanism, fetches(s), l->arena);
    int resident = resident_programs(s);
    l->resident = resident > l->resident ? resident : l->resident;
    ARENA_PUSH(l->arena, &l->pipelines, p);
    if (l->options && l->options->on_pipeline && !l->options->on_pipeline(l->options->user, p))
        return true;
    return gpu_pipeline_verify(p, plan->target, s->loop->range, l->diagnostics);
}

/* Slots of loops that come one after the other are the same memory: the drain leaves them free. */
static struct ir_value *slot_of(struct lowering *l, const struct gpu_buffer *buffer, int number)
{
    const char *name = arena_format(l->arena, "%s_%d", buffer->name, number);
    return gpu_staging(l, name, buffer->elem, gpu_buffer_elements(buffer),
                       gpu_buffer_padding(buffer));
}

/* Each set of SIMD groups needs a part of the inner axis. */
static bool check_split(struct stage *s)
{
    struct lowering *l = s->l;
    for (int d = 0; d < s->form->form.count; d++) {
        if (!l->plan->required_split || split_of(s, d) == l->plan->split)
            continue;
        struct diagnostic *added =
            diagnostics_add(l->diagnostics, DIAGNOSTIC_ERROR, s->loop->range,
                            "the target '%s' cannot meet the requirement 'split_k = %d'",
                            l->plan->target->name, l->plan->split);
        diagnostics_hint(l->diagnostics, added,
                         "the inner axis of a trip's tiles has %d fragments to share",
                         s->products[d].steps);
        return false;
    }
    return true;
}

static void set_up(struct stage *s)
{
    struct lowering *l = s->l;
    const struct plan_dot_loop *form = &s->form->form;
    for (int d = 0; d < form->count; d++) {
        s->products[d] = gpu_product_of(l, form->dots[d].op);
        for (int side = 0; side < 2; side++) {
            s->operands[d][side].buffer = buffer_for(s, d, side);
            s->operands[d][side].value = form->dots[d].op->operands[side];
            s->operands[d][side].copied = s->operands[d][side].buffer;
            s->operands[d][side].load = gpu_operand_load(s->loop, form, s->operands[d][side].value);
        }
    }
    s->low = gpu_scalar(s->loop->operands[0]);
    s->high = gpu_scalar(s->loop->operands[1]);
    s->step = gpu_scalar(s->loop->operands[2]);
    ir_constant_int(s->loop->operands[2], &s->width);
    for (int k = 0; k < s->loop->result_count; k++) {
        const struct ir_value *argument = s->loop->regions[0]->arguments[1 + k];
        if (!plan_is_sum(form, k))
            gpu_push_lowered(l, &s->carried, s->loop->operands[3 + k],
                             argument->type.rank > 0 ? &gpu_home(argument)->layout : NULL);
    }
}

static void start_sums(struct stage *s)
{
    const struct plan_dot_loop *form = &s->form->form;
    for (int d = 0; d < form->count; d++) {
        const struct gpu_dot *dot = s->products[d].dot;
        if (d > 0 && form->dots[d].carried == form->dots[d - 1].carried) {
            s->sums[d] = s->sums[d - 1];
            continue;
        }
        const struct ir_value *start = s->loop->operands[3 + form->dots[d].carried];
        struct gpu_tile tile = *gpu_tile(s->l, start, &dot->c);
        struct ir_value *const *parts = tile.parts;
        gpu_new_parts(s->l, &tile);
        for (int i = 0; i < tile.count; i++)
            tile.parts[i] = parts[i];
        if (split_of(s, d) > 1)
            gpu_split_start(s->l, &tile, split_of(s, d));
        s->sums[d] = gpu_pack_fragments(s->l, &dot->instruction->c, &tile);
    }
}

static void finish(struct stage *s)
{
    const struct plan_dot_loop *form = &s->form->form;
    struct ir_value *const *next = s->carried.items;
    for (int k = 0; k < s->loop->result_count; k++) {
        struct ir_value *result = s->loop->results[k];
        if (!plan_is_sum(form, k))
            next = gpu_bind(s->l, result, next);
    }
    for (int d = 0; d < form->count; d++) {
        const struct gpu_product *p = &s->products[d];
        struct gpu_tile *tile = gpu_home(s->loop->results[form->dots[d].carried]);
        if (d > 0 && s->sums[d] == s->sums[d - 1])
            continue;
        if (split_of(s, d) == 1) {
            gpu_unpack_fragments(s->l, tile, s->sums[d], p->rows * p->columns);
            continue;
        }
        struct gpu_tile partial = {.layout = p->dot->c, .width = gpu_layout_width(&p->dot->c, s->l->plan)};
        partial.count = (1 << partial.layout.register_bits) / partial.width;
        gpu_new_parts(s->l, &partial);
        gpu_unpack_fragments(s->l, &partial, s->sums[d], p->rows * p->columns);
        gpu_split_sum(s->l, &partial, tile, s->loop->results[form->dots[d].carried]->type,
                      split_of(s, d));
    }
}

void gpu_stage_loop(struct lowering *l, const struct ir_op *op)
{
    struct stage s = {
        .l = l, .loop = op, .form = op->data, .pipeline = ARENA_NEW(l->arena, struct gpu_pipeline)};
    set_up(&s);
    if (!check_split(&s) || !make_pipeline(&s)) {
        l->failed = true;
        return;
    }
    gpu_note_loop(l, op);
    if (l->fetches_late || (s.pipeline->fetches && l->loop_depth > 0)) /* from the slots, behind the last trip */
        gpu_barrier(l, IR_SCOPE_THREADGROUP);
    l->fetches_late = l->fetches_late || s.pipeline->fetches;
    struct access_list before = gpu_save_pending(l);
    for (int b = 0; b < s.pipeline->buffer_count; b++) {
        for (int i = 0; i < gpu_buffer_slots(s.pipeline, &s.pipeline->buffers[b]); i++)
            s.slots[b][i] = slot_of(l, &s.pipeline->buffers[b], i);
    }
    start_sums(&s);
    conditionally(&s, has_trip(&s, 0), SUMS | CARRIED, emit_trips, NULL);
    l->pending = before;
    gpu_note_region(l, op->regions[0], op, false);
    finish(&s);
}
