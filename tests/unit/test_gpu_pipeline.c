/*
 * Pipelines: the usual schedules are proved; every change of one is found. A barrier taken away, a
 * slot taken for another, and a rotation at another place are also carried out, past the proof, and
 * must be found by msl-host when it runs the text: as a race, or as memory that nobody wrote. Those
 * of asynchronous copies, waiting for too few of them, turning other slots, and not waiting for
 * products that go on, are found by the machine for tests. The other way round, of changes of every
 * kind those that the proof lets pass are carried out, and must be right.
 *
 * GPU_PROVED_SEEDS=n draws more of them, GPU_PROVED_FIRST=n starts there.
 */
#include "../seeds.h"
#include "../skip.h"
#include "base/half.h"
#include "gpu_machine.h"
#include "gpu_source.h"

enum {
    M = 24,
    N = 40,
    K = 24,
    MOST_K = 192
}; /* three trips: what is read last is written first again */
enum { SIDE = 64 }; /* of a tile whose operands are turned, or that a team multiplies */

/* Two rounds over K, so that the last phase of the first round matters to the second. */
static const char kernel[] =
    "#include <tilec/kernel.h>\n"
    "launch_grid(rounds, cdiv(M, 16), cdiv(N, 16));\n"
    "kernel void rounds(const float *restrict A, const float *restrict B, float *restrict C,\n"
    "                   int M, int N, int K)\n"
    "{\n"
    "    int m = program_id(0) * 16, n = program_id(1) * 16;\n"
    "    float acc = zeros(float, 16, 16);\n"
    "    for (int turn = 0; turn < 2; turn++)\n"
    "        for (int k = 0; k < K; k += 8)\n"
    "            acc = dot(tile_load(view(A, M, K), m, k, 16, 8),\n"
    "                      tile_load(view(B, K, N), k, n, 8, 16), acc);\n"
    "    tile_store(view(C, M, N), m, n, acc);\n"
    "}\n";

/* One tile, which each thread multiplies alone, with the left operand by columns. */
static const char turned_kernel[] =
    "#include <tilec/kernel.h>\n"
    "launch_grid(turned, 1);\n"
    "require(turned, backend = fma);\n"
    "kernel void turned(const float *restrict A, const float *restrict B, float *restrict C,\n"
    "                   int M, int N, int K)\n"
    "{\n"
    "    float acc = zeros(float, 64, 64);\n"
    "    for (int k = 0; k < K; k += 8)\n"
    "        acc = dot(tile_load(view(A, M, K), 0, k, 64, 8),\n"
    "                  tile_load(view(B, K, N), k, 0, 8, 64), acc);\n"
    "    tile_store(view(C, M, N), 0, 0, acc + acc);\n"
    "}\n";

/* One tile, which a team of four SIMD groups multiplies. */
static const char team_kernel[] =
    "#include <tilec/kernel.h>\n"
    "launch_grid(team, 1);\n"
    "kernel void team(const half *restrict A, const half *restrict B, float *restrict C,\n"
    "                 int M, int N, int K)\n"
    "{\n"
    "    float acc = zeros(float, 64, 64);\n"
    "    for (int k = 0; k < K; k += 32)\n"
    "        acc = dot(tile_load(view(A, M, K), 0, k, 64, 32),\n"
    "                  tile_load(view(B, K, N), k, 0, 32, 64), acc);\n"
    "    tile_store(view(C, M, N), 0, 0, acc + acc);\n"
    "}\n";

/* What the operands' way to the products is like. */
enum way { COPIED, TURNED, STARTED };

/* One change of a pipeline; phases are named by their numbers. */
struct change {
    enum {
        NOTHING,
        DROP,
        SWAP,
        MOVE,
        HURRY,
        ANY
    } kind; /* HURRY: a barrier or a wait lets one group more go on; ANY: see change_anything */
    int phase, to; /* SWAP: the position that is taken instead; MOVE: the place among the phases */
};

struct test {
    struct gpu_source source;
    struct gpu_pipeline pipeline; /* the last that was made, before it was changed */
    struct change change;
    bool unverified, async;
    enum way way;
};

