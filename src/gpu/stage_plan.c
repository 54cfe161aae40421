/*
 * What is decided of a staged loop (stage.c) before its code is made: the buffers of its operands,
 * whether asynchronous copies bring them, in which order they land, how many stages memory holds;
 * and what registers hold: fragments loaded ahead, programs beside each other.
 */
#include "gpu/slot.h"
#include "gpu/stage.h"

/* ---- buffers --------------------------------------------------------------------------------- */

static const char letters[] = "abcdefgh";

/* Neighbours of a thread, or of neighbouring threads, lie side by side. */
static bool lies_by_columns(const struct layout *layout, const struct gpu_plan *plan)
{
    int first = gpu_layout_width(layout, plan) > 1 ? 0 : layout->register_bits;
    return layout->rank == 2 && layout->basis[first] >= 1u << layout->axis_bits[1];
}

int gpu_stage_buffer(struct stage *s, int dot, int side)
{
    struct gpu_pipeline *p = s->pipeline;
    const struct ir_value *value = s->form->form.dots[dot].op->operands[side];
    for (int d = 0; d < dot; d++) {
        if (s->operands[d][side].value == value)
            return s->operands[d][side].buffer;
    }
    struct layout layout = gpu_home(value) ? gpu_home(value)->layout : (struct layout){0};
    struct gpu_buffer *buffer = &p->buffers[p->buffer_count];
    *buffer = gpu_operand_buffer(s->products[dot].dot, side, value->type, s->l->schedule->padded,
                                 lies_by_columns(&layout, s->l->plan));
    buffer->name = arena_format(s->l->arena, "shared_%c", letters[p->buffer_count]);
    return p->buffer_count++;
}

/* ---- how copies are done --------------------------------------------------------------------- */

/* Whether asynchronous copies of the operand may write the buffer: it is a load whose accesses can
 * be copies, and these lie in a slot as they do in device memory. */
static bool can_be_async(struct stage *s, const struct staged_operand *o,
                         const struct gpu_buffer *buffer)
{
    if (!o->load || o->load->results[0]->type.elem != buffer->elem)
        return false;
    struct layout layout = gpu_stage_loaded_layout(o);
    int elements = gpu_can_copy(s->l, o->load);
    return elements > 0 && gpu_slot_lies_along(buffer, &layout, elements) &&
           gpu_buffer_stride(buffer) % elements == 0;
}

static enum gpu_mechanism mechanism_of(struct stage *s)
{
    bool async = s->l->schedule->async && s->pipeline->stages > 1;
    for (int d = 0; d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++) {
            const struct staged_operand *o = &s->operands[d][side];
            async = async && (!o->value || can_be_async(s, o, &s->pipeline->buffers[o->copied]));
        }
    }
    return async ? GPU_MECHANISM_ASYNC : GPU_MECHANISM_SOFTWARE;
}

/* Swizzled instead of padded are buffers that instructions load fragments from. */
static void swizzle_buffers(struct stage *s)
{
    for (int d = 0; d < s->form->form.count; d++) {
        const struct gpu_instruction *i = s->products[d].dot->instruction;
        for (int side = 0; side < 2; side++) {
            struct gpu_buffer *buffer = &s->pipeline->buffers[s->operands[d][side].buffer];
            if (!s->operands[d][side].value)
                continue;
            const struct gpu_fragment *f = side ? &i->b : &i->a;
            int row = buffer->by_columns ? buffer->rows : buffer->columns;
            if (!(buffer->by_columns ? f->by_columns : f->by_rows) || row & (row - 1))
                continue;
            buffer->padding = 0;
            buffer->swizzled = true;
        }
    }
}

/* ---- landing: operands that stand in device memory in the other order ------------------------ */

/* A further buffer for an operand that asynchronous copies can only bring in the other order. */
static void land(struct stage *s, struct staged_operand *o)
{
    struct gpu_pipeline *p = s->pipeline;
    struct gpu_buffer *buffer = &p->buffers[o->buffer], landing = gpu_landing_buffer(buffer);
    if (can_be_async(s, o, buffer) || !can_be_async(s, o, &landing))
        return;
    for (int b = 0; buffer->lands && b < p->buffer_count; b++) {
        if (p->buffers[b].landing && p->buffers[b].turned == o->buffer)
            o->copied = b;
    }
    if (buffer->lands)
        return;
    buffer->lands = true;
    landing.turned = o->buffer;
    landing.name = arena_format(s->l->arena, "%s_landing", buffer->name);
    o->copied = p->buffer_count++;
    p->buffers[o->copied] = landing;
}

