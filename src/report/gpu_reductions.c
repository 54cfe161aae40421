/*
 * Reductions across threads, read off GPU IR.
 *
 * A reduction is a chain of steps between the lanes of a SIMD group: a group_* op, or a combination
 * of a value with a shuffle of itself. What is in front of the chain says how many registers each
 * thread puts in; when the chain's end is stored to threadgroup memory, a second chain, of what is
 * loaded from there, combines the groups.
 */
#include "report/parts.h"

enum { DEEPEST = 16 }; /* looked into trees of ops so far */

/* How ops combine, and what that is called. */
static const struct {
    int code, group;
    const char *name;
} combinations[] = {
    {IR_OP_ADD, GPU_OP_GROUP_SUM, "sum"},     {IR_OP_MUL, GPU_OP_GROUP_PROD, "prod"},
    {IR_OP_MAXIMUM, GPU_OP_GROUP_MAX, "max"}, {IR_OP_MINIMUM, GPU_OP_GROUP_MIN, "min"},
    {IR_OP_AND, GPU_OP_GROUP_AND, "all"},     {IR_OP_OR, GPU_OP_GROUP_OR, "any"},
};
enum { COMBINATIONS = sizeof combinations / sizeof *combinations, NO_COMBINATION = -1 };

static int combination(int code)
{
    for (int i = 0; i < COMBINATIONS; i++)
        if (combinations[i].code == code || combinations[i].group == code)
            return i;
    return NO_COMBINATION;
}

/* Whether `value` is made of `wanted`, by way of ops of the code (-1: of any). */
static bool is_made_of(const struct ir_value *value, const struct ir_value *wanted, int code,
                       int depth)
{
    if (value == wanted)
        return code < 0;
    if (!value->op || depth == 0 || value->op->region_count)
        return false;
    if ((int)value->op->code == code)
        code = -1;
    for (int i = 0; i < value->op->operand_count; i++)
        if (is_made_of(value->op->operands[i], wanted, code, depth - 1))
            return true;
    return false;
}

/* What the lanes combine in the step that makes v, or NULL. */
static const struct ir_value *lane_step(const struct ir_value *v)
{
    enum { SHUFFLE_DEPTH = 6 }; /* a 64-bit value is shuffled in halves */
    const struct ir_op *op = v->op;
    int how = op ? combination((int)op->code) : NO_COMBINATION;
    if (how == NO_COMBINATION)
        return NULL;
    if ((int)op->code == combinations[how].group)
        return op->operands[0];
    for (int i = 0; i < 2; i++)
        if (is_made_of(op->operands[1 - i], op->operands[i], GPU_OP_SHUFFLE_XOR, SHUFFLE_DEPTH))
            return op->operands[i];
    return NULL;
}

/* Registers that make up v, combined as `how` says. */
static int registers_of(const struct ir_value *v, int how, int depth)
{
    const struct ir_op *op = v->op;
    if (!op || depth == 0)
        return 1;
    if ((int)op->code == GPU_OP_EXTRACT)
        return registers_of(op->operands[0], how, depth - 1);
    if (op->code == IR_OP_FMA && combinations[how].code == IR_OP_ADD)
        return 1 + registers_of(op->operands[2], how, depth - 1);
    if ((int)op->code != combinations[how].code)
        return 1;
    return registers_of(op->operands[0], how, depth - 1) +
           registers_of(op->operands[1], how, depth - 1);
}

/* Through what does not change which element it is. */
static const struct ir_value *behind_casts(const struct ir_value *v)
{
    while (v->op && (v->op->code == IR_OP_CAST || v->op->code == IR_OP_BITCAST ||
                     v->op->code == IR_OP_SELECT))
        v = v->op->operands[v->op->code == IR_OP_SELECT ? 1 : 0];
    return v;
}

/* Lanes compare floats as integers that order alike: the float that such a key is made of, or v. */
static const struct ir_value *behind_key(const struct ir_value *v, int depth)
{
    const struct ir_op *op = v->op;
    if (!op || depth == 0 || v->type.elem != IR_I32)
        return v;
    if (op->code == IR_OP_BITCAST && op->operands[0]->type.elem == IR_F32)
        return op->operands[0];
    if (op->code != IR_OP_XOR && op->code != IR_OP_AND && op->code != IR_OP_SHR &&
        op->code != IR_OP_SELECT)
        return v;
    for (int i = 0; i < op->operand_count; i++) {
        const struct ir_value *found = behind_key(op->operands[i], depth - 1);
        if (found != op->operands[i] && found->type.elem == IR_F32)
            return found;
    }
    return v;
}

