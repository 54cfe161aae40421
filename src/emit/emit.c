/*
 * The walker that prints GPU IR; see emit.h.
 *
 *   %y = fma %x, %x, %s : f32          float y_7 = fma(x_3, x_3, s_5);
 *   %s = for %i = ... init (%t) {      float s_9 = t_2;
 *                                      for (ulong trips8 = ...; trips8 > 0ul; trips8--) {
 *     yield %y                             s_9 = y_7;
 *
 * A value is a variable called after it, with its number behind; constants stand where they are
 * used. What a loop carries, its region's arguments and its results are one variable, which the
 * yield sets. value->data points to the value's text.
 */
#include "emit/internal.h"

#include "ir/affine.h"

#include <stdarg.h>
#include <string.h>

/* ---- lines ----------------------------------------------------------------------------------- */

static void indent(struct emitter *e)
{
    for (int i = 0; i < e->depth; i++)
        text_string(&e->body, "    ");
}

void emit_line(struct emitter *e, const char *format, ...)
{
    va_list arguments;
    indent(e);
    va_start(arguments, format);
    text_format_list(&e->body, format, arguments);
    va_end(arguments);
    text_char(&e->body, '\n');
}

const char *emit_declaration(struct emitter *e, const struct ir_value *value)
{
    const char *type = emit_type(e, value->type);
    return arena_format(e->arena, "%s%s%s", type, value->type.pointer ? "" : " ",
                        (const char *)value->data);
}

void emit_define(struct emitter *e, struct ir_value *value, const char *text)
{
    emit_name(e, value);
    emit_line(e, "%s = %s;", emit_declaration(e, value), text);
}

bool emit_fail(struct emitter *e, const struct ir_op *op, const char *message, const char *hint)
{
    struct source_range range = op ? op->range : e->func->range;
    struct diagnostic *added =
        diagnostics_add(e->diagnostics, DIAGNOSTIC_ERROR, range, "%s", message);
    diagnostics_hint(e->diagnostics, added, "%s", hint);
    e->failed = true;
    return false;
}

/* ---- what regions hand over ------------------------------------------------------------------ */

/* Whether a value that is copied is one of the variables that are copied to, but not its own. */
static bool is_overwritten(const struct ir_value *from, struct ir_value *const *to, int count,
                           int own)
{
    for (int i = 0; i < count; i++) {
        if (i != own && from->data && from->data == to[i]->data)
            return true;
    }
    return false;
}

/* to[i] = from[i], all at once. */
static void assign(struct emitter *e, struct ir_value *const *from, struct ir_value *const *to,
                   int count)
{
    const char **texts = ARENA_ARRAY(e->arena, const char *, (size_t)count + 1);
    for (int i = 0; i < count; i++) {
        texts[i] = emit_operand(e, from[i], EMIT_WHOLE);
        if (!is_overwritten(from[i], to, count, i))
            continue;
        const char *type = emit_type(e, from[i]->type);
        const char *copy = arena_format(e->arena, "copy%d", e->copies++);
        emit_line(e, "%s%s%s = %s;", type, from[i]->type.pointer ? "" : " ", copy, texts[i]);
        texts[i] = copy;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(texts[i], to[i]->data) != 0)
            emit_line(e, "%s = %s;", (const char *)to[i]->data, texts[i]);
    }
}

/* Variables for what a loop carries, with their first values. */
static void carry(struct emitter *e, const struct ir_op *op, int first)
{
    for (int i = 0; i < op->result_count; i++)
        emit_define(e, op->results[i], emit_operand(e, op->operands[first + i], EMIT_WHOLE));
}

static void share_names(struct ir_value *const *from, struct ir_value *const *to, int count)
{
    for (int i = 0; i < count; i++)
        to[i]->data = from[i]->data;
}

static void emit_block(struct emitter *e, const struct ir_region *region)
{
    e->depth++;
    emit_region(e, region);
}

