/* Clusters of blocks: when they are planned, and what their reductions are made of; see cluster.h. */
#include "gpu/cluster.h"

/* ---- the plan -------------------------------------------------------------------------------- */

struct largest {
    int64_t elements; /* of the largest tile */
    int64_t words;    /* that hold it: of what is loaded, reduced or stored */
    int64_t loaded;   /* words that are loaded before the first reduction, as they are loaded */
    int64_t load;     /* of the largest such tile */
    bool branches, reduces;
    bool moves, stores; /* elements from place to place; tiles to memory */
};

enum { SPREAD_THREADS = 256, SCALARS = 4 /* in place of a vector */ };

static void look_at_value(struct largest *f, const struct ir_value *value)
{
    struct ir_type type = value->type;
    int64_t elements = INT64_C(1) << gpu_shape_bits(type);
    int64_t bytes = (int64_t)ir_elem_bytes((enum ir_elem)type.elem);
    int64_t words = elements * (bytes > 4 ? bytes / 4 : 1);
    f->elements = elements > f->elements ? elements : f->elements;
    f->words = words > f->words ? words : f->words;
}

static void look_at_load(struct largest *f, const struct ir_value *value)
{
    int64_t bytes = (int64_t)ir_elem_bytes((enum ir_elem)value->type.elem);
    int64_t words = (bytes << gpu_shape_bits(value->type)) / 4;
    look_at_value(f, value);
    if (f->reduces)
        return;
    f->loaded += words;
    f->load = words > f->load ? words : f->load;
}

static bool look(struct ir_op *op, void *user)
{
    struct largest *f = user;
    bool reduces = op->code >= IR_OP_SUM && op->code <= IR_OP_ALL;
    f->branches = f->branches || op->region_count > 0;
    if (op->code == IR_OP_LOAD)
        look_at_load(f, op->results[0]);
    else if (op->code == IR_OP_STORE)
        look_at_value(f, op->operands[1]);
    else if (reduces)
        look_at_value(f, op->operands[0]);
    f->reduces = f->reduces || (reduces && op->operands[0]->type.rank > 0);
    f->stores = f->stores || (op->code == IR_OP_STORE && op->operands[0]->type.rank > 0);
    bool stays = ir_has(op, IR_ELEMENTWISE) || ir_has(op, IR_TERMINATOR) ||
                 op->code == IR_OP_ARANGE || op->code == IR_OP_CONSTANT ||
                 op->code == IR_OP_BROADCAST || op->code == IR_OP_RESHAPE;
    f->moves = f->moves || (op->result_count > 0 && op->results[0]->type.rank > 0 && !stays);
    return true;
}

const struct gpu_plan *gpu_spread_plan(const struct gpu_plan *plan, const struct ir_func *func)
{
    struct arena *arena = func->arena;
    struct largest f = {0};
    if (!plan->target->loads || plan->backend != GPU_BACKEND_ELEMENTWISE ||
        plan->open_threads == 0 || plan->programs > 1)
        return plan;
    ir_walk(func->body, look, &f);
    int64_t threads = f.elements / (plan->vector_width > 1 ? plan->vector_width : SCALARS);
    if (f.branches || f.reduces || f.moves || !f.stores || threads <= SPREAD_THREADS ||
        threads > SPREAD_THREADS * GPU_MOST_BLOCKS)
        return plan;
    struct gpu_plan *made = gpu_plan_copy(plan, arena);
    made->threads = (int)threads;
    made->groups = (int)threads / GPU_LANES;
    made->blocks = (int)threads / SPREAD_THREADS;
    made->reasons[plan->open_threads - 1] = arena_format(
        arena, "%d blocks of %d threads: %lld of %lld elements each", made->blocks, SPREAD_THREADS,
        (long long)(f.elements / threads), (long long)f.elements);
    return made;
}

/* Blocks of half the most threads, so that a multiprocessor has several, one of which loads while
 * another waits for its cluster; as far as the cluster goes so many that there are registers for
 * what else waits for the reduction, such as weights. */
