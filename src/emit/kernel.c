/*
 * What stands around a kernel's ops: what it includes and what helps it, its attributes and
 * parameters, where its threads find their places, and where it releases the launch behind it. See
 * emit.h.
 */
#include "emit/internal.h"

#include <string.h>

/* ---- in front of the ops --------------------------------------------------------------------- */

static bool note_positions(struct ir_op *op, void *user)
{
    struct emitter *e = user;
    for (size_t i = 0; i < e->dialect->position_count; i++)
        e->positions[i] = e->positions[i] || e->dialect->positions[i].code == (int)op->code;
    return true;
}

static bool is_statement(const struct emit_position *position)
{
    return strchr(position->text, ';') != NULL;
}

/* A statement of a program that several blocks run, or that shares its block. */
static void print_statement(const char *statement, const struct gpu_kernel *kernel,
                            struct text *out)
{
    const struct ir_func *func = kernel->func;
    for (const char *c = statement; *c; c++) {
        if (c[0] != '$')
            text_char(out, *c);
        else if (*++c == 'p')
            text_string(out, func->body->arguments[func->parameter_count - 1]->data);
        else
            text_format(out, "%d",
                        *c == 'b'   ? kernel->blocks
                        : *c == 'k' ? kernel->programs
                                    : kernel->threads / kernel->blocks);
    }
}

static void print_start(const struct emitter *e, const struct gpu_kernel *kernel, struct text *out)
{
    const struct emit_dialect *dialect = e->dialect;
    const struct emit_position *positions = kernel->blocks > 1 ? dialect->cluster_positions
                                            : e->parts > 1     ? dialect->part_positions
                                                               : dialect->positions;
    if (e->parts > 1)
        print_statement(dialect->part_start, kernel, out);
    for (size_t i = 0; i < dialect->position_count; i++) {
        if (!e->positions[i] || !is_statement(&positions[i]))
            continue;
        text_string(out, "    ");
        print_statement(positions[i].text, kernel, out);
        text_char(out, '\n');
    }
    if (e->dynamic)
        text_format(out, "    alignas(%d) extern %s %s tilec_shared[];\n", e->alignment,
                    e->dialect->shared, e->dialect->elems[IR_U8]);
}

/* Compilers take it that nothing but the thread itself changes what a restrict pointer points to,
 * barriers or not. So an array through which threads may exchange values is none. */
static bool is_restrict(const struct emitter *e, int i)
{
    const struct ir_parameter *parameter = &e->func->parameters[i];
    return parameter->is_restrict && !e->plain_loads && (parameter->is_const || !e->reads[i]);
}

static void print_parameters(struct emitter *e, struct text *out)
{
    const struct ir_func *func = e->func;
    const char *before = "";
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_value *value = func->body->arguments[i];
        bool pointer = value->type.pointer;
        const char *form = !pointer            ? e->dialect->scalar
                           : is_restrict(e, i) ? e->dialect->restrict_array
                                               : e->dialect->array;
        text_format(out, "%s\n    ", before);
        text_format(out, form, emit_type(e, value->type), (const char *)value->data, i);
        before = ",";
    }
    for (size_t i = 0; i < e->dialect->position_count; i++) {
        if (!e->positions[i] || is_statement(&e->dialect->positions[i]))
            continue;
        text_format(out, "%s\n    %s", before, e->dialect->positions[i].text);
        before = ",";
    }
}

static bool check_parameters(struct emitter *e)
{
    const struct ir_func *func = e->func;
    if (func->parameter_count > e->dialect->most_parameters)
        return emit_fail(e, NULL,
                         arena_format(e->arena, "the target '%s' takes %d parameters, not %d",
                                      e->dialect->name, e->dialect->most_parameters,
                                      func->parameter_count),
                         "put several arrays into one");
    for (int i = 0; i < func->parameter_count; i++) {
        enum ir_elem elem = (enum ir_elem)func->parameters[i].type.elem;
        if (!e->dialect->elems[elem])
            return emit_fail(e, NULL,
                             arena_format(e->arena, "the target '%s' has no %s, which '%s' has",
                                          e->dialect->name, ir_elems[elem].c_name,
                                          func->parameters[i].name),
                             "use float");
        struct ir_value *value = func->body->arguments[i];
        if (!value->name)
            value->name = func->parameters[i].name;
        value->data = NULL;
        emit_name(e, value);
    }
    return true;
}

const char *emit_function_name(const struct gpu_kernel *kernel, const struct emit_dialect *dialect,
                               struct arena *arena)
{
    const char *name = kernel->func->name;
    if (dialect->always_suffixed)
        return arena_format(arena, "%s_kernel", name);
    for (const char *const *word = dialect->reserved; *word; word++) {
        if (strcmp(*word, name) == 0)
            return arena_format(arena, "%s_kernel", name);
    }
    return name;
}

static bool add_shared(struct ir_op *op, void *user)
{
    int64_t *bytes = user;
    if ((int)op->code == GPU_OP_SHARED) {
        enum ir_elem elem = (enum ir_elem)op->results[0]->type.elem;
        int64_t elements = op->attributes.number + op->attributes.padding;
        *bytes = emit_round_up(*bytes, emit_alignment(op)) +
                 ((elements * (int64_t)ir_elem_bytes(elem) + 15) & ~INT64_C(15));
    }
    return true;
}

