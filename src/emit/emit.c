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

static void line(struct emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void line(struct emitter *e, const char *format, ...)
{
    va_list arguments;
    indent(e);
    va_start(arguments, format);
    text_format_list(&e->body, format, arguments);
    va_end(arguments);
    text_char(&e->body, '\n');
}

/* `float x_1`, ready for what it is set to. */
static const char *declaration(struct emitter *e, const struct ir_value *value)
{
    const char *type = emit_type(e, value->type);
    return arena_format(e->arena, "%s%s%s", type, value->type.pointer ? "" : " ",
                        (const char *)value->data);
}

static void define(struct emitter *e, struct ir_value *value, const char *text)
{
    emit_name(e, value);
    line(e, "%s = %s;", declaration(e, value), text);
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
        line(e, "%s%s%s = %s;", type, from[i]->type.pointer ? "" : " ", copy, texts[i]);
        texts[i] = copy;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(texts[i], to[i]->data) != 0)
            line(e, "%s = %s;", (const char *)to[i]->data, texts[i]);
    }
}

/* Variables for what a loop carries, with their first values. */
static void carry(struct emitter *e, const struct ir_op *op, int first)
{
    for (int i = 0; i < op->result_count; i++)
        define(e, op->results[i], emit_operand(e, op->operands[first + i], EMIT_WHOLE));
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
    line(e, "%s", text);
}

/* ---- control --------------------------------------------------------------------------------- */

/* A loop whose counter provably stays in its type needs no count of trips. */
static bool is_plain_loop(const struct ir_op *op)
{
    int64_t step;
    return ir_constant_int(op->operands[2], &step) && step > 0 &&
           ir_range(op->operands[1]).most <= INT64_MAX - step;
}

static void emit_for(struct emitter *e, const struct ir_op *op)
{
    const struct ir_region *body = op->regions[0];
    const char *low = emit_operand(e, op->operands[0], EMIT_WHOLE);
    const char *high = emit_operand(e, op->operands[1], EMIT_WHOLE);
    const char *step = emit_operand(e, op->operands[2], EMIT_WHOLE);
    const char *counter = emit_name(e, body->arguments[0]);
    carry(e, op, 3);
    share_names(op->results, body->arguments + 1, op->result_count);
    bool plain = is_plain_loop(op);
    if (plain) {
        line(e, "for (long %s = %s; %s < %s; %s += %s) {", counter, low, counter, high, counter,
             step);
    } else {
        const char *trips = arena_format(e->arena, "trips%d", body->arguments[0]->id);
        line(e, "long %s = %s;", counter, low);
        line(e, "for (ulong %s = %s(%s, %s, %s); %s > 0ul; %s--) {", trips, emit_helper(e, "trips"),
             low, high, step, trips, trips);
    }
    emit_block(e, body);
    assign(e, body->last->operands, op->results, op->result_count);
    if (!plain) /* unsigned, because the last step may leave the type */
        line(e, "%s = long(ulong(%s) + ulong(%s));", counter, counter, step);
    close_block(e, "}");
}

static void emit_while(struct emitter *e, const struct ir_op *op)
{
    const struct ir_region *test = op->regions[0], *body = op->regions[1];
    carry(e, op, 0);
    share_names(op->results, test->arguments, op->result_count);
    share_names(op->results, body->arguments, op->result_count);
    line(e, "for (;;) {");
    emit_block(e, test);
    int number = test->last->operands[0]->id;
    line(e, "bool go%d = %s;", number, emit_operand(e, test->last->operands[0], EMIT_WHOLE));
    assign(e, test->last->operands + 1, op->results, op->result_count);
    line(e, "if (!go%d)", number);
    line(e, "    break;");
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
        line(e, "%s;", declaration(e, op->results[i]));
    }
    line(e, "if (%s) {", emit_operand(e, op->operands[0], EMIT_WHOLE));
    emit_branch(e, op, 0);
    if (op->result_count > 0 || op->regions[1]->first != op->regions[1]->last) {
        close_block(e, "} else {");
        emit_branch(e, op, 1);
    }
    close_block(e, "}");
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Whether an access is written as one instruction with its mask: in straight code, where compilers
 * would gather what hangs on one mask in one place, behind barriers. In loops they know better. */
