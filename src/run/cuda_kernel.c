/*
 * A kernel's code on a CUDA device; see cuda.h.
 *
 * Code is made for what is known of the arguments: which addresses and integers are multiples of 16
 * decides which accesses may be vectors, how full a tile is which need masks, and the number of
 * programs sometimes how many threads are best. That for multiples everywhere and full tiles is
 * made at once; other variants when a launch wants them, as far as it matters. Cubins are kept on
 * the disk under the fingerprint of all that NVRTC saw: the text, its options, the architecture and
 * its version.
 */
#include "run/cuda.h"

#include "base/guard.h"
#include "base/sha256.h"
#include "emit/emit.h"

#include <string.h>

/* ---- cubins ---------------------------------------------------------------------------------- */

static void cubin_key(const struct run_job *job, const struct nvrtc_request *request,
                      unsigned char key[RUN_KEY_BYTES])
{
    struct sha256 hash;
    sha256_init(&hash);
    sha256_add_string(&hash, "tilec cubin 1");
    sha256_add_u64(&hash, (uint64_t)nvrtc_version(job->context->nvrtc));
    sha256_add_string(&hash, request->arch);
    sha256_add_u64(&hash, (uint64_t)request->relaxed);
    sha256_add_string(&hash, request->define);
    sha256_add_string(&hash, request->text);
    sha256_end(&hash, key);
}

/* job->kernel->from_cache says where it came from. */
static bool get_cubin(struct run_job *job, const struct nvrtc_request *request,
                      struct run_entry *cubin)
{
    unsigned char key[RUN_KEY_BYTES];
    char why[512];
    struct nvrtc_output output;
    const char *directory = job->options.passes ? NULL : job->context->cache_directory;
    if (!job->context->nvrtc)
        job->context->nvrtc = nvrtc_open(why, sizeof why);
    if (!job->context->nvrtc)
        directory = NULL; /* nvcc does not tell its version for nothing */
    if (directory) {
        cubin_key(job, request, key);
        cubin->bytes = run_cache_find(directory, key, job->arena, &cubin->size);
        job->kernel->from_cache = cubin->bytes != NULL;
        if (cubin->bytes)
            return true;
    }
    if (!run_job_nvrtc(job, request, &output))
        return false;
    *cubin = (struct run_entry){(const unsigned char *)output.bytes, output.size};
    if (directory)
        run_cache_store(directory, key, *cubin);
    return true;
}

/* ---- loading --------------------------------------------------------------------------------- */

static bool fail_with(struct run_job *job, int error, const char *what)
{
    const struct cuda_kernel *kernel = job->kernel->device;
    const struct run_cuda *cuda = kernel->cuda;
    const char *text = NULL;
    cuda->driver.error_string(error, &text);
    return run_job_fail(job, error == CUDA_NO_MEMORY ? TILEC_ERROR_NO_MEMORY : TILEC_ERROR_DEVICE,
                        NULL, "kernel '%s': %s: %s (error %d)", job->kernel->name, what,
                        text ? text : "unknown error", error);
}

static bool load(struct run_job *job, struct run_entry cubin, struct cuda_variant *variant)
{
    struct cuda_kernel *kernel = job->kernel->device;
    struct run_cuda *cuda = kernel->cuda;
    const struct cuda_driver *d = &cuda->driver;
    bool entered;
    const char *what = "the code cannot be loaded";
    int error = run_cuda_enter(cuda, &entered);
    if (!error)
        error = d->load(&variant->module, cubin.bytes);
    if (!error) {
        what = "the code lacks the kernel";
        error = d->function(&variant->function, variant->module, kernel->function_name);
    }
    if (!error && variant->dynamic_shared_bytes) {
        what = "the device does not give that much shared memory";
        error = d->set_function(variant->function, CUDA_FUNCTION_MOST_DYNAMIC_SHARED_BYTES,
                                (int)variant->dynamic_shared_bytes);
    }
    if (error && variant->module)
        d->unload(variant->module);
    run_cuda_leave(cuda, entered);
    return error ? fail_with(job, error, what) : true;
}

