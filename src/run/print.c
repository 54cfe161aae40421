/* tile_print of a kernel that runs on the CPU; see run.h. */
#include "base/guard.h"
#include "ir/number.h"
#include "run/run.h"

#include <inttypes.h>
#include <string.h>

struct printing {
    const struct run_hooks *hooks;
    const char *text;
    int64_t id;
    enum ir_elem elem;
    int rank;
    const int32_t *dims;
    const unsigned char *next;
    struct text out;
};

static uint64_t next_element(struct printing *p)
{
    uint64_t bits = 0;
    size_t bytes = ir_elem_bytes(p->elem);
    memcpy(&bits, p->next, bytes); /* little-endian */
    p->next += bytes;
    return bits;
}

/* Nested brackets, one pair per axis. */
static void print_elements(struct printing *p, int axis)
{
    if (axis == p->rank) {
        ir_element_print(next_element(p), p->elem, &p->out);
        return;
    }
    text_char(&p->out, '[');
    for (int32_t i = 0; i < p->dims[axis]; i++) {
        text_string(&p->out, i ? ", " : "");
        print_elements(p, axis + 1);
    }
    text_char(&p->out, ']');
}

static void make_text(void *user)
{
    struct printing *p = user;
    int64_t x = p->hooks->grid[0], y = p->hooks->grid[1];
    text_init(&p->out, p->out.arena);
    text_format(&p->out, "program (%" PRId64 ", %" PRId64 ", %" PRId64 "): %s ", p->id % x,
                p->id / x % y, p->id / x / y, p->text);
    print_elements(p, 0);
    text_char(&p->out, '\n');
}

/* Printing is for finding faults, so it may allocate; what finds no memory is not printed. */
void run_print(const struct cpu_hooks *table, const char *text, int64_t id, int32_t elem,
               int32_t rank, const int32_t *dims, const void *elements)
{
    struct run_hooks *hooks = (struct run_hooks *)(uintptr_t)table;
    struct arena arena;
    struct printing printing = {hooks, text, id, (enum ir_elem)elem, rank, dims, elements, {0}};
    if (!hooks->print)
        return;
    arena_init(&arena, allocator_default, NULL);
    printing.out.arena = &arena;
    if (guard_run(&arena, make_text, &printing)) {
        pthread_mutex_lock(&hooks->lock);
        hooks->print(hooks->user, printing.out.items, printing.out.count);
        pthread_mutex_unlock(&hooks->lock);
    }
    arena_free(&arena);
}
