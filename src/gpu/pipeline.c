/*
 * Pipelines: their usual schedule, and the proof that a schedule is right; see pipeline.h.
 *
 * The proof runs the phases on the states of slots, for 1, 2, 3, ... trips:
 *
 *   free -copy-> written -barrier publishes-> full -compute-> read -barrier recycles-> free
 *
 * The steady phases repeat, and after as many trips as there are slots every slot is where it
 * began, so that twice as many trips and a few more show all that can happen. What may go wrong is
 * found at the first phase that relies on another state than the slot has.
 */
#include "gpu/pipeline.h"

#include <string.h>

const char *const gpu_mechanism_names[] = {"software", "async"};
const char *const gpu_phase_kind_names[] = {"copy", "barrier", "compute", "rotate", "fetch"};
const char *const gpu_region_names[] = {"prologue", "steady", "drain"};

/* ---- sizes ----------------------------------------------------------------------------------- */

int64_t gpu_buffer_elements(const struct gpu_buffer *b)
{
    return (int64_t)b->rows * b->columns;
}

int64_t gpu_buffer_padding(const struct gpu_buffer *b)
{
    return (int64_t)b->padding * (b->by_columns ? b->columns : b->rows);
}

int gpu_buffer_stride(const struct gpu_buffer *b)
{
    return (b->by_columns ? b->rows : b->columns) + b->padding;
}

struct gpu_swizzling gpu_buffer_swizzle(const struct gpu_buffer *b)
{
    enum { PIECE = 16, BANKS = 128 }; /* bytes */
    int bytes = gpu_buffer_stride(b) * (int)ir_elem_bytes(b->elem), shift = 0;
    while (bytes << shift < BANKS && shift < 3)
        shift++;
    return (struct gpu_swizzling){shift, (BANKS / PIECE - 1) >> shift, PIECE / (int)ir_elem_bytes(b->elem)};
}

int64_t gpu_pipeline_bytes(const struct gpu_pipeline *p)
{
    int64_t bytes = 0;
    for (int i = 0; i < p->buffer_count; i++) {
        const struct gpu_buffer *b = &p->buffers[i];
        bytes += p->stages * (gpu_buffer_elements(b) + gpu_buffer_padding(b)) *
                 (int64_t)ir_elem_bytes(b->elem);
    }
    return bytes;
}

/* ---- the usual schedule ---------------------------------------------------------------------- */

static struct gpu_phase *add(struct gpu_pipeline *p, enum gpu_pipeline_region region,
                             enum gpu_phase_kind kind, const char *name)
{
    struct gpu_phase *phase = &p->phases[p->phase_count++];
    *phase = (struct gpu_phase){.name = name, .region = region, .kind = kind};
    phase->scope = IR_SCOPE_THREADGROUP;
    phase->participants = kind == GPU_PHASE_BARRIER ? p->groups : 0;
    return phase;
}

static void set_all(const struct gpu_pipeline *p, uint16_t *sets, int position)
{
    for (int i = 0; i < p->buffer_count; i++)
        sets[i] = (uint16_t)(sets[i] | 1u << position);
}

static void add_copy(struct gpu_pipeline *p, enum gpu_pipeline_region region, const char *name,
                     int position)
{
    struct gpu_phase *copy = add(p, region, GPU_PHASE_COPY, name);
    copy->ahead = position;
    set_all(p, copy->writes, position);
}

static void add_compute(struct gpu_pipeline *p, enum gpu_pipeline_region region, const char *name,
                        int position)
{
    struct gpu_phase *compute = add(p, region, GPU_PHASE_COMPUTE, name);
    compute->ahead = position;
    set_all(p, compute->reads, position);
}

static void add_fetch(struct gpu_pipeline *p, enum gpu_pipeline_region region, const char *name,
                      int ahead)
{
    if (!p->fetches)
        return;
    struct gpu_phase *fetch = add(p, region, GPU_PHASE_FETCH, name);
    fetch->ahead = ahead;
    set_all(p, fetch->reads, 0);
}

