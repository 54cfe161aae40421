/*
 * Ahead of time for CUDA: a kernel as CUDA C++, PTX or a cubin, and a C header with what a launch
 * needs to know; see docs/cuda.md.
 */
#include "emit/emit.h"
#include "ir/number.h"
#include "run/aot.h"
#include "run/host_text.h"
#include "run/nvrtc.h"
#include "run/run.h"

#include <ctype.h>
#include <string.h>

/* ---- code ------------------------------------------------------------------------------------ */

bool run_job_nvrtc(struct run_job *job, const struct nvrtc_request *request,
                   struct nvrtc_output *output)
{
    char why[512] = "";
    bool found = true, fine;
    if (!job->context->nvrtc)
        job->context->nvrtc = nvrtc_open(why, sizeof why);
    if (job->context->nvrtc)
        fine = nvrtc_compile(job->context->nvrtc, request, job->arena, output);
    else
        fine = nvrtc_compile_by_nvcc(request, job->arena, output, &found);
    if (fine)
        return true;
    if (!found)
        return run_job_fail(job, TILEC_ERROR_TARGET,
                            "install the CUDA toolkit 12 or later, or take the text "
                            "(`tilec emit --stage cuda`) to a machine that has it",
                            "code for the target 'cuda' cannot be made: %s, nor is nvcc", why);
    const char *compiler = job->context->nvrtc ? "NVRTC" : "nvcc";
    if (strstr(output->log, "gpu-architecture")) /* the option, which is ours */
        return run_job_fail(job, TILEC_ERROR_TARGET,
                            "NVIDIA's compiler for a newer GPU must be newer, too",
                            "the %s here makes no code for '%s'", compiler, request->arch);
    return run_job_fail(job, TILEC_ERROR_INTERNAL, NULL,
                        "%s refuses the CUDA text for '%s': %.600s", compiler, request->arch,
                        output->log);
}

/* ---- the header ------------------------------------------------------------------------------ */

