/*
 * Tiles of 64-bit integers of which only the lower half is wanted.
 *
 *     int hit = -1;                               an index, as the loop's counter is one: 64 bits
 *     for (int b = 0; b < boxes; b++)
 *         hit = where(near, b, hit);
 *     store(Hit + i, hit);                        which cuts it to 32
 *
 * Indices are exact, so they are carried in 64 bits, and a nest that computes some takes vectors of
 * half as many elements. But the lower half of a sum, a product or a choice hangs on the lower
 * halves of its operands alone. So where all uses of a tile lead to a conversion to 32 bits or
 * fewer, through such ops and around loops, it becomes an int, and what it is made of is cut first:
 *
 *     %h = for .. carry (%a = %x) : i64[n] {      %h = for .. carry (%a = cast %x) : i32[n] {
 *         %y = select %c, %b, %a : i64[n]    ->       %y = select %c, (cast %b), %a : i32[n]
 *         yield %y                                    yield %y
 *     }                                           }
 *     cast %h : i32[n]                            %h
 *
 * Values are first all taken for such tiles, and those that another use needs whole are taken out
 * until none is left; what a loop carries is one with what it starts with, yields and gives.
 *
 *     int at = zeros(int, BLOCK);                 the place of the greatest of each lane
 *     for (int i = 0; i < n; i += BLOCK) {
 *         at = where(x > best, i + lane, at);
 *         ...
 *     }
 *     store(Out, min(where(best == max(best), at, n)));
 *
 * What a loop gives may be needed whole: where its range is that of 32 bits, with a sign or
 * without, which is shown by induction, the int is extended there again.
 */
#include "cpu/low_bits.h"
#include "ir/range_query.h"

enum { LOW = 1, LOW_SIGNED, LOW_UNSIGNED }; /* a value's mark: and what of 32 bits it is whole */

struct search {
    struct ir_func *func;
    bool changed;
};

static bool is_wide(const struct ir_value *v)
{
    return !v->type.pointer && (v->type.elem == IR_I64 || v->type.elem == IR_U64);
}

/* ---- which ---------------------------------------------------------------------------------- */

/* Whether the lower half of the op's result hangs on the lower halves of its operands alone. */
static bool keeps_low_bits(const struct ir_op *op)
{
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_NEG:
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_AND:
    case IR_OP_OR:
    case IR_OP_XOR:
    case IR_OP_NOT:
    case IR_OP_SELECT:
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
    case IR_OP_TRANS:
        return true;
    case IR_OP_CAST:
        return !ir_is_float((enum ir_elem)op->operands[0]->type.elem);
    default:
        return false;
    }
}

static void begin_with(struct ir_value *v, bool possible)
{
    v->mark = possible && is_wide(v) && v->type.rank > 0;
}

static bool begin(struct ir_op *op, void *user)
{
    (void)user;
    bool joins = op->code == IR_OP_FOR || op->code == IR_OP_IF;
    for (int i = 0; i < op->result_count; i++)
        begin_with(op->results[i], joins || keeps_low_bits(op));
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->argument_count; i++)
            begin_with(op->regions[r]->arguments[i], op->code == IR_OP_FOR && i > 0);
    }
    return true;
}

/* Whether the op needs no more of its operand than the lower half. */
static bool needs_low_bits(const struct ir_op *op, int operand)
{
    const struct ir_op *around = op->parent ? op->parent->parent : NULL;
    switch (op->code) {
    case IR_OP_FOR:
        return operand >= 3 && op->results[operand - 3]->mark;
    case IR_OP_YIELD:
        return around && (around->code == IR_OP_FOR || around->code == IR_OP_IF) &&
               around->results[operand]->mark;
    case IR_OP_CAST:
        return op->results[0]->mark ||
               (op->results[0]->type.elem != IR_BOOL && !op->results[0]->type.pointer &&
                !ir_is_float((enum ir_elem)op->results[0]->type.elem) && !is_wide(op->results[0]));
    default:
        return keeps_low_bits(op) && op->results[0]->mark;
    }
}

static void take_out(struct search *s, struct ir_value *v)
{
    s->changed = s->changed || v->mark;
    v->mark = 0;
}

static bool lies_within(struct ir_interval range, int mark)
{
    return mark == LOW_SIGNED ? range.least >= INT32_MIN && range.most <= INT32_MAX
                              : range.least >= 0 && range.most <= UINT32_MAX;
}

/* Whether all of what a loop gives has 32 bits: so has what it starts with, and what a turn makes
 * of that. */
static bool gives_within(const struct ir_value *v, int mark, int depth)
{
    enum { DEPTH = 4 * IR_RANGE_DEPTH }; /* trips that were made to one follow each other */
    const struct ir_op *loop = v->op;
    if (lies_within(ir_range(v), mark))
        return true;
    if (!loop || loop->code != IR_OP_FOR || depth == 0)
        return false;
    struct ir_interval all = {mark == LOW_SIGNED ? INT32_MIN : 0,
                              mark == LOW_SIGNED ? INT32_MAX : UINT32_MAX};
    struct ir_assumption assumption = {loop->regions[0]->arguments[1 + v->index], all};
    struct ir_range_query q = {&assumption, IR_RANGE_BUDGET};
    const struct ir_value *next = loop->regions[0]->last->operands[v->index];
    return lies_within(ir_range_at(next, &q, DEPTH), mark) &&
           gives_within(loop->operands[3 + v->index], mark, depth - 1);
}

