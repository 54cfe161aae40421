/*
 * The module's entry: a kernel in, an object (or its assembly, or LLVM IR) out.
 *
 * Each compilation has an LLVM context of its own, so several threads may compile at once. LLVM's
 * own errors become diagnostics: those it reports through the context, and those after which it
 * would end the process, which jump back here (what LLVM held then is lost, not freed).
 */
#include "cpu/carry.h"
#include "cpu/chains.h"
#include "cpu/clamps.h"
#include "cpu/defer.h"
#include "cpu/fixed_offsets.h"
#include "cpu/emit.h"
#include "base/guard.h"
#include "cpu/llvm.h"
#include "cpu/low_bits.h"
#include "cpu/nans.h"
#include "cpu/one_element.h"
#include "cpu/reduce_bits.h"
#include "cpu/spread.h"
#include "cpu/squares.h"
#include "cpu/widen.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* ---- LLVM as a whole ------------------------------------------------------------------------ */

static _Thread_local jmp_buf *fatal_jump;
static _Thread_local char fatal_reason[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void on_fatal(const char *reason)
{
    if (!fatal_jump)
        return;
    strncpy(fatal_reason, reason, sizeof fatal_reason - 1);
    longjmp(*fatal_jump, 1);
}

/*
 * Loop strength reduction is a third of the time of code generation, and the loops that come from
 * emit.c run no faster with it (make bench: softmax compiles in 32 ms instead of 57, every row
 * kernel at the same speed). It has no other switch than LLVM's command line, which belongs to all
 * users of that LLVM: where it is the system's shared one, a host program that uses it too finds
 * the pass switched off.
 */
static void switch_off_strength_reduction(void)
{
    const char *const arguments[] = {"tilec", "-disable-lsr"};
    LLVMParseCommandLineOptions(2, arguments, NULL);
}

static void initialise_llvm(void)
{
    switch_off_strength_reduction();
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
    LLVMInstallFatalErrorHandler(on_fatal);
}

const char *cpu_llvm_catch(void (*work)(void *user), void *user)
{
    jmp_buf here, *const before = fatal_jump;
    const char *volatile reason = NULL;
    fatal_jump = &here;
    if (setjmp(here) == 0)
        work(user);
    else
        reason = fatal_reason;
    fatal_jump = before;
    return reason;
}

struct guarded {
    struct arena *arena;
    void (*work)(void *user);
    void *user;
    bool memory;
};

static void run_in_arena(void *user)
{
    struct guarded *guarded = user;
    guarded->memory = guard_run(guarded->arena, guarded->work, guarded->user);
}

bool cpu_llvm_guard(struct arena *arena, void (*work)(void *user), void *user, const char **reason)
{
    struct guarded guarded = {arena, work, user, true};
    pthread_once(&once, initialise_llvm);
    *reason = cpu_llvm_catch(run_in_arena, &guarded);
    return guarded.memory;
}

LLVMMemoryBufferRef cpu_llvm_write(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                   enum cpu_format format, char **message)
{
    LLVMMemoryBufferRef buffer = NULL;
    LLVMCodeGenFileType type = format == CPU_OBJECT ? LLVMObjectFile : LLVMAssemblyFile;
    LLVMSetTargetMachineAsmVerbosity(machine, format == CPU_ASSEMBLY); /* names of loops, spills */
    return LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, message, &buffer) ? NULL
                                                                                        : buffer;
}

char *cpu_llvm_passes(LLVMTargetMachineRef machine, LLVMModuleRef module, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    return error ? LLVMGetErrorMessage(error) : NULL;
}

/* ---- one compilation ------------------------------------------------------------------------ */

struct job {
    const struct ir_kernel *kernel;
    const struct cpu_options *options;
    enum cpu_format format;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct cpu_output *output;
    struct cpu_level level;
    struct cpu_emit e;
    LLVMTargetMachineRef machine;
    bool done;
};

static void report(struct job *job, const char *what, const char *text)
{
    struct source_range none = {0};
    diagnostics_add(job->diagnostics, DIAGNOSTIC_ERROR, none, "%s: %s", what, text);
    job->e.failed = true;
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    report(user, "LLVM", text);
    LLVMDisposeMessage(text);
}

static bool make_machine(struct job *job)
{
    char *message = NULL;
    job->machine = cpu_llvm_machine(job->e.module, &job->level, &message);
    if (job->machine)
        return true;
    report(job, "LLVM has no such target", message);
    LLVMDisposeMessage(message);
    return false;
}

