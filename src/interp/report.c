/*
 * Faults, merged per place.
 *
 * The first fault of a kind at an op keeps its words; the ones after it are counted. Diagnostics
 * are made at the end, when the counts are known.
 */
#include "interp/machine.h"

#include "ir/number.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const hints[] = {
    [FAULT_OUTSIDE] = "give the access a mask that is false outside, such as 'col < N'",
    [FAULT_UNWRITTEN] = "fill the buffer before the launch, or store to it before it is read",
    [FAULT_RACE] = "programs run in any order: let one program own the element, or use atomic_add",
    [FAULT_OVERFLOW] = "compute in a wider type, or in an unsigned one, which wraps",
    [FAULT_DIVISION] = NULL,
    [FAULT_SHIFT] = NULL,
    [FAULT_INDEX] = NULL,
    [FAULT_STEP] = NULL,
    [FAULT_ASSERT] = NULL,
    [FAULT_LIMIT] = NULL,
};

static bool same_place(const struct ir_op *a, const struct ir_op *b)
{
    if (!a->range.file || !b->range.file)
        return a == b;
    return a->range.file == b->range.file && a->range.begin == b->range.begin &&
           a->range.end == b->range.end;
}

struct report *report_begin(struct machine *m, enum fault_kind kind)
{
    bool always = kind == FAULT_ASSERT || kind == FAULT_LIMIT;
    if (!m->options->check && !always)
        return NULL;
    m->failed = true;
    for (int i = 0; i < m->report_count; i++)
        if (m->reports[i].kind == kind && same_place(m->reports[i].op, m->step->op)) {
            m->reports[i].times++;
            return NULL;
        }
    if (m->report_count == m->report_limit)
        return NULL;
    struct report *report = &m->reports[m->report_count++];
    *report = (struct report){.kind = kind, .op = m->step->op, .times = 1};
    return report;
}

/* " in program (1, 0, 0), element [3, 17]" */
static void append_place(struct machine *m, const struct slot *tile, int64_t element,
                         struct text *text)
{
    text_format(text, " in program (%" PRId64 ", %" PRId64 ", %" PRId64 ")", m->program[0],
                m->program[1], m->program[2]);
    if (!tile || tile->type.rank == 0)
        return;
    int64_t index[IR_MAX_RANK];
    for (int axis = tile->type.rank - 1; axis >= 0; axis--) {
        index[axis] = element % tile->type.dims[axis];
        element /= tile->type.dims[axis];
    }
    for (int axis = 0; axis < tile->type.rank; axis++)
        text_format(text, axis ? ", %" PRId64 : ", element [%" PRId64, index[axis]);
    text_char(text, ']');
}

void report_words(struct machine *m, struct report *report, const struct slot *tile,
                  int64_t element, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct text text;
    text_init(&text, m->arena);
    text_string(&text, message);
    append_place(m, tile, element, &text);
    report->message = text.items;
}

const char *report_program(struct machine *m, uint32_t number)
{
    const int64_t *grid = m->options->grid;
    int64_t index = (int64_t)number - 1;
    return arena_format(m->arena, "program (%" PRId64 ", %" PRId64 ", %" PRId64 ")",
                        index % grid[0], index / grid[0] % grid[1], index / grid[0] / grid[1]);
}

/* "2147483647, 1": an element of each operand */
static void append_operands(const struct step *step, int64_t element, struct text *text)
{
    for (int i = 0; i < step->op->operand_count; i++) {
        const struct slot *slot = step->operands[i];
        text_string(text, i ? ", " : "");
        ir_element_print(slot->bits[element], slot->elem, text);
    }
}

static void report_eval_fault(struct machine *m, enum fault_kind kind, const char *what,
                              int64_t element)
{
    struct report *report = report_begin(m, kind);
    if (!report)
        return;
    const struct step *step = m->step;
    const struct slot *operand = step->operands[0];
    struct text values;
    text_init(&values, m->arena);
    append_operands(step, element, &values);
    report_words(m, report, operand, element, "%s: %s(%s) of %s", what, ir_ops[step->op->code].name,
                 values.items, ir_elems[operand->elem].name);
}

/* The step that runs is elementwise and met these faults somewhere: finds where. */
void report_eval_faults(struct machine *m, unsigned faults)
{
    if (!m->options->check)
        return;
    const struct step *step = m->step;
    const struct slot *operand = step->operands[0];
    for (int64_t i = 0; i < operand->count && faults; i++) {
        uint64_t operands[3] = {0};
        for (int k = 0; k < step->op->operand_count && k < 3; k++)
            operands[k] = step->operands[k]->bits[i];
        unsigned found = 0;
        ir_eval(step->op->code, operand->elem, step->results[0]->elem, operands, &found);
        found &= faults;
        if (found & IR_FAULT_OVERFLOW)
            report_eval_fault(m, FAULT_OVERFLOW, "signed overflow", i);
        if (found & IR_FAULT_DIVISION)
            report_eval_fault(m, FAULT_DIVISION, "integer division by zero", i);
        if (found & IR_FAULT_SHIFT)
            report_eval_fault(m, FAULT_SHIFT, "shift count out of range", i);
        faults &= ~found;
    }
}

void report_all(struct machine *m)
{
    for (int i = 0; i < m->report_count; i++) {
        const struct report *report = &m->reports[i];
        struct diagnostic *diagnostic;
        if (report->times > 1)
            diagnostic = diagnostics_add(m->diagnostics, DIAGNOSTIC_ERROR, report->op->range,
                                         "%s (and %" PRId64 " more time%s)", report->message,
                                         report->times - 1, report->times == 2 ? "" : "s");
        else
            diagnostic = diagnostics_add(m->diagnostics, DIAGNOSTIC_ERROR, report->op->range, "%s",
                                         report->message);
        if (hints[report->kind])
            diagnostics_hint(m->diagnostics, diagnostic, "%s", hints[report->kind]);
    }
}