static void begin(struct test *t)
{
    memset(t, 0, sizeof *t);
    arena_init(&t->source.arena, allocator_default, &t->source.out_of_memory);
    if (setjmp(t->source.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&t->source.diagnostics, &t->source.arena);
}

/* ---- changes --------------------------------------------------------------------------------- */

static bool is_access(const struct gpu_phase *phase)
{
    return phase->kind == GPU_PHASE_COPY || phase->kind == GPU_PHASE_COMPUTE;
}

/* What a phase writes of the first buffer that it writes, or reads. */
static uint16_t *set_of(struct gpu_phase *phase)
{
    bool writes = phase->kind == GPU_PHASE_COPY || phase->kind == GPU_PHASE_TURN;
    uint16_t *set = writes ? phase->writes : phase->reads;
    while (!*set)
        set++;
    return set;
}

static bool publishes(const struct gpu_phase *phase)
{
    bool some = false;
    for (int b = 0; b < GPU_PIPELINE_BUFFERS; b++)
        some = some || phase->publishes[b];
    return some;
}

static void take_out(struct gpu_pipeline *p, int phase)
{
    memmove(p->phases + phase, p->phases + phase + 1,
            (size_t)(--p->phase_count - phase) * sizeof *p->phases);
}

static void put_in(struct gpu_pipeline *p, int place, struct gpu_phase phase)
{
    memmove(p->phases + place + 1, p->phases + place,
            (size_t)(p->phase_count++ - place) * sizeof *p->phases);
    p->phases[place] = phase;
}

/* The so-many-th of all changes of one phase: it is taken away or done twice, stands at another
 * place in any region, waits for one group more or less, is of another trip, rotates a buffer or
 * not, or one of its sets has a position more or less. False: that means nothing. */
static bool change_anything(struct gpu_pipeline *p, int phase, int number)
{
    enum { PLAIN = 6, SETS = 5 };
    struct gpu_phase *f = &p->phases[phase], copy = *f;
    int places = p->phase_count * 3, of_sets = SETS * p->buffer_count * p->stages;
    if (number < PLAIN) {
        if (number == 0)
            take_out(p, phase);
        else if (number == 1)
            put_in(p, phase, copy);
        else if (number < 4)
            f->in_flight += number == 2 ? 1 : -1;
        else
            f->ahead += number == 4 ? 1 : -1;
        return f->in_flight >= 0 && f->ahead >= 0;
    }
    if ((number -= PLAIN) < places) {
        take_out(p, phase);
        copy.region = (enum gpu_pipeline_region)(number % 3);
        put_in(p, number / 3, copy);
        return true;
    }
    if ((number -= places) < p->buffer_count) {
        f->rotates[number] = !f->rotates[number];
        return true;
    }
    if ((number -= p->buffer_count) < of_sets) {
        uint16_t *sets[SETS] = {f->reads, f->writes, f->instead, f->publishes, f->recycles};
        uint16_t *set = &sets[number % SETS][number / SETS % p->buffer_count];
        *set = (uint16_t)(*set ^ 1u << number / SETS / p->buffer_count);
    }
    return true;
}

static int changes_of(const struct gpu_pipeline *p)
{
    return 6 + 3 * p->phase_count + p->buffer_count * (1 + 5 * p->stages);
}

static void change_pipeline(struct gpu_pipeline *p, const struct change *change)
{
    if (change->kind == NOTHING)
        return;
    if (change->kind == ANY) {
        change_anything(p, change->phase, change->to);
        return;
    }
    struct gpu_phase phase = p->phases[change->phase];
    if (change->kind == SWAP) {
        *set_of(&p->phases[change->phase]) = (uint16_t)(1u << change->to);
        return;
    }
    if (change->kind == HURRY) {
        p->phases[change->phase].in_flight++;
        return;
    }
    take_out(p, change->phase);
    if (change->kind != DROP)
        put_in(p, change->to, phase);
}

static bool on_pipeline(void *user, struct gpu_pipeline *pipeline)
{
    struct test *t = user;
    t->pipeline = *pipeline;
    change_pipeline(pipeline, &t->change);
    return !t->unverified;
}

static struct gpu_kernel *lower(struct test *t, int stages)
{
    static const char *const kernels[] = {kernel, turned_kernel, team_kernel};
    struct gpu_choices choices = {.requirements = {t->way == STARTED ? "groups=4" : "groups=2"}};
    struct gpu_options options = {.on_pipeline = on_pipeline, .user = t, .verify_each = true};
    choices.requirements[1] = arena_format(&t->source.arena, "buffering=%d", stages);
    struct ir_kernel *made = gpu_source_lower(&t->source, kernels[t->way], NULL, &choices);
    if (!made)
        gpu_source_fail(&t->source, "the front end refuses");
    struct gpu_target *target = ARENA_NEW(&t->source.arena, struct gpu_target);
    *target = gpu_target_msl;
    target->async_copies = t->async;
    if (t->way != COPIED) {
        target->packed_vectors = false;
        target->vector_elements = 16;
    }
    if (t->way == STARTED) {
        target->matrices = GPU_BACKEND_MMA;
        target->warpgroups = true;
    }
    struct gpu_plan *plan =
        plan_gpu(made, target, false, &t->source.arena, &t->source.diagnostics);
    if (!plan)
        gpu_source_fail(&t->source, "no plan");
    plan->aligned = t->way != COPIED ? UINT64_MAX : 0;
    return gpu_lower(made, plan, &options, &t->source.arena, &t->source.diagnostics);
}

static bool is_proved(struct test *t, const struct gpu_pipeline *p)
{
    struct source_range range = {0};
    t->source.diagnostics.count = t->source.diagnostics.error_count = 0;
    return gpu_pipeline_verify(p, &gpu_target_msl, range, &t->source.diagnostics);
}

/* ---- the proof ------------------------------------------------------------------------------- */

static void expect_broken(struct test *t, const struct gpu_pipeline *p, const char *what, int phase)
{
    if (is_proved(t, p))
        fail_msg("%d stages, %s: phase %d (%s) goes unnoticed", p->stages, what, phase,
                 t->pipeline.phases[phase].name);
}

/* Every phase taken away, and every rotation of a trip at every other place in it. */
static void break_order(struct test *t)
{
    const struct gpu_pipeline *right = &t->pipeline;
    for (int i = 0; i < right->phase_count; i++) {
        struct gpu_pipeline p = *right;
        change_pipeline(&p, &(struct change){DROP, i, 0});
        expect_broken(t, &p, "taken away", i);
        for (int to = 0; to < right->phase_count; to++) {
            if (to == i || right->phases[i].kind != GPU_PHASE_ROTATE ||
                right->phases[i].region != GPU_STEADY || right->phases[to].region != GPU_STEADY)
                continue;
            p = *right;
            change_pipeline(&p, &(struct change){MOVE, i, to});
            expect_broken(t, &p, "moved", i);
        }
    }
}

/* Every position of every set taken for another one. */
static void break_slots(struct test *t)
{
    for (int i = 0; i < t->pipeline.phase_count; i++) {
        for (int b = 0; b < t->pipeline.buffer_count; b++) {
            for (int to = 0; to < t->pipeline.stages; to++) {
                struct gpu_pipeline p = t->pipeline;
                struct gpu_phase *phase = &p.phases[i];
                uint16_t *sets[] = {phase->reads, phase->writes, phase->instead, phase->publishes,
                                    phase->recycles};
                for (int s = 0; s < 5; s++) {
                    uint16_t old = sets[s][b];
                    if (!old || old == 1u << to)
                        continue;
                    sets[s][b] = (uint16_t)(1u << to);
                    expect_broken(t, &p, "another slot", i);
                    sets[s][b] = old;
                }
            }
        }
    }
}

static void break_the_rest(struct test *t)
{
    for (int i = 0; i < t->pipeline.phase_count; i++) {
        struct gpu_pipeline p = t->pipeline;
        if (p.phases[i].kind != GPU_PHASE_BARRIER)
            continue;
        p.phases[i].participants--;
        expect_broken(t, &p, "one group stays away", i);
        p = t->pipeline;
        p.phases[i].scope = IR_SCOPE_GROUP;
        expect_broken(t, &p, "a barrier of one group", i);
    }
    struct gpu_pipeline p = t->pipeline;
    p.buffers[1].copied--;
    expect_broken(t, &p, "an element is not copied", 0);
    p = t->pipeline;
    p.buffers[0].columns = p.buffers[0].copied = 1 << 14;
    p.buffers[0].rows = 1;
    expect_broken(t, &p, "too much memory", 0);
}

/* What is only seen when all trips are over: one that was computed twice, or a slot that is never
 * given back. */
static void break_end(struct test *t)
{
    const struct gpu_pipeline *right = &t->pipeline;
    for (int i = 0; i < right->phase_count && right->phase_count < GPU_PIPELINE_PHASES; i++) {
        struct gpu_pipeline p = *right;
        if (right->phases[i].kind != GPU_PHASE_COMPUTE)
            continue;
        memmove(p.phases + i + 1, p.phases + i,
                (size_t)(p.phase_count - i) * sizeof *p.phases);
        p.phase_count++;
        expect_broken(t, &p, "computed twice", i);
    }
    for (int i = 0; i < right->phase_count; i++) {
        struct gpu_pipeline p = *right;
        bool recycles = false;
        for (int b = 0; b < p.buffer_count; b++) {
            recycles = recycles || p.phases[i].recycles[b];
            p.phases[i].recycles[b] = 0;
        }
        if (recycles)
            expect_broken(t, &p, "nothing is given back", i);
    }
}

/* The buffer lies in the other order than its operand, which lands in a further one. */
static void let_land(struct gpu_pipeline *p, int buffer)
{
    struct gpu_buffer *landing = &p->buffers[p->buffer_count++];
    p->buffers[buffer].lands = true;
    *landing = p->buffers[buffer];
    landing->lands = false;
    landing->landing = true;
    landing->turned = buffer;
    landing->by_columns = !landing->by_columns;
}

/* What is particular to operands that land. */
static void break_landing(struct test *t)
{
    for (int b = 0; b < t->pipeline.buffer_count; b++) {
        struct gpu_pipeline p = t->pipeline;
        if (!p.buffers[b].landing)
            continue;
        p.buffers[b].by_columns = !p.buffers[b].by_columns;
        expect_broken(t, &p, "nothing is turned", 0);
        p = t->pipeline;
        p.buffers[b].turned = b;
        expect_broken(t, &p, "turned into itself", 0);
        p = t->pipeline;
        p.buffers[b].rows /= 2;
        p.buffers[b].copied /= 2;
        expect_broken(t, &p, "half a tile lands", 0);
    }
}

static void changes_are_found(void **unused)
{
    enum { SOFTWARE, ASYNC, FETCHES, LANDS, ALL_LAND, FORMS };
    (void)unused;
    for (int stages = 1; stages <= 5; stages++) {
        struct test t;
        begin(&t);
        if (!lower(&t, stages))
            gpu_source_fail(&t.source, "it is refused");
        for (int form = SOFTWARE; form < (stages == 1 ? ASYNC : stages == 2 ? LANDS : FORMS); form++) {
            if (form >= LANDS)
                let_land(&t.pipeline, form - LANDS);
            gpu_pipeline_schedule(&t.pipeline, stages,
                                  form == SOFTWARE ? GPU_MECHANISM_SOFTWARE : GPU_MECHANISM_ASYNC,
                                  form == FETCHES || form == ALL_LAND, &t.source.arena);
            if (!is_proved(&t, &t.pipeline))
                gpu_source_fail(&t.source, "not proved");
            break_order(&t);
            break_slots(&t);
            break_end(&t);
            break_the_rest(&t);
            break_landing(&t);
        }
        arena_free(&t.source.arena);
    }
}

/* Products that go on: the same changes, and a wait that lets one group more go on. */
static void changes_around_started_products_are_found(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2 * 6; i++) {
        int stages = 1 + i / 2;
        enum gpu_mechanism mechanism = i % 2 ? GPU_MECHANISM_ASYNC : GPU_MECHANISM_SOFTWARE;
        struct test t;
        begin(&t);
        if (!lower(&t, stages))
            gpu_source_fail(&t.source, "it is refused");
        t.pipeline.starts = true;
        gpu_pipeline_schedule(&t.pipeline, stages, mechanism, false, &t.source.arena);
        if (!is_proved(&t, &t.pipeline))
            gpu_source_fail(&t.source, "not proved");
        break_order(&t);
        break_slots(&t);
        break_end(&t);
        break_the_rest(&t);
        for (int k = 0; k < t.pipeline.phase_count; k++) {
            struct gpu_pipeline p = t.pipeline;
            p.phases[k].in_flight++;
            if (p.phases[k].kind == GPU_PHASE_WAIT ||
                (p.guarded && p.phases[k].kind == GPU_PHASE_BARRIER && publishes(&p.phases[k])))
                expect_broken(&t, &p, "waits for too little", k);
        }
        arena_free(&t.source.arena);
    }
}

