/*
 * early_loads: what is only read is loaded before threads first wait for each other.
 *
 *   %s = group_sum %x : f32                     %p = addptr %W, %t : ptr<f32>
 *   barrier {threadgroup}                       %w = load %p : f32
 *   %p = addptr %W, %t : ptr<f32>        ->     %s = group_sum %x : f32
 *   %w = load %p : f32                          barrier {threadgroup}
 *
 * The load's latency then passes while partial results meet, instead of after it. Compilers do not
 * move loads over barriers. The buffer must not be written by the kernel, nor overlap one that is;
 * what is held until it is used may fill so many registers only. Branches that hold nothing but
 * such loads, as vectors with masks have them, move as a whole.
 */
#include "gpu/pass.h"
#include "gpu/uniform.h"

/* Loaded by a thread before the first meeting; where it has registers enough, and compilers cannot
 * move loads themselves. */
enum { MOST_BYTES = 64, MOST_ROOMY_BYTES = 192 };

struct mover {
    struct pass_context *context;
    struct ir_func *func;
    bool *written; /* by parameter: whether the kernel may write that memory */
    bool changed;
};

/* mark of an op: */
enum { STAYS, BEFORE, MAY_MOVE, MOVES };

static bool meets(const struct ir_op *op)
{
    int code = (int)op->code;
    return code == GPU_OP_BARRIER || (code >= GPU_OP_SHUFFLE && code <= GPU_OP_GROUP_OR) ||
           code == GPU_OP_CLUSTER_JOIN || code == GPU_OP_CLUSTER_WAIT;
}

static bool is_load(const struct ir_op *op)
{
    int code = (int)op->code;
    return (code == IR_OP_LOAD || code == GPU_OP_VECTOR_LOAD) &&
           op->operands[0]->type.space == IR_SPACE_DEVICE;
}

static bool note_write(struct ir_op *op, void *user)
{
    struct mover *m = user;
    if (!ir_has(op, IR_WRITES) || op->operand_count == 0 || !op->operands[0]->type.pointer ||
        op->operands[0]->type.space != IR_SPACE_DEVICE)
        return true;
    int root = pass_pointer_root(op->operands[0]);
    for (int i = 0; i < m->func->parameter_count; i++)
        m->written[i] = m->written[i] || root < 0 || pass_may_alias(m->context, m->func, root, i);
    return true;
}

static bool is_only_read(struct mover *m, const struct ir_op *op)
{
    int root = pass_pointer_root(op->operands[0]);
    return root >= 0 && !m->written[root];
}

static bool is_plain(const struct ir_op *op)
{
    int code = (int)op->code;
    bool fragment = code >= GPU_OP_FRAGMENT_LOAD && code <= GPU_OP_FRAGMENT_MMA;
    return ir_has(op, IR_PURE) && op->region_count == 0 && !meets(op) && !fragment;
}

/* Whether all operands are there before the meeting, or may be. Those that an op of a branch has
 * from within the branch move with it. */
static bool has_early_operands(const struct ir_op *op, const struct ir_region *region)
{
    for (int i = 0; i < op->operand_count; i++) {
        const struct ir_op *source = op->operands[i]->op;
        if (source && source->parent == region && source->mark == STAYS)
            return false;
    }
    return true;
}

/* A branch that only loads what is only read. */
static bool is_loading_branch(struct mover *m, const struct ir_op *branch)
{
    bool loads = false;
    if (branch->code != IR_OP_IF || branch->result_count == 0)
        return false;
    for (int r = 0; r < branch->region_count; r++) {
        for (const struct ir_op *op = branch->regions[r]->first; op; op = op->next) {
            bool load = is_load(op) && is_only_read(m, op);
            if ((!load && !is_plain(op) && !ir_has(op, IR_TERMINATOR)) ||
                !has_early_operands(op, branch->parent))
                return false;
            loads = loads || load;
        }
    }
    return loads;
}

static int bytes_of(const struct ir_op *op)
{
    int bytes = 0;
    for (int i = 0; i < op->result_count; i++) {
        struct ir_type type = op->results[i]->type;
        bytes += (int)ir_elem_bytes((enum ir_elem)type.elem) * (type.rank ? type.dims[0] : 1);
    }
    return bytes;
}

static bool holds_load(struct ir_op *op, void *user)
{
    (void)user;
    return !is_load(op);
}

