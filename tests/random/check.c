/*
 * Runs a kernel on several targets and compares all that it may have written.
 *
 * The first target is the interpreter: it checks that the kernel keeps its promises (no access
 * outside, no race), and says for every element how far the other targets may be off. Integers and
 * exact floats must agree bit for bit; a NaN is any NaN.
 */
#include "c/native.h"
#include "kernel.h"

#include "base/half.h"
#include "tests/pages.h"

#include <tilec/tilec.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct checker {
    tilec_context *context;
    int count;
    char (*targets)[TARGET_NAME];
    const char *level;
    const char *requirement;
    struct native natives[MAX_TARGETS]; /* of the targets that are compilers of C */
};

static const char *compiler_of(const char *target)
{
    return strncmp(target, "c:", 2) == 0 ? target + 2 : NULL;
}

struct checker *checker_create(int count, char targets[][TARGET_NAME], const char *level,
                               const char *requirement)
{
    struct checker *checker = calloc(1, sizeof *checker);
    const tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    if (!checker || tilec_context_create(&options, &checker->context) != TILEC_OK) {
        free(checker);
        return NULL;
    }
    checker->count = count;
    checker->targets = targets;
    checker->level = level;
    checker->requirement = requirement;
    return checker;
}

bool checker_is_available(const struct checker *checker)
{
    tilec_device device;
    for (int t = 0; t < checker->count; t++) {
        const char *compiler = compiler_of(checker->targets[t]);
        if (compiler && !native_is_available(compiler)) {
            printf("skipped: '%s' is no compiler of C with half here\n", compiler);
            fflush(stdout);
            return false;
        }
        for (size_t i = 0; tilec_device_get(checker->context, i, &device) == TILEC_OK; i++) {
            if (strcmp(device.target, checker->targets[t]) != 0 || device.available)
                continue;
            printf("skipped: %s: %s\n", device.target, device.description);
            fflush(stdout); /* this process ends without */
            return false;
        }
    }
    return true;
}

void checker_destroy(struct checker *checker)
{
    if (checker) {
        for (int t = 0; t < checker->count; t++)
            native_close(&checker->natives[t]);
        tilec_context_destroy(checker->context);
    }
    free(checker);
}

void checker_compile(struct checker *checker, struct kernel *const *kernels, uint64_t count)
{
    for (int t = 0; t < checker->count; t++) {
        native_close(&checker->natives[t]);
        if (compiler_of(checker->targets[t]))
            native_open(&checker->natives[t], compiler_of(checker->targets[t]), kernels, count);
    }
}