/* Asynchronous copies: a barrier that does not wait for the one that it publishes. */
static void waiting_for_too_little_is_found(void **unused)
{
    (void)unused;
    struct test t;
    begin(&t);
    assert_non_null(lower(&t, 4));
    gpu_pipeline_schedule(&t.pipeline, 4, GPU_MECHANISM_ASYNC, false, &t.source.arena);
    for (int i = 0; i < t.pipeline.phase_count; i++) {
        struct gpu_pipeline p = t.pipeline;
        bool publishes = p.phases[i].kind == GPU_PHASE_BARRIER && p.phases[i].publishes[0];
        p.phases[i].in_flight++;
        if (publishes)
            expect_broken(&t, &p, "waits for too little", i);
    }
    arena_free(&t.source.arena);
}

/* A barrier waits for no copy that is not needed yet: the youngest go on, of what lands one less.
 */
static void later_copies_go_on(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2 * 4; i++) {
        int stages = 2 + i / 2, lands = i % 2;
        struct test t;
        begin(&t);
        assert_non_null(lower(&t, stages));
        if (lands && stages >= GPU_LANDING_STAGES)
            let_land(&t.pipeline, 0);
        lands = lands && stages >= GPU_LANDING_STAGES;
        gpu_pipeline_schedule(&t.pipeline, stages, GPU_MECHANISM_ASYNC, false, &t.source.arena);
        for (int k = 0; k < t.pipeline.phase_count; k++) {
            const struct gpu_phase *phase = &t.pipeline.phases[k];
            if (phase->kind == GPU_PHASE_BARRIER && phase->region == GPU_STEADY)
                assert_int_equal(phase->in_flight, stages - 2 - lands);
        }
        arena_free(&t.source.arena);
    }
}

