/*
 * The lowering: Tile IR with layouts -> GPU IR, op by op.
 *
 *   %x = load %p, %m, %z : f32[1024]      256 threads, 4 registers each
 * ->
 *   %v = if %all : f32[4] { %w = vector_load {packed} %q : f32[4]  yield %w } else { ... }
 *
 * A scalar is computed by every thread. A tile becomes parts: vectors of consecutive registers of
 * one thread, as wide as accesses may be. Elementwise ops work on parts. Loops and branches keep
 * their form, with parts for carried tiles; their conditions are scalars and so the same for all
 * threads, which is why barriers may stand anywhere that this code puts them.
 *
 * The other files: lower_kernel.c (the way from a kernel to a GPU kernel), parts.c (what stands for
 * a value), place.c (indices from thread numbers), element.c, memory.c, move.c (conversions),
 * exchange.c (between threads), reduce.c, scan.c, dot.c, hazard.c (barriers between accesses of
 * buffers).
 */
#include "gpu/lower.h"

/* ---- control flow ---------------------------------------------------------------------------- */

struct type_list {
    struct ir_type *items;
    size_t count, capacity;
};

void gpu_push_lowered(struct lowering *l, struct gpu_value_list *list, const struct ir_value *value,
                      const struct layout *layout)
{
    if (value->type.rank == 0) {
        ARENA_PUSH(l->arena, list, gpu_scalar(value));
        return;
    }
    struct gpu_tile *tile = gpu_tile(l, value, layout);
    for (int i = 0; i < tile->count; i++)
        ARENA_PUSH(l->arena, list, tile->parts[i]);
}

/* The types of what stands for a value that a loop or branch makes. */
static void push_types(struct lowering *l, struct type_list *list, const struct ir_value *value)
{
    struct ir_type type = value->type;
    int count = 1;
    if (type.rank > 0) {
        const struct gpu_tile *tile = gpu_home(value);
        type = gpu_part_type((enum ir_elem)type.elem, tile->width);
        count = tile->count;
    }
    for (int i = 0; i < count; i++)
        ARENA_PUSH(l->arena, list, type);
}

/* Gives values what stands for them; returns what is left. */
struct ir_value *const *gpu_bind(struct lowering *l, struct ir_value *value,
                                 struct ir_value *const *lowered)
{
    if (value->type.rank == 0) {
        (*lowered)->name = value->name;
        gpu_value_of(value)->scalar = *lowered;
        return lowered + 1;
    }
    struct gpu_tile *tile = gpu_home(value);
    gpu_new_parts(l, tile);
    for (int i = 0; i < tile->count; i++) {
        tile->parts[i] = lowered[i];
        lowered[i]->name = value->name;
    }
    return lowered + tile->count;
}

static void lower_region(struct lowering *l, const struct ir_region *from, struct ir_region *to)
{
    struct ir_builder outside = l->b;
    struct type_list types = {0};
    for (int i = 0; i < from->argument_count; i++)
        push_types(l, &types, from->arguments[i]);
    for (size_t i = 0; i < types.count; i++)
        ir_region_add_argument(l->b.func, to, types.items[i], NULL);
    struct ir_value *const *next = to->arguments;
    for (int i = 0; i < from->argument_count; i++)
        next = gpu_bind(l, from->arguments[i], next);
    l->b.region = to;
    l->b.before = NULL;
    if (l->in_trip && to->parent->code == IR_OP_IF && to == to->parent->regions[1])
        ir_build(&l->b, (enum ir_opcode)GPU_OP_RARE, 0, NULL, 0, NULL, 0, NULL);
    gpu_lower_ops(l, from);
    l->b = outside;
}

/* The layout that operand i of a loop must have: that of the argument it starts. */
static const struct layout *carried_layout(const struct ir_op *op, int i)
{
    const struct ir_region *region = op->regions[0];
    const struct ir_value *argument = NULL;
    if (op->code == IR_OP_FOR)
        argument = i >= 3 ? region->arguments[i - 2] : NULL;
    else if (op->code == IR_OP_WHILE)
        argument = region->arguments[i];
    return argument && argument->type.rank > 0 ? &gpu_home(argument)->layout : NULL;
}

/* What a loop or a condition carries are values of each thread: no op has any number of them. */
static bool carries_too_much(struct lowering *l, const struct ir_op *op, size_t count)
{
    if (count <= IR_MAX_OPERANDS)
        return false;
    struct diagnostic *added =
        diagnostics_add(l->diagnostics, DIAGNOSTIC_ERROR, op->range,
                        "this %s carries more than %d values of a thread",
                        op->code == IR_OP_IF ? "condition" : "loop", IR_MAX_OPERANDS);
    diagnostics_hint(l->diagnostics, added, "use smaller tiles, or more threads");
    l->failed = true;
    return true;
}

