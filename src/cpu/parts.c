/*
 * A module's functions as several objects, which threads generate at the same time.
 *
 * LLVM generates one module on one thread, and a matrix product is 15 to 26 functions. So the
 * module goes as bitcode to contexts of their own. Each part keeps the functions of one range, in
 * the order in which they were made, and has the others as declarations; constants are private, so
 * that each part has its own. The loader puts the parts together (run/elf.h). It loads them in
 * order and finds in those before what a later one calls: functions are made before what calls
 * them.
 *
 * Where the cuts are depends on the module alone, not on how many threads there are, and so do the
 * objects: the cache keeps them.
 */
#include "cpu/llvm.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Linker.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Instructions of a part as they come from emit.c: 25 ms of work, where a part costs 3 more. */
static const size_t least_part = 800;

struct part {
    size_t first, last; /* of the functions that have bodies: first <= number < last */
    LLVMMemoryBufferRef object;
    char *failure; /* LLVM's text, or NULL */
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetMachineRef machine;
};

struct parts {
    const struct cpu_level *level;
    LLVMMemoryBufferRef bitcode; /* of the whole module */
    struct part items[CPU_MOST_OBJECTS];
    int count;
    atomic_int taken; /* so many have a thread */
};

/* ---- cutting --------------------------------------------------------------------------------- */

static size_t weigh(LLVMValueRef function)
{
    size_t count = 0;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            count++;
    return count;
}

static size_t weigh_all(LLVMModuleRef module)
{
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count += weigh(f);
    return count;
}

/* A power of two, which two or four threads share evenly. */
static size_t count_shares(size_t weight)
{
    size_t shares = 1;
    while (2 * shares <= CPU_MOST_OBJECTS && weight >= 2 * shares * least_part)
        shares *= 2;
    return shares;
}

/* A function is in the share in which its middle lies; one that is larger leaves shares empty. */
static void cut(struct parts *parts, LLVMModuleRef module)
{
    size_t all = weigh_all(module), shares = count_shares(all);
    size_t before = 0, number = 0, share = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t weight = weigh(f);
        if (!weight)
            continue;
        size_t own = (2 * before + weight) * shares / (2 * all);
        bool is_tiny = 4 * shares * (all - before) < all; /* all that follows */
        if (!parts->count || (own != share && !is_tiny))
            parts->items[parts->count++].first = number;
        share = own;
        parts->items[parts->count - 1].last = ++number;
        before += weight;
    }
}

/* ---- one part -------------------------------------------------------------------------------- */

/* What is outside this part's range is only declared. */
static void keep_range(const struct part *part, LLVMModuleRef whole)
{
    size_t number = 0;
    LLVMValueRef f = LLVMGetFirstFunction(whole);
    for (; f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        if (number < part->first || number >= part->last)
            LLVMSetLinkage(f, LLVMAvailableExternallyLinkage);
        number++;
    }
}

static void on_diagnostic(LLVMDiagnosticInfoRef information, void *user)
{
    struct part *part = user;
    if (LLVMGetDiagInfoSeverity(information) == LLVMDSError && !part->failure)
        part->failure = LLVMGetDiagInfoDescription(information);
}

static bool run_passes(struct part *part, LLVMModuleRef module, const char *passes)
{
    char *error = cpu_llvm_passes(part->machine, module, passes);
    if (!error)
        return true;
    part->failure = LLVMCreateMessage(error);
    LLVMDisposeErrorMessage(error);
    return false;
}

struct part_of {
    struct parts *parts;
    struct part *part;
};

/* Bitcode is read function by function, as they are linked; those of other parts are not. */
static bool read_range(struct parts *parts, struct part *part)
{
    LLVMModuleRef whole;
    LLVMMemoryBufferRef bitcode = LLVMCreateMemoryBufferWithMemoryRange(
        LLVMGetBufferStart(parts->bitcode), LLVMGetBufferSize(parts->bitcode), "part", false);
    if (LLVMGetBitcodeModuleInContext2(part->context, bitcode, &whole)) { /* takes the buffer */
        LLVMDisposeMemoryBuffer(bitcode);
        return false;
    }
    keep_range(part, whole);
    return run_passes(part, whole, "elim-avail-extern") && !LLVMLinkModules2(part->module, whole);
}