/* ---- and msl-host ---------------------------------------------------------------------------- */

struct run {
    float a[SIDE * MOST_K], b[MOST_K * SIDE], c[SIDE * SIDE];
    int32_t m, n, k;
};

static bool run_text(struct test *t, const struct text *text, int threads, struct run *run)
{
    struct msl_host_buffer buffers[] = {{run->a, sizeof run->a},
                                        {run->b, sizeof run->b},
                                        {run->c, sizeof run->c},
                                        {&run->m, 4},
                                        {&run->n, 4},
                                        {&run->k, 4}};
    struct msl_host_launch launch = {.groups = {(M + 15) / 16, (N + 15) / 16, 1},
                                     .threads = {(uint32_t)threads, 1, 1},
                                     .buffers = buffers,
                                     .buffer_count = 6,
                                     .order = 3};
    struct diagnostics *diagnostics = &t->source.diagnostics;
    diagnostics->count = diagnostics->error_count = 0;
    struct msl_host_program *program =
        msl_host_compile(text->items, text->count, true, NULL, diagnostics);
    if (!program)
        gpu_source_fail(&t->source, "the text does not compile");
    bool ran = msl_host_run(program, &launch, diagnostics);
    msl_host_free(program);
    return ran;
}

static bool run_changed(int stages, struct change change, struct run *run, char *message,
                        size_t size)
{
    struct test t;
    struct text text;
    begin(&t);
    t.change = change;
    t.unverified = true;
    text_init(&text, &t.source.arena);
    struct gpu_kernel *gpu = lower(&t, stages);
    if (!gpu || !emit_kernel(gpu, &emit_msl, &text, &t.source.diagnostics))
        gpu_source_fail(&t.source, "it does not compile");
    bool ran = run_text(&t, &text, gpu->threads, run);
    snprintf(message, size, "%s", ran ? "" : t.source.diagnostics.items[0].message);
    arena_free(&t.source.arena);
    return ran;
}

