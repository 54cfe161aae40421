/*
 * whole_copies: copies of tiles that lie whole in their arrays are started without conditions.
 *
 *   if %exists {                                    if %exists {
 *     %a = lt (%j + 128), %n : bool                   %c = lt (%j + 144), %n : bool
 *     copy_async {8} %to, %from, %a                   if %c {
 *     %c = lt (%j + 144), %n : bool          ->         copy_async {8} %to, %from, true
 *     copy_async {8} %further, %behind, %c              copy_async {8} %further, %behind, true
 *   }                                                 } else {
 *                                                       %a = lt (%j + 128), %n : bool
 *                                                       copy_async {8} %to, %from, %a
 *                                                       copy_async {8} %further, %behind, %c
 *                                                     }
 *                                                   }
 *
 * Only the last trips of a loop have tiles that an array's end cuts, but each trip would compute
 * every condition, and a size from it: 5 to 7% of attention on an H200.
 *
 * Why it is right. A condition is a conjunction. Of its comparisons those whose differences have
 * the same affine form (ir/affine.h), which is exact, but for the constant follow from the one with
 * the greatest; what has no such form counts for itself. So where these few hold all copies are
 * valid. A copy does not need all threads, so they may part there.
 */
#include "gpu/pass.h"
#include "ir/affine.h"

/* Of a thread: with four there was no gain. */
enum { LEAST_COPIES = 8, MOST_LIMITS = 4 };

struct limit { /* a condition, and its form as "difference < 0" where it has one */
    struct ir_value *value;
    struct ir_affine difference;
    bool affine;
};

struct whole {
    struct pass_context *context;
    struct ir_func *func;
    struct limit limits[MOST_LIMITS];
    int limit_count;
    bool changed;
};

/* ---- the conditions that all others follow from ---------------------------------------------- */

static bool is_same_but_constant(const struct ir_affine *a, const struct ir_affine *b)
{
    bool same = a->term_count == b->term_count;
    for (int i = 0; i < a->term_count && same; i++)
        same = ir_affine_factor(b, a->terms[i].value) == a->terms[i].factor;
    return same;
}

static bool add_limit(struct whole *w, struct ir_value *value)
{
    const struct ir_op *op = value->op;
    uint64_t bits;
    if (ir_constant_bits(value, &bits))
        return bits != 0;
    if (op && op->code == IR_OP_AND)
        return add_limit(w, op->operands[0]) && add_limit(w, op->operands[1]);
    struct limit added = {.value = value};
    added.affine = op && ir_is_comparison(op->code) &&
                   pass_less_than_zero(op, w->context->assumption, &added.difference);
    for (int i = 0; i < w->limit_count; i++) {
        struct limit *limit = &w->limits[i];
        if (limit->value == value)
            return true;
        if (!limit->affine || !added.affine ||
            !is_same_but_constant(&limit->difference, &added.difference))
            continue;
        if (added.difference.constant > limit->difference.constant)
            *limit = added;
        return true;
    }
    if (w->limit_count == MOST_LIMITS)
        return false;
    w->limits[w->limit_count++] = added;
    return true;
}

static bool is_copy(const struct ir_op *op)
{
    return (int)op->code == GPU_OP_COPY_ASYNC && op->operand_count == 3;
}

static bool is_plain(const struct ir_op *op)
{
    int code = (int)op->code;
    return ir_has(op, IR_PURE) && op->region_count == 0 &&
           !(code >= GPU_OP_SHUFFLE && code <= GPU_OP_GROUP_OR) && !(code >= GPU_OP_FRAGMENT_LOAD);
}

/* Whether the branch does nothing but start copies, of which enough have conditions. */
static bool only_copies(struct whole *w, const struct ir_op *branch)
{
    int conditional = 0;
    uint64_t bits;
    w->limit_count = 0;
    if (branch->code != IR_OP_IF || branch->result_count > 0 ||
        branch->regions[1]->first != branch->regions[1]->last)
        return false;
    for (const struct ir_op *op = branch->regions[0]->first; op->next; op = op->next) {
        if (!is_copy(op) && !is_plain(op))
            return false;
        if (!is_copy(op))
            continue;
        conditional += !ir_constant_bits(op->operands[2], &bits);
        if (!add_limit(w, op->operands[2]))
            return false;
    }
    return conditional >= LEAST_COPIES && w->limit_count > 0;
}

/* ---- the two ways ---------------------------------------------------------------------------- */

static void mark_operands(const struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++)
        op->operands[i]->mark = 1;
}

/* What only the way with conditions takes is computed there. */
static void sink(struct ir_region *region, struct ir_op *split)
{
    struct ir_op *previous;
    for (struct ir_op *op = region->first; op != split; op = op->next) {
        for (int i = 0; i < op->result_count; i++)
            op->results[i]->mark = 0;
    }
    mark_operands(split);
    for (const struct ir_op *op = split->regions[0]->first; op; op = op->next)
        mark_operands(op);
    for (struct ir_op *op = split->previous; op; op = previous) {
        previous = op->previous;
        bool wanted = false;
        for (int i = 0; i < op->result_count; i++)
            wanted = wanted || op->results[i]->mark;
        if (wanted)
            mark_operands(op);
        else
            ir_move_before(op, split->regions[1]->first);
    }
}

static void split_copies(struct whole *w, struct ir_op *branch)
{
    struct ir_region *region = branch->regions[0];
    struct ir_builder b = pass_builder(w->func, region->last);
    struct ir_value *all = w->limits[0].value;
    struct ir_op *next;
    for (int i = 1; i < w->limit_count; i++)
        all = ir_binary(&b, IR_OP_AND, all, w->limits[i].value);
    struct ir_op *split = ir_build(&b, IR_OP_IF, 1, &all, 0, NULL, 2, NULL);
    struct ir_builder whole = {.func = w->func, .region = split->regions[0], .range = split->range};
    struct ir_builder cut = {.func = w->func, .region = split->regions[1], .range = split->range};
    struct ir_value *yes = ir_constant(&whole, ir_scalar(IR_BOOL), 1);
    struct ir_op *end = ir_build(&cut, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
    for (struct ir_op *op = region->first; op != split; op = next) {
        next = op->next;
        if (!is_copy(op))
            continue;
        struct ir_value *operands[] = {op->operands[0], op->operands[1], yes};
        ir_build(&whole, op->code, 3, operands, 0, NULL, 0, &op->attributes);
        ir_move_before(op, end);
    }
    ir_build(&whole, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
    sink(region, split);
    w->changed = true;
}

static bool look(struct ir_op *op, void *user)
{
    struct whole *w = user;
    const struct ir_op *around = op->parent->parent;
    if (around && around->code == IR_OP_FOR && only_copies(w, op))
        split_copies(w, op);
    return true;
}

bool pass_whole_copies(struct pass_context *context, struct ir_func *func)
{
    struct whole w = {.context = context, .func = func};
    ir_walk(func->body, look, &w);
    return w.changed;
}
