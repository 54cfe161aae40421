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
 * The other files: place.c (indices from thread numbers), element.c, memory.c, move.c (conversions,
 * exchanges), reduce.c, scan.c, dot.c, hazard.c (barriers between accesses of buffers).
 */
#include "gpu/lower.h"

#include "gpu/bound.h"
#include "gpu/chunk.h"
#include "gpu/cluster.h"
#include "gpu/expand.h"
#include "gpu/guard.h"
#include "gpu/shape.h"
#include "gpu/squares.h"
#include "gpu/uniform.h"
#include "gpu/widen.h"
#include "opt/opt.h"

#include <string.h>

/* ---- values -----------------------------------------------------------------------------------
 */

struct ir_type gpu_part_type(enum ir_elem elem, int width)
{
    int32_t dim = width;
    return width > 1 ? ir_tile(elem, 1, &dim) : ir_scalar(elem);
}

struct ir_value *gpu_scalar(const struct ir_value *value)
{
    return gpu_value_of(value)->scalar;
}

void gpu_set_scalar(struct ir_value *value, struct ir_value *lowered)
{
    gpu_value_of(value)->scalar = lowered;
    if (lowered->op && !lowered->name)
        lowered->name = value->name;
}

struct gpu_tile *gpu_home(const struct ir_value *value)
{
    return gpu_value_of(value)->tiles;
}

void gpu_new_parts(struct lowering *l, struct gpu_tile *tile)
{
    tile->parts = ARENA_ARRAY(l->arena, struct ir_value *, (size_t)tile->count);
}

/* Something of the right type, so that the walk can end after an internal error. */
static struct gpu_tile *broken_tile(struct lowering *l, const struct ir_value *value,
                                    const struct layout *layout)
{
    struct gpu_tile *tile = ARENA_NEW(l->arena, struct gpu_tile);
    l->failed = true;
    diagnostics_add(l->diagnostics, DIAGNOSTIC_ERROR, l->b.range,
                    "internal error: a tile is not in the layout that its user needs");
    tile->layout = *layout;
    tile->width = gpu_layout_width(layout, l->plan);
    tile->count = (1 << layout->register_bits) / tile->width;
    gpu_new_parts(l, tile);
    for (int i = 0; i < tile->count; i++)
        tile->parts[i] =
            ir_constant(&l->b, gpu_part_type((enum ir_elem)value->type.elem, tile->width), 0);
    return tile;
}

struct gpu_tile *gpu_tile(struct lowering *l, const struct ir_value *value,
                          const struct layout *layout)
{
    struct gpu_tile *tile = gpu_tile_in(value, layout);
    return tile && tile->parts ? tile : broken_tile(l, value, layout);
}

struct ir_value *gpu_extract(struct lowering *l, struct ir_value *part, int k)
{
    struct ir_attributes attributes = {.number = k};
    if (part->type.rank == 0)
        return part;
    struct ir_type scalar = ir_scalar((enum ir_elem)part->type.elem);
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_EXTRACT, 1, &part, 1, &scalar, 0, &attributes)
        ->results[0];
}

struct ir_value *gpu_load_vector(struct lowering *l, struct ir_value *pointer, enum ir_elem elem,
                                 int width, bool aligned)
{
    struct ir_attributes attributes = {.aligned = aligned};
    struct ir_type type = gpu_part_type(elem, width);
    return ir_build(&l->b, (enum ir_opcode)GPU_OP_VECTOR_LOAD, 1, &pointer, 1, &type, 0,
                    &attributes)
        ->results[0];
}

struct ir_value **gpu_registers(struct lowering *l, const struct gpu_tile *tile)
{
    struct ir_value **registers =
        ARENA_ARRAY(l->arena, struct ir_value *, (size_t)(tile->count * tile->width));
    for (int i = 0; i < tile->count * tile->width; i++)
        registers[i] = gpu_extract(l, tile->parts[i / tile->width], i % tile->width);
    return registers;
}

void gpu_pack(struct lowering *l, struct gpu_tile *tile, struct ir_value *const *registers)
{
    gpu_new_parts(l, tile);
    for (int i = 0; i < tile->count; i++) {
        struct ir_value *const *first = registers + i * tile->width;
        struct ir_type type = gpu_part_type((enum ir_elem)(*first)->type.elem, tile->width);
        tile->parts[i] = tile->width == 1 ? *first
                                          : ir_build(&l->b, (enum ir_opcode)GPU_OP_PACK,
                                                     tile->width, first, 1, &type, 0, NULL)
                                                ->results[0];
    }
}

