/*
 * A compiled kernel as bytes: what a launch must know, the warnings of compiling it, the objects.
 *
 * Numbers are 64 bits, little-endian, whatever their range; texts are a length and bytes, absent
 * ones the length -1. The reader trusts nothing: the cache checks a fingerprint before, but a
 * fingerprint only says that the bytes are those that somebody wrote.
 */
#include "run/run.h"

#include <string.h>

static const uint64_t entry_format = 4;
static const uint64_t absent = UINT64_MAX;

/* ---- writing --------------------------------------------------------------------------------- */

static void put(struct text *out, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        text_char(out, (char)(number >> (8 * i)));
}

static void put_text(struct text *out, const char *text)
{
    put(out, text ? strlen(text) : absent);
    if (text)
        text_string(out, text);
}

static void put_parameters(struct text *out, const struct ir_func *func)
{
    const bool *reads = ir_reads(out->arena, func);
    put(out, (uint64_t)func->parameter_count);
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *p = &func->parameters[i];
        put_text(out, p->name);
        put(out, p->type.elem);
        put(out, (uint64_t)p->type.pointer | (uint64_t)p->is_const << 1 |
                     (uint64_t)p->is_restrict << 2 | (uint64_t)p->is_fixed << 3 |
                     (uint64_t)reads[i] << 4);
        put(out, p->fixed);
    }
}

/* Files by their number among those of the program. */
static uint64_t file_number(const tilec_program *program, const struct source_file *file)
{
    for (size_t i = 0; file && i < program->files.count; i++)
        if (strcmp(program->files.items[i]->name, file->name) == 0)
            return i;
    return absent;
}

static void put_diagnostics(struct text *out, const struct run_job *job)
{
    put(out, job->diagnostics.count);
    for (size_t i = 0; i < job->diagnostics.count; i++) {
        const struct diagnostic *d = &job->diagnostics.items[i];
        put(out, d->kind);
        put(out, file_number(job->program, d->range.file));
        put(out, d->range.begin);
        put(out, d->range.end);
        put_text(out, d->message);
        put_text(out, d->hint);
    }
}

struct run_entry run_entry_write(const struct run_job *job)
{
    struct text out;
    const struct ir_kernel *ir = job->ir;
    text_init(&out, job->arena);
    put(&out, entry_format);
    put_text(&out, ir->func->name);
    put_parameters(&out, ir->func);
    put(&out, (uint64_t)(ir->grid ? ir->grid->result_count : 0));
    put(&out, (uint64_t)ir->require_count);
    for (int i = 0; i < ir->require_count; i++)
        put_text(&out, ir->launch_requires[i].text);
    put(&out, (uint64_t)job->object.stats.vector_bytes);
    put(&out, (uint64_t)job->object.stats.scratch_bytes);
    put(&out, job->object.stats.variants);
    put(&out, job->object.stats.differs);
    put_diagnostics(&out, job);
    put(&out, (uint64_t)job->object.object_count);
    for (int i = 0; i < job->object.object_count; i++)
        put(&out, job->object.object_sizes[i]);
    text_append(&out, job->object.bytes, job->object.size);
    return (struct run_entry){(const unsigned char *)out.items, out.count};
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    const unsigned char *at, *end;
    bool broken;
};

/* Numbers above most make the entry broken. */
static uint64_t get(struct reader *r, uint64_t most)
{
    uint64_t number = 0;
    if (r->broken || r->end - r->at < 8) {
        r->broken = true;
        return 0;
    }
    for (int i = 0; i < 8; i++)
        number |= (uint64_t)r->at[i] << (8 * i);
    r->at += 8;
    if (number > most)
        r->broken = true;
    return r->broken ? 0 : number;
}

static size_t left(const struct reader *r)
{
    return (size_t)(r->end - r->at);
}

static const char *get_text(struct reader *r, struct arena *arena)
{
    uint64_t length = get(r, UINT64_MAX);
    if (r->broken || length == absent)
        return NULL;
    if (length > left(r)) {
        r->broken = true;
        return NULL;
    }
    const char *text = arena_copy_text(arena, (const char *)r->at, (size_t)length);
    r->at += length;
    return text;
}

static const char *get_name(struct reader *r, struct arena *arena)
{
    const char *name = get_text(r, arena);
    r->broken = r->broken || !name;
    return name;
}

