/* Compiled kernels: what they know of themselves, and their code; see run.h. */
#include "run/run.h"

#include <stdio.h>

tilec_status run_kernel_new(tilec_context *context, tilec_kernel **result)
{
    tilec_kernel *kernel = run_allocate(context, 1, sizeof *kernel);
    if (!kernel)
        return TILEC_ERROR_NO_MEMORY;
    run_context_retain(context);
    kernel->context = context;
    atomic_init(&kernel->references, 1);
    arena_init(&kernel->arena, context->allocator, NULL);
    *result = kernel;
    return TILEC_OK;
}

void run_kernel_release(tilec_kernel *kernel)
{
    if (!kernel || atomic_fetch_sub(&kernel->references, 1) != 1)
        return;
    tilec_context *context = kernel->context;
    run_launch_free(kernel->launch);
    for (unsigned v = 0; v < CPU_VARIANT_COUNT; v++)
        run_kernel_release(kernel->others[v]);
    elf_unload(kernel->image);
    if (kernel->backend && kernel->backend->release)
        kernel->backend->release(kernel);
    arena_free(&kernel->arena);
    run_program_release(kernel->program);
    run_free(context, kernel);
    run_context_release(context);
}

void tilec_kernel_destroy(tilec_kernel *kernel)
{
    if (!kernel)
        return;
    run_wait(kernel->context);
    run_kernel_release(kernel);
}

void run_kernel_describe(tilec_kernel *kernel, const struct ir_kernel *ir)
{
    struct arena *arena = &kernel->arena;
    const struct ir_func *func = ir->func;
    const bool *reads = ir_reads(arena, func);
    kernel->name = arena_format(arena, "%s", func->name);
    kernel->parameter_count = func->parameter_count;
    kernel->parameters = ARENA_ARRAY(arena, struct run_parameter, (size_t)func->parameter_count);
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *from = &func->parameters[i];
        kernel->parameters[i] = (struct run_parameter){arena_format(arena, "%s", from->name),
                                                       (enum ir_elem)from->type.elem,
                                                       from->type.pointer,
                                                       from->is_const,
                                                       from->is_restrict,
                                                       from->is_fixed,
                                                       from->fixed,
                                                       reads[i]};
        if (from->type.pointer)
            kernel->pointer_count++;
        else
            kernel->scalar_count++;
    }
    kernel->grid_rank = ir->grid ? ir->grid->result_count : 0;
    kernel->require_count = ir->require_count;
    kernel->require_texts = ARENA_ARRAY(arena, const char *, (size_t)ir->require_count);
    for (int i = 0; i < ir->require_count; i++)
        kernel->require_texts[i] = arena_format(arena, "%s", ir->launch_requires[i].text);
}

/* ---- code ------------------------------------------------------------------------------------ */

static tilec_status load_objects(tilec_kernel *kernel, const struct run_objects *objects,
                                 const char **why)
{
    struct elf_load load = {.allocator = kernel->context->allocator, .resolve = run_resolve};
    for (int i = 0; i < objects->count; i++) {
        load.before = kernel->image;
        struct elf_image *image = elf_load(&load, objects->items[i].bytes, objects->items[i].size);
        *why = load.why;
        if (!image)
            return load.out_of_memory ? TILEC_ERROR_NO_MEMORY : TILEC_ERROR_INTERNAL;
        kernel->image = image;
    }
    return TILEC_OK;
}

tilec_status run_kernel_load(tilec_kernel *kernel, const struct run_objects *objects, bool alone,
                             const char **why)
{
    tilec_status status = load_objects(kernel, objects, why);
    struct elf_image *image = kernel->image;
    if (status != TILEC_OK)
        return status;
    bool complete = kernel->stats.variants != 0;
    for (unsigned v = 0; v < CPU_VARIANT_COUNT; v++) {
        char symbol[32];
        snprintf(symbol, sizeof symbol, RUN_SYMBOL ".%u", v);
        *(void **)&kernel->code[v] = elf_symbol(image, symbol);
        complete = complete && (kernel->code[v] || !(kernel->stats.variants >> v & 1));
    }
    kernel->primary = complete ? (unsigned)__builtin_ctz(kernel->stats.variants) : 0;
    *(void **)&kernel->grid = elf_symbol(image, RUN_SYMBOL ".grid");
    *(void **)&kernel->require = elf_symbol(image, RUN_SYMBOL ".require");
    *(void **)&kernel->needs = elf_symbol(image, RUN_SYMBOL ".needs");
    *why = "the object lacks a function";
    complete = complete && (alone || ((kernel->grid || !kernel->grid_rank) &&
                                      (kernel->require || !kernel->require_count)));
    return complete ? TILEC_OK : TILEC_ERROR_INTERNAL;
}

/* ---- asking ---------------------------------------------------------------------------------- */

const char *tilec_kernel_name(const tilec_kernel *kernel)
{
    return kernel ? kernel->name : NULL;
}

size_t tilec_kernel_parameter_count(const tilec_kernel *kernel)
{
    return kernel ? (size_t)kernel->parameter_count : 0;
}

tilec_status tilec_kernel_parameter(const tilec_kernel *kernel, size_t index,
                                    tilec_parameter *parameter)
{
    if (parameter)
        *parameter = (tilec_parameter){0};
    if (!kernel || !parameter || index >= (size_t)kernel->parameter_count)
        return TILEC_ERROR_INVALID;
    const struct run_parameter *from = &kernel->parameters[index];
    parameter->name = from->name;
    parameter->kind = from->pointer ? TILEC_BUFFER : TILEC_SCALAR;
    parameter->type = (tilec_type)from->elem;
    parameter->is_const = from->is_const;
    parameter->is_restrict = from->is_restrict;
    parameter->is_fixed = from->is_fixed;
    parameter->fixed_bits = from->fixed;
    return TILEC_OK;
}

tilec_status tilec_kernel_get_info(const tilec_kernel *kernel, tilec_kernel_info *info)
{
    tilec_kernel_info filled = {0};
    if (!kernel || !info || !run_is_struct_size(info->size))
        return TILEC_ERROR_INVALID;
    /* A launch in another thread may add a variant, which may need more scratch memory. */
    pthread_mutex_lock(&kernel->context->lock);
    filled.size = info->size;
    filled.target = kernel->backend->name;
    filled.cpu = kernel->cpu;
    filled.from_cache = kernel->from_cache;
    filled.has_grid = kernel->grid_rank > 0;
    filled.vector_bytes = kernel->stats.vector_bytes;
    filled.scratch_bytes = kernel->stats.scratch_bytes;
    filled.seconds = kernel->seconds;
    pthread_mutex_unlock(&kernel->context->lock);
    size_t known = info->size < sizeof filled ? info->size : sizeof filled;
    for (size_t i = 0; i < known; i++)
        ((unsigned char *)info)[i] = ((const unsigned char *)&filled)[i];
    return TILEC_OK;
}