static void lower_control(struct lowering *l, const struct ir_op *op)
{
    struct gpu_value_list operands = {0};
    struct type_list types = {0};
    bool loop = op->code != IR_OP_IF;
    for (int i = 0; i < op->operand_count; i++)
        gpu_push_lowered(l, &operands, op->operands[i], carried_layout(op, i));
    for (int i = 0; i < op->result_count; i++)
        push_types(l, &types, op->results[i]);
    if (carries_too_much(l, op, operands.count > types.count ? operands.count : types.count))
        return;
    if (loop)
        gpu_note_loop(l, op);
    struct ir_op *made = ir_build(&l->b, op->code, (int)operands.count, operands.items,
                                  (int)types.count, types.items, op->region_count, NULL);
    l->loop_depth += loop;
    struct access_list before = gpu_save_pending(l);
    for (int i = 0; i < op->region_count; i++) {
        l->pending = before;
        before = gpu_save_pending(l);
        for (int k = 0; k < op->region_count; k++) {
            if (loop)
                gpu_note_region(l, op->regions[k], op, true);
        }
        lower_region(l, op->regions[i], made->regions[i]);
    }
    l->pending = before;
    for (int i = 0; i < op->region_count; i++)
        gpu_note_region(l, op->regions[i], loop ? op : NULL, false);
    l->loop_depth -= loop;
    struct ir_value *const *next = made->results;
    for (int i = 0; i < op->result_count; i++)
        next = gpu_bind(l, op->results[i], next);
}

/* The layout that operand i of a terminator must have: that of what it becomes. */
static const struct layout *yielded_layout(const struct ir_op *op, int i)
{
    const struct ir_op *parent = op->parent->parent;
    int k = op->code == IR_OP_CONDITION ? i - 1 : i;
    return k >= 0 && parent->results[k]->type.rank > 0 ? &gpu_home(parent->results[k])->layout
                                                       : NULL;
}

static void lower_terminator(struct lowering *l, const struct ir_op *op)
{
    struct gpu_value_list operands = {0};
    for (int i = 0; i < op->operand_count; i++) {
        const struct ir_op *parent = op->parent->parent;
        const struct layout *layout = NULL;
        if (parent && parent->code == IR_OP_IF)
            layout = yielded_layout(op, i);
        else if (parent && op->operands[i]->type.rank > 0)
            layout = carried_layout(parent, parent->code == IR_OP_FOR     ? i + 3
                                            : op->code == IR_OP_CONDITION ? i - 1
                                                                          : i);
        gpu_push_lowered(l, &operands, op->operands[i], layout);
    }
    ir_build(&l->b, op->code, (int)operands.count, operands.items, 0, NULL, 0, NULL);
}

/* ---- scalars --------------------------------------------------------------------------------- */

static void lower_scalar_op(struct lowering *l, const struct ir_op *op)
{
    struct gpu_value_list operands = {0};
    for (int i = 0; i < op->operand_count; i++)
        ARENA_PUSH(l->arena, &operands, gpu_scalar(op->operands[i]));
    enum ir_opcode code = (enum ir_opcode)gpu_scalar_opcode(op);
    struct ir_op *made = ir_build(&l->b, code, op->operand_count, operands.items, 1,
                                  &op->results[0]->type, 0, &op->attributes);
    gpu_set_scalar(op->results[0], made->results[0]);
}

struct ir_value *gpu_inline(struct lowering *l, const struct ir_region *region,
                            struct ir_value *const *arguments)
{
    for (int i = 0; i < region->argument_count; i++) {
        struct gpu_value *info = ARENA_NEW(l->arena, struct gpu_value);
        info->scalar = arguments[i];
        region->arguments[i]->data = info;
    }
    for (const struct ir_op *op = region->first; op != region->last; op = op->next) {
        op->results[0]->data = ARENA_NEW(l->arena, struct gpu_value);
        lower_scalar_op(l, op);
    }
    return gpu_scalar(region->last->operands[0]);
}

/* ---- all ops --------------------------------------------------------------------------------- */

