/*
 * Kernel files: reading, parsing, listing; see run.h.
 *
 * A program keeps every file that it read, because diagnostics of later compilations show lines of
 * them and because the cache key covers them.
 */
#include "base/guard.h"
#include "run/metal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t longest_file = (size_t)64 << 20;

/* ---- reading files --------------------------------------------------------------------------- */

/* Reads to the end, whatever kind of file it is; memory doubles. */
static const char *read_descriptor(struct arena *arena, int file, size_t expected, size_t *length,
                                   const char **message)
{
    size_t capacity = expected + 1, used = 0;
    char *bytes = arena_alloc(arena, capacity + 1);
    for (;;) {
        ssize_t got = read(file, bytes + used, capacity - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            *message = arena_format(arena, "%s", strerror(errno));
            return NULL;
        }
        used += (size_t)got;
        if (got == 0)
            break;
        if (used > longest_file) {
            *message = "the file is larger than 64 MB";
            return NULL;
        }
        if (used == capacity) {
            char *grown = arena_alloc(arena, 2 * capacity + 1);
            memcpy(grown, bytes, used);
            bytes = grown;
            capacity *= 2;
        }
    }
    *length = used;
    return bytes;
}

static void close_file(struct run_files *files)
{
    if (files->descriptor)
        close(files->descriptor - 1);
    files->descriptor = 0;
}

/* Reads a file whole; NULL with a message in *message. Runs inside the arena's guard: where memory
 * is out it is left at once, and run_program_create closes what is open. */
static const char *read_file(struct run_files *files, struct arena *arena, const char *path,
                             size_t *length, const char **message)
{
    struct stat information;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *length = 0;
    files->descriptor = file + 1;
    if (file < 0 || fstat(file, &information) != 0) {
        *message = arena_format(arena, "%s", strerror(errno));
        close_file(files);
        return NULL;
    }
    const char *bytes = NULL;
    if (S_ISDIR(information.st_mode))
        *message = strerror(EISDIR);
    else if (S_ISREG(information.st_mode) && (uint64_t)information.st_size > longest_file)
        *message = "the file is larger than 64 MB";
    else
        bytes = read_descriptor(arena, file,
                                S_ISREG(information.st_mode) ? (size_t)information.st_size : 4096,
                                length, message);
    close_file(files);
    return bytes;
}

static struct source_file *add_file(struct run_files *files, struct arena *arena, const char *name,
                                    const char *text, size_t length)
{
    struct source_file *file = ARENA_NEW(arena, struct source_file);
    *file = (struct source_file){name, text, length};
    ARENA_PUSH(arena, files, file);
    return file;
}

/* #include "name": next to the including file. */
static bool read_include(void *user, struct arena *arena, const char *including_file,
                         const char *name, struct source_file *out, const char **message)
{
    struct run_files *files = user;
    const char *slash = strrchr(including_file, '/');
    size_t length, folder = name[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - including_file);
    const char *path = arena_format(arena, "%.*s%s", (int)folder, including_file, name);
    const char *text = read_file(files, arena, path, &length, message);
    if (!text)
        return false;
    *out = *add_file(files, arena, path, text, length);
    return true;
}

/* ---- creating -------------------------------------------------------------------------------- */

struct opening {
    tilec_program *program;
    const tilec_source *source;
    tilec_status status;
    const char *unreadable; /* why the file could not be read */
};

static void copy_defines(tilec_program *program, const tilec_source *source)
{
    struct arena *arena = &program->arena;
    program->define_count = (int)source->define_count;
    program->defines = ARENA_ARRAY(arena, struct lang_define, source->define_count);
    for (size_t i = 0; i < source->define_count; i++) {
        const char *value = source->defines[i].value ? source->defines[i].value : "1";
        program->defines[i].name = arena_format(arena, "%s", source->defines[i].name);
        program->defines[i].value = arena_format(arena, "%s", value);
    }
}

static bool read_source(struct opening *opening)
{
    tilec_program *program = opening->program;
    const tilec_source *source = opening->source;
    struct arena *arena = &program->arena;
    const char *name = arena_format(arena, "%s", source->path ? source->path : "<text>");
    const char *text;
    size_t length = source->text_length;
    if (source->text) {
        length = length ? length : strlen(source->text);
        if (length > longest_file) /* places in it are 32 bits */
            opening->unreadable = "the text is larger than 64 MB";
        text = opening->unreadable ? NULL : arena_copy_text(arena, source->text, length);
    } else {
        text = read_file(&program->files, arena, name, &length, &opening->unreadable);
    }
    if (!text)
        return false;
    program->file = add_file(&program->files, arena, name, text, length);
    return true;
}

static void parse(tilec_program *program)
{
    struct arena *arena = &program->arena;
    struct lang_includer includer = {read_include, &program->files};
    if (strcmp(program->file->name, "<text>") == 0)
        includer.read = NULL;
    if (program->tile_ir)
        program->ir = ir_kernel_read(arena, &program->diagnostics, program->file);
    else
        program->unit = lang_parse(arena, &program->diagnostics, program->file, program->defines,
                                   program->define_count, includer);
}

static void open_program(void *user)
{
    struct opening *opening = user;
    tilec_program *program = opening->program;
    diagnostics_init(&program->diagnostics, &program->arena);
    copy_defines(program, opening->source);
    opening->status = TILEC_ERROR_IO;
    if (!read_source(opening))
        return;
    if (opening->source->metal && !metal_read(program, opening->source)) {
        opening->status = TILEC_ERROR_COMPILE;
        return;
    }
    if (!opening->source->metal)
        parse(program);
    opening->status = program->unit || program->ir ? TILEC_OK : TILEC_ERROR_COMPILE;
}

