/*
 * Loads, stores, atomics, and arrays in shared memory; see emit.c.
 */
#include "emit/internal.h"

/* Whether an access is written as one instruction with its mask: in straight code, where compilers
 * would gather what hangs on one mask in one place, behind barriers. In loops they know better. */
static bool is_predicated(const struct emitter *e, const struct ir_op *op, int mask)
{
    struct ir_type type = op->operands[0]->type;
    return op->operand_count > mask && e->predicates && !op->parent->parent &&
           type.space == IR_SPACE_DEVICE && type.elem != IR_BOOL;
}

void emit_load(struct emitter *e, const struct ir_op *op)
{
    const char *text = emit_spell(e, op, EMIT_WHOLE);
    if (is_predicated(e, op, 1))
        text = arena_format(
            e->arena, "%s<%s>(%s, %s, %s)", emit_helper(e, e->dialect->predicated_load),
            emit_type(e, op->results[0]->type), emit_operand(e, op->operands[0], EMIT_WHOLE),
            emit_operand(e, op->operands[1], EMIT_WHOLE),
            emit_operand(e, op->operands[2], EMIT_WHOLE));
    else if (op->operand_count == 3)
        text = arena_format(e->arena, "%s ? %s : %s", emit_operand(e, op->operands[1], EMIT_WHOLE),
                            text, emit_operand(e, op->operands[2], EMIT_WHOLE));
    emit_define(e, op->results[0], text);
}

void emit_store(struct emitter *e, const struct ir_op *op)
{
    const char *text = emit_spell(e, op, EMIT_WHOLE);
    if (is_predicated(e, op, 2)) {
        emit_line(e, "%s(%s, %s, %s);", emit_helper(e, e->dialect->predicated_store),
                  emit_operand(e, op->operands[0], EMIT_WHOLE),
                  emit_operand(e, op->operands[1], EMIT_WHOLE),
                  emit_operand(e, op->operands[2], EMIT_WHOLE));
        return;
    }
    if (op->operand_count == 3)
        emit_line(e, "if (%s)", emit_operand(e, op->operands[2], EMIT_WHOLE));
    emit_line(e, "%s%s;", op->operand_count == 3 ? "    " : "", text);
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

void emit_atomic(struct emitter *e, const struct ir_op *op)
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
    emit_define(e, op->results[0], text);
}

int emit_alignment(const struct ir_op *op)
{
    return op->attributes.aligned ? 1024 : 16;
}

int64_t emit_round_up(int64_t bytes, int alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

void emit_shared(struct emitter *e, const struct ir_op *op)
{
    enum ir_elem elem = (enum ir_elem)op->results[0]->type.elem;
    const char *type = emit_type(e, ir_scalar(elem));
    long long elements = (long long)(op->attributes.number + op->attributes.padding);
    long long bytes = (elements * (long long)ir_elem_bytes(elem) + 15) & ~15ll;
    if (!e->dynamic && e->parts > 1) {
        const char *name = emit_name(e, op->results[0]);
        emit_line(e, "alignas(16) %s %s %s_of[%d][%lld];", e->dialect->shared, type, name, e->parts,
                  bytes / (long long)ir_elem_bytes(elem));
        emit_line(e, "%s *%s = %s_of[part];", type, name, name);
        return;
    }
    if (!e->dynamic) {
        emit_line(e, "alignas(%d) %s %s %s[%lld];", emit_alignment(op), e->dialect->shared, type,
                  emit_name(e, op->results[0]), elements);
        return;
    }
    e->shared = (int)emit_round_up(e->shared, emit_alignment(op));
    e->alignment = emit_alignment(op) > e->alignment ? emit_alignment(op) : e->alignment;
    const char *part = "";
    if (e->parts > 1)
        part = arena_format(e->arena, "part * %du + ", e->part_bytes);
    emit_define(e, op->results[0],
                arena_format(e->arena, "(%s *)(tilec_shared + %s%d)", type, part, e->shared));
    e->shared += (int)bytes;
}