/* Whether it may be extended where it is needed whole; as what stands in its mark then. */
static bool may_extend(struct ir_value *v)
{
    enum { LOOPS = 4 };
    if (v->mark > LOW)
        return true;
    if (!v->op || v->op->code != IR_OP_FOR || v->type.elem != IR_I64)
        return false;
    for (int mark = LOW_SIGNED; mark <= LOW_UNSIGNED && v->mark == LOW; mark++)
        v->mark = gives_within(v, mark, LOOPS) ? mark : LOW;
    return v->mark > LOW;
}

static bool look_at(struct ir_op *op, void *user)
{
    struct search *s = user;
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i]->mark && !needs_low_bits(op, i) && !may_extend(op->operands[i]))
            take_out(s, op->operands[i]);
    }
    for (int i = 0; i < op->result_count && op->code == IR_OP_FOR; i++) {
        struct ir_value *carried = op->regions[0]->arguments[1 + i];
        if (!carried->mark != !op->results[i]->mark) {
            take_out(s, carried);
            take_out(s, op->results[i]);
        }
    }
    return true;
}

/* ---- cutting -------------------------------------------------------------------------------- */

/* The operand is cut in front of the op, unless it becomes an int itself. */
static void cut_operand(struct search *s, struct ir_op *op, int i)
{
    struct ir_value *v = op->operands[i];
    if (!is_wide(v) || v->mark)
        return;
    struct ir_builder b = {.func = s->func, .region = op->parent, .before = op, .range = op->range};
    op->operands[i] = ir_cast(&b, v, IR_I32);
}

static bool cut_operands(struct ir_op *op, void *user)
{
    struct search *s = user;
    const struct ir_op *around = op->parent ? op->parent->parent : NULL;
    bool yields = op->code == IR_OP_YIELD && around &&
                  (around->code == IR_OP_FOR || around->code == IR_OP_IF);
    for (int i = 0; i < op->result_count && op->code == IR_OP_FOR; i++) {
        if (op->results[i]->mark)
            cut_operand(s, op, 3 + i);
    }
    for (int i = 0; i < op->operand_count && yields; i++) {
        if (around->results[i]->mark)
            cut_operand(s, op, i);
    }
    if (op->result_count != 1 || !op->results[0]->mark || !keeps_low_bits(op))
        return true;
    for (int i = 0; i < op->operand_count && op->code != IR_OP_CAST; i++)
        cut_operand(s, op, i);
    if (op->code == IR_OP_CONSTANT)
        op->attributes.bits &= UINT32_MAX;
    return true;
}

static void narrow(struct ir_value *v)
{
    if (v->mark)
        v->type.elem = IR_I32;
}

static bool narrow_all(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->result_count; i++)
        narrow(op->results[i]);
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->argument_count; i++)
            narrow(op->regions[r]->arguments[i]);
    }
    return true;
}

static bool extend_operands(struct ir_op *op, void *user)
{
    struct search *s = user;
    struct ir_builder b = {.func = s->func, .region = op->parent, .before = op, .range = op->range};
    for (int i = 0; i < op->operand_count; i++) {
        struct ir_value *v = op->operands[i];
        if (v->mark <= LOW || needs_low_bits(op, i))
            continue;
        if (v->mark == LOW_UNSIGNED)
            v = ir_cast(&b, v, IR_U32);
        op->operands[i] = ir_cast(&b, v, IR_I64);
    }
    return true;
}

static bool clear(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->result_count; i++)
        op->results[i]->mark = 0;
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->argument_count; i++)
            op->regions[r]->arguments[i]->mark = 0;
    }
    return true;
}

static bool drop_cast(struct ir_op *op, void *user)
{
    (void)user;
    if (op->code == IR_OP_CAST && !op->results[0]->type.pointer &&
        op->operands[0]->type.elem == op->results[0]->type.elem)
        ir_replace(op->results[0], op->operands[0]);
    return true;
}

void cpu_cut_to_low_bits(struct ir_func *func)
{
    struct search s = {.func = func, .changed = true};
    for (int i = 0; i < func->body->argument_count; i++)
        func->body->arguments[i]->mark = 0;
    ir_walk(func->body, begin, NULL);
    while (s.changed) {
        s.changed = false;
        ir_walk(func->body, look_at, &s);
    }
    ir_walk(func->body, cut_operands, &s);
    ir_walk(func->body, narrow_all, NULL);
    ir_walk(func->body, extend_operands, &s);
    ir_walk(func->body, clear, NULL);
    ir_walk(func->body, drop_cast, NULL);
    ir_apply_replacements(func);
}