void gpu_adopt(struct lowering *l, struct gpu_tile *tile, const struct gpu_tile *from)
{
    if (tile->width == from->width)
        tile->parts = from->parts;
    else
        gpu_pack(l, tile, gpu_registers(l, from));
}

struct ir_builder gpu_begin_if(struct lowering *l, struct ir_value *condition)
{
    struct ir_builder outside = l->b;
    if (!condition)
        return outside;
    struct ir_op *branch = ir_build(&l->b, IR_OP_IF, 1, &condition, 0, NULL, 2, NULL);
    l->b = (struct ir_builder){l->b.func, branch->regions[1], NULL, l->b.range};
    ir_build(&l->b, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
    l->b.region = branch->regions[0];
    return outside;
}

void gpu_end_if(struct lowering *l, struct ir_builder outside)
{
    if (l->b.region != outside.region)
        ir_build(&l->b, IR_OP_YIELD, 0, NULL, 0, NULL, 0, NULL);
    l->b = outside;
}

struct ir_value *gpu_constant(struct lowering *l, int64_t value)
{
    return ir_constant_i64(&l->b, value);
}

struct ir_value *gpu_bool(struct lowering *l, bool value)
{
    return ir_constant(&l->b, ir_scalar(IR_BOOL), value);
}

struct ir_value *gpu_and(struct lowering *l, struct ir_value *a, struct ir_value *b)
{
    if (!a || !b)
        return a ? a : b;
    return ir_binary(&l->b, IR_OP_AND, a, b);
}

static struct ir_value *number_of(struct lowering *l, enum gpu_opcode code, int count)
{
    struct ir_attributes attributes = {.end = count};
    struct ir_type type = ir_scalar(IR_I64);
    return ir_build(&l->b, (enum ir_opcode)code, 0, NULL, 1, &type, 0, &attributes)->results[0];
}

struct ir_value *gpu_lane(struct lowering *l)
{
    return number_of(l, GPU_OP_LANE_INDEX, GPU_LANES);
}

struct ir_value *gpu_thread(struct lowering *l)
{
    return number_of(l, GPU_OP_THREAD_INDEX, l->plan->threads);
}

struct ir_value *gpu_group(struct lowering *l)
{
    return number_of(l, GPU_OP_GROUP_INDEX, l->plan->groups);
}

/* ---- control flow ------------------------------------------------------------------------------
 */

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

static void lower_ops(struct lowering *l, const struct ir_region *region);

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
    lower_ops(l, from);
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

static void lower_control(struct lowering *l, const struct ir_op *op)
{
    struct gpu_value_list operands = {0};
    struct type_list types = {0};
    bool loop = op->code != IR_OP_IF;
    for (int i = 0; i < op->operand_count; i++)
        gpu_push_lowered(l, &operands, op->operands[i], carried_layout(op, i));
    for (int i = 0; i < op->result_count; i++)
        push_types(l, &types, op->results[i]);
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

/* ---- scalars -----------------------------------------------------------------------------------
 */

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

/* ---- all ops ------------------------------------------------------------------------------------
 */

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

static void report_length(const struct ir_func *func, struct diagnostics *diagnostics)
{
    struct diagnostic *added =
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, func->range,
                        "the kernel becomes more than %d operations of a thread", IR_MAX_OPS);
    diagnostics_hint(diagnostics, added, "use smaller tiles, or more threads");
}

bool gpu_is_too_long(struct lowering *l)
{
    if (!l->failed && l->b.func->made > 2 * (int64_t)IR_MAX_OPS) {
        report_length(l->source, l->diagnostics);
        l->failed = true;
    }
    return l->failed;
}

static void lower_ops(struct lowering *l, const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op && !gpu_is_too_long(l); op = op->next)
        gpu_lower_op(l, op);
}

/* ---- from kernel to GPU kernel --------------------------------------------------------------- */

static bool simplify(struct ir_func *func, struct diagnostics *diagnostics)
{
    static const char *const passes[] = {"fold",        "cse",  "licm", "dce",
                                         "prove_masks", "fold", "cse",  "dce"};
    struct opt_options options = {
        .only = passes, .only_count = sizeof passes / sizeof *passes, .pass_limit = -1};
    return opt_run(func, &options, diagnostics);
}