static void fail(struct result *result, enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fail(struct result *result, enum outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result->outcome = outcome;
    vsnprintf(result->detail, sizeof result->detail, format, arguments);
    va_end(arguments);
}

static void fail_with_diagnostics(struct checker *checker, struct result *result,
                                  enum outcome outcome, const char *target, tilec_status status)
{
    tilec_diagnostic diagnostic;
    fail(result, outcome, "%s: %s\n", target, tilec_status_string(status));
    for (size_t i = 0; tilec_diagnostic_get(checker->context, i, &diagnostic) == TILEC_OK; i++) {
        if (diagnostic.kind != TILEC_DIAGNOSTIC_ERROR)
            continue;
        size_t used = strlen(result->detail);
        snprintf(result->detail + used, sizeof result->detail - used, "%s", diagnostic.text);
    }
}

/* Overflow, division by zero and oversized shifts have results of their own and are what random
 * kernels do; everything else that the interpreter finds is a defect. */
static bool only_arithmetic_faults(struct checker *checker)
{
    static const char *const allowed[] = {"signed overflow", "integer division by zero",
                                          "shift count out of range"};
    tilec_diagnostic diagnostic;
    for (size_t i = 0; tilec_diagnostic_get(checker->context, i, &diagnostic) == TILEC_OK; i++) {
        bool fine = diagnostic.kind != TILEC_DIAGNOSTIC_ERROR;
        for (int k = 0; k < 3; k++)
            fine |= strncmp(diagnostic.message, allowed[k], strlen(allowed[k])) == 0;
        if (!fine)
            return false;
    }
    return true;
}

/* ---- one run -------------------------------------------------------------------------------- */

enum { LINE = 64 };
/* Places of arrays; the last two are beside pages that cannot be touched. */
enum { NOT_FENCED = -1, AT_PAGE_BEGIN = -2, AT_PAGE_END = -3 };

struct run {
    tilec_argument arguments[MAX_PARAMETERS];
    size_t count;
    /* Arrays lie between fences, so many elements behind the start of a cache line; or one of the
     * places above. */
    int offset;
    unsigned char *block; /* where arrays overlap, or NULL */
    double *allowed;      /* of its elements, or NULL */
};

static size_t bytes_of(const struct parameter *p)
{
    return (size_t)p->elements * (size_t)(bits_of(p->elem) / 8);
}

enum { FENCE = 0x5a };

static unsigned char *fenced_memory(const struct kernel *kernel, size_t bytes, enum ir_elem elem,
                                    int offset)
{
    unsigned char *block = arena_alloc(kernel->arena, bytes + 4 * LINE);
    size_t to_line = LINE - (uintptr_t)block % LINE;
    size_t front = to_line + LINE + (size_t)offset * (size_t)(bits_of(elem) / 8) % LINE;
    memset(block, FENCE, bytes + 4 * LINE);
    return block + front;
}

static void *memory_for(const struct kernel *kernel, const struct run *run, size_t bytes,
                        enum ir_elem elem)
{
    if (run->offset == NOT_FENCED)
        return arena_alloc(kernel->arena, bytes + LINE);
    if (run->offset >= 0)
        return fenced_memory(kernel, bytes, elem, run->offset);
    void *data = pages_new(bytes, run->offset == AT_PAGE_END ? PAGES_END : PAGES_BEGIN);
    if (!data)
        longjmp(*kernel->arena->on_failure, 1);
    return data;
}

static bool stands_fenced(const struct run *run, const unsigned char *data, size_t bytes)
{
    if (run->offset < 0)
        return run->offset == NOT_FENCED || pages_are_whole(data, bytes);
    for (size_t k = 1; k <= LINE; k++)
        if (data[-(ptrdiff_t)k] != FENCE || data[bytes + k - 1] != FENCE)
            return false;
    return true;
}

static bool fences_stand(const struct kernel *kernel, const struct run *run)
{
    size_t argument = 0;
    if (run->block && !stands_fenced(run, run->block, (size_t)kernel->block_bytes))
        return false;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct parameter *p = kernel->parameters[i];
        if (!p->used)
            continue;
        const unsigned char *data = run->arguments[argument++].data;
        if (p->kind != PARAMETER_SCALAR && !p->in_block && !stands_fenced(run, data, bytes_of(p)))
            return false;
    }
    return true;
}

/* The argument of the same buffer that was prepared already, or NULL. */
static const tilec_argument *same_buffer(const struct kernel *kernel, const struct parameter *p,
                                         const struct run *run)
{
    size_t argument = 0;
    for (int i = 0; p->same_as && i < kernel->parameter_count; i++) {
        if (kernel->parameters[i] == p->same_as && p->same_as->used)
            return &run->arguments[argument];
        argument += kernel->parameters[i]->used ? 1 : 0;
    }
    return NULL;
}

static void *new_memory(const struct kernel *kernel, const struct parameter *p,
                        const struct run *run)
{
    void *data = memory_for(kernel, run, bytes_of(p), p->elem);
    render_data(kernel, p, data);
    return data;
}

/* bounds: of its elements as well; where they have several types, those are integers. */
static void prepare_block(const struct kernel *kernel, struct run *run, bool bounds)
{
    size_t bytes = (size_t)kernel->block_bytes;
    run->block = memory_for(kernel, run, bytes, IR_I64);
    render_block(kernel, run->block);
    if (bounds && kind_of(kernel->block_elem) == IR_KIND_FLOAT) {
        run->allowed = arena_alloc(kernel->arena, bytes * sizeof(double));
        memset(run->allowed, 0, bytes * sizeof(double));
    }
}