/* Whether the device runs a cluster of the variant's blocks at all; a part of a GPU may not. */
static bool takes_cluster(const struct run_job *job, const struct cuda_variant *variant)
{
    struct cuda_kernel *kernel = job->kernel->device;
    struct cuda_launch_attribute attribute = {.id = CUDA_ATTRIBUTE_CLUSTER,
                                              .value = {.cluster = {variant->blocks, 1, 1}}};
    struct cuda_launch_config config = {
        .grid = {variant->blocks, 1, 1},
        .block = {variant->threads, 1, 1},
        .shared_bytes = variant->dynamic_shared_bytes,
        .attributes = &attribute,
        .attribute_count = 1,
    };
    int clusters = 0;
    bool entered;
    int error = run_cuda_enter(kernel->cuda, &entered);
    if (!error)
        error = kernel->cuda->driver.cluster_occupancy(&clusters, variant->function, &config);
    run_cuda_leave(kernel->cuda, entered);
    return !error && clusters > 0;
}

void run_cuda_unload(tilec_kernel *kernel)
{
    struct cuda_kernel *c = kernel->device;
    bool entered;
    bool lost = run_cuda_enter(c->cuda, &entered) != 0; /* and what was loaded with it */
    for (int i = 0; i < c->variant_count && !lost; i++)
        c->cuda->driver.unload(c->variants[i].module);
    run_cuda_leave(c->cuda, entered);
}

/* ---- variants -------------------------------------------------------------------------------- */

struct wanted { /* of a variant, as its fields */
    uint64_t aligned;
    bool short_arrays, folded, alone, overlaps, many, crowd, is_long;
    struct gpu_known_range bound;
};

static const char **keep_names(struct arena *arena, const char *const *names, int count)
{
    const char **kept = ARENA_ARRAY(arena, const char *, (size_t)count + 1);
    for (int i = 0; i < count; i++)
        kept[i] = arena_format(arena, "%s", names[i]);
    return kept;
}

/* What of the caller's pass options concerns variants that are made when he no longer holds them. */
static struct gpu_options keep_passes(struct arena *arena, const struct gpu_options *given)
{
    struct gpu_options kept = {.verify_each = given->verify_each,
                               .off_count = given->off_count,
                               .only_count = given->only_count,
                               .limited = given->limited,
                               .limit = given->limit};
    kept.off = keep_names(arena, given->off, given->off_count);
    if (given->only)
        kept.only = keep_names(arena, given->only, given->only_count);
    if (given->stop_after)
        kept.stop_after = arena_format(arena, "%s", given->stop_after);
    return kept;
}

/* Code as planned, loaded; job->ir: optimised. */
static struct gpu_kernel *make_code(struct run_job *job, const struct gpu_plan *plan,
                                    struct cuda_variant *variant)
{
    struct cuda_kernel *kernel = job->kernel->device;
    struct gpu_options options = kernel->passes;
    struct run_entry cubin;
    struct text text;
    if (job->options.passes && !run_job_gpu_options(job, &options))
        return NULL;
    struct gpu_kernel *gpu = gpu_lower(job->ir, plan, &options, job->arena, &job->diagnostics);
    if (!gpu) {
        job->status = job->options.passes ? TILEC_ERROR_INVALID : TILEC_ERROR_COMPILE;
        return NULL;
    }
    if (!run_job_gpu_text(job, gpu, &text))
        return NULL;
    struct nvrtc_request request = {
        .text = text.items, .arch = job->arch, .relaxed = kernel->relaxed};
    variant->blocks = (unsigned)gpu->blocks;
    variant->programs = (unsigned)gpu->programs;
    variant->threads = (unsigned)(gpu->threads / gpu->blocks * gpu->programs);
    variant->dynamic_shared_bytes = (unsigned)emit_dynamic_shared(gpu, &emit_cuda);
    return get_cubin(job, &request, &cubin) && load(job, cubin, variant) ? gpu : NULL;
}