static void close_block(struct emitter *e, const char *text)
{
    e->depth--;
    emit_line(e, "%s", text);
}

/* ---- control --------------------------------------------------------------------------------- */

/* A loop whose counter provably stays in its type needs no count of trips. */
static bool is_plain_loop(const struct ir_op *op)
{
    int64_t step;
    return ir_constant_int(op->operands[2], &step) && step > 0 &&
           ir_range(op->operands[1]).most <= INT64_MAX - step;
}

/* Where a plain loop's counter starts, as text; by dialect->loop_start where the compiler would
 * count its trips from the end and a step over 1, and from what it knows of the start. */
static const char *plain_start(struct emitter *e, const struct ir_op *op)
{
    int64_t low, high, step;
    const char *text = emit_operand(e, op->operands[0], EMIT_WHOLE);
    if (!e->dialect->loop_start || ir_constant_int(op->operands[0], &low) ||
        !ir_constant_int(op->operands[1], &high) || !ir_constant_int(op->operands[2], &step) ||
        step == 1)
        return text;
    return arena_format(e->arena, "%s(%s)", emit_helper(e, e->dialect->loop_start), text);
}

static void emit_for(struct emitter *e, const struct ir_op *op)
{
    const struct ir_region *body = op->regions[0];
    bool plain = is_plain_loop(op);
    const char *low = plain ? plain_start(e, op) : emit_operand(e, op->operands[0], EMIT_WHOLE);
    const char *high = emit_operand(e, op->operands[1], EMIT_WHOLE);
    const char *step = emit_operand(e, op->operands[2], EMIT_WHOLE);
    const char *counter = emit_name(e, body->arguments[0]);
    carry(e, op, 3);
    share_names(op->results, body->arguments + 1, op->result_count);
    if (plain) {
        emit_line(e, "for (long %s = %s; %s < %s; %s += %s) {", counter, low, counter, high,
                  counter, step);
    } else {
        const char *trips = arena_format(e->arena, "trips%d", body->arguments[0]->id);
        emit_line(e, "long %s = %s;", counter, low);
        emit_line(e, "for (ulong %s = %s(%s, %s, %s); %s > 0ul; %s--) {", trips,
                  emit_helper(e, "trips"), low, high, step, trips, trips);
    }
    emit_block(e, body);
    assign(e, body->last->operands, op->results, op->result_count);
    if (!plain) /* unsigned, because the last step may leave the type */
        emit_line(e, "%s = long(ulong(%s) + ulong(%s));", counter, counter, step);
    close_block(e, "}");
}

static void emit_while(struct emitter *e, const struct ir_op *op)
{
    const struct ir_region *test = op->regions[0], *body = op->regions[1];
    carry(e, op, 0);
    share_names(op->results, test->arguments, op->result_count);
    share_names(op->results, body->arguments, op->result_count);
    emit_line(e, "for (;;) {");
    emit_block(e, test);
    int number = test->last->operands[0]->id;
    emit_line(e, "bool go%d = %s;", number, emit_operand(e, test->last->operands[0], EMIT_WHOLE));
    assign(e, test->last->operands + 1, op->results, op->result_count);
    emit_line(e, "if (!go%d)", number);
    emit_line(e, "    break;");
    emit_region(e, body);
    assign(e, body->last->operands, op->results, op->result_count);
    close_block(e, "}");
}

static void emit_branch(struct emitter *e, const struct ir_op *op, int index)
{
    const struct ir_region *region = op->regions[index];
    emit_block(e, region);
    assign(e, region->last->operands, op->results, op->result_count);
}

static void emit_if(struct emitter *e, const struct ir_op *op)
{
    for (int i = 0; i < op->result_count; i++) {
        emit_name(e, op->results[i]);
        emit_line(e, "%s;", emit_declaration(e, op->results[i]));
    }
    emit_line(e, "if (%s) {", emit_operand(e, op->operands[0], EMIT_WHOLE));
    emit_branch(e, op, 0);
    if (op->result_count > 0 || op->regions[1]->first != op->regions[1]->last) {
        close_block(e, "} else {");
        emit_branch(e, op, 1);
    }
    close_block(e, "}");
}

