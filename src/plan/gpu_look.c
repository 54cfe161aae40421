/*
 * What a kernel asks of a GPU before anything is decided: the largest tile, its products and the
 * loops around them, explicit layouts, doubles.
 */
#include "plan/planner.h"

#include "base/bits.h"
#include "plan/fed_loop.h"
#include "plan/instruction.h"

static int64_t padded_count(struct ir_type type)
{
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++)
        count *= bits_power_from(type.dims[i]);
    return count;
}

static void check_elem(struct planner *p, struct ir_type type, struct source_range range,
                       const char *what)
{
    if (type.elem != IR_F64 || p->target->has_f64 || p->failed)
        return;
    struct diagnostic *added =
        planner_fail(p, range,
                     arena_format(p->arena, "the target '%s' has no double, which %s has",
                                  p->target->name, what));
    diagnostics_hint(p->diagnostics, added, "use float");
}

/* Keeps the one that needs most threads. */
static void look_at_layout(struct planner *p, const struct ir_op *op)
{
    const struct ir_layout *layout = op->attributes.layout, *most = p->layout;
    int64_t elements = INT64_C(1) << layout->bits;
    if (layout->per_thread < 1 || layout->per_thread > elements ||
        elements % layout->per_thread != 0) {
        planner_fail(p, op->range,
                     arena_format(p->arena, "layout '%s' has %d of %lld elements per thread",
                                  layout->name ? layout->name : "", layout->per_thread,
                                  (long long)elements));
        return;
    }
    if (most && elements / layout->per_thread <= (INT64_C(1) << most->bits) / most->per_thread)
        return;
    p->layout = layout;
    p->layout_range = op->range;
}

/* Keeps the largest. */
static void look_at_tile(struct planner *p, struct ir_type type)
{
    int64_t count = padded_count(type);
    if (count <= p->elements)
        return;
    p->elements = count;
    p->plan->tile = type;
}

static void count_product(struct products *products, const struct gpu_instruction *i,
                          struct ir_type sum, int inner)
{
    int fragments = (sum.dims[0] >> i->c.row_bits) * (sum.dims[1] >> i->c.column_bits);
    if (fragments <= products->fragments)
        return;
    products->fragments = fragments;
    products->lane_sums = (1 << (i->c.row_bits + i->c.column_bits)) / GPU_LANES;
    products->operand_bytes = (int)ir_elem_bytes(i->operand);
    products->steps = inner >> i->a.column_bits;
    products->team = (i->operand == IR_F16 || i->operand == IR_BF16) && sum.dims[0] >= 64 &&
                     sum.dims[1] >= 64 && inner >= 32 && !(inner & (inner - 1));
    products->deep = inner >= 2 * sum.dims[0] && inner >= 2 * sum.dims[1];
}

/* Threads multiply alone what a pipeline has staged, and nothing else: operands in registers would
 * be held many times over. */
static bool stands_in_dot_loop(const struct ir_op *op, const char **why)
{
    struct plan_dot_loop loop;
    const struct ir_op *where;
    *why = "there is no loop around the product";
    return op->parent->parent && op->parent->parent->code == IR_OP_FOR &&
           plan_dot_loop(op->parent->parent, &loop, why, &where);
}

static void look_at_dot(struct planner *p, const struct ir_op *op)
{
    struct ir_type a = op->operands[0]->type, b = op->operands[1]->type;
    struct ir_type sum = op->results[0]->type;
    const struct gpu_instruction *i =
        gpu_instruction_for(p->target->matrices, p->plan->relaxed, 0, a, b, sum, &p->no_dot);
    if (i && i->backend == p->target->matrices)
        count_product(&p->matrices, i, sum, a.dims[1]);
    i = gpu_instruction_for(GPU_BACKEND_FMA, p->plan->relaxed, 0, a, b, sum, &p->no_fma);
    if (i && stands_in_dot_loop(op, &p->no_fma))
        count_product(&p->fma, i, sum, a.dims[1]);
}

static void look_at_loop(struct planner *p, struct ir_op *op)
{
    struct plan_dot_loop loop;
    const struct ir_op *where;
    struct plan_fed_loop fed;
    bool found = plan_dot_loop(op, &loop, &p->no_loop, &where);
    p->has_dot_loop = p->has_dot_loop || found;
    if (found || p->target->matrices != GPU_BACKEND_MMA || !p->target->async_copies ||
        !plan_fed_loop(op, &fed))
        return;
    p->has_fed_loop = true;
    for (int i = 0; i < fed.count; i++) {
        int rows = fed.dots[i].op->results[0]->type.dims[0];
        if (fed.dots[i].chained && rows > p->chained_rows)
            p->chained_rows = rows;
    }
}

static bool look_at_op(struct ir_op *op, void *user)
{
    struct planner *p = user;
    if (op->code == IR_OP_DOT)
        look_at_dot(p, op);
    if (op->code == IR_OP_FOR)
        look_at_loop(p, op);
    p->has_two_axes = p->has_two_axes || (op->code == IR_OP_PROGRAM_ID && op->attributes.axis == 1);
    for (int i = 0; i < op->result_count; i++) {
        look_at_tile(p, op->results[i]->type);
        check_elem(p, op->results[i]->type, op->range, "this value");
    }
    if (op->code == IR_OP_VIEW_STORE || op->code == IR_OP_STORE)
        look_at_tile(p, op->operands[op->operand_count - 1]->type);
    if (op->attributes.layout)
        look_at_layout(p, op);
    return true;
}

void planner_look(struct planner *p)
{
    const struct ir_func *func = p->kernel->func;
    for (int i = 0; i < func->parameter_count; i++)
        check_elem(p, func->parameters[i].type, func->parameters[i].range,
                   arena_format(p->arena, "'%s'", func->parameters[i].name));
    p->elements = 1;
    ir_walk(func->body, look_at_op, p);
}