static void begin(struct job *job)
{
    struct cpu_emit *e = &job->e;
    e->arena = job->arena;
    e->diagnostics = job->diagnostics;
    e->options = job->options;
    e->level = &job->level;
    e->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(e->context, on_diagnostic, job);
    e->module = LLVMModuleCreateWithNameInContext(job->kernel->func->name, e->context);
    e->builder = LLVMCreateBuilderInContext(e->context);
    e->math = (struct cpu_math){.context = e->context,
                                .module = e->module,
                                .builder = e->builder,
                                .features = &job->level.features,
                                .relaxed = job->options->relaxed};
    e->i1 = LLVMInt1TypeInContext(e->context);
    e->i8 = LLVMInt8TypeInContext(e->context);
    e->i32 = LLVMInt32TypeInContext(e->context);
    e->i64 = LLVMInt64TypeInContext(e->context);
    e->pointer = LLVMPointerTypeInContext(e->context, 0);
    e->void_type = LLVMVoidTypeInContext(e->context);
}

/* ---- the functions -------------------------------------------------------------------------- */

/* An assert on a tile becomes one on a scalar: all of it. */
static bool reduce_assert(struct ir_op *op, void *user)
{
    struct ir_func *func = user;
    if (op->code != IR_OP_ASSERT || op->operands[0]->type.rank == 0)
        return true;
    struct ir_builder b = {.func = func, .region = op->parent, .before = op, .range = op->range};
    op->operands[0] = ir_reduce(&b, IR_OP_ALL, op->operands[0], -1);
    return true;
}

/* A copy that may be marked and numbered: the caller's stays as it is. */
static struct ir_func *prepare(struct job *job, const struct ir_func *func)
{
    struct ir_func *copy = ir_func_clone(job->arena, func);
    cpu_cut_chains(copy);
    ir_number(copy);
    ir_count_uses(copy);
    cpu_take_one_element(copy);
    cpu_cut_clamps(copy);
    cpu_cut_to_low_bits(copy);
    cpu_widen_dots(copy, &job->level);
    ir_walk(copy->body, reduce_assert, copy);
    cpu_carry_scalars(copy);
    cpu_defer_searches(copy);
    cpu_bits_before_casts(copy);
    cpu_mark_spreads(copy);
    cpu_mark_squares(copy);
    if (cpu_rounds_by_bits(&job->level.features)) {
        cpu_clean_nans(copy);
        cpu_part_indices(copy);
    }
    ir_number(copy);
    ir_count_uses(copy);
    return copy;
}

static const char *symbol(struct job *job, const char *suffix)
{
    const char *prefix = job->options->symbol ? job->options->symbol : job->kernel->func->name;
    return arena_format(job->arena, "%s.%s", prefix, suffix);
}

/* A variant that depends on nothing in which it differs from one that is made is that one. */
static void emit_variants(struct job *job)
{
    struct ir_func *func = prepare(job, job->kernel->func);
    struct cpu_kernel_facts facts[CPU_VARIANT_COUNT];
    LLVMValueRef functions[CPU_VARIANT_COUNT] = {0};
    for (unsigned v = 0; v < CPU_VARIANT_COUNT && !job->e.failed; v++) {
        if (!(job->options->variants >> v & 1))
            continue;
        const char *name = symbol(job, arena_format(job->arena, "%u", v));
        job->output->stats.variants |= 1u << v;
        bool made = false;
        for (unsigned u = 0; u < v && !made; u++) {
            unsigned differs = u ^ v;
            if (!functions[u] || (differs & CPU_VARIANT_NO_OVERLAP && facts[u].overlap_mattered) ||
                (differs & CPU_VARIANT_STREAMING && facts[u].streaming_mattered))
                continue;
            LLVMAddAlias2(job->e.module, LLVMGlobalGetValueType(functions[u]), 0, functions[u],
                          name);
            made = true;
        }
        if (made)
            continue;
        facts[v] = cpu_emit_kernel(&job->e, func, v, name);
        job->output->stats.differs |=
            (facts[v].overlap_mattered ? (unsigned)CPU_VARIANT_NO_OVERLAP : 0) |
            (facts[v].streaming_mattered ? (unsigned)CPU_VARIANT_STREAMING : 0);
        functions[v] = job->e.function;
    }
}

static void emit_host_functions(struct job *job)
{
    const struct ir_kernel *kernel = job->kernel;
    if (kernel->grid)
        cpu_emit_host(&job->e, prepare(job, kernel->grid), symbol(job, "grid"), 3);
    if (kernel->needs && !job->e.failed)
        cpu_emit_host(&job->e, prepare(job, kernel->needs), symbol(job, "needs"), 0);
    if (job->e.failed || !kernel->require_count)
        return;
    struct ir_func **conditions =
        ARENA_ARRAY(job->arena, struct ir_func *, (size_t)kernel->require_count);
    for (int i = 0; i < kernel->require_count; i++)
        conditions[i] = prepare(job, kernel->launch_requires[i].condition);
    cpu_emit_require(&job->e, conditions, kernel->require_count, symbol(job, "require"));
}

