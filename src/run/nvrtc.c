/* NVRTC; see nvrtc.h. The few functions that are called are declared here. */
#define _GNU_SOURCE
#include "run/nvrtc.h"

#include "base/guard.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct nvrtc_program *program_handle;

#define FUNCTIONS(F)                                                                               \
    F(version, nvrtcVersion, (int *major, int *minor))                                             \
    F(create, nvrtcCreateProgram,                                                                  \
      (program_handle * program, const char *text, const char *name, int headers,                  \
       const char *const *sources, const char *const *names))                                      \
    F(destroy, nvrtcDestroyProgram, (program_handle * program))                                    \
    F(compile, nvrtcCompileProgram, (program_handle program, int count, const char *const *options)) \
    F(log_size, nvrtcGetProgramLogSize, (program_handle program, size_t *size))                    \
    F(log, nvrtcGetProgramLog, (program_handle program, char *log))                                \
    F(ptx_size, nvrtcGetPTXSize, (program_handle program, size_t *size))                           \
    F(ptx, nvrtcGetPTX, (program_handle program, char *bytes))                                     \
    F(cubin_size, nvrtcGetCUBINSize, (program_handle program, size_t *size))                       \
    F(cubin, nvrtcGetCUBIN, (program_handle program, char *bytes))

struct nvrtc { /* each returns 0, or an error's number */
    int number;
#define POINTER(name, symbol, parameters) int(*name) parameters;
    FUNCTIONS(POINTER)
#undef POINTER
};

/* ---- opening --------------------------------------------------------------------------------- */

/* By name where the loader looks, then where the toolkit puts it. */
static void *open_library(char *why, size_t size)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH", NULL};
    void *library = NULL;
    char path[4096];
    const char *given = getenv("TILEC_NVRTC");
    if (given) {
        library = dlopen(given, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            snprintf(why, size, "%s", dlerror());
        return library;
    }
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t v = 0; !library && v < sizeof variables / sizeof *variables; v++) {
        const char *folder = variables[v] ? getenv(variables[v]) : "/usr/local/cuda";
        for (size_t i = 0; folder && !library && i < sizeof names / sizeof *names; i++) {
            snprintf(path, sizeof path, "%s/lib64/%s", folder, names[i]);
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    }
    if (!library)
        snprintf(why, size,
                 "NVIDIA's run-time compiler libnvrtc is not installed (it is part of the CUDA "
                 "toolkit; TILEC_NVRTC may name the file)");
    return library;
}