/* Every run gets buffers of its own, with the same data in them. */
static void prepare_run(const struct kernel *kernel, struct run *run, bool bounds)
{
    if (kernel->block_bytes)
        prepare_block(kernel, run, bounds);
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct parameter *p = kernel->parameters[i];
        if (!p->used)
            continue;
        tilec_argument *argument = &run->arguments[run->count++];
        if (p->kind == PARAMETER_SCALAR) {
            *argument = tilec_int((tilec_type)p->elem, 0);
            argument->bits = p->bits;
            continue;
        }
        if (p->in_block) {
            *argument = tilec_array((tilec_type)p->elem, run->block + p->shift, p->elements);
            if (run->allowed)
                argument->allowed = run->allowed + p->shift * 8 / bits_of(p->elem);
            continue;
        }
        const tilec_argument *same = same_buffer(kernel, p, run);
        void *data = same ? same->data : new_memory(kernel, p, run);
        *argument = tilec_array((tilec_type)p->elem, data, p->elements);
        if (same)
            argument->allowed = same->allowed;
        else if (bounds && p->kind != PARAMETER_INPUT)
            argument->allowed = arena_alloc(kernel->arena, (size_t)p->elements * sizeof(double));
    }
}

/* Pages are no memory of the kernel's arena. */
static void free_run(const struct kernel *kernel, const struct run *run)
{
    size_t argument = 0;
    if (run->offset == NOT_FENCED || run->offset >= 0)
        return;
    if (run->block)
        pages_free(run->block, (size_t)kernel->block_bytes);
    for (int i = 0; i < kernel->parameter_count && argument < run->count; i++) {
        const struct parameter *p = kernel->parameters[i];
        if (!p->used)
            continue;
        void *data = run->arguments[argument++].data;
        if (p->kind != PARAMETER_SCALAR && !p->in_block && !(p->same_as && p->same_as->used))
            pages_free(data, bytes_of(p));
    }
}

static bool launch(struct checker *checker, tilec_kernel *kernel, const char *target, int threads,
                   uint64_t order, struct run *run, struct result *result)
{
    const tilec_launch_options options = {.size = sizeof options,
                                          .step_limit = 20000000,
                                          .threads = threads,
                                          .thread_order = order,
                                          .host_buffers = 1};
    tilec_status status = tilec_launch(kernel, NULL, run->arguments, run->count, &options);
    if (status == TILEC_OK)
        return true;
    bool interpreted = strcmp(target, "interp") == 0;
    if (interpreted && status == TILEC_ERROR_FAULT && only_arithmetic_faults(checker))
        return true;
    enum outcome outcome = status == TILEC_ERROR_FAULT ? OUTCOME_FAULT : OUTCOME_LAUNCH;
    fail_with_diagnostics(checker, result, outcome, target, status);
    return false;
}

/* Limits of Metal that generated kernels may meet. */
static bool names_a_limit(struct checker *checker)
{
    static const char *const limits[] = {"takes 31 parameters, not", "bytes of threadgroup memory"};
    tilec_diagnostic diagnostic;
    for (size_t i = 0; tilec_diagnostic_get(checker->context, i, &diagnostic) == TILEC_OK; i++)
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
            if (strstr(diagnostic.message, limits[k]))
                return true;
    return false;
}

/* fixed: the kernel whose scalars are fixed where they say so, or NULL: none are. */
static tilec_source source_of(const char *text, const struct kernel *fixed,
                              tilec_define defines[MAX_PARAMETERS])
{
    tilec_source source = {
        .size = sizeof source, .path = "k.tile.c", .text = text, .defines = defines};
    for (int i = 0; fixed && i < fixed->parameter_count; i++) {
        const struct parameter *p = fixed->parameters[i];
        if (p->used && p->fixed)
            defines[source.define_count++] = (tilec_define){p->name, render_value(fixed->arena, p)};
    }
    return source;
}