static bool is_predicated(const struct emitter *e, const struct ir_op *op, int mask)
{
    struct ir_type type = op->operands[0]->type;
    return op->operand_count > mask && e->predicates && !op->parent->parent &&
           type.space == IR_SPACE_DEVICE && type.elem != IR_BOOL;
}

static void emit_load(struct emitter *e, const struct ir_op *op)
{
    const char *text = emit_spell(e, op, EMIT_WHOLE);
    if (is_predicated(e, op, 1))
        text = arena_format(e->arena, "%s<%s>(%s, %s, %s)",
                            emit_helper(e, e->dialect->predicated_load),
                            emit_type(e, op->results[0]->type),
                            emit_operand(e, op->operands[0], EMIT_WHOLE),
                            emit_operand(e, op->operands[1], EMIT_WHOLE),
                            emit_operand(e, op->operands[2], EMIT_WHOLE));
    else if (op->operand_count == 3)
        text = arena_format(e->arena, "%s ? %s : %s", emit_operand(e, op->operands[1], EMIT_WHOLE),
                            text, emit_operand(e, op->operands[2], EMIT_WHOLE));
    define(e, op->results[0], text);
}

static void emit_store(struct emitter *e, const struct ir_op *op)
{
    const char *text = emit_spell(e, op, EMIT_WHOLE);
    if (is_predicated(e, op, 2)) {
        line(e, "%s(%s, %s, %s);", emit_helper(e, e->dialect->predicated_store),
             emit_operand(e, op->operands[0], EMIT_WHOLE),
             emit_operand(e, op->operands[1], EMIT_WHOLE),
             emit_operand(e, op->operands[2], EMIT_WHOLE));
        return;
    }
    if (op->operand_count == 3)
        line(e, "if (%s)", emit_operand(e, op->operands[2], EMIT_WHOLE));
    line(e, "%s%s;", op->operand_count == 3 ? "    " : "", text);
}

/* Only buffers are accessed by several threads at once. */
static bool can_be_atomic(struct emitter *e, const struct ir_op *op)
{
    struct ir_type type = op->operands[0]->type;
    if (ir_elems[type.elem].bits & e->dialect->atomic_bits && type.space == IR_SPACE_DEVICE)
        return true;
    emit_fail(e, op,
              arena_format(e->arena, "the target '%s' has no atomic operations on %s",
                           e->dialect->name, ir_elems[type.elem].c_name),
              "use int, unsigned int or float in device memory");
    return false;
}

static void emit_atomic(struct emitter *e, const struct ir_op *op)
{
    int values = op->code == IR_OP_ATOMIC_CAS ? 3 : 2;
    struct ir_type type = op->results[0]->type;
    if (!can_be_atomic(e, op))
        return;
    const char *text = emit_spell(e, op, EMIT_WHOLE);
    if (op->operand_count > values)
        text = arena_format(e->arena, "%s ? %s : %s",
                            emit_operand(e, op->operands[values], EMIT_WHOLE), text,
                            emit_literal(e, (enum ir_elem)type.elem, 0));
    define(e, op->results[0], text);
}

int emit_alignment(const struct ir_op *op)
{
    return op->attributes.aligned ? 1024 : 16;
}