/* ---- ops ------------------------------------------------------------------------------------- */

const char *emit_vector(struct emitter *e, const struct ir_op *op,
                        const char *(*element)(struct emitter *e, const struct ir_op *op, int k))
{
    struct text text;
    text_init(&text, e->arena);
    text_format(&text, "%s(", emit_type(e, op->results[0]->type));
    for (int k = 0; k < op->results[0]->type.dims[0]; k++)
        text_format(&text, "%s%s", k ? ", " : "", element(e, op, k));
    text_char(&text, ')');
    return text.items;
}

static const char *range_element(struct emitter *e, const struct ir_op *op, int k)
{
    return emit_literal(e, IR_I64, (uint64_t)(op->attributes.begin + k));
}

static const char *pack_element(struct emitter *e, const struct ir_op *op, int k)
{
    return emit_operand(e, op->operands[k], EMIT_WHOLE);
}

static void emit_elementwise(struct emitter *e, const struct ir_op *op)
{
    bool whole = op->results[0]->type.rank == 0 || emit_is_whole(e, op);
    emit_define(e, op->results[0],
                whole ? emit_spell(e, op, EMIT_WHOLE) : emit_vector(e, op, emit_spell));
}

/* Vectors that the target does not have are refused where they are made. */
static bool check_results(struct emitter *e, const struct ir_op *op)
{
    for (int i = 0; i < op->result_count; i++) {
        struct ir_type type = op->results[i]->type;
        if (type.rank == 2 &&
            (!e->dialect->fragment_type || !e->dialect->fragment_type(type, e->arena)))
            return emit_fail(e, op,
                             arena_format(e->arena, "the target '%s' has no fragments of %d by %d",
                                          e->dialect->name, (int)type.dims[0], (int)type.dims[1]),
                             "this is a bug in tilec");
        if (type.rank == 1 && type.dims[0] > e->dialect->most_lanes)
            return emit_fail(e, op,
                             arena_format(e->arena, "the target '%s' has no vectors of %d elements",
                                          e->dialect->name, (int)type.dims[0]),
                             "this is a bug in tilec");
        if (!e->dialect->elems[type.elem])
            return emit_fail(e, op,
                             arena_format(e->arena, "the target '%s' has no %s", e->dialect->name,
                                          ir_elems[type.elem].c_name),
                             "use float");
    }
    return true;
}

/* Of the kernel's body: what comes before needs nothing but the arguments. */
static void emit_start(struct emitter *e, const struct ir_op *op)
{
    if (e->started || !e->overlaps || ir_has(op, IR_PURE) || (int)op->code == GPU_OP_SHARED)
        return;
    e->started = true;
    text_string(&e->body, e->dialect->start);
}

/* A device that has numbered barriers gives high numbers to few programs at once. */
static void emit_barrier(struct emitter *e, const struct ir_op *op)
{
    if (e->parts > 1 && op->attributes.scope != IR_SCOPE_GROUP)
        emit_line(e, e->dialect->part_barrier, e->part_threads);
    else if (e->barrier > 0 && op->attributes.scope != IR_SCOPE_GROUP)
        emit_line(e, e->dialect->numbered_barrier, e->barrier);
    else
        emit_line(e, "%s;", e->dialect->barriers[op->attributes.scope]);
}

static void emit_nothing(struct emitter *e, const struct ir_op *op)
{
    (void)e, (void)op; /* a constant stands where it is used */
}

/* An op whose text is a statement. */
static void emit_statement(struct emitter *e, const struct ir_op *op)
{
    emit_line(e, "%s;", emit_spell(e, op, EMIT_WHOLE));
}

static void emit_range(struct emitter *e, const struct ir_op *op)
{
    emit_define(e, op->results[0], emit_vector(e, op, range_element));
}