static tilec_kernel *compile(struct checker *checker, const char *text, const char *target,
                             const struct kernel *fixed, struct result *result)
{
    bool interpreted = strcmp(target, "interp") == 0;
    tilec_define defines[MAX_PARAMETERS];
    const tilec_source source = source_of(text, fixed, defines);
    const tilec_compile_options options = {.size = sizeof options,
                                           .target = target,
                                           .cpu = interpreted ? NULL : checker->level,
                                           .requirements = &checker->requirement,
                                           .requirement_count = checker->requirement != NULL};
    tilec_kernel *kernel;
    tilec_status status = tilec_compile(checker->context, &source, &options, &kernel);
    if (status != TILEC_OK)
        fail_with_diagnostics(checker, result,
                              names_a_limit(checker) ? OUTCOME_REFUSED : OUTCOME_COMPILE, target,
                              status);
    return kernel;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static uint64_t element_bits(const void *data, int64_t i, enum ir_elem elem)
{
    size_t bytes = (size_t)bits_of(elem) / 8;
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)data + (size_t)i * bytes, bytes);
    return bits;
}

static double real_value(uint64_t bits, enum ir_elem elem)
{
    float narrow;
    double wide;
    switch (elem) {
    case IR_F16:
        return (double)half_to_float((uint16_t)bits);
    case IR_BF16:
        return (double)bfloat_to_float((uint16_t)bits);
    case IR_F32:
        memcpy(&narrow, &bits, sizeof narrow);
        return (double)narrow;
    default:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
}

static bool agree(uint64_t a, uint64_t b, enum ir_elem elem, double allowed)
{
    if (a == b || isinf(allowed))
        return true;
    if (kind_of(elem) != IR_KIND_FLOAT)
        return false;
    double x = real_value(a, elem), y = real_value(b, elem);
    if (isnan(x) && isnan(y))
        return true;
    return allowed > 0 && fabs(x - y) <= allowed;
}

static bool is_same(uint64_t a, uint64_t b, enum ir_elem elem)
{
    return a == b || (kind_of(elem) == IR_KIND_FLOAT && isnan(real_value(a, elem)) &&
                      isnan(real_value(b, elem)));
}

/* Two runs of the same code: the same bits everywhere, but for those of a NaN, which the language
 * does not define. what: of which that is to be independent. */
static void compare_runs(const struct kernel *kernel, const struct run *runs, const char *what,
                         struct result *result)
{
    size_t argument = 0;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct parameter *p = kernel->parameters[i];
        if (!p->used)
            continue;
        const void *a = runs[0].arguments[argument].data, *b = runs[1].arguments[argument].data;
        argument++;
        if (p->kind == PARAMETER_SCALAR || memcmp(a, b, bytes_of(p)) == 0)
            continue;
        for (int64_t k = 0; k < p->elements; k++) {
            uint64_t x = element_bits(a, k, p->elem), y = element_bits(b, k, p->elem);
            if (is_same(x, y, p->elem))
                continue;
            fail(result, OUTCOME_DIFFERENT,
                 "%s depends on %s: [%" PRId64 "] is 0x%" PRIx64 " and 0x%" PRIx64 "\n", p->name,
                 what, k, x, y);
            return;
        }
    }
}

static void compare(const struct kernel *kernel, const char *target, const struct run *reference,
                    const struct run *run, struct result *result)
{
    size_t argument = 0;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct parameter *p = kernel->parameters[i];
        if (!p->used)
            continue;
        const tilec_argument *a = &reference->arguments[argument];
        const tilec_argument *b = &run->arguments[argument++];
        bool written = p->kind != PARAMETER_SCALAR && p->kind != PARAMETER_INPUT;
        for (int64_t k = 0; written && k < p->elements; k++) {
            uint64_t x = element_bits(a->data, k, p->elem), y = element_bits(b->data, k, p->elem);
            double allowed = a->allowed ? a->allowed[k] : 0;
            *(allowed == 0     ? &result->exact
              : isinf(allowed) ? &result->unknown
                               : &result->bounded) += 1;
            if (agree(x, y, p->elem, allowed))
                continue;
            bool is_float = kind_of(p->elem) == IR_KIND_FLOAT;
            fail(result, OUTCOME_DIFFERENT,
                 "%s: %s[%" PRId64 "] of %s: 0x%" PRIx64 " and 0x%" PRIx64 " (%.9g and %.9g), "
                 "allowed %.3g\n",
                 target, p->name, k, c_name(p->elem), x, y,
                 is_float ? real_value(x, p->elem) : (double)(int64_t)x,
                 is_float ? real_value(y, p->elem) : (double)(int64_t)y, allowed);
            return;
        }
    }
}