int64_t emit_round_up(int64_t bytes, int alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

static void emit_shared(struct emitter *e, const struct ir_op *op)
{
    enum ir_elem elem = (enum ir_elem)op->results[0]->type.elem;
    const char *type = emit_type(e, ir_scalar(elem));
    long long elements = (long long)(op->attributes.number + op->attributes.padding);
    long long bytes = (elements * (long long)ir_elem_bytes(elem) + 15) & ~15ll;
    if (!e->dynamic && e->parts > 1) {
        const char *name = emit_name(e, op->results[0]);
        line(e, "alignas(16) %s %s %s_of[%d][%lld];", e->dialect->shared, type, name, e->parts,
             bytes / (long long)ir_elem_bytes(elem));
        line(e, "%s *%s = %s_of[part];", type, name, name);
        return;
    }
    if (!e->dynamic) {
        line(e, "alignas(%d) %s %s %s[%lld];", emit_alignment(op), e->dialect->shared, type,
             emit_name(e, op->results[0]), elements);
        return;
    }
    e->shared = (int)emit_round_up(e->shared, emit_alignment(op));
    e->alignment = emit_alignment(op) > e->alignment ? emit_alignment(op) : e->alignment;
    const char *part = "";
    if (e->parts > 1)
        part = arena_format(e->arena, "part * %du + ", e->part_bytes);
    define(e, op->results[0],
           arena_format(e->arena, "(%s *)(tilec_shared + %s%d)", type, part, e->shared));
    e->shared += (int)bytes;
}

/* ---- ops ------------------------------------------------------------------------------------- */

/* `float4(a, b, c, d)`, of each element's text. */
static const char *vector_of(struct emitter *e, const struct ir_op *op,
                             const char *(*element)(struct emitter *e, const struct ir_op *op,
                                                    int k))
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
    define(e, op->results[0], whole ? emit_spell(e, op, EMIT_WHOLE) : vector_of(e, op, emit_spell));
}

/* ---- fragments ------------------------------------------------------------------------------- */

static const char *lane_element(struct emitter *e, const struct ir_value *fragment, int k)
{
    struct text text;
    text_init(&text, e->arena);
    for (const char *c = e->dialect->fragment_element; *c; c++) {
        if (*c == '%' && c[1] == 's')
            text_string(&text, fragment->data);
        else if (*c == '%')
            text_format(&text, "%d", k);
        else
            text_char(&text, *c);
        c += *c == '%';
    }
    return text.items;
}

static const char *own_element(struct emitter *e, const struct ir_op *op, int k)
{
    return lane_element(e, op->operands[0], k);
}

static void emit_fragment_pack(struct emitter *e, const struct ir_op *op)
{
    const struct ir_value *vector = op->operands[0], *result = op->results[0];
    int count = vector->type.rank ? (int)vector->type.dims[0] : 1;
    for (int k = 0; k < count; k++)
        line(e, "%s = %s;", lane_element(e, result, k), emit_operand(e, vector, k));
}

static void emit_fragment(struct emitter *e, const struct ir_op *op)
{
    int code = (int)op->code;
    if (code == GPU_OP_FRAGMENT_ELEMENTS) {
        bool vector = op->results[0]->type.rank > 0;
        define(e, op->results[0], vector ? vector_of(e, op, own_element) : own_element(e, op, 0));
        return;
    }
    for (int i = 0; i < op->result_count; i++) {
        emit_name(e, op->results[i]);
        line(e, "%s;", declaration(e, op->results[i]));
    }
    if (code == GPU_OP_FRAGMENT_PACK)
        emit_fragment_pack(e, op);
    else
        line(e, "%s;", emit_spell(e, op, EMIT_WHOLE));
}