/* The same registers under another name: trans, broadcast, and reshape that keeps bits. */
static void lower_renamed(struct lowering *l, const struct ir_op *op)
{
    const struct ir_value *operand = op->operands[0];
    struct ir_type from = operand->type, to = op->results[0]->type;
    struct gpu_tile *tile = gpu_home(op->results[0]);
    struct layout wanted = tile->layout;
    if (op->code == IR_OP_BROADCAST)
        wanted = gpu_layout_before_broadcast(wanted, from, to);
    else if (op->code == IR_OP_TRANS)
        wanted = gpu_layout_before_trans(wanted, op->attributes.permutation);
    else
        wanted = gpu_layout_reshape(wanted, from);
    gpu_adopt(l, tile, gpu_tile(l, operand, &wanted));
}

static void lower_print(struct lowering *l, const struct ir_op *op)
{
    struct diagnostic *added =
        diagnostics_add(l->diagnostics, DIAGNOSTIC_ERROR, op->range, "the target '%s' cannot print",
                        l->plan->target->name);
    diagnostics_hint(l->diagnostics, added, "'tilec run --target interp' prints");
    l->failed = true;
}

static void lower_tile_op(struct lowering *l, const struct ir_op *op)
{
    switch (op->code) {
    case IR_OP_CONVERT_LAYOUT:
        gpu_convert(l, op);
        return;
    case IR_OP_ARANGE: /* in an explicit layout */
        gpu_flexible(l, op);
        return;
    case IR_OP_BROADCAST:
    case IR_OP_TRANS:
        lower_renamed(l, op);
        return;
    case IR_OP_RESHAPE:
        if (op->results[0]->type.rank > 0 &&
            gpu_keeps_bits(op->operands[0]->type, op->results[0]->type))
            lower_renamed(l, op);
        else
            gpu_reshape(l, op);
        return;
    case IR_OP_JOIN:
        gpu_join(l, op);
        return;
    case IR_OP_SPLIT:
        gpu_split(l, op);
        return;
    case IR_OP_GATHER:
        gpu_gather(l, op);
        return;
    case IR_OP_CUMSUM:
    case IR_OP_CUMMAX:
    case IR_OP_CUMMIN:
    case IR_OP_CUMPROD:
    case IR_OP_SCAN:
        gpu_scan(l, op);
        return;
    case IR_OP_DOT:
        gpu_dot(l, op);
        return;
    default:
        if (op->code >= IR_OP_SUM && op->code <= IR_OP_ALL)
            gpu_reduction(l, op);
        else
            gpu_elementwise(l, op);
    }
}

static bool is_pointer_tile(const struct ir_op *op)
{
    return op->results[0]->type.pointer && op->results[0]->type.rank > 0;
}

void gpu_lower_op(struct lowering *l, const struct ir_op *op)
{
    l->b.range = op->range;
    if (op->code == IR_OP_FOR && op->data)
        gpu_stage_loop(l, op);
    else if (op->code == IR_OP_FOR || op->code == IR_OP_WHILE || op->code == IR_OP_IF)
        lower_control(l, op);
    else if (ir_has(op, IR_TERMINATOR))
        lower_terminator(l, op);
    else if (op->code == IR_OP_PRINT)
        lower_print(l, op);
    else if (op->code == IR_OP_ASSERT)
        return; /* checked by interp and cpu; GPUs have no way to stop a launch */
    else if (ir_has(op, IR_READS) || ir_has(op, IR_WRITES))
        gpu_access(l, op);
    else if (is_pointer_tile(op))
        return; /* accesses take it apart */
    else if (op->results[0]->type.rank > 0 && gpu_value_of(op->results[0])->flexible)
        gpu_flexible(l, op);
    else if (op->results[0]->type.rank > 0 ||
             (op->operand_count > 0 && op->operands[0]->type.rank > 0))
        lower_tile_op(l, op);
    else if (op->code >= IR_OP_SUM && op->code <= IR_OP_ALL) /* of a scalar */
        gpu_set_scalar(op->results[0], gpu_scalar(op->operands[0]));
    else
        lower_scalar_op(l, op);
}

void gpu_report_length(const struct ir_func *func, struct diagnostics *diagnostics)
{
    struct diagnostic *added =
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, func->range,
                        "the kernel becomes more than %d operations of a thread", IR_MAX_OPS);
    diagnostics_hint(diagnostics, added, "use smaller tiles, or more threads");
}

bool gpu_is_too_long(struct lowering *l)
{
    if (!l->failed && l->b.func->made > 2 * (int64_t)IR_MAX_OPS) {
        gpu_report_length(l->source, l->diagnostics);
        l->failed = true;
    }
    return l->failed;
}

void gpu_lower_ops(struct lowering *l, const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op && !gpu_is_too_long(l); op = op->next)
        gpu_lower_op(l, op);
}
