/*
 * Products of a staged loop (stage.c): the steps of one trip along the inner axis, of which each
 * adds fragments' products to the sums.
 *
 * Where registers hold the fragments of two steps, the steps are written out and each one's
 * fragments are loaded ahead, in front of or between the products of the step before; copies and
 * turns go into the gaps. Elsewhere the steps are a loop.
 */
#include "gpu/reader.h"
#include "gpu/stage.h"

static struct ir_value *row_of(void *user, int index)
{
    return ((const struct fragments *)user)->rows[index];
}

static struct ir_value *column_of(void *user, int index)
{
    return ((const struct fragments *)user)->columns[index];
}

static struct gpu_reader reader_of(struct stage *s, int d, int side, int position,
                                   struct ir_value *inner)
{
    int number = s->operands[d][side].buffer;
    return gpu_reader_of(s->l, s->products[d].dot, side, &s->pipeline->buffers[number],
                         s->slots[number][position], inner);
}

static struct fragments load_step(struct stage *s, int d, int position, struct ir_value *inner)
{
    struct lowering *l = s->l;
    const struct gpu_product *p = &s->products[d];
    struct gpu_reader a = reader_of(s, d, 0, position, inner);
    struct gpu_reader b = reader_of(s, d, 1, position, inner);
    struct fragments f = {ARENA_ARRAY(l->arena, struct ir_value *, (size_t)p->rows),
                          ARENA_ARRAY(l->arena, struct ir_value *, (size_t)p->columns)};
    for (int i = 0; i < p->rows; i++)
        f.rows[i] = gpu_read_fragment(&a, i);
    bool pairs = gpu_reads_pairs(&b, p);
    for (int j = 0; pairs && j < p->columns; j += 2)
        gpu_read_pair(&b, j, f.columns + j);
    for (int j = 0; !pairs && j < p->columns; j++)
        f.columns[j] = gpu_read_fragment(&b, j);
    return f;
}

void gpu_stage_multiply_loaded(struct stage *s, int d, struct fragments *f)
{
    gpu_multiply_step(s->l, &s->products[d], s->sums[d], (struct gpu_fragment_source){row_of, f},
                      (struct gpu_fragment_source){column_of, f}, NULL, NULL);
}

/* ---- fragments loaded ahead ------------------------------------------------------------------ */

/* Fragments of a step that are loaded one by one between the products of the step before. */
struct ahead {
    struct gpu_reader a, b;
    struct fragments f;
    int loaded, rows, count;
    int together; /* loads between two products */
};

static void load_one(struct ahead *next)
{
    int i = next->loaded++;
    if (i < next->rows)
        next->f.rows[i] = gpu_read_fragment(&next->a, i);
    else
        next->f.columns[i - next->rows] = gpu_read_fragment(&next->b, i - next->rows);
}

static void load_some(void *user)
{
    struct ahead *next = user;
    for (int i = 0; i < next->together && next->loaded < next->count; i++)
        load_one(next);
}

/* Vectors are loaded between the products: where all stand in front of them, NVIDIA's compiler moves them
 * down to their uses, and threads wait. Two at a time; where slices are turned, too, it moves many of those,
 * and fewer of single ones (docs/benchmarks-nvidia.md). */