static const struct {
    const char *name, *parameters, *value;
} functions[] = {
    {"add", "int64_t a, int64_t b", "TILEC_CUDA_I64(TILEC_CUDA_U64(a) + TILEC_CUDA_U64(b))"},
    {"sub", "int64_t a, int64_t b", "TILEC_CUDA_I64(TILEC_CUDA_U64(a) - TILEC_CUDA_U64(b))"},
    {"mul", "int64_t a, int64_t b", "TILEC_CUDA_I64(TILEC_CUDA_U64(a) * TILEC_CUDA_U64(b))"},
    {"div", "int64_t a, int64_t b",
     "b == 0 ? 0 : b == -1 ? TILEC_CUDA_I64(0 - TILEC_CUDA_U64(a)) : a / b"},
    {"rem", "int64_t a, int64_t b", "b == 0 ? a : b == -1 ? 0 : a % b"},
    {"cdiv", "int64_t a, int64_t b",
     "b == 0 ? 0 : b == -1 ? TILEC_CUDA_I64(0 - TILEC_CUDA_U64(a)) : "
     "a / b + (a % b != 0 && (a < 0) == (b < 0))"},
    {"maximum", "int64_t a, int64_t b", "a > b ? a : b"},
    {"minimum", "int64_t a, int64_t b", "a < b ? a : b"},
    {"select", "int64_t c, int64_t a, int64_t b", "c ? a : b"},
    {"eq", "int64_t a, int64_t b", "a == b"},
    {"ne", "int64_t a, int64_t b", "a != b"},
    {"lt", "int64_t a, int64_t b", "a < b"},
    {"le", "int64_t a, int64_t b", "a <= b"},
    {"gt", "int64_t a, int64_t b", "a > b"},
    {"ge", "int64_t a, int64_t b", "a >= b"},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

#define PREFIX "tilec_cuda_"

/* Whether all functions that an expression calls are among ours; those are marked. */
static bool mark_used(const char *expression, bool used[FUNCTION_COUNT])
{
    for (const char *at = strstr(expression, PREFIX); at; at = strstr(at + 1, PREFIX)) {
        const char *name = at + strlen(PREFIX);
        size_t length = strcspn(name, "("), i = 0;
        while (i < FUNCTION_COUNT && (strlen(functions[i].name) != length ||
                                      memcmp(functions[i].name, name, length) != 0))
            i++;
        if (i == FUNCTION_COUNT)
            return false;
        used[i] = true;
    }
    return true;
}

struct header {
    struct text text;
    const struct gpu_kernel *kernel;
    const struct ir_parameter *parameters; /* the kernel's, by names that the header may have */
    const struct ir_func *scalars;         /* the grid as a function of such names, or NULL */
    const char *name, *macro;              /* of the kernel; the same in capitals */
    const char *arch, *function;
    const char **grid; /* as expressions, by axis */
    bool used[FUNCTION_COUNT];
};

/* Names that the header's functions use themselves, or that are none in C++. */
static bool is_taken(const char *name)
{
    return aot_is_keyword(name) || !aot_is_identifier(name) || strcmp(name, "memcpy") == 0 ||
           strncmp(name, "tilec_", 6) == 0;
}

static bool is_parameter(const struct ir_func *func, const char *name)
{
    for (int i = 0; i < func->parameter_count; i++)
        if (strcmp(func->parameters[i].name, name) == 0)
            return true;
    return false;
}

/* The parameters, with other names in place of those that are taken. */
static struct ir_parameter *rename_taken(struct arena *arena, const struct ir_func *func)
{
    struct ir_parameter *renamed =
        ARENA_ARRAY(arena, struct ir_parameter, (size_t)func->parameter_count);
    for (int i = 0; i < func->parameter_count; i++) {
        const char *name = func->parameters[i].name;
        renamed[i] = func->parameters[i];
        if (!is_taken(name))
            continue;
        name = aot_is_identifier(name) ? arena_format(arena, "arg_%s", name)
                                       : arena_format(arena, "arg_%d", i);
        while (is_parameter(func, name))
            name = arena_format(arena, "%s_", name);
        renamed[i].name = name;
    }
    return renamed;
}

static void put_arguments(struct header *h)
{
    const struct ir_func *func = h->kernel->func;
    text_string(&h->text, "/* Arguments, in order:\n");
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *p = &func->parameters[i];
        const char *c_name = ir_elems[p->type.elem].c_name;
        if (p->type.pointer)
            text_format(&h->text, " *   %s: the address of %s%s on the device%s\n", p->name,
                        p->is_const ? "const " : "", c_name,
                        p->is_restrict ? ", which nothing else overlaps that is written" : "");
        else
            text_format(&h->text, " *   %s: %s, %d byte%s", p->name, c_name,
                        (int)ir_elem_bytes((enum ir_elem)p->type.elem),
                        ir_elem_bytes((enum ir_elem)p->type.elem) == 1 ? "" : "s");
        if (p->is_fixed) {
            text_string(&h->text, ", fixed: ");
            ir_element_print(p->fixed, (enum ir_elem)p->type.elem, &h->text);
        }
        if (h->kernel->programs > 1 && i + 1 == func->parameter_count)
            text_string(&h->text, ": how many programs there are along x");
        if (!p->type.pointer)
            text_char(&h->text, '\n');
    }
    text_string(&h->text, " */\n");
}

/* Compares the scalars that are fixed, bit for bit, with what the code was made for. */
static void put_accepts(struct header *h)
{
    const struct ir_func *func = h->kernel->func;
    struct text parameters, checks;
    text_init(&parameters, h->text.arena);
    text_init(&checks, h->text.arena);
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *p = &h->parameters[i];
        if (!p->is_fixed)
            continue;
        text_format(&parameters, "%s%s %s", parameters.count ? ", " : "", aot_c_types[p->type.elem],
                    p->name);
        text_format(&checks,
                    "    tilec_bits = 0;\n    memcpy(&tilec_bits, &%s, sizeof %s);\n"
                    "    if (tilec_bits != UINT64_C(0x%llx))\n        return 0;\n",
                    p->name, p->name, (unsigned long long)p->fixed);
    }
    if (!parameters.count)
        return;
    text_format(
        &h->text,
        "#include <string.h>\n\n/* Whether the code was made for these values: 1 or 0. Ask "
        "before a launch: nothing "
        "else does. */\n"
        "static inline int %s_accepts(%s)\n{\n    uint64_t tilec_bits;\n%s    return 1;\n}\n\n",
        h->name, parameters.items, checks.items);
}