static void expect_fault(int stages, struct change change, struct run *run, const char *name)
{
    char message[400];
    bool ran = run_changed(stages, change, run, message, sizeof message);
    if (ran || (!strstr(message, "a race") && !strstr(message, "no thread has written")))
        fail_msg("%d stages, change %d of phase %s: '%s'", stages, change.kind, name, message);
}

/* What orders a pair of accesses, taken away or made to order another pair. */
static void check_changes(int stages, const struct gpu_pipeline *right, struct run *run)
{
    for (int i = 0; i < right->phase_count; i++) {
        const struct gpu_phase *phase = &right->phases[i];
        int other = phase->kind == GPU_PHASE_COMPUTE ? stages - 1 : phase->ahead ? 0 : 1;
        if (phase->kind == GPU_PHASE_BARRIER)
            expect_fault(stages, (struct change){DROP, i, 0}, run, phase->name);
        /* In front of the products; with more stages those then read another trip's slot, which is
         * published, so that no pair of accesses conflicts. */
        if (phase->kind == GPU_PHASE_ROTATE && stages == 2)
            expect_fault(stages, (struct change){MOVE, i, i - 2}, run, phase->name);
        if (is_access(phase) && stages > 1 && phase->region != GPU_DRAIN)
            expect_fault(stages, (struct change){SWAP, i, other}, run, phase->name);
    }
}

static void fill(struct run *run, int m, int n, int k)
{
    *run = (struct run){.m = m, .n = n, .k = k};
    for (int i = 0; i < m * k; i++)
        run->a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < k * n; i++)
        run->b[i] = (float)(i % 11 - 5);
}

static bool is_right(const struct run *run)
{
    for (int i = 0; i < run->m * run->n; i++) {
        float sum = 0;
        for (int k = 0; k < run->k; k++)
            sum += 2 * run->a[i / run->n * run->k + k] * run->b[k * run->n + i % run->n];
        if (run->c[i] != sum)
            return false;
    }
    return true;
}