static void schedule_one_stage(struct gpu_pipeline *p)
{
    add_copy(p, GPU_STEADY, "load_current", 0);
    set_all(p, add(p, GPU_STEADY, GPU_PHASE_BARRIER, "publish")->publishes, 0);
    add_compute(p, GPU_STEADY, "consume_current", 0);
    set_all(p, add(p, GPU_STEADY, GPU_PHASE_BARRIER, "recycle")->recycles, 0);
}

static const char *numbered(const char *name, int number, struct arena *arena)
{
    return number ? arena_format(arena, "%s_%d", name, number) : name;
}

/* Asynchronous copies: a barrier publishes the position that is needed next, while later copies are
 * still under way. */
static void schedule_stages(struct gpu_pipeline *p, struct arena *arena)
{
    int last = p->stages - 1;
    bool async = p->guarded;
    for (int i = 0; i < last; i++)
        add_copy(p, GPU_PROLOGUE, numbered("load_first", i, arena), i);
    struct gpu_phase *first = add(p, GPU_PROLOGUE, GPU_PHASE_BARRIER, "publish_first");
    for (int i = 0; i < (async ? 1 : last); i++)
        set_all(p, first->publishes, i);
    first->in_flight = async ? last - 1 : 0;
    add_fetch(p, GPU_PROLOGUE, "fetch_first", 0);
    add_copy(p, GPU_STEADY, "load_next", last);
    add_compute(p, GPU_STEADY, "consume_current", 0);
    struct gpu_phase *next = add(p, GPU_STEADY, GPU_PHASE_BARRIER, "publish_and_recycle");
    set_all(p, next->publishes, async ? 1 : last);
    set_all(p, next->recycles, 0);
    next->in_flight = async ? last - 1 : 0;
    struct gpu_phase *rotate = add(p, GPU_STEADY, GPU_PHASE_ROTATE, "rotate_slots");
    for (int i = 0; i < p->buffer_count; i++)
        rotate->rotates[i] = true;
    add_fetch(p, GPU_STEADY, "fetch_next", 1);
    if (p->guarded)
        return;
    for (int i = 0; i < last; i++)
        add_compute(p, GPU_DRAIN, numbered("consume_last", i, arena), i);
    struct gpu_phase *release = add(p, GPU_DRAIN, GPU_PHASE_BARRIER, "release_last");
    for (int i = 0; i < last; i++)
        set_all(p, release->recycles, i);
}

void gpu_pipeline_schedule(struct gpu_pipeline *p, int stages, enum gpu_mechanism mechanism,
                           bool fetches, struct arena *arena)
{
    p->stages = stages;
    p->mechanism = mechanism;
    p->guarded = mechanism == GPU_MECHANISM_ASYNC && stages > 1;
    p->fetches = p->guarded && fetches;
    p->phase_count = 0;
    if (stages == 1)
        schedule_one_stage(p);
    else
        schedule_stages(p, arena);
}

/* ---- the proof ------------------------------------------------------------------------------- */

enum slot_state { FREE, WRITTEN, FULL, READ };

struct slot {
    enum slot_state state;
    int trip;  /* that it holds */
    int order; /* of the asynchronous copy into it */
};

struct proof {
    const struct gpu_pipeline *p;
    struct diagnostics *diagnostics;
    struct source_range range;
    struct slot slots[GPU_PIPELINE_BUFFERS][GPU_PIPELINE_STAGES]; /* by position */
    int trips, trip; /* of the run, and the current one */
    int copies;      /* so far */
    int fetched[GPU_PIPELINE_BUFFERS];  /* the trip that was, or -1 */
    int computed[GPU_PIPELINE_BUFFERS]; /* trips so far */
    bool broken;
};

static void break_off(struct proof *proof, const struct gpu_phase *phase, int buffer,
                      const char *what)
{
    if (proof->broken)
        return;
    proof->broken = true;
    struct diagnostic *added = diagnostics_add(proof->diagnostics, DIAGNOSTIC_ERROR, proof->range,
                                               "internal error: phase '%s' of the pipeline %s '%s'",
                                               phase->name, what, proof->p->buffers[buffer].name);
    diagnostics_hint(proof->diagnostics, added, "this is a bug in tilec");
}