static int loaded_before(const struct ir_region *region, const struct ir_op *meeting)
{
    int bytes = 0;
    for (const struct ir_op *op = region->first; op != meeting; op = op->next) {
        bool branch = op->code == IR_OP_IF && (!ir_walk(op->regions[0], holds_load, NULL) ||
                                               !ir_walk(op->regions[1], holds_load, NULL));
        if (is_load(op) || branch)
            bytes += bytes_of(op);
    }
    return bytes;
}

static bool may_load_early(struct mover *m, const struct ir_op *op)
{
    return (is_load(op) && is_only_read(m, op)) || is_loading_branch(m, op);
}

static void mark_before(struct ir_region *region, const struct ir_op *end)
{
    for (struct ir_op *op = region->first; op != end; op = op->next)
        op->mark = BEFORE;
}

/* Marks loads that fit, and then what they need. */
static void mark(struct mover *m, struct ir_region *region, struct ir_op *meeting, int most)
{
    int bytes = loaded_before(region, meeting);
    mark_before(region, meeting);
    for (struct ir_op *op = meeting->next; op; op = op->next) {
        bool load = may_load_early(m, op);
        if ((!load && !is_plain(op)) || !has_early_operands(op, region))
            continue;
        if (load && bytes + bytes_of(op) > most)
            break;
        bytes += load ? bytes_of(op) : 0;
        op->mark = load ? MOVES : MAY_MOVE;
    }
}

static void need(const struct ir_op *op, const struct ir_region *region)
{
    for (int i = 0; i < op->operand_count; i++) {
        struct ir_op *source = op->operands[i]->op;
        if (source && source->parent == region && source->mark == MAY_MOVE)
            source->mark = MOVES;
    }
    for (int r = 0; r < op->region_count; r++) {
        for (const struct ir_op *inner = op->regions[r]->first; inner; inner = inner->next)
            need(inner, region);
    }
}

static void move(struct mover *m, struct ir_region *region, struct ir_op *meeting)
{
    struct ir_op *next;
    for (struct ir_op *op = region->last; op != meeting; op = op->previous) {
        if (op->mark == MOVES)
            need(op, region);
    }
    for (struct ir_op *op = meeting->next; op; op = next) {
        next = op->next;
        if (op->mark != MOVES)
            continue;
        ir_move_before(op, meeting);
        m->changed = true;
    }
}

static bool clear(struct ir_op *op, void *user)
{
    (void)user;
    op->mark = STAYS;
    return true;
}

/* A branch behind the op in which threads meet: compilers move no load over that. */
static struct ir_op *meeting_branch(struct ir_op *op)
{
    while (op && (op->code != IR_OP_IF || !gpu_holds_collective(op)))
        op = op->next;
    return op;
}

/* The op behind those from `first` on, up to `end`, that are such loads already, with what they
 * need: moved in front of one of them, the others would change places each time. */
static struct ir_op *behind_loads(struct mover *m, struct ir_op *first, const struct ir_op *end)
{
    struct ir_op *behind = first;
    ir_walk(m->func->body, clear, NULL);
    mark_before(m->func->body, first);
    for (struct ir_op *op = first; op != end; op = op->next) {
        bool load = may_load_early(m, op);
        if (!load && !is_plain(op))
            break;
        op->mark = BEFORE;
        behind = load ? op->next : behind;
    }
    return behind;
}

static void move_loads(struct mover *m, struct ir_op *meeting, int most)
{
    ir_walk(m->func->body, clear, NULL);
    mark(m, m->func->body, meeting, most);
    move(m, m->func->body, meeting);
}

bool pass_early_loads(struct pass_context *context, struct ir_func *func)
{
    struct mover m = {.context = context,
                      .func = func,
                      .written = ARENA_ARRAY(func->arena, bool, (size_t)func->parameter_count + 1)};
    struct ir_op *meeting = func->body->first;
    while (meeting && !meets(meeting))
        meeting = meeting->next;
    if (!meeting)
        return false;
    ir_walk(func->body, note_write, &m);
    struct ir_op *branch = meeting_branch(meeting);
    move_loads(&m, meeting, branch && context->roomy ? MOST_ROOMY_BYTES : MOST_BYTES);
    /* What has no room so early, as soon as the threads have met. */
    struct ir_op *end = branch;
    while (branch && branch->previous && !meets(branch->previous))
        branch = branch->previous;
    if (branch && branch != meeting)
        move_loads(&m, behind_loads(&m, branch, end), MOST_ROOMY_BYTES);
    return m.changed;
}