/* What was copied into branches must not be found outside. */
static bool drop_unused(struct ir_func *func, struct diagnostics *diagnostics)
{
    static const char *const passes[] = {"dce"};
    struct opt_options options = {
        .only = passes, .only_count = sizeof passes / sizeof *passes, .pass_limit = -1};
    return opt_run(func, &options, diagnostics);
}

/* A loop over pieces has an interior where masks are known. */
static bool split(struct ir_func *func, struct diagnostics *diagnostics)
{
    static const char *const passes[] = {"fold", "cse", "split_masked_loops"};
    struct opt_options options = {
        .only = passes, .only_count = sizeof passes / sizeof *passes, .pass_limit = -1};
    return opt_run(func, &options, diagnostics);
}

/* What views and pointer tiles leave behind, in particular masks that always hold, is simplified
 * while it is still Tile IR. */
static struct ir_func *prepare(const struct ir_func *func, struct gpu_kernel *kernel,
                               struct lowering *settings)
{
    const struct gpu_promises *promises = settings->promises;
    const struct gpu_schedule *schedule = settings->schedule;
    const struct gpu_options *options = settings->options;
    struct arena *arena = settings->arena;
    struct diagnostics *diagnostics = settings->diagnostics;
    struct ir_func *expanded = gpu_expand(func, arena, diagnostics);
    if (!expanded)
        return NULL;
    gpu_set_known_value(expanded, &kernel->plan->bound);
    gpu_swizzle_programs(expanded, schedule->swizzle);
    if (gpu_has_products(kernel->plan))
        gpu_fuse_sums(expanded);
    if (!simplify(expanded, diagnostics))
        return NULL;
    kernel->plan = gpu_shape(kernel->plan, expanded, promises, &kernel->aligned_used);
    if (!settings->one_block)
        kernel->plan = gpu_spread_plan(kernel->plan, expanded);
    bool one = kernel->plan->blocks <= 1;
    kernel->chunked = one && gpu_wants_pass(options, "chunk") && gpu_chunk(expanded, kernel->plan);
    kernel->widened = one && gpu_wants_pass(options, "widen") && gpu_widen(expanded, kernel->plan) > 0;
    if (one && !kernel->chunked && !kernel->widened && !settings->one_block)
        kernel->plan = gpu_cluster_plan(kernel->plan, expanded, &settings->single);
    kernel->guarded = kernel->plan->backend == GPU_BACKEND_MMA &&
                      gpu_wants_pass(options, "guard_masks") && gpu_guard_masks(expanded) > 0;
    kernel->threads = kernel->plan->threads;
    kernel->groups = kernel->plan->groups;
    kernel->blocks = kernel->plan->blocks;
    kernel->programs = kernel->plan->programs;
    if (kernel->chunked && !split(expanded, diagnostics))
        return NULL;
    if (kernel->guarded && !drop_unused(expanded, diagnostics))
        return NULL;
    if ((kernel->chunked || kernel->widened || kernel->guarded) && !simplify(expanded, diagnostics))
        return NULL;
    return expanded;
}

/* ---- for the report -------------------------------------------------------------------------- */

struct value_layouts {
    struct arena *arena;
    struct gpu_value_layout *items;
    size_t count, capacity;
};

static bool note_layouts(struct ir_op *op, void *user)
{
    struct value_layouts *list = user;
    for (int i = 0; i < op->result_count; i++) {
        const struct ir_value *value = op->results[i];
        const struct gpu_tile *tile = value->type.rank > 0 ? gpu_home(value) : NULL;
        if (!tile)
            continue;
        struct gpu_value_layout layout = {
            .name = value->name ? value->name : arena_format(list->arena, "v%d", value->id),
            .type = value->type,
            .layout = tile->layout,
        };
        ARENA_PUSH(list->arena, list, layout);
    }
    return true;
}

static bool has_no_assert(struct ir_op *op, void *user)
{
    (void)user;
    return op->code != IR_OP_ASSERT;
}