/* C++ compilers can be told to warn of C's casts. */
static const char casts[] = "#ifndef TILEC_CUDA_I64\n"
                            "#ifdef __cplusplus\n"
                            "#define TILEC_CUDA_I64(x) static_cast<int64_t>(x)\n"
                            "#define TILEC_CUDA_U64(x) static_cast<uint64_t>(x)\n"
                            "#else\n"
                            "#define TILEC_CUDA_I64(x) ((int64_t)(x))\n"
                            "#define TILEC_CUDA_U64(x) ((uint64_t)(x))\n"
                            "#endif\n"
                            "#endif\n\n";

static void put_functions(struct header *h)
{
    bool casting = false;
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        casting = casting || (h->used[i] && strstr(functions[i].value, "TILEC_CUDA_"));
    if (casting)
        text_string(&h->text, casts);
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        if (!h->used[i])
            continue;
        const char *name = functions[i].name;
        text_format(&h->text,
                    "#ifndef TILEC_CUDA_HAS_%s\n#define TILEC_CUDA_HAS_%s\n"
                    "static inline int64_t " PREFIX "%s(%s)\n{\n    return %s;\n}\n#endif\n\n",
                    name, name, name, functions[i].parameters, functions[i].value);
    }
}

/* The beginning of a function of the grid's scalars, and of more perhaps. */
static void open_function(struct header *h, const char *type, const char *name, const char *more)
{
    const struct ir_func *grid = h->scalars;
    text_format(&h->text, "static inline %s %s_%s(", type, h->name, name);
    for (int i = 0; i < grid->parameter_count; i++)
        text_format(&h->text, "int64_t %s%s", grid->parameters[i].name,
                    *more || i + 1 < grid->parameter_count ? ", " : "");
    text_format(&h->text, "%s)\n{\n", *more || grid->parameter_count ? more : "void");
    for (int i = 0; i < grid->parameter_count; i++)
        text_format(&h->text, "    (void)%s;\n", grid->parameters[i].name);
}

/* The grid as a function of the kernel's scalars. */
static void put_grid(struct header *h)
{
    const struct ir_func *grid = h->scalars;
    bool known = grid != NULL;
    for (int i = 0; known && i < grid->result_count; i++)
        known = h->grid[i] && mark_used(h->grid[i], h->used);
    if (!known) {
        text_string(&h->text, "/* The grid is not known to this header. */\n");
        return;
    }
    put_functions(h);
    text_string(&h->text,
                "/* Blocks along x, y and z. Nothing is to be launched where one is 0. */\n");
    open_function(h, "void", "grid", "int64_t tilec_grid[3]");
    for (int i = 0; i < 3; i++) {
        const char *programs = i < grid->result_count ? h->grid[i] : "1";
        if (i == 0 && h->kernel->programs > 1)
            text_format(&h->text,
                        "    tilec_grid[0] = ((%s) + %d) / %d; /* several programs in each */\n",
                        programs, h->kernel->programs - 1, h->kernel->programs);
        else if (i == 0 && h->kernel->blocks > 1)
            text_format(&h->text, "    tilec_grid[0] = %d * (%s); /* blocks of each program */\n",
                        h->kernel->blocks, programs);
        else
            text_format(&h->text, "    tilec_grid[%d] = %s;\n", i, programs);
    }
    text_string(&h->text, "}\n");
    if (h->kernel->programs == 1)
        return;
    text_string(&h->text, "\n/* Programs along x: the last argument. */\n");
    open_function(h, "uint32_t", "grid_x", "");
    text_format(&h->text, "    return (uint32_t)(%s);\n}\n", grid->result_count ? h->grid[0] : "1");
}