/* Where the device takes no cluster, one block runs a program. */
static bool add_variant(struct run_job *job, const struct gpu_plan *plan, const struct wanted *wanted)
{
    struct cuda_kernel *kernel = job->kernel->device;
    struct gpu_plan known = *plan;
    struct cuda_variant variant = {.aligned = wanted->aligned,
                                   .short_arrays = wanted->short_arrays,
                                   .folded = wanted->folded,
                                   .alone = wanted->alone,
                                   .overlaps = wanted->overlaps,
                                   .many = wanted->many,
                                   .crowd = wanted->crowd,
                                   .is_long = wanted->is_long,
                                   .bound = wanted->bound};
    known.aligned = wanted->aligned;
    known.short_arrays = wanted->short_arrays;
    known.folds_grid = wanted->folded;
    known.one_block = wanted->alone;
    known.overlaps = wanted->overlaps;
    known.crowd = wanted->crowd;
    known.is_long = wanted->is_long;
    known.bound = wanted->bound;
    known.many_programs = wanted->many;
    known.hoists = true;
    struct gpu_kernel *gpu = make_code(job, &known, &variant);
    if (gpu && gpu->plan->cluster && !takes_cluster(job, &variant)) {
        known.one_block = true;
        kernel->cuda->driver.unload(variant.module);
        variant.module = NULL;
        gpu = make_code(job, &known, &variant);
    }
    if (!gpu)
        return false;
    variant.prologue = host_function_new(gpu->prologue, job->arena);
    variant.uniform_count = gpu->prologue ? gpu->uniform_count : 0;
    if (kernel->variant_count == 0) {
        kernel->relevant = gpu->aligned_used;
        kernel->long_launch = gpu->plan->long_launch;
    }
    variant.aligned &= kernel->relevant;
    variant.minds_programs = gpu->plan->minds_programs;
    variant.minds_crowd = gpu->plan->minds_crowd;
    kernel->variants[kernel->variant_count++] = variant;
    return true;
}

void run_cuda_compile(struct run_job *job)
{
    char why[256];
    tilec_kernel *kernel = job->kernel;
    struct run_cuda *cuda = run_cuda_open(job->context, why, sizeof why);
    if (!cuda) {
        run_job_fail(job, TILEC_ERROR_TARGET, "'tilec devices' lists what can be used here",
                     "the target 'cuda' is not available: %s", why);
        return;
    }
    if (!job->options.arch)
        job->options.arch = cuda->arch;
    if (!run_job_select_gpu(job) || !run_job_lower(job) || !run_job_needs(job))
        return;
    struct gpu_options passes;
    job->has_gpu_passes = true;
    struct gpu_plan *plan = run_job_gpu_plan(job);
    if (!plan || !run_job_gpu_options(job, &passes))
        return;
    run_kernel_describe(kernel, job->ir);
    struct cuda_kernel *made = ARENA_NEW(&kernel->arena, struct cuda_kernel);
    made->passes = keep_passes(&kernel->arena, &passes);
    made->cuda = cuda;
    made->plan = plan;
    made->ir = job->ir;
    made->arch = arena_format(&kernel->arena, "%s", job->arch);
    made->function_name = arena_format(&kernel->arena, "%s_kernel", job->ir->func->name);
    made->relaxed = job->options.relaxed != 0;
    made->bound = gpu_find_tile_bound(job->ir->func);
    made->grid = host_function_new(job->ir->grid, &kernel->arena);
    made->needs = host_function_new(job->ir->needs, &kernel->arena);
    made->conditions =
        ARENA_ARRAY(&kernel->arena, struct host_function *, (size_t)job->ir->require_count + 1);
    for (int i = 0; i < job->ir->require_count; i++)
        made->conditions[i] =
            host_function_new(job->ir->launch_requires[i].condition, &kernel->arena);
    kernel->cpu = made->arch;
    kernel->device = made;
    kernel->backend = &run_backend_cuda;
    atomic_fetch_add(&job->program->references, 1); /* for diagnostics of later variants */
    kernel->program = job->program;
    add_variant(job, plan,
                &(struct wanted){.aligned = run_alignable(job->ir->func),
                                 .short_arrays = true,
                                 .many = plan->many_programs,
                                 .bound = gpu_bound_range(&made->bound, GPU_BOUND_PARTS - 1)});
}

