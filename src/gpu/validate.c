/* What was planned and required, compared with what the IR has; see gpu.h. */
#include "gpu/gpu.h"

#include "gpu/pipeline.h"

struct findings {
    int64_t shared_bytes;
    int widest_access;           /* elements of a vector access to a buffer */
    const struct ir_op *wide_op; /* of an element that the target lacks */
    const struct gpu_plan *plan;
    const struct ir_op *wrong_index; /* whose range is not what was planned */
    const struct ir_op *wrong_put;   /* for another number of blocks */
    int64_t expected, put;           /* bytes, by all blocks of a cluster into the arrays of one */
};

static bool is_f64(const struct ir_op *op)
{
    for (int i = 0; i < op->result_count; i++) {
        if (op->results[i]->type.elem == IR_F64)
            return true;
    }
    return false;
}

/* How many there are of what the op numbers; 0: it numbers nothing. */
static int planned_count(const struct gpu_plan *plan, int code)
{
    if (code == GPU_OP_THREAD_INDEX)
        return plan->threads;
    if (code == GPU_OP_GROUP_INDEX)
        return plan->groups;
    return code == GPU_OP_LANE_INDEX ? GPU_LANES : 0;
}

static bool look(struct ir_op *op, void *user)
{
    struct findings *f = user;
    int code = (int)op->code;
    if (code == GPU_OP_SHARED)
        f->shared_bytes += (op->attributes.number + op->attributes.padding) *
                           (int64_t)ir_elem_bytes((enum ir_elem)op->results[0]->type.elem);
    if (code == GPU_OP_CLUSTER_EXPECT)
        f->expected += op->attributes.number;
    if (code == GPU_OP_CLUSTER_PUT) {
        f->put += f->plan->groups *
                  (int64_t)ir_elem_bytes((enum ir_elem)op->operands[1]->type.elem);
        f->wrong_put = op->attributes.number == f->plan->blocks ? f->wrong_put : op;
    }
    int count = planned_count(f->plan, code);
    if (count && op->attributes.end != count)
        f->wrong_index = op;
    if (code == GPU_OP_VECTOR_LOAD || code == GPU_OP_VECTOR_STORE) {
        struct ir_type type =
            code == GPU_OP_VECTOR_LOAD ? op->results[0]->type : op->operands[1]->type;
        bool device = op->operands[0]->type.space == IR_SPACE_DEVICE;
        if (device && type.dims[0] > f->widest_access)
            f->widest_access = type.dims[0];
    }
    if (code == GPU_OP_COPY_ASYNC && op->attributes.number > f->widest_access)
        f->widest_access = (int)op->attributes.number;
    if (is_f64(op))
        f->wide_op = op;
    return true;
}

static bool fail(struct diagnostics *diagnostics, struct source_range range, const char *message,
                 const char *hint)
{
    struct diagnostic *added = diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, range, "%s", message);
    diagnostics_hint(diagnostics, added, "%s", hint);
    return false;
}

/* Required staging, and so many stages, must stand in the pipelines. */
static bool check_pipelines(const struct gpu_kernel *kernel, struct diagnostics *diagnostics)
{
    const struct gpu_plan *plan = kernel->plan;
    struct arena *arena = diagnostics->arena;
    bool staged = plan->required_staging && plan->staging == GPU_STAGING_THREADGROUP;
    if (staged && kernel->pipeline_count == 0)
        return fail(diagnostics, kernel->func->range,
                    "the requirement 'staging = threadgroup' is not met",
                    "no loop of products is left to stage");
    if (!plan->required_stages || plan->stages == 1)
        return true;
    for (int i = 0; i < kernel->pipeline_count; i++) {
        if (kernel->pipelines[i]->stages != plan->stages)
            return fail(diagnostics, kernel->func->range,
                        arena_format(arena, "the requirement 'buffering = %d' is not met",
                                     plan->stages),
                        arena_format(arena, "a loop has a pipeline of %d stages",
                                     kernel->pipelines[i]->stages));
    }
    if (kernel->pipeline_count > 0)
        return true;
    return fail(diagnostics, kernel->func->range,
                arena_format(arena, "the requirement 'buffering = %d' is not met", plan->stages),
                "no loop of products is left to pipeline");
}

bool gpu_validate(const struct gpu_kernel *kernel, struct diagnostics *diagnostics)
{
    const struct gpu_plan *plan = kernel->plan;
    const struct gpu_target *target = plan->target;
    struct arena *arena = diagnostics->arena;
    struct source_range range = kernel->func->range;
    struct findings f = {.plan = plan};
    ir_walk(kernel->func->body, look, &f);
    if (f.shared_bytes > target->shared_bytes)
        return fail(
            diagnostics, range,
            arena_format(arena, "the kernel needs %lld bytes of threadgroup memory",
                         (long long)f.shared_bytes),
            arena_format(arena, "the target '%s' has %d", target->name, target->shared_bytes));
    if (plan->programs > 1 && (plan->blocks > 1 || plan->programs > target->program_barriers ||
                               plan->threads > target->most_threads))
        return fail(diagnostics, range,
                    arena_format(arena,
                                 "internal error: %d programs of %d threads cannot share a block",
                                 plan->programs, plan->threads),
                    "this is a bug in tilec");
    if (f.wide_op && !target->has_f64)
        return fail(diagnostics, f.wide_op->range,
                    arena_format(arena, "the target '%s' has no double", target->name),
                    "use float");
    if (f.wrong_index)
        return fail(diagnostics, f.wrong_index->range,
                    arena_format(arena, "internal error: '%s' counts to %lld, planned are %d",
                                 ir_ops[f.wrong_index->code].name,
                                 (long long)f.wrong_index->attributes.end,
                                 planned_count(plan, (int)f.wrong_index->code)),
                    "this is a bug in tilec");
    if (f.wrong_put || f.expected != f.put)
        return fail(diagnostics, range,
                    arena_format(arena,
                                 "internal error: %lld bytes are put into the arrays of a block, "
                                 "which expects %lld, or not for %d blocks",
                                 (long long)f.put, (long long)f.expected, plan->blocks),
                    "this is a bug in tilec");
    if (plan->required_width && plan->vector_width > 1 && f.widest_access < plan->vector_width)
        return fail(diagnostics, range,
                    arena_format(arena, "the requirement 'vector_width = %d' is not met",
                                 plan->vector_width),
                    "no addresses are proved to be contiguous over so many elements of a thread");
    return check_pipelines(kernel, diagnostics);
}