/* ---- out of LLVM ---------------------------------------------------------------------------- */

static bool verify_module(struct job *job)
{
    char *message = NULL;
    bool broken = LLVMVerifyModule(job->e.module, LLVMReturnStatusAction, &message);
    if (broken)
        report(job, "internal error: the CPU backend made broken LLVM IR", message);
    LLVMDisposeMessage(message);
    return !broken;
}

static bool run_passes(struct job *job)
{
    char *message = cpu_llvm_passes(job->machine, job->e.module, CPU_LLVM_PASSES);
    if (!message)
        return true;
    report(job, "LLVM", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static void keep_bytes(struct job *job, const char *bytes, size_t size)
{
    job->output->bytes = malloc(size ? size : 1);
    if (!job->output->bytes) {
        report(job, "out of memory", "the generated code");
        return;
    }
    memcpy(job->output->bytes, bytes, size);
    job->output->size = job->output->object_sizes[0] = size;
    job->output->object_count = 1;
    job->done = true;
}

static void write_output(struct job *job)
{
    if (job->format == CPU_LLVM_IR) {
        char *text = LLVMPrintModuleToString(job->e.module);
        keep_bytes(job, text, strlen(text));
        LLVMDisposeMessage(text);
        return;
    }
    char *message = NULL;
    LLVMMemoryBufferRef buffer = cpu_llvm_write(job->machine, job->e.module, job->format, &message);
    if (!buffer) {
        report(job, "LLVM", message);
        LLVMDisposeMessage(message);
        return;
    }
    if (!job->e.failed)
        keep_bytes(job, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
}

/* False: the module is better one object. */
static bool write_parts(struct job *job)
{
    char *message;
    if (job->format != CPU_OBJECT || !job->options->threads ||
        !cpu_llvm_write_parts(job->e.module, &job->level, job->options->threads, job->output,
                              &message))
        return false;
    job->done = !message;
    if (message)
        report(job, "LLVM", message);
    LLVMDisposeMessage(message);
    return true;
}

static void work(void *user)
{
    struct job *job = user;
    begin(job);
    if (!make_machine(job))
        return;
    emit_variants(job);
    if (!job->e.failed && !job->options->alone)
        emit_host_functions(job);
    if (job->e.failed || !verify_module(job))
        return;
    job->output->stats.scratch_bytes = job->e.scratch_bytes;
    job->output->stats.apart_bytes =
        job->e.apart_bytes > job->e.scratch_bytes ? job->e.apart_bytes : job->e.scratch_bytes;
    job->output->stats.vector_bytes = job->e.vector_bytes;
    job->output->stats.order = job->e.order;
    job->output->stats.paths = job->e.paths;
    if (!write_parts(job) && run_passes(job))
        write_output(job);
}

static void dispose(struct job *job)
{
    cpu_llvm_leave_machine(job->machine, &job->level, job->done);
    if (job->e.builder)
        LLVMDisposeBuilder(job->e.builder);
    if (job->e.module)
        LLVMDisposeModule(job->e.module);
    if (job->e.context)
        LLVMContextDispose(job->e.context);
}

/* False: the arena is out of memory. */
static bool run_guarded(struct job *job)
{
    const char *reason;
    bool memory = cpu_llvm_guard(job->arena, work, job, &reason);
    if (!reason) {
        dispose(job);
        return memory;
    }
    report(job, "LLVM gave up", reason);
    job->done = false;
    return true;
}

static bool compile(const struct ir_kernel *kernel, const struct cpu_options *options,
                    enum cpu_format format, struct arena *arena, struct diagnostics *diagnostics,
                    struct cpu_output *output)
{
    *output = (struct cpu_output){0};
    struct job *job = ARENA_NEW(arena, struct job);
    *job = (struct job){.kernel = kernel,
                        .options = options,
                        .format = format,
                        .arena = arena,
                        .diagnostics = diagnostics,
                        .output = output};
    if (!cpu_level_find(options->level, &job->level)) {
        struct source_range none = {0};
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, none, "there is no processor level '%s'",
                        options->level);
        return false;
    }
    if (options->fetching)
        cpu_level_set_fetching(&job->level, *options->fetching);
    if (!run_guarded(job))
        longjmp(*arena->on_failure, 1);
    return job->done;
}

static const struct cpu_module module = {
    .version = CPU_MODULE_VERSION,
    .fit = cpu_module_fit,
    .compile = compile,
    .link = cpu_link_modules,
};

__attribute__((visibility("default"))) const struct cpu_module *tilec_cpu_module(void)
{
    return &module;
}