/* ---- at a launch ----------------------------------------------------------------------------- */

static uint64_t alignment_of(const struct run_launch *launch)
{
    const struct cuda_kernel *kernel = launch->kernel->device;
    uint64_t relevant = kernel->relevant, set = 0;
    for (; relevant; relevant &= relevant - 1) {
        int i = __builtin_ctzll(relevant);
        if (launch->values[i] % 16 == 0)
            set |= UINT64_C(1) << i;
    }
    return set;
}

/* The first few values have code of their own: rows of one length are the rule. Others share what is
 * made for a part of the tile. */
static struct gpu_known_range bound_of_launch(const struct run_launch *launch)
{
    struct cuda_kernel *kernel = launch->kernel->device;
    int i = kernel->bound.parameter, k = 0;
    if (i < 0)
        return (struct gpu_known_range){0};
    uint64_t bits = launch->values[i];
    int64_t value = launch->kernel->parameters[i].elem == IR_I32 ? (int32_t)bits : (int64_t)bits;
    while (k < kernel->value_count && kernel->values[k] != value)
        k++;
    if (k == CUDA_MOST_VALUES || value < 0)
        return gpu_bound_range(&kernel->bound, gpu_bound_part(&kernel->bound, value));
    if (k == kernel->value_count)
        kernel->values[kernel->value_count++] = value;
    return gpu_bound_value(&kernel->bound, value);
}

static bool same_range(const struct gpu_known_range *a, const struct gpu_known_range *b)
{
    return a->known == b->known && a->parameter == b->parameter && a->least == b->least &&
           a->most == b->most;
}

/* Every array is known to be no longer than 32-bit indices reach. */
static bool are_arrays_short(const struct run_launch *launch)
{
    for (int i = 0; i < launch->kernel->parameter_count; i++)
        if (launch->kernel->parameters[i].pointer &&
            (launch->elements[i] < 0 || launch->elements[i] > INT64_C(1) << 31))
            return false;
    return true;
}

static const struct cuda_variant *find(const struct cuda_kernel *kernel, const struct wanted *wanted)
{
    for (int i = 0; i < kernel->variant_count; i++) {
        const struct cuda_variant *v = &kernel->variants[i];
        if (v->aligned == wanted->aligned && v->short_arrays == wanted->short_arrays &&
            v->folded == wanted->folded && v->alone == wanted->alone &&
            v->overlaps == wanted->overlaps && same_range(&v->bound, &wanted->bound) &&
            (v->many == wanted->many || !v->minds_programs) &&
            (v->crowd == wanted->crowd || !v->minds_crowd) && v->is_long == wanted->is_long)
            return v;
    }
    return NULL;
}

static void make_variant(struct run_job *job)
{
    const struct cuda_kernel *kernel = job->kernel->device;
    job->ir = (struct ir_kernel *)(uintptr_t)kernel->ir;
    job->target = RUN_CUDA;
    job->arch = kernel->arch;
    add_variant(job, kernel->plan, job->user);
}

int64_t run_cuda_width(const struct run_launch *launch)
{
    const struct cuda_launch *cuda = launch->device;
    return cuda->folded ? launch->programs : launch->grid[0];
}