/* Runs the kernel as C, and compares. */
static void check_native(struct checker *checker, struct kernel *kernel, int target,
                         const struct run *reference, struct result *result)
{
    struct run run = {.offset = NOT_FENCED};
    void *data[MAX_PARAMETERS];
    native_kernel *function = native_find(&checker->natives[target], kernel);
    if (!function) { /* one of the others may be to blame */
        native_close(&checker->natives[target]);
        native_open(&checker->natives[target], compiler_of(checker->targets[target]), &kernel, 1);
        function = native_find(&checker->natives[target], kernel);
    }
    if (!function) {
        fail(result, OUTCOME_COMPILE, "%s: error: %s\n", checker->targets[target],
             checker->natives[target].why);
        return;
    }
    prepare_run(kernel, &run, false);
    for (size_t i = 0; i < run.count; i++)
        data[i] = run.arguments[i].kind == TILEC_SCALAR ? (void *)&run.arguments[i].bits
                                                        : run.arguments[i].data;
    function(data, kernel->grid);
    compare(kernel, checker->targets[target], reference, &run, result);
}

/* Runs the kernel on a target that is not the reference, and compares. */
static void check_target(struct checker *checker, const struct kernel *kernel, const char *text,
                         const char *target, const struct run *reference, struct result *result)
{
    bool device = strcmp(target, "msl-host") == 0 || strcmp(target, "cuda") == 0;
    struct run runs[2] = {{.offset = device ? NOT_FENCED : AT_PAGE_END},
                          {.offset = AT_PAGE_BEGIN}}; /* one and two threads */
    tilec_kernel *compiled = compile(checker, text, target, kernel, result);
    if (!compiled)
        return;
    prepare_run(kernel, &runs[0], false);
    bool fine = launch(checker, compiled, target, 1, kernel->seed, &runs[0], result);
    if (fine && !device) {
        prepare_run(kernel, &runs[1], false);
        fine = launch(checker, compiled, target, 2, 0, &runs[1], result);
    }
    tilec_kernel_destroy(compiled);
    for (int i = 0; fine && i < 2 && runs[i].count > 0; i++)
        if (!fences_stand(kernel, &runs[i]))
            fail(result, OUTCOME_DIFFERENT, "%s writes outside of an array\n", target);
    if (fine && result->outcome == OUTCOME_SAME)
        compare(kernel, target, reference, &runs[0], result);
    if (fine && !device && result->outcome == OUTCOME_SAME)
        compare_runs(kernel, runs, "the number of threads, or where arrays lie", result);
    free_run(kernel, &runs[0]);
    free_run(kernel, &runs[1]);
}

/* One of them: all programs in one call, one in a call, and shared unevenly; in arrays that begin
 * where a page begins, end where one ends, and begin anywhere in a cache line. */
static void check_code(const struct kernel *kernel, const struct variants *variants, int code,
                       const struct run *reference, struct result *result)
{
    int64_t programs = kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    int64_t part = 1 + (int64_t)(kernel->seed % (uint64_t)programs);
    const struct {
        const char *what;
        int64_t share;
        int offset;
    } ways[] = {
        {"all programs in one call", programs, AT_PAGE_BEGIN},
        {"whether each program has a call of its own, or where arrays lie", 1, AT_PAGE_END},
        {"how programs share calls, or where arrays begin", part, (int)(kernel->seed / 7 % LINE)},
    };
    struct run runs[2] = {0};
    for (int i = 0; i < 3 && result->outcome == OUTCOME_SAME; i++) {
        struct run *run = &runs[i > 0];
        *run = (struct run){.offset = ways[i].offset};
        prepare_run(kernel, run, false);
        variants_run(variants, code, run->arguments, run->count, kernel->grid, ways[i].share);
        if (!fences_stand(kernel, run))
            fail(result, OUTCOME_DIFFERENT, "%s writes outside of an array\n",
                 variants_name(variants, code));
        else if (i == 0)
            compare(kernel, variants_name(variants, code), reference, run, result);
        else
            compare_runs(kernel, runs, ways[i].what, result);
        if (i > 0)
            free_run(kernel, run);
    }
    free_run(kernel, &runs[0]);
    if (result->outcome != OUTCOME_SAME) {
        size_t used = strlen(result->detail);
        snprintf(result->detail + used, sizeof result->detail - used, "(%s)\n",
                 variants_name(variants, code));
    }
}