static struct fragments multiply_and_load(struct stage *s, int d, int position,
                                          struct ir_value *inner, struct fragments *now)
{
    struct arena *arena = s->l->arena;
    const struct gpu_product *p = &s->products[d];
    struct ahead next = {.f = {ARENA_ARRAY(arena, struct ir_value *, (size_t)p->rows),
                               ARENA_ARRAY(arena, struct ir_value *, (size_t)p->columns)},
                         .rows = p->rows,
                         .count = p->rows + p->columns,
                         .together = s->turn_count > 0 ? 1 : 2};
    next.a = reader_of(s, d, 0, position, inner);
    next.b = reader_of(s, d, 1, position, inner);
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
    struct fragments now = s->pipeline->fetches ? s->fetched : load_step(s, d, position, start);
    size_t room = (size_t)(gpu_stage_slices(s) + 1) * STAGE_SLICE;
    struct ir_value **turned = ARENA_ARRAY(l->arena, struct ir_value *, room);
    if (steps < 3)
        gpu_stage_end_turns(s);
    for (int k = 1; k < steps; k++) {
        struct ir_value *at = ir_binary(&l->b, IR_OP_ADD, start, gpu_constant(l, k * width));
        struct fragments next;
        if (s->products[d].dot->instruction->c.vector) {
            next = multiply_and_load(s, d, position, at, &now);
        } else {
            next = load_step(s, d, position, at);
            gpu_stage_start_late(s, s->late.count * (size_t)k / (size_t)(steps - 1));
            gpu_stage_multiply_loaded(s, d, &now);
        }
        now = next;
        gpu_stage_turn_between(s, k - 1, steps - 1, turned);
    }
    s->turn_count = 0;
    s->last = now;
    if (!s->pipeline->fetches)
        gpu_stage_multiply_loaded(s, d, &now);
}

/* ---- one trip -------------------------------------------------------------------------------- */

static void multiply_step(struct stage *s, int d, int position, struct ir_value *inner)
{
    struct gpu_reader a = reader_of(s, d, 0, position, inner);
    struct gpu_reader b = reader_of(s, d, 1, position, inner);
    gpu_multiply_step(s->l, &s->products[d], s->sums[d],
                      (struct gpu_fragment_source){gpu_read_fragment, &a},
                      (struct gpu_fragment_source){gpu_read_fragment, &b}, NULL, NULL);
}

int gpu_stage_split(const struct stage *s, int d)
{
    return s->products[d].dot->split;
}

int gpu_stage_steps(const struct stage *s, int d)
{
    return s->products[d].steps / gpu_stage_split(s, d);
}

/* Where the group's part begins. */
static struct ir_value *inner_start(struct stage *s, int d)
{
    struct lowering *l = s->l;
    int64_t width = INT64_C(1) << s->products[d].dot->instruction->a.column_bits;
    if (gpu_stage_split(s, d) == 1)
        return gpu_constant(l, 0);
    struct ir_value *part = gpu_constant(l, gpu_stage_steps(s, d) * width);
    return ir_binary(&l->b, IR_OP_MUL, gpu_split_index(l, gpu_stage_split(s, d)), part);
}

/* for the inner axis, or the group's part of it, fragment by fragment */
static void multiply(struct stage *s, int d, int position)
{
    struct lowering *l = s->l;
    const struct gpu_product *p = &s->products[d];
    int count = p->rows * p->columns, width = 1 << p->dot->instruction->a.column_bits;
    int steps = gpu_stage_steps(s, d);
    struct ir_value *start = inner_start(s, d);
    if (s->pipeline->guarded && gpu_stage_loads_ahead(s, d)) {
        multiply_ahead(s, d, position, start, steps);
        return;
    }
    gpu_stage_end_turns(s);
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
void gpu_stage_compute(struct stage *s, const void *user)
{
    const struct gpu_phase *phase = user;
    gpu_stage_begin_products(s);
    for (int d = 0; d < s->form->form.count; d++) {
        for (int i = 0; i < s->pipeline->stages; i++) {
            if (!(phase->reads[s->operands[d][0].buffer] >> i & 1))
                continue;
            if (s->pipeline->starts)
                gpu_stage_start_products(s, d, i);
            else
                multiply(s, d, i);
        }
    }
    gpu_stage_end_products(s);
}

/* Of the first step of another trip. If there is not that trip, what is loaded is of no use: a
 * branch around the loads would draw their addresses' arithmetic into the loop. */
void gpu_stage_fetch(struct stage *s, const void *user)
{
    const struct gpu_phase *phase = user;
    for (int i = 0; i < s->pipeline->stages; i++) {
        if (phase->reads[s->operands[0][0].buffer] >> i & 1)
            s->fetched = load_step(s, 0, i, inner_start(s, 0));
    }
}