/* Room for the variant's parameters behind the kernel's own. */
static bool fit_uniforms(struct run_launch *launch)
{
    struct cuda_launch *cuda = launch->device;
    tilec_context *context = launch->kernel->context;
    int own = launch->kernel->parameter_count;
    int count =
        cuda->variant->uniform_count + (cuda->folded ? 3 : 0) + (cuda->variant->programs > 1);
    if (count <= cuda->room)
        return true;
    void **parameters = run_allocate(context, (size_t)(own + count), sizeof *parameters);
    uint64_t *uniforms = run_allocate(context, (size_t)count, sizeof *uniforms);
    if (!parameters || !uniforms) {
        run_free(context, parameters);
        run_free(context, uniforms);
        return false;
    }
    for (int i = 0; i < own + count; i++)
        parameters[i] = i < own ? &launch->values[i] : &uniforms[i - own];
    run_free(context, cuda->parameters);
    run_free(context, cuda->uniforms);
    cuda->parameters = parameters;
    cuda->uniforms = uniforms;
    cuda->room = count;
    return true;
}

static tilec_status take_variant(struct run_launch *launch, const struct cuda_variant *variant)
{
    struct cuda_launch *cuda = launch->device;
    cuda->variant = variant;
    if (!fit_uniforms(launch))
        return TILEC_ERROR_NO_MEMORY;
    if (variant->prologue)
        host_function_call(variant->prologue, launch->inputs, cuda->uniforms);
    uint64_t *sizes = cuda->uniforms + variant->uniform_count;
    for (int axis = 0; cuda->folded && axis < 3; axis++)
        *sizes++ = (uint64_t)launch->grid[axis];
    if (variant->programs > 1)
        *sizes = (uint64_t)run_cuda_width(launch);
    return TILEC_OK;
}

tilec_status run_cuda_choose(struct run_launch *launch)
{
    tilec_kernel *kernel = launch->kernel;
    struct cuda_kernel *cuda = kernel->device;
    bool folded = ((struct cuda_launch *)launch->device)->folded;
    /* Blocks of all programs must be few enough for the first axis. */
    bool alone = folded || launch->grid[0] > INT32_MAX / GPU_MOST_BLOCKS;
    /* What makes overlapping safe costs small blocks up to a quarter of their time. */
    bool overlaps = ((struct cuda_launch *)launch->device)->overlap;
    /* Launches that overlap took the same time with either. */
    bool many = !overlaps && launch->programs >= GPU_MANY_PROGRAMS;
    bool crowd = !folded && launch->grid[0] >= GPU_CROWD;
    bool is_long = cuda->long_launch > 0 && launch->programs >= cuda->long_launch;
    struct wanted wanted = {.aligned = alignment_of(launch),
                            .short_arrays = are_arrays_short(launch),
                            .folded = folded,
                            .alone = alone,
                            .overlaps = overlaps,
                            .many = many,
                            .crowd = crowd,
                            .is_long = is_long,
                            .bound = bound_of_launch(launch)};
    const struct cuda_variant *variant = find(cuda, &wanted);
    if (variant)
        return take_variant(launch, variant);
    if (cuda->variant_count >= CUDA_MOST_VARIANTS - 6) /* the last six do for all arguments */
        wanted = (struct wanted){.folded = folded, .alone = alone, .overlaps = overlaps};
    if (!find(cuda, &wanted)) {
        struct run_job job = {.variant = RUN_PRIMARY, .kernel = kernel, .user = &wanted};
        tilec_compile_options options = {.size = sizeof options,
                                         .target = "cuda",
                                         .kernel = kernel->name,
                                         .relaxed = cuda->relaxed};
        bool from_cache = kernel->from_cache;
        tilec_status status = run_job_run(&job, kernel->program, &options, make_variant);
        run_job_end(&job);
        kernel->from_cache = from_cache;
        if (status != TILEC_OK)
            return status;
        run_report_clear(kernel->context); /* warnings were shown before */
    }
    variant = find(cuda, &wanted);
    return variant ? take_variant(launch, variant) : TILEC_ERROR_INTERNAL;
}