/* Where an operand cannot land either, none does: then threads copy all of them. */
static void land_operands(struct stage *s)
{
    struct gpu_pipeline *p = s->pipeline;
    const struct gpu_target *target = s->l->plan->target;
    int count = p->buffer_count;
    /* A plan that was weakened for want of memory has fewer stages than the schedule. */
    bool turns = s->l->schedule->turns && s->l->plan->stages >= GPU_LANDING_STAGES && !s->form->fed;
    for (int d = 0; turns && d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++)
            land(s, &s->operands[d][side]);
    }
    p->stages = GPU_LANDING_STAGES;
    if (p->buffer_count == count ||
        (gpu_pipeline_bytes(p) <= target->shared_bytes && mechanism_of(s) == GPU_MECHANISM_ASYNC))
        return;
    p->buffer_count = count;
    for (int d = 0; d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++) {
            struct staged_operand *o = &s->operands[d][side];
            o->copied = o->buffer;
            p->buffers[o->buffer].lands = false;
        }
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

enum { MOST_MULTIPLICATIONS = 4096 }; /* of a lane's registers, in straight-line code */
enum { MOST_REGISTERS = 208, OTHER_REGISTERS = 22 }; /* for sums and fragments; for all but these */

/* 32-bit registers that so many fragments take in each lane. */
static int registers_of(const struct gpu_fragment *f, int count)
{
    return count * (int)ir_elem_bytes(f->elem) * (1 << f->register_bits) / 4;
}

/* Of a product: its sums, and the fragments of two steps. */
static int product_registers(const struct gpu_product *p)
{
    const struct gpu_instruction *i = p->dot->instruction;
    int operands = registers_of(&i->a, p->rows) + registers_of(&i->b, p->columns);
    return registers_of(&i->c, p->rows * p->columns) + 2 * operands;
}

/* Whether the steps are written out, and fragments loaded ahead: where registers hold two steps'.
 * Not where each multiplication is an op of its own: the text becomes so long that compiling takes
 * seconds. */
bool gpu_stage_loads_ahead(const struct stage *s, int d)
{
    const struct gpu_product *p = &s->products[d];
    const struct gpu_instruction *i = p->dot->instruction;
    int64_t each = INT64_C(1) << i->c.register_bits;
    bool single = i->c.vector && i->a.column_bits > 0;
    return s->l->schedule->preload && !single && i->team_bits == 0 &&
           product_registers(p) <= MOST_REGISTERS &&
           gpu_stage_steps(s, d) * p->rows * p->columns * each <= MOST_MULTIPLICATIONS;
}

/* Whether fragments are also loaded across the barrier. Vectors of single multiplications are not:
 * with as many sums as registers hold they would spill. */
static bool fetches(const struct stage *s)
{
    return s->form->form.count == 1 && !s->form->fed && gpu_stage_loads_ahead(s, 0) &&
           !s->products[0].dot->instruction->c.vector;
}

/* Programs that a multiprocessor holds, as far as memory and the registers of the first product go. */
static int programs_at_once(struct stage *s)
{
    enum { RESERVED = 1024 }; /* bytes of each program's memory that the driver takes */
    const struct gpu_target *target = s->l->plan->target;
    int registers = product_registers(&s->products[0]) + OTHER_REGISTERS;
    for (int side = 0; side < 2; side++) { /* an address for each copy */
        const struct staged_operand *o = &s->operands[0][side];
        registers += s->pipeline->buffers[o->buffer].copied / s->l->plan->threads /
                     gpu_can_copy(s->l, o->load);
    }
    int by_registers = target->resident_registers / (registers * s->l->plan->threads);
    int by_memory =
        (int)(target->resident_shared_bytes / (gpu_pipeline_bytes(s->pipeline) + RESERVED));
    return by_memory < by_registers ? by_memory : by_registers;
}

/* Of a loop that is fed, in whose trips teams multiply: while one program's threads do all else, another
 * one's products go on. What else its registers hold is little where sums are many; a few words may be
 * spilled (attention of 128 x 64 with D = 128 on an H200: 72 bytes, and 325 us instead of 413). Programs of
 * fewer threads are several without being asked. */
static int resident_fed_programs(struct stage *s)
{
    enum { RESERVED = 1024, LEAST_THREADS = 256 };
    const struct gpu_target *target = s->l->plan->target;
    int64_t bytes = gpu_pipeline_bytes(s->pipeline) + RESERVED;
    int registers = OTHER_REGISTERS;
    for (int d = 0; d < s->form->form.count; d++) {
        const struct gpu_product *p = &s->products[d];
        const struct ir_type a = s->form->form.dots[d].op->operands[0]->type;
        registers += registers_of(&p->dot->instruction->c, p->rows * p->columns);
        if (p->dot->kept)
            bytes += ir_element_count(a) * (int64_t)ir_elem_bytes((enum ir_elem)a.elem);
    }
    bool fits = 2 * registers * s->l->plan->threads <= target->resident_registers &&
                2 * bytes <= target->resident_shared_bytes;
    return fits && gpu_stage_has_teams(s) && s->l->plan->threads >= LEAST_THREADS ? 2 : 0;
}