static void report(struct lowering *l, struct gpu_kernel *kernel)
{
    struct value_layouts layouts = {.arena = l->arena};
    ir_number((struct ir_func *)l->source);
    ir_walk(l->source->body, note_layouts, &layouts);
    kernel->value_layouts = layouts.items;
    kernel->value_layout_count = (int)layouts.count;
    kernel->aligned_used |= l->aligned_used;
    kernel->conversions = l->conversions.items;
    kernel->conversion_count = (int)l->conversions.count;
    kernel->product = l->product;
    kernel->resident = l->resident > 1 ? l->resident : l->plan->resident;
    for (size_t i = 0; i < l->squares.count; i++)
        kernel->shares_squares = kernel->shares_squares || l->squares.items[i].squares;
    kernel->pipelines = l->pipelines.items;
    kernel->pipeline_count = (int)l->pipelines.count;
    const char **notes = ARENA_ARRAY(l->arena, const char *, 3);
    kernel->notes = notes;
    kernel->note_count = 0;
    if (!ir_walk(l->source->body, has_no_assert, NULL))
        notes[kernel->note_count++] =
            "tile_assert is not checked: a GPU cannot stop a launch; interp and cpu check it";
    if (l->shares)
        notes[kernel->note_count++] =
            "reductions share threadgroup memory, which costs barriers: there is not enough for "
            "arrays of their own";
    if (l->single)
        notes[kernel->note_count++] = arena_format(
            l->arena, "a thread holds more of the largest tile than suits its registers: %s",
            l->single);
}

static bool lower_func(struct lowering *l, struct gpu_kernel *kernel)
{
    struct ir_func *from = (struct ir_func *)l->source;
    struct ir_func *to = ir_func_new(l->arena, from->name, from->parameter_count, from->parameters);
    to->range = from->range;
    l->b = (struct ir_builder){.func = to, .region = to->body, .range = from->range};
    gpu_matrix_mark(from, l->plan, l->schedule, l->promises, l->arena);
    gpu_find_squares(l, from);
    if (!gpu_assign(from, l->plan, &kernel->layout_counts, l->diagnostics))
        return false;
    for (int i = 0; i < from->parameter_count; i++)
        gpu_value_of(from->body->arguments[i])->scalar = to->body->arguments[i];
    /* Shared arrays go in front of this op, which is removed in the end. */
    struct ir_value *mark = gpu_constant(l, 0);
    l->entry = mark->op;
    lower_ops(l, from->body);
    if (l->failed)
        return false;
    gpu_cluster_open(l);
    ir_remove(l->entry);
    gpu_make_uniform(to);
    kernel->func = to;
    report(l, kernel);
    return true;
}

static bool add_shared(struct ir_op *op, void *user)
{
    if ((int)op->code == GPU_OP_SHARED)
        *(int64_t *)user += (op->attributes.number + op->attributes.padding) *
                            (int64_t)ir_elem_bytes((enum ir_elem)op->results[0]->type.elem);
    return true;
}

static int64_t shared_bytes(const struct ir_func *func)
{
    int64_t bytes = 0;
    ir_walk(func->body, add_shared, &bytes);
    return bytes;
}

static bool count_op(struct ir_op *op, void *user)
{
    (void)op;
    return ++*(int *)user <= IR_MAX_OPS;
}

static bool has_few_ops(const struct ir_func *func)
{
    int count = 0;
    return ir_walk(func->body, count_op, &count);
}

/* Exchanges go through windows that are made smaller until all arrays fit; in the end reductions
 * have no arrays of their own. */
static bool lower_in_windows(struct gpu_kernel *kernel, struct lowering *l,
                             const struct ir_func *prepared)
{
    int most = kernel->plan->target->shared_bytes;
    struct lowering start = *l;
    int wanted = kernel->plan->target->exchange_bytes, first = wanted ? wanted : most;
    for (int window = first, i = 0; i < 12; i++, window = i == 6 ? first : window / 2) {
        *l = start;
        l->source = ir_func_clone(l->arena, prepared);
        l->window_bytes = window;
        l->shares = i >= 6;
        kernel->layout_counts = (struct gpu_layout_counts){0};
        if (!lower_func(l, kernel))
            return false;
        kernel->shared_bytes = (int)shared_bytes(kernel->func);
        if (shared_bytes(kernel->func) <= most)
            return true;
        if (!has_few_ops(kernel->func)) /* smaller windows take more: gpu_lower reports it */
            return true;
    }
    l->needed_bytes = kernel->shared_bytes;
    return false;
}

/* The plan with less of what takes threadgroup memory: stages, then partial sums, then staging itself; NULL:
 * the rest is required. */