static void emit_pack(struct emitter *e, const struct ir_op *op)
{
    emit_define(e, op->results[0], emit_vector(e, op, pack_element));
}

static void emit_extract(struct emitter *e, const struct ir_op *op)
{
    emit_define(e, op->results[0], emit_operand(e, op->operands[0], (int)op->attributes.number));
}

/* All others are elementwise. */
static void (*const emitters[GPU_OP_END])(struct emitter *e, const struct ir_op *op) = {
    [IR_OP_CONSTANT] = emit_nothing,
    [IR_OP_FOR] = emit_for,
    [IR_OP_WHILE] = emit_while,
    [IR_OP_IF] = emit_if,
    [IR_OP_LOAD] = emit_load,
    [GPU_OP_VECTOR_LOAD] = emit_load,
    [IR_OP_STORE] = emit_store,
    [GPU_OP_VECTOR_STORE] = emit_store,
    [IR_OP_ATOMIC_ADD] = emit_atomic,
    [IR_OP_ATOMIC_MAX] = emit_atomic,
    [IR_OP_ATOMIC_MIN] = emit_atomic,
    [IR_OP_ATOMIC_AND] = emit_atomic,
    [IR_OP_ATOMIC_OR] = emit_atomic,
    [IR_OP_ATOMIC_XOR] = emit_atomic,
    [IR_OP_ATOMIC_XCHG] = emit_atomic,
    [IR_OP_ATOMIC_CAS] = emit_atomic,
    [GPU_OP_SHARED] = emit_shared,
    [GPU_OP_BARRIER] = emit_barrier,
    [IR_OP_ARANGE] = emit_range,
    [GPU_OP_PACK] = emit_pack,
    [GPU_OP_EXTRACT] = emit_extract,
    [GPU_OP_FETCH] = emit_statement,
    [GPU_OP_COPY_ASYNC] = emit_statement,
    [GPU_OP_COPIES_COMMIT] = emit_statement,
    [GPU_OP_COPIES_WAIT] = emit_statement,
    [GPU_OP_COPIES_PUBLISH] = emit_statement,
    [GPU_OP_RARE] = emit_statement,
    [GPU_OP_WARPGROUP_BEGIN] = emit_statement,
    [GPU_OP_WARPGROUP_COMMIT] = emit_statement,
    [GPU_OP_WARPGROUP_MMA] = emit_team,
    [GPU_OP_WARPGROUP_WAIT] = emit_team,
    [GPU_OP_FRAGMENT_LOAD] = emit_fragment,
    [GPU_OP_FRAGMENT_LOAD_PAIR] = emit_fragment,
    [GPU_OP_FRAGMENT_STORE] = emit_fragment,
    [GPU_OP_FRAGMENT_FILL] = emit_fragment,
    [GPU_OP_FRAGMENT_PACK] = emit_fragment,
    [GPU_OP_FRAGMENT_ELEMENTS] = emit_fragment,
    [GPU_OP_FRAGMENT_MMA] = emit_fragment,
    [GPU_OP_CLUSTER_EXPECT] = emit_statement,
    [GPU_OP_CLUSTER_ARRIVE] = emit_statement,
    [GPU_OP_CLUSTER_JOIN] = emit_statement,
    [GPU_OP_CLUSTER_PUT] = emit_statement,
    [GPU_OP_CLUSTER_WAIT] = emit_statement,
};

static void emit_op(struct emitter *e, const struct ir_op *op)
{
    if (!check_results(e, op))
        return;
    emit_start(e, op);
    if (op == e->release && e->started)
        text_string(&e->body, e->late ? e->dialect->late_release : e->dialect->release);
    void (*emit)(struct emitter *, const struct ir_op *) = emitters[op->code];
    (emit ? emit : emit_elementwise)(e, op);
}

void emit_region(struct emitter *e, const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op && !e->failed; op = op->next) {
        if (!ir_has(op, IR_TERMINATOR))
            emit_op(e, op);
    }
}