/* Two programs on a multiprocessor hide each other's barriers: where memory and registers are
 * enough, the compiler is held to that. */
static int resident_programs(struct stage *s)
{
    if (s->form->fed && s->pipeline->guarded)
        return resident_fed_programs(s);
    if (!s->pipeline->guarded || s->form->form.count > 1 || s->form->fed ||
        !gpu_stage_loads_ahead(s, 0))
        return 0;
    return programs_at_once(s) >= 2 ? 2 : 0;
}

/* What lands needs three stages. One more must not keep a program off the multiprocessor. */
static void leave_room(struct stage *s)
{
    struct gpu_pipeline *p = s->pipeline;
    int stages = p->stages;
    if (s->form->fed)
        return;
    bool lands = p->buffers[s->operands[0][0].buffer].lands || p->buffers[s->operands[0][1].buffer].lands;
    if (!lands || s->l->plan->required_stages || s->form->form.count > 1 ||
        stages <= GPU_LANDING_STAGES)
        return;
    int held = programs_at_once(s);
    p->stages = GPU_LANDING_STAGES;
    if (programs_at_once(s) <= held)
        p->stages = stages;
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

static bool too_many_stages(struct stage *s)
{
    struct lowering *l = s->l;
    struct diagnostic *added =
        diagnostics_add(l->diagnostics, DIAGNOSTIC_ERROR, s->loop->range,
                        "the target '%s' cannot meet the requirement 'buffering = %d'",
                        l->plan->target->name, l->plan->stages);
    diagnostics_hint(
        l->diagnostics, added,
        "the pipeline of this loop needs %lld bytes of threadgroup memory, there are %d",
        (long long)gpu_pipeline_bytes(s->pipeline), l->plan->target->shared_bytes);
    return false;
}

/* Each set of SIMD groups needs a part of the inner axis. */
static bool check_split(struct stage *s)
{
    struct lowering *l = s->l;
    for (int d = 0; d < s->form->form.count; d++) {
        if (!l->plan->required_split || gpu_stage_split(s, d) == l->plan->split)
            continue;
        struct diagnostic *added =
            diagnostics_add(l->diagnostics, DIAGNOSTIC_ERROR, s->loop->range,
                            "the target '%s' cannot meet the requirement 'split_k = %d'",
                            l->plan->target->name, l->plan->split);
        diagnostics_hint(l->diagnostics, added,
                         "the inner axis of a trip's tiles has %d fragments to share",
                         s->products[d].steps);
        return false;
    }
    return true;
}

bool gpu_stage_make_pipeline(struct stage *s)
{
    struct lowering *l = s->l;
    const struct gpu_plan *plan = l->plan;
    struct gpu_pipeline *p = s->pipeline;
    if (!check_split(s))
        return false;
    p->groups = plan->groups;
    p->starts = gpu_stage_has_teams(s) && !s->form->fed;
    land_operands(s);
    p->stages = l->schedule->stages < plan->stages ? l->schedule->stages : plan->stages;
    if (l->schedule->swizzled && mechanism_of(s) == GPU_MECHANISM_ASYNC)
        swizzle_buffers(s);
    while (gpu_pipeline_bytes(p) > plan->target->shared_bytes) {
        if (p->stages == 1)
            l->needed_bytes = gpu_pipeline_bytes(p);
        if (plan->required_stages && plan->stages > 1)
            return too_many_stages(s);
        if (l->needed_bytes)
            return false;
        p->stages--;
    }
    leave_room(s);
    enum gpu_mechanism mechanism = mechanism_of(s);
    /* Threads that copy themselves wait for what they load: more stages bring nothing. */
    if (mechanism == GPU_MECHANISM_SOFTWARE && l->schedule->async && !plan->required_stages &&
        p->stages > 2)
        p->stages = 2;
    /* Trips are not written out twice, for a drain. */
    if (mechanism == GPU_MECHANISM_SOFTWARE && s->form->fed)
        p->stages = 1;
    gpu_pipeline_schedule(p, p->stages, mechanism, fetches(s), l->arena);
    int resident = resident_programs(s);
    l->resident = resident > l->resident ? resident : l->resident;
    ARENA_PUSH(l->arena, &l->pipelines, p);
    if (l->options && l->options->on_pipeline && !l->options->on_pipeline(l->options->user, p))
        return true;
    return gpu_pipeline_verify(p, plan->target, s->loop->range, l->diagnostics);
}
