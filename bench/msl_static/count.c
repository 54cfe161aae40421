/* See count.h. clang++ and LLVM's C interface do the work; files lie in a private folder. */
#include "bench/msl_static/count.h"

#include "base/guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct counted {
    struct msl_host_program program;
    struct count *blocks; /* what one execution of each block counts */
    size_t block_count;
    uint64_t *executed; /* in the library, by block */
};

enum { PATH_BYTES = 300 };

struct files {
    char folder[64], source[PATH_BYTES], code[PATH_BYTES], library[PATH_BYTES];
};

/* ---- clang++ --------------------------------------------------------------------------------- */

static bool run(char *const *arguments)
{
    pid_t child;
    int status;
    if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ) != 0)
        return false;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return false;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* -fwrapv is left out, which favours text that computes indices in int. */
static bool to_bitcode(const struct files *files, const char *headers, const char *vectors)
{
    char include[PATH_BYTES], also[PATH_BYTES];
    snprintf(include, sizeof include, "-I%s", headers);
    snprintf(also, sizeof also, "-I%s", vectors);
    const char *arguments[] = {"clang++-19",
                               "-std=c++20",
                               "-O2",
                               "-w",
                               "-fPIC",
                               "-nostdinc++",
                               "-fno-exceptions",
                               "-fno-rtti",
                               "-fno-strict-aliasing",
                               "-fno-math-errno",
                               "-ffp-contract=off",
                               "-Xclang",
                               "-ffloat16-excess-precision=none",
                               "-fvisibility=hidden",
                               include,
                               also,
                               "-DMSL_HOST_VECTORS=\"vectors.h\"",
                               "-include",
                               "metal_stdlib",
                               "-emit-llvm",
                               "-c",
                               "-o",
                               files->code,
                               files->source,
                               NULL};
    return run((char *const *)arguments);
}

static bool to_library(const struct files *files)
{
    const char *arguments[] = {"clang++-19",  "-O1", "-w",           "-fPIC",     "-shared",
                               "-nostdlib++", "-o",  files->library, files->code, NULL};
    return run((char *const *)arguments);
}

/* The wrapper must not take the kernel in, whose instructions alone count: its one statement is the
 * call. */
static bool write_source(const struct files *files, const struct msl_source *source)
{
    char wrapper[256];
    snprintf(wrapper, sizeof wrapper, "void msl_host_kernel_%s(", source->items[0].name);
    const char *at = strstr(source->text.items, wrapper);
    at = at ? strchr(at, '{') : NULL;
    FILE *file = at ? fopen(files->source, "wb") : NULL;
    if (!file)
        return false;
    fprintf(file, "%.*s[[clang::noinline]] %s", (int)(at + 1 - source->text.items),
            source->text.items, at + 1);
    return fclose(file) == 0;
}

/* ---- what a block counts --------------------------------------------------------------------- */

/* An array parameter: a pointer that is neither a reference nor a struct passed by value. */
static bool is_array(LLVMValueRef function, LLVMValueRef argument)
{
    static const char *const others[] = {"dereferenceable", "byval"};
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        if (LLVMGetParam(function, i) != argument)
            continue;
        for (size_t k = 0; k < 2; k++) {
            unsigned kind = LLVMGetEnumAttributeKindForName(others[k], strlen(others[k]));
            if (LLVMGetEnumAttributeAtIndex(function, i + 1, kind))
                return false;
        }
        return true;
    }
    return false;
}

/* Where an address comes from, through what computes addresses. */
static bool is_device(LLVMValueRef function, LLVMValueRef address, int depth)
{
    if (depth == 0)
        return false;
    if (LLVMIsAGetElementPtrInst(address) || LLVMIsABitCastInst(address))
        return is_device(function, LLVMGetOperand(address, 0), depth - 1);
    if (LLVMIsASelectInst(address))
        return is_device(function, LLVMGetOperand(address, 1), depth - 1);
    for (unsigned i = 0; LLVMIsAPHINode(address) && i < LLVMCountIncoming(address); i++) {
        if (is_device(function, LLVMGetIncomingValue(address, i), depth - 1))
            return true;
    }
    return LLVMIsAArgument(address) && is_array(function, address);
}

