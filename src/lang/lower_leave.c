/*
 * Blocks, and leaving them early. break, continue and return set hidden variables: `broke` and `continued` of a
 * loop, `returned` of a function. After a statement that may have set one, the rest of the block goes under an
 * `if`; a loop that can be left becomes a `while` that tests them.
 *
 *     if (c) break;            ->  broke = c
 *     rest                         if (!broke) { rest }
 */
#include "lang/lower_branch.h"

struct value lower_or_flag(struct lower *l, struct value flags, size_t index)
{
    struct value flag = l->variables.items[index].value;
    if (lower_is_truth(flag, false) || value_is_poison(flag))
        return flags;
    if (lower_is_truth(flags, false))
        return flag;
    struct value operands[] = {flags, flag};
    return lower_elementwise(l, l->b.range, IR_OP_OR, operands, 2);
}

/* Whether the block's rest is to be left out: constant false where nothing could leave it. */
static struct value left_already(struct lower *l)
{
    struct value flags = value_constant(IR_BOOL, 0);
    flags = lower_or_flag(l, flags, l->frame->returned);
    if (l->frame->loop) {
        flags = lower_or_flag(l, flags, l->frame->loop->broke);
        flags = lower_or_flag(l, flags, l->frame->loop->continued);
    }
    return flags;
}

static void statements(struct lower *l, struct ast_statement *const *items, int count);

/* if (!left) { the rest } else dead. In the rest nothing has been left: the flags are false there,
 * and keep their value if it leaves them alone. */
static void guarded(struct lower *l, struct ast_statement *const *items, int count,
                    struct value left)
{
    if (!lower_enter(l, items[0]->range))
        return;
    struct value go_on = lower_elementwise(l, l->b.range, IR_OP_NOT, &left, 1);
    struct loop *loop = l->frame->loop;
    size_t flags[] = {l->frame->returned, loop ? loop->broke : 0, loop ? loop->continued : 0};
    int flag_count = loop ? 3 : 1;
    struct branch branch;
    lower_branch_begin(l, &branch, source_join(items[0]->range, items[count - 1]->range));
    lower_branch_open(l, &branch, 0);
    for (int i = 0; i < flag_count; i++)
        l->variables.items[flags[i]].value = value_constant(IR_BOOL, 0);
    statements(l, items, count);
    lower_branch_close(l, &branch, 0);
    for (int i = 0; i < flag_count; i++) {
        if (lower_is_truth(branch.ends[0][flags[i]], false))
            branch.ends[0][flags[i]] = branch.before[flags[i]];
    }
    lower_branch_open(l, &branch, 1);
    l->dead = true;
    lower_branch_close(l, &branch, 1);
    lower_branch_finish(l, &branch, go_on);
    lower_leave(l);
}

static void statements(struct lower *l, struct ast_statement *const *items, int count)
{
    for (int i = 0; i < count && !l->dead && !l->stopped; i++) {
        lower_statement(l, items[i]);
        if (l->dead || i + 1 == count)
            return;
        struct value left = left_already(l);
        if (!lower_is_truth(left, false)) {
            guarded(l, items + i + 1, count - i - 1, left);
            return;
        }
    }
}

void lower_behind_body(struct lower *l, const struct ast_statement *s)
{
    l->variables.items[l->frame->loop->continued].value = value_constant(IR_BOOL, 0);
    struct value left = left_already(l);
    if (lower_is_truth(left, false))
        lower_statement(l, s);
    else if (!lower_is_truth(left, true))
        guarded(l, (struct ast_statement *const *)&s, 1, left);
    l->dead = false;
}

void lower_block(struct lower *l, struct ast_statement *const *items, int count)
{
    size_t scope = l->variables.count;
    statements(l, items, count);
    l->variables.count = scope;
}

/* A path that leaves a block is not seen where the block's paths join: what it has no value for
 * there is noted here, for what comes behind the body and behind the loop. */
static void note_without(struct lower *l, struct loop *loop, bool breaks)
{
    bool **without = &loop->without[breaks];
    if (!*without)
        *without = ARENA_ARRAY(l->arena, bool, loop->broke);
    l->work += (int)(loop->broke / 4);
    for (size_t i = l->frame->first; i < loop->broke; i++) {
        const struct variable *variable = &l->variables.items[i];
        if (variable->kind != VARIABLE_HIDDEN && variable->value.kind == VALUE_NONE)
            (*without)[i] = true;
    }
}

void lower_leave_loop(struct lower *l, const struct ast_statement *s)
{
    struct loop *loop = l->frame->loop;
    if (!loop)
        return; /* lower_check_names has reported it */
    bool breaks = s->kind == AST_BREAK;
    note_without(l, loop, breaks);
    l->variables.items[breaks ? loop->broke : loop->continued].value = value_constant(IR_BOOL, 1);
    l->dead = true;
}

bool lower_is_left_without(const struct loop *loop, size_t index)
{
    return (loop->without[0] && loop->without[0][index]) ||
           (loop->without[1] && loop->without[1][index]);
}

void lower_end_body(struct lower *l)
{
    const struct loop *loop = l->frame->loop;
    l->dead = false;
    for (size_t i = l->frame->first; loop->without[0] && i < loop->broke; i++) {
        if (loop->without[0][i])
            l->variables.items[i].value = value_none;
    }
}

void lower_return(struct lower *l, const struct ast_statement *s)
{
    const struct ast_function *function = l->frame->function;
    const struct ast_type *type = function->result;
    struct value v = value_void;
    if (s->result)
        v = lower_value(l, s->result);
    if (s->result && type->kind == AST_TYPE_VOID) {
        lower_error(l, s->result->range, "'%s' returns nothing", function->name);
        if (function->is_kernel)
            lower_hint(l, "a kernel stores its results");
    } else if (!s->result && type->kind != AST_TYPE_VOID) {
        lower_error(l, s->range, "'%s' returns a value", function->name);
        v = value_poison;
    } else if (s->result) {
        const char *what = arena_format(l->arena, "the result of '%s'", function->name);
        struct ir_type target = type->pointer ? ir_pointer(type->elem) : ir_scalar(type->elem);
        if (type->kind == AST_TYPE_ELEM)
            v = lower_assign_convert(l, s->result->range, v, target, type->is_const, what);
        v = lower_settle(l, v);
    }
    l->variables.items[l->frame->result].value = v;
    l->variables.items[l->frame->returned].value = value_constant(IR_BOOL, 1);
    l->dead = true;
}