static void unproved_changes_fault(void **unused)
{
    (void)unused;
    if (!msl_host_available())
        SKIP(SKIP_WITHOUT_CLANG);
    struct run *run = malloc(sizeof *run);
    for (int stages = 1; stages <= 3; stages++) {
        struct test t;
        char message[400];
        begin(&t);
        assert_non_null(lower(&t, stages));
        fill(run, M, N, K);
        if (!run_changed(stages, (struct change){NOTHING, 0, 0}, run, message, sizeof message))
            fail_msg("%s", message);
        assert_true(is_right(run));
        check_changes(stages, &t.pipeline, run);
        arena_free(&t.source.arena);
    }
    free(run);
}

/* ---- and the machine, for asynchronous copies ------------------------------------------------ */

/* Empty: it ran and the result is right. */
static void run_on_machine(int stages, enum way way, bool async, struct change change,
                           struct run *run, char *message, size_t size)
{
    static _Alignas(16) uint16_t halves[2][SIDE * MOST_K];
    struct test t;
    struct machine machine;
    begin(&t);
    t.change = change;
    t.unverified = true;
    t.async = async;
    t.way = way;
    struct gpu_kernel *gpu = lower(&t, stages);
    if (!gpu)
        gpu_source_fail(&t.source, "it is refused");
    assert_int_equal(t.pipeline.mechanism, async ? GPU_MECHANISM_ASYNC : GPU_MECHANISM_SOFTWARE);
    assert_int_equal(t.pipeline.starts, way == STARTED);
    struct machine_argument arguments[] = {{.data = run->a, .bytes = sizeof run->a},
                                           {.data = run->b, .bytes = sizeof run->b},
                                           {.data = run->c, .bytes = sizeof run->c},
                                           {.bits = (uint64_t)run->m},
                                           {.bits = (uint64_t)run->n},
                                           {.bits = (uint64_t)run->k}};
    for (int i = 0; way == STARTED && i < 2; i++) {
        for (int k = 0; k < SIDE * run->k; k++)
            halves[i][k] = half_from_double(i ? run->b[k] : run->a[k]);
        arguments[i] = (struct machine_argument){.data = halves[i], .bytes = sizeof halves[i]};
    }
    const int64_t grid[] = {way != COPIED ? 1 : (M + 15) / 16, way != COPIED ? 1 : (N + 15) / 16,
                            1};
    memset(run->c, 0x7f, sizeof run->c);
    const char *fault = machine_run(&machine, gpu, arguments, grid);
    snprintf(message, size, "%s", fault ? fault : is_right(run) ? "" : "wrong");
    arena_free(&t.source.arena);
}

static void expect_trouble(int stages, enum way way, struct change change, struct run *run,
                           const char *name)
{
    char message[256];
    run_on_machine(stages, way, true, change, run, message, sizeof message);
    if (!message[0])
        fail_msg("%d stages, change %d of phase %s: nothing happens", stages, change.kind, name);
}

static void check_on_machine(int stages, enum way way, struct run *run)
{
    struct test t;
    char message[256];
    begin(&t);
    t.async = true;
    t.way = way;
    assert_non_null(lower(&t, stages));
    assert_int_equal(t.pipeline.buffer_count, way == TURNED ? 3 : 2);
    run_on_machine(stages, way, true, (struct change){NOTHING, 0, 0}, run, message, sizeof message);
    if (message[0])
        fail_msg("%d stages: %s", stages, message);
    for (int i = 0; i < t.pipeline.phase_count; i++) {
        const struct gpu_phase *phase = &t.pipeline.phases[i];
        bool copies = phase->kind == GPU_PHASE_COPY, turn = phase->kind == GPU_PHASE_TURN;
        bool fetches = phase->kind == GPU_PHASE_FETCH, waits = phase->kind == GPU_PHASE_WAIT;
        bool last =
            waits && phase->region == GPU_DRAIN; /* without it sums are refused, not wrong */
        int other = turn ? 1 - phase->ahead : !copies ? stages - 1 : phase->ahead ? 0 : 1;
        if ((phase->kind == GPU_PHASE_BARRIER && phase->region != GPU_DRAIN) ||
            (waits && phase->in_flight > 0))
            expect_trouble(stages, way, (struct change){DROP, i, 0}, run, phase->name);
        if ((phase->kind == GPU_PHASE_BARRIER && publishes(phase)) ||
            (waits && !last && phase->in_flight > 0))
            expect_trouble(stages, way, (struct change){HURRY, i, 0}, run, phase->name);
        /* Here all of a trip is fetched, so that a compute reads nothing itself. */
        if ((copies || fetches || turn || (way == STARTED && phase->kind == GPU_PHASE_COMPUTE)) &&
            phase->region == GPU_STEADY)
            expect_trouble(stages, way, (struct change){SWAP, i, other}, run, phase->name);
    }
    arena_free(&t.source.arena);
}

