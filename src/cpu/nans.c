/*
 * Conversions to bfloat that need no care for NaN.
 *
 * Rounding is an addition to a float's bits, and what it may do to a NaN is to carry: its payload
 * may vanish, and infinity or a zero be left. It does neither to a NaN that is quiet and has
 * nothing in the lower 16 bits, a clean one, whose upper half is the bfloat that it should become.
 * A NaN that came from a bfloat has nothing there; arithmetic makes it quiet and keeps the rest,
 * and what arithmetic makes itself out of other numbers is clean. So where a tile is computed from
 * bfloats, constants and scalars, its NaNs are clean once the scalars' are, of which there are few:
 *
 *     %b = broadcast %s                ->    %n = ne %s, %s
 *     ... cast %x : bf16                     %c = (bits of %s | 0x00400000) & 0xffff0000
 *                                            %b = broadcast (select %n, %c, %s)
 *
 * The greater or lesser of two is not clean: without AVX-512 it is put together of both one's bits
 * (math_minmax.c), where the other may have any in its lower half, and all of them for a maximum.
 * That of a number which the compiler knows is: it is one of the two as it is.
 *
 * No result changes: a NaN's lower half does not reach a bfloat. (A float that the scalar reaches as
 * well stays a NaN; of which payload, the language does not say.)
 */
#include "cpu/nans.h"

enum nans { ANY, SHORT, CLEAN }; /* SHORT: nothing in the lower half, but perhaps not quiet */
enum { MOST_OPS = 200, MOST_SCALARS = 8 };

struct search {
    int left;                               /* ops that may still be looked at */
    struct ir_op *broadcasts[MOST_SCALARS]; /* of scalars that are to be cleaned */
    int count;
};

static enum nans nans_of(struct search *s, const struct ir_value *v);

static enum nans least_of_operands(struct search *s, const struct ir_op *op, int first)
{
    enum nans least = CLEAN;
    for (int i = first; i < op->operand_count; i++) {
        enum nans here = nans_of(s, op->operands[i]);
        least = here < least ? here : least;
    }
    return least;
}

static enum nans of_constant(uint64_t bits)
{
    bool nan = (bits & 0x7fffffff) > 0x7f800000;
    return !nan || (bits & 0x40ffff) == 0x400000 ? CLEAN : (bits & 0xffff) == 0 ? SHORT : ANY;
}

static enum nans of_cast(const struct ir_op *op)
{
    enum ir_elem from = (enum ir_elem)op->operands[0]->type.elem;
    return from == IR_BF16 ? SHORT : ir_is_float(from) ? ANY : CLEAN;
}

static enum nans of_broadcast(struct search *s, struct ir_op *op)
{
    enum nans source = nans_of(s, op->operands[0]);
    if (op->operands[0]->type.rank > 0 || source != ANY)
        return source;
    for (int i = 0; i < s->count; i++) {
        if (s->broadcasts[i] == op)
            return CLEAN;
    }
    if (s->count == MOST_SCALARS)
        return ANY;
    s->broadcasts[s->count++] = op;
    return CLEAN;
}

static enum nans of_choice(struct search *s, const struct ir_op *op)
{
    uint64_t bits;
    for (int i = 0; i < 2; i++) {
        if (ir_constant_bits(op->operands[i], &bits) && (bits & 0x7fffffff) <= 0x7f800000)
            return nans_of(s, op->operands[1 - i]);
    }
    return ANY;
}

static enum nans nans_of(struct search *s, const struct ir_value *v)
{
    struct ir_op *op = v->op;
    if (!op || v->type.pointer || v->type.elem != IR_F32 || s->left-- <= 0)
        return ANY;
    switch (op->code) {
    case IR_OP_CONSTANT:
        return of_constant(op->attributes.bits);
    case IR_OP_CAST:
        return of_cast(op);
    case IR_OP_BROADCAST:
        return of_broadcast(s, op);
    case IR_OP_RESHAPE:
    case IR_OP_TRANS:
    case IR_OP_NEG:
    case IR_OP_ABS:
        return least_of_operands(s, op, 0);
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
        return of_choice(s, op);
    case IR_OP_SELECT:
        return least_of_operands(s, op, 1);
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_DIV:
    case IR_OP_FMA:
    case IR_OP_SUM:
    case IR_OP_PROD:
    case IR_OP_SQRT:
    case IR_OP_RSQRT:
    case IR_OP_EXP:
        return least_of_operands(s, op, 0) == ANY ? ANY : CLEAN;
    default:
        return ANY;
    }
}

/* ---- cleaning ------------------------------------------------------------------------------- */

static void clean(struct ir_func *func, struct ir_op *broadcast)
{
    struct ir_builder b = {
        .func = func, .region = broadcast->parent, .before = broadcast, .range = broadcast->range};
    struct ir_value *v = broadcast->operands[0], *bits = ir_bitcast(&b, v, IR_U32);
    struct ir_type word = ir_scalar(IR_U32);
    bits = ir_binary(&b, IR_OP_OR, bits, ir_constant(&b, word, 0x00400000));
    bits = ir_binary(&b, IR_OP_AND, bits, ir_constant(&b, word, 0xffff0000));
    struct ir_value *nan = ir_binary(&b, IR_OP_NE, v, v);
    broadcast->operands[0] = ir_ternary(&b, IR_OP_SELECT, nan, ir_bitcast(&b, bits, IR_F32), v);
}

static bool look_at(struct ir_op *op, void *user)
{
    struct search search = {.left = MOST_OPS};
    if (op->code != IR_OP_CAST || op->results[0]->type.elem != IR_BF16 ||
        op->results[0]->type.rank == 0 || nans_of(&search, op->operands[0]) != CLEAN)
        return true;
    op->attributes.bits = CPU_CAST_CLEAN;
    for (int i = 0; i < search.count; i++)
        clean(user, search.broadcasts[i]);
    return true;
}

void cpu_clean_nans(struct ir_func *func)
{
    ir_walk(func->body, look_at, func);
}