/* Whether the phase has something to do: a trip beyond the last one has not. */
static bool exists(const struct proof *proof, int ahead)
{
    return proof->trip + ahead < proof->trips;
}

static void run_copy(struct proof *proof, const struct gpu_phase *phase, int buffer, int position)
{
    struct slot *slot = &proof->slots[buffer][position];
    if (!(phase->writes[buffer] >> position & 1) || !exists(proof, phase->ahead))
        return;
    if (slot->state != FREE)
        break_off(proof, phase, buffer, "writes a slot that is still in use of");
    *slot = (struct slot){WRITTEN, proof->trip + phase->ahead, proof->copies};
}

/* A compute or a fetch. */
static void run_compute(struct proof *proof, const struct gpu_phase *phase, int buffer,
                        int position)
{
    int trip = proof->trip + phase->ahead;
    struct slot *slot = &proof->slots[buffer][position];
    if (!(phase->reads[buffer] >> position & 1))
        return;
    if (phase->kind == GPU_PHASE_FETCH && slot->state == WRITTEN)
        break_off(proof, phase, buffer, "reads a slot that is being copied of");
    if (!exists(proof, phase->ahead)) /* a fetch reads what nobody uses */
        return;
    if (slot->state != FULL && slot->state != READ)
        break_off(proof, phase, buffer, "reads a slot before it is published of");
    if (slot->trip != trip)
        break_off(proof, phase, buffer, "reads the tile of another trip from");
    if (phase->kind == GPU_PHASE_FETCH)
        proof->fetched[buffer] = trip;
    else if (proof->p->fetches && proof->fetched[buffer] != trip)
        break_off(proof, phase, buffer, "begins without what is fetched of");
    proof->computed[buffer] += phase->kind == GPU_PHASE_COMPUTE;
    slot->state = READ;
}

static void run_barrier(struct proof *proof, const struct gpu_phase *phase, int buffer,
                        int position)
{
    const struct gpu_pipeline *p = proof->p;
    struct slot *slot = &proof->slots[buffer][position];
    if (phase->publishes[buffer] >> position & 1 && slot->state != FREE) {
        if (slot->state != WRITTEN)
            break_off(proof, phase, buffer, "publishes a slot that was not written since of");
        if (p->mechanism == GPU_MECHANISM_ASYNC && slot->order >= proof->copies - phase->in_flight)
            break_off(proof, phase, buffer, "publishes a slot that is still being copied of");
        slot->state = FULL;
    }
    if (phase->recycles[buffer] >> position & 1 && slot->state != FREE) {
        if (slot->state != READ)
            break_off(proof, phase, buffer, "recycles a slot that was not read of");
        slot->state = FREE;
    }
}

static void rotate(struct proof *proof, int buffer)
{
    struct slot *slots = proof->slots[buffer], first = slots[0];
    for (int i = 0; i + 1 < proof->p->stages; i++)
        slots[i] = slots[i + 1];
    slots[proof->p->stages - 1] = first;
}

static void run_phase(struct proof *proof, const struct gpu_phase *phase)
{
    const struct gpu_pipeline *p = proof->p;
    for (int b = 0; b < p->buffer_count; b++) {
        if (phase->kind == GPU_PHASE_ROTATE && phase->rotates[b])
            rotate(proof, b);
        for (int i = 0; i < p->stages; i++) {
            if (phase->kind == GPU_PHASE_COPY)
                run_copy(proof, phase, b, i);
            else if (phase->kind == GPU_PHASE_COMPUTE || phase->kind == GPU_PHASE_FETCH)
                run_compute(proof, phase, b, i);
            else if (phase->kind == GPU_PHASE_BARRIER)
                run_barrier(proof, phase, b, i);
        }
    }
    proof->copies += phase->kind == GPU_PHASE_COPY;
}

