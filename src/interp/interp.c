/*
 * Running: dispatch, control, checks, and the entry points.
 *
 * A block is run step by step; a step finds its function through a table. Values that a region
 * yields go into the slots of the op's results, and from there into the region's arguments for the
 * next round, so that a loop which swaps its values works.
 */
#include "interp/machine.h"

#include "ir/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void run_for(struct machine *m, const struct step *step);
static void run_if(struct machine *m, const struct step *step);
static void run_while(struct machine *m, const struct step *step);
static void run_return(struct machine *m, const struct step *step);
static void run_assert(struct machine *m, const struct step *step);
static void run_print(struct machine *m, const struct step *step);

static void run_program_id(struct machine *m, const struct step *step)
{
    step->results[0]->bits[0] = (uint64_t)m->program[step->op->attributes.axis];
    step->results[0]->inexact = false;
}

static void run_num_programs(struct machine *m, const struct step *step)
{
    step->results[0]->bits[0] = (uint64_t)m->options->grid[step->op->attributes.axis];
    step->results[0]->inexact = false;
}

/* yield and condition: whoever holds the block takes the values. */
static void run_nothing(struct machine *m, const struct step *step)
{
    (void)m;
    (void)step;
}

static void run_elementwise(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const uint64_t *operands[3] = {0};
    for (int i = 0; i < step->op->operand_count; i++)
        operands[i] = step->operands[i]->bits;
    unsigned faults = 0;
    ir_eval_elements(step->op->code, step->operands[0]->elem, result->elem, (size_t)result->count,
                     operands, result->bits, &faults);
    if (faults)
        report_eval_faults(m, faults);
    if (m->bounds)
        bound_elementwise(step);
}

/* Those that are not here are elementwise. */
static void (*const runners[IR_OP_COUNT])(struct machine *m, const struct step *step) = {
    [IR_OP_CONSTANT] = shape_constant,
    [IR_OP_PROGRAM_ID] = run_program_id,
    [IR_OP_NUM_PROGRAMS] = run_num_programs,
    [IR_OP_ARANGE] = shape_arange,
    [IR_OP_BROADCAST] = shape_move,
    [IR_OP_RESHAPE] = shape_copy,
    [IR_OP_TRANS] = shape_move,
    [IR_OP_JOIN] = shape_join,
    [IR_OP_SPLIT] = shape_split,
    [IR_OP_GATHER] = shape_gather,
    [IR_OP_CONVERT_LAYOUT] = shape_copy,
    [IR_OP_LOOKUP] = shape_lookup,
    [IR_OP_ADDPTR] = memory_addptr,
    [IR_OP_LOAD] = memory_load,
    [IR_OP_STORE] = memory_store,
    [IR_OP_ATOMIC_ADD] = memory_atomic,
    [IR_OP_ATOMIC_MAX] = memory_atomic,
    [IR_OP_ATOMIC_MIN] = memory_atomic,
    [IR_OP_ATOMIC_AND] = memory_atomic,
    [IR_OP_ATOMIC_OR] = memory_atomic,
    [IR_OP_ATOMIC_XOR] = memory_atomic,
    [IR_OP_ATOMIC_XCHG] = memory_atomic,
    [IR_OP_ATOMIC_CAS] = memory_atomic,
    [IR_OP_VIEW_LOAD] = memory_view_load,
    [IR_OP_VIEW_STORE] = memory_view_store,
    [IR_OP_SUM] = collective_reduce,
    [IR_OP_PROD] = collective_reduce,
    [IR_OP_MAX] = collective_reduce,
    [IR_OP_MIN] = collective_reduce,
    [IR_OP_ARGMAX] = collective_argmax,
    [IR_OP_ARGMIN] = collective_argmax,
    [IR_OP_ANY] = collective_reduce,
    [IR_OP_ALL] = collective_reduce,
    [IR_OP_CUMSUM] = collective_cumulate,
    [IR_OP_CUMMAX] = collective_cumulate,
    [IR_OP_CUMMIN] = collective_cumulate,
    [IR_OP_CUMPROD] = collective_cumulate,
    [IR_OP_SCAN] = collective_scan,
    [IR_OP_DOT] = collective_dot,
    [IR_OP_FOR] = run_for,
    [IR_OP_IF] = run_if,
    [IR_OP_WHILE] = run_while,
    [IR_OP_YIELD] = run_nothing,
    [IR_OP_CONDITION] = run_nothing,
    [IR_OP_RETURN] = run_return,
    [IR_OP_ASSERT] = run_assert,
    [IR_OP_PRINT] = run_print,
};

