/*
 * Pipelines: their usual schedule, and the proof that a schedule is right; see pipeline.h.
 *
 * The proof runs the phases on the states of slots, for 1, 2, 3, ... trips:
 *
 *   free -copy-> written -barrier publishes-> full -compute-> read -barrier recycles-> free
 *
 * A compute that only starts products leaves a slot *reading*, until a wait has seen them end: then
 * it is read.
 *
 * The steady phases repeat, and after as many trips as there are slots every slot is where it
 * began, so that twice as many trips and a few more show all that can happen. What may go wrong is
 * found at the first phase that relies on another state than the slot has.
 */
#include "gpu/pipeline.h"

#include <string.h>

const char *const gpu_mechanism_names[] = {"software", "async"};
const char *const gpu_phase_kind_names[] = {"copy",  "barrier", "compute", "rotate",
                                            "fetch", "turn",    "wait"};
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
    if (b->panel > 0)
        return b->panel;
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

int gpu_buffer_slots(const struct gpu_pipeline *p, const struct gpu_buffer *b)
{
    return b->lands ? 2 : b->landing ? p->stages - 1 : p->stages;
}

int64_t gpu_pipeline_bytes(const struct gpu_pipeline *p)
{
    int64_t bytes = 0;
    for (int i = 0; i < p->buffer_count; i++) {
        const struct gpu_buffer *b = &p->buffers[i];
        bytes += gpu_buffer_slots(p, b) * (gpu_buffer_elements(b) + gpu_buffer_padding(b)) *
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

/* Kinds of buffers: those that products read (copied or turned), and those that copies write. */
enum { COPIED = 1, TURNED = 2, LANDING = 4, READ_BY_PRODUCTS = COPIED | TURNED };

static void set(const struct gpu_pipeline *p, int kinds, uint16_t *sets, int position)
{
    for (int i = 0; i < p->buffer_count; i++) {
        int kind = p->buffers[i].lands ? TURNED : p->buffers[i].landing ? LANDING : COPIED;
        if (kinds & kind)
            sets[i] = (uint16_t)(sets[i] | 1u << position);
    }
}

static bool lands(const struct gpu_pipeline *p)
{
    bool some = false;
    for (int i = 0; i < p->buffer_count; i++)
        some = some || p->buffers[i].landing;
    return some;
}

static void add_copy(struct gpu_pipeline *p, enum gpu_pipeline_region region, const char *name,
                     int position)
{
    struct gpu_phase *copy = add(p, region, GPU_PHASE_COPY, name);
    copy->ahead = position;
    set(p, COPIED, copy->writes, position);
    set(p, LANDING, copy->writes, region == GPU_PROLOGUE ? position : position - 1);
}

static void add_compute(struct gpu_pipeline *p, enum gpu_pipeline_region region, const char *name,
                        int position)
{
    struct gpu_phase *compute = add(p, region, GPU_PHASE_COMPUTE, name);
    compute->ahead = position;
    set(p, READ_BY_PRODUCTS, compute->reads, position);
}

static void add_fetch(struct gpu_pipeline *p, enum gpu_pipeline_region region, const char *name,
                      int ahead)
{
    if (!p->fetches)
        return;
    struct gpu_phase *fetch = add(p, region, GPU_PHASE_FETCH, name);
    fetch->ahead = ahead;
    set(p, READ_BY_PRODUCTS, fetch->reads, 0);
}

/* What landed for a trip, into the slots of that trip. Behind the last trip that one again, whose landing
 * slot no copy has taken. */
static void add_turn(struct gpu_pipeline *p, enum gpu_pipeline_region region, const char *name,
                     int ahead)
{
    struct gpu_phase *turn = add(p, region, GPU_PHASE_TURN, name);
    turn->ahead = ahead;
    set(p, LANDING, turn->reads, 0);
    set(p, TURNED, turn->writes, ahead);
    if (ahead > 0)
        set(p, LANDING, turn->instead, p->stages - 2);
}

static void add_wait(struct gpu_pipeline *p, enum gpu_pipeline_region region, const char *name,
                     int in_flight)
{
    if (p->starts)
        add(p, region, GPU_PHASE_WAIT, name)->in_flight = in_flight;
}

static void schedule_one_stage(struct gpu_pipeline *p)
{
    add_copy(p, GPU_STEADY, "load_current", 0);
    set(p, COPIED, add(p, GPU_STEADY, GPU_PHASE_BARRIER, "publish")->publishes, 0);
    add_compute(p, GPU_STEADY, "consume_current", 0);
    add_wait(p, GPU_STEADY, "wait_current", 0);
    set(p, COPIED, add(p, GPU_STEADY, GPU_PHASE_BARRIER, "recycle")->recycles, 0);
}

static const char *numbered(const char *name, int number, struct arena *arena)
{
    return number ? arena_format(arena, "%s_%d", name, number) : name;
}

/* A barrier that waits for all copies but the youngest so many. */
static struct gpu_phase *add_barrier(struct gpu_pipeline *p, enum gpu_pipeline_region region,
                                     const char *name, int in_flight)
{
    struct gpu_phase *barrier = add(p, region, GPU_PHASE_BARRIER, name);
    barrier->in_flight = in_flight;
    return barrier;
}

static void add_rotate(struct gpu_pipeline *p, enum gpu_pipeline_region region, const char *name,
                       bool landing_only)
{
    struct gpu_phase *rotate = add(p, region, GPU_PHASE_ROTATE, name);
    for (int i = 0; i < p->buffer_count; i++)
        rotate->rotates[i] = p->buffers[i].landing || !landing_only;
}

/* The first trip's tiles are turned at once. */
static void schedule_first_turn(struct gpu_pipeline *p)
{
    int last = p->stages - 1;
    set(p, LANDING, add_barrier(p, GPU_PROLOGUE, "land_first", last - 1)->publishes, 0);
    add_turn(p, GPU_PROLOGUE, "turn_first", 0);
    struct gpu_phase *first = add_barrier(p, GPU_PROLOGUE, "publish_first", last - 2);
    set(p, READ_BY_PRODUCTS, first->publishes, 0);
    set(p, LANDING, first->publishes, 1);
    set(p, LANDING, first->recycles, 0);
    add_rotate(p, GPU_PROLOGUE, "rotate_landing", true);
}

static void schedule_drain(struct gpu_pipeline *p, struct arena *arena)
{
    int last = p->stages - 1;
    for (int i = 0; i < last; i++)
        add_compute(p, GPU_DRAIN, numbered("consume_last", i, arena), i);
    add_wait(p, GPU_DRAIN, "wait_last", 0);
    struct gpu_phase *release = add_barrier(p, GPU_DRAIN, "release_last", 0);
    for (int i = 0; i < last; i++)
        set(p, COPIED, release->recycles, i);
}

/* Copies that threads make themselves are during the products, which are started before;
 * asynchronous ones should be on the way as early as can be. Products of the trip before may be
 * under way until then where these have a slot to spare for it, which stands in the last position.
 */
static void schedule_started(struct gpu_pipeline *p, struct arena *arena)
{
    int late = p->guarded && p->stages > 2, last = p->stages - 1 - late;
    int in_flight = p->guarded ? last - 1 : 0;
    for (int i = 0; i < last; i++)
        add_copy(p, GPU_PROLOGUE, numbered("load_first", i, arena), i);
    struct gpu_phase *first = add_barrier(p, GPU_PROLOGUE, "publish_first", in_flight);
    for (int i = 0; i < (p->guarded ? 1 : last); i++)
        set(p, COPIED, first->publishes, i);
    if (p->guarded)
        add_copy(p, GPU_STEADY, "load_next", last);
    add_compute(p, GPU_STEADY, "consume_current", 0);
    if (!p->guarded)
        add_copy(p, GPU_STEADY, "load_next", last);
    add_wait(p, GPU_STEADY, late ? "wait_before" : "wait_current", late);
    struct gpu_phase *next = add_barrier(p, GPU_STEADY, "publish_and_recycle", in_flight);
    set(p, COPIED, next->publishes, p->guarded ? 1 : last);
    set(p, COPIED, next->recycles, late ? p->stages - 1 : 0);
    add_rotate(p, GPU_STEADY, "rotate_slots", false);
    if (late) {
        add_wait(p, GPU_DRAIN, "wait_last", 0);
        set(p, COPIED, add_barrier(p, GPU_DRAIN, "release_last", 0)->recycles, p->stages - 1);
    }
    if (!p->guarded)
        schedule_drain(p, arena);
}

/* Asynchronous copies: a barrier publishes the position that is needed next, while later copies are
 * still under way; what lands is needed a trip earlier. */
static void schedule_stages(struct gpu_pipeline *p, struct arena *arena)
{
    int last = p->stages - 1;
    bool async = p->guarded, turns = lands(p);
    if (p->starts) {
        schedule_started(p, arena);
        return;
    }
    int in_flight = !async ? 0 : turns ? last - 2 : last - 1;
    for (int i = 0; i < last; i++)
        add_copy(p, GPU_PROLOGUE, numbered("load_first", i, arena), i);
    if (turns) {
        schedule_first_turn(p);
    } else {
        struct gpu_phase *first = add_barrier(p, GPU_PROLOGUE, "publish_first", in_flight);
        for (int i = 0; i < (async ? 1 : last); i++)
            set(p, COPIED, first->publishes, i);
    }
    add_fetch(p, GPU_PROLOGUE, "fetch_first", 0);
    add_copy(p, GPU_STEADY, "load_next", last);
    if (turns)
        add_turn(p, GPU_STEADY, "turn_next", 1);
    add_compute(p, GPU_STEADY, "consume_current", 0);
    struct gpu_phase *next = add_barrier(p, GPU_STEADY, "publish_and_recycle", in_flight);
    set(p, READ_BY_PRODUCTS, next->publishes, async ? 1 : last);
    set(p, LANDING, next->publishes, 1);
    set(p, READ_BY_PRODUCTS | LANDING, next->recycles, 0);
    add_rotate(p, GPU_STEADY, "rotate_slots", false);
    add_fetch(p, GPU_STEADY, "fetch_next", 1);
    if (!p->guarded)
        schedule_drain(p, arena);
}

void gpu_pipeline_schedule(struct gpu_pipeline *p, int stages, enum gpu_mechanism mechanism,
                           bool fetches, struct arena *arena)
{
    p->stages = stages;
    p->mechanism = mechanism;
    p->guarded = mechanism == GPU_MECHANISM_ASYNC && stages > 1;
    p->fetches = p->guarded && fetches && !p->starts;
    p->phase_count = 0;
    if (stages == 1)
        schedule_one_stage(p);
    else
        schedule_stages(p, arena);
}

/* ---- the proof ------------------------------------------------------------------------------- */

enum slot_state { FREE, WRITTEN, FULL, READING, READ };

struct slot {
    enum slot_state state;
    int trip;  /* that it holds */
    int order; /* of the asynchronous copy into it, or of the products that are reading it */
};

struct proof {
    const struct gpu_pipeline *p;
    struct diagnostics *diagnostics;
    struct source_range range;
    struct slot slots[GPU_PIPELINE_BUFFERS][GPU_PIPELINE_STAGES]; /* by position */
    int trips, trip; /* of the run, and the current one */
    int copies, starts;                 /* so far: groups of copies, and of products */
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
    if (phase->kind == GPU_PHASE_FETCH && proof->fetched[buffer] == trip) /* see gpu_stage_fetch */
        break_off(proof, phase, buffer, "makes the last products again of");
    if (phase->kind == GPU_PHASE_FETCH)
        proof->fetched[buffer] = trip;
    else if (proof->p->fetches && proof->fetched[buffer] != trip)
        break_off(proof, phase, buffer, "begins without what is fetched of");
    proof->computed[buffer] += phase->kind == GPU_PHASE_COMPUTE;
    slot->state = READ;
    if (proof->p->starts) {
        slot->state = READING;
        slot->order = proof->starts;
    }
}

static void run_wait(struct proof *proof, const struct gpu_phase *phase, int buffer, int position)
{
    struct slot *slot = &proof->slots[buffer][position];
    if (slot->state == READING && slot->order < proof->starts - phase->in_flight)
        slot->state = READ;
}

/* Reads a landing slot, or writes the slot that it is turned into. Threads do that themselves: what they
 * wrote is there when the next barrier has passed. Where there is no trip to turn, the last one's tile
 * must still lie where it landed. */
static void run_turn(struct proof *proof, const struct gpu_phase *phase, int buffer, int position)
{
    int trip = proof->trip + phase->ahead;
    bool exist = exists(proof, phase->ahead);
    struct slot *slot = &proof->slots[buffer][position];
    if (!exist && phase->instead[buffer] >> position & 1 &&
        (slot->state != FREE || slot->trip != proof->trips - 1))
        break_off(proof, phase, buffer, "turns a slot that nothing has landed in of");
    if (!exist && phase->writes[buffer] >> position & 1 && slot->state != FREE)
        break_off(proof, phase, buffer, "writes a slot that is still in use of");
    if (!exist)
        return;
    if (phase->reads[buffer] >> position & 1) {
        if (slot->state != FULL)
            break_off(proof, phase, buffer, "turns a slot before it is published of");
        if (slot->trip != trip)
            break_off(proof, phase, buffer, "turns the tile of another trip from");
        proof->computed[buffer]++;
        slot->state = READ;
    }
    if (phase->writes[buffer] >> position & 1) {
        if (slot->state != FREE)
            break_off(proof, phase, buffer, "writes a slot that is still in use of");
        *slot = (struct slot){WRITTEN, trip, -1};
    }
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
        if (slot->state == READING)
            break_off(proof, phase, buffer, "recycles a slot that products still read of");
        if (slot->state != READ)
            break_off(proof, phase, buffer, "recycles a slot that was not read of");
        slot->state = FREE;
    }
}

static void rotate(struct proof *proof, int buffer)
{
    struct slot *slots = proof->slots[buffer], first = slots[0];
    int count = gpu_buffer_slots(proof->p, &proof->p->buffers[buffer]);
    for (int i = 0; i + 1 < count; i++)
        slots[i] = slots[i + 1];
    slots[count - 1] = first;
}

static void run_phase(struct proof *proof, const struct gpu_phase *phase)
{
    const struct gpu_pipeline *p = proof->p;
    for (int b = 0; b < p->buffer_count; b++) {
        if (phase->kind == GPU_PHASE_ROTATE && phase->rotates[b])
            rotate(proof, b);
        for (int i = 0; i < gpu_buffer_slots(p, &p->buffers[b]); i++) {
            if (phase->kind == GPU_PHASE_COPY)
                run_copy(proof, phase, b, i);
            else if (phase->kind == GPU_PHASE_COMPUTE || phase->kind == GPU_PHASE_FETCH)
                run_compute(proof, phase, b, i);
            else if (phase->kind == GPU_PHASE_TURN)
                run_turn(proof, phase, b, i);
            else if (phase->kind == GPU_PHASE_WAIT)
                run_wait(proof, phase, b, i);
            else if (phase->kind == GPU_PHASE_BARRIER)
                run_barrier(proof, phase, b, i);
        }
    }
    proof->copies += phase->kind == GPU_PHASE_COPY;
    proof->starts += phase->kind == GPU_PHASE_COMPUTE;
}

static void run_region(struct proof *proof, enum gpu_pipeline_region region)
{
    for (int i = 0; i < proof->p->phase_count && !proof->broken; i++) {
        if (proof->p->phases[i].region == region)
            run_phase(proof, &proof->p->phases[i]);
    }
}

/* The loop carries what is fetched, so that it starts with that of the first trip. */
static void check_start(struct proof *proof)
{
    const struct gpu_pipeline *p = proof->p;
    for (int b = 0; b < p->buffer_count; b++) {
        if (p->fetches && !p->buffers[b].landing && proof->fetched[b] != 0)
            break_off(proof, &p->phases[0], b,
                      "is in front of trips that begin without what is fetched of");
    }
}

/* Every trip must have been computed, and nothing be left in a slot. */
static void check_end(struct proof *proof)
{
    const struct gpu_pipeline *p = proof->p;
    for (int b = 0; b < p->buffer_count; b++) {
        for (int i = 0; i < gpu_buffer_slots(p, &p->buffers[b]); i++) {
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
    for (int b = 0; b < proof->p->buffer_count; b++) {
        for (int i = 0; i < GPU_PIPELINE_STAGES; i++)
            proof->slots[b][i] = (struct slot){FREE, -1, -1};
    }
    memset(proof->fetched, -1, sizeof proof->fetched);
    memset(proof->computed, 0, sizeof proof->computed);
    proof->trips = trips;
    proof->copies = proof->starts = 0;
    proof->trip = 0;
    run_region(proof, GPU_PROLOGUE);
    check_start(proof);
    for (; proof->trip < (proof->p->guarded ? trips : trips - last); proof->trip++)
        run_region(proof, GPU_STEADY);
    run_region(proof, GPU_DRAIN);
    check_end(proof);
    return !proof->broken;
}

/* A phase touches slots that there are, of buffers that are for it. */
static void check_sets(struct proof *proof, const struct gpu_phase *phase, int buffer)
{
    const struct gpu_buffer *b = &proof->p->buffers[buffer];
    uint16_t sets = phase->reads[buffer] | phase->writes[buffer] | phase->publishes[buffer] |
                    phase->recycles[buffer] | phase->instead[buffer];
    bool multiplies = phase->kind == GPU_PHASE_COMPUTE || phase->kind == GPU_PHASE_FETCH;
    bool turns = phase->kind == GPU_PHASE_TURN;
    if (sets >> gpu_buffer_slots(proof->p, b))
        break_off(proof, phase, buffer, "names a slot that there is not of");
    if ((phase->kind == GPU_PHASE_COPY && phase->writes[buffer] && b->lands) ||
        (multiplies && phase->reads[buffer] && b->landing) ||
        (turns && ((phase->reads[buffer] && !b->landing) || (phase->writes[buffer] && !b->lands))))
        break_off(proof, phase, buffer, "takes the other order of");
    if (turns && b->landing &&
        (!phase->reads[buffer] != !phase->writes[b->turned] ||
         !phase->instead[buffer] != (!phase->reads[buffer] || phase->ahead == 0)))
        break_off(proof, phase, buffer, "does not turn");
}

/* What lands is turned into a buffer of the same tile, in the other order. */
static void check_landing(struct proof *proof, int buffer)
{
    const struct gpu_pipeline *p = proof->p;
    const struct gpu_buffer *b = &p->buffers[buffer];
    if (!b->landing)
        return;
    const struct gpu_buffer *to = &p->buffers[b->turned];
    if (!to->lands || to->rows != b->rows || to->columns != b->columns || to->elem != b->elem ||
        to->by_columns == b->by_columns || !p->guarded || p->stages < GPU_LANDING_STAGES)
        break_off(proof, &p->phases[0], buffer, "has no place to turn");
}

/* Which trips the computing phases cover: each must be met once, by all buffers. */
static bool check_shape(struct proof *proof)
{
    const struct gpu_pipeline *p = proof->p;
    int last = p->stages - 1, drained = 0;
    for (int i = 0; i < p->phase_count; i++) {
        const struct gpu_phase *phase = &p->phases[i];
        drained += phase->region == GPU_DRAIN && phase->kind == GPU_PHASE_COMPUTE;
        for (int b = 0; b < p->buffer_count; b++)
            check_sets(proof, phase, b);
        if (phase->kind == GPU_PHASE_BARRIER && phase->participants != p->groups)
            break_off(proof, phase, 0, "is not reached by all SIMD groups, which share");
        if (phase->scope == IR_SCOPE_GROUP && p->groups > 1)
            break_off(proof, phase, 0, "orders one SIMD group only, but several share");
    }
    for (int b = 0; b < p->buffer_count; b++) {
        check_landing(proof, b);
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