static uint64_t bytes_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
        return 2;
    case LLVMFloatTypeKind:
        return 4;
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        return 8;
    case LLVMIntegerTypeKind:
        return (LLVMGetIntTypeWidth(type) + 7) / 8;
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type) * bytes_of(LLVMGetElementType(type));
    default:
        return 0;
    }
}

static const char *callee_of(LLVMValueRef call)
{
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    return LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
}

static bool is_remark(const char *callee)
{
    return strncmp(callee, "llvm.lifetime", 13) == 0 || strncmp(callee, "llvm.assume", 11) == 0 ||
           strncmp(callee, "llvm.experimental.noalias", 25) == 0;
}

static bool is_barrier(LLVMValueRef call, const char *callee)
{
    if (!strstr(callee, "msl_wait"))
        return false;
    LLVMValueRef kind = LLVMGetOperand(call, 0);
    return LLVMIsAConstantInt(kind) && LLVMConstIntGetZExtValue(kind) == MSL_HOST_BARRIER;
}

static void count_instruction(LLVMValueRef function, LLVMValueRef at, struct count *count)
{
    if (LLVMIsACallInst(at)) {
        const char *callee = callee_of(at);
        count->instructions += !is_remark(callee);
        count->barriers += is_barrier(at, callee);
        return;
    }
    count->instructions++;
    if (LLVMIsALoadInst(at) && is_device(function, LLVMGetOperand(at, 0), 16)) {
        count->loads++;
        count->loaded_bytes += bytes_of(LLVMTypeOf(at));
    } else if (LLVMIsAStoreInst(at) && is_device(function, LLVMGetOperand(at, 1), 16)) {
        count->stores++;
        count->stored_bytes += bytes_of(LLVMTypeOf(LLVMGetOperand(at, 0)));
    }
}

/* ---- counters -------------------------------------------------------------------------------- */

static const char *const counters_name = "msl_static_executed";

static void add_counter(LLVMBuilderRef builder, LLVMBasicBlockRef block, LLVMValueRef counters,
                        LLVMTypeRef type, unsigned number)
{
    LLVMTypeRef word = LLVMGetElementType(type);
    LLVMValueRef indices[2] = {LLVMConstInt(word, 0, 0), LLVMConstInt(word, number, 0)};
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(builder, at);
    LLVMValueRef slot = LLVMConstInBoundsGEP2(type, counters, indices, 2);
    LLVMValueRef before = LLVMBuildLoad2(builder, word, slot, "");
    LLVMBuildStore(builder, LLVMBuildAdd(builder, before, LLVMConstInt(word, 1, 0), ""), slot);
}

static void instrument(struct counted *counted, LLVMModuleRef module, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    counted->block_count = LLVMCountBasicBlocks(function);
    counted->blocks = ARENA_ARRAY(&counted->program.arena, struct count, counted->block_count);
    LLVMTypeRef type =
        LLVMArrayType2(LLVMInt64TypeInContext(context), (uint64_t)counted->block_count);
    LLVMValueRef counters = LLVMAddGlobal(module, type, counters_name);
    LLVMSetInitializer(counters, LLVMConstNull(type));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    unsigned number = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block), number++) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at))
            count_instruction(function, at, &counted->blocks[number]);
        add_counter(builder, block, counters, type, number);
    }
    LLVMDisposeBuilder(builder);
}

/* The kernel's name is mangled: _Z, its length, it. */
static LLVMValueRef find_kernel(LLVMModuleRef module, const char *name)
{
    char prefix[256];
    size_t length;
    snprintf(prefix, sizeof prefix, "_Z%zu%s", strlen(name), name);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    while (function && strncmp(LLVMGetValueName2(function, &length), prefix, strlen(prefix)) != 0)
        function = LLVMGetNextFunction(function);
    return function;
}