void run_block(struct machine *m, const struct block *block)
{
    const struct step *step = block->steps, *end = step + block->step_count;
    for (; step < end && !m->stopped; step++) {
        m->step = step;
        if (m->steps_left-- <= 0) {
            m->stopped = true;
            struct report *report = report_begin(m, FAULT_LIMIT);
            if (report)
                report_words(m, report, NULL, 0, "the limit of %" PRId64 " operations was reached",
                             m->options->step_limit);
            return;
        }
        if (runners[step->op->code])
            runners[step->op->code](m, step);
        else
            run_elementwise(m, step);
    }
}

/* ---- control -------------------------------------------------------------------------------- */

static void copy_all(struct slot *const *to, struct slot *const *from, int count)
{
    for (int i = 0; i < count; i++)
        slot_copy(to[i], from[i]);
}

/* What the block's terminator holds; a condition's first operand is not among them. */
static struct slot *const *yielded(const struct block *block)
{
    const struct step *last = &block->steps[block->step_count - 1];
    return last->operands + (last->op->code == IR_OP_CONDITION ? 1 : 0);
}

/* What is uncertain decides what is done: then nothing that is stored is certain. */
static void steer(struct machine *m, const struct slot *slot)
{
    m->lost |= slot->inexact;
}

static uint64_t trip_count(struct machine *m, const struct step *step)
{
    int64_t low = (int64_t)step->operands[0]->bits[0];
    int64_t high = (int64_t)step->operands[1]->bits[0];
    int64_t by = (int64_t)step->operands[2]->bits[0];
    for (int i = 0; i < 3; i++)
        steer(m, step->operands[i]);
    if (by <= 0) {
        struct report *report = report_begin(m, FAULT_STEP);
        if (report)
            report_words(m, report, NULL, 0,
                         "the step of a loop must be positive, this is %" PRId64, by);
        return 0;
    }
    return low < high ? ((uint64_t)high - (uint64_t)low - 1) / (uint64_t)by + 1 : 0;
}

static void run_for(struct machine *m, const struct step *step)
{
    const struct block *body = &step->blocks[0];
    struct slot *counter = body->arguments[0];
    int carried = step->op->result_count;
    uint64_t trips = trip_count(m, step);
    uint64_t value = step->operands[0]->bits[0], by = step->operands[2]->bits[0];
    copy_all(step->results, step->operands + 3, carried);
    for (uint64_t trip = 0; trip < trips && !m->stopped; trip++, value += by) {
        copy_all(body->arguments + 1, step->results, carried);
        counter->bits[0] = value;
        counter->inexact = false;
        run_block(m, body);
        if (!m->stopped)
            copy_all(step->results, yielded(body), carried);
    }
}

static void run_if(struct machine *m, const struct step *step)
{
    const struct slot *condition = step->operands[0];
    steer(m, condition);
    const struct block *taken = &step->blocks[condition->bits[0] ? 0 : 1];
    run_block(m, taken);
    if (!m->stopped)
        copy_all(step->results, yielded(taken), step->op->result_count);
}

static void run_while(struct machine *m, const struct step *step)
{
    const struct block *test = &step->blocks[0], *body = &step->blocks[1];
    int carried = step->op->result_count;
    copy_all(step->results, step->operands, carried);
    while (!m->stopped) {
        copy_all(test->arguments, step->results, carried);
        run_block(m, test);
        if (m->stopped)
            return;
        const struct slot *go_on = test->steps[test->step_count - 1].operands[0];
        steer(m, go_on);
        bool more = go_on->bits[0] != 0;
        copy_all(step->results, yielded(test), carried);
        if (!more)
            return;
        copy_all(body->arguments, step->results, carried);
        run_block(m, body);
        if (!m->stopped)
            copy_all(step->results, yielded(body), carried);
    }
}

static void run_return(struct machine *m, const struct step *step)
{
    for (int i = 0; m->results && i < step->op->operand_count; i++)
        m->results[i] = step->operands[i]->bits[0];
}

/* ---- assert, print -------------------------------------------------------------------------- */

static void run_assert(struct machine *m, const struct step *step)
{
    const struct slot *condition = step->operands[0];
    for (int64_t i = 0; i < condition->count; i++) {
        if (condition->bits[i])
            continue;
        struct report *report = report_begin(m, FAULT_ASSERT);
        if (report)
            report_words(m, report, condition, i, "assertion failed: %s,",
                         step->op->attributes.text ? step->op->attributes.text : "");
    }
}

/* A tile in nested brackets, one per axis; a pointer as its parameter and offset. */
static void print_elements(struct machine *m, const struct slot *slot, int axis, int64_t *next,
                           struct text *out)
{
    if (axis < slot->type.rank) {
        text_char(out, '[');
        for (int32_t i = 0; i < slot->type.dims[axis]; i++) {
            text_string(out, i ? ", " : "");
            print_elements(m, slot, axis + 1, next, out);
        }
        text_char(out, ']');
        return;
    }
    uint64_t bits = slot->bits[(*next)++];
    if (slot->type.pointer)
        text_format(out, "%s + %" PRId64, m->func->parameters[pointer_parameter(bits)].name,
                    pointer_offset(bits));
    else
        ir_element_print(bits, slot->elem, out);
}

