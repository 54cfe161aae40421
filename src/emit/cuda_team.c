/*
 * How a product of four warps starts in CUDA: wgmma, as inline assembly at its place, since its
 * operands are as many as the product has columns.
 *
 *   asm volatile("wgmma.mma_async... {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 1;"
 *                : "+f"(sum_1.e[0]), ..., "+f"(sum_1.e[3])
 *                : "l"(tilec_matrix_at<64, 4096, 0>(a_2)), "l"(tilec_matrix_at<64, 4096, 2>(b_3)))
 *
 * Or the left operand is a fragment in registers, {%4, %5, %6, %7} in place of a matrix.
 *
 * A place that is a constant further than another is counted from that one's, in pieces of 16 bytes.
 * The numbers behind the matrices: the sums count, nothing is negated, and which operand lies
 * across the inner axis.
 */
#include "emit/internal.h"

enum { EACH = 4 };  /* elements of a fragment that a lane has */
enum { PIECE = 8 }; /* elements of 16 bytes, in which places are counted */
enum { WORDS = 4 }; /* of a left operand in registers */

static void print_matrix(struct emitter *e, const struct ir_op *op, int i, struct text *out)
{
    const struct ir_matrix *m = &op->attributes.matrices[i];
    const struct ir_value *at = op->operands[i];
    int64_t further = 0;
    if (at->op && at->op->code == IR_OP_ADDPTR && ir_constant_int(at->op->operands[1], &further) &&
        further > 0 && further % PIECE == 0)
        at = at->op->operands[0];
    else
        further = 0;
    text_format(out, "\"l\"(%s<%d, %lld, %lld>(%s))", emit_helper(e, "matrix_at"), m->row,
                (long long)m->panel, (long long)further / PIECE, emit_operand(e, at, EMIT_WHOLE));
}

const char *emit_cuda_start_product(struct emitter *e, const struct ir_op *op)
{
    const struct ir_matrix *m = op->attributes.matrices;
    const char *elem = op->operands[0]->type.elem == IR_F16 ? "f16" : "bf16";
    int count = op->result_count * EACH;
    bool registers = op->operands[0]->type.rank == 2;
    struct text text;
    text_init(&text, e->arena);
    text_format(&text, "asm volatile(\"wgmma.mma_async.sync.aligned.m64n%dk16.f32.%s.%s {",
                op->result_count * 8, elem, elem);
    for (int k = 0; k < count; k++)
        text_format(&text, "%s%%%d", k ? ", " : "", k);
    if (registers)
        text_format(&text, "}, {%%%d, %%%d, %%%d, %%%d}, %%%d, 1, 1, 1, %d;\" : ", count, count + 1,
                    count + 2, count + 3, count + 4, !m[1].columns);
    else
        text_format(&text, "}, %%%d, %%%d, 1, 1, 1, %d, %d;\" : ", count, count + 1, m[0].columns,
                    !m[1].columns);
    for (int k = 0; k < count; k++)
        text_format(&text, "%s\"+f\"(%s.e[%d])", k ? ", " : "",
                    (const char *)op->results[k / EACH]->data, k % EACH);
    text_string(&text, " : ");
    for (int k = 0; registers && k < WORDS; k++)
        text_format(&text, "%s\"r\"(%s.e.w[%d])", k ? ", " : "",
                    emit_operand(e, op->operands[0], EMIT_WHOLE), k);
    if (!registers)
        print_matrix(e, op, 0, &text);
    text_string(&text, ", ");
    print_matrix(e, op, 1, &text);
    text_char(&text, ')');
    return text.items;
}