static bool has_overlap(const struct kernel *kernel)
{
    int blocked = 0;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct parameter *p = kernel->parameters[i];
        if (p->used && p->same_as && p->same_as->used)
            return true;
        blocked += p->used && p->in_block;
    }
    return blocked > 1;
}

/* All the code that the CPU backend may make of the kernel. */
static void check_variants(struct checker *checker, const struct kernel *kernel, const char *text,
                           const struct run *reference, struct result *result)
{
    tilec_define defines[MAX_PARAMETERS];
    const tilec_source source = source_of(text, kernel, defines);
    const tilec_compile_options options = {.size = sizeof options,
                                           .target = "cpu",
                                           .cpu = checker->level,
                                           .requirements = &checker->requirement,
                                           .requirement_count = checker->requirement != NULL};
    struct variants *variants = variants_make(checker->context, &source, &options);
    if (variants->why[0])
        fail(result, OUTCOME_COMPILE, "cpu-variants: %s\n", variants->why);
    for (int i = 0; result->outcome == OUTCOME_SAME && i < variants->count; i++)
        if (!variants_need_apart(variants, i) || !has_overlap(kernel))
            check_code(kernel, variants, i, reference, result);
    variants_count(variants, result->paths);
    variants_free(variants);
}

/* Into code for a CUDA architecture, which is not run. */
static void build(struct checker *checker, const struct kernel *kernel, const char *text,
                  struct result *result)
{
    tilec_define defines[MAX_PARAMETERS];
    const tilec_source source = source_of(text, kernel, defines);
    const tilec_compile_options options = {.size = sizeof options,
                                           .target = "cuda",
                                           .arch = checker->level,
                                           .requirements = &checker->requirement,
                                           .requirement_count = checker->requirement != NULL};
    tilec_program *program;
    tilec_built built = {0};
    tilec_status status = tilec_program_create(checker->context, &source, &program);
    if (status == TILEC_OK)
        status = tilec_build(program, &options, NULL, &built);
    if (status != TILEC_OK)
        fail_with_diagnostics(checker, result,
                              status == TILEC_ERROR_TARGET ? OUTCOME_MISSING : OUTCOME_COMPILE,
                              "cuda", status);
    tilec_release(checker->context, built.object);
    tilec_release(checker->context, built.header);
    tilec_program_destroy(program);
}

void check_kernel(struct checker *checker, struct kernel *kernel, struct result *result)
{
    struct run reference = {.offset = NOT_FENCED};
    const char *text = render_kernel(kernel), *target = checker->targets[0];
    result->outcome = OUTCOME_SAME;
    if (strcmp(checker->targets[1], "cuda-code") == 0) {
        build(checker, kernel, text, result);
        return;
    }
    tilec_kernel *compiled = compile(checker, text, target, NULL, result);
    if (!compiled)
        return;
    prepare_run(kernel, &reference, true);
    launch(checker, compiled, target, 1, 0, &reference, result);
    tilec_kernel_destroy(compiled);
    for (int i = 1; result->outcome == OUTCOME_SAME && i < checker->count; i++)
        if (strcmp(checker->targets[i], "cpu-variants") == 0)
            check_variants(checker, kernel, text, &reference, result);
        else if (compiler_of(checker->targets[i]))
            check_native(checker, kernel, i, &reference, result);
        else
            check_target(checker, kernel, text, checker->targets[i], &reference, result);
}