/* The text is made in the arena: the space is kept for the next one. */
static void run_print(struct machine *m, const struct step *step)
{
    if (!m->options->print)
        return;
    struct text *out = &m->printed;
    int64_t next = 0;
    out->count = 0;
    text_format(out, "program (%" PRId64 ", %" PRId64 ", %" PRId64 "): %s", m->program[0],
                m->program[1], m->program[2],
                step->op->attributes.text ? step->op->attributes.text : "");
    text_char(out, ' ');
    print_elements(m, step->operands[0], 0, &next, out);
    text_char(out, '\n');
    m->options->print(m->options->user, out->items, out->count);
}

/* ---- entry points --------------------------------------------------------------------------- */

static void set_scalar(struct slot *slot, uint64_t bits)
{
    slot->bits[0] = bits;
    slot->inexact = false;
}

static void run_program(struct machine *m, const struct interp_argument *arguments)
{
    for (int i = 0; i < m->func->parameter_count; i++)
        set_scalar(m->body->arguments[i], m->func->parameters[i].type.pointer
                                              ? pointer_make((uint64_t)i, 0)
                                              : arguments[i].bits);
    run_block(m, m->body);
}

static void run_grid(struct machine *m, const struct interp_argument *arguments)
{
    const int64_t *grid = m->options->grid;
    for (m->program[2] = 0; m->program[2] < grid[2]; m->program[2]++)
        for (m->program[1] = 0; m->program[1] < grid[1]; m->program[1]++)
            for (m->program[0] = 0; m->program[0] < grid[0]; m->program[0]++) {
                if (m->stopped)
                    return;
                m->program_number++;
                run_program(m, arguments);
            }
}

/* Programs are told apart by a number of 31 bits; the last one means "several". */
static bool grid_fits(struct machine *m)
{
    const int64_t *grid = m->options->grid;
    int64_t product;
    bool overflow = __builtin_mul_overflow(grid[0], grid[1], &product);
    overflow |= __builtin_mul_overflow(product, grid[2], &product);
    if (!overflow && product < INT32_MAX)
        return true;
    diagnostics_add(m->diagnostics, DIAGNOSTIC_ERROR, m->func->range,
                    "a grid of %" PRId64 " x %" PRId64 " x %" PRId64
                    " has more programs than the interpreter tells apart (%d)",
                    grid[0], grid[1], grid[2], INT32_MAX - 1);
    return false;
}

/* Once something uncertain decided what is done, no element of any buffer is certain. */
static void forget_bounds(const struct machine *m)
{
    for (int i = 0; i < m->func->parameter_count; i++)
        for (int64_t k = 0; m->buffers[i].allowed && k < m->buffers[i].elements; k++)
            m->buffers[i].allowed[k] = (double)INFINITY;
}

static void machine_init(struct machine *m)
{
    m->steps_left = m->options->step_limit > 0 ? m->options->step_limit : INT64_MAX;
    m->report_limit = m->options->max_reports > 0 ? m->options->max_reports : 20;
    m->reports = ARENA_ARRAY(m->arena, struct report, (size_t)m->report_limit);
    m->body = prepare(m->func, m->bounds, m->arena);
    text_init(&m->printed, m->arena);
}

bool interp_run(const struct ir_func *func, const struct interp_argument *arguments,
                const struct interp_options *options, struct arena *arena,
                struct diagnostics *diagnostics)
{
    struct machine m = {
        .func = func,
        .options = options,
        .arena = arena,
        .diagnostics = diagnostics,
        .bounds = options->bounds != NULL,
    };
    const int64_t *grid = options->grid;
    if (grid[0] <= 0 || grid[1] <= 0 || grid[2] <= 0)
        return true;
    if (!grid_fits(&m))
        return false;
    m.many_programs = grid[0] * grid[1] * grid[2] > 1;
    if (!memory_init(&m, arguments))
        return false;
    machine_init(&m);
    run_grid(&m, arguments);
    if (m.lost)
        forget_bounds(&m);
    report_all(&m);
    return !m.failed;
}

bool interp_host(const struct ir_func *func, const uint64_t *arguments, uint64_t *results,
                 struct arena *arena, struct diagnostics *diagnostics)
{
    const struct interp_options options = {.grid = {1, 1, 1}};
    struct machine m = {
        .func = func,
        .options = &options,
        .arena = arena,
        .diagnostics = diagnostics,
        .results = results,
    };
    machine_init(&m);
    for (int i = 0; i < func->parameter_count; i++)
        set_scalar(m.body->arguments[i], arguments[i]);
    run_block(&m, m.body);
    report_all(&m);
    return !m.failed;
}