static bool instrument_file(struct counted *counted, const struct files *files)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer = NULL;
    LLVMModuleRef module = NULL;
    char *message = NULL;
    bool read = LLVMCreateMemoryBufferWithContentsOfFile(files->code, &buffer, &message) == 0 &&
                LLVMParseBitcodeInContext2(context, buffer, &module) == 0;
    LLVMValueRef function =
        read ? find_kernel(module, counted->program.source.items[0].name) : NULL;
    bool written = false;
    if (function) {
        instrument(counted, module, function);
        written = LLVMWriteBitcodeToFile(module, files->code) == 0;
    }
    if (module)
        LLVMDisposeModule(module);
    if (buffer)
        LLVMDisposeMemoryBuffer(buffer);
    LLVMDisposeMessage(message);
    LLVMContextDispose(context);
    return written;
}

/* ---- compiling ------------------------------------------------------------------------------- */

static bool make_files(struct files *files)
{
    snprintf(files->folder, sizeof files->folder, "/tmp/msl-static-XXXXXX");
    if (!mkdtemp(files->folder))
        return false;
    snprintf(files->source, PATH_BYTES, "%s/kernel.cpp", files->folder);
    snprintf(files->code, PATH_BYTES, "%s/kernel.bc", files->folder);
    snprintf(files->library, PATH_BYTES, "%s/kernel.so", files->folder);
    return true;
}

static void remove_files(const struct files *files)
{
    unlink(files->source);
    unlink(files->code);
    unlink(files->library);
    rmdir(files->folder);
}

static bool compile(struct counted *counted, const char *text, const char *headers,
                    const char *vectors, struct diagnostics *diagnostics)
{
    struct files files;
    struct msl_host_program *program = &counted->program;
    if (!msl_source_read(&program->source, text, strlen(text), &program->arena, diagnostics))
        return false;
    if (!make_files(&files))
        return msl_host_fail(diagnostics, "cannot make a folder in /tmp");
    bool built = write_source(&files, &program->source) && to_bitcode(&files, headers, vectors) &&
                 instrument_file(counted, &files) && to_library(&files);
    if (!built)
        msl_host_fail(diagnostics, "kernel '%s' cannot be compiled", program->source.items[0].name);
    built = built && msl_host_load(program, files.library, diagnostics);
    remove_files(&files);
    if (built)
        counted->executed = dlsym(program->library, counters_name);
    return built && counted->executed;
}

struct compiling {
    struct counted *counted;
    const char *text, *headers, *vectors;
    struct diagnostics *diagnostics;
    bool compiled;
};

static void compile_guarded(void *user)
{
    struct compiling *c = user;
    c->compiled = compile(c->counted, c->text, c->headers, c->vectors, c->diagnostics);
}

struct counted *count_compile(const char *text, const char *headers, const char *vectors,
                              struct diagnostics *diagnostics)
{
    struct counted *counted = calloc(1, sizeof *counted);
    if (!counted)
        return NULL;
    arena_init(&counted->program.arena, allocator_default, NULL);
    struct compiling compiling = {counted, text, headers, vectors, diagnostics, false};
    if (guard_run(&counted->program.arena, compile_guarded, &compiling) && compiling.compiled)
        return counted;
    count_free(counted);
    return NULL;
}

void count_free(struct counted *counted)
{
    if (!counted)
        return;
    if (counted->program.library)
        dlclose(counted->program.library);
    arena_free(&counted->program.arena);
    free(counted);
}

bool count_run(struct counted *counted, const struct msl_host_launch *launch, struct count *count,
               struct diagnostics *diagnostics)
{
    *count = (struct count){0};
    memset(counted->executed, 0, counted->block_count * sizeof *counted->executed);
    if (!msl_host_run(&counted->program, launch, diagnostics))
        return false;
    for (size_t i = 0; i < counted->block_count; i++) {
        const struct count *block = &counted->blocks[i];
        uint64_t times = counted->executed[i];
        count->instructions += times * block->instructions;
        count->loads += times * block->loads;
        count->stores += times * block->stores;
        count->loaded_bytes += times * block->loaded_bytes;
        count->stored_bytes += times * block->stored_bytes;
        count->barriers += times * block->barriers;
    }
    return true;
}