static void get_parameters(struct reader *r, tilec_kernel *kernel)
{
    /* Each takes 32 bytes at least. */
    size_t count = (size_t)get(r, left(r) / 32);
    kernel->parameters = ARENA_ARRAY(&kernel->arena, struct run_parameter, count);
    for (size_t i = 0; i < count && !r->broken; i++) {
        struct run_parameter *p = &kernel->parameters[i];
        p->name = get_name(r, &kernel->arena);
        p->elem = (enum ir_elem)get(r, IR_ELEM_COUNT - 1);
        uint64_t flags = get(r, 31);
        p->pointer = flags & 1;
        p->is_const = flags & 2;
        p->is_restrict = flags & 4;
        p->is_fixed = flags & 8;
        p->is_read = flags & 16;
        p->fixed = get(r, UINT64_MAX);
        if (p->pointer)
            kernel->pointer_count++;
        else
            kernel->scalar_count++;
    }
    kernel->parameter_count = (int)count;
}

static void get_requirements(struct reader *r, tilec_kernel *kernel)
{
    size_t count = (size_t)get(r, left(r) / 8);
    kernel->require_texts = ARENA_ARRAY(&kernel->arena, const char *, count);
    for (size_t i = 0; i < count && !r->broken; i++)
        kernel->require_texts[i] = get_name(r, &kernel->arena);
    kernel->require_count = (int)count;
}

static struct source_range get_range(struct reader *r, const tilec_program *program)
{
    uint64_t number = get(r, UINT64_MAX);
    uint64_t begin = get(r, UINT32_MAX), end = get(r, UINT32_MAX);
    if (r->broken || number == absent)
        return (struct source_range){0};
    if (number >= program->files.count || begin > end ||
        end > program->files.items[number]->length) {
        r->broken = true;
        return (struct source_range){0};
    }
    return (struct source_range){program->files.items[number], (uint32_t)begin, (uint32_t)end};
}

static void get_diagnostics(struct reader *r, struct run_job *job, bool repeat)
{
    size_t count = (size_t)get(r, left(r) / 48);
    for (size_t i = 0; i < count && !r->broken; i++) {
        enum diagnostic_kind kind = (enum diagnostic_kind)get(r, DIAGNOSTIC_PERF);
        struct source_range range = get_range(r, job->program);
        const char *message = get_name(r, job->arena), *hint = get_text(r, job->arena);
        if (r->broken || !repeat || kind == DIAGNOSTIC_ERROR)
            continue;
        struct diagnostic *added = diagnostics_add(&job->diagnostics, kind, range, "%s", message);
        if (hint)
            diagnostics_hint(&job->diagnostics, added, "%s", hint);
    }
}

static void get_objects(struct reader *r, struct run_objects *objects)
{
    uint64_t sizes[CPU_MOST_OBJECTS];
    objects->count = (int)get(r, CPU_MOST_OBJECTS);
    for (int i = 0; i < objects->count; i++)
        sizes[i] = get(r, left(r));
    for (int i = 0; i < objects->count; i++) {
        r->broken = r->broken || sizes[i] > left(r);
        if (r->broken)
            return;
        objects->items[i] = (struct run_entry){r->at, (size_t)sizes[i]};
        r->at += sizes[i];
    }
    r->broken = r->broken || !objects->count || left(r);
}

bool run_entry_read(struct run_job *job, struct run_entry entry, bool repeat,
                    struct run_objects *objects)
{
    struct reader reader = {entry.bytes, entry.bytes + entry.size, false}, *r = &reader;
    tilec_kernel *kernel = job->kernel;
    kernel->pointer_count = kernel->scalar_count = 0;
    if (get(r, entry_format) != entry_format)
        return false;
    kernel->name = get_name(r, &kernel->arena);
    get_parameters(r, kernel);
    kernel->grid_rank = (int)get(r, 3);
    get_requirements(r, kernel);
    kernel->stats.vector_bytes = (int)get(r, 4096);
    kernel->stats.scratch_bytes = (int64_t)get(r, (uint64_t)1 << 40);
    kernel->stats.variants = (unsigned)get(r, (1u << CPU_VARIANT_COUNT) - 1);
    kernel->stats.differs = (unsigned)get(r, CPU_VARIANT_COUNT - 1);
    get_diagnostics(r, job, repeat);
    get_objects(r, objects);
    return !r->broken;
}