/* Programs of a block. */
static int parts_of(const struct gpu_kernel *kernel)
{
    return kernel->programs > 1 ? kernel->programs : 1;
}

int emit_dynamic_shared(const struct gpu_kernel *kernel, const struct emit_dialect *dialect)
{
    int64_t bytes = 0;
    ir_walk(kernel->func->body, add_shared, &bytes);
    bytes *= parts_of(kernel);
    int most = dialect->static_shared_bytes;
    return most && bytes > most ? (int)bytes : 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool neither_meets_nor_writes(struct ir_op *op, void *user)
{
    int code = (int)op->code;
    (void)user;
    return !ir_has(op, IR_WRITES) && !(code >= GPU_OP_SHUFFLE && code <= GPU_OP_GROUP_OR);
}

static bool reads_nothing(struct ir_op *op, void *user)
{
    (void)user;
    return !ir_has(op, IR_READS);
}

/* Whether the test fails for the op or for one within it. */
static bool finds(struct ir_op *op, bool (*test)(struct ir_op *op, void *user))
{
    bool found = !test(op, NULL);
    for (int i = 0; i < op->region_count; i++)
        found = found || !ir_walk(op->regions[i], test, NULL);
    return found;
}

/* The op of the kernel's body in front of which the release stands: the first one behind the loads
 * that the program starts with, which end where it loops, writes or its threads meet. NULL: it does
 * none of that. */
static const struct ir_op *place_of_release(const struct ir_func *func)
{
    const struct ir_op *loaded = NULL;
    struct ir_op *op = func->body->first;
    while (op && op->code != IR_OP_FOR && op->code != IR_OP_WHILE &&
           !finds(op, neither_meets_nor_writes)) {
        if (finds(op, reads_nothing))
            loaded = op;
        op = op->next;
    }
    return op && loaded ? loaded->next : op;
}

static bool is_no_fragment_op(struct ir_op *op, void *user)
{
    (void)user;
    return (int)op->code < GPU_OP_FRAGMENT_LOAD || (int)op->code > GPU_OP_FRAGMENT_MMA;
}

/* 0: barriers need no number. */
static int number_of_barriers(const struct gpu_kernel *kernel, const struct emit_dialect *dialect)
{
    const struct gpu_plan *plan = kernel->plan;
    bool few = plan && plan->most_resident > 0 && dialect->numbered_barrier;
    return few ? plan->target->resident_barriers / plan->most_resident - 1 : 0;
}

bool emit_kernel(const struct gpu_kernel *kernel, const struct emit_dialect *dialect,
                 struct text *out, struct diagnostics *diagnostics)
{
    struct emitter e = {
        .dialect = dialect,
        .func = kernel->func,
        .arena = out->arena,
        .diagnostics = diagnostics,
        .depth = 1,
        .dynamic = emit_dynamic_shared(kernel, dialect) > 0,
        .parts = parts_of(kernel),
        .part_bytes = emit_dynamic_shared(kernel, dialect) / parts_of(kernel),
        .part_threads = kernel->threads,
        .alignment = 16,
        .overlaps = !kernel->plan || kernel->plan->overlaps,
        .barrier = number_of_barriers(kernel, dialect),
        .plain_loads = kernel->plan && kernel->plan->plain_loads,
        .used = ARENA_ARRAY(out->arena, bool, dialect->helper_count + 1),
        .positions = ARENA_ARRAY(out->arena, bool, dialect->position_count + 1),
        .reads = ir_reads(out->arena, kernel->func),
        .tables = ir_tables_of(kernel->func, out->arena, true),
        .release = place_of_release(kernel->func),
        .late = kernel->plan && kernel->plan->late_release,
        .predicates = dialect->predicated_load && kernel->plan &&
                      kernel->plan->backend == GPU_BACKEND_ELEMENTWISE,
    };
    text_init(&e.body, e.arena);
    ir_number(kernel->func);
    ir_clear_data(kernel->func->body);
    ir_walk(kernel->func->body, note_positions, &e);
    if (!check_parameters(&e))
        return false;
    emit_region(&e, kernel->func->body);
    if (e.failed)
        return false;
    if (dialect->options[0])
        text_string(out, dialect->options[!ir_walk(kernel->func->body, is_no_fragment_op, NULL)]);
    text_string(out, dialect->head);
    emit_print_helpers(&e, out);
    emit_print_tables(&e, out);
    text_char(out, '\n');
    int threads = kernel->threads / kernel->blocks * e.parts;
    if (kernel->resident > 0 && dialect->crowded_attribute)
        text_format(out, dialect->crowded_attribute, threads,
                    kernel->resident > e.parts ? kernel->resident / e.parts : 1);
    else
        text_format(out, dialect->attribute, threads);
    if (kernel->blocks > 1 && kernel->plan->cluster)
        text_format(out, dialect->cluster_attribute, kernel->blocks);
    text_format(out, " %s(", emit_function_name(kernel, dialect, e.arena));
    print_parameters(&e, out);
    text_string(out, ")\n{\n");
    print_start(&e, kernel, out);
    text_append(out, e.body.items, e.body.count);
    text_string(out, "}\n");
    return true;
}