static void unproved_async_changes_are_wrong(void **unused)
{
    struct run *run = malloc(sizeof *run);
    (void)unused;
    for (int stages = 2; stages <= 4; stages++) { /* as many trips: what is read last is written first again */
        fill(run, M, N, 8 * (stages + 1));
        check_on_machine(stages, COPIED, run);
        fill(run, SIDE, SIDE, 8 * (stages + 1));
        if (stages >= GPU_LANDING_STAGES)
            check_on_machine(stages, TURNED, run);
        fill(run, SIDE, SIDE, 32 * (stages + 2));
        check_on_machine(stages, STARTED, run);
    }
    free(run);
}

/* One change of one phase, any of all there are. If it is proved it is carried out: the machine
 * finds nothing, and the result is right. Whether it was proved. */
static bool check_change(uint64_t seed, struct run *run)
{
    static const struct {
        enum way way;
        bool async;
        int least, step, m, n; /* stages; of k */
    } forms[] = {{COPIED, false, 1, 8, M, N},
                 {COPIED, true, 2, 8, M, N},
                 {TURNED, true, GPU_LANDING_STAGES, 8, SIDE, SIDE},
                 {STARTED, true, 2, 32, SIDE, SIDE}};
    const int f = (int)(seed % 4), stages = forms[f].least + (int)(seed / 4 % 2);
    const int trips[] = {1, 2, stages + 2};
    struct test t;
    begin(&t);
    t.async = forms[f].async;
    t.way = forms[f].way;
    assert_non_null(lower(&t, stages));
    struct gpu_pipeline p = t.pipeline;
    uint64_t drawn = (seed / 8 + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    struct change change = {ANY, (int)(drawn % (uint64_t)p.phase_count), 0};
    change.to = (int)(drawn / (uint64_t)p.phase_count % (uint64_t)changes_of(&p));
    bool proved = change_anything(&p, change.phase, change.to) && is_proved(&t, &p);
    for (int k = 0; k < 3 && proved; k++) {
        char message[256];
        fill(run, forms[f].m, forms[f].n, forms[f].step * trips[k]);
        run_on_machine(stages, t.way, t.async, change, run, message, sizeof message);
        if (message[0])
            fail_msg("seed %llu: %d stages, change %d of phase %s is proved: %s",
                     (unsigned long long)seed, stages, change.to,
                     t.pipeline.phases[change.phase].name, message);
    }
    arena_free(&t.source.arena);
    return proved;
}

static void what_is_proved_is_right(void **unused)
{
    struct run *run = malloc(sizeof *run);
    struct seeds seeds = seeds_of("GPU_PROVED", 300);
    uint64_t seed, proved = 0, drawn = 0;
    (void)unused;
    for (; seeds_take(&seeds, 1, &seed); drawn++)
        proved += check_change(seed, run);
    assert_true(drawn < 100 || proved > drawn / 20); /* or this would test nothing */
    free(run);
}

/* Where products begin with what was fetched, the last of a trip are made with the next fetch: it
 * must be there once a trip, and once in front of the loop. */
static void fetches_are_one_for_a_trip(void **unused)
{
    (void)unused;
    for (int stages = 2; stages <= 4; stages++) {
        struct test t;
        begin(&t);
        assert_non_null(lower(&t, stages));
        gpu_pipeline_schedule(&t.pipeline, stages, GPU_MECHANISM_ASYNC, true, &t.source.arena);
        for (int i = 0; i < t.pipeline.phase_count; i++) {
            struct gpu_pipeline p = t.pipeline;
            struct gpu_phase fetch = p.phases[i];
            if (fetch.kind != GPU_PHASE_FETCH)
                continue;
            put_in(&p, i, fetch);
            expect_broken(&t, &p, "fetched twice", i);
            p = t.pipeline;
            take_out(&p, i);
            fetch.region = GPU_STEADY;
            fetch.ahead = 0;
            put_in(&p, 0, fetch);
            expect_broken(&t, &p, "fetched in the trip itself", i);
        }
        arena_free(&t.source.arena);
    }
}

/* ---- requirements ---------------------------------------------------------------------------- */

static void expect_refusal(const char *text, const char *require, const char *message,
                           const char *hint)
{
    struct test t;
    struct gpu_choices choices = {.requirements = {require}};
    begin(&t);
    struct ir_kernel *made = gpu_source_lower(&t.source, text, NULL, &choices);
    if (!made)
        gpu_source_fail(&t.source, "the front end refuses");
    assert_null(gpu_lower(made, NULL, NULL, &t.source.arena, &t.source.diagnostics));
    const struct diagnostic *d = &t.source.diagnostics.items[0];
    if (!strstr(d->message, message) || !d->hint || !strstr(d->hint, hint))
        fail_msg("%s: '%s', '%s'", require, d->message, d->hint ? d->hint : "");
    arena_free(&t.source.arena);
}

/* A loop with a store in it; a product that no instruction makes; no loop; too many stages. */
static void what_cannot_be_pipelined_is_refused(void **unused)
{
    (void)unused;
#define START                                                                                      \
    "#include <tilec/kernel.h>\nlaunch_grid(f, 1);\n"                                              \
    "kernel void f(const float *restrict A, float *restrict C, int K)\n{\n"                        \
    "    int r = arange(0, 64);\n"                                                                 \
    "    auto at = expand_dims(r, 1) * 64 + expand_dims(r, 0);\n"                                  \
    "    float acc = zeros(float, 64, 64);\n"
    static const char stores[] = START "    for (int k = 0; k < K; k++) {\n"
                                       "        float x = load(A + at + k);\n"
                                       "        acc = dot(x, x, acc);\n"
                                       "        store(C + at, x);\n    }\n"
                                       "    store(C + at, acc);\n}\n";
    static const char no_loop[] = START "    float x = load(A + at);\n"
                                        "    store(C + at, dot(x, x, acc));\n}\n";
    static const char no_dot[] = START "    store(C + at, acc);\n}\n";
    static const char loop[] = START "    for (int k = 0; k < K; k++) {\n"
                                     "        float x = load(A + at + k);\n"
                                     "        acc = dot(x, trans(x), acc);\n    }\n"
                                     "    store(C + at, acc);\n}\n";
    static const char product[] = "'buffering = 2'";
    expect_refusal(stores, "buffering=2", product, "does more than load");
    expect_refusal(no_loop, "buffering=2", product, "no loop around the product");
    expect_refusal(no_dot, "buffering=2", product, "no dot");
    expect_refusal(no_dot, "backend=simdgroup", "'backend = simdgroup'", "no dot");
    expect_refusal(no_loop, "staging=threadgroup", "'staging = threadgroup'", "no loop");
    expect_refusal(loop, "buffering=8", "'buffering = 8'", "bytes of threadgroup memory");
    expect_refusal(loop, "backend=mma", "'backend = mma'", "no such instructions");
    expect_refusal(loop, "split_k=3", "'split_k = 3'", "a power of two");
    expect_refusal(no_loop, "split_k=2", "'split_k = 2'", "no loop");
    expect_refusal(loop, "swizzle=hilbert", "'swizzle = hilbert'", "one axis");
}

/* One piece of each of eight rows that follow each other: eight of the 128 bytes that banks serve at once. */
static void swizzled_rows_lie_in_different_banks(void **unused)
{
    (void)unused;
    for (int bytes = 16; bytes <= 1024; bytes *= 2) {
        struct gpu_buffer buffer = {.elem = IR_F16, .columns = bytes / 2, .rows = 16};
        struct gpu_swizzling s = gpu_buffer_swizzle(&buffer);
        assert_int_equal(s.piece, 8);
        for (int piece = 0; piece < bytes / 16; piece++) {
            unsigned seen = 0;
            for (int row = 8; row < 16; row++) {
                int place = piece ^ (row >> s.shift & s.mask);
                assert_true(place < bytes / 16);
                seen |= 1u << (row * bytes / 16 + place) % 8;
            }
            assert_int_equal(seen, 255);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swizzled_rows_lie_in_different_banks),
        cmocka_unit_test(changes_are_found),
        cmocka_unit_test(changes_around_started_products_are_found),
        cmocka_unit_test(waiting_for_too_little_is_found),
        cmocka_unit_test(later_copies_go_on),
        cmocka_unit_test(unproved_changes_fault),
        cmocka_unit_test(unproved_async_changes_are_wrong),
        cmocka_unit_test(what_is_proved_is_right),
        cmocka_unit_test(fetches_are_one_for_a_trip),
        cmocka_unit_test(what_cannot_be_pipelined_is_refused),
    };
    return RUN_TESTS(tests, NULL, NULL);
}