const struct gpu_plan *gpu_cluster_plan(const struct gpu_plan *plan, const struct ir_func *func,
                                        const char **why_not)
{
    const struct gpu_target *target = plan->target;
    struct arena *arena = func->arena;
    struct largest f = {0};
    *why_not = NULL;
    if (!target->usual_registers || plan->backend != GPU_BACKEND_ELEMENTWISE ||
        plan->open_threads == 0)
        return plan;
    ir_walk(func->body, look, &f);
    if (!f.reduces || f.words <= (int64_t)target->usual_registers * target->most_threads)
        return plan;
    int64_t threads = f.words / target->usual_registers, each = target->most_threads / 2;
    if (plan->programs > 1)
        *why_not = "its block runs several programs";
    else if (threads > each * target->cluster_blocks)
        *why_not = target->cluster_blocks > 1
                       ? "the largest tile does not fit the registers of a cluster of blocks"
                       : arena_format(arena, "%s has no clusters of blocks", target->arch);
    else if (f.branches)
        *why_not = "a kernel with loops or branches is run by one block";
    if (*why_not)
        return plan;
    struct gpu_plan *made = gpu_plan_copy(plan, arena);
    int64_t wanted = (f.words + f.loaded - f.load) / target->usual_registers;
    while (threads < wanted && threads * 2 <= each * target->cluster_blocks)
        threads *= 2;
    made->threads = (int)threads;
    made->groups = (int)threads / GPU_LANES;
    made->blocks = (int)(threads / each);
    made->cluster = true;
    made->reasons[plan->open_threads - 1] =
        arena_format(arena, "%d blocks of %d threads: %lld of %lld elements each", made->blocks,
                     (int)each, (long long)(f.elements / threads), (long long)f.elements);
    return made;
}

/* ---- the lowering ---------------------------------------------------------------------------- */

void gpu_leave_block(struct lowering *l, const char *what)
{
    if (l->plan->blocks <= 1)
        return;
    l->crosses = what;
    l->failed = true;
}

static struct ir_op *build(struct ir_builder *b, enum gpu_opcode code, int64_t number, int count,
                           struct ir_value *const *operands)
{
    struct ir_attributes attributes = {.number = number};
    return ir_build(b, (enum ir_opcode)code, count, operands, 0, NULL, 0, &attributes);
}

struct ir_value *gpu_cluster_array(struct lowering *l, enum ir_elem elem, int64_t elements,
                                   struct ir_value **word)
{
    const char *name = arena_format(l->arena, "reduce_%d", l->reductions++);
    struct ir_value *array = gpu_shared(l, name, elem, elements);
    *word = gpu_shared(l, arena_format(l->arena, "%s_bytes", name), IR_U64, 1);
    struct gpu_cluster_word counted = {*word, elements * (int64_t)ir_elem_bytes(elem)};
    ARENA_PUSH(l->arena, &l->words, counted);
    return array;
}

void gpu_cluster_put(struct lowering *l, struct ir_value *p, struct ir_value *value,
                     struct ir_value *word)
{
    if (!l->joined)
        build(&l->b, GPU_OP_CLUSTER_JOIN, 0, 0, NULL);
    l->joined = true;
    build(&l->b, GPU_OP_CLUSTER_PUT, l->plan->blocks, 3, (struct ir_value *[]){p, value, word});
}

void gpu_cluster_wait(struct lowering *l, struct ir_value *word)
{
    build(&l->b, GPU_OP_CLUSTER_WAIT, 0, 1, &word);
}

void gpu_cluster_open(struct lowering *l)
{
    struct ir_builder b = l->b;
    b.region = l->b.func->body;
    b.before = l->entry;
    for (size_t i = 0; i < l->words.count; i++)
        build(&b, GPU_OP_CLUSTER_EXPECT, l->words.items[i].bytes, 1, &l->words.items[i].word);
    if (l->words.count > 0)
        build(&b, GPU_OP_CLUSTER_ARRIVE, 0, 0, NULL);
}
