/*
 * Linking modules of LLVM IR into one object for ahead-of-time use; see struct cpu_link in cpu.h.
 *
 * Each module has the code of one processor level, whose functions carry their level as attributes;
 * the wrapper is for any processor of the architecture and chooses between them. All that the
 * modules define becomes internal, so the object exports only what the wrapper does.
 */
#include "cpu/llvm.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct linking {
    const struct cpu_link *link;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct cpu_output *output;
    LLVMContextRef context;
    LLVMModuleRef module; /* all of it, as far as it is linked */
    struct cpu_level level;
    LLVMTargetMachineRef machine;
    bool failed, done;
};

static bool fail(struct linking *l, const char *message)
{
    struct source_range none = {0};
    diagnostics_add(l->diagnostics, DIAGNOSTIC_ERROR, none, "LLVM: %s", message);
    l->failed = true;
    return false;
}

/* The same with a message that LLVM made. */
static bool fail_with(struct linking *l, char *message)
{
    fail(l, message);
    LLVMDisposeMessage(message);
    return false;
}

static void on_diagnostic(LLVMDiagnosticInfoRef information, void *user)
{
    if (LLVMGetDiagInfoSeverity(information) == LLVMDSError)
        fail_with(user, LLVMGetDiagInfoDescription(information));
}

/* NULL with a diagnostic. */
static LLVMModuleRef parse(struct linking *l, const char *text)
{
    char *message = NULL;
    LLVMModuleRef module = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "module");
    if (LLVMParseIRInContext(l->context, buffer, &module, &message)) { /* takes the buffer */
        fail_with(l, message);
        return NULL;
    }
    return module;
}

static void hide(LLVMValueRef global)
{
    if (!LLVMIsDeclaration(global) && LLVMGetLinkage(global) == LLVMExternalLinkage)
        LLVMSetLinkage(global, LLVMInternalLinkage);
}

/* Only the wrapper's own definitions are still outside when this runs. */
static void hide_all(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        hide(f);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        hide(g);
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a))
        hide(a);
}

/* What the wrapper defines, by name, so that it can be told from the rest once they are one. */
struct names {
    const char **items;
    size_t count, capacity;
};

static void collect(struct linking *l, struct names *names, LLVMValueRef global)
{
    size_t length;
    if (LLVMIsDeclaration(global) || LLVMGetLinkage(global) != LLVMExternalLinkage)
        return;
    const char *name = LLVMGetValueName2(global, &length);
    ARENA_PUSH(l->arena, names, arena_copy_text(l->arena, name, length));
}

/* Links source into the whole, which takes it. */
static bool join(struct linking *l, LLVMModuleRef source)
{
    if (!LLVMLinkModules2(l->module, source))
        return true;
    return l->failed ? false : fail(l, "modules do not fit together");
}

static bool link_all(struct linking *l)
{
    struct names exported = {0};
    LLVMModuleRef wrapper = parse(l, l->link->wrapper);
    if (!wrapper)
        return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(wrapper); f; f = LLVMGetNextFunction(f))
        collect(l, &exported, f);
    for (LLVMValueRef g = LLVMGetFirstGlobal(wrapper); g; g = LLVMGetNextGlobal(g))
        collect(l, &exported, g);
    if (!join(l, wrapper))
        return false;
    for (int i = 0; i < l->link->module_count; i++) {
        LLVMModuleRef module = parse(l, l->link->modules[i]);
        if (!module || !join(l, module))
            return false;
    }
    hide_all(l->module);
    for (size_t i = 0; i < exported.count; i++) {
        LLVMValueRef global = LLVMGetNamedFunction(l->module, exported.items[i]);
        global = global ? global : LLVMGetNamedGlobal(l->module, exported.items[i]);
        LLVMSetLinkage(global, LLVMExternalLinkage);
    }
    return true;
}

static bool write_object(struct linking *l)
{
    char *message = NULL;
    if (LLVMVerifyModule(l->module, LLVMReturnStatusAction, &message))
        return fail_with(l, message);
    LLVMDisposeMessage(message);
    char *error = cpu_llvm_passes(l->machine, l->module,
                                  "function(mem2reg,instsimplify,simplifycfg),globaldce");
    if (error) {
        fail(l, error);
        LLVMDisposeErrorMessage(error);
        return false;
    }
    LLVMMemoryBufferRef buffer = cpu_llvm_write(l->machine, l->module, CPU_OBJECT, &message);
    if (!buffer)
        return fail_with(l, message);
    size_t size = LLVMGetBufferSize(buffer);
    l->output->bytes = l->failed ? NULL : malloc(size);
    l->output->size = size;
    if (l->output->bytes)
        memcpy(l->output->bytes, LLVMGetBufferStart(buffer), size);
    LLVMDisposeMemoryBuffer(buffer);
    return l->output->bytes ? true : fail(l, "no memory for the object");
}

static void work(void *user)
{
    struct linking *l = user;
    char *message = NULL;
    l->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(l->context, on_diagnostic, l);
    l->module = LLVMModuleCreateWithNameInContext("kernel", l->context);
    cpu_level_find("generic", &l->level);
    l->machine = cpu_llvm_machine(l->module, &l->level, &message);
    if (!l->machine)
        fail_with(l, message);
    else
        l->done = link_all(l) && write_object(l);
}

bool cpu_link_modules(const struct cpu_link *link, struct arena *arena,
                      struct diagnostics *diagnostics, struct cpu_output *output)
{
    const char *reason;
    struct linking *l = ARENA_NEW(arena, struct linking);
    *l = (struct linking){
        .link = link, .arena = arena, .diagnostics = diagnostics, .output = output};
    *output = (struct cpu_output){0};
    bool memory = cpu_llvm_guard(arena, work, l, &reason);
    if (reason) { /* what LLVM held is lost */
        struct source_range none = {0};
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, none, "LLVM gave up: %s", reason);
        return false;
    }
    cpu_llvm_leave_machine(l->machine, &l->level, l->done);
    if (l->module)
        LLVMDisposeModule(l->module);
    if (l->context)
        LLVMContextDispose(l->context);
    if (!memory)
        longjmp(*arena->on_failure, 1);
    return l->done;
}
