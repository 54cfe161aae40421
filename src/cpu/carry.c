/*
 * Carried tiles that become scalars.
 *
 *     %s = for ... carry (%a = %zero) : f32[1024] {        %s = for ... carry (%a = 0) : f32 {
 *       %b = add %a, %f : f32[1024]                          %p = sum %f : f32
 *       yield %b                                   ->        %b = add %a, %p : f32
 *     }                                                      yield %b
 *     %t = sum %s : f32                                    }                    (%t is %s)
 *
 * A tile that is only accumulated elementwise and reduced by the same operation afterwards need
 * not exist: the order of a reduction is the target's own. Then the partial results stay in
 * registers instead of going through scratch memory in each round. The same for products, maxima,
 * minima, any and all; fma(x, y, %a) becomes a sum of fused products.
 */
#include "cpu/carry.h"
#include "ir/eval.h"

struct pair { /* elementwise op, and the reduction that repeats it */
    enum ir_opcode element, reduction;
};

static const struct pair pairs[] = {
    {IR_OP_ADD, IR_OP_SUM},     {IR_OP_FMA, IR_OP_SUM},     {IR_OP_MUL, IR_OP_PROD},
    {IR_OP_MAXIMUM, IR_OP_MAX}, {IR_OP_MINIMUM, IR_OP_MIN}, {IR_OP_OR, IR_OP_ANY},
    {IR_OP_AND, IR_OP_ALL},
};

static const struct pair *find_pair(enum ir_opcode element, enum ir_opcode reduction)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i].element == element && pairs[i].reduction == reduction)
            return &pairs[i];
    }
    return NULL;
}

struct carry {
    struct ir_func *func;
    struct ir_op *loop, *update, *reduction;
    int index; /* among the results */
    const struct pair *pair;
};

static bool sums(enum ir_elem elem)
{
    return elem == IR_F32 || elem == IR_F64 || elem == IR_I32 || elem == IR_I64 ||
           elem == IR_U32 || elem == IR_U64;
}

static bool matches(struct carry *c)
{
    struct ir_region *body = c->loop->regions[0];
    struct ir_value *argument = body->arguments[c->index + 1];
    struct ir_value *next = body->last->operands[c->index];
    struct ir_type type = argument->type;
    c->reduction = ir_noted_user(c->loop->results[c->index]);
    c->update = ir_noted_user(argument);
    if (type.rank == 0 || type.pointer || !c->reduction || !c->update ||
        c->reduction->result_count != 1 || c->reduction->results[0]->type.rank != 0 ||
        c->update->parent != body || next->op != c->update || next->uses != 1)
        return false;
    c->pair = find_pair(c->update->code, c->reduction->code);
    if (!c->pair || (c->pair->element == IR_OP_FMA && argument != c->update->operands[2]))
        return false;
    bool sum = c->pair->reduction == IR_OP_SUM || c->pair->reduction == IR_OP_PROD;
    return !sum || sums((enum ir_elem)type.elem);
}

/* The reduced start value: of a constant that repeats without effect, the constant. */
static struct ir_value *reduced_start(struct carry *c, struct ir_value *start)
{
    struct ir_builder b = {.func = c->func,
                           .region = c->loop->parent,
                           .before = c->loop,
                           .range = c->loop->range};
    enum ir_opcode code = c->pair->reduction;
    enum ir_elem elem = (enum ir_elem)start->type.elem;
    uint64_t bits;
    bool repeats = code == IR_OP_MAX || code == IR_OP_MIN || code == IR_OP_ANY || code == IR_OP_ALL;
    if (ir_constant_bits(start, &bits) &&
        (repeats || bits == ir_eval_identity(code, elem) || (code == IR_OP_SUM && bits == 0)))
        return ir_constant(&b, ir_scalar(elem), bits);
    struct ir_value *reduced = ir_reduce(&b, code, start, -1);
    start->data = reduced->op;
    return reduced;
}

static void rewrite(struct carry *c)
{
    struct ir_region *body = c->loop->regions[0];
    struct ir_value *argument = body->arguments[c->index + 1];
    struct ir_value **start = &c->loop->operands[3 + c->index];
    struct ir_type scalar = ir_scalar((enum ir_elem)argument->type.elem);
    *start = reduced_start(c, *start);
    struct ir_builder b = {
        .func = c->func, .region = body, .before = c->update, .range = c->update->range};
    struct ir_value **in = c->update->operands;
    struct ir_value *term, *part;
    if (c->pair->element == IR_OP_FMA) {
        part = ir_reduce(&b, IR_OP_SUM, ir_binary(&b, IR_OP_MUL, in[0], in[1]), -1);
        part->op->attributes.bits = CPU_SUM_FUSED;
    } else {
        term = in[0] == argument ? in[1] : in[0];
        part = ir_reduce(&b, c->pair->reduction, term, -1);
    }
    argument->type = scalar;
    c->loop->results[c->index]->type = scalar;
    enum ir_opcode code = c->pair->element == IR_OP_FMA ? IR_OP_ADD : c->pair->element;
    struct ir_value *next = ir_binary(&b, code, argument, part);
    body->last->operands[c->index] = next;
    ir_remove(c->update);
    ir_replace(c->reduction->results[0], c->loop->results[c->index]);
    ir_remove(c->reduction);
}

struct loops {
    struct arena *arena;
    struct ir_op **items;
    size_t count, capacity;
};

static bool collect_loop(struct ir_op *op, void *user)
{
    struct loops *loops = user;
    if (op->code == IR_OP_FOR)
        ARENA_PUSH(loops->arena, loops, op);
    return true;
}

/* Later loops first: one that starts with another's result turns that into a reduction, too. */
void cpu_carry_scalars(struct ir_func *func)
{
    struct loops loops = {.arena = func->arena};
    ir_walk(func->body, collect_loop, &loops);
    if (loops.count == 0)
        return;
    ir_note_users(func);
    for (size_t i = loops.count; i-- > 0;) {
        for (int k = 0; k < loops.items[i]->result_count; k++) {
            struct carry c = {.func = func, .loop = loops.items[i], .index = k};
            if (matches(&c))
                rewrite(&c);
        }
    }
    ir_apply_replacements(func);
}
