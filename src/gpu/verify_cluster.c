/*
 * The rules for what blocks of a cluster do together; see cluster.h.
 *
 * They keep a block from waiting for ever, from reading what has not come, and from writing into the
 * memory of a block that has not begun or has ended: everything stands in the function's body
 * itself; a word expects bytes, then all blocks meet, then its array is put into, then it is waited
 * for, each once; only then the array is read; and nothing else writes there. Whether as many bytes
 * are put as are expected hangs on the plan (validate.c).
 */
#include "gpu/verify_cluster.h"

enum { MOST_WORDS = 64, MOST_BLOCKS = 16 };

struct word {
    const struct ir_op *word, *array; /* shared */
    bool waited;
};

struct cluster_checker {
    struct diagnostics *diagnostics;
    struct word words[MOST_WORDS];
    int count;
    bool arrived, joined, fine;
    int64_t blocks;
};

static void broken(struct cluster_checker *c, const struct ir_op *op, const char *message)
{
    if (c->fine)
        diagnostics_add(c->diagnostics, DIAGNOSTIC_ERROR, op->range, "'%s': %s",
                        ir_ops[op->code].name, message);
    c->fine = false;
}

static const struct ir_op *array_of(const struct ir_value *p)
{
    while (p->op && p->op->code == IR_OP_ADDPTR)
        p = p->op->operands[0];
    return p->op && (int)p->op->code == GPU_OP_SHARED ? p->op : NULL;
}

static struct word *find_word(struct cluster_checker *c, const struct ir_value *value)
{
    for (int i = 0; i < c->count; i++) {
        if (c->words[i].word == value->op)
            return &c->words[i];
    }
    return NULL;
}

static void check_expect(struct cluster_checker *c, const struct ir_op *op)
{
    const struct ir_op *word = op->operands[0]->op;
    if (c->arrived)
        broken(c, op, "stands behind cluster_arrive");
    else if (!word || (int)word->code != GPU_OP_SHARED || word->attributes.number != 1 ||
             op->operands[0]->type.elem != IR_U64)
        broken(c, op, "its word is no array of one u64");
    else if (op->attributes.number < 1)
        broken(c, op, "expects nothing");
    else if (c->count == MOST_WORDS || find_word(c, op->operands[0]))
        broken(c, op, "the word is used twice, or there are too many");
    else
        c->words[c->count++] = (struct word){.word = word};
}

static bool is_taken(const struct cluster_checker *c, const struct word *own,
                     const struct ir_op *array)
{
    for (int i = 0; i < c->count; i++) {
        if (&c->words[i] != own && (c->words[i].array == array || c->words[i].word == array))
            return true;
    }
    return array == own->word;
}

static void check_put(struct cluster_checker *c, const struct ir_op *op)
{
    struct word *word = find_word(c, op->operands[2]);
    const struct ir_op *array = array_of(op->operands[0]);
    struct ir_type type = op->operands[1]->type;
    size_t bytes = ir_elem_bytes((enum ir_elem)type.elem);
    int64_t blocks = op->attributes.number;
    if (!c->joined)
        broken(c, op, "stands in front of cluster_join");
    else if (!word || word->waited)
        broken(c, op, "its word expects nothing any more");
    else if (!array || is_taken(c, word, array) || (word->array && word->array != array))
        broken(c, op, "its array is none, or not its word's");
    else if (type.rank > 0 || type.pointer || type.elem != op->operands[0]->type.elem ||
             (bytes != 4 && bytes != 8))
        broken(c, op, "does not put an element of 4 or 8 bytes into its array");
    else if (blocks < 2 || blocks > MOST_BLOCKS || (c->blocks && c->blocks != blocks))
        broken(c, op, "a wrong number of blocks");
    else
        word->array = array;
    c->blocks = blocks;
}

static void check_wait(struct cluster_checker *c, const struct ir_op *op)
{
    struct word *word = find_word(c, op->operands[0]);
    if (!word || !word->array || word->waited)
        broken(c, op, "nothing was put that its word counts, or it was waited for before");
    else
        word->waited = true;
}

/* Accesses to arrays of the cluster; and in regions nothing of it. */
static bool check_access(struct ir_op *op, void *user)
{
    struct cluster_checker *c = user;
    bool cluster = (int)op->code >= GPU_OP_CLUSTER_EXPECT && (int)op->code <= GPU_OP_CLUSTER_WAIT;
    if (cluster && op->parent->parent)
        broken(c, op, "stands in a loop or branch");
    if (cluster || op->operand_count == 0 || !op->operands[0]->type.pointer ||
        !(ir_has(op, IR_READS) || ir_has(op, IR_WRITES)))
        return true;
    const struct ir_op *array = array_of(op->operands[0]);
    if (c->count > 0 && !array && op->operands[0]->type.space == IR_SPACE_THREADGROUP)
        broken(c, op, "into which array its address points is not seen");
    for (int i = 0; array && i < c->count; i++) {
        const struct word *word = &c->words[i];
        if (word->word == array || (word->array == array && ir_has(op, IR_WRITES)))
            broken(c, op, "changes or reads what the blocks of the cluster fill");
        else if (word->array == array && !word->waited)
            broken(c, op, "reads before cluster_wait what the blocks of the cluster fill");
    }
    return true;
}

static void check(struct cluster_checker *c, struct ir_op *op)
{
    switch ((int)op->code) {
    case GPU_OP_CLUSTER_EXPECT:
        check_expect(c, op);
        break;
    case GPU_OP_CLUSTER_ARRIVE:
        if (c->arrived)
            broken(c, op, "stands twice");
        c->arrived = true;
        break;
    case GPU_OP_CLUSTER_JOIN:
        if (!c->arrived || c->joined)
            broken(c, op, "stands in front of cluster_arrive, or twice");
        c->joined = true;
        break;
    case GPU_OP_CLUSTER_PUT:
        check_put(c, op);
        break;
    case GPU_OP_CLUSTER_WAIT:
        check_wait(c, op);
        break;
    default:
        check_access(op, c);
        for (int i = 0; i < op->region_count; i++)
            ir_walk(op->regions[i], check_access, c);
    }
}

bool gpu_verify_cluster(const struct ir_func *func, struct diagnostics *diagnostics)
{
    struct cluster_checker c = {.diagnostics = diagnostics, .fine = true};
    for (struct ir_op *op = func->body->first; op && c.fine; op = op->next)
        check(&c, op);
    for (int i = 0; c.fine && i < c.count; i++) {
        if (!c.words[i].waited) /* the block might end while others write there */
            broken(&c, c.words[i].word, "nobody waits for what it counts");
    }
    if (c.fine && c.arrived && !c.joined)
        broken(&c, func->body->first, "cluster_arrive without cluster_join");
    return c.fine;
}