static const struct gpu_plan *weaker_plan(const struct gpu_plan *plan, struct arena *arena)
{
    struct gpu_plan *weaker = ARENA_NEW(arena, struct gpu_plan);
    *weaker = *plan;
    if (plan->staging != GPU_STAGING_THREADGROUP)
        return NULL;
    if (plan->stages > 1 && !plan->required_stages) {
        weaker->stages--;
    } else if (plan->split > 1 && !plan->required_split) {
        weaker->split = 1;
    } else if (!plan->required_staging && !plan->required_split) {
        weaker->staging = GPU_STAGING_DEVICE;
        weaker->split = 1;
    } else {
        return NULL;
    }
    return weaker;
}

/* Operands of products are staged where there is memory for that, and it is not required. */
static bool lower_until_it_fits(struct gpu_kernel *kernel, struct lowering *settings,
                                const struct ir_func *prepared)
{
    const struct gpu_target *target = kernel->plan->target;
    const struct gpu_plan *plan = kernel->plan;
    struct lowering l = *settings;
    for (; plan; plan = weaker_plan(plan, settings->arena)) {
        kernel->plan = plan;
        l = *settings;
        l.plan = plan;
        if (lower_in_windows(kernel, &l, prepared))
            return true;
        settings->crosses = l.crosses;
        if (!l.needed_bytes)
            return false;
    }
    struct diagnostic *added =
        diagnostics_add(l.diagnostics, DIAGNOSTIC_ERROR, prepared->range,
                        "the kernel needs %lld bytes of threadgroup memory", (long long)l.needed_bytes);
    diagnostics_hint(l.diagnostics, added, "the target '%s' has %d", target->name,
                     target->shared_bytes);
    return false;
}

static void schedule_products(struct gpu_kernel *kernel, struct gpu_schedule *schedule,
                              const struct gpu_options *options, struct arena *arena)
{
    const struct gpu_plan *plan = kernel->plan;
    kernel->matrix_pass_count = gpu_matrix_schedule(schedule, plan, options, kernel->matrix_passes);
    if (!gpu_has_products(plan) || (schedule->vectors && schedule->split == plan->split))
        return;
    struct gpu_plan *changed = ARENA_NEW(arena, struct gpu_plan); /* what is left without passes */
    *changed = *plan;
    changed->split = schedule->split;
    changed->vector_width = schedule->vectors ? plan->vector_width : 1;
    kernel->plan = changed;
}

/* Where a cluster of blocks would have to move more than it can, one block runs a program. */
static bool lower_kernel(const struct ir_func *func, struct gpu_kernel *kernel,
                         struct lowering *settings)
{
    const struct gpu_plan *plan = kernel->plan;
    struct ir_func *prepared = prepare(func, kernel, settings);
    if (!prepared || lower_until_it_fits(kernel, settings, prepared))
        return prepared != NULL;
    if (!settings->crosses)
        return false;
    settings->one_block = true;
    if (kernel->plan->cluster)
        settings->single = arena_format(
            settings->arena, "blocks of a cluster share reductions only; %s", settings->crosses);
    kernel->plan = plan;
    prepared = prepare(func, kernel, settings);
    return prepared && lower_until_it_fits(kernel, settings, prepared);
}

/* Large tiles become a list of ops that no later stage takes. */
static bool check_length(const struct ir_func *func, struct diagnostics *diagnostics)
{
    bool fine = has_few_ops(func);
    if (!fine)
        report_length(func, diagnostics);
    return fine;
}

struct gpu_kernel *gpu_lower(const struct ir_kernel *kernel, const struct gpu_plan *plan,
                             const struct gpu_options *options, struct arena *arena,
                             struct diagnostics *diagnostics)
{
    struct gpu_kernel *result = ARENA_NEW(arena, struct gpu_kernel);
    struct gpu_schedule schedule;
    if (!plan)
        plan = plan_gpu(kernel, &gpu_target_msl, false, arena, diagnostics);
    if (!plan)
        return NULL;
    result->plan = plan;
    result->grid = kernel->grid;
    result->needs = kernel->needs;
    result->require_count = kernel->require_count;
    result->launch_requires = kernel->launch_requires;
    struct gpu_promises promises = gpu_promises_of(kernel, plan, arena);
    schedule_products(result, &schedule, options, arena);
    struct lowering settings = {.schedule = &schedule,
                                .one_block = plan->one_block,
                                .promises = &promises,
                                .options = options,
                                .arena = arena,
                                .diagnostics = diagnostics};
    if (!lower_kernel(kernel->func, result, &settings) ||
        !check_length(result->func, diagnostics) ||
        !gpu_run_passes(result, &promises, options, diagnostics) ||
        !gpu_validate(result, diagnostics))
        return NULL;
    return result;
}
