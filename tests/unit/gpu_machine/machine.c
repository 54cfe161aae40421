/*
 * The programs of a grid, one after the other, and control flow: a mask says which threads are
 * there.
 */
#include "internal.h"

static bool machine_all(const struct machine *m, const bool *active)
{
    for (int t = 0; t < m->threads; t++) {
        if (!active[t])
            return false;
    }
    return true;
}

static void machine_region(struct machine *m, const struct ir_region *region, const bool *active);

static void machine_copy(struct machine *m, struct ir_value *const *from,
                         struct ir_value *const *to, int count, const bool *active)
{
    uint64_t **saved = malloc((size_t)(count + 1) * sizeof *saved);
    for (int i = 0; i < count; i++) { /* all read before one is written */
        size_t bytes = (size_t)m->threads * (size_t)machine_slot(m, from[i])->width * 8;
        saved[i] = malloc(bytes);
        memcpy(saved[i], machine_slot(m, from[i])->bits, bytes);
    }
    for (int i = 0; i < count; i++) {
        int width = machine_slot(m, to[i])->width;
        for (int t = 0; t < m->threads; t++) {
            for (int k = 0; active[t] && k < width; k++)
                machine_bits(m, to[i], t)[k] = saved[i][t * width + k];
        }
        free(saved[i]);
    }
    free(saved);
}

static void machine_if(struct machine *m, const struct ir_op *op, const bool *active)
{
    bool *branch = malloc((size_t)m->threads);
    for (int r = 0; r < 2; r++) {
        bool any = false;
        for (int t = 0; t < m->threads; t++) {
            branch[t] = active[t] && (*machine_bits(m, op->operands[0], t) != 0) == (r == 0);
            any = any || branch[t];
        }
        if (!any)
            continue;
        machine_region(m, op->regions[r], branch);
        machine_copy(m, op->regions[r]->last->operands, op->results, op->result_count, branch);
    }
    free(branch);
}

static void machine_for(struct machine *m, const struct ir_op *op, const bool *active)
{
    const struct ir_region *body = op->regions[0];
    bool *going = malloc((size_t)m->threads);
    uint64_t *trip = calloc((size_t)m->threads, sizeof *trip);
    machine_copy(m, op->operands + 3, op->results, op->result_count, active);
    for (;;) {
        bool any = false;
        for (int t = 0; t < m->threads; t++) {
            int64_t lo = (int64_t)*machine_bits(m, op->operands[0], t);
            int64_t hi = (int64_t)*machine_bits(m, op->operands[1], t);
            int64_t step = (int64_t)*machine_bits(m, op->operands[2], t);
            uint64_t trips =
                step <= 0 || lo >= hi ? 0 : ((uint64_t)hi - (uint64_t)lo - 1) / (uint64_t)step + 1;
            going[t] = active[t] && trip[t] < trips;
            if (going[t])
                *machine_bits(m, body->arguments[0], t) = (uint64_t)lo + trip[t]++ * (uint64_t)step;
            any = any || going[t];
        }
        if (!any || m->fault[0])
            break;
        machine_copy(m, op->results, body->arguments + 1, op->result_count, going);
        machine_region(m, body, going);
        machine_copy(m, body->last->operands, op->results, op->result_count, going);
    }
    free(going);
    free(trip);
}

static void machine_while(struct machine *m, const struct ir_op *op, const bool *active)
{
    bool *going = malloc((size_t)m->threads);
    memcpy(going, active, (size_t)m->threads);
    machine_copy(m, op->operands, op->regions[0]->arguments, op->operand_count, active);
    for (;;) {
        const struct ir_op *end = op->regions[0]->last;
        bool any = false;
        machine_region(m, op->regions[0], going);
        machine_copy(m, end->operands + 1, op->results, op->result_count, going);
        for (int t = 0; t < m->threads; t++) {
            going[t] = going[t] && *machine_bits(m, end->operands[0], t);
            any = any || going[t];
        }
        if (!any || m->fault[0])
            break;
        machine_copy(m, op->results, op->regions[1]->arguments, op->result_count, going);
        machine_region(m, op->regions[1], going);
        machine_copy(m, op->regions[1]->last->operands, op->regions[0]->arguments, op->result_count,
                     going);
    }
    free(going);
}

static void machine_shared(struct machine *m, const struct ir_op *op)
{
    int blocks = m->kernel->blocks, each = m->threads / blocks;
    int64_t bytes = machine_shared_bytes(op);
    size_t all = (size_t)(bytes * blocks);
    char *memory =
        op->attributes.aligned ? aligned_alloc(1024, (all + 1023) / 1024 * 1024) : malloc(all);
    memset(memory, 0xa5, (size_t)(bytes * blocks));
    machine_add_area(m, memory, bytes * blocks, true);
    for (int t = 0; t < m->threads; t++)
        *machine_bits(m, op->results[0], t) = (uintptr_t)memory + (size_t)(t / each * bytes);
}