/* The threadgroup array that the value was loaded from, or NULL. */
static const struct ir_value *loaded_from(const struct ir_value *v)
{
    v = behind_casts(v);
    if (!v->op || (v->op->code != IR_OP_LOAD && (int)v->op->code != GPU_OP_VECTOR_LOAD) ||
        v->op->operands[0]->type.space != IR_SPACE_THREADGROUP)
        return NULL;
    return report_array(v->op->operands[0]);
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct finding {
    const struct report_func *f;
    json_t *list;
    bool registers_only;
    /* while looking for what happens to one chain's end: */
    const struct ir_value *end, *scratch, *result;
};

/* A value that a further step goes on with is no end. */
static bool mark_continued(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->result_count; i++) {
        const struct ir_value *from = lane_step(op->results[i]);
        if (from)
            ((struct ir_value *)from)->mark = 1;
    }
    return true;
}

static const struct ir_value *chain_root(const struct ir_value *v)
{
    const struct ir_value *from;
    while ((from = lane_step(v)) != NULL)
        v = from;
    return v;
}

static bool find_scratch(struct ir_op *op, void *user)
{
    struct finding *g = user;
    if (op->code == IR_OP_STORE && op->operands[0]->type.space == IR_SPACE_THREADGROUP &&
        behind_casts(op->operands[1]) == g->end)
        g->scratch = report_array(op->operands[0]);
    return !g->scratch;
}

static bool find_result(struct ir_op *op, void *user)
{
    struct finding *g = user;
    for (int i = 0; i < op->result_count && !g->result; i++) {
        const struct ir_value *v = op->results[i];
        if (lane_step(v) && !v->mark && loaded_from(chain_root(v)) == g->scratch)
            g->result = v;
    }
    return !g->result;
}

/* What is reduced: keys are made before or after the registers are combined. */
static struct ir_type reduced_type(const struct ir_value *root, int how, int *registers)
{
    const struct ir_value *leaf = root;
    *registers = registers_of(root, how, DEEPEST);
    if (*registers == 1) {
        leaf = behind_key(root, DEEPEST);
        *registers = registers_of(leaf, how, DEEPEST);
        return leaf->type;
    }
    while (leaf->op && (int)leaf->op->code == combinations[how].code)
        leaf = leaf->op->operands[0];
    return behind_key(leaf, DEEPEST)->type;
}

static json_t *reduction(struct finding *g, struct ir_type type, int how, int registers)
{
    const struct ir_op *shared = g->scratch ? g->scratch->op : NULL;
    bool is_shared = shared && (int)shared->code == GPU_OP_SHARED;
    const struct ir_value *value = g->result ? g->result : g->end;
    bool bits = combinations[how].code == IR_OP_AND || combinations[how].code == IR_OP_OR;
    const char *operation = combinations[how].name;
    if (bits && type.elem != IR_BOOL)
        operation = combinations[how].code == IR_OP_AND ? "and" : "or";
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:s?, s:s}", "value", g->f->names[value->id],
                     "operation", operation, "dtype", ir_elems[type.elem].name,
                     "elements_per_thread", registers, "threads", g->f->kernel->threads, "scratch",
                     is_shared ? shared->attributes.text : NULL, "broadcast",
                     !g->scratch || g->result ? "simdgroup" : "threadgroup");
}

static bool list_reduction(struct ir_op *op, void *user)
{
    struct finding *g = user;
    for (int i = 0; i < op->result_count; i++) {
        g->end = op->results[i];
        g->scratch = g->result = NULL;
        if (g->end->mark || !lane_step(g->end))
            continue;
        const struct ir_value *root = chain_root(g->end);
        if (loaded_from(root))
            continue; /* a second chain */
        int how = combination((int)op->code), registers;
        struct ir_type type = reduced_type(root, how, &registers);
        if (g->registers_only && registers == 1)
            continue;
        ir_walk(g->f->func->body, find_scratch, g);
        if (g->scratch)
            ir_walk(g->f->func->body, find_result, g);
        report_append(&g->list, reduction(g, type, how, registers));
    }
    return true;
}

json_t *report_reductions(const struct report_func *f, bool registers_only)
{
    struct finding g = {.f = f, .list = json_array(), .registers_only = registers_only};
    struct ir_func *func = (struct ir_func *)f->func;
    ir_clear_marks(func);
    ir_walk(func->body, mark_continued, NULL);
    ir_walk(func->body, list_reduction, &g);
    return g.list;
}