static bool find_functions(void *library, struct nvrtc *nvrtc, char *why, size_t size)
{
    const char *missing = NULL;
#define FIND(name, symbol, parameters)                                                             \
    *(void **)&nvrtc->name = dlsym(library, #symbol);                                              \
    missing = nvrtc->name ? missing : #symbol;
    FUNCTIONS(FIND)
#undef FIND
    int major = 0, minor = 0;
    if (missing) {
        snprintf(why, size, "libnvrtc has no function %s", missing);
        return false;
    }
    if (nvrtc->version(&major, &minor) != 0 || major < 12) {
        snprintf(why, size, "libnvrtc is of version %d.%d, but 12 or later is needed", major,
                 minor);
        return false;
    }
    nvrtc->number = 1000 * major + 10 * minor;
    return true;
}

const struct nvrtc *nvrtc_open(char *why, size_t size)
{
    void *library = open_library(why, size);
    struct nvrtc *nvrtc = library ? calloc(1, sizeof *nvrtc) : NULL;
    if (library && !nvrtc)
        snprintf(why, size, "out of memory");
    if (nvrtc && find_functions(library, nvrtc, why, size))
        return nvrtc; /* the library stays loaded, whoever frees the functions */
    free(nvrtc);
    return NULL;
}

int nvrtc_version(const struct nvrtc *nvrtc)
{
    return nvrtc->number;
}

/* ---- the log --------------------------------------------------------------------------------- */

/* The number that stands in front of `unit`; several are added up. -1: there is none. */
static int number_before(const char *log, const char *unit)
{
    int sum = -1;
    for (const char *at = strstr(log, unit); at; at = strstr(at + 1, unit)) {
        const char *digit = at;
        while (digit > log && digit[-1] == ' ')
            digit--;
        while (digit > log && digit[-1] >= '0' && digit[-1] <= '9')
            digit--;
        sum = (sum < 0 ? 0 : sum) + (int)strtol(digit, NULL, 10);
    }
    return sum;
}

static void read_resources(const char *log, struct nvrtc_resources *resources)
{
    resources->registers = number_before(log, " registers");
    resources->stack_bytes = number_before(log, " bytes stack frame");
    resources->spill_bytes = number_before(log, " bytes spill");
    resources->shared_bytes = number_before(log, " bytes smem");
    if (resources->registers >= 0 && resources->shared_bytes < 0)
        resources->shared_bytes = 0;
}

/* The log without what the assembler was asked to say. That it makes products of warpgroups wait
 * for each other it says in the same way, with a number: "ptxas info    : (C7510) ...". */
static const char *without_resources(struct arena *arena, const char *log)
{
    struct text text;
    text_init(&text, arena);
    for (const char *line = log; *line;) {
        size_t length = strcspn(line, "\n") + (strchr(line, '\n') ? 1 : 0);
        bool said = strncmp(line, "ptxas info", 10) == 0 || strncmp(line, "ptxas         .", 15) == 0;
        const char *number = strstr(line, ": (C");
        if ((!said || (number && number < line + length)) && length > 1)
            text_append(&text, line, length);
        line += length;
    }
    return text.items ? text.items : "";
}

void nvrtc_read_log(struct arena *arena, const char *log, struct nvrtc_output *output)
{
    read_resources(log, &output->resources);
    output->log = without_resources(arena, log);
}

/* ---- NVRTC ----------------------------------------------------------------------------------- */

enum { MOST_OPTIONS = 8 };

static int list_options(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                        struct arena *arena, const char *options[MOST_OPTIONS])
{
    int count = 0;
    options[count++] = arena_format(arena, "-arch=%s", request->arch);
    options[count++] = "-std=c++17";
    options[count++] = request->relaxed ? "--use_fast_math" : "--fmad=false";
    options[count++] = "-Xptxas=-v";
    if (nvrtc->number >= 12090)
        options[count++] = "--no-cache"; /* NVRTC's own, whose hits have no log: no resources */
    if (request->define)
        options[count++] = arena_format(arena, "-D%s", request->define);
    return count;
}

static const char *program_log(const struct nvrtc *nvrtc, program_handle program,
                               struct arena *arena)
{
    size_t size = 0;
    if (nvrtc->log_size(program, &size) != 0 || size == 0)
        return "";
    char *log = arena_alloc(arena, size + 1);
    if (nvrtc->log(program, log) != 0)
        return "";
    log[size] = '\0';
    return log;
}

static bool take_code(const struct nvrtc *nvrtc, program_handle program, bool ptx,
                      struct arena *arena, struct nvrtc_output *output)
{
    size_t size = 0;
    int failed = ptx ? nvrtc->ptx_size(program, &size) : nvrtc->cubin_size(program, &size);
    if (failed || size == 0)
        return false;
    output->bytes = arena_alloc(arena, size + 1);
    failed = ptx ? nvrtc->ptx(program, output->bytes) : nvrtc->cubin(program, output->bytes);
    output->size = ptx ? size - 1 : size; /* that of PTX counts its NUL */
    return !failed;
}

struct compiling {
    const struct nvrtc *nvrtc;
    const struct nvrtc_request *request;
    struct arena *arena;
    struct nvrtc_output *output;
    program_handle program;
    bool compiled;
};

static void compile_guarded(void *user)
{
    struct compiling *c = user;
    const struct nvrtc *nvrtc = c->nvrtc;
    struct nvrtc_output *output = c->output;
    const char *options[MOST_OPTIONS];
    int count = list_options(nvrtc, c->request, c->arena, options);
    if (nvrtc->create(&c->program, c->request->text, "kernel.cu", 0, NULL, NULL) != 0)
        return;
    int failed = nvrtc->compile(c->program, count, options);
    nvrtc_read_log(c->arena, program_log(nvrtc, c->program, c->arena), output);
    c->compiled = !failed && take_code(nvrtc, c->program, c->request->ptx, c->arena, output);
    if (!c->compiled && !*output->log)
        output->log = arena_format(c->arena, "NVRTC fails with error %d", failed);
}

/* Where the arena has no memory left, NVRTC's program is still given back. */
bool nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                   struct arena *arena, struct nvrtc_output *output)
{
    struct compiling compiling = {
        .nvrtc = nvrtc, .request = request, .arena = arena, .output = output};
    *output = (struct nvrtc_output){.log = "NVRTC cannot make a program"};
    bool finished = guard_run(arena, compile_guarded, &compiling);
    if (compiling.program)
        nvrtc->destroy(&compiling.program);
    if (!finished)
        longjmp(*arena->on_failure, 1);
    return compiling.compiled;
}