/* Products that are started, or waited for: the sums' variables are theirs from then on. */
static void emit_team(struct emitter *e, const struct ir_op *op)
{
    bool starts = (int)op->code == GPU_OP_WARPGROUP_MMA;
    if (!e->dialect->start_product) {
        emit_fail(e, op,
                  arena_format(e->arena, "the target '%s' has no warpgroups", e->dialect->name),
                  "this is a bug in tilec");
        return;
    }
    if (!starts)
        line(e, "%s;", emit_spell(e, op, EMIT_WHOLE));
    for (int i = 0; i < op->result_count; i++)
        define(e, op->results[i],
               emit_operand(e, op->operands[op->operand_count - op->result_count + i], EMIT_WHOLE));
    if (starts)
        line(e, "%s;", e->dialect->start_product(e, op));
    for (int i = 0; !starts && i < op->result_count; i++)
        line(e, "%s(%s);", emit_helper(e, e->dialect->settle), (const char *)op->results[i]->data);
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
        line(e, e->dialect->part_barrier, e->part_threads);
    else if (e->barrier > 0 && op->attributes.scope != IR_SCOPE_GROUP)
        line(e, e->dialect->numbered_barrier, e->barrier);
    else
        line(e, "%s;", e->dialect->barriers[op->attributes.scope]);
}

static void emit_op(struct emitter *e, const struct ir_op *op)
{
    if (!check_results(e, op))
        return;
    emit_start(e, op);
    if (op == e->release && e->started)
        text_string(&e->body, e->late ? e->dialect->late_release : e->dialect->release);
    if (ir_is_atomic(op)) {
        emit_atomic(e, op);
        return;
    }
    switch ((int)op->code) {
    case IR_OP_CONSTANT:
        return; /* where it is used */
    case IR_OP_FOR:
        emit_for(e, op);
        return;
    case IR_OP_WHILE:
        emit_while(e, op);
        return;
    case IR_OP_IF:
        emit_if(e, op);
        return;
    case IR_OP_LOAD:
    case GPU_OP_VECTOR_LOAD:
        emit_load(e, op);
        return;
    case IR_OP_STORE:
    case GPU_OP_VECTOR_STORE:
        emit_store(e, op);
        return;
    case GPU_OP_SHARED:
        emit_shared(e, op);
        return;
    case GPU_OP_BARRIER:
        emit_barrier(e, op);
        return;
    case IR_OP_ARANGE:
        define(e, op->results[0], vector_of(e, op, range_element));
        return;
    case GPU_OP_PACK:
        define(e, op->results[0], vector_of(e, op, pack_element));
        return;
    case GPU_OP_FETCH:
    case GPU_OP_COPY_ASYNC:
    case GPU_OP_COPIES_COMMIT:
    case GPU_OP_COPIES_WAIT:
    case GPU_OP_COPIES_PUBLISH:
    case GPU_OP_RARE:
    case GPU_OP_WARPGROUP_BEGIN:
    case GPU_OP_WARPGROUP_COMMIT:
        line(e, "%s;", emit_spell(e, op, EMIT_WHOLE));
        return;
    case GPU_OP_WARPGROUP_MMA:
    case GPU_OP_WARPGROUP_WAIT:
        emit_team(e, op);
        return;
    case GPU_OP_FRAGMENT_LOAD:
    case GPU_OP_FRAGMENT_LOAD_PAIR:
    case GPU_OP_FRAGMENT_STORE:
    case GPU_OP_FRAGMENT_FILL:
    case GPU_OP_FRAGMENT_PACK:
    case GPU_OP_FRAGMENT_ELEMENTS:
    case GPU_OP_FRAGMENT_MMA:
        emit_fragment(e, op);
        return;
    case GPU_OP_CLUSTER_EXPECT:
    case GPU_OP_CLUSTER_ARRIVE:
    case GPU_OP_CLUSTER_JOIN:
    case GPU_OP_CLUSTER_PUT:
    case GPU_OP_CLUSTER_WAIT:
        line(e, "%s;", emit_spell(e, op, EMIT_WHOLE));
        return;
    case GPU_OP_EXTRACT:
        define(e, op->results[0], emit_operand(e, op->operands[0], (int)op->attributes.number));
        return;
    default:
        emit_elementwise(e, op);
    }
}

void emit_region(struct emitter *e, const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op && !e->failed; op = op->next) {
        if (!ir_has(op, IR_TERMINATOR))
            emit_op(e, op);
    }
}