static void run_region(struct proof *proof, enum gpu_pipeline_region region)
{
    for (int i = 0; i < proof->p->phase_count && !proof->broken; i++) {
        if (proof->p->phases[i].region == region)
            run_phase(proof, &proof->p->phases[i]);
    }
}

/* Every trip must have been computed, and nothing be left in a slot. */
static void check_end(struct proof *proof)
{
    const struct gpu_pipeline *p = proof->p;
    for (int b = 0; b < p->buffer_count; b++) {
        for (int i = 0; i < p->stages; i++) {
            if (proof->slots[b][i].state != FREE)
                break_off(proof, &p->phases[p->phase_count - 1], b, "leaves a slot in use of");
        }
        if (proof->computed[b] != proof->trips)
            break_off(proof, &p->phases[p->phase_count - 1], b, "is behind too few trips of");
    }
}

static bool run(struct proof *proof, int trips)
{
    int last = proof->p->stages - 1;
    memset(proof->slots, 0, sizeof proof->slots);
    memset(proof->fetched, -1, sizeof proof->fetched);
    memset(proof->computed, 0, sizeof proof->computed);
    proof->trips = trips;
    proof->copies = 0;
    proof->trip = 0;
    run_region(proof, GPU_PROLOGUE);
    for (; proof->trip < (proof->p->guarded ? trips : trips - last); proof->trip++)
        run_region(proof, GPU_STEADY);
    run_region(proof, GPU_DRAIN);
    check_end(proof);
    return !proof->broken;
}

/* Which trips the computing phases cover: each must be met once, by all buffers. */
static bool check_shape(struct proof *proof)
{
    const struct gpu_pipeline *p = proof->p;
    int last = p->stages - 1, drained = 0;
    for (int i = 0; i < p->phase_count; i++) {
        const struct gpu_phase *phase = &p->phases[i];
        drained += phase->region == GPU_DRAIN && phase->kind == GPU_PHASE_COMPUTE;
        if (phase->kind == GPU_PHASE_BARRIER && phase->participants != p->groups)
            break_off(proof, phase, 0, "is not reached by all SIMD groups, which share");
        if (phase->kind == GPU_PHASE_BARRIER && phase->scope == IR_SCOPE_GROUP && p->groups > 1)
            break_off(proof, phase, 0, "orders one SIMD group only, but several share");
    }
    for (int b = 0; b < p->buffer_count; b++) {
        if (p->buffers[b].copied != gpu_buffer_elements(&p->buffers[b]))
            break_off(proof, &p->phases[0], b, "does not write exactly the tile of");
    }
    if (drained != (p->guarded ? 0 : last))
        break_off(proof, &p->phases[p->phase_count - 1], 0, "is not behind all trips of");
    return !proof->broken;
}

bool gpu_pipeline_verify(const struct gpu_pipeline *p, const struct gpu_target *target,
                         struct source_range range, struct diagnostics *diagnostics)
{
    struct proof proof = {.p = p, .diagnostics = diagnostics, .range = range};
    if (p->stages < 1 || p->stages > GPU_PIPELINE_STAGES || p->phase_count < 1 ||
        p->phase_count > GPU_PIPELINE_PHASES || p->buffer_count < 1 ||
        p->buffer_count > GPU_PIPELINE_BUFFERS) {
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, range, "internal error: no pipeline");
        return false;
    }
    if (gpu_pipeline_bytes(p) > target->shared_bytes) {
        struct diagnostic *added =
            diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, range,
                            "a pipeline of %d stages needs %lld bytes of threadgroup memory",
                            p->stages, (long long)gpu_pipeline_bytes(p));
        diagnostics_hint(diagnostics, added, "the target '%s' has %d", target->name,
                         target->shared_bytes);
        return false;
    }
    if (!check_shape(&proof))
        return false;
    for (int trips = 1; trips <= 2 * p->stages + 2; trips++) {
        if (!run(&proof, trips))
            return false;
    }
    return true;
}
