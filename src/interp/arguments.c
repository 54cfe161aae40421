/*
 * The arguments of a launch as buffers: checked (null, alignment, restrict), and given a shadow
 * where initialisation or races are to be tracked.
 */
#include "interp/machine.h"

static bool is_buffer(const struct machine *m, int i)
{
    return m->func->parameters[i].type.pointer;
}

static bool has_memory(const struct buffer *b)
{
    return b->data && b->elements > 0;
}

static uintptr_t begin_of(const struct buffer *b)
{
    return (uintptr_t)b->data;
}

static uintptr_t end_of(const struct buffer *b)
{
    return (uintptr_t)b->data + (uintptr_t)b->elements * (uintptr_t)b->bytes;
}

static bool overlap(const struct buffer *a, const struct buffer *b)
{
    return has_memory(a) && has_memory(b) && begin_of(a) < end_of(b) && begin_of(b) < end_of(a);
}

/* ---- checks --------------------------------------------------------------------------------- */

static void check_address(struct machine *m, struct buffer *b)
{
    const struct ir_parameter *parameter = b->parameter;
    if (!b->data && b->elements != 0)
        diagnostics_add(m->diagnostics, DIAGNOSTIC_ERROR, parameter->range, "buffer '%s' is null",
                        parameter->name);
    else if ((uintptr_t)b->data % (uintptr_t)b->bytes != 0)
        diagnostics_add(m->diagnostics, DIAGNOSTIC_ERROR, parameter->range,
                        "buffer '%s' is not aligned: elements of %s need a multiple of %d bytes",
                        parameter->name, ir_elems[b->elem].name, b->bytes);
}

/* Two buffers that overlap, one of them written, are what restrict rules out. */
static void check_restrict(struct machine *m, const struct buffer *a, const struct buffer *b)
{
    const struct ir_parameter *first = a->parameter, *second = b->parameter;
    if (!overlap(a, b) || (first->is_const && second->is_const) ||
        !(first->is_restrict || second->is_restrict))
        return;
    struct diagnostic *diagnostic = diagnostics_add(
        m->diagnostics, DIAGNOSTIC_ERROR, (second->is_restrict ? second : first)->range,
        "buffers '%s' and '%s' overlap, but '%s' is restrict", first->name, second->name,
        (second->is_restrict ? second : first)->name);
    diagnostics_hint(m->diagnostics, diagnostic,
                     "pass separate buffers, or leave 'restrict' out of the kernel");
}

/* ---- shadows -------------------------------------------------------------------------------- */

/* The buffers that overlap, one leading to the next, and their memory. */
struct group {
    uintptr_t begin, end;
    uintptr_t cell; /* bytes */
    bool written, tracked;
};

static void group_add(struct group *group, const struct buffer *b, const uint8_t *initialised)
{
    uintptr_t begin = begin_of(b), end = end_of(b);
    group->begin = begin < group->begin ? begin : group->begin;
    group->end = end > group->end ? end : group->end;
    if ((uintptr_t)b->bytes < group->cell)
        group->cell = (uintptr_t)b->bytes;
    group->written |= !b->parameter->is_const;
    group->tracked |= initialised != NULL;
}

/* Gives every buffer that overlaps the group, and has no shadow yet, this shadow. */
static void group_share(struct machine *m, const struct group *group, struct shadow *shadow,
                        const struct interp_argument *arguments)
{
    for (int i = 0; i < m->func->parameter_count; i++) {
        struct buffer *b = &m->buffers[i];
        if (!has_memory(b) || begin_of(b) < group->begin || end_of(b) > group->end)
            continue;
        b->shadow = shadow;
        b->first_cell = (int64_t)((begin_of(b) - group->begin) / group->cell);
        b->cells = (int)((uintptr_t)b->bytes / group->cell);
        const uint8_t *initialised = arguments[i].initialised;
        for (int64_t c = 0; initialised && c < b->elements * b->cells; c++)
            if (!initialised[c / b->cells])
                shadow->missing[b->first_cell + c] = 1;
    }
}

static struct group group_around(struct machine *m, int seed,
                                 const struct interp_argument *arguments)
{
    struct group group = {UINTPTR_MAX, 0, 8, false, false};
    group_add(&group, &m->buffers[seed], arguments[seed].initialised);
    /* Once per round at least one buffer is added, so this ends. */
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 0; i < m->func->parameter_count; i++) {
            struct buffer *b = &m->buffers[i];
            bool touches = has_memory(b) && begin_of(b) < group.end && group.begin < end_of(b);
            bool inside = touches && begin_of(b) >= group.begin && end_of(b) <= group.end;
            if (touches)
                group_add(&group, b, arguments[i].initialised);
            grown |= touches && !inside;
        }
    }
    for (int i = 0; i < m->func->parameter_count; i++) {
        struct buffer *b = &m->buffers[i];
        if (has_memory(b) && begin_of(b) >= group.begin && end_of(b) <= group.end &&
            (begin_of(b) - group.begin) % group.cell != 0)
            group.cell = 1;
    }
    return group;
}

static void make_shadow(struct machine *m, int seed, const struct interp_argument *arguments)
{
    struct group group = group_around(m, seed, arguments);
    bool races = group.written && m->many_programs;
    if (!races && !group.tracked)
        return;
    size_t cells = (group.end - group.begin + group.cell - 1) / group.cell;
    struct shadow *shadow = ARENA_NEW(m->arena, struct shadow);
    if (group.tracked)
        shadow->missing = ARENA_ARRAY(m->arena, uint8_t, cells);
    if (races) {
        shadow->last_write = ARENA_ARRAY(m->arena, uint32_t, cells);
        shadow->last_read = ARENA_ARRAY(m->arena, uint32_t, cells);
    }
    group_share(m, &group, shadow, arguments);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void buffer_init(struct machine *m, int i, const struct interp_argument *argument)
{
    struct buffer *b = &m->buffers[i];
    *b = (struct buffer){
        .parameter = &m->func->parameters[i],
        .elem = (enum ir_elem)m->func->parameters[i].type.elem,
        .bytes = (int)ir_elem_bytes((enum ir_elem)m->func->parameters[i].type.elem),
        .data = argument->data,
        .elements = argument->elements,
        .allowed = m->bounds ? m->options->bounds[i].allowed : NULL,
    };
    if (m->options->check)
        check_address(m, b);
    if (!b->data)
        b->elements = 0;
}

bool memory_init(struct machine *m, const struct interp_argument *arguments)
{
    int count = m->func->parameter_count;
    size_t errors = m->diagnostics->error_count;
    m->buffers = ARENA_ARRAY(m->arena, struct buffer, (size_t)count);
    for (int i = 0; i < count; i++)
        if (is_buffer(m, i))
            buffer_init(m, i, &arguments[i]);
    if (!m->options->check)
        return true;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (is_buffer(m, i) && is_buffer(m, k))
                check_restrict(m, &m->buffers[k], &m->buffers[i]);
    if (m->diagnostics->error_count > errors)
        return false;
    for (int i = 0; i < count; i++)
        if (has_memory(&m->buffers[i]) && !m->buffers[i].shadow)
            make_shadow(m, i, arguments);
    return true;
}