static void put_header(struct header *h)
{
    struct text *out = &h->text;
    int shared = emit_dynamic_shared(h->kernel, &emit_cuda);
    text_format(out, "/* How to launch the CUDA kernel %s; made by tilec %s. */\n", h->name,
                TILEC_VERSION);
    text_format(out, "#ifndef TILEC_CUDA_%s_H\n#define TILEC_CUDA_%s_H\n\n#include <stdint.h>\n\n",
                h->macro, h->macro);
    text_format(out, "#define %s_FUNCTION \"%s\"\n", h->macro, h->function);
    text_format(out, "#define %s_ARCH \"%s\"\n", h->macro, h->arch);
    text_format(out, "#define %s_THREADS %d /* of a block, along x */\n", h->macro,
                h->kernel->threads / h->kernel->blocks * h->kernel->programs);
    if (h->kernel->programs > 1)
        text_format(out, "#define %s_PROGRAMS %d /* that a block runs, side by side along x */\n",
                    h->macro, h->kernel->programs);
    if (h->kernel->plan->cluster)
        text_format(out, "#define %s_CLUSTER %d /* blocks of a cluster along x, as the code says */\n",
                    h->macro, h->kernel->blocks);
    text_format(out, "#define %s_SHARED_BYTES %d /* dynamic shared memory of a block%s */\n\n",
                h->macro, shared,
                shared ? "; raise the function's limit to it first" : "");
    put_arguments(h);
    text_char(out, '\n');
    put_accepts(h);
    put_grid(h);
    text_string(out, "\n#endif\n");
}

static const char *upper(struct arena *arena, const char *name)
{
    char *copy = arena_format(arena, "%s", name);
    for (char *c = copy; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return copy;
}

static void name_parameters(struct header *h, struct arena *arena)
{
    const struct ir_func *grid = h->kernel->grid;
    h->parameters = rename_taken(arena, h->kernel->func);
    if (!grid)
        return;
    struct ir_func *named = ARENA_NEW(arena, struct ir_func);
    *named = *grid;
    named->parameters = rename_taken(arena, grid);
    h->scalars = named;
    h->grid = host_text_of(named, PREFIX, arena);
}

/* ---- results --------------------------------------------------------------------------------- */

static void hand_out(struct run_job *job, const char *code, size_t size, const struct text *header,
                     tilec_built *built)
{
    built->object = run_allocate(job->context, size + 1, 1);
    built->header = run_allocate(job->context, header->count + 1, 1);
    if (!built->object || !built->header) {
        job->status = TILEC_ERROR_NO_MEMORY;
        return;
    }
    memcpy(built->object, code, size);
    memcpy(built->header, header->items, header->count);
    built->object_size = size;
    built->header_size = header->count;
}

void run_build_cuda(struct run_job *job, const tilec_build_options *options, tilec_built *built)
{
    struct text text;
    if (options->cpu_count || options->symbol) {
        run_job_fail(job, TILEC_ERROR_INVALID, NULL,
                     "a build for 'cuda' takes no CPU level and no symbol");
        return;
    }
    bool selected = run_job_select_gpu(job) && run_job_lower(job);
    struct header header = {.kernel = selected ? run_job_gpu(job) : NULL};
    if (!header.kernel || !run_job_gpu_text(job, header.kernel, &text))
        return;
    struct nvrtc_output code = {.bytes = text.items, .size = text.count};
    struct nvrtc_request request = {.text = text.items,
                                    .arch = job->arch,
                                    .ptx = options->form == TILEC_FORM_PTX,
                                    .relaxed = job->options.relaxed != 0};
    if (options->form != TILEC_FORM_TEXT && !run_job_nvrtc(job, &request, &code))
        return;
    text_init(&header.text, job->arena);
    header.name = header.kernel->func->name;
    header.macro = upper(job->arena, header.name);
    header.arch = job->arch;
    header.function = emit_function_name(header.kernel, &emit_cuda, job->arena);
    name_parameters(&header, job->arena);
    put_header(&header);
    hand_out(job, code.bytes, code.size, &header.text, built);
}