static void make_object(void *user)
{
    struct parts *parts = ((struct part_of *)user)->parts;
    struct part *part = ((struct part_of *)user)->part;
    part->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(part->context, on_diagnostic, part);
    part->module = LLVMModuleCreateWithNameInContext("part", part->context);
    part->machine = cpu_llvm_machine(part->module, parts->level, &part->failure);
    if (part->machine && read_range(parts, part) && run_passes(part, part->module, CPU_LLVM_PASSES))
        part->object = cpu_llvm_write(part->machine, part->module, CPU_OBJECT, &part->failure);
}

static void dispose(struct part *part, const struct cpu_level *level)
{
    cpu_llvm_leave_machine(part->machine, level, !part->failure);
    if (part->module)
        LLVMDisposeModule(part->module);
    if (part->context)
        LLVMContextDispose(part->context);
}

/* ---- all parts ------------------------------------------------------------------------------- */

static void *make_objects(void *user)
{
    struct parts *parts = user;
    for (int i; (i = atomic_fetch_add(&parts->taken, 1)) < parts->count;) {
        struct part_of work = {parts, &parts->items[i]};
        const char *reason = cpu_llvm_catch(make_object, &work);
        if (!reason)
            dispose(work.part, parts->level); /* else what LLVM held is lost */
        else if (!work.part->failure)
            work.part->failure = LLVMCreateMessage(reason);
    }
    return NULL;
}

/* A thread that the system refuses is not needed: the caller's takes all parts that nobody took.
 * Signals are the program's, and its own threads get them. */
static void share_out(struct parts *parts, int threads)
{
    pthread_t others[CPU_MOST_OBJECTS];
    int started = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started + 1 < threads && started + 1 < parts->count &&
           pthread_create(&others[started], NULL, make_objects, parts) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    make_objects(parts);
    for (int i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}

/* The objects one behind the other; false when there is no memory. */
static bool join(const struct parts *parts, struct cpu_output *output)
{
    size_t size = 0;
    for (int i = 0; i < parts->count; i++)
        size += output->object_sizes[i] = LLVMGetBufferSize(parts->items[i].object);
    char *at = output->bytes = malloc(size);
    if (!at)
        return false;
    for (int i = 0; i < parts->count; i++) {
        memcpy(at, LLVMGetBufferStart(parts->items[i].object), output->object_sizes[i]);
        at += output->object_sizes[i];
    }
    output->size = size;
    output->object_count = parts->count;
    return true;
}

/* NULL, or the first part's failure by its number, so that it is the same one each time. */
static const char *first_failure(const struct parts *parts)
{
    for (int i = 0; i < parts->count; i++)
        if (parts->items[i].failure || !parts->items[i].object)
            return parts->items[i].failure ? parts->items[i].failure : "a part has no object";
    return NULL;
}

static bool has_aliases(LLVMModuleRef module)
{
    return LLVMGetFirstGlobalAlias(module) != NULL; /* they lie where the function lies */
}

bool cpu_llvm_write_parts(LLVMModuleRef module, const struct cpu_level *level, int threads,
                          struct cpu_output *output, char **message)
{
    struct parts parts = {.level = level};
    *message = NULL;
    if (!has_aliases(module))
        cut(&parts, module);
    if (parts.count < 2)
        return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        LLVMSetLinkage(f, LLVMExternalLinkage);
    parts.bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    share_out(&parts, threads);
    const char *failure = first_failure(&parts);
    if (!failure && !join(&parts, output))
        failure = "no memory for the objects";
    *message = failure ? LLVMCreateMessage(failure) : NULL;
    for (int i = 0; i < parts.count; i++) {
        LLVMDisposeMessage(parts.items[i].failure);
        if (parts.items[i].object)
            LLVMDisposeMemoryBuffer(parts.items[i].object);
    }
    LLVMDisposeMemoryBuffer(parts.bitcode);
    return true;
}
