/*
 * Kernels of blocks: tiles of one to four axes, whose rows and columns loops go along in blocks, or
 * programs. Values have all axes or some of them, and are reduced, scanned, turned and spread
 * between these; what a loop carries is of any shape. Masks are limits of the axes, mostly, and
 * everything else that C allows; arrays have strides of any order and sign, and those that are
 * stored are loaded again, at the same places and others.
 *
 * No sum rounds: numbers are whole and kept small, or of any kind where nothing is summed up. No
 * program touches what another one stores, and no store has two values for one place.
 */
#include "blocks.h"

static void choose_sizes(struct blocks *b)
{
    static const int32_t sizes[] = {1, 2, 3, 4, 4, 5, 7, 8, 8, 12, 16, 16, 17, 24, 32, 33, 64, 100};
    static const int32_t wide[] = {64, 100, 128, 129, 256, 500, 1024};
    static const int ranks[] = {1, 1, 2, 2, 2, 2, 2, 3, 3, 4};
    b->rank = ranks[below(b, 10)];
    int32_t count = 1;
    for (int k = b->rank - 1; k >= 0; k--) {
        int32_t size = sizes[below(b, b->rank > 2 ? 11 : 18)];
        if (k == b->rank - 1 && b->rank < 3 && chance(b, 20))
            size = wide[below(b, 7)];
        if (k < b->rank - 1 && chance(b, 20))
            size = b->dims[k + 1];
        b->dims[k] = count * size > MOST_VALUES ? 2 : size;
        count *= b->dims[k];
    }
    for (int k = 0; k < b->rank; k++) {
        int most = (int)b->dims[k] * (count > 512 || b->rank > 2 ? 2 : 3) + 2;
        b->extent[k] = chance(b, 5) ? 0 : chance(b, 20) ? b->dims[k] : 1 + below(b, most);
        b->limit[k] = generate_new_parameter(b->g, PARAMETER_SCALAR, IR_I32);
        b->limit[k]->bits = (uint64_t)b->extent[k];
    }
}

/* Of all programs' arrays: dense, with gaps, in any order of axes, forwards or backwards; inputs
 * may have one element for a whole axis. */
static void add_array(struct blocks *b, bool input)
{
    struct array *a = &b->arrays[b->array_count++];
    const int64_t *grid = b->g->kernel->grid;
    int order[MOST_AXES] = {0, 1, 2, 3};
    for (int k = 0; k < b->rank && chance(b, 25); k++) {
        int with = below(b, b->rank), old = order[k];
        order[k] = order[with];
        order[with] = old;
    }
    *a = (struct array){.parameter = generate_new_parameter(
                            b->g, input ? PARAMETER_INPUT : PARAMETER_OWN, some_elem(b))};
    int64_t stride = chance(b, 85) ? 1 : 2;
    for (int i = b->rank - 1; i >= 0; i--) {
        int k = order[i];
        a->stride[k] = input && chance(b, 6) ? 0 : stride;
        stride *= b->room[k] + (chance(b, 60) ? 0 : below(b, 5));
        if (chance(b, 10)) {
            a->base += a->stride[k] * (b->room[k] - 1);
            a->stride[k] = -a->stride[k];
        }
        if (chance(b, 45)) {
            a->step[k] = generate_new_parameter(b->g, PARAMETER_SCALAR, IR_I32);
            a->step[k]->bits = (uint64_t)(uint32_t)a->stride[k];
        }
    }
    a->part = stride;
    a->parameter->elements = stride * (b->by_rows ? grid[1] : grid[0] * grid[1]);
}

static void add_arrays(struct blocks *b)
{
    struct kernel *k = b->g->kernel;
    int64_t programs = b->by_rows ? k->grid[0] : 1;
    for (int i = 0; i < b->rank; i++) {
        int64_t most = (b->extent[i] + b->dims[i]) * (i ? 1 : programs);
        if (i == 0 && b->by_rows)
            most = b->dims[0] * programs;
        b->room[i] = (most / 8 + 1) * 8 + SLACK;
    }
    int count = 1 + below(b, MOST_ARRAYS);
    for (int i = 0; i < count; i++)
        add_array(b, i > 0 && chance(b, 55));
}

static struct statement *places(struct blocks *b)
{
    struct statement *first = NULL, **link = &first;
    for (int k = 0; k < b->rank; k++) {
        struct text text;
        text_init(&text, arena_of(b));
        text_format(&text, "auto i%d = ", k);
        text_format(&text, b->rank > 1 ? "expand_dims(arange(0, %d)" : "arange(0, %d",
                    (int)b->dims[k]);
        for (int i = 0; i < b->rank; i++)
            if (i != k)
                text_format(&text, ", %d", i);
        text_string(&text, ");");
        *link = statement_new(b, text.items);
        link = &(*link)->next;
    }
    if (b->by_rows) {
        *link = statement_new(
            b, arena_format(arena_of(b), "int row = program_id(0) * %d;", (int)b->dims[0]));
        b->counter[0] = "row";
    }
    return first;
}

/* What was computed is seen: each variable has an array of its own. */
static struct statement *store_values(struct blocks *b)
{
    struct statement *first = NULL, **link = &first;
    const int64_t *grid = b->g->kernel->grid;
    for (int i = 0; i < b->g->scope_count && b->g->kernel->parameter_count < MAX_PARAMETERS; i++) {
        struct variable *v = b->g->scope[i];
        struct text text;
        int64_t stride = 1;
        text_init(&text, arena_of(b));
        for (int k = v->type.rank - 1; k >= 0; k--) {
            if (v->type.dims[k] > 1)
                text_format(&text, " + i%d * %d", k, (int)stride);
            else
                text_format(&text, " + i%d * 0", k);
            stride *= v->type.dims[k];
        }
        text_char(&text, '\0');
        struct parameter *p =
            generate_new_parameter(b->g, PARAMETER_OUTPUT, (enum ir_elem)v->type.elem);
        p->elements = stride * grid[0] * grid[1];
        struct expr *e = expr_new(arena_of(b), v->type, "%");
        e->variable = v;
        bool all = axes_of(b, v->type) == all_axes(b) || v->type.rank == 0;
        if (!all)
            continue;
        *link = statement_new(
            b, arena_format(arena_of(b), "store(@ + (pid * %d%s), $0);", (int)stride, text.items));
        (*link)->parameter = p;
        (*link)->children[(*link)->count++] = e;
        link = &(*link)->next;
    }
    return first;
}

struct statement *generate_blocks(struct generator *g)
{
    struct blocks b = {.g = g};
    struct kernel *k = g->kernel;
    k->grid[0] = chance(&b, 40) ? 1 : 1 + below(&b, 5);
    k->grid[1] = chance(&b, 75) ? 1 : 2;
    k->grid[2] = 1;
    b.by_rows = chance(&b, 45);
    b.sums = chance(&b, 75);
    k->whole = b.sums;
    k->specials = !b.sums && chance(&b, 60);
    choose_sizes(&b);
    add_arrays(&b);
    struct statement *first = places(&b), **link = &first;
    while (*link)
        link = &(*link)->next;
    *link = blocks_statements(&b, 3 + below(&b, 7));
    while (*link)
        link = &(*link)->next;
    *link = store_values(&b);
    return first;
}