static bool is_source_valid(const tilec_source *source)
{
    if ((!source->path && !source->text) || (source->define_count && !source->defines))
        return false;
    for (size_t i = 0; i < source->define_count; i++)
        if (!source->defines[i].name)
            return false;
    return source->define_count < 10000;
}

tilec_status run_program_create(tilec_context *context, const tilec_source *given,
                                tilec_program **result)
{
    tilec_source source;
    if (!given || !RUN_READ_OPTIONS(&source, given) || !is_source_valid(&source))
        return run_fail(context, TILEC_ERROR_INVALID, NULL,
                        "the source needs its size, a path or a text, and names for its defines");
    tilec_program *program = run_allocate(context, 1, sizeof *program);
    if (!program)
        return TILEC_ERROR_NO_MEMORY;
    run_context_retain(context);
    program->context = context;
    program->tile_ir = source.tile_ir != 0;
    atomic_init(&program->references, 1);
    arena_init(&program->arena, context->allocator, NULL);
    struct opening opening = {program, &source, TILEC_OK, NULL};
    if (!guard_run(&program->arena, open_program, &opening))
        opening.status = TILEC_ERROR_NO_MEMORY;
    else if (opening.unreadable)
        run_fail(context, opening.status, NULL, "cannot read '%s': %s",
                 source.path ? source.path : "<text>", opening.unreadable);
    else
        run_report_add(context, &program->diagnostics);
    close_file(&program->files);
    if (opening.status == TILEC_OK)
        *result = program;
    else
        run_program_release(program);
    return opening.status;
}

tilec_status tilec_program_create(tilec_context *context, const tilec_source *source,
                                  tilec_program **program)
{
    if (program)
        *program = NULL;
    if (!context || !program)
        return run_misused(context);
    run_enter(context);
    return run_leave(context, run_program_create(context, source, program));
}

void run_program_release(tilec_program *program)
{
    if (!program || atomic_fetch_sub(&program->references, 1) != 1)
        return;
    tilec_context *context = program->context;
    arena_free(&program->arena);
    run_free(context, program);
    run_context_release(context);
}

void tilec_program_destroy(tilec_program *program)
{
    if (!program)
        return;
    run_wait(program->context);
    run_program_release(program);
}

/* ---- listing --------------------------------------------------------------------------------- */

size_t tilec_program_file_count(const tilec_program *program)
{
    return program ? program->files.count : 0;
}

const char *tilec_program_file(const tilec_program *program, size_t index)
{
    return program && index < program->files.count ? program->files.items[index]->name : NULL;
}

size_t tilec_program_kernel_count(const tilec_program *program)
{
    if (!program)
        return 0;
    return program->unit ? (size_t)program->unit->kernel_count : 1;
}

const char *tilec_program_kernel_name(const tilec_program *program, size_t index)
{
    if (!program || index >= tilec_program_kernel_count(program))
        return NULL;
    return program->unit ? program->unit->kernels[index].name : program->ir->func->name;
}

static void describe_lang(const struct lang_parameter *from, tilec_parameter *to)
{
    to->name = from->name;
    to->type = (tilec_type)from->elem;
    to->is_const = from->is_const;
    to->is_restrict = from->is_restrict;
    to->is_fixed = from->is_fixed;
    to->kind = from->is_layout      ? TILEC_LAYOUT
               : from->is_constexpr ? TILEC_CONSTEXPR
               : from->pointer      ? TILEC_BUFFER
                                    : TILEC_SCALAR;
}

static void describe_ir(const struct ir_parameter *from, tilec_parameter *to)
{
    to->name = from->name;
    to->type = (tilec_type)from->type.elem;
    to->is_const = from->is_const;
    to->is_restrict = from->is_restrict;
    to->is_fixed = from->is_fixed;
    to->fixed_bits = from->fixed;
    to->kind = from->type.pointer ? TILEC_BUFFER : TILEC_SCALAR;
}

/* Number of parameters, or -1 without such a kernel. */
static int parameters_of(const tilec_program *program, const char *name,
                         const struct lang_kernel **kernel)
{
    *kernel = program->unit ? lang_find_kernel(program->unit, name) : NULL;
    if (*kernel)
        return (*kernel)->parameter_count;
    if (program->ir && (!name || strcmp(name, program->ir->func->name) == 0))
        return program->ir->func->parameter_count;
    return -1;
}

tilec_status tilec_program_parameter_count(const tilec_program *program, const char *kernel,
                                           size_t *count)
{
    const struct lang_kernel *found;
    if (count)
        *count = 0;
    if (!program || !count)
        return TILEC_ERROR_INVALID;
    int parameters = parameters_of(program, kernel, &found);
    if (parameters < 0)
        return TILEC_ERROR_NOT_FOUND;
    *count = (size_t)parameters;
    return TILEC_OK;
}

tilec_status tilec_program_parameter(const tilec_program *program, const char *kernel, size_t index,
                                     tilec_parameter *parameter)
{
    const struct lang_kernel *found;
    if (parameter)
        *parameter = (tilec_parameter){0};
    if (!program || !parameter)
        return TILEC_ERROR_INVALID;
    int count = parameters_of(program, kernel, &found);
    if (count < 0)
        return TILEC_ERROR_NOT_FOUND;
    if (index >= (size_t)count)
        return TILEC_ERROR_INVALID;
    if (found)
        describe_lang(&found->parameters[index], parameter);
    else
        describe_ir(&program->ir->func->parameters[index], parameter);
    return TILEC_OK;
}