static void machine_op(struct machine *m, const struct ir_op *op, const bool *active)
{
    int code = (int)op->code;
    bool fragment = code >= GPU_OP_FRAGMENT_LOAD && code <= GPU_OP_FRAGMENT_MMA;
    bool cluster = code >= GPU_OP_CLUSTER_EXPECT && code <= GPU_OP_CLUSTER_WAIT;
    bool team = code >= GPU_OP_WARPGROUP_BEGIN && code <= GPU_OP_WARPGROUP_WAIT;
    bool collective = code == GPU_OP_BARRIER || fragment || cluster || team ||
                      (code >= GPU_OP_SHUFFLE && code <= GPU_OP_GROUP_OR);
    m->steps++;
    if (collective && !machine_all(m, active)) {
        machine_fault(m, op, "not all threads come here");
        return;
    }
    if (op->code == IR_OP_IF) {
        machine_if(m, op, active);
    } else if (op->code == IR_OP_FOR) {
        machine_for(m, op, active);
    } else if (op->code == IR_OP_WHILE) {
        machine_while(m, op, active);
    } else if (code == GPU_OP_SHARED) {
        machine_shared(m, op);
    } else if (code == GPU_OP_BARRIER) {
        m->shared_epoch++;
        m->device_epoch += op->attributes.scope == IR_SCOPE_DEVICE;
    } else if (fragment) {
        machine_fragment(m, op);
    } else if (cluster) {
        machine_cluster(m, op);
    } else if (team) {
        machine_team(m, op);
    } else if (code >= GPU_OP_SHUFFLE && code <= GPU_OP_SHUFFLE_UP) {
        machine_shuffle(m, op);
    } else if (collective) {
        machine_group(m, op);
    } else {
        for (int t = 0; t < m->threads; t++) {
            if (active[t])
                machine_thread_op(m, op, t);
        }
    }
}

static void machine_region(struct machine *m, const struct ir_region *region, const bool *active)
{
    for (const struct ir_op *op = region->first; op && !m->fault[0]; op = op->next) {
        if (!ir_has(op, IR_TERMINATOR))
            machine_op(m, op, active);
    }
}

static void machine_free_value(struct ir_value *value)
{
    struct machine_value *slot = value->data;
    if (slot)
        free(slot->bits);
    free(slot);
    value->data = NULL;
}

static bool machine_free(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->result_count; i++)
        machine_free_value(op->results[i]);
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->argument_count; i++)
            machine_free_value(op->regions[r]->arguments[i]);
    }
    return true;
}

static void machine_program(struct machine *m, const struct machine_argument *arguments)
{
    const struct ir_func *func = m->kernel->func;
    bool *active = malloc((size_t)m->threads);
    int devices = m->area_count;
    memset(active, 1, (size_t)m->threads);
    m->groups = calloc((size_t)m->threads, sizeof *m->groups);
    m->fences = calloc((size_t)m->threads, sizeof *m->fences);
    m->product_groups = calloc((size_t)m->threads, sizeof *m->product_groups);
    for (int i = 0; i < func->parameter_count; i++) {
        for (int t = 0; t < m->threads; t++)
            *machine_bits(m, func->body->arguments[i], t) =
                func->parameters[i].type.pointer ? (uintptr_t)arguments[i].data : arguments[i].bits;
    }
    machine_region(m, func->body, active);
    if (m->pending_count > 0 && !m->fault[0])
        machine_fault(m, m->pending[0].op, "nobody waits for it");
    free(m->pending);
    m->pending = NULL;
    m->pending_count = m->pending_capacity = 0;
    if (m->product_count > 0 && !m->fault[0])
        machine_fault(m, m->products[0].op, "nobody waits for it");
    free(m->products);
    m->products = NULL;
    m->product_count = m->product_capacity = 0;
    free(m->groups);
    free(m->fences);
    free(m->product_groups);
    m->fences = NULL;
    while (m->area_count > devices) {
        free(m->areas[m->area_count - 1].begin);
        free(m->areas[--m->area_count].cells);
    }
    m->shared_epoch++;
    m->device_epoch++;
    free(active);
}

const char *machine_run_reading(struct machine *m, const struct gpu_kernel *kernel,
                                const struct machine_argument *arguments, const int64_t *grid,
                                machine_reader *on_read, void *user)
{
    const struct ir_func *func = kernel->func;
    *m = (struct machine){
        .kernel = kernel, .threads = kernel->threads, .on_read = on_read, .user = user};
    ir_clear_data(func->body);
    for (int i = 0; i < func->parameter_count; i++) {
        func->body->arguments[i]->data = NULL;
        if (func->parameters[i].type.pointer)
            machine_add_area(m, arguments[i].data, arguments[i].bytes, false);
    }
    memcpy(m->grid, grid, sizeof m->grid);
    for (int64_t z = 0; z < grid[2]; z++) {
        for (int64_t y = 0; y < grid[1]; y++) {
            for (int64_t x = 0; x < grid[0] && !m->fault[0]; x++) {
                int64_t place[] = {x, y, z};
                memcpy(m->program, place, sizeof place);
                machine_program(m, arguments);
            }
        }
    }
    ir_walk(func->body, machine_free, NULL);
    for (int i = 0; i < func->parameter_count; i++)
        machine_free_value(func->body->arguments[i]);
    while (m->area_count > 0)
        free(m->areas[--m->area_count].cells);
    return m->fault[0] ? m->fault : NULL;
}

const char *machine_run(struct machine *m, const struct gpu_kernel *kernel,
                        const struct machine_argument *arguments, const int64_t *grid)
{
    return machine_run_reading(m, kernel, arguments, grid, NULL, NULL);
}
